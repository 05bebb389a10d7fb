//! Steps whose forces are those at their end: stable for stiff bodies and long steps.
//!
//! All kinds here solve the same equations for a velocity w,
//!
//! M (w − v̂) = γ f(x̂ + γ w, w),
//!
//! and differ in γ, v̂ and x̂ alone, and in what they make of w.
//!
//! | here                | formula | meaning                                        |
//! |---------------------|---------|------------------------------------------------|
//! | `span`              | γ       | time over which the end forces act, s          |
//! | `Problem::velocities` | v̂       | velocity without forces, m/s                   |
//! | `Problem::positions`  | x̂       | position without motion, m                     |
//! | `ends`              | w       | velocity at the end, m/s                       |
//! | matrix              | A       | M + γ D + γ² K, stiffness and damping as in `force` |

use crate::body::soft::State;
use crate::force::{Form, Motion, Tangent};
use crate::integrate::solve::{Linear, LinearSettings, Solvers, dot};
use crate::integrate::{Integrator, Report, StepError, System};
use crate::math::Vec3;
use crate::memory::{Memory, MemoryError};
use crate::observe::{Stage, Watch};

/// Part of the predicted decrease that a shortened Newton step must bring.
const ENOUGH: f64 = 1e-4;
/// Times that a Newton step is halved before it is given up.
const MOST_HALVINGS: usize = 12;
/// Corrections of positions below this many units in the last place change nothing.
const LAST_PLACES: f64 = 4.0;

/// Where in the step the forces are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ImplicitKind {
    /// At the end: order 1, damps all that is fast.
    #[default]
    Euler,
    /// In the middle: order 2, damps nothing by itself.
    Midpoint,
    /// At the end, with the step before: order 2, damps only what is very fast (BDF2).
    Bdf2,
}

/// How far the equations are solved, which are not linear.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Equations {
    /// One linear system at the start of the step.
    ///
    /// Damping must be linear in the velocity: it is taken at velocity zero.
    #[default]
    LinearisedOnce,
    /// Newton's method with line search.
    Newton {
        /// Most iterations, count.
        iterations: usize,
        /// Residual to reach, relative to the right-hand side at the start, unit 1.
        tolerance: f64,
    },
}

/// What an implicit step is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ImplicitSettings {
    /// Where forces are taken.
    pub kind: ImplicitKind,
    /// How far the equations are solved.
    pub equations: Equations,
    /// How each linear system is solved.
    pub linear: LinearSettings,
}

/// Implicit Euler, implicit midpoint or BDF2.
///
/// Equations that are not solved are an error with the numbers; around it a
/// [`Backtrack`](crate::integrate::backtrack::Backtrack) makes shorter steps instead.
///
/// - Implements: [Zachmann "Implizite Integration"], with damping.
/// - Deviates: forces are linearised in velocity too; printed, the damper stays explicit
///   and limits the step (erratum L5b).
#[derive(Debug, Default)]
pub struct Implicit {
    settings: ImplicitSettings,
    solvers: Solvers,
    stage: Problem,
    trial: State,
    /// Positions and velocities before the last step, and its length; for BDF2.
    past: Option<Past>,
    ends: Vec<Vec3>,
    base: Vec<Vec3>,
    forces: Vec<Vec3>,
    right: Vec<Vec3>,
    change: Vec<Vec3>,
    next: State,
}

/// The equations of one step.
#[derive(Clone, Debug, Default)]
struct Problem {
    span: f64,
    velocities: Vec<Vec3>,
    positions: Vec<Vec3>,
    /// When the forces act, s.
    time: f64,
}

/// The step before.
#[derive(Clone, Debug, Default)]
struct Past {
    /// Where it began.
    before: State,
    /// Where it ended; another state since then means that somebody moved things.
    after: State,
    /// Its length, s.
    dt: f64,
}

impl Implicit {
    /// An implicit integrator.
    pub fn new(settings: ImplicitSettings) -> Implicit {
        Implicit { settings, ..Implicit::default() }
    }

    /// γ, v̂ and x̂.
    fn prepare(&mut self, state: &State, dt: f64) {
        let Implicit { settings, stage, past, .. } = self;
        stage.positions.clone_from(&state.positions);
        stage.velocities.clone_from(&state.velocities);
        (stage.span, stage.time) = (dt, state.time + dt);
        match (settings.kind, &*past) {
            (ImplicitKind::Midpoint, _) => {
                (stage.span, stage.time) = (0.5 * dt, state.time + 0.5 * dt);
            }
            (ImplicitKind::Bdf2, Some(past)) if past.dt == dt && past.after == *state => {
                stage.span = 2.0 / 3.0 * dt;
                let extrapolate = |now: &mut Vec<Vec3>, before: &[Vec3]| {
                    for (now, before) in now.iter_mut().zip(before) {
                        *now += (*now - *before) / 3.0;
                    }
                };
                extrapolate(&mut stage.positions, &past.before.positions);
                extrapolate(&mut stage.velocities, &past.before.velocities);
            }
            _ => {}
        }
    }

    /// Guesses the end velocities; those of held vertices lead where they must go.
    fn hold(&mut self, system: &System, state: &State, dt: f64) {
        let Implicit { settings, stage, ends, .. } = self;
        ends.clone_from(&stage.velocities);
        for (pin, vertex) in system.pins.vertices().iter().enumerate() {
            let place = system.pins.place(pin, state.time + dt);
            let k = vertex.index();
            ends[k] = match settings.kind {
                ImplicitKind::Midpoint => (place - state.positions[k]) / dt,
                _ => (place - stage.positions[k]) / stage.span,
            };
        }
    }

    /// Solves A w = M v̂ + γ f(x̂, 0): exact where forces are linear.
    fn linearised(&mut self, system: &mut System, report: &mut Report) -> Result<(), StepError> {
        let Implicit { settings, solvers, stage, trial, ends, forces, right, .. } = self;
        trial.positions.clone_from(&stage.positions);
        trial.velocities.clear();
        trial.velocities.resize(stage.positions.len(), Vec3::ZERO);
        trial.time = stage.time;
        system.sum_forces(trial.motion(), forces)?;
        right.clear();
        let free = stage.velocities.iter().zip(system.masses.of());
        right.extend(free.zip(&*forces).map(|((v, m), f)| *m * *v + stage.span * *f));
        assemble(system, trial.motion(), stage.span)?;
        system.check_finite(right, "momentum", "force", stage.time)?;
        let Some(matrix) = system.forces.matrix() else { return Ok(()) };
        let (held, bodies) = (system.pins.vertices(), &system.bodies);
        let linear = Linear { matrix, right, held, bodies };
        let _watch = Watch::new(&system.watcher, Stage::Solve);
        let solved = solvers.solve(linear, settings.linear, ends)?;
        report.linear += solved.iterations;
        report.residual = solved.residual;
        Ok(())
    }

    /// Newton's method from the linearised solution, or from rest where that overshoots.
    fn newton(
        &mut self,
        system: &mut System,
        (iterations, tolerance): (usize, f64),
        report: &mut Report,
    ) -> Result<(), StepError> {
        // Held vertices move, the others wait: the shape that Newton starts from.
        self.base.clear();
        self.base.resize(self.ends.len(), Vec3::ZERO);
        for vertex in system.pins.vertices() {
            self.base[vertex.index()] = self.ends[vertex.index()];
        }
        self.linearised(system, report)?;
        let size = free_size(system, &self.right);
        self.change.clear();
        self.change.extend(self.ends.iter().zip(&self.base).map(|(end, base)| *end - *base));
        let mut left = self.search(system)?;
        report.newton += 1;
        for done in 1..=iterations {
            report.residual = if size > 0.0 { left / size } else { left };
            if left <= tolerance * size || self.is_rounding() {
                return Ok(());
            }
            if done == iterations {
                break;
            }
            self.correct(system, report)?;
            left = self.search(system)?;
            report.newton += 1;
        }
        let residual = report.residual;
        Err(StepError::NotConverged { solver: "Newton", iterations, residual, tolerance })
    }

    /// Solves A δ = g for the change of the end velocities.
    fn correct(&mut self, system: &mut System, report: &mut Report) -> Result<(), StepError> {
        let Implicit { settings, solvers, stage, trial, right, change, .. } = self;
        assemble(system, trial.motion(), stage.span)?;
        change.fill(Vec3::ZERO);
        let Some(matrix) = system.forces.matrix() else { return Ok(()) };
        let (held, bodies) = (system.pins.vertices(), &system.bodies);
        let linear = Linear { matrix, right, held, bodies };
        let _watch = Watch::new(&system.watcher, Stage::Solve);
        report.linear += solvers.solve(linear, settings.linear, change)?.iterations;
        Ok(())
    }

    /// Goes along `change` from `base` as far as it helps, and returns what is left.
    ///
    /// Leaves the new residual g in `right` and the new place in `base`, `ends` and `trial`.
    fn search(&mut self, system: &System) -> Result<f64, StepError> {
        self.ends.clone_from(&self.base);
        let before = self.merit(system);
        let left_before = self.find_residual(system).unwrap_or(f64::INFINITY);
        let slope = -dot(&self.right, &self.change);
        let mut length = 1.0;
        for _ in 0..=MOST_HALVINGS {
            for k in 0..self.ends.len() {
                self.ends[k] = self.base[k] + length * self.change[k];
            }
            let merit = self.merit(system);
            if let Ok(left) = self.find_residual(system) {
                let fewer = left <= (1.0 - ENOUGH * length) * left_before;
                if fewer || merit <= before + ENOUGH * length * slope {
                    self.base.clone_from(&self.ends);
                    return Ok(left);
                }
            }
            length *= 0.5;
        }
        // No way down: what is there is as good as it gets, and the caller judges it.
        self.ends.clone_from(&self.base);
        self.change.fill(Vec3::ZERO);
        self.find_residual(system)
    }

    /// Puts `trial` at the end velocities.
    fn place_trial(&mut self) {
        let Implicit { stage, trial, ends, .. } = self;
        trial.positions.clear();
        let moved = stage.positions.iter().zip(&*ends);
        trial.positions.extend(moved.map(|(x, w)| *x + stage.span * *w));
        trial.velocities.clone_from(ends);
        trial.time = stage.time;
    }

    /// Fills `right` with g = M (v̂ − w) + γ f, and returns its size over free vertices.
    fn find_residual(&mut self, system: &System) -> Result<f64, StepError> {
        self.place_trial();
        let Implicit { stage, trial, ends, forces, right, .. } = self;
        system.sum_forces(trial.motion(), forces)?;
        right.clear();
        let change = stage.velocities.iter().zip(&*ends).zip(system.masses.of());
        right.extend(change.zip(&*forces).map(|(((v, w), m), f)| *m * (*v - *w) + stage.span * *f));
        system.pins.vertices().iter().for_each(|vertex| right[vertex.index()] = Vec3::ZERO);
        Ok(dot(right, right).sqrt())
    }

    /// Energy whose slope the residual is, damping at its present strength included, J.
    fn merit(&mut self, system: &System) -> f64 {
        self.place_trial();
        let Implicit { stage, trial, ends, forces, .. } = self;
        let inertia: f64 = {
            let terms = stage.velocities.iter().zip(&*ends).zip(system.masses.of());
            terms.map(|((v, w), m)| 0.5 * m * (*w - *v).length_squared()).sum()
        };
        let stored = system.forces.energy(trial.motion());
        system.forces.sum(trial.motion(), forces);
        let moving = dot(ends, forces);
        trial.velocities.fill(Vec3::ZERO);
        system.forces.sum(trial.motion(), forces);
        let lost = 0.5 * stage.span * (dot(ends, forces) - moving);
        inertia + stored + lost
    }

    /// Whether the last change is too small to move any coordinate.
    fn is_rounding(&self) -> bool {
        let largest = |vectors: &[Vec3]| {
            vectors.iter().fold(0.0, |most: f64, v| most.max(v.abs().max_element()))
        };
        let moved = self.stage.span * largest(&self.change);
        moved <= LAST_PLACES * f64::EPSILON * largest(&self.stage.positions)
    }

    /// The state at the end of the step.
    fn finish(&mut self, system: &System, state: &State, dt: f64) {
        let Implicit { settings, stage, ends, next, .. } = self;
        next.copy_from(state);
        next.time = state.time + dt;
        for (k, end) in ends.iter().enumerate() {
            if settings.kind == ImplicitKind::Midpoint {
                next.positions[k] += dt * *end;
                next.velocities[k] += 2.0 * (*end - state.velocities[k]);
            } else {
                next.positions[k] = stage.positions[k] + stage.span * *end;
                next.velocities[k] = *end;
            }
        }
        system.pins.hold(next.time, &mut next.positions, &mut next.velocities);
    }

    /// Keeps what the next step of BDF2 wants to know.
    fn remember(&mut self, before: &State, after: &State, dt: f64) {
        if self.settings.kind != ImplicitKind::Bdf2 {
            return;
        }
        let past = self.past.get_or_insert_default();
        past.before.copy_from(before);
        past.after.copy_from(after);
        past.dt = dt;
    }
}

impl Integrator for Implicit {
    fn step(
        &mut self,
        system: &mut System,
        state: &mut State,
        dt: f64,
    ) -> Result<Report, StepError> {
        system.check_step(state, dt)?;
        let mut report = Report { substeps: 1, ..Report::default() };
        self.prepare(state, dt);
        self.hold(system, state, dt);
        match self.settings.equations {
            Equations::LinearisedOnce => self.linearised(system, &mut report)?,
            Equations::Newton { iterations, tolerance } => {
                self.newton(system, (iterations, tolerance), &mut report)?;
            }
        }
        self.finish(system, state, dt);
        let mut next = std::mem::take(&mut self.next);
        let accepted = system.accept(state, &mut next, dt);
        if accepted.is_ok() {
            self.remember(&next, state, dt);
        }
        self.next = next;
        accepted.map(|()| report)
    }

    fn save(&self, memory: &mut Memory) {
        let past = self.past.iter();
        memory.write(past.len() as f64);
        past.for_each(|past| {
            past.before.save(memory);
            past.after.save(memory);
            memory.write(past.dt);
        });
    }

    fn restore(&mut self, memory: &mut Memory) -> Result<(), MemoryError> {
        self.past = None;
        if memory.read("implicit")? == 1.0 {
            let past = self.past.get_or_insert_default();
            past.before.restore(memory)?;
            past.after.restore(memory)?;
            past.dt = memory.read("implicit")?;
        }
        Ok(())
    }
}

/// Builds A = M + γ D + γ² K.
pub(super) fn assemble(
    system: &mut System,
    motion: Motion<'_>,
    span: f64,
) -> Result<(), StepError> {
    let _watch = Watch::new(&system.watcher, Stage::Solve);
    let tangent = Tangent { stiffness: span * span, damping: span, form: Form::Definite };
    let matrix = system.forces.assemble(motion, tangent);
    for (row, mass) in system.masses.of().iter().enumerate() {
        matrix.add_to_diagonal(row, *mass);
    }
    let sums = |row| matrix.diagonal(row) * Vec3::ONE;
    let Some(row) = (0..matrix.len()).find(|row| !sums(*row).is_finite()) else {
        return Ok(());
    };
    let (value, (body, vertex)) = (sums(row), system.bodies.locate(row));
    let (what, stage, time) = ("stiffness", "force", motion.time);
    Err(StepError::NotFinite { body, vertex, what, value, stage, time })
}

/// Size of a vector over the vertices that are not held.
fn free_size(system: &System, vector: &[Vec3]) -> f64 {
    let held: f64 = system.pins.vertices().iter().map(|v| vector[v.index()].length_squared()).sum();
    (dot(vector, vector) - held).max(0.0).sqrt()
}
