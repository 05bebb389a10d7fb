//! Impulse, buffer and barrier between bodies: conservation and guarantees.

use pliant::body::soft::State;
use pliant::contact::output::ContactOutput;
use pliant::contact::response::Response;
use pliant::id::VertexId;
use pliant::integrate::StepReport;
use pliant::integrate::implicit::{Implicit, ImplicitSettings};
use pliant::math::{Quat, Vec3};
use pliant::mesh::generate::ball::ball;
use pliant::mesh::generate::cuboid::cuboid;
use pliant::mesh::generate::lattice::TetSplit;
use pliant::mesh::tet::TetMesh;
use pliant::prelude::{ElasticSettings, SoftMaterial};
use pliant::record::overlap::Measure;
use pliant::step::Stepper;
use pliant_papers::bodies::barrier::{BodyBarrier, BodyBarrierSettings};
use pliant_papers::bodies::buffer::{Buffer, BufferSettings};
use pliant_papers::bodies::impulse::{BodyImpulseSettings, BodyImpulses};

use crate::placed::{Place, Placed, euler_with};

const DT: f64 = 1.0 / 1200.0;
/// Sums of a few hundred terms, relative to their sizes.
const KEPT: f64 = 1e-10;

/// Density of all bodies, kg/m³.
const DENSITY: f64 = 100.0;

fn scene(places: &[Place]) -> Placed {
    let soft = ElasticSettings { young: 3e4, poisson: 0.3, damping: 0.0 };
    Placed::new(places, &SoftMaterial::Corotational(soft), DENSITY).with_time_step(DT)
}

/// Two unit cubes of two cells a side, the second placed so, coming at each other.
fn cubes(turn: Quat, shift: Vec3, speed: f64) -> Placed {
    let cube = TetMesh::from_raw(cuboid([2; 3], Vec3::ONE, TetSplit::Six).unwrap()).unwrap().0;
    let mut scene = scene(&[(cube.clone(), Quat::IDENTITY, Vec3::ZERO), (cube, turn, shift)]);
    let half = scene.rest.len() / 2;
    let along = shift.try_normalize().unwrap();
    for (k, velocity) in scene.state_mut().velocities.iter_mut().enumerate() {
        *velocity = if k < half { 0.5 * speed * along } else { -0.5 * speed * along };
    }
    scene
}

/// Three balls that overlap each other, with pseudo-random velocities.
fn balls() -> Placed {
    let mesh = TetMesh::from_raw(ball(1.0, 3).unwrap()).unwrap().0;
    let turn = |k: f64| Quat::from_rotation_x(k) * Quat::from_rotation_z(1.3 * k);
    let places = [Vec3::ZERO, Vec3::new(0.75, 0.1, 0.05), Vec3::new(0.3, 0.7, 0.2)];
    let place = |(k, at): (usize, Vec3)| (mesh.clone(), turn(k as f64), at);
    let mut scene = scene(&places.into_iter().enumerate().map(place).collect::<Vec<_>>());
    for (k, velocity) in scene.state_mut().velocities.iter_mut().enumerate() {
        let k = k as f64;
        *velocity = Vec3::new(libm::sin(7.1 * k), libm::sin(5.3 * k), libm::cos(3.7 * k));
    }
    scene
}

fn impulses(scene: &Placed, settings: BodyImpulseSettings) -> (ContactOutput, BodyImpulses) {
    let mut response = BodyImpulses::new(&scene.rest, scene.bodies(), settings).unwrap();
    let mut output = ContactOutput::default();
    response.post_step(scene.context(), &mut output);
    (output, response)
}

/// Applies the contact output to the state.
fn apply_output(scene: &mut Placed, output: &ContactOutput) {
    let masses = scene.masses().clone();
    let State { positions, velocities, .. } = scene.state_mut();
    for (vertex, shift) in &output.shifts {
        positions[vertex.index()] += *shift;
    }
    for (vertex, impulse) in &output.impulses {
        velocities[vertex.index()] += *impulse / masses.of()[vertex.index()];
    }
}

/// Sums of impulses and of their moments, relative to the sum of their sizes.
fn sums(scene: &Placed, list: &[(VertexId, Vec3)]) -> (f64, f64) {
    let at = |vertex: &VertexId| scene.state().positions[vertex.index()];
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
        let mut scene = balls();
        let before = scene.state().clone();
        let (output, _) = impulses(&scene, settings);
        assert!(output.stats.contacts > 20, "{:?}", output.stats);
        let (push, torque) = sums(&scene, &output.impulses);
        assert!(push < KEPT, "{settings:?}: {push}");
        assert!(settings.friction > 0.0 || torque < KEPT, "{settings:?}: {torque}");
        apply_output(&mut scene, &output);
        assert!(scene.momentum_error(&before) < KEPT);
    }
}

#[test]
fn impulses_never_add_kinetic_energy() {
    for settings in impulse_settings() {
        let mut scene = balls();
        let before = scene.kinetic();
        let (output, _) = impulses(&scene, settings);
        apply_output(&mut scene, &output);
        let after = scene.kinetic();
        assert!(after <= before * (1.0 + 1e-14), "{settings:?}: {before} {after}");
        let keeps = settings.restitution == 1.0 && settings.friction == 0.0;
        assert!(!keeps || (after / before - 1.0).abs() < 1e-13, "{before} {after}");
        assert!(keeps || after < 0.99 * before, "{settings:?}: {before} {after}");
    }
}

#[test]
fn shifts_keep_the_centre_of_mass_and_report_what_they_change() {
    let mut scene = balls();
    let masses = scene.masses().clone();
    let (output, response) = impulses(&scene, BodyImpulseSettings::default());
    let centre = scene.state().centre(&masses);
    let mut pushed = scene.state().clone();
    for (vertex, impulse) in &output.impulses {
        pushed.velocities[vertex.index()] += *impulse / masses.of()[vertex.index()];
    }
    apply_output(&mut scene, &output);
    assert!(scene.state().centre(&masses).abs_diff_eq(centre, 1e-13));
    let gained = scene.state().angular_momentum(&masses, Vec3::ZERO)
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
    let (small, mut large) = (balls(), balls());
    let scale = |list: &mut Vec<Vec3>| list.iter_mut().for_each(|value| *value *= unit);
    let State { positions, velocities, .. } = large.state_mut();
    [positions, velocities].into_iter().for_each(scale);
    scale(&mut large.rest);
    for settings in impulse_settings() {
        let [a, b] = [&small, &large].map(|scene| impulses(scene, settings).0);
        let scaled = |list: &[(VertexId, Vec3)]| -> Vec<_> {
            list.iter().map(|(vertex, value)| (*vertex, unit * *value)).collect()
        };
        assert_eq!((scaled(&a.impulses), scaled(&a.shifts)), (b.impulses, b.shifts));
    }
    let forces = |scene: &Placed| {
        let settings = BufferSettings::of_step(DT);
        let mut output = ContactOutput::default();
        let made = Buffer::new(&scene.rest, scene.bodies(), settings);
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
        let mut scene = cubes(Quat::IDENTITY, Vec3::new(1.05, 0.1, 0.07), 2.0);
        let settings =
            BodyImpulseSettings { restitution, friction: 0.0, ..BodyImpulseSettings::default() };
        scene.step_by(move |rest, bodies| {
            euler_with(BodyImpulses::new(rest, bodies, settings).unwrap())
        });
        let (before, start) = (scene.state().clone(), scene.kinetic());
        let mut met = 0;
        for _ in 0..600 {
            let report = scene.step();
            met += report.contact.contacts;
        }
        let parting = (scene.velocity(1) - scene.velocity(0)).x;
        let total = scene.energy();
        assert!(met > 0 && parting > least * 2.0, "{restitution}: {parting}");
        assert!(total < 1.02 * start, "{restitution}: {}", total / start);
        assert_eq!(scene.overlap().penetrating_vertices, 0);
        assert!(scene.momentum_error(&before) < KEPT);
    }
}

#[test]
fn buffers_keep_momentum_and_turn_nothing() {
    let mut scene = balls();
    for friction in [0.0, 0.3] {
        let settings = BufferSettings { friction, ..BufferSettings::of_step(DT) };
        let mut output = ContactOutput::default();
        let made = Buffer::new(&scene.rest, scene.bodies(), settings);
        made.unwrap().pre_step(scene.context(), &mut output);
        assert!(output.stats.contacts > 20, "{:?}", output.stats);
        let (push, torque) = sums(&scene, &output.forces);
        assert!(push < KEPT && (friction > 0.0 || torque < KEPT), "{push} {torque}");
        scene.state_mut().velocities.iter_mut().for_each(|v| *v *= 10.0);
    }
}

#[test]
fn a_cube_rests_outside_another_within_its_buffer() {
    let mut scene = cubes(Quat::IDENTITY, Vec3::new(0.1, 0.2, 1.03), 0.0);
    let lowest = scene.rest.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    let count = scene.rest.len() / 2;
    let floor: Vec<_> = (0..count as u32)
        .map(VertexId)
        .filter(|v| scene.rest[v.index()].z < lowest + 1e-9)
        .collect();
    let lower = scene.world.bodies().next().unwrap();
    scene.world.pin(lower, &floor).unwrap();
    scene.world.set_gravity(-9.81 * Vec3::Z).unwrap();
    let settings = BufferSettings { damping: 1.0, ..BufferSettings::of_step(DT) };
    scene.step_by(move |rest, bodies| euler_with(Buffer::new(rest, bodies, settings).unwrap()));
    let mut worst = 0;
    for _ in 0..1200 {
        scene.step();
        worst = worst.max(scene.overlap().penetrating_vertices);
    }
    // Damped only by contact the cubes still oscillate; they do so outside each other.
    let speed = scene.velocity(1).length();
    assert_eq!((worst, scene.overlap().edge_crossings), (0, 0));
    assert!(speed < 0.5, "{speed}");
}

/// Steps for a while; no step may end with an overlap.
#[track_caller]
fn watch(scene: &mut Placed, (steps, dt): (usize, f64)) -> StepReport {
    scene.world.set_time_step(dt).unwrap();
    scene.step_by(|rest, bodies| {
        euler_with(BodyBarrier::new(rest, bodies, BodyBarrierSettings::default()).unwrap())
    });
    let mut measure = Measure::new(&scene.state().positions, scene.bodies());
    let mut all = StepReport::default();
    for step in 0..steps {
        all.add(scene.step());
        let overlap = measure.measure(&scene.state().positions, scene.bodies());
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
            let mut scene = cubes(turn, Vec3::new(1.5, 0.1, 0.07), speed);
            let (before, start) = (scene.state().clone(), scene.kinetic());
            let report = watch(&mut scene, (((0.6 / speed + 0.2) / DT) as usize, DT));
            let parting = (scene.velocity(1) - scene.velocity(0)).x;
            let total = scene.energy();
            assert!(report.contact.contacts > 0 && parting > 0.3 * speed, "{speed}: {parting}");
            assert!(total < 1.01 * start, "{speed}: {}", total / start);
            assert!(scene.momentum_error(&before) < KEPT, "{speed}");
        }
    }
}

#[test]
fn cubes_that_begin_in_each_other_are_taken_apart_and_stay_so() {
    let mut scene = cubes(Quat::IDENTITY, Vec3::new(0.7, 0.03, 0.02), 0.0);
    assert!(scene.overlap().penetrating_vertices > 0);
    let centre = scene.state().centre(scene.masses());
    let report = watch(&mut scene, (200, DT));
    let parting = (scene.velocity(1) - scene.velocity(0)).length();
    assert!(report.contact.shift > 0.0 && parting < 0.05, "{parting}");
    assert!(scene.state().centre(scene.masses()).abs_diff_eq(centre, KEPT));
}

#[test]
fn balls_whose_edges_are_nearly_flat_never_cross_behind_a_barrier() {
    let mesh = TetMesh::from_raw(ball(1.0, 5).unwrap()).unwrap().0;
    let turn = Quat::from_rotation_x(0.4) * Quat::from_rotation_z(1.3);
    let (near, far) = ((mesh.clone(), Quat::IDENTITY, Vec3::ZERO), Vec3::new(2.05, 0.2, 0.1));
    let mut scene = scene(&[near, (mesh, turn, far)]);
    let half = scene.state().velocities.len() / 2;
    scene.state_mut().velocities[half..].fill(-4.0 * Vec3::X);
    let before = scene.state().clone();
    let report = watch(&mut scene, (240, 2.0 * DT));
    let parting = (scene.velocity(1) - scene.velocity(0)).x;
    assert!(report.contact.contacts > 5 && parting > 0.0, "{parting}");
    assert!(scene.momentum_error(&before) < KEPT);
}

/// Impulses that are still lacking after some sweeps, per those given.
fn lacking(sweeps: usize) -> f64 {
    let mut scene = balls();
    let settings =
        BodyImpulseSettings { friction: 0.0, shift: 0.0, ..BodyImpulseSettings::default() };
    let size =
        |output: &ContactOutput| output.impulses.iter().map(|(_, j)| j.length()).sum::<f64>();
    let (given, _) = impulses(&scene, BodyImpulseSettings { sweeps, ..settings });
    apply_output(&mut scene, &given);
    let (left, _) = impulses(&scene, BodyImpulseSettings { sweeps: 1, ..settings });
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
        let mut scene = cubes(Quat::IDENTITY, Vec3::new(1.05, 0.1, 0.07), 2.0);
        let dt = 1.0 / 60.0;
        let settings = BufferSettings { buffer, friction: 0.0, ..BufferSettings::implicit(dt) };
        scene.world.set_time_step(dt).unwrap();
        scene.step_by(move |rest, bodies| {
            let response = Buffer::new(rest, bodies, settings).unwrap();
            let implicit = Box::new(Implicit::new(ImplicitSettings::default()));
            Stepper::new(implicit).with_responses(vec![Box::new(response)])
        });
        let (before, start) = (scene.state().clone(), scene.kinetic());
        let (mut met, mut most) = (0, 0.0_f64);
        for _ in 0..60 {
            let report = scene.step();
            met += report.contact.contacts;
            let total = scene.energy();
            most = most.max(total / start);
        }
        let parting = (scene.velocity(1) - scene.velocity(0)).x;
        assert!(met > 0 && parting > 0.2, "{buffer}: {met} {parting}");
        assert!(most < 1.0 + 1e-9, "{buffer}: {most}");
        assert!(scene.momentum_error(&before) < KEPT, "{}", scene.momentum_error(&before));
        assert_eq!(scene.overlap().penetrating_vertices, 0);
    }
}
