//! The book: every page can be reached, and has a figure.

use super::{file, none, ours};
use crate::repository::TextFile;

/// Where the pages stand.
const PAGES: &str = "book/src/";

/// The table of contents.
const SUMMARY: &str = "book/src/SUMMARY.md";

/// Pages of the book that its table of contents leaves out.
fn unlisted_pages(documents: &[TextFile]) -> Vec<String> {
    let summary = documents.iter().find(|document| document.path == SUMMARY);
    let summary = summary.map_or("", |summary| summary.text.as_str());
    let pages = documents.iter().filter_map(|document| document.path.strip_prefix(PAGES));
    let listed = |page: &str| {
        summary.contains(&format!("({page})")) || summary.contains(&format!("(./{page})"))
    };
    let unlisted = pages.filter(|page| *page != "SUMMARY.md" && !listed(page));
    unlisted.map(|page| format!("{PAGES}{page} is not in {SUMMARY}")).collect()
}

#[test]
fn every_page_is_in_the_table_of_contents() {
    none(&unlisted_pages(&ours(&[".md"])));
    let pages = [
        file(SUMMARY, "- [A](a.md)\n- [B](./parts/b.md)\n"),
        file("book/src/a.md", ""),
        file("book/src/parts/b.md", ""),
        file("book/src/b.md", ""),
        file("README.md", ""),
    ];
    assert_eq!(unlisted_pages(&pages), ["book/src/b.md is not in book/src/SUMMARY.md"]);
}

/// Pages of the book without a picture.
fn bare_pages(documents: &[TextFile]) -> Vec<String> {
    let is_page =
        |document: &&TextFile| document.path.starts_with(PAGES) && document.path != SUMMARY;
    let has_figure = |text: &str| ["![", "<svg", ".svg}}"].iter().any(|mark| text.contains(mark));
    let bare = documents.iter().filter(is_page).filter(|document| !has_figure(&document.text));
    bare.map(|document| format!("{} has no figure", document.path)).collect()
}

#[test]
fn every_page_has_a_figure() {
    none(&bare_pages(&ours(&[".md"])));
    let pages = [
        file(SUMMARY, ""),
        file("book/src/a.md", "![A](a.png)"),
        file("book/src/b.md", "{{#include figures/b.svg}}"),
        file("book/src/c.md", "words"),
        file("README.md", ""),
    ];
    assert_eq!(bare_pages(&pages), ["book/src/c.md has no figure"]);
}
