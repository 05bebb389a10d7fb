//! A block of finite elements that is thrown, spins and wobbles.

use std::error::Error;

use pliant::force::elastic::ElasticSettings;
use pliant::force::gravity::Gravity;
use pliant::math::Vec3;

use super::methods::Method;
use super::solids::{Block, Element};

/// Of the Earth, m/s².
const G: f64 = 9.81;
/// Time step, s; sound takes twelve of them through a cell.
const DT: f64 = 5e-4;
/// Steps of a flight.
const STEPS: u32 = 200;

/// Errors of a block on its flight, relative to what its vertices have.
#[derive(Clone, Copy, Debug)]
pub struct Loss {
    /// Of momentum less M g t, over the sum of m |v|.
    pub momentum: f64,
    /// Of angular momentum about the centre, over the sum of m |x| |v| about it.
    pub spin: f64,
    /// Largest change of the length of the block's diagonal, over that length.
    pub wobble: f64,
}

/// Throws a block and keeps the largest errors.
pub fn fly(method: &Method, element: &Element) -> Result<Loss, Box<dyn Error>> {
    let settings = ElasticSettings { young: 1e5, poisson: 0.3, damping: 1e-3 };
    let size = Vec3::new(0.4, 0.2, 0.2);
    let block = Block { cells: [4, 2, 2], size, settings, density: 1e3 };
    let mut thrown = block.make(element)?;
    let gravity = Gravity::new(-G * Vec3::Z, thrown.system.masses.of());
    thrown.system.forces.push(gravity);
    let (system, state) = (&mut thrown.system, &mut thrown.state);
    for (k, velocity) in state.velocities.iter_mut().enumerate() {
        let spin = Vec3::new(3.0, -6.0, 9.0).cross(state.positions[k]);
        *velocity = Vec3::new(2.0, 1.0, 4.0) + spin + 0.3 * libm::sin(k as f64) * Vec3::Y;
    }
    let momentum_start = state.momentum(&system.masses);
    let spin_start = state.angular_momentum(&system.masses, state.centre(&system.masses));
    let last = state.positions.len() - 1;
    let diagonal = state.positions[0].distance(state.positions[last]);
    let mut integrator = (method.make)();
    let mut worst = Loss { momentum: 0.0, spin: 0.0, wobble: 0.0 };
    for _ in 0..STEPS {
        integrator.step(system, state, DT)?;
        let masses = &system.masses;
        let (centre, momentum) = (state.centre(masses), state.momentum(masses));
        let drift = momentum / masses.total();
        let (mut size, mut spin_size) = (0.0, 0.0);
        for (k, mass) in masses.of().iter().enumerate() {
            let (x, v) = (state.positions[k], state.velocities[k]);
            size += mass * v.length();
            spin_size += mass * x.distance(centre) * v.distance(drift);
        }
        let weight = -G * masses.total() * state.time * Vec3::Z;
        let pushed = (momentum - momentum_start - weight).length();
        let turned = (state.angular_momentum(masses, centre) - spin_start).length();
        let stretched = state.positions[0].distance(state.positions[last]) / diagonal - 1.0;
        worst.momentum = worst.momentum.max(pushed / size);
        worst.spin = worst.spin.max(turned / spin_size);
        worst.wobble = worst.wobble.max(stretched.abs());
    }
    Ok(worst)
}
