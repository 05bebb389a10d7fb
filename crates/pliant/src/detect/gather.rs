//! The triangles of one body near another, arranged for quick box tests.
//!
//! Boxes are kept in f32, eight to a block. Rounding is monotone: x ≤ y implies
//! f32(x) ≤ f32(y). So a closed comparison of rounded coordinates never rejects what the
//! exact one accepts, and needs no margin.

use crate::id::TriangleId;
use crate::math::{Aabb, Vec3, Vec4};

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
    /// Corners of each triangle, kept at hand, m.
    corners: Vec<[Vec3; 3]>,
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
        self.corners.clear();
        self.blocks.clear();
    }

    /// Adds a triangle with its corners and the box around them.
    #[inline]
    pub fn push(&mut self, triangle: TriangleId, corners: [Vec3; 3], around: Aabb) {
        let lane = self.triangles.len() % LANES;
        if lane == 0 {
            self.blocks.push(NOTHING);
        }
        self.triangles.push(triangle);
        self.corners.push(corners);
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
    pub fn meeting(&self, query: Query, mut found: impl FnMut(TriangleId, [Vec3; 3])) {
        let lanes = Lanes::of(query);
        for (index, block) in self.blocks.iter().enumerate() {
            let mut mask = lanes.meet(block);
            while mask != 0 {
                let entry = index * LANES + mask.trailing_zeros() as usize;
                mask &= mask - 1;
                // The lanes beyond the last triangle meet nothing.
                if let (Some(&triangle), Some(&corners)) =
                    (self.triangles.get(entry), self.corners.get(entry))
                {
                    found(triangle, corners);
                }
            }
        }
    }
}

/// A query spread over the lanes of a register, once for all blocks.
#[derive(Clone, Copy)]
struct Lanes {
    low: [Vec4; 3],
    high: [Vec4; 3],
}

impl Lanes {
    #[inline]
    fn of(query: Query) -> Lanes {
        Lanes { low: query.low.map(Vec4::splat), high: query.high.map(Vec4::splat) }
    }

    /// One bit per lane whose box meets the query.
    #[inline]
    fn meet(&self, block: &Block) -> u32 {
        let half = |at: usize| {
            let within = |axis: usize| {
                let low = Vec4::from_slice(&block.low[axis][at..at + 4]);
                let high = Vec4::from_slice(&block.high[axis][at..at + 4]);
                low.cmple(self.high[axis]) & self.low[axis].cmple(high)
            };
            (within(0) & within(1) & within(2)).bitmask() << at
        };
        half(0) | half(4)
    }
}

#[inline]
fn rounded(v: Vec3) -> [f32; 3] {
    [v.x as f32, v.y as f32, v.z as f32]
}
