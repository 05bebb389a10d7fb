//! Where the segment from an inner vertex to a free one crosses a triangle.
//!
//! Stage 2 of [Heidelberger04 §3.3]. Whether they meet is decided by exact signs, so
//! that an edge from inside to outside never slips through between two triangles;
//! where they meet is then computed in f64.
//!
//! | here     | paper | meaning                               |
//! |----------|-------|---------------------------------------|
//! | `inner`  | p     | border point, inside the body         |
//! | `free`   |       | non-colliding end of the edge         |
//! | `t`      |       | share of the way from `free` to p     |

use crate::detect::Exit;
use crate::math::{Vec2, Vec3, orient2d, orient3d};
use crate::mesh::intersect::flatten;

/// Exits nearer to each other than this share of the edge are at one place.
const SAME_PLACE: f64 = 1e-12;

/// Where the segment from `free` to `inner` meets a triangle, both closed.
///
/// `None` when they do not meet, when the triangle has no area, and when the segment
/// lies in the triangle's plane: then its neighbours are met at the common edge, unless
/// the free end lies on the triangle, which is a meeting at t = 0.
pub fn exit(free: Vec3, inner: Vec3, corners: [Vec3; 3], triangle: u32) -> Option<Exit> {
    let [a, b, c] = corners;
    let (side_free, side_inner) = (orient3d(a, b, c, free), orient3d(a, b, c, inner));
    if (side_free > 0.0 && side_inner > 0.0) || (side_free < 0.0 && side_inner < 0.0) {
        return None;
    }
    if side_free == 0.0 && side_inner == 0.0 {
        let weights = weights_in_plane(free, corners)?;
        return Some(Exit { t: 0.0, position: free, triangle, weights });
    }
    // Volumes of the tets over the triangle's edges: of one sign when the line passes inside.
    let turns =
        [orient3d(free, inner, b, c), orient3d(free, inner, c, a), orient3d(free, inner, a, b)];
    let inside = turns.iter().all(|&turn| turn >= 0.0) || turns.iter().all(|&turn| turn <= 0.0);
    if !inside {
        return None;
    }
    let t = side_free / (side_free - side_inner);
    let position = free + t * (inner - free);
    Some(Exit { t, position, triangle, weights: shares(turns) })
}

/// The nearest of several exits to the free end; of equals the first triangle's.
///
/// Equal but for rounding, as where the edge meets two triangles at their common edge, or
/// two bodies touch: then the choice must not depend on the last bit.
pub fn nearest(exits: impl Iterator<Item = Exit>) -> Option<Exit> {
    exits.reduce(|best, exit| if is_nearer(&exit, &best) { exit } else { best })
}

/// Whether an exit goes before another, as [`nearest`] has it.
#[inline]
pub(crate) fn is_nearer(exit: &Exit, other: &Exit) -> bool {
    let equal = (exit.t - other.t).abs() <= SAME_PLACE;
    if equal { exit.triangle < other.triangle } else { exit.t < other.t }
}

/// Weights of the corners for a point of the triangle's plane; `None` when it is outside.
fn weights_in_plane(point: Vec3, corners: [Vec3; 3]) -> Option<[f64; 3]> {
    let flat = flatten(corners)?;
    let [a, b, c]: [Vec2; 3] = corners.map(flat);
    let p = flat(point);
    let turns = [orient2d(b, c, p), orient2d(c, a, p), orient2d(a, b, p)];
    let inside = turns.iter().all(|&turn| turn >= 0.0) || turns.iter().all(|&turn| turn <= 0.0);
    inside.then(|| shares(turns))
}

/// Numbers of one sign over their sum.
fn shares(parts: [f64; 3]) -> [f64; 3] {
    let sum = parts[0] + parts[1] + parts[2];
    // Three zeros: the triangle is too thin for f64; its middle is as good as any.
    if sum == 0.0 { [1.0 / 3.0; 3] } else { parts.map(|part| part / sum) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLOOR: [Vec3; 3] = [Vec3::ZERO, Vec3::X, Vec3::Y];
    const TOLERANCE: f64 = 1e-15;

    #[track_caller]
    fn check(free: [f64; 3], inner: [f64; 3], expected: Option<(f64, [f64; 3])>) {
        let found = exit(free.into(), inner.into(), FLOOR, 7);
        assert_eq!(found.is_some(), expected.is_some(), "{found:?}");
        if let (Some(found), Some((t, weights))) = (found, expected) {
            assert!((found.t - t).abs() < TOLERANCE, "{found:?}");
            for (weight, expected) in found.weights.iter().zip(weights) {
                assert!((weight - expected).abs() < TOLERANCE, "{found:?}");
            }
            assert_eq!(found.triangle, 7);
        }
    }

    #[test]
    fn a_meeting_has_its_share_and_weights() {
        check([0.25, 0.25, 1.0], [0.25, 0.25, -3.0], Some((0.25, [0.5, 0.25, 0.25])));
        check([0.5, 0.0, 1.0], [0.5, 0.0, -1.0], Some((0.5, [0.5, 0.5, 0.0])));
        check([0.9, 0.9, 1.0], [0.9, 0.9, -1.0], None);
    }

    #[test]
    fn a_free_end_on_the_surface_is_met_at_once() {
        check([0.25, 0.25, 0.0], [0.25, 0.25, -1.0], Some((0.0, [0.5, 0.25, 0.25])));
        check([0.25, 0.25, 0.0], [9.0, 9.0, 0.0], Some((0.0, [0.5, 0.25, 0.25])));
    }

    #[test]
    fn in_the_plane_the_neighbours_are_met_instead() {
        check([-1.0, 0.25, 0.0], [2.0, 0.25, 0.0], None);
    }

    #[test]
    fn the_nearest_to_the_free_end_counts() {
        let at = |t, triangle| Exit { t, position: Vec3::ZERO, triangle, weights: [1.0, 0.0, 0.0] };
        let found = nearest([at(0.5, 1), at(0.25, 3), at(0.25, 2)].into_iter()).unwrap();
        assert_eq!((found.t, found.triangle), (0.25, 2));
        assert_eq!(nearest(std::iter::empty()), None);
    }
}
