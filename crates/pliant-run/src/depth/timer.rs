//! How long the stages of depth take: wall time of one thread, the shortest of several runs.

use std::sync::Mutex;
use std::time::Instant;

use pliant::profile::{Profiler, Stage};
use serde::Serialize;

/// Runs that are timed at most.
const MOST_RUNS: usize = 5;

/// Time after which no further run is timed, µs: a long one needs no second.
const ENOUGH_US: f64 = 50_000.0;

/// Time spent by one thread on warm memory, µs; without reading and crossing pairs.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Timings {
    /// Boxes, and which vertices are inside which bodies.
    pub inside: f64,
    /// The rest: crossings, border points, rings; or the closest feature.
    pub depth: f64,
}

/// A clock for the two stages of depth.
#[derive(Debug, Default)]
pub(super) struct DepthTimer {
    /// When the stage at hand began, and what the stages have taken, µs.
    state: Mutex<(Option<Instant>, [f64; 2])>,
}

impl DepthTimer {
    fn reset(&self) {
        if let Ok(mut state) = self.state.lock() {
            *state = Default::default();
        }
    }

    fn timings(&self) -> Timings {
        let [inside, depth] = self.state.lock().map_or([0.0; 2], |state| state.1);
        Timings { inside, depth }
    }
}

impl Profiler for DepthTimer {
    fn begin(&self, _stage: Stage) {
        if let Ok(mut state) = self.state.lock() {
            state.0 = Some(Instant::now());
        }
    }

    fn end(&self, stage: Stage) {
        if let Ok(mut state) = self.state.lock()
            && let Some(begun) = state.0.take()
        {
            state.1[usize::from(stage == Stage::Depth)] += microseconds(begun);
        }
    }
}

/// The shortest of several runs, after one that warms the memory.
pub(super) fn fastest<E>(
    timer: &DepthTimer,
    mut run: impl FnMut() -> Result<(), E>,
) -> Result<Timings, E> {
    run()?;
    let (mut best, start) = (None, Instant::now());
    for _ in 0..MOST_RUNS {
        timer.reset();
        run()?;
        let found = timer.timings();
        let sum = |timings: &Timings| timings.inside + timings.depth;
        best = Some(best.map_or(found, |best| if sum(&found) < sum(&best) { found } else { best }));
        if microseconds(start) > ENOUGH_US {
            break;
        }
    }
    Ok(best.unwrap_or_default())
}

fn microseconds(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e6
}
