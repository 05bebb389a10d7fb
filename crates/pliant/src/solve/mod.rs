//! One velocity for every unknown: linear systems, contacts and joints together.
//!
//! [`rows`] splits the contacts of a step by islands and hands each island to the solver that
//! suits it; [`position_correction`] takes overlap out before, [`joint`] holds rigid bodies together.

pub mod linear;

pub(crate) mod pcg;

#[cfg(feature = "direct")]
pub(crate) mod cholesky;

pub mod terms;

pub(crate) mod dense;

pub(crate) mod compliance;

pub(crate) mod gauss_seidel;

mod contact_block;

mod anderson;

mod segments;

mod rigid_pgs;

pub(crate) mod rigid_substeps;

pub(crate) mod dense_pgs;

pub(crate) mod factor;

pub(crate) mod factored;

pub mod augmented_lagrangian;

mod manifold_reduction;

pub mod rows;

pub mod position_correction;

pub(crate) mod obstacle_projection;

pub mod joint;

pub mod constraint;

pub(crate) mod convergence;
