//! The linear system of all joint rows: the Delassus matrix J M⁻¹ Jᵀ.
//!
//! Each joint has a block on the diagonal, and joints that share a body an off-diagonal one.
//! Inactive rows have a one on the diagonal and nothing else.

use std::borrow::Borrow;
use std::ops::Range;

use crate::body::rigid::{RigidState, RigidTemplate};
use crate::math::{Mat3, Vec3};
use crate::solve::joint::factor::{Block, Factor};
use crate::solve::joint::response::numbers;
use crate::solve::joint::rows::JointRow;

/// Relative regularisation of the diagonal.
///
/// So redundant rows have a solution: nearly the smallest impulses, and where rows contradict,
/// least squares. What this takes from the other rows is recovered by iterative refinement.
const SOFT: f64 = 1e-11;

/// Which body of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    A,
    B,
}

/// Two joints at one body.
#[derive(Clone, Copy, Debug)]
struct Coupling {
    /// The joints, and which of their ends.
    block: Block<End>,
    /// The body that both are attached to.
    body: usize,
}

/// Response of all joint rows to impulses in them.
#[derive(Clone, Debug)]
pub(super) struct System {
    factor: Factor,
    couplings: Vec<Coupling>,
    ends: Vec<(usize, Option<usize>)>,
    /// Change of the angular velocities of both bodies by a row's unit impulse.
    ///
    /// 1/(kg·m) or 1/(kg·m²).
    moved: Vec<[Vec3; 2]>,
    /// 1/kg and 1/(kg·m²), of each body.
    inverse: Vec<(f64, Mat3)>,
    /// Whether a body's inertia is not its own but stiffened.
    stiff: Vec<bool>,
    /// Pivots below these are rounding, 1/kg or 1/(kg·m²).
    floors: Vec<f64>,
    /// Diagonal: change of a row's speed by its own impulse, 1/kg or 1/(kg·m²).
    pub answers: Vec<f64>,
    /// Whether a row is active.
    pub on: Vec<bool>,
    /// Residual of each row, and after a solve the impulses against it.
    pub left: Vec<f64>,
}

impl System {
    /// Allocates for joints of these sizes between these bodies.
    pub(crate) fn new(ends: &[(usize, Option<usize>)], sizes: &[usize]) -> System {
        let pairs = shared(ends);
        let mut neighbours = vec![Vec::new(); ends.len()];
        for &(_, (i, _), (j, _)) in &pairs {
            neighbours[i].push(j);
            neighbours[j].push(i);
        }
        for list in &mut neighbours {
            list.sort_unstable();
            list.dedup();
        }
        let factor = Factor::new(neighbours, sizes);
        let coupling = |&(body, one, other): &(usize, _, _)| {
            factor.block(one, other).map(|block| Coupling { block, body })
        };
        let couplings = pairs.iter().filter_map(coupling).collect();
        let count = factor.row_count();
        System {
            factor,
            couplings,
            ends: ends.to_vec(),
            moved: vec![[Vec3::ZERO; 2]; count],
            inverse: Vec::new(),
            stiff: Vec::new(),
            floors: vec![0.0; count],
            answers: vec![0.0; count],
            on: vec![true; count],
            left: vec![0.0; count],
        }
    }

    /// Rows of all joints.
    pub(crate) fn row_count(&self) -> usize {
        self.left.len()
    }

    /// Which rows are those of a joint.
    #[inline]
    pub(crate) fn rows_of(&self, joint: usize) -> Range<usize> {
        self.factor.rows_of(joint)
    }

    /// Takes the masses of bodies where they are.
    pub(crate) fn take_masses<B: Borrow<RigidTemplate>>(
        &mut self,
        bodies: &[B],
        states: &[RigidState],
    ) {
        self.inverse.clear();
        let of = |(body, state): (&B, &RigidState)| {
            let body = body.borrow();
            (1.0 / body.mass, state.inverse_inertia(body))
        };
        self.inverse.extend(bodies.iter().zip(states).map(of));
        self.stiff.clear();
        self.stiff.resize(bodies.len(), false);
    }

    /// Takes the inverses of mass and inertia of all bodies, 1/kg and 1/(kg·m²).
    pub(crate) fn set_masses(&mut self, inverse: impl Iterator<Item = (f64, Mat3)>) {
        self.inverse.clear();
        self.inverse.extend(inverse);
        self.stiff.clear();
        self.stiff.resize(self.inverse.len(), false);
    }

    /// Whether a body's inertia is stiffened; not before masses are known.
    pub(crate) fn is_stiff(&self, body: usize) -> bool {
        self.stiff.get(body) == Some(&true)
    }

    /// Inverse inertia of a body, stiffened or not, world axes, 1/(kg·m²).
    pub(crate) fn inverse_inertia(&self, body: usize) -> Mat3 {
        self.inverse[body].1
    }

    /// Change of velocity and spin of a body by a unit impulse in a row at its end.
    ///
    /// Of the first end; the second takes the opposite.
    #[inline]
    pub(super) fn change(&self, body: usize, end: usize, k: usize, row: &JointRow) -> [f64; 6] {
        numbers(self.inverse[body].0 * row.along, self.moved[k][end])
    }

    /// Adds the inverses of mass and inertia of a body to a block of six.
    pub(super) fn add_inverse(&self, body: usize, block: &mut [f64; 36]) {
        let (mass, inertia) = self.inverse[body];
        let inertia = inertia.to_cols_array();
        for k in 0..3 {
            block[k * 6 + k] += mass;
            for row in 0..3 {
                block[(k + 3) * 6 + row + 3] += inertia[k * 3 + row];
            }
        }
    }

    /// Solves for six right sides at once.
    pub(super) fn solve_columns(&self, x: &mut [[f64; 6]]) {
        self.factor.solve_columns(x);
    }

    /// Replaces the inverse inertia of a body, 1/(kg·m²), world axes.
    pub(crate) fn set_inertia(&mut self, body: usize, inverse: Mat3) {
        (self.inverse[body].1, self.stiff[body]) = (inverse, true);
    }

    /// Stiffened inverse inertia of a body, 1/(kg·m²), world axes; `None` if its own.
    pub(crate) fn stiffened(&self, body: usize) -> Option<Mat3> {
        self.stiff[body].then(|| self.inverse[body].1)
    }

    /// Slows bodies with a stiffened inertia, so that their angular momentum stays.
    pub(crate) fn slow<B: Borrow<RigidTemplate>>(&self, bodies: &[B], states: &mut [RigidState]) {
        for (k, (body, state)) in bodies.iter().zip(states).enumerate() {
            if self.stiff[k] {
                state.spin = self.inverse[k].1 * state.angular_momentum(body.borrow());
            }
        }
    }

    /// Finds the response of each row with these masses, and activates those with one.
    pub(crate) fn weigh(&mut self, rows: &[JointRow]) {
        for (joint, &(a, b)) in self.ends.iter().enumerate() {
            let (mass_a, inertia_a) = self.inverse[a];
            let (mass_b, inertia_b) = b.map_or((0.0, Mat3::ZERO), |b| self.inverse[b]);
            for k in self.factor.rows_of(joint) {
                let row = &rows[k];
                let moved = [inertia_a * row.turn_a, inertia_b * row.turn_b];
                let turning = row.turn_a.dot(moved[0]) + row.turn_b.dot(moved[1]);
                self.answers[k] = (mass_a + mass_b) * row.along.length_squared() + turning;
                self.moved[k] = moved;
                self.on[k] = self.can(k);
            }
        }
    }

    /// Leaves the rows of a joint inactive until masses are weighed again.
    pub(crate) fn switch_off(&mut self, joint: usize) {
        for k in self.factor.rows_of(joint) {
            (self.answers[k], self.on[k]) = (0.0, false);
        }
    }

    /// Whether a row can be active: an impulse in it has an effect.
    pub(crate) fn can(&self, k: usize) -> bool {
        self.answers[k] > 0.0 && self.answers[k].is_finite()
    }

    /// Fills in the blocks of the active rows, and factors them.
    pub(crate) fn factor(&mut self, rows: &[JointRow]) {
        self.factor.clear();
        for joint in 0..self.ends.len() {
            self.fill_diagonal(joint, rows);
        }
        for k in 0..self.couplings.len() {
            self.fill_coupling(self.couplings[k], rows);
        }
        self.factor.factor(&self.floors);
    }

    /// Turns the residual `left` of each row into impulses against it.
    pub(crate) fn solve(&mut self) {
        self.factor.solve(&mut self.left);
    }

    /// Applies an impulse in one of a joint's rows to its bodies, N·s or N·m·s.
    pub(crate) fn push(
        &self,
        joint: usize,
        k: usize,
        row: &JointRow,
        impulse: f64,
        states: &mut [RigidState],
    ) {
        let (a, b) = self.ends[joint];
        let (mass, _) = self.inverse[a];
        states[a].velocity += (impulse * mass) * row.along;
        states[a].spin += impulse * self.moved[k][0];
        if let Some(b) = b {
            let (mass, _) = self.inverse[b];
            states[b].velocity -= (impulse * mass) * row.along;
            states[b].spin -= impulse * self.moved[k][1];
        }
    }

    fn fill_diagonal(&mut self, joint: usize, rows: &[JointRow]) {
        let (a, b) = self.ends[joint];
        let mass = self.inverse[a].0 + b.map_or(0.0, |b| self.inverse[b].0);
        let range = self.rows_of(joint);
        let block = self.factor.diagonal(joint);
        let (from, size) = (range.start, range.len());
        for k in range {
            let (row, on, r) = (&rows[k], self.on[k], k - from);
            for l in from..k {
                if on && self.on[l] {
                    block[r * size + l - from] = mass * row.along.dot(rows[l].along)
                        + row.turn_a.dot(self.moved[l][0])
                        + row.turn_b.dot(self.moved[l][1]);
                }
            }
            let own = if on { self.answers[k] } else { 1.0 };
            block[r * size + r] = (1.0 + SOFT) * own;
            self.floors[k] = 0.5 * SOFT * own;
        }
    }

    /// Adds the response of one joint to another through the body that both share.
    ///
    /// - Implements: [Wang21 slide "Relative velocity at joints"], K_a01 and its like.
    /// - Erratum: the slide's second equation has −K_c11 j_0 where j_1 is meant, and
    ///   K_01ᵀ = K_10, as `four_joints_answer_by_the_blocks_of_the_lecture` shows (R3).
    fn fill_coupling(&mut self, coupling: Coupling, rows: &[JointRow]) {
        let Coupling { block: Block { row, column, at }, body } = coupling;
        let sign = if row.1 == column.1 { 1.0 } else { -1.0 };
        let (mass, _) = self.inverse[body];
        let (range, columns) = (self.rows_of(row.0), self.rows_of(column.0));
        let lines = self.factor.from(at).chunks_exact_mut(columns.len());
        for (k, line) in range.zip(lines) {
            let turn = if row.1 == End::A { rows[k].turn_a } else { rows[k].turn_b };
            for (l, number) in columns.clone().zip(line) {
                if self.on[k] && self.on[l] {
                    let moved = self.moved[l][usize::from(column.1 == End::B)];
                    let answer = mass * rows[k].along.dot(rows[l].along) + turn.dot(moved);
                    *number += sign * answer;
                }
            }
        }
    }
}

/// A body, and the ends of two joints attached to it.
type Pair = (usize, (usize, End), (usize, End));

/// All pairs of joint ends at the same body, by body, then by joint.
fn shared(ends: &[(usize, Option<usize>)]) -> Vec<Pair> {
    let mut held: Vec<(usize, usize, End)> = Vec::new();
    for (joint, &(a, b)) in ends.iter().enumerate() {
        held.push((a, joint, End::A));
        held.extend(b.map(|b| (b, joint, End::B)));
    }
    held.sort_by_key(|&(body, joint, _)| (body, joint));
    let mut pairs = Vec::new();
    for one_body in held.chunk_by(|one, other| one.0 == other.0) {
        for (k, &(body, i, end)) in one_body.iter().enumerate() {
            let rest = one_body[k + 1..].iter();
            pairs.extend(rest.map(|&(_, j, other)| (body, (i, end), (j, other))));
        }
    }
    pairs
}
