//! The tasks of this repository: demo, test, web, python, figures, bench, fuzz, bless, deny.
//!
//! Built from the standard library alone, so that `cargo xtask` runs on a machine
//! that has Rust and a C linker and nothing else, and can then fetch the rest.

mod repository;

mod setup;

mod steps;

mod web;

mod python;

mod svg;

mod figures;

mod separate_figures;

mod depth_figures;

mod readers;

mod tasks;

mod source;

mod citation;

mod papers;

mod methods;

mod tables;

#[cfg(test)]
mod tidy;

use std::process::ExitCode;

/// What `cargo xtask` prints on its own and on `help`.
const HELP: &str = "\
The tasks of Pliant. Run them from the root of the repository.

  cargo xtask demo [--gpu]   build the program and let it show what it can do, in one
                             report; the GPU backend is built only on request
  cargo xtask test           everything that must hold before a change lands:
                             format, clippy, rustdoc, all tests, wasm32, the book,
                             the player where Node and Chromium are there, and the
                             Python package where Python is there
  cargo xtask test all       the same, then what takes longer: the direct solver,
                             every built-in scene in the player, exports opened by
                             vtk, meshio, NumPy and the glTF validator, the Python
                             package with Ray and notebooks, and half a minute of
                             hostile input for every reader
  cargo xtask web            build the player and the page with the engine in it, which
                             the next build of the program takes in for `pliant view`
                             and reports; needs Node, the page a compiler for wasm32
  cargo xtask python         build the wheel of the Python package, install it into a
                             clean environment, run its tests and check its stubs;
                             needs Python 3.11 or newer. `quick` does what test does,
                             `long` what test all does: Ray, notebooks and more
  cargo xtask figures [SCENE] make the pictures of README and book from runs of scenes
  cargo xtask readers        export runs in every format and open the files with vtk,
                             meshio, NumPy and the glTF validator, as test all does
  cargo xtask bench [NAME]   build and run the benchmarks; arguments are passed on
  cargo xtask bench python   the cost of calls from Python beside that of Rust
  cargo xtask bench web      the engine in wasm32 beside the program, the page's size
                             and start
  cargo xtask bench all [TABLE]  make the tables of the book anew, all or some
  cargo xtask fuzz [TARGET]  hostile input for every reader, two minutes each;
                             --seconds N, --inputs N, --seed S, --input FILE
  cargo xtask bless          rewrite the golden files and the generated page of the
                             book from what the code does now; then read the diff
  cargo xtask deny           licences, sources and duplicates of all dependencies;
                             the first time builds cargo-deny, which takes minutes
  cargo xtask help           this text

You need Rust 1.95 and a C linker (on Debian: gcc and libc6-dev). What else is
missing, demo and test install when run by root on Debian, and otherwise name the
command that does. Tools that they build are kept in the target folder.

Exit codes: 0 all is well, 1 a step failed, 2 wrong arguments or something missing
on this machine. demo, bench and fuzz end with the code of the program that they run.
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (command, rest) = match arguments.split_first() {
        Some((command, rest)) => (command.as_str(), rest),
        None => ("help", &[][..]),
    };
    let done = match command {
        "demo" => tasks::demo(rest),
        "bench" if rest.first().is_some_and(|word| word == "all") => tables::write(&rest[1..]),
        "bench" if rest == ["python"] => python::bench(),
        "bench" => tasks::bench(rest),
        "fuzz" => tasks::fuzz(rest),
        "test" if rest == ["all"] => tasks::test_all(),
        "test" => without(rest).and_then(|()| tasks::test()),
        "web" => without(rest).and_then(|()| web::build()),
        "python" if rest == ["quick"] => python::smoke(),
        "python" if rest == ["long"] => python::long(),
        "python" => without(rest).and_then(|()| python::all()),
        "figures" => figures::make(rest),
        "readers" => without(rest).and_then(|()| readers::open_files()),
        "bless" => without(rest).and_then(|()| tasks::bless()),
        "deny" => without(rest).and_then(|()| tasks::deny()),
        "help" | "--help" | "-h" => {
            print!("{HELP}");
            Ok(())
        }
        unknown => Err(steps::Failure::machine(format!(
            "there is no task `{unknown}`; `cargo xtask help` lists them"
        ))),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("cargo xtask {command}: {}", failure.message);
            ExitCode::from(failure.code)
        }
    }
}

/// Refuses arguments to a task that takes none.
fn without(arguments: &[String]) -> Result<(), steps::Failure> {
    match arguments.first() {
        None => Ok(()),
        Some(first) => {
            Err(steps::Failure::machine(format!("takes no arguments, and `{first}` was given")))
        }
    }
}
