//! Outlines from files, and how near two of them are by segments and by images.

use std::fs;
use std::path::{Path, PathBuf};

use pliant_io::files::Memory as MemoryFiles;
use pliant_io::outline::{Picked, extent::extent, read_from};
use pliant_run::proximity::{BackendKind, ProximityError, Report, Request, proximity};

use super::{Memory, Reading, Target, two_files};
use crate::judge::message_problem;

/// Bound of lengths, relative to the larger diagonal: images stay small.
const COARSE: f64 = 0.02;

/// Bytes of an input to the queries at most: each is a matter of pairs of segments.
const MOST_BYTES: usize = 20_000;

/// Lengths of two backends differ by their errors, both at most the bound, and rounding.
const ROUNDING: f64 = 1e-9;

/// For queries: images and fields, and curves that are cut into pieces.
const QUERY: Memory = Memory { base: 64 << 20, per_byte: 2000 };

/// For reading: a curve of a few letters becomes up to 4096 points.
const CURVES: Memory = Memory { base: 64 << 20, per_byte: 1000 };

/// A target for every format, and one for the queries.
pub const ALL: [Target; 5] = [
    Target { ending: "svg", seeds: svg_seeds, ..target("svg") },
    Target { ending: "geojson", seeds: geojson_seeds, ..target("geojson") },
    Target { ending: "wkt", seeds: wkt_seeds, ..target("wkt") },
    Target { ending: "json", seeds: rings_seeds, ..target("rings") },
    Target { seeds: proximity_seeds, read: query, memory: QUERY, ..target("proximity") },
];

const fn target(name: &'static str) -> Target {
    Target { name, seeds: Vec::new, ending: "", repair: None, memory: CURVES, read: outline }
}

/// Reads a drawing and makes rings of it.
fn outline(input: &[u8], _: &Path) -> Reading {
    let path = PathBuf::from("a");
    let files = MemoryFiles { files: vec![(path.clone(), input.to_vec())] };
    let picked: Picked = match read_from(&files, &path) {
        Ok(picked) => picked,
        Err(error) => return Reading::Refused(error.to_string()),
    };
    match extent(&picked, None) {
        Err(error) => Reading::Refused(error.to_string()),
        Ok(length) => Reading::Accepted(Box::new(move || match length {
            _ if !(length > 0.0 && length.is_finite()) => Err(format!("a diagonal of {length}")),
            _ => notices(&picked.drawing.notices),
        })),
    }
}

/// Both backends of a query on two outlines; a single one is compared with itself.
fn query(input: &[u8], scratch: &Path) -> Reading {
    let (first, second) = two_files(&input[..input.len().min(MOST_BYTES)]);
    let second = if second.is_empty() { first } else { second };
    let [a, b] = ["a", "b"].map(|name| scratch.join(name));
    for (path, bytes) in [(&a, first), (&b, second)] {
        if let Err(error) = fs::write(path, bytes) {
            return Reading::Refused(format!("the scratch folder cannot be written: {error}"));
        }
    }
    match both(a, b) {
        Err(error) => Reading::Refused(error.to_string()),
        Ok((bound, [exact, images])) => {
            Reading::Accepted(Box::new(move || agree(bound, &exact, &images)))
        }
    }
}

fn both(a: PathBuf, b: PathBuf) -> Result<(f64, [Report; 2]), ProximityError> {
    let mut largest = 0.0_f64;
    for path in [&a, &b] {
        largest = largest.max(extent(&pliant_io::outline::read(path)?, None)?);
    }
    let bound = COARSE * largest;
    let request = Request {
        a,
        b,
        error: Some(bound),
        contact_distance: None,
        thickness: None,
        backend: BackendKind::Exact,
    };
    let exact = proximity(&request)?.report;
    let images = proximity(&Request { backend: BackendKind::Cpu, ..request })?.report;
    Ok((bound, [exact, images]))
}

/// Whether two results are of the same outlines, within the bound.
fn agree(bound: f64, exact: &Report, images: &Report) -> Result<(), String> {
    for report in [exact, images] {
        let depths = report.penetration.iter().map(|point| point.depth);
        let distance = report.separation.map(|way| way.distance);
        let mut numbers = depths.chain(distance).chain([report.overlap_area, report.error_bound]);
        if !numbers.all(|number| number >= 0.0 && number.is_finite()) {
            return Err(format!("{} gives a length that is none", report.backend));
        }
        notices(&report.notices)?;
    }
    if exact.intersects != images.intersects {
        return Err("backends disagree on whether outlines intersect".to_string());
    }
    let bound = bound.max(exact.error_bound).max(images.error_bound) * (2.0 + ROUNDING);
    match (exact.separation, images.separation) {
        (Some(a), Some(b)) if (a.distance - b.distance).abs() > bound => {
            Err(format!("distances are {} and {}, the bound {bound}", a.distance, b.distance))
        }
        (Some(_), None) | (None, Some(_)) => Err("one backend has no distance".to_string()),
        _ => Ok(()),
    }
}

fn notices(notices: &[String]) -> Result<(), String> {
    let problem = notices.iter().find_map(|notice| message_problem(notice));
    problem.map_or(Ok(()), |problem| Err(format!("a notice is wrong: {problem}")))
}

fn svg_seeds() -> Vec<Vec<u8>> {
    let shapes = "<svg viewBox='0 0 10 10' width='10mm'><g transform='translate(1 2) rotate(30) scale(2,1)'>\
                  <rect x='0' y='0' width='3' height='2' rx='1'/><circle cx='5' cy='5' r='2'/>\
                  <ellipse cx='1' cy='1' rx='2' ry='1'/><polygon points='0,0 1,0 1,1'/></g></svg>";
    let path = "<svg xmlns='http://www.w3.org/2000/svg'><defs><path id='p' d='M0 0h2v2h-2z'/></defs>\
                <use href='#p' x='3'/><path style='fill-rule:evenodd;fill:none;stroke:red;stroke-width:0.5' \
                d='M1,1 L2 2 q1 1 2 0 t2 0 C1 2 3 4 5 6 s1 2 3 4 A 3 2 30 1 0 8 9 z m1 1 l1 0 0 1z'/>\
                <line x1='0' y1='0' x2='3' y2='1' stroke='red' stroke-width='1'/><polyline points='0,0 1 1 2 0'/></svg>";
    vec![shapes.into(), path.into()]
}

fn geojson_seeds() -> Vec<Vec<u8>> {
    let collection = r#"{"type":"FeatureCollection","features":[{"type":"Feature","id":7,"properties":{"name":"a"},
        "geometry":{"type":"Polygon","coordinates":[[[0,0],[3,0],[3,3],[0,3],[0,0]],[[1,1],[2,1],[2,2],[1,1]]]}},
        {"type":"Feature","properties":null,"geometry":{"type":"MultiPolygon","coordinates":[[[[5,5],[6,5],[6,6],[5,5]]]]}},
        {"type":"Feature","properties":{},"geometry":null}]}"#;
    let geometry = r#"{"type":"GeometryCollection","geometries":[{"type":"Polygon","coordinates":
        [[[0,0],[1,0],[1,1],[0,0]]]},{"type":"Point","coordinates":[0,0]}]}"#;
    vec![collection.into(), geometry.into()]
}

fn wkt_seeds() -> Vec<Vec<u8>> {
    let all = "POLYGON ((0 0, 3 0, 3 3, 0 3, 0 0), (1 1, 2 1, 2 2, 1 1))\n\
               MULTIPOLYGON (((0 0, 1 0, 1 1, 0 0)), ((5 5, 6 5, 6 6, 5 5)))\nPOLYGON EMPTY\n";
    let collection =
        "SRID=4326;GEOMETRYCOLLECTION (POLYGON Z ((0 0 1, 1 0 1, 1 1 1, 0 0 1)), POINT (1 2))";
    vec![all.into(), collection.into(), "POLYGON ((0 0, 1e0 0, 1 1.5, 0 0))".into()]
}

fn rings_seeds() -> Vec<Vec<u8>> {
    let texts = [
        "[[0,0],[3,0],[3,3],[0,3]]",
        "[[[0,0],[3,0],[3,3],[0,3]],[[1,1],[2,1],[2,2]]]",
        "[[[[0,0],[1,0],[1,1]]],[[[5,5],[6,5],[6,6],[5,6]]]]",
    ];
    texts.map(Into::into).to_vec()
}

fn proximity_seeds() -> Vec<Vec<u8>> {
    let all = [svg_seeds(), geojson_seeds(), wkt_seeds(), rings_seeds()].concat();
    let pairs = all.iter().zip(all.iter().cycle().skip(3));
    let pairs = pairs.map(|(a, b)| [&a[..], &[0], &b[..]].concat());
    pairs.chain(rings_seeds()).collect()
}
