//! The folder of a run: ownership, locking and starting modes.
//!
//! The lock comes first. `run.json` makes a folder ours and says which scene it belongs to; it is
//! written before all results, so that a run which is killed at any moment leaves a folder that
//! can be resumed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::checkpoint::{Checkpoint, CheckpointError};
use super::identity::identity;
use super::lock::{LOCK, Lock, lock};
use super::marker::{MARKER, Marker};
use super::{IfExists, RunSettings};
use crate::report::text::with_digits;
use crate::summary::Summary;
use pliant_io::atomic_file::{self, io_message};
use pliant_io::printable;
use pliant_io::regular_file;
use pliant_scene::loaded::LoadedScene;

/// The scene as resolved.
pub const SCENE: &str = "scene.toml";

/// One row per recorded step.
pub const SERIES: &str = "series.csv";

/// One row per body and recorded step.
pub const BODIES: &str = "bodies.csv";

/// One row per contact and recorded step, on request.
pub const CONTACTS: &str = "contacts.csv";

/// One frame per recorded step.
pub const RECORDING: &str = "recording.pliant";

/// From where the run can be resumed.
pub const CHECKPOINT: &str = "checkpoint.bin";

/// Summary of the run.
pub const SUMMARY: &str = "summary.json";

/// The same for people.
pub const REPORT: &str = "report.html";

/// All our files but the lock and the marker; those that a run is resumed from are removed first.
const FILES: [&str; 8] = [SUMMARY, CHECKPOINT, SCENE, SERIES, BODIES, CONTACTS, RECORDING, REPORT];

/// `ended` of a summary whose run finished.
pub const FINISHED: &str = "finished";

/// `ended` of a summary whose run was interrupted and can be resumed.
pub const INTERRUPTED: &str = "interrupted";

/// Digits of a time in messages.
const DIGITS: usize = 9;

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
        "{}: holds a run of another scene (`{scene}`, or other settings, or a mesh that changed); \
         `pliant run` with --force replaces it, with --out uses another folder", path.display()
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
    #[error("{}: {what}; `pliant run` with --force starts over", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The defect.
        what: String,
    },
    /// A marker that cannot be read: of another program, or damaged.
    #[error(
        "{}: damaged, or not of a pliant run: {what}; nothing was changed; remove the folder, or \
         name another one with --out", path.display()
    )]
    BadMarker {
        /// The file.
        path: PathBuf,
        /// The defect and its place.
        what: String,
    },
    /// A run that is longer already than it is to become.
    #[error(
        "{}: the run has made {} s already, more than the {} s of this duration; name a longer one",
        path.display(), with_digits(*done_s, DIGITS), with_digits(*asked_s, DIGITS)
    )]
    Beyond {
        /// The folder.
        path: PathBuf,
        /// Simulated so far, s.
        done_s: f64,
        /// Requested, s.
        asked_s: f64,
    },
}

/// A folder that is ours while this lives.
#[derive(Debug)]
pub struct RunDir {
    /// How the run starts.
    pub begin: StartMode,
    /// What should be known, one sentence each.
    pub notices: Vec<String>,
    /// Held while the run is on.
    pub lock: Lock,
}

/// How a run begins.
#[derive(Debug)]
pub enum StartMode {
    /// With the first step.
    Fresh,
    /// After the steps of a checkpoint.
    After(Box<Checkpoint>),
    /// Not at all: it is finished.
    Finished(Box<Summary>),
}

/// Acquires a folder for a run; on an error it is unchanged.
pub fn acquire(
    folder: &Path,
    built: &LoadedScene,
    settings: &RunSettings,
) -> Result<RunDir, FolderError> {
    let path = folder.to_path_buf();
    match fs::metadata(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // Another process may make the folder between these two looks.
            if fs::symlink_metadata(folder).is_ok_and(|data| data.is_symlink()) {
                let error = io::Error::other("is a symbolic link to nothing");
                return Err(FolderError::Unwritable { path, error });
            }
            return create(folder, built, settings);
        }
        Err(error) => return Err(FolderError::Unwritable { path, error }),
        Ok(data) if !data.is_dir() => return Err(FolderError::NotAFolder { path }),
        Ok(_) => {}
    }
    // A folder of others gets no lock either.
    let is_run = is_run(folder)?;
    if settings.existing == IfExists::Refuse {
        return Err(FolderError::Exists { path });
    }
    let lock = locked(folder)?;
    if !is_run || settings.existing == IfExists::Replace {
        return fresh(folder, lock, built, settings);
    }
    resumed(folder, lock, built, settings)
}

/// Whether a folder holds a run, or nothing; one that holds other files is an error.
fn is_run(folder: &Path) -> Result<bool, FolderError> {
    // In this order: what another process writes meanwhile comes after its marker.
    let others = others(folder)?;
    match Marker::read(folder)? {
        Some(_) => Ok(true),
        // Killed before its marker was there, a run leaves no more than a part of it.
        None if others == 0 => Ok(false),
        None => Err(FolderError::Foreign { path: folder.to_path_buf() }),
    }
}

fn locked(folder: &Path) -> Result<Lock, FolderError> {
    let unwritable = |error| FolderError::Unwritable { path: folder.join(LOCK), error };
    let busy = || FolderError::Busy { path: folder.to_path_buf() };
    lock(folder).map_err(unwritable)?.ok_or_else(busy)
}

/// Makes a folder; who comes second finds the lock or the run of the first.
fn create(
    folder: &Path,
    built: &LoadedScene,
    settings: &RunSettings,
) -> Result<RunDir, FolderError> {
    let path = folder.to_path_buf();
    if let Err(error) = fs::create_dir_all(folder) {
        return Err(FolderError::Unwritable { path, error });
    }
    let lock = locked(folder).inspect_err(|_| {
        // Only what was made here, and only while it is empty.
        let _ = fs::remove_dir(folder);
    })?;
    // Another process may have run here between the first look and the lock.
    if is_run(folder)? {
        return match settings.existing {
            IfExists::Refuse => Err(FolderError::Exists { path }),
            IfExists::Resume => resumed(folder, lock, built, settings),
            IfExists::Replace => fresh(folder, lock, built, settings),
        };
    }
    if let Err(error) = Marker::of(built, settings).write(folder) {
        lock.remove();
        let _ = fs::remove_dir(folder);
        return Err(error);
    }
    Ok(RunDir { begin: StartMode::Fresh, notices: notices(&lock, None), lock })
}

/// Marks a folder and empties it of everything of ours.
fn fresh(
    folder: &Path,
    lock: Lock,
    built: &LoadedScene,
    settings: &RunSettings,
) -> Result<RunDir, FolderError> {
    Marker::of(built, settings).write(folder)?;
    clear(folder, &FILES)?;
    Ok(RunDir { begin: StartMode::Fresh, notices: notices(&lock, None), lock })
}

/// The run in a folder, which is finished, or continues after its checkpoint, or starts over.
fn resumed(
    folder: &Path,
    lock: Lock,
    built: &LoadedScene,
    settings: &RunSettings,
) -> Result<RunDir, FolderError> {
    let path = folder.to_path_buf();
    let Some(marker) = Marker::read(folder)? else {
        return fresh(folder, lock, built, settings);
    };
    marker.check_format(folder)?;
    if marker.identity != Marker::of(built, settings).identity {
        return Err(FolderError::OtherScene { path, scene: marker.scene });
    }
    let finished = read_summary(folder)?.filter(|summary| summary.ended == FINISHED);
    let steps = built.info.steps;
    let notices = notices(&lock, Some(&marker.pliant));
    if let Some(summary) = finished.as_ref().filter(|summary| summary.steps == steps) {
        let begin = StartMode::Finished(Box::new(summary.clone()));
        return Ok(RunDir { begin, notices, lock });
    }
    let Some(checkpoint) = read_checkpoint(folder, built)? else {
        if finished.is_some() {
            let what = "missing: the run is finished and cannot be continued".to_string();
            return Err(FolderError::Damaged { path: folder.join(CHECKPOINT), what });
        }
        return fresh(folder, lock, built, settings);
    };
    let done = finished.map_or(checkpoint.step, |summary| summary.steps.max(checkpoint.step));
    if done > steps {
        let [done_s, asked_s] = [done, steps].map(|count| count as f64 * built.info.dt);
        return Err(FolderError::Beyond { path, done_s, asked_s });
    }
    Ok(RunDir { begin: StartMode::After(Box::new(checkpoint)), notices, lock })
}

/// What a summary should say of a folder and of the version that started the run in it.
fn notices(lock: &Lock, version: Option<&str>) -> Vec<String> {
    let own = env!("CARGO_PKG_VERSION");
    let other = version.filter(|version| *version != own).map(|version| {
        format!(
            "started by pliant {version}, resumed by {own}: results may differ in their last bits"
        )
    });
    let unlocked = (!lock.is_held).then(|| {
        "this file system knows no locks: make sure that no other pliant writes to the same folder"
            .to_string()
    });
    other.into_iter().chain(unlocked).collect()
}

/// Makes scene and marker say how long the run is now, and removes summary and report.
pub(super) fn continue_run(
    folder: &Path,
    built: &LoadedScene,
    settings: &RunSettings,
) -> Result<(), FolderError> {
    let scene = folder.join(SCENE);
    if !regular_file::read(&scene).is_ok_and(|text| text == built.resolved.as_bytes()) {
        atomic_file::write(&scene, built.resolved.as_bytes())
            .map_err(|error| FolderError::Unwritable { path: scene, error })?;
    }
    match Marker::read(folder)? {
        Some(marker) if marker.steps != built.info.steps => {
            Marker { steps: built.info.steps, ..marker }.write(folder)?;
        }
        Some(_) => {}
        None => Marker::of(built, settings).write(folder)?,
    }
    clear(folder, &[SUMMARY, REPORT])
}

/// The summary of a folder, when there is one; one that cannot be read is an error.
pub fn read_summary(folder: &Path) -> Result<Option<Summary>, FolderError> {
    let path = folder.join(SUMMARY);
    let bytes = match regular_file::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(FolderError::Unwritable { path, error }),
    };
    // What a message quotes may be the whole file.
    let what = |error: serde_json::Error| printable::message(&error.to_string()).into_owned();
    let summary = serde_json::from_slice(&bytes);
    summary.map(Some).map_err(|error| FolderError::Damaged { path, what: what(error) })
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

/// Files in a folder that are neither the lock nor parts of ours.
fn others(folder: &Path) -> Result<usize, FolderError> {
    let path = folder.to_path_buf();
    let entries = fs::read_dir(folder).map_err(|error| FolderError::Unwritable { path, error })?;
    let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    Ok(names.filter(|name| !is_part(name) && name != LOCK).count())
}
