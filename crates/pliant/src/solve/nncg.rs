//! Nonsmooth nonlinear conjugate gradient (NNCG) acceleration of PGS.
//!
//! After each projected Gauss–Seidel sweep the iterate moves on along a conjugate direction built
//! from what the last sweeps changed, with the Fletcher–Reeves factor β; where β exceeds 1 the
//! direction restarts. Velocities are linear in the impulses, so both directions are kept side by
//! side and no matrix is multiplied.
//!
//! | here        | formula | meaning                                          |
//! |-------------|---------|--------------------------------------------------|
//! | `change_sq` | ‖∇f‖²   | square of what the last sweep changed, (N·s)²    |
//! | `impulses`  | p       | search direction among the impulses, N·s         |
//! | `speeds`    | W p     | the same among the velocities, m/s               |
//! | `beta`      | β       | share of the old direction that is kept          |

use crate::contact::impulse::ContactImpulse;

/// State of the NNCG acceleration over the sweeps of one solve.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nncg {
    before: Vec<ContactImpulse>,
    speeds_before: Vec<f64>,
    impulses: Vec<ContactImpulse>,
    speeds: Vec<f64>,
    change_sq: f64,
}

impl Nncg {
    /// Restarts at the iterate where the first sweep begins.
    pub(crate) fn begin(&mut self, row_impulses: &[ContactImpulse], speeds: &[f64]) {
        self.impulses.clear();
        self.impulses.resize(row_impulses.len(), ContactImpulse::default());
        self.speeds.clear();
        self.speeds.resize(speeds.len(), 0.0);
        self.change_sq = 0.0;
        self.before.clear();
        self.before.extend_from_slice(row_impulses);
        self.speeds_before.clear();
        self.speeds_before.extend_from_slice(speeds);
    }

    /// Moves the iterate along the conjugate direction, after each sweep.
    ///
    /// The point reached is where the next sweep begins.
    pub(crate) fn accelerate(&mut self, row_impulses: &mut [ContactImpulse], speeds: &mut [f64]) {
        let Nncg { before, speeds_before, impulses, speeds: steps, change_sq } = self;
        let mut now_sq = 0.0;
        for (now, before) in row_impulses.iter().zip(&*before) {
            let (normal, slip) = (now.normal - before.normal, now.tangent - before.tangent);
            now_sq += normal * normal + slip.length_squared();
        }
        let beta = if *change_sq > 0.0 { now_sq / *change_sq } else { f64::INFINITY };
        *change_sq = now_sq;
        // No nearer than before: the direction is of no use, restart.
        let beta = if beta <= 1.0 { beta } else { 0.0 };
        for ((p, now), before) in impulses.iter_mut().zip(&mut *row_impulses).zip(before) {
            let change = ContactImpulse {
                normal: now.normal - before.normal,
                tangent: now.tangent - before.tangent,
            };
            now.normal += beta * p.normal;
            now.tangent += beta * p.tangent;
            *p = ContactImpulse {
                normal: change.normal + beta * p.normal,
                tangent: change.tangent + beta * p.tangent,
            };
            *before = *now;
        }
        for ((q, now), before) in steps.iter_mut().zip(&mut *speeds).zip(speeds_before) {
            let change = *now - *before;
            *now += beta * *q;
            *q = change + beta * *q;
            *before = *now;
        }
    }
}
