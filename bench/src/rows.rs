//! Benchmarks made of rows: each has a name, and prints a table of its own.

use crate::machine::{date, load, processor};

/// How much is run.
#[derive(Clone, Copy)]
pub struct Amount {
    /// Poses of two cubes for each kind of start, count.
    pub poses: u32,
    /// Piles of each kind, count.
    pub seeds: u32,
}

/// A row by its name, which runs it and prints its table.
pub type Row = (&'static str, fn(Amount) -> Result<(), String>);

/// Prints the tables of some rows, or of all.
///
/// `amount` is what is run when nobody says; `--poses N` and `--seeds N` do.
pub fn run(rows: &[Row], mut amount: Amount, arguments: &[&str]) -> Result<(), String> {
    let (mut wanted, mut rest) = (Vec::new(), arguments.iter());
    while let Some(argument) = rest.next() {
        match *argument {
            "--poses" => amount.poses = count(argument, rest.next())?,
            "--seeds" => amount.seeds = count(argument, rest.next())?,
            name => wanted.push(row(rows, name)?),
        }
    }
    println!("{}, {}, {}; CPU time, one thread unless said.", processor(), date(), load());
    let chosen = if wanted.is_empty() { rows } else { &wanted };
    for (name, measure) in chosen {
        eprintln!("{name} …");
        println!("\n#### {name}\n");
        measure(amount)?;
    }
    Ok(())
}

fn count(option: &str, value: Option<&&str>) -> Result<u32, String> {
    let number = value.and_then(|value| value.parse().ok()).filter(|number| *number > 0);
    number.ok_or_else(|| format!("{option} takes a number above 0"))
}

fn row(rows: &[Row], name: &str) -> Result<Row, String> {
    let known = rows.iter().find(|(known, _)| *known == name).copied();
    let names = || rows.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    known.ok_or_else(|| format!("no such row: {name}; there are: {}", names()))
}
