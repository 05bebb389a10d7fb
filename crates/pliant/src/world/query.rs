//! What a world answers about places and overlaps.

use crate::body::obstacle::Obstacle;
use crate::depth::exits::exits;
use crate::depth::query::{PenetratingVertex, UnresolvedVertex, by_body};
use crate::depth::{DepthSettings, Reason, penetrations};
use crate::detect::query::{self, Query, QueryScene, Target};
use crate::id::{BodyId, VertexId};
use crate::math::{Aabb, Vec3};
use crate::step::Simulation;
use crate::world::{BodyHandle, Collider, ObstacleHandle, World, WorldError};

/// A point of a surface that a query found.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SurfaceHit {
    /// What it belongs to.
    pub collider: Collider,
    /// From the origin of the ray, or signed from the point asked about and negative inside, m.
    pub distance: f64,
    /// Where, m.
    pub point: Vec3,
    /// Unit normal of the surface, outward.
    pub normal: Vec3,
    /// Corners of the triangle, counted in the body; none of an obstacle.
    pub triangle: Option<[VertexId; 3]>,
    /// Weights of the corners, which sum to 1; zeros of an obstacle.
    pub weights: [f64; 3],
}

/// A vertex inside another body.
///
/// ```
/// use pliant::prelude::*;
///
/// let mut world = World::new();
/// let low = world.add(SoftBody::cuboid(Vec3::ONE, [4; 3]))?;
/// let high = world.add(SoftBody::cuboid(Vec3::splat(0.2), [2; 3]).at(vec3(0.11, 0.13, 0.55)))?;
/// for found in world.penetrations()? {
///     assert_eq!((found.body, &found.into[..]), (high, &[low][..]));
///     if let Ok(out) = found.way_out {
///         assert!((out.depth - 0.05).abs() < 0.01 && out.direction.z > 0.9);
///     }
/// }
/// # assert_eq!(world.penetrations()?.len(), 9);
/// # Ok::<(), WorldError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Penetration {
    /// Its body.
    pub body: BodyHandle,
    /// The vertex, counted in its body.
    pub vertex: VertexId,
    /// Bodies that it is inside of.
    pub into: Vec<BodyHandle>,
    /// Its way out, or why none is known.
    pub way_out: Result<WayOut, Reason>,
}

/// The way out of a vertex inside another body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WayOut {
    /// Way to go along `direction`, m.
    pub depth: f64,
    /// Unit.
    pub direction: Vec3,
    /// Steps from the border: 0 has edges of its own that leave.
    pub ring: u32,
    /// Where it leaves, so that another engine can put the reaction there.
    pub exit: Option<SurfaceExit>,
}

/// The place of a body's surface at which a vertex leaves.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SurfaceExit {
    /// The body that is left.
    pub body: BodyHandle,
    /// Corners of the triangle, counted in that body.
    pub triangle: [VertexId; 3],
    /// Weights of the corners, which sum to 1.
    pub weights: [f64; 3],
    /// Where, m.
    pub point: Vec3,
}

impl World {
    /// The first surface that a ray meets, if any; the direction may have any length.
    pub fn cast_ray(
        &mut self,
        origin: Vec3,
        direction: Vec3,
    ) -> Result<Option<SurfaceHit>, WorldError> {
        self.cast_ray_with(origin, direction, f64::INFINITY, |_| true)
    }

    /// The same up to a distance, m, and only of what a filter accepts.
    pub fn cast_ray_with(
        &mut self,
        origin: Vec3,
        direction: Vec3,
        max_distance: f64,
        accepts: impl Fn(Collider) -> bool,
    ) -> Result<Option<SurfaceHit>, WorldError> {
        self.look_up(|world, query| {
            let is_wanted = |target| world.collider(target).is_some_and(&accepts);
            let hit = query.cast_ray(origin, direction, max_distance, &is_wanted)?;
            Ok(hit.and_then(|hit| world.hit(&hit)))
        })
    }

    /// The point of the surfaces of all bodies that is nearest to a point, within a distance, m.
    pub fn nearest_point(
        &mut self,
        point: Vec3,
        max_distance: f64,
    ) -> Result<Option<SurfaceHit>, WorldError> {
        self.look_up(|world, query| {
            let Some(hit) = query.nearest_point(point, max_distance, &|_| true)? else {
                return Ok(None);
            };
            let Some(handle) = world.layout.bodies.get(hit.surface.body.index()) else {
                return Ok(None);
            };
            let Simulation { state, system, .. } = &world.simulation;
            let first = system.bodies.vertices(hit.surface.body).start as u32;
            let triangle = system.bodies.triangles()[hit.surface.triangle.index()];
            let [a, b, c] = triangle.map(|v| state.positions[v.index()]);
            // A triangle without area has none; the way to the point is as good as any.
            let normal = (b - a).cross(c - a).try_normalize();
            let normal = normal.or((point - hit.surface.point).try_normalize()).unwrap_or(Vec3::Z);
            Ok(Some(SurfaceHit {
                collider: Collider::Body(*handle),
                distance: hit.distance,
                point: hit.surface.point,
                normal,
                triangle: Some(triangle.map(|v| VertexId(v.0 - first))),
                weights: hit.surface.weights,
            }))
        })
    }

    /// Bodies that contain a point.
    pub fn bodies_at(&mut self, point: Vec3) -> Result<Vec<BodyHandle>, WorldError> {
        self.look_up(|world, query| Ok(world.handles(&query.bodies_at(point)?)))
    }

    /// Bodies whose surface or inside meets a box.
    pub fn bodies_in(&mut self, space: Aabb) -> Result<Vec<BodyHandle>, WorldError> {
        self.look_up(|world, query| Ok(world.handles(&query.bodies_in(space)?)))
    }

    /// Every vertex that is inside another body, with its consistent penetration depth.
    ///
    /// Of pairs that meet: joined bodies and groups that ignore each other are left out. Obstacles
    /// are no bodies; [`Obstacle::at`] has the distance of a point.
    ///
    pub fn penetrations(&mut self) -> Result<Vec<Penetration>, WorldError> {
        self.assemble()?;
        let Simulation { state, system, .. } = &self.simulation;
        let found = penetrations(&state.positions, &system.bodies, DepthSettings::default())?;
        let exits = exits(&state.positions, &system.bodies, &found);
        let mut all = Vec::new();
        for body in by_body(&system.bodies, &found, &exits) {
            all.extend(body.points.iter().filter_map(|point| self.resolved(point)));
            all.extend(body.unresolved.iter().filter_map(|point| self.unresolved(point)));
        }
        let rules = self.contact_rules();
        for found in &mut all {
            let body = self.body(found.body)?.id;
            found.into.retain(|other| {
                let other = self.bodies.get(other.0).and_then(|entry| entry.id);
                body.zip(other).is_none_or(|(body, other)| rules.bodies_meet(body, other))
            });
        }
        all.retain(|found| !found.into.is_empty());
        all.sort_by_key(|found| (found.body, found.vertex));
        Ok(all)
    }

    fn resolved(&self, found: &PenetratingVertex) -> Option<Penetration> {
        let exit = found.exit.and_then(|exit| {
            let body = *self.layout.bodies.get(exit.body.index())?;
            let (triangle, weights, point) = (exit.triangle, exit.weights, exit.point);
            Some(SurfaceExit { body, triangle, weights, point })
        });
        let PenetratingVertex { depth, direction, ring, vertex, .. } = *found;
        Some(Penetration {
            body: *self.layout.bodies.get(found.body.index())?,
            vertex,
            into: self.handles(&found.into),
            way_out: Ok(WayOut { depth, direction, ring, exit }),
        })
    }

    fn unresolved(&self, found: &UnresolvedVertex) -> Option<Penetration> {
        Some(Penetration {
            body: *self.layout.bodies.get(found.body.index())?,
            vertex: found.vertex,
            into: self.handles(&found.into),
            way_out: Err(found.reason),
        })
    }

    /// Looks something up with everything where it is now.
    fn look_up<T>(
        &mut self,
        question: impl FnOnce(&World, Query<'_>) -> Result<T, WorldError>,
    ) -> Result<T, WorldError> {
        self.assemble()?;
        let bodies = self.simulation.system.bodies.clone();
        if !std::mem::replace(&mut self.is_searched, true) {
            self.queries.moved(&bodies);
        }
        let contact = self.simulation.stepper.contact();
        let obstacles: &[Obstacle] = contact.map_or(&[], |contact| contact.obstacles());
        let (positions, time) = (&self.simulation.state.positions[..], self.time());
        let scene = QueryScene { positions, bodies: &bodies, obstacles, time };
        question(self, self.queries.query(scene)?)
    }

    fn handles(&self, bodies: &[BodyId]) -> Vec<BodyHandle> {
        bodies.iter().filter_map(|id| self.layout.bodies.get(id.index()).copied()).collect()
    }

    fn collider(&self, target: Target) -> Option<Collider> {
        match target {
            Target::Body(id) => Some(Collider::Body(*self.layout.bodies.get(id.index())?)),
            Target::Obstacle(number) => {
                let handle: ObstacleHandle = *self.layout.obstacles.get(number as usize)?;
                Some(Collider::Obstacle(handle))
            }
        }
    }

    fn hit(&self, hit: &query::RayHit) -> Option<SurfaceHit> {
        let corners = hit.surface.map(|surface| {
            let bodies = &self.simulation.system.bodies;
            let first = bodies.vertices(surface.body).start as u32;
            bodies.triangles()[surface.triangle.index()].map(|v| VertexId(v.0 - first))
        });
        Some(SurfaceHit {
            collider: self.collider(hit.target)?,
            distance: hit.distance,
            point: hit.point,
            normal: hit.normal,
            triangle: corners,
            weights: hit.surface.map_or([0.0; 3], |surface| surface.weights),
        })
    }
}
