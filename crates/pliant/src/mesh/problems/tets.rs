//! Problems of a tet mesh.

use crate::id::TetId;
use crate::math::Vec3;
use crate::mesh::overlap::{self, Standing};
use crate::mesh::problems::vertices::add_vertices;
use crate::mesh::problems::{Culprit, List, Problem, ProblemKind};
use crate::mesh::quality::Quality;
use crate::mesh::raw::RawMesh;
use crate::mesh::topology::{self, Boundary};
use crate::mesh::{manifold, quality};

/// Every problem of the tets of a mesh, errors first, each kind once.
///
/// Empty means nothing to remark. A mesh without tets has unreferenced vertices only.
pub fn tet_problems(mesh: &RawMesh) -> Vec<Problem> {
    let vertex_count = mesh.positions.len();
    let mut found = List::default();
    add_vertices(&mut found, &mesh.positions, &mesh.tets);

    let quality = quality::judge(&mesh.positions, &mesh.tets);
    let tets = |list: &[TetId]| list.iter().map(|&tet| Culprit::Tet(tet)).collect();
    let inverted = if quality.is_all_inverted() {
        ProblemKind::AllInverted
    } else {
        ProblemKind::InvertedTets
    };
    found.add(inverted, tets(&quality.inverted));
    found.add(ProblemKind::FlatTets, tets(&quality.flat));
    found.add(ProblemKind::SliverTets, tets(&quality.slivers));

    let boundary = topology::boundary(vertex_count, &mesh.tets);
    found.add(ProblemKind::CrowdedFaces, tets(&boundary.crowded));
    let parts = topology::parts(vertex_count, &mesh.tets);
    found.add_parts(&parts, |cell| Culprit::Tet(TetId(cell)));
    let form = manifold::form(vertex_count, &boundary.triangles);
    found.add_form(&form);

    let mut overlaps = meetings(&mesh.positions, &boundary);
    // Winding says nothing about open surfaces, nor where surface runs through surface.
    let one_way = quality.inverted.is_empty() || quality.is_all_inverted();
    if overlaps.is_empty() && form.open.is_empty() && one_way && quality.flat.is_empty() {
        overlaps = nested(&mesh.positions, &boundary, &quality);
    }
    found.add(ProblemKind::SelfOverlap, overlaps);
    found.sorted()
}

/// Tets on the same side of a face, and boundary triangles that meet.
fn meetings(positions: &[Vec3], boundary: &Boundary) -> Vec<Culprit> {
    let folded = boundary.folded.iter().map(|&pair| Culprit::Tets(pair));
    let meeting = overlap::meeting_pairs(positions, &boundary.triangles);
    folded.chain(meeting.into_iter().map(Culprit::Triangles)).collect()
}

/// The first tet of every closed piece of boundary that lies inside another.
fn nested(positions: &[Vec3], boundary: &Boundary, quality: &Quality) -> Vec<Culprit> {
    let mut triangles = boundary.triangles.clone();
    if quality.is_all_inverted() {
        manifold::turn(&mut triangles);
    }
    let pieces = topology::parts(positions.len(), &triangles);
    let standings = overlap::standings(positions, &triangles, &pieces);
    let of_piece = standings.iter().zip(pieces.first_cells());
    let inner = of_piece.filter(|(standing, _)| **standing == Standing::Nested);
    inner.map(|(_, triangle)| Culprit::Tet(boundary.tets[triangle as usize])).collect()
}
