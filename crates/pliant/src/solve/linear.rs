//! Linear systems of the implicit integrators: symmetric positive definite, sparse.
//!
//! Pinned vertices keep the values they come with; only the rows of the others are solved.

use std::iter::Sum;
use std::ops::Add;

use crate::body::offsets::BodyOffsets;
use crate::force::BlockMatrix;
use crate::id::{MismatchError, VertexId};
use crate::math::{Mat3, Vec3};
#[cfg(feature = "direct")]
use crate::solve::cholesky::Cholesky;
use crate::solve::pcg::Pcg;

/// Method that solves a linear system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LinearSolver {
    /// Conjugate gradients, preconditioned by the inverse diagonal blocks.
    #[default]
    Pcg,
    /// Sparse Cholesky factorisation; results may differ in bits between processors.
    #[cfg(feature = "direct")]
    Cholesky,
}

/// Accuracy and limits of a linear solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinearSettings {
    /// Method.
    pub solver: LinearSolver,
    /// Residual to reach, relative.
    ///
    /// To the right-hand side, or to the residual at the start if that is more.
    pub tolerance: f64,
    /// Most iterations of an iterative solver.
    pub iterations: usize,
}

impl Default for LinearSettings {
    fn default() -> LinearSettings {
        LinearSettings { solver: LinearSolver::Pcg, tolerance: 1e-6, iterations: 1000 }
    }
}

/// A linear system that was not solved.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum SolveError {
    /// A solver that stopped too early.
    #[error(
        "the {solver} solver stopped after {iterations} iterations with residual {residual:.3e}, above {tolerance:.3e}"
    )]
    NotConverged {
        /// Which solver.
        solver: &'static str,
        /// Iterations made.
        iterations: usize,
        /// Residual at the end, relative.
        residual: f64,
        /// Residual that was to be reached, relative.
        tolerance: f64,
    },
    /// Arguments that do not belong together.
    #[error("{0}")]
    Mismatch(#[from] MismatchError),
}

/// Iterations and residual of a solve.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Solved {
    /// Iterations; of a direct solver the refinements, at least 1.
    pub iterations: usize,
    /// Residual relative to the right-hand side.
    pub residual: f64,
}

/// A linear system: matrix, right-hand side, and the rows that are given.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Linear<'a> {
    /// Symmetric and positive definite.
    pub matrix: &'a BlockMatrix,
    /// Right-hand side; rows of pinned vertices are not read.
    pub right: &'a [Vec3],
    /// Vertices whose value is given, ascending.
    pub held: &'a [VertexId],
    /// Where bodies begin.
    ///
    /// An unfinished solution still gives each body its momentum, by a coarse correction.
    pub bodies: &'a BodyOffsets,
}

/// A symmetric positive definite matrix, known by its products (matrix-free).
pub trait Operator {
    /// Fills `product` with the matrix times `x`.
    fn multiply(&self, x: &[Vec3], product: &mut [Vec3]);

    /// The diagonal block of a row, or one near it; used as preconditioner only.
    fn diagonal(&self, row: usize) -> Mat3;
}

impl Operator for BlockMatrix {
    fn multiply(&self, x: &[Vec3], product: &mut [Vec3]) {
        BlockMatrix::multiply(self, x, product);
    }

    fn diagonal(&self, row: usize) -> Mat3 {
        BlockMatrix::diagonal(self, row)
    }
}

/// A matrix of another engine, given by its product with a vector.
///
/// Symmetric and positive definite; otherwise solvers stop with an error.
#[derive(Clone, Copy, Debug)]
pub struct Product<'a, F> {
    /// Fills its second argument with the matrix times the first.
    pub multiply: F,
    /// The diagonal block of each row, or one near it; used as preconditioner only.
    pub diagonal: &'a [Mat3],
}

impl<F: Fn(&[Vec3], &mut [Vec3])> Operator for Product<'_, F> {
    fn multiply(&self, x: &[Vec3], product: &mut [Vec3]) {
        (self.multiply)(x, product);
    }

    fn diagonal(&self, row: usize) -> Mat3 {
        self.diagonal.get(row).copied().unwrap_or(Mat3::NAN)
    }
}

/// Scratch memory of the solvers.
#[derive(Debug, Default)]
pub(crate) struct Solvers {
    pcg: Pcg,
    #[cfg(feature = "direct")]
    cholesky: Cholesky,
}

impl Solvers {
    /// Solves for `x`, which comes with a guess and with the values of pinned vertices.
    ///
    /// An unfinished solution is an error with its numbers; `x` then holds what was reached.
    pub(crate) fn solve(
        &mut self,
        linear: Linear<'_>,
        settings: LinearSettings,
        x: &mut [Vec3],
    ) -> Result<Solved, SolveError> {
        match settings.solver {
            LinearSolver::Pcg => self.pcg.solve(linear, settings, x),
            #[cfg(feature = "direct")]
            LinearSolver::Cholesky => self.cholesky.solve(linear, settings, x),
        }
    }
}

/// Dot product, summed in four lanes.
pub(crate) fn dot(a: &[Vec3], b: &[Vec3]) -> f64 {
    in_lanes(a.iter().zip(b).map(|(a, b)| a.dot(*b)))
}

/// A sum in four lanes: a fixed order without waiting for each addition.
#[inline]
pub(super) fn in_lanes<T>(mut terms: impl ExactSizeIterator<Item = T>) -> T
where
    T: Copy + Default + Add<Output = T> + Sum,
{
    let mut lanes = [T::default(); 4];
    for _ in 0..terms.len() / 4 {
        for lane in &mut lanes {
            *lane = *lane + terms.next().unwrap_or_default();
        }
    }
    let rest: T = terms.sum();
    (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]) + rest
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::force::{Corners, Forces, Form, Material, StateView, Tangent};

    /// A spring of zero length between each vertex and the next, stiffer and stiffer.
    #[derive(Debug)]
    struct Chain;

    impl Material<2> for Chain {
        fn count(&self) -> usize {
            20
        }

        fn vertices(&self, element: usize) -> [VertexId; 2] {
            [VertexId(element as u32), VertexId(element as u32 + 1)]
        }

        fn energy(&self, _element: usize, _at: &Corners<2>) -> f64 {
            0.0
        }

        fn forces(&self, _element: usize, _at: &Corners<2>) -> [Vec3; 2] {
            [Vec3::ZERO; 2]
        }

        fn tangent(&self, element: usize, _at: &Corners<2>, _: Tangent) -> [[Mat3; 2]; 2] {
            let along = Vec3::new(1.0, 0.3 * element as f64, -0.5);
            let k = Mat3::from_cols(along.x * along, along.y * along, along.z * along);
            [[k, -k], [-k, k]]
        }
    }

    /// Its matrix with masses of 1 kg, and a right-hand side.
    pub(crate) fn net() -> (BlockMatrix, Vec<Vec3>) {
        let mut forces = Forces::new();
        forces.push(Chain);
        let still = vec![Vec3::ZERO; 21];
        let motion = StateView { positions: &still, velocities: &still, time: 0.0 };
        let tangent = Tangent { stiffness: 1.0, damping: 0.0, form: Form::Definite };
        let mut matrix = forces.assemble(motion, tangent).unwrap().clone();
        (0..21).for_each(|row| matrix.add_to_diagonal(row, 1.0));
        (matrix, (0..21).map(|k| Vec3::new(1.0, k as f64, (k * k % 7) as f64)).collect())
    }

    /// Residual of the free rows, relative to the right-hand side.
    pub(crate) fn residual_of(x: &[Vec3], held: &[VertexId]) -> f64 {
        let (matrix, right) = net();
        let mut image = right.clone();
        matrix.multiply(x, &mut image);
        let free = |k: &usize| !held.contains(&VertexId(*k as u32));
        let sum = |of: &dyn Fn(usize) -> Vec3| -> f64 {
            (0..21).filter(free).map(|k| of(k).length_squared()).sum()
        };
        (sum(&|k| right[k] - image[k]) / sum(&|k| right[k])).sqrt()
    }

    #[test]
    fn lanes_sum_to_the_plain_product() {
        let a: Vec<_> = (0..11).map(|k| Vec3::new(1.0, f64::from(k), 2.0)).collect();
        // Σ 1 + k² + 4 over k = 0..10.
        assert_eq!(dot(&a, &a), 11.0 * 5.0 + 385.0);
    }

    #[test]
    fn a_closure_is_as_good_as_the_matrix() {
        let (matrix, right) = net();
        let diagonal: Vec<_> = (0..21).map(|row| matrix.diagonal(row)).collect();
        let multiply = |x: &[Vec3], product: &mut [Vec3]| matrix.multiply(x, product);
        let product = Product { multiply, diagonal: &diagonal };
        let found = [&matrix as &dyn Operator, &product].map(|matrix| {
            let mut x = vec![Vec3::ZERO; 21];
            let settings = LinearSettings::default();
            Pcg::default().iterate(matrix, &right, &[], settings, &mut x).unwrap();
            x
        });
        assert_eq!(found[0], found[1]);
    }

    #[cfg(feature = "direct")]
    #[test]
    fn factors_and_gradients_agree() {
        let (matrix, right) = net();
        for held in [&[][..], &[VertexId(0), VertexId(7)]] {
            let bodies = BodyOffsets::default();
            let linear = Linear { matrix: &matrix, right: &right, held, bodies: &bodies };
            let mut solvers = Solvers::default();
            let found = [LinearSolver::Pcg, LinearSolver::Cholesky].map(|solver| {
                let settings = LinearSettings { solver, tolerance: 1e-13, iterations: 1000 };
                let mut x = vec![Vec3::ONE; 21];
                solvers.solve(linear, settings, &mut x).unwrap();
                x
            });
            for (a, b) in found[0].iter().zip(&found[1]) {
                assert!(a.abs_diff_eq(*b, 1e-10), "{a} {b}");
            }
            assert!(residual_of(&found[1], held) < 1e-13);
        }
    }
}
