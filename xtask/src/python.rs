//! The Python package: its wheel, built by maturin and tried in an environment of its own.
//!
//! ```text
//! tools (maturin, mypy) ─▶ wheel ─▶ clean environment ─▶ pytest, stubtest ─▶ long: Ray, notebooks
//! ```
//!
//! Everything is below `target/python`. The engine and the program do without Python, so a machine
//! without it builds and tests all else.

use crate::repository::{root, target_dir};
use crate::setup;
use crate::steps::{Failure, execute};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What builds the wheel.
const MATURIN: &str = "maturin==1.16.0";

/// What tests it, besides what it depends on itself.
const TEST_PACKAGES: [&str; 2] = ["pytest", "tqdm"];

/// What checks types and stubs.
const STUB_PACKAGES: [&str; 1] = ["mypy"];

/// What looks for intersections in meshes that were separated, apart from us.
const IPCTK: &str = "ipctk==1.6.1";

/// What takes sweeps to a cluster.
const RAY: &str = "ray";

/// What measures the package, from its folder.
const BENCHMARKS: [&str; 3] = ["bench/overhead.py", "bench/grippers.py", "bench/scaling.py"];

/// What the long tests need: other libraries' meshes, a cluster, notebooks and the environment.
const LONG_PACKAGES: [&str; 9] = [
    "meshio",
    "trimesh",
    "pyvista",
    "ray",
    "matplotlib",
    "nbclient",
    "nbformat",
    "ipykernel",
    "gymnasium",
];

/// How the wheel is built.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Build {
    /// As the tests are: quickly.
    Quick,
    /// As it is given to others.
    Release,
}

/// Builds the wheel for others, installs it into a clean environment and tries all of it.
pub fn all() -> Result<(), Failure> {
    setup::python()?;
    let wheel = wheel(Build::Release)?;
    let python = fresh("release", &wheel, &TEST_PACKAGES)?;
    pytest(&python, &[])?;
    stubs(&python)?;
    eprintln!("   {}", wheel.display());
    Ok(())
}

/// The wheel and its tests where Python is there; without it a remark.
pub fn smoke() -> Result<(), Failure> {
    if !setup::has_python() {
        eprintln!(
            "   no Python 3.11 with venv: left out; `cargo xtask python` names what is missing"
        );
        return Ok(());
    }
    let tools = target_dir().join("python/tools");
    if let Err(failure) = packages(&tools, &[MATURIN]) {
        eprintln!("   {}: the Python package is left out", failure.message);
        return Ok(());
    }
    let wheel = wheel(Build::Quick)?;
    let python = fresh("smoke", &wheel, &TEST_PACKAGES)?;
    pytest(&python, &[])
}

/// Types, Ray, notebooks and the soft gripper.
pub fn long() -> Result<(), Failure> {
    setup::python()?;
    let wheel = wheel(Build::Release)?;
    let python = fresh("long", &wheel, &TEST_PACKAGES)?;
    pip(&python, &LONG_PACKAGES)?;
    stubs(&python)?;
    pytest(&python, &["-m", "long or not long"])
}

/// The cost of calls from Python beside that of the engine's part of them.
pub fn bench() -> Result<(), Failure> {
    measuring()?.iter_mut().try_for_each(execute)
}

/// The programs that measure, on the wheel as it is given to others.
fn measuring() -> Result<Vec<Command>, Failure> {
    setup::python()?;
    let wheel = wheel(Build::Release)?;
    let python = fresh("release", &wheel, &TEST_PACKAGES)?;
    pip(&python, &[RAY])?;
    let one = |file: &str| {
        let mut command = Command::new(&python);
        command.arg(folder().join(file));
        command
    };
    Ok(BENCHMARKS.iter().map(|file| one(file)).collect())
}

/// The option that names a Python with `ipctk` to the benchmark of separate; none without it.
pub fn ipctk_option() -> Vec<PathBuf> {
    let own = target_dir().join("python/ipctk");
    match setup::has_python().then(|| packages(&own, &[IPCTK])) {
        Some(Ok(python)) => vec![PathBuf::from("--ipctk"), python],
        Some(Err(failure)) => {
            eprintln!("   {}: ipctk is not asked", failure.message);
            Vec::new()
        }
        None => {
            eprintln!("   no Python 3.11 with venv: ipctk is not asked");
            Vec::new()
        }
    }
}

/// The crate of the package.
fn folder() -> PathBuf {
    root().join("crates/pliant-py")
}

/// Builds the wheel into a folder of its own, and returns it.
fn wheel(build: Build) -> Result<PathBuf, Failure> {
    let tools = target_dir().join("python/tools");
    let python = packages(&tools, &[MATURIN])?;
    let name = if build == Build::Quick { "wheels-quick" } else { "wheels" };
    let out = target_dir().join("python").join(name);
    let _ = fs::remove_dir_all(&out);
    let mut maturin = Command::new(python);
    maturin.current_dir(folder()).args(["-m", "maturin", "build", "--locked", "--quiet"]);
    maturin.args(if build == Build::Quick {
        ["--profile", "dev"]
    } else {
        ["--profile", "release"]
    });
    execute(maturin.arg("--out").arg(&out))?;
    let found = fs::read_dir(&out).ok().and_then(|mut files| files.next()?.ok());
    found
        .map(|file| file.path())
        .ok_or_else(|| Failure::step(format!("{}: maturin built no wheel", out.display())))
}

/// A new environment with the wheel and what tests it; returns its Python.
fn fresh(name: &str, wheel: &Path, packages: &[&str]) -> Result<PathBuf, Failure> {
    let own = target_dir().join("python").join(name);
    let _ = fs::remove_dir_all(&own);
    let python = environment(&own)?;
    let mut install = Command::new(&python);
    install.args(["-m", "pip", "install", "--quiet"]).arg(wheel);
    execute(install.args(packages))?;
    Ok(python)
}

/// An environment with packages, made where it is not there; returns its Python.
fn packages(own: &Path, packages: &[&str]) -> Result<PathBuf, Failure> {
    let python = environment(own)?;
    pip(&python, packages)?;
    Ok(python)
}

fn environment(own: &Path) -> Result<PathBuf, Failure> {
    let python = own.join("bin/python");
    if !python.is_file() {
        execute(Command::new("python3").args(["-m", "venv"]).arg(own))?;
    }
    Ok(python)
}

fn pip(python: &Path, packages: &[&str]) -> Result<(), Failure> {
    execute(Command::new(python).args(["-m", "pip", "install", "--quiet"]).args(packages))
}

/// Runs the tests on the package that is installed, beside the program where it was built.
fn pytest(python: &Path, options: &[&str]) -> Result<(), Failure> {
    let mut test = Command::new(python);
    test.current_dir(folder()).args(["-m", "pytest", "-p", "no:cacheprovider"]).args(options);
    // Not from the source folder, which has no module: what is installed counts.
    test.args(["--import-mode", "importlib"]).env("PYTHONDONTWRITEBYTECODE", "1");
    let program = ["release/pliant", "debug/pliant"].map(|name| target_dir().join(name));
    if let Some(program) = program.iter().find(|program| program.is_file()) {
        test.env("PLIANT", program);
    }
    execute(&mut test)
}

/// Types of the package, and its stubs against the module.
fn stubs(python: &Path) -> Result<(), Failure> {
    pip(python, &STUB_PACKAGES)?;
    let settings = folder().join("mypy.ini");
    let outside = target_dir().join("python");
    let mut types = Command::new(python);
    types.current_dir(&outside).args(["-m", "mypy", "--package", "pliant", "--config-file"]);
    execute(types.arg(&settings))?;
    let mut stubs = Command::new(python);
    stubs.current_dir(&outside).args(["-m", "mypy.stubtest", "pliant", "--mypy-config-file"]);
    execute(stubs.arg(&settings))
}
