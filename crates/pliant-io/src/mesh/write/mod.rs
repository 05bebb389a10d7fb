//! Files made from meshes: bytes out, no file opened.

mod text;

pub mod vtk;

pub mod vtu;

pub mod msh;

pub mod obj;

pub mod stl;

pub mod ply;

pub mod off;

/// How numbers are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// As text, exact: reading is bitwise identical.
    Ascii,
    /// As bytes.
    #[default]
    Binary,
}
