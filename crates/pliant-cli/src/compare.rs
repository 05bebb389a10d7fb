//! `pliant compare`: one scene run with several settings, one report.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use pliant_run::compare::{CompareError, CompareSettings, Variants, compare};
use pliant_run::run::folder::{FINISHED, INTERRUPTED as BROKEN_OFF, REPORT};
use pliant_run::run::{IfExists, RunSettings};
use pliant_run::summary::Summary;

use crate::progress::{Bar, INTERRUPTED};
use crate::show::{self, DIM, EarlyExit, HEADING, counted, plain};
use pliant_pages::{player, report};

/// What `pliant compare --help` ends with.
pub const AFTER_HELP: &str = "\
Examples:
  pliant compare integrators --integrator explicit-euler,symplectic-euler,verlet,rk4,implicit-euler
  pliant compare block --integrator implicit-euler,bdf2 --set duration=1
  pliant compare two-cubes --vary overlap=0.1,0.4,0.8

Every run gets a folder of its own with its report; report.html beside them compares them all.
Ctrl-C ends the current run and keeps its results so far; the runs after it are not started, and
--resume makes the rest.

Exit codes: 0 all finished, 1 a run failed or, with --strict, has a warning, 2 bad arguments or
input, 130 interrupted.";

/// Arguments of `pliant compare`.
#[derive(Args)]
pub struct CompareArguments {
    /// A scene file, or the name of a built-in scene
    #[arg(value_name = "SCENE")]
    scene: PathBuf,
    /// Contact responses to compare
    #[arg(long, value_name = "A,B", value_delimiter = ',', group = "variants")]
    response: Vec<String>,
    /// Integrators to compare
    #[arg(long, value_name = "A,B", value_delimiter = ',', group = "variants")]
    integrator: Vec<String>,
    /// A parameter or path of the scene, and its values to compare
    #[arg(long, value_name = "NAME=A,B", group = "variants", required_unless_present_any = ["response", "integrator"])]
    vary: Option<String>,
    /// Set a parameter that the scene declares, or any path of it, in all runs
    #[arg(long = "set", value_name = "NAME=VALUE")]
    sets: Vec<String>,
    /// Folder for the results; runs/compare-SCENE when not given
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Leave finished runs in the folder alone, and continue the others
    #[arg(long, conflicts_with = "force")]
    resume: bool,
    /// Replace earlier runs in the folder; files that are not of a run stay
    #[arg(long)]
    force: bool,
    /// Threads; results do not depend on their number
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,
    /// Print the summaries as one JSON object, by value
    #[arg(long)]
    json: bool,
    /// Exit with 1 if there is any warning
    #[arg(long)]
    strict: bool,
}

impl CompareArguments {
    /// What is different from run to run.
    fn variants(&self) -> Result<Variants, String> {
        let of = |key: &str, values: &[String]| Variants {
            key: key.to_owned(),
            values: values.to_vec(),
        };
        let Some(vary) = &self.vary else {
            return Ok(match self.integrator.is_empty() {
                true => of("response", &self.response),
                false => of("integrator", &self.integrator),
            });
        };
        let (key, values) = vary.split_once('=').ok_or_else(|| {
            format!("--vary {vary}: name a key and its values, as in overlap=0.1,0.4")
        })?;
        Ok(of(key, &values.split(',').map(str::to_owned).collect::<Vec<_>>()))
    }
}

/// Runs a scene with several settings and prints the result of each.
pub fn run(arguments: &CompareArguments) -> Result<ExitCode, EarlyExit> {
    let variants = match arguments.variants() {
        Ok(variants) => variants,
        Err(why) => return Ok(show::usage_error(&why)),
    };
    let stem = arguments.scene.file_stem();
    let stem = stem.map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let default = || PathBuf::from("runs").join(format!("compare-{stem}"));
    let folder = arguments.out.clone().unwrap_or_else(default);
    let existing = match (arguments.force, arguments.resume) {
        (true, _) => IfExists::Replace,
        (_, true) => IfExists::Resume,
        _ => IfExists::Refuse,
    };
    let threads = arguments.threads.into();
    let run = RunSettings { existing, threads, report: Some(report), ..RunSettings::default() };
    let settings = CompareSettings { run, player: player() };
    let mut bar = match Bar::new(&arguments.scene.to_string_lossy()) {
        Ok(bar) => bar,
        Err(why) => return Ok(show::usage_error(&why)),
    };
    let done = compare(&arguments.scene, &arguments.sets, &variants, &folder, &settings, &mut bar);
    bar.clear();
    let done = match done {
        Ok(done) => done,
        Err(error) => {
            show::error_lines(&error.to_string());
            let failed = matches!(&error, CompareError::Run { error, .. } if !error.is_input());
            let code = if failed { crate::FAILED } else { crate::BAD_INPUT };
            return Ok(ExitCode::from(code));
        }
    };
    let count = |ended: &str| done.iter().filter(|(_, summary)| summary.ended == ended).count();
    let (finished, interrupted) = (count(FINISHED), count(BROKEN_OFF));
    if interrupted > 0 {
        let all = counted(variants.values.len(), "run", "runs");
        show::error(&format!("interrupted in run {} of {all}", done.len()));
    }
    let report = plain(&folder.join(REPORT).display().to_string());
    match arguments.json {
        true => show::print_json(&done.iter().cloned().collect::<BTreeMap<_, _>>())?,
        false => {
            let text = table(&variants.key, &done) + &format!("{DIM}report{DIM:#} {report}\n");
            show::remark(&text)?;
        }
    }
    let mut is_good = finished == variants.values.len();
    for (value, summary) in &done {
        if let Some(error) = &summary.error {
            show::error(&format!("{value}: {error}"));
        }
        for warning in &summary.warnings {
            show::warning(&format!("{value}: {}", warning.message));
        }
        is_good &= !arguments.strict || summary.warnings.is_empty();
    }
    Ok(match (interrupted, is_good) {
        (0, true) => ExitCode::SUCCESS,
        (0, false) => ExitCode::from(crate::FAILED),
        _ => ExitCode::from(INTERRUPTED),
    })
}

/// A line per run.
fn table(key: &str, done: &[(String, Summary)]) -> String {
    let mut text = format!(
        "{HEADING}{:<20}{:>12}{:>14}{:>14}{:>9}{:>11}{:>9}{HEADING:#}\n",
        key, "ended", "rms, m/s", "kinetic, J", "inside", "crossings", "CPU, s"
    );
    for (name, summary) in done {
        text += &format!(
            "{:<20}{:>12}{:>14.3e}{:>14.3e}{:>9}{:>11}{:>9.2}\n",
            plain(name),
            summary.ended,
            summary.rms_speed,
            summary.kinetic,
            summary.penetrating_vertices,
            summary.edge_crossings,
            summary.cpu_s
        );
    }
    text
}
