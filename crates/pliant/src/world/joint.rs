//! Joints, as they are described to a world.

use crate::body::rigid::RigidState;
use crate::math::{Quat, Vec3};
use crate::solve::joint::{Axis, JointDefinition, JointKind, Joints, Motor};
use crate::world::body_model::BodyModelKind;
use crate::world::error::sound;
use crate::world::read::{not_here, wrong_kind};
use crate::world::{BodyHandle, JointHandle, World, WorldError};

/// A world at rest at the origin, as the second body of a joint.
const GROUND: RigidState =
    RigidState { centre: Vec3::ZERO, turn: Quat::IDENTITY, velocity: Vec3::ZERO, spin: Vec3::ZERO };

/// A joint between two rigid bodies, or a rigid body and the world.
///
/// Anchor and axis are in world space, where the bodies are when it is added.
///
/// ```
/// use pliant::prelude::*;
///
/// let mut world = World::new();
/// let door = world.add(RigidBody::cuboid(vec3(0.8, 0.04, 2.0)).density(600.0))?;
/// let hinge = Joint::hinge(door, None, vec3(-0.4, 0.0, 0.0), Vec3::Z).limits(0.0, 1.5);
/// let hinge = world.add(hinge.motor(1.0, 500.0))?; // rad/s, with at most 500 N·m
/// for _ in 0..120 {
///     world.step()?;
/// }
/// assert!(world.travel(hinge)?.is_some_and(|angle| (angle - 1.5).abs() < 0.01));
/// # Ok::<(), WorldError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Joint {
    pub(super) bodies: (BodyHandle, Option<BodyHandle>),
    pub(super) kind: JointKind,
    pub(super) anchor: Vec3,
    pub(super) collide: bool,
    /// What was set that the joint does not have.
    pub(super) wrong: Option<&'static str>,
}

impl Joint {
    /// Lets the first body turn about a point, m, of the second; of the world without one.
    pub fn ball(first: BodyHandle, second: impl Into<Option<BodyHandle>>, anchor: Vec3) -> Joint {
        Joint::made(first, second.into(), JointKind::Ball, anchor)
    }

    /// Lets it turn about an axis through a point, m.
    pub fn hinge(
        first: BodyHandle,
        second: impl Into<Option<BodyHandle>>,
        anchor: Vec3,
        axis: Vec3,
    ) -> Joint {
        Joint::made(first, second.into(), JointKind::Hinge(Axis::free(axis)), anchor)
    }

    /// Lets it slide along an axis, without turning.
    pub fn slider(first: BodyHandle, second: impl Into<Option<BodyHandle>>, axis: Vec3) -> Joint {
        Joint::made(first, second.into(), JointKind::Slider(Axis::free(axis)), Vec3::ZERO)
    }

    /// Holds it as it is.
    pub fn fixed(first: BodyHandle, second: impl Into<Option<BodyHandle>>) -> Joint {
        Joint::made(first, second.into(), JointKind::Fixed, Vec3::ZERO)
    }

    fn made(first: BodyHandle, second: Option<BodyHandle>, kind: JointKind, anchor: Vec3) -> Joint {
        Joint { bodies: (first, second), kind, anchor, collide: false, wrong: None }
    }

    /// Least and greatest travel from here, rad of a hinge, m of a slider.
    pub fn limits(mut self, least: f64, most: f64) -> Joint {
        match self.axis_mut() {
            Some(axis) => axis.limits = Some([least, most]),
            None => self.wrong = Some("limits"),
        }
        self
    }

    /// Drives the axis at a speed, rad/s or m/s, with at most a torque, N·m, or force, N.
    pub fn motor(mut self, speed: f64, most: f64) -> Joint {
        match self.axis_mut() {
            Some(axis) => axis.motor = Some(Motor { speed, most }),
            None => self.wrong = Some("motor"),
        }
        self
    }

    /// Lets the two bodies collide; by default joined bodies do not.
    pub fn colliding(mut self) -> Joint {
        self.collide = true;
        self
    }

    /// The motor, if there is one.
    pub(super) fn motor_of(&self) -> Option<Motor> {
        match &self.kind {
            JointKind::Hinge(axis) | JointKind::Slider(axis) => axis.motor,
            JointKind::Ball | JointKind::Fixed => None,
        }
    }

    /// Replaces the motor; does nothing without an axis.
    pub(super) fn set_motor_of(&mut self, motor: Option<Motor>) {
        if let Some(axis) = self.axis_mut() {
            axis.motor = motor;
        }
    }

    fn axis_mut(&mut self) -> Option<&mut Axis> {
        match &mut self.kind {
            JointKind::Hinge(axis) | JointKind::Slider(axis) => Some(axis),
            JointKind::Ball | JointKind::Fixed => None,
        }
    }
}

/// A joint of a world.
#[derive(Clone, Debug)]
pub(super) struct JointEntry {
    pub joint: Joint,
    /// Where the two bodies were when it was added; the second of the world at its origin.
    pub references: [RigidState; 2],
    /// Travel along the axis since then, rad or m.
    pub travel: f64,
}

impl World {
    /// Sets or removes the motor of a hinge, rad/s and N·m, or a slider, m/s and N.
    pub fn set_motor(
        &mut self,
        joint: JointHandle,
        motor: Option<(f64, f64)>,
    ) -> Result<(), WorldError> {
        let motor = motor.map(|(speed, most)| Motor { speed, most });
        let known = self.joints.get(joint.0).ok_or_else(|| not_here("joint", &joint))?;
        let mut changed = known.joint;
        match &mut changed.kind {
            JointKind::Hinge(axis) | JointKind::Slider(axis) => axis.motor = motor,
            JointKind::Ball | JointKind::Fixed => return Err(WorldError::NoAxis { what: "motor" }),
        }
        self.check_joint(&changed)?;
        if let Some(entry) = self.joints.get_mut(joint.0) {
            entry.joint = changed;
        }
        if let (true, Some(place)) = (self.is_current, self.joints.place(joint.0)) {
            self.simulation.system.joints.set_motor(place, motor)?;
        }
        self.wake();
        Ok(())
    }

    /// A joint with its bodies where they are now.
    pub(super) fn joint_entry(&self, joint: Joint) -> Result<JointEntry, WorldError> {
        if let Some(what) = joint.wrong {
            return Err(WorldError::NoAxis { what });
        }
        let (first, second) = joint.bodies;
        if second == Some(first) {
            return Err(WorldError::SameBody { body: first.to_string() });
        }
        let entry = self.body(first)?;
        let Some(a) = self.rigid_state(entry) else {
            return Err(wrong_kind(first, entry, "rigid bodies", "the first of a joint"));
        };
        let b = match second {
            None => GROUND,
            Some(second) => self.joined(second)?,
        };
        self.check_joint(&joint)?;
        Ok(JointEntry { joint, references: [a, b], travel: 0.0 })
    }

    /// State of the second body of a joint.
    fn joined(&self, body: BodyHandle) -> Result<RigidState, WorldError> {
        let entry = self.body(body)?;
        match (&entry.model.kind, self.rigid_state(entry)) {
            (BodyModelKind::Kinematic(driven), _) => Ok(RigidState {
                centre: driven.pose.position,
                turn: driven.pose.rotation,
                ..GROUND
            }),
            (_, Some(state)) => Ok(state),
            _ => Err(wrong_kind(body, entry, "rigid and kinematic bodies", "joined")),
        }
    }

    /// Refuses an axis, limits or a motor that cannot be.
    fn check_joint(&self, joint: &Joint) -> Result<(), WorldError> {
        sound("anchor", joint.anchor)?;
        let list = vec![JointDefinition::new(joint.kind, (0, None), joint.anchor)];
        let entry = self.body(joint.bodies.0)?;
        if let BodyModelKind::Rigid(rigid) = &entry.model.kind {
            let state = self.rigid_state(entry).unwrap_or(GROUND);
            Joints::new(list, &[&rigid.body], &[state])?;
        }
        Ok(())
    }

    /// Lets the world's side of joints with kinematic bodies move with these.
    pub(super) fn drive_joints(&mut self) {
        let dt = self.settings.dt;
        for (place, (_, entry)) in self.joints.iter().enumerate() {
            let Some(second) = entry.joint.bodies.1 else { continue };
            let Some(BodyModelKind::Kinematic(driven)) =
                self.bodies.get(second.0).map(|entry| &entry.model.kind)
            else {
                continue;
            };
            let (from, to) = (driven.pose, driven.target.unwrap_or(driven.pose));
            let turn = to.rotation * from.rotation.conjugate();
            let turn = if turn.w < 0.0 { -turn } else { turn };
            let ground = RigidState {
                centre: from.position,
                turn: from.rotation,
                velocity: (to.position - from.position) / dt,
                spin: turn.to_scaled_axis() / dt,
            };
            self.simulation.system.joints.set_ground(place, ground);
        }
    }
}
