//! The scene of a run folder, to resume the run without its arguments: `pliant resume`.

use std::path::{Path, PathBuf};

use super::folder::{FolderError, SCENE};
use super::identity::with_duration_of;
use super::marker::Marker;
use crate::scene::load;
use pliant_io::atomic_file::io_message;
use pliant_io::regular_file;
use pliant_scene::SceneError;
use pliant_scene::loaded::LoadedScene;

/// Why a run cannot be resumed.
#[derive(Debug, thiserror::Error)]
pub enum ResumeError {
    /// A folder without a run.
    #[error("{}: not a pliant run directory (it has no run.json)", path.display())]
    NotARun {
        /// The folder.
        path: PathBuf,
    },
    /// A folder that cannot be read, or that this program cannot resume.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// An I/O error.
    #[error("{}: {}", path.display(), io_message(error))]
    File {
        /// The file.
        path: PathBuf,
        /// The I/O error.
        error: std::io::Error,
    },
    /// A scene that cannot be made again.
    #[error("{0}")]
    Scene(#[from] SceneError),
}

/// Makes the scene of a run again, and says what the run was started with.
///
/// From `scene.toml` of the folder, so that a scene file may have changed since. A run that was
/// killed before it wrote that is made from what it was started with. With a `duration`, s, the
/// run becomes longer or shorter.
pub fn load_run(
    folder: &Path,
    duration: Option<f64>,
) -> Result<(LoadedScene, Marker), ResumeError> {
    let path = folder.to_path_buf();
    std::fs::metadata(folder).map_err(|error| ResumeError::File { path: path.clone(), error })?;
    let marker = Marker::read(folder)?.ok_or(ResumeError::NotARun { path })?;
    marker.check_format(folder)?;
    let longer = duration.map(|duration| format!("duration={duration:?}"));
    let path = folder.join(SCENE);
    let text = match regular_file::read_text(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let sets: Vec<String> = marker.origin.sets.iter().cloned().chain(longer).collect();
            return Ok((load(Path::new(&marker.origin.source), &sets)?, marker));
        }
        Err(error) => return Err(ResumeError::File { path, error }),
    };
    let mut built = load(&path, longer.as_slice())?;
    // As it stands, with the comments that list its parameters.
    built.resolved = with_duration_of(&text, &built.resolved);
    Ok((built, marker))
}
