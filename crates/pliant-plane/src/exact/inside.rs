//! What of one boundary is inside the other outline, and how deep.
//!
//! Along a boundary, inside turns to outside only where it meets the other boundary: a
//! crossing always turns it, after a touch the next vertex is tested. So a ray is cast once
//! for each ring, and vertices outside cost nothing.

use pliant::math::Vec2;

use super::super::boundary::{PointLocation, direction, outward};
use super::super::samples::{self, MOST_SAMPLES};
use super::super::segment::{crossing, nearest_along, place};
use super::super::{Penetration, Place, ProximityQuery, ProximityResult, Side};
use super::meeting::{Kind, Meeting};
use super::nearest::Pending;
use super::tree::View;

/// Consecutive segments of a ring whose first ends all have the same location.
#[derive(Clone, Debug)]
struct Run<'a> {
    /// First segment.
    first: usize,
    /// One past the last; one segment where the run meets the other outline.
    end: usize,
    /// Where the vertices are.
    spot: PointLocation,
    /// Where the segment meets the other outline, by segments of that.
    meetings: &'a [Meeting],
}

/// Scratch memory of the depth queries.
#[derive(Clone, Debug, Default)]
pub(super) struct DepthScratch {
    /// Nodes still to be visited.
    pub pending: Pending,
    /// Shares of a segment at which it meets the other outline.
    cuts: Vec<f64>,
}

/// Walks the boundary of `own`, whose meetings with `other` are sorted along it.
///
/// Runs that are wholly outside are left out. Returns whether any ring begins inside.
fn runs(
    view: View<'_>,
    [own, other]: [usize; 2],
    mut meetings: &[Meeting],
    mut visit: impl FnMut(Run<'_>),
) -> bool {
    let points = view.outlines.points();
    let mut any_inside = false;
    for ring in view.outlines.rings(own) {
        let mut spot = view.spot(other, points[ring.start]);
        any_inside |= spot == PointLocation::Inside;
        let mut first = ring.start;
        while let Some(segment) = meetings.first().map(|meeting| meeting.own as usize)
            && segment < ring.end
        {
            let count = meetings.iter().take_while(|m| m.own as usize == segment).count();
            let (here, rest) = meetings.split_at(count);
            meetings = rest;
            if spot == PointLocation::Inside && first < segment {
                visit(Run { first, end: segment, spot, meetings: &[] });
            }
            visit(Run { first: segment, end: segment + 1, spot, meetings: here });
            first = segment + 1;
            if first < ring.end {
                spot = match spot {
                    _ if here.iter().any(|m| m.kind == Kind::AtEnd) => {
                        view.spot(other, points[first])
                    }
                    PointLocation::Inside if count % 2 == 1 => PointLocation::Outside,
                    PointLocation::Outside if count % 2 == 1 => PointLocation::Inside,
                    same => same,
                };
            }
        }
        if spot == PointLocation::Inside && first < ring.end {
            visit(Run { first, end: ring.end, spot, meetings: &[] });
        }
    }
    any_inside
}

/// Whether a ring of `own` begins inside `other`.
pub(super) fn begins_inside(view: View<'_>, own: usize, other: usize) -> bool {
    let points = view.outlines.points();
    view.outlines
        .rings(own)
        .any(|ring| view.spot(other, points[ring.start]) == PointLocation::Inside)
}

/// Collects the depths of one pair.
#[derive(Debug)]
pub(super) struct Depths<'a> {
    /// The outlines.
    pub view: View<'a>,
    /// The query.
    pub question: &'a ProximityQuery,
    /// The result, to which the depths are added.
    pub answer: &'a mut ProximityResult,
    /// Scratch memory.
    pub scratch: &'a mut DepthScratch,
    /// Number of samples that the error bound requires so far.
    pub asked: f64,
}

impl Depths<'_> {
    /// Adds the depths of one side's points; returns whether a ring of it begins inside.
    pub fn of_side(&mut self, of: Side, sides: [usize; 2], meetings: &[Meeting]) -> bool {
        let view = self.view;
        let [own, other] = sides;
        let mut guess = view.outlines.range(other).start as u32;
        runs(view, [own, other], meetings, |run| {
            guess = run.meetings.first().map_or(guess, |meeting| meeting.other);
            for at in run.first..run.end {
                if self.question.flags.vertices && run.spot == PointLocation::Inside {
                    let vertex = Place { segment: at as u32, along: 0.0 };
                    self.push(of, other, vertex, view.outlines.segment(at)[0], &mut guess);
                }
                if self.question.flags.samples {
                    self.samples(of, other, at, run.meetings, &mut guess);
                }
            }
        })
    }

    /// Adds the depth of the point at a place, inside `other`; `position` in m.
    fn push(&mut self, of: Side, other: usize, at: Place, position: Vec2, guess: &mut u32) {
        let (out, depth) = self.view.nearest(other, position, *guess, &mut self.scratch.pending);
        *guess = out.segment;
        let exit = place(self.view.outlines.segment(out.segment as usize), out.along);
        let way = direction(exit - position, position);
        if way.is_none() && at.along != 0.0 {
            // A sample of a border that both share is inside by rounding alone.
            return;
        }
        let Some(direction) = way.or_else(|| outward(self.view.outlines, out)) else { return };
        self.answer.penetration.push(Penetration { of, at, position, depth, direction, out });
    }

    /// Adds samples of what is inside of a segment.
    fn samples(
        &mut self,
        of: Side,
        other: usize,
        segment: usize,
        meetings: &[Meeting],
        guess: &mut u32,
    ) {
        let ends = self.view.outlines.segment(segment);
        let way = ends[0].distance(ends[1]);
        let parts_of = |share: f64| samples::parts(share * way, self.question.error);
        if parts_of(1.0) == 1.0 {
            return;
        }
        let mut cuts = std::mem::take(&mut self.scratch.cuts);
        cuts.clear();
        cuts.extend([0.0, 1.0]);
        for meeting in meetings {
            let across = self.view.outlines.segment(meeting.other as usize);
            match crossing(ends, across) {
                Some([along, _]) => cuts.push(along),
                None => cuts.extend(across.map(|end| nearest_along(ends, end))),
            }
        }
        cuts.sort_unstable_by(f64::total_cmp);
        for cut in cuts.windows(2).filter(|cut| cut[1] > cut[0]) {
            let parts = parts_of(cut[1] - cut[0]);
            let middle = place(ends, 0.5 * (cut[0] + cut[1]));
            if parts == 1.0 || self.view.spot(other, middle) != PointLocation::Inside {
                continue;
            }
            self.asked += parts - 1.0;
            if self.asked > MOST_SAMPLES as f64 {
                continue;
            }
            for k in 1..parts as usize {
                let along = cut[0] + k as f64 * ((cut[1] - cut[0]) / parts);
                let position = place(ends, along);
                if self.view.spot(other, position) == PointLocation::Inside {
                    let at = Place { segment: segment as u32, along };
                    self.push(of, other, at, position, guess);
                }
            }
        }
        self.scratch.cuts = cuts;
    }

    /// Adds a notice where samples were left out.
    pub fn finish(self) {
        samples::describe(self.asked, self.question.error, self.answer);
    }
}
