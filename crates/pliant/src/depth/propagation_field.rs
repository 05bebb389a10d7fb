//! One set of colliding vertices of a body, and how depth propagates among them.
//!
//! Stage 4 of [Heidelberger04 §3.5] with a front: only neighbours of vertices that were
//! just processed are looked at, so the cost is that of the edges crossed.

use crate::body::Bodies;
use crate::depth::propagate::{self, Neighbour};
use crate::depth::{Penetration, Penetrations, Reason, Resolved, Unresolved};
use crate::id::{BodyId, VertexId};
use crate::math::Vec3;
use crate::mesh::topology::Groups;

/// Marks a vertex that is not a member.
const FREE: u32 = u32::MAX;

/// Colliding vertices of one body, ascending, with what is known of each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Field {
    /// First vertex of the body.
    base: u32,
    /// Place of each vertex of the body among the members, or [`FREE`].
    slots: Vec<u32>,
    members: Vec<Member>,
    /// Entries of the caller's list of bodies, member by member.
    candidate_bodies: Vec<u32>,
    /// Members processed in the last ring.
    front: Vec<u32>,
    /// Members reached from the front, and their penetrations.
    reached: Vec<(u32, Penetration)>,
    seen: Vec<u32>,
    given: Vec<Neighbour>,
}

#[derive(Clone, Copy, Debug)]
struct Member {
    vertex: VertexId,
    /// First entry of `candidate_bodies`.
    candidate_bodies: u32,
    /// Ring and way out, once known.
    answer: Option<(u32, Penetration)>,
    /// Why there is none, while there is none.
    reason: Reason,
}

impl Field {
    /// Starts a new, empty set.
    pub(crate) fn start(&mut self, bodies: &Bodies, body: BodyId) {
        let range = bodies.vertices(body);
        self.base = range.start as u32;
        if self.slots.len() < range.len() {
            self.slots.resize(range.len(), FREE);
        }
        debug_assert!(self.members.is_empty(), "the last field was not finished");
    }

    /// Adds a vertex, or to the last one added another body that it is inside of.
    pub(crate) fn add(&mut self, vertex: VertexId, live: u32) {
        if self.members.last().is_none_or(|last| last.vertex != vertex) {
            self.slots[(vertex.0 - self.base) as usize] = self.members.len() as u32;
            let candidate_bodies = self.candidate_bodies.len() as u32;
            let (answer, reason) = (None, Reason::Enclosed);
            self.members.push(Member { vertex, candidate_bodies, answer, reason });
        }
        self.candidate_bodies.push(live);
    }

    /// Number of members.
    pub(crate) fn len(&self) -> usize {
        self.members.len()
    }

    /// The vertex of a member.
    pub(crate) fn vertex(&self, slot: usize) -> VertexId {
        self.members[slot].vertex
    }

    /// The bodies that a member is inside of, as they were added.
    pub(crate) fn candidate_bodies(&self, slot: usize) -> &[u32] {
        let end = self
            .members
            .get(slot + 1)
            .map_or(self.candidate_bodies.len(), |next| next.candidate_bodies as usize);
        &self.candidate_bodies[self.members[slot].candidate_bodies as usize..end]
    }

    /// Those of some vertices of the body that are no members, kept in `free`.
    #[inline]
    pub(crate) fn free_among<'a>(
        &self,
        vertices: &[VertexId],
        free: &'a mut Vec<VertexId>,
    ) -> &'a [VertexId] {
        if free.len() < vertices.len() {
            free.resize(vertices.len(), VertexId(0));
        }
        let mut count = 0;
        for &vertex in vertices {
            // Written first and then kept or not: a branch could not be predicted.
            free[count] = vertex;
            count += usize::from(self.slots[(vertex.0 - self.base) as usize] == FREE);
        }
        &free[..count]
    }

    /// Stores the result of stage 3, with the numbers of free neighbours and crossings.
    pub(crate) fn border(
        &mut self,
        slot: usize,
        penetration: Option<Penetration>,
        free: usize,
        crossings: usize,
    ) {
        let member = &mut self.members[slot];
        member.answer = penetration.map(|penetration| (0, penetration));
        match penetration {
            Some(_) => self.front.push(slot as u32),
            None if crossings > 0 => member.reason = Reason::Cancelled,
            None if free > 0 => member.reason = Reason::Rounding,
            None => {}
        }
    }

    /// Carries depths from ring to ring until no more are reached.
    pub(crate) fn spread(&mut self, positions: &[Vec3], bodies: &Bodies, exponent: f64) {
        if self.front.len() == self.members.len() {
            return;
        }
        for ring in 1.. {
            self.look_around(bodies);
            self.reached.clear();
            for index in 0..self.seen.len() {
                let slot = self.seen[index];
                self.ask(slot, positions, bodies, exponent);
            }
            self.front.clear();
            for &(slot, penetration) in &self.reached {
                self.members[slot as usize].answer = Some((ring, penetration));
                self.front.push(slot);
            }
            if self.front.is_empty() {
                break;
            }
        }
        self.share(bodies);
    }

    /// Adds what is known of a member to the result.
    pub(crate) fn describe(&self, slot: usize, into: &[BodyId], found: &mut Penetrations) {
        let Member { vertex, answer, reason, .. } = self.members[slot];
        let into = found.keep(into);
        match answer {
            Some((ring, penetration)) => {
                found.resolved.push(Resolved { vertex, into, ring, penetration })
            }
            None => found.unresolved.push(Unresolved { vertex, into, reason }),
        }
    }

    /// Removes all members.
    pub(crate) fn finish(&mut self) {
        for member in &self.members {
            self.slots[(member.vertex.0 - self.base) as usize] = FREE;
        }
        self.members.clear();
        self.candidate_bodies.clear();
        self.front.clear();
    }

    /// Collects members without a result next to the front, ascending, in `seen`.
    fn look_around(&mut self, bodies: &Bodies) {
        self.seen.clear();
        for &slot in &self.front {
            for &neighbour in bodies.neighbours().row(self.members[slot as usize].vertex.index()) {
                let other = self.slots[(neighbour.0 - self.base) as usize];
                if other != FREE && self.members[other as usize].answer.is_none() {
                    self.seen.push(other);
                }
            }
        }
        self.seen.sort_unstable();
        self.seen.dedup();
    }

    /// Computes the penetration of a member from its processed neighbours.
    fn ask(&mut self, slot: u32, positions: &[Vec3], bodies: &Bodies, exponent: f64) {
        let vertex = self.members[slot as usize].vertex;
        self.given.clear();
        for &neighbour in bodies.neighbours().row(vertex.index()) {
            let other = self.slots[(neighbour.0 - self.base) as usize];
            if other == FREE {
                continue;
            }
            if let Some((_, penetration)) = self.members[other as usize].answer {
                self.given.push(Neighbour { position: positions[neighbour.index()], penetration });
            }
        }
        match propagate::penetration(positions[vertex.index()], &self.given, exponent) {
            Some(penetration) => self.reached.push((slot, penetration)),
            None => self.members[slot as usize].reason = Reason::Cancelled,
        }
    }

    /// Gives members that are connected to others without a result the reason of those.
    fn share(&mut self, bodies: &Bodies) {
        if self.members.iter().all(|member| member.answer.is_some()) {
            return;
        }
        let mut groups = Groups::new(self.members.len());
        for (slot, member) in self.members.iter().enumerate() {
            for &neighbour in bodies.neighbours().row(member.vertex.index()) {
                let other = self.slots[(neighbour.0 - self.base) as usize];
                if other != FREE {
                    groups.join(slot as u32, other);
                }
            }
        }
        for wanted in [Reason::Rounding, Reason::Cancelled] {
            let mut touched = vec![false; self.members.len()];
            for (slot, _) in self.members.iter().enumerate().filter(|(_, m)| m.reason == wanted) {
                touched[groups.root(slot as u32) as usize] = true;
            }
            for slot in 0..self.members.len() {
                let member = &mut self.members[slot];
                if member.reason == Reason::Enclosed && touched[groups.root(slot as u32) as usize] {
                    member.reason = wanted;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TET: [VertexId; 4] = [VertexId(0), VertexId(1), VertexId(2), VertexId(3)];

    /// Reasons of the four corners of a tet, each with so many free neighbours and crossings.
    #[track_caller]
    fn check(reported: [(usize, usize); 4], expected: [Reason; 4]) {
        let bodies = Bodies::from_tets(&[(4, &[TET])]).unwrap();
        let mut field = Field::default();
        for _ in 0..2 {
            field.start(&bodies, BodyId(0));
            TET.iter().for_each(|&vertex| field.add(vertex, 0));
            for (slot, (free, crossings)) in reported.into_iter().enumerate() {
                field.border(slot, None, free, crossings);
            }
            field.spread(&[Vec3::ZERO; 4], &bodies, 2.0);
            let mut found = Penetrations::default();
            (0..4).for_each(|slot| field.describe(slot, &[BodyId(1)], &mut found));
            field.finish();
            let reasons: Vec<_> = found.unresolved.iter().map(|u| u.reason).collect();
            assert_eq!(reasons, expected);
        }
    }

    #[test]
    fn what_edges_say_is_the_reason_and_others_share_it() {
        use Reason::{Cancelled, Enclosed, Rounding};
        check([(0, 0); 4], [Enclosed; 4]);
        check([(1, 0), (0, 0), (0, 0), (0, 0)], [Rounding; 4]);
        check([(2, 1), (0, 0), (0, 0), (0, 0)], [Cancelled; 4]);
        // Of both reasons in one group, what is connected to it takes the one that hides more.
        check([(2, 1), (0, 0), (1, 0), (0, 0)], [Cancelled, Rounding, Rounding, Rounding]);
    }
}
