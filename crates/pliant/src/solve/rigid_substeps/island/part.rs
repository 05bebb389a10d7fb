//! A part of an island: some bodies, and the patches between them, which one thread sweeps.
//!
//! Parts are a tree: below a part are those of the two halves of its bodies, and its own patches
//! connect the halves. Those of a half come before those of the other, and both before the part
//! itself.

use std::ops::Range;

use crate::contact::Contact;
use crate::contact::impulse::ContactImpulse;
use crate::contact::point_force::{PairKey, PointForce};
use crate::id::BodyId;
use crate::math::Vec3;
use crate::order::KeptOrder;
use crate::par;
use crate::solve::position_correction::{CAPS, DEEP, SHARES};
use crate::solve::rigid_substeps::bodies::PushedBodies;
use crate::solve::rigid_substeps::gather::{self, ContactPoint};
use crate::solve::rigid_substeps::island::Shared;
use crate::solve::rigid_substeps::patch::{MOST, Motion, Patch, SolverBody};
use crate::solve::rigid_substeps::relax::{Direction, Solution};

/// Distance within which a point is the one of the step before, per size.
const SAME: f64 = 0.1;

/// Unit of heights in the order of the sweeps, per size.
const STOREY: f64 = 0.1;

/// Where units of height begin: not where boxes on each other have their faces.
const BELOW: f64 = 0.317;

/// Gap that is good enough, per offset; what is nearer is shifted.
///
/// Above that of the correction before the step, so that this one finds nothing to do where
/// contacts only sag.
const GOAL: f64 = 0.75;

/// What is lacking, per offset, that is not worth a shift.
const LITTLE: f64 = 1e-3;

/// One part, with memory that is kept from step to step.
#[derive(Debug, Default)]
pub(crate) struct Part {
    /// Parts of the first half below; 0 where nothing is below.
    pub low: usize,
    /// All parts below.
    pub below: usize,
    /// Places of its bodies in the island.
    pub bodies: Range<usize>,
    /// Where the second half of them begins.
    pub middle: usize,
    /// Contacts of each of its pairs, as places in the island's list; ascending.
    pub pairs: Vec<Range<u32>>,
    /// Upwards.
    pub patches: Vec<Patch>,
    /// Of patches as they come by their pairs.
    height_order: KeptOrder<i64>,
    /// Places of the patches ascending by pair.
    by_pair: Vec<u32>,
    pub slipped: Vec<bool>,
    /// What patches know of their sides from the step before.
    pub known: Vec<KnownSides>,
    /// Contacts of pairs that can move; the others keep their impulses.
    pub solved: Vec<u32>,
    /// Forces of the last substep, ascending by pair.
    pub forces: Vec<PointForce>,
    /// Impulses of its contacts.
    pub outcomes: Vec<Outcome>,
    /// A sum over its bodies, or two.
    pub sums: [f64; 2],
    points: [Vec<ContactPoint>; 2],
    used: Vec<bool>,
    /// Whether any of its points is worth a shift.
    pub wants_shift: bool,
    /// Speeds, m/s, or openings, m, that the points of each patch want.
    wanted: Vec<[f64; MOST]>,
    /// Pseudo-impulses of a shift, kg·m.
    shifts: Vec<[f64; MOST]>,
}

/// What the step before says of the sides of a patch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownSides {
    pub sides: [u32; 2],
    /// Longest time that it has pressed, s.
    pub age: f64,
    /// Whether it is known and only stuck.
    pub sticks: bool,
}

/// Impulses of a contact, on its own axes, N·s.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    /// Its number in the step.
    pub contact: u32,
    /// Of all substeps.
    pub total: ContactImpulse,
    pub last: ContactImpulse,
}

/// Bodies and contacts of which parts make patches.
#[derive(Clone, Copy)]
pub(super) struct Loading<'a> {
    pub shared: Shared<'a>,
    pub contacts: &'a [(PairKey, u32)],
    /// Place of each member, ascending by member.
    pub places: &'a [(BodyId, u32)],
    pub bodies: &'a [SolverBody],
    pub centres: &'a [Vec3],
}

impl Loading<'_> {
    /// Place of a body, or that of obstacles.
    pub fn place(&self, body: Option<BodyId>) -> usize {
        Loading::place_among(self.places, body)
    }

    /// The same with the place of each member, ascending by member.
    pub fn place_among(places: &[(BodyId, u32)], body: Option<BodyId>) -> usize {
        let known = body.and_then(|body| places.binary_search_by_key(&body, |own| own.0).ok());
        known.map_or(places.len(), |known| places[known].1 as usize)
    }
}

/// What sweeps of a substep read.
#[derive(Clone, Copy)]
pub(super) struct Sweeping<'a> {
    /// Displacements at the start of the substep.
    pub paths: &'a [Motion],
    /// Time from the start of the step to that of the substep, s.
    pub elapsed: f64,
    /// Of a substep, s.
    pub length: f64,
    /// Whether the impulses of the substep before are still to be added to the total.
    pub is_new: bool,
}

/// What the forces of a step are computed from.
#[derive(Clone, Copy)]
pub(super) struct Storing<'a> {
    pub members: &'a [BodyId],
    pub paths: &'a [Motion],
    /// Of a substep, s.
    pub length: f64,
    /// Of the step, s.
    pub dt: f64,
}

/// Motions of the bodies of some parts, which follow each other; lists that nobody wants are empty.
#[derive(Debug, Default)]
pub(super) struct Motions<'a> {
    pub velocities: &'a mut [Motion],
    pub before: &'a mut [Motion],
    pub warm: &'a mut [Motion],
    pub paths: &'a mut [Motion],
}

impl<'a> Motions<'a> {
    fn lists(self) -> [&'a mut [Motion]; 4] {
        [self.velocities, self.before, self.warm, self.paths]
    }

    fn again(&mut self) -> Motions<'_> {
        let Motions { velocities, before, warm, paths } = self;
        Motions { velocities, before, warm, paths }
    }

    /// Those of the first bodies, and of the others.
    pub fn split(self, count: usize) -> [Motions<'a>; 2] {
        let halves = self.lists().map(|list| list.split_at_mut(count.min(list.len())));
        let [(a, e), (b, f), (c, g), (d, h)] = halves;
        [
            Motions { velocities: a, before: b, warm: c, paths: d },
            Motions { velocities: e, before: f, warm: g, paths: h },
        ]
    }
}

/// Calls `act` for all parts of a tree with the motions of their bodies.
///
/// Forward those below a part come before it, backward after it. Halves share no body, so the
/// bits do not depend on the number of threads.
pub(super) fn visit(
    parts: &mut [Part],
    mut motions: Motions<'_>,
    (direction, threads): (Direction, usize),
    act: &(impl Fn(&mut Part, Motions<'_>) + Sync),
) {
    let Some((own, below)) = parts.split_last_mut() else { return };
    if direction == Direction::Backward {
        act(own, motions.again());
    }
    if !below.is_empty() {
        let (low, high) = below.split_at_mut(own.low);
        let [first, second] = motions.again().split(own.middle - own.bodies.start);
        let half = threads / 2;
        if half > 0 {
            par::both(
                || visit(low, first, (direction, half), act),
                || visit(high, second, (direction, threads - half), act),
            );
        } else {
            // Back through what was swept last, which is still in the cache.
            let is_back = direction == Direction::Backward;
            let [one, other] = match is_back {
                true => [(high, second), (low, first)],
                false => [(low, first), (high, second)],
            };
            visit(one.0, one.1, (direction, 1), act);
            visit(other.0, other.1, (direction, 1), act);
        }
    }
    if direction == Direction::Forward {
        act(own, motions);
    }
}

impl Part {
    /// Patches ascending by pair.
    pub fn patches_by_pair(&self) -> impl Iterator<Item = &Patch> {
        self.by_pair.iter().map(|place| &self.patches[*place as usize])
    }

    /// Whether no part is below it.
    pub(super) fn is_leaf(&self) -> bool {
        self.below == 0
    }

    /// Makes patches of its contacts, with the forces of the step before.
    pub(super) fn load(&mut self, from: Loading<'_>) {
        let Loading { shared, contacts, bodies, centres, .. } = from;
        let mut forces = shared.forces;
        let pairs = std::mem::take(&mut self.pairs);
        let [mut points, mut group] = std::mem::take(&mut self.points);
        let mut patches = std::mem::take(&mut self.patches);
        patches.clear();
        self.solved.clear();
        self.known.clear();
        for pair in &pairs {
            let pair = &contacts[pair.start as usize..pair.end as usize];
            let key = pair[0].0;
            let sides = [Some(key.first), key.second].map(|body| from.place(body));
            if sides.iter().all(|side| bodies[*side].inv_mass == 0.0) {
                continue;
            }
            self.solved.extend(pair.iter().map(|(_, number)| *number));
            let known = known_forces(&mut forces, key);
            self.used.clear();
            self.used.resize(known.len(), false);
            points.clear();
            let positions = shared.rigid.positions;
            points.extend(pair.iter().map(|&(_, number)| {
                ContactPoint::new(number, &shared.contacts[number as usize], positions)
            }));
            let own = sides.map(|side| &bodies[side]);
            let places = sides.map(|side| centres[side]);
            let first = patches.len();
            gather::patches(&mut points, &mut group, |points| {
                patches.push(Patch::new(points, sides.map(|side| side as u32), own, places));
            });
            for patch in &mut patches[first..] {
                patch.obstacle = key.obstacle;
                let sticks = match known.is_empty() {
                    true => {
                        load_by_feature(patch, shared);
                        true
                    }
                    false => self.load_by_place(patch, known),
                };
                self.known.push(KnownSides { sides: patch.sides, age: patch.age, sticks });
            }
        }
        self.points = [points, group];
        self.patches = patches;
        self.pairs = pairs;
    }

    /// Takes the forces of points of the step before that are nearest, N.
    ///
    /// Tells whether there were any, and none of them slipped.
    fn load_by_place(&mut self, patch: &mut Patch, known: &[PointForce]) -> bool {
        let near = SAME * patch.size;
        let (mut tangent, mut is_known, mut sticks) = (Vec3::ZERO, false, true);
        for i in 0..patch.count {
            let [x, y] = [patch.x[i], patch.y[i]];
            let arm = patch.arms[0] + x * patch.tangents[0] + y * patch.tangents[1];
            let mut best: Option<(f64, usize)> = None;
            for (k, old) in known.iter().enumerate().filter(|(k, _)| !self.used[*k]) {
                let distance = old.arm.distance_squared(arm);
                if distance < near * near && best.is_none_or(|(least, _)| distance < least) {
                    best = Some((distance, k));
                }
            }
            let Some((_, k)) = best else { continue };
            self.used[k] = true;
            let old = &known[k];
            patch.take_over(i, old);
            tangent += old.tangent;
            is_known = true;
            sticks &= !old.has_slipped;
        }
        patch.impulse.tangent = patch.tangents.map(|axis| axis.dot(tangent));
        is_known && sticks
    }

    /// Orders patches by height over the size of the smallest body, then by pair.
    pub(super) fn sort(&mut self, up: Vec3, size: f64) {
        let unit = (STOREY * size).recip();
        // From a place that moves with the island, and not with others.
        let base = self.patches.first().map_or(0.0, |patch| patch.centre.dot(up));
        let height = |patch: &Patch| ((patch.centre.dot(up) - base) * unit + BELOW).floor() as i64;
        let order = self.height_order.find(self.patches.iter().map(height));
        self.by_pair.clear();
        self.by_pair.resize(order.len(), 0);
        for (place, from) in order.iter().enumerate() {
            self.by_pair[*from as usize] = place as u32;
        }
        move_to(&mut self.patches, order, &mut self.used);
        self.slipped.clear();
        self.slipped.resize(self.patches.len(), false);
    }

    /// Sweeps its patches, upwards or back downwards.
    pub(super) fn sweep(
        &mut self,
        bodies: &mut impl PushedBodies,
        direction: Direction,
        with: Sweeping<'_>,
    ) {
        let Sweeping { paths, elapsed, length, is_new } = with;
        let inv_length = length.recip();
        for place in places(self.patches.len(), direction) {
            let patch = &mut self.patches[place];
            if is_new {
                // Those of the substep before, while the patch is at hand.
                patch.total.add(&patch.impulse);
            }
            // Paths are those of the start of the substep in all of its sweeps.
            if direction == Direction::Forward {
                let sides = patch.sides.map(|side| &paths[side as usize]);
                if patch.is_closed && !patch.is_lifted(sides) {
                    patch.targets = [0.0; MOST];
                } else {
                    let gaps = patch.gaps_after(sides, elapsed);
                    for (i, gap) in gaps.iter().enumerate().take(patch.count) {
                        patch.targets[i] = patch.surface_normal[i] - gap.max(0.0) * inv_length;
                    }
                }
            }
            let targets = patch.targets;
            let solution = patch.relax(&targets, bodies, direction);
            self.slipped[place] |= solution == Solution::Slips;
        }
    }

    /// Notes what points that were hit want, on the impulses of the whole step.
    pub(super) fn begin_rebound(&mut self, paths: &[Motion], [dt, length]: [f64; 2]) {
        let inv_length = length.recip();
        self.wanted.clear();
        for patch in &mut self.patches {
            let [a, b] = patch.sides.map(|side| &paths[side as usize]);
            let gaps = patch.gaps_after([a, b], dt);
            let mut targets = [0.0; MOST];
            for i in 0..patch.count {
                let is_hit = patch.bounces[i] > 0.0 && patch.total.normals[i] > 0.0;
                let rest = if is_hit { patch.bounces[i] } else { -gaps[i].max(0.0) * inv_length };
                targets[i] = patch.surface_normal[i] + rest;
            }
            self.wanted.push(targets);
            std::mem::swap(&mut patch.impulse, &mut patch.total);
        }
    }

    /// A sweep of a rebound.
    pub(super) fn sweep_rebound(&mut self, bodies: &mut impl PushedBodies, direction: Direction) {
        for place in places(self.patches.len(), direction) {
            self.patches[place].relax(&self.wanted[place], bodies, direction);
        }
    }

    /// Ends a rebound.
    pub(super) fn end_rebound(&mut self) {
        for patch in &mut self.patches {
            std::mem::swap(&mut patch.impulse, &mut patch.total);
        }
    }

    /// Notes how far its points want to be shifted, and whether any is worth it.
    pub(super) fn begin_shift(&mut self, paths: &[Motion], dt: f64) {
        let wanted = &mut self.wanted;
        wanted.clear();
        let mut is_any = false;
        for patch in &self.patches {
            let [a, b] = patch.sides.map(|side| &paths[side as usize]);
            let gaps = patch.gaps_after([a, b], dt);
            let mut want = [0.0; MOST];
            for i in 0..patch.count {
                let lacking = (GOAL - 1.0) * patch.offset - gaps[i];
                want[i] = match lacking > 0.0 {
                    // Whole bodies are translated before the step instead.
                    true if lacking > DEEP * patch.offset => 0.0,
                    true => (SHARES[0] * lacking).min(CAPS[0] * patch.size),
                    false => lacking,
                };
                is_any |= want[i] > LITTLE * SHARES[0] * patch.offset;
            }
            wanted.push(want);
        }
        self.shifts.clear();
        self.shifts.resize(self.wanted.len(), [0.0; MOST]);
        self.wants_shift = is_any;
    }

    /// A sweep of a shift.
    pub(super) fn sweep_shift(&mut self, bodies: &mut impl PushedBodies, direction: Direction) {
        for place in places(self.patches.len(), direction) {
            let (patch, wanted) = (&self.patches[place], &self.wanted[place]);
            push_apart(patch, wanted, &mut self.shifts[place], bodies);
        }
    }

    /// Shares the impulses of its patches out to their contacts.
    pub(super) fn share_out(&mut self, contacts: &[Contact]) {
        self.outcomes.clear();
        for patch in &self.patches {
            let (total, last) = (patch.shared_out(&patch.total), patch.shared_out(&patch.impulse));
            for i in 0..patch.count {
                let contact = patch.contacts[i];
                let own = |share| of_contact(patch, i, &contacts[contact as usize], share);
                self.outcomes.push(Outcome { contact, total: own(total[i]), last: own(last[i]) });
            }
        }
    }

    /// Keeps the forces of the last substep for the next step.
    pub(super) fn store(&mut self, from: Storing<'_>) {
        let Storing { members, paths, length, dt } = from;
        self.forces.clear();
        let inv_length = length.recip();
        for place in self.by_pair.iter().map(|place| *place as usize) {
            let (patch, has_slipped) = (&self.patches[place], self.slipped[place]);
            let pressure = patch.impulse.pressure();
            if pressure <= 0.0 {
                continue;
            }
            let [first, second] = patch.sides.map(|side| side as usize);
            let pair = PairKey {
                first: members[first],
                second: members.get(second).copied(),
                obstacle: patch.obstacle,
            };
            let [t1, t2] = patch.tangents;
            let tangent = patch.impulse.tangent[0] * t1 + patch.impulse.tangent[1] * t2;
            let turn = paths[first].angular;
            for i in (0..patch.count).filter(|i| patch.impulse.normals[*i] > 0.0) {
                let normal = patch.impulse.normals[i];
                let share = inv_length * normal / pressure;
                let arm = patch.arms[0] + patch.x[i] * t1 + patch.y[i] * t2;
                let turned = turn.cross(arm);
                self.forces.push(PointForce {
                    pair,
                    arm: arm + turned + 0.5 * turn.cross(turned),
                    normal: inv_length * normal,
                    tangent: share * tangent,
                    twist: share * patch.impulse.twist,
                    age: patch.age + dt,
                    has_slipped,
                });
            }
        }
    }
}

/// Places of so many patches in the order of a sweep.
fn places(count: usize, direction: Direction) -> impl Iterator<Item = usize> {
    (0..count).map(move |k| if direction == Direction::Forward { k } else { count - 1 - k })
}

/// Puts patches into an order that names where each comes from.
///
/// Sweeps then go through memory as it lies.
fn move_to(patches: &mut [Patch], order: &[u32], moved: &mut Vec<bool>) {
    moved.clear();
    moved.resize(order.len(), false);
    for start in 0..order.len() {
        // What is at the start goes on to the end of its cycle.
        let mut at = start;
        while !std::mem::replace(&mut moved[at], true) {
            let from = order[at] as usize;
            if moved[from] {
                break;
            }
            patches.swap(at, from);
            at = from;
        }
    }
}

/// The impulse of a point on the axes of its contact.
fn of_contact(
    patch: &Patch,
    i: usize,
    contact: &Contact,
    (normal, tangent): (f64, Vec3),
) -> ContactImpulse {
    let whole = patch.signs[i] * (normal * patch.normal + tangent);
    let along = whole.dot(contact.normal);
    ContactImpulse { normal: along.max(0.0), tangent: whole - along * contact.normal }
}

/// Forces of a pair; `all` become those behind it.
///
/// Pairs are asked for ascending: what is wanted is mostly near the start.
fn known_forces<'a>(all: &mut &'a [PointForce], key: PairKey) -> &'a [PointForce] {
    let mut span = 1;
    while all.get(span).is_some_and(|point| point.pair < key) {
        span *= 2;
    }
    let near = &all[..all.len().min(span + 1)];
    let first = near.partition_point(|point| point.pair < key);
    let count = all[first..].iter().take_while(|point| point.pair == key).count();
    let (own, rest) = all[first..].split_at(count);
    *all = rest;
    own
}

/// Takes the impulses of the contacts of a patch in the step before, as forces, N.
fn load_by_feature(patch: &mut Patch, shared: Shared<'_>) {
    let rate = shared.equations.dt.recip();
    let mut tangent = Vec3::ZERO;
    for i in 0..patch.count {
        let ContactImpulse { normal, tangent: own } =
            shared.row_impulses[patch.contacts[i] as usize];
        patch.impulse.normals[i] = rate * normal;
        tangent += rate * patch.signs[i] * own;
    }
    patch.impulse.tangent = patch.tangents.map(|axis| axis.dot(tangent));
}

/// Moves both sides of a patch apart along its normal.
fn push_apart(
    patch: &Patch,
    wanted: &[f64; MOST],
    pushes: &mut [f64; MOST],
    bodies: &mut impl PushedBodies,
) {
    let [a, b] = patch.sides.map(|side| side as usize);
    let mut relative = patch.relative([bodies.motion(a), bodies.motion(b)]);
    let mut wrench = [0.0; 6];
    for i in 0..patch.count {
        let (x, y) = (patch.x[i], patch.y[i]);
        let lacking = wanted[i] - patch.point_speed(&relative, i);
        let push = (pushes[i] + lacking * patch.point_masses[i]).max(0.0);
        let change = push - pushes[i];
        if change == 0.0 {
            continue;
        }
        pushes[i] = push;
        let own = [change, y * change, -x * change];
        for (k, value) in own.into_iter().enumerate() {
            wrench[k] += value;
            for (speed, response) in relative.iter_mut().zip(patch.k[k]) {
                *speed += response * value;
            }
        }
    }
    if wrench != [0.0; 6] {
        bodies.push(patch, &wrench);
    }
}
