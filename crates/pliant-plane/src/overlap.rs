//! How much outlines in the plane overlap, exactly.
//!
//! Every vertex and segment near another outline is tested by itself, with exact predicates.

use crate::brute::{PointLocation, nearest, spot};
use crate::outline::Outlines;
use crate::pairs::NearPairs;
use crate::rect::Rect;
use pliant::body::{Bodies, BodyKind};
use pliant::id::{BodyId, VertexId};
use pliant::math::{Vec2, Vec3, orient2d};

use pliant::record::overlap::{self, Overlap};

/// Overlap of a whole scene: bodies in space and outlines in the plane.
#[derive(Debug)]
pub struct Measure {
    space: overlap::Measure,
    plane: Flat,
}

impl Measure {
    /// Prepares for a scene, whose `positions` shape the trees.
    pub fn new(positions: &[Vec3], bodies: &Bodies) -> Measure {
        Measure {
            space: overlap::Measure::new(positions, bodies),
            plane: Flat::new(positions, bodies),
        }
    }

    /// The same without some pairs of bodies in space, see [`overlap::Measure::leaving_out`].
    pub fn leaving_out(self, pairs: Vec<(BodyId, BodyId)>) -> Measure {
        Measure { space: self.space.leaving_out(pairs), ..self }
    }

    /// Vertices inside other bodies when it was last measured: those in space, then those of
    /// outlines.
    pub fn penetrating(&self) -> impl Iterator<Item = VertexId> {
        let set = |(k, inside): (usize, &bool)| inside.then_some(k);
        let space = self.space.penetrating().iter().enumerate().filter_map(set);
        let plane = self.plane.inside.iter().enumerate().filter_map(set);
        let plane = plane.filter_map(|point| self.plane.vertices.get(point).copied());
        space.map(|vertex| VertexId(vertex as u32)).chain(plane)
    }

    /// Pairs of bodies in space whose edges crossed when it was last measured.
    pub fn crossing_pairs(&self) -> &[(BodyId, BodyId)] {
        self.space.crossing_pairs()
    }

    /// Depths of vertices in space, see [`overlap::Measure::depths`]; NaN of those of outlines that
    /// are inside others.
    pub fn depths(&mut self, positions: &[Vec3], bodies: &Bodies, depths: &mut Vec<f64>) {
        self.space.depths(positions, bodies, depths);
        for (vertex, _) in self.plane.vertices.iter().zip(&self.plane.inside).filter(|(_, i)| **i) {
            depths[vertex.index()] = f64::NAN;
        }
    }

    /// Measures the scene it was prepared for; allocates the first few times.
    pub fn measure(&mut self, positions: &[Vec3], bodies: &Bodies) -> Overlap {
        let mut overlap = self.space.measure(positions, bodies);
        self.plane.measure(positions, &mut overlap);
        overlap
    }
}

/// Measures the overlap of outlines; keeps its memory from call to call.
#[derive(Debug, Default)]
struct Flat {
    outlines: Outlines,
    /// Vertex of each point.
    vertices: Vec<VertexId>,
    /// Which outlines may meet.
    near: NearPairs,
    /// For each point whether it is inside another outline.
    inside: Vec<bool>,
    /// Segments of the second outline of a pair near the first.
    candidates: Vec<usize>,
}

impl Flat {
    /// Prepares for the outlines of a scene; those with invalid rings count as free.
    pub fn new(positions: &[Vec3], bodies: &Bodies) -> Flat {
        let mut flat = Flat::default();
        for body in bodies.ids().filter(|body| bodies.kind(*body) == BodyKind::Outline) {
            let place = |v: &VertexId| positions[v.index()].truncate();
            let rings: Vec<Vec<Vec2>> =
                bodies.rings(body).iter().map(|ring| ring.iter().map(place).collect()).collect();
            if flat.outlines.push_given(&rings).is_ok() {
                flat.vertices.extend(bodies.rings(body).iter().flatten());
            }
        }
        flat
    }

    /// Adds what is found to an overlap.
    pub fn measure(&mut self, positions: &[Vec3], overlap: &mut Overlap) {
        if self.outlines.is_empty() {
            return;
        }
        for (point, vertex) in self.outlines.points_mut().iter_mut().zip(&self.vertices) {
            *point = positions[vertex.index()].truncate();
        }
        self.near.find(&self.outlines, 0.0);
        self.inside.clear();
        self.inside.resize(self.vertices.len(), false);
        for k in 0..self.near.pairs().len() {
            let [a, b] = [self.near.pairs()[k].a, self.near.pairs()[k].b].map(|o| o as usize);
            overlap.edge_crossings += self.crossings(a, b);
            for (own, other) in [(a, b), (b, a)] {
                overlap.max_depth = overlap.max_depth.max(self.look(own, other));
            }
        }
        overlap.penetrating_vertices += self.inside.iter().filter(|inside| **inside).count();
    }

    /// Marks the vertices of one outline inside another; returns the largest depth, m.
    fn look(&mut self, own: usize, other: usize) -> f64 {
        let around = self.near.boxes()[other];
        let mut deepest = 0.0_f64;
        for at in self.outlines.range(own) {
            let point = self.outlines.points()[at];
            if around.contains(point) && spot(&self.outlines, other, point) == PointLocation::Inside
            {
                self.inside[at] = true;
                let depth = nearest(&self.outlines, other, point).map_or(0.0, |(_, depth)| depth);
                deepest = deepest.max(depth);
            }
        }
        deepest
    }

    /// Number of pairs of segments of two outlines that pass through each other.
    fn crossings(&mut self, a: usize, b: usize) -> usize {
        let Flat { outlines, near, candidates, .. } = self;
        let is_near = |at: usize, other: &Rect| Rect::of(outlines.segment(at)).meets(other);
        candidates.clear();
        candidates.extend(outlines.range(b).filter(|at| is_near(*at, &near.boxes()[a])));
        let own = outlines.range(a).filter(|at| is_near(*at, &near.boxes()[b]));
        own.map(|at| {
            let passed = candidates
                .iter()
                .filter(|other| pass(outlines.segment(at), outlines.segment(**other)));
            passed.count()
        })
        .sum()
    }
}

/// Whether two segments pass through each other in their interiors; exact.
fn pass([a0, a1]: [Vec2; 2], [b0, b1]: [Vec2; 2]) -> bool {
    let differ = |p: f64, q: f64| (p > 0.0 && q < 0.0) || (p < 0.0 && q > 0.0);
    differ(orient2d(a0, a1, b0), orient2d(a0, a1, b1))
        && differ(orient2d(b0, b1, a0), orient2d(b0, b1, a1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::body::Mesh;

    fn square(corner: [f64; 2], side: f64) -> [Vec3; 4] {
        let [x, y] = corner;
        [(0.0, 0.0), (side, 0.0), (side, side), (0.0, side)]
            .map(|(u, v)| Vec3::new(x + u, y + v, 0.0))
    }

    #[track_caller]
    fn check(corners: [[f64; 2]; 2], vertices: usize, crossings: usize, depth: f64) {
        let ring = [(0..4).map(VertexId).collect::<Vec<_>>()];
        let bodies = Bodies::from_meshes(&[Mesh::Outline(4, &ring); 2]).unwrap();
        for [a, b] in [corners, [corners[1], corners[0]]] {
            let positions = [square(a, 2.0), square(b, 2.0)].concat();
            let found = Measure::new(&positions, &bodies).measure(&positions, &bodies);
            let found = (found.penetrating_vertices, found.edge_crossings, found.max_depth);
            assert_eq!(found, (vertices, crossings, depth), "{a:?} {b:?}");
        }
    }

    #[test]
    fn vertices_crossings_and_depth_are_those_of_two_squares() {
        check([[0.0, 0.0], [1.5, 1.25]], 2, 2, 0.5); // a corner each, half a metre deep
        check([[0.0, 0.0], [1.5, 0.0]], 0, 0, 0.0); // edges on one line touch only
        check([[0.0, 0.0], [2.0, 0.5]], 0, 0, 0.0); // they touch
        check([[0.0, 0.0], [2.1, 0.0]], 0, 0, 0.0);
    }

    #[test]
    fn a_vertex_in_two_outlines_counts_once() {
        let ring = [(0..4).map(VertexId).collect::<Vec<_>>()];
        let bodies = Bodies::from_meshes(&[Mesh::Outline(4, &ring); 3]).unwrap();
        let positions =
            [square([0.0, 0.0], 2.0), square([1.0, 1.0], 2.0), square([1.4, 1.4], 2.0)].concat();
        let found = Measure::new(&positions, &bodies).measure(&positions, &bodies);
        // The upper right corner of the first is in both others; lower left ones of those too.
        assert_eq!(found.penetrating_vertices, 4);
        assert!((found.max_depth - 1.0).abs() < 1e-15, "{}", found.max_depth);
    }
}
