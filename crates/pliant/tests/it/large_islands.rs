//! Islands of so many rigid bodies that their parts are swept at the same time.

use pliant::math::Vec3;
use pliant::prelude::{BodyHandle, Obstacle, RigidBody, World};
use pliant::record::overlap::Measure;
use pliant::step::Simulation;
use pliant_scene::digest::digest;

/// Rows of a pyramid of so many bodies that several threads share its sweeps.
const ROWS: u32 = 33;

fn run(world: &mut World, steps: usize) {
    for step in 0..steps {
        world.step().unwrap_or_else(|error| panic!("step {step}: {error}"));
    }
}

/// Boxes of 1 m, each on two, over a floor: 561 of them.
fn pyramid() -> World {
    let mut world = World::new();
    world.set_sleep(None);
    world.add(Obstacle::plane(Vec3::Z, 0.0).friction(0.5)).unwrap();
    let cube = RigidBody::cuboid(Vec3::ONE).density(1000.0);
    for row in 0..ROWS {
        for k in 0..ROWS - row {
            let x = 1.1 * (f64::from(k) + 0.5 * f64::from(row));
            let at = Vec3::new(x, 0.0, 0.505 + 1.005 * f64::from(row));
            world.add(cube.clone().at(at)).unwrap();
        }
    }
    world.assemble().unwrap();
    world
}

/// Two slabs of boxes that nothing holds and that meet.
fn slabs() -> (World, Vec<BodyHandle>) {
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).unwrap();
    world.set_sleep(None);
    let cube = RigidBody::cuboid(Vec3::ONE).mass(1.0);
    let mut bodies = Vec::new();
    for layer in 0..2 {
        for k in 0..289 {
            let shift = 0.3 * f64::from(layer);
            let (x, y) = (1.004 * f64::from(k % 17) + shift, 1.004 * f64::from(k / 17) + shift);
            let body = world.add(cube.clone().at(Vec3::new(x, y, 1.05 * f64::from(layer))));
            bodies.push(body.unwrap());
            if layer == 1 {
                world.set_velocity(bodies[bodies.len() - 1], Vec3::new(0.4, 0.1, -2.0)).unwrap();
            }
        }
    }
    world.assemble().unwrap();
    (world, bodies)
}

#[test]
fn threads_and_pauses_change_no_bit_of_a_large_pile() {
    let digest = |world: &World| digest(&world.simulation().state);
    let made = |threads: usize| {
        let mut world = pyramid();
        world.set_threads(threads);
        run(&mut world, 20);
        world
    };
    let mut alone = made(1);
    for threads in [2, 3, 8] {
        assert_eq!(digest(&made(threads)), digest(&alone), "{threads}");
    }
    let saved = alone.save().unwrap();
    let mut resumed = pyramid();
    resumed.set_threads(2);
    resumed.restore(&saved).unwrap();
    run(&mut alone, 10);
    run(&mut resumed, 10);
    assert_eq!(digest(&alone), digest(&resumed));
}

#[test]
fn a_large_pile_stands_with_nothing_inside() {
    let mut world = pyramid();
    world.set_threads(2);
    let start = world.simulation().state.positions.clone();
    run(&mut world, 90);
    let Simulation { state, system, .. } = world.simulation();
    let moved = state.positions.iter().zip(&start).map(|(now, then)| now.distance(*then));
    assert!(moved.fold(0.0, f64::max) < 0.01);
    let (positions, bodies) = (&state.positions, &system.bodies);
    let overlap = Measure::new(&start, bodies).measure(positions, bodies);
    assert_eq!((overlap.penetrating_vertices, overlap.edge_crossings), (0, 0));
}

#[test]
fn large_islands_in_the_air_keep_momentum_and_spin() {
    let (mut world, _) = slabs();
    let totals = |world: &World| {
        let Simulation { state, system, .. } = world.simulation();
        let spin = system.rigids.angular_momentum(state, &system.masses, Vec3::ZERO);
        (state.momentum(&system.masses), spin, system.rigids.kinetic(state, &system.masses))
    };
    let (momentum, spin, energy) = totals(&world);
    run(&mut world, 30);
    let (momentum_after, spin_after, energy_after) = totals(&world);
    assert!(energy_after < 0.9 * energy, "{energy} {energy_after}"); // they have met
    assert!((momentum_after - momentum).length() < 1e-10 * momentum.length());
    assert!((spin_after - spin).length() < 1e-10 * spin.length(), "{spin} {spin_after}");
}
