//! Impulse, buffer and barrier between bodies: conservation and guarantees.

use std::sync::Arc;

use pliant::body::Bodies;
use pliant::body::soft::State;
use pliant::contact::output::ContactOutput;
use pliant::contact::response::{Response, StepContext};
use pliant::force::elastic::{Corotational, Elastic, ElasticSettings};
use pliant::force::gravity::Gravity;
use pliant::id::{BodyId, VertexId};
use pliant::integrate::euler::{Euler, EulerKind};
use pliant::integrate::implicit::{Implicit, ImplicitSettings};
use pliant::integrate::{StepReport, System};
use pliant::math::{Quat, Vec3};
use pliant::mesh::generate::ball::ball;
use pliant::mesh::generate::cuboid::cuboid;
use pliant::mesh::generate::lattice::TetSplit;
use pliant::mesh::tet::TetMesh;
use pliant::record::overlap::{Measure, Overlap};
use pliant::step::Stepper;
use pliant_papers::bodies::barrier::{BodyBarrier, BodyBarrierSettings};
use pliant_papers::bodies::buffer::{Buffer, BufferSettings};
use pliant_papers::bodies::impulse::{BodyImpulseSettings, BodyImpulses};

use crate::placed::{Placed, placed};

const DT: f64 = 1.0 / 1200.0;
/// Sums of a few hundred terms, relative to their sizes.
const KEPT: f64 = 1e-10;

/// Bodies of one material, 100 kg/m³, 30 kPa.
struct Scene {
    bodies: Arc<Bodies>,
    rest: Vec<Vec3>,
    state: State,
    system: System,
}

impl Scene {
    fn new(meshes: &[(TetMesh, Quat, Vec3)]) -> Scene {
        let Placed { bodies, rest, state, mut system } = placed(meshes);
        let soft = ElasticSettings { young: 3e4, poisson: 0.3, damping: 0.0 };
        let elastic = Elastic::<Corotational>::new(&rest, bodies.tets(), |_| soft);
        system.forces.push(elastic.unwrap());
        Scene { state, bodies, rest, system }
    }

    /// Two unit cubes of two cells a side, the second placed so, coming at each other.
    fn cubes(turn: Quat, shift: Vec3, speed: f64) -> Scene {
        let cube = TetMesh::from_raw(cuboid([2; 3], Vec3::ONE, TetSplit::Six).unwrap()).unwrap().0;
        let mut scene =
            Scene::new(&[(cube.clone(), Quat::IDENTITY, Vec3::ZERO), (cube, turn, shift)]);
        let half = scene.state.velocities.len() / 2;
        let along = shift.try_normalize().unwrap();
        for (k, velocity) in scene.state.velocities.iter_mut().enumerate() {
            *velocity = if k < half { 0.5 * speed * along } else { -0.5 * speed * along };
        }
        scene
    }

    /// Three balls that overlap each other, with pseudo-random velocities.
    fn balls() -> Scene {
        let mesh = TetMesh::from_raw(ball(1.0, 3).unwrap()).unwrap().0;
        let turn = |k: f64| Quat::from_rotation_x(k) * Quat::from_rotation_z(1.3 * k);
        let places = [Vec3::ZERO, Vec3::new(0.75, 0.1, 0.05), Vec3::new(0.3, 0.7, 0.2)];
        let place = |(k, at): (usize, Vec3)| (mesh.clone(), turn(k as f64), at);
        let mut scene = Scene::new(&places.into_iter().enumerate().map(place).collect::<Vec<_>>());
        for (k, velocity) in scene.state.velocities.iter_mut().enumerate() {
            let k = k as f64;
            *velocity = Vec3::new(libm::sin(7.1 * k), libm::sin(5.3 * k), libm::cos(3.7 * k));
        }
        scene
    }

    fn context(&self) -> StepContext<'_> {
        let System { masses, pins, rigids, profiler, .. } = &self.system;
        let (bodies, motion) = (&self.bodies, self.state.motion());
        StepContext { bodies, motion, masses, pins, rigids, dt: DT, profiler }
    }

    fn impulses(&self, settings: BodyImpulseSettings) -> (ContactOutput, BodyImpulses) {
        let mut response = BodyImpulses::new(&self.rest, &self.bodies, settings).unwrap();
        let mut output = ContactOutput::default();
        response.post_step(self.context(), &mut output);
        (output, response)
    }

    fn barrier(&self, settings: BodyBarrierSettings) -> Stepper {
        let response = BodyBarrier::new(&self.rest, &self.bodies, settings).unwrap();
        self.stepper(response)
    }

    /// Symplectic Euler in contact, with step control.
    fn stepper(&self, response: impl Response + 'static) -> Stepper {
        let inner = Box::new(Euler::new(EulerKind::Symplectic));
        Stepper::new(inner).with_responses(vec![Box::new(response)]).with_halvings(30)
    }

    /// Applies the contact output to the state.
    fn apply_output(&mut self, output: &ContactOutput) {
        for (vertex, shift) in &output.shifts {
            self.state.positions[vertex.index()] += *shift;
        }
        for (vertex, impulse) in &output.impulses {
            self.state.velocities[vertex.index()] +=
                *impulse / self.system.masses.of()[vertex.index()];
        }
    }

    fn overlap(&self) -> Overlap {
        let Scene { state, bodies, .. } = self;
        Measure::new(&state.positions, bodies).measure(&state.positions, bodies)
    }

    /// Velocity of a body's centre of mass, m/s.
    fn velocity(&self, body: u32) -> Vec3 {
        let own = self.bodies.vertices(BodyId(body));
        let masses = &self.system.masses.of()[own.clone()];
        let moving = self.state.velocities[own].iter().zip(masses);
        moving.map(|(v, m)| *m * *v).sum::<Vec3>() / masses.iter().sum::<f64>()
    }

    fn kinetic(&self) -> f64 {
        self.state.kinetic(&self.system.masses)
    }

    /// Change of momentum since `before`, over the sum of its sizes.
    fn momentum_error(&self, before: &State) -> f64 {
        let masses = &self.system.masses;
        let sizes: f64 =
            before.velocities.iter().zip(masses.of()).map(|(v, m)| m * v.length()).sum();
        (self.state.momentum(masses) - before.momentum(masses)).length() / sizes
    }
}

/// Sums of impulses and of their moments, relative to the sum of their sizes.
fn sums(scene: &Scene, list: &[(VertexId, Vec3)]) -> (f64, f64) {
    let at = |vertex: &VertexId| scene.state.positions[vertex.index()];
    let total: f64 = list.iter().map(|(_, push)| push.length()).sum();
    let push: Vec3 = list.iter().map(|(_, push)| *push).sum();
    let torque: Vec3 = list.iter().map(|(v, push)| at(v).cross(*push)).sum();
    (push.length() / total, torque.length() / total)
}

/// Every combination of these restitutions and coefficients of friction.
fn impulse_settings() -> impl Iterator<Item = BodyImpulseSettings> {
    let pairs = [(0.0, 0.0), (0.5, 0.3), (1.0, 0.0), (1.0, 0.7), (0.9, 5.0)];
    pairs.into_iter().map(|(restitution, friction)| BodyImpulseSettings {
        restitution,
        friction,
        ..BodyImpulseSettings::default()
    })
}

#[test]
fn impulses_keep_momentum_and_without_friction_turn_nothing() {
    for settings in impulse_settings() {
        let mut scene = Scene::balls();
        let before = scene.state.clone();
        let (output, _) = scene.impulses(settings);
        assert!(output.stats.contacts > 20, "{:?}", output.stats);
        let (push, torque) = sums(&scene, &output.impulses);
        assert!(push < KEPT, "{settings:?}: {push}");
        assert!(settings.friction > 0.0 || torque < KEPT, "{settings:?}: {torque}");
        scene.apply_output(&output);
        assert!(scene.momentum_error(&before) < KEPT);
    }
}

#[test]
fn impulses_never_add_kinetic_energy() {
    for settings in impulse_settings() {
        let mut scene = Scene::balls();
        let before = scene.kinetic();
        let (output, _) = scene.impulses(settings);
        scene.apply_output(&output);
        let after = scene.kinetic();
        assert!(after <= before * (1.0 + 1e-14), "{settings:?}: {before} {after}");
        let keeps = settings.restitution == 1.0 && settings.friction == 0.0;
        assert!(!keeps || (after / before - 1.0).abs() < 1e-13, "{before} {after}");
        assert!(keeps || after < 0.99 * before, "{settings:?}: {before} {after}");
    }
}

#[test]
fn shifts_keep_the_centre_of_mass_and_report_what_they_change() {
    let mut scene = Scene::balls();
    let masses = scene.system.masses.clone();
    let (output, response) = scene.impulses(BodyImpulseSettings::default());
    let centre = scene.state.centre(&masses);
    let mut pushed = scene.state.clone();
    for (vertex, impulse) in &output.impulses {
        pushed.velocities[vertex.index()] += *impulse / masses.of()[vertex.index()];
    }
    scene.apply_output(&output);
    assert!(scene.state.centre(&masses).abs_diff_eq(centre, 1e-13));
    let gained = scene.state.angular_momentum(&masses, Vec3::ZERO)
        - pushed.angular_momentum(&masses, Vec3::ZERO);
    let reported = response.changed().angular;
    assert!(
        reported.length() > 1e-3 && gained.abs_diff_eq(reported, 1e-10 * reported.length()),
        "{reported}"
    );
    let longest = output.shifts.iter().map(|(_, shift)| shift.length()).fold(0.0, f64::max);
    assert_eq!((response.changed().longest, output.stats.shift), (longest, longest));
}

#[test]
fn impulses_and_buffers_do_not_depend_on_units() {
    // A power of two, so that every rounding is the same.
    let unit = 1024.0;
    let (small, mut large) = (Scene::balls(), Scene::balls());
    let scale = |list: &mut Vec<Vec3>| list.iter_mut().for_each(|value| *value *= unit);
    [&mut large.state.positions, &mut large.state.velocities, &mut large.rest]
        .into_iter()
        .for_each(scale);
    for settings in impulse_settings() {
        let [a, b] = [&small, &large].map(|scene| scene.impulses(settings).0);
        let scaled = |list: &[(VertexId, Vec3)]| -> Vec<_> {
            list.iter().map(|(vertex, value)| (*vertex, unit * *value)).collect()
        };
        assert_eq!((scaled(&a.impulses), scaled(&a.shifts)), (b.impulses, b.shifts));
    }
    let forces = |scene: &Scene| {
        let settings = BufferSettings::of_step(DT);
        let mut output = ContactOutput::default();
        let made = Buffer::new(&scene.rest, &scene.bodies, settings);
        made.unwrap().pre_step(scene.context(), &mut output);
        output.forces
    };
    let [a, b] = [&small, &large].map(forces);
    assert!(a.len() > 100 && a.len() == b.len());
    for ((_, a), (_, b)) in a.iter().zip(&b) {
        assert!((unit * *a).abs_diff_eq(*b, 1e-9 * b.length()), "{a} {b}");
    }
}

#[test]
fn cubes_that_meet_bounce_by_impulses_and_part() {
    for (restitution, least) in [(0.0, 0.05), (1.0, 0.3)] {
        let mut scene = Scene::cubes(Quat::IDENTITY, Vec3::new(1.05, 0.1, 0.07), 2.0);
        let settings =
            BodyImpulseSettings { restitution, friction: 0.0, ..BodyImpulseSettings::default() };
        let response = BodyImpulses::new(&scene.rest, &scene.bodies, settings).unwrap();
        let mut stepper = scene.stepper(response);
        let (before, start) = (scene.state.clone(), scene.kinetic());
        let mut met = 0;
        for _ in 0..600 {
            let report = stepper.step(&mut scene.system, &mut scene.state, DT).unwrap();
            met += report.contact.contacts;
        }
        let parting = (scene.velocity(1) - scene.velocity(0)).x;
        let total = scene.kinetic() + scene.system.forces.energy(scene.state.motion());
        assert!(met > 0 && parting > least * 2.0, "{restitution}: {parting}");
        assert!(total < 1.02 * start, "{restitution}: {}", total / start);
        assert_eq!(scene.overlap().penetrating_vertices, 0);
        assert!(scene.momentum_error(&before) < KEPT);
    }
}

#[test]
fn buffers_keep_momentum_and_turn_nothing() {
    let mut scene = Scene::balls();
    for friction in [0.0, 0.3] {
        let settings = BufferSettings { friction, ..BufferSettings::of_step(DT) };
        let mut output = ContactOutput::default();
        let made = Buffer::new(&scene.rest, &scene.bodies, settings);
        made.unwrap().pre_step(scene.context(), &mut output);
        assert!(output.stats.contacts > 20, "{:?}", output.stats);
        let (push, torque) = sums(&scene, &output.forces);
        assert!(push < KEPT && (friction > 0.0 || torque < KEPT), "{push} {torque}");
        scene.state.velocities.iter_mut().for_each(|v| *v *= 10.0);
    }
}

#[test]
fn a_cube_rests_outside_another_within_its_buffer() {
    let mut scene = Scene::cubes(Quat::IDENTITY, Vec3::new(0.1, 0.2, 1.03), 0.0);
    let lowest = scene.rest.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    let count = scene.rest.len() / 2;
    let floor: Vec<_> = (0..count as u32)
        .map(VertexId)
        .filter(|v| scene.rest[v.index()].z < lowest + 1e-9)
        .collect();
    scene.system.pins.add_still(&floor, &scene.state.positions).unwrap();
    scene.system.forces.push(Gravity::new(-9.81 * Vec3::Z, scene.system.masses.of()));
    let settings = BufferSettings { damping: 1.0, ..BufferSettings::of_step(DT) };
    let response = Buffer::new(&scene.rest, &scene.bodies, settings).unwrap();
    let mut stepper = scene.stepper(response);
    let mut worst = 0;
    for _ in 0..1200 {
        stepper.step(&mut scene.system, &mut scene.state, DT).unwrap();
        worst = worst.max(scene.overlap().penetrating_vertices);
    }
    // Damped only by contact the cubes still oscillate; they do so outside each other.
    let speed = scene.velocity(1).length();
    assert_eq!((worst, scene.overlap().edge_crossings), (0, 0));
    assert!(speed < 0.5, "{speed}");
}

/// Steps for a while; no step may end with an overlap.
#[track_caller]
fn watch(scene: &mut Scene, (steps, dt): (usize, f64)) -> StepReport {
    let mut stepper = scene.barrier(BodyBarrierSettings::default());
    let mut measure = Measure::new(&scene.state.positions, &scene.bodies);
    let mut all = StepReport::default();
    for step in 0..steps {
        all.add(stepper.step(&mut scene.system, &mut scene.state, dt).unwrap());
        let overlap = measure.measure(&scene.state.positions, &scene.bodies);
        let found = (overlap.penetrating_vertices, overlap.edge_crossings);
        assert_eq!(found, (0, 0), "step {step}: {overlap:?}");
    }
    all
}

#[test]
fn cubes_that_meet_behind_a_barrier_never_overlap() {
    let tilted = Quat::from_rotation_x(0.5) * Quat::from_rotation_y(0.7);
    for turn in [Quat::IDENTITY, tilted] {
        for speed in [1.0, 5.0, 20.0] {
            let mut scene = Scene::cubes(turn, Vec3::new(1.5, 0.1, 0.07), speed);
            let (before, start) = (scene.state.clone(), scene.kinetic());
            let report = watch(&mut scene, (((0.6 / speed + 0.2) / DT) as usize, DT));
            let parting = (scene.velocity(1) - scene.velocity(0)).x;
            let total = scene.kinetic() + scene.system.forces.energy(scene.state.motion());
            assert!(report.contact.contacts > 0 && parting > 0.3 * speed, "{speed}: {parting}");
            assert!(total < 1.01 * start, "{speed}: {}", total / start);
            assert!(scene.momentum_error(&before) < KEPT, "{speed}");
        }
    }
}

#[test]
fn cubes_that_begin_in_each_other_are_taken_apart_and_stay_so() {
    let mut scene = Scene::cubes(Quat::IDENTITY, Vec3::new(0.7, 0.03, 0.02), 0.0);
    assert!(scene.overlap().penetrating_vertices > 0);
    let centre = scene.state.centre(&scene.system.masses);
    let report = watch(&mut scene, (200, DT));
    let parting = (scene.velocity(1) - scene.velocity(0)).length();
    assert!(report.contact.shift > 0.0 && parting < 0.05, "{parting}");
    assert!(scene.state.centre(&scene.system.masses).abs_diff_eq(centre, KEPT));
}

#[test]
fn balls_whose_edges_are_nearly_flat_never_cross_behind_a_barrier() {
    let mesh = TetMesh::from_raw(ball(1.0, 5).unwrap()).unwrap().0;
    let turn = Quat::from_rotation_x(0.4) * Quat::from_rotation_z(1.3);
    let (near, far) = ((mesh.clone(), Quat::IDENTITY, Vec3::ZERO), Vec3::new(2.05, 0.2, 0.1));
    let mut scene = Scene::new(&[near, (mesh, turn, far)]);
    let half = scene.state.velocities.len() / 2;
    scene.state.velocities[half..].fill(-4.0 * Vec3::X);
    let before = scene.state.clone();
    let report = watch(&mut scene, (240, 2.0 * DT));
    let parting = (scene.velocity(1) - scene.velocity(0)).x;
    assert!(report.contact.contacts > 5 && parting > 0.0, "{parting}");
    assert!(scene.momentum_error(&before) < KEPT);
}

/// Impulses that are still lacking after some sweeps, per those given.
fn lacking(sweeps: usize) -> f64 {
    let mut scene = Scene::balls();
    let settings =
        BodyImpulseSettings { friction: 0.0, shift: 0.0, ..BodyImpulseSettings::default() };
    let size =
        |output: &ContactOutput| output.impulses.iter().map(|(_, j)| j.length()).sum::<f64>();
    let (given, _) = scene.impulses(BodyImpulseSettings { sweeps, ..settings });
    scene.apply_output(&given);
    let (left, _) = scene.impulses(BodyImpulseSettings { sweeps: 1, ..settings });
    size(&left) / size(&given)
}

#[test]
fn sweeps_bring_the_approach_of_all_contacts_to_an_end() {
    let left = [1, 2, 4, 8].map(lacking);
    assert!(left.is_sorted_by(|a, b| a > b), "{left:?}");
    assert!(left[0] > 0.02 && left[2] < 1e-4, "{left:?}");
}

#[test]
fn springs_within_the_step_keep_momentum_and_add_no_energy() {
    for buffer in [0.02, 0.0] {
        let mut scene = Scene::cubes(Quat::IDENTITY, Vec3::new(1.05, 0.1, 0.07), 2.0);
        let dt = 1.0 / 60.0;
        let settings = BufferSettings { buffer, friction: 0.0, ..BufferSettings::implicit(dt) };
        let response = Buffer::new(&scene.rest, &scene.bodies, settings).unwrap();
        let implicit = Box::new(Implicit::new(ImplicitSettings::default()));
        let mut stepper = Stepper::new(implicit).with_responses(vec![Box::new(response)]);
        let (before, start) = (scene.state.clone(), scene.kinetic());
        let (mut met, mut most) = (0, 0.0_f64);
        for _ in 0..60 {
            let report = stepper.step(&mut scene.system, &mut scene.state, dt).unwrap();
            met += report.contact.contacts;
            let total = scene.kinetic() + scene.system.forces.energy(scene.state.motion());
            most = most.max(total / start);
        }
        let parting = (scene.velocity(1) - scene.velocity(0)).x;
        assert!(met > 0 && parting > 0.2, "{buffer}: {met} {parting}");
        assert!(most < 1.0 + 1e-9, "{buffer}: {most}");
        assert!(scene.momentum_error(&before) < KEPT, "{}", scene.momentum_error(&before));
        assert_eq!(scene.overlap().penetrating_vertices, 0);
    }
}
