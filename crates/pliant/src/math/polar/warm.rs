//! The rotation nearest to a matrix, iterated from one that is nearly right.
//!
//! | here        | meaning                                                        |
//! |-------------|----------------------------------------------------------------|
//! | `seen`      | M = RᵀA, the matrix as seen from the rotation so far            |
//! | `agreement` | tr M, which the nearest rotation makes largest                 |
//! | `pull`      | slope of it by a further turn, zero where M is symmetric       |
//! | `hold`      | minus its second derivative, tr M · 1 − (M + Mᵀ)/2             |
//!
//! Newton's step where the agreement is curved downwards, and away from where it is not: on
//! rotations all other flat places are saddles, so the end is the same from any start.

use crate::math::eigen::eigen;
use crate::math::{Mat3, Quat, Vec3, unit_quat};

/// Slopes below this, relative to the largest entry, are rounding.
const NOISE: f64 = 1e-15;

/// Curvature upwards from which on a place without slope is a saddle, relative as well.
const SADDLE: f64 = 1e-14;

/// The longest turn in one iteration, rad.
const LONGEST_TURN: f64 = 1.0;

/// Iterations that no matrix needs: from a good start two do, from any about ten.
const MOST_ITERATIONS: usize = 64;

/// Halvings of one turn at most.
const MOST_HALVINGS: usize = 30;

/// The rotation at which the iteration ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turned {
    /// The rotation nearest to the matrix; never a reflection.
    pub rotation: Quat,
    /// Iterations made.
    pub iterations: usize,
    /// The last turn, rad.
    pub last_turn: f64,
}

/// The rotation nearest to a matrix with finite entries, from a start.
///
/// About axes for which the matrix says nothing the start stays as it is: a zero matrix does
/// not turn it at all. A start that is no rotation counts as the identity.
///
/// - Implements: [Muller16 §3], a warm start that any matrix may follow.
/// - Deviates: steps with the second derivative, so that errors square and saddles are left;
///   the paper divides by the trace.
pub fn rotation_from(matrix: Mat3, start: Quat) -> Turned {
    let mut rotation = unit_quat(start).unwrap_or(Quat::IDENTITY);
    let size = matrix.to_cols_array().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let unmoved = Turned { rotation, iterations: 0, last_turn: 0.0 };
    if size == 0.0 || !size.is_finite() {
        return unmoved;
    }
    let matrix = matrix / size;
    let mut last_turn = 0.0;
    for iterations in 1..=MOST_ITERATIONS {
        let seen = Mat3::from_quat(rotation).transpose() * matrix;
        let wanted = turn(seen);
        last_turn = wanted.length();
        if last_turn == 0.0 {
            return Turned { rotation, iterations, last_turn };
        }
        let Some(next) = climb(rotation, wanted, matrix, trace(seen)) else {
            return Turned { rotation, iterations, last_turn };
        };
        rotation = next;
    }
    Turned { rotation, iterations: MOST_ITERATIONS, last_turn }
}

/// The turn, rad about an axis, that leads on.
fn turn(seen: Mat3) -> Vec3 {
    let pull = Vec3::new(
        seen.y_axis.z - seen.z_axis.y,
        seen.z_axis.x - seen.x_axis.z,
        seen.x_axis.y - seen.y_axis.x,
    );
    let symmetric = 0.5 * (seen + seen.transpose());
    let hold = eigen(Mat3::from_diagonal(Vec3::splat(trace(seen))) - symmetric);
    let mut turn = Vec3::ZERO;
    for (axis, curve) in [
        (hold.vectors.x_axis, hold.values.x),
        (hold.vectors.y_axis, hold.values.y),
        (hold.vectors.z_axis, hold.values.z),
    ] {
        let along = pull.dot(axis);
        if along.abs() > NOISE {
            // Where curvature vanishes before the slope does, the slope alone leads on.
            turn += along / curve.abs().max(along.abs() / LONGEST_TURN) * axis;
        } else if curve < -SADDLE {
            turn += LONGEST_TURN * axis;
        }
    }
    let length = turn.length();
    if length > LONGEST_TURN { turn * (LONGEST_TURN / length) } else { turn }
}

/// The rotation turned on, by less if that agrees more; `None` where no turn agrees more.
fn climb(rotation: Quat, turn: Vec3, matrix: Mat3, agreement: f64) -> Option<Quat> {
    let mut share = 1.0;
    for _ in 0..MOST_HALVINGS {
        let half = 0.5 * share * turn;
        let next = unit_quat(rotation * Quat::from_xyzw(half.x, half.y, half.z, 1.0))?;
        // Equal but for rounding is accepted: the slope decides in the end.
        let slack = 4.0 * f64::EPSILON * 3.0;
        if trace(Mat3::from_quat(next).transpose() * matrix) >= agreement - slack {
            return Some(next);
        }
        share *= 0.5;
    }
    None
}

fn trace(matrix: Mat3) -> f64 {
    matrix.x_axis.x + matrix.y_axis.y + matrix.z_axis.z
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::polar::direct;
    use crate::math::random::Random;
    use crate::math::svd::svd;
    use crate::math::svd::tests::{assert_rotation, some_matrices};

    /// Roundings of a few iterations, relative to the largest entry.
    const TOLERANCE: f64 = 3e-14;

    fn starts() -> [Quat; 4] {
        let half = Quat::from_xyzw(1.0, 0.0, 0.0, 0.0);
        [Quat::IDENTITY, half, Quat::from_xyzw(0.0, 0.6, 0.0, 0.8), Quat::from_rotation_z(2.5)]
    }

    #[test]
    fn all_ways_are_as_near_as_the_svd() {
        for matrix in some_matrices() {
            let size = matrix.to_cols_array().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            if size == 0.0 {
                continue;
            }
            let scaled = matrix / size;
            let slow = svd(scaled);
            let best = slow.stretches.element_sum();
            let nearest = slow.u * slow.v.transpose();
            // Turns about the longest axis depend on the sum of the two other stretches.
            let reported = slow.stretches.y + slow.stretches.z;
            let mut found = vec![direct::polar(matrix).rotation];
            let warm = |start| Mat3::from_quat(rotation_from(matrix, start).rotation);
            found.extend(starts().map(warm));
            for rotation in found {
                assert_rotation(rotation);
                let agreement = trace(rotation.transpose() * scaled);
                assert!((agreement - best).abs() < TOLERANCE, "{matrix}: {agreement} {best}");
                if reported > 1e-6 {
                    let near = rotation.abs_diff_eq(nearest, TOLERANCE / reported);
                    assert!(near, "{matrix}: {rotation} {nearest}");
                }
            }
        }
    }

    #[test]
    fn a_good_start_is_soon_done() {
        let mut random = Random::new(31);
        let mut most = 0;
        for _ in 0..100 {
            let mut any = || 0.3 * random.vec3();
            let matrix = Mat3::IDENTITY + Mat3::from_cols(any(), any(), any());
            let first = rotation_from(matrix, Quat::IDENTITY);
            let moved = matrix * Mat3::from_rotation_y(0.01);
            most = most.max(rotation_from(moved, first.rotation).iterations);
        }
        assert!(most <= 4, "{most}");
    }

    #[test]
    fn what_a_matrix_does_not_tell_stays_as_it_was() {
        let start = Quat::from_rotation_x(0.7);
        assert_eq!(rotation_from(Mat3::ZERO, start).rotation, start);
        // A line along x, in place: the turn about it is free.
        let line = rotation_from(Mat3::from_diagonal(Vec3::X), start);
        assert!((line.rotation - start).length() < TOLERANCE, "{line:?}");
        let nothing = rotation_from(f64::NAN * Mat3::IDENTITY, start);
        assert_eq!((nothing.rotation, nothing.iterations), (start, 0));
    }

    #[test]
    fn a_start_on_a_saddle_is_left() {
        // Half a turn off: no slope at all.
        let half = Quat::from_xyzw(1.0, 0.0, 0.0, 0.0);
        let found = rotation_from(Mat3::from_diagonal(Vec3::new(3.0, 2.0, 1.0)), half);
        let seen = Mat3::from_quat(found.rotation);
        assert!(seen.abs_diff_eq(Mat3::IDENTITY, TOLERANCE), "{found:?}");
        assert!(found.iterations < 16, "{found:?}");
    }
}
