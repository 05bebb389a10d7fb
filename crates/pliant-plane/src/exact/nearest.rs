//! The nearest place of a boundary, and the shortest way between two, by branch and bound.
//!
//! Ties go to the lowest index, as with all segments one after the other: a box is left
//! out only when it is farther than the best, not when it is as far.

use pliant::math::Vec2;

use super::super::rect::Rect;
use super::super::segment::{nearest_along, nearest_pair, place};
use super::super::{Place, Separation};
use super::oriented::OrientedBox;
use super::tree::{FAN, Node, View, padded};

/// Squares of equal lengths differ by less than this, relative to them.
const SQUARE_ERROR: f64 = 8.0 * f64::EPSILON;

/// Nodes still to be visited; kept for its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pending {
    /// Square of the distance of each node, m², and the node.
    nodes: Vec<(f64, u32)>,
}

impl Pending {
    /// Adds the children of a node so that the nearest comes next.
    #[inline]
    fn push_children<const ORIENTED: bool>(
        &mut self,
        view: View<'_>,
        node: usize,
        gap_sq: impl Fn(&Rect) -> f64,
        oriented_gap_sq: impl Fn(&OrientedBox) -> f64,
        most: f64,
    ) {
        let start = self.nodes.len();
        for child in view.node(node).children() {
            let node = view.node(child);
            let mut gap = gap_sq(&node.rect);
            if gap <= most {
                if ORIENTED && let Some(oriented) = view.oriented(node) {
                    gap = gap.max(oriented_gap_sq(oriented));
                    if gap > most {
                        continue;
                    }
                }
                self.nodes.push((gap, child as u32));
                let mut at = self.nodes.len() - 1;
                while at > start && self.nodes[at - 1].0 < gap {
                    self.nodes.swap(at - 1, at);
                    at -= 1;
                }
            }
        }
        debug_assert!(self.nodes.len() - start <= FAN, "{:?}", self.nodes);
    }
}

/// The nearest place so far.
#[derive(Clone, Copy, Debug)]
struct Nearest {
    /// The place.
    at: Place,
    /// Its distance, m.
    distance: f64,
    /// Squares above this are farther, m².
    most_sq: f64,
}

impl Nearest {
    /// Takes a segment's nearest place if it is nearer, or as near with a lower index.
    #[inline]
    fn offer(&mut self, segment: u32, ends: [Vec2; 2], point: Vec2) {
        let along = nearest_along(ends, point);
        let distance_sq = place(ends, along).distance_squared(point);
        if distance_sq > self.most_sq {
            return;
        }
        let distance = distance_sq.sqrt();
        if distance < self.distance || (distance == self.distance && segment < self.at.segment) {
            *self = Nearest {
                at: Place { segment, along },
                distance,
                most_sq: distance_sq * (1.0 + SQUARE_ERROR),
            };
        }
    }
}

impl View<'_> {
    /// The place of an outline's boundary nearest to a point, and its distance, m.
    ///
    /// `guess` is a segment of the outline that may be near; it changes the time alone.
    pub fn nearest(
        &self,
        outline: usize,
        point: Vec2,
        guess: u32,
        pending: &mut Pending,
    ) -> (Place, f64) {
        if self.all_upright() {
            self.nearest_by::<false>(outline, point, guess, pending)
        } else {
            self.nearest_by::<true>(outline, point, guess, pending)
        }
    }

    /// The same, with or without oriented boxes: ordinary outlines pay nothing for them.
    #[inline]
    fn nearest_by<const ORIENTED: bool>(
        &self,
        outline: usize,
        point: Vec2,
        guess: u32,
        pending: &mut Pending,
    ) -> (Place, f64) {
        let segment = |at: u32| self.outlines.segment(at as usize);
        let at = Place { segment: guess, along: 0.0 };
        let (distance, most_sq) = (f64::INFINITY, f64::INFINITY);
        let mut best = Nearest { at, distance, most_sq };
        best.offer(guess, segment(guess), point);
        pending.nodes.clear();
        pending.nodes.push((0.0, self.root(outline) as u32));
        while let Some((gap_sq, at)) = pending.nodes.pop() {
            if gap_sq > best.most_sq {
                continue;
            }
            let node = self.node(at as usize);
            if node.level == 0 {
                (node.first..node.end).for_each(|at| best.offer(at, segment(at), point));
            } else {
                let upright = |rect: &Rect| rect.distance_sq(point);
                let oriented = |oriented: &OrientedBox| oriented.distance_sq(point);
                pending.push_children::<ORIENTED>(
                    *self,
                    at as usize,
                    upright,
                    oriented,
                    best.most_sq,
                );
            }
        }
        (best.at, best.distance)
    }

    /// Calls `look` for every segment of an outline that may be within a distance of another.
    ///
    /// `look` returns the square of the distance from then on, m², which must not grow.
    pub fn around(
        &self,
        outline: usize,
        ends: [Vec2; 2],
        mut most_sq: f64,
        pending: &mut Pending,
        mut look: impl FnMut(usize) -> f64,
    ) {
        let slack = 1.0 + SQUARE_ERROR;
        pending.nodes.clear();
        let root = self.root(outline);
        let rect = padded(ends);
        pending.nodes.push((self.node(root).rect.gap_sq(&rect), root as u32));
        while let Some((gap_sq, at)) = pending.nodes.pop() {
            if gap_sq > most_sq * slack {
                continue;
            }
            let node = self.node(at as usize);
            if node.level > 0 {
                let upright = |other: &Rect| other.gap_sq(&rect);
                let oriented = |other: &OrientedBox| other.gap_sq_of_segment(ends);
                pending.push_children::<true>(
                    *self,
                    at as usize,
                    upright,
                    oriented,
                    most_sq * slack,
                );
                continue;
            }
            for at in node.children() {
                most_sq = look(at);
            }
        }
    }

    /// The shortest way between two boundaries; of several the one with the lowest indices.
    pub fn separation(&self, [a, b]: [usize; 2]) -> Option<Separation> {
        let mut best: Option<(Separation, [usize; 2])> = None;
        self.closer([self.root(a), self.root(b)], &mut best);
        best.map(|(way, _)| way)
    }

    /// Looks for a shorter way between two nodes.
    fn closer(&self, [a, b]: [usize; 2], best: &mut Option<(Separation, [usize; 2])>) {
        let (node_a, node_b) = (self.node(a), self.node(b));
        if node_a.level == 0 && node_b.level == 0 {
            for at_a in node_a.children() {
                for at_b in node_b.children() {
                    self.closer_segments([at_a, at_b], best);
                }
            }
            return;
        }
        let of_a = node_a.level >= node_b.level;
        let children = if of_a { node_a.children() } else { node_b.children() };
        let mut pairs = [(0.0, [0; 2]); FAN];
        let count = children.len();
        for (pair, child) in pairs.iter_mut().zip(children) {
            let nodes = if of_a { [child, b] } else { [a, child] };
            let both = nodes.map(|at| self.node(at));
            let gap_sq = both[0].rect.gap_sq(&both[1].rect).max(self.oriented_gap_sq(both));
            *pair = (gap_sq, nodes);
        }
        let pairs = &mut pairs[..count];
        pairs.sort_unstable_by(|p, q| p.0.total_cmp(&q.0).then(p.1.cmp(&q.1)));
        for &(gap_sq, nodes) in pairs.iter() {
            if gap_sq <= most_sq(best) {
                self.closer(nodes, best);
            }
        }
    }

    /// Square of the distance between two nodes by their oriented boxes, m², or less.
    #[inline]
    pub fn oriented_gap_sq(&self, nodes: [&Node; 2]) -> f64 {
        if nodes[0].is_upright() && nodes[1].is_upright() {
            0.0
        } else {
            self.slanted_gap_sq(nodes)
        }
    }

    #[cold]
    fn slanted_gap_sq(&self, nodes: [&Node; 2]) -> f64 {
        let oriented = nodes.map(|node| self.oriented(node));
        let [a, b] = [0, 1].map(|side| match oriented[side] {
            Some(oriented) => *oriented,
            None => OrientedBox::of_rect(&nodes[side].rect),
        });
        a.gap_sq(&b)
    }

    /// Looks for a shorter way between two segments.
    fn closer_segments(&self, at: [usize; 2], best: &mut Option<(Separation, [usize; 2])>) {
        let [p, q] = at.map(|at| self.outlines.segment(at));
        if padded(p).gap_sq(&padded(q)) > most_sq(best) {
            return;
        }
        let [s, t] = nearest_pair(p, q);
        let (on_a, on_b) = (place(p, s), place(q, t));
        let distance = on_a.distance(on_b);
        let better = best.is_none_or(|(least, first)| {
            distance < least.distance || (distance == least.distance && at < first)
        });
        if better {
            *best = Some((Separation { distance, on_a, on_b }, at));
        }
    }
}

/// Squares of gaps above this are farther than the best way, m².
fn most_sq(best: &Option<(Separation, [usize; 2])>) -> f64 {
    best.map_or(f64::INFINITY, |(way, _)| way.distance * way.distance * (1.0 + SQUARE_ERROR))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brute;
    use crate::exact::shapes;
    use crate::exact::tree::Boxes;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn the_nearest_place_is_that_of_all_segments(seed in 0_u64..1 << 48) {
            let outlines = shapes::pair(seed);
            let mut boxes = Boxes::default();
            boxes.build(&outlines);
            let view = View { outlines: &outlines, boxes: &boxes };
            let mut pending = Pending::default();
            for outline in 0..2 {
                let range = outlines.range(outline);
                for (count, &point) in outlines.points().iter().enumerate() {
                    let guess = range.start + count % range.len();
                    let found = view.nearest(outline, point, guess as u32, &mut pending);
                    prop_assert_eq!(Some(found), brute::nearest(&outlines, outline, point));
                }
            }
        }

        #[test]
        fn the_shortest_way_is_that_of_all_segments(seed in 0_u64..1 << 48) {
            for outlines in [shapes::apart(seed), shapes::pair(seed)] {
                let mut boxes = Boxes::default();
                boxes.build(&outlines);
                let view = View { outlines: &outlines, boxes: &boxes };
                prop_assert_eq!(view.separation([0, 1]), brute::separation(&outlines, 0, 1));
            }
        }
    }
}
