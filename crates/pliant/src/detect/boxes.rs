//! Boxes in f32, eight to a block, for quick tests that never reject wrongly.
//!
//! Coordinates are measured from an origin o in f64, scaled by a power of two s and then
//! rounded. All are monotone: x ≤ y implies f32(s (x − o)) ≤ f32(s (y − o)). So a closed
//! comparison of rounded coordinates never rejects what the exact one accepts, and needs no
//! margin. Whatever is computed from rounded coordinates does need one.

use crate::math::{Vec3, Vec4};

/// Boxes compared at once.
pub(crate) const LANES: usize = 8;

/// Blocks that are looked through one by one; above that, a layer of boxes around blocks.
const FEW_BLOCKS: usize = 4;

/// A vector rounded to f32; the fourth number is 0.
#[inline]
pub fn rounded(from: Vec3) -> Vec4 {
    Vec4::new(from.x as f32, from.y as f32, from.z as f32, 0.0)
}

/// A box of rounded coordinates, m from the origin; the fourth lanes are unused.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Smallest coordinates.
    pub low: Vec4,
    /// Largest coordinates.
    pub high: Vec4,
}

impl Bounds {
    /// The box that holds nothing.
    pub(crate) const EMPTY: Bounds = Bounds { low: Vec4::INFINITY, high: Vec4::NEG_INFINITY };

    /// The smallest box around both.
    #[inline]
    pub(crate) fn union(self, other: Bounds) -> Bounds {
        Bounds { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// The box, made larger where a point is outside.
    #[inline]
    pub(crate) fn with(self, point: Vec4) -> Bounds {
        Bounds { low: self.low.min(point), high: self.high.max(point) }
    }

    /// What both hold; empty when they share nothing.
    #[inline]
    pub(crate) fn intersection(self, other: Bounds) -> Bounds {
        Bounds { low: self.low.max(other.low), high: self.high.min(other.high) }
    }

    /// Whether the boxes share a point; touching counts.
    #[inline]
    pub(crate) fn meets(self, other: Bounds) -> bool {
        let apart = self.low.cmpgt(other.high) | other.low.cmpgt(self.high);
        apart.bitmask() & 0b111 == 0
    }

    /// Whether a point is in the box, its border included.
    #[inline]
    pub(crate) fn contains(self, point: Vec4) -> bool {
        self.meets(Bounds { low: point, high: point })
    }

    /// Largest absolute coordinate, m.
    #[inline]
    pub(crate) fn reach(self) -> f32 {
        let far = self.low.abs().max(self.high.abs());
        far.x.max(far.y).max(far.z)
    }
}

/// Eight boxes: for each axis the lower and the upper bounds, m.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(crate) struct Block {
    low: [[f32; LANES]; 3],
    high: [[f32; LANES]; 3],
}

impl Block {
    /// Eight boxes that meet nothing.
    pub(crate) const EMPTY: Block =
        Block { low: [[f32::INFINITY; LANES]; 3], high: [[f32::NEG_INFINITY; LANES]; 3] };

    /// Replaces one of the boxes.
    #[inline]
    pub(crate) fn set(&mut self, lane: usize, bounds: Bounds) {
        let (low, high) = (bounds.low.to_array(), bounds.high.to_array());
        for axis in 0..3 {
            self.low[axis][lane % LANES] = low[axis];
            self.high[axis][lane % LANES] = high[axis];
        }
    }

    /// The box around all eight.
    #[inline]
    pub(crate) fn around(&self) -> Bounds {
        let low = |axis: usize| half(&self.low[axis], 0).min(half(&self.low[axis], 4));
        let high = |axis: usize| half(&self.high[axis], 0).max(half(&self.high[axis], 4));
        let (x, y, z) = (low(0).min_element(), low(1).min_element(), low(2).min_element());
        let least = Vec4::new(x, y, z, 0.0);
        let (x, y, z) = (high(0).max_element(), high(1).max_element(), high(2).max_element());
        Bounds { low: least, high: Vec4::new(x, y, z, 0.0) }
    }
}

/// A box spread over the lanes of a register, once for all blocks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Query {
    low: [Vec4; 3],
    high: [Vec4; 3],
}

impl Query {
    /// The closed box.
    #[inline]
    pub(crate) fn new(bounds: Bounds) -> Query {
        let spread = |v: Vec4| [Vec4::splat(v.x), Vec4::splat(v.y), Vec4::splat(v.z)];
        Query { low: spread(bounds.low), high: spread(bounds.high) }
    }

    /// One bit per box of the block that meets the query.
    #[inline]
    pub(crate) fn meet(&self, block: &Block) -> u32 {
        let four = |at: usize| {
            let within = |axis: usize| {
                half(&block.low[axis], at).cmple(self.high[axis])
                    & half(&block.high[axis], at).cmpge(self.low[axis])
            };
            (within(0) & within(1) & within(2)).bitmask() << at
        };
        four(0) | four(4)
    }
}

/// Four of eight neighbouring numbers.
#[inline]
fn half(lanes: &[f32; LANES], at: usize) -> Vec4 {
    Vec4::new(lanes[at], lanes[at + 1], lanes[at + 2], lanes[at + 3])
}

/// A list of boxes under layers of larger ones, eight to one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layers {
    /// Boxes of the list, then boxes around their blocks, and so on.
    layers: Vec<Vec<Block>>,
    /// Number of layers in use; the memory of the others is kept.
    height: usize,
    /// Number of boxes in the list.
    len: usize,
}

/// Places of boxes that met a query, and scratch memory to find them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hits {
    found: Vec<u32>,
    blocks: Vec<u32>,
}

impl Layers {
    /// Empties the list but keeps its memory.
    pub(crate) fn clear(&mut self) {
        self.layers.iter_mut().for_each(Vec::clear);
        (self.height, self.len) = (0, 0);
    }

    /// Number of boxes.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Adds a box; [`Layers::close`] must follow before the next query.
    #[inline]
    pub(crate) fn push(&mut self, bounds: Bounds) {
        if self.layers.is_empty() {
            self.layers.push(Vec::new());
        }
        push(&mut self.layers[0], self.len, bounds);
        self.len += 1;
    }

    /// Puts the larger boxes over those of the list.
    pub(crate) fn close(&mut self) {
        self.height = usize::from(self.len > 0);
        while self.height > 0 && self.layers[self.height - 1].len() > FEW_BLOCKS {
            if self.layers.len() == self.height {
                self.layers.push(Vec::new());
            }
            let (below, above) = self.layers.split_at_mut(self.height);
            above[0].clear();
            for (index, block) in below[self.height - 1].iter().enumerate() {
                push(&mut above[0], index, block.around());
            }
            self.height += 1;
        }
    }

    /// The places of all boxes that meet the query, ascending.
    #[inline]
    pub(crate) fn meeting<'a>(&self, query: &Query, hits: &'a mut Hits) -> &'a [u32] {
        let Hits { found, blocks } = hits;
        if found.len() < self.len {
            found.resize(self.len, 0);
            blocks.resize(self.len, 0);
        }
        let mut count = 0;
        match &self.layers[..self.height] {
            [] => {}
            [list] => count = scan(query, list, found),
            [list, over] => {
                for (index, block) in over.iter().enumerate() {
                    count = note_under(query, index, block, list, found, count);
                }
            }
            [list, over, above @ .., top] => {
                count = scan(query, top, found);
                for layer in above.iter().rev() {
                    std::mem::swap(found, blocks);
                    let met = count;
                    count = 0;
                    for &index in &blocks[..met] {
                        let mask = u64::from(query.meet(&layer[index as usize]));
                        count = note(mask, LANES * index as usize, found, count);
                    }
                }
                std::mem::swap(found, blocks);
                let met = count;
                count = 0;
                for &index in &blocks[..met] {
                    let block = &over[index as usize];
                    count = note_under(query, index as usize, block, list, found, count);
                }
            }
        }
        &found[..count]
    }
}

/// The places of boxes in a few blocks that meet the query; returns how many there are.
#[inline]
fn scan(query: &Query, blocks: &[Block], found: &mut [u32]) -> usize {
    let mut count = 0;
    for (first, eight) in blocks.chunks(LANES).enumerate() {
        let mut word = 0;
        for (lane, block) in eight.iter().enumerate() {
            word |= u64::from(query.meet(block)) << (LANES * lane);
        }
        count = note(word, first * LANES * LANES, found, count);
    }
    count
}

/// Writes down the boxes of the list that meet the query and lie under one block.
///
/// All of them at once: a branch that cannot be predicted costs time at each loop's end.
#[inline]
fn note_under(
    query: &Query,
    index: usize,
    block: &Block,
    list: &[Block],
    found: &mut [u32],
    count: usize,
) -> usize {
    let mut mask = query.meet(block);
    let mut word = 0;
    while mask != 0 {
        let lane = mask.trailing_zeros() as usize;
        mask &= mask - 1;
        word |= u64::from(query.meet(&list[index * LANES + lane])) << (LANES * lane);
    }
    note(word, index * LANES * LANES, found, count)
}

#[inline]
fn push(blocks: &mut Vec<Block>, place: usize, bounds: Bounds) {
    if place.is_multiple_of(LANES) {
        blocks.push(Block::EMPTY);
    }
    if let Some(block) = blocks.last_mut() {
        block.set(place % LANES, bounds);
    }
}

/// Writes down the places from `first` on that a mask names; returns how many are written.
#[inline]
fn note(mut mask: u64, first: usize, found: &mut [u32], mut count: usize) -> usize {
    while mask != 0 {
        found[count] = first as u32 + mask.trailing_zeros();
        count += 1;
        mask &= mask - 1;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Small cubes on a line, one metre apart.
    fn row(count: usize) -> Layers {
        let mut layers = Layers::default();
        for place in 0..count {
            let low = Vec4::new(place as f32, 0.0, 0.0, 0.0);
            layers.push(Bounds { low, high: low + 0.5 });
        }
        layers.close();
        layers
    }

    fn span(from: f32, to: f32) -> Bounds {
        Bounds { low: Vec4::new(from, 0.5, 0.1, 0.0), high: Vec4::new(to, 0.5, 0.2, 0.0) }
    }

    #[test]
    fn boxes_are_found_through_any_number_of_layers() {
        let mut hits = Hits::default();
        for count in [0, 1, 8, 9, 33, 300, 3000, 20_000] {
            let layers = row(count);
            for (from, to) in [(-3.0, -1.0), (0.5, 0.5), (6.5, 9.0), (250.7, 257.2), (-1.0, 1e9)] {
                let expected: Vec<u32> = (0..count as u32)
                    .filter(|&place| place as f32 <= to && place as f32 + 0.5 >= from)
                    .collect();
                assert_eq!(layers.meeting(&Query::new(span(from, to)), &mut hits), expected);
            }
        }
    }

    #[test]
    fn touching_boxes_meet_and_lanes_left_over_do_not() {
        let cube = Bounds { low: Vec4::ZERO, high: Vec4::ONE };
        let next =
            Bounds { low: Vec4::new(1.0, 0.0, 0.0, 5.0), high: Vec4::new(2.0, 1.0, 1.0, 5.0) };
        assert!(cube.meets(next) && next.meets(cube));
        let mut block = Block::EMPTY;
        block.set(5, next);
        assert_eq!(Query::new(cube).meet(&block), 1 << 5);
        let all = Bounds { low: Vec4::splat(f32::MIN), high: Vec4::splat(f32::MAX) };
        assert_eq!(Query::new(all).meet(&block), 1 << 5);
        assert_eq!(block.around().high.truncate(), next.high.truncate());
    }

    #[test]
    fn rounding_keeps_the_order_of_points_far_away() {
        let origin = Vec3::splat(1e12);
        let points = [0.0, 1.0, 1.0 + f64::EPSILON, 3.0, 1e30].map(|x| origin + x);
        for pair in points.windows(2) {
            assert!(rounded(pair[0] - origin).cmple(rounded(pair[1] - origin)).all());
        }
        assert!(rounded(points[1] - origin).x < rounded(points[3] - origin).x);
    }
}
