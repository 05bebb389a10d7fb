//! Contacts as linear constraint rows: which features, which normal, which gap.
//!
//! A contact is up to four vertices with signed weights, or four of each side where tets carry the
//! surface that touches. Their weighted sum u(x) = Σ wᵢ xᵢ is the position of one side relative
//! to the other, and the gap is their distance along the normal. Solvers see nothing else, so a
//! new kind of contact is a new way to make rows.
//!
//! | here                  | meaning                                                            |
//! |-----------------------|--------------------------------------------------------------------|
//! | `weights`             | positive on the first side, negative on the second                 |
//! | `normal`              | unit, from the second side to the first                            |
//! | `gap`                 | distance along the normal, m; negative when they overlap           |
//! | `min_normal_velocity` | v*: least speed along the normal at the end of the step, m/s       |
//! | `offset`              | δ: gap at which contact begins, m                                  |
//! | `size`                | size of the smaller body, m: all lengths are relative to it        |

pub mod impulse;

pub(crate) mod point_force;

pub mod output;

pub mod friction;

pub mod response;

pub mod features;

pub mod margin;

pub mod edges;

pub mod shape;

pub(crate) mod separating_slab;

pub mod near;

pub mod inside;

pub(crate) mod enclosed;

pub(crate) mod pair;

pub(crate) mod edge_face_crossings;

pub(crate) mod obstacles;

pub(crate) mod swept;

pub(crate) mod crush;

pub(crate) mod translation;

pub(crate) mod axes;

pub(crate) mod deep;

pub(crate) mod kept;

pub(crate) mod known_pairs;

pub mod search;

pub mod carried;

pub mod rules;

#[cfg(test)]
mod reference;

use crate::body::Bodies;
use crate::id::{BodyId, MismatchError, VertexId, at};
use crate::math::Vec3;

/// The two features in contact; the warm start finds its impulse by them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Feature {
    /// A vertex and another body.
    VertexBody(VertexId, BodyId),
    /// Two surface edges, numbered through the scene.
    EdgeEdge(u32, u32),
    /// A vertex and an obstacle.
    VertexObstacle(VertexId, u32),
}

/// One contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The features it is between.
    pub feature: Feature,
    /// Vertices, first those of the first side; the first `count` are in use.
    pub vertices: [VertexId; 4],
    /// Weight of each vertex.
    pub weights: [f64; 4],
    /// Vertices in use.
    pub count: usize,
    /// Vertices of the second side, where those above are all of the first.
    pub second: Option<SecondSide>,
    /// Bodies of the two sides; the second is none for an obstacle.
    pub bodies: (BodyId, Option<BodyId>),
    /// Unit, from the second side to the first.
    pub normal: Vec3,
    /// Distance along the normal, m; negative when they overlap.
    pub gap: f64,
    /// Velocity of the second side where it is an obstacle, m/s.
    pub surface_velocity: Vec3,
    /// v*: least speed along the normal that the step must end with, m/s.
    ///
    /// Negative for a speculative contact, whose gap may still close; a search leaves it 0.
    pub min_normal_velocity: f64,
    /// Least rebound speed along the normal, m/s; 0 for none, as a search leaves it.
    pub bounce: f64,
    /// Coulomb's coefficient.
    pub friction: f64,
    /// Gap at which contact begins, m.
    pub offset: f64,
    /// Size of the smaller body, m.
    pub size: f64,
}

/// Vertices of the second side of a contact on a surface that tets carry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SecondSide {
    /// Corners of the tet that carries the contact point.
    pub vertices: [VertexId; 4],
    /// Their weights; the sum is −1, and a corner beyond the point has another sign.
    pub weights: [f64; 4],
}

impl Contact {
    /// The contact of two edges of two bodies, without friction and offset.
    ///
    /// `edges` are their numbers in the scene, `ends` their vertices.
    pub fn of_edges(
        [a, b]: [BodyId; 2],
        edges: [u32; 2],
        [[a0, a1], [b0, b1]]: [[VertexId; 2]; 2],
        edge_edge_gap: &edges::EdgeEdgeGap,
        size: f64,
    ) -> Contact {
        let edges::EdgeEdgeGap { s, t, normal, gap } = *edge_edge_gap;
        Contact {
            feature: Feature::EdgeEdge(edges[0], edges[1]),
            vertices: [a0, a1, b0, b1],
            weights: [1.0 - s, s, t - 1.0, -t],
            count: 4,
            second: None,
            bodies: (a, Some(b)),
            normal,
            gap,
            surface_velocity: Vec3::ZERO,
            min_normal_velocity: 0.0,
            bounce: 0.0,
            friction: 0.0,
            offset: 0.0,
            size,
        }
    }

    /// Least speed along the normal that the step must end with, rebound included, m/s.
    pub(crate) fn target_normal_velocity(&self) -> f64 {
        let least = self.min_normal_velocity;
        if self.bounce > 0.0 { least.max(self.bounce) } else { least }
    }

    /// The same where nothing at the contact bends: it opens no gap.
    ///
    /// What does not bend keeps the speed that it is given and begins to rock, so shifts take the
    /// overlap out.
    pub fn rigid_target_normal_velocity(&self) -> f64 {
        let least = self.min_normal_velocity.min(0.0);
        if self.bounce > 0.0 { least.max(self.bounce) } else { least }
    }

    /// Vertices with their weights.
    #[inline]
    pub fn terms(&self) -> impl Iterator<Item = (VertexId, f64)> {
        let own = self.vertices.into_iter().zip(self.weights).take(self.count);
        own.chain(self.second_terms())
    }

    /// Vertices of the second side that are not among the first four.
    #[inline]
    fn second_terms(&self) -> impl Iterator<Item = (VertexId, f64)> + Clone + use<> {
        self.second.into_iter().flat_map(|side| side.vertices.into_iter().zip(side.weights))
    }

    /// Vertices of a side with their weights: of the first for a sign of 1, of the second for −1.
    ///
    /// Those without weight are left out.
    #[inline]
    pub fn side(&self, sign: f64) -> impl Iterator<Item = (VertexId, f64)> + Clone + use<> {
        // Carried points may have weights of either sign; otherwise the sign is the side.
        let is_carried = self.second.is_some() || self.bodies.1.is_none();
        let own = self.vertices.into_iter().zip(self.weights).take(self.count);
        let own = own.filter(move |(_, weight)| match is_carried {
            true => sign > 0.0 && *weight != 0.0,
            false => sign * *weight > 0.0,
        });
        let second = self.second_terms().filter(move |(_, weight)| sign < 0.0 && *weight != 0.0);
        own.chain(second)
    }

    /// Contact point of a side, m: of the first for a sign of 1, of the second for −1.
    ///
    /// NaN where a vertex is lacking.
    #[inline]
    pub fn place(&self, sign: f64, positions: &[Vec3]) -> Vec3 {
        self.places(positions)[usize::from(sign < 0.0)]
    }

    /// Contact points of both sides, m; zero for a side without vertices.
    ///
    /// NaN where a vertex is lacking.
    #[inline]
    pub(crate) fn places(&self, positions: &[Vec3]) -> [Vec3; 2] {
        // As in `side`, without the iterators: every stage of a step asks for places.
        let is_carried = self.second.is_some() || self.bodies.1.is_none();
        let [mut first, mut second] = [Vec3::ZERO; 2];
        for (vertex, weight) in self.vertices.iter().zip(self.weights).take(self.count) {
            if weight > 0.0 || (is_carried && weight != 0.0) {
                first += weight * at(positions, *vertex);
            } else if weight < 0.0 {
                second += -weight * at(positions, *vertex);
            }
        }
        if let Some(side) = &self.second {
            for (vertex, weight) in side.vertices.iter().zip(side.weights) {
                if weight != 0.0 {
                    second += -weight * at(positions, *vertex);
                }
            }
        }
        [first, second]
    }

    /// Velocity of the first side seen from the second, m/s; NaN where a vertex is lacking.
    #[inline]
    pub fn relative(&self, velocities: &[Vec3]) -> Vec3 {
        self.weighted(velocities) - self.surface_velocity
    }

    /// Sum of the values of all vertices by their weights; NaN where a vertex is lacking.
    #[inline]
    pub(crate) fn weighted(&self, values: &[Vec3]) -> Vec3 {
        let mut sum = Vec3::ZERO;
        for (vertex, weight) in self.vertices.iter().zip(self.weights).take(self.count) {
            sum += weight * at(values, *vertex);
        }
        if let Some(side) = &self.second {
            for (vertex, weight) in side.vertices.iter().zip(side.weights) {
                sum += weight * at(values, *vertex);
            }
        }
        sum
    }
}

/// Accepts contacts between vertices of a scene, and bodies where they are known.
pub(crate) fn check_contacts(
    contacts: &[Contact],
    bodies: &Bodies,
    vertex_count: usize,
) -> Result<(), MismatchError> {
    let mut count = 0;
    for contact in contacts {
        let own = contact.vertices.iter().take(contact.count);
        let second = contact.second.iter().flat_map(|side| &side.vertices);
        own.chain(second).for_each(|vertex| count = count.max(vertex.index() + 1));
    }
    let expected = vertex_count;
    if count > expected {
        return Err(MismatchError::Count { what: "vertices in contact", count, expected });
    }
    let sides = contacts.iter().flat_map(|contact| [Some(contact.bodies.0), contact.bodies.1]);
    let last = sides.flatten().map(|body| body.index() + 1).max();
    let (count, expected) = (last.unwrap_or(0), bodies.len().max(1));
    if count > expected {
        return Err(MismatchError::Count { what: "bodies in contact", count, expected });
    }
    Ok(())
}

/// A vertex that touches an obstacle at rest from above, in tests.
#[cfg(test)]
pub(crate) fn resting(vertex: VertexId) -> Contact {
    Contact {
        feature: Feature::VertexObstacle(vertex, 0),
        vertices: [vertex; 4],
        weights: [1.0, 0.0, 0.0, 0.0],
        count: 1,
        second: None,
        bodies: (BodyId(0), None),
        normal: Vec3::Z,
        gap: 0.0,
        surface_velocity: Vec3::ZERO,
        min_normal_velocity: 0.0,
        bounce: 0.0,
        friction: 0.0,
        offset: 0.0,
        size: 1.0,
    }
}
