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

mod case;

mod meshes;

mod standing;

mod gripper;

pub mod rapier;

mod beside;

mod tables;

mod case_tables;

use crate::engine::Ours;
use crate::rows::{self, Amount, Row};
use crate::settle::case::CaseRow;

/// How much is run by default.
const AMOUNT: Amount = Amount { poses: 500, seeds: 12, jobs: 1, seconds: None };

/// All rows.
const ROWS: [Row; 16] = [
    ("two-cubes", |amount| cubes::run(amount).map(|rows| tables::cubes(&rows))),
    ("at-rest", |amount| still::run(amount).map(|rows| tables::still(&rows))),
    ("sphere-pile", |amount| pile::sizes(amount).map(|rows| tables::piles(&rows))),
    ("incline", |_| incline::run().map(|rows| tables::incline(&rows))),
    ("crossing-bars", |_| bars::run().map(|rows| tables::bars(&rows))),
    ("stiffness", |amount| pile::stiffness(amount).map(|rows| tables::piles(&rows))),
    ("fruit-dish", |_| dish::run().map(|row| tables::dish(&row))),
    ("squeezed-sphere", |_| press::run().map(|row| tables::press(&row))),
    ("teddies", |amount| meshes::teddies(amount).map(|row| case_tables::case(row.as_ref()))),
    ("fruit", |amount| meshes::fruit(amount).map(|row| case_tables::case(row.as_ref()))),
    ("strawberry-orange", |amount| {
        meshes::strawberry_orange(amount).map(|row| case_tables::case(row.as_ref()))
    }),
    ("balls", |amount| balls(amount).map(|row| case_tables::case(Some(&row)))),
    ("box-on-block", |amount| standing::boxes(amount).map(|rows| case_tables::standing(&rows))),
    ("slab-on-block", |amount| standing::slab(amount).map(|rows| case_tables::standing(&rows))),
    ("gripper", |amount| gripper::run(amount).map(|rows| case_tables::gripper(&rows))),
    ("rapier3d", |amount| beside::run(amount).map(|rows| tables::beside(&rows))),
];

/// Very soft balls that fall on each other.
fn balls(amount: Amount) -> Result<CaseRow, String> {
    let mut ours = Ours::new("balls-dropped", &[])?;
    Ok(case::run("balls", &mut ours, amount.seconds, |_| ()))
}

/// Prints the tables of some rows, or of all.
pub fn run(arguments: &[&str]) -> Result<(), String> {
    rows::run(&ROWS, AMOUNT, arguments)
}
