//! Running a scene into a folder of results.
//!
//! ```text
//!  step ─▶ every n-th: row, frame ─▶ now and then: checkpoint ─▶ … ─▶ index, report, summary
//! ```
//!
//! Whatever ends a run, its folder can be read, and taken up again by [`IfExists::Resume`] with
//! the same bits as if nothing had happened. The order of writing sees to that:
//!
//! 1. `run.json` says whose folder it is, before anything else is there.
//! 2. Rows and frames are added whole; one that cannot be is cut off again.
//! 3. A checkpoint takes the place of the one before in one move, after the rows and frames that
//!    it counts are on the disk. What came after it is cut off when the run is taken up.
//! 4. `summary.json` comes last.

pub mod cpu_profiler;

pub mod series;

pub mod momentum;

pub mod checkpoint;

pub mod folder;

mod runner;

pub mod inspect;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use pliant::integrate::StepError;

use crate::recording::RecordingError;
use crate::summary::Summary;
use folder::{FolderError, StartMode};
use pliant_io::atomic_file::io_message;
use pliant_scene::loaded::LoadedScene;
use pliant_scene::numeral::shortened;
use runner::Runner;

/// What to do with a folder that is there already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IfExists {
    /// Leave it alone: an error.
    #[default]
    Refuse,
    /// Go on with the run in it, or begin where there is none.
    Resume,
    /// Remove the run in it and begin anew; files that are not ours stay.
    Replace,
}

/// Makes the text of `report.html`: from the folder of the run, its scene as resolved, what it
/// came to, and all rows.
pub type Report = fn(&Path, &LoadedScene, &Summary, &[[f64; series::WIDTH]]) -> String;

/// How to run.
#[derive(Clone, Copy, Debug)]
pub struct RunSettings {
    /// Threads, count; results do not depend on it.
    pub threads: usize,
    /// What to do with a folder that is there already.
    pub existing: IfExists,
    /// Makes the report, if there is to be one.
    pub report: Option<Report>,
}

impl Default for RunSettings {
    /// One thread, a folder of its own, no report.
    fn default() -> RunSettings {
        RunSettings { threads: 1, existing: IfExists::Refuse, report: None }
    }
}

/// Somebody who is told how far a run is, and may end it.
pub trait Progress {
    /// The next of several runs is about to begin, known by this name.
    fn next_run(&mut self, _name: &str) {}

    /// The run begins, `done` of its steps made before.
    fn begin(&mut self, _done: u64, _steps: u64) {}

    /// One more step is made; a break ends the run so that it can be taken up again.
    fn step(&mut self, _done: u64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Nobody is told.
impl Progress for () {}

/// Why a run did not come to its end.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The folder cannot take it; nothing was changed.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A step could not be made; what was recorded before it is kept.
    #[error(
        "step {step}{}: {}",
        body.as_ref().map_or(String::new(), |b| format!(", {b}")),
        shortened(&error.to_string())
    )]
    Step {
        /// The step, from 1.
        step: u64,
        /// The body, by number and name, where the error has one.
        body: Option<String>,
        /// What went wrong.
        error: StepError,
    },
    /// A file could not be written; what was written before is kept.
    #[error("{}: {}", path.display(), io_message(error))]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// A recording that cannot be gone on with.
    #[error("{0}; --force begins anew")]
    Recording(#[from] RecordingError),
}

impl RunError {
    /// Whether it is what was asked for that was wrong, not the run.
    pub fn is_input(&self) -> bool {
        matches!(self, RunError::Folder(_) | RunError::Recording(_))
    }
}

/// Runs a scene into a folder.
///
/// A run that progress broke off is no error: its summary says `interrupted`. A run that was
/// finished before gives its summary.
pub fn run(
    built: LoadedScene,
    folder: &Path,
    settings: RunSettings,
    progress: &mut dyn Progress,
) -> Result<Summary, RunError> {
    let mut acquire = folder::acquire(folder, &built, settings.existing)?;
    let runner = match std::mem::replace(&mut acquire.begin, StartMode::Fresh) {
        StartMode::Finished(summary) => return Ok(*summary),
        StartMode::Fresh => Runner::fresh(built, folder, settings)?,
        StartMode::After(checkpoint, other) => {
            let mut runner = Runner::after(built, folder, settings, *checkpoint)?;
            runner.note_version(other);
            runner
        }
    };
    // The claim is held up to here, so that nobody else writes meanwhile.
    let done = runner.finish(progress);
    drop(acquire);
    done
}
