//! parry's trees and projections, and nothing that the job does not need.
//!
//! Each step every mesh takes its new vertices, which refits its tree, as it is not declared
//! oriented; every vertex in the box of another body is projected onto that body's surface,
//! and a pseudo-normal decides whether it is inside. Only the pseudo-normals that are needed
//! are computed; pairs of bodies and the vertices in their common boxes cost nothing.

use parry3d::math::Vector;
use parry3d::query::PointQueryWithLocation;
use parry3d::shape::{TriMesh, TriMeshFlags, Triangle, TrianglePointLocation};
use pliant::body::Bodies;
use pliant::id::{BodyId, VertexId};

use crate::parry::{Frame, Nearest, meshes};

/// Meshes of all bodies.
pub struct Parts<'a> {
    bodies: &'a Bodies,
    meshes: Vec<TriMesh>,
    /// What the last step found.
    pub found: Vec<Nearest>,
}

impl Parts<'_> {
    /// Builds the meshes, which later steps update; `Err` when parry rejects one.
    pub fn new<'a>(bodies: &'a Bodies, frame: &Frame) -> Result<Parts<'a>, String> {
        let meshes = meshes(bodies, frame, TriMeshFlags::DEFORMABLE)?;
        Ok(Parts { bodies, meshes, found: Vec::new() })
    }

    /// Refits the trees and finds the vertices inside other bodies.
    pub fn step(&mut self, frame: &Frame) {
        for (body, mesh) in self.bodies.ids().zip(&mut self.meshes) {
            mesh.set_vertices(&frame.positions[self.bodies.vertices(body)]);
        }
        self.found.clear();
        for &(vertex, body) in &frame.candidates {
            let way_out = self.project(&frame.positions, vertex, body);
            self.found.extend(way_out.map(|way_out| Nearest { vertex, body, way_out }));
        }
    }

    /// The way from a vertex to the closest point of a body's surface, if it is inside.
    fn project(&self, positions: &[Vector], vertex: VertexId, body: BodyId) -> Option<Vector> {
        let point = positions[vertex.index()];
        let mesh = &self.meshes[body.index()];
        let (nearest, (leaf, place)) = mesh.project_local_point_and_get_location(point, false);
        let way_out = nearest.point - point;
        let triangle = self.bodies.triangles_of(body).start + leaf as usize;
        let normal = self.pseudo_normal(positions, triangle, place);
        (way_out.dot(normal) > 0.0).then_some(way_out)
    }

    /// Normal of the face, edge or vertex that is closest, of any length.
    fn pseudo_normal(
        &self,
        positions: &[Vector],
        triangle: usize,
        place: TrianglePointLocation,
    ) -> Vector {
        let ends = self.bodies.triangles()[triangle];
        let (at, other) = match place {
            TrianglePointLocation::OnVertex(i) => (ends[i as usize], None),
            TrianglePointLocation::OnEdge(0, _) => (ends[0], Some(ends[1])),
            TrianglePointLocation::OnEdge(1, _) => (ends[1], Some(ends[2])),
            TrianglePointLocation::OnEdge(..) => (ends[0], Some(ends[2])),
            _ => return corners(positions, ends).scaled_normal(),
        };
        let mut sum = Vector::ZERO;
        for triangle in self.bodies.triangles_around().row(at.index()) {
            let face = self.bodies.triangles()[triangle.index()];
            if other.is_some_and(|other| !face.contains(&other)) {
                continue;
            }
            if let Some(normal) = corners(positions, face).normal() {
                let weight = if other.is_some() { 1.0 } else { angle(positions, face, at) };
                sum += weight * normal;
            }
        }
        sum
    }
}

fn corners(positions: &[Vector], face: [VertexId; 3]) -> Triangle {
    let [a, b, c] = face.map(|v| positions[v.index()]);
    Triangle::new(a, b, c)
}

/// Angle of a face at one of its corners, rad.
fn angle(positions: &[Vector], face: [VertexId; 3], at: VertexId) -> f32 {
    let place = |v: VertexId| positions[v.index()];
    let [b, c] = match face {
        [a, b, c] if a == at => [b, c],
        [a, b, c] if b == at => [c, a],
        [a, b, _] => [a, b],
    };
    (place(b) - place(at)).angle_between(place(c) - place(at))
}
