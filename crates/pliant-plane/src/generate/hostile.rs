//! Outlines of any number of segments that take careless algorithms to their worst.
//!
//! All segments of a row of rings or of a comb are at one height, boxes around the spikes of a
//! star overlap, and a thick line that goes anywhere crosses itself as often as it can. Tests
//! and benches measure memory and time with them.

use std::f64::consts::TAU;

use pliant::math::Vec2;

use super::super::outline::thick::{Stroke, ThickError, thicken};

/// Segments of a square.
const SQUARE: usize = 4;

/// Radius of a star between its spikes, relative to that of their tips.
const NOTCH: f64 = 0.5;

/// Thickness of a line, relative to a step of it.
const THICKNESS: f64 = 0.25;

/// How far the round joints of a thick line may be off, relative to a step.
const ROUNDNESS: f64 = 0.02;

/// The golden ratio.
const IRRATIONAL: f64 = 1.618_033_988_749_895;

/// A family of outlines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hostile {
    /// Unit squares side by side.
    Rings,
    /// Teeth as high as all of them are wide.
    Comb,
    /// Spikes around the origin.
    Star,
    /// A line with a thickness that wanders about.
    ThickLine,
}

impl Hostile {
    /// All values.
    pub const ALL: [Hostile; 4] =
        [Hostile::Rings, Hostile::Comb, Hostile::Star, Hostile::ThickLine];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Hostile::Rings => "rings",
            Hostile::Comb => "comb",
            Hostile::Star => "star",
            Hostile::ThickLine => "thick line",
        }
    }

    /// Rings of about so many segments, at least a few.
    pub fn rings(self, segments: usize) -> Result<Vec<Vec<Vec2>>, ThickError> {
        let count = segments.max(2 * SQUARE) / SQUARE;
        match self {
            Hostile::Rings => Ok((0..count).map(square).collect()),
            Hostile::Comb => Ok(vec![comb(count)]),
            Hostile::Star => Ok(vec![star(segments)]),
            // Four segments of the boundary or so for each of the line, as joints are round.
            Hostile::ThickLine => thick_line(segments / 4 + 2),
        }
    }

    /// Where a second outline of the family lies across the first one everywhere.
    pub fn shift(self, segments: usize) -> Vec2 {
        match self {
            Hostile::Rings => Vec2::splat(0.5),
            Hostile::Comb => Vec2::new(0.5, -0.25 * segments as f64),
            // A quarter of the way from one spike to the next: each crosses few others.
            Hostile::Star => 0.25 * TAU / segments as f64 * Vec2::new(1.0, 0.3),
            Hostile::ThickLine => Vec2::splat(0.1),
        }
    }
}

fn square(number: usize) -> Vec<Vec2> {
    let at = Vec2::new(2.0 * number as f64, 0.0);
    [Vec2::ZERO, Vec2::X, Vec2::ONE, Vec2::Y].map(|corner| at + corner).to_vec()
}

fn comb(teeth: usize) -> Vec<Vec2> {
    let height = 2.0 * teeth as f64;
    let tooth = |number: usize| {
        let x = 2.0 * number as f64;
        [(x, 0.0), (x, height), (x + 1.0, height), (x + 1.0, 0.0)].map(Vec2::from)
    };
    let back = [Vec2::new(height, -1.0), Vec2::new(0.0, -1.0)];
    (0..teeth).flat_map(tooth).chain(back).collect()
}

fn star(segments: usize) -> Vec<Vec2> {
    let spikes = segments.max(2 * SQUARE) / 2;
    let corner = |number: usize| {
        let radius = if number.is_multiple_of(2) { 1.0 } else { NOTCH };
        radius * Vec2::from_angle(0.5 * TAU * number as f64 / spikes as f64)
    };
    (0..2 * spikes).map(corner).collect()
}

fn thick_line(steps: usize) -> Result<Vec<Vec<Vec2>>, ThickError> {
    let mut at = Vec2::ZERO;
    let mut points = vec![at];
    for number in 0..steps {
        // Multiples of an irrational number by squares are as good as random.
        let turn = (IRRATIONAL * (number * number % (1 << 24)) as f64).fract();
        at += Vec2::from_angle(TAU * turn);
        points.push(at);
    }
    let stroke = Stroke { points, radius: 0.5 * THICKNESS };
    Ok(thicken(&[stroke], ROUNDNESS)?.rings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outline::Outlines;
    use crate::outline::crossings::crossings;

    #[test]
    fn outlines_have_about_as_many_segments_as_asked_and_cross_nothing() {
        for family in Hostile::ALL {
            for segments in [100, 1000, 10_000] {
                let mut outlines = Outlines::default();
                outlines.push(&family.rings(segments).unwrap()).unwrap();
                let made = outlines.points().len() as f64 / segments as f64;
                assert!((0.5..2.0).contains(&made), "{} {segments}: {made}", family.name());
                assert_eq!(crossings(&outlines, 0), [], "{}", family.name());
            }
        }
    }
}
