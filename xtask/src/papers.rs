//! The book's page from papers to code, made from the tags in doc comments.
//!
//! A tag is a list item such as `- Implements: [Spillmann05 eq. 2]` or `- Deviates: …`.
//! One that cites nothing speaks of what its own comment implements or cites,
//! else of what the file does; what is left speaks of a library or a format.

use crate::citation::{Citation, Reference, citations, leading, references};
use crate::repository::{TextFile, files};
use crate::source::{DocComment, doc_comments};
use crate::svg::{Bar, bars};
use std::cmp::Ordering;
use std::fs;
use std::io;
use std::path::Path;

/// The page, from the root.
pub const PAGE: &str = "book/src/papers-to-code.md";

/// The picture of citations, from the root.
pub const PICTURE: &str = "book/src/figures/citations.svg";

/// Where the sources stand, from the root.
const REFERENCES: &str = "REFERENCES.md";

/// The tags, and what the page calls them.
pub const TAGS: [(&str, &str); 3] =
    [("Implements:", "implements"), ("Deviates:", "deviates"), ("Erratum:", "erratum")];

/// What stands above the tables.
const HEAD: &str = "\
# Papers to code

Which function follows which formula, where it departs from the page, and where we
think the page is wrong. The tables are made from the `Implements:`, `Deviates:` and
`Erratum:` tags in the doc comments, by `cargo xtask bless`; a test fails when they
are out of date. The keys are those of `REFERENCES.md`.
";

/// One line of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Source; empty when the tag speaks of none.
    pub key: String,
    /// Where in the source; may be empty.
    pub place: String,
    /// Name of the tag, in lower case.
    pub kind: &'static str,
    /// What is implemented, or done otherwise, or wrong.
    pub what: String,
    /// File and item, in Markdown.
    pub code: String,
}

/// One tag of a doc comment.
struct Tag {
    kind: &'static str,
    text: String,
}

/// Writes the page and the picture of citations anew.
pub fn write(root: &Path) -> io::Result<()> {
    fs::write(root.join(PAGE), page(root)?)?;
    fs::write(root.join(PICTURE), picture(root)?)
}

/// How often the code cites each source, as bars.
pub fn picture(root: &Path) -> io::Result<String> {
    let sources = files(&root.join("crates"), &[".rs"])?;
    let known = references(&fs::read_to_string(root.join(REFERENCES))?);
    let all: Vec<Citation<'_>> = sources.iter().flat_map(|file| citations(&file.text)).collect();
    let bar = |reference: &Reference| {
        let count = all.iter().filter(|citation| citation.key == reference.key).count();
        Bar { name: reference.key.clone(), parts: vec![count] }
    };
    Ok(bars(&["citations in the code, by source"], &known.iter().map(bar).collect::<Vec<_>>()))
}

/// The page as it should stand.
pub fn page(root: &Path) -> io::Result<String> {
    let sources = files(&root.join("crates"), &[".rs"])?;
    let known = references(&fs::read_to_string(root.join(REFERENCES))?);
    Ok(render(&rows(&sources), &known))
}

/// One row for each tag of all sources and each place that it cites.
pub fn rows(sources: &[TextFile]) -> Vec<Row> {
    let mut rows = Vec::new();
    for file in sources {
        let comments = doc_comments(&file.text);
        let of_file = comments.iter().find(|comment| comment.item.is_empty());
        let of_file = of_file.map(|comment| comment.lines.join("\n")).unwrap_or_default();
        let of_file = citations(&of_file).first().copied();
        for comment in &comments {
            rows.extend(comment_rows(comment, of_file, &format!("crates/{}", file.path)));
        }
    }
    rows
}

/// The rows of one comment; `of_file` is what the file as a whole follows.
fn comment_rows(comment: &DocComment, of_file: Option<Citation>, path: &str) -> Vec<Row> {
    let code = match comment.item.as_str() {
        "" => format!("`{path}`"),
        item => format!("`{path}`: `{item}`"),
    };
    let tags = tags(comment);
    let implemented = tags.iter().filter(|tag| tag.kind == "implements");
    let implemented = implemented.flat_map(|tag| citations(&tag.text)).next();
    let text = comment.lines.join("\n");
    let own = implemented.or_else(|| citations(&text).first().copied()).or(of_file);

    let mut rows = Vec::new();
    for tag in &tags {
        let row = |citation: Option<Citation>| Row {
            key: citation.map(|c| c.key.to_owned()).unwrap_or_default(),
            place: citation.map(|c| c.place.to_owned()).unwrap_or_default(),
            kind: tag.kind,
            what: what(&tag.text, comment),
            code: code.clone(),
        };
        let cited = citations(&tag.text);
        match cited.is_empty() {
            true => rows.push(row(own)),
            false => rows.extend(cited.into_iter().map(|citation| row(Some(citation)))),
        }
    }
    rows
}

/// The tags of one comment, each joined into one line.
fn tags(comment: &DocComment) -> Vec<Tag> {
    let mut tags: Vec<Tag> = Vec::new();
    let mut open = false;
    for line in &comment.lines {
        if let Some((kind, text)) = tag_start(line) {
            tags.push(Tag { kind, text: text.trim().to_owned() });
            open = true;
        } else if line.trim().is_empty() || line.starts_with("- ") {
            open = false;
        } else if let Some(last) = tags.last_mut().filter(|_| open) {
            last.text += " ";
            last.text += line.trim();
        }
    }
    tags
}

/// Kind and text of a tag whose list item begins on this line.
pub fn tag_start(line: &str) -> Option<(&'static str, &str)> {
    let item = line.strip_prefix("- ")?;
    TAGS.iter().find_map(|&(tag, kind)| Some((kind, item.strip_prefix(tag)?)))
}

/// What a tag says beside its citations, or else what its item is for.
fn what(text: &str, comment: &DocComment) -> String {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches([' ', ',', ';', ':', '.']);
        let joined = rest.strip_prefix("and ").unwrap_or(rest);
        match leading(joined) {
            Some((_, after)) => rest = after,
            None => break,
        }
    }
    let said = if rest.is_empty() { comment.summary() } else { rest.to_owned() };
    // Links into the docs lead nowhere in the book, and a bar would end the cell.
    said.replace("[`", "`").replace("`]", "`").replace('|', "\\|")
}

fn render(rows: &[Row], known: &[Reference]) -> String {
    let mut page = HEAD.to_owned();
    if rows.is_empty() {
        page += "\nNothing is tagged yet.\n";
    }
    page += &chart(rows, known);
    for reference in known {
        let title = format!("{}\n\n{}", reference.key, reference.entry);
        page += &table(&title, rows.iter().filter(|row| row.key == reference.key));
    }
    let unknown = |row: &&Row| known.iter().all(|reference| reference.key != row.key);
    page + &table("Libraries and formats", rows.iter().filter(unknown))
}

/// Tags of each source by kind, as bars; nothing without tags.
fn chart(rows: &[Row], known: &[Reference]) -> String {
    let bar = |reference: &Reference| {
        let of = |kind: &str| {
            rows.iter().filter(|row| row.key == reference.key && row.kind == kind).count()
        };
        Bar { name: reference.key.clone(), parts: TAGS.iter().map(|(_, kind)| of(kind)).collect() }
    };
    let all = known.iter().map(bar).filter(|bar| bar.parts.iter().any(|part| *part > 0));
    let all: Vec<Bar> = all.collect();
    let kinds = TAGS.map(|(_, kind)| kind);
    if all.is_empty() { String::new() } else { format!("\n{}", bars(&kinds, &all)) }
}

fn table<'a>(title: &str, rows: impl Iterator<Item = &'a Row>) -> String {
    let mut rows: Vec<&Row> = rows.collect();
    if rows.is_empty() {
        return String::new();
    }
    sort(&mut rows);
    let mut text = format!("\n## {title}\n\n| place | tag | what | code |\n|---|---|---|---|\n");
    for Row { place, kind, what, code, .. } in rows {
        text += &format!("| {place} | {kind} | {what} | {code} |\n");
    }
    text
}

/// Sorts rows of one source by place, then by code.
pub fn sort(rows: &mut [&Row]) {
    rows.sort_by(|a, b| by_number(&a.place, &b.place).then_with(|| a.code.cmp(&b.code)));
}

/// Orders texts with numbers in them as a reader counts: `eq. 2` before `eq. 10`.
fn by_number(a: &str, b: &str) -> Ordering {
    let is_digit = |c: char| c.is_ascii_digit();
    let (mut a, mut b) = (a, b);
    loop {
        let ends = (a.find(is_digit).unwrap_or(a.len()), b.find(is_digit).unwrap_or(b.len()));
        let words = a[..ends.0].cmp(&b[..ends.1]);
        if words.is_ne() || ends == (a.len(), b.len()) {
            return words;
        }
        let ((number_a, rest_a), (number_b, rest_b)) = (number(&a[ends.0..]), number(&b[ends.1..]));
        let numbers = number_a.cmp(&number_b);
        if numbers.is_ne() {
            return numbers;
        }
        (a, b) = (rest_a, rest_b);
    }
}

/// The number that a text begins with, −1 for none, and what follows it.
fn number(text: &str) -> (i64, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    (text[..end].parse().unwrap_or(-1), &text[end..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repository::root;

    /// Rows of one file as place, kind, what, item.
    #[track_caller]
    fn check(source: &str, expected: &[[&str; 4]]) {
        let file = TextFile { path: "pliant/src/a.rs".into(), text: source.into() };
        let found: Vec<[String; 4]> = rows(&[file])
            .into_iter()
            .map(|row| {
                let item = row.code.replace("`crates/pliant/src/a.rs`", "");
                [format!("{} {}", row.key, row.place), row.kind.into(), row.what, item]
            })
            .collect();
        assert_eq!(found, expected, "{source}");
    }

    #[test]
    fn a_bare_citation_is_explained_by_the_summary() {
        let source =
            "/// Averages.\n///\n/// - Implements: [Some04 eq. 1] and [Some04 eq. 3].\nfn f() {}";
        let row = |place| [place, "implements", "Averages.", ": `f`"];
        check(source, &[row("Some04 eq. 1"), row("Some04 eq. 3")]);
    }

    #[test]
    fn a_tag_runs_on_and_inherits_the_source_of_its_comment() {
        let source = "/// Averages.\n///\n/// - Implements: [Some04 eq. 1], the weight.\n\
                      /// - Deviates: a crossing\n///   decides alone.\n/// - an item of another kind\nfn f() {}";
        let place = "Some04 eq. 1";
        let deviates = [place, "deviates", "a crossing decides alone.", ": `f`"];
        check(source, &[[place, "implements", "the weight.", ": `f`"], deviates]);
    }

    #[test]
    fn without_a_citation_the_file_decides_and_else_nothing() {
        let tag = "/// Turns.\n///\n/// - Deviates: the other [`sign`], a|b.\nfn f() {}";
        let row = |place| [place, "deviates", "the other `sign`, a\\|b.", ": `f`"];
        check(&format!("//! After [Other p. 3].\n\n{tag}"), &[row("Other p. 3")]);
        check(tag, &[row(" ")]);
    }

    #[test]
    fn tables_follow_the_references_and_places_are_counted() {
        let source = "/// A.\n///\n/// - Implements: [Some04 eq. 10]; [Some04 eq. 9]; [Alt99 §1].\nfn f() {}";
        let file = TextFile { path: "a.rs".into(), text: source.into() };
        let known = [("Some04", "Some."), ("Alt99", "Alt.")]
            .map(|(key, entry)| Reference { key: key.into(), entry: entry.into() });
        let page = render(&rows(&[file]), &known);
        let order: Vec<usize> = ["## Some04", "| eq. 9 |", "| eq. 10 |", "## Alt99"]
            .map(|t| page.find(t).unwrap())
            .into();
        assert!(order.is_sorted(), "{page}");
    }

    #[test]
    fn numbers_in_places_are_counted() {
        for (a, b) in [("eq. 2", "eq. 10"), ("§3", "§3.1"), ("§3.9", "§3.10"), ("eq. 5", "p. 1")]
        {
            assert_eq!(by_number(a, b), Ordering::Less, "{a} {b}");
            assert_eq!(by_number(b, a), Ordering::Greater, "{b} {a}");
            assert_eq!(by_number(a, a), Ordering::Equal, "{a}");
        }
    }

    #[test]
    fn the_page_in_the_book_is_up_to_date() {
        if std::env::var_os("PLIANT_BLESS").is_some() {
            write(&root()).unwrap();
        }
        let stands = fs::read_to_string(root().join(PAGE)).unwrap_or_default();
        let fresh = stands.replace("\r\n", "\n") == page(&root()).unwrap();
        assert!(fresh, "{PAGE} is out of date: run `cargo xtask bless` and commit the page");
    }
}
