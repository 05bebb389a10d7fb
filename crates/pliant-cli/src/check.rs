//! `pliant check`: reports as tables or JSON.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use pliant::mesh::problems::Severity;
use pliant_run::check::{FileReport, Kind, ProblemReport, Report, Trouble, check};

use crate::show::{self, DIM, ERROR, EarlyExit, GOOD, HEADING, WARNING, counted, plain};

/// Elements shown in a row of the table; JSON has a few more.
const SHOWN: usize = 3;

/// One object for all files.
pub fn print_json(files: &[PathBuf]) -> Result<ExitCode, EarlyExit> {
    let report = Report { files: files.iter().map(|file| check(file)).collect() };
    report.files.iter().for_each(complain);
    show::print_json(&report)?;
    Ok(exit_code(&report.files))
}

/// One table per file, each as soon as it is known.
pub fn print_tables(files: &[PathBuf]) -> Result<ExitCode, EarlyExit> {
    let mut reports = Vec::with_capacity(files.len());
    for file in files {
        let report = check(file);
        show::print(&table(&report))?;
        complain(&report);
        reports.push(report);
    }
    if reports.len() > 1 {
        let bad = reports.iter().filter(|report| report.is_bad()).count();
        show::print(&format!("{} usable, {bad} not\n", reports.len() - bad))?;
    }
    Ok(exit_code(&reports))
}

fn exit_code(reports: &[FileReport]) -> ExitCode {
    if reports.iter().any(FileReport::is_bad) {
        return ExitCode::from(crate::BAD_INPUT);
    }
    ExitCode::SUCCESS
}

/// One line on stderr for a file that cannot be used.
fn complain(report: &FileReport) {
    if let Some(error) = &report.error {
        show::error(error);
        return;
    }
    let errors = report.problems.iter().filter(|p| p.severity == Severity::Error);
    if report.kind == Some(Kind::Scene) {
        errors.filter_map(|p| p.shown.as_deref()).for_each(show::error_lines);
        return;
    }
    let reported: Vec<_> = errors
        .map(|p| {
            let first = p.first.first().map(|c| format!(" (first: {c})")).unwrap_or_default();
            format!("{} {}{first}", p.count, p.kind.name())
        })
        .collect();
    if !reported.is_empty() {
        show::error(&format!("{}: not usable: {}", report.file, reported.join(", ")));
    }
}

/// A heading with the counts, a row per problem, notices, a verdict.
pub fn table(report: &FileReport) -> String {
    let Some(kind) = report.kind else { return String::new() };
    let vertices = counted(report.vertices.unwrap_or(0), "vertex", "vertices");
    let triangles = counted(report.triangles.unwrap_or(0), "triangle", "triangles");
    let counts = match kind {
        Kind::Tets => {
            let tets = counted(report.tets.unwrap_or(0), "tet", "tets");
            format!("{vertices}, {tets}, surface of {triangles}")
        }
        Kind::Surface => format!("surface of {triangles}, {vertices}"),
        Kind::Scene if report.vertices.is_none() => "scene".to_owned(),
        Kind::Scene => {
            let tets = counted(report.tets.unwrap_or(0), "tet", "tets");
            format!("scene of {vertices}, {tets}")
        }
    };
    let mut text = format!("{HEADING}{}{HEADING:#}: {counts}\n", plain(&report.file));
    // Errors of a scene are shown in their lines, on stderr.
    if kind != Kind::Scene {
        text += &rows(&report.problems);
    }
    for notice in &report.notices {
        let _ = writeln!(text, "  {DIM}note     {}{DIM:#}", plain(notice));
    }
    let _ = writeln!(text, "  {}", verdict(report));
    text
}

/// Two lines per problem, columns aligned: how bad, how many, what, where; and what it means.
fn rows(problems: &[ProblemReport]) -> String {
    let widest = |width: fn(&ProblemReport) -> usize| problems.iter().map(width).max().unwrap_or(0);
    let count_width = widest(|p| p.count.to_string().len());
    let name_width = widest(|p| p.kind.name().len());
    let indent = " ".repeat("  warning  ".len() + count_width + 1);
    let mut text = String::new();
    for problem in problems {
        let colour = if problem.severity == Severity::Error { ERROR } else { WARNING };
        let (severity, name) = (problem.severity.name(), problem.kind.name());
        let (count, places) = (problem.count, places(problem));
        let _ = writeln!(
            text,
            "  {colour}{severity:<7}{colour:#}  {count:>count_width$} {name:<name_width$}  {places}"
        );
        let advice = match problem.kind {
            Trouble::Mesh(kind) => kind.advice().to_owned(),
            Trouble::Scene(_) => plain(problem.message.as_deref().unwrap_or_default()),
        };
        let _ = writeln!(text, "{indent}{DIM}{advice}{DIM:#}");
    }
    text
}

/// The first elements concerned, and an ellipsis if there are more.
fn places(problem: &ProblemReport) -> String {
    let named: Vec<_> = problem.first.iter().take(SHOWN).map(ToString::to_string).collect();
    let more = if problem.count > named.len() && !named.is_empty() { ", …" } else { "" };
    named.join(", ") + more
}

fn verdict(report: &FileReport) -> String {
    let errors = report.problems.iter().filter(|p| p.severity == Severity::Error).count();
    let warnings = report.problems.len() - errors;
    let counts: Vec<_> = [
        (errors, "error", "errors"),
        (warnings, "warning", "warnings"),
        (report.notices.len(), "note", "notes"),
    ]
    .into_iter()
    .filter(|(count, ..)| *count > 0)
    .map(|(count, one, many)| counted(count, one, many))
    .collect();
    let counts = if counts.is_empty() { "no issues".to_string() } else { counts.join(", ") };
    match (errors, warnings) {
        (0, 0) => format!("{GOOD}ok{GOOD:#}, {counts}"),
        (0, _) => format!("{GOOD}usable{GOOD:#}, {counts}"),
        _ => format!("{ERROR}not usable{ERROR:#}, {counts}"),
    }
}
