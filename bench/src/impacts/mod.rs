//! Fast impacts and deep overlap: nothing passes, embeds, explodes or moves farther than needed.
//!
//! Scenes are made by the front door and judged by the exact counts of
//! [`pliant::record::overlap`] and by the energy ledger, step by step.

mod trial;

mod fast;

mod rod;

mod shift;

mod crowd;

mod organs;

use crate::rows::{self, Amount, Row};

/// How much is run by default.
const AMOUNT: Amount = Amount { poses: 500, seeds: 12, jobs: 1, seconds: None };

/// All rows.
const ROWS: [Row; 7] = [
    ("plate", |_| fast::plate().map(|rows| trial::table(&rows))),
    ("soft", |_| fast::soft().map(|rows| trial::table(&rows))),
    ("thin", |_| fast::thin().map(|rows| trial::table(&rows))),
    ("rod", rod::run),
    ("shift", shift::run),
    ("crowd", |_| crowd::run()),
    ("organs", |_| organs::run()),
];

/// Prints the tables of some rows, or of all.
pub fn run(arguments: &[&str]) -> Result<(), String> {
    rows::run(&ROWS, AMOUNT, arguments)
}
