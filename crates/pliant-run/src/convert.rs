//! A mesh file in another format: `pliant convert`.

use std::path::{Path, PathBuf};

use pliant::id::VertexId;
use pliant::math::Vec3;
use pliant::mesh::quality::judge;
use pliant::mesh::raw::RawMesh;
use pliant::mesh::{topology, weld};
use pliant_io::mesh::parse::Format;
use pliant_io::mesh::parse::skipped::counted;
use pliant_io::mesh::{self, Cells, MeshFileError};
use pliant_io::printable::path_notice;
use serde::Serialize;

use crate::check::{Kind, nothing};

/// What was written.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Converted {
    /// Path of the file read, as given.
    pub from: String,
    /// Path of the file written, as given.
    pub to: String,
    /// What the written file holds.
    pub kind: Kind,
    /// Its vertices.
    pub vertices: usize,
    /// Its tets.
    pub tets: usize,
    /// Its triangles.
    pub triangles: usize,
    /// What the reader left out, and what the new format does not keep; one sentence each.
    pub notices: Vec<String>,
}

/// Why nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum ConvertError {
    /// A file that cannot be read, or a format that is not written.
    #[error(transparent)]
    Mesh(#[from] MeshFileError),
    /// A file without tets and triangles.
    #[error("{0}")]
    Nothing(String),
    /// A surface, and a format for tets.
    #[error(
        "{}: holds tets, and {} is a surface without any; \
         make tets with `pliant mesh {} -o {} --size H`, or write .obj, .stl, .ply or .off",
        to.display(), from.display(), from.display(), to.display()
    )]
    NoTets {
        /// The file read.
        from: PathBuf,
        /// The file that was not written.
        to: PathBuf,
    },
    /// A file that cannot be written.
    #[error("{}", cannot_be_written(.0))]
    Unwritten(MeshFileError),
}

pub(crate) fn cannot_be_written(error: &MeshFileError) -> String {
    match error {
        MeshFileError::Io { path, error } => {
            let why = pliant_io::atomic_file::io_message(error);
            format!("{}: cannot be written: {why}", path.display())
        }
        error => error.to_string(),
    }
}

/// Reads one mesh file and writes another, atomically; formats follow the names' endings.
///
/// Tets keep their vertices, order and regions. Into a format for triangles goes their boundary,
/// with its own vertices alone. The corners of STL files are merged where they coincide.
pub fn convert(from: &Path, to: &Path) -> Result<Converted, ConvertError> {
    // A name that cannot be written is known before a long file is read.
    let cells = mesh::cells_written(to)?;
    let file = mesh::read(from)?;
    let (format, mut mesh) = (file.format, file.mesh);
    let mut notices = std::mem::take(&mut mesh.notices);
    notices.extend([from, to].into_iter().filter_map(path_notice));
    let shown = |path: &Path| path.display().to_string();
    if mesh.tets.is_empty() && mesh.triangles.is_empty() {
        let vertices = mesh.positions.len();
        return Err(ConvertError::Nothing(nothing(&shown(from), &notices, vertices)));
    }
    let written = match cells {
        Cells::Tets if mesh.tets.is_empty() => {
            let (from, to) = (from.to_path_buf(), to.to_path_buf());
            return Err(ConvertError::NoTets { from, to });
        }
        Cells::Tets => mesh::write_tets(to, &mesh.positions, &mesh.tets, &mesh.regions),
        Cells::Triangles => {
            mesh = surface(mesh, format, &mut notices);
            if mesh::parse::Format::of_name(&shown(to)) == Some(Format::Stl) {
                let lost = "STL keeps coordinates of 32 bits, and no shared vertices";
                notices.push(lost.to_string());
            }
            mesh::write_triangles(to, &mesh.positions, &mesh.triangles)
        }
    };
    written.map_err(ConvertError::Unwritten)?;
    let (kind, triangles) = match cells {
        Cells::Tets => (Kind::Tets, 0),
        Cells::Triangles => (Kind::Surface, mesh.triangles.len()),
    };
    let (vertices, tets) = (mesh.positions.len(), mesh.tets.len());
    Ok(Converted { from: shown(from), to: shown(to), kind, vertices, tets, triangles, notices })
}

/// The surface of what a file holds: the boundary of its tets, or else its triangles.
fn surface(mesh: RawMesh, format: Format, notices: &mut Vec<String>) -> RawMesh {
    if mesh.tets.is_empty() {
        return if format == Format::Stl { merged(&mesh, notices) } else { mesh };
    }
    let mut triangles = topology::boundary(mesh.positions.len(), &mesh.tets).triangles;
    if judge(&mesh.positions, &mesh.tets).is_all_inverted() {
        triangles.iter_mut().for_each(|[_, b, c]| std::mem::swap(b, c));
        notices.push("all tets are inverted: the boundary was turned around".to_string());
    }
    let vertices = mesh.positions.len();
    let (positions, triangles) = compact(&mesh.positions, &triangles);
    notices.push(format!(
        "wrote the boundary: {} and {} not on it were left out",
        counted(mesh.tets.len(), ["tet", "tets"]),
        counted(vertices - positions.len(), ["vertex", "vertices"])
    ));
    RawMesh { positions, triangles, ..RawMesh::default() }
}

/// One vertex for all corners at the same place.
fn merged(mesh: &RawMesh, notices: &mut Vec<String>) -> RawMesh {
    let triangles = weld::weld(&mesh.positions, &mesh.triangles);
    let (positions, triangles) = compact(&mesh.positions, &triangles);
    let (corners, places) = (mesh.positions.len(), positions.len());
    notices.push(format!("merged {corners} corners of STL triangles into {places} vertices"));
    RawMesh { positions, triangles, ..RawMesh::default() }
}

/// The vertices that triangles name, in their order, and the triangles in the new numbers.
fn compact(positions: &[Vec3], triangles: &[[VertexId; 3]]) -> (Vec<Vec3>, Vec<[VertexId; 3]>) {
    let mut used = vec![false; positions.len()];
    triangles.iter().flatten().for_each(|v| used[v.index()] = true);
    let mut next = 0;
    let numbers: Vec<VertexId> = used
        .iter()
        .map(|&used| {
            next += u32::from(used);
            VertexId(next.saturating_sub(1))
        })
        .collect();
    let kept = positions.iter().zip(&used).filter(|(_, used)| **used).map(|(p, _)| *p).collect();
    (kept, triangles.iter().map(|t| t.map(|v| numbers[v.index()])).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twelve terms below 1 are summed: rounding stays near 1e-15.
    const TOLERANCE: f64 = 1e-12;

    /// Eight corners of a cube and its middle: twelve tets around the middle, and a lost vertex.
    fn cube() -> RawMesh {
        let corner = |k: u32| Vec3::new((k & 1) as f64, (k >> 1 & 1) as f64, (k >> 2) as f64);
        let mut positions: Vec<Vec3> = (0..8).map(corner).collect();
        positions.insert(3, Vec3::splat(0.5));
        positions.push(Vec3::splat(9.0));
        let faces =
            [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let number = |k: u32| VertexId(if k < 3 { k } else { k + 1 });
        let mut tets = Vec::new();
        for [a, b, c, d] in faces.map(|face| face.map(number)) {
            // The middle lies behind a face that is counter-clockwise seen from outside.
            tets.extend([[a, c, b, VertexId(3)], [a, d, c, VertexId(3)]]);
        }
        let regions = (0..12).map(|tet| 1 + tet % 2).collect();
        RawMesh { positions, tets, regions, ..RawMesh::default() }
    }

    fn folder(name: &str) -> PathBuf {
        let name = format!("pliant-convert-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn tets_keep_everything_between_formats_for_tets() {
        let (folder, cube) = (folder("tets"), cube());
        let first = folder.join("a.vtu");
        mesh::write_tets(&first, &cube.positions, &cube.tets, &cube.regions).unwrap();
        for name in ["b.vtk", "c.msh", "d.vtu"] {
            let done = convert(&first, &folder.join(name)).unwrap();
            assert_eq!((done.kind, done.vertices, done.tets), (Kind::Tets, 10, 12));
            assert_eq!(mesh::read(&folder.join(name)).unwrap().mesh, cube, "{name}");
        }
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn tets_become_their_boundary_turned_outwards() {
        for turned in [false, true] {
            let (folder, mut cube) = (folder(&format!("boundary-{turned}")), cube());
            if turned {
                cube.tets.iter_mut().for_each(|tet| tet.swap(0, 1));
            }
            let first = folder.join("a.vtk");
            mesh::write_tets(&first, &cube.positions, &cube.tets, &[]).unwrap();
            for name in ["b.obj", "c.ply", "d.off", "e.stl"] {
                let done = convert(&first, &folder.join(name)).unwrap();
                assert_eq!(
                    (done.kind, done.vertices, done.tets, done.triangles),
                    (Kind::Surface, 8, 0, 12)
                );
                let expected = "wrote the boundary: 12 tets and 2 vertices not on it were left out";
                assert!(done.notices.iter().any(|notice| notice == expected), "{done:?}");
                assert_eq!(done.notices.iter().any(|n| n.contains("turned")), turned);
                let back = mesh::read(&folder.join(name)).unwrap().mesh;
                let volume = pliant::mesh::overlap::signed_volume(&back.positions, &back.triangles);
                let outwards = volume.is_some_and(|volume| (volume - 1.0).abs() < TOLERANCE);
                assert!(outwards, "{name}: {volume:?}");
            }
            std::fs::remove_dir_all(folder).unwrap();
        }
    }

    #[test]
    fn corners_of_stl_files_are_merged() {
        let folder = folder("stl");
        let path = |name: &str| folder.join(name);
        let first = path("a.off");
        let square = "OFF\n4 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n3 0 2 3\n";
        std::fs::write(&first, square).unwrap();
        let to_stl = convert(&first, &path("b.stl")).unwrap();
        assert_eq!(to_stl.notices, ["STL keeps coordinates of 32 bits, and no shared vertices"]);
        let back = convert(&path("b.stl"), &path("c.ply")).unwrap();
        assert_eq!(back.notices, ["merged 6 corners of STL triangles into 4 vertices"]);
        let [first, last] = [&first, &path("c.ply")].map(|path| mesh::read(path).unwrap().mesh);
        assert_eq!(first, last);
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn what_cannot_be_converted_writes_nothing_and_says_why() {
        let folder = folder("errors");
        let surface = folder.join("a.off");
        std::fs::write(&surface, "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n").unwrap();
        std::fs::write(folder.join("points.obj"), "v 0 0 0\n").unwrap();
        let check = |from: &str, to: &str, expected: &str| {
            let error = convert(&folder.join(from), &folder.join(to)).unwrap_err().to_string();
            assert!(error.contains(expected) && error.lines().count() == 1, "{error}");
            assert!(!folder.join(to).exists(), "{to}");
        };
        check("a.off", "b.msh", "is a surface without any; make tets with `pliant mesh");
        check("a.off", "b.veg", "b.veg: cannot write this format; endings that can be written are");
        check("a.off", "b", "cannot write this format");
        check("none.off", "b.obj", "none.off: No such file");
        check("points.obj", "b.ply", "1 vertex but no tets or triangles");
        check("a.off", "missing/b.obj", "b.obj: cannot be written: No such file");
        std::fs::remove_dir_all(folder).unwrap();
    }
}
