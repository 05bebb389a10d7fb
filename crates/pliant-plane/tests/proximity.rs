//! The exact backend against all segments on outlines that others have drawn.

#![allow(clippy::unwrap_used, reason = "a test may")]

use std::io::Write;
use std::path::{Path, PathBuf};

use pliant::math::Vec2;
use pliant_plane::brute::Brute;
use pliant_plane::exact::Exact;
use pliant_plane::outline::Outlines;
use pliant_plane::pairs::NearPairs;
use pliant_plane::{Backend, Pair, ProximityQuery, ProximityResult, QueryFlags};
use serde_json::Value;

/// Areas are summed in another order; relative to the outlines' extent times coordinates.
const AREA: f64 = 1e-13;

/// Most products of segments that the slow reference tests for one file.
const MOST_WORK: usize = 400_000;

/// The folder that an environment variable names; without it the caller skips.
fn folder(variable: &str, test: &str) -> Option<PathBuf> {
    let Some(folder) = std::env::var_os(variable) else {
        let note = format!("skipped {test}: {variable} does not name the folder of test data\n");
        let _ = std::io::stderr().write_all(note.as_bytes());
        return None;
    };
    Some(PathBuf::from(folder))
}

#[expect(clippy::disallowed_methods, reason = "the library opens no files; a test may")]
fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

/// All rings of a geometry, whatever it is: nested arrays down to pairs of numbers.
fn rings(coordinates: &Value, found: &mut Vec<Vec<Vec2>>) {
    let Some(list) = coordinates.as_array() else { return };
    let point = |value: &Value| Some(Vec2::new(value.get(0)?.as_f64()?, value.get(1)?.as_f64()?));
    let points: Option<Vec<Vec2>> = list.iter().map(point).collect();
    match points {
        Some(ring) if !ring.is_empty() => found.push(ring),
        _ => list.iter().for_each(|inner| rings(inner, found)),
    }
}

/// Every feature of a GeoJSON file as one outline; features without rings are left out.
fn features(path: &Path) -> Outlines {
    let document: Value = serde_json::from_str(&text(path)).unwrap();
    let mut outlines = Outlines::default();
    for feature in document["features"].as_array().unwrap() {
        let mut found = Vec::new();
        rings(&feature["geometry"]["coordinates"], &mut found);
        let _ = outlines.push(&found);
    }
    outlines
}

/// Outlines of a file of numbers: their number, then for each its points.
fn numbers(path: &Path) -> Outlines {
    let text = text(path);
    let mut values = text.split_whitespace().map(|word| word.parse::<f64>().unwrap());
    let mut next = || values.next().unwrap();
    let mut outlines = Outlines::default();
    for _ in 0..next() as usize {
        let ring = (0..next() as usize).map(|_| Vec2::new(next(), next())).collect();
        outlines.push(&[ring]).unwrap();
    }
    outlines
}

/// Evenly chosen pairs that the slow reference can test in time.
fn some(outlines: &Outlines, pairs: &[Pair]) -> Vec<Pair> {
    let work = |pair: &Pair| {
        let sizes = [pair.a, pair.b].map(|at| outlines.range(at as usize).len());
        sizes[0] * sizes[1]
    };
    let small: Vec<Pair> = pairs.iter().filter(|pair| work(pair) <= MOST_WORK).copied().collect();
    let all: usize = small.iter().map(work).sum();
    small.into_iter().step_by(all.div_ceil(MOST_WORK).max(1)).collect()
}

#[track_caller]
fn check(outlines: &Outlines, name: &str) {
    let points = outlines.points();
    let most = points.iter().fold(0.0, |most, point| point.abs().max_element().max(most));
    let mut near = NearPairs::default();
    let mut pairs = some(outlines, near.find(outlines, 0.01 * most));
    if pairs.is_empty() {
        pairs = some(outlines, near.find(outlines, 10.0 * most));
    }
    assert!(!pairs.is_empty(), "{name}");
    let question = ProximityQuery {
        error: 0.002 * most,
        contact_distance: 0.005 * most,
        flags: QueryFlags::ALL,
    };
    let (mut found, mut plain) = (Vec::new(), Vec::new());
    Exact::default().query(outlines, &pairs, &question, &mut found).unwrap();
    Brute.query(outlines, &pairs, &question, &mut plain).unwrap();
    for ((pair, found), plain) in pairs.iter().zip(found).zip(plain) {
        let area = (found.overlap_area - plain.overlap_area).abs();
        assert!(area <= AREA * most * most, "{name} {pair:?}: {area}");
        let [found, plain] =
            [found, plain].map(|answer| ProximityResult { overlap_area: 0.0, ..answer });
        assert_eq!(found, plain, "{name} {pair:?}");
    }
}

#[test]
fn outlines_of_the_world_are_answered_as_all_segments_do() {
    let Some(folder) = folder("PLIANT_DATA", "outlines of the world") else { return };
    for name in [
        "ne_110m_admin_0_countries",
        "ne_110m_lakes",
        "ne_110m_land",
        "ne_50m_countries_a",
        "cad_parts",
        "gear_sections",
        "letters",
        "mdi_icons",
        "pairs/hole_hole",
        "pairs/horseshoe",
        "pairs/saw_rect",
        "pairs/self_intersecting",
    ] {
        check(&features(&folder.join("polygons2d").join(name).with_extension("geojson")), name);
    }
}

#[test]
fn outlines_of_the_map_are_answered_as_all_segments_do() {
    let Some(folder) = folder("PLIANT_BENCH", "outlines of the map") else { return };
    for name in ["poly_map.txt", "poly_pair_apart.txt", "poly_pair_overlap.txt"] {
        check(&numbers(&folder.join(name)), name);
    }
}
