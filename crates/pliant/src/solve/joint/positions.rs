//! Position correction of joints: shifts and turns that remove their drift.

use std::borrow::Borrow;

use crate::body::rigid::{RigidState, RigidTemplate};
use crate::math::{Quat, Vec3, unit_quat};
use crate::solve::joint::axis::{Found, Hold, Law};
use crate::solve::joint::rows::AXIS_ROW;
use crate::solve::joint::{JointError, JointStats, Joints};

/// Most factorisations of a search; the drift of one step needs two or three.
const MAX_ITERATIONS: usize = 48;

/// Most factorisations of one step of the search: limits switch on and off.
const MOST_CHANGES: usize = 12;

/// Tolerance of limits, as a share of the total error.
const SLACK: f64 = 1e-9;

/// Most halvings of a step that makes the error worse.
const MOST_HALVINGS: usize = 8;

/// A step that gains less than this share of the error is the last.
const GAIN: f64 = 1e-9;

/// Roundings of a row's error, as a share of the coordinates that make it up.
const ROUNDING: f64 = 1e-15;

/// Errors of this many roundings that no step removes are a contradiction.
const CONTRADICTION: f64 = 1e4;

impl Joints {
    /// Removes the drift of joints; velocities stay.
    ///
    /// Of all corrections the one that moves the least mass the least. Limits that were passed are
    /// restored. Gauss–Newton steps, halved where they make the error worse, until only rounding is
    /// left or nothing is gained.
    pub fn positions<B: Borrow<RigidTemplate>>(
        &mut self,
        bodies: &[B],
        states: &mut [RigidState],
    ) -> Result<JointStats, JointError> {
        self.check_count(bodies.len(), states.len())?;
        self.measure(states);
        let mut met = JointStats::default();
        while met.iterations < MAX_ITERATIONS {
            self.system.take_masses(bodies, states);
            self.stiffen(bodies, states);
            self.system.weigh(&self.rows);
            let (miss, rounding) = self.misses(states);
            if miss <= rounding || miss.is_nan() {
                break;
            }
            met.iterations += self.solve_ways(states, miss);
            let gained = miss - self.step(states, miss);
            if gained <= GAIN * miss || gained.is_nan() {
                met.is_contradictory = miss > CONTRADICTION * rounding;
                break;
            }
        }
        for joint in 0..self.list.len() {
            for k in self.system.rows_of(joint) {
                let most = if self.rows[k].turns() { &mut met.twist } else { &mut met.gap };
                *most = most.max(self.error(joint, k).abs());
            }
        }
        self.met = met;
        Ok(met)
    }

    /// Error of a row, m or rad; at an axis, how far the travel is beyond its limits.
    pub(super) fn error(&self, joint: usize, k: usize) -> f64 {
        match self.list[joint].kind.axis() {
            Some(axis) if k == self.system.rows_of(joint).start + AXIS_ROW => {
                beyond(self.rows[k].error, axis.limits)
            }
            _ => self.rows[k].error,
        }
    }

    /// Norm of all errors, and of their rounding, as roots of masses times squares.
    fn misses(&self, states: &[RigidState]) -> (f64, f64) {
        let (mut misses, mut roundings) = (0.0, 0.0);
        for (joint, bond) in self.bonds.iter().enumerate() {
            let far = |body: usize| states[body].centre.abs().max_element();
            let reach = far(bond.a).max(bond.b.map_or(0.0, far));
            for k in self.system.rows_of(joint).filter(|&k| self.system.can(k)) {
                let (row, error, answer) =
                    (&self.rows[k], self.error(joint, k), self.system.answers[k]);
                let size = if row.turns() { 1.0 } else { reach + row.turn_a.length() };
                misses += error * error / answer;
                roundings += (ROUNDING * size) * (ROUNDING * size) / answer;
            }
        }
        (misses.sqrt(), roundings.sqrt())
    }

    /// Solves for the corrections of all bodies, with limits; returns factorisations.
    fn solve_ways(&mut self, states: &[RigidState], miss: f64) -> usize {
        let still = |s: &RigidState| RigidState { velocity: Vec3::ZERO, spin: Vec3::ZERO, ..*s };
        for (hold, joint) in self.holds.iter_mut().zip(&self.list) {
            *hold = if joint.kind.axis().is_some() { Hold::Free } else { *hold };
        }
        for round in 1..=MOST_CHANGES {
            for joint in 0..self.list.len() {
                let law = self.law_of_shift(joint);
                for (r, k) in self.system.rows_of(joint).enumerate() {
                    let way = match law {
                        Some(law) if r == AXIS_ROW => law.speed(self.holds[joint]),
                        _ => Some(-self.rows[k].error),
                    };
                    self.system.on[k] = way.is_some() && self.system.can(k);
                    self.system.left[k] = way.filter(|_| self.system.on[k]).unwrap_or(0.0);
                }
            }
            self.system.factor(&self.rows);
            self.system.solve();
            self.before.clear();
            self.before.extend(states.iter().map(still));
            for joint in 0..self.list.len() {
                for k in self.system.rows_of(joint).filter(|&k| self.system.on[k]) {
                    let way = self.system.left[k];
                    self.system.push(joint, k, &self.rows[k], way, &mut self.before);
                }
            }
            if !self.change_limits(miss) {
                return round;
            }
        }
        MOST_CHANGES
    }

    fn law_of_shift(&self, joint: usize) -> Option<Law> {
        self.list[joint].kind.axis().map(|axis| Law::of_shift(axis, self.travel[joint]))
    }

    /// Switches limits on that would be passed, and off where they pull; whether any.
    fn change_limits(&mut self, miss: f64) -> bool {
        let mut changed = false;
        for joint in 0..self.list.len() {
            let Some(law) = self.law_of_shift(joint).filter(|&law| law != Law::FREE) else {
                continue;
            };
            let k = self.system.rows_of(joint).start + AXIS_ROW;
            let bond = &self.bonds[joint];
            let (a, b) = (&self.before[bond.a], bond.b.map(|b| &self.before[b]));
            let [a, b] = self.rows[k].speeds(a, b);
            let root = self.system.answers[k].sqrt();
            let found = Found {
                speed: a - b,
                impulse: self.system.left[k],
                slack_speed: SLACK * miss * root,
                slack_impulse: SLACK * miss / root,
            };
            if let Some(hold) = law.next(self.holds[joint], found) {
                self.holds[joint] = hold;
                changed = true;
            }
        }
        changed
    }

    /// Takes the correction, or a part of it that gains; returns the error then.
    fn step(&mut self, states: &mut [RigidState], miss: f64) -> f64 {
        let mut share = 1.0;
        for _ in 0..MOST_HALVINGS {
            go(&self.before, share, states);
            self.measure(states);
            let (now, _) = self.misses(states);
            if now < miss {
                return now;
            }
            share *= 0.5;
        }
        go(&self.before, 0.0, states);
        self.measure(states);
        miss
    }
}

/// Moves bodies a share of the way along their shifts and turns.
fn go(before: &[RigidState], share: f64, states: &mut [RigidState]) {
    for (from, state) in before.iter().zip(states) {
        state.centre = from.centre + share * from.velocity;
        let half = 0.5 * share * from.spin;
        if half != Vec3::ZERO {
            let turn = Quat::from_xyzw(half.x, half.y, half.z, 1.0) * from.turn;
            state.turn = unit_quat(turn).unwrap_or(from.turn);
        } else {
            state.turn = from.turn;
        }
    }
}

/// How far a travel is beyond its limits; 0 within them.
fn beyond(travel: f64, limits: Option<[f64; 2]>) -> f64 {
    limits.map_or(0.0, |[least, most]| (travel - most).max(0.0) + (travel - least).min(0.0))
}
