//! What a ray hits.

use super::{Query, QueryError, RayHit, Target, check_max_distance, check_point, trace};
use crate::body::surface_point::SurfacePoint;
use crate::id::{BodyId, TriangleId};
use crate::math::Vec3;
use crate::mesh::normals::face_normal;
use crate::mesh::ray::{PreparedRay, TriangleHit};

impl Query<'_> {
    /// The first surface that a ray meets, of those that `filter` lets through.
    ///
    /// Surfaces count from both sides: a ray that starts inside meets the way out. `direction`
    /// may have any length; `max_distance`, m, may be infinite. Edges and corners of bodies are
    /// hit. Bodies without a surface (spring networks, particles, outlines) never are. Obstacles
    /// are met to rounding; a ray that runs along the surface of one for so long that its strides
    /// are used up follows the tangent from there, and may pass what is thin.
    pub fn cast_ray(
        &self,
        origin: Vec3,
        direction: Vec3,
        max_distance: f64,
        filter: &dyn Fn(Target) -> bool,
    ) -> Result<Option<RayHit>, QueryError> {
        let (ray, within) = prepare(origin, direction, max_distance)?;
        let mut best: Option<(TriangleHit, BodyId, TriangleId)> = None;
        self.body_tree().along(&ray, within, |item| {
            let body = BodyId(item);
            let reach = |best: &Option<(TriangleHit, BodyId, TriangleId)>| {
                best.map_or(within, |best| best.0.distance)
            };
            if !self.kind(body).has_surface() || !filter(Target::Body(body)) {
                return reach(&best);
            }
            self.triangle_tree(body).along(&ray, reach(&best), |item| {
                let triangle = self.triangle(body, item);
                let hit = ray.meet(self.corners(triangle)).filter(|hit| hit.distance <= within);
                if let Some(hit) = hit {
                    // Of triangles met at the same distance the first, whichever is shown first.
                    let is_first = best.is_none_or(|(first, _, of_first)| {
                        (hit.distance, triangle) < (first.distance, of_first)
                    });
                    if is_first {
                        best = Some((hit, body, triangle));
                    }
                }
                reach(&best)
            });
            reach(&best)
        });
        let mut first = best.map(|(hit, body, triangle)| self.ray_hit(&ray, hit, body, triangle));
        for (number, obstacle) in self.scene.obstacles.iter().enumerate() {
            let target = Target::Obstacle(number as u32);
            if !filter(target) {
                continue;
            }
            let reach = first.map_or(within, |first| first.distance);
            let hit = trace::trace(obstacle.at(self.scene.time), &ray, 0.0, reach);
            // At the same distance a body comes first.
            let hit = hit.filter(|hit| first.is_none_or(|first| hit.distance < first.distance));
            if let Some(hit) = hit {
                first = Some(of_obstacle(target, hit));
            }
        }
        Ok(first)
    }

    /// All surfaces that a ray meets, near ones first; at the same distance bodies first.
    ///
    /// Like [`Query::cast_ray`], but each crossing of a closed surface counts once: where
    /// the ray meets an edge or a corner, one of the triangles there stands for all, and a ray
    /// that only touches an edge may meet none or two.
    pub fn cast_ray_all(
        &self,
        origin: Vec3,
        direction: Vec3,
        max_distance: f64,
        filter: &dyn Fn(Target) -> bool,
    ) -> Result<Vec<RayHit>, QueryError> {
        let (ray, within) = prepare(origin, direction, max_distance)?;
        let mut hits = Vec::new();
        self.body_tree().along(&ray, within, |item| {
            let body = BodyId(item);
            if self.kind(body).has_surface() && filter(Target::Body(body)) {
                self.triangle_tree(body).along(&ray, within, |item| {
                    let triangle = self.triangle(body, item);
                    let hit = ray.cross(self.corners(triangle));
                    if let Some(hit) = hit.filter(|hit| hit.distance <= within) {
                        hits.push(self.ray_hit(&ray, hit, body, triangle));
                    }
                    within
                });
            }
            within
        });
        for (number, obstacle) in self.scene.obstacles.iter().enumerate() {
            let target = Target::Obstacle(number as u32);
            if filter(target) {
                let found = trace::trace_all(obstacle.at(self.scene.time), &ray, within);
                hits.extend(found.into_iter().map(|hit| of_obstacle(target, hit)));
            }
        }
        let triangle = |hit: &RayHit| hit.surface.map(|surface| surface.triangle);
        hits.sort_by(|a, b| {
            let by_distance = a.distance.total_cmp(&b.distance);
            by_distance.then(a.target.cmp(&b.target)).then(triangle(a).cmp(&triangle(b)))
        });
        Ok(hits)
    }

    fn ray_hit(
        &self,
        ray: &PreparedRay,
        hit: TriangleHit,
        body: BodyId,
        triangle: TriangleId,
    ) -> RayHit {
        let corners = self.corners(triangle);
        let surface = SurfacePoint::new(body, triangle, hit.weights, corners);
        // A triangle too small for a normal of its own has the one that the ray sees.
        let seen = if hit.leaves { ray.direction() } else { -ray.direction() };
        let normal = face_normal(corners).unwrap_or(seen);
        let (target, distance) = (Target::Body(body), hit.distance);
        RayHit { target, distance, point: surface.point, normal, surface: Some(surface) }
    }
}

fn of_obstacle(target: Target, hit: trace::ObstacleHit) -> RayHit {
    let trace::ObstacleHit { distance, point, normal } = hit;
    RayHit { target, distance, point, normal, surface: None }
}

fn prepare(
    origin: Vec3,
    direction: Vec3,
    max_distance: f64,
) -> Result<(PreparedRay, f64), QueryError> {
    check_point("origin", origin)?;
    let within = check_max_distance(max_distance)?;
    let ray = PreparedRay::new(origin, direction);
    Ok((ray.ok_or(QueryError::Direction { value: direction })?, within))
}
