//! Outlines and the frames they move through, the same for every side.

use std::fs;
use std::path::PathBuf;

use pliant::math::Vec2;
use pliant_plane::generate::coast::{self, CoastSettings};
use pliant_plane::outline::Outlines;

/// Names the folder with files of outlines.
const FOLDER: &str = "PLIANT_BENCH";

/// Number of sets of points that are queried in turn.
const FRAMES: usize = 8;

/// Motion of an outline between frames, as a part of its box's diagonal.
const DRIFT: f64 = 0.004;

/// Outlines that move: the same rings in every frame, with other points.
pub struct Frames {
    /// Where the outlines come from.
    pub origin: String,
    /// One set of outlines for each frame.
    pub frames: Vec<Outlines>,
}

/// The six outlines of map, 719 segments, drifting.
pub fn map() -> Result<Frames, String> {
    let (origin, rings) = match std::env::var_os(FOLDER) {
        Some(folder) => {
            let path = PathBuf::from(folder).join("poly_map.txt");
            ("poly_map.txt".to_string(), read(&path)?)
        }
        None => ("six coasts made here".to_string(), generated()?),
    };
    moved(origin, &rings)
}

/// One outline of 719 segments, and where it comes from.
pub fn one() -> Result<(String, Outlines), String> {
    let (origin, rings) = match std::env::var_os(FOLDER) {
        Some(folder) => {
            let path = PathBuf::from(folder).join("poly_one719.txt");
            ("poly_one719.txt".to_string(), read(&path)?)
        }
        None => ("a coast".to_string(), vec![coast(719, 1)?]),
    };
    let mut outlines = Outlines::default();
    outlines.push(&rings).map_err(|error| error.to_string())?;
    Ok((origin, outlines))
}

/// A coast of this many segments about the origin, radius about 1 m.
pub fn coast(segments: u32, seed: u64) -> Result<Vec<Vec2>, String> {
    let settings = CoastSettings { points: segments, radius: 1.0, roughness: 0.5, seed };
    let mut rings = coast::coast(&settings).map_err(|error| error.to_string())?;
    rings.pop().ok_or_else(|| "a coast without a ring".to_string())
}

/// Two coasts of this many segments each, one over the other by about half.
pub fn two(segments: u32) -> Result<Outlines, String> {
    let mut outlines = Outlines::default();
    for (seed, by) in [(1, Vec2::ZERO), (2, Vec2::new(1.2, 0.3))] {
        let ring = coast(segments, seed)?.into_iter().map(|point| point + by).collect();
        outlines.push(&[ring]).map_err(|error| error.to_string())?;
    }
    Ok(outlines)
}

fn generated() -> Result<Vec<Vec<Vec2>>, String> {
    let spread = [(0.0, 0.0), (1.6, 0.2), (3.1, -0.1), (0.2, 1.6), (1.7, 1.7), (3.2, 1.5)];
    let counts = [120, 120, 120, 120, 120, 119];
    let rings = spread.iter().zip(counts).zip(1..).map(|((&(x, y), points), seed)| {
        let ring = coast(points, seed)?;
        Ok(ring.into_iter().map(|point| point + Vec2::new(x, y)).collect())
    });
    rings.collect()
}

/// Each outline drifts along a circle of its own.
fn moved(origin: String, rings: &[Vec<Vec2>]) -> Result<Frames, String> {
    let mut frames = Vec::new();
    for frame in 0..FRAMES {
        let mut outlines = Outlines::default();
        for (index, ring) in rings.iter().enumerate() {
            let low = ring.iter().copied().fold(Vec2::INFINITY, Vec2::min);
            let high = ring.iter().copied().fold(Vec2::NEG_INFINITY, Vec2::max);
            let turn = std::f64::consts::TAU * (frame as f64 / FRAMES as f64 + 0.17 * index as f64);
            let shift = DRIFT * low.distance(high) * Vec2::from_angle(turn);
            let ring: Vec<Vec2> = ring.iter().map(|&point| point + shift).collect();
            outlines.push(&[ring]).map_err(|error| error.to_string())?;
        }
        frames.push(outlines);
    }
    Ok(Frames { origin, frames })
}

/// Outlines from a file: their number, then for each the number of its points and the points.
fn read(path: &std::path::Path) -> Result<Vec<Vec<Vec2>>, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut numbers = text.split_whitespace().map(str::parse::<f64>);
    let mut next = || {
        let number = numbers.next().and_then(Result::ok);
        number.ok_or_else(|| format!("{}: a number is missing", path.display()))
    };
    let count = next()? as usize;
    let mut rings = Vec::new();
    for _ in 0..count {
        let points = next()? as usize;
        let ring: Result<Vec<Vec2>, String> =
            (0..points).map(|_| Ok(Vec2::new(next()?, next()?))).collect();
        rings.push(ring?);
    }
    Ok(rings)
}
