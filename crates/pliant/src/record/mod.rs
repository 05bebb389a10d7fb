//! What is recorded of a simulation: numbers of the scene and of each body, overlap, and energy.

pub mod energy;

pub mod overlap;

pub mod row;

pub mod contact_load;

pub mod body_row;

pub mod fields;
