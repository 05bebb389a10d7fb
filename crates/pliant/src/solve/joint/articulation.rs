//! Articulations: bodies that joints connect, through the substeps of a step.
//!
//! Rows are measured where the bodies are, again whenever one of them has turned, so velocities
//! obey the joints of the place and not those of the start of the step. What impulses on some of
//! its bodies do is that of the whole: M⁻¹ − M⁻¹Gᵀ (G M⁻¹ Gᵀ)⁻¹ G M⁻¹, by blocks of
//! [`Response`]. An impulse through it leaves all joints obeyed, so whoever applies impulses one
//! after the other loses energy as with free bodies.
//!
//! | here      | formula | meaning                                                      |
//! |-----------|---------|--------------------------------------------------------------|
//! | `rows`    | G       | speeds that must vanish, but for those at axes               |
//! | `states`  | x, v    | of its bodies, in the present substep                        |
//! | `length`  | h       | of a substep, s                                              |

use crate::body::rigid::all::RigidEntry;
use crate::body::rigid::{RigidState, RigidTemplate};
use crate::id::BodyId;
use crate::math::{Mat3, Quat, Vec3, unit_quat};
use crate::solve::joint::axis::Law;
use crate::solve::joint::pull::{FOLLOWED, pull, stiffened};
use crate::solve::joint::response::{JointEnd, Response};
use crate::solve::joint::rows::{AXIS_ROW, Bond, JointRow, WORLD};
use crate::solve::joint::system::System;
use crate::solve::joint::velocities::share_ahead;
use crate::solve::joint::{Axis, JointDefinition, Joints, Load};
use crate::solve::rows::first;

/// Rotation of a body, rad, above which rows are measured anew.
///
/// Its square is the share of the speed that a joint moves off by until then.
const TURNED: f64 = 3e-3;

/// Solves with one factor: a second removes what the regularisation of the first has left.
///
/// Where no loop makes rows redundant, that is below the rounding of the step.
const PASSES: [usize; 2] = [1, 2];

/// Moves a free body by a time, s.
pub(crate) type FreeMotionStep = fn(&RigidTemplate, &mut RigidState, f64);

/// Where an articulation is solved in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum JointPlace {
    /// By its joints alone: it touches nothing.
    #[default]
    Free,
    /// With its contacts, in substeps.
    Substeps,
    /// In turn with its contacts, or with the soft bodies that it holds.
    Alternating,
}

/// What of the joints is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Measured {
    Rows,
    Travels,
}

/// A limit or motor in a substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AxisRow {
    /// Joint, counted in the articulation.
    joint: usize,
    /// Bodies of the joint, counted in the articulation; none is the world.
    pub bodies: [Option<usize>; 2],
    row: JointRow,
    law: Law,
    /// Of the world's side along it, m/s or rad/s.
    ground: f64,
    /// In the present substep, N·s or N·m·s.
    pub impulse: f64,
}

impl AxisRow {
    /// Force and moment of a unit of it on one of its bodies.
    pub(crate) fn wrench(&self, end: usize) -> [Vec3; 2] {
        match end {
            0 => [self.row.along, self.row.turn_a],
            _ => [-self.row.along, -self.row.turn_b],
        }
    }

    /// Impulse with which it is solved by itself, N·s or N·m·s, from its speed now.
    ///
    /// `response` is its change of speed per impulse.
    pub(crate) fn relaxed(&self, speed: f64, response: f64) -> f64 {
        self.law.relaxed(self.impulse, speed - self.ground, response)
    }
}

/// Bodies that joints connect.
#[derive(Clone, Debug, Default)]
pub(crate) struct Articulation {
    /// Its bodies in the list of all rigid ones, ascending.
    pub bodies: Vec<usize>,
    /// The same among all bodies.
    pub ids: Vec<BodyId>,
    /// Its joints in the list of all, ascending.
    joints: Vec<usize>,
    /// Where it is solved in the present step.
    pub place: JointPlace,
    /// With bodies counted in the articulation.
    bonds: Vec<Bond>,
    axes: Vec<Option<Axis>>,
    system: Option<System>,
    rows: Vec<JointRow>,
    /// Of the present substep, N·s or N·m·s.
    impulses: Vec<f64>,
    /// Speed of each row with which it vanishes in the middle of a substep, m/s or rad/s.
    ahead: Vec<f64>,
    travel: Vec<f64>,
    templates: Vec<RigidTemplate>,
    pub states: Vec<RigidState>,
    /// Which cannot move.
    pub held: Vec<bool>,
    /// Rotation when rows were last measured.
    measured: Vec<Quat>,
    /// Rotation before the last substep.
    last: Vec<Quat>,
    /// World axes, kg·m²; as stiff as the step needs them.
    pub inertias: Vec<Mat3>,
    /// Of each joint in the last substep.
    forces: Vec<Load>,
    /// Of each joint in the step, N·s and N·m·s.
    sums: Vec<Load>,
    /// Sum of the sizes of impulses at each axis, N·s or N·m·s.
    driven: Vec<f64>,
    pulls: Vec<Mat3>,
    /// Which bodies joints pull at, when last measured.
    pulled: Vec<bool>,
    /// Joints at each body.
    ends: Vec<Vec<JointEnd>>,
    /// Whether joints close a loop, over the world too.
    has_loop: bool,
    pub axis_rows: Vec<AxisRow>,
    pub response: Response,
    free_motion: Option<FreeMotionStep>,
}

impl Articulation {
    /// All articulations of some joints between so many bodies.
    pub(super) fn all(
        list: &[JointDefinition],
        bonds: &[Bond],
        bodies: usize,
    ) -> Vec<Articulation> {
        let mut parents: Vec<u32> = (0..bodies as u32).collect();
        for joint in list {
            if let (a, Some(b)) = joint.bodies {
                let (a, b) = (first(&mut parents, a as u32), first(&mut parents, b as u32));
                parents[a.max(b) as usize] = a.min(b);
            }
        }
        let mut of_root: Vec<Option<usize>> = vec![None; bodies];
        let mut all: Vec<Articulation> = Vec::new();
        for (number, joint) in list.iter().enumerate() {
            let root = first(&mut parents, joint.bodies.0 as u32) as usize;
            let place = *of_root[root].get_or_insert_with(|| {
                all.push(Articulation::default());
                all.len() - 1
            });
            all[place].joints.push(number);
        }
        for body in 0..bodies {
            let root = first(&mut parents, body as u32) as usize;
            if let Some(place) = of_root[root] {
                all[place].bodies.push(body);
            }
        }
        all.iter_mut().for_each(|articulation| articulation.link(bonds));
        all
    }

    /// Makes the system of its joints.
    fn link(&mut self, all: &[Bond]) {
        let bodies = &self.bodies;
        let local = |body: usize| {
            let place = bodies.binary_search(&body);
            debug_assert!(place.is_ok(), "body {body} has a joint and is in no articulation");
            place.unwrap_or(0)
        };
        let bond = |joint: &usize| {
            let own = all[*joint];
            own.between_bodies(local(own.a), own.b.map(local))
        };
        self.bonds = self.joints.iter().map(bond).collect();
        let ends: Vec<_> = self.bonds.iter().map(|bond| (bond.a, bond.b)).collect();
        let sizes: Vec<usize> = self.bonds.iter().map(|bond| bond.form.rows()).collect();
        self.ends = vec![Vec::new(); self.bodies.len()];
        for (joint, (a, b)) in ends.iter().enumerate() {
            self.ends[*a].push(JointEnd { joint, end: 0 });
            if let Some(b) = b {
                self.ends[*b].push(JointEnd { joint, end: 1 });
            }
        }
        let world = usize::from(ends.iter().any(|(_, b)| b.is_none()));
        self.has_loop = self.joints.len() + 1 > self.bodies.len() + world;
        let system = System::new(&ends, &sizes);
        let (rows, joints) = (system.row_count(), self.joints.len());
        self.rows = vec![JointRow::default(); rows];
        self.impulses = vec![0.0; rows];
        self.ahead = vec![0.0; rows];
        self.sums = vec![Load::default(); joints];
        self.driven = vec![0.0; joints];
        self.system = Some(system);
    }

    /// Begins a step with bodies where they are, and the loads of the step before.
    pub(super) fn begin(&mut self, joints: JointsBefore<'_>, free_motion: FreeMotionStep) {
        let JointsBefore { entries, states, list, bonds, travel, loads } = joints;
        let own = &self.joints;
        self.free_motion = Some(free_motion);
        for (bond, joint) in self.bonds.iter_mut().zip(own) {
            bond.ground = bonds[*joint].ground;
        }
        self.axes.clear();
        self.axes.extend(own.iter().map(|joint| list[*joint].kind.axis().copied()));
        self.travel.clear();
        self.travel.extend(own.iter().map(|joint| travel[*joint]));
        self.forces.clear();
        self.forces.extend(own.iter().map(|joint| loads[*joint]));
        self.sums.fill(Load::default());
        self.driven.fill(0.0);
        self.states.clear();
        self.states.extend(self.bodies.iter().map(|body| states[*body]));
        self.templates.clear();
        self.templates.extend(self.bodies.iter().map(|body| {
            let RigidTemplate { mass, moments, .. } = entries[*body].body;
            RigidTemplate { mass, moments, points: Vec::new() }
        }));
        self.held.clear();
        self.held.resize(self.bodies.len(), false);
        self.measured.clear();
        self.last.clear();
        self.last.extend(self.states.iter().map(|state| state.turn));
        self.axis_rows.clear();
    }

    /// Whether something in it may put energy in: a motor, or a moving side of the world.
    pub(crate) fn is_driven(&self) -> bool {
        self.axes.iter().flatten().any(|axis| axis.motor.is_some())
            || self.bonds.iter().any(Bond::is_driven)
    }

    /// Whether it hangs on the world.
    pub(crate) fn is_held_by_world(&self) -> bool {
        self.bonds.iter().any(|bond| bond.b.is_none())
    }

    /// Chooses the bodies that something pushes, and those whose joints have a limit or a motor.
    pub(crate) fn choose(&mut self, is_pushed: impl Fn(usize) -> bool) {
        let own = self.bonds.iter().zip(&self.axes);
        let limited = own.filter(|(_, axis)| axis.is_some_and(is_limited));
        let limited = limited.flat_map(|(bond, _)| [Some(bond.a), bond.b]).flatten();
        let pushed = (0..self.bodies.len()).filter(|body| is_pushed(*body));
        self.response.choose(pushed.chain(limited));
    }

    /// Measures rows and response anew where a body has turned; whether it did.
    ///
    /// `elapsed` is the time since the start of the step, `length` that of a substep, s.
    pub(crate) fn measure(&mut self, elapsed: f64, length: f64) -> bool {
        self.pull(length);
        let is_new = self.measured.is_empty();
        let turned = |(now, then): (&RigidState, &Quat)| {
            // Twice the sine of half the angle between.
            let between = now.turn * then.conjugate();
            2.0 * Vec3::new(between.x, between.y, between.z).length() > TURNED
        };
        let has_turned = self.states.iter().zip(&self.measured).any(turned);
        let is_pulled = (0..self.bodies.len()).any(|k| self.is_pulled(k) || self.is_stiff(k));
        let drives =
            self.bonds.iter().any(|bond| bond.b.is_none() && bond.ground.spin != Vec3::ZERO);
        let is_renewed = is_new || has_turned || is_pulled || drives;
        if is_renewed {
            self.renew(elapsed);
        } else {
            self.measure_rows(elapsed, Measured::Travels);
        }
        if length > 0.0 {
            self.write_axes(length, elapsed);
        }
        is_renewed
    }

    /// Sums the geometric stiffness of joints at each body over a substep.
    fn pull(&mut self, length: f64) {
        self.pulls.clear();
        self.pulls.resize(self.bodies.len(), Mat3::ZERO);
        for (bond, load) in self.bonds.iter().zip(&self.forces) {
            let (arms, force) = (bond.arms(&self.states), (length * length) * load.force);
            self.pulls[bond.a] += pull(arms[0], force);
            if let Some(b) = bond.b {
                self.pulls[b] += pull(arms[1], -force);
            }
        }
    }

    /// Whether the pull on a body may be one that a substep cannot follow.
    fn is_pulled(&self, body: usize) -> bool {
        let pulls = self.pulls[body].to_cols_array();
        let square: f64 = pulls.iter().map(|value| value * value).sum();
        square.sqrt() > FOLLOWED * self.templates[body].moments.min_element()
    }

    fn is_stiff(&self, body: usize) -> bool {
        self.system.as_ref().is_some_and(|system| system.is_stiff(body))
    }

    /// Measures all rows, or travels alone.
    fn measure_rows(&mut self, elapsed: f64, wanted: Measured) {
        let Some(system) = &self.system else { return };
        let mut rows = [JointRow::default(); 6];
        for (joint, bond) in self.bonds.iter().enumerate() {
            if wanted == Measured::Travels && self.axes[joint].is_none() {
                continue;
            }
            let own = system.rows_of(joint);
            let rows = match wanted {
                Measured::Rows => &mut self.rows[own],
                Measured::Travels => &mut rows[..own.len()],
            };
            let before = self.travel[joint];
            self.travel[joint] = match bond.is_driven() {
                true => moved(bond, elapsed).measure(&self.states, before, rows),
                false => bond.measure(&self.states, before, rows),
            };
        }
    }

    /// Measures all, factors the rows and finds the response.
    fn renew(&mut self, elapsed: f64) {
        self.measure_rows(elapsed, Measured::Rows);
        let mut pulled = std::mem::take(&mut self.pulled);
        pulled.clear();
        pulled.extend((0..self.bodies.len()).map(|k| self.is_pulled(k)));
        self.measured.clear();
        self.measured.extend(self.states.iter().map(|state| state.turn));
        self.pulled = pulled;
        let Some(system) = &mut self.system else { return };
        let own = self.templates.iter().zip(&self.states).zip(&self.held);
        system.set_masses(own.map(|((body, state), held)| match held {
            true => (0.0, Mat3::ZERO),
            false => (body.mass.recip(), state.inverse_inertia(body)),
        }));
        self.inertias.clear();
        for (k, (body, state)) in self.templates.iter().zip(&self.states).enumerate() {
            let may = self.pulled[k] && !self.held[k];
            let stiff = may.then(|| stiffened(body, state, self.pulls[k])).flatten();
            match stiff {
                Some(inverse) => {
                    system.set_inertia(k, inverse);
                    self.inertias.push(inverse.inverse());
                }
                None => self.inertias.push(state.inertia(body)),
            }
        }
        system.weigh(&self.rows);
        for (joint, bond) in self.bonds.iter().enumerate() {
            if bond.form.has_axis() {
                let k = system.rows_of(joint).start + AXIS_ROW;
                system.on[k] = false;
            }
        }
        system.factor(&self.rows);
        self.response.fill(system, &self.rows, &self.ends);
    }

    /// Writes the rows at axes with limits or motors; impulses stay.
    fn write_axes(&mut self, length: f64, elapsed: f64) {
        let Some(system) = &self.system else { return };
        let mut old = std::mem::take(&mut self.axis_rows);
        let is_first = old.is_empty();
        let mut number = 0;
        for (joint, axis) in self.axes.iter().enumerate() {
            let Some(axis) = axis.as_ref().filter(|axis| is_limited(**axis)) else { continue };
            let bond = &self.bonds[joint];
            let row = self.rows[system.rows_of(joint).start + AXIS_ROW];
            let ground = match bond.b {
                Some(_) => 0.0,
                None => {
                    let ground = moved(bond, elapsed).ground;
                    row.along.dot(ground.velocity) + row.turn_b.dot(ground.spin)
                }
            };
            let Load { force, torque } = self.forces[joint];
            let share = if row.turns() { torque.dot(row.turn_a) } else { force.dot(row.along) };
            let law = Law::new(axis, self.travel[joint], length);
            let bodies = [Some(bond.a), bond.b];
            let known = old.get(number).map_or(0.0, |old| old.impulse);
            let impulse = if is_first { length * share } else { known };
            let axis_row = AxisRow { joint, bodies, row, law, ground, impulse };
            match is_first {
                true => old.push(axis_row),
                false => old[number] = axis_row,
            }
            number += 1;
        }
        self.axis_rows = old;
    }

    /// Slows bodies whose inertia is stiffened, so that their angular momentum stays.
    pub(crate) fn slow(&mut self) {
        let Some(system) = &self.system else { return };
        for (k, (state, body)) in self.states.iter_mut().zip(&self.templates).enumerate() {
            if let Some(inverse) = system.stiffened(k) {
                state.spin = inverse * state.angular_momentum(body);
            }
        }
    }

    /// Inverse inertia of a body as its joints see it, world axes, 1/(kg·m²).
    pub(crate) fn inverse_inertia(&self, body: usize) -> Mat3 {
        self.system.as_ref().map_or(Mat3::ZERO, |system| system.inverse_inertia(body))
    }

    /// Changes the velocities of `states` so that they obey all joints.
    ///
    /// Of all such changes the one by impulses of the joints, which are kept.
    pub(crate) fn project(&mut self) {
        self.project_with(|bond, states| bond.second(states), 1.0);
    }

    /// Work of the joints in the present substep, as they lead along chords, J.
    pub(crate) fn work(&self) -> f64 {
        self.impulses.iter().zip(&self.ahead).map(|(impulse, ahead)| impulse * ahead).sum()
    }

    /// Writes the speeds that lead along chords of the arcs on which arms turn.
    ///
    /// Those that lead along tangents drift off, and putting joints together again would push
    /// bodies into what they touch.
    pub(crate) fn look_ahead(&mut self, length: f64) {
        let Some(system) = &self.system else { return };
        for (joint, bond) in self.bonds.iter().enumerate() {
            let share = share_ahead(bond, &self.states, length);
            for (r, k) in system.rows_of(joint).enumerate() {
                let bend = bond.bend(&self.states, r, &self.rows[k]);
                self.ahead[k] = -0.5 * length * share * bend;
            }
        }
    }

    /// The same of displacements, in which the world's side does not move.
    pub(crate) fn project_shift(&mut self) {
        self.project_with(|bond, states| bond.b.map_or(WORLD, |b| states[b]), 0.0);
    }

    /// Both, with a share of the speeds along chords.
    fn project_with(&mut self, second: impl Fn(&Bond, &[RigidState]) -> RigidState, share: f64) {
        let Articulation { system, states, bonds, rows, impulses, ahead, has_loop, .. } = self;
        let Some(system) = system else { return };
        impulses.fill(0.0);
        for _ in 0..PASSES[usize::from(*has_loop)] {
            for (joint, bond) in bonds.iter().enumerate() {
                let (a, b) = (states[bond.a], second(bond, states));
                for k in system.rows_of(joint) {
                    let [a, b] = rows[k].speeds(&a, Some(&b));
                    let left = share * ahead[k] - (a - b);
                    system.left[k] = if system.on[k] { left } else { 0.0 };
                }
            }
            system.solve();
            for joint in 0..bonds.len() {
                for k in system.rows_of(joint).filter(|k| system.on[*k]) {
                    let impulse = system.left[k];
                    system.push(joint, k, &rows[k], impulse, states);
                    impulses[k] += impulse;
                }
            }
        }
    }

    /// Notes the impulses of a substep.
    pub(crate) fn note_impulses(&mut self, length: f64) {
        for axis in &self.axis_rows {
            self.driven[axis.joint] += axis.impulse.abs();
        }
        self.note_forces(length);
    }

    /// Sums the impulses of a substep up, and keeps them as forces.
    fn note_forces(&mut self, length: f64) {
        let Some(system) = &self.system else { return };
        for joint in 0..self.bonds.len() {
            let mut sum = Load::default();
            for k in system.rows_of(joint) {
                add(&mut sum, &self.rows[k], self.impulses[k]);
            }
            self.forces[joint] = sum;
        }
        for axis in &self.axis_rows {
            add(&mut self.forces[axis.joint], &axis.row, axis.impulse);
        }
        for (force, sum) in self.forces.iter_mut().zip(&mut self.sums) {
            sum.force += force.force;
            sum.torque += force.torque;
            force.force /= length;
            force.torque /= length;
        }
    }

    /// Notes the impulses of the last substep once more, which have changed but for those on axes.
    pub(crate) fn note_impulses_again(&mut self, length: f64) {
        for (force, sum) in self.forces.iter().zip(&mut self.sums) {
            sum.force -= length * force.force;
            sum.torque -= length * force.torque;
        }
        self.note_forces(length);
    }

    /// Moves its bodies freely over a substep.
    pub(crate) fn advance(&mut self, length: f64) {
        let Some(free_motion) = self.free_motion else { return };
        self.last.clear();
        self.last.extend(self.states.iter().map(|state| state.turn));
        for ((state, body), held) in self.states.iter_mut().zip(&self.templates).zip(&self.held) {
            if !held {
                free_motion(body, state, length);
            }
        }
    }

    /// Gives a body the velocity and spin that it had before the last motion, with its momentum.
    pub(crate) fn end(&mut self, body: usize, velocity: Vec3, spin: Vec3) {
        let (state, template) = (&mut self.states[body], &self.templates[body]);
        let before = RigidState { turn: self.last[body], spin, ..*state };
        let momentum = state.turn.conjugate() * before.angular_momentum(template);
        state.velocity = velocity;
        state.spin = state.turn * (momentum / template.moments);
    }

    /// Shifts a body by a displacement, m, and a small rotation, rad.
    pub(crate) fn shift(&mut self, body: usize, way: Vec3, turn: Vec3) {
        let state = &mut self.states[body];
        state.centre += way;
        let half = 0.5 * turn;
        let turned = Quat::from_xyzw(half.x, half.y, half.z, 1.0) * state.turn;
        state.turn = unit_quat(turned).unwrap_or(state.turn);
    }
}

/// What an articulation takes over of all joints.
#[derive(Clone, Copy)]
pub(super) struct JointsBefore<'a> {
    pub entries: &'a [RigidEntry],
    pub states: &'a [RigidState],
    pub list: &'a [JointDefinition],
    pub bonds: &'a [Bond],
    pub travel: &'a [f64],
    pub loads: &'a [Load],
}

impl Joints {
    /// Its articulations with the names of their bodies; who says where each is solved, if not by
    /// itself, writes it there.
    pub(crate) fn name_bodies(&mut self, entries: &[RigidEntry]) -> &mut [Articulation] {
        for own in &mut self.articulations {
            own.ids.clear();
            own.ids.extend(own.bodies.iter().map(|body| entries[*body].id));
            own.place = JointPlace::Free;
        }
        &mut self.articulations
    }

    /// Lends articulations, whose places are known.
    pub(crate) fn lend(
        &mut self,
        entries: &[RigidEntry],
        states: &[RigidState],
        free_motion: FreeMotionStep,
    ) -> Vec<Articulation> {
        let mut all = std::mem::take(&mut self.articulations);
        self.body_places.clear();
        self.body_places.resize(self.bodies, None);
        let Joints { list, bonds, travel, loads, places, body_places, .. } = self;
        let (list, bonds, travel, loads) = (&*list, &*bonds, &*travel, &*loads);
        let before = JointsBefore { entries, states, list, bonds, travel, loads };
        for own in &mut all {
            own.joints.iter().for_each(|joint| places[*joint] = own.place);
            own.bodies.iter().for_each(|body| body_places[*body] = Some(own.place));
            if own.place == JointPlace::Substeps {
                own.begin(before, free_motion);
            }
        }
        all
    }

    /// Takes articulations back with what their joints bore over a step of `dt`, s.
    pub(crate) fn take_back(&mut self, all: Vec<Articulation>, dt: f64) {
        for articulation in all.iter().filter(|own| own.place == JointPlace::Substeps) {
            for (k, joint) in articulation.joints.iter().enumerate() {
                let Load { force, torque } = articulation.sums[k];
                self.loads[*joint] = Load { force: force / dt, torque: torque / dt };
                if articulation.bonds[k].form.has_axis() {
                    let row = self.system.rows_of(*joint).start + AXIS_ROW;
                    self.impulses[row] = articulation.driven[k];
                }
            }
        }
        self.articulations = all;
    }

    /// Where the joints of a body are solved in this step; none for a body without.
    pub(crate) fn place(&self, body: usize) -> Option<JointPlace> {
        self.body_places.get(body).copied().flatten()
    }

    /// Whether some or all joints are solved at a place.
    pub(crate) fn are_at(&self, place: JointPlace) -> [bool; 2] {
        let mut at = self.places.iter().map(|own| *own == place);
        [at.clone().any(|is| is), at.all(|is| is)]
    }
}

fn is_limited(axis: Axis) -> bool {
    let is_bounded = |limits: [f64; 2]| limits.iter().any(|limit| limit.is_finite());
    axis.motor.is_some() || axis.limits.is_some_and(is_bounded)
}

/// A joint with the world's side where it is after a time, s.
fn moved(bond: &Bond, elapsed: f64) -> Bond {
    let mut bond = *bond;
    let RigidState { velocity, spin, .. } = bond.ground;
    if bond.is_driven() {
        bond.ground.centre += elapsed * velocity;
        bond.ground.turn = Quat::from_scaled_axis(elapsed * spin) * bond.ground.turn;
    }
    bond
}

/// Adds the impulse of a row.
fn add(sum: &mut Load, row: &JointRow, impulse: f64) {
    sum.force += impulse * row.along;
    if row.turns() {
        sum.torque += impulse * row.turn_a;
    }
}
