//! Solutions with a factor: one right-hand side, or columns of the inverse.

use super::fill::FactorScratch;
use super::tree::Supernode;
use super::{Factor, FactorPattern, padded, stride};
use crate::math::dispatch::{Kernel, dispatch};

/// Numbers that are processed together in a sum over a line.
const WIDE: usize = 8;

/// Right-hand sides that are solved for together, three per node.
const SIDES: usize = 12;

/// One unknown of all right-hand sides.
type Sides = [f64; SIDES];

/// Memory for [`Factor::columns`].
#[derive(Clone, Debug, Default)]
pub(super) struct ColumnScratch {
    /// Asked nodes by place: place, and index among those asked for.
    asked: Vec<(u32, u32)>,
    x: Vec<Sides>,
    part: Vec<Sides>,
    /// Whether a supernode has a right-hand side that is not zero.
    reached: Vec<bool>,
}

/// [`Factor::solve`] as a kernel.
struct Solve<'a> {
    factor: &'a Factor,
    pattern: &'a FactorPattern,
    x: &'a mut [f64],
    scratch: &'a mut [f64],
}

impl Kernel for Solve<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.factor.solve_in(self.pattern, self.x, self.scratch);
    }
}

/// A batch of [`Factor::columns`] as a kernel.
struct SolveSides<'a> {
    factor: &'a Factor,
    pattern: &'a FactorPattern,
    scratch: &'a mut ColumnScratch,
}

impl Kernel for SolveSides<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.factor.solve_forwards(self.pattern, self.scratch);
        self.factor.solve_backwards(self.pattern, self.scratch);
    }
}

impl Factor {
    /// Solves A x = b in place, in the order of elimination: three numbers per place.
    pub(crate) fn solve(&self, pattern: &FactorPattern, x: &mut [f64], scratch: &mut Vec<f64>) {
        debug_assert_eq!(x.len(), 3 * pattern.len(), "three numbers per node");
        scratch.resize(pattern.longest(), 0.0);
        dispatch(Solve { factor: self, pattern, x, scratch });
    }

    #[inline(always)]
    fn solve_in(&self, pattern: &FactorPattern, x: &mut [f64], scratch: &mut [f64]) {
        for (index, supernode) in pattern.tree.supernodes.iter().enumerate() {
            let (lines, own) = (self.lines(pattern, index), own(supernode));
            let part = &mut scratch[..stride(supernode)];
            multiply(lines, &x[own.clone()], part);
            let (solved, below) = part.split_at(padded(own.len()));
            x[own.clone()].copy_from_slice(&solved[..own.len()]);
            let rows = &pattern.tree.rows[supernode.rows.clone()];
            for (row, value) in rows.iter().zip(below.as_chunks::<3>().0) {
                let x = &mut x[3 * *row as usize..][..3];
                x[0] -= value[0];
                x[1] -= value[1];
                x[2] -= value[2];
            }
        }
        for (index, supernode) in pattern.tree.supernodes.iter().enumerate().rev() {
            let (rows, own) = (&pattern.tree.rows[supernode.rows.clone()], own(supernode));
            if rows.is_empty() {
                continue;
            }
            let below = &mut scratch[..padded(3 * rows.len())];
            below[3 * rows.len()..].fill(0.0);
            for (row, value) in rows.iter().zip(below.as_chunks_mut::<3>().0) {
                value.copy_from_slice(&x[3 * *row as usize..][..3]);
            }
            subtract_products(self.lines(pattern, index), below, &mut x[own]);
        }
    }

    /// Appends three columns of the inverse for each node, in the order of nodes.
    ///
    /// Column a of the k-th node begins at (3 k + a) 3 n. It does not depend on the others.
    pub(crate) fn columns(
        &self,
        pattern: &FactorPattern,
        nodes: &[u32],
        scratch: &mut FactorScratch,
        out: &mut Vec<f64>,
    ) {
        let (scratch, count) = (&mut scratch.columns, 3 * pattern.len());
        let start = out.len();
        out.resize(start + 3 * nodes.len() * count, 0.0);
        scratch.asked.clear();
        let place = |node: &u32| pattern.tree.places[*node as usize];
        scratch.asked.extend(nodes.iter().map(place).zip(0..));
        // Neighbours in the order share most of their way to the root.
        scratch.asked.sort_unstable();
        for first in (0..nodes.len()).step_by(SIDES / 3) {
            let batch = first..(first + SIDES / 3).min(nodes.len());
            scratch.set(pattern, batch.clone());
            dispatch(SolveSides { factor: self, pattern, scratch });
            for (k, &(_, index)) in scratch.asked[batch].iter().enumerate() {
                let columns = &mut out[start + 3 * index as usize * count..][..3 * count];
                for (axis, column) in columns.chunks_exact_mut(count).enumerate() {
                    for (place, value) in pattern.tree.places.iter().zip(column.as_chunks_mut().0) {
                        let at = 3 * *place as usize;
                        *value = [0, 1, 2].map(|row| scratch.x[at + row][3 * k + axis]);
                    }
                }
            }
        }
    }

    /// The lines of a supernode.
    fn lines(&self, pattern: &FactorPattern, index: usize) -> &[f64] {
        &self.values[pattern.offsets[index]..pattern.offsets[index + 1]]
    }

    /// x_r −= L x_s and x_s ← D⁻¹ x_s for supernodes that are reached.
    #[inline(always)]
    fn solve_forwards(&self, pattern: &FactorPattern, scratch: &mut ColumnScratch) {
        let ColumnScratch { x, part, reached, .. } = scratch;
        for (index, supernode) in pattern.tree.supernodes.iter().enumerate() {
            if !reached[index] {
                continue;
            }
            if let Some(parent) = reached.get_mut(supernode.parent) {
                *parent = true;
            }
            let (lines, length, own) =
                (self.lines(pattern, index), stride(supernode), own(supernode));
            let rows = &pattern.tree.rows[supernode.rows.clone()];
            for (k, row) in rows.iter().enumerate() {
                let sums =
                    multiply_sides(lines, length, padded(own.len()) + 3 * k, &x[own.clone()]);
                for (x, sums) in x[3 * *row as usize..].iter_mut().zip(sums) {
                    x.iter_mut().zip(sums).for_each(|(x, sum)| *x -= sum);
                }
            }
            part.clear();
            for at in (0..own.len()).step_by(3) {
                part.extend(multiply_sides(lines, length, at, &x[own.clone()]));
            }
            x[own].copy_from_slice(part);
        }
    }

    /// x_s −= Lᵀ x_r.
    #[inline(always)]
    fn solve_backwards(&self, pattern: &FactorPattern, scratch: &mut ColumnScratch) {
        let ColumnScratch { x, part, .. } = scratch;
        for (index, supernode) in pattern.tree.supernodes.iter().enumerate().rev() {
            let (lines, length, own) =
                (self.lines(pattern, index), stride(supernode), own(supernode));
            part.clear();
            for row in &pattern.tree.rows[supernode.rows.clone()] {
                part.extend_from_slice(&x[3 * *row as usize..][..3]);
            }
            let (first, wide) = (own.start, padded(own.len()));
            for (k, lines) in lines.chunks_exact(3 * length).enumerate() {
                let lines = [0, 1, 2].map(|axis| &lines[axis * length + wide..][..part.len()]);
                let mut sums = [[0.0; SIDES]; 3];
                for (i, part) in part.iter().enumerate() {
                    for axis in 0..3 {
                        for side in 0..SIDES {
                            sums[axis][side] += lines[axis][i] * part[side];
                        }
                    }
                }
                for (x, sums) in x[first + 3 * k..].iter_mut().zip(sums) {
                    x.iter_mut().zip(sums).for_each(|(x, sum)| *x -= sum);
                }
            }
        }
    }
}

impl ColumnScratch {
    /// Sets the right-hand sides of a batch of the nodes asked for.
    fn set(&mut self, pattern: &FactorPattern, batch: std::ops::Range<usize>) {
        self.x.clear();
        self.x.resize(3 * pattern.len(), [0.0; SIDES]);
        self.reached.clear();
        self.reached.resize(pattern.tree.supernodes.len(), false);
        for (k, &(place, _)) in self.asked[batch].iter().enumerate() {
            let place = place as usize;
            (0..3).for_each(|axis| self.x[3 * place + axis][3 * k + axis] = 1.0);
            let after = pattern.tree.supernodes.partition_point(|node| node.first <= place);
            self.reached[after - 1] = true;
        }
    }
}

/// Unknowns of a supernode.
fn own(supernode: &Supernode) -> std::ops::Range<usize> {
    3 * supernode.first..3 * (supernode.first + supernode.width)
}

/// Sum of lines, times a factor each; there are three or more.
#[inline(always)]
fn multiply(lines: &[f64], factors: &[f64], sum: &mut [f64]) {
    let count = sum.len();
    let mut is_first = true;
    for (lines, factors) in lines.chunks_exact(3 * count).zip(factors.as_chunks::<3>().0) {
        let (x, rest) = lines.split_at(count);
        let (y, z) = rest.split_at(count);
        let [p, q, r] = *factors;
        if is_first {
            for k in 0..count {
                sum[k] = p * x[k] + q * y[k] + r * z[k];
            }
        } else {
            for k in 0..count {
                sum[k] += p * x[k] + q * y[k] + r * z[k];
            }
        }
        is_first = false;
    }
}

/// Takes from each number the product of the end of its line with `below`.
#[inline(always)]
fn subtract_products(lines: &[f64], below: &[f64], own: &mut [f64]) {
    let length = lines.len() / own.len();
    let head = length - below.len();
    for (lines, own) in lines.chunks_exact(3 * length).zip(own.as_chunks_mut::<3>().0) {
        let ends = [0, 1, 2].map(|axis| &lines[axis * length + head..][..below.len()]);
        let products = products(ends, below);
        (0..3).for_each(|axis| own[axis] -= products[axis]);
    }
}

/// Three sums of products, each lane by itself and then all.
#[inline(always)]
fn products([x, y, z]: [&[f64]; 3], below: &[f64]) -> [f64; 3] {
    let (full, rest) = below.as_chunks::<WIDE>();
    let [(x, x_rest), (y, y_rest), (z, z_rest)] = [x, y, z].map(|line| line.as_chunks::<WIDE>());
    let mut sums = [[0.0; WIDE]; 3];
    for (((x, y), z), value) in x.iter().zip(y).zip(z).zip(full) {
        for lane in 0..WIDE {
            sums[0][lane] += x[lane] * value[lane];
            sums[1][lane] += y[lane] * value[lane];
            sums[2][lane] += z[lane] * value[lane];
        }
    }
    for (lane, value) in rest.iter().enumerate() {
        sums[0][lane] += x_rest[lane] * value;
        sums[1][lane] += y_rest[lane] * value;
        sums[2][lane] += z_rest[lane] * value;
    }
    sums.map(|s| ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7])))
}

/// Three entries of the sum of lines, times a factor each, from a column on; for all sides.
#[inline(always)]
fn multiply_sides(lines: &[f64], length: usize, at: usize, factors: &[Sides]) -> [Sides; 3] {
    let mut sums = [[0.0; SIDES]; 3];
    for (line, factors) in lines.chunks_exact(length).zip(factors) {
        let values = &line[at..at + 3];
        for axis in 0..3 {
            for side in 0..SIDES {
                sums[axis][side] += values[axis] * factors[side];
            }
        }
    }
    sums
}
