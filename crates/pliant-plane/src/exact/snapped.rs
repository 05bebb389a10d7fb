//! The area that two outlines share, with their corners moved to a grid of integers.
//!
//! For many segments that graze each other, where rounding contradicts itself and
//! [`contour`](super::contour) has no result. The intersection is taken by `i_overlay`, which
//! sweeps over the segments; rounding moves boundaries by at most [`GRID_ERROR`] steps, each
//! 2⁻⁴⁰ of the extent or less.

use i_overlay::core::fill_rule::FillRule;
use i_overlay::core::overlay::Overlay;
use i_overlay::core::overlay_rule::OverlayRule;
use i_overlay::i_float::int::point::IntPoint;
use pliant::math::Vec2;

use super::super::outline::Outlines;
use super::super::rect::Rect;

/// Binary digits of the grid's coordinates; the engine has 64 and multiplies two.
const GRID_BITS: i32 = 40;

/// How far rounding moves a boundary, in steps: half a diagonal for the corners, as much for
/// crossings, and the same again for segments that a moved crossing bends.
const GRID_ERROR: f64 = 4.0;

/// Area that both outlines cover, m², within `error` (m) times their perimeters.
///
/// `None` where the grid is too coarse for the error; `rect` holds both outlines.
pub(super) fn snapped_area(
    outlines: &Outlines,
    sides: [usize; 2],
    rect: &Rect,
    error: f64,
) -> Option<f64> {
    let middle = rect.min.midpoint(rect.max);
    let extent = rect.size().max_element();
    let step = libm::exp2(libm::log2(0.5 * extent).ceil() - f64::from(GRID_BITS));
    if !(step > 0.0 && GRID_ERROR * step <= error) {
        return None;
    }
    let on_grid = |point: &Vec2| {
        let at = ((*point - middle) / step).round();
        IntPoint::new(at.x as i64, at.y as i64)
    };
    let [a, b] = sides.map(|outline| -> Vec<Vec<IntPoint<i64>>> {
        let points = outlines.points();
        outlines.rings(outline).map(|ring| points[ring].iter().map(on_grid).collect()).collect()
    });
    let shapes =
        Overlay::from_subj_and_clip(&a, &b).overlay(OverlayRule::Intersect, FillRule::EvenOdd);
    let twice = shapes.iter().flatten().map(|ring| twice_area(ring)).sum::<f64>();
    Some(0.5 * twice.abs() * step * step)
}

/// Twice the area of a ring, in steps squared; holes take away.
fn twice_area(ring: &[IntPoint<i64>]) -> f64 {
    let Some(first) = ring.first() else { return 0.0 };
    let way =
        |point: &IntPoint<i64>| Vec2::new((point.x - first.x) as f64, (point.y - first.y) as f64);
    ring.windows(2).map(|ends| way(&ends[0]).perp_dot(way(&ends[1]))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brute;
    use crate::exact::shapes;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn the_area_is_that_of_strips_within_the_error(seed in 0_u64..1 << 48) {
            let outlines = shapes::pair(seed);
            let rect = Rect::around(outlines.points().iter().copied());
            let error = 1e-11 * rect.size().max_element();
            let perimeters: f64 = (0..outlines.points().len())
                .map(|at| outlines.segment(at))
                .map(|[a, b]| a.distance(b))
                .sum();
            let found = snapped_area(&outlines, [0, 1], &rect, error).unwrap();
            let off = (found - brute::overlap_area(&outlines, 0, 1)).abs();
            // Strips are cut in world space, and lose digits far from the origin.
            let farthest = rect.min.abs().max(rect.max.abs()).max_element();
            let allowed = (error + f64::EPSILON * farthest) * perimeters;
            prop_assert!(off <= allowed, "{} {}", found, off);
        }
    }

    #[test]
    fn far_from_the_origin_the_area_is_exact() {
        // Two equal pentagons 1e6 m away; the area by the cross products of corners, exactly.
        let outlines = shapes::pair(245_375_874_678_082);
        let rect = Rect::around(outlines.points().iter().copied());
        let error = 1e-11 * rect.size().max_element();
        let found = snapped_area(&outlines, [0, 1], &rect, error).unwrap();
        assert!((found - 1.101_868_633_240_958_4).abs() < 1e-15, "{found}");
    }

    #[test]
    fn an_error_below_the_grid_has_no_result() {
        let outlines = shapes::pair(3);
        let rect = Rect::around(outlines.points().iter().copied());
        assert_eq!(snapped_area(&outlines, [0, 1], &rect, 1e-14 * rect.size().max_element()), None);
    }
}
