//! Vertices inside a body: where their direction of penetration leaves it.
//!
//! The depth of `depth` averages projections and does not reach the surface (erratum H11); what
//! counts here is the distance along its direction to the first triangle that faces along it.

use crate::contact::near::{ClosestPoint, shares};
use crate::contact::shape::Facets;
use crate::depth::Penetration;
use crate::id::TriangleId;
use crate::math::{Aabb, Vec3};
use crate::mesh::closest::closest_point;

/// The ray is followed this many times the depth before the whole body is searched.
const FIRST_REACH: f64 = 2.0;

/// Rounding of a hit's barycentric weights: no ray may slip through an edge.
const SLIP: f64 = 1e-9;

/// Where the way out from inside a body first leaves it.
///
/// `space` is the box of the body. `None` when no triangle is hit, as can be where tets are
/// inverted.
pub fn exit(
    point: Vec3,
    penetration: Penetration,
    facets: &Facets,
    space: Aabb,
) -> Option<ClosestPoint> {
    let whole = space.size().length();
    let short = FIRST_REACH * penetration.depth;
    let lengths = if short > 0.0 && short < whole { [short, whole] } else { [whole; 2] };
    for length in lengths {
        let end = point + length * penetration.direction;
        let way = Aabb::around([point, end]);
        let mut best: Option<(f64, u32, [f64; 3])> = None;
        facets.tree.meeting(way, |k| {
            let triangle = facets.corners[k as usize];
            if let Some((t, parts)) = hit(point, penetration.direction, triangle) {
                let nearer = best.is_none_or(|(least, number, _)| (t, k) < (least, number));
                if t <= length && nearer {
                    best = Some((t, k, parts));
                }
            }
            true
        });
        if let Some((t, k, parts)) = best {
            let triangle = TriangleId(facets.first as u32 + k);
            return Some(ClosestPoint {
                triangle,
                shares: parts,
                normal: penetration.direction,
                gap: -t,
            });
        }
    }
    None
}

/// Distance along a unit ray to a triangle that faces along it, m.
///
/// With the barycentric weights of the hit.
pub(super) fn hit(from: Vec3, direction: Vec3, [a, b, c]: [Vec3; 3]) -> Option<(f64, [f64; 3])> {
    let normal = (b - a).cross(c - a);
    let along = normal.dot(direction);
    if along <= 0.0 {
        return None;
    }
    let t = normal.dot(a - from) / along;
    let part = |u: Vec3, v: Vec3| (u - from).cross(v - from).dot(direction) / along;
    let parts = [part(b, c), part(c, a), part(a, b)];
    let inside = t >= 0.0 && parts.iter().all(|part| *part >= -SLIP);
    inside.then(|| (t, shares(from + t * direction, [a, b, c])))
}

/// The nearest point of the surface, for a vertex whose ray hits nothing.
///
/// The direction stays the consistent one; the gap is minus the distance.
pub fn nearest(point: Vec3, penetration: Penetration, facets: &Facets) -> Option<ClosestPoint> {
    let (distance_sq, k, found) = closest(point, facets)?;
    Some(ClosestPoint {
        triangle: TriangleId(facets.first as u32 + k),
        shares: shares(found, facets.corners[k as usize]),
        normal: penetration.direction,
        gap: -distance_sq.sqrt(),
    })
}

/// The nearest triangle: squared distance, m², index within the body, and point, m.
///
/// Of triangles that are equally near, the first.
pub(super) fn closest(point: Vec3, facets: &Facets) -> Option<(f64, u32, Vec3)> {
    let mut best: Option<(f64, u32, Vec3)> = None;
    facets.tree.near(point, f64::INFINITY, |k| {
        let found = closest_point(point, facets.corners[k as usize]);
        let distance_sq = found.distance_squared(point);
        if best.is_none_or(|(least, number, _)| (distance_sq, k) < (least, number)) {
            best = Some((distance_sq, k, found));
        }
        best.map_or(f64::INFINITY, |(least, ..)| least)
    });
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRIANGLE: [Vec3; 3] = [Vec3::ZERO, Vec3::X, Vec3::Y];

    #[test]
    fn a_ray_meets_triangles_that_look_along_it() {
        let from = Vec3::new(0.25, 0.5, -2.0);
        let (t, shares) = hit(from, Vec3::Z, TRIANGLE).unwrap();
        assert_eq!((t, shares), (2.0, [0.25, 0.25, 0.5]));
        assert_eq!(hit(from, -Vec3::Z, TRIANGLE), None);
        assert_eq!(hit(from + 3.0 * Vec3::Z, Vec3::Z, TRIANGLE), None); // behind
        assert_eq!(hit(from + Vec3::X, Vec3::Z, TRIANGLE), None); // beside
    }
}
