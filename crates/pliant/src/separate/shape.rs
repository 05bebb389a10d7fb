//! A body as its separation sees it: a closed surface that is placed anew again and again.

use crate::body::Mesh;
use crate::contact::translation::ClosedSurface;
use crate::id::VertexId;
use crate::math::{Aabb, Vec3};
use crate::mesh::bvh::Bvh;
use crate::mesh::overlap::signed_volume;
use crate::mesh::ray::PreparedRay;
use crate::mesh::topology;

/// Directions of rays that decide what is inside; any would do, as ties are broken exactly.
const RAY: Vec3 = Vec3::new(0.577, 0.211, 0.789);

/// What does not change while a body is moved.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    /// Corners of the surface, counted in the body, counter-clockwise seen from outside.
    pub triangles: Vec<[VertexId; 3]>,
    /// Edges of these triangles.
    pub edges: Vec<[VertexId; 2]>,
    /// For each triangle, a bit for each of its edges that no triangle before it has.
    owned: Vec<u8>,
    /// Corners of these triangles, ascending.
    pub vertices: Vec<VertexId>,
    /// One vertex of each connected component of the surface.
    pub components: Vec<VertexId>,
    /// Enclosed volume, m³; above 0.
    pub volume: f64,
    /// Longest side of the box around the surface, m.
    pub size: f64,
}

/// A shape somewhere, with what speeds up queries.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    /// Of all vertices of the body, m.
    pub positions: Vec<Vec3>,
    /// Corners of the triangles, m.
    pub faces: Vec<[Vec3; 3]>,
    /// Around the surface, m.
    pub around: Aabb,
    /// Around each triangle, enlarged by `reach` to all sides, m.
    pub tree: Bvh,
    /// m.
    pub reach: f64,
}

impl Shape {
    /// The surface of a mesh at some positions; `None` where there is none, or it has no volume.
    pub(crate) fn new(mesh: Mesh<'_>, positions: &[Vec3]) -> Option<Shape> {
        let triangles = match mesh {
            Mesh::Tets(mesh) => mesh.surface().to_vec(),
            Mesh::Surface(mesh) => mesh.triangles().to_vec(),
            Mesh::SpringNetwork(..) | Mesh::Particles(_) | Mesh::Outline(..) => return None,
        };
        let mut vertices: Vec<VertexId> = triangles.iter().flatten().copied().collect();
        vertices.sort_unstable();
        vertices.dedup();
        let around = Aabb::around(vertices.iter().map(|v| positions[v.index()]));
        let volume = signed_volume(positions, &triangles)?;
        let edges = topology::edges(positions.len(), &triangles);
        let shape = Shape {
            owned: owned(&edges, &triangles),
            edges,
            components: components(positions.len(), &triangles),
            vertices,
            volume: volume.abs(),
            size: around.size().max_element(),
            triangles,
        };
        Some(shape)
    }

    /// Whether the edge from a corner of a triangle to the next is one of no triangle before it.
    pub(crate) fn owns(&self, triangle: usize, corner: usize) -> bool {
        self.owned[triangle] >> corner & 1 == 1
    }

    /// The shape at some positions; queries reach as far as said, m.
    pub(crate) fn placed(&self, positions: Vec<Vec3>, reach: f64) -> Placed {
        let faces: Vec<_> =
            self.triangles.iter().map(|t| t.map(|v| positions[v.index()])).collect();
        let boxes: Vec<_> = faces.iter().map(|face| enlarged(Aabb::around(*face), reach)).collect();
        let around = Aabb::around(faces.iter().flatten().copied());
        Placed { positions, faces, around, tree: Bvh::new(&boxes), reach }
    }

    /// The surface for the search of translations.
    pub(crate) fn surface<'a>(&'a self, placed: &'a Placed) -> ClosedSurface<'a, [VertexId; 2]> {
        let Placed { positions, faces, .. } = placed;
        ClosedSurface { positions, vertices: &self.vertices, edges: &self.edges, faces }
    }
}

impl Placed {
    /// Moves the body to other positions, m, without building the tree anew.
    pub(crate) fn put(&mut self, shape: &Shape, positions: Vec<Vec3>) {
        self.positions = positions;
        for (face, triangle) in self.faces.iter_mut().zip(&shape.triangles) {
            *face = triangle.map(|v| self.positions[v.index()]);
        }
        self.around = Aabb::around(self.faces.iter().flatten().copied());
        let (faces, reach) = (&self.faces, self.reach);
        self.tree.refit(|k| enlarged(Aabb::around(faces[k as usize]), reach));
    }

    /// Coordinate along a direction of the point of the surface that is farthest along it, m.
    pub(crate) fn support(&self, direction: Vec3) -> f64 {
        let mut farthest = f64::NEG_INFINITY;
        self.tree.farthest(direction, |triangle| {
            let corners = self.faces[triangle as usize].map(|corner| direction.dot(corner));
            farthest = corners.into_iter().fold(farthest, f64::max);
            farthest
        });
        farthest
    }

    /// How often the surface winds around a point that is not on it; above 0 is inside.
    pub(crate) fn winding(&self, point: Vec3) -> i64 {
        let mut winding = 0;
        if !self.around.contains(point) {
            return winding;
        }
        let Some(ray) = PreparedRay::new(point, RAY) else { return winding };
        self.tree.along(&ray, f64::MAX, |triangle| {
            if let Some(hit) = ray.cross(self.faces[triangle as usize]) {
                winding += if hit.leaves { 1 } else { -1 };
            }
            f64::MAX
        });
        winding
    }
}

/// A box that reaches farther to all sides, m.
pub(crate) fn enlarged(around: Aabb, by: f64) -> Aabb {
    Aabb { min: around.min - Vec3::splat(by), max: around.max + Vec3::splat(by) }
}

/// For each triangle, a bit for each of its edges that no triangle before it has.
fn owned(edges: &[[VertexId; 2]], triangles: &[[VertexId; 3]]) -> Vec<u8> {
    let mut is_taken = vec![false; edges.len()];
    let mut bits = |triangle: &[VertexId; 3]| {
        (0..3).fold(0, |bits, k| {
            let (a, b) = (triangle[k], triangle[(k + 1) % 3]);
            match edges.binary_search(&[a.min(b), a.max(b)]) {
                Ok(edge) if !std::mem::replace(&mut is_taken[edge], true) => bits | 1 << k,
                _ => bits,
            }
        })
    };
    triangles.iter().map(&mut bits).collect()
}

/// The first vertex of each connected component of a surface.
fn components(vertex_count: usize, triangles: &[[VertexId; 3]]) -> Vec<VertexId> {
    let first = topology::parts(vertex_count, triangles).first_cells();
    first.into_iter().map(|cell| triangles[cell as usize][0]).collect()
}
