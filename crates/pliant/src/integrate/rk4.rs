//! The classical Runge–Kutta method: four derivatives, weighted.

use crate::body::soft::State;
use crate::integrate::{Integrator, StepError, StepReport, System};
use crate::math::Vec3;

/// Weight of each derivative in the step.
const WEIGHTS: [f64; 4] = [1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0];

/// Part of the step after which each derivative but the first is evaluated.
const REACHES: [f64; 3] = [0.5, 0.5, 1.0];

/// The classical Runge–Kutta method, order 4; four evaluations of forces a step.
///
/// - Implements: [Zachmann slide "Runge-Kutta 4-ter Ordnung"].
#[derive(Clone, Debug, Default)]
pub struct Rk4 {
    accelerations: Vec<Vec3>,
    stage: State,
    next: State,
}

impl Rk4 {
    /// A Runge–Kutta method with empty scratch memory.
    pub fn new() -> Rk4 {
        Rk4::default()
    }
}

impl Integrator for Rk4 {
    fn step(
        &mut self,
        system: &mut System,
        state: &mut State,
        dt: f64,
    ) -> Result<StepReport, StepError> {
        system.check_step(state, dt)?;
        let Rk4 { accelerations, stage, next } = self;
        stage.copy_from(state);
        next.copy_from(state);
        next.time += dt;
        for (slope, weight) in WEIGHTS.into_iter().enumerate() {
            system.accelerations(stage.motion(), accelerations)?;
            for (k, acceleration) in accelerations.iter().enumerate() {
                next.positions[k] += weight * dt * stage.velocities[k];
                next.velocities[k] += weight * dt * *acceleration;
            }
            let Some(reach) = REACHES.get(slope).map(|part| part * dt) else { break };
            for (k, acceleration) in accelerations.iter().enumerate() {
                stage.positions[k] = state.positions[k] + reach * stage.velocities[k];
                stage.velocities[k] = state.velocities[k] + reach * *acceleration;
            }
            stage.time = state.time + reach;
            system.pins.hold(stage.time, &mut stage.positions, &mut stage.velocities);
        }
        system.pins.hold(next.time, &mut next.positions, &mut next.velocities);
        system.accept(state, next, dt)?;
        Ok(StepReport { substeps: 1, ..StepReport::default() })
    }

    fn stable_step(&self) -> Option<f64> {
        Some(8_f64.sqrt())
    }
}
