//! Files for Pliant: meshes and outlines, in and out.
//!
//! Readers turn bytes into raw meshes and outlines, writers the other way; both name the
//! place of an error. Their memory is bounded by a constant times the bytes handed in.

pub mod printable;

pub mod regular_file;

pub mod atomic_file;

pub mod files;

pub mod suggest;

pub mod mesh;

pub mod outline;

pub mod glb;
