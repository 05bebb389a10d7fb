//! Interpenetration without a vertex inside: edges that cross the other's faces.
//!
//! Edges that have passed far are no contact as such: from far behind, edges of opposite sides
//! seem to have passed too. Those that truly cross the other body's surface are tested again,
//! well beyond the size of the smaller body. The pair that has passed least defines the way out;
//! contacts that would lead another way wait until that one is gone.

use crate::contact::Contact;
use crate::contact::edges::{EdgeEdgeGap, edge_edge_gap};
use crate::contact::pair::{Pair, SearchState, edge_depth};
use crate::contact::separating_slab::SeparatingSlab;
use crate::contact::shape::{Facets, FeatureEdge, Shape, seen};
use crate::detect::boxes::{Hits, Query};
use crate::id::BodyId;
use crate::math::{Aabb, Vec3};
use crate::mesh::edge_search::crosses_any;

/// Least cosine of the angle to the shallowest normal; other contacts are skipped.
const SAME_WAY: f64 = 0.5;

/// How far edges may have passed each other, in sizes of the smaller body.
///
/// Two equal bars through the middle of each other have passed by exactly one size both ways.
const DEEPEST: f64 = 1.5;

/// Scratch memory, kept between pairs.
#[derive(Clone, Debug, Default)]
pub(crate) struct EdgeFaceCrossings {
    hits: Hits,
    /// Feature edges that cross the other body's surface, of each body.
    feature_edges: [Vec<u32>; 2],
    found: Vec<([u32; 2], EdgeEdgeGap)>,
}

/// What became of two surfaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Crossing {
    /// They do not cross, or contacts show it.
    None,
    /// They cross and no contact shows it, as where a rod is stuck through a plate.
    Unresolved,
}

impl EdgeFaceCrossings {
    /// Appends contacts of edges passed farther than [`SearchState::edges`] finds.
    pub(crate) fn find(
        &mut self,
        snapshot: &SearchState<'_>,
        pair: Pair,
        slab: Option<&SeparatingSlab>,
        found: &mut Vec<Contact>,
    ) -> Crossing {
        let [a, b] = pair.of;
        // Surfaces that are apart do not cross.
        if slab.is_some_and(|slab| slab.keeps_apart(0.0)) {
            return Crossing::None;
        }
        let [mine, theirs] = [a, b].map(|body| snapshot.boxes[body.index()]);
        if !mine.meets(theirs) || has_inside(snapshot, [a, b]) || has_inside(snapshot, [b, a]) {
            return Crossing::None;
        }
        let [one, other] = [a, b].map(|body| &snapshot.shapes[body.index()]);
        let shared = Aabb { min: mine.min.max(theirs.min), max: mine.max.min(theirs.max) };
        let query = Query::new(seen(shared, snapshot.origin));
        for (k, [own, around]) in [[one, other], [other, one]].into_iter().enumerate() {
            let EdgeFaceCrossings { hits, feature_edges, .. } = self;
            feature_edges[k].clear();
            let near = own.boxes.meeting(&query, hits).iter();
            let may_meet = |feature_edge: &FeatureEdge| {
                slab.is_none_or(|slab| {
                    feature_edge.side.ends.iter().any(|end| slab.may_meet(k, *end, 0.0))
                })
            };
            feature_edges[k].extend(near.filter(|&&place| {
                let feature_edge = &own.feature_edges[place as usize];
                may_meet(feature_edge) && runs_through(feature_edge, around)
            }));
        }
        if self.feature_edges.iter().all(Vec::is_empty) {
            return Crossing::None;
        }
        self.look([one, other], pair);
        let Some(best) =
            self.found.iter().map(|(_, edge_edge_gap)| *edge_edge_gap).reduce(shallower)
        else {
            return Crossing::Unresolved;
        };
        for (edges, edge_edge_gap) in &self.found {
            if edge_edge_gap.normal.dot(best.normal) > SAME_WAY {
                found.push(snapshot.between(pair, *edges, edge_edge_gap));
            }
        }
        Crossing::None
    }

    /// Tests the crossing edges of one body against those of the other.
    fn look(&mut self, [one, other]: [&Shape; 2], pair: Pair) {
        let EdgeFaceCrossings { feature_edges: [mine, theirs], found, .. } = self;
        found.clear();
        for &place in &*mine {
            let first = &one.feature_edges[place as usize];
            for &place in &*theirs {
                let second = &other.feature_edges[place as usize];
                let near = edge_depth(pair.margin, first.length.min(second.length));
                let deep = DEEPEST * pair.margin.size;
                if let Some(edge_edge_gap) = edge_edge_gap(&first.side, &second.side, -near, deep) {
                    found.push(([first.edge, second.edge], edge_edge_gap));
                }
            }
        }
    }
}

/// The one that has passed less; of equals the first.
fn shallower(a: EdgeEdgeGap, b: EdgeEdgeGap) -> EdgeEdgeGap {
    if b.gap > a.gap { b } else { a }
}

/// Whether a vertex of the first body is inside the second.
pub(super) fn has_inside(snapshot: &SearchState<'_>, [own, body]: [BodyId; 2]) -> bool {
    let vertices = snapshot.bodies.vertices(own);
    let first = snapshot.inside.partition_point(|(vertex, _)| vertex.index() < vertices.start);
    let own = snapshot.inside[first..].iter();
    own.take_while(|(vertex, _)| vertex.index() < vertices.end).any(|(_, into)| *into == body)
}

/// Whether an edge crosses a surface.
fn runs_through(feature_edge: &FeatureEdge, around: &Shape) -> bool {
    let Facets { tree, corners, .. } = &around.facets;
    crosses_any(tree, feature_edge.side.ends, |k| corners[k as usize], crosses)
}

/// Whether a segment crosses a triangle, up to rounding: a later step decides anew.
#[inline]
fn crosses([p, q]: [Vec3; 2], [a, b, c]: [Vec3; 3]) -> bool {
    let (normal, way) = ((b - a).cross(c - a), q - p);
    if normal.dot(p - a) * normal.dot(q - a) > 0.0 {
        return false;
    }
    // Signed volumes with the triangle's sides, of one sign where it passes within all of them.
    let [x, y, z] = [a - p, b - p, c - p];
    let turns = [way.dot(x.cross(y)), way.dot(y.cross(z)), way.dot(z.cross(x))];
    turns.iter().all(|turn| *turn >= 0.0) || turns.iter().all(|turn| *turn <= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_crosses_a_triangle_within_its_sides_and_between_its_ends() {
        let triangle = [Vec3::ZERO, 2.0 * Vec3::X, 2.0 * Vec3::Y];
        let (above, below) = (Vec3::new(0.5, 0.5, 1.0), Vec3::new(0.5, 0.5, -1.0));
        for [p, q] in [[above, below], [below, above]] {
            assert!(crosses([p, q], triangle));
            let aside = Vec3::new(1.2, 1.2, 0.0);
            assert!(!crosses([p + aside, q + aside], triangle));
        }
        assert!(!crosses([above, above + Vec3::Z], triangle));
        assert!(crosses([above, Vec3::new(0.5, 0.5, 0.0)], triangle)); // touching is crossing
    }
}
