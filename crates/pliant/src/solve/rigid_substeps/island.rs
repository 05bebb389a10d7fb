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
mod part;
mod tree;

use crate::contact::Contact;
use crate::contact::impulse::ContactImpulse;
use crate::contact::point_force::{PairKey, PointForce};
use crate::force::BlockMatrix;
use crate::id::{BodyId, VertexId};
use crate::math::{Mat3, Vec3, outer_square};
use crate::order::KeptOrder;
use crate::solve::dense::inverse;
use crate::solve::joint::articulation::Articulation;
use crate::solve::rigid_substeps::bodies::{FreeBodies, JointedBodies, PushedBodies};
use crate::solve::rigid_substeps::island::jointed::Jointed;
use crate::solve::rigid_substeps::island::part::{
    Loading, Motions, Part, Storing, Sweeping, visit,
};
use crate::solve::rigid_substeps::island::tree::Tree;
use crate::solve::rigid_substeps::patch::{Motion, Patch, SolverBody};
use crate::solve::rigid_substeps::relax::Direction;
use crate::solve::rows::Equations;
use crate::solve::terms::RigidSides;

/// Substeps per √(load · g / size) and second.
const RATE: f64 = 34.0;

/// Substeps of a step at least and at most.
const SUBSTEPS: [f64; 2] = [4.0, 512.0];

/// Time after which the loads that were met say more than the height of an island, s.
const YOUNG: f64 = 1.0;

/// Height of an island at most that counts before its loads are known, per size.
const HIGH: f64 = 100.0;

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

/// Members from which on passes over bodies alone, a small part of a sweep, are worth several threads.
const WORTH_IN_PASSES: usize = 4096;

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
    /// Threads that an island may use.
    pub threads: usize,
}

/// Bodies and patches of one island.
#[derive(Debug, Default)]
pub(super) struct Island {
    /// Pair and number of each contact, ascending.
    pub contacts: Vec<(PairKey, u32)>,
    /// Of its contacts by their pairs.
    pub pair_order: KeptOrder<PairKey>,
    /// Ascending, or by the parts of the island.
    pub members: Vec<BodyId>,
    /// How many of them parts have; those behind cannot move.
    movable: usize,
    /// The contacts, by parts of the island that can be swept at the same time.
    tree: Tree,
    /// Threads that share sweeps, and those that share passes over bodies.
    threads: usize,
    pass_threads: usize,
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
    /// Whether the patches of each only stuck in the step before.
    sticks: Vec<bool>,
    /// Longest time that a patch of each has pressed, s.
    ages: Vec<f64>,
    /// Momentum that rest and brakes took from each, N·s.
    pub rested: Vec<Vec3>,
    /// Energy that shifts against the forces on bodies have put in, J; not negative.
    pub lifted: f64,
    pub count: usize,
    pub length: f64,
    /// Pairs of sweeps in all substeps.
    pub pairs: usize,
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
    /// Place in each part, to put their forces together.
    cursors: Vec<usize>,
}

/// A kind of sweep over the patches of an island.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sweep {
    /// Of a substep that begins so late in the step, or one more of it.
    Substep,
    Rebound,
    Shift,
}

impl Island {
    /// Takes the island through a step; its contacts and members are given.
    pub fn solve(&mut self, shared: Shared<'_>) {
        let dt = shared.equations.dt;
        self.threads = shared.threads;
        let are_many = self.members.len() >= WORTH_IN_PASSES;
        self.pass_threads = if are_many { shared.threads } else { 1 };
        self.split(shared);
        self.load_bodies(shared);
        self.load_patches(shared);
        let gravity = self.gravity(dt);
        let (up, size) = (-gravity.try_normalize().unwrap_or(-Vec3::Z), self.size());
        self.tree.each(self.threads, |part| part.sort(up, size));
        self.load_joints();
        self.count_substeps(gravity, dt);
        self.rest(gravity.length(), dt);
        self.start();
        self.begin_balance();
        self.pairs = 0;
        let is_first = self.patches().all(|patch| patch.impulse.pressure() == 0.0);
        let pairs = if is_first { FIRST } else { 1 };
        for substep in 0..self.count {
            if substep + 1 == self.count {
                self.paths_before_last.clone_from(&self.paths);
            }
            self.substep(substep, pairs);
        }
        self.tree.each(self.threads, |part| {
            part.patches.iter_mut().for_each(|patch| patch.total.add(&patch.impulse));
        });
        self.rebound(dt);
        self.shift(dt);
        self.keep_spin(shared);
        self.finish_joints();
        self.tree.each(self.threads, |part| part.share_out(shared.contacts));
        self.store(dt);
    }

    /// All parts.
    pub fn parts(&self) -> &[Part] {
        self.tree.parts()
    }

    /// All patches, part by part.
    fn patches(&self) -> impl Iterator<Item = &Patch> {
        self.parts().iter().flat_map(|part| &part.patches)
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
        let mut tree = std::mem::take(&mut self.tree);
        let places = tree.take_places();
        let loading = Loading {
            shared,
            contacts: &self.contacts,
            places: &places,
            bodies: &self.bodies,
            centres: &self.centres,
        };
        tree.each(self.threads, |part| part.load(loading));
        tree.return_places(places);
        for known in tree.parts().iter().flat_map(|part| &part.known) {
            for side in known.sides.map(|side| side as usize) {
                self.ages[side] = self.ages[side].max(known.age);
                self.sticks[side] &= known.sticks;
            }
        }
        self.tree = tree;
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
        let size = self.size();
        let strength = gravity.length();
        let mut needed = strength / size;
        for patch in self.patches() {
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
        let length = self.length;
        self.tree.each(self.threads, |part| {
            for patch in &mut part.patches {
                patch.impulse.scale(length);
                patch.rough = ROUGH * patch.offset / length;
            }
        });
    }

    /// Of the smallest body, m.
    fn size(&self) -> f64 {
        self.patches().fold(f64::INFINITY, |least, patch| least.min(patch.size))
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
        if !(self.patches().any(lies) && self.patches().all(is_still)) {
            return;
        }
        let size = self.size();
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

    /// What the impulses of the step before do to each body in a substep.
    fn start(&mut self) {
        let Island { tree, bodies, warm, movable, threads, .. } = self;
        let bodies = &bodies[..];
        let motions = Motions { velocities: &mut warm[..*movable], ..Motions::default() };
        visit(tree.parts_mut(), motions, (Direction::Forward, *threads), &|part, motions| {
            let first = part.bodies.start;
            let fixed = (&[][..], 0);
            let mut free = FreeBodies { bodies, motions: motions.velocities, first, fixed };
            let pressed = part.patches_by_pair().filter(|patch| patch.impulse.pressure() > 0.0);
            for patch in pressed {
                // Of each body alone, also where joints hold it.
                free.push(patch, &patch.impulse.wrench(patch));
            }
        });
    }

    /// One substep with so many pairs of sweeps.
    fn substep(&mut self, substep: usize, pairs: usize) {
        self.start_joints(substep);
        self.each_body(|(pushes, _), at, motions| {
            for (k, own) in motions.velocities.iter_mut().enumerate() {
                let (push, warm) = (&pushes[at + k], &motions.warm[k]);
                own.linear += push.linear + warm.linear;
                own.angular += push.angular + warm.angular;
                motions.before[k] = *own;
            }
        });
        let elapsed = substep as f64 * self.length;
        self.load_axes();
        self.settle_joints();
        self.is_new = substep > 0;
        for _ in 0..pairs {
            self.sweep_pair(elapsed);
        }
        let gain = self.sweep_out_gain(elapsed);
        let kept = self.brake(gain);
        let length = self.length;
        self.each_body(|(_, jointed), at, motions| {
            for (k, own) in motions.velocities.iter_mut().enumerate() {
                let (before, warm, path) =
                    (&motions.before[k], &mut motions.warm[k], &mut motions.paths[k]);
                match jointed.fresh(at + k) {
                    None => {
                        warm.linear += own.linear - before.linear;
                        warm.angular += own.angular - before.angular;
                        own.linear *= kept;
                        own.angular *= kept;
                    }
                    Some(fresh) => {
                        warm.linear += fresh.linear;
                        warm.angular += fresh.angular;
                    }
                }
                path.linear += length * own.linear;
                path.angular += length * own.angular;
            }
        });
        self.end_joints();
    }

    /// Calls `act` for runs of all bodies with the place of the first of each.
    fn each_body(&mut self, act: impl Fn((&[Motion], &Jointed), usize, Motions<'_>) + Sync) {
        let Island { tree, velocities, before, warm, paths, movable, pass_threads, .. } = self;
        let all = Motions { velocities, before, warm, paths };
        let [moving, still] = all.split(*movable);
        let with = (&self.pushes[..], &self.jointed);
        visit(tree.parts_mut(), moving, (Direction::Forward, *pass_threads), &|part, motions| {
            if part.is_leaf() {
                act(with, part.bodies.start, motions);
            }
        });
        act(with, *movable, still);
    }

    /// Sweeps upwards and back downwards.
    fn sweep_pair(&mut self, elapsed: f64) {
        self.pairs += 1;
        self.sweep_axes();
        self.sweep(Sweep::Substep, Direction::Forward, elapsed);
        self.is_new = false;
        self.sweep(Sweep::Substep, Direction::Backward, elapsed);
        self.sweep_axes();
        self.settle_joints();
    }

    /// Sweeps all patches once.
    fn sweep(&mut self, kind: Sweep, direction: Direction, elapsed: f64) {
        let Island { tree, velocities, before, paths, bodies, jointed, .. } = self;
        let (paths, bodies) = (&paths[..], &bodies[..]);
        let with = Sweeping { paths, elapsed, length: self.length, is_new: self.is_new };
        let motions = if kind == Sweep::Shift { before } else { velocities };
        if !jointed.is_empty() {
            let mut all = JointedBodies::of(jointed, bodies, motions);
            let parts = tree.parts_mut().iter_mut();
            return parts.for_each(|part| kind.sweep(part, &mut all, direction, with));
        }
        let (moving, still) = motions.split_at_mut(self.movable);
        let fixed = (&*still, self.movable);
        let moving = Motions { velocities: moving, ..Motions::default() };
        visit(tree.parts_mut(), moving, (direction, self.threads), &|part, motions| {
            let first = part.bodies.start;
            let mut free = FreeBodies { bodies, motions: motions.velocities, first, fixed };
            kind.sweep(part, &mut free, direction, with);
        });
    }

    /// Gives impacts their rebound, on the impulses of the whole step.
    fn rebound(&mut self, dt: f64) {
        let bounces = |patch: &Patch| {
            patch.bounces.iter().zip(patch.total.normals).any(|(b, n)| *b > 0.0 && n > 0.0)
        };
        if !self.patches().any(bounces) {
            return;
        }
        let (paths, times) = (&self.paths[..], [dt, self.length]);
        self.tree.each(self.threads, |part| part.begin_rebound(paths, times));
        self.begin_rebound();
        for _ in 0..REBOUNDS {
            self.sweep(Sweep::Rebound, Direction::Forward, dt);
            self.sweep(Sweep::Rebound, Direction::Backward, dt);
        }
        self.end_rebound();
        self.tree.each(self.threads, Part::end_rebound);
    }

    /// Shifts bodies that are too near; no velocity changes.
    fn shift(&mut self, dt: f64) {
        self.lifted = 0.0;
        let paths = &self.paths[..];
        self.tree.each(self.threads, |part| part.begin_shift(paths, dt));
        if !self.parts().iter().any(|part| part.wants_shift) {
            return;
        }
        self.tree.each(self.threads, |part| part.patches.iter_mut().for_each(Patch::fill_parts));
        self.before.fill(Motion::default());
        self.jointed.fresh.fill(Motion::default());
        for _ in 0..SHIFTS {
            self.sweep(Sweep::Shift, Direction::Forward, dt);
            self.sweep(Sweep::Shift, Direction::Backward, dt);
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
        let meets_obstacle = self.patches().any(|patch| patch.sides[1] as usize == count);
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
        let Island { tree, members, paths, length, forces, cursors, .. } = self;
        let storing = Storing { members, paths, length: *length, dt };
        tree.each(self.threads, |part| part.store(storing));
        forces.clear();
        if let [part] = tree.parts_mut() {
            return std::mem::swap(forces, &mut part.forces);
        }
        cursors.clear();
        cursors.resize(tree.parts().len(), 0);
        for pair in self.contacts.chunk_by(|a, b| a.0 == b.0) {
            let part = tree.part_of_pair(pair[0].0, self.movable);
            let (own, start) = (&tree.parts()[part].forces[cursors[part]..], cursors[part]);
            let count = own.iter().take_while(|point| point.pair == pair[0].0).count();
            forces.extend_from_slice(&own[..count]);
            cursors[part] = start + count;
        }
    }
}

impl Sweep {
    /// Sweeps the patches of a part.
    fn sweep(
        self,
        part: &mut Part,
        bodies: &mut impl PushedBodies,
        direction: Direction,
        with: Sweeping<'_>,
    ) {
        match self {
            Sweep::Substep => part.sweep(bodies, direction, with),
            Sweep::Rebound => part.sweep_rebound(bodies, direction),
            Sweep::Shift => part.sweep_shift(bodies, direction),
        }
    }
}
