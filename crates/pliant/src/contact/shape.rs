//! The surface of one body at one time, laid out for the search.
//!
//! Each triangle's corners and normal and each edge's sides are computed once per step, however
//! many neighbours need them. Flat edges can have no contact and are skipped, so of a block only
//! the twelve lines between its faces are tested, whatever its mesh.

use crate::body::Bodies;
use crate::contact::edges::EdgeGeometry;
use crate::contact::features::{Edge, Features};
use crate::detect::boxes::{Bounds, Layers, rounded};
use crate::id::{BodyId, VertexId, at};
use crate::math::{Aabb, Vec3, Vec4};
use crate::mesh::bvh::Bvh;
use crate::mesh::normals::face_normal;

/// A feature edge: a surface edge that is not flat.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FeatureEdge {
    /// Its index among the edges of the scene.
    pub edge: u32,
    /// Its ends and the corners beside it.
    pub side: EdgeGeometry,
    /// m.
    pub length: f64,
}

impl FeatureEdge {
    /// The box around it, m.
    #[inline]
    pub(crate) fn around(&self) -> Aabb {
        let [from, to] = self.side.ends;
        Aabb { min: from.min(to), max: from.max(to) }
    }
}

/// Triangles of a body where they are now.
#[derive(Clone, Debug, Default)]
pub struct Facets {
    /// Index of the first triangle among those of the scene.
    pub(crate) first: usize,
    /// Corners of each triangle, world space, m.
    pub(crate) corners: Vec<[Vec3; 3]>,
    /// Boxes of the triangles, counted within the body.
    pub(crate) tree: Bvh,
    /// Number of triangles.
    count: usize,
}

impl Facets {
    /// The triangles of a body; `rest` decides which are next to each other.
    ///
    /// None of an unknown body. Corners that `rest` lacks are NaN.
    pub fn new(rest: &[Vec3], bodies: &Bodies, body: BodyId) -> Facets {
        let triangles = bodies.triangles_of(body);
        let own = bodies.triangles()[triangles.clone()].iter();
        let corners: Vec<[Vec3; 3]> = own.map(|corners| corners.map(|v| at(rest, v))).collect();
        let boxes: Vec<Aabb> = corners.iter().map(|corners| Aabb::around(*corners)).collect();
        Facets { first: triangles.start, corners, tree: Bvh::new(&boxes), count: triangles.len() }
    }

    /// Index of the first triangle among those of the scene.
    pub fn first(&self) -> usize {
        self.first
    }

    /// Corners of each triangle where it was fitted last, world space, m.
    pub fn corners(&self) -> &[[Vec3; 3]] {
        &self.corners
    }

    /// Boxes of the triangles, counted within the body.
    pub fn tree(&self) -> &Bvh {
        &self.tree
    }

    /// Updates to the present positions; corners that are lacking are NaN.
    pub fn fit(&mut self, positions: &[Vec3], bodies: &Bodies) {
        let Facets { first, corners, tree, count } = self;
        corners.clear();
        let triangles = bodies.triangles().get(*first..*first + *count).unwrap_or_default();
        corners.extend(
            triangles
                .iter()
                .map(|&[a, b, c]| [at(positions, a), at(positions, b), at(positions, c)]),
        );
        corners.resize(*count, [Vec3::NAN; 3]);
        tree.refit(|k| {
            let [a, b, c] = corners[k as usize];
            Aabb { min: a.min(b).min(c), max: a.max(b).max(c) }
        });
    }
}

/// Triangles and edges of a body where they are now.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shape {
    /// Its triangles.
    pub facets: Facets,
    /// Feature edges; near ones are near each other in the list.
    pub feature_edges: Vec<FeatureEdge>,
    /// Their boxes, m from the origin given.
    pub boxes: Layers,
    /// Length of the longest of them, m.
    pub longest: f64,
    /// Flat edges; feature edges of others meet them where these are longer, or they are bent.
    pub flat_edges: Vec<FeatureEdge>,
    /// Their boxes, m from the origin given.
    pub flat_boxes: Layers,
    /// Length of the shortest of them, m; infinite without any.
    pub shortest_flat: f64,
    /// Height of the highest of them above its faces, m, as soft faces bend where they are pressed.
    pub highest_flat: f64,
    /// Length of the longest edge of all, m.
    pub longest_of_all: f64,
    /// Unit normal of each triangle; `None` without area.
    normals: Vec<Option<Vec3>>,
    /// All edges, by their numbers in the scene; near ones near each other.
    order: Vec<u32>,
}

impl Shape {
    /// The shape of a body; `rest` decides which edges are next to each other.
    pub(crate) fn new(rest: &[Vec3], bodies: &Bodies, features: &Features, body: BodyId) -> Shape {
        let at = |v: VertexId| rest[v.index()];
        let edges = features.edges_of(body);
        let lines = features.edges[edges.clone()].iter().map(|e| Aabb::around(e.ends.map(at)));
        let mut order = Vec::with_capacity(edges.len());
        let everything = Aabb { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY };
        Bvh::new(&lines.collect::<Vec<_>>()).meeting(everything, |k| {
            order.push(edges.start as u32 + k);
            true
        });
        Shape { facets: Facets::new(rest, bodies, body), order, ..Shape::default() }
    }

    /// Moves on to other numbers of its triangles and edges, as of a body in another scene.
    ///
    /// It must be fitted before it is used again.
    pub(crate) fn renumber(
        &mut self,
        triangle: impl Fn(usize) -> usize,
        edge: impl Fn(u32) -> u32,
    ) {
        self.facets.first = triangle(self.facets.first);
        self.order.iter_mut().for_each(|number| *number = edge(*number));
        self.feature_edges.clear();
        self.boxes.clear();
        self.longest = 0.0;
    }

    /// All that does not change from step to step, to be compared.
    #[cfg(test)]
    pub(crate) fn structure(&self) -> String {
        let Shape { facets: Facets { first, tree, count, .. }, order, .. } = self;
        let items: Vec<&[u32]> =
            (0..tree.node_count()).map(|node| tree.items_below(node)).collect();
        format!("{first} {count} {items:?} {order:?}")
    }

    /// Updates to the present positions; boxes of edges are measured from `origin`.
    pub(crate) fn fit(
        &mut self,
        positions: &[Vec3],
        bodies: &Bodies,
        features: &Features,
        origin: Vec3,
    ) {
        let Shape { facets, feature_edges, boxes, longest, normals, order, .. } = self;
        let Shape { flat_edges, flat_boxes, shortest_flat, longest_of_all, .. } = self;
        let Shape { highest_flat, .. } = self;
        *highest_flat = 0.0;
        facets.fit(positions, bodies);
        let first = facets.first;
        normals.clear();
        normals.extend(facets.corners.iter().map(|&triangle| face_normal(triangle)));
        feature_edges.clear();
        boxes.clear();
        flat_edges.clear();
        flat_boxes.clear();
        (*longest, *longest_of_all, *shortest_flat) = (0.0, 0.0, f64::INFINITY);
        for &edge in &*order {
            let Edge { ends: [from, to], tips: [left, right], triangles: [one, other] } =
                features.edges[edge as usize];
            let beside = (normals[one.index() - first], normals[other.index() - first]);
            let (Some(one), Some(other)) = beside else { continue };
            let ends = [positions[from.index()], positions[to.index()]];
            let tips = [positions[left.index()], positions[right.index()]];
            let side = EdgeGeometry::new(ends, tips, [one, other]);
            let feature_edge = FeatureEdge { edge, side, length: ends[0].distance(ends[1]) };
            *longest_of_all = longest_of_all.max(feature_edge.length);
            if side.is_flat() {
                *highest_flat = highest_flat.max(side.rise());
                *shortest_flat = shortest_flat.min(feature_edge.length);
                flat_boxes.push(seen(feature_edge.around(), origin));
                flat_edges.push(feature_edge);
                continue;
            }
            *longest = longest.max(feature_edge.length);
            boxes.push(seen(feature_edge.around(), origin));
            feature_edges.push(feature_edge);
        }
        boxes.close();
        flat_boxes.close();
    }
}

/// A box in f32, m from an origin; conservative under closed comparisons.
#[inline]
pub(crate) fn seen(space: Aabb, origin: Vec3) -> Bounds {
    // What no f32 can hold is at its end: infinite bounds would meet the places without a box.
    let held = |v: Vec3| rounded(v).clamp(Vec4::splat(f32::MIN), Vec4::splat(f32::MAX));
    Bounds { low: held(space.min - origin), high: held(space.max - origin) }
}

/// A box with a margin all around, m.
#[inline]
pub fn grown(space: Aabb, by: f64) -> Aabb {
    Aabb { min: space.min - Vec3::splat(by), max: space.max + Vec3::splat(by) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Mesh;
    use crate::mesh::generate::cuboid::cuboid;
    use crate::mesh::generate::lattice::TetSplit;
    use crate::mesh::tet::TetMesh;

    #[test]
    fn of_a_block_only_the_lines_between_faces_are_ridges() {
        let size = Vec3::new(1.0, 2.0, 3.0);
        let mesh = TetMesh::from_raw(cuboid([2; 3], size, TetSplit::Five).unwrap()).unwrap().0;
        let bodies = Bodies::from_meshes(&[Mesh::Tets(&mesh), Mesh::Tets(&mesh)]).unwrap();
        let rest = [mesh.positions(), mesh.positions()].concat();
        let features = Features::new(&rest, &bodies).unwrap();
        let mut shape = Shape::new(&rest, &bodies, &features, BodyId(1));
        for _ in 0..2 {
            shape.fit(&rest, &bodies, &features, Vec3::ZERO);
            // 12 lines of two edges each; the longest is half of the longest side.
            assert_eq!(
                (shape.feature_edges.len(), shape.boxes.len(), shape.longest),
                (24, 24, 1.5)
            );
        }
        let own = features.edges_of(BodyId(1));
        assert!(
            shape
                .feature_edges
                .iter()
                .all(|feature_edge| own.contains(&(feature_edge.edge as usize)))
        );
        assert_eq!(shape.facets.corners.len(), bodies.triangles_of(BodyId(1)).len());
    }
}
