//! The midpoint rule: the derivative at half the step serves for all of it.

use crate::body::soft::State;
use crate::integrate::{Integrator, StepError, StepReport, System};
use crate::math::Vec3;

/// The midpoint rule, order 2; two evaluations of forces a step.
///
/// Without damping it gains energy at every step size, though little at small ones.
///
/// - Implements: [Zachmann slide "Runge-Kutta 2-ter Ordnung"].
/// - Erratum: the slide speaks of a quadratic function through three points; the formulas
///   below it, used here, take one slope (L13); shown by `orders_are_those_of_theory`.
#[derive(Clone, Debug, Default)]
pub struct Midpoint {
    accelerations: Vec<Vec3>,
    middle: State,
    next: State,
}

impl Midpoint {
    /// A midpoint rule with empty scratch memory.
    pub fn new() -> Midpoint {
        Midpoint::default()
    }
}

impl Integrator for Midpoint {
    fn step(
        &mut self,
        system: &mut System,
        state: &mut State,
        dt: f64,
    ) -> Result<StepReport, StepError> {
        system.check_step(state, dt)?;
        let Midpoint { accelerations, middle, next } = self;
        system.accelerations(state.motion(), accelerations)?;
        middle.copy_from(state);
        middle.time += 0.5 * dt;
        for (k, acceleration) in accelerations.iter().enumerate() {
            middle.positions[k] += 0.5 * dt * state.velocities[k];
            middle.velocities[k] += 0.5 * dt * *acceleration;
        }
        system.pins.hold(middle.time, &mut middle.positions, &mut middle.velocities);

        system.accelerations(middle.motion(), accelerations)?;
        next.copy_from(state);
        next.time += dt;
        for (k, acceleration) in accelerations.iter().enumerate() {
            next.positions[k] += dt * middle.velocities[k];
            next.velocities[k] += dt * *acceleration;
        }
        system.pins.hold(next.time, &mut next.positions, &mut next.velocities);
        system.accept(state, next, dt)?;
        Ok(StepReport { substeps: 1, ..StepReport::default() })
    }

    fn stable_step(&self) -> Option<f64> {
        Some(0.0)
    }
}
