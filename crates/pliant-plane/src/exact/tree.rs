//! Trees of boxes over the segments of every outline, built anew for every frame.
//!
//! Every ring is split into leaves of a few consecutive segments, leaves are grouped by fours,
//! and so on up to one root for each outline. All boxes together take one pass over the
//! points, less than any query without them, so none is deferred or kept. Only of outlines whose
//! boxes lie over each other, as those of a star's spikes do, nodes that are long and slanted
//! get an [`oriented`](super::oriented) box too, in one pass for each level.

use pliant::math::{Vec2, orient2d};

use super::super::boundary::PointLocation;
use super::super::outline::Outlines;
use super::super::rect::Rect;
use super::super::segment::right_of;
use super::super::work;
use super::oriented::{Beside, OrientedBox};

/// Segments of a leaf.
const LEAF: usize = 4;

/// Children of a node.
pub(crate) const FAN: usize = 4;

/// Fewest segments of an outline whose nodes get oriented boxes; fewer are as fast without.
///
/// Unit tests compare small outlines with the reference, so that there all get them.
const MANY: usize = if cfg!(test) { 1 } else { 512 };

/// Boxes of leaves over each other from which on an outline gets oriented boxes.
///
/// Coasts, gears, strips and smooth curves have 0.3 to 1, a comb 2, a star of 10 000 segments 67.
const CROWDED: f64 = 4.0;

/// The same, but in unit tests, where all outlines get them.
const LEAST_CROWD: f64 = if cfg!(test) { 0.0 } else { CROWDED };

/// In place of an oriented box's number: none.
const UPRIGHT: u32 = u32::MAX;

/// How far a computed place on a segment can lie beside it, relative to its coordinates.
///
/// Two roundings of the place, and the rounding of the box itself.
const PLACE_ERROR: f64 = 8.0 * f64::EPSILON;

/// A part of an outline's boundary.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    /// Box of its segments and of every place computed on them, m.
    pub rect: Rect,
    /// First child, or first segment of a leaf.
    pub first: u32,
    /// One past the last.
    pub end: u32,
    /// Levels of nodes below it; 0 for a leaf, whose segments are of one ring.
    pub level: u32,
    /// Its oriented box, or [`UPRIGHT`].
    oriented: u32,
    /// Both ends of the run of segments below it.
    ends: [RunEnd; 2],
}

/// Where a run of consecutive segments of an outline begins or ends.
#[derive(Clone, Copy, Debug)]
struct RunEnd {
    /// The point there; the ring's first where a ring ends.
    point: u32,
    /// First point of its ring.
    ring: u32,
}

impl RunEnd {
    /// Whether the way from the ring's first point to this one crosses a height oddly.
    #[inline]
    fn is_odd(self, points: &[Vec2], y: f64) -> bool {
        let below = |at: u32| points[at as usize].y <= y;
        self.point != self.ring && below(self.point) != below(self.ring)
    }
}

impl Node {
    /// Whether it has no oriented box.
    #[inline]
    pub fn is_upright(&self) -> bool {
        self.oriented == UPRIGHT
    }

    #[inline]
    pub fn children(&self) -> std::ops::Range<usize> {
        self.first as usize..self.end as usize
    }
}

/// A box grown to hold every place computed on segments in it.
#[inline]
fn with_places(rect: Rect) -> Rect {
    let [x, y] = [[rect.min.x, rect.max.x], [rect.min.y, rect.max.y]]
        .map(|[low, high]| if -low > high { -low } else { high });
    let pad = PLACE_ERROR * if x > y { x } else { y };
    Rect { min: rect.min - pad, max: rect.max + pad }
}

/// Box of a segment and of every place computed on it, m.
#[inline]
pub(crate) fn padded(ends: [Vec2; 2]) -> Rect {
    with_places(Rect::of(ends))
}

/// All boxes of a frame; memory is used again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Boxes {
    /// Outline after outline: leaves in order, then level by level up to the root.
    nodes: Vec<Node>,
    /// Root of each outline among the nodes.
    roots: Vec<u32>,
    /// Those of some nodes.
    oriented: Vec<OrientedBox>,
    /// Scratch memory: areas of the leaves below each node of one outline together, m².
    covered: Vec<f64>,
}

impl Boxes {
    /// Makes the boxes of all outlines.
    pub fn build(&mut self, outlines: &Outlines) {
        self.nodes.clear();
        self.roots.clear();
        self.oriented.clear();
        for outline in 0..outlines.len() {
            let start = self.nodes.len();
            let mut level_start = start;
            for ring in outlines.rings(outline) {
                self.leaves(outlines, ring);
            }
            let mut level = 0;
            while self.nodes.len() - level_start > 1 {
                level += 1;
                let below = level_start..self.nodes.len();
                level_start = below.end;
                for first in below.clone().step_by(FAN) {
                    let end = (first + FAN).min(below.end);
                    let rects = self.nodes[first..end].iter().map(|node| node.rect);
                    let rect = rects.fold(Rect::EMPTY, Rect::union);
                    let ends = [self.nodes[first].ends[0], self.nodes[end - 1].ends[1]];
                    let (first, end) = (first as u32, end as u32);
                    self.nodes.push(Node { rect, first, end, level, oriented: UPRIGHT, ends });
                }
            }
            self.roots.push(level_start as u32);
            if outlines.range(outline).len() >= MANY && self.crowd(start) >= LEAST_CROWD {
                self.orient(outlines.points(), start);
            }
        }
    }

    /// Boxes of leaves that a point in the box of a node is in, on average; of the worst node.
    ///
    /// Of the last outline, whose first leaf is given.
    fn crowd(&mut self, first_leaf: usize) -> f64 {
        let Self { nodes, covered, .. } = self;
        let mut most = 0.0_f64;
        covered.clear();
        for node in &nodes[first_leaf..] {
            let size = node.rect.max - node.rect.min;
            let area = size.x * size.y;
            if node.level == 0 {
                covered.push(area);
                continue;
            }
            let below = node.children();
            let leaves = covered[below.start - first_leaf..below.end - first_leaf].iter().sum();
            covered.push(leaves);
            // Boxes without an area give no number, which is passed over.
            most = most.max(leaves / area);
        }
        most
    }

    /// Makes the oriented boxes of the last outline, whose first leaf is given.
    #[cold]
    #[inline(never)]
    fn orient(&mut self, points: &[Vec2], first_leaf: usize) {
        for at in first_leaf..self.nodes.len() {
            let leaves = self.leaves_below(at);
            let of_leaf = |leaf: &Node| {
                let own = leaf.children().chain([leaf.ends[1].point as usize]);
                own.map(|point| points[point])
            };
            let below = self.nodes[leaves].iter().flat_map(of_leaf);
            if let Some(oriented) = OrientedBox::of_points(below, &self.nodes[at].rect) {
                self.nodes[at].oriented = self.oriented.len() as u32;
                self.oriented.push(oriented);
            }
        }
    }

    /// The leaves below a node.
    fn leaves_below(&self, at: usize) -> std::ops::Range<usize> {
        let mut ends = [at, at];
        for _ in 0..self.nodes[at].level {
            let [first, last] = ends;
            ends = [self.nodes[first].first as usize, self.nodes[last].end as usize - 1];
        }
        ends[0]..ends[1] + 1
    }

    /// Makes the leaves of one ring.
    fn leaves(&mut self, outlines: &Outlines, ring: std::ops::Range<usize>) {
        let points = outlines.points();
        for first in ring.clone().step_by(LEAF) {
            let end = (first + LEAF).min(ring.end);
            let last = if end == ring.end { ring.start } else { end };
            let tight = points[first..end]
                .iter()
                .fold(Rect::of([points[last]; 2]), |rect, &p| rect.with(p));
            let rect = with_places(tight);
            let ends =
                [first, last].map(|point| RunEnd { point: point as u32, ring: ring.start as u32 });
            let [first, end] = [first as u32, end as u32];
            self.nodes.push(Node { rect, first, end, level: 0, oriented: UPRIGHT, ends });
        }
    }
}

/// Outlines with their boxes: the input of queries.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    /// The outlines.
    pub outlines: &'a Outlines,
    /// Their boxes as they are now.
    pub boxes: &'a Boxes,
}

impl<'a> View<'a> {
    #[inline]
    pub fn node(&self, at: usize) -> &'a Node {
        work::count();
        &self.boxes.nodes[at]
    }

    /// Whether no node of any outline has an oriented box.
    #[inline]
    pub fn all_upright(&self) -> bool {
        self.boxes.oriented.is_empty()
    }

    /// The oriented box of a node, if it has one.
    #[inline]
    pub fn oriented(&self, node: &Node) -> Option<&'a OrientedBox> {
        if node.is_upright() { None } else { self.kept(node) }
    }

    // Out of line, so that the loops over upright boxes stay as small as they are without.
    #[cold]
    fn kept(&self, node: &Node) -> Option<&'a OrientedBox> {
        self.boxes.oriented.get(node.oriented as usize)
    }

    #[inline]
    pub fn root(&self, outline: usize) -> usize {
        self.boxes.roots[outline] as usize
    }

    /// Box of a whole outline, m, a little too large.
    pub fn rect(&self, outline: usize) -> Rect {
        self.node(self.root(outline)).rect
    }

    /// Where a point is; exact.
    pub fn spot(&self, outline: usize, point: Vec2) -> PointLocation {
        let root = self.root(outline);
        let mut odd = false;
        if !self.node(root).rect.contains(point) {
            PointLocation::Outside
        } else if self.on_boundary(root, point, &mut odd) {
            PointLocation::Boundary
        } else if odd {
            PointLocation::Inside
        } else {
            PointLocation::Outside
        }
    }

    /// Appends the segments of an outline within a distance of `rect`, ascending.
    ///
    /// `most_sq` is its square, m². Some that are a little farther may be among them.
    pub fn segments_near(&self, outline: usize, rect: &Rect, most_sq: f64, found: &mut Vec<u32>) {
        self.near_node(self.root(outline), rect, most_sq, found);
    }

    fn near_node(&self, node: usize, rect: &Rect, most_sq: f64, found: &mut Vec<u32>) {
        let node = self.node(node);
        if node.rect.gap_sq(rect) > most_sq {
            return;
        }
        if let Some(oriented) = self.oriented(node)
            && oriented.gap_sq(&OrientedBox::of_rect(rect)) > most_sq
        {
            return;
        }
        if node.level > 0 {
            node.children().for_each(|child| self.near_node(child, rect, most_sq, found));
            return;
        }
        let near = |at: &usize| padded(self.outlines.segment(*at)).gap_sq(rect) <= most_sq;
        found.extend(node.children().filter(near).map(|at| at as u32));
    }

    /// Whether the ray from a point to the right crosses an odd number of segments; exact.
    ///
    /// Unlike [`View::spot`] it has a result on the boundary too, as
    /// [`right_of`] has.
    pub fn is_odd(&self, outline: usize, point: Vec2) -> bool {
        self.crossed_oddly(self.root(outline), point)
    }

    fn crossed_oddly(&self, node: usize, point: Vec2) -> bool {
        let node = self.node(node);
        let rect = &node.rect;
        if point.y < rect.min.y || point.y > rect.max.y || point.x > rect.max.x {
            return false;
        }
        match self.beside(node, point) {
            Some(Beside::Left) => return false,
            Some(Beside::Right) => return self.run_is_odd(node, point.y),
            None => {}
        }
        if node.level > 0 {
            return node
                .children()
                .fold(false, |odd, child| odd ^ self.crossed_oddly(child, point));
        }
        node.children().fold(false, |odd, at| odd ^ right_of(self.outlines.segment(at), point))
    }

    /// On which side of a point a node is, if its boxes say so.
    #[inline]
    fn beside(&self, node: &Node, point: Vec2) -> Option<Beside> {
        if point.x < node.rect.min.x {
            return Some(Beside::Right);
        }
        self.oriented(node).and_then(|oriented| oriented.beside(point))
    }

    /// Whether the run of segments below a node crosses a height oddly.
    ///
    /// Whole rings cross it evenly, so that the rings in which the run begins and ends decide.
    #[inline]
    fn run_is_odd(&self, node: &Node, y: f64) -> bool {
        let points = self.outlines.points();
        node.ends[0].is_odd(points, y) != node.ends[1].is_odd(points, y)
    }

    /// Whether a point lies on a segment of a node; turns `odd` for every one to its right.
    fn on_boundary(&self, node: usize, point: Vec2, odd: &mut bool) -> bool {
        let node = self.node(node);
        let rect = &node.rect;
        if point.y < rect.min.y || point.y > rect.max.y || point.x > rect.max.x {
            return false;
        }
        if let Some(beside) = self.beside(node, point) {
            *odd ^= beside == Beside::Right && self.run_is_odd(node, point.y);
            return false;
        }
        if node.level > 0 {
            return node.children().any(|child| self.on_boundary(child, point, odd));
        }
        node.children().any(|at| segment_holds(self.outlines.segment(at), point, odd))
    }
}

/// Whether a point lies on a segment; turns `odd` where the segment is to its right.
///
/// As [`right_of`] and
/// [`touches`](super::super::segment::touches), in one test.
#[inline]
fn segment_holds([a, b]: [Vec2; 2], point: Vec2, odd: &mut bool) -> bool {
    let rect = Rect::of([a, b]);
    if point.y < rect.min.y || point.y > rect.max.y || point.x > rect.max.x {
        return false;
    }
    let straddles = (a.y <= point.y) != (b.y <= point.y);
    if point.x < rect.min.x {
        *odd ^= straddles;
        return false;
    }
    let side = orient2d(a, b, point);
    *odd ^= straddles && (if b.y > a.y { side > 0.0 } else { side < 0.0 });
    side == 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brute;
    use crate::exact::shapes;
    use crate::generate::coast::{CoastSettings, coast};
    use crate::generate::gear::{GearSettings, gear};
    use crate::generate::hostile::Hostile;
    use crate::generate::strip::{StripSettings, strip};
    use proptest::prelude::*;

    fn crowd(rings: &[Vec<Vec2>]) -> f64 {
        let mut outlines = Outlines::default();
        outlines.push(rings).unwrap();
        let mut boxes = Boxes::default();
        boxes.build(&outlines);
        boxes.crowd(0)
    }

    #[test]
    fn boxes_of_a_star_lie_over_each_other_and_those_of_ordinary_outlines_do_not() {
        let points = 2000;
        let (module, backlash) = (1.0, 0.6);
        let teeth = points / 4;
        let size = [1.0, 10.0];
        let rings = [
            coast(&CoastSettings { points, radius: 1.0, roughness: 0.5, seed: 1 }),
            gear(&GearSettings { teeth, module, backlash, bore: None }),
            strip(&StripSettings { size, points, amplitude: 0.45, waves: 50.0 }),
        ];
        for rings in rings {
            let crowd = crowd(&rings.unwrap());
            assert!(crowd < 0.5 * CROWDED, "{crowd}");
        }
        for family in Hostile::ALL {
            let crowd = crowd(&family.rings(2000).unwrap());
            assert_eq!(crowd > CROWDED, family == Hostile::Star, "{}: {crowd}", family.name());
        }
        // Every square is a leaf; two lie over each other, two beside them:
        // four unit squares in a box of four.
        let step = |x: f64, y: f64| [(x, y), (x + 1.0, y), (x + 1.0, y + 1.0), (x, y + 1.0)];
        let squares = [step(0.0, 0.0), step(0.0, 0.0), step(1.0, 0.0), step(1.0, 1.0)];
        let crowd = crowd(&squares.map(|ring| ring.map(Vec2::from).to_vec()));
        assert!((crowd - 1.0).abs() < 1e-12, "{crowd}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn a_point_is_where_all_segments_say(seed in 0_u64..1 << 48) {
            let outlines = shapes::pair(seed);
            let mut boxes = Boxes::default();
            boxes.build(&outlines);
            let view = View { outlines: &outlines, boxes: &boxes };
            for outline in 0..2 {
                // Also middles of edges, near or on the boundary, and level with corners.
                let level = Vec2::new(outlines.points()[0].x, outlines.points()[1].y);
                let middles = (0..outlines.points().len()).map(|at| {
                    let [a, b] = outlines.segment(at);
                    a.midpoint(b)
                });
                for point in outlines.points().iter().copied().chain(middles).chain([level]) {
                    let expected = brute::spot(&outlines, outline, point);
                    prop_assert_eq!(view.spot(outline, point), expected, "{}", point);
                    let segments = outlines.range(outline).map(|at| outlines.segment(at));
                    let crossed = segments.filter(|ends| right_of(*ends, point)).count();
                    prop_assert_eq!(view.is_odd(outline, point), crossed % 2 == 1, "{}", point);
                }
            }
        }
    }
}
