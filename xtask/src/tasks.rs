//! What each task does, step by step.

use crate::methods;
use crate::papers;
use crate::python;
use crate::readers;
use crate::repository::{root, target_dir};
use crate::setup::{self, cargo};
use crate::steps::{self, Failure, Step, execute, execute_for_code};
use crate::web;
use std::process::Command;

/// Packages that clippy leaves out because they build peers.
const NOT_LINTED: [&str; 0] = [];

/// What is not built by default is checked and tested all the same.
const GPU: [&str; 2] = ["--features", "pliant-cli/gpu"];

/// The manifest of this crate, a workspace of its own, from the root.
const OURS: &str = "xtask/Cargo.toml";

/// All that must hold before a change lands, the quick and likely failures first.
const TEST: [Step; 10] = [
    Step { name: "setup", work: prepare },
    // Before anything is built: the program takes it in.
    Step { name: "player and page", work: web::build_all_if_possible },
    Step { name: "format", work: format },
    Step { name: "clippy", work: clippy },
    Step { name: "rustdoc", work: rustdoc },
    Step { name: "tests", work: tests },
    Step { name: "wasm32", work: wasm },
    Step { name: "book", work: book },
    Step { name: "browser", work: web::smoke },
    Step { name: "python", work: python::smoke },
];

/// What takes too long for every change: `cargo xtask test all` runs it after the others.
const LONG: [Step; 5] = [
    Step { name: "direct solver", work: direct },
    Step { name: "scenes in the player", work: web::scenes },
    Step { name: "readers of others", work: readers::open_files },
    Step { name: "Python, Ray and notebooks", work: python::long },
    Step { name: "fuzz", work: fuzz_each },
];

/// Seconds for each target of the fuzzer in the long test.
const FUZZ_SECONDS: &str = "30";

/// The option of the demonstration that builds the GPU backend, too.
const WITH_GPU: &str = "--gpu";

/// Builds the program and lets it show itself, with `arguments` passed on.
///
/// The GPU backend is built only on request: nothing of the demonstration needs it, and it takes
/// about a third of the time of a first build.
pub fn demo(arguments: &[String]) -> Result<(), Failure> {
    setup::system()?;
    eprintln!("1 of 3: the player, where Node is there");
    web::build_if_possible()?;
    let (gpu, rest): (Vec<_>, Vec<_>) = arguments.iter().partition(|word| *word == WITH_GPU);
    let mut package = vec!["--release", "--locked", "--package", "pliant-cli"];
    if gpu.is_empty() {
        eprintln!("2 of 3: the program; the first time takes minutes ({WITH_GPU} adds the GPU)");
    } else {
        eprintln!("2 of 3: the program with the GPU backend; the first time takes minutes");
        package.extend(["--features", "gpu"]);
    }
    execute(at_root().arg("build").args(&package))?;
    eprintln!("3 of 3: it shows itself");
    pass_on(at_root().args(["run", "--quiet"]).args(&package).args(["--", "demo"]).args(rest))?;
    let page = web::whole_page();
    if page.is_file() {
        eprintln!("   the page that runs the engine in a browser: {}", page.display());
    }
    Ok(())
}

/// Everything that CI checks.
pub fn test() -> Result<(), Failure> {
    steps::run(&TEST)
}

/// The same, then what takes longer.
pub fn test_all() -> Result<(), Failure> {
    steps::run(&TEST)?;
    steps::run(&LONG)
}

/// Builds and runs the benchmarks with `arguments` passed on.
pub fn bench(arguments: &[String]) -> Result<(), Failure> {
    setup::system()?;
    if arguments.first().is_some_and(|name| name == "web") {
        return web::bench();
    }
    let mut command = at_root();
    command.args(["run", "--release", "--locked", "--package", "pliant-bench", "--"]);
    command.args(arguments);
    // It judges its files by another program too, where that can be had.
    if arguments.first().is_some_and(|name| name == "separate")
        && !arguments.iter().any(|word| word == "--ipctk")
    {
        command.args(python::ipctk_option());
    }
    pass_on(&mut command)
}

/// Builds the fuzzer with all checks of overflow and runs it with `arguments` passed on.
pub fn fuzz(arguments: &[String]) -> Result<(), Failure> {
    setup::system()?;
    let package = ["run", "--quiet", "--profile", "fuzz", "--locked", "--package", "pliant-fuzz"];
    pass_on(at_root().args(package).arg("--").args(arguments))
}

/// Rewrites golden files, the generated page and table from what the code does now.
pub fn bless() -> Result<(), Failure> {
    setup::system()?;
    papers::write(&root())
        .map_err(|error| Failure::step(format!("cannot write {}: {error}", papers::PAGE)))?;
    methods::write(&root())
        .map_err(|error| Failure::step(format!("cannot write {}: {error}", methods::TABLE)))?;
    execute(at_root().args(["test", "--locked"]).env("PLIANT_BLESS", "1"))?;
    eprintln!("   blessed; read the diff, and say in CHANGELOG.md why it changed");
    Ok(())
}

/// Licences, sources and duplicates of all dependencies.
pub fn deny() -> Result<(), Failure> {
    setup::system()?;
    let program = setup::tool(&setup::CARGO_DENY)?;
    let checks = ["--workspace", "--locked", "check", "bans", "licenses", "sources"];
    execute(Command::new(program).current_dir(root()).args(checks))
}

fn prepare() -> Result<(), Failure> {
    setup::system()?;
    setup::components()?;
    setup::tool(&setup::MDBOOK).map(|_| ())
}

fn format() -> Result<(), Failure> {
    execute(at_root().args(["fmt", "--all", "--check"]))?;
    execute(at_root().args(["fmt", "--manifest-path", OURS, "--check"]))
}

fn clippy() -> Result<(), Failure> {
    let deny = ["--", "-D", "warnings"];
    let left_out = NOT_LINTED.iter().flat_map(|package| ["--exclude", package]);
    let mut all = at_root();
    all.args(["clippy", "--workspace", "--all-targets", "--locked"]).args(GPU).args(left_out);
    execute(all.args(deny))?;
    let own = ["clippy", "--manifest-path", OURS, "--all-targets", "--locked"];
    execute(at_root().args(own).args(deny))
}

fn rustdoc() -> Result<(), Failure> {
    let selections: [&[&str]; 2] = [&["--manifest-path", OURS], &["--workspace"]];
    for selection in selections {
        let mut doc = at_root();
        doc.args(["doc", "--no-deps", "--document-private-items", "--locked"]).args(selection);
        execute(doc.env("RUSTDOCFLAGS", "-D warnings"))?;
    }
    Ok(())
}

fn tests() -> Result<(), Failure> {
    execute(at_root().args(["test", "--manifest-path", OURS, "--locked"]))?;
    // Setup has seen to a driver: no test of the GPU may pass for want of one.
    let ours = ["test", "--locked", "--workspace", "--exclude", "pliant-bench"];
    execute(at_root().args(ours).args(GPU).env("PLIANT_NEEDS_GPU", "1"))
}

/// The tests of what the feature `direct` adds.
fn direct() -> Result<(), Failure> {
    let engine = ["test", "--locked", "--package", "pliant", "--features", "direct", "--lib"];
    execute(at_root().args(engine))
}

fn fuzz_each() -> Result<(), Failure> {
    fuzz(&["--seconds".to_owned(), FUZZ_SECONDS.to_owned()])
}

/// The engine, the scene language and the page's exports compile for the browser.
fn wasm() -> Result<(), Failure> {
    web::engine().map(drop)
}

fn book() -> Result<(), Failure> {
    let program = setup::tool(&setup::MDBOOK)?;
    let made = target_dir().join("book");
    execute(Command::new(program).current_dir(root()).args(["build", "book", "-d"]).arg(made))
}

/// A cargo command in the root of the repository.
fn at_root() -> Command {
    let mut command = Command::new(cargo());
    command.current_dir(root());
    command
}

/// Runs a program of ours; its exit code becomes that of the task.
fn pass_on(command: &mut Command) -> Result<(), Failure> {
    match execute_for_code(command)? {
        0 => Ok(()),
        code => Err(Failure { message: format!("the program ended with code {code}"), code }),
    }
}
