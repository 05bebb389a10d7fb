//! Meshes and exports: files of a million tets, surfaces filled with tets, recordings written out.

mod formats;

mod meshio;

mod stuffing;

mod export;

use std::path::Path;
use std::process::Command;

/// Prints the tables that are asked for, or all.
pub fn run(wanted: &[&str]) -> Result<(), String> {
    match wanted {
        [] => {
            formats::run()?;
            println!();
            stuffing::run()?;
            println!();
            export::run()
        }
        ["formats"] => formats::run(),
        ["stuffing"] => stuffing::run(),
        ["export"] => export::run(),
        _ => Err("mesh: there are formats, stuffing, export".to_owned()),
    }
}

/// Makes a Python environment with packages in it; `Err` says why there is none.
fn install(folder: &Path, packages: &[&str]) -> Result<(), String> {
    let python = folder.join("bin/python");
    if !python.exists() {
        finished(Command::new("python3").args(["-m", "venv"]).arg(folder))?;
    }
    finished(Command::new(python).args(["-m", "pip", "install", "--quiet"]).args(packages))?;
    Ok(())
}

/// What a program prints; `Err` is the last line of its errors.
fn finished(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        let reported = String::from_utf8_lossy(&output.stderr);
        return Err(reported.lines().last().unwrap_or("it failed").to_string());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
