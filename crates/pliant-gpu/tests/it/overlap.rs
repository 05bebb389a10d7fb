//! Overlapping pixels against exact distances, by all strategies.

use pliant::math::Vec2;
use pliant_gpu::{Drawn, Gpu, OverlapRequest, Strategy};
use pliant_plane::brute::{self, PointLocation};
use pliant_plane::field::Window;
use pliant_plane::outline::Outlines;

use crate::scene::{Random, open, rectangle, wavy};

/// Share of the thickness by which a circumscribed disc of 32 sides is wider.
const DISC: f64 = 0.005;

/// Share of a pixel by which the hardware moves corners.
const SNAP: f64 = 1.0 / 128.0;

/// Whether an outline covers a point: -1 no, 1 yes, 0 too close to tell.
fn covers(outlines: &Outlines, request: &OverlapRequest, at: usize, point: Vec2) -> i32 {
    let outline = request.outlines[at] as usize;
    let (_, distance) = brute::nearest(outlines, outline, point).unwrap();
    let snap = SNAP * request.window.pixel;
    let (inside, gap) = match request.drawn[at] {
        Drawn::Boundary => {
            let wide = request.thickness * (1.0 + DISC);
            let sure = if distance < request.thickness { request.thickness } else { wide };
            (distance < request.thickness, (distance - sure).abs())
        }
        Drawn::Volume => (brute::spot(outlines, outline, point) == PointLocation::Inside, distance),
    };
    let between = request.drawn[at] == Drawn::Boundary
        && distance > request.thickness
        && distance < request.thickness * (1.0 + DISC);
    if gap <= snap || between { 0 } else { 2 * i32::from(inside) - 1 }
}

/// All strategies must find the pixels that both cover; returns their number.
#[track_caller]
fn check(gpu: &mut Gpu, outlines: &Outlines, request: &OverlapRequest) -> usize {
    let images = Strategy::ALL.map(|strategy| gpu.overlap(outlines, request, strategy).unwrap());
    let mut open = 0;
    for (at, found) in images[0].iter().enumerate() {
        let (x, y) = (at as u32 % request.window.width, at as u32 / request.window.width);
        let point = request.window.centre(x, y);
        let [a, b] = [0, 1].map(|side| covers(outlines, request, side, point));
        match a.min(b) {
            0 => open += 1,
            least => assert_eq!(*found, least == 1, "{x} {y} {:?}", request.drawn),
        }
    }
    assert!(open * 10 < images[0].len(), "{open} pixels are too close to describe");
    for (strategy, image) in Strategy::ALL.iter().zip(&images) {
        assert!(image == &images[0], "{strategy:?}");
    }
    let marked: Vec<usize> = (0..images[0].len()).filter(|&at| images[0][at]).collect();
    let width = request.window.width as usize;
    for strategy in Strategy::ALL {
        let extent = gpu.overlap_extent(outlines, request, strategy).unwrap();
        assert_eq!(extent.map_or(0, |extent| extent.count as usize), marked.len());
        let Some(extent) = extent else { continue };
        let columns = || marked.iter().map(|at| (at % width) as u32);
        let rows = || marked.iter().map(|at| (at / width) as u32);
        assert_eq!(extent.low, [columns().min().unwrap(), rows().min().unwrap()]);
        assert_eq!(extent.high, [columns().max().unwrap(), rows().max().unwrap()]);
    }
    assert_eq!(gpu.overlap_any(outlines, request).unwrap(), !marked.is_empty());
    marked.len()
}

fn request(corner: Vec2, pixel: f64, thickness: f64) -> OverlapRequest {
    let window = Window { corner, pixel, width: 67, height: 60 };
    let drawn = [Drawn::Boundary; 2];
    OverlapRequest { outlines: [0, 1], drawn, window, thickness }
}

#[test]
fn strategies_agree_where_segments_overlap_at_joints() {
    let Some(mut gpu) = open() else { return };
    let mut random = Random::new(8);
    let mut outlines = Outlines::default();
    outlines.push(&[wavy(&mut random, Vec2::ZERO, 1.0, 60)]).unwrap();
    outlines.push(&[wavy(&mut random, Vec2::new(0.9, 0.2), 1.0, 50)]).unwrap();
    // Segments are a tenth of a metre long: up to seven layers cover a pixel.
    let mut request = request(Vec2::new(-1.3, -1.4), 0.05, 0.15);
    for drawn in [
        [Drawn::Boundary; 2],
        [Drawn::Boundary, Drawn::Volume],
        [Drawn::Volume, Drawn::Boundary],
        [Drawn::Volume; 2],
    ] {
        request.drawn = drawn;
        assert!(check(&mut gpu, &outlines, &request) > 50, "{drawn:?}");
    }
}

#[test]
fn layers_of_one_outline_are_no_intersection() {
    let Some(mut gpu) = open() else { return };
    let mut random = Random::new(8);
    let mut outlines = Outlines::default();
    outlines.push(&[wavy(&mut random, Vec2::ZERO, 1.0, 60)]).unwrap();
    outlines.push(&[wavy(&mut random, Vec2::new(9.0, 0.2), 1.0, 60)]).unwrap();
    let request = request(Vec2::new(-1.3, -1.4), 0.05, 0.15);
    assert_eq!(check(&mut gpu, &outlines, &request), 0);
    let turned = OverlapRequest { outlines: [1, 0], ..request };
    assert_eq!(check(&mut gpu, &outlines, &turned), 0);
}

#[test]
fn volumes_see_what_boundaries_do_not() {
    let Some(mut gpu) = open() else { return };
    let mut outlines = Outlines::default();
    outlines.push(&[rectangle([0.03, 0.03], [2.03, 2.03])]).unwrap();
    outlines.push(&[rectangle([0.73, 0.73], [1.33, 1.23])]).unwrap();
    let mut request = request(Vec2::splat(-0.5), 0.05, 0.03);
    assert_eq!(check(&mut gpu, &outlines, &request), 0);
    request.drawn = [Drawn::Volume; 2];
    assert_eq!(check(&mut gpu, &outlines, &request), 12 * 10); // 0.6 × 0.5 m² of 0.05 m squared
}
