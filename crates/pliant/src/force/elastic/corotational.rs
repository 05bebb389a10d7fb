//! The corotational law: linear elasticity in a frame that turns with the tet.
//!
//! ψ = μ ‖F − R‖² + λ/2 tr²(RᵀF − 1) with R the rotation nearest to F. Since R is where
//! ‖F − R‖ is least, its own change does not enter the stress, and forces are the exact
//! slope of the energy: both momenta are kept. In the stretches, which alone it depends on,
//! ψ = μ Σ(σᵢ − 1)² + λ/2 (Σσᵢ − 3)².
//!
//! An inverted tet is pushed out along its shortest stretch. Collapsed to a point F is 0,
//! R is 1 by choice, and the stress −(2μ + 3λ) 1 blows the tet up again as it lay at rest.
//! Where the two smallest stretches add up to zero several rotations are nearest, the energy
//! has a kink, and R jumps; [`crate::math::polar::rotation`] says which is taken.

use crate::force::elastic::Lame;
use crate::force::elastic::law::{Curvature, Law};
use crate::math::polar::rotation;
use crate::math::{Mat3, Vec3};

/// Sums of two stretches, unit 1, are taken as at least this: at zero R jumps, and no
/// derivative exists.
const LEAST_SUM: f64 = 1e-9;

/// Linear in stretches, so cheap to understand; soft under strong compression.
///
/// - Implements: [Smith19 on twists and flips] for the second derivative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corotational {
    lame: Lame,
}

impl Law for Corotational {
    fn from_lame(lame: Lame) -> Corotational {
        Corotational { lame }
    }

    fn energy(&self, gradient: Mat3) -> f64 {
        let Lame { mu, lambda } = self.lame;
        let turn = rotation(gradient);
        let (away, growth) = (gradient - turn, growth(gradient, turn));
        let away_sq = columns_sum(away, away);
        mu * away_sq + 0.5 * lambda * growth * growth
    }

    fn stress(&self, gradient: Mat3) -> Mat3 {
        let Lame { mu, lambda } = self.lame;
        let turn = rotation(gradient);
        2.0 * mu * gradient + (lambda * growth(gradient, turn) - 2.0 * mu) * turn
    }

    fn curvature(&self, stretches: Vec3) -> Curvature {
        let Lame { mu, lambda } = self.lame;
        let growth = stretches.element_sum() - 3.0;
        let sums = Vec3::splat(growth + 3.0) - stretches;
        let twist = (2.0 * lambda * growth - 4.0 * mu) / sums.max(Vec3::splat(LEAST_SUM));
        let all = Vec3::splat(lambda);
        Curvature {
            stretch: Mat3::from_diagonal(Vec3::splat(2.0 * mu)) + Mat3::from_cols(all, all, all),
            flip: Vec3::splat(2.0 * mu),
            twist: Vec3::splat(2.0 * mu) + twist,
        }
    }
}

/// tr(RᵀF − 1): the sum of stretches, less 3.
fn growth(gradient: Mat3, turn: Mat3) -> f64 {
    columns_sum(gradient, turn) - 3.0
}

/// Sum of products of entries.
fn columns_sum(a: Mat3, b: Mat3) -> f64 {
    a.x_axis.dot(b.x_axis) + a.y_axis.dot(b.y_axis) + a.z_axis.dot(b.z_axis)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAME: Lame = Lame { mu: 2.0, lambda: 3.0 };

    #[test]
    fn a_stretch_costs_what_the_formula_says() {
        let law = Corotational::from_lame(LAME);
        let stretched = Mat3::from_diagonal(Vec3::new(1.5, 1.0, 0.75));
        // 2 (1/4 + 1/16) + 3/2 (1/4)²; along x: 2·2·1/2 + 3/4.
        assert_eq!(law.energy(stretched), 0.625 + 0.09375);
        assert!((law.stress(stretched).x_axis.x - 2.75).abs() < 1e-15);
    }

    #[test]
    fn a_point_is_blown_up_evenly() {
        let law = Corotational::from_lame(LAME);
        // −(2·2 + 3·3)
        assert_eq!(law.stress(Mat3::ZERO), Mat3::from_diagonal(Vec3::splat(-13.0)));
        assert!(law.curvature(Vec3::ZERO).twist.is_finite());
    }
}
