//! Where a surface intersects itself, or one of its components lies inside another.
//!
//! A body made of positive tets covers a point as often as its boundary winds around it.
//! Where the boundary is simple and meets itself nowhere, that number is the same all
//! along the inner side of a patch of it. So the body overlaps itself only if its boundary
//! meets itself, or winds more than once around the inner side of some patch.

use std::f64::consts::PI;

use crate::id::{TriangleId, VertexId};
use crate::math::{Aabb, Vec3, orient3d};
use crate::mesh::bvh::Bvh;
use crate::mesh::intersect::{is_degenerate, meet_beyond_edge, segment_meets_triangle};
use crate::mesh::topology::{Csr, Groups};

/// Pairs after which the search for more ends: a soup may have quadratically many.
pub const MOST_PAIRS: usize = 100_000;

/// A volume below this share of the sum of its parts is rounding.
const VOLUME_ROUNDING: f64 = 1e-13;

/// How one patch of a surface is nested in all the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartNesting {
    /// The outside of a body, or the wall of a cavity in one.
    Sound,
    /// Oriented outward, but inside something else: the interiors overlap.
    Nested,
    /// Oriented inward, with nothing around it.
    InvertedOrientation,
}

/// Solid angles that are summed at most, before the search for nested patches ends.
///
/// Only thousands of patches inside each other need so many.
const MOST_ANGLES: usize = 1 << 26;

/// Pairs of an edge and a triangle that are tried at most, before the search ends.
///
/// Only a soup of long thin triangles needs so many.
const MOST_TRIALS: usize = 1 << 26;

/// What was found, and whether the search was completed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search<T> {
    /// Everything found, in a fixed order.
    pub found: Vec<T>,
    /// The search was ended early: there may be more.
    pub ended_early: bool,
}

/// Pairs of triangles that meet other than at the corners and edges they share.
///
/// Ascending, the smaller first, at most [`MOST_PAIRS`]. Exact, and closed: touching
/// is meeting. Triangles without area or with a corner that is not finite are ignored.
///
/// Two triangles meet where an edge of one meets the other. An edge that starts at a
/// corner of the other adds nothing new: if they share one corner their far edges decide,
/// and if they share two they overlap only when folded flat. So edges are tried on the
/// triangles that they share no corner with.
pub fn meeting_pairs(positions: &[Vec3], triangles: &[[VertexId; 3]]) -> Search<[TriangleId; 2]> {
    let usable =
        |corners: [Vec3; 3]| corners.iter().all(|c| c.is_finite()) && !is_degenerate(corners);
    let boxes: Vec<_> = triangles
        .iter()
        .map(|triangle| {
            let corners = triangle.map(|v| positions[v.index()]);
            if usable(corners) { Aabb::around(corners) } else { Aabb::EMPTY }
        })
        .collect();
    let tree = Bvh::new(&boxes);
    // In a fan every box holds the hub: whole branches that share it are skipped.
    let hubs = tree.summaries(|item| Hubs::of(triangles[item as usize]), Hubs::common);

    let (mut pairs, mut trials) = (Vec::new(), 0);
    for (edge, wings) in edges_with_wings(triangles, |index| boxes[index] != Aabb::EMPTY)
        .chunk_by(|a, b| a.0 == b.0)
        .map(|w| (w[0].0, w))
    {
        folded(positions, edge, wings, triangles, &mut pairs);
        let ends = edge.map(|v| positions[v.index()]);
        let elsewhere = |node: usize| !hubs[node].hold_any(edge);
        tree.meeting_where(Aabb::around(ends), elsewhere, |other| {
            trials += 1;
            let corners = triangles[other as usize];
            let apart = !corners.contains(&edge[0]) && !corners.contains(&edge[1]);
            if apart && segment_meets_triangle(ends, corners.map(|v| positions[v.index()])) {
                let both = |wing: u32| [TriangleId(wing.min(other)), TriangleId(wing.max(other))];
                pairs.extend(wings.iter().map(|&(_, wing)| both(wing)));
            }
            pairs.len() < MOST_PAIRS && trials < MOST_TRIALS
        });
        if pairs.len() >= MOST_PAIRS || trials >= MOST_TRIALS {
            break;
        }
    }
    let ended_early = pairs.len() >= MOST_PAIRS || trials >= MOST_TRIALS;
    pairs.sort_unstable();
    pairs.dedup();
    Search { found: pairs, ended_early }
}

/// The first triangle of every patch that is nested or oriented inward.
///
/// A patch is a component connected by edges with exactly two triangles. The surface must be
/// closed. Patches with a triangle in `meeting`, the pairs of [`meeting_pairs`], are not
/// judged: the winding number is not constant along them.
pub fn standings(
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
            Aabb::around(corners.map(|v| positions[v.index()]))
        })
        .collect();
    let tree = Bvh::new(&boxes);
    let (mut found, mut angles) = (Vec::new(), 0);
    for patch in patches.iter().filter(|patch| !patch.iter().any(|t| meets[t.index()])) {
        let Some((own, middle)) = representative(positions, triangles, patch) else { continue };
        let mut around = 0.0;
        // A closed component whose box is elsewhere winds around nothing here. The query is the
        // whole triangle, as rounding may push its middle out of its own component's box.
        let corners = triangles[own.index()].map(|v| positions[v.index()]);
        tree.meeting(Aabb::around(corners), |piece| {
            let members = pieces.row(piece as usize);
            angles += members.len();
            let others = members.iter().filter(|t| **t != own);
            around += others
                .map(|t| solid_angle(triangles[t.index()].map(|v| positions[v.index()]), middle))
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
    let apex = positions[triangles.first()?[0].index()];
    let (mut sum, mut sum_of_sizes) = (0.0, 0.0);
    for triangle in triangles {
        let [a, b, c] = triangle.map(|v| positions[v.index()]);
        // One long factor instead of three: components far apart keep their digits.
        let volume = (b - a).cross(c - a).dot(a - apex) / 6.0;
        sum += volume;
        sum_of_sizes += volume.abs();
    }
    (sum.abs() > VOLUME_ROUNDING * sum_of_sizes).then_some(sum)
}

/// Winding number of a closed surface around a point that is not on it.
pub fn winding(positions: &[Vec3], triangles: &[[VertexId; 3]], point: Vec3) -> i64 {
    let corners = triangles.iter().map(|t| t.map(|v| positions[v.index()]));
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

/// Corners that all triangles below a node share.
#[derive(Clone, Copy, Debug)]
struct Hubs([VertexId; 3], usize);

impl Hubs {
    fn of(triangle: [VertexId; 3]) -> Hubs {
        Hubs(triangle, 3)
    }

    fn common(self, other: Hubs) -> Hubs {
        let mut common = Hubs(self.0, 0);
        for vertex in &self.0[..self.1] {
            if other.0[..other.1].contains(vertex) {
                common.0[common.1] = *vertex;
                common.1 += 1;
            }
        }
        common
    }

    #[inline]
    fn hold_any(self, edge: [VertexId; 2]) -> bool {
        self.0[..self.1].iter().any(|hub| edge.contains(hub))
    }
}

/// Every edge of a usable triangle with that triangle, sorted by edge.
fn edges_with_wings(
    triangles: &[[VertexId; 3]],
    is_usable: impl Fn(usize) -> bool,
) -> Vec<([VertexId; 2], u32)> {
    let usable = triangles.iter().enumerate().filter(|(index, _)| is_usable(*index));
    let mut edges: Vec<_> = usable
        .flat_map(|(index, t)| {
            let edge = |a: VertexId, b: VertexId| ([a.min(b), a.max(b)], index as u32);
            [edge(t[0], t[1]), edge(t[1], t[2]), edge(t[2], t[0])]
        })
        .collect();
    edges.sort_unstable();
    edges
}

/// Adds the pairs of triangles at one edge that are folded flat, or are the same twice.
fn folded(
    positions: &[Vec3],
    edge: [VertexId; 2],
    wings: &[([VertexId; 2], u32)],
    triangles: &[[VertexId; 3]],
    pairs: &mut Vec<[TriangleId; 2]>,
) {
    let tip = |wing: u32| triangles[wing as usize].into_iter().find(|v| !edge.contains(v));
    for (place, &(_, a)) in wings.iter().enumerate() {
        for &(_, b) in &wings[place + 1..] {
            if pairs.len() >= MOST_PAIRS {
                return;
            }
            let (Some(tip_a), Some(tip_b)) = (tip(a), tip(b)) else { continue };
            let at = |v: VertexId| positions[v.index()];
            if tip_a == tip_b || meet_beyond_edge(edge.map(at), at(tip_a), at(tip_b)) {
                pairs.push([TriangleId(a.min(b)), TriangleId(a.max(b))]);
            }
        }
    }
}

/// The largest triangle of a patch and its middle, which is well away from all the others.
fn representative(
    positions: &[Vec3],
    triangles: &[[VertexId; 3]],
    patch: &[TriangleId],
) -> Option<(TriangleId, Vec3)> {
    let corners = |t: TriangleId| triangles[t.index()].map(|v| positions[v.index()]);
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
    use crate::math::random::Random;
    use crate::mesh::intersect::{meet_beyond_corner, triangles_meet};

    /// The surface of a box, outward, with its corners appended to `positions`.
    fn add_box(
        positions: &mut Vec<Vec3>,
        triangles: &mut Vec<[VertexId; 3]>,
        centre: Vec3,
        half: f64,
    ) {
        let base = positions.len() as u32;
        for corner in 0..8 {
            let sign = |bit: u32| if corner & bit == 0 { -half } else { half };
            positions.push(centre + Vec3::new(sign(1), sign(2), sign(4)));
        }
        let quads =
            [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        for [a, b, c, d] in quads {
            triangles.push([a, b, c].map(|corner| VertexId(base + corner)));
            triangles.push([a, c, d].map(|corner| VertexId(base + corner)));
        }
    }

    fn boxes(list: &[(Vec3, f64)]) -> (Vec<Vec3>, Vec<[VertexId; 3]>) {
        let (mut positions, mut triangles) = (Vec::new(), Vec::new());
        for &(centre, half) in list {
            add_box(&mut positions, &mut triangles, centre, half);
        }
        (positions, triangles)
    }

    /// Whether two triangles of one surface meet where they should not.
    fn meet(positions: &[Vec3], a: [VertexId; 3], b: [VertexId; 3]) -> bool {
        let at = |v: VertexId| positions[v.index()];
        let common = |v: &VertexId| b.contains(v);
        match a.iter().filter(|v| common(v)).count() {
            0 => triangles_meet(a.map(at), b.map(at)),
            1 => {
                let Some(i) = a.iter().position(common) else { return false };
                let Some(j) = b.iter().position(|v| *v == a[i]) else { return false };
                let far = |t: [VertexId; 3], k: usize| [at(t[(k + 1) % 3]), at(t[(k + 2) % 3])];
                meet_beyond_corner(at(a[i]), far(a, i), far(b, j))
            }
            2 => {
                let Some(i) = a.iter().position(|v| !common(v)) else { return false };
                let Some(&tip) = b.iter().find(|v| !a.contains(v)) else { return false };
                meet_beyond_edge([at(a[(i + 1) % 3]), at(a[(i + 2) % 3])], at(a[i]), at(tip))
            }
            _ => true, // the same triangle twice
        }
    }

    /// Reference implementation: every pair, without a tree.
    fn brute_pairs(positions: &[Vec3], triangles: &[[VertexId; 3]]) -> Vec<[TriangleId; 2]> {
        let mut pairs = Vec::new();
        for a in 0..triangles.len() {
            for b in a + 1..triangles.len() {
                if meet(positions, triangles[a], triangles[b]) {
                    pairs.push([TriangleId(a as u32), TriangleId(b as u32)]);
                }
            }
        }
        pairs
    }

    #[test]
    fn a_box_meets_itself_nowhere_and_another_where_they_cross() {
        let (positions, triangles) = boxes(&[(Vec3::ZERO, 1.0)]);
        assert!(meeting_pairs(&positions, &triangles).found.is_empty());
        let (positions, triangles) = boxes(&[(Vec3::ZERO, 1.0), (Vec3::splat(0.9), 1.0)]);
        let found = meeting_pairs(&positions, &triangles).found;
        assert!(!found.is_empty());
        assert_eq!(found, brute_pairs(&positions, &triangles));
    }

    #[test]
    fn random_surfaces_meet_themselves_as_the_slow_twin_says() {
        let mut random = Random::new(3);
        for _ in 0..200 {
            // A coarse lattice, so that corners, edges and planes coincide often.
            let positions: Vec<_> = (0..12).map(|_| random.lattice_point(4)).collect();
            let triangles: Vec<_> = (0..10)
                .map(|_| [0, 4, 8].map(|first| VertexId(first + random.below(4) as u32)))
                .filter(|t| !is_degenerate(t.map(|v| positions[v.index()])))
                .collect();
            let found = meeting_pairs(&positions, &triangles).found;
            assert_eq!(found, brute_pairs(&positions, &triangles));
        }
    }

    #[test]
    fn a_fan_of_many_triangles_takes_no_quadratic_time() {
        // A disc of 50,000 sectors: a billion pairs share its middle.
        let count = 50_000_u32;
        let rim = |k: u32| {
            let (sin, cos) = libm::sincos(f64::from(k) / f64::from(count) * std::f64::consts::TAU);
            Vec3::new(cos, sin, 0.0)
        };
        let positions: Vec<_> = [Vec3::ZERO].into_iter().chain((0..count).map(rim)).collect();
        let sector = |k: u32| [0, 1 + k, 1 + (k + 1) % count].map(VertexId);
        let triangles: Vec<_> = (0..count).map(sector).collect();
        assert!(meeting_pairs(&positions, &triangles).found.is_empty());
    }

    #[test]
    fn a_dent_pushed_through_the_far_side_is_seen() {
        let (mut positions, triangles) = boxes(&[(Vec3::ZERO, 1.0)]);
        positions[0] = Vec3::new(3.0, 0.0, 0.0);
        assert!(!meeting_pairs(&positions, &triangles).found.is_empty());
    }

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

    #[test]
    fn unusable_triangles_take_no_part() {
        let (mut positions, triangles) = boxes(&[(Vec3::ZERO, 1.0), (Vec3::splat(0.9), 1.0)]);
        for position in &mut positions[..8] {
            position.x = f64::NAN;
        }
        assert!(meeting_pairs(&positions, &triangles).found.is_empty());
    }
}
