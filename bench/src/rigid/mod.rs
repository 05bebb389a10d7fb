//! Rigid bodies beside rapier3d, and alone: time, rest, and the angle of sliding.
//!
//! Both sides get the same places, masses, moments, friction, gravity and time step, on one
//! thread and in turn, and are judged by the exact counts of [`pliant::record::overlap`]. No body
//! sleeps. Ours is in f64, rapier3d in f32 with registers of four numbers, each with its defaults.

mod ours;

mod stacks;

mod heaps;

mod rapier;

mod anchors;

mod beside;

mod growth;

mod drift;

mod angle;

mod tables;

use pliant_scene::digest::digest;

use crate::data;
use crate::engine::{Engine, Ours};
use crate::rows::{self, Amount, Row};
use crate::timing::Spread;

/// Steps between lines on progress.
const REPORT: usize = 60;

/// How much is run by default; nothing here has poses or seeds.
const AMOUNT: Amount = Amount { poses: 1, seeds: 1, jobs: 1, seconds: None };

/// All rows.
const ROWS: [Row; 13] = [
    ("pyramid", |_| beside::pyramid().map(|run| tables::beside(&run))),
    ("tumbling", |_| beside::tumbling().map(|run| tables::beside(&run))),
    ("wall", |_| beside::wall().map(|run| tables::beside(&run))),
    ("heavy", |_| beside::heavy().map(|run| tables::beside(&run))),
    ("arch", |_| beside::arch().map(|run| tables::beside(&run))),
    ("dominoes", |_| beside::dominoes().map(|run| tables::beside(&run))),
    ("parts", |_| {
        match beside::parts()? {
            Some(run) => tables::beside(&run),
            None => println!("{}", data::skipped()),
        }
        Ok(())
    }),
    ("chain", |_| beside::chain().map(|run| tables::beside(&run))),
    ("ragdolls", |_| beside::ragdolls().map(|run| tables::beside(&run))),
    ("growth", |_| growth::run().map(|runs| tables::growth(&runs))),
    ("threads", |_| growth::threads().map(|rows| tables::threads(&rows))),
    ("drift", |_| drift::run().map(|rows| tables::drift(&rows))),
    ("angle", |_| angle::run().map(|rows| tables::angle(&rows))),
];

/// Prints the tables of some rows, or of all.
pub fn run(arguments: &[&str]) -> Result<(), String> {
    rows::run(&ROWS, AMOUNT, arguments)
}

/// Runs ours alone, for a profiler: a scene of these rows, so many boxes (`boxes-1000`), or a built-in one.
///
/// Ends with the digest of the state by one thread and, where a number of them is given after the
/// steps as in `240x2`, by so many.
pub fn run_ours(name: &str, steps: &str) -> Result<(), String> {
    let (steps, threads) = steps.split_once('x').unwrap_or((steps, "1"));
    let number = |text: &str| text.parse::<usize>().map_err(|_| format!("{text} is no number"));
    let (steps, threads) = (number(steps)?, number(threads)?);
    let text = match name {
        "pyramid" => Some(ours::pyramid()),
        "tumbling" => Some(ours::tumbling()),
        "wall" => Some(stacks::wall()),
        "dominoes" => Some(stacks::dominoes()),
        "chain" => Some(heaps::chain()),
        "ragdolls" => Some(heaps::ragdolls()),
        _ => match name.strip_prefix("boxes-") {
            Some(count) => Some(heaps::boxes(number(count)? as u32)),
            None => None,
        },
    };
    let mut ours = match text {
        Some(text) => ours::load(name, &text)?,
        None => Ours::new(name, &[])?,
    };
    ours.built.world.set_threads(threads);
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
    println!("{name}, {steps} steps, {threads} threads: {}", digest(&ours.state()));
    Ok(())
}
