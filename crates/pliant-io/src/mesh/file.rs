//! Mesh files by name: which reader, which companion file, which error where.

use std::io;
use std::path::{Path, PathBuf};

use crate::mesh::parse::{
    Format, ParseError, medit, msh, obj, off, ply, stl, tetgen, veg, vtk, vtu,
};
use crate::mesh::write::msh::RegionTooLarge;
use crate::mesh::write::{self, Encoding};
use pliant::id::VertexId;
use pliant::math::Vec3;
use pliant::mesh::raw::RawMesh;

use crate::atomic_file;
use crate::files::{Disk, Entry, Files};

/// Endings that can be read, for messages.
pub const READABLE: &str = ".vtk .vtu .msh .mesh .node .ele .veg .obj .stl .ply .off";

/// Endings that can be written, for messages.
pub const WRITABLE: &str = ".vtu .vtk .msh for tets, .obj .stl .ply .off for triangles";

/// First bytes of a file packed by gzip.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// A mesh file, read and not yet checked.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshFile {
    /// The file's stem: the name of the body.
    pub name: String,
    /// What it was read as.
    pub format: Format,
    /// What it holds.
    pub mesh: RawMesh,
}

/// What a file that is written holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cells {
    /// Tets.
    Tets,
    /// Triangles.
    Triangles,
}

/// Why a mesh file was not read or written.
#[derive(Debug, thiserror::Error)]
pub enum MeshFileError {
    /// An I/O error.
    #[error("{}: {}", path.display(), atomic_file::io_message(error))]
    Io {
        /// The file.
        path: PathBuf,
        /// The I/O error.
        error: io::Error,
    },
    /// An ending of no known format.
    #[error("{}: unknown mesh format; known endings are {READABLE}", path.display())]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// Not a file that has an end.
    #[error("{}: not a regular file", path.display())]
    NotAFile {
        /// What it was called.
        path: PathBuf,
    },
    /// Nothing in it.
    #[error("{}: the file is 0 bytes long", path.display())]
    NoBytes {
        /// The file.
        path: PathBuf,
    },
    /// Packed by gzip.
    #[error("{}: the file is packed; unpack it with gunzip first", path.display())]
    Packed {
        /// The file.
        path: PathBuf,
    },
    /// The other file of a TetGen pair is missing.
    #[error("{}: its counterpart {} is missing", path.display(), counterpart.display())]
    NoCounterpart {
        /// The file named.
        path: PathBuf,
        /// The file looked for.
        counterpart: PathBuf,
    },
    /// An error inside the file.
    #[error("{}: {error}", path.display())]
    Parse {
        /// The file.
        path: PathBuf,
        /// Where and what.
        error: ParseError,
    },
    /// A region that the format has no number for.
    #[error("{}: {error}", path.display())]
    Region {
        /// The file that was not written.
        path: PathBuf,
        /// The tet and its region.
        error: RegionTooLarge,
    },
    /// An ending that is not written.
    #[error("{}: cannot write this format; endings that can be written are {WRITABLE}", path.display())]
    NotWritable {
        /// The file.
        path: PathBuf,
    },
}

/// Reads a mesh from the disk; `.node` and `.ele` stand for the pair of them.
pub fn read(path: &Path) -> Result<MeshFile, MeshFileError> {
    read_from(&Disk, path)
}

/// The same from anything that holds files.
pub fn read_from(files: &dyn Files, path: &Path) -> Result<MeshFile, MeshFileError> {
    let file_name = path.file_name().unwrap_or_default().to_string_lossy();
    let Some(format) = Format::of_name(&file_name) else {
        // A missing file is the likelier mistake: report that first.
        look(files, path)?;
        return Err(MeshFileError::UnknownFormat { path: path.to_path_buf() });
    };
    let fault = |error| MeshFileError::Parse { path: path.to_path_buf(), error };
    let mesh = match format {
        Format::TetGen => read_tetgen(files, path)?,
        Format::Veg => veg::parse(&load(files, path)?, &mut |name| load_beside(files, path, name))
            .map_err(fault)?,
        Format::Vtk => vtk::parse(&load(files, path)?).map_err(fault)?,
        Format::Vtu => vtu::parse(&load(files, path)?).map_err(fault)?,
        Format::Msh => msh::parse(&load(files, path)?).map_err(fault)?,
        Format::Medit => medit::parse(&load(files, path)?).map_err(fault)?,
        Format::Obj => obj::parse(&load(files, path)?).map_err(fault)?,
        Format::Stl => stl::parse(&load(files, path)?).map_err(fault)?,
        Format::Ply => ply::parse(&load(files, path)?).map_err(fault)?,
        Format::Off => off::parse(&load(files, path)?).map_err(fault)?,
    };
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(MeshFile { name, format, mesh })
}

/// Writes tets in the format of the file's ending, atomically.
///
/// `.vtu` (compressed), `.vtk` and `.msh` (binary).
pub fn write_tets(
    path: &Path,
    positions: &[Vec3],
    tets: &[[VertexId; 4]],
    regions: &[u32],
) -> Result<(), MeshFileError> {
    let bytes = match ending(path) {
        Some(Format::Vtu) => {
            write::vtu::write(positions, tets, regions, write::vtu::VtuEncoding::Zlib)
        }
        Some(Format::Vtk) => write::vtk::write(positions, tets, regions, Encoding::Binary),
        Some(Format::Msh) => write::msh::write(positions, tets, regions, Encoding::Binary)
            .map_err(|error| MeshFileError::Region { path: path.to_path_buf(), error })?,
        _ => return Err(MeshFileError::NotWritable { path: path.to_path_buf() }),
    };
    save(path, &bytes)
}

/// Whether the format of the file's ending holds tets or triangles; an error if it is not written.
pub fn cells_written(path: &Path) -> Result<Cells, MeshFileError> {
    match ending(path) {
        Some(Format::Vtu | Format::Vtk | Format::Msh) => Ok(Cells::Tets),
        Some(Format::Obj | Format::Stl | Format::Ply | Format::Off) => Ok(Cells::Triangles),
        _ => Err(MeshFileError::NotWritable { path: path.to_path_buf() }),
    }
}

/// Writes triangles in the format of the file's ending, atomically.
///
/// `.obj`, `.off`, `.ply` (binary) and `.stl` (binary, 32-bit coordinates).
pub fn write_triangles(
    path: &Path,
    positions: &[Vec3],
    triangles: &[[VertexId; 3]],
) -> Result<(), MeshFileError> {
    let bytes = match ending(path) {
        Some(Format::Obj) => write::obj::write(positions, triangles),
        Some(Format::Stl) => write::stl::write(positions, triangles),
        Some(Format::Ply) => write::ply::write(positions, triangles),
        Some(Format::Off) => write::off::write(positions, triangles),
        _ => return Err(MeshFileError::NotWritable { path: path.to_path_buf() }),
    };
    save(path, &bytes)
}

fn ending(path: &Path) -> Option<Format> {
    Format::of_name(&path.file_name()?.to_string_lossy())
}

/// Makes sure that there is a file with an end, and not a pipe, device or folder.
fn look(files: &dyn Files, path: &Path) -> Result<(), MeshFileError> {
    match files.look(path).map_err(|error| io_error(path, error))? {
        Entry::File(_) => Ok(()),
        Entry::Folder => Err(io_error(path, io::ErrorKind::IsADirectory.into())),
        Entry::Other => Err(MeshFileError::NotAFile { path: path.to_path_buf() }),
    }
}

fn load(files: &dyn Files, path: &Path) -> Result<Vec<u8>, MeshFileError> {
    look(files, path)?;
    let bytes = files.read(path).map_err(|error| io_error(path, error))?;
    if bytes.is_empty() {
        return Err(MeshFileError::NoBytes { path: path.to_path_buf() });
    }
    if bytes.starts_with(&GZIP) {
        return Err(MeshFileError::Packed { path: path.to_path_buf() });
    }
    Ok(bytes)
}

/// A file that another one includes: only from the same folder, whatever path it names.
fn load_beside(files: &dyn Files, path: &Path, name: &str) -> Option<Vec<u8>> {
    let plain = Path::new(name).file_name()?.to_str()? == name;
    if plain { load(files, &path.with_file_name(name)).ok() } else { None }
}

fn save(path: &Path, bytes: &[u8]) -> Result<(), MeshFileError> {
    atomic_file::write(path, bytes).map_err(|error| io_error(path, error))
}

fn io_error(path: &Path, error: io::Error) -> MeshFileError {
    MeshFileError::Io { path: path.to_path_buf(), error }
}

/// Both files of a TetGen pair, each error with the file that has it.
fn read_tetgen(files: &dyn Files, path: &Path) -> Result<RawMesh, MeshFileError> {
    look(files, path)?;
    let shouted = path.extension().is_some_and(|e| e.to_string_lossy().starts_with(['N', 'E']));
    let [node, ele] = if shouted { ["NODE", "ELE"] } else { ["node", "ele"] };
    let (node, ele) = (path.with_extension(node), path.with_extension(ele));
    for counterpart in [&node, &ele] {
        if files.look(counterpart).is_err() {
            let (path, counterpart) = (path.to_path_buf(), counterpart.clone());
            return Err(MeshFileError::NoCounterpart { path, counterpart });
        }
    }
    let fault = |path: &Path| {
        let path = path.to_path_buf();
        move |error| MeshFileError::Parse { path, error }
    };
    let nodes = tetgen::parse_nodes(&load(files, &node)?).map_err(fault(&node))?;
    tetgen::parse_elements(&load(files, &ele)?, nodes).map_err(fault(&ele))
}
