//! The report of a run, as one self-contained HTML page.
//!
//! ```text
//! rows ─▶ curves ─▶ plots ─▶ SVG ┐
//! summary, rows ─▶ findings ─────┼▶ page
//! ```
//!
//! The page makes no network requests, and has no scripts but those of the player, if it has one.
//! Curves are drawn by hand: plotters writes
//! colours into its SVG as numbers, and one page could not be light and dark.

use std::fmt::Write;

use crate::run::series::WIDTH;
use crate::summary::Summary;
use pliant_scene::loaded::RunInfo;

pub mod plot;

pub mod findings;

pub mod curves;

pub mod text;

mod sections;

pub mod run_report;

pub mod compared;

pub mod demonstration;

pub use curves::Overlaid;

/// The look of the page.
const STYLE: &str = include_str!("style.css");

/// Everything that a report shows.
#[derive(Clone, Copy, Debug)]
pub struct ReportData<'a> {
    /// What was run.
    pub info: &'a RunInfo,
    /// Its summary.
    pub summary: &'a Summary,
    /// The series, one row per recorded step; units as in [`curves`].
    pub rows: &'a [[f64; WIDTH]],
    /// The scene as resolved, TOML.
    pub resolved: &'a str,
    /// Description of the scene by its author; may be empty.
    pub description: &'a str,
    /// What it ran on: names and values.
    pub machine: &'a [(String, String)],
    /// Version of Pliant.
    pub version: &'a str,
    /// When it was run, as text; may be empty.
    pub date: &'a str,
    /// Pictures with their captions.
    pub pictures: &'a [Picture<'a>],
    /// The player with this run as elements of a page, where there is one.
    pub player: Option<&'a str>,
}

/// A picture in a report.
#[derive(Clone, Copy, Debug)]
pub struct Picture<'a> {
    /// What it shows.
    pub caption: &'a str,
    /// The bytes of a PNG file.
    pub png: &'a [u8],
    /// The same for dark pages, where there is one.
    pub dark: Option<&'a [u8]>,
}

/// The report as a page that stands alone.
///
/// Any text and any number may be in the data: text is escaped, non-finite values are reported.
pub fn html(data: &ReportData<'_>) -> String {
    let title = text::escaped(&data.summary.scene);
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"generator\" content=\"Pliant {}\">\n\
         <title>{title} – Pliant</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n",
        text::escaped(data.version)
    );
    page += &sections::head(data);
    page += &sections::findings(&findings::findings(data));
    page += &sections::tiles(data);
    page += &sections::player(data.player);
    page += &sections::pictures(data.pictures);
    let _ = write!(page, "<h2>Curves</h2>\n{}", figures(&curves::of_run(data.rows)));
    page += "<p class=\"quiet small\" style=\"margin-top:8px\">Gravitational energy counts from \
             the first row, and so does the total. Overlap is measured exactly, whatever the \
             response believes.</p>\n";
    page += &sections::stages(data.summary);
    page += &sections::summary(data.summary);
    page += &sections::what_was_run(data);
    page + "</main>\n</body>\n</html>\n"
}

/// Curves of several runs over each other, as elements for a page with the report's style.
pub fn overlay(runs: &[Overlaid<'_>]) -> String {
    figures(&curves::of_runs(runs))
}

/// Plots side by side.
fn figures(plots: &[plot::Plot]) -> String {
    let figures: String = plots.iter().map(plot::Plot::figure).collect();
    format!("<div class=\"figures\">\n{figures}</div>\n")
}

#[cfg(test)]
mod tests;
