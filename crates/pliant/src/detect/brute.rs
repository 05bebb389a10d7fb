//! Reference implementation of detection: every vertex against every body.

use crate::body::{Bodies, BodyKind};
use crate::detect::{Exit, Overlaps, edges, union};
use crate::id::{BodyId, VertexId, at};
use crate::math::Vec3;
use crate::mesh::intersect::segment_meets_triangle;
use crate::mesh::overlap::winding;

/// Every vertex that is inside another body, by testing all against all.
///
/// Inside a surface is where it winds around at least once; on it is not inside. Vertices
/// without an edge are ignored, but those of particles are not. Positions that are lacking count
/// as not finite.
pub fn overlaps(positions: &[Vec3], bodies: &Bodies) -> Overlaps {
    let mut pairs = Vec::new();
    for own in bodies.ids() {
        let used = |&vertex: &usize| bodies.takes_part(own, vertex);
        for vertex in bodies.vertices(own).filter(used) {
            for body in bodies.ids().filter(|&body| body != own) {
                if is_inside(at(positions, VertexId(vertex as u32)), positions, bodies, body) {
                    pairs.push((VertexId(vertex as u32), body));
                }
            }
        }
    }
    Overlaps::from_sorted(&pairs)
}

/// Where the edge from `free` to `inner` leaves the bodies in `into`, nearest to `free`.
pub fn exit(
    [free, inner]: [VertexId; 2],
    into: &[BodyId],
    positions: &[Vec3],
    bodies: &Bodies,
) -> Option<Exit> {
    let (free, inner) = (at(positions, free), at(positions, inner));
    let triangles = into.iter().flat_map(|&body| bodies.triangles_of(body));
    edges::nearest(triangles.filter_map(|index| {
        let corners = bodies.triangles()[index].map(|v| at(positions, v));
        edges::exit(free, inner, corners, index as u32)
    }))
}

/// Whether a point is inside a body.
pub fn is_inside(point: Vec3, positions: &[Vec3], bodies: &Bodies, body: BodyId) -> bool {
    match bodies.kind(body) {
        BodyKind::Tets => union::is_inside(point, positions, &bodies.tets()[bodies.tets_of(body)]),
        BodyKind::SpringNetwork | BodyKind::Particles | BodyKind::Outline => false,
        BodyKind::Surface => {
            let triangles = &bodies.triangles()[bodies.triangles_of(body)];
            let on_it = triangles.iter().any(|triangle| {
                segment_meets_triangle([point; 2], triangle.map(|v| at(positions, v)))
            });
            !on_it && winding(positions, triangles, point) > 0
        }
    }
}
