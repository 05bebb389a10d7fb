//! Reference implementation of all backends: every segment against every segment.
//!
//! Exact up to rounding, quadratic in the number of segments or worse, and short. The tests
//! of the fast backends compare with it. So it shares no more with them than types and
//! predicates of two segments, and what follows from all meetings of two boundaries: patches of
//! contact and the least translation, which `tests/separating.rs` computes in another way.
//!
//! - Deviates: [Hoff01 §2.2.4] finds contacts by offsetting both boundaries by the
//!   threshold, which reports gaps up to twice as wide; here a gap is measured.
//! - Erratum: the separation of [Hoff01 §2.2.4] joins two closest points that need not
//!   belong together; `separation_of_parallel_edges_is_their_gap` shows what is right.

use std::ops::Range;

use pliant::math::Vec2;

pub use super::boundary::PointLocation;

use super::contact::{Part, gap_normal};
use super::outline::Outlines;
use super::patch::{Meeting, Patches};
use super::samples::MOST_SAMPLES;
use super::segment::{
    crossing, meet, nearest_along, nearest_pair, place, right_of, shared, touches,
};
use super::{
    Backend, BackendError, Contact, Notice, Pair, Penetration, Place, ProximityQuery,
    ProximityResult, Separation, Side, least, prepare,
};

/// Most errors between neighbouring samples.
const SPACING: f64 = 4.0;

/// Ways shorter than this, relative to the coordinates, are rounding: no direction.
const DIRECTION: f64 = 1e-14;

/// Tests every segment of one outline against every segment of the other.
#[derive(Clone, Copy, Debug, Default)]
pub struct Brute;

impl Backend for Brute {
    fn name(&self) -> &'static str {
        "exact"
    }

    fn query(
        &mut self,
        outlines: &Outlines,
        pairs: &[Pair],
        question: &ProximityQuery,
        answers: &mut Vec<ProximityResult>,
    ) -> Result<(), BackendError> {
        prepare(outlines, pairs, question, answers)?;
        for (&Pair { a, b }, answer) in pairs.iter().zip(answers) {
            let (a, b) = (a as usize, b as usize);
            answer.intersects = intersect(outlines, a, b);
            if question.flags.area && answer.intersects {
                answer.overlap_area = overlap_area(outlines, a, b);
            }
            if question.flags.separation && !answer.intersects {
                answer.separation = separation(outlines, a, b);
            }
            penetrations(outlines, [a, b], question, answer);
            let mut patches = Patches::default();
            if question.flags.separates() && answer.intersects {
                let meetings = meetings(outlines, a, b);
                patches.find(outlines, [a, b], meetings, |outline, p| spot(outlines, outline, p));
                answer.least_translation =
                    least::of_pair(outlines, [a, b], &mut patches, question.flags);
            }
            if question.flags.contacts {
                contacts(
                    outlines,
                    [a, b],
                    question.contact_distance,
                    &patches,
                    &mut answer.contacts,
                );
            }
        }
        Ok(())
    }
}

/// Where a point is; exact.
pub fn spot(outlines: &Outlines, outline: usize, point: Vec2) -> PointLocation {
    let segments = || outlines.range(outline).map(|at| outlines.segment(at));
    if segments().any(|ends| touches(ends, point)) {
        return PointLocation::Boundary;
    }
    let crossed = segments().filter(|&ends| right_of(ends, point)).count();
    if crossed % 2 == 1 { PointLocation::Inside } else { PointLocation::Outside }
}

/// The place of an outline's boundary nearest to a point, and its distance, m.
///
/// Of several the one with the lowest index; `None` for an outline without segments.
pub fn nearest(outlines: &Outlines, outline: usize, point: Vec2) -> Option<(Place, f64)> {
    let places = outlines.range(outline).map(|at| {
        let ends = outlines.segment(at);
        let along = nearest_along(ends, point);
        (Place { segment: at as u32, along }, place(ends, along).distance(point))
    });
    places.reduce(|best, next| if next.1 < best.1 { next } else { best })
}

/// Outward unit normal at a place; `None` on a segment without length.
///
/// The inside lies to the left of a segment.
fn outward(outlines: &Outlines, at: Place) -> Option<Vec2> {
    let [from, to] = outlines.segment(at.segment as usize);
    (-(to - from).perp()).try_normalize()
}

/// Unit vector along a way; `None` where it may be rounding of the coordinates.
fn direction(way: Vec2, at: Vec2) -> Option<Vec2> {
    let enough = way.length() > DIRECTION * at.abs().max_element();
    if enough { way.try_normalize() } else { None }
}

/// Whether two outlines share a point; exact.
pub fn intersect(outlines: &Outlines, a: usize, b: usize) -> bool {
    let boundaries = outlines.range(a).any(|at_a| {
        outlines.range(b).any(|at_b| meet(outlines.segment(at_a), outlines.segment(at_b)))
    });
    // Where no boundaries meet, a ring is inside whole or not at all.
    let holds = |outer: usize, inner: usize| {
        let firsts = outlines.rings(inner).map(|ring| outlines.points()[ring.start]);
        firsts.into_iter().any(|first| spot(outlines, outer, first) == PointLocation::Inside)
    };
    boundaries || holds(a, b) || holds(b, a)
}

/// All segments of two outlines that share points.
fn meetings(outlines: &Outlines, a: usize, b: usize) -> Vec<Meeting> {
    let pairs = outlines.range(a).flat_map(|at_a| outlines.range(b).map(move |at_b| [at_a, at_b]));
    let met = pairs.filter(|pair| {
        let [p, q] = pair.map(|at| outlines.segment(at));
        meet(p, q)
    });
    met.map(|pair| Meeting::of(outlines, pair.map(|at| at as u32))).collect()
}

/// Area that both outlines cover, m², by upright strips without a crossing within.
pub fn overlap_area(outlines: &Outlines, a: usize, b: usize) -> f64 {
    let of = |outline: usize, side: usize| {
        outlines.range(outline).map(move |at| (outlines.segment(at), side))
    };
    let segments: Vec<([Vec2; 2], usize)> = of(a, 0).chain(of(b, 1)).collect();
    let mut cuts: Vec<f64> = segments.iter().map(|(ends, _)| ends[0].x).collect();
    for (index, &(p, _)) in segments.iter().enumerate() {
        let crossed = segments[..index].iter().filter(|&&(q, _)| meet(p, q));
        let shares = crossed.filter_map(|&(q, _)| crossing(p, q));
        cuts.extend(shares.map(|[along, _]| place(p, along).x));
    }
    cuts.sort_by(f64::total_cmp);
    cuts.windows(2).map(|strip| strip_area(&segments, strip[0], strip[1])).sum()
}

/// Area of one strip that an odd number of segments of both sides lie below.
fn strip_area(segments: &[([Vec2; 2], usize)], left: f64, right: f64) -> f64 {
    let middle = 0.5 * (left + right);
    let height = |[p, q]: [Vec2; 2]| p.y + (middle - p.x) / (q.x - p.x) * (q.y - p.y);
    let spans = |[p, q]: [Vec2; 2]| p.x.min(q.x) < middle && middle < p.x.max(q.x);
    let here = segments.iter().filter(|(ends, _)| spans(*ends));
    let mut heights: Vec<(f64, usize)> = here.map(|&(ends, side)| (height(ends), side)).collect();
    heights.sort_by(|p, q| p.0.total_cmp(&q.0));
    let (mut odd, mut sum, mut from) = ([false; 2], 0.0, 0.0);
    for (height, side) in heights {
        if odd == [true; 2] {
            sum += height - from;
        }
        odd[side] = !odd[side];
        from = height;
    }
    sum * (right - left)
}

/// The shortest way between two boundaries.
pub fn separation(outlines: &Outlines, a: usize, b: usize) -> Option<Separation> {
    let ways = outlines.range(a).flat_map(|at_a| {
        outlines.range(b).map(move |at_b| {
            let (p, q) = (outlines.segment(at_a), outlines.segment(at_b));
            let [s, t] = nearest_pair(p, q);
            let (on_a, on_b) = (place(p, s), place(q, t));
            Separation { distance: on_a.distance(on_b), on_a, on_b }
        })
    });
    ways.reduce(|best, next| if next.distance < best.distance { next } else { best })
}

/// The depths of both sides' vertices and samples.
fn penetrations(
    outlines: &Outlines,
    sides: [usize; 2],
    question: &ProximityQuery,
    answer: &mut ProximityResult,
) {
    let mut asked = 0.0;
    let [a, b] = sides;
    for (of, own, other) in [(Side::A, a, b), (Side::B, b, a)] {
        for at in outlines.range(own) {
            let ends = outlines.segment(at);
            let mut push = |along: f64| {
                let position = place(ends, along);
                // A sample of a border that both share is inside by rounding alone.
                let least = DIRECTION * position.abs().max_element();
                let found = penetration(outlines, other, position);
                let found = found.filter(|(depth, ..)| along == 0.0 || *depth > least);
                answer.penetration.extend(found.map(|(depth, direction, out)| {
                    let at = Place { segment: at as u32, along };
                    Penetration { of, at, position, depth, direction, out }
                }));
            };
            if question.flags.vertices {
                push(0.0);
            }
            if question.flags.samples {
                for stretch in stretches_inside(outlines, ends, other) {
                    let length = (stretch.end - stretch.start) * ends[0].distance(ends[1]);
                    let parts = (length / (SPACING * question.error)).ceil().max(1.0);
                    asked += parts - 1.0;
                    if asked <= MOST_SAMPLES as f64 {
                        let part = (stretch.end - stretch.start) / parts;
                        (1..parts as usize).for_each(|k| push(stretch.start + k as f64 * part));
                    }
                }
            }
        }
    }
    if asked > MOST_SAMPLES as f64 {
        let (error, kept) = (question.error, answer.penetration.len());
        answer.notices.push(Notice::FewerSamples { error, count: asked, kept });
    }
}

/// Depth, direction and way out of a point; `None` when it is not inside.
pub(super) fn penetration(
    outlines: &Outlines,
    other: usize,
    point: Vec2,
) -> Option<(f64, Vec2, Place)> {
    if spot(outlines, other, point) != PointLocation::Inside {
        return None;
    }
    let (out, depth) = nearest(outlines, other, point)?;
    let exit = place(outlines.segment(out.segment as usize), out.along);
    let way = direction(exit - point, point).or_else(|| outward(outlines, out))?;
    Some((depth, way, out))
}

/// The parts of a segment inside an outline, as shares of its way.
fn stretches_inside(outlines: &Outlines, ends: [Vec2; 2], other: usize) -> Vec<Range<f64>> {
    let mut cuts = vec![0.0, 1.0];
    for at in outlines.range(other) {
        let across = outlines.segment(at);
        if meet(ends, across) {
            match crossing(ends, across) {
                Some([along, _]) => cuts.push(along),
                None => cuts.extend(across.map(|end| nearest_along(ends, end))),
            }
        }
    }
    cuts.sort_by(f64::total_cmp);
    let parts = cuts.windows(2).filter(|cut| cut[1] > cut[0]);
    let inside = parts.filter(|cut| {
        spot(outlines, other, place(ends, 0.5 * (cut[0] + cut[1]))) == PointLocation::Inside
    });
    inside.map(|cut| cut[0]..cut[1]).collect()
}

/// A part of one segment of a near b.
#[derive(Clone, Copy, Debug)]
struct Near {
    /// The segment of a.
    segment: usize,
    /// Where the part begins and ends, as shares of the segment's way.
    along: [f64; 2],
}

/// One contact for each stretch of a's boundary within `distance` of b's.
fn contacts(
    outlines: &Outlines,
    [a, b]: [usize; 2],
    distance: f64,
    patches: &Patches,
    contacts: &mut Vec<Contact>,
) {
    for ring in outlines.rings(a) {
        let mut stretches: Vec<Vec<Near>> = Vec::new();
        for segment in ring.clone() {
            for along in near(outlines, outlines.segment(segment), b, distance) {
                let part = Near { segment, along };
                let before = stretches.last().and_then(|stretch| stretch.last());
                let joined = along[0] == 0.0
                    && before.is_some_and(|b| b.along[1] == 1.0 && b.segment + 1 == segment);
                match stretches.last_mut() {
                    Some(stretch) if joined => stretch.push(part),
                    _ => stretches.push(vec![part]),
                }
            }
        }
        join_around(&mut stretches, &ring);
        let found =
            stretches.iter().filter_map(|stretch| contact(outlines, stretch, [a, b], patches));
        contacts.extend(found);
    }
}

/// Joins the last stretch of a ring to the first where they meet at its first point.
fn join_around(stretches: &mut Vec<Vec<Near>>, ring: &Range<usize>) {
    let first = stretches.first().and_then(|stretch| stretch.first()).copied();
    let last = stretches.last().and_then(|stretch| stretch.last()).copied();
    let (Some(first), Some(last)) = (first, last) else { return };
    let around = (first.segment == ring.start && first.along[0] == 0.0)
        && (last.segment + 1 == ring.end && last.along[1] == 1.0);
    if around && stretches.len() > 1 {
        let mut joined = stretches.pop().unwrap_or_default();
        joined.append(&mut stretches[0]);
        stretches[0] = joined;
    }
}

/// The parts of a segment within `distance` of b's boundary, in order, apart from each other.
fn near(outlines: &Outlines, ends: [Vec2; 2], b: usize, distance: f64) -> Vec<[f64; 2]> {
    let all = outlines.range(b).filter_map(|at| near_one(ends, outlines.segment(at), distance));
    let mut parts: Vec<[f64; 2]> = all.collect();
    parts.sort_by(|p, q| p[0].total_cmp(&q[0]));
    let mut merged: Vec<[f64; 2]> = Vec::new();
    for part in parts {
        match merged.last_mut() {
            Some(last) if part[0] <= last[1] => last[1] = last[1].max(part[1]),
            _ => merged.push(part),
        }
    }
    merged
}

/// The part of a segment within `distance` of another: one, as what lies so near is convex.
fn near_one(ends: [Vec2; 2], other: [Vec2; 2], distance: f64) -> Option<[f64; 2]> {
    let [s, t] = nearest_pair(ends, other);
    if place(ends, s).distance(place(other, t)) > distance && !meet(ends, other) {
        return None;
    }
    let far = |from: f64, to: f64| {
        // The distance grows from the nearest place on: halve until no number is between.
        let (mut within, mut beyond) = (from, to);
        let within_distance = |along: f64| {
            let point = place(ends, along);
            place(other, nearest_along(other, point)).distance(point) <= distance
        };
        if within_distance(to) {
            return to;
        }
        loop {
            let middle = 0.5 * (within + beyond);
            if middle == within || middle == beyond {
                return within;
            }
            if within_distance(middle) { within = middle } else { beyond = middle }
        }
    };
    Some([far(s, 0.0), far(s, 1.0)])
}

/// The contact of a stretch: where it is nearest to b.
///
/// Of places equally near the one whose boundaries face each other most counts: a corner on
/// an edge is pushed off the edge. Where boundaries meet, the normal is that of the patches.
fn contact(
    outlines: &Outlines,
    stretch: &[Near],
    [a, b]: [usize; 2],
    patches: &Patches,
) -> Option<Contact> {
    let ends_of =
        |part: &Near| part.along.map(|along| place(outlines.segment(part.segment), along));
    let facing = |on_a: Place, on_b: Place| {
        let normals = outward(outlines, on_a).zip(outward(outlines, on_b));
        normals.map_or(1.0, |(of_a, of_b)| of_a.dot(of_b))
    };
    let mut best: Option<([f64; 2], Place, Place)> = None;
    for part in stretch {
        for at in outlines.range(b) {
            let (p, q) = (ends_of(part), outlines.segment(at));
            let on = |along: f64, t: f64| {
                let on_a = Place { segment: part.segment as u32, along };
                (on_a, Place { segment: at as u32, along: t })
            };
            let (gap, (on_a, on_b)) = match lie_on_each_other(outlines, part, at) {
                Some([from, t]) => (0.0, on(from, t)),
                None => {
                    let [s, t] = nearest_pair(p, q);
                    let along = part.along[0] + s * (part.along[1] - part.along[0]);
                    (place(p, s).distance(place(q, t)), on(along, t))
                }
            };
            let rank = [gap, facing(on_a, on_b)];
            if best.is_none_or(|(least, ..)| rank < least) {
                best = Some((rank, on_a, on_b));
            }
        }
    }
    let ([gap, _], on_a, on_b) = best?;
    let [on_a_at, on_b_at] =
        [on_a, on_b].map(|at| place(outlines.segment(at.segment as usize), at.along));
    let parts: Vec<Part> = stretch
        .iter()
        .map(|near| Part { segment: near.segment as u32, along: near.along })
        .collect();
    let normal = patches.on(parts.iter()).unwrap_or_else(|| {
        let inside = [(b, on_a_at), (a, on_b_at)]
            .map(|(outline, point)| spot(outlines, outline, point) == PointLocation::Inside);
        gap_normal(outlines, [on_a, on_b], inside)
    });
    let normal = normal.or_else(|| outward(outlines, on_b))?;
    let stretch = [ends_of(stretch.first()?)[0], ends_of(stretch.last()?)[1]];
    Some(Contact { position: on_a_at.midpoint(on_b_at), normal, gap, on_a, on_b, stretch })
}

/// Where a part and a segment of b begin to lie on each other, as shares of both.
fn lie_on_each_other(outlines: &Outlines, part: &Near, at: usize) -> Option<[f64; 2]> {
    let (p, q) = (outlines.segment(part.segment), outlines.segment(at));
    if !meet(p, q) {
        return None;
    }
    let ([from, to], [t, end]) = shared(p, q).into();
    let (from, to) = (from.max(part.along[0]), to.min(part.along[1]));
    let t = if t == end { t } else { nearest_along(q, place(p, from)) };
    (from <= to).then_some([from, t])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::QueryFlags;

    /// Hand-worked numbers below ten: rounding stays near 1e-15.
    const TOLERANCE: f64 = 1e-12;

    fn rectangle(from: [f64; 2], to: [f64; 2]) -> Vec<Vec2> {
        let ([x0, y0], [x1, y1]) = (from, to);
        [(x0, y0), (x1, y0), (x1, y1), (x0, y1)].map(|(x, y)| Vec2::new(x, y)).to_vec()
    }

    fn query(
        a: &[Vec<Vec2>],
        b: &[Vec<Vec2>],
        error: f64,
        contact_distance: f64,
    ) -> ProximityResult {
        let mut outlines = Outlines::default();
        outlines.push(a).unwrap();
        outlines.push(b).unwrap();
        let question = ProximityQuery { error, contact_distance, flags: QueryFlags::ALL };
        let mut answers = Vec::new();
        Brute.query(&outlines, &[Pair { a: 0, b: 1 }], &question, &mut answers).unwrap();
        answers.pop().unwrap()
    }

    #[test]
    fn a_corner_inside_goes_out_by_the_shorter_way() {
        let a = rectangle([0.0, 0.0], [2.0, 2.0]);
        let b = rectangle([1.5, 1.0], [4.0, 5.0]);
        let answer = query(&[a], &[b], 1.0, 0.0);
        assert!(answer.intersects && answer.separation.is_none());
        assert!((answer.overlap_area - 0.5).abs() < TOLERANCE);
        let [of_a, of_b] = answer.penetration[..] else { panic!("{answer:?}") };
        assert_eq!((of_a.of, of_a.position), (Side::A, Vec2::new(2.0, 2.0)));
        assert_eq!((of_a.depth, of_a.direction), (0.5, Vec2::NEG_X));
        assert_eq!((of_b.of, of_b.position), (Side::B, Vec2::new(1.5, 1.0)));
        assert_eq!((of_b.depth, of_b.direction), (0.5, Vec2::X));
        assert_eq!(answer.contacts.len(), 2); // where the boundaries cross
    }

    #[test]
    fn separation_of_parallel_edges_is_their_gap() {
        let a = rectangle([0.0, 0.0], [1.0, 4.0]);
        let b = rectangle([1.5, 0.0], [2.0, 4.0]);
        let answer = query(&[a], &[b], 0.1, 0.6);
        assert!(!answer.intersects);
        let way = answer.separation.unwrap();
        assert_eq!((way.distance, way.on_b - way.on_a), (0.5, Vec2::new(0.5, 0.0)));
        let [contact] = answer.contacts[..] else { panic!("{answer:?}") };
        assert_eq!((contact.gap, contact.normal), (0.5, Vec2::NEG_X));
        // The stretch reaches around the corners: √(0.6² − 0.5²) along the upper and lower edge.
        let around = 1.0 - (0.36_f64 - 0.25).sqrt();
        let ends = contact.stretch.map(|end| end.x.min(1.0));
        assert!(ends.iter().all(|x| *x < 1.0 && *x >= around - TOLERANCE), "{ends:?}");
    }

    #[test]
    fn a_hole_is_outside_and_what_lies_in_it_is_free() {
        let frame = [rectangle([0.0; 2], [4.0; 2]), rectangle([1.0; 2], [3.0; 2])];
        let pea = [rectangle([1.5; 2], [2.0; 2])];
        let answer = query(&frame, &pea, 0.1, 0.0);
        assert!(!answer.intersects);
        assert_eq!(answer.separation.unwrap().distance, 0.5);
        let within = query(&[rectangle([0.0; 2], [4.0; 2])], &pea, 0.1, 0.0);
        assert!(within.intersects);
        assert!((within.overlap_area - 0.25).abs() < TOLERANCE);
        assert!(within.penetration.iter().filter(|p| p.at.along == 0.0).all(|p| p.of == Side::B));
    }

    #[test]
    fn no_deep_stretch_goes_without_a_sample() {
        let error = 0.05;
        // A bar through a block: no vertex of one is inside the other.
        let bar = rectangle([-3.0, -0.5], [3.0, 0.5]);
        let block = rectangle([-1.0, -2.0], [1.0, 2.0]);
        let answer = query(&[bar], &[block], error, 0.0);
        assert!((answer.overlap_area - 2.0).abs() < TOLERANCE);
        for step in 0..=1000 {
            let point = Vec2::new(-1.0 + 2.0 * step as f64 / 1000.0, 0.5);
            let depth = 1.0 - point.x.abs();
            let near = |p: &Penetration| p.position.distance(point) <= 2.0 * error + TOLERANCE;
            assert!(depth <= 2.0 * error || answer.penetration.iter().any(near), "{point}");
        }
    }

    #[test]
    fn touching_is_intersecting_with_nothing_inside() {
        let a = rectangle([0.0; 2], [1.0; 2]);
        let b = rectangle([1.0, 0.0], [2.0, 1.0]);
        let answer = query(&[a], &[b], 0.1, 0.0);
        assert!(answer.intersects && answer.penetration.is_empty());
        assert_eq!(answer.overlap_area, 0.0);
        let [contact] = answer.contacts[..] else { panic!("{answer:?}") };
        assert_eq!((contact.gap, contact.normal), (0.0, Vec2::NEG_X));
    }

    #[test]
    fn a_ring_that_crosses_itself_has_two_insides() {
        let hourglass = [(0.0, 0.0), (2.0, 2.0), (2.0, 0.0), (0.0, 2.0)];
        let hourglass = hourglass.map(|(x, y)| Vec2::new(x, y)).to_vec();
        let all = rectangle([-1.0; 2], [3.0; 2]);
        let answer = query(&[hourglass], &[all], 1.0, 0.0);
        assert!((answer.overlap_area - 2.0).abs() < TOLERANCE); // two triangles of 1 m²
    }

    #[test]
    fn what_no_backend_can_answer_is_named() {
        let mut outlines = Outlines::default();
        outlines.push(&[rectangle([0.0; 2], [1.0; 2])]).unwrap();
        let question = ProximityQuery { error: 0.1, contact_distance: 0.0, flags: QueryFlags::ALL };
        let ask = |pair, question| Brute.query(&outlines, &[pair], &question, &mut Vec::new());
        let itself = ask(Pair { a: 0, b: 0 }, question);
        assert_eq!(itself, Err(BackendError::Pair { index: 0, a: 0, b: 0, count: 1 }));
        let bound = ask(Pair { a: 0, b: 0 }, ProximityQuery { error: -1.0, ..question });
        assert_eq!(bound, Err(BackendError::Bound { error: -1.0 }));
    }
}
