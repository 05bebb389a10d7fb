//! `pliant depth`: penetration depth as tables or JSON.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use pliant::depth::{DepthSettings, Reason, Scope};
use pliant::math::{Quat, Vec3};
use pliant::mesh::normals::Normals;
use pliant_run::check::Kind;
use pliant_run::depth::{
    BodyReport, Method, Placement, Point, Report, Request, Timings, check_exponent, depth_placed,
};

use crate::choice::choice;
use crate::show::{self, DIM, EarlyExit, GOOD, HEADING, WARNING, counted, plain};

/// Deepest vertices shown of each body; JSON has all.
const SHOWN: usize = 10;

/// What `pliant depth --help` ends with.
pub const AFTER_HELP: &str = "\
Exit code: 0 whether or not there is overlap, 2 for bad arguments or input.

With --json, one object on stdout:
  {\"method\":\"consistent\",\"exponent\":2.0,\"scope\":\"scene\",\"normals\":\"area\",
   \"bodies\":[{\"name\":\"ball\",\"kind\":\"tets|surface\",\"vertices\":123,\"tets\":400,
     \"points\":[{\"vertex\":7,\"into\":[1],\"ring\":0,\"depth\":0.104,\"direction\":[0.0,0.0,1.0],
       \"exit\":{\"body\":1,\"triangle\":[3,5,8],\"weights\":[0.2,0.3,0.5]}}],
     \"unresolved\":[{\"vertex\":9,\"into\":[1],\"reason\":\"enclosed|cancelled|rounding\"}]}],
   \"crossing_pairs\":[[0,1]],\"notices\":[…],\"timings_us\":null}
`vertex` counts from 0 in the body's file, `into` and `crossing_pairs` count the arguments
from 0. `ring` is 0 where an edge of the vertex itself leaves the other body. `depth` can be
negative, as interpolated normals tilt. `exit` is the triangle of the other body at which the
vertex leaves, with the weights of its corners there. `points` and `unresolved` together are the colliding
vertices, in order; with --scope pairs a vertex comes once per body. `crossing_pairs` are
bodies that overlap although no vertex of either is inside the other. With --method closest
there is no `ring`, and `exponent`, `scope` and `normals` are null. `timings_us` is null unless
--timings is given: then `inside` is the time for finding the vertices inside, `depth` the rest,
0 when nothing collides; the shortest of several runs on one thread, without reading the files
and the crossing pairs.";

/// Arguments of `pliant depth`.
#[derive(Args)]
pub struct DepthArguments {
    /// How depth is measured
    #[arg(
        long,
        default_value = Method::Consistent.name(),
        value_parser = choice(&Method::ALL, Method::name, about_method)
    )]
    method: Method,
    /// Power of the distance by which near crossings and neighbours count more; default 2
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    exponent: Option<f64>,
    /// Whether a vertex collides with all others together, or with each; default scene
    #[arg(long, value_parser = choice(&Scope::ALL, Scope::name, about_scope))]
    scope: Option<Scope>,
    /// Normals at the corners of a triangle; default area
    #[arg(long, value_parser = choice(&Normals::ALL, Normals::name, about_normals))]
    normals: Option<Normals>,
    /// Threads to use, 1 or more; the result does not depend on it
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Also measure how long it takes, by repeating it up to six times
    #[arg(long)]
    timings: bool,
    /// Move argument N, counted from 0, after scaling and turning it
    #[arg(long, value_name = "N:X,Y,Z", allow_hyphen_values = true)]
    at: Vec<String>,
    /// Turn argument N about an axis through the origin of its file; its length is the angle, rad
    #[arg(long, value_name = "N:X,Y,Z", allow_hyphen_values = true)]
    turn: Vec<String>,
    /// Scale argument N, as 1:0.001 where its file is in mm and others are in m
    #[arg(long, value_name = "N:S")]
    scale: Vec<String>,
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
    /// Mesh files, two or more; each is one body
    #[arg(value_name = "MESH")]
    files: Vec<PathBuf>,
}

/// A line of help on a method.
fn about_method(method: Method) -> &'static str {
    match method {
        Method::Consistent => "Depths and directions that agree between neighbours",
        Method::Closest => "To the nearest point of all penetrated surfaces",
    }
}

/// A line of help on a scope.
fn about_scope(scope: Scope) -> &'static str {
    match scope {
        Scope::Scene => "One depth per vertex, out of all other bodies",
        Scope::Pairs => "One depth per vertex and body penetrated",
    }
}

/// A line of help on normals.
fn about_normals(normals: Normals) -> &'static str {
    match normals {
        Normals::Area => "Smooth, faces weighted by area",
        Normals::Angle => "Smooth, faces weighted by angle",
        Normals::Face => "Flat, each triangle's own",
    }
}

/// Measures, and prints the result.
pub fn run(arguments: &DepthArguments) -> Result<ExitCode, EarlyExit> {
    if arguments.threads == Some(0) {
        return Ok(show::usage_error("--threads is 0, at least one thread is needed"));
    }
    // Also where it is without effect: a value that means nothing is a mistake.
    if let Err(error) = arguments.exponent.map_or(Ok(()), check_exponent) {
        return Ok(show::usage_error(&error.to_string()));
    }
    let placements = match arguments.placements() {
        Ok(placements) => placements,
        Err(why) => return Ok(show::usage_error(&why)),
    };
    let mut report = match depth_placed(&arguments.files, &placements, arguments.request()) {
        Ok(report) => report,
        Err(error) => return Ok(show::usage_error(&error.to_string())),
    };
    report.notices.extend(arguments.unused());
    if !arguments.json {
        show::print(&tables(&report))?;
        return Ok(ExitCode::SUCCESS);
    }
    show::print_json(&report)?;
    Ok(ExitCode::SUCCESS)
}

impl DepthArguments {
    fn request(&self) -> Request {
        let usual = DepthSettings::default();
        let settings = DepthSettings {
            exponent: self.exponent.unwrap_or(usual.exponent),
            scope: self.scope.unwrap_or(usual.scope),
            normals: self.normals.unwrap_or(usual.normals),
        };
        let (method, threads) = (self.method, self.threads.unwrap_or(1));
        Request { method, settings, threads, is_timed: self.timings }
    }

    /// Where each argument is put.
    fn placements(&self) -> Result<Vec<Placement>, String> {
        let mut placements = vec![Placement::default(); self.files.len()];
        for given in &self.scale {
            let (number, [scale]) = numbers("scale", given, self.files.len())?;
            placements[number].scale = scale;
        }
        for given in &self.turn {
            let (number, axis) = numbers("turn", given, self.files.len())?;
            placements[number].rotation = Quat::from_scaled_axis(Vec3::from(axis));
        }
        for given in &self.at {
            let (number, position) = numbers("at", given, self.files.len())?;
            placements[number].position = Vec3::from(position);
        }
        Ok(placements)
    }

    /// A notice on options that the closest feature has no use for.
    fn unused(&self) -> Option<String> {
        let given = [
            ("--exponent", self.exponent.is_some()),
            ("--scope", self.scope.is_some()),
            ("--normals", self.normals.is_some()),
        ];
        let given: Vec<_> = given.iter().filter(|pair| pair.1).map(|pair| pair.0).collect();
        let idle = self.method == Method::Closest && !given.is_empty();
        idle.then(|| format!("{}: without effect on the closest feature", given.join(", ")))
    }
}

/// An argument's number and what is given for it.
fn numbers<const N: usize>(
    option: &str,
    given: &str,
    count: usize,
) -> Result<(usize, [f64; N]), String> {
    let example = if N == 1 { "1:0.001" } else { "1:0,0,0.5" };
    let wrong =
        || format!("--{option} {given}: name an argument from 0 and numbers, as in {example}");
    let (number, values) = given.split_once(':').ok_or_else(wrong)?;
    let number: usize = number.trim().parse().map_err(|_| wrong())?;
    let values: Result<Vec<f64>, _> = values.split(',').map(|value| value.trim().parse()).collect();
    let values: [f64; N] = values.map_err(|_| wrong())?.try_into().map_err(|_| wrong())?;
    if number >= count {
        return Err(format!(
            "--{option} {given}: there is no argument {number}, only {count} meshes"
        ));
    }
    Ok((number, values))
}

/// Everything for people: a part per body, crossing pairs, notices.
fn tables(report: &Report) -> String {
    let labels = labels(&report.bodies);
    let nothing = |body: &BodyReport| body.points.is_empty() && body.unresolved.is_empty();
    let mut text = String::new();
    if report.crossing_pairs.is_empty() && report.bodies.iter().all(nothing) {
        let count = report.bodies.len();
        let _ = writeln!(text, "{GOOD}no overlap{GOOD:#} among {count} bodies");
    } else {
        for (body, label) in report.bodies.iter().zip(&labels) {
            text += &table(body, label, &labels);
        }
    }
    for [a, b] in &report.crossing_pairs {
        let (a, b) = (&labels[*a as usize], &labels[*b as usize]);
        let _ = writeln!(
            text,
            "{WARNING}crossing{WARNING:#} {a} and {b} overlap, with no vertex of either inside the other"
        );
    }
    if let Some(Timings { inside, depth }) = report.timings_us {
        let _ = writeln!(text, "{DIM}time     inside {inside:.1} µs, depth {depth:.1} µs{DIM:#}");
    }
    for notice in &report.notices {
        let _ = writeln!(text, "{DIM}note     {}{DIM:#}", plain(notice));
    }
    text
}

/// Names of the bodies, with the number of the argument where two are alike.
fn labels(bodies: &[BodyReport]) -> Vec<String> {
    let alike = |name: &str| bodies.iter().filter(|body| body.name == name).count() > 1;
    let label = |(index, body): (usize, &BodyReport)| {
        let name = plain(&body.name);
        if alike(&body.name) { format!("{name}#{index}") } else { name }
    };
    bodies.iter().enumerate().map(label).collect()
}

/// One body: counts, statistics, the deepest vertices.
fn table(body: &BodyReport, label: &str, labels: &[String]) -> String {
    let vertices = counted(body.vertices, "vertex", "vertices");
    let made_of = match body.kind {
        Kind::Tets => format!("{vertices}, {}", counted(body.tets, "tet", "tets")),
        Kind::Surface | Kind::Scene => format!("{vertices}, a surface"),
    };
    let mut text = format!("{HEADING}{label}{HEADING:#}: {made_of}\n");
    if body.points.is_empty() && body.unresolved.is_empty() {
        return text + "  no vertex inside another body\n";
    }
    let points = body.points.iter().map(|point| point.vertex);
    let mut colliding: Vec<u32> =
        points.chain(body.unresolved.iter().map(|unknown| unknown.vertex)).collect();
    colliding.sort_unstable();
    colliding.dedup();
    let colliding = counted(colliding.len(), "vertex", "vertices");
    let _ = writeln!(text, "  inside      {colliding}");
    text += &depths(&body.points);
    text += &unresolved(body);
    text += &deepest(&body.points, labels);
    text
}

/// Statistics of the depths.
fn depths(points: &[Point]) -> String {
    if points.is_empty() {
        return String::new();
    }
    let deepest = points.iter().map(|point| point.depth).fold(f64::NEG_INFINITY, f64::max);
    let mean = points.iter().map(|point| point.depth).sum::<f64>() / points.len() as f64;
    let mut text = format!("  depth       deepest {deepest:.6}, mean {mean:.6}");
    if let Some(last) = points.iter().filter_map(|point| point.ring).max() {
        let rings = counted(last as usize + 1, "ring", "rings");
        let _ = write!(text, ", in {rings}");
    }
    text + "\n"
}

/// How many vertices have no depth, by reason.
fn unresolved(body: &BodyReport) -> String {
    let reasons = [Reason::Enclosed, Reason::Cancelled, Reason::Rounding];
    let counts: Vec<_> = reasons
        .into_iter()
        .map(|reason| {
            let count = body.unresolved.iter().filter(|unknown| unknown.reason == reason).count();
            (count, reason.name())
        })
        .filter(|(count, _)| *count > 0)
        .map(|(count, name)| format!("{count} {name}"))
        .collect();
    if counts.is_empty() {
        return String::new();
    }
    format!("  {WARNING}unresolved{WARNING:#}  {}\n", counts.join(", "))
}

/// The deepest vertices, deepest first.
fn deepest(points: &[Point], labels: &[String]) -> String {
    if points.is_empty() {
        return String::new();
    }
    let mut order: Vec<&Point> = points.iter().collect();
    order.sort_by(|a, b| b.depth.total_cmp(&a.depth));
    let mut text = format!(
        "  {DIM}{:>10}{:>13}{:>31}{:>6}  into{DIM:#}\n",
        "vertex", "depth", "direction", "ring"
    );
    for point in order.iter().take(SHOWN) {
        let [x, y, z] = point.direction;
        let ring = point.ring.map_or("–".to_string(), |ring| ring.to_string());
        let into: Vec<_> = point.into.iter().map(|&body| labels[body as usize].as_str()).collect();
        let _ = writeln!(
            text,
            "  {:>10}{:>13.6}    {x:>9.5}{y:>9.5}{z:>9.5}{ring:>6}  {}",
            point.vertex,
            point.depth,
            into.join(", ")
        );
    }
    if points.len() > SHOWN {
        let _ = writeln!(text, "  {DIM}{:>10} and {} more{DIM:#}", "…", points.len() - SHOWN);
    }
    text
}
