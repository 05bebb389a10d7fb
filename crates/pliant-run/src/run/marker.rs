//! `run.json`: the file that makes a folder a run's, and what the run was started with.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::RunSettings;
use super::folder::FolderError;
use super::identity::identity;
use pliant_io::printable::printable_json;
use pliant_io::{atomic_file, regular_file};
use pliant_scene::loaded::LoadedScene;

/// The file that makes a folder one of ours.
pub const MARKER: &str = "run.json";

/// Version of the layout of folders.
const FORMAT: u32 = 2;

/// What a scene was made from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// A scene file, or the name of a built-in scene.
    #[serde(default)]
    pub source: String,
    /// Values set from outside, `name=value` each.
    #[serde(default)]
    pub sets: Vec<String>,
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
    /// What the scene was made from.
    #[serde(flatten)]
    pub origin: Origin,
    /// Threads.
    #[serde(default = "one")]
    pub threads: usize,
    /// Steps in all; 0 where they are not known.
    #[serde(default)]
    pub steps: u64,
}

fn one() -> usize {
    1
}

impl Marker {
    /// Of a scene that this program starts to run.
    pub fn of(built: &LoadedScene, settings: &RunSettings) -> Marker {
        Marker {
            format: FORMAT,
            pliant: env!("CARGO_PKG_VERSION").to_string(),
            scene: built.info.scene.clone(),
            identity: blake3::Hash::from_bytes(identity(built)).to_hex().to_string(),
            origin: settings.origin.clone(),
            threads: settings.threads.max(1),
            steps: built.info.steps,
        }
    }

    /// Reads the marker of a folder; `None` when there is none.
    pub fn read(folder: &Path) -> Result<Option<Marker>, FolderError> {
        let path = folder.join(MARKER);
        let bytes = match regular_file::read(&path) {
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
            Err(error) => Err(FolderError::BadMarker { path, what: error.to_string() }),
        }
    }

    /// Writes it atomically.
    pub fn write(&self, folder: &Path) -> Result<(), FolderError> {
        let path = folder.join(MARKER);
        let json = serde_json::to_string_pretty(self).map_err(io::Error::from);
        let written = json.and_then(|json| {
            atomic_file::write(&path, (printable_json(&json).into_owned() + "\n").as_bytes())
        });
        written.map_err(|error| FolderError::Unwritable { path, error })
    }

    /// Whether this program can resume the run.
    pub fn check_format(&self, folder: &Path) -> Result<(), FolderError> {
        if self.format == FORMAT {
            return Ok(());
        }
        let what = format!(
            "a run in format {}, from an older pliant: it can be shown, not resumed",
            self.format
        );
        Err(FolderError::Damaged { path: folder.join(MARKER), what })
    }
}
