//! Contact of bodies of any size: sweeps through compliances, corrected by conjugate gradients.
//!
//! Each body has the compliance of a reference that turns with it, which is near the true one. An
//! outer iteration solves all contacts with it, and then solves every body with its true matrix
//! under the new impulses: what the reference got wrong is seen by the next outer iteration as a
//! relative velocity that contacts do not accept. Dense inverses are exact at once. In the end
//! velocities and impulses satisfy the equations of motion and of contact to a tolerance, or the
//! result says by how much they do not.
//!
//! | here        | formula    | meaning                                                     |
//! |-------------|------------|-------------------------------------------------------------|
//! | `right`     | b + Jᵀλ    | right-hand side with the impulses of contacts, N·s          |
//! | `speeds`    | v + W̃ Δλ   | velocities of the working set during sweeps, m/s            |
//! | `residual`  |            | what one more relaxation would change, per size and step    |
//! | `tolerance` |            | residual at which outer iterations end                      |

mod part;

mod reference;

mod regions;

mod saved;

mod working_set;

use std::ops::Range;

use crate::contact::impulse::ContactImpulse;
use crate::force::BlockMatrix;
use crate::id::BodyId;
use crate::math::Vec3;
use crate::par;
use crate::solve::factored::part::{Goal, Part, PartEquations};
pub(crate) use crate::solve::factored::reference::References;
use crate::solve::factored::working_set::{
    Bodies, Change, Limits, Measured, Measurement, WorkingSet,
};
use crate::solve::linear::SolveError;
use crate::solve::rows::{Equations, Solved, Unknowns};
use crate::solve::terms::{Sides, SolverRow};

/// Bodies with at most so many unknowns have a dense inverse.
const MOST_EXACT: usize = 24;
/// Outer iterations at most.
const MAX_OUTER: usize = 24;
/// Sweeps of an outer iteration, at first and at most.
const SWEEPS: [usize; 2] = [20, 100];
/// Relaxations of single contacts in all sweeps of a step, above which no outer iteration begins.
const MAX_RELAXATIONS: usize = 200_000;
/// Residuals at which outer iterations end: where little happens, and at most, where much does.
const TOLERANCES: [f64; 2] = [2e-6, 5e-5];
/// Between the two, this share of the first residual.
const SHARE: f64 = 0.01;
/// Work of impulses ([`Measured::work`]) that is worth a smaller tolerance.
///
/// What rests on contacts that open by a residual is lifted, and its weight gains energy.
const LIFTED: f64 = 1e-8;
/// That tolerance, over the usual one.
const STRICT: f64 = 0.02;
/// Outer iterations spent on it at most.
const MAX_STRICT: usize = 4;
/// Times the first residual, and least residual, above which there is no solution.
const DIVERGED: [f64; 2] = [1.0, 0.1];
/// Error of velocities, per size and step, before residuals are measured.
const FIRST_ERROR: f64 = 1e-4;
/// Later, the share of the residual.
const ERROR_SHARE: f64 = 0.1;
/// Share of the tolerance that is as good as nothing.
const SATISFIED: f64 = 0.3;
/// Share of the residual that sweeps leave: at first, and the least.
const SWEEP_SHARES: [f64; 2] = [0.05, 1e-3];
/// Change of a sweep, per size and step, below which it has no effect, with the usual tolerance.
const LEAST: f64 = 3e-7;
/// Conjugate gradient iterations before the first sweep that make new factors worth their cost.
const SLOW: usize = 12;
/// Share of the residual that an outer iteration leaves, above which factors are examined.
const GAIN: f64 = 0.5;
/// Share of the residual by which sweeps must have mispredicted a body to renew its factors.
const BLAMED: f64 = 0.3;
/// Iterations of a step that good factors need anyway.
const NEEDED: usize = 3;
/// Iterations that good factors would have saved, over the cost of new ones, that make these.
const MAX_EXCESS: f64 = 3.0;

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
    /// Worker threads; 0 means 1.
    threads: usize,
    /// Where the parts of each piece of work begin.
    offsets: Vec<usize>,
}

/// Pieces of work per thread: bodies differ in size.
const PIECES: usize = 4;

/// Splits parts into pieces for threads.
fn split(offsets: &mut Vec<usize>, count: usize, threads: usize) {
    let pieces = if threads > 1 { PIECES.saturating_mul(threads) } else { 1 };
    par::split_evenly(offsets, count, par::useful_threads(pieces, count));
}

impl FactoredPgs {
    /// Sets how many threads solve for bodies; results do not depend on it.
    pub(crate) fn set_threads(&mut self, threads: usize) {
        self.threads = threads;
        self.set.set_threads(threads);
    }

    /// Solves an island; `None` where a body's matrix cannot be inverted by itself.
    ///
    /// [`FactoredPgs::begin`] comes before, once for all islands. Outer iterations that diverge
    /// are an error.
    ///
    /// Velocities come as a guess, with those of held unknowns; impulses as the warm start.
    pub(crate) fn solve(
        &mut self,
        references: &mut References,
        island: Island<'_>,
        unknowns: Unknowns<'_>,
    ) -> Result<Option<Solved>, SolveError> {
        self.gather(island);
        let held = std::mem::take(&mut self.held);
        let equations =
            PartEquations { matrix: island.equations.matrix, held: &held, dt: island.equations.dt };
        let solved = self
            .prepare(references, equations, island)
            .then(|| self.iterate(references, equations, island, unknowns));
        self.held = held;
        solved.transpose()
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

    /// Solves for the velocities of bodies that touch nothing, each by itself.
    ///
    /// `tolerance` is the share of the error of the guess that may be left. Returns the iterations;
    /// [`FactoredPgs::is_solved`] says which bodies have no factors and are as they were.
    pub(crate) fn solve_free(
        &mut self,
        references: &mut References,
        island: Island<'_>,
        tolerance: f64,
        velocities: &mut [Vec3],
    ) -> usize {
        self.gather(island);
        let held = std::mem::take(&mut self.held);
        let Equations { matrix, dt, .. } = island.equations;
        let equations = PartEquations { matrix, held: &held, dt };
        let goal = |_: &Part| Goal { error: 0.0, share: tolerance };
        for place in 0..self.count {
            let is_ready = self.prepare_part(references, equations, island.sides, place);
            self.parts[place].is_ready = is_ready;
        }
        self.start_residuals(equations, velocities);
        let mut solved = Solved::default();
        self.follow(references, equations, goal, &mut solved, velocities);
        for part in self.parts[..self.count].iter_mut().filter(|part| part.is_ready) {
            references.add_excess_iterations(part.key, part.total.saturating_sub(NEEDED));
            part.spread(velocities);
            part.correct_momentum(velocities);
        }
        self.held = held;
        solved.iterations
    }

    /// Whether the last [`FactoredPgs::solve_free`] solved for its body with this number.
    pub(crate) fn is_solved(&self, member: usize) -> bool {
        self.parts[..self.count].get(member).is_some_and(|part| part.is_ready)
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
        (0..self.count).all(|place| self.prepare_part(references, equations, sides, place))
    }

    fn prepare_part(
        &mut self,
        references: &mut References,
        equations: PartEquations<'_>,
        sides: Sides<'_>,
        place: usize,
    ) -> bool {
        let FactoredPgs { parts, touched, .. } = self;
        let part = &mut parts[place];
        part.locate(equations, sides);
        if !part.prepare(references, equations, MOST_EXACT, |unknown| touched[unknown]) {
            return false;
        }
        if !part.is_exact && references.excess_iterations(part.key) > MAX_EXCESS {
            part.renew(references, equations);
        }
        true
    }

    /// Residuals of all parts that have factors.
    fn start_residuals(&mut self, equations: PartEquations<'_>, velocities: &[Vec3]) {
        let FactoredPgs { parts, count, right, offsets, threads, .. } = self;
        split(offsets, *count, *threads);
        par::chunks(&mut parts[..*count], offsets, |_, piece| {
            let own = piece.iter_mut().filter(|part| part.is_ready && !part.is_exact);
            own.for_each(|part| part.start_residual(equations, right, velocities));
        });
    }

    /// Outer iterations: sweeps over the contacts, then a solve of every body.
    fn iterate(
        &mut self,
        references: &mut References,
        equations: PartEquations<'_>,
        island: Island<'_>,
        unknowns: Unknowns<'_>,
    ) -> Result<Solved, SolveError> {
        let Island { rows, .. } = island;
        let Unknowns { velocities, row_impulses } = unknowns;
        self.start_residuals(equations, velocities);
        self.set.clear(&self.parts[..self.count], rows.len());
        let mut progress = Progress::new();
        let mut solved = Solved::default();
        loop {
            let error = progress.error() / equations.dt;
            let goal = |part: &Part| Goal { error: error * part.size, share: 0.0 };
            self.follow(references, equations, goal, &mut solved, velocities);
            self.set.compare(&mut self.parts[..self.count], velocities);
            let measure = Measurement { dt: equations.dt, is_first: progress.outer == 0 };
            let Measured { residual, work } =
                self.set.measure(measure, rows, velocities, row_impulses);
            progress.note(residual, work);
            (solved.outer, solved.residual) = (solved.outer + 1, residual);
            solved.is_unconverged = residual > progress.usual;
            let exact = progress.tolerance / equations.dt;
            let are_exact = self.parts[..self.count].iter().all(|p| p.left <= exact * p.size);
            if residual <= progress.tolerance && are_exact || progress.is_spent() {
                break;
            }
            self.set.is_stale |= self.renew(references, equations, &progress);
            if residual > SATISFIED * progress.tolerance {
                let FactoredPgs { parts, count, part_of, set, .. } = self;
                let parts = &mut parts[..*count];
                let bodies = Bodies { parts, part_of, references };
                set.refresh(bodies, equations, rows, velocities);
                let swept = set.sweep(parts, velocities, row_impulses, progress.limits());
                progress.relaxations += swept * set.len();
                solved.sweeps += swept;
                self.hand_over(equations, rows, row_impulses);
            }
        }
        progress.check()?;
        self.finish(references, velocities);
        Ok(solved)
    }

    /// Lets all bodies follow their impulses.
    fn follow(
        &mut self,
        references: &mut References,
        equations: PartEquations<'_>,
        goal: impl Fn(&Part) -> Goal + Sync + Send,
        solved: &mut Solved,
        velocities: &mut [Vec3],
    ) {
        let FactoredPgs { parts, count, right, offsets, threads, .. } = self;
        let parts = &mut parts[..*count];
        split(offsets, *count, *threads);
        let (known, before) = (&*references, &*velocities);
        par::chunks(parts, offsets, |_, piece| {
            for part in piece.iter_mut().filter(|part| part.is_ready) {
                part.follow(known, equations, right, goal(part), before);
            }
        });
        for part in parts.iter().filter(|part| part.is_ready) {
            part.apply(references, velocities);
            solved.iterations += part.iterations;
        }
    }

    /// Factors parts anew whose factors are too inaccurate; true where one was.
    ///
    /// Before the first sweeps these are parts that took many iterations; later, if the residual
    /// falls too slowly, those whose velocities sweeps mispredicted by much of it.
    fn renew(
        &mut self,
        references: &mut References,
        equations: PartEquations<'_>,
        progress: &Progress,
    ) -> bool {
        let parts = &mut self.parts[..self.count];
        let prediction_error = |part: &Part| part.prediction_error * equations.dt / part.size;
        let most = parts.iter().map(prediction_error).fold(0.0, f64::max);
        let bound = match progress.gain {
            None => f64::INFINITY,
            Some(gain) if gain > GAIN && most > BLAMED * progress.residual => {
                // The worst alone, unless the residual grows.
                if gain < 1.0 { most } else { BLAMED * most }
            }
            Some(_) => return false,
        };
        let mut any = false;
        for part in parts.iter_mut().filter(|part| !part.is_exact && !part.is_new) {
            let is_slow = progress.gain.is_none() && part.iterations > SLOW;
            if is_slow || prediction_error(part) >= bound {
                part.renew(references, equations);
                any = true;
            }
        }
        any
    }

    /// Gives the bodies what sweeps have changed.
    fn hand_over(
        &mut self,
        equations: PartEquations<'_>,
        rows: &[SolverRow],
        row_impulses: &mut [ContactImpulse],
    ) {
        let FactoredPgs { parts, part_of, right, set, .. } = self;
        for Change { contact, impulse, moved } in set.changes(rows, row_impulses) {
            let row = &rows[contact];
            for (unknown, share) in row.terms() {
                right[unknown.index()] += share.apply_transpose(impulse);
            }
            for part in sides(row, part_of).into_iter().flatten() {
                parts[part].left += moved;
                for (unknown, share) in row.terms() {
                    let push = share.apply_transpose(impulse);
                    parts[part].push(equations, unknown.index(), push);
                }
            }
        }
    }

    /// Velocities of all vertices, and exact momenta.
    fn finish(&mut self, references: &mut References, velocities: &mut [Vec3]) {
        for part in &mut self.parts[..self.count] {
            if part.is_exact {
                part.spread(velocities);
            } else {
                references.add_excess_iterations(part.key, part.total.saturating_sub(NEEDED));
                part.correct_momentum(velocities);
            }
        }
    }
}

/// Parts of the two sides of a row; none for an obstacle, one for two bodies of a group.
fn sides(row: &SolverRow, part_of: &[u32]) -> [Option<usize>; 2] {
    let of = |body: BodyId| part_of[body.index()] as usize;
    let first = of(row.bodies.0);
    [Some(first), row.bodies.1.map(of).filter(|second| *second != first)]
}

/// How far outer iterations have got.
#[derive(Clone, Copy, Debug)]
struct Progress {
    /// Residuals that have been measured.
    outer: usize,
    /// First residual, the last one, and where iterations end.
    first: f64,
    residual: f64,
    tolerance: f64,
    /// The tolerance where impulses do no work.
    usual: f64,
    /// Share of that which sweeps leave, and how many there may be.
    sweep_share: f64,
    limit: usize,
    /// Share of the residual that the last iteration left; none before there were sweeps.
    gain: Option<f64>,
    /// Relaxations of single contacts in all.
    relaxations: usize,
    /// Residuals that have been measured with the strict tolerance.
    strict: usize,
}

impl Progress {
    fn new() -> Progress {
        Progress {
            outer: 0,
            first: 0.0,
            residual: f64::INFINITY,
            tolerance: TOLERANCES[0],
            usual: TOLERANCES[0],
            sweep_share: SWEEP_SHARES[0],
            limit: SWEEPS[0],
            gain: None,
            relaxations: 0,
            strict: 0,
        }
    }

    /// Largest error of velocities in the next iteration, per size and step.
    fn error(&self) -> f64 {
        if self.outer == 0 {
            FIRST_ERROR
        } else {
            (ERROR_SHARE * self.residual).max(SATISFIED * self.tolerance)
        }
    }

    /// Takes in a residual and the work of impulses.
    fn note(&mut self, residual: f64, work: f64) {
        if self.outer == 0 {
            self.first = residual;
            self.usual = (SHARE * residual).clamp(TOLERANCES[0], TOLERANCES[1]);
            self.tolerance = self.usual;
        } else if residual > 0.4 * self.residual {
            self.sweep_share = f64::max(0.25 * self.sweep_share, SWEEP_SHARES[1]);
            self.limit = (2 * self.limit).min(SWEEPS[1]);
        }
        if self.strict > 0 {
            self.strict += 1;
        } else if work > LIFTED && residual <= self.tolerance {
            self.tolerance *= STRICT;
            self.strict = 1;
        }
        self.gain = (self.outer > 0).then(|| residual / self.residual);
        self.residual = residual;
        self.outer += 1;
    }

    /// Whether no further iteration is allowed.
    fn is_spent(&self) -> bool {
        self.outer >= MAX_OUTER || self.strict > MAX_STRICT || self.relaxations > MAX_RELAXATIONS
    }

    /// Refuses a residual that is greater than the first one.
    fn check(&self) -> Result<(), SolveError> {
        let most = (DIVERGED[0] * self.first).max(DIVERGED[1]);
        if self.residual <= most {
            return Ok(());
        }
        Err(SolveError::NotConverged {
            solver: "contact",
            iterations: self.outer,
            residual: self.residual,
            tolerance: self.usual,
        })
    }

    fn limits(&self) -> Limits {
        let least = LEAST * (self.tolerance / TOLERANCES[0]).min(1.0);
        Limits { tolerance: (self.sweep_share * self.residual).max(least), sweeps: self.limit }
    }
}
