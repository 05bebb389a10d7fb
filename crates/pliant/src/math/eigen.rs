//! Eigenvalues and eigenvectors of a symmetric 3×3 matrix.

pub(crate) mod positive;

use crate::math::{Mat3, Vec3, jacobi, moderate};

/// Off-diagonal entries below this, relative to the whole matrix, are rounding.
const DIAGONAL: f64 = 1e-17;

/// Sweeps that are never needed: four or five do.
const MOST_SWEEPS: usize = 16;

/// A symmetric matrix as turned stretches: vectors · diag(values) · vectorsᵀ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Eigen {
    /// Descending, in the unit of the matrix.
    pub values: Vec3,
    /// Unit eigenvectors as columns; a rotation.
    pub vectors: Mat3,
}

/// Eigenvalues and eigenvectors of a symmetric matrix with finite entries.
///
/// Accurate to rounding of the largest entry. Of equal eigenvalues the vectors are some
/// basis, always the same one. Only the upper triangle is read.
pub(crate) fn eigen(matrix: Mat3) -> Eigen {
    let (matrix, scale) = moderate(matrix);
    let mut diagonal = [matrix.x_axis.x, matrix.y_axis.y, matrix.z_axis.z];
    // Entry k stands across from corner k: (1,2), (0,2), (0,1).
    let mut off = [matrix.z_axis.y, matrix.z_axis.x, matrix.y_axis.x];
    let square = |values: [f64; 3]| values.iter().map(|value| value * value).sum::<f64>();
    let small_sq = DIAGONAL * DIAGONAL * (square(diagonal) + 2.0 * square(off));
    let mut vectors = [Vec3::X, Vec3::Y, Vec3::Z];
    for _ in 0..MOST_SWEEPS {
        let mut turned = false;
        for (p, q, k) in [(0, 1, 2), (0, 2, 1), (1, 2, 0)] {
            let across = off[k];
            if across * across > small_sq {
                let (c, s, t) = jacobi(diagonal[q] - diagonal[p], 2.0 * across);
                diagonal[p] -= t * across;
                diagonal[q] += t * across;
                off[k] = 0.0;
                // The entries (p,k) and (q,k) stand across from q and p.
                (off[q], off[p]) = (c * off[q] - s * off[p], s * off[q] + c * off[p]);
                let (a, b) = (vectors[p], vectors[q]);
                (vectors[p], vectors[q]) = (c * a - s * b, s * a + c * b);
                turned = true;
            }
        }
        if !turned {
            break;
        }
    }
    sort(&mut diagonal, &mut vectors);
    let [x, y, z] = vectors;
    Eigen { values: scale * Vec3::from(diagonal), vectors: Mat3::from_cols(x, y, z) }
}

/// Orders by descending value; each swap turns one vector around, so that none mirrors.
fn sort(values: &mut [f64; 3], vectors: &mut [Vec3; 3]) {
    for (p, q) in [(0, 1), (1, 2), (0, 1)] {
        if values[p] < values[q] {
            values.swap(p, q);
            (vectors[p], vectors[q]) = (vectors[q], -vectors[p]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::svd::tests::{assert_rotation, some_matrices};

    /// Roundings of a few sweeps, relative to the largest entry.
    const TOLERANCE: f64 = 1e-14;

    #[track_caller]
    fn check(matrix: Mat3) {
        let Eigen { values, vectors } = eigen(matrix);
        let size = matrix.to_cols_array().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        assert_rotation(vectors);
        assert!(values.x >= values.y && values.y >= values.z, "{values}");
        let again = vectors * Mat3::from_diagonal(values / size) * vectors.transpose();
        assert!(size == 0.0 || again.abs_diff_eq(matrix / size, TOLERANCE), "{matrix} {again}");
    }

    #[test]
    fn a_matrix_is_made_again_from_its_parts() {
        for matrix in some_matrices() {
            check(0.5 * (matrix + matrix.transpose()));
        }
        check(Mat3::from_diagonal(Vec3::new(1.0, 1.0, 2.0)));
    }

    #[test]
    fn a_worked_case() {
        // [[2, 1], [1, 2]] has 3 along (1, 1) and 1 along (1, −1); the rest is −5 along z.
        let matrix = Mat3::from_cols_array(&[2.0, 1.0, 0.0, 1.0, 2.0, 0.0, 0.0, 0.0, -5.0]);
        let found = eigen(matrix);
        assert!(found.values.abs_diff_eq(Vec3::new(3.0, 1.0, -5.0), TOLERANCE), "{found:?}");
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let diagonal = Vec3::new(half, half, 0.0);
        assert!((found.vectors.x_axis.dot(diagonal).abs() - 1.0).abs() < TOLERANCE);
        assert!((found.vectors.z_axis.z.abs() - 1.0).abs() < TOLERANCE);
    }
}
