//! What contact must reach: overlap left gently, piles at rest, friction that holds.
//!
//! Each row of the goals is a scene, run on one thread and judged by the exact counts of
//! [`pliant::record::overlap`], which share nothing with the contact that they judge. rapier3d
//! gets the same start, masses, tets and materials, and is judged by the same counts.

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

use std::fs;
use std::time::SystemTime;

/// Poses of two cubes for each overlap and tilt when nobody says, count.
const POSES: u32 = 500;

/// Piles for each radius when nobody says, count.
const SEEDS: u32 = 12;

/// Seconds of a day.
const DAY: u64 = 86_400;

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

/// What the machine calls its processor.
fn processor() -> String {
    let told = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = told.lines().find_map(|line| line.strip_prefix("model name"));
    let name = line.map(|name| name.trim_start_matches([':', ' ', '\t']).to_string());
    name.unwrap_or_else(|| "an unnamed processor".to_string())
}

/// Today in Greenwich, year-month-day.
fn date() -> String {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let mut days = since.as_secs() / DAY;
    let leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let mut year = 1970;
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let february = 28 + u64::from(leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", days + 1)
}
