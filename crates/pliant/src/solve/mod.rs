//! One velocity for every unknown: linear systems, contacts and joints together.
//!
//! [`rows`] splits the contacts of a step by islands and hands each island to the solver that
//! suits it; [`split`] takes overlap out before, [`joint`] holds rigid bodies together.

pub mod linear;

pub mod pcg;

#[cfg(feature = "direct")]
pub mod cholesky;

pub mod terms;

pub mod dense;

mod law;

mod course;

mod stones;

pub mod direct;

pub mod lagrange;

mod merge;

pub mod rows;

pub mod split;

pub mod joint;

pub mod constraint;
