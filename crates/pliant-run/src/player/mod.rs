//! Runs inside a page that plays them: `pliant view`, and the player in a report.
//!
//! ```text
//! recording, series, summary ─▶ pack (quantised, deflated, base64) ┐
//! page of `cargo xtask web` ─▶ its parts ──────────────────────────┴▶ one HTML file
//! ```
//!
//! The page itself is TypeScript in `web/`. Whoever has it hands its text to [`Player::new`];
//! nothing here depends on whether it was built.

use std::fmt::Write;

mod varint;

pub(crate) mod mesh;

mod penetration;

mod outlines;

mod fields;

mod layers;

mod frames;

pub mod pack;

pub mod view;

#[cfg(test)]
mod tests;

use crate::report::text::escaped;
pub use pack::{PackedRun, RunData, pack};

/// Version of the layout of packed runs; the page refuses newer ones.
pub const FORMAT: u32 = 2;

/// What makes the page, for those who do not have it.
pub const COMMAND: &str = "cargo xtask web";

/// Bytes of all packed runs of one page, at most: pages stay below 10 MB.
pub const MOST_BYTES: usize = 8_500_000;

/// Where the packed runs go.
const RUNS: &str = "<!--pliant:runs-->";

/// The title of the page as it is built.
const TITLE: &str = "<title>Pliant</title>";

/// Around the style sheet and around the script.
const STYLE: [&str; 2] = ["<!--pliant:style-->", "<!--/pliant:style-->"];
const SCRIPT: [&str; 2] = ["<!--pliant:script-->", "<!--/pliant:script-->"];

/// The page that plays runs, without any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Player<'a> {
    page: &'a str,
    style: &'a str,
    script: &'a str,
}

impl<'a> Player<'a> {
    /// The player in a page; `None` if the text is not one that the task `web` built.
    pub fn new(page: &'a str) -> Option<Player<'a>> {
        let has_places = page.matches(RUNS).count() == 1 && page.contains(TITLE);
        let [style, script] = [between(page, STYLE)?, between(page, SCRIPT)?];
        has_places.then_some(Player { page, style, script })
    }

    /// One self-contained page that plays the runs, side by side if there are several.
    pub fn page(&self, title: &str, runs: &[PackedRun]) -> String {
        let title = format!("<title>{} – Pliant</title>", escaped(title));
        self.page.replacen(TITLE, &title, 1).replacen(RUNS, &elements(runs, None), 1)
    }

    /// The same as elements for the body of a report, whose plots follow its time.
    pub fn elements(&self, runs: &[PackedRun]) -> String {
        format!(
            "{}\n<div id=\"pliant-player\" class=\"pliant-player\" data-in-report></div>\n{}{}\n",
            self.style,
            elements(runs, None),
            self.script
        )
    }

    /// Groups of runs to choose from, each shown side by side, as elements for a page.
    pub fn groups(&self, groups: &[(&str, Vec<PackedRun>)]) -> String {
        let runs = groups.iter().map(|(name, runs)| elements(runs, Some(name)));
        let runs: String = runs.collect();
        let root = "<div id=\"pliant-player\" class=\"pliant-player framed\"></div>";
        format!("{}\n{root}\n{runs}{}\n", self.style, self.script)
    }
}

/// The text between two marks.
fn between<'a>(page: &'a str, [begin, end]: [&str; 2]) -> Option<&'a str> {
    let (_, rest) = page.split_once(begin)?;
    Some(rest.split_once(end)?.0)
}

/// Packed runs as elements that no browser runs or shows, of a group if there are several.
fn elements(runs: &[PackedRun], group: Option<&str>) -> String {
    let mut html = String::new();
    let group = group.map_or(String::new(), |name| format!("data-group=\"{}\" ", escaped(name)));
    for run in runs {
        // Writing to a text cannot fail.
        let _ = writeln!(
            html,
            "<script type=\"application/x-pliant-run\" data-format=\"{FORMAT}\" \
             {group}data-name=\"{}\">{}</script>",
            escaped(&run.name),
            run.base64
        );
    }
    html
}
