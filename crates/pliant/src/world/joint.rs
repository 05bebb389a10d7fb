//! Joints, as they are described to a world.

use crate::body::rigid::RigidState;
use crate::math::Vec3;
use crate::solve::joint::{Axis, JointKind, Motor};
use crate::world::BodyHandle;

/// A joint between two rigid bodies, or a rigid body and the world.
///
/// Anchor and axis are in world space, where the bodies are when it is added.
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
