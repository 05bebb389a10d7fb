//! Where boundaries touch: one contact for each stretch of a's boundary near b's.

use pliant::math::Vec2;

use super::super::ProximityResult;
use super::super::boundary::PointLocation;
use super::super::contact::{Nearest, Stretch, Stretches};
use super::super::patch::Patches;
use super::super::segment::near_one;
use super::nearest::Pending;
use super::tree::View;

/// Rounding of a share of a segment, relative to it: far above what there is.
const SLACK: f64 = 1e-12;

/// Scratch memory of the search for contacts.
#[derive(Clone, Debug, Default)]
pub(super) struct ContactScratch {
    /// Parts of one segment near one of b each, as shares of its way.
    shares: Vec<[f64; 2]>,
    /// Segment of b that all of the segment before was near to.
    covering: Option<usize>,
    /// Parts of a ring near b, joined.
    stretches: Stretches,
    /// Where the current stretch is nearest to b.
    nearest: Nearest,
    /// Nodes still to be visited.
    pending: Pending,
    /// Where the boundaries meet; empty for outlines that are apart.
    pub patches: Patches,
}

impl View<'_> {
    /// Adds one contact for each stretch of a's boundary within `distance`, m, of b's.
    pub(super) fn contacts(
        &self,
        [a, b]: [usize; 2],
        distance: f64,
        scratch: &mut ContactScratch,
        answer: &mut ProximityResult,
    ) {
        let ProximityResult { intersects, contacts, .. } = answer;
        for ring in self.outlines.rings(a) {
            scratch.stretches.clear();
            scratch.covering = None;
            for segment in ring.clone() {
                self.near(segment, b, distance, scratch);
            }
            let ContactScratch { stretches, nearest, pending, patches, .. } = scratch;
            let found = stretches.around(&ring);
            contacts.extend(found.filter_map(|stretch| {
                self.nearest_to(stretch, b, nearest, pending);
                nearest.contact(self.outlines, stretch, patches, |points| {
                    if *intersects { self.inside([a, b], points) } else { [false; 2] }
                })
            }));
        }
    }

    /// Adds the parts of a segment near b.
    fn near(&self, segment: usize, b: usize, distance: f64, scratch: &mut ContactScratch) {
        let ContactScratch { shares, covering, stretches, pending, .. } = scratch;
        let ends = self.outlines.segment(segment);
        shares.clear();
        // Part of the segment that is known to be near: no other segment adds to it.
        let mut known: Option<[f64; 2]> = None;
        let mut likely = covering.take();
        let mut look = |at: usize| {
            let across = self.outlines.segment(at);
            let adds = |[from, to]: [f64; 2]| {
                let [low, high] = reach(ends, across, distance);
                low < from || high > to
            };
            if known.is_none_or(adds)
                && let Some(share) = near_one(ends, across, distance)
            {
                shares.push(share);
                if share == [0.0, 1.0] {
                    *covering = Some(at);
                }
                known = Some(match known {
                    Some([from, to]) if share[0] <= to && from <= share[1] => {
                        [from.min(share[0]), to.max(share[1])]
                    }
                    Some(known) => known,
                    None => share,
                });
            }
            // Once all of the segment is near, the rest of b does not matter.
            if known == Some([0.0, 1.0]) { -1.0 } else { distance * distance }
        };
        // Where much of b is near, what covered the segment before is likely to cover this one.
        self.around(b, ends, distance * distance, pending, |at| {
            let most_sq = likely.take().map_or(0.0, &mut look);
            if most_sq < 0.0 { most_sq } else { look(at) }
        });
        stretches.add(segment, shares);
    }

    /// Offers what of b may be nearest to a stretch.
    fn nearest_to(
        &self,
        stretch: Stretch<'_>,
        b: usize,
        nearest: &mut Nearest,
        pending: &mut Pending,
    ) {
        nearest.clear();
        for (order, part) in stretch.parts().enumerate() {
            let ends = part.ends(self.outlines);
            self.around(b, ends, nearest.gap() * nearest.gap(), pending, |at| {
                nearest.offer(self.outlines, part, ends, [order, at]);
                nearest.gap() * nearest.gap()
            });
        }
    }

    /// Whether a point of a is inside b, and one of b inside a.
    pub fn inside(&self, [a, b]: [usize; 2], [on_a, on_b]: [Vec2; 2]) -> [bool; 2] {
        let inside = |outline: usize, point: Vec2| {
            self.rect(outline).contains(point) && self.spot(outline, point) == PointLocation::Inside
        };
        [inside(b, on_a), inside(a, on_b)]
    }
}

/// Shares of a segment between which it can be within a distance, m, of another.
fn reach([a, b]: [Vec2; 2], across: [Vec2; 2], distance: f64) -> [f64; 2] {
    let way = b - a;
    let length_sq = way.length_squared();
    if length_sq.is_normal() {
        let [s, t] = across.map(|end| (end - a).dot(way) / length_sq);
        // What lies aside by much reaches along by less.
        let aside_sq =
            across.map(|end| way.perp_dot(end - a)).map(|turn| turn * turn.abs() / length_sq);
        let aside_sq = if aside_sq[0] * aside_sq[1] > 0.0 {
            aside_sq[0].abs().min(aside_sq[1].abs())
        } else {
            0.0
        };
        let along_sq = distance * distance * (1.0 + SLACK) - aside_sq * (1.0 - SLACK);
        let margin = (along_sq.max(0.0) / length_sq).sqrt();
        let slack = SLACK * (1.0 + s.abs().max(t.abs()) + margin);
        [s.min(t) - margin - slack, s.max(t) + margin + slack].map(|share| share.clamp(0.0, 1.0))
    } else {
        [0.0, 1.0]
    }
}
