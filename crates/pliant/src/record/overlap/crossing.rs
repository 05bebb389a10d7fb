//! Edges that pass through triangles of other bodies.
//!
//! Every edge belongs to one of its triangles. Two surfaces are searched for pairs of triangles
//! whose boxes meet; an edge can pass through a triangle only where its own does.

use super::Geometry;
use crate::id::{BodyId, VertexId};
use crate::math::{Aabb, Vec3, orient3d};
use crate::mesh::bvh::Bvh;

/// The edges of a body's surface, each with the first triangle that has it.
#[derive(Debug, Default)]
pub(super) struct Edges {
    /// By triangle, counted from the body's first, then by ends.
    list: Vec<[VertexId; 2]>,
    /// Where the edges of a triangle begin in `list`; one more at the end.
    starts: Vec<u32>,
}

impl Edges {
    /// Of triangles in this order.
    pub(super) fn new(triangles: &[[VertexId; 3]]) -> Edges {
        let mut sides: Vec<([VertexId; 2], u32)> = Vec::with_capacity(3 * triangles.len());
        for (triangle, &[a, b, c]) in (0_u32..).zip(triangles) {
            let side = |v: VertexId, w: VertexId| ([v.min(w), v.max(w)], triangle);
            sides.extend([side(a, b), side(b, c), side(c, a)]);
        }
        sides.sort_unstable();
        sides.dedup_by_key(|(ends, _)| *ends);
        sides.sort_unstable_by_key(|&(ends, triangle)| (triangle, ends));
        let first = |triangle: u32| sides.partition_point(|side| side.1 < triangle) as u32;
        let starts = (0..=triangles.len() as u32).map(first).collect();
        Edges { list: sides.into_iter().map(|(ends, _)| ends).collect(), starts }
    }

    fn of(&self, triangle: u32) -> &[[VertexId; 2]] {
        let at = |k: u32| self.starts[k as usize] as usize;
        &self.list[at(triangle)..at(triangle + 1)]
    }
}

/// A surface: its body, edges, and boxes of its triangles.
pub(super) type Skin<'a> = (BodyId, &'a Edges, &'a Bvh);

/// Pairs of an edge of one body and a triangle of the other that it passes through.
pub(super) fn count(
    Geometry { positions, bodies }: Geometry<'_>,
    a: Skin<'_>,
    b: Skin<'_>,
) -> usize {
    let place = |v: VertexId| positions[v.index()];
    let corners = |body: BodyId, triangle: u32| {
        bodies.triangles()[bodies.triangles_of(body).start + triangle as usize].map(place)
    };
    let mut count = 0;
    a.2.meeting_pairs(b.2, is_open, |of_a, of_b| {
        for ((_, edges, _), own, (body, ..), other) in [(a, of_a, b, of_b), (b, of_b, a, of_a)] {
            let edges = edges.of(own);
            if edges.is_empty() {
                continue;
            }
            let corners = corners(body, other);
            let around = Aabb::around(corners);
            for ends in edges.iter().map(|edge| edge.map(place)) {
                count += usize::from(Aabb::around(ends).meets(around) && passes(ends, corners));
            }
        }
    });
    count
}

/// Whether something in one box may pass through something in the other.
///
/// What lies in one plane at right angles to an axis, as on a floor, does not.
fn is_open(a: Aabb, b: Aabb) -> bool {
    !(a.min.cmpeq(a.max) & b.min.cmpeq(b.max) & a.min.cmpeq(b.min)).any()
}

/// Whether a segment leads from one side of a triangle's plane to the other, through it.
pub(super) fn passes([p, q]: [Vec3; 2], [a, b, c]: [Vec3; 3]) -> bool {
    // The same of an edge and a triangle alone.
    let flat = p.cmpeq(q) & p.cmpeq(a) & p.cmpeq(b) & p.cmpeq(c);
    if flat.any() {
        return false;
    }
    let from = orient3d(a, b, c, p);
    if from == 0.0 {
        return false;
    }
    let to = orient3d(a, b, c, q);
    if to == 0.0 || (from > 0.0) == (to > 0.0) {
        return false;
    }
    let turn = orient3d(p, q, a, b);
    let next = orient3d(p, q, b, c);
    if turn * next < 0.0 {
        return false;
    }
    let last = orient3d(p, q, c, a);
    let turns = [turn, next, last];
    turns.iter().all(|turn| *turn >= 0.0) || turns.iter().all(|turn| *turn <= 0.0)
}
