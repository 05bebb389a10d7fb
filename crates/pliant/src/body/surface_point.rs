//! A point of a body's surface that moves along with it.

use crate::body::Bodies;
use crate::id::{BodyId, TriangleId};
use crate::math::Vec3;
use crate::mesh::closest::closest_weights;

/// A place on a triangle of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfacePoint {
    /// The body.
    pub body: BodyId,
    /// The triangle, in [`Bodies::triangles`].
    pub triangle: TriangleId,
    /// Weights of the triangle's corners: none negative, sum 1.
    pub weights: [f64; 3],
    /// Where, world space, m: the weighted sum of the corners.
    pub point: Vec3,
}

impl SurfacePoint {
    /// The place with these weights on a triangle whose corners are given.
    pub fn new(
        body: BodyId,
        triangle: TriangleId,
        weights: [f64; 3],
        corners: [Vec3; 3],
    ) -> SurfacePoint {
        let point = weights[0] * corners[0] + weights[1] * corners[1] + weights[2] * corners[2];
        SurfacePoint { body, triangle, weights, point }
    }

    /// The place on a body's triangle that is nearest to `point`.
    pub fn nearest(
        point: Vec3,
        positions: &[Vec3],
        bodies: &Bodies,
        (body, triangle): (BodyId, TriangleId),
    ) -> SurfacePoint {
        let corners = bodies.corners(triangle, positions);
        SurfacePoint::new(body, triangle, closest_weights(point, corners), corners)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::VertexId;

    #[test]
    fn the_nearest_place_is_the_weighted_sum_of_its_corners() {
        let bodies = Bodies::from_tets(&[(4, &[[0, 1, 2, 3].map(VertexId)])]).unwrap();
        let positions = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
        let bottom = bodies.triangles().iter().position(|t| !t.contains(&VertexId(3))).unwrap();
        let place = (BodyId(0), TriangleId(bottom as u32));
        let found = SurfacePoint::nearest(Vec3::new(0.25, 0.5, -1.0), &positions, &bodies, place);
        assert!(found.point.distance(Vec3::new(0.25, 0.5, 0.0)) < 1e-15, "{found:?}");
        assert_eq!((found.body, found.triangle), place);
    }
}
