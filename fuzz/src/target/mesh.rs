//! Mesh files: what is read can be written in every format, and comes back.

use std::path::Path;

use pliant::mesh::problems::{surface_problems, tet_problems};
use pliant::mesh::raw::RawMesh;
use pliant_io::mesh::parse::{Parsed, medit, msh, obj, off, ply, stl, tetgen, veg, vtk, vtu};
use pliant_io::mesh::write::{self, Encoding, vtu::VtuEncoding};

use super::{Memory, Reading, Target, mesh_seeds as seeds, same, two_files};
use crate::judge::message_problem;

/// Vertices of a mesh that is looked into for problems at most.
const MOST_CHECKED: usize = 3000;

/// A target for every format, and one for what `pliant check` does with a mesh.
pub const ALL: [Target; 11] = [
    Target {
        ending: "vtk",
        seeds: seeds::vtk,
        ..target("vtk", |input, _| mesh(input, vtk::parse(input)))
    },
    Target {
        ending: "vtu",
        seeds: seeds::vtu,
        ..target("vtu", |input, _| mesh(input, vtu::parse(input)))
    },
    Target {
        ending: "msh",
        seeds: seeds::msh,
        ..target("msh", |input, _| mesh(input, msh::parse(input)))
    },
    Target {
        ending: "mesh",
        seeds: seeds::medit,
        ..target("medit", |input, _| mesh(input, medit::parse(input)))
    },
    Target { seeds: seeds::tetgen, ..target("tetgen", |input, _| mesh(input, tetgen_pair(input))) },
    Target {
        ending: "veg",
        seeds: seeds::veg,
        ..target("veg", |input, _| mesh(input, veg_pair(input)))
    },
    Target {
        ending: "obj",
        seeds: seeds::obj,
        ..target("obj", |input, _| mesh(input, obj::parse(input)))
    },
    Target {
        ending: "stl",
        seeds: seeds::stl,
        ..target("stl", |input, _| mesh(input, stl::parse(input)))
    },
    Target {
        ending: "ply",
        seeds: seeds::ply,
        ..target("ply", |input, _| mesh(input, ply::parse(input)))
    },
    Target {
        ending: "off",
        seeds: seeds::off,
        ..target("off", |input, _| mesh(input, off::parse(input)))
    },
    Target { ending: "obj", seeds: seeds::check, ..target("check", check) },
];

const fn target(name: &'static str, read: super::Read) -> Target {
    Target { name, seeds: Vec::new, ending: "", repair: None, memory: Memory::SMALL, read }
}

fn mesh(input: &[u8], parsed: Parsed<RawMesh>) -> Reading {
    let size = input.len();
    match parsed {
        Err(error) => Reading::Refused(error.to_string()),
        Ok(mesh) => Reading::Accepted(Box::new(move || is_sound(&mesh, size))),
    }
}

/// Whether a mesh keeps the promises of its type, and survives a file.
fn is_sound(mesh: &RawMesh, choice: usize) -> Result<(), String> {
    let count = mesh.positions.len();
    let named = mesh.tets.iter().flatten().chain(mesh.triangles.iter().flatten());
    if let Some(vertex) = named.into_iter().find(|vertex| vertex.0 as usize >= count) {
        return Err(format!("vertex {} of {count} is named", vertex.0));
    }
    if mesh.regions.len() != mesh.tets.len() {
        return Err(format!("{} regions of {} tets", mesh.regions.len(), mesh.tets.len()));
    }
    if let Some(problem) = mesh.notices.iter().find_map(|notice| message_problem(notice)) {
        return Err(format!("a notice is wrong: {problem}"));
    }
    if !mesh.positions.iter().all(|point| point.is_finite()) {
        return Ok(());
    }
    if mesh.tets.is_empty() {
        let again = obj::parse(&write::obj::write(&mesh.positions, &mesh.triangles));
        let again = again.map_err(|error| format!("its OBJ is refused: {error}"))?;
        same("position", &mesh.positions, &again.positions)?;
        return same("triangle", &mesh.triangles, &again.triangles);
    }
    let again = written(mesh, choice).map_err(|error| format!("its file is refused: {error}"))?;
    same("position", &mesh.positions, &again.positions)?;
    same("tet", &mesh.tets, &again.tets)?;
    same("region", &mesh.regions, &again.regions)
}

/// The mesh through one of the formats that are written.
fn written(mesh: &RawMesh, choice: usize) -> Parsed<RawMesh> {
    let (points, tets, regions) = (&mesh.positions, &mesh.tets, &mesh.regions);
    let encoding = if choice.is_multiple_of(2) { Encoding::Ascii } else { Encoding::Binary };
    let of_vtu =
        [VtuEncoding::Ascii, VtuEncoding::Base64, VtuEncoding::Appended, VtuEncoding::Zlib];
    // Regions that MSH has no number for go through another format.
    let msh = write::msh::write(points, tets, regions, encoding);
    match (choice / 2 % 3, msh) {
        (0, _) => vtk::parse(&write::vtk::write(points, tets, regions, encoding)),
        (1, Ok(msh)) => msh::parse(&msh),
        _ => vtu::parse(&write::vtu::write(points, tets, regions, of_vtu[choice / 6 % 4])),
    }
}

fn tetgen_pair(input: &[u8]) -> Parsed<RawMesh> {
    let (nodes, elements) = two_files(input);
    tetgen::parse_elements(elements, tetgen::parse_nodes(nodes)?)
}

/// A file, and the one that it includes by whatever name.
fn veg_pair(input: &[u8]) -> Parsed<RawMesh> {
    let (file, included) = two_files(input);
    veg::parse(file, &mut |_| Some(included.to_vec()))
}

/// All that `pliant check` looks for, in a mesh from OBJ or legacy VTK.
fn check(input: &[u8], _: &Path) -> Reading {
    let parsed = if input.starts_with(b"#") { vtk::parse(input) } else { obj::parse(input) };
    let mesh = match parsed {
        Ok(mesh) if mesh.positions.len() <= MOST_CHECKED => mesh,
        Ok(mesh) => return Reading::Refused(format!("{} vertices", mesh.positions.len())),
        Err(error) => return Reading::Refused(error.to_string()),
    };
    let problems = if mesh.tets.is_empty() { surface_problems(&mesh) } else { tet_problems(&mesh) };
    Reading::Accepted(Box::new(move || {
        let bad = problems.iter().find_map(|problem| message_problem(&format!("{problem:?}")));
        bad.map_or(Ok(()), |bad| Err(format!("a problem is described wrongly: {bad}")))
    }))
}
