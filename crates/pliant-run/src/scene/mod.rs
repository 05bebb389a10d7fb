//! Scenes: TOML in, a simulation out.
pub mod expression;
pub mod nearest;
pub mod fault;
pub mod keys;
pub mod node;
pub mod set;
pub mod resolve;
pub mod schema;
