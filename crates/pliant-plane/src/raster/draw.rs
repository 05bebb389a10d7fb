//! Boundaries as pixels: those whose centre comes within an offset of a segment.
//!
//! Around a segment the drawn shape is a strip with round ends, cut by a row of centres in
//! one interval. With half a pixel's diagonal added to the offset no pixel that the offset
//! boundary touches is left out: the drawing is circumscribed.
//!
//! - Implements: the offset polygons of [Hoff01 §2.2.1].
//! - Deviates: ends are round, not faceted; without them a wedge at every corner stays
//!   empty, which `a_wedge_at_a_corner_is_covered` shows (P8).

use std::ops::Range;

use pliant::math::Vec2;

use super::super::field::Window;
use super::super::outline::Outlines;
use super::rows::Fill;

/// Pixels by which intervals are made longer, so that rounding takes no centre away.
const SLACK: f64 = 1e-9;

/// What of an outline is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Drawn {
    /// Its boundary: pixels whose centre is not farther than the offset, m, from it.
    Boundary(f64),
    /// Its inside: pixels whose centre is inside; thin parts may have none.
    Volume,
    /// Every pixel that the outline or its boundary touches, and none a diagonal away.
    Covered,
}

impl Drawn {
    /// Every pixel that comes within `offset` of the boundary, m.
    pub fn circumscribed(window: &Window, offset: f64) -> Drawn {
        Drawn::Boundary(offset + window.half_diagonal())
    }
}

/// Calls `set` for every run of pixels in a row that a drawing of an outline covers.
///
/// Segments are drawn one after the other: where they overlap, pixels are set again.
pub fn draw(
    outlines: &Outlines,
    outline: usize,
    window: &Window,
    drawn: Drawn,
    mut set: impl FnMut(u32, Range<u32>),
) {
    let boundary = |offset: f64, set: &mut dyn FnMut(u32, Range<u32>)| {
        for at in outlines.range(outline) {
            strip(outlines.segment(at), offset, window, &mut *set);
        }
    };
    let volume = |set: &mut dyn FnMut(u32, Range<u32>)| {
        let mut fill = Fill::default();
        fill.draw(outlines, outline, window);
        for row in 0..window.height {
            for run in fill.turns(row as usize).chunks_exact(2).filter(|run| run[0] < run[1]) {
                set(row, run[0]..run[1]);
            }
        }
    };
    match drawn {
        Drawn::Boundary(offset) => boundary(offset, &mut set),
        Drawn::Volume => volume(&mut set),
        Drawn::Covered => {
            volume(&mut set);
            boundary(window.half_diagonal(), &mut set);
        }
    }
}

/// Calls `set` for the centres of each row within `offset` of a segment.
pub fn strip(
    ends @ [a, b]: [Vec2; 2],
    offset: f64,
    window: &Window,
    mut set: impl FnMut(u32, Range<u32>),
) {
    let clamp = |at: f64, most: u32| at.clamp(0.0, f64::from(most)) as u32;
    let row = |y: f64| (y - window.corner.y) / window.pixel - 0.5;
    let first = clamp((row(a.y.min(b.y) - offset) - SLACK).ceil(), window.height);
    let last = clamp((row(a.y.max(b.y) + offset) + SLACK).floor() + 1.0, window.height);
    for y in first..last {
        let Some([low, high]) = interval(ends, offset, window.centre(0, y).y) else { continue };
        let column = |x: f64| (x - window.corner.x) / window.pixel - 0.5;
        let low = clamp((column(low) - SLACK).ceil(), window.width);
        let high = clamp((column(high) + SLACK).floor() + 1.0, window.width);
        if low < high {
            set(y, low..high);
        }
    }
}

/// What of a horizontal line is within `offset` of a segment, m; one interval, as the strip
/// is convex: from the discs around both ends and the rectangle between.
fn interval([a, b]: [Vec2; 2], offset: f64, y: f64) -> Option<[f64; 2]> {
    let mut found: Option<[f64; 2]> = None;
    let mut join = |low: f64, high: f64| {
        let [l, h] = found.unwrap_or([low, high]);
        found = Some([l.min(low), h.max(high)]);
    };
    for end in [a, b] {
        let half_sq = offset * offset - (y - end.y) * (y - end.y);
        if half_sq >= 0.0 {
            join(end.x - half_sq.sqrt(), end.x + half_sq.sqrt());
        }
    }
    if let Some(way) = (b - a).try_normalize() {
        let side = offset * way.perp();
        let corners = [a - side, b - side, b + side, a + side];
        for (from, to) in [(0, 1), (1, 2), (2, 3), (3, 0)] {
            let [p, q] = [corners[from], corners[to]];
            if (p.y <= y) != (q.y <= y) {
                let x = p.x + (y - p.y) / (q.y - p.y) * (q.x - p.x);
                join(x, x);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segment::distance_sq;

    const WINDOW: Window =
        Window { corner: Vec2::new(-0.53, -0.21), pixel: 0.1, width: 31, height: 24 };

    fn pixels(ends: [Vec2; 2], offset: f64) -> Vec<bool> {
        let mut image = vec![false; WINDOW.pixels()];
        strip(ends, offset, &WINDOW, |row, run| {
            let at = (row * WINDOW.width) as usize;
            image[at + run.start as usize..at + run.end as usize].fill(true);
        });
        image
    }

    #[test]
    fn a_strip_holds_the_centres_within_its_offset_and_no_others() {
        let ends = [(0.1, 0.2), (1.9, 1.1), (0.4, 0.4), (-3.0, 1.0), (1.0, 0.3), (1.0, 1.7)];
        let ends = ends.map(|(x, y)| Vec2::new(x, y));
        for (p, q) in ends.iter().flat_map(|p| ends.iter().map(move |q| (*p, *q))) {
            for offset in [0.02, 0.13, 0.5] {
                let image = pixels([p, q], offset);
                for (at, &set) in image.iter().enumerate() {
                    let centre = WINDOW.centre(at as u32 % 31, at as u32 / 31);
                    let distance = distance_sq([p, q], centre).sqrt();
                    // What lies within the slack of the offset may be classified either way.
                    let certain = (distance - offset).abs() > 2.0 * SLACK * WINDOW.pixel;
                    assert!(!certain || set == (distance <= offset), "{p} {q} {offset} {at}");
                }
            }
        }
    }

    #[test]
    fn circumscribed_drawing_leaves_out_no_pixel_that_is_touched() {
        let mut outlines = Outlines::default();
        let ring = [(0.0, 0.0), (2.0, 0.3), (1.7, 1.9), (1.0, 0.5)];
        outlines.push(&[ring.map(|(x, y)| Vec2::new(x, y)).to_vec()]).unwrap();
        for drawn in [Drawn::circumscribed(&WINDOW, 0.0), Drawn::Covered] {
            let mut image = vec![false; WINDOW.pixels()];
            draw(&outlines, 0, &WINDOW, drawn, |row, run| {
                run.for_each(|x| image[(row * WINDOW.width + x) as usize] = true);
            });
            for at in outlines.range(0) {
                let [a, b] = outlines.segment(at);
                for step in 0..=1000 {
                    let point = a.lerp(b, f64::from(step) / 1000.0);
                    let pixel = ((point - WINDOW.corner) / WINDOW.pixel).floor();
                    assert!(image[(pixel.y * 31.0 + pixel.x) as usize], "{point}");
                }
            }
        }
    }

    #[test]
    fn a_wedge_at_a_corner_is_covered() {
        // Outside a right corner, 0.9 of the offset away along the diagonal.
        let (corner, offset) = (Vec2::new(0.5, 0.5), 0.4);
        let point = corner + 0.9 * offset * Vec2::ONE / 2.0_f64.sqrt();
        let sides = [[corner, Vec2::new(0.5, -0.2)], [corner, Vec2::new(-0.2, 0.5)]];
        let window = Window { corner: point - 0.05, pixel: 0.1, width: 1, height: 1 };
        for side in sides {
            let mut covered = false;
            strip(side, offset, &window, |_, _| covered = true);
            assert!(covered);
            // A strip that ends flat at the corner does not reach it from either side.
            let way = (side[1] - side[0]).try_normalize().unwrap();
            assert!((point - corner).dot(way) < 0.0);
        }
    }
}
