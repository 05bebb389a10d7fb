//! Bodies that roll so fast that a step turns them by a radian stay out of what they roll on.

use pliant::math::{Quat, Vec3};
use pliant::prelude::{BodyHandle, Obstacle, RigidBody, SoftBody, World};

/// Depth that rounding makes at coordinates of some metres, m.
const ROUNDING: f64 = 1e-13;

/// Steps a world, and judges how deep the lowest vertex of a body is below z = 0 at worst, m.
#[track_caller]
fn deepest(world: &mut World, body: BodyHandle, steps: u32) -> f64 {
    let mut worst = 0.0_f64;
    for _ in 0..steps {
        world.step().unwrap();
        let lowest = world.positions(body).unwrap().iter().fold(f64::INFINITY, |z, p| z.min(p.z));
        worst = worst.max(-lowest);
    }
    worst
}

fn on_a_floor() -> World {
    let mut world = World::new();
    world.add(Obstacle::plane(Vec3::Z, 0.0)).unwrap();
    world
}

#[test]
fn rigid_bars_that_spin_fast_on_a_floor_stay_above_it() {
    for (spin, tilt) in [(300.0, 0.05), (1000.0, 0.02), (1000.0, 0.1)] {
        let mut world = on_a_floor();
        let bar = RigidBody::cuboid(Vec3::new(0.13, 0.05, 0.02)).density(1000.0);
        let bar = bar.rotated(Quat::from_rotation_y(tilt)).at(0.04 * Vec3::Z);
        let bar = bar.velocity(Vec3::new(20.0, 9.0, -1.0)).spin(spin * Vec3::Z);
        let bar = world.add(bar).unwrap();
        let deepest = deepest(&mut world, bar, 180);
        assert!(deepest < ROUNDING, "{deepest} m at {spin} rad/s, tilted by {tilt}");
    }
}

#[test]
fn soft_bars_that_spin_fast_on_a_floor_stay_above_it() {
    for (spin, young) in [(60.0, 1e6), (300.0, 1e7), (600.0, 1e8)] {
        let mut world = on_a_floor();
        let bar = SoftBody::cuboid(Vec3::new(0.13, 0.05, 0.02), [6, 2, 1]).density(1000.0);
        let bar = bar.young(young).rotated(Quat::from_rotation_y(0.05)).at(0.04 * Vec3::Z);
        let bar = bar.velocity(Vec3::new(20.0, 9.0, -1.0)).spin(spin * Vec3::Z);
        let bar = world.add(bar).unwrap();
        let deepest = deepest(&mut world, bar, 180);
        assert!(deepest < ROUNDING, "{deepest} m at {spin} rad/s, {young} Pa");
    }
}
