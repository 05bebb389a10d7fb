//! One island of rigid bodies through all substeps of a step.
//!
//! | here         | formula | meaning                                                        |
//! |--------------|---------|----------------------------------------------------------------|
//! | `velocities` | v, ω    | of each body now, m/s and rad/s                                |
//! | `pushes`     |         | change of these by forces in one substep                       |
//! | `warm`       | W       | change of these by the impulses of the substep before          |
//! | `paths`      | δ       | displacement, m, and rotation, rad, since the start            |
//! | `count`      | n       | substeps                                                       |
//! | `length`     | h       | of a substep, s                                                |

mod gain;
mod jointed;

use crate::contact::Contact;
use crate::contact::impulse::ContactImpulse;
use crate::contact::point_force::{PairKey, PointForce};
use crate::force::BlockMatrix;
use crate::id::{BodyId, VertexId};
use crate::math::{Mat3, Vec3, outer_square};
use crate::order::KeptOrder;
use crate::solve::dense::inverse;
use crate::solve::joint::articulation::Articulation;
use crate::solve::position_correction::{CAPS, DEEP, SHARES};
use crate::solve::rigid_substeps::bodies::{FreeBodies, JointedBodies, PushedBodies};
use crate::solve::rigid_substeps::gather::{self, ContactPoint};
use crate::solve::rigid_substeps::island::jointed::Jointed;
use crate::solve::rigid_substeps::patch::{MOST, Motion, Patch, SolverBody};
use crate::solve::rigid_substeps::relax::{Direction, Solution};
use crate::solve::rows::Equations;
use crate::solve::terms::RigidSides;

/// Substeps per √(load · g / size) and second.
const RATE: f64 = 34.0;

/// Substeps of a step at least and at most.
const SUBSTEPS: [f64; 2] = [4.0, 128.0];

/// Time after which the loads that were met say more than the height of an island, s.
const YOUNG: f64 = 1.0;

/// Height of an island at most that counts before its loads are known, per size.
const HIGH: f64 = 100.0;

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

/// Gap by which points may be off one plane and count as on it, per offset.
const ROUGH: f64 = 1e-4;

/// Pairs of sweeps in a substep where no force is known yet.
const FIRST: usize = 16;

/// Pairs of sweeps of the shift.
const SHIFTS: usize = 1;

/// Pairs of sweeps of a rebound.
const REBOUNDS: usize = 8;

/// Speed per √(g L) below which bodies that only stick come to rest, and how fast, 1/s.
const REST: [f64; 2] = [0.01, 2.0];

/// What all islands read.
#[derive(Clone, Copy)]
pub(super) struct Shared<'a> {
    pub equations: Equations<'a, BlockMatrix>,
    pub rigid: RigidSides<'a>,
    pub contacts: &'a [Contact],
    /// Warm start by feature, N·s in a step.
    pub row_impulses: &'a [ContactImpulse],
    /// The same by place, ascending by pair.
    pub forces: &'a [PointForce],
    /// At the start of the step, of all unknowns.
    pub velocities: &'a [Vec3],
}

/// Bodies and patches of one island.
#[derive(Debug, Default)]
pub(super) struct Island {
    /// Pair and number of each contact, ascending.
    pub contacts: Vec<(PairKey, u32)>,
    /// Of its contacts by their pairs.
    pub pair_order: KeptOrder<PairKey>,
    /// Ascending.
    pub members: Vec<BodyId>,
    /// What joints connect.
    pub jointed: Jointed,
    /// Members, then one entry that stands for all obstacles.
    bodies: Vec<SolverBody>,
    /// Mass, kg, and inertia in world axes, kg·m², of each member.
    masses: Vec<(f64, Mat3)>,
    centres: Vec<Vec3>,
    pub velocities: Vec<Motion>,
    pub paths: Vec<Motion>,
    /// The same when the last substep began.
    pub paths_before_last: Vec<Motion>,
    pushes: Vec<Motion>,
    warm: Vec<Motion>,
    before: Vec<Motion>,
    pub patches: Vec<Patch>,
    /// Whether the patches of each only stuck in the step before.
    sticks: Vec<bool>,
    /// Longest time that a patch of each has pressed, s.
    ages: Vec<f64>,
    /// Momentum that rest took from each, N·s.
    pub rested: Vec<Vec3>,
    /// Energy that shifts against the forces on bodies have put in, J; not negative.
    pub lifted: f64,
    pub count: usize,
    pub length: f64,
    /// Whether something that moves by itself touches a body, and may put energy in.
    is_driven: bool,
    /// Whether bodies touch bodies.
    is_stacked: bool,
    /// Energy that forces give in one substep from rest, J.
    fall: f64,
    /// Whether the impulses of the substep before are still to be added to the total.
    is_new: bool,
    /// Energy that contacts have put in since the start of the step, J; negative where they took.
    balance: f64,
    /// Of all patches now, ascending by pair.
    pub forces: Vec<PointForce>,
    slipped: Vec<bool>,
    height_order: KeptOrder<i64>,
    /// Patches upwards.
    order: Vec<u32>,
    points: [Vec<ContactPoint>; 2],
    used: Vec<bool>,
    /// Contacts of pairs that can move; the others keep their impulses.
    pub solved: Vec<u32>,
    /// Speeds, m/s, or openings, m, that the points of each patch want.
    wanted: Vec<[f64; MOST]>,
    /// Pseudo-impulses of a shift, kg·m.
    shifts: Vec<[f64; MOST]>,
}

impl Island {
    /// Takes the island through a step; its contacts and members are given.
    pub fn solve(&mut self, shared: Shared<'_>) {
        let dt = shared.equations.dt;
        self.load_bodies(shared);
        self.load_patches(shared);
        self.load_joints();
        let gravity = self.gravity(dt);
        self.count_substeps(gravity, dt);
        self.rest(gravity.length(), dt);
        self.sort(-gravity.try_normalize().unwrap_or(-Vec3::Z));
        self.start();
        self.begin_balance();
        let is_first = self.patches.iter().all(|patch| patch.impulse.pressure() == 0.0);
        let pairs = if is_first { FIRST } else { 1 };
        for substep in 0..self.count {
            if substep + 1 == self.count {
                self.paths_before_last.clone_from(&self.paths);
            }
            self.substep(substep, pairs);
        }
        self.patches.iter_mut().for_each(|patch| patch.total.add(&patch.impulse));
        self.rebound(dt);
        self.shift(dt);
        self.keep_spin(shared);
        self.finish_joints();
        self.store(dt);
    }

    /// Entry of a body, or that of obstacles.
    fn entry(&self, body: Option<BodyId>) -> usize {
        let known = body.and_then(|body| self.members.binary_search(&body).ok());
        known.unwrap_or(self.members.len())
    }

    fn load_bodies(&mut self, shared: Shared<'_>) {
        let Shared { equations, rigid, velocities, .. } = shared;
        self.bodies.clear();
        self.masses.clear();
        self.centres.clear();
        self.velocities.clear();
        self.pushes.clear();
        for body in self.members.iter().map(|body| body.index()) {
            let first = rigid.firsts[body] as usize;
            let start = Motion { linear: velocities[first], angular: velocities[first + 1] };
            let is_held = equations.held.binary_search(&VertexId(first as u32)).is_ok();
            let mass = equations.matrix.diagonal(first).x_axis.x;
            let turning = inverse(equations.matrix.diagonal(first + 1)).filter(|_| !is_held);
            let (own, free) = match turning {
                None => (SolverBody::FIXED, start),
                Some(inv_inertia) => {
                    let own = SolverBody { inv_mass: mass.recip(), inv_inertia };
                    let linear = own.inv_mass * equations.right[first];
                    (own, Motion { linear, angular: inv_inertia * equations.right[first + 1] })
                }
            };
            self.bodies.push(own);
            self.masses.push((mass, equations.matrix.diagonal(first + 1)));
            self.centres.push(rigid.centres[body].unwrap_or_default());
            self.velocities.push(start);
            // Of the whole step until the number of substeps is known.
            self.pushes.push(Motion {
                linear: free.linear - start.linear,
                angular: free.angular - start.angular,
            });
        }
        self.bodies.push(SolverBody::FIXED);
        self.centres.push(Vec3::ZERO);
        self.velocities.push(Motion::default());
        self.pushes.push(Motion::default());
        let count = self.bodies.len();
        for list in [&mut self.paths, &mut self.warm, &mut self.before] {
            list.clear();
            list.resize(count, Motion::default());
        }
        self.sticks.clear();
        self.sticks.resize(count, true);
        self.ages.clear();
        self.ages.resize(count, 0.0);
    }

    /// Makes patches of the contacts, with the forces of the step before.
    fn load_patches(&mut self, shared: Shared<'_>) {
        let contacts = std::mem::take(&mut self.contacts);
        let mut forces = shared.forces;
        let [mut points, mut group] = std::mem::take(&mut self.points);
        let mut patches = std::mem::take(&mut self.patches);
        patches.clear();
        self.solved.clear();
        for pair in contacts.chunk_by(|a, b| a.0 == b.0) {
            let key = pair[0].0;
            let sides = [Some(key.first), key.second].map(|body| self.entry(body));
            if sides.iter().all(|side| self.bodies[*side].inv_mass == 0.0) {
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
            let bodies = sides.map(|side| &self.bodies[side]);
            let centres = sides.map(|side| self.centres[side]);
            let first = patches.len();
            gather::patches(&mut points, &mut group, |points| {
                patches.push(Patch::new(points, sides.map(|side| side as u32), bodies, centres));
            });
            for patch in &mut patches[first..] {
                patch.obstacle = key.obstacle;
                if known.is_empty() {
                    load_by_feature(patch, shared);
                } else {
                    self.load_by_place(patch, known);
                }
                for side in sides {
                    self.ages[side] = self.ages[side].max(patch.age);
                }
            }
        }
        self.contacts = contacts;
        self.points = [points, group];
        self.patches = patches;
    }

    /// Takes the forces of points of the step before that are nearest, N.
    fn load_by_place(&mut self, patch: &mut Patch, known: &[PointForce]) {
        let near = SAME * patch.size;
        let (mut tangent, mut is_known) = (Vec3::ZERO, false);
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
            for side in patch.sides {
                self.sticks[side as usize] &= !old.has_slipped;
            }
        }
        patch.impulse.tangent = patch.tangents.map(|axis| axis.dot(tangent));
        if !is_known {
            patch.sides.iter().for_each(|side| self.sticks[*side as usize] = false);
        }
    }

    /// Mean acceleration by forces, m/s².
    fn gravity(&self, dt: f64) -> Vec3 {
        let (mut sum, mut total) = (Vec3::ZERO, 0.0);
        for (body, push) in self.bodies.iter().zip(&self.pushes) {
            if body.inv_mass > 0.0 {
                let mass = body.inv_mass.recip();
                sum += mass * push.linear;
                total += mass;
            }
        }
        if total > 0.0 { sum / (total * dt) } else { Vec3::ZERO }
    }

    /// As many substeps as loads and sizes need.
    ///
    /// What a contact sinks while it comes to bear its load must stay within the offset.
    fn count_substeps(&mut self, gravity: Vec3, dt: f64) {
        let size = self.patches.iter().fold(f64::INFINITY, |least, patch| least.min(patch.size));
        let strength = gravity.length();
        let mut needed = strength / size;
        for patch in &self.patches {
            let [a, b] = patch.sides.map(|side| self.lightness(patch, side as usize));
            needed = needed.max(patch.impulse.pressure() * a.max(b) / patch.size);
        }
        let ages = self.ages.iter().zip(&self.bodies).enumerate();
        let ages = ages.filter(|(k, (_, body))| body.inv_mass > 0.0 && !self.jointed.holds(*k));
        let youngest = ages.fold(f64::INFINITY, |least, (_, (age, _))| least.min(*age));
        if youngest < YOUNG && strength > 0.0 {
            let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
            let (mut light, mut heavy) = (0.0_f64, f64::INFINITY);
            for (body, centre) in self.bodies.iter().zip(&self.centres) {
                if body.inv_mass > 0.0 {
                    let height = centre.dot(gravity) / strength;
                    (low, high) = (low.min(height), high.max(height));
                    (light, heavy) = (light.max(body.inv_mass), heavy.min(body.inv_mass));
                }
            }
            let load = ((high - low) / size + 1.0).min(HIGH) + light / heavy - 1.0;
            needed = needed.max(strength * load / size);
        }
        let wanted = (RATE * dt * needed.sqrt()).ceil();
        let is_known = !wanted.is_nan();
        let wanted = if is_known { wanted.clamp(SUBSTEPS[0], SUBSTEPS[1]) } else { SUBSTEPS[0] };
        self.count = wanted as usize;
        self.length = dt / wanted;
        let share = wanted.recip();
        for push in &mut self.pushes {
            push.linear *= share;
            push.angular *= share;
        }
        for patch in &mut self.patches {
            patch.impulse.scale(self.length);
            patch.rough = ROUGH * patch.offset / self.length;
        }
    }

    /// Slows down what hardly moves and only stuck, in an island that lies on what is still.
    ///
    /// Tall walls sway without end otherwise.
    fn rest(&mut self, gravity: f64, dt: f64) {
        self.rested.clear();
        self.rested.resize(self.bodies.len(), Vec3::ZERO);
        let ground = self.members.len() as u32;
        let lies = |patch: &Patch| patch.sides[1] == ground && patch.impulse.pressure() > 0.0;
        let is_still = |patch: &Patch| patch.is_still();
        if !(self.patches.iter().any(lies) && self.patches.iter().all(is_still)) {
            return;
        }
        let size = self.patches.iter().fold(f64::INFINITY, |least, patch| least.min(patch.size));
        let slow = REST[0] * (gravity * size).sqrt();
        let share = (REST[1] * dt).min(1.0);
        for (k, body) in self.bodies.iter().enumerate() {
            let Motion { linear, angular } = &mut self.velocities[k];
            let speed = linear.length() + angular.length() * size;
            if self.sticks[k] && self.ages[k] > 0.0 && body.inv_mass > 0.0 && speed < slow {
                self.rested[k] = -share / body.inv_mass * *linear;
                *linear *= 1.0 - share;
                *angular *= 1.0 - share;
            }
        }
    }

    /// Orders patches by height, then by pair.
    fn sort(&mut self, up: Vec3) {
        let size = self.patches.iter().fold(f64::INFINITY, |least, patch| least.min(patch.size));
        let unit = (STOREY * size).recip();
        // From a place that moves with the island, and not with others.
        let base = self.patches.first().map_or(0.0, |patch| patch.centre.dot(up));
        let height = |patch: &Patch| ((patch.centre.dot(up) - base) * unit + BELOW).floor() as i64;
        let order = self.height_order.find(self.patches.iter().map(height));
        self.order.clear();
        self.order.extend_from_slice(order);
        self.slipped.clear();
        self.slipped.resize(self.patches.len(), false);
    }

    /// What the impulses of the step before do to each body in a substep.
    fn start(&mut self) {
        for patch in self.patches.iter().filter(|patch| patch.impulse.pressure() > 0.0) {
            // Of each body alone, also where joints hold it.
            patch.apply(&patch.impulse.wrench(patch), &self.bodies, &mut self.warm);
        }
    }

    /// One substep with so many pairs of sweeps.
    fn substep(&mut self, substep: usize, pairs: usize) {
        self.start_joints(substep);
        for k in 0..self.bodies.len() {
            let (own, push, warm) = (&mut self.velocities[k], &self.pushes[k], &self.warm[k]);
            own.linear += push.linear + warm.linear;
            own.angular += push.angular + warm.angular;
            self.before[k] = *own;
        }
        let elapsed = substep as f64 * self.length;
        self.load_axes();
        self.settle_joints();
        self.is_new = substep > 0;
        for _ in 0..pairs {
            self.sweep_pair(elapsed);
        }
        self.balance += self.sweep_out_gain(elapsed);
        for k in 0..self.bodies.len() {
            let (own, before) = (&self.velocities[k], &self.before[k]);
            let (warm, path) = (&mut self.warm[k], &mut self.paths[k]);
            match self.jointed.fresh(k) {
                None => {
                    warm.linear += own.linear - before.linear;
                    warm.angular += own.angular - before.angular;
                }
                Some(fresh) => {
                    warm.linear += fresh.linear;
                    warm.angular += fresh.angular;
                }
            }
            path.linear += self.length * own.linear;
            path.angular += self.length * own.angular;
        }
        self.end_joints();
    }

    /// Sweeps upwards and back downwards.
    fn sweep_pair(&mut self, elapsed: f64) {
        self.sweep_axes();
        self.sweep(Direction::Forward, elapsed);
        self.is_new = false;
        self.sweep(Direction::Backward, elapsed);
        self.sweep_axes();
        self.settle_joints();
    }

    fn sweep(&mut self, direction: Direction, elapsed: f64) {
        let inv_length = self.length.recip();
        let count = self.order.len();
        for k in 0..count {
            let place = if direction == Direction::Forward { k } else { count - 1 - k };
            let place = self.order[place] as usize;
            let patch = &mut self.patches[place];
            if self.is_new {
                // Those of the substep before, while the patch is at hand.
                patch.total.add(&patch.impulse);
            }
            // Paths are those of the start of the substep in all of its sweeps.
            if direction == Direction::Forward {
                let sides = patch.sides.map(|side| &self.paths[side as usize]);
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
            let (bodies, motions) = (&self.bodies[..], &mut self.velocities[..]);
            let solution = match self.jointed.is_empty() {
                true => patch.relax(&targets, &mut FreeBodies { bodies, motions }, direction),
                false => {
                    let mut all = JointedBodies::of(&mut self.jointed, bodies, motions);
                    patch.relax(&targets, &mut all, direction)
                }
            };
            self.slipped[place] |= solution == Solution::Slips;
        }
    }

    /// Gives impacts their rebound, on the impulses of the whole step.
    fn rebound(&mut self, dt: f64) {
        let bounces = |patch: &Patch| {
            patch.bounces.iter().zip(patch.total.normals).any(|(b, n)| *b > 0.0 && n > 0.0)
        };
        if !self.patches.iter().any(bounces) {
            return;
        }
        let inv_length = self.length.recip();
        let goals = &mut self.wanted;
        goals.clear();
        for patch in &mut self.patches {
            let [a, b] = patch.sides.map(|side| &self.paths[side as usize]);
            let gaps = patch.gaps_after([a, b], dt);
            let mut targets = [0.0; MOST];
            for i in 0..patch.count {
                let is_hit = patch.bounces[i] > 0.0 && patch.total.normals[i] > 0.0;
                let rest = if is_hit { patch.bounces[i] } else { -gaps[i].max(0.0) * inv_length };
                targets[i] = patch.surface_normal[i] + rest;
            }
            goals.push(targets);
            std::mem::swap(&mut patch.impulse, &mut patch.total);
        }
        self.begin_rebound();
        let goals = &self.wanted;
        let count = self.order.len();
        for pass in 0..2 * REBOUNDS {
            let is_forward = pass % 2 == 0;
            let direction = if is_forward { Direction::Forward } else { Direction::Backward };
            for k in 0..count {
                let place = if is_forward { k } else { count - 1 - k };
                let place = self.order[place] as usize;
                let patch = &mut self.patches[place];
                let (bodies, motions) = (&self.bodies[..], &mut self.velocities[..]);
                match self.jointed.is_empty() {
                    true => {
                        patch.relax(&goals[place], &mut FreeBodies { bodies, motions }, direction)
                    }
                    false => {
                        let mut all = JointedBodies::of(&mut self.jointed, bodies, motions);
                        patch.relax(&goals[place], &mut all, direction)
                    }
                };
            }
        }
        self.end_rebound();
        for patch in &mut self.patches {
            std::mem::swap(&mut patch.impulse, &mut patch.total);
        }
    }

    /// Shifts bodies that are too near; no velocity changes.
    fn shift(&mut self, dt: f64) {
        self.lifted = 0.0;
        let wanted = &mut self.wanted;
        wanted.clear();
        let mut is_any = false;
        for patch in &self.patches {
            let [a, b] = patch.sides.map(|side| &self.paths[side as usize]);
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
        if !is_any {
            return;
        }
        self.patches.iter_mut().for_each(Patch::fill_parts);
        let motions = &mut self.before[..];
        motions.fill(Motion::default());
        let pushes = &mut self.shifts;
        pushes.clear();
        pushes.resize(wanted.len(), [0.0; MOST]);
        self.jointed.fresh.fill(Motion::default());
        let upwards = self.order.iter();
        let bodies = &self.bodies[..];
        let mut free = FreeBodies { bodies, motions };
        for _ in 0..SHIFTS {
            for k in upwards.clone().chain(upwards.clone().rev()) {
                let k = *k as usize;
                let patch = &self.patches[k];
                if self.jointed.is_empty() {
                    push_apart(patch, &wanted[k], &mut pushes[k], &mut free);
                } else {
                    let mut all = JointedBodies::of(&mut self.jointed, bodies, free.motions);
                    push_apart(patch, &wanted[k], &mut pushes[k], &mut all);
                }
            }
        }
        self.shift_joints();
        let shifts = &self.before;
        let inv_length = self.length.recip();
        let mut lifted = 0.0;
        for (k, shift) in shifts.iter().enumerate() {
            self.paths[k].linear += shift.linear;
            self.paths[k].angular += shift.angular;
            if self.bodies[k].inv_mass > 0.0 {
                let force = inv_length / self.bodies[k].inv_mass * self.pushes[k].linear;
                lifted -= force.dot(shift.linear);
            }
        }
        self.lifted = lifted.max(0.0);
    }

    /// Restores the angular momentum of an island that touches nothing fixed.
    ///
    /// Impulses act where bodies are at the start of the step, and bodies do not move by their
    /// end velocities. What that changes is given back by a turn of the island as a whole, which
    /// no contact notices.
    fn keep_spin(&mut self, shared: Shared<'_>) {
        let count = self.members.len();
        let is_fixed = |body: &SolverBody| body.inv_mass == 0.0;
        let meets_obstacle = self.patches.iter().any(|patch| patch.sides[1] as usize == count);
        let hangs = self.jointed.all.iter().any(Articulation::is_held_by_world);
        if meets_obstacle || hangs || self.bodies[..count].iter().any(is_fixed) {
            return;
        }
        let masses = self.bodies[..count].iter().map(|body| body.inv_mass.recip());
        let (mut total, mut place, mut way, mut going) = (0.0, Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
        for (k, mass) in masses.clone().enumerate() {
            total += mass;
            place += mass * (self.centres[k] + self.paths[k].linear);
            way += mass * self.paths[k].linear;
            going += mass * self.velocities[k].linear;
        }
        let [place, way, going] = [place, way, going].map(|sum| sum / total);
        let (mut gained, mut inertia) = (Vec3::ZERO, Mat3::ZERO);
        for (k, mass) in masses.enumerate() {
            let (path, velocity) = (self.paths[k].linear, self.velocities[k].linear);
            gained += mass * (path - way).cross(velocity - going);
            let arm = self.centres[k] + path - place;
            let square = Mat3::from_diagonal(Vec3::splat(arm.length_squared()));
            inertia += mass * (square - outer_square(arm));
            let first = shared.rigid.firsts[self.members[k].index()] as usize;
            inertia += shared.equations.matrix.diagonal(first + 1);
        }
        if !self.jointed.is_empty() {
            // Joints act where bodies are, contacts where they were.
            gained = self.jointed.gained();
        }
        let Some(inverse) = inverse(inertia) else { return };
        let turn = -(inverse * gained);
        for k in 0..count {
            let arm = self.centres[k] + self.paths[k].linear - place;
            self.velocities[k].linear += turn.cross(arm);
            self.velocities[k].angular += turn;
        }
    }

    /// Keeps the forces of the last substep for the next step.
    fn store(&mut self, dt: f64) {
        self.forces.clear();
        let inv_length = self.length.recip();
        for (patch, has_slipped) in self.patches.iter().zip(&self.slipped) {
            let pressure = patch.impulse.pressure();
            if pressure <= 0.0 {
                continue;
            }
            let [first, second] = patch.sides.map(|side| side as usize);
            let pair = PairKey {
                first: self.members[first],
                second: self.members.get(second).copied(),
                obstacle: patch.obstacle,
            };
            let [t1, t2] = patch.tangents;
            let tangent = patch.impulse.tangent[0] * t1 + patch.impulse.tangent[1] * t2;
            let turn = self.paths[first].angular;
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
                    has_slipped: *has_slipped,
                });
            }
        }
    }
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
