//! What is written reads back the same.

use std::path::PathBuf;

use pliant::id::VertexId;
use pliant::math::Vec3;
use pliant::mesh::raw::RawMesh;
use pliant_io::mesh::MeshFileError;

/// Two tets of two regions, with coordinates that need every digit.
fn body() -> RawMesh {
    let mut mesh = RawMesh {
        positions: [[0.1, 0.2, 0.3], [1.0 / 3.0, 0.0, 0.0], [0.0, 2e-7, 1e9], [0.0, 1.0, -1e-300]]
            .map(Vec3::from)
            .to_vec(),
        tets: vec![[0, 1, 2, 3].map(VertexId), [1, 3, 2, 4].map(VertexId)],
        regions: vec![1, 2],
        ..RawMesh::default()
    };
    mesh.positions.push(Vec3::new(5.0, 5.0, f64::MIN_POSITIVE));
    mesh
}

/// A fresh folder for one test.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("pliant-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn tets_survive_every_format_written() {
    let (folder, mesh) = (folder("tets"), body());
    for ending in ["vtu", "vtk", "msh"] {
        let path = folder.join(format!("body.{ending}"));
        pliant_io::mesh::write_tets(&path, &mesh.positions, &mesh.tets, &mesh.regions).unwrap();
        let back = pliant_io::mesh::read(&path).unwrap();
        assert_eq!(back.name, "body");
        assert_eq!(back.mesh, mesh, "{ending}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn triangles_survive_every_format_that_shares_vertices() {
    let (folder, mesh) = (folder("triangles"), body());
    let triangles = [[0, 1, 2].map(VertexId), [2, 1, 4].map(VertexId)];
    for name in ["skin.obj", "skin.ply", "skin.off"] {
        let path = folder.join(name);
        pliant_io::mesh::write_triangles(&path, &mesh.positions, &triangles).unwrap();
        let back = pliant_io::mesh::read(&path).unwrap().mesh;
        assert_eq!((&back.positions, &back.triangles[..]), (&mesh.positions, &triangles[..]));
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn faults_name_the_file() {
    let folder = folder("faults");
    let said = |error: MeshFileError| error.to_string().replace(&folder.display().to_string(), "");
    let read = |name: &str| said(pliant_io::mesh::read(&folder.join(name)).unwrap_err());
    assert!(read("none.vtk").starts_with("/none.vtk: No such file"));
    assert!(read("none.xyz").starts_with("/none.xyz: No such file"));
    std::fs::write(folder.join("some.xyz"), "1 2 3").unwrap();
    assert!(read("some.xyz").starts_with("/some.xyz: unknown mesh format; known endings are .vtk"));
    std::fs::write(folder.join("pair.node"), "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n")
        .unwrap();
    assert_eq!(read("pair.node"), "/pair.node: its counterpart /pair.ele is missing");
    std::fs::write(folder.join("pair.ele"), "1 4 0\n1 1 2 3 9\n").unwrap();
    assert!(read("pair.ele").starts_with("/pair.ele: line 2: "), "{}", read("pair.ele"));
    std::fs::write(folder.join("nothing.stl"), "").unwrap();
    assert_eq!(read("nothing.stl"), "/nothing.stl: the file is 0 bytes long");
    assert_eq!(
        pliant_io::mesh::read("/dev/null".as_ref()).unwrap_err().to_string(),
        "/dev/null: not a regular file"
    );
    std::fs::write(folder.join("packed.obj"), [0x1f, 0x8b, 8, 0]).unwrap();
    assert!(read("packed.obj").ends_with("unpack it with gunzip first"));
    let outside = folder.join("deep");
    std::fs::create_dir_all(&outside).unwrap();
    std::fs::write(outside.join("a.veg"), "*VERTICES\n*INCLUDE ../pair.node\n").unwrap();
    assert!(read("deep/a.veg").contains("line 2: "), "{}", read("deep/a.veg"));
    let mesh = body();
    let error =
        pliant_io::mesh::write_tets(&folder.join("a.ply"), &mesh.positions, &mesh.tets, &[0, 0]);
    assert!(said(error.unwrap_err()).starts_with("/a.ply: cannot write this format"));
    std::fs::remove_dir_all(folder).unwrap();
}
