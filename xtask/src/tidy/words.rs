//! Words that gave way to those of the field do not come back.
//!
//! [`RETIRED`] must not stand in any program or document. [`LEFT`] still do, as identifiers: their counts
//! may only shrink, and whoever shrinks one lowers its number here.

use super::{file, has_word, none, ours};
use crate::repository::TextFile;

/// Old names of types, modules, keys and phrases.
const RETIRED: [&str; 70] = [
    "Touch",
    "Drift",
    "recall",
    "Wholes",
    "lens",
    "most_rounds",
    "stuffs",
    "culprit",
    "carry_out",
    "Poke",
    "Stones",
    "Course",
    "Remembered",
    "Pressure",
    "Ridge",
    "Passing",
    "Demands",
    "InContact",
    "WithRigid",
    "Backtrack",
    "InParts",
    "InTurn",
    "Relaxed::new",
    "Watcher",
    "Stopwatch::from_spent",
    "BodyStarts",
    "Rigids",
    "Escapes",
    "Escape",
    "Holders",
    "Gathered",
    "Culprit",
    "SurfaceForm",
    "Fidelity",
    "Bodily",
    "BodilySettings",
    "Leap",
    "Pursuit",
    "Question",
    "takes_rows",
    "rigid_ends",
    "from_outside",
    "after_under",
    "travellers",
    "move_whole_bodies",
    "lessen",
    "is_loose",
    "is_spoken_for",
    "turn_ease",
    "proximity2d",
    "respond::",
    "mesh_file",
    "outline_file",
    "ShownFault",
    "FaultKind",
    "chores",
    "even_cuts",
    "cut_evenly",
    "crowded",
    "crowded_faces",
    "folded_tets",
    "inside_out_pieces",
    "unit 1",
    "a truth",
    "look_ahead =",
    "mends",
    "mended",
    "as one likes",
    "nothing to remark",
    "hang together",
];

/// Words that are left, and in how many lines at most.
const LEFT: [(&str, usize); 19] = [
    ("told", 1),
    ("tells", 1),
    ("tell", 1),
    ("Push", 3),
    ("ways", 115),
    ("grip", 5),
    ("beads", 2),
    ("drifts", 3),
    ("rounds", 24),
    ("Stuff", 24),
    ("stuff", 9),
    ("cuts", 64),
    ("fault", 184),
    ("faults", 3),
    ("Spot", 10),
    ("ask", 12),
    ("Wanted", 14),
    ("passage", 0),
    ("demands", 3),
];

/// Lines of programs and documents that hold a retired word; a few files may.
fn retired(files: &[TextFile]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files.iter().filter(|file| !is_exempt(&file.path)) {
        for (index, line) in file.text.lines().enumerate() {
            let found = RETIRED.iter().find(|word| stands(line, word));
            complaints.extend(found.map(|word| {
                format!("{}:{}: `{word}` is retired, see the glossary", file.path, index + 1)
            }));
        }
    }
    complaints
}

fn stands(line: &str, word: &str) -> bool {
    let is_name = word.chars().all(|c| c.is_alphanumeric() || c == '_');
    if is_name { has_word(line, word) } else { line.contains(word) }
}

fn is_exempt(path: &str) -> bool {
    // The changelog says what was renamed.
    path.starts_with("xtask/")
        || path.ends_with("pliant-scene/src/aliases.rs")
        || path == "CHANGELOG.md"
        || path == "STYLE.md"
}

/// Lines with each of the words that are left.
fn counts(files: &[TextFile]) -> Vec<(&'static str, usize)> {
    let lines = |word: &str| {
        let ours = files.iter().filter(|file| !is_exempt(&file.path));
        ours.flat_map(|file| file.text.lines()).filter(|line| has_word(line, word)).count()
    };
    LEFT.iter().map(|(word, _)| (*word, lines(word))).collect()
}

#[test]
fn no_retired_word_stands_in_a_program() {
    none(&retired(&ours(&[".rs", ".wgsl", ".md"])));
    let found = |text: &str| retired(&[file("crates/a.rs", text)]).len();
    assert_eq!(found("use crate::solve::Stones;"), 1);
    assert_eq!(found("/// Share, unit 1."), 1);
    assert_eq!(found("let Stonesy = 1;"), 0);
}

#[test]
fn words_that_are_left_only_become_fewer() {
    let files = ours(&[".rs"]);
    let grown = counts(&files).into_iter().zip(LEFT).filter(|((_, now), (_, most))| now > most);
    none(
        &grown
            .map(|((word, now), (_, most))| {
                format!("`{word}` stands in {now} lines, {most} were left")
            })
            .collect::<Vec<_>>(),
    );
}
