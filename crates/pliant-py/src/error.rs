//! The library's errors as the exceptions of `pliant.errors`, with the library's messages.

use std::fmt::Display;
use std::path::Path;

use pyo3::PyErr;
use pyo3::import_exception;

import_exception!(pliant.errors, InputError);
import_exception!(pliant.errors, InputTypeError);
import_exception!(pliant.errors, MeshError);
import_exception!(pliant.errors, MissingMeshError);
import_exception!(pliant.errors, MissingOutlineError);
import_exception!(pliant.errors, MissingRecordingError);
import_exception!(pliant.errors, MissingSceneError);
import_exception!(pliant.errors, OutlineError);
import_exception!(pliant.errors, RecordingError);
import_exception!(pliant.errors, RunError);
import_exception!(pliant.errors, SceneError);
import_exception!(pliant.errors, StepError);
import_exception!(pliant.errors, SweepError);
import_exception!(pliant.errors, WorldError);

/// An argument that cannot be: its name, and what was expected.
pub fn input(message: impl Display) -> PyErr {
    InputError::new_err(message.to_string())
}

/// An argument of a wrong type: its name, and what was expected.
pub fn input_type(message: impl Display) -> PyErr {
    InputTypeError::new_err(message.to_string())
}

/// A mesh file that cannot be read.
pub fn mesh_at(path: &Path, error: impl Display) -> PyErr {
    match path.exists() {
        true => mesh(error),
        false => MissingMeshError::new_err(error.to_string()),
    }
}

/// A mesh that cannot be read, written or used.
pub fn mesh(error: impl Display) -> PyErr {
    MeshError::new_err(error.to_string())
}

/// Outlines that cannot be read or measured.
pub fn outline(error: impl Display) -> PyErr {
    OutlineError::new_err(error.to_string())
}

/// Files of outlines that cannot be read or measured; `FILE#name` is a feature of a file.
pub fn outlines_at(paths: &[&Path], error: impl Display) -> PyErr {
    let file = |path: &Path| {
        let text = path.to_string_lossy();
        Path::new(text.split_once('#').map_or(&*text, |(file, _)| file)).exists()
    };
    match paths.iter().all(|path| path.exists() || file(path)) {
        true => outline(error),
        false => MissingOutlineError::new_err(error.to_string()),
    }
}

/// A file of a run that cannot be read.
pub fn recording_at(path: &Path, error: impl Display) -> PyErr {
    match path.exists() {
        true => recording(error),
        false => MissingRecordingError::new_err(error.to_string()),
    }
}

/// A scene file that is none, or neither there nor built in.
pub fn scene_at(path: &Path, error: impl Display) -> PyErr {
    let is_builtin = || pliant_scene::builtin::ALL.iter().any(|s| Path::new(s.name) == path);
    match path.exists() || is_builtin() {
        true => scene(error),
        false => MissingSceneError::new_err(error.to_string()),
    }
}

/// A recording or table that cannot be read.
pub fn recording(error: impl Display) -> PyErr {
    RecordingError::new_err(error.to_string())
}

/// A run that cannot be made.
pub fn run(error: impl Display) -> PyErr {
    RunError::new_err(error.to_string())
}

/// A scene that is none.
pub fn scene(error: impl Display) -> PyErr {
    SceneError::new_err(error.to_string())
}

/// A sweep that cannot be made.
pub fn sweep(error: impl Display) -> PyErr {
    SweepError::new_err(error.to_string())
}

/// What a world refuses, and steps that fail.
pub fn world(error: pliant::world::WorldError) -> PyErr {
    let message = error.to_string();
    match error {
        pliant::world::WorldError::Step(_) => StepError::new_err(message),
        _ => WorldError::new_err(message),
    }
}
