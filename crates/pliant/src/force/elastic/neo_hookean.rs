//! The stable Neo-Hookean law: rubber that recovers from inversion.
//!
//! ψ = μ/2 (I − 3) + λ/2 (J − α)² − μ/2 ln(I + 1), less its value at rest, with I = ‖F‖²,
//! J = det F and α = 1 + 3μ/(4λ), which makes the rest shape free of stress. It is smooth
//! for every F.
//!
//! The μ and λ of the formula are not Lamé's. At rest a flip costs 3μ/2, which must be
//! 2μ_Lamé, and two stretches share λ − 5μ/8, which must be λ_Lamé. So
//!
//! μ = 4/3 μ_Lamé, λ = λ_Lamé + 5/6 μ_Lamé.
//!
//! An inverted tet, J < 0 < α, is always pushed towards larger J. Flat ones are, too, as
//! long as two stretches are left. On a line nothing pulls sideways, and it shrinks to a
//! point; at a point F, and with it the stress, is zero: exactly there the tet stays. The
//! balance is unstable, as growth by δ gains energy of order δ³ and costs order δ⁴. The
//! force is of order δ², so a point disturbed by δ takes a time of order 1/√δ to leave
//! without damping, and 1/δ where damping is strong.

use crate::force::elastic::Lame;
use crate::force::elastic::law::{Curvature, Law};
use crate::math::{Mat3, Vec3, outer};

/// Stiffens under compression and keeps volume better than the corotational law.
///
/// - Implements: [Smith18 eq. 14], with moduli as in [Smith18 §3].
/// - Deviates: the constant that makes the rest shape's energy zero is taken off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NeoHookean {
    /// The formula's, Pa.
    mu: f64,
    /// The formula's, Pa; positive for every Poisson's ratio above −1.
    lambda: f64,
    /// Where det F would come to rest without μ.
    alpha: f64,
}

impl Law for NeoHookean {
    fn from_lame(lame: Lame) -> NeoHookean {
        let mu = lame.mu * 4.0 / 3.0;
        let lambda = lame.lambda + lame.mu * 5.0 / 6.0;
        NeoHookean { mu, lambda, alpha: 1.0 + 0.75 * mu / lambda }
    }

    fn energy(&self, gradient: Mat3) -> f64 {
        let excess = 0.25 * (norm_sq(gradient) - 3.0);
        let growth = gradient.determinant() - 1.0;
        // (J − α)² − (1 − α)² = (J − 1)² − 2 (α − 1) (J − 1), and λ (α − 1) is 3/4 μ.
        0.5 * self.mu * (4.0 * excess - libm::log1p(excess)) - 0.75 * self.mu * growth
            + 0.5 * self.lambda * growth * growth
    }

    fn stress(&self, gradient: Mat3) -> Mat3 {
        let [x, y, z] = [gradient.x_axis, gradient.y_axis, gradient.z_axis];
        let cofactor = Mat3::from_cols(y.cross(z), z.cross(x), x.cross(y));
        let (shear, pressure) = self.parts(norm_sq(gradient), x.dot(cofactor.x_axis));
        shear * gradient + pressure * cofactor
    }

    fn curvature(&self, stretches: Vec3) -> Curvature {
        let Vec3 { x, y, z } = stretches;
        let norm_sq = stretches.length_squared();
        let (shear, pressure) = self.parts(norm_sq, x * y * z);
        let bend = 2.0 * self.mu / ((norm_sq + 1.0) * (norm_sq + 1.0));
        let areas = Vec3::new(y * z, z * x, x * y);
        let mixed = pressure * stretches;
        Curvature {
            stretch: Mat3::from_cols(
                Vec3::new(shear, mixed.z, mixed.y),
                Vec3::new(mixed.z, shear, mixed.x),
                Vec3::new(mixed.y, mixed.x, shear),
            ) + outer(bend * stretches, stretches)
                + outer(self.lambda * areas, areas),
            flip: Vec3::splat(shear) - mixed,
            twist: Vec3::splat(shear) + mixed,
        }
    }
}

impl NeoHookean {
    /// The factors of F and of its cofactors in the stress, Pa.
    #[inline]
    fn parts(&self, norm_sq: f64, determinant: f64) -> (f64, f64) {
        let shear = self.mu * (norm_sq / (norm_sq + 1.0));
        (shear, self.lambda * (determinant - self.alpha))
    }
}

fn norm_sq(matrix: Mat3) -> f64 {
    let columns = [matrix.x_axis, matrix.y_axis, matrix.z_axis];
    columns.map(Vec3::length_squared).into_iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twice_as_large_costs_what_the_formula_says() {
        let law = NeoHookean::from_lame(Lame { mu: 3.0, lambda: 1.5 });
        assert_eq!((law.mu, law.lambda, law.alpha), (4.0, 4.0, 1.75)); // 4/3·3; 1.5 + 5/6·3
        let double = Mat3::from_diagonal(Vec3::splat(2.0));
        // I = 12, J = 8: 2·9 + 2·6.25² − 2 ln 13, less 2·0.75² − 2 ln 4 at rest.
        let expected = 18.0 + 78.125 - 1.125 - 2.0 * libm::log(13.0_f64 / 4.0);
        assert!((law.energy(double) - expected).abs() < 1e-13);
        // 4·12/13·2 + 4·6.25·4
        assert!((law.stress(double).y_axis.y - (96.0 / 13.0 + 100.0)).abs() < 1e-13);
        assert_eq!(law.energy(Mat3::IDENTITY), 0.0);
    }

    #[test]
    fn a_point_is_in_balance() {
        let law = NeoHookean::from_lame(Lame { mu: 3.0, lambda: 1.5 });
        assert_eq!(law.stress(Mat3::ZERO), Mat3::ZERO);
    }
}
