//! Contacts of one pair of bodies: vertices near a surface, edges near edges.

use crate::body::{Bodies, BodyKind};
use crate::detect::boxes::{Hits, Query};
use crate::id::{BodyId, VertexId};
use crate::math::{Aabb, Vec3};
use crate::respond::contact::edges::{Passing, passing};
use crate::respond::contact::features::Features;
use crate::respond::contact::margin::Margin;
use crate::respond::contact::near::{Foot, foot, terms};
use crate::respond::contact::shape::{Shape, grown, seen};
use crate::respond::contact::{Contact, Feature};

/// Edges that have passed each other by this much of the shorter one are still in contact.
///
/// As far as they reach, or this far: more, and they are edges that never met.
const EDGE_PAD: f64 = 0.1;

/// What is known of a moment before pairs are taken one by one.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'a> {
    /// Of all vertices, world space, m.
    pub positions: &'a [Vec3],
    /// Who is joined to whom.
    pub bodies: &'a Bodies,
    /// Edges and surface vertices.
    pub features: &'a Features,
    /// Shape of each body; only those with neighbours are up to date.
    pub shapes: &'a [Shape],
    /// Box of each body, m.
    pub boxes: &'a [Aabb],
    /// Pairs of a vertex and a body that it is inside of, ascending.
    pub inside: &'a [(VertexId, BodyId)],
    /// What f32 boxes are measured from, m.
    pub origin: Vec3,
    /// Coulomb's coefficient between bodies, unit 1.
    pub friction: f64,
}

/// Two bodies, and how near is near.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// The bodies.
    pub of: [BodyId; 2],
    /// Lengths of their contacts.
    pub margin: Margin,
}

/// How far edges may have passed each other, m, the shorter one being `length` m long.
#[inline]
pub fn edge_depth(reach: f64, length: f64) -> f64 {
    reach.max(EDGE_PAD * length)
}

impl Moment<'_> {
    /// Appends contacts of the first body's vertices, outside the second, with its surface.
    ///
    /// Of a net all vertices count, of other bodies those of the surface.
    pub fn vertices(&self, pair: Pair, found: &mut Vec<Contact>) {
        let ([a, b], Margin { reach, size, .. }) = (pair.of, pair.margin);
        let shape = &self.shapes[b.index()];
        if shape.corners.is_empty() {
            return;
        }
        let space = grown(self.boxes[b.index()], reach);
        let mut look = |vertex: VertexId| {
            let point = self.positions[vertex.index()];
            if !space.contains(point) || self.inside.binary_search(&(vertex, b)).is_ok() {
                return;
            }
            if let Some(foot) = foot(point, shape, reach, size) {
                found.push(self.against(pair, vertex, &foot));
            }
        };
        match self.bodies.kind(a) {
            BodyKind::Net => self.bodies.vertices(a).for_each(|v| look(VertexId(v as u32))),
            _ => self.features.surface_of(a).iter().for_each(|&v| look(v)),
        }
    }

    /// Appends contacts between the edges of both bodies.
    ///
    /// Bodies whose boxes are farther apart than they reach have none: edges of thin bodies
    /// would seem to have passed each other.
    pub fn edges(&self, pair: Pair, hits: &mut [Hits; 2], found: &mut Vec<Contact>) {
        let ([a, b], reach) = (pair.of, pair.margin.reach);
        let [mine, theirs] = [a, b].map(|body| self.boxes[body.index()]);
        if !grown(mine, reach).meets(theirs) {
            return;
        }
        let [one, other] = [a, b].map(|body| &self.shapes[body.index()]);
        let [near, nearer] = hits;
        let all = grown(theirs, edge_depth(reach, one.longest));
        for &place in one.boxes.meeting(&Query::new(seen(all, self.origin)), near) {
            let first = &one.ridges[place as usize];
            // What is within this edge's depth is within that of the shorter of two.
            let wide = grown(first.around(), edge_depth(reach, first.length));
            for &place in other.boxes.meeting(&Query::new(seen(wide, self.origin)), nearer) {
                let second = &other.ridges[place as usize];
                let depth = edge_depth(reach, first.length.min(second.length));
                if let Some(passing) = passing(&first.side, &second.side, reach, depth) {
                    found.push(self.between(pair, [first.edge, second.edge], &passing));
                }
            }
        }
    }

    /// The contact of a vertex with a surface.
    pub fn against(&self, pair: Pair, vertex: VertexId, foot: &Foot) -> Contact {
        let ([own, other], Margin { offset, size, .. }) = (pair.of, pair.margin);
        let (vertices, weights) = terms(vertex, foot, self.bodies);
        Contact {
            feature: Feature::VertexBody(vertex, other),
            vertices,
            weights,
            count: 4,
            bodies: (own, Some(other)),
            normal: foot.normal,
            gap: foot.gap,
            drift: Vec3::ZERO,
            friction: self.friction,
            offset,
            size,
        }
    }

    /// The contact of two edges.
    fn between(&self, pair: Pair, edges: [u32; 2], passing: &Passing) -> Contact {
        let ([a, b], Margin { offset, size, .. }) = (pair.of, pair.margin);
        let [[a0, a1], [b0, b1]] = edges.map(|edge| self.features.edges[edge as usize].ends);
        let Passing { s, t, normal, gap } = *passing;
        Contact {
            feature: Feature::EdgeEdge(edges[0], edges[1]),
            vertices: [a0, a1, b0, b1],
            weights: [1.0 - s, s, t - 1.0, -t],
            count: 4,
            bodies: (a, Some(b)),
            normal,
            gap,
            drift: Vec3::ZERO,
            friction: self.friction,
            offset,
            size,
        }
    }
}
