//! Closed loops, redundant rows, and joints that contradict each other.

use super::*;
use crate::solve::joint::JointKind::{self, Ball, Fixed, Hinge};
use crate::solve::joint::{Axis, JointDefinition, Motor};

/// Roundings of coordinates of a few metres, m and rad.
const TOLERANCE: f64 = 1e-12;

/// Accuracy of least squares: redundant rows are regularised by 1e-11.
const LEAST_SQUARES: f64 = 1e-4;

/// Crank, coupler and rocker over the world as the fourth bar, all hinges along z.
fn four_bar() -> World {
    let corners =
        [(0.0, 0.0), (0.3, 1.0), (2.0, 1.4), (1.6, 0.0)].map(|(x, y)| Vec3::new(x, y, 0.0));
    let bar = |k: usize| {
        let along = corners[k + 1] - corners[k];
        let (body, mut state) = cuboid(1.0, Vec3::new(along.length(), 0.1, 0.2), Vec3::ZERO);
        state.turn = Quat::from_rotation_z(libm::atan2(along.y, along.x)) * state.turn;
        state.centre = 0.5 * (corners[k] + corners[k + 1]);
        (body, state)
    };
    let hinge =
        |bodies, k: usize| JointDefinition::new(Hinge(Axis::free(Vec3::Z)), bodies, corners[k]);
    let list = vec![
        hinge((0, None), 0),
        hinge((1, Some(0)), 1),
        hinge((2, Some(1)), 2),
        hinge((2, None), 3),
    ];
    World::new((0..3).map(bar).collect(), list, GRAVITY)
}

#[test]
fn a_four_bar_stays_closed_and_moves() {
    let mut world = four_bar();
    let (start, energy) = (world.states[1].centre, world.energy());
    let mut moved = 0.0_f64;
    for _ in 0..1000 {
        let met = world.step(0.002);
        assert!(met.gap.max(met.twist) < TOLERANCE, "{met:?}");
        moved = moved.max(world.states[1].centre.distance(start));
    }
    assert!(moved > 0.5, "{moved}");
    let drift = (world.energy() - energy).abs() / (3.0 * GRAVITY);
    assert!(drift < 1e-3, "{drift}");
}

/// One box at the origin with these joints to the world.
fn box_with(joints: &[(JointKind, [Vec3; 2])]) -> World {
    let part = cuboid(1.0, Vec3::new(1.0, 0.4, 0.6), Vec3::ZERO);
    let joint = |&(kind, anchors): &(JointKind, [Vec3; 2])| JointDefinition {
        kind,
        bodies: (0, None),
        anchors,
    };
    World::new(vec![part], joints.iter().map(joint).collect(), 0.0)
}

#[test]
fn joints_that_say_the_same_twice_share_the_load() {
    let mut world =
        box_with(&[(Fixed, [Vec3::X; 2]), (Fixed, [-Vec3::X; 2]), (Ball, [Vec3::Y; 2])]);
    world.states[0].velocity.y = -1.0;
    let met = world.joints.velocities(&world.bodies, &mut world.states, 0.1).unwrap();
    assert!(!met.is_contradictory && met.gap.max(met.twist) < TOLERANCE, "{met:?}");
    assert!(world.states[0].velocity.length() < TOLERANCE);
    let total: Vec3 = world.joints.loads().iter().map(|load| load.force).sum();
    assert!((total.y - 10.0).abs() < 1e-6 && total.x.abs() < 1e-6, "{total}");
    let most = world.joints.loads().iter().fold(0.0_f64, |m, load| m.max(load.force.length()));
    assert!(most < 10.0, "{most}");
}

#[test]
fn anchors_that_cannot_meet_are_missed_by_least_squares() {
    // The body's anchors are 1 m apart, the world's 1.2 m: each has an error of a tenth.
    let half = Vec3::new(0.5, 0.0, 0.0);
    let mut world = box_with(&[(Ball, [-half, -1.2 * half]), (Ball, [half, 1.2 * half])]);
    world.states[0].centre += Vec3::new(0.05, 0.02, 0.0);
    let met = world.joints.positions(&world.bodies, &mut world.states).unwrap();
    assert!(met.is_contradictory, "{met:?}");
    assert!((met.gap - 0.1).abs() < 0.1 * LEAST_SQUARES, "{met:?}");
    assert!(world.states[0].centre.length() < LEAST_SQUARES, "{}", world.states[0].centre);
}

#[test]
fn motors_that_cannot_agree_are_missed_by_least_squares() {
    let motor = |speed: f64| {
        let motor = Some(Motor { speed, most: f64::INFINITY });
        (Hinge(Axis { motor, ..Axis::free(Vec3::Z) }), [Vec3::ZERO; 2])
    };
    let mut world = box_with(&[motor(1.0), motor(3.0)]);
    let met = world.joints.velocities(&world.bodies, &mut world.states, 0.01).unwrap();
    assert!(met.is_contradictory && (met.twist - 1.0).abs() < LEAST_SQUARES, "{met:?}");
    assert!((world.states[0].spin.z - 2.0).abs() < LEAST_SQUARES, "{}", world.states[0].spin);
    // A bound makes them agree: the stronger wins.
    world.joints.set_motor(0, Some(Motor { speed: 1.0, most: 5.0 })).unwrap();
    let met = world.joints.velocities(&world.bodies, &mut world.states, 0.01).unwrap();
    assert!(!met.is_contradictory && !met.is_undecided, "{met:?}");
    assert!((world.states[0].spin.z - 3.0).abs() < TOLERANCE);
}
