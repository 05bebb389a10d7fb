//! Vertices inside other bodies, and the deepest of them.
//!
//! A vertex that a tet holds is mostly held by the same one the next time, so that one is
//! tried first. How deep a vertex is matters only where it is the deepest: the distance to
//! the triangle that was nearest the last time is never too small, and rules out most others.

use super::{Geometry, Trees};
use crate::body::BodyKind;
use crate::detect::{brute, union};
use crate::id::{BodyId, VertexId};
use crate::math::{Aabb, Vec3, orient3d};
use crate::mesh::closest::closest_point;
use crate::mesh::topology::TET_FACES;

/// A vertex and a body that it is inside of.
#[derive(Clone, Copy, Debug)]
struct InsidePair {
    vertex: VertexId,
    body: BodyId,
}

/// What is known of the vertices.
#[derive(Debug, Default)]
pub(super) struct Inside {
    /// Whether a vertex is inside some other body.
    inside: Vec<bool>,
    /// Every vertex with every body that it is inside of.
    pairs: Vec<InsidePair>,
    /// By vertex, a tet that held it, counted in the scene; beyond all tets at first.
    holders: Vec<u32>,
    /// By vertex, a triangle that was near it, counted in the scene; beyond all at first.
    nearest: Vec<u32>,
    /// By pair, square of a distance that the depth does not exceed, m².
    bounds_sq: Vec<f64>,
    /// Tets around a point.
    around: Vec<[VertexId; 4]>,
}

impl Inside {
    /// Forgets which vertices are inside, and keeps where to look first.
    pub(super) fn begin(&mut self, vertex_count: usize) {
        self.inside.clear();
        self.inside.resize(vertex_count, false);
        self.pairs.clear();
        self.holders.resize(vertex_count, u32::MAX);
        self.nearest.resize(vertex_count, u32::MAX);
    }

    /// Finds the vertices of `a` inside `b`, of which `space` is the smallest box.
    pub(super) fn look(
        &mut self,
        scene: Geometry<'_>,
        [a, b]: [BodyId; 2],
        space: Aabb,
        trees: &Trees,
    ) {
        // On its border nothing is inside: that spares what stands on one floor.
        let within = |p: Vec3| (p.cmpgt(space.min) & p.cmplt(space.max)).all();
        for vertex in scene.bodies.vertices(a) {
            let joined = scene.bodies.takes_part(a, vertex);
            if within(scene.positions[vertex]) && joined && self.is_held(scene, vertex, b, trees) {
                self.inside[vertex] = true;
                self.pairs.push(InsidePair { vertex: VertexId(vertex as u32), body: b });
            }
        }
    }

    /// Whether each vertex is inside some other body.
    pub(super) fn flags(&self) -> &[bool] {
        &self.inside
    }

    /// Distinct vertices inside other bodies.
    pub(super) fn count(&self) -> usize {
        self.inside.iter().filter(|inside| **inside).count()
    }

    /// Largest distance of a vertex to the surface of a body that it is inside of, m.
    pub(super) fn max_depth(&mut self, scene: Geometry<'_>, trees: &[Trees]) -> f64 {
        let Inside { pairs, nearest, bounds_sq, .. } = self;
        bounds_sq.clear();
        bounds_sq.extend(pairs.iter().map(|p| bound_sq(scene, *p, nearest[p.vertex.index()])));
        // One that looks deep goes first: vertices nearer to a surface need not be measured.
        let first = (0..pairs.len()).max_by(|&i, &j| bounds_sq[i].total_cmp(&bounds_sq[j]));
        let mut max_sq = 0.0;
        for at in first.into_iter().chain(0..pairs.len()) {
            if bounds_sq[at] > max_sq {
                let pair = pairs[at];
                let (trees, hint) = (&trees[pair.body.index()], &mut nearest[pair.vertex.index()]);
                max_sq = depth_sq(scene, pair, trees, max_sq, hint).max(max_sq);
            }
        }
        max_sq.sqrt()
    }

    /// The depth of each vertex that is inside, m.
    pub(super) fn depths(&mut self, scene: Geometry<'_>, trees: &[Trees], depths: &mut [f64]) {
        let Inside { pairs, nearest, .. } = self;
        for pair in pairs {
            let vertex = pair.vertex.index();
            let (trees, hint) = (&trees[pair.body.index()], &mut nearest[vertex]);
            let depth = depth_sq(scene, *pair, trees, 0.0, hint).sqrt();
            depths[vertex] = depths[vertex].max(depth);
        }
    }

    fn is_held(&mut self, scene: Geometry<'_>, vertex: usize, body: BodyId, trees: &Trees) -> bool {
        let Geometry { positions, bodies } = scene;
        let point = positions[vertex];
        match bodies.kind(body) {
            BodyKind::SpringNetwork | BodyKind::Particles | BodyKind::Outline => return false,
            BodyKind::Surface => return brute::is_inside(point, positions, bodies, body),
            BodyKind::Tets => {}
        }
        let own = bodies.tets_of(body);
        let holder = self.holders[vertex] as usize;
        if own.contains(&holder) && is_within(positions, bodies.tets()[holder], point) {
            return true;
        }
        self.around.clear();
        let (around, mut found) = (&mut self.around, None);
        trees.tets.meeting(Aabb { min: point, max: point }, |k| {
            let tet = own.start + k as usize;
            around.push(bodies.tets()[tet]);
            if is_within(positions, bodies.tets()[tet], point) {
                found = Some(tet as u32);
            }
            found.is_none()
        });
        if let Some(tet) = found {
            self.holders[vertex] = tet;
            return true;
        }
        // On a face, an edge or a corner of tets, or outside.
        !around.is_empty() && union::is_inside(point, positions, around)
    }
}

/// Whether a point is in a tet and on none of its faces; inverted ones count, flat ones do not.
///
/// The four parts into which the point cuts the tet then have one sign, exactly.
fn is_within(positions: &[Vec3], tet: [VertexId; 4], point: Vec3) -> bool {
    let corners = tet.map(|v| positions[v.index()]);
    let side = |face: usize| {
        let [a, b, c] = TET_FACES[face].map(|k| corners[k]);
        orient3d(a, b, c, point)
    };
    let first = side(0);
    first != 0.0 && (1..4).all(|face| side(face) * first.signum() > 0.0)
}

/// Square of the distance to a triangle, m²; infinite where it is none of the body's.
fn bound_sq(scene: Geometry<'_>, pair: InsidePair, triangle: u32) -> f64 {
    let InsidePair { vertex, body } = pair;
    let Geometry { positions, bodies } = scene;
    if !bodies.triangles_of(body).contains(&(triangle as usize)) {
        return f64::INFINITY;
    }
    let corners = bodies.triangles()[triangle as usize].map(|v| positions[v.index()]);
    let point = positions[vertex.index()];
    closest_point(point, corners).distance_squared(point)
}

/// Square of the distance to the surface of a body, m², or anything up to `least_sq`.
///
/// `hint` is a triangle to begin with, and becomes the nearest that was met.
fn depth_sq(
    scene: Geometry<'_>,
    pair: InsidePair,
    trees: &Trees,
    least_sq: f64,
    hint: &mut u32,
) -> f64 {
    let first = scene.bodies.triangles_of(pair.body).start as u32;
    let mut nearest_sq = bound_sq(scene, pair, *hint);
    trees.triangles.near(scene.positions[pair.vertex.index()], nearest_sq, |k| {
        let distance_sq = bound_sq(scene, pair, first + k);
        if distance_sq < nearest_sq {
            (nearest_sq, *hint) = (distance_sq, first + k);
        }
        // A negative distance ends the search.
        if nearest_sq > least_sq { nearest_sq } else { -1.0 }
    });
    nearest_sq
}
