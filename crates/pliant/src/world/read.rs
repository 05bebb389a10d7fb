//! What a world reports about itself.

use std::fmt::Display;
use std::ops::Range;

use crate::body::keyframes::Pose;
use crate::id::VertexId;
use crate::math::Vec3;
use crate::record::contact_load::ContactLoad;
use crate::record::energy::Energy;
use crate::solve::joint::JointKind;
use crate::step::Simulation;
use crate::world::body_change::Reuse;
use crate::world::body_model::{BodyEntry, BodyModelKind};
use crate::world::contacts::{ContactEvent, ContactPoint};
use crate::world::obstacle::ObstacleEntry;
use crate::world::{BodyHandle, Collider, JointHandle, ObstacleHandle, World, WorldError};

/// The error of a handle that names nothing.
pub(super) fn not_here(what: &'static str, handle: &impl Display) -> WorldError {
    WorldError::NotHere { what, handle: handle.to_string() }
}

impl World {
    /// Whether a body or an obstacle is still there.
    pub fn contains(&self, handle: impl Into<Collider>) -> bool {
        match handle.into() {
            Collider::Body(body) => self.bodies.get(body.0).is_some(),
            Collider::Obstacle(obstacle) => self.obstacles.get(obstacle.0).is_some(),
        }
    }

    /// All bodies, in the order in which they were added.
    pub fn bodies(&self) -> impl Iterator<Item = BodyHandle> {
        self.bodies.keys().iter().map(|key| BodyHandle(*key))
    }

    /// All obstacles, in the order in which they were added.
    pub fn obstacles(&self) -> impl Iterator<Item = ObstacleHandle> {
        self.obstacles.keys().iter().map(|key| ObstacleHandle(*key))
    }

    /// Time since the start, s.
    pub fn time(&self) -> f64 {
        self.simulation.state.time
    }

    /// Length of a step, s.
    pub fn time_step(&self) -> f64 {
        self.settings.dt
    }

    /// Gravity, m/s².
    pub fn gravity(&self) -> Vec3 {
        self.settings.gravity
    }

    pub(super) fn body(&self, body: BodyHandle) -> Result<&BodyEntry, WorldError> {
        self.bodies.get(body.0).ok_or_else(|| not_here("body", &body))
    }

    pub(super) fn body_mut(&mut self, body: BodyHandle) -> Result<&mut BodyEntry, WorldError> {
        self.bodies.get_mut(body.0).ok_or_else(|| not_here("body", &body))
    }

    pub(super) fn obstacle(&self, obstacle: ObstacleHandle) -> Result<&ObstacleEntry, WorldError> {
        self.obstacles.get(obstacle.0).ok_or_else(|| not_here("obstacle", &obstacle))
    }

    /// Vertices of a body in the arrays of the simulation; none where it is in none.
    ///
    /// Refuses those of other bodies, as someone else may have put into the simulation.
    pub(super) fn range(&self, entry: &BodyEntry) -> Result<Option<Range<usize>>, WorldError> {
        self.check_simulation(&self.simulation, &self.layout)?;
        Ok(entry.id.map(|id| self.simulation.system.bodies.vertices(id)))
    }

    /// Positions of the vertices of a body, m.
    pub fn positions(&self, body: BodyHandle) -> Result<&[Vec3], WorldError> {
        let entry = self.body(body)?;
        Ok(match self.range(entry)? {
            Some(range) => &self.simulation.state.positions[range],
            None => &entry.state.positions,
        })
    }

    /// Velocities of the vertices of a body, m/s.
    pub fn velocities(&self, body: BodyHandle) -> Result<&[Vec3], WorldError> {
        let entry = self.body(body)?;
        Ok(match self.range(entry)? {
            Some(range) => &self.simulation.state.velocities[range],
            None => &entry.state.velocities,
        })
    }

    /// Surface triangles of a body, counted in [`World::positions`], seen from outside
    /// counter-clockwise.
    pub fn triangles(&self, body: BodyHandle) -> Result<&[[VertexId; 3]], WorldError> {
        Ok(self.body(body)?.model.mesh.triangles())
    }

    /// Pinned vertices of a body, counted in the body, ascending.
    pub fn pinned(&self, body: BodyHandle) -> Result<Vec<VertexId>, WorldError> {
        let pins = self.body(body)?.model.pins.iter().flat_map(|pinning| &pinning.vertices);
        let mut vertices: Vec<VertexId> = pins.map(|(vertex, _)| *vertex).collect();
        vertices.sort_unstable();
        vertices.dedup();
        Ok(vertices)
    }

    /// Mass of a body, kg; infinite for a kinematic one.
    pub fn mass(&self, body: BodyHandle) -> Result<f64, WorldError> {
        let entry = self.body(body)?;
        Ok(match &entry.model.kind {
            BodyModelKind::Soft(_) => entry.model.masses.iter().sum(),
            BodyModelKind::Rigid(rigid) => rigid.body.mass,
            BodyModelKind::Kinematic(_) | BodyModelKind::Fixed => f64::INFINITY,
        })
    }

    /// Centre of mass of a body, m; of a kinematic one the mean of its vertices.
    pub fn centre(&self, body: BodyHandle) -> Result<Vec3, WorldError> {
        if let Some(state) = self.rigid_state(self.body(body)?) {
            return Ok(state.centre);
        }
        self.weighed(body, self.positions(body)?)
    }

    /// Velocity of the centre of mass of a body, m/s.
    pub fn velocity(&self, body: BodyHandle) -> Result<Vec3, WorldError> {
        if let Some(state) = self.rigid_state(self.body(body)?) {
            return Ok(state.velocity);
        }
        self.weighed(body, self.velocities(body)?)
    }

    fn weighed(&self, body: BodyHandle, values: &[Vec3]) -> Result<Vec3, WorldError> {
        let masses = &self.body(body)?.model.masses;
        let sum: Vec3 = values.iter().zip(masses).map(|(value, mass)| *mass * *value).sum();
        Ok(sum / masses.iter().sum::<f64>())
    }

    /// Angular velocity of a rigid body, rad/s.
    pub fn spin(&self, body: BodyHandle) -> Result<Vec3, WorldError> {
        let entry = self.body(body)?;
        let state = self.rigid_state(entry);
        state
            .map(|state| state.spin)
            .ok_or_else(|| wrong_kind(body, entry, "rigid bodies", "asked for a spin"))
    }

    /// Where the origin of a rigid or kinematic body is, and how it is turned.
    pub fn pose(&self, body: BodyHandle) -> Result<Pose, WorldError> {
        let entry = self.body(body)?;
        match (&entry.model.kind, self.rigid_state(entry)) {
            (BodyModelKind::Kinematic(driven), _) => Ok(driven.pose),
            (BodyModelKind::Rigid(rigid), Some(state)) => Ok(rigid.pose(&state)),
            _ => Err(wrong_kind(body, entry, "rigid and kinematic bodies", "asked for a pose")),
        }
    }

    /// State of a rigid body now.
    pub(super) fn rigid_state(&self, entry: &BodyEntry) -> Option<crate::body::rigid::RigidState> {
        match entry.id {
            Some(id) => {
                let place = self.simulation.system.rigids.index(id)?;
                let [own, assembled] = self.layout.rigid_axes.get(place)?;
                Some(self.simulation.state.rigids.get(place)?.with_axes_of(assembled, own))
            }
            None => entry.state.rigid,
        }
    }

    /// Where an obstacle is, and how it is turned.
    pub fn obstacle_pose(&self, obstacle: ObstacleHandle) -> Result<Pose, WorldError> {
        Ok(self.obstacle(obstacle)?.pose)
    }

    /// Travel of a hinge, rad, or a slider, m, since it was added; none of other joints.
    pub fn travel(&self, joint: JointHandle) -> Result<Option<f64>, WorldError> {
        let entry = self.joints.get(joint.0).ok_or_else(|| not_here("joint", &joint))?;
        if matches!(entry.joint.kind, JointKind::Ball | JointKind::Fixed) {
            return Ok(None);
        }
        let place = self.joint_place(joint);
        let measured = place.and_then(|place| self.simulation.system.joints.travel(place));
        Ok(Some(measured.unwrap_or(entry.travel)))
    }

    /// Place of a joint in the simulation; none where it is not in it yet.
    fn joint_place(&self, joint: JointHandle) -> Option<usize> {
        self.layout.joints.iter().position(|known| *known == joint)
    }

    /// Force that a joint put on its first body in the last step, N, and torque, N·m.
    pub fn joint_load(&self, joint: JointHandle) -> Result<(Vec3, Vec3), WorldError> {
        self.joints.get(joint.0).ok_or_else(|| not_here("joint", &joint))?;
        let place = self.joint_place(joint);
        let load = place.and_then(|place| self.simulation.system.joints.loads().get(place));
        Ok(load.map_or((Vec3::ZERO, Vec3::ZERO), |load| (load.force, load.torque)))
    }

    /// Points at which bodies pressed on each other or on obstacles in the last step.
    ///
    /// Where a step was made in parts, the points of all parts.
    pub fn contacts(&self) -> &[ContactPoint] {
        &self.contacts.points
    }

    /// Force, friction and number of all [`World::contacts`] of a body or an obstacle.
    ///
    /// ```
    /// use pliant::prelude::*;
    ///
    /// let mut world = World::new();
    /// let floor = world.add(Obstacle::plane(Vec3::Z, 0.0))?;
    /// let die = world.add(RigidBody::cuboid(Vec3::ONE).mass(2.0).at(vec3(0.0, 0.0, 0.5)))?;
    /// for _ in 0..30 {
    ///     world.step()?;
    /// }
    /// let [up, down] = [world.contact_load(die)?.force.z, world.contact_load(floor)?.force.z];
    /// assert!((up - 2.0 * 9.81).abs() < 1e-3 && up == -down);
    /// # Ok::<(), WorldError>(())
    /// ```
    pub fn contact_load(&self, of: impl Into<Collider>) -> Result<ContactLoad, WorldError> {
        let of = of.into();
        match of {
            Collider::Body(body) => self.body(body).map(|_| ())?,
            Collider::Obstacle(obstacle) => self.obstacle(obstacle).map(|_| ())?,
        }
        Ok(self.contacts.load(of))
    }

    /// Pairs that began or ceased to touch in the last step.
    pub fn events(&self) -> &[ContactEvent] {
        &self.contacts.events
    }

    /// Pairs that touch since the last step, each once.
    pub fn touching(&self) -> &[(BodyHandle, Collider)] {
        self.contacts.touching()
    }

    /// Kinetic, elastic and gravitational energy.
    pub fn energy(&mut self) -> Result<Energy, WorldError> {
        self.assemble()?;
        Ok(Energy::of(&self.simulation))
    }

    /// The simulation behind it, for those who look deeper; as of the last step or
    /// [`World::assemble`].
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// The same, to be changed by those who know what they do.
    ///
    /// With other bodies in it the world refuses to go on, until those from before are back.
    pub fn simulation_mut(&mut self) -> &mut Simulation {
        self.is_searched = false;
        self.reuse = Reuse { search: false, tets: false, factors: false };
        &mut self.simulation
    }
}

/// The error of a body of another kind.
pub(super) fn wrong_kind(
    body: BodyHandle,
    entry: &BodyEntry,
    needed: &'static str,
    verb: &'static str,
) -> WorldError {
    WorldError::Kind { body: body.to_string(), is: entry.kind_name(), needed, verb }
}
