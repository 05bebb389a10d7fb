//! Blocks of different stiffness pressed together: where their surfaces come to lie.

use pliant::id::BodyId;
use pliant::math::Vec3;
use pliant::step::Simulation;

use crate::claims::surface::RESPONSES;
use crate::claims::sweep::response;
use crate::claims::tables::print;
use crate::engine::{Engine, Ours};
use crate::rows::Amount;

/// Ways of the upper ends down, m.
const PRESSES: [f64; 2] = [0.1, 0.4];

/// Gap between the blocks at the start, m.
const GAP: f64 = 0.01;

/// Stiffness of the upper block over the lower, for each pair.
const RATIOS: [f64; 3] = [1.0, 4.0, 16.0];

/// Vertices this near to the end of their block are on the face, m.
const ON_FACE: f64 = 1e-6;

/// Which end of a block.
#[derive(Clone, Copy)]
enum End {
    Top,
    Bottom,
}

/// All responses.
pub fn run(_: Amount) -> Result<(), String> {
    println!(
        "Blocks of 1 m, the lower soft, pressed together and held. Overlap: the way of the upper end less the \
         gap at the start. Shares: how far the faces that meet have gone back, means over all their vertices, \
         per overlap; both sum to 1 where they meet. In one dimension the lower block takes k₂/(k₁ + k₂).\n"
    );
    let mut rows = Vec::new();
    for press in PRESSES {
        for name in RESPONSES {
            rows.extend(pairs(press, name)?);
            eprintln!("  {press} m, {name}");
        }
    }
    let head = [
        "pressed by, m",
        "response",
        "k₂/k₁",
        "share of the lower, in one dimension",
        "measured",
        "share of the upper",
        "overlap or gap (−) left, of the overlap",
    ];
    print(&head, &rows);
    Ok(())
}

fn pairs(press: f64, name: &str) -> Result<Vec<Vec<String>>, String> {
    let sets = [response(name), format!("press={press}")];
    let mut ours = Ours::new("elasticities", &sets)?;
    let simulation = ours.built.world.simulation();
    let faces: Vec<_> = (0..2 * RATIOS.len() as u32)
        .map(|body| {
            face(simulation, BodyId(body), if body % 2 == 0 { End::Top } else { End::Bottom })
        })
        .collect();
    let before: Vec<f64> =
        faces.iter().map(|face| height(&simulation.state.positions, face)).collect();
    for _ in 0..ours.built.info.steps {
        ours.step()?;
    }
    let after: Vec<f64> = faces
        .iter()
        .map(|face| height(&ours.built.world.simulation().state.positions, face))
        .collect();
    let overlap = press - GAP;
    let row = |(k, ratio): (usize, f64)| {
        let lower = (before[2 * k] - after[2 * k]) / overlap;
        let upper = (after[2 * k + 1] - before[2 * k + 1] + press) / overlap;
        vec![
            format!("{press}"),
            name.to_string(),
            format!("{ratio}"),
            format!("{:.3}", ratio / (1.0 + ratio)),
            format!("{lower:.3}"),
            format!("{upper:.3}"),
            format!("{:.3}", 1.0 - lower - upper),
        ]
    };
    Ok(RATIOS.into_iter().enumerate().map(row).collect())
}

/// Vertices of one end of a block.
fn face(simulation: &Simulation, body: BodyId, end: End) -> Vec<usize> {
    let vertices = simulation.system.bodies.vertices(body);
    let z = |vertex: usize| simulation.state.positions[vertex].z;
    let heights = vertices.clone().map(z);
    let last = match end {
        End::Top => heights.fold(f64::NEG_INFINITY, f64::max),
        End::Bottom => heights.fold(f64::INFINITY, f64::min),
    };
    vertices.filter(|vertex| (z(*vertex) - last).abs() < ON_FACE).collect()
}

/// Mean height of some vertices, m.
fn height(positions: &[Vec3], vertices: &[usize]) -> f64 {
    vertices.iter().map(|vertex| positions[*vertex].z).sum::<f64>() / vertices.len() as f64
}
