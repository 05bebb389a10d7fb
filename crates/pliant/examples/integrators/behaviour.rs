//! Effects of single methods on energy, momentum, and a disturbance.

use std::error::Error;

use pliant::body::soft::State;
use pliant::force::drag::{Drag, DragLaw};
use pliant::math::Vec3;

use super::methods::Method;
use super::oscillators::{Scene, chain, oscillator, thrown_net};

/// Energy over that at the start, after each of 200 steps of 0.01 s.
///
/// ω = 10 rad/s, no damping.
pub fn energies(method: &Method) -> Result<Vec<f64>, Box<dyn Error>> {
    let mut scene = oscillator([100.0, 0.0])?;
    let start = scene.energy();
    let mut integrator = (method.make)();
    let mut found = vec![1.0];
    for _ in 0..200 {
        integrator.step(&mut scene.system, &mut scene.state, 0.01)?;
        found.push(scene.energy() / start);
    }
    Ok(found)
}

/// The last of them, after 2 s (L4).
pub fn energy_after(method: &Method) -> Result<f64, Box<dyn Error>> {
    Ok(energies(method)?[200])
}

/// Growth of the circle x, v of an oscillator, ω = 1 (L6): per step and per turn.
pub fn circle(method: &Method, dt: f64) -> Result<[f64; 2], Box<dyn Error>> {
    let Scene { mut system, mut state } = oscillator([1.0, 0.0])?;
    let radius = |state: &State| libm::hypot(state.positions[0].x, state.velocities[0].x);
    let mut integrator = (method.make)();
    integrator.step(&mut system, &mut state, dt)?;
    let per_step = radius(&state);
    let steps = (std::f64::consts::TAU / dt).round();
    for _ in 1..steps as usize {
        integrator.step(&mut system, &mut state, dt)?;
    }
    Ok([per_step, libm::pow(radius(&state), std::f64::consts::TAU / (steps * dt))])
}

/// Speeds of 1 kg that drag slows down at k = 10 1/s, from 1 m/s.
///
/// ẋ = −kx for the speed (L11).
pub fn decay(method: &Method, k_dt: f64, steps: usize) -> Result<Vec<f64>, Box<dyn Error>> {
    let Scene { mut system, mut state } = oscillator([0.0, 0.0])?;
    system.forces.push(Drag::new(DragLaw::Linear, vec![10.0], Vec3::ZERO)?);
    state.velocities[0] = Vec3::X;
    let mut integrator = (method.make)();
    let mut speeds = vec![1.0];
    for _ in 0..steps {
        integrator.step(&mut system, &mut state, k_dt / 10.0)?;
        speeds.push(state.velocities[0].x);
    }
    Ok(speeds)
}

/// Errors of a thrown net in free flight, relative to what its vertices have.
pub struct Flight {
    /// Of momentum less M g t, over the sum of m |v|.
    pub momentum: f64,
    /// Of angular momentum about the centre, over the sum of m |x| |v| about it.
    pub spin: f64,
}

/// A thrown net with dampers, 1 s in steps of 2 ms; the largest errors on the way.
pub fn flight(method: &Method) -> Result<Flight, Box<dyn Error>> {
    let Scene { mut system, mut state } = thrown_net([20.0, 0.05])?;
    let mut integrator = (method.make)();
    let momentum_start = state.momentum(&system.masses);
    let spin_start = state.angular_momentum(&system.masses, state.centre(&system.masses));
    let mut worst = Flight { momentum: 0.0, spin: 0.0 };
    for _ in 0..500 {
        integrator.step(&mut system, &mut state, 2e-3)?;
        let masses = &system.masses;
        let (centre, momentum) = (state.centre(masses), state.momentum(masses));
        let drift = momentum / masses.total();
        let (mut size, mut spin_size) = (0.0, 0.0);
        for (k, mass) in masses.of().iter().enumerate() {
            let (x, v) = (state.positions[k], state.velocities[k]);
            size += mass * v.length();
            spin_size += mass * x.distance(centre) * v.distance(drift);
        }
        let weight = -9.81 * masses.total() * state.time * Vec3::Z;
        let pushed = (momentum - momentum_start - weight).length();
        let turned = (state.angular_momentum(masses, centre) - spin_start).length();
        worst.momentum = worst.momentum.max(pushed / size);
        worst.spin = worst.spin.max(turned / spin_size);
    }
    Ok(worst)
}

/// Springs that a disturbance at the end of a chain has passed after 1 to 4 steps.
pub fn reach(method: &Method, damping: f64) -> Result<[usize; 4], Box<dyn Error>> {
    let Scene { mut system, mut state } = chain(40, [100.0, damping])?;
    let mut integrator = (method.make)();
    let mut passed = [0; 4];
    for count in &mut passed {
        integrator.step(&mut system, &mut state, 1.0 / 16.0)?;
        let moved = |k: &usize| {
            state.positions[*k] != *k as f64 * Vec3::X || state.velocities[*k] != Vec3::ZERO
        };
        *count = (0..40).rev().find(moved).unwrap_or(0);
    }
    Ok(passed)
}
