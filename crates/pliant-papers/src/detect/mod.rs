//! The paper's collision detection: a spatial grid, and voxels along edges.

pub mod grid;

pub mod voxels;
