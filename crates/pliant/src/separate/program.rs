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
    /// By index.
    pub pair: [usize; 2],
    /// Unit.
    pub normal: Vec3,
    /// m.
    pub least: f64,
    /// Multiplier to begin with, and that was found, kg·m.
    pub impulse: f64,
}

/// The least translations that satisfy all rows within a tolerance, m.
///
/// Bodies with no inverse mass, 1/kg, do not move. Where rows contradict each other the last
/// sweep is returned. The impulses of rows are begun with: those of similar rows save most sweeps.
pub(crate) fn least_shifts(inv_masses: &[f64], rows: &mut [Row], tolerance: f64) -> Vec<Vec3> {
    let mut shifts = vec![Vec3::ZERO; inv_masses.len()];
    for row in &*rows {
        let [a, b] = row.pair;
        shifts[a] += inv_masses[a] * row.impulse * row.normal;
        shifts[b] -= inv_masses[b] * row.impulse * row.normal;
    }
    for _ in 0..SWEEPS {
        let mut worst = 0.0_f64;
        for row in &mut *rows {
            let [a, b] = row.pair;
            let compliance = inv_masses[a] + inv_masses[b];
            if compliance <= 0.0 {
                continue;
            }
            let short = row.least - row.normal.dot(shifts[a] - shifts[b]);
            let change = (row.impulse + short / compliance).max(0.0) - row.impulse;
            row.impulse += change;
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
        Row { pair, normal, least, impulse: 0.0 }
    }

    #[test]
    fn the_lighter_body_goes_farther_and_momentum_is_zero() {
        let shifts = least_shifts(&[1.0, 1.0 / 3.0], &mut [row([0, 1], Vec3::X, 1.0)], 1e-12);
        assert!(shifts[0].distance(0.75 * Vec3::X) < 1e-12, "{shifts:?}");
        assert!(shifts[1].distance(-0.25 * Vec3::X) < 1e-12, "{shifts:?}");
    }

    #[test]
    fn a_chain_shares_its_movement() {
        // Three of one mass, each pair to part by 1 m: the middle one stays.
        let mut rows = [row([0, 1], Vec3::X, 1.0), row([1, 2], Vec3::X, 1.0)];
        let shifts = least_shifts(&[1.0; 3], &mut rows, 1e-12);
        for (shift, expected) in shifts.iter().zip([1.0, 0.0, -1.0]) {
            assert!(shift.distance(expected * Vec3::X) < 1e-9, "{shifts:?}");
        }
    }

    #[test]
    fn fixed_bodies_stay_and_slack_rows_push_nothing() {
        let mut rows = [row([0, 1], Vec3::X, 1.0), row([0, 1], Vec3::Y, -0.5)];
        assert_eq!(least_shifts(&[0.0, 1.0], &mut rows, 1e-12), [Vec3::ZERO, -Vec3::X]);
        assert_eq!(least_shifts(&[0.0; 2], &mut rows, 1e-12), [Vec3::ZERO; 2]);
    }

    #[test]
    fn contradictions_end_with_finite_shifts() {
        let mut rows = [row([0, 1], Vec3::X, 1.0), row([0, 1], -Vec3::X, 1.0)];
        assert!(least_shifts(&[1.0; 2], &mut rows, 1e-12).iter().all(|shift| shift.length() < 2.0));
    }

    #[test]
    fn impulses_to_begin_with_change_nothing_but_the_way_there() {
        let masses = [1.0, 0.5, 0.25, 2.0];
        let mut rows = [
            row([0, 1], Vec3::X, 1.0),
            row([1, 2], Vec3::Y, 0.5),
            row([1, 2], Vec3::X, 0.7),
            row([2, 3], -Vec3::X, 0.2),
        ];
        let cold = least_shifts(&masses, &mut rows, 1e-12);
        for scale in [1.0, 0.3, 5.0] {
            rows.iter_mut().for_each(|row| row.impulse *= scale);
            // One that pushes although it must not in the end.
            rows[3].impulse += scale;
            let warm = least_shifts(&masses, &mut rows, 1e-12);
            for (cold, warm) in cold.iter().zip(&warm) {
                assert!(cold.distance(*warm) < 1e-9, "{cold} {warm}");
            }
        }
    }
}
