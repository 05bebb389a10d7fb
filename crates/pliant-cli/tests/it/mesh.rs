//! `pliant mesh`: a cube filled with tets.

use std::path::Path;

use serde_json::Value;

use crate::{Folder, pliant, reported};

/// A cube of edge 1 as quadrilaterals.
const CUBE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n\
    f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

fn call(surface: &Path, out: &Path, size: &str, more: &[&str]) -> (i32, String, String) {
    let (surface, out) = (surface.to_str().unwrap(), out.to_str().unwrap());
    reported(&pliant(&[&["mesh", surface, "-o", out, "--size", size], more].concat()))
}

#[test]
fn tets_are_written_and_described() {
    let folder = Folder::new("mesh");
    let cube = folder.write("cube.obj", CUBE);
    for name in ["cube.vtu", "cube.vtk", "cube.msh"] {
        let out = folder.0.join(name);
        let (code, stdout, stderr) = call(&cube, &out, "0.2", &["--json"]);
        assert_eq!((code, stderr.as_str()), (0, ""), "{name}");
        let answer: Value = serde_json::from_str(&stdout).unwrap();
        let written = pliant_io::mesh::read(&out).unwrap().mesh;
        assert_eq!(answer["vertices"], written.positions.len());
        assert_eq!(answer["tets"], written.tets.len());
        let number = |key: &str| answer[key].as_f64().unwrap();
        assert!(number("min_dihedral_degrees") > 9.3 && number("max_dihedral_degrees") < 161.7);
        assert!(number("volume_error").abs() < 0.1 && number("boundary_distance") < 1e-14);
        assert!((number("surface_volume") - 1.0).abs() < 1e-14);
    }
    // The boundary of tets is filled as well.
    let (code, stdout, _) = call(&folder.0.join("cube.vtu"), &folder.0.join("b.vtu"), "0.3", &[]);
    assert_eq!(code, 0);
    for part in ["b.vtu: ", " tets, surface of ", "dihedral from ", "their boundary is filled anew"]
    {
        assert!(stdout.contains(part), "{part}: {stdout}");
    }
}

#[test]
fn nothing_is_written_on_an_error() {
    let folder = Folder::new("mesh-errors");
    let cube = folder.write("cube.obj", CUBE);
    let open = folder.write("open.obj", CUBE.trim_end_matches("f 4 1 5 8\n"));
    let empty = folder.write("empty.obj", "v 0 0 0\n");
    let old = folder.write("old.vtu", "old");
    for (surface, size, message) in [
        (&open, "0.2", "4 edges have an odd number of triangles"),
        (&empty, "0.2", "the file holds 1 vertex but no tets or triangles"),
        (&cube, "0", "the size is 0.0 m, expected a positive finite length"),
        (&cube, "-1", "the size is -1.0 m, expected a positive finite length"),
        (&cube, "nan", "the size is NaN m, expected a positive finite length"),
        (&cube, "9", "a size of 9.0 m leaves nothing inside"),
        (&cube, "0.001", "tets, at most 5000000 are made"),
    ] {
        let (code, stdout, stderr) = call(surface, &old, size, &[]);
        assert_eq!((code, stdout.as_str()), (2, ""), "{size}");
        assert!(stderr.contains(message), "{stderr}");
    }
    assert_eq!(std::fs::read_to_string(&old).unwrap(), "old");
    let out = folder.0.join("cube.stl");
    let (code, _, stderr) = call(&cube, &out, "0.2", &[]);
    assert!(
        code == 2 && stderr.contains("endings that can be written are .vtu .vtk .msh"),
        "{stderr}"
    );
    let (code, _, stderr) = call(&cube, &folder.0.join("no/cube.vtu"), "0.2", &[]);
    assert!(code == 1 && stderr.contains("no/cube.vtu: "), "{stderr}");
    let files = std::fs::read_dir(&folder.0).unwrap().count();
    assert_eq!(files, 4);
}
