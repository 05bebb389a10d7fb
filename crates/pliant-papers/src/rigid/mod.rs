//! Response of a rigid body to an obstacle.

pub mod coulomb;

pub mod lecture;
