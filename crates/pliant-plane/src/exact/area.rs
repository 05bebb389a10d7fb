//! The area that two outlines share, by upright strips without a crossing within.
//!
//! For few segments; of many the [`contour`](super::contour) is summed, or where that has no
//! result the area is found on a [grid](super::snapped). Right for rings that cross or lie on themselves too: a strip counts what an odd number of
//! segments of both sides lie below. Only strips over the boxes' common part are visited,
//! and the segments over a strip stay sorted from one strip to the next, so that a strip
//! costs as much as there are segments over it.

use std::ops::ControlFlow;

use pliant::math::Vec2;

use super::super::rect::Rect;
use super::super::segment::{crossing, place};
use super::super::work;
use super::contour::{ContourScratch, contour_area};
use super::meeting::Meeting;
use super::snapped::snapped_area;
use super::tree::View;

/// Most segments that strips are the first choice for: they cost the square of it, or more.
const FEW: usize = 512;

/// A segment that is not upright, from left to right.
#[derive(Clone, Copy, Debug)]
struct Slope {
    /// Its left and right end, m.
    ends: [Vec2; 2],
    /// Height over the middle of the strip, m.
    height: f64,
    /// Whose it is: 0 for a, 1 for b.
    side: usize,
}

/// Scratch memory of the strips.
#[derive(Clone, Debug, Default)]
pub(super) struct AreaScratch {
    /// Where strips begin and end, m.
    cuts: Vec<f64>,
    /// All segments that may lie over a strip, by their left ends.
    slopes: Vec<Slope>,
    /// Those over the strip, from below.
    over: Vec<Slope>,
    /// Of the sum along the boundary.
    contour: ContourScratch,
}

/// Two outlines whose common area is wanted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Overlap<'a> {
    /// The outlines.
    pub view: View<'a>,
    /// The two.
    pub sides: [usize; 2],
    /// Where their boundaries meet.
    pub meetings: &'a [Meeting],
    /// The area may be off by this, m, times the perimeters.
    pub error: f64,
}

impl Overlap<'_> {
    /// Area that both outlines cover, m².
    pub fn area(&self, scratch: &mut AreaScratch) -> f64 {
        let Overlap { view, sides, meetings, error } = *self;
        let [a, b] = sides.map(|outline| view.rect(outline));
        let window = a.common(b);
        if window.is_empty() {
            return 0.0;
        }
        scratch.slopes.clear();
        gather(view, sides, &window, &mut scratch.slopes);
        if scratch.slopes.len() <= FEW {
            return self.by_strips(&window, scratch);
        }
        contour_area(view, sides, meetings, &window, &mut scratch.contour)
            .or_else(|| snapped_area(view.outlines, sides, &a.union(b), error))
            .unwrap_or_else(|| self.by_strips(&window, scratch))
    }

    /// The same by strips over the gathered segments.
    fn by_strips(&self, window: &Rect, scratch: &mut AreaScratch) -> f64 {
        let Overlap { view, sides: [a, b], meetings, .. } = *self;
        let AreaScratch { cuts, slopes, over, .. } = scratch;
        cuts.clear();
        over.clear();
        slopes.sort_unstable_by(|p, q| p.ends[0].x.total_cmp(&q.ends[0].x));
        let inner = |x: &f64| (window.min.x..=window.max.x).contains(x);
        cuts.extend([window.min.x, window.max.x]);
        cuts.extend(slopes.iter().flat_map(|slope| slope.ends).map(|end| end.x).filter(inner));
        let mut cut = |meeting: Meeting| {
            // By index, so that it does not matter whose view the meetings are.
            let pair = [meeting.own.min(meeting.other), meeting.own.max(meeting.other)];
            let [p, q] = pair.map(|at| view.outlines.segment(at as usize));
            let at = crossing(p, q).map(|[along, _]| place(p, along).x);
            cuts.extend(at.filter(inner));
            ControlFlow::Continue(())
        };
        let own = [a, b].map(|outline| view.own_meetings(outline, window, &mut cut));
        let both = meetings.iter().try_for_each(|&meeting| cut(meeting));
        debug_assert!(own.iter().chain([&both]).all(ControlFlow::is_continue), "nothing breaks");
        cuts.sort_unstable_by(f64::total_cmp);
        let mut begun = 0;
        let strips = cuts.windows(2).filter(|strip| strip[0] < strip[1]);
        strips.map(|strip| strip_area(slopes, &mut begun, over, strip[0], strip[1])).sum()
    }
}

/// Segments over or below the window; those above it bound nothing there.
fn gather(view: View<'_>, sides: [usize; 2], window: &Rect, slopes: &mut Vec<Slope>) {
    for (side, outline) in sides.into_iter().enumerate() {
        for at in view.outlines.range(outline) {
            let [p, q] = view.outlines.segment(at);
            let ends = if p.x <= q.x { [p, q] } else { [q, p] };
            let beside = ends[1].x < window.min.x || ends[0].x > window.max.x;
            let above = p.y > window.max.y && q.y > window.max.y;
            if ends[0].x < ends[1].x && !beside && !above {
                slopes.push(Slope { ends, height: 0.0, side });
            }
        }
    }
}

/// Area of one strip; `over` holds the segments over the strip before it.
fn strip_area(
    slopes: &[Slope],
    begun: &mut usize,
    over: &mut Vec<Slope>,
    left: f64,
    right: f64,
) -> f64 {
    let middle = 0.5 * (left + right);
    let next = slopes[*begun..].iter().take_while(|slope| slope.ends[0].x < middle).count();
    over.extend(&slopes[*begun..*begun + next]);
    *begun += next;
    over.retain(|slope| slope.ends[1].x > middle);
    for at in 0..over.len() {
        work::count();
        let [p, q] = over[at].ends;
        let height = p.y + (middle - p.x) / (q.x - p.x) * (q.y - p.y);
        over[at].height = height;
        // What was sorted over the last strip nearly is over this one.
        let mut at = at;
        while at > 0 && over[at - 1].height > height {
            over.swap(at - 1, at);
            at -= 1;
        }
    }
    let (mut odd, mut sum, mut from) = ([false; 2], 0.0, 0.0);
    for slope in over.iter() {
        if odd == [true; 2] {
            sum += slope.height - from;
        }
        odd[slope.side] = !odd[slope.side];
        from = slope.height;
    }
    sum * (right - left)
}
