//! Whole simulations in contact: what restores, what momentum is.

#![allow(clippy::unwrap_used, reason = "a test may")]

use pliant::body::Bodies;
use pliant::body::Mesh;
use pliant::body::keyframes::{Keyframes, Pose};
use pliant::body::obstacle::{Obstacle, Plane, SurfaceMaterial};
use pliant::body::soft::Masses;
use pliant::body::soft::State;
use pliant::force::gravity::Gravity;
use pliant::force::plasticity::Plasticity;
use pliant::force::spring::{SpringLaw, SpringSettings, Springs};
use pliant::id::VertexId;
use pliant::integrate::implicit::{Implicit, ImplicitKind, ImplicitSettings};
use pliant::integrate::verlet::{VelocityKind, Verlet};
use pliant::integrate::{Integrator, System};
use pliant::math::Vec3;
use pliant::snapshot::Snapshot;
use pliant::step::{Simulation, Stepper};
use pliant_papers::impulse::Impulses;
use std::sync::Arc;

const DT: f64 = 0.01;

/// A plastic triangle of springs that falls on a floor.
fn falling(integrator: Box<dyn Integrator>) -> Simulation {
    let rest = vec![Vec3::Z, Vec3::Z + Vec3::X, 2.0 * Vec3::Z];
    let edges = [[0, 1], [1, 2], [2, 0]].map(|edge| edge.map(VertexId));
    let masses = Masses::new(vec![1.0, 2.0, 3.0]).unwrap();
    let mut system = System { masses, ..System::default() };
    system.forces.push(Gravity::new(-9.81 * Vec3::Z, system.masses.of()));
    let settings = SpringSettings { law: SpringLaw::Absolute, stiffness: 500.0, damping: 2.0 };
    let clay = Plasticity { yield_strain: 0.01, creep_rate: 5.0, max_drift: 0.5 };
    let springs = Springs::along(&rest, &edges, settings).unwrap();
    system.forces.push(springs.with_plasticity(clay).unwrap());
    let still = Keyframes::still(Pose::IDENTITY).unwrap();
    let floor =
        Obstacle::new(Plane, still, SurfaceMaterial { friction: 0.3, restitution: 0.2 }).unwrap();
    system.bodies = Arc::new(Bodies::from_meshes(&[Mesh::SpringNetwork(3, &edges)]).unwrap());
    let stepper =
        Stepper::new(integrator).with_responses(vec![Box::new(Impulses::new(vec![floor]))]);
    Simulation::new(State::at_rest(rest), system, stepper)
}

fn integrators() -> [Box<dyn Integrator>; 2] {
    let bdf2 = ImplicitSettings { kind: ImplicitKind::Bdf2, ..ImplicitSettings::default() };
    [Box::new(Verlet::new(VelocityKind::Backward)), Box::new(Implicit::new(bdf2))]
}

#[test]
fn a_restored_simulation_goes_on_with_the_same_bits() {
    for (whole, half) in integrators().into_iter().zip(integrators()) {
        let mut whole = falling(whole);
        for _ in 0..60 {
            whole.step(DT).unwrap();
        }
        let mut memory = Snapshot::default();
        whole.save(&mut memory);
        let mut resumed = falling(half);
        resumed.restore(&mut Snapshot::from_numbers(memory.numbers().to_vec())).unwrap();
        assert_ne!(resumed.external_impulse_total, Vec3::ZERO); // the floor was met
        for _ in 0..40 {
            whole.step(DT).unwrap();
            resumed.step(DT).unwrap();
        }
        assert_eq!(whole.state, resumed.state);
        assert_eq!(whole.external_impulse_total, resumed.external_impulse_total);
    }
}

#[test]
fn memory_of_another_scene_is_refused() {
    let mut memory = Snapshot::default();
    falling(Box::new(Verlet::new(VelocityKind::Backward))).save(&mut memory);
    let [_, implicit] = integrators();
    let numbers = memory.numbers().to_vec();
    assert!(falling(implicit).restore(&mut Snapshot::from_numbers(numbers.clone())).is_err());
    for cut in 0..numbers.len() {
        let [verlet, _] = integrators();
        let short = &mut Snapshot::from_numbers(numbers[..cut].to_vec());
        assert!(falling(verlet).restore(short).is_err(), "{cut} of {}", numbers.len());
    }
}

#[test]
fn momentum_is_gravity_and_what_obstacles_gave() {
    let [verlet, _] = integrators();
    let mut simulation = falling(verlet);
    for _ in 0..100 {
        simulation.step(DT).unwrap();
    }
    let momentum = simulation.state.momentum(&simulation.system.masses);
    let expected = 6.0 * 100.0 * DT * -9.81 * Vec3::Z + simulation.external_impulse_total;
    assert!(momentum.abs_diff_eq(expected, 1e-12), "{momentum} {expected}");
    assert!(simulation.external_impulse_total.z > 1.0);
}
