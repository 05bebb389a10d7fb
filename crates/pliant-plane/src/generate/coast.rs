//! A coast: a closed curve that is rough at every scale and never crosses itself.
//!
//! The longest segment is broken at its middle, again and again, and the new point is
//! pushed sideways by a share of the segment's length: bays have bays. A push that would
//! bring the curve near itself is halved until it does not.

use super::{GenerateError, Random, around, check_count, check_length, check_range};
use crate::segment::{distance_sq, meet, surrounds};
use pliant::math::Vec2;

/// Points of the curve before the first is broken.
const FIRST: u32 = 7;

/// Radii of the first points differ from the mean by up to this share.
const UNEVEN: f64 = 0.35;

/// A new point keeps this share of its segment's length from the others.
const CLEARANCE: f64 = 0.45;

/// The same from the two segments that meet its own.
const BESIDE: f64 = 0.225;

/// Pushes are halved so often before the point stays on its segment.
const HALVINGS: u32 = 6;

/// Parameters of a coast.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoastSettings {
    /// Points of the curve, at least 7.
    pub points: u32,
    /// Mean distance of the first points from the middle, m.
    pub radius: f64,
    /// Largest push over the length of the segment, 0 to 0.5.
    pub roughness: f64,
    /// Seed of the random numbers.
    pub seed: u64,
}

/// A coast around the origin, one ring; the time grows with the square of the points.
pub fn coast(settings: &CoastSettings) -> Result<Vec<Vec<Vec2>>, GenerateError> {
    let CoastSettings { points, radius, roughness, seed } = *settings;
    check_count("points of the coast", points, FIRST, 1)?;
    check_length("the radius of the coast", radius)?;
    check_range("the roughness of the coast", roughness, [0.0, 0.5])?;
    let mut random = Random::new(seed);
    let first = (0..FIRST).map(|k| {
        let distance = radius * (1.0 + UNEVEN * random.signed());
        distance * around(f64::from(k) / f64::from(FIRST))
    });
    let mut ring: Vec<Vec2> = first.collect();
    while ring.len() < points as usize {
        let at = longest(&ring);
        let push = roughness * random.signed();
        let [a, b] = [ring[at], ring[(at + 1) % ring.len()]];
        ring.insert(at + 1, broken(&ring, at, push).unwrap_or_else(|| a.midpoint(b)));
    }
    Ok(vec![ring])
}

/// The first of the longest segments.
fn longest(ring: &[Vec2]) -> usize {
    let length_sq = |k: usize| ring[k].distance_squared(ring[(k + 1) % ring.len()]);
    let longer = |best, k| if length_sq(k) > length_sq(best) { k } else { best };
    (1..ring.len()).fold(0, longer)
}

/// Where a segment may be broken with a push of at most the given share of its length.
fn broken(ring: &[Vec2], at: usize, push: f64) -> Option<Vec2> {
    let next = (at + 1) % ring.len();
    let (a, b) = (ring[at], ring[next]);
    let side = (b - a).perp();
    let clearance_sq = CLEARANCE * CLEARANCE * a.distance_squared(b);
    let beside_sq = BESIDE * BESIDE * a.distance_squared(b);
    let free = |point: &Vec2| {
        (0..ring.len()).filter(|k| *k != at).all(|k| {
            let ends = [ring[k], ring[(k + 1) % ring.len()]];
            let beside_a = (k + 1) % ring.len() == at;
            let beside_b = k == next;
            let beside = beside_a || beside_b;
            // The neighbours end at a and b: they may come near there, and nowhere else.
            let apart =
                (beside_a || !meet([a, *point], ends)) && (beside_b || !meet([*point, b], ends));
            apart
                && distance_sq(ends, *point) >= if beside { beside_sq } else { clearance_sq }
                && !surrounds(&[a, *point, b], ends[1])
        })
    };
    let pushes = (0..HALVINGS).map(|k| push / f64::from(1_u32 << k));
    pushes.map(|push| a.midpoint(b) + push * side).find(free)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::tests::check_simple;

    const USUAL: CoastSettings =
        CoastSettings { points: 120, radius: 1.0, roughness: 0.4, seed: 1 };

    fn length(ring: &[Vec2]) -> f64 {
        ring.iter().zip(ring.iter().cycle().skip(1)).map(|(a, b)| a.distance(*b)).sum()
    }

    #[test]
    fn no_seed_makes_a_coast_that_crosses_itself() {
        for seed in 0..40 {
            let rings = coast(&CoastSettings { seed, ..USUAL }).unwrap();
            assert_eq!(check_simple(&rings), 120, "{seed}");
        }
        let rough = CoastSettings { points: 600, roughness: 0.5, ..USUAL };
        assert_eq!(check_simple(&coast(&rough).unwrap()), 600);
    }

    #[test]
    fn a_rough_coast_grows_longer_with_its_points_and_a_smooth_one_does_not() {
        let of = |points, roughness| {
            length(&coast(&CoastSettings { points, roughness, ..USUAL }).unwrap()[0])
        };
        assert!(of(400, 0.4) > 1.15 * of(100, 0.4), "{} {}", of(400, 0.4), of(100, 0.4));
        assert!((of(400, 0.0) / of(7, 0.0) - 1.0).abs() < 1e-12); // points on straight lines
    }

    #[test]
    fn a_coast_repeats_with_its_seed_and_grows_with_its_radius() {
        assert_eq!(coast(&USUAL), coast(&USUAL));
        assert_ne!(coast(&USUAL), coast(&CoastSettings { seed: 2, ..USUAL }));
        let large = coast(&CoastSettings { radius: 2.0, ..USUAL }).unwrap();
        let doubled: Vec<Vec2> = coast(&USUAL).unwrap()[0].iter().map(|p| 2.0 * *p).collect();
        assert_eq!(large[0], doubled); // a power of two goes through every product
    }

    #[test]
    fn numbers_without_a_coast_are_refused() {
        let refused = |settings| coast(&settings).is_err();
        assert!(refused(CoastSettings { points: 6, ..USUAL }));
        assert!(refused(CoastSettings { points: u32::MAX, ..USUAL }));
        assert!(refused(CoastSettings { radius: f64::NAN, ..USUAL }));
        assert!(refused(CoastSettings { roughness: 0.6, ..USUAL }));
    }
}
