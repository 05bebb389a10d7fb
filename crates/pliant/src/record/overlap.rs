//! How much bodies overlap, exactly, independently of the contact pipeline.
//!
//! Shares nothing with the fast path of `detect` but the exact predicates and the sweep that
//! finds which bodies are near: points are tested against the tets around them, edges against
//! triangles, by trees of boxes. What was found the last time is tried first; it makes the
//! result quicker, never different.

mod inside;

mod crossing;

mod inverted;

#[cfg(test)]
mod tests;

use crate::body::Bodies;
use crate::detect::boxes::{Bounds, rounded};
use crate::detect::pairs::{Sweep, neighbours};
use crate::id::{BodyId, VertexId};
use crate::math::{Aabb, Vec3};
use crate::mesh::bvh::Bvh;
use crate::mesh::topology::Csr;
use crossing::Edges;
use inside::Inside;

/// How far a scene is from being free of overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Overlap {
    /// Distinct vertices inside other bodies, those in the interior of theirs too; of
    /// outlines those strictly inside other outlines.
    pub penetrating_vertices: usize,
    /// Pairs of a surface edge and a triangle of another body that it passes through.
    ///
    /// An edge that ends on the triangle's plane does not pass. Of outlines, pairs of segments
    /// that pass through each other.
    pub edge_crossings: usize,
    /// Largest distance of a penetrating vertex to the surface it is behind, m.
    pub max_depth: f64,
    /// Tets with a negative volume.
    pub inverted_tets: usize,
    /// Bodies with a position that is not finite: nothing is measured of them.
    pub non_finite_bodies: usize,
}

/// Measures overlap; keeps its memory and hints from call to call.
#[derive(Debug)]
pub struct Measure {
    trees: Vec<Trees>,
    /// Surface edges of each body.
    edges: Vec<Edges>,
    /// Around each body, m.
    boxes: Vec<Aabb>,
    /// The same rounded, for the sweep, m.
    bounds: Vec<Bounds>,
    sweep: Sweep,
    /// For each body the others whose boxes meet its own.
    near: Csr<BodyId>,
    inside: Inside,
    /// Pairs whose edges crossed when last measured, the smaller body first.
    crossing: Vec<(BodyId, BodyId)>,
    /// Excluded pairs, the smaller body first, ascending.
    apart: Vec<(BodyId, BodyId)>,
    /// Hash of the bodies that it was prepared for.
    bodies: u64,
}

/// Bounding volume hierarchies of one body.
#[derive(Debug)]
struct Trees {
    /// Surface triangles, counted from the body's first.
    triangles: Bvh,
    /// Tets, counted from the body's first.
    tets: Bvh,
}

/// A scene at one time.
#[derive(Clone, Copy)]
struct Geometry<'a> {
    /// World space, m.
    positions: &'a [Vec3],
    bodies: &'a Bodies,
}

impl Geometry<'_> {
    /// Whether all positions of a body are finite.
    fn is_finite(self, body: BodyId) -> bool {
        self.positions[self.bodies.vertices(body)].iter().all(|p| p.is_finite())
    }
}

impl Measure {
    /// Prepares for a scene, whose `positions` shape the trees; those that are lacking are NaN.
    pub fn new(positions: &[Vec3], bodies: &Bodies) -> Measure {
        let mut padded = Vec::new();
        let positions = bodies.padded(positions, &mut padded);
        let scene = Geometry { positions, bodies };
        Measure {
            trees: bodies.ids().map(|body| Trees::new(scene, body)).collect(),
            edges: bodies.ids().map(|body| surface_edges(bodies, body)).collect(),
            boxes: Vec::new(),
            bounds: Vec::new(),
            sweep: Sweep::default(),
            near: Csr::default(),
            inside: Inside::default(),
            crossing: Vec::new(),
            apart: Vec::new(),
            bodies: bodies.hash(),
        }
    }

    /// The same without some pairs of bodies, such as those that share vertices.
    pub fn leaving_out(self, mut pairs: Vec<(BodyId, BodyId)>) -> Measure {
        pairs.iter_mut().for_each(|(a, b)| (*a, *b) = (*a.min(b), *a.max(b)));
        pairs.sort_unstable();
        Measure { apart: pairs, ..self }
    }

    /// Measures the scene it was prepared for; allocates the first few times.
    ///
    /// Of other bodies, or with other than one position for each vertex, nothing is known: all
    /// bodies count as not finite then, and the depth is NaN.
    pub fn measure(&mut self, positions: &[Vec3], bodies: &Bodies) -> Overlap {
        if bodies.hash() != self.bodies || positions.len() != bodies.vertex_count() {
            let (max_depth, non_finite_bodies) = (f64::NAN, bodies.len());
            return Overlap { max_depth, non_finite_bodies, ..Overlap::default() };
        }
        let scene = Geometry { positions, bodies };
        self.sweep(scene);
        self.inside.begin(positions.len());
        for body in bodies.ids().filter(|body| bodies.kind(*body).has_surface()) {
            if !self.near.row(body.index()).is_empty() {
                self.trees[body.index()].refit(scene, body);
            }
        }
        let mut edge_crossings = 0;
        self.crossing.clear();
        for body in bodies.ids().filter(|body| bodies.kind(*body).has_surface()) {
            let counts = |other: &&BodyId| {
                self.apart.binary_search(&(body.min(**other), body.max(**other))).is_err()
            };
            for &other in self.near.row(body.index()).iter().filter(counts) {
                let (space, trees) = (self.boxes[body.index()], &self.trees[body.index()]);
                self.inside.look(scene, [other, body], space, trees);
                // Each pair is met from either side, and both ways are counted at once.
                if body < other {
                    let found = crossing::count(scene, self.skin(body), self.skin(other));
                    edge_crossings += found;
                    if found > 0 {
                        self.crossing.push((body, other));
                    }
                }
            }
        }
        let is_finite = |body: &BodyId| scene.is_finite(*body);
        let inverted = bodies.ids().filter(is_finite);
        let inverted = inverted.map(|body| inverted::count(scene, body, self.boxes[body.index()]));
        Overlap {
            penetrating_vertices: self.inside.count(),
            edge_crossings,
            max_depth: self.inside.max_depth(scene, &self.trees),
            inverted_tets: inverted.sum(),
            non_finite_bodies: bodies.ids().filter(|body| !is_finite(body)).count(),
        }
    }

    /// Whether each vertex was inside another body, when it was last measured.
    pub fn penetrating(&self) -> &[bool] {
        self.inside.flags()
    }

    /// Pairs of bodies whose edges cross each other's faces, when it was last measured.
    pub fn crossing_pairs(&self) -> &[(BodyId, BodyId)] {
        &self.crossing
    }

    /// Fills `depths` with the depth of each vertex inside another body, m, 0 outside.
    ///
    /// Of what [`Measure::measure`] has just measured; of other bodies they are NaN. The distance
    /// to the nearest surface of the bodies that a vertex is inside of, the largest of them.
    pub fn depths(&mut self, positions: &[Vec3], bodies: &Bodies, depths: &mut Vec<f64>) {
        depths.clear();
        depths.resize(positions.len(), 0.0);
        if bodies.hash() != self.bodies || positions.len() != bodies.vertex_count() {
            return depths.fill(f64::NAN);
        }
        self.inside.depths(Geometry { positions, bodies }, &self.trees, depths);
    }

    fn skin(&self, body: BodyId) -> crossing::Skin<'_> {
        (body, &self.edges[body.index()], &self.trees[body.index()].triangles)
    }

    /// Finds the bodies whose boxes meet.
    fn sweep(&mut self, scene: Geometry<'_>) {
        let Geometry { positions, bodies } = scene;
        let around = |body| {
            let own = positions[bodies.vertices(body)].iter().copied();
            if scene.is_finite(body) { Aabb::around(own) } else { Aabb::EMPTY }
        };
        self.boxes.clear();
        self.boxes.extend(bodies.ids().map(around));
        let round = |space: &Aabb| Bounds { low: rounded(space.min), high: rounded(space.max) };
        self.bounds.clear();
        self.bounds.extend(self.boxes.iter().map(round));
        neighbours(&self.bounds, &mut self.sweep, &mut self.near);
    }
}

impl Trees {
    fn new(Geometry { positions, bodies }: Geometry<'_>, body: BodyId) -> Trees {
        let triangles = bodies.triangles()[bodies.triangles_of(body)].iter();
        let tets = bodies.tets()[bodies.tets_of(body)].iter();
        Trees {
            triangles: Bvh::to_refit(&triangles.map(|t| box_of(positions, t)).collect::<Vec<_>>()),
            tets: Bvh::to_refit(&tets.map(|tet| box_of(positions, tet)).collect::<Vec<_>>()),
        }
    }

    fn refit(&mut self, Geometry { positions, bodies }: Geometry<'_>, body: BodyId) {
        let triangles = &bodies.triangles()[bodies.triangles_of(body)];
        let tets = &bodies.tets()[bodies.tets_of(body)];
        self.triangles.refit(|k| box_of(positions, &triangles[k as usize]));
        self.tets.refit(|k| box_of(positions, &tets[k as usize]));
    }
}

/// Edges of the triangles of a body.
fn surface_edges(bodies: &Bodies, body: BodyId) -> Edges {
    Edges::new(&bodies.triangles()[bodies.triangles_of(body)])
}

fn box_of<const N: usize>(positions: &[Vec3], corners: &[VertexId; N]) -> Aabb {
    Aabb::around(corners.map(|v| positions[v.index()]))
}
