//! Mesh files: bytes in, a raw mesh out, and back.

pub mod parse;

pub mod write;

pub mod file;

pub use file::{
    MeshFile, MeshFileError, READABLE, WRITABLE, read, read_from, write_tets, write_triangles,
};
