//! Limits and motors.

use super::*;
use crate::solve::joint::JointKind::{self, Hinge, Slider};
use crate::solve::joint::{Axis, JointDefinition, Motor};

/// Roundings of numbers near one over hundreds of steps.
const TOLERANCE: f64 = 1e-11;

/// A box of 2 kg and 1 m at the origin, jointed to the world there.
fn held(kind: JointKind, gravity: f64) -> World {
    let part = cuboid(2.0, Vec3::ONE, Vec3::ZERO);
    World::new(vec![part], vec![JointDefinition::new(kind, (0, None), Vec3::ZERO)], gravity)
}

/// Of the box about any axis: m (1 + 1) / 12, kg·m².
const INERTIA: f64 = 2.0 / 6.0;

#[test]
fn a_motor_reaches_its_speed_with_its_greatest_torque() {
    let motor = Motor { speed: 3.0, most: 0.5 };
    let mut world = held(Hinge(Axis { motor: Some(motor), ..Axis::free(Vec3::Z) }), 0.0);
    for step in 1..=300 {
        world.step(0.01);
        // The angular velocity grows by torque over inertia until it is reached: after 2 s.
        let spin = (0.5 / INERTIA * 0.01 * f64::from(step)).min(3.0);
        assert!((world.states[0].spin.z - spin).abs() < TOLERANCE, "{step}");
        let torque = world.joints.loads()[0].torque.z;
        assert!(torque <= 0.5 + TOLERANCE, "{torque}");
    }
    assert!(world.joints.travel(0).unwrap() > 5.0);
    world.joints.set_motor(0, Some(Motor { speed: 0.0, most: f64::INFINITY })).unwrap();
    world.step(0.01);
    assert!(world.states[0].spin.length() < TOLERANCE);
    let torque = world.joints.loads()[0].torque.z;
    assert!((torque + 3.0 * INERTIA / 0.01).abs() < 1e-9, "{torque}");
}

#[test]
fn a_weak_motor_slows_the_fall_and_a_strong_one_lifts() {
    for most in [5.0, 40.0] {
        let motor = Motor { speed: 0.5, most };
        let mut world = held(Slider(Axis { motor: Some(motor), ..Axis::free(Vec3::Y) }), GRAVITY);
        for _ in 0..100 {
            world.step(0.01);
        }
        // After 1 s: falling by g − F/m, or at the wanted speed but for half a step of gravity.
        let fall = -(GRAVITY - most / 2.0);
        let speed = if most < 2.0 * GRAVITY { fall } else { 0.5 - 0.005 * GRAVITY };
        let found = world.states[0].velocity.y;
        assert!((found - speed).abs() < TOLERANCE, "{found} {speed}");
    }
}

#[test]
fn limits_hold_and_do_not_stick() {
    let limits = Some([-0.25, 0.5]);
    let mut world = held(Slider(Axis { limits, ..Axis::free(Vec3::Y) }), GRAVITY);
    for _ in 0..100 {
        world.step(0.01);
        let travel = world.joints.travel(0).unwrap();
        assert!((-0.25 - TOLERANCE..=0.0).contains(&travel), "{travel}");
    }
    assert!((world.states[0].centre.y + 0.25).abs() < TOLERANCE);
    let weight = world.joints.loads()[0].force.y;
    assert!((weight - 2.0 * GRAVITY).abs() < 1e-9, "{weight}");
    // Thrown up it leaves at once, and stops at the other end.
    world.states[0].velocity.y = 6.0;
    world.step(0.01);
    assert!(world.states[0].centre.y > -0.2, "it stuck");
    let mut highest = -1.0_f64;
    for _ in 0..20 {
        world.step(0.01);
        highest = highest.max(world.states[0].centre.y);
    }
    assert!((highest - 0.5).abs() < TOLERANCE, "{highest}");
}

#[test]
fn a_hinge_stops_at_its_limit_beyond_a_whole_turn() {
    let limits = Some([-1.0, 8.0]);
    let motor = Some(Motor { speed: 5.0, most: 10.0 });
    let direction = Vec3::Z;
    let mut world = held(Hinge(Axis { direction, limits, motor }), 0.0);
    for _ in 0..400 {
        world.step(0.01);
        assert!(world.joints.travel(0).unwrap() <= 8.0 + TOLERANCE);
    }
    assert!((world.joints.travel(0).unwrap() - 8.0).abs() < TOLERANCE);
    assert!(world.states[0].spin.length() < TOLERANCE);
    // The limit carries the torque of the motor.
    assert!(world.joints.loads()[0].torque.length() < 1e-9);
}

#[test]
fn limits_of_many_joints_hold_together() {
    // A row of hinged boards that falls from straight: each may fold by a tenth only.
    let (parts, mut list) = chain(12, 0.3, 1.0, Vec3::X);
    for joint in &mut list {
        joint.kind = Hinge(Axis { limits: Some([-0.1, 0.1]), ..Axis::free(Vec3::Z) });
    }
    let mut world = World::new(parts, list, GRAVITY);
    for _ in 0..200 {
        world.step(0.005);
        for joint in 0..12 {
            let travel = world.joints.travel(joint).unwrap();
            assert!(travel.abs() < 0.1 + TOLERANCE, "{joint} {travel}");
        }
    }
    // All lie at their limits: the last board has turned by their sum.
    let sum: f64 = (0..12).map(|joint| world.joints.travel(joint).unwrap()).sum();
    assert!((sum + 1.2).abs() < 1e-6, "{sum}");
}

#[test]
fn a_limited_chain_under_a_heavy_weight_stays_together() {
    let (mut parts, mut list) = chain(25, 0.1, 0.1, Vec3::X);
    for joint in &mut list {
        joint.kind = Hinge(Axis { limits: Some([-0.5, 0.5]), ..Axis::free(Vec3::Z) });
    }
    parts.push(cuboid(100.0, Vec3::splat(0.5), Vec3::new(2.5, 0.0, 0.0)));
    list.push(JointDefinition::new(JointKind::Ball, (25, Some(24)), Vec3::new(2.5, 0.0, 0.0)));
    let mut world = World::new(parts, list, GRAVITY);
    for _ in 0..300 {
        let met = world.step(1.0 / 60.0);
        assert!(met.gap.max(met.twist) < TOLERANCE, "{met:?}");
        for joint in 0..25 {
            let travel = world.joints.travel(joint).unwrap();
            assert!(travel.abs() < 0.5 + TOLERANCE, "{joint} {travel}");
        }
    }
}

#[test]
fn a_limit_pushes_or_lets_go_and_never_pulls() {
    let mut pushed = [0, 0];
    for seed in 0..40 {
        // All at their lower limit, and thrown about.
        let (parts, mut list) = chain(8, 0.3, 1.0, Vec3::X);
        for joint in &mut list {
            joint.kind = Hinge(Axis { limits: Some([0.0, 1.0]), ..Axis::free(Vec3::Z) });
        }
        let mut world = World::new(parts, list, 0.0);
        stir(&mut world.states, seed);
        let met = world.joints.velocities(&world.bodies, &mut world.states, 1e-3).unwrap();
        assert!(!met.is_undecided && met.twist < TOLERANCE, "{met:?}");
        for joint in 0..8 {
            let spin = |body: usize| world.states[body].spin.z;
            let speed = spin(joint) - joint.checked_sub(1).map_or(0.0, spin);
            let push = 1e-3 * world.joints.loads()[joint].torque.z;
            assert!(speed > -TOLERANCE && push > -TOLERANCE, "{seed} {joint} {speed} {push}");
            assert!(speed.min(push) < TOLERANCE, "{seed} {joint} {speed} {push}");
            pushed[usize::from(push > TOLERANCE)] += 1;
        }
    }
    assert!(pushed[0] > 20 && pushed[1] > 20, "{pushed:?}");
}
