//! Attachment: vertices of soft bodies that are part of a rigid one.
//!
//! They move as its own vertices do, so they count as such: their masses are part of its mass,
//! its centre and its inertia, and a force on them acts on it. No constraint is left to solve,
//! and nothing can come loose.
//!
//! | here          | formula | meaning                                                       |
//! |---------------|---------|---------------------------------------------------------------|
//! | `point`       | r       | of a vertex, x = c + R r, from the centre, body axes, m       |
//! | `groups`      |         | connected components of the bodies attached to each other     |
//! | `coarse_dofs` |         | unknowns that a shift of a whole group adds the same to       |

use std::ops::Range;

use crate::body::pins::Pins;
use crate::body::rigid::all::{RigidBodySet, RigidEntry};
use crate::body::rigid::mass::MassProperties;
use crate::body::rigid::{RigidError, RigidState, RigidTemplate};
use crate::body::soft::{Masses, State};
use crate::id::{BodyId, VertexId};
use crate::math::{Mat3, Vec3, outer_square};

/// A vertex of a soft body that is attached to a rigid one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attached {
    /// Index in the scene.
    pub vertex: VertexId,
    /// The soft body.
    pub body: BodyId,
    /// The rigid body.
    pub holder: BodyId,
    /// Index of the rigid body among the members.
    pub place: usize,
    /// From the centre of the rigid body, body axes, m.
    pub point: Vec3,
}

/// Why something cannot be attached.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum AttachError {
    /// A holder that is soft.
    #[error("body {body} is not rigid: only rigid bodies hold vertices of others")]
    Soft {
        /// The holder.
        body: BodyId,
    },
    /// A vertex that is part of a rigid body already.
    #[error("vertex {vertex} belongs to body {body}, which is rigid: take a joint instead")]
    Rigid {
        /// Its body.
        body: BodyId,
        /// First such vertex, counted in the scene.
        vertex: VertexId,
    },
    /// No vertex to attach.
    #[error("body {holder} is to hold no vertex: name at least one")]
    Nothing {
        /// The holder.
        holder: BodyId,
    },
    /// A vertex that does not exist.
    #[error("vertex {vertex} is to be attached, there are {count}")]
    NoSuchVertex {
        /// First such vertex.
        vertex: VertexId,
        /// Vertices of the scene.
        count: usize,
    },
    /// A vertex with two holders.
    #[error("vertex {vertex} of body {body} is attached to body {holder} already")]
    Twice {
        /// Its body.
        body: BodyId,
        /// First such vertex, counted in its body.
        vertex: VertexId,
        /// The rigid body it is attached to.
        holder: BodyId,
    },
    /// A vertex that is pinned in the world too.
    #[error("vertex {vertex} of body {body} is pinned: it cannot be attached as well")]
    Pinned {
        /// Its body.
        body: BodyId,
        /// First such vertex, counted in its body.
        vertex: VertexId,
    },
    /// A state or masses of another scene.
    #[error("there are {count} {what}, the rigid bodies are for {expected}")]
    Count {
        /// What does not fit.
        what: &'static str,
        /// How many there are.
        count: usize,
        /// How many there must be.
        expected: usize,
    },
    /// Mass properties of the whole that are no rigid body's.
    #[error("{0}")]
    Mass(RigidError),
}

/// All attachments of a scene.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Holds {
    /// Ascending by vertex.
    pub list: Vec<Attached>,
    /// First body of each body's group; none for one without attachments.
    pub groups: Vec<Option<BodyId>>,
    /// Group and unknown, ascending by unknown.
    pub coarse_dofs: Vec<(BodyId, VertexId)>,
}

impl Holds {
    /// The attachment of a vertex.
    pub(crate) fn of(&self, vertex: VertexId) -> Option<&Attached> {
        let place = self.list.binary_search_by_key(&vertex, |attached| attached.vertex);
        place.ok().map(|place| &self.list[place])
    }

    /// Finds the groups again; `going` are the free unknowns of each body.
    fn group(&mut self, going: &[Range<usize>]) {
        let mut parents: Vec<Option<BodyId>> = vec![None; going.len()];
        for Attached { body, holder, .. } in &self.list {
            let ends = [*body, *holder].map(|b| parents[b.index()].unwrap_or(b));
            let low = ends[0].min(ends[1]);
            for body in [*body, *holder] {
                parents[body.index()] = Some(low);
            }
            // All bodies of the two groups take the smaller first body now.
            for parent in parents.iter_mut().flatten().filter(|parent| ends.contains(parent)) {
                *parent = low;
            }
        }
        self.coarse_dofs.clear();
        for (own, group) in going.iter().zip(&parents) {
            let Some(group) = *group else { continue };
            let unknowns = own.clone().map(|v| VertexId(v as u32));
            self.coarse_dofs.extend(unknowns.map(|vertex| (group, vertex)));
        }
        let is_held = |vertex: VertexId, list: &[Attached]| {
            list.binary_search_by_key(&vertex, |attached| attached.vertex).is_ok()
        };
        self.coarse_dofs.retain(|(_, vertex)| !is_held(*vertex, &self.list));
        self.coarse_dofs.sort_unstable_by_key(|(_, unknown)| *unknown);
        self.groups = parents;
    }
}

impl RigidBodySet {
    /// Makes vertices of soft bodies part of a rigid one, where they are.
    ///
    /// Its mass, centre and inertia become those of both together, and they take its velocity.
    /// `masses` stay those of single vertices. On an error nothing has changed.
    pub fn attach(
        &mut self,
        holder: BodyId,
        vertices: &[VertexId],
        masses: &Masses,
        pins: &Pins,
        state: &mut State,
    ) -> Result<(), AttachError> {
        let place = self.index(holder).ok_or(AttachError::Soft { body: holder })?;
        self.check(holder, vertices, masses, pins, state)?;
        let mut holds = self.holds.clone();
        for &vertex in vertices {
            let (body, within) = self.locate(vertex);
            if let Some(other) = holds.of(vertex) {
                let holder = other.holder;
                return Err(AttachError::Twice { body, vertex: within, holder });
            }
            let attached = Attached { vertex, body, holder, place, point: Vec3::ZERO };
            let after = holds.list.partition_point(|other| other.vertex < vertex);
            holds.list.insert(after, attached);
        }
        let member = &self.entries()[place];
        let before = state.rigids[place];
        let points = vertices.iter().map(|v| (state.positions[v.index()], masses.of()[v.index()]));
        let properties = together(member, &before, points);
        let own = &state.positions[member.vertices.clone()];
        let made = properties.and_then(|properties| RigidTemplate::new(own, properties));
        let (body, mut now) = made.map_err(AttachError::Mass)?;
        (now.velocity, now.spin) = (before.velocity_at(now.centre), before.spin);
        for attached in holds.list.iter_mut().filter(|attached| attached.place == place) {
            attached.point = now.body_point(state.positions[attached.vertex.index()]);
        }
        holds.group(&self.going(state.positions.len()));
        self.holds = holds;
        self.set_body(place, body);
        state.rigids[place] = now;
        self.write(state);
        Ok(())
    }

    /// Attached vertices, ascending.
    pub fn attached(&self) -> &[Attached] {
        &self.holds.list
    }

    /// Pairs of a soft body and its rigid one, the smaller first, ascending.
    pub fn attached_pairs(&self) -> Vec<(BodyId, BodyId)> {
        let pair = |a: &Attached| (a.body.min(a.holder), a.body.max(a.holder));
        let mut pairs: Vec<_> = self.attached().iter().map(pair).collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    /// First body of a body's group of attachments; none for one on its own.
    pub fn group(&self, body: BodyId) -> Option<BodyId> {
        self.holds.groups.get(body.index()).copied().flatten()
    }

    /// Group of each body; empty where nothing is attached.
    pub(crate) fn groups(&self) -> &[Option<BodyId>] {
        &self.holds.groups
    }

    /// Group and unknown of all that a shift of a whole group moves alike.
    pub(crate) fn coarse_dofs(&self) -> &[(BodyId, VertexId)] {
        &self.holds.coarse_dofs
    }

    /// Rejects what [`AttachError`] lists, except vertices with two holders.
    fn check(
        &self,
        holder: BodyId,
        vertices: &[VertexId],
        masses: &Masses,
        pins: &Pins,
        state: &State,
    ) -> Result<(), AttachError> {
        if vertices.is_empty() {
            return Err(AttachError::Nothing { holder });
        }
        let expected = state.positions.len();
        let counts = [
            ("rigid states", state.rigids.len(), self.entries().len()),
            ("velocities", state.velocities.len(), expected),
            ("masses", masses.of().len(), expected),
        ];
        if let Some((what, count, expected)) = counts.into_iter().find(|(_, a, b)| a != b) {
            return Err(AttachError::Count { what, count, expected });
        }
        if let Some(last) = self.entries().last().filter(|last| last.vertices.end > expected) {
            let (what, expected) = ("positions", last.vertices.end);
            return Err(AttachError::Count { what, count: state.positions.len(), expected });
        }
        for &vertex in vertices {
            if vertex.index() >= expected {
                return Err(AttachError::NoSuchVertex { vertex, count: expected });
            }
            let (body, within) = self.locate(vertex);
            if self.index(body).is_some() {
                return Err(AttachError::Rigid { body, vertex });
            }
            if pins.vertices().binary_search(&vertex).is_ok() {
                return Err(AttachError::Pinned { body, vertex: within });
            }
        }
        Ok(())
    }

    /// The body of a vertex, and the vertex counted within it.
    fn locate(&self, vertex: VertexId) -> (BodyId, VertexId) {
        let after = self.firsts().partition_point(|first| *first <= vertex.0);
        let body = after.saturating_sub(1);
        let first = self.firsts().get(body).copied().unwrap_or(0);
        (BodyId(body as u32), VertexId(vertex.0 - first))
    }

    /// Linear unknowns of a body: all vertices of a soft, the first of a rigid one.
    fn going(&self, vertex_count: usize) -> Vec<Range<usize>> {
        let firsts = self.firsts();
        let range = |body: usize| {
            if self.index(BodyId(body as u32)).is_some() {
                let unknown = self.unknowns()[body] as usize;
                return unknown..unknown + 1;
            }
            let next = firsts.get(body + 1).map_or(vertex_count, |next| *next as usize);
            firsts[body] as usize..next
        };
        (0..firsts.len()).map(range).collect()
    }
}

/// Mass properties of a rigid body with points, m and kg, that are fixed to it.
fn together(
    member: &RigidEntry,
    rigid: &RigidState,
    points: impl Iterator<Item = (Vec3, f64)> + Clone,
) -> Result<MassProperties, RigidError> {
    let own = member.body.mass;
    let mass = own + points.clone().map(|(_, m)| m).sum::<f64>();
    let moved: Vec3 = points.clone().map(|(x, m)| m * (x - rigid.centre)).sum();
    let way = moved / mass;
    let centre = rigid.centre + way;
    let about = |r: Vec3, m: f64| {
        m * (Mat3::from_diagonal(Vec3::splat(r.length_squared())) - outer_square(r))
    };
    let inertia = rigid.inertia(&member.body)
        + about(way, own)
        + points.map(|(x, m)| about(x - centre, m)).sum::<Mat3>();
    MassProperties::new(mass, centre, inertia)
}
