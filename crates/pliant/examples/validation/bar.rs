//! A bar pulled at both ends: recovers Young's modulus and Poisson's ratio.

use std::error::Error;

use pliant::force::elastic::ElasticSettings;
use pliant::math::{Aabb, Vec3};
use pliant::solve::linear::LinearSolver;

use super::solids::{Block, Element};

/// Pa.
const YOUNG: f64 = 1e6;
/// Edges, m; three different ones, so that none can stand for another.
const SIZE: Vec3 = Vec3::new(1.0, 0.25, 0.2);
/// Many periods, s; the mass keeps the free bar where it is.
const SPAN: f64 = 10.0;
/// Long steps, each of which leaves a small part of the way.
const STEPS: u32 = 5;

/// Ratios of the tables.
pub const RATIOS: [f64; 5] = [-0.3, 0.0, 0.3, 0.45, 0.49];

/// Stresses of the tables, over Young's modulus.
pub const PULLS: [f64; 3] = [1e-4, 0.1, 0.5];

/// Response of a pulled bar.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    /// Strain along the pull; a bar of constant stiffness has `pull`.
    pub along: f64,
    /// Lateral contraction over elongation: the larger and smaller of both directions.
    pub ratios: [f64; 2],
}

/// Pulls a free bar with a stress of `pull` times Young's modulus.
pub fn stretch(element: &Element, poisson: f64, pull: f64) -> Result<Answer, Box<dyn Error>> {
    let settings = ElasticSettings { young: YOUNG, poisson, damping: 0.0 };
    let block = Block { cells: [6, 2, 2], size: SIZE, settings, density: 1e3 };
    let mut bar = block.make(element)?;
    let force = pull * YOUNG * SIZE.y * SIZE.z * Vec3::X;
    bar.pull(&block, 1.0, force)?;
    bar.pull(&block, -1.0, -force)?;
    for _ in 0..STEPS {
        bar.settle(SPAN, LinearSolver::Pcg)?;
    }
    let grown = Aabb::around(bar.state.positions.iter().copied()).size() / SIZE - Vec3::ONE;
    let ratios = [-grown.y / grown.x, -grown.z / grown.x];
    Ok(Answer { along: grown.x, ratios: [ratios[0].max(ratios[1]), ratios[0].min(ratios[1])] })
}
