//! Momentum budget: drift that gravity and obstacles do not explain.
//!
//! | here       | meaning                                                    |
//! |------------|------------------------------------------------------------|
//! | `start`    | momentum before the first step, kg·m/s                     |
//! | `mass`     | kg; times gravity and time it is what gravity gave         |
//! | `given`    | impulses from obstacles since the start, N·s               |
//! | `largest`  | largest Σ m‖v‖ at a recorded step so far, kg·m/s           |
//!
//! Only bodies without other external forces are checked. The error is what is left of the
//! change of momentum, over the largest Σ m‖v‖ so far: that of the last moment would turn
//! rounding into a large number for everything that has come to rest.

use pliant::id::VertexId;
use pliant::math::Vec3;
use pliant::step::Simulation;

use pliant_scene::loaded::RunInfo;

/// The momentum budget of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MomentumBudget {
    /// Whether a vertex counts, by vertex.
    counts: Vec<bool>,
    start: Vec3,
    mass: f64,
    gravity: Vec3,
    /// Impulses from obstacles since the start, N·s.
    pub given: Vec3,
    /// Largest Σ m‖v‖ seen, kg·m/s.
    pub largest: f64,
}

impl MomentumBudget {
    /// The budget of a simulation before its first step.
    pub fn new(simulation: &Simulation, info: &RunInfo) -> MomentumBudget {
        let mut counts = vec![false; simulation.state.positions.len()];
        for body in info.bodies.iter().filter(|body| !body.held) {
            if let Some(vertices) = counts.get_mut(body.vertices.clone()) {
                vertices.fill(true);
            }
        }
        let masses = simulation.system.masses.of().iter().zip(&counts);
        let mass = masses.filter(|(_, counts)| **counts).map(|(mass, _)| mass).sum();
        let gravity = Vec3::from(info.gravity);
        let mut account = MomentumBudget { counts, mass, gravity, ..MomentumBudget::default() };
        account.start = account.momentum(simulation).0;
        account
    }

    /// Adds the impulses of obstacles in a step.
    pub fn add(&mut self, impulses: &[(VertexId, Vec3)]) {
        let counting = impulses.iter().filter(|(vertex, _)| self.counts[vertex.index()]);
        self.given += counting.map(|(_, impulse)| *impulse).sum::<Vec3>();
    }

    /// Updates the largest Σ m‖v‖ at a recorded step.
    pub fn look(&mut self, simulation: &Simulation) {
        self.largest = self.largest.max(self.momentum(simulation).1);
    }

    /// Relative momentum drift; 0 where nothing ever moved, or no body is checked.
    pub fn error(&self, simulation: &Simulation) -> f64 {
        let (momentum, size) = self.momentum(simulation);
        let by_gravity = self.mass * simulation.state.time * self.gravity;
        let left = (momentum - self.start - by_gravity - self.given).length();
        let largest = self.largest.max(size);
        if left == 0.0 || largest == 0.0 { 0.0 } else { left / largest }
    }

    /// Momentum and Σ m‖v‖ of what counts, kg·m/s.
    fn momentum(&self, simulation: &Simulation) -> (Vec3, f64) {
        let moving = simulation.state.velocities.iter().zip(simulation.system.masses.of());
        let counting = moving.zip(&self.counts).filter(|(_, counts)| **counts);
        counting.fold((Vec3::ZERO, 0.0), |(sum, size), ((velocity, mass), _)| {
            (sum + *mass * *velocity, size + mass * velocity.length())
        })
    }
}
