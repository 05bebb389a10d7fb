//! Contacts from the pairs of segments that the GPU found near each other.
//!
//! The same as the plain twin finds by asking all: a stretch ends where the boundaries are
//! farther apart than asked, so nothing but what is near can begin, end or decide it.

use std::ops::Range;

use pliant::proximity2d::brute::{self, Spot};
use pliant::proximity2d::outline::Outlines;
use pliant::proximity2d::segment::{nearest_pair, place};
use pliant::proximity2d::{Answer, Contact, Pair, Place};

use crate::depths::Candidate;

/// A part of one segment of a near b.
#[derive(Clone, Copy, Debug)]
struct Near {
    /// The segment of a, an index.
    segment: u32,
    /// Where the part begins and ends, as shares of the segment's way, no unit.
    along: [f64; 2],
}

/// One contact for each stretch of a's boundary within `distance` of b's.
///
/// `list` holds all segments that may be as near, sorted by a's.
pub fn contacts(
    outlines: &Outlines,
    pair: Pair,
    distance: f64,
    list: &[Candidate],
    answer: &mut Answer,
) {
    let b = pair.b as usize;
    for ring in outlines.rings(pair.a as usize) {
        let from = list.partition_point(|near| (near.own as usize) < ring.start);
        let to = list.partition_point(|near| (near.own as usize) < ring.end);
        let mut stretches: Vec<Vec<Near>> = Vec::new();
        for near in list[from..to].chunk_by(|p, q| p.own == q.own) {
            for part in parts(outlines, near, distance) {
                let follows = |before: &Near| {
                    before.along[1] == 1.0
                        && part.along[0] == 0.0
                        && before.segment + 1 == part.segment
                };
                match stretches.last_mut() {
                    Some(stretch) if stretch.last().is_some_and(follows) => stretch.push(part),
                    _ => stretches.push(vec![part]),
                }
            }
        }
        join_around(&mut stretches, &ring);
        let list = &list[from..to];
        let found = stretches.iter().filter_map(|stretch| contact(outlines, stretch, list, b));
        answer.contacts.extend(found);
    }
}

/// The parts of one segment of a within `distance` of b, in order, apart from each other.
fn parts(outlines: &Outlines, near: &[Candidate], distance: f64) -> Vec<Near> {
    let ends = outlines.segment(near[0].own as usize);
    let one =
        |near: &Candidate| brute::near_one(ends, outlines.segment(near.other as usize), distance);
    let mut all: Vec<[f64; 2]> = near.iter().filter_map(one).collect();
    all.sort_by(|p, q| p[0].total_cmp(&q[0]));
    let mut merged: Vec<Near> = Vec::new();
    for along in all {
        match merged.last_mut() {
            Some(Near { along: last, .. }) if along[0] <= last[1] => {
                last[1] = last[1].max(along[1])
            }
            _ => merged.push(Near { segment: near[0].own, along }),
        }
    }
    merged
}

/// Joins the last stretch of a ring to the first where they meet at its first point.
fn join_around(stretches: &mut Vec<Vec<Near>>, ring: &Range<usize>) {
    let first = stretches.first().and_then(|stretch| stretch.first());
    let last = stretches.last().and_then(|stretch| stretch.last());
    let around = first
        .is_some_and(|first| first.segment as usize == ring.start && first.along[0] == 0.0)
        && last.is_some_and(|last| last.segment as usize + 1 == ring.end && last.along[1] == 1.0);
    if around && stretches.len() > 1 {
        let mut joined = stretches.pop().unwrap_or_default();
        joined.append(&mut stretches[0]);
        stretches[0] = joined;
    }
}

/// The contact of a stretch: where it is nearest to b, and of those where they face most.
fn contact(outlines: &Outlines, stretch: &[Near], list: &[Candidate], b: usize) -> Option<Contact> {
    let point = |at: Place| place(outlines.segment(at.segment as usize), at.along);
    let ends_of =
        |part: &Near| part.along.map(|along| point(Place { segment: part.segment, along }));
    let facing = |on_a: Place, on_b: Place| {
        let normals = brute::outward(outlines, on_a).zip(brute::outward(outlines, on_b));
        normals.map_or(1.0, |(of_a, of_b)| of_a.dot(of_b))
    };
    let mut best: Option<([f64; 2], Place, Place)> = None;
    for part in stretch {
        let from = list.partition_point(|near| near.own < part.segment);
        for near in list[from..].iter().take_while(|near| near.own == part.segment) {
            let (p, q) = (ends_of(part), outlines.segment(near.other as usize));
            let [s, t] = nearest_pair(p, q);
            let along = part.along[0] + s * (part.along[1] - part.along[0]);
            let on_a = Place { segment: part.segment, along };
            let on_b = Place { segment: near.other, along: t };
            let rank = [place(p, s).distance(place(q, t)), facing(on_a, on_b)];
            if best.is_none_or(|(least, ..)| rank < least) {
                best = Some((rank, on_a, on_b));
            }
        }
    }
    let ([gap, _], on_a, on_b) = best?;
    let [on_a_at, on_b_at] = [on_a, on_b].map(point);
    let inside = brute::spot(outlines, b, on_a_at) == Spot::Inside;
    let way = if inside { on_b_at - on_a_at } else { on_a_at - on_b_at };
    let normal = brute::direction(way, on_a_at).or_else(|| brute::outward(outlines, on_b))?;
    let stretch = [ends_of(stretch.first()?)[0], ends_of(stretch.last()?)[1]];
    Some(Contact { position: on_a_at.midpoint(on_b_at), normal, gap, on_a, on_b, stretch })
}
