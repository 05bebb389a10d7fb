//! The front door: what its bookkeeping costs, what bodies that come and go cost, and a game.
//!
//! A step through `World` is beside the same stages called without it, in turn and from the
//! same start, so that both do the same work. The game is the same in Pliant and in rapier3d,
//! step by step and in the same order, each as short as its library allows.

mod step;

mod change;

mod game;

mod game_pliant;

mod game_rapier;

mod scenes;

use crate::rows::{self, Amount, Row};

/// Nothing here has poses or seeds.
const AMOUNT: Amount = Amount { poses: 1, seeds: 1, jobs: 1, seconds: None };

/// All rows.
const ROWS: [Row; 3] =
    [("step", |_| step::run()), ("change", |_| change::run()), ("game", |_| game::run())];

/// Prints the tables of some rows, or of all.
pub fn run(arguments: &[&str]) -> Result<(), String> {
    rows::run(&ROWS, AMOUNT, arguments)
}

/// Runs one side alone, for a profiler.
pub fn run_ours(what: &str, side: &str, count: &str) -> Result<(), String> {
    let count: usize = count.parse().map_err(|_| format!("{count} is no number"))?;
    match what {
        "change" => change::run_alone(side, count),
        _ => step::run_alone(what, side, count),
    }
}
