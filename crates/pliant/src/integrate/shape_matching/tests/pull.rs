//! Groups as a force: derivatives, conservation, and rest in contact.

use std::sync::Arc;

use super::*;
use crate::body::keyframes::{Keyframes, Pose};
use crate::body::obstacle::{Obstacle, Plane, SurfaceMaterial};
use crate::body::soft::StateView;
use crate::body::{Bodies, Mesh};
use crate::force::{Force, Form, Tangent};
use crate::integrate::implicit::{Implicit, ImplicitSettings};
use crate::integrate::shape_matching::pull::Pull;
use crate::mesh::generate::cuboid::cuboid;
use crate::mesh::generate::lattice::TetSplit;
use crate::mesh::tet::TetMesh;
use crate::solve::constraint::ConstraintResponse;

/// Step of central differences, m: errors are its square, and rounding over it.
const STEP: f64 = 1e-5;

/// Differences of energies and forces of about 10⁴ over `STEP`, relative.
const DIFFERENCE: f64 = 1e-6;

/// m/s².
const G: f64 = 9.81;

/// Three overlapping groups as a force, and their vertices at rest.
fn pulled(kind: Kind) -> (Pull, Vec<Vec3>, System) {
    let (groups, rest, system) = overlapping(kind, Stiffness::Rate(30.0));
    let groups = Groups::new(&groups, &rest, &system.masses, &system.pins).unwrap();
    (Pull::new(groups, 0.01), rest, system)
}

fn motion(positions: &[Vec3]) -> StateView<'_> {
    StateView { positions, velocities: positions, time: 0.0 }
}

fn forces(pull: &Pull, positions: &[Vec3]) -> Vec<Vec3> {
    let mut forces = vec![Vec3::ZERO; positions.len()];
    pull.add_forces(motion(positions), &mut forces);
    forces
}

#[test]
fn forces_are_minus_the_gradient_of_the_energy() {
    let mut random = Random::new(5);
    for kind in kinds() {
        let (pull, rest, _) = pulled(kind);
        let turn = Quat::from_rotation_z(0.8);
        let bent: Vec<Vec3> = rest.iter().map(|x| turn * *x + 0.2 * random.vec3()).collect();
        let found = forces(&pull, &bent);
        let size = found.iter().fold(0.0_f64, |most, f| most.max(f.length()));
        for v in [0, 7, 13, 20] {
            for axis in Vec3::AXES {
                let energy = |step: f64| {
                    let mut moved = bent.clone();
                    moved[v] += step * axis;
                    pull.energy(motion(&moved))
                };
                let slope = (energy(STEP) - energy(-STEP)) / (2.0 * STEP);
                let lacking = found[v].dot(axis) + slope;
                assert!(lacking.abs() < DIFFERENCE * size, "{kind:?} {v} {lacking} {size}");
            }
        }
    }
}

#[test]
fn the_tangent_is_the_slope_of_forces_at_rest() {
    let mut random = Random::new(6);
    for kind in kinds() {
        let (pull, rest, _) = pulled(kind);
        let turn = Quat::from_rotation_x(0.5);
        let placed: Vec<Vec3> = rest.iter().map(|x| turn * *x + Vec3::Y).collect();
        let way: Vec<Vec3> = placed.iter().map(|_| random.vec3()).collect();
        let at = |step: f64| -> Vec<Vec3> {
            placed.iter().zip(&way).map(|(x, d)| *x + step * *d).collect()
        };
        let (ahead, behind) = (forces(&pull, &at(STEP)), forces(&pull, &at(-STEP)));
        let mut product = vec![Vec3::ZERO; placed.len()];
        let tangent = Tangent { stiffness: 1.0, damping: 0.0, form: Form::Definite };
        pull.add_product(motion(&placed), tangent, &way, &mut product);
        let size = product.iter().fold(0.0_f64, |most, f| most.max(f.length()));
        for ((ahead, behind), product) in ahead.iter().zip(&behind).zip(&product) {
            let slope = (*ahead - *behind) / (2.0 * STEP);
            let lacking = (slope + *product).length();
            assert!(lacking < DIFFERENCE * size, "{kind:?} {slope} {product}");
        }
    }
}

#[test]
fn the_matrix_is_the_product_and_pushes_nobody() {
    let mut random = Random::new(8);
    for kind in kinds() {
        let (pull, rest, _) = pulled(kind);
        let bent: Vec<Vec3> = rest.iter().map(|x| *x + 0.2 * random.vec3()).collect();
        let way: Vec<Vec3> = bent.iter().map(|_| random.vec3()).collect();
        let tangent = Tangent { stiffness: 0.1, damping: 3.0, form: Form::Definite };
        let (mut product, mut by_matrix) = (vec![Vec3::ZERO; 30], vec![Vec3::ZERO; 30]);
        pull.add_product(motion(&bent), tangent, &way, &mut product);
        let mut all = crate::force::Forces::new();
        all.push_force(pull);
        all.assemble(motion(&bent), tangent).unwrap().multiply(&way, &mut by_matrix);
        let size = product.iter().fold(0.0_f64, |most, f| most.max(f.length()));
        for (a, b) in product.iter().zip(&by_matrix) {
            assert!((*a - *b).length() < ROUNDING * size, "{kind:?} {a} {b}");
        }
        let push: Vec3 = product.iter().sum();
        assert!(push.length() < ROUNDING * 30.0 * size, "{kind:?} {push}");
        let swing: f64 = way.iter().zip(&product).map(|(a, b)| a.dot(*b)).sum();
        assert!(swing > 0.0, "{kind:?} {swing}");
    }
}

/// A rigid box that spins about a diagonal.
#[test]
fn a_free_spin_stays_without_an_option() {
    let rest = corners();
    let mut system = free(&[1.0; 9]);
    let groups = Groups::new(&[Group::rigid(all(9))], &rest, &system.masses, &system.pins);
    let dt = 0.01;
    system.forces.push_force(Pull::new(groups.unwrap(), dt));
    let spin = Vec3::new(0.0, 0.0, 6.0);
    let velocities = rest.iter().map(|x| spin.cross(*x)).collect();
    let mut state = State { positions: rest.clone(), velocities, ..State::default() };
    let before = state.angular_momentum(&system.masses, Vec3::ZERO);
    let mut stepper = Implicit::new(ImplicitSettings {
        linear: crate::solve::linear::LinearSettings { tolerance: 1e-13, ..Default::default() },
        ..ImplicitSettings::default()
    });
    for _ in 0..1000 {
        stepper.step(&mut system, &mut state, dt).unwrap();
    }
    let after = state.angular_momentum(&system.masses, Vec3::ZERO);
    // As printed, dω/dt = −Δt ω³ would leave 1/√(1 + 2·10·0.01·36) = 0.35 of it.
    assert!((after - before).length() < 1e-6 * before.length(), "{before} {after}");
    let apart = state.positions[0].distance(state.positions[7]) - rest[0].distance(rest[7]);
    assert!(apart.abs() < 0.01, "{apart}"); // θ² = 0.0036 of 3.7 m
}

/// Speed along a slope after 2 s, and the lowest vertex, of a cube of tets.
fn slide(ratio: f64, kind: Kind) -> (f64, f64) {
    let mesh =
        TetMesh::from_raw(cuboid([2; 3], Vec3::splat(0.2), TetSplit::Five).unwrap()).unwrap().0;
    let (friction, dt) = (0.5, 1.0 / 60.0);
    let lowest = |x: &[Vec3]| x.iter().fold(9.0_f64, |least, x| least.min(x.z));
    let lift = (0.002 - lowest(mesh.positions())) * Vec3::Z;
    let rest: Vec<Vec3> = mesh.positions().iter().map(|x| *x + lift).collect();
    let mut system = free(&vec![0.1; rest.len()]);
    let angle = libm::atan(ratio * friction);
    let pull = G * Vec3::new(libm::sin(angle), 0.0, -libm::cos(angle));
    system.forces.push(Gravity::new(pull, system.masses.of()));
    let group = Group { kind, ..Group::rigid(all(rest.len())) };
    let groups = Groups::new(&[group], &rest, &system.masses, &system.pins).unwrap();
    system.forces.push_force(Pull::new(groups, dt));
    let touch = SurfaceMaterial { friction, restitution: 0.0 };
    let floor = Obstacle::new(Plane, Keyframes::still(Pose::IDENTITY).unwrap(), touch).unwrap();
    let bodies = Bodies::from_meshes(&[Mesh::Tets(&mesh)]).unwrap();
    system.bodies = Arc::new(bodies.clone());
    let rows = ConstraintResponse::new(&rest, &bodies, vec![floor], Default::default()).unwrap();
    let inner = Box::new(Implicit::new(ImplicitSettings::default()));
    let mut stepper = Stepper::new(inner).with_responses(vec![Box::new(rows)]);
    let mut state = State::at_rest(rest);
    for _ in 0..120 {
        stepper.step(&mut system, &mut state, dt).unwrap();
    }
    let speed = state.momentum(&system.masses) / system.masses.total();
    (speed.x, lowest(&state.positions))
}

#[test]
fn a_slope_holds_and_slides_as_coulomb_says_with_the_step() {
    for kind in [Kind::Rigid, Kind::Linear { blend: 0.5, volume: Volume::Kept }] {
        for ratio in [0.5, 0.99, 1.01, 2.0] {
            let (speed, lowest) = slide(ratio, kind);
            let angle = libm::atan(0.5 * ratio);
            let exact = 2.0 * G * (libm::sin(angle) - 0.5 * libm::cos(angle)).max(0.0);
            assert!((speed - exact).abs() < 1e-3 * (1.0 + exact), "{ratio}: {speed} {exact}");
            assert!(lowest > 0.0, "{ratio}: {lowest}");
        }
    }
}

#[test]
fn what_flows_is_remembered() {
    let (groups, rest, system) = overlapping(Kind::Rigid, Stiffness::Rate(5.0));
    let soft = Plasticity { yields_at: 0.01, creep: 2.0, most: 0.3 };
    let groups: Vec<Group> =
        groups.into_iter().map(|group| Group { plasticity: Some(soft), ..group }).collect();
    let make = || Groups::new(&groups, &rest, &system.masses, &system.pins).unwrap();
    let mut pull = Pull::new(make(), 0.01);
    let long: Vec<Vec3> = rest.iter().map(|x| *x * Vec3::new(1.2, 1.0, 1.0)).collect();
    pull.flow(motion(&long), 0.1);
    let flowed = pull.clusters().next().unwrap().plastic();
    assert!(flowed.x_axis.x > 1.01, "{flowed}");
    let mut memory = Snapshot::default();
    pull.save(&mut memory);
    let mut other = Pull::new(make(), 0.01);
    other.restore(&mut memory).unwrap();
    assert_eq!(forces(&other, &long), forces(&pull, &long));
}
