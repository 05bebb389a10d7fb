//! How long the stages of steps take, by a clock that is given.

use std::sync::{Mutex, PoisonError};

use pliant::profile::{Profiler, Stage};

/// Time of a clock, ms.
pub type Clock = fn() -> f64;

/// Time per stage so far, ms.
#[derive(Debug)]
pub struct StageClock {
    now: Clock,
    spent: Mutex<[f64; Stage::ALL.len()]>,
}

impl StageClock {
    /// One that has seen nothing.
    pub fn new(now: Clock) -> StageClock {
        StageClock { now, spent: Mutex::default() }
    }

    /// Times since the last call in the order of [`Stage::ALL`], ms; between steps.
    pub fn take(&self) -> [f64; Stage::ALL.len()] {
        std::mem::take(&mut *self.spent.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn add(&self, stage: Stage, time: f64) {
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(spent) = spent.get_mut(stage as usize) {
            *spent += time;
        }
    }
}

impl Profiler for StageClock {
    fn begin(&self, stage: Stage) {
        self.add(stage, -(self.now)());
    }

    fn end(&self, stage: Stage) {
        self.add(stage, (self.now)());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_lasts_from_begin_to_end_and_is_counted_once() {
        let clock = StageClock::new(|| 5.0);
        clock.add(Stage::Solve, 3.0);
        clock.begin(Stage::Force);
        clock.end(Stage::Force);
        assert_eq!(clock.take(), [0.0, 0.0, 0.0, 0.0, 3.0, 0.0]);
        assert_eq!(clock.take(), [0.0; Stage::ALL.len()]);
    }
}
