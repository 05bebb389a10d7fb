//! Contacts that two bodies will have within a step, along their paths.
//!
//! Bodies that move farther in a step than contacts are searched for would pass through each
//! other. Each vertex is followed along its way relative to the other body, and edges along that
//! of their bodies; where they meet something, that is a speculative contact: its gap may close
//! in the step and no more. No step needs to be divided.
//!
//! | here   | meaning                                                                  |
//! |--------|--------------------------------------------------------------------------|
//! | `way`  | of a vertex or an edge relative to the other body in a step, m           |
//! | `part` | share of the way after which they meet                                   |

use crate::contact::edges::edge_edge_gap;
use crate::contact::margin::VelocityBounds;
use crate::contact::near::{ClosestPoint, shares};
use crate::contact::obstacles::AHEAD;
use crate::contact::pair::{Pair, SearchState};
use crate::contact::shape::{FeatureEdge, seen};
use crate::contact::{Contact, Feature, inside};
use crate::detect::boxes::{Hits, Query};
use crate::id::{BodyId, TriangleId, VertexId};
use crate::math::{Aabb, Vec3};
use crate::mesh::normals::face_normal;

/// Way in a step, in sizes of the smaller body, beyond which its interior is followed too.
const CRUSHING: f64 = 0.5;

/// Velocities of two bodies in a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paths<'a> {
    /// Of all vertices of the scene, m/s.
    pub velocities: &'a [Vec3],
    /// Of the two bodies.
    pub bounds: [VelocityBounds; 2],
    /// Length of the step, s.
    pub dt: f64,
}

impl Paths<'_> {
    /// Whether the bodies may move farther than contacts are searched for.
    pub(crate) fn are_long(&self, reach: f64) -> bool {
        self.longest() > reach
    }

    /// How far vertices of one body may move relative to the other, m.
    pub(crate) fn longest(&self) -> f64 {
        let [a, b] = self.bounds;
        AHEAD * self.dt * a.closing(b)
    }
}

/// Appends the contacts along the paths of a pair, beyond those that are in `found` from `first`.
pub(crate) fn find(
    state: &SearchState<'_>,
    pair: Pair,
    paths: Paths<'_>,
    hits: &mut Hits,
    found: &mut Vec<Contact>,
    first: usize,
) {
    let mut known: Vec<Feature> = found[first..].iter().map(|contact| contact.feature).collect();
    known.sort_unstable();
    let ([a, b], crushing) = (pair.of, CRUSHING * pair.margin.size);
    for (k, of) in [[a, b], [b, a]].into_iter().enumerate() {
        let mean = paths.bounds[1 - k].mean;
        let surface = state.features.surface_of(of[0]);
        for vertex in state.bodies.vertices(of[0]).map(|v| VertexId(v as u32)) {
            let way = AHEAD * paths.dt * (paths.velocities[vertex.index()] - mean);
            // Those in the interior too, where a body may be crushed through its own front.
            let is_long = way.length_squared() > crushing * crushing;
            if !is_long && surface.binary_search(&vertex).is_err() {
                continue;
            }
            let is_new = known.binary_search(&Feature::VertexBody(vertex, of[1])).is_err();
            if is_new && let Some(met) = vertex_ahead(state, vertex, of[1], way) {
                found.push(state.against(Pair { of, ..pair }, vertex, &met));
            }
        }
    }
    let way = AHEAD * paths.dt * (paths.bounds[0].mean - paths.bounds[1].mean);
    edges_ahead(state, pair, way, hits, |contact| {
        if known.binary_search(&contact.feature).is_err() {
            found.push(contact);
        }
    });
}

/// Where the way of a vertex first meets the surface of a body from outside.
fn vertex_ahead(
    state: &SearchState<'_>,
    vertex: VertexId,
    body: BodyId,
    way: Vec3,
) -> Option<ClosestPoint> {
    let from = state.positions[vertex.index()];
    let along = Aabb::around([from, from + way]);
    if !along.meets(state.boxes[body.index()])
        || state.inside.binary_search(&(vertex, body)).is_ok()
    {
        return None;
    }
    let (length, direction) = (way.length(), way.try_normalize()?);
    let facets = &state.shapes[body.index()].facets;
    let mut best: Option<(f64, u32)> = None;
    facets.tree.meeting(along, |k| {
        let [a, b, c] = facets.corners[k as usize];
        // Turned round, as the way leads in.
        if let Some((t, _)) = inside::hit(from, direction, [a, c, b])
            && t <= length
            && best.is_none_or(|least| (t, k) < least)
        {
            best = Some((t, k));
        }
        true
    });
    let (t, k) = best?;
    let (met, corners) = (from + t * direction, facets.corners[k as usize]);
    let normal = face_normal(corners)?;
    Some(ClosestPoint {
        triangle: TriangleId(facets.first as u32 + k),
        shares: shares(met, corners),
        normal,
        gap: normal.dot(from - met),
    })
}

/// Gives the contacts of edges that meet when the first body is moved along a way.
fn edges_ahead(
    state: &SearchState<'_>,
    pair: Pair,
    way: Vec3,
    hits: &mut Hits,
    mut found: impl FnMut(Contact),
) {
    let [one, other] = pair.of.map(|body| &state.shapes[body.index()]);
    let theirs = state.boxes[pair.of[1].index()];
    for first in &one.feature_edges {
        let here = first.around();
        let swept = here.union(Aabb { min: here.min + way, max: here.max + way });
        if !swept.meets(theirs) {
            continue;
        }
        for &place in other.boxes.meeting(&Query::new(seen(swept, state.origin)), hits) {
            let second = &other.feature_edges[place as usize];
            if let Some(contact) = edge_ahead(state, pair, [first, second], way) {
                found(contact);
            }
        }
    }
}

/// The contact of two edges that meet when the first is moved along a way.
fn edge_ahead(
    state: &SearchState<'_>,
    pair: Pair,
    [first, second]: [&FeatureEdge; 2],
    way: Vec3,
) -> Option<Contact> {
    let ([a0, a1], [b0, b1]) = (first.side.ends, second.side.ends);
    let across = (a1 - a0).cross(b1 - b0);
    let part = (b0 - a0).dot(across) / way.dot(across);
    // NaN fails as well.
    if !(0.0..=1.0).contains(&part) {
        return None;
    }
    let there = first.side.moved(part * way);
    let offset = pair.margin.offset;
    let mut met = edge_edge_gap(&there, &second.side, offset, offset)?;
    let closing = -met.normal.dot(way);
    if closing <= 0.0 {
        return None;
    }
    met.gap = part * closing;
    Some(state.between(pair, [first.edge, second.edge], &met))
}
