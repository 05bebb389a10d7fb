//! The least translation that takes one outline off another.
//!
//! For convex outlines it is exact: the distance from the origin to the boundary of the
//! Minkowski difference B ⊖ A, whose edges are those of both outlines in order of their angles.
//! For others a bound: of the directions that separate the hulls soonest, and of the normals of
//! contact, the one along which a is past b soonest. The way along one direction is exact,
//!
//! | here      | formula                           | meaning                                    |
//! |-----------|-----------------------------------|--------------------------------------------|
//! | `passing` | maxₛ (max b·n − min a·n on line s) | way along n after which no line parallel to n meets b in front of a, m |
//!
//! so the outlines are apart there, and the least translation is not longer. It is not shorter
//! than the deepest point of one in the other, as that point must leave too.

use pliant::math::{Vec2, orient2d};

use super::QueryFlags;
use super::outline::Outlines;
use super::patch::{Patches, ranks_before, toward};
use super::rect::Rect;
use super::segment::distance_sq;

/// A vertex this far inside the hull, relative to its box, is on it: rounding.
const FLAT: f64 = 1e-12;

/// Directions of the hulls that are tried for outlines that are not convex.
const HULL_DIRECTIONS: usize = 64;

/// Most normals of contact that are tried besides.
const CONTACT_DIRECTIONS: usize = 64;

/// Most segments looked at for one pair; then the directions left keep the hulls' bound.
const MOST_WORK: usize = 1 << 26;

/// The shortest way that takes a off b.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeastTranslation {
    /// How far a must go, m: so far it touches b at most.
    pub distance: f64,
    /// Unit vector along which a goes.
    pub direction: Vec2,
    /// Whether no shorter way exists; otherwise the distance is an upper bound.
    pub exact: bool,
}

/// The least translation of a pair that intersects, if it is wanted.
///
/// Without an overlap it has no length, and the direction of the contacts. Patches of convex
/// outlines get its direction for their normal, also if only contacts are wanted.
pub fn of_pair(
    outlines: &Outlines,
    pair: [usize; 2],
    patches: &mut Patches,
    wanted: QueryFlags,
) -> Option<LeastTranslation> {
    let toward = toward(outlines, pair);
    let touches = !patches.is_empty() && !patches.overlaps();
    if touches {
        let direction = patches.mean().or_else(|| patches.normals().next())?;
        return wanted.translation.then_some(LeastTranslation {
            distance: 0.0,
            direction,
            exact: true,
        });
    }
    let mut scratch = std::mem::take(&mut patches.least);
    scratch.find_hulls(outlines, pair);
    let least = if scratch.hulls.iter().all(|hull| hull.is_convex) {
        let least = of_convex(&scratch.edges, toward);
        least.iter().for_each(|least| patches.separate_along(least.direction));
        least.filter(|_| wanted.translation)
    } else if wanted.translation {
        bound(outlines, pair, &mut scratch, patches.normals(), toward)
    } else {
        None
    };
    patches.least = scratch;
    least
}

/// Memory of the search, kept from pair to pair.
#[derive(Clone, Debug, Default)]
pub(super) struct LeastScratch {
    hulls: [Hull; 2],
    /// Edges of B ⊖ A: the distance of each line from the origin, m, and its outward normal.
    edges: Vec<(f64, Vec2)>,
    /// Points from left to right.
    order: Vec<usize>,
    /// Lower and upper side of a hull.
    sides: [Vec<usize>; 2],
    profile: Profile,
}

impl LeastScratch {
    /// Fills the hulls of a pair, and the edges of their difference.
    fn find_hulls(&mut self, outlines: &Outlines, pair: [usize; 2]) {
        let LeastScratch { hulls, edges, order, sides, .. } = self;
        for (hull, outline) in hulls.iter_mut().zip(pair) {
            hull.fill(outlines, outline, order, sides);
        }
        difference(hulls, edges);
    }
}

/// The least translation of convex outlines that overlap.
fn of_convex(edges: &[(f64, Vec2)], toward: Vec2) -> Option<LeastTranslation> {
    let all = edges.iter().copied();
    let (distance, direction) = all.reduce(|best, next| better(best, next, toward))?;
    Some(LeastTranslation { distance: distance.max(0.0), direction, exact: true })
}

/// Of two translations the one that ranks first.
fn better(best: (f64, Vec2), next: (f64, Vec2), toward: Vec2) -> (f64, Vec2) {
    if ranks_before(next, best, toward) { next } else { best }
}

/// A translation that takes a off b, as short as the directions tried allow.
fn bound(
    outlines: &Outlines,
    pair: [usize; 2],
    scratch: &mut LeastScratch,
    normals: impl Iterator<Item = Vec2>,
    toward: Vec2,
) -> Option<LeastTranslation> {
    let LeastScratch { edges, profile, .. } = scratch;
    edges.sort_unstable_by(|p, q| {
        let ((p, n), (q, m)) = (p, q);
        p.total_cmp(q).then(n.x.total_cmp(&m.x)).then(n.y.total_cmp(&m.y))
    });
    edges.truncate(HULL_DIRECTIONS);
    profile.work = 0;
    let contacts = normals.take(CONTACT_DIRECTIONS).map(|n| (f64::INFINITY, n));
    let tried = contacts.chain(edges.iter().copied()).map(|(most, n)| {
        let past = (profile.work < MOST_WORK).then(|| profile.passing(outlines, pair, n));
        (past.map_or(most, |past| past.min(most)), n)
    });
    let (distance, direction) = tried
        .reduce(|best, next| better(best, next, toward))
        .filter(|(most, _)| most.is_finite())?;
    Some(LeastTranslation { distance, direction, exact: false })
}

/// The convex hull of an outline.
#[derive(Clone, Debug, Default)]
struct Hull {
    /// Counter-clockwise, beginning at the leftmost and of those the lowest, m.
    points: Vec<Vec2>,
    /// Whether the outline is the hull, up to rounding.
    is_convex: bool,
}

impl Hull {
    fn fill(
        &mut self,
        outlines: &Outlines,
        outline: usize,
        order: &mut Vec<usize>,
        [hull, upper]: &mut [Vec<usize>; 2],
    ) {
        let range = outlines.range(outline);
        let points = &outlines.points()[range.clone()];
        order.clear();
        order.extend(0..points.len());
        let key = |at: usize| (points[at].x, points[at].y);
        order.sort_unstable_by(|&p, &q| {
            let ((x, y), (u, v)) = (key(p), key(q));
            x.total_cmp(&u).then(y.total_cmp(&v)).then(p.cmp(&q))
        });
        order.dedup_by(|p, q| points[*p] == points[*q]);
        chain(points, order.iter().copied(), hull);
        chain(points, order.iter().rev().copied(), upper);
        hull.pop();
        hull.extend(&upper[..upper.len() - 1]);
        let one_ring = outlines.rings(outline).count() == 1;
        self.is_convex = one_ring && is_convex(points, hull);
        self.points.clear();
        self.points.extend(hull.iter().map(|at| points[*at]));
    }
}

/// One side of a hull, from points in the order of the way; exact.
fn chain(points: &[Vec2], order: impl Iterator<Item = usize>, side: &mut Vec<usize>) {
    side.clear();
    for at in order {
        while let [.., p, q] = side[..]
            && orient2d(points[p], points[q], points[at]) <= 0.0
        {
            side.pop();
        }
        side.push(at);
    }
}

/// Whether a ring runs along its hull, up to rounding.
fn is_convex(points: &[Vec2], hull: &[usize]) -> bool {
    let size = Rect::around(points.iter().copied()).size().max_element();
    let most_sq = (FLAT * size) * (FLAT * size);
    let Some(first) = (0..hull.len()).min_by_key(|&at| hull[at]) else { return false };
    (0..hull.len()).all(|k| {
        let [from, to] = [k, k + 1].map(|k| hull[(first + k) % hull.len()]);
        let end = if k + 1 == hull.len() { to + points.len() } else { to };
        let edge = [points[from], points[to]];
        let flat = |at: usize| distance_sq(edge, points[at % points.len()]) <= most_sq;
        from < end && (from + 1..end).all(flat)
    })
}

/// Each edge of B ⊖ A: the distance of its line from the origin, m, and its outward normal.
///
/// From the hulls of a and b.
fn difference(hulls: &[Hull; 2], edges: &mut Vec<(f64, Vec2)>) {
    let [a, b] = hulls.each_ref().map(|hull| &hull.points[..]);
    let last = |points: &[Vec2]| {
        let before = |p: Vec2, q: Vec2| p.x < q.x || (p.x == q.x && p.y < q.y);
        (0..points.len())
            .fold(0, |best, at| if before(points[best], points[at]) { at } else { best })
    };
    // −A begins at its leftmost point too: there a is rightmost.
    let start = last(a);
    let (of_a, of_b) = (|k: usize| a[(start + k) % a.len()], |k: usize| b[k % b.len()]);
    let (mut at_a, mut at_b) = (0, 0);
    edges.clear();
    while at_a < a.len() || at_b < b.len() {
        let along_a = -(of_a(at_a + 1) - of_a(at_a));
        let along_b = of_b(at_b + 1) - of_b(at_b);
        let corner = of_b(at_b) - of_a(at_a);
        let takes_b = at_a == a.len() || (at_b < b.len() && along_b.perp_dot(along_a) >= 0.0);
        let way = if takes_b { along_b } else { along_a };
        if takes_b {
            at_b += 1
        } else {
            at_a += 1
        }
        if let Some(normal) = (-way.perp()).try_normalize() {
            edges.push((corner.dot(normal), normal));
        }
    }
}

/// A segment as seen along a direction.
#[derive(Clone, Copy, Debug)]
struct Seen {
    /// Ends, left to right: sideways and along the direction, m.
    ends: [Vec2; 2],
    /// Whether it is of b.
    of_b: bool,
}

/// Segments of a pair as seen along a direction; keeps its memory.
#[derive(Clone, Debug, Default)]
struct Profile {
    seen: Vec<Seen>,
    /// Where lines are drawn, m sideways.
    lines: Vec<f64>,
    /// Segments that the current line may cross.
    active: Vec<Seen>,
    /// Number of segments looked at so far.
    work: usize,
}

impl Profile {
    /// Way along a unit vector after which a is past b on every line, m; not negative.
    fn passing(&mut self, outlines: &Outlines, pair: [usize; 2], n: Vec2) -> f64 {
        let Profile { seen, lines, active, work } = self;
        seen.clear();
        lines.clear();
        active.clear();
        let turned = |p: Vec2| Vec2::new(-p.perp_dot(n), p.dot(n));
        for (outline, of_b) in pair.into_iter().zip([false, true]) {
            for at in outlines.range(outline) {
                let [p, q] = outlines.segment(at).map(turned);
                lines.push(p.x);
                seen.push(Seen { ends: if p.x <= q.x { [p, q] } else { [q, p] }, of_b });
            }
        }
        seen.sort_unstable_by(|p, q| p.ends[0].x.total_cmp(&q.ends[0].x));
        // Between neighbouring vertices all heights are linear: the most is at one of them.
        lines.sort_unstable_by(f64::total_cmp);
        lines.dedup();
        let (mut most, mut next) = (0.0_f64, 0);
        for strip in lines.windows(2) {
            while next < seen.len() && seen[next].ends[0].x <= strip[0] {
                active.push(seen[next]);
                next += 1;
            }
            *work += active.len();
            // What spans the strip, at both its sides: a line that is only touched does not count.
            active.retain(|segment| segment.ends[1].x >= strip[1]);
            for &line in strip {
                let (mut high, mut low) = (f64::NEG_INFINITY, f64::INFINITY);
                for segment in &*active {
                    let height = segment.height(line);
                    if segment.of_b { high = high.max(height) } else { low = low.min(height) }
                }
                most = most.max(high - low);
            }
        }
        most
    }
}

impl Seen {
    /// Height on a line that the segment crosses, m.
    fn height(&self, line: f64) -> f64 {
        let [p, q] = self.ends;
        if line >= q.x { q.y } else { p.y + (line - p.x) / (q.x - p.x) * (q.y - p.y) }
    }
}
