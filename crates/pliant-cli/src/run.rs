//! `pliant run`: runs a scene into a folder of results.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use pliant_run::report::text::{number, with_digits};
use pliant_run::run::folder::{RECORDING, REPORT, SERIES, read_summary};
use pliant_run::run::marker::Origin;
use pliant_run::run::{IfExists, RunError, RunSettings, run as run_scene};
use pliant_run::scene::{absolute, load};
use pliant_run::summary::Summary;
use pliant_scene::loaded::LoadedScene;

use crate::info::Form;
use crate::progress::{Bar, INTERRUPTED};
use crate::show::{self, DIM, ERROR, EarlyExit, GOOD, HEADING, WARNING, counted, plain};
use pliant_pages::report;

/// Digits of times and steps in the table.
const DIGITS: usize = 6;

/// What `pliant run --help` ends with.
pub const AFTER_HELP: &str = "\
The folder gets scene.toml (as resolved), series.csv (a row per recorded step), recording.pliant
(a frame per recorded step), report.html and summary.json; `pliant info` reports what is in it.
Ctrl-C ends a run and keeps its results so far; `pliant resume DIR` continues it, also after a
crash, and its results are bitwise identical to those of an uninterrupted run. One process writes
to a folder at a time.

What went wrong without ending the run, such as contacts that did not converge, is a warning on
stderr, in summary.json and in the report; --strict makes it a failure.

Exit codes: 0 finished, 1 the run failed (partial results are kept) or, with --strict, has a
warning, 2 bad arguments or input, 130 interrupted (`pliant resume` continues).";

/// Arguments of `pliant run`.
#[derive(Args)]
pub struct RunArguments {
    /// A scene file, or the name of a built-in scene
    #[arg(value_name = "SCENE")]
    scene: PathBuf,
    /// Folder for the results; runs/NAME when not given
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Set a parameter that the scene declares, or any path of it, such as dt=0.01 or
    /// bodies.0.material.young=1e5
    #[arg(long = "set", value_name = "NAME=VALUE")]
    sets: Vec<String>,
    /// Threads; results do not depend on their number
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,
    /// Resume the run in the folder from its last checkpoint
    #[arg(long, conflicts_with = "force")]
    resume: bool,
    /// Replace the run in the folder; files that do not belong to a run are kept
    #[arg(long)]
    force: bool,
    /// Print the summary as one JSON object
    #[arg(long)]
    json: bool,
    /// Exit with 1 if there is any warning
    #[arg(long)]
    strict: bool,
}

/// Runs a scene and prints its summary.
pub fn run(arguments: &RunArguments) -> Result<ExitCode, EarlyExit> {
    let built = match load(&arguments.scene, &arguments.sets) {
        Ok(built) => built,
        Err(error) => {
            show::error_lines(&error.to_string());
            return Ok(ExitCode::from(crate::BAD_INPUT));
        }
    };
    let default = || PathBuf::from("runs").join(&built.info.scene);
    let folder = arguments.out.clone().unwrap_or_else(default);
    let existing = match (arguments.resume, arguments.force) {
        (true, _) => IfExists::Resume,
        (_, true) => IfExists::Replace,
        _ => IfExists::Refuse,
    };
    let source = absolute(&arguments.scene).to_string_lossy().into_owned();
    let origin = Origin { source, sets: arguments.sets.clone() };
    let threads = arguments.threads.into();
    let settings = RunSettings { threads, existing, report: Some(report), origin };
    let form = if arguments.json { Form::Json } else { Form::Table };
    execute(built, &folder, settings, Output { form, is_strict: arguments.strict })
}

/// How the end of a run is reported.
#[derive(Clone, Copy)]
pub struct Output {
    /// Table or JSON.
    pub form: Form,
    /// Whether a warning is a failure.
    pub is_strict: bool,
}

/// Runs what was loaded into a folder and prints its summary.
pub fn execute(
    built: LoadedScene,
    folder: &Path,
    settings: RunSettings,
    output: Output,
) -> Result<ExitCode, EarlyExit> {
    let Output { form, is_strict } = output;
    let mut bar = match Bar::new(&built.info.scene) {
        Ok(bar) => bar,
        Err(why) => return Ok(show::usage_error(&why)),
    };
    let (steps, existing) = (built.info.steps, settings.existing);
    let done = run_scene(built, folder, settings, &mut bar);
    bar.clear();
    let summary = match done {
        Ok(summary) => summary,
        Err(error) => return failed(&error, folder, form),
    };
    let is_broken_off = summary.steps < steps;
    if is_broken_off {
        show::error(&format!("interrupted after {} of {steps} steps", summary.steps));
    } else if !bar.has_begun() && existing == IfExists::Resume {
        let folder = folder.display();
        show::note(&format!(
            "{folder}: the run is finished already; `pliant resume` with a longer --duration \
             continues it, `pliant run` with --force starts over"
        ));
    }
    match form {
        Form::Json => show::print_json(&summary)?,
        Form::Table => show::remark(&table(&summary, folder, steps))?,
    }
    for warning in &summary.warnings {
        show::warning(&warning.message);
    }
    let is_strict_failure = is_strict && !summary.warnings.is_empty();
    Ok(match (is_broken_off, is_strict_failure) {
        (true, _) => ExitCode::from(INTERRUPTED),
        (_, true) => ExitCode::from(crate::FAILED),
        _ => ExitCode::SUCCESS,
    })
}

/// Reports an error, and what a run that failed left.
fn failed(error: &RunError, folder: &Path, form: Form) -> Result<ExitCode, EarlyExit> {
    show::error(&error.to_string());
    if error.is_input() {
        return Ok(ExitCode::from(crate::BAD_INPUT));
    }
    show::note(&format!("partial results in {}", folder.display()));
    let Ok(Some(summary)) = read_summary(folder) else {
        return Ok(ExitCode::from(crate::FAILED));
    };
    match form {
        Form::Json => show::print_json(&summary)?,
        Form::Table => {
            summary.notices.iter().for_each(|notice| show::note(notice));
            summary.warnings.iter().for_each(|warning| show::warning(&warning.message));
        }
    }
    Ok(ExitCode::from(crate::FAILED))
}

/// The summary as a table, with the folder of the results.
fn table(summary: &Summary, folder: &Path, steps: u64) -> String {
    let ended = match summary.steps == steps {
        true => format!("{GOOD}finished{GOOD:#}"),
        false => format!("{WARNING}interrupted{WARNING:#} after {} steps", summary.steps),
    };
    let mut text = format!("{HEADING}{}{HEADING:#}: {ended}\n", plain(&summary.scene));
    let mut row = |name: &str, value: String| {
        // Writing to a text cannot fail.
        let _ = writeln!(text, "  {DIM}{name:<12}{DIM:#} {value}");
    };
    let size = counted(summary.vertices, "vertex", "vertices");
    row("scene", format!("{size}, {}", counted(summary.tets, "tet", "tets")));
    let (integrator, response) = (plain(&summary.integrator), plain(&summary.response));
    row("method", format!("{integrator}, response {response}"));
    let [time, dt] = [summary.simulated_s, summary.dt].map(|time| with_digits(time, DIGITS));
    row(
        "simulated",
        format!("{time} s in {} of {dt} s", counted(summary.steps as usize, "step", "steps")),
    );
    let threads = counted(summary.threads, "thread", "threads");
    let (wall, cpu, factor) = (summary.wall_s, summary.cpu_s, number(summary.realtime_factor));
    row("time", format!("{wall:.2} s, CPU {cpu:.2} s, {threads}; {factor} × real time"));
    row("energy", format!("kinetic {:.3e} J, elastic {:.3e} J", summary.kinetic, summary.elastic));
    row("speed", format!("rms {:.3e} m/s, max {:.3e} m/s", summary.rms_speed, summary.max_speed));
    row("overlap", overlap(summary));
    row("momentum", momentum(summary));
    row("digest", plain(&summary.digest));
    for notice in &summary.notices {
        row("note", plain(notice));
    }
    let folder_name = plain(&folder.display().to_string());
    row("results", folder_name);
    let there = [SERIES, RECORDING, REPORT].into_iter().filter(|name| folder.join(name).exists());
    row("", there.collect::<Vec<_>>().join(", "));
    text
}

fn momentum(summary: &Summary) -> String {
    match summary.momentum_bodies {
        0 => "not checked: forces other than gravity and impulses act on every body".into(),
        _ => format!("drift {:.1e} (relative to Σ m|v|)", summary.momentum_error),
    }
}

fn overlap(summary: &Summary) -> String {
    let inside = counted(summary.penetrating_vertices, "vertex", "vertices");
    let crossings = counted(summary.edge_crossings, "crossing", "crossings");
    let inverted = counted(summary.inverted_tets, "inverted tet", "inverted tets");
    let depth = summary.max_depth;
    let mut text = format!("{inside} inside, {crossings}, deepest {depth:.3e} m, {inverted}");
    if summary.obstacle_vertices > 0 {
        let inside = counted(summary.obstacle_vertices, "vertex", "vertices");
        text += &format!("; {inside} in obstacles, deepest {:.3e} m", summary.obstacle_depth);
    }
    let defects = summary.penetrating_vertices
        + summary.edge_crossings
        + summary.inverted_tets
        + summary.obstacle_vertices;
    if defects == 0 { text } else { format!("{ERROR}{text}{ERROR:#}") }
}
