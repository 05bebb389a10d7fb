//! Other people's meshes, kept outside the repository.

use std::io::Write;
use std::path::PathBuf;

/// The folder that the environment variable `PLIANT_DATA` names.
///
/// Without it the caller skips, and says so past the test runner's capture.
pub fn folder(test: &str) -> Option<PathBuf> {
    let Some(folder) = std::env::var_os("PLIANT_DATA") else {
        let note = format!("skipped {test}: PLIANT_DATA does not name the folder of test data\n");
        let _ = std::io::stderr().write_all(note.as_bytes());
        return None;
    };
    let folder = PathBuf::from(folder);
    assert!(folder.is_dir(), "PLIANT_DATA names {}, which is no folder", folder.display());
    Some(folder)
}
