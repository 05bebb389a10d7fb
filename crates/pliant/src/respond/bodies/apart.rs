//! Whether bodies are apart, exactly, and how far they came nearer in a step.
//!
//! Closed surfaces that begin apart and do not leap overlap only where an edge of one meets a
//! triangle of another; that is decided exactly, and touching is meeting. A leap is a step in
//! which two bodies move by more than a given way, seen from each other.

use crate::body::Bodies;
use crate::detect::boxes::{Bounds, rounded};
use crate::detect::pairs::{Sweep, neighbours};
use crate::id::{BodyId, VertexId};
use crate::math::{Aabb, Vec3};
use crate::mesh::intersect::segment_meets_triangle;
use crate::mesh::topology::Rows;
use crate::respond::contact::features::Features;
use crate::respond::contact::margin::Drift;
use crate::respond::contact::shape::Facets;

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
pub struct Leap {
    /// First vertex of the first body.
    pub vertex: VertexId,
    /// Most that a vertex of one moved, seen from the other, m.
    pub way: f64,
    /// What was allowed, m.
    pub limit: f64,
}

/// What is kept from test to test.
#[derive(Debug)]
pub struct Apart {
    /// Of each body.
    facets: Vec<Facets>,
    /// Of each body, m.
    boxes: Vec<Aabb>,
    /// The same rounded, for the sweep, m.
    bounds: Vec<Bounds>,
    sweep: Sweep,
    near: Rows<BodyId>,
    /// Ways of the vertices of one body, m.
    ways: Vec<Vec3>,
    /// Ways of each body, m.
    drifts: Vec<Drift>,
}

impl Apart {
    /// Prepares for a scene; `rest` decides how its surfaces are put into trees.
    pub fn new(rest: &[Vec3], bodies: &Bodies) -> Apart {
        Apart {
            facets: bodies.ids().map(|body| Facets::new(rest, bodies, body)).collect(),
            boxes: Vec::new(),
            bounds: Vec::new(),
            sweep: Sweep::default(),
            near: Rows::default(),
            ways: Vec::new(),
            drifts: Vec::new(),
        }
    }

    /// Fills `found` with the pairs of bodies whose surfaces meet, ascending.
    ///
    /// Nets have no surface and meet nothing.
    pub fn crossings(
        &mut self,
        positions: &[Vec3],
        bodies: &Bodies,
        features: &Features,
        found: &mut Vec<Crossing>,
    ) {
        found.clear();
        self.boxes.clear();
        let around = |body| Aabb::around(positions[bodies.vertices(body)].iter().copied());
        self.boxes.extend(bodies.ids().map(around));
        self.find_near();
        for body in bodies.ids().filter(|body| !self.near.row(body.index()).is_empty()) {
            self.facets[body.index()].fit(positions, bodies);
        }
        for a in bodies.ids() {
            for &b in self.near.row(a.index()).iter().filter(|b| a < **b) {
                let either = [[a, b], [b, a]].into_iter();
                let first = either.filter_map(|pair| self.meets(positions, features, pair)).next();
                found.extend(first.map(|vertex| Crossing { pair: [a, b], vertex }));
            }
        }
    }

    /// The first pair that moved by more than `reach` of its smaller body's size.
    ///
    /// Only bodies count that may have met on the way.
    pub fn leap(
        &mut self,
        [before, after]: [&[Vec3]; 2],
        bodies: &Bodies,
        features: &Features,
        reach: f64,
    ) -> Option<Leap> {
        self.boxes.clear();
        self.drifts.clear();
        for body in bodies.ids() {
            let own = bodies.vertices(body);
            let passed = before[own.clone()].iter().chain(&after[own.clone()]);
            self.boxes.push(Aabb::around(passed.copied()));
            self.ways.clear();
            let moved = before[own.clone()].iter().zip(&after[own]);
            self.ways.extend(moved.map(|(from, to)| *to - *from));
            self.drifts.push(Drift::of(&self.ways));
        }
        self.find_near();
        let pairs = bodies
            .ids()
            .flat_map(|a| self.near.row(a.index()).iter().map(move |b| [a, *b]))
            .filter(|[a, b]| a < b);
        let leaps = pairs.map(|[a, b]| Leap {
            vertex: VertexId(bodies.vertices(a).start as u32),
            way: self.drifts[a.index()].closing(self.drifts[b.index()]),
            limit: reach * features.sizes[a.index()].min(features.sizes[b.index()]),
        });
        leaps.into_iter().find(|leap| leap.way > leap.limit)
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
            let space = Aabb::around(*ends);
            let mut does = false;
            if space.meets(common) {
                facets.tree.meeting(space, |k| {
                    does = segment_meets_triangle(*ends, facets.corners[k as usize]);
                    !does
                });
            }
            does
        };
        ends.find(crosses).map(|(vertex, _)| vertex)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Mesh;
    use crate::mesh::generate::cuboid::cuboid;
    use crate::mesh::generate::lattice::Cut;
    use crate::mesh::tet::TetMesh;

    /// A bar along x and one along y, as high as this over it, m.
    fn bars(height: f64) -> (Bodies, Vec<Vec3>) {
        let bar = |size| TetMesh::from_raw(cuboid([1; 3], size, Cut::Five).unwrap()).unwrap().0;
        let (a, b) = (bar(Vec3::new(2.0, 0.5, 0.5)), bar(Vec3::new(0.5, 2.0, 0.5)));
        let bodies = Bodies::from_meshes(&[Mesh::Tets(&a), Mesh::Tets(&b)]).unwrap();
        let upper = b.positions().iter().map(|p| *p + height * Vec3::Z);
        (bodies, a.positions().iter().copied().chain(upper).collect())
    }

    #[test]
    fn bars_across_each_other_meet_with_no_vertex_inside() {
        for (height, meets) in [(0.5 + 1e-12, false), (0.5, true), (0.3, true), (1.0, false)] {
            let (bodies, positions) = bars(height);
            let features = Features::new(&positions, &bodies);
            let mut found = Vec::new();
            Apart::new(&positions, &bodies).crossings(&positions, &bodies, &features, &mut found);
            let pairs: Vec<_> = found.iter().map(|crossing| crossing.pair).collect();
            let wanted = if meets { vec![[BodyId(0), BodyId(1)]] } else { vec![] };
            assert_eq!(pairs, wanted, "{height}");
        }
    }

    #[test]
    fn a_leap_is_what_two_bodies_move_seen_from_each_other() {
        let (bodies, before) = bars(0.6);
        let features = Features::new(&before, &bodies);
        let mut apart = Apart::new(&before, &bodies);
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
