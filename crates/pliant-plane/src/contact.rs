//! Contacts from the parts of one boundary near another: joined and ranked.
//!
//! The search for near parts adds parts of segments, segment by segment along a ring.
//! Connected parts make a stretch, also over the ring's first point, and every stretch makes
//! one contact where it is nearest to b. Of places equally near the one whose boundaries face
//! each other most counts: a corner on an edge is pushed off the edge.
//!
//! The normal is that along which a leaves b. Across a gap it is that of the edge at one of its
//! ends, or the way itself from corner to corner. Where boundaries meet, the gap is zero, and
//! the normal is that of the patches of contact on the stretch ([`patch`](super::patch)). Where
//! those cancel, it is b's outward normal at the contact.

use std::ops::Range;

use pliant::math::Vec2;

use super::boundary::{direction, outward};
use super::outline::Outlines;
use super::patch::{Patches, Sides};
use super::segment::{meet, nearest_along, nearest_pair, place, shared};
use super::{Contact, Place};

/// Sums of normals shorter than this, relative to the length they stand for, cancel.
const MIN_AGREEMENT: f64 = 1e-9;

/// Sine below which a way from corner to corner beside their normals is rounding.
const BESIDE: f64 = 1e-3;

/// Lengths below this, relative to the coordinates, are rounding: they have no direction.
const NO_WAY: f64 = 1e-12;

/// A part of one segment of a.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// The segment, an index.
    pub segment: u32,
    /// Where the part begins and ends, as shares of the segment's way.
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

/// How boundaries face each other at two places: cosine of their normals' angle.
///
/// −1 where they face each other, 1 where a segment has no length and so no normal.
pub fn facing(outlines: &Outlines, on_a: Place, on_b: Place) -> f64 {
    let normals = outward(outlines, on_a).zip(outward(outlines, on_b));
    normals.map_or(1.0, |(of_a, of_b)| of_a.dot(of_b))
}

/// Where a part and segment `across` of b begin to share points, on a and on b, if they do.
///
/// `along` are the shares of both segments' ways at which they meet.
pub fn common(
    outlines: &Outlines,
    part: &Part,
    across: u32,
    along: [[f64; 2]; 2],
) -> Option<[Place; 2]> {
    let [of_a, of_b] = along;
    let from = of_a[0].max(part.along[0]);
    let to = of_a[1].min(part.along[1]);
    if from > to {
        return None;
    }
    let ends = outlines.segment(part.segment as usize);
    // Segments that lie on each other may run either way.
    let is_point = of_b[0] == of_b[1];
    let other = outlines.segment(across as usize);
    let t = if is_point { of_b[0] } else { nearest_along(other, place(ends, from)) };
    let on_a = Place { segment: part.segment, along: from };
    Some([on_a, Place { segment: across, along: t }])
}

/// The normal across a gap between two nearest places; `None` where there is no direction.
///
/// `inside` says whether the place on a is inside b, and that on b inside a: then a leaves b
/// across the gap, not away from it. An edge gives its own normal, however small the gap is.
pub fn gap_normal(
    outlines: &Outlines,
    [on_a, on_b]: [Place; 2],
    inside: [bool; 2],
) -> Option<Vec2> {
    let [p, q] = [on_a, on_b].map(|at| point(outlines, at));
    let far = p.abs().max_element();
    // Rounding alone may put places inside that lie on each other.
    let inside = if p.distance(q) > NO_WAY * far { inside } else { [false; 2] };
    // What is as near to an end as rounding is at the end.
    let between = |at: Place| {
        let [from, to] = outlines.segment(at.segment as usize);
        at.along.min(1.0 - at.along) * from.distance(to) > NO_WAY * far
    };
    // What is nearest to an edge lies in front of it, or behind it if it is inside.
    if between(on_b) {
        let normal = outward(outlines, on_b);
        return if inside == [false, true] { normal.map(|n| -n) } else { normal };
    }
    if between(on_a) {
        let normal = outward(outlines, on_a);
        return if inside == [true, false] { normal } else { normal.map(|n| -n) };
    }
    let away = corner_normal(outlines, [on_a, on_b])?;
    Some(if inside == [false; 2] { away } else { -away })
}

/// Unit vector from a corner of b to one of a, within the normals of both up to rounding.
fn corner_normal(outlines: &Outlines, places: [Place; 2]) -> Option<Vec2> {
    let [p, q] = places.map(|at| point(outlines, at));
    let sides = places.map(|at| around(outlines, at));
    let way = p - q;
    if way.length() <= NO_WAY * p.abs().max_element() {
        let toward = direction(way, p).unwrap_or(Vec2::ZERO);
        return Sides { outlines, segments: [&sides[0], &sides[1]] }.touching(toward);
    }
    let mut normal = way.try_normalize()?;
    for (segments, sign) in sides.into_iter().zip([-1.0, 1.0]) {
        let normals = segments.map(|segment| outward(outlines, Place { segment, along: 0.0 }));
        let [Some(before), Some(after)] = normals else { continue };
        // The normals of a corner lie between those of its edges, counter-clockwise.
        let own = sign * normal;
        let beside = |sine: f64| sine < 0.0 && sine > -BESIDE && before.perp_dot(after) > 0.0;
        if beside(before.perp_dot(own)) {
            normal = sign * before;
        } else if beside(own.perp_dot(after)) {
            normal = sign * after;
        }
    }
    Some(normal)
}

/// The segments that end and begin at the corner of a place at an end of its segment.
fn around(outlines: &Outlines, at: Place) -> [u32; 2] {
    let next = outlines.next();
    if at.along > 0.5 {
        return [at.segment, next[at.segment as usize]];
    }
    let corner = at.segment;
    // A ring's points follow each other; the last is followed by the first.
    let before = corner.checked_sub(1).filter(|at| next[*at as usize] == corner);
    let last = || (corner..next.len() as u32).find(|at| next[*at as usize] == corner);
    [before.or_else(last).unwrap_or(corner), corner]
}

/// The mean of normals by length, from their sums; `None` where they cancel.
pub fn mean_normal(weighted: Vec2, length: f64) -> Option<Vec2> {
    // As a product, so that no length at all fails too.
    let agreed = weighted.length() > MIN_AGREEMENT * length;
    if agreed { weighted.try_normalize() } else { None }
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

/// The parts of one ring near b, and which of them are connected; keeps its memory.
#[derive(Clone, Debug, Default)]
pub struct Stretches {
    /// Parts near b, along the ring.
    parts: Vec<Part>,
    /// Positions of connected parts.
    ranges: Vec<Range<usize>>,
}

/// Connected parts, along a ring.
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
    /// Prepares for another ring.
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
    /// The last continues as the first where they meet at the ring's first point.
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

/// The nearest places of a stretch and b among those offered so far; keeps its memory.
#[derive(Clone, Debug, Default)]
pub struct Nearest {
    /// The best so far.
    best: Option<Ranked>,
}

/// Two places, and what they are ranked by.
#[derive(Clone, Copy, Debug)]
struct Ranked {
    /// Distance, m, and how the boundaries face each other; less is better.
    rank: [f64; 2],
    /// The part's position in the stretch, and b's segment: the first of equals counts.
    number: [usize; 2],
    /// On a and on b.
    places: [Place; 2],
}

impl Nearest {
    /// Prepares for another stretch.
    pub fn clear(&mut self) {
        self.best = None;
    }

    /// Distance of the best places so far, m; infinite before the first.
    pub fn gap(&self) -> f64 {
        self.best.map_or(f64::INFINITY, |best| best.rank[0])
    }

    /// Takes the places of a part and a segment of b if they rank before the best.
    ///
    /// `ends` are the part's; `number` is its position in the stretch, and b's segment.
    pub fn offer(&mut self, outlines: &Outlines, part: &Part, ends: [Vec2; 2], number: [usize; 2]) {
        let (whole, across) =
            (outlines.segment(part.segment as usize), outlines.segment(number[1]));
        let met = meet(whole, across)
            .then(|| common(outlines, part, number[1] as u32, shared(whole, across)))
            .flatten();
        let (gap, places) = match met {
            Some(places) => (0.0, places),
            None => {
                let [s, t] = nearest_pair(ends, across);
                let places = [part.at(s), Place { segment: number[1] as u32, along: t }];
                (place(ends, s).distance(place(across, t)), places)
            }
        };
        if gap > self.gap() {
            return;
        }
        let rank = [gap, facing(outlines, places[0], places[1])];
        let before = |best: Ranked| rank < best.rank || (rank == best.rank && number < best.number);
        if self.best.is_none_or(before) {
            self.best = Some(Ranked { rank, number, places });
        }
    }

    /// The contact of the stretch.
    ///
    /// `inside` says of two points, of a and of b, whether each is inside the other outline.
    pub fn contact(
        &self,
        outlines: &Outlines,
        stretch: Stretch<'_>,
        patches: &Patches,
        inside: impl FnOnce([Vec2; 2]) -> [bool; 2],
    ) -> Option<Contact> {
        let Ranked { rank: [gap, _], places, .. } = self.best?;
        let normal = patches.on(stretch.parts()).unwrap_or_else(|| {
            gap_normal(outlines, places, inside(places.map(|at| point(outlines, at))))
        });
        let first = stretch.parts().next()?.ends(outlines)[0];
        let last = stretch.parts().next_back()?.ends(outlines)[1];
        finished(outlines, gap, places, normal, [first, last])
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::brute::Brute;
    use super::super::exact::Exact;
    use super::super::image::Images;
    use super::super::{Backend, Pair, ProximityQuery, QueryFlags};
    use super::*;
    use pliant::math::random::Random;

    /// Normals of borders about a metre long, from sums of fewer than a hundred terms.
    const SAME: f64 = 1e-12;

    /// Two neighbours, the second of which lies to the right of their border going up.
    ///
    /// The border of the first has `more` points, in the middles of the second's segments.
    fn neighbours(border: &[Vec2], more: usize, put: impl Fn(Vec2) -> Vec2) -> Outlines {
        let [low, high] = [border[0], border[border.len() - 1]];
        let aside = |by: f64| [high + Vec2::new(by, 0.5), low + Vec2::new(by, -0.5)];
        let middles = border.windows(2).map(|ends| ends[0].midpoint(ends[1]));
        let mut own: Vec<Vec2> = border.to_vec();
        for (number, middle) in middles.enumerate().take(more) {
            own.insert(2 * number + 1, middle);
        }
        let mut outlines = Outlines::default();
        for (border, by) in [(&own[..], -3.0), (border, 3.0)] {
            let ring = border.iter().copied().chain(aside(by)).map(&put);
            outlines.push(&[ring.collect()]).unwrap();
        }
        outlines
    }

    /// All backends must report one contact with this normal and without a gap.
    #[track_caller]
    fn check_normal(outlines: &Outlines, contact_distance: f64, normal: Vec2) {
        let wanted = QueryFlags { contacts: true, ..QueryFlags::DEPTHS };
        let question = ProximityQuery { error: 0.004, contact_distance, flags: wanted };
        let backends: [Box<dyn Backend>; 3] =
            [Box::new(Brute), Box::<Exact>::default(), Box::<Images>::default()];
        for (number, mut backend) in backends.into_iter().enumerate() {
            let mut answers = Vec::new();
            backend.query(outlines, &[Pair { a: 0, b: 1 }], &question, &mut answers).unwrap();
            let [contact] = answers[0].contacts[..] else { panic!("{number}: {answers:?}") };
            assert_eq!(contact.gap, 0.0, "{number}");
            let [on_a, on_b] = [contact.on_a, contact.on_b].map(|at| point(outlines, at));
            assert!(on_a.distance(on_b) < SAME, "{number}: {contact:?}");
            assert!(contact.normal.distance(normal) < SAME, "{number}: {contact:?}, not {normal}");
        }
    }

    /// A random border of `count` points, turned by an angle, has the normal of its chord.
    #[track_caller]
    fn check_border(seed: u64, count: usize, distance: f64, angle: f64) {
        let mut random = Random::new(seed);
        // Sixty-fourths: where nothing is turned, middles of segments lie on them exactly.
        let mut part = || random.below(64) as f64 / 64.0;
        let mut border: Vec<Vec2> = Vec::new();
        for step in 0..count {
            border.push(Vec2::new(part(), step as f64 * 0.25 + 0.125 * part()));
        }
        let more = if angle == 0.0 { count / 2 } else { 0 };
        let turn = Vec2::from_angle(angle);
        let outlines = neighbours(&border, more, |p| turn.rotate(p));
        // Each normal times its length is the segment turned: they add up to the chord.
        let chord = border[count - 1] - border[0];
        check_normal(&outlines, distance, turn.rotate(chord.perp().try_normalize().unwrap()));
    }

    #[test]
    fn a_border_whose_end_is_rounded_is_no_overlap() {
        check_border(263_192_095_773_164, 3, 0.0, 3.748_519_168_030_682);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn a_shared_border_has_the_normal_of_its_chord(
            seed in 0_u64..1 << 48,
            count in 2_usize..12,
            distance in prop_oneof![Just(0.0), 0.004..0.04],
            angle in prop_oneof![Just(0.0), 0.1..6.0],
        ) {
            check_border(seed, count, distance, angle);
        }
    }

    #[test]
    fn normals_that_cancel_leave_that_of_the_contact() {
        let ring = |size: f64| {
            [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
                .map(|(x, y)| size * Vec2::new(x, y))
                .to_vec()
        };
        let mut outlines = Outlines::default();
        // A plug in a hole that it fills: all sides face, the first of them counts.
        outlines.push(&[ring(1.0)]).unwrap();
        outlines.push(&[ring(2.0), ring(1.0)]).unwrap();
        check_normal(&outlines, 0.01, Vec2::Y);
    }

    /// The stretches of a ring of four segments that begins at 8, as (segment, from, to).
    #[track_caller]
    fn check(near: [&[[f64; 2]]; 4], expected: &[&[(u32, f64, f64)]]) {
        let mut stretches = Stretches::default();
        for (segment, shares) in (8..).zip(near) {
            // In any order.
            let mut shares: Vec<[f64; 2]> = shares.iter().rev().copied().collect();
            stretches.add(segment, &mut shares);
        }
        let reported = |part: &Part| (part.segment, part.along[0], part.along[1]);
        let found: Vec<Vec<_>> = stretches
            .around(&(8..12))
            .map(|stretch| stretch.parts().map(reported).collect())
            .collect();
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
                nearest.offer(&outlines, &part, part.ends(&outlines), number);
            }
            nearest.best.unwrap()
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
    fn what_is_shared_with_a_part_is_that_of_the_part() {
        let mut outlines = Outlines::default();
        let right = |x: f64| Vec2::new(x, 0.0);
        outlines.push(&[vec![right(0.0), right(4.0), Vec2::new(2.0, 3.0)]]).unwrap();
        outlines.push(&[vec![right(5.0), right(1.0), Vec2::new(3.0, -3.0)]]).unwrap();
        let [of_a, of_b] = [0, 3].map(|at| outlines.segment(at));
        assert!(meet(of_a, of_b));
        let along = shared(of_a, of_b);
        // From 1 m to 4 m of a's four; b runs back, from 5 m to 1 m.
        assert_eq!(along, [[0.25, 1.0], [0.25, 1.0]]);
        let part = |along: [f64; 2]| Part { segment: 0, along };
        let found = common(&outlines, &part([0.5, 0.75]), 3, along).unwrap();
        assert_eq!(found.map(|at| at.along), [0.5, 0.75]);
        assert_eq!(common(&outlines, &part([0.0, 0.125]), 3, along), None);
        assert_eq!(mean_normal(Vec2::ZERO, 0.0), None);
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
        nearest.offer(&outlines, part, part.ends(&outlines), [0, 7]);
        // Without patches, as if no meeting were known.
        let patches = Patches::default();
        let contact = nearest.contact(&outlines, stretch, &patches, |_| [false; 2]).unwrap();
        assert_eq!((contact.gap, contact.normal), (0.0, Vec2::NEG_X));
        assert_eq!(contact.stretch, [Vec2::X, Vec2::ONE]);
    }
}
