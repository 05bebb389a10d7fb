//! Verdicts on a run, step by step: nothing bad passes in silence.
//!
//! | kind               | seen                                                              |
//! |--------------------|-------------------------------------------------------------------|
//! | `energy`           | energy that appeared in a step without a source                   |
//! | `unconverged`      | contacts that one more relaxation would still change              |
//! | `too_fast`         | a body that passed another body or an obstacle within a step      |
//! | `inverted_tets`    | tets of negative volume at a recorded step                        |
//! | `in_obstacles`     | vertices inside obstacles at the end                              |
//! | `overlap`          | bodies that stay in each other until the end                      |
//! | `momentum`         | momentum that no source explains, at the end                      |
//! | `response_dropped` | contact that the scene asks for and the integrator cannot solve   |
//!
//! An absurd state ends the run: see [`Absurdity`].

mod tally;

mod absurdity;

mod tunnelling;

mod warnings;

use pliant::body::obstacle::Obstacle;
use pliant::integrate::StepReport;
use pliant::integrate::frequency::highest_frequency;
use pliant::record::energy::{EnergyLedger, EnergyRise};
use pliant::record::overlap::Overlap;
use pliant::snapshot::{Snapshot, SnapshotError};
use pliant::step::Simulation;

pub use absurdity::Absurdity;
use absurdity::{FARTHEST, fastest};
use tally::{Kind, Tally, whole};
use tunnelling::{Before, Tunnelling, farthest, size, smallest_extent, tunnelling};
pub use warnings::End;

/// Steps from one look at the energy to the next where it may swing: a look costs as much as the
/// forces of an explicit step.
const STRIDE: u64 = 8;

/// Stands in a snapshot for a time that has not been.
const NEVER: f64 = -1.0;

/// Verdicts of a run so far.
#[derive(Debug, Default)]
pub struct Verdicts {
    ledger: EnergyLedger,
    /// By [`Kind`].
    tallies: [Tally; 4],
    before: Before,
    /// Longest stable step, s, where the integrator has one.
    stable_step: Option<f64>,
    /// Steps judged.
    steps: u64,
    /// At the last recorded step.
    recorded: (f64, u64),
    /// Overlap at the last recorded step, and the time since which there was some, s.
    overlap: (Overlap, Option<f64>),
}

impl Verdicts {
    /// Verdicts before the first step.
    pub fn new(simulation: &Simulation, dt: f64) -> Verdicts {
        let Simulation { state, system, stepper, .. } = simulation;
        let stable_step = stepper.stable_step().map(|step| {
            let frequency = highest_frequency(system, state);
            if frequency > 0.0 { step / frequency } else { f64::INFINITY }
        });
        let ledger = EnergyLedger::new(simulation, size(&state.positions), dt);
        Verdicts { ledger, stable_step, ..Verdicts::default() }
    }

    /// Notes where everything is before a step.
    pub fn begin(&mut self, simulation: &Simulation) {
        self.before.positions.clone_from(&simulation.state.positions);
        self.before.time = simulation.state.time;
    }

    /// Judges a step.
    pub fn step(
        &mut self,
        simulation: &Simulation,
        report: &StepReport,
        obstacles: &[Obstacle],
    ) -> Result<(), Absurdity> {
        let time = simulation.state.time;
        if report.unconverged > 0 {
            self.tally(Kind::Unconverged).add(time, report.unconverged as f64, None);
        }
        self.check_displacements(simulation, obstacles)?;
        self.steps += 1;
        if !simulation.stepper.is_dissipative() && !self.steps.is_multiple_of(STRIDE) {
            self.ledger.pass(report);
            return Ok(());
        }
        let Some(rise) = self.ledger.enter(simulation, report) else { return Ok(()) };
        let body = fastest(simulation);
        self.tally(Kind::Energy).add(time, rise.unexplained, Some(body));
        let EnergyRise { appeared, largest, is_absurd, .. } = rise;
        if is_absurd { Err(Absurdity::Energy { body, appeared, largest }) } else { Ok(()) }
    }

    /// Takes in a recorded step; returns energy input and unconverged steps since the last one.
    pub fn record(&mut self, time: f64, overlap: &Overlap) -> (f64, u64) {
        if overlap.inverted_tets > 0 {
            self.tally(Kind::Inverted).add(time, overlap.inverted_tets as f64, None);
        }
        let is_any = overlap.penetrating_vertices + overlap.edge_crossings > 0;
        let since = is_any.then(|| self.overlap.1.unwrap_or(time));
        self.overlap = (*overlap, since);
        let now = (self.ledger.input(), self.unconverged_steps());
        let since = (now.0 - self.recorded.0, now.1.saturating_sub(self.recorded.1));
        self.recorded = now;
        since
    }

    /// Steps whose contacts did not converge.
    pub fn unconverged_steps(&self) -> u64 {
        self.tallies[Kind::Unconverged as usize].count
    }

    fn tally(&mut self, kind: Kind) -> &mut Tally {
        &mut self.tallies[kind as usize]
    }

    /// Looks for vertices that moved too far, and bodies that passed through something.
    fn check_displacements(
        &mut self,
        simulation: &Simulation,
        obstacles: &[Obstacle],
    ) -> Result<(), Absurdity> {
        let Simulation { state, system, .. } = simulation;
        let (vertex, displacement) = farthest(&self.before.positions, &state.positions);
        if displacement <= 0.5 * smallest_extent(&self.before.positions, &system.bodies) {
            return Ok(());
        }
        let size = size(&self.before.positions);
        if displacement > FARTHEST * size {
            let body = system.bodies.offsets().locate(vertex).0.index();
            return Err(Absurdity::Displacement { body, displacement, size });
        }
        if let Some(Tunnelling { body, displacement }) =
            tunnelling(&self.before, simulation, obstacles)
        {
            self.tally(Kind::TooFast).add(state.time, displacement, Some(body));
        }
        Ok(())
    }

    /// Writes all.
    pub fn save(&self, snapshot: &mut Snapshot) {
        self.ledger.save(snapshot);
        self.tallies.iter().for_each(|tally| tally.save(snapshot));
        snapshot.write(self.steps as f64);
        snapshot.write(self.recorded.0);
        snapshot.write(self.recorded.1 as f64);
        snapshot.write(self.overlap.1.unwrap_or(NEVER));
    }

    /// Reads what [`Verdicts::save`] wrote.
    pub fn restore(&mut self, snapshot: &mut Snapshot) -> Result<(), SnapshotError> {
        self.ledger.restore(snapshot)?;
        for tally in &mut self.tallies {
            *tally = Tally::restore(snapshot)?;
        }
        self.steps = whole(snapshot.read("verdicts")?);
        self.recorded = (snapshot.read("verdicts")?, whole(snapshot.read("verdicts")?));
        let since = snapshot.read("verdicts")?;
        self.overlap.1 = (since >= 0.0).then_some(since);
        Ok(())
    }
}
