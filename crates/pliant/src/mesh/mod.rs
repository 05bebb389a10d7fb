//! Shapes at rest: reading, generating, checking and describing meshes.
//!
//! A file becomes a [`RawMesh`](raw::RawMesh), unchecked; `problems` lists everything
//! that is wrong with it; `tet` and `surface` hold meshes that passed the checks.

pub mod raw;

pub mod generate;

pub mod topology;

pub mod normals;

pub mod quality;

pub mod weld;

pub mod manifold;

pub mod intersect;

pub mod closest;

pub mod ray;

pub mod bvh;

pub mod lazy_bvh;

pub mod edge_search;

pub mod oriented;

pub mod half_planes;

pub mod meeting;

pub mod overlap;

pub mod problems;

pub mod tet;

pub mod surface;
