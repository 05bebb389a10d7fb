//! Soft bodies attached to rigid ones: nothing comes loose, forces act on both.

use pliant::body::obstacle::SurfaceMaterial;
use pliant::body::rigid::attach::AttachError;
use pliant::body::rigid::{RigidState, RigidTemplate};
use pliant::id::{BodyId, VertexId};
use pliant::integrate::implicit::{Implicit, ImplicitSettings};
use pliant::integrate::rk4::Rk4;
use pliant::integrate::sleep::SleepSettings;
use pliant::integrate::{Integrator, StepError};
use pliant::math::{Quat, Vec3};
use pliant::mesh::generate::cuboid::cuboid;
use pliant::mesh::generate::lattice::TetSplit;
use pliant::mesh::tet::TetMesh;
use pliant::snapshot::Snapshot;
use pliant::solve::constraint::ConstraintResponse;
use pliant::solve::joint::{Axis, JointDefinition, JointKind, Joints, Motor};
use pliant::step::{Simulation, Stepper};
use pliant_scene::digest::digest;

use crate::rigid::{DT, GRAVITY, Scene, block, floor, run, settings};

/// Distance of an attached vertex from its point, relative to 1 m.
const LOOSE: f64 = 1e-9;

/// Momentum that some hundred steps may lose, relative.
const MOMENTUM: f64 = 1e-10;

const HOLDER: BodyId = BodyId(0);

/// A rigid cube of 0.2 m and 0.8 kg, a soft bar of 0.4 m and 1.6 kg on its right.
fn cube_with_bar(gravity: Vec3) -> Scene {
    let bar = cuboid([4, 2, 2], Vec3::new(0.4, 0.2, 0.2), TetSplit::Five).unwrap();
    let bar = TetMesh::from_raw(bar).unwrap().0;
    let list = [
        (block(1, Vec3::splat(0.2)), Quat::IDENTITY, Vec3::ZERO, true),
        (bar, Quat::IDENTITY, 0.3 * Vec3::X, false),
    ];
    Scene::new(&list, gravity)
}

/// Vertices of the bar at the cube.
fn touching(scene: &Scene) -> Vec<VertexId> {
    let own = scene.bodies.vertices(BodyId(1));
    let near = own.filter(|v| scene.state.positions[*v].x < 0.1 + 1e-9);
    near.map(|v| VertexId(v as u32)).collect()
}

fn attach(scene: &mut Scene) -> Vec<VertexId> {
    let vertices = touching(scene);
    assert_eq!(vertices.len(), 9);
    let Scene { state, system, .. } = scene;
    system.rigids.attach(HOLDER, &vertices, &system.masses, &system.pins, state).unwrap();
    vertices
}

fn implicit() -> Box<dyn Integrator> {
    Box::new(Implicit::new(ImplicitSettings::default()))
}

/// The scene in contact with a floor, without contact between the two.
fn in_contact(scene: Scene) -> Simulation {
    let rough = SurfaceMaterial { friction: 0.5, restitution: 0.0 };
    let response =
        ConstraintResponse::new(&scene.rest, &scene.bodies, vec![floor(rough)], settings(0.5, 0.0))
            .unwrap();
    let pairs = scene.system.rigids.attached_pairs();
    scene.with(implicit(), Box::new(response.leaving_out(pairs)))
}

fn alone(scene: Scene) -> Simulation {
    let Scene { state, system, .. } = scene;
    Simulation::new(state, system, Stepper::new(implicit()))
}

/// Farthest distance of an attached vertex from its point on the rigid body, m.
fn loosest(simulation: &Simulation, start: &[(VertexId, Vec3)]) -> f64 {
    let rigid = &simulation.state.rigids[0];
    let gap =
        |(v, r): &(VertexId, Vec3)| rigid.point(*r).distance(simulation.state.positions[v.index()]);
    start.iter().map(gap).fold(0.0, f64::max)
}

fn places(scene: &Scene, vertices: &[VertexId]) -> Vec<(VertexId, Vec3)> {
    let rigid = &scene.state.rigids[0];
    vertices.iter().map(|v| (*v, rigid.body_point(scene.state.positions[v.index()]))).collect()
}

#[test]
fn what_is_attached_is_part_of_the_rigid_body() {
    let mut scene = cube_with_bar(Vec3::ZERO);
    let before = scene.state.positions.clone();
    scene.state.rigids[0].spin = 2.0 * Vec3::Z;
    scene.state.rigids[0].velocity = Vec3::Y;
    let vertices = attach(&mut scene);
    let Scene { state, system, .. } = &scene;
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

/// A rigid state with translation and rotation.
fn turning(rigid: RigidState) -> RigidState {
    RigidState { velocity: Vec3::new(0.3, -0.2, 0.5), spin: Vec3::new(0.5, 1.0, 2.0), ..rigid }
}

/// Linear and angular momentum lost in 1 s by a pair that turns freely, relative.
fn lost_by_pair(dt: f64) -> [f64; 2] {
    let mut scene = cube_with_bar(Vec3::ZERO);
    let turning = turning(scene.state.rigids[0]);
    scene.state.rigids[0] = turning;
    for v in scene.bodies.vertices(BodyId(1)) {
        scene.state.velocities[v] = turning.velocity_at(scene.state.positions[v]);
    }
    let vertices = attach(&mut scene);
    let start = places(&scene, &vertices);
    let mut pair = alone(scene);
    let lost = lost(&mut pair, dt);
    assert!(loosest(&pair, &start) < LOOSE);
    assert!(pair.state.rigids[0].turn.angle_between(turning.turn) > 1.0);
    lost
}

/// The same by a soft bar of the same shape.
fn lost_by_bar(dt: f64) -> [f64; 2] {
    let bar = cuboid([6, 2, 2], Vec3::new(0.6, 0.2, 0.2), TetSplit::Five).unwrap();
    let list = [(TetMesh::from_raw(bar).unwrap().0, Quat::IDENTITY, Vec3::ZERO, false)];
    let mut scene = Scene::new(&list, Vec3::ZERO);
    let at = RigidState {
        centre: Vec3::ZERO,
        turn: Quat::IDENTITY,
        velocity: Vec3::ZERO,
        spin: Vec3::ZERO,
    };
    for (v, x) in scene.state.velocities.iter_mut().zip(&scene.state.positions) {
        *v = turning(at).velocity_at(*x);
    }
    lost(&mut alone(scene), dt)
}

fn lost(pair: &mut Simulation, dt: f64) -> [f64; 2] {
    let totals = |pair: &Simulation| {
        let Simulation { state, system, .. } = pair;
        let centre = state.centre(&system.masses);
        let spin = system.rigids.angular_momentum(state, &system.masses, centre);
        [state.momentum(&system.masses), spin]
    };
    let before = totals(pair);
    for _ in 0..(1.0 / dt).round() as usize {
        pair.step(dt).unwrap();
    }
    let after = totals(pair);
    [0, 1].map(|k| after[k].distance(before[k]) / before[k].length())
}

#[test]
fn a_free_pair_keeps_its_momentum_and_its_spin_better_than_a_soft_bar() {
    let [coarse, fine] = [lost_by_pair(DT), lost_by_pair(0.25 * DT)];
    assert!(coarse[0] < MOMENTUM && fine[0] < MOMENTUM, "{coarse:?} {fine:?}");
    // One linear system per step: rotation moves along tangents, stretches, and is damped.
    for (pair, dt) in [(coarse, DT), (fine, 0.25 * DT)] {
        let bar = lost_by_bar(dt);
        assert!(pair[1] < bar[1], "{pair:?} {bar:?}");
    }
    assert!(fine[1] < 0.2 * coarse[1], "{coarse:?} {fine:?}");
}

#[test]
fn a_lifted_plate_takes_the_bar_with_it_and_bears_its_weight() {
    let mut scene = cube_with_bar(-GRAVITY * Vec3::Z);
    let vertices = attach(&mut scene);
    let start = places(&scene, &vertices);
    let motor = Some(Motor { speed: 0.2, most: f64::INFINITY });
    let lift = Axis { direction: Vec3::Z, limits: None, motor };
    let joint = JointDefinition::new(JointKind::Slider(lift), (0, None), Vec3::ZERO);
    let Scene { state, system, .. } = &mut scene;
    system.joints = Joints::new(vec![joint], system.rigids.entries(), &state.rigids).unwrap();
    let mut scene = alone(scene);
    run(&mut scene, 300);
    assert!(loosest(&scene, &start) < LOOSE);
    let rigid = scene.state.rigids[0];
    assert!((rigid.velocity.z - 0.2).abs() < 1e-6, "{rigid:?}");
    let load = scene.system.joints.loads()[0];
    assert!((load.force.z / (2.4 * GRAVITY) - 1.0).abs() < 1e-3, "{load:?}");
}

/// Torque of a hinge on the cube's left, N·m, and that of all weights about it.
fn cantilever() -> [f64; 2] {
    let mut scene = cube_with_bar(-GRAVITY * Vec3::Z);
    attach(&mut scene);
    let anchor = -0.1 * Vec3::X;
    let stop = Axis { direction: Vec3::Y, limits: Some([0.0, 0.0]), motor: None };
    let joint = JointDefinition::new(JointKind::Hinge(stop), (0, None), anchor);
    let Scene { state, system, .. } = &mut scene;
    system.joints = Joints::new(vec![joint], system.rigids.entries(), &state.rigids).unwrap();
    let mut scene = alone(scene);
    run(&mut scene, 400);
    let torque = scene.system.joints.loads()[0].torque.y;
    let Simulation { state, system, .. } = &scene;
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
    let mut scene = cube_with_bar(-GRAVITY * Vec3::Z);
    let vertices = attach(&mut scene);
    let start = places(&scene, &vertices);
    // The bar below, standing.
    let stand = |x: Vec3| Quat::from_rotation_y(0.5 * std::f64::consts::PI) * x + 0.51 * Vec3::Z;
    let Scene { state, system, .. } = &mut scene;
    state.positions.iter_mut().for_each(|x| *x = stand(*x));
    let rigid = &mut state.rigids[0];
    rigid.centre = stand(rigid.centre);
    rigid.turn = Quat::from_rotation_y(0.5 * std::f64::consts::PI) * rigid.turn;
    system.rigids.write(state);
    let mut scene = in_contact(scene);
    run(&mut scene, 300);
    assert!(loosest(&scene, &start) < LOOSE);
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
        let mut scene = cube_with_bar(-GRAVITY * Vec3::Z);
        if holds {
            attach(&mut scene);
        }
        // The cube lies on the floor; on its own it does so without the bar.
        scene.state.rigids[0].centre.z += 0.101;
        let aside = if holds { Vec3::ZERO } else { 5.0 * Vec3::X };
        scene.state.positions.iter_mut().for_each(|x| *x += 0.101 * Vec3::Z + aside);
        scene.system.rigids.write(&mut scene.state);
        let settings = settings(0.5, 0.0);
        let rough = SurfaceMaterial { friction: 0.5, restitution: 0.0 };
        let response =
            ConstraintResponse::new(&scene.rest, &scene.bodies, vec![floor(rough)], settings)
                .unwrap()
                .leaving_out(scene.system.rigids.attached_pairs());
        let Scene { state, system, .. } = scene;
        let sleepy = Stepper::new(implicit())
            .with_responses(vec![Box::new(response)])
            .with_sleep(SleepSettings::default());
        let mut scene = Simulation::new(state, system, sleepy);
        run(&mut scene, 300);
        scene.system.scratch.asleep[0]
    };
    assert!(asleep(false) && !asleep(true));
}

#[test]
fn threads_and_pauses_do_not_change_a_bit() {
    let made = || {
        let mut scene = cube_with_bar(-GRAVITY * Vec3::Z);
        scene.state.rigids[0].spin = Vec3::new(0.0, 3.0, 1.0);
        attach(&mut scene);
        scene.state.positions.iter_mut().for_each(|x| x.z += 0.3);
        scene.state.rigids[0].centre.z += 0.3;
        in_contact(scene)
    };
    let mut whole = made();
    run(&mut whole, 30);
    let mut memory = Snapshot::default();
    whole.save(&mut memory);
    run(&mut whole, 30);
    let mut resumed = made();
    resumed.restore(&mut Snapshot::from_numbers(memory.numbers().to_vec())).unwrap();
    resumed.set_threads(2);
    run(&mut resumed, 30);
    assert!(
        whole.external_impulse_total.z > 0.1,
        "the floor was met: {}",
        whole.external_impulse_total
    );
    assert_eq!(digest(&whole.state), digest(&resumed.state));
}

#[test]
fn what_cannot_be_attached_is_refused_and_changes_nothing() {
    let mut scene = cube_with_bar(Vec3::ZERO);
    let vertices = touching(&scene);
    let state = scene.state.clone();
    let Scene { system, .. } = &mut scene;
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
    let mut scene = cube_with_bar(Vec3::ZERO);
    attach(&mut scene);
    let Scene { mut state, mut system, .. } = scene;
    let mut stepper = Stepper::new(Box::new(Rk4::default()));
    let error = stepper.step(&mut system, &mut state, DT).unwrap_err();
    assert_eq!(error, StepError::Attached { vertices: 9 });
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
    let mut scene = Scene::new(&list, Vec3::ZERO);
    let near = touching(&scene);
    let Scene { state, system, bodies, .. } = &mut scene;
    let far = bodies.vertices(BodyId(1)).filter(|v| state.positions[*v].x > 0.5 - 1e-9);
    let far: Vec<_> = far.map(|v| VertexId(v as u32)).collect();
    for (holder, vertices) in [(0, near), (2, far)] {
        system
            .rigids
            .attach(BodyId(holder), &vertices, &system.masses, &system.pins, state)
            .unwrap();
    }
    assert!([0, 1, 2].iter().all(|b| system.rigids.group(BodyId(*b)) == Some(HOLDER)));
    let body: RigidTemplate = system.rigids.entries()[0].body.clone();
    state.rigids[0].push(&body, Vec3::ZERO, 2.4 * Vec3::X);
    system.rigids.write(state);
    let mut scene = alone(scene);
    run(&mut scene, 300);
    // 2.4 N·s on 3.2 kg in all; oscillations come to rest by damping.
    for rigid in &scene.state.rigids {
        assert!(rigid.velocity.abs_diff_eq(0.75 * Vec3::X, 1e-3), "{rigid:?}");
    }
    let momentum = scene.state.momentum(&scene.system.masses);
    assert!(momentum.abs_diff_eq(2.4 * Vec3::X, 1e-10), "{momentum}");
}
