//! Joints that are rejected.

use super::*;
use crate::solve::joint::JointKind::{self, Ball, Hinge, Slider};
use crate::solve::joint::{Axis, JointDefinition, JointError, Motor};

fn two() -> (Vec<RigidTemplate>, Vec<RigidState>) {
    let part = |k: usize| cuboid(1.0, Vec3::ONE, Vec3::new(k as f64, 0.0, 0.0));
    (0..2).map(part).unzip()
}

#[track_caller]
fn check(joint: JointDefinition, message: &str) {
    let (bodies, states) = two();
    let good = JointDefinition::new(Ball, (0, Some(1)), Vec3::ZERO);
    let error = Joints::new(vec![good, joint], &bodies, &states).unwrap_err();
    assert_eq!(error.to_string(), message);
}

fn with(kind: JointKind) -> JointDefinition {
    JointDefinition::new(kind, (0, Some(1)), Vec3::ZERO)
}

#[test]
fn what_is_no_joint_is_refused() {
    let at = Vec3::ZERO;
    check(
        JointDefinition::new(Ball, (1, Some(1)), at),
        "joint 1 holds body 1 to itself: name two bodies, or one and the world",
    );
    check(JointDefinition::new(Ball, (0, Some(2)), at), "joint 1 names body 2, there are 2");
    check(JointDefinition::new(Ball, (7, None), at), "joint 1 names body 7, there are 2");
    check(
        JointDefinition::new(Ball, (0, None), Vec3::new(0.0, f64::NAN, 0.0)),
        "joint 1 holds at [0, NaN, 0] m, which is not finite",
    );
    for axis in [Vec3::ZERO, Vec3::new(1.0, f64::INFINITY, 0.0), Vec3::NAN] {
        let message =
            format!("joint 1 has axis {axis}: give a direction that is finite and not zero");
        check(with(Hinge(Axis::free(axis))), &message);
    }
    let limits = |limits| with(Slider(Axis { limits: Some(limits), ..Axis::free(Vec3::X) }));
    check(
        limits([0.5, -0.5]),
        "joint 1 is limited to 0.5 … -0.5: the first must not exceed the second",
    );
    check(
        limits([f64::NAN, 1.0]),
        "joint 1 is limited to NaN … 1: the first must not exceed the second",
    );
    let motor = Some(Motor { speed: 1.0, most: -2.0 });
    check(
        with(Hinge(Axis { motor, ..Axis::free(Vec3::X) })),
        "the motor of joint 1 has speed 1 and at most -2 to drive with: \
         the speed must be finite, the other not negative",
    );
}

#[test]
fn axes_of_any_length_are_taken() {
    let (bodies, states) = two();
    for length in [1e-200, 1.0, 1e200] {
        let joint = with(Hinge(Axis::free(Vec3::new(0.0, length, length))));
        assert!(Joints::new(vec![joint], &bodies, &states).is_ok());
    }
}

#[test]
fn lists_and_steps_that_do_not_fit_are_refused() {
    let (bodies, mut states) = two();
    let mut joints = Joints::new(vec![with(Ball)], &bodies, &states).unwrap();
    let error = joints.velocities(&bodies[..1], &mut states, 0.1).unwrap_err();
    assert_eq!(error, JointError::Counts { bodies: 1, states: 2 });
    assert!(joints.positions(&bodies, &mut states[..1]).is_err());
    assert!(Joints::new(vec![], &bodies, &states[..1]).is_err());
    for dt in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(
            joints.velocities(&bodies, &mut states, dt),
            Err(JointError::Step { .. })
        ));
    }
    assert_eq!(joints.set_motor(0, None), Err(JointError::NoAxis { joint: 0 }));
    assert_eq!(joints.set_motor(1, None), Err(JointError::NoSuchJoint { joint: 1, count: 1 }));
}

#[test]
fn states_that_are_no_numbers_end_in_no_panic() {
    let (bodies, mut states) = two();
    let mut joints = Joints::new(vec![with(Ball)], &bodies, &states).unwrap();
    states[0].centre.x = f64::NAN;
    states[1].spin.y = f64::INFINITY;
    assert!(joints.velocities(&bodies, &mut states, 0.1).is_ok());
    assert!(joints.positions(&bodies, &mut states).is_ok());
}

#[test]
fn no_joints_change_nothing() {
    let (bodies, mut states) = two();
    stir(&mut states, 1);
    let before = states.clone();
    let mut joints = Joints::new(vec![], &bodies, &states).unwrap();
    joints.velocities(&bodies, &mut states, 0.1).unwrap();
    joints.positions(&bodies, &mut states).unwrap();
    assert_eq!(states, before);
}
