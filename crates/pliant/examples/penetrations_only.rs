//! Penetrations of two meshes without a world, and forces that another engine makes of them.

use std::error::Error;

use pliant::mesh::generate::{cuboid::cuboid, lattice::TetSplit};
use pliant::prelude::*;

/// N/m.
const STIFFNESS: f64 = 1000.0;

/// What another engine makes of the penetrations of two meshes.
pub struct Penalty {
    /// On the vertices of each, N.
    pub forces: [Vec<Vec3>; 2],
    /// Of the same, m.
    pub positions: [Vec<Vec3>; 2],
    /// Of the deepest vertex, m.
    pub deepest: f64,
}

/// A cube that overlaps another by a tenth.
pub fn run() -> Result<Penalty, Box<dyn Error>> {
    let cube = |by: Vec3| -> Result<TetMesh, Box<dyn Error>> {
        let mut raw = cuboid([3; 3], Vec3::ONE, TetSplit::Five)?;
        raw.positions.iter_mut().for_each(|p| *p += by);
        Ok(TetMesh::from_raw(raw)?.0)
    };
    let (a, b) = (cube(Vec3::ZERO)?, cube(vec3(0.1, 0.2, 0.9))?);
    let positions = [a.positions().to_vec(), b.positions().to_vec()];
    let mut forces = positions.each_ref().map(|of| vec![Vec3::ZERO; of.len()]);
    let mut deepest = 0.0_f64;
    for body in pliant::penetrations(&[&a, &b])? {
        for point in &body.points {
            let force = STIFFNESS * point.depth * point.direction;
            deepest = deepest.max(point.depth);
            // Where it leaves is a point of a triangle: its corners share the reaction.
            let Some(exit) = point.exit else { continue };
            forces[point.body.index()][point.vertex.index()] += force;
            for (corner, weight) in exit.triangle.iter().zip(exit.weights) {
                forces[exit.body.index()][corner.index()] -= weight * force;
            }
        }
        // What no direction is known for is named, never guessed.
        for point in &body.unresolved {
            println!("vertex {} has no way out: {:?}", point.vertex, point.reason);
        }
    }
    Ok(Penalty { forces, positions, deepest })
}

fn main() -> Result<(), Box<dyn Error>> {
    let Penalty { forces, deepest, .. } = run()?;
    let [on_a, on_b] = forces.map(|of| of.iter().sum::<Vec3>());
    println!("deepest {deepest:.3} m; {on_a:.2} N on a, {on_b:.2} N on b");
    Ok(())
}
