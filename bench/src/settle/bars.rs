//! Two bars through each other with no vertex inside: only edges cross.

use crate::engine::{Engine, Judge, Ours, fastest};
use crate::many::Reached;

/// Steps within which the bars must be free.
pub const STEPS: u32 = 10;

/// Overlaps, m; the bars are 0.3 m thick.
const OVERLAPS: [f64; 6] = [0.05, 0.1, 0.15, 0.2, 0.25, 0.28];

/// Steps after which they count as stuck.
pub const PATIENCE: u32 = 60;

/// Results of one overlap.
pub struct BarsRow {
    /// Of the thickness, m.
    pub overlap: f64,
    /// Edges through triangles at the start, pairs.
    pub start: usize,
    /// Steps until nothing crosses and no vertex is inside; none when that never happened.
    pub steps: Option<u32>,
    /// Crossings in the end, pairs.
    pub crossings: usize,
    /// Speed of the fastest vertex in the end, m/s.
    pub fastest: f64,
}

impl BarsRow {
    /// Whether they were free soon enough.
    pub fn reached(&self) -> Reached {
        let is_free = self.steps.is_some_and(|steps| steps <= STEPS) && self.crossings == 0;
        Reached::of([is_free, false])
    }
}

/// All overlaps.
pub fn run() -> Result<Vec<BarsRow>, String> {
    OVERLAPS.into_iter().map(bars).collect()
}

fn bars(overlap: f64) -> Result<BarsRow, String> {
    let mut ours = Ours::new("crossing-bars", &[format!("overlap={overlap:?}")])?;
    let mut judge = Judge::of(&ours.built);
    let start = judge.overlap(&ours.state()).edge_crossings;
    let mut steps = None;
    for step in 1..=PATIENCE {
        ours.step()?;
        let now = judge.overlap(&ours.state());
        let is_free = now.edge_crossings == 0 && now.penetrating_vertices == 0;
        steps = steps.or(is_free.then_some(step));
    }
    let state = ours.state();
    let crossings = judge.overlap(&state).edge_crossings;
    eprintln!("  overlap {overlap} m: done");
    Ok(BarsRow { overlap, start, steps, crossings, fastest: fastest(&state) })
}
