//! Fast impacts, deep overlap and bodies stuck in each other, through the front door.

use pliant::math::random::Random;
use pliant::math::{Quat, Vec3};
use pliant::prelude::{BodyHandle, Obstacle, RigidBody, SoftBody, World};
use pliant::record::overlap::{Measure, Overlap};
use pliant::snapshot::Snapshot;

fn overlap(world: &World) -> Overlap {
    let simulation = world.simulation();
    let (positions, bodies) = (&simulation.state.positions, &simulation.system.bodies);
    Measure::new(positions, bodies).measure(positions, bodies)
}

#[track_caller]
fn assert_free(world: &World, what: &str) {
    let found = overlap(world);
    assert_eq!((found.penetrating_vertices, found.edge_crossings), (0, 0), "{what}");
}

fn floating() -> World {
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).unwrap();
    world
}

fn run(world: &mut World, steps: usize) {
    for step in 0..steps {
        world.step().unwrap_or_else(|error| panic!("step {step}: {error}"));
    }
}

/// Momentum, N·s, and angular momentum about the origin, N·m·s.
fn momenta(world: &World) -> [Vec3; 2] {
    let simulation = world.simulation();
    let masses = simulation.system.masses.of();
    let (mut linear, mut angular) = (Vec3::ZERO, Vec3::ZERO);
    let state = &simulation.state;
    for ((x, v), m) in state.positions.iter().zip(&state.velocities).zip(masses) {
        linear += *m * *v;
        angular += x.cross(*m * *v);
    }
    [linear, angular]
}

#[test]
fn a_shot_at_60_m_s_stays_on_a_soft_plate() {
    // 1 m in a step: ten times the thickness of the plate, five times the shot.
    for (k, at) in [[0.03, 0.02], [0.31, -0.44], [-0.1, 0.1]].into_iter().enumerate() {
        let mut world = World::new();
        let plate = SoftBody::cuboid(Vec3::new(2.0, 2.0, 0.1), [10, 10, 1]).young(1e7);
        let plate = plate.density(1000.0).pin_beyond(-0.999 * Vec3::X, -Vec3::X);
        let plate = world.add(plate.pin_beyond(0.999 * Vec3::X, Vec3::X)).unwrap();
        let shot = RigidBody::ball(0.1).density(1000.0).velocity(-60.0 * Vec3::Z);
        let shot = world.add(shot.at(Vec3::new(at[0], at[1], 0.5))).unwrap();
        for step in 0..90 {
            world.step().unwrap();
            assert!(overlap(&world).penetrating_vertices == 0, "{k}: step {step}");
        }
        assert_free(&world, "plate");
        let [above, below] = [shot, plate].map(|body| world.centre(body).unwrap().z);
        assert!(above > below + 0.05, "{k}: {above} {below}");
    }
}

#[test]
fn soft_balls_survive_a_plane_at_any_speed() {
    for (speed, poisson, layers) in [(75.0, 0.45, 2), (200.0, 0.45, 2), (75.0, 0.3, 3)] {
        for neo_hookean in [false, true] {
            let mut world = World::new();
            world.add(Obstacle::plane(Vec3::Z, 0.0)).unwrap();
            let ball = SoftBody::ball(0.15, layers);
            let ball = if neo_hookean { ball.neo_hookean() } else { ball };
            let ball = ball.young(1e5).poisson(poisson).density(1000.0);
            let ball = world.add(ball.at(Vec3::Z).velocity(-speed * Vec3::Z)).unwrap();
            let start = world.energy().unwrap().kinetic;
            for step in 0..60 {
                world.step().unwrap();
                let now = world.energy().unwrap();
                let total = now.kinetic + now.elastic;
                assert!(total <= 1.01 * start, "{speed} m/s, step {step}: {total} of {start} J");
            }
            let found = overlap(&world);
            assert_eq!(found.inverted_tets, 0, "{speed} m/s");
            let height = world.centre(ball).unwrap().z;
            assert!((0.1..0.3).contains(&height), "{speed} m/s: {height} m");
        }
    }
}

#[test]
fn fast_soft_balls_do_not_pass_through_each_other() {
    for speed in [20.0, 40.0, 70.0, 100.0] {
        let mut world = floating();
        let ball = || SoftBody::ball(0.5, 3).young(1e5).density(300.0);
        let left = ball().at(-1.6 * Vec3::X).velocity(speed * Vec3::X);
        let right = ball().at(Vec3::new(1.6, 1e-3, 2e-3)).velocity(-speed * Vec3::X);
        let [left, right] = [left, right].map(|body| world.add(body).unwrap());
        let mass = world.mass(left).unwrap();
        world.assemble().unwrap();
        let before = momenta(&world);
        run(&mut world, 60);
        assert_free(&world, "balls");
        let [a, b] = [left, right].map(|body: BodyHandle| world.centre(body).unwrap());
        assert!(a.x < b.x, "{speed} m/s: {a} {b}");
        let after = momenta(&world);
        let size = mass * speed;
        assert!((after[0] - before[0]).length() < 1e-4 * size, "{speed} m/s: {after:?}");
        // Shifts of moving bodies out of overlap keep it but roughly.
        assert!((after[1] - before[1]).length() < 3e-3 * size, "{speed} m/s: {after:?}");
    }
}

#[test]
fn thin_rods_that_cross_at_speed_are_stopped() {
    // Thickness 1 % of the length; neither has a vertex on the way of the other.
    let mut world = floating();
    let rod = |size: Vec3| RigidBody::cuboid(size).density(2000.0);
    let lying = world.add(rod(Vec3::new(1.0, 0.01, 0.01))).unwrap();
    let across = rod(Vec3::new(0.01, 1.0, 0.01)).at(Vec3::new(1e-3, 2e-3, 0.4));
    let across = world.add(across.velocity(-60.0 * Vec3::Z)).unwrap();
    run(&mut world, 1);
    assert_free(&world, "rods");
    let [lower, upper] = [lying, across].map(|body| world.centre(body).unwrap().z);
    assert!(upper > lower, "{upper} {lower}");
}

/// Distance of the centres of two bodies after so many steps without gravity.
fn apart_after(world: &mut World, bodies: [BodyHandle; 2], steps: usize) -> Vec3 {
    run(world, steps);
    let [a, b] = bodies.map(|body| world.centre(body).unwrap());
    b - a
}

#[test]
fn balls_deep_in_each_other_go_apart_by_no_more_than_they_must() {
    // Diameter 0.3 m; the least translation brings the centres 0.3 m apart.
    for shift in [[0.06, 0.0, 0.0], [0.05, 0.03, 0.012], [0.03, 0.0, 0.0], [0.01, 0.02, -0.02]] {
        let mut world = floating();
        let ball = || SoftBody::ball(0.15, 3).young(1e5).density(500.0);
        let bodies = [Vec3::ZERO, Vec3::from(shift)].map(|at| world.add(ball().at(at)).unwrap());
        let apart = apart_after(&mut world, bodies, 15);
        assert_free(&world, "balls");
        let way = (apart - Vec3::from(shift)).length();
        let least = 0.3 - Vec3::from(shift).length();
        assert!(way < 1.3 * least, "{shift:?}: {way} of {least} m");
    }
}

/// Least translation of two boxes of half sides, the first turned and moved, m.
///
/// By separating axes: face normals of both and products of their edges.
fn least_translation(halves: [Vec3; 2], turn: Quat, shift: Vec3) -> f64 {
    let frames = [turn, Quat::IDENTITY].map(|turn| [Vec3::X, Vec3::Y, Vec3::Z].map(|e| turn * e));
    let products = frames[0].iter().flat_map(|a| frames[1].iter().map(|b| a.cross(*b)));
    let axes = frames.iter().flatten().copied().chain(products);
    let width = |axis: Vec3| {
        let reach = |k: usize| {
            let [x, y, z] = frames[k].map(|edge| edge.dot(axis).abs());
            halves[k].dot(Vec3::new(x, y, z))
        };
        reach(0) + reach(1) - shift.dot(axis).abs()
    };
    axes.filter_map(|axis| axis.try_normalize()).map(width).fold(f64::INFINITY, f64::min)
}

#[test]
fn boxes_deep_in_each_other_go_apart_by_no_more_than_they_must() {
    let mut random = Random::new(11);
    for case in 0..40 {
        let sizes = [0, 1].map(|_| Vec3::splat(0.3) + 0.7 * random.vec3().abs());
        let (turn, shift) = (random.rotation(), 0.3 * random.vec3());
        let least = least_translation(sizes.map(|size| 0.5 * size), turn, shift);
        let mut world = floating();
        let soft = |size: Vec3| SoftBody::cuboid(size, [3; 3]).young(1e6).density(500.0);
        let first = world.add(soft(sizes[0]).at(shift).rotated(turn)).unwrap();
        let second = world.add(soft(sizes[1])).unwrap();
        let apart = apart_after(&mut world, [second, first], 30);
        assert_free(&world, &format!("case {case}"));
        let way = (apart - shift).length();
        assert!(way < 1.3 * least.max(0.02), "case {case}: {way} of {least} m");
    }
}

#[test]
fn a_rod_stuck_through_a_plate_is_drawn_out() {
    for rigid in [true, false] {
        let mut world = floating();
        let plate = SoftBody::cuboid(Vec3::new(1.0, 1.0, 0.1), [6, 6, 1]).young(1e6);
        world.add(plate.density(1000.0)).unwrap();
        let (size, at) = (Vec3::new(0.03, 0.03, 0.8), Vec3::new(0.05, 0.08, 0.2));
        if rigid {
            world.add(RigidBody::cuboid(size).density(1000.0).at(at)).unwrap();
        } else {
            let rod = SoftBody::cuboid(size, [1, 1, 6]).young(1e7).density(1000.0);
            world.add(rod.at(at)).unwrap();
        }
        world.assemble().unwrap();
        let start = overlap(&world);
        assert!(start.edge_crossings > 0);
        run(&mut world, 120);
        assert_free(&world, "rod");
    }
}

#[test]
fn a_way_out_is_remembered_across_a_snapshot() {
    let knot = || {
        let mut world = floating();
        for k in 0..4 {
            let turn = Quat::from_rotation_x(0.7 * f64::from(k));
            let bar = SoftBody::cuboid(Vec3::new(0.5, 0.2, 0.2), [4, 2, 2]).young(1e5);
            let at = Vec3::new(0.03 * f64::from(k), 0.02, 0.0);
            world.add(bar.density(500.0).at(at).rotated(turn)).unwrap();
        }
        world
    };
    let mut whole = knot();
    run(&mut whole, 2);
    assert!(overlap(&whole).penetrating_vertices > 0, "still on the way");
    let mut memory = Snapshot::default();
    whole.simulation().save(&mut memory);
    let mut resumed = knot();
    run(&mut resumed, 1);
    let numbers = memory.numbers().to_vec();
    resumed.simulation_mut().restore(&mut Snapshot::from_numbers(numbers)).unwrap();
    run(&mut whole, 20);
    run(&mut resumed, 20);
    assert!(whole.simulation().state.positions == resumed.simulation().state.positions);
    assert_free(&whole, "knot");
}
