//! Block Cholesky factor L Lᵀ of the joint system, one block row per joint.
//!
//! Blocks are written row by row. Those of a column are stored together, the diagonal first, in
//! the order of elimination: what a column changes always comes after it.

use std::ops::Range;

use crate::solve::joint::pattern::Pattern;

/// Rows of a joint at most.
const MOST_ROWS: usize = 6;

/// Right sides that are solved for at once.
const COLUMNS: usize = 6;

/// The nonzero blocks, filled with the matrix or with its factor.
#[derive(Clone, Debug)]
pub(super) struct Factor {
    pattern: Pattern,
    /// First row of each joint; one more entry than joints.
    offsets: Vec<usize>,
    /// First number of the diagonal block of each place; one more entry than places.
    columns: Vec<usize>,
    /// First number of each block below the diagonal.
    blocks: Vec<usize>,
    numbers: Vec<f64>,
}

impl Factor {
    /// Allocates for joints of these sizes with these neighbours.
    ///
    /// Both as [`Pattern::new`] has them.
    pub(crate) fn new(neighbours: Vec<Vec<usize>>, sizes: &[usize]) -> Factor {
        let pattern = Pattern::new(neighbours);
        let (mut columns, mut blocks, mut total) = (Vec::new(), Vec::new(), 0);
        for (place, &joint) in pattern.order.iter().enumerate() {
            columns.push(total);
            total += sizes[joint] * sizes[joint];
            for block in pattern.column(place) {
                blocks.push(total);
                total += sizes[pattern.order[pattern.below[block]]] * sizes[joint];
            }
        }
        columns.push(total);
        let mut offsets = vec![0];
        for (joint, size) in sizes.iter().enumerate() {
            offsets.push(offsets[joint] + size);
        }
        Factor { pattern, offsets, columns, blocks, numbers: vec![0.0; total] }
    }

    /// Which rows are those of a joint.
    #[inline]
    pub(crate) fn rows_of(&self, joint: usize) -> Range<usize> {
        self.offsets[joint]..self.offsets[joint + 1]
    }

    /// Rows of all joints.
    pub(crate) fn row_count(&self) -> usize {
        self.offsets[self.offsets.len() - 1]
    }

    /// Two neighbours as row and column of the block they have in the lower half.
    ///
    /// Gives the first number of the block too; `None` where there is none.
    pub(crate) fn block<T>(&self, one: (usize, T), other: (usize, T)) -> Option<Block<T>> {
        let (place, other_place) = (self.pattern.place[one.0], self.pattern.place[other.0]);
        let at = self.blocks[self.pattern.block(place, other_place)?];
        let (row, column) = if place > other_place { (one, other) } else { (other, one) };
        Some(Block { row, column, at })
    }

    /// The diagonal block of a joint; only its lower half counts.
    pub(crate) fn diagonal(&mut self, joint: usize) -> &mut [f64] {
        let place = self.pattern.place[joint];
        let size = self.offsets[joint + 1] - self.offsets[joint];
        &mut self.numbers[self.columns[place]..][..size * size]
    }

    /// Numbers from the first of a block on.
    pub(crate) fn from(&mut self, at: usize) -> &mut [f64] {
        &mut self.numbers[at..]
    }

    /// Sets all numbers to zero.
    pub(crate) fn clear(&mut self) {
        self.numbers.fill(0.0);
    }

    /// Replaces the matrix by its factor.
    ///
    /// A pivot below its floor is rounding of a redundant row, and is set to the floor.
    pub(crate) fn factor(&mut self, floors: &[f64]) {
        for place in 0..self.pattern.order.len() {
            self.eliminate(place, floors);
        }
    }

    /// Solves with the factor, x in place of the right side.
    pub(crate) fn solve(&self, x: &mut [f64]) {
        for place in 0..self.pattern.order.len() {
            let rows = self.rows_of(self.pattern.order[place]);
            let size = rows.len();
            let mut own = [0.0; MOST_ROWS];
            let own = &mut own[..size];
            own.copy_from_slice(&x[rows.clone()]);
            forward(&self.numbers[self.columns[place]..][..size * size], own);
            x[rows].copy_from_slice(own);
            for block in self.pattern.column(place) {
                let left = self.numbers[self.blocks[block]..].chunks_exact(size);
                for (k, left) in self.rows_below(block).zip(left) {
                    x[k] -= dot(left, own);
                }
            }
        }
        for place in (0..self.pattern.order.len()).rev() {
            let rows = self.rows_of(self.pattern.order[place]);
            let size = rows.len();
            let mut own = [0.0; MOST_ROWS];
            let own = &mut own[..size];
            own.copy_from_slice(&x[rows.clone()]);
            for block in self.pattern.column(place) {
                let left = self.numbers[self.blocks[block]..].chunks_exact(size);
                for (k, left) in self.rows_below(block).zip(left) {
                    own.iter_mut().zip(left).for_each(|(own, l)| *own -= l * x[k]);
                }
            }
            backward(&self.numbers[self.columns[place]..][..size * size], own);
            x[rows].copy_from_slice(own);
        }
    }

    /// Solves for six right sides at once, x in place of them.
    ///
    /// Joints that nothing has reached yet are left out on the way forward.
    pub(crate) fn solve_columns(&self, x: &mut [[f64; COLUMNS]]) {
        for place in 0..self.pattern.order.len() {
            let rows = self.rows_of(self.pattern.order[place]);
            let size = rows.len();
            if x[rows.clone()].iter().all(|row| *row == [0.0; COLUMNS]) {
                continue;
            }
            let factor = &self.numbers[self.columns[place]..][..size * size];
            let mut own = [[0.0; COLUMNS]; MOST_ROWS];
            for (k, row) in rows.clone().enumerate() {
                let mut sum = x[row];
                for (l, known) in own[..k].iter().enumerate() {
                    take_columns(&mut sum, factor[k * size + l], known);
                }
                own[k] = sum.map(|value| value * factor[k * size + k]);
            }
            x[rows].copy_from_slice(&own[..size]);
            for block in self.pattern.column(place) {
                let left = self.numbers[self.blocks[block]..].chunks_exact(size);
                for (k, left) in self.rows_below(block).zip(left) {
                    for (l, own) in left.iter().zip(&own) {
                        take_columns(&mut x[k], *l, own);
                    }
                }
            }
        }
        for place in (0..self.pattern.order.len()).rev() {
            let rows = self.rows_of(self.pattern.order[place]);
            let size = rows.len();
            let mut own = [[0.0; COLUMNS]; MOST_ROWS];
            own[..size].copy_from_slice(&x[rows.clone()]);
            for block in self.pattern.column(place) {
                let left = self.numbers[self.blocks[block]..].chunks_exact(size);
                for (k, left) in self.rows_below(block).zip(left) {
                    let known = x[k];
                    own.iter_mut().zip(left).for_each(|(own, l)| take_columns(own, *l, &known));
                }
            }
            let factor = &self.numbers[self.columns[place]..][..size * size];
            for k in (0..size).rev() {
                own[k] = own[k].map(|value| value * factor[k * size + k]);
                let known = own[k];
                for (c, own) in own[..k].iter_mut().enumerate() {
                    take_columns(own, factor[k * size + c], &known);
                }
            }
            x[rows].copy_from_slice(&own[..size]);
        }
    }

    /// Rows of a block below the diagonal.
    fn rows_below(&self, block: usize) -> Range<usize> {
        self.rows_of(self.pattern.order[self.pattern.below[block]])
    }

    /// Factors the column of a place, and updates the columns after it.
    fn eliminate(&mut self, place: usize, floors: &[f64]) {
        let Factor { pattern, offsets, columns, blocks, numbers } = self;
        let rows = |place: usize| offsets[pattern.order[place]]..offsets[pattern.order[place] + 1];
        let size = rows(place).len();
        let (done, behind) = numbers.split_at_mut(columns[place + 1]);
        let (diagonal, below) = done[columns[place]..].split_at_mut(size * size);
        cholesky(diagonal, size, &floors[rows(place)]);
        below.chunks_exact_mut(size).for_each(|row| forward(diagonal, row));

        let (first, behind_first) = (columns[place] + size * size, columns[place + 1]);
        let column = pattern.column(place);
        for j in column.clone() {
            let target = pattern.below[j];
            let right = &below[blocks[j] - first..][..rows(target).len() * size];
            // The target's own column holds all that comes after it in this one.
            let mut found = pattern.column(target);
            for i in j..column.end {
                let row = pattern.below[i];
                let at = match i == j {
                    true => Some(columns[target]),
                    false => found.find(|&block| pattern.below[block] == row).map(|b| blocks[b]),
                };
                let Some(at) = at else { continue };
                let left = &below[blocks[i] - first..][..rows(row).len() * size];
                take(&mut behind[at - behind_first..], left, right, size);
            }
        }
    }
}

/// Two joints as row and column of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block<T> {
    /// The later in the order of elimination, with what came with it.
    pub row: (usize, T),
    /// The earlier.
    pub column: (usize, T),
    /// First number of the block.
    pub at: usize,
}

/// into ← into − left rightᵀ, both with rows of `size`.
fn take(into: &mut [f64], left: &[f64], right: &[f64], size: usize) {
    let width = right.len() / size;
    for (into, left) in into.chunks_exact_mut(width).zip(left.chunks_exact(size)) {
        for (into, right) in into.iter_mut().zip(right.chunks_exact(size)) {
            *into -= dot(left, right);
        }
    }
}

/// into ← into − factor · other.
#[inline]
fn take_columns(into: &mut [f64; COLUMNS], factor: f64, other: &[f64; COLUMNS]) {
    into.iter_mut().zip(other).for_each(|(into, other)| *into -= factor * other);
}

/// Factors a block in its lower half; its diagonal holds the reciprocals of L's.
fn cholesky(block: &mut [f64], size: usize, floors: &[f64]) {
    for (k, &floor) in floors.iter().enumerate() {
        let done = &block[k * size..][..k];
        let pivot = block[k * size + k] - dot(done, done);
        let root = if pivot > floor { pivot.sqrt() } else { floor.sqrt() };
        block[k * size + k] = 1.0 / root;
        for r in k + 1..size {
            let done = dot(&block[r * size..][..k], &block[k * size..][..k]);
            block[r * size + k] = (block[r * size + k] - done) / root;
        }
    }
}

/// x ← L⁻¹ x.
fn forward(factor: &[f64], x: &mut [f64]) {
    let size = x.len();
    for k in 0..size {
        x[k] = (x[k] - dot(&factor[k * size..][..k], x)) * factor[k * size + k];
    }
}

/// x ← L⁻ᵀ x.
fn backward(factor: &[f64], x: &mut [f64]) {
    let size = x.len();
    for k in (0..size).rev() {
        x[k] *= factor[k * size + k];
        for c in 0..k {
            x[c] -= factor[k * size + c] * x[k];
        }
    }
}

/// Dot product, as far as the shorter one goes.
#[inline]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Roundings of a dozen sums of numbers near one.
    const TOLERANCE: f64 = 1e-13;

    /// Entry of the matrix below: twice the count on the diagonal makes it definite.
    fn entry(r: usize, c: usize) -> f64 {
        let (low, high) = (r.min(c), r.max(c));
        if low == high { 40.0 } else { ((7 * low + 3 * high) % 5) as f64 - 2.0 }
    }

    #[test]
    fn a_ring_of_blocks_of_different_sizes_is_solved() {
        let sizes = [3, 6, 3, 6, 6, 3];
        let count = sizes.len();
        let near = |j: usize| {
            let mut list = vec![(j + 1) % count, (j + count - 1) % count];
            list.sort_unstable();
            list
        };
        let mut factor = Factor::new((0..count).map(near).collect(), &sizes);
        let rows: Vec<_> = (0..count).map(|j| factor.rows_of(j)).collect();
        let total = factor.row_count();
        let mut dense = vec![vec![0.0; total]; total];
        for j in 0..count {
            for (r, k) in rows[j].clone().enumerate() {
                for (c, l) in rows[j].clone().enumerate() {
                    dense[k][l] = entry(k, l);
                    factor.diagonal(j)[r * sizes[j] + c] = entry(k, l);
                }
            }
            let block = factor.block((j, ()), ((j + 1) % count, ())).unwrap();
            let (row, column) = (block.row.0, block.column.0);
            for (r, k) in rows[row].clone().enumerate() {
                for (c, l) in rows[column].clone().enumerate() {
                    (dense[k][l], dense[l][k]) = (entry(k, l), entry(k, l));
                    factor.from(block.at)[r * sizes[column] + c] = entry(k, l);
                }
            }
        }
        let wanted: Vec<f64> = (0..total).map(|k| 1.0 + 0.1 * k as f64).collect();
        let mut x: Vec<f64> = dense.iter().map(|row| dot(row, &wanted)).collect();
        factor.factor(&vec![0.0; total]);
        let mut columns: Vec<[f64; COLUMNS]> =
            x.iter().map(|x| std::array::from_fn(|c| x * (c as f64 - 2.0))).collect();
        factor.solve(&mut x);
        factor.solve_columns(&mut columns);
        for (column, x) in columns.iter().zip(&x) {
            for (c, value) in column.iter().enumerate() {
                assert!((value - x * (c as f64 - 2.0)).abs() < TOLERANCE, "{value} {x}");
            }
        }
        for (x, wanted) in x.iter().zip(&wanted) {
            assert!((x - wanted).abs() < TOLERANCE, "{x} {wanted}");
        }
    }
}
