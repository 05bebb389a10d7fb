//! Dense arithmetic of one front, in f64: the inverse of its pivots, and products.
//!
//! Operands of a product are packed so that the innermost loop reads both without a gap: one in
//! blocks of three rows, the other in tiles of four columns. The sums of a block and a tile stay in
//! registers.

use super::LANES;
use crate::math::{Mat3, Vec3};
use crate::solve::dense::{add, inverse};

/// Inverts a symmetric positive definite matrix in place, `count` lines of `stride` numbers.
///
/// Reads the upper triangle, writes all. False when it is not positive definite; the contents are
/// of no use then. Three unknowns at a time change sides with the right-hand side, as in
/// [`crate::solve::dense`].
pub(super) fn invert(matrix: &mut [f64], stride: usize, lines: &mut Vec<f64>) -> bool {
    let count = matrix.len().checked_div(stride).unwrap_or(0);
    lines.clear();
    lines.resize(6 * stride, 0.0);
    let (own, solved) = lines.split_at_mut(3 * stride);
    for row in (0..count).step_by(3) {
        for (i, line) in matrix.chunks_exact(stride).take(row).enumerate() {
            (0..3).for_each(|axis| own[axis * stride + i] = line[row + axis]);
        }
        for axis in 0..3 {
            let line = &matrix[(row + axis) * stride..][..stride];
            own[axis * stride + row..][..stride - row].copy_from_slice(&line[row..]);
        }
        let [x, y, z] = three(own, stride);
        let (b, c) = (Vec3::new(x[row + 1], y[row + 1], y[row + 2]), [x, y, z].map(|l| l[row + 2]));
        let block = Mat3::from_cols(Vec3::from_slice(&x[row..]), b, c.into());
        let Some(pivot) = inverse(block) else { return false };
        for (line, factors) in solved.chunks_exact_mut(stride).zip(columns(pivot)) {
            line.fill(0.0);
            add(line, factors, [x, y, z]);
        }
        for (i, line) in matrix.chunks_exact_mut(stride).enumerate() {
            if i >= row && i < row + 3 {
                continue;
            }
            let start = i - i % LANES;
            let from = |lines: [&[f64]; 3]| -> [f64; 3] { lines.map(|line| -line[i]) };
            add(&mut line[start..], from([x, y, z]), three(solved, stride).map(|l| &l[start..]));
        }
        for (i, line) in matrix.chunks_exact_mut(stride).take(row).enumerate() {
            (0..3).for_each(|axis| line[row + axis] = solved[axis * stride + i]);
        }
        for (axis, factors) in columns(pivot).into_iter().enumerate() {
            let line = &mut matrix[(row + axis) * stride..][..stride];
            line[row..].copy_from_slice(&solved[axis * stride + row..][..stride - row]);
            line[row..row + 3].copy_from_slice(&factors.map(|value| -value));
        }
    }
    mirror(matrix, stride);
    true
}

/// Negates the upper triangle, and fills the lower one from it.
fn mirror(matrix: &mut [f64], stride: usize) {
    let count = matrix.len().checked_div(stride).unwrap_or(0);
    for i in 0..count {
        let (done, below) = matrix.split_at_mut((i + 1) * stride);
        let line = &mut done[i * stride..];
        line[i..].iter_mut().for_each(|value| *value = -*value);
        for (value, other) in line[i + 1..].iter().zip(below.chunks_exact_mut(stride)) {
            other[i] = *value;
        }
    }
}

fn three(lines: &[f64], stride: usize) -> [&[f64]; 3] {
    let (x, rest) = lines.split_at(stride);
    let (y, z) = rest.split_at(stride);
    [x, y, z]
}

fn columns(matrix: Mat3) -> [[f64; 3]; 3] {
    matrix.to_cols_array_2d()
}

/// Packs `N` columns of every line after each other, then the next `N`.
///
/// Lines are `stride` apart; `columns` are those of each that count, a multiple of `N`.
pub(super) fn pack<const N: usize>(
    lines: &[f64],
    stride: usize,
    columns: std::ops::Range<usize>,
    packed: &mut Vec<[f64; N]>,
) {
    let count = lines.len().checked_div(stride).unwrap_or(0);
    packed.clear();
    packed.resize(count * columns.len() / N, [0.0; N]);
    for (row, line) in lines.chunks_exact(stride.max(1)).enumerate() {
        let (parts, _) = line[columns.clone()].as_chunks::<N>();
        for (k, part) in parts.iter().enumerate() {
            packed[k * count + row] = *part;
        }
    }
}

/// The same for three columns, each number twice.
///
/// Products with pairs of numbers need no shuffles then, which the compiler is bad at.
pub(super) fn pack_twice(
    lines: &[f64],
    stride: usize,
    columns: std::ops::Range<usize>,
    packed: &mut Vec<Twice>,
) {
    let count = lines.len().checked_div(stride).unwrap_or(0);
    packed.clear();
    packed.resize(count * columns.len() / 3, Twice::default());
    for (row, line) in lines.chunks_exact(stride.max(1)).enumerate() {
        let (parts, _) = line[columns.clone()].as_chunks::<3>();
        for (k, part) in parts.iter().enumerate() {
            packed[k * count + row] = part.map(|value| [value; 2]);
        }
    }
}

/// Three numbers, each twice.
pub(super) type Twice = [[f64; 2]; 3];

/// Sums of products of three rows with four columns.
///
/// Not inlined: the sums stay vectors where nothing but stores follows, 1.7 times as fast.
#[inline(never)]
pub(super) fn product(block: &[Twice], tile: &[[f64; LANES]]) -> [[f64; LANES]; 3] {
    let mut sums = [[0.0; LANES]; 3];
    for (left, right) in block.iter().zip(tile) {
        for axis in 0..3 {
            for lane in 0..LANES {
                sums[axis][lane] += left[axis][lane % 2] * right[lane];
            }
        }
    }
    sums
}
