//! Rays against triangles and boxes, without gaps between neighbouring triangles.
//!
//! The ray is sheared onto a coordinate axis, where two triangles with a common edge see the
//! same two points of the plane: an exact sign decides on which side of them the ray passes, and
//! so it cannot slip through. Boxes are enlarged by what shearing may have rounded.
//!
//! - Implements: [Woop13 abstract].
//! - Deviates: [Woop13 abstract] repeats uncertain edge tests in double precision; here the signs
//!   are exact for the sheared corners.
//!
//! | here             | meaning                                          |
//! |------------------|--------------------------------------------------|
//! | `u`, `v`, `w`    | twice the area of origin and one edge, m²        |
//! | `z`              | distance of a corner along the ray, m            |

use crate::math::{Aabb, Vec2, Vec3, orient2d};

/// How much a box grows, over its largest coordinate seen from the origin of the ray.
///
/// Shearing is two roundings of a coordinate, distances are three more.
const BOX_ROUNDING: f64 = 16.0 * f64::EPSILON;

/// A ray, prepared to be tested against many triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PreparedRay {
    /// Where it starts, m.
    origin: Vec3,
    /// Unit vector.
    direction: Vec3,
    /// Coordinates across, across and along; so ordered that orientation is kept.
    axes: [usize; 3],
    /// How far the ray moves across per metre along the last of `axes`.
    shear: Vec2,
    /// Metres of the ray per metre along each coordinate; infinite where it does not move.
    inverse: Vec3,
}

/// Where a ray meets a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TriangleHit {
    /// From the origin of the ray, m; at least 0.
    pub distance: f64,
    /// Weights of the corners at the meeting point: none negative, sum 1.
    pub weights: [f64; 3],
    /// Whether the ray goes the way that the triangle's normal points.
    pub leaves: bool,
}

impl PreparedRay {
    /// A ray from a point; `direction` may have any length.
    ///
    /// `None` when the direction is zero, or anything is not finite.
    pub fn new(origin: Vec3, direction: Vec3) -> Option<PreparedRay> {
        let largest = direction.abs().max_element();
        if !origin.is_finite() || !direction.is_finite() || largest == 0.0 {
            return None;
        }
        // Scaled first: the square of a length may be too large or too small for a number.
        let direction = (direction / largest).try_normalize()?;
        let size = direction.abs();
        let along = if size.x >= size.y && size.x >= size.z {
            0
        } else if size.y >= size.z {
            1
        } else {
            2
        };
        let (first, second) = ((along + 1) % 3, (along + 2) % 3);
        let axes =
            if direction[along] > 0.0 { [first, second, along] } else { [second, first, along] };
        let shear = Vec2::new(direction[axes[0]], direction[axes[1]]) / direction[along];
        Some(PreparedRay { origin, direction, axes, shear, inverse: 1.0 / direction })
    }

    /// Where it starts, m.
    pub fn origin(&self) -> Vec3 {
        self.origin
    }

    /// Unit vector.
    pub fn direction(&self) -> Vec3 {
        self.direction
    }

    /// Where the ray meets a triangle.
    ///
    /// The border belongs to the triangle, so that an edge may be met twice. `None` for
    /// triangles seen edge-on, or without area.
    pub fn meet(&self, corners: [Vec3; 3]) -> Option<TriangleHit> {
        self.hit(corners, |_, _| 0.0)
    }

    /// The same, but of the triangles of a closed surface that share an edge or corner just those
    /// that the ray would meet if it were moved sideways by a symbolic (ε, ε²).
    ///
    /// So each crossing of the surface counts once.
    pub fn cross(&self, corners: [Vec3; 3]) -> Option<TriangleHit> {
        self.hit(corners, |from, to| if from.y != to.y { from.y - to.y } else { to.x - from.x })
    }

    /// Where the ray meets a triangle; `tie` is the turn about an edge that it meets.
    #[inline]
    fn hit(&self, corners: [Vec3; 3], tie: impl Fn(Vec2, Vec2) -> f64) -> Option<TriangleHit> {
        let [first, second, along] = self.axes;
        let seen = corners.map(|corner| corner - self.origin);
        let flat = |p: Vec3| Vec2::new(p[first], p[second]) - self.shear * p[along];
        let [a, b, c] = seen.map(flat);
        let [u, v, w] = [[b, c], [c, a], [a, b]].map(|[from, to]| turn(from, to));
        if u == 0.0 && v == 0.0 && w == 0.0 {
            return None;
        }
        let turns = [(u, b, c), (v, c, a), (w, a, b)]
            .map(|(turn, from, to)| if turn == 0.0 { tie(from, to) } else { turn });
        let (left, right) = (turns.iter().any(|&t| t > 0.0), turns.iter().any(|&t| t < 0.0));
        if left == right {
            return None;
        }
        let sum = u + v + w;
        let weights = [u / sum, v / sum, w / sum];
        let z = seen.map(|p| p[along] / self.direction[along]);
        let distance = weights[0] * z[0] + weights[1] * z[1] + weights[2] * z[2];
        (distance >= 0.0).then_some(TriangleHit { distance, weights, leaves: left })
    }

    /// Distance at which the ray enters a box, m; 0 from within, `None` when it misses.
    ///
    /// Too small rather than too large by rounding, and never `None` for a box around a
    /// triangle that [`PreparedRay::meet`] finds met.
    pub fn enters(&self, around: Aabb) -> Option<f64> {
        let (low, high) = (around.min - self.origin, around.max - self.origin);
        if !low.cmple(high).all() {
            return None;
        }
        let slack = BOX_ROUNDING * low.abs().max(high.abs()).max_element();
        let (low, high) = (low - slack, high + slack);
        let (mut enter, mut leave) = (0.0_f64, f64::INFINITY);
        for axis in 0..3 {
            let inverse = self.inverse[axis];
            if inverse.is_infinite() {
                if low[axis] > 0.0 || high[axis] < 0.0 {
                    return None;
                }
                continue;
            }
            let (a, b) = (low[axis] * inverse, high[axis] * inverse);
            enter = enter.max(a.min(b));
            leave = leave.min(a.max(b));
        }
        (enter <= leave).then_some(enter)
    }
}

/// Twice the signed area of the origin and an edge; its sign is exact.
#[inline]
fn turn(from: Vec2, to: Vec2) -> f64 {
    orient2d(from, to, Vec2::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Quat;
    use crate::math::random::Random;
    use crate::mesh::generate::ball::ball;
    use crate::mesh::tet::TetMesh;

    /// Sizes are about 1 m; a few roundings.
    const TOLERANCE: f64 = 1e-14;

    const CORNERS: [Vec3; 3] = [Vec3::ZERO, Vec3::X, Vec3::Y];

    /// Holds as written, and turned and moved.
    #[track_caller]
    fn check(origin: [f64; 3], direction: [f64; 3], expected: Option<(f64, [f64; 3], bool)>) {
        let mut random = Random::new(11);
        for round in 0..50 {
            let turn = if round == 0 { Quat::IDENTITY } else { random.rotation() };
            let by = if round == 0 { Vec3::ZERO } else { random.vec3() };
            let place = |p: Vec3| turn * p + by;
            let ray = PreparedRay::new(place(origin.into()), turn * Vec3::from(direction)).unwrap();
            let found = ray.meet(CORNERS.map(place));
            assert_eq!(found.is_some(), expected.is_some(), "{found:?} {turn}");
            let (Some(found), Some((distance, weights, leaves))) = (found, expected) else {
                continue;
            };
            assert!((found.distance - distance).abs() < TOLERANCE, "{found:?}");
            assert_eq!(found.leaves, leaves);
            for (found, expected) in found.weights.iter().zip(weights) {
                assert!((found - expected).abs() < TOLERANCE, "{found} {expected}");
            }
            assert!(ray.enters(Aabb::around(CORNERS.map(place))).unwrap() <= distance);
        }
    }

    #[test]
    fn a_triangle_is_met_from_both_sides() {
        check([0.25, 0.5, -2.0], [0.0, 0.0, 3.0], Some((2.0, [0.25, 0.25, 0.5], true)));
        check([0.25, 0.5, 2.0], [0.0, 0.0, -0.1], Some((2.0, [0.25, 0.25, 0.5], false)));
        // A way of (0.3, 0, 0.4), half a metre long.
        check([0.1, 0.1, -0.4], [3.0, 0.0, 4.0], Some((0.5, [0.5, 0.4, 0.1], true)));
    }

    #[test]
    fn what_lies_beside_or_behind_is_missed() {
        check([0.75, 0.5, -2.0], [0.0, 0.0, 1.0], None);
        check([-0.1, 0.5, -2.0], [0.0, 0.0, 1.0], None);
        check([0.25, 0.25, 2.0], [0.0, 0.0, 1.0], None);
    }

    #[test]
    fn edge_on_and_without_area_is_missed() {
        let ray = PreparedRay::new(Vec3::new(-1.0, 0.2, 0.0), Vec3::X).unwrap();
        assert_eq!(ray.meet(CORNERS), None);
        let ray = PreparedRay::new(Vec3::new(0.5, 0.0, -1.0), Vec3::Z).unwrap();
        assert_eq!(ray.meet([Vec3::ZERO, Vec3::X, Vec3::X]), None);
    }

    #[test]
    fn any_length_of_direction_will_do_but_none() {
        for length in [1e-300, 1e-150, 1.0, 1e300] {
            let ray = PreparedRay::new(Vec3::ZERO, Vec3::splat(length)).unwrap();
            assert!((ray.direction().length() - 1.0).abs() < TOLERANCE);
        }
        assert_eq!(PreparedRay::new(Vec3::ZERO, Vec3::ZERO), None);
        for bad in [f64::NAN, f64::INFINITY] {
            assert_eq!(PreparedRay::new(Vec3::ZERO, Vec3::new(1.0, bad, 0.0)), None);
            assert_eq!(PreparedRay::new(Vec3::new(1.0, bad, 0.0), Vec3::X), None);
        }
    }

    #[test]
    fn no_ray_slips_out_of_a_ball_between_its_triangles() {
        let (mesh, _) = TetMesh::from_raw(ball(1.0, 3).unwrap()).unwrap();
        let mut random = Random::new(5);
        for round in 0..200 {
            let turn = random.rotation();
            let positions: Vec<Vec3> = mesh.positions().iter().map(|&p| turn * p).collect();
            let origin = 0.2 * random.vec3();
            // At a vertex, at the middle of an edge, or anywhere.
            let [a, b, _] = mesh.surface()[random.below(mesh.surface().len())];
            let target = match round % 3 {
                0 => positions[a.index()],
                1 => 0.5 * (positions[a.index()] + positions[b.index()]),
                _ => random.vec3(),
            };
            let ray = PreparedRay::new(origin, target - origin).unwrap();
            let corners = mesh.surface().iter().map(|t| t.map(|v| positions[v.index()]));
            let hits: Vec<_> =
                corners.filter_map(|corners| Some((ray.meet(corners)?, corners))).collect();
            assert!(!hits.is_empty(), "{round}");
            let corners = mesh.surface().iter().map(|t| t.map(|v| positions[v.index()]));
            assert_eq!(corners.filter_map(|corners| ray.cross(corners)).count(), 1, "{round}");
            for (hit, corners) in hits {
                assert!(hit.leaves);
                let point: Vec3 = (0..3).map(|k| hit.weights[k] * corners[k]).sum();
                let on_ray = origin + hit.distance * ray.direction();
                assert!(point.distance(on_ray) < TOLERANCE, "{point} {on_ray}");
                assert!(ray.enters(Aabb::around(corners)).unwrap() <= hit.distance + TOLERANCE);
            }
        }
    }

    #[test]
    fn an_edge_on_the_ray_is_met_twice_and_crossed_once() {
        let other = [Vec3::X, Vec3::ONE, Vec3::Y];
        for target in [Vec3::new(0.5, 0.5, 0.0), Vec3::X, Vec3::Y, Vec3::new(0.25, 0.75, 0.0)] {
            for (side, leaves) in [(-Vec3::Z, true), (Vec3::Z, false)] {
                let ray = PreparedRay::new(target + side, -side).unwrap();
                let other = other.map(|p| p * Vec3::new(1.0, 1.0, 0.0));
                let met = [ray.meet(CORNERS), ray.meet(other)];
                assert!(met.iter().all(|hit| hit.is_some_and(|hit| hit.leaves == leaves)));
                let crossed = [ray.cross(CORNERS), ray.cross(other)];
                let count = crossed.iter().flatten().count();
                // At a corner the others around it may be the ones.
                let at_corner = target == Vec3::X || target == Vec3::Y;
                assert!(count == 1 || at_corner && count == 0, "{target} {crossed:?}");
            }
        }
    }

    #[test]
    fn boxes_are_entered_at_their_near_side() {
        let around = Aabb { min: Vec3::ONE, max: 2.0 * Vec3::ONE };
        let entered = |origin: [f64; 3], direction: Vec3| {
            PreparedRay::new(origin.into(), direction).unwrap().enters(around)
        };
        let near = |found: Option<f64>, expected: f64| (found.unwrap() - expected).abs() < 1e-13;
        assert!(near(entered([0.0, 1.5, 1.5], Vec3::X), 1.0));
        assert!(near(entered([0.0, 1.0, 2.0], Vec3::X), 1.0)); // along an edge
        assert!(near(entered([1.5; 3], Vec3::X), 0.0));
        assert!(near(entered([0.0; 3], Vec3::ONE), 3_f64.sqrt()));
        assert_eq!(entered([0.0, 1.5, 1.5], -Vec3::X), None);
        assert_eq!(entered([0.0, 2.5, 1.5], Vec3::X), None);
        assert_eq!(entered([0.0; 3], Vec3::new(1.0, 0.4, 1.0)), None);
        let ray = PreparedRay::new(Vec3::ZERO, Vec3::X).unwrap();
        assert_eq!(ray.enters(Aabb::EMPTY), None);
        let flat = Aabb { min: Vec3::ZERO, max: Vec3::Z };
        assert_eq!(ray.enters(flat), Some(0.0));
    }
}
