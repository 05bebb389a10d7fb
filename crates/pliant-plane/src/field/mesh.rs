//! The field by distance meshes: every segment's distance function drawn with a depth test.
//!
//! Over the plane the distance from a segment is a tent with half a cone at each end. A
//! tent's two sides are plane and exact. A cone is drawn as a fan of triangles that touch
//! it from below, so narrow that a depth is too small by no more than a bound; a triangle
//! reaches far enough out to cover the circle. The nearest of all meshes stays in the depth
//! buffer, and the segment it belongs to in the colour buffer.
//!
//! | here      | paper | meaning                              |
//! |-----------|-------|--------------------------------------|
//! | `reach`   | R     | largest distance that matters, m     |
//! | `too_low` | ε     | most that a depth is too small by, m |
//!
//! - Implements: [Hoff01 §2.2.2].
//! - Deviates: meshes end at the reach, and cones cover only the wedge before a corner where
//!   its points are nearest; drawn whole, every mesh costs the whole window.

use std::f64::consts::{PI, TAU};

use pliant::math::Vec2;

use super::super::outline::Outlines;
use super::super::raster::rows::Fill;
use super::{Field, NO_SITE};

/// Pixels by which a piece is made larger, so that no centre falls between two pieces.
const SLACK: f64 = 1e-9;

/// Least that depths are too small by, relative to the reach: some 4000 triangles a cone.
const LEAST_TOO_LOW: f64 = 3e-7;

/// How far a mesh is drawn, and how well.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshSettings {
    /// Largest distance that matters, m; what is farther is left infinite.
    pub reach: f64,
    /// Most that a depth may be too small by, m; at least 3e-7 of the reach is taken.
    pub too_low: f64,
}

/// Draws fields by distance meshes, and keeps its memory.
#[derive(Clone, Debug, Default)]
pub struct Meshes {
    /// What is inside the current outline.
    fill: Fill,
}

/// A plane over a convex piece of the window.
struct Piece<'a> {
    /// Corners in order, m.
    corners: &'a [Vec2],
    /// Where the depth is zero, m.
    zero: Vec2,
    /// Unit vector along which the depth grows by one for each metre.
    rise: Vec2,
    /// The segment it belongs to.
    site: u32,
}

impl Meshes {
    /// Draws the signed field of an outline.
    ///
    /// Distances are too small by at most `too_low`, and never too large up to rounding.
    pub fn draw(
        &mut self,
        outlines: &Outlines,
        outline: usize,
        settings: &MeshSettings,
        field: &mut Field,
    ) {
        let window = field.window;
        field.resize(window);
        field.distance.fill(f64::INFINITY);
        field.site.fill(NO_SITE);
        // No point of the window is farther from the outline than their box is wide.
        let reach = settings.reach.min(farthest(outlines, outline, field));
        for ring in outlines.rings(outline) {
            let [from, to] = outlines.segment(ring.end - 1);
            let mut before = to - from;
            for at in ring {
                let [from, to] = outlines.segment(at);
                tent([from, to], reach, at as u32, field);
                cone(from, [before, to - from], [reach, settings.too_low], at as u32, field);
                before = to - from;
            }
        }
        self.fill.draw(outlines, outline, &window);
        let width = window.width as usize;
        for (y, row) in field.distance.chunks_mut(width).enumerate() {
            for run in self.fill.turns(y).chunks_exact(2) {
                let run = &mut row[run[0] as usize..run[1] as usize];
                run.iter_mut().filter(|d| d.is_finite()).for_each(|d| *d = -*d);
            }
        }
    }
}

/// A distance that no pixel exceeds, m.
fn farthest(outlines: &Outlines, outline: usize, field: &Field) -> f64 {
    let window = &field.window;
    let far = window.centre(window.width, window.height);
    let points = outlines.points()[outlines.range(outline)].iter();
    let (low, high) =
        points.fold((window.corner, far), |(low, high), p| (low.min(*p), high.max(*p)));
    low.distance(high)
}

/// Both sides of a segment.
fn tent([from, to]: [Vec2; 2], reach: f64, site: u32, field: &mut Field) {
    let Some(way) = (to - from).try_normalize() else { return };
    for rise in [way.perp(), -way.perp()] {
        let corners = [from, to, to + reach * rise, from + reach * rise];
        draw(&Piece { corners: &corners, zero: from, rise, site }, reach, field);
    }
}

/// The wedge around a corner where no segment beside it is nearer.
fn cone(
    corner: Vec2,
    [before, after]: [Vec2; 2],
    [reach, too_low]: [f64; 2],
    site: u32,
    field: &mut Field,
) {
    // From across the segment before to across the one after, on the outer side of the turn.
    let (start, wedge) = match (before.try_normalize(), after.try_normalize()) {
        (Some(before), Some(after)) => {
            let turn = before.angle_to(after);
            let outer = if turn >= 0.0 { -before.perp() } else { before.perp() };
            (outer.to_angle(), if turn == -PI { PI } else { turn })
        }
        _ => (0.0, TAU),
    };
    // Half a triangle's angle φ lowers the depth by at most R (1 − cos φ).
    let half = libm::acos(1.0 - (too_low / reach).clamp(LEAST_TOO_LOW, 1.0)).min(PI / 4.0);
    let count = (wedge.abs() / (2.0 * half)).ceil();
    let step = wedge / count;
    for k in 0..count as usize {
        let [low, high] = [k, k + 1].map(|k| Vec2::from_angle(start + k as f64 * step));
        let rise = Vec2::from_angle(start + (k as f64 + 0.5) * step);
        let out = reach / libm::cos(0.5 * step);
        let corners = [corner, corner + out * low, corner + out * high];
        draw(&Piece { corners: &corners, zero: corner, rise, site }, reach, field);
    }
}

/// Draws a piece with a depth test.
fn draw(piece: &Piece, reach: f64, field: &mut Field) {
    let window = field.window;
    let clamp = |at: f64, most: u32| at.clamp(0.0, f64::from(most)) as u32;
    let row = |y: f64| (y - window.corner.y) / window.pixel - 0.5;
    let heights = || piece.corners.iter().map(|corner| corner.y);
    let low = heights().fold(f64::INFINITY, f64::min);
    let high = heights().fold(f64::NEG_INFINITY, f64::max);
    let first = clamp((row(low) - SLACK).ceil(), window.height);
    let last = clamp((row(high) + SLACK).floor() + 1.0, window.height);
    for y in first..last {
        let height = window.centre(0, y).y;
        let Some([left, right]) = span(piece.corners, height, SLACK * window.pixel) else {
            continue;
        };
        let column = |x: f64| (x - window.corner.x) / window.pixel - 0.5;
        let left = clamp((column(left) - SLACK).ceil(), window.width);
        let right = clamp((column(right) + SLACK).floor() + 1.0, window.width);
        let at = y as usize * window.width as usize;
        for x in left..right {
            let depth = piece.rise.dot(window.centre(x, y) - piece.zero).max(0.0);
            let pixel = at + x as usize;
            if depth < field.distance[pixel] && depth <= reach {
                (field.distance[pixel], field.site[pixel]) = (depth, piece.site);
            }
        }
    }
}

/// What a line at a height has in common with a convex piece, m, a little taller than it is.
fn span(corners: &[Vec2], height: f64, slack: f64) -> Option<[f64; 2]> {
    let mut found: Option<[f64; 2]> = None;
    for (p, q) in corners.iter().zip(corners.iter().cycle().skip(1)) {
        let (low, high) = if p.y <= q.y { (p, q) } else { (q, p) };
        if height < low.y - slack || height > high.y + slack {
            continue;
        }
        let at = |y: f64| {
            let share = if high.y > low.y { (y - low.y) / (high.y - low.y) } else { 0.0 };
            low.x + share.clamp(0.0, 1.0) * (high.x - low.x)
        };
        // Flat sides within the slack count with both ends.
        for x in [at(height - slack), at(height + slack)] {
            let [left, right] = found.unwrap_or([x, x]);
            found = Some([left.min(x), right.max(x)]);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::Window;
    use super::super::tiled::Tiled;
    use super::*;

    /// Rounding of lengths below ten.
    const ROUNDING: f64 = 1e-9;

    fn shapes() -> Outlines {
        let mut outlines = Outlines::default();
        let ring = (0..40).map(|k| {
            let radius = 1.0 + 0.4 * f64::from(k * k % 7) / 7.0;
            radius * Vec2::from_angle(f64::from(k) * TAU / 40.0)
        });
        let hole = [(0.3, 0.1), (-0.3, 0.2), (0.0, -0.4)].map(|(x, y)| Vec2::new(x, y));
        outlines.push(&[ring.collect(), hole.to_vec()]).unwrap();
        outlines
    }

    #[track_caller]
    fn check(reach: f64, too_low: f64) {
        let outlines = shapes();
        let window = Window::over([Vec2::splat(-1.9), Vec2::splat(1.9)], 0.013, 0);
        let [mut exact, mut drawn] = [Field::blank(window), Field::blank(window)];
        Tiled::default().draw(&outlines, 0, f64::INFINITY, None, &mut exact);
        let settings = MeshSettings { reach, too_low };
        Meshes::default().draw(&outlines, 0, &settings, &mut drawn);
        let mut worst: f64 = 0.0;
        for (at, (&exact, &drawn)) in exact.distance.iter().zip(&drawn.distance).enumerate() {
            if exact.abs() > reach {
                // A fan reaches out beyond the circle, by less than its depths are too low.
                assert!(!drawn.is_finite() || exact.abs() <= reach + too_low + ROUNDING);
                continue;
            }
            assert!(exact * drawn >= 0.0, "{at}: {exact} {drawn}");
            let off = exact.abs() - drawn.abs();
            assert!(off <= too_low + ROUNDING && off >= -ROUNDING, "{at}: {exact} {drawn}");
            worst = worst.max(off);
        }
        assert!(worst > 0.2 * too_low, "{worst}");
    }

    #[test]
    fn depths_are_too_low_by_no_more_than_the_bound() {
        check(f64::INFINITY, 0.02);
        check(0.4, 0.001);
        check(0.1, 0.005);
    }
}
