//! How much bodies overlap, exactly, whatever found or resolved it.
//!
//! Shares nothing with the fast path of `detect` but the exact predicates: points are
//! tested against the tets around them, edges against triangles, by trees of boxes.

use crate::body::{Bodies, BodyKind};
use crate::detect::{brute, union};
use crate::id::{BodyId, VertexId};
use crate::math::{Aabb, Vec3, orient3d};
use crate::mesh::bvh::Bvh;
use crate::mesh::closest::closest_point;
use crate::mesh::topology;

/// How far a scene is from being free of overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Overlap {
    /// Distinct vertices inside other bodies, those in the interior of theirs too, count.
    pub penetrating_vertices: usize,
    /// Pairs of a surface edge and a triangle of another body that it passes through, count.
    ///
    /// An edge that ends on the triangle's plane does not pass.
    pub edge_crossings: usize,
    /// Largest distance of a penetrating vertex to the surface it is behind, m.
    pub max_depth: f64,
    /// Tets with a negative volume, count.
    pub inverted_tets: usize,
}

/// What is kept from measurement to measurement.
#[derive(Debug)]
pub struct Measure {
    /// Of each body: its surface triangles, then its tets.
    trees: Vec<[Bvh; 2]>,
    /// Surface edges of each body.
    edges: Vec<Vec<[VertexId; 2]>>,
    boxes: Vec<Aabb>,
    /// Tets around a point.
    around: Vec<[VertexId; 4]>,
    inside: Vec<bool>,
}

impl Measure {
    /// Prepares for a scene, whose `positions` shape the trees.
    pub fn new(positions: &[Vec3], bodies: &Bodies) -> Measure {
        let boxes = |cells: &[[VertexId; 3]]| -> Vec<Aabb> {
            cells.iter().map(|cell| box_of(positions, cell)).collect()
        };
        let trees = bodies.ids().map(|body| {
            let tets = bodies.tets()[bodies.tets_of(body)].iter();
            let tet_boxes: Vec<_> = tets.map(|tet| box_of(positions, tet)).collect();
            [Bvh::new(&boxes(&bodies.triangles()[bodies.triangles_of(body)])), Bvh::new(&tet_boxes)]
        });
        let edges = bodies.ids().map(|body| {
            // Counted within the body: the search takes memory for every vertex below the last.
            let (vertices, triangles) = (bodies.vertices(body), bodies.triangles_of(body));
            let start = vertices.start as u32;
            let own =
                bodies.triangles()[triangles].iter().map(|t| t.map(|v| VertexId(v.0 - start)));
            let edges = topology::edges(vertices.len(), &own.collect::<Vec<_>>());
            edges.into_iter().map(|edge| edge.map(|v| VertexId(v.0 + start))).collect()
        });
        Measure {
            trees: trees.collect(),
            edges: edges.collect(),
            boxes: Vec::new(),
            around: Vec::new(),
            inside: Vec::new(),
        }
    }

    /// Measures the scene it was prepared for.
    pub fn measure(&mut self, positions: &[Vec3], bodies: &Bodies) -> Overlap {
        let mut found = Overlap::default();
        self.boxes.clear();
        self.boxes.extend(
            bodies.ids().map(|body| Aabb::around(positions[bodies.vertices(body)].iter().copied())),
        );
        self.inside.clear();
        self.inside.resize(positions.len(), false);
        for body in bodies.ids() {
            let mut is_fresh = false;
            for other in bodies.ids().filter(|other| *other != body) {
                let common = self.boxes[body.index()].intersection(self.boxes[other.index()]);
                if !self.boxes[body.index()].meets(self.boxes[other.index()])
                    || bodies.kind(body) == BodyKind::Net
                {
                    continue;
                }
                if !is_fresh {
                    self.refit(positions, bodies, body);
                    is_fresh = true;
                }
                self.count_inside(positions, bodies, [other, body], common, &mut found);
                found.edge_crossings += self.crossings(positions, bodies, [other, body], common);
            }
        }
        found.penetrating_vertices = self.inside.iter().filter(|inside| **inside).count();
        let volume = |tet: &[VertexId; 4]| {
            let [v0, v1, v2, v3] = tet.map(|v| positions[v.index()]);
            orient3d(v0, v1, v2, v3)
        };
        found.inverted_tets = bodies.tets().iter().filter(|tet| volume(tet) < 0.0).count();
        found
    }

    fn refit(&mut self, positions: &[Vec3], bodies: &Bodies, body: BodyId) {
        let [triangles, tets] = &mut self.trees[body.index()];
        let (first, first_tet) = (bodies.triangles_of(body).start, bodies.tets_of(body).start);
        triangles.refit(|k| box_of(positions, &bodies.triangles()[first + k as usize]));
        tets.refit(|k| box_of(positions, &bodies.tets()[first_tet + k as usize]));
    }

    /// Marks the vertices of `a` inside `b`, and finds the deepest.
    fn count_inside(
        &mut self,
        positions: &[Vec3],
        bodies: &Bodies,
        [a, b]: [BodyId; 2],
        common: Aabb,
        found: &mut Overlap,
    ) {
        for vertex in bodies.vertices(a) {
            let point = positions[vertex];
            let joined = !bodies.neighbours().row(vertex).is_empty();
            if joined && common.contains(point) && self.holds(positions, bodies, b, point) {
                self.inside[vertex] = true;
                let depth = self.depth(positions, bodies, b, point);
                found.max_depth = found.max_depth.max(depth);
            }
        }
    }

    fn holds(&mut self, positions: &[Vec3], bodies: &Bodies, body: BodyId, point: Vec3) -> bool {
        match bodies.kind(body) {
            BodyKind::Net => false,
            BodyKind::Surface => brute::is_inside(point, positions, bodies, body),
            BodyKind::Tets => {
                let (first, around) = (bodies.tets_of(body).start, &mut self.around);
                around.clear();
                let here = Aabb { min: point, max: point };
                self.trees[body.index()][1].meeting(here, |k| {
                    around.push(bodies.tets()[first + k as usize]);
                    true
                });
                !around.is_empty() && union::is_inside(point, positions, around)
            }
        }
    }

    /// Distance to the surface of a body, m.
    fn depth(&self, positions: &[Vec3], bodies: &Bodies, body: BodyId, point: Vec3) -> f64 {
        let first = bodies.triangles_of(body).start;
        let mut nearest_sq = f64::INFINITY;
        self.trees[body.index()][0].near(point, f64::INFINITY, |k| {
            let corners = bodies.triangles()[first + k as usize].map(|v| positions[v.index()]);
            nearest_sq = nearest_sq.min(closest_point(point, corners).distance_squared(point));
            nearest_sq
        });
        nearest_sq.sqrt()
    }

    /// Edges of `a` that pass through triangles of `b`, count of pairs.
    fn crossings(
        &self,
        positions: &[Vec3],
        bodies: &Bodies,
        [a, b]: [BodyId; 2],
        common: Aabb,
    ) -> usize {
        let first = bodies.triangles_of(b).start;
        let mut count = 0;
        for edge in &self.edges[a.index()] {
            let space = box_of(positions, edge);
            if !space.meets(common) {
                continue;
            }
            let ends = edge.map(|v| positions[v.index()]);
            self.trees[b.index()][0].meeting(space, |k| {
                let corners = bodies.triangles()[first + k as usize].map(|v| positions[v.index()]);
                count += usize::from(passes(ends, corners));
                true
            });
        }
        count
    }
}

fn box_of<const N: usize>(positions: &[Vec3], corners: &[VertexId; N]) -> Aabb {
    Aabb::around(corners.map(|v| positions[v.index()]))
}

/// Whether a segment leads from one side of a triangle's plane to the other, through it.
fn passes([p, q]: [Vec3; 2], [a, b, c]: [Vec3; 3]) -> bool {
    let (from, to) = (orient3d(a, b, c, p), orient3d(a, b, c, q));
    if from == 0.0 || to == 0.0 || (from > 0.0) == (to > 0.0) {
        return false;
    }
    let turns = [orient3d(p, q, a, b), orient3d(p, q, b, c), orient3d(p, q, c, a)];
    turns.iter().all(|turn| *turn >= 0.0) || turns.iter().all(|turn| *turn <= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Mesh;
    use crate::mesh::generate::cuboid::cuboid;
    use crate::mesh::generate::lattice::Cut;
    use crate::mesh::surface::Surface;
    use crate::mesh::tet::TetMesh;

    /// Two blocks, one of them moved; the second as tets or as a bare surface.
    fn blocks(size: Vec3, moved: Vec3, kind: BodyKind) -> (Vec<Vec3>, Bodies) {
        blocks_of(2, size, moved, kind)
    }

    /// The same, with this many cells along each side.
    fn blocks_of(cells: u32, size: Vec3, moved: Vec3, kind: BodyKind) -> (Vec<Vec3>, Bodies) {
        let make =
            |size| TetMesh::from_raw(cuboid([cells; 3], size, Cut::Five).unwrap()).unwrap().0;
        let (a, b) = (make(Vec3::ONE), make(size));
        let mut raw = b.clone().into_raw();
        (raw.triangles, raw.tets) = (b.surface().to_vec(), Vec::new());
        raw.regions.clear();
        let skin = Surface::from_raw(raw).unwrap().0;
        let second = if kind == BodyKind::Tets { Mesh::Tets(&b) } else { Mesh::Surface(&skin) };
        let bodies = Bodies::from_meshes(&[Mesh::Tets(&a), second]).unwrap();
        let there = match kind {
            BodyKind::Tets => b.positions(),
            _ => skin.positions(),
        };
        let moved = there.iter().map(|p| *p + moved);
        (a.positions().iter().copied().chain(moved).collect(), bodies)
    }

    fn measured((positions, bodies): &(Vec<Vec3>, Bodies)) -> Overlap {
        // Trees of another shape must give the same: they are fitted anew.
        let elsewhere: Vec<_> = positions.iter().rev().copied().collect();
        let found = Measure::new(positions, bodies).measure(positions, bodies);
        assert_eq!(Measure::new(&elsewhere, bodies).measure(positions, bodies), found);
        found
    }

    #[test]
    fn bodies_apart_or_touching_do_not_overlap() {
        for kind in [BodyKind::Tets, BodyKind::Surface] {
            for way in [1.0, 1.5] {
                let scene = blocks(Vec3::ONE, way * Vec3::X, kind);
                assert_eq!(measured(&scene), Overlap::default(), "{way} {kind:?}");
            }
        }
    }

    #[test]
    fn a_corner_in_a_corner_is_one_vertex_each() {
        for kind in [BodyKind::Tets, BodyKind::Surface] {
            let found = measured(&blocks(Vec3::ONE, Vec3::new(0.9, 0.8, 0.7), kind));
            assert_eq!(found.penetrating_vertices, 2);
            assert!((found.max_depth - 0.1).abs() < 1e-12, "{found:?}");
            // Three edges and the diagonals of the faces between them leave each corner.
            assert!(found.edge_crossings >= 6, "{found:?}");
            assert_eq!(found.inverted_tets, 0);
        }
    }

    #[test]
    fn crossing_bars_have_crossings_and_no_vertex_inside() {
        let beam = Vec3::new(3.0, 0.3, 0.3);
        let found = measured(&blocks_of(1, beam, Vec3::new(0.03, 0.02, 0.01), BodyKind::Tets));
        assert_eq!((found.penetrating_vertices, found.max_depth), (0, 0.0));
        // Four long edges and four diagonals along the beam, each into the block and out.
        assert!(found.edge_crossings >= 8, "{found:?}");
    }

    #[test]
    fn vertices_agree_with_testing_all_against_all() {
        for step in 0..12 {
            let moved = Vec3::new(0.11, 0.07, 0.05) * f64::from(step);
            let scene = blocks(Vec3::new(1.3, 0.9, 0.8), moved, BodyKind::Tets);
            let expected = brute::overlaps(&scene.0, &scene.1).vertices.len();
            assert_eq!(measured(&scene).penetrating_vertices, expected, "{moved}");
        }
    }

    #[test]
    fn a_tet_turned_inside_out_is_counted() {
        let mut scene = blocks(Vec3::ONE, 5.0 * Vec3::X, BodyKind::Tets);
        scene.0[0] = Vec3::splat(0.9);
        assert!(measured(&scene).inverted_tets > 0);
    }
}
