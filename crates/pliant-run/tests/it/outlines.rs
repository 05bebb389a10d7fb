//! Outlines of other people's files against sums over the raw numbers.

use std::path::Path;

use pliant_io::outline::assemble::{Wanted, assemble};
use pliant_io::outline::read;
use pliant_plane::outline::{Outlines, area};
use serde_json::Value;

use crate::data;

/// Sums of some thousand products of degrees or pixels, relative.
const ROUNDING: f64 = 1e-9;

/// Area of an outline as it is read, within `bound` of its curves, file unit squared.
fn covered(file: &str, bound: f64) -> f64 {
    let picked = read(Path::new(file)).unwrap();
    let assembled = assemble(&picked, Wanted { bound, thickness: None }).unwrap();
    let mut outlines = Outlines::default();
    assembled.push(&mut outlines).unwrap();
    outlines.rings(0).map(|ring| area(&outlines.points()[ring])).sum()
}

/// Area of a ring by the shoelace sum over the raw numbers.
fn shoelace(ring: &Value) -> f64 {
    let points: Vec<[f64; 2]> = ring
        .as_array()
        .unwrap()
        .iter()
        .map(|point| [point[0].as_f64().unwrap(), point[1].as_f64().unwrap()])
        .collect();
    let [x0, y0] = points[0];
    let next = points.iter().cycle().skip(1);
    let sum: f64 = points
        .iter()
        .zip(next)
        .map(|(p, q)| (p[0] - x0) * (q[1] - y0) - (q[0] - x0) * (p[1] - y0))
        .sum();
    sum.abs() / 2.0
}

/// Area of a polygon: its outer ring less its holes.
fn polygon(rings: &Value) -> f64 {
    let areas: Vec<f64> = rings.as_array().unwrap().iter().map(shoelace).collect();
    areas[0] - areas[1..].iter().sum::<f64>()
}

#[test]
fn areas_of_features_are_those_of_the_raw_numbers() {
    let Some(folder) = data::folder("areas of outlines") else { return };
    let mut features = 0;
    for name in ["ne_110m_admin_0_countries", "ne_110m_lakes", "ne_50m_countries_a", "letters"] {
        let file = folder.join(format!("polygons2d/{name}.geojson"));
        let text = std::fs::read_to_string(&file).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        for (number, feature) in value["features"].as_array().unwrap().iter().enumerate() {
            let geometry = &feature["geometry"];
            let expected = match geometry["type"].as_str().unwrap() {
                "Polygon" => polygon(&geometry["coordinates"]),
                _ => geometry["coordinates"].as_array().unwrap().iter().map(polygon).sum(),
            };
            let found = covered(&format!("{}#{number}", file.display()), 1.0);
            let off = (found - expected).abs() / expected;
            assert!(off < ROUNDING, "{name} {number}: {found} {expected}");
            features += 1;
        }
    }
    assert!(features > 200, "{features}");
}

#[test]
fn icons_cover_what_another_program_made_of_them() {
    let Some(folder) = data::folder("icons") else { return };
    let folder = folder.join("polygons2d");
    let flattened = folder.join("mdi_icons.geojson");
    let mut icons = 0;
    for entry in std::fs::read_dir(folder.join("svg")).unwrap() {
        let file = entry.unwrap().path();
        let stem = file.file_stem().unwrap().to_str().unwrap().to_string();
        let Some(name) = stem.strip_prefix("mdi_") else { continue };
        let theirs = covered(&format!("{}#{name}", flattened.display()), 1.0);
        let ours = covered(file.to_str().unwrap(), 1e-4);
        // Their chords are some hundredths of a pixel from the curves.
        assert!((ours - theirs).abs() < 5e-3 * theirs, "{name}: {ours} {theirs}");
        icons += 1;
    }
    assert!(icons > 15, "{icons}");
}
