//! parry3d's closest-feature depth on the same bodies, in two ways.
//!
//! `whole` is what a user of parry writes with its defaults; `parts` is as little as the job
//! needs, put together from parry's components, with the candidates given for free. Both use
//! f32, parry's default.

use parry3d::math::Vector;
use parry3d::shape::{TriMesh, TriMeshFlags};
use pliant::body::Bodies;
use pliant::id::{BodyId, VertexId};
use pliant::math::Vec3;

pub mod parts;

pub mod whole;

/// One set of positions, and what parry may be given for free.
pub struct Frame {
    /// Positions, m.
    pub positions: Vec<Vector>,
    /// Vertices and another body in whose box they are, ordered by that body.
    pub candidates: Vec<(VertexId, BodyId)>,
}

/// The closest feature of a body to a vertex inside of it.
pub struct Nearest {
    /// The vertex.
    pub vertex: VertexId,
    /// The body that holds it.
    pub body: BodyId,
    /// To the surface, m; its length is the depth.
    pub way_out: Vector,
}

impl Frame {
    /// Rounds positions to parry's numbers and finds the candidates among them.
    pub fn new(bodies: &Bodies, positions: &[Vec3]) -> Frame {
        let boxes: Vec<_> = bodies.ids().map(|body| around(bodies, positions, body)).collect();
        let mut candidates = Vec::new();
        for body in bodies.ids() {
            let its = boxes[body.index()];
            for other in bodies.ids().filter(|&other| other != body) {
                let own = boxes[other.index()];
                let (low, high) = (own.0.max(its.0), own.1.min(its.1));
                if low.cmple(high).all() {
                    let inside = |v: &usize| {
                        low.cmple(positions[*v]).all() && positions[*v].cmple(high).all()
                    };
                    let vertices = bodies.vertices(other).filter(inside);
                    candidates.extend(vertices.map(|v| (VertexId(v as u32), body)));
                }
            }
        }
        let rounded = |p: &Vec3| Vector::new(p.x as f32, p.y as f32, p.z as f32);
        Frame { positions: positions.iter().map(rounded).collect(), candidates }
    }
}

/// Box of all vertices of a body, m.
fn around(bodies: &Bodies, positions: &[Vec3], body: BodyId) -> (Vec3, Vec3) {
    let points = positions[bodies.vertices(body)].iter();
    points.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), &p| (low.min(p), high.max(p)))
}

/// A mesh for each body; `Err` when parry rejects one.
fn meshes(bodies: &Bodies, frame: &Frame, flags: TriMeshFlags) -> Result<Vec<TriMesh>, String> {
    let mesh = |body| {
        let vertices = bodies.vertices(body);
        let local = |v: VertexId| v.0 - vertices.start as u32;
        let triangles = bodies.triangles()[bodies.triangles_of(body)].iter();
        let triangles = triangles.map(|corners| corners.map(local)).collect();
        TriMesh::with_flags(frame.positions[vertices.clone()].to_vec(), triangles, flags)
    };
    bodies.ids().map(mesh).collect::<Result<_, _>>().map_err(|error| error.to_string())
}
