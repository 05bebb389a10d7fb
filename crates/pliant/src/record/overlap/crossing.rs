//! Edges that pass through triangles of other bodies.

use super::{Scene, box_of};
use crate::id::{BodyId, VertexId};
use crate::math::{Aabb, Vec3, orient3d};
use crate::mesh::bvh::Bvh;

/// Pairs of an edge and a triangle of `body` that it passes through, count.
///
/// `common` holds whatever can meet.
pub(super) fn count(
    Scene { positions, bodies }: Scene<'_>,
    edges: &[[VertexId; 2]],
    common: Aabb,
    (body, triangles): (BodyId, &Bvh),
) -> usize {
    let first = bodies.triangles_of(body).start;
    let mut count = 0;
    for edge in edges {
        let space = box_of(positions, edge);
        if !space.meets(common) {
            continue;
        }
        let ends = edge.map(|v| positions[v.index()]);
        triangles.meeting(space, |k| {
            let corners = bodies.triangles()[first + k as usize].map(|v| positions[v.index()]);
            count += usize::from(passes(ends, corners));
            true
        });
    }
    count
}

/// Whether a segment leads from one side of a triangle's plane to the other, through it.
pub(super) fn passes([p, q]: [Vec3; 2], [a, b, c]: [Vec3; 3]) -> bool {
    // What lies in one plane at right angles to an axis, as on a floor, is told at a glance.
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
