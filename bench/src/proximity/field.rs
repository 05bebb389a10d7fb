//! The signed distance field of 719 segments in 512² pixels, by every side.

use parry2d::math::Vector;
use pliant::math::Vec2;
use pliant_gpu::{FieldMethod, FieldRequest, FieldSettings, Gpu};
use pliant_plane::brute;
use pliant_plane::field::mesh::{MeshSettings, Meshes};
use pliant_plane::field::tiled::Tiled;
use pliant_plane::field::{Field, Window};
use pliant_plane::outline::Outlines;

use super::frames::one;
use super::peers::Parry;
use crate::timing::{fastest, fastest_wall};

/// Pixels along a side.
const SIDE: u32 = 512;

/// Every this many pixels one is measured exactly.
const LOOKED_AT: usize = 97;

/// Prints the table.
pub fn run() -> Result<(), String> {
    let (origin, outlines) = one()?;
    let window = window(&outlines);
    let segments = outlines.points().len();
    println!("{segments} segments ({origin}), {SIDE}² pixels of {:.4} m.\n", window.pixel);
    println!("| side | ms | largest error, pixels |\n|---|---|---|");
    let mut field = Field::blank(window);
    let mut tiled = Tiled::default();
    let (time, ()) = fastest(|| tiled.draw(&outlines, 0, f64::INFINITY, None, &mut field));
    line("cpu, tiles, exact", time, off(&outlines, &field));
    let mut meshes = Meshes::default();
    for (name, reach) in [("whole", f64::INFINITY), ("16 pixels far", 16.0 * window.pixel)] {
        let settings = MeshSettings { reach, too_low: window.pixel / 16.0 };
        let (time, ()) = fastest(|| meshes.draw(&outlines, 0, &settings, &mut field));
        line(&format!("cpu, cones and tents, {name}"), time, off(&outlines, &field));
    }
    match Gpu::new() {
        Ok(gpu) => on_gpu(gpu, &outlines, window)?,
        Err(error) => eprintln!("no GPU backend: {error}"),
    }
    let parry = Parry::new(&outlines);
    let (time, sum) = fastest(|| by_parry(&parry, window));
    line("parry2d, point by point", time, off(&outlines, &sum));
    Ok(())
}

fn line(name: &str, time: f64, off: f64) {
    println!("| {name} | {:.3} | {off:.1e} |", 1e3 * time);
}

fn on_gpu(mut gpu: Gpu, outlines: &Outlines, window: Window) -> Result<(), String> {
    let mut fields = Vec::new();
    for (name, method, reach) in [
        ("tiles, exact", FieldMethod::Tiled, f64::INFINITY),
        ("cones and tents, 16 pixels far", FieldMethod::Meshes, 16.0 * window.pixel),
    ] {
        let request = FieldRequest { outline: 0, window, reach };
        let settings = FieldSettings { method, ..FieldSettings::default() };
        let mut drawn = Ok(());
        let (time, ()) =
            fastest_wall(|| drawn = gpu.fields(outlines, &[request], &settings, &mut fields));
        drawn.map_err(|error| error.to_string())?;
        let name = format!("gpu ({}), {name}, read back, on the clock", gpu.adapter());
        line(&name, time, off(outlines, &fields[0]));
    }
    Ok(())
}

/// A square around an outline with a rim of a twentieth.
fn window(outlines: &Outlines) -> Window {
    let low = outlines.points().iter().copied().fold(Vec2::INFINITY, Vec2::min);
    let high = outlines.points().iter().copied().fold(Vec2::NEG_INFINITY, Vec2::max);
    let side = 1.1 * (high - low).max_element();
    let corner = low.midpoint(high) - Vec2::splat(0.5 * side);
    Window { corner, pixel: side / f64::from(SIDE), width: SIDE, height: SIDE }
}

/// Largest error of the pixels looked at that have a distance, pixels.
fn off(outlines: &Outlines, field: &Field) -> f64 {
    let window = field.window;
    let mut off = 0.0_f64;
    for at in (0..window.pixels()).step_by(LOOKED_AT) {
        let (x, y) = (at as u32 % window.width, at as u32 / window.width);
        let centre = window.centre(x, y);
        let Some((_, distance)) = brute::nearest(outlines, 0, centre) else { continue };
        let inside = brute::spot(outlines, 0, centre) == brute::PointLocation::Inside;
        let signed = if inside { -distance } else { distance };
        if field.distance[at].is_finite() {
            off = off.max((field.distance[at] - signed).abs() / window.pixel);
        }
    }
    off
}

fn by_parry(parry: &Parry, window: Window) -> Field {
    let mut field = Field::blank(window);
    for y in 0..window.height {
        for x in 0..window.width {
            let centre = window.centre(x, y);
            let point = Vector::new(centre.x as f32, centre.y as f32);
            let at = (y * window.width + x) as usize;
            field.distance[at] = parry.signed(0, point);
        }
    }
    field
}
