//! What each kind of joint constrains, over many steps.

use super::*;
use crate::solve::joint::JointKind::{self, Fixed, Hinge, Slider};
use crate::solve::joint::{Axis, JointDefinition};

/// Roundings of coordinates of a few metres, m and rad.
const TOLERANCE: f64 = 1e-12;

const AXIS: Vec3 = Vec3::new(0.6, 0.0, 0.8);

/// Two boxes, jointed, and the second to the world by a ball joint.
///
/// With random velocities.
fn pair(kind: JointKind, seed: u64) -> World {
    let parts = vec![
        cuboid(1.0, Vec3::new(0.4, 0.3, 0.2), Vec3::new(1.0, 0.0, 0.0)),
        cuboid(2.0, Vec3::new(0.5, 0.2, 0.3), Vec3::ZERO),
    ];
    let list = vec![
        JointDefinition::new(kind, (0, Some(1)), Vec3::new(0.5, 0.1, 0.0)),
        JointDefinition::new(JointKind::Ball, (1, None), Vec3::new(-0.5, 0.0, 0.0)),
    ];
    let mut world = World::new(parts, list, GRAVITY);
    stir(&mut world.states, seed);
    world
}

/// Runs 400 steps of 5 ms and checks after each; with these seeds a hinge turns more than once.
fn run(kind: JointKind, mut ask: impl FnMut(&World)) {
    for seed in [22, 26] {
        let mut world = pair(kind, seed);
        for _ in 0..400 {
            world.step(0.005);
            ask(&world);
        }
    }
}

/// A direction of the world at rest, as both bodies carry it now.
fn carried(world: &World, rest: Vec3) -> [Vec3; 2] {
    let start = pair(Fixed, 0).states;
    [0, 1].map(|k| world.states[k].turn * (start[k].turn.conjugate() * rest))
}

/// A point of the world at rest, as both bodies carry it now.
fn places(world: &World, rest: Vec3) -> [Vec3; 2] {
    let start = pair(Fixed, 0).states;
    [0, 1].map(|k| world.states[k].point(start[k].body_point(rest)))
}

#[test]
fn a_hinge_keeps_its_axis_and_turns_about_it() {
    let mut turned = 0.0_f64;
    run(Hinge(Axis::free(2.5 * AXIS)), |world| {
        let [a, b] = carried(world, AXIS);
        assert!(a.abs_diff_eq(b, TOLERANCE), "{a} {b}");
        let [a, b] = places(world, Vec3::new(0.5, 0.1, 0.0));
        assert!(a.abs_diff_eq(b, TOLERANCE), "{a} {b}");
        let travel = world.joints.travel(0).unwrap();
        let [a, b] = carried(world, Vec3::Y);
        assert!(
            (a - Quat::from_axis_angle(carried(world, AXIS)[1], travel) * b).length() < TOLERANCE
        );
        turned = turned.max(travel.abs());
    });
    assert!(turned > std::f64::consts::TAU, "no whole turn: {turned}");
}

#[test]
fn a_slider_stays_on_its_line_and_does_not_turn() {
    let mut gone = 0.0_f64;
    run(Slider(Axis { limits: Some([-2.0, 2.0]), ..Axis::free(AXIS) }), |world| {
        for rest in [AXIS, Vec3::Y] {
            let [a, b] = carried(world, rest);
            assert!(a.abs_diff_eq(b, TOLERANCE), "{a} {b}");
        }
        let [a, b] = places(world, Vec3::new(0.5, 0.1, 0.0));
        let along = carried(world, AXIS)[1];
        let travel = world.joints.travel(0).unwrap();
        assert!((a - b - travel * along).length() < TOLERANCE, "{a} {b}");
        assert!(travel.abs() < 2.0 + TOLERANCE, "{travel}");
        gone = gone.max(travel.abs());
    });
    assert!(gone > 0.5, "it did not go: {gone}");
}

#[test]
fn a_fixed_joint_keeps_the_pose() {
    run(Fixed, |world| {
        for rest in [AXIS, Vec3::Y] {
            let [a, b] = carried(world, rest);
            assert!(a.abs_diff_eq(b, TOLERANCE), "{a} {b}");
        }
        let [a, b] = places(world, Vec3::new(0.5, 0.1, 0.0));
        assert!(a.abs_diff_eq(b, TOLERANCE), "{a} {b}");
    });
}

#[test]
fn bodies_that_were_moved_apart_come_together_again() {
    for kind in [JointKind::Ball, Hinge(Axis::free(AXIS)), Slider(Axis::free(AXIS)), Fixed] {
        let mut world = pair(kind, 3);
        world.states[0].centre += Vec3::new(0.2, -0.3, 0.1);
        let turn = Quat::from_xyzw(0.3, -0.5, 0.2, 0.7) * world.states[0].turn;
        world.states[0].turn = unit_quat(turn).unwrap();
        let velocities = world.states.clone();
        let met = world.joints.positions(&world.bodies, &mut world.states).unwrap();
        assert!(met.gap.max(met.twist) < TOLERANCE && !met.is_contradictory, "{kind:?} {met:?}");
        for (was, is) in velocities.iter().zip(&world.states) {
            assert_eq!((was.velocity, was.spin), (is.velocity, is.spin));
        }
    }
}

#[test]
fn a_run_that_is_taken_up_again_has_the_same_bits() {
    use crate::snapshot::Snapshot;
    let mut world = pair(Hinge(Axis::free(AXIS)), 1);
    for _ in 0..300 {
        world.step(0.005);
    }
    let mut memory = Snapshot::default();
    world.joints.save(&mut memory);
    let mut other = pair(Hinge(Axis::free(AXIS)), 5);
    other.states = world.states.clone();
    other.joints.restore(&mut Snapshot::from_numbers(memory.numbers().to_vec())).unwrap();
    for _ in 0..20 {
        world.step(0.005);
        other.step(0.005);
    }
    assert_eq!(world.states, other.states);
    assert_eq!(world.joints.travel(0), other.joints.travel(0));
    let short = Snapshot::from_numbers(vec![1.0]);
    assert!(other.joints.restore(&mut short.clone()).is_err());
}

/// Error after free motion of `dt` that joints were aimed at, m or rad.
fn miss_after_flight(kind: JointKind, dt: f64) -> f64 {
    let mut world = pair(kind, 4);
    world.joints.velocities(&world.bodies, &mut world.states, dt).unwrap();
    world.joints.velocities_ahead(&world.bodies, &mut world.states, dt).unwrap();
    for (body, state) in world.bodies.iter().zip(&mut world.states) {
        fly(body, state, dt);
    }
    world.joints.measure(&world.states);
    let errors =
        (0..2).flat_map(|joint| world.joints.system.rows_of(joint).map(move |k| (joint, k)));
    errors.fold(0.0, |most: f64, (joint, k)| most.max(world.joints.error(joint, k).abs()))
}

#[test]
fn a_flight_that_is_aimed_ahead_ends_together_up_to_the_cube_of_the_step() {
    for kind in [JointKind::Ball, Hinge(Axis::free(AXIS)), Slider(Axis::free(AXIS)), Fixed] {
        let [long, short] = [2e-3, 1e-3].map(|dt| miss_after_flight(kind, dt));
        assert!(long > 1e-12 && short < long / 7.0, "{kind:?} {long} {short}");
    }
}
