//! Penalty forces between bodies: conservation, stability, and residual overlap.

use pliant::contact::output::ContactOutput;
use pliant::contact::response::{Response, Stiffness};
use pliant::depth::{DepthSettings, Scope, penetrations};
use pliant::id::{BodyId, VertexId};
use pliant::integrate::Integrator;
use pliant::integrate::euler::{Euler, EulerKind};
use pliant::integrate::verlet::{VelocityKind, Verlet};
use pliant::math::{Quat, Vec3};
use pliant::mesh::generate::ball::ball;
use pliant::mesh::generate::cuboid::cuboid;
use pliant::mesh::generate::lattice::TetSplit;
use pliant::mesh::tet::TetMesh;
use pliant::prelude::{ElasticSettings, SoftMaterial};
use pliant::step::Stepper;
use pliant_papers::bodies::{BodyPenalty, BodyPenaltySettings, Kind};

use crate::placed::{Place, Placed, loose};

const KINDS: [Kind; 2] = [Kind::Consistent, Kind::Closest];
const DT: f64 = 1.0 / 1200.0;

fn block(cells: u32, size: Vec3) -> TetMesh {
    TetMesh::from_raw(cuboid([cells; 3], size, TetSplit::Five).unwrap()).unwrap().0
}

/// Bodies of 100 kg/m³.
fn scene(places: &[Place], material: &SoftMaterial) -> Placed {
    Placed::new(places, material, 100.0).with_time_step(DT)
}

/// Elastic, 30 kPa.
fn soft() -> SoftMaterial {
    SoftMaterial::Corotational(ElasticSettings { young: 3e4, poisson: 0.4, damping: 0.0 })
}

fn response(scene: &Placed, settings: BodyPenaltySettings) -> BodyPenalty {
    BodyPenalty::new(&scene.rest, scene.bodies(), settings).unwrap()
}

fn output(scene: &Placed, response: &mut BodyPenalty) -> ContactOutput {
    let mut output = ContactOutput::default();
    response.pre_step(scene.context(), &mut output);
    output
}

/// Lets a world step by an integrator with penalties.
fn step_by<I: Integrator + 'static>(
    scene: &mut Placed,
    integrator: impl Fn() -> I + Send + 'static,
    settings: BodyPenaltySettings,
) {
    scene.step_by(move |rest, bodies| {
        let response = BodyPenalty::new(rest, bodies, settings).unwrap();
        Stepper::new(Box::new(integrator())).with_responses(vec![Box::new(response)])
    });
}

fn euler() -> Euler {
    Euler::new(EulerKind::Symplectic)
}

/// Relative speed of the two bodies, m/s.
fn parting(scene: &Placed) -> f64 {
    scene.velocity(0).distance(scene.velocity(1))
}

/// Three balls that overlap each other.
fn balls() -> Placed {
    let mesh = TetMesh::from_raw(ball(1.0, 3).unwrap()).unwrap().0;
    let turn = |k: f64| Quat::from_rotation_x(k) * Quat::from_rotation_z(1.3 * k);
    let places = [Vec3::ZERO, Vec3::new(0.75, 0.1, 0.05), Vec3::new(0.3, 0.7, 0.2)];
    let place = |(k, at): (usize, Vec3)| (mesh.clone(), turn(k as f64), at);
    scene(&places.into_iter().enumerate().map(place).collect::<Vec<_>>(), &loose())
}

fn all_settings() -> impl Iterator<Item = BodyPenaltySettings> {
    let depths = [Scope::Scene, Scope::Pairs]
        .map(|scope| DepthSettings { scope, ..DepthSettings::default() });
    let of = move |kind| {
        depths.map(|depth| BodyPenaltySettings { depth, ..BodyPenaltySettings::of_step(kind, DT) })
    };
    KINDS.into_iter().flat_map(of)
}

/// Sums of forces and of torques, relative to those of their sizes.
fn sums(scene: &Placed, output: &ContactOutput) -> (f64, f64) {
    let at = |vertex: &VertexId| scene.state().positions[vertex.index()];
    let total: f64 = output.forces.iter().map(|(_, force)| force.length()).sum();
    let force: Vec3 = output.forces.iter().map(|(_, force)| *force).sum();
    let torque: Vec3 = output.forces.iter().map(|(v, force)| at(v).cross(*force)).sum();
    (force.length() / total, torque.length() / total)
}

#[test]
fn momentum_is_kept_and_pushes_turn_nothing() {
    let mut scene = balls();
    for settings in all_settings() {
        let smooth = BodyPenaltySettings { friction: 0.0, ..settings };
        let output = output(&scene, &mut response(&scene, smooth));
        assert!(output.stats.contacts > 20, "{:?}", output.stats);
        let (force, torque) = sums(&scene, &output);
        assert!(force < 1e-12 && torque < 1e-12, "{settings:?}: {force} {torque}");
    }
    // Sliding at 1 m/s: friction keeps momentum too.
    scene.state_mut().velocities.iter_mut().step_by(2).for_each(|v| *v = Vec3::Y);
    for settings in all_settings() {
        let (force, _) = sums(&scene, &output(&scene, &mut response(&scene, settings)));
        assert!(force < 1e-12, "{settings:?}: {force}");
    }
}

#[test]
fn negative_depths_push_nothing() {
    let mut negative = 0;
    for pose in (0..300).map(f64::from) {
        let turn = Quat::from_rotation_x(0.37 * pose) * Quat::from_rotation_z(0.61 * pose);
        let place = Vec3::new(1.0 + 0.3 * libm::sin(1.7 * pose), 0.5 * libm::cos(2.3 * pose), 0.3);
        let slab = block(1, Vec3::new(1.0, 1.0, 0.3));
        let places = [(slab.clone(), Quat::IDENTITY, Vec3::ZERO), (slab, turn, place)];
        let mut scene = scene(&places, &loose());
        // Towards each other, with dampers that would push whatever the depth.
        let half = scene.rest.len() / 2;
        scene.state_mut().velocities[half..].fill(-place);
        let (stiffness, damping) = (Stiffness::Fixed(1.0), 1e6);
        let settings = BodyPenaltySettings::of_step(Kind::Consistent, DT);
        let settings = BodyPenaltySettings { stiffness, damping, ..settings };
        let found = penetrations(&scene.state().positions, scene.bodies(), settings.depth).unwrap();
        let forces = output(&scene, &mut response(&scene, settings)).forces;
        // Forces come in order, each with its reaction on the three corners.
        let pushed: Vec<_> = forces.chunks(4).map(|push| push[0].0).collect();
        for entry in found.resolved.iter().filter(|entry| entry.penetration.depth < 0.0) {
            assert!(!pushed.contains(&entry.vertex), "{entry:?}");
            negative += 1;
        }
    }
    assert!(negative > 0);
}

#[test]
fn threads_do_not_change_a_bit() {
    let scene = balls();
    for settings in all_settings() {
        let forces = [1, 3].map(|threads| {
            let mut response = response(&scene, settings);
            response.set_threads(threads);
            output(&scene, &mut response).forces
        });
        assert_eq!(forces[0], forces[1]);
    }
}

/// A cube on another that stands on pinned vertices.
fn stack(cells: [u32; 2], upper: Vec3) -> Placed {
    let lower = block(cells[0], Vec3::ONE);
    let place = Vec3::new(0.05, -0.03, 0.5 + 0.5 * upper.z);
    let places =
        [(lower, Quat::IDENTITY, Vec3::ZERO), (block(cells[1], upper), Quat::IDENTITY, place)];
    let mut scene = scene(&places, &soft());
    let first = scene.bodies().vertices(BodyId(0)).map(|v| VertexId(v as u32));
    let floor: Vec<_> = first.filter(|v| scene.rest[v.index()].z < -0.49).collect();
    let lower = scene.world.bodies().next().unwrap();
    scene.world.pin(lower, &floor).unwrap();
    scene.world.set_gravity(-9.81 * Vec3::Z).unwrap();
    scene
}

/// Largest energy outside contacts over 500 steps, relative to the start.
fn most_energy(mut scene: Placed) -> f64 {
    // Measured from the floor, so that the ratio means something.
    let floor = -0.5 * 9.81 * scene.masses().total();
    let start = scene.energy() - floor;
    let mut most = 1.0_f64;
    for _ in 0..500 {
        scene.step();
        most = most.max((scene.energy() - floor) / start);
    }
    most
}

#[test]
fn the_default_stiffness_bears_two_cubes_pressed_together() {
    for kind in KINDS {
        let settings = BodyPenaltySettings::of_step(kind, DT);
        let mut scene = stack([3, 3], Vec3::ONE);
        step_by(&mut scene, euler, settings);
        let most = most_energy(scene);
        assert!(most < 1.001, "{kind:?}: {most}");
        let mut scene = stack([3, 3], Vec3::ONE);
        step_by(&mut scene, || Verlet::new(VelocityKind::Central), settings);
        let most = most_energy(scene);
        assert!(most < 1.001, "{kind:?}: {most}");
    }
}

#[test]
fn many_vertices_on_one_triangle_do_not_blow_up() {
    // 81 vertices on two triangles: at twice m/dt² each, ten times Euler's limit in all.
    let mut scene = stack([1, 8], Vec3::new(0.8, 0.8, 0.4));
    let stiffness = Stiffness::OfStep { fraction: 2.0, dt: DT };
    let settings =
        BodyPenaltySettings { stiffness, ..BodyPenaltySettings::of_step(Kind::Consistent, DT) };
    step_by(&mut scene, euler, settings);
    let most = most_energy(scene);
    assert!(most < 1.001, "{most}");
}

#[test]
fn lengths_and_masses_scale_out() {
    let run = |length: f64, mass: f64| {
        let cube = block(2, Vec3::splat(length));
        let turn = Quat::from_rotation_x(0.3) * Quat::from_rotation_y(0.2);
        let place = length * Vec3::new(0.9, 0.07, -0.04);
        let places = [(cube.clone(), Quat::IDENTITY, Vec3::ZERO), (cube, turn, place)];
        let density = mass / (length * length * length);
        let mut scene = Placed::new(&places, &loose(), density).with_time_step(DT);
        let half = scene.rest.len() / 2;
        scene.state_mut().velocities[half..].fill(length * Vec3::new(-5.0, 1.0, 2.0));
        let settings = BodyPenaltySettings::of_step(Kind::Consistent, DT);
        step_by(&mut scene, euler, settings);
        for _ in 0..30 {
            scene.step();
        }
        scene.state().positions.iter().map(|p| *p / length).collect::<Vec<_>>()
    };
    let (large, small) = (run(1.0, 1.0), run(1e-3, 1e3));
    let still = block(2, Vec3::ONE);
    let moved = still.positions().iter().zip(&large).map(|(from, to)| from.distance(*to));
    assert!(moved.fold(0.0, f64::max) > 1e-3);
    for (a, b) in large.into_iter().zip(small) {
        assert!(a.abs_diff_eq(b, 1e-10), "{a} {b}");
    }
}

/// Frames of 20 steps until no vertex of two cubes is inside, or `None` after 60.
fn frames_until_free(scene: &mut Placed, kind: Kind) -> Option<usize> {
    step_by(scene, euler, BodyPenaltySettings::of_step(kind, DT));
    (0..60).find(|_| {
        for _ in 0..20 {
            scene.step();
        }
        scene.overlap().penetrating_vertices == 0
    })
}

/// Two cubes of 1 m, one an `overlap` deep in the other and tilted a little.
fn two_cubes(overlap: f64) -> Placed {
    let cube = block(3, Vec3::ONE);
    let turn = Quat::from_rotation_x(0.1) * Quat::from_rotation_y(0.07);
    let place = Vec3::new(1.0 - overlap, 0.07, -0.04);
    scene(&[(cube.clone(), Quat::IDENTITY, Vec3::ZERO), (cube, turn, place)], &soft())
}

/// Rows of the engine's own response leave at no more than 0.05 m/s.
#[test]
fn two_cubes_leave_overlap_soon_and_with_speed() {
    for (overlap, speed) in [(0.1, 3.0), (0.3, 10.0), (0.5, 13.0), (0.8, 14.0)] {
        let mut scene = two_cubes(overlap);
        let frames = frames_until_free(&mut scene, Kind::Consistent);
        assert!(frames.is_some_and(|frames| frames < 4), "{overlap}: {frames:?}");
        assert!(parting(&scene) > speed, "{overlap}: {}", parting(&scene));
    }
}

#[test]
fn nearest_points_free_shallow_cubes_and_lock_deep_ones() {
    let mut shallow = two_cubes(0.3);
    assert!(frames_until_free(&mut shallow, Kind::Closest).is_some());
    assert!(parting(&shallow) > 5.0, "{}", parting(&shallow));
    assert_eq!(frames_until_free(&mut two_cubes(0.8), Kind::Closest), None);
}
