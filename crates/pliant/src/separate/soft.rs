//! Bodies that give way elastically until none overlaps another.
//!
//! As in the rigid search each iteration judges all pairs exactly, and adds rows; here a row keeps
//! two material points apart along a direction, and all rows together give the displacements of
//! least elastic energy from the start. Multipliers of the rows are relaxed on a dense matrix of
//! what each row does to each other; the bodies themselves are factored once.
//!
//! | here        | formula        | meaning                                          |
//! |-------------|----------------|--------------------------------------------------|
//! | `least`     | c              | least relative displacement along the normal, m  |
//! | `impulse`   | λ              | multiplier, N                                    |
//! | `delassus`  | G = J A⁻¹ Jᵀ   | displacement along a row per push along another  |

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use crate::id::VertexId;
use crate::math::Vec3;
use crate::mesh::embed::Embedding;
use crate::separate::axis::PairView;
use crate::separate::elastic::Compliance;
use crate::separate::judge::{Scene, Standing};
use crate::separate::shape::{Placed, Shape};
use crate::separate::soft_rows::{self, Apart, Point};

/// Iterations, at most.
const ITERATIONS: usize = 40;

/// Iterations without fewer pairs than ever before, after which it ends.
const PATIENCE: usize = 12;

/// Sweeps over all rows in an iteration, at most.
const SWEEPS: usize = 200;

/// Rows after which those without a push are dropped.
const MANY_ROWS: usize = 1200;

/// Share of the gap by which rows aim beyond it.
const BEYOND: f64 = 0.05;

/// Change, in gaps, below which the multipliers have settled.
const TOLERANCE: f64 = 1e-3;

/// A body that may give way.
pub(crate) struct SoftBody {
    /// How.
    pub compliance: Compliance,
    /// Its vertices on those of its cage; `None` where it is its own.
    pub carried: Option<Embedding>,
}

/// Bodies to be separated.
pub(crate) struct SoftTask<'a> {
    /// What each body is.
    pub shapes: &'a [Shape],
    /// Where each body starts, m.
    pub start: &'a [Vec<Vec3>],
    /// Pairs that are nested on purpose, ascending.
    pub nested: &'a [[usize; 2]],
    /// How each body gives way.
    pub bodies: &'a [SoftBody],
    /// Distance to reach, m; above 0.
    pub gap: f64,
    /// Multiply–adds after which it ends, whatever was reached.
    pub budget: u64,
}

/// What came of it.
pub(crate) struct Deformed {
    /// Vertices of each body, m.
    pub positions: Vec<Vec<Vec3>>,
    /// Iterations done.
    pub iterations: usize,
    /// Whether it was stopped by the caller.
    pub stopped: bool,
    /// Multiply–adds done.
    pub work: u64,
}

/// A condition on the displacements of two bodies.
#[derive(Clone, Debug)]
struct Row {
    pair: [usize; 2],
    apart: Apart,
    least: f64,
    impulse: f64,
}

/// Rows and what they do to each other.
#[derive(Default)]
struct Rows {
    rows: Vec<Row>,
    delassus: Vec<Vec<f64>>,
    /// Multiply–adds done.
    work: u64,
}

impl SoftBody {
    /// What a push along a direction at a vertex of the body is on its cage.
    fn pushes(&self, vertex: VertexId, push: Vec3, out: &mut Vec<(VertexId, Vec3)>) {
        match &self.carried {
            None => out.push((vertex, push)),
            Some(embedding) => {
                let carriers = embedding.carriers[vertex.index()].iter();
                let weights = embedding.weights[vertex.index()];
                out.extend(carriers.zip(weights).map(|(v, weight)| (*v, weight * push)));
            }
        }
    }

    /// What pushes at some of its vertices do to it.
    fn response(&self, pushes: &[(VertexId, Vec3)]) -> Response {
        match &self.compliance {
            Compliance::Fixed => Response::Whole(Vec3::ZERO),
            Compliance::Rigid(compliance) => {
                Response::Whole(*compliance * pushes.iter().map(|(_, push)| *push).sum::<Vec3>())
            }
            Compliance::Elastic(elastic) => {
                let mut on_cage = Vec::new();
                for (vertex, push) in pushes {
                    self.pushes(*vertex, *push, &mut on_cage);
                }
                Response::OfCage(elastic.displacements(&on_cage))
            }
        }
    }

    /// Displacement of a vertex of the body, m.
    fn displacement(&self, response: &Response, vertex: VertexId) -> Vec3 {
        match (response, &self.carried) {
            (Response::Whole(shift), _) => *shift,
            (Response::OfCage(moved), None) => moved[vertex.index()],
            (Response::OfCage(moved), Some(embedding)) => {
                let carriers = embedding.carriers[vertex.index()].iter();
                let weights = embedding.weights[vertex.index()];
                carriers.zip(weights).map(|(v, weight)| weight * moved[v.index()]).sum()
            }
        }
    }

    /// Displacement of a point of its surface, m.
    fn displacement_at(&self, response: &Response, point: &Point) -> Vec3 {
        let parts = point.vertices.iter().zip(point.weights).filter(|(_, weight)| *weight != 0.0);
        parts.map(|(v, weight)| weight * self.displacement(response, *v)).sum()
    }
}

/// What pushes do to a body.
enum Response {
    /// It moves as a whole, m.
    Whole(Vec3),
    /// Displacements of the vertices of its cage, m.
    OfCage(Vec<Vec3>),
}

impl SoftTask<'_> {
    /// Separates the bodies; the caller judges what was reached.
    pub(crate) fn run(
        &self,
        progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Deformed {
        let mut positions = self.start.to_vec();
        let place = |(shape, at): (&Shape, &Vec<Vec3>)| shape.placed(at.clone(), 0.51 * self.gap);
        let mut placed: Vec<Placed> = self.shapes.iter().zip(&positions).map(place).collect();
        let mut rows = Rows::default();
        let mut axes: BTreeMap<[usize; 2], Vec3> = BTreeMap::new();
        let (mut fewest, mut fewest_at) = (usize::MAX, 0);
        for iteration in 0..ITERATIONS {
            let scene = Scene { shapes: self.shapes, placed: &placed, nested: self.nested };
            let mut judged = scene.judge(self.gap);
            judged.retain(|judged| judged.pair.iter().any(|body| self.gives_way(*body)));
            let stopped = progress(iteration, judged.len()).is_break();
            if judged.len() < fewest {
                (fewest, fewest_at) = (judged.len(), iteration);
            }
            let is_over = iteration > fewest_at + PATIENCE || rows.work > self.budget;
            if judged.is_empty() || stopped || is_over {
                return Deformed { positions, iterations: iteration, stopped, work: rows.work };
            }
            rows.drop_idle();
            for judged in &judged {
                let view = PairView {
                    shapes: judged.pair.map(|body| &self.shapes[body]),
                    placed: judged.pair.map(|body| &placed[body]),
                    clearance: self.gap,
                };
                let found = match judged.standing {
                    Standing::Near(_) | Standing::Apart => soft_rows::near(view),
                    _ => {
                        let axis =
                            *axes.entry(judged.pair).or_insert_with(|| soft_rows::way_out(view));
                        soft_rows::overlapping(view, axis)
                    }
                };
                for apart in found {
                    self.add(&mut rows, judged.pair, apart, &placed);
                }
            }
            rows.relax(TOLERANCE * self.gap);
            positions = self.displaced(&rows);
            for (body, at) in positions.iter().enumerate() {
                placed[body].put(&self.shapes[body], at.clone());
            }
        }
        Deformed { positions, iterations: ITERATIONS, stopped: false, work: rows.work }
    }

    fn gives_way(&self, body: usize) -> bool {
        !matches!(self.bodies[body].compliance, Compliance::Fixed)
    }

    /// Adds a row, and what it does to all rows before.
    fn add(&self, rows: &mut Rows, pair: [usize; 2], apart: Apart, placed: &[Placed]) {
        let moved = |side: usize| {
            let (body, point) = (pair[side], apart.points[side]);
            point.of(&placed[body].positions) - point.of(&self.start[body])
        };
        let aim = self.gap * (1.0 + BEYOND) - apart.distance;
        let least = apart.normal.dot(moved(0) - moved(1)) + aim;
        rows.rows.push(Row { pair, apart, least, impulse: 0.0 });
        let mut own = vec![0.0; rows.rows.len()];
        for (side, body) in pair.into_iter().enumerate() {
            let sign = if side == 0 { 1.0 } else { -1.0 };
            let mut pushes = Vec::new();
            rows.rows[rows.rows.len() - 1].pushes(side, sign, &mut pushes);
            if !self.gives_way(body) {
                continue;
            }
            let response = self.bodies[body].response(&pushes);
            if let Compliance::Elastic(elastic) = &self.bodies[body].compliance {
                rows.work += elastic.cost();
            }
            for (entry, row) in own.iter_mut().zip(&rows.rows) {
                for (k, sign) in [1.0, -1.0].into_iter().enumerate() {
                    if row.pair[k] == body {
                        let point = &row.apart.points[k];
                        let moved = self.bodies[body].displacement_at(&response, point);
                        *entry += sign * row.apart.normal.dot(moved);
                    }
                }
            }
        }
        for (line, entry) in rows.delassus.iter_mut().zip(&own) {
            line.push(*entry);
        }
        rows.delassus.push(own);
    }

    /// Where all vertices are under the pushes of all rows, m.
    fn displaced(&self, rows: &Rows) -> Vec<Vec<Vec3>> {
        let mut pushes = vec![Vec::new(); self.bodies.len()];
        for row in rows.rows.iter().filter(|row| row.impulse > 0.0) {
            row.pushes(0, row.impulse, &mut pushes[row.pair[0]]);
            row.pushes(1, -row.impulse, &mut pushes[row.pair[1]]);
        }
        let each = self.bodies.iter().zip(self.start).zip(&pushes);
        each.map(|((body, start), pushes)| {
            if pushes.is_empty() {
                return start.clone();
            }
            let response = body.response(pushes);
            let moved = |v: usize| body.displacement(&response, VertexId(v as u32));
            start.iter().enumerate().map(|(v, p)| *p + moved(v)).collect()
        })
        .collect()
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

impl Rows {
    /// Drops rows that push nothing, where there are many.
    fn drop_idle(&mut self) {
        if self.rows.len() < MANY_ROWS {
            return;
        }
        let kept: Vec<usize> =
            (0..self.rows.len()).filter(|k| self.rows[*k].impulse > 0.0).collect();
        self.rows = kept.iter().map(|k| self.rows[*k].clone()).collect();
        let line = |k: &usize| kept.iter().map(|j| self.delassus[*k][*j]).collect();
        self.delassus = kept.iter().map(line).collect();
    }

    /// Projected Gauss–Seidel on the multipliers, from those of the iteration before.
    fn relax(&mut self, tolerance: f64) {
        let Rows { rows, delassus, work } = self;
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
}
