//! One outline and a point: location, nearest place, penetration.
//!
//! Every segment is tried, so a call costs as many steps as the outline has segments. That is
//! for single points, when no boxes and no image are available. The reference implementation
//! [`brute`](super::brute) has its own copy of all this, so that tests see a fault here.

use pliant::math::Vec2;

use super::Place;
use super::outline::Outlines;
use super::segment::{nearest_along, place, right_of, touches};

/// Ways shorter than this, relative to the coordinates, are rounding: no direction.
const DIRECTION: f64 = 1e-14;

/// Where a point is with respect to an outline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointLocation {
    /// Surrounded by an odd number of rings.
    Inside,
    /// On a segment.
    Boundary,
    /// Anywhere else.
    Outside,
}

/// Where a point is; exact.
pub fn spot(outlines: &Outlines, outline: usize, point: Vec2) -> PointLocation {
    let mut crossed = 0;
    for at in outlines.range(outline) {
        let ends = outlines.segment(at);
        if touches(ends, point) {
            return PointLocation::Boundary;
        }
        crossed += usize::from(right_of(ends, point));
    }
    if crossed % 2 == 1 { PointLocation::Inside } else { PointLocation::Outside }
}

/// The place of an outline's boundary nearest to a point, and its distance, m.
///
/// Of several the one with the lowest index; `None` for an outline without segments.
pub fn nearest(outlines: &Outlines, outline: usize, point: Vec2) -> Option<(Place, f64)> {
    let places = outlines.range(outline).map(|at| {
        let ends = outlines.segment(at);
        let along = nearest_along(ends, point);
        (Place { segment: at as u32, along }, place(ends, along).distance(point))
    });
    places.reduce(|best, next| if next.1 < best.1 { next } else { best })
}

/// Outward unit normal at a place; `None` on a segment without length.
///
/// The inside lies to the left of a segment.
pub fn outward(outlines: &Outlines, at: Place) -> Option<Vec2> {
    let [from, to] = outlines.segment(at.segment as usize);
    (-(to - from).perp()).try_normalize()
}

/// Unit vector along a way, m, that begins or ends at `at`, m.
///
/// `None` where the way is so short, compared with the coordinates, that it may be nothing
/// but their rounding.
pub fn direction(way: Vec2, at: Vec2) -> Option<Vec2> {
    let enough = way.length() > DIRECTION * at.abs().max_element();
    if enough { way.try_normalize() } else { None }
}

/// Depth, m, unit vector and way out of a point; `None` when it is not inside.
pub fn penetration(outlines: &Outlines, other: usize, point: Vec2) -> Option<(f64, Vec2, Place)> {
    if spot(outlines, other, point) != PointLocation::Inside {
        return None;
    }
    let (out, depth) = nearest(outlines, other, point)?;
    let exit = place(outlines.segment(out.segment as usize), out.along);
    let way = direction(exit - point, point).or_else(|| outward(outlines, out))?;
    Some((depth, way, out))
}

#[cfg(test)]
mod tests {
    use super::super::brute;
    use super::super::exact::shapes;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn points_are_as_deep_as_the_plain_twin_says(seed in 0_u64..1 << 48) {
            let outlines = shapes::pair(seed);
            for (own, other) in [(0, 1), (1, 0)] {
                for at in outlines.range(own) {
                    let ends = outlines.segment(at);
                    for point in [ends[0], ends[0].midpoint(ends[1])] {
                        prop_assert_eq!(
                            spot(&outlines, other, point),
                            brute::spot(&outlines, other, point)
                        );
                        prop_assert_eq!(
                            nearest(&outlines, other, point),
                            brute::nearest(&outlines, other, point)
                        );
                        prop_assert_eq!(
                            penetration(&outlines, other, point),
                            brute::penetration(&outlines, other, point)
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn a_way_of_rounding_has_no_direction() {
        let at = Vec2::new(-1e6, 3.0);
        assert_eq!(direction(Vec2::new(0.0, 1e-3), at), Some(Vec2::Y));
        assert_eq!(direction(Vec2::new(0.0, 1e-9), at), None);
        assert_eq!(direction(Vec2::ZERO, Vec2::ZERO), None);
    }
}
