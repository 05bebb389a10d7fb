//! Bodies that overlap, rest, slide and cross, under the engine's own step.

use std::ops::Range;
use std::sync::Arc;

use pliant::body::Bodies;
use pliant::body::keyframes::{Keyframes, Pose};
use pliant::body::obstacle::{Obstacle, Plane, SurfaceMaterial};
use pliant::body::soft::State;
use pliant::force::elastic::{Corotational, Elastic, ElasticSettings};
use pliant::force::gravity::Gravity;
use pliant::integrate::System;
use pliant::integrate::implicit::{Implicit, ImplicitSettings};
use pliant::math::{Quat, Vec3};
use pliant::mesh::generate::cuboid::cuboid;
use pliant::mesh::generate::icosahedron::icosahedron;
use pliant::mesh::generate::lattice::TetSplit;
use pliant::mesh::tet::TetMesh;
use pliant::record::overlap::{Measure, Overlap};
use pliant::solve::constraint::{ConstraintResponse, ConstraintSettings};
use pliant::step::Stepper;

use crate::placed::{Placed, placed};

const DT: f64 = 1.0 / 60.0;

/// Settings of the engine's own step.
#[derive(Clone, Copy, Debug, Default)]
struct Settings {
    contact: ConstraintSettings,
    implicit: ImplicitSettings,
}

/// Bodies of one material, 100 kg/m³, 30 kPa.
struct Scene {
    bodies: Arc<Bodies>,
    state: State,
    system: System,
    stepper: Stepper,
}

impl Scene {
    fn new(
        meshes: &[(TetMesh, Quat, Vec3)],
        gravity: Vec3,
        obstacles: Vec<Obstacle>,
        settings: Settings,
    ) -> Scene {
        let Placed { bodies, rest, state, mut system } = placed(meshes);
        system.forces.push(Gravity::new(gravity, system.masses.of()));
        let soft = ElasticSettings { young: 3e4, poisson: 0.4, damping: 0.0 };
        let elastic = Elastic::<Corotational>::new(&rest, bodies.tets(), |_| soft).unwrap();
        system.forces.push(elastic);
        let contact = ConstraintResponse::new(&rest, &bodies, obstacles, settings.contact).unwrap();
        let implicit = Box::new(Implicit::new(settings.implicit));
        let stepper = Stepper::new(implicit).with_responses(vec![Box::new(contact)]);
        Scene { bodies, state, system, stepper }
    }

    fn step(&mut self) {
        self.stepper.step(&mut self.system, &mut self.state, DT).unwrap();
    }

    fn overlap(&self) -> Overlap {
        Measure::new(&self.state.positions, &self.bodies)
            .measure(&self.state.positions, &self.bodies)
    }

    fn mean_velocity(&self, vertices: Range<usize>) -> Vec3 {
        let masses = &self.system.masses.of()[vertices.clone()];
        let moving = self.state.velocities[vertices].iter().zip(masses);
        moving.map(|(v, m)| *m * *v).sum::<Vec3>() / masses.iter().sum::<f64>()
    }

    /// Relative speed of the first two bodies, m/s.
    fn parting(&self) -> f64 {
        let [a, b] = [0, 1].map(|body| self.bodies.vertices(pliant::id::BodyId(body)));
        (self.mean_velocity(a) - self.mean_velocity(b)).length()
    }

    fn rms_speed(&self) -> f64 {
        (2.0 * self.state.kinetic(&self.system.masses) / self.system.masses.total()).sqrt()
    }
}

fn block(cells: u32, size: Vec3) -> TetMesh {
    TetMesh::from_raw(cuboid([cells; 3], size, TetSplit::Five).unwrap()).unwrap().0
}

fn plane(point: Vec3, normal: Vec3, friction: f64) -> Obstacle {
    let pose = Pose::along(point, normal).unwrap();
    let touch = SurfaceMaterial { friction, restitution: 0.0 };
    Obstacle::new(Plane, Keyframes::still(pose).unwrap(), touch).unwrap()
}

/// Both solvers, each made to take every body.
fn both_ways() -> [Settings; 2] {
    let mut settings = [Settings::default(); 2];
    settings[0].implicit.rows.max_dense_vertices = usize::MAX;
    settings[1].implicit.rows.max_dense_vertices = 0;
    settings[1].implicit.linear.tolerance = 1e-9;
    settings
}

fn two_cubes(overlap: f64, tilt: f64, settings: Settings) -> Scene {
    let cube = block(3, Vec3::ONE);
    let turn = Quat::from_rotation_x(tilt) * Quat::from_rotation_y(0.7 * tilt);
    let second = (cube.clone(), turn, Vec3::new(1.0 - overlap, 0.07, -0.04));
    Scene::new(&[(cube, Quat::IDENTITY, Vec3::ZERO), second], Vec3::ZERO, vec![], settings)
}

#[test]
fn two_cubes_leave_any_overlap_gently() {
    for settings in both_ways() {
        for (overlap, tilt) in [(0.1, 0.1), (0.3, 0.8), (0.5, 0.1), (0.8, 0.1), (0.8, 0.8)] {
            let mut scene = two_cubes(overlap, tilt, settings);
            assert!(scene.overlap().penetrating_vertices > 0);
            let mut frames = 0;
            while scene.overlap().penetrating_vertices > 0 {
                scene.step();
                frames += 1;
                assert!(frames <= 12, "{overlap} {tilt}");
            }
            (0..30).for_each(|_| scene.step());
            let (speed, found) = (scene.parting(), scene.overlap());
            assert!(speed <= 0.05, "{overlap} {tilt}: {speed} m/s");
            assert_eq!((found.penetrating_vertices, found.inverted_tets), (0, 0));
        }
    }
}

#[test]
fn without_push_nothing_moves_and_nothing_is_gained() {
    for mut settings in both_ways() {
        settings.contact.max_depenetration_speed = 0.0;
        let mut scene = two_cubes(0.5, 0.1, settings);
        for _ in 0..20 {
            scene.step();
            let fastest =
                scene.state.velocities.iter().fold(0.0, |most: f64, v| most.max(v.length()));
            assert!(fastest <= 1e-12, "{fastest} m/s");
            assert!(scene.system.forces.energy(scene.state.motion()) <= 1e-20);
        }
        assert_eq!(scene.overlap().penetrating_vertices, 0);
    }
}

#[test]
fn bodies_that_run_into_each_other_gain_no_energy() {
    for mut settings in both_ways() {
        settings.contact.max_depenetration_speed = 0.0;
        for (overlap, tilt) in [(0.1, 0.1), (0.3, 0.1), (0.3, 0.5), (0.5, 0.3)] {
            let mut scene = two_cubes(overlap, tilt, settings);
            let half = scene.state.positions.len() / 2;
            scene.state.velocities[..half].fill(0.5 * Vec3::X);
            scene.state.velocities[half..].fill(-0.5 * Vec3::X);
            let energy = |scene: &Scene| {
                scene.state.kinetic(&scene.system.masses)
                    + scene.system.forces.energy(scene.state.motion())
            };
            let start = energy(&scene);
            for step in 0..30 {
                scene.step();
                let now = energy(&scene);
                assert!(now <= start * (1.0 + 1e-9), "{overlap} {tilt} {step}: {start} {now}");
            }
        }
    }
}

#[test]
fn contacts_between_bodies_keep_momentum() {
    let [direct, iterative] = both_ways();
    for (settings, allowed) in [(direct, 1e-10), (iterative, 1e-6)] {
        let mut scene = two_cubes(-0.2, 0.3, settings);
        let half = scene.state.positions.len() / 2;
        scene.state.velocities[half..].fill(-2.0 * Vec3::X);
        let before = scene.state.momentum(&scene.system.masses);
        let mut met = false;
        for _ in 0..30 {
            scene.step();
            met |= scene
                .system
                .scratch
                .contact
                .row_impulses
                .iter()
                .any(|row_impulse| row_impulse.normal > 0.0);
        }
        assert!(met);
        let change = scene.state.momentum(&scene.system.masses) - before;
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
            let mut scene = Scene::new(
                &[(cube, Quat::IDENTITY, 0.505 * Vec3::Z)],
                gravity,
                vec![plane(Vec3::ZERO, Vec3::Z, friction)],
                settings,
            );
            let all = 0..scene.state.positions.len();
            // Sinking in, it bounces and slips; friction has 3 % to spare to stop it, which takes
            // two seconds, and the remaining oscillation decays in two more.
            (0..240).for_each(|_| scene.step());
            let before = scene.mean_velocity(all.clone()).x;
            (0..60).for_each(|_| scene.step());
            let gained = scene.mean_velocity(all).x - before;
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
    let mut scene = Scene::new(&meshes, Vec3::ZERO, vec![], Settings::default());
    let start = scene.overlap();
    assert!(start.penetrating_vertices == 0 && start.edge_crossings > 0, "{start:?}");
    (0..10).for_each(|_| scene.step());
    assert_eq!(scene.overlap().edge_crossings, 0);
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
            let mut scene = Scene::new(&meshes, Vec3::ZERO, vec![], settings);
            let own = scene.bodies.vertices(pliant::id::BodyId(1));
            assert!(scene.overlap().penetrating_vertices >= own.len());
            // A fifth of its size a step, 0.05 m, for a way of 0.4 m and its own height.
            (0..15).for_each(|_| scene.step());
            let found = scene.overlap();
            assert_eq!((found.penetrating_vertices, found.edge_crossings), (0, 0), "{found:?}");
            assert_eq!(found.inverted_tets, 0);
            let middle = scene.state.positions[own.clone()].iter().sum::<Vec3>() / own.len() as f64;
            assert!(middle.z > 0.5 && scene.parting() <= 0.05, "{middle} {}", scene.parting());
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
    let settings = Settings::default();
    let mut scene = Scene::new(&meshes, -9.81 * Vec3::Z, walls.collect(), settings);
    (0..360).for_each(|_| scene.step());
    let found = scene.overlap();
    assert_eq!((found.penetrating_vertices, found.edge_crossings), (0, 0), "{found:?}");
    assert!(scene.rms_speed() < 0.003, "{}", scene.rms_speed());
    let lowest = scene.state.positions.iter().fold(f64::INFINITY, |low, p| low.min(p.z));
    assert!(lowest > -1e-6, "{lowest}");
}
