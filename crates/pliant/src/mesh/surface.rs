//! A checked triangle surface: the boundary of a body without tets.

use crate::id::{TriangleId, VertexId};
use crate::math::Vec3;
use crate::mesh::intersect::is_degenerate;
use crate::mesh::overlap::PartNesting;
use crate::mesh::problems::vertices::extreme_vertices;
use crate::mesh::raw::RawMesh;
use crate::mesh::{manifold, meeting, overlap, weld};

/// A closed triangle surface that is oriented outward.
///
/// Holds by construction: at least one triangle, none without area; every index within
/// range; coordinates finite; every edge has as many triangles one way as the other, at
/// vertices merged by position; positive volume, and no component inverted.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// As given, m; copies of a vertex stay, but no triangle uses them.
    positions: Vec<Vec3>,
    /// Corners, counter-clockwise seen from outside, at the first copy of each vertex.
    triangles: Vec<[VertexId; 3]>,
}

/// Why triangles do not bound a body.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SurfaceError {
    /// Nothing to bound a body with.
    #[error("no triangles")]
    NoTriangles,
    /// A corner that does not exist.
    #[error("triangle {triangle} names vertex {vertex}, there are {count}")]
    NoSuchVertex {
        /// First such triangle, counted from 0.
        triangle: usize,
        /// The corner.
        vertex: VertexId,
        /// Number of vertices given.
        count: usize,
    },
    /// A coordinate that is not finite.
    #[error("vertex {vertex} is at {position}, which is not finite")]
    NonFinite {
        /// First such vertex.
        vertex: VertexId,
        /// Its position, m.
        position: Vec3,
    },
    /// A coordinate for which exact signs do not hold.
    #[error("vertex {vertex} is at {position}: volumes overflow or vanish; change the unit")]
    Extreme {
        /// First such vertex.
        vertex: VertexId,
        /// Its position, m.
        position: Vec3,
    },
    /// A hole.
    #[error("the surface is open at edge {0}–{1}, {2} edges have an odd number of triangles", edge[0], edge[1], count)]
    Open {
        /// First open edge.
        edge: [VertexId; 2],
        /// Number of open edges.
        count: usize,
    },
    /// Neighbours that are wound inconsistently.
    #[error("both triangles at edge {0}–{1} run the same way, {2} edges have this", edge[0], edge[1], count)]
    InconsistentWinding {
        /// First such edge.
        edge: [VertexId; 2],
        /// Number of such edges.
        count: usize,
    },
    /// Nothing inside.
    #[error("the surface encloses no volume")]
    NoVolume,
    /// Components that are oriented inward while others are not.
    #[error("the piece with triangle {triangle} looks inward, {count} pieces do")]
    InsideOutPiece {
        /// First triangle of the first such component.
        triangle: TriangleId,
        /// Number of such components.
        count: usize,
    },
}

impl Surface {
    /// Merges copies of vertices, checks that the surface is closed, turns it outward.
    ///
    /// Returns a description of what it repaired.
    pub fn from_raw(raw: RawMesh) -> Result<(Surface, Option<String>), SurfaceError> {
        let RawMesh { positions, triangles, .. } = raw;
        check_corners(&positions, &triangles)?;
        let mut triangles = weld::weld(&positions, &triangles);
        triangles.retain(|t| !is_degenerate(t.map(|v| positions[v.index()])));
        let form = manifold::form(positions.len(), &triangles);
        if let Some(&edge) = form.open.first() {
            return Err(SurfaceError::Open { edge, count: form.open.len() });
        }
        if let Some(&edge) = form.inconsistent.first() {
            return Err(SurfaceError::InconsistentWinding { edge, count: form.inconsistent.len() });
        }
        let Some(volume) = overlap::signed_volume(&positions, &triangles) else {
            return Err(SurfaceError::NoVolume);
        };
        let repair = (volume < 0.0).then(|| {
            manifold::turn(&mut triangles);
            "the surface looked inward and has been turned around".to_string()
        });
        // Where a surface meets itself, the winding number is not constant: not judged there.
        let meeting = meeting::meeting_pairs(&positions, &triangles).found;
        let standings = overlap::standings(&positions, &triangles, &meeting).found;
        let mut inward = standings.iter().filter(|(_, s)| *s == PartNesting::InvertedOrientation);
        if let Some(&(triangle, _)) = inward.next() {
            return Err(SurfaceError::InsideOutPiece { triangle, count: 1 + inward.count() });
        }
        Ok((Surface { positions, triangles }, repair))
    }

    /// Vertices as given, m.
    pub fn positions(&self) -> &[Vec3] {
        &self.positions
    }

    /// Corners, counter-clockwise seen from outside.
    pub fn triangles(&self) -> &[[VertexId; 3]] {
        &self.triangles
    }

    /// Enclosed volume, m³.
    pub fn volume(&self) -> f64 {
        overlap::signed_volume(&self.positions, &self.triangles).unwrap_or(0.0)
    }
}

fn check_corners(positions: &[Vec3], triangles: &[[VertexId; 3]]) -> Result<(), SurfaceError> {
    if triangles.is_empty() {
        return Err(SurfaceError::NoTriangles);
    }
    let count = positions.len();
    for (triangle, corners) in triangles.iter().enumerate() {
        if let Some(&vertex) = corners.iter().find(|v| v.index() >= count) {
            return Err(SurfaceError::NoSuchVertex { triangle, vertex, count });
        }
    }
    if let Some(index) = positions.iter().position(|p| !p.is_finite()) {
        let vertex = VertexId(index as u32);
        return Err(SurfaceError::NonFinite { vertex, position: positions[index] });
    }
    if let Some(&vertex) = extreme_vertices(positions).first() {
        return Err(SurfaceError::Extreme { vertex, position: positions[vertex.index()] });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::topology::tet_face;

    /// A tet's surface with every corner stored three times, as STL does.
    fn soup() -> RawMesh {
        let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
        let faces = (0..4).map(|face| tet_face([0, 1, 2, 3].map(VertexId), face));
        let mut mesh = RawMesh::default();
        for face in faces {
            let next = mesh.positions.len() as u32;
            mesh.positions.extend(face.map(|v| corners[v.index()]));
            mesh.triangles.push([next, next + 1, next + 2].map(VertexId));
        }
        mesh
    }

    #[track_caller]
    fn refused(mesh: RawMesh, expected: &str) {
        assert_eq!(Surface::from_raw(mesh).unwrap_err().to_string(), expected);
    }

    #[test]
    fn a_soup_of_triangles_closes_when_merged() {
        let (surface, repair) = Surface::from_raw(soup()).unwrap();
        assert_eq!((surface.positions().len(), repair), (12, None));
        assert_eq!(surface.volume(), 1.0 / 6.0);
    }

    #[test]
    fn an_inward_surface_is_turned_and_told() {
        let mut mesh = soup();
        manifold::turn(&mut mesh.triangles);
        let (surface, repair) = Surface::from_raw(mesh).unwrap();
        assert_eq!(surface.volume(), 1.0 / 6.0);
        assert!(repair.unwrap().contains("turned around"));
    }

    #[test]
    fn faults_are_named_by_index_and_value() {
        refused(RawMesh::default(), "no triangles");
        let mut mesh = soup();
        mesh.triangles.truncate(3);
        refused(mesh, "the surface is open at edge 0–1, 3 edges have an odd number of triangles");
        let mut mesh = soup();
        manifold::turn(&mut mesh.triangles[..1]);
        refused(mesh, "both triangles at edge 0–1 run the same way, 3 edges have this");
        let mut mesh = soup();
        mesh.positions[5].z = f64::INFINITY;
        refused(mesh, "vertex 5 is at [0, 1, inf], which is not finite");
        let mut mesh = soup();
        mesh.triangles[1][0] = VertexId(99);
        refused(mesh, "triangle 1 names vertex 99, there are 12");
        let mut mesh = soup();
        for position in &mut mesh.positions {
            position.z = position.x + position.y;
        }
        refused(mesh, "the surface encloses no volume");
    }
}
