//! All four stages for one body after the other, so that what is at hand stays at hand.
//!
//! The staged twin runs each stage over the whole scene; here stages 1 to 4 of a body are
//! done while its lists are in the cache. Bodies are independent, so the answer does not
//! depend on their order or on threads.

use crate::body::{Bodies, BodyKind};
use crate::depth::border::{self, Crossing};
use crate::depth::spread::Field;
use crate::depth::staged::interpolate;
use crate::depth::{DepthSettings, Escapes, Scope};
use crate::detect::clusters::Clusters;
use crate::detect::fans::{self, Spoke};
use crate::detect::gather::{Gathered, Query, Ray, Sense};
use crate::detect::pairs::{self, Sweep};
use crate::detect::rays::{self, Passage};
use crate::detect::{Exit, inverted, union};
use crate::id::{BodyId, TetId, VertexId};
use crate::math::{Aabb, Vec3};
use crate::mesh::normals::{NormalCache, Normals, face_normal, normal_at};
use crate::mesh::topology::Rows;

/// Memory that is kept from step to step, so that a step allocates nothing.
#[derive(Clone, Debug)]
pub struct Scratch {
    clusters: Clusters,
    cluster_boxes: Vec<Aabb>,
    body_boxes: Vec<Aabb>,
    sweep: Sweep,
    near: Rows<BodyId>,
    inverted: Vec<TetId>,
    local: Local,
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
            local: Local::default(),
        }
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
        self.clusters.refit(positions, &mut self.cluster_boxes, &mut self.body_boxes);
        pairs::neighbours(&self.body_boxes, &mut self.sweep, &mut self.near);
        inverted::inverted(positions, bodies, &mut self.inverted);
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
        self.local.normals.start(bodies.vertex_count());
        for body in bodies.ids() {
            self.local.run(&step, body, found);
        }
    }
}

impl Local {
    /// All stages for the vertices of one body.
    fn run(&mut self, step: &Step<'_>, body: BodyId, found: &mut Escapes) {
        self.pairs.clear();
        self.live_count = 0;
        for &other in step.near.row(body.index()) {
            self.meet(step, body, other);
        }
        if self.pairs.is_empty() {
            return;
        }
        let (start, unresolved_start) = (found.resolved.len(), found.unresolved.len());
        self.pairs.sort_unstable();
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

    /// Stage 1 against one other body: which vertices are inside it.
    fn meet(&mut self, step: &Step<'_>, body: BodyId, other: BodyId) {
        let (own, its) = (step.body_boxes[body.index()], step.body_boxes[other.index()]);
        let overlap = own.intersection(its);
        self.candidates.clear();
        for cluster in step.clusters.of_body(body) {
            if step.cluster_boxes[cluster].meets(overlap) {
                let inside = |v: &&VertexId| overlap.contains(step.positions[v.index()]);
                self.candidates.extend(step.clusters.owned(cluster).iter().filter(inside));
            }
        }
        if self.candidates.is_empty() {
            return;
        }
        let (ray, swept) = shortest_ray(overlap, its);
        let live = self.next_live(other, overlap);
        gather(step, other, swept, &mut self.lives[live].triangles);
        for index in 0..self.candidates.len() {
            let vertex = self.candidates[index];
            if self.lives[live].holds(step, step.positions[vertex.index()], ray) {
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
    fn resolve(
        &mut self,
        step: &Step<'_>,
        body: BodyId,
        which: std::ops::Range<u32>,
        found: &mut Escapes,
    ) {
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
                let reach = Aabb::around(spokes.iter().map(|s| s.free).chain([inner]));
                for &live in field.lives(slot) {
                    let live = &lives[live as usize];
                    let query = Query::of_box(reach.intersection(live.overlap));
                    live.triangles.meeting(query, |triangle| {
                        let corners = step.corners(triangle.index());
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
    fn holds(&self, step: &Step<'_>, point: Vec3, ray: Ray) -> bool {
        let (mut winding, mut touches) = (0, false);
        self.triangles.meeting(Query::of_ray(point, ray), |triangle| {
            match rays::passage(point, step.corners(triangle.index()), ray) {
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
        // On the surface, or among inverted tets, only the tets themselves can tell.
        if touches || step.is_inverted(self.body) {
            let tets = &step.bodies.tets()[step.bodies.tets_of(self.body)];
            return union::is_inside(point, step.positions, tets);
        }
        false
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

    fn is_inverted(&self, body: BodyId) -> bool {
        let tets = self.bodies.tets_of(body);
        let first = self.inverted.partition_point(|tet| tet.index() < tets.start);
        self.inverted.get(first).is_some_and(|tet| tet.index() < tets.end)
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
            let around = Aabb::around(step.corners(triangle.index()));
            if around.meets(swept) {
                found.push(triangle, around);
            }
        }
    }
}
