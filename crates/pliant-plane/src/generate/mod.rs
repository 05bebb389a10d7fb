//! Generators of outlines: coasts, gears, links, cars, strips.
//!
//! Every generator returns rings that cross neither themselves nor each other, the outer one
//! first, all counter-clockwise, holes too. Only sums, products, quotients and roots are
//! used, so that the results are bitwise reproducible on every machine.
//!
//! | outline | points                     | kept apart by                     |
//! |---------|----------------------------|-----------------------------------|
//! | `coast` | any number                 | a test of every point it grows by |
//! | `gear`  | 4 a tooth, and a bore's    | teeth narrower than their gaps    |
//! | `link`  | any number                 | arcs about two centres            |
//! | `car`   | any number, convex         | a rounded box                     |
//! | `strip` | any even number            | waves lower than half the width   |

use std::f64::consts::TAU;

use pliant::math::Vec2;

pub mod coast;

pub mod gear;

pub mod hostile;

pub mod link;

pub mod car;

pub mod strip;

/// Most points of one generated ring; the time of a coast grows with their square.
pub const MOST_POINTS: u32 = 10_000;

/// Lengths whose squares are numbers too, m.
const LENGTHS: std::ops::Range<f64> = 1e-150..1e150;

/// Why an outline cannot be made from the numbers given.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GenerateError {
    /// A length that is zero, negative or not finite.
    #[error("{what} is {value:?} m, expected a positive finite length")]
    BadLength {
        /// The length meant.
        what: &'static str,
        /// As given, m.
        value: f64,
    },
    /// A number out of range.
    #[error("{what} is {value:?}, expected {least:?} to {most:?}")]
    OutOfRange {
        /// The number meant, with its unit.
        what: &'static str,
        /// As given.
        value: f64,
        /// The least allowed.
        least: f64,
        /// The most allowed.
        most: f64,
    },
    /// A count out of range.
    #[error("{what}: {value} asked for, expected {least} to {most}")]
    BadCount {
        /// What is counted.
        what: &'static str,
        /// As given.
        value: u32,
        /// The fewest allowed.
        least: u32,
        /// The most allowed.
        most: u32,
    },
    /// A count that must be even.
    #[error("{what}: {value} asked for, expected an even number")]
    Odd {
        /// What is counted.
        what: &'static str,
        /// As given.
        value: u32,
    },
}

/// Accepts [`LENGTHS`].
fn check_length(what: &'static str, value: f64) -> Result<(), GenerateError> {
    if LENGTHS.contains(&value) {
        return Ok(());
    }
    Err(GenerateError::BadLength { what, value })
}

/// Accepts numbers from `least` to `most`.
fn check_range(
    what: &'static str,
    value: f64,
    [least, most]: [f64; 2],
) -> Result<(), GenerateError> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(GenerateError::OutOfRange { what, value, least, most })
}

/// Accepts counts of at least `least` that make at most [`MOST_POINTS`] points.
fn check_count(
    what: &'static str,
    value: u32,
    least: u32,
    points_each: u32,
) -> Result<(), GenerateError> {
    let most = MOST_POINTS / points_each;
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(GenerateError::BadCount { what, value, least, most })
}

/// Unit vector at a share of a whole turn from x towards y, any finite number.
///
/// By a series instead of the machine's own sine; the ends of quarter turns are exact.
pub fn around(turns: f64) -> Vec2 {
    let quarters = (4.0 * turns).round();
    let angle = TAU * (turns - 0.25 * quarters);
    let square = -angle * angle;
    // Up to an eighth of a turn the term of order 19 is below 1e-19.
    let (mut sin, mut cos) = (0.0, 0.0);
    for order in (1..=9).rev() {
        let even = 2.0 * f64::from(order);
        sin = (1.0 + sin) * square / (even * (even + 1.0));
        cos = (1.0 + cos) * square / (even * (even - 1.0));
    }
    let (sin, cos) = (angle * (1.0 + sin), 1.0 + cos);
    match quarters.rem_euclid(4.0) as u8 {
        0 => Vec2::new(cos, sin),
        1 => Vec2::new(-sin, cos),
        2 => Vec2::new(-cos, -sin),
        _ => Vec2::new(sin, -cos),
    }
}

/// Points on an arc about a centre, both ends included, m; `turns` are shares of a whole turn.
fn arc(centre: Vec2, radius: f64, turns: [f64; 2], points: u32) -> impl Iterator<Item = Vec2> {
    let last = f64::from(points.max(2) - 1);
    (0..points).map(move |k| {
        let share = f64::from(k) / last;
        centre + radius * around(turns[0] + share * (turns[1] - turns[0]))
    })
}

/// Random numbers that are the same every time (SplitMix64).
#[derive(Clone, Debug)]
struct Random {
    state: u64,
}

impl Random {
    fn new(seed: u64) -> Random {
        Random { state: seed }
    }

    /// From −1 to below 1.
    fn signed(&mut self) -> f64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        (mixed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brute::intersect;
    use crate::outline::{Outlines, area};
    use crate::segment::meet;

    /// Panics unless rings are as this module promises; returns the number of points.
    #[track_caller]
    pub fn check_simple(rings: &[Vec<Vec2>]) -> usize {
        let ends = |ring: &[Vec2], k: usize| [ring[k], ring[(k + 1) % ring.len()]];
        for (index, ring) in rings.iter().enumerate() {
            assert!(ring.len() >= 3 && ring.iter().all(|p| p.is_finite()));
            assert!(area(ring) > 0.0, "ring {index} runs with the clock");
            for a in 0..ring.len() {
                assert_ne!(ring[a], ring[(a + 1) % ring.len()], "point {a} comes twice");
                for b in a + 2..ring.len() {
                    // Neighbours share a point and nothing else, or an angle is zero.
                    let neighbours = a == 0 && b == ring.len() - 1;
                    let crossed = meet(ends(ring, a), ends(ring, b));
                    assert!(neighbours || !crossed, "segments {a} and {b} of ring {index} meet");
                }
            }
            for (other, hole) in rings.iter().enumerate().skip(index + 1) {
                let met = (0..ring.len())
                    .any(|a| (0..hole.len()).any(|b| meet(ends(ring, a), ends(hole, b))));
                assert!(!met, "rings {index} and {other} meet");
            }
        }
        rings.iter().map(Vec::len).sum()
    }

    /// Whether two outlines share a point.
    pub fn overlap(a: &[Vec<Vec2>], b: &[Vec<Vec2>]) -> bool {
        let mut outlines = Outlines::default();
        outlines.push(a).unwrap();
        outlines.push(b).unwrap();
        intersect(&outlines, 0, 1)
    }

    /// Rings turned by a share of a whole turn, then moved.
    pub fn placed(rings: &[Vec<Vec2>], turns: f64, by: Vec2) -> Vec<Vec<Vec2>> {
        let turn = around(turns);
        rings.iter().map(|ring| ring.iter().map(|p| by + turn.rotate(*p)).collect()).collect()
    }

    #[test]
    fn turns_are_those_of_the_machine_but_for_rounding() {
        for k in -50..150 {
            let turns = f64::from(k) / 37.0;
            let expected = Vec2::from_angle(TAU * turns);
            // The machine's own angle is off by half a unit of up to 25.
            assert!(around(turns).abs_diff_eq(expected, 1e-14), "{turns}");
        }
        let quarters = [0.0, 0.25, 0.5, 0.75, -0.25].map(around);
        assert_eq!(quarters, [Vec2::X, Vec2::Y, -Vec2::X, -Vec2::Y, -Vec2::Y]);
    }

    #[test]
    fn a_ring_that_crosses_itself_is_seen() {
        let bow = [(0.0, 0.0), (2.0, 2.0), (2.0, 0.0), (0.0, 3.0)].map(|(x, y)| Vec2::new(x, y));
        assert!(std::panic::catch_unwind(|| check_simple(&[bow.to_vec()])).is_err());
    }

    #[test]
    fn random_numbers_are_spread_and_repeat_with_their_seed() {
        let draw = |seed| {
            let mut random = Random::new(seed);
            (0..1000).map(|_| random.signed()).collect::<Vec<f64>>()
        };
        assert_eq!(draw(3), draw(3));
        assert_ne!(draw(3), draw(4));
        let mean = draw(0).iter().sum::<f64>() / 1000.0;
        // The mean of 1000 has a deviation of 0.58 / √1000 = 0.018.
        assert!(mean.abs() < 0.08, "{mean}");
    }

    #[test]
    fn the_scenes_of_the_paper_have_its_numbers_of_segments() {
        // [Hoff01 tbl. 2]: map 719, gears 391, links 440, cars 266, wavy 200.
        let points = |rings: Vec<Vec<Vec2>>| check_simple(&rings);
        let map = (0..6).map(|k| {
            let points = [150, 135, 123, 115, 104, 92][k as usize];
            coast::coast(&coast::CoastSettings { points, radius: 1.0, roughness: 0.3, seed: k })
        });
        assert_eq!(map.map(|ring| points(ring.unwrap())).sum::<usize>(), 719);
        let gear = |teeth, bore| {
            let bore = (bore > 0).then_some(gear::Bore { radius: 1.0, points: bore });
            let settings = gear::GearSettings { teeth, module: 1.0, backlash: 0.62, bore };
            points(gear::gear(&settings).unwrap())
        };
        assert_eq!(gear(11, 11) + 12 * gear(7, 0), 391);
        let link =
            |count| points(link::link(&link::LinkSettings { points: count, knob: 0.5 }).unwrap());
        assert_eq!(link(34) + 14 * link(29), 440);
        let car = |count| {
            let settings = car::CarSettings { size: [4.2, 1.8, 1.4], points: count };
            points(vec![car::outline(&settings).unwrap()])
        };
        assert_eq!(14 * car(15) + 4 * car(14), 266);
        let strip = strip::StripSettings { size: [1.0, 4.0], points: 100, ..Default::default() };
        assert_eq!(2 * points(strip::strip(&strip).unwrap()), 200);
    }
}
