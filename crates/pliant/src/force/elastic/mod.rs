//! Solids of linear tets: finite elements for large deformation.
//!
//! | here         | usual | meaning                                             |
//! |--------------|-------|-----------------------------------------------------|
//! | `gradient`   | F     | how the rest shape is turned and stretched          |
//! | `rate`       | Ḟ     | its change with time, 1/s                           |
//! | `energy`     | ψ     | elastic energy per rest volume, J/m³                |
//! | `stress`     | P     | ∂ψ/∂F, force per rest area, Pa                      |
//! | `stretches`  | σ     | of F = U diag(σ) Vᵀ, the last negative if inverted  |
//! | `mu`, `lambda` | μ, λ | Lamé's parameters, Pa                              |
//! | `damping`    | τ     | stress of a strain rate over that of a strain, s    |
//!
//! Within a tet F is constant. A [`Law`] defines its energy; [`Elastic`] makes
//! forces and derivatives of that for any law, so that another law is one small file.
//!
//! A tet that is flat or inverted comes back to its rest shape, whatever the law; each
//! law says what it does on a line and at a point. A body does where its tets agree on the
//! way: flattened and mirrored bodies do. One whose vertices were thrown about at random
//! may come to rest tangled, with tets wound twice around an edge: a minimum of the energy
//! like any other, which no law that sees one tet at a time can distinguish from the rest shape.

pub mod law;

pub mod corotational;

pub mod neo_hookean;

pub mod tets;

mod viscous;

#[cfg(test)]
mod tests;

#[cfg(test)]
mod recovery;

use crate::id::{TetId, VertexId};

pub use corotational::Corotational;
pub use law::{Curvature, Law};
pub use neo_hookean::NeoHookean;
pub use tets::Elastic;

/// Elastic constants of a solid, as engineers use them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElasticSettings {
    /// Young's modulus, Pa: pull per area over stretch of a thin bar. Positive.
    pub young: f64,
    /// Poisson's ratio: how much thinner a bar gets over how much longer. Above −1,
    /// below 0.5; close to 0.5 linear tets lock.
    pub poisson: f64,
    /// Time τ, s: stress of a strain rate is τ times that of the strain. Not negative.
    pub damping: f64,
}

impl Default for ElasticSettings {
    /// Soft rubber without damping.
    fn default() -> ElasticSettings {
        ElasticSettings { young: 1e6, poisson: 0.3, damping: 0.0 }
    }
}

/// The two moduli of an isotropic solid at small strain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lame {
    /// Shear modulus, Pa.
    pub mu: f64,
    /// Lamé's first parameter, Pa; negative for a negative Poisson's ratio.
    pub lambda: f64,
}

/// Why tets make no elastic solid: the first offender.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ElasticError {
    /// A stiffness that is zero, negative or not a number.
    #[error("tet {tet} has Young's modulus {young} Pa: it must be positive and finite")]
    Young {
        /// First such tet.
        tet: TetId,
        /// Its Young's modulus, Pa.
        young: f64,
    },
    /// A ratio at which some deformation would cost nothing, or no end.
    #[error("tet {tet} has Poisson's ratio {poisson}: it must be above -1 and below 0.5")]
    Poisson {
        /// First such tet.
        tet: TetId,
        /// Its ratio.
        poisson: f64,
    },
    /// A damping that would add energy.
    #[error("tet {tet} has damping {damping} s: it must be finite and not negative")]
    Damping {
        /// First such tet.
        tet: TetId,
        /// Its damping, s.
        damping: f64,
    },
    /// A rest shape that is flat, inverted or not finite.
    #[error("tet {tet} has volume {volume} m³ at rest: it must be positive")]
    Volume {
        /// First such tet.
        tet: TetId,
        /// Its signed volume, m³.
        volume: f64,
    },
    /// A corner that does not exist.
    #[error("tet {tet} names vertex {vertex}, there are {count}")]
    NoSuchVertex {
        /// First such tet.
        tet: TetId,
        /// The corner.
        vertex: VertexId,
        /// Number of vertices given.
        count: usize,
    },
}

impl ElasticSettings {
    /// Lamé's parameters, or what is wrong with these settings of a tet.
    fn lame(self, tet: TetId) -> Result<Lame, ElasticError> {
        let ElasticSettings { young, poisson, damping } = self;
        if !(young > 0.0 && young.is_finite()) {
            return Err(ElasticError::Young { tet, young });
        }
        if !(poisson > -1.0 && poisson < 0.5) {
            return Err(ElasticError::Poisson { tet, poisson });
        }
        if !(damping >= 0.0 && damping.is_finite()) {
            return Err(ElasticError::Damping { tet, damping });
        }
        let mu = young / (2.0 * (1.0 + poisson));
        Ok(Lame { mu, lambda: 2.0 * mu * poisson / (1.0 - 2.0 * poisson) })
    }
}
