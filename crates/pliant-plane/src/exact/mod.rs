//! The exact backend: segments against segments, found by boxes; no image.
//!
//! Returns the same results as [`Brute`](super::brute::Brute), place for place. For every
//! frame boxes are built anew ([`tree`]), meetings of the two boundaries are found
//! ([`meeting`]), what is inside follows from them ([`inside`]), and depths are searched only
//! there ([`nearest`]).
//!
//! One frame of six outlines with 719 segments, 7 near pairs and 78 vertices inside takes
//! 178 thousand instructions, 11 µs: searching the nearest places takes 45 % of them, the
//! meetings 17 %, the boxes 13 %, finding the pairs before 10 %.

mod area;
mod contacts;
mod contour;
mod inside;
pub(crate) mod meeting;
pub(crate) mod nearest;
pub(crate) mod oriented;
#[cfg(test)]
pub(super) mod shapes;
mod snapped;
pub(crate) mod tree;

use std::ops::ControlFlow;

use pliant::math::Vec2;
use pliant::par;

use super::outline::Outlines;
use super::{
    Backend, BackendError, Pair, ProximityQuery, ProximityResult, QueryFlags, Side, least, patch,
    prepare,
};
use area::{AreaScratch, Overlap};
use contacts::ContactScratch;
use inside::{DepthScratch, Depths};
use meeting::Meeting;
use tree::{Boxes, View};

/// Most threads that pairs are divided among.
const MOST_THREADS: usize = 1024;

/// Tests the segments that matter; keeps only memory from frame to frame.
#[derive(Clone, Debug)]
pub struct Exact {
    /// Boxes of the frame.
    boxes: Boxes,
    /// Scratch memory of each thread; one or more.
    shares: Vec<Scratch>,
}

/// Scratch memory of one thread.
#[derive(Clone, Debug, Default)]
struct Scratch {
    /// Where the boundaries of a pair meet.
    meetings: Vec<Meeting>,
    /// Of the depth queries.
    depths: DepthScratch,
    /// Of the strips that an area is summed over.
    area: AreaScratch,
    /// Of the search for contacts.
    contacts: ContactScratch,
}

impl Default for Exact {
    /// One thread.
    fn default() -> Exact {
        Exact { boxes: Boxes::default(), shares: vec![Scratch::default()] }
    }
}

impl Exact {
    /// Divides the pairs among threads; results are the same for any number of them.
    pub fn set_threads(&mut self, threads: usize) {
        self.shares.resize_with(threads.clamp(1, MOST_THREADS), Scratch::default);
    }
}

impl Backend for Exact {
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
        self.boxes.build(outlines);
        let view = View { outlines, boxes: &self.boxes };
        divide(view, question, &mut self.shares, pairs, answers);
        Ok(())
    }
}

/// Queries all pairs, each half of the threads in parallel.
fn divide(
    view: View<'_>,
    question: &ProximityQuery,
    shares: &mut [Scratch],
    pairs: &[Pair],
    answers: &mut [ProximityResult],
) {
    if let [share] = shares {
        for (pair, answer) in pairs.iter().zip(answers) {
            share.answer(view, [pair.a as usize, pair.b as usize], question, answer);
        }
        return;
    }
    let half = shares.len() / 2;
    let weight = |pair: &Pair| {
        [pair.a, pair.b].iter().map(|&at| view.outlines.range(at as usize).len()).sum::<usize>()
    };
    let all: usize = pairs.iter().map(weight).sum();
    let (mut cut, mut sum) = (0, 0);
    while cut < pairs.len() && sum * shares.len() < all * half {
        sum += weight(&pairs[cut]);
        cut += 1;
    }
    let (low, high) = shares.split_at_mut(half);
    let (low_pairs, high_pairs) = pairs.split_at(cut);
    let (low_answers, high_answers) = answers.split_at_mut(cut);
    par::both(
        || divide(view, question, low, low_pairs, low_answers),
        || divide(view, question, high, high_pairs, high_answers),
    );
}

impl Scratch {
    /// Queries one pair.
    fn answer(
        &mut self,
        view: View<'_>,
        sides: [usize; 2],
        question: &ProximityQuery,
        answer: &mut ProximityResult,
    ) {
        let wanted = question.flags;
        let [a, b] = sides;
        self.meetings.clear();
        self.contacts.patches.clear();
        let depths = wanted.vertices || wanted.samples;
        let every = depths || wanted.area || wanted.separates();
        if view.rect(a).meets(&view.rect(b)) {
            let found = view.meetings(sides, &mut |meeting| {
                self.meetings.push(meeting);
                if every { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
            debug_assert!(found.is_continue() || !every, "{sides:?}");
            self.meetings.sort_unstable_by_key(Meeting::key);
            self.find_patches(view, sides, wanted);
            let contained = if depths {
                self.depths(view, sides, question, answer)
            } else {
                self.meetings.is_empty()
                    && (inside::begins_inside(view, a, b) || inside::begins_inside(view, b, a))
            };
            answer.intersects = contained || !self.meetings.is_empty();
        }
        if wanted.area && answer.intersects {
            let overlap = Overlap { view, sides, meetings: &self.meetings, error: question.error };
            answer.overlap_area = overlap.area(&mut self.area);
        }
        if wanted.separation && !answer.intersects {
            answer.separation = view.separation(sides);
        }
        if answer.intersects && wanted.separates() {
            let patches = &mut self.contacts.patches;
            answer.least_translation = least::of_pair(view.outlines, sides, patches, wanted);
        }
        if wanted.contacts {
            let distance = question.contact_distance;
            view.contacts(sides, distance, &mut self.contacts, answer);
        }
    }

    /// Finds where the boundaries meet, if that is wanted.
    fn find_patches(&mut self, view: View<'_>, sides: [usize; 2], wanted: QueryFlags) {
        if wanted.separates() && !self.meetings.is_empty() {
            let met = self.meetings.iter();
            let met =
                met.map(|meeting| patch::Meeting::of(view.outlines, [meeting.own, meeting.other]));
            let spot = |outline: usize, point: Vec2| view.spot(outline, point);
            self.contacts.patches.find(view.outlines, sides, met, spot);
        }
    }

    /// Adds the depths of both sides; returns whether a ring begins inside the other.
    ///
    /// The meetings are sorted along a before, and along b after.
    fn depths(
        &mut self,
        view: View<'_>,
        [a, b]: [usize; 2],
        question: &ProximityQuery,
        answer: &mut ProximityResult,
    ) -> bool {
        let scratch = &mut self.depths;
        let mut depths = Depths { view, question, answer, scratch, asked: 0.0 };
        let of_a = depths.of_side(Side::A, [a, b], &self.meetings);
        self.meetings.iter_mut().for_each(|meeting| *meeting = meeting.swapped());
        self.meetings.sort_unstable_by_key(Meeting::key);
        let of_b = depths.of_side(Side::B, [b, a], &self.meetings);
        depths.finish();
        of_a || of_b
    }
}

#[cfg(test)]
mod tests {
    use super::super::brute::Brute;
    use super::super::{Contact, Notice};
    use super::*;
    use proptest::prelude::*;

    const PAIR: Pair = Pair { a: 0, b: 1 };

    /// Areas are sums over strips that differ, relative to the boxes' areas.
    const AREA: f64 = 1e-13;

    /// Places after moving by rounded numbers, relative to the coordinates.
    const MOVED: f64 = 1e-12;

    fn query(
        backend: &mut impl Backend,
        outlines: &Outlines,
        question: &ProximityQuery,
    ) -> ProximityResult {
        let mut answers = Vec::new();
        backend.query(outlines, &[PAIR], question, &mut answers).unwrap();
        answers.pop().unwrap()
    }

    /// A query whose lengths fit the outlines.
    fn question(outlines: &Outlines, error: f64, distance: f64) -> ProximityQuery {
        let scale = shapes::scale(outlines);
        let (error, contact_distance) = (error * scale, distance * scale);
        ProximityQuery { error, contact_distance, flags: QueryFlags::ALL }
    }

    /// The same but for the area, which is summed in another order.
    #[track_caller]
    fn check(outlines: &Outlines, question: &ProximityQuery) -> ProximityResult {
        let mut exact = Exact::default();
        // A second time, with memory that has seen other outlines.
        let _ = query(&mut exact, &shapes::pair(7), question);
        let found = query(&mut exact, outlines, question);
        let plain = query(&mut Brute, outlines, question);
        let scale = shapes::scale(outlines);
        let coordinates =
            outlines.points().iter().fold(0.0, |most, p| p.abs().max_element().max(most));
        let apart = (found.overlap_area - plain.overlap_area).abs();
        assert!(
            apart <= AREA * scale * coordinates,
            "{} {}",
            found.overlap_area,
            plain.overlap_area
        );
        assert_eq!(
            ProximityResult { overlap_area: 0.0, ..found.clone() },
            ProximityResult { overlap_area: 0.0, ..plain }
        );
        found
    }

    /// The pair with every point elsewhere.
    fn put(outlines: &Outlines, by: impl Fn(Vec2) -> Vec2) -> Outlines {
        let mut outlines = outlines.clone();
        outlines.points_mut().iter_mut().for_each(|point| *point = by(*point));
        outlines
    }

    /// The same outlines, every ring begun at its second point.
    fn renumber(outlines: &Outlines) -> Outlines {
        let mut renumbered = outlines.clone();
        for ring in (0..outlines.len()).flat_map(|outline| outlines.rings(outline)) {
            renumbered.points_mut()[ring].rotate_left(1);
        }
        renumbered
    }

    fn depths(answer: &ProximityResult, side: Side) -> Vec<f64> {
        let found =
            answer.penetration.iter().filter(|point| point.of == side && point.at.along == 0.0);
        found.map(|point| point.depth).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn answers_are_those_of_all_segments(
            seed in 0_u64..1 << 48,
            error in 0.002..0.1,
            distance in prop_oneof![Just(0.0), 0.0..0.3],
        ) {
            let outlines = shapes::pair(seed);
            check(&outlines, &question(&outlines, error, distance));
        }

        #[test]
        fn few_wishes_change_no_answer(seed in 0_u64..1 << 48) {
            let outlines = shapes::pair(seed);
            let all = question(&outlines, 0.02, 0.01);
            let full = query(&mut Exact::default(), &outlines, &all);
            let none = QueryFlags { vertices: false, ..QueryFlags::DEPTHS };
            for (wanted, expected) in [
                (none, ProximityResult { intersects: full.intersects, ..ProximityResult::default() }),
                (QueryFlags { area: true, ..none }, ProximityResult { overlap_area: full.overlap_area, ..ProximityResult::default() }),
                (QueryFlags { separation: true, ..none }, ProximityResult { separation: full.separation, ..ProximityResult::default() }),
                (QueryFlags { contacts: true, ..none }, ProximityResult { contacts: full.contacts.clone(), ..ProximityResult::default() }),
            ] {
                let found = query(&mut Exact::default(), &outlines, &ProximityQuery { flags: wanted, ..all });
                prop_assert_eq!(found, ProximityResult { intersects: full.intersects, ..expected });
            }
        }

        #[test]
        fn swapped_outlines_swap_their_depths(seed in 0_u64..1 << 48) {
            let outlines = shapes::pair(seed);
            let question = question(&outlines, 0.02, 0.0);
            let found = query(&mut Exact::default(), &outlines, &question);
            let mut answers = Vec::new();
            let other = [Pair { a: 1, b: 0 }];
            Exact::default().query(&outlines, &other, &question, &mut answers).unwrap();
            let swapped = answers.pop().unwrap();
            prop_assert_eq!(found.intersects, swapped.intersects);
            prop_assert_eq!(depths(&found, Side::A), depths(&swapped, Side::B));
            prop_assert_eq!(depths(&found, Side::B), depths(&swapped, Side::A));
            let distances = [found, swapped].map(|answer| answer.separation.map(|way| way.distance));
            prop_assert_eq!(distances[0], distances[1]);
        }

        #[test]
        fn where_rings_begin_does_not_matter(seed in 0_u64..1 << 48) {
            let outlines = shapes::pair(seed);
            let question = question(&outlines, 0.02, 0.01);
            let both = [outlines.clone(), renumber(&outlines)];
            let [found, renumbered] = both.map(|set| query(&mut Exact::default(), &set, &question));
            prop_assert_eq!(found.intersects, renumbered.intersects);
            prop_assert_eq!(found.contacts.len(), renumbered.contacts.len());
            for side in [Side::A, Side::B] {
                let [mut p, mut q] = [&found, &renumbered].map(|answer| depths(answer, side));
                p.sort_by(f64::total_cmp);
                q.sort_by(f64::total_cmp);
                prop_assert_eq!(p, q);
            }
        }

        #[test]
        fn a_mirror_and_halves_change_no_depth(seed in 0_u64..1 << 48) {
            let outlines = shapes::pair(seed);
            let question = question(&outlines, 0.02, 0.0);
            let found = query(&mut Exact::default(), &outlines, &question);
            // Both are done without rounding.
            for by in [|p: Vec2| Vec2::new(-p.x, p.y), |p: Vec2| 0.5 * p] {
                let image = query(&mut Exact::default(), &put(&outlines, by), &question);
                prop_assert_eq!(found.intersects, image.intersects);
                let factor = by(Vec2::Y).y;
                for side in [Side::A, Side::B] {
                    let expected = depths(&found, side).iter().map(|depth| factor * depth).collect::<Vec<_>>();
                    prop_assert_eq!(depths(&image, side), expected);
                }
            }
        }

        #[test]
        fn moved_outlines_are_as_deep(seed in 0_u64..1 << 48) {
            let outlines = shapes::pair(seed);
            let question = question(&outlines, 0.02, 0.0);
            let found = query(&mut Exact::default(), &outlines, &question);
            let by = shapes::scale(&outlines) * Vec2::new(0.1234, 5.678);
            let moved = query(&mut Exact::default(), &put(&outlines, |p| p + by), &question);
            let most = |answer: &ProximityResult| depths(answer, Side::A).into_iter().fold(0.0, f64::max);
            let slack = MOVED * (by.length() + outlines.points()[0].length());
            prop_assert!((most(&found) - most(&moved)).abs() <= slack);
            let area = found.overlap_area - moved.overlap_area;
            prop_assert!(area.abs() <= slack * shapes::scale(&outlines), "{}", area);
        }
    }

    #[test]
    fn many_segments_overlap_as_circles_do() {
        let count = 20_000;
        let turn = std::f64::consts::TAU / f64::from(count);
        let mut outlines = Outlines::default();
        for x in [0.0, 0.5] {
            let corner = |k: i32| Vec2::new(x, 0.0) + Vec2::from_angle(turn * f64::from(k));
            outlines.push(&[(0..count).map(corner).collect()]).unwrap();
        }
        let question = ProximityQuery { error: 0.1, contact_distance: 0.0, flags: QueryFlags::ALL };
        let answer = query(&mut Exact::default(), &outlines, &question);
        // Two caps of circles 0.5 m apart: 2 acos(1/4) − 1/4 √(4 − 1/4).
        let area = 2.0 * libm::acos(0.25) - 0.25 * 3.75_f64.sqrt();
        // A polygon falls short of its circle by turn²/6 of the area, turn²/8 of the radius.
        assert!((answer.overlap_area - area).abs() < turn * turn, "{}", answer.overlap_area);
        for side in [Side::A, Side::B] {
            let deepest = depths(&answer, side).into_iter().fold(0.0, f64::max);
            assert!((deepest - 0.5).abs() < turn * turn, "{deepest}");
        }
        assert_eq!(answer.contacts.len(), 2);
    }

    #[test]
    fn any_number_of_threads_gives_the_same_bits() {
        let mut outlines = Outlines::default();
        for seed in 0..8 {
            let pair = shapes::pair(seed * 977 + 3);
            for outline in 0..2 {
                let rings = pair.rings(outline).map(|ring| pair.points()[ring].to_vec());
                outlines.push(&rings.collect::<Vec<_>>()).unwrap();
            }
        }
        let pairs: Vec<Pair> = (0..16).flat_map(|a| (0..a).map(move |b| Pair { a, b })).collect();
        let question =
            ProximityQuery { error: 0.05, contact_distance: 0.02, flags: QueryFlags::ALL };
        let mut exact = Exact::default();
        let mut one = Vec::new();
        exact.query(&outlines, &pairs, &question, &mut one).unwrap();
        for threads in [0, 2, 3, 7, 200] {
            exact.set_threads(threads);
            let mut many = Vec::new();
            exact.query(&outlines, &pairs, &question, &mut many).unwrap();
            assert_eq!(one, many, "{threads} threads");
        }
    }

    #[test]
    fn too_small_an_error_takes_no_samples_and_says_so() {
        let mut outlines = Outlines::default();
        for x in [0.0, 0.5] {
            let square = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)];
            outlines.push(&[square.map(|(u, v)| Vec2::new(x + u, 0.5 * x + v)).to_vec()]).unwrap();
        }
        for error in [1e-300, 1e-9] {
            let question = ProximityQuery { error, contact_distance: 0.0, flags: QueryFlags::ALL };
            let answer = check(&outlines, &question);
            assert!(
                matches!(answer.notices[..], [Notice::FewerSamples { kept: 2, .. }]),
                "{answer:?}"
            );
        }
    }

    #[test]
    fn a_contact_distance_beyond_everything_makes_one_contact_of_each_ring() {
        let outlines = shapes::apart(5);
        let question =
            ProximityQuery { error: 1.0, contact_distance: 1e300, flags: QueryFlags::ALL };
        let answer = check(&outlines, &question);
        assert_eq!(answer.contacts.len(), outlines.rings(0).count());
        let gap = |contact: &Contact| contact.gap;
        let least = answer.contacts.iter().map(gap).fold(f64::INFINITY, f64::min);
        assert_eq!(Some(least), answer.separation.map(|way| way.distance));
    }

    #[test]
    fn huge_coordinates_are_refused_or_answered_with_numbers() {
        for size in [1e-300, 1e-160, 1e149, 1e151, 1e300] {
            let outlines = put(&shapes::apart(11), |p| size * p);
            let larger = outlines.points().iter().position(|p| p.abs().max_element() > 1e150);
            let question = ProximityQuery {
                error: 0.1 * size,
                contact_distance: size,
                flags: QueryFlags::ALL,
            };
            let mut answers = Vec::new();
            let reported = Exact::default().query(&outlines, &[PAIR], &question, &mut answers);
            if let Some(point) = larger {
                let position = outlines.points()[point];
                assert_eq!(reported, Err(BackendError::TooFar { point, outline: 0, position }));
                continue;
            }
            assert_eq!(reported, Ok(()));
            let numbers =
                answers[0].contacts.iter().all(|c| c.gap.is_finite() && c.normal.is_finite());
            assert!(numbers && answers[0].overlap_area.is_finite(), "{answers:?}");
        }
    }

    #[test]
    fn a_broken_point_is_named() {
        let mut outlines = shapes::apart(3);
        let point = outlines.range(1).start + 1;
        outlines.points_mut()[point].y = f64::NAN;
        let question = ProximityQuery { error: 0.1, contact_distance: 0.0, flags: QueryFlags::ALL };
        let reported = Exact::default().query(&outlines, &[PAIR], &question, &mut Vec::new());
        assert!(
            matches!(reported, Err(BackendError::NotFinite { point: p, outline: 1, .. }) if p == point)
        );
    }
}
