//! Orients rings so that the inside lies to their left: outer counter-clockwise.
//!
//! A ring is outer when an even number of other rings surround it. The crossings of a ray with
//! all other rings together decide whether that number is odd; the tree of boxes counts them,
//! so that thousands of rings need not be compared with each other, at one height or not.

use pliant::math::Vec2;

use super::super::exact::tree::{Boxes, View};
use super::super::segment::right_of;
use super::{Outlines, area};

/// Turns rings so that the inside lies to their left, as far as they do not cross.
pub fn turn(rings: &mut [Vec<Vec2>]) {
    let outer = outer(rings);
    for (ring, outer) in rings.iter_mut().zip(outer) {
        if (area(ring) > 0.0) != outer {
            ring.reverse();
        }
    }
}

/// For each ring whether an even number of others surround it.
fn outer(rings: &[Vec<Vec2>]) -> Vec<bool> {
    if rings.len() == 1 {
        return vec![true];
    }
    let mut outlines = Outlines::default();
    outlines.append(rings);
    let mut boxes = Boxes::default();
    boxes.build(&outlines);
    let view = View { outlines: &outlines, boxes: &boxes };
    let is_outer = |ring: std::ops::Range<usize>| {
        // Rings may touch in points: the middle of a segment is a safer test.
        let [from, to] = outlines.segment(ring.start);
        let middle = from.midpoint(to);
        let own = ring.filter(|&at| right_of(outlines.segment(at), middle)).count();
        view.is_odd(0, middle) == (own % 2 == 1)
    };
    outlines.rings(0).map(is_outer).collect()
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
        let far = Vec2::new(1e140, -1e140);
        check(&[ring(far, 1e139, 5, -1.0), ring(far, 1e138, 5, 1.0), nested[0].clone()]);
        // Beyond what any backend takes the exact signs overflow; boxes still decide.
        let far = Vec2::new(1e300, -1e300);
        turn(&mut [ring(far, 1e299, 5, -1.0), ring(far, 1e298, 5, 1.0), nested[0].clone()]);
    }
}
