//! The player: one page, built by npm, and tried in a browser.
//!
//! The program is complete without it, so a machine without Node builds and tests all else.

use crate::repository::{root, target_dir};
use crate::setup;
use crate::steps::{Failure, execute};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds `target/web/player.html`, which the next build of the program takes in.
pub fn build() -> Result<(), Failure> {
    setup::node()?;
    packages()?;
    bundle()
}

/// The same where Node is there; without it a remark, and the program does without the player.
pub fn build_if_possible() -> Result<(), Failure> {
    if !setup::has_node() {
        eprintln!(
            "   no Node: reports do without the player; `cargo xtask web` says how to add it"
        );
        return Ok(());
    }
    if let Err(failure) = packages() {
        eprintln!("   {}: reports do without the player", failure.message);
        return Ok(());
    }
    bundle()
}

/// The player in a browser, where all that it needs is there.
pub fn smoke() -> Result<(), Failure> {
    let program = target_dir().join("debug/pliant");
    if !(page().is_file() && program.is_file() && setup::has_browser()) {
        eprintln!("   no player or no Chromium: left out; `cargo xtask test all` installs them");
        return Ok(());
    }
    tried("test/player.test.mjs", &program)
}

/// Every built-in scene in a browser; installs what is missing.
pub fn scenes() -> Result<(), Failure> {
    setup::browser()?;
    build()?;
    let mut cargo = Command::new(setup::cargo());
    let package = ["build", "--release", "--locked", "--package", "pliant-cli"];
    execute(cargo.current_dir(root()).args(package))?;
    let program = target_dir().join("release/pliant");
    tried("test/player.test.mjs", &program)?;
    tried("test/scenes.test.mjs", &program)
}

/// Checks the types and writes the page.
fn bundle() -> Result<(), Failure> {
    execute(npm().args(["run", "--silent", "check"]))?;
    execute(npm().args(["run", "--silent", "build", "--"]).arg(page()))?;
    eprintln!("   the next build of pliant-cli takes it in");
    Ok(())
}

/// Runs a file of browser tests on a program of ours.
fn tried(file: &str, program: &Path) -> Result<(), Failure> {
    let mut test = Command::new("node");
    test.current_dir(root().join("web")).args(["--test", file]);
    // Not beside the page: what is written there makes cargo build the program again.
    test.env("PLIANT", program).env("PLIANT_WEB_TEST", target_dir().join("web-test"));
    execute(&mut test)
}

/// Installs the packages that the lock file names, unless they are there.
fn packages() -> Result<(), Failure> {
    let stamp = root().join("web/node_modules/.pliant-lock");
    let lock = fs::read_to_string(root().join("web/package-lock.json"))
        .map_err(|error| Failure::step(format!("web/package-lock.json: {error}")))?;
    if fs::read_to_string(&stamp).is_ok_and(|before| before == lock) {
        return Ok(());
    }
    execute(npm().args(["ci", "--no-audit", "--no-fund"]))?;
    fs::write(&stamp, lock).map_err(|error| Failure::step(format!("{}: {error}", stamp.display())))
}

/// The page that is built.
fn page() -> PathBuf {
    target_dir().join("web/player.html")
}

fn npm() -> Command {
    let mut command = Command::new("npm");
    command.current_dir(root().join("web"));
    command
}
