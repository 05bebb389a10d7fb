//! The rotation nearest to a matrix from the root of its square, without iteration.
//!
//! | here      | lecture | meaning                                          |
//! |-----------|---------|--------------------------------------------------|
//! | `matrix`  | A       | any 3×3 matrix                                   |
//! | `stretch` | S       | symmetric, S² = AᵀA up to the sign of one value  |
//! | `axis`    | v₁      | eigenvector of AᵀA with the largest value        |
//!
//! In a square small stretches drown beside large ones. So only the longest axis is taken
//! from it, whose image is well known; what is left is a matrix of 2×2, and the rotation
//! nearest to that follows from two sums of its entries. A reflection needs no case of its own.

use crate::math::eigen::eigen;
use crate::math::polar::Polar;
use crate::math::svd::{perpendicular, smallest_turn};
use crate::math::{Mat3, Vec3, moderate};

/// Stretches beside the longest that are smaller than this, relative to it, are rounding.
const RANK: f64 = 1e-15;

/// Rotation and symmetric stretch of a matrix with finite entries.
///
/// As [`crate::math::polar::polar`]. Where several rotations are nearest one is chosen,
/// always the same: the identity for a zero matrix, the smallest turn for a line.
///
/// - Implements: [Wang21 slide "Polar Decomposition"], with AᵀA = S².
/// - Erratum: the slide's U Vᵀ mirrors where det A < 0 (R8); shown by
///   `all_ways_are_as_near_as_the_svd`.
pub fn polar(matrix: Mat3) -> Polar {
    let (scaled, _) = moderate(matrix);
    let rotation = rotation(scaled);
    let stretch = rotation.transpose() * matrix;
    Polar { rotation, stretch: 0.5 * (stretch + stretch.transpose()) }
}

/// The rotation nearest to a matrix of moderate size.
fn rotation(matrix: Mat3) -> Mat3 {
    let axis = eigen(matrix.transpose() * matrix).vectors.x_axis;
    let image = matrix * axis;
    let longest = image.length();
    if longest == 0.0 {
        return Mat3::IDENTITY;
    }
    let image = image / longest;
    // Right-handed frames around the axis and around its image.
    let (from, to) = (perpendicular(axis), perpendicular(image));
    let [across, along] = [from.0, from.1].map(|side| {
        let side = matrix * side;
        [to.0.dot(side), to.1.dot(side)]
    });
    let (cosine, sine) = (across[0] + along[1], across[1] - along[0]);
    let size = (cosine * cosine + sine * sine).sqrt();
    if size <= RANK * longest {
        return smallest_turn(axis, image);
    }
    let (cosine, sine) = (cosine / size, sine / size);
    let turned = |c: f64, s: f64| c * to.0 + s * to.1;
    let images = [turned(cosine, sine), turned(-sine, cosine), image];
    let frame = |[x, y, z]: [Vec3; 3]| Mat3::from_cols(x, y, z);
    frame(images) * frame([from.0, from.1, axis]).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::svd::tests::some_matrices;

    /// Roundings of one eigenvector and two products, relative to the largest entry.
    const TOLERANCE: f64 = 1e-14;

    #[test]
    fn rotation_times_stretch_is_the_matrix() {
        for matrix in some_matrices() {
            let size = matrix.to_cols_array().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            let Polar { rotation, stretch } = polar(matrix);
            if size > 0.0 {
                let again = rotation * (stretch / size);
                assert!(again.abs_diff_eq(matrix / size, TOLERANCE), "{matrix} {again}");
            }
        }
    }

    #[test]
    fn the_stretch_squared_is_the_matrix_squared() {
        for matrix in some_matrices() {
            let (scaled, _) = moderate(matrix);
            let size = scaled.to_cols_array().iter().fold(1e-300_f64, |most, x| most.max(x.abs()));
            let stretch = polar(scaled / size).stretch;
            let square = (scaled / size).transpose() * (scaled / size);
            assert!((stretch * stretch).abs_diff_eq(square, 4.0 * TOLERANCE), "{matrix}");
        }
    }

    #[test]
    fn a_worked_case() {
        // A quarter turn about z after stretching x by 3 and y by 2, and mirroring z.
        let found = polar(Mat3::from_cols(3.0 * Vec3::Y, -2.0 * Vec3::X, -Vec3::Z));
        let quarter = Mat3::from_cols(Vec3::Y, -Vec3::X, Vec3::Z);
        let stretch = Mat3::from_diagonal(Vec3::new(3.0, 2.0, -1.0));
        assert!(found.rotation.abs_diff_eq(quarter, TOLERANCE), "{found:?}");
        assert!(found.stretch.abs_diff_eq(stretch, TOLERANCE), "{found:?}");
        assert_eq!(polar(Mat3::ZERO).rotation, Mat3::IDENTITY);
    }
}
