//! Pliant beside its peers, on the same input in the same run.
//!
//! `cargo xtask bench NAME` runs one of these; each prints a table for the book.

use std::process::ExitCode;

mod mesh;

mod scenes;

mod depth;

mod parry;

mod dynamics;

mod run;

mod settle;

mod random;

mod impacts;

mod rigid;

mod world;

mod claims;

mod proximity;

mod separate;

mod rows;

mod engine;

mod data;

mod many;

mod machine;

mod allocations;

mod timing;

fn main() -> ExitCode {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match wanted.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => mesh::run(&[]),
        ["mesh", ref tables @ ..] => mesh::run(tables),
        ["depth", "ours", scene, steps] => depth::run_ours(scene, steps),
        ["depth", ref scenes @ ..] => depth::run(scenes),
        ["dynamics", "ours", scene, method, frames] => dynamics::run_ours(scene, method, frames),
        ["dynamics", ref scenes @ ..] => dynamics::run(scenes),
        ["header"] => {
            println!("{}\n{}", machine::machine(), machine::date());
            Ok(())
        }
        ["run"] => run::run(),
        ["settle", ref arguments @ ..] => settle::run(arguments),
        ["impacts", ref arguments @ ..] => impacts::run(arguments),
        ["random", ref arguments @ ..] => random::run(arguments),
        ["rigid", "ours", scene, steps] => rigid::run_ours(scene, steps),
        ["rigid", ref arguments @ ..] => rigid::run(arguments),
        ["world", "ours", what, side, count] => world::run_ours(what, side, count),
        ["world", ref arguments @ ..] => world::run(arguments),
        ["claims", ref arguments @ ..] => claims::run(arguments),
        ["proximity", ref arguments @ ..] => proximity::run(arguments),
        ["separate", ref arguments @ ..] => separate::run(arguments),
        _ => Err(format!(
            "no such benchmark: {}; there are: mesh, depth, dynamics, run, settle, impacts, random, rigid, \
             world, claims, proximity, separate",
            wanted.join(" ")
        )),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::from(2)
        }
    }
}
