//! Bodies that overlap, rest, slide and cross, under the engine's own step.

use pliant::integrate::implicit::ImplicitSettings;
use pliant::mesh::generate::cuboid::cuboid;
use pliant::mesh::generate::icosahedron::icosahedron;
use pliant::mesh::generate::lattice::TetSplit;
use pliant::prelude::*;
use pliant::record::overlap::{Measure, Overlap};
use pliant::world::ObstacleBuilder;

/// A world of bodies of one material, 100 kg/m³, 30 kPa.
fn world(
    meshes: &[(TetMesh, Quat, Vec3)],
    gravity: Vec3,
    obstacles: Vec<ObstacleBuilder>,
    solver: ImplicitSettings,
) -> World {
    let mut world = World::new();
    world.set_gravity(gravity).unwrap();
    world.set_solver(solver);
    for (mesh, turn, place) in meshes {
        let body = SoftBody::new(mesh).young(3e4).poisson(0.4).density(100.0);
        world.add(body.rotated(*turn).at(*place)).unwrap();
    }
    for obstacle in obstacles {
        world.add(obstacle).unwrap();
    }
    world.assemble().unwrap();
    world
}

fn steps(world: &mut World, count: usize) {
    for _ in 0..count {
        world.step().unwrap();
    }
}

fn overlap(world: &World) -> Overlap {
    let simulation = world.simulation();
    let (positions, bodies) = (&simulation.state.positions, &simulation.system.bodies);
    Measure::new(positions, bodies).measure(positions, bodies)
}

/// Relative speed of the first two bodies, m/s.
fn parting(world: &World) -> f64 {
    let bodies: Vec<_> = world.bodies().collect();
    (world.velocity(bodies[0]).unwrap() - world.velocity(bodies[1]).unwrap()).length()
}

fn rms_speed(world: &mut World) -> f64 {
    let masses: f64 = world.bodies().map(|body| world.mass(body).unwrap()).sum();
    (2.0 * world.energy().unwrap().kinetic / masses).sqrt()
}

fn momentum(world: &World) -> Vec3 {
    world.bodies().map(|body| world.mass(body).unwrap() * world.velocity(body).unwrap()).sum()
}

fn block(cells: u32, size: Vec3) -> TetMesh {
    TetMesh::from_raw(cuboid([cells; 3], size, TetSplit::Five).unwrap()).unwrap().0
}

fn plane(point: Vec3, normal: Vec3, friction: f64) -> ObstacleBuilder {
    Obstacle::plane(normal, point.dot(normal)).friction(friction)
}

/// Both solvers, each made to take every body.
fn both_ways() -> [ImplicitSettings; 2] {
    let mut settings = [ImplicitSettings::default(); 2];
    settings[0].rows.max_dense_vertices = usize::MAX;
    settings[1].rows.max_dense_vertices = 0;
    settings[1].linear.tolerance = 1e-9;
    settings
}

fn two_cubes(overlap: f64, tilt: f64, solver: ImplicitSettings) -> World {
    let cube = block(3, Vec3::ONE);
    let turn = Quat::from_rotation_x(tilt) * Quat::from_rotation_y(0.7 * tilt);
    let second = (cube.clone(), turn, Vec3::new(1.0 - overlap, 0.07, -0.04));
    world(&[(cube, Quat::IDENTITY, Vec3::ZERO), second], Vec3::ZERO, vec![], solver)
}

#[test]
fn two_cubes_leave_any_overlap_gently() {
    for settings in both_ways() {
        for (depth, tilt) in [(0.1, 0.1), (0.3, 0.8), (0.5, 0.1), (0.8, 0.1), (0.8, 0.8)] {
            let mut scene = two_cubes(depth, tilt, settings);
            assert!(overlap(&scene).penetrating_vertices > 0);
            let mut frames = 0;
            while overlap(&scene).penetrating_vertices > 0 {
                steps(&mut scene, 1);
                frames += 1;
                assert!(frames <= 12, "{depth} {tilt}");
            }
            steps(&mut scene, 30);
            let (speed, found) = (parting(&scene), overlap(&scene));
            assert!(speed <= 0.05, "{depth} {tilt}: {speed} m/s");
            assert_eq!((found.penetrating_vertices, found.inverted_tets), (0, 0));
        }
    }
}

#[test]
fn without_push_nothing_moves_and_nothing_is_gained() {
    for settings in both_ways() {
        let mut scene = two_cubes(0.5, 0.1, settings);
        scene.set_depenetration_speed(0.0).unwrap();
        for _ in 0..20 {
            steps(&mut scene, 1);
            let state = &scene.simulation().state;
            let fastest = state.velocities.iter().fold(0.0, |most: f64, v| most.max(v.length()));
            assert!(fastest <= 1e-12, "{fastest} m/s");
            assert!(scene.energy().unwrap().elastic <= 1e-20);
        }
        assert_eq!(overlap(&scene).penetrating_vertices, 0);
    }
}

#[test]
fn bodies_that_run_into_each_other_gain_no_energy() {
    for settings in both_ways() {
        for (depth, tilt) in [(0.1, 0.1), (0.3, 0.1), (0.3, 0.5), (0.5, 0.3)] {
            let mut scene = two_cubes(depth, tilt, settings);
            scene.set_depenetration_speed(0.0).unwrap();
            let bodies: Vec<_> = scene.bodies().collect();
            scene.set_velocity(bodies[0], 0.5 * Vec3::X).unwrap();
            scene.set_velocity(bodies[1], -0.5 * Vec3::X).unwrap();
            let start = scene.energy().unwrap().total();
            for step in 0..30 {
                steps(&mut scene, 1);
                let now = scene.energy().unwrap().total();
                assert!(now <= start * (1.0 + 1e-9), "{depth} {tilt} {step}: {start} {now}");
            }
        }
    }
}

#[test]
fn contacts_between_bodies_keep_momentum() {
    let [direct, iterative] = both_ways();
    for (settings, allowed) in [(direct, 1e-10), (iterative, 1e-6)] {
        let mut scene = two_cubes(-0.2, 0.3, settings);
        let second = scene.bodies().last().unwrap();
        scene.set_velocity(second, -2.0 * Vec3::X).unwrap();
        let before = momentum(&scene);
        let mut met = false;
        for _ in 0..30 {
            steps(&mut scene, 1);
            met |= !scene.contacts().is_empty();
        }
        assert!(met);
        let change = momentum(&scene) - before;
        assert!(change.length() <= allowed * before.length(), "{change} of {before}");
    }
}

#[test]
fn friction_holds_below_its_cone_and_lets_slide_above() {
    let friction = 0.3;
    for settings in both_ways() {
        for ratio in [0.97, 1.4] {
            let slope: f64 = ratio * friction;
            let (down, along) = ((1.0 + slope * slope).sqrt().recip(), slope);
            let gravity = 9.81 * down * Vec3::new(along, 0.0, -1.0);
            let cube = block(2, Vec3::ONE);
            let mut scene = world(
                &[(cube, Quat::IDENTITY, 0.505 * Vec3::Z)],
                gravity,
                vec![plane(Vec3::ZERO, Vec3::Z, friction)],
                settings,
            );
            let body = scene.bodies().next().unwrap();
            // Sinking in, it bounces and slips; friction has 3 % to spare to stop it, which takes
            // two seconds, and the remaining oscillation decays in two more.
            steps(&mut scene, 240);
            let before = scene.velocity(body).unwrap().x;
            steps(&mut scene, 60);
            let gained = scene.velocity(body).unwrap().x - before;
            // Over one second: g (sin θ − μ cos θ).
            let expected = 9.81 * down * (slope - friction);
            if ratio < 1.0 {
                assert!(gained.abs() + before.abs() < 1e-3, "{before} {gained}");
            } else {
                assert!((gained / expected - 1.0).abs() < 0.02, "{gained} {expected}");
            }
        }
    }
}

#[test]
fn crossing_bars_come_free_though_no_vertex_is_inside() {
    let bar = |size| block(1, size);
    let meshes = [
        (bar(Vec3::new(2.0, 0.3, 0.3)), Quat::IDENTITY, Vec3::ZERO),
        (bar(Vec3::new(0.3, 2.0, 0.3)), Quat::IDENTITY, Vec3::new(0.02, 0.03, 0.2)),
    ];
    let mut scene = world(&meshes, Vec3::ZERO, vec![], ImplicitSettings::default());
    let start = overlap(&scene);
    assert!(start.penetrating_vertices == 0 && start.edge_crossings > 0, "{start:?}");
    steps(&mut scene, 10);
    assert_eq!(overlap(&scene).edge_crossings, 0);
}

#[test]
fn a_ball_in_a_block_leaves_it_along_the_shortest_way() {
    for settings in both_ways() {
        for cells in [1, 4] {
            let ball = TetMesh::from_raw(icosahedron(0.15).unwrap()).unwrap().0;
            let start = Vec3::new(0.02, -0.03, 0.1);
            let turn = Quat::from_rotation_x(0.4) * Quat::from_rotation_y(0.3);
            let meshes =
                [(block(cells, Vec3::ONE), Quat::IDENTITY, Vec3::ZERO), (ball, turn, start)];
            let mut scene = world(&meshes, Vec3::ZERO, vec![], settings);
            let ball = scene.bodies().last().unwrap();
            let own = scene.positions(ball).unwrap().len();
            assert!(overlap(&scene).penetrating_vertices >= own);
            // A fifth of its size a step, 0.05 m, for a way of 0.4 m and its own height.
            steps(&mut scene, 15);
            let found = overlap(&scene);
            assert_eq!((found.penetrating_vertices, found.edge_crossings), (0, 0), "{found:?}");
            assert_eq!(found.inverted_tets, 0);
            let middle = scene.positions(ball).unwrap().iter().sum::<Vec3>() / own as f64;
            assert!(middle.z > 0.5 && parting(&scene) <= 0.05, "{middle} {}", parting(&scene));
            // Half way out, inner vertices of the block in the ball push it aside.
            let aside = (middle - start).truncate().length();
            assert!(aside <= if cells == 1 { 1e-3 } else { 0.15 }, "{aside} m");
        }
    }
}

#[test]
fn a_heap_of_balls_comes_to_rest_with_nothing_inside() {
    let ball = TetMesh::from_raw(icosahedron(0.5).unwrap()).unwrap().0;
    let places = (0..12).map(|k| {
        let layer = f64::from(k / 4);
        let (i, j) = (f64::from(k % 2) - 0.5, f64::from(k / 2 % 2) - 0.5);
        let turn = Quat::from_rotation_x(f64::from(k)) * Quat::from_rotation_z(1.3 * f64::from(k));
        (ball.clone(), turn, Vec3::new(1.1 * i + 0.05 * layer, 1.1 * j, 0.6 + 1.1 * layer))
    });
    let walls = [(Vec3::ZERO, Vec3::Z), (-1.2 * Vec3::X, Vec3::X), (1.2 * Vec3::X, -Vec3::X)]
        .into_iter()
        .chain([(-1.2 * Vec3::Y, Vec3::Y), (1.2 * Vec3::Y, -Vec3::Y)])
        .map(|(point, normal)| plane(point, normal, 0.3));
    let meshes: Vec<_> = places.collect();
    let settings = ImplicitSettings::default();
    let mut scene = world(&meshes, -9.81 * Vec3::Z, walls.collect(), settings);
    steps(&mut scene, 360);
    let found = overlap(&scene);
    assert_eq!((found.penetrating_vertices, found.edge_crossings), (0, 0), "{found:?}");
    let speed = rms_speed(&mut scene);
    assert!(speed < 0.003, "{speed}");
    let lowest =
        scene.simulation().state.positions.iter().fold(f64::INFINITY, |low, p| low.min(p.z));
    assert!(lowest > -1e-6, "{lowest}");
}
