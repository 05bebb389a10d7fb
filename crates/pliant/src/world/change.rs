//! What can be changed between steps.

use crate::body::keyframes::Pose;
use crate::body::rigid::RigidState;
use crate::contact::rules::{Group, SurfaceRule};
use crate::id::VertexId;
use crate::math::Vec3;
use crate::step::Simulation;
use crate::world::body_model::{BodyModelKind, Pinning};
use crate::world::error::sound;
use crate::world::material::SoftMaterial;
use crate::world::placement::{check_rotation, check_surface};
use crate::world::read::{not_here, wrong_kind};
use crate::world::soft_body::check_material;
use crate::world::{BodyHandle, Collider, ObstacleHandle, World, WorldError};

/// What code can move: a kinematic body or an obstacle.
pub trait Move: super::sealed::Sealed {
    /// Sets where it is to be after the next step.
    #[doc(hidden)]
    fn set_target(self, world: &mut World, pose: Pose) -> Result<(), WorldError>;
}

impl Move for BodyHandle {
    fn set_target(self, world: &mut World, pose: Pose) -> Result<(), WorldError> {
        let entry = world.body_mut(self)?;
        match &mut entry.model.kind {
            BodyModelKind::Kinematic(driven) => {
                driven.target = Some(pose);
                Ok(())
            }
            _ => {
                let entry = world.body(self)?;
                Err(wrong_kind(self, entry, "kinematic bodies", "moved by code; see `set_pose`"))
            }
        }
    }
}

impl Move for ObstacleHandle {
    fn set_target(self, world: &mut World, pose: Pose) -> Result<(), WorldError> {
        let entry = world.obstacles.get_mut(self.0).ok_or_else(|| not_here("obstacle", &self))?;
        entry.target = Some(pose);
        Ok(())
    }
}

/// Refuses a state that cannot be.
pub(super) fn check_rigid(state: &RigidState) -> Result<(), WorldError> {
    sound("position", state.centre)?;
    sound("velocity", state.velocity)?;
    sound("spin", state.spin)?;
    check_rotation(state.turn).map(drop)
}

/// Refuses a pose that cannot be.
pub(super) fn check_pose(pose: Pose) -> Result<Pose, WorldError> {
    let position = sound("position", pose.position)?;
    Ok(Pose { position, rotation: check_rotation(pose.rotation)? })
}

impl World {
    /// Moves a kinematic body or an obstacle to a pose within the next step.
    ///
    /// It pushes what it meets. Without another call it then stays there.
    ///
    /// ```
    /// use pliant::prelude::*;
    ///
    /// let mut world = World::new();
    /// let lift = world.add(Obstacle::cuboid(vec3(1.0, 1.0, 0.1)))?;
    /// let load = world.add(RigidBody::cuboid(Vec3::splat(0.2)).at(vec3(0.0, 0.0, 0.16)))?;
    /// for step in 1..=60 {
    ///     world.move_to(lift, Pose::at(vec3(0.0, 0.0, 0.01 * f64::from(step))))?;
    ///     world.step()?;
    /// }
    /// assert!(world.centre(load)?.z > 0.7);
    /// # Ok::<(), WorldError>(())
    /// ```
    pub fn move_to(&mut self, handle: impl Move, pose: Pose) -> Result<(), WorldError> {
        handle.set_target(self, check_pose(pose)?)
    }

    /// Puts a rigid or kinematic body somewhere at once; its velocity stays.
    pub fn set_pose(&mut self, body: BodyHandle, pose: Pose) -> Result<(), WorldError> {
        let pose = check_pose(pose)?;
        let entry = self.body(body)?;
        match &entry.model.kind {
            BodyModelKind::Kinematic(_) => {
                let places: Vec<Vec3> =
                    entry.model.mesh.positions().iter().map(|p| pose.world_from_body(*p)).collect();
                if let BodyModelKind::Kinematic(driven) = &mut self.body_mut(body)?.model.kind {
                    (driven.pose, driven.target) = (pose, None);
                }
                self.write_positions(body, &places)?;
                self.is_current = false;
            }
            BodyModelKind::Rigid(rigid) => {
                let rigid = rigid.clone();
                self.change_rigid(body, |state| *state = rigid.placed(pose, state))?;
            }
            BodyModelKind::Soft(_) | BodyModelKind::Fixed => {
                let needed = "rigid and kinematic bodies";
                return Err(wrong_kind(body, entry, needed, "put at a pose; see `set_positions`"));
            }
        }
        self.wake();
        Ok(())
    }

    /// Puts the vertices of a soft body somewhere at once, m; velocities stay.
    pub fn set_positions(&mut self, body: BodyHandle, places: &[Vec3]) -> Result<(), WorldError> {
        let entry = self.body(body)?;
        if !matches!(entry.model.kind, BodyModelKind::Soft(_)) {
            return Err(wrong_kind(body, entry, "soft bodies", "given positions; see `set_pose`"));
        }
        let (given, expected) = (places.len(), entry.len());
        if given != expected {
            return Err(WorldError::Count { what: "positions", given, expected });
        }
        for place in places {
            sound("position of a vertex", *place)?;
        }
        self.write_positions(body, places)?;
        self.wake();
        Ok(())
    }

    fn write_positions(&mut self, body: BodyHandle, places: &[Vec3]) -> Result<(), WorldError> {
        let range = self.range(self.body(body)?)?;
        match range {
            Some(range) => self.simulation.state.positions[range].copy_from_slice(places),
            None => self.body_mut(body)?.state.positions.copy_from_slice(places),
        }
        Ok(())
    }

    /// Sets the velocity of a body, m/s; all vertices of a soft one get it.
    pub fn set_velocity(&mut self, body: BodyHandle, velocity: Vec3) -> Result<(), WorldError> {
        sound("velocity", velocity)?;
        self.check_free(body, "given a velocity")?;
        match self.body(body)?.model.kind {
            BodyModelKind::Rigid(_) => {
                self.change_rigid(body, |state| state.velocity = velocity)?;
            }
            _ => self.change_velocities(body, |_, own| *own = velocity)?,
        }
        self.wake();
        Ok(())
    }

    /// Sets the angular velocity of a rigid body, rad/s.
    pub fn set_spin(&mut self, body: BodyHandle, spin: Vec3) -> Result<(), WorldError> {
        sound("spin", spin)?;
        self.change_rigid(body, |state| state.spin = spin)?;
        self.wake();
        Ok(())
    }

    /// Pushes a body by an impulse, N·s, at a point, m.
    ///
    /// All vertices of a soft body share it, by mass: it is not turned.
    pub fn apply_impulse(
        &mut self,
        body: BodyHandle,
        impulse: Vec3,
        point: Vec3,
    ) -> Result<(), WorldError> {
        sound("impulse", impulse)?;
        sound("point", point)?;
        self.check_free(body, "pushed")?;
        let mass = self.mass(body)?;
        match &self.body(body)?.model.kind {
            BodyModelKind::Rigid(rigid) => {
                let rigid = rigid.body.clone();
                self.change_rigid(body, |state| state.push(&rigid, point, impulse))?;
            }
            _ => {
                let change = sound("impulse over the mass", impulse / mass)?;
                self.change_velocities(body, |_, own| *own += change)?;
            }
        }
        self.wake();
        Ok(())
    }

    /// Sets a force on a body, N, shared by mass; it acts until it is set again.
    pub fn set_force(&mut self, body: BodyHandle, force: Vec3) -> Result<(), WorldError> {
        sound("force", force)?;
        self.check_free(body, "pushed")?;
        self.body_mut(body)?.force = force;
        self.wake();
        if self.is_current {
            self.refresh_loads();
        }
        Ok(())
    }

    /// Changes the material of a soft body; its rest shape stays.
    pub fn set_material(
        &mut self,
        body: BodyHandle,
        material: SoftMaterial,
    ) -> Result<(), WorldError> {
        let entry = self.body_mut(body)?;
        let BodyModelKind::Soft(own) = &mut entry.model.kind else {
            let entry = self.body(body)?;
            return Err(wrong_kind(body, entry, "soft bodies", "given a material"));
        };
        check_material(&entry.model.mesh, &entry.model.start, &material)?;
        *own = material;
        self.reuse.tets = false;
        self.is_current = false;
        self.wake();
        Ok(())
    }

    /// Changes friction, restitution and group of a body or an obstacle.
    ///
    /// ```
    /// use pliant::prelude::*;
    ///
    /// let mut world = World::new();
    /// world.add(Obstacle::plane(Vec3::Z, 0.0))?;
    /// let crate_ = RigidBody::cuboid(Vec3::splat(0.2)).at(vec3(0.0, 0.0, 0.11));
    /// let crate_ = world.add(crate_.velocity(Vec3::X).friction(0.0))?;
    /// (0..30).try_for_each(|_| world.step().map(drop))?;
    /// assert!(world.velocity(crate_)?.x > 0.99); // it slides
    /// world.set_surface(crate_, SurfaceRule { friction: Some(0.8), ..SurfaceRule::default() })?;
    /// (0..30).try_for_each(|_| world.step().map(drop))?;
    /// assert!(world.velocity(crate_)?.x < 0.01); // and stops
    /// # Ok::<(), WorldError>(())
    /// ```
    pub fn set_surface(
        &mut self,
        of: impl Into<Collider>,
        surface: SurfaceRule,
    ) -> Result<(), WorldError> {
        check_surface(surface)?;
        match of.into() {
            Collider::Body(body) => {
                self.body_mut(body)?.model.surface = surface;
                self.refresh_rules();
            }
            Collider::Obstacle(obstacle) => {
                let entry = self.obstacles.get_mut(obstacle.0);
                let entry = entry.ok_or_else(|| not_here("obstacle", &obstacle))?;
                entry.placement.surface = surface;
                self.is_current = false;
            }
        }
        self.wake();
        Ok(())
    }

    /// Lets two groups pass through each other.
    ///
    /// ```
    /// use pliant::prelude::*;
    ///
    /// let mut world = World::new();
    /// world.add(Obstacle::plane(Vec3::Z, 0.0).group(Group::A))?;
    /// let ghost = world.add(RigidBody::cuboid(Vec3::ONE).at(Vec3::Z).group(Group::B))?;
    /// world.ignore(Group::A, Group::B);
    /// for _ in 0..60 {
    ///     world.step()?;
    /// }
    /// assert!(world.centre(ghost)?.z < -3.0); // through the floor
    /// # Ok::<(), WorldError>(())
    /// ```
    pub fn ignore(&mut self, a: Group, b: Group) {
        self.rules.ignore(a, b);
        self.refresh_rules();
    }

    /// Lets two groups meet again.
    pub fn unignore(&mut self, a: Group, b: Group) {
        self.rules.unignore(a, b);
        self.refresh_rules();
    }

    /// Lets a body pass through another body or an obstacle.
    pub fn ignore_pair(
        &mut self,
        body: BodyHandle,
        other: impl Into<Collider>,
    ) -> Result<(), WorldError> {
        let other = other.into();
        self.forget_pair(body, other)?;
        self.ignored_pairs.push((body, other));
        self.refresh_rules();
        Ok(())
    }

    /// Lets a body meet another body or an obstacle again.
    pub fn unignore_pair(
        &mut self,
        body: BodyHandle,
        other: impl Into<Collider>,
    ) -> Result<(), WorldError> {
        self.forget_pair(body, other.into())?;
        self.refresh_rules();
        Ok(())
    }

    fn forget_pair(&mut self, body: BodyHandle, other: Collider) -> Result<(), WorldError> {
        self.body(body)?;
        match other {
            Collider::Body(second) => drop(self.body(second)?),
            Collider::Obstacle(second) => drop(self.obstacle(second)?),
        }
        let turned = match other {
            Collider::Body(second) => Some((second, Collider::Body(body))),
            Collider::Obstacle(_) => None,
        };
        let is_pair =
            |pair: &(BodyHandle, Collider)| *pair == (body, other) || Some(*pair) == turned;
        self.ignored_pairs.retain(|pair| !is_pair(pair));
        Ok(())
    }

    fn refresh_rules(&mut self) {
        if self.is_current {
            let rules = self.contact_rules();
            if let Some(contact) = self.simulation.stepper.contact_mut() {
                *contact.rules_mut() = rules;
            }
        }
        self.wake();
    }

    /// Pins vertices of a soft body, counted in the body, where they are.
    pub fn pin(&mut self, body: BodyHandle, vertices: &[VertexId]) -> Result<(), WorldError> {
        let entry = self.body(body)?;
        if !matches!(entry.model.kind, BodyModelKind::Soft(_)) {
            return Err(wrong_kind(body, entry, "soft bodies", "pinned"));
        }
        let count = entry.len();
        if let Some(&vertex) = vertices.iter().find(|vertex| vertex.index() >= count) {
            return Err(WorldError::NoSuchVertex { vertex, count });
        }
        let places = self.positions(body)?;
        let new: Vec<_> = vertices.iter().map(|v| (*v, places[v.index()])).collect();
        self.body_mut(body)?.model.pins.push(Pinning { vertices: new, path: None });
        self.is_current = false;
        Ok(())
    }

    /// Lets all pinned vertices of a body go.
    pub fn unpin(&mut self, body: BodyHandle) -> Result<(), WorldError> {
        self.body_mut(body)?.model.pins.clear();
        self.is_current = false;
        Ok(())
    }

    /// Lets some pinned vertices of a body go, counted in the body; its other pins stay.
    pub fn unpin_vertices(
        &mut self,
        body: BodyHandle,
        vertices: &[VertexId],
    ) -> Result<(), WorldError> {
        for pinning in &mut self.body_mut(body)?.model.pins {
            pinning.vertices.retain(|(vertex, _)| !vertices.contains(vertex));
        }
        self.is_current = false;
        Ok(())
    }

    /// Changes the state of a rigid body.
    fn change_rigid(
        &mut self,
        body: BodyHandle,
        change: impl FnOnce(&mut RigidState),
    ) -> Result<(), WorldError> {
        let entry = self.body(body)?;
        if !matches!(entry.model.kind, BodyModelKind::Rigid(_)) {
            return Err(wrong_kind(body, entry, "rigid bodies", "given a spin"));
        }
        let id = entry.id;
        self.check_simulation(&self.simulation, &self.layout)?;
        let Simulation { state, system, .. } = &mut self.simulation;
        match id.and_then(|id| system.rigids.index(id)) {
            Some(place) => {
                let [own, assembled] = self.layout.rigid_axes[place];
                let mut now = state.rigids[place].with_axes_of(&assembled, &own);
                change(&mut now);
                check_rigid(&now)?;
                state.rigids[place] = now.with_axes_of(&own, &assembled);
                system.rigids.write(state);
            }
            None => {
                let entry = self.body_mut(body)?;
                let Some(mut state) = entry.state.rigid else { return Ok(()) };
                change(&mut state);
                check_rigid(&state)?;
                entry.state.rigid = Some(state);
                if let BodyModelKind::Rigid(rigid) = &entry.model.kind {
                    let places: Vec<Vec3> =
                        rigid.body.points.iter().map(|r| state.point(*r)).collect();
                    entry.state.velocities = places.iter().map(|p| state.velocity_at(*p)).collect();
                    entry.state.positions = places;
                }
            }
        }
        Ok(())
    }

    /// Changes the velocities of the vertices of a soft body that are free.
    fn change_velocities(
        &mut self,
        body: BodyHandle,
        change: impl Fn(VertexId, &mut Vec3),
    ) -> Result<(), WorldError> {
        let range = self.range(self.body(body)?)?;
        let pins = self.body(body)?.model.pins.iter().flat_map(|pinning| &pinning.vertices);
        let pins: Vec<VertexId> = pins.map(|(vertex, _)| *vertex).collect();
        let own = match range {
            Some(range) => &mut self.simulation.state.velocities[range],
            None => &mut self.body_mut(body)?.state.velocities[..],
        };
        for (vertex, velocity) in own.iter_mut().enumerate() {
            let vertex = VertexId(vertex as u32);
            if !pins.contains(&vertex) {
                change(vertex, velocity);
            }
        }
        Ok(())
    }

    /// Refuses a kinematic body, which nothing moves but its path.
    pub(super) fn check_free(
        &self,
        body: BodyHandle,
        verb: &'static str,
    ) -> Result<(), WorldError> {
        let entry = self.body(body)?;
        match entry.model.kind {
            BodyModelKind::Kinematic(_) | BodyModelKind::Fixed => {
                Err(wrong_kind(body, entry, "soft and rigid bodies", verb))
            }
            BodyModelKind::Soft(_) | BodyModelKind::Rigid(_) => Ok(()),
        }
    }

    pub(super) fn wake(&mut self) {
        self.is_searched = false;
        self.simulation.stepper.wake_all();
    }
}
