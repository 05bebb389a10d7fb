//! `pliant sweep`: one scene over a grid of settings, one table.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use pliant_run::compare::Variants;
use pliant_run::sweep::{IfSwept, Plan, SweepError, SweepSettings, Swept, sweep};

use crate::progress::{FrameBar, INTERRUPTED};
use crate::show::{self, DIM, EarlyExit, GOOD, counted, plain};

/// What `pliant sweep --help` ends with.
pub const AFTER_HELP: &str = "\
Examples:
  pliant sweep incline --vary angle_ratio=0.8,0.9,1,1.1 --out slope
  pliant sweep sphere-pile --vary young=1e4,1e5 --seeds 10 --jobs 4 --out piles
  pliant sweep block --vary dt=0.005,0.01 --vary bodies.0.material.damping=0,0.01 --out damped

Every combination is a run in a folder of its own; the last key varies fastest, seeds faster still.
sweep.csv has a row per run: its values, how it ended (finished, failed, refused, crashed, interrupted,
pending) and the numbers of its summary. Ctrl-C ends the runs so that --resume continues them; runs that
failed are made again.

Exit codes: 0 all finished, 1 some did not, 2 bad arguments or input, 130 interrupted.

With --json, one object on stdout: {\"table\",\"runs\",\"finished\",\"failed\",\"left\"}";

/// Arguments of `pliant sweep`.
#[derive(Args)]
pub struct SweepArguments {
    /// A scene file, or the name of a built-in scene
    #[arg(value_name = "SCENE")]
    scene: PathBuf,
    /// A parameter or path of the scene, and its values; may be given several times
    #[arg(long, value_name = "NAME=A,B", required_unless_present = "seeds")]
    vary: Vec<String>,
    /// Run each combination with `seed` from 0 to N − 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    seeds: Option<u32>,
    /// Processes at a time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    jobs: u16,
    /// Set a parameter that the scene declares, or any path of it, in all runs
    #[arg(long = "set", value_name = "NAME=VALUE")]
    sets: Vec<String>,
    /// Folder for the runs and sweep.csv
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
    /// Threads of each run; results do not depend on their number
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,
    /// Make the runs of the sweep in the folder that are not finished
    #[arg(long)]
    resume: bool,
    /// Print one JSON object instead of a line
    #[arg(long)]
    json: bool,
}

/// Makes all runs and prints how many finished.
pub fn run(arguments: &SweepArguments) -> Result<ExitCode, EarlyExit> {
    let mut variants = Vec::new();
    for vary in &arguments.vary {
        let Some((key, values)) = vary.split_once('=') else {
            let why = format!("--vary {vary}: name a key and its values, as in dt=0.01,0.02");
            return Ok(show::usage_error(&why));
        };
        let values = values.split(',').map(str::to_owned).collect();
        variants.push(Variants { key: key.to_owned(), values });
    }
    let plan = match Plan::new(&arguments.scene, &arguments.sets, &variants, arguments.seeds) {
        Ok(plan) => plan,
        Err(error) => return Ok(show::usage_error(&error.to_string())),
    };
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(error) => return Ok(show::usage_error(&format!("cannot find this program: {error}"))),
    };
    let bar = match FrameBar::for_runs(&arguments.out.display().to_string()) {
        Ok(bar) => bar,
        Err(why) => return Ok(show::usage_error(&why)),
    };
    let settings = SweepSettings {
        jobs: arguments.jobs.into(),
        threads: arguments.threads.into(),
        existing: if arguments.resume { IfSwept::Resume } else { IfSwept::Refuse },
    };
    let runs = plan.runs();
    let on_run = |done: usize| bar.frame(done, runs).is_break();
    let done = sweep(&plan, &arguments.out, &[program.into()], settings, &on_run);
    let is_stopped = bar.frame(0, runs).is_break();
    bar.clear();
    let swept = match done {
        Ok(swept) => swept,
        Err(error) => {
            show::error_lines(&error.to_string());
            let is_file = matches!(error, SweepError::File { .. });
            return Ok(ExitCode::from(if is_file { crate::FAILED } else { crate::BAD_INPUT }));
        }
    };
    match arguments.json {
        true => show::print_json(&swept)?,
        false => show::remark(&text(&swept))?,
    }
    Ok(match swept.finished == swept.runs {
        true => ExitCode::SUCCESS,
        false if is_stopped => ExitCode::from(INTERRUPTED),
        false => ExitCode::from(crate::FAILED),
    })
}

fn text(swept: &Swept) -> String {
    let runs = counted(swept.runs, "run", "runs");
    let table = plain(&swept.table);
    let mut text = format!("{GOOD}{table}{GOOD:#}: {} of {runs} finished\n", swept.finished);
    for (count, what) in
        [(swept.failed, "failed"), (swept.left, "not finished; --resume continues")]
    {
        if count > 0 {
            text += &format!("{DIM}note  {count} {what}{DIM:#}\n");
        }
    }
    text
}
