//! Whether segments and triangles meet, decided exactly.
//!
//! Only signs of determinants decide, and those are exact [Shewchuk97 §4]: the
//! results hold for any finite input whose products neither overflow nor underflow.
//! Everything is closed: touching is meeting.

use crate::math::{Vec2, Vec3, orient2d, orient3d};

/// Whether a triangle has no area, exactly.
pub(crate) fn is_degenerate(triangle: [Vec3; 3]) -> bool {
    flatten(triangle).is_none()
}

/// Whether a segment and a triangle share a point.
///
/// A triangle without area meets nothing.
pub fn segment_meets_triangle([p, q]: [Vec3; 2], [a, b, c]: [Vec3; 3]) -> bool {
    // In one plane, where the exact signs in space are slow, those in the plane mostly decide.
    if apart_seen_flat([p, q], [a, b, c]) {
        return false;
    }
    let (side_p, side_q) = (orient3d(a, b, c, p), orient3d(a, b, c, q));
    if (side_p > 0.0 && side_q > 0.0) || (side_p < 0.0 && side_q < 0.0) {
        return false;
    }
    if side_p == 0.0 && side_q == 0.0 {
        return meets_in_plane([p, q], [a, b, c]);
    }
    // The line crosses the plane in one point, inside if it turns alike about all edges.
    let turns = [orient3d(p, q, a, b), orient3d(p, q, b, c), orient3d(p, q, c, a)];
    turns.iter().all(|&turn| turn >= 0.0) || turns.iter().all(|&turn| turn <= 0.0)
}

/// Whether two triangles share a point, given that they share no corner.
#[cfg(test)]
pub(crate) fn triangles_meet(a: [Vec3; 3], b: [Vec3; 3]) -> bool {
    let edges = |t: [Vec3; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
    edges(a).into_iter().any(|edge| segment_meets_triangle(edge, b))
        || edges(b).into_iter().any(|edge| segment_meets_triangle(edge, a))
}

/// Whether two triangles that share the corner `shared` meet anywhere else.
///
/// What two triangles share is convex. If it holds more than the corner, it reaches
/// the far edge of one of them, so the two far edges decide.
#[cfg(test)]
pub(crate) fn meet_beyond_corner(shared: Vec3, a: [Vec3; 2], b: [Vec3; 2]) -> bool {
    segment_meets_triangle(a, [shared, b[0], b[1]])
        || segment_meets_triangle(b, [shared, a[0], a[1]])
}

/// Whether two triangles on the common edge `shared`, with tips a and b, overlap.
///
/// They do only when folded flat onto each other.
pub(crate) fn meet_beyond_edge(shared: [Vec3; 2], a: Vec3, b: Vec3) -> bool {
    let [u, v] = shared;
    if orient3d(u, v, a, b) != 0.0 {
        return false;
    }
    let Some(flat) = flatten([u, v, a]) else { return false };
    let side = |tip: Vec3| orient2d(flat(u), flat(v), flat(tip));
    (side(a) > 0.0 && side(b) > 0.0) || (side(a) < 0.0 && side(b) < 0.0)
}

/// Drops the coordinate that leaves the triangle an area; `None` when it has none.
pub(crate) fn flatten([a, b, c]: [Vec3; 3]) -> Option<fn(Vec3) -> Vec2> {
    let planes: [fn(Vec3) -> Vec2; 3] =
        [|v| Vec2::new(v.x, v.y), |v| Vec2::new(v.y, v.z), |v| Vec2::new(v.z, v.x)];
    planes.into_iter().find(|flat| orient2d(flat(a), flat(b), flat(c)) != 0.0)
}

/// Whether the view along one axis shows both ends beyond the same edge of the triangle.
#[inline]
fn apart_seen_flat([p, q]: [Vec3; 2], [a, b, c]: [Vec3; 3]) -> bool {
    let normal = (b - a).cross(c - a).abs();
    let flat: fn(Vec3) -> Vec2 = if normal.z >= normal.x && normal.z >= normal.y {
        |v| Vec2::new(v.x, v.y)
    } else if normal.x >= normal.y {
        |v| Vec2::new(v.y, v.z)
    } else {
        |v| Vec2::new(v.z, v.x)
    };
    let (p, q, [a, b, c]) = (flat(p), flat(q), [a, b, c].map(flat));
    let turn = orient2d(a, b, c);
    [[a, b], [b, c], [c, a]].into_iter().any(|[from, to]| {
        let beyond = |end: Vec2| orient2d(from, to, end);
        (turn > 0.0 && beyond(p) < 0.0 && beyond(q) < 0.0)
            || (turn < 0.0 && beyond(p) > 0.0 && beyond(q) > 0.0)
    })
}

/// Segment against triangle when both lie in one plane.
fn meets_in_plane([p, q]: [Vec3; 2], triangle: [Vec3; 3]) -> bool {
    let Some(flat) = flatten(triangle) else { return false };
    let (p, q, [a, b, c]) = (flat(p), flat(q), triangle.map(flat));
    let inside = |point: Vec2| {
        let turns = [orient2d(a, b, point), orient2d(b, c, point), orient2d(c, a, point)];
        turns.iter().all(|&turn| turn >= 0.0) || turns.iter().all(|&turn| turn <= 0.0)
    };
    inside(p)
        || inside(q)
        || [[a, b], [b, c], [c, a]].into_iter().any(|edge| segments_meet([p, q], edge))
}

/// Whether two segments of the plane share a point.
fn segments_meet([p, q]: [Vec2; 2], [a, b]: [Vec2; 2]) -> bool {
    let (turn_a, turn_b) = (orient2d(p, q, a), orient2d(p, q, b));
    let (turn_p, turn_q) = (orient2d(a, b, p), orient2d(a, b, q));
    let apart = |s: f64, t: f64| (s > 0.0 && t > 0.0) || (s < 0.0 && t < 0.0);
    if apart(turn_a, turn_b) || apart(turn_p, turn_q) {
        return false;
    }
    // On one line the boxes decide; otherwise they overlap anyway.
    let (low, high) = (p.min(q), p.max(q));
    a.min(b).cmple(high).all() && low.cmple(a.max(b)).all()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLOOR: [Vec3; 3] = [Vec3::ZERO, Vec3::X, Vec3::Y];

    fn v(x: f64, y: f64, z: f64) -> Vec3 {
        Vec3::new(x, y, z)
    }

    /// Every case must hold for all orders of corners and ends.
    #[track_caller]
    fn check(p: Vec3, q: Vec3, expected: &str) {
        let [a, b, c] = FLOOR;
        for triangle in [[a, b, c], [b, c, a], [c, b, a], [a, c, b]] {
            for segment in [[p, q], [q, p]] {
                let meets = segment_meets_triangle(segment, triangle);
                assert_eq!(if meets { "meets" } else { "misses" }, expected);
            }
        }
    }

    #[test]
    fn a_segment_meets_the_inside_an_edge_a_corner() {
        check(v(0.25, 0.25, 1.0), v(0.25, 0.25, -1.0), "meets");
        check(v(0.5, 0.5, 1.0), v(0.5, 0.5, -1.0), "meets");
        check(v(0.0, 0.0, 1.0), v(0.0, 0.0, -1.0), "meets");
        check(v(0.25, 0.25, 0.0), v(0.25, 0.25, 1.0), "meets");
    }

    #[test]
    fn a_segment_misses_beside_above_and_by_one_step_of_f64() {
        check(v(0.25, 0.25, 1.0), v(0.25, 0.25, f64::MIN_POSITIVE), "misses");
        check(v(0.5, 0.5 + f64::EPSILON, 1.0), v(0.5, 0.5 + f64::EPSILON, -1.0), "misses");
        check(v(1.0, 1.0, 1.0), v(1.0, 1.0, -1.0), "misses");
    }

    #[test]
    fn in_the_plane_overlap_decides() {
        check(v(-1.0, 0.25, 0.0), v(2.0, 0.25, 0.0), "meets");
        check(v(0.1, 0.1, 0.0), v(0.2, 0.2, 0.0), "meets");
        check(v(1.0, 0.0, 0.0), v(2.0, 0.0, 0.0), "meets");
        check(v(1.1, 0.0, 0.0), v(2.0, 0.0, 0.0), "misses");
        check(v(1.0, 1.0, 0.0), v(2.0, 0.5, 0.0), "misses");
    }

    #[test]
    fn triangles_meet_through_and_in_the_plane() {
        let moved = |by: Vec3| FLOOR.map(|corner| corner + by);
        assert!(triangles_meet(FLOOR, moved(v(0.1, 0.1, 0.0))));
        assert!(!triangles_meet(FLOOR, moved(v(0.1, 0.1, 1e-300))));
        assert!(triangles_meet(FLOOR, [v(0.2, 0.2, -1.0), v(0.2, 0.2, 1.0), v(5.0, 5.0, 0.0)]));
        let small = FLOOR.map(|corner| corner * 0.1 + v(0.2, 0.2, 0.0));
        assert!(triangles_meet(FLOOR, small) && triangles_meet(small, FLOOR));
    }

    #[test]
    fn a_shared_corner_alone_is_no_meeting() {
        let [a, b, c] = FLOOR;
        assert!(!meet_beyond_corner(a, [b, c], [v(-1.0, 0.0, 0.0), v(0.0, -1.0, 0.0)]));
        assert!(!meet_beyond_corner(a, [b, c], [v(0.2, 0.2, 1.0), v(0.3, 0.2, 1.0)]));
        assert!(meet_beyond_corner(a, [b, c], [v(0.2, 0.2, 1.0), v(0.2, 0.2, -1.0)]));
        // A far edge that pierces beyond the reach of the other triangle's own edge.
        assert!(meet_beyond_corner(a, [b, c], [v(9.0, 9.0, 1.0), v(9.0, 9.0, -1.0)]));
    }

    #[test]
    fn a_shared_edge_overlaps_only_when_folded_flat() {
        let [a, b, c] = FLOOR;
        assert!(meet_beyond_edge([a, b], c, v(0.3, 0.2, 0.0)));
        assert!(!meet_beyond_edge([a, b], c, v(0.3, -0.2, 0.0)));
        assert!(!meet_beyond_edge([a, b], c, v(0.3, 0.2, 1e-300)));
    }

    #[test]
    fn area_is_decided_exactly() {
        assert!(is_degenerate([Vec3::ZERO, Vec3::ONE, Vec3::ONE * 3.0]));
        assert!(!is_degenerate([Vec3::ZERO, Vec3::ONE, v(3.0, 3.0, 3.0 + 4.0 * f64::EPSILON)]));
    }
}
