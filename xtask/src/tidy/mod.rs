//! What STYLE.md asks and no compiler checks, as tests over the whole repository.
//!
//! Each check takes text and returns complaints, one line each, so that every one
//! is also shown a small bad input here and seen to complain.

mod sources;

mod layers;

mod panics;

mod words;

mod documents;

mod book;

mod tables;

mod citations;

mod manifests;

use crate::repository::{TextFile, files, root};

/// Endings of files that hold a program.
const PROGRAMS: [&str; 6] = [".rs", ".wgsl", ".ts", ".py", ".sh", "run"];

/// Endings of files that hold text of ours.
const TEXTS: [&str; 12] =
    [".rs", ".wgsl", ".ts", ".py", ".sh", "run", ".md", ".toml", ".json", ".yml", ".html", ".css"];

/// Files of the repository with one of these endings.
fn ours(endings: &[&str]) -> Vec<TextFile> {
    files(&root(), endings).unwrap()
}

/// Fails with all complaints, so that they can be mended in one go.
#[track_caller]
fn none(complaints: &[String]) {
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

/// One file for a check to complain about.
fn file(path: &str, text: &str) -> TextFile {
    TextFile { path: path.to_owned(), text: text.to_owned() }
}

/// Whether `word` stands in `line` with nothing of a name directly before or after.
fn has_word(line: &str, word: &str) -> bool {
    let part_of_name = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(start, _)| {
        let before = line[..start].chars().next_back();
        let after = line[start + word.len()..].chars().next();
        !before.is_some_and(part_of_name) && !after.is_some_and(part_of_name)
    })
}

#[test]
fn words_are_whole() {
    assert!(has_word("a wax, b", "wax"));
    assert!(!has_word("waxy or earwax or my_wax", "wax"));
}
