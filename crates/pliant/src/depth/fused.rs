//! All four stages, body after body, so that the data of one stays in the cache.
//!
//! The staged reference runs each stage over the whole scene; here stages 1 to 4 of a body
//! are done while its lists are in the cache. Bodies are independent, so the result does not
//! depend on their order or on threads. Both are compared in the integration tests.

use std::ops::Range;

use crate::body::{Bodies, BodyKind};
use crate::depth::border::{self, Crossing};
use crate::depth::propagation_field::Field;
use crate::depth::{DepthSettings, Penetrations, Scope};
use crate::detect::boxes::{Bounds, Hits};
use crate::detect::clusters::{Clusters, Fit};
use crate::detect::edge_filter::{self, FilterVertex};
use crate::detect::inverted::Inverted;
use crate::detect::nearby_triangles::{NearbyTriangles, Ray, Triangle};
use crate::detect::pairs::{self, Sweep};
use crate::detect::rays::{Winding, ray_crossing};
use crate::detect::tet_bvh::TetBvh;
use crate::detect::vertex_edges::VertexEdges;
use crate::detect::{Exit, Overlaps};
use crate::id::{BodyId, MismatchError, VertexId};
use crate::math::{Aabb, Vec3};
use crate::mesh::normals::{NormalCache, Normals, face_normal, normal_at};
use crate::mesh::topology::Csr;
use crate::par;
use crate::profile::{ProfilerRef, Stage, StageTimer};

/// Surfaces up to this many triangles have all vertex normals computed at once.
///
/// Where a quarter of them was needed, one sweep through memory took a fifth off the whole
/// step against computing each on its own; of larger surfaces often fewer are needed.
const AT_ONCE: usize = 4096;

/// Scratch memory that is kept from step to step, so that a step allocates nothing.
#[derive(Clone, Debug)]
pub struct Scratch {
    clusters: Clusters,
    fit: Fit,
    sweep: Sweep,
    near: Csr<BodyId>,
    /// Hash of the bodies that it was made for.
    bodies: u64,
    /// Most threads of use: the number of bodies; at least 1.
    most_threads: usize,
    /// One per thread, at least one.
    shares: Vec<ThreadScratch>,
    /// Place of an overlapping vertex in its list, and a body that it is inside of.
    rows: Vec<(u32, BodyId)>,
    profiler: ProfilerRef,
}

/// What one thread works with.
#[derive(Clone, Debug, Default)]
struct ThreadScratch {
    local: BodyScratch,
    /// Bodies of this thread; a range of numbers.
    bodies: Range<u32>,
    /// What was found of them, before it is merged.
    found: Penetrations,
}

/// Pairs of bodies that are looked at, where others are known not to overlap.
#[derive(Clone, Copy)]
pub(crate) struct AskedPairs<'a> {
    /// Bodies near each body, ascending: all whose boxes meet, and maybe more.
    pub near: &'a Csr<BodyId>,
    /// Whether two near bodies may overlap, in either order.
    pub may_overlap: &'a (dyn Fn(BodyId, BodyId) -> bool + Sync),
}

/// Data of one step that all bodies share.
struct Step<'a> {
    positions: &'a [Vec3],
    bodies: &'a Bodies,
    settings: DepthSettings,
    clusters: &'a Clusters,
    fit: &'a Fit,
    asked: AskedPairs<'a>,
    profiler: &'a ProfilerRef,
}

/// A body that holds vertices of the current one, or may.
#[derive(Clone, Debug)]
struct Candidate {
    body: BodyId,
    /// Where the two boxes meet: every crossing lies in it.
    overlap: Bounds,
    /// Triangles of the body that reach into `overlap` or into a ray from it.
    triangles: NearbyTriangles,
}

/// Scratch memory for one body at a time.
#[derive(Clone, Debug, Default)]
struct BodyScratch {
    /// Reused from body to body; the first `candidate_count` are in use.
    candidate_bodies: Vec<Candidate>,
    candidate_count: usize,
    candidates: Vec<VertexId>,
    /// Colliding vertex and the entry of `candidate_bodies` that holds it.
    pairs: Vec<(VertexId, u32)>,
    field: Field,
    into: Vec<BodyId>,
    free: Vec<VertexId>,
    fan: VertexEdges,
    containment: ContainmentScratch,
    crossings: Vec<Crossing>,
    normals: NormalCache,
}

/// Scratch memory of the test whether a vertex is inside a body.
#[derive(Clone, Debug, Default)]
struct ContainmentScratch {
    /// Triangles that a ray, or an edge out of the body, may meet.
    hits: Hits,
    /// Boxes of inverted tets.
    inverted: Inverted,
    /// Tets of the bodies that a ray does not decide.
    holders: TetBvh,
}

impl Scratch {
    /// Scratch memory for a scene; `positions` decide how it is split into clusters.
    pub fn new(positions: &[Vec3], bodies: &Bodies) -> Result<Scratch, MismatchError> {
        bodies.check_count("positions", positions.len())?;
        Ok(Scratch::with_clusters(Clusters::new(positions, bodies), bodies))
    }

    /// The same for other bodies with these clusters, by one thread.
    pub(crate) fn with_clusters(clusters: Clusters, bodies: &Bodies) -> Scratch {
        Scratch {
            bodies: bodies.hash(),
            clusters,
            fit: Fit::default(),
            sweep: Sweep::default(),
            near: Csr::default(),
            most_threads: bodies.len().max(1),
            shares: vec![ThreadScratch::default()],
            rows: Vec::new(),
            profiler: None,
        }
    }

    /// How bodies are split into clusters.
    #[cfg(test)]
    pub(crate) fn clusters(&self) -> &Clusters {
        &self.clusters
    }

    /// How bodies are split into clusters; nothing can be found without them any more.
    pub(crate) fn take_clusters(&mut self) -> Clusters {
        std::mem::take(&mut self.clusters)
    }

    /// Reports stage 1 as `Detect` and stages 2 to 4 as `Depth`, body by body.
    ///
    /// With several threads all of them report at once.
    pub fn set_watcher(&mut self, profiler: ProfilerRef) {
        self.profiler = profiler;
    }

    /// Sets the number of threads: at least one, at most one per body.
    ///
    /// The result stays the same, bit for bit.
    pub fn set_threads(&mut self, threads: usize) {
        self.shares.resize_with(threads.clamp(1, self.most_threads), ThreadScratch::default);
    }

    /// Number of tets that points on a surface, or in doubt, were tested against.
    #[cfg(any(test, feature = "checks"))]
    pub fn tets_tested(&self) -> usize {
        self.shares.iter().map(|share| share.local.containment.holders.tested()).sum()
    }

    /// Fills `found` with the penetration of every overlapping vertex.
    ///
    /// - Implements: [Heidelberger04 §3].
    /// - Deviates: [Heidelberger04 §3.2] tests points against tets in a hash grid; a ray
    ///   against the surface gives the same result and looks at far fewer elements.
    pub fn penetrations(
        &mut self,
        positions: &[Vec3],
        bodies: &Bodies,
        settings: DepthSettings,
        found: &mut Penetrations,
    ) -> Result<(), MismatchError> {
        self.penetrations_among(positions, bodies, settings, None, found)
    }

    /// The same of some pairs; of all without them.
    pub(crate) fn penetrations_among(
        &mut self,
        positions: &[Vec3],
        bodies: &Bodies,
        settings: DepthSettings,
        asked: Option<AskedPairs<'_>>,
        found: &mut Penetrations,
    ) -> Result<(), MismatchError> {
        found.clear();
        self.check(positions, bodies)?;
        let (step, shares) = self.prepare(positions, bodies, settings, asked);
        found.non_finite.clone_from(&step.fit.non_finite);
        if let [ThreadScratch { local, .. }] = shares {
            bodies.ids().for_each(|body| local.run(&step, body, found));
            return Ok(());
        }
        let count = shares.len();
        for (index, share) in shares.iter_mut().enumerate() {
            let cut = |k: usize| (bodies.len() * k / count) as u32;
            share.bodies = cut(index)..cut(index + 1);
        }
        par::each(shares, |ThreadScratch { local, bodies, found }| {
            found.clear();
            bodies.clone().for_each(|body| local.run(&step, BodyId(body), found));
        });
        shares.iter().for_each(|share| found.append(&share.found));
        Ok(())
    }

    /// Accepts the bodies that it was made for, with a position of each vertex.
    fn check(&self, positions: &[Vec3], bodies: &Bodies) -> Result<(), MismatchError> {
        bodies.check_hash("scratch memory", self.bodies)?;
        bodies.check_count("positions", positions.len())
    }

    /// Fills `found` with the vertices inside other bodies: stage 1 alone.
    pub fn overlaps(
        &mut self,
        positions: &[Vec3],
        bodies: &Bodies,
        found: &mut Overlaps,
    ) -> Result<(), MismatchError> {
        self.check(positions, bodies)?;
        let mut rows = std::mem::take(&mut self.rows);
        rows.clear();
        found.vertices.clear();
        let (step, shares) = self.prepare(positions, bodies, DepthSettings::default(), None);
        found.non_finite.clone_from(&step.fit.non_finite);
        let local = &mut shares[0].local;
        for body in bodies.ids() {
            local.find(&step, body);
            for &(vertex, candidate) in &local.pairs {
                if found.vertices.last() != Some(&vertex) {
                    found.vertices.push(vertex);
                }
                rows.push((
                    found.vertices.len() as u32 - 1,
                    local.candidate_bodies[candidate as usize].body,
                ));
            }
        }
        found.into.refill(found.vertices.len(), &rows);
        self.rows = rows;
        Ok(())
    }

    /// Prepares what all bodies share.
    fn prepare<'a>(
        &'a mut self,
        positions: &'a [Vec3],
        bodies: &'a Bodies,
        settings: DepthSettings,
        asked: Option<AskedPairs<'a>>,
    ) -> (Step<'a>, &'a mut [ThreadScratch]) {
        let _detect = StageTimer::new(&self.profiler, Stage::Detect);
        self.clusters.refit(positions, &mut self.fit);
        if asked.is_none() {
            pairs::neighbours(&self.fit.bodies, &mut self.sweep, &mut self.near);
        }
        for share in &mut self.shares {
            share.local.normals.start(bodies.vertex_count());
            share.local.containment.holders.start(bodies.len());
            share.local.containment.inverted.start(bodies.len());
        }
        let step = Step {
            positions,
            bodies,
            settings,
            clusters: &self.clusters,
            fit: &self.fit,
            asked: asked.unwrap_or(AskedPairs { near: &self.near, may_overlap: &|_, _| true }),
            profiler: &self.profiler,
        };
        (step, &mut self.shares)
    }
}

impl BodyScratch {
    /// All stages for the vertices of one body.
    fn run(&mut self, step: &Step<'_>, body: BodyId, found: &mut Penetrations) {
        let detect = StageTimer::new(step.profiler, Stage::Detect);
        self.find(step, body);
        drop(detect);
        if self.pairs.is_empty() {
            return;
        }
        let _depth = StageTimer::new(step.profiler, Stage::Depth);
        let (start, unresolved_start) = (found.resolved.len(), found.unresolved.len());
        match step.settings.scope {
            Scope::Scene => self.resolve(step, body, 0..u32::MAX, found),
            Scope::Pairs => {
                for candidate in 0..self.candidate_count as u32 {
                    self.resolve(step, body, candidate..candidate + 1, found);
                }
                found.sort_from(start, unresolved_start);
            }
        }
    }

    /// Stage 1: which vertices are inside which other bodies, ascending.
    fn find(&mut self, step: &Step<'_>, body: BodyId) {
        self.pairs.clear();
        self.candidate_count = 0;
        let AskedPairs { near, may_overlap } = step.asked;
        let own = step.fit.bodies[body.index()];
        for &other in near.row(body.index()) {
            if own.meets(step.fit.bodies[other.index()]) && may_overlap(body, other) {
                self.meet(step, body, other);
            }
        }
        self.pairs.sort_unstable();
    }

    /// Stage 1 against one other body: which vertices are inside it.
    fn meet(&mut self, step: &Step<'_>, body: BodyId, other: BodyId) {
        let (own, its) = (step.fit.bodies[body.index()], step.fit.bodies[other.index()]);
        let overlap = own.intersection(its);
        step.clusters.vertices_in(step.fit, body, overlap, &mut self.candidates);
        if self.candidates.is_empty() {
            return;
        }
        let ray = Ray::shortest(overlap, its);
        let candidate = self.next_live(other, overlap);
        let BodyScratch { candidate_bodies, candidates, containment, pairs, .. } = self;
        let triangles = &mut candidate_bodies[candidate].triangles;
        step.clusters.triangles_in(step.fit, other, ray.sweep(overlap), triangles);
        for &vertex in candidates.iter() {
            if candidate_bodies[candidate].holds(step, vertex, ray, containment) {
                pairs.push((vertex, candidate as u32));
            }
        }
    }

    fn next_live(&mut self, body: BodyId, overlap: Bounds) -> usize {
        let index = self.candidate_count;
        self.candidate_count += 1;
        match self.candidate_bodies.get_mut(index) {
            Some(candidate) => {
                candidate.body = body;
                candidate.overlap = overlap;
            }
            None => self.candidate_bodies.push(Candidate {
                body,
                overlap,
                triangles: NearbyTriangles::default(),
            }),
        }
        index
    }

    /// Stages 2 to 4 for the pairs whose candidate body is in `which`.
    fn resolve(
        &mut self,
        step: &Step<'_>,
        body: BodyId,
        which: Range<u32>,
        found: &mut Penetrations,
    ) {
        let BodyScratch {
            pairs,
            candidate_bodies,
            field,
            into,
            free,
            fan,
            containment,
            crossings,
            normals,
            ..
        } = self;
        field.start(step.bodies, body);
        for &(vertex, candidate) in pairs.iter().filter(|pair| which.contains(&pair.1)) {
            field.add(vertex, candidate);
            step.smooth(candidate_bodies[candidate as usize].body, normals);
        }
        for slot in 0..field.len() {
            let vertex = field.vertex(slot);
            let inner = step.positions[vertex.index()];
            fan.start(inner, step.fit.points[vertex.index()], step.fit.scale);
            for &neighbour in field.free_among(step.bodies.neighbours().row(vertex.index()), free) {
                fan.push(step.positions[neighbour.index()]);
            }
            if !fan.is_empty() {
                for &candidate in field.candidate_bodies(slot) {
                    let candidate = &candidate_bodies[candidate as usize];
                    let clipped = fan.clipped(candidate.overlap);
                    let near = candidate.triangles.meeting(clipped, &mut containment.hits);
                    let far = step.fit.bodies[candidate.body.index()].reach();
                    fan.cross(&candidate.triangles, near, far, step.positions);
                }
            }
            crossings.clear();
            for (exit, corners) in fan.exits() {
                if let Some(normal) = step.normal(exit, corners, normals) {
                    crossings.push(Crossing { position: exit.position, normal });
                }
            }
            found.missed_edges += fan.len() - crossings.len();
            let penetration = border::penetration(inner, crossings, step.settings.exponent);
            field.border(slot, penetration, fan.len(), crossings.len());
        }
        field.spread(step.positions, step.bodies, step.settings.exponent);
        for slot in 0..field.len() {
            into.clear();
            into.extend(
                field
                    .candidate_bodies(slot)
                    .iter()
                    .map(|&candidate| candidate_bodies[candidate as usize].body),
            );
            field.describe(slot, into, found);
        }
        field.finish();
    }
}

impl Candidate {
    /// Whether a vertex is inside this body.
    fn holds(
        &self,
        step: &Step<'_>,
        vertex: VertexId,
        ray: Ray,
        scratch: &mut ContainmentScratch,
    ) -> bool {
        let ContainmentScratch { hits, inverted, holders } = scratch;
        // Seldom needed, and then far away.
        let point = || step.positions[vertex.index()];
        let rounded = step.fit.points[vertex.index()];
        let mut by_tets = || holders.is_inside(point(), step.positions, step.bodies, self.body);
        if !step.bodies.is_bounded(self.body) {
            return by_tets();
        }
        let mut winding = Winding::default();
        let beam = ray.sweep(Bounds { low: rounded, high: rounded });
        let (tip, far) = (FilterVertex::new(rounded), step.fit.bodies[self.body.index()].reach());
        for &place in self.triangles.meeting(beam, hits) {
            let Triangle { corners, facet, .. } = self.triangles.triangle(place);
            let filtered = edge_filter::ray_crossing(&tip, facet, ray, far);
            winding.add(
                filtered.unwrap_or_else(|| ray_crossing(point(), step.corners(*corners), ray)),
            );
        }
        if step.bodies.kind(self.body) == BodyKind::Surface {
            return winding.is_inside();
        }
        if winding.is_inside() {
            return true;
        }
        // On the surface, or in an inverted tet, only the tets themselves can decide.
        (winding.touches() || step.may_be_in_inverted(self.body, vertex, inverted)) && by_tets()
    }
}

impl Step<'_> {
    #[inline]
    fn corners(&self, [a, b, c]: [VertexId; 3]) -> [Vec3; 3] {
        [self.positions[a.index()], self.positions[b.index()], self.positions[c.index()]]
    }

    /// Computes the vertex normals of a body, if wanted and it is not too large.
    #[inline]
    fn smooth(&self, body: BodyId, cache: &mut NormalCache) {
        let kind = self.settings.normals;
        let triangles = self.bodies.triangles_of(body);
        if kind != Normals::Face && triangles.len() <= AT_ONCE {
            let triangles = &self.bodies.triangles()[triangles];
            cache.fill(self.bodies.vertices(body), triangles, self.positions, kind);
        }
    }

    /// Normal of the penetrated surface where an edge leaves it, given the triangle's corners.
    #[inline]
    fn normal(&self, exit: &Exit, corners: [VertexId; 3], cache: &mut NormalCache) -> Option<Vec3> {
        let kind = self.settings.normals;
        let flat = || face_normal(self.corners(corners));
        if kind == Normals::Face {
            return flat();
        }
        let mut smooth = |vertex: VertexId| {
            cache.vertex(vertex, || {
                let around = self.bodies.triangles_around().row(vertex.index());
                normal_at(vertex, around, self.bodies.triangles(), self.positions, kind)
            })
        };
        let ([a, b, c], [first, second, third]) = (corners, exit.weights);
        // A corner without a normal makes the sum NaN, which has no direction.
        let sum = first * smooth(a) + second * smooth(b) + third * smooth(c);
        sum.try_normalize().or_else(flat)
    }

    /// Whether the box of an inverted tet of the body holds the vertex.
    ///
    /// Elsewhere the surface winds around a point as often as tets cover it.
    fn may_be_in_inverted(&self, body: BodyId, vertex: VertexId, inverted: &mut Inverted) -> bool {
        let point = || self.positions[vertex.index()];
        inverted
            .of_body(body, self.positions, self.bodies, self.fit)
            .iter()
            .map(|tet| self.bodies.tets()[tet.index()])
            .any(|tet| Aabb::around(tet.map(|v| self.positions[v.index()])).contains(point()))
    }
}
