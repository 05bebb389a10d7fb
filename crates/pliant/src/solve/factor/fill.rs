//! The numbers of a factor, supernode by supernode, children before parents.

use super::front::{Twice, invert, pack, pack_twice, product};
use super::tree::Supernode;
use super::{Factor, FactorPattern, LANES, padded, stride};
use crate::math::Mat3;

/// Memory for [`Factor::fill`] and [`Factor::columns`], kept from call to call.
#[derive(Clone, Debug, Default)]
pub(crate) struct FactorScratch {
    /// Where a place lies in the present front, in nodes.
    local: Vec<u32>,
    /// Row-major, the upper triangle: pivots first, then the rows below, padded.
    front: Vec<f64>,
    /// D, then D⁻¹.
    pivots: Vec<f64>,
    /// Six lines for the inverse.
    lines: Vec<f64>,
    /// Lᵀ.
    lower: Vec<f64>,
    /// Left operands, of D⁻¹ and then of L.
    blocks: Vec<Twice>,
    /// F_sr.
    tiles: Vec<[f64; LANES]>,
    /// Updates that no parent has taken yet, each row-major with padded rows.
    updates: Vec<f64>,
    /// One past the last number of the last update.
    top: usize,
    /// Supernode and first number of each update.
    pending: Vec<(usize, usize)>,
    pub(super) columns: super::solution::ColumnScratch,
}

impl Factor {
    /// Factors a matrix; `blocks` are parallel to the columns of the pattern.
    ///
    /// The upper triangle counts. False when the matrix is not positive definite or not finite, or
    /// when its factors are not within the range of numbers; the contents are of no use then.
    #[must_use]
    pub(crate) fn fill(
        &mut self,
        pattern: &FactorPattern,
        blocks: &[Mat3],
        scratch: &mut FactorScratch,
    ) -> bool {
        debug_assert_eq!(blocks.len(), pattern.columns.len(), "blocks of another pattern");
        self.values.clear();
        self.values.resize(pattern.offsets[pattern.tree.supernodes.len()], 0.0);
        scratch.local.resize(pattern.len(), 0);
        scratch.top = 0;
        scratch.pending.clear();
        for (index, supernode) in pattern.tree.supernodes.iter().enumerate() {
            scratch.open(pattern, supernode);
            scratch.load(pattern, supernode, blocks);
            scratch.take_updates(pattern, index);
            let values = &mut self.values[pattern.offsets[index]..pattern.offsets[index + 1]];
            if !scratch.eliminate(supernode, values) {
                return false;
            }
            scratch.leave_update(index, supernode);
        }
        true
    }
}

/// Numbers in a row of a front.
fn front_stride(supernode: &Supernode) -> usize {
    3 * supernode.width + padded(3 * supernode.rows.len())
}

impl FactorScratch {
    /// Makes an empty front.
    fn open(&mut self, pattern: &FactorPattern, supernode: &Supernode) {
        let Supernode { first, width, ref rows, .. } = *supernode;
        let (stride, count) = (front_stride(supernode), 3 * (width + rows.len()));
        if self.front.len() < count * stride {
            self.front.resize(count * stride, 0.0);
        }
        for (row, line) in self.front.chunks_exact_mut(stride).take(count).enumerate() {
            line[row - row % 3..].fill(0.0);
        }
        let own = first..first + width;
        let below = pattern.tree.rows[rows.clone()].iter().map(|row| *row as usize);
        own.chain(below).zip(0..).for_each(|(place, local)| self.local[place] = local);
    }

    /// Adds the blocks of the matrix.
    fn load(&mut self, pattern: &FactorPattern, supernode: &Supernode, blocks: &[Mat3]) {
        let stride = front_stride(supernode);
        let first = supernode.first;
        for (local, place) in (first..first + supernode.width).enumerate() {
            let node = pattern.tree.order[place] as usize;
            let lines = &mut self.front[3 * local * stride..][..3 * stride];
            let entries = pattern.starts[node] as usize..pattern.starts[node + 1] as usize;
            let own = pattern.columns[entries.clone()].iter().zip(&blocks[entries]);
            for (column, block) in own {
                let column = pattern.place(*column as usize);
                if column < place {
                    continue;
                }
                let at = 3 * self.local[column] as usize;
                let rows = block.transpose().to_cols_array_2d();
                for (line, row) in lines.chunks_exact_mut(stride).zip(rows) {
                    line[at..at + 3].copy_from_slice(&row);
                }
            }
        }
    }

    /// Adds what the children of a supernode left.
    fn take_updates(&mut self, pattern: &FactorPattern, index: usize) {
        let stride = front_stride(&pattern.tree.supernodes[index]);
        while let Some(&(child, start)) = self.pending.last() {
            let child = &pattern.tree.supernodes[child];
            if child.parent != index {
                break;
            }
            let rows = &pattern.tree.rows[child.rows.clone()];
            let length = padded(3 * rows.len());
            for (k, row) in rows.iter().enumerate() {
                let at = self.local[*row as usize] as usize;
                let from = &self.updates[start + 3 * k * length..][..3 * length];
                let lines = self.front[3 * at * stride..].chunks_exact_mut(stride);
                for (from, line) in from.chunks_exact(length).zip(lines) {
                    let (parts, _) = from[3 * k..].as_chunks::<3>();
                    for (column, part) in rows[k..].iter().zip(parts) {
                        let at = 3 * self.local[*column as usize] as usize;
                        let sums = &mut line[at..at + 3];
                        sums[0] += part[0];
                        sums[1] += part[1];
                        sums[2] += part[2];
                    }
                }
            }
            self.top = start;
            self.pending.pop();
        }
    }

    /// Computes D⁻¹ and L; false when D is not positive definite.
    fn eliminate(&mut self, supernode: &Supernode, values: &mut [f64]) -> bool {
        let (width, rows) = (3 * supernode.width, padded(3 * supernode.rows.len()));
        let (from, wide, line) = (width + rows, padded(width), stride(supernode));
        self.pivots.clear();
        self.pivots.resize(width * wide, 0.0);
        let fronts = self.front.chunks_exact(from);
        for (pivots, front) in self.pivots.chunks_exact_mut(wide).zip(fronts) {
            pivots[..width].copy_from_slice(&front[..width]);
        }
        if !invert(&mut self.pivots, wide, &mut self.lines) {
            return false;
        }
        pack_twice(&self.pivots, wide, 0..width, &mut self.blocks);
        pack(&self.front[..width * from], from, width..from, &mut self.tiles);
        self.lower.clear();
        self.lower.resize(width * rows, 0.0);
        for (t, tile) in self.tiles.chunks_exact(width).enumerate() {
            for (b, block) in self.blocks.chunks_exact(width).enumerate() {
                for (axis, sums) in product(block, tile).iter().enumerate() {
                    self.lower[(3 * b + axis) * rows + LANES * t..][..LANES].copy_from_slice(sums);
                }
            }
        }
        let sources = self.pivots.chunks_exact(wide);
        for (k, (values, source)) in values.chunks_exact_mut(line).zip(sources).enumerate() {
            let (inverse, lower) = values.split_at_mut(wide);
            copy(source, inverse);
            copy(&self.lower[k * rows..][..rows], lower);
            if !(inverse[k] >= f64::MIN_POSITIVE && values.iter().all(|value| value.is_finite())) {
                return false;
            }
        }
        true
    }

    /// Keeps for the parent what the rows below have become.
    fn leave_update(&mut self, index: usize, supernode: &Supernode) {
        let (width, rows) = (3 * supernode.width, 3 * supernode.rows.len());
        if rows == 0 {
            return;
        }
        let (length, start) = (padded(rows), self.top);
        self.top = start + rows * length;
        if self.updates.len() < self.top {
            self.updates.resize(self.top, 0.0);
        }
        self.pending.push((index, start));
        pack_twice(&self.lower, length, 0..rows, &mut self.blocks);
        let update = &mut self.updates[start..];
        let front = &self.front[width * (width + length)..];
        for (b, block) in self.blocks.chunks_exact(width).enumerate() {
            let first = 3 * b / LANES;
            for (t, tile) in self.tiles.chunks_exact(width).enumerate().skip(first) {
                for (axis, sums) in product(block, tile).iter().enumerate() {
                    let row = 3 * b + axis;
                    let from = &front[row * (width + length) + width + LANES * t..][..LANES];
                    let update = &mut update[row * length + LANES * t..][..LANES];
                    for lane in 0..LANES {
                        update[lane] = from[lane] - sums[lane];
                    }
                }
            }
        }
    }
}

/// Copies the first numbers, as many as there are.
fn copy(from: &[f64], to: &mut [f64]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
}
