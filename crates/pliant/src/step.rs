//! One step: the stages in order, one line each.

use std::sync::Arc;

use crate::body::Bodies;
use crate::body::soft::State;
use crate::contact::response::Response;
use crate::id::VertexId;
use crate::integrate::contact::InContact;
use crate::integrate::{Integrator, Report, StepError, System};
use crate::math::Vec3;
use crate::profile::{Stage, StageTimer};
use crate::snapshot::{Snapshot, SnapshotError};

/// Everything that moves, what moves it, and what it meets.
#[derive(Debug)]
pub struct Simulation {
    /// Who is joined to whom.
    pub bodies: Arc<Bodies>,
    /// Where everything is.
    pub state: State,
    /// Masses, pins and forces; penalties and barriers of obstacles are among the forces.
    pub system: System,
    /// How steps are made, contact included.
    pub integrator: Box<dyn Integrator>,
    /// Momentum that obstacles have external_impulse_total since the start by impulses, N·s.
    pub external_impulse_total: Vec3,
}

impl Simulation {
    /// A scene that is ready to step.
    ///
    /// The integrator is as it shall be used: see [`InContact`] for contact.
    pub fn new(
        bodies: impl Into<Arc<Bodies>>,
        state: State,
        system: System,
        integrator: Box<dyn Integrator>,
    ) -> Simulation {
        Simulation {
            bodies: bodies.into(),
            state,
            system,
            integrator,
            external_impulse_total: Vec3::ZERO,
        }
    }

    /// The same with contact.
    pub fn in_contact(self, responses: Vec<Box<dyn Response>>) -> Simulation {
        let integrator = InContact::new(self.integrator, self.bodies.clone(), responses);
        Simulation { integrator: Box::new(integrator), ..self }
    }

    /// Moves everything on by `dt` seconds; on an error the state is as it was.
    pub fn step(&mut self, dt: f64) -> Result<Report, StepError> {
        let _step = StageTimer::new(&self.system.profiler, Stage::Step);
        self.system.external_impulses.clear();
        let report = self.integrator.step(&mut self.system, &mut self.state, dt)?;
        self.external_impulse_total +=
            self.system.external_impulses.iter().map(|(_, impulse)| *impulse).sum::<Vec3>();
        Ok(report)
    }

    /// Impulses that obstacles gave in the last step: vertex and impulse, N·s.
    pub fn external_impulses(&self) -> &[(VertexId, Vec3)] {
        &self.system.external_impulses
    }

    /// Works with this many threads from now on; the bits stay the same.
    pub fn set_threads(&mut self, threads: usize) {
        self.system.forces.set_threads(threads, self.state.positions.len());
        self.integrator.set_threads(threads);
    }

    /// Writes all that the next steps depend on.
    pub fn save(&self, memory: &mut Snapshot) {
        self.state.save(memory);
        self.system.forces.save(memory);
        self.integrator.save(memory);
        if !self.system.joints.is_empty() {
            self.system.joints.save(memory);
        }
        memory.write_vectors(&[self.external_impulse_total]);
    }

    /// Reads what [`Simulation::save`] wrote for the same scene.
    ///
    /// After an error the simulation must not be stepped.
    pub fn restore(&mut self, memory: &mut Snapshot) -> Result<(), SnapshotError> {
        let count = self.state.positions.len();
        self.state.restore(memory)?;
        if [self.state.positions.len(), self.state.velocities.len()] != [count; 2] {
            return Err(SnapshotError { part: "the state" });
        }
        self.system.forces.restore(memory)?;
        self.integrator.restore(memory)?;
        if !self.system.joints.is_empty() {
            self.system.joints.restore(memory)?;
        }
        let mut external_impulse_total = Vec::new();
        memory.read_vectors("obstacles", &mut external_impulse_total)?;
        match external_impulse_total[..] {
            [external_impulse_total] if memory.is_read() => {
                self.external_impulse_total = external_impulse_total
            }
            _ => return Err(SnapshotError { part: "obstacles" }),
        }
        Ok(())
    }
}
