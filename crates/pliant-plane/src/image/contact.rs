//! Contacts and separation, from the pieces of a's boundary near b's.
//!
//! A distance reported is the least value read in a stretch, or the distance between the
//! segments that lie there where that is less. It is never above the least value, which is
//! off by at most the error, and where it is less it is the distance of two real points,
//! so not below the exact distance.
//!
//! - Implements: contact points and normals, closest point and separation of
//!   [Hoff01 §2.2.4].
//! - Erratum: [Hoff01 §2.2.4] offsets both boundaries by the threshold and so reports gaps
//!   up to twice as wide (P2); here a value is compared with the threshold:
//!   `contacts_keep_to_the_threshold`. Two closest points found apart need not belong
//!   together (P4): one field's minimum decides, `separation_is_within_the_error`.

use std::ops::Range;

use super::super::contact::{Part, common, facing, finished, gap_normal, point};
use super::super::exact::tree::View;
use super::super::field::sample::Reading;
use super::super::outline::Outlines;
use super::super::patch::Patches;
use super::super::segment::{nearest_pair, place};
use super::super::{Contact, Place, Separation};
use super::meeting::Meeting;
use super::near::Near;

/// The closest points of some pieces and b, and how far apart they are.
#[derive(Clone, Copy, Debug)]
struct Closest {
    /// Distance, m, within the error.
    gap: f64,
    /// The point on a.
    on_a: Place,
    /// The point on b.
    on_b: Place,
}

/// The closest points among pieces with their readings; `None` for no piece.
fn closest<'a>(
    outlines: &Outlines,
    pieces: impl Iterator<Item = (&'a Part, &'a Reading)>,
) -> Option<Closest> {
    let mut best: Option<([f64; 2], Closest)> = None;
    let mut least = f64::INFINITY;
    for (piece, reading) in pieces {
        least = least.min(reading.value.abs());
        let (ends, across) =
            (piece.ends(outlines), outlines.segment(reading.place.segment as usize));
        let [s, t] = nearest_pair(ends, across);
        let gap = place(ends, s).distance(place(across, t));
        if best.is_some_and(|(rank, _)| gap > rank[0]) {
            continue;
        }
        let (on_a, on_b) = (piece.at(s), Place { segment: reading.place.segment, along: t });
        let rank = [gap, facing(outlines, on_a, on_b)];
        if best.is_none_or(|(least, _)| rank < least) {
            best = Some((rank, Closest { gap, on_a, on_b }));
        }
    }
    best.map(|(_, best)| Closest { gap: best.gap.min(least), ..best })
}

/// The shortest way between two outlines that do not intersect.
pub fn separation(outlines: &Outlines, near: &Near) -> Option<Separation> {
    let Closest { gap, on_a, on_b, .. } =
        closest(outlines, near.pieces.iter().zip(&near.readings))?;
    let [on_a, on_b] = [on_a, on_b].map(|at| point(outlines, at));
    Some(Separation { distance: gap, on_a, on_b })
}

/// Where the boundary of a is near that of b.
#[derive(Clone, Copy)]
pub struct NearBoundary<'a> {
    /// The outlines, with boxes of their segments.
    pub view: View<'a>,
    /// Outlines a and b.
    pub pair: [usize; 2],
    /// Pieces of a near b, and their readings.
    pub near: &'a Near,
    /// Where the boundaries meet, along a.
    pub meetings: &'a [Meeting],
    /// The same, connected.
    pub patches: &'a Patches,
    /// Whether the outlines share a point.
    pub intersects: bool,
}

impl NearBoundary<'_> {
    /// Appends one contact for each stretch of a within `distance` of b, m.
    ///
    /// `flags` is scratch memory.
    pub fn contacts(self, distance: f64, flags: &mut Vec<Flag>, contacts: &mut Vec<Contact>) {
        let (outlines, near) = (self.view.outlines, self.near);
        flag(distance, near, self.meetings, flags);
        let joined = |before: usize, after: usize| {
            let [p, q] = [before, after].map(|at| &near.pieces[at]);
            flags[before].near && flags[after].near && follows(p, q, outlines)
        };
        let mut start = 0;
        for ring in outlines.rings(self.pair[0]) {
            let here = near.pieces[start..].partition_point(|p| (p.segment as usize) < ring.end);
            let end = start + here;
            // A stretch over the ring's first point is reported once, with its part before it.
            let around = here > 1 && joined(end - 1, start);
            let mut head = start..start;
            let mut from = start;
            for at in start..end {
                if at + 1 < end && joined(at, at + 1) {
                    continue;
                }
                let stretch = from..at + 1;
                from = at + 1;
                if around && stretch.start == start && stretch.end < end {
                    head = stretch;
                } else if flags[at].near {
                    let tail = if stretch.end == end { head.clone() } else { start..start };
                    let stretch = Stretch { parts: [stretch, tail], found: self, flags };
                    contacts.extend(stretch.contact());
                }
            }
            start = end;
        }
    }
}

/// Consecutive pieces, in two parts where they go over a ring's first point.
struct Stretch<'a> {
    /// Positions of the pieces.
    parts: [Range<usize>; 2],
    /// All pieces and meetings.
    found: NearBoundary<'a>,
    /// For each piece what is known of it.
    flags: &'a [Flag],
}

/// What is known of a piece.
#[derive(Clone, Copy, Debug)]
pub struct Flag {
    /// Whether it belongs to a stretch.
    near: bool,
    /// The first meeting on it, by position, or one past the last of all.
    meeting: usize,
}

/// Flags the pieces that are within the distance or meet b.
fn flag(distance: f64, near: &Near, meetings: &[Meeting], flags: &mut Vec<Flag>) {
    flags.clear();
    let mut next = 0;
    for (piece, reading) in near.pieces.iter().zip(&near.readings) {
        while meetings.get(next).is_some_and(|m| m.segments[0] < piece.segment) {
            next += 1;
        }
        let here = meetings[next..].iter().take_while(|m| m.segments[0] == piece.segment);
        let first = here.clone().position(|meeting| lies_on(meeting, piece));
        let meeting = first.map_or(meetings.len(), |at| next + at);
        let within = reading.value.abs() <= distance;
        flags.push(Flag { near: within || meeting < meetings.len(), meeting });
    }
}

/// Whether a meeting on a piece's segment is on the piece.
fn lies_on(meeting: &Meeting, piece: &Part) -> bool {
    let [from, to] = meeting.along[0];
    from <= piece.along[1] && to >= piece.along[0]
}

/// Whether a piece begins where another ends.
fn follows(before: &Part, after: &Part, outlines: &Outlines) -> bool {
    if before.segment == after.segment && before.along[1] == after.along[0] {
        return true;
    }
    outlines.next()[before.segment as usize] == after.segment
        && before.along[1] == 1.0
        && after.along[0] == 0.0
}

impl Stretch<'_> {
    /// The contact of the stretch.
    ///
    /// Where boundaries meet, the meeting counts at which they face each other most.
    fn contact(&self) -> Option<Contact> {
        let NearBoundary { view, near, patches, .. } = self.found;
        let outlines = view.outlines;
        let pieces = || self.indices().map(|at| (&near.pieces[at], &near.readings[at]));
        let Closest { gap, on_a, on_b } = match self.meeting() {
            Some(meeting) => meeting,
            None => closest(outlines, pieces())?,
        };
        let places = [on_a, on_b];
        let normal = patches.on(pieces().map(|(piece, _)| piece)).unwrap_or_else(|| {
            let points = places.map(|at| point(outlines, at));
            let inside = if self.found.intersects {
                view.inside(self.found.pair, points)
            } else {
                [false; 2]
            };
            gap_normal(outlines, places, inside)
        });
        let first = pieces().next()?.0.ends(outlines)[0];
        let last = pieces().next_back()?.0.ends(outlines)[1];
        finished(outlines, gap, places, normal, [first, last])
    }

    fn indices(&self) -> impl DoubleEndedIterator<Item = usize> + use<> {
        let [first, second] = self.parts.clone();
        first.chain(second)
    }

    /// The meeting on the stretch at which the boundaries face each other most.
    fn meeting(&self) -> Option<Closest> {
        let NearBoundary { view: View { outlines, .. }, near, meetings, .. } = self.found;
        let mut best: Option<(f64, Closest)> = None;
        for at in self.indices() {
            let piece = &near.pieces[at];
            let here = meetings[self.flags[at].meeting..].iter();
            let here = here.take_while(|m| m.segments[0] == piece.segment);
            let met = here.filter_map(|m| common(outlines, piece, m.segments[1], m.along));
            for [on_a, on_b] in met {
                let facing = facing(outlines, on_a, on_b);
                if best.is_none_or(|(least, _)| facing < least) {
                    best = Some((facing, Closest { gap: 0.0, on_a, on_b }));
                }
            }
        }
        best.map(|(_, meeting)| meeting)
    }
}
