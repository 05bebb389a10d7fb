//! The joint system against the lecture's blocks, and conservation laws.

use super::*;
use crate::math::skew;
use crate::solve::joint::JointKind::{Ball, Fixed, Hinge, Slider};
use crate::solve::joint::{Axis, JointDefinition};

/// Roundings of sums of a dozen numbers near one.
const TOLERANCE: f64 = 1e-12;

/// Response at joint i of a body to an impulse at joint j, both in world space.
fn answer(body: &RigidTemplate, state: &RigidState, i: Vec3, j: Vec3) -> Mat3 {
    let (to_i, to_j) = (skew(i - state.centre), skew(j - state.centre));
    Mat3::from_diagonal(Vec3::splat(1.0 / body.mass)) - to_i * state.inverse_inertia(body) * to_j
}

/// Three boxes and the world: b – 0 – a – 1 – c, with b and c attached by 2 and 3.
fn bunnies() -> (World, [Vec3; 4]) {
    let at = [
        Vec3::new(-1.0, 0.2, 0.1),
        Vec3::new(1.0, -0.1, 0.2),
        Vec3::new(-3.0, 0.4, 0.0),
        Vec3::new(3.0, 0.3, -0.2),
    ];
    let parts = vec![
        cuboid(2.0, Vec3::new(1.0, 2.0, 3.0), Vec3::ZERO),
        cuboid(3.0, Vec3::new(0.5, 1.0, 2.0), Vec3::new(-2.0, 0.5, 0.0)),
        cuboid(0.7, Vec3::new(2.0, 0.5, 1.0), Vec3::new(2.0, -0.5, 0.5)),
    ];
    let joint = |k: usize, bodies| JointDefinition::new(Ball, bodies, at[k]);
    let list = vec![
        joint(0, (0, Some(1))),
        joint(1, (0, Some(2))),
        joint(2, (1, None)),
        joint(3, (2, None)),
    ];
    let mut world = World::new(parts, list, 0.0);
    stir(&mut world.states, 1);
    (world, at)
}

#[test]
fn four_joints_answer_by_the_blocks_of_the_lecture() {
    let (mut world, at) = bunnies();
    let before = world.states.clone();
    world.joints.velocities(&world.bodies, &mut world.states, 1.0).unwrap();
    // Over a step of 1 s a force is its impulse.
    let j: Vec<Vec3> = world.joints.loads().iter().map(|load| load.force).collect();
    let k =
        |body: usize, i: usize, l: usize| answer(&world.bodies[body], &before[body], at[i], at[l]);
    let speed = |body: usize, i: usize| before[body].velocity_at(at[i]);
    let (a, b, c) = (0, 1, 2);
    // New minus old relative velocity at each joint, where the new one is zero; j_1 in row 1.
    let rows = [
        (k(a, 0, 0) + k(b, 0, 0)) * j[0] + k(a, 0, 1) * j[1] - k(b, 0, 2) * j[2] + speed(a, 0)
            - speed(b, 0),
        k(a, 1, 0) * j[0] + (k(a, 1, 1) + k(c, 1, 1)) * j[1] - k(c, 1, 3) * j[3] + speed(a, 1)
            - speed(c, 1),
        -k(b, 2, 0) * j[0] + k(b, 2, 2) * j[2] + speed(b, 2),
        -k(c, 3, 1) * j[1] + k(c, 3, 3) * j[3] + speed(c, 3),
    ];
    for row in rows {
        assert!(row.length() < TOLERANCE, "{row}");
    }
    let printed = k(a, 1, 0) * j[0] + k(a, 1, 1) * j[1] + k(c, 1, 1) * j[0] - k(c, 1, 3) * j[3]
        + speed(a, 1)
        - speed(c, 1);
    assert!(printed.length() > 0.1, "the slide's row 1 would be right: {printed}");
    assert!(k(a, 0, 1).abs_diff_eq(k(a, 1, 0).transpose(), TOLERANCE));
    assert!(!k(a, 0, 1).abs_diff_eq(k(a, 1, 0), 0.01));
}

#[test]
fn after_impulses_all_joints_are_obeyed() {
    let (mut world, at) = bunnies();
    let met = world.joints.velocities(&world.bodies, &mut world.states, 0.01).unwrap();
    assert!(met.gap < TOLERANCE && met.iterations == 1 && !met.is_contradictory, "{met:?}");
    for (joint, at) in world.joints.list().iter().zip(at) {
        let (a, b) = joint.bodies;
        let of_b = b.map_or(Vec3::ZERO, |b| world.states[b].velocity_at(at));
        assert!((world.states[a].velocity_at(at) - of_b).length() < TOLERANCE);
    }
}

/// Five free bodies with a joint of each kind between them, and random velocities.
fn flock(seed: u64) -> World {
    let mut random = Random::new(seed);
    let part = |k: usize| {
        let (body, mut state) =
            cuboid(1.0 + k as f64, Vec3::new(0.5, 0.3, 0.4), Vec3::new(k as f64, 0.0, 0.0));
        let axis = random.vec3();
        state.turn = unit_quat(Quat::from_xyzw(axis.x, axis.y, axis.z, 0.5)).unwrap();
        (body, state)
    };
    let parts: Vec<_> = (0..5).map(part).collect();
    let axis = Axis::free(Vec3::new(0.2, 1.0, -0.3));
    let limited = Axis { limits: Some([0.0, 0.5]), ..axis };
    let kinds = [Ball, Hinge(limited), Slider(axis), Fixed];
    let joint = |k: usize| {
        JointDefinition::new(kinds[k], (k, Some(k + 1)), Vec3::new(k as f64 + 0.5, 0.1, -0.1))
    };
    let list = (0..4).map(joint).collect();
    let mut world = World::new(parts, list, 0.0);
    stir(&mut world.states, seed + 100);
    world
}

#[test]
fn impulses_keep_momentum_and_angular_momentum() {
    for seed in 0..20 {
        let mut world = flock(seed);
        let (momentum, turning) = world.momenta();
        let energy = world.energy();
        let met = world.joints.velocities(&world.bodies, &mut world.states, 0.01).unwrap();
        assert!(met.gap.max(met.twist) < TOLERANCE, "{met:?}");
        let after = world.momenta();
        assert!((after.0 - momentum).length() < TOLERANCE, "{}", after.0 - momentum);
        assert!((after.1 - turning).length() < 10.0 * TOLERANCE, "{}", after.1 - turning);
        assert!(world.energy() < energy);
    }
}

#[test]
fn a_flight_keeps_the_momentum() {
    let mut world = flock(3);
    let (momentum, turning) = world.momenta();
    for _ in 0..200 {
        world.step(0.005);
    }
    let after = world.momenta();
    assert!((after.0 - momentum).length() < TOLERANCE, "{}", after.0 - momentum);
    // Position correction moves momentum to another place: angular momentum is approximate.
    assert!((after.1 - turning).length() < 0.05 * turning.length(), "{} {turning}", after.1);
}

#[test]
fn obeyed_velocities_get_no_impulse() {
    let mut world = flock(7);
    world.joints.velocities(&world.bodies, &mut world.states, 0.01).unwrap();
    let once = world.states.clone();
    world.joints.velocities(&world.bodies, &mut world.states, 0.01).unwrap();
    for (once, twice) in once.iter().zip(&world.states) {
        assert!(once.velocity.abs_diff_eq(twice.velocity, TOLERANCE));
        assert!(once.spin.abs_diff_eq(twice.spin, TOLERANCE));
    }
}

#[test]
fn the_order_of_joints_does_not_matter() {
    let mut world = flock(11);
    let mut list = world.joints.list().to_vec();
    list.reverse();
    let mut other = world.clone();
    other.joints = Joints::new(list, &world.bodies, &world.states).unwrap();
    world.joints.velocities(&world.bodies, &mut world.states, 0.01).unwrap();
    other.joints.velocities(&other.bodies, &mut other.states, 0.01).unwrap();
    for (one, other) in world.states.iter().zip(&other.states) {
        assert!(one.velocity.abs_diff_eq(other.velocity, TOLERANCE));
        assert!(one.spin.abs_diff_eq(other.spin, TOLERANCE));
    }
}
