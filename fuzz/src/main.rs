//! Hostile input for every reader: `cargo xtask fuzz [TARGET] [--seconds N] [--seed S]`.
//!
//! ```text
//! seeds ─▶ mutate ─▶ repair (checksums) ─▶ target ─▶ judge ─▶ shrink, keep ─▶ log
//! ```
//!
//! Every input must be read or refused: without a panic, within [`campaign::LIMIT`], and within the
//! target's bound of memory. What was read comes back when written; what was refused has a
//! message that can be shown. All inputs follow from the seed. Each target has a process of its
//! own, so that one that overflows its stack or hangs does not end the others.

mod allocations;

mod dictionary;

mod mutate;

mod target;

mod seeds;

mod judge;

mod watchdog;

mod shrink;

mod campaign;

mod log;

mod arguments;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use arguments::Arguments;
use campaign::{CURRENT, CampaignSettings, Folders, LIMIT, Length};
use target::Target;

/// The last line of a target's log, which its process leaves for the table.
const ROW: &str = "row";

fn main() -> ExitCode {
    let done = Arguments::parse(std::env::args().skip(1)).and_then(|arguments| {
        let Some(name) = &arguments.target else { return all(&arguments) };
        let targets = target::all();
        let Some(target) = targets.iter().find(|target| target.name == name) else {
            let names: Vec<&str> = targets.iter().map(|target| target.name).collect();
            return Err(format!("there is no target `{name}`; there are: {}", names.join(", ")));
        };
        let found = match &arguments.input {
            Some(file) => one_input(target, file),
            None => one_target(target, &arguments),
        };
        found.map_err(|error| format!("{name}: {error}"))
    });
    match done {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("fuzz: {error}");
            ExitCode::from(2)
        }
    }
}

/// Where failing inputs are kept.
fn kept() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    Path::new(&target).join("fuzz")
}

/// Each target in a process of its own; how many failed.
fn all(arguments: &Arguments) -> Result<usize, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut table = log::HEADING.to_string();
    let mut failed = 0;
    for target in target::all() {
        let folder = kept().join(target.name);
        let row = folder.join(ROW);
        // Of an earlier run; there may be none.
        let _ = fs::remove_file(&row);
        let mut process = Command::new(&program);
        process.arg(target.name).args(["--seconds", &arguments.seconds.to_string()]);
        process.args(["--seed", &arguments.seed.to_string()]);
        let inputs = arguments.inputs.map(|count| ["--inputs".to_string(), count.to_string()]);
        let status = process.args(inputs.into_iter().flatten()).status();
        let status = status.map_err(|error| error.to_string())?;
        failed += usize::from(!status.success());
        table += &fs::read_to_string(&row).unwrap_or_else(|_| {
            let current = folder.join(CURRENT);
            let reason = format!("ended by {status}, at {}", current.display());
            log::ended_row(target.name, &reason)
        });
    }
    println!("\n{table}");
    Ok(failed)
}

fn one_target(target: &Target, arguments: &Arguments) -> io::Result<usize> {
    judge::keep_panics();
    let folders = Folders::new(&kept(), target)?;
    let length = match arguments.inputs {
        Some(count) => Length::Inputs(count),
        None => Length::Time(Duration::from_secs(arguments.seconds)),
    };
    let settings = CampaignSettings { length, seed: arguments.seed, limit: LIMIT };
    let found = campaign::run(target, seeds::of(target), settings, &folders)?;
    let row = log::row(target.name, &found);
    print!("{row}{}", log::failures(target.name, &found));
    fs::write(folders.kept.join(ROW), row)?;
    Ok(found.failures.len())
}

/// One input as it is, with the panic and its place printed.
fn one_input(target: &Target, file: &Path) -> io::Result<usize> {
    let folders = Folders::new(&kept(), target)?;
    let input = fs::read(file)?;
    let judged = judge::judge(target, &input, folders.scratch.path());
    println!("{judged:#?}");
    Ok(usize::from(judged.failure.is_some()))
}
