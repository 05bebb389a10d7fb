//! Contact search: all contacts of a snapshot, in a fixed order.
//!
//! Once per step: boxes with their margins find neighbouring bodies; of those, vertices inside
//! get the consistent penetration, vertices outside the closest point, and edges are tested
//! against edges. Bodies are split over the threads; as the list is sorted at the end, it does
//! not depend on how they are split.

use std::ops::Range;

use crate::body::Bodies;
use crate::body::obstacle::Obstacle;
use crate::contact::deep::{DeepPairs, RelativeMotion};
use crate::contact::edge_face_crossings::{Crossing, EdgeFaceCrossings, has_inside};
use crate::contact::enclosed::{self, Enclosed};
use crate::contact::features::Features;
use crate::contact::kept::{KeptPairs, NextPairs};
use crate::contact::known_pairs::KnownPairs;
use crate::contact::margin::{Margin, MarginSettings, VelocityBounds};
use crate::contact::obstacles::{self, Around};
use crate::contact::pair::{Pair, SearchState, edge_depth};
use crate::contact::response::{LARGEST, ResponseError, refuse_unsound};
use crate::contact::separating_slab::SeparatingSlab;
use crate::contact::shape::{Shape, grown, seen};
use crate::contact::swept::{self, Paths};
use crate::contact::{Contact, Feature, inside};
use crate::depth::fused::{AskedPairs, Scratch};
use crate::depth::{DepthSettings, Penetrations, Scope};
use crate::detect::boxes::{Bounds, Hits};
use crate::detect::pairs::{self, Sweep};
use crate::force::StateView;
use crate::id::{BodyId, MismatchError, VertexId};
use crate::math::{Aabb, Vec3};
use crate::mesh::normals::Normals;
use crate::mesh::runs::Runs;
use crate::mesh::topology::Csr;
use crate::order::KeptOrder;
use crate::par;

/// Settings of the contact search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSettings {
    /// Lengths relative to the bodies.
    pub margin: MarginSettings,
    /// Coulomb's coefficient between bodies.
    pub friction: f64,
}

impl Default for ContactSettings {
    fn default() -> ContactSettings {
        ContactSettings { margin: MarginSettings::default(), friction: 0.3 }
    }
}

impl ContactSettings {
    /// Rejects values outside their ranges.
    pub(crate) fn check(self) -> Result<(), ResponseError> {
        let MarginSettings { offset, speculative_distance, steps_ahead } = self.margin;
        let rule = "at least 0 and finite";
        let sound = |value: f64| value >= 0.0 && value.is_finite();
        let values = [
            ("friction", self.friction),
            ("offset", offset),
            ("speculative distance", speculative_distance),
            ("number of steps ahead", steps_ahead),
        ];
        let list = values.map(|(what, value)| (what, value, sound(value), rule));
        refuse_unsound("contact search", &list)
    }
}

/// One moment of a scene, whose contacts are searched for.
#[derive(Clone, Copy, Debug)]
pub struct ContactQuery<'a> {
    /// Positions, m, velocities, m/s, and the time, s.
    pub motion: StateView<'a>,
    /// The bodies.
    pub bodies: &'a Bodies,
    /// The obstacles.
    pub obstacles: &'a [Obstacle],
    /// Distances and friction.
    pub settings: ContactSettings,
    /// Length of the step to come, s.
    pub dt: f64,
}

impl<'a> ContactQuery<'a> {
    /// What the search of a pair reads.
    fn state(
        &self,
        features: &'a Features,
        shapes: &'a [Shape],
        near: &'a BroadPhase,
        inside: &'a [(VertexId, BodyId)],
    ) -> SearchState<'a> {
        SearchState {
            positions: self.motion.positions,
            bodies: self.bodies,
            features,
            shapes,
            boxes: &near.boxes,
            inside,
            origin: near.origin,
            friction: self.settings.friction,
            velocities: self.motion.velocities,
            dt: self.dt,
        }
    }
}

/// Accepts values that are finite, and whose products are.
fn check_extreme(what: &'static str, list: &[Vec3]) -> Result<(), ResponseError> {
    let is_extreme = |value: &Vec3| !value.abs().cmple(Vec3::splat(LARGEST)).all();
    match list.iter().position(is_extreme) {
        None => Ok(()),
        Some(index) => {
            let (vertex, value) = (VertexId(index as u32), list[index]);
            Err(ResponseError::Extreme { vertex, what, value })
        }
    }
}

/// Settings of the penetration of vertices inside.
pub(super) fn depth_settings() -> DepthSettings {
    DepthSettings { scope: Scope::Pairs, normals: Normals::Face, ..Default::default() }
}

/// Contact search with its memory, kept from step to step.
#[derive(Debug)]
pub struct Search {
    /// Edges, surface vertices and sizes, which do not change.
    pub features: Features,
    /// Vertices inside bodies without a way out, in the last search.
    pub unresolved: usize,
    /// Vertices of bodies wholly inside others, in the last search.
    pub enclosed: usize,
    /// Hash of the bodies that it was made for.
    bodies: u64,
    scratch: Scratch,
    penetrations: Penetrations,
    near: BroadPhase,
    shapes: Vec<Shape>,
    /// Pairs of a vertex and a body that it is inside, ascending.
    inside: Vec<(VertexId, BodyId)>,
    groups: Groups,
    /// Pairs deep in each other, with what is remembered of them.
    pub(crate) deep: DeepPairs,
    /// Rigid pairs whose contacts are kept.
    pub(crate) kept: KeptPairs,
    /// Which pairs need no search, and which bodies have others.
    known: KnownPairs,
    /// Pairs with edges through faces that no contact shows.
    crossing: Vec<[BodyId; 2]>,
    /// Speed that each body may gain in the step to come, m/s; 0 beyond the end.
    pub(crate) gains: Vec<f64>,
    /// One per thread, at least one.
    shares: Vec<ThreadScratch>,
    /// Offsets of the bodies of each thread, from 0 to all.
    offsets: Vec<usize>,
    /// Number of bodies; at least 1.
    most_threads: usize,
    /// Of the contacts of all threads, by their features.
    order: KeptOrder<Feature>,
}

/// Which bodies a search goes on with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SearchChange<'a> {
    /// The bodies that it was made for.
    pub from: &'a Bodies,
    /// Those of them that stay.
    pub kept: &'a Runs,
    /// All bodies from now on.
    pub to: &'a Bodies,
}

/// Broad phase: which bodies are near which.
#[derive(Debug, Default)]
struct BroadPhase {
    /// Box of each body, m.
    boxes: Vec<Aabb>,
    /// The same with its margin in f32, m from `origin`; conservative.
    wide: Vec<Bounds>,
    velocity_bounds: Vec<VelocityBounds>,
    /// A corner of the first box, m.
    origin: Vec3,
    sweep: Sweep,
    rows: Csr<BodyId>,
}

/// Bodies wholly inside others.
#[derive(Debug, Default)]
struct Groups {
    vertices: Vec<Enclosed>,
    ways: Vec<(f64, Vec3)>,
    /// The enclosing body and the one in it, ascending.
    pairs: Vec<(BodyId, BodyId)>,
}

/// Scratch memory of one thread.
#[derive(Debug, Default)]
struct ThreadScratch {
    /// Bodies of this thread; a range of indices.
    bodies: Range<u32>,
    hits: [Hits; 2],
    through: EdgeFaceCrossings,
    found: Vec<Contact>,
    /// Pairs with edges through faces and no contact to show for it.
    crossing: Vec<[BodyId; 2]>,
    /// Rigid pairs of its bodies to be kept.
    kept: NextPairs,
}

impl Search {
    /// Prepares for a scene; sizes are those in `rest`, one position for each vertex.
    pub fn new(rest: &[Vec3], bodies: &Bodies) -> Result<Search, ResponseError> {
        bodies.check_count("positions at rest", rest.len())?;
        check_extreme("position at rest", rest)?;
        let features = Features::new(rest, bodies)?;
        let shapes = bodies.ids().map(|body| Shape::new(rest, bodies, &features, body)).collect();
        Ok(Search::of_parts(features, shapes, Scratch::new(rest, bodies)?, bodies))
    }

    /// A search by one thread that has found nothing yet.
    fn of_parts(
        features: Features,
        shapes: Vec<Shape>,
        scratch: Scratch,
        bodies: &Bodies,
    ) -> Search {
        Search {
            bodies: bodies.hash(),
            shapes,
            features,
            unresolved: 0,
            enclosed: 0,
            scratch,
            penetrations: Penetrations::default(),
            near: BroadPhase::default(),
            inside: Vec::new(),
            groups: Groups::default(),
            deep: DeepPairs::default(),
            kept: KeptPairs::default(),
            known: KnownPairs::default(),
            crossing: Vec::new(),
            gains: Vec::new(),
            shares: vec![ThreadScratch::default()],
            offsets: vec![0, bodies.len()],
            most_threads: bodies.len().max(1),
            order: KeptOrder::default(),
        }
    }

    /// Becomes the same as a new one for other bodies: those kept, then those of `other`.
    pub(crate) fn change(&mut self, mut other: Search, change: SearchChange<'_>) {
        let SearchChange { from, kept, to } = change;
        let (mut features, mut shapes) =
            (std::mem::take(&mut self.features), std::mem::take(&mut self.shapes));
        let mut clusters = self.scratch.take_clusters();
        let vertices = kept.entries(from.offsets().starts());
        let triangles = kept.entries(from.triangle_starts());
        let edges = kept.entries(&features.edge_starts);
        let (vertex_shifts, triangle_shifts) = (vertices.shifts(), triangles.shifts());
        let mut place = 0;
        for ((run, bodies), edge) in kept.iter().enumerate().zip(edges.shifts()) {
            let triangle = triangle_shifts[run] as usize;
            for body in bodies {
                shapes.swap(place, body);
                shapes[place].renumber(|first| first - triangle, |number| number - edge);
                place += 1;
            }
        }
        shapes.truncate(place);
        features.keep(kept, &vertex_shifts, &triangle_shifts);
        clusters.keep(kept, &vertex_shifts, &triangle_shifts);
        let (vertex, triangle) = (vertices.len(), triangles.len());
        let edge = features.edges.len() as u32;
        for mut shape in other.shapes {
            shape.renumber(|first| first + triangle, |number| number + edge);
            shapes.push(shape);
        }
        features.append(&other.features, vertex as u32, triangle as u32);
        clusters.append(&other.scratch.take_clusters(), vertex as u32, triangle as u32);
        *self = Search::of_parts(features, shapes, Scratch::with_clusters(clusters, to), to);
    }

    /// All that does not change from step to step, to be compared.
    #[cfg(test)]
    pub(crate) fn structure(&self) -> String {
        let shapes: Vec<String> = self.shapes.iter().map(Shape::structure).collect();
        let Search { features, scratch, bodies, offsets, most_threads, .. } = self;
        let clusters = scratch.clusters();
        format!("{features:?} {clusters:?} {bodies} {offsets:?} {most_threads} {shapes:?}")
    }

    /// Sets the number of threads; results are bitwise the same.
    pub fn set_threads(&mut self, threads: usize) {
        self.scratch.set_threads(threads);
        self.shares.resize_with(threads.clamp(1, self.most_threads), ThreadScratch::default);
    }

    /// Fills `found` with all contacts, ascending by feature; with none on an error.
    pub fn find(
        &mut self,
        query: ContactQuery<'_>,
        found: &mut Vec<Contact>,
    ) -> Result<(), ResponseError> {
        found.clear();
        self.check(query)?;
        let ContactQuery { motion, bodies, obstacles, settings, dt } = query;
        let features = &self.features;
        self.near.find(motion, bodies, (features, &self.gains), settings.margin, dt);
        self.cut(bodies.len());
        self.find_known(settings.margin, dt);
        self.fit(motion.positions, bodies);
        self.find_inside(motion.positions, bodies)?;
        let Search {
            features,
            shapes,
            near,
            inside,
            groups,
            shares,
            penetrations,
            kept,
            known,
            ..
        } = self;
        let snapshot = query.state(features, shapes, near, inside);
        shares.iter_mut().for_each(ThreadScratch::clear);
        let led = groups.lead(snapshot, settings.margin, &mut shares[0].found);
        self.enclosed = led;
        self.unresolved = penetrations.unresolved.len() - led;
        let velocities = motion.velocities;
        let known = (&*kept, &*known);
        let step = Step { snapshot, near, groups, penetrations, velocities, settings, dt, known };
        let (velocity_bounds, boxes) = (&near.velocity_bounds[..], &near.boxes[..]);
        let around = Around { motion, obstacles, features, velocity_bounds, boxes };
        par::each(shares, |share| {
            step.find(share);
            for body in share.bodies.clone().map(BodyId) {
                obstacles::find(around, bodies, body, settings.margin, dt, &mut share.found);
            }
        });
        self.kept.gather(self.shares.iter().map(|share| &share.kept));
        self.put_together(found);
        Ok(())
    }

    /// Finds the bodies deep in each other, after [`Search::find`], and their translations.
    ///
    /// Contacts of these are pointed out along them. `meets` says which pairs count.
    pub(crate) fn separate(
        &mut self,
        query: ContactQuery<'_>,
        meets: impl Fn(BodyId, BodyId) -> bool,
        contacts: &mut Vec<Contact>,
    ) {
        let ContactQuery { motion, obstacles, settings, dt, .. } = query;
        let Search { features, shapes, near, inside, shares, deep, crossing, .. } = self;
        let snapshot = query.state(features, shapes, near, inside);
        crossing.clear();
        let all = shares.iter().flat_map(|share| &share.crossing).copied();
        crossing.extend(all.filter(|&[a, b]| meets(a, b)));
        let offset = settings.margin.offset;
        let motions = RelativeMotion { velocity_bounds: &near.velocity_bounds, dt };
        deep.find(snapshot, motions, crossing, offset, contacts);
        deep.limit(motion, obstacles, features, offset);
    }

    /// Accepts the bodies that it was made for, in a motion of all their vertices.
    fn check(&self, query: ContactQuery<'_>) -> Result<(), ResponseError> {
        let ContactQuery { motion, bodies, settings, dt, .. } = query;
        bodies.check_hash("contact search", self.bodies)?;
        bodies.check_count("positions", motion.positions.len())?;
        bodies.check_count("velocities", motion.velocities.len())?;
        check_extreme("position", motion.positions)?;
        check_extreme("velocity", motion.velocities)?;
        let is_time = dt > 0.0 && dt.is_finite();
        refuse_unsound("contact search", &[("step", dt, is_time, "positive and finite")])?;
        settings.check()
    }

    /// Splits bodies over the threads by the number of pairs of which they are the first.
    fn cut(&mut self, count: usize) {
        let weight = |body: usize| {
            let neighbours = self.near.rows.row(body);
            1 + neighbours.len() - neighbours.partition_point(|b| b.index() < body)
        };
        let total: usize = (0..count).map(weight).sum();
        let threads = self.shares.len();
        self.offsets.clear();
        self.offsets.push(0);
        let (mut body, mut sum) = (0, 0);
        for (number, share) in self.shares.iter_mut().enumerate() {
            let start = body;
            while body < count && (sum * threads < total * (number + 1) || number + 1 == threads) {
                sum += weight(body);
                body += 1;
            }
            share.bodies = start as u32..body as u32;
            self.offsets.push(body);
        }
    }

    /// Finds the pairs whose contacts are kept, and the bodies that have others.
    fn find_known(&mut self, settings: MarginSettings, dt: f64) {
        let Search { near, kept, known, features, .. } = self;
        let count = near.boxes.len();
        let KnownPairs { places, starts, searched, is_any_searched } = known;
        places.clear();
        starts.clear();
        searched.clear();
        searched.resize(count, false);
        let mut cursor = 0;
        for a in (0..count as u32).map(BodyId) {
            starts.push(places.len());
            for &b in near.rows.row(a.index()).iter().filter(|b| a < **b) {
                let margin = near.margin([a, b], features, settings, dt);
                let paths = near.paths([a, b], &[], dt);
                let way = paths.longest();
                let place = kept.known([a, b], (margin, way), &mut cursor);
                places.push(place);
                searched[a.index()] |= place.is_none();
                searched[b.index()] |= place.is_none();
            }
        }
        *is_any_searched = searched.contains(&true);
    }

    /// Updates the shapes of bodies with pairs that are searched.
    fn fit(&mut self, positions: &[Vec3], bodies: &Bodies) {
        let Search { shapes, near, offsets, features, known, .. } = self;
        par::chunks(shapes, offsets, |number, piece| {
            for (body, shape) in (offsets[number]..).zip(piece) {
                if known.searched[body] {
                    shape.fit(positions, bodies, features, near.origin);
                }
            }
        });
    }

    /// Which vertices are inside which bodies, and their penetrations.
    fn find_inside(&mut self, positions: &[Vec3], bodies: &Bodies) -> Result<(), MismatchError> {
        let Search { scratch, penetrations, inside, groups, known, near, .. } = self;
        inside.clear();
        if !known.is_any_searched {
            // No pair has moved enough to overlap.
            penetrations.clear();
            groups.vertices.clear();
            return Ok(());
        }
        // Pairs that are kept do not overlap.
        let may_overlap = |a: BodyId, b: BodyId| known.is_searched(&near.rows, a.min(b), a.max(b));
        let asked = AskedPairs { near: &near.rows, may_overlap: &may_overlap };
        let settings = depth_settings();
        scratch.penetrations_among(positions, bodies, settings, Some(asked), penetrations)?;
        let resolved = penetrations.resolved.iter().map(|entry| (entry.vertex, entry.into));
        let unresolved = penetrations.unresolved.iter().map(|entry| (entry.vertex, entry.into));
        for (vertex, into) in resolved.chain(unresolved) {
            inside.extend(penetrations.bodies(into).iter().map(|&body| (vertex, body)));
        }
        inside.sort_unstable();
        enclosed::gather(penetrations, bodies, &mut groups.vertices);
        Ok(())
    }

    /// Sorts the contacts of all threads into one list.
    fn put_together(&mut self, found: &mut Vec<Contact>) {
        let Search { order, shares, .. } = self;
        // Keys are sorted, not contacts: those are ten times as long.
        let all = shares.iter().flat_map(|share| &share.found);
        let placed = order.find(all.map(|contact| contact.feature)).iter();
        found.clear();
        found.extend(placed.map(|place| {
            let mut place = *place as usize;
            let mut share = 0;
            while place >= shares[share].found.len() {
                place -= shares[share].found.len();
                share += 1;
            }
            shares[share].found[place]
        }));
    }
}

impl ThreadScratch {
    fn clear(&mut self) {
        self.found.clear();
        self.crossing.clear();
        self.kept.clear();
    }
}

impl BroadPhase {
    /// Search distances of a pair.
    fn margin(
        &self,
        [a, b]: [BodyId; 2],
        features: &Features,
        settings: MarginSettings,
        dt: f64,
    ) -> Margin {
        let size = features.sizes[a.index()].min(features.sizes[b.index()]);
        let bounds = [a, b].map(|body| self.velocity_bounds[body.index()]);
        settings.of(size, bounds[0].closing(bounds[1]), dt)
    }

    /// How far the bodies of a pair may move.
    fn paths<'a>(&self, of: [BodyId; 2], velocities: &'a [Vec3], dt: f64) -> Paths<'a> {
        let bounds = of.map(|body| self.velocity_bounds[body.index()]);
        Paths { velocities, bounds, dt }
    }

    /// Boxes with margins, and neighbours.
    fn find(
        &mut self,
        motion: StateView<'_>,
        bodies: &Bodies,
        (features, gains): (&Features, &[f64]),
        settings: MarginSettings,
        dt: f64,
    ) {
        let BroadPhase { boxes, wide, velocity_bounds, origin, sweep, rows } = self;
        velocity_bounds.clear();
        boxes.clear();
        wide.clear();
        for body in bodies.ids() {
            let vertices = bodies.vertices(body);
            let mut drift = VelocityBounds::of(&motion.velocities[vertices.clone()]);
            drift.spread += gains.get(body.index()).copied().unwrap_or(0.0);
            // Two bodies are near within the sum of what each reaches at its own speed.
            let speed = drift.mean.length() + drift.spread;
            let pad = settings.of(features.sizes[body.index()], speed, dt).reach;
            let own = Aabb::around(motion.positions[vertices].iter().copied());
            let ahead = obstacles::AHEAD * dt;
            let (swept, pad) = if ahead * speed > pad {
                let end =
                    Aabb { min: own.min + ahead * drift.mean, max: own.max + ahead * drift.mean };
                (own.union(end), pad + ahead * drift.spread)
            } else {
                (own, pad)
            };
            if boxes.is_empty() {
                *origin = own.min;
            }
            velocity_bounds.push(drift);
            boxes.push(own);
            wide.push(seen(grown(swept, pad), *origin));
        }
        pairs::neighbours(wide, sweep, rows);
    }
}

impl Groups {
    /// Appends contacts of bodies wholly inside others; returns the vertices with one.
    fn lead(
        &mut self,
        snapshot: SearchState<'_>,
        settings: MarginSettings,
        found: &mut Vec<Contact>,
    ) -> usize {
        let Groups { vertices, ways, pairs } = self;
        pairs.clear();
        let start = found.len();
        for group in vertices.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let (own, around, _) = group[0];
            let facets = &snapshot.shapes[around.index()].facets;
            let space = snapshot.boxes[around.index()];
            let way = enclosed::way_out(group, snapshot.positions, facets, space, ways);
            let Some(way) = way else { continue };
            let pair = still_pair([own, around], snapshot.features, settings);
            pairs.push((around, own));
            for &(.., vertex) in group {
                let point = snapshot.positions[vertex.index()];
                if let Some(closest_point) = inside::exit(point, way, facets, space) {
                    found.push(snapshot.against(pair, vertex, &closest_point));
                }
            }
        }
        pairs.sort_unstable();
        found.len() - start
    }
}

/// What threads read in common.
struct Step<'a> {
    snapshot: SearchState<'a>,
    near: &'a BroadPhase,
    groups: &'a Groups,
    penetrations: &'a Penetrations,
    /// Of all vertices, m/s.
    velocities: &'a [Vec3],
    settings: ContactSettings,
    dt: f64,
    /// Contacts that are kept, and which pairs have them.
    known: (&'a KeptPairs, &'a KnownPairs),
}

impl Step<'_> {
    /// All contacts of a thread's bodies with other bodies.
    ///
    /// A pair belongs to the thread of its first body.
    fn find(&self, share: &mut ThreadScratch) {
        for a in share.bodies.clone().map(BodyId) {
            self.inside(a, &mut share.found);
            let behind = self.near.rows.row(a.index()).iter().filter(|b| a < **b);
            for (k, &b) in behind.enumerate() {
                let (kept, known) = self.known;
                if let Some(place) = known.places[known.starts[a.index()] + k] {
                    let pair = Pair { of: [a, b], margin: self.margin([a, b]) };
                    let ThreadScratch { found, kept: next, .. } = &mut *share;
                    kept.emit(place, pair, self.snapshot, found, next);
                } else {
                    self.find_pair([a, b], share);
                }
            }
        }
    }

    /// All contacts between two bodies except those of vertices inside.
    fn find_pair(&self, of: [BodyId; 2], share: &mut ThreadScratch) {
        let ThreadScratch { hits, through, found, crossing, kept, .. } = share;
        let SearchState { positions, features, boxes, shapes, .. } = self.snapshot;
        let (needed, searched) = (self.margin(of), self.known.0.searched(of, self.margin(of)));
        let [pair, back] = [of, [of[1], of[0]]].map(|of| Pair { of, margin: searched });
        let known = self.known.0.direction(of);
        let slab = SeparatingSlab::between(of, positions, features, (boxes, known));
        let slab = slab.as_ref();
        let [one, other] = of.map(|body| shapes[body.index()].longest_of_all);
        let farthest = edge_depth(pair.margin, one.min(other)).max(back.margin.reach);
        let paths = self.near.paths(of, self.velocities, self.dt);
        let (start, is_fast) = (found.len(), paths.are_long(pair.margin.reach));
        let apart = slab.filter(|slab| slab.keeps_apart(farthest));
        if let Some(clearance) = apart.map(SeparatingSlab::clearance) {
            if is_fast && paths.longest() >= clearance {
                swept::find(&self.snapshot, pair, paths, &mut hits[0], found, start);
            } else {
                self.known.0.note_apart(of, clearance, kept);
            }
            return;
        }
        for (body, pair) in [pair, back].into_iter().enumerate() {
            let may_meet =
                |point: Vec3| slab.is_none_or(|slab| slab.may_meet(body, point, pair.margin.reach));
            self.snapshot.vertices(pair, may_meet, found);
        }
        let arrives = self.snapshot.edges(pair, slab, hits, found);
        if through.find(&self.snapshot, pair, slab, found) == Crossing::Unresolved {
            crossing.push(of);
        } else if !(is_fast
            || arrives
            || has_inside(&self.snapshot, of)
            || has_inside(&self.snapshot, back.of))
            && self.known.0.are_rigid(of)
        {
            self.known.0.note(of, [needed, searched], positions, (found, start), kept);
        }
        if is_fast {
            swept::find(&self.snapshot, pair, paths, &mut hits[0], found, start);
        }
    }

    /// Contacts of a body's vertices inside other bodies.
    ///
    /// Vertices of an enclosing body inside the enclosed one do not define a way out.
    fn inside(&self, own: BodyId, found: &mut Vec<Contact>) {
        let SearchState { bodies, positions, features, shapes, boxes, .. } = self.snapshot;
        let all = &self.penetrations.resolved;
        let vertices = bodies.vertices(own);
        let first = all.partition_point(|entry| entry.vertex.index() < vertices.start);
        let own_entries = all[first..].iter();
        for entry in own_entries.take_while(|entry| entry.vertex.index() < vertices.end) {
            let [body] = *self.penetrations.bodies(entry.into) else { continue };
            if self.groups.pairs.binary_search(&(own, body)).is_ok() {
                continue;
            }
            let point = positions[entry.vertex.index()];
            let (facets, space) = (&shapes[body.index()].facets, boxes[body.index()]);
            let penetration = entry.penetration;
            let closest_point = inside::exit(point, penetration, facets, space)
                .or_else(|| inside::nearest(point, penetration, facets));
            let Some(closest_point) = closest_point else { continue };
            let pair = still_pair([own, body], features, self.settings.margin);
            found.push(self.snapshot.against(pair, entry.vertex, &closest_point));
        }
    }

    fn margin(&self, of: [BodyId; 2]) -> Margin {
        self.near.margin(of, self.snapshot.features, self.settings.margin, self.dt)
    }
}

/// Two bodies of which one is inside the other: no speculative distance is needed.
fn still_pair(of: [BodyId; 2], features: &Features, settings: MarginSettings) -> Pair {
    let size = features.sizes[of[0].index()].min(features.sizes[of[1].index()]);
    let offset = settings.offset * size;
    Pair { of, margin: Margin { size, offset, reach: offset } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Mesh;
    use crate::mesh::generate::cuboid::cuboid;
    use crate::mesh::generate::icosahedron::icosahedron;
    use crate::mesh::generate::l_block::{LBlockSettings, l_block};
    use crate::mesh::generate::lattice::TetSplit;
    use crate::mesh::tet::TetMesh;

    /// Coordinates are below 3 m: rounding stays near 1e-15.
    const TOLERANCE: f64 = 1e-12;

    /// Contacts at rest, and the search that found them.
    fn found(positions: &[Vec3], bodies: &Bodies) -> (Vec<Contact>, Search) {
        let velocities = vec![Vec3::ZERO; positions.len()];
        let motion = StateView { positions, velocities: &velocities, time: 0.0 };
        let (mut search, mut found) = (Search::new(positions, bodies).unwrap(), Vec::new());
        let settings = ContactSettings::default();
        let query = ContactQuery { motion, bodies, obstacles: &[], settings, dt: 0.01 };
        search.find(query, &mut found).unwrap();
        (found, search)
    }

    #[test]
    fn a_vertex_inside_has_one_contact_and_none_by_nearest_point() {
        // A tet standing with its tip, vertex 7, in the top of another, 0.25 m below its face
        // and, were it outside, within reach of it: 0.01 of 2.25 m.
        let lower = [[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, -3.0]];
        let tet: &[_] = &[[0, 2, 1, 3].map(VertexId)];
        let bodies = Bodies::from_tets(&[(4, tet), (4, tet)]).unwrap();
        for depth in [0.25, 0.01, -0.01] {
            let upper = [[0.0, 0.0, 2.0], [0.0, 3.0, 2.0], [3.0, 0.0, 2.0], [0.75, 0.75, -depth]];
            let positions: Vec<_> = lower.iter().chain(&upper).map(|&p| Vec3::from(p)).collect();
            let (found, search) = found(&positions, &bodies);
            let [contact] = &found[..] else { panic!("{depth} {found:?}") };
            assert_eq!(contact.feature, Feature::VertexBody(VertexId(7), BodyId(0)));
            assert!((contact.gap + depth).abs() < TOLERANCE, "{contact:?}");
            assert!(contact.normal.abs_diff_eq(Vec3::Z, TOLERANCE), "{contact:?}");
            assert_eq!((search.unresolved, search.enclosed), (0, 0));
        }
    }

    #[test]
    fn inside_an_l_the_near_face_of_the_other_arm_does_not_count() {
        let l = LBlockSettings {
            arms: [2.0; 2],
            width: 1.0,
            cells_along: [1; 2],
            cells_across: 1,
            cut: TetSplit::Six,
        };
        let l = TetMesh::from_raw(l_block(&l).unwrap()).unwrap().0;
        // A spike whose tip is 5 mm inside the upright arm, 5 mm above the lying one's face.
        let tip = Vec3::new(-0.005, 0.0, 0.005);
        let base = [[1.0, -0.5, 3.0], [3.0, -0.5, 1.0], [2.0, 1.5, 2.0]];
        let tet: &[_] = &[[0, 1, 2, 3].map(VertexId)];
        let count = l.positions().len();
        let bodies = Bodies::from_tets(&[(count, l.tets()), (4, tet)]).unwrap();
        let mut positions = l.positions().to_vec();
        positions.push(tip);
        positions.extend(base.map(|p| tip + Vec3::from(p)));
        let tip = VertexId(count as u32);
        let (mut found, _) = found(&positions, &bodies);
        found.retain(|contact| contact.feature == Feature::VertexBody(tip, BodyId(0)));
        let [contact] = &found[..] else { panic!("{found:?}") };
        assert!((contact.gap + 0.005).abs() < TOLERANCE, "{contact:?}");
        assert!(contact.normal.abs_diff_eq(Vec3::X, TOLERANCE), "{contact:?}");
    }

    #[test]
    fn a_body_in_another_leaves_it_as_one_along_the_shortest_way() {
        let ball = TetMesh::from_raw(icosahedron(0.3).unwrap()).unwrap().0;
        // A block with a vertex of its own in the ball must not take its direction from that.
        for cells in [1, 4] {
            let block = cuboid([cells; 3], 2.0 * Vec3::ONE, TetSplit::Five).unwrap();
            let block = TetMesh::from_raw(block).unwrap().0;
            let inner: Vec<_> =
                ball.positions().iter().map(|p| *p + Vec3::new(0.05, -0.4, 0.1)).collect();
            let meshes = [Mesh::Tets(&ball), Mesh::Tets(&block)];
            let bodies = Bodies::from_meshes(&meshes).unwrap();
            let positions = [&inner, block.positions()].concat();
            let (found, search) = found(&positions, &bodies);
            assert_eq!((found.len(), search.unresolved, search.enclosed), (13, 0, 13));
            for (contact, point) in found.iter().zip(&inner) {
                assert!(contact.normal.abs_diff_eq(-Vec3::Y, TOLERANCE), "{contact:?}");
                assert!((contact.gap + (point.y + 1.0)).abs() < TOLERANCE, "{contact:?}");
            }
        }
    }

    #[test]
    fn no_bodies_and_empty_ones_have_no_contacts() {
        let none = Bodies::from_tets(&[]).unwrap();
        assert!(found(&[], &none).0.is_empty());
        let empty = Bodies::from_tets(&[(0, &[]), (1, &[])]).unwrap();
        assert!(found(&[Vec3::ZERO], &empty).0.is_empty());
    }
}
