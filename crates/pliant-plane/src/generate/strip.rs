//! Strips: upright boxes whose right edge may be wavy, to face each other.

use super::{GenerateError, around, check_count, check_length, check_range};
use pliant::math::Vec2;

/// Height of the waves over the width at most.
const HIGHEST: f64 = 0.49;

/// Waves for each segment along the edge at most: four segments show a wave.
const DENSEST: f64 = 0.25;

/// Parameters of a strip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StripSettings {
    /// Width along x and length along y, m.
    pub size: [f64; 2],
    /// Points of the ring, even, at least 8.
    pub points: u32,
    /// Height of the waves of the right edge, m; below half the width.
    pub amplitude: f64,
    /// Waves along the right edge; 0 to a quarter of the points along it.
    pub waves: f64,
}

impl Default for StripSettings {
    /// One metre by four, a hundred points, straight.
    fn default() -> StripSettings {
        StripSettings { size: [1.0, 4.0], points: 100, amplitude: 0.0, waves: 0.0 }
    }
}

/// A strip around the origin, one ring with corners at the ends of both long edges.
pub fn strip(settings: &StripSettings) -> Result<Vec<Vec<Vec2>>, GenerateError> {
    let StripSettings { size: [width, length], points, amplitude, waves } = *settings;
    check_count("points of the strip", points, 8, 1)?;
    if points % 2 == 1 {
        return Err(GenerateError::Odd { what: "points of the strip", value: points });
    }
    check_length("the width of the strip", width)?;
    check_length("the length of the strip", length)?;
    check_range("the height of the waves in m", amplitude, [0.0, HIGHEST * width])?;
    let half = points / 2;
    let short = (f64::from(half) * width / (width + length)).round();
    let short = (short as u32).clamp(1, half - 1);
    let long = half - short;
    check_range("waves along the strip", waves, [0.0, DENSEST * f64::from(long)])?;
    let corner = Vec2::new(0.5 * width, 0.5 * length);
    let side = |count: u32, from: Vec2, to: Vec2| {
        (0..count).map(move |k| from + f64::from(k) / f64::from(count) * (to - from))
    };
    let wavy = |p: Vec2| {
        let along = (p.y + corner.y) / length;
        p + Vec2::new(amplitude * around(waves * along).y, 0.0)
    };
    let flipped = Vec2::new(-corner.x, corner.y);
    let mut ring = Vec::with_capacity(points as usize);
    ring.extend(side(short, -corner, -flipped));
    ring.extend(side(long, -flipped, corner).map(wavy));
    ring.extend(side(short, corner, flipped));
    ring.extend(side(long, flipped, -corner));
    Ok(vec![ring])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::tests::check_simple;
    use crate::outline::area;

    #[test]
    fn strips_are_simple_and_have_their_points() {
        for points in [8, 10, 100, 102] {
            let settings = StripSettings { points, ..Default::default() };
            assert_eq!(check_simple(&strip(&settings).unwrap()), points as usize);
        }
        let wavy = StripSettings { amplitude: 0.4, waves: 5.0, ..Default::default() };
        assert_eq!(check_simple(&strip(&wavy).unwrap()), 100);
    }

    #[test]
    fn a_straight_strip_is_a_box_and_its_waves_are_on_the_right_alone() {
        let straight = strip(&StripSettings::default()).unwrap();
        assert!((area(&straight[0]) - 4.0).abs() < 1e-12);
        let settings = StripSettings { amplitude: 0.2, waves: 2.0, ..Default::default() };
        let wavy = strip(&settings).unwrap();
        let most = wavy[0].iter().fold(0.0_f64, |most, p| most.max(p.x));
        // Some of 40 points come within 1/80 of a wave's 1/20 of the crest.
        assert!((0.69..=0.7).contains(&most), "{most}");
        assert!(wavy[0].iter().all(|p| p.x >= -0.5));
    }

    #[test]
    fn numbers_without_a_strip_are_refused() {
        let refused = |settings| strip(&settings).is_err();
        let usual = StripSettings::default();
        assert!(refused(StripSettings { points: 99, ..usual }));
        assert!(refused(StripSettings { points: 6, ..usual }));
        assert!(refused(StripSettings { size: [0.0, 1.0], ..usual }));
        assert!(refused(StripSettings { amplitude: 0.5, ..usual }));
        assert!(refused(StripSettings { waves: 1e9, ..usual }));
    }
}
