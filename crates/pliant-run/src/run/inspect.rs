//! What is in a run folder or a recording: `pliant info`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};

use super::folder::{FINISHED, FolderError, RECORDING, read_summary};
use super::marker::Marker;
use crate::recording::{Recording, RecordingError};
use crate::summary::Summary;
use pliant_io::atomic_file::io_message;

/// Why a run or recording cannot be inspected.
#[derive(Debug, thiserror::Error)]
pub enum LookError {
    /// An I/O error.
    #[error("{}: {}", path.display(), io_message(error))]
    File {
        /// The folder or file.
        path: PathBuf,
        /// The I/O error.
        error: io::Error,
    },
    /// A folder without a run.
    #[error("{}: not a pliant run directory", path.display())]
    NotARun {
        /// The folder.
        path: PathBuf,
    },
    /// A run folder that cannot be read.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A recording that cannot be read.
    #[error(transparent)]
    Recording(#[from] RecordingError),
}

/// A run folder, or a recording on its own.
#[derive(Clone, Debug, Serialize)]
pub struct RunStatus {
    /// Path as given; bytes that are not UTF-8 are replaced in JSON.
    #[serde(serialize_with = "lossy")]
    pub path: PathBuf,
    /// `finished`, `interrupted`, `failed`, or `unfinished` for a run in progress or killed;
    /// `recording` for a recording on its own.
    pub state: String,
    /// Version of the program that started it.
    pub pliant: String,
    /// Name of the scene.
    pub scene: String,
    /// Contact response between bodies.
    pub response: String,
    /// Integrator.
    pub integrator: String,
    /// Time step, s.
    pub dt: f64,
    /// Steps requested.
    pub steps: u64,
    /// Vertices.
    pub vertices: usize,
    /// Bodies, in order.
    pub bodies: Vec<BodyLook>,
    /// Its recording.
    pub recording: RecordingLook,
    /// Bytes of all files.
    pub bytes: u64,
    /// Its summary; `None` before its end.
    pub summary: Option<Summary>,
}

fn lossy<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.to_string_lossy())
}

/// One body.
#[derive(Clone, Debug, Serialize)]
pub struct BodyLook {
    /// Name.
    pub name: String,
    /// `tets`, `surface`, `spring-network`, `particles` or `outline`.
    pub kind: String,
    /// Vertices.
    pub vertices: usize,
    /// Tets.
    pub tets: usize,
}

/// A recording.
#[derive(Clone, Debug, Serialize)]
pub struct RecordingLook {
    /// Version of the format.
    pub format: u32,
    /// Frames that can be shown.
    pub frames: usize,
    /// Steps between two frames.
    pub every: u64,
    /// Step of the last frame.
    pub last_step: u64,
    /// Times of the first and the last frame, s; `None` without frames.
    pub span: Option<[f64; 2]>,
    /// Bytes of the file.
    pub bytes: u64,
    /// Bytes per vertex and frame.
    pub bytes_per_vertex: Option<f64>,
    /// Whether it was ended properly.
    pub complete: bool,
    /// Bytes after the last whole frame.
    pub lost_bytes: u64,
}

/// Looks into a run folder or a recording.
pub fn look(path: &Path) -> Result<RunStatus, LookError> {
    let failed = |error| LookError::File { path: path.to_path_buf(), error };
    let data = fs::metadata(path).map_err(failed)?;
    if !data.is_dir() {
        let recording = Recording::open(path)?;
        return Ok(RunStatus::new(path, "recording".to_string(), &recording, recording.size()));
    }
    let marker = Marker::read(path)?;
    let marker = marker.ok_or_else(|| LookError::NotARun { path: path.to_path_buf() })?;
    let recording = Recording::open(&path.join(RECORDING))?;
    let mut bytes = 0;
    for entry in fs::read_dir(path).map_err(failed)?.flatten() {
        bytes += entry.metadata().map_or(0, |data| if data.is_file() { data.len() } else { 0 });
    }
    let summary = read_summary(path)?;
    let state = summary.as_ref().map_or("unfinished", |summary| &summary.ended).to_string();
    let look = RunStatus::new(path, state, &recording, bytes);
    // A run may have been made longer than its recording was to be.
    let steps = if marker.steps > 0 { marker.steps } else { look.steps };
    Ok(RunStatus { pliant: marker.pliant, summary, steps, ..look })
}

impl RunStatus {
    fn new(path: &Path, state: String, recording: &Recording, bytes: u64) -> RunStatus {
        let (header, info) = (recording.header(), recording.info());
        let bodies = info.bodies.iter().map(|body| BodyLook {
            name: body.name.clone(),
            kind: body.kind.clone(),
            vertices: body.vertices.len(),
            tets: body.tets,
        });
        RunStatus {
            path: path.to_path_buf(),
            state,
            pliant: header.pliant.clone(),
            scene: info.scene.clone(),
            response: info.response.clone(),
            integrator: info.integrator.clone(),
            dt: info.dt,
            steps: info.steps,
            vertices: header.vertices,
            bodies: bodies.collect(),
            recording: RecordingLook::of(recording),
            bytes,
            summary: None,
        }
    }

    /// Whether the run finished.
    pub fn is_finished(&self) -> bool {
        self.state == FINISHED
    }
}

impl RecordingLook {
    fn of(recording: &Recording) -> RecordingLook {
        let frames = recording.frames();
        let numbers = (frames.len() * recording.header().vertices) as f64;
        let per_vertex = recording.size() as f64 / numbers;
        RecordingLook {
            format: recording.header().version(),
            frames: frames.len(),
            every: recording.info().record_every,
            last_step: frames.last().map_or(0, |entry| entry.step),
            span: frames.first().zip(frames.last()).map(|(a, b)| [a.time, b.time]),
            bytes: recording.size(),
            bytes_per_vertex: (numbers > 0.0).then_some(per_vertex),
            complete: recording.is_complete(),
            lost_bytes: recording.lost_bytes(),
        }
    }
}
