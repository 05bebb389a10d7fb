//! Two bodies deep in each other: consistent depth beside the closest feature.

use pliant::body::{Bodies, Mesh};
use pliant::depth::fused::Scratch;
use pliant::depth::nearest::Nearest;
use pliant::depth::{DepthSettings, Penetration, penetrations};
use pliant::detect::Overlaps;
use pliant::id::VertexId;
use pliant::math::{Quat, Vec3};
use pliant::mesh::generate::cuboid::cuboid;
use pliant::mesh::generate::lattice::TetSplit;
use pliant::mesh::tet::TetMesh;

use crate::show::DIM;

/// Tilt of the column, rad: nothing is aligned by chance.
const TILT: f64 = 0.05;

/// A heading, and three lines of numbers on a column pushed 1.2 m deep into a block.
pub fn describe() -> Result<(String, String), String> {
    let words = |error: &dyn std::fmt::Display| error.to_string();
    let block = cuboid([8, 8, 8], Vec3::splat(2.0), TetSplit::Six).map_err(|e| words(&e))?;
    let column =
        cuboid([4, 4, 10], Vec3::new(0.8, 0.8, 2.0), TetSplit::Six).map_err(|e| words(&e))?;
    let turn = Quat::from_rotation_x(TILT) * Quat::from_rotation_y(TILT);
    let placed = column.positions.iter().map(|&p| turn * p + Vec3::new(0.07, 0.03, 0.8));
    let positions: Vec<Vec3> = block.positions.iter().copied().chain(placed).collect();
    let (block, _) = TetMesh::from_raw(block).map_err(|e| words(&e))?;
    let (column, _) = TetMesh::from_raw(column).map_err(|e| words(&e))?;
    let bodies =
        Bodies::from_meshes(&[Mesh::Tets(&block), Mesh::Tets(&column)]).map_err(|e| words(&e))?;

    let consistent =
        penetrations(&positions, &bodies, DepthSettings::default()).map_err(|e| words(&e))?;
    let resolved: Vec<_> = consistent.resolved.iter().map(|r| (r.vertex, r.penetration)).collect();
    let mut overlaps = Overlaps::default();
    let mut scratch = Scratch::new(&positions, &bodies).map_err(|e| words(&e))?;
    scratch.overlaps(&positions, &bodies, &mut overlaps).map_err(|e| words(&e))?;
    let (mut found, nearest) = (Vec::new(), Nearest::new(&positions, &bodies));
    let mut nearest = nearest.map_err(|e| words(&e))?;
    nearest.penetrations(&positions, &bodies, &overlaps, &mut found).map_err(|e| words(&e))?;
    let closest: Vec<_> = found.iter().map(|c| (c.vertex, c.penetration)).collect();

    let inside = overlaps.vertices.len();
    let unresolved = consistent.unresolved.len();
    let heading = format!("A column 1.2 m deep in a block: {inside} vertices inside");
    let mut text = String::new();
    for (name, ways) in [("consistent", &resolved), ("closest feature", &closest)] {
        let deepest = ways.iter().map(|way| way.1.depth).fold(0.0, f64::max);
        let (torn, all) = torn_edges(&bodies, ways);
        let share = 100.0 * torn as f64 / all.max(1) as f64;
        text += &format!(
            "{name:<16} deepest {deepest:.3} m; {share:>4.1} % of neighbours disagree by over 45°\n"
        );
    }
    text += &format!("{DIM}{unresolved} unresolved; try `pliant depth A B` on two meshes{DIM:#}\n");
    Ok((heading, text))
}

/// Edges between two resolved vertices whose directions differ by more than 45°, and all.
fn torn_edges(bodies: &Bodies, ways: &[(VertexId, Penetration)]) -> (usize, usize) {
    let direction = |vertex: VertexId| {
        let place = ways.binary_search_by_key(&vertex, |way| way.0).ok()?;
        Some(ways[place].1.direction)
    };
    let (mut torn, mut all) = (0, 0);
    for &(vertex, penetration) in ways {
        let others = bodies.neighbours().row(vertex.index()).iter().filter(|n| **n > vertex);
        for other in others.filter_map(|&n| direction(n)) {
            all += 1;
            torn += usize::from(penetration.direction.dot(other) < std::f64::consts::FRAC_1_SQRT_2);
        }
    }
    (torn, all)
}
