//! The deformation region: which vertices are moved, and how far at most.
//!
//! Stage 3 of [Spillmann05 §4.3]. Colliding vertices and the corners of their contact
//! triangles are displacement vertices, taken pair by pair of bodies.
//!
//! | here    | paper | meaning                                                        |
//! |---------|-------|----------------------------------------------------------------|
//! | `vertex`| x     | displacement vertex                                            |
//! | `own`   | d     | its own way out, if it collides                                |
//! | `votes` | wᵢ    | colliding vertices with their contact triangle around x        |
//! | `way`   | s     | displacement vector, m                                         |

use crate::surface::triangles::SurfaceContact;
use crate::surface::{Corrections, Form};
use pliant::body::Bodies;
use pliant::body::pins::Pins;
use pliant::id::{BodyId, VertexId};
use pliant::math::Vec3;
use pliant::mesh::topology::Csr;

/// A displacement vertex of one pair of bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Displaced {
    /// The vertex.
    pub vertex: VertexId,
    /// The other body of the pair.
    pub other: BodyId,
    /// Its own collision with that body, a place in the list of touches.
    pub own: Option<u32>,
    /// Displacement vector, m; zero for a vertex that is pinned.
    pub way: Vec3,
    /// Whether it is pinned.
    pub held: bool,
}

/// One of the four vertices of a touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Part {
    vertex: VertexId,
    /// The other body of the pair.
    other: BodyId,
    /// Place in the list of touches.
    touch: u32,
    /// Which corner of the triangle it is; none for the colliding vertex itself.
    corner: Option<u8>,
}

/// The deformation region of all pairs.
#[derive(Clone, Debug, Default)]
pub struct Region {
    /// Ascending by vertex, then by the other body.
    list: Vec<Displaced>,
    /// For each of the list the touches on triangles around it, with their weights.
    votes: Csr<(u32, f64)>,
    /// Vertices of the list, ascending, each once.
    moved: Vec<VertexId>,
    /// For each of those its first place in the list; one more at the end.
    starts: Vec<u32>,
    /// A third of the area around each vertex, as a vector, m²; see [`Region::area`].
    areas: Vec<Vec3>,
    /// The same as a sum of sizes, m².
    sizes: Vec<f64>,
    /// Which vertices are pinned.
    held: Vec<bool>,
    /// Scratch memory: vertices and corners of all touches, ascending.
    parts: Vec<Part>,
    /// Scratch memory: place in the list, touch and weight.
    pairs: Vec<(u32, (u32, f64))>,
}

impl Region {
    /// Displacement vertices, ascending by vertex, then by the other body.
    pub fn list(&self) -> &[Displaced] {
        &self.list
    }

    /// Touches on triangles around the displacement vertex at a place, and their weights.
    pub fn votes(&self, place: usize) -> &[(u32, f64)] {
        self.votes.row(place)
    }

    /// Vertices that are moved, ascending, each once.
    pub fn moved(&self) -> &[VertexId] {
        &self.moved
    }

    /// Places in the list of one of the vertices that are moved.
    pub fn places(&self, moved: usize) -> std::ops::Range<usize> {
        self.starts[moved] as usize..self.starts[moved + 1] as usize
    }

    /// A third of the surface around a vertex as a vector that points outwards, m².
    ///
    /// Under a pressure the force on the vertex is the pressure times this, at edges too.
    pub fn area(&self, vertex: VertexId) -> Vec3 {
        self.areas[vertex.index()]
    }

    /// A third of the area of the triangles around a vertex, m².
    pub fn size(&self, vertex: VertexId) -> f64 {
        self.sizes[vertex.index()]
    }

    /// Whether a vertex is pinned.
    pub fn is_held(&self, vertex: VertexId) -> bool {
        self.held[vertex.index()]
    }

    /// Collects the region and its displacement vectors.
    pub fn find(
        &mut self,
        positions: &[Vec3],
        bodies: &Bodies,
        touches: &[SurfaceContact],
        pins: &Pins,
        corrections: Corrections,
    ) {
        self.held.clear();
        self.held.resize(bodies.vertex_count(), false);
        pins.vertices().iter().for_each(|v| self.held[v.index()] = true);
        self.collect_parts(touches);
        self.collect_votes(touches);
        for (place, displaced) in self.list.iter_mut().enumerate() {
            let votes = self.votes.row(place);
            if !displaced.held {
                displaced.way = displacement(displaced.own, votes, touches, corrections.sign);
            }
        }
        self.collect_moved();
        self.collect_areas(positions, bodies);
    }

    fn collect_parts(&mut self, touches: &[SurfaceContact]) {
        self.parts.clear();
        for (number, touch) in touches.iter().enumerate() {
            let (vertex, number) = (touch.vertex, number as u32);
            self.parts.push(Part { vertex, other: touch.other, touch: number, corner: None });
            for (vertex, corner) in touch.corners.into_iter().zip(0..) {
                let corner = Some(corner);
                self.parts.push(Part { vertex, other: touch.own, touch: number, corner });
            }
        }
        self.parts.sort_unstable();
    }

    /// Fills the list, still without ways, and the votes on each.
    fn collect_votes(&mut self, touches: &[SurfaceContact]) {
        let Region { list, parts, pairs, votes, held, .. } = self;
        list.clear();
        pairs.clear();
        for part in parts.iter() {
            let Part { vertex, other, touch, corner } = *part;
            if list.last().map(|last| (last.vertex, last.other)) != Some((vertex, other)) {
                let held = held[vertex.index()];
                list.push(Displaced { vertex, other, own: None, way: Vec3::ZERO, held });
            }
            let place = list.len() - 1;
            match corner {
                None => list[place].own = Some(touch),
                Some(corner) => {
                    let weight = touches[touch as usize].weights[usize::from(corner)];
                    pairs.push((place as u32, (touch, weight)));
                }
            }
        }
        votes.refill(list.len(), pairs);
    }

    fn collect_moved(&mut self) {
        let Region { list, moved, starts, .. } = self;
        moved.clear();
        starts.clear();
        for (place, displaced) in list.iter().enumerate() {
            if moved.last() != Some(&displaced.vertex) {
                moved.push(displaced.vertex);
                starts.push(place as u32);
            }
        }
        starts.push(list.len() as u32);
    }

    /// Of the region alone: that of others is not needed.
    fn collect_areas(&mut self, positions: &[Vec3], bodies: &Bodies) {
        let Region { moved, areas, sizes, .. } = self;
        areas.resize(bodies.vertex_count(), Vec3::ZERO);
        sizes.resize(bodies.vertex_count(), 0.0);
        for vertex in moved.iter().map(|v| v.index()) {
            let (mut area, mut size) = (Vec3::ZERO, 0.0);
            for triangle in bodies.triangles_around().row(vertex) {
                let [a, b, c] = bodies.triangles()[triangle.index()].map(|v| positions[v.index()]);
                let twice = (b - a).cross(c - a);
                area += twice / 6.0;
                size += twice.length() / 6.0;
            }
            (areas[vertex], sizes[vertex]) = (area, size);
        }
    }
}

/// The displacement vector s of a vertex, m.
///
/// Ways out of the other side lead opposite to the vertex's own: they enter with a minus. The
/// 1 of the denominator stays for a vertex that does not collide, so that nothing jumps when
/// it begins to.
///
/// - Implements: [Spillmann05 eq. 1].
/// - Erratum: printed with a plus, which displaces a uniform layer by nothing (erratum S1):
///   see `a_uniform_layer_is_displaced_by_its_depth`.
fn displacement(
    own: Option<u32>,
    votes: &[(u32, f64)],
    touches: &[SurfaceContact],
    sign: Form,
) -> Vec3 {
    let sign = match sign {
        Form::Corrected => -1.0,
        Form::Printed => 1.0,
    };
    let (mut sum, mut weights) = (Vec3::ZERO, 1.0);
    if let Some(own) = own {
        sum += touches[own as usize].way;
    }
    for &(touch, weight) in votes {
        sum += sign * weight * touches[touch as usize].way;
        weights += weight;
    }
    sum / weights
}

/// One way for a vertex that several pairs want to move, m.
///
/// The sum, shortened if all are given more than they want: along its own direction one pair
/// at least gets just what it wants. Ways across each other add up, equal ones count once,
/// opposite ones cancel. Swapping pairs changes rounding alone.
///
/// - Deviates: [Spillmann05 §4] has no rule (erratum S18).
pub fn combined(ways: impl Iterator<Item = Vec3> + Clone) -> Vec3 {
    let sum: Vec3 = ways.clone().sum();
    // The part of the sum that gives a pair what it wants; the largest serves all.
    let part = ways.fold(0.0_f64, |most, way| {
        let along = sum.dot(way);
        if along > 0.0 { most.max(way.length_squared() / along) } else { most }
    });
    part.min(1.0) * sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ways are of a few metres.
    const TOLERANCE: f64 = 1e-14;

    fn touch(way: Vec3) -> SurfaceContact {
        let corners = [0, 1, 2].map(VertexId);
        let (own, other) = (BodyId(1), BodyId(0));
        let (direction, gap) = (way.try_normalize().unwrap(), 0.0);
        let weights = [0.5, 0.25, 0.25];
        SurfaceContact { vertex: VertexId(9), own, other, way, direction, gap, corners, weights }
    }

    #[test]
    fn a_uniform_layer_is_displaced_by_its_depth() {
        let touches = [touch(-0.2 * Vec3::Z), touch(0.2 * Vec3::Z)];
        let layer = |sign| displacement(Some(0), &[(1, 0.75), (1, 0.25)], &touches, sign);
        assert!(layer(Form::Corrected).abs_diff_eq(-0.2 * Vec3::Z, TOLERANCE));
        // d (1 − Σw) / (1 + Σw) with Σw = 1.
        assert!(layer(Form::Printed).abs_diff_eq(Vec3::ZERO, TOLERANCE));
    }

    #[test]
    fn a_corner_that_does_not_collide_gives_way_by_its_share() {
        let touches = [touch(0.3 * Vec3::Z)];
        let corner = |sign| displacement(None, &[(0, 0.5)], &touches, sign);
        // 0.5 · 0.3 / 1.5, away from the intruder; printed, into it.
        assert!(corner(Form::Corrected).abs_diff_eq(-0.1 * Vec3::Z, TOLERANCE));
        assert!(corner(Form::Printed).abs_diff_eq(0.1 * Vec3::Z, TOLERANCE));
    }

    #[test]
    fn displacement_is_continuous_when_a_vertex_leaves_and_when_one_begins_to_collide() {
        let touches = [touch(-1e-12 * Vec3::Z), touch(0.2 * Vec3::Z)];
        let s = |own, votes: &[(u32, f64)]| displacement(own, votes, &touches, Form::Corrected);
        assert!(s(None, &[(1, 0.5)]).abs_diff_eq(s(Some(0), &[(1, 0.5)]), 2e-12));
        assert!(s(Some(0), &[(1, 1e-12)]).abs_diff_eq(s(Some(0), &[]), 2e-12));
    }

    #[track_caller]
    fn check(ways: &[Vec3], expected: Vec3) {
        for ways in [ways.to_vec(), ways.iter().rev().copied().collect()] {
            let found = combined(ways.iter().copied());
            assert!(found.abs_diff_eq(expected, TOLERANCE), "{ways:?}: {found}");
        }
    }

    #[test]
    fn pairs_add_up_across_and_count_once_along() {
        let (x, y) = (Vec3::X, Vec3::Y);
        check(&[], Vec3::ZERO);
        check(&[3.0 * x], 3.0 * x);
        check(&[x, 2.0 * y], x + 2.0 * y);
        check(&[x, x, x], x);
        check(&[x, 3.0 * x], 3.0 * x);
        check(&[x, -x], Vec3::ZERO);
        check(&[3.0 * x, -x], 2.0 * x);
        check(&[x, Vec3::ZERO], x);
        // Sum (2, 1); (1, 0) wants 1 of 2, (1, 1) wants 2 of 3.
        check(&[x, x + y], 2.0 / 3.0 * Vec3::new(2.0, 1.0, 0.0));
    }
}
