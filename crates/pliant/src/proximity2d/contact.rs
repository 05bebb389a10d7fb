//! From the parts of one boundary near another to contacts: joined, ranked, finished.
//!
//! Who looks for what is near hands in parts of segments, segment by segment along a ring.
//! Parts that hang together make a stretch, also over the ring's first point, and every
//! stretch makes one contact where it is nearest to b. Of places equally near, as where
//! edges lie on each other, the one whose boundaries face each other most counts: a corner
//! on an edge is pushed off the edge.

use std::ops::Range;

use crate::math::Vec2;

use super::boundary::{Spot, direction, outward};
use super::outline::Outlines;
use super::segment::{nearest_pair, place};
use super::{Contact, Place};

/// A part of one segment of a.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// The segment, an index.
    pub segment: u32,
    /// Where the part begins and ends, as shares of the segment's way, no unit.
    pub along: [f64; 2],
}

impl Part {
    /// Its ends, m.
    pub fn ends(&self, outlines: &Outlines) -> [Vec2; 2] {
        self.along.map(|along| point(outlines, Place { segment: self.segment, along }))
    }

    /// The place on its segment at a share of the part's own way.
    pub fn at(&self, share: f64) -> Place {
        let [from, to] = self.along;
        Place { segment: self.segment, along: from + share * (to - from) }
    }
}

/// Where a place is, m.
pub fn point(outlines: &Outlines, at: Place) -> Vec2 {
    place(outlines.segment(at.segment as usize), at.along)
}

/// How boundaries face each other at two places: cosine of their normals' angle, no unit.
///
/// −1 where they face each other, 1 where a segment has no length and so no normal.
pub fn facing(outlines: &Outlines, on_a: Place, on_b: Place) -> f64 {
    let normals = outward(outlines, on_a).zip(outward(outlines, on_b));
    normals.map_or(1.0, |(of_a, of_b)| of_a.dot(of_b))
}

/// The contact at two places; `None` without a normal.
///
/// `normal` is that known of the places; where it is `None`, b's own counts.
pub fn finished(
    outlines: &Outlines,
    gap: f64,
    [on_a, on_b]: [Place; 2],
    normal: Option<Vec2>,
    stretch: [Vec2; 2],
) -> Option<Contact> {
    let normal = normal.or_else(|| outward(outlines, on_b))?;
    let position = point(outlines, on_a).midpoint(point(outlines, on_b));
    Some(Contact { position, normal, gap, on_a, on_b, stretch })
}

/// The parts of one ring near b, and which of them hang together; keeps its memory.
#[derive(Clone, Debug, Default)]
pub struct Stretches {
    /// Parts near b, along the ring.
    parts: Vec<Part>,
    /// Positions of parts that hang together.
    ranges: Vec<Range<usize>>,
}

/// Parts that hang together, along a ring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretch<'a> {
    /// What lies before the ring's first point, if the stretch goes over it, and the rest.
    runs: [&'a [Part]; 2],
}

impl<'a> Stretch<'a> {
    /// Its parts in order; one or more.
    pub fn parts(&self) -> impl DoubleEndedIterator<Item = &'a Part> + use<'a> {
        let [before, after] = self.runs;
        before.iter().chain(after)
    }
}

impl Stretches {
    /// Makes ready for another ring.
    pub fn clear(&mut self) {
        self.parts.clear();
        self.ranges.clear();
    }

    /// Adds what of the next segment is near, as shares of its way; sorts them.
    ///
    /// Shares that overlap or touch become one part.
    pub fn add(&mut self, segment: usize, shares: &mut [[f64; 2]]) {
        let Stretches { parts, ranges } = self;
        shares.sort_unstable_by(|p, q| p[0].total_cmp(&q[0]).then(p[1].total_cmp(&q[1])));
        let mut end = f64::NEG_INFINITY;
        for &mut share in shares {
            if share[0] <= end {
                end = end.max(share[1]);
                if let Some(last) = parts.last_mut() {
                    last.along[1] = end;
                }
                continue;
            }
            end = share[1];
            let follows = |p: &Part| p.along[1] == 1.0 && p.segment as usize + 1 == segment;
            let joined = share[0] == 0.0 && parts.last().is_some_and(follows);
            parts.push(Part { segment: segment as u32, along: share });
            match ranges.last_mut() {
                Some(range) if joined => range.end = parts.len(),
                _ => ranges.push(parts.len() - 1..parts.len()),
            }
        }
    }

    /// The stretches of the ring whose segments were added, in order.
    ///
    /// The last goes on as the first where they meet at the ring's first point.
    pub fn around(&self, ring: &Range<usize>) -> impl Iterator<Item = Stretch<'_>> {
        let Stretches { parts, ranges } = self;
        let [first, last] = [parts.first(), parts.last()];
        let begins = |p: &Part| p.segment as usize == ring.start && p.along[0] == 0.0;
        let ends = |p: &Part| p.segment as usize + 1 == ring.end && p.along[1] == 1.0;
        let around = ranges.len() > 1 && first.is_some_and(begins) && last.is_some_and(ends);
        let count = ranges.len() - usize::from(around);
        ranges[..count].iter().enumerate().map(move |(number, range)| {
            let before = if around && number == 0 { ranges[count].clone() } else { 0..0 };
            Stretch { runs: [before, range.clone()].map(|range| &parts[range]) }
        })
    }
}

/// The nearest places of a stretch and b among those offered so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nearest(Option<Ranked>);

/// Two places, and what they are ranked by.
#[derive(Clone, Copy, Debug)]
struct Ranked {
    /// Distance, m, and how the boundaries face each other, no unit; less is better.
    rank: [f64; 2],
    /// The part's position in the stretch, and b's segment: the first of equals counts.
    number: [usize; 2],
    /// On a and on b.
    places: [Place; 2],
}

impl Nearest {
    /// Distance of the best places so far, m; infinite before the first.
    pub fn gap(&self) -> f64 {
        self.0.map_or(f64::INFINITY, |best| best.rank[0])
    }

    /// Takes the places of a part and a segment of b if they rank before the best.
    ///
    /// `ends` are the part's; `number` is its position in the stretch, and b's segment.
    pub fn offer(
        &mut self,
        outlines: &Outlines,
        (part, ends): (&Part, [Vec2; 2]),
        number: [usize; 2],
    ) {
        let across = outlines.segment(number[1]);
        let [s, t] = nearest_pair(ends, across);
        let gap = place(ends, s).distance(place(across, t));
        if gap > self.gap() {
            return;
        }
        let places = [part.at(s), Place { segment: number[1] as u32, along: t }];
        let rank = [gap, facing(outlines, places[0], places[1])];
        let before = |best: Ranked| rank < best.rank || (rank == best.rank && number < best.number);
        if self.0.is_none_or(before) {
            self.0 = Some(Ranked { rank, number, places });
        }
    }

    /// The contact of the stretch; `spot` tells where a point of a is with respect to b.
    pub fn contact(
        &self,
        outlines: &Outlines,
        stretch: Stretch<'_>,
        spot: impl FnOnce(Vec2) -> Spot,
    ) -> Option<Contact> {
        let Ranked { rank: [gap, _], places, .. } = self.0?;
        let [on_a, on_b] = places.map(|at| point(outlines, at));
        let way = if spot(on_a) == Spot::Inside { on_b - on_a } else { on_a - on_b };
        let first = stretch.parts().next()?.ends(outlines)[0];
        let last = stretch.parts().next_back()?.ends(outlines)[1];
        finished(outlines, gap, places, direction(way, on_a), [first, last])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The stretches of a ring of four segments that begins at 8, as (segment, from, to).
    #[track_caller]
    fn check(near: [&[[f64; 2]]; 4], expected: &[&[(u32, f64, f64)]]) {
        let mut stretches = Stretches::default();
        for (segment, shares) in (8..).zip(near) {
            // In any order.
            let mut shares: Vec<[f64; 2]> = shares.iter().rev().copied().collect();
            stretches.add(segment, &mut shares);
        }
        let told = |part: &Part| (part.segment, part.along[0], part.along[1]);
        let found: Vec<Vec<_>> =
            stretches.around(&(8..12)).map(|stretch| stretch.parts().map(told).collect()).collect();
        assert_eq!(found, expected);
        stretches.clear();
        assert_eq!(stretches.around(&(8..12)).count(), 0);
    }

    #[test]
    fn shares_that_touch_are_one_part_and_parts_that_meet_one_stretch() {
        let near: [&[[f64; 2]]; 4] =
            [&[[0.1, 0.2], [0.2, 0.3], [0.5, 1.0]], &[[0.0, 0.4], [0.1, 0.2]], &[[0.0, 0.1]], &[]];
        check(near, &[&[(8, 0.1, 0.3)], &[(8, 0.5, 1.0), (9, 0.0, 0.4)], &[(10, 0.0, 0.1)]]);
    }

    #[test]
    fn a_segment_that_is_far_parts_two_stretches() {
        check([&[[0.5, 1.0]], &[], &[[0.0, 0.2]], &[]], &[&[(8, 0.5, 1.0)], &[(10, 0.0, 0.2)]]);
    }

    #[test]
    fn a_stretch_over_the_first_point_is_told_once_and_first() {
        let all: &[[f64; 2]] = &[[0.0, 1.0]];
        check(
            [&[[0.0, 0.2]], &[[0.5, 0.6]], &[], &[[0.7, 1.0]]],
            &[&[(11, 0.7, 1.0), (8, 0.0, 0.2)], &[(9, 0.5, 0.6)]],
        );
        check([&[[0.1, 0.2]], &[], &[], &[[0.7, 1.0]]], &[&[(8, 0.1, 0.2)], &[(11, 0.7, 1.0)]]);
        let whole = [(8, 0.0, 1.0), (9, 0.0, 1.0), (10, 0.0, 1.0), (11, 0.0, 1.0)];
        check([all; 4], &[&whole]);
        check([&[]; 4], &[]);
    }

    #[test]
    fn of_places_equally_near_those_that_face_count_and_then_the_first() {
        let mut outlines = Outlines::default();
        let square = |x: f64| {
            [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)].map(|(u, v)| Vec2::new(x + u, v))
        };
        outlines.push(&[square(0.0).to_vec()]).unwrap();
        outlines.push(&[square(1.5).to_vec()]).unwrap();
        // Right side of a, lower and left side of b: the corner is as near to both.
        let part = Part { segment: 1, along: [0.0, 1.0] };
        let offered = |numbers: &[[usize; 2]]| {
            let mut nearest = Nearest::default();
            assert_eq!(nearest.gap(), f64::INFINITY);
            for &number in numbers {
                nearest.offer(&outlines, (&part, part.ends(&outlines)), number);
            }
            nearest.0.unwrap()
        };
        let (lower, left) = ([0, 4], [0, 7]);
        for both in [[lower, left], [left, lower]] {
            let best = offered(&both);
            assert_eq!((best.rank, best.number), ([0.5, -1.0], left));
        }
        let later = [1, 7];
        for both in [[later, left], [left, later]] {
            assert_eq!(offered(&both).number, left);
        }
    }

    #[test]
    fn a_contact_without_a_way_has_the_normal_of_b() {
        let mut outlines = Outlines::default();
        for x in [0.0, 1.0] {
            let corners = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)];
            outlines.push(&[corners.map(|(u, v)| Vec2::new(x + u, v)).to_vec()]).unwrap();
        }
        let mut stretches = Stretches::default();
        stretches.add(1, &mut [[0.0, 1.0]]);
        let stretch = stretches.around(&(0..4)).next().unwrap();
        let mut nearest = Nearest::default();
        let part = stretch.parts().next().unwrap();
        nearest.offer(&outlines, (part, part.ends(&outlines)), [0, 7]);
        let contact = nearest.contact(&outlines, stretch, |_| Spot::Boundary).unwrap();
        assert_eq!((contact.gap, contact.normal), (0.0, Vec2::NEG_X));
        assert_eq!(contact.stretch, [Vec2::X, Vec2::ONE]);
    }
}
