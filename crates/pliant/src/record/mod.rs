//! What is recorded of a simulation: one row of numbers per step, overlap, and energy.

pub mod energy;

pub mod overlap;

pub mod row;
