//! The paper's way to find overlaps: a grid hashed in space, and voxels along edges.

pub mod grid;

pub mod voxels;
