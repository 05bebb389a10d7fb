//! Why a mesh file is no body: what every command that makes bodies of files refuses alike.

use std::path::PathBuf;

use pliant::mesh::surface::SurfaceError;
use pliant::mesh::tet::TetMeshError;
use pliant_io::mesh::MeshFileError;

/// Why a mesh file is no body.
#[derive(Debug, thiserror::Error)]
pub enum BodyFileError {
    /// A file that cannot be read.
    #[error(transparent)]
    File(#[from] MeshFileError),
    /// A file without cells.
    #[error("{message}")]
    Nothing {
        /// The file, and what it holds instead.
        message: String,
    },
    /// Tets that are no body.
    #[error("{}: {error}", path.display())]
    Tets {
        /// The file.
        path: PathBuf,
        /// The first problem.
        error: TetMeshError,
    },
    /// Triangles that bound no body.
    #[error("{}: {error}", path.display())]
    Surface {
        /// The file.
        path: PathBuf,
        /// The first problem.
        error: SurfaceError,
    },
}
