//! What contact must reach: overlap left gently, piles at rest, friction that holds.
//!
//! Each row of the goals is a scene, run on one thread and judged by the exact counts of
//! [`pliant::record::overlap`], which share nothing with the contact that they judge. rapier3d
//! gets the same start, masses, tets and materials, and is judged by the same counts.

mod machine;

mod engine;

mod many;

mod cubes;

mod still;

mod pile;

mod incline;

mod bars;

mod dish;

mod press;

mod rapier;

mod beside;

mod tables;

use machine::{date, processor};

/// Poses of two cubes for each overlap and tilt when nobody says, count.
const POSES: u32 = 500;

/// Piles for each radius when nobody says, count.
const SEEDS: u32 = 12;

/// How much is run.
#[derive(Clone, Copy)]
pub struct Amount {
    /// Poses of two cubes for each overlap and tilt, count.
    pub poses: u32,
    /// Piles for each radius, count.
    pub seeds: u32,
}

/// A row by its name, which runs it and prints its table.
type Row = (&'static str, fn(Amount) -> Result<(), String>);

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
///
/// `--poses N` and `--seeds N` say how much is run.
pub fn run(arguments: &[&str]) -> Result<(), String> {
    let mut amount = Amount { poses: POSES, seeds: SEEDS };
    let (mut wanted, mut rest) = (Vec::new(), arguments.iter());
    while let Some(argument) = rest.next() {
        match *argument {
            "--poses" => amount.poses = count(argument, rest.next())?,
            "--seeds" => amount.seeds = count(argument, rest.next())?,
            name => wanted.push(row(name)?),
        }
    }
    println!("{}, {}; CPU time, one thread unless said.", processor(), date());
    let chosen = if wanted.is_empty() { &ROWS[..] } else { &wanted };
    for (name, measure) in chosen {
        eprintln!("{name} …");
        println!("\n### {name}\n");
        measure(amount)?;
    }
    Ok(())
}

fn count(option: &str, value: Option<&&str>) -> Result<u32, String> {
    let number = value.and_then(|value| value.parse().ok()).filter(|number| *number > 0);
    number.ok_or_else(|| format!("{option} takes a number above 0"))
}

fn row(name: &str) -> Result<Row, String> {
    let known = ROWS.iter().find(|(known, _)| *known == name).copied();
    let names = || ROWS.map(|(name, _)| name).join(", ");
    known.ok_or_else(|| format!("no such row: {name}; there are: {}", names()))
}
