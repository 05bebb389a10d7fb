//! Where an outline crosses itself or lies along itself.
//!
//! The even–odd rule gives such an outline an inside all the same, but seldom the one that
//! was meant: readers of outlines should report it. Only segments whose boxes meet are
//! compared, found by the tree of boxes.

use std::ops::ControlFlow;

use pliant::math::{Vec2, orient2d};

use super::super::exact::tree::{Boxes, View};
use super::super::segment::{crossing, meet, place};
use super::{OutlineNotice, Outlines};

/// Most meetings that are counted: a second's work.
const MOST_MEETINGS: usize = 1 << 25;

/// What was found of one kind: how many pairs, and the first.
type Counted = (usize, Option<[usize; 2]>);

/// What was found of an outline.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Found {
    /// Of each [`Kind`].
    kinds: [Counted; 2],
    /// How many meetings were looked at, where there may be more.
    ended_after: Option<usize>,
}

/// Reports whether an outline crosses itself, and where first.
///
/// Segments that touch in a corner do not cross. At most one notice each for crossings and
/// for stretches that lie along each other, with their count; one more where segments meet
/// more than 2²⁵ times, as the search ends there.
pub fn crossings(outlines: &Outlines, outline: usize) -> Vec<OutlineNotice> {
    notices(outlines, outline, counted(outlines, outline, MOST_MEETINGS))
}

/// Puts what was found into words.
fn notices(outlines: &Outlines, outline: usize, found: Found) -> Vec<OutlineNotice> {
    let Found { kinds: found, ended_after } = found;
    let named = |at: usize| {
        let mut rings = outlines.rings(outline).enumerate();
        let own = rings.find(|(_, ring)| ring.contains(&at));
        own.map_or([0, at], |(ring, points)| [ring, at - points.start])
    };
    let mut notices = Vec::new();
    if let (count, Some([a, b])) = found[Kind::Crosses as usize] {
        let (p, q) = (outlines.segment(a), outlines.segment(b));
        let at = crossing(p, q).map_or(q[0], |[along, _]| place(p, along));
        notices.push(OutlineNotice::Crosses { a: named(a), b: named(b), place: at, count });
    }
    if let (count, Some([a, b])) = found[Kind::Along as usize] {
        let place = outlines.segment(b)[0];
        notices.push(OutlineNotice::Along { a: named(a), b: named(b), place, count });
    }
    notices.extend(ended_after.map(|count| OutlineNotice::ManyMeetings { count }));
    notices
}

/// How many pairs of segments meet in each way, and the first of each, among `most` meetings.
fn counted(outlines: &Outlines, outline: usize, most: usize) -> Found {
    let mut kinds: [Counted; 2] = [(0, None); 2];
    let mut offer = |a: usize, b: usize| {
        if let Some(kind) = kind(outlines, a, b) {
            let (count, first) = &mut kinds[kind as usize];
            *count += 1;
            let pair = [a.min(b), a.max(b)];
            *first = Some(first.map_or(pair, |first| first.min(pair)));
        }
    };
    // Neighbours share a corner, and more where the ring folds back.
    for at in outlines.range(outline) {
        offer(at, outlines.next()[at] as usize);
    }
    let mut boxes = Boxes::default();
    boxes.build(outlines);
    let view = View { outlines, boxes: &boxes };
    let mut looked = 0;
    let ended = view.own_meetings(outline, &view.rect(outline), &mut |meeting| {
        if looked == most {
            return ControlFlow::Break(());
        }
        offer(meeting.own as usize, meeting.other as usize);
        looked += 1;
        ControlFlow::Continue(())
    });
    Found { kinds, ended_after: ended.is_break().then_some(looked) }
}

/// How two segments of one outline meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// In one inner point of both.
    Crosses,
    /// In more than a point.
    Along,
}

/// How two segments meet, if in more than a corner of one.
fn kind(outlines: &Outlines, a: usize, b: usize) -> Option<Kind> {
    let (p, q) = (outlines.segment(a), outlines.segment(b));
    if !meet(p, q) {
        return None;
    }
    let of_q = q.map(|end| orient2d(p[0], p[1], end));
    let of_p = p.map(|end| orient2d(q[0], q[1], end));
    if of_q == [0.0; 2] && of_p == [0.0; 2] {
        // On one line: more than a point is shared when the middles' boxes overlap inside.
        let way = p[1] - p[0];
        let span = |ends: [Vec2; 2]| {
            let [s, t] = ends.map(|end| if way.x.abs() >= way.y.abs() { end.x } else { end.y });
            [s.min(t), s.max(t)]
        };
        let ([p_low, p_high], [q_low, q_high]) = (span(p), span(q));
        return (p_low.max(q_low) < p_high.min(q_high)).then_some(Kind::Along);
    }
    let opposite = |[s, t]: [f64; 2]| (s > 0.0 && t < 0.0) || (s < 0.0 && t > 0.0);
    (opposite(of_q) && opposite(of_p)).then_some(Kind::Crosses)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::shapes;
    use proptest::prelude::*;

    /// Reference implementation: every segment against every segment.
    fn slowly(outlines: &Outlines, outline: usize) -> Found {
        let mut found: [Counted; 2] = [(0, None); 2];
        for a in outlines.range(outline) {
            for b in a + 1..outlines.range(outline).end {
                if let Some(kind) = kind(outlines, a, b) {
                    let (count, first) = &mut found[kind as usize];
                    *count += 1;
                    first.get_or_insert([a, b]);
                }
            }
        }
        Found { kinds: found, ended_after: None }
    }

    proptest! {
        #[test]
        fn boxes_lose_no_crossing(seed in 0_u64..1 << 48) {
            let outlines = shapes::pair(seed);
            for outline in 0..2 {
                prop_assert_eq!(counted(&outlines, outline, MOST_MEETINGS), slowly(&outlines, outline));
            }
        }
    }

    fn reported(rings: &[&[(f64, f64)]]) -> Vec<OutlineNotice> {
        let rings: Vec<Vec<Vec2>> =
            rings.iter().map(|ring| ring.iter().map(|&p| Vec2::from(p)).collect()).collect();
        let mut outlines = Outlines::default();
        outlines.push(&[vec![Vec2::ZERO, Vec2::X, Vec2::Y]]).unwrap();
        outlines.push(&rings).unwrap();
        crossings(&outlines, 1)
    }

    #[test]
    fn simple_rings_do_not_cross() {
        let square: &[(f64, f64)] = &[(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)];
        assert_eq!(reported(&[square]), []);
        // A hole that touches in a corner, and one whose corner lies on a side.
        assert_eq!(reported(&[square, &[(0.0, 0.0), (2.0, 1.0), (1.0, 2.0)]]), []);
        assert_eq!(reported(&[square, &[(0.0, 1.0), (2.0, 1.0), (1.0, 2.0)]]), []);
    }

    #[test]
    fn a_crossing_is_told_with_ring_segment_and_place() {
        // The bow tie's segments 1 and 3 cross in its middle, however the ring is turned.
        let bow: &[(f64, f64)] = &[(0.0, 0.0), (2.0, 0.0), (0.0, 2.0), (2.0, 2.0)];
        let expected =
            OutlineNotice::Crosses { a: [0, 1], b: [0, 3], place: Vec2::new(1.0, 1.0), count: 1 };
        assert_eq!(
            expected.to_string(),
            "segment 1 of ring 0 crosses segment 3 of ring 0 at [1, 1]; inside is even–odd, \
             so parts covered twice are outside"
        );
        assert_eq!(reported(&[bow]), [expected]);
        let two: [&[(f64, f64)]; 2] = [
            &[(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)],
            &[(1.0, 1.0), (5.0, 1.0), (5.0, 3.0), (1.0, 3.0)],
        ];
        let [OutlineNotice::Crosses { a: [0, _], b: [1, _], count: 2, .. }] = reported(&two)[..]
        else {
            panic!("{:?}", reported(&two))
        };
    }

    #[test]
    fn stretches_along_each_other_are_told() {
        let sides: [&[(f64, f64)]; 2] = [
            &[(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)],
            &[(4.0, 1.0), (6.0, 1.0), (6.0, 2.0), (4.0, 2.0)],
        ];
        let [OutlineNotice::Along { a: [0, _], b: [1, _], count: 1, .. }] = reported(&sides)[..]
        else {
            panic!("{:?}", reported(&sides))
        };
    }

    /// A ring of an odd number of chords that all cross.
    fn chords(corners: usize) -> Outlines {
        let step = corners / 2;
        let ring: Vec<Vec2> = (0..corners)
            .map(|k| std::f64::consts::TAU * ((k * step) % corners) as f64 / corners as f64)
            .map(Vec2::from_angle)
            .collect();
        let mut outlines = Outlines::default();
        outlines.push(&[ring]).unwrap();
        outlines
    }

    #[test]
    fn a_search_that_ends_early_is_reported_with_its_count() {
        let outlines = chords(51);
        let all = 51 * 48 / 2;
        for (most, expected) in [(all, None), (all - 1, Some(all - 1)), (10, Some(10))] {
            let found = counted(&outlines, 0, most);
            assert_eq!(found.ended_after, expected, "{most}");
            let last = notices(&outlines, 0, found).pop().unwrap();
            let many = OutlineNotice::ManyMeetings { count: most };
            assert_eq!(last == many, expected.is_some(), "{last}");
        }
        assert_eq!(
            OutlineNotice::ManyMeetings { count: 10 }.to_string(),
            "segments of the outline meet in 10 places or more: the search for crossings ended \
             there, and counts of them are too low"
        );
    }

    #[test]
    fn all_crossings_of_a_star_are_counted() {
        for corners in [5_usize, 7, 51] {
            let outlines = chords(corners);
            let reported = crossings(&outlines, 0);
            // Every chord crosses all that do not share an end with it.
            let expected = corners * (corners - 3) / 2;
            assert!(
                matches!(reported[..], [OutlineNotice::Crosses { count, .. }] if count == expected),
                "{reported:?}"
            );
        }
    }
}
