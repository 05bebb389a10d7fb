//! One part of an island: unknowns that the matrix couples, solved by themselves.
//!
//! Mostly a body; several where vertices of soft bodies are attached to rigid ones. A small part
//! has a dense inverse. Any other has the factors of its reference, see
//! [`reference`](super::reference), and conjugate gradients with these as preconditioner.
//!
//! | here        | usual | meaning                                                       |
//! |-------------|-------|---------------------------------------------------------------|
//! | `residual`  | r     | right-hand side with the impulses of contacts minus A v, N·s  |
//! | `corrected` | z     | r through the preconditioner: the error of v, nearly, m/s     |
//! | `direction` | p     | search direction                                              |
//! | `image`     | A p   | change of the residual along it                               |

use std::ops::Range;

use crate::force::BlockMatrix;
use crate::math::{Mat3, Vec3};
use crate::solve::compliance::Compliance;
use crate::solve::dense::{Inverse, three};
use crate::solve::factored::reference::{HELD, PartView, References, Work};
use crate::solve::linear::dot;
use crate::solve::terms::Sides;

/// Numbers that are processed together; rows of a compliance are padded to a multiple.
const LANES: usize = 4;

/// Place of an unknown that is not in the working set.
const ABSENT: u32 = u32::MAX;

/// Unknowns of a part at most: factors of larger ones would take minutes.
const MAX_UNKNOWNS: usize = 30_000;

/// Unknowns in contacts at most: the compliance among them is dense.
const MAX_TOUCHED: usize = 3_000;

/// Iterations in one solve at most.
const MAX_ITERATIONS: usize = 200;

/// Bounds of what an iteration is expected to leave of the error.
const RATES: [f64; 2] = [0.02, 0.9];

/// Share of the first error below which factors and rounding have nothing to say.
const EXHAUSTED: f64 = 1e-15;

/// Ranges of unknowns, ascending.
#[derive(Clone, Debug, Default)]
pub(super) struct Spans {
    ranges: Vec<Range<usize>>,
    count: usize,
}

impl Spans {
    fn clear(&mut self) {
        self.ranges.clear();
        self.count = 0;
    }

    /// Takes in a range; returns its place among the others.
    fn insert(&mut self, range: Range<usize>) -> usize {
        self.count += range.len();
        let place = self.ranges.partition_point(|other| other.start < range.start);
        self.ranges.insert(place, range);
        place
    }

    /// Unknowns in all.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// All unknowns, ascending.
    pub(super) fn unknowns(&self) -> impl Iterator<Item = usize> {
        self.ranges.iter().cloned().flatten()
    }

    /// Number of an unknown among these.
    #[inline]
    pub(super) fn local(&self, unknown: usize) -> Option<usize> {
        let mut first = 0;
        for range in &self.ranges {
            if range.contains(&unknown) {
                return Some(first + unknown - range.start);
            }
            first += range.len();
        }
        None
    }

    /// The range, where there is one only.
    fn single(&self) -> Option<Range<usize>> {
        match &self.ranges[..] {
            [range] => Some(range.clone()),
            _ => None,
        }
    }
}

/// A part of an island.
#[derive(Debug, Default)]
pub(super) struct Part {
    /// Its first body.
    pub key: usize,
    bodies: Vec<usize>,
    pub spans: Spans,
    /// Whether it has an inverse or factors.
    pub is_ready: bool,
    /// Whether it has a dense inverse.
    pub is_exact: bool,
    inverse: Inverse,
    /// Velocities of its vertices in contacts, as the inverse orders them.
    solved: Vec<f64>,
    points: Vec<Vec3>,
    masses: Vec<f64>,
    /// From the reference to now.
    rotation: Mat3,
    residual: Vec<Vec3>,
    corrected: Vec<Vec3>,
    direction: Vec<Vec3>,
    image: Vec<Vec3>,
    /// Change of its velocities by the last solve, m/s; empty where there was none.
    change: Vec<Vec3>,
    /// What an iteration left of the error, where it was measured.
    rate: Option<f64>,
    work: Work,
    /// Size of the smallest body at its contacts, m.
    pub size: f64,
    /// Whether none of its unknowns is held.
    pub is_free: bool,
    /// Largest error of its velocities, by estimate, m/s.
    pub left: f64,
    /// Largest difference of its velocities from what sweeps predicted, m/s.
    pub prediction_error: f64,
    /// Whether impulses have changed since its velocities were found.
    pub is_changed: bool,
    /// Whether its factors are of this step.
    pub is_new: bool,
    /// Iterations of the last solve, and of all in this step.
    pub iterations: usize,
    pub total: usize,
    /// Unknowns in the working set, ascending, and the place of each unknown among them.
    working: Vec<u32>,
    /// Those of them that the compliance is of; none where it is not up to date.
    filled: Vec<u32>,
    places: Vec<u32>,
    /// Numbers in a row of the compliance.
    pub width: usize,
    compliance: Vec<f64>,
    /// First of its speeds among those of all parts.
    pub start: usize,
}

/// How far a part solves for its velocities.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goal {
    /// Largest error, m/s.
    pub error: f64,
    /// Share of the error at the start that may be left.
    pub share: f64,
}

/// A step's equations as parts see them.
#[derive(Clone, Copy, Debug)]
pub(super) struct PartEquations<'a> {
    pub matrix: &'a BlockMatrix,
    /// Whether each unknown is held.
    pub held: &'a [bool],
    /// Length of the step, s.
    pub dt: f64,
}

impl PartEquations<'_> {
    pub(super) fn is_held(&self, unknown: usize) -> bool {
        self.held[unknown]
    }
}

impl Compliance for Part {
    #[inline]
    fn rows(&self, place: usize) -> [&[f64]; 3] {
        three(&self.compliance, 3 * place, self.width)
    }

    #[inline]
    fn block(&self, row: usize, column: usize) -> Mat3 {
        let [x, y, z] = self.rows(column).map(|line| Vec3::from_slice(&line[3 * row..]));
        Mat3::from_cols(x, y, z)
    }
}

impl Part {
    /// Begins a part with a body; [`Part::add`] takes in others.
    pub(super) fn begin(&mut self, key: usize) {
        self.key = key;
        self.bodies.clear();
        self.spans.clear();
        self.size = f64::INFINITY;
        self.working.clear();
        self.filled.clear();
        (self.left, self.is_changed, self.is_new) = (f64::INFINITY, true, false);
        self.is_ready = true;
        (self.iterations, self.total, self.prediction_error) = (0, 0, 0.0);
    }

    /// Takes in the unknowns of a body.
    pub(super) fn add(&mut self, body: usize, unknowns: Range<usize>) {
        let place = self.spans.insert(unknowns);
        self.bodies.insert(place, body);
    }

    /// Takes in where its unknowns are, and what they weigh.
    pub(super) fn locate(&mut self, equations: PartEquations<'_>, sides: Sides<'_>) {
        self.points.clear();
        self.masses.clear();
        for (body, range) in self.bodies.iter().zip(&self.spans.ranges) {
            for unknown in range.clone() {
                let (point, mass) = sides.point(*body, unknown);
                self.points.push(point);
                self.masses.push(mass);
            }
        }
        self.is_free = !self.spans.unknowns().any(|unknown| equations.is_held(unknown));
        self.places.clear();
        self.places.resize(self.spans.len(), ABSENT);
    }

    /// Mean of the places of its unknowns, m.
    pub(super) fn centre(&self) -> Vec3 {
        self.points.iter().sum::<Vec3>() / self.points.len().max(1) as f64
    }

    /// Makes its inverse or its factors; false where that is impossible.
    pub(super) fn prepare(
        &mut self,
        references: &mut References,
        equations: PartEquations<'_>,
        most_exact: usize,
        is_touched: impl Fn(usize) -> bool,
    ) -> bool {
        let is_held = |unknown: usize| equations.is_held(unknown);
        let single = self.spans.single().filter(|range| range.len() <= most_exact);
        self.is_exact = single.is_some();
        self.rotation = Mat3::IDENTITY;
        if let Some(range) = single {
            return self.inverse.fill(equations.matrix, range, &is_touched, is_held);
        }
        let touched = self.spans.unknowns().filter(|unknown| is_touched(*unknown)).count();
        if self.spans.len() > MAX_UNKNOWNS || touched > MAX_TOUCHED {
            return false;
        }
        let terms = self.spans.ranges.iter().map(|own| equations.matrix.terms_at(own.clone()));
        if terms.flatten().next().is_some() {
            return false;
        }
        let found = references.prepare(equations.matrix, self.view(equations.dt), is_held);
        self.rotation = found.unwrap_or(Mat3::IDENTITY);
        found.is_some()
    }

    fn view(&self, dt: f64) -> PartView<'_> {
        let Part { key, spans, points, masses, .. } = self;
        PartView { key: *key, spans, points, masses, dt }
    }

    /// Factors its matrix anew.
    pub(super) fn renew(&mut self, references: &mut References, equations: PartEquations<'_>) {
        let is_held = |unknown: usize| equations.is_held(unknown);
        if references.renew(equations.matrix, self.view(equations.dt), is_held) {
            self.rotation = Mat3::IDENTITY;
        }
        self.filled.clear();
        // Not again in this step, whether it succeeded or not.
        self.is_new = true;
    }

    /// Residual of the velocities.
    pub(super) fn start_residual(
        &mut self,
        equations: PartEquations<'_>,
        right: &[Vec3],
        velocities: &[Vec3],
    ) {
        let Part { spans, residual, .. } = self;
        residual.clear();
        residual.extend(spans.unknowns().map(|row| {
            if equations.is_held(row) {
                return Vec3::ZERO;
            }
            let (columns, blocks) = equations.matrix.row(row);
            let terms = columns.iter().zip(blocks);
            right[row] - terms.map(|(c, block)| *block * velocities[c.index()]).sum::<Vec3>()
        }));
    }

    /// Adds an impulse at an unknown, N·s.
    pub(super) fn push(&mut self, equations: PartEquations<'_>, unknown: usize, impulse: Vec3) {
        self.is_changed = true;
        if self.is_exact || equations.is_held(unknown) {
            return;
        }
        if let Some(local) = self.spans.local(unknown) {
            self.residual[local] += impulse;
        }
    }

    /// Solves for its velocities under all impulses, as far as the goal says.
    ///
    /// `right` has the impulses of the contacts. [`Part::apply`] puts the velocities in place.
    pub(super) fn follow(
        &mut self,
        references: &References,
        equations: PartEquations<'_>,
        right: &[Vec3],
        goal: Goal,
        velocities: &[Vec3],
    ) {
        (self.iterations, self.rate) = (0, None);
        self.change.clear();
        if !self.is_changed && self.left <= goal.error {
            return;
        }
        self.is_changed = false;
        self.change.resize(self.spans.len(), Vec3::ZERO);
        if self.is_exact {
            return self.follow_exactly(equations, right, velocities);
        }
        self.rate = self.iterate(references, equations, goal);
        self.total += self.iterations;
    }

    /// Moves on by what the last solve found.
    pub(super) fn apply(&self, references: &mut References, velocities: &mut [Vec3]) {
        for (unknown, change) in self.spans.unknowns().zip(&self.change) {
            velocities[unknown] += *change;
        }
        if let Some(rate) = self.rate {
            references.set_rate(self.key, rate);
        }
    }

    fn follow_exactly(
        &mut self,
        equations: PartEquations<'_>,
        right: &[Vec3],
        velocities: &[Vec3],
    ) {
        self.left = 0.0;
        let Some(range) = self.spans.single() else { return };
        let free = |local: usize| {
            let row = range.start + local;
            equations.matrix.without(row, right[row], velocities, |v| equations.is_held(v))
        };
        self.inverse.solve(free, &mut self.solved);
        for (local, change) in self.change.iter_mut().enumerate() {
            if let Some(place) = self.inverse.place(local) {
                let velocity = Vec3::from_slice(&self.solved[3 * place..]);
                *change = velocity - velocities[range.start + local];
            }
        }
    }

    /// Velocities of vertices that are in no contact.
    pub(super) fn spread(&mut self, velocities: &mut [Vec3]) {
        if let Some(range) = self.spans.single().filter(|_| self.is_exact) {
            self.inverse.spread(&self.solved, &mut velocities[range]);
        }
    }

    /// Conjugate gradients; returns what an iteration leaves of the error.
    ///
    /// z is the error of the velocities, as far as the factors are good. So iterations end by its
    /// largest entry; the last step is taken without looking at what it leaves, which is known
    /// well enough from those before.
    fn iterate(
        &mut self,
        references: &References,
        PartEquations { matrix, held, .. }: PartEquations<'_>,
        goal: Goal,
    ) -> Option<f64> {
        let Part { key, spans, rotation, residual, corrected, direction, image, work, .. } = self;
        let change = &mut self.change;
        let reference = references.of(*key)?;
        let mut rate = references.rate(*key);
        for vector in [&mut *corrected, direction, image] {
            vector.resize(spans.len(), Vec3::ZERO);
        }
        let largest = |z: &[Vec3]| z.iter().map(|z| z.length_squared()).fold(0.0, f64::max).sqrt();
        reference.apply(*rotation, work, residual, corrected);
        let mut descent = dot(residual, corrected);
        direction.copy_from_slice(corrected);
        let start = largest(corrected);
        let goal = goal.error.max(goal.share.max(EXHAUSTED) * start);
        self.left = start;
        if start.is_nan() || start <= 0.0 {
            return None;
        }
        let mut measured = None;
        for iteration in 1..=MAX_ITERATIONS {
            let is_last = self.left * rate <= goal || iteration == MAX_ITERATIONS;
            multiply(matrix, spans, held, direction, image);
            let curvature = dot(direction, image);
            if curvature.partial_cmp(&0.0) != Some(std::cmp::Ordering::Greater) {
                break;
            }
            let length = descent / curvature;
            for (k, change) in change.iter_mut().enumerate() {
                *change += length * direction[k];
                residual[k] -= length * image[k];
            }
            self.iterations = iteration;
            if is_last {
                if iteration > 1 {
                    let mean = libm::pow(self.left / start, 1.0 / (iteration - 1) as f64);
                    measured = Some(mean.clamp(RATES[0], RATES[1]));
                }
                self.left *= rate;
                break;
            }
            reference.apply(*rotation, work, residual, corrected);
            let next = dot(residual, corrected);
            let before = self.left;
            self.left = largest(corrected);
            rate = (self.left / before).clamp(RATES[0], RATES[1]);
            let keep = next / descent;
            descent = next;
            for (direction, corrected) in direction.iter_mut().zip(&*corrected) {
                *direction = *corrected + keep * *direction;
            }
        }
        measured
    }

    /// Translates a body that nothing holds, so that its momentum is exact.
    pub(super) fn correct_momentum(&self, velocities: &mut [Vec3]) {
        let Some(range) = self.spans.single().filter(|_| self.is_free && !self.is_exact) else {
            return;
        };
        let left: Vec3 = self.residual.iter().copied().sum();
        let shift = left / self.masses.iter().sum::<f64>();
        if shift.is_finite() {
            velocities[range].iter_mut().for_each(|velocity| *velocity += shift);
        }
    }

    /// Empties the working set.
    pub(super) fn clear_working(&mut self) {
        for local in self.working.drain(..) {
            self.places[local as usize] = ABSENT;
        }
    }

    /// Takes an unknown into the working set.
    pub(super) fn include(&mut self, equations: PartEquations<'_>, unknown: usize) {
        if equations.is_held(unknown) {
            return;
        }
        if let Some(local) = self.spans.local(unknown)
            && self.places[local] == ABSENT
        {
            self.places[local] = 0;
            self.working.push(local as u32);
        }
    }

    /// First of an unknown's speeds among those of all parts; none where it is not wanted.
    pub(super) fn speed(&self, unknown: usize) -> Option<usize> {
        let place = self.places[self.spans.local(unknown)?];
        (place != ABSENT).then(|| self.start + 3 * place as usize)
    }

    /// Orders the working set, and asks for the columns of its compliance where it is not up to date.
    pub(super) fn order_working(&mut self, references: &mut References) {
        self.working.sort_unstable();
        self.width = (3 * self.working.len()).next_multiple_of(LANES);
        for (place, local) in self.working.iter().enumerate() {
            self.places[*local as usize] = place as u32;
        }
        if self.is_exact || self.is_filled() {
            return;
        }
        let Some(structure) = references.of(self.key).map(|own| own.structure.clone()) else {
            return;
        };
        let nodes = self.working.iter().map(|local| structure.nodes[*local as usize]);
        references.ask_columns(self.key, nodes.filter(|node| *node != HELD));
    }

    /// Whether its compliance is that of the working set.
    fn is_filled(&self) -> bool {
        self.filled == self.working && !self.working.is_empty()
    }

    /// The compliance of the working set, from columns that are made.
    pub(super) fn fill_compliance(&mut self, references: &References) {
        if self.is_filled() {
            return;
        }
        let count = self.working.len();
        self.filled.clone_from(&self.working);
        self.compliance.clear();
        self.compliance.resize(3 * count * self.width, 0.0);
        if self.is_exact {
            for row in 0..count {
                for column in 0..=row {
                    let at = [row, column].map(|k| self.inverse.place(self.working[k] as usize));
                    if let [Some(i), Some(j)] = at {
                        self.set_block(row, column, self.inverse.block(i, j));
                    }
                }
            }
            return;
        }
        let Some(reference) = references.of(self.key) else { return };
        let (rotation, back) = (self.rotation, self.rotation.transpose());
        for row in 0..count {
            for column in 0..=row {
                let node = |k: usize| reference.structure.nodes[self.working[k] as usize];
                let block = rotation * reference.compliance(node(row), node(column)) * back;
                self.set_block(row, column, block);
            }
        }
    }

    fn set_block(&mut self, row: usize, column: usize, block: Mat3) {
        let (width, lines) = (self.width, &mut self.compliance);
        for axis in 0..3 {
            let at = (3 * row + axis) * width + 3 * column;
            lines[at..at + 3].copy_from_slice(&block.row(axis).to_array());
            let at = (3 * column + axis) * width + 3 * row;
            lines[at..at + 3].copy_from_slice(&block.col(axis).to_array());
        }
    }

    /// Velocities of the working set.
    fn working_velocities(&self, velocities: &[Vec3]) -> impl Iterator<Item = Vec3> {
        let mut unknowns = self.spans.unknowns();
        let mut passed = 0;
        self.working.iter().filter_map(move |local| {
            // Both ascend.
            let unknown = unknowns.nth(*local as usize - passed)?;
            passed = *local as usize + 1;
            Some(velocities[unknown])
        })
    }

    /// Notes how far its velocities are from what sweeps predicted.
    pub(super) fn compare(&mut self, speeds: &[f64], velocities: &[Vec3]) {
        let predicted = speeds[self.start..].chunks_exact(3).map(Vec3::from_slice);
        let pairs = self.working_velocities(velocities).zip(predicted);
        let most = pairs.map(|(now, predicted)| now.distance_squared(predicted));
        self.prediction_error = most.fold(0.0, f64::max).sqrt();
    }

    /// Appends the velocities of the working set.
    pub(super) fn take_speeds(&self, velocities: &[Vec3], speeds: &mut Vec<f64>) {
        let end = speeds.len() + self.width;
        speeds.extend(self.working_velocities(velocities).flat_map(|velocity| velocity.to_array()));
        speeds.resize(end, 0.0);
    }
}

/// A p for the free unknowns of a part.
fn multiply(
    matrix: &BlockMatrix,
    spans: &Spans,
    held: &[bool],
    direction: &[Vec3],
    image: &mut [Vec3],
) {
    if let Some(range) = spans.single() {
        for (row, image) in range.clone().zip(image) {
            let (columns, blocks) = matrix.row(row);
            let terms = columns.iter().zip(blocks);
            let sum = terms.map(|(c, block)| *block * direction[c.index() - range.start]).sum();
            *image = if held[row] { Vec3::ZERO } else { sum };
        }
        return;
    }
    for (row, image) in spans.unknowns().zip(image) {
        let (columns, blocks) = matrix.row(row);
        let terms = columns.iter().zip(blocks);
        let of = |unknown: usize| spans.local(unknown).map_or(Vec3::ZERO, |k| direction[k]);
        let sum = terms.map(|(c, block)| *block * of(c.index())).sum();
        *image = if held[row] { Vec3::ZERO } else { sum };
    }
}
