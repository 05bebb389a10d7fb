//! Problems of a triangle mesh taken as the surface of a body.

use crate::id::TriangleId;
use crate::mesh::manifold;
use crate::mesh::overlap::{self, Standing};
use crate::mesh::problems::vertices::add_vertices;
use crate::mesh::problems::{Culprit, List, Problem, ProblemKind};
use crate::mesh::raw::RawMesh;
use crate::mesh::topology;
use crate::mesh::weld;

/// Every problem of the triangles of a mesh, errors first, each kind once.
///
/// Vertices at the same place count as one for all but themselves, since files
/// store them once per triangle or texture seam.
pub fn surface_problems(mesh: &RawMesh) -> Vec<Problem> {
    let (positions, vertex_count) = (&mesh.positions, mesh.positions.len());
    let mut found = List::default();
    add_vertices(&mut found, positions, &mesh.triangles);

    let mut triangles = weld::weld(positions, &mesh.triangles);
    let degenerate = manifold::degenerate(positions, &triangles);
    let culprits = degenerate.into_iter().map(Culprit::Triangle).collect();
    found.add(ProblemKind::DegenerateTriangles, culprits);
    let form = manifold::form(vertex_count, &triangles);
    found.add_form(&form);
    let winding = form.inconsistent.iter().map(|&edge| Culprit::Edge(edge)).collect();
    found.add(ProblemKind::InconsistentWinding, winding);
    let pieces = topology::parts(vertex_count, &triangles);
    let culprit = |cell| Culprit::Triangle(TriangleId(cell));
    found.add_parts(&pieces, culprit);

    let meeting = overlap::meeting_pairs(positions, &triangles);
    let mut overlaps: Vec<_> = meeting.into_iter().map(Culprit::Triangles).collect();
    if form.is_oriented() {
        if overlap::signed_volume(positions, &triangles) < 0.0 {
            let all = (0..triangles.len() as u32).map(culprit).collect();
            found.add(ProblemKind::InsideOut, all);
            manifold::turn(&mut triangles);
        }
        // Where surface runs through surface, pieces have no standing.
        if overlaps.is_empty() {
            let standings = overlap::standings(positions, &triangles, &pieces);
            let these = |wanted: Standing| {
                let of_piece = standings.iter().zip(pieces.first_cells());
                of_piece.filter(|(s, _)| **s == wanted).map(|(_, cell)| culprit(cell)).collect()
            };
            found.add(ProblemKind::InsideOutPieces, these(Standing::InsideOut));
            overlaps = these(Standing::Nested);
        }
    }
    found.add(ProblemKind::SelfOverlap, overlaps);
    found.sorted()
}
