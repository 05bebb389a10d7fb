//! Four symmetric matrices at once, without their negative eigenvalues.

use super::{DIAGONAL, MOST_SWEEPS};
use crate::math::lanes::{LaneMask, Lanes, Lanes33, outer};

/// Squared sums of entries between which fourth powers of entries neither vanish nor overflow.
const MODERATE_SQ: std::ops::Range<f64> = 1e-100..1e100;

/// The symmetric matrices with negative eigenvalues set to zero, and in which lanes they are known.
///
/// By Jacobi's rotations, as [`super::eigen`]; matrices with extreme entries are not known. What
/// has no negative eigenvalue stays as it is.
#[inline(always)]
pub(crate) fn positive_parts(matrix: &Lanes33) -> (Lanes33, LaneMask) {
    let [a, b, c] = matrix.0;
    let (zero, mut diagonal) = (Lanes::ZERO, [a.x, b.y, c.z]);
    // Entry k stands across from corner k: (1,2), (0,2), (0,1).
    let mut off = [c.y, c.x, b.x];
    let minor = a.x * b.y - b.x * b.x;
    let det = a.dot(b.cross(c));
    let is_positive = zero.is_below(a.x).and(zero.is_below(minor)).and(zero.is_below(det));
    let square = |[p, q, r]: [Lanes; 3]| p * p + q * q + r * r;
    let size_sq = square(diagonal) + Lanes::splat(2.0) * square(off);
    let below = |limit: f64| size_sq.is_below(Lanes::splat(limit));
    let is_moderate = below(MODERATE_SQ.start).not().and(below(MODERATE_SQ.end));
    let small_sq = Lanes::splat(DIAGONAL * DIAGONAL) * size_sq;
    let mut vectors = Lanes33::diagonal(Lanes::splat(1.0)).0;
    for _ in 0..MOST_SWEEPS {
        let mut turned = LaneMask::NONE;
        for (p, q, k) in [(0, 1, 2), (0, 2, 1), (1, 2, 0)] {
            let across = off[k];
            let turns = small_sq.is_below(across * across).and(is_positive.not()).and(is_moderate);
            turned = turned.or(turns);
            if !turns.any() {
                continue;
            }
            let (c, s, t) = jacobi(diagonal[q] - diagonal[p], Lanes::splat(2.0) * across);
            // Where nothing turns: the identity.
            let c = turns.select(c, Lanes::splat(1.0));
            let (s, t) = (turns.select(s, zero), turns.select(t, zero));
            diagonal[p] = diagonal[p] - t * across;
            diagonal[q] = diagonal[q] + t * across;
            off[k] = turns.select(zero, across);
            (off[q], off[p]) = (c * off[q] - s * off[p], s * off[q] + c * off[p]);
            let (v, w) = (vectors[p], vectors[q]);
            (vectors[p], vectors[q]) = (c * v - s * w, s * v + c * w);
        }
        if !turned.any() {
            break;
        }
    }
    let mut sum = Lanes33::ZERO;
    for (value, vector) in diagonal.into_iter().zip(vectors) {
        let kept = zero.is_below(value).select(value, zero);
        sum += outer(kept * vector, vector);
    }
    (Lanes33::select(is_positive, matrix, &sum), is_positive.or(is_moderate))
}

/// As [`crate::math::jacobi`]; not a number where both are zero.
#[inline(always)]
fn jacobi(difference: Lanes, twice: Lanes) -> (Lanes, Lanes, Lanes) {
    let hypotenuse = (difference * difference + twice * twice).sqrt();
    let along = difference.abs() + hypotenuse;
    let across = difference.is_below(Lanes::ZERO).select(-twice, twice);
    let length = (along * along + across * across).sqrt();
    (along / length, across / length, across / along)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::eigen::eigen;
    use crate::math::lanes::WIDTH;
    use crate::math::random::Random;
    use crate::math::svd::tests::some_matrices;
    use crate::math::{Mat3, Vec3};

    /// Roundings of a few rotations, relative to the largest entry.
    const TOLERANCE: f64 = 1e-14;

    #[test]
    fn four_at_once_are_those_of_the_eigenvectors() {
        let mut random = Random::new(7);
        let any =
            std::iter::repeat_with(|| Mat3::from_cols(random.vec3(), random.vec3(), random.vec3()));
        let matrices = some_matrices().into_iter().zip(any).flat_map(<[_; 2]>::from);
        let symmetric: Vec<Mat3> = matrices.map(|m| 0.5 * (m + m.transpose())).collect();
        let mut known_count = 0;
        for four in symmetric.as_chunks::<WIDTH>().0 {
            let (parts, known) = positive_parts(&Lanes33::of(|k| four[k]));
            for (k, matrix) in four.iter().enumerate() {
                let size = matrix.to_cols_array().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
                if !known.lane(k) {
                    assert!(size == 0.0 || !(1e-50..1e50).contains(&size), "{matrix}");
                    continue;
                }
                known_count += 1;
                let found = eigen(*matrix);
                let kept = Mat3::from_diagonal(found.values.max(Vec3::ZERO) / size);
                let expected = found.vectors * kept * found.vectors.transpose();
                let part = (1.0 / size) * parts.lane(k);
                assert!(part.abs_diff_eq(expected, TOLERANCE), "{matrix} {part} {expected}");
            }
        }
        assert!(known_count > 60, "{known_count}");
    }
}
