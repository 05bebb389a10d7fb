//! Error and time over the bound, the height of the trees and the number of vertices.

use std::path::Path;

use pliant_plane::brute::Brute;
use pliant_plane::field::tiled::Tiled;
use pliant_plane::field::{Field, Window};
use pliant_plane::localize::{LocalizeSettings, Localizer};
use pliant_plane::outline::Outlines;
use pliant_plane::{Backend, Pair, ProximityQuery, ProximityResult, QueryFlags};

use super::frames::two;
use super::plot::{Axis, Curve, Plot, Scale, Style, svg};
use super::{backends, spent};
use crate::timing::fastest;

/// Error bounds, m; outlines are about 2 m wide.
const BOUNDS: [f64; 7] = [0.1, 0.03, 0.01, 0.003, 0.001, 0.0003, 0.0001];

/// Segments of each outline when only the bound changes.
const SEGMENTS: u32 = 200;

/// Heights of the trees, halvings.
const HEIGHTS: [u32; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

/// Segments of each outline when they grow at a fixed bound.
const GROWING: [u32; 8] = [50, 100, 200, 400, 800, 1600, 3200, 6400];

/// The fixed bound, m.
const BOUND: f64 = 0.003;

const PAIR: [Pair; 1] = [Pair { a: 0, b: 1 }];

/// The curves of one picture, by side.
type Curves = Vec<(String, Vec<[f64; 2]>)>;

/// Prints the largest error of a depth for each bound.
pub fn error() -> Result<(), String> {
    let curves = measured_error()?;
    print("bound, m", "largest error of a depth, m", &curves, 1.0);
    Ok(())
}

/// Prints the time of images for each height of the trees.
pub fn height() -> Result<(), String> {
    print("height", "ms a query", &measured_height()?, 1.0);
    Ok(())
}

/// Prints the time of each side for each number of segments.
pub fn vertices() -> Result<(), String> {
    print("segments of both", "ms a query", &measured_growth()?, 1.0);
    Ok(())
}

/// Writes the three pictures into a folder.
pub fn figures(folder: &str) -> Result<(), String> {
    let mut bound_and_errors = measured_error()?;
    let line = BOUNDS.iter().map(|&bound| [bound, bound]).collect();
    bound_and_errors.push(("the bound".to_string(), line));
    let logarithmic = |title, range| Axis { title, scale: Scale::Logarithmic, range };
    let plots = [
        (
            "proximity-error.svg",
            Plot {
                title: "Largest error of a depth",
                x: logarithmic("bound d, m", [8e-5, 0.12]),
                y: logarithmic("error, m", [1e-8, 0.2]),
                curves: curves(bound_and_errors),
            },
        ),
        (
            "proximity-height.svg",
            Plot {
                title: "Time against the height of the trees",
                x: Axis { title: "halvings", scale: Scale::Linear, range: [0.0, 7.0] },
                y: logarithmic("ms a query", [0.01, 100.0]),
                curves: curves(measured_height()?),
            },
        ),
        (
            "proximity-growth.svg",
            Plot {
                title: "Time against the number of segments",
                x: logarithmic("segments of both", [80.0, 16_000.0]),
                y: logarithmic("ms a query", [0.001, 1000.0]),
                curves: curves(measured_growth()?),
            },
        ),
    ];
    for (name, plot) in plots {
        let path = Path::new(folder).join(name);
        let text = svg(&plot).map_err(|error| error.to_string())?;
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

fn curves(all: Curves) -> Vec<Curve> {
    let drawn = all.into_iter().map(|(name, points)| {
        let style = if name == "the bound" { Style::Dashes } else { Style::DottedLine };
        Curve { name, points, style }
    });
    drawn.collect()
}

/// One row for each value along, one column for each side.
fn print(along: &str, what: &str, curves: &Curves, scale: f64) {
    println!("{what}:\n");
    let names: Vec<&str> = curves.iter().map(|(name, _)| name.as_str()).collect();
    println!("| {along} | {} |", names.join(" | "));
    println!("|---|{}", "---|".repeat(names.len()));
    let Some((_, first)) = curves.first() else { return };
    for (row, [at, _]) in first.iter().enumerate() {
        let values = curves.iter().map(|(_, points)| {
            points.get(row).map_or("–".to_string(), |point| format!("{:.2e}", scale * point[1]))
        });
        println!("| {at} | {} |", values.collect::<Vec<_>>().join(" | "));
    }
}

fn question(error: f64, wanted: QueryFlags) -> ProximityQuery {
    ProximityQuery { error, contact_distance: error, flags: wanted }
}

fn query(
    backend: &mut dyn Backend,
    outlines: &Outlines,
    question: &ProximityQuery,
    answers: &mut Vec<ProximityResult>,
) -> Result<(), String> {
    backend.query(outlines, &PAIR, question, answers).map_err(|error| error.to_string())
}

fn measured_error() -> Result<Curves, String> {
    let outlines = two(SEGMENTS)?;
    let mut curves = Curves::new();
    for (name, mut backend) in backends() {
        let mut points = Vec::new();
        for bound in BOUNDS {
            let asked = question(bound, QueryFlags::DEPTHS);
            let (mut found, mut exact) = (Vec::new(), Vec::new());
            query(backend.as_mut(), &outlines, &asked, &mut found)?;
            query(&mut Brute, &outlines, &asked, &mut exact)?;
            let both = found[0].penetration.iter().zip(&exact[0].penetration);
            let off = both.map(|(f, e)| (f.depth - e.depth).abs()).fold(0.0, f64::max);
            points.push([bound, off]);
        }
        curves.push((name, points));
    }
    Ok(curves)
}

fn time(
    backend: &mut dyn Backend,
    outlines: &Outlines,
    question: &ProximityQuery,
) -> Result<f64, String> {
    let mut answers = Vec::new();
    let name = backend.name();
    let (time, outcome) = spent(name, || query(backend, outlines, question, &mut answers));
    outcome.map(|()| 1e3 * time)
}

/// The paper's way: windows from the trees, each drawn whole, vertices read off.
fn measured_height() -> Result<Curves, String> {
    let outlines = two(SEGMENTS)?;
    let mut curves = Curves::new();
    for bound in [0.01, 0.003, 0.001] {
        let mut points = Vec::new();
        for height in HEIGHTS {
            let mut windows = Windows::default();
            let settings = LocalizeSettings { height };
            let (time, _) = fastest(|| windows.depths(&outlines, settings, bound));
            points.push([f64::from(height), 1e3 * time]);
        }
        curves.push((format!("d = {bound} m"), points));
    }
    Ok(curves)
}

/// Scratch memory of the paper's method.
#[derive(Default)]
struct Windows {
    localizer: Localizer,
    tiled: Tiled,
    field: Option<Field>,
}

impl Windows {
    /// Sum of the depths of a's vertices in b, m.
    fn depths(&mut self, outlines: &Outlines, settings: LocalizeSettings, bound: f64) -> f64 {
        let mut sum = 0.0;
        for region in self.localizer.volumes(outlines, PAIR[0], settings) {
            let window = Window::over([region.window.min, region.window.max], bound, 2);
            let field = self.field.get_or_insert_with(|| Field::blank(window));
            field.window = window;
            self.tiled.draw(outlines, 1, f64::INFINITY, None, field);
            let inside =
                region.a.clone().filter(|&at| region.window.contains(outlines.points()[at]));
            sum += inside
                .filter_map(|at| field.value(outlines.points()[at]))
                .map(|value| value.min(0.0))
                .sum::<f64>();
        }
        -sum
    }
}

fn measured_growth() -> Result<Curves, String> {
    let mut curves = Curves::new();
    let sides = backends().into_iter().map(|(name, backend)| (name, backend, GROWING.len()));
    let slow: (String, Box<dyn Backend>, usize) = ("every pair".to_string(), Box::new(Brute), 5);
    for (name, mut backend, most) in sides.chain([slow]) {
        let mut points = Vec::new();
        for segments in GROWING.into_iter().take(most) {
            let outlines = two(segments)?;
            let asked = question(BOUND, QueryFlags::DEPTHS);
            let spent = time(backend.as_mut(), &outlines, &asked)?;
            points.push([f64::from(2 * segments), spent]);
        }
        curves.push((name, points));
    }
    Ok(curves)
}
