//! Every mesh of the data folder against what other programs found in it.

use std::collections::BTreeMap;
use std::path::Path;

use pliant::math::tet_volume;
use pliant::mesh::problems::{Problem, ProblemKind, surface_problems, tet_problems};
use pliant::mesh::raw::RawMesh;
use pliant::mesh::{overlap, quality, topology, weld};

use crate::data;

/// Volumes in the manifest have nine digits.
const VOLUME_TOLERANCE: f64 = 1e-8;

/// Angles in the manifest have two decimals, deg.
const ANGLE_TOLERANCE: f64 = 0.0051;

/// One row of `manifest.csv`, by column.
type Row = BTreeMap<String, String>;

fn rows(folder: &Path, kinds: &[&str]) -> Vec<Row> {
    let text = std::fs::read_to_string(folder.join("manifest.csv")).unwrap();
    let mut lines = text.lines().map(cells);
    let head = lines.next().unwrap();
    let all = lines.map(|line| head.iter().cloned().zip(line).collect::<Row>());
    all.filter(|row| kinds.iter().any(|kind| row["path"].starts_with(kind))).collect()
}

/// Splits a line of CSV; commas inside quotes stay.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            c => cells.last_mut().unwrap().push(c),
        }
    }
    cells
}

fn expected(row: &Row, column: &str) -> usize {
    row[column].parse().unwrap_or_else(|_| panic!("{}: {column} {:?}", row["path"], row[column]))
}

fn count(problems: &[Problem], kind: ProblemKind) -> usize {
    problems.iter().find(|problem| problem.kind == kind).map_or(0, |problem| problem.count)
}

#[track_caller]
fn agree(row: &Row, column: &str, found: usize) {
    assert_eq!(found, expected(row, column), "{}: {column}", row["path"]);
}

#[test]
fn tet_meshes_have_the_counts_that_others_found() {
    let Some(folder) = data::folder("tet meshes of the manifest") else { return };
    let rows = rows(&folder, &["tet/", "tet-generated/"]);
    for row in &rows {
        let path = folder.join(&row["path"]);
        let mesh = pliant_io::mesh::read(&path).unwrap_or_else(|error| panic!("{error}")).mesh;
        check_tets(row, &mesh);
    }
    assert_eq!(rows.len(), 33); // 31 meshes, two of them pairs of files
}

fn check_tets(row: &Row, mesh: &RawMesh) {
    agree(row, "vertices", mesh.positions.len());
    agree(row, "tets", mesh.tets.len());
    let boundary = topology::boundary(mesh.positions.len(), &mesh.tets);
    agree(row, "boundary_triangles", boundary.triangles.len());
    let mut corners: Vec<_> = boundary.triangles.iter().flatten().collect();
    corners.sort_unstable();
    corners.dedup();
    agree(row, "boundary_vertices", corners.len());
    agree(row, "bodies", topology::parts(mesh.positions.len(), &mesh.tets).count);

    let problems = tet_problems(mesh);
    let inverted = [ProblemKind::InvertedTets, ProblemKind::AllInverted];
    agree(row, "inverted_tets", inverted.map(|kind| count(&problems, kind)).iter().sum());
    agree(row, "zero_volume_tets", count(&problems, ProblemKind::FlatTets));
    agree(row, "unreferenced_vertices", count(&problems, ProblemKind::UnreferencedVertices));
    agree(row, "open_edges", count(&problems, ProblemKind::OpenEdges));
    agree(row, "nonmanifold_edges", count(&problems, ProblemKind::NonManifoldEdges));
    agree(row, "nonmanifold_vertices", count(&problems, ProblemKind::NonManifoldVertices));
    agree(row, "self_intersecting_pairs", count(&problems, ProblemKind::SelfOverlap));

    let corners = |tet: &[pliant::id::VertexId; 4]| tet.map(|v| mesh.positions[v.index()]);
    let volume: f64 = mesh.tets.iter().map(|tet| tet_volume(corners(tet)).abs()).sum();
    close(row, "volume", volume, VOLUME_TOLERANCE);
    let cosines = mesh.tets.iter().filter_map(|tet| quality::dihedral_cosines(corners(tet)));
    let sharpest = cosines.flatten().fold(-1.0, f64::max);
    let angle = libm::acos(sharpest).to_degrees();
    let stated: f64 = row["min_dihedral_deg"].parse().unwrap();
    assert!((angle - stated).abs() < ANGLE_TOLERANCE, "{}: {angle}° {stated}°", row["path"]);
}

#[track_caller]
fn close(row: &Row, column: &str, found: f64, tolerance: f64) {
    let stated: f64 = row[column].parse().unwrap();
    let error = (found - stated).abs() / stated.abs();
    assert!(error < tolerance, "{}: {column} {found}, stated {stated}", row["path"]);
}

#[test]
fn surfaces_have_the_counts_that_others_found() {
    let Some(folder) = data::folder("surfaces of the manifest") else { return };
    let rows = rows(&folder, &["surface/"]);
    for row in &rows {
        let path = folder.join(&row["path"]);
        let mesh = pliant_io::mesh::read(&path).unwrap_or_else(|error| panic!("{error}")).mesh;
        // The manifest counts these two as split by texture; their files hold each once.
        let split = ["surface/plate_8in.obj", "surface/spot_low.obj"].contains(&&*row["path"]);
        let column = if split { "vertices_merged" } else { "vertices" };
        agree(row, column, mesh.positions.len());
        agree(row, "triangles", mesh.triangles.len());
        let firsts = weld::first_copies(&mesh.positions);
        let own = firsts.iter().enumerate().filter(|(index, first)| *index == first.index());
        agree(row, "vertices_merged", own.count());

        let problems = surface_problems(&mesh);
        agree(row, "open_edges", count(&problems, ProblemKind::OpenEdges));
        agree(row, "nonmanifold_edges", count(&problems, ProblemKind::NonManifoldEdges));
        agree(row, "nonmanifold_vertices", count(&problems, ProblemKind::NonManifoldVertices));
        // A triangle and its mirror image on the same corners meet; the manifest passes them over.
        let meeting = count(&problems, ProblemKind::SelfOverlap) - doubled(&mesh);
        agree(row, "self_intersecting_pairs", meeting);
        agree(row, "bodies", count(&problems, ProblemKind::SeveralParts).max(1));
        let turned = [ProblemKind::InvertedOrientation, ProblemKind::InvertedPieces];
        assert_eq!(turned.map(|kind| count(&problems, kind)), [0, 0], "{}", row["path"]);
        if expected(row, "open_edges") == 0 {
            let volume = overlap::signed_volume(&mesh.positions, &mesh.triangles);
            close(row, "volume", volume.unwrap().abs(), VOLUME_TOLERANCE);
        }
    }
    assert_eq!(rows.len(), 29);
}

/// Triangles on the same three corners as an earlier one.
fn doubled(mesh: &RawMesh) -> usize {
    let mut corners: Vec<_> = mesh.triangles.clone();
    corners.iter_mut().for_each(|triangle| triangle.sort_unstable());
    corners.sort_unstable();
    corners.windows(2).filter(|pair| pair[0] == pair[1]).count()
}

#[test]
fn cells_keep_quoted_commas() {
    assert_eq!(cells("a,\"b, c\",,d"), ["a", "b, c", "", "d"]);
}
