//! Whether triangles bound a body: closed, manifold, consistently wound.

use crate::id::{TriangleId, VertexId};
use crate::math::Vec3;
use crate::mesh::intersect::is_degenerate;
use crate::mesh::topology::{Csr, Groups, cells_of_vertices};

/// Where a triangle surface fails to be a closed manifold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SurfaceTopology {
    /// Edges with an odd number of triangles, mostly one: the rim of a hole.
    pub open: Vec<[VertexId; 2]>,
    /// Edges with more than two triangles.
    pub non_manifold: Vec<[VertexId; 2]>,
    /// Edges with an even number of triangles, not half of them each way.
    pub inconsistent: Vec<[VertexId; 2]>,
    /// Vertices whose triangles form more than one fan.
    pub pinched: Vec<VertexId>,
}

impl SurfaceTopology {
    /// Whether the surface is closed and consistently wound.
    pub(crate) fn is_oriented(&self) -> bool {
        self.open.is_empty() && self.inconsistent.is_empty()
    }
}

/// Finds every edge and vertex where the surface is not a manifold.
///
/// Edges come smaller vertex first, all lists ascending. A triangle that uses a vertex
/// twice is ignored.
pub(crate) fn form(vertex_count: usize, triangles: &[[VertexId; 3]]) -> SurfaceTopology {
    let simple = |t: &&[VertexId; 3]| t[0] != t[1] && t[1] != t[2] && t[2] != t[0];
    let triangles: Vec<_> = triangles.iter().filter(simple).copied().collect();
    let mut found = SurfaceTopology::default();

    // Each edge as (smaller end, (larger end, whether it runs downward)).
    let runs = triangles.iter().flat_map(|t| {
        (0..3).map(move |k| {
            let (a, b) = (t[k], t[(k + 1) % 3]);
            (a.min(b).0, (a.max(b), a > b))
        })
    });
    let by_smaller = Csr::from_pairs(vertex_count, runs);
    let mut row = Vec::new();
    for (a, ends) in by_smaller.iter().enumerate() {
        row.clear();
        row.extend_from_slice(ends);
        row.sort_unstable();
        for same in row.chunk_by(|p, q| p.0 == q.0) {
            let edge = [VertexId(a as u32), same[0].0];
            let down = same.iter().filter(|run| run.1).count();
            if same.len() % 2 == 1 {
                found.open.push(edge);
            } else if 2 * down != same.len() {
                found.inconsistent.push(edge);
            }
            if same.len() > 2 {
                found.non_manifold.push(edge);
            }
        }
    }

    let around = cells_of_vertices(vertex_count, &triangles);
    for (index, cells) in around.iter().enumerate() {
        let vertex = VertexId(index as u32);
        if fans(vertex, cells, &triangles) > 1 {
            found.pinched.push(vertex);
        }
    }
    found
}

/// Triangles without area, exactly; those with non-finite corners are skipped.
pub(crate) fn degenerate(positions: &[Vec3], triangles: &[[VertexId; 3]]) -> Vec<TriangleId> {
    let flat = |triangle: &[VertexId; 3]| {
        let corners = triangle.map(|v| positions[v.index()]);
        corners.iter().all(|c| c.is_finite()) && is_degenerate(corners)
    };
    let ids = (0..triangles.len() as u32).map(TriangleId);
    ids.filter(|id| flat(&triangles[id.index()])).collect()
}

/// Reverses the winding of every triangle.
pub(crate) fn turn(triangles: &mut [[VertexId; 3]]) {
    for triangle in triangles {
        triangle.swap(1, 2);
    }
}

/// Number of fans that the triangles around a vertex form through common edges.
fn fans(vertex: VertexId, cells: &[u32], triangles: &[[VertexId; 3]]) -> usize {
    let mut groups = Groups::new(cells.len());
    let mut spokes: Vec<(VertexId, u32)> = Vec::with_capacity(2 * cells.len());
    for (place, &cell) in cells.iter().enumerate() {
        let others = triangles[cell as usize].into_iter().filter(|v| *v != vertex);
        spokes.extend(others.map(|other| (other, place as u32)));
    }
    spokes.sort_unstable();
    for pair in spokes.windows(2) {
        if pair[0].0 == pair[1].0 {
            groups.join(pair[0].1, pair[1].1);
        }
    }
    (0..cells.len() as u32).filter(|&place| groups.root(place) == place).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn surface(corners: &[[u32; 3]]) -> Vec<[VertexId; 3]> {
        corners.iter().map(|triangle| triangle.map(VertexId)).collect()
    }

    /// A tet's surface, outward for a positive tet.
    fn tet(v: [u32; 4]) -> Vec<[VertexId; 3]> {
        (0..4).map(|face| crate::mesh::topology::tet_face(v.map(VertexId), face)).collect()
    }

    #[test]
    fn a_closed_surface_has_no_fault() {
        let found = form(4, &tet([0, 1, 2, 3]));
        assert_eq!(found, SurfaceTopology::default());
        assert!(found.is_oriented());
    }

    #[test]
    fn a_hole_has_an_open_rim() {
        let found = form(4, &tet([0, 1, 2, 3])[1..]);
        assert_eq!(found.open, [[1, 2], [1, 3], [2, 3]].map(|e| e.map(VertexId)));
    }

    #[test]
    fn a_turned_triangle_disagrees_along_its_edges() {
        let mut triangles = tet([0, 1, 2, 3]);
        turn(&mut triangles[..1]);
        let found = form(4, &triangles);
        assert_eq!(found.inconsistent, [[1, 2], [1, 3], [2, 3]].map(|e| e.map(VertexId)));
        assert!(!found.is_oriented());
    }

    #[test]
    fn two_tets_on_an_edge_and_on_a_corner() {
        let on_edge = [tet([0, 1, 2, 3]), tet([0, 1, 4, 5])].concat();
        let found = form(6, &on_edge);
        assert_eq!(found.non_manifold, [[VertexId(0), VertexId(1)]]);
        assert!(found.is_oriented());
        assert!(found.pinched.is_empty()); // the common edge joins their fans
        let on_corner = [tet([0, 1, 2, 3]), tet([0, 4, 5, 6])].concat();
        let found = form(7, &on_corner);
        assert_eq!((found.non_manifold.len(), found.pinched), (0, vec![VertexId(0)]));
    }

    #[test]
    fn a_fin_leaves_its_foot_and_rim_open() {
        let fin = [tet([0, 1, 2, 3]), surface(&[[0, 1, 4]])].concat();
        let found = form(5, &fin);
        assert_eq!(found.open, [[0, 1], [0, 4], [1, 4]].map(|e| e.map(VertexId)));
        assert_eq!(found.non_manifold, [[VertexId(0), VertexId(1)]]);
    }

    #[test]
    fn triangles_without_area_are_found_exactly() {
        let positions = [Vec3::ZERO, Vec3::ONE, Vec3::ONE * 3.0, Vec3::X, Vec3::NAN];
        let triangles = surface(&[[0, 1, 2], [0, 1, 3], [0, 0, 1], [0, 1, 4]]);
        assert_eq!(degenerate(&positions, &triangles), [TriangleId(0), TriangleId(2)]);
        assert_eq!(form(5, &surface(&[[0, 0, 1]])), SurfaceTopology::default());
    }
}
