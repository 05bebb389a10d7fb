//! `pliant resume`: continues a run without its arguments.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use pliant_run::run::resume::{ResumeError, load_run};
use pliant_run::run::{IfExists, RunSettings};

use crate::info::Form;
use crate::run::{Output, execute};
use crate::show::{self, EarlyExit};
use pliant_pages::report;

/// What `pliant resume --help` ends with.
pub const AFTER_HELP: &str = "\
Examples:
  pliant resume runs/block                  after Ctrl-C, a crash or a full disk
  pliant resume runs/block --duration 20    continue a run up to 20 s, finished or not

The scene is the folder's own scene.toml: the file that it came from may have changed or be gone.
Meshes are read from where they were; one that changed is an error. Results are bitwise identical
to those of an uninterrupted run.

Exit codes: 0 finished, 1 the run failed (partial results are kept), 2 bad arguments or input,
130 interrupted (`pliant resume` continues).";

/// Arguments of `pliant resume`.
#[derive(Args)]
pub struct ResumeArguments {
    /// Folder of the run
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Simulated time at which the run ends, s; as the run was started when not given
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    duration: Option<f64>,
    /// Threads; results do not depend on their number; as the run was started when not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Print the summary as one JSON object
    #[arg(long)]
    json: bool,
    /// Exit with 1 if there is any warning
    #[arg(long)]
    strict: bool,
}

/// Continues a run and prints its summary.
pub fn run(arguments: &ResumeArguments) -> Result<ExitCode, EarlyExit> {
    let (built, marker) = match load_run(&arguments.run, arguments.duration) {
        Ok(found) => found,
        Err(ResumeError::Scene(error)) => {
            show::error_lines(&error.to_string());
            return Ok(ExitCode::from(crate::BAD_INPUT));
        }
        Err(error) => return Ok(show::usage_error(&error.to_string())),
    };
    // Whatever the folder says, no more than can be asked for.
    let before = u16::try_from(marker.threads).unwrap_or(1);
    let threads = arguments.threads.unwrap_or(before).into();
    let (existing, origin) = (IfExists::Resume, marker.origin);
    let settings = RunSettings { threads, existing, report: Some(report), origin };
    let form = if arguments.json { Form::Json } else { Form::Table };
    let is_strict = arguments.strict;
    execute(built, &arguments.run, settings, Output { form, is_strict })
}
