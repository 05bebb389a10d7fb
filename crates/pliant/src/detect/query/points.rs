//! What is nearest to a point, and which bodies it is inside of.

use super::{PointHit, Query, QueryError, check_max_distance, check_point};
use crate::body::BodyKind;
use crate::body::surface_point::SurfacePoint;
use crate::detect::nearby_triangles::{Ray, Sense};
use crate::detect::rays::{Winding, ray_crossing};
use crate::detect::union;
use crate::id::{BodyId, TriangleId};
use crate::math::{Aabb, Vec3};
use crate::mesh::closest::closest_point;

impl Query<'_> {
    /// The nearest point of the surfaces of bodies, of those that `filter` lets through.
    ///
    /// At the same distance the first triangle counts. `max_distance`, m, may be infinite; it
    /// holds inside bodies too.
    pub fn nearest_point(
        &self,
        point: Vec3,
        max_distance: f64,
        filter: &dyn Fn(BodyId) -> bool,
    ) -> Result<Option<PointHit>, QueryError> {
        check_point("point", point)?;
        let max_distance = check_max_distance(max_distance)?;
        let within_sq = (max_distance * max_distance).min(f64::MAX);
        let mut best: Option<(f64, BodyId, TriangleId)> = None;
        self.body_tree().near(point, within_sq, |item| {
            let body = BodyId(item);
            let reach_sq = best.map_or(within_sq, |best| best.0);
            if !self.kind(body).has_surface() || !filter(body) {
                return reach_sq;
            }
            self.triangle_tree(body).near(point, reach_sq, |item| {
                let triangle = self.triangle(body, item);
                let at = closest_point(point, self.corners(triangle));
                let distance_sq = (at - point).length_squared();
                let is_nearer = best.is_none_or(|best| (distance_sq, triangle) < (best.0, best.2));
                if distance_sq <= within_sq && is_nearer {
                    best = Some((distance_sq, body, triangle));
                }
                best.map_or(within_sq, |best| best.0)
            });
            best.map_or(within_sq, |best| best.0)
        });
        Ok(best.map(|(distance_sq, body, triangle)| {
            let (positions, bodies) = (self.scene.positions, self.scene.bodies);
            let surface = SurfacePoint::nearest(point, positions, bodies, (body, triangle));
            let size = distance_sq.sqrt();
            let distance = if self.contains(body, point) { -size } else { size };
            PointHit { distance, surface }
        }))
    }

    /// The bodies that a point is inside of, ascending; on a surface is not inside.
    ///
    /// Decided by exact signs. Inside a body of tets is inside their union, whatever tets are
    /// inverted; inside a surface is where it winds around the point.
    pub fn bodies_at(&self, point: Vec3) -> Result<Vec<BodyId>, QueryError> {
        check_point("point", point)?;
        let mut found = Vec::new();
        self.body_tree().meeting(Aabb { min: point, max: point }, |item| {
            if self.contains(BodyId(item), point) {
                found.push(BodyId(item));
            }
            true
        });
        found.sort_unstable();
        Ok(found)
    }

    /// Whether a finite point is inside a body.
    pub(super) fn contains(&self, body: BodyId, point: Vec3) -> bool {
        match self.kind(body) {
            BodyKind::Tets => self.is_in_tets(body, point),
            BodyKind::Surface => self.is_in_surface(body, point),
            BodyKind::SpringNetwork | BodyKind::Particles | BodyKind::Outline => false,
        }
    }

    fn is_in_tets(&self, body: BodyId, point: Vec3) -> bool {
        let bodies = self.scene.bodies;
        let tets = &bodies.tets()[bodies.tets_of(body)];
        let mut near = Vec::new();
        self.tet_tree(body).meeting(Aabb { min: point, max: point }, |item| {
            near.push(tets[item as usize]);
            true
        });
        union::is_inside(point, self.scene.positions, &near)
    }

    fn is_in_surface(&self, body: BodyId, point: Vec3) -> bool {
        let tree = self.triangle_tree(body);
        let around = tree.around();
        if !around.contains(point) {
            return false;
        }
        let ray = shortest(point, around);
        let mut beam = Aabb { min: point, max: point };
        match ray.sense {
            Sense::Up => beam.max[ray.axis] = f64::INFINITY,
            Sense::Down => beam.min[ray.axis] = f64::NEG_INFINITY,
        }
        let mut winding = Winding::default();
        tree.meeting(beam, |item| {
            winding.add(ray_crossing(point, self.corners(self.triangle(body, item)), ray));
            !winding.touches()
        });
        winding.is_inside()
    }
}

/// The axis ray along which a point leaves a box soonest.
fn shortest(point: Vec3, around: Aabb) -> Ray {
    let (up, down) = (around.max - point, point - around.min);
    let mut best = (f64::INFINITY, Ray { axis: 0, sense: Sense::Up });
    for axis in 0..3 {
        for (length, sense) in [(up[axis], Sense::Up), (down[axis], Sense::Down)] {
            if length < best.0 {
                best = (length, Ray { axis, sense });
            }
        }
    }
    best.1
}
