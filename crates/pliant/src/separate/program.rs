//! Translations of bodies that keep pairs apart and move as little mass as little as possible.
//!
//! Minimises ½ Σ m |u|² so that n·(u_a − u_b) ≥ c for every row, by projected Gauss–Seidel on
//! the multipliers: each row is solved alone, in order, until none changes anything.
//!
//! | here       | formula | meaning                                          |
//! |------------|---------|--------------------------------------------------|
//! | `shifts`   | u       | translation of each body, m                      |
//! | `normal`   | n       | unit, from the second body of a pair to the first |
//! | `least`    | c       | least relative translation along it, m           |
//! | `impulse`  | λ       | multiplier, kg·m                                 |

use crate::math::Vec3;

/// Sweeps over all rows, at most.
const SWEEPS: usize = 20_000;

/// A condition on the translations of two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Row {
    /// Ascending.
    pub pair: [usize; 2],
    /// Unit.
    pub normal: Vec3,
    /// m.
    pub least: f64,
}

/// The least translations that satisfy all rows within a tolerance, m.
///
/// Bodies with no inverse mass, 1/kg, do not move. Where rows contradict each other the last
/// sweep is returned.
pub(crate) fn least_shifts(inv_masses: &[f64], rows: &[Row], tolerance: f64) -> Vec<Vec3> {
    let mut shifts = vec![Vec3::ZERO; inv_masses.len()];
    let mut impulses = vec![0.0_f64; rows.len()];
    for _ in 0..SWEEPS {
        let mut worst = 0.0_f64;
        for (row, impulse) in rows.iter().zip(&mut impulses) {
            let [a, b] = row.pair;
            let compliance = inv_masses[a] + inv_masses[b];
            if compliance <= 0.0 {
                continue;
            }
            let short = row.least - row.normal.dot(shifts[a] - shifts[b]);
            let change = (*impulse + short / compliance).max(0.0) - *impulse;
            *impulse += change;
            shifts[a] += inv_masses[a] * change * row.normal;
            shifts[b] -= inv_masses[b] * change * row.normal;
            worst = worst.max((change * compliance).abs());
        }
        if worst < tolerance {
            break;
        }
    }
    shifts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(pair: [usize; 2], normal: Vec3, least: f64) -> Row {
        Row { pair, normal, least }
    }

    #[test]
    fn the_lighter_body_goes_farther_and_momentum_is_zero() {
        let shifts = least_shifts(&[1.0, 1.0 / 3.0], &[row([0, 1], Vec3::X, 1.0)], 1e-12);
        assert!(shifts[0].distance(0.75 * Vec3::X) < 1e-12, "{shifts:?}");
        assert!(shifts[1].distance(-0.25 * Vec3::X) < 1e-12, "{shifts:?}");
    }

    #[test]
    fn a_chain_shares_its_movement() {
        // Three of one mass, each pair to part by 1 m: the middle one stays.
        let rows = [row([0, 1], Vec3::X, 1.0), row([1, 2], Vec3::X, 1.0)];
        let shifts = least_shifts(&[1.0; 3], &rows, 1e-12);
        for (shift, expected) in shifts.iter().zip([1.0, 0.0, -1.0]) {
            assert!(shift.distance(expected * Vec3::X) < 1e-9, "{shifts:?}");
        }
    }

    #[test]
    fn fixed_bodies_stay_and_slack_rows_push_nothing() {
        let rows = [row([0, 1], Vec3::X, 1.0), row([0, 1], Vec3::Y, -0.5)];
        assert_eq!(least_shifts(&[0.0, 1.0], &rows, 1e-12), [Vec3::ZERO, -Vec3::X]);
        assert_eq!(least_shifts(&[0.0; 2], &rows, 1e-12), [Vec3::ZERO; 2]);
    }

    #[test]
    fn contradictions_end_with_finite_shifts() {
        let rows = [row([0, 1], Vec3::X, 1.0), row([0, 1], -Vec3::X, 1.0)];
        assert!(least_shifts(&[1.0; 2], &rows, 1e-12).iter().all(|shift| shift.length() < 2.0));
    }
}
