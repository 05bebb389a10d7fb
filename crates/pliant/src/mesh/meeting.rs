//! Where the triangles of a surface meet other than at the corners and edges they share.
//!
//! Two triangles meet where an edge of one meets the other. An edge that starts at a
//! corner of the other adds nothing new: if they share one corner their far edges decide,
//! and if they share two they overlap only when folded flat. So edges are tried on the
//! triangles that they share no corner with.
//!
//! All boxes of a fan hold its hub, and meet every edge that starts there. So the triangles at
//! vertices of high valence are in trees of their own, which the edges from there skip; and trees
//! in which boxes along the axes rule out too little get oriented ones.

use std::cell::Cell;

use crate::id::{TriangleId, VertexId};
use crate::math::{Aabb, Vec3};
use crate::mesh::bvh::Bvh;
use crate::mesh::half_planes::half_planes;
use crate::mesh::intersect::{is_degenerate, meet_beyond_edge, segment_meets_triangle};
use crate::mesh::oriented::{self, OrientedBox};

/// Pairs after which the search for more ends: a soup may have quadratically many.
pub(crate) const MOST_PAIRS: usize = 100_000;

/// Pairs of an edge and a triangle that are tried at most, before the search ends.
///
/// Only a soup of long thin triangles needs so many.
const MOST_TRIALS: usize = 1 << 26;

/// Triangles at a vertex from which on it is a hub.
const HUB: usize = 64;

/// Nodes visited per triangle of a tree before it gets oriented boxes.
///
/// A dozen edges are near a triangle of a usual mesh, and each visits a few nodes around it.
const PATIENCE: usize = 128;

/// What was found, and whether the search was completed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Search<T> {
    /// Everything found, in a fixed order.
    pub found: Vec<T>,
    /// The search was ended early: there may be more.
    pub ended_early: bool,
}

/// Pairs of triangles that meet other than at the corners and edges they share.
///
/// Ascending, the smaller first, at most [`MOST_PAIRS`]. Exact, and closed: touching
/// is meeting. Triangles without area or with a corner that is not finite are ignored.
pub(crate) fn meeting_pairs(
    positions: &[Vec3],
    triangles: &[[VertexId; 3]],
) -> Search<[TriangleId; 2]> {
    search(positions, triangles).0
}

/// Every edge of a usable triangle with that triangle, sorted by edge.
pub(crate) fn edges_with_wings(
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

/// What a search did.
#[derive(Clone, Copy, Debug, Default)]
struct Work {
    /// Pairs of an edge and a triangle that were tried.
    trials: usize,
    /// Nodes of trees whose boxes met that of an edge.
    nodes: usize,
}

fn search(positions: &[Vec3], triangles: &[[VertexId; 3]]) -> (Search<[TriangleId; 2]>, Work) {
    let mut fans = Fans::new(positions, triangles);
    let (mut pairs, mut work) = (Vec::new(), Work::default());
    let edges = edges_with_wings(triangles, |index| fans.boxes[index] != Aabb::EMPTY);
    for wings in edges.chunk_by(|a, b| a.0 == b.0) {
        let edge = wings[0].0;
        add_folded(positions, edge, wings, triangles, &mut pairs);
        let ends = edge.map(|v| positions[v.index()]);
        fans.visit_near(edge, &mut work, |other, trials| {
            let corners = triangles[other as usize];
            let apart = !corners.contains(&edge[0]) && !corners.contains(&edge[1]);
            if apart && segment_meets_triangle(ends, corners.map(|v| positions[v.index()])) {
                let both = |wing: u32| [TriangleId(wing.min(other)), TriangleId(wing.max(other))];
                pairs.extend(wings.iter().map(|&(_, wing)| both(wing)));
            }
            pairs.len() < MOST_PAIRS && trials < MOST_TRIALS
        });
        if pairs.len() >= MOST_PAIRS || work.trials >= MOST_TRIALS {
            break;
        }
    }
    let ended_early = pairs.len() >= MOST_PAIRS || work.trials >= MOST_TRIALS;
    pairs.sort_unstable();
    pairs.dedup();
    (Search { found: pairs, ended_early }, work)
}

/// Triangles in trees, one for each set of hubs among their corners.
struct Fans<'a> {
    positions: &'a [Vec3],
    triangles: &'a [[VertexId; 3]],
    /// Of each triangle, m; empty for those that are ignored.
    boxes: Vec<Aabb>,
    fans: Vec<Fan>,
    /// Of the fans.
    tree: Bvh,
    /// Hubs that all fans below each node of `tree` share.
    common: Vec<Hubs>,
}

/// Triangles with the same hubs.
struct Fan {
    hubs: Hubs,
    /// Index of each triangle of the tree among all.
    members: Vec<u32>,
    tree: Bvh,
    /// Corners that all triangles below each node share.
    common: Vec<Hubs>,
    /// Boxes along what they hold, by node; none until they are needed.
    oriented: Vec<OrientedBox>,
    /// Nodes that were visited so far.
    visited: usize,
}

impl Fans<'_> {
    fn new<'a>(positions: &'a [Vec3], triangles: &'a [[VertexId; 3]]) -> Fans<'a> {
        let usable =
            |corners: [Vec3; 3]| corners.iter().all(|c| c.is_finite()) && !is_degenerate(corners);
        let box_of = |triangle: &[VertexId; 3]| {
            let corners = triangle.map(|v| positions[v.index()]);
            if usable(corners) { Aabb::around(corners) } else { Aabb::EMPTY }
        };
        let boxes: Vec<_> = triangles.iter().map(box_of).collect();
        let mut valence = vec![0_usize; positions.len()];
        triangles.iter().flatten().for_each(|v| valence[v.index()] += 1);
        let is_hub = |v: &VertexId| valence[v.index()] >= HUB;
        let mut order: Vec<_> =
            (0..triangles.len()).map(|t| (Hubs::among(triangles[t], is_hub), t as u32)).collect();
        order.sort_unstable();
        let fan = |members: &[(Hubs, u32)]| Fan::new(members, &boxes, triangles);
        let fans: Vec<_> = order.chunk_by(|a, b| a.0 == b.0).map(fan).collect();
        let around: Vec<_> = fans.iter().map(|fan| fan.tree.around()).collect();
        let tree = Bvh::new(&around);
        let common = tree.summaries(|fan| fans[fan as usize].hubs, Hubs::common);
        Fans { positions, triangles, boxes, fans, tree, common }
    }

    /// Visits the triangles near an edge, with the number of trials so far.
    ///
    /// Many that have a corner in common with the edge are skipped. Ends when `visit` returns
    /// `false`.
    fn visit_near(
        &mut self,
        edge: [VertexId; 2],
        work: &mut Work,
        mut visit: impl FnMut(u32, usize) -> bool,
    ) {
        let Fans { positions, triangles, fans, tree, common, .. } = self;
        let ends = edge.map(|v| positions[v.index()]);
        let corners = |t: u32| triangles[t as usize].map(|v| positions[v.index()]);
        let elsewhere = |node: usize| !common[node].hold_any(edge);
        tree.meeting_where(Aabb::around(ends), elsewhere, |fan| {
            let fan = &mut fans[fan as usize];
            fan.hubs.hold_any(edge) || fan.visit_near(edge, ends, corners, work, &mut visit)
        });
    }
}

impl Fan {
    fn new(members: &[(Hubs, u32)], boxes: &[Aabb], triangles: &[[VertexId; 3]]) -> Fan {
        let hubs = members.first().map_or(Hubs::default(), |member| member.0);
        let members: Vec<u32> = members.iter().map(|member| member.1).collect();
        let own: Vec<_> = members.iter().map(|&t| boxes[t as usize]).collect();
        let tree = Bvh::new(&own);
        let corners = |item: u32| Hubs::among(triangles[members[item as usize] as usize], |_| true);
        let common = tree.summaries(corners, Hubs::common);
        Fan { hubs, members, tree, common, oriented: Vec::new(), visited: 0 }
    }

    /// Returns `false` where `visit` did, and the search is over.
    fn visit_near(
        &mut self,
        edge: [VertexId; 2],
        ends: [Vec3; 2],
        corners: impl Fn(u32) -> [Vec3; 3],
        work: &mut Work,
        visit: &mut impl FnMut(u32, usize) -> bool,
    ) -> bool {
        if self.oriented.is_empty() && self.visited > PATIENCE * self.members.len() {
            let corners = |item: u32| corners(self.members[item as usize]);
            self.oriented = oriented::boxes_of_nodes(&self.tree, corners);
        }
        let (nodes, mut goes_on) = (Cell::new(0), true);
        let is_near = |node: usize| {
            nodes.set(nodes.get() + 1);
            let is_missed = |around: &OrientedBox| around.is_missed_by(ends);
            !self.common[node].hold_any(edge) && !self.oriented.get(node).is_some_and(is_missed)
        };
        self.tree.meeting_where(Aabb::around(ends), is_near, |item| {
            work.trials += 1;
            goes_on = visit(self.members[item as usize], work.trials);
            goes_on
        });
        work.nodes += nodes.get();
        self.visited += nodes.get();
        goes_on
    }
}

/// Up to three vertices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Hubs([VertexId; 3], usize);

impl Hubs {
    /// The corners of a triangle that are wanted, ascending.
    fn among(mut corners: [VertexId; 3], is_wanted: impl Fn(&VertexId) -> bool) -> Hubs {
        corners.sort_unstable();
        let mut hubs = Hubs::default();
        for corner in corners.into_iter().filter(is_wanted) {
            hubs.0[hubs.1] = corner;
            hubs.1 += 1;
        }
        hubs
    }

    fn common(self, other: Hubs) -> Hubs {
        let mut common = Hubs::default();
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

/// Adds the pairs of triangles at one edge that are folded flat, or are the same twice.
fn add_folded(
    positions: &[Vec3],
    edge: [VertexId; 2],
    wings: &[([VertexId; 2], u32)],
    triangles: &[[VertexId; 3]],
    pairs: &mut Vec<[TriangleId; 2]>,
) {
    if wings.len() < 2 {
        return;
    }
    let at = |v: VertexId| positions[v.index()];
    let tip = |wing: u32| triangles[wing as usize].into_iter().find(|v| !edge.contains(v));
    let tips: Vec<Vec3> = wings.iter().filter_map(|&(_, wing)| tip(wing)).map(at).collect();
    debug_assert!(tips.len() == wings.len(), "a triangle without area at {edge:?}");
    if let ([(_, a), (_, b)], [tip_a, tip_b]) = (wings, &*tips) {
        if pairs.len() < MOST_PAIRS && meet_beyond_edge(edge.map(at), *tip_a, *tip_b) {
            pairs.push([TriangleId(*a.min(b)), TriangleId(*a.max(b))]);
        }
        return;
    }
    let planes = half_planes(edge.map(at), &tips);
    // Rows of equal half-planes, in the order of the wings.
    let mut rows: Vec<(u32, usize)> = planes.iter().copied().zip(0..).collect();
    rows.sort_unstable();
    let mut later = vec![&rows[..0]; wings.len()];
    for row in rows.chunk_by(|a, b| a.0 == b.0) {
        for (k, (_, place)) in row.iter().enumerate() {
            later[*place] = &row[k + 1..];
        }
    }
    for (&(_, a), row) in wings.iter().zip(later) {
        for (_, place) in row {
            if pairs.len() >= MOST_PAIRS {
                return;
            }
            let b = wings[*place].1;
            pairs.push([TriangleId(a.min(b)), TriangleId(a.max(b))]);
        }
    }
}

#[cfg(test)]
pub(super) mod boxes;

#[cfg(test)]
mod tests;
