//! Fields against exact distances.

use pliant::math::Vec2;
use pliant_gpu::{
    FieldMethod, FieldRequest, FieldSettings, FieldSign, Gpu, GpuError, PixelAt, rounding,
};
use pliant_plane::brute::{self, PointLocation};
use pliant_plane::field::{Field, NO_SITE, Window};
use pliant_plane::outline::Outlines;

use crate::scene::{Random, crowd, open, rectangle, wavy};

const TILED: FieldSettings = FieldSettings { method: FieldMethod::Tiled, sign: FieldSign::Stencil };

/// Share of a pixel by which rendering may be wrong: cones a sixteenth, the fill's corners
/// and the depths that the hardware interpolates a sixty-fourth.
const RENDERED: f64 = 1.0 / 16.0 + 1.0 / 64.0;

fn meshes(sign: FieldSign) -> FieldSettings {
    FieldSettings { method: FieldMethod::Meshes, sign }
}

fn window(corner: Vec2, pixel: f64, width: u32, height: u32) -> Window {
    Window { corner, pixel, width, height }
}

/// Signed distance, exactly.
fn exact(outlines: &Outlines, outline: usize, point: Vec2) -> f64 {
    let (_, distance) = brute::nearest(outlines, outline, point).unwrap();
    if brute::spot(outlines, outline, point) == PointLocation::Inside {
        -distance
    } else {
        distance
    }
}

/// Every pixel must be within `error` of the exact distance, and its site as near.
#[track_caller]
fn check(outlines: &Outlines, request: &FieldRequest, field: &Field, error: f64) {
    let outline = request.outline as usize;
    assert_eq!(field.distance.len(), request.window.pixels());
    let (mut reached, mut worst) = (0, 0.0_f64);
    for y in 0..request.window.height {
        for x in 0..request.window.width {
            let at = (y * request.window.width + x) as usize;
            let point = request.window.centre(x, y);
            let truth = exact(outlines, outline, point);
            let found = field.distance[at];
            if found.is_infinite() {
                assert_eq!(field.site[at], NO_SITE);
                assert!(truth.abs() >= request.reach - error, "{x} {y}: {truth}");
                continue;
            }
            reached += 1;
            worst = worst.max((found - truth).abs());
            assert!((found - truth).abs() <= error, "{x} {y}: {found} for {truth}, bound {error}");
            assert!(outlines.range(outline).contains(&(field.site[at] as usize)), "{x} {y}");
            let ends = outlines.segment(field.site[at] as usize);
            let to_site = pliant_plane::segment::distance_sq(ends, point).sqrt();
            assert!(to_site - truth.abs() <= 2.0 * error, "{x} {y}: {to_site} for {truth}");
        }
    }
    assert!(reached > 0 && worst > 0.0);
}

/// Draws, checks, and returns the fields.
#[track_caller]
fn draw(
    gpu: &mut Gpu,
    outlines: &Outlines,
    requests: &[FieldRequest],
    settings: &FieldSettings,
) -> Vec<Field> {
    let mut fields = Vec::new();
    gpu.fields(outlines, requests, settings, &mut fields).unwrap();
    for (request, field) in requests.iter().zip(&fields) {
        let rendered = if *settings == TILED { 0.0 } else { RENDERED * request.window.pixel };
        check(outlines, request, field, 2.0 * rounding(8.0) + rendered);
    }
    fields
}

/// Windows at the first points of some outlines.
fn requests(outlines: &Outlines) -> Vec<FieldRequest> {
    [(0, 70, f64::INFINITY), (1, 33, 0.3), (4, 16, 2.0)]
        .map(|(outline, width, reach)| {
            let point = outlines.points()[outlines.range(outline as usize).start];
            let window = window(point - Vec2::new(0.4, 1.0), 0.05, width, 41);
            FieldRequest { outline, window, reach }
        })
        .to_vec()
}

#[test]
fn the_kernel_is_exact_at_pixel_centres() {
    let Some(mut gpu) = open() else { return };
    let outlines = crowd(2, 5, 60);
    let before = gpu.traffic()[0];
    draw(&mut gpu, &outlines, &requests(&outlines), &TILED);
    assert_eq!(gpu.traffic()[0] - before, 1); // all windows at once
}

#[test]
fn rendered_meshes_agree_whatever_holds_the_sign() {
    let Some(mut gpu) = open() else { return };
    let outlines = crowd(2, 5, 60);
    let [stencil, colour, site] = [FieldSign::Stencil, FieldSign::Colour, FieldSign::SiteBit]
        .map(|sign| draw(&mut gpu, &outlines, &requests(&outlines), &meshes(sign)));
    assert_eq!(stencil, colour);
    // Beyond the reach no site holds the sign.
    for (stencil, site) in stencil.iter().zip(&site) {
        assert_eq!(stencil.site, site.site);
        for (p, q) in stencil.distance.iter().zip(&site.distance) {
            assert!(p == q || (p.is_infinite() && q.is_infinite()), "{p} {q}");
        }
    }
}

#[test]
fn a_ring_that_crosses_itself_keeps_its_two_insides() {
    let Some(mut gpu) = open() else { return };
    let hourglass = [(0.0, 0.0), (2.0, 2.0), (2.0, 0.0), (0.0, 2.0)];
    let mut outlines = Outlines::default();
    outlines.push(&[hourglass.map(|(x, y)| Vec2::new(x, y)).to_vec()]).unwrap();
    let window = window(Vec2::splat(-0.513), 0.1, 31, 30);
    let request = FieldRequest { outline: 0, window, reach: f64::INFINITY };
    for settings in [TILED, meshes(FieldSign::Stencil)] {
        let fields = draw(&mut gpu, &outlines, &[request], &settings);
        let inside = fields[0].distance.iter().filter(|distance| **distance < 0.0).count();
        assert!((180..220).contains(&inside), "{inside}"); // 2 m² of 0.01 m²
    }
}

/// Bilinear interpolation between the four pixel centres around a point.
fn between(field: &[f64], window: &Window, point: Vec2) -> f64 {
    let at = (point - window.corner) / window.pixel - 0.5;
    let (low, share) = (at.floor(), at - at.floor());
    let value =
        |x: u32, y: u32| field[((low.y as u32 + y) * window.width + low.x as u32 + x) as usize];
    let row = |y: u32| value(0, y) + share.x * (value(1, y) - value(0, y));
    row(0) + share.y * (row(1) - row(0))
}

#[test]
fn the_signed_field_is_interpolated_within_half_a_pixels_diagonal() {
    let Some(mut gpu) = open() else { return };
    let mut outlines = Outlines::default();
    // Its right edge lies just beyond pixel centres.
    outlines.push(&[rectangle([0.0; 2], [1.051, 2.0])]).unwrap();
    let window = window(Vec2::splat(-0.5), 0.1, 30, 30);
    let field = gpu.field(&outlines, 0, window).unwrap();
    let bound = window.pixel / 2_f64.sqrt();
    let magnitude: Vec<f64> = field.distance.iter().map(|d| d.abs()).collect();
    let sign: Vec<f64> = field.distance.iter().map(|d| f64::from(*d < 0.0)).collect();
    let mut random = Random::new(7);
    let (mut worst, mut apart) = (0.0_f64, 0.0_f64);
    for _ in 0..3000 {
        let point = Vec2::new(0.5, 1.0) + random.point(1.3);
        let truth = exact(&outlines, 0, point);
        worst = worst.max((between(&field.distance, &window, point) - truth).abs());
        let inside = between(&sign, &window, point) > 0.5;
        let printed = between(&magnitude, &window, point) * if inside { -1.0 } else { 1.0 };
        apart = apart.max((printed - truth).abs());
    }
    assert!(worst <= bound, "{worst} above {bound}");
    assert!(apart > 1.2 * worst, "{apart} {worst}"); // the printed way is worse (P5)
}

#[test]
fn gradients_are_those_at_the_pixel_over_the_pixel_size() {
    let Some(mut gpu) = open() else { return };
    let mut outlines = Outlines::default();
    outlines.push(&[rectangle([-4.0, -4.0], [4.0, 4.0])]).unwrap();
    let window = window(Vec2::new(3.0, -1.0), 0.125, 16, 16);
    let request = FieldRequest { outline: 0, window, reach: f64::INFINITY };
    gpu.draw(&outlines, &[request, request], &TILED).unwrap();
    let gradients = gpu.gradients().unwrap();
    assert_eq!(gradients.len(), 2);
    // Near one straight edge the distance grows by one metre for each to the right, both
    // inside, where half of the printed differences would be clamped away, and outside.
    assert!(gradients.concat().iter().all(|g| g.distance(Vec2::X) < 1e-5), "{gradients:?}");
    // A kink shows whether the difference is that of the pixel: across the middle of a bar
    // the distance is |x| − 1, and the columns from -0.9375 m on are each as far from the
    // middle as their mirror images.
    let mut outlines = Outlines::default();
    outlines.push(&[rectangle([-1.0, -9.0], [1.0, 9.0])]).unwrap();
    let window = Window { corner: Vec2::new(-1.0, -0.5), ..window };
    gpu.draw(&outlines, &[FieldRequest { window, ..request }], &TILED).unwrap();
    let row: Vec<f64> = gpu.gradients().unwrap()[0][..16].iter().map(|g| g.x).collect();
    let symmetric: Vec<f64> = row.iter().rev().map(|x| -x).collect();
    assert!(row.iter().zip(&symmetric).all(|(p, q)| (p - q).abs() < 1e-5), "{row:?}");
    assert!(row[..7].iter().all(|x| (x + 1.0).abs() < 1e-5), "{row:?}");
}

#[test]
fn single_pixels_are_those_of_the_whole_image() {
    let Some(mut gpu) = open() else { return };
    let outlines = crowd(2, 5, 60);
    let requests = requests(&outlines);
    let fields = draw(&mut gpu, &outlines, &requests, &TILED);
    let pixels = [(0, 3, 4), (0, 69, 40), (1, 0, 0), (2, 15, 20)].map(|(window, x, y)| PixelAt {
        window,
        x,
        y,
    });
    let before = gpu.traffic()[1];
    let found = gpu.pixels(&pixels).unwrap();
    assert_eq!(gpu.traffic()[1] - before, 8 * 4); // bytes: a distance and a site each
    for (at, (distance, site)) in pixels.iter().zip(found) {
        let field = &fields[at.window as usize];
        let index = (at.y * field.window.width + at.x) as usize;
        assert_eq!((distance, site), (field.distance[index], field.site[index]));
    }
    let beyond = PixelAt { window: 1, x: 33, y: 0 };
    assert_eq!(gpu.pixels(&[beyond]), Err(GpuError::Pixel { window: 1, x: 33, y: 0 }));
}

#[test]
fn pixels_of_any_size_and_far_from_the_origin() {
    let Some(mut gpu) = open() else { return };
    let base = crowd(4, 1, 50);
    for (size, place) in [(1e-9, 0.0), (1e12, 0.0), (1.0, 1e8)] {
        let mut outlines = base.clone();
        outlines.points_mut().iter_mut().for_each(|p| *p = size * *p + Vec2::splat(place));
        let corner = Vec2::splat(place) + size * Vec2::new(-1.0, -1.2);
        let window = window(corner, 0.05 * size, 40, 40);
        let request = FieldRequest { outline: 0, window, reach: f64::INFINITY };
        for (settings, rendered) in [(TILED, 0.0), (meshes(FieldSign::Colour), RENDERED)] {
            let mut fields = Vec::new();
            gpu.fields(&outlines, &[request], &settings, &mut fields).unwrap();
            // Far from the origin f64 itself rounds the outline.
            let error = 2.0 * rounding(8.0 * size) + rendered * window.pixel;
            check(&outlines, &request, &fields[0], error);
        }
    }
}

#[test]
fn a_hundred_thousand_segments_have_a_field() {
    let Some(mut gpu) = open() else { return };
    let mut outlines = Outlines::default();
    outlines.push(&[wavy(&mut Random::new(9), Vec2::ZERO, 1.0, 100_000)]).unwrap();
    let window = window(Vec2::splat(-1.1), 2.2 / 48.0, 48, 48);
    let field = gpu.field(&outlines, 0, window).unwrap();
    for (x, y) in [(0, 0), (24, 24), (10, 40), (47, 3), (30, 12)] {
        let truth = exact(&outlines, 0, window.centre(x, y));
        let found = field.distance[(y * 48 + x) as usize];
        assert!((found - truth).abs() <= 2.0 * rounding(4.0), "{found} {truth}");
    }
}

#[test]
fn what_no_image_can_show_is_refused() {
    let Some(mut gpu) = open() else { return };
    let outlines = crowd(2, 1, 10);
    let good = window(Vec2::ZERO, 0.1, 4, 4);
    let mut refuse = |outline, window| gpu.field(&outlines, outline, window).unwrap_err();
    assert_eq!(refuse(1, good), GpuError::Outline { index: 0, outline: 1, count: 1 });
    for bad in [
        Window { width: 0, ..good },
        Window { height: 1 << 20, ..good },
        Window { pixel: 0.0, ..good },
        Window { corner: Vec2::new(f64::NAN, 0.0), ..good },
    ] {
        assert!(matches!(refuse(0, bad), GpuError::Window { index: 0, .. }), "{bad:?}");
    }
    // More memory than a GPU gives is an error, and the next request is served.
    let large = Window { width: 8192, height: 8192, ..good };
    let request = FieldRequest { outline: 0, window: large, reach: 1.0 };
    let refused = gpu.draw(&outlines, &[request; 70], &TILED);
    assert!(matches!(refused, Err(GpuError::TooLarge { .. })), "{refused:?}");
    assert!(gpu.field(&outlines, 0, good).is_ok());
}
