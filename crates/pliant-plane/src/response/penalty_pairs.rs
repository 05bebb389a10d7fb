//! The exit direction of what is inside another outline.
//!
//! A point near the boundary leaves by the shortest way. Of bodies that overlap deep, the
//! shortest ways of single points lead to all sides and hold the body where it is. So each
//! stretch of a boundary inside the other has one way of its own, the one along which the area
//! that both cover shrinks fastest: across the chord from where it goes in to where it comes
//! out. Points whose shortest way leads against it leave along it instead.
//!
//! | here    | meaning                                                               |
//! |---------|-----------------------------------------------------------------------|
//! | `Event` | where the boundary crosses the other's                                |
//! | chord   | from one event to the next along the boundary; ∫ n ds is across it    |
//! | `PenaltyForce`  | a point, its way out, and where on the other's boundary it comes out  |

use crate::outline::Outlines;
use crate::rect::Rect;
use crate::segment::{crossing, meet, place};
use crate::{Pair, Penetration, Place, ProximityResult, Side};
use pliant::math::Vec2;

/// Cosine below which a shortest way leads against that of its stretch.
const AGAINST: f64 = -0.2;

/// A chord below this, relative to the coordinates, is rounding and names no direction.
const NO_CHORD: f64 = 1e-12;

/// A point inside another outline, and how it gets out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PenaltyForce {
    /// Where on its own boundary it is.
    pub at: Place,
    /// Where on the other's it comes out.
    pub out: Place,
    /// Way to go, m, above zero.
    pub depth: f64,
    /// Unit vector of that way.
    pub direction: Vec2,
}

/// Where a boundary crosses that of the other.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Event {
    /// Its own segment.
    segment: u32,
    /// Share of the segment before it.
    along: f64,
    /// m.
    position: Vec2,
}

/// Finds exit directions; keeps its memory.
#[derive(Clone, Debug, Default)]
pub struct PenaltyPairs {
    /// Of the first outline of a pair, then of the second, along the rings.
    events: [Vec<Event>; 2],
    /// Segments of the second that may be crossed.
    candidates: Vec<usize>,
}

impl PenaltyPairs {
    /// Appends the ways out of all points of a pair, in the order of the result.
    ///
    /// `boxes` are around the two outlines, m.
    pub fn find(
        &mut self,
        outlines: &Outlines,
        pair: Pair,
        boxes: [Rect; 2],
        answer: &ProximityResult,
        pushes: &mut Vec<PenaltyForce>,
    ) {
        if answer.penetration.is_empty() {
            return;
        }
        self.cross(outlines, pair, boxes);
        let sides = [pair.a, pair.b].map(|outline| outline as usize);
        for (side, of) in [Side::A, Side::B].into_iter().enumerate() {
            let (own, other) = (sides[side], sides[1 - side]);
            for ring in outlines.rings(own) {
                let inside =
                    |p: &&Penetration| p.of == of && ring.contains(&(p.at.segment as usize));
                let ends = [ring.start as u32, ring.end as u32];
                let events = within(&self.events[side], ends);
                let points = || answer.penetration.iter().filter(inside);
                let least = points().reduce(|a, b| if b.depth < a.depth { b } else { a });
                for point in points() {
                    let common = match events {
                        [] => least.map(|least| least.direction),
                        events => across(events, point.at),
                    };
                    pushes.push(way(outlines, other, point, common));
                }
            }
        }
    }

    /// Finds where the boundaries of a pair cross.
    fn cross(&mut self, outlines: &Outlines, pair: Pair, [of_a, of_b]: [Rect; 2]) {
        let PenaltyPairs { events: [on_a, on_b], candidates } = self;
        on_a.clear();
        on_b.clear();
        candidates.clear();
        let near = |ends: [Vec2; 2], other: &Rect| Rect::of(ends).meets(other);
        let all = outlines.range(pair.b as usize);
        candidates.extend(all.filter(|at| near(outlines.segment(*at), &of_a)));
        for at_a in outlines.range(pair.a as usize) {
            let a = outlines.segment(at_a);
            if !near(a, &of_b) {
                continue;
            }
            for &at_b in &*candidates {
                let b = outlines.segment(at_b);
                // Segments that lie on each other neither go in nor come out there.
                if let Some([s, t]) = meet(a, b).then(|| crossing(a, b)).flatten() {
                    let position = place(a, s);
                    on_a.push(Event { segment: at_a as u32, along: s, position });
                    on_b.push(Event { segment: at_b as u32, along: t, position });
                }
            }
        }
        for events in [on_a, on_b] {
            events.sort_by(|p, q| p.segment.cmp(&q.segment).then(p.along.total_cmp(&q.along)));
        }
    }
}

/// The events on the segments of a ring.
fn within(events: &[Event], [start, end]: [u32; 2]) -> &[Event] {
    let first = events.partition_point(|event| event.segment < start);
    let last = events.partition_point(|event| event.segment < end);
    &events[first..last]
}

/// Unit vector across the chord of the stretch that a place is on; `None` without a chord.
fn across(events: &[Event], at: Place) -> Option<Vec2> {
    let is_before = |event: &Event| (event.segment, event.along) <= (at.segment, at.along);
    let after = events.partition_point(is_before);
    let entry = events[(after + events.len() - 1) % events.len()].position;
    let exit = events[after % events.len()].position;
    let chord = exit - entry;
    let enough = chord.length() > NO_CHORD * exit.abs().max_element();
    // The inside lies to the left of the boundary: that is the way back in, and out of the other.
    if enough { chord.perp().try_normalize() } else { None }
}

/// The way of a point: its shortest, or along the common way where that leads elsewhere.
fn way(
    outlines: &Outlines,
    other: usize,
    point: &Penetration,
    common: Option<Vec2>,
) -> PenaltyForce {
    let Penetration { at, out, depth, direction, position, .. } = *point;
    let shortest = PenaltyForce { at, out, depth, direction };
    let Some(common) = common.filter(|common| common.dot(direction) < AGAINST) else {
        return shortest;
    };
    match exit(outlines, other, position, common) {
        Some((out, depth)) => PenaltyForce { at, out, depth, direction: common },
        None => shortest,
    }
}

/// Where a ray from inside an outline leaves it, and how far that is, m.
fn exit(outlines: &Outlines, outline: usize, from: Vec2, along: Vec2) -> Option<(Place, f64)> {
    let hits = outlines.range(outline).filter_map(|at| {
        let [p, q] = outlines.segment(at);
        // Heights over the ray: the segment crosses it where they differ in sign.
        let [left, right] = [p, q].map(|end| along.perp_dot(end - from));
        let crosses = (left < 0.0) != (right < 0.0);
        let share = left / (left - right);
        let reached = || (place([p, q], share) - from).dot(along);
        let hit = || (Place { segment: at as u32, along: share }, reached());
        crosses.then(hit).filter(|(_, distance)| *distance > 0.0)
    });
    hits.reduce(|best, next| if next.1 < best.1 { next } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brute::Brute;
    use crate::{Backend, ProximityQuery, QueryFlags};

    fn disc(centre: [f64; 2], radius: f64) -> Vec<Vec2> {
        let at = |k: u32| Vec2::from_angle(std::f64::consts::TAU * f64::from(k) / 40.0);
        (0..40).map(|k| Vec2::from(centre) + radius * at(k)).collect()
    }

    /// The sum of depth times direction over the points of a, m.
    fn net(a: Vec<Vec2>, b: Vec<Vec2>) -> (Vec2, Vec<PenaltyForce>) {
        let mut outlines = Outlines::default();
        outlines.push(&[a]).unwrap();
        outlines.push(&[b]).unwrap();
        let pair = Pair { a: 0, b: 1 };
        let wanted = QueryFlags { samples: true, ..QueryFlags::DEPTHS };
        let question = ProximityQuery { error: 0.01, contact_distance: 0.0, flags: wanted };
        let mut answers = Vec::new();
        Brute.query(&outlines, &[pair], &question, &mut answers).unwrap();
        let boxes = [0, 1].map(|k| Rect::of_segments(&outlines, outlines.range(k)));
        let mut pushes = Vec::new();
        PenaltyPairs::default().find(&outlines, pair, boxes, &answers[0], &mut pushes);
        let end = outlines.range(0).end as u32;
        let of_a = pushes.iter().filter(|push| push.at.segment < end);
        (of_a.map(|push| push.depth * push.direction).sum(), pushes)
    }

    #[test]
    fn what_is_shallow_leaves_by_its_shortest_way() {
        let (net, pushes) = net(disc([0.0, 0.95], 0.5), disc([0.0, 0.0], 0.5));
        // The lowest point, 0.05 m deep, has two shortest ways, each 4.5° beside the middle.
        let lean = 0.05 * libm::sin(std::f64::consts::TAU / 80.0);
        assert!(net.y > 0.0 && net.x.abs() < 1.01 * lean, "{net} {lean}");
        assert!(pushes.iter().all(|push| push.depth < 0.05 && push.direction.x.abs() < 0.5));
    }

    #[test]
    fn what_is_deep_inside_is_led_out_on_one_side() {
        // Shortest ways alone would pull all of these back to the middle.
        for (offset, radius) in [(0.02, 0.5), (0.1, 0.45), (0.3, 0.5), (0.05, 0.3)] {
            let (net, _) = net(disc([offset, 0.0], radius), disc([0.0, 0.0], 0.5));
            assert!(net.x > 0.0, "{offset} {radius}: {net}");
            assert!(net.y.abs() < 0.2 * net.x, "{offset} {radius}: {net}");
        }
    }

    #[test]
    fn a_way_ends_where_it_says() {
        let (_, pushes) = net(disc([0.1, 0.03], 0.45), disc([0.0, 0.0], 0.5));
        let mut outlines = Outlines::default();
        outlines.push(&[disc([0.1, 0.03], 0.45)]).unwrap();
        outlines.push(&[disc([0.0, 0.0], 0.5)]).unwrap();
        let at = |at: Place| place(outlines.segment(at.segment as usize), at.along);
        for push in pushes {
            let reached = at(push.at) + push.depth * push.direction;
            assert!(reached.distance(at(push.out)) < 1e-12, "{push:?}");
        }
    }
}
