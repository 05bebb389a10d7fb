//! The area that two outlines share, as a sum along its own boundary.
//!
//! Green's theorem: ½ Σ P×Q over all pieces P→Q of both boundaries that have the shared area on
//! their left, less those that have it on their right. A piece ends where its segment meets
//! another; whether either outline covers its sides is found once with a ray and then follows
//! from the crossings, which are exact. So the sum costs as much as there are segments and
//! meetings, where strips cost as much as their product.
//!
//! Where boundaries graze each other by rounding alone, rays may contradict each other. Then the
//! pieces do not close, and nothing is returned.
//!
//! | here      | meaning                                                             |
//! |-----------|---------------------------------------------------------------------|
//! | `Covered` | whether an outline covers the left and the right side of a piece    |
//! | `Twin`    | a stretch along which two segments lie on each other; counted once  |

use std::ops::ControlFlow;

use pliant::math::Vec2;

use super::super::rect::Rect;
use super::super::segment::{crossing, nearest_along, place, right_of, shared};
use super::meeting::{Kind, Meeting};
use super::tree::View;

/// Pieces shorter than this share of their segment are not asked which side they are on.
const TINY: f64 = 1e-13;

/// Sums of pieces that close are shorter than this, relative to their length.
const CLOSED: f64 = 1e-9;

/// What changes at a place of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    /// Both sides with respect to its own outline (0) or the other one (1).
    Crosses(u8),
    /// What is known of the sides with respect to its own outline (0) or the other one (1).
    Touches(u8),
}

/// A place of a segment at which a piece ends.
#[derive(Clone, Copy, Debug)]
struct Event {
    segment: u32,
    /// What changes there.
    change: Change,
    /// Share of the segment before it.
    along: f64,
}

/// A stretch of a segment that lies on another.
#[derive(Clone, Copy, Debug)]
struct Twin {
    segment: u32,
    /// The segment it lies on.
    on: u32,
    /// Shares of the segment at which the stretch begins and ends.
    along: [f64; 2],
}

/// Scratch memory of the sum.
#[derive(Clone, Debug, Default)]
pub(super) struct ContourScratch {
    events: Vec<Event>,
    twins: Vec<Twin>,
}

/// Whether an outline covers the left and the right side of a piece.
type Covered = [bool; 2];

/// What is known of a piece's sides with respect to its own outline and the other one.
type Known = [Option<Covered>; 2];

/// Area that both outlines cover, m²; `None` where rounding contradicts itself.
///
/// `meetings` are those of both boundaries, `window` holds all that both boxes share.
pub(super) fn contour_area(
    view: View<'_>,
    [a, b]: [usize; 2],
    meetings: &[Meeting],
    window: &Rect,
    scratch: &mut ContourScratch,
) -> Option<f64> {
    let mut total = Sum { centre: window.min.midpoint(window.max), ..Sum::default() };
    for sides in [[a, b], [b, a]] {
        scratch.fill(view, sides, meetings, window);
        let walk = Walk { view, sides, window, scratch };
        walk.add_to(&mut total);
    }
    (total.open.length() <= CLOSED * total.length).then(|| total.area.max(0.0))
}

impl ContourScratch {
    /// Collects where the segments of the first outline meet others, in order along them.
    fn fill(
        &mut self,
        view: View<'_>,
        [own, other]: [usize; 2],
        meetings: &[Meeting],
        window: &Rect,
    ) {
        self.events.clear();
        self.twins.clear();
        let range = view.outlines.range(own);
        for &meeting in meetings {
            let seen =
                if range.contains(&(meeting.own as usize)) { meeting } else { meeting.swapped() };
            debug_assert!(view.outlines.range(other).contains(&(seen.other as usize)));
            self.event(view, seen, 1);
        }
        let next = view.outlines.next();
        for at in range {
            // Neighbours share a corner, and more where the ring folds back.
            let fold = Meeting { own: at as u32, other: next[at], kind: Kind::AtEnd };
            self.twin(view, fold, 0);
            self.twin(view, fold.swapped(), 0);
        }
        let all = view.own_meetings(own, window, &mut |meeting| {
            self.event(view, meeting, 0);
            self.event(view, meeting.swapped(), 0);
            ControlFlow::Continue(())
        });
        debug_assert!(all.is_continue(), "nothing breaks");
        let change = |event: &Event| {
            (event.change != Change::Crosses(0), event.change != Change::Crosses(1))
        };
        self.events.sort_unstable_by(|p, q| {
            let along = p.segment.cmp(&q.segment).then(p.along.total_cmp(&q.along));
            along.then(change(p).cmp(&change(q)))
        });
        self.twins.sort_unstable_by_key(|twin| (twin.segment, twin.on));
    }

    /// Adds the events of one meeting, with its own outline (0) or the other one (1).
    fn event(&mut self, view: View<'_>, meeting: Meeting, with: u8) {
        let Meeting { own: segment, other, kind } = meeting;
        if kind == Kind::AtEnd && self.twin(view, meeting, with) {
            return;
        }
        let [ends, across] = [segment, other].map(|at| view.outlines.segment(at as usize));
        let along = match crossing(ends, across) {
            Some([along, _]) => along,
            None => nearest_along(ends, across[0].midpoint(across[1])),
        };
        let change =
            if kind == Kind::Cross { Change::Crosses(with) } else { Change::Touches(with) };
        self.events.push(Event { segment, change, along });
    }

    /// Adds the stretch along which two segments lie on each other, if there is one.
    fn twin(
        &mut self,
        view: View<'_>,
        Meeting { own: segment, other: on, .. }: Meeting,
        with: u8,
    ) -> bool {
        let [ends, across] = [segment, on].map(|at| view.outlines.segment(at as usize));
        let [along, of_on] = shared(ends, across);
        let lies = along[0] < along[1] && of_on[0] < of_on[1];
        if lies {
            let change = Change::Touches(with);
            self.events.extend(along.map(|along| Event { segment, change, along }));
            self.twins.push(Twin { segment, on, along });
        }
        lies
    }
}

/// What pieces add up to.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    /// What corners are measured from, m.
    centre: Vec2,
    /// Area to the left of the pieces, m².
    area: f64,
    /// The way from the first piece to the last, m: nothing, where they close.
    open: Vec2,
    /// Length of all pieces, m.
    length: f64,
}

/// One boundary and the outline on its other side.
struct Walk<'a> {
    view: View<'a>,
    /// The outline walked along, and the other one.
    sides: [usize; 2],
    /// Where meetings of the outline with itself are known, m.
    window: &'a Rect,
    scratch: &'a ContourScratch,
}

impl Walk<'_> {
    /// Adds the pieces that bound the shared area.
    fn add_to(&self, sum: &mut Sum) {
        let (mut events, mut twins) = (&self.scratch.events[..], &self.scratch.twins[..]);
        for ring in self.view.outlines.rings(self.sides[0]) {
            let mut known: Known = [None; 2];
            for at in ring {
                let count = events.iter().take_while(|event| event.segment as usize == at).count();
                let (here, rest) = events.split_at(count);
                events = rest;
                let count = twins.iter().take_while(|twin| twin.segment as usize == at).count();
                let (beside, rest) = twins.split_at(count);
                twins = rest;
                if here.is_empty() && known[1] == Some([false; 2]) {
                    known[0] = None;
                    continue;
                }
                let mut from = 0.0;
                for event in here {
                    self.piece(at, [from, event.along], beside, &mut known, sum);
                    from = event.along;
                    match event.change {
                        Change::Crosses(with) => {
                            let sides = &mut known[usize::from(with)];
                            *sides = sides.map(|covered| covered.map(|side| !side));
                        }
                        Change::Touches(with) => known[usize::from(with)] = None,
                    }
                }
                self.piece(at, [from, 1.0], beside, &mut known, sum);
            }
        }
    }

    /// Adds a piece of a segment if both outlines cover one of its sides alone.
    fn piece(
        &self,
        at: usize,
        [from, to]: [f64; 2],
        twins: &[Twin],
        known: &mut Known,
        sum: &mut Sum,
    ) {
        let ends = self.view.outlines.segment(at);
        let middle = 0.5 * (from + to);
        let on = |twin: &&Twin| twin.along[0] < middle && middle < twin.along[1];
        let twins = || twins.iter().filter(on).map(|twin| twin.on as usize);
        let open = known[1].is_none() || known[0].is_none();
        if ends[0] == ends[1] || to <= from || (open && to - from < TINY) {
            return;
        }
        if twins().any(|on| on < at) {
            return;
        }
        let mut covered = |which: usize| {
            *known[which].get_or_insert_with(|| {
                let range = self.view.outlines.range(self.sides[which]);
                let own = (which == 0).then_some(at);
                let on = twins().filter(|on| range.contains(on)).chain(own);
                self.covered(self.sides[which], ends, place(ends, middle), on)
            })
        };
        let by_other = covered(1);
        if by_other == [false; 2] {
            let inner = |along: f64| self.window.contains(place(ends, along));
            if !(inner(from) && inner(to)) {
                known[0] = None;
            }
            return;
        }
        let by_own = covered(0);
        let [left, right] = [0, 1].map(|side| by_own[side] && by_other[side]);
        if left != right {
            let [p, q] = [from, to].map(|along| place(ends, along));
            let [p, q] = if left { [p, q] } else { [q, p] };
            sum.area += 0.5 * (p - sum.centre).perp_dot(q - sum.centre);
            sum.open += q - p;
            sum.length += p.distance(q);
        }
    }

    /// Whether an outline covers the sides of a segment at a point of it.
    ///
    /// `on` are the outline's segments that lie on it there: between its sides, an odd number
    /// of them is crossed or an even one.
    fn covered(
        &self,
        outline: usize,
        [from, to]: [Vec2; 2],
        point: Vec2,
        on: impl Iterator<Item = usize>,
    ) -> Covered {
        let mut right = self.view.is_odd(outline, point);
        let mut changes = false;
        for segment in on {
            // However the point is rounded, the segment counts as left of it.
            right ^= right_of(self.view.outlines.segment(segment), point);
            changes = !changes;
        }
        // To the right along the ray, or above where the segment is level.
        let beyond = right;
        let before = right ^ changes;
        let left_is_beyond = if from.y == to.y { to.x > from.x } else { to.y < from.y };
        if left_is_beyond { [beyond, before] } else { [before, beyond] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brute;
    use crate::exact::shapes;
    use crate::exact::tree::Boxes;
    use crate::outline::Outlines;
    use proptest::prelude::*;

    /// Sums of some thousand terms, relative to the box and its largest coordinate.
    const AREA: f64 = 1e-12;

    fn contour(outlines: &Outlines) -> Option<f64> {
        let mut boxes = Boxes::default();
        boxes.build(outlines);
        let view = View { outlines, boxes: &boxes };
        let window = view.rect(0).common(view.rect(1));
        let mut meetings = Vec::new();
        let all = view.meetings([0, 1], &mut |meeting| {
            meetings.push(meeting);
            ControlFlow::Continue(())
        });
        assert!(all.is_continue());
        contour_area(view, [0, 1], &meetings, &window, &mut ContourScratch::default())
    }

    /// The contour's area is that of all strips, where there is one.
    #[track_caller]
    fn check(outlines: &Outlines) -> bool {
        let Some(area) = contour(outlines) else { return false };
        let coordinates =
            outlines.points().iter().fold(0.0, |most, p| p.abs().max_element().max(most));
        let off = (area - brute::overlap_area(outlines, 0, 1)).abs();
        assert!(off <= AREA * shapes::scale(outlines) * coordinates, "{area} {off}");
        true
    }

    #[test]
    fn nearly_all_shapes_have_a_contour_and_its_area_is_that_of_strips() {
        let closed = (0..2000).filter(|&seed| check(&shapes::pair(seed))).count();
        // Rings on a grid lie on each other in every way there is.
        assert!(closed >= 1980, "{closed}");
    }

    #[test]
    fn equal_outlines_share_all_of_themselves() {
        let star: Vec<Vec2> = (0..7)
            .map(|k| Vec2::from_angle(f64::from(3 * k) * std::f64::consts::TAU / 7.0))
            .collect();
        let mut outlines = Outlines::default();
        outlines.push(std::slice::from_ref(&star)).unwrap();
        outlines.push(&[star]).unwrap();
        assert!(check(&outlines));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn a_contour_encloses_what_strips_cover(seed in 0_u64..1 << 48) {
            check(&shapes::pair(seed));
        }
    }
}
