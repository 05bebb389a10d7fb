//! The energy ledger: whether energy appeared without a source.
//!
//! | here      | meaning                                                                   |
//! |-----------|---------------------------------------------------------------------------|
//! | `total`   | kinetic and potential energy, J                                           |
//! | `largest` | largest kinetic and stored energy so far, J; what rises are compared with |
//! | `budget`  | energy of the start and all that sources put in since, J                  |
//! | `appeared`| all that appeared without a source so far, J                              |
//!
//! A dissipative integrator may raise the total in a step by rounding and by the work of its
//! sources, no more. Others let it swing about a constant, and some contacts and goal shapes
//! store energy that no potential shows: for these the total must not pass the budget.

use crate::force::Store;
use crate::integrate::StepReport;
use crate::snapshot::{Snapshot, SnapshotError};
use crate::step::Simulation;

/// Share of the largest energy that a step may add without a source.
pub(crate) const STEP_TOLERANCE: f64 = 1e-6;

/// Share of the largest energy by which an integrator that is not dissipative may swing.
pub(crate) const SWING: f64 = 0.05;

/// Times the largest energy that make a state absurd when they have appeared without a source.
pub(crate) const ABSURD: f64 = 10.0;

/// Share of the scene's size that bodies may cross in a step before their energy can be absurd.
const CROSSED: f64 = 0.1;

/// Speed, in sizes of the scene per second, below which energy is not worth a verdict.
const SLOW: f64 = 1e-4;

/// Energy that appeared in a step without a source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EnergyRise {
    /// Energy beyond what is allowed for, J; NaN or infinite where the total is.
    pub unexplained: f64,
    /// The same of all steps so far, J.
    pub appeared: f64,
    /// Largest energy that has a source, J.
    pub largest: f64,
    /// Whether the state cannot be meant.
    pub is_absurd: bool,
}

/// Energy of a run from step to step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EnergyLedger {
    /// Gravitational energy at the start, J: its zero is arbitrary.
    height: f64,
    total: f64,
    largest: f64,
    budget: f64,
    /// All that sources put in since the start, J.
    input: f64,
    appeared: f64,
    /// Energy below which nothing is absurd, J.
    scale: f64,
}

impl EnergyLedger {
    /// The ledger of a simulation before its first step of `dt` seconds.
    ///
    /// `size` is that of the scene, m.
    pub fn new(simulation: &Simulation, size: f64, dt: f64) -> EnergyLedger {
        let Energy { kinetic, elastic, gravitational: height } = Energy::of(simulation);
        let moving = |speed: f64| 0.5 * simulation.system.masses.total() * speed * speed;
        let total = kinetic + elastic;
        let largest = (kinetic + elastic.abs()).max(moving(SLOW * size));
        let scale = moving(CROSSED * size / dt);
        EnergyLedger { height, total, largest, budget: total, input: 0.0, appeared: 0.0, scale }
    }

    /// All that sources put in since the start, J.
    pub fn input(&self) -> f64 {
        self.input
    }

    /// Enters only what sources put in, of a step that is not looked at.
    pub fn pass(&mut self, report: &StepReport) {
        self.input += report.energy_input;
        self.budget += report.energy_input;
    }

    /// Enters a step, and returns the energy that appeared in it without a source, if any did.
    pub fn enter(&mut self, simulation: &Simulation, report: &StepReport) -> Option<EnergyRise> {
        let Energy { kinetic, elastic, gravitational } = Energy::of(simulation);
        let height = gravitational - self.height;
        let total = kinetic + elastic + height;
        let (before, largest) = (self.total, self.largest);
        self.pass(report);
        let is_strict = simulation.stepper.is_dissipative() && !report.hides_energy;
        let unexplained = if is_strict {
            total - before - report.energy_input - STEP_TOLERANCE * largest
        } else {
            total - self.budget - SWING * largest
        };
        self.total = total;
        // NaN is no rise below 0 either.
        if unexplained <= 0.0 {
            self.largest = largest.max(kinetic + elastic.abs() + height.abs());
            return None;
        }
        // Each rise is reported once.
        self.budget += unexplained;
        self.appeared += unexplained;
        let appeared = self.appeared;
        let is_absurd = !appeared.is_finite() || appeared > ABSURD * largest.max(self.scale);
        Some(EnergyRise { unexplained, appeared, largest, is_absurd })
    }

    /// Writes all.
    pub fn save(&self, snapshot: &mut Snapshot) {
        let EnergyLedger { height, total, largest, budget, input, appeared, .. } = *self;
        let all = [height, total, largest, budget, input, appeared];
        all.iter().for_each(|number| snapshot.write(*number));
    }

    /// Reads what [`EnergyLedger::save`] wrote.
    pub fn restore(&mut self, snapshot: &mut Snapshot) -> Result<(), SnapshotError> {
        let EnergyLedger { height, total, largest, budget, input, appeared, .. } = self;
        for number in [height, total, largest, budget, input, appeared] {
            *number = snapshot.read("energy")?;
        }
        Ok(())
    }
}

/// Energies of everything that moves, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Energy {
    /// Of motion.
    pub kinetic: f64,
    /// Of deformation.
    pub elastic: f64,
    /// Of height; zero at the origin.
    pub gravitational: f64,
}

impl Energy {
    /// The energies of a simulation now.
    pub(crate) fn of(simulation: &Simulation) -> Energy {
        let Simulation { state, system, .. } = simulation;
        let elastic = system.forces.energy_of(Store::Elastic, state.motion()) + 0.0;
        Energy { elastic, ..Energy::without_elastic(simulation) }
    }

    /// The same with 0 for what is elastic.
    pub(crate) fn without_elastic(simulation: &Simulation) -> Energy {
        let Simulation { state, system, .. } = simulation;
        // The sum of nothing is −0, which nobody wants to read.
        Energy {
            kinetic: system.rigids.kinetic(state, &system.masses) + 0.0,
            elastic: 0.0,
            gravitational: system.forces.energy_of(Store::Gravitational, state.motion()) + 0.0,
        }
    }

    /// Their sum, J.
    pub fn total(&self) -> f64 {
        self.kinetic + self.elastic + self.gravitational
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::soft::{Masses, State};
    use crate::force::spring::{SpringLaw, SpringSettings, Springs};
    use crate::id::VertexId;
    use crate::integrate::euler::{Euler, EulerKind};
    use crate::integrate::implicit::Implicit;
    use crate::integrate::{Integrator, System};
    use crate::math::Vec3;
    use crate::step::Stepper;

    /// Two vertices of 1 kg on a stretched spring of 100 N/m: 14.1 rad/s.
    fn spring(integrator: Box<dyn Integrator>) -> Simulation {
        let rest = vec![Vec3::ZERO, Vec3::X];
        let masses = Masses::new(vec![1.0; 2]).unwrap();
        let mut system = System { masses, ..System::default() };
        let settings = SpringSettings { law: SpringLaw::Absolute, stiffness: 100.0, damping: 0.0 };
        let edges = [[VertexId(0), VertexId(1)]];
        system.forces.push(Springs::along(&rest, &edges, settings).unwrap());
        let state = State::at_rest(vec![Vec3::ZERO, 1.5 * Vec3::X]);
        Simulation::new(state, system, Stepper::new(integrator))
    }

    /// Steps with energy that no source explains, and whether one of them was absurd.
    fn rises(mut simulation: Simulation, dt: f64, steps: usize) -> (usize, bool) {
        let mut ledger = EnergyLedger::new(&simulation, 1.0, 0.1);
        let mut found = Vec::new();
        for _ in 0..steps {
            let Ok(report) = simulation.step(dt) else { break };
            found.extend(ledger.enter(&simulation, &report));
        }
        (found.len(), found.iter().any(|rise| rise.is_absurd))
    }

    #[test]
    fn stable_steps_are_clean_and_unstable_ones_absurd() {
        let symplectic = || Box::new(Euler::new(EulerKind::Symplectic));
        // Stable below 2/14.1 = 0.141 s.
        assert_eq!(rises(spring(symplectic()), 0.005, 1000), (0, false));
        let (count, absurd) = rises(spring(symplectic()), 0.15, 100);
        assert!(count > 10 && absurd, "{count}");
        let (count, _) = rises(spring(Box::new(Euler::new(EulerKind::Explicit))), 0.01, 1000);
        assert!(count > 100, "{count}");
        assert_eq!(rises(spring(Box::new(Implicit::default())), 0.1, 100), (0, false));
    }

    #[test]
    fn a_push_from_nowhere_is_seen_in_its_step_and_the_work_of_a_source_is_not() {
        let mut simulation = spring(Box::new(Implicit::default()));
        let mut ledger = EnergyLedger::new(&simulation, 1.0, 0.1);
        let report = simulation.step(0.1).unwrap();
        assert_eq!(ledger.enter(&simulation, &report), None);
        let before = simulation.state.velocities[0].length_squared();
        simulation.state.velocities[0] *= 2.0;
        let given = 0.5 * 3.0 * before;
        let sourced = StepReport { energy_input: given, ..report };
        assert_eq!(ledger.clone().enter(&simulation, &sourced), None);
        let rise = ledger.enter(&simulation, &report).unwrap();
        assert!((rise.unexplained / given - 1.0).abs() < 1e-4, "{rise:?} {given}");
        simulation.state.velocities[0] = Vec3::splat(f64::INFINITY);
        assert!(ledger.enter(&simulation, &report).unwrap().is_absurd);
    }
}
