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

use pliant::math::Vec2;

use super::super::contact::{Part, common, facing, finished, mean_normal, point};
use super::super::field::sample::Reading;
use super::super::outline::Outlines;
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
    /// Way out of b as read there, `None` near its medial axis; or the normal where they meet.
    direction: Option<Vec2>,
}

/// The closest points among pieces with their readings; `None` for no piece.
fn closest<'a>(
    outlines: &Outlines,
    pieces: impl Iterator<Item = (&'a Part, &'a Reading)>,
) -> Option<Closest> {
    let mut best: Option<Closest> = None;
    let mut least = f64::INFINITY;
    for (piece, reading) in pieces {
        least = least.min(reading.value.abs());
        let (ends, across) =
            (piece.ends(outlines), outlines.segment(reading.place.segment as usize));
        let [s, t] = nearest_pair(ends, across);
        let gap = place(ends, s).distance(place(across, t));
        if best.is_none_or(|best| gap < best.gap) {
            let on_b = Place { segment: reading.place.segment, along: t };
            best = Some(Closest { gap, on_a: piece.at(s), on_b, direction: reading.direction });
        }
    }
    best.map(|best| Closest { gap: best.gap.min(least), ..best })
}

/// The shortest way between two outlines that do not intersect.
pub fn separation(outlines: &Outlines, near: &Near) -> Option<Separation> {
    let Closest { gap, on_a, on_b, .. } =
        closest(outlines, near.pieces.iter().zip(&near.readings))?;
    let [on_a, on_b] = [on_a, on_b].map(|at| point(outlines, at));
    Some(Separation { distance: gap, on_a, on_b })
}

/// Where the boundary of a is near that of b.
#[derive(Clone, Copy, Debug)]
pub struct NearBoundary<'a> {
    /// Pieces of a near b, and their readings.
    pub near: &'a Near,
    /// Where the boundaries meet, along a.
    pub meetings: &'a [Meeting],
}

/// Appends one contact for each stretch of a within `distance` of b, m.
///
/// `flags` is scratch memory.
pub fn contacts(
    outlines: &Outlines,
    a: usize,
    distance: f64,
    NearBoundary { near, meetings }: NearBoundary<'_>,
    flags: &mut Vec<Flag>,
    contacts: &mut Vec<Contact>,
) {
    flag(distance, near, meetings, flags);
    let joined = |before: usize, after: usize| {
        let [p, q] = [before, after].map(|at| &near.pieces[at]);
        flags[before].near && flags[after].near && follows(p, q, outlines)
    };
    let mut start = 0;
    for ring in outlines.rings(a) {
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
                let stretch = Stretch { parts: [stretch, tail], near, meetings, flags };
                contacts.extend(stretch.contact(outlines));
            }
        }
        start = end;
    }
}

/// Consecutive pieces, in two parts where they go over a ring's first point.
struct Stretch<'a> {
    /// Positions of the pieces.
    parts: [Range<usize>; 2],
    /// All pieces and their readings.
    near: &'a Near,
    /// All meetings of the boundaries, along a.
    meetings: &'a [Meeting],
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
    /// Where boundaries meet, the meeting counts at which they face each other most, with
    /// the normal of all that the stretch and b have in common.
    fn contact(&self, outlines: &Outlines) -> Option<Contact> {
        let pieces = || self.indices().map(|at| (&self.near.pieces[at], &self.near.readings[at]));
        let Closest { gap, on_a, on_b, direction } = match self.meeting(outlines) {
            Some(meeting) => meeting,
            None => closest(outlines, pieces())?,
        };
        let first = pieces().next()?.0.ends(outlines)[0];
        let last = pieces().next_back()?.0.ends(outlines)[1];
        finished(outlines, gap, [on_a, on_b], direction, [first, last])
    }

    fn indices(&self) -> impl DoubleEndedIterator<Item = usize> + use<> {
        let [first, second] = self.parts.clone();
        first.chain(second)
    }

    /// The meeting on the stretch at which the boundaries face each other most.
    fn meeting(&self, outlines: &Outlines) -> Option<Closest> {
        let mut best: Option<(f64, Closest)> = None;
        let (mut weighted, mut length) = (Vec2::ZERO, 0.0);
        for at in self.indices() {
            let piece = &self.near.pieces[at];
            let here = self.meetings[self.flags[at].meeting..].iter();
            let here = here.take_while(|m| m.segments[0] == piece.segment);
            for met in here.filter_map(|m| common(outlines, piece, m.segments[1], m.along)) {
                // Pieces do not overlap: a meeting over several adds up to its length.
                weighted += met.weighted;
                length += met.length;
                let [on_a, on_b] = met.places;
                let facing = facing(outlines, on_a, on_b);
                if best.is_none_or(|(least, _)| facing < least) {
                    best = Some((facing, Closest { gap: 0.0, on_a, on_b, direction: None }));
                }
            }
        }
        let direction = mean_normal(weighted, length);
        best.map(|(_, meeting)| Closest { direction, ..meeting })
    }
}
