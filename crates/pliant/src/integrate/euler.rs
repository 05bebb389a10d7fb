//! Explicit and symplectic Euler: the slide's and the program's.
//!
//! The lecture prints one and programs the other: on the slide positions move with the old
//! velocity, in the algorithm below it with the new one. The first gains energy at every
//! step size without damping, the second is stable up to 2/ω.

use crate::body::soft::State;
use crate::integrate::{Integrator, StepError, StepReport, System};
use crate::math::Vec3;

/// Which velocity moves the positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EulerKind {
    /// The old one: explicit Euler.
    Explicit,
    /// The new one: symplectic, or semi-implicit, Euler.
    Symplectic,
}

/// Explicit or symplectic Euler, both of order 1.
///
/// - Implements: [Zachmann slide "Simulation einer einzelnen Feder"] as explicit,
///   [Zachmann slide "Der Algorithmus"] as symplectic.
/// - Erratum: the slides call both explicit Euler (L4); shown by
///   `explicit_euler_gains_and_symplectic_euler_keeps`.
#[derive(Clone, Debug)]
pub struct Euler {
    kind: EulerKind,
    accelerations: Vec<Vec3>,
    next: State,
}

impl Euler {
    /// An Euler step of either kind.
    pub fn new(kind: EulerKind) -> Euler {
        Euler { kind, accelerations: Vec::new(), next: State::default() }
    }
}

impl Integrator for Euler {
    fn step(
        &mut self,
        system: &mut System,
        state: &mut State,
        dt: f64,
    ) -> Result<StepReport, StepError> {
        system.check_step(state, dt)?;
        system.accelerations(state.motion(), &mut self.accelerations)?;
        let next = &mut self.next;
        next.copy_from(state);
        next.time += dt;
        for (k, acceleration) in self.accelerations.iter().enumerate() {
            next.velocities[k] += dt * *acceleration;
            next.positions[k] += dt
                * match self.kind {
                    EulerKind::Explicit => state.velocities[k],
                    EulerKind::Symplectic => next.velocities[k],
                };
        }
        system.pins.hold(next.time, &mut next.positions, &mut next.velocities);
        system.accept(state, next, dt)?;
        Ok(StepReport { substeps: 1, ..StepReport::default() })
    }

    fn stable_step(&self) -> Option<f64> {
        match self.kind {
            EulerKind::Explicit => Some(0.0),
            EulerKind::Symplectic => Some(2.0),
        }
    }
}
