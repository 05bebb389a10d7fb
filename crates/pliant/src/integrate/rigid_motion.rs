//! Rigid bodies beside soft ones: pushed by all forces on their vertices, then in free motion.
//!
//! The integrator moves the soft bodies as ever. Rigid bodies take what pushes them at once, or
//! what the integrator has solved for them together with contacts, and then move freely for
//! the length of the step, which keeps energy and angular momentum. Joints are obeyed by the
//! velocities before the free motion, and by the places after it.

use crate::body::rigid::RigidState;
use crate::body::soft::State;
use crate::id::VertexId;
use crate::integrate::free_motion::FreeMotion;
use crate::integrate::sleep::{IslandEdges, Sleep, SleepSettings};
use crate::integrate::{StepError, System};
use crate::math::Vec3;
use crate::snapshot::{Snapshot, SnapshotError};

/// Moves the rigid bodies of a system, before and after the integrator.
#[derive(Debug, Default)]
pub(crate) struct RigidMotion {
    /// How a rigid body moves while nothing touches it.
    pub free_motion: FreeMotion,
    /// When bodies sleep, if ever; only with an integrator that solves constraints.
    pub sleep_settings: Option<SleepSettings>,
    sleep: Sleep,
    forces: Vec<Vec3>,
    /// Rigid bodies at the end of the step.
    rigids: Vec<RigidState>,
    /// The same before any falls asleep.
    awake: Vec<RigidState>,
    /// Everything at its start.
    start: State,
}

/// Who gives rigid bodies their velocity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RigidVelocities {
    /// The integrator, which solves constraints.
    Solved,
    /// The forces at the start of the step.
    Pushed,
}

impl RigidMotion {
    /// Refuses rigid bodies that no step can move.
    pub(crate) fn check(
        &self,
        system: &System,
        state: &State,
        velocities: RigidVelocities,
    ) -> Result<(), StepError> {
        let (count, expected) = (state.rigids.len(), system.rigids.entries().len());
        if count != expected {
            return Err(StepError::Count { what: "rigid bodies", count, expected });
        }
        let vertices = system.rigids.attached().len();
        if vertices > 0 && velocities == RigidVelocities::Pushed {
            return Err(StepError::Attached { vertices });
        }
        Ok(())
    }

    /// Before the integrator: wakes what is touched; pushes what it does not solve.
    pub(crate) fn begin(
        &mut self,
        system: &mut System,
        state: &State,
        velocities: RigidVelocities,
        dt: f64,
    ) -> Result<(), StepError> {
        self.start.copy_from(state);
        self.rigids.clone_from(&state.rigids);
        system.scratch.free_motion = self.free_motion;
        match velocities {
            RigidVelocities::Solved => self.wake(system, dt),
            RigidVelocities::Pushed => {
                self.push(system, dt)?;
                let System { joints, rigids, .. } = &mut *system;
                if !joints.is_empty() {
                    joints.velocities_ahead(rigids.entries(), &mut self.rigids, dt)?;
                }
            }
        }
        Ok(())
    }

    /// After the integrator: free motion, joints, sleep.
    pub(crate) fn finish(
        &mut self,
        system: &mut System,
        state: &mut State,
        velocities: RigidVelocities,
        dt: f64,
    ) -> Result<(), StepError> {
        if velocities == RigidVelocities::Solved {
            let solution = &system.scratch.rigid_solution;
            for (rigid, (velocity, spin)) in self.rigids.iter_mut().zip(solution) {
                (rigid.velocity, rigid.spin) = (*velocity, *spin);
            }
        }
        self.advance(system, dt)?;
        if velocities == RigidVelocities::Solved {
            self.fall_asleep(system, dt);
        }
        state.rigids.clone_from(&self.rigids);
        system.rigids.write(state);
        system.check_state(state.motion(), "integrate")
    }

    /// Wakes what is touched, and lets the integrator know what sleeps.
    fn wake(&mut self, system: &mut System, dt: f64) {
        let Some(settings) = self.sleep_settings else { return };
        let System { rigids, scratch, .. } = system;
        self.sleep.begin(rigids);
        self.sleep.wake(rigids, settings, &scratch.contact, &self.start.velocities, dt);
        scratch.asleep.clear();
        scratch.asleep.extend((0..rigids.entries().len()).map(|index| self.sleep.is_asleep(index)));
    }

    /// Lets fall asleep what has come to rest.
    fn fall_asleep(&mut self, system: &mut System, dt: f64) {
        let Some(settings) = self.sleep_settings else { return };
        let System { rigids, joints, scratch, .. } = system;
        let joined =
            joints.list().iter().filter_map(|joint| Some([joint.bodies.0, joint.bodies.1?]));
        self.awake.clone_from(&self.rigids);
        let edges = IslandEdges { output: &scratch.contact, joined };
        self.sleep.settle(rigids, settings, edges, &mut self.rigids, dt);
        let ends = self.rigids.iter().zip(&self.awake);
        for (k, (member, (now, before))) in rigids.entries().iter().zip(ends).enumerate() {
            if self.sleep.is_asleep(k) && scratch.asleep.get(k) == Some(&false) {
                // The little that it still had goes to what it lies on.
                let taken = member.body.mass * (now.velocity - before.velocity);
                scratch.external_impulses.push((VertexId(member.vertices.start as u32), taken));
            }
        }
    }

    /// Takes the push of all forces at the start of the step.
    fn push(&mut self, system: &System, dt: f64) -> Result<(), StepError> {
        system.sum_forces(self.start.motion(), &mut self.forces)?;
        for (member, rigid) in system.rigids.entries().iter().zip(&mut self.rigids) {
            for v in member.vertices.clone() {
                rigid.push(&member.body, self.start.positions[v], dt * self.forces[v]);
            }
        }
        Ok(())
    }

    /// Lets rigid bodies move freely, and puts joints together again.
    fn advance(&mut self, system: &mut System, dt: f64) -> Result<(), StepError> {
        let System { joints, rigids, scratch, .. } = system;
        for (member, rigid) in rigids.entries().iter().zip(&mut self.rigids) {
            if let Some(end) = scratch.substeps.end(member.unknown) {
                *rigid = end;
                continue;
            }
            match scratch.substeps.motion(member.unknown) {
                None => self.free_motion.step(&member.body, rigid, dt),
                Some(mean) => {
                    let mean = (mean.velocity, mean.spin);
                    self.free_motion.step_by_mean(&member.body, rigid, mean, dt);
                }
            }
        }
        if !joints.is_empty() {
            joints.advance_grounds(dt);
            joints.positions(rigids.entries(), &mut self.rigids)?;
        }
        Ok(())
    }

    /// Wakes everything.
    pub fn wake_all(&mut self) {
        self.sleep = Sleep::default();
    }

    /// Writes what sleeps.
    pub(crate) fn save(&self, snapshot: &mut Snapshot) {
        self.sleep.save(snapshot);
    }

    /// Reads what [`RigidMotion::save`] wrote.
    pub(crate) fn restore(&mut self, snapshot: &mut Snapshot) -> Result<(), SnapshotError> {
        self.sleep.restore(snapshot)
    }
}
