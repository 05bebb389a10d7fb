//! Mesh files made into one scene: bodies, where they are, and notices on them.

use std::path::{Path, PathBuf};

use pliant::body::{Bodies, Mesh};
use pliant::id::VertexId;
use pliant::math::{Aabb, Vec3};
use pliant::mesh::raw::RawMesh;
use pliant::mesh::surface::Surface;
use pliant::mesh::tet::TetMesh;
use pliant::mesh::weld;

use crate::body_file::BodyFileError;
use crate::check::{Kind, nothing};
use crate::depth::{DepthError, Placement};
use pliant_io::printable::path_notice;

/// Coordinates beyond this, m, overflow in products of four, as squared areas are.
const LARGEST_COORDINATE: f64 = 1e75;

/// In a mesh smaller than this, m, products of four underflow.
const SMALLEST_EXTENT: f64 = 1e-70;

/// All bodies of one call.
pub struct Scene {
    /// Vertices of all bodies, m.
    pub positions: Vec<Vec3>,
    /// Connectivity of all bodies.
    pub bodies: Bodies,
    /// Description of each body from its file.
    pub files: Vec<BodyFile>,
    /// What was left out or changed.
    pub notices: Vec<String>,
}

/// A body as its file has it.
pub struct BodyFile {
    /// The file's stem.
    pub name: String,
    /// Tets or a surface.
    pub kind: Kind,
    /// Vertices in the file; unreferenced ones too.
    pub vertices: usize,
    /// Tets.
    pub tets: usize,
    /// Vertex of the body and another corner in the file at the same place; ascending.
    pub copies: Vec<[VertexId; 2]>,
}

/// A mesh that passed.
enum Sound {
    Tets(TetMesh),
    Surface(Surface),
}

/// Reads all files, in the order given, each placed as the entry of its number says.
pub fn read(paths: &[PathBuf], placements: &[Placement]) -> Result<Scene, DepthError> {
    let (mut files, mut sound, mut notices) = (Vec::new(), Vec::new(), Vec::new());
    for (number, path) in paths.iter().enumerate() {
        let placement = placements.get(number).copied().unwrap_or_default();
        let (file, mesh, reported) = read_one(path, placement)?;
        notices.extend(reported.into_iter().map(|notice| format!("{}: {notice}", file.name)));
        files.push(file);
        sound.push(mesh);
    }
    let meshes: Vec<_> = sound.iter().map(Sound::borrow).collect();
    let bodies = Bodies::from_meshes(&meshes)?;
    let positions = sound.iter().flat_map(|mesh| mesh.positions().iter().copied()).collect();
    Ok(Scene { positions, bodies, files, notices })
}

impl Sound {
    fn borrow(&self) -> Mesh<'_> {
        match self {
            Sound::Tets(mesh) => Mesh::Tets(mesh),
            Sound::Surface(mesh) => Mesh::Surface(mesh),
        }
    }

    fn positions(&self) -> &[Vec3] {
        match self {
            Sound::Tets(mesh) => mesh.positions(),
            Sound::Surface(mesh) => mesh.positions(),
        }
    }
}

/// One body, and notices on it.
fn read_one(
    path: &Path,
    placement: Placement,
) -> Result<(BodyFile, Sound, Vec<String>), DepthError> {
    let pliant_io::mesh::MeshFile { name, mut mesh, .. } =
        pliant_io::mesh::read(path).map_err(BodyFileError::File)?;
    let mut notices = std::mem::take(&mut mesh.notices);
    notices.extend(path_notice(path));
    let (vertices, tets) = (mesh.positions.len(), mesh.tets.len());
    if tets == 0 && mesh.triangles.is_empty() {
        let message = nothing(&path.display().to_string(), &notices, vertices);
        return Err(BodyFileError::Nothing { message }.into());
    }
    placement.apply(&mut mesh.positions);
    check_size(path, &mesh.positions)?;
    if tets > 0 {
        let bad = |error| BodyFileError::Tets { path: path.to_path_buf(), error };
        let (mesh, repair) = TetMesh::from_raw(mesh).map_err(bad)?;
        notices.extend(repair);
        let file = BodyFile { name, kind: Kind::Tets, vertices, tets, copies: Vec::new() };
        return Ok((file, Sound::Tets(mesh), notices));
    }
    let copies = copies(&mesh);
    let given = mesh.triangles.len();
    let bad = |error| BodyFileError::Surface { path: path.to_path_buf(), error };
    let (mesh, repair) = Surface::from_raw(mesh).map_err(bad)?;
    notices.extend(repair);
    let flat = given - mesh.triangles().len();
    if flat > 0 {
        notices.push(format!("left out {flat} of {given} triangles, which have no area"));
    }
    if !copies.is_empty() {
        let count = copies.len();
        notices.push(format!("{count} of {vertices} vertices repeat others at the same place"));
    }
    let file = BodyFile { name, kind: Kind::Surface, vertices, tets, copies };
    Ok((file, Sound::Surface(mesh), notices))
}

/// Corners that lie where an earlier vertex lies, each after that vertex.
fn copies(mesh: &RawMesh) -> Vec<[VertexId; 2]> {
    let firsts = weld::first_copies(&mesh.positions);
    let corners = mesh.triangles.iter().flatten();
    let mut copies: Vec<_> = corners
        .map(|&corner| [firsts[corner.index()], corner])
        .filter(|[first, corner]| first != corner)
        .collect();
    copies.sort_unstable();
    copies.dedup();
    copies
}

/// Refuses coordinates that no sign can be computed of; non-finite coordinates are reported later.
fn check_size(path: &Path, positions: &[Vec3]) -> Result<(), DepthError> {
    let largest = |p: &Vec3| p.is_finite() && p.abs().max_element() > LARGEST_COORDINATE;
    if let Some(index) = positions.iter().position(largest) {
        let (vertex, position) = (VertexId(index as u32), positions[index]);
        return Err(DepthError::TooFar { path: path.to_path_buf(), vertex, position });
    }
    let finite = positions.iter().copied().filter(|p| p.is_finite());
    let extent = Aabb::around(finite).size().max_element();
    if extent > 0.0 && extent < SMALLEST_EXTENT {
        return Err(DepthError::TooSmall { path: path.to_path_buf(), extent });
    }
    Ok(())
}
