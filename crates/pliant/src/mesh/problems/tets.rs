//! Problems of a tet mesh.

use crate::id::{TetId, TriangleId};
use crate::math::Vec3;
use crate::mesh::meeting::{self, Search};
use crate::mesh::overlap::{self, PartNesting};
use crate::mesh::problems::vertices::add_vertices;
use crate::mesh::problems::{Element, List, Problem, ProblemKind, no_such_vertex};
use crate::mesh::quality::Quality;
use crate::mesh::raw::RawMesh;
use crate::mesh::topology::{self, Boundary};
use crate::mesh::{manifold, quality};

/// Every problem of the tets of a mesh, errors first, each kind once.
///
/// Empty means no issues. A mesh without tets has unreferenced vertices only. When a tet
/// names a vertex that does not exist, nothing else is checked.
pub fn tet_problems(mesh: &RawMesh) -> Vec<Problem> {
    let vertex_count = mesh.positions.len();
    if let Some(problem) = no_such_vertex(vertex_count, &mesh.tets, |t| Element::Tet(TetId(t))) {
        return vec![problem];
    }
    let mut found = List::default();
    add_vertices(&mut found, &mesh.positions, &mesh.tets);

    let quality = quality::judge(&mesh.positions, &mesh.tets);
    let tets = |list: &[TetId]| list.iter().map(|&tet| Element::Tet(tet)).collect();
    let inverted = if quality.is_all_inverted() {
        ProblemKind::AllInverted
    } else {
        ProblemKind::InvertedTets
    };
    found.add(inverted, tets(&quality.inverted));
    found.add(ProblemKind::FlatTets, tets(&quality.flat));
    found.add(ProblemKind::SliverTets, tets(&quality.slivers));

    let boundary = topology::boundary(vertex_count, &mesh.tets);
    let shared = boundary.non_manifold.iter().map(|&face| Element::Face(face)).collect();
    found.add(ProblemKind::NonManifoldFaces, shared);
    let one_way = quality.inverted.is_empty() || quality.is_all_inverted();
    if one_way {
        let folded = boundary.folded.iter().map(|&pair| Element::Tets(pair)).collect();
        found.add(ProblemKind::OverlappingTets, folded);
    }
    let parts = topology::parts(vertex_count, &mesh.tets);
    found.add_parts(&parts, |cell| Element::Tet(TetId(cell)));
    let form = manifold::form(vertex_count, &boundary.triangles);
    found.add_form(&form);

    if !found.allows_search() {
        found.add_unfinished(Some(Element::Tet(TetId(0))));
        return found.sorted();
    }
    let Search { found: meeting, mut ended_early } =
        meeting::meeting_pairs(&mesh.positions, &boundary.triangles);
    // Winding says nothing about surfaces that are open or inconsistently wound.
    if form.is_oriented() && one_way {
        let nested = nested(&mesh.positions, &boundary, &quality, &meeting);
        ended_early |= nested.ended_early;
        found.add(ProblemKind::NestedPieces, nested.found);
    }
    let owners = |pair: [TriangleId; 2]| Element::Tets(pair.map(|t| boundary.tets[t.index()]));
    found.add(ProblemKind::SelfOverlap, meeting.into_iter().map(owners).collect());
    found.add_unfinished(ended_early.then_some(Element::Tet(TetId(0))));
    found.sorted()
}

/// The first tet of every patch of boundary that lies inside another.
fn nested(
    positions: &[Vec3],
    boundary: &Boundary,
    quality: &Quality,
    meeting: &[[TriangleId; 2]],
) -> Search<Element> {
    let mut triangles = boundary.triangles.clone();
    if quality.is_all_inverted() {
        manifold::turn(&mut triangles);
    }
    let standings = overlap::standings(positions, &triangles, meeting);
    let inner = standings.found.iter().filter(|(_, standing)| *standing == PartNesting::Nested);
    let found = inner.map(|(triangle, _)| Element::Tet(boundary.tets[triangle.index()])).collect();
    Search { found, ended_early: standings.ended_early }
}
