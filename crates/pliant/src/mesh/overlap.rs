//! Where one component of a surface lies inside another, by winding numbers.
//!
//! A body made of positive tets covers a point as often as its boundary winds around it.
//! Where the boundary is simple and meets itself nowhere, that number is the same all
//! along the inner side of a patch of it. So the body overlaps itself only if its boundary
//! meets itself, or winds more than once around the inner side of some patch.

use std::f64::consts::PI;

use crate::id::{TriangleId, VertexId, at};
use crate::math::{Aabb, Vec3, orient3d};
use crate::mesh::bvh::Bvh;
use crate::mesh::meeting::{Search, edges_with_wings};
use crate::mesh::topology::{Csr, Groups};

/// A volume below this share of the sum of its parts is rounding.
const VOLUME_ROUNDING: f64 = 1e-13;

/// How one patch of a surface is wrongly nested in all the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PartNesting {
    /// Oriented outward, but inside something else: the interiors overlap.
    Nested,
    /// Oriented inward, with nothing around it.
    InvertedOrientation,
}

/// Solid angles that are summed at most, before the search for nested patches ends.
///
/// Only thousands of patches inside each other need so many.
const MOST_ANGLES: usize = 1 << 26;

/// The first triangle of every patch that is nested or oriented inward.
///
/// A patch is a component connected by edges with exactly two triangles. The surface must be
/// closed. Patches with a triangle in `meeting`, the pairs of
/// [`meeting_pairs`](crate::mesh::meeting::meeting_pairs), are not
/// judged: the winding number is not constant along them.
pub(crate) fn standings(
    positions: &[Vec3],
    triangles: &[[VertexId; 3]],
    meeting: &[[TriangleId; 2]],
) -> Search<(TriangleId, PartNesting)> {
    let mut meets = vec![false; triangles.len()];
    meeting.iter().flatten().for_each(|t| meets[t.index()] = true);
    let Sheets { patches, pieces } = sheets(triangles);
    let boxes: Vec<_> = pieces
        .iter()
        .map(|piece| {
            let corners = piece.iter().flat_map(|t| triangles[t.index()]);
            Aabb::around(corners.map(|v| at(positions, v)))
        })
        .collect();
    let tree = Bvh::new(&boxes);
    let (mut found, mut angles) = (Vec::new(), 0);
    for patch in patches.iter().filter(|patch| !patch.iter().any(|t| meets[t.index()])) {
        let Some((own, middle)) = representative(positions, triangles, patch) else { continue };
        let mut around = 0.0;
        // A closed component whose box is elsewhere winds around nothing here. The query is the
        // whole triangle, as rounding may push its middle out of its own component's box.
        let corners = triangles[own.index()].map(|v| at(positions, v));
        tree.meeting(Aabb::around(corners), |piece| {
            let members = pieces.row(piece as usize);
            angles += members.len();
            let others = members.iter().filter(|t| **t != own);
            around += others
                .map(|t| solid_angle(triangles[t.index()].map(|v| at(positions, v)), middle))
                .sum::<f64>();
            true
        });
        // The own triangle, seen edge-on, hides half of the sphere.
        match (around / (4.0 * PI) - 0.5).round() {
            windings if windings > 0.0 => found.push((patch[0], PartNesting::Nested)),
            windings if windings < 0.0 => found.push((patch[0], PartNesting::InvertedOrientation)),
            _ => {}
        }
        if angles > MOST_ANGLES {
            break;
        }
    }
    Search { found, ended_early: angles > MOST_ANGLES }
}

/// Volume enclosed by a closed surface, m³; negative when it is oriented inward.
///
/// `None` when it is zero but for rounding.
pub fn signed_volume(positions: &[Vec3], triangles: &[[VertexId; 3]]) -> Option<f64> {
    let apex = at(positions, triangles.first()?[0]);
    let (mut sum, mut sum_of_sizes) = (0.0, 0.0);
    for triangle in triangles {
        let [a, b, c] = triangle.map(|v| at(positions, v));
        // One long factor instead of three: components far apart keep their digits.
        let volume = (b - a).cross(c - a).dot(a - apex) / 6.0;
        sum += volume;
        sum_of_sizes += volume.abs();
    }
    (sum.abs() > VOLUME_ROUNDING * sum_of_sizes).then_some(sum)
}

/// Winding number of a closed surface around a point that is not on it.
pub(crate) fn winding(positions: &[Vec3], triangles: &[[VertexId; 3]], point: Vec3) -> i64 {
    let corners = triangles.iter().map(|t| t.map(|v| at(positions, v)));
    let angle: f64 = corners.map(|corners| solid_angle(corners, point)).sum();
    (angle / (4.0 * PI)).round() as i64
}

/// Solid angle of a triangle seen from a point, sr; positive from its inner side.
///
/// Next to the triangle the sign decides between nearly 2π and −2π, so it is exact.
fn solid_angle([a, b, c]: [Vec3; 3], point: Vec3) -> f64 {
    let side = -orient3d(a, b, c, point);
    let [a, b, c] = [a - point, b - point, c - point];
    let (la, lb, lc) = (a.length(), b.length(), c.length());
    let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    let volume = a.cross(b).dot(c).abs();
    if side == 0.0 { 0.0 } else { 2.0 * libm::atan2(volume.copysign(side), below) }
}

/// The largest triangle of a patch and its middle, which is well away from all the others.
fn representative(
    positions: &[Vec3],
    triangles: &[[VertexId; 3]],
    patch: &[TriangleId],
) -> Option<(TriangleId, Vec3)> {
    let corners = |t: TriangleId| triangles[t.index()].map(|v| at(positions, v));
    let area = |t: TriangleId| {
        let [a, b, c] = corners(t);
        (b - a).cross(c - a).length_squared()
    };
    let largest = patch.iter().copied().max_by(|&a, &b| area(a).total_cmp(&area(b)))?;
    let [a, b, c] = corners(largest);
    Some((largest, (a + b + c) / 3.0))
}

/// Triangles grouped in two ways.
struct Sheets {
    /// By edges with exactly two triangles.
    patches: Csr<TriangleId>,
    /// By any common edge: closed when the surface is.
    pieces: Csr<TriangleId>,
}

fn sheets(triangles: &[[VertexId; 3]]) -> Sheets {
    let mut patches = Groups::new(triangles.len());
    let mut pieces = Groups::new(triangles.len());
    for wings in edges_with_wings(triangles, |_| true).chunk_by(|a, b| a.0 == b.0) {
        for pair in wings.windows(2) {
            pieces.join(pair[0].1, pair[1].1);
        }
        if let [(_, a), (_, b)] = *wings {
            patches.join(a, b);
        }
    }
    Sheets { patches: rows(patches), pieces: rows(pieces) }
}

/// The members of each set as a row; sets in the order of their smallest members.
fn rows(mut groups: Groups) -> Csr<TriangleId> {
    let mut numbers = Vec::new();
    let mut of_member = Vec::with_capacity(groups.len());
    for member in 0..groups.len() as u32 {
        let root = groups.root(member);
        if root == member {
            of_member.push(numbers.len() as u32);
            numbers.push(root);
        } else {
            of_member.push(of_member[root as usize]);
        }
    }
    let pairs = of_member.iter().enumerate().map(|(t, &row)| (row, TriangleId(t as u32)));
    Csr::from_pairs(numbers.len(), pairs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::meeting::boxes::boxes;
    use crate::mesh::meeting::meeting_pairs;

    /// Nesting of a large box and a small one, by first triangle.
    #[track_caller]
    fn check(at: Vec3, flip: &[usize], expected: &[(u32, PartNesting)]) {
        let (positions, mut triangles) = boxes(&[(Vec3::ZERO, 3.0), (at, 1.0)]);
        for &piece in flip {
            for triangle in &mut triangles[12 * piece..12 * (piece + 1)] {
                triangle.swap(0, 1);
            }
        }
        // Where they touch at a corner they share it.
        let triangles = crate::mesh::weld::weld(&positions, &triangles);
        let found = standings(&positions, &triangles, &[]).found;
        let found: Vec<_> = found.into_iter().map(|(t, standing)| (t.0, standing)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn pieces_know_whether_they_are_skin_cavity_or_nested() {
        use PartNesting::{InvertedOrientation, Nested};
        check(Vec3::ZERO, &[1], &[]);
        check(Vec3::ZERO, &[], &[(12, Nested)]);
        check(Vec3::ZERO, &[0, 1], &[(0, InvertedOrientation), (12, InvertedOrientation)]);
        check(Vec3::X * 9.0, &[], &[]);
        check(Vec3::X * 9.0, &[1], &[(12, InvertedOrientation)]);
    }

    #[test]
    fn a_common_corner_does_not_hide_a_piece_inside_out() {
        check(Vec3::splat(4.0), &[], &[]);
        check(Vec3::splat(4.0), &[1], &[(12, PartNesting::InvertedOrientation)]);
    }

    #[test]
    fn volume_and_winding_of_a_box() {
        let (positions, triangles) = boxes(&[(Vec3::new(1e6, 0.0, 0.0), 0.5)]);
        // Six faces, each a pair of pyramids to one corner: a dozen roundings.
        assert!((signed_volume(&positions, &triangles).unwrap() - 1.0).abs() < 1e-14);
        assert_eq!(winding(&positions, &triangles, Vec3::new(1e6, 0.0, 0.0)), 1);
        assert_eq!(winding(&positions, &triangles, Vec3::ZERO), 0);
        assert_eq!(signed_volume(&[], &[]), None);
    }

    #[test]
    fn pieces_far_apart_keep_their_volume() {
        for k in 1..50 {
            let far = Vec3::new(1e6 + f64::from(k) / 7.0, 2e5 / f64::from(k), 0.1);
            let (positions, triangles) = boxes(&[(Vec3::splat(0.3), 0.5), (far, 0.5)]);
            let volume = signed_volume(&positions, &triangles).unwrap();
            assert!((volume - 2.0).abs() < 1e-8, "{volume}"); // 1e6 m has steps of 1e-10 m
        }
    }

    #[test]
    fn a_flat_surface_has_no_volume() {
        let (mut positions, triangles) = boxes(&[(Vec3::new(0.1, 0.2, 0.7), 0.3)]);
        positions.iter_mut().for_each(|p| p.z = p.x + p.y);
        assert_eq!(signed_volume(&positions, &triangles), None);
    }

    #[test]
    fn winding_next_to_a_face_is_decided_exactly() {
        let (positions, triangles) = boxes(&[(Vec3::ZERO, 1.0)]);
        for step in [f64::EPSILON, -f64::EPSILON / 2.0] {
            let point = Vec3::new(0.3, 0.1, 1.0 + step);
            assert_eq!(winding(&positions, &triangles, point), i64::from(step < 0.0));
        }
    }

    #[test]
    fn a_middle_that_rounds_out_of_the_box_changes_nothing() {
        // The middle of corners at −0.2 is −0.20000000000000004.
        let (positions, triangles) = boxes(&[(Vec3::ZERO, 0.2)]);
        let corners = triangles[0].map(|v| positions[v.index()]);
        assert!((corners[0] + corners[1] + corners[2]).z / 3.0 < -0.2);
        assert_eq!(standings(&positions, &triangles, &[]).found, []);
    }

    #[test]
    fn hostile_surfaces_end_the_search_and_say_so() {
        // Boxes around boxes: each corner lies inside all the larger ones.
        let list: Vec<_> = (1..4000).map(|k| (Vec3::ZERO, f64::from(k))).collect();
        let (positions, triangles) = boxes(&list);
        assert!(standings(&positions, &triangles, &[]).ended_early);
        assert!(!meeting_pairs(&positions, &triangles).ended_early);
    }
}
