//! Small groups of neighbouring triangles and vertices, with their boxes.
//!
//! Made once from the positions at hand and kept while the bodies deform: neighbours on
//! the surface stay neighbours. Each step only refits the boxes, and whole groups are
//! passed over when theirs is elsewhere.

use std::ops::Range;

use crate::body::Bodies;
use crate::id::{BodyId, TriangleId, VertexId};
use crate::math::{Aabb, Vec3};

/// Most triangles, or inner vertices, of one cluster.
const SIZE: usize = 16;

/// All bodies cut into clusters.
#[derive(Clone, Debug, Default)]
pub struct Clusters {
    /// First cluster of each body, and one past the last of all.
    body_starts: Vec<u32>,
    /// First entry of `triangles` of each cluster, and one past the last of all.
    triangle_starts: Vec<u32>,
    /// Triangles, cluster by cluster.
    triangles: Vec<TriangleId>,
    /// First entry of `vertices` of each cluster, and one past the last of all.
    vertex_starts: Vec<u32>,
    /// Number of vertices of each cluster that no other owns; they come first.
    owned: Vec<u32>,
    /// Vertices, cluster by cluster: owned ones, then those that only bound triangles.
    vertices: Vec<VertexId>,
}

impl Clusters {
    /// Cuts every body by halving along its longest side.
    ///
    /// Vertices that nothing uses belong to no cluster.
    pub fn new(positions: &[Vec3], bodies: &Bodies) -> Clusters {
        let mut made = Clusters {
            body_starts: vec![0],
            triangle_starts: vec![0],
            vertex_starts: vec![0],
            ..Clusters::default()
        };
        let mut owner = vec![false; positions.len()];
        for body in bodies.ids() {
            let middle = |&t: &u32| {
                let [a, b, c] = bodies.triangles()[t as usize].map(|v| positions[v.index()]);
                a + b + c
            };
            let range = bodies.triangles_of(body);
            let mut triangles: Vec<u32> = (range.start as u32..range.end as u32).collect();
            halve(&mut triangles, &middle, &mut |cluster| {
                made.add_surface(cluster, bodies, &mut owner)
            });
            let used = |v: &usize| !owner[*v] && !bodies.neighbours().row(*v).is_empty();
            let mut inner: Vec<u32> =
                bodies.vertices(body).filter(used).map(|v| v as u32).collect();
            halve(&mut inner, &|&v: &u32| positions[v as usize], &mut |c| made.add_inner(c));
            made.body_starts.push(made.owned.len() as u32);
        }
        made
    }

    /// The clusters of a body.
    #[inline]
    pub fn of_body(&self, body: BodyId) -> Range<usize> {
        self.body_starts[body.index()] as usize..self.body_starts[body.index() + 1] as usize
    }

    /// Triangles of a cluster.
    #[inline]
    pub fn triangles(&self, cluster: usize) -> &[TriangleId] {
        let range = self.triangle_starts[cluster]..self.triangle_starts[cluster + 1];
        &self.triangles[range.start as usize..range.end as usize]
    }

    /// Vertices that belong to this cluster alone.
    #[inline]
    pub fn owned(&self, cluster: usize) -> &[VertexId] {
        &self.vertices(cluster)[..self.owned[cluster] as usize]
    }

    /// Refits the boxes of all clusters and of all bodies.
    pub fn refit(&self, positions: &[Vec3], boxes: &mut Vec<Aabb>, bodies: &mut Vec<Aabb>) {
        boxes.clear();
        boxes.extend((0..self.owned.len()).map(|cluster| {
            let vertices = self.vertices(cluster);
            let mut around = Aabb::EMPTY;
            for v in vertices {
                let p = positions[v.index()];
                // Not `min` and `max`: their rules for NaN cost time.
                around.min = Vec3::select(p.cmplt(around.min), p, around.min);
                around.max = Vec3::select(p.cmpgt(around.max), p, around.max);
            }
            around
        }));
        bodies.clear();
        bodies.extend(self.body_starts.windows(2).map(|pair| {
            let clusters = &boxes[pair[0] as usize..pair[1] as usize];
            clusters.iter().fold(Aabb::EMPTY, |sum, &one| sum.union(one))
        }));
    }

    #[inline]
    fn vertices(&self, cluster: usize) -> &[VertexId] {
        let range = self.vertex_starts[cluster]..self.vertex_starts[cluster + 1];
        &self.vertices[range.start as usize..range.end as usize]
    }

    fn add_surface(&mut self, cluster: &[u32], bodies: &Bodies, owner: &mut [bool]) {
        let mut corners: Vec<VertexId> =
            cluster.iter().flat_map(|&t| bodies.triangles()[t as usize]).collect();
        corners.sort_unstable();
        corners.dedup();
        let (own, others): (Vec<_>, Vec<_>) = corners.into_iter().partition(|v| !owner[v.index()]);
        own.iter().for_each(|v| owner[v.index()] = true);
        self.triangles.extend(cluster.iter().map(|&t| TriangleId(t)));
        self.close(&own, &others);
    }

    fn add_inner(&mut self, cluster: &[u32]) {
        let own: Vec<_> = cluster.iter().map(|&v| VertexId(v)).collect();
        self.close(&own, &[]);
    }

    fn close(&mut self, own: &[VertexId], others: &[VertexId]) {
        self.vertices.extend_from_slice(own);
        self.vertices.extend_from_slice(others);
        self.owned.push(own.len() as u32);
        self.vertex_starts.push(self.vertices.len() as u32);
        self.triangle_starts.push(self.triangles.len() as u32);
    }
}

/// Halves items at the median of the longest side until the pieces are small.
fn halve(items: &mut [u32], place: &impl Fn(&u32) -> Vec3, done: &mut impl FnMut(&[u32])) {
    let mut open = Vec::new();
    open.push(0..items.len());
    while let Some(range) = open.pop() {
        let piece = &mut items[range.clone()];
        if piece.len() <= SIZE {
            if !piece.is_empty() {
                piece.sort_unstable();
                done(piece);
            }
            continue;
        }
        let size = Aabb::around(piece.iter().map(place)).size().to_array();
        let axis = (0..3).fold(0, |best, k| if size[k] > size[best] { k } else { best });
        let key = |item: &u32| place(item).to_array()[axis];
        let middle = piece.len() / 2;
        piece.select_nth_unstable_by(middle, |a, b| key(a).total_cmp(&key(b)).then(a.cmp(b)));
        open.push(range.start + middle..range.end);
        open.push(range.start..range.start + middle);
    }
}
