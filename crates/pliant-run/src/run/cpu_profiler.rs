//! How long the stages of the steps take: CPU time of the whole process.
//!
//! Work may be done by any thread, so the clock of one would miss most of it.

use std::sync::atomic::{AtomicU64, Ordering};

use pliant::profile::{Profiler, Stage};

/// CPU time per stage so far.
#[derive(Debug, Default)]
pub struct CpuProfiler {
    /// In the order of [`Stage::ALL`], ns; while a stage is on, less the time when it began.
    spent: [AtomicU64; Stage::ALL.len()],
}

impl CpuProfiler {
    /// One that continues from these times, ns.
    pub fn from_spent(spent: [u64; Stage::ALL.len()]) -> CpuProfiler {
        CpuProfiler { spent: spent.map(AtomicU64::new) }
    }

    /// Times in the order of [`Stage::ALL`], ns; between steps.
    pub fn spent(&self) -> [u64; Stage::ALL.len()] {
        self.spent.each_ref().map(|spent| spent.load(Ordering::Relaxed))
    }

    fn add(&self, stage: Stage, time: u64) {
        if let Some(spent) = self.spent.get(stage as usize) {
            // Wraps around below zero at the start of a stage and back at its end.
            spent.fetch_add(time, Ordering::Relaxed);
        }
    }
}

impl Profiler for CpuProfiler {
    fn begin(&self, stage: Stage) {
        self.add(stage, cpu_time().wrapping_neg());
    }

    fn end(&self, stage: Stage) {
        self.add(stage, cpu_time());
    }
}

/// CPU time of the process so far, ns.
#[cfg(unix)]
pub fn cpu_time() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec.cast_unsigned().wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as u64)
}

/// Wall-clock time on other systems, whose CPU time is not read, ns.
#[cfg(not(unix))]
pub fn cpu_time() -> u64 {
    use std::sync::OnceLock;
    use std::time::Instant;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_stand_where_their_number_says() {
        for (place, stage) in Stage::ALL.into_iter().enumerate() {
            assert_eq!(stage as usize, place, "{stage:?}");
        }
    }

    #[test]
    fn an_inner_stage_takes_part_of_the_outer_time() {
        let watch = CpuProfiler::from_spent([1_000; 6]);
        watch.begin(Stage::Step);
        watch.begin(Stage::Force);
        let start = cpu_time();
        while cpu_time() - start < 2_000_000 {}
        watch.end(Stage::Force);
        watch.end(Stage::Step);
        let spent = watch.spent();
        assert!(spent[0] >= 2_001_000 && spent[0] <= spent[5], "{spent:?}");
        assert_eq!(spent[1..5], [1_000; 4]);
    }
}
