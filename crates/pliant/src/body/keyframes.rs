//! Poses at given moments, and the motion between them.
//!
//! Positions go straight and at constant speed from one keyframe to the next, rotations the
//! shorter way about a fixed axis; before the first and after the last everything rests.

use crate::math::{Quat, Vec3};

/// Below this sine of half the angle two rotations are the same.
const SAME_ROTATION: f64 = 1e-150;

/// Where something is and how it is turned, at a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Keyframe {
    /// Since the start, s.
    pub time: f64,
    /// World space, m.
    pub position: Vec3,
    /// World from body, unit quaternion.
    pub rotation: Quat,
}

/// Where something is and how it is turned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// World space, m.
    pub position: Vec3,
    /// World from body, unit quaternion.
    pub rotation: Quat,
}

/// Why keyframes describe no motion.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum KeyframeError {
    /// No keyframe.
    #[error("there is no keyframe: at least one is needed")]
    Empty,
    /// A time that is not finite, or not after the one before.
    #[error("keyframe {index} is at {time} s: times must be finite and ascend")]
    Time {
        /// First such keyframe.
        index: usize,
        /// Its time, s.
        time: f64,
    },
    /// A position that is infinite or not a number.
    #[error("keyframe {index} has position {position}: it must be finite")]
    Position {
        /// First such keyframe.
        index: usize,
        /// Its position, m.
        position: Vec3,
    },
    /// A quaternion that is no rotation.
    #[error("keyframe {index} has quaternion {rotation}: it must be finite and not zero")]
    Rotation {
        /// First such keyframe.
        index: usize,
        /// Its quaternion.
        rotation: Quat,
    },
}

/// A motion through poses.
#[derive(Clone, Debug, PartialEq)]
pub struct Keyframes {
    /// At least one; times ascend, rotations have unit length.
    frames: Vec<Keyframe>,
}

/// Position and rotation change at these rates.
struct Rates {
    /// Frame that the stretch begins with.
    from: Keyframe,
    /// m/s.
    velocity: Vec3,
    /// About world axes, rad/s.
    spin: Vec3,
}

impl Keyframes {
    /// A motion through poses at ascending times; quaternions of any length but zero.
    pub fn new(mut frames: Vec<Keyframe>) -> Result<Keyframes, KeyframeError> {
        if frames.is_empty() {
            return Err(KeyframeError::Empty);
        }
        let mut before = f64::NEG_INFINITY;
        for (index, frame) in frames.iter_mut().enumerate() {
            let Keyframe { time, position, rotation } = *frame;
            if !(time > before && time.is_finite()) {
                return Err(KeyframeError::Time { index, time });
            }
            if !position.is_finite() {
                return Err(KeyframeError::Position { index, position });
            }
            let length = rotation.length();
            if !(length > 0.0 && length.is_finite()) {
                return Err(KeyframeError::Rotation { index, rotation });
            }
            (before, frame.rotation) = (time, rotation / length);
        }
        Ok(Keyframes { frames })
    }

    /// The pose at a moment, s.
    pub fn pose(&self, time: f64) -> Pose {
        let Rates { from, velocity, spin } = self.rates(time);
        let passed = (time - from.time).max(0.0);
        if velocity == Vec3::ZERO && spin == Vec3::ZERO {
            return Pose { position: from.position, rotation: from.rotation };
        }
        Pose {
            position: from.position + passed * velocity,
            rotation: Quat::from_scaled_axis(passed * spin) * from.rotation,
        }
    }

    /// Velocity of a point in world space that moves with the pose, m/s.
    ///
    /// At a keyframe that of the stretch that begins there.
    pub fn velocity_at(&self, time: f64, point: Vec3) -> Vec3 {
        let Rates { velocity, spin, .. } = self.rates(time);
        velocity + spin.cross(point - self.pose(time).position)
    }

    fn rates(&self, time: f64) -> Rates {
        let after = self.frames.partition_point(|frame| frame.time <= time);
        let from = self.frames[after.max(1) - 1];
        match self.frames.get(after) {
            Some(to) if after > 0 => {
                let duration = to.time - from.time;
                let velocity = (to.position - from.position) / duration;
                Rates { from, velocity, spin: turn(from.rotation, to.rotation) / duration }
            }
            _ => Rates { from, velocity: Vec3::ZERO, spin: Vec3::ZERO },
        }
    }
}

/// The shorter way from one rotation to another: axis times angle, rad.
fn turn(from: Quat, to: Quat) -> Vec3 {
    let by = to * from.conjugate();
    let by = if by.w < 0.0 { -by } else { by };
    let sine = by.xyz().length();
    if sine < SAME_ROTATION {
        return Vec3::ZERO;
    }
    by.xyz() * (2.0 * sine.atan2(by.w) / sine)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

    /// Sums and sines of a few numbers of about one.
    const ROUNDING: f64 = 1e-14;

    fn quarter_turn() -> Keyframes {
        let frame = |time, position, angle| Keyframe {
            time,
            position,
            rotation: Quat::from_rotation_z(angle) * 3.0,
        };
        let frames = vec![frame(1.0, Vec3::ZERO, 0.0), frame(3.0, Vec3::X, FRAC_PI_2)];
        Keyframes::new(frames).unwrap()
    }

    #[test]
    fn halfway_in_time_is_halfway_in_place_and_angle() {
        let pose = quarter_turn().pose(2.0);
        assert!(pose.position.abs_diff_eq(0.5 * Vec3::X, ROUNDING));
        assert!(pose.rotation.abs_diff_eq(Quat::from_rotation_z(FRAC_PI_4), ROUNDING));
    }

    #[test]
    fn ends_are_clamped_and_at_rest() {
        let path = quarter_turn();
        assert_eq!((path.pose(-5.0), path.pose(9.0)), (path.pose(1.0), path.pose(3.0)));
        assert!(path.pose(9.0).rotation.abs_diff_eq(Quat::from_rotation_z(FRAC_PI_2), ROUNDING));
        assert_eq!([0.5, 3.0, 9.0].map(|t| path.velocity_at(t, Vec3::Y)), [Vec3::ZERO; 3]);
    }

    #[test]
    fn velocity_is_that_of_a_point_that_turns_with_the_pose() {
        // ½ m/s along x, and π/4 rad/s about z at 1 m from the axis, towards −x.
        let found = quarter_turn().velocity_at(2.0, Vec3::new(0.5, 1.0, 0.0));
        assert!(found.abs_diff_eq(Vec3::new(0.5 - FRAC_PI_4, 0.0, 0.0), ROUNDING), "{found}");
    }

    #[test]
    fn what_is_no_motion_is_named() {
        let frame =
            |time| Keyframe { time, position: Vec3::ZERO, rotation: Quat::from_rotation_x(1.0) };
        let message = |frames| Keyframes::new(frames).unwrap_err().to_string();
        assert!(message(vec![]).starts_with("there is no keyframe"));
        assert!(message(vec![frame(1.0), frame(1.0)]).starts_with("keyframe 1 is at 1 s"));
        assert!(message(vec![frame(f64::NAN)]).starts_with("keyframe 0 is at NaN s"));
        let zero = Keyframe { rotation: Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), ..frame(0.0) };
        assert!(message(vec![zero]).starts_with("keyframe 0 has quaternion"));
        let far = Keyframe { position: Vec3::INFINITY, ..frame(0.0) };
        assert!(message(vec![far]).starts_with("keyframe 0 has position"));
    }
}
