//! Rules for documents: paths and links lead somewhere, and nothing names a machine.

use super::{TEXTS, file, none, ours};
use crate::repository::{TextFile, root};
use std::path::Path;

/// The map of the repository.
const MAP: &str = "ARCHITECTURE.md";

/// Most lines of the map: longer ones are not read.
const MAX_MAP_LINES: usize = 150;

/// Folders from which the map may count, to keep its paths short.
const MAP_FOLDERS: [&str; 3] = ["", "crates", "crates/pliant/src"];

/// Endings that make a word in backticks a path even without a slash.
const PATH_ENDINGS: [&str; 5] = [".rs", ".toml", ".md", ".lock", ".wgsl"];

/// Beginnings of paths that exist on one machine only, split so as not to stand here.
const MACHINES: [&str; 5] = [
    concat!("/ho", "me/"),
    concat!("/ro", "ot/"),
    concat!("/t", "mp/"),
    concat!("/Us", "ers/"),
    concat!("/wo", "rk/"),
];

/// What stands before the target of a link.
const LINK_STARTS: [(&str, char); 3] = [("](", ')'), ("src=\"", '"'), ("href=\"", '"')];

/// Paths in backticks in the map that lead nowhere.
fn lost_paths(map: &str, root: &Path) -> Vec<String> {
    // Odd pieces stand between backticks.
    let words = map.split('`').skip(1).step_by(2).filter(|word| is_path(word));
    let exists = |word: &str| MAP_FOLDERS.iter().any(|from| root.join(from).join(word).exists());
    let lost = words.filter(|word| !exists(word));
    lost.map(|word| format!("{MAP} names `{word}`, which does not exist")).collect()
}

fn is_path(word: &str) -> bool {
    let letters = |c: char| c.is_ascii_alphanumeric() || "_./-".contains(c);
    let ends = PATH_ENDINGS.iter().any(|ending| word.ends_with(ending));
    !word.is_empty() && word.chars().all(letters) && (word.contains('/') || ends)
}

/// Links to files of the repository that lead nowhere.
fn lost_links(documents: &[TextFile], root: &Path) -> Vec<String> {
    let mut complaints = Vec::new();
    for document in documents {
        let folder = root.join(&document.path);
        let folder = folder.parent().unwrap_or(root);
        let targets = links(&document.text).into_iter();
        for target in targets.filter(|target| !folder.join(target).exists()) {
            complaints.push(format!("{} links to {target}, which does not exist", document.path));
        }
    }
    complaints
}

/// Targets of all links to files, without what follows `#`.
fn links(markdown: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut fenced = false;
    for line in markdown.lines() {
        fenced ^= line.trim_start().starts_with("```");
        // Even pieces stand outside of backticks; a link's text may hold some, its target not.
        let mut pieces = line.split('`').step_by(2).filter(|_| !fenced);
        let definition = line.starts_with('[').then(|| line.split_once("]: ")).flatten();
        found.extend(definition.map(|(_, target)| target));
        found.extend(pieces.by_ref().flat_map(targets));
    }
    let bare = found.into_iter().map(|target| target.split([' ', '#']).next().unwrap_or(target));
    bare.filter(|target| !target.is_empty() && !target.contains(':')).collect()
}

fn targets(piece: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for (start, end) in LINK_STARTS {
        found.extend(piece.split(start).skip(1).filter_map(|rest| rest.split(end).next()));
    }
    found
}

fn machine_paths(files: &[TextFile]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files {
        for (index, line) in file.text.lines().enumerate() {
            let named = MACHINES.into_iter().find(|path| begins_a_path(line, path));
            let said = named.map(|path| format!("{}:{}: names {path}", file.path, index + 1));
            complaints.extend(said);
        }
    }
    complaints
}

/// Whether `path` stands in `line` and is not the middle of a longer path.
fn begins_a_path(line: &str, path: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || "_.-~}".contains(c);
    line.match_indices(path).any(|(start, _)| !line[..start].ends_with(inside))
}

#[test]
fn every_path_on_the_map_exists() {
    let map = std::fs::read_to_string(root().join(MAP)).unwrap();
    none(&lost_paths(&map, &root()));
    let bad =
        "see `crates/nowhere/`, `STYLE.md`, `mesh/problems`, `no.rs`, `f64` and `cargo xtask a/b`";
    let complaints = lost_paths(bad, &root());
    assert!(complaints[0].contains("`crates/nowhere/`"), "{complaints:?}");
    assert!(complaints[1].contains("`no.rs`"), "{complaints:?}");
    assert_eq!(complaints.len(), 2, "{complaints:?}");
}

#[test]
fn the_map_is_short() {
    let map = std::fs::read_to_string(root().join(MAP)).unwrap();
    let count = map.lines().count();
    assert!(count <= MAX_MAP_LINES, "{MAP} has {count} lines, more than {MAX_MAP_LINES}");
}

#[test]
fn every_link_leads_somewhere() {
    none(&lost_links(&ours(&[".md"]), &root()));
    let text = "[a](no.md) [`b`](STYLE.md#names) [c](https://x.y/z) [d](#e) `[f](code.md)`\n\
                ```\n[g](fenced.md)\n```\n<img src=\"no.png\">\n[h]: gone.md \"title\"\n";
    let complaints = lost_links(&[file("A.md", text)], &root());
    let expected = ["no.md", "no.png", "gone.md"];
    let expected = expected.map(|lost| format!("A.md links to {lost}, which does not exist"));
    assert_eq!(complaints, expected);
    assert_eq!(lost_links(&[file("book/A.md", "[a](../STYLE.md)")], &root()), [""; 0]);
}

#[test]
fn no_text_names_a_machine() {
    none(&machine_paths(&ours(&TEXTS)));
    for path in MACHINES {
        let found = machine_paths(&[file("a.md", &format!("x\nsee `{path}notes`"))]);
        assert_eq!(found, [format!("a.md:2: names {path}")]);
        assert_eq!(machine_paths(&[file("a.md", &format!("from our{path}bench"))]), [""; 0]);
    }
}
