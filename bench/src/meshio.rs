//! meshio, the reader that most people have, on the same files.

use std::path::Path;
use std::process::Command;

/// The version measured against.
const VERSION: &str = "5.3.5";

/// The Python side: converts and times.
const SCRIPT: &str = include_str!("meshio.py");

/// Makes a Python environment with meshio in it; `Err` says why there is none.
pub fn install(folder: &Path) -> Result<(), String> {
    let python = folder.join("bin/python");
    if !python.exists() {
        run(Command::new("python3").args(["-m", "venv"]).arg(folder))?;
    }
    let package = format!("meshio=={VERSION}");
    run(Command::new(python).args(["-m", "pip", "install", "--quiet", &package]))?;
    Ok(())
}

/// Lets meshio write `from` again in the format of `to`.
pub fn convert(folder: &Path, from: &Path, to: &Path) -> Result<(), String> {
    let mut command = Command::new(folder.join("bin/python"));
    run(command.args(["-c", SCRIPT, "convert"]).args([from, to])).map(|_| ())
}

/// Fastest CPU time in which meshio reads a file, s.
pub fn read(folder: &Path, path: &Path) -> Result<f64, String> {
    let mut command = Command::new(folder.join("bin/python"));
    let reported = run(command.args(["-c", SCRIPT, "read"]).arg(path))?;
    reported.trim().parse().map_err(|_| format!("meshio says {reported:?}"))
}

fn run(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        let reported = String::from_utf8_lossy(&output.stderr);
        return Err(reported.lines().last().unwrap_or("it failed").to_string());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
