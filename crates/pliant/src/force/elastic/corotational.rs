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
use crate::force::elastic::law::{Corotated, CorotatedLanes, Curvature, Law, clamped};
use crate::math::eigen::positive::positive_parts;
use crate::math::lanes::{LaneMask, Lanes, Lanes33, WIDTH};
use crate::math::polar::rotation;
use crate::math::polar::side_by_side::rotations;
use crate::math::{Mat3, Vec3};

/// Sums of two stretches are taken as at least this: at zero R jumps, and no
/// derivative exists.
const LEAST_SUM: f64 = 1e-9;

/// Products of all sums of two stretches below which these are found one by one.
const LEAST_PRODUCT: f64 = 0.1;

/// Stiffnesses of twists, over μ, that count as none.
const NO_TWIST: f64 = 1e-6;

/// Squared norms of F of which powers neither vanish nor overflow.
const MODERATE: std::ops::Range<f64> = 1e-30..1e30;

/// Squared determinants over the third power of the squared norm below which tets are flat.
///
/// A rotation has 1/27.
const ROUND: f64 = 1e-3;

/// Sums of squared strains above which a difference of numbers near 3 is exact enough.
const PLAIN: f64 = 0.05;

/// A step of Newton's method, over the root, after which its error is below rounding.
const LAST_STEP: f64 = 1e-9;

/// Newton steps that round tets never need: six do.
const MOST_STEPS: usize = 10;

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

    #[inline]
    fn energy(&self, gradient: Mat3) -> f64 {
        let Lame { mu, lambda } = self.lame;
        let (away_sq, growth) = strain(gradient).unwrap_or_else(|| strain_by_turn(gradient));
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

    /// Twists are the eigenvalues of 2μ 1 + (2λ (tr S − 3) − 4μ) (tr S 1 − S)⁻¹ with S = RᵀF, as
    /// those of tr S 1 − S are the sums of two stretches.
    #[inline]
    fn corotated(&self, gradient: Mat3) -> Option<Corotated> {
        let Lame { mu, lambda } = self.lame;
        let turn = rotation(gradient);
        let sum = columns_sum(gradient, turn);
        // In the frame of the world: R S Rᵀ = F Rᵀ.
        let sums = Mat3::from_diagonal(Vec3::splat(sum)) - gradient * turn.transpose();
        let minor = sums.x_axis.x * sums.y_axis.y - sums.x_axis.y * sums.x_axis.y;
        // At rest it is 2 · 2 · 2.
        if !(sums.x_axis.x > 0.0 && minor > 0.0 && sums.determinant() > LEAST_PRODUCT) {
            return None;
        }
        let scale = 2.0 * lambda * (sum - 3.0) - 4.0 * mu;
        let twist = Mat3::from_diagonal(Vec3::splat(2.0 * mu)) + scale * sums.inverse();
        let is_small = columns_sum(twist, twist) <= crate::math::powi(NO_TWIST * mu, 2);
        let twist = (!is_small).then(|| clamped(twist)).filter(|twist| *twist != Mat3::ZERO);
        Some(Corotated { rotation: turn, lame: self.lame, twist })
    }

    #[inline(always)]
    fn corotated_of_four(laws: [&Self; WIDTH], gradients: &Lanes33) -> Option<CorotatedLanes> {
        let [mu, lambda] = Corotational::moduli(laws);
        let (turn, known) = rotations(gradients);
        let sum = gradients.sum_of_products(&turn);
        let sums = Lanes33::diagonal(sum) - *gradients * turn.transpose();
        let [x, y, _] = sums.0;
        let minor = x.x * y.y - x.y * x.y;
        let cofactors = sums.cofactors();
        let det = x.dot(cofactors.0[0]);
        let zero = Lanes::ZERO;
        let is_round = zero.is_below(x.x).and(zero.is_below(minor));
        let known = known.and(is_round).and(Lanes::splat(LEAST_PRODUCT).is_below(det));
        let two_mu = Lanes::splat(2.0) * mu;
        let scale = Lanes::splat(2.0) * lambda * (sum - Lanes::splat(3.0)) - two_mu - two_mu;
        let inverse = (scale / det) * cofactors.transpose();
        let twist = Lanes33::diagonal(two_mu) + inverse;
        let bound = Lanes::splat(NO_TWIST) * mu;
        let is_twisted = (bound * bound).is_below(twist.sum_of_products(&twist)).and(known);
        if !is_twisted.any() {
            let (rotation, twist) = (turn, Lanes33::ZERO);
            return Some(CorotatedLanes { rotation, mu, lambda, twist, is_twisted: false, known });
        }
        let (positive, is_sure) =
            positive_parts(&Lanes33::select(is_twisted, &twist, &Lanes33::ZERO));
        let twist = Lanes33::select(is_twisted, &positive, &Lanes33::ZERO);
        let known = known.and(is_sure.or(is_twisted.not()));
        Some(CorotatedLanes { rotation: turn, mu, lambda, twist, is_twisted: true, known })
    }

    #[inline(always)]
    fn stress_of_four(laws: [&Self; WIDTH], gradients: &Lanes33) -> Option<(Lanes33, LaneMask)> {
        let [mu, lambda] = Corotational::moduli(laws);
        let (turn, known) = rotations(gradients);
        let growth = gradients.sum_of_products(&turn) - Lanes::splat(3.0);
        let two_mu = Lanes::splat(2.0) * mu;
        Some((two_mu * *gradients + (lambda * growth - two_mu) * turn, known))
    }

    #[inline(always)]
    fn energy_of_four(laws: [&Self; WIDTH], gradients: &Lanes33) -> Option<(Lanes, LaneMask)> {
        let [mu, lambda] = Corotational::moduli(laws);
        let (away_sq, growth, known) = strains(gradients);
        Some((mu * away_sq + Lanes::splat(0.5) * lambda * growth * growth, known))
    }
}

impl Corotational {
    /// Moduli of four laws, Pa.
    #[inline(always)]
    fn moduli(laws: [&Corotational; WIDTH]) -> [Lanes; 2] {
        [Lanes::of(|k| laws[k].lame.mu), Lanes::of(|k| laws[k].lame.lambda)]
    }
}

/// Σ(σᵢ − 1)² and Σσᵢ − 3 by way of the rotation.
#[cold]
fn strain_by_turn(gradient: Mat3) -> (f64, f64) {
    let turn = rotation(gradient);
    let away = gradient - turn;
    (columns_sum(away, away), growth(gradient, turn))
}

/// The same from what no rotation changes; `None` where that is not well-conditioned.
///
/// | here                 | meaning                                                        |
/// |----------------------|----------------------------------------------------------------|
/// | `squares`, `minors`  | ‖F‖² = Σσᵢ² and the squared norm of the cofactors, Σσᵢ²σⱼ²     |
/// | `a`, `b`, `c`        | of sᵢ = σᵢ − 1: sum, sum of products of two, product           |
/// | `e_1`, `e_2`, `e_3`  | likewise of the eigenvalues sᵢ (2 + sᵢ) of FᵀF − 1             |
///
/// Σσᵢ is the largest root t of (t² − Σσᵢ²)² = 4 (Σσᵢ²σⱼ² + 2 t det F). Σsᵢ² = a² − 2b, where b
/// comes from that of FᵀF − 1: as ‖F‖² − 2t + 3 it would lose all digits of a small strain.
#[inline]
fn strain(gradient: Mat3) -> Option<(f64, f64)> {
    let [x, y, z] = [gradient.x_axis, gradient.y_axis, gradient.z_axis];
    let (xx, yy, zz) = (x.length_squared(), y.length_squared(), z.length_squared());
    let (yz, zx, xy) = (y.dot(z), z.dot(x), x.dot(y));
    let squares = xx + yy + zz;
    let det = x.cross(y).dot(z);
    // False for what is not a number, too.
    let round = MODERATE.contains(&squares)
        && det > 0.0
        && det * det > ROUND * crate::math::powi(squares, 3);
    if !round {
        return None;
    }
    let minors = (yy * zz - yz * yz) + (zz * xx - zx * zx) + (xx * yy - xy * xy);
    let sum = stretch_sum(squares, minors, det)?;
    let a = sum - 3.0;
    let plain = squares - 2.0 * sum + 3.0;
    if plain > PLAIN {
        return Some((plain, a));
    }
    let (p, q, r) = (xx - 1.0, yy - 1.0, zz - 1.0);
    let e_1 = p + q + r;
    let e_2 = (q * r - yz * yz) + (r * p - zx * zx) + (p * q - xy * xy);
    let e_3 = p * (q * r - yz * yz) - xy * (xy * r - yz * zx) + zx * (xy * yz - q * zx);
    // Rough, as they come from differences; what they are added to is between 1 and 27.
    let rough_b = 0.5 * (a * (2.0 + a) - e_1);
    let rough_c = det - 1.0 - a - rough_b;
    let c = e_3 / (8.0 + 4.0 * a + 2.0 * rough_b + rough_c);
    let b = (e_2 + c * (6.0 + 2.0 * a)) / (4.0 + 2.0 * a + rough_b);
    Some((a * a - 2.0 * b, a))
}

/// [`strain`] of four gradients, and in which lanes it is known.
#[inline(always)]
fn strains(gradients: &Lanes33) -> (Lanes, Lanes, LaneMask) {
    let all = Lanes::splat;
    let [x, y, z] = gradients.0;
    let (xx, yy, zz) = (x.dot(x), y.dot(y), z.dot(z));
    let (yz, zx, xy) = (y.dot(z), z.dot(x), x.dot(y));
    let squares = xx + yy + zz;
    let det = x.cross(y).dot(z);
    let is_moderate =
        squares.is_below(all(MODERATE.start)).not().and(squares.is_below(all(MODERATE.end)));
    let is_round = (all(ROUND) * (squares * squares * squares)).is_below(det * det);
    let round = is_moderate.and(all(0.0).is_below(det)).and(is_round);
    let minors = (yy * zz - yz * yz) + (zz * xx - zx * zx) + (xx * yy - xy * xy);
    let (sum, found) = stretch_sums(squares, minors, det, round);
    let a = sum - all(3.0);
    let plain = squares - all(2.0) * sum + all(3.0);
    let (p, q, r) = (xx - all(1.0), yy - all(1.0), zz - all(1.0));
    let e_1 = p + q + r;
    let e_2 = (q * r - yz * yz) + (r * p - zx * zx) + (p * q - xy * xy);
    let e_3 = p * (q * r - yz * yz) - xy * (xy * r - yz * zx) + zx * (xy * yz - q * zx);
    let rough_b = all(0.5) * (a * (all(2.0) + a) - e_1);
    let rough_c = det - all(1.0) - a - rough_b;
    let c = e_3 / (all(8.0) + all(4.0) * a + all(2.0) * rough_b + rough_c);
    let b = (e_2 + c * (all(6.0) + all(2.0) * a)) / (all(4.0) + all(2.0) * a + rough_b);
    let fine = a * a - all(2.0) * b;
    (all(PLAIN).is_below(plain).select(plain, fine), a, found)
}

/// [`stretch_sum`] in the lanes that are asked for, and where it was found.
#[inline(always)]
fn stretch_sums(squares: Lanes, minors: Lanes, det: Lanes, asked: LaneMask) -> (Lanes, LaneMask) {
    let all = Lanes::splat;
    let mut sum = (all(3.0) * squares).sqrt();
    let (mut active, mut found) = (asked, LaneMask::NONE);
    for _ in 0..MOST_STEPS {
        if !active.any() {
            break;
        }
        let gap = sum * sum - squares;
        let value = gap * gap - all(4.0) * (minors + all(2.0) * det * sum);
        let step = value / (all(4.0) * gap * sum - all(8.0) * det);
        let next = sum - step;
        sum = active.select(next, sum);
        // False for what is not a number, as one by one.
        let arrived = active.and((all(LAST_STEP) * sum).is_below(step.abs()).not());
        let arrived = arrived.and(step.abs().is_below(all(f64::INFINITY)));
        found = found.or(arrived);
        active = active.and(arrived.not());
    }
    (sum, found)
}

/// The sum of stretches, by Newton's method from above.
///
/// No root lies above the start, √3‖F‖, and all are real: every step comes nearer from above.
#[inline]
fn stretch_sum(squares: f64, minors: f64, det: f64) -> Option<f64> {
    let mut sum = (3.0 * squares).sqrt();
    for _ in 0..MOST_STEPS {
        let gap = sum * sum - squares;
        let value = gap * gap - 4.0 * (minors + 2.0 * det * sum);
        let step = value / (4.0 * gap * sum - 8.0 * det);
        sum -= step;
        if step.abs() <= LAST_STEP * sum {
            return Some(sum);
        }
    }
    None
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
    use crate::math::random::Random;

    /// Some ten roundings of numbers near 1 to 9.
    const ROUNDING: f64 = 1e-14;

    const LAME: Lame = Lame { mu: 2.0, lambda: 3.0 };

    #[test]
    fn a_stretch_costs_what_the_formula_says() {
        let law = Corotational::from_lame(LAME);
        let stretched = Mat3::from_diagonal(Vec3::new(1.5, 1.0, 0.75));
        // 2 (1/4 + 1/16) + 3/2 (1/4)²; along x: 2·2·1/2 + 3/4.
        assert_eq!(law.energy(stretched), 0.625 + 0.09375);
        assert!((law.stress(stretched).x_axis.x - 2.75).abs() < 1e-15);
    }

    /// Stretches from 1e-12 to 2 off, turned any way: both ways to the energy must agree.
    #[test]
    fn the_quick_energy_is_that_of_the_rotation() {
        let mut random = Random::new(11);
        let (mut quick, mut small) = (0, 0);
        for round in 0..4000 {
            let size = 2.0 * libm::pow(10.0, -f64::from(round % 13));
            let mut any = || random.vec3();
            let (turn, strain) = (rotation(Mat3::from_cols(any(), any(), any())), size * any());
            let back = rotation(Mat3::from_cols(any(), any(), any()));
            let gradient = turn * Mat3::from_diagonal(Vec3::ONE + strain) * back;
            let Some((away_sq, growth)) = super::strain(gradient) else { continue };
            let (slow_sq, slow_growth) = strain_by_turn(gradient);
            // Entries of F are rounded by ε: strains s by as much, their squares by ε s.
            let error = ROUNDING * slow_sq.sqrt().max(ROUNDING);
            assert!((away_sq - slow_sq).abs() <= error, "{gradient}: {away_sq} {slow_sq}");
            assert!((growth - slow_growth).abs() <= ROUNDING, "{gradient}: {growth} {slow_growth}");
            quick += 1;
            small += usize::from(slow_sq < 1e-16);
        }
        assert!(quick > 3400 && small > 500, "{quick} {small}");
    }

    #[test]
    fn flat_and_mirrored_tets_are_left_to_the_rotation() {
        let mirror = Mat3::from_diagonal(Vec3::new(1.0, 1.0, -1.0));
        let flat = Mat3::from_diagonal(Vec3::new(1.0, 1.0, 1e-3));
        for odd in [Mat3::ZERO, mirror, flat, f64::NAN * flat, f64::INFINITY * flat] {
            assert_eq!(strain(odd), None, "{odd}");
        }
        assert!(strain(Mat3::IDENTITY).is_some());
    }

    #[test]
    fn a_point_is_blown_up_evenly() {
        let law = Corotational::from_lame(LAME);
        // −(2·2 + 3·3)
        assert_eq!(law.stress(Mat3::ZERO), Mat3::from_diagonal(Vec3::splat(-13.0)));
        assert!(law.curvature(Vec3::ZERO).twist.is_finite());
    }

    #[test]
    fn the_definite_form_is_that_of_the_stretches_axes() {
        let law = Corotational::from_lame(LAME);
        let mut random = Random::new(11);
        let (mut quick, mut twisted) = (0, 0);
        for size in [1e-9, 1e-3, 0.1, 0.5, 2.0] {
            for _ in 0..300 {
                let strain = Mat3::from_cols(random.vec3(), random.vec3(), random.vec3());
                let turn = crate::math::Quat::from_scaled_axis(3.0 * random.vec3());
                let gradient = Mat3::from_quat(turn) * (Mat3::IDENTITY + size * strain);
                let Some(corotated) = law.corotated(gradient) else { continue };
                let found = crate::math::svd::svd(gradient);
                let curvature = law.curvature(found.stretches).clamped();
                let (a, b) = (random.vec3(), random.vec3());
                let along = [a, b].map(|g| found.v.transpose() * g);
                let expected = found.u * curvature.block(along[0], along[1]) * found.u.transpose();
                let block = corotated.block(corotated.rotation * a, corotated.rotation * b);
                // Twists of up to 1e-6 μ count as none.
                assert!(block.abs_diff_eq(expected, 1e-5), "{gradient} {block} {expected}");
                quick += 1;
                twisted += usize::from(corotated.twist.is_some());
            }
        }
        assert!(quick > 1000 && twisted > 300, "{quick} {twisted}");
    }
}
