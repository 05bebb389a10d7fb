//! What a rigid body gets from what it runs into.

pub mod coulomb;

pub mod lecture;
