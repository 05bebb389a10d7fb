//! What areas and volumes share: forces and derivatives from a strain.
//!
//! | here        | paper      | meaning                                        |
//! |-------------|------------|------------------------------------------------|
//! | `strain`    | C          | relative departure from the rest value         |
//! | `gradients` | ∂C/∂pᵢ     | its derivative by each corner, 1/m             |
//! | `curvature` | ∂²C/∂pᵢ∂pⱼ | its second derivatives, 1/m²                   |
//! | `effort`    | kC + k_dĊ  | force per gradient, J                          |

use crate::force::solid::Hold;
use crate::force::stiffness::Tangent;
use crate::math::{Mat3, Vec3, outer};

/// Second derivatives of a strain by its corners, 1/m².
pub(super) type Curvature<const N: usize> = [[Mat3; N]; N];

/// A strain and its gradients in one state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Constraint<const N: usize> {
    /// C, dimensionless.
    pub strain: f64,
    /// 1/m; their sum is zero.
    pub gradients: [Vec3; N],
}

impl<const N: usize> Constraint<N> {
    /// Stiffness times strain and damping times its rate, J.
    #[inline]
    pub(super) fn effort(&self, hold: Hold, velocities: &[Vec3; N]) -> f64 {
        let terms = self.gradients.iter().zip(velocities);
        let rate: f64 = terms.map(|(gradient, velocity)| gradient.dot(*velocity)).sum();
        hold.stiffness * self.strain + hold.damping * rate
    }

    /// Forces on the corners, N: −(kC + k_d Σ ∂C/∂pⱼ·vⱼ) ∂C/∂pᵢ.
    #[inline]
    pub(super) fn forces(&self, hold: Hold, velocities: &[Vec3; N]) -> [Vec3; N] {
        let effort = self.effort(hold, velocities);
        self.gradients.map(|gradient| -effort * gradient)
    }

    /// Weighted sum of stiffness −∂f/∂x and damping −∂f/∂v.
    #[inline]
    pub(super) fn exact(
        &self,
        hold: Hold,
        velocities: &[Vec3; N],
        tangent: Tangent,
        curvature: &Curvature<N>,
    ) -> [[Mat3; N]; N] {
        // Rotating gradients change which part of the velocities acts.
        let felt = |j: usize| (0..N).map(|m| curvature[j][m] * velocities[m]).sum::<Vec3>();
        let weight = tangent.stiffness * hold.stiffness + tangent.damping * hold.damping;
        let turned = tangent.stiffness * hold.damping;
        let slopes: [Vec3; N] =
            std::array::from_fn(|j| weight * self.gradients[j] + turned * felt(j));
        let bent = tangent.stiffness * self.effort(hold, velocities);
        std::array::from_fn(|i| {
            std::array::from_fn(|j| outer(self.gradients[i], slopes[j]) + curvature[i][j] * bent)
        })
    }

    /// The same without curvature: symmetric, and never negative.
    #[inline]
    pub(super) fn definite(&self, hold: Hold, tangent: Tangent) -> [[Mat3; N]; N] {
        let weight = tangent.stiffness * hold.stiffness + tangent.damping * hold.damping;
        let slopes = self.gradients.map(|gradient| weight * gradient);
        std::array::from_fn(|i| std::array::from_fn(|j| outer(self.gradients[i], slopes[j])))
    }
}

/// The matrix that takes x to v × x.
pub(super) fn cross_matrix(v: Vec3) -> Mat3 {
    Mat3::from_cols(v.cross(Vec3::X), v.cross(Vec3::Y), v.cross(Vec3::Z))
}
