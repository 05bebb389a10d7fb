//! Closed surfaces filled with tets.

use pliant::mesh::generate::stuffing::{Stuffed, StuffingSettings, stuffed};
use pliant::mesh::raw::RawMesh;
use pliant::mesh::surface::Surface;
use pliant::mesh::topology;

use super::BuildError;
use crate::diagnostic::DiagnosticKind;

/// Fills the surface of a file, or the boundary of its tets; `path` is that of the mesh.
pub fn fill(
    mut raw: RawMesh,
    size: f64,
    path: &str,
    notices: &mut Vec<String>,
) -> Result<RawMesh, BuildError> {
    if !raw.tets.is_empty() {
        raw.triangles = topology::boundary(raw.positions.len(), &raw.tets).triangles;
        raw.tets.clear();
        raw.regions.clear();
    }
    let (surface, repaired) = Surface::from_raw(raw)
        .map_err(|error| BuildError::new(DiagnosticKind::Mesh, format!("{path}.path"), error))?;
    notices.extend(repaired);
    let Stuffed { mesh, notices: remarks, .. } = stuffed(&surface, StuffingSettings { size })
        .map_err(|error| BuildError::value(format!("{path}.size"), error))?;
    notices.extend(remarks);
    Ok(RawMesh {
        positions: mesh.positions().to_vec(),
        tets: mesh.tets().to_vec(),
        regions: mesh.regions().to_vec(),
        ..RawMesh::default()
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use pliant_io::files::{Folder, Memory};

    use crate::build::BuildError;
    use crate::build::shape::{self, Geometry, RestShape};
    use crate::spec::body::Mesh;

    /// A cube of edge 1 as quadrilaterals.
    const CUBE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n\
        f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

    fn make(text: &str, file: &str, size: f64) -> Result<(RestShape, Vec<String>), BuildError> {
        let files = Memory { files: vec![("a/cube.obj".into(), text.as_bytes().to_vec())] };
        let folder = Folder { path: Path::new("a"), files: &files };
        let mut notices = Vec::new();
        let mesh = Mesh::Stuffed { path: file.to_owned(), size };
        shape::make(&mesh, folder, "mesh", &mut notices).map(|shape| (shape, notices))
    }

    #[track_caller]
    fn refused(text: &str, file: &str, size: f64, key: &str, message: &str) {
        let error = make(text, file, size).unwrap_err();
        assert_eq!(error.path, key);
        assert!(error.message.contains(message), "{}", error.message);
    }

    #[test]
    fn a_surface_becomes_tets() {
        let (shape, notices) = make(CUBE, "cube.obj", 0.25).unwrap();
        let Geometry::Tets(mesh) = &shape.geometry else { panic!("{:?}", shape.geometry) };
        assert!((mesh.volume() - 1.0).abs() < 0.1, "{}", mesh.volume());
        let polygons =
            "cube.obj: cut 6 polygons with more than three corners into fans of triangles";
        assert_eq!(notices, [polygons]);
        assert_eq!(shape.triangles.len(), mesh.surface().len());
    }

    #[test]
    fn faults_name_the_key() {
        refused(CUBE, "cub.obj", 0.25, "mesh.path", "cub.obj");
        let open = CUBE.trim_end_matches("f 4 1 5 8\n");
        refused(open, "cube.obj", 0.25, "mesh.path", "the surface is open at edge");
        refused(open, "cube.obj", 0.25, "mesh.path", "4 edges have an odd number");
        refused(CUBE, "cube.obj", 0.0, "mesh.size", "expected a positive finite length");
        refused(CUBE, "cube.obj", -1.0, "mesh.size", "the size is -1.0 m");
        refused(CUBE, "cube.obj", 5.0, "mesh.size", "leaves nothing inside");
        refused(CUBE, "cube.obj", 1e-3, "mesh.size", "tets, at most 5000000 are made");
        refused("v 0 0 0\n", "cube.obj", 0.1, "mesh.path", "no tets and no triangles");
    }
}
