//! Rigid bodies beside soft ones: pushed by all forces on their vertices, then in free flight.
//!
//! The inner integrator moves the soft bodies as ever. Rigid bodies take what pushes them at
//! once, or what the inner integrator has solved for them together with contacts, and then
//! fly freely for the length of the step, which keeps energy and angular momentum. Joints are
//! obeyed by the velocities before the flight, and by the places after it.

use crate::body::rigid::RigidState;
use crate::body::soft::State;
use crate::id::VertexId;
use crate::integrate::free_motion::FreeMotion;
use crate::integrate::sleep::{Sleep, SleepSettings};
use crate::integrate::{Integrator, Report, StepError, System};
use crate::math::Vec3;
use crate::snapshot::{Snapshot, SnapshotError};

/// An integrator that also moves the rigid bodies of a system.
#[derive(Debug)]
pub struct WithRigid {
    inner: Box<dyn Integrator>,
    flight: FreeMotion,
    /// When bodies sleep, if ever.
    rest: Option<SleepSettings>,
    sleep: Sleep,
    forces: Vec<Vec3>,
    /// Rigid bodies at the end of the step.
    rigids: Vec<RigidState>,
    /// The same before any falls asleep.
    flown: Vec<RigidState>,
    /// Everything at its start.
    start: State,
}

impl WithRigid {
    /// Lets an integrator move soft bodies, and rigid ones fly as `flight` says.
    pub fn new(inner: Box<dyn Integrator>, flight: FreeMotion) -> WithRigid {
        let (forces, rigids, start) = (Vec::new(), Vec::new(), State::default());
        let (rest, sleep) = (None, Sleep::default());
        WithRigid { inner, flight, rest, sleep, forces, rigids, flown: Vec::new(), start }
    }

    /// The same with sleep, where the inner integrator solves contacts.
    pub fn with_sleep(self, settings: SleepSettings) -> WithRigid {
        WithRigid { rest: Some(settings), ..self }
    }

    /// Wakes who is touched, and tells the inner integrator who sleeps.
    fn wake(&mut self, system: &mut System, dt: f64) {
        let Some(settings) = self.rest.filter(|_| self.inner.solves_constraints()) else { return };
        let System { rigids, contact, asleep, .. } = system;
        self.sleep.begin(rigids);
        let moving = (&self.start.velocities[..], dt);
        self.sleep.wake((rigids, settings), contact, moving);
        asleep.clear();
        asleep.extend((0..rigids.members().len()).map(|place| self.sleep.is_asleep(place)));
    }

    /// Lets fall asleep what has come to rest.
    fn settle(&mut self, system: &mut System, dt: f64) {
        let Some(settings) = self.rest.filter(|_| self.inner.solves_constraints()) else { return };
        let System { rigids, contact, joints, asleep, external_impulses, .. } = system;
        let pairs =
            joints.list().iter().filter_map(|joint| Some([joint.bodies.0, joint.bodies.1?]));
        self.flown.clone_from(&self.rigids);
        self.sleep.settle((rigids, settings), (contact, pairs), &mut self.rigids, dt);
        let ends = self.rigids.iter().zip(&self.flown);
        for (k, (member, (now, before))) in rigids.members().iter().zip(ends).enumerate() {
            if self.sleep.is_asleep(k) && asleep.get(k) == Some(&false) {
                // The little that it still had goes to what it lies on.
                let taken = member.body.mass * (now.velocity - before.velocity);
                external_impulses.push((VertexId(member.vertices.start as u32), taken));
            }
        }
    }

    /// Takes the push of all forces at the start of the step.
    fn push(&mut self, system: &System, dt: f64) -> Result<(), StepError> {
        system.sum_forces(self.start.motion(), &mut self.forces)?;
        for (member, rigid) in system.rigids.members().iter().zip(&mut self.rigids) {
            for v in member.vertices.clone() {
                rigid.push(&member.body, self.start.positions[v], dt * self.forces[v]);
            }
        }
        Ok(())
    }

    /// Lets rigid bodies fly, and puts joints together again.
    fn fly(&mut self, system: &mut System, dt: f64) -> Result<(), StepError> {
        let System { joints, rigids, .. } = system;
        for (member, rigid) in rigids.members().iter().zip(&mut self.rigids) {
            self.flight.step(&member.body, rigid, dt);
        }
        if !joints.is_empty() {
            joints.positions(rigids.members(), &mut self.rigids)?;
        }
        Ok(())
    }

    /// The step itself; on an error joints may remember a part of it.
    fn try_step(
        &mut self,
        system: &mut System,
        state: &mut State,
        dt: f64,
    ) -> Result<Report, StepError> {
        self.start.copy_from(state);
        self.rigids.clone_from(&state.rigids);
        let solves = self.inner.solves_constraints();
        self.wake(system, dt);
        if !solves {
            system.check_step(state, dt)?;
            self.push(system, dt)?;
            let System { joints, rigids, .. } = &mut *system;
            if !joints.is_empty() {
                joints.velocities_ahead(rigids.members(), &mut self.rigids, dt)?;
            }
        }
        let report = self.inner.step(system, state, dt)?;
        if solves {
            for (rigid, (velocity, spin)) in self.rigids.iter_mut().zip(&system.rigid_solution) {
                (rigid.velocity, rigid.spin) = (*velocity, *spin);
            }
        }
        if let Err(error) = self.fly(system, dt) {
            state.copy_from(&self.start);
            return Err(error);
        }
        self.settle(system, dt);
        state.rigids.clone_from(&self.rigids);
        system.rigids.write(state);
        let checked = system.check_state(state.motion(), "integrate");
        if checked.is_err() {
            state.copy_from(&self.start);
        }
        checked.map(|()| report)
    }
}

impl Integrator for WithRigid {
    fn step(
        &mut self,
        system: &mut System,
        state: &mut State,
        dt: f64,
    ) -> Result<Report, StepError> {
        if system.rigids.is_empty() {
            return self.inner.step(system, state, dt);
        }
        let (count, expected) = (state.rigids.len(), system.rigids.members().len());
        if count != expected {
            return Err(StepError::Count { what: "rigid bodies", count, expected });
        }
        let vertices = system.rigids.attached().len();
        if vertices > 0 && !self.inner.solves_constraints() {
            return Err(StepError::Attached { vertices });
        }
        system.joints.note();
        let made = self.try_step(system, state, dt);
        if made.is_err() {
            system.joints.go_back();
        }
        made
    }

    fn solves_constraints(&self) -> bool {
        self.inner.solves_constraints()
    }

    fn save(&self, memory: &mut Snapshot) {
        self.inner.save(memory);
        self.sleep.save(memory);
    }

    fn restore(&mut self, memory: &mut Snapshot) -> Result<(), SnapshotError> {
        self.inner.restore(memory)?;
        self.sleep.restore(memory)
    }

    fn set_threads(&mut self, threads: usize) {
        self.inner.set_threads(threads);
    }
}
