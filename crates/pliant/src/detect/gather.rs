//! The triangles of one body near another, arranged for quick box tests.
//!
//! Boxes are kept in f32, eight to a block. Rounding is monotone: x ≤ y implies
//! f32(x) ≤ f32(y). So a closed comparison of rounded coordinates never rejects what the
//! exact one accepts, and needs no margin.

use crate::id::TriangleId;
use crate::math::{Aabb, Vec3};

/// Boxes compared at once.
pub const LANES: usize = 8;

/// Eight boxes: for each axis the lower and the upper bounds, m.
#[derive(Clone, Copy, Debug)]
struct Block {
    low: [[f32; LANES]; 3],
    high: [[f32; LANES]; 3],
}

/// Bounds that meet nothing, for the lanes that are left over.
const NOTHING: Block =
    Block { low: [[f32::INFINITY; LANES]; 3], high: [[f32::NEG_INFINITY; LANES]; 3] };

/// A list of triangles with their boxes.
#[derive(Clone, Debug, Default)]
pub struct Gathered {
    triangles: Vec<TriangleId>,
    blocks: Vec<Block>,
}

/// A box, or a half-open beam, rounded to f32.
#[derive(Clone, Copy, Debug)]
pub struct Query {
    low: [f32; 3],
    high: [f32; 3],
}

impl Query {
    /// The closed box.
    #[inline]
    pub fn of_box(around: Aabb) -> Query {
        Query { low: rounded(around.min), high: rounded(around.max) }
    }

    /// Everything from `point` on along an axis, upward or downward.
    #[inline]
    pub fn of_ray(point: Vec3, ray: Ray) -> Query {
        let mut query = Query { low: rounded(point), high: rounded(point) };
        match ray.sense {
            Sense::Up => query.high[ray.axis] = f32::INFINITY,
            Sense::Down => query.low[ray.axis] = f32::NEG_INFINITY,
        }
        query
    }
}

/// A direction along a coordinate axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ray {
    /// 0, 1 or 2.
    pub axis: usize,
    /// Which way.
    pub sense: Sense,
}

/// One of the two ways along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sense {
    /// Towards larger coordinates.
    Up,
    /// Towards smaller coordinates.
    Down,
}

impl Gathered {
    /// Empties the list but keeps its memory.
    pub fn clear(&mut self) {
        self.triangles.clear();
        self.blocks.clear();
    }

    /// Adds a triangle.
    #[inline]
    pub fn push(&mut self, triangle: TriangleId, around: Aabb) {
        let lane = self.triangles.len() % LANES;
        if lane == 0 {
            self.blocks.push(NOTHING);
        }
        self.triangles.push(triangle);
        let Some(block) = self.blocks.last_mut() else { return };
        let (low, high) = (rounded(around.min), rounded(around.max));
        for axis in 0..3 {
            block.low[axis][lane] = low[axis];
            block.high[axis][lane] = high[axis];
        }
    }

    /// Number of triangles, count.
    pub fn len(&self) -> usize {
        self.triangles.len()
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.triangles.is_empty()
    }

    /// Calls `found` with every triangle whose box meets the query, in list order.
    #[inline]
    pub fn meeting(&self, query: Query, mut found: impl FnMut(TriangleId)) {
        for (block, triangles) in self.blocks.iter().zip(self.triangles.chunks(LANES)) {
            let mut mask = block.meets(query);
            while mask != 0 {
                let lane = mask.trailing_zeros() as usize;
                mask &= mask - 1;
                // The lanes beyond the last triangle meet nothing.
                if let Some(&triangle) = triangles.get(lane) {
                    found(triangle);
                }
            }
        }
    }
}

impl Block {
    /// One bit per lane whose box meets the query.
    #[inline]
    fn meets(&self, query: Query) -> u32 {
        let mut outside = [0_u32; LANES];
        for axis in 0..3 {
            let (low, high) = (query.low[axis], query.high[axis]);
            let bounds = self.low[axis].iter().zip(&self.high[axis]);
            for (outside, (&block_low, &block_high)) in outside.iter_mut().zip(bounds) {
                *outside |= u32::from(block_low > high) | u32::from(low > block_high);
            }
        }
        let bits = outside.iter().enumerate().map(|(lane, &outside)| (outside ^ 1) << lane);
        bits.fold(0, |mask, bit| mask | bit)
    }
}

#[inline]
fn rounded(v: Vec3) -> [f32; 3] {
    [v.x as f32, v.y as f32, v.z as f32]
}
