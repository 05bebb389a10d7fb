//! Tables of measurements in the book: what makes each, on what, when, and of which code.
//!
//! A table is a file in `book/tables/`. Its first line, made by `cargo xtask bench all`, has the
//! command, the machine, the date, versions, the commit and the paths that it measures, separated
//! by dots in the middle of the line. What stands below [`NOTES`] is written by people and kept.
//! A table may be some commits older than the code it measures; then a test fails
//! (`tidy/tables.rs`).

use crate::python;
use crate::repository::root;
use crate::setup::cargo;
use crate::steps::{Failure, execute};
use crate::web;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// Where tables stand, from the root.
pub const FOLDER: &str = "book/tables/";

/// The line below which a file is kept when its table is made anew.
const NOTES: &str = "<!-- notes -->";

/// Between the parts of the first line.
pub const DOT: &str = " · ";

/// Crates beside which tables measure, named with their versions.
const PEERS: [&str; 4] = ["geo", "parry2d", "parry3d", "rapier3d"];

/// A table.
pub struct Table {
    /// Name of its file without the ending.
    pub name: &'static str,
    /// Arguments of the benchmark.
    pub arguments: &'static [&'static str],
    /// What it measures, from the root.
    pub measures: &'static [&'static str],
}

/// All tables, the quick ones first.
pub const TABLES: [Table; 13] = [
    Table {
        name: "run-speed",
        arguments: &["run"],
        measures: &["crates/pliant-run/src/run", "crates/pliant-run/src/recording"],
    },
    Table {
        name: "depth-speed",
        arguments: &["depth"],
        measures: &["crates/pliant/src/depth", "crates/pliant/src/detect"],
    },
    Table {
        name: "stuffing",
        arguments: &["mesh", "stuffing"],
        measures: &["crates/pliant/src/mesh/generate/stuffing"],
    },
    Table {
        name: "export",
        arguments: &["mesh", "export"],
        measures: &["crates/pliant-run/src/export"],
    },
    Table {
        name: "world",
        arguments: &["world"],
        measures: &["crates/pliant/src/world", "crates/pliant/src/step.rs"],
    },
    Table {
        name: "proximity",
        arguments: &["proximity"],
        measures: &["crates/pliant-plane/src", "crates/pliant-gpu/src"],
    },
    Table {
        name: "dynamics-speed",
        arguments: &["dynamics"],
        measures: &["crates/pliant/src/force", "crates/pliant/src/integrate/implicit"],
    },
    Table {
        name: "web",
        arguments: &["web"],
        measures: &["crates/pliant-web/src", "web/src/page"],
    },
    Table {
        name: "separate",
        arguments: &["separate"],
        measures: &["crates/pliant/src/separate", "crates/pliant-run/src/separate"],
    },
    Table {
        name: "rigid",
        arguments: &["rigid"],
        measures: &["crates/pliant/src/solve/rigid_substeps", "crates/pliant/src/contact"],
    },
    Table {
        name: "impacts",
        arguments: &["impacts"],
        measures: &["crates/pliant/src/contact", "crates/pliant/src/solve"],
    },
    Table {
        name: "claims",
        arguments: &["claims"],
        measures: &["crates/pliant-papers/src", "crates/pliant/src/depth"],
    },
    Table {
        name: "settle",
        arguments: &["settle"],
        measures: &["crates/pliant/src/contact", "crates/pliant/src/solve"],
    },
];

/// Makes all tables anew, or those that are named.
pub fn write(names: &[String]) -> Result<(), Failure> {
    if let Some(unknown) = names.iter().find(|name| TABLES.iter().all(|t| t.name != **name)) {
        let there: Vec<&str> = TABLES.iter().map(|table| table.name).collect();
        let message = format!("no table is called `{unknown}`; there are {}", there.join(", "));
        return Err(Failure::machine(message));
    }
    let is_wanted = |t: &&Table| names.is_empty() || names.iter().any(|n| n == t.name);
    let wanted: Vec<&Table> = TABLES.iter().filter(is_wanted).collect();
    build()?;
    let (start, mut failed) = (Instant::now(), Vec::new());
    for (done, table) in wanted.iter().enumerate() {
        let (number, all) = (done + 1, wanted.len());
        let minutes = start.elapsed().as_secs() / 60;
        eprintln!("== {number} of {all}, after {minutes} min: {}", table.name);
        // Named ones are always made; of all, those that an interrupted run has made are kept.
        if names.is_empty() && is_current(table)? {
            eprintln!(
                "   made at this commit already; `cargo xtask bench all {}` repeats it",
                table.name
            );
            continue;
        }
        if let Err(failure) = write_one(table) {
            eprintln!("   {}", failure.message);
            failed.push(table.name);
        }
    }
    if failed.is_empty() {
        return Ok(());
    }
    let message =
        format!("{} of {} tables failed: {}", failed.len(), wanted.len(), failed.join(", "));
    Err(Failure::step(message))
}

/// Whether a table was made from the code as it stands, with nothing changed since the commit.
fn is_current(table: &Table) -> Result<bool, Failure> {
    let path = root().join(FOLDER).join(format!("{}.md", table.name));
    let before = fs::read_to_string(path).unwrap_or_default();
    let first = before.lines().next().unwrap_or_default();
    let (commit, changed) = commit()?;
    Ok(!changed && first.contains(&format!("commit {commit}{DOT}")))
}

fn write_one(table: &Table) -> Result<(), Failure> {
    let body = bench(table.arguments)?;
    let path = root().join(FOLDER).join(format!("{}.md", table.name));
    let before = fs::read_to_string(&path).unwrap_or_default();
    let notes = before
        .split_once(NOTES)
        .map_or(String::new(), |(_, notes)| format!("\n{NOTES}\n\n{}\n", notes.trim()));
    let text = format!("{}\n\n{}\n{notes}", header(table)?, body.trim());
    let failed = |error| Failure::step(format!("cannot write {}: {error}", path.display()));
    // Whole or not at all: a table that is cut short would pass for one.
    let partial = path.with_extension("md.partial");
    fs::write(&partial, text).map_err(failed)?;
    fs::rename(&partial, &path).map_err(failed)
}

/// Builds the benchmarks, so that an error of the compiler comes before any table.
fn build() -> Result<(), Failure> {
    let mut command = Command::new(cargo());
    command.current_dir(root()).args(["build", "--release", "--locked"]);
    execute(command.args(["--package", "pliant-bench"]))
}

/// What a benchmark prints.
fn bench(arguments: &[&str]) -> Result<String, Failure> {
    if arguments == ["web"] {
        return said(&mut web::measuring()?);
    }
    let mut command = Command::new(cargo());
    command.current_dir(root()).args(["run", "--release", "--locked", "--quiet"]);
    command.args(["--package", "pliant-bench", "--"]).args(arguments);
    if arguments == ["separate"] {
        command.args(python::ipctk_option());
    }
    said(&mut command)
}

/// What a program prints; its complaints are left visible.
fn said(command: &mut Command) -> Result<String, Failure> {
    let output = command
        .stderr(std::process::Stdio::inherit())
        .output()
        .map_err(|error| Failure::machine(format!("cannot start {command:?}: {error}")))?;
    if !output.status.success() {
        return Err(Failure::step(format!("{command:?} failed")));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The first line of a table that is made now.
fn header(table: &Table) -> Result<String, Failure> {
    let (commit, changed) = commit()?;
    let commit = if changed { format!("{commit} and changes") } else { commit };
    // Machine, load and date, as the benchmarks know them.
    let here = bench(&["header"])?;
    let (machine, date) = here.split_once('\n').unwrap_or((&here, ""));
    let rustc = said(Command::new("rustc").arg("--version"))?;
    let rustc = rustc.split(' ').take(2).collect::<Vec<_>>().join(" ");
    let measures: Vec<String> = table.measures.iter().map(|path| format!("`{path}`")).collect();
    let parts = [
        format!("`cargo xtask bench {}`", table.arguments.join(" ")),
        machine.to_owned(),
        date.to_owned(),
        [vec![rustc], peers(&root())].concat().join(", "),
        format!("commit {commit}"),
        format!("measures {}", measures.join(", ")),
    ];
    Ok(format!("{}.", parts.join(DOT)))
}

/// The commit that is checked out, and whether code was changed since.
fn commit() -> Result<(String, bool), Failure> {
    let git = |arguments: &[&str]| said(Command::new("git").current_dir(root()).args(arguments));
    let changed = !git(&["status", "--porcelain", "--", "crates", "bench"])?.is_empty();
    Ok((git(&["rev-parse", "--short=12", "HEAD"])?, changed))
}

/// Names and versions of the peers, from the lock file.
fn peers(root: &Path) -> Vec<String> {
    let lock = fs::read_to_string(root.join("Cargo.lock")).unwrap_or_default();
    let version = |name: &&str| {
        let (_, rest) = lock.split_once(&format!("name = \"{name}\"\nversion = \""))?;
        Some(format!("{name} {}", rest.split('"').next()?))
    };
    PEERS.iter().filter_map(version).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_come_from_the_lock_file() {
        let found = peers(&root());
        assert_eq!(found.len(), PEERS.len(), "{found:?}");
    }
}
