//! Mesh files made into bodies that can be separated: a file each, or its connected parts.

use std::path::{Path, PathBuf};

use pliant::body::Mesh;
use pliant::id::VertexId;
use pliant::math::{Aabb, Vec3};
use pliant::mesh::overlap::signed_volume;
use pliant::mesh::raw::RawMesh;
use pliant::mesh::surface::Surface;
use pliant::mesh::tet::TetMesh;
use pliant::mesh::{topology, weld};
use pliant_io::mesh::MeshFile;
use pliant_io::mesh::parse::Format;
use pliant_io::printable::path_notice;

use super::Parts;
use crate::body_file::BodyFileError;
use crate::check::{Kind, nothing};

/// A mesh file and the bodies in it.
pub struct Source {
    /// As given.
    pub path: PathBuf,
    /// Where it is, links followed; none where that is not known.
    pub place: Option<PathBuf>,
    /// The file's stem; with a number where another file has the same.
    pub name: String,
    /// What it was read as.
    pub format: Format,
    /// All that it holds.
    pub raw: RawMesh,
    /// Its bodies.
    pub bodies: Vec<Part>,
}

/// A body: all of a file or a part of it.
pub struct Part {
    /// The name of the file, or that with `#` and a number.
    pub name: String,
    /// What passed the checks.
    pub sound: Sound,
    /// Number in the file of each vertex of the body.
    pub vertices: Vec<VertexId>,
    /// Triangle in the file of each of its triangles, where it is a surface; else empty.
    pub triangles: Vec<u32>,
}

/// A mesh that passed.
pub enum Sound {
    /// Tets.
    Tets(TetMesh),
    /// A closed surface.
    Surface(Surface),
}

impl Sound {
    /// For the engine.
    pub fn borrow(&self) -> Mesh<'_> {
        match self {
            Sound::Tets(mesh) => Mesh::Tets(mesh),
            Sound::Surface(mesh) => Mesh::Surface(mesh),
        }
    }

    /// Its vertices where the file has them.
    pub fn positions(&self) -> &[Vec3] {
        match self {
            Sound::Tets(mesh) => mesh.positions(),
            Sound::Surface(mesh) => mesh.positions(),
        }
    }

    /// Triangles of its surface.
    pub fn triangles(&self) -> &[[VertexId; 3]] {
        match self {
            Sound::Tets(mesh) => mesh.surface(),
            Sound::Surface(mesh) => mesh.triangles(),
        }
    }

    /// Tets or a surface.
    pub fn kind(&self) -> Kind {
        match self {
            Sound::Tets(_) => Kind::Tets,
            Sound::Surface(_) => Kind::Surface,
        }
    }
}

/// Reads all files, in the order given, with remarks on them; or why some are no bodies.
pub fn read(
    paths: &[PathBuf],
    parts: Parts,
) -> Result<(Vec<Source>, Vec<String>), Vec<BodyFileError>> {
    let (mut sources, mut notices): (Vec<Source>, _) = (Vec::new(), Vec::new());
    let mut errors = Vec::new();
    for path in paths {
        let (mut source, reported) = match read_one(path, parts) {
            Ok(read) => read,
            Err(error) => {
                errors.push(error);
                continue;
            }
        };
        let taken = |name: &str| sources.iter().any(|other| other.name == name);
        let stem = source.name.clone();
        let mut number = 2;
        while taken(&source.name) {
            source.name = format!("{stem}-{number}");
            number += 1;
        }
        for (number, part) in source.bodies.iter_mut().enumerate() {
            part.name = match parts {
                Parts::Whole => source.name.clone(),
                Parts::Each => format!("{}#{number}", source.name),
            };
        }
        notices.extend(reported.into_iter().map(|notice| format!("{}: {notice}", source.name)));
        sources.push(source);
    }
    notices.extend(repeated(&sources));
    notices.extend(identical(&sources));
    if errors.is_empty() { Ok((sources, notices)) } else { Err(errors) }
}

/// A remark on each file that was given more than once.
fn repeated(sources: &[Source]) -> Vec<String> {
    let of = |(k, source): (usize, &Source)| {
        let is_same = |other: &&Source| source.place.is_some() && other.place == source.place;
        if sources[..k].iter().any(|other| is_same(&other)) {
            return None;
        }
        let names: Vec<&str> =
            sources[k..].iter().filter(is_same).map(|source| source.name.as_str()).collect();
        let (path, count) = (source.path.display(), names.len());
        (count > 1).then(|| format!("{path}: given {count} times, as {}", names.join(", ")))
    };
    sources.iter().enumerate().filter_map(of).collect()
}

/// A remark on each body that lies exactly where an earlier one does.
fn identical(sources: &[Source]) -> Vec<String> {
    let parts: Vec<&Part> = sources.iter().flat_map(|source| &source.bodies).collect();
    let of = |(k, part): (usize, &&Part)| {
        let is_same = |other: &&&Part| other.sound.positions() == part.sound.positions();
        let other = parts[..k].iter().find(is_same)?;
        Some(format!("{} is an exact copy of {} in the same place", part.name, other.name))
    };
    parts.iter().enumerate().filter_map(of).collect()
}

fn read_one(path: &Path, parts: Parts) -> Result<(Source, Vec<String>), BodyFileError> {
    let MeshFile { name, format, mesh: mut raw } = pliant_io::mesh::read(path)?;
    let mut notices = std::mem::take(&mut raw.notices);
    notices.extend(path_notice(path));
    if raw.tets.is_empty() && raw.triangles.is_empty() {
        let message = nothing(&path.display().to_string(), &notices, raw.positions.len());
        return Err(BodyFileError::Nothing { message });
    }
    let groups = match parts {
        Parts::Whole => vec![(0..cells(&raw)).collect()],
        Parts::Each => components(&raw),
    };
    let mut bodies = Vec::new();
    for group in groups {
        let (part, repair) = part(path, &raw, &group, parts)?;
        notices.extend(repair);
        bodies.push(part);
    }
    let unused = unused(&raw, &bodies);
    if unused > 0 && parts == Parts::Each {
        notices.push(format!("{unused} vertices belong to no part and stay where they are"));
    }
    notices.dedup();
    Ok((
        Source {
            path: path.to_path_buf(),
            place: path.canonicalize().ok(),
            name,
            format,
            raw,
            bodies,
        },
        notices,
    ))
}

/// Cells that count: tets, or triangles where there are none.
fn cells(raw: &RawMesh) -> usize {
    if raw.tets.is_empty() { raw.triangles.len() } else { raw.tets.len() }
}

/// Vertices that no body has.
fn unused(raw: &RawMesh, bodies: &[Part]) -> usize {
    let mut used = vec![false; raw.positions.len()];
    bodies.iter().flat_map(|part| &part.vertices).for_each(|v| used[v.index()] = true);
    used.iter().filter(|used| !**used).count()
}

/// One body of a file, of some of its cells.
fn part(
    path: &Path,
    raw: &RawMesh,
    group: &[usize],
    parts: Parts,
) -> Result<(Part, Option<String>), BodyFileError> {
    let (mut mesh, vertices) = match parts {
        Parts::Whole => {
            let all = (0..raw.positions.len() as u32).map(VertexId).collect();
            (raw.clone(), all)
        }
        Parts::Each => taken(raw, group),
    };
    let path = path.to_path_buf();
    if !raw.tets.is_empty() {
        mesh.triangles.clear();
        let bad = |error| BodyFileError::Tets { path, error };
        let (mesh, repair) = TetMesh::from_raw(mesh).map_err(bad)?;
        let part =
            Part { name: String::new(), sound: Sound::Tets(mesh), vertices, triangles: vec![] };
        return Ok((part, repair));
    }
    let given = mesh.triangles.len();
    let numbers = kept_triangles(&mesh).into_iter().map(|k| group[k] as u32).collect();
    let bad = |error| BodyFileError::Surface { path, error };
    let (mesh, repair) = Surface::from_raw(mesh).map_err(bad)?;
    let flat = given - mesh.triangles().len();
    let left_out = (flat > 0)
        .then(|| format!("{flat} of {given} triangles have no area and are not looked at"));
    let sound = Sound::Surface(mesh);
    let part = Part { name: String::new(), sound, vertices, triangles: numbers };
    Ok((part, repair.or(left_out)))
}

/// Triangles with an area, by number: those that a surface keeps.
fn kept_triangles(mesh: &RawMesh) -> Vec<usize> {
    let at = |v: VertexId| mesh.positions.get(v.index()).copied().unwrap_or(Vec3::NAN);
    let area = |t: &[VertexId; 3]| {
        let [a, b, c] = t.map(at);
        a != b && b != c && c != a && (b - a).cross(c - a) != Vec3::ZERO
    };
    (0..mesh.triangles.len()).filter(|k| area(&mesh.triangles[*k])).collect()
}

/// Some cells of a mesh with their vertices, and the number that each vertex had.
fn taken(raw: &RawMesh, group: &[usize]) -> (RawMesh, Vec<VertexId>) {
    let mut vertices: Vec<VertexId> = match raw.tets.is_empty() {
        true => group.iter().flat_map(|k| raw.triangles[*k]).collect(),
        false => group.iter().flat_map(|k| raw.tets[*k]).collect(),
    };
    vertices.sort_unstable();
    vertices.dedup();
    let new = |v: VertexId| VertexId(vertices.partition_point(|other| *other < v) as u32);
    let mut mesh = RawMesh::default();
    match raw.tets.is_empty() {
        true => mesh.triangles = group.iter().map(|k| raw.triangles[*k].map(new)).collect(),
        false => {
            mesh.tets = group.iter().map(|k| raw.tets[*k].map(new)).collect();
            if !raw.regions.is_empty() {
                mesh.regions = group.iter().map(|k| raw.regions[*k]).collect();
            }
        }
    }
    let at = |v: &VertexId| raw.positions.get(v.index()).copied().unwrap_or(Vec3::NAN);
    mesh.positions = vertices.iter().map(at).collect();
    (mesh, vertices)
}

/// Cells of each connected part; a cavity belongs to the part that it is in.
fn components(raw: &RawMesh) -> Vec<Vec<usize>> {
    let count = raw.positions.len();
    let welded;
    let parts = match raw.tets.is_empty() {
        true => {
            welded = weld::weld(&raw.positions, &raw.triangles);
            topology::parts(count, &welded)
        }
        false => {
            welded = Vec::new();
            topology::parts(count, &raw.tets)
        }
    };
    let mut groups = vec![Vec::new(); parts.count];
    for (cell, part) in parts.of_cell.iter().enumerate() {
        groups[part.index()].push(cell);
    }
    if !welded.is_empty() {
        join_cavities(raw, &mut groups);
    }
    groups
}

/// Joins parts that look inward to the smallest part whose box is around theirs.
fn join_cavities(raw: &RawMesh, groups: &mut Vec<Vec<usize>>) {
    let triangles = |group: &[usize]| group.iter().map(|k| raw.triangles[*k]).collect::<Vec<_>>();
    let in_range = |t: &[VertexId; 3]| t.iter().all(|v| v.index() < raw.positions.len());
    if !raw.triangles.iter().all(in_range) {
        return;
    }
    let volume = |group: &[usize]| signed_volume(&raw.positions, &triangles(group)).unwrap_or(0.0);
    let volumes: Vec<f64> = groups.iter().map(|group| volume(group)).collect();
    // A file that looks inward as a whole is turned around later.
    let sign = if volumes.iter().sum::<f64>() < 0.0 { -1.0 } else { 1.0 };
    let boxes: Vec<Aabb> = groups
        .iter()
        .map(|group| {
            let corners = triangles(group).into_iter().flatten();
            Aabb::around(corners.map(|v| raw.positions[v.index()]))
        })
        .collect();
    for inner in 0..groups.len() {
        if sign * volumes[inner] >= 0.0 {
            continue;
        }
        let holds = |outer: &usize| {
            let (a, b) = (boxes[inner], boxes[*outer]);
            sign * volumes[*outer] > 0.0 && b.contains(a.min) && b.contains(a.max)
        };
        let size = |outer: &usize| volumes[*outer].abs();
        let holder = (0..groups.len()).filter(holds).min_by(|a, b| size(a).total_cmp(&size(b)));
        if let Some(holder) = holder {
            let cells = std::mem::take(&mut groups[inner]);
            groups[holder].extend(cells);
        }
    }
    groups.retain(|group| !group.is_empty());
    groups.iter_mut().for_each(|group| group.sort_unstable());
}
