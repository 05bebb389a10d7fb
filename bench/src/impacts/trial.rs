//! One world to its end, judged at every step.

use pliant::prelude::{World, WorldError};
use pliant::record::energy::EnergyLedger;
use pliant::record::overlap::{Measure, Overlap};

use crate::timing;

/// Results of one world.
#[derive(Clone, Debug, Default)]
pub struct Trial {
    /// Of the row.
    pub name: String,
    /// Steps that were made.
    pub steps: u64,
    /// Vertices inside other bodies and edges through faces, at the worst step.
    pub most: [usize; 2],
    /// The same, and inverted tets, at the end.
    pub end: Overlap,
    /// Steps in which energy appeared without a source.
    pub energy_steps: u64,
    /// All that appeared so, over the largest energy that has a source.
    pub energy: f64,
    /// Steps whose contacts did not converge.
    pub unconverged: u64,
    /// Speed of the fastest vertex at the end, m/s.
    pub fastest: f64,
    /// CPU time of a step, mean, s.
    pub time: f64,
    /// What else is wrong with the end, or why it ended early.
    pub remark: String,
}

impl Trial {
    /// Says what is wrong with the end; what was said first stays.
    pub fn note(&mut self, remark: &str) {
        if self.remark.is_empty() {
            remark.clone_into(&mut self.remark);
        }
    }

    /// Whether nothing is wrong with it.
    pub fn is_good(&self) -> bool {
        let Overlap { penetrating_vertices, edge_crossings, .. } = self.end;
        penetrating_vertices + edge_crossings == 0
            && self.energy_steps == 0
            && self.remark.is_empty()
    }
}

/// An error of a world as a bench reports it.
#[expect(clippy::needless_pass_by_value, reason = "it is mapped over results")]
pub fn text(error: WorldError) -> String {
    error.to_string()
}

/// Steps a world; `size` is that of the scene, m.
pub fn run(name: &str, world: &mut World, steps: u64, size: f64) -> Result<Trial, String> {
    world.assemble().map_err(text)?;
    world.set_threads(1);
    let mut trial = Trial { name: name.to_owned(), ..Trial::default() };
    let simulation = world.simulation();
    let mut ledger = EnergyLedger::new(simulation, size, world.time_step());
    let (bodies, start) = (simulation.system.bodies.clone(), &simulation.state.positions);
    let mut measure = Measure::new(start, &bodies);
    for _ in 0..steps {
        let (time, made) = timing::single(|| world.step());
        let report = match made {
            Ok(report) => report,
            Err(error) => {
                trial.remark = error.to_string();
                break;
            }
        };
        trial.steps += 1;
        trial.time += time;
        trial.unconverged += u64::from(report.unconverged > 0);
        if let Some(rise) = ledger.enter(world.simulation(), &report) {
            trial.energy_steps += 1;
            trial.energy = rise.appeared / rise.largest;
        }
        trial.end = measure.measure(&world.simulation().state.positions, &bodies);
        trial.most[0] = trial.most[0].max(trial.end.penetrating_vertices);
        trial.most[1] = trial.most[1].max(trial.end.edge_crossings);
    }
    trial.time /= trial.steps.max(1) as f64;
    let speeds = world.simulation().state.velocities.iter().map(|v| v.length());
    trial.fastest = speeds.fold(0.0, f64::max);
    Ok(trial)
}

/// Prints all.
pub fn table(rows: &[Trial]) {
    println!(
        "| case | steps | most inside | most crossings | inside at the end | crossings | inverted \
         tets | steps that gain energy | gained, of the largest | unconverged steps | fastest \
         vertex at the end, m/s | ms per step | good |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for row in rows {
        println!(
            "| {} | {} | {} | {} | {} | {} | {} | {} | {:.1e} | {} | {:.2e} | {:.2} | {} |",
            row.name,
            row.steps,
            row.most[0],
            row.most[1],
            row.end.penetrating_vertices,
            row.end.edge_crossings,
            row.end.inverted_tets,
            row.energy_steps,
            row.energy,
            row.unconverged,
            row.fastest,
            1e3 * row.time,
            if row.is_good() { "yes" } else { "no" },
        );
    }
    for row in rows.iter().filter(|row| !row.remark.is_empty()) {
        println!("\n{}: {}.", row.name, row.remark);
    }
}
