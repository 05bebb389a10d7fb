//! Contact of large bodies converges: factors against dense inverses, and rigid on soft.

use std::sync::Arc;

use pliant::body::keyframes::{Keyframe, Keyframes};
use pliant::body::obstacle::{Plane, SurfaceMaterial};
use pliant::body::pins::PinPath;
use pliant::body::soft::{Masses, State};
use pliant::body::{Bodies, obstacle};
use pliant::force::elastic::corotational::Corotational;
use pliant::force::elastic::{Elastic, ElasticSettings};
use pliant::force::gravity::Gravity;
use pliant::id::VertexId;
use pliant::integrate::System;
use pliant::integrate::implicit::{Implicit, ImplicitSettings};
use pliant::math::{Quat, Vec3};
use pliant::mesh::generate::cuboid::cuboid;
use pliant::mesh::generate::lattice::TetSplit;
use pliant::mesh::tet::TetMesh;
use pliant::prelude::{KinematicBody, Obstacle, Pose, RigidBody, SoftBody, World};
use pliant::record::energy::EnergyLedger;
use pliant::record::overlap::Measure;
use pliant::snapshot::Snapshot;
use pliant::solve::constraint::ConstraintResponse;
use pliant::solve::rows::RowSettings;
use pliant::step::{Simulation, Stepper};

const DT: f64 = 1.0 / 60.0;

/// Two cubes of 0.2 m and 125 vertices each, one upon the other, above a floor.
fn stack(rows: RowSettings) -> Simulation {
    let cube = cuboid([4; 3], Vec3::splat(0.2), TetSplit::Five).unwrap();
    let count = cube.positions.len();
    let bodies = Arc::new(Bodies::from_tets(&[(count, &cube.tets), (count, &cube.tets)]).unwrap());
    let at = |shift: Vec3| cube.positions.iter().map(move |p| *p + shift);
    let rest: Vec<Vec3> =
        at(Vec3::new(0.0, 0.0, 0.101)).chain(at(Vec3::new(0.03, 0.02, 0.302))).collect();
    let stuff = ElasticSettings { young: 2e5, ..ElasticSettings::default() };
    let elastic = Elastic::<Corotational>::new(&rest, bodies.tets(), |_| stuff).unwrap();
    let masses = Masses::new(vec![0.05; 2 * count]).unwrap();
    let mut system = System { masses, bodies: bodies.clone(), ..System::default() };
    system.forces.push(elastic);
    system.forces.push(Gravity::new(Vec3::new(1.0, 0.0, -9.81), system.masses.of()));
    let material = SurfaceMaterial { friction: 0.5, restitution: 0.0 };
    let still = Keyframes::still(Pose::IDENTITY).unwrap();
    let floor = obstacle::Obstacle::new(Plane, still, material).unwrap();
    let response =
        ConstraintResponse::new(&rest, &bodies, vec![floor], Default::default()).unwrap();
    let implicit = Implicit::new(ImplicitSettings { rows, ..ImplicitSettings::default() });
    let stepper = Stepper::new(Box::new(implicit)).with_responses(vec![Box::new(response)]);
    Simulation::new(State::at_rest(rest), system, stepper)
}

/// Swept until nothing changes, with the dense inverse of each body.
fn dense() -> RowSettings {
    RowSettings {
        max_dense_vertices: usize::MAX,
        sweeps: 2000,
        velocity_tolerance: 1e-10,
        ..RowSettings::default()
    }
}

#[test]
fn factors_give_the_velocities_of_dense_inverses() {
    let [mut exact, mut factored] = [dense(), RowSettings::default()].map(stack);
    let (mut pressed, mut iterations) = (0, 0);
    for step in 0..60 {
        factored.state.copy_from(&exact.state);
        exact.step(DT).unwrap();
        let report = factored.step(DT).unwrap();
        assert_eq!(report.unconverged, 0, "step {step}");
        pressed += usize::from(report.sweeps > 0);
        iterations += report.linear;
        // Residuals are at most 5e-5 of the size per step; a few contacts add up.
        let pairs = exact.state.velocities.iter().zip(&factored.state.velocities);
        let most = pairs.map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        assert!(most < 3e-4 * 0.2 / DT, "step {step}: {most} m/s");
    }
    // Most steps have contacts, and each body takes a few iterations in one.
    assert!(pressed > 40 && iterations < 60 * 2 * 12, "{pressed} {iterations}");
}

#[test]
fn factors_survive_a_snapshot_bit_by_bit() {
    let mut whole = stack(RowSettings::default());
    for _ in 0..25 {
        whole.step(DT).unwrap();
    }
    let mut memory = Snapshot::default();
    whole.save(&mut memory);
    let numbers = memory.numbers().to_vec();
    let mut resumed = stack(RowSettings::default());
    resumed.restore(&mut Snapshot::from_numbers(numbers.clone())).unwrap();
    for _ in 0..25 {
        whole.step(DT).unwrap();
        resumed.step(DT).unwrap();
    }
    assert_eq!(whole.state, resumed.state);
    // Factors are most of it: what is cut off or does not belong is refused.
    for cut in (0..numbers.len()).step_by(numbers.len() / 40) {
        let short = &mut Snapshot::from_numbers(numbers[..cut].to_vec());
        assert!(stack(RowSettings::default()).restore(short).is_err(), "{cut}");
    }
    for at in (0..numbers.len()).step_by(numbers.len() / 60) {
        let mut damaged = numbers.clone();
        damaged[at] = f64::NAN;
        let _ = resumed.restore(&mut Snapshot::from_numbers(damaged));
    }
}

/// Drops a rigid cuboid of two triangles a face on a soft block; returns tilt and sideways shift.
fn stands(scale: f64, young: f64, size: Vec3, cells: u32) -> (f64, f64) {
    let mut world = World::new();
    world.add(Obstacle::plane(Vec3::Z, 0.0)).unwrap();
    let edge = 0.4 * scale;
    let block = SoftBody::cuboid(Vec3::splat(edge), [cells; 3]).neo_hookean();
    let block = block.young(young * scale).poisson(0.3).density(1000.0);
    world.add(block.at(0.501 * edge * Vec3::Z)).unwrap();
    let height = 1.004 * edge + 0.5 * size.z * scale;
    let slab = RigidBody::cuboid(scale * size).density(2000.0);
    let slab = world.add(slab.at(height * Vec3::Z)).unwrap();
    let mut late = 0;
    for step in 0..240 {
        let report = world.step().unwrap();
        late += usize::from(step >= 180) * report.unconverged;
    }
    assert_eq!(late, 0, "unconverged in the last second");
    let Simulation { state, system, .. } = world.simulation();
    let overlap =
        Measure::new(&state.positions, &system.bodies).measure(&state.positions, &system.bodies);
    assert_eq!((overlap.penetrating_vertices, overlap.edge_crossings), (0, 0));
    let pose = world.pose(slab).unwrap();
    let up = pose.rotation * Vec3::Z;
    (up.angle_between(Vec3::Z), pose.position.truncate().length() / (scale * size.x))
}

#[test]
fn a_coarse_rigid_box_stands_on_a_fine_soft_block() {
    // As wide as the block, narrower, wider; ten times smaller and larger.
    for (scale, width, cells) in
        [(1.0, 0.4, 4), (1.0, 0.33, 5), (1.0, 0.5, 4), (0.1, 0.4, 4), (5.0, 0.4, 3)]
    {
        let (tilt, shift) = stands(scale, 3e4, Vec3::new(width, 0.4, 0.2), cells);
        assert!(tilt < 0.02 && shift < 0.02, "{scale} {width} {cells}: {tilt} rad, {shift}");
    }
}

/// Where three rigid boxes are that fell on each other, beside other bodies; with threads.
fn stack_beside(others: usize, threads: usize) -> Vec<[f64; 7]> {
    let mut world = World::new();
    world.set_threads(threads);
    world.add(Obstacle::plane(Vec3::Z, 0.0)).unwrap();
    let boxes = [0.06, 0.18, 0.3].map(|height| {
        let die = RigidBody::cuboid(Vec3::splat(0.1)).density(700.0);
        world.add(die.at(Vec3::new(0.1 * height, 0.0, height))).unwrap()
    });
    for other in 0..others {
        let at = Vec3::new(2.0 + other as f64, 0.0, 0.1);
        world.add(SoftBody::ball(0.1, 1).young(1e5).density(500.0).at(at)).unwrap();
    }
    for _ in 0..90 {
        world.step().unwrap();
    }
    let pose = |handle| {
        let pose = world.pose(handle).unwrap();
        let (x, q) = (pose.position, pose.rotation);
        [x.x, x.y, x.z, q.x, q.y, q.z, q.w]
    };
    boxes.map(pose).to_vec()
}

#[test]
fn an_island_does_not_depend_on_others() {
    let alone = stack_beside(0, 1);
    let beside = stack_beside(5, 1);
    // In free fall all bodies are solved together, to rounding.
    for (a, b) in alone.iter().flatten().zip(beside.iter().flatten()) {
        assert!((a - b).abs() < 1e-12, "{a} {b}");
    }
    for threads in [2, 3] {
        assert_eq!(stack_beside(5, threads), beside, "{threads}");
    }
}

/// Two kinematic plates carry a soft block of 125 vertices upwards between them.
#[test]
fn kinematic_plates_that_move_carry_a_soft_block() {
    let mut world = World::new();
    world.set_gravity(Vec3::new(0.0, 0.0, -9.81)).unwrap();
    let block = SoftBody::cuboid(Vec3::splat(0.1), [4; 3]).young(5e4).density(500.0).friction(0.8);
    let block = world.add(block).unwrap();
    let plate = |x: f64| KinematicBody::cuboid(Vec3::new(0.02, 0.2, 0.2)).at(x * Vec3::X);
    let plates = [-0.0611, 0.0611].map(|x| world.add(plate(x).friction(0.8)).unwrap());
    let (mut unconverged, mut held) = (0, 0.0);
    for step in 0..90 {
        // First they close by 8 mm each in 20 steps, then they lift at 0.12 m/s.
        let closed = 0.0611 - 0.008 * f64::from(step.min(20)) / 20.0;
        let lifted = 0.002 * f64::from((step - 30).max(0));
        for (plate, side) in plates.iter().zip([-1.0, 1.0]) {
            let pose = Pose::at(Vec3::new(side * closed, 0.0, lifted));
            world.move_to(*plate, pose).unwrap();
        }
        unconverged += world.step().unwrap().unconverged;
        if step == 30 {
            held = world.centre(block).unwrap().z; // it fell a little before they met it
        }
    }
    let rise = world.centre(block).unwrap().z - held;
    assert!((rise - 0.118).abs() < 0.004, "{rise}"); // 59 steps of 2 mm
    assert_eq!(unconverged, 0);
}

/// The top of the lower cube is held and lifted: prescribed velocities are part of the contacts.
#[test]
fn pins_that_move_lift_what_lies_on_them() {
    const SPEED: f64 = 0.5;
    let mut lifted = stack(RowSettings::default());
    let count = lifted.state.positions.len() / 2;
    let top = |v: &usize| lifted.state.positions[*v].z > 0.2;
    let held: Vec<VertexId> = (0..count).filter(top).map(|v| VertexId(v as u32)).collect();
    assert_eq!(held.len(), 25);
    let frame =
        |time: f64| Keyframe { time, position: SPEED * time * Vec3::Z, rotation: Quat::IDENTITY };
    let motion = Keyframes::new(vec![frame(0.0), frame(2.0)]).unwrap();
    let path = PinPath { motion, pivot: Vec3::ZERO };
    let positions = lifted.state.positions.clone();
    lifted.system.pins.add_moving(&held, &positions, path).unwrap();
    let (mut unconverged, mut outer) = (0, 0);
    for _ in 0..60 {
        let report = lifted.step(DT).unwrap();
        (unconverged, outer) = (unconverged + report.unconverged, outer + report.outer);
    }
    assert_eq!(unconverged, 0);
    // A residual with prescribed velocities counted twice would take all 24 of every step.
    assert!(outer < 60 * 8, "{outer}");
    let upper = lifted.state.velocities[count..].iter().sum::<Vec3>() / count as f64;
    assert!((upper.z - SPEED).abs() < 0.01, "{upper}");
}

/// The weight of what rests on contacts that open by a residual gains energy.
#[test]
fn small_soft_bodies_at_rest_are_not_lifted() {
    let bar = cuboid([5, 3, 2], Vec3::new(0.03, 0.018, 0.012), TetSplit::Five).unwrap();
    let bar = TetMesh::from_raw(bar).unwrap().0;
    let mut world = World::new();
    world.set_time_step(1.0 / 120.0).unwrap();
    world.add(Obstacle::plane(Vec3::Z, 0.0)).unwrap();
    for k in 0..3 {
        let turn = Quat::from_rotation_z(0.5 * f64::from(k)) * Quat::from_rotation_x(0.05);
        let place = Vec3::new(0.004 * f64::from(k), 0.0, 0.008 + 0.0135 * f64::from(k));
        let soft = SoftBody::new(&bar).young(2e5).density(800.0).rotated(turn).at(place);
        world.add(soft).unwrap();
    }
    world.assemble().unwrap();
    let mut ledger = EnergyLedger::new(world.simulation(), 0.05, 1.0 / 120.0);
    for step in 0..360 {
        let report = world.step().unwrap();
        let rise = ledger.enter(world.simulation(), &report);
        assert_eq!(rise, None, "step {step}");
    }
}
