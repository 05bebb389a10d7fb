//! Polar decomposition of any 3×3 matrix: the rotation that is nearest to it.
//!
//! Three ways, which agree wherever one rotation is nearest. [`rotation`] here iterates where
//! that is quick and takes the matrix apart where not; [`direct`] takes the root of the
//! squared matrix, and [`warm`] iterates from a rotation that is nearly right.

pub mod direct;

pub(crate) mod side_by_side;

pub mod warm;

use crate::math::svd::svd;
use crate::math::{Mat3, Quat, Vec3};

/// Determinants, relative to that of a rotation of the same norm, for which Newton is quick.
const ROUND: f64 = 0.1;

/// Squared norms whose third powers neither vanish nor overflow.
const NORMS_SQ: std::ops::Range<f64> = 1e-100..1e100;

/// A last step shorter than this, squared, leaves an error below rounding.
const LAST_STEP_SQ: f64 = 1e-17;

/// Newton steps that a matrix with such a determinant never needs: nine do.
const MOST_STEPS: usize = 16;

/// How a nearest rotation is found; all agree to rounding where it is unique.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PolarMethod {
    /// [`rotation`]: Newton's iteration where it is quick, the SVD where not.
    #[default]
    Newton,
    /// [`direct`]: the root of AᵀA, in one go.
    Direct,
    /// [`warm`]: iterations from the rotation of the step before.
    WarmStart,
}

impl PolarMethod {
    /// The rotation nearest to a matrix with finite entries; only a warm start uses `start`.
    pub(crate) fn rotation(self, matrix: Mat3, start: Quat) -> Mat3 {
        match self {
            PolarMethod::Newton => rotation(matrix),
            PolarMethod::Direct => direct::polar(matrix).rotation,
            PolarMethod::WarmStart => Mat3::from_quat(warm::rotation_from(matrix, start).rotation),
        }
    }
}

/// A matrix as rotation · stretch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Polar {
    /// The rotation nearest to the matrix; never a reflection.
    pub rotation: Mat3,
    /// Symmetric, in the unit of the matrix; one negative eigenvalue for a reflection.
    pub stretch: Mat3,
}

/// Rotation and symmetric stretch of a matrix with finite entries.
///
/// See [`rotation`] for what is chosen where several rotations are nearest.
pub fn polar(matrix: Mat3) -> Polar {
    let rotation = rotation(matrix);
    let stretch = rotation.transpose() * matrix;
    Polar { rotation, stretch: 0.5 * (stretch + stretch.transpose()) }
}

/// The rotation nearest to a matrix with finite entries, never a reflection.
///
/// Nearest in the sum of squared entries. Not unique where the two smallest stretches add up
/// to zero, in sign: a reflection with two equal ones, a line, a point. The choice there is
/// that of [`svd`], the same for the same bits, and the identity for the zero matrix.
pub fn rotation(matrix: Mat3) -> Mat3 {
    quick_rotation(matrix).unwrap_or_else(|| {
        let found = svd(matrix);
        found.u * found.v.transpose()
    })
}

/// The rotation nearest to a matrix that is neither flat nor inverted.
///
/// `None` for all others, and for norms whose cube may overflow.
fn quick_rotation(matrix: Mat3) -> Option<Mat3> {
    let [x, y, z] = columns(&matrix);
    let norm_sq = x.length_squared() + y.length_squared() + z.length_squared();
    if !NORMS_SQ.contains(&norm_sq) {
        return None;
    }
    newton(matrix * (3.0 / norm_sq).sqrt())
}

/// Averages with the inverse transpose until both agree; squares the error each time.
///
/// `None` for a matrix that is flat or inverted, measured at the norm of a rotation.
fn newton(mut matrix: Mat3) -> Option<Mat3> {
    let cofactors = |[x, y, z]: [Vec3; 3]| [y.cross(z), z.cross(x), x.cross(y)];
    for _ in 0..MOST_STEPS {
        let now = columns(&matrix);
        let cofactor = cofactors(now);
        let det = now[0].dot(cofactor[0]);
        if det.is_nan() || det <= ROUND {
            return None;
        }
        let weight = 0.5 / det;
        let next: [Vec3; 3] = std::array::from_fn(|k| 0.5 * now[k] + weight * cofactor[k]);
        let moved_sq: f64 = (0..3).map(|k| (next[k] - now[k]).length_squared()).sum();
        matrix = Mat3::from_cols(next[0], next[1], next[2]);
        if moved_sq < LAST_STEP_SQ {
            return Some(matrix);
        }
    }
    None
}

fn columns(matrix: &Mat3) -> [Vec3; 3] {
    [matrix.x_axis, matrix.y_axis, matrix.z_axis]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::Random;
    use crate::math::svd::tests::{assert_rotation, some_matrices};

    /// Roundings of a few steps, relative to the largest entry.
    const TOLERANCE: f64 = 1e-14;

    #[test]
    fn rotation_times_stretch_is_the_matrix() {
        for matrix in some_matrices() {
            let size = matrix.to_cols_array().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            let Polar { rotation, stretch } = polar(matrix);
            assert_rotation(rotation);
            assert_eq!(stretch, stretch.transpose());
            if size > 0.0 {
                let again = rotation * (stretch / size);
                assert!(again.abs_diff_eq(matrix / size, TOLERANCE), "{matrix} {again}");
            }
        }
    }

    #[test]
    fn no_other_rotation_is_nearer() {
        let mut random = Random::new(3);
        for matrix in some_matrices().into_iter().filter(|m| m.is_finite()) {
            let size = matrix.to_cols_array().iter().fold(1e-300_f64, |most, x| most.max(x.abs()));
            let agreement = |turn: Mat3| {
                let pairs = columns(&turn).into_iter().zip(columns(&(matrix / size)));
                pairs.map(|(a, b)| a.dot(b)).sum::<f64>()
            };
            let best = rotation(matrix);
            for angle in [1e-5, 1e-2, 0.3, 1.0, 3.0] {
                let axis = random.vec3().try_normalize().unwrap();
                let other = best * Mat3::from_quat(Quat::from_axis_angle(axis, angle));
                assert!(agreement(best) >= agreement(other) - TOLERANCE, "{matrix}");
            }
        }
    }

    #[test]
    fn both_ways_give_the_same_rotation() {
        let mut random = Random::new(5);
        let mut quick = 0;
        for _ in 0..300 {
            let mut any = || 0.7 * random.vec3();
            let matrix = Mat3::IDENTITY + Mat3::from_cols(any(), any(), any());
            if let Some(found) = quick_rotation(matrix) {
                let slow = svd(matrix);
                assert!(found.abs_diff_eq(slow.u * slow.v.transpose(), TOLERANCE), "{matrix}");
                quick += 1;
            }
        }
        assert!(quick > 150, "{quick}");
    }

    /// A matrix with these stretches between two random rotations.
    fn stretched(stretches: Vec3, random: &mut Random) -> Mat3 {
        let mut turn = || {
            let axis = random.vec3().try_normalize().unwrap();
            Mat3::from_quat(Quat::from_axis_angle(axis, 3.0 * random.signed()))
        };
        turn() * Mat3::from_diagonal(stretches) * turn()
    }

    #[track_caller]
    fn same_as_svd(matrix: Mat3, found: Mat3, tolerance: f64) {
        let slow = svd(matrix);
        assert!(found.abs_diff_eq(slow.u * slow.v.transpose(), tolerance), "{matrix}");
    }

    #[test]
    fn stretches_of_all_sizes_turn_as_the_svd_tells() {
        let mut random = Random::new(23);
        let mut quick = 0;
        for k in 0..600 {
            // From 1 down to 1/1000 of the longest.
            let [b, c] =
                [random.signed(), random.signed()].map(|x| libm::pow(1e-3_f64, 0.5 + 0.5 * x));
            let matrix = stretched(f64::from(k % 7 + 1) * Vec3::new(1.0, b, c), &mut random);
            same_as_svd(matrix, rotation(matrix), 1e-13);
            quick += usize::from(quick_rotation(matrix).is_some());
        }
        assert!((20..580).contains(&quick), "{quick}");
    }

    #[test]
    fn the_quick_way_hands_over_without_a_jump() {
        let mut random = Random::new(29);
        for _ in 0..50 {
            let second = 0.75 + 0.25 * random.signed();
            let seed = random.bits();
            let at = |third: f64| stretched(Vec3::new(1.0, second, third), &mut Random::new(seed));
            let (mut slow, mut quick) = (0.0, second);
            assert!(quick_rotation(at(quick)).is_some() && quick_rotation(at(slow)).is_none());
            while quick - slow > 1e-15 {
                let middle = 0.5 * (quick + slow);
                let side =
                    if quick_rotation(at(middle)).is_some() { &mut quick } else { &mut slow };
                *side = middle;
            }
            same_as_svd(at(quick), quick_rotation(at(quick)).unwrap(), 1e-12);
            assert!(rotation(at(quick)).abs_diff_eq(rotation(at(slow)), 1e-12), "{quick}");
        }
    }

    #[test]
    fn ties_are_decided_alike() {
        assert_eq!(rotation(Mat3::ZERO), Mat3::IDENTITY);
        // Of all half turns, the mirror of everything is nearest to the one about z.
        let about_z = Mat3::from_diagonal(Vec3::new(-1.0, -1.0, 1.0));
        assert_eq!(rotation(-Mat3::IDENTITY), about_z);
        // A line along x: nothing turns.
        assert_eq!(rotation(Mat3::from_diagonal(Vec3::X)), Mat3::IDENTITY);
    }
}
