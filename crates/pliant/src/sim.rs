//! One step: the stages in order, one line each.

use std::sync::Arc;

use crate::body::Bodies;
use crate::body::soft::State;
use crate::id::VertexId;
use crate::integrate::contact::InContact;
use crate::integrate::{Integrator, Report, StepError, System};
use crate::math::Vec3;
use crate::memory::{Memory, MemoryError};
use crate::observe::{Stage, Watch};
use crate::respond::Response;

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
    /// Momentum that obstacles have given since the start by impulses, N·s.
    pub given: Vec3,
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
        Simulation { bodies: bodies.into(), state, system, integrator, given: Vec3::ZERO }
    }

    /// The same with contact.
    pub fn in_contact(self, responses: Vec<Box<dyn Response>>) -> Simulation {
        let integrator = InContact::new(self.integrator, self.bodies.clone(), responses);
        Simulation { integrator: Box::new(integrator), ..self }
    }

    /// Moves everything on by `dt` seconds; on an error the state is as it was.
    pub fn step(&mut self, dt: f64) -> Result<Report, StepError> {
        let _step = Watch::new(&self.system.watcher, Stage::Step);
        self.system.from_outside.clear();
        let report = self.integrator.step(&mut self.system, &mut self.state, dt)?;
        self.given += self.system.from_outside.iter().map(|(_, impulse)| *impulse).sum::<Vec3>();
        Ok(report)
    }

    /// Impulses that obstacles gave in the last step: vertex and impulse, N·s.
    pub fn from_outside(&self) -> &[(VertexId, Vec3)] {
        &self.system.from_outside
    }

    /// Works with this many threads from now on; the bits stay the same.
    pub fn set_threads(&mut self, threads: usize) {
        self.system.forces.set_threads(threads, self.state.positions.len());
        self.integrator.set_threads(threads);
    }

    /// Writes all that the next steps depend on.
    pub fn save(&self, memory: &mut Memory) {
        self.state.save(memory);
        self.system.forces.save(memory);
        self.integrator.save(memory);
        if !self.system.joints.is_empty() {
            self.system.joints.save(memory);
        }
        memory.write_vectors(&[self.given]);
    }

    /// Reads what [`Simulation::save`] wrote for the same scene.
    ///
    /// After an error the simulation must not be stepped.
    pub fn restore(&mut self, memory: &mut Memory) -> Result<(), MemoryError> {
        let count = self.state.positions.len();
        self.state.restore(memory)?;
        if [self.state.positions.len(), self.state.velocities.len()] != [count; 2] {
            return Err(MemoryError { part: "the state" });
        }
        self.system.forces.restore(memory)?;
        self.integrator.restore(memory)?;
        if !self.system.joints.is_empty() {
            self.system.joints.restore(memory)?;
        }
        let mut given = Vec::new();
        memory.read_vectors("obstacles", &mut given)?;
        match given[..] {
            [given] if memory.is_read() => self.given = given,
            _ => return Err(MemoryError { part: "obstacles" }),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Mesh;
    use crate::body::keyframes::{Keyframes, Pose};
    use crate::body::obstacle::{Obstacle, Plane, Touch};
    use crate::body::soft::Masses;
    use crate::force::gravity::Gravity;
    use crate::force::plasticity::Plasticity;
    use crate::force::spring::{SpringLaw, SpringSettings, Springs};
    use crate::id::VertexId;
    use crate::integrate::implicit::{Implicit, ImplicitKind, ImplicitSettings};
    use crate::integrate::verlet::{VelocityKind, Verlet};
    use crate::respond::impulse::Impulses;

    const DT: f64 = 0.01;

    /// A plastic triangle of springs that falls on a floor.
    fn falling(integrator: Box<dyn Integrator>) -> Simulation {
        let rest = vec![Vec3::Z, Vec3::Z + Vec3::X, 2.0 * Vec3::Z];
        let edges = [[0, 1], [1, 2], [2, 0]].map(|edge| edge.map(VertexId));
        let masses = Masses::new(vec![1.0, 2.0, 3.0]).unwrap();
        let mut system = System { masses, ..System::default() };
        system.forces.push(Gravity::new(-9.81 * Vec3::Z, system.masses.of()));
        let settings = SpringSettings { law: SpringLaw::Absolute, stiffness: 500.0, damping: 2.0 };
        let clay = Plasticity { yield_strain: 0.01, creep_rate: 5.0, max_drift: 0.5 };
        let springs = Springs::along(&rest, &edges, settings).unwrap();
        system.forces.push(springs.with_plasticity(clay).unwrap());
        let still = Keyframes::still(Pose::IDENTITY).unwrap();
        let floor = Obstacle::new(Plane, still, Touch { friction: 0.3, restitution: 0.2 }).unwrap();
        let bodies = Bodies::from_meshes(&[Mesh::Net(3, &edges)]).unwrap();
        Simulation::new(bodies, State::at_rest(rest), system, integrator)
            .in_contact(vec![Box::new(Impulses::new(vec![floor]))])
    }

    fn integrators() -> [Box<dyn Integrator>; 2] {
        let bdf2 = ImplicitSettings { kind: ImplicitKind::Bdf2, ..ImplicitSettings::default() };
        [Box::new(Verlet::new(VelocityKind::Backward)), Box::new(Implicit::new(bdf2))]
    }

    #[test]
    fn a_restored_simulation_goes_on_with_the_same_bits() {
        for (whole, half) in integrators().into_iter().zip(integrators()) {
            let mut whole = falling(whole);
            for _ in 0..60 {
                whole.step(DT).unwrap();
            }
            let mut memory = Memory::default();
            whole.save(&mut memory);
            let mut resumed = falling(half);
            resumed.restore(&mut Memory::from_numbers(memory.numbers().to_vec())).unwrap();
            assert_ne!(resumed.given, Vec3::ZERO); // the floor was met
            for _ in 0..40 {
                whole.step(DT).unwrap();
                resumed.step(DT).unwrap();
            }
            assert_eq!(whole.state, resumed.state);
            assert_eq!(whole.given, resumed.given);
        }
    }

    #[test]
    fn memory_of_another_scene_is_refused() {
        let mut memory = Memory::default();
        falling(Box::new(Verlet::new(VelocityKind::Backward))).save(&mut memory);
        let [_, implicit] = integrators();
        let numbers = memory.numbers().to_vec();
        assert!(falling(implicit).restore(&mut Memory::from_numbers(numbers.clone())).is_err());
        for cut in 0..numbers.len() {
            let [verlet, _] = integrators();
            let short = &mut Memory::from_numbers(numbers[..cut].to_vec());
            assert!(falling(verlet).restore(short).is_err(), "{cut} of {}", numbers.len());
        }
    }

    #[test]
    fn momentum_is_gravity_and_what_obstacles_gave() {
        let [verlet, _] = integrators();
        let mut simulation = falling(verlet);
        for _ in 0..100 {
            simulation.step(DT).unwrap();
        }
        let momentum = simulation.state.momentum(&simulation.system.masses);
        let expected = 6.0 * 100.0 * DT * -9.81 * Vec3::Z + simulation.given;
        assert!(momentum.abs_diff_eq(expected, 1e-12), "{momentum} {expected}");
        assert!(simulation.given.z > 1.0);
    }
}
