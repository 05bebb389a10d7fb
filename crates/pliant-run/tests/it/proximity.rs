//! Outlines of maps: images compared with all pairs of segments.

use std::io::Write;
use std::path::PathBuf;

use pliant::math::Vec2;
use pliant_plane::brute::Brute;
use pliant_plane::image::Images;
use pliant_plane::outline::Outlines;
use pliant_plane::{Backend, Pair, ProximityQuery, ProximityResult, QueryFlags};

use super::data;

/// Rounding of coordinates below a thousand.
const ROUNDING: f64 = 1e-9;

/// Compares the images' lengths with the exact ones; returns the pairs that intersect.
#[track_caller]
fn check(outlines: &Outlines, pairs: &[Pair], question: &ProximityQuery) -> usize {
    let (mut found, mut exact) = (Vec::new(), Vec::new());
    Images::default().query(outlines, pairs, question, &mut found).unwrap();
    Brute.query(outlines, pairs, question, &mut exact).unwrap();
    for ((found, exact), pair) in found.iter().zip(&exact).zip(pairs) {
        check_pair(outlines, *pair, question.error, found, exact);
    }
    found.iter().filter(|answer| answer.intersects).count()
}

#[track_caller]
fn check_pair(
    outlines: &Outlines,
    pair: Pair,
    error: f64,
    found: &ProximityResult,
    exact: &ProximityResult,
) {
    assert_eq!(found.intersects, exact.intersects, "{pair:?}");
    let segments = [pair.a, pair.b].into_iter().flat_map(|of| outlines.range(of as usize));
    let ends = segments.map(|at| outlines.segment(at));
    let perimeters: f64 = ends.map(|[from, to]| from.distance(to)).sum();
    assert!((found.overlap_area - exact.overlap_area).abs() <= error * perimeters, "{pair:?}");
    let distances = [found, exact].map(|answer| answer.separation.map(|way| way.distance));
    if let [Some(found), Some(exact)] = distances {
        assert!((found - exact).abs() <= error, "{pair:?}: {found} {exact}");
    }
    assert_eq!(found.penetration.len(), exact.penetration.len(), "{pair:?}");
    for (found, exact) in found.penetration.iter().zip(&exact.penetration) {
        assert_eq!((found.of, found.at.segment), (exact.of, exact.at.segment));
        assert!((found.depth - exact.depth).abs() <= error + ROUNDING, "{found:?} {exact:?}");
    }
}

fn pairs(count: u32) -> Vec<Pair> {
    (0..count).flat_map(|b| (0..b).map(move |a| Pair { a, b })).collect()
}

#[test]
fn six_coasts_answer_as_every_segment_does() {
    let Some(folder) = std::env::var_os("PLIANT_BENCH").map(PathBuf::from) else {
        let note = "skipped six_coasts: PLIANT_BENCH does not name the folder of bench scenes\n";
        let _ = std::io::stderr().write_all(note.as_bytes());
        return;
    };
    let text = std::fs::read_to_string(folder.join("poly_map.txt")).unwrap();
    let mut numbers = text.split_whitespace().map(|word| word.parse::<f64>().unwrap());
    let mut number = || numbers.next().unwrap();
    let mut outlines = Outlines::default();
    for _ in 0..number() as usize {
        let ring = (0..number() as usize).map(|_| Vec2::new(number(), number())).collect();
        outlines.push(&[ring]).unwrap();
    }
    assert_eq!(outlines.points().len(), 719);
    for error in [0.05, 0.01] {
        let question = ProximityQuery { error, contact_distance: error, flags: QueryFlags::ALL };
        assert_eq!(check(&outlines, &pairs(6), &question), 4);
    }
}

#[test]
fn countries_answer_as_every_segment_does() {
    let Some(folder) = data::folder("countries_answer_as_every_segment_does") else { return };
    let file = folder.join("polygons2d/ne_110m_admin_0_countries.geojson");
    let text = std::fs::read_to_string(file).unwrap();
    let map: serde_json::Value = serde_json::from_str(&text).unwrap();
    let mut outlines = Outlines::default();
    for feature in map["features"].as_array().unwrap().iter().take(40) {
        let geometry = &feature["geometry"];
        let parts = match geometry["type"].as_str() {
            Some("Polygon") => vec![&geometry["coordinates"]],
            _ => geometry["coordinates"].as_array().unwrap().iter().collect(),
        };
        let rings = parts.iter().flat_map(|part| part.as_array().unwrap()).map(|ring| {
            let point =
                |p: &serde_json::Value| Vec2::new(p[0].as_f64().unwrap(), p[1].as_f64().unwrap());
            ring.as_array().unwrap().iter().map(point).collect::<Vec<Vec2>>()
        });
        outlines.push(&rings.collect::<Vec<_>>()).unwrap();
    }
    // Neighbours share borders point by point: they touch, and all vertices are in contact.
    let wanted = QueryFlags { contacts: false, ..QueryFlags::ALL };
    let question = ProximityQuery { error: 0.2, contact_distance: 0.0, flags: wanted };
    let neighbours = pairs(40).into_iter().filter(|pair| pair.b - pair.a < 6).collect::<Vec<_>>();
    assert!(check(&outlines, &neighbours, &question) > 5);
}
