//! `pliant papers`: the documents' methods, with what runs them, their code and their tests.

use std::fmt::Write;
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;

use crate::show::{self, DIM, EarlyExit, HEADING, WARNING, plain};

/// Made by `cargo xtask bless` from the tags in the doc comments.
const TABLE: &str = include_str!("papers.tsv");

/// What `pliant papers --help` ends with.
pub const AFTER_HELP: &str = "\
Examples:
  pliant papers
  pliant papers Hoff01 --all
  pliant papers --json

Without --all, only what is implemented is listed; with it also where the code departs from a
document and where a document is wrong. A method without a command is run by its test alone.

With --json, one object on stdout:
  {\"papers\":[{\"key\",\"entry\",\"methods\":[{\"place\",\"tag\":\"implements|deviates|erratum\",
    \"what\",\"file\",\"item\",\"command\",\"test\"}]}]}
`item`, `command` and `test` are null where there is none.";

/// Arguments of `pliant papers`.
#[derive(Args)]
pub struct PapersArguments {
    /// List where the code departs from the documents, and their errors, too
    #[arg(long)]
    all: bool,
    /// Print one JSON object instead of a list
    #[arg(long)]
    json: bool,
    /// Key of one document, such as Hoff01; all when left out
    #[arg(value_name = "KEY")]
    key: Option<String>,
}

/// The methods of one document.
#[derive(Debug, Serialize)]
struct Paper<'a> {
    key: &'a str,
    entry: &'a str,
    methods: Vec<Method<'a>>,
}

/// One method, deviation or erratum.
#[derive(Debug, Serialize)]
struct Method<'a> {
    place: &'a str,
    tag: &'a str,
    what: &'a str,
    file: &'a str,
    item: Option<&'a str>,
    command: Option<&'a str>,
    test: Option<&'a str>,
}

#[derive(Serialize)]
struct Listed<'a> {
    papers: Vec<Paper<'a>>,
}

/// Prints the list.
pub fn run(arguments: &PapersArguments) -> Result<ExitCode, EarlyExit> {
    let mut papers = papers(TABLE);
    if let Some(key) = &arguments.key {
        let keys = || papers.iter().map(|paper| paper.key);
        let Some(at) = keys().position(|known| known.eq_ignore_ascii_case(key)) else {
            let there: Vec<&str> = keys().collect();
            let message =
                format!("no document has the key `{}`; there are {}", plain(key), there.join(", "));
            return Ok(show::usage_error(&message));
        };
        papers = vec![papers.swap_remove(at)];
    }
    if !arguments.all {
        papers.iter_mut().for_each(|paper| paper.methods.retain(|m| m.tag == "implements"));
        papers.retain(|paper| !paper.methods.is_empty());
    }
    if arguments.json {
        show::print_json(&Listed { papers })?;
    } else {
        show::print(&text(&papers))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads the table: `#`, key and entry of a document, then its rows.
fn papers(table: &str) -> Vec<Paper<'_>> {
    let mut papers: Vec<Paper<'_>> = Vec::new();
    for line in table.lines() {
        let cells: Vec<&str> = line.split('\t').collect();
        match cells[..] {
            ["#", key, entry] => papers.push(Paper { key, entry, methods: Vec::new() }),
            [_, place, tag, what, file, item, command, test] => {
                let given = |text: &'static str, cell| (cell != text).then_some(cell);
                let [item, command, test] = [item, command, test].map(|cell| given("", cell));
                let method = Method { place, tag, what, file, item, command, test };
                if let Some(paper) = papers.last_mut() {
                    paper.methods.push(method);
                }
            }
            _ => {}
        }
    }
    papers
}

fn text(papers: &[Paper<'_>]) -> String {
    let mut text = String::new();
    for Paper { key, entry, methods } in papers {
        let _ = writeln!(text, "{HEADING}{key}{HEADING:#}  {DIM}{}{DIM:#}", entry.replace('*', ""));
        for method in methods {
            let Method { place, tag, what, file, item, command, test } = method;
            let tag = if *tag == "implements" { String::new() } else { format!("{tag}: ") };
            let _ =
                writeln!(text, "  {HEADING}{place}{HEADING:#}  {WARNING}{tag}{WARNING:#}{what}");
            let code = item.map_or(String::new(), |item| format!(" {item}"));
            let command = command.unwrap_or("(by its test alone)");
            let _ = writeln!(text, "      {command}");
            let _ =
                writeln!(text, "      {DIM}{file}{code}; test {}{DIM:#}", test.unwrap_or("none"));
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_every_document_and_no_broken_line() {
        let papers = papers(TABLE);
        let keys: Vec<&str> = papers.iter().map(|paper| paper.key).collect();
        for key in ["Heidelberger04", "Spillmann05", "Hoff01", "Wang21"] {
            assert!(keys.contains(&key), "{key} {keys:?}");
        }
        let rows: usize = papers.iter().map(|paper| paper.methods.len() + 1).sum();
        assert_eq!(rows, TABLE.lines().count());
        let methods = || papers.iter().flat_map(|paper| &paper.methods);
        assert!(methods().all(|m| ["implements", "deviates", "erratum"].contains(&m.tag)));
        let lacking = methods().filter(|m| m.tag == "implements" && m.test.is_none()).count();
        assert_eq!(lacking, 0);
    }
}
