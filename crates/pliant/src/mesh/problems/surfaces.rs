//! Problems of a triangle mesh taken as the surface of a body.

use crate::id::TriangleId;
use crate::mesh::manifold;
use crate::mesh::meeting::{self, Search};
use crate::mesh::overlap::{self, PartNesting};
use crate::mesh::problems::vertices::add_vertices;
use crate::mesh::problems::{Element, List, Problem, ProblemKind, no_such_vertex};
use crate::mesh::raw::RawMesh;
use crate::mesh::topology;
use crate::mesh::weld;

/// Every problem of the triangles of a mesh, errors first, each kind once.
///
/// Vertices at the same place count as one for all but themselves, since files
/// store them once per triangle or texture seam.
pub fn surface_problems(mesh: &RawMesh) -> Vec<Problem> {
    let (positions, vertex_count) = (&mesh.positions, mesh.positions.len());
    let element = |t| Element::Triangle(TriangleId(t));
    if let Some(problem) = no_such_vertex(vertex_count, &mesh.triangles, element) {
        return vec![problem];
    }
    let mut found = List::default();
    add_vertices(&mut found, positions, &mesh.triangles);

    let welded = weld::weld(positions, &mesh.triangles);
    let degenerate = manifold::degenerate(positions, &welded);
    // From here on triangles without area are out; `ids` leads back to the file.
    let has_area = |t: &usize| degenerate.binary_search(&TriangleId(*t as u32)).is_err();
    let ids: Vec<usize> = (0..welded.len()).filter(has_area).collect();
    let elements = degenerate.into_iter().map(Element::Triangle).collect();
    found.add(ProblemKind::DegenerateTriangles, elements);
    let mut triangles: Vec<_> = ids.iter().map(|&t| welded[t]).collect();
    let id = |t: u32| TriangleId(ids[t as usize] as u32);
    let element = |t: u32| Element::Triangle(id(t));

    let form = manifold::form(vertex_count, &triangles);
    found.add_form(&form);
    let winding = form.inconsistent.iter().map(|&edge| Element::Edge(edge)).collect();
    found.add(ProblemKind::InconsistentWinding, winding);
    found.add_parts(&topology::parts(vertex_count, &triangles), element);

    if !found.allows_search() {
        found.add_unfinished(Some(Element::Triangle(TriangleId(0))));
        return found.sorted();
    }
    let Search { found: meeting, mut ended_early } = meeting::meeting_pairs(positions, &triangles);
    if form.is_oriented() && !triangles.is_empty() {
        let all = || (0..triangles.len() as u32).map(element).collect();
        match overlap::signed_volume(positions, &triangles) {
            None => found.add(ProblemKind::NoVolume, all()),
            Some(volume) if volume < 0.0 => {
                found.add(ProblemKind::InvertedOrientation, all());
                manifold::turn(&mut triangles);
            }
            Some(_) => {}
        }
        let Search { found: standings, ended_early: early } =
            overlap::standings(positions, &triangles, &meeting);
        ended_early |= early;
        let these = |wanted: PartNesting| {
            let of_patch = standings.iter().filter(|(_, s)| *s == wanted);
            of_patch.map(|(t, _)| element(t.0)).collect()
        };
        found.add(ProblemKind::InvertedPieces, these(PartNesting::InvertedOrientation));
        found.add(ProblemKind::NestedPieces, these(PartNesting::Nested));
    }
    let meeting = meeting.into_iter().map(|pair| Element::Triangles(pair.map(|t| id(t.0))));
    found.add(ProblemKind::SelfOverlap, meeting.collect());
    found.add_unfinished(ended_early.then_some(Element::Triangle(TriangleId(0))));
    found.sorted()
}
