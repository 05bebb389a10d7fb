//! `pliant separate`: overlapping meshes in, the same meshes without overlap out.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use pliant::separate::{Manner, Nesting};
use pliant_run::report::text::with_digits;
use pliant_run::separate::{
    BodyReport, PairReport, Partial, Parts, Report, Request, SeparateFilesError, separate_files,
};

use crate::choice::choice;
use crate::progress::{INTERRUPTED, SearchBar};
use crate::show::{self, DIM, EarlyExit, GOOD, HEADING, WARNING, counted, plain};

/// Digits of lengths and shares.
const DIGITS: usize = 3;

/// Rotation, degrees, below which a body is shown as translated.
const LEAST_ROTATION: f64 = 1e-3;

/// Bodies and pairs shown, of each table; JSON has all.
const SHOWN: usize = 20;

/// What `pliant separate --help` ends with.
pub const AFTER_HELP: &str = "\
DIR gets a file for each mesh, of the same name and with the same vertices in the same order;
files in which nothing moved are copied as they are. Formats that are read but not written become
.vtu (tets) or .obj (surfaces), with a note. Beside them are before.png, after.png and
separation.json, which holds what --json prints. DIR is made if missing; files of the same names
are replaced, but never one that is read.

Free means: every file was read back after writing, no edge of a body meets a triangle of another
(decided by exact signs, touching counts), none is inside another, and any two surfaces are at
least the gap apart. Where a surface meets itself is reported and left.

Exit code: 0 when all are free, 1 when pairs are left or a file cannot be written, 2 for bad
arguments or input, 130 when interrupted. When pairs are left, nothing is written without
--partial.

With --json, one object on stdout:
  {\"free\",\"gap\",\"by\",\"iterations\",\"written\":[…],\"kept_nested\":[[0,1]],\"notices\":[…],
   \"bodies\":[{\"name\",\"kind\":\"tets|surface\",\"vertices\",\"triangles\",\"tets\",\"fixed\",
     \"by\":\"none|rigid|soft\",\"undeformed\",\"largest_movement\",\"mean_movement\",\"translation\":[x,y,z],
     \"rotation_degrees\",\"strain\",\"volume_change\",\"inverted_tets\",
     \"self_intersections\":{\"before\",\"after\",\"triangles\":[[3,9]],\"positions\":[[x,y,z]]}}],
   \"before\":[{\"bodies\":[0,1],\"names\":[…],\"kind\":\"crossing|nested|near|escaped\",
     \"vertices_inside\",\"depth\",\"distance\"}],\"after\":[…]}
`before` and `after` are the pairs that overlap or are nearer than the gap. `depth` is the largest
distance of a vertex inside the other body to that body's surface; where that is below a
thousandth of the smaller body's size, as of crossed bars and of exact copies, it is the shortest
translation found that takes the pair apart. `undeformed` says why a body was moved as it is
although it was to be deformed, else it is null: too-thin, not-filled, flat-tets, strain, volume,
inverted, meets-itself, no-room, too-many, exhausted, unpressed or no-gain.";

/// Arguments of `pliant separate`.
#[derive(Args)]
pub struct SeparateArguments {
    /// Folder for the files, made if missing
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
    /// Distance between any two bodies, in the unit of the files; default 1e-3 of the smallest
    /// body's size, the longest side of its box
    #[arg(long, value_name = "G", allow_negative_numbers = true)]
    gap: Option<f64>,
    /// How bodies may be changed
    #[arg(
        long,
        default_value = Manner::default().name(),
        value_parser = choice(&Manner::ALL, Manner::name, about_manner)
    )]
    by: Manner,
    /// Body that stays where it is, by the stem of its file; may be given more than once
    #[arg(long, value_name = "NAME")]
    fix: Vec<String>,
    /// Treat each connected part of a file as a body of its own, named FILE#0, FILE#1, …
    #[arg(long)]
    parts: bool,
    /// What is done with a body inside another: `keep` leaves it there, as in nested shells
    #[arg(long, value_name = "keep", value_parser = ["keep"])]
    nested: Option<String>,
    /// Write what was reached also where pairs are left
    #[arg(long)]
    partial: bool,
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
    /// Mesh files; each is one body
    #[arg(required = true, value_name = "MESH")]
    files: Vec<PathBuf>,
}

/// A line of help on a manner.
fn about_manner(manner: Manner) -> &'static str {
    match manner {
        Manner::Rigid => "Moved as they are",
        Manner::Soft => "Deformed with the least elastic energy, near their places",
        Manner::Auto => {
            "Moved as they are up to 5 % of their size, otherwise deformed where that moves them less, by at most 10 % of their volume"
        }
    }
}

/// Separates, writes, and prints what was done.
pub fn run(arguments: &SeparateArguments) -> Result<ExitCode, EarlyExit> {
    let request = Request {
        files: arguments.files.clone(),
        out: arguments.out.clone(),
        gap: arguments.gap,
        manner: arguments.by,
        fixed: arguments.fix.clone(),
        parts: if arguments.parts { Parts::Each } else { Parts::Whole },
        nesting: match arguments.nested {
            Some(_) => Nesting::Keep,
            None => Nesting::Separate,
        },
        partial: if arguments.partial { Partial::Write } else { Partial::Refuse },
    };
    let bar = match SearchBar::new("separate") {
        Ok(bar) => bar,
        Err(why) => return Ok(failed(&why)),
    };
    let done =
        separate_files(&request, &mut |progress| bar.step(progress.iteration, progress.pairs));
    bar.clear();
    let report = match done {
        Ok(report) => report,
        Err(error @ SeparateFilesError::Stopped) => {
            show::error(&error.to_string());
            return Ok(ExitCode::from(INTERRUPTED));
        }
        Err(error) if error.is_about_output() => return Ok(failed(&error.to_string())),
        Err(error) => return Ok(show::usage_error(&error.to_string())),
    };
    if arguments.json {
        show::print_json(&report)?;
    } else {
        show::print(&tables(&report, &arguments.out.display().to_string()))?;
    }
    if report.free {
        return Ok(ExitCode::SUCCESS);
    }
    let pairs = counted(report.after.len(), "pair is", "pairs are");
    let what = match report.written.is_empty() {
        true => "nothing was written; --partial writes what was reached",
        false => "what was reached was written",
    };
    Ok(failed(&format!("{pairs} left overlapping or too near; {what}")))
}

fn failed(why: &str) -> ExitCode {
    show::error(why);
    ExitCode::from(crate::FAILED)
}

fn tables(report: &Report, out: &str) -> String {
    let digits = |value: f64| with_digits(value, DIGITS);
    let bodies = counted(report.bodies.len(), "body", "bodies");
    let mut text = String::new();
    let gap = digits(report.gap);
    // Writing to a text cannot fail.
    let _ = match (report.free, report.was_free()) {
        (true, true) => writeln!(
            text,
            "{GOOD}free{GOOD:#}: {bodies} did not overlap and were at least {gap} apart; files are copied"
        ),
        (true, false) => writeln!(
            text,
            "{GOOD}free{GOOD:#}: {bodies}, {} taken apart, at least {gap} between any two",
            counted(report.before.len(), "pair", "pairs")
        ),
        (false, _) => writeln!(
            text,
            "{WARNING}not free{WARNING:#}: {bodies}, {} of {} left",
            report.after.len(),
            counted(report.before.len(), "pair", "pairs")
        ),
    };
    if !report.kept_nested.is_empty() {
        let nested = counted(report.kept_nested.len(), "pair", "pairs");
        let _ = writeln!(text, "  {DIM}note{DIM:#} {nested} nested as before");
    }
    for (name, pairs) in [("overlap before", &report.before), ("overlap left", &report.after)] {
        pair_table(&mut text, name, pairs);
    }
    if !report.was_free() {
        body_table(&mut text, &report.bodies);
    }
    for body in report.bodies.iter().filter(|body| body.self_intersections.before > 0) {
        text.push_str(&self_intersections(body));
    }
    for notice in &report.notices {
        let _ = writeln!(text, "  {DIM}note{DIM:#} {}", plain(notice));
    }
    if !report.written.is_empty() {
        let files = counted(report.written.len() + 1, "file", "files");
        let _ = writeln!(text, "{files} in {}", plain(out));
    }
    text
}

fn pair_table(text: &mut String, name: &str, pairs: &[PairReport]) {
    if pairs.is_empty() {
        return;
    }
    let digits = |value: f64| with_digits(value, DIGITS);
    let _ = writeln!(text, "{HEADING}{name}{HEADING:#}");
    for pair in pairs.iter().take(SHOWN) {
        let [a, b] = [0, 1].map(|k| plain(&pair.names[k]));
        let what = match pair.kind {
            "near" => format!("{} apart", digits(pair.distance)),
            "escaped" => format!("was to stay inside, is {} outside", digits(pair.distance)),
            kind => {
                let vertices = counted(pair.vertices_inside, "vertex", "vertices");
                format!("{kind}, {vertices} inside, {} deep", digits(pair.depth))
            }
        };
        let _ = writeln!(text, "  {a} – {b}: {what}");
    }
    more(text, pairs.len(), "pairs");
}

fn more(text: &mut String, count: usize, what: &str) {
    if count > SHOWN {
        let _ = writeln!(text, "  {DIM}… and {} more {what}; --json has all{DIM:#}", count - SHOWN);
    }
}

fn body_table(text: &mut String, bodies: &[BodyReport]) {
    let digits = |value: f64| with_digits(value, DIGITS);
    let _ = writeln!(text, "{HEADING}movement{HEADING:#}");
    for body in bodies.iter().take(SHOWN) {
        let name = plain(&body.name);
        let what = match (body.fixed, body.by) {
            (true, _) => "fixed".to_owned(),
            (false, "none") => "stayed".to_owned(),
            (false, "rigid") if body.rotation_degrees >= LEAST_ROTATION => format!(
                "rigid, largest {}, mean {}, rotation {}°",
                digits(body.largest_movement),
                digits(body.mean_movement),
                digits(body.rotation_degrees),
            ),
            (false, "rigid") => format!("rigid, {}", digits(body.largest_movement)),
            (false, by) => format!(
                "{by}, largest {}, mean {}, rotation {}°, strain {} %, volume {} %",
                digits(body.largest_movement),
                digits(body.mean_movement),
                digits(body.rotation_degrees),
                digits(100.0 * body.strain),
                digits(100.0 * body.volume_change),
            ),
        };
        let _ = writeln!(text, "  {name}: {what}");
    }
    more(text, bodies.len(), "bodies");
}

fn self_intersections(body: &BodyReport) -> String {
    let met = &body.self_intersections;
    let pairs = counted(met.before, "pair", "pairs");
    let first = match (met.triangles.first(), met.positions.first()) {
        (Some([a, b]), Some([x, y, z])) => {
            let [x, y, z] = [x, y, z].map(|value| with_digits(*value, DIGITS));
            format!(", as {a} and {b} near ({x}, {y}, {z})")
        }
        _ => String::new(),
    };
    let name = plain(&body.name);
    format!("  {WARNING}{name}{WARNING:#} meets itself in {pairs} of triangles{first}; left so\n")
}
