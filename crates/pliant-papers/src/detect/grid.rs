//! Every vertex inside another body, by a uniform grid: the paper's stage 1.
//!
//! All vertices are sorted by cell; then every tet is tested against the vertices of the
//! cells that its box covers. Right for any tets: inverted, overlapping or flat ones.
//!
//! - Implements: [Heidelberger04 §3.2], both passes; [Teschner03 §4].
//! - Deviates: [Heidelberger04 §3.2] takes a vertex for colliding as soon as one tet
//!   holds it; here the tets that hold it decide together, see `union`.

use pliant::body::{Bodies, BodyKind};
use pliant::detect::cells::{Cells, Sorted};
use pliant::detect::{Overlaps, brute, union};
use pliant::id::{BodyId, TetId, VertexId};
use pliant::math::{Aabb, Vec3};

/// Every vertex that is inside another body.
///
/// Vertices without an edge are ignored.
pub fn overlaps(positions: &[Vec3], bodies: &Bodies) -> Overlaps {
    let scene = Scene::new(positions, bodies);
    let mut pairs = scene.inside_tets();
    pairs.extend(scene.inside_surfaces());
    pairs.sort_unstable();
    Overlaps::from_sorted(&pairs)
}

/// The vertices of a scene in a grid.
struct Scene<'a> {
    positions: &'a [Vec3],
    bodies: &'a Bodies,
    /// Body of each vertex.
    owners: Vec<BodyId>,
    cells: Cells,
    points: Sorted,
}

impl<'a> Scene<'a> {
    /// First pass: all vertices into cells.
    fn new(positions: &'a [Vec3], bodies: &'a Bodies) -> Scene<'a> {
        let owners = bodies.ids().flat_map(|body| bodies.vertices(body).map(move |_| body));
        let owners: Vec<BodyId> = owners.collect();
        let cells = Cells::new(positions, bodies);
        let used = (0..bodies.vertex_count()).filter(|&v| bodies.takes_part(owners[v], v));
        let points = Sorted::new(used.map(|v| (cells.cell(positions[v]), v as u32)).collect());
        Scene { positions, bodies, owners, cells, points }
    }

    /// Second pass: every tet against the vertices of its cells.
    fn inside_tets(&self) -> Vec<(VertexId, BodyId)> {
        let mut hits: Vec<(VertexId, BodyId, TetId)> = Vec::new();
        for body in self.bodies.ids() {
            for index in self.bodies.tets_of(body) {
                let tet = self.bodies.tets()[index];
                let corners = tet.map(|v| self.positions[v.index()]);
                self.strangers_in(Aabb::around(corners), body, |vertex| {
                    if union::is_held(self.positions[vertex.index()], self.positions, tet) {
                        hits.push((vertex, body, TetId(index as u32)));
                    }
                });
            }
        }
        hits.sort_unstable();
        let mut found = Vec::new();
        let mut holders = Vec::new();
        for same in hits.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let (vertex, body, _) = same[0];
            holders.clear();
            holders.extend(same.iter().map(|hit| self.bodies.tets()[hit.2.index()]));
            if union::is_inside(self.positions[vertex.index()], self.positions, &holders) {
                found.push((vertex, body));
            }
        }
        found
    }

    /// Surfaces have no tets to sort: each is tested against the vertices in its box.
    fn inside_surfaces(&self) -> Vec<(VertexId, BodyId)> {
        let mut found = Vec::new();
        for body in self.bodies.ids().filter(|&b| self.bodies.kind(b) == BodyKind::Surface) {
            let triangles = &self.bodies.triangles()[self.bodies.triangles_of(body)];
            let corners = triangles.iter().flatten().map(|v| self.positions[v.index()]);
            self.strangers_in(Aabb::around(corners), body, |vertex| {
                let point = self.positions[vertex.index()];
                if brute::is_inside(point, self.positions, self.bodies, body) {
                    found.push((vertex, body));
                }
            });
        }
        found
    }

    /// Calls `found` with every vertex in a box that belongs to another body.
    fn strangers_in(&self, around: Aabb, own: BodyId, mut found: impl FnMut(VertexId)) {
        self.points.within(self.cells.block(around), |_, vertex| {
            let vertex = VertexId(vertex);
            if self.owners[vertex.index()] != own && around.contains(self.positions[vertex.index()])
            {
                found(vertex);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::mesh::generate::cuboid::cuboid;
    use pliant::mesh::generate::lattice::TetSplit;

    /// Vertices of a small cube, whose middle is at `at`, that are inside a cube of 2 m.
    #[track_caller]
    fn check(at: [f64; 3], expected: usize) {
        for (scale, far) in [(1.0, 0.0), (1e-6, 0.0), (1.0, 1e12), (1e12, 0.0)] {
            let large = cuboid([2; 3], Vec3::splat(2.0), TetSplit::Six).unwrap();
            let small = cuboid([2; 3], Vec3::ONE, TetSplit::Five).unwrap();
            let moved = small.positions.iter().map(|&p| p + Vec3::from(at));
            let positions = large.positions.iter().copied().chain(moved);
            let positions: Vec<_> = positions.map(|p| scale * p + Vec3::splat(far)).collect();
            let counts = [large.positions.len(), small.positions.len()];
            let bodies =
                Bodies::from_tets(&[(counts[0], &large.tets), (counts[1], &small.tets)]).unwrap();
            let found = overlaps(&positions, &bodies);
            let own = found.vertices.iter().filter(|v| v.index() >= counts[0]).count();
            assert_eq!(own, expected, "{scale} {far}");
            assert_eq!(found, brute::overlaps(&positions, &bodies));
        }
    }

    #[test]
    fn vertices_on_inner_faces_are_inside_and_on_the_surface_not() {
        check([0.0; 3], 27);
        check([0.5, 0.0, 0.0], 18); // one layer of nine lies on the surface
        check([0.5, 0.5, 0.5], 8);
        check([1.0, 0.0, 0.0], 9);
        check([1.5, 0.0, 0.0], 0);
    }

    #[test]
    fn one_huge_tet_among_small_ones_costs_no_walk_through_its_cells() {
        let small = cuboid([3; 3], Vec3::splat(1e-6), TetSplit::Six).unwrap();
        let huge = [Vec3::splat(-1e6), Vec3::X * 4e6, Vec3::Y * 4e6, Vec3::Z * 4e6];
        let positions = [small.positions.clone(), huge.to_vec()].concat();
        let tet = [[0, 1, 2, 3].map(VertexId)];
        let bodies = Bodies::from_tets(&[(64, &small.tets), (4, &tet)]).unwrap();
        assert_eq!(overlaps(&positions, &bodies).vertices.len(), 64);
    }

    #[test]
    fn points_of_a_cloud_are_found_by_all_ways() {
        use pliant::body::Mesh;
        use pliant::depth::fused::Scratch;
        use pliant::mesh::tet::TetMesh;
        let block = TetMesh::from_raw(cuboid([2; 3], Vec3::ONE, TetSplit::Six).unwrap()).unwrap().0;
        let bodies = Bodies::from_meshes(&[Mesh::Tets(&block), Mesh::Particles(3)]).unwrap();
        let middle = block.positions().iter().sum::<Vec3>() / 27.0;
        let points = [middle, middle + 9.0 * Vec3::X, middle + 0.3 * Vec3::ONE];
        let positions = [block.positions(), &points].concat();
        let inside = [27, 29].map(|v| (VertexId(v), BodyId(0)));
        let expected = Overlaps::from_sorted(&inside);
        assert_eq!(overlaps(&positions, &bodies), expected);
        assert_eq!(brute::overlaps(&positions, &bodies), expected);
        let mut found = Overlaps::default();
        let mut scratch = Scratch::new(&positions, &bodies).unwrap();
        scratch.overlaps(&positions, &bodies, &mut found).unwrap();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_vertex_without_an_edge_takes_no_part() {
        let block = cuboid([1; 3], Vec3::ONE, TetSplit::Six).unwrap();
        let tet = [[0, 1, 2, 3].map(VertexId)];
        let bodies = Bodies::from_tets(&[(8, &block.tets), (5, &tet)]).unwrap();
        let mut positions = block.positions;
        positions.extend([Vec3::X, Vec3::Y, Vec3::Z, Vec3::ONE].map(|p| 9.0 + p));
        positions.push(Vec3::ZERO);
        assert_eq!(overlaps(&positions, &bodies), Overlaps::from_sorted(&[]));
        assert_eq!(brute::overlaps(&positions, &bodies), Overlaps::from_sorted(&[]));
    }
}
