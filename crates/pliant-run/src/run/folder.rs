//! The folder of a run: ownership, locking and starting modes.
//!
//! `run.json` makes a folder ours and says which scene it belongs to. It is written first, so
//! that a run which is killed at any moment leaves a folder that can be resumed.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::IfExists;
use super::checkpoint::{Checkpoint, CheckpointError};
use pliant_scene::digest::digest;

use crate::summary::Summary;
use pliant_io::atomic_file::{self, io_message};
use pliant_scene::loaded::{LoadedScene, RunInfo};

/// The file that makes a folder one of ours.
pub const MARKER: &str = "run.json";

/// The scene as resolved.
pub const SCENE: &str = "scene.toml";

/// One row per recorded step.
pub const SERIES: &str = "series.csv";

/// One frame per recorded step.
pub const RECORDING: &str = "recording.pliant";

/// From where the run can be resumed.
pub const CHECKPOINT: &str = "checkpoint.bin";

/// Summary of the run.
pub const SUMMARY: &str = "summary.json";

/// The same for people.
pub const REPORT: &str = "report.html";

/// All our files but the marker; those that a run is resumed from are removed first.
const FILES: [&str; 6] = [SUMMARY, CHECKPOINT, SCENE, SERIES, RECORDING, REPORT];

/// Version of the layout of folders.
const FORMAT: u32 = 1;

/// `ended` of a summary whose run finished.
pub const FINISHED: &str = "finished";

/// `ended` of a summary whose run was interrupted and can be resumed.
pub const INTERRUPTED: &str = "interrupted";

/// Why a folder cannot be used for a run.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// It exists, and neither --resume nor --force was given.
    #[error(
        "{}: exists already; --resume continues the run in it, --force replaces it, --out \
         names another folder", path.display()
    )]
    Exists {
        /// The folder.
        path: PathBuf,
    },
    /// A file where a folder should be.
    #[error("{}: is a file, not a folder; --out names another one", path.display())]
    NotAFolder {
        /// The file.
        path: PathBuf,
    },
    /// Files that do not belong to a run.
    #[error(
        "{}: not a pliant run directory (it has no {MARKER}); nothing was changed; --out names \
         another folder", path.display()
    )]
    Foreign {
        /// The folder.
        path: PathBuf,
    },
    /// A run of another scene.
    #[error(
        "{}: holds a run of another scene (`{scene}`, or other settings); --force replaces it, \
         --out names another folder", path.display()
    )]
    OtherScene {
        /// The folder.
        path: PathBuf,
        /// Name of the scene in it.
        scene: String,
    },
    /// Another process writes to it.
    #[error("{}: locked by another pliant process", path.display())]
    Busy {
        /// The folder.
        path: PathBuf,
    },
    /// An I/O error.
    #[error("{}: {}", path.display(), io_message(error))]
    Unwritable {
        /// The folder or file.
        path: PathBuf,
        /// The I/O error.
        error: io::Error,
    },
    /// Its contents cannot be resumed from.
    #[error("{}: {what}; --force starts over", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The defect.
        what: String,
    },
}

/// What `run.json` says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Marker {
    /// Version of the layout of the folder.
    pub format: u32,
    /// Version of the program that started the run.
    pub pliant: String,
    /// Name of the scene.
    pub scene: String,
    /// Digest of the scene as resolved.
    pub identity: String,
}

impl Marker {
    /// Of a scene that this program starts to run.
    pub fn of(built: &LoadedScene) -> Marker {
        let identity = blake3::Hash::from_bytes(identity(built)).to_hex().to_string();
        let (pliant, scene) = (env!("CARGO_PKG_VERSION").to_string(), built.info.scene.clone());
        Marker { format: FORMAT, pliant, scene, identity }
    }

    /// Reads the marker of a folder; `None` when there is none.
    pub fn read(folder: &Path) -> Result<Option<Marker>, FolderError> {
        let path = folder.join(MARKER);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(FolderError::Unwritable { path, error }),
        };
        match serde_json::from_slice::<Marker>(&bytes) {
            Ok(marker) if marker.format <= FORMAT => Ok(Some(marker)),
            Ok(marker) => {
                let what = format!("a run in format {}, from a newer pliant", marker.format);
                Err(FolderError::Damaged { path, what })
            }
            Err(_) => Err(FolderError::Foreign { path: folder.to_path_buf() }),
        }
    }
}

/// What makes two runs the same: the scene as resolved, and its description.
pub fn identity(built: &LoadedScene) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(built.resolved.as_bytes());
    let RunInfo { dt, steps, record_every, .. } = built.info;
    for number in [dt.to_bits(), steps, record_every, built.simulation.state.positions.len() as u64]
    {
        hasher.update(&number.to_le_bytes());
    }
    // A mesh file may have changed under the same name.
    let simulation = &built.simulation;
    hasher.update(digest(&simulation.state).as_bytes());
    for mass in simulation.system.masses.of() {
        hasher.update(&mass.to_le_bytes());
    }
    for vertex in simulation.system.bodies.tets().iter().flatten() {
        hasher.update(&vertex.0.to_le_bytes());
    }
    *hasher.finalize().as_bytes()
}

/// A folder that is ours while this lives.
#[derive(Debug)]
pub struct RunDir {
    /// The folder.
    pub path: PathBuf,
    /// How the run starts.
    pub begin: StartMode,
    /// Held while the run is on.
    _lock: Option<Lock>,
}

/// A locked marker; the system frees it however the program ends.
///
/// Freed by name when dropped: to close the file is not enough while a child process that is
/// just being started still holds a copy of it.
#[derive(Debug)]
struct Lock(File);

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

/// How a run begins.
#[derive(Debug)]
pub enum StartMode {
    /// With the first step.
    Fresh,
    /// After the steps of a checkpoint; with the version that started the run, if it differs.
    After(Box<Checkpoint>, Option<String>),
    /// Not at all: it is finished.
    Finished(Box<Summary>),
}

/// Acquires a folder for a run; on an error it is unchanged.
pub fn acquire(
    folder: &Path,
    built: &LoadedScene,
    existing: IfExists,
) -> Result<RunDir, FolderError> {
    let path = folder.to_path_buf();
    match fs::metadata(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return create(path, built),
        Err(error) => return Err(FolderError::Unwritable { path, error }),
        Ok(data) if !data.is_dir() => return Err(FolderError::NotAFolder { path }),
        Ok(_) if existing == IfExists::Refuse => return Err(refusal(path)),
        Ok(_) => {}
    }
    let Some(marker) = Marker::read(folder)? else {
        // Killed before its marker was there, a run leaves no more than a part of it.
        if others(folder)? > 0 {
            return Err(FolderError::Foreign { path });
        }
        return fresh(path, built);
    };
    let lock = lock(&path)?;
    if existing == IfExists::Replace {
        drop(lock);
        return fresh(path, built);
    }
    if marker.identity != Marker::of(built).identity {
        return Err(FolderError::OtherScene { path, scene: marker.scene });
    }
    if let Some(summary) = read_summary(folder).filter(|summary| summary.ended == FINISHED) {
        return Ok(RunDir { path, begin: StartMode::Finished(Box::new(summary)), _lock: lock });
    }
    let Some(checkpoint) = read_checkpoint(folder, built)? else {
        drop(lock);
        return fresh(path, built);
    };
    let other = Some(marker.pliant).filter(|version| version != env!("CARGO_PKG_VERSION"));
    Ok(RunDir { path, begin: StartMode::After(Box::new(checkpoint), other), _lock: lock })
}

/// Why an existing folder is refused; one without a run cannot be resumed.
fn refusal(path: PathBuf) -> FolderError {
    match Marker::read(&path).and_then(|marker| Ok(marker.is_some() || others(&path)? == 0)) {
        Ok(false) => FolderError::Foreign { path },
        Ok(true) => FolderError::Exists { path },
        Err(error) => error,
    }
}

/// Removes summary and report of a run that is resumed.
pub(super) fn forget_end(folder: &Path) -> Result<(), FolderError> {
    clear(folder, &[SUMMARY, REPORT])
}

/// The summary of a folder, when there is one that can be read.
pub fn read_summary(folder: &Path) -> Option<Summary> {
    let bytes = fs::read(folder.join(SUMMARY)).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// The checkpoint of a run of this scene; one of another was left by a run that was replaced.
fn read_checkpoint(folder: &Path, built: &LoadedScene) -> Result<Option<Checkpoint>, FolderError> {
    let path = folder.join(CHECKPOINT);
    match Checkpoint::read(&path) {
        Ok(checkpoint) => Ok(Some(checkpoint).filter(|c| c.identity == identity(built))),
        Err(CheckpointError::File(error)) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(CheckpointError::File(error)) => Err(FolderError::Unwritable { path, error }),
        Err(error) => Err(FolderError::Damaged { path, what: error.to_string() }),
    }
}

fn create(path: PathBuf, built: &LoadedScene) -> Result<RunDir, FolderError> {
    if let Err(error) = fs::create_dir_all(&path) {
        return Err(FolderError::Unwritable { path, error });
    }
    fresh(path.clone(), built).inspect_err(|_| {
        // Only what was made here, and only while it is empty.
        let _ = fs::remove_dir(&path);
    })
}

/// Marks a folder and empties it of everything of ours.
fn fresh(path: PathBuf, built: &LoadedScene) -> Result<RunDir, FolderError> {
    let marker = path.join(MARKER);
    let unwritable = |error| FolderError::Unwritable { path: marker.clone(), error };
    let text = serde_json::to_string_pretty(&Marker::of(built));
    let text = text.map_err(|error| unwritable(error.into()))? + "\n";
    atomic_file::write(&marker, text.as_bytes()).map_err(unwritable)?;
    let lock = lock(&path)?;
    clear(&path, &FILES)?;
    Ok(RunDir { path, begin: StartMode::Fresh, _lock: lock })
}

/// Removes files of ours by name, and what a killed run left half-written beside them.
fn clear(folder: &Path, names: &[&str]) -> Result<(), FolderError> {
    let unwritable = |path: &Path, error| FolderError::Unwritable { path: path.into(), error };
    let remove = |path: &Path| match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(unwritable(path, error)),
        _ => Ok(()),
    };
    for name in names {
        remove(&folder.join(name))?;
    }
    for entry in fs::read_dir(folder).map_err(|error| unwritable(folder, error))?.flatten() {
        if is_part(&entry.file_name().to_string_lossy()) {
            remove(&entry.path())?;
        }
    }
    Ok(())
}

/// Whether a name is that of a file of ours while it is written.
fn is_part(name: &str) -> bool {
    let of = |whole: &str| name.strip_prefix('.').is_some_and(|rest| rest.starts_with(whole));
    name.ends_with(".part") && (of(MARKER) || FILES.into_iter().any(of))
}

/// Files in a folder that are not parts of ours.
fn others(folder: &Path) -> Result<usize, FolderError> {
    let path = folder.to_path_buf();
    let entries = fs::read_dir(folder).map_err(|error| FolderError::Unwritable { path, error })?;
    let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    Ok(names.filter(|name| !is_part(name)).count())
}

/// Locks the marker; where the system knows no locks, nothing is locked.
fn lock(folder: &Path) -> Result<Option<Lock>, FolderError> {
    let Ok(file) = File::open(folder.join(MARKER)) else { return Ok(None) };
    match file.try_lock() {
        Ok(()) => Ok(Some(Lock(file))),
        Err(TryLockError::WouldBlock) => Err(FolderError::Busy { path: folder.to_path_buf() }),
        Err(TryLockError::Error(_)) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_of_the_file_keeps_no_lock() {
        let folder = std::env::temp_dir().join(format!("pliant-run-lock-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(MARKER), "{}").unwrap();
        let held = lock(&folder).unwrap().unwrap();
        // As a child process has one from its start until it becomes another program.
        let copy = held.0.try_clone().unwrap();
        assert!(matches!(lock(&folder), Err(FolderError::Busy { .. })));
        drop(held);
        assert!(lock(&folder).unwrap().is_some());
        drop(copy);
        fs::remove_dir_all(&folder).unwrap();
    }
}
