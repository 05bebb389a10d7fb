//! Consistent depth against the closest feature, both as the same penalty forces.

pub mod cubes;

pub mod head_on;

pub mod pile;

pub mod rest;

/// The responses compared: by closest feature, by consistent depth.
const RESPONSES: [&str; 2] = ["closest", "penalty"];
