//! Displacements of least energy that keep material points of bodies apart.
//!
//! Minimises ½ Σ uᵀ A u so that n·(u_a − u_b) ≥ c for every row, by projected Gauss–Seidel on the
//! multipliers, on a dense matrix of what each row does to each other.
//!
//! | here        | formula        | meaning                                          |
//! |-------------|----------------|--------------------------------------------------|
//! | `least`     | c              | least relative displacement along the normal, m  |
//! | `impulse`   | λ              | multiplier, N                                    |
//! | `delassus`  | G = J A⁻¹ Jᵀ   | displacement along a row per push along another  |

use crate::id::VertexId;
use crate::math::Vec3;
use crate::separate::soft_body::{Response, SoftBody};
use crate::separate::soft_rows::Apart;

/// Sweeps over all rows, at most.
const SWEEPS: usize = 200;

/// A condition on the displacements of two bodies.
#[derive(Clone, Debug)]
struct Row {
    pair: [usize; 2],
    apart: Apart,
    least: f64,
    impulse: f64,
}

/// Rows and what they do to each other.
pub(crate) struct Program<'a> {
    bodies: &'a [SoftBody],
    start: &'a [Vec<Vec3>],
    rows: Vec<Row>,
    delassus: Vec<Vec<f64>>,
    /// Multiply–adds done.
    pub work: u64,
}

impl<'a> Program<'a> {
    /// Without rows, on bodies that start at some positions, m.
    pub(crate) fn new(bodies: &'a [SoftBody], start: &'a [Vec<Vec3>]) -> Program<'a> {
        Program { bodies, start, rows: Vec::new(), delassus: Vec::new(), work: 0 }
    }

    /// Rows so far.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Adds a row, and what it does to all rows before.
    pub(crate) fn add(&mut self, pair: [usize; 2], apart: Apart, least: f64, gives: [bool; 2]) {
        let row = Row { pair, apart, least, impulse: 0.0 };
        self.rows.push(row.clone());
        let mut own = vec![0.0; self.rows.len()];
        for (side, body) in pair.into_iter().enumerate().filter(|(side, _)| gives[*side]) {
            let sign = if side == 0 { 1.0 } else { -1.0 };
            let mut pushes = Vec::new();
            row.pushes(side, sign, &mut pushes);
            let (soft, start) = (&self.bodies[body], &self.start[body]);
            let response = soft.response(&pushes, start);
            self.work += soft.cost();
            for (entry, row) in own.iter_mut().zip(&self.rows) {
                for (k, sign) in [1.0, -1.0].into_iter().enumerate() {
                    if row.pair[k] == body {
                        let moved = soft.displacement_at(&response, &row.apart.points[k], start);
                        *entry += sign * row.apart.normal.dot(moved);
                    }
                }
            }
        }
        for (line, entry) in self.delassus.iter_mut().zip(&own) {
            line.push(*entry);
        }
        self.delassus.push(own);
    }

    /// Drops rows that push nothing.
    pub(crate) fn drop_idle(&mut self) {
        let kept: Vec<usize> =
            (0..self.rows.len()).filter(|k| self.rows[*k].impulse > 0.0).collect();
        self.rows = kept.iter().map(|k| self.rows[*k].clone()).collect();
        let line = |k: &usize| kept.iter().map(|j| self.delassus[*k][*j]).collect();
        self.delassus = kept.iter().map(line).collect();
    }

    /// Projected Gauss–Seidel on the multipliers, from those of before, to a tolerance, m.
    pub(crate) fn relax(&mut self, tolerance: f64) {
        let Program { rows, delassus, work, .. } = self;
        let mut along = vec![0.0_f64; rows.len()];
        for (row, line) in rows.iter().zip(&*delassus).filter(|(row, _)| row.impulse > 0.0) {
            along.iter_mut().zip(line).for_each(|(sum, entry)| *sum += row.impulse * entry);
        }
        for _ in 0..SWEEPS {
            let mut worst = 0.0_f64;
            for k in 0..rows.len() {
                let compliance = delassus[k][k];
                if compliance <= 0.0 {
                    continue;
                }
                let row = &mut rows[k];
                let wanted = (row.impulse + (row.least - along[k]) / compliance).max(0.0);
                let change = wanted - row.impulse;
                if change == 0.0 {
                    continue;
                }
                row.impulse = wanted;
                *work += along.len() as u64;
                worst = worst.max((change * compliance).abs());
                along.iter_mut().zip(&delassus[k]).for_each(|(sum, entry)| *sum += change * entry);
            }
            if worst < tolerance {
                break;
            }
        }
    }

    /// What the pushes of all rows do to each body; `None` where nothing pushes it.
    pub(crate) fn responses(&mut self) -> Vec<Option<Response>> {
        let mut pushes = vec![Vec::new(); self.bodies.len()];
        for row in self.rows.iter().filter(|row| row.impulse > 0.0) {
            row.pushes(0, row.impulse, &mut pushes[row.pair[0]]);
            row.pushes(1, -row.impulse, &mut pushes[row.pair[1]]);
        }
        let mut responses = Vec::new();
        for ((body, start), pushes) in self.bodies.iter().zip(self.start).zip(&pushes) {
            self.work += body.cost();
            responses.push((!pushes.is_empty()).then(|| body.response(pushes, start)));
        }
        responses
    }
}

impl Row {
    /// Pushes of a size along the row at the corners of its point on one side.
    fn pushes(&self, side: usize, size: f64, out: &mut Vec<(VertexId, Vec3)>) {
        let point = self.apart.points[side];
        let parts = point.vertices.iter().zip(point.weights).filter(|(_, weight)| *weight != 0.0);
        out.extend(parts.map(|(v, weight)| (*v, size * weight * self.apart.normal)));
    }
}
