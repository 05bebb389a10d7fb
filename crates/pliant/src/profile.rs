//! Profiling hooks for the stages of a step; the caller brings the clock.
//!
//! The library has no clock. Every stage reports when it begins and ends to a [`Profiler`]
//! that the caller passes in, and to nobody without one.

use std::sync::Arc;

/// Part of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Forces of materials.
    Force,
    /// Collision detection: which bodies overlap.
    Detect,
    /// Penetration depth: how far and which way out.
    Depth,
    /// Contact response.
    Contact,
    /// Building matrices and solving with them.
    Solve,
    /// A whole step; the stages above lie within.
    Step,
}

impl Stage {
    /// Every stage, inner ones first.
    pub const ALL: [Stage; 6] =
        [Stage::Force, Stage::Detect, Stage::Depth, Stage::Contact, Stage::Solve, Stage::Step];

    /// One word for tables.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Force => "force",
            Stage::Detect => "detect",
            Stage::Depth => "depth",
            Stage::Contact => "contact",
            Stage::Solve => "solve",
            Stage::Step => "step",
        }
    }
}

/// Receives the begin and the end of every stage.
///
/// Stages nest and are reported by one thread.
pub trait Profiler: std::fmt::Debug + Send + Sync {
    /// A stage begins.
    fn begin(&self, stage: Stage);

    /// The same stage ends.
    fn end(&self, stage: Stage);
}

/// A profiler, or none.
pub type ProfilerRef = Option<Arc<dyn Profiler>>;

/// Reports the end of a stage when dropped.
#[derive(Debug)]
pub struct StageTimer {
    profiler: ProfilerRef,
    stage: Stage,
}

impl StageTimer {
    /// Reports that a stage begins.
    pub fn new(profiler: &ProfilerRef, stage: Stage) -> StageTimer {
        if let Some(observer) = profiler {
            observer.begin(stage);
        }
        StageTimer { profiler: profiler.clone(), stage }
    }
}

impl Drop for StageTimer {
    fn drop(&mut self) {
        if let Some(observer) = &self.profiler {
            observer.end(self.stage);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[derive(Debug, Default)]
    struct Diary(Mutex<Vec<String>>);

    impl Profiler for Diary {
        fn begin(&self, stage: Stage) {
            self.0.lock().unwrap().push(format!("{} begins", stage.name()));
        }

        fn end(&self, stage: Stage) {
            self.0.lock().unwrap().push(format!("{} ends", stage.name()));
        }
    }

    #[test]
    fn stages_end_where_their_watch_is_dropped() {
        let diary = Arc::new(Diary::default());
        let profiler: ProfilerRef = Some(diary.clone());
        {
            let _step = StageTimer::new(&profiler, Stage::Step);
            let _force = StageTimer::new(&profiler, Stage::Force);
        }
        let reported = diary.0.lock().unwrap().clone();
        assert_eq!(reported, ["step begins", "force begins", "force ends", "step ends"]);
        drop(StageTimer::new(&None, Stage::Step));
    }
}
