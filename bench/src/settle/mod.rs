//! Goals of contact: recovery from overlap, piles at rest, friction that holds.
//!
//! Each row of the goals is a scene, run on one thread and judged by the exact counts of
//! [`pliant::record::overlap`], which share nothing with the contact that they judge. rapier3d
//! gets the same start, masses, tets and materials, and is judged by the same counts.

pub mod cubes;

mod still;

mod pile;

mod incline;

mod bars;

mod dish;

mod press;

pub mod rapier;

mod beside;

mod tables;

use crate::rows::{self, Amount, Row};

/// How much is run by default.
const AMOUNT: Amount = Amount { poses: 500, seeds: 12, jobs: 1 };

/// All rows.
const ROWS: [Row; 9] = [
    ("two-cubes", |amount| cubes::run(amount).map(|rows| tables::cubes(&rows))),
    ("at-rest", |amount| still::run(amount).map(|rows| tables::still(&rows))),
    ("sphere-pile", |amount| pile::sizes(amount).map(|rows| tables::piles(&rows))),
    ("incline", |_| incline::run().map(|rows| tables::incline(&rows))),
    ("crossing-bars", |_| bars::run().map(|rows| tables::bars(&rows))),
    ("stiffness", |amount| pile::stiffness(amount).map(|rows| tables::piles(&rows))),
    ("fruit-dish", |_| dish::run().map(|row| tables::dish(&row))),
    ("squeezed-sphere", |_| press::run().map(|row| tables::press(&row))),
    ("rapier3d", |amount| beside::run(amount).map(|rows| tables::beside(&rows))),
];

/// Prints the tables of some rows, or of all.
pub fn run(arguments: &[&str]) -> Result<(), String> {
    rows::run(&ROWS, AMOUNT, arguments)
}
