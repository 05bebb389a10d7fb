//! A million tets: reading every format, checking, finding the surface.

use std::fs;
use std::path::{Path, PathBuf};

use pliant::mesh::generate::ball::ball;
use pliant::mesh::normals::{Normals, vertex_normals};
use pliant::mesh::problems::tet_problems;
use pliant::mesh::raw::RawMesh;
use pliant::mesh::topology;
use pliant_io::mesh::write::{self, Encoding, vtu::VtuEncoding};

use super::{install, meshio};
use crate::timing::fastest;

/// Layers of the ball: 20 · 37³ is a little over a million tets.
const LAYERS: u32 = 37;

/// Files that meshio writes, so that both read what neither of us favours.
const WRITTEN_BY_MESHIO: [&str; 5] = ["ball.mesh", "ball.node", "skin.ply", "skin.stl", "skin.off"];

/// Prints the table of stages and the table of formats.
pub fn run() -> Result<(), String> {
    let folder = PathBuf::from("target/bench/mesh");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mesh = ball(1.0, LAYERS).map_err(|error| error.to_string())?;
    stages(&mesh);
    let mut files = write_files(&folder, &mesh)?;
    let python = PathBuf::from("target/bench/python");
    let peer = install(&python, &[meshio::PACKAGE]);
    match &peer {
        Ok(()) => files.extend(convert_files(&folder, &python)),
        Err(error) => println!("meshio is not measured: {error}"),
    }
    println!("\n| file | MB | ours, s | MB/s | ns per cell | meshio, s | ratio |");
    println!("|---|---|---|---|---|---|---|");
    for path in files {
        let peer_time = peer.as_ref().ok().and_then(|()| meshio::read(&python, &path).ok());
        println!("{}", row(&path, peer_time)?);
    }
    Ok(())
}

/// What is done with a mesh once it is read, by the number of tets.
fn stages(mesh: &RawMesh) {
    let (vertices, tets) = (mesh.positions.len(), mesh.tets.len());
    println!("ball of {vertices} vertices, {tets} tets; fastest of five, CPU time, one thread\n");
    println!("| stage | s | ns per tet |\n|---|---|---|");
    let print = |name: &str, time: f64| {
        println!("| {name} | {time:.4} | {:.1} |", 1e9 * time / tets as f64);
    };
    let (time, boundary) = fastest(|| topology::boundary(vertices, &mesh.tets));
    print("surface", time);
    let (time, edges) = fastest(|| topology::edges(vertices, &mesh.tets));
    print("edges", time);
    print("neighbours", fastest(|| topology::neighbours(vertices, &edges)).0);
    print("parts", fastest(|| topology::parts(vertices, &mesh.tets)).0);
    let triangles = &boundary.triangles;
    let normals = || vertex_normals(&mesh.positions, triangles, Normals::Area);
    print("vertex normals", fastest(normals).0);
    print("problems, all of them", fastest(|| tet_problems(mesh)).0);
}

/// The ball in every format and encoding that is written here.
fn write_files(folder: &Path, mesh: &RawMesh) -> Result<Vec<PathBuf>, String> {
    let (positions, tets, regions) = (&mesh.positions, &mesh.tets, &mesh.regions);
    let skin = topology::boundary(positions.len(), tets).triangles;
    let msh = |encoding| {
        write::msh::write(positions, tets, regions, encoding).map_err(|error| error.to_string())
    };
    let files = [
        ("ball-ascii.vtk", write::vtk::write(positions, tets, regions, Encoding::Ascii)),
        ("ball-binary.vtk", write::vtk::write(positions, tets, regions, Encoding::Binary)),
        ("ball-ascii.vtu", write::vtu::write(positions, tets, regions, VtuEncoding::Ascii)),
        ("ball-base64.vtu", write::vtu::write(positions, tets, regions, VtuEncoding::Base64)),
        ("ball-appended.vtu", write::vtu::write(positions, tets, regions, VtuEncoding::Appended)),
        ("ball-zlib.vtu", write::vtu::write(positions, tets, regions, VtuEncoding::Zlib)),
        ("ball-ascii.msh", msh(Encoding::Ascii)?),
        ("ball-binary.msh", msh(Encoding::Binary)?),
        ("skin.obj", write::obj::write(positions, &skin)),
    ];
    let mut paths = Vec::new();
    for (name, bytes) in files {
        let path = folder.join(name);
        fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
        paths.push(path);
    }
    Ok(paths)
}

/// The formats that only meshio writes; failures are reported and left out.
fn convert_files(folder: &Path, python: &Path) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for name in WRITTEN_BY_MESHIO {
        let from = if name.starts_with("ball") { "ball-binary.msh" } else { "skin.obj" };
        let (from, to) = (folder.join(from), folder.join(name));
        match meshio::convert(python, &from, &to) {
            Ok(()) => paths.push(to),
            Err(error) => println!("meshio does not write {name}: {error}"),
        }
    }
    paths
}

/// One file, read by both.
fn row(path: &Path, peer: Option<f64>) -> Result<String, String> {
    let (time, read) = fastest(|| pliant_io::mesh::read(path));
    let mesh = read.map_err(|error| error.to_string())?.mesh;
    let cells = mesh.tets.len() + mesh.triangles.len();
    let size = |path: &Path| fs::metadata(path).map_or(0, |data| data.len()) as f64 / 1e6;
    let mut megabytes = size(path);
    if path.extension().is_some_and(|ending| ending == "node") {
        megabytes += size(&path.with_extension("ele"));
    }
    let (speed, each) = (megabytes / time, 1e9 * time / cells as f64);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let peer = match peer {
        Some(peer) => format!("{peer:.4} | {:.1}", peer / time),
        None => "– | –".to_string(),
    };
    Ok(format!("| {name} | {megabytes:.1} | {time:.4} | {speed:.0} | {each:.0} | {peer} |"))
}
