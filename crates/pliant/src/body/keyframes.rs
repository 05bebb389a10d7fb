//! Rigid motion prescribed by poses at given times.
//!
//! Between two keyframes the position moves on a line at constant speed and the rotation
//! turns about one axis at constant rate, the shorter way round. Before the first and after
//! the last keyframe nothing moves.

use crate::math::{Quat, Vec3, unit_quat};

/// Pose of a rigid body: first rotated, then translated.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Pose {
    /// Of the body's origin, world space, m.
    pub position: Vec3,
    /// World from body, unit quaternion.
    pub rotation: Quat,
}

impl Pose {
    /// At the origin, not rotated.
    pub const IDENTITY: Pose = Pose { position: Vec3::ZERO, rotation: Quat::IDENTITY };

    /// At a position, m, not rotated.
    pub fn at(position: Vec3) -> Pose {
        Pose { position, rotation: Quat::IDENTITY }
    }

    /// The pose that leads the body's z axis to `axis`, of any length.
    ///
    /// `None` when the axis is zero or not finite.
    pub fn along(position: Vec3, axis: Vec3) -> Option<Pose> {
        let axis = axis.try_normalize()?;
        Some(Pose { position, rotation: Quat::from_rotation_arc(Vec3::Z, axis) })
    }

    /// A point of the body in world space, m.
    #[inline]
    pub fn world_from_body(self, point: Vec3) -> Vec3 {
        self.rotation * point + self.position
    }

    /// A point of the world in body space, m.
    #[inline]
    pub fn body_from_world(self, point: Vec3) -> Vec3 {
        self.rotation.conjugate() * (point - self.position)
    }
}

/// Pose of a rigid body at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Keyframe {
    /// Time, s.
    pub time: f64,
    /// Of the body's origin, world space, m.
    pub position: Vec3,
    /// World from body; normalised when the motion is made.
    pub rotation: Quat,
}

/// Why poses do not make a motion.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum KeyframeError {
    /// No keyframe at all.
    #[error("a motion needs at least one keyframe")]
    Empty,
    /// A time that is not finite, or not after the one before.
    #[error("keyframe {index} is at {time} s, which is not after {before} s")]
    Time {
        /// First such keyframe.
        index: usize,
        /// Its time, s.
        time: f64,
        /// The time before it, s; minus infinity for the first.
        before: f64,
    },
    /// A position that is not finite.
    #[error("keyframe {index} is at {position}, which is not finite")]
    Position {
        /// First such keyframe.
        index: usize,
        /// Its position, m.
        position: Vec3,
    },
    /// A quaternion that is no rotation.
    #[error("keyframe {index} has rotation {rotation}, which has no direction")]
    Rotation {
        /// First such keyframe.
        index: usize,
        /// Its rotation.
        rotation: Quat,
    },
}

/// Velocity of a rigid body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Twist {
    /// Of the body's origin, m/s.
    pub linear: Vec3,
    /// Axis times rate, world space, rad/s.
    pub angular: Vec3,
}

impl Twist {
    const STILL: Twist = Twist { linear: Vec3::ZERO, angular: Vec3::ZERO };

    /// Velocity of the point at `arm` from the body's origin, m/s.
    #[inline]
    pub(crate) fn at(self, arm: Vec3) -> Vec3 {
        self.linear + self.angular.cross(arm)
    }
}

/// A motion along keyframes.
#[derive(Clone, Debug, PartialEq)]
pub struct Keyframes {
    /// At least one; times finite and ascending, positions finite, rotations unit.
    frames: Vec<Keyframe>,
}

impl Keyframes {
    /// The motion through these poses, which must be in order of time.
    pub fn new(mut frames: Vec<Keyframe>) -> Result<Keyframes, KeyframeError> {
        let mut before = f64::NEG_INFINITY;
        for (index, frame) in frames.iter_mut().enumerate() {
            let Keyframe { time, position, rotation } = *frame;
            if !(time > before && time.is_finite()) {
                return Err(KeyframeError::Time { index, time, before });
            }
            if !position.is_finite() {
                return Err(KeyframeError::Position { index, position });
            }
            let Some(unit) = unit_quat(rotation) else {
                return Err(KeyframeError::Rotation { index, rotation });
            };
            frame.rotation = unit;
            before = time;
        }
        if frames.is_empty() { Err(KeyframeError::Empty) } else { Ok(Keyframes { frames }) }
    }

    /// No motion: one pose for all times.
    pub fn still(pose: Pose) -> Result<Keyframes, KeyframeError> {
        let Pose { position, rotation } = pose;
        Keyframes::new(vec![Keyframe { time: 0.0, position, rotation }])
    }

    /// Pose of the body at a time; NaN counts as the start.
    pub fn pose(&self, time: f64) -> Pose {
        let (a, b) = match self.around(time) {
            (a, Some(b)) => (a, b),
            (Keyframe { position, rotation, .. }, None) => return Pose { position, rotation },
        };
        let share = (time - a.time) / (b.time - a.time);
        let turned = Quat::from_scaled_axis(share * turn(a.rotation, b.rotation));
        Pose {
            position: a.position + share * (b.position - a.position),
            rotation: turned * a.rotation,
        }
    }

    /// Velocity of the body at a time; at a keyframe, from there on.
    pub(crate) fn twist(&self, time: f64) -> Twist {
        let (a, Some(b)) = self.around(time) else {
            return Twist::STILL;
        };
        let duration = b.time - a.time;
        Twist {
            linear: (b.position - a.position) / duration,
            angular: turn(a.rotation, b.rotation) / duration,
        }
    }

    /// Whether it never moves.
    pub fn is_still(&self) -> bool {
        self.frames.len() == 1
    }

    /// Velocity of the body's point that is at `point` at a time, world space, m/s.
    pub fn velocity_at(&self, time: f64, point: Vec3) -> Vec3 {
        if self.is_still() {
            return Vec3::ZERO;
        }
        self.twist(time).at(point - self.pose(time).position)
    }

    /// Time of the next keyframe, s: where the motion may change next.
    pub(crate) fn next_change(&self, time: f64) -> Option<f64> {
        let next = self.frames.partition_point(|frame| frame.time <= time);
        self.frames.get(next).map(|frame| frame.time)
    }

    /// The keyframes before and after a time; only one where the body does not move.
    fn around(&self, time: f64) -> (Keyframe, Option<Keyframe>) {
        match self.frames.partition_point(|frame| frame.time <= time) {
            0 => (self.frames[0], None),
            next => (self.frames[next - 1], self.frames.get(next).copied()),
        }
    }
}

/// The shorter rotation from one to another: axis times angle, rad.
fn turn(from: Quat, to: Quat) -> Vec3 {
    let between = to * from.conjugate();
    // A quaternion and its negative are the same rotation; the one with w ≥ 0 turns less.
    let between = if between.w < 0.0 { -between } else { between };
    let sine = between.xyz().length();
    if sine == 0.0 {
        return Vec3::ZERO;
    }
    2.0 * libm::atan2(sine, between.w) / sine * between.xyz()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::{FRAC_PI_2, PI};

    /// Numbers below ten, a few products: rounding stays near 1e-15.
    const TOLERANCE: f64 = 1e-12;

    fn frame(time: f64, x: f64, angle: f64) -> Keyframe {
        Keyframe { time, position: x * Vec3::X, rotation: Quat::from_rotation_z(angle) }
    }

    fn sample() -> Keyframes {
        Keyframes::new(vec![frame(1.0, 0.0, 0.0), frame(3.0, 4.0, FRAC_PI_2), frame(4.0, 4.0, 0.0)])
            .unwrap()
    }

    #[test]
    fn poses_lie_between_their_keyframes_and_stop_at_the_ends() {
        let check = |time: f64, x: f64, angle: f64| {
            let found = sample().pose(time);
            assert!(found.position.abs_diff_eq(x * Vec3::X, TOLERANCE), "{time}: {found:?}");
            let expected = Quat::from_rotation_z(angle);
            assert!(found.rotation.dot(expected).abs() > 1.0 - TOLERANCE, "{time}: {found:?}");
        };
        check(-5.0, 0.0, 0.0);
        check(1.0, 0.0, 0.0);
        check(1.5, 1.0, FRAC_PI_2 / 4.0);
        check(3.0, 4.0, FRAC_PI_2);
        check(3.5, 4.0, FRAC_PI_2 / 2.0);
        check(9.0, 4.0, 0.0);
    }

    #[test]
    fn velocity_is_how_a_point_fixed_to_the_body_moves() {
        let (motion, step) = (sample(), 1e-6);
        let point_of_body = Vec3::new(0.3, -0.2, 0.7);
        for time in [0.5, 1.3, 2.9, 3.2, 4.5] {
            let at = |time: f64| motion.pose(time).world_from_body(point_of_body);
            let slope = (at(time + step) - at(time - step)) / (2.0 * step);
            let found = motion.velocity_at(time, at(time));
            assert!(found.abs_diff_eq(slope, 1e-8), "{time}: {found} {slope}");
        }
        // 2 m/s along x, and π/4 rad/s about z at 1 m along y from the origin.
        let found = motion.velocity_at(1.0, Vec3::Y);
        assert!(found.abs_diff_eq((2.0 - PI / 4.0) * Vec3::X, TOLERANCE), "{found}");
    }

    #[test]
    fn rotations_go_the_shorter_way_whatever_the_sign_of_the_quaternion() {
        let mut far = frame(1.0, 0.0, 0.4);
        far.rotation *= -3.0;
        let motion = Keyframes::new(vec![frame(0.0, 0.0, 0.0), far]).unwrap();
        assert!(motion.twist(0.5).angular.abs_diff_eq(0.4 * Vec3::Z, TOLERANCE));
        let more = Keyframes::new(vec![frame(0.0, 0.0, 0.0), frame(1.0, 0.0, 1.5 * PI)]).unwrap();
        assert!(more.twist(0.5).angular.abs_diff_eq(-0.5 * PI * Vec3::Z, TOLERANCE));
    }

    #[test]
    fn keyframes_that_make_no_motion_are_named() {
        let message = |frames: Vec<Keyframe>| Keyframes::new(frames).unwrap_err().to_string();
        assert_eq!(message(vec![]), "a motion needs at least one keyframe");
        let twice = vec![frame(0.0, 0.0, 0.0), frame(0.0, 1.0, 0.0)];
        assert_eq!(message(twice), "keyframe 1 is at 0 s, which is not after 0 s");
        assert!(message(vec![frame(f64::NAN, 0.0, 0.0)]).starts_with("keyframe 0 is at NaN s"));
        assert!(message(vec![frame(f64::INFINITY, 0.0, 0.0)]).starts_with("keyframe 0 is at inf"));
        assert!(message(vec![frame(0.0, f64::NAN, 0.0)]).contains("not finite"));
        let mut flat = frame(0.0, 0.0, 0.0);
        flat.rotation = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
        assert!(message(vec![flat]).starts_with("keyframe 0 has rotation"));
    }

    #[test]
    fn changes_are_told_in_order() {
        let motion = sample();
        let next = [0.0, 1.0, 3.5, 4.0].map(|time| motion.next_change(time));
        assert_eq!(next, [Some(1.0), Some(3.0), Some(4.0), None]);
    }

    #[test]
    fn an_axis_leads_z_to_itself() {
        for axis in [Vec3::Z, -Vec3::Z, Vec3::new(1.0, -2.0, 0.5)] {
            let pose = Pose::along(Vec3::ONE, axis).unwrap();
            let found = pose.world_from_body(Vec3::Z) - Vec3::ONE;
            assert!(found.abs_diff_eq(axis / axis.length(), TOLERANCE), "{axis}: {found}");
            assert!(pose.body_from_world(found + Vec3::ONE).abs_diff_eq(Vec3::Z, TOLERANCE));
        }
        assert_eq!(Pose::along(Vec3::ZERO, Vec3::ZERO), None);
    }
}
