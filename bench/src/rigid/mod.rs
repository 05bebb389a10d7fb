//! Rigid bodies beside rapier3d, and alone: time, rest, and the angle of sliding.
//!
//! Both sides get the same places, masses, moments, friction, gravity and time step, on one
//! thread and in turn, and are judged by the exact counts of [`pliant::record::overlap`]. No body
//! sleeps. Ours is in f64, rapier3d in f32 with registers of four numbers, each with its defaults.

mod ours;

mod rapier;

mod beside;

mod drift;

mod angle;

mod tables;

use crate::engine::Engine;
use crate::rows::{self, Amount, Row};
use crate::timing::Spread;

/// Steps between lines on progress.
const REPORT: usize = 60;

/// How much is run by default; nothing here has poses or seeds.
const AMOUNT: Amount = Amount { poses: 1, seeds: 1, jobs: 1, seconds: None };

/// All rows.
const ROWS: [Row; 4] = [
    ("pyramid", |_| beside::pyramid().map(|run| tables::beside(&run))),
    ("tumbling", |_| beside::tumbling().map(|run| tables::beside(&run))),
    ("drift", |_| drift::run().map(|rows| tables::drift(&rows))),
    ("angle", |_| angle::run().map(|rows| tables::angle(&rows))),
];

/// Prints the tables of some rows, or of all.
pub fn run(arguments: &[&str]) -> Result<(), String> {
    rows::run(&ROWS, AMOUNT, arguments)
}

/// Runs ours alone, for a profiler.
pub fn run_ours(name: &str, steps: &str) -> Result<(), String> {
    let steps: usize = steps.parse().map_err(|_| format!("{steps} is no number"))?;
    let text = match name {
        "pyramid" => ours::pyramid(),
        "tumbling" => ours::tumbling(),
        _ => return Err(format!("no such scene: {name}; there are: pyramid, tumbling")),
    };
    let mut ours = ours::load(name, &text)?;
    let (mut times, mut sweeps, mut rows) = (Vec::new(), 0, 0);
    for step in 1..=steps {
        let mut outcome = Ok(Default::default());
        let time = crate::timing::once(|| outcome = ours.built.world.step());
        let report = outcome.map_err(|error| error.to_string())?;
        times.push(time);
        sweeps += report.sweeps;
        rows += ours.built.world.simulation().system.scratch.contact.rows.len();
        if step % REPORT == 0 || step == steps {
            let speed = crate::engine::fastest(&ours.state());
            let count = times.len() as f64;
            println!(
                "{name}, step {step}: {} ms, {:.1} sweeps, {:.0} contacts, fastest vertex {speed:.2e} m/s",
                Spread::of(std::mem::take(&mut times)).milliseconds(),
                sweeps as f64 / count,
                rows as f64 / count,
            );
            (sweeps, rows) = (0, 0);
        }
    }
    Ok(())
}
