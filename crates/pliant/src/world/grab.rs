//! A spring that pulls a point of a body to where a hand is.

use crate::body::soft::State;
use crate::contact::near;
use crate::force::elements::{Corners, Material};
use crate::force::load::Load;
use crate::force::stiffness::Tangent;
use crate::id::VertexId;
use crate::math::{Mat3, Vec3};
use crate::mesh::closest::closest_point;
use crate::step::Simulation;
use crate::world::body_model::BodyModelKind;
use crate::world::error::{positive, sound};
use crate::world::read::not_here;
use crate::world::{BodyHandle, Collider, GrabHandle, SurfaceHit, World, WorldError};

/// A grab of a world.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grab {
    pub body: BodyHandle,
    /// Corners of the triangle grabbed, counted in the body, with weights that sum to 1.
    pub corners: [VertexId; 3],
    pub weights: [f64; 3],
    /// Where the hand is, m.
    pub target: Vec3,
    /// N/m.
    pub stiffness: f64,
    /// N·s/m.
    pub damping: f64,
}

/// Springs from points of triangles to fixed points.
#[derive(Clone, Debug, Default)]
pub(super) struct GrabSprings {
    pub list: Vec<GrabSpring>,
}

/// One spring; corners count in the world.
#[derive(Clone, Copy, Debug)]
pub(super) struct GrabSpring {
    pub corners: [VertexId; 3],
    pub weights: [f64; 3],
    pub target: Vec3,
    pub stiffness: f64,
    pub damping: f64,
}

impl GrabSpring {
    /// Σ wᵢ xᵢ.
    fn weighted(&self, values: &[Vec3; 3]) -> Vec3 {
        self.weights.iter().zip(values).map(|(weight, value)| *weight * *value).sum()
    }
}

impl Material<3> for GrabSprings {
    fn count(&self) -> usize {
        self.list.len()
    }

    fn vertices(&self, element: usize) -> [VertexId; 3] {
        self.list[element].corners
    }

    fn energy(&self, element: usize, at: &Corners<3>) -> f64 {
        let spring = &self.list[element];
        let stretch = spring.weighted(&at.positions) - spring.target;
        0.5 * spring.stiffness * stretch.length_squared()
    }

    fn forces(&self, element: usize, at: &Corners<3>) -> [Vec3; 3] {
        let spring = &self.list[element];
        let stretch = spring.weighted(&at.positions) - spring.target;
        let pull = -spring.stiffness * stretch - spring.damping * spring.weighted(&at.velocities);
        spring.weights.map(|weight| weight * pull)
    }

    fn tangent(&self, element: usize, _at: &Corners<3>, tangent: Tangent) -> [[Mat3; 3]; 3] {
        let GrabSpring { weights, stiffness, damping, .. } = self.list[element];
        let size = tangent.stiffness * stiffness + tangent.damping * damping;
        weights.map(|a| weights.map(|b| Mat3::from_diagonal(Vec3::splat(a * b * size))))
    }
}

impl World {
    /// Grabs a body where a ray met it, with a spring, N/m; see [`World::grab_at`].
    ///
    /// ```
    /// use pliant::prelude::*;
    ///
    /// let mut world = World::new();
    /// let ball = world.add(SoftBody::ball(0.1, 2))?;
    /// if let Some(hit) = world.cast_ray(Vec3::Z, -Vec3::Z)? {
    ///     let grab = world.grab(hit, 5e3)?; // N/m
    ///     for step in 0..60 {
    ///         world.drag(grab, vec3(0.0, 0.0, 0.1 + 0.01 * f64::from(step)))?;
    ///         world.step()?;
    ///     }
    ///     assert!(world.centre(ball)?.z > 0.4);
    ///     world.release(grab)?;
    /// }
    /// # Ok::<(), WorldError>(())
    /// ```
    pub fn grab(&mut self, hit: SurfaceHit, stiffness: f64) -> Result<GrabHandle, WorldError> {
        match hit.collider {
            Collider::Body(body) => self.grab_at(body, hit.point, stiffness),
            Collider::Obstacle(obstacle) => {
                Err(WorldError::GrabbedObstacle { obstacle: obstacle.to_string() })
            }
        }
    }

    /// Grabs the surface of a body at the point nearest to `point`, m, with a spring, N/m.
    ///
    /// The spring pulls to `point`, and is damped so that the body does not swing.
    pub fn grab_at(
        &mut self,
        body: BodyHandle,
        point: Vec3,
        stiffness: f64,
    ) -> Result<GrabHandle, WorldError> {
        sound("point", point)?;
        positive("stiffness of a grab", stiffness)?;
        self.check_free(body, "grabbed")?;
        let (corners, weights) = self.nearest_on(body, point)?;
        let mass = self.mass(body)?;
        let damping = positive("damping of a grab", 2.0 * libm::sqrt(stiffness * mass))?;
        let grab = Grab { body, corners, weights, target: point, stiffness, damping };
        let handle = GrabHandle(self.grabs.insert(grab));
        self.refresh_grabs();
        Ok(handle)
    }

    /// Drags a grab to a point, m.
    pub fn drag(&mut self, grab: GrabHandle, point: Vec3) -> Result<(), WorldError> {
        sound("point", point)?;
        let known = self.grabs.get_mut(grab.0).ok_or_else(|| not_here("grab", &grab))?;
        known.target = point;
        self.refresh_grabs();
        Ok(())
    }

    /// Lets go.
    pub fn release(&mut self, grab: GrabHandle) -> Result<(), WorldError> {
        self.grabs.remove(grab.0).ok_or_else(|| not_here("grab", &grab))?;
        self.refresh_grabs();
        Ok(())
    }

    fn refresh_grabs(&mut self) {
        self.wake();
        if self.is_current {
            let springs = self.grab_springs(&self.simulation.system.bodies);
            self.simulation.system.forces.replace(self.layout.grabs, springs);
            self.refresh_loads();
        }
    }

    /// Puts constant forces, and those of grabs on rigid bodies, to their values of now.
    pub(super) fn refresh_loads(&mut self) {
        if self.check_simulation(&self.simulation, &self.layout).is_err() {
            return; // The next step says so.
        }
        let Simulation { state, system, .. } = &self.simulation;
        let mut loads = self.loads(&system.bodies, system.masses.of());
        self.push_rigid_grabs(state, &mut loads);
        // All exist and are finite: they were checked when they were set.
        let loads = Load::on_vertices(loads, state.positions.len()).unwrap_or_default();
        self.simulation.system.forces.replace(self.layout.loads, loads);
    }

    /// Forces of grabs on rigid bodies at the end of a step, N, as their own mass alone would have
    /// it: stable for any stiffness.
    fn push_rigid_grabs(&self, state: &State, loads: &mut Vec<(VertexId, Vec3)>) {
        let dt = self.settings.dt / f64::from(self.settings.substeps);
        for (_, grab) in self.grabs.iter() {
            let Some(entry) = self.bodies.get(grab.body.0) else { continue };
            let BodyModelKind::Rigid(rigid) = &entry.model.kind else { continue };
            let (Ok(Some(own)), Some(now)) = (self.range(entry), self.rigid_state(entry)) else {
                continue;
            };
            let corners = grab.corners.map(|v| state.positions[own.start + v.index()]);
            let point: Vec3 = corners.iter().zip(grab.weights).map(|(p, w)| w * *p).sum();
            let (velocity, mobility) = (now.velocity_at(point), now.mobility(&rigid.body, point));
            let trace = mobility.x_axis.x + mobility.y_axis.y + mobility.z_axis.z;
            let Grab { stiffness, damping, target, .. } = *grab;
            let pull = stiffness * (target - point - dt * velocity) - damping * velocity;
            let force = pull / (1.0 + trace * dt * (dt * stiffness + damping));
            let vertices = grab.corners.map(|v| VertexId((own.start + v.index()) as u32));
            loads.extend(vertices.into_iter().zip(grab.weights).map(|(v, w)| (v, w * force)));
        }
    }

    /// Corners and weights of the surface point of a body nearest to a point.
    fn nearest_on(
        &self,
        body: BodyHandle,
        point: Vec3,
    ) -> Result<([VertexId; 3], [f64; 3]), WorldError> {
        let (positions, triangles) = (self.positions(body)?, self.triangles(body)?);
        let mut best: Option<(f64, [VertexId; 3], [f64; 3])> = None;
        for triangle in triangles {
            let corners = triangle.map(|v| positions[v.index()]);
            let near = closest_point(point, corners);
            let weights = near::shares(near, corners);
            let distance = near.distance_squared(point);
            if best.is_none_or(|(least, ..)| distance < least) {
                best = Some((distance, *triangle, weights));
            }
        }
        if let Some((_, corners, weights)) = best {
            return Ok((corners, weights));
        }
        let near = |(_, a): &(usize, &Vec3), (_, b): &(usize, &Vec3)| {
            a.distance_squared(point).total_cmp(&b.distance_squared(point))
        };
        let vertex = positions.iter().enumerate().min_by(near).map_or(0, |(vertex, _)| vertex);
        Ok(([VertexId(vertex as u32); 3], [1.0, 0.0, 0.0]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force::check;

    #[test]
    fn a_grab_is_the_slope_of_its_energy() {
        let spring = GrabSpring {
            corners: [VertexId(0), VertexId(1), VertexId(2)],
            weights: [0.2, 0.5, 0.3],
            target: Vec3::new(0.1, 2.0, -1.0),
            stiffness: 30.0,
            damping: 2.0,
        };
        let springs = GrabSprings { list: vec![spring] };
        check::derivatives(&springs, &[[Vec3::X, Vec3::Y, Vec3::ZERO]], 1.0);
    }
}
