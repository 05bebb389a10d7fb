//! Motion from forces: one step after the other.
//!
//! Every integrator moves the same [`State`] under the same [`System`]; they differ in
//! order, stability and cost. A step that fails leaves the state as it was.

pub mod euler;

pub mod midpoint;

pub mod rk4;

pub mod verlet;

pub mod constraint;

pub mod pbd;

pub mod shape_matching;

pub mod implicit;

pub mod free_motion;

pub mod sleep;

pub(crate) mod rigid_motion;

pub(crate) mod apply_output;

pub(crate) mod energy_gain;

pub(crate) mod energy_input;

pub mod frequency;

use crate::body::pins::Pins;
use crate::body::rigid::RigidState;
use crate::body::rigid::all::RigidBodySet;
use std::sync::Arc;

use crate::body::Bodies;
use crate::body::soft::{Masses, State};
use crate::contact::Contact;
use crate::contact::impulse::ContactImpulse;
use crate::contact::output::{ContactOutput, ContactStats};
use crate::contact::response::{LARGEST, ResponseError};
use crate::force::{Forces, StateView, StepRejection};
use crate::id::{BodyId, MismatchError, VertexId};
use crate::integrate::free_motion::FreeMotion;
use crate::math::Vec3;
use crate::profile::{ProfilerRef, Stage, StageTimer};
use crate::snapshot::{Snapshot, SnapshotError};
use crate::solve::joint::{JointError, Joints};
use crate::solve::linear::SolveError;
use crate::solve::rigid_substeps::SubstepOutput;

/// What is moved: masses, forces, and what is held.
#[derive(Debug, Default)]
pub struct System {
    /// Of all vertices.
    pub masses: Masses,
    /// Held vertices.
    pub pins: Pins,
    /// Everything that pushes.
    pub forces: Forces,
    /// Which bodies are rigid.
    pub rigids: RigidBodySet,
    /// What holds rigid bodies together; made for all of them, in their order.
    pub joints: Joints,
    /// Bodies that never move, all of whose vertices are held, ascending; as walls.
    pub fixed: Vec<BodyId>,
    /// All bodies, whose vertices the arrays hold in this order; none where nobody asks for them.
    pub bodies: Arc<Bodies>,
    /// Receives the start and end of each stage.
    pub profiler: ProfilerRef,
    /// What the stages of a step hand to each other.
    pub scratch: StepScratch,
}

/// What the stages of a step hand to each other.
#[derive(Debug, Default)]
pub struct StepScratch {
    /// What contact asks of the step that is being made.
    pub contact: ContactOutput,
    /// Impulses that obstacles gave since this was last cleared: vertex and impulse, N·s.
    pub external_impulses: Vec<(VertexId, Vec3)>,
    /// Velocity, m/s, and spin, rad/s, of each rigid body as solved with the last step, by an
    /// integrator that solves constraints.
    pub rigid_solution: Vec<(Vec3, Vec3)>,
    /// How rigid bodies moved that were solved in substeps.
    pub substeps: SubstepOutput,
    /// Velocities of all vertices as solved with the last step, m/s, where bodies have been turned
    /// since; otherwise empty.
    pub solved_velocities: Vec<Vec3>,
    /// Positions that they were solved at, m.
    pub solved_positions: Vec<Vec3>,
    /// Which rigid bodies sleep, in their order; none where there is no entry.
    pub asleep: Vec<bool>,
    /// How rigid bodies turn between contacts.
    pub free_motion: FreeMotion,
    /// Whether the contacts of each part of a step are kept.
    pub keeps_contacts: bool,
    /// Contacts of all parts of the last step with their impulses, where they are kept.
    pub kept_contacts: Vec<(Contact, ContactImpulse)>,
}

impl StepScratch {
    /// Notes what bodies that come to rest leave to what they lie on, and what shifts put in.
    pub(crate) fn add_rested(&mut self, rigids: &RigidBodySet) {
        self.contact.energy_input += self.substeps.lifted;
        for member in rigids.entries() {
            let first = member.unknown as u32;
            let rested = &self.substeps.rested;
            if let Ok(place) = rested.binary_search_by_key(&first, |(first, _)| *first) {
                let vertex = VertexId(member.vertices.start as u32);
                self.external_impulses.push((vertex, rested[place].1));
            }
        }
    }

    /// Keeps the contacts of a part of the step that was made.
    pub(crate) fn keep_contacts(&mut self) {
        if self.keeps_contacts {
            let ContactOutput { rows, row_impulses, .. } = &self.contact;
            let solved = rows.iter().copied().zip(row_impulses.iter().copied());
            self.kept_contacts.extend(solved);
        }
    }
}

/// What one step took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct StepReport {
    /// Steps that were made in place of one; more than 1 when it was cut.
    pub substeps: usize,
    /// Newton iterations; 0 for explicit integrators.
    pub newton: usize,
    /// Iterations of the linear solver.
    pub linear: usize,
    /// What was left of the equations, relative to the start of the step.
    pub residual: f64,
    /// Outer iterations over the contacts of large bodies.
    pub outer: usize,
    /// Sweeps over the contacts of small bodies.
    pub sweeps: usize,
    /// Parts of the step whose contacts did not converge, see [`crate::solve::convergence`].
    pub unconverged: usize,
    /// Energy that sources put in, J, at least: moving pins and obstacles, motors, wind,
    /// depenetration and position correction.
    pub energy_input: f64,
    /// Whether something stored energy that no potential shows: forces of contact, goal shapes or
    /// projected positions.
    pub hides_energy: bool,
    /// Times that the step, or a part of it, was refused and halved.
    pub halvings: usize,
    /// What contact met.
    pub contact: ContactStats,
}

impl StepReport {
    /// Takes in what a part of the step took.
    pub fn add(&mut self, part: StepReport) {
        self.substeps += part.substeps;
        self.newton += part.newton;
        self.linear += part.linear;
        self.residual = self.residual.max(part.residual);
        self.outer += part.outer;
        self.sweeps += part.sweeps;
        self.unconverged += part.unconverged;
        self.energy_input += part.energy_input;
        self.hides_energy |= part.hides_energy;
        self.halvings += part.halvings;
        self.contact.add(part.contact);
    }
}

/// Why a step was not made.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum StepError {
    /// A time step that leads nowhere.
    #[error("the time step is {dt} s: it must be positive and finite")]
    TimeStep {
        /// The step asked for, s.
        dt: f64,
    },
    /// A value that is infinite or not a number.
    #[error("vertex {vertex} of body {body} has {what} {value} after {stage} at {time} s")]
    NotFinite {
        /// The body.
        body: BodyId,
        /// The vertex, counted within the body.
        vertex: VertexId,
        /// Which quantity.
        what: &'static str,
        /// Its value.
        value: Vec3,
        /// Stage that made it.
        stage: &'static str,
        /// When, s.
        time: f64,
    },
    /// A value whose products no number can hold.
    #[error(
        "vertex {vertex} of body {body} has {what} {value} after {stage} at {time} s: more than {LARGEST:e} is not computed with"
    )]
    Extreme {
        /// The body.
        body: BodyId,
        /// The vertex, counted within the body.
        vertex: VertexId,
        /// Which quantity.
        what: &'static str,
        /// Its value.
        value: Vec3,
        /// Stage that made it.
        stage: &'static str,
        /// When, s.
        time: f64,
    },
    /// A step that something must not let pass; a shorter one may do.
    #[error(
        "a step of {dt} s, after {halvings} halvings, takes vertex {vertex} of body {body} to {what} {value} m, beyond {limit} m"
    )]
    Refused {
        /// The body.
        body: BodyId,
        /// The vertex, counted within the body.
        vertex: VertexId,
        /// Which quantity.
        what: &'static str,
        /// Its value, m.
        value: f64,
        /// The value not to be passed, m.
        limit: f64,
        /// The step refused last, s.
        dt: f64,
        /// Times that the step was halved before.
        halvings: u32,
    },
    /// Arrays that do not belong together.
    #[error("the state has {count} vertices, the {what} were made for {expected}")]
    Count {
        /// What the state does not fit.
        what: &'static str,
        /// Vertices of the state.
        count: usize,
        /// Vertices expected.
        expected: usize,
    },
    /// Contacts for an integrator that cannot solve them.
    #[error(
        "{rows} contacts are to be solved with the step: only implicit Euler does, without Newton"
    )]
    Rows {
        /// Rows.
        rows: usize,
    },
    /// Contacts that are solved in different ways.
    #[error(
        "{rows} contacts are rows and {springs} are springs: a step can solve one kind or the other"
    )]
    Mixed {
        /// Rows.
        rows: usize,
        /// Springs.
        springs: usize,
    },
    /// Attached vertices for an integrator that cannot solve them.
    #[error(
        "{vertices} vertices are attached to rigid bodies: only implicit Euler moves them, without Newton"
    )]
    Attached {
        /// Such vertices.
        vertices: usize,
    },
    /// Joints that are not for the rigid bodies of the system.
    #[error("{0}")]
    Joints(JointError),
    /// A rigid body whose state is not finite, or too large.
    #[error("the state of rigid body {body} is not finite, or more than {LARGEST:e}")]
    BadRigid {
        /// First such body.
        body: BodyId,
    },
    /// Arguments that do not belong together.
    #[error("{0}")]
    Mismatch(#[from] MismatchError),
    /// A response that could not do its work.
    #[error("{0}")]
    Response(ResponseError),
    /// A body of which all vertices are held.
    #[error("every vertex of body {body} is pinned: it cannot move, make it an obstacle")]
    NothingFree {
        /// First such body.
        body: BodyId,
    },
    /// Energy that appeared in a step without a source.
    #[error(
        "energy grew by {gained:.3e} J without a source in a step of {dt:.3e} s at {time} s, where \
         {stored:.3e} J were stored: take a shorter dt, a stiffer material or a finer mesh"
    )]
    EnergyGained {
        /// Beyond what sources put in, J.
        gained: f64,
        /// Kinetic and elastic energy before, J.
        stored: f64,
        /// Length of the step, s.
        dt: f64,
        /// When it began, s.
        time: f64,
    },
    /// Equations that were not solved.
    #[error(
        "the {solver} solver stopped after {iterations} iterations with residual {residual:.3e}, above {tolerance:.3e}"
    )]
    NotConverged {
        /// Which solver.
        solver: &'static str,
        /// Iterations made.
        iterations: usize,
        /// What was left, relative.
        residual: f64,
        /// What was asked for, relative.
        tolerance: f64,
    },
}

impl StepError {
    /// Whether a shorter step may pass.
    pub(crate) fn may_pass_when_shorter(&self) -> bool {
        match self {
            StepError::Refused { .. }
            | StepError::NotFinite { .. }
            | StepError::Extreme { .. }
            | StepError::EnergyGained { .. }
            | StepError::NotConverged { .. } => true,
            StepError::TimeStep { .. }
            | StepError::Count { .. }
            | StepError::Rows { .. }
            | StepError::Mixed { .. }
            | StepError::Attached { .. }
            | StepError::Joints(_)
            | StepError::Mismatch(_)
            | StepError::BadRigid { .. }
            | StepError::Response(_)
            | StepError::NothingFree { .. } => false,
        }
    }

    /// The same with the number of times that the step was halved before.
    pub(crate) fn after_halvings(self, made: u32) -> StepError {
        match self {
            StepError::Refused { body, vertex, what, value, limit, dt, .. } => {
                StepError::Refused { body, vertex, what, value, limit, dt, halvings: made }
            }
            other => other,
        }
    }
}

/// A way to step.
pub trait Integrator: std::any::Any + std::fmt::Debug + Send {
    /// Moves the state on by `dt` seconds.
    fn step(
        &mut self,
        system: &mut System,
        state: &mut State,
        dt: f64,
    ) -> Result<StepReport, StepError>;

    /// Whether it solves the rows or springs of [`StepScratch::contact`].
    fn solves_constraints(&self) -> bool {
        false
    }

    /// Whether no step of it can raise the total energy, but by rounding and linearisation.
    fn is_dissipative(&self) -> bool {
        false
    }

    /// Longest stable step of an undamped oscillation of 1 rad/s, s; none where all are stable.
    fn stable_step(&self) -> Option<f64> {
        None
    }

    /// Writes what it remembers of the steps before, if anything.
    fn save(&self, _snapshot: &mut Snapshot) {}

    /// Reads what [`Integrator::save`] wrote.
    fn restore(&mut self, _snapshot: &mut Snapshot) -> Result<(), SnapshotError> {
        Ok(())
    }

    /// Works with this many threads from now on; the bits stay the same.
    fn set_threads(&mut self, _threads: usize) {}
}

impl System {
    /// Refuses a motion of other vertices than those of masses, pins, forces and contact.
    pub(crate) fn check_motion(&self, motion: StateView<'_>) -> Result<(), MismatchError> {
        let expected = self.masses.of().len();
        MismatchError::check("positions", motion.positions.len(), expected)?;
        MismatchError::check("velocities", motion.velocities.len(), expected)?;
        let count = self.pins.vertices().last().map_or(0, |vertex| vertex.index() + 1);
        if count > expected {
            return Err(MismatchError::Count { what: "vertices with pins", count, expected });
        }
        self.forces.check(motion)?;
        self.scratch.contact.check_forces(expected)
    }

    /// Fills `accelerations` with force over mass, m/s²; held vertices get zero.
    pub fn accelerations(
        &self,
        motion: StateView<'_>,
        accelerations: &mut Vec<Vec3>,
    ) -> Result<(), StepError> {
        self.sum_forces(motion, accelerations)?;
        for (force, mass) in accelerations.iter_mut().zip(self.masses.of()) {
            *force /= *mass;
        }
        for vertex in self.pins.vertices() {
            accelerations[vertex.index()] = Vec3::ZERO;
        }
        Ok(())
    }

    /// Fills `forces` with the sum on each vertex, N.
    pub fn sum_forces(
        &self,
        motion: StateView<'_>,
        forces: &mut Vec<Vec3>,
    ) -> Result<(), StepError> {
        self.check_motion(motion)?;
        let _timer = StageTimer::new(&self.profiler, Stage::Force);
        forces.resize(motion.positions.len(), Vec3::ZERO);
        self.forces.sum(motion, forces);
        self.push(forces);
        self.check_finite(forces, "force", "force", motion.time)
    }

    /// Fills `forces` with what of them is linear in the velocity: f + D v, N.
    pub(crate) fn sum_linearised(
        &self,
        motion: StateView<'_>,
        forces: &mut Vec<Vec3>,
        still: &mut Vec<Vec3>,
    ) -> Result<(), StepError> {
        let _timer = StageTimer::new(&self.profiler, Stage::Force);
        forces.resize(motion.positions.len(), Vec3::ZERO);
        self.forces.sum_linearised(motion, forces, still);
        self.push(forces);
        self.check_finite(forces, "force", "force", motion.time)
    }

    /// Adds the forces of contact.
    fn push(&self, forces: &mut [Vec3]) {
        for (vertex, force) in &self.scratch.contact.forces {
            forces[vertex.index()] += *force;
        }
    }

    /// The error of a step that something must not let pass.
    pub(crate) fn rejected(&self, rejection: StepRejection, dt: f64) -> StepError {
        let StepRejection { vertex, what, value, limit } = rejection;
        let (body, vertex) = self.bodies.offsets().locate(vertex.index());
        StepError::Refused { body, vertex, what, value, limit, dt, halvings: 0 }
    }

    /// Refuses a state with a value that is not finite, or whose square is not.
    pub fn check_state(&self, motion: StateView<'_>, stage: &'static str) -> Result<(), StepError> {
        for (values, what) in [(motion.positions, "position"), (motion.velocities, "velocity")] {
            self.check_finite(values, what, stage, motion.time)?;
            let far = |value: &Vec3| value.abs().max_element() > LARGEST;
            if let Some(index) = values.iter().position(far) {
                let (body, vertex) = self.bodies.offsets().locate(index);
                let (value, time) = (values[index], motion.time);
                return Err(StepError::Extreme { body, vertex, what, value, stage, time });
            }
        }
        Ok(())
    }

    /// Refuses values of which one is not finite.
    pub(crate) fn check_finite(
        &self,
        values: &[Vec3],
        what: &'static str,
        stage: &'static str,
        time: f64,
    ) -> Result<(), StepError> {
        let Some(index) = values.iter().position(|value| !value.is_finite()) else {
            return Ok(());
        };
        let (body, vertex) = self.bodies.offsets().locate(index);
        Err(StepError::NotFinite { body, vertex, what, value: values[index], stage, time })
    }

    /// Refuses what no integrator can step.
    pub fn check_step(&self, state: &State, dt: f64) -> Result<(), StepError> {
        if !(dt > 0.0 && dt.is_finite()) {
            return Err(StepError::TimeStep { dt });
        }
        let (count, expected) = (state.positions.len(), self.masses.of().len());
        for (what, expected) in [("masses", expected), ("velocities", state.velocities.len())] {
            if count != expected {
                return Err(StepError::Count { what, count, expected });
            }
        }
        let pinned = self.pins.vertices();
        let last_pin = pinned.last().map_or(0, |vertex| vertex.index() + 1);
        if last_pin > count {
            return Err(StepError::Count { what: "pins", count, expected: last_pin });
        }
        let known = self.bodies.vertex_count();
        if !self.bodies.is_empty() && known != count {
            return Err(StepError::Count { what: "bodies", count, expected: known });
        }
        self.forces.check(state.motion())?;
        self.check_rigids(state)?;
        self.scratch.contact.check(&self.bodies, count)?;
        for (body, range) in self.bodies.offsets().ranges(expected).enumerate() {
            let first = pinned.partition_point(|vertex| vertex.index() < range.start);
            let last = pinned.partition_point(|vertex| vertex.index() < range.end);
            let is_held = !range.is_empty() && last - first == range.len();
            if is_held && self.fixed.binary_search(&BodyId(body as u32)).is_err() {
                return Err(StepError::NothingFree { body: BodyId(body as u32) });
            }
        }
        Ok(())
    }

    /// Refuses rigid bodies of another scene, or without their state.
    fn check_rigids(&self, state: &State) -> Result<(), StepError> {
        let (entries, vertices) = (self.rigids.entries(), state.positions.len());
        let (count, expected) = (state.rigids.len(), entries.len());
        if count != expected {
            return Err(StepError::Count { what: "rigid bodies", count, expected });
        }
        if entries.is_empty() {
            return Ok(());
        }
        MismatchError::check("vertices", vertices, self.rigids.vertex_count())?;
        if !self.bodies.is_empty() && !self.rigids.is_of(self.bodies.offsets()) {
            return Err(MismatchError::OtherBodies { what: "set of rigid bodies" }.into());
        }
        let bad =
            |rigid: &RigidState| rigid.numbers().iter().any(|n| n.is_nan() || n.abs() > LARGEST);
        if let Some(index) = state.rigids.iter().position(bad) {
            return Err(StepError::BadRigid { body: entries[index].id });
        }
        if !self.joints.is_empty() {
            self.joints.check_count(expected, count)?;
        }
        Ok(())
    }

    /// Ends a step: check, flow, and take the new state over.
    ///
    /// On an error `state` keeps its old values; `next` holds the refused ones.
    pub fn accept(
        &mut self,
        state: &mut State,
        next: &mut State,
        dt: f64,
    ) -> Result<(), StepError> {
        self.check_motion(state.motion())?;
        self.check_motion(next.motion())?;
        self.check_state(next.motion(), "integrate")?;
        if let Some(refusal) = self.forces.refusal(state.motion(), next.motion()) {
            return Err(self.rejected(refusal, dt));
        }
        self.forces.flow(next.motion(), dt);
        std::mem::swap(state, next);
        Ok(())
    }
}

impl From<JointError> for StepError {
    fn from(error: JointError) -> StepError {
        StepError::Joints(error)
    }
}

impl From<SolveError> for StepError {
    fn from(error: SolveError) -> StepError {
        match error {
            SolveError::NotConverged { solver, iterations, residual, tolerance } => {
                StepError::NotConverged { solver, iterations, residual, tolerance }
            }
            SolveError::Mismatch(error) => StepError::Mismatch(error),
        }
    }
}
