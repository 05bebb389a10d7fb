//! A beam that bends under its own weight, against Timoshenko's theory.

use std::error::Error;

use pliant::force::elastic::ElasticSettings;
use pliant::force::gravity::Gravity;
use pliant::math::Vec3;
use pliant::solve::linear::LinearSolver;

use super::solids::{Block, Element};

/// Length along x, then both edges of the cross-section, m.
const SIZE: Vec3 = Vec3::new(2.0, 0.2, 0.2);
/// Of the Earth, m/s².
const G: f64 = 9.81;
/// kg/m³; so light that the tip sinks by 1 % of the length.
const DENSITY: f64 = 40.0;
/// Young's modulus, Pa.
const YOUNG: f64 = 1.2e7;
/// Some thousand periods, s.
const SPAN: f64 = 1e3;

/// Poisson's ratio of the beam.
pub const POISSON: f64 = 0.3;

/// Cells of the meshes, coarse to fine: 9 × 3 × 3 nodes and so on.
pub const MESHES: [[u32; 3]; 4] = [[8, 2, 2], [16, 4, 4], [32, 8, 8], [64, 16, 16]];

/// How far the tip sinks by Timoshenko's theory, m: by bending, and by shear.
///
/// A shear coefficient of 10 (1 + ν) / (12 + 11 ν), Cowper's for a rectangle; with 5/6 the
/// sum would be larger by 2e-4 of itself.
pub fn timoshenko(poisson: f64) -> [f64; 2] {
    let (length, area) = (SIZE.x, SIZE.y * SIZE.z);
    let inertia = SIZE.y * pliant::math::powi(SIZE.z, 3) / 12.0;
    let line_load = DENSITY * G * area;
    let coefficient = 10.0 * (1.0 + poisson) / (12.0 + 11.0 * poisson);
    let shear_modulus = YOUNG / (2.0 * (1.0 + poisson));
    [
        line_load * pliant::math::powi(length, 4) / (8.0 * YOUNG * inertia),
        line_load * pliant::math::powi(length, 2) / (2.0 * coefficient * shear_modulus * area),
    ]
}

/// How far the middle of the free end sinks on a mesh, m.
pub fn deflection(element: &Element, cells: [u32; 3], poisson: f64) -> Result<f64, Box<dyn Error>> {
    let settings = ElasticSettings { young: YOUNG, poisson, damping: 0.0 };
    let block = Block { cells, size: SIZE, settings, density: DENSITY };
    let mut beam = block.make(element)?;
    let gravity = Gravity::new(-G * Vec3::Z, beam.system.masses.of());
    beam.system.forces.push(gravity);
    beam.clamp(&block)?;
    let tip = block.middle_of_end(&beam.state.positions)?;
    beam.settle(SPAN, LinearSolver::Pcg)?;
    Ok(-beam.state.positions[tip].z)
}

/// Limit of three meshes.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// Deflection for cells without size, m.
    pub deflection: f64,
    /// Observed power of the cell size with which the error falls.
    pub order: f64,
}

/// Extrapolates the stiffness 1/w of three meshes, each twice as fine as the last.
///
/// Linear tets cannot bend without shear; that adds to the stiffness in proportion to a power
/// of the cell size, two in theory, also where meshes are coarse. The deflection itself follows
/// a power on fine meshes only. The order is the observed one, not the theory's.
pub fn extrapolate(deflections: [f64; 3]) -> Limit {
    let [coarse, middle, fine] = deflections.map(f64::recip);
    let ratio = (middle - coarse) / (fine - middle);
    let stiffness = fine + (fine - middle) / (ratio - 1.0);
    Limit { deflection: stiffness.recip(), order: libm::log2(ratio) }
}
