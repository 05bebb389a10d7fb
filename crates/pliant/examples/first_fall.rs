//! A block of rubber falls on a floor and comes to rest: the stages themselves, without a world.
//!
//! The book shows it piece by piece.

use std::error::Error;
use std::sync::Arc;

// ANCHOR: body
use pliant::body::Bodies;
use pliant::body::keyframes::{Keyframes, Pose};
use pliant::body::obstacle::{Obstacle, Plane, SurfaceMaterial};
use pliant::body::soft::{Masses, State};
use pliant::integrate::System;
use pliant::math::Vec3;
use pliant::mesh::generate::cuboid::cuboid;
use pliant::mesh::generate::lattice::TetSplit;
use pliant::mesh::raw::RawMesh;

/// A block of 20 cm, 1 m above the floor, and the floor.
fn bodies(mesh: &RawMesh) -> Result<(System, State, Vec<Obstacle>), Box<dyn Error>> {
    let masses = Masses::of_tets(&mesh.positions, &mesh.tets, |_| 1000.0)?; // kg/m³
    let bodies = Arc::new(Bodies::of_particles([mesh.positions.len()])?);
    let system = System { masses, bodies, ..System::default() };
    let state = State::at_rest(mesh.positions.iter().map(|p| *p + Vec3::Z).collect());
    let touch = SurfaceMaterial { friction: 0.5, restitution: 0.0 };
    let floor = Obstacle::new(Plane, Keyframes::still(Pose::IDENTITY)?, touch)?;
    Ok((system, state, vec![floor]))
}
// ANCHOR_END: body

// ANCHOR: force
use pliant::force::elastic::{Elastic, ElasticSettings, NeoHookean};
use pliant::force::gravity::Gravity;

/// Rubber, and its weight.
fn forces(mesh: &RawMesh, system: &mut System) -> Result<(), Box<dyn Error>> {
    let rubber = ElasticSettings { young: 1e5, poisson: 0.4, damping: 1e-3 };
    let solid = Elastic::<NeoHookean>::new(&mesh.positions, &mesh.tets, |_tet| rubber)?;
    system.forces.push(solid);
    system.forces.push(Gravity::new(-9.81 * Vec3::Z, system.masses.of()));
    Ok(())
}
// ANCHOR_END: force

// ANCHOR: integrate
use pliant::integrate::implicit::Implicit;
use pliant::integrate::{Integrator, StepError};
use pliant_papers::impulse::{apply, impacts};

/// Three seconds of it, in frames of 1/60 s.
fn fall(system: &mut System, state: &mut State, obstacles: &[Obstacle]) -> Result<(), StepError> {
    let mut integrator = Implicit::default(); // implicit Euler, linearised once a step
    let (dt, mut met) = (1.0 / 60.0, Vec::new());
    for _ in 0..180 {
        integrator.step(system, state, dt)?;
        // ANCHOR: respond
        impacts(obstacles, &system.masses, &system.pins, state.motion(), dt, &mut met);
        apply(&met, &system.masses, state);
        // ANCHOR_END: respond
    }
    Ok(())
}
// ANCHOR_END: integrate

/// Height of the lowest vertex at the end, m, and kinetic energy, J.
pub fn run() -> Result<(f64, f64), Box<dyn Error>> {
    let mesh = cuboid([4, 4, 4], Vec3::splat(0.2), TetSplit::Five)?;
    let (mut system, mut state, obstacles) = bodies(&mesh)?;
    forces(&mesh, &mut system)?;
    fall(&mut system, &mut state, &obstacles)?;
    let lowest = state.positions.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    Ok((lowest, state.kinetic(&system.masses)))
}

fn main() -> Result<(), Box<dyn Error>> {
    let (lowest, kinetic) = run()?;
    println!("after 3 s: lowest vertex at {lowest:.4} m, {kinetic:.1e} J");
    Ok(())
}
