//! Meshes of the data folder thrown into one another and taken apart by `pliant separate`.
//!
//! `cargo xtask bench separate [--seed N] [--by rigid|soft|auto] [--set NAME] [--ipctk PYTHON]`. Every set is
//! written to files, separated from these, and judged by the files that came out; with
//! `--ipctk`, a Python with the package `ipctk` looks for intersections in them too. `--set fair`
//! is movement beside the least translation that separates two boxes or two balls.

mod fair;

mod sets;

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;

use pliant::separate::Manner;
use pliant_run::separate::{Report, Request, separate_files};

use crate::data;
use crate::timing;
use sets::{Library, Set};

/// Where sets and results are written.
const FOLDER: &str = "target/bench-separate";

/// Sets that are thrown.
const SETS: usize = 20;

/// Seed of the sets where none is given.
const SEED: u64 = 20_261_118;

/// What looks for intersections.
const CHECK: &str = include_str!("check.py");

/// What is asked for.
struct Options {
    seed: u64,
    manner: Manner,
    python: Option<PathBuf>,
    /// The only set that is separated, by number or name.
    only: Option<String>,
}

impl Options {
    fn wants(&self, name: &str) -> bool {
        self.only.as_deref().is_none_or(|only| only == name)
    }
}

/// One line of the table.
struct Row {
    report: Report,
    /// CPU time of reading, separating, writing, judging and drawing, s.
    time: f64,
    /// What `ipctk` says; empty where it is not asked.
    ipctk: String,
}

/// What `ipctk` finds in some surfaces.
#[derive(Debug, PartialEq, Eq)]
struct Intersections {
    /// Anywhere.
    whole: bool,
    /// Of an edge of one surface and a triangle of another.
    between: bool,
    /// Surfaces that intersect themselves, by index.
    alone: Vec<usize>,
}

/// Prints both tables.
pub fn run(arguments: &[&str]) -> Result<(), String> {
    let options = options(arguments)?;
    let Some(folder) = data::folder() else {
        println!("{}", data::skipped());
        return Ok(());
    };
    let library = Library::read(&folder)?;
    println!("seed {}, by {}\n", options.seed, options.manner.name());
    println!(
        "| set | bodies | triangles | overlap | pairs before | left | largest movement, sizes | soft | CPU s | ipctk |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for number in (0..SETS).filter(|number| options.wants(&number.to_string())) {
        let set = library.set(number, SETS, options.seed);
        row(&format!("{number}"), &set, &options)?;
    }
    if options.wants("scans") {
        row("30 scans", &library.scanned(options.seed)?, &options)?;
    }
    if options.wants("livers") {
        row("two livers", &library.livers()?, &options)?;
    }
    if options.wants("boxes") {
        row("1000 boxes", &Library::boxes(options.seed), &options)?;
    }
    if options.wants("fair") {
        fair::run(options.seed)?;
    }
    Ok(())
}

fn options(arguments: &[&str]) -> Result<Options, String> {
    let mut options = Options { seed: SEED, manner: Manner::Auto, python: None, only: None };
    let mut rest = arguments.iter();
    while let Some(name) = rest.next() {
        let value = rest.next().ok_or_else(|| format!("separate: {name} needs a value"))?;
        match *name {
            "--seed" => options.seed = value.parse().map_err(|_| "--seed is no number")?,
            "--by" => options.manner = value.parse().map_err(|_| "--by: rigid, soft or auto")?,
            "--set" => options.only = Some((*value).to_owned()),
            "--ipctk" => options.python = Some(PathBuf::from(value)),
            _ => return Err(format!("separate: unknown option {name}")),
        }
    }
    Ok(options)
}

/// Separates a set and prints a line on it.
fn row(name: &str, set: &Set, options: &Options) -> Result<(), String> {
    let folder = Path::new(FOLDER).join(name.replace(' ', "-"));
    let Row { report, time, ipctk } = separated(&folder, set, options)?;
    let sizes = report.bodies.iter().zip(&set.sizes);
    let largest = sizes.map(|(body, size)| body.largest_movement / size).fold(0.0, f64::max);
    let soft = report.bodies.iter().filter(|body| body.by == "soft").count();
    let triangles: usize = report.bodies.iter().map(|body| body.triangles).sum();
    let overlap = set.overlap.map_or("–".to_owned(), |share| format!("{:.0} %", 100.0 * share));
    println!(
        "| {name} | {} | {triangles} | {overlap} | {} | {} | {largest:.2} | {soft} | {time:.2} | {ipctk} |",
        report.bodies.len(),
        report.before.len(),
        report.after.len(),
    );
    Ok(())
}

fn separated(folder: &Path, set: &Set, options: &Options) -> Result<Row, String> {
    let (input, out) = (folder.join("in"), folder.join("out"));
    let refuse = |error: std::io::Error| format!("{}: {error}", folder.display());
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(refuse)?;
    }
    fs::create_dir_all(&input).map_err(refuse)?;
    let files = set.write(&input)?;
    let manner = options.manner;
    let request = Request { files: files.clone(), out: out.clone(), manner, ..Request::default() };
    let (time, report) =
        timing::all_threads(|| separate_files(&request, &mut |_| ControlFlow::Continue(())));
    let report = report.map_err(|error| error.to_string())?;
    let ipctk = match &options.python {
        Some(python) if report.free => {
            let meshes = report.written.iter().filter(|file| !file.ends_with(".png"));
            let meshes: Vec<PathBuf> = meshes.map(|file| out.join(file)).collect();
            let after = intersections(python, &meshes, &folder.join("surfaces-out"))?;
            // Only where something is left it matters what was there before.
            let before = match after.whole {
                true => intersections(python, &files, &folder.join("surfaces-in"))?.alone,
                false => Vec::new(),
            };
            verdict(&after, &before)
        }
        _ => "–".to_owned(),
    };
    Ok(Row { report, time, ipctk })
}

/// What `ipctk` says of a result, where some inputs alone intersect themselves.
fn verdict(after: &Intersections, before: &[usize]) -> String {
    match after {
        Intersections { whole: false, .. } => "none".to_owned(),
        Intersections { between: false, alone, .. } if alone.iter().all(|k| before.contains(k)) => {
            let own: Vec<String> = alone.iter().map(|k| format!("{k:02}")).collect();
            format!("none between bodies; alone, as in its input: {}", own.join(", "))
        }
        Intersections { between: false, .. } => "NEW IN A BODY".to_owned(),
        Intersections { between: true, .. } => "INTERSECTS".to_owned(),
    }
}

/// What `ipctk` finds in the surfaces of some files, which are written to a folder.
fn intersections(python: &Path, files: &[PathBuf], folder: &Path) -> Result<Intersections, String> {
    let surfaces = sets::write_surfaces(files, folder)?;
    let output = Command::new(python)
        .args(["-c", CHECK])
        .args(&surfaces)
        .output()
        .map_err(|error| format!("{}: {error}", python.display()))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    read_answer(&said).ok_or_else(|| {
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        complaint.lines().last().unwrap_or("python said nothing").to_owned()
    })
}

/// Reads what the script prints.
fn read_answer(said: &str) -> Option<Intersections> {
    let mut words = said.split_whitespace();
    let whole = match words.next()? {
        "whole" => true,
        "free" => false,
        _ => return None,
    };
    let between = match words.next()? {
        "between" => true,
        "apart" => false,
        _ => return None,
    };
    let alone: Option<Vec<usize>> = words.map(|word| word.parse().ok()).collect();
    Some(Intersections { whole, between, alone: alone? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(said: &str, before: &[usize], expected: &str) {
        assert_eq!(verdict(&read_answer(said).unwrap(), before), expected);
    }

    #[test]
    fn an_intersection_is_excused_only_where_the_input_alone_had_it() {
        check("free apart", &[], "none");
        check("whole apart 3", &[3, 4], "none between bodies; alone, as in its input: 03");
        check("whole apart 3", &[4], "NEW IN A BODY");
        check("whole between 3", &[3], "INTERSECTS");
        assert_eq!(read_answer("Traceback"), None);
        assert_eq!(read_answer("whole apart x"), None);
    }
}
