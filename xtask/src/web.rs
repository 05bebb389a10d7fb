//! The player and the page, built by npm and cargo, and tried in a browser.
//!
//! The program is complete without them, so a machine without Node builds and tests all else; one
//! without a compiler for wasm32 has the player, and not the page with the engine in it.

use crate::repository::{root, target_dir};
use crate::setup;
use crate::steps::{Failure, execute};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The word by which the tests take all scenes.
const ALL_SCENES: &str = "all";

/// Builds `target/web/player.html` and, with a compiler for wasm32, `target/web/pliant.html`.
///
/// The next build of the program takes them in.
pub fn build() -> Result<(), Failure> {
    setup::node()?;
    packages()?;
    let engine = engine_if_possible()?;
    bundle(engine.as_deref())
}

/// The engine's module for the browser; an error where it cannot be built.
pub fn engine() -> Result<PathBuf, Failure> {
    execute(setup::wasm_build()?.args(["--package", "pliant-web"]))?;
    Ok(module())
}

/// The same, or a remark and none where this machine lacks what compiles it.
fn engine_if_possible() -> Result<Option<PathBuf>, Failure> {
    if setup::can_build_wasm() {
        return engine().map(Some);
    }
    eprintln!("   the player is built, the page is not: {}", setup::missing_for_wasm());
    Ok(None)
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
    // The page of before is kept: only `cargo xtask web` and the tests build it.
    let built = Some(module()).filter(|module| module.is_file() && whole_page().is_file());
    bundle(built.as_deref())
}

/// Player and page where Node and a compiler for wasm32 are there, or may be installed.
pub fn build_all_if_possible() -> Result<(), Failure> {
    if !setup::has_node() || packages().is_err() {
        return build_if_possible();
    }
    let engine = engine_if_possible()?;
    bundle(engine.as_deref())
}

/// The player in a browser, where all that it needs is there.
pub fn smoke() -> Result<(), Failure> {
    let program = target_dir().join("debug/pliant");
    if !(page().is_file() && program.is_file() && setup::has_browser()) {
        eprintln!("   no player or no Chromium: left out; `cargo xtask test all` installs them");
        return Ok(());
    }
    tried("test/player.test.mjs", &program)?;
    if !whole_page().is_file() {
        eprintln!("   no page: left out; `cargo xtask web` names what is missing");
        return Ok(());
    }
    tried("test/digests.test.mjs", &program)?;
    tried("test/page.test.mjs", &program)
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
    tried("test/scenes.test.mjs", &program)?;
    if whole_page().is_file() {
        tried_with("test/digests.test.mjs", &program, ALL_SCENES)?;
        tried_with("test/page.test.mjs", &program, ALL_SCENES)?;
    }
    Ok(())
}

/// Measures the engine in wasm32 beside the program on six scenes, and the page's size and start.
pub fn bench() -> Result<(), Failure> {
    execute(&mut measuring()?)
}

/// The program that measures, with all that it needs built.
pub fn measuring() -> Result<Command, Failure> {
    setup::browser()?;
    build()?;
    let mut cargo = Command::new(setup::cargo());
    let package = ["build", "--release", "--locked", "--package", "pliant-cli"];
    execute(cargo.current_dir(root()).args(package))?;
    let mut bench = Command::new("node");
    bench.current_dir(root().join("web")).arg("bench.mjs");
    bench.env("PLIANT", target_dir().join("release/pliant"));
    Ok(bench)
}

/// Checks the types and writes the player and, with an engine, the page.
fn bundle(engine: Option<&Path>) -> Result<(), Failure> {
    execute(npm().args(["run", "--silent", "check"]))?;
    let mut build = npm();
    build.args(["run", "--silent", "build", "--"]).arg(target_dir().join("web")).args(engine);
    execute(&mut build)?;
    eprintln!("   the next build of pliant-pages takes it in");
    Ok(())
}

/// Runs a file of browser tests on a program of ours.
fn tried(file: &str, program: &Path) -> Result<(), Failure> {
    tried_with(file, program, "few")
}

/// The same with a choice of scenes.
fn tried_with(file: &str, program: &Path, scenes: &str) -> Result<(), Failure> {
    let mut test = Command::new("node");
    test.env("PLIANT_SCENES", scenes).env("PLIANT_WASM", module());
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

/// The player that is built.
fn page() -> PathBuf {
    target_dir().join("web/player.html")
}

/// The page with the engine in it.
pub fn whole_page() -> PathBuf {
    target_dir().join("web/pliant.html")
}

/// The engine's module.
fn module() -> PathBuf {
    target_dir().join("wasm").join(setup::WASM).join("release/pliant_web.wasm")
}

fn npm() -> Command {
    let mut command = Command::new("npm");
    command.current_dir(root().join("web"));
    command
}
