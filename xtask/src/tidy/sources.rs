//! Rules for programs: length, names, open work, and what the library never does.

use super::{PROGRAMS, file, has_word, none, ours};
use crate::repository::TextFile;

/// Most lines of a Rust file; STYLE.md asks to split there.
const MAX_LINES: usize = 800;

/// File names that say nothing about an idea.
const EMPTY_NAMES: [&str; 5] = ["common", "helpers", "misc", "util", "utils"];

/// Words of unfinished work, written so that this file does not contain them.
const OPEN_WORK: [&str; 5] = [
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("XX", "X"),
    concat!("to", "do!"),
    concat!("unimple", "mented!"),
];

/// How a test that is switched off begins.
const SWITCHED_OFF: &str = concat!("#[ig", "nore");

/// Modules of `std` that reach out of the library.
const OUTSIDE: [&str; 5] = ["fs", "time", "env", "net", "process"];

/// Macros that print.
const PRINTING: [&str; 5] = ["print!", "println!", "eprint!", "eprintln!", "dbg!"];

/// Where the library stands.
const LIBRARY: &str = "crates/pliant/src/";

fn too_long(files: &[TextFile]) -> Vec<String> {
    let long = files.iter().filter(|file| file.text.lines().count() > MAX_LINES);
    long.map(|file| format!("{} has more than {MAX_LINES} lines: split it", file.path)).collect()
}

fn empty_names(files: &[TextFile]) -> Vec<String> {
    let says_nothing = |file: &&TextFile| {
        let parts = file.path.trim_end_matches(".rs").split('/');
        parts.into_iter().any(|part| EMPTY_NAMES.contains(&part))
    };
    let named = files.iter().filter(says_nothing);
    named.map(|file| format!("{} is not named for an idea", file.path)).collect()
}

fn open_work(files: &[TextFile]) -> Vec<String> {
    complain(files, |line| {
        let word = OPEN_WORK.into_iter().find(|word| has_word(line, word));
        let word = word.or_else(|| line.contains(SWITCHED_OFF).then_some(SWITCHED_OFF))?;
        Some(format!("open work is an issue, not a `{word}`"))
    })
}

fn reaching_out(files: &[TextFile]) -> Vec<String> {
    let library = files.iter().filter(|file| file.path.starts_with(LIBRARY));
    complain(library, |line| {
        let code = line.split("//").next().unwrap_or(line);
        let list = code.split_once("std::{").map_or("", |(_, list)| list);
        let module = OUTSIDE
            .into_iter()
            .find(|module| has_word(code, &format!("std::{module}")) || has_word(list, module));
        let module = module.map(|module| format!("the library does not use std::{module}"));
        let printing = PRINTING.into_iter().find(|name| has_word(code, name));
        module.or_else(|| printing.map(|name| format!("the library does not use {name}")))
    })
}

/// One complaint for every line that `check` says something about.
fn complain<'a>(
    files: impl IntoIterator<Item = &'a TextFile>,
    check: impl Fn(&str) -> Option<String>,
) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files {
        for (index, line) in file.text.lines().enumerate() {
            let said = check(line);
            complaints.extend(said.map(|said| format!("{}:{}: {said}", file.path, index + 1)));
        }
    }
    complaints
}

#[test]
fn no_file_is_too_long() {
    none(&too_long(&ours(&[".rs"])));
    assert_eq!(too_long(&[file("a.rs", &"\n".repeat(MAX_LINES))]), [""; 0]);
    assert_eq!(too_long(&[file("a.rs", &"\n".repeat(MAX_LINES + 1))]).len(), 1);
}

#[test]
fn every_file_is_named_for_an_idea() {
    none(&empty_names(&ours(&[".rs"])));
    let bad = [file("crates/a/src/utils.rs", ""), file("crates/a/src/common/b.rs", "")];
    assert_eq!(empty_names(&bad).len(), 2);
    assert_eq!(empty_names(&[file("crates/a/src/commons.rs", "")]), [""; 0]);
}

#[test]
fn no_work_is_left_open() {
    none(&open_work(&ours(&PROGRAMS)));
    for word in OPEN_WORK.into_iter().chain([SWITCHED_OFF]) {
        let found = open_work(&[file("a.rs", &format!("fn f() {{\n    {word}(\"x\")\n}}"))]);
        assert_eq!(found, [format!("a.rs:2: open work is an issue, not a `{word}`")]);
    }
    assert_eq!(open_work(&[file("a.rs", "let todo = [\"XXXX\"];")]), [""; 0]);
}

#[test]
fn the_library_only_computes() {
    none(&reaching_out(&ours(&[".rs"])));
    let said = |line: &str| reaching_out(&[file("crates/pliant/src/a.rs", line)]).len();
    for bad in ["use std::fs;", "std::time::Instant", "use std::{fmt, env};", "println!(\"x\");"] {
        assert_eq!(said(bad), 1, "{bad}");
    }
    for good in ["use std::fmt;", "/// let b = std::fs::read(p);", "writeln!(f)", "use std::{fmt};"]
    {
        assert_eq!(said(good), 0, "{good}");
    }
    assert_eq!(reaching_out(&[file("crates/pliant-run/src/a.rs", "use std::fs;")]), [""; 0]);
}
