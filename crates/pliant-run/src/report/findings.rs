//! Findings: failures and anomalies, shown before the curves.

use super::ReportData;
use super::curves::TIME;
use super::text::{count, number};
use crate::run::series::WIDTH;
use pliant::record::row::SeriesRow;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The results cannot be used as they are.
    Bad,
    /// Something is not as it should be.
    Warning,
    /// Worth knowing.
    Note,
    /// As it should be.
    Good,
}

/// One thing to know.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// One sentence or two.
    pub text: String,
}

/// Everything to know, worst first.
pub fn findings(data: &ReportData<'_>) -> Vec<Finding> {
    let mut found: Vec<Finding> =
        [ending(data), broken(data), overlap(data), cut(data), unresolved(data)]
            .into_iter()
            .flatten()
            .collect();
    let warned = data.summary.warnings.iter();
    found.extend(warned.map(|warning| Finding::new(Severity::Warning, sentence(&warning.message))));
    let reported =
        data.summary.notices.iter().map(|text| Finding::new(Severity::Note, text.clone()));
    found.extend(reported);
    if found.iter().all(|finding| finding.severity == Severity::Note) && !data.rows.is_empty() {
        found.extend(sound(data));
    }
    found.sort_by_key(|finding| finding.severity);
    found
}

impl Finding {
    fn new(severity: Severity, text: impl Into<String>) -> Finding {
        Finding { severity, text: text.into() }
    }
}

/// What was checked without a complaint, in a run that finished.
fn sound(data: &ReportData<'_>) -> Option<Finding> {
    (data.summary.ended == "finished").then(|| {
        let text = "No issues: at the end no vertex is inside another body and no edge crosses a \
                    surface; no check of the run raised a warning.";
        Finding::new(Severity::Good, text)
    })
}

/// How the run ended, unless it finished.
fn ending(data: &ReportData<'_>) -> Option<Finding> {
    let (steps, of) = (count(data.summary.steps as usize), count(data.info.steps as usize));
    match data.summary.ended.as_str() {
        "finished" => None,
        "interrupted" => Some(Finding::new(
            Severity::Warning,
            format!("The run was interrupted after step {steps} of {of}. It can be resumed."),
        )),
        "failed" => {
            let why = data.summary.error.as_ref();
            let why = why.map_or(String::new(), |why| format!(" {}", sentence(why)));
            let text = format!(
                "The run failed after step {steps} of {of}.{why} The results up to then are shown."
            );
            Some(Finding::new(Severity::Bad, text))
        }
        other => Some(Finding::new(
            Severity::Warning,
            format!("The run ended as “{other}” after step {steps} of {of}."),
        )),
    }
}

/// The first value that is not finite, or no row at all.
fn broken(data: &ReportData<'_>) -> Option<Finding> {
    if data.rows.is_empty() {
        return Some(Finding::new(Severity::Bad, "No row was recorded: there are no curves."));
    }
    let place = |row: &[f64; WIDTH]| row.iter().position(|value| !value.is_finite());
    let (index, column) =
        data.rows.iter().enumerate().find_map(|(index, row)| Some((index, place(row)?)))?;
    let row = &data.rows[index];
    let text = format!(
        "Row {index} at {} s has {} for {}. Curves have gaps there.",
        number(row[TIME]),
        number(row[column]),
        SeriesRow::COLUMNS[column]
    );
    Some(Finding::new(Severity::Bad, text))
}

/// Steps that were split.
fn cut(data: &ReportData<'_>) -> Option<Finding> {
    let steps = data.summary.contact.steps_cut as usize;
    (steps > 0).then(|| {
        let steps = counted(steps, "step was", "steps were");
        let why = "rejected or unconverged";
        Finding::new(Severity::Note, format!("{steps} split into shorter ones: {why}."))
    })
}

/// Vertices without a known way out.
fn unresolved(data: &ReportData<'_>) -> Option<Finding> {
    let most = data.summary.contact.most_unresolved as usize;
    (most > 0).then(|| {
        let vertices = counted(most, "vertex", "vertices");
        let text = format!("Up to {vertices} inside another body had no known way out.");
        Finding::new(Severity::Note, text)
    })
}

/// Bodies in each other at the end.
fn overlap(data: &ReportData<'_>) -> Option<Finding> {
    let summary = data.summary;
    let (vertices, crossings) = (summary.penetrating_vertices, summary.edge_crossings);
    (vertices > 0 || crossings > 0).then(|| {
        let text = format!(
            "Bodies overlap at the end: {} inside, the deepest {} m; {}.",
            counted(vertices, "vertex", "vertices"),
            number(summary.max_depth),
            counted(crossings, "edge crosses a surface", "edges cross a surface")
        );
        Finding::new(Severity::Warning, text)
    })
}

/// The same text with a capital and a full stop.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).chain(['.']).collect()
}

fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
}
