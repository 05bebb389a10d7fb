//! Vertices outside a body, near its surface: the closest point on it.

use crate::body::Bodies;
use crate::contact::shape::Facets;
use crate::id::{TriangleId, VertexId};
use crate::math::Vec3;
use crate::mesh::closest;
use crate::mesh::normals::face_normal;

/// Distances below this, relative to the size of the body, have no direction.
const TOUCHING: f64 = 1e-7;

/// Closest point on a surface, seen from a vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosestPoint {
    /// The triangle it lies on.
    pub triangle: TriangleId,
    /// Barycentric weight of each corner; they sum to 1.
    pub shares: [f64; 3],
    /// Unit, from the surface to the vertex.
    pub normal: Vec3,
    /// Distance from the surface to the vertex along the normal, m.
    pub gap: f64,
}

/// The closest point, within `reach` m, on the triangles that face `point`.
///
/// `size` is that of the smaller body, m. Of triangles that are equally near, the first.
pub(crate) fn closest_point(
    point: Vec3,
    facets: &Facets,
    reach: f64,
    size: f64,
) -> Option<ClosestPoint> {
    let mut best: Option<(f64, u32, Vec3)> = None;
    let mut within_sq = reach * reach;
    facets.tree.near(point, within_sq, |k| {
        let [a, b, c] = facets.corners[k as usize];
        let height = (b - a).cross(c - a).dot(point - a);
        if height >= 0.0 {
            let nearest = closest::closest_point(point, [a, b, c]);
            let distance_sq = nearest.distance_squared(point);
            // The smaller index wins a tie, in whatever order the tree visits them.
            let better = match best {
                Some((least, number, _)) => (distance_sq, k) < (least, number),
                None => distance_sq <= within_sq,
            };
            if better {
                best = Some((distance_sq, k, nearest));
                within_sq = distance_sq;
            }
        }
        within_sq
    });
    let (distance_sq, k, nearest) = best?;
    let (corners, distance) = (facets.corners[k as usize], distance_sq.sqrt());
    let away = (point - nearest) / distance;
    let normal = if distance > TOUCHING * size { away } else { face_normal(corners)? };
    let triangle = TriangleId(facets.first as u32 + k);
    Some(ClosestPoint { triangle, shares: shares(nearest, corners), normal, gap: distance })
}

/// Barycentric weights of a point of a triangle; not negative, summing to 1.
///
/// A triangle without area gives all to its nearest corner.
pub fn shares(point: Vec3, [a, b, c]: [Vec3; 3]) -> [f64; 3] {
    let normal = (b - a).cross(c - a);
    let area_sq = normal.length_squared();
    let part = |u: Vec3, v: Vec3| ((u - point).cross(v - point).dot(normal) / area_sq).max(0.0);
    let parts = [part(b, c), part(c, a), part(a, b)];
    let sum: f64 = parts.iter().sum();
    if sum > 0.0 && sum.is_finite() {
        return parts.map(|part| part / sum);
    }
    let mut all = [0.0; 3];
    let distances = [a, b, c].map(|corner| corner.distance_squared(point));
    let nearest = (0..3).min_by(|i, j| distances[*i].total_cmp(&distances[*j])).unwrap_or(0);
    all[nearest] = 1.0;
    all
}

/// Vertices and weights of a contact between a vertex and a triangle.
pub(super) fn terms(
    vertex: VertexId,
    closest_point: &ClosestPoint,
    bodies: &Bodies,
) -> ([VertexId; 4], [f64; 4]) {
    let [a, b, c] = bodies.triangles()[closest_point.triangle.index()];
    let [wa, wb, wc] = closest_point.shares;
    ([vertex, a, b, c], [1.0, -wa, -wb, -wc])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::BodyId;

    const TET: [VertexId; 4] = [VertexId(0), VertexId(1), VertexId(2), VertexId(3)];

    fn found(point: Vec3, reach: f64) -> Option<ClosestPoint> {
        let positions = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
        let bodies = Bodies::from_tets(&[(4, &[TET])]).unwrap();
        let mut facets = Facets::new(&positions, &bodies, BodyId(0));
        facets.fit(&positions, &bodies);
        closest_point(point, &facets, reach, 1.0)
    }

    #[test]
    fn the_foot_of_a_vertex_above_a_face_lies_below_it() {
        let closest_point = found(Vec3::new(0.25, 0.25, -0.5), 1.0).unwrap();
        assert!(
            (closest_point.gap - 0.5).abs() < 1e-15
                && closest_point.normal.abs_diff_eq(-Vec3::Z, 1e-15)
        );
        assert!((closest_point.shares.iter().sum::<f64>() - 1.0).abs() < 1e-15);
    }

    #[test]
    fn beside_an_edge_the_normal_leads_to_the_vertex() {
        let closest_point = found(Vec3::new(0.5, -0.3, -0.4), 1.0).unwrap();
        assert!(
            closest_point.normal.abs_diff_eq(Vec3::new(0.0, -0.6, -0.8), 1e-15),
            "{closest_point:?}"
        );
        assert!((closest_point.gap - 0.5).abs() < 1e-15);
    }

    #[test]
    fn on_the_surface_the_face_tells() {
        let closest_point = found(Vec3::new(0.25, 0.25, 0.0), 1.0).unwrap();
        assert_eq!((closest_point.gap, closest_point.normal), (0.0, -Vec3::Z));
    }

    #[test]
    fn what_is_beyond_reach_is_not_found() {
        assert_eq!(found(Vec3::new(0.25, 0.25, -0.5), 0.49), None);
    }

    #[test]
    fn a_flat_triangle_gives_all_to_its_nearest_corner() {
        let flat = [Vec3::ZERO, Vec3::X, 2.0 * Vec3::X];
        assert_eq!(shares(1.2 * Vec3::X, flat), [0.0, 1.0, 0.0]);
    }
}
