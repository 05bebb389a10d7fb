//! Sparse Cholesky factors, by the crate faer.
//!
//! Takes memory at every factorisation, and chooses its instructions by the processor: the
//! last bits may differ from machine to machine.

use faer::prelude::Solve;
use faer::sparse::linalg::solvers::{Llt, SymbolicLlt};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Mat, Side};

use crate::force::BlockMatrix;
use crate::id::VertexId;
use crate::math::Vec3;
use crate::solve::linear::{Linear, LinearSettings, SolveError, Solved, dot};

/// Refinements of a solution, count: each gains all digits but those the factors lost.
const REFINEMENTS: usize = 3;

/// What is kept from step to step: the pattern of the factors.
#[derive(Debug, Default)]
pub(crate) struct Cholesky {
    /// First entry of each column of the lower triangle, and one past the last of all.
    starts: Vec<usize>,
    /// Row of each entry.
    rows: Vec<usize>,
    values: Vec<f64>,
    pattern: Option<SymbolicLlt<usize>>,
    /// Whether each vertex is held.
    held: Vec<bool>,
    residual: Vec<Vec3>,
}

impl Cholesky {
    /// Solves for `x` by factors, refined until the residual is small enough.
    ///
    /// Terms of low rank are expanded to dense blocks.
    pub(crate) fn solve(
        &mut self,
        linear: Linear<'_>,
        settings: LinearSettings,
        x: &mut [Vec3],
    ) -> Result<Solved, SolveError> {
        let Linear { matrix, right, held, .. } = linear;
        let failed = |iterations, residual| SolveError::NotConverged {
            solver: "Cholesky",
            iterations,
            residual,
            tolerance: settings.tolerance,
        };
        self.mark(matrix.len(), held);
        self.fill(matrix.expanded().as_ref().unwrap_or(matrix));
        let factors = self.factor().ok_or(failed(0, f64::INFINITY))?;
        self.find_residual(matrix, right, x);
        let free = |(k, v): (usize, &Vec3)| if self.held[k] { 0.0 } else { v.length_squared() };
        let pushed = right.iter().enumerate().map(free).sum::<f64>().sqrt();
        let size = pushed.max(dot(&self.residual, &self.residual).sqrt()).max(f64::MIN_POSITIVE);
        let mut left = f64::INFINITY;
        for iterations in 1..=REFINEMENTS {
            self.find_residual(matrix, right, x);
            let mut correction = Mat::from_fn(3 * x.len(), 1, |k, _| self.residual[k / 3][k % 3]);
            factors.solve_in_place(&mut correction);
            for (k, x) in x.iter_mut().enumerate() {
                *x += Vec3::from([0, 1, 2].map(|axis| correction[(3 * k + axis, 0)]));
            }
            self.find_residual(matrix, right, x);
            left = dot(&self.residual, &self.residual).sqrt() / size;
            if left <= settings.tolerance {
                return Ok(Solved { iterations, residual: left });
            }
        }
        Err(failed(REFINEMENTS, left))
    }

    fn mark(&mut self, count: usize, held: &[VertexId]) {
        self.held.clear();
        self.held.resize(count, false);
        held.iter().for_each(|vertex| self.held[vertex.index()] = true);
    }

    /// What the equations of free vertices lack.
    fn find_residual(&mut self, matrix: &BlockMatrix, right: &[Vec3], x: &[Vec3]) {
        self.residual.resize(x.len(), Vec3::ZERO);
        matrix.multiply(x, &mut self.residual);
        for (k, residual) in self.residual.iter_mut().enumerate() {
            *residual = if self.held[k] { Vec3::ZERO } else { right[k] - *residual };
        }
    }

    /// Copies the lower triangle; rows and columns of held vertices become those of 1.
    fn fill(&mut self, matrix: &BlockMatrix) {
        let Cholesky { starts, rows, values, pattern, held, .. } = self;
        let mut same = starts.len() == 3 * matrix.len() + 1;
        starts.clear();
        values.clear();
        for row in 0..matrix.len() {
            let (columns, blocks) = matrix.row(row);
            for axis in 0..3 {
                starts.push(values.len());
                for (column, block) in columns.iter().zip(blocks) {
                    for other in 0..3 {
                        let (from, to) = (3 * row + axis, 3 * column.index() + other);
                        if to < from {
                            continue;
                        }
                        if rows.get(values.len()) != Some(&to) {
                            same = false;
                            rows.truncate(values.len());
                            rows.push(to);
                        }
                        // The matrix is symmetric, so that its rows are its columns.
                        let free = !held[row] && !held[column.index()];
                        let unit = if from == to { 1.0 } else { 0.0 };
                        values.push(if free { block.col(other)[axis] } else { unit });
                    }
                }
            }
        }
        starts.push(values.len());
        rows.truncate(values.len());
        if !same {
            *pattern = None;
        }
    }

    /// Factors, or nothing when the matrix is not positive definite.
    fn factor(&mut self) -> Option<Llt<usize, f64>> {
        let count = self.starts.len() - 1;
        let shape =
            SymbolicSparseColMatRef::new_checked(count, count, &self.starts, None, &self.rows);
        if self.pattern.is_none() {
            self.pattern = SymbolicLlt::try_new(shape, Side::Lower).ok();
        }
        let lower = SparseColMatRef::new(shape, &self.values);
        Llt::try_new_with_symbolic(self.pattern.clone()?, lower, Side::Lower).ok()
    }
}
