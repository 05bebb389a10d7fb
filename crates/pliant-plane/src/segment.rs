//! Segments in the plane: nearest points, exact crossings, and what rings surround.

use pliant::math::{Vec2, orient2d};

/// Share of the way along a segment at which it is nearest to a point, 0 to 1.
///
/// A segment without length is nearest at its beginning.
#[inline]
pub fn nearest_along([a, b]: [Vec2; 2], point: Vec2) -> f64 {
    let way = b - a;
    let length_sq = way.length_squared();
    if length_sq > 0.0 { ((point - a).dot(way) / length_sq).clamp(0.0, 1.0) } else { 0.0 }
}

/// The place on a segment at a share of its way, m; the ends are met exactly.
#[inline]
pub fn place([a, b]: [Vec2; 2], along: f64) -> Vec2 {
    if along == 1.0 { b } else { a + along * (b - a) }
}

/// Square of the distance between a point and a segment, m².
#[inline]
pub fn distance_sq(ends: [Vec2; 2], point: Vec2) -> f64 {
    place(ends, nearest_along(ends, point)).distance_squared(point)
}

/// Whether two closed segments share a point; exact.
pub fn meet([a0, a1]: [Vec2; 2], [b0, b1]: [Vec2; 2]) -> bool {
    let box_apart = |k: fn(Vec2) -> f64| {
        k(a0).max(k(a1)) < k(b0).min(k(b1)) || k(b0).max(k(b1)) < k(a0).min(k(a1))
    };
    if box_apart(|p| p.x) || box_apart(|p| p.y) {
        return false;
    }
    let apart = |p: f64, q: f64| (p > 0.0 && q > 0.0) || (p < 0.0 && q < 0.0);
    // Where all four are zero the segments lie on one line, and the boxes decided.
    !apart(orient2d(a0, a1, b0), orient2d(a0, a1, b1))
        && !apart(orient2d(b0, b1, a0), orient2d(b0, b1, a1))
}

/// Where two segments are nearest: shares along each, 0 to 1.
///
/// Segments that cross are nearest at the crossing; of several nearest pairs an end's comes first.
pub fn nearest_pair(a: [Vec2; 2], b: [Vec2; 2]) -> [f64; 2] {
    if meet(a, b)
        && let Some(crossing) = crossing(a, b)
    {
        return crossing;
    }
    let ends = [
        [0.0, nearest_along(b, a[0])],
        [1.0, nearest_along(b, a[1])],
        [nearest_along(a, b[0]), 0.0],
        [nearest_along(a, b[1]), 1.0],
    ];
    let gap = |[s, t]: [f64; 2]| place(a, s).distance_squared(place(b, t));
    ends.into_iter()
        .reduce(|best, next| if gap(next) < gap(best) { next } else { best })
        .unwrap_or([0.0; 2])
}

/// Shares along both at which the lines through two segments cross; `None` for parallel ones.
pub fn crossing(a: [Vec2; 2], b: [Vec2; 2]) -> Option<[f64; 2]> {
    let (way_a, way_b) = (a[1] - a[0], b[1] - b[0]);
    let turn = way_a.perp_dot(way_b);
    let between = b[0] - a[0];
    let shares = [between.perp_dot(way_b) / turn, between.perp_dot(way_a) / turn];
    (turn != 0.0 && shares.iter().all(|share| share.is_finite()))
        .then(|| shares.map(|share| share.clamp(0.0, 1.0)))
}

/// Where two segments that meet do so: for each the part it shares, as shares of its way.
///
/// A point where they cross or touch; a part with a length where they lie on each other.
pub fn shared(p: [Vec2; 2], q: [Vec2; 2]) -> [[f64; 2]; 2] {
    // Exact, as `meet` is: a turn between segments in one line may be rounded.
    let in_line = q.iter().all(|end| orient2d(p[0], p[1], *end) == 0.0)
        && p.iter().all(|end| orient2d(q[0], q[1], *end) == 0.0);
    if let Some([s, t]) = crossing(p, q).filter(|_| !in_line) {
        return [[s; 2], [t; 2]];
    }
    let part = |ends: [Vec2; 2], other: [Vec2; 2]| {
        let [s, t] = other.map(|end| nearest_along(ends, end));
        [s.min(t), s.max(t)]
    };
    [part(p, q), part(q, p)]
}

/// The part of a segment within `distance`, m, of another, as shares of its way.
///
/// One part, as what lies so near is convex; `None` where there is none.
pub fn near_one(ends: [Vec2; 2], other: [Vec2; 2], distance: f64) -> Option<[f64; 2]> {
    let [s, t] = nearest_pair(ends, other);
    if place(ends, s).distance(place(other, t)) > distance && !meet(ends, other) {
        return None;
    }
    let within_distance = |along: f64| {
        let point = place(ends, along);
        place(other, nearest_along(other, point)).distance(point) <= distance
    };
    Some([0.0, 1.0].map(|end| {
        if within_distance(end) {
            return end;
        }
        // The distance grows from the nearest place on: halve until no number is between.
        let (mut within, mut beyond) = (s, end);
        loop {
            let middle = 0.5 * (within + beyond);
            if middle == within || middle == beyond {
                return within;
            }
            if within_distance(middle) { within = middle } else { beyond = middle }
        }
    }))
}

/// Whether the ray from `point` to the right crosses a segment; exact.
///
/// The lower end belongs to the segment and the upper one does not, so that a ray through
/// a corner counts once or twice, as it should.
#[inline]
pub fn right_of([a, b]: [Vec2; 2], point: Vec2) -> bool {
    if (a.y <= point.y) == (b.y <= point.y) {
        return false;
    }
    let side = orient2d(a, b, point);
    // Going up, what is left of the segment has it on the right.
    if b.y > a.y { side > 0.0 } else { side < 0.0 }
}

/// Whether a point lies on a closed segment; exact.
pub fn touches(ends @ [a, b]: [Vec2; 2], point: Vec2) -> bool {
    meet(ends, [point, point]) && orient2d(a, b, point) == 0.0
}

/// Whether a ring surrounds a point by the even–odd rule; arbitrary on the ring.
pub fn surrounds(ring: &[Vec2], point: Vec2) -> bool {
    let segments = ring.iter().zip(ring.iter().cycle().skip(1));
    segments.filter(|&(&a, &b)| right_of([a, b], point)).count() % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::math::random::Random;

    const fn p(x: f64, y: f64) -> Vec2 {
        Vec2::new(x, y)
    }

    #[track_caller]
    fn check(a: [Vec2; 2], b: [Vec2; 2], expected: &str) {
        let back = |[p, q]: [Vec2; 2]| [q, p];
        for (a, b) in [(a, b), (b, a), (back(a), b), (a, back(b))] {
            assert_eq!(if meet(a, b) { "meet" } else { "apart" }, expected, "{a:?} {b:?}");
        }
    }

    #[test]
    fn touching_counts_as_meeting_and_the_smallest_gap_does_not() {
        let base = [p(0.0, 0.0), p(2.0, 0.0)];
        check(base, [p(1.0, 1.0), p(1.0, -1.0)], "meet");
        check(base, [p(1.0, 1.0), p(1.0, 0.0)], "meet");
        check(base, [p(1.0, 1.0), p(1.0, f64::MIN_POSITIVE)], "apart");
        check(base, [p(2.0, 0.0), p(3.0, 0.0)], "meet");
        check(base, [p(2.1, 0.0), p(3.0, 0.0)], "apart");
        check(base, [p(3.0, 1.0), p(1.0, -2.0)], "apart"); // the boxes overlap
    }

    #[test]
    fn nearest_pairs_are_those_of_a_fine_search() {
        let mut random = Random::new(1);
        for _ in 0..200 {
            let mut point = || p(random.unit(), random.unit());
            let (a, b) = ([point(), point()], [point(), point()]);
            let [s, t] = nearest_pair(a, b);
            let found = place(a, s).distance(place(b, t));
            let searched = (0..=400)
                .map(|step| distance_sq(b, place(a, step as f64 / 400.0)).sqrt())
                .fold(f64::INFINITY, f64::min);
            // Steps are at most √2/400 long, and distance changes no faster.
            assert!(found <= searched + 1e-12 && found >= searched - 2e-3, "{a:?} {b:?}");
        }
    }

    #[test]
    fn a_ray_through_corners_still_tells_inside() {
        let ring = [p(0.0, -1.0), p(1.0, 0.0), p(0.0, 1.0), p(-1.0, 0.0)];
        assert!(surrounds(&ring, p(0.0, 0.0))); // the ray ends at a corner
        assert!(!surrounds(&ring, p(-2.0, 0.0))); // through two corners
        assert!(!surrounds(&ring, p(-2.0, 1.0))); // along the topmost point
        assert!(!surrounds(&ring, p(-2.0, -1.0)));
    }

    #[test]
    fn a_segment_without_length_is_its_point() {
        let dot = [p(1.0, 1.0); 2];
        assert_eq!(nearest_along(dot, p(5.0, 2.0)), 0.0);
        assert_eq!(distance_sq(dot, p(1.0, 3.0)), 4.0);
        assert!(touches(dot, p(1.0, 1.0)));
        assert!(!touches(dot, p(1.0, 1.1)));
    }
}
