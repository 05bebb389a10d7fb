//! A bounding volume hierarchy: finds boxes that meet a box, a ray or are near a point.
//!
//! Halves the items at the median of the longest side, down to leaves; nodes lie
//! in one array with the left child next to its parent. When items move, the tree can be
//! refitted: its topology stays, only the boxes change.

use crate::math::{Aabb, Vec3};
use crate::mesh::ray::PreparedRay;

/// Items of a leaf: below this, testing all is faster than another level.
const LEAF: usize = 4;

/// Levels of a tree: halving 2³² items ends before.
const LEVELS: usize = 32;

/// Boxes of items, arranged for queries.
#[derive(Clone, Debug, Default)]
pub struct Bvh {
    /// Depth-first; empty when there are no items.
    nodes: Vec<Node>,
    /// Item numbers; each leaf owns a range.
    items: Vec<u32>,
    /// Box of each entry of `items`, same order, m.
    boxes: Vec<Aabb>,
}

/// A leaf, or a node whose left child follows it.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// Around everything below, m.
    around: Aabb,
    /// First entry of `items` below this node.
    start: u32,
    /// One past the last entry of `items` below this node.
    end: u32,
    /// First node that is not below this one.
    skip: u32,
}

impl Bvh {
    /// Builds the tree; item i is `boxes[i]`. Empty boxes are never found.
    pub(crate) fn new(boxes: &[Aabb]) -> Bvh {
        let mut tree = Bvh { nodes: Vec::new(), items: Vec::new(), boxes: Vec::new() };
        tree.items = (0..boxes.len() as u32)
            .filter(|&item| boxes[item as usize].size().cmpge(Vec3::ZERO).all())
            .collect();
        let mut open = Vec::new(); // ranges still to split, with the node to close after them
        if !tree.items.is_empty() {
            open.push(0..tree.items.len());
        }
        while let Some(range) = open.pop() {
            let around = tree.items[range.clone()]
                .iter()
                .fold(Aabb::EMPTY, |sum, &item| sum.union(boxes[item as usize]));
            let (start, end) = (range.start as u32, range.end as u32);
            tree.nodes.push(Node { around, start, end, skip: 0 });
            if range.len() > LEAF {
                let middle = range.start + range.len() / 2;
                let size = around.size();
                let axis = if size.x >= size.y && size.x >= size.z {
                    0
                } else if size.y >= size.z {
                    1
                } else {
                    2
                };
                let key = |item: &u32| {
                    let b = boxes[*item as usize];
                    b.min.to_array()[axis] + b.max.to_array()[axis]
                };
                tree.items[range.clone()].select_nth_unstable_by(middle - range.start, |a, b| {
                    key(a).total_cmp(&key(b)).then(a.cmp(b))
                });
                open.push(middle..range.end);
                open.push(range.start..middle);
            }
        }
        tree.boxes = tree.items.iter().map(|&item| boxes[item as usize]).collect();
        tree.close();
        tree
    }

    /// A tree to be refitted before it is asked: items without a box yet are in it too.
    ///
    /// They may get one later; their places in the tree are those of boxes at the origin.
    pub(crate) fn to_refit(boxes: &[Aabb]) -> Bvh {
        let origin = Aabb { min: Vec3::ZERO, max: Vec3::ZERO };
        let is_sound = |b: &Aabb| b.size().cmpge(Vec3::ZERO).all();
        let placed: Vec<_> = boxes.iter().map(|b| if is_sound(b) { *b } else { origin }).collect();
        Bvh::new(&placed)
    }

    /// Refits the tree to items that have moved, without allocating.
    ///
    /// Right for any motion; fast while neighbours stay neighbours. Items that were empty
    /// when the tree was built stay out.
    pub(crate) fn refit(&mut self, box_of: impl Fn(u32) -> Aabb) {
        for (around, &item) in self.boxes.iter_mut().zip(&self.items) {
            *around = box_of(item);
        }
        // Children come after their parent, so backwards every child is ready before it.
        for at in (0..self.nodes.len()).rev() {
            let node = self.nodes[at];
            self.nodes[at].around = if node.skip as usize == at + 1 {
                let below = &self.boxes[node.start as usize..node.end as usize];
                below.iter().fold(Aabb::EMPTY, |sum, &around| sum.union(around))
            } else {
                let left = self.nodes[at + 1];
                left.around.union(self.nodes[left.skip as usize].around)
            };
        }
    }

    /// Calls `look` with the items whose boxes are near `point`, near ones first if it can.
    ///
    /// `look` returns the square of the distance, m², beyond which nothing more is
    /// wanted, `within_sq` being its first value. Every item whose box is not beyond the last
    /// of these is shown, those at that very distance too, so that ties can be decided.
    pub(crate) fn near(&self, point: Vec3, within_sq: f64, look: impl FnMut(u32) -> f64) {
        self.nearest_first(|around| around.distance_sq(point), within_sq, look);
    }

    /// Calls `look` with the items whose boxes a ray meets, those met first if it can.
    ///
    /// `look` returns the distance along the ray, m, beyond which nothing more is wanted,
    /// `within` being its first value; `f64::MAX` where all are.
    pub(crate) fn along(&self, ray: &PreparedRay, within: f64, look: impl FnMut(u32) -> f64) {
        self.nearest_first(|around| ray.enters(around).unwrap_or(f64::INFINITY), within, look);
    }

    /// Calls `look` with the items that may be farthest along a direction, far ones first if it can.
    ///
    /// `look` returns the largest coordinate along it, m, that is known so far.
    pub(crate) fn farthest(&self, direction: Vec3, mut look: impl FnMut(u32) -> f64) {
        let is_up = direction.cmpge(Vec3::ZERO);
        let top = |around: Aabb| direction.dot(Vec3::select(is_up, around.max, around.min));
        self.nearest_first(|around| -top(around), f64::INFINITY, |item| -look(item));
    }

    /// Calls `look` with items in about the order of a distance, up to what `look` returns.
    #[inline]
    fn nearest_first(
        &self,
        distance: impl Fn(Aabb) -> f64,
        mut within: f64,
        mut look: impl FnMut(u32) -> f64,
    ) {
        let mut open = [(0.0, 0_u32); LEVELS]; // far halves put off, with their distances
        let mut open_count = 0;
        let mut at = 0_usize;
        if self.nodes.is_empty() {
            return;
        }
        loop {
            let node = &self.nodes[at];
            if node.skip as usize != at + 1 {
                let right = self.nodes[at + 1].skip;
                let mut near = (distance(self.nodes[at + 1].around), at as u32 + 1);
                let mut far = (distance(self.nodes[right as usize].around), right);
                if far.0 < near.0 {
                    (near, far) = (far, near);
                }
                if far.0 <= within {
                    open[open_count] = far;
                    open_count += 1;
                }
                if near.0 <= within {
                    at = near.1 as usize;
                    continue;
                }
            } else {
                for entry in node.start as usize..node.end as usize {
                    if distance(self.boxes[entry]) <= within {
                        within = look(self.items[entry]);
                    }
                }
            }
            // Resume at the last half put off that is still near enough.
            loop {
                if open_count == 0 {
                    return;
                }
                open_count -= 1;
                if open[open_count].0 <= within {
                    at = open[open_count].1 as usize;
                    break;
                }
            }
        }
    }

    /// Calls `found` with every item whose box meets `query`, in a fixed order.
    ///
    /// Stops early when `found` returns `false`.
    pub fn meeting(&self, query: Aabb, found: impl FnMut(u32) -> bool) {
        self.meeting_where(query, |_| true, found);
    }

    /// The same, but skips the nodes for which `wanted` returns `false`.
    ///
    /// Nodes are numbered as in [`Bvh::summaries`].
    pub(crate) fn meeting_where(
        &self,
        query: Aabb,
        wanted: impl Fn(usize) -> bool,
        mut found: impl FnMut(u32) -> bool,
    ) {
        let mut at = 0;
        while let Some(node) = self.nodes.get(at) {
            if !node.around.meets(query) || !wanted(at) {
                at = node.skip as usize;
                continue;
            }
            at += 1;
            if node.skip as usize != at {
                continue;
            }
            for entry in node.start as usize..node.end as usize {
                if self.boxes[entry].meets(query) && !found(self.items[entry]) {
                    return;
                }
            }
        }
    }

    /// Calls `found` with the pairs of items whose boxes meet and are wanted.
    ///
    /// The first of a pair is an item here, the second one of `other`. Two boxes that are not
    /// wanted must hold no wanted ones. The order is fixed. Nodes far from the other tree are
    /// skipped as a whole, so that surfaces which cross along a line cost about as much as that
    /// line is long.
    pub(crate) fn meeting_pairs(
        &self,
        other: &Bvh,
        wanted: impl Fn(Aabb, Aabb) -> bool,
        found: impl FnMut(u32, u32),
    ) {
        self.pairs_where(other, |a, b| a.meets(b) && wanted(a, b), found);
    }

    /// The same of pairs whose boxes are near in whatever sense, as where one tree is moved.
    pub(crate) fn pairs_where(
        &self,
        other: &Bvh,
        is_near: impl Fn(Aabb, Aabb) -> bool,
        mut found: impl FnMut(u32, u32),
    ) {
        if self.nodes.is_empty() || other.nodes.is_empty() {
            return;
        }
        let mut open = [(0_u32, 0_u32); 2 * LEVELS]; // each split leaves one pair more
        let mut open_count = 1;
        while open_count > 0 {
            open_count -= 1;
            let (at_a, at_b) = open[open_count];
            let (a, b) = (&self.nodes[at_a as usize], &other.nodes[at_b as usize]);
            if !is_near(a.around, b.around) {
                continue;
            }
            let (whole_a, whole_b) = (a.skip == at_a + 1, b.skip == at_b + 1);
            if whole_a && whole_b {
                for entry_a in a.start as usize..a.end as usize {
                    let around = self.boxes[entry_a];
                    if !is_near(around, b.around) {
                        continue;
                    }
                    for entry_b in b.start as usize..b.end as usize {
                        if is_near(around, other.boxes[entry_b]) {
                            found(self.items[entry_a], other.items[entry_b]);
                        }
                    }
                }
            } else if whole_b || !whole_a && a.end - a.start >= b.end - b.start {
                let right = self.nodes[at_a as usize + 1].skip;
                open[open_count] = (right, at_b);
                open[open_count + 1] = (at_a + 1, at_b);
                open_count += 2;
            } else {
                let right = other.nodes[at_b as usize + 1].skip;
                open[open_count] = (at_a, right);
                open[open_count + 1] = (at_a, at_b + 1);
                open_count += 2;
            }
        }
    }

    /// Around all items, m; empty when there are none.
    pub(crate) fn around(&self) -> Aabb {
        self.nodes.first().map_or(Aabb::EMPTY, |root| root.around)
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Number of nodes; they are numbered as in [`Bvh::summaries`].
    pub(crate) fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The items below a node.
    pub(crate) fn items_below(&self, node: usize) -> &[u32] {
        let Node { start, end, .. } = self.nodes[node];
        &self.items[start as usize..end as usize]
    }

    /// One value per node, joined from those of all items below it.
    pub(crate) fn summaries<T: Copy>(
        &self,
        of_item: impl Fn(u32) -> T,
        join: impl Fn(T, T) -> T,
    ) -> Vec<T> {
        // Children come after their parent, so backwards every child is ready before it.
        let mut backward: Vec<T> = Vec::with_capacity(self.nodes.len());
        for at in (0..self.nodes.len()).rev() {
            let node = self.nodes[at];
            let of_child = |child: usize| backward[self.nodes.len() - 1 - child];
            let first = of_item(self.items[node.start as usize]);
            let joined = if node.skip as usize == at + 1 {
                let items = &self.items[node.start as usize + 1..node.end as usize];
                items.iter().fold(first, |sum, &item| join(sum, of_item(item)))
            } else {
                let left = at + 1;
                join(of_child(left), of_child(self.nodes[left].skip as usize))
            };
            backward.push(joined);
        }
        backward.reverse();
        backward
    }

    /// Fills in where each node's subtree ends: at the first later node outside its range.
    fn close(&mut self) {
        let mut ancestors: Vec<usize> = Vec::new();
        for at in 0..self.nodes.len() {
            while let Some(&last) = ancestors.last() {
                if self.nodes[last].end > self.nodes[at].start {
                    break;
                }
                self.nodes[last].skip = at as u32;
                ancestors.pop();
            }
            ancestors.push(at);
        }
        let end = self.nodes.len() as u32;
        for at in ancestors {
            self.nodes[at].skip = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::Random;

    fn random_boxes(count: usize) -> Vec<Aabb> {
        let mut random = Random::new(7);
        (0..count)
            .map(|_| {
                let corner = random.point();
                Aabb { min: corner, max: corner + random.point() * 0.2 }
            })
            .collect()
    }

    #[test]
    fn queries_find_what_the_slow_twin_finds() {
        for count in [0, 1, 4, 5, 9, 300] {
            let boxes = random_boxes(count);
            let tree = Bvh::new(&boxes);
            for &query in &boxes {
                let mut found = Vec::new();
                tree.meeting(query, |item| {
                    found.push(item);
                    true
                });
                found.sort_unstable();
                let meets = |i: &u32| boxes[*i as usize].meets(query);
                let slow: Vec<_> = (0..count as u32).filter(meets).collect();
                assert_eq!(found, slow);
            }
        }
    }

    #[test]
    fn pairs_are_those_of_all_against_all() {
        for counts in [[0, 3], [3, 0], [1, 1], [4, 300], [300, 5], [200, 300]] {
            let boxes = random_boxes(counts[0] + counts[1]);
            let (own, others) = boxes.split_at(counts[0]);
            let mut found = Vec::new();
            // Not of those that lie on the same side of a plane.
            let wanted = |a: Aabb, b: Aabb| a.union(b).max.x > 0.5 && a.union(b).min.x < 0.5;
            Bvh::new(own).meeting_pairs(&Bvh::new(others), wanted, |a, b| found.push((a, b)));
            found.sort_unstable();
            let all = (0..counts[0]).flat_map(|a| (0..counts[1]).map(move |b| (a, b)));
            let is_found = |a: Aabb, b: Aabb| a.meets(b) && wanted(a, b);
            let slow = all.filter(|(a, b)| is_found(own[*a], others[*b]));
            let slow: Vec<_> = slow.map(|(a, b)| (a as u32, b as u32)).collect();
            assert_eq!(found, slow);
        }
    }

    #[test]
    fn near_shows_the_nearest_and_all_at_the_same_distance() {
        for count in [0, 1, 4, 5, 9, 300] {
            let mut boxes = random_boxes(count);
            boxes.extend_from_within(..);
            let tree = Bvh::new(&boxes);
            for point in random_boxes(50).iter().map(|b| 2.0 * b.min - 0.5) {
                let (mut best, mut shown) = (f64::INFINITY, Vec::new());
                tree.near(point, best, |item| {
                    shown.push(item);
                    best = best.min(boxes[item as usize].distance_sq(point));
                    best
                });
                let far = |i: u32| boxes[i as usize].distance_sq(point);
                let slow = (0..boxes.len() as u32).map(far).fold(f64::INFINITY, f64::min);
                assert_eq!(best, slow);
                assert!((0..boxes.len() as u32).all(|i| far(i) > best || shown.contains(&i)));
            }
        }
    }

    #[test]
    fn along_shows_all_that_a_ray_meets_until_it_is_enough() {
        let mut random = Random::new(9);
        for count in [0, 1, 4, 5, 9, 300] {
            let boxes = random_boxes(count);
            let tree = Bvh::new(&boxes);
            for _ in 0..50 {
                let ray = PreparedRay::new(2.0 * random.vec3(), random.vec3()).unwrap();
                let mut shown = Vec::new();
                tree.along(&ray, f64::MAX, |item| {
                    shown.push(item);
                    f64::MAX
                });
                shown.sort_unstable();
                let entered = |i: u32| ray.enters(boxes[i as usize]);
                let slow: Vec<_> = (0..count as u32).filter(|&i| entered(i).is_some()).collect();
                assert_eq!(shown, slow);
                let mut first = f64::MAX;
                tree.along(&ray, first, |item| {
                    first = first.min(entered(item).unwrap());
                    first
                });
                let slow = slow.iter().filter_map(|&i| entered(i)).fold(f64::MAX, f64::min);
                assert_eq!(first, slow);
            }
        }
    }

    #[test]
    fn near_looks_at_few() {
        let boxes = random_boxes(300);
        let (mut seen, mut best) = (0, f64::INFINITY);
        Bvh::new(&boxes).near(Vec3::splat(-1.0), best, |item| {
            seen += 1;
            best = best.min(boxes[item as usize].distance_sq(Vec3::splat(-1.0)));
            best
        });
        assert!(seen < 30, "{seen}");
    }

    #[test]
    fn a_refitted_tree_finds_what_a_new_one_finds() {
        for count in [0, 1, 4, 5, 9, 300] {
            let boxes = random_boxes(2 * count);
            let (before, after) = boxes.split_at(count);
            let mut tree = Bvh::new(before);
            tree.refit(|item| after[item as usize]);
            for &query in before {
                let mut found = Vec::new();
                tree.meeting(query, |item| {
                    found.push(item);
                    true
                });
                found.sort_unstable();
                let meets = |i: &u32| after[*i as usize].meets(query);
                let slow: Vec<_> = (0..count as u32).filter(meets).collect();
                assert_eq!(found, slow);
            }
        }
    }

    #[test]
    fn a_query_ends_when_told() {
        let boxes = vec![Aabb { min: Vec3::ZERO, max: Vec3::ONE }; 100];
        let mut seen = 0;
        Bvh::new(&boxes).meeting(boxes[0], |_| {
            seen += 1;
            seen < 3
        });
        assert_eq!(seen, 3);
    }

    #[test]
    fn summaries_join_all_items_below_and_can_prune() {
        let boxes = random_boxes(300);
        let tree = Bvh::new(&boxes);
        let smallest = tree.summaries(|item| item, u32::min);
        assert_eq!(smallest[0], 0);
        let everything = Aabb { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY };
        let mut found = Vec::new();
        tree.meeting_where(
            everything,
            |node| smallest[node] < 7,
            |item| {
                found.push(item);
                true
            },
        );
        assert!((0..7).all(|item| found.contains(&item)));
        assert!(found.len() <= 7 * LEAF, "{found:?}");
    }

    #[test]
    fn empty_boxes_are_never_found() {
        let tree = Bvh::new(&[Aabb::EMPTY, Aabb { min: Vec3::ZERO, max: Vec3::ZERO }]);
        let mut found = Vec::new();
        tree.meeting(Aabb { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY }, |item| {
            found.push(item);
            true
        });
        assert_eq!(found, [1]);
    }
}
