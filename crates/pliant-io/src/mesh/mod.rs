//! Mesh files: bytes in, a raw mesh out, and back.

pub mod parse;

pub mod write;

pub mod file;

pub use file::{
    Cells, MeshFile, MeshFileError, READABLE, WRITABLE, cells_written, read, read_from, write_tets,
    write_triangles,
};
