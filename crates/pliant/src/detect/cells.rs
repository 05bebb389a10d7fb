//! A uniform grid over the scene, its cells sorted instead of hashed.
//!
//! The grid of [Heidelberger04 §3.2] and [Teschner03 §4]. What is in which cell is a list
//! of pairs (cell, item) in ascending order: a row of cells along z lies together, and
//! two binary searches find it.
//!
//! The number of a cell is (x − origin) / size, rounded down. Subtraction, division and
//! rounding down never turn x ≤ y into a larger number for x, so a point of a box is in
//! one of the cells from that of the box's lowest corner to that of its highest: no
//! margin is needed. Cells are at least 2⁻⁴⁰ of the scene, and numbers are held between 0
//! and 2⁴¹, which keeps the order too: no product or sum of them leaves 64 bits.
//!
//! - Implements: [Heidelberger04 §3.2], the grid; [Teschner03 §4], cells about as large as
//!   edges are long.
//! - Deviates: [Teschner03 §4] hashes cells into a table; sorted cells hold no strangers
//!   and come in the same order everywhere.

use crate::body::Bodies;
use crate::id::{VertexId, at};
use crate::math::{Aabb, Vec3};

/// Smallest cell, relative to the longest side of the scene: 2⁻⁴⁰.
const FINEST: f64 = 1.0 / (1_u64 << 40) as f64;

/// Largest number of a cell along an axis; only points out of the scene come near it.
const LAST: f64 = (1_u64 << 41) as f64;

/// A uniform grid.
#[derive(Clone, Copy, Debug)]
pub struct Cells {
    /// Lowest corner of the scene, m.
    origin: Vec3,
    /// Edge of a cell, m; positive.
    size: f64,
    /// Longest side of the scene in cells, at most 2⁴⁰ but for rounding.
    reach: f64,
}

/// The cells between two corners, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Smallest numbers along each axis.
    pub low: [i64; 3],
    /// Largest numbers along each axis.
    pub high: [i64; 3],
}

/// Items in cells, sorted by cell, then by item.
#[derive(Clone, Debug, Default)]
pub struct Sorted {
    entries: Vec<([i64; 3], u32)>,
}

impl Cells {
    /// A grid for a scene, with cells of the average edge length.
    ///
    /// A scene without edges, or whose edges have no length, is one cell. Positions that
    /// are not finite are ignored here.
    pub fn new(positions: &[Vec3], bodies: &Bodies) -> Cells {
        let around = Aabb::around(positions.iter().copied().filter(|p| p.is_finite()));
        let extent = around.size().max_element().max(0.0);
        let (mut sum, mut count) = (0.0, 0_u32);
        for (a, row) in bodies.neighbours().iter().enumerate() {
            for b in row.iter().filter(|b| b.index() > a) {
                let length = at(positions, VertexId(a as u32)).distance(at(positions, *b));
                if length.is_finite() {
                    sum += length;
                    count += 1;
                }
            }
        }
        let average = if count == 0 { extent } else { sum / f64::from(count) };
        let size = average.max(extent * FINEST);
        let size = if size > 0.0 && size.is_finite() { size } else { 1.0 };
        let origin = if around.min.is_finite() { around.min } else { Vec3::ZERO };
        Cells { origin, size, reach: extent / size }
    }

    /// Coordinates in cells, counted from the lowest corner of the scene.
    #[inline]
    pub fn coordinates(&self, point: Vec3) -> Vec3 {
        (point - self.origin) / self.size
    }

    /// Longest side of the scene in cells.
    pub fn reach(&self) -> f64 {
        self.reach
    }

    /// The cell that a point is in.
    #[inline]
    pub fn cell(&self, point: Vec3) -> [i64; 3] {
        cell_at(self.coordinates(point))
    }

    /// The cells that a box covers.
    #[inline]
    pub fn block(&self, around: Aabb) -> Block {
        Block { low: self.cell(around.min), high: self.cell(around.max) }
    }
}

/// The cell at coordinates in cells.
#[inline]
pub fn cell_at(coordinates: Vec3) -> [i64; 3] {
    coordinates.to_array().map(|u| u.floor().clamp(0.0, LAST) as i64)
}

impl Block {
    /// Number of cells; 0 when a low number is above the high one.
    pub(crate) fn count(&self) -> u128 {
        (0..3).fold(1, |cells: u128, axis| cells.saturating_mul(self.side(axis)))
    }

    /// Whether a cell is one of these.
    #[inline]
    pub fn holds(&self, cell: [i64; 3]) -> bool {
        (0..3).all(|axis| self.low[axis] <= cell[axis] && cell[axis] <= self.high[axis])
    }

    /// Every cell, ascending.
    pub(crate) fn cells(self) -> impl Iterator<Item = [i64; 3]> {
        let along = move |axis: usize| self.low[axis]..=self.high[axis];
        along(0).flat_map(move |x| along(1).flat_map(move |y| along(2).map(move |z| [x, y, z])))
    }

    fn side(&self, axis: usize) -> u128 {
        let (low, high) = (i128::from(self.low[axis]), i128::from(self.high[axis]));
        u128::try_from(high - low + 1).unwrap_or(0)
    }
}

impl Sorted {
    /// Sorts pairs of a cell and an item.
    pub fn new(mut entries: Vec<([i64; 3], u32)>) -> Sorted {
        entries.sort_unstable();
        Sorted { entries }
    }

    /// The items of each cell that has some, by cell.
    pub(crate) fn by_cell(&self) -> impl Iterator<Item = &[([i64; 3], u32)]> {
        self.entries.chunk_by(|a, b| a.0 == b.0)
    }

    /// Calls `found` with every pair whose cell is in the block, ascending.
    ///
    /// Takes no more time than a walk through all pairs, however large the block.
    pub fn within(&self, block: Block, mut found: impl FnMut([i64; 3], u32)) {
        if block.count() == 0 {
            return;
        }
        if block.side(0).saturating_mul(block.side(1)) > self.entries.len() as u128 {
            let inside = self.entries.iter().filter(|entry| block.holds(entry.0));
            inside.for_each(|&(cell, item)| found(cell, item));
            return;
        }
        for x in block.low[0]..=block.high[0] {
            for y in block.low[1]..=block.high[1] {
                let first = self.entries.partition_point(|e| e.0 < [x, y, block.low[2]]);
                let row = self.entries[first..].iter();
                row.take_while(|e| e.0 <= [x, y, block.high[2]])
                    .for_each(|&(cell, item)| found(cell, item));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::VertexId;

    const TET: [VertexId; 4] = [VertexId(0), VertexId(1), VertexId(2), VertexId(3)];

    fn scene(points: &[Vec3]) -> (Vec<Vec3>, Bodies) {
        (points.to_vec(), Bodies::from_tets(&[(points.len(), &[TET])]).unwrap())
    }

    #[test]
    fn cells_have_the_average_edge_length() {
        let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, Vec3::splat(9.0)];
        let (positions, bodies) = scene(&corners);
        let cells = Cells::new(&positions, &bodies);
        // Three edges of 1 m and three of √2 m: 1.207 m.
        assert_eq!(cells.cell(Vec3::splat(1.2)), [0; 3]);
        assert_eq!(cells.cell(Vec3::splat(1.21)), [1; 3]);
        assert_eq!(cells.cell(Vec3::splat(9.0)), [7; 3]);
    }

    #[test]
    fn a_point_of_a_box_is_in_a_cell_of_the_box() {
        let far = [Vec3::splat(-1e12), Vec3::X, Vec3::Y * 1e-6, Vec3::splat(1e12)];
        let (positions, bodies) = scene(&far);
        let cells = Cells::new(&positions, &bodies);
        for step in 0..2000 {
            let low = Vec3::splat(-1e12 + f64::from(step) * 1e9 / 7.0);
            let around = Aabb { min: low, max: low + Vec3::splat(f64::from(step)) };
            let block = cells.block(around);
            assert!(block.holds(cells.cell(around.min)) && block.holds(cells.cell(around.max)));
            assert!(block.holds(cells.cell(around.min + 0.3 * around.size())));
        }
    }

    #[test]
    fn numbers_stay_small_whatever_the_positions() {
        let odd = [Vec3::ZERO, Vec3::splat(f64::NAN), Vec3::splat(f64::INFINITY), Vec3::X * 1e-300];
        let (positions, bodies) = scene(&odd);
        let cells = Cells::new(&positions, &bodies);
        for point in odd.into_iter().chain([Vec3::splat(f64::MAX), Vec3::splat(-f64::MAX)]) {
            assert!(cells.cell(point).iter().all(|&n| (0..=LAST as i64).contains(&n)));
        }
        let all = Block { low: [0; 3], high: [LAST as i64; 3] };
        assert!(all.count() > 1 << 120);
    }

    #[test]
    fn large_blocks_find_what_small_ones_do() {
        let entries = (0..50_i64).map(|n| ([n % 3, n % 4, n % 5], n as u32)).collect();
        let sorted = Sorted::new(entries);
        for (low, high) in [([0; 3], [1; 3]), ([1; 3], [90; 3]), ([2; 3], [1; 3])] {
            let block = Block { low, high };
            let mut found = Vec::new();
            sorted.within(block, |cell, item| found.push((cell, item)));
            let expected: Vec<_> =
                sorted.entries.iter().copied().filter(|entry| block.holds(entry.0)).collect();
            assert_eq!(found, expected);
            let listed: usize = block.cells().filter(|&cell| cell == [1, 1, 1]).count();
            assert_eq!(listed, usize::from(block.holds([1; 3])));
        }
    }
}
