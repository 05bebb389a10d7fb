//! Bodies pulled back towards their places, from where they are free, with contacts kept.
//!
//! Translations that separate bodies lead farther than needed where bodies may turn or give way.
//! From there each iteration goes a short way towards the displacements of least energy that
//! keep the points of surfaces apart which are near each other now. Every state on the way is
//! judged exactly, so that what is returned is as free as the start was. A body that would be
//! spoilt by a step, or that no row keeps out of another, stays where it is from then on.

use std::ops::ControlFlow;

use crate::math::Vec3;
use crate::separate::axis::PairView;
use crate::separate::judge::{Judged, Scene, Standing};
use crate::separate::shape::{Placed, Shape, enlarged};
use crate::separate::soft::{Deformed, POINT_BEYOND, SoftTask};
use crate::separate::soft_body::Response;
use crate::separate::soft_program::Program;
use crate::separate::soft_rows::{self, Apart};
use crate::separate::undeformed::Undeformed;

/// Iterations, at most.
const ITERATIONS: usize = 60;

/// Steps tried in an iteration, each with more rows than the one before.
const TRIES: usize = 4;

/// Longest way of a vertex in an iteration, in sizes of the smallest body.
const STEP: f64 = 0.02;

/// Way of the fastest vertex in an iteration, in gaps, below which it ends.
const STILL: f64 = 0.2;

/// Change, in gaps, below which the multipliers have settled; every step is judged in any case.
const PULL_TOLERANCE: f64 = 1e-2;

/// Rows of all pairs together, at most: what they do to each other is a dense matrix.
const MOST_ROWS: usize = 2400;

/// Rows of a pair that are needed at least; where there is no room for them nothing is pulled back.
const LEAST_ROWS: usize = 6;

/// Multiply–adds that finding the nearest triangle of a vertex stands for.
const LOOK_COST: u64 = 500;

/// The same of judging a triangle, with all that is done for it in a step.
const JUDGE_COST: u64 = 1000;

/// Whether so many pairs are near each other that there is no room for rows of all.
pub(crate) fn are_too_many(pairs: usize) -> bool {
    LEAST_ROWS * pairs > MOST_ROWS
}

/// How near pairs of bodies are that a step could bring together, m.
pub(crate) fn reach(shapes: &[Shape], gap: f64) -> f64 {
    2.0 * longest(shapes) + gap
}

/// Longest way of a vertex in an iteration, m.
fn longest(shapes: &[Shape]) -> f64 {
    STEP * shapes.iter().map(|shape| shape.size).fold(f64::INFINITY, f64::min)
}

/// Bodies to be pulled back.
pub(crate) struct RelaxTask<'a> {
    /// Bodies, pairs, and the gap to keep.
    pub given: SoftTask<'a>,
    /// Why a body must not be at some positions, m, if it must not.
    pub defect: &'a dyn Fn(usize, &[Vec3]) -> Option<Undeformed>,
}

/// Where all bodies are.
struct State {
    responses: Vec<Response>,
    placed: Vec<Placed>,
    /// Bodies that stay where they are.
    stays: Vec<bool>,
    /// Why, of those that were stopped.
    stopped_by: Vec<Option<Undeformed>>,
}

impl State {
    fn stop(&mut self, body: usize, why: Undeformed) {
        if !self.stays[body] {
            (self.stays[body], self.stopped_by[body]) = (true, Some(why));
        }
    }
}

/// Pairs of bodies that a step could bring together.
struct Near {
    pairs: Vec<[usize; 2]>,
    /// m.
    reach: f64,
}

impl RelaxTask<'_> {
    /// Pulls bodies back that were translated, m, to where none overlaps another.
    pub(crate) fn run(
        &self,
        shifts: &[Vec3],
        progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Deformed {
        let mut state = self.start_from(shifts);
        let longest = longest(self.given.shapes);
        let (mut work, mut iterations, mut stopped) = (0, 0, false);
        let mut is_settled = false;
        while iterations < ITERATIONS && work < self.given.budget && state.stays.contains(&false) {
            stopped = progress(iterations, 0).is_break();
            if stopped {
                break;
            }
            iterations += 1;
            let way = self.advance(&mut state, longest, &mut work);
            is_settled = way.is_some_and(|way| way < STILL * self.given.gap);
            if is_settled {
                break;
            }
        }
        let why = if is_settled { Undeformed::Unpressed } else { Undeformed::Exhausted };
        (0..state.stays.len()).for_each(|body| state.stop(body, why));
        let positions = state.placed.into_iter().map(|placed| placed.positions).collect();
        Deformed { positions, iterations, stopped, work, stopped_by: state.stopped_by }
    }

    fn start_from(&self, shifts: &[Vec3]) -> State {
        let each = self.given.bodies.iter().zip(shifts);
        let responses: Vec<Response> = each.map(|(body, shift)| body.shifted(*shift)).collect();
        let placed = (0..self.given.bodies.len()).map(|body| {
            let start = &self.given.start[body];
            let moved = match shifts[body] == Vec3::ZERO {
                true => start.clone(),
                false => start.iter().map(|p| *p + shifts[body]).collect(),
            };
            self.given.shapes[body].placed(moved, 0.51 * self.given.gap)
        });
        let placed = placed.collect();
        // What has not been moved has nowhere to go back to.
        let stays = self.given.bodies.iter().zip(shifts);
        let stays: Vec<bool> =
            stays.map(|(body, shift)| !body.gives_way() || *shift == Vec3::ZERO).collect();
        let stopped_by = vec![None; stays.len()];
        State { responses, placed, stays, stopped_by }
    }

    /// One step; the longest way of a vertex, m, or `None` where bodies were stopped instead.
    fn advance(&self, state: &mut State, longest: f64, work: &mut u64) -> Option<f64> {
        let near = self.near(state, reach(self.given.shapes, self.given.gap));
        if are_too_many(near.pairs.len()) {
            (0..state.stays.len()).for_each(|body| state.stop(body, Undeformed::TooMany));
            return None;
        }
        let mut program = Program::new(self.given.bodies, self.given.start);
        self.add_near(&mut program, state, &near, work);
        let triangles: usize = self.given.shapes.iter().map(|shape| shape.triangles.len()).sum();
        let mut blocking = Vec::new();
        for _ in 0..TRIES {
            program.relax(PULL_TOLERANCE * self.given.gap);
            let goals = self.goals(&mut program, state);
            *work += JUDGE_COST * triangles as u64;
            let (next, way) = self.limited(state, &goals, longest);
            let spoilt: Vec<(usize, Undeformed)> = (0..self.given.bodies.len())
                .filter(|body| !state.stays[*body])
                .filter_map(|body| {
                    (self.defect)(body, &next.placed[body].positions).map(|why| (body, why))
                })
                .collect();
            if !spoilt.is_empty() {
                *work += program.work;
                spoilt.iter().for_each(|(body, why)| state.stop(*body, *why));
                return None;
            }
            let scene = Scene {
                shapes: self.given.shapes,
                placed: &next.placed,
                nested: self.given.nested,
            };
            let mut judged = scene.judge(self.given.gap);
            judged.retain(|judged| judged.pair.iter().any(|body| !state.stays[*body]));
            if judged.is_empty() {
                *work += program.work;
                (state.responses, state.placed) = (next.responses, next.placed);
                return Some(way);
            }
            for judged in &judged {
                self.add_failed(&mut program, &next, *judged);
            }
            blocking = judged;
        }
        *work += program.work;
        for body in blocking.iter().flat_map(|judged| judged.pair) {
            state.stop(body, Undeformed::NoRoom);
        }
        None
    }

    /// Where each body would be if nothing but the rows held it from its place.
    fn goals(&self, program: &mut Program<'_>, state: &State) -> Vec<Response> {
        let found = program.responses().into_iter().enumerate();
        found
            .map(|(body, goal)| match (state.stays[body], goal) {
                (true, _) => state.responses[body].clone(),
                (false, Some(goal)) => goal,
                (false, None) => self.given.bodies[body].shifted(Vec3::ZERO),
            })
            .collect()
    }

    /// The state so far on the way to the goals that no vertex goes farther than said, m; and how
    /// far the fastest goes.
    fn limited(&self, state: &State, goals: &[Response], longest: f64) -> (State, f64) {
        let farthest = |at: &[Placed], body: usize, moved: &[Vec3]| {
            let both = at[body].positions.iter().zip(moved);
            both.map(|(from, to)| from.distance(*to)).fold(0.0, f64::max)
        };
        let whole = goals.iter().enumerate().filter(|(body, _)| !state.stays[*body]);
        let most = whole
            .map(|(body, goal)| {
                let moved = self.given.bodies[body].moved(goal, &self.given.start[body]);
                farthest(&state.placed, body, &moved)
            })
            .fold(0.0, f64::max);
        let share = if most > longest { longest / most } else { 1.0 };
        let mut next = State {
            responses: state.responses.clone(),
            placed: state.placed.clone(),
            stays: state.stays.clone(),
            stopped_by: state.stopped_by.clone(),
        };
        for (body, goal) in goals.iter().enumerate().filter(|(body, _)| !state.stays[*body]) {
            next.responses[body] = state.responses[body].towards(goal, share);
            let moved =
                self.given.bodies[body].moved(&next.responses[body], &self.given.start[body]);
            next.placed[body].put(&self.given.shapes[body], moved);
        }
        (next, share * most)
    }

    /// Rows for some pairs that a step could bring together.
    fn add_near(&self, program: &mut Program<'_>, state: &State, near: &Near, work: &mut u64) {
        let most = MOST_ROWS / near.pairs.len().max(1);
        for pair in &near.pairs {
            let found = soft_rows::facing(self.view(*pair, &state.placed), near.reach);
            *work += LOOK_COST * found.looked;
            for apart in found.rows.into_iter().take(most) {
                self.add(program, *pair, apart, state);
            }
        }
    }

    /// Pairs that are nearer than said, m, by their boxes, and of which one may move.
    fn near(&self, state: &State, reach: f64) -> Near {
        let mut pairs = Vec::new();
        for a in 0..self.given.bodies.len() {
            let around = enlarged(state.placed[a].around, reach);
            for b in a + 1..self.given.bodies.len() {
                let may_move = !(state.stays[a] && state.stays[b]);
                if may_move && around.meets(state.placed[b].around) {
                    pairs.push([a, b]);
                }
            }
        }
        Near { pairs, reach }
    }

    /// Rows for a pair that a step has brought together, from where it did so.
    fn add_failed(&self, program: &mut Program<'_>, next: &State, judged: Judged) {
        let view = self.view(judged.pair, &next.placed);
        let rows = match judged.standing {
            Standing::Near(_) | Standing::Apart | Standing::Escaped => soft_rows::near(view),
            Standing::Crossing | Standing::FirstInside | Standing::SecondInside => {
                let way = view.shortest(&[]);
                soft_rows::overlapping(view, way.axis)
            }
        };
        for apart in rows {
            self.add(program, judged.pair, apart, next);
        }
    }

    fn view<'a>(&'a self, pair: [usize; 2], placed: &'a [Placed]) -> PairView<'a> {
        PairView {
            shapes: pair.map(|body| &self.given.shapes[body]),
            placed: pair.map(|body| &placed[body]),
            clearance: self.given.gap,
        }
    }

    fn add(&self, program: &mut Program<'_>, pair: [usize; 2], apart: Apart, state: &State) {
        let moved = |side: usize| {
            let (body, point) = (pair[side], &apart.points[side]);
            self.given.bodies[body].displacement_at(
                &state.responses[body],
                point,
                &self.given.start[body],
            )
        };
        let aim = self.given.gap * (1.0 + POINT_BEYOND) - apart.distance;
        let gives = pair.map(|body| !state.stays[body]);
        // A body that stays is part of the wall: its displacement does not count.
        let own = [0, 1].map(|side| if gives[side] { moved(side) } else { Vec3::ZERO });
        let least = apart.normal.dot(own[0] - own[1]) + aim;
        program.add(pair, apart, least, gives);
    }
}
