//! What of a run's bodies is drawn: only these vertices travel.

use std::ops::Range;

use pliant_scene::loaded::{BodyInfo, RunInfo};

/// The drawn part of a run's bodies, numbered anew without what is inside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DrawnMesh {
    /// Vertex of the recording, of each drawn vertex.
    pub source: Vec<u32>,
    /// Bodies, in order.
    pub bodies: Vec<DrawnBody>,
}

/// One body in the numbers of the drawn vertices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DrawnBody {
    /// Its first vertex.
    pub first: usize,
    /// Its vertices.
    pub count: usize,
    /// Corners.
    pub triangles: Vec<[u32; 3]>,
    /// Rings of an outline.
    pub rings: Vec<Vec<u32>>,
    /// Edges of a body without triangles.
    pub edges: Vec<[u32; 2]>,
}

/// Vertices that triangles, rings or edges name; all of a body that has none of them.
///
/// What names a vertex that the recording does not have is left out.
pub fn drawn(info: &RunInfo, vertices: usize) -> DrawnMesh {
    let mut mesh = DrawnMesh::default();
    let mut number = vec![u32::MAX; vertices];
    let bodies_end = vertices.saturating_sub(info.carried_vertices());
    for (index, body) in info.bodies.iter().enumerate() {
        let fine = info.carried_range(index, bodies_end);
        let own = fine.unwrap_or(body.vertices.clone());
        let kept = kept(body, own.start..own.end.min(vertices));
        let first = mesh.source.len();
        for &vertex in &kept.vertices {
            number[vertex as usize] = mesh.source.len() as u32;
            mesh.source.push(vertex);
        }
        let renamed = |v: u32| number[v as usize];
        mesh.bodies.push(DrawnBody {
            first,
            count: kept.vertices.len(),
            triangles: kept.triangles.iter().map(|t| t.map(renamed)).collect(),
            rings: kept.rings.iter().map(|r| r.iter().map(|v| renamed(*v)).collect()).collect(),
            edges: kept.edges.iter().map(|e| e.map(renamed)).collect(),
        });
    }
    mesh
}

/// What of a body is drawn, in the numbers of frames as read.
#[derive(Default)]
struct Kept {
    vertices: Vec<u32>,
    triangles: Vec<[u32; 3]>,
    rings: Vec<Vec<u32>>,
    edges: Vec<[u32; 2]>,
}

/// Of another body a vertex would have two numbers: only its `own` ones count.
fn kept(body: &BodyInfo, own: Range<usize>) -> Kept {
    let here = |v: &u32| own.contains(&(*v as usize));
    let mut kept = Kept {
        triangles: body.triangles.iter().filter(|t| t.iter().all(here)).copied().collect(),
        rings: body.rings.iter().filter(|r| r.iter().all(here)).cloned().collect(),
        ..Kept::default()
    };
    if kept.triangles.is_empty() {
        kept.edges = body.edges.iter().filter(|e| e.iter().all(here)).copied().collect();
    }
    let corners = kept.triangles.iter().flatten().chain(kept.rings.iter().flatten());
    let mut named: Vec<u32> = corners.chain(kept.edges.iter().flatten()).copied().collect();
    if named.is_empty() {
        named = own.map(|v| v as u32).collect();
    }
    named.sort_unstable();
    named.dedup();
    kept.vertices = named;
    kept
}
