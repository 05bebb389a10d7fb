//! The interface of an elastic law, and how its second derivative is made definite.
//!
//! An isotropic energy depends on the stretches alone. Its second derivative by F, seen
//! from the axes of the stretches, then falls apart: the stretches among themselves, and for
//! each pair of axes one shear that is symmetric (flip) and one that is antisymmetric
//! (twist). For axes i and j they cost
//!
//! - flip: (ψᵢ − ψⱼ) / (σᵢ − σⱼ), the difference of what turning both frames alike changes;
//! - twist: (ψᵢ + ψⱼ) / (σᵢ + σⱼ), that of turning them against each other,
//!
//! where ψᵢ = ∂ψ/∂σᵢ. A law writes the quotients out, so that equal stretches divide nothing.

use crate::force::elastic::Lame;
use crate::math::eigen::eigen;
use crate::math::lanes::{self, LaneMask, Lanes, Lanes3, Lanes33, WIDTH};
use crate::math::{Mat3, Vec3, outer, skew};

/// An isotropic energy of the deformation gradient.
pub trait Law: std::fmt::Debug + Clone + Send + Sync {
    /// The law that is linear elasticity with these moduli at small strain.
    fn from_lame(lame: Lame) -> Self;

    /// Energy per rest volume, J/m³; zero at rest.
    fn energy(&self, gradient: Mat3) -> f64;

    /// Its derivative by the gradient, Pa; finite for every finite gradient.
    fn stress(&self, gradient: Mat3) -> Mat3;

    /// Its second derivative, seen from the axes of the stretches.
    fn curvature(&self, stretches: Vec3) -> Curvature;

    /// Its second derivative without negative eigenvalues, where that is known without the axes.
    ///
    /// `None` by default: then it is that of [`Law::curvature`], clamped, or absolute where a tet is crushed.
    fn corotated(&self, gradient: Mat3) -> Option<Corotated> {
        let _ = gradient;
        None
    }

    /// [`Law::corotated`] of four gradients, each with its own law; `None` by default: one by one.
    #[inline(always)]
    fn corotated_of_four(laws: [&Self; WIDTH], gradients: &Lanes33) -> Option<CorotatedLanes> {
        let _ = (laws, gradients);
        None
    }

    /// [`Law::stress`] of four gradients, and in which lanes it is known; `None` by default.
    #[inline(always)]
    fn stress_of_four(laws: [&Self; WIDTH], gradients: &Lanes33) -> Option<(Lanes33, LaneMask)> {
        let _ = (laws, gradients);
        None
    }

    /// [`Law::energy`] of four gradients, and in which lanes it is known; `None` by default.
    #[inline(always)]
    fn energy_of_four(laws: [&Self; WIDTH], gradients: &Lanes33) -> Option<(Lanes, LaneMask)> {
        let _ = (laws, gradients);
        None
    }
}

/// [`Corotated`] of four gradients at once.
#[derive(Clone, Copy, Debug)]
pub struct CorotatedLanes {
    pub(super) rotation: Lanes33,
    pub(super) mu: Lanes,
    pub(super) lambda: Lanes,
    /// Zero where there is none.
    pub(super) twist: Lanes33,
    /// Whether any lane has a twist.
    pub(super) is_twisted: bool,
    /// Lanes in which it is known.
    pub(super) known: LaneMask,
}

impl CorotatedLanes {
    /// Gradients of corners 1 to 3, turned to the world, 1/m.
    #[inline(always)]
    pub(super) fn along(&self, gradients: &Lanes33) -> [Lanes3; 3] {
        let [a, b, c] = gradients.0;
        [self.rotation.apply(a), self.rotation.apply(b), self.rotation.apply(c)]
    }

    /// As [`Corotated::block`] of all pairs of corners, times a weight; the upper triangle.
    #[inline(always)]
    pub(super) fn blocks(&self, weight: Lanes, g: &[Lanes3; 3]) -> [[Lanes33; 3]; 3] {
        let (mu, lambda) = (weight * self.mu, weight * self.lambda);
        let mut blocks = [[Lanes33::ZERO; 3]; 3];
        for i in 0..3 {
            for j in i..3 {
                let direct = Lanes33::diagonal(mu * g[i].dot(g[j]));
                blocks[i][j] =
                    direct + lanes::outer(lambda * g[i], g[j]) + lanes::outer(mu * g[j], g[i]);
            }
        }
        if self.is_twisted {
            let half = Lanes::splat(0.5) * weight * self.twist;
            for j in 0..3 {
                let [x, y, z] = half.0;
                let Lanes3 { x: a, y: b, z: c } = g[j];
                // half · skew(g_j), by columns.
                let turned = [c * y - b * z, a * z - c * x, b * x - a * y];
                for i in 0..=j {
                    let [x, y, z] = turned;
                    let part = Lanes33([g[i].cross(x), g[i].cross(y), g[i].cross(z)]);
                    blocks[i][j] = blocks[i][j] - part;
                }
            }
        }
        blocks
    }
}

/// Second derivative of an energy that is linear elasticity in a frame that turns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corotated {
    /// From the frame to the world.
    pub rotation: Mat3,
    /// Moduli, Pa.
    pub lame: Lame,
    /// Of the antisymmetric shears about each axis of the world, Pa; none where there is none.
    pub twist: Option<Mat3>,
}

impl Corotated {
    /// The block that corner j's motion adds to corner i's force, Pa/m².
    ///
    /// `g_i` and `g_j` are the corners' gradients, turned to the world, 1/m.
    #[inline]
    pub(super) fn block(&self, g_i: Vec3, g_j: Vec3) -> Mat3 {
        let Lame { mu, lambda } = self.lame;
        let direct = Mat3::from_diagonal(Vec3::splat(mu * g_i.dot(g_j)));
        let linear = direct + outer(lambda * g_i, g_j) + outer(mu * g_j, g_i);
        match self.twist {
            None => linear,
            // Velocities u at a corner turn by u × g; the transpose of skew(g) is −skew(g).
            Some(twist) => linear - skew(g_i) * (0.5 * twist * skew(g_j)),
        }
    }
}

/// Second derivative of an isotropic energy by the gradient, along the stretches' axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curvature {
    /// ∂²ψ/∂σᵢ∂σⱼ, Pa; symmetric.
    pub stretch: Mat3,
    /// Of the symmetric shears across from axes x, y and z, Pa.
    pub flip: Vec3,
    /// Of the antisymmetric shears across from the same axes, Pa.
    pub twist: Vec3,
}

impl Curvature {
    /// The nearest without negative eigenvalues.
    ///
    /// - Implements: [Smith19 on twists and flips], whose eigenvalues these are.
    pub(crate) fn clamped(self) -> Curvature {
        Curvature {
            stretch: clamped(self.stretch),
            flip: self.flip.max(Vec3::ZERO),
            twist: self.twist.max(Vec3::ZERO),
        }
    }

    /// The same with the absolute values of its eigenvalues.
    ///
    /// Where a tet is crushed or inverted, forces lead away from a maximum of the energy. With
    /// zeros there only the masses would bound a step; with absolute values the stiffness does.
    ///
    /// - Implements: [Chen24 §4].
    pub(crate) fn absolute(self) -> Curvature {
        Curvature {
            stretch: absolute(self.stretch),
            flip: self.flip.abs(),
            twist: self.twist.abs(),
        }
    }

    /// The block that corner j's motion adds to corner i's force, along the axes, Pa/m².
    ///
    /// `h_i` and `h_j` are the corners' gradients, turned to the axes, 1/m.
    #[inline]
    pub(super) fn block(&self, h_i: Vec3, h_j: Vec3) -> Mat3 {
        let Curvature { stretch, flip, twist } = self;
        // A shear of one entry is half a flip and half a twist.
        let (own, other) = (0.5 * (*flip + *twist), 0.5 * (*flip - *twist));
        let (x, y, z) = (h_i.x * h_j, h_i.y * h_j, h_i.z * h_j);
        let off = |of: f64, shear: f64, direct: f64, crossed: f64| of * direct + shear * crossed;
        let (s01, s02, s12) = (stretch.y_axis.x, stretch.z_axis.x, stretch.z_axis.y);
        Mat3::from_cols(
            Vec3::new(
                stretch.x_axis.x * x.x + own.z * y.y + own.y * z.z,
                off(s01, other.z, y.x, x.y),
                off(s02, other.y, z.x, x.z),
            ),
            Vec3::new(
                off(s01, other.z, x.y, y.x),
                stretch.y_axis.y * y.y + own.z * x.x + own.x * z.z,
                off(s12, other.x, z.y, y.z),
            ),
            Vec3::new(
                off(s02, other.y, x.z, z.x),
                off(s12, other.x, y.z, z.y),
                stretch.z_axis.z * z.z + own.y * x.x + own.x * y.y,
            ),
        )
    }
}

/// A symmetric matrix with its negative eigenvalues set to zero.
pub(super) fn clamped(matrix: Mat3) -> Mat3 {
    with_eigenvalues(matrix, |values| values.max(Vec3::ZERO))
}

/// A symmetric matrix with the absolute values of its eigenvalues.
fn absolute(matrix: Mat3) -> Mat3 {
    with_eigenvalues(matrix, Vec3::abs)
}

/// A symmetric matrix whose eigenvalues are changed by a map that keeps positive ones.
fn with_eigenvalues(matrix: Mat3, map: impl Fn(Vec3) -> Vec3) -> Mat3 {
    // Positive leading minors decide most cases without a single rotation.
    let minor = matrix.x_axis.x * matrix.y_axis.y - matrix.y_axis.x * matrix.y_axis.x;
    if matrix.x_axis.x > 0.0 && minor > 0.0 && matrix.determinant() > 0.0 {
        return matrix;
    }
    let found = eigen(matrix);
    let kept = Mat3::from_diagonal(map(found.values));
    found.vectors * kept * found.vectors.transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negative_eigenvalues_are_cut_or_turned_and_others_kept() {
        // [[1, 2], [2, 1]] has 3 along (1, 1) and −1 along (1, −1).
        let matrix = Mat3::from_cols_array(&[1.0, 2.0, 0.0, 2.0, 1.0, 0.0, 0.0, 0.0, 5.0]);
        let expected = Mat3::from_cols_array(&[1.5, 1.5, 0.0, 1.5, 1.5, 0.0, 0.0, 0.0, 5.0]);
        assert!(clamped(matrix).abs_diff_eq(expected, 1e-14));
        let definite = Mat3::from_diagonal(Vec3::new(3.0, 2.0, 1e-9));
        assert_eq!(clamped(definite), definite);
        assert_eq!(clamped(-definite), Mat3::ZERO);
        assert!(absolute(-definite).abs_diff_eq(definite, 1e-15));
        // 3 along (1, 1) and 1 along (1, −1).
        let expected = Mat3::from_cols_array(&[2.0, 1.0, 0.0, 1.0, 2.0, 0.0, 0.0, 0.0, 5.0]);
        assert!(absolute(matrix).abs_diff_eq(expected, 1e-14));
        let mixed = Mat3::from_diagonal(Vec3::new(-3.0, -2.0, 1.0));
        let kept = Mat3::from_diagonal(Vec3::new(0.0, 0.0, 1.0));
        assert!(clamped(mixed).abs_diff_eq(kept, 1e-15));
        let shears = Curvature { stretch: definite, flip: Vec3::NEG_X, twist: Vec3::Z };
        assert_eq!(shears.clamped(), Curvature { flip: Vec3::ZERO, ..shears });
        assert_eq!(shears.absolute(), Curvature { flip: Vec3::X, ..shears });
    }
}
