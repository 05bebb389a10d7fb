//! Meshes of the data folder thrown into one another and taken apart by `pliant separate`.
//!
//! `cargo xtask bench separate [--seed N] [--by rigid|soft|auto] [--ipctk PYTHON]`. Every set is
//! written to files, separated from these, and judged by the files that came out; with
//! `--ipctk`, a Python with the package `ipctk` looks for intersections in them too.

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
}

/// One line of the table.
struct Row {
    report: Report,
    /// CPU time of reading, separating, writing, judging and drawing, s.
    time: f64,
    /// What `ipctk` says; `None` where it is not asked.
    intersections: Option<bool>,
}

/// Prints both tables.
pub fn run(arguments: &[&str]) -> Result<(), String> {
    let options = options(arguments)?;
    let Some(folder) = data::folder() else {
        println!("{}", data::skipped());
        return Ok(());
    };
    let library = Library::read(&folder)?;
    println!("seed {}, by {}", options.seed, options.manner.name());
    println!(
        "| set | bodies | triangles | overlap | pairs before | left | largest movement, sizes | soft | CPU s | ipctk |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for number in 0..SETS {
        let set = library.set(number, SETS, options.seed);
        row(&format!("{number}"), &set, &options)?;
    }
    row("30 scanned surfaces", &library.scanned(options.seed)?, &options)?;
    row("two livers", &library.livers()?, &options)
}

fn options(arguments: &[&str]) -> Result<Options, String> {
    let mut options = Options { seed: SEED, manner: Manner::Auto, python: None };
    let mut rest = arguments.iter();
    while let Some(name) = rest.next() {
        let value = rest.next().ok_or_else(|| format!("separate: {name} needs a value"))?;
        match *name {
            "--seed" => options.seed = value.parse().map_err(|_| "--seed is no number")?,
            "--by" => options.manner = value.parse().map_err(|_| "--by: rigid, soft or auto")?,
            "--ipctk" => options.python = Some(PathBuf::from(value)),
            _ => return Err(format!("separate: unknown option {name}")),
        }
    }
    Ok(options)
}

/// Separates a set and prints a line on it.
fn row(name: &str, set: &Set, options: &Options) -> Result<(), String> {
    let folder = Path::new(FOLDER).join(name.replace(' ', "-"));
    let Row { report, time, intersections } = separated(&folder, set, options)?;
    let sizes = report.bodies.iter().zip(&set.sizes);
    let largest = sizes.map(|(body, size)| body.largest_movement / size).fold(0.0, f64::max);
    let soft = report.bodies.iter().filter(|body| body.by == "soft").count();
    let triangles: usize = report.bodies.iter().map(|body| body.triangles).sum();
    let ipctk = match intersections {
        None => "–",
        Some(true) => "INTERSECTS",
        Some(false) => "none",
    };
    println!(
        "| {name} | {} | {triangles} | {:.0} % | {} | {} | {largest:.2} | {soft} | {time:.2} | {ipctk} |",
        report.bodies.len(),
        100.0 * set.overlap,
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
    let request = Request { files, out: out.clone(), manner, ..Request::default() };
    let (time, report) =
        timing::all_threads(|| separate_files(&request, &mut |_| ControlFlow::Continue(())));
    let report = report.map_err(|error| error.to_string())?;
    let intersections = match &options.python {
        Some(python) if report.free => Some(intersects(python, folder, &out, &report)?),
        _ => None,
    };
    Ok(Row { report, time, intersections })
}

/// Whether `ipctk` finds an intersection in the files of a folder.
fn intersects(python: &Path, folder: &Path, out: &Path, report: &Report) -> Result<bool, String> {
    let scene = folder.join("all.obj");
    sets::write_surfaces(out, &report.written, &scene)?;
    let output = Command::new(python)
        .args(["-c", CHECK])
        .arg(&scene)
        .output()
        .map_err(|error| format!("{}: {error}", python.display()))?;
    match String::from_utf8_lossy(&output.stdout).trim() {
        "intersects" => Ok(true),
        "free" => Ok(false),
        _ => {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            Err(said.lines().last().unwrap_or("python said nothing").to_owned())
        }
    }
}
