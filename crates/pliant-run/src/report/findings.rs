//! Findings: failures and anomalies, shown before the curves.

use super::ReportData;
use super::curves::{CROSSINGS, ELASTIC, GRAVITATIONAL, KINETIC, PENETRATING, TIME, total};
use super::text::{count, number};
use pliant::record::row::SeriesRow;

/// Energy that a run may gain, over the largest that passed between its stores.
const GAIN: f64 = 0.01;

/// Allowed momentum drift over Σ m|v|: iterative solvers keep momentum to their tolerance.
const MOMENTUM: f64 = 1e-6;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The results cannot be used as they are.
    Bad,
    /// Something is not as it should be.
    Warning,
    /// Worth knowing.
    Note,
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
        [ending(data), broken(data), gain(data), momentum(data), cut(data), unresolved(data)]
            .into_iter()
            .flatten()
            .chain(overlap(data))
            .collect();
    let reported =
        data.summary.notices.iter().map(|text| Finding::new(Severity::Note, text.clone()));
    found.extend(reported);
    found.sort_by_key(|finding| finding.severity);
    found
}

impl Finding {
    fn new(severity: Severity, text: impl Into<String>) -> Finding {
        Finding { severity, text: text.into() }
    }
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
        "failed" => Some(Finding::new(
            Severity::Bad,
            format!("The run failed after step {steps} of {of}. The results up to then are shown."),
        )),
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
    let place = |row: &[f64; 16]| row.iter().position(|value| !value.is_finite());
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

/// Energy above that of the start.
fn gain(data: &ReportData<'_>) -> Option<Finding> {
    let first = data.rows.first()?;
    let start = total(first, first);
    let passed = |row: &[f64; 16]| {
        let height = row[GRAVITATIONAL] - first[GRAVITATIONAL];
        row[KINETIC].abs().max(row[ELASTIC].abs()).max(height.abs())
    };
    let scale = data.rows.iter().map(passed).filter(|e| e.is_finite()).fold(0.0, f64::max);
    let gained = |row: &[f64; 16]| (total(row, first) - start, row[TIME]);
    let finite = data.rows.iter().map(gained).filter(|(gain, _)| gain.is_finite());
    let (most, when) = finite.max_by(|a, b| a.0.total_cmp(&b.0))?;
    if most <= GAIN * scale {
        return None;
    }
    let outside = data.info.bodies.iter().any(|body| body.held)
        || data.info.obstacles.iter().any(|skin| skin.poses.len() > 1);
    // Springs give back what an overlap stores, which no row counts; rows push and shift.
    let overlapped = first[PENETRATING] + first[CROSSINGS] > 0.0;
    let why = match (outside, overlapped) {
        (true, _) => {
            "External forces may have done that work, such as pins, loads, \
             motors, penalties or moving obstacles."
        }
        (_, true) => "Bodies overlapped at the start: separating them takes work.",
        _ => "No external force could have done that work.",
    };
    let severity = if outside || overlapped { Severity::Note } else { Severity::Warning };
    let text = format!(
        "Energy grew: {} s after the start the total is {} J above it, {} % of the largest \
         energy that was stored. {why}",
        number(when),
        number(most),
        number(100.0 * most / scale)
    );
    Some(Finding::new(severity, text))
}

/// Momentum drift above the allowance.
fn momentum(data: &ReportData<'_>) -> Option<Finding> {
    let error = data.summary.momentum_error;
    // NaN where positions are not finite: the rows report that.
    (error.abs() > MOMENTUM).then(|| {
        let text = format!(
            "Momentum drift not explained by gravity and obstacles: {} of Σ m|v|, \
             above {}.",
            number(error),
            number(MOMENTUM)
        );
        Finding::new(Severity::Warning, text)
    })
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

/// Overlap and inverted tets at the end.
fn overlap(data: &ReportData<'_>) -> Vec<Finding> {
    let summary = data.summary;
    let mut found = Vec::new();
    if summary.obstacle_vertices > 0 {
        let text = format!(
            "Bodies reach into obstacles at the end: {} inside, the deepest {} m.",
            counted(summary.obstacle_vertices, "vertex", "vertices"),
            number(summary.obstacle_depth)
        );
        found.push(Finding::new(Severity::Warning, text));
    }
    let (vertices, crossings) = (summary.penetrating_vertices, summary.edge_crossings);
    if vertices > 0 || crossings > 0 {
        let text = format!(
            "Bodies overlap at the end: {} inside, the deepest {} m; {}.",
            counted(vertices, "vertex", "vertices"),
            number(summary.max_depth),
            counted(crossings, "edge crosses a surface", "edges cross a surface")
        );
        found.push(Finding::new(Severity::Warning, text));
    }
    if summary.inverted_tets > 0 {
        let tets = counted(summary.inverted_tets, "tet is", "tets are");
        found.push(Finding::new(Severity::Warning, format!("{tets} inverted at the end.")));
    }
    found
}

fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
}
