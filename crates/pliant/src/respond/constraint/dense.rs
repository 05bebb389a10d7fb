//! Inverses of small symmetric matrices.

use crate::force::BlockMatrix;
use crate::math::{Mat3, Vec3};

/// The inverse of one body's part of the matrix.
#[derive(Clone, Debug, Default)]
pub struct Inverse {
    /// Rows, three per vertex, count.
    size: usize,
    /// Row after row.
    values: Vec<f64>,
    factor: Vec<f64>,
}

impl Inverse {
    /// Inverts the rows and columns of a range of vertices.
    ///
    /// Rows and columns of vertices for which `is_held` answers true become those of 1. False
    /// when the matrix is not positive definite, or joins the range to other vertices.
    #[must_use]
    pub fn fill(
        &mut self,
        matrix: &BlockMatrix,
        vertices: std::ops::Range<usize>,
        is_held: impl Fn(usize) -> bool,
    ) -> bool {
        let size = 3 * vertices.len();
        self.size = size;
        self.factor.clear();
        self.factor.resize(size * size, 0.0);
        for row in vertices.clone() {
            let (columns, blocks) = matrix.row(row);
            for (column, block) in columns.iter().zip(blocks) {
                let column = column.index();
                if !vertices.contains(&column) {
                    return false;
                }
                if is_held(row) || is_held(column) {
                    continue;
                }
                let (i, j) = (3 * (row - vertices.start), 3 * (column - vertices.start));
                for axis in 0..3 {
                    for other in 0..3 {
                        self.factor[(i + axis) * size + j + other] = block.col(other)[axis];
                    }
                }
            }
            if is_held(row) {
                for axis in 0..3 {
                    let i = 3 * (row - vertices.start) + axis;
                    self.factor[i * size + i] = 1.0;
                }
            }
        }
        self.decompose() && self.invert()
    }

    /// L with L Lᵀ = A, in the lower triangle.
    fn decompose(&mut self) -> bool {
        let (size, l) = (self.size, &mut self.factor);
        for i in 0..size {
            let (above, rest) = l.split_at_mut(i * size);
            let row = &mut rest[..=i];
            for j in 0..i {
                let other = &above[j * size..j * size + j + 1];
                let sum: f64 = row[..j].iter().zip(other).map(|(a, b)| a * b).sum();
                row[j] = (row[j] - sum) / other[j];
            }
            let square = row[i] - row[..i].iter().map(|a| a * a).sum::<f64>();
            if !(square > 0.0 && square.is_finite()) {
                return false;
            }
            row[i] = square.sqrt();
        }
        true
    }

    /// A⁻¹ = L⁻ᵀ L⁻¹.
    fn invert(&mut self) -> bool {
        let size = self.size;
        // Row i of the transposed inverse of L, built column by column.
        let l = &self.factor;
        let mut inverse = std::mem::take(&mut self.values);
        inverse.clear();
        inverse.resize(size * size, 0.0);
        for column in 0..size {
            let own = &mut inverse[column * size..(column + 1) * size];
            own[column] = l[column * size + column].recip();
            for i in column + 1..size {
                let row = &l[i * size + column..i * size + i];
                let sum: f64 = row.iter().zip(&own[column..i]).map(|(a, b)| a * b).sum();
                own[i] = -sum / l[i * size + i];
            }
        }
        // `inverse` holds L⁻ᵀ by rows: the product of two of its rows is an entry of A⁻¹.
        let product = &mut self.factor;
        for i in 0..size {
            for j in 0..=i {
                let (a, b) = (
                    &inverse[i * size + i..(i + 1) * size],
                    &inverse[j * size + i..(j + 1) * size],
                );
                let value: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
                product[i * size + j] = value;
            }
        }
        for i in 0..size {
            for j in i + 1..size {
                product[i * size + j] = product[j * size + i];
            }
        }
        std::mem::swap(&mut self.factor, &mut inverse);
        self.values = inverse;
        true
    }

    /// The block of two vertices, counted within the body.
    #[inline]
    pub fn block(&self, row: usize, column: usize) -> Mat3 {
        let line = |axis: usize| {
            let start = (3 * row + axis) * self.size + 3 * column;
            Vec3::new(self.values[start], self.values[start + 1], self.values[start + 2])
        };
        Mat3::from_cols(line(0), line(1), line(2)).transpose()
    }

    /// The product with a vector of the body.
    pub fn multiply(&self, x: &[Vec3], product: &mut [Vec3]) {
        for (row, result) in product.iter_mut().enumerate() {
            *result = (0..x.len()).map(|column| self.block(row, column) * x[column]).sum();
        }
    }
}
