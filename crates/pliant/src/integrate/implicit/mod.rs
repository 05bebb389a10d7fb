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

mod joints;
mod newton;
mod rigid;
mod rotation;
mod springs;

use crate::body::soft::State;
use crate::contact::output::ContactOutput;
use crate::force::{Form, StateView, Tangent};
use crate::id::VertexId;
use crate::integrate::implicit::joints::JointContactAlternator;
use crate::integrate::implicit::rigid::{Reduced, RigidStep, StepEquations};
use crate::integrate::implicit::springs::SpringSolver;
use crate::integrate::{Integrator, StepError, StepReport, System};
use crate::math::Vec3;
use crate::mesh::runs::Runs;
use crate::profile::{Stage, StageTimer};
use crate::snapshot::{Snapshot, SnapshotError};
use crate::solve::linear::{Linear, LinearSettings, Solvers};
use crate::solve::pcg::Pcg;
use crate::solve::rows::{self, RowSettings, RowSolver, SolveSettings, Unknowns};
use crate::solve::terms::Sides;

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
    /// With it midpoint and BDF2 are of order 2 only where the definite form of the stiffness
    /// is the exact one, as in stretched springs.
    #[default]
    LinearisedOnce,
    /// Newton's method with line search.
    Newton {
        /// Most iterations.
        iterations: usize,
        /// Residual to reach, relative to the right-hand side at the start.
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
    /// How contacts are solved with it.
    pub rows: RowSettings,
}

/// Implicit Euler, implicit midpoint or BDF2.
///
/// Equations that are not solved are an error with the numbers; around it
/// [`Stepper::with_halvings`](crate::step::Stepper::with_halvings) makes shorter steps instead.
///
/// Implicit Euler, linearised once, solves the rows or the springs of contact together with the
/// materials.
///
/// - Implements: [Zachmann slide "Implizite Integration"], with damping.
/// - Deviates: forces are linearised in velocity too; printed, the damper stays explicit
///   and limits the step (erratum L5b).
#[derive(Debug, Default)]
pub struct Implicit {
    settings: ImplicitSettings,
    solvers: Solvers,
    /// Moves whole groups of rigid bodies and what they hold.
    groups: Pcg,
    row_solver: RowSolver,
    spring_solver: SpringSolver,
    reduced: Reduced,
    alternator: JointContactAlternator,
    stage: Problem,
    trial: State,
    /// Positions and velocities before the last step, and its length; for BDF2.
    past: Option<Past>,
    ends: Vec<Vec3>,
    base: Vec<Vec3>,
    forces: Vec<Vec3>,
    right: Vec<Vec3>,
    change: Vec<Vec3>,
    /// Part of the last change that Newton's method took; 0 when there was no way down.
    taken: f64,
    /// Zeros, m/s.
    zeros: Vec<Vec3>,
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

    /// Takes over factors and memory of steps of another system; bodies of `kept` stay.
    pub(crate) fn take_over(&mut self, old: &mut Implicit, kept: &Runs) {
        std::mem::swap(&mut self.row_solver, &mut old.row_solver);
        self.row_solver.keep(kept);
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

    /// Solves A w = M v̂ + γ (f + D v̂), both at x̂ and v̂: exact where forces are linear.
    ///
    /// Rigid bodies take part where a state of them is given.
    fn linearised(
        &mut self,
        system: &mut System,
        with_rigids: Option<&State>,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        let Implicit { stage, trial, forces, right, change, .. } = self;
        trial.positions.clone_from(&stage.positions);
        trial.velocities.clone_from(&stage.velocities);
        trial.time = stage.time;
        system.sum_linearised(trial.motion(), forces, change)?;
        right.clear();
        let free = stage.velocities.iter().zip(system.masses.of());
        right.extend(free.zip(&*forces).map(|((v, m), f)| *m * *v + stage.span * *f));
        if self.settings.kind == ImplicitKind::Euler {
            rotation::add_centrifugal(system, trial.motion(), right, stage.span);
        }
        let attached = system
            .rigids
            .attached()
            .iter()
            .map(|a| (a.vertex, VertexId(system.rigids.unknowns()[a.holder.index()])));
        let beyond = with_rigids.map_or(0, |_| 2 * system.rigids.entries().len());
        system.forces.condense(attached, beyond);
        assemble(system, trial.motion(), stage.span)?;
        system.check_finite(right, "momentum", "force", stage.time)?;
        let Some(state) = with_rigids.filter(|_| !system.rigids.is_empty()) else {
            return self.solve(system, report);
        };
        self.reduce(system, state);
        if system.joints.is_empty() {
            self.solve(system, report)?;
        } else {
            self.solve_jointed(system, state, report)?;
        }
        let System { rigids, scratch, .. } = system;
        scratch.external_impulses.extend_from_slice(&self.reduced.support_impulses);
        self.row_solver.finish(&mut scratch.contact.point_forces, &mut scratch.substeps);
        scratch.add_rested(rigids);
        Reduced::spread(rigids, state, &mut self.ends, &mut scratch.rigid_solution);
        Ok(())
    }

    /// Puts rigid bodies in place of their vertices.
    fn reduce(&mut self, system: &mut System, state: &State) {
        let Implicit { stage, ends, right, forces, reduced, row_solver, .. } = self;
        let System { rigids, scratch, pins, masses, joints, forces: laws, .. } = system;
        let Some(matrix) = laws.matrix_mut() else { return };
        let step = RigidStep {
            rigids,
            asleep: &scratch.asleep,
            state,
            pins: pins.vertices(),
            masses: masses.of(),
            forces,
            span: stage.span,
        };
        reduced.fill(&step, StepEquations { matrix, right, ends });
        reduced.note_joints(rigids, joints.list());
        let ContactOutput { rows, point_forces, .. } = &mut scratch.contact;
        row_solver.begin(rows.len(), point_forces);
    }

    /// Solves the linear system, with the contacts if there are any.
    fn solve(&mut self, system: &mut System, report: &mut StepReport) -> Result<(), StepError> {
        let _timer = StageTimer::new(&system.profiler, Stage::Solve);
        let with_rigids = !system.rigids.is_empty() && self.solves_constraints();
        let Implicit {
            settings,
            solvers,
            groups,
            row_solver,
            spring_solver,
            stage,
            ends,
            right,
            ..
        } = self;
        let Some(matrix) = system.forces.matrix() else { return Ok(()) };
        let (mut held, bodies) = (system.pins.vertices(), system.bodies.offsets());
        let mut given = Sides::soft(bodies, system.masses.of());
        given.positions = &stage.positions;
        if with_rigids {
            held = &self.reduced.held;
            given.masses = &self.reduced.masses;
            given.rigid = Some(self.reduced.sides(&stage.positions));
        }
        let (rows, springs) = (system.scratch.contact.rows.len(), &system.scratch.contact.springs);
        if rows == 0 {
            let mut linear = Linear { matrix, right, held, bodies };
            if !springs.is_empty() {
                report.linear +=
                    spring_solver.solve(linear, springs, settings.linear, stage.span, ends)?;
                // Once more with their forces given, which cancel: so momentum is kept.
                linear.right = spring_solver.right();
            }
            let how = SolveSettings { rows: settings.rows, linear: settings.linear };
            let solved = match settings.equations {
                Equations::LinearisedOnce => {
                    row_solver.solve_free(linear, given, how, stage.span, ends)?
                }
                // Its steps may be so long that masses are lost to rounding in factors.
                Equations::Newton { .. } => solvers.solve(linear, settings.linear, ends)?,
            };
            if with_rigids {
                groups.move_groups(linear, self.reduced.coarse_dofs(), ends);
            }
            report.linear += solved.iterations;
            report.residual = solved.residual;
            return Ok(());
        }
        if !springs.is_empty() {
            return Err(StepError::Mixed { rows, springs: springs.len() });
        }
        let equations = rows::Equations { matrix, right, held, dt: stage.span };
        let ContactOutput { rows, row_impulses, .. } = &mut system.scratch.contact;
        let how = SolveSettings { rows: settings.rows, linear: settings.linear };
        let unknowns = Unknowns { velocities: ends, row_impulses };
        let solved = row_solver.solve(equations, given, rows, how, unknowns)?;
        report.sweeps += solved.sweeps;
        report.outer += solved.outer;
        report.linear += solved.iterations;
        report.residual = solved.residual;
        Ok(())
    }

    /// The state at the end of the step.
    fn finish(&mut self, system: &mut System, state: &State, dt: f64) {
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
        system.scratch.solved_velocities.clear();
        if settings.kind == ImplicitKind::Euler && settings.equations == Equations::LinearisedOnce {
            system.scratch.solved_velocities.extend_from_slice(&next.velocities);
            system.scratch.solved_positions.clone_from(&stage.positions);
            rotation::turn_free_bodies(system, &state.positions, next, dt);
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
    ) -> Result<StepReport, StepError> {
        system.check_step(state, dt)?;
        let mut report = StepReport { substeps: 1, ..StepReport::default() };
        self.prepare(state, dt);
        self.hold(system, state, dt);
        match self.settings.equations {
            Equations::LinearisedOnce => {
                let with_rigids = self.solves_constraints().then_some(&*state);
                self.linearised(system, with_rigids, &mut report)?;
            }
            Equations::Newton { iterations, tolerance } => {
                self.newton(system, iterations, tolerance, &mut report)?;
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

    fn set_threads(&mut self, threads: usize) {
        self.row_solver.set_threads(threads);
    }

    fn solves_constraints(&self) -> bool {
        let ImplicitSettings { kind, equations, .. } = self.settings;
        kind == ImplicitKind::Euler && equations == Equations::LinearisedOnce
    }

    fn is_dissipative(&self) -> bool {
        self.settings.kind == ImplicitKind::Euler
    }

    fn save(&self, memory: &mut Snapshot) {
        let past = self.past.iter();
        memory.write(past.len() as f64);
        past.for_each(|past| {
            past.before.save(memory);
            past.after.save(memory);
            memory.write(past.dt);
        });
        self.row_solver.save(memory);
    }

    fn restore(&mut self, memory: &mut Snapshot) -> Result<(), SnapshotError> {
        self.past = None;
        if memory.read("implicit")? == 1.0 {
            let past = self.past.get_or_insert_default();
            past.before.restore(memory)?;
            past.after.restore(memory)?;
            past.dt = memory.read("implicit")?;
        }
        self.row_solver.restore(memory)
    }
}

/// Builds A = M + γ D + γ² K in the definite form.
pub(super) fn assemble(
    system: &mut System,
    motion: StateView<'_>,
    span: f64,
) -> Result<(), StepError> {
    let _timer = StageTimer::new(&system.profiler, Stage::Solve);
    let tangent = Tangent { stiffness: span * span, damping: span, form: Form::Definite };
    system.forces.assemble(motion, tangent)?;
    finish_matrix(system, motion.time)
}

/// Adds masses to the matrix built last, and refuses one that is not finite.
fn finish_matrix(system: &mut System, time: f64) -> Result<(), StepError> {
    let Some(matrix) = system.forces.matrix_mut() else { return Ok(()) };
    let mut refused = None;
    for (row, mass) in system.masses.of().iter().enumerate() {
        matrix.add_to_diagonal(row, *mass);
        let sums = matrix.diagonal(row) * Vec3::ONE;
        if !sums.is_finite() {
            refused = refused.or(Some((row, sums)));
        }
    }
    let Some((row, value)) = refused else {
        return Ok(());
    };
    let (body, vertex) = system.bodies.offsets().locate(row);
    Err(StepError::NotFinite { body, vertex, what: "stiffness", value, stage: "force", time })
}
