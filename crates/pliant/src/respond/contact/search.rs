//! All contacts of a moment, in a fixed order.
//!
//! Once per step: boxes with their margins tell which bodies come near each other; of those,
//! vertices inside get the consistent way out, vertices outside the nearest point, and edges
//! are tried against edges.

use crate::body::obstacle::Obstacle;
use crate::body::{Bodies, BodyKind};
use crate::depth::fused::Scratch;
use crate::depth::{DepthSettings, Escape, Escapes, Scope};
use crate::detect::boxes::{Bounds, rounded};
use crate::detect::pairs::{self, Sweep};
use crate::force::Motion;
use crate::id::{BodyId, VertexId};
use crate::math::{Aabb, Vec3};
use crate::mesh::bvh::Bvh;
use crate::mesh::normals::Normals;
use crate::mesh::topology::Rows;
use crate::respond::contact::edges::{Passing, Side, passing};
use crate::respond::contact::features::Features;
use crate::respond::contact::margin::{Drift, Margin, MarginSettings};
use crate::respond::contact::near::{Foot, corners, foot, terms};
use crate::respond::contact::{Contact, Feature, inside, obstacles};

/// Edges are looked for this far per length beyond the margin: deeper ones have passed.
const EDGE_PAD: f64 = 0.1;

/// How contacts are looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSettings {
    /// Lengths relative to the bodies.
    pub margin: MarginSettings,
    /// Coulomb's coefficient between bodies, unit 1.
    pub friction: f64,
}

impl Default for ContactSettings {
    fn default() -> ContactSettings {
        ContactSettings { margin: MarginSettings::default(), friction: 0.3 }
    }
}

/// What is kept from search to search.
#[derive(Debug)]
pub struct Search {
    /// What does not change.
    pub features: Features,
    /// Vertices inside bodies without a way out, in the last search, count.
    pub unresolved: usize,
    scratch: Scratch,
    escapes: Escapes,
    /// Triangles and edges of each body, counted within it.
    trees: Vec<[Bvh; 2]>,
    /// Box of each body, m.
    bare: Vec<Aabb>,
    /// The same with its margin, m.
    boxes: Vec<Aabb>,
    /// The same in f32, which never hides a neighbour.
    rounded: Vec<Bounds>,
    drifts: Vec<Drift>,
    sweep: Sweep,
    near: Rows<BodyId>,
    /// Pairs of a vertex and a body that it is inside of, ascending.
    inside: Vec<(VertexId, BodyId)>,
}

impl Search {
    /// Prepares for a scene; sizes are those in `rest`.
    pub fn new(rest: &[Vec3], bodies: &Bodies) -> Search {
        let features = Features::new(rest, bodies);
        let trees = bodies.ids().map(|body| {
            let triangles = bodies.triangles_of(body);
            let boxes = triangles.map(|t| Aabb::around(corners(rest, bodies, t)));
            let edges = features.edges_of(body).map(|e| edge_box(rest, &features, e));
            [Bvh::new(&boxes.collect::<Vec<_>>()), Bvh::new(&edges.collect::<Vec<_>>())]
        });
        Search {
            trees: trees.collect(),
            features,
            unresolved: 0,
            scratch: Scratch::new(rest, bodies),
            escapes: Escapes::default(),
            bare: Vec::new(),
            boxes: Vec::new(),
            rounded: Vec::new(),
            drifts: Vec::new(),
            sweep: Sweep::default(),
            near: Rows::default(),
            inside: Vec::new(),
        }
    }

    /// Works with this many threads from now on; the bits stay the same.
    pub fn set_threads(&mut self, threads: usize) {
        self.scratch.set_threads(threads);
    }

    /// Fills `found` with all contacts, ascending by feature.
    pub fn find(
        &mut self,
        motion: Motion<'_>,
        bodies: &Bodies,
        obstacles: &[Obstacle],
        (settings, dt): (ContactSettings, f64),
        found: &mut Vec<Contact>,
    ) {
        found.clear();
        self.prepare(motion, bodies, settings, dt);
        self.find_inside(motion.positions, bodies, settings, found);
        for a in bodies.ids() {
            for place in 0..self.near.row(a.index()).len() {
                let b = self.near.row(a.index())[place];
                let margin = self.margin([a, b], settings, dt);
                self.find_near(motion.positions, bodies, ([a, b], margin, settings), found);
                if a < b {
                    self.find_edges(motion.positions, bodies, ([a, b], margin, settings), found);
                }
            }
        }
        let given = (bodies, &self.features, &self.drifts[..]);
        obstacles::find(obstacles, motion, given, (settings.margin, dt), found);
        found.sort_unstable_by_key(|contact| contact.feature);
    }

    fn margin(&self, [a, b]: [BodyId; 2], settings: ContactSettings, dt: f64) -> Margin {
        let size = self.features.sizes[a.index()].min(self.features.sizes[b.index()]);
        let speed = self.drifts[a.index()].closing(self.drifts[b.index()]);
        settings.margin.of(size, speed, dt)
    }

    /// Boxes with margins, neighbours, trees of those that have any.
    fn prepare(&mut self, motion: Motion<'_>, bodies: &Bodies, settings: ContactSettings, dt: f64) {
        self.drifts.clear();
        self.boxes.clear();
        self.bare.clear();
        for body in bodies.ids() {
            let vertices = bodies.vertices(body);
            let drift = Drift::of(&motion.velocities[vertices.clone()]);
            // Two bodies meet within the sum of what each looks for at its own speed.
            let speed = drift.mean.length() + drift.spread;
            let pad = settings.margin.of(self.features.sizes[body.index()], speed, dt).reach;
            let own = Aabb::around(motion.positions[vertices].iter().copied());
            self.drifts.push(drift);
            self.bare.push(own);
            self.boxes.push(grown(own, pad));
        }
        let origin = self.boxes.first().map_or(Vec3::ZERO, |first| first.min);
        let seen = |space: &Aabb| Bounds {
            low: rounded(space.min - origin),
            high: rounded(space.max - origin),
        };
        self.rounded.clear();
        self.rounded.extend(self.boxes.iter().map(seen));
        pairs::neighbours(&self.rounded, &mut self.sweep, &mut self.near);
        for body in bodies.ids().filter(|body| !self.near.row(body.index()).is_empty()) {
            let [triangles, edges] = &mut self.trees[body.index()];
            let (first, own) = (bodies.triangles_of(body).start, self.features.edges_of(body));
            triangles
                .refit(|k| Aabb::around(corners(motion.positions, bodies, first + k as usize)));
            let features = &self.features;
            edges.refit(|k| edge_box(motion.positions, features, own.start + k as usize));
        }
    }

    /// Contacts of the vertices inside other bodies.
    fn find_inside(
        &mut self,
        positions: &[Vec3],
        bodies: &Bodies,
        settings: ContactSettings,
        found: &mut Vec<Contact>,
    ) {
        let depth =
            DepthSettings { scope: Scope::Pairs, normals: Normals::Face, ..Default::default() };
        self.scratch.escapes(positions, bodies, depth, &mut self.escapes);
        self.unresolved = self.escapes.unresolved.len();
        self.inside.clear();
        for entry in &self.escapes.unresolved {
            let into = self.escapes.bodies(entry.into);
            self.inside.extend(into.iter().map(|body| (entry.vertex, *body)));
        }
        for entry in &self.escapes.resolved {
            let [body] = *self.escapes.bodies(entry.into) else { continue };
            self.inside.push((entry.vertex, body));
            let own = bodies.body_of(entry.vertex);
            let point = positions[entry.vertex.index()];
            let surface = (bodies, body, &self.trees[body.index()][0]);
            let escape = Escape { ..entry.escape };
            let space = self.boxes[body.index()];
            let foot = inside::exit(point, escape, positions, surface, space)
                .or_else(|| inside::nearest(point, escape, positions, surface));
            let Some(foot) = foot else { continue };
            let size = self.features.sizes[own.index()].min(self.features.sizes[body.index()]);
            let offset = settings.margin.offset * size;
            let margin = Margin { size, offset, reach: offset };
            found.push(against([own, body], entry.vertex, (&foot, margin, settings), bodies));
        }
        self.inside.sort_unstable();
    }

    /// Contacts of vertices of `a` outside `b` with its surface.
    fn find_near(
        &self,
        positions: &[Vec3],
        bodies: &Bodies,
        ([a, b], margin, settings): ([BodyId; 2], Margin, ContactSettings),
        found: &mut Vec<Contact>,
    ) {
        if bodies.triangles_of(b).is_empty() {
            return;
        }
        let space = grown(self.bare[b.index()], margin.reach);
        let own = match bodies.kind(a) {
            BodyKind::Net => None,
            _ => Some(self.features.surface_of(a)),
        };
        let all = bodies.vertices(a).map(|v| VertexId(v as u32));
        let surface = own.unwrap_or(&[]).iter().copied();
        let vertices = surface.chain(all.filter(|_| own.is_none()));
        for vertex in vertices {
            let point = positions[vertex.index()];
            if !space.contains(point) || self.inside.binary_search(&(vertex, b)).is_ok() {
                continue;
            }
            let surface = (bodies, b, &self.trees[b.index()][0]);
            if let Some(foot) = foot(point, positions, surface, margin.reach, margin.size) {
                found.push(against([a, b], vertex, (&foot, margin, settings), bodies));
            }
        }
    }

    /// Contacts between the edges of two bodies.
    fn find_edges(
        &self,
        positions: &[Vec3],
        bodies: &Bodies,
        ([a, b], margin, settings): ([BodyId; 2], Margin, ContactSettings),
        found: &mut Vec<Contact>,
    ) {
        let space = self.bare[b.index()];
        let first_of_b = self.features.edges_of(b).start;
        for one in self.features.edges_of(a) {
            let around = edge_box(positions, &self.features, one);
            let length = around.size().length();
            let wide = grown(around, margin.reach.max(EDGE_PAD * length));
            if !wide.meets(space) {
                continue;
            }
            let Some(first) = side(positions, bodies, &self.features, one) else { continue };
            self.trees[b.index()][1].meeting(wide, |k| {
                let other = first_of_b + k as usize;
                if let Some(second) = side(positions, bodies, &self.features, other) {
                    let longer = second.ends[0].distance(second.ends[1]).min(length);
                    let depth = margin.reach.max(EDGE_PAD * longer);
                    if let Some(passing) = passing(&first, &second, margin.reach, depth) {
                        let edges = [one, other].map(|edge| &self.features.edges[edge]);
                        let ends = edges.map(|edge| edge.ends);
                        let feature = Feature::EdgeEdge(one as u32, other as u32);
                        found.push(between(feature, [a, b], ends, (&passing, margin, settings)));
                    }
                }
                true
            });
        }
    }
}

/// A box with a margin all around, m.
fn grown(space: Aabb, by: f64) -> Aabb {
    Aabb { min: space.min - Vec3::splat(by), max: space.max + Vec3::splat(by) }
}

fn edge_box(positions: &[Vec3], features: &Features, edge: usize) -> Aabb {
    Aabb::around(features.edges[edge].ends.map(|v| positions[v.index()]))
}

fn side(positions: &[Vec3], bodies: &Bodies, features: &Features, edge: usize) -> Option<Side> {
    let edge = &features.edges[edge];
    let at = |vertices: [VertexId; 2]| vertices.map(|v| positions[v.index()]);
    let triangles = edge.triangles.map(|t| corners(positions, bodies, t.index()));
    Side::new(at(edge.ends), at(edge.tips), triangles)
}

/// The contact of a vertex with a surface.
fn against(
    [own, other]: [BodyId; 2],
    vertex: VertexId,
    (foot, margin, settings): (&Foot, Margin, ContactSettings),
    bodies: &Bodies,
) -> Contact {
    let (vertices, weights) = terms(vertex, foot, bodies);
    Contact {
        feature: Feature::VertexBody(vertex, other),
        vertices,
        weights,
        count: 4,
        bodies: (own, Some(other)),
        normal: foot.normal,
        gap: foot.gap,
        drift: Vec3::ZERO,
        target: 0.0,
        friction: settings.friction,
        offset: margin.offset,
        size: margin.size,
    }
}

/// The contact of two edges.
fn between(
    feature: Feature,
    [a, b]: [BodyId; 2],
    [[a0, a1], [b0, b1]]: [[VertexId; 2]; 2],
    (passing, margin, settings): (&Passing, Margin, ContactSettings),
) -> Contact {
    let Passing { s, t, normal, gap } = *passing;
    Contact {
        feature,
        vertices: [a0, a1, b0, b1],
        weights: [1.0 - s, s, t - 1.0, -t],
        count: 4,
        bodies: (a, Some(b)),
        normal,
        gap,
        drift: Vec3::ZERO,
        target: 0.0,
        friction: settings.friction,
        offset: margin.offset,
        size: margin.size,
    }
}
