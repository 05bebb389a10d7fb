//! Separated bodies written to files, read back, and judged as they were read.

use std::path::{Path, PathBuf};

use pliant::math::Vec3;
use pliant::separate::{Body, Overlap, overlaps};
use pliant_io::atomic_file;
use pliant_io::mesh::parse::Format;
use pliant_io::mesh::{MeshFileError, write_tets, write_triangles};

use super::SeparateFilesError;
use super::kept;
use super::read::Source;
use crate::body_file::BodyFileError;

/// A file to be written.
pub struct Target {
    /// Its name in the folder.
    pub file: String,
    /// A remark where the format is another than that of the file read.
    pub notice: Option<String>,
    /// Whether the bytes of the file read are kept, as nothing in it moved.
    pub is_copy: bool,
}

/// Whether anything in a file moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Some vertices did.
    Moved,
    /// All is where it was read.
    AsRead,
}

/// What each file is written as.
pub fn targets(sources: &[Source], contents: &[Content]) -> Vec<Target> {
    sources.iter().zip(contents).map(|(source, content)| target(source, *content)).collect()
}

fn target(source: &Source, content: Content) -> Target {
    let ending = source.path.extension().unwrap_or_default().to_string_lossy().into_owned();
    let holds_tets = !source.raw.tets.is_empty();
    let is_writable = match source.format {
        Format::Vtu | Format::Vtk | Format::Msh => holds_tets,
        Format::Obj | Format::Stl | Format::Ply | Format::Off => !holds_tets,
        Format::TetGen | Format::Veg | Format::Medit => false,
    };
    // Others may be made of several files.
    let is_copy =
        content == Content::AsRead && !matches!(source.format, Format::TetGen | Format::Veg);
    if is_writable || is_copy {
        return Target { file: format!("{}.{ending}", source.name), notice: None, is_copy };
    }
    let new = if holds_tets { "vtu" } else { "obj" };
    let notice = format!("{}: .{ending} cannot be written, .{new} is", source.name);
    Target { file: format!("{}.{new}", source.name), notice: Some(notice), is_copy: false }
}

/// Writes a file with its vertices where they are now.
pub fn write(
    folder: &Path,
    source: &Source,
    target: &Target,
    positions: &[Vec3],
) -> Result<(), SeparateFilesError> {
    let path = folder.join(&target.file);
    let raw = &source.raw;
    let written = if target.is_copy {
        let bytes = std::fs::read(&source.path)
            .map_err(|error| MeshFileError::Io { path: source.path.clone(), error })
            .map_err(BodyFileError::File)?;
        atomic_file::write(&path, &bytes)
            .map_err(|error| MeshFileError::Io { path: path.clone(), error })
    } else if let Some(bytes) = with_positions(source, target, positions) {
        atomic_file::write(&path, &bytes)
            .map_err(|error| MeshFileError::Io { path: path.clone(), error })
    } else if raw.tets.is_empty() {
        write_triangles(&path, positions, &raw.triangles)
    } else {
        write_tets(&path, positions, &raw.tets, &raw.regions)
    };
    written.map_err(SeparateFilesError::Unwritten)
}

/// The bytes of an OBJ file with other positions, where it is one that keeps all else.
fn with_positions(source: &Source, target: &Target, positions: &[Vec3]) -> Option<Vec<u8>> {
    if source.format != Format::Obj || target.notice.is_some() {
        return None;
    }
    kept::with_positions(&std::fs::read(&source.path).ok()?, positions)
}

/// Remarks on what files that were moved do not keep, by the files in a folder.
pub fn lost(sources: &[Source], targets: &[Target], folder: &Path) -> Vec<String> {
    let mut notices = Vec::new();
    for (source, target) in sources.iter().zip(targets).filter(|(_, target)| !target.is_copy) {
        let read = std::fs::read(&source.path).unwrap_or_default();
        let lost = match source.format {
            Format::Obj if kept::with_positions(&read, &source.raw.positions).is_some() => {
                kept::obj_notices(&read)
            }
            Format::Obj => vec![
                "written anew with positions and triangles, as it has lines that are continued; \
                 all else is not kept"
                    .to_owned(),
            ],
            _ => {
                let written = std::fs::read(folder.join(&target.file)).unwrap_or_default();
                kept::anew_notices(source, &read, &written)
            }
        };
        notices.extend(lost.into_iter().map(|notice| format!("{}: {notice}", target.file)));
    }
    notices
}

/// Positions of all vertices of a file that was written, as another program reads them.
pub fn read_back(
    folder: &Path,
    target: &Target,
    expected: usize,
) -> Result<Vec<Vec3>, SeparateFilesError> {
    let path = folder.join(&target.file);
    let positions = pliant_io::mesh::read(&path).map_err(BodyFileError::File)?.mesh.positions;
    match positions.len() == expected {
        true => Ok(positions),
        false => Err(SeparateFilesError::ReadBack { path, found: positions.len(), expected }),
    }
}

/// Largest distance between where a vertex was to be and where it was written.
pub fn rounding(wanted: &[Vec<Vec3>], written: &[Vec<Vec3>]) -> f64 {
    let both = wanted.iter().flatten().zip(written.iter().flatten());
    both.map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

/// Pairs of bodies that overlap or are nearer than the gap, by the positions of their files.
pub fn judged(
    sources: &[Source],
    files: &[Vec<Vec3>],
    gap: f64,
    kept_nested: &[[usize; 2]],
) -> Result<Vec<Overlap>, SeparateFilesError> {
    let of_bodies: Vec<Vec<Vec3>> = sources
        .iter()
        .zip(files)
        .flat_map(|(source, file)| {
            let own = |part: &super::read::Part| -> Vec<Vec3> {
                part.vertices.iter().map(|v| file[v.index()]).collect()
            };
            source.bodies.iter().map(own).collect::<Vec<_>>()
        })
        .collect();
    let meshes = sources.iter().flat_map(|source| &source.bodies);
    let bodies: Vec<Body<'_>> = meshes
        .zip(&of_bodies)
        .map(|(part, positions)| Body::new(part.sound.borrow(), positions))
        .collect();
    Ok(overlaps(&bodies, gap, kept_nested)?)
}

/// A folder beside another, in which files are made before they take their places.
pub struct Staging {
    folder: tempfile::TempDir,
    out: PathBuf,
}

impl Staging {
    /// Makes both folders where they are missing.
    pub fn new(out: &Path) -> Result<Staging, SeparateFilesError> {
        let failed = |error| SeparateFilesError::Folder { path: out.to_path_buf(), error };
        std::fs::create_dir_all(out).map_err(failed)?;
        let folder = tempfile::Builder::new().prefix(".separate-").tempdir_in(out);
        Ok(Staging { folder: folder.map_err(failed)?, out: out.to_path_buf() })
    }

    /// Where files are made.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Puts files that were made into their places, where they replace others.
    pub fn publish(self, files: &[String]) -> Result<(), SeparateFilesError> {
        for file in files {
            let (from, to) = (self.folder.path().join(file), self.out.join(file));
            std::fs::rename(&from, &to)
                .map_err(|error| SeparateFilesError::Folder { path: to, error })?;
        }
        Ok(())
    }
}
