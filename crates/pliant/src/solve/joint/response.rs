//! What impulses on some bodies of an articulation do to these, with all joints obeyed.
//!
//! A = M⁻¹ − M⁻¹Gᵀ (G M⁻¹ Gᵀ)⁻¹ G M⁻¹, by blocks of six for each pair of the bodies chosen. It is
//! symmetric, and A M is the orthogonal projection onto motions that obey the joints.

use crate::math::Vec3;
use crate::solve::joint::rows::JointRow;
use crate::solve::joint::system::System;

/// Numbers of a block.
const BLOCK: usize = 36;

/// A joint at a body: first or second end.
#[derive(Clone, Copy, Debug)]
pub(super) struct JointEnd {
    pub joint: usize,
    pub end: usize,
}

impl JointEnd {
    fn sign(self) -> f64 {
        if self.end == 0 { 1.0 } else { -1.0 }
    }
}

/// Blocks of the response.
#[derive(Clone, Debug, Default)]
pub(crate) struct Response {
    /// Bodies chosen, counted in the articulation, ascending.
    pub chosen: Vec<usize>,
    /// Block of source and target, source by source; by columns.
    numbers: Vec<f64>,
    columns: Vec<[f64; 6]>,
}

impl Response {
    /// Chooses bodies, counted in the articulation.
    pub(crate) fn choose(&mut self, bodies: impl Iterator<Item = usize>) {
        self.chosen.clear();
        self.chosen.extend(bodies);
        self.chosen.sort_unstable();
        self.chosen.dedup();
    }

    /// Change of velocity and spin of a target, by columns, per force and moment on a source.
    ///
    /// Both counted among those chosen.
    #[inline]
    pub(crate) fn block(&self, source: usize, target: usize) -> &[f64] {
        &self.numbers[(source * self.chosen.len() + target) * BLOCK..][..BLOCK]
    }

    /// Blocks of a source for all targets in their order.
    #[inline]
    pub(crate) fn of_source(&self, source: usize) -> &[f64] {
        let size = self.chosen.len() * BLOCK;
        &self.numbers[source * size..][..size]
    }

    /// Fills the blocks with the factor of a system.
    pub(super) fn fill(&mut self, system: &System, rows: &[JointRow], ends: &[Vec<JointEnd>]) {
        let Response { chosen, numbers, columns } = self;
        let count = chosen.len();
        numbers.clear();
        numbers.resize(count * count * BLOCK, 0.0);
        for (source, body) in chosen.iter().enumerate() {
            columns.clear();
            columns.resize(rows.len(), [0.0; 6]);
            for end in &ends[*body] {
                for k in system.rows_of(end.joint).filter(|k| system.on[*k]) {
                    columns[k] = system.change(*body, end.end, k, &rows[k]).map(|x| end.sign() * x);
                }
            }
            system.solve_columns(columns);
            // What is before the source is known by symmetry.
            for target in source..count {
                let at = chosen[target];
                let mut block = [0.0; BLOCK];
                for end in &ends[at] {
                    for k in system.rows_of(end.joint).filter(|k| system.on[*k]) {
                        let change = system.change(at, end.end, k, &rows[k]);
                        let impulses = &columns[k];
                        for (column, impulse) in block.chunks_exact_mut(6).zip(impulses) {
                            let impulse = end.sign() * impulse;
                            for (own, change) in column.iter_mut().zip(&change) {
                                *own -= change * impulse;
                            }
                        }
                    }
                }
                if target == source {
                    system.add_inverse(at, &mut block);
                }
                let mirrored = (target * count + source) * BLOCK;
                for column in 0..6 {
                    for row in 0..6 {
                        numbers[mirrored + row * 6 + column] = block[column * 6 + row];
                    }
                }
                numbers[(source * count + target) * BLOCK..][..BLOCK].copy_from_slice(&block);
            }
        }
    }
}

/// Velocity and spin as numbers.
#[inline]
pub(super) fn numbers(linear: Vec3, angular: Vec3) -> [f64; 6] {
    [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]
}
