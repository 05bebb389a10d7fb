//! Runs on the disk, found and packed for one page.

use std::path::PathBuf;

use super::{PackedRun, RunData, pack};
use crate::recording::{Recording, RecordingError};
use crate::run::folder::{CONTACTS, RECORDING, SERIES, read_summary};
use crate::run::{contacts, series};
use pliant_io::atomic_file::io_message;

/// Runs of one page, at most: more are too small side by side.
const MOST_RUNS: usize = 12;

/// Why runs cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum ViewError {
    /// A folder without a run.
    #[error(
        "{}: not a pliant run directory: neither it nor its folders have a {RECORDING}",
        path.display()
    )]
    NotARun {
        /// The folder.
        path: PathBuf,
    },
    /// More runs than fit.
    #[error("{count} runs are more than one page shows ({MOST_RUNS}); name fewer")]
    TooMany {
        /// Runs found.
        count: usize,
    },
    /// A folder that cannot be listed.
    #[error("{}: {}", path.display(), io_message(error))]
    File {
        /// The folder.
        path: PathBuf,
        /// The I/O error.
        error: std::io::Error,
    },
    /// A recording that cannot be read.
    #[error(transparent)]
    Recording(#[from] RecordingError),
}

/// A run folder or a recording, and what sets it apart from others on the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedRun {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
}

impl NamedRun {
    /// Named after its folder, or after its file without the ending.
    fn new(path: PathBuf) -> NamedRun {
        let whole = path.canonicalize().unwrap_or_else(|_| path.clone());
        let stem = if path.is_dir() { whole.file_name() } else { whole.file_stem() };
        let name = stem.map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        NamedRun { name, path }
    }
}

/// Run folders and recordings as given; of a folder without a recording its folders that have one.
pub fn found_runs(paths: &[PathBuf]) -> Result<Vec<NamedRun>, ViewError> {
    let mut found = Vec::new();
    for path in paths {
        if !path.is_dir() || path.join(RECORDING).exists() {
            found.push(NamedRun::new(path.clone()));
            continue;
        }
        let failed = |error| ViewError::File { path: path.clone(), error };
        let mut inside = Vec::new();
        for entry in path.read_dir().map_err(failed)? {
            inside.push(entry.map_err(failed)?.path());
        }
        inside.retain(|folder| folder.join(RECORDING).exists());
        inside.sort();
        if inside.is_empty() {
            return Err(ViewError::NotARun { path: path.clone() });
        }
        found.extend(inside.into_iter().map(NamedRun::new));
    }
    match found.len() {
        count if count > MOST_RUNS => Err(ViewError::TooMany { count }),
        _ => Ok(found),
    }
}

/// Runs packed with their series and summaries, as far as they are there.
///
/// `most_bytes` are for all of them together.
pub fn packed_runs(runs: &[NamedRun], most_bytes: usize) -> Result<Vec<PackedRun>, ViewError> {
    let most = most_bytes / runs.len().max(1);
    runs.iter().map(|run| packed_run(run, most)).collect()
}

fn packed_run(run: &NamedRun, most_bytes: usize) -> Result<PackedRun, ViewError> {
    let NamedRun { name, path } = run;
    let is_folder = path.is_dir();
    let file = if is_folder { path.join(RECORDING) } else { path.to_path_buf() };
    let recording = &mut Recording::open(&file)?;
    let rows = match is_folder {
        true => series::read(&path.join(SERIES)).unwrap_or_default(),
        false => Vec::new(),
    };
    let summary = if is_folder { read_summary(path).ok().flatten() } else { None };
    let contacts = contacts::read(&path.join(CONTACTS)).unwrap_or_default();
    let (summary, rows, contacts) = (summary.as_ref(), rows.as_slice(), contacts.as_slice());
    Ok(pack(RunData { name, recording, summary, rows, contacts, most_bytes })?)
}
