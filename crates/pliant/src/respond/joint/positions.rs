//! Shifts and turns that put joints together again after a flight.

use crate::body::rigid::{RigidBody, RigidState};
use crate::math::{Quat, Vec3, unit_quat};
use crate::respond::joint::rows::AXIS_ROW;
use crate::respond::joint::{JointError, Joints, Met};

/// Steps of the search at most, count; a drift of a step needs two or three.
const MOST_STEPS: usize = 24;

/// Halvings of a step that makes things worse at most, count.
const MOST_HALVINGS: usize = 8;

/// A step that gains less than this share of the misses was the last.
const GAIN: f64 = 1e-9;

/// Roundings of a row's error, as a share of the coordinates that make it up.
const ROUNDING: f64 = 1e-15;

/// Misses of this many roundings that no step takes out are a contradiction.
const CONTRADICTION: f64 = 1e4;

impl Joints {
    /// Takes out by how far joints have come apart; velocities stay.
    ///
    /// Of all ways the one that moves the least mass the least. Limits that were passed are
    /// gone back to. Steps of Gauss and Newton, halved where they make things worse, until only
    /// rounding is left or nothing is gained.
    pub fn positions(
        &mut self,
        bodies: &[RigidBody],
        states: &mut [RigidState],
    ) -> Result<Met, JointError> {
        self.check_count(bodies, states)?;
        self.measure(states);
        let mut met = Met::default();
        while met.rounds < MOST_STEPS {
            self.system.take_masses(bodies, states);
            self.stiffen(bodies, states);
            self.system.weigh(&self.rows);
            let (miss, rounding) = self.leave_errors(states);
            // Asked so that what is no number ends too.
            if !(miss > rounding) {
                break;
            }
            self.system.factor(&self.rows);
            self.system.solve();
            met.rounds += 1;
            let gained = miss - self.step(states, miss);
            if !(gained > GAIN * miss) {
                met.is_contradictory = miss > CONTRADICTION * rounding;
                break;
            }
        }
        self.leave_errors(states);
        for (row, left) in self.rows.iter().zip(&self.system.left) {
            let most = if row.turns() { &mut met.twist } else { &mut met.gap };
            *most = most.max(left.abs());
        }
        Ok(met)
    }

    /// Writes what each row must still go; gives the sum of it and of its rounding.
    ///
    /// Rows at axes take part where a limit was passed.
    fn leave_errors(&mut self, states: &[RigidState]) -> (f64, f64) {
        let (mut misses, mut roundings) = (0.0, 0.0);
        for joint in 0..self.list.len() {
            let bond = &self.bonds[joint];
            let far = |body: usize| states[body].centre.abs().max_element();
            let reach = far(bond.a).max(bond.b.map_or(0.0, far));
            let axis = self.list[joint].kind.axis();
            for (r, k) in self.system.rows_of(joint).enumerate() {
                let row = &self.rows[k];
                let error = match axis {
                    Some(axis) if r == AXIS_ROW => beyond(row.error, axis.limits),
                    _ => row.error,
                };
                let answer = self.system.answers[k];
                let on = self.system.can(k) && (r != AXIS_ROW || axis.is_none() || error != 0.0);
                self.system.on[k] = on;
                self.system.left[k] = if on { -error } else { 0.0 };
                if on {
                    let size = if row.turns() { 1.0 } else { reach + row.turn_a.length() };
                    misses += error * error / answer;
                    roundings += (ROUNDING * size) * (ROUNDING * size) / answer;
                }
            }
        }
        (misses.sqrt(), roundings.sqrt())
    }

    /// Goes the way that was solved for, or a part of it that gains; gives what is missed then.
    fn step(&mut self, states: &mut [RigidState], miss: f64) -> f64 {
        self.before.clear();
        let still = |s: &RigidState| RigidState { velocity: Vec3::ZERO, spin: Vec3::ZERO, ..*s };
        self.before.extend(states.iter().map(still));
        for joint in 0..self.list.len() {
            for k in self.system.rows_of(joint).filter(|&k| self.system.on[k]) {
                let way = self.system.left[k];
                self.system.push(joint, k, &self.rows[k], way, &mut self.before);
            }
        }
        let mut share = 1.0;
        for _ in 0..MOST_HALVINGS {
            go(&self.before, share, states);
            self.measure(states);
            let (now, _) = self.leave_errors(states);
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

/// Puts bodies a share of the way along their shifts and turns.
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
