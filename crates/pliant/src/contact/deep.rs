//! Bodies deep in each other: one way out for the pair, kept until they are apart.
//!
//! Contacts of single vertices point in all directions where bodies are deep in each other, and
//! none knows how far the bodies as a whole have to move. Here each such pair gets one
//! translation: of some directions, the one along which the first body is clear of the second
//! soonest. It is kept from step to step, as two directions of about the same distance would otherwise
//! undo each other; where it leads nowhere, since a third body is in the way, others are tried.
//!
//! | here       | meaning                                                                |
//! |------------|------------------------------------------------------------------------|
//! | `axis`     | unit direction in which the first body leaves the second               |
//! | `distance` | way of the first body along it until both are clear of each other, m   |
//! | `slab`     | the same until a plane across the axis is between them, m; never less  |
//! | `age`      | steps for which a pair has overlapped without a pause                  |

use crate::body::obstacle::Obstacle;
use crate::body::soft::StateView;
use crate::contact::axes::{centre, gather_axes, refine, tilted};
use crate::contact::features::Features;
use crate::contact::margin::VelocityBounds;
use crate::contact::pair::SearchState;
use crate::contact::translation::{ClosedSurface, Translation};
use crate::contact::{Contact, Feature, inside};
use crate::depth::Penetration;
use crate::id::BodyId;
use crate::math::Vec3;
use crate::snapshot::{Snapshot, SnapshotError};

/// Depth of a contact, in sizes of the smaller body, from which a pair is deep.
const DEEP: f64 = 0.1;

/// Steps of overlap after which a pair counts as deep, however little it overlaps.
const PATIENCE: u32 = 20;

/// Free way that a separation leaves, in offsets.
const CLEARANCE: f64 = 0.5;

/// Directions of the shortest slabs whose distance is computed.
const EXACT: usize = 4;

/// Directions of the shortest slabs that are refined.
const REFINED: usize = 2;

/// A way is no longer shortened by its step if it keeps more than this share of its length.
const STALLED: f64 = 0.98;

/// Steps without progress after which another direction is tried.
const STALLS: u32 = 4;

/// Factor on the distance along a direction that has led nowhere.
const AVOID: f64 = 3.0;

/// Cosine of the angle to such a direction within which the factor applies.
const NEAR_AVOIDED: f64 = 0.7;

/// Directions that a pair remembers to have led nowhere.
const AVOIDED: usize = 4;

/// Least cosine of a contact's normal to the way out of its pair; others are skipped.
const SAME_WAY: f64 = 0.5;

/// Steps of overlap in which some contacts are enough to hold a pair.
const BRIEF: u32 = 5;

/// Steps whose way counts against an axis that a pair moves along.
const AHEAD_STEPS: f64 = 4.0;

/// Contacts of a deep pair with overlap that stay as long.
const MOST_CONTACTS: usize = 60;

/// A translation that separates two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Separation {
    /// The bodies, ascending.
    pub bodies: [BodyId; 2],
    /// Unit direction in which the first leaves the second.
    pub axis: Vec3,
    /// How far, m; 0 once they are apart.
    pub distance: f64,
    /// Size of the smaller body, m.
    pub size: f64,
    /// Steps for which they have overlapped.
    age: u32,
    /// Whether no contact of theirs is deep.
    is_shallow: bool,
}

/// The nearest point of an obstacle to a body that is translated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Limit {
    /// The body.
    pub body: BodyId,
    /// Unit, out of the obstacle.
    pub normal: Vec3,
    /// How far the body may go against the normal, m; negative where it is in the obstacle.
    pub room: f64,
}

/// What is known of a pair from the steps before.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct PairState {
    bodies: [BodyId; 2],
    age: u32,
    /// Zero while the pair is not deep.
    axis: Vec3,
    distance: f64,
    /// Steps without progress.
    stalls: u32,
    /// Axes that have led nowhere, the last first; zero where there are fewer.
    avoided: [Vec3; AVOIDED],
}

/// Overlap of a pair, summed over its contacts.
#[derive(Clone, Copy, Debug)]
struct Overlap {
    bodies: [BodyId; 2],
    /// Sum of the depths along the directions out of the first body, weighted with their lengths, m.
    way: Vec3,
    /// Depth of the deepest contact, m.
    depth: f64,
}

/// How the bodies move in the step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RelativeMotion<'a> {
    /// Velocities of each body.
    pub velocity_bounds: &'a [VelocityBounds],
    /// Length of the step, s.
    pub dt: f64,
}

impl RelativeMotion<'_> {
    /// Way of the first body relative to the second in some steps, m.
    fn between(&self, bodies: [BodyId; 2]) -> Vec3 {
        let [a, b] = bodies.map(|body| self.velocity_bounds[body.index()].mean);
        AHEAD_STEPS * self.dt * (a - b)
    }
}

/// A pair as its axis is chosen.
#[derive(Clone, Copy, Debug)]
struct PairView<'a> {
    a: ClosedSurface<'a>,
    b: ClosedSurface<'a>,
    /// Sum of the depths along the directions out of the first body, m.
    way: Vec3,
    /// See [`RelativeMotion::between`], m.
    relative_travel: Vec3,
    /// m.
    clearance: f64,
}

/// Pairs of bodies deep in each other, with their memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeepPairs {
    /// Of the last accepted step, ascending by bodies.
    known: Vec<PairState>,
    /// Of the present one.
    now: Vec<PairState>,
    overlaps: Vec<Overlap>,
    separations: Vec<Separation>,
    limits: Vec<Limit>,
    /// Bodies of the separations, ascending.
    moved: Vec<BodyId>,
    translation: Translation,
    axes: Vec<(f64, Vec3)>,
    /// Separation, gap, m, and place of each contact that belongs to one.
    ranks: Vec<(u32, f64, u32)>,
}

impl DeepPairs {
    /// Translations of the pairs that were found deep, ascending by bodies.
    pub(crate) fn separations(&self) -> &[Separation] {
        &self.separations
    }

    /// How far the bodies of these pairs may go before they meet obstacles.
    pub(crate) fn limits(&self) -> &[Limit] {
        &self.limits
    }

    /// Finds these limits, after the pairs.
    pub(crate) fn limit(
        &mut self,
        motion: StateView<'_>,
        obstacles: &[Obstacle],
        features: &Features,
        offset: f64,
    ) {
        let DeepPairs { separations, limits, moved, .. } = self;
        let positions = motion.positions;
        limits.clear();
        moved.clear();
        moved.extend(separations.iter().flat_map(|pair| pair.bodies));
        moved.sort_unstable();
        moved.dedup();
        for &body in &*moved {
            let points = features.surface_of(body).iter().map(|v| positions[v.index()]);
            let clearance = CLEARANCE * offset * features.sizes[body.index()];
            for obstacle in obstacles.iter().map(|obstacle| obstacle.at(motion.time)) {
                let gaps = points.clone().map(|point| (obstacle.distance(point), point));
                let least = gaps.reduce(|a, b| if b.0 < a.0 { b } else { a });
                let Some((gap, point)) = least else { continue };
                if let Some(normal) = obstacle.normal(point) {
                    limits.push(Limit { body, normal, room: gap - clearance });
                }
            }
        }
    }

    /// Keeps what was found for the next step.
    pub(crate) fn accept(&mut self) {
        std::mem::swap(&mut self.known, &mut self.now);
    }

    /// Finds the deep pairs among contacts, and points their contacts out along their axes.
    ///
    /// `crossing` are pairs with edges through faces that have no contact to show for it.
    pub(crate) fn find(
        &mut self,
        state: SearchState<'_>,
        motion: RelativeMotion<'_>,
        crossing: &[[BodyId; 2]],
        offset: f64,
        contacts: &mut Vec<Contact>,
    ) {
        self.separations.clear();
        self.now.clear();
        self.gather(state, crossing, contacts);
        let overlaps = std::mem::take(&mut self.overlaps);
        for overlap in &overlaps {
            self.look(state, motion, overlap, offset);
        }
        self.overlaps = overlaps;
        if !self.separations.is_empty() {
            contacts.retain_mut(|contact| self.point_out(state, contact));
            self.keep_deepest(contacts);
        }
    }

    /// Of the contacts with overlap of a pair deep since a few steps only, keeps the deepest.
    ///
    /// They hold it as well as thousands would.
    fn keep_deepest(&mut self, contacts: &mut Vec<Contact>) {
        let DeepPairs { separations, ranks, .. } = self;
        ranks.clear();
        for (place, contact) in contacts.iter().enumerate() {
            let is_new = |pair: &usize| contact.gap < 0.0 && separations[*pair].age <= BRIEF;
            let pair = pair_of(separations, contact).filter(is_new);
            if let Some(pair) = pair {
                ranks.push((pair as u32, contact.gap, place as u32));
            }
        }
        ranks
            .sort_unstable_by(|a, b| (a.0.cmp(&b.0)).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
        for group in ranks.chunk_by(|a, b| a.0 == b.0) {
            for (_, _, place) in group.iter().skip(MOST_CONTACTS) {
                contacts[*place as usize].count = 0;
            }
        }
        contacts.retain(|contact| contact.count > 0);
    }

    /// One overlap for each pair, ascending; pairs on their way out are among them.
    fn gather(&mut self, state: SearchState<'_>, crossing: &[[BodyId; 2]], contacts: &[Contact]) {
        let overlaps = &mut self.overlaps;
        overlaps.clear();
        for contact in contacts.iter().filter(|contact| contact.gap < 0.0) {
            let (first, Some(second)) = contact.bodies else { continue };
            let way = -contact.gap * contact.normal;
            let (bodies, way) =
                if first < second { ([first, second], way) } else { ([second, first], -way) };
            overlaps.push(Overlap { bodies, way, depth: -contact.gap });
        }
        let leaving = self.known.iter().filter(|pair| pair.axis != Vec3::ZERO);
        // Shapes of bodies whose boxes do not meet are not up to date, and they are apart.
        let may_meet =
            |&[a, b]: &[BodyId; 2]| match [a, b].map(|body| state.boxes.get(body.index())) {
                [Some(a), Some(b)] => a.meets(*b),
                _ => false,
            };
        let leaving = leaving.map(|pair| pair.bodies).filter(may_meet);
        let others = leaving.chain(crossing.iter().copied());
        overlaps.extend(others.map(|bodies| Overlap { bodies, way: Vec3::ZERO, depth: 0.0 }));
        overlaps.sort_by_key(|overlap| overlap.bodies);
        overlaps.dedup_by(|next, kept| {
            let same = next.bodies == kept.bodies;
            if same {
                kept.way += next.way;
                kept.depth = kept.depth.max(next.depth);
            }
            same
        });
    }

    /// Updates the state of a pair that overlaps, and its separation if it is deep.
    fn look(
        &mut self,
        state: SearchState<'_>,
        motion: RelativeMotion<'_>,
        overlap: &Overlap,
        offset: f64,
    ) {
        let bodies = overlap.bodies;
        let known = self.known.binary_search_by_key(&bodies, |pair| pair.bodies);
        let mut pair = known.map_or(PairState { bodies, ..Default::default() }, |k| self.known[k]);
        pair.age += 1;
        let size = bodies.map(|body| state.features.sizes[body.index()]);
        let size = size[0].min(size[1]);
        let is_deep = pair.axis != Vec3::ZERO
            || overlap.depth > DEEP * size
            || overlap.depth == 0.0
            || pair.age >= PATIENCE;
        let surfaces = bodies.map(|body| surface(state, body));
        if let (true, [Some(a), Some(b)]) = (is_deep, surfaces) {
            let clearance = CLEARANCE * offset * size;
            let view = PairView {
                a,
                b,
                way: overlap.way,
                relative_travel: motion.between(bodies),
                clearance,
            };
            self.advance(&mut pair, view);
            if pair.distance <= 0.0 {
                return; // apart: nothing to remember
            }
            let PairState { axis, distance, .. } = pair;
            let is_shallow = overlap.depth > 0.0 && overlap.depth <= DEEP * size;
            let age = pair.age;
            self.separations.push(Separation { bodies, axis, distance, size, age, is_shallow });
            if distance <= DEEP * size {
                // This step goes all of the way; from then on contacts can do it.
                (pair.axis, pair.age) = (Vec3::ZERO, 0);
            }
        }
        self.now.push(pair);
    }

    /// The distance that is left along the pair's axis, or along another.
    fn advance(&mut self, pair: &mut PairState, view: PairView<'_>) {
        let PairView { a, b, clearance, .. } = view;
        if pair.axis != Vec3::ZERO {
            let distance = self.translation.distance(a, b, pair.axis, clearance);
            pair.stalls = if distance > STALLED * pair.distance { pair.stalls + 1 } else { 0 };
            pair.distance = distance;
            if pair.stalls < STALLS {
                return;
            }
            pair.avoided.rotate_right(1);
            pair.avoided[0] = pair.axis;
        }
        pair.stalls = 0;
        self.choose(pair, view);
    }

    /// Sets the axis along which the first body leaves the second soonest.
    fn choose(&mut self, pair: &mut PairState, view: PairView<'_>) {
        let PairView { a, b, way, relative_travel, clearance } = view;
        gather_axes(&mut self.axes, [a, b]);
        let avoid = |axis: Vec3| {
            let near = pair.avoided.iter().filter(|other| other.dot(axis) > NEAR_AVOIDED);
            near.fold(1.0, |factor, _| factor * AVOID)
        };
        // To leave the way it goes would be to pass through.
        let cost = |axis: Vec3, distance: f64| {
            avoid(axis) * (distance + relative_travel.dot(axis).max(0.0))
        };
        let slab = |axis: Vec3| b.support(axis) + a.support(-axis);
        for entry in &mut self.axes {
            entry.0 = cost(entry.1, slab(entry.1));
        }
        self.axes.sort_by(|a, b| a.0.total_cmp(&b.0));
        self.axes.truncate(EXACT);
        for k in 0..self.axes.len().min(REFINED) {
            self.axes.push(refine(self.axes[k], slab));
        }
        let others = [way, centre(a) - centre(b)].into_iter().filter_map(|way| way.try_normalize());
        self.axes.extend(others.map(|axis| (0.0, axis)));
        let mut best = (f64::INFINITY, Vec3::ZERO, 0.0);
        for &(_, axis) in &self.axes {
            let Some(axis) = tilted(axis) else { continue };
            let distance = self.translation.distance(a, b, axis, clearance);
            let cost = cost(axis, distance);
            if cost < best.0 {
                best = (cost, axis, distance);
            }
        }
        (pair.axis, pair.distance) = (best.1, best.2);
    }

    /// Points a contact of a deep pair out along the pair's axis; false where it must not stay.
    fn point_out(&self, state: SearchState<'_>, contact: &mut Contact) -> bool {
        // Sides that are still apart must not meet, whatever the way out.
        if contact.gap >= 0.0 {
            return true;
        }
        let (first, Some(second)) = contact.bodies else { return true };
        let Some(pair) = pair_of(&self.separations, contact) else { return true };
        let Separation { axis, is_shallow, .. } = self.separations[pair];
        let direction = if first < second { axis } else { -axis };
        // A wedge would close on a body that only moves out of it.
        if is_shallow && contact.normal.dot(direction).abs() <= SAME_WAY {
            return true;
        }
        let Feature::VertexBody(vertex, _) = contact.feature else {
            return contact.normal.dot(direction) > SAME_WAY;
        };
        let point = state.positions[vertex.index()];
        let facets = &state.shapes[second.index()].facets;
        let space = state.boxes[second.index()];
        let way = Penetration { depth: 0.0, direction };
        let Some(exit) = inside::exit(point, way, facets, space) else { return false };
        (contact.vertices, contact.weights) =
            crate::contact::near::terms(vertex, &exit, state.bodies);
        (contact.normal, contact.gap) = (direction, exit.gap);
        true
    }

    /// Writes what is remembered of the steps before.
    pub(crate) fn save(&self, memory: &mut Snapshot) {
        memory.write(self.known.len() as f64);
        for pair in &self.known {
            let [a, b] = pair.bodies;
            [a.0, b.0, pair.age, pair.stalls].iter().for_each(|n| memory.write(f64::from(*n)));
            memory.write(pair.distance);
            for axis in [pair.axis].iter().chain(&pair.avoided) {
                axis.to_array().iter().for_each(|number| memory.write(*number));
            }
        }
    }

    /// Reads what [`DeepPairs::save`] wrote.
    pub(crate) fn restore(&mut self, memory: &mut Snapshot) -> Result<(), SnapshotError> {
        const PART: &str = "bodies deep in each other";
        self.known.clear();
        let mut left = memory.read(PART)?;
        if !(left >= 0.0 && left.fract() == 0.0) {
            return Err(SnapshotError { part: PART });
        }
        while left > 0.0 {
            let mut number = || memory.read(PART);
            let bodies = [BodyId(number()? as u32), BodyId(number()? as u32)];
            let (age, stalls) = (number()? as u32, number()? as u32);
            let distance = number()?;
            let mut vector = || Ok(Vec3::new(number()?, number()?, number()?));
            let axis = vector()?;
            let avoided = [vector()?, vector()?, vector()?, vector()?];
            self.known.push(PairState { bodies, age, axis, distance, stalls, avoided });
            left -= 1.0;
        }
        Ok(())
    }
}

/// The separation that a contact belongs to.
fn pair_of(separations: &[Separation], contact: &Contact) -> Option<usize> {
    let (a, Some(b)) = contact.bodies else { return None };
    separations.binary_search_by_key(&[a.min(b), a.max(b)], |entry| entry.bodies).ok()
}

/// The surface of a body; `None` where it is not closed.
fn surface<'a>(state: SearchState<'a>, body: BodyId) -> Option<ClosedSurface<'a>> {
    let edges = &state.features.edges[state.features.edges_of(body)];
    let faces = state.shapes[body.index()].facets.corners();
    let is_closed = !faces.is_empty() && 2 * edges.len() == 3 * faces.len();
    let (positions, vertices) = (state.positions, state.features.surface_of(body));
    is_closed.then_some(ClosedSurface { positions, vertices, edges, faces })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::{Bodies, Mesh};
    use crate::contact::search::{ContactQuery, ContactSettings, Search};
    use crate::mesh::generate::cuboid::cuboid;
    use crate::mesh::generate::lattice::TetSplit;
    use crate::mesh::tet::TetMesh;

    /// Overlapping contacts of two cubes of 1 m, one on the other with overlap, whose way out has
    /// long been along x: those that point upwards, and all.
    fn upwards(overlap: f64) -> [usize; 2] {
        let raw = cuboid([2; 3], Vec3::ONE, TetSplit::Five).unwrap();
        let cube = TetMesh::from_raw(raw).unwrap().0;
        let bodies = Bodies::from_meshes(&[Mesh::Tets(&cube), Mesh::Tets(&cube)]).unwrap();
        let place = Vec3::new(0.3, 0.1, 1.0 - overlap);
        let at = |place: Vec3| cube.positions().iter().map(move |p| *p + place);
        let positions: Vec<Vec3> = at(Vec3::ZERO).chain(at(place)).collect();
        let velocities = vec![Vec3::ZERO; positions.len()];
        let motion = StateView { positions: &positions, velocities: &velocities, time: 0.0 };
        let (obstacles, settings) = (&[][..], ContactSettings::default());
        let query = ContactQuery { motion, bodies: &bodies, obstacles, settings, dt: 0.01 };
        let mut search = Search::new(&positions, &bodies).unwrap();
        let pair = [BodyId(0), BodyId(1)];
        let (axis, age) = (-Vec3::X, 2 * PATIENCE);
        search.deep.known =
            vec![PairState { bodies: pair, age, axis, distance: 0.8, ..Default::default() }];
        let mut contacts = Vec::new();
        search.find(query, &mut contacts).unwrap();
        search.separate(query, |_, _| true, &mut contacts);
        assert_eq!(search.deep.separations()[0].axis, axis);
        contacts.retain(|contact| contact.gap < 0.0);
        let is_upward = |contact: &&Contact| contact.normal.z.abs() > 0.9;
        [contacts.iter().filter(is_upward).count(), contacts.len()]
    }

    #[test]
    fn a_shallow_pair_is_still_borne_across_its_way_out_and_a_deep_one_is_not() {
        let [bearing, _] = upwards(0.03);
        assert!(bearing >= 3, "{bearing}");
        let [bearing, all] = upwards(0.3);
        assert!(bearing == 0 && all >= 3, "{bearing} of {all}");
    }
}
