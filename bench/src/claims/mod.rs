//! The papers' claims, measured: consistent depth, the contact surface, and their cost.
//!
//! Each row is an experiment of [Heidelberger04 §4] or [Spillmann05 §4.6] with numbers instead of
//! pictures. Overlap is judged by the exact counts of [`pliant::record::overlap`], which share
//! nothing with the responses that they judge.

mod consistent;

mod surface;

mod cost;

mod inside;

mod sweep;

mod tables;

use crate::rows::{self, Amount, Row};

/// How much is run by default.
const AMOUNT: Amount = Amount { poses: 12, seeds: 2, jobs: 1, seconds: None };

/// All rows.
const ROWS: [Row; 10] = [
    ("two-cubes", consistent::cubes::run),
    ("head-on", consistent::head_on::run),
    ("sphere-pile", consistent::pile::run),
    ("assorted", consistent::rest::run),
    ("membrane-stack", surface::stack::run),
    ("cubes-on-membrane", surface::membrane::run),
    ("squeezed-sphere", surface::press::run),
    ("elasticities", surface::elasticities::run),
    ("colliding-point", cost::point::run),
    ("response-time", cost::response::run),
];

/// Prints the tables of some rows, or of all.
pub fn run(arguments: &[&str]) -> Result<(), String> {
    rows::run(&ROWS, AMOUNT, arguments)
}
