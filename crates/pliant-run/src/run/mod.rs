//! Running a scene into a folder of results.
//!
//! ```text
//!  step ─▶ every n-th: rows, frame ─▶ now and then: checkpoint ─▶ … ─▶ index, report, summary
//! ```
//!
//! However a run ends, its folder can be read, and the run resumed by [`IfExists::Resume`] with
//! results bitwise identical to those of an uninterrupted run. The order of writing ensures that:
//!
//! 0. The lock is taken before anything is written: one process at a time.
//! 1. `run.json` marks the folder before any other file is written.
//! 2. Rows and frames are appended whole; a partial one is truncated again.
//! 3. A checkpoint takes the place of the one before in one move, after the rows and frames that
//!    it counts are on the disk. What came after it is truncated when the run is resumed; what
//!    came before must have the digest that the checkpoint names.
//! 4. `summary.json` comes last.

pub mod cpu_profiler;

pub(crate) mod cell;

pub mod series;

pub mod contact_shape;

pub mod bodies;

pub mod contacts;

mod tables;

mod fields;

pub mod momentum;

pub mod verdicts;

pub mod checkpoint;

pub mod lock;

pub mod identity;

pub mod marker;

pub mod folder;

mod runner;

pub mod resume;

pub mod inspect;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use pliant::world::WorldError;

use crate::recording::RecordingError;
use crate::summary::Summary;
use folder::{FolderError, StartMode};
use marker::Origin;
use pliant_io::atomic_file::io_message;
use pliant_scene::loaded::LoadedScene;
use pliant_scene::numeral::shortened;
use runner::Runner;

/// What to do with an existing folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IfExists {
    /// Leave it alone: an error.
    #[default]
    Refuse,
    /// Resume the run in it, or start where there is none.
    Resume,
    /// Remove the run in it and start over; files that are not ours are kept.
    Replace,
}

/// Makes the text of `report.html`: from the folder of the run, its scene as resolved, its
/// summary, and all rows.
pub type Report = fn(&Path, &LoadedScene, &Summary, &[[f64; series::WIDTH]]) -> String;

/// How to run.
#[derive(Clone, Debug)]
pub struct RunSettings {
    /// Threads; results do not depend on it.
    pub threads: usize,
    /// What to do with an existing folder.
    pub existing: IfExists,
    /// Makes the report, if there is to be one.
    pub report: Option<Report>,
    /// What the scene was made from, for `run.json`.
    pub origin: Origin,
}

impl Default for RunSettings {
    /// One thread, a folder of its own, no report.
    fn default() -> RunSettings {
        let origin = Origin::default();
        RunSettings { threads: 1, existing: IfExists::Refuse, report: None, origin }
    }
}

/// Receives the progress of a run, and may end it.
pub trait Progress {
    /// The next of several runs is about to begin, known by this name.
    fn next_run(&mut self, _name: &str) {}

    /// The run begins, `done` of its steps made before.
    fn begin(&mut self, _done: u64, _steps: u64) {}

    /// One more step is made; a break ends the run so that it can be resumed.
    fn step(&mut self, _done: u64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Ignores progress.
impl Progress for () {}

/// Why a run did not finish.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The folder cannot be used; nothing was changed.
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
        /// The error of the step.
        error: Box<WorldError>,
    },
    /// A step led to a state that cannot be meant; what was recorded, this state included, is kept.
    #[error("step {step}: {reason}")]
    Absurd {
        /// The step, from 1.
        step: u64,
        /// What is absurd, and what to try.
        reason: String,
    },
    /// A file could not be written; what was written before is kept.
    #[error("{}: {}", path.display(), io_message(error))]
    Write {
        /// The file.
        path: PathBuf,
        /// The I/O error.
        error: std::io::Error,
    },
    /// A recording that cannot be resumed.
    #[error("{0}; `pliant run` with --force starts over")]
    Recording(#[from] RecordingError),
}

impl RunError {
    /// Whether the input was wrong, not the run.
    pub fn is_input(&self) -> bool {
        matches!(self, RunError::Folder(_) | RunError::Recording(_))
    }
}

/// Runs a scene into a folder.
///
/// A run that progress interrupted is no error: its summary says `interrupted`. A run that was
/// finished before returns its summary.
pub fn run(
    built: LoadedScene,
    folder: &Path,
    settings: RunSettings,
    progress: &mut dyn Progress,
) -> Result<Summary, RunError> {
    let mut run_dir = folder::acquire(folder, &built, &settings)?;
    let mut runner = match std::mem::replace(&mut run_dir.begin, StartMode::Fresh) {
        StartMode::Finished(summary) => return Ok(*summary),
        StartMode::Fresh => Runner::fresh(built, folder, settings)?,
        StartMode::After(checkpoint) => Runner::after(built, folder, settings, *checkpoint)?,
    };
    runner.hold(run_dir);
    runner.finish(progress)
}
