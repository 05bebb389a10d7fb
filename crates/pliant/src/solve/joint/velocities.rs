//! Velocity solve of joints: impulses after which velocities satisfy all of them.

use std::borrow::Borrow;

use crate::body::rigid::{RigidState, RigidTemplate};
use crate::math::Mat3;
use crate::solve::joint::articulation::JointPlace;
use crate::solve::joint::axis::{Found, Law};
use crate::solve::joint::pull::{pull, stiffened};
use crate::solve::joint::rows::{AXIS_ROW, Bond};
use crate::solve::joint::{JointError, JointStats, Joints, Load};

/// Most solves with one factor: each removes the residual of the one before.
const MOST_PASSES: usize = 8;

/// Solves after which the second-order terms of the motion are updated.
///
/// Each is exact to one more power of dt.
const ARCS: usize = 3;

/// Turn over a step, rad, up to which its second-order terms are used.
///
/// From twice this on they are not: what is left out of them could add energy; without them
/// energy is lost.
const SLOW: f64 = 0.1;

/// A pass that leaves more than this share of the residual is the last.
const STALLED: f64 = 0.5;

/// Residuals below this share of the speeds that make them up are rounding.
const ROUNDING: f64 = 1e-15;

/// Remaining share of the residual from which on rows contradict others.
const CONTRADICTION: f64 = 1e-6;

/// The same as a share of the speeds that make up the rows.
const CONTRADICTION_OF_SPEED: f64 = 1e-9;

/// Tolerance of limits and motors, as a share of the largest speeds and impulses.
const SLACK: f64 = 1e-11;

/// Iterations in which all limits and motors may switch together; then one by one.
const TOGETHER: usize = 8;

/// Most iterations per axis with a limit or motor, beyond [`TOGETHER`].
const ITERATIONS_EACH: usize = 8;

/// When joints are to be satisfied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Aim {
    /// Where the bodies are.
    Now,
    /// After free motion over the step.
    Ahead,
}

/// Norms of the residual of all rows, as roots of energies, √J.
#[derive(Clone, Copy, Debug, Default)]
struct Misses {
    /// Before any impulse of the iteration.
    first: f64,
    /// After the last.
    last: f64,
    /// Of the speeds that the rows are made of.
    speeds: f64,
}

impl Joints {
    /// Changes velocities by impulses, so that they satisfy all joints.
    ///
    /// Exact up to rounding. Linear momentum of bodies that are not jointed to the world is kept,
    /// and angular momentum too, except where joints pulled so strongly in the step before that
    /// `dt` cannot follow the swing: such bodies are slowed, or they would oscillate (`pull`).
    /// Limits and motors are solved together with all joints. Positions stay.
    ///
    /// - Implements: [Wang21 slide "Relative velocity at joints"], all joints in one system.
    /// - Deviates: any kind of joint, with limits and motors.
    pub fn velocities<B: Borrow<RigidTemplate>>(
        &mut self,
        bodies: &[B],
        states: &mut [RigidState],
        dt: f64,
    ) -> Result<JointStats, JointError> {
        self.begin(bodies, states, dt)?;
        self.system.slow(bodies, states);
        Ok(self.solve(states, dt, Aim::Now))
    }

    /// The same so that joints are satisfied at the end of free motion over `dt`.
    ///
    /// Velocities that satisfy joints where a step begins lead off them along tangents, and
    /// removing that drift loses energy, in proportion to dt. Here they are those of the chords,
    /// exact up to dt³: no energy is lost that way. Joints are satisfied in the middle of the
    /// motion, not at its ends, and the errors are measured that way.
    ///
    /// - Implements: [Andersen83 pp. 24–34], the Shake half of Rattle, with bodies that turn.
    /// - Deviates: the way to the end of the step to the second order, where the source
    ///   iterates; [`Joints::positions`] removes the rest.
    pub(crate) fn velocities_ahead<B: Borrow<RigidTemplate>>(
        &mut self,
        bodies: &[B],
        states: &mut [RigidState],
        dt: f64,
    ) -> Result<JointStats, JointError> {
        self.begin(bodies, states, dt)?;
        self.system.slow(bodies, states);
        Ok(self.solve(states, dt, Aim::Ahead))
    }

    /// Prepares a step in which joints alternate with another solver.
    ///
    /// Then follow any number of [`Joints::obey`], each after the other solver has changed
    /// velocities; impulses add up. Bodies stay where `states` say all the time.
    pub(crate) fn begin<B: Borrow<RigidTemplate>>(
        &mut self,
        bodies: &[B],
        states: &[RigidState],
        dt: f64,
    ) -> Result<(), JointError> {
        self.check_count(bodies.len(), states.len())?;
        if !(dt > 0.0 && dt.is_finite()) {
            return Err(JointError::Step { dt });
        }
        self.measure(states);
        self.system.take_masses(bodies, states);
        self.dt = dt;
        self.stiffen(bodies, states);
        self.system.weigh(&self.rows);
        for (joint, place) in self.places.iter().enumerate() {
            if *place == JointPlace::Substeps {
                self.system.switch_off(joint);
            }
        }
        self.impulses.fill(0.0);
        self.ahead.fill(0.0);
        Ok(())
    }

    /// Stiffened inverse inertia of a body in this step, 1/(kg·m²); `None` if its own.
    pub(crate) fn stiffened(&self, body: usize) -> Option<Mat3> {
        self.system.stiffened(body)
    }

    /// Warm start: applies the impulses of the step before to the bodies of joints in turn.
    pub(crate) fn load_impulses(&mut self, states: &mut [RigidState]) {
        for joint in 0..self.list.len() {
            if self.places[joint] != JointPlace::Alternating {
                continue;
            }
            let Load { force, torque } = self.loads[joint];
            for k in self.system.rows_of(joint).filter(|&k| self.system.can(k)) {
                let row = &self.rows[k];
                let share = if row.turns() { torque.dot(row.turn_a) } else { force.dot(row.along) };
                self.impulses[k] = self.dt * share;
                self.system.push(joint, k, row, self.impulses[k], states);
            }
        }
    }

    /// Solves as [`Joints::velocities_ahead`] does, after [`Joints::begin`].
    pub(crate) fn obey(&mut self, states: &mut [RigidState]) -> Result<JointStats, JointError> {
        self.check_count(self.bodies, states.len())?;
        Ok(self.solve(states, self.dt, Aim::Ahead))
    }

    /// Work of all motors in the last step at most, J; `states` are those at its end.
    pub(crate) fn motor_work(&self, states: &[RigidState]) -> f64 {
        let mut work = 0.0;
        for (joint, own) in self.list.iter().enumerate() {
            let Some(motor) = own.kind.axis().and_then(|axis| axis.motor) else { continue };
            let k = self.system.rows_of(joint).start + AXIS_ROW;
            let [a, b] = self.speeds(joint, k, states);
            work += self.impulses[k].abs() * (a - b).abs().max(motor.speed.abs());
        }
        work
    }

    fn solve(&mut self, states: &mut [RigidState], dt: f64, aim: Aim) -> JointStats {
        let mut axes = 0;
        for joint in 0..self.list.len() {
            if let Some(law) = self.law(joint, dt) {
                self.holds[joint] = law.start();
                axes += usize::from(law != Law::FREE);
            }
        }
        let mut met = JointStats { is_undecided: true, ..JointStats::default() };
        let mut misses = Misses::default();
        while met.is_undecided && met.iterations < TOGETHER + ITERATIONS_EACH * axes + 1 {
            self.hold(states, dt);
            self.system.factor(&self.rows);
            let found = self.settle(states, dt, aim);
            misses = Misses { first: misses.first.max(found.first), ..found };
            met.iterations += 1;
            let most = if met.iterations > TOGETHER { 1 } else { usize::MAX };
            met.is_undecided = axes > 0 && self.change_holds(states, dt, most);
        }
        met.is_contradictory = misses.last > CONTRADICTION * misses.first
            && misses.last > CONTRADICTION_OF_SPEED * misses.speeds;
        self.miss(states, dt, &mut met);
        self.write_loads(dt);
        met
    }

    /// Stiffens bodies under a tension that the last step could not follow.
    pub(super) fn stiffen<B: Borrow<RigidTemplate>>(
        &mut self,
        bodies: &[B],
        states: &[RigidState],
    ) {
        self.pulls.clear();
        self.pulls.resize(bodies.len(), Mat3::ZERO);
        for (bond, load) in self.bonds.iter().zip(&self.loads) {
            let (arms, force) = (bond.arms(states), (self.dt * self.dt) * load.force);
            self.pulls[bond.a] += pull(arms[0], force);
            if let Some(b) = bond.b {
                self.pulls[b] += pull(arms[1], -force);
            }
        }
        for (k, (body, state)) in bodies.iter().zip(states).enumerate() {
            if let Some(inverse) = stiffened(body.borrow(), state, self.pulls[k]) {
                self.system.set_inertia(k, inverse);
            }
        }
    }

    /// Law of limits and motor; `None` without an axis, and where it is solved in substeps.
    fn law(&self, joint: usize, dt: f64) -> Option<Law> {
        if self.places[joint] == JointPlace::Substeps {
            return None;
        }
        self.list[joint].kind.axis().map(|axis| Law::new(axis, self.travel[joint], dt))
    }

    /// Switches the rows at axes, and applies the impulse of those without a speed.
    fn hold(&mut self, states: &mut [RigidState], dt: f64) {
        for joint in 0..self.list.len() {
            let Some(law) = self.law(joint, dt) else { continue };
            let (k, hold) = (self.system.rows_of(joint).start + AXIS_ROW, self.holds[joint]);
            self.system.on[k] = law.speed(hold).is_some() && self.system.can(k);
            if !self.system.on[k] {
                let change = law.impulse(hold) - self.impulses[k];
                self.system.push(joint, k, &self.rows[k], change, states);
                self.impulses[k] += change;
            }
        }
    }

    /// Solves until all active rows have their wanted speeds.
    fn settle(&mut self, states: &mut [RigidState], dt: f64, aim: Aim) -> Misses {
        let mut misses = Misses::default();
        let first_pass = if aim == Aim::Ahead { ARCS } else { 0 };
        for pass in 0..=MOST_PASSES {
            if pass < ARCS && aim == Aim::Ahead {
                self.look_ahead(states, dt);
            }
            let (miss, speeds) = self.leave(states, dt);
            if pass == 0 {
                misses.first = miss;
            }
            let stalled = pass > first_pass && miss > STALLED * misses.last;
            misses = Misses { last: miss, speeds, ..misses };
            if stalled || miss <= ROUNDING * speeds || pass == MOST_PASSES {
                break;
            }
            self.system.solve();
            for joint in 0..self.list.len() {
                for k in self.system.rows_of(joint).filter(|&k| self.system.on[k]) {
                    let impulse = self.system.left[k];
                    self.system.push(joint, k, &self.rows[k], impulse, states);
                    self.impulses[k] += impulse;
                }
            }
        }
        misses
    }

    /// Writes the initial speeds with which rows vanish in the middle of the motion.
    fn look_ahead(&mut self, states: &[RigidState], dt: f64) {
        for (joint, bond) in self.bonds.iter().enumerate() {
            let share = share_ahead(bond, states, dt);
            for (r, k) in self.system.rows_of(joint).enumerate() {
                self.ahead[k] = -0.5 * dt * share * bond.bend(states, r, &self.rows[k]);
            }
        }
    }

    /// Writes the residual of each active row; returns its norm and that of speeds, √J.
    fn leave(&mut self, states: &[RigidState], dt: f64) -> (f64, f64) {
        let (mut misses, mut speeds) = (0.0, 0.0);
        for joint in 0..self.list.len() {
            let axis = self.law(joint, dt).and_then(|law| law.speed(self.holds[joint]));
            for (r, k) in self.system.rows_of(joint).enumerate() {
                let [a, b] = self.speeds(joint, k, states);
                let wanted = if r == AXIS_ROW { axis.unwrap_or(0.0) } else { self.ahead[k] };
                let left = wanted - (a - b);
                self.system.left[k] = if self.system.on[k] { left } else { 0.0 };
                if self.system.on[k] {
                    let (size, answer) = (a.abs() + b.abs() + wanted.abs(), self.system.answers[k]);
                    misses += left * left / answer;
                    speeds += size * size / answer;
                }
            }
        }
        (misses.sqrt(), speeds.sqrt())
    }

    /// Speeds of the first body and the second in a row, m/s or rad/s.
    pub(super) fn speeds(&self, joint: usize, k: usize, states: &[RigidState]) -> [f64; 2] {
        let bond = &self.bonds[joint];
        self.rows[k].speeds(&states[bond.a], Some(&bond.second(states)))
    }

    /// Moves up to `most` axes along their laws; returns whether any moved.
    fn change_holds(&mut self, states: &[RigidState], dt: f64, most: usize) -> bool {
        let slack = SLACK * self.largest(states);
        let mut changed = 0;
        for joint in 0..self.list.len() {
            let Some(law) = self.law(joint, dt) else { continue };
            let k = self.system.rows_of(joint).start + AXIS_ROW;
            let [a, b] = self.speeds(joint, k, states);
            let root = self.system.answers[k].sqrt();
            let found = Found {
                speed: a - b,
                impulse: self.impulses[k],
                slack_speed: slack * root,
                slack_impulse: slack / root,
            };
            if let Some(hold) = law.next(self.holds[joint], found).filter(|_| changed < most) {
                self.holds[joint] = hold;
                changed += 1;
            }
        }
        changed > 0
    }

    /// Largest speed or impulse of any row, √J.
    fn largest(&self, states: &[RigidState]) -> f64 {
        let mut largest = 0.0_f64;
        for joint in 0..self.list.len() {
            for k in self.system.rows_of(joint).filter(|&k| self.system.can(k)) {
                let ([a, b], root) = (self.speeds(joint, k, states), self.system.answers[k].sqrt());
                largest =
                    largest.max((a.abs() + b.abs()) / root).max(self.impulses[k].abs() * root);
            }
        }
        largest
    }

    /// Writes the largest errors of active rows.
    fn miss(&mut self, states: &[RigidState], dt: f64, met: &mut JointStats) {
        self.leave(states, dt);
        for (row, left) in self.rows.iter().zip(&self.system.left) {
            let most = if row.turns() { &mut met.twist } else { &mut met.gap };
            *most = most.max(left.abs());
        }
    }

    /// Converts the impulses of a step to forces and torques.
    fn write_loads(&mut self, dt: f64) {
        for joint in 0..self.list.len() {
            let mut load = Load::default();
            for k in self.system.rows_of(joint) {
                let (row, share) = (&self.rows[k], self.impulses[k] / dt);
                load.force += share * row.along;
                if row.turns() {
                    load.torque += share * row.turn_a;
                }
            }
            self.loads[joint] = load;
        }
    }
}

/// Share of the second-order terms of a joint's motion over `dt`, s, that are used.
pub(super) fn share_ahead(bond: &Bond, states: &[RigidState], dt: f64) -> f64 {
    let spin = |body: usize| states[body].spin.length();
    let turned = dt * spin(bond.a).max(bond.b.map_or(0.0, spin));
    (2.0 - turned / SLOW).clamp(0.0, 1.0)
}
