//! Contact for things that bend.
//!
//! Pliant finds where soft and rigid bodies overlap, how deep and which way is out, resolves the
//! contact with Coulomb friction, and advances the bodies in time: it recovers from deep
//! interpenetration and settles without any. The library computes: it opens no file, reads no
//! clock and prints nothing. [`step::Simulation`] is the whole; every stage also works alone on
//! plain slices.
//!
//! ```
//! use pliant::mesh::generate::ball::ball;
//! use pliant::mesh::normals::{Normals, vertex_normals};
//! use pliant::mesh::problems::tet_problems;
//! use pliant::mesh::tet::TetMesh;
//! use pliant::mesh::topology;
//!
//! let raw = ball(1.0, 4)?; // or pliant_io::mesh::parse::vtu::parse(&bytes)?
//! assert!(tet_problems(&raw).is_empty());
//! let (mesh, _) = TetMesh::from_raw(raw)?;
//! let normals = vertex_normals(mesh.positions(), mesh.surface(), Normals::Angle);
//! let neighbours = topology::neighbours(mesh.positions().len(), &mesh.edges());
//! assert_eq!(neighbours.row(0).len(), 12); // the centre and the innermost shell
//! assert!(normals[0].is_none()); // the centre is on no surface
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Modules stand in the order in which data flows through them.

#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod math;

pub mod id;

pub mod choice;

pub mod par;

pub mod profile;

pub mod snapshot;

pub mod mesh;

pub mod body;

pub mod force;

pub mod detect;

pub mod depth;

pub mod contact;

pub mod solve;

pub mod integrate;

pub mod step;

pub mod world;

pub mod prelude;

pub mod record;

pub use depth::query::penetrations;
