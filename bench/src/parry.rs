//! parry3d's closest-feature depth on the same bodies, the way that is fastest for it.
//!
//! Each step every body refits its tree from the new positions; then every vertex in the
//! box of another body is projected onto that body's surface, and the pseudo-normal at the
//! projection tells whether it is inside. Pairs of bodies and the vertices in their common
//! boxes are handed over for free. `TriMesh::set_vertices` would also work out all
//! pseudo-normals anew, through hash maps; here those that are asked for are.

use parry3d::bounding_volume::Aabb;
use parry3d::math::Vector;
use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhNode, BvhWorkspace};
use parry3d::query::{PointQuery, PointQueryWithLocation};
use parry3d::shape::{Triangle, TrianglePointLocation};
use pliant::body::Bodies;
use pliant::id::{BodyId, VertexId};
use pliant::math::Vec3;

use crate::scenes::Scene;

/// parry's side of a scene.
pub struct Parry<'a> {
    bodies: &'a Bodies,
    trees: Vec<Bvh>,
    /// What the last step found.
    pub found: Vec<Nearest>,
}

/// One set of positions, and what is given to parry for free.
pub struct Frame {
    /// Positions, m.
    positions: Vec<Vector>,
    /// Vertices and another body in whose box they are, body by body.
    candidates: Vec<(VertexId, BodyId)>,
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

impl Parry<'_> {
    /// Builds the trees, which later steps refit.
    pub fn new<'a>(scene: &'a Scene, frame: &Frame) -> Parry<'a> {
        let bodies = &scene.bodies;
        let mut workspace = BvhWorkspace::default();
        let trees = bodies.ids().map(|body| {
            let leaves = bodies.triangles_of(body).enumerate();
            let leaves = leaves.map(|(leaf, t)| (leaf, leaf_box(bodies, &frame.positions, t)));
            let mut tree = Bvh::from_iter(BvhBuildStrategy::Binned, leaves);
            // Puts the nodes in the order in which queries walk them.
            tree.refit(&mut workspace);
            tree
        });
        Parry { bodies, trees: trees.collect(), found: Vec::new() }
    }

    /// Refits the trees and finds the vertices inside other bodies.
    pub fn step(&mut self, frame: &Frame) {
        for (body, tree) in self.bodies.ids().zip(&mut self.trees) {
            for (leaf, triangle) in self.bodies.triangles_of(body).enumerate() {
                let around = leaf_box(self.bodies, &frame.positions, triangle);
                let _ = tree.insert_or_update_partially(around, leaf as u32, 0.0);
            }
            tree.refit_without_opt();
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
        let first = self.bodies.triangles_of(body).start;
        let (leaf, (_, (nearest, place))) = self.trees[body.index()].find_best(
            f32::MAX,
            |node: &BvhNode, _| node.aabb().distance_to_local_point(point, true),
            |leaf, _| {
                let triangle = corners(self.bodies, positions, first + leaf as usize);
                let found = triangle.project_local_point_and_get_location(point, true);
                Some(((found.0.point - point).length(), found))
            },
        )?;
        let way_out = nearest.point - point;
        let normal = self.pseudo_normal(positions, first + leaf as usize, place);
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
            _ => return corners(self.bodies, positions, triangle).scaled_normal(),
        };
        let mut sum = Vector::ZERO;
        for triangle in self.bodies.triangles_around().row(at.index()) {
            let face = self.bodies.triangles()[triangle.index()];
            let Some(normal) = corners(self.bodies, positions, triangle.index()).normal() else {
                continue;
            };
            match other {
                Some(other) if face.contains(&other) => sum += normal,
                Some(_) => {}
                None => sum += normal * angle(positions, face, at),
            }
        }
        sum
    }
}

/// Box of all vertices of a body, m.
fn around(bodies: &Bodies, positions: &[Vec3], body: BodyId) -> (Vec3, Vec3) {
    let points = positions[bodies.vertices(body)].iter();
    points.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), &p| (low.min(p), high.max(p)))
}

fn corners(bodies: &Bodies, positions: &[Vector], triangle: usize) -> Triangle {
    let [a, b, c] = bodies.triangles()[triangle].map(|v| positions[v.index()]);
    Triangle::new(a, b, c)
}

fn leaf_box(bodies: &Bodies, positions: &[Vector], triangle: usize) -> Aabb {
    corners(bodies, positions, triangle).local_aabb()
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
