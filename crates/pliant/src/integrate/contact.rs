//! Steps with contact: asks the responses, does what they ask, and steps.
//!
//! Any integrator can be put in contact. Forces act all through its step; shifts and impulses
//! are done before and after; rows need one that solves them, see
//! [`Integrator::solves_constraints`]. On an error the state is as it was.

use std::sync::Arc;

use crate::body::Bodies;
use crate::body::soft::State;
use crate::contact::output::ContactOutput;
use crate::contact::response::{Response, StepContext};
use crate::integrate::{Integrator, Report, StepError, System};
use crate::snapshot::{Snapshot, SnapshotError};

/// An integrator together with what contact does.
#[derive(Debug)]
pub struct InContact {
    inner: Box<dyn Integrator>,
    bodies: Arc<Bodies>,
    responses: Vec<Box<dyn Response>>,
    /// What is asked for after the step.
    after: ContactOutput,
    trial: State,
}

impl InContact {
    /// Puts an integrator in contact.
    pub fn new(
        inner: Box<dyn Integrator>,
        bodies: Arc<Bodies>,
        responses: Vec<Box<dyn Response>>,
    ) -> InContact {
        let (after, trial) = (ContactOutput::default(), State::default());
        InContact { inner, bodies, responses, after, trial }
    }

    /// Everything in the trial state, as responses see it.
    fn context<'a>(
        bodies: &'a Bodies,
        system: &'a System,
        trial: &'a State,
        dt: f64,
    ) -> StepContext<'a> {
        let System { masses, pins, rigids, profiler, .. } = system;
        StepContext { bodies, motion: trial.motion(), masses, pins, rigids, dt, profiler }
    }

    /// Asks before the step and does what must be done before.
    fn prepare(&mut self, system: &mut System, dt: f64) -> Result<(), StepError> {
        let InContact { bodies, responses, trial, .. } = self;
        let mut output = std::mem::take(&mut system.contact);
        output.clear();
        let context = InContact::context(bodies, system, trial, dt);
        responses.iter_mut().for_each(|response| response.pre_step(context, &mut output));
        carry_out(&output, bodies, system, trial);
        let rows = output.rows.len() + output.springs.len();
        system.contact = output;
        match rows {
            0 => Ok(()),
            _ if self.inner.solves_constraints() => self.check_bodies(system),
            rows => Err(StepError::Rows { rows }),
        }
    }

    /// Refuses a system whose bodies are not those that rows name.
    fn check_bodies(&self, system: &System) -> Result<(), StepError> {
        let ranges = || system.bodies.ranges(self.trial.positions.len());
        let (known, met) = (ranges().count(), self.bodies.len());
        let mut pairs = self.bodies.ids().zip(ranges());
        if known == met && pairs.all(|(body, range)| self.bodies.vertices(body) == range) {
            return Ok(());
        }
        Err(StepError::Bodies { known, met })
    }

    /// Asks after the step and does what must be done after.
    fn mend(&mut self, system: &mut System, dt: f64) -> Result<(), StepError> {
        let InContact { bodies, responses, trial, after, .. } = self;
        after.clear();
        let context = InContact::context(bodies, system, trial, dt);
        let forces = &system.forces;
        responses
            .iter_mut()
            .for_each(|response| response.post_step_with_forces(context, forces, after));
        carry_out(after, bodies, system, trial);
        let refusal = after.rejection.or(system.contact.rejection);
        refusal.map_or(Ok(()), |refusal| Err(system.refused(refusal, dt)))?;
        system.check_state(trial.motion(), "respond")
    }
}

/// Shifts and pushes.
///
/// What is asked of a vertex of a rigid body is done to the body.
fn carry_out(output: &ContactOutput, bodies: &Bodies, system: &System, trial: &mut State) {
    let System { rigids, masses, .. } = system;
    let State { positions, velocities, rigids: states, .. } = &mut *trial;
    let (members, masses) = (rigids.members(), masses.of());
    for shift in &output.rigid_shifts {
        match rigids.place(shift.body) {
            Some(place) => {
                let turn = (shift.centre, shift.turn);
                members[place].shift(&mut states[place], turn, shift.shift);
            }
            None => shift.apply(&mut positions[bodies.vertices(shift.body)]),
        }
    }
    for (vertex, shift) in &output.shifts {
        let v = vertex.index();
        match rigids.place_of(*vertex) {
            Some(place) => {
                members[place].nudge(&mut states[place], (positions[v], masses[v]), *shift);
            }
            None => positions[v] += *shift,
        }
    }
    for (vertex, impulse) in &output.impulses {
        let v = vertex.index();
        match rigids.place_of(*vertex) {
            Some(place) => states[place].push(&members[place].body, positions[v], *impulse),
            None => velocities[v] += *impulse / masses[v],
        }
    }
    rigids.write(trial);
}

impl Integrator for InContact {
    fn step(
        &mut self,
        system: &mut System,
        state: &mut State,
        dt: f64,
    ) -> Result<Report, StepError> {
        system.check_step(state, dt)?;
        system.check_state(state.motion(), "start")?;
        let (count, expected) = (state.positions.len(), self.bodies.vertex_count());
        if count != expected {
            return Err(StepError::Count { what: "bodies", count, expected });
        }
        self.trial.copy_from(state);
        self.prepare(system, dt)?;
        let mut report = self.inner.step(system, &mut self.trial, dt)?;
        if let Err(error) = self.mend(system, dt) {
            system.joints.go_back();
            return Err(error);
        }
        self.responses.iter_mut().for_each(|response| response.on_accept(&system.contact));
        let System { contact, external_impulses, rigids, asleep, .. } = system;
        for output in [&*contact, &self.after] {
            external_impulses.extend_from_slice(&output.external_impulses);
            report.contact.add(output.stats);
        }
        for (row, row_impulse) in contact.rows.iter().zip(&contact.row_impulses) {
            // What sleeps only remembers its pressure; the integrator tells what bears it.
            let place = rigids.place(row.bodies.0);
            let sleeps = place.is_some_and(|place| asleep.get(place) == Some(&true));
            if row.bodies.1.is_none() && row_impulse.normal > 0.0 && !sleeps {
                external_impulses.push((row.vertices[0], row_impulse.impulse(row.normal)));
            }
        }
        std::mem::swap(state, &mut self.trial);
        Ok(report)
    }

    fn save(&self, memory: &mut Snapshot) {
        self.inner.save(memory);
        self.responses.iter().for_each(|response| response.save(memory));
    }

    fn restore(&mut self, memory: &mut Snapshot) -> Result<(), SnapshotError> {
        self.inner.restore(memory)?;
        self.responses.iter_mut().try_for_each(|response| response.restore(memory))
    }

    fn set_threads(&mut self, threads: usize) {
        self.inner.set_threads(threads);
        self.responses.iter_mut().for_each(|response| response.set_threads(threads));
    }
}
