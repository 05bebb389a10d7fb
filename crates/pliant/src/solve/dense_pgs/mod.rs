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
//! the end. A contact that is never active has no response.

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
use crate::solve::rigid_pgs::RigidPgs;
use crate::solve::rows::{Equations, RowSettings, Solved, Unknowns};
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
    /// Of bodies that have contacts; those after the first `count` are spare.
    parts: Vec<BodyInverse>,
    /// Parts in use.
    count: usize,
    /// Entry of `parts` of each body, or none.
    places: Vec<Option<u32>>,
    /// Whether each vertex is in a contact.
    touched: Vec<bool>,
    /// One per contact.
    probes: Vec<Probe>,
    constraints: Vec<ContactConstraint>,
    /// W of the active contacts, side after side, three rows each; 1/kg.
    responses: Vec<f64>,
    /// Part after part, m/s.
    speeds: Vec<f64>,
    anderson: Anderson,
    /// Used where all bodies in contact are rigid.
    rigid_pgs: RigidPgs,
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
        let ends = Unknowns { velocities, row_impulses };
        if let Some(solved) = self.rigid_pgs.solve(equations, bodies, contacts, settings, ends) {
            return Some(solved);
        }
        self.solve_dense(
            equations,
            bodies,
            contacts,
            settings,
            Unknowns { velocities, row_impulses },
        )
    }

    /// The same with a dense inverse for each body, rigid or not.
    pub(super) fn solve_dense(
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
        for (constraint, row_impulse) in self.constraints.iter().zip(&*row_impulses) {
            if constraint.is_ready {
                let impulse = row_impulse.impulse(constraint.block.normal);
                constraint.push(&self.responses, impulse, &mut self.speeds);
            }
        }
        let limits = SweepLimits { soft: settings.sweeps, rigid: settings.rigid_sweeps };
        let solved = self.sweep(limits, row_impulses);
        for part in &mut self.parts[..self.count] {
            let own = &self.speeds[part.start..part.start + part.inverse.width()];
            part.inverse.spread(own, &mut velocities[bodies[part.body.index()].clone()]);
        }
        Some(solved)
    }

    /// Collects bodies and vertices that are in contacts.
    fn gather(&mut self, bodies: &[Range<usize>], contacts: &[SolverRow]) {
        self.places.clear();
        self.places.resize(bodies.len(), None);
        self.touched.clear();
        let end = bodies.iter().map(|own| own.end).max();
        self.touched.resize(end.unwrap_or(0), false);
        for contact in contacts {
            let (a, b) = contact.bodies;
            for body in [Some(a), b].into_iter().flatten() {
                self.places[body.index()] = Some(0);
            }
            contact.terms().for_each(|(vertex, _)| self.touched[vertex.index()] = true);
        }
        self.count = 0;
        for body in (0..bodies.len() as u32).map(BodyId) {
            let Some(place) = &mut self.places[body.index()] else { continue };
            *place = self.count as u32;
            if self.parts.len() == self.count {
                self.parts.push(BodyInverse::default());
            }
            self.parts[self.count].body = body;
            self.count += 1;
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
        par::split_evenly(&mut self.offsets, self.count, self.threads);
        let parts = &mut self.parts[..self.count];
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
        for contact in contacts {
            let (a, b) = contact.bodies;
            let sides = [Some(a), b.filter(|b| *b != a)].map(|body| {
                let Some(part) = body.and_then(|body| self.places[body.index()]) else {
                    return ContactSide::default();
                };
                let BodyInverse { start, inverse, .. } = &self.parts[part as usize];
                let (width, first) = (inverse.width(), response);
                response += 3 * width;
                ContactSide { part: part as usize, response: first, start: *start, width }
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
        self.probes.clear();
        self.probes.extend(self.constraints.iter().map(Probe::of));
        self.responses.resize(response, 0.0);
    }

    /// First speed of a vertex on one of the sides; none for a pinned one.
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
            part.inverse.place(place).map(|row| part.start + 3 * row)
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

    /// PGS sweeps over all contacts, until converged or for the sweeps allowed.
    ///
    /// The change of a sweep is a direction in which there is often further to go; between sweeps
    /// [`Anderson`] combines them, as far as no constraint switches in between.
    fn sweep(&mut self, limits: SweepLimits, row_impulses: &mut [ContactImpulse]) -> Solved {
        let DensePgs { parts, probes, constraints, responses, speeds, anderson, .. } = self;
        anderson.begin(row_impulses, speeds);
        let mut rows = Rows {
            parts: &parts[..],
            probes,
            constraints,
            responses,
            speeds,
            anderson,
            row_impulses,
            tolerance: 1.0,
        };
        Solved { sweeps: gauss_seidel::sweep(&mut rows, limits), ..Solved::default() }
    }
}

#[cfg(test)]
mod tests;
