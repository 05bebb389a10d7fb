//! What is worth keeping of a simulation: one row of numbers per step, and a digest.

pub mod overlap;

pub mod row;

pub mod digest;
