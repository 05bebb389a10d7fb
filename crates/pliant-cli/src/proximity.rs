//! `pliant proximity`: how near two outlines are, as a table, JSON or a picture.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use pliant_io::atomic_file::{self, io_message};
use pliant_io::suggest::nearest;
use pliant_run::picture::png;
use pliant_run::proximity::methods::{Comparison, Method, MethodReport, Value, compare};
use pliant_run::proximity::picture::{Ground, ProximityLook, picture};
use pliant_run::proximity::{BackendKind, PenetrationReport, Report, Request, proximity};

use crate::choice::choice;
use crate::picture::check_name;
use crate::show::{self, DIM, EarlyExit, GOOD, HEADING, WARNING, counted, plain};

/// Deepest points and contacts shown; JSON has all.
const SHOWN: usize = 10;

/// What `pliant proximity --help` ends with.
pub const AFTER_HELP: &str = "\
Examples:
  pliant proximity map.geojson#Norway map.geojson#Sweden
  pliant proximity gear.svg rack.svg --error 0.01 --picture field.png --voronoi
  pliant proximity road.geojson#4 house.wkt --thickness 6 --json
  pliant proximity gear.svg rack.svg --method all

Methods of --method, by group: boundary-boundary, boundary-volume and volume-volume, each with
/stencil, /blend, /logic or /depth, find pixels that both cover; min-max counts them and occlusion
asks for any, without reading the image; cones-and-tents/stencil, /colour and /site-bit and tiles
draw a distance field; single-pixels reads only what is asked for; localised/0, /2, /4 and /8 draw
only what trees of boxes of this height leave. A group names all of its own, `all` all of them.

Exit code: 0 whether or not they touch, 1 when the picture cannot be written, 2 for bad
arguments or input.

With --json, one object on stdout:
  {\"error_bound\":0.001,\"backend\":\"exact\",\"intersects\":false,\"overlap_area\":0.0,
   \"separation\":{\"distance\":0.5,\"on_a\":[0.0,0.0],\"on_b\":[0.5,0.0]},
   \"penetration\":[{\"of\":\"a\",\"position\":[0.0,0.0],\"depth\":0.1,\"direction\":[1.0,0.0]}],
   \"contacts\":[{\"position\":[0.0,0.0],\"normal\":[1.0,0.0]}],
   \"least_translation\":{\"distance\":0.1,\"direction\":[1.0,0.0],\"exact\":true},\"notices\":[]}
`intersects` is exact, touching included. `separation` is null when they intersect.
`penetration` has every input vertex inside the other outline, and samples of the boundary so
that no point deeper than twice the bound is farther than that from one; `direction` is the
way out. `contacts` has one entry for each stretch of boundary nearer than the contact
distance; a leaves b along `normal`, and swapping both turns it round. `least_translation` is
the shortest way that takes a off b, null when they do not intersect: exact for convex outlines,
otherwise a distance that suffices, while the deepest point says what is needed. Every length is
within `error_bound` of the exact one, `overlap_area` within the bound times the perimeters.

With --json and --method, another object:
  {\"error_bound\":0.001,\"intersects\":true,\"methods\":[{\"method\":\"volume-volume/blend\",
   \"backend\":\"cpu\",\"quantity\":\"intersects|overlap_area|separation|depth\",\"value\":0.1,
   \"exact\":0.1,\"difference\":1e-5,\"pixels\":1000,\"milliseconds\":0.1,\"remark\":null}],
   \"notices\":[]}";

/// Arguments of `pliant proximity`.
#[derive(Args)]
pub struct ProximityArguments {
    /// Bound of the error of every length, in the files' unit; default 1e-3 of the larger
    /// outline's box diagonal
    #[arg(long, value_name = "D", allow_negative_numbers = true)]
    error: Option<f64>,
    /// Backend that computes the result; default exact, and with --method all that draw images
    #[arg(
        long,
        value_parser = choice(&BackendKind::ALL, BackendKind::name, about_backend)
    )]
    backend: Option<BackendKind>,
    /// Compare methods of the paper by images with the exact result: one, a group, or all
    #[arg(long, value_name = "NAME", conflicts_with_all = ["picture", "contact_distance"])]
    method: Option<String>,
    /// Gap up to which boundaries are in contact, in the files' unit; default D
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    contact_distance: Option<f64>,
    /// Thickness of lines, in the files' unit; default what SVG says, otherwise lines are refused
    #[arg(long, value_name = "W", allow_negative_numbers = true)]
    thickness: Option<f64>,
    /// Draw both outlines on B's distance field into this .png file, replaced if it
    /// is there
    #[arg(long, value_name = "PNG")]
    picture: Option<PathBuf>,
    /// Colour the picture by the nearest segment of B: its Voronoi cells
    #[arg(long, requires = "picture")]
    voronoi: bool,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
    /// First outline: FILE, FILE#name or FILE#3
    #[arg(value_name = "A")]
    a: PathBuf,
    /// Second outline
    #[arg(value_name = "B")]
    b: PathBuf,
}

impl ProximityArguments {
    /// How the picture is drawn: with the names that the arguments give.
    fn look(&self) -> ProximityLook {
        let names = [&self.a, &self.b].map(|path| {
            let text = path.to_string_lossy();
            match text.rsplit_once('#') {
                Some((_, name)) if !name.is_empty() => name.to_owned(),
                _ => path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
            }
        });
        let ground = if self.voronoi { Ground::Voronoi } else { Ground::Plain };
        ProximityLook { names, ground }
    }
}

/// A line of help on a backend.
fn about_backend(kind: BackendKind) -> &'static str {
    match kind {
        BackendKind::Exact => "Segments, no image: exact, and the fastest for one pair",
        BackendKind::Cpu => "Images on the CPU, as the paper draws them",
        BackendKind::Gpu if cfg!(feature = "gpu") => {
            "Many pairs at once on the GPU; the CPU where there is none"
        }
        BackendKind::Gpu => {
            "Many pairs at once on the GPU; not in this build, so the CPU (cargo's --features gpu adds it)"
        }
    }
}

/// Measures, draws if requested, and prints the result.
pub fn run(arguments: &ProximityArguments) -> Result<ExitCode, EarlyExit> {
    if let Some(Err(why)) = arguments.picture.as_deref().map(check_name) {
        return Ok(show::usage_error(&why));
    }
    if let Some(word) = &arguments.method {
        return run_methods(arguments, word);
    }
    let mut found = match proximity(&arguments.request()) {
        Ok(found) => found,
        Err(error) => return Ok(show::usage_error(&error.to_string())),
    };
    if let Some(path) = &arguments.picture {
        let image = picture(&found, &arguments.look());
        if let Err(error) = atomic_file::write(path, &png(&image)) {
            let path = path.display();
            show::error(&format!("{path}: cannot be written: {}", io_message(&error)));
            return Ok(ExitCode::from(crate::FAILED));
        }
        found.report.notices.extend(image.notices);
    }
    if !arguments.json {
        show::print(&table(&found.report, arguments))?;
        return Ok(ExitCode::SUCCESS);
    }
    show::print_json(&found.report)?;
    Ok(ExitCode::SUCCESS)
}

/// Measures by the methods that a word names, and prints the comparison.
fn run_methods(arguments: &ProximityArguments, word: &str) -> Result<ExitCode, EarlyExit> {
    let Some(methods) = Method::named(word) else {
        let words = Method::words();
        let known: Vec<&str> = words.iter().map(String::as_str).collect();
        let near = nearest(word, known.iter().copied());
        let hint = near.map_or(String::new(), |near| format!("did you mean `{near}`? "));
        let there = known.join(", ");
        let message = format!("no method is called `{}`; {hint}there are {there}", plain(word));
        return Ok(show::usage_error(&message));
    };
    let found = match compare(&arguments.request(), arguments.backend, &methods) {
        Ok(found) => found,
        Err(error) => return Ok(show::usage_error(&error.to_string())),
    };
    if arguments.json {
        show::print_json(&found)?;
    } else {
        show::print(&comparison(&found))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The comparison as a table, a line for each method and backend.
fn comparison(found: &Comparison) -> String {
    let Comparison { error_bound, intersects, methods, notices } = found;
    let state = if *intersects { "they intersect" } else { "they are apart" };
    let mut text = format!(
        "{HEADING}{state}{HEADING:#}; half a pixel's diagonal is {}\n\n  {DIM}{:<26}{:<5}{:<13}\
         {:>12}{:>12}{:>12}{:>10}{:>10}{DIM:#}\n",
        number(*error_bound),
        "method",
        "on",
        "finds",
        "value",
        "exact",
        "difference",
        "pixels",
        "ms"
    );
    for row in methods {
        let MethodReport { method, backend, quantity, value, exact, .. } = row;
        let difference = row.difference.map_or(String::from("–"), number);
        let time = row.milliseconds.map_or(String::from("–"), |ms| format!("{ms:.3}"));
        let _ = write!(
            text,
            "  {method:<26}{backend:<5}{quantity:<13}{:>12}{:>12}{difference:>12}{:>10}{time:>10}",
            said(*value),
            said(*exact),
            row.pixels
        );
        let _ = match &row.remark {
            Some(remark) => writeln!(text, "  {DIM}{}{DIM:#}", plain(remark)),
            None => writeln!(text),
        };
    }
    for notice in notices {
        let _ = writeln!(text, "{WARNING}note{WARNING:#}  {}", plain(notice));
    }
    text
}

/// A value in the table.
fn said(value: Option<Value>) -> String {
    match value {
        None => "–".to_owned(),
        Some(Value::Flag(true)) => "yes".to_owned(),
        Some(Value::Flag(false)) => "no".to_owned(),
        Some(Value::Number(value)) => number(value),
    }
}

impl ProximityArguments {
    fn request(&self) -> Request {
        Request {
            a: self.a.clone(),
            b: self.b.clone(),
            error: self.error,
            contact_distance: self.contact_distance,
            thickness: self.thickness,
            backend: self.backend.unwrap_or_default(),
        }
    }
}

/// The result as a table.
fn table(report: &Report, arguments: &ProximityArguments) -> String {
    let name = |path: &PathBuf| plain(&path.display().to_string());
    let (bound, backend) = (report.error_bound, report.backend);
    let mut text = format!("{HEADING}a{HEADING:#}  {}\n", name(&arguments.a));
    let _ = writeln!(text, "{HEADING}b{HEADING:#}  {}", name(&arguments.b));
    let _ = match &report.separation {
        // Neighbours share a border, and no more area than rounding makes of it.
        _ if report.intersects && report.overlap_area < bound * bound => writeln!(
            text,
            "\n{WARNING}they touch{WARNING:#}; an area that both cover is below the bound squared"
        ),
        _ if report.intersects => writeln!(
            text,
            "\n{WARNING}they intersect{WARNING:#}, both cover an area of {}",
            number(report.overlap_area)
        ),
        Some(way) => writeln!(
            text,
            "\n{GOOD}they are apart{GOOD:#} by {}: from {} on a to {} on b",
            number(way.distance),
            place(way.on_a),
            place(way.on_b)
        ),
        None => writeln!(text, "\n{GOOD}they are apart{GOOD:#}"),
    };
    if let Some(least) = report.least_translation.filter(|least| least.distance > 0.0) {
        let [x, y] = least.direction;
        let most = if least.exact { "" } else { "at most " };
        let distance = number(least.distance);
        let _ = writeln!(text, "a is off b after {most}{distance} along {x:.4}, {y:.4}");
    }
    text += &deepest(&report.penetration);
    text += &contacts(report);
    let _ = writeln!(text, "\n{DIM}lengths are within {} ({backend}){DIM:#}", number(bound));
    if let Some(path) = &arguments.picture {
        let _ = writeln!(text, "{DIM}picture in {}{DIM:#}", name(path));
    }
    for notice in &report.notices {
        let _ = writeln!(text, "{WARNING}note{WARNING:#}  {}", plain(notice));
    }
    text
}

/// The deepest points, deepest first.
fn deepest(points: &[PenetrationReport]) -> String {
    if points.is_empty() {
        return String::new();
    }
    let mut order: Vec<&PenetrationReport> = points.iter().collect();
    order.sort_by(|p, q| q.depth.total_cmp(&p.depth));
    let of = |side: &str| points.iter().filter(|point| point.of == side).count();
    let mut text = format!(
        "\n{} of a inside b, {} of b inside a\n  {DIM}of{:>13}{:>30}  way out{DIM:#}\n",
        counted(of("a"), "point", "points"),
        of("b"),
        "depth",
        "position"
    );
    for point in order.iter().take(SHOWN) {
        let [x, y] = point.direction;
        let (depth, position) = (number(point.depth), place(point.position));
        let _ = writeln!(text, "  {:<2}{depth:>13}{position:>30}  {x:.4}, {y:.4}", point.of);
    }
    if points.len() > SHOWN {
        let _ = writeln!(text, "  {DIM}and {} more{DIM:#}", points.len() - SHOWN);
    }
    text
}

fn contacts(report: &Report) -> String {
    if report.contacts.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "\n{}\n  {DIM}{:>28}  normal from b to a{DIM:#}\n",
        counted(report.contacts.len(), "contact", "contacts"),
        "position"
    );
    for contact in report.contacts.iter().take(SHOWN) {
        let [x, y] = contact.normal;
        let _ = writeln!(text, "  {:>28}  {x:.4}, {y:.4}", place(contact.position));
    }
    if report.contacts.len() > SHOWN {
        let _ = writeln!(text, "  {DIM}and {} more{DIM:#}", report.contacts.len() - SHOWN);
    }
    text
}

/// Six digits, however large or small.
fn number(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 || (1e-3..1e6).contains(&size) {
        let digits =
            if size == 0.0 { 0 } else { (5 - libm::log10(size).floor() as i32).max(0) as usize };
        return format!("{value:.digits$}");
    }
    format!("{value:.5e}")
}

fn place([x, y]: [f64; 2]) -> String {
    format!("({}, {})", number(x), number(y))
}
