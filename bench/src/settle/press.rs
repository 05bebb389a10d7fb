//! A ball pressed flat between two cubes: nothing may get inside on the way.

use crate::engine::{Engine, Judge, Ours, timed_step};
use crate::many::Reached;

/// Vertices inside at every step.
pub const INSIDE: usize = 0;

/// Results of the press.
#[derive(Default)]
pub struct PressRow {
    /// Number of steps.
    pub steps: u64,
    /// Vertices inside at the worst step.
    pub inside: usize,
    /// Edges through triangles at the worst step, pairs.
    pub crossings: usize,
    /// Inverted tets at the worst step.
    pub inverted: usize,
    /// Time of the worst overlap, s.
    pub worst_at: f64,
    /// CPU time of a step, mean, s.
    pub time: f64,
}

impl PressRow {
    /// Whether nothing was inside at any step.
    pub fn reached(&self) -> Reached {
        Reached::of([self.inside == INSIDE, false])
    }
}

/// All steps, each measured.
pub fn run() -> Result<PressRow, String> {
    let mut ours = Ours::new("squeezed-sphere", &[])?;
    let mut judge = Judge::of(&ours.built);
    let mut row = PressRow { steps: ours.built.info.steps, ..PressRow::default() };
    for _ in 0..row.steps {
        row.time += timed_step(&mut ours)? / row.steps as f64;
        let state = ours.state();
        let now = judge.overlap(&state);
        if now.penetrating_vertices > row.inside {
            (row.inside, row.worst_at) = (now.penetrating_vertices, state.time);
        }
        row.crossings = row.crossings.max(now.edge_crossings);
        row.inverted = row.inverted.max(now.inverted_tets);
    }
    Ok(row)
}
