//! Where boundaries touch: one contact for each stretch of a's boundary near b's.

use std::ops::Range;

use crate::math::Vec2;

use super::super::brute::{Spot, direction, near_one, outward};
use super::super::segment::{nearest_pair, place};
use super::super::{Contact, Place};
use super::nearest::Pending;
use super::tree::{View, padded};

/// A part of one segment of a near b.
#[derive(Clone, Copy, Debug)]
struct Near {
    /// The segment of a.
    segment: usize,
    /// Where the part begins and ends, as shares of the segment's way.
    along: [f64; 2],
}

/// Memory of the search for contacts.
#[derive(Clone, Debug, Default)]
pub(super) struct ContactScratch {
    /// Parts of one segment near one of b each, as shares of its way.
    shares: Vec<[f64; 2]>,
    /// Parts of a ring near b, along it.
    parts: Vec<Near>,
    /// Ranges of the parts that hang together.
    stretches: Vec<Range<usize>>,
    /// Nodes still to be looked at.
    pending: Pending,
}

/// The best of a stretch so far: its rank, its part and segment of b, and the places.
type Best = ([f64; 2], [usize; 2], [Place; 2]);

impl View<'_> {
    /// Adds one contact for each stretch of a's boundary within `distance`, m, of b's.
    pub fn contacts(
        &self,
        [a, b]: [usize; 2],
        distance: f64,
        scratch: &mut ContactScratch,
        contacts: &mut Vec<Contact>,
    ) {
        for ring in self.outlines.rings(a) {
            scratch.parts.clear();
            scratch.stretches.clear();
            for segment in ring.clone() {
                self.near(segment, b, distance, scratch);
            }
            let (parts, stretches) = (&scratch.parts, &scratch.stretches);
            // The last stretch goes on as the first where they meet at the ring's first point.
            let [first, last] = [parts.first(), parts.last()];
            let around = stretches.len() > 1
                && first.is_some_and(|p| p.segment == ring.start && p.along[0] == 0.0)
                && last.is_some_and(|p| p.segment + 1 == ring.end && p.along[1] == 1.0);
            let count = stretches.len() - usize::from(around);
            for (number, stretch) in stretches[..count].iter().enumerate() {
                let before = if around && number == 0 { stretches[count].clone() } else { 0..0 };
                let found =
                    self.contact(parts, before.chain(stretch.clone()), b, &mut scratch.pending);
                contacts.extend(found);
            }
        }
    }

    /// Adds the parts of a segment near b, joined to those before where they hang together.
    fn near(&self, segment: usize, b: usize, distance: f64, scratch: &mut ContactScratch) {
        let ContactScratch { shares, parts, stretches, pending } = scratch;
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
        shares.sort_unstable_by(|p, q| p[0].total_cmp(&q[0]).then(p[1].total_cmp(&q[1])));
        let mut end = f64::NEG_INFINITY;
        for &share in shares.iter() {
            if share[0] <= end {
                end = end.max(share[1]);
                if let Some(last) = parts.last_mut() {
                    last.along[1] = end;
                }
                continue;
            }
            end = share[1];
            let joined = share[0] == 0.0
                && parts.last().is_some_and(|p| p.along[1] == 1.0 && p.segment + 1 == segment);
            parts.push(Near { segment, along: share });
            match stretches.last_mut() {
                Some(stretch) if joined => stretch.end = parts.len(),
                _ => stretches.push(parts.len() - 1..parts.len()),
            }
        }
    }

    /// The contact of a stretch: where it is nearest to b.
    ///
    /// Of places equally near the one whose boundaries face each other most counts.
    fn contact(
        &self,
        parts: &[Near],
        stretch: impl Iterator<Item = usize> + Clone,
        b: usize,
        pending: &mut Pending,
    ) -> Option<Contact> {
        let segment = |at: Place| self.outlines.segment(at.segment as usize);
        let ends_of = |part: usize| {
            let Near { segment, along } = parts[part];
            along.map(|along| place(self.outlines.segment(segment), along))
        };
        let mut best: Option<Best> = None;
        for (order, part) in stretch.clone().enumerate() {
            let ends = ends_of(part);
            let most_sq =
                |best: &Option<Best>| best.map_or(f64::INFINITY, |(rank, ..)| rank[0] * rank[0]);
            // The part's ends are places themselves, and may lie beside its segment.
            let rect = padded(ends);
            self.around(b, &rect, most_sq(&best), pending, |at| {
                self.nearer(parts[part], ends, [order, at], &mut best);
                most_sq(&best)
            });
        }
        let ([gap, _], _, [on_a, on_b]) = best?;
        let [on_a_at, on_b_at] = [on_a, on_b].map(|at| place(segment(at), at.along));
        let inside = self.spot(b, on_a_at) == Spot::Inside;
        let way = if inside { on_b_at - on_a_at } else { on_a_at - on_b_at };
        let normal = direction(way, on_a_at).or_else(|| outward(self.outlines, on_b))?;
        let stretch = [ends_of(stretch.clone().next()?)[0], ends_of(stretch.last()?)[1]];
        Some(Contact { position: on_a_at.midpoint(on_b_at), normal, gap, on_a, on_b, stretch })
    }

    /// Takes the places of a part and a segment of b if they rank before the best.
    fn nearer(&self, part: Near, p: [Vec2; 2], [order, at]: [usize; 2], best: &mut Option<Best>) {
        let q = self.outlines.segment(at);
        let [s, t] = nearest_pair(p, q);
        let gap = place(p, s).distance(place(q, t));
        if best.is_some_and(|(rank, ..)| gap > rank[0]) {
            return;
        }
        let along = part.along[0] + s * (part.along[1] - part.along[0]);
        let on_a = Place { segment: part.segment as u32, along };
        let on_b = Place { segment: at as u32, along: t };
        let normals = outward(self.outlines, on_a).zip(outward(self.outlines, on_b));
        let rank = [gap, normals.map_or(1.0, |(of_a, of_b)| of_a.dot(of_b))];
        let number = [order, at];
        if best.is_none_or(|(least, first, _)| rank < least || (rank == least && number < first)) {
            *best = Some((rank, number, [on_a, on_b]));
        }
    }
}
