//! Störmer–Verlet: the next position from two past ones, written with velocities.
//!
//! | here            | lecture              | meaning                                      |
//! |-----------------|----------------------|----------------------------------------------|
//! | `state`         | x(t), v(t)           | positions, and velocities at the same time   |
//! | `next`          | x(t+Δt)              | positions at the end of the step             |
//! | `half`          | (x(t+Δt) − x(t))/Δt  | velocity between the two, m/s                |
//! | `accelerations` | ẍ                    | force over mass, m/s²                        |
//!
//! With x(t) − x(t−Δt) = Δt `half` and v(t) = `half` + ½Δt ẍ the lecture's
//! 2x(t) − x(t−Δt) + Δt²ẍ is x(t) + Δt v(t) + ½Δt²ẍ, its own formula for the first step. So the
//! state holds all that the next step needs: after an impulse, a shift of positions or a change
//! of dt from outside it restarts from the velocities, with nothing to reset.

use crate::body::soft::State;
use crate::force::StateView;
use crate::integrate::{Integrator, StepError, StepReport, System};
use crate::math::Vec3;
use crate::snapshot::{Snapshot, SnapshotError};

/// Change of velocities, relative to the largest term, that is rounding.
const ROUNDING: f64 = 1e-14;

/// Most fixed-point iterations for central velocities.
///
/// Each brings the factor dt/2 · damping/mass; above about 0.7 it takes more than these.
const MOST_ITERATIONS: usize = 100;

/// Which velocity forces are evaluated at.
///
/// Without forces that depend on velocity both are the textbook's Störmer–Verlet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VelocityKind {
    /// (x(t) − x(t−Δt))/Δt, half a step late: order 1 with damping.
    Backward,
    /// (x(t+Δt) − x(t−Δt))/2Δt, which depends on the force: order 2 with damping.
    Central,
}

/// Verlet's method, order 2, or 1 with damping and backward velocities.
///
/// Two evaluations of forces a step, or one and the number of iterations for central
/// velocities, which are found by fixed-point iterations to rounding; as many as 100, or
/// the step fails with [`StepError::NotConverged`]. [`StepReport::newton`] counts them. The
/// forces at the end of a step are not kept for the start of the next: contacts and plastic
/// flow change them in between.
///
/// Velocities of the state are central for both kinds, so that momenta belong to the time of the
/// positions. `Backward` keeps `half` of the last step and evaluates the forces of the next at it;
/// after a change from outside they are evaluated at the state's velocities once.
///
/// - Implements: [Zachmann slide "Verlet-Integration"].
/// - Erratum: the O(Δt⁴) of the slide is the error of one step; over a time it is of order 2,
///   and of order 1 with backward velocities (L7); shown by `orders_are_those_of_theory`.
#[derive(Clone, Debug)]
pub struct Verlet {
    kind: VelocityKind,
    accelerations: Vec<Vec3>,
    /// Velocity between this state and the next, m/s.
    half: Vec<Vec3>,
    next: State,
    /// State that the last step left; only for backward velocities.
    left: State,
    /// Velocity before that state, m/s.
    behind: Vec<Vec3>,
}

impl Verlet {
    /// Verlet's method with forces evaluated at velocities of a kind.
    pub fn new(kind: VelocityKind) -> Verlet {
        Verlet {
            kind,
            accelerations: Vec::new(),
            half: Vec::new(),
            next: State::default(),
            left: State::default(),
            behind: Vec::new(),
        }
    }

    /// Fills the positions of the next state, and the velocities that lead there.
    pub(super) fn predict(
        &mut self,
        system: &System,
        state: &State,
        dt: f64,
    ) -> Result<(), StepError> {
        let untouched = self.kind == VelocityKind::Backward && self.left == *state;
        let velocities = if untouched { &self.behind } else { &state.velocities };
        let motion = StateView { velocities, ..state.motion() };
        system.accelerations(motion, &mut self.accelerations)?;
        self.half.clone_from(&state.velocities);
        self.next.copy_from(state);
        self.next.time += dt;
        for (k, acceleration) in self.accelerations.iter().enumerate() {
            self.half[k] += 0.5 * dt * *acceleration;
            self.next.positions[k] += dt * self.half[k];
        }
        system.pins.hold(self.next.time, &mut self.next.positions, &mut self.half);
        Ok(())
    }

    /// Fills the velocities of the next state, whose positions are final.
    pub(super) fn settle(&mut self, system: &System, dt: f64) -> Result<StepReport, StepError> {
        let report = StepReport { substeps: 1, ..StepReport::default() };
        match self.kind {
            VelocityKind::Backward => {
                let motion = StateView { velocities: &self.half, ..self.next.motion() };
                system.accelerations(motion, &mut self.accelerations)?;
                self.improve(dt);
                Ok(report)
            }
            VelocityKind::Central => {
                self.improve(dt);
                let mut residual = f64::INFINITY;
                for newton in 1..=MOST_ITERATIONS {
                    system.accelerations(self.next.motion(), &mut self.accelerations)?;
                    residual = self.improve(dt);
                    if residual <= ROUNDING {
                        return Ok(StepReport { newton, residual, ..report });
                    }
                }
                Err(StepError::NotConverged {
                    solver: "central velocity",
                    iterations: MOST_ITERATIONS,
                    residual,
                    tolerance: ROUNDING,
                })
            }
        }
    }

    /// Sets v = `half` + ½Δt ẍ; returns the change relative to the largest term.
    fn improve(&mut self, dt: f64) -> f64 {
        let (mut change, mut size) = (0.0_f64, f64::MIN_POSITIVE);
        for (k, velocity) in self.next.velocities.iter_mut().enumerate() {
            let kick = 0.5 * dt * self.accelerations[k];
            let improved = self.half[k] + kick;
            change = change.max((improved - *velocity).abs().max_element());
            size = size.max(improved.abs().max_element()).max(kick.abs().max_element());
            *velocity = improved;
        }
        change / size
    }

    /// Ends a step, and keeps what the next one needs.
    pub(super) fn accept(
        &mut self,
        system: &mut System,
        state: &mut State,
        dt: f64,
    ) -> Result<(), StepError> {
        let next = &mut self.next;
        system.pins.hold(next.time, &mut next.positions, &mut next.velocities);
        system.accept(state, next, dt)?;
        if self.kind == VelocityKind::Backward {
            self.left.copy_from(state);
            std::mem::swap(&mut self.behind, &mut self.half);
        }
        Ok(())
    }

    /// Positions of the next state and the velocities that lead there, for constraints.
    pub(super) fn predicted(&mut self) -> (&mut [Vec3], &mut [Vec3]) {
        (&mut self.next.positions, &mut self.half)
    }

    /// The next state, for constraints.
    pub(super) fn next(&mut self) -> &mut State {
        &mut self.next
    }
}

impl Integrator for Verlet {
    fn step(
        &mut self,
        system: &mut System,
        state: &mut State,
        dt: f64,
    ) -> Result<StepReport, StepError> {
        system.check_step(state, dt)?;
        self.predict(system, state, dt)?;
        let report = self.settle(system, dt)?;
        self.accept(system, state, dt)?;
        Ok(report)
    }

    fn stable_step(&self) -> Option<f64> {
        Some(2.0)
    }

    fn save(&self, memory: &mut Snapshot) {
        self.left.save(memory);
        memory.write_vectors(&self.behind);
    }

    fn restore(&mut self, memory: &mut Snapshot) -> Result<(), SnapshotError> {
        self.left.restore(memory)?;
        memory.read_vectors("Verlet", &mut self.behind)
    }
}
