//! Bodies wholly inside another: one direction out for all their vertices.
//!
//! No edge of such a body leads out, so the consistent depth has no direction for any of its
//! vertices. As a body it has one: of the directions that the surface around faces where it is
//! nearest to a vertex, the one along which the last vertex is out soonest. All vertices get that
//! direction, and the body leaves undeformed, by translation.
//!
//! | here     | meaning                                                             |
//! |----------|---------------------------------------------------------------------|
//! | `group`  | vertices of one body inside another, with no edge leading out       |
//! | `ways`   | directions that are tried, unit, with the nearest distance, m       |
//! | `exit`   | distance of the last vertex of the group along a direction, m       |

use crate::body::Bodies;
use crate::contact::inside;
use crate::contact::shape::Facets;
use crate::depth::{Penetration, Penetrations, Reason};
use crate::id::{BodyId, VertexId};
use crate::math::{Aabb, Vec3};
use crate::mesh::normals::face_normal;

/// Cosine of the angle below which two directions count as one, that of the nearer.
///
/// Some 26 degrees: a round body then has at most some 70 directions, a block its six.
const SAME: f64 = 0.9;

/// A vertex without an edge that leads out: its body, the one around it, itself.
pub(crate) type Enclosed = (BodyId, BodyId, VertexId);

/// Fills `found` with the vertices that no edge leads out of, group after group.
pub(crate) fn gather(penetrations: &Penetrations, bodies: &Bodies, found: &mut Vec<Enclosed>) {
    found.clear();
    for entry in penetrations.unresolved.iter().filter(|entry| entry.reason == Reason::Enclosed) {
        let own = bodies.body_of(entry.vertex);
        let into = penetrations.bodies(entry.into).iter();
        found.extend(into.map(|&body| (own, body, entry.vertex)));
    }
    found.sort_unstable();
}

/// The common way out of a group from the body around it; depth of the last one.
///
/// `space` is the box of that body; `ways` is scratch memory. `None` when rays hit nothing, as
/// can be where tets are inverted. Of directions that are equally short, the first found.
pub(crate) fn way_out(
    group: &[Enclosed],
    positions: &[Vec3],
    facets: &Facets,
    space: Aabb,
    ways: &mut Vec<(f64, Vec3)>,
) -> Option<Penetration> {
    ways.clear();
    let points = group.iter().map(|(.., vertex)| positions[vertex.index()]);
    for point in points.clone() {
        let Some((distance_sq, triangle, _)) = inside::closest(point, facets) else { continue };
        let Some(normal) = face_normal(facets.corners[triangle as usize]) else { continue };
        match ways.iter_mut().find(|way| way.1.dot(normal) > SAME) {
            Some(way) if distance_sq < way.0 => *way = (distance_sq, normal),
            Some(_) => {}
            None => ways.push((distance_sq, normal)),
        }
    }
    let mut best: Option<Penetration> = None;
    for &(_, direction) in &*ways {
        let mut exit = 0.0;
        let within = best.map_or(f64::INFINITY, |best| best.depth);
        let all_leave = points.clone().all(|point| {
            let closest_point =
                inside::exit(point, Penetration { depth: 0.0, direction }, facets, space);
            exit =
                closest_point.map_or(f64::INFINITY, |closest_point| -closest_point.gap).max(exit);
            exit < within
        });
        if all_leave {
            best = Some(Penetration { depth: exit, direction });
        }
    }
    best
}
