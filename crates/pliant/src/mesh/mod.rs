//! Shapes at rest: reading, generating, checking and describing meshes.
//!
//! A file becomes a [`RawMesh`](raw::RawMesh), unchecked; `problems` lists everything
//! that is wrong with it; `tet` and `surface` hold meshes that passed the checks.

pub mod raw;

pub mod generate;

pub(crate) mod runs;

pub mod topology;

pub mod normals;

pub mod quality;

pub mod weld;

pub(crate) mod manifold;

pub mod intersect;

pub mod closest;

pub(crate) mod ray;

pub(crate) mod bvh;

pub(crate) mod lazy_bvh;

pub mod edge_search;

pub(crate) mod oriented;

pub(crate) mod half_planes;

pub(crate) mod meeting;

pub mod overlap;

pub mod problems;

pub mod tet;

pub mod surface;

pub mod embed;
