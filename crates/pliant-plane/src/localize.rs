//! Where two outlines can meet, or be closest: boxes, refined only as far as they matter.
//!
//! Every outline has a tree of boxes that is never stored [Hoff01 §2.1]: a node is a range
//! of consecutive segments, its children are made when a query comes to them and passed
//! down the recursion. A range is split at its middle: that needs no pass over the points,
//! halves the work whatever the shape, keeps ranges whole, and neighbours along a boundary
//! are neighbours in the plane. The tree ends at a height that is a setting: more boxes
//! leave fewer pixels.
//!
//! No backend uses this: it is the paper's method, kept to be measured beside them. The
//! bench draws its regions at each height of the trees. `Exact` walks boxes of its own down
//! to single segments, and the CPU's images draw only the tiles around points to be read.
//!
//! - Implements: [Hoff01 §2.1].
//! - Deviates: boundaries in contact need boxes grown by the contact distance once, not each
//!   by it, as [Hoff01 §2.2.4] has it (P2).

use std::ops::Range;

use pliant::math::Vec2;

use super::Pair;
use super::outline::Outlines;
use super::rect::Rect;

/// Relative slack of a squared distance of boxes: rounding must not lose the closest pair.
const ROUNDING: f64 = 1e-14;

/// How far the trees are refined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalizeSettings {
    /// Most times that each outline is halved; 0 takes whole boxes.
    pub height: u32,
}

impl Default for LocalizeSettings {
    /// Sixteen ranges, some eight segments each for outlines of the paper's size.
    fn default() -> LocalizeSettings {
        LocalizeSettings { height: 4 }
    }
}

/// A window in which parts of two outlines may interact.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// The window, m.
    pub window: Rect,
    /// Segments of a that reach into it.
    pub a: Range<usize>,
    /// Segments of b that count there.
    pub b: Range<usize>,
}

/// Finds regions; keeps its memory from call to call.
#[derive(Clone, Debug, Default)]
pub struct Localizer {
    /// What was found.
    regions: Vec<Region>,
    /// Pairs of nodes that may hold the closest places.
    candidates: Vec<[Node; 2]>,
}

/// A part of an outline's boundary.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// First segment.
    start: usize,
    /// One past its last segment.
    end: usize,
    /// Box of these segments, m.
    rect: Rect,
    /// Halvings still allowed.
    height: u32,
}

impl Node {
    fn new(outlines: &Outlines, start: usize, end: usize, height: u32) -> Node {
        Node { start, end, rect: Rect::of_segments(outlines, start..end), height }
    }

    /// A whole outline.
    fn root(outlines: &Outlines, outline: u32, settings: LocalizeSettings) -> Node {
        let range = outlines.range(outline as usize);
        Node::new(outlines, range.start, range.end, settings.height)
    }

    /// Both halves; `None` at the end of the tree.
    fn halves(&self, outlines: &Outlines) -> Option<[Node; 2]> {
        let middle = self.start + (self.end - self.start) / 2;
        (self.height > 0 && middle > self.start).then(|| {
            [(self.start, middle), (middle, self.end)]
                .map(|(start, end)| Node::new(outlines, start, end, self.height - 1))
        })
    }

    /// Half the way around its box, m.
    fn size(&self) -> f64 {
        (self.rect.max - self.rect.min).element_sum()
    }

    fn range(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// Pairs of children of two nodes: those of the larger one that has some, with the other.
fn children(outlines: &Outlines, [a, b]: [&Node; 2]) -> Option<[[Node; 2]; 2]> {
    let of_a = || a.halves(outlines).map(|halves| halves.map(|half| [half, *b]));
    let of_b = || b.halves(outlines).map(|halves| halves.map(|half| [*a, half]));
    if a.size() >= b.size() { of_a().or_else(of_b) } else { of_b().or_else(of_a) }
}

impl Localizer {
    /// Windows where boundaries come within `margin`, m, of each other.
    ///
    /// Two places that near, one on each boundary, are both in the window of a region whose
    /// ranges hold their segments. Windows may overlap. Empty where boxes are farther apart.
    pub fn boundaries(
        &mut self,
        outlines: &Outlines,
        pair: Pair,
        margin: f64,
        settings: LocalizeSettings,
    ) -> &[Region] {
        self.regions.clear();
        let [a, b] = [pair.a, pair.b].map(|at| Node::root(outlines, at, settings));
        self.meeting(outlines, [&a, &b], margin);
        &self.regions
    }

    /// Refines one pair of nodes whose boundaries may meet.
    fn meeting(&mut self, outlines: &Outlines, [a, b]: [&Node; 2], margin: f64) {
        let reach = a.rect.grown(margin);
        if !reach.meets(&b.rect) {
            return;
        }
        match children(outlines, [a, b]) {
            Some(pairs) => {
                for [a, b] in &pairs {
                    self.meeting(outlines, [a, b], margin);
                }
            }
            None => {
                let window = reach.common(b.rect.grown(margin));
                self.regions.push(Region { window, a: a.range(), b: b.range() });
            }
        }
    }

    /// Windows where a's boundary can be inside b; all of b counts in each.
    ///
    /// What lies deep inside is near no segment of b, so b's box alone bounds its inside.
    /// Every place of a's boundary inside b is in a window whose range of a holds its segment.
    pub fn volumes(
        &mut self,
        outlines: &Outlines,
        pair: Pair,
        settings: LocalizeSettings,
    ) -> &[Region] {
        self.regions.clear();
        let whole = Node::root(outlines, pair.b, LocalizeSettings { height: 0 });
        self.meeting(outlines, [&Node::root(outlines, pair.a, settings), &whole], 0.0);
        &self.regions
    }

    /// Windows that hold the place of a's boundary closest to b's, by branch and bound.
    ///
    /// One region or more; one of them has the window around the closest place on a and the
    /// ranges with the segments of both closest places. The outlines should not meet.
    pub fn closest(
        &mut self,
        outlines: &Outlines,
        pair: Pair,
        settings: LocalizeSettings,
    ) -> &[Region] {
        self.regions.clear();
        self.candidates.clear();
        let [a, b] = [pair.a, pair.b].map(|at| Node::root(outlines, at, settings));
        let mut most_sq = f64::INFINITY;
        self.closer(outlines, [&a, &b], &mut most_sq);
        let bound_sq = most_sq * (1.0 + ROUNDING);
        let near = |pair: &&[Node; 2]| pair[0].rect.gap_sq(&pair[1].rect) <= bound_sq;
        self.regions.extend(self.candidates.iter().filter(near).map(|[a, b]| Region {
            window: a.rect.common(b.rect.grown(bound_sq.sqrt())),
            a: a.range(),
            b: b.range(),
        }));
        &self.regions
    }

    /// Refines one pair of nodes as long as it may hold a way below `most_sq`, m².
    fn closer(&mut self, outlines: &Outlines, [a, b]: [&Node; 2], most_sq: &mut f64) {
        if a.rect.gap_sq(&b.rect) > *most_sq * (1.0 + ROUNDING) {
            return;
        }
        *most_sq = most_sq.min(known_sq(outlines.points(), a, b));
        match children(outlines, [a, b]) {
            Some(mut pairs) => {
                let gap_sq = |pair: &[Node; 2]| pair[0].rect.gap_sq(&pair[1].rect);
                if gap_sq(&pairs[1]) < gap_sq(&pairs[0]) {
                    pairs.swap(0, 1);
                }
                for [a, b] in &pairs {
                    self.closer(outlines, [a, b], most_sq);
                }
            }
            None => self.candidates.push([*a, *b]),
        }
    }
}

/// Upper bound of the squared distance of two nodes, m²: from middle to middle.
fn known_sq(points: &[Vec2], a: &Node, b: &Node) -> f64 {
    let [p, q] = [a, b].map(|node| points[node.start + (node.end - node.start) / 2]);
    p.distance_squared(q)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brute;
    use crate::exact::shapes;
    use crate::segment::{meet, nearest_pair, place};
    use proptest::prelude::*;

    const PAIR: Pair = Pair { a: 0, b: 1 };
    const HEIGHTS: [u32; 5] = [0, 1, 3, 6, 40];

    /// Every two segments within the margin, and where they are nearest.
    fn plain(outlines: &Outlines, margin: f64) -> Vec<(usize, usize, [Vec2; 2])> {
        let all = outlines.range(0).flat_map(|a| outlines.range(1).map(move |b| (a, b)));
        let nearest = all.map(|(a, b)| {
            let (p, q) = (outlines.segment(a), outlines.segment(b));
            let [s, t] = nearest_pair(p, q);
            (a, b, [place(p, s), place(q, t)], meet(p, q))
        });
        nearest
            .filter(|(_, _, [p, q], meet)| *meet || p.distance(*q) <= margin)
            .map(|(a, b, places, _)| (a, b, places))
            .collect()
    }

    #[test]
    fn height_zero_takes_whole_boxes_and_more_takes_what_meets() {
        let mut outlines = Outlines::default();
        let square = |x: f64| {
            [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)].map(|(u, v)| Vec2::new(x + u, v))
        };
        outlines.push(&[square(0.0).to_vec()]).unwrap();
        outlines.push(&[square(1.5).to_vec()]).unwrap();
        let mut localizer = Localizer::default();
        let mut find = |margin: f64, height: u32| {
            localizer.boundaries(&outlines, PAIR, margin, LocalizeSettings { height }).to_vec()
        };
        assert!(find(0.25, 0).is_empty());
        let [whole] = &find(0.5, 0)[..] else { panic!() };
        assert_eq!((whole.a.clone(), whole.b.clone()), (0..4, 4..8));
        // The right sides of one square and the left side of the other, each with its neighbours.
        let fine = find(0.5, 9);
        assert!(fine.iter().all(|region| region.a.len() == 1 && region.b.len() == 1));
        assert!(fine.iter().any(|region| region.a == (1..2) && region.b == (7..8)));
        assert!(fine.iter().all(|region| region.a != (3..4) && region.b != (5..6)));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn no_near_pair_of_segments_is_lost(seed in 0_u64..1 << 48, margin in 0.0..0.3) {
            let outlines = shapes::pair(seed);
            let margin = margin * shapes::scale(&outlines);
            let mut localizer = Localizer::default();
            for height in HEIGHTS {
                let settings = LocalizeSettings { height };
                let regions = localizer.boundaries(&outlines, PAIR, margin, settings);
                for (a, b, [p, q]) in plain(&outlines, margin) {
                    let holds = |region: &&Region| region.a.contains(&a) && region.b.contains(&b);
                    let slack = 1e-15 * p.abs().max_element();
                    let found = regions.iter().find(holds).map(|region| region.window.grown(slack));
                    prop_assert!(found.is_some_and(|w| w.contains(p) && w.contains(q)), "{a} {b}");
                }
            }
        }

        #[test]
        fn no_vertex_inside_is_lost(seed in 0_u64..1 << 48) {
            let outlines = shapes::pair(seed);
            let mut localizer = Localizer::default();
            for height in HEIGHTS {
                let regions = localizer.volumes(&outlines, PAIR, LocalizeSettings { height });
                for at in outlines.range(0) {
                    let point = outlines.points()[at];
                    let inside = brute::spot(&outlines, 1, point) == brute::PointLocation::Inside;
                    let found = regions.iter().find(|region| region.a.contains(&at));
                    prop_assert!(!inside || found.is_some_and(|found| found.window.contains(point)));
                }
            }
        }

        #[test]
        fn the_closest_pair_is_in_a_region(seed in 0_u64..1 << 48) {
            let outlines = shapes::apart(seed);
            let expected = brute::separation(&outlines, 0, 1).unwrap();
            let mut localizer = Localizer::default();
            for height in HEIGHTS {
                let regions = localizer.closest(&outlines, PAIR, LocalizeSettings { height });
                let least = regions.iter().flat_map(|region| {
                    let ways = region.a.clone().flat_map(|a| region.b.clone().map(move |b| (a, b)));
                    ways.map(|(a, b)| {
                        let (p, q) = (outlines.segment(a), outlines.segment(b));
                        let [s, t] = nearest_pair(p, q);
                        place(p, s).distance(place(q, t))
                    })
                });
                let slack = 1e-15 * expected.on_a.abs().max_element();
                let holds = |region: &Region| region.window.grown(slack).contains(expected.on_a);
                prop_assert_eq!(least.fold(f64::INFINITY, f64::min), expected.distance);
                prop_assert!(regions.iter().any(holds));
            }
        }
    }
}
