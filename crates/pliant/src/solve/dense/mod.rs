//! Dense inverse of a body's symmetric matrix, restricted to its contact vertices.
//!
//! Only some vertices of a body are in contacts. The others are eliminated first (a Schur
//! complement); what is left is a smaller matrix whose inverse is the wanted part of the whole
//! inverse. A velocity that is known at the wanted vertices is then substituted back to the
//! others.
//!
//! | here      | formula      | meaning                                                    |
//! |-----------|--------------|------------------------------------------------------------|
//! | `upper`   | P = D⁻¹, U   | eliminated rows: inverted pivots and what is right of them |
//! | `inverse` | (A⁻¹) wanted | symmetric, all of it                                       |
//! | `rest`    | b′           | right-hand side after the elimination                      |
//!
//! Everything is a sum of three rows, times a factor each, that is added to another row: the
//! entries of a row do not depend on each other, so that results are bitwise the same for any
//! register width.

use std::ops::Range;

use crate::force::BlockMatrix;
use crate::force::low_rank::LowRank;
use crate::math::{Mat3, Vec3};

/// Numbers that are processed together; rows are padded to a multiple.
const LANES: usize = 4;

/// Row of a vertex whose velocity is given.
const HELD: u32 = u32::MAX;

/// The inverse of one body's part of the matrix.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inverse {
    /// First row of each vertex, or [`HELD`]; the eliminated ones come first.
    rows: Vec<u32>,
    /// Rows of eliminated vertices, three each.
    eliminated: usize,
    /// Rows of wanted vertices, three each.
    asked: usize,
    /// Rows of the eliminated; columns of the others begin at a multiple of the lanes.
    upper: Vec<f64>,
    /// Row after row, each with the padding.
    inverse: Vec<f64>,
    /// Three rows of the matrix, times the inverse of their own block.
    pivots: Vec<f64>,
    /// In the order of columns of `upper`.
    rest: Vec<f64>,
}

impl Inverse {
    /// Inverts the rows and columns of a range of vertices.
    ///
    /// Pinned vertices have no rows and columns. False when the matrix is not positive definite, or
    /// couples the range to other vertices; the contents are of no use then.
    #[must_use]
    pub(crate) fn fill(
        &mut self,
        matrix: &BlockMatrix,
        vertices: Range<usize>,
        is_asked: impl Fn(usize) -> bool,
        is_held: impl Fn(usize) -> bool,
    ) -> bool {
        self.arrange(vertices.clone(), is_asked, is_held);
        self.load(matrix, vertices) && self.eliminate() && self.invert()
    }

    /// Row of a vertex among the wanted ones; none when it is pinned or eliminated.
    ///
    /// Vertices count from the first of the body.
    #[inline]
    pub(crate) fn place(&self, vertex: usize) -> Option<usize> {
        let row = self.rows[vertex];
        let first = (self.eliminated / 3) as u32;
        (row != HELD && row >= first).then(|| (row - first) as usize)
    }

    /// Numbers in a row: three per wanted vertex, and the padding, which is zero.
    #[inline]
    pub(crate) fn width(&self) -> usize {
        padded(self.asked)
    }

    /// The three rows of a vertex, by its index among the wanted ones.
    #[inline]
    pub(crate) fn rows(&self, place: usize) -> [&[f64]; 3] {
        three(&self.inverse, 3 * place, self.width())
    }

    /// The block of two vertices, by their indices.
    #[inline]
    pub(crate) fn block(&self, row: usize, column: usize) -> Mat3 {
        // Symmetric as a whole: rows of the one block are columns of the other.
        let [x, y, z] = from(self.rows(column), 3 * row);
        Mat3::from_cols(Vec3::from_slice(x), Vec3::from_slice(y), Vec3::from_slice(z))
    }

    /// Solves A v = b for the wanted vertices: fills `asked`, row by row, padded.
    ///
    /// `right` is b of a vertex, counted from the first of the body.
    pub(crate) fn solve(&mut self, right: impl Fn(usize) -> Vec3, asked: &mut Vec<f64>) {
        let (head, width, stride) = (padded(self.eliminated), self.width(), self.stride());
        let lead = head - self.eliminated;
        self.rest.clear();
        self.rest.resize(stride, 0.0);
        for (vertex, row) in self.rows.iter().enumerate().filter(|(_, row)| **row != HELD) {
            let at = self.column(*row);
            self.rest[at..at + 3].copy_from_slice(&right(vertex).to_array());
        }
        for row in (0..self.eliminated).step_by(3) {
            let (own, after) = self.rest.split_at_mut(lead + row + 3);
            let pivot = three(&self.upper, row, stride);
            let now = Vec3::from_slice(&own[lead + row..]);
            let solved = pivot_block(pivot, lead + row) * now;
            for (value, column) in after.iter_mut().zip(lead + row + 3..) {
                *value -= solved.x * pivot[0][column]
                    + solved.y * pivot[1][column]
                    + solved.z * pivot[2][column];
            }
        }
        asked.clear();
        asked.resize(width, 0.0);
        for row in (0..self.asked).step_by(3) {
            let now = Vec3::from_slice(&self.rest[head + row..]);
            add(asked, now.to_array(), three(&self.inverse, row, width));
        }
    }

    /// Velocities of all vertices from the wanted ones; pinned ones stay.
    ///
    /// After [`Inverse::solve`]: the others follow from its right-hand side.
    pub(crate) fn spread(&mut self, asked: &[f64], velocities: &mut [Vec3]) {
        let (head, stride) = (padded(self.eliminated), self.stride());
        let lead = head - self.eliminated;
        self.rest[head..].copy_from_slice(asked);
        for row in (0..self.eliminated).step_by(3).rev() {
            let (own, after) = self.rest.split_at_mut(lead + row + 3);
            let pivot = three(&self.upper, row, stride);
            let [x, y, z] = pivot.map(|line| dot(&line[lead + row + 3..], after));
            let now = Vec3::from_slice(&own[lead + row..]) - Vec3::new(x, y, z);
            let solved = pivot_block(pivot, lead + row) * now;
            own[lead + row..].copy_from_slice(&solved.to_array());
        }
        for (row, velocity) in self.rows.iter().zip(velocities) {
            if *row != HELD {
                *velocity = Vec3::from_slice(&self.rest[self.column(*row)..]);
            }
        }
    }

    /// Assigns every vertex its row.
    fn arrange(
        &mut self,
        vertices: Range<usize>,
        is_asked: impl Fn(usize) -> bool,
        is_held: impl Fn(usize) -> bool,
    ) {
        self.rows.clear();
        self.rows.resize(vertices.len(), HELD);
        let mut count = 0;
        for asked in [false, true] {
            let free = vertices.clone().filter(|v| is_asked(*v) == asked && !is_held(*v));
            for vertex in free {
                self.rows[vertex - vertices.start] = count;
                count += 1;
            }
            if !asked {
                self.eliminated = 3 * count as usize;
            }
        }
        self.asked = 3 * count as usize - self.eliminated;
    }

    /// Numbers in a row of `upper`.
    fn stride(&self) -> usize {
        padded(self.eliminated) + self.width()
    }

    /// First column of a vertex in `upper`, by its row.
    #[inline]
    fn column(&self, row: u32) -> usize {
        let row = 3 * row as usize;
        // The padding lies before the eliminated ones.
        padded(self.eliminated) - self.eliminated + row
    }

    /// Copies what lies on and right of the diagonal.
    fn load(&mut self, matrix: &BlockMatrix, vertices: Range<usize>) -> bool {
        let (width, stride) = (self.width(), self.stride());
        self.upper.clear();
        self.upper.resize(self.eliminated * stride, 0.0);
        self.inverse.clear();
        self.inverse.resize(self.asked * width, 0.0);
        for vertex in vertices.clone() {
            let (columns, blocks) = matrix.row(vertex);
            let row = self.rows[vertex - vertices.start];
            for (column, block) in columns.iter().zip(blocks) {
                let column = column.index();
                if !vertices.contains(&column) {
                    return false;
                }
                let column = self.rows[column - vertices.start];
                if row == HELD || column == HELD || column < row {
                    continue;
                }
                let block = block.transpose();
                let lines = self.lines(row, column);
                for (line, part) in lines.zip([block.x_axis, block.y_axis, block.z_axis]) {
                    line.copy_from_slice(&part.to_array());
                }
            }
        }
        let terms = matrix.terms_at(vertices.clone());
        terms.iter().all(|term| self.load_term(term, vertices.clone()))
    }

    /// Adds a term of low rank; false when it couples the range to other vertices.
    fn load_term(&mut self, term: &LowRank, vertices: Range<usize>) -> bool {
        let mut inside = term.unknowns().map(|unknown| vertices.contains(&unknown.index()));
        let Some(is_own) = inside.next() else { return true };
        if inside.any(|other| other != is_own) {
            return false;
        }
        if is_own {
            term.visit_blocks(|row, column, block| {
                let [row, column] = [row, column].map(|v| self.rows[v.index() - vertices.start]);
                if row == HELD || column == HELD || column < row {
                    return;
                }
                let block = block.transpose();
                let lines = self.lines(row, column);
                for (line, part) in lines.zip([block.x_axis, block.y_axis, block.z_axis]) {
                    line.iter_mut().zip(part.to_array()).for_each(|(sum, value)| *sum += value);
                }
            });
        }
        true
    }

    /// The three lines of a block on or right of the diagonal.
    fn lines(&mut self, row: u32, column: u32) -> impl Iterator<Item = &mut [f64]> {
        let (width, stride, first) = (self.width(), self.stride(), self.eliminated / 3);
        let (at, row) = (self.column(column), row as usize);
        let (lines, at, length) = if row < first {
            (&mut self.upper[3 * row * stride..], at, stride)
        } else {
            let at = at - padded(self.eliminated);
            (&mut self.inverse[3 * (row - first) * width..], at, width)
        };
        lines.chunks_mut(length).take(3).map(move |line| &mut line[at..at + 3])
    }

    /// Eliminates the vertices that are not wanted.
    fn eliminate(&mut self) -> bool {
        let (head, width, stride) = (padded(self.eliminated), self.width(), self.stride());
        let lead = head - self.eliminated;
        for row in (0..self.eliminated).step_by(3) {
            let (done, below) = self.upper.split_at_mut((row + 3) * stride);
            let pivot = three(done, row, stride);
            let Some(inverse) = inverse(pivot_block(pivot, lead + row)) else { return false };
            let factors = |at: usize| {
                let across = -Vec3::new(pivot[0][at], pivot[1][at], pivot[2][at]);
                // Most vertices of a mesh are not coupled.
                (across != Vec3::ZERO).then(|| (inverse * across).to_array())
            };
            for (line, at) in below.chunks_exact_mut(stride).zip(lead + row + 3..) {
                if let Some(factors) = factors(at) {
                    let start = at - at % LANES;
                    add(&mut line[start..], factors, from(pivot, start));
                }
            }
            for (row, line) in self.inverse.chunks_exact_mut(width.max(1)).enumerate() {
                if let Some(factors) = factors(head + row) {
                    let start = row - row % LANES;
                    add(&mut line[start..], factors, from(pivot, head + start));
                }
            }
            for (axis, line) in columns(inverse).iter().enumerate() {
                done[(row + axis) * stride + lead + row..][..3].copy_from_slice(&line.to_array());
            }
        }
        true
    }

    /// Inverts what is left, in place.
    ///
    /// Block by block the unknowns change sides with the right-hand side; what is right of the
    /// diagonal suffices, as the matrix stays symmetric. At the end, minus the inverse is
    /// left.
    fn invert(&mut self) -> bool {
        let width = self.width();
        self.pivots.resize(3 * width, 0.0);
        for row in (0..self.asked).step_by(3) {
            let (above, rest) = self.inverse.split_at_mut(row * width);
            let (own, below) = rest.split_at_mut(3 * width);
            let pivot = three(own, 0, width);
            let Some(inverse) = inverse(pivot_block(pivot, row)) else { return false };
            let lines = columns(inverse);
            let (x, rest) = self.pivots.split_at_mut(width);
            let (y, z) = rest.split_at_mut(width);
            for (i, line) in above.chunks_exact(width).enumerate() {
                [x[i], y[i], z[i]] = (inverse * Vec3::from_slice(&line[row..])).to_array();
            }
            for (line, factors) in [&mut *x, y, z].into_iter().zip(lines) {
                line[row..].fill(0.0);
                add(&mut line[row..], factors.to_array(), from(pivot, row));
            }
            let solved = [&*x, y, z];
            for (i, line) in above.chunks_exact_mut(width).enumerate() {
                let (start, factors) = (i - i % LANES, -Vec3::from_slice(&line[row..]));
                add(&mut line[start..], factors.to_array(), from(solved, start));
                line[row..][..3].copy_from_slice(&[x[i], y[i], z[i]]);
            }
            for (i, line) in (row + 3..).zip(below.chunks_exact_mut(width)) {
                let start = i - i % LANES;
                let factors = [-pivot[0][i], -pivot[1][i], -pivot[2][i]];
                add(&mut line[start..], factors, from(solved, start));
            }
            for (axis, line) in own.chunks_exact_mut(width).enumerate() {
                line[row + 3..].copy_from_slice(&solved[axis][row + 3..]);
                line[row..][..3].copy_from_slice(&(-lines[axis]).to_array());
            }
        }
        mirror(&mut self.inverse, width);
        true
    }
}

/// The next multiple of the lanes.
#[inline]
fn padded(count: usize) -> usize {
    count.next_multiple_of(LANES)
}

/// Three rows of a matrix.
#[inline]
pub(crate) fn three(matrix: &[f64], row: usize, width: usize) -> [&[f64]; 3] {
    let lines = &matrix[row * width..(row + 3) * width];
    let (x, rest) = lines.split_at(width);
    let (y, z) = rest.split_at(width);
    [x, y, z]
}

/// What three rows hold from a column on.
#[inline]
fn from([x, y, z]: [&[f64]; 3], at: usize) -> [&[f64]; 3] {
    [&x[at..], &y[at..], &z[at..]]
}

/// The symmetric block of three rows that begins at a column.
#[inline]
fn pivot_block(lines: [&[f64]; 3], at: usize) -> Mat3 {
    let [x, y, z] = from(lines, at);
    let (x, y, z) = (Vec3::from_slice(x), Vec3::from_slice(y), Vec3::from_slice(z));
    Mat3::from_cols(x, Vec3::new(x.y, y.y, y.z), Vec3::new(x.z, y.z, z.z))
}

fn columns(matrix: Mat3) -> [Vec3; 3] {
    [matrix.x_axis, matrix.y_axis, matrix.z_axis]
}

/// The inverse of a symmetric block; none when it is not positive definite.
pub(super) fn inverse(block: Mat3) -> Option<Mat3> {
    let is_pivot = |value: f64| value > 0.0 && value.is_finite();
    // L D Lᵀ: l below the diagonal of L, and the entries of D.
    let [a, b, c] = columns(block);
    let (l_y, l_z) = (a.y / a.x, a.z / a.x);
    let (d_y, mixed) = (b.y - l_y * a.y, b.z - l_y * a.z);
    let l_yz = mixed / d_y;
    let d_z = c.z - l_z * a.z - l_yz * mixed;
    if !(is_pivot(a.x) && is_pivot(d_y) && is_pivot(d_z)) {
        return None;
    }
    let (x, y, z) = (a.x.recip(), d_y.recip(), d_z.recip());
    let far = l_y * l_yz - l_z;
    let (xy, xz, yz) = (-l_y * y - far * l_yz * z, far * z, -l_yz * z);
    let (xx, yy) = (x + l_y * l_y * y + far * far * z, y + l_yz * l_yz * z);
    Some(Mat3::from_cols(Vec3::new(xx, xy, xz), Vec3::new(xy, yy, yz), Vec3::new(xz, yz, z)))
}

/// Adds three rows, times a factor each, to a row.
///
/// The rows are at least as long as the one that is added to.
#[inline(always)]
pub(crate) fn add(line: &mut [f64], [p, q, r]: [f64; 3], [x, y, z]: [&[f64]; 3]) {
    let count = line.len();
    let (x, y, z) = (&x[..count], &y[..count], &z[..count]);
    for (k, value) in line.iter_mut().enumerate() {
        *value += p * x[k] + q * y[k] + r * z[k];
    }
}

/// Sum of products, each lane by itself and then all; what is left over comes last.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let ((a, a_left), (b, b_left)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    let mut sums = [0.0; LANES];
    for (a, b) in a.iter().zip(b) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let left: f64 = a_left.iter().zip(b_left).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f64>() + left
}

/// Negates the matrix, and fills the lower triangle from the upper one.
fn mirror(matrix: &mut [f64], width: usize) {
    if width == 0 {
        return;
    }
    let count = matrix.len() / width;
    for i in 0..count {
        let (done, below) = matrix.split_at_mut((i + 1) * width);
        let line = &mut done[i * width..];
        line[i..].iter_mut().for_each(|value| *value = -*value);
        for (value, other) in line[i + 1..].iter().zip(below.chunks_exact_mut(width)) {
            other[i] = *value;
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
