//! Orients rings so that the inside lies to their left: outer counter-clockwise.
//!
//! A ring is outer when an even number of other rings surround it. The crossings of a ray with
//! all other rings together decide whether that number is odd; they lie in one band of
//! heights, so that thousands of rings need not be compared with each other.

use pliant::math::Vec2;

use super::super::segment::right_of;
use super::area;

/// Most entries in bands for each segment on average.
const ENTRIES: usize = 4;

/// Turns rings so that the inside lies to their left, as far as they do not cross.
pub fn turn(rings: &mut [Vec<Vec2>]) {
    let bands = (rings.len() > 1).then(|| Bands::new(rings));
    let outer: Vec<bool> = (0..rings.len())
        .map(|ring| {
            // Rings may touch in points: the middle of a segment is a safer test.
            let middle = rings[ring][0].midpoint(rings[ring][1]);
            bands.as_ref().is_none_or(|bands| bands.crossed(ring, middle) % 2 == 0)
        })
        .collect();
    for (ring, outer) in rings.iter_mut().zip(outer) {
        if (area(ring) > 0.0) != outer {
            ring.reverse();
        }
    }
}

/// One segment and the ring it is of.
#[derive(Clone, Copy, Debug)]
struct Side {
    ends: [Vec2; 2],
    ring: usize,
}

/// Segments by the bands of heights that they reach into.
struct Bands {
    /// Lower edge of the lowest band, m.
    bottom: f64,
    /// Height of a band, m; zero where all is one band.
    height: f64,
    /// First entry of each band, and the count of entries at the end.
    starts: Vec<usize>,
    /// Segments of each band; in a band those that reach farthest to the right come first.
    entries: Vec<Side>,
}

impl Bands {
    fn new(rings: &[Vec<Vec2>]) -> Bands {
        let sides = rings.iter().enumerate().flat_map(|(ring, points)| {
            let next = points.iter().cycle().skip(1);
            points.iter().zip(next).map(move |(&a, &b)| Side { ends: [a, b], ring })
        });
        let mut sides: Vec<Side> = sides.collect();
        let right = |side: &Side| side.ends[0].x.max(side.ends[1].x);
        sides.sort_by(|p, q| right(q).total_cmp(&right(p)));
        let heights = || sides.iter().map(|side| side.ends[0].y);
        let bottom = heights().fold(f64::INFINITY, f64::min);
        let extent = heights().fold(f64::NEG_INFINITY, f64::max) - bottom;
        let mut bands = Bands { bottom, height: 0.0, starts: vec![], entries: vec![] };
        let mut count = sides.len();
        // Long segments fill many bands: fewer bands then, until memory is as the input's.
        loop {
            bands.height = if count > 1 { extent / count as f64 } else { 0.0 };
            let spans = sides.iter().map(|side| bands.span(side, count));
            let entries: usize = spans.map(|[low, high]| high - low + 1).sum();
            if entries <= ENTRIES * sides.len() || count <= 1 {
                break;
            }
            count /= 2;
        }
        bands.fill(&sides, count.max(1));
        bands
    }

    fn fill(&mut self, sides: &[Side], count: usize) {
        let mut starts = vec![0; count + 1];
        for side in sides {
            let [low, high] = self.span(side, count);
            starts[low + 1..=high + 1].iter_mut().for_each(|start| *start += 1);
        }
        for band in 0..count {
            starts[band + 1] += starts[band];
        }
        let mut ends = starts.clone();
        let unused = Side { ends: [Vec2::ZERO; 2], ring: 0 };
        self.entries = vec![unused; starts[count]];
        for side in sides {
            let [low, high] = self.span(side, count);
            for end in &mut ends[low..=high] {
                self.entries[*end] = *side;
                *end += 1;
            }
        }
        self.starts = starts;
    }

    /// First and last band that a segment reaches into.
    fn span(&self, side: &Side, count: usize) -> [usize; 2] {
        let [a, b] = side.ends.map(|end| self.band(end.y, count));
        [a.min(b), a.max(b)]
    }

    fn band(&self, y: f64, count: usize) -> usize {
        // Rounding is the same for equal heights and keeps their order: that is all it takes.
        (((y - self.bottom) / self.height) as usize).min(count.max(1) - 1)
    }

    /// Number of segments of other rings that the ray to the right crosses.
    fn crossed(&self, ring: usize, point: Vec2) -> usize {
        let band = self.band(point.y, self.starts.len() - 1);
        let entries = &self.entries[self.starts[band]..self.starts[band + 1]];
        let reaching =
            entries.iter().take_while(|side| side.ends[0].x.max(side.ends[1].x) >= point.x);
        reaching.filter(|side| side.ring != ring && right_of(side.ends, point)).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segment::surrounds;
    use pliant::math::random::Random;

    /// Reference implementation: every ring against every other one.
    fn slowly(rings: &mut [Vec<Vec2>]) {
        let depth = |ring: usize| {
            let middle = rings[ring][0].midpoint(rings[ring][1]);
            let others = (0..rings.len()).filter(|&other| other != ring);
            others.filter(|&other| surrounds(&rings[other], middle)).count()
        };
        let depths: Vec<usize> = (0..rings.len()).map(depth).collect();
        for (ring, depth) in rings.iter_mut().zip(depths) {
            if (area(ring) > 0.0) != (depth % 2 == 0) {
                ring.reverse();
            }
        }
    }

    #[track_caller]
    fn check(rings: &[Vec<Vec2>]) {
        let (mut fast, mut slow) = (rings.to_vec(), rings.to_vec());
        turn(&mut fast);
        slowly(&mut slow);
        assert_eq!(fast, slow);
    }

    fn ring(middle: Vec2, radius: f64, corners: usize, direction: f64) -> Vec<Vec2> {
        let angle = |k: usize| direction * std::f64::consts::TAU * k as f64 / corners as f64;
        (0..corners).map(|k| middle + radius * Vec2::from_angle(angle(k))).collect()
    }

    #[test]
    fn the_fast_way_turns_as_the_slow_one() {
        let mut random = Random::new(7);
        for count in [1, 2, 3, 10, 100] {
            let rings: Vec<_> = (0..count)
                .map(|_| {
                    let direction = if random.unit() < 0.5 { 1.0 } else { -1.0 };
                    let corners = 3 + (5.0 * random.unit()) as usize;
                    ring(
                        Vec2::new(random.unit(), random.unit()),
                        0.5 * random.unit(),
                        corners,
                        direction,
                    )
                })
                .collect();
            check(&rings);
        }
        // Nested, doubled, level with each other, and flat.
        let nested: Vec<_> = (1..40).map(|k| ring(Vec2::ZERO, f64::from(k), 4, 1.0)).collect();
        check(&nested);
        check(&[nested[3].clone(), nested[3].clone()]);
        check(&[
            vec![Vec2::ZERO, Vec2::X, 2.0 * Vec2::X],
            vec![Vec2::X, Vec2::ZERO, 3.0 * Vec2::X],
        ]);
        let far = Vec2::new(1e300, -1e300);
        check(&[ring(far, 1e299, 5, -1.0), ring(far, 1e298, 5, 1.0), nested[0].clone()]);
    }

    #[test]
    fn thousands_of_rings_stay_cheap() {
        let place = |k: usize| Vec2::new((k % 100) as f64, (k / 100) as f64);
        let rings: Vec<_> = (0..10_000).map(|k| ring(place(k), 0.4, 4, 1.0)).collect();
        let bands = Bands::new(&rings);
        let most = bands.starts.windows(2).map(|ends| ends[1] - ends[0]).max();
        // A row has 400 segments, of which a band meets half, or two rows where they touch.
        assert!(most <= Some(800), "{most:?}");
        assert!(bands.entries.len() <= ENTRIES * 40_000);
    }
}
