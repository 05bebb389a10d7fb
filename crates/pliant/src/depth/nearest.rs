//! The nearest point of the surface: the depth of collision libraries, as baseline.
//!
//! What [Heidelberger04 §4] calls the standard closest-feature approach: each vertex by
//! itself goes to the nearest point of the surfaces it is behind. One tree of boxes per
//! body, refitted when a vertex is inside that body, and searched nearest box first. The
//! triangle that was nearest last time bounds the search from the start.

use crate::body::Bodies;
use crate::depth::Penetration;
use crate::detect::Overlaps;
use crate::id::{BodyId, MismatchError, TriangleId, VertexId};
use crate::math::{Aabb, Vec3};
use crate::mesh::bvh::Bvh;
use crate::mesh::closest::closest_point;
use crate::mesh::normals::face_normal;

/// No triangle.
const NONE: u32 = u32::MAX;

/// A colliding vertex with the shortest way to the surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// The vertex.
    pub vertex: VertexId,
    /// The triangle that the nearest point is on; of several the first.
    pub triangle: TriangleId,
    /// The way to that point.
    pub penetration: Penetration,
}

/// Scratch memory that is kept from step to step, so that a step allocates nothing.
#[derive(Clone, Debug)]
pub struct Nearest {
    /// For each body the boxes of its triangles, counted within the body.
    trees: Vec<Bvh>,
    /// Which trees fit the positions of this step.
    fitted: Vec<bool>,
    /// For each vertex the triangle that was nearest at its last query, or [`NONE`].
    last: Vec<u32>,
    /// Hash of the bodies that it was made for.
    bodies: u64,
}

impl Nearest {
    /// Scratch memory for a scene; `positions` decide how triangles are put into trees.
    pub fn new(positions: &[Vec3], bodies: &Bodies) -> Result<Nearest, MismatchError> {
        bodies.check_count("positions", positions.len())?;
        let mut boxes = Vec::new();
        let tree = |body: BodyId| {
            boxes.clear();
            let triangles = bodies.triangles_of(body);
            boxes.extend(triangles.map(|index| Aabb::around(corners(positions, bodies, index))));
            Bvh::to_refit(&boxes)
        };
        Ok(Nearest {
            trees: bodies.ids().map(tree).collect(),
            fitted: vec![false; bodies.len()],
            last: vec![NONE; bodies.vertex_count()],
            bodies: bodies.hash(),
        })
    }

    /// Fills `found` with the shortest way out for every overlap, in its order.
    ///
    /// Of all surfaces that a vertex is behind the nearest point counts. A vertex is never
    /// on such a surface, but rounding may put the nearest point at the vertex: then the depth
    /// is 0 and the direction the triangle's normal, or x if it has none, as a way of no
    /// length leads anywhere. A body without triangles has no vertex inside.
    ///
    /// - Implements: [Heidelberger04 §4], the approach compared with.
    pub fn penetrations(
        &mut self,
        positions: &[Vec3],
        bodies: &Bodies,
        overlaps: &Overlaps,
        found: &mut Vec<Closest>,
    ) -> Result<(), MismatchError> {
        found.clear();
        bodies.check_hash("scratch memory", self.bodies)?;
        bodies.check_count("positions", positions.len())?;
        overlaps.check(bodies)?;
        self.fitted.fill(false);
        let mut before = NONE;
        for (&vertex, into) in overlaps.vertices.iter().zip(overlaps.into.iter()) {
            for &body in into {
                self.fit(positions, bodies, body);
            }
            let point = positions[vertex.index()];
            let mut best = Best { point, distance_sq: f64::INFINITY, triangle: NONE, at: point };
            // Any triangle of a penetrated body will do; a near one saves the most.
            let last = self.last[vertex.index()];
            let guess = if last == NONE { before } else { last };
            if into.iter().any(|&body| bodies.triangles_of(body).contains(&(guess as usize))) {
                best.offer(guess, corners(positions, bodies, guess as usize));
            }
            for &body in into {
                let start = bodies.triangles_of(body).start as u32;
                self.trees[body.index()].near(point, best.distance_sq, |index| {
                    let triangle = start + index;
                    best.offer(triangle, corners(positions, bodies, triangle as usize))
                });
            }
            if best.triangle == NONE {
                continue;
            }
            before = best.triangle;
            self.last[vertex.index()] = best.triangle;
            let penetration =
                best.penetration(|| corners(positions, bodies, best.triangle as usize));
            found.push(Closest { vertex, triangle: TriangleId(best.triangle), penetration });
        }
        Ok(())
    }

    /// Makes the tree of a body fit, once a step.
    fn fit(&mut self, positions: &[Vec3], bodies: &Bodies, body: BodyId) {
        if self.fitted[body.index()] {
            return;
        }
        self.fitted[body.index()] = true;
        let start = bodies.triangles_of(body).start;
        let box_of = |index| Aabb::around(corners(positions, bodies, start + index as usize));
        self.trees[body.index()].refit(box_of);
    }
}

/// The nearest point so far.
#[derive(Clone, Copy, Debug)]
struct Best {
    /// What it is nearest to, m.
    point: Vec3,
    /// How near, m².
    distance_sq: f64,
    /// On which triangle, or [`NONE`].
    triangle: u32,
    /// Where, m.
    at: Vec3,
}

impl Best {
    /// Tries one more triangle; returns the square of the smallest distance so far, m².
    #[inline]
    fn offer(&mut self, triangle: u32, corners: [Vec3; 3]) -> f64 {
        let at = closest_point(self.point, corners);
        let distance_sq = (at - self.point).length_squared();
        if distance_sq < self.distance_sq
            || (distance_sq == self.distance_sq && triangle < self.triangle)
        {
            *self = Best { distance_sq, triangle, at, ..*self };
        }
        self.distance_sq
    }

    /// The way to it.
    fn penetration(&self, corners: impl Fn() -> [Vec3; 3]) -> Penetration {
        let way = self.at - self.point;
        match way.try_normalize() {
            Some(direction) => Penetration { depth: way.length(), direction },
            None => {
                Penetration { depth: 0.0, direction: face_normal(corners()).unwrap_or(Vec3::X) }
            }
        }
    }
}

#[inline]
fn corners(positions: &[Vec3], bodies: &Bodies, triangle: usize) -> [Vec3; 3] {
    bodies.triangles()[triangle].map(|v| positions[v.index()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::fixtures::{bodies_of, cube, spiky};
    use crate::detect::brute;
    use crate::math::Quat;
    use crate::mesh::generate::ball::ball;
    use crate::mesh::raw::RawMesh;

    /// Sizes are about 1 m and the way is two roundings.
    const TOLERANCE: f64 = 1e-15;

    /// Every overlap against every triangle of the bodies it is inside of.
    fn slow(positions: &[Vec3], bodies: &Bodies, overlaps: &Overlaps) -> Vec<Closest> {
        let of = |(&vertex, into): (&VertexId, &[BodyId])| {
            let point = positions[vertex.index()];
            let mut best = Best { point, distance_sq: f64::INFINITY, triangle: NONE, at: point };
            for triangle in into.iter().flat_map(|&body| bodies.triangles_of(body)) {
                best.offer(triangle as u32, corners(positions, bodies, triangle));
            }
            let penetration =
                best.penetration(|| corners(positions, bodies, best.triangle as usize));
            Closest { vertex, triangle: TriangleId(best.triangle), penetration }
        };
        overlaps.vertices.iter().zip(overlaps.into.iter()).map(of).collect()
    }

    /// Compares at every step of moving bodies, bit for bit; returns how many overlapped.
    #[track_caller]
    fn check(shapes: &[RawMesh], place: impl Fn(usize, usize) -> (Quat, Vec3)) -> usize {
        let bodies = bodies_of(shapes);
        let at = |step: usize| -> Vec<Vec3> {
            let body = |(index, shape): (usize, &RawMesh)| {
                let (turn, by) = place(index, step);
                shape.positions.iter().map(|&p| turn * p + by).collect::<Vec<_>>()
            };
            shapes.iter().enumerate().flat_map(body).collect()
        };
        let mut nearest = Nearest::new(&at(0), &bodies).unwrap();
        let (mut found, mut count) = (Vec::new(), 0);
        for step in 0..6 {
            let positions = at(step);
            let overlaps = brute::overlaps(&positions, &bodies);
            nearest.penetrations(&positions, &bodies, &overlaps, &mut found).unwrap();
            assert_eq!(found, slow(&positions, &bodies, &overlaps), "step {step}");
            count += found.len();
        }
        count
    }

    #[test]
    fn turning_bodies_agree_with_the_slow_twin() {
        let shapes = [ball(0.8, 3).unwrap(), cube(3, 1.2), spiky(2), cube(2, 1.0)];
        let count = check(&shapes, |body, step| {
            let (body, step) = (body as f64, step as f64);
            let turn = Quat::from_axis_angle(Vec3::ONE / 3_f64.sqrt(), body + 0.3 * step);
            (turn, Vec3::new(0.3 * body, 0.2 * (body - 1.5) * step * 0.3, 0.1 * body))
        });
        assert!(count > 500, "{count}");
    }

    #[test]
    fn ties_on_a_lattice_go_to_the_first_triangle() {
        let shapes = [cube(4, 1.0), cube(4, 1.0), cube(4, 1.0)];
        let count = check(&shapes, |body, step| {
            let by = Vec3::new(0.25 * body as f64, 0.125 * (body * step) as f64, 0.25);
            (Quat::IDENTITY, if body == 0 { Vec3::ZERO } else { by })
        });
        assert!(count > 300, "{count}");
    }

    #[test]
    fn a_cube_corner_in_a_cube_goes_to_the_nearest_face() {
        // The lowest corner of the second is (0.4, 0.3, 0.2) away from three faces of the first.
        let shapes = [cube(1, 2.0), cube(1, 2.0)];
        let bodies = bodies_of(&shapes);
        let by = Vec3::new(1.6, 1.7, 1.8);
        let positions: Vec<_> = [Vec3::ZERO, by]
            .iter()
            .flat_map(|&by| shapes[0].positions.iter().map(move |&p| p + by))
            .collect();
        let overlaps = brute::overlaps(&positions, &bodies);
        let mut found = Vec::new();
        let mut nearest = Nearest::new(&positions, &bodies).unwrap();
        nearest.penetrations(&positions, &bodies, &overlaps, &mut found).unwrap();
        assert_eq!(found.len(), 2); // and the highest corner of the first in the second
        let expected = [(VertexId(7), -Vec3::Z), (VertexId(8), Vec3::Z)];
        for (found, (vertex, direction)) in found.iter().zip(expected) {
            assert_eq!(found.vertex, vertex);
            assert!((found.penetration.depth - 0.2).abs() < TOLERANCE, "{found:?}");
            assert!(found.penetration.direction.abs_diff_eq(direction, TOLERANCE), "{found:?}");
        }
    }

    #[test]
    fn a_nearest_point_at_the_vertex_has_depth_0_along_the_normal() {
        let triangle = [Vec3::ZERO, Vec3::X, Vec3::Y];
        let at = Vec3::new(0.25, 0.25, 0.0);
        let best = Best { point: at, distance_sq: 0.0, triangle: 0, at };
        assert_eq!(best.penetration(|| triangle), Penetration { depth: 0.0, direction: Vec3::Z });
        assert_eq!(best.penetration(|| [at; 3]), Penetration { depth: 0.0, direction: Vec3::X });
    }

    #[test]
    fn no_overlaps_have_no_ways_out() {
        let shapes = [cube(1, 1.0), cube(1, 1.0)];
        assert_eq!(check(&shapes, |body, _| (Quat::IDENTITY, Vec3::X * 5.0 * body as f64)), 0);
    }
}
