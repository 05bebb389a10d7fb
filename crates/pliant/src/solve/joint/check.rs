//! Validation of joints.

use crate::body::rigid::RigidState;
use crate::math::Vec3;
use crate::solve::joint::{JointDefinition, Motor};

/// Why a joint is rejected.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum JointError {
    /// Both ends at the same body.
    #[error("joint {joint} holds body {body} to itself: name two bodies, or one and the world")]
    Itself {
        /// First such joint.
        joint: usize,
        /// The body.
        body: usize,
    },
    /// A body that does not exist.
    #[error("joint {joint} names body {body}, there are {count}")]
    NoSuchBody {
        /// First such joint.
        joint: usize,
        /// The body it names.
        body: usize,
        /// Bodies given.
        count: usize,
    },
    /// A joint that does not exist.
    #[error("there is no joint {joint}, there are {count}")]
    NoSuchJoint {
        /// The joint that was named.
        joint: usize,
        /// Joints given.
        count: usize,
    },
    /// An anchor that is not finite.
    #[error("joint {joint} holds at {anchor} m, which is not finite")]
    Anchor {
        /// First such joint.
        joint: usize,
        /// The anchor, m.
        anchor: Vec3,
    },
    /// An axis without direction.
    #[error("joint {joint} has axis {axis}: give a direction that is finite and not zero")]
    Axis {
        /// First such joint.
        joint: usize,
        /// The axis.
        axis: Vec3,
    },
    /// Limits that leave no travel, or are not numbers.
    #[error("joint {joint} is limited to {least} … {most}: the first must not exceed the second")]
    Limits {
        /// First such joint.
        joint: usize,
        /// Least travel, m or rad.
        least: f64,
        /// Greatest travel, m or rad.
        most: f64,
    },
    /// A motor whose speed or strength is not valid.
    #[error(
        "the motor of joint {joint} has speed {speed} and at most {most} to drive with: \
         the speed must be finite, the other not negative"
    )]
    Motor {
        /// First such joint.
        joint: usize,
        /// Wanted speed, rad/s or m/s.
        speed: f64,
        /// Greatest torque or force, N·m or N.
        most: f64,
    },
    /// A motor for a joint that has no axis.
    #[error("joint {joint} has no axis to drive: only hinges and sliders take a motor")]
    NoAxis {
        /// The joint.
        joint: usize,
    },
    /// Lists of different length, or not the joints' own.
    #[error("there are {bodies} bodies and {states} states: give those that the joints are for")]
    Counts {
        /// Bodies given.
        bodies: usize,
        /// States given.
        states: usize,
    },
    /// A step that is not positive and finite.
    #[error("the step is {dt} s: give one that is positive and finite")]
    Step {
        /// The step, s.
        dt: f64,
    },
}

/// Rejects what [`JointError`] lists.
pub(super) fn check(
    list: &[JointDefinition],
    count: usize,
    states: &[RigidState],
) -> Result<(), JointError> {
    if states.len() != count {
        return Err(JointError::Counts { bodies: count, states: states.len() });
    }
    for (joint, given) in list.iter().enumerate() {
        let (a, b) = given.bodies;
        if let Some(body) = [Some(a), b].into_iter().flatten().find(|&body| body >= count) {
            return Err(JointError::NoSuchBody { joint, body, count });
        }
        if b == Some(a) {
            return Err(JointError::Itself { joint, body: a });
        }
        if let Some(&anchor) = given.anchors.iter().find(|anchor| !anchor.is_finite()) {
            return Err(JointError::Anchor { joint, anchor });
        }
        if let Some(axis) = given.kind.axis() {
            if direction(axis.direction).is_none() {
                return Err(JointError::Axis { joint, axis: axis.direction });
            }
            check_limits(joint, axis.limits)?;
            check_motor(joint, axis.motor)?;
        }
    }
    Ok(())
}

fn check_limits(joint: usize, limits: Option<[f64; 2]>) -> Result<(), JointError> {
    match limits {
        // Compared so that NaN fails too.
        Some([least, most])
            if !(least <= most && least < f64::INFINITY && most > -f64::INFINITY) =>
        {
            Err(JointError::Limits { joint, least, most })
        }
        _ => Ok(()),
    }
}

pub(super) fn check_motor(joint: usize, motor: Option<Motor>) -> Result<(), JointError> {
    match motor {
        Some(Motor { speed, most }) if !(speed.is_finite() && most >= 0.0) => {
            Err(JointError::Motor { joint, speed, most })
        }
        _ => Ok(()),
    }
}

/// A unit vector along one of any length; `None` when it is zero or not finite.
pub(super) fn direction(along: Vec3) -> Option<Vec3> {
    // Scaled first: the square of a length may be too large or too small for a number.
    (along / along.abs().max_element()).try_normalize()
}
