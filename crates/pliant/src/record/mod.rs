//! What is recorded of a simulation: one row of numbers per step, and overlap.

pub mod overlap;

pub mod row;
