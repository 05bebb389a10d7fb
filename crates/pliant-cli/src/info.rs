//! `pliant info`: what is in a run folder or a recording.

use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

use pliant_io::printable::path_notice;
use pliant_run::report::text::{number, with_digits};
use pliant_run::run::inspect::{RecordingLook, RunStatus, look};

use crate::show::{self, DIM, EarlyExit, GOOD, HEADING, WARNING, counted, plain};

/// Bodies listed at most; JSON has them all.
const SHOWN: usize = 10;

/// Output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// For people.
    Table,
    /// For programs.
    Json,
}

/// Reports what is in a run folder or a recording.
pub fn run(path: &Path, form: Form) -> Result<ExitCode, EarlyExit> {
    let look = match look(path) {
        Ok(look) => look,
        Err(error) => return Ok(show::usage_error(&error.to_string())),
    };
    if let Some(notice) = path_notice(path) {
        show::note(&notice);
    }
    match form {
        Form::Table => show::print(&table(&look))?,
        Form::Json => show::print_json(&look)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn table(look: &RunStatus) -> String {
    let colour = if look.is_finished() { GOOD } else { WARNING };
    let path = plain(&look.path.display().to_string());
    let mut text =
        format!("{HEADING}{path}{HEADING:#}: {colour}{}{colour:#}\n", plain(&look.state));
    let mut row = |name: &str, value: String| {
        // Writing to a text cannot fail.
        let _ = writeln!(text, "  {DIM}{name:<10}{DIM:#} {value}");
    };
    row("scene", plain(&look.scene));
    row("method", format!("{}, response {}", plain(&look.integrator), plain(&look.response)));
    let made = look.summary.as_ref().map(|summary| format!("{} of ", summary.steps));
    let dt = with_digits(look.dt, 6);
    row("steps", format!("{}{}, {dt} s each", made.unwrap_or_default(), look.steps));
    let bodies = counted(look.bodies.len(), "body", "bodies");
    row("bodies", format!("{bodies}, {}", counted(look.vertices, "vertex", "vertices")));
    for body in look.bodies.iter().take(SHOWN) {
        let vertices = counted(body.vertices, "vertex", "vertices");
        let tets = match body.tets {
            0 => String::new(),
            count => format!(", {}", counted(count, "tet", "tets")),
        };
        row("", format!("{} ({}): {vertices}{tets}", plain(&body.name), plain(&body.kind)));
    }
    if look.bodies.len() > SHOWN {
        row("", format!("… and {} more", look.bodies.len() - SHOWN));
    }
    row("recording", recording(&look.recording));
    row("size", bytes(look.bytes));
    row(
        "versions",
        format!("pliant {}, recording format {}", plain(&look.pliant), look.recording.format),
    );
    if let Some(summary) = &look.summary {
        row("digest", plain(&summary.digest));
    }
    text
}

fn recording(look: &RecordingLook) -> String {
    let frames = counted(look.frames, "frame", "frames");
    let span = look
        .span
        .map(|[a, b]| format!(" from {} to {} s", number(a), number(b)))
        .unwrap_or_default();
    let size = bytes(look.bytes);
    let each = look.bytes_per_vertex.map(|each| format!(", {each:.2} bytes per vertex and frame"));
    let ended = match (look.complete, look.lost_bytes) {
        (true, _) => "complete".to_string(),
        (false, 0) => format!("{WARNING}cut short{WARNING:#}, without an index"),
        (false, lost) => {
            format!("{WARNING}cut short{WARNING:#}, {} after the last frame are lost", bytes(lost))
        }
    };
    format!("{frames}{span}, {size}{}; {ended}", each.unwrap_or_default())
}

/// A size that is easy to read.
pub fn bytes(count: u64) -> String {
    match count {
        0..1_000 => format!("{count} bytes"),
        1_000..1_000_000 => format!("{:.1} kB", count as f64 / 1e3),
        _ => format!("{:.1} MB", count as f64 / 1e6),
    }
}
