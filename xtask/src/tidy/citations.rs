//! Citations: every key is known, and every tag is found by the book.

use super::{file, none, ours};
use crate::citation::{Reference, citations, references};
use crate::papers::{TAGS, tag_start};
use crate::repository::{TextFile, root};
use crate::source::doc_comments;

/// Citations whose key REFERENCES.md does not have.
fn unknown_keys(sources: &[TextFile], known: &[Reference]) -> Vec<String> {
    let mut complaints = Vec::new();
    for source in sources {
        for comment in doc_comments(&source.text) {
            let text = comment.lines.join("\n");
            for citation in citations(&text) {
                if known.iter().all(|reference| reference.key != citation.key) {
                    complaints.push(format!(
                        "{}:{}: REFERENCES.md has no {}",
                        source.path, comment.line, citation.key
                    ));
                }
            }
        }
    }
    complaints
}

/// Tags that stand outside of a list, where the book does not look for them.
fn lost_tags(sources: &[TextFile]) -> Vec<String> {
    let mut complaints = Vec::new();
    for source in sources {
        for comment in doc_comments(&source.text) {
            for text in comment.lines.iter().filter_map(|line| lost_tag(line)) {
                complaints.push(format!("{}:{}: write `- {text}`", source.path, comment.line));
            }
        }
    }
    complaints
}

/// The text of a line that looks like a tag and is no list item.
fn lost_tag(line: &str) -> Option<&str> {
    let text = line.trim_start_matches(['*', '+', '-', ' ']);
    let tagged = TAGS.iter().any(|(tag, _)| text.starts_with(tag));
    (tagged && tag_start(line).is_none()).then_some(text)
}

/// Keys that stand in REFERENCES.md more than once.
fn double_keys(known: &[Reference]) -> Vec<String> {
    let mut keys: Vec<&str> = known.iter().map(|reference| reference.key.as_str()).collect();
    keys.sort_unstable();
    let double = keys.windows(2).filter(|pair| pair[0] == pair[1]);
    double.map(|pair| format!("REFERENCES.md has {} twice", pair[0])).collect()
}

/// Tests that the page of errata names and no source has.
fn missing_tests(page: &str, sources: &[TextFile]) -> Vec<String> {
    let cells = page.lines().filter_map(|line| line.strip_suffix("` |")?.rsplit('`').next());
    // A test of properties takes arguments.
    let is_there = |name: &str| {
        let head = format!("fn {name}(");
        sources.iter().any(|source| source.text.contains(&head))
    };
    let missing = cells.filter(|name| !is_there(name));
    missing.map(|name| format!("{ERRATA}: no test is called `{name}`")).collect()
}

/// The page of errata.
const ERRATA: &str = "book/src/errata.md";

#[test]
fn every_erratum_names_a_test_that_is_there() {
    let page = std::fs::read_to_string(root().join(ERRATA)).unwrap();
    assert!(page.matches("` |\n").count() > 50);
    let sources = ours(&[".rs"]);
    none(&missing_tests(&page, &sources));
    let bad = "| H1 | place | wrong | right | `nobody_shows_it` |\n";
    let expected = ["book/src/errata.md: no test is called `nobody_shows_it`"];
    assert_eq!(missing_tests(bad, &[file("a.rs", "fn somebody_shows_it() {}")]), expected);
}

fn ours_known() -> Vec<Reference> {
    references(&std::fs::read_to_string(root().join("REFERENCES.md")).unwrap())
}

#[test]
fn every_key_is_in_the_references() {
    let known = ours_known();
    assert!(!known.is_empty());
    none(&unknown_keys(&ours(&[".rs"]), &known));
    let bad = file("a.rs", "\n/// After [Nobody99 §1] and [Nemo p. 2].\nfn f() {}");
    let expected = ["a.rs:2: REFERENCES.md has no Nobody99", "a.rs:2: REFERENCES.md has no Nemo"];
    assert_eq!(unknown_keys(&[bad], &known), expected);
}

#[test]
fn every_key_stands_once() {
    none(&double_keys(&ours_known()));
    let twice = references("- `A`: x\n- `B`: y\n- `A`: z\n");
    assert_eq!(double_keys(&twice), ["REFERENCES.md has A twice"]);
}

#[test]
fn every_tag_stands_in_a_list() {
    none(&lost_tags(&ours(&[".rs"])));
    let bad = file(
        "a.rs",
        "/// A.\n///\n/// Implements: x\n/// * Deviates: y\n/// - Erratum: z\nfn f() {}",
    );
    let expected = ["a.rs:1: write `- Implements: x`", "a.rs:1: write `- Deviates: y`"];
    assert_eq!(lost_tags(&[bad]), expected);
}
