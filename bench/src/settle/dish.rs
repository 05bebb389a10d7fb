//! Many balls of hundreds of tets in a dish: the time of a frame.

use std::time::Instant;

use crate::engine::{Engine, Judge, Ours, timed_step};
use crate::many::Reached;

/// Wall time of a frame with two threads that would be good, s.
pub const FRAME: f64 = 0.014;

/// Frames between lines on progress.
const BATCH: u64 = 100;

/// Results of the dish.
pub struct DishRow {
    /// Number of vertices.
    pub vertices: usize,
    /// Number of tets.
    pub tets: usize,
    /// Number of frames.
    pub frames: u64,
    /// Vertices inside other balls in the end.
    pub inside: usize,
    /// Edges through triangles in the end, pairs.
    pub crossings: usize,
    /// Root mean square of the speeds in the end, m/s.
    pub rms: f64,
    /// CPU time of a frame with one thread, mean and longest, s.
    pub cpu: [f64; 2],
    /// Wall time of a frame with two threads, mean and longest, s.
    pub wall: [f64; 2],
    /// Whether two threads are bitwise equal to one.
    pub same_bits: bool,
}

impl DishRow {
    /// Whether nothing overlaps in the end, and a frame is short.
    pub fn reached(&self) -> Reached {
        let is_clean = self.inside == 0 && self.crossings == 0;
        Reached::of([is_clean, self.wall[0] <= FRAME])
    }
}

/// Once with one thread and once with two.
pub fn run() -> Result<DishRow, String> {
    let mut one = Ours::new("fruit-dish", &[])?;
    let mut judge = Judge::of(&one.built);
    let frames = one.built.info.steps;
    let cpu = times(&mut one, "one thread", timed_step_of)?;
    let mut two = Ours::new("fruit-dish", &[])?;
    two.built.world.set_threads(2);
    let wall = times(&mut two, "two threads", |ours| {
        let clock = Instant::now();
        ours.step().map(|()| clock.elapsed().as_secs_f64())
    })?;
    let state = one.state();
    let overlap = judge.overlap(&state);
    Ok(DishRow {
        vertices: state.positions.len(),
        tets: one.built.world.simulation().system.bodies.tets().len(),
        frames,
        inside: overlap.penetrating_vertices,
        crossings: overlap.edge_crossings,
        rms: judge.rms_speed(&state),
        cpu,
        wall,
        same_bits: state == two.state(),
    })
}

fn timed_step_of(ours: &mut Ours) -> Result<f64, String> {
    timed_step(ours)
}

/// Mean and longest time of all frames, s.
fn times(
    ours: &mut Ours,
    name: &str,
    step: impl Fn(&mut Ours) -> Result<f64, String>,
) -> Result<[f64; 2], String> {
    let (frames, mut sum, mut longest) = (ours.built.info.steps, 0.0, 0.0);
    for frame in 1..=frames {
        let time = step(ours)?;
        sum += time;
        longest = f64::max(longest, time);
        if frame % BATCH == 0 {
            eprintln!(
                "  {name}: frame {frame} of {frames}, mean {:.1} ms",
                1e3 * sum / frame as f64
            );
        }
    }
    Ok([sum / frames as f64, longest])
}
