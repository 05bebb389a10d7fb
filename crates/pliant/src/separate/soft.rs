//! Bodies that give way elastically until none overlaps another.
//!
//! As in the rigid search each iteration judges all pairs exactly, and adds rows; here a row keeps
//! two material points apart along a direction, and all rows together give the displacements of
//! least elastic energy from the start. The bodies themselves are factored once.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use crate::math::Vec3;
use crate::separate::axis::PairView;
use crate::separate::judge::{Judged, Scene, Standing};
use crate::separate::shape::{Placed, Shape};
use crate::separate::soft_body::SoftBody;
use crate::separate::soft_program::Program;
use crate::separate::soft_rows::{self, Apart};
use crate::separate::undeformed::Undeformed;

/// Iterations, at most.
const ITERATIONS: usize = 40;

/// Iterations without fewer pairs than ever before, after which it ends.
const PATIENCE: usize = 12;

/// Rows after which those without a push are dropped.
const MANY_ROWS: usize = 1200;

/// Rows at any time, at most: what they do to each other is a dense matrix.
const MOST_ROWS: usize = 6000;

/// Rows of a pair that are needed at least; where there is no room for them nothing is deformed.
const LEAST_ROWS: usize = 6;

/// Share of the gap by which rows between points aim beyond it, as surfaces bend between points.
pub(crate) const POINT_BEYOND: f64 = 0.05;

/// Change, in gaps, below which the multipliers of a deformation have settled.
const DEFORM_TOLERANCE: f64 = 1e-3;

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

/// Whether so many pairs overlap that there is no room for rows of all.
pub(crate) fn are_too_many(pairs: usize) -> bool {
    LEAST_ROWS * pairs > MOST_ROWS
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
    /// Why each body was stopped on the way back, if it was; empty where there is no such way.
    pub stopped_by: Vec<Option<Undeformed>>,
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
        let mut program = Program::new(self.bodies, self.start);
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
            let is_over = iteration > fewest_at + PATIENCE
                || program.work > self.budget
                || program.len() + LEAST_ROWS * judged.len() > MOST_ROWS;
            if judged.is_empty() || stopped || is_over {
                let (iterations, work, stopped_by) = (iteration, program.work, Vec::new());
                return Deformed { positions, iterations, stopped, work, stopped_by };
            }
            if program.len() >= MANY_ROWS {
                program.drop_idle();
            }
            self.add_rows(&mut program, &judged, &placed, &mut axes);
            program.relax(DEFORM_TOLERANCE * self.gap);
            positions = self.displaced(&mut program);
            for (body, at) in positions.iter().enumerate() {
                placed[body].put(&self.shapes[body], at.clone());
            }
        }
        let (iterations, work, stopped_by) = (ITERATIONS, program.work, Vec::new());
        Deformed { positions, iterations, stopped: false, work, stopped_by }
    }

    /// Adds rows for all pairs that overlap or are too near.
    fn add_rows(
        &self,
        program: &mut Program<'_>,
        judged: &[Judged],
        placed: &[Placed],
        axes: &mut BTreeMap<[usize; 2], Vec3>,
    ) {
        let most = (MOST_ROWS - program.len()) / judged.len();
        for judged in judged {
            let view = PairView {
                shapes: judged.pair.map(|body| &self.shapes[body]),
                placed: judged.pair.map(|body| &placed[body]),
                clearance: self.gap,
            };
            let found = match judged.standing {
                Standing::Near(_) | Standing::Apart | Standing::Escaped => soft_rows::near(view),
                Standing::Crossing | Standing::FirstInside | Standing::SecondInside => {
                    let axis = *axes.entry(judged.pair).or_insert_with(|| soft_rows::way_out(view));
                    soft_rows::overlapping(view, axis)
                }
            };
            for apart in found.into_iter().take(most) {
                self.add(program, judged.pair, apart, placed);
            }
        }
    }

    fn gives_way(&self, body: usize) -> bool {
        self.bodies[body].gives_way()
    }

    /// Adds a row at where bodies are now.
    fn add(&self, program: &mut Program<'_>, pair: [usize; 2], apart: Apart, placed: &[Placed]) {
        let moved = |side: usize| {
            let (body, point) = (pair[side], apart.points[side]);
            point.of(&placed[body].positions) - point.of(&self.start[body])
        };
        let aim = self.gap * (1.0 + POINT_BEYOND) - apart.distance;
        let least = apart.normal.dot(moved(0) - moved(1)) + aim;
        program.add(pair, apart, least, pair.map(|body| self.gives_way(body)));
    }

    /// Where all vertices are under the pushes of all rows, m.
    fn displaced(&self, program: &mut Program<'_>) -> Vec<Vec<Vec3>> {
        let responses = program.responses();
        let each = self.bodies.iter().zip(self.start).zip(responses);
        each.map(|((body, start), response)| match response {
            None => start.clone(),
            Some(response) => body.moved(&response, start),
        })
        .collect()
    }
}
