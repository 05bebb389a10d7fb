//! Factors of a body's matrix at a reference shape, turned with the body.
//!
//! A moving body's matrix is, up to its rotation, nearly the same from step to step: where shape
//! and step are, A ≈ R A₀ Rᵀ. So A₀ is factored once, and R A₀⁻¹ Rᵀ serves as the preconditioner
//! of conjugate gradients and as the compliance through which contacts are swept. Copies of a
//! body share what they have in common; materials need not be known, as pins, dampers and
//! densities are all in A.
//!
//! | here       | formula | meaning                                             |
//! |------------|---------|-----------------------------------------------------|
//! | `blocks`   | A₀      | the matrix when it was factored, kg                 |
//! | `shape`    | X       | where the nodes were then, m                        |
//! | `rotation` | R       | from then to now                                    |
//! | `columns`  | A₀⁻¹ e  | compliance of a node, 1/kg; made when first needed  |

use std::sync::Arc;

use crate::force::BlockMatrix;
use crate::math::{Mat3, Vec3, polar};
use crate::mesh::runs::Runs;
use crate::par;
use crate::solve::factor::{Factor, FactorPattern, FactorScratch};
use crate::solve::factored::part::Spans;

/// Node of an unknown whose velocity is given.
pub(super) const HELD: u32 = u32::MAX;

/// Share of Σ|A|² by which a turned reference may differ from the matrix of another body.
const ALIKE: f64 = 0.01;

/// Step lengths that are remembered for each part: halved steps come back.
const KEPT: usize = 3;

/// Convergence rate of an iteration before any was measured.
const FIRST_RATE: f64 = 0.1;

/// Structure of a part's matrix: who is coupled to whom, and who is held.
#[derive(Debug)]
pub(super) struct Structure {
    /// First entry of each unknown, and one past the last.
    pub starts: Vec<u32>,
    /// Unknowns that each is coupled to, by their number in the part; ascending.
    pub columns: Vec<u32>,
    /// Where unknowns were when it was found, m; they have decided the order of elimination.
    pub points: Vec<Vec3>,
    /// Node of each unknown, or [`HELD`].
    pub nodes: Vec<u32>,
    /// Unknown of each node.
    pub unknowns: Vec<u32>,
    /// Symbolic factors of the nodes.
    pub pattern: FactorPattern,
}

impl Structure {
    /// The structure of a part; `None` where its matrix couples it to others.
    fn new(
        matrix: &BlockMatrix,
        spans: &Spans,
        is_held: impl Fn(usize) -> bool,
        points: &[Vec3],
    ) -> Option<Structure> {
        let (mut starts, mut columns, mut held) = (vec![0], Vec::new(), Vec::new());
        for unknown in spans.unknowns() {
            for column in matrix.row(unknown).0 {
                columns.push(spans.local(column.index())? as u32);
            }
            starts.push(columns.len() as u32);
            held.push(is_held(unknown));
        }
        Some(Structure::from_parts(starts, columns, |local| held[local], points.to_vec()))
    }

    /// The structure of these couplings, with one point for each unknown.
    pub(super) fn from_parts(
        starts: Vec<u32>,
        columns: Vec<u32>,
        is_held: impl Fn(usize) -> bool,
        points: Vec<Vec3>,
    ) -> Structure {
        let (mut nodes, mut unknowns) = (Vec::new(), Vec::new());
        for local in 0..points.len() {
            nodes.push(if is_held(local) { HELD } else { unknowns.len() as u32 });
            if !is_held(local) {
                unknowns.push(local as u32);
            }
        }
        let (mut node_starts, mut node_columns) = (vec![0], Vec::new());
        for local in &unknowns {
            let row = starts[*local as usize] as usize..starts[*local as usize + 1] as usize;
            let free = columns[row].iter().map(|column| nodes[*column as usize]);
            node_columns.extend(free.filter(|node| *node != HELD));
            node_starts.push(node_columns.len() as u32);
        }
        let node_points: Vec<Vec3> = unknowns.iter().map(|local| points[*local as usize]).collect();
        let pattern = FactorPattern::new(&node_starts, &node_columns, &node_points);
        Structure { starts, columns, nodes, points, unknowns, pattern }
    }

    /// Whether a part has this structure.
    fn matches(
        &self,
        matrix: &BlockMatrix,
        spans: &Spans,
        is_held: impl Fn(usize) -> bool,
    ) -> bool {
        if self.nodes.len() != spans.len() {
            return false;
        }
        let mut entries = self.columns.iter();
        for (local, unknown) in spans.unknowns().enumerate() {
            let columns = matrix.row(unknown).0;
            let expected = self.starts[local + 1] - self.starts[local];
            if columns.len() != expected as usize || is_held(unknown) != (self.nodes[local] == HELD)
            {
                return false;
            }
            let mut row = columns.iter().zip(&mut entries);
            let same =
                row.all(|(column, known)| spans.local(column.index()) == Some(*known as usize));
            if !same {
                return false;
            }
        }
        true
    }

    /// Blocks of the free rows and columns, in the order of the pattern.
    fn take_blocks(&self, matrix: &BlockMatrix, spans: &Spans, blocks: &mut Vec<Mat3>) {
        blocks.clear();
        for (local, unknown) in spans.unknowns().enumerate() {
            if self.nodes[local] == HELD {
                continue;
            }
            let row = self.starts[local] as usize..self.starts[local + 1] as usize;
            let all = self.columns[row].iter().zip(matrix.row(unknown).1);
            let free = all.filter(|(column, _)| self.nodes[**column as usize] != HELD);
            blocks.extend(free.map(|(_, block)| *block));
        }
    }
}

/// Factors at a reference.
#[derive(Debug)]
pub(super) struct Reference {
    pub structure: Arc<Structure>,
    /// Length of the step, s.
    pub dt: f64,
    pub shape: Vec<Vec3>,
    pub blocks: Vec<Mat3>,
    factor: Factor,
    /// Three columns of three numbers per node, of nodes that were needed so far.
    columns: Vec<Option<Box<[f64]>>>,
    /// Nodes whose columns are to be made.
    missing: Vec<u32>,
}

/// Scratch memory of a thread that makes columns.
#[derive(Debug, Default)]
struct ColumnWork {
    scratch: FactorScratch,
    batch: Vec<f64>,
}

/// What a part remembers of one length of step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub reference: usize,
    pub dt: f64,
    /// What an iteration leaves of the error.
    pub rate: f64,
    /// Iterations beyond those that good factors need, since these were made.
    pub excess_iterations: f64,
}

/// Factors of all parts, kept from step to step.
#[derive(Debug, Default)]
pub(crate) struct References {
    pub(super) list: Vec<Option<Reference>>,
    /// Of each part, by its first body; the last used first.
    pub(super) slots: Vec<Vec<Slot>>,
    pub(super) scratch: FactorScratch,
    blocks: Vec<Mat3>,
    /// Of each thread.
    work: Vec<ColumnWork>,
    offsets: Vec<usize>,
}

/// A part as its factors see it.
#[derive(Clone, Copy, Debug)]
pub(super) struct PartView<'a> {
    /// Its first body.
    pub key: usize,
    pub spans: &'a Spans,
    /// Where its unknowns are, m.
    pub points: &'a [Vec3],
    /// How much each counts in the rotation, kg.
    pub masses: &'a [f64],
    /// Length of the step, s.
    pub dt: f64,
}

impl References {
    /// Finds or makes the factors of a part; returns its rotation since they were made.
    ///
    /// `None` where the matrix is not definite, or couples the part to others.
    pub(super) fn prepare(
        &mut self,
        matrix: &BlockMatrix,
        view: PartView<'_>,
        is_held: impl Fn(usize) -> bool + Copy,
    ) -> Option<Mat3> {
        let PartView { key, spans, points, masses, dt } = view;
        if self.slots.len() <= key {
            self.slots.resize(key + 1, Vec::new());
        }
        if let Some(place) = self.slots[key].iter().position(|slot| slot.dt == dt) {
            let slot = self.slots[key].remove(place);
            let known = self.list[slot.reference].as_ref();
            let known = known.filter(|known| known.structure.matches(matrix, spans, is_held));
            if let Some(reference) = known {
                self.slots[key].insert(0, slot);
                return Some(reference.rotation(points, masses));
            }
            self.drop_unused();
        }
        let shared = self.find_alike(matrix, view, is_held);
        let (reference, rotation) = match shared {
            Some(found) => found,
            None => (self.make(matrix, view, is_held)?, Mat3::IDENTITY),
        };
        self.slots[key].insert(0, Slot { reference, dt, rate: FIRST_RATE, excess_iterations: 0.0 });
        self.slots[key].truncate(KEPT);
        self.drop_unused();
        Some(rotation)
    }

    /// A reference of another part whose turned matrix is that of this one, nearly.
    fn find_alike(
        &self,
        matrix: &BlockMatrix,
        PartView { spans, points, masses, dt, .. }: PartView<'_>,
        is_held: impl Fn(usize) -> bool + Copy,
    ) -> Option<(usize, Mat3)> {
        for (place, reference) in self.list.iter().enumerate() {
            let Some(reference) = reference.as_ref().filter(|known| known.dt == dt) else {
                continue;
            };
            let structure = &reference.structure;
            if !structure.matches(matrix, spans, is_held) {
                continue;
            }
            let rotation = reference.rotation(points, masses);
            let back = rotation.transpose();
            let (mut differs, mut all) = (0.0, 0.0);
            let mut blocks = reference.blocks.iter();
            for (local, unknown) in spans.unknowns().enumerate() {
                if structure.nodes[local] == HELD {
                    continue;
                }
                let (columns, own) = matrix.row(unknown);
                for (column, block) in columns.iter().zip(own) {
                    let column = spans.local(column.index())?;
                    if structure.nodes[column] == HELD {
                        continue;
                    }
                    let known = blocks.next()?;
                    differs += square(&(rotation * *known * back - *block));
                    all += square(block);
                }
            }
            if differs < ALIKE * all {
                return Some((place, rotation));
            }
        }
        None
    }

    /// New factors of a part, where it is now.
    fn make(
        &mut self,
        matrix: &BlockMatrix,
        PartView { spans, points, dt, .. }: PartView<'_>,
        is_held: impl Fn(usize) -> bool + Copy,
    ) -> Option<usize> {
        let known = self.list.iter().flatten().map(|reference| &reference.structure);
        let structure =
            known.into_iter().find(|structure| structure.matches(matrix, spans, is_held)).cloned();
        let structure = match structure {
            Some(structure) => structure,
            None => Arc::new(Structure::new(matrix, spans, is_held, points)?),
        };
        let mut blocks = Vec::new();
        structure.take_blocks(matrix, spans, &mut blocks);
        // Room for the old ones when they are renewed.
        self.blocks.clear();
        self.blocks.reserve(blocks.len());
        let reference = Reference::new(structure, dt, points.to_vec(), blocks, &mut self.scratch)?;
        let free = self.list.iter().position(Option::is_none);
        let place = free.unwrap_or_else(|| {
            self.list.push(None);
            self.list.len() - 1
        });
        self.list[place] = Some(reference);
        Some(place)
    }

    /// Factors the matrix of a part anew, where it is now; false where that is impossible.
    ///
    /// [`References::prepare`] comes before.
    pub(super) fn renew(
        &mut self,
        matrix: &BlockMatrix,
        view: PartView<'_>,
        is_held: impl Fn(usize) -> bool + Copy,
    ) -> bool {
        let Some(slot) = self.slots[view.key].first().copied() else { return false };
        let is_shared = self.slots.iter().enumerate().any(|(key, slots)| {
            let same = slots.iter().filter(|other| other.reference == slot.reference);
            same.count() > usize::from(key == view.key)
        });
        if is_shared {
            let Some(place) = self.make(matrix, view, is_held) else { return false };
            self.slots[view.key][0].reference = place;
        } else {
            let Some(reference) = &mut self.list[slot.reference] else { return false };
            self.blocks.clone_from(&reference.blocks);
            reference.structure.take_blocks(matrix, view.spans, &mut reference.blocks);
            if !reference.refactor(&mut self.scratch) {
                // The old ones are still better than none.
                reference.blocks.clone_from(&self.blocks);
                reference.refactor(&mut self.scratch);
                return false;
            }
            reference.shape.copy_from_slice(view.points);
            reference.columns.fill_with(|| None);
        }
        self.slots[view.key][0].rate = FIRST_RATE;
        self.slots[view.key][0].excess_iterations = 0.0;
        true
    }

    /// Forgets the bodies that do not stay; the others move up.
    pub(crate) fn keep(&mut self, kept: &Runs) {
        self.slots = kept
            .iter()
            .flatten()
            .map(|body| self.slots.get_mut(body).map(std::mem::take).unwrap_or_default())
            .collect();
        self.drop_unused();
    }

    /// Removes what no part refers to.
    fn drop_unused(&mut self) {
        for place in 0..self.list.len() {
            let mut all = self.slots.iter().flatten();
            if !all.any(|slot| slot.reference == place) {
                self.list[place] = None;
            }
        }
    }

    fn slot(&self, key: usize) -> Option<&Slot> {
        self.slots.get(key)?.first()
    }

    /// The factors of a part that was prepared.
    pub(super) fn of(&self, key: usize) -> Option<&Reference> {
        self.list[self.slot(key)?.reference].as_ref()
    }

    /// What an iteration leaves of the error of a part.
    pub(super) fn rate(&self, key: usize) -> f64 {
        self.slot(key).map_or(FIRST_RATE, |slot| slot.rate)
    }

    /// Notes what an iteration left.
    pub(super) fn set_rate(&mut self, key: usize, rate: f64) {
        if let Some(slot) = self.slots.get_mut(key).and_then(|slots| slots.first_mut()) {
            slot.rate = rate;
        }
    }

    /// Notes iterations that good factors would have saved.
    pub(super) fn add_excess_iterations(&mut self, key: usize, iterations: usize) {
        if let Some(slot) = self.slots.get_mut(key).and_then(|slots| slots.first_mut()) {
            slot.excess_iterations += iterations as f64;
        }
    }

    /// Iterations that good factors would have saved, over what new factors cost.
    pub(super) fn excess_iterations(&self, key: usize) -> f64 {
        let Some((slot, reference)) = self.slot(key).zip(self.of(key)) else { return 0.0 };
        let pattern = &reference.structure.pattern;
        slot.excess_iterations * pattern.solve_cost() as f64 / pattern.factor_cost().max(1) as f64
    }

    /// Asks for the compliance columns of some nodes of a part.
    pub(super) fn ask_columns(&mut self, key: usize, nodes: impl Iterator<Item = u32>) {
        let Some(place) = self.slot(key).map(|slot| slot.reference) else { return };
        let Some(reference) = &mut self.list[place] else { return };
        let Reference { columns, missing, .. } = reference;
        missing.extend(nodes.filter(|node| columns[*node as usize].is_none()));
    }

    /// Makes the columns that were asked for.
    pub(super) fn make_columns(&mut self, threads: usize) {
        let References { list, work, offsets, .. } = self;
        if !list.iter().flatten().any(|reference| !reference.missing.is_empty()) {
            return;
        }
        par::split_evenly(offsets, list.len(), par::useful_threads(threads, list.len()));
        work.resize_with(work.len().max(offsets.len() - 1), ColumnWork::default);
        par::chunks_with(list, offsets, work, |work, _, chunk| {
            chunk.iter_mut().flatten().for_each(|reference| reference.make_columns(work));
        });
    }
}

impl Reference {
    /// Factors of a matrix; `None` where it is not definite.
    pub(super) fn new(
        structure: Arc<Structure>,
        dt: f64,
        shape: Vec<Vec3>,
        blocks: Vec<Mat3>,
        scratch: &mut FactorScratch,
    ) -> Option<Reference> {
        let columns = structure.unknowns.iter().map(|_| None).collect();
        let (factor, missing) = (Factor::default(), Vec::new());
        let mut reference = Reference { structure, dt, shape, blocks, factor, columns, missing };
        reference.refactor(scratch).then_some(reference)
    }

    fn refactor(&mut self, scratch: &mut FactorScratch) -> bool {
        self.factor.fill(&self.structure.pattern, &self.blocks, scratch)
    }

    /// Makes the columns that are missing.
    fn make_columns(&mut self, ColumnWork { scratch, batch }: &mut ColumnWork) {
        let Reference { structure, factor, columns, missing, .. } = self;
        if missing.is_empty() {
            return;
        }
        let pattern = &structure.pattern;
        missing.sort_unstable_by_key(|node| pattern.place(*node as usize));
        missing.dedup();
        batch.clear();
        factor.columns(pattern, missing, scratch, batch);
        let length = 9 * pattern.len();
        for (node, own) in missing.drain(..).zip(batch.chunks_exact(length)) {
            columns[node as usize] = Some(own.into());
        }
    }

    /// Rotation of a body since its factors were made: that of the best rigid fit.
    fn rotation(&self, points: &[Vec3], masses: &[f64]) -> Mat3 {
        let total: f64 = masses.iter().sum();
        let centre = |points: &[Vec3]| {
            let weighed = points.iter().zip(masses).map(|(x, m)| *m * *x);
            weighed.sum::<Vec3>() / total
        };
        let (then, now) = (centre(&self.shape), centre(points));
        let mut sum = Mat3::ZERO;
        for ((x, y), m) in self.shape.iter().zip(points).zip(masses) {
            let (x, y) = (*x - then, *m * (*y - now));
            sum += Mat3::from_cols(y * x.x, y * x.y, y * x.z);
        }
        let size = square(&sum).sqrt();
        if !(size > 0.0 && size.is_finite()) {
            return Mat3::IDENTITY;
        }
        let found = polar::rotation(sum * size.recip());
        if found.is_finite() { found } else { Mat3::IDENTITY }
    }

    /// z = R A₀⁻¹ Rᵀ r; held unknowns get zero.
    pub(super) fn apply(&self, rotation: Mat3, work: &mut Work, residual: &[Vec3], z: &mut [Vec3]) {
        let Structure { pattern, nodes, .. } = &*self.structure;
        let back = rotation.transpose();
        let Work { ordered, rows } = work;
        ordered.resize(3 * pattern.len(), 0.0);
        for (node, residual) in nodes.iter().zip(residual) {
            if *node != HELD {
                let at = 3 * pattern.place(*node as usize);
                ordered[at..at + 3].copy_from_slice(&(back * *residual).to_array());
            }
        }
        self.factor.solve(pattern, ordered, rows);
        for (node, z) in nodes.iter().zip(z) {
            *z = if *node == HELD {
                Vec3::ZERO
            } else {
                rotation * Vec3::from_slice(&ordered[3 * pattern.place(*node as usize)..])
            };
        }
    }

    /// The compliance of two nodes, (A₀⁻¹) of row and column; zero where it was not made.
    pub(super) fn compliance(&self, row: u32, column: u32) -> Mat3 {
        let Some(own) = &self.columns[column as usize] else { return Mat3::ZERO };
        let length = 3 * self.structure.pattern.len();
        let axis = |a: usize| Vec3::from_slice(&own[a * length + 3 * row as usize..]);
        Mat3::from_cols(axis(0), axis(1), axis(2))
    }
}

/// Memory of [`Reference::apply`].
#[derive(Clone, Debug, Default)]
pub(super) struct Work {
    ordered: Vec<f64>,
    rows: Vec<f64>,
}

/// Sum of the squares of all entries.
fn square(matrix: &Mat3) -> f64 {
    matrix.to_cols_array().iter().map(|entry| entry * entry).sum()
}
