//! A closed surface filled with tets, from file to file: `pliant mesh`.

use std::path::{Path, PathBuf};

use pliant::mesh::generate::stuffing::{Stuffed, StuffingError, StuffingSettings, stuffed};
use pliant::mesh::raw::RawMesh;
use pliant::mesh::surface::{Surface, SurfaceError};
use pliant::mesh::topology;
use pliant_io::mesh::MeshFileError;
use pliant_io::mesh::parse::Format;
use pliant_io::printable::path_notice;
use serde::Serialize;

use crate::check::nothing;

/// Endings that tets can be written with, for messages.
const TET_ENDINGS: &str = ".vtu .vtk .msh";

/// What was made, and how good it is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MeshReport {
    /// The surface, as given.
    pub file: String,
    /// The file written, as given.
    pub out: String,
    /// Long edge of the lattice, in the unit of the files, as all lengths here.
    pub size: f64,
    /// Vertices.
    pub vertices: usize,
    /// Tets.
    pub tets: usize,
    /// Triangles of the boundary of the tets.
    pub triangles: usize,
    /// Smallest dihedral angle, degrees.
    pub min_dihedral_degrees: f64,
    /// Largest dihedral angle, degrees.
    pub max_dihedral_degrees: f64,
    /// Volume that the surface encloses.
    pub surface_volume: f64,
    /// Volume of the tets.
    pub volume: f64,
    /// Volume of the tets less that of the surface, over the latter.
    pub volume_error: f64,
    /// Largest distance of a boundary vertex of the tets to the surface.
    pub boundary_distance: f64,
    /// Largest distance of a vertex of the surface to the boundary of the tets.
    pub surface_distance: f64,
    /// What the reader left out or changed, and what else is worth knowing.
    pub notices: Vec<String>,
}

/// Why no tets were made or written.
#[derive(Debug, thiserror::Error)]
pub enum MeshError {
    /// A file that cannot be read.
    #[error(transparent)]
    File(#[from] MeshFileError),
    /// A file that cannot be written.
    #[error("{}", crate::convert::cannot_be_written(.0))]
    Unwritten(MeshFileError),
    /// A file without cells.
    #[error("{message}")]
    Nothing {
        /// The file, and what it holds instead.
        message: String,
    },
    /// Triangles that bound no body.
    #[error("{}: {error}", path.display())]
    Surface {
        /// The file.
        path: PathBuf,
        /// The first problem.
        error: SurfaceError,
    },
    /// A surface that cannot be filled.
    #[error("{}: {error}", path.display())]
    Stuffing {
        /// The file.
        path: PathBuf,
        /// Why.
        error: StuffingError,
    },
    /// An ending with which no tets are written.
    #[error("{}: cannot write tets in this format; endings that can be written are {TET_ENDINGS}", path.display())]
    NotWritable {
        /// The file.
        path: PathBuf,
    },
}

/// Reads a surface, fills it and writes the tets, atomically.
///
/// Of a file with tets the boundary is taken. Nothing is written on an error.
pub fn mesh(path: &Path, out: &Path, size: f64) -> Result<MeshReport, MeshError> {
    let name = out.file_name().unwrap_or_default().to_string_lossy();
    if !matches!(Format::of_name(&name), Some(Format::Vtu | Format::Vtk | Format::Msh)) {
        return Err(MeshError::NotWritable { path: out.to_path_buf() });
    }
    let mut raw = pliant_io::mesh::read(path)?.mesh;
    let mut notices = std::mem::take(&mut raw.notices);
    notices.extend(path_notice(path));
    if raw.tets.is_empty() && raw.triangles.is_empty() {
        let message = nothing(&path.display().to_string(), &notices, raw.positions.len());
        return Err(MeshError::Nothing { message });
    }
    notices.extend(take_boundary(&mut raw));
    let bad = |error| MeshError::Surface { path: path.to_path_buf(), error };
    let (surface, repair) = Surface::from_raw(raw).map_err(bad)?;
    notices.extend(repair);
    let made = stuffed(&surface, StuffingSettings { size })
        .map_err(|error| MeshError::Stuffing { path: path.to_path_buf(), error })?;
    let Stuffed { mesh, stats, notices: remarks } = made;
    notices.extend(remarks);
    pliant_io::mesh::write_tets(out, mesh.positions(), mesh.tets(), mesh.regions())
        .map_err(MeshError::Unwritten)?;
    notices.extend(path_notice(out));
    Ok(MeshReport {
        file: path.display().to_string(),
        out: out.display().to_string(),
        size,
        vertices: mesh.positions().len(),
        tets: mesh.tets().len(),
        triangles: mesh.surface().len(),
        min_dihedral_degrees: stats.min_dihedral.to_degrees(),
        max_dihedral_degrees: stats.max_dihedral.to_degrees(),
        surface_volume: stats.surface_volume,
        volume: stats.volume,
        volume_error: (stats.volume - stats.surface_volume) / stats.surface_volume,
        boundary_distance: stats.boundary_distance,
        surface_distance: stats.surface_distance,
        notices,
    })
}

/// Replaces tets by their boundary, with a notice.
fn take_boundary(raw: &mut RawMesh) -> Option<String> {
    if raw.tets.is_empty() {
        return None;
    }
    raw.triangles = topology::boundary(raw.positions.len(), &raw.tets).triangles;
    let count = raw.tets.len();
    raw.tets.clear();
    raw.regions.clear();
    Some(format!("the file holds {count} tets: their boundary is filled anew"))
}
