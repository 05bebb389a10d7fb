//! Small groups of neighbouring triangles and vertices, with their boxes.
//!
//! Made once from the current positions and kept while the bodies deform: neighbours on the
//! surface stay neighbours. Each step only refits the boxes, and whole groups are skipped
//! when theirs is elsewhere.

use std::ops::Range;

use crate::body::Bodies;
use crate::detect::boxes::{Block, Bounds, LANES, Query, rounded};
use crate::detect::edge_filter::FilterTriangle;
use crate::detect::nearby_triangles::{NearbyTriangles, Triangle};
use crate::id::{BodyId, TriangleId, VertexId};
use crate::math::{Aabb, Vec3, Vec4};
use crate::mesh::runs::{Runs, append_starts};

/// Most triangles, or inner vertices, of one cluster; its vertices are fewer than 256.
const SIZE: usize = 24;

/// All bodies, split into clusters.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clusters {
    /// First cluster of each body, and one past the last of all.
    body_starts: Vec<u32>,
    /// First vertex of each body, and one past the last of all.
    body_vertices: Vec<u32>,
    /// First block of boxes of each body, and one past the last of all.
    block_starts: Vec<u32>,
    /// First entry of `triangles` of each cluster, and one past the last of all.
    triangle_starts: Vec<u32>,
    /// Triangles, cluster by cluster.
    triangles: Vec<TriangleId>,
    /// Places of their corners among the vertices of the cluster.
    corners: Vec<[u8; 3]>,
    /// First entry of `vertices` of each cluster, and one past the last of all.
    vertex_starts: Vec<u32>,
    /// Number of vertices of each cluster that no other owns; they come first.
    owned: Vec<u32>,
    /// Vertices, cluster by cluster: owned ones, then those that only bound triangles.
    vertices: Vec<VertexId>,
}

/// Farthest coordinates from the origin for which f32 filters work as they are.
///
/// Squares and cubes of sizes a thousandth of that neither vanish nor overflow.
const SAFE: std::ops::RangeInclusive<f32> = 1e-6..=1e9;

/// Positions and boxes of one step, in f32.
#[derive(Clone, Debug)]
pub(crate) struct Fit {
    /// What coordinates are measured from, world space, m.
    pub origin: Vec3,
    /// What they are multiplied by, so that f32 can hold them; a power of two, mostly 1.
    pub scale: f64,
    /// Each body's box, m.
    pub bodies: Vec<Bounds>,
    /// Every vertex, m.
    pub points: Vec<Vec4>,
    /// Boxes of the clusters, body by body.
    blocks: Vec<Block>,
    /// Vertices, cluster by cluster, m.
    places: Vec<Vec4>,
    /// The first vertex of each body whose position is not finite; such bodies have no box.
    pub non_finite: Vec<VertexId>,
}

impl Default for Fit {
    fn default() -> Fit {
        Fit {
            origin: Vec3::ZERO,
            scale: 1.0,
            bodies: Vec::new(),
            points: Vec::new(),
            blocks: Vec::new(),
            places: Vec::new(),
            non_finite: Vec::new(),
        }
    }
}

impl Clusters {
    /// Splits every body by halving along its longest side.
    ///
    /// Vertices that nothing uses belong to no cluster.
    pub(crate) fn new(positions: &[Vec3], bodies: &Bodies) -> Clusters {
        let mut made = Clusters {
            body_starts: vec![0],
            body_vertices: vec![0],
            block_starts: vec![0],
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
            let used = |v: &usize| !owner[*v] && bodies.takes_part(body, *v);
            let mut inner: Vec<u32> =
                bodies.vertices(body).filter(used).map(|v| v as u32).collect();
            halve(&mut inner, &|&v: &u32| positions[v as usize], &mut |c| made.add_inner(c));
            made.body_starts.push(made.owned.len() as u32);
            made.body_vertices.push(bodies.vertices(body).end as u32);
            let clusters = made.of_body(body).len();
            let blocks = made.block_starts[body.index()] + clusters.div_ceil(LANES) as u32;
            made.block_starts.push(blocks);
        }
        made
    }

    /// Keeps the clusters of some bodies, whose vertices and triangles decrease by these shifts.
    pub(crate) fn keep(&mut self, kept: &Runs, vertex_shifts: &[u32], triangle_shifts: &[u32]) {
        let clusters = kept.entries(&self.body_starts);
        let triangles = clusters.entries(&self.triangle_starts);
        triangles.keep(&mut self.triangles, |run, triangle| triangle.0 -= triangle_shifts[run]);
        triangles.keep(&mut self.corners, |_, _| {});
        let vertices = clusters.entries(&self.vertex_starts);
        vertices.keep(&mut self.vertices, |run, vertex| vertex.0 -= vertex_shifts[run]);
        clusters.keep(&mut self.owned, |_, _| {});
        clusters.keep_starts(&mut self.triangle_starts);
        clusters.keep_starts(&mut self.vertex_starts);
        kept.keep_starts(&mut self.body_starts);
        kept.keep_starts(&mut self.body_vertices);
        kept.keep_starts(&mut self.block_starts);
    }

    /// Appends the clusters of other bodies, whose first vertex and triangle these are.
    pub(crate) fn append(&mut self, other: &Clusters, vertex: u32, triangle: u32) {
        self.triangles.extend(other.triangles.iter().map(|t| TriangleId(triangle + t.0)));
        self.corners.extend_from_slice(&other.corners);
        self.vertices.extend(other.vertices.iter().map(|v| VertexId(vertex + v.0)));
        self.owned.extend_from_slice(&other.owned);
        append_starts(&mut self.triangle_starts, &other.triangle_starts);
        append_starts(&mut self.vertex_starts, &other.vertex_starts);
        append_starts(&mut self.body_starts, &other.body_starts);
        append_starts(&mut self.body_vertices, &other.body_vertices);
        append_starts(&mut self.block_starts, &other.block_starts);
    }

    /// Rounds all positions and refits the boxes of all clusters and bodies.
    pub(crate) fn refit(&self, positions: &[Vec3], fit: &mut Fit) {
        // One position that is not finite must not take the others with it.
        fit.origin = positions.iter().copied().find(|p| p.is_finite()).unwrap_or_default();
        self.fill(positions, fit);
        let found = fit.bodies.iter().filter(|bounds| **bounds != Bounds::EMPTY);
        let reach = found.fold(0.0, |most: f32, bounds| most.max(bounds.reach()));
        if !SAFE.contains(&reach) {
            let scale = scale_of(positions, fit.origin);
            if scale != fit.scale {
                fit.scale = scale;
                self.fill(positions, fit);
            }
        }
    }

    /// The same with the origin and scale that are set.
    fn fill(&self, positions: &[Vec3], fit: &mut Fit) {
        let Fit { origin, scale, bodies, points, blocks, places, non_finite } = fit;
        non_finite.clear();
        points.clear();
        places.clear();
        bodies.clear();
        blocks.clear();
        for body in 0..self.body_starts.len() - 1 {
            let own = self.body_vertices[body] as usize..self.body_vertices[body + 1] as usize;
            let bad = positions[own.clone()].iter().position(|p| !p.is_finite());
            let bad = bad.map(|place| VertexId((own.start + place) as u32));
            non_finite.extend(bad);
            points.extend(positions[own].iter().map(|&p| rounded(*scale * (p - *origin))));
            let clusters = self.of_body(BodyId(body as u32));
            let own = self.vertex_starts[clusters.start]..self.vertex_starts[clusters.end];
            let own = self.vertices[own.start as usize..own.end as usize].iter();
            places.extend(own.map(|v| points[v.index()]));
            let mut around = Bounds::EMPTY;
            for (lane, cluster) in clusters.enumerate() {
                if lane % LANES == 0 {
                    blocks.push(Block::EMPTY);
                }
                let own = places[self.vertices_of(cluster)].iter();
                let bounds = own.fold(Bounds::EMPTY, |bounds, &p| bounds.with(p));
                if let Some(block) = blocks.last_mut() {
                    block.set(lane % LANES, bounds);
                }
                around = around.union(bounds);
            }
            bodies.push(if bad.is_none() { around } else { Bounds::EMPTY });
        }
    }

    /// Collects the vertices of a body that lie in a box.
    pub(crate) fn vertices_in(
        &self,
        fit: &Fit,
        body: BodyId,
        bounds: Bounds,
        found: &mut Vec<VertexId>,
    ) {
        found.clear();
        self.meeting(fit, body, bounds, |cluster| {
            let owned = self.vertex_starts[cluster] as usize;
            let owned = owned..owned + self.owned[cluster] as usize;
            // Written first and then kept or not: a branch could not be predicted.
            let mut count = found.len();
            found.resize(count + owned.len(), VertexId(0));
            for (&vertex, &place) in self.vertices[owned.clone()].iter().zip(&fit.places[owned]) {
                found[count] = vertex;
                count += usize::from(bounds.contains(place));
            }
            found.truncate(count);
        });
    }

    /// Collects the triangles of a body whose boxes meet a box.
    pub(crate) fn triangles_in(
        &self,
        fit: &Fit,
        body: BodyId,
        bounds: Bounds,
        found: &mut NearbyTriangles,
    ) {
        found.clear();
        self.meeting(fit, body, bounds, |cluster| {
            let own = self.vertices_of(cluster);
            let (places, ids) = (&fit.places[own.clone()], &self.vertices[own]);
            let range =
                self.triangle_starts[cluster] as usize..self.triangle_starts[cluster + 1] as usize;
            let triangles = self.triangles[range.clone()].iter();
            for (&id, corners) in triangles.zip(&self.corners[range]) {
                let [i, j, k] = [corners[0] as usize, corners[1] as usize, corners[2] as usize];
                let (a, b, c) = (places[i], places[j], places[k]);
                let around = Bounds { low: a.min(b).min(c), high: a.max(b).max(c) };
                if around.meets(bounds) {
                    let corners = [ids[i], ids[j], ids[k]];
                    found.push(
                        Triangle { id, corners, facet: FilterTriangle::new([a, b, c]) },
                        around,
                    );
                }
            }
        });
        found.close();
    }

    /// Calls `found` with every cluster of a body whose box meets a box.
    #[inline]
    fn meeting(&self, fit: &Fit, body: BodyId, bounds: Bounds, mut found: impl FnMut(usize)) {
        let query = Query::new(bounds);
        let blocks = self.block_starts[body.index()]..self.block_starts[body.index() + 1];
        let blocks = &fit.blocks[blocks.start as usize..blocks.end as usize];
        let first = self.body_starts[body.index()] as usize;
        for (index, block) in blocks.iter().enumerate() {
            let mut mask = query.meet(block);
            while mask != 0 {
                found(first + index * LANES + mask.trailing_zeros() as usize);
                mask &= mask - 1;
            }
        }
    }

    /// The clusters of a body.
    #[inline]
    fn of_body(&self, body: BodyId) -> Range<usize> {
        self.body_starts[body.index()] as usize..self.body_starts[body.index() + 1] as usize
    }

    /// Entries of `vertices` of a cluster.
    #[inline]
    fn vertices_of(&self, cluster: usize) -> Range<usize> {
        self.vertex_starts[cluster] as usize..self.vertex_starts[cluster + 1] as usize
    }

    fn add_surface(&mut self, cluster: &[u32], bodies: &Bodies, owner: &mut [bool]) {
        let mut corners: Vec<VertexId> =
            cluster.iter().flat_map(|&t| bodies.triangles()[t as usize]).collect();
        corners.sort_unstable();
        corners.dedup();
        let (own, others): (Vec<_>, Vec<_>) = corners.into_iter().partition(|v| !owner[v.index()]);
        own.iter().for_each(|v| owner[v.index()] = true);
        let place = |v: VertexId| {
            let (own, others) = (own.iter(), others.iter());
            own.chain(others).position(|&other| other == v).map_or(0, |place| place as u8)
        };
        self.corners.extend(cluster.iter().map(|&t| bodies.triangles()[t as usize].map(place)));
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

/// The power of two that brings the farthest coordinate from the origin next to 1.
fn scale_of(positions: &[Vec3], origin: Vec3) -> f64 {
    let finite = positions.iter().filter(|p| p.is_finite());
    let far = finite.map(|p| (*p - origin).abs().max_element());
    let extent = far.fold(0.0, f64::max);
    if !extent.is_normal() {
        return 1.0;
    }
    // The exponent turned around; both ends of the range stay in it.
    let exponent = (extent.to_bits() >> 52).clamp(60, 1986);
    f64::from_bits((2046 - exponent) << 52)
}

/// Halves items at the median of the longest side until the groups are small.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::boxes::Hits;

    /// A strip of tets along x, one metre each, far from the origin.
    fn strip(count: u32) -> (Vec<Vec3>, Bodies) {
        let corner = |k: u32| {
            let side = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]][k as usize % 4];
            Vec3::new(f64::from(k) + 1e9, side[0], side[1])
        };
        let positions: Vec<Vec3> = (0..count + 3).map(corner).collect();
        let tets: Vec<_> = (0..count).map(|t| [t, t + 1, t + 2, t + 3].map(VertexId)).collect();
        let bodies = Bodies::from_tets(&[(positions.len(), &tets)]).unwrap();
        (positions, bodies)
    }

    #[test]
    fn what_lies_in_a_box_is_found_and_nothing_twice() {
        let (positions, bodies) = strip(300);
        let clusters = Clusters::new(&positions, &bodies);
        let mut fit = Fit::default();
        clusters.refit(&positions, &mut fit);
        for (from, to) in [(-5.0, -1.0), (0.0, 0.0), (17.0, 40.5), (-1.0, 1e3)] {
            let [low, high] = [from, to].map(|x| fit.points[0] + Vec4::new(x, -2.0, -2.0, 0.0));
            let bounds = Bounds { low, high: high + Vec4::new(0.0, 4.0, 4.0, 0.0) };
            let mut vertices = Vec::new();
            clusters.vertices_in(&fit, BodyId(0), bounds, &mut vertices);
            vertices.sort_unstable();
            let inside = |v: &usize| bounds.contains(fit.points[*v]);
            let expected: Vec<_> =
                (0..positions.len()).filter(inside).map(|v| VertexId(v as u32)).collect();
            assert_eq!(vertices, expected);

            let mut found = NearbyTriangles::default();
            clusters.triangles_in(&fit, BodyId(0), bounds, &mut found);
            let mut hits = Hits::default();
            let places = found.meeting(bounds, &mut hits);
            let mut ids: Vec<_> = places.iter().map(|&place| found.triangle(place).id).collect();
            ids.sort_unstable();
            let meets = |t: &usize| {
                let corners = bodies.triangles()[*t].map(|v| fit.points[v.index()]);
                corners.into_iter().fold(Bounds::EMPTY, Bounds::with).meets(bounds)
            };
            let expected: Vec<_> =
                (0..bodies.triangles().len()).filter(meets).map(|t| TriangleId(t as u32)).collect();
            assert_eq!(ids, expected);
            for &place in places {
                let triangle = found.triangle(place);
                assert_eq!(triangle.corners, bodies.triangles()[triangle.id.index()]);
            }
        }
    }
}
