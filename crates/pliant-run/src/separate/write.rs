//! Separated bodies written to files, read back, and judged as they were read.

use std::path::{Path, PathBuf};

use pliant::math::Vec3;
use pliant::separate::{Body, Overlap, overlaps};
use pliant_io::atomic_file;
use pliant_io::mesh::parse::Format;
use pliant_io::mesh::{MeshFileError, write_tets, write_triangles};

use super::SeparateFilesError;
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
    } else if let Some(text) = with_positions(source, target, positions) {
        atomic_file::write(&path, text.as_bytes())
            .map_err(|error| MeshFileError::Io { path: path.clone(), error })
    } else if raw.tets.is_empty() {
        write_triangles(&path, positions, &raw.triangles)
    } else {
        write_tets(&path, positions, &raw.tets, &raw.regions)
    };
    written.map_err(SeparateFilesError::Unwritten)
}

/// The text of an OBJ file with other positions: groups, materials and textures stay.
///
/// `None` for other formats, and where lines are continued or positions not one to a line.
fn with_positions(source: &Source, target: &Target, positions: &[Vec3]) -> Option<String> {
    if source.format != Format::Obj || target.notice.is_some() {
        return None;
    }
    let text = std::fs::read_to_string(&source.path).ok()?;
    let mut places = positions.iter();
    let mut moved = String::with_capacity(text.len());
    for line in text.lines() {
        let mut words = line.split_ascii_whitespace();
        if line.trim_end().ends_with('\\') {
            return None;
        }
        if words.next() != Some("v") {
            moved += line;
        } else {
            let Vec3 { x, y, z } = places.next()?;
            moved += &format!("v {x} {y} {z}");
            // A weight or a colour.
            words.skip(3).for_each(|word| moved.extend([" ", word]));
        }
        moved.push('\n');
    }
    places.next().is_none().then_some(moved)
}

/// A remark on what files that were written anew do not keep, and on normals that were not turned.
pub fn lost(sources: &[Source], targets: &[Target]) -> Vec<String> {
    let moved = || sources.iter().zip(targets).filter(|(_, target)| !target.is_copy);
    let list = |files: Vec<&str>| (!files.is_empty()).then(|| files.join(", "));
    let is_obj = |source: &Source| source.format == Format::Obj;
    let anew = moved().filter(|(source, _)| !is_obj(source));
    let anew = list(anew.map(|(_, target)| target.file.as_str()).collect());
    let normals = moved().filter(|(source, _)| is_obj(source) && has_normals(&source.path));
    let normals = list(normals.map(|(_, target)| target.file.as_str()).collect());
    let anew = anew.map(|files| {
        format!(
            "written anew with positions, cells and regions: {files}; other data, text or binary \
             encoding and version of the format are not kept"
        )
    });
    let normals = normals.map(|files| format!("normals (vn) are as they were read: {files}"));
    anew.into_iter().chain(normals).collect()
}

fn has_normals(path: &Path) -> bool {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines().any(|line| line.trim_start().starts_with("vn "))
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
