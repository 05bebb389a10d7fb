//! Damping of solids: stress that resists the rate of strain.
//!
//! The rate of Green's strain is Ė = sym(FᵀḞ); the stress F (2μ' Ė + λ' tr(Ė) 1), with
//! μ' = τμ and λ' = τλ, is zero in any rigid motion, symmetric about any axis, and takes out
//! 2μ' ‖Ė‖² + λ' tr²Ė of power per volume, never less than nothing.
//!
//! In the blocks below g are the corners' gradients; every term comes of
//! ∂(FᵀḞ) by one corner's velocity w, Fᵀ w gᵀ, or by its place, g wᵀ Ḟ.

use crate::force::elastic::Lame;
use crate::math::{Mat3, Vec3, outer};

/// Viscous moduli, Pa·s: those of the elastic law times the damping time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Viscous {
    /// For shear, Pa·s, and for growth, Pa·s.
    moduli: Lame,
}

/// How a tet deforms, and how fast.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flow {
    /// Deformation gradient F.
    pub(super) gradient: Mat3,
    /// Its rate Ḟ, 1/s.
    pub(super) rate: Mat3,
}

impl Viscous {
    /// Moduli of a damping time, s.
    pub(super) fn new(lame: Lame, damping: f64) -> Viscous {
        Viscous { moduli: Lame { mu: damping * lame.mu, lambda: damping * lame.lambda } }
    }

    /// Whether there is any damping.
    pub(super) fn acts(&self) -> bool {
        self.moduli.mu > 0.0
    }

    /// 2μ' Ė + λ' tr(Ė) 1, Pa.
    fn pull(&self, flow: Flow) -> Mat3 {
        let Lame { mu, lambda } = self.moduli;
        let product = flow.gradient.transpose() * flow.rate;
        let trace = product.x_axis.x + product.y_axis.y + product.z_axis.z;
        mu * (product + product.transpose()) + Mat3::from_diagonal(Vec3::splat(lambda * trace))
    }

    /// Stress on rest areas, Pa.
    pub(super) fn stress(&self, flow: Flow) -> Mat3 {
        flow.gradient * self.pull(flow)
    }

    /// Adds −∂f/∂v per volume, times a weight, to the upper triangle of blocks.
    pub(super) fn add_damping(
        &self,
        flow: Flow,
        gradients: &[Vec3; 3],
        weight: f64,
        blocks: &mut [[Mat3; 3]; 3],
    ) {
        let (mu, lambda) = (weight * self.moduli.mu, weight * self.moduli.lambda);
        let images = gradients.map(|g| flow.gradient * g);
        let square = mu * (flow.gradient * flow.gradient.transpose());
        for i in 0..3 {
            for j in i..3 {
                blocks[i][j] += gradients[i].dot(gradients[j]) * square
                    + outer(mu * images[j], images[i])
                    + outer(lambda * images[i], images[j]);
            }
        }
    }

    /// Adds −∂f/∂x of the damping force per volume, times a weight, to all blocks.
    pub(super) fn add_stiffness(
        &self,
        flow: Flow,
        gradients: &[Vec3; 3],
        weight: f64,
        blocks: &mut [[Mat3; 3]; 3],
    ) {
        let (mu, lambda) = (weight * self.moduli.mu, weight * self.moduli.lambda);
        let images = gradients.map(|g| flow.gradient * g);
        let rates = gradients.map(|g| flow.rate * g);
        let product = mu * (flow.gradient * flow.rate.transpose());
        let pull = weight * self.pull(flow);
        for i in 0..3 {
            for j in 0..3 {
                let along = gradients[i].dot(pull * gradients[j]);
                blocks[i][j] += Mat3::from_diagonal(Vec3::splat(along))
                    + gradients[i].dot(gradients[j]) * product
                    + outer(mu * images[j], rates[i])
                    + outer(lambda * images[i], rates[j]);
            }
        }
    }
}
