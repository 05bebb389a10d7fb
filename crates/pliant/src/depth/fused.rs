//! All four stages for one body after the other, so that what is at hand stays at hand.
//!
//! The staged twin runs each stage over the whole scene; here stages 1 to 4 of a body are
//! done while its lists are in the cache. Bodies are independent, so the answer does not
//! depend on their order or on threads. Both are compared in the integration tests.

use std::ops::Range;

use crate::body::{Bodies, BodyKind};
use crate::depth::border::{self, Crossing};
use crate::depth::spread::Field;
use crate::depth::{DepthSettings, Escapes, Scope};
use crate::detect::clusters::Clusters;
use crate::detect::fans::{self, Spoke};
use crate::detect::gather::{Gathered, Query, Ray, Sense};
use crate::detect::holders::Holders;
use crate::detect::pairs::{self, Sweep};
use crate::detect::rays::{self, Passage};
use crate::detect::{Exit, Overlaps, inverted};
use crate::id::{BodyId, TetId, VertexId};
use crate::math::{Aabb, Vec3};
use crate::mesh::normals::{NormalCache, Normals, face_normal, interpolate, normal_at};
use crate::mesh::topology::Rows;
use crate::par;

/// Memory that is kept from step to step, so that a step allocates nothing.
#[derive(Clone, Debug)]
pub struct Scratch {
    clusters: Clusters,
    cluster_boxes: Vec<Aabb>,
    body_boxes: Vec<Aabb>,
    sweep: Sweep,
    near: Rows<BodyId>,
    inverted: Vec<TetId>,
    /// Bodies, count; at least 1.
    most_threads: usize,
    /// One per thread, at least one.
    shares: Vec<Share>,
    /// Place of an overlapping vertex in its list, and a body that it is inside of.
    rows: Vec<(u32, BodyId)>,
}

/// What one thread works with.
#[derive(Clone, Debug, Default)]
struct Share {
    local: Local,
    /// Bodies of this share; a range of numbers.
    bodies: Range<u32>,
    /// What was found of them, before it is put together.
    found: Escapes,
}

/// What is known of one step before its bodies are taken one by one.
struct Step<'a> {
    positions: &'a [Vec3],
    bodies: &'a Bodies,
    settings: DepthSettings,
    clusters: &'a Clusters,
    cluster_boxes: &'a [Aabb],
    body_boxes: &'a [Aabb],
    near: &'a Rows<BodyId>,
    inverted: &'a [TetId],
}

/// A body that holds vertices of the one at hand, or may.
#[derive(Clone, Debug)]
struct Live {
    body: BodyId,
    /// Where the two boxes meet, m: every crossing lies in it.
    overlap: Aabb,
    /// Triangles of the body that reach into `overlap` or into a ray from it.
    triangles: Gathered,
}

/// Memory for one body at a time.
#[derive(Clone, Debug, Default)]
struct Local {
    /// Reused from body to body; the first `live_count` are in use.
    lives: Vec<Live>,
    live_count: usize,
    candidates: Vec<VertexId>,
    /// Colliding vertex and the entry of `lives` that holds it.
    pairs: Vec<(VertexId, u32)>,
    field: Field,
    into: Vec<BodyId>,
    spokes: Vec<Spoke>,
    crossings: Vec<Crossing>,
    normals: NormalCache,
    holders: Holders,
}

impl Scratch {
    /// Memory for a scene; `positions` decide how its surfaces are cut into clusters.
    pub fn new(positions: &[Vec3], bodies: &Bodies) -> Scratch {
        Scratch {
            clusters: Clusters::new(positions, bodies),
            cluster_boxes: Vec::new(),
            body_boxes: Vec::new(),
            sweep: Sweep::default(),
            near: Rows::default(),
            inverted: Vec::new(),
            most_threads: bodies.len().max(1),
            shares: vec![Share::default()],
            rows: Vec::new(),
        }
    }

    /// Works with this many threads from now on: at least one, at most one per body.
    ///
    /// The answer stays the same, bit for bit.
    pub fn set_threads(&mut self, threads: usize) {
        self.shares.resize_with(threads.clamp(1, self.most_threads), Share::default);
    }

    /// Tets that points on a surface, or in doubt, were tested against so far, count.
    pub fn tets_tested(&self) -> usize {
        self.shares.iter().map(|share| share.local.holders.tested()).sum()
    }

    /// Fills `found` with the way out of every overlap.
    ///
    /// - Implements: [Heidelberger04 §3].
    /// - Deviates: [Heidelberger04 §3.2] tests points against tets in a hash grid; a ray
    ///   against the surface gives the same answer and looks at far fewer things.
    pub fn escapes(
        &mut self,
        positions: &[Vec3],
        bodies: &Bodies,
        settings: DepthSettings,
        found: &mut Escapes,
    ) {
        found.clear();
        let (step, shares) = self.prepare(positions, bodies, settings);
        if let [Share { local, .. }] = shares {
            bodies.ids().for_each(|body| local.run(&step, body, found));
            return;
        }
        let count = shares.len();
        for (index, share) in shares.iter_mut().enumerate() {
            let cut = |k: usize| (bodies.len() * k / count) as u32;
            share.bodies = cut(index)..cut(index + 1);
        }
        par::each(shares, |Share { local, bodies, found }| {
            found.clear();
            bodies.clone().for_each(|body| local.run(&step, BodyId(body), found));
        });
        shares.iter().for_each(|share| found.append(&share.found));
    }

    /// Fills `found` with the vertices inside other bodies: stage 1 alone.
    pub fn overlaps(&mut self, positions: &[Vec3], bodies: &Bodies, found: &mut Overlaps) {
        let mut rows = std::mem::take(&mut self.rows);
        rows.clear();
        found.vertices.clear();
        let (step, shares) = self.prepare(positions, bodies, DepthSettings::default());
        let local = &mut shares[0].local;
        for body in bodies.ids() {
            local.find(&step, body);
            for &(vertex, live) in &local.pairs {
                if found.vertices.last() != Some(&vertex) {
                    found.vertices.push(vertex);
                }
                rows.push((found.vertices.len() as u32 - 1, local.lives[live as usize].body));
            }
        }
        found.into.refill(found.vertices.len(), &rows);
        self.rows = rows;
    }

    /// What all bodies need, before they are taken one by one.
    fn prepare<'a>(
        &'a mut self,
        positions: &'a [Vec3],
        bodies: &'a Bodies,
        settings: DepthSettings,
    ) -> (Step<'a>, &'a mut [Share]) {
        self.clusters.refit(positions, &mut self.cluster_boxes, &mut self.body_boxes);
        pairs::neighbours(&self.body_boxes, &mut self.sweep, &mut self.near);
        inverted::inverted(positions, bodies, &self.body_boxes, &mut self.inverted);
        for share in &mut self.shares {
            share.local.normals.start(bodies.vertex_count());
            share.local.holders.start(bodies.len());
        }
        let step = Step {
            positions,
            bodies,
            settings,
            clusters: &self.clusters,
            cluster_boxes: &self.cluster_boxes,
            body_boxes: &self.body_boxes,
            near: &self.near,
            inverted: &self.inverted,
        };
        (step, &mut self.shares)
    }
}

impl Local {
    /// All stages for the vertices of one body.
    fn run(&mut self, step: &Step<'_>, body: BodyId, found: &mut Escapes) {
        self.find(step, body);
        if self.pairs.is_empty() {
            return;
        }
        let (start, unresolved_start) = (found.resolved.len(), found.unresolved.len());
        match step.settings.scope {
            Scope::Scene => self.resolve(step, body, 0..u32::MAX, found),
            Scope::Pairs => {
                for live in 0..self.live_count as u32 {
                    self.resolve(step, body, live..live + 1, found);
                }
                found.sort_from(start, unresolved_start);
            }
        }
    }

    /// Stage 1: which vertices are inside which other bodies, ascending.
    fn find(&mut self, step: &Step<'_>, body: BodyId) {
        self.pairs.clear();
        self.live_count = 0;
        for &other in step.near.row(body.index()) {
            self.meet(step, body, other);
        }
        self.pairs.sort_unstable();
    }

    /// Stage 1 against one other body: which vertices are inside it.
    fn meet(&mut self, step: &Step<'_>, body: BodyId, other: BodyId) {
        let (own, its) = (step.body_boxes[body.index()], step.body_boxes[other.index()]);
        let overlap = own.intersection(its);
        self.candidates.clear();
        for cluster in step.clusters.of_body(body) {
            if step.cluster_boxes[cluster].meets(overlap) {
                self.candidates.extend_from_slice(step.clusters.owned(cluster));
            }
        }
        // Kept in place without a branch: which vertices stay cannot be foreseen.
        let mut kept = 0;
        for index in 0..self.candidates.len() {
            let vertex = self.candidates[index];
            self.candidates[kept] = vertex;
            kept += usize::from(overlap.contains(step.positions[vertex.index()]));
        }
        self.candidates.truncate(kept);
        if self.candidates.is_empty() {
            return;
        }
        let (ray, swept) = shortest_ray(overlap, its);
        let live = self.next_live(other, overlap);
        gather(step, other, swept, &mut self.lives[live].triangles);
        for index in 0..self.candidates.len() {
            let vertex = self.candidates[index];
            let point = step.positions[vertex.index()];
            if self.lives[live].holds(step, point, ray, &mut self.holders) {
                self.pairs.push((vertex, live as u32));
            }
        }
    }

    fn next_live(&mut self, body: BodyId, overlap: Aabb) -> usize {
        let index = self.live_count;
        self.live_count += 1;
        match self.lives.get_mut(index) {
            Some(live) => {
                live.body = body;
                live.overlap = overlap;
                live.triangles.clear();
            }
            None => self.lives.push(Live { body, overlap, triangles: Gathered::default() }),
        }
        index
    }

    /// Stages 2 to 4 for the pairs whose live body is in `which`.
    fn resolve(&mut self, step: &Step<'_>, body: BodyId, which: Range<u32>, found: &mut Escapes) {
        let Local { pairs, lives, field, into, spokes, crossings, normals, .. } = self;
        field.start(step.bodies, body);
        for &(vertex, live) in pairs.iter().filter(|pair| which.contains(&pair.1)) {
            field.add(vertex, live);
        }
        for slot in 0..field.len() {
            let vertex = field.vertex(slot);
            let inner = step.positions[vertex.index()];
            spokes.clear();
            let free = step.bodies.neighbours().row(vertex.index()).iter();
            let ends = free.filter(|v| field.is_free(**v)).map(|v| step.positions[v.index()]);
            spokes.extend(ends.map(|free| Spoke::new(inner, free)));
            if !spokes.is_empty() {
                for &live in field.lives(slot) {
                    let live = &lives[live as usize];
                    let query = Query::of_box(fans::clipped(inner, spokes, live.overlap));
                    live.triangles.meeting(query, |triangle, corners| {
                        fans::cross(inner, spokes, corners, triangle.0);
                    });
                }
            }
            crossings.clear();
            crossings.extend(spokes.iter().filter_map(|spoke| {
                let exit = spoke.exit.as_ref()?;
                Some(Crossing { position: exit.position, normal: step.normal(exit, normals)? })
            }));
            found.missed_edges += spokes.len() - crossings.len();
            let escape = border::escape(inner, crossings, step.settings.exponent);
            field.border(slot, escape, spokes.len(), crossings.len());
        }
        field.spread(step.positions, step.bodies, step.settings.exponent);
        for slot in 0..field.len() {
            into.clear();
            into.extend(field.lives(slot).iter().map(|&live| lives[live as usize].body));
            field.tell(slot, into, found);
        }
        field.finish();
    }
}

impl Live {
    /// Whether a point is inside this body.
    fn holds(&self, step: &Step<'_>, point: Vec3, ray: Ray, holders: &mut Holders) -> bool {
        let mut by_tets = || holders.is_inside(point, step.positions, step.bodies, self.body);
        if !step.bodies.is_bounded(self.body) {
            return by_tets();
        }
        let (mut winding, mut touches) = (0, false);
        self.triangles.meeting(Query::of_ray(point, ray), |_, corners| {
            match rays::passage(point, corners, ray) {
                Passage::Missed => {}
                Passage::Leaves => winding += 1,
                Passage::Enters => winding -= 1,
                Passage::Touches => touches = true,
            }
        });
        if step.bodies.kind(self.body) == BodyKind::Surface {
            return winding > 0 && !touches;
        }
        if winding > 0 && !touches {
            return true;
        }
        // On the surface, or in an inverted tet, only the tets themselves can tell.
        (touches || step.may_be_in_inverted(self.body, point)) && by_tets()
    }
}

impl Step<'_> {
    #[inline]
    fn corners(&self, triangle: usize) -> [Vec3; 3] {
        self.bodies.triangles()[triangle].map(|v| self.positions[v.index()])
    }

    /// Normal of the penetrated surface where an edge leaves it.
    #[inline]
    fn normal(&self, exit: &Exit, cache: &mut NormalCache) -> Option<Vec3> {
        let corners = || self.corners(exit.triangle as usize);
        let kind = self.settings.normals;
        if kind == Normals::Face {
            return face_normal(corners());
        }
        let smooth = self.bodies.triangles()[exit.triangle as usize].map(|vertex| {
            cache.vertex(vertex, || {
                let around = self.bodies.triangles_around().row(vertex.index()).iter();
                let around = around.map(|t| self.bodies.triangles()[t.index()]);
                normal_at(vertex, around, self.positions, kind)
            })
        });
        interpolate(smooth, exit.weights).or_else(|| face_normal(corners()))
    }

    /// Whether the box of an inverted tet of the body holds the point.
    ///
    /// Elsewhere the surface winds around a point as often as tets cover it.
    fn may_be_in_inverted(&self, body: BodyId, point: Vec3) -> bool {
        let tets = self.bodies.tets_of(body);
        let first = self.inverted.partition_point(|tet| tet.index() < tets.start);
        let of_body = self.inverted[first..].iter().take_while(|tet| tet.index() < tets.end);
        of_body
            .map(|tet| self.bodies.tets()[tet.index()])
            .any(|tet| Aabb::around(tet.map(|v| self.positions[v.index()])).contains(point))
    }
}

/// The axis ray along which points of `overlap` leave the box of the other body soonest.
///
/// And the box in which such rays run: `overlap`, drawn out to the side of `its`.
fn shortest_ray(overlap: Aabb, its: Aabb) -> (Ray, Aabb) {
    let mut best = (f64::INFINITY, Ray { axis: 0, sense: Sense::Up }, overlap);
    let (low, high) = (overlap.min.to_array(), overlap.max.to_array());
    let (its_low, its_high) = (its.min.to_array(), its.max.to_array());
    for axis in 0..3 {
        for sense in [Sense::Up, Sense::Down] {
            let (from, to) = match sense {
                Sense::Up => (low[axis], its_high[axis]),
                Sense::Down => (its_low[axis], high[axis]),
            };
            if to - from < best.0 {
                let (mut min, mut max) = (low, high);
                (min[axis], max[axis]) = (from, to);
                let swept = Aabb { min: min.into(), max: max.into() };
                best = (to - from, Ray { axis, sense }, swept);
            }
        }
    }
    (best.1, best.2)
}

/// Collects the triangles of a body that reach into a box.
fn gather(step: &Step<'_>, body: BodyId, swept: Aabb, found: &mut Gathered) {
    for cluster in step.clusters.of_body(body) {
        if !step.cluster_boxes[cluster].meets(swept) {
            continue;
        }
        for &triangle in step.clusters.triangles(cluster) {
            let corners = step.corners(triangle.index());
            let around = Aabb::around(corners);
            if around.meets(swept) {
                found.push(triangle, corners, around);
            }
        }
    }
}
