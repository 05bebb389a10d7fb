//! The contact surface against penalty forces, with the constraint beside.

pub mod stack;

pub mod membrane;

pub mod press;

pub mod elasticities;

/// The responses compared.
const RESPONSES: [&str; 3] = ["penalty", "surface", "constraint"];
