//! Anderson acceleration of projected Gauss–Seidel sweeps.
//!
//! A sweep maps impulses x to G(x); the solution is where both agree. From the last few sweeps
//! the combination of their results is taken whose residual f = G(x) − x would vanish if the map
//! were linear between them: as long as no contact switches between sticking, sliding and
//! separating, it is, and the iteration converges like GMRES. Friction makes the map
//! nonsymmetric, which conjugate directions cannot bear and this can.
//!
//! | here      | formula | meaning                                                |
//! |-----------|---------|--------------------------------------------------------|
//! | `results` | ΔG      | change of G(x) from sweep to sweep, N·s and m/s        |
//! | `changes` | ΔF      | change of the residual from sweep to sweep, √J         |
//! | `shares`  | γ       | least squares: ‖f − ΔF γ‖ is least                     |
//!
//! Velocities are linear in the impulses, so they take part in all combinations and no matrix is
//! multiplied.

use crate::contact::impulse::ContactImpulse;
use crate::math::Vec3;

/// Sweeps that are combined.
const DEPTH: usize = 4;
/// Numbers of an impulse.
const WIDTH: usize = 4;
/// Share of a diagonal entry that is added to it.
const REGULARISATION: f64 = 1e-10;

/// State of the acceleration over the sweeps of one solve.
#[derive(Clone, Debug, Default)]
pub(crate) struct Anderson {
    /// Where the last sweep began, what it gave and its residual.
    start: Vec<f64>,
    result: Vec<f64>,
    residual: Vec<f64>,
    /// The last of these: the present ones.
    present: Vec<f64>,
    present_residual: Vec<f64>,
    /// The last differences, oldest overwritten first; the first `count` are in use.
    results: [Vec<f64>; DEPTH],
    changes: [Vec<f64>; DEPTH],
    count: usize,
    next: usize,
    /// Whether `result` and `residual` hold a sweep.
    has_last: bool,
    /// Inner products of `changes`.
    products: [[f64; DEPTH]; DEPTH],
    /// Least square of a residual.
    least: f64,
}

impl Anderson {
    /// Restarts at the iterate where the first sweep begins.
    pub(crate) fn begin(&mut self, row_impulses: &[ContactImpulse], speeds: &[f64]) {
        flatten(row_impulses, speeds, &mut self.start);
        self.restart();
        self.least = f64::INFINITY;
    }

    fn restart(&mut self) {
        (self.count, self.next, self.has_last) = (0, 0, false);
    }

    /// Moves the iterate to the combination of the last sweeps, after each sweep.
    ///
    /// A sweep that changes more than an earlier one did, starts afresh. The point reached is where the next sweep begins. `weight` is the square root of the
    /// velocity per impulse of a contact, 1/√kg, by its index.
    ///
    /// - Implements: [Walker11 §2], with normal equations.
    pub(crate) fn accelerate(
        &mut self,
        row_impulses: &mut [ContactImpulse],
        speeds: &mut [f64],
        weight: impl Fn(usize) -> f64,
    ) {
        flatten(row_impulses, speeds, &mut self.present);
        self.present_residual.clear();
        let pairs = self.present.chunks_exact(WIDTH).zip(self.start.chunks_exact(WIDTH));
        for (contact, (now, before)) in pairs.take(row_impulses.len()).enumerate() {
            let weight = weight(contact);
            self.present_residual.extend(now.iter().zip(before).map(|(a, b)| weight * (a - b)));
        }
        let residual_sq = dot(&self.present_residual, &self.present_residual);
        if residual_sq > self.least {
            self.restart();
        }
        self.least = self.least.min(residual_sq);
        if self.has_last {
            self.remember();
        }
        std::mem::swap(&mut self.result, &mut self.present);
        std::mem::swap(&mut self.residual, &mut self.present_residual);
        self.has_last = true;
        self.start.clone_from(&self.result);
        if let Some(shares) = self.shares() {
            for (share, change) in shares.iter().zip(&self.results).take(self.count) {
                self.start.iter_mut().zip(change).for_each(|(value, by)| *value -= share * by);
            }
            let (impulses, values) = self.start.split_at(WIDTH * row_impulses.len());
            for (impulse, from) in row_impulses.iter_mut().zip(impulses.chunks_exact(WIDTH)) {
                impulse.normal = from[0];
                impulse.tangent = Vec3::from_slice(&from[1..]);
            }
            speeds.copy_from_slice(values);
        }
    }

    /// Keeps the difference of the present sweep to the last one.
    fn remember(&mut self) {
        let place = self.next;
        difference(&self.present, &self.result, &mut self.results[place]);
        difference(&self.present_residual, &self.residual, &mut self.changes[place]);
        self.next = (place + 1) % DEPTH;
        self.count = (self.count + 1).min(DEPTH);
        for other in 0..self.count {
            let product = dot(&self.changes[place], &self.changes[other]);
            self.products[place][other] = product;
            self.products[other][place] = product;
        }
    }

    /// γ of the last residual; none before two sweeps.
    fn shares(&self) -> Option<[f64; DEPTH]> {
        let count = self.count;
        let mut matrix = self.products;
        let mut shares = [0.0; DEPTH];
        for k in 0..count {
            matrix[k][k] *= 1.0 + REGULARISATION;
            shares[k] = dot(&self.changes[k], &self.residual);
        }
        // Cholesky, in place; a direction that the others span has no share.
        for k in 0..count {
            for j in 0..k {
                let (done, open) = matrix.split_at_mut(k);
                let row = &mut open[0];
                let known: f64 = (0..j).map(|i| row[i] * done[j][i]).sum();
                row[j] = if done[j][j] > 0.0 { (row[j] - known) / done[j][j] } else { 0.0 };
            }
            let known: f64 = (0..k).map(|i| matrix[k][i] * matrix[k][i]).sum();
            let left = matrix[k][k] - known;
            let is_independent = left > 0.1 * REGULARISATION * matrix[k][k];
            matrix[k][k] = if is_independent { left.sqrt() } else { 0.0 };
        }
        for k in 0..count {
            let known: f64 = (0..k).map(|i| matrix[k][i] * shares[i]).sum();
            shares[k] = if matrix[k][k] > 0.0 { (shares[k] - known) / matrix[k][k] } else { 0.0 };
        }
        for k in (0..count).rev() {
            let known: f64 = (k + 1..count).map(|i| matrix[i][k] * shares[i]).sum();
            shares[k] = if matrix[k][k] > 0.0 { (shares[k] - known) / matrix[k][k] } else { 0.0 };
        }
        (count > 0 && shares.iter().all(|share| share.is_finite())).then_some(shares)
    }
}

/// Impulses and speeds one after the other.
fn flatten(row_impulses: &[ContactImpulse], speeds: &[f64], to: &mut Vec<f64>) {
    to.clear();
    for ContactImpulse { normal, tangent } in row_impulses {
        to.extend([*normal, tangent.x, tangent.y, tangent.z]);
    }
    to.extend_from_slice(speeds);
}

fn difference(first: &[f64], second: &[f64], to: &mut Vec<f64>) {
    to.clear();
    to.extend(first.iter().zip(second).map(|(a, b)| a - b));
}

fn dot(first: &[f64], second: &[f64]) -> f64 {
    first.iter().zip(second).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sweeps over A x = b by Gauss–Seidel until a sweep changes less than 1e-10; returns how many.
    fn sweeps<const N: usize>(
        matrix: [[f64; N]; N],
        mut anderson: Option<Anderson>,
    ) -> (usize, [f64; N]) {
        let mut impulses = [ContactImpulse::default(); N];
        let mut speeds = [0.0; N];
        if let Some(anderson) = &mut anderson {
            anderson.begin(&impulses, &speeds);
        }
        for sweep in 1..10_000 {
            let mut most: f64 = 0.0;
            for k in 0..N {
                // Speeds are A x: kept up to date, as those of bodies are.
                let change = (1.0 - speeds[k]) / matrix[k][k];
                impulses[k].normal += change;
                speeds.iter_mut().zip(matrix).for_each(|(speed, row)| *speed += row[k] * change);
                most = most.max(change.abs());
            }
            if most < 1e-10 {
                return (sweep, impulses.map(|impulse| impulse.normal));
            }
            if let Some(anderson) = &mut anderson {
                anderson.accelerate(&mut impulses, &mut speeds, |_| 1.0);
            }
        }
        (10_000, impulses.map(|impulse| impulse.normal))
    }

    /// A chain whose neighbours act on each other by unlike amounts.
    fn chain(forward: f64, backward: f64) -> [[f64; 12]; 12] {
        let mut matrix = [[0.0; 12]; 12];
        for k in 0..12 {
            matrix[k][k] = 2.0;
            if k > 0 {
                matrix[k][k - 1] = -forward;
                matrix[k - 1][k] = -backward;
            }
        }
        matrix
    }

    #[test]
    fn fewer_sweeps_reach_the_same_solution() {
        for (forward, backward) in [(1.0, 1.0), (1.5, 0.6), (0.7, 1.4)] {
            let matrix = chain(forward, backward);
            let (plain, expected) = sweeps(matrix, None);
            let (fast, reached) = sweeps(matrix, Some(Anderson::default()));
            assert!(3 * fast < plain, "{forward} {backward}: {fast} of {plain}");
            for (a, b) in expected.iter().zip(reached) {
                assert!((a - b).abs() < 1e-8 * a.abs().max(1.0), "{a} {b}");
            }
        }
    }

    #[test]
    fn a_sweep_that_changes_more_starts_afresh() {
        let mut anderson = Anderson::default();
        let at = |normal: f64| [ContactImpulse { normal, tangent: Vec3::ZERO }];
        anderson.begin(&at(0.0), &[]);
        let mut impulses = at(1.0);
        anderson.accelerate(&mut impulses, &mut [], |_| 1.0);
        assert_eq!(impulses, at(1.0)); // one sweep is no direction
        impulses = at(1.5);
        anderson.accelerate(&mut impulses, &mut [], |_| 1.0);
        assert!((impulses[0].normal - 2.0).abs() < 1e-9); // changes 1, then 1/2: the limit
        impulses = at(9.0);
        anderson.accelerate(&mut impulses, &mut [], |_| 1.0);
        assert_eq!(impulses, at(9.0));
    }
}
