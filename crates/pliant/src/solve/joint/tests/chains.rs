//! Pendulums and chains under gravity.

use super::*;
use crate::solve::joint::JointKind::{Ball, Hinge};
use crate::solve::joint::{Axis, JointDefinition};

/// A box that hangs from the origin by an arm along −y turned out by an angle, rad.
fn pendulum(angle: f64, arm: f64) -> World {
    let (body, mut state) = cuboid(1.5, Vec3::new(0.1, 0.4, 0.2), Vec3::ZERO);
    let out = Quat::from_rotation_z(angle);
    state.turn = out * state.turn;
    state.centre = out * Vec3::new(0.0, -arm, 0.0);
    World::new(
        vec![(body, state)],
        vec![JointDefinition::new(Hinge(Axis::free(Vec3::Z)), (0, None), Vec3::ZERO)],
        GRAVITY,
    )
}

/// Quarter period over the root of I/(m g l), by the arithmetic-geometric mean.
fn quarter(angle: f64) -> f64 {
    let (mut a, mut g) = (1.0, libm::cos(0.5 * angle));
    for _ in 0..8 {
        (a, g) = (0.5 * (a + g), (a * g).sqrt());
    }
    std::f64::consts::FRAC_PI_2 / a
}

/// Time until the pendulum passes the lowest place, s.
fn time_down(angle: f64, arm: f64, dt: f64) -> f64 {
    let mut world = pendulum(angle, arm);
    let (mut time, mut last) = (0.0, world.states[0].centre.x);
    loop {
        world.step(dt);
        let now = world.states[0].centre.x;
        if now <= 0.0 {
            return time + dt * last / (last - now);
        }
        (time, last) = (time + dt, now);
    }
}

#[test]
fn a_pendulum_swings_by_the_elliptic_integral() {
    let (angle, arm) = (2.0, 0.5);
    // About the end of the arm: m l² + m (0.1² + 0.4²) / 12, over m g l.
    let inertia = arm * arm + (0.01 + 0.16) / 12.0;
    let exact = quarter(angle) * (inertia / (GRAVITY * arm)).sqrt();
    let errors = [4e-3, 2e-3].map(|dt| (time_down(angle, arm, dt) / exact - 1.0).abs());
    assert!(errors[1] < 2e-5, "{errors:?}");
    assert!(errors[1] < 0.3 * errors[0], "the order is below 2: {errors:?}");
}

/// Largest gain and loss of energy of a double pendulum, over m g times its length.
fn energy_drift(dt: f64, seconds: f64) -> [f64; 2] {
    let (parts, list) = chain(2, 1.0, 1.0, Vec3::X);
    let mut world = World::new(parts, list, GRAVITY);
    let (start, scale) = (world.energy(), 2.0 * GRAVITY);
    let mut drift = [0.0_f64; 2];
    for _ in 0..(seconds / dt).round() as usize {
        world.step(dt);
        let gain = (world.energy() - start) / scale;
        drift = [drift[0].max(gain), drift[1].max(-gain)];
    }
    drift
}

#[test]
fn a_double_pendulum_keeps_its_energy() {
    let fine = energy_drift(1e-3, 10.0);
    assert!(fine[0].max(fine[1]) < 2e-4, "{fine:?}");
    // Steps too long for its fastest turns may lose energy, not gain it.
    let coarse = energy_drift(1.0 / 60.0, 10.0);
    assert!(coarse[0] < 2e-3 && coarse[1] < 0.5, "{coarse:?}");
}

#[test]
fn a_joint_bears_the_weight_that_hangs_from_it() {
    let (parts, list) = chain(5, 0.2, 0.3, Vec3::NEG_Y);
    let mut world = World::new(parts, list, GRAVITY);
    world.step(0.01);
    for (joint, load) in world.joints.loads().iter().enumerate() {
        // Half a step of gravity was all there was to stop.
        let weight = 0.5 * (5 - joint) as f64 * 0.3 * GRAVITY;
        assert!(load.force.abs_diff_eq(Vec3::new(0.0, weight, 0.0), 1e-12), "{load:?}");
    }
}

/// Greatest and least distance of the ball from the origin, and gap of joints, m.
///
/// Distances over the chain's length.
fn stretch(along: Vec3, kick: Vec3, obey: Obey) -> ([f64; 2], f64) {
    let (mut parts, mut list) = chain(100, 0.1, 0.1, along);
    let at = 10.0 * along;
    parts.push(cuboid(100.0, Vec3::splat(0.5), at));
    list.push(JointDefinition::new(Ball, (100, Some(99)), at));
    let mut world = World::new(parts, list, GRAVITY);
    world.states[100].velocity = kick;
    world.obey = obey;
    let (mut lengths, mut gap) = ([0.0, f64::INFINITY], 0.0_f64);
    for _ in 0..600 {
        gap = gap.max(world.step(1.0 / 60.0).gap);
        let length = world.states[100].centre.length() / 10.0;
        lengths = [length.max(lengths[0]), length.min(lengths[1])];
    }
    (lengths, gap)
}

/// Roundings of coordinates of 10 m, over a hundred joints, m.
const TOGETHER: f64 = 1e-12;

#[test]
fn a_hanging_chain_with_a_thousandfold_weight_does_not_stretch() {
    let kick = Vec3::new(0.5, 0.0, 0.3);
    let ([most, least], gap) = stretch(Vec3::NEG_Y, kick, Joints::velocities_ahead);
    assert!(most - 1.0 < TOGETHER && gap < TOGETHER, "{most} {gap}");
    assert!(least > 0.999, "{least}");
}

#[test]
fn a_swinging_chain_with_a_thousandfold_weight_does_not_stretch() {
    for obey in [Joints::velocities as Obey, Joints::velocities_ahead] {
        let ([most, least], gap) = stretch(Vec3::X, Vec3::ZERO, obey);
        assert!(most - 1.0 < TOGETHER && gap < TOGETHER, "{most} {gap}");
        assert!(least > 0.9, "{least}");
    }
}
