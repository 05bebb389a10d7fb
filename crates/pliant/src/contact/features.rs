//! Surface edges with the two triangles beside them, and the size of each body.

use crate::body::{Bodies, BodyKind};
use crate::id::{BodyId, MismatchError, TriangleId, VertexId};
use crate::math::{Aabb, Vec3};
use crate::mesh::runs::{Runs, append_starts};

/// Shortest side of a box, relative to its longest, below which a body is flat.
const FLAT: f64 = 1e-6;

/// A surface edge between two triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Its ends, ascending.
    pub ends: [VertexId; 2],
    /// The corners opposite to it, one in each triangle.
    pub tips: [VertexId; 2],
    /// The triangles, ascending.
    pub triangles: [TriangleId; 2],
}

/// Contact features of a scene, which do not change while bodies move.
#[derive(Clone, Debug, Default)]
pub struct Features {
    /// Surface edges of all bodies, body after body.
    pub edges: Vec<Edge>,
    /// First edge of each body, and one past the last of all.
    pub edge_starts: Vec<usize>,
    /// Surface vertices of all bodies, body after body.
    pub surface: Vec<VertexId>,
    /// First surface vertex of each body, and one past the last of all.
    pub surface_starts: Vec<usize>,
    /// Size of each body: the smallest side of its box at rest, m.
    pub sizes: Vec<f64>,
}

impl Features {
    /// The features of a scene; sizes are measured in `rest`, one position for each vertex.
    ///
    /// Edges with more or fewer than two triangles are skipped.
    pub fn new(rest: &[Vec3], bodies: &Bodies) -> Result<Features, MismatchError> {
        bodies.check_count("positions at rest", rest.len())?;
        let mut features = Features::default();
        let mut sides: Vec<([VertexId; 2], VertexId, TriangleId)> = Vec::new();
        for body in bodies.ids() {
            features.edge_starts.push(features.edges.len());
            features.surface_starts.push(features.surface.len());
            sides.clear();
            for triangle in bodies.triangles_of(body) {
                let [a, b, c] = bodies.triangles()[triangle];
                for (from, to, tip) in [(a, b, c), (b, c, a), (c, a, b)] {
                    let ends = [from.min(to), from.max(to)];
                    sides.push((ends, tip, TriangleId(triangle as u32)));
                }
            }
            sides.sort_unstable_by_key(|side| (side.0, side.2));
            for group in sides.chunk_by(|a, b| a.0 == b.0) {
                if let [(ends, tip, first), (_, other_tip, second)] = *group {
                    let (tips, triangles) = ([tip, other_tip], [first, second]);
                    features.edges.push(Edge { ends, tips, triangles });
                }
            }
            let first = features.surface.len();
            features.surface.extend(sides.iter().flat_map(|side| side.0));
            features.surface[first..].sort_unstable();
            dedup_from(&mut features.surface, first);
            features.sizes.push(size(rest, bodies, body));
        }
        features.edge_starts.push(features.edges.len());
        features.surface_starts.push(features.surface.len());
        Ok(features)
    }

    /// Keeps the features of some bodies, whose vertices and triangles decrease by these shifts.
    pub(crate) fn keep(&mut self, kept: &Runs, vertex_shifts: &[u32], triangle_shifts: &[u32]) {
        let edges = kept.entries(&self.edge_starts);
        edges.keep(&mut self.edges, |run, edge| {
            let (vertex, triangle) = (vertex_shifts[run], triangle_shifts[run]);
            edge.ends.iter_mut().chain(&mut edge.tips).for_each(|v| v.0 -= vertex);
            edge.triangles.iter_mut().for_each(|t| t.0 -= triangle);
        });
        let surface = kept.entries(&self.surface_starts);
        surface.keep(&mut self.surface, |run, vertex| vertex.0 -= vertex_shifts[run]);
        kept.keep(&mut self.sizes, |_, _| {});
        kept.keep_starts(&mut self.edge_starts);
        kept.keep_starts(&mut self.surface_starts);
    }

    /// Appends the features of other bodies, whose first vertex and triangle these are.
    pub(crate) fn append(&mut self, other: &Features, vertex: u32, triangle: u32) {
        let global = |v: VertexId| VertexId(vertex + v.0);
        self.edges.extend(other.edges.iter().map(|edge| Edge {
            ends: edge.ends.map(global),
            tips: edge.tips.map(global),
            triangles: edge.triangles.map(|t| TriangleId(triangle + t.0)),
        }));
        self.surface.extend(other.surface.iter().map(|v| global(*v)));
        self.sizes.extend_from_slice(&other.sizes);
        append_starts(&mut self.edge_starts, &other.edge_starts);
        append_starts(&mut self.surface_starts, &other.surface_starts);
    }

    /// Indices of the edges of a body; none of an unknown one.
    pub fn edges_of(&self, body: BodyId) -> std::ops::Range<usize> {
        match (self.edge_starts.get(body.index()), self.edge_starts.get(body.index() + 1)) {
            (Some(&start), Some(&end)) => start..end,
            _ => 0..0,
        }
    }

    /// Surface vertices of a body, ascending.
    pub(crate) fn surface_of(&self, body: BodyId) -> &[VertexId] {
        &self.surface[self.surface_starts[body.index()]..self.surface_starts[body.index() + 1]]
    }
}

/// Drops repeated neighbours from an entry on.
fn dedup_from(list: &mut Vec<VertexId>, first: usize) {
    let mut kept = first;
    for place in first..list.len() {
        if kept == first || list[kept - 1] != list[place] {
            list[kept] = list[place];
            kept += 1;
        }
    }
    list.truncate(kept);
}

/// The smallest side of a body's box, or of a net its mean edge; positive.
fn size(rest: &[Vec3], bodies: &Bodies, body: BodyId) -> f64 {
    let vertices = bodies.vertices(body);
    let sides = Aabb::around(rest[vertices.clone()].iter().copied()).size();
    if bodies.kind(body) != BodyKind::SpringNetwork
        && sides.min_element() > FLAT * sides.max_element()
    {
        return sides.min_element();
    }
    let (mut sum, mut count) = (0.0, 0.0);
    for vertex in vertices {
        for other in bodies.neighbours().row(vertex) {
            sum += rest[vertex].distance(rest[other.index()]);
            count += 1.0;
        }
    }
    if sum > 0.0 { sum / count } else { sides.max_element().max(f64::MIN_POSITIVE) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Mesh;
    use crate::mesh::generate::cuboid::cuboid;
    use crate::mesh::generate::lattice::TetSplit;
    use crate::mesh::tet::TetMesh;

    #[test]
    fn a_block_has_its_edges_twice_bounded() {
        let size = Vec3::new(1.0, 2.0, 3.0);
        let mesh = TetMesh::from_raw(cuboid([1; 3], size, TetSplit::Six).unwrap()).unwrap().0;
        let bodies = Bodies::from_meshes(&[Mesh::Tets(&mesh), Mesh::Tets(&mesh)]).unwrap();
        let positions = [mesh.positions(), mesh.positions()].concat();
        let features = Features::new(&positions, &bodies).unwrap();
        // 12 triangles have 36 sides: 12 edges of the block and 6 diagonals, two sides each.
        assert_eq!(features.edge_starts, [0, 18, 36]);
        assert_eq!(features.surface_of(BodyId(1)).len(), 8);
        assert_eq!(features.surface_of(BodyId(1))[0], VertexId(8));
        assert_eq!(features.sizes, [1.0; 2]);
        for edge in &features.edges {
            for (triangle, tip) in edge.triangles.iter().zip(edge.tips) {
                let corners = bodies.triangles()[triangle.index()];
                assert!(corners.contains(&tip) && edge.ends.iter().all(|e| corners.contains(e)));
                assert!(!edge.ends.contains(&tip));
            }
        }
    }
}
