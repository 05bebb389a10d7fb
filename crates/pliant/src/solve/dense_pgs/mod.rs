//! Dense Delassus PGS: contact of small bodies by projected Gauss–Seidel.
//!
//! | here        | formula   | meaning                                                    |
//! |-------------|-----------|------------------------------------------------------------|
//! | `speeds`    | v         | velocities of the vertices in contacts, m/s                |
//! | `responses` | W = A⁻¹Jᵀ | how an impulse changes them, 1/kg                          |
//! | `delassus`  | G = J W   | J A⁻¹ Jᵀ: relative velocity of a contact per impulse, 1/kg |
//!
//! A is inverted body by body, so an impulse moves the whole body at once as its elasticity
//! wants it and the sweeps converge whatever the stiffness; with impulses through the masses
//! alone, piles jitter. Sweeps see the vertices in contacts only; the others of a body follow at
//! the end. A contact that is never active has no response. Each island is swept by itself.

use std::ops::Range;

use crate::contact::impulse::ContactImpulse;
use crate::force::BlockMatrix;
use crate::id::{BodyId, VertexId};
use crate::math::{Mat3, Vec3};
use crate::par;
use crate::solve::anderson::Anderson;
use crate::solve::compliance::constraint::{ContactConstraint, ContactSide, Probe};
use crate::solve::compliance::{Compliance, Rows};
use crate::solve::dense::Inverse;
use crate::solve::gauss_seidel::{self, SweepLimits};
use crate::solve::rows::{Equations, RowSettings, Solved, Unknowns};
use crate::solve::segments::{Segment, Segments};
use crate::solve::terms::SolverRow;

impl Equations<'_, BlockMatrix> {
    fn is_held(&self, vertex: usize) -> bool {
        self.held.binary_search(&VertexId(vertex as u32)).is_ok()
    }

    /// b of a free vertex, less what prescribed velocities contribute, N·s.
    fn right(&self, row: usize, velocities: &[Vec3]) -> Vec3 {
        if self.held.is_empty() {
            return self.right[row];
        }
        self.matrix.without(row, self.right[row], velocities, |unknown| self.is_held(unknown))
    }
}

/// Scratch memory of the solver.
#[derive(Clone, Debug, Default)]
pub(crate) struct DensePgs {
    /// Islands, and the bodies in them.
    segments: Segments,
    /// Of these bodies; further ones are spare.
    parts: Vec<BodyInverse>,
    /// Whether each vertex is in a contact.
    touched: Vec<bool>,
    /// One per contact.
    probes: Vec<Probe>,
    constraints: Vec<ContactConstraint>,
    /// W of the active contacts, side after side, three rows each; 1/kg.
    responses: Vec<f64>,
    /// Part after part, m/s.
    speeds: Vec<f64>,
    /// Sweeps of each island.
    sweeps: Vec<usize>,
    /// One per thread.
    andersons: Vec<Anderson>,
    /// Worker threads; 0 means 1.
    threads: usize,
    /// First part or contact of each thread, and their number.
    offsets: Vec<usize>,
    /// First response of each thread, and their number.
    response_offsets: Vec<usize>,
}

/// One body with its inverse.
#[derive(Clone, Debug, Default)]
struct BodyInverse {
    body: BodyId,
    inverse: Inverse,
    is_definite: bool,
    /// Velocities of its contact vertices before contact, m/s.
    free: Vec<f64>,
    /// Index of its first speed among all.
    start: usize,
}

impl Compliance for BodyInverse {
    #[inline]
    fn rows(&self, place: usize) -> [&[f64]; 3] {
        self.inverse.rows(place)
    }

    #[inline]
    fn block(&self, row: usize, column: usize) -> Mat3 {
        self.inverse.block(row, column)
    }
}

impl DensePgs {
    /// Sets how many threads invert and respond; results do not depend on it.
    pub(crate) fn set_threads(&mut self, threads: usize) {
        self.threads = threads;
    }

    /// Solves for the velocities of all bodies that have contacts.
    ///
    /// `bodies` are the vertices of each body. `velocities` come with those of pinned vertices and
    /// leave with the solution; bodies without contacts are not changed. `row_impulses` come as the
    /// warm start. `None` when a body's matrix is not positive definite.
    pub(crate) fn solve(
        &mut self,
        equations: Equations<'_, BlockMatrix>,
        bodies: &[Range<usize>],
        contacts: &[SolverRow],
        settings: RowSettings,
        unknowns: Unknowns<'_>,
    ) -> Option<Solved> {
        let Unknowns { velocities, row_impulses } = unknowns;
        self.gather(bodies, contacts);
        self.invert(equations, bodies, velocities)?;
        self.constraint(equations, bodies, contacts, settings, velocities);
        self.respond(row_impulses);
        let limits = SweepLimits { soft: settings.sweeps, rigid: settings.rigid_sweeps };
        self.sweep(limits, row_impulses);
        for part in &mut self.parts[..self.segments.bodies.len()] {
            let own = &self.speeds[part.start..part.start + part.inverse.width()];
            part.inverse.spread(own, &mut velocities[bodies[part.body.index()].clone()]);
        }
        let sweeps = self.sweeps.iter().copied().max().unwrap_or(0);
        Some(Solved { sweeps, ..Solved::default() })
    }

    /// Collects bodies and vertices that are in contacts.
    fn gather(&mut self, bodies: &[Range<usize>], contacts: &[SolverRow]) {
        self.touched.clear();
        let end = bodies.iter().map(|own| own.end).max();
        self.touched.resize(end.unwrap_or(0), false);
        let unknowns = contacts.iter().flat_map(SolverRow::terms);
        unknowns.for_each(|(vertex, _)| self.touched[vertex.index()] = true);
        self.segments.find(bodies.len(), contacts);
        let count = self.segments.bodies.len().max(self.parts.len());
        self.parts.resize_with(count, BodyInverse::default);
        for (part, body) in self.parts.iter_mut().zip(&self.segments.bodies) {
            part.body = *body;
        }
    }

    /// Inverses, and velocities before contact.
    fn invert(
        &mut self,
        equations: Equations<'_, BlockMatrix>,
        bodies: &[Range<usize>],
        velocities: &[Vec3],
    ) -> Option<()> {
        let touched = &self.touched;
        let fill = |part: &mut BodyInverse| {
            let (own, inverse) = (bodies[part.body.index()].clone(), &mut part.inverse);
            let is_asked = |v: usize| touched[v];
            let is_held = |v: usize| equations.is_held(v);
            part.is_definite = inverse.fill(equations.matrix, own.clone(), is_asked, is_held);
            if part.is_definite {
                inverse.solve(|v| equations.right(own.start + v, velocities), &mut part.free);
            }
        };
        let count = self.segments.bodies.len();
        par::split_evenly(&mut self.offsets, count, self.threads);
        let parts = &mut self.parts[..count];
        par::chunks(parts, &self.offsets, |_, piece| piece.iter_mut().for_each(fill));
        self.speeds.clear();
        for part in parts {
            if !part.is_definite {
                return None;
            }
            part.start = self.speeds.len();
            self.speeds.extend_from_slice(&part.free);
        }
        Some(())
    }

    /// Builds the contact constraints, without their responses.
    fn constraint(
        &mut self,
        equations: Equations<'_, BlockMatrix>,
        bodies: &[Range<usize>],
        contacts: &[SolverRow],
        settings: RowSettings,
        velocities: &[Vec3],
    ) {
        self.constraints.clear();
        let mut response = 0;
        for segment in &self.segments.all {
            let origin = self.parts[segment.bodies.start].start;
            for contact in &contacts[segment.rows.clone()] {
                let (a, b) = contact.bodies;
                let sides = [Some(a), b.filter(|b| *b != a)].map(|body| {
                    let Some(part) = body.and_then(|body| self.segments.place(body)) else {
                        return ContactSide::default();
                    };
                    let BodyInverse { start, inverse, .. } = &self.parts[part];
                    let (width, first) = (inverse.width(), response);
                    response += 3 * width;
                    ContactSide { part, response: first, start: start - origin, width }
                });
                let velocity_tolerance = if contact.is_rigid() {
                    settings.rigid_velocity_tolerance
                } else {
                    settings.velocity_tolerance
                };
                let mut constraint = ContactConstraint::new(
                    contact,
                    sides,
                    velocity_tolerance * contact.size / equations.dt,
                );
                for (unknown, share) in contact.terms() {
                    match self.speed(bodies, &sides, unknown) {
                        Some(start) => constraint.add(start, share),
                        None => {
                            constraint.block.surface_velocity -=
                                share.apply(velocities[unknown.index()])
                        }
                    }
                }
                self.constraints.push(constraint);
            }
        }
        self.probes.clear();
        self.probes.extend(self.constraints.iter().map(Probe::of));
        self.responses.resize(response, 0.0);
    }

    /// First speed of a vertex on one of the sides, in its island; none for a pinned one.
    fn speed(
        &self,
        bodies: &[Range<usize>],
        sides: &[ContactSide; 2],
        vertex: VertexId,
    ) -> Option<usize> {
        sides.iter().filter(|side| side.width > 0).find_map(|side| {
            let part = &self.parts[side.part];
            let own = bodies[part.body.index()].clone();
            let place = own.contains(&vertex.index()).then(|| vertex.index() - own.start)?;
            part.inverse.place(place).map(|row| side.start + 3 * row)
        })
    }

    /// Delassus blocks and W of the warm-started contacts.
    fn respond(&mut self, row_impulses: &[ContactImpulse]) {
        let DensePgs { parts, constraints, responses, offsets, response_offsets, .. } = self;
        for (constraint, row_impulse) in constraints.iter_mut().zip(row_impulses) {
            constraint.is_ready = *row_impulse != ContactImpulse::default();
        }
        par::split_evenly(offsets, constraints.len(), self.threads);
        let (offsets, parts) = (&*offsets, &*parts);
        par::chunks(constraints, offsets, |_, piece| {
            piece
                .iter_mut()
                .filter(|constraint| constraint.is_ready)
                .for_each(|constraint| constraint.settle(parts));
        });
        let first = |constraint: Option<&ContactConstraint>| {
            constraint.map_or(responses.len(), ContactConstraint::first_response)
        };
        response_offsets.clear();
        response_offsets.extend(offsets.iter().map(|place| first(constraints.get(*place))));
        let (constraints, starts) = (&*constraints, &*response_offsets);
        par::chunks(responses, starts, |number, piece| {
            let own = constraints[offsets[number]..offsets[number + 1]].iter();
            own.filter(|constraint| constraint.is_ready)
                .for_each(|constraint| constraint.respond(parts, starts[number], piece));
        });
    }

    /// PGS sweeps over the contacts of each island, until converged or for the sweeps allowed.
    ///
    /// The change of a sweep is a direction in which there is often further to go; between sweeps
    /// [`Anderson`] combines them, as far as no constraint switches in between.
    fn sweep(&mut self, limits: SweepLimits, row_impulses: &mut [ContactImpulse]) {
        let threads = par::useful_threads(self.threads, self.segments.all.len());
        self.andersons.resize_with(threads.max(self.andersons.len()), Anderson::default);
        self.sweeps.clear();
        self.sweeps.resize(self.segments.all.len(), 0);
        let all = Sweeps {
            parts: &self.parts,
            probes: &self.probes,
            segments: &self.segments.all,
            constraints: &mut self.constraints,
            responses: &mut self.responses,
            speeds: &mut self.speeds,
            row_impulses,
            andersons: &mut self.andersons[..threads],
            sweeps: &mut self.sweeps,
        };
        all.sweep(limits);
    }
}

/// Islands during the sweeps; each array but the first two is that of these islands alone.
struct Sweeps<'a> {
    parts: &'a [BodyInverse],
    probes: &'a [Probe],
    segments: &'a [Segment],
    constraints: &'a mut [ContactConstraint],
    responses: &'a mut [f64],
    speeds: &'a mut [f64],
    row_impulses: &'a mut [ContactImpulse],
    /// As many as there are threads.
    andersons: &'a mut [Anderson],
    sweeps: &'a mut [usize],
}

/// Where the arrays of an island begin, or those of some islands.
#[derive(Clone, Copy, Debug)]
struct Offsets {
    row: usize,
    speed: usize,
    response: usize,
}

impl<'a> Sweeps<'a> {
    /// Sweeps each island by itself.
    fn sweep(mut self, limits: SweepLimits) {
        if self.andersons.len() > 1 && self.segments.len() > 1 {
            let (low, high) = self.halve();
            return par::both(|| low.sweep(limits), || high.sweep(limits));
        }
        (0..self.segments.len()).for_each(|island| self.sweep_island(island, limits));
    }

    /// Two halves with about as many contacts and threads each.
    fn halve(self) -> (Sweeps<'a>, Sweeps<'a>) {
        let rows = self.constraints.len();
        let first = self.segments.first().map_or(0, |segment| segment.rows.start);
        let is_low = |segment: &Segment| segment.rows.end - first <= rows / 2;
        let count = self.segments.partition_point(is_low).max(1).min(self.segments.len());
        let Offsets { row, speed, response } = self.offsets(count);
        let Sweeps { parts, probes, .. } = self;
        let (low_segments, segments) = self.segments.split_at(count);
        let (low_constraints, constraints) = self.constraints.split_at_mut(row);
        let (low_responses, responses) = self.responses.split_at_mut(response);
        let (low_speeds, speeds) = self.speeds.split_at_mut(speed);
        let (low_row_impulses, row_impulses) = self.row_impulses.split_at_mut(row);
        let (low_andersons, andersons) = self.andersons.split_at_mut(self.andersons.len() / 2);
        let (low_sweeps, sweeps) = self.sweeps.split_at_mut(count);
        let low = Sweeps {
            parts,
            probes,
            segments: low_segments,
            constraints: low_constraints,
            responses: low_responses,
            speeds: low_speeds,
            row_impulses: low_row_impulses,
            andersons: low_andersons,
            sweeps: low_sweeps,
        };
        let high = Sweeps {
            parts,
            probes,
            segments,
            constraints,
            responses,
            speeds,
            row_impulses,
            andersons,
            sweeps,
        };
        (low, high)
    }

    /// Where an island begins in the arrays that are here; their ends for the one after the last.
    fn offsets(&self, island: usize) -> Offsets {
        let begin = |segment: &Segment| {
            let row = segment.rows.start - self.segments[0].rows.start;
            Offsets {
                row,
                speed: self.parts[segment.bodies.start].start,
                response: self.constraints[row].first_response(),
            }
        };
        let (Some(first), Some(own)) = (self.segments.first(), self.segments.get(island)) else {
            let (row, speed) = (self.constraints.len(), self.speeds.len());
            return Offsets { row, speed, response: self.responses.len() };
        };
        let (first, own) = (begin(first), begin(own));
        Offsets {
            row: own.row,
            speed: own.speed - first.speed,
            response: own.response - first.response,
        }
    }

    fn sweep_island(&mut self, island: usize, limits: SweepLimits) {
        let [start, end] = [island, island + 1].map(|island| self.offsets(island));
        let Some(anderson) = self.andersons.first_mut() else { return };
        let constraints = &mut self.constraints[start.row..end.row];
        let responses = &mut self.responses[start.response..end.response];
        let speeds = &mut self.speeds[start.speed..end.speed];
        let row_impulses = &mut self.row_impulses[start.row..end.row];
        let first_response = constraints.first().map_or(0, ContactConstraint::first_response);
        for (constraint, row_impulse) in constraints.iter().zip(&*row_impulses) {
            if constraint.is_ready {
                let impulse = row_impulse.impulse(constraint.block.normal);
                constraint.push(first_response, responses, impulse, speeds);
            }
        }
        anderson.begin(row_impulses, speeds);
        let mut rows = Rows {
            parts: self.parts,
            probes: &self.probes[self.segments[island].rows.clone()],
            constraints,
            responses,
            first_response,
            speeds,
            anderson: Some(anderson),
            row_impulses,
            tolerance: 1.0,
        };
        self.sweeps[island] = gauss_seidel::sweep(&mut rows, limits);
    }
}

#[cfg(test)]
mod tests;
