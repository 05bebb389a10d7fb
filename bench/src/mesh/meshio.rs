//! meshio, the reader that most people have, on the same files.

use std::path::Path;
use std::process::Command;

use super::finished;

/// The version measured against.
pub const PACKAGE: &str = "meshio==5.3.5";

/// The Python side: converts and times.
const SCRIPT: &str = include_str!("meshio.py");

/// Lets meshio write `from` again in the format of `to`.
pub fn convert(folder: &Path, from: &Path, to: &Path) -> Result<(), String> {
    let mut command = Command::new(folder.join("bin/python"));
    finished(command.args(["-c", SCRIPT, "convert"]).args([from, to])).map(|_| ())
}

/// Fastest CPU time in which meshio reads a file, s.
pub fn read(folder: &Path, path: &Path) -> Result<f64, String> {
    let mut command = Command::new(folder.join("bin/python"));
    let reported = finished(command.args(["-c", SCRIPT, "read"]).arg(path))?;
    reported.trim().parse().map_err(|_| format!("meshio says {reported:?}"))
}
