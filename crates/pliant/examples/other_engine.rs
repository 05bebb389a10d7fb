//! Inside another engine: it moves points its own way, Pliant reports which are inside what.
//!
//! The engine is position based: it predicts points, satisfies lengths of edges, pushes points out
//! of other bodies, and takes velocities from where they ended. All it has are plain slices.

use std::error::Error;

use pliant::body::Bodies;
use pliant::depth::{DepthSettings, penetrations};
use pliant::mesh::generate::{cuboid::cuboid, lattice::TetSplit};
use pliant::mesh::topology::edges;
use pliant::prelude::*;

/// Length of a step, s.
const DT: f64 = 1.0 / 60.0;

/// How the block ends on the slab.
pub struct Rest {
    /// Depth of the block's lowest vertex in it, m; negative above.
    pub depth: f64,
    /// Height of its centre above the top, m.
    pub height: f64,
    /// Speed of its centre, m/s.
    pub speed: f64,
}

/// A tilted block falls on a slab that is held.
pub fn run() -> Result<Rest, Box<dyn Error>> {
    let slab = cuboid([4, 4, 1], vec3(4.0, 4.0, 1.0), TetSplit::Five)?;
    let block = cuboid([2; 3], Vec3::ONE, TetSplit::Five)?;
    // The topology once; the positions of all bodies in one slice.
    let parts = [&slab, &block].map(|mesh| (mesh.positions.len(), &mesh.tets[..]));
    let (bodies, first) = (Bodies::from_tets(&parts)?, slab.positions.len());
    let tilt = Quat::from_rotation_x(0.3) * Quat::from_rotation_y(0.2);
    let placed = block.positions.iter().map(|p| tilt * *p + vec3(0.1, 0.2, 1.6));
    let mut x: Vec<Vec3> = slab.positions.iter().copied().chain(placed).collect();
    let mut v = vec![Vec3::ZERO; x.len()];
    let edges: Vec<_> = edges(block.positions.len(), &block.tets)
        .iter()
        .map(|edge| edge.map(|vertex| vertex.index() + first))
        .map(|[a, b]| (a, b, x[a].distance(x[b])))
        .collect();
    for _ in 0..300 {
        let before = x.clone();
        for k in first..x.len() {
            v[k] = 0.98 * (v[k] - DT * 9.81 * Vec3::Z);
            x[k] += DT * v[k];
        }
        for _ in 0..10 {
            for &(a, b, length) in &edges {
                let along = x[b] - x[a];
                let correction = 0.5 * (1.0 - length / along.length()) * along;
                x[a] += correction;
                x[b] -= correction;
            }
        }
        for out in &penetrations(&x, &bodies, DepthSettings::default())?.resolved {
            if out.vertex.index() >= first {
                let shift = out.penetration.depth * out.penetration.direction;
                x[out.vertex.index()] += shift;
            }
        }
        (first..x.len()).for_each(|k| v[k] = (x[k] - before[k]) / DT);
    }
    let mean = |of: &[Vec3]| of.iter().sum::<Vec3>() / of.len() as f64;
    Ok(Rest {
        depth: x[first..].iter().map(|p| 0.5 - p.z).fold(f64::NEG_INFINITY, f64::max),
        height: mean(&x[first..]).z - 0.5,
        speed: mean(&v[first..]).length(),
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let Rest { depth, height, speed } = run()?;
    println!("the block's centre is {height:.3} m above the slab and moves at {speed:.1e} m/s");
    println!("its lowest vertex is {depth:.1e} m deep");
    Ok(())
}
