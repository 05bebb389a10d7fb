//! The pseudo-inverse of a symmetric matrix: the inverse on its range.

use crate::math::jacobi;

/// Off-diagonal entries below this, relative to the whole matrix, are rounding.
const DIAGONAL: f64 = 1e-16;

/// Sweeps that are never needed: nine rows take six or seven.
const MOST_SWEEPS: usize = 30;

/// The inverse of a symmetric matrix where it has one, zero elsewhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Inverse<const N: usize> {
    /// Rows, in one over the unit of the matrix.
    pub rows: [[f64; N]; N],
    /// Number of directions that have an inverse.
    pub rank: usize,
}

/// The pseudo-inverse of a symmetric matrix with finite entries.
///
/// Eigenvalues of at most `cut` times the largest by size count as zero. A zero
/// matrix has rank 0 and a zero inverse.
pub(crate) fn pseudo_inverse<const N: usize>(mut matrix: [[f64; N]; N], cut: f64) -> Inverse<N> {
    let mut vectors = [[0.0; N]; N];
    (0..N).for_each(|k| vectors[k][k] = 1.0);
    let size = matrix.iter().flatten().fold(0.0_f64, |most, x| most.max(x.abs()));
    for _ in 0..MOST_SWEEPS {
        let mut turned = false;
        for p in 0..N {
            for q in p + 1..N {
                if matrix[p][q].abs() > DIAGONAL * size {
                    turn(&mut matrix, &mut vectors, p, q);
                    turned = true;
                }
            }
        }
        if !turned {
            break;
        }
    }
    let largest = (0..N).fold(0.0_f64, |most, k| most.max(matrix[k][k].abs()));
    let mut found = Inverse { rows: [[0.0; N]; N], rank: 0 };
    for (k, vector) in vectors.iter().enumerate() {
        let value = matrix[k][k];
        if value.abs() > cut * largest {
            found.rank += 1;
            for (row, a) in found.rows.iter_mut().zip(vector) {
                row.iter_mut().zip(vector).for_each(|(entry, b)| *entry += a * b / value);
            }
        }
    }
    found
}

/// Turns axes p and q so that their common entry vanishes; vectors are rows.
fn turn<const N: usize>(
    matrix: &mut [[f64; N]; N],
    vectors: &mut [[f64; N]; N],
    p: usize,
    q: usize,
) {
    let (c, s, t) = jacobi(matrix[q][q] - matrix[p][p], 2.0 * matrix[p][q]);
    let across = matrix[p][q];
    matrix[p][p] -= t * across;
    matrix[q][q] += t * across;
    (matrix[p][q], matrix[q][p]) = (0.0, 0.0);
    for k in 0..N {
        if k != p && k != q {
            let (a, b) = (matrix[p][k], matrix[q][k]);
            (matrix[p][k], matrix[q][k]) = (c * a - s * b, s * a + c * b);
            (matrix[k][p], matrix[k][q]) = (matrix[p][k], matrix[q][k]);
        }
        let (a, b) = (vectors[p][k], vectors[q][k]);
        (vectors[p][k], vectors[q][k]) = (c * a - s * b, s * a + c * b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::Random;

    fn product<const N: usize>(a: [[f64; N]; N], b: [[f64; N]; N]) -> [[f64; N]; N] {
        let entry = |i: usize, j: usize| (0..N).map(|k| a[i][k] * b[k][j]).sum();
        std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j)))
    }

    /// Σ v vᵀ of `rank` random vectors.
    fn squares<const N: usize>(rank: usize, seed: u64) -> [[f64; N]; N] {
        let mut random = Random::new(seed);
        let mut matrix = [[0.0; N]; N];
        for _ in 0..rank {
            let v: [f64; N] = std::array::from_fn(|_| random.signed());
            (0..N).for_each(|i| (0..N).for_each(|j| matrix[i][j] += v[i] * v[j]));
        }
        matrix
    }

    #[track_caller]
    fn check<const N: usize>(rank: usize) {
        // The first include two matrices that are nearly of a lower rank, the others none.
        for (seed, most) in (1..20).map(|k| (k, f64::INFINITY)).chain((46..65).map(|k| (k, 1e-11)))
        {
            let matrix = squares::<N>(rank, seed);
            let found = pseudo_inverse(matrix, 1e-12);
            assert_eq!(found.rank, rank);
            // A A⁺ A = A; entries of A are below ten, and roundings grow with those of A⁺.
            let again = product(product(matrix, found.rows), matrix);
            let error = (0..N * N).map(|k| (again[k / N][k % N] - matrix[k / N][k % N]).abs());
            let largest = found.rows.iter().flatten().fold(1.0, |m: f64, x| m.max(x.abs()));
            assert!(error.fold(0.0, f64::max) < most.min(1e-14 * largest), "{again:?} {matrix:?}");
        }
    }

    #[test]
    fn a_matrix_and_its_inverse_undo_each_other_on_what_they_reach() {
        (1..=3).for_each(check::<3>);
        (1..=9).for_each(check::<9>);
    }

    #[test]
    fn a_worked_case() {
        // diag(2, 4) beside nothing.
        let found = pseudo_inverse([[2.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 0.0]], 1e-12);
        assert_eq!(found.rank, 2);
        assert_eq!(found.rows, [[0.5, 0.0, 0.0], [0.0, 0.25, 0.0], [0.0; 3]]);
        let nothing = pseudo_inverse([[0.0; 3]; 3], 1e-12);
        assert_eq!((nothing.rank, nothing.rows), (0, [[0.0; 3]; 3]));
    }
}
