//! Tables of the book: each names its command and is not older than the code allows.

use super::{file, none, ours};
use crate::repository::{TextFile, root};
use crate::tables::{DOT, FOLDER, TABLES};
use std::process::Command;

/// Commits to the measured code after which a table must be made anew.
const MOST_BEHIND: usize = 80;

/// Commits to some paths since a commit; `None` where the history does not reach it.
type Behind<'a> = &'a dyn Fn(&str, &[&str]) -> Option<usize>;

/// What the first line of a table says.
#[derive(Debug, PartialEq, Eq)]
struct Header<'a> {
    command: &'a str,
    machine: &'a str,
    date: &'a str,
    versions: &'a str,
    commit: &'a str,
    /// Paths from the root.
    measures: Vec<&'a str>,
}

impl<'a> Header<'a> {
    /// Reads the first line of a table.
    fn read(text: &'a str) -> Option<Header<'a>> {
        let line = text.lines().next()?.strip_suffix('.')?;
        let [command, machine, date, versions, commit, measures] =
            line.split(DOT).collect::<Vec<_>>()[..]
        else {
            return None;
        };
        let quoted = |text: &'a str| text.strip_prefix('`')?.strip_suffix('`');
        Some(Header {
            command: quoted(command)?,
            machine,
            date,
            versions,
            commit: commit.strip_prefix("commit ")?,
            measures: measures.strip_prefix("measures ")?.split(", ").filter_map(quoted).collect(),
        })
    }
}

/// Tables without a command, of an unknown one, or too old.
fn complaints(documents: &[TextFile], behind: Behind<'_>) -> Vec<String> {
    let mut found = Vec::new();
    let tables = documents.iter().filter_map(|d| Some((d.path.strip_prefix(FOLDER)?, d)));
    for (name, document) in tables {
        let mut complain = |what: String| found.push(format!("{FOLDER}{name}: {what}"));
        let Some(header) = Header::read(&document.text) else {
            complain("its first line does not say what made it; see xtask/src/tables.rs".into());
            continue;
        };
        let table = TABLES.iter().find(|table| name.strip_suffix(".md") == Some(table.name));
        let Some(table) = table else {
            complain("no benchmark makes it".into());
            continue;
        };
        let command = format!("cargo xtask bench {}", table.arguments.join(" "));
        if header.command != command || header.measures != table.measures {
            complain(format!("it is made by `{command}`, of other code or by another command"));
        }
        if [header.machine, header.date, header.versions].contains(&"") {
            complain("machine, date or versions are missing".into());
        }
        let commit = header.commit.split(' ').next().unwrap_or_default();
        match behind(commit, &header.measures) {
            Some(count) if count > MOST_BEHIND => complain(format!(
                "{count} commits behind the code it measures, at most {MOST_BEHIND}: run \
                 `cargo xtask bench all {}`",
                table.name
            )),
            Some(_) => {}
            None => complain(format!("there is no commit `{commit}`")),
        }
    }
    for table in &TABLES {
        let path = format!("{FOLDER}{}.md", table.name);
        if !documents.iter().any(|document| document.path == path) {
            found.push(format!("{path} is missing"));
        }
    }
    found
}

/// Asks git; a history without the commit is an error unless it was cut off on purpose.
fn behind(commit: &str, paths: &[&str]) -> Option<usize> {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").current_dir(root()).args(arguments).output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        output.status.success().then_some(text)
    };
    // Without a whole history nothing is known, and nothing is complained about.
    if git(&["rev-parse", "--is-shallow-repository"]).is_none_or(|shallow| shallow == "true") {
        return Some(0);
    }
    let range = format!("{commit}..HEAD");
    git(&[&["rev-list", "--count", &range, "--"], paths].concat())?.parse().ok()
}

#[test]
fn every_table_names_its_command_and_is_young_enough() {
    none(&complaints(&ours(&[".md"]), &behind));
}

#[test]
fn tables_that_are_old_or_say_nothing_are_complained_about() {
    let table = &TABLES[0];
    let path = format!("{FOLDER}{}.md", table.name);
    let measures: Vec<String> = table.measures.iter().map(|path| format!("`{path}`")).collect();
    let good = format!(
        "`cargo xtask bench {}` · a machine · 2026-11-17 · rustc · commit abc and changes · \
         measures {}.\n\n| a |\n",
        table.arguments.join(" "),
        measures.join(", ")
    );
    let check = |text: &str, count: Option<usize>| {
        let documents = [file(&path, text)];
        let mut found = complaints(&documents, &|_, _| count);
        // The other tables are missing here.
        found.retain(|complaint| !complaint.ends_with("is missing"));
        found
    };
    assert_eq!(check(&good, Some(MOST_BEHIND)), Vec::<String>::new());
    assert_eq!(check(&good, Some(MOST_BEHIND + 1)).len(), 1);
    assert_eq!(check(&good, None), [format!("{path}: there is no commit `abc`")]);
    assert_eq!(check(&good.replace("bench", "run"), Some(0)).len(), 1);
    assert_eq!(check("| scene | ms |\n", Some(0)).len(), 1);
    let stranger = [file("book/tables/other.md", &good)];
    assert!(complaints(&stranger, &|_, _| Some(0))[0].ends_with("no benchmark makes it"));
    assert!(complaints(&[], &|_, _| Some(0))[0].ends_with("is missing"));
}

#[test]
fn a_first_line_is_read_as_it_is_written() {
    let line = "`cargo xtask bench run` · a machine, 2 cores · 2026-11-17 · rustc 1.95.0 · \
                commit 0123456789ab · measures `a/b`, `c`.";
    let header = Header::read(line).unwrap();
    assert_eq!((header.command, header.date), ("cargo xtask bench run", "2026-11-17"));
    assert_eq!((header.commit, &header.measures[..]), ("0123456789ab", &["a/b", "c"][..]));
    assert_eq!(Header::read("| scene | ms |"), None);
    assert_eq!(Header::read(""), None);
}
