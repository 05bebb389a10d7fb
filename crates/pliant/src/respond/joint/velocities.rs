//! Impulses after which all joints are obeyed by the velocities.

use crate::body::rigid::{RigidBody, RigidState};
use crate::respond::joint::axis::{Found, Law};
use crate::respond::joint::rows::AXIS_ROW;
use crate::respond::joint::{JointError, Joints, Load, Met};

/// Solves with one factor at most, count: each takes out what the one before has left.
const MOST_PASSES: usize = 8;

/// A pass that leaves more than this share was the last.
const STALLED: f64 = 0.5;

/// Misses below this share of the speeds that make them up are rounding.
const ROUNDING: f64 = 1e-15;

/// What is left of the misses, as a share of them, where rows contradict others.
const CONTRADICTION: f64 = 1e-6;

/// The same as a share of the speeds that make up the rows.
const CONTRADICTION_OF_SPEED: f64 = 1e-9;

/// Slack of limits and motors, as a share of the largest speeds and impulses.
const SLACK: f64 = 1e-11;

/// Rounds in which all limits and motors may change together, count; then one by one.
const TOGETHER: usize = 8;

/// Rounds at most for each axis with a limit or motor, count, above [`TOGETHER`].
const ROUNDS_EACH: usize = 8;

/// Misses of all rows, as roots of energies, √J.
#[derive(Clone, Copy, Debug, Default)]
struct Misses {
    first: f64,
    last: f64,
    /// Of the speeds that the rows are made of.
    speeds: f64,
}

impl Joints {
    /// Changes velocities and spins by impulses, so that they obey all joints.
    ///
    /// Exact up to rounding; momentum and angular momentum of what is not joined to the world
    /// are kept. Limits and motors hold their bounds at once with all joints. Places stay.
    ///
    /// - Implements: [Wang21 slide "Relative velocity at joints"], all joints in one system.
    /// - Deviates: any kind of joint, with limits and motors.
    pub fn velocities(
        &mut self,
        bodies: &[RigidBody],
        states: &mut [RigidState],
        dt: f64,
    ) -> Result<Met, JointError> {
        self.check_count(bodies, states)?;
        if !(dt > 0.0 && dt.is_finite()) {
            return Err(JointError::Step { dt });
        }
        self.measure(states);
        self.system.weigh(bodies, states, &self.rows);
        self.impulses.fill(0.0);
        let mut axes = 0;
        for joint in 0..self.list.len() {
            if let Some(law) = self.law(joint, dt) {
                self.holds[joint] = law.start();
                axes += usize::from(law != Law::FREE);
            }
        }
        let mut met = Met { is_undecided: true, ..Met::default() };
        let mut misses = Misses::default();
        while met.is_undecided && met.rounds < TOGETHER + ROUNDS_EACH * axes + 1 {
            self.hold(states, dt);
            self.system.factor(&self.rows);
            let found = self.settle(states, dt);
            misses = Misses { first: misses.first.max(found.first), ..found };
            met.rounds += 1;
            let most = if met.rounds > TOGETHER { 1 } else { usize::MAX };
            met.is_undecided = axes > 0 && self.change_holds(states, dt, most);
        }
        met.is_contradictory = misses.last > CONTRADICTION * misses.first
            && misses.last > CONTRADICTION_OF_SPEED * misses.speeds;
        self.miss(states, dt, &mut met);
        self.write_loads(dt);
        Ok(met)
    }

    /// What limits and motor ask for; `None` without an axis.
    fn law(&self, joint: usize, dt: f64) -> Option<Law> {
        self.list[joint].kind.axis().map(|axis| Law::new(axis, self.travel[joint], dt))
    }

    /// Switches the rows at axes, and gives those without a wanted speed their impulse.
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

    /// Solves until rows that are on have the speeds they want.
    fn settle(&mut self, states: &mut [RigidState], dt: f64) -> Misses {
        let mut misses = Misses::default();
        for pass in 0..=MOST_PASSES {
            let (miss, speeds) = self.leave(states, dt);
            if pass == 0 {
                misses.first = miss;
            }
            let stalled = pass > 0 && miss > STALLED * misses.last;
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

    /// Writes what each row that is on still misses; gives the sum, and that of the speeds, √J.
    fn leave(&mut self, states: &[RigidState], dt: f64) -> (f64, f64) {
        let (mut misses, mut speeds) = (0.0, 0.0);
        for joint in 0..self.list.len() {
            let axis = self.law(joint, dt).and_then(|law| law.speed(self.holds[joint]));
            for (r, k) in self.system.rows_of(joint).enumerate() {
                let [a, b] = self.speeds(joint, k, states);
                let wanted = if r == AXIS_ROW { axis.unwrap_or(0.0) } else { 0.0 };
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

    fn speeds(&self, joint: usize, k: usize, states: &[RigidState]) -> [f64; 2] {
        let bond = &self.bonds[joint];
        self.rows[k].speeds(&states[bond.a], bond.b.map(|b| &states[b]))
    }

    /// Moves up to `most` axes along their laws; says whether any moved.
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

    /// Writes the largest misses of rows that are on.
    fn miss(&mut self, states: &[RigidState], dt: f64, met: &mut Met) {
        self.leave(states, dt);
        for (row, left) in self.rows.iter().zip(&self.system.left) {
            let most = if row.turns() { &mut met.twist } else { &mut met.gap };
            *most = most.max(left.abs());
        }
    }

    /// Writes what the impulses of a step are as forces and torques.
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
