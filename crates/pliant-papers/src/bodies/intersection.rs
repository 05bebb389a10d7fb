//! Exact intersection of bodies, distances of their edges, and tunnelling.
//!
//! Closed surfaces that begin apart and do not tunnel overlap only where an edge of one meets a
//! triangle of another; that is decided exactly, and touching is meeting. Tunnelling is possible
//! in a step in which two bodies move by more than a given way, seen from each other.
//!
//! Of bodies that are apart every gap has a direction, that between the nearest points, and no
//! two edges need be left out for theirs: flat edges and nearly parallel ones count too.

use pliant::body::Bodies;
use pliant::contact::Contact;
use pliant::contact::edges::EdgeEdgeGap;
use pliant::contact::features::Features;
use pliant::contact::margin::VelocityBounds;
use pliant::contact::shape::{Facets, grown};
use pliant::detect::boxes::{Bounds, rounded};
use pliant::detect::pairs::{Sweep, neighbours};
use pliant::id::{BodyId, VertexId};
use pliant::math::{Aabb, Vec3};
use pliant::mesh::edge_search::crosses_any;
use pliant::mesh::intersect::segment_meets_triangle;
use pliant::mesh::topology::Csr;

/// Square of the sine of the angle below which edges are parallel: an end is as near.
const PARALLEL_SQ: f64 = 1e-10;

/// Two bodies whose surfaces meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crossing {
    /// The bodies, the smaller number first.
    pub pair: [BodyId; 2],
    /// An end of the first edge found.
    pub vertex: VertexId,
}

/// Two bodies that moved too far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tunnelling {
    /// First vertex of the first body.
    pub vertex: VertexId,
    /// Most that a vertex of one moved, seen from the other, m.
    pub way: f64,
    /// The allowed way, m.
    pub limit: f64,
}

/// The test; keeps its memory from call to call.
#[derive(Debug)]
pub struct Apart {
    /// Of each body.
    facets: Vec<Facets>,
    /// Edges of each triangle whose first triangle it is, by their numbers in the scene.
    edges: Csr<u32>,
    /// Of each body, m.
    boxes: Vec<Aabb>,
    /// The same rounded, for the sweep, m.
    bounds: Vec<Bounds>,
    sweep: Sweep,
    near: Csr<BodyId>,
    /// Ways of the vertices of one body, m.
    ways: Vec<Vec3>,
    /// Ways of each body, m.
    velocity_bounds: Vec<VelocityBounds>,
}

impl Apart {
    /// Prepares for a scene; `rest` decides how its surfaces are put into trees.
    pub fn new(rest: &[Vec3], bodies: &Bodies, features: &Features) -> Apart {
        let owned = features.edges.iter().zip(0..).map(|(edge, k)| (edge.triangles[0].0, k));
        Apart {
            facets: bodies.ids().map(|body| Facets::new(rest, bodies, body)).collect(),
            edges: Csr::from_pairs(bodies.triangles().len(), owned),
            boxes: Vec::new(),
            bounds: Vec::new(),
            sweep: Sweep::default(),
            near: Csr::default(),
            ways: Vec::new(),
            velocity_bounds: Vec::new(),
        }
    }

    /// Fits all trees to the positions, for gaps up to `reach` of the smaller size.
    pub fn fit(&mut self, positions: &[Vec3], bodies: &Bodies, features: &Features, reach: f64) {
        self.boxes.clear();
        self.boxes.extend(bodies.ids().map(|body| {
            let own = Aabb::around(positions[bodies.vertices(body)].iter().copied());
            grown(own, reach * features.sizes[body.index()])
        }));
        self.find_near();
        for body in bodies.ids().filter(|body| !self.near.row(body.index()).is_empty()) {
            self.facets[body.index()].fit(positions, bodies);
        }
    }

    /// Pairs of bodies near each other, the smaller number first, ascending.
    fn pairs(&self) -> impl Iterator<Item = [BodyId; 2]> {
        let ids = (0..self.near.len() as u32).map(BodyId);
        ids.flat_map(|a| self.near.row(a.index()).iter().map(move |b| [a, *b]))
            .filter(|[a, b]| a < b)
    }

    /// Fills `found` with the pairs of bodies whose surfaces meet, ascending.
    ///
    /// Spring networks have no surface and meet nothing.
    pub fn crossings(&self, positions: &[Vec3], features: &Features, found: &mut Vec<Crossing>) {
        found.clear();
        for [a, b] in self.pairs() {
            let mut either = [[a, b], [b, a]].into_iter();
            let first = either.find_map(|pair| self.meets(positions, features, pair));
            found.extend(first.map(|vertex| Crossing { pair: [a, b], vertex }));
        }
    }

    /// Appends contacts of all edges nearer than `reach` of the smaller size.
    ///
    /// Only of bodies that are apart; where an end is nearest, its vertex has the contact.
    pub fn edges(
        &self,
        positions: &[Vec3],
        features: &Features,
        reach: f64,
        found: &mut Vec<Contact>,
    ) {
        let at = |edge: u32| features.edges[edge as usize].ends.map(|v| positions[v.index()]);
        for [a, b] in self.pairs() {
            let size = features.sizes[a.index()].min(features.sizes[b.index()]);
            let facets = &self.facets[b.index()];
            for first in features.edges_of(a).map(|edge| edge as u32) {
                let ends = at(first);
                let space = grown(Aabb::around(ends), reach * size);
                if !space.meets(self.boxes[b.index()]) {
                    continue;
                }
                facets.tree().meeting(space, |k| {
                    for &second in self.edges.row(facets.first() + k as usize) {
                        if let Some(near) = nearest(ends, at(second))
                            && near.gap < reach * size
                        {
                            let edges = [first, second];
                            found.push(contact([a, b], edges, features, near, size));
                        }
                    }
                    true
                });
            }
        }
    }

    /// The first pair that moved by more than `reach` of its smaller body's size.
    ///
    /// Only bodies that may have met on the way are tested.
    pub fn leap(
        &mut self,
        [before, after]: [&[Vec3]; 2],
        bodies: &Bodies,
        features: &Features,
        reach: f64,
    ) -> Option<Tunnelling> {
        self.boxes.clear();
        self.velocity_bounds.clear();
        for body in bodies.ids() {
            let own = bodies.vertices(body);
            let passed = before[own.clone()].iter().chain(&after[own.clone()]);
            self.boxes.push(Aabb::around(passed.copied()));
            self.ways.clear();
            let moved = before[own.clone()].iter().zip(&after[own]);
            self.ways.extend(moved.map(|(from, to)| *to - *from));
            self.velocity_bounds.push(VelocityBounds::of(&self.ways));
        }
        self.find_near();
        let mut leaps = self.pairs().map(|[a, b]| Tunnelling {
            vertex: VertexId(bodies.vertices(a).start as u32),
            way: self.velocity_bounds[a.index()].closing(self.velocity_bounds[b.index()]),
            limit: reach * features.sizes[a.index()].min(features.sizes[b.index()]),
        });
        leaps.find(|leap| leap.way > leap.limit)
    }

    /// Pairs whose boxes meet.
    fn find_near(&mut self) {
        let Apart { boxes, bounds, sweep, near, .. } = self;
        bounds.clear();
        let round = |space: &Aabb| Bounds { low: rounded(space.min), high: rounded(space.max) };
        bounds.extend(boxes.iter().map(round));
        neighbours(bounds, sweep, near);
    }

    /// An end of the first edge of one body that meets a triangle of the other.
    fn meets(
        &self,
        positions: &[Vec3],
        features: &Features,
        [own, other]: [BodyId; 2],
    ) -> Option<VertexId> {
        let common = self.boxes[own.index()].intersection(self.boxes[other.index()]);
        let facets = &self.facets[other.index()];
        let edges = features.edges[features.edges_of(own)].iter();
        let mut ends = edges.map(|edge| (edge.ends[0], edge.ends.map(|v| positions[v.index()])));
        let crosses = |(_, ends): &(VertexId, [Vec3; 2])| {
            let corners = |k: u32| facets.corners()[k as usize];
            Aabb::around(*ends).meets(common)
                && crosses_any(facets.tree(), *ends, corners, segment_meets_triangle)
        };
        ends.find(crosses).map(|(vertex, _)| vertex)
    }
}

/// The nearest points of two edges.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Near {
    /// Place on each, between 0 and 1.
    at: [f64; 2],
    /// Unit, from the second to the first.
    normal: Vec3,
    /// m; positive.
    gap: f64,
}

/// Where two edges are nearest; `None` where that is an end of either, or they meet.
fn nearest([a0, a1]: [Vec3; 2], [b0, b1]: [Vec3; 2]) -> Option<Near> {
    let (p, q, from) = (a1 - a0, b1 - b0, a0 - b0);
    let (pp, pq, qq) = (p.length_squared(), p.dot(q), q.length_squared());
    let square = pp * qq - pq * pq;
    if square.is_nan() || square <= PARALLEL_SQ * pp * qq {
        return None;
    }
    let s = (pq * q.dot(from) - qq * p.dot(from)) / square;
    let t = (pp * q.dot(from) - pq * p.dot(from)) / square;
    let between = |place: f64| place > 0.0 && place < 1.0;
    let apart = from + s * p - t * q;
    let gap = apart.length();
    (between(s) && between(t) && gap > 0.0).then(|| Near { at: [s, t], normal: apart / gap, gap })
}

/// The contact of two edges of these bodies.
fn contact(
    pair: [BodyId; 2],
    edges: [u32; 2],
    features: &Features,
    Near { at: [s, t], normal, gap }: Near,
    size: f64,
) -> Contact {
    let ends = edges.map(|edge| features.edges[edge as usize].ends);
    Contact::of_edges(pair, edges, ends, &EdgeEdgeGap { s, t, normal, gap }, size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::body::Mesh;
    use pliant::mesh::generate::cuboid::cuboid;
    use pliant::mesh::generate::lattice::TetSplit;
    use pliant::mesh::tet::TetMesh;

    /// A bar along x and one along y, as high as this over it, m.
    fn bars(height: f64) -> (Bodies, Vec<Vec3>) {
        let bar =
            |size| TetMesh::from_raw(cuboid([1; 3], size, TetSplit::Five).unwrap()).unwrap().0;
        let (a, b) = (bar(Vec3::new(2.0, 0.5, 0.5)), bar(Vec3::new(0.5, 2.0, 0.5)));
        let bodies = Bodies::from_meshes(&[Mesh::Tets(&a), Mesh::Tets(&b)]).unwrap();
        let upper = b.positions().iter().map(|p| *p + height * Vec3::Z);
        (bodies, a.positions().iter().copied().chain(upper).collect())
    }

    #[test]
    fn bars_across_each_other_meet_with_no_vertex_inside() {
        for (height, meets) in [(0.5 + 1e-12, false), (0.5, true), (0.3, true), (1.0, false)] {
            let (bodies, positions) = bars(height);
            let features = Features::new(&positions, &bodies).unwrap();
            let mut found = Vec::new();
            let mut apart = Apart::new(&positions, &bodies, &features);
            apart.fit(&positions, &bodies, &features, 0.1);
            apart.crossings(&positions, &features, &mut found);
            let pairs: Vec<_> = found.iter().map(|crossing| crossing.pair).collect();
            let wanted = if meets { vec![[BodyId(0), BodyId(1)]] } else { vec![] };
            assert_eq!(pairs, wanted, "{height}");
        }
    }

    #[test]
    fn edges_of_bars_are_near_where_they_cross_and_flat_ones_count() {
        // Two long edges of each bar cross, 0.02 m apart, and its diagonals do.
        let (bodies, positions) = bars(0.52);
        let features = Features::new(&positions, &bodies).unwrap();
        let mut apart = Apart::new(&positions, &bodies, &features);
        let mut find = |reach: f64| {
            apart.fit(&positions, &bodies, &features, reach);
            let mut found = Vec::new();
            apart.edges(&positions, &features, reach, &mut found);
            found
        };
        assert!(find(0.039).is_empty()); // of 0.5 m
        let found = find(0.041);
        for contact in &found {
            assert!((contact.gap - 0.02).abs() < 1e-14, "{contact:?}");
            assert!(contact.normal.abs_diff_eq(-Vec3::Z, 1e-12), "{contact:?}");
            let apart: Vec3 = contact.terms().map(|(v, w)| w * positions[v.index()]).sum();
            assert!(apart.abs_diff_eq(contact.gap * contact.normal, 1e-14), "{contact:?}");
        }
        // 2 + 1 edges of each side run across the square where the bars lie over each other.
        assert_eq!(found.len(), 9);
    }

    #[test]
    fn an_end_that_is_nearest_and_parallel_edges_have_no_contact_of_edges() {
        let a = [Vec3::ZERO, Vec3::X];
        let across = |x: f64| [Vec3::new(x, -1.0, 0.5), Vec3::new(x, 1.0, 0.5)];
        let near = nearest(a, across(0.25)).unwrap();
        assert_eq!((near.at, near.normal, near.gap), ([0.25, 0.5], -Vec3::Z, 0.5));
        assert_eq!(nearest(a, across(1.25)), None);
        assert_eq!(nearest(a, a.map(|p| p + Vec3::Y)), None);
        assert_eq!(nearest(a, [Vec3::new(0.5, -1.0, 0.0), Vec3::new(0.5, 1.0, 0.0)]), None);
    }

    #[test]
    fn a_leap_is_what_two_bodies_move_seen_from_each_other() {
        let (bodies, before) = bars(0.6);
        let features = Features::new(&before, &bodies).unwrap();
        let mut apart = Apart::new(&before, &bodies, &features);
        let mut leap = |upper: Vec3, lower: Vec3| {
            let half = before.len() / 2;
            let after: Vec<_> = before
                .iter()
                .enumerate()
                .map(|(k, p)| *p + if k < half { lower } else { upper })
                .collect();
            apart.leap([&before, &after], &bodies, &features, 0.1).map(|leap| leap.way)
        };
        // The bars are 0.5 m thick: 0.05 m.
        assert_eq!(leap(-0.04 * Vec3::Z, Vec3::ZERO), None); // boxes do not meet either
        assert_eq!(leap(-0.2 * Vec3::Z, -0.2 * Vec3::Z), None); // together
        let way = leap(-3.0 * Vec3::Z, Vec3::ZERO).unwrap(); // through and out
        assert!((way - 3.0).abs() < 1e-12, "{way}");
        assert_eq!(leap(3.0 * Vec3::Z, Vec3::ZERO), None); // away
    }
}
