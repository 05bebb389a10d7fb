//! The same scene from a millimetre to a hundred metres, from jelly to steel.
//!
//! With lengths in units of the size s, stresses in units of E and times in units of
//! T = s √(ρ/E), the numbers of a scene do not depend on its size and stiffness.

use std::error::Error;

use pliant::force::elastic::ElasticSettings;
use pliant::force::gravity::Gravity;
use pliant::integrate::Integrator;
use pliant::integrate::euler::{Euler, EulerKind};
use pliant::integrate::implicit::Implicit;
use pliant::math::Vec3;

use super::solids::{Block, Element};

/// kg/m³, of every scene.
const DENSITY: f64 = 1e3;
/// Steps of each run.
const STEPS: u32 = 200;
/// Weight over stiffness, ρ g s / E: the tip sinks by a fifth of the length.
const WEIGHT: f64 = 0.02;

/// Sizes of the table, m; the first is the reference.
pub const SIZES: [f64; 4] = [1.0, 1e-3, 0.037, 100.0];
/// Young's moduli of the table, Pa.
pub const MODULI: [f64; 4] = [1e6, 1e3, 7.3e4, 1e9];

/// One integrator, as in the table.
pub struct Run {
    /// Of the integrator.
    pub name: &'static str,
    /// Makes a new one.
    pub make: fn() -> Box<dyn Integrator>,
    /// In units of T.
    pub dt: f64,
}

/// An explicit run and an implicit one with steps five times as long.
pub const RUNS: [Run; 2] = [
    Run {
        name: "symplectic Euler",
        make: || Box::new(Euler::new(EulerKind::Symplectic)),
        dt: 0.02,
    },
    Run { name: "implicit Euler", make: || Box::new(Implicit::default()), dt: 0.1 },
];

/// Positions over size of a beam released under its weight, after some steps.
///
/// `dt` in units of T.
pub fn run(
    element: &Element,
    integrator: &mut dyn Integrator,
    [size, young]: [f64; 2],
    dt: f64,
) -> Result<Vec<Vec3>, Box<dyn Error>> {
    let unit = size * (DENSITY / young).sqrt();
    let settings = ElasticSettings { young, poisson: 0.3, damping: 0.05 * unit };
    let edges = size * Vec3::new(1.0, 0.25, 0.25);
    let block = Block { cells: [4, 2, 2], size: edges, settings, density: DENSITY };
    let mut beam = block.make(element)?;
    let gravity = -WEIGHT * young / (DENSITY * size) * Vec3::Z;
    let gravity = Gravity::new(gravity, beam.system.masses.of());
    beam.system.forces.push(gravity);
    beam.clamp(&block)?;
    for _ in 0..STEPS {
        integrator.step(&mut beam.system, &mut beam.state, dt * unit)?;
    }
    Ok(beam.state.positions.iter().map(|p| *p / size).collect())
}

/// Largest distance between vertices of two runs, in units of the size.
pub fn apart(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).fold(0.0, |most, (a, b)| most.max(a.distance(*b)))
}
