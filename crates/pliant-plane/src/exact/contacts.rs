//! Where boundaries touch: one contact for each stretch of a's boundary near b's.

use super::super::Contact;
use super::super::contact::{Nearest, Stretch, Stretches};
use super::super::segment::near_one;
use super::nearest::Pending;
use super::tree::{View, padded};

/// Scratch memory of the search for contacts.
#[derive(Clone, Debug, Default)]
pub(super) struct ContactScratch {
    /// Parts of one segment near one of b each, as shares of its way.
    shares: Vec<[f64; 2]>,
    /// Parts of a ring near b, joined.
    stretches: Stretches,
    /// Where the current stretch is nearest to b.
    nearest: Nearest,
    /// Nodes still to be visited.
    pending: Pending,
}

impl View<'_> {
    /// Adds one contact for each stretch of a's boundary within `distance`, m, of b's.
    pub(super) fn contacts(
        &self,
        [a, b]: [usize; 2],
        distance: f64,
        scratch: &mut ContactScratch,
        contacts: &mut Vec<Contact>,
    ) {
        for ring in self.outlines.rings(a) {
            scratch.stretches.clear();
            for segment in ring.clone() {
                self.near(segment, b, distance, scratch);
            }
            let ContactScratch { stretches, nearest, pending, .. } = scratch;
            let found = stretches.around(&ring);
            contacts.extend(found.filter_map(|stretch| self.contact(stretch, b, nearest, pending)));
        }
    }

    /// Adds the parts of a segment near b.
    fn near(&self, segment: usize, b: usize, distance: f64, scratch: &mut ContactScratch) {
        let ContactScratch { shares, stretches, pending, .. } = scratch;
        let ends = self.outlines.segment(segment);
        shares.clear();
        let all = |share: &[f64; 2]| *share == [0.0, 1.0];
        self.around(b, &padded(ends), distance * distance, pending, |at| {
            // Once all of the segment is near, the rest of b does not matter.
            if shares.last().is_some_and(all) {
                return -1.0;
            }
            shares.extend(near_one(ends, self.outlines.segment(at), distance));
            if shares.last().is_some_and(all) { -1.0 } else { distance * distance }
        });
        stretches.add(segment, shares);
    }

    /// The contact of a stretch: where it is nearest to b.
    fn contact(
        &self,
        stretch: Stretch<'_>,
        b: usize,
        nearest: &mut Nearest,
        pending: &mut Pending,
    ) -> Option<Contact> {
        nearest.clear();
        for (order, part) in stretch.parts().enumerate() {
            let ends = part.ends(self.outlines);
            // The part's ends are places themselves, and may lie beside its segment.
            let rect = padded(ends);
            self.around(b, &rect, nearest.gap() * nearest.gap(), pending, |at| {
                nearest.offer(self.outlines, part, ends, [order, at]);
                nearest.gap() * nearest.gap()
            });
        }
        nearest.contact(self.outlines, stretch, |point| self.spot(b, point))
    }
}
