//! Contacts of rigid pairs that are kept while the pair hardly moves.
//!
//! Two rigid bodies that were searched when all of one was some way from the other, and have moved
//! by less since, relative to each other, do not overlap: their features in contact are the same,
//! and only normals and gaps change. A pair is searched somewhat farther than it is asked for, so
//! that nothing comes into reach unseen. What overlaps, is fast or bends is searched in every
//! step.
//!
//! | here    | meaning                                                              |
//! |---------|----------------------------------------------------------------------|
//! | `frame` | axes of a rigid body by three of its vertices                        |
//! | `place` | origin of the first body on the axes of the second, m                |
//! | `turn`  | axes of the first body on those of the second                        |
//! | `moved` | bound on the way of any point of one body relative to the other, m   |

use crate::body::rigid::all::{RigidBodySet, RigidEntry};
use crate::contact::margin::Margin;
use crate::contact::pair::{Pair, SearchState};
use crate::contact::{Contact, Feature};
use crate::id::{BodyId, VertexId};
use crate::math::{Mat3, Vec3};
use crate::snapshot::{Snapshot, SnapshotError};

/// Relative motion for which contacts are kept, per offset.
const STILL: f64 = 0.1;

/// Distance below which contacts of a pair are redundant, per size of the smaller body.
const NEAR: f64 = 0.02;

/// Least cosine of the angle between the normals of redundant contacts.
const ALONG: f64 = 0.9;

/// Part of a snapshot.
const PART: &str = "kept contacts";

/// Axes of a rigid body.
#[derive(Clone, Copy, Debug)]
struct Frame {
    origin: Vec3,
    axes: Mat3,
}

/// Contacts of a pair when it was last searched.
#[derive(Clone, Copy, Debug, PartialEq)]
struct KeptPair {
    /// Ascending.
    of: [BodyId; 2],
    place: Vec3,
    turn: Mat3,
    /// Gaps up to this were searched for, m.
    reach: f64,
    /// Smallest gap of its contacts, m; without any infinite, or the distance of bodies that are
    /// known to be so far apart.
    least: f64,
    /// Its contacts in the list end here.
    end: u32,
}

/// Pairs, ascending, and their contacts, with normals on the axes of their second bodies.
#[derive(Clone, Debug, Default)]
struct KeptList {
    pairs: Vec<KeptPair>,
    contacts: Vec<Contact>,
}

impl KeptList {
    fn clear(&mut self) {
        self.pairs.clear();
        self.contacts.clear();
    }

    /// Contacts of the pair at a place.
    fn contacts_of(&self, place: usize) -> &[Contact] {
        let start = if place == 0 { 0 } else { self.pairs[place - 1].end };
        &self.contacts[start as usize..self.pairs[place].end as usize]
    }

    fn push(&mut self, pair: KeptPair, contacts: &[Contact]) {
        self.contacts.extend_from_slice(contacts);
        self.pairs.push(KeptPair { end: self.contacts.len() as u32, ..pair });
    }
}

/// Pairs that one thread keeps for the step to come, ascending.
///
/// Only what was searched is written down anew.
#[derive(Clone, Debug, Default)]
pub(super) struct NextPairs {
    pairs: Vec<NextPair>,
    /// Of the pairs that were searched.
    contacts: Vec<Contact>,
    /// Place, m, and normal of the contacts of one pair; scratch memory.
    places: Vec<(Vec3, Vec3)>,
}

/// A pair of the step to come.
#[derive(Clone, Copy, Debug)]
enum NextPair {
    /// As it was: its place among those of the last step.
    Kept(u32),
    /// Its contacts in the list of the thread end where it says.
    Searched(KeptPair),
}

impl NextPairs {
    pub fn clear(&mut self) {
        self.pairs.clear();
        self.contacts.clear();
    }
}

/// All pairs of rigid bodies that are kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeptPairs {
    /// Of the last step that was made.
    last: KeptList,
    /// Of the step to come, unless these are the same.
    next: KeptList,
    /// Whether the step to come has the pairs of the last.
    is_same: bool,
    frames: Vec<Option<Frame>>,
    /// Vertices that make the frame of each rigid body, and its farthest two points, m.
    corners: Vec<Option<([usize; 3], f64)>>,
}

impl KeptPairs {
    /// Finds the axes of all rigid bodies; without any, nothing is kept.
    pub(crate) fn place(&mut self, rigids: &RigidBodySet, count: usize, positions: &[Vec3]) {
        if self.corners.len() != count {
            self.corners.clear();
            self.corners.resize(count, None);
            for entry in rigids.entries() {
                if let Some(corners) = self.corners.get_mut(entry.id.index()) {
                    *corners = corners_of(entry);
                }
            }
        }
        self.frames.clear();
        self.frames.extend(self.corners.iter().map(|corners| {
            let (corners, _) = (*corners)?;
            let [a, b, c] = corners.map(|vertex| positions.get(vertex).copied());
            Frame::of([a?, b?, c?])
        }));
    }

    /// Whether both bodies of a pair are rigid.
    pub(super) fn are_rigid(&self, of: [BodyId; 2]) -> bool {
        of.iter().all(|body| self.frame(*body).is_some())
    }

    fn frame(&self, body: BodyId) -> Option<&Frame> {
        self.frames.get(body.index())?.as_ref()
    }

    /// How far the contacts of a pair are searched for, m, where it needs `margin`.
    pub(super) fn searched(&self, of: [BodyId; 2], margin: Margin) -> Margin {
        match self.are_rigid(of) {
            true => Margin { reach: margin.reach + 2.0 * STILL * margin.offset, ..margin },
            false => margin,
        }
    }

    /// Place of a pair whose contacts are known from before; none where it must be searched.
    ///
    /// Pairs are asked for ascending, from a `cursor` of 0 on; `way` is how far one may move
    /// relative to the other, m.
    pub(super) fn known(
        &self,
        of: [BodyId; 2],
        (margin, way): (Margin, f64),
        cursor: &mut usize,
    ) -> Option<u32> {
        let pairs = &self.last.pairs;
        while pairs.get(*cursor).is_some_and(|pair| pair.of < of) {
            *cursor += 1;
        }
        let is_known = pairs.get(*cursor).is_some_and(|pair| pair.of == of);
        (is_known && self.is_kept(*cursor, margin, way)).then_some(*cursor as u32)
    }

    /// Whether the pair at a place has hardly moved.
    fn is_kept(&self, place: usize, margin: Margin, path: f64) -> bool {
        let (pair, contacts) = (&self.last.pairs[place], self.last.contacts_of(place));
        let of = pair.of;
        let Some((place, turn)) = self.relative(of) else { return false };
        let wide = self.corners[of[0].index()].map_or(0.0, |(_, wide)| wide);
        let way = place.distance(pair.place);
        let turned = Mat3::from_cols(
            turn.x_axis - pair.turn.x_axis,
            turn.y_axis - pair.turn.y_axis,
            turn.z_axis - pair.turn.z_axis,
        );
        let square = turned.x_axis.length_squared()
            + turned.y_axis.length_squared()
            + turned.z_axis.length_squared();
        // The angle is less than the norm of the difference, which is √2 of it at first.
        let moved = way + square.sqrt() * wide;
        if contacts.is_empty() && pair.least.is_finite() {
            // What was clear of each other is so until it has moved by that.
            return margin.reach.max(path) + moved <= pair.reach;
        }
        moved <= STILL * margin.offset
            && margin.reach + moved <= pair.reach
            && moved < pair.least
            && contacts.first().is_none_or(|contact| contact.offset == margin.offset)
    }

    /// Appends the contacts of the pair at a place that is kept, and keeps it on.
    pub(super) fn emit(
        &self,
        place: u32,
        pair: Pair,
        snapshot: SearchState<'_>,
        found: &mut Vec<Contact>,
        kept: &mut NextPairs,
    ) {
        for contact in self.last.contacts_of(place as usize) {
            let (normal, gap) = self.now(contact, snapshot.positions);
            if gap <= pair.margin.reach {
                found.push(*contact);
                if let Some(own) = found.last_mut() {
                    (own.normal, own.gap, own.friction) = (normal, gap, snapshot.friction);
                }
            }
        }
        kept.pairs.push(NextPair::Kept(place));
    }

    /// Keeps what was found of a pair, unless it overlaps; leaves what is in reach in `found`.
    ///
    /// Contacts of the pair begin at `start`; `searched` is how far they were searched for.
    pub(super) fn note(
        &self,
        of: [BodyId; 2],
        [margin, searched]: [Margin; 2],
        positions: &[Vec3],
        (found, start): (&mut Vec<Contact>, usize),
        kept: &mut NextPairs,
    ) {
        reduce(found, start, positions, &mut kept.places);
        let own = &found[start..];
        let overlaps = own.iter().any(|contact| contact.gap <= 0.0);
        if let (false, Some((place, turn))) = (overlaps, self.relative(of)) {
            let least = own.iter().fold(f64::INFINITY, |least, contact| least.min(contact.gap));
            let pair = KeptPair { of, place, turn, reach: searched.reach, least, end: 0 };
            let turned = own.iter().filter_map(|contact| {
                let second = self.frame(contact.bodies.1?)?;
                let normal = second.axes.transpose() * contact.normal;
                Some(Contact { normal, ..*contact })
            });
            kept.contacts.extend(turned);
            let end = kept.contacts.len() as u32;
            kept.pairs.push(NextPair::Searched(KeptPair { end, ..pair }));
        }
        let mut number = 0;
        found.retain(|contact| {
            number += 1;
            number <= start || contact.gap <= margin.reach
        });
    }

    /// Direction from the first body of a pair to the second that parted them when they were
    /// searched last, turned with the second: that of their nearest contact.
    pub(super) fn direction(&self, of: [BodyId; 2]) -> Option<Vec3> {
        let place = self.last.pairs.binary_search_by_key(&of, |pair| pair.of).ok()?;
        let contacts = self.last.contacts_of(place).iter();
        let nearest = contacts.min_by(|a, b| a.gap.total_cmp(&b.gap))?;
        let normal = self.frame(nearest.bodies.1?)?.axes * nearest.normal;
        let towards = if nearest.bodies.0 == of[0] { -normal } else { normal };
        // Snapshots of others may hold anything.
        towards.is_normalized().then_some(towards)
    }

    /// Keeps a pair without contacts, whose bodies are so far apart at least, m.
    pub(super) fn note_apart(&self, of: [BodyId; 2], clearance: f64, kept: &mut NextPairs) {
        if let Some((place, turn)) = self.relative(of) {
            let end = kept.contacts.len() as u32;
            let pair = KeptPair { of, place, turn, reach: clearance, least: clearance, end };
            kept.pairs.push(NextPair::Searched(pair));
        }
    }

    /// The first body as the second sees it.
    fn relative(&self, of: [BodyId; 2]) -> Option<(Vec3, Mat3)> {
        let [a, b] = [self.frame(of[0])?, self.frame(of[1])?];
        let to_second = b.axes.transpose();
        Some((to_second * (a.origin - b.origin), to_second * a.axes))
    }

    /// Normal and gap of a kept contact as they are now.
    fn now(&self, contact: &Contact, positions: &[Vec3]) -> (Vec3, f64) {
        let second = contact.bodies.1.and_then(|body| self.frame(body));
        let normal = second.map_or(contact.normal, |frame| frame.axes * contact.normal);
        let way = contact.weighted(positions);
        (normal, normal.dot(way))
    }

    /// Takes over the pairs that threads kept, in the order of their bodies.
    pub(super) fn gather<'a>(&mut self, lists: impl Iterator<Item = &'a NextPairs> + Clone) {
        let all = lists.clone().flat_map(|list| &list.pairs);
        let are_kept = all.clone().all(|pair| matches!(pair, NextPair::Kept(_)));
        self.is_same = are_kept && all.count() == self.last.pairs.len();
        if self.is_same {
            return;
        }
        let KeptPairs { last, next, .. } = self;
        next.clear();
        for list in lists {
            let mut start = 0;
            for pair in &list.pairs {
                match pair {
                    NextPair::Kept(place) => {
                        let place = *place as usize;
                        next.push(last.pairs[place], last.contacts_of(place));
                    }
                    NextPair::Searched(pair) => {
                        let end = pair.end as usize;
                        next.push(*pair, &list.contacts[start..end]);
                        start = end;
                    }
                }
            }
        }
    }

    /// A step was made with the contacts found last.
    pub(crate) fn accept(&mut self) {
        if !self.is_same {
            std::mem::swap(&mut self.last, &mut self.next);
        }
    }

    /// Writes the pairs of the last step.
    pub(crate) fn save(&self, memory: &mut Snapshot) {
        let KeptList { pairs, contacts, .. } = &self.last;
        memory.write(pairs.len() as f64);
        memory.write(contacts.len() as f64);
        for pair in pairs {
            let KeptPair { of, place, turn, reach, least, end } = *pair;
            of.iter().for_each(|body| memory.write(f64::from(body.0)));
            place.to_array().iter().for_each(|number| memory.write(*number));
            turn.to_cols_array().iter().for_each(|number| memory.write(*number));
            [reach, least, f64::from(end)].iter().for_each(|number| memory.write(*number));
        }
        contacts.iter().for_each(|contact| save_contact(contact, memory));
    }

    /// Reads what [`KeptPairs::save`] wrote.
    ///
    /// Contacts of other bodies or vertices than there are are not kept.
    pub(crate) fn restore(&mut self, memory: &mut Snapshot) -> Result<(), SnapshotError> {
        self.last.clear();
        self.next.clear();
        self.is_same = false;
        let [pairs, contacts] = [memory.read(PART)?, memory.read(PART)?];
        let left = memory.left() as f64;
        let is_count = |count: f64| count >= 0.0 && count.fract() == 0.0 && count <= left;
        if !(is_count(pairs) && is_count(contacts)) {
            return Err(SnapshotError { part: PART });
        }
        let mut last = 0;
        for _ in 0..pairs as usize {
            let mut read = || memory.read(PART);
            let of = [BodyId(read()? as u32), BodyId(read()? as u32)];
            let place = Vec3::new(read()?, read()?, read()?);
            let mut turn = [0.0; 9];
            for number in &mut turn {
                *number = read()?;
            }
            let (reach, least, end) = (read()?, read()?, read()? as u32);
            if end < last || f64::from(end) > contacts {
                return Err(SnapshotError { part: PART });
            }
            last = end;
            let turn = Mat3::from_cols_array(&turn);
            self.last.pairs.push(KeptPair { of, place, turn, reach, least, end });
        }
        for _ in 0..contacts as usize {
            self.last.contacts.push(read_contact(memory)?);
        }
        let mut start = 0;
        for pair in &self.last.pairs {
            let own = &self.last.contacts[start..pair.end as usize];
            start = pair.end as usize;
            let is_own = |(a, b): (BodyId, Option<BodyId>)| {
                b.is_some_and(|b| [a.min(b), a.max(b)] == pair.of)
            };
            if !own.iter().all(|contact| is_own(contact.bodies)) {
                return Err(SnapshotError { part: PART });
            }
        }
        Ok(())
    }
}

impl Frame {
    /// Axes by three points that are not on a line.
    fn of([a, b, c]: [Vec3; 3]) -> Option<Frame> {
        let x = (b - a).try_normalize()?;
        let z = x.cross(c - a).try_normalize()?;
        Some(Frame { origin: a, axes: Mat3::from_cols(x, z.cross(x), z) })
    }
}

/// Three vertices of a rigid body far from each other, and a bound on its farthest points, m.
fn corners_of(entry: &RigidEntry) -> Option<([usize; 3], f64)> {
    let points = &entry.body.points;
    let first = *points.first()?;
    let farthest = |value: &dyn Fn(Vec3) -> f64| {
        let mut best = 0;
        for (k, point) in points.iter().enumerate() {
            if value(*point) > value(points[best]) {
                best = k;
            }
        }
        best
    };
    let second = farthest(&|point| point.distance_squared(first));
    let along = points[second] - first;
    let third = farthest(&|point| along.cross(point - first).length_squared());
    let start = entry.vertices.start;
    let wide = 2.0 * points[second].distance(first);
    Some(([start, start + second, start + third], wide))
}

/// Leaves of redundant contacts from `start` on the nearest.
///
/// Corners that lie on corners are found from both sides and as edges too; between rigid bodies
/// these are one constraint several times over.
fn reduce(
    found: &mut Vec<Contact>,
    start: usize,
    positions: &[Vec3],
    places: &mut Vec<(Vec3, Vec3)>,
) {
    let place = |contact: &Contact| {
        let [first, second] = contact.places(positions);
        0.5 * (first + second)
    };
    let first = found.get(start).map(|contact| contact.bodies.0);
    let facing = |contact: &Contact| {
        if Some(contact.bodies.0) == first { contact.normal } else { -contact.normal }
    };
    found[start..].sort_unstable_by(|a, b| a.gap.total_cmp(&b.gap).then(a.feature.cmp(&b.feature)));
    places.clear();
    for k in start..found.len() {
        let contact = found[k];
        let (at, normal) = (place(&contact), facing(&contact));
        let reach = NEAR * contact.size;
        let is_known = places.iter().any(|(known, facing)| {
            known.distance_squared(at) <= reach * reach && facing.dot(normal) >= ALONG
        });
        if !is_known {
            found[start + places.len()] = contact;
            places.push((at, normal));
        }
    }
    found.truncate(start + places.len());
}

fn save_contact(contact: &Contact, memory: &mut Snapshot) {
    let [kind, a, b] = match contact.feature {
        Feature::VertexBody(vertex, body) => [0, vertex.0, body.0],
        Feature::EdgeEdge(a, b) => [1, a, b],
        Feature::VertexObstacle(vertex, obstacle) => [2, vertex.0, obstacle],
    };
    let bodies = [contact.bodies.0.0, contact.bodies.1.map_or(u32::MAX, |body| body.0)];
    let numbers = [kind, a, b, bodies[0], bodies[1], contact.count as u32];
    let numbers = numbers.into_iter().chain(contact.vertices.map(|vertex| vertex.0));
    numbers.for_each(|number| memory.write(f64::from(number)));
    let values = contact.weights.into_iter().chain(contact.normal.to_array());
    let values = values.chain([contact.gap, contact.friction, contact.offset, contact.size]);
    values.for_each(|value| memory.write(value));
}

fn read_contact(memory: &mut Snapshot) -> Result<Contact, SnapshotError> {
    let mut numbers = [0; 10];
    for number in &mut numbers {
        *number = memory.read(PART)? as u32;
    }
    let mut values = [0.0; 11];
    for value in &mut values {
        *value = memory.read(PART)?;
    }
    let [kind, a, b, first, second, count, corners @ ..] = numbers;
    if count > 4 {
        return Err(SnapshotError { part: PART });
    }
    let feature = match kind {
        0 => Feature::VertexBody(VertexId(a), BodyId(b)),
        1 => Feature::EdgeEdge(a, b),
        _ => Feature::VertexObstacle(VertexId(a), b),
    };
    let [w0, w1, w2, w3, x, y, z, gap, friction, offset, size] = values;
    Ok(Contact {
        feature,
        vertices: corners.map(VertexId),
        weights: [w0, w1, w2, w3],
        count: count as usize,
        second: None,
        bodies: (BodyId(first), (second != u32::MAX).then_some(BodyId(second))),
        normal: Vec3::new(x, y, z),
        gap,
        surface_velocity: Vec3::ZERO,
        min_normal_velocity: 0.0,
        bounce: 0.0,
        friction,
        offset,
        size,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::rigid::RigidTemplate;
    use crate::body::rigid::mass::MassProperties;
    use crate::body::{Bodies, Mesh};
    use crate::contact::search::{ContactQuery, ContactSettings, Search};
    use crate::force::StateView;
    use crate::math::Quat;
    use crate::math::random::Random;
    use crate::mesh::generate::cuboid::cuboid;
    use crate::mesh::generate::lattice::TetSplit;
    use crate::mesh::tet::TetMesh;

    /// Two boxes, the second on the first.
    struct Boxes {
        mesh: TetMesh,
        bodies: Bodies,
        rigids: RigidBodySet,
        rest: Vec<Vec3>,
    }

    impl Boxes {
        fn new() -> Boxes {
            let mesh = cuboid([1; 3], Vec3::ONE, TetSplit::Five).unwrap();
            let mesh = TetMesh::from_raw(mesh).unwrap().0;
            let bodies = Bodies::from_meshes(&[Mesh::Tets(&mesh), Mesh::Tets(&mesh)]).unwrap();
            let (points, masses) = (mesh.positions(), [1.0; 8]);
            let properties = MassProperties::from_points(points, &masses).unwrap();
            let template = RigidTemplate::new(points, properties).unwrap().0;
            let list = vec![(BodyId(0), template.clone()), (BodyId(1), template)];
            let rigids = RigidBodySet::new(list, bodies.offsets(), 16).unwrap();
            let rest = [points, points].concat();
            Boxes { mesh, bodies, rigids, rest }
        }

        fn positions(&self, turn: Vec3, shift: Vec3) -> Vec<Vec3> {
            let turn = Quat::from_scaled_axis(turn);
            let upper = self.mesh.positions().iter().map(|point| turn * *point + shift);
            self.mesh.positions().iter().copied().chain(upper).collect()
        }

        fn find(&self, search: &mut Search, positions: &[Vec3]) -> Vec<Contact> {
            let velocities = vec![Vec3::ZERO; positions.len()];
            let motion = StateView { positions, velocities: &velocities, time: 0.0 };
            let (bodies, settings) = (&self.bodies, ContactSettings::default());
            search.kept.place(&self.rigids, 2, positions);
            let mut found = Vec::new();
            let query = ContactQuery { motion, bodies, obstacles: &[], settings, dt: 0.01 };
            search.find(query, &mut found).unwrap();
            search.kept.accept();
            found
        }
    }

    /// Gaps are those of a new search to a tenth of the offset, at places that are redundant.
    #[test]
    fn kept_contacts_are_those_of_a_new_search() {
        let (boxes, mut random) = (Boxes::new(), Random::new(7));
        let mut search = Search::new(&boxes.rest, &boxes.bodies).unwrap();
        let (margin, of) =
            (Margin { size: 1.0, offset: 0.005, reach: 0.01 }, [BodyId(0), BodyId(1)]);
        let (mut kept, mut searched) = (0, 0);
        for step in 0..60 {
            // Small motions about places that are farther from each other.
            let place = Vec3::new(0.3, 0.2, 1.005) + 1e-3 * f64::from(step / 10) * Vec3::X;
            let positions = boxes.positions(2e-5 * random.vec3(), place + 2e-5 * random.vec3());
            search.kept.place(&boxes.rigids, 2, &positions);
            let is_kept = search.kept.known(of, (margin, 0.0), &mut 0).is_some();
            (kept, searched) = (kept + u32::from(is_kept), searched + u32::from(!is_kept));
            let found = boxes.find(&mut search, &positions);
            let mut other = Search::new(&boxes.rest, &boxes.bodies).unwrap();
            let expected = boxes.find(&mut other, &positions);
            assert_eq!(found.len(), expected.len(), "{step}: {found:?} {expected:?}");
            let at = |contact: &Contact| contact.place(1.0, &positions);
            for contact in &found {
                let is_same = |other: &&Contact| at(other).distance(at(contact)) < NEAR;
                let other = expected.iter().find(is_same).unwrap();
                assert!((contact.gap - other.gap).abs() < STILL * 0.005, "{contact:?} {other:?}");
            }
        }
        assert!(kept > 30 && searched > 5, "{kept} {searched}");
    }

    #[test]
    fn what_was_saved_is_read_again_and_a_cut_is_reported() {
        let boxes = Boxes::new();
        let mut search = Search::new(&boxes.rest, &boxes.bodies).unwrap();
        let positions = boxes.positions(Vec3::ZERO, 1.005 * Vec3::Z);
        boxes.find(&mut search, &positions);
        let mut memory = Snapshot::default();
        search.kept.save(&mut memory);
        let numbers = memory.numbers().to_vec();
        let mut again = KeptPairs::default();
        again.restore(&mut Snapshot::from_numbers(numbers.clone())).unwrap();
        assert!(!again.last.contacts.is_empty());
        assert_eq!(again.last.pairs, search.kept.last.pairs);
        assert_eq!(again.last.contacts, search.kept.last.contacts);
        for cut in 0..numbers.len() {
            let short = &mut Snapshot::from_numbers(numbers[..cut].to_vec());
            assert!(again.restore(short).is_err(), "{cut}");
        }
    }
}
