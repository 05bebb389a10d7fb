//! How deep boundary points are, read off the other outline's field.
//!
//! Which points are inside is exact; their depth and direction are those of the field.
//!
//! - Implements: penetration depth and direction of [Hoff01 §2.2.4].

use pliant::math::Vec2;

use super::super::boundary::{self, PointLocation, direction, outward};
use super::super::exact::tree::View;
use super::super::field::sample::Reading;
use super::super::outline::Outlines;
use super::super::samples::{self, MOST_SAMPLES};
use super::super::segment::place;
use super::super::{Penetration, Place, ProximityQuery, ProximityResult, Side};
use super::Scratch;
use super::meeting::Meeting;
use super::probe::Probes;

/// Appends the vertices and samples of both inside the other.
///
/// The scratch holds the meetings of the boundaries.
pub(super) fn penetrations(
    view: View<'_>,
    pair: [usize; 2],
    question: &ProximityQuery,
    scratch: &mut Scratch,
    answer: &mut ProximityResult,
) {
    let outlines = view.outlines;
    let mut asked = 0.0;
    for (side, of) in [Side::A, Side::B].into_iter().enumerate() {
        let other = pair[1 - side];
        cuts(&scratch.meetings, side, &mut scratch.cuts);
        asked += collect(view, [pair[side], other], question, asked, scratch);
        let Scratch { probes, places, .. } = scratch;
        probes.read(view, other, question.error, f64::INFINITY);
        for (index, &at) in places.iter().enumerate() {
            let found = penetration(outlines, other, question.error, probes, index);
            let position = probes.points[index];
            // A sample of a border that both share is inside by rounding alone.
            let leaves = |out: Place| {
                let exit = place(outlines.segment(out.segment as usize), out.along);
                at.along == 0.0 || direction(exit - position, position).is_some()
            };
            let found = found.filter(|&(_, _, out)| leaves(out));
            answer.penetration.extend(found.map(|(depth, direction, out)| Penetration {
                of,
                at,
                position,
                depth,
                direction,
                out,
            }));
        }
    }
    samples::describe(asked, question.error, answer);
}

/// Where the segments of one side meet the other boundary, by segment and along it.
fn cuts(meetings: &[Meeting], side: usize, cuts: &mut Vec<(u32, f64)>) {
    cuts.clear();
    for meeting in meetings {
        cuts.extend(meeting.along[side].map(|along| (meeting.segments[side], along)));
    }
    cuts.sort_unstable_by(|p, q| p.0.cmp(&q.0).then(p.1.total_cmp(&q.1)));
}

/// Lists the points of one outline inside the other; returns the samples required.
fn collect(
    view: View<'_>,
    [own, other]: [usize; 2],
    question: &ProximityQuery,
    asked_before: f64,
    scratch: &mut Scratch,
) -> f64 {
    let outlines = view.outlines;
    let Scratch { probes, places, cuts, .. } = scratch;
    probes.points.clear();
    places.clear();
    let inside = |point: Vec2| view.spot(other, point) == PointLocation::Inside;
    let (mut asked, mut next_cut) = (0.0, 0);
    for at in outlines.range(own) {
        let ends = outlines.segment(at);
        let mut push = |point: Vec2, along: f64| {
            probes.points.push(point);
            places.push(Place { segment: at as u32, along });
        };
        if question.flags.vertices && inside(ends[0]) {
            push(ends[0], 0.0);
        }
        let first_cut = next_cut;
        while cuts.get(next_cut).is_some_and(|cut| cut.0 as usize == at) {
            next_cut += 1;
        }
        let length = ends[0].distance(ends[1]);
        if !question.flags.samples || samples::parts(length, question.error) == 1.0 {
            continue;
        }
        let mut from = 0.0;
        for to in cuts[first_cut..next_cut].iter().map(|cut| cut.1).chain([1.0]) {
            let parts = samples::parts((to - from) * length, question.error);
            if parts > 1.0 && inside(place(ends, 0.5 * (from + to))) {
                asked += parts - 1.0;
                if asked_before + asked <= MOST_SAMPLES as f64 {
                    let part = (to - from) / parts;
                    for along in (1..parts as usize).map(|k| from + k as f64 * part) {
                        let point = place(ends, along);
                        // On a border that both share, rounding alone puts points inside.
                        if inside(point) {
                            push(point, along);
                        }
                    }
                }
            }
            from = to;
        }
    }
    asked
}

/// Depth, direction and way out of a point that is inside.
fn penetration(
    outlines: &Outlines,
    other: usize,
    error: f64,
    probes: &Probes,
    index: usize,
) -> Option<(f64, Vec2, Place)> {
    let point = probes.points[index];
    let Some(Reading { value, direction, place: out }) = probes.readings[index] else {
        // Pixels below the last digit of the coordinates: no image can be read.
        return boundary::penetration(outlines, other, point);
    };
    let exit = place(outlines.segment(out.segment as usize), out.along);
    let depth = if value < 0.0 {
        -value
    } else {
        // Read as outside, the point is not deeper than the error.
        exit.distance(point).clamp(f64::MIN_POSITIVE, error)
    };
    let way = direction.or_else(|| (exit - point).try_normalize());
    Some((depth, way.or_else(|| outward(outlines, out))?, out))
}
