//! How deep drawn vertices are inside other bodies, frame by frame.
//!
//! The recording knows surfaces, not tets, so depth is the way to the nearest point of the
//! surfaces that a vertex is inside of: the measure of `max_depth` in `series.csv`.

use pliant::body::{Bodies, Mesh};
use pliant::depth::fused::Scratch;
use pliant::depth::nearest::{Closest, Nearest};
use pliant::detect::Overlaps;
use pliant::id::VertexId;
use pliant::math::Vec3;
use pliant::mesh::raw::RawMesh;
use pliant::mesh::surface::Surface;

use super::mesh::DrawnMesh;

/// A drawn vertex inside another body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inside {
    /// In the numbers of the drawn vertices.
    pub vertex: u32,
    /// Way out, m.
    pub depth: f64,
    /// Unit vector, world space.
    pub direction: Vec3,
}

/// Finds penetrating vertices between bodies with closed surfaces.
pub struct DepthSearch {
    bodies: Bodies,
    /// Drawn vertex of each vertex of `bodies`.
    source: Vec<u32>,
    scratch: Scratch,
    nearest: Nearest,
    overlaps: Overlaps,
    found: Vec<Closest>,
}

impl DepthSearch {
    /// For bodies at their first positions; `None` with fewer than two closed surfaces.
    pub fn new(mesh: &DrawnMesh, positions: &[Vec3]) -> Option<DepthSearch> {
        let (mut surfaces, mut source) = (Vec::new(), Vec::new());
        for body in &mesh.bodies {
            let range = body.first..body.first + body.count;
            let own = |v: u32| VertexId(v - body.first as u32);
            let raw = RawMesh {
                positions: positions[range.clone()].to_vec(),
                triangles: body.triangles.iter().map(|t| t.map(own)).collect(),
                ..RawMesh::default()
            };
            if let Ok((surface, _)) = Surface::from_raw(raw) {
                source.extend(range.map(|v| v as u32));
                surfaces.push(surface);
            }
        }
        if surfaces.len() < 2 {
            return None;
        }
        let meshes: Vec<Mesh<'_>> = surfaces.iter().map(Mesh::Surface).collect();
        let bodies = Bodies::from_meshes(&meshes).ok()?;
        let own: Vec<Vec3> = source.iter().map(|v| positions[*v as usize]).collect();
        let scratch = Scratch::new(&own, &bodies).ok()?;
        let nearest = Nearest::new(&own, &bodies).ok()?;
        let (overlaps, found) = (Overlaps::default(), Vec::new());
        Some(DepthSearch { bodies, source, scratch, nearest, overlaps, found })
    }

    /// Vertices deeper than `least`, m, ascending.
    pub fn at(&mut self, positions: &[Vec3], least: f64) -> Vec<Inside> {
        let own: Vec<Vec3> = self.source.iter().map(|v| positions[*v as usize]).collect();
        let searched =
            self.scratch.overlaps(&own, &self.bodies, &mut self.overlaps).and_then(|()| {
                self.nearest.penetrations(&own, &self.bodies, &self.overlaps, &mut self.found)
            });
        if searched.is_err() {
            return Vec::new();
        }
        let inside = self.found.iter().map(|closest| Inside {
            vertex: self.source[closest.vertex.index()],
            depth: closest.penetration.depth,
            direction: closest.penetration.direction,
        });
        inside.filter(|inside| inside.depth > least).collect()
    }
}
