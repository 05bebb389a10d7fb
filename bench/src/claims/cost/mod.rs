//! What depth and the contact surface cost.

pub mod point;

pub mod response;
