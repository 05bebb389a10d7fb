//! Contact of bodies of any size: sweeps through compliances, corrected by conjugate gradients.
//!
//! Each body has the compliance of a reference that turns with it, which is near the true one.
//! A round solves all contacts with it, and then lets every body follow the new impulses with its
//! true matrix: what was not true enough shows in the next round as a velocity that contacts do
//! not accept yet. Bodies with a dense inverse are true at once. In the end velocities and
//! impulses satisfy the equations of motion and of contact to a tolerance, or the result says
//! by how much they do not.
//!
//! | here        | formula    | meaning                                                     |
//! |-------------|------------|-------------------------------------------------------------|
//! | `right`     | b + Jᵀλ    | right-hand side with the impulses of contacts, N·s          |
//! | `speeds`    | v + W̃ Δλ   | velocities of the working set during sweeps, m/s            |
//! | `off`       |            | what one more relaxation would change, per size and step    |
//! | `enough`    |            | the same where rounds end                                   |

mod part;

mod reference;

use std::ops::Range;

use crate::contact::impulse::ContactImpulse;
use crate::force::BlockMatrix;
use crate::id::BodyId;
use crate::math::Vec3;
use crate::solve::compliance::Rows;
use crate::solve::compliance::constraint::{ContactConstraint, ContactSide, Probe};
use crate::solve::factored::part::{Part, PartEquations};
pub(crate) use crate::solve::factored::reference::References;
use crate::solve::gauss_seidel::{self, SweepLimits};
use crate::solve::nncg::Nncg;
use crate::solve::rows::{Equations, Solved, Unknowns};
use crate::solve::terms::{MOST, Sides, SolverRow};

/// Bodies with at most so many unknowns have a dense inverse.
const MOST_EXACT: usize = 24;
/// Rounds at most.
const MAX_ROUNDS: usize = 24;
/// Sweeps of a round, at first and at most.
const SWEEPS: [usize; 2] = [20, 100];
/// Relaxations of single contacts in all sweeps of a step, above which no round begins.
const MAX_RELAXATIONS: usize = 200_000;
/// Change by one more relaxation, per size and step, where rounds end: where little happens, and
/// at most, where much does.
const ENOUGH: [f64; 2] = [1e-5, 5e-5];
/// Between the two, this share of what is lacking at the start.
const SHARE: f64 = 0.01;
/// Error of velocities, per size and step, before contacts are looked at.
const FIRST_ERROR: f64 = 1e-4;
/// Later, the share of what contacts lack.
const ERROR_SHARE: f64 = 0.1;
/// Distance from being active, per size and step, within which a contact is taken in at once.
const MARGIN: f64 = 1e-3;
/// Iterations of one body in one round at most.
const MAX_ITERATIONS: usize = 200;
/// Iterations of the first round that make new factors worth their cost at once.
const SLOW: usize = 12;
/// Iterations of a step that good factors need anyway.
const NEEDED: usize = 3;
/// Iterations that good factors would have saved, over the cost of new ones, that make these.
const WASTE: f64 = 3.0;

/// An island: bodies that contacts join.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Island<'a> {
    pub equations: Equations<'a, BlockMatrix>,
    /// Unknowns of each body of the scene.
    pub bodies: &'a [Range<usize>],
    /// Bodies of this island, ascending.
    pub members: &'a [BodyId],
    pub sides: Sides<'a>,
    pub rows: &'a [SolverRow],
}

/// Scratch memory of the solver.
#[derive(Debug, Default)]
pub(crate) struct FactoredPgs {
    /// Those after the first `count` are spare.
    parts: Vec<Part>,
    count: usize,
    /// Entry of `parts` of each body of the island.
    part_of: Vec<u32>,
    /// Whether each unknown is held, and whether it is in a contact.
    held: Vec<bool>,
    touched: Vec<bool>,
    right: Vec<Vec3>,
    set: WorkingSet,
}

/// Contacts that are active or may become so.
#[derive(Debug, Default)]
struct WorkingSet {
    /// Entry in the lists below of each contact, or none.
    entries: Vec<Entry>,
    /// Whether some contact is to be taken in.
    has_wanted: bool,
    contacts: Vec<u32>,
    row_impulses: Vec<ContactImpulse>,
    probes: Vec<Probe>,
    constraints: Vec<ContactConstraint<MOST>>,
    responses: Vec<f64>,
    speeds: Vec<f64>,
    nncg: Nncg,
}

/// Where a contact is in the working set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    /// Not in it.
    Absent,
    /// To be taken in.
    Wanted,
    /// At this place.
    At(u32),
}

impl FactoredPgs {
    /// Solves an island; `None` where a body's matrix cannot be inverted by itself.
    ///
    /// [`FactoredPgs::begin`] comes before, once for all islands.
    /// Velocities come as a guess, with those of held unknowns; impulses as the warm start.
    pub(crate) fn solve(
        &mut self,
        references: &mut References,
        island: Island<'_>,
        unknowns: Unknowns<'_>,
    ) -> Option<Solved> {
        let Unknowns { velocities, row_impulses } = unknowns;
        self.gather(island);
        let held = std::mem::take(&mut self.held);
        let equations = PartEquations {
            matrix: island.equations.matrix,
            held: &held,
            dt: island.equations.dt,
        };
        let solved = self
            .prepare(references, equations, island)
            .then(|| self.rounds(references, equations, island, velocities, row_impulses));
        self.held = held;
        solved
    }

    /// Takes in the equations of a step: who is held, who is in contacts, what pushes whom.
    pub(crate) fn begin(
        &mut self,
        equations: Equations<'_, BlockMatrix>,
        rows: &[SolverRow],
        row_impulses: &[ContactImpulse],
    ) {
        let count = equations.right.len();
        for list in [&mut self.held, &mut self.touched] {
            list.clear();
            list.resize(count, false);
        }
        equations.held.iter().for_each(|unknown| self.held[unknown.index()] = true);
        self.right.clear();
        self.right.extend_from_slice(equations.right);
        for (row, impulse) in rows.iter().zip(row_impulses) {
            let impulse = impulse.impulse(row.normal);
            for (unknown, share) in row.terms() {
                self.touched[unknown.index()] = true;
                self.right[unknown.index()] += share.apply_transpose(impulse);
            }
        }
    }

    /// Solves for the velocities of a body that touches nothing; `None` as above.
    ///
    /// Errors are at most `tolerance` of its fastest velocity.
    pub(crate) fn solve_free(
        &mut self,
        references: &mut References,
        island: Island<'_>,
        tolerance: f64,
        velocities: &mut [Vec3],
    ) -> Option<usize> {
        self.gather(island);
        let held = std::mem::take(&mut self.held);
        let Equations { matrix, dt, .. } = island.equations;
        let equations = PartEquations { matrix, held: &held, dt };
        let mut iterations = 0;
        let is_ready = self.prepare(references, equations, island);
        for part in self.parts[..self.count].iter_mut().filter(|_| is_ready) {
            part.start_residual(equations, &self.right, velocities);
            let most = MAX_ITERATIONS;
            let goal = tolerance * part.fastest(velocities);
            let rate = part.follow(references, equations, &self.right, goal, most, velocities);
            let rate = rate.unwrap_or_else(|| references.rate(part.key));
            references.note(part.key, rate, part.total.saturating_sub(NEEDED) as f64);
            part.spread(velocities);
            part.correct_momentum(velocities);
            iterations += part.total;
        }
        self.held = held;
        is_ready.then_some(iterations)
    }

    /// Collects the parts of the island.
    fn gather(&mut self, Island { bodies, members, sides, rows, .. }: Island<'_>) {
        self.part_of.resize(bodies.len(), 0);
        self.count = 0;
        let groups = sides.rigid.map_or(&[][..], |rigid| rigid.groups);
        for body in members {
            let group = groups.get(body.index()).copied().flatten();
            // The first of a group comes before the others.
            let key = group.unwrap_or(*body);
            let known = (key != *body).then(|| self.part_of[key.index()]);
            let place = known.unwrap_or_else(|| {
                if self.parts.len() == self.count {
                    self.parts.push(Part::default());
                }
                self.parts[self.count].begin(key.index());
                self.count += 1;
                self.count as u32 - 1
            });
            self.part_of[body.index()] = place;
            self.parts[place as usize].add(body.index(), bodies[body.index()].clone());
        }
        for row in rows {
            for body in [Some(row.bodies.0), row.bodies.1].into_iter().flatten() {
                let size = &mut self.parts[self.part_of[body.index()] as usize].size;
                *size = size.min(row.size);
            }
        }
    }

    /// Makes inverses and factors of all parts.
    fn prepare(
        &mut self,
        references: &mut References,
        equations: PartEquations<'_>,
        Island { sides, .. }: Island<'_>,
    ) -> bool {
        let FactoredPgs { parts, count, touched, .. } = self;
        for part in &mut parts[..*count] {
            part.locate(equations, sides);
            if !part.prepare(references, equations, MOST_EXACT, |unknown| touched[unknown]) {
                return false;
            }
            if !part.is_exact && references.waste(part.key) > WASTE {
                part.renew(references, equations);
            }
        }
        true
    }

    /// Rounds of sweeps and of bodies that follow.
    fn rounds(
        &mut self,
        references: &mut References,
        equations: PartEquations<'_>,
        island: Island<'_>,
        velocities: &mut [Vec3],
        row_impulses: &mut [ContactImpulse],
    ) -> Solved {
        let Island { rows, .. } = island;
        for part in self.parts[..self.count].iter_mut().filter(|part| !part.is_exact) {
            part.start_residual(equations, &self.right, velocities);
        }
        self.set.clear(rows.len());
        let mut solved = Solved::default();
        let (mut enough, mut last) = (ENOUGH[0], f64::INFINITY);
        let (mut tight, mut limit, mut swept) = (0.05, SWEEPS[0], 0);
        let (mut is_stale, mut relaxations) = (false, 0);
        for round in 0..MAX_ROUNDS {
            let error = match round {
                0 => FIRST_ERROR,
                _ => (ERROR_SHARE * last).max(0.3 * enough),
            };
            let mut are_exact = true;
            for part in &mut self.parts[..self.count] {
                let scale = part.size / equations.dt;
                let goal = error * scale;
                let rate = part.follow(
                    references,
                    equations,
                    &self.right,
                    goal,
                    MAX_ITERATIONS,
                    velocities,
                );
                let rate = rate.unwrap_or_else(|| references.rate(part.key));
                references.note(part.key, rate, 0.0);
                solved.iterations += part.iterations;
                are_exact &= part.left <= enough * scale;
            }
            let off = self.look(equations, rows, velocities, row_impulses, round);
            is_stale |= self.set.has_wanted;
            if round == 0 {
                enough = (SHARE * off).clamp(ENOUGH[0], ENOUGH[1]);
            }
            if std::env::var_os("PLIANT_TRACE").is_some() {
                let its: Vec<_> = self.parts[..self.count].iter().map(|p| p.iterations).collect();
                eprintln!("  round {round} off {off:.2e} enough {enough:.1e} exact {are_exact} cg {its:?} set {} swept {swept}", self.set.contacts.len());
            }
            solved.outer += 1;
            solved.residual = off;
            solved.is_unconverged = off > enough;
            let is_spent = relaxations > MAX_RELAXATIONS || round + 1 == MAX_ROUNDS;
            if off <= enough && are_exact || is_spent {
                break;
            }
            if round > 0 && off > 0.4 * last {
                tight = f64::max(0.25 * tight, 1e-3);
                limit = (2 * limit).min(SWEEPS[1]);
            }
            let stalls = round >= 3 && off > 0.8 * last && swept < limit;
            is_stale |= self.renew_worst(references, equations, round, stalls);
            last = off;
            if off <= 0.3 * enough {
                continue;
            }
            if is_stale {
                self.set.build(
                    &mut self.parts[..self.count],
                    &self.part_of,
                    references,
                    equations,
                    rows,
                    velocities,
                );
                is_stale = false;
            }
            let parts = &self.parts[..self.count];
            swept = self.set.sweep(parts, velocities, row_impulses, tight * off, limit);
            solved.sweeps += swept;
            relaxations += swept * self.set.contacts.len();
            self.hand_over(equations, rows, row_impulses);
        }
        for part in &mut self.parts[..self.count] {
            if part.is_exact {
                part.spread(velocities);
            } else {
                let waste = part.total.saturating_sub(NEEDED);
                references.note(part.key, references.rate(part.key), waste as f64);
                part.correct_momentum(velocities);
            }
        }
        solved
    }

    /// What contacts say to the velocities: what one more relaxation would change at most.
    ///
    /// Wants contacts in the working set that are active or nearly so.
    fn look(
        &mut self,
        equations: PartEquations<'_>,
        rows: &[SolverRow],
        velocities: &[Vec3],
        row_impulses: &[ContactImpulse],
        round: usize,
    ) -> f64 {
        let mut most: f64 = 0.0;
        let WorkingSet { entries, constraints, has_wanted, .. } = &mut self.set;
        *has_wanted = false;
        for ((row, impulse), entry) in rows.iter().zip(row_impulses).zip(entries) {
            let per_size = equations.dt / row.size;
            let linear = row.linear(velocities);
            let lacking =
                row.min_normal_velocity - row.normal.dot(linear - row.surface_velocity);
            let is_pressed = *impulse != ContactImpulse::default();
            if let Entry::At(place) = *entry {
                let ContactConstraint { block, is_ready, .. } = &constraints[place as usize];
                if !is_ready {
                    most = most.max(lacking * per_size);
                } else if is_pressed || lacking > 0.0 {
                    let mut copy = *impulse;
                    let change = block.relax(&mut copy, linear);
                    most = most.max(change.map_or(0.0, |change| block.moved(change)) * per_size);
                }
                continue;
            }
            let margin = if round == 0 { -MARGIN / per_size } else { 0.0 };
            if is_pressed || lacking > margin {
                *entry = Entry::Wanted;
                *has_wanted = true;
                let lacking = if is_pressed { lacking.abs() } else { lacking.max(0.0) };
                most = most.max(lacking * per_size);
            }
        }
        most
    }

    /// Factors one part anew where its factors are too far off; true where one was.
    fn renew_worst(
        &mut self,
        references: &mut References,
        equations: PartEquations<'_>,
        round: usize,
        stalls: bool,
    ) -> bool {
        let mut worst: Option<(f64, &mut Part)> = None;
        for part in self.parts[..self.count].iter_mut() {
            if part.is_exact || part.is_new {
                continue;
            }
            let rate = references.rate(part.key);
            let is_slow = round == 0 && part.iterations > SLOW || stalls && rate > 0.2;
            if is_slow && worst.as_ref().is_none_or(|(most, _)| rate > *most) {
                worst = Some((rate, part));
            }
        }
        let Some((_, part)) = worst else { return false };
        part.renew(references, equations);
        true
    }

    /// Gives the bodies what sweeps have changed.
    fn hand_over(
        &mut self,
        equations: PartEquations<'_>,
        rows: &[SolverRow],
        row_impulses: &mut [ContactImpulse],
    ) {
        let FactoredPgs { parts, part_of, right, set, .. } = self;
        for ((contact, now), constraint) in
            set.contacts.iter().zip(&set.row_impulses).zip(&set.constraints)
        {
            let (row, before) = (&rows[*contact as usize], &mut row_impulses[*contact as usize]);
            let change = now.impulse(row.normal) - before.impulse(row.normal);
            *before = *now;
            if change == Vec3::ZERO {
                continue;
            }
            let moved = constraint.block.moved(change);
            for (unknown, share) in row.terms() {
                let push = share.apply_transpose(change);
                right[unknown.index()] += push;
            }
            let first = part_of[row.bodies.0.index()];
            let second = row.bodies.1.map(|body| part_of[body.index()]);
            for part in [Some(first), second.filter(|part| *part != first)].into_iter().flatten() {
                let part = &mut parts[part as usize];
                part.left += moved;
                for (unknown, share) in row.terms() {
                    part.push(equations, unknown.index(), share.apply_transpose(change));
                }
            }
        }
    }
}

impl WorkingSet {
    fn clear(&mut self, contacts: usize) {
        self.entries.clear();
        self.entries.resize(contacts, Entry::Absent);
        self.contacts.clear();
        self.constraints.clear();
        self.has_wanted = false;
    }

    /// Compliances and constraints of all contacts that are in it or wanted.
    fn build(
        &mut self,
        parts: &mut [Part],
        part_of: &[u32],
        references: &mut References,
        equations: PartEquations<'_>,
        rows: &[SolverRow],
        velocities: &[Vec3],
    ) {
        let all = (0..rows.len() as u32).filter(|k| self.entries[*k as usize] != Entry::Absent);
        self.contacts.clear();
        self.contacts.extend(all);
        parts.iter_mut().for_each(Part::clear_working);
        let sides = |row: &SolverRow| {
            let of = |body: BodyId| part_of[body.index()] as usize;
            let first = of(row.bodies.0);
            [Some(first), row.bodies.1.map(of).filter(|second| *second != first)]
        };
        for contact in &self.contacts {
            let row = &rows[*contact as usize];
            for part in sides(row).into_iter().flatten() {
                let all = row.terms();
                all.for_each(|(unknown, _)| parts[part].want(equations, unknown.index()));
            }
        }
        let mut start = 0;
        for part in &mut *parts {
            part.pack(references);
            part.start = start;
            start += part.width;
        }
        self.constraints.clear();
        let mut response = 0;
        for (place, contact) in self.contacts.iter().enumerate() {
            let row = &rows[*contact as usize];
            self.entries[*contact as usize] = Entry::At(place as u32);
            let sides = sides(row).map(|part| {
                let Some(part) = part else { return ContactSide::default() };
                let Part { start, width, .. } = parts[part];
                let first = response;
                response += 3 * width;
                ContactSide { part, response: first, start, width }
            });
            let mut constraint = ContactConstraint::new(row, sides, row.size / equations.dt);
            for (unknown, share) in row.terms() {
                let own = sides.iter().filter(|side| side.width > 0);
                let speed = own.filter_map(|side| parts[side.part].speed(unknown.index())).next();
                match speed {
                    Some(speed) => constraint.add(speed, share),
                    None => {
                        constraint.block.surface_velocity -=
                            share.apply(velocities[unknown.index()]);
                    }
                }
            }
            self.constraints.push(constraint);
        }
        self.probes.clear();
        self.probes.extend(self.constraints.iter().map(Probe::of));
        self.responses.clear();
        self.responses.resize(response, 0.0);
    }

    /// Sweeps until changes fall below `tolerance`, per size and step; returns their number.
    ///
    /// The impulses reached are in `row_impulses` of the set; those given are the start.
    fn sweep(
        &mut self,
        parts: &[Part],
        velocities: &[Vec3],
        row_impulses: &[ContactImpulse],
        tolerance: f64,
        limit: usize,
    ) -> usize {
        let WorkingSet { contacts, probes, constraints, responses, speeds, nncg, .. } = self;
        self.row_impulses.clear();
        self.row_impulses.extend(contacts.iter().map(|contact| row_impulses[*contact as usize]));
        speeds.clear();
        parts.iter().for_each(|part| part.take_speeds(velocities, speeds));
        nncg.begin(&self.row_impulses, speeds);
        let mut rows = Rows {
            parts,
            probes,
            constraints,
            responses,
            speeds,
            nncg,
            row_impulses: &mut self.row_impulses,
            tolerance: tolerance.max(0.03 * ENOUGH[0]),
        };
        gauss_seidel::sweep(&mut rows, SweepLimits { soft: limit, rigid: limit })
    }
}
