//! Soft bodies attached to rigid ones: nothing comes loose, forces act on both.

use pliant::body::rigid::attach::AttachError;
use pliant::body::rigid::{RigidState, RigidTemplate};
use pliant::body::soft::State;
use pliant::id::{BodyId, VertexId};
use pliant::integrate::StepError;
use pliant::integrate::rk4::Rk4;
use pliant::integrate::sleep::SleepSettings;
use pliant::math::{Quat, Vec3};
use pliant::mesh::generate::cuboid::cuboid;
use pliant::mesh::generate::lattice::TetSplit;
use pliant::mesh::tet::TetMesh;
use pliant::prelude::{Joint, Obstacle, World, WorldError};
use pliant::snapshot::Snapshot;
use pliant::solve::joint::{Axis, JointDefinition, JointKind, Joints};
use pliant::step::{Simulation, Stepper};
use pliant_scene::digest::digest;

use crate::placed::step_by;
use crate::rigid::{DT, GRAVITY, block, handles, run, world};

/// Distance of an attached vertex from its point, relative to 1 m.
const LOOSE: f64 = 1e-9;

/// Momentum that some hundred steps may lose, relative.
const MOMENTUM: f64 = 1e-10;

const HOLDER: BodyId = BodyId(0);

/// A rigid cube of 0.2 m and 0.8 kg, a soft bar of 0.4 m and 1.6 kg on its right, which pass
/// through each other.
fn cube_with_bar(gravity: Vec3) -> World {
    cube_with_bar_at(Vec3::ZERO, gravity)
}

/// The same, the middle of the cube at a place, m.
fn cube_with_bar_at(place: Vec3, gravity: Vec3) -> World {
    let bar = cuboid([4, 2, 2], Vec3::new(0.4, 0.2, 0.2), TetSplit::Five).unwrap();
    let bar = TetMesh::from_raw(bar).unwrap().0;
    let list = [
        (block(1, Vec3::splat(0.2)), Quat::IDENTITY, place, true),
        (bar, Quat::IDENTITY, place + 0.3 * Vec3::X, false),
    ];
    let mut world = world(&list, gravity, 0.5);
    let [cube, bar] = handles(&world);
    world.ignore_pair(cube, bar).unwrap();
    world
}

/// Vertices of the bar at the cube.
fn touching(simulation: &Simulation) -> Vec<VertexId> {
    let own = simulation.system.bodies.vertices(BodyId(1));
    let near = own.filter(|v| simulation.state.positions[*v].x < 0.1 + 1e-9);
    near.map(|v| VertexId(v as u32)).collect()
}

/// Attaches the bar to the cube wherever it touches it, and returns these vertices.
fn attach(world: &mut World) -> Vec<VertexId> {
    world.assemble().unwrap();
    let vertices = touching(world.simulation());
    assert_eq!(vertices.len(), 9);
    let list = vec![(HOLDER, vertices.clone())];
    attach_all(world, list);
    vertices
}

/// Attaches vertices to rigid bodies.
fn attach_all(world: &mut World, list: Vec<(BodyId, Vec<VertexId>)>) {
    step_by(world, move |parts| {
        let (system, state) = (&mut *parts.system, &mut *parts.state);
        for (holder, vertices) in &list {
            let held = &mut system.rigids;
            held.attach(*holder, vertices, &system.masses, &system.pins, state).unwrap();
        }
        parts.usual_stepper().unwrap()
    });
}

fn add_floor(world: &mut World) {
    world.add(Obstacle::plane(Vec3::Z, 0.0)).unwrap();
}

/// Farthest distance of an attached vertex from its point on the rigid body, m.
fn loosest(world: &World, start: &[(VertexId, Vec3)]) -> f64 {
    let State { positions, rigids, .. } = &world.simulation().state;
    let gap = |(v, r): &(VertexId, Vec3)| rigids[0].point(*r).distance(positions[v.index()]);
    start.iter().map(gap).fold(0.0, f64::max)
}

fn places(world: &World, vertices: &[VertexId]) -> Vec<(VertexId, Vec3)> {
    let State { positions, rigids, .. } = &world.simulation().state;
    vertices.iter().map(|v| (*v, rigids[0].body_point(positions[v.index()]))).collect()
}

#[test]
fn what_is_attached_is_part_of_the_rigid_body() {
    let mut world = cube_with_bar(Vec3::ZERO);
    let [cube, _] = handles(&world);
    world.set_spin(cube, 2.0 * Vec3::Z).unwrap();
    world.set_velocity(cube, Vec3::Y).unwrap();
    world.assemble().unwrap();
    let before = world.simulation().state.positions.clone();
    let vertices = attach(&mut world);
    let Simulation { state, system, .. } = world.simulation();
    let masses = system.masses.of();
    let held: f64 = vertices.iter().map(|v| masses[v.index()]).sum();
    let mass = 0.8 + held;
    assert!((system.rigids.entries()[0].body.mass - mass).abs() < 1e-14);
    // All attached vertices are 0.1 m from the middle of the cube.
    let rigid = &state.rigids[0];
    assert!(rigid.centre.abs_diff_eq(0.1 * held / mass * Vec3::X, 1e-14), "{rigid:?}");
    assert!(rigid.velocity_at(Vec3::ZERO).abs_diff_eq(Vec3::Y, 1e-14), "{rigid:?}");
    for (now, before) in state.positions.iter().zip(&before) {
        assert!(now.abs_diff_eq(*before, 1e-15), "{now} {before}");
    }
    let v = vertices[0].index();
    let expected = Vec3::Y + (2.0 * Vec3::Z).cross(state.positions[v]);
    assert!(state.velocities[v].abs_diff_eq(expected, 1e-14));
    let about = |x: Vec3, m: f64| m * x.truncate().length_squared();
    let own = 0.8 * 0.2 * 0.2 / 6.0;
    let inertia = rigid.inertia(&system.rigids.entries()[0].body);
    let expected = own
        + about(rigid.centre, 0.8)
        + vertices
            .iter()
            .map(|v| about(state.positions[v.index()] - rigid.centre, masses[v.index()]))
            .sum::<f64>();
    assert!((inertia.z_axis.z - expected).abs() < 1e-15, "{inertia} {expected}");
}

const VELOCITY: Vec3 = Vec3::new(0.3, -0.2, 0.5);
const SPIN: Vec3 = Vec3::new(0.5, 1.0, 2.0);

/// Lets all bodies of a world turn together about a point.
fn turn_together(world: &mut World, about: Vec3) {
    world.assemble().unwrap();
    let Simulation { state, system, .. } = world.simulation_mut();
    let centre = |rigid: &RigidState| VELOCITY + SPIN.cross(rigid.centre - about);
    for rigid in &mut state.rigids {
        (rigid.velocity, rigid.spin) = (centre(rigid), SPIN);
    }
    for (v, x) in state.velocities.iter_mut().zip(&state.positions) {
        *v = VELOCITY + SPIN.cross(*x - about);
    }
    system.rigids.write(state);
}

/// Linear and angular momentum lost in 1 s by a pair that turns freely, relative.
fn lost_by_pair(dt: f64) -> [f64; 2] {
    let mut pair = cube_with_bar(Vec3::ZERO);
    pair.set_time_step(dt).unwrap();
    turn_together(&mut pair, Vec3::ZERO);
    let turn = pair.simulation().state.rigids[0].turn;
    let vertices = attach(&mut pair);
    let start = places(&pair, &vertices);
    let lost = lost(&mut pair);
    assert!(loosest(&pair, &start) < LOOSE);
    assert!(pair.simulation().state.rigids[0].turn.angle_between(turn) > 1.0);
    lost
}

/// The same by a soft bar of the same shape.
fn lost_by_bar(dt: f64) -> [f64; 2] {
    let bar = cuboid([6, 2, 2], Vec3::new(0.6, 0.2, 0.2), TetSplit::Five).unwrap();
    let list = [(TetMesh::from_raw(bar).unwrap().0, Quat::IDENTITY, Vec3::ZERO, false)];
    let mut bar = world(&list, Vec3::ZERO, 0.5);
    bar.set_time_step(dt).unwrap();
    turn_together(&mut bar, Vec3::ZERO);
    lost(&mut bar)
}

fn lost(world: &mut World) -> [f64; 2] {
    let totals = |world: &World| {
        let Simulation { state, system, .. } = world.simulation();
        let centre = state.centre(&system.masses);
        let spin = system.rigids.angular_momentum(state, &system.masses, centre);
        [state.momentum(&system.masses), spin]
    };
    let before = totals(world);
    let steps = (1.0 / world.time_step()).round() as usize;
    run(world, steps);
    let after = totals(world);
    [0, 1].map(|k| after[k].distance(before[k]) / before[k].length())
}

#[test]
fn a_free_pair_keeps_its_momentum_and_loses_more_spin_than_a_soft_bar() {
    let [coarse, fine] = [lost_by_pair(DT), lost_by_pair(0.25 * DT)];
    assert!(coarse[0] < MOMENTUM && fine[0] < MOMENTUM, "{coarse:?} {fine:?}");
    // What is attached moves along tangents, stretches, and is damped; a body alone is turned.
    for (pair, dt) in [(coarse, DT), (fine, 0.25 * DT)] {
        let bar = lost_by_bar(dt);
        assert!(bar[0] < MOMENTUM && bar[1] < 0.5 * pair[1], "{pair:?} {bar:?}");
    }
    assert!(fine[1] < 0.2 * coarse[1], "{coarse:?} {fine:?}");
}

#[test]
fn a_lifted_plate_takes_the_bar_with_it_and_bears_its_weight() {
    let mut world = cube_with_bar(-GRAVITY * Vec3::Z);
    let [cube, _] = handles(&world);
    let lift = Joint::slider(cube, None, Vec3::Z).motor(0.2, f64::INFINITY);
    let lift = world.add(lift).unwrap();
    let vertices = attach(&mut world);
    let start = places(&world, &vertices);
    run(&mut world, 300);
    assert!(loosest(&world, &start) < LOOSE);
    let velocity = world.velocity(cube).unwrap();
    assert!((velocity.z - 0.2).abs() < 1e-6, "{velocity}");
    let (force, _) = world.joint_load(lift).unwrap();
    assert!((force.z / (2.4 * GRAVITY) - 1.0).abs() < 1e-3, "{force}");
}

/// Torque of a hinge on the cube's left, N·m, and that of all weights about it.
fn cantilever() -> [f64; 2] {
    let mut world = cube_with_bar(-GRAVITY * Vec3::Z);
    attach(&mut world);
    let anchor = -0.1 * Vec3::X;
    let stop = Axis { direction: Vec3::Y, limits: Some([0.0, 0.0]), motor: None };
    let joint = JointDefinition::new(JointKind::Hinge(stop), (0, None), anchor);
    // A joint of the world would be that of the cube without what it holds.
    let Simulation { state, system, .. } = world.simulation_mut();
    system.joints = Joints::new(vec![joint], system.rigids.entries(), &state.rigids).unwrap();
    run(&mut world, 400);
    let Simulation { state, system, .. } = world.simulation();
    let torque = system.joints.loads()[0].torque.y;
    let weights = state.positions.iter().zip(system.masses.of());
    // The weight −m g z at x turns by m g x about y.
    [torque, -weights.map(|(x, m)| m * GRAVITY * (x.x - anchor.x)).sum::<f64>()]
}

#[test]
fn a_hinge_feels_the_torque_of_the_bar_that_its_cube_holds() {
    let [torque, balance] = cantilever();
    assert!((torque / balance - 1.0).abs() < 1e-3, "{torque} {balance}");
    // 0.8 kg at 0.1 m and 1.6 kg at 0.4 m; the bar hangs down a little, which brings it nearer.
    let straight = -GRAVITY * (0.8 * 0.1 + 1.6 * 0.4);
    assert!((balance / straight - 1.0).abs() < 0.02, "{balance} {straight}");
}

#[test]
fn a_held_bar_rests_on_the_floor_and_bears_its_holder() {
    let mut world = cube_with_bar(-GRAVITY * Vec3::Z);
    add_floor(&mut world);
    let vertices = attach(&mut world);
    let start = places(&world, &vertices);
    // The bar below, standing.
    let stand = |x: Vec3| Quat::from_rotation_y(0.5 * std::f64::consts::PI) * x + 0.51 * Vec3::Z;
    let Simulation { state, system, .. } = world.simulation_mut();
    state.positions.iter_mut().for_each(|x| *x = stand(*x));
    let rigid = &mut state.rigids[0];
    rigid.centre = stand(rigid.centre);
    rigid.turn = Quat::from_rotation_y(0.5 * std::f64::consts::PI) * rigid.turn;
    system.rigids.write(state);
    run(&mut world, 300);
    assert!(loosest(&world, &start) < LOOSE);
    let scene = world.simulation();
    let lowest = scene.state.positions.iter().fold(f64::INFINITY, |low, x| low.min(x.z));
    let top = scene.state.rigids[0].centre.z;
    assert!(lowest > 0.0 && lowest < 0.01 && (0.40..0.49).contains(&top), "{lowest} {top}");
    let borne: Vec3 = scene.external_impulses().iter().map(|(_, impulse)| *impulse).sum();
    let weight = 2.4 * GRAVITY * DT;
    assert!((borne.z / weight - 1.0).abs() < 1e-3, "{borne} {weight}");
    let momentum = scene.state.momentum(&scene.system.masses).length();
    assert!(momentum < 1e-4 * weight, "{momentum}");
}

#[test]
fn a_holder_stays_awake_with_what_it_holds() {
    let asleep = |holds: bool| {
        let mut world = cube_with_bar(-GRAVITY * Vec3::Z);
        add_floor(&mut world);
        world.set_sleep(Some(SleepSettings::default()));
        world.assemble().unwrap();
        if holds {
            attach(&mut world);
        }
        // The cube lies on the floor; on its own it does so without the bar.
        let aside = if holds { Vec3::ZERO } else { 5.0 * Vec3::X };
        let Simulation { state, system, .. } = world.simulation_mut();
        state.rigids[0].centre.z += 0.101;
        state.positions.iter_mut().for_each(|x| *x += 0.101 * Vec3::Z + aside);
        system.rigids.write(state);
        run(&mut world, 300);
        world.simulation().system.scratch.asleep[0]
    };
    assert!(asleep(false) && !asleep(true));
}

#[test]
fn threads_and_pauses_do_not_change_a_bit() {
    let made = || {
        let mut world = cube_with_bar_at(0.3 * Vec3::Z, -GRAVITY * Vec3::Z);
        add_floor(&mut world);
        let [cube, _] = handles(&world);
        world.set_spin(cube, Vec3::new(0.0, 3.0, 1.0)).unwrap();
        attach(&mut world);
        world
    };
    let mut whole = made();
    run(&mut whole, 30);
    let mut memory = Snapshot::default();
    whole.simulation().save(&mut memory);
    run(&mut whole, 30);
    let mut resumed = made();
    let mut memory = Snapshot::from_numbers(memory.numbers().to_vec());
    resumed.simulation_mut().restore(&mut memory).unwrap();
    resumed.set_threads(2);
    run(&mut resumed, 30);
    let given = whole.simulation().external_impulse_total;
    assert!(given.z > 0.1, "the floor was met: {given}");
    let [whole, resumed] = [whole, resumed].map(|world| digest(&world.simulation().state));
    assert_eq!(whole, resumed);
}

#[test]
fn what_cannot_be_attached_is_refused_and_changes_nothing() {
    let mut world = cube_with_bar(Vec3::ZERO);
    world.assemble().unwrap();
    let vertices = touching(world.simulation());
    let Simulation { state, system, .. } = world.simulation_mut();
    let state = state.clone();
    system.pins.add_still(&[VertexId(40)], &state.positions).unwrap();
    let rigids = system.rigids.clone();
    let mut check = |holder: u32, vertices: &[VertexId], message: &str| {
        let mut after = state.clone();
        let refused = system.rigids.attach(
            BodyId(holder),
            vertices,
            &system.masses,
            &system.pins,
            &mut after,
        );
        assert_eq!(refused.unwrap_err().to_string(), message);
        assert_eq!((&system.rigids, &after), (&rigids, &state));
    };
    check(1, &vertices, "body 1 is not rigid: only rigid bodies hold vertices of others");
    check(0, &[], "body 0 is to hold no vertex: name at least one");
    check(0, &[VertexId(99)], "vertex 99 is to be attached, there are 53");
    let itself = "vertex 3 belongs to body 0, which is rigid: take a joint instead";
    check(0, &[VertexId(3)], itself);
    let twice = "vertex 1 of body 1 is attached to body 0 already";
    check(0, &[VertexId(9), VertexId(9)], twice);
    let pinned = "vertex 32 of body 1 is pinned: it cannot be attached as well";
    check(0, &[VertexId(40)], pinned);
    let mut short = state.clone();
    short.rigids.clear();
    let refused = system
        .rigids
        .attach(BodyId(0), &vertices, &system.masses, &system.pins, &mut short)
        .unwrap_err();
    assert!(matches!(refused, AttachError::Count { what: "rigid states", .. }), "{refused}");
}

#[test]
fn integrators_that_cannot_hold_say_so() {
    let mut world = cube_with_bar(Vec3::ZERO);
    attach(&mut world);
    world.simulation_mut().stepper = Stepper::new(Box::new(Rk4::default()));
    let error = world.step().unwrap_err();
    assert!(matches!(error, WorldError::Step(StepError::Attached { vertices: 9 })), "{error}");
}

/// Two cubes attached to the ends of the same bar: a push on one moves the other.
#[test]
fn a_bar_between_two_cubes_passes_a_push_on() {
    let bar = cuboid([4, 2, 2], Vec3::new(0.4, 0.2, 0.2), TetSplit::Five).unwrap();
    let list = [
        (block(1, Vec3::splat(0.2)), Quat::IDENTITY, Vec3::ZERO, true),
        (TetMesh::from_raw(bar).unwrap().0, Quat::IDENTITY, 0.3 * Vec3::X, false),
        (block(1, Vec3::splat(0.2)), Quat::IDENTITY, 0.6 * Vec3::X, true),
    ];
    let mut world = world(&list, Vec3::ZERO, 0.5);
    let [left, bar, right] = handles(&world);
    world.ignore_pair(left, bar).unwrap();
    world.ignore_pair(right, bar).unwrap();
    world.assemble().unwrap();
    let near = touching(world.simulation());
    let Simulation { state, system, .. } = world.simulation();
    let far = system.bodies.vertices(BodyId(1)).filter(|v| state.positions[*v].x > 0.5 - 1e-9);
    let far: Vec<_> = far.map(|v| VertexId(v as u32)).collect();
    attach_all(&mut world, vec![(BodyId(0), near), (BodyId(2), far)]);
    let Simulation { state, system, .. } = world.simulation_mut();
    assert!([0, 1, 2].iter().all(|b| system.rigids.group(BodyId(*b)) == Some(HOLDER)));
    let body: RigidTemplate = system.rigids.entries()[0].body.clone();
    state.rigids[0].push(&body, Vec3::ZERO, 2.4 * Vec3::X);
    system.rigids.write(state);
    run(&mut world, 300);
    let scene = world.simulation();
    // 2.4 N·s on 3.2 kg in all; oscillations come to rest by damping.
    for rigid in &scene.state.rigids {
        assert!(rigid.velocity.abs_diff_eq(0.75 * Vec3::X, 1e-3), "{rigid:?}");
    }
    let momentum = scene.state.momentum(&scene.system.masses);
    assert!(momentum.abs_diff_eq(2.4 * Vec3::X, 1e-10), "{momentum}");
}
