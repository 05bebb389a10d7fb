//! A surface of 100,000 triangles filled with tets, by us and by fTetWild.
//!
//! The surface is a ball with bumps. Both sides get the same file and about the same size of tets;
//! fTetWild runs through pytetwild on one thread, and its time is that of its call alone.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use pliant::math::Vec3;
use pliant::mesh::generate::ball::ball;
use pliant::mesh::generate::stuffing::{Stuffed, StuffingSettings, stuffed};
use pliant::mesh::quality::dihedral_cosines;
use pliant::mesh::raw::RawMesh;
use pliant::mesh::surface::Surface;
use pliant::mesh::tet::TetMesh;
use pliant_io::mesh::write::ply;

use super::{finished, install};
use crate::machine;
use crate::timing::all_threads;

/// Layers of the ball: 20 · 71² triangles.
const LAYERS: u32 = 71;

/// Height of the bumps over the radius.
const BUMPS: f64 = 0.1;

/// Bumps around the ball.
const WAVES: f64 = 6.0;

/// Lattice edges along the diagonal of the surface's box.
const FINENESS: [f64; 2] = [40.0, 80.0];

/// The package measured against, and what it needs at import.
const PACKAGES: [&str; 2] = ["pytetwild==0.4.2", "pyvista"];

/// The Python side.
const SCRIPT: &str = include_str!("stuffing.py");

/// Prints the table.
pub fn run() -> Result<(), String> {
    let folder = PathBuf::from("target/bench/stuffing");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let surface = surface()?;
    let path = folder.join("surface.ply");
    let bytes = ply::write(surface.positions(), surface.triangles());
    fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
    let python = PathBuf::from("target/bench/python");
    let peer = install(&python, &PACKAGES);
    if let Err(error) = &peer {
        println!("pytetwild is not measured: {error}");
    }
    println!(
        "a ball with bumps, {} triangles; CPU time of all threads; {}, {}, {}\n",
        surface.triangles().len(),
        machine::processor(),
        machine::load(),
        machine::date()
    );
    println!("| by | size over diagonal | tets | angles | volume | CPU time, s | µs per tet |");
    println!("|---|---|---|---|---|---|---|");
    let bounds = surface
        .positions()
        .iter()
        .fold([Vec3::INFINITY, Vec3::NEG_INFINITY], |b, p| [b[0].min(*p), b[1].max(*p)]);
    let diagonal = bounds[0].distance(bounds[1]);
    for fineness in FINENESS {
        let size = diagonal / fineness;
        let (time, made) = all_threads(|| stuffed(&surface, StuffingSettings { size }));
        let Stuffed { mesh, .. } = made.map_err(|error| error.to_string())?;
        println!("{}", row("pliant mesh", fineness, &mesh, (time, surface.volume())));
        if peer.is_ok() {
            let (time, mesh) = peer_mesh(&python, &path, &folder, 1.0 / fineness)?;
            println!("{}", row("pytetwild 0.4.2", fineness, &mesh, (time, surface.volume())));
        }
    }
    Ok(())
}

/// A ball with bumps.
fn surface() -> Result<Surface, String> {
    let (ball, _) = TetMesh::from_raw(ball(1.0, LAYERS).map_err(|error| error.to_string())?)
        .map_err(|error| error.to_string())?;
    let wave = |x: f64| libm::sin(WAVES * x);
    let bump = |p: Vec3| p * (1.0 + BUMPS * wave(p.x) * wave(p.y) * wave(p.z));
    let positions = ball.positions().iter().map(|p| bump(*p)).collect();
    let raw = RawMesh { positions, triangles: ball.surface().to_vec(), ..RawMesh::default() };
    Surface::from_raw(raw).map(|(surface, _)| surface).map_err(|error| error.to_string())
}

/// fTetWild on the file, its longest edge relative to the diagonal; CPU time, s, and its tets.
fn peer_mesh(
    python: &Path,
    surface: &Path,
    folder: &Path,
    edge: f64,
) -> Result<(f64, TetMesh), String> {
    let out = folder.join("peer.vtu");
    let mut command = Command::new(python.join("bin/python"));
    command.args(["-c", SCRIPT]).arg(surface).arg(&out).arg(edge.to_string());
    let reported = finished(&mut command)?;
    let last = reported.lines().last().unwrap_or_default();
    let time = last.trim().parse().map_err(|_| format!("pytetwild says {last:?}"))?;
    let raw = pliant_io::mesh::read(&out).map_err(|error| error.to_string())?.mesh;
    let (mesh, _) = TetMesh::from_raw(raw).map_err(|error| error.to_string())?;
    Ok((time, mesh))
}

fn row(name: &str, fineness: f64, mesh: &TetMesh, (time, volume): (f64, f64)) -> String {
    let (mut least, mut most) = (180.0_f64, 0.0_f64);
    for tet in mesh.tets() {
        let corners = tet.map(|v| mesh.positions()[v.index()]);
        for cosine in dihedral_cosines(corners).unwrap_or([1.0, -1.0, 1.0, -1.0, 1.0, -1.0]) {
            let angle = libm::acos(cosine.clamp(-1.0, 1.0)).to_degrees();
            (least, most) = (least.min(angle), most.max(angle));
        }
    }
    let tets = mesh.tets().len();
    format!(
        "| {name} | 1/{fineness} | {tets} | {least:.1}° to {most:.1}° | {:+.2} % | {time:.2} | {:.1} |",
        100.0 * (mesh.volume() / volume - 1.0),
        1e6 * time / tets as f64
    )
}
