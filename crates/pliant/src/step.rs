//! One step: the stages in order, one line each.
//!
//! [`Stepper::advance`] is the step. Around it, a step may be made in equal parts, and a step
//! that is rejected or not solved may be halved. On an error the state is as it was, but plastic
//! flow of the parts that were made has happened.

use std::any::Any;

use crate::body::soft::State;
use crate::contact::output::ContactOutput;
use crate::contact::response::{Response, StepContext};
use crate::id::VertexId;
use crate::integrate::apply_output::apply_output;
use crate::integrate::energy_gain::{EnergyGains, EnergyLimits, Gain, MadeStep};
use crate::integrate::energy_input::{self, EnergyInput};
use crate::integrate::free_motion::FreeMotion;
use crate::integrate::implicit::Implicit;
use crate::integrate::rigid_motion::{RigidMotion, RigidVelocities};
use crate::integrate::shape_matching::matching::ShapeMatching;
use crate::integrate::sleep::SleepSettings;
use crate::integrate::{Integrator, StepError, StepReport, StepScratch, System};
use crate::math::Vec3;
use crate::mesh::runs::Runs;
use crate::par;
use crate::profile::{Stage, StageTimer};
use crate::snapshot::{Snapshot, SnapshotError};
use crate::solve::constraint::ConstraintResponse;
use crate::solve::convergence::SolvedStep;

/// Halvings of a step at most, whatever is asked: 2⁶² parts can still be counted.
const MAX_HALVINGS: u32 = 62;

/// Parts of a step from which on small gains of energy are not worth shorter ones.
const SHORT: u64 = 16;

/// Change of a contact's velocity by one more relaxation that makes a step unconverged, times
/// the step over the size of the smaller body.
pub const UNCONVERGED: f64 = 1e-4;

/// When groups match their shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchOrder {
    /// Before contact's post-step, so that friction acts on whole shapes.
    BeforeContact,
    /// After all else, as in the lecture.
    Last,
}

/// All responses, in the order in which they are asked.
#[derive(Debug, Default)]
struct Responses {
    /// The engine's own.
    contact: Option<ConstraintResponse>,
    others: Vec<Box<dyn Response>>,
}

impl Responses {
    fn is_empty(&self) -> bool {
        self.contact.is_none() && self.others.is_empty()
    }

    fn iter(&self) -> impl Iterator<Item = &dyn Response> {
        let own = self.contact.iter().map(|contact| contact as &dyn Response);
        own.chain(self.others.iter().map(|response| &**response))
    }

    fn iter_mut(&mut self) -> impl Iterator<Item = &mut dyn Response> {
        let own = self.contact.iter_mut().map(|contact| contact as &mut dyn Response);
        own.chain(self.others.iter_mut().map(|response| &mut **response as &mut dyn Response))
    }
}

/// How steps are made: an integrator, what contact does, and everything around.
#[derive(Debug)]
pub struct Stepper {
    integrator: Box<dyn Integrator>,
    responses: Responses,
    matching: Option<(ShapeMatching, MatchOrder)>,
    rigid: RigidMotion,
    /// Equal parts of each step; at least 1.
    substeps: u32,
    /// Times that a part of a step may be halved.
    max_halvings: u32,
    /// See [`UNCONVERGED`].
    unconverged: f64,
    /// Of the present part of a step.
    energy_limits: EnergyLimits,
    energy_input: EnergyInput,
    energy_gains: EnergyGains,
    /// What is asked for after the step.
    after: ContactOutput,
    /// The state while a step, its parts and one of these are tried.
    trials: [State; 3],
    /// Worker threads.
    threads: usize,
}

impl Stepper {
    /// Steps of an integrator, without contact.
    pub fn new(integrator: Box<dyn Integrator>) -> Stepper {
        Stepper {
            integrator,
            responses: Responses::default(),
            matching: None,
            rigid: RigidMotion::default(),
            substeps: 1,
            max_halvings: 0,
            unconverged: UNCONVERGED,
            energy_limits: EnergyLimits::NONE,
            energy_input: EnergyInput::default(),
            energy_gains: EnergyGains::default(),
            after: ContactOutput::default(),
            trials: Default::default(),
            threads: 1,
        }
    }

    /// Takes over what implicit steps of another world's bodies have made; those of `kept` stay.
    pub(crate) fn take_over(&mut self, old: &mut Stepper, kept: &Runs) {
        let integrators = [self, old].map(|stepper| &mut *stepper.integrator as &mut dyn Any);
        if let [Some(here), Some(there)] = integrators.map(|any| any.downcast_mut::<Implicit>()) {
            here.take_over(there, kept);
        }
    }

    /// The same with contacts that are solved with the step, asked before other responses.
    pub fn with_contact(mut self, contact: ConstraintResponse) -> Stepper {
        self.responses.contact = Some(contact);
        self
    }

    /// The same with other responses between the bodies of the system, or with obstacles.
    pub fn with_responses(mut self, responses: Vec<Box<dyn Response>>) -> Stepper {
        self.responses.others = responses;
        self
    }

    /// The same with groups that match their shapes.
    pub fn with_matching(self, matching: ShapeMatching, order: MatchOrder) -> Stepper {
        Stepper { matching: Some((matching, order)), ..self }
    }

    /// The same with another free motion of rigid bodies.
    pub fn with_free_motion(mut self, free_motion: FreeMotion) -> Stepper {
        self.rigid.free_motion = free_motion;
        self
    }

    /// The same with rigid bodies that sleep, where the integrator solves constraints.
    pub fn with_sleep(mut self, settings: SleepSettings) -> Stepper {
        self.rigid.sleep_settings = Some(settings);
        self
    }

    /// The same with steps in equal parts, at least one; responses are asked in each.
    pub fn with_substeps(self, substeps: u32) -> Stepper {
        Stepper { substeps: substeps.max(1), ..self }
    }

    /// The same with steps that may be halved this many times.
    pub fn with_halvings(self, max_halvings: u32) -> Stepper {
        Stepper { max_halvings: max_halvings.min(MAX_HALVINGS), ..self }
    }

    /// The same with another bound for unconverged contacts, see [`UNCONVERGED`].
    pub fn with_convergence_tolerance(self, tolerance: f64) -> Stepper {
        Stepper { unconverged: tolerance, ..self }
    }

    /// Whether no step can raise the total energy, but by rounding, linearisation and sources.
    pub fn is_dissipative(&self) -> bool {
        self.integrator.is_dissipative()
    }

    /// See [`Integrator::stable_step`]; of a whole step.
    pub fn stable_step(&self) -> Option<f64> {
        Some(f64::from(self.substeps) * self.integrator.stable_step()?)
    }

    /// Wakes all rigid bodies, as after a change from outside.
    pub fn wake_all(&mut self) {
        self.rigid.wake_all();
    }

    /// Contacts that are solved with the step, if they are.
    pub fn contact(&self) -> Option<&ConstraintResponse> {
        self.responses.contact.as_ref()
    }

    /// The same, to be changed between steps.
    pub fn contact_mut(&mut self) -> Option<&mut ConstraintResponse> {
        self.responses.contact.as_mut()
    }

    /// What matches shapes, if anything does.
    pub fn matching(&self) -> Option<&ShapeMatching> {
        self.matching.as_ref().map(|(matching, _)| matching)
    }

    /// Moves everything by `dt` seconds; on an error the state is as it was.
    pub fn step(
        &mut self,
        system: &mut System,
        state: &mut State,
        dt: f64,
    ) -> Result<StepReport, StepError> {
        par::on_workers(self.threads, || match self.max_halvings {
            0 => self.substep(system, state, dt),
            _ => self.halve(system, state, dt),
        })
    }

    /// A step in parts as long as they are allowed to be.
    ///
    /// A part that is rejected, not finite, not solved or that gains energy is halved; after one
    /// that is made, the next is tried twice as long. All parts are the step divided by powers of two, so they add
    /// up exactly.
    ///
    /// - Implements: [Wang21 slide "A Short Summary of Penalty Methods"], step size adjustment.
    fn halve(
        &mut self,
        system: &mut System,
        state: &mut State,
        dt: f64,
    ) -> Result<StepReport, StepError> {
        // Counted in the shortest parts allowed.
        let whole = 1_u64 << self.max_halvings;
        let (mut done, mut part) = (0, whole);
        let mut report = StepReport::default();
        let mut trial = std::mem::take(&mut self.trials[0]);
        trial.copy_from(state);
        let failed = loop {
            if done == whole {
                break None;
            }
            let part_dt = dt * (part as f64 / whole as f64);
            self.energy_limits = match part {
                1 => EnergyLimits::SHORTEST,
                _ if part > whole / SHORT => EnergyLimits::WHOLE,
                _ => EnergyLimits::LONG,
            };
            match self.substep(system, &mut trial, part_dt) {
                Ok(made) => {
                    done += part;
                    report.add(made);
                    part = (2 * part).min(1 << (whole - done).checked_ilog2().unwrap_or(0));
                }
                Err(error) if error.may_pass_when_shorter() && part > 1 => {
                    part /= 2;
                    report.halvings += 1;
                }
                Err(error) => break Some(error.after_halvings(self.max_halvings)),
            }
        };
        if failed.is_none() {
            trial.time = state.time + dt;
            std::mem::swap(state, &mut trial);
        }
        self.trials[0] = trial;
        self.energy_limits = EnergyLimits::NONE;
        failed.map_or(Ok(report), Err)
    }

    /// A step in equal parts.
    fn substep(
        &mut self,
        system: &mut System,
        state: &mut State,
        dt: f64,
    ) -> Result<StepReport, StepError> {
        if self.substeps == 1 {
            return self.advance(system, state, dt);
        }
        let mut trial = std::mem::take(&mut self.trials[1]);
        trial.copy_from(state);
        let (mut report, known) = (StepReport::default(), system.scratch.external_impulses.len());
        let known_contacts = system.scratch.kept_contacts.len();
        let mut made = Ok(());
        for _ in 0..self.substeps {
            match self.advance(system, &mut trial, dt / f64::from(self.substeps)) {
                Ok(part) => report.add(part),
                Err(error) => {
                    // The parts that were made count for nothing.
                    system.scratch.external_impulses.truncate(known);
                    system.scratch.kept_contacts.truncate(known_contacts);
                    made = Err(error);
                    break;
                }
            }
        }
        if made.is_ok() {
            // Time is left as the parts add it up: integrators that look back compare states.
            state.copy_from(&trial);
        }
        self.trials[1] = trial;
        made.map(|()| report)
    }

    /// One part of a step: the stages.
    fn advance(
        &mut self,
        system: &mut System,
        state: &mut State,
        dt: f64,
    ) -> Result<StepReport, StepError> {
        self.check(system, state, dt)?;
        let mut trial = std::mem::take(&mut self.trials[2]);
        trial.copy_from(state);
        system.joints.note();
        let known = system.scratch.external_impulses.len();
        let made = self.stages(system, state, &mut trial, dt);
        match &made {
            Ok(_) => {
                system.scratch.keep_contacts();
                std::mem::swap(state, &mut trial);
            }
            Err(_) => {
                system.scratch.external_impulses.truncate(known);
                system.joints.go_back();
            }
        }
        self.trials[2] = trial;
        made
    }

    /// The stages in order; on an error `trial` holds what was reached.
    fn stages(
        &mut self,
        system: &mut System,
        start: &State,
        trial: &mut State,
        dt: f64,
    ) -> Result<StepReport, StepError> {
        self.begin_matching(trial, MatchOrder::Last)?;
        let mut work = self.find_contacts(system, trial, dt)?; // detect, depth, contact, position correction
        self.begin_rigid(system, trial, dt)?; // wake, forces on rigid bodies
        self.begin_matching(trial, MatchOrder::BeforeContact)?;
        let mut report = self.integrator.step(system, trial, dt)?; // force, assemble, solve, advance
        self.check_convergence(system, trial, dt, &mut report);
        self.match_shapes(system, trial, dt, MatchOrder::BeforeContact)?;
        self.finish_rigid(system, trial, dt)?; // free motion, joints, sleep
        work += self.post_step(system, trial, dt)?;
        self.match_shapes(system, trial, dt, MatchOrder::Last)?;
        self.account(system, work, &mut report);
        self.check_energy(system, [start, trial], dt, &mut report)?;
        self.accept(system);
        Ok(report)
    }

    /// Adds the work of moving things, and rejects a step that stores more energy than there was.
    ///
    /// Forces are linearised once: where a body is squashed they change more than that in a step,
    /// vertices are thrown, and shorter parts find where they stop.
    fn check_energy(
        &mut self,
        system: &System,
        states: [&State; 2],
        dt: f64,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        let [start, end] = states;
        report.energy_input += self.energy_input.of_motion(system, start, end);
        let limits = self.energy_limits;
        let is_judged = self.integrator.is_dissipative() && !report.hides_energy;
        if limits == EnergyLimits::NONE || !is_judged {
            return Ok(());
        }
        let made = MadeStep { states, dt, input: report.energy_input };
        let gain = self.energy_gains.beyond(limits, system, made);
        gain.map_or(Ok(()), |Gain { gained, stored }| {
            Err(StepError::EnergyGained { gained, stored, dt, time: start.time })
        })
    }

    /// Lets responses keep what they found for the next step.
    fn accept(&mut self, system: &System) {
        let contact = &system.scratch.contact;
        self.responses.iter_mut().for_each(|response| response.on_accept(contact));
    }

    /// Refuses what cannot be stepped.
    fn check(&self, system: &System, state: &State, dt: f64) -> Result<(), StepError> {
        system.check_step(state, dt)?;
        system.check_state(state.motion(), "start")?;
        let (count, expected) = (state.positions.len(), system.bodies.vertex_count());
        if !self.responses.is_empty() && count != expected {
            return Err(StepError::Count { what: "bodies", count, expected });
        }
        if system.rigids.is_empty() {
            return Ok(());
        }
        self.rigid.check(system, state, self.rigid_velocities())
    }

    /// Who gives rigid bodies their velocity.
    fn rigid_velocities(&self) -> RigidVelocities {
        if self.integrator.solves_constraints() {
            RigidVelocities::Solved
        } else {
            RigidVelocities::Pushed
        }
    }

    /// Asks the responses before the step, and does what must be done before.
    ///
    /// Returns the energy that shifts put in, J.
    fn find_contacts(
        &mut self,
        system: &mut System,
        trial: &mut State,
        dt: f64,
    ) -> Result<f64, StepError> {
        let mut output = std::mem::take(&mut system.scratch.contact);
        output.clear();
        let context = context(system, trial, dt);
        self.responses.iter_mut().for_each(|response| response.pre_step(context, &mut output));
        let fits = output.check(&system.bodies, trial.positions.len());
        if let (Err(error), None) = (fits, output.failure) {
            output.failure = Some(error.into());
        }
        let work = match output.failure {
            None => apply(&mut self.energy_input, &output, system, trial),
            Some(_) => 0.0,
        };
        let (rows, failure) = (output.rows.len() + output.springs.len(), output.failure);
        system.scratch.contact = output;
        if let Some(failure) = failure {
            return Err(StepError::Response(failure));
        }
        match rows {
            0 => Ok(work),
            _ if self.integrator.solves_constraints() => Ok(work),
            rows => Err(StepError::Rows { rows }),
        }
    }

    /// Judges the contacts that the integrator has solved.
    fn check_convergence(&self, system: &System, trial: &State, dt: f64, report: &mut StepReport) {
        let System { masses, pins, rigids, scratch, .. } = system;
        if scratch.contact.rows.is_empty() {
            return;
        }
        let is_solved = scratch.solved_velocities.len() == trial.velocities.len();
        let (positions, velocities) = match is_solved {
            true => (&scratch.solved_positions, &scratch.solved_velocities),
            false => (&trial.positions, &trial.velocities),
        };
        let step = SolvedStep {
            contact: &scratch.contact,
            positions,
            velocities,
            rigid_solution: &scratch.rigid_solution,
            substeps: &scratch.substeps,
            masses: masses.of(),
            held: pins.vertices(),
            rigids,
            states: &trial.rigids,
            asleep: &scratch.asleep,
            dt,
            threads: self.threads,
        };
        report.unconverged = usize::from(step.largest_change() > self.unconverged);
    }

    fn begin_rigid(
        &mut self,
        system: &mut System,
        trial: &State,
        dt: f64,
    ) -> Result<(), StepError> {
        if system.rigids.is_empty() {
            return Ok(());
        }
        self.rigid.begin(system, trial, self.rigid_velocities(), dt)
    }

    fn finish_rigid(
        &mut self,
        system: &mut System,
        trial: &mut State,
        dt: f64,
    ) -> Result<(), StepError> {
        if system.rigids.is_empty() {
            return Ok(());
        }
        self.rigid.finish(system, trial, self.rigid_velocities(), dt)
    }

    fn begin_matching(&mut self, trial: &State, now: MatchOrder) -> Result<(), StepError> {
        match &mut self.matching {
            Some((matching, order)) if *order == now => matching.begin(trial),
            _ => Ok(()),
        }
    }

    fn match_shapes(
        &mut self,
        system: &System,
        trial: &mut State,
        dt: f64,
        now: MatchOrder,
    ) -> Result<(), StepError> {
        match &mut self.matching {
            Some((matching, order)) if *order == now => matching.apply(system, trial, dt),
            _ => Ok(()),
        }
    }

    /// Asks the responses after the step, and does what must be done after.
    ///
    /// Returns the energy that shifts put in, J.
    fn post_step(
        &mut self,
        system: &mut System,
        trial: &mut State,
        dt: f64,
    ) -> Result<f64, StepError> {
        let Stepper { responses, after, energy_input, .. } = self;
        after.clear();
        let context = context(system, trial, dt);
        let forces = &system.forces;
        for response in responses.iter_mut() {
            response.post_step_with_forces(context, forces, after);
        }
        if let Some(contact) = &mut responses.contact {
            contact.leave_obstacles(context, &system.joints, after);
        }
        if let Some(failure) = after.failure {
            return Err(StepError::Response(failure));
        }
        after.check(&system.bodies, trial.positions.len())?;
        let work = apply(energy_input, after, system, trial);
        if let Some(rejection) = after.rejection.or(system.scratch.contact.rejection) {
            return Err(system.rejected(rejection, dt));
        }
        system.check_state(trial.motion(), "contact")?;
        Ok(work)
    }

    /// Notes what obstacles gave, what contact met, and the energy that both put in.
    fn account(&self, system: &mut System, work: f64, report: &mut StepReport) {
        let System { rigids, scratch, .. } = system;
        let contact = &scratch.contact;
        report.energy_input += work
            + energy_input::of_rows(contact, rigids)
            + contact.energy_input
            + self.after.energy_input;
        report.hides_energy |=
            self.matching.is_some() || !(contact.forces.is_empty() && contact.springs.is_empty());
        let StepScratch { contact, external_impulses, asleep, .. } = scratch;
        for output in [&*contact, &self.after] {
            external_impulses.extend_from_slice(&output.external_impulses);
            report.contact.add(output.stats);
        }
        for (row, row_impulse) in contact.rows.iter().zip(&contact.row_impulses) {
            // What sleeps only remembers its impulses; the integrator reports what bears it.
            let place = rigids.index(row.bodies.0);
            let sleeps = place.is_some_and(|place| asleep.get(place) == Some(&true));
            if row.bodies.1.is_none() && row_impulse.normal > 0.0 && !sleeps {
                let impulse = row_impulse.impulse(row.normal);
                external_impulses.extend(row.side(1.0).map(|(v, weight)| (v, weight * impulse)));
            }
        }
    }

    /// Works with this many threads from now on; the bits stay the same.
    pub(crate) fn set_threads(&mut self, threads: usize) {
        self.threads = threads;
        self.integrator.set_threads(threads);
        if let Some((matching, _)) = &mut self.matching {
            matching.set_threads(threads);
        }
        self.responses.iter_mut().for_each(|response| response.set_threads(threads));
    }

    /// Writes what is remembered of the steps before.
    pub(crate) fn save(&self, snapshot: &mut Snapshot) {
        self.integrator.save(snapshot);
        if let Some((matching, _)) = &self.matching {
            matching.save(snapshot);
        }
        self.rigid.save(snapshot);
        self.responses.iter().for_each(|response| response.save(snapshot));
    }

    /// Reads what [`Stepper::save`] wrote.
    pub(crate) fn restore(&mut self, snapshot: &mut Snapshot) -> Result<(), SnapshotError> {
        self.integrator.restore(snapshot)?;
        if let Some((matching, _)) = &mut self.matching {
            matching.restore(snapshot)?;
        }
        self.rigid.restore(snapshot)?;
        self.responses.iter_mut().try_for_each(|response| response.restore(snapshot))
    }
}

/// Applies the output of responses; returns the potential energy that shifts put in, J.
fn apply(
    input: &mut EnergyInput,
    output: &ContactOutput,
    system: &System,
    trial: &mut State,
) -> f64 {
    input.collect_shifted(output, system);
    let before = input.collected(system, trial.motion());
    apply_output(output, system, trial);
    (input.collected(system, trial.motion()) - before).max(0.0)
}

/// Everything in the trial state, as responses see it.
fn context<'a>(system: &'a System, trial: &'a State, dt: f64) -> StepContext<'a> {
    let System { bodies, masses, pins, rigids, profiler, .. } = system;
    let (motion, rigid_states) = (trial.motion(), &*trial.rigids);
    StepContext { bodies, motion, masses, pins, rigids, rigid_states, dt, profiler }
}

/// Everything that moves, what moves it, and what it meets.
#[derive(Debug)]
pub struct Simulation {
    /// Where everything is.
    pub state: State,
    /// Bodies, masses, pins and forces; penalties and barriers of obstacles are among the forces.
    pub system: System,
    /// How steps are made, contact included.
    pub stepper: Stepper,
    /// Momentum that obstacles have given since the start by impulses, N·s.
    pub external_impulse_total: Vec3,
}

impl Simulation {
    /// A scene that is ready to step.
    pub fn new(state: State, system: System, stepper: Stepper) -> Simulation {
        Simulation { state, system, stepper, external_impulse_total: Vec3::ZERO }
    }

    /// Moves everything by `dt` seconds; on an error the state is as it was.
    pub fn step(&mut self, dt: f64) -> Result<StepReport, StepError> {
        let _step = StageTimer::new(&self.system.profiler, Stage::Step);
        self.system.scratch.external_impulses.clear();
        self.system.scratch.kept_contacts.clear();
        let report = self.stepper.step(&mut self.system, &mut self.state, dt)?;
        self.external_impulse_total +=
            self.external_impulses().iter().map(|(_, impulse)| *impulse).sum::<Vec3>();
        Ok(report)
    }

    /// Impulses that obstacles gave in the last step: vertex and impulse, N·s.
    pub fn external_impulses(&self) -> &[(VertexId, Vec3)] {
        &self.system.scratch.external_impulses
    }

    /// Works with this many threads from now on; the bits stay the same.
    pub fn set_threads(&mut self, threads: usize) {
        self.system.forces.set_threads(threads, self.state.positions.len());
        self.stepper.set_threads(threads);
    }

    /// Writes all that the next steps depend on.
    pub fn save(&self, snapshot: &mut Snapshot) {
        self.state.save(snapshot);
        self.system.forces.save(snapshot);
        self.stepper.save(snapshot);
        if !self.system.joints.is_empty() {
            self.system.joints.save(snapshot);
        }
        snapshot.write_vectors(&[self.external_impulse_total]);
    }

    /// Reads what [`Simulation::save`] wrote for the same scene.
    ///
    /// After an error the simulation must not be stepped.
    pub fn restore(&mut self, snapshot: &mut Snapshot) -> Result<(), SnapshotError> {
        let count = self.state.positions.len();
        self.state.restore(snapshot)?;
        if [self.state.positions.len(), self.state.velocities.len()] != [count; 2] {
            return Err(SnapshotError { part: "the state" });
        }
        self.system.forces.restore(snapshot)?;
        self.stepper.restore(snapshot)?;
        if !self.system.joints.is_empty() {
            self.system.joints.restore(snapshot)?;
        }
        let mut total = Vec::new();
        snapshot.read_vectors("obstacles", &mut total)?;
        match total[..] {
            [total] if snapshot.is_read() => self.external_impulse_total = total,
            _ => return Err(SnapshotError { part: "obstacles" }),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
