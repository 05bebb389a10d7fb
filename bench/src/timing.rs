//! Seconds of CPU time, which a busy machine stretches less than the clock.

use std::time::Instant;

/// Samples taken; the fastest counts.
const SAMPLES: usize = 5;

/// Shortest sample, s: long enough that a short disturbance does not decide it.
const SHORTEST: f64 = 0.1;

/// Fastest CPU time of a few samples, s, and what the last run gave.
///
/// A sample repeats the work until it is long enough to be measured.
pub fn fastest<T>(mut work: impl FnMut() -> T) -> (f64, T) {
    let mut repeats = 1;
    loop {
        let (time, result) = timed(&mut work, repeats);
        if time < SHORTEST {
            repeats *= 2;
            continue;
        }
        let others = (1..SAMPLES).map(|_| timed(&mut work, repeats).0);
        let best = others.fold(time, f64::min);
        return (best / f64::from(repeats), result);
    }
}

/// CPU time of work that is too long to be repeated, s, and its result.
pub fn single<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let (clock, cpu) = (Instant::now(), cpu_time());
    let result = work();
    (since(clock, cpu), result)
}

/// CPU time of all threads of work that is too long to be repeated, s, and its result.
pub fn all_threads<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let (clock, cpu) = (Instant::now(), process_time());
    let result = work();
    let time = match (cpu, process_time()) {
        (Some(before), Some(after)) => after - before,
        _ => clock.elapsed().as_secs_f64(),
    };
    (time, result)
}

/// Fastest time on the clock of a few samples, s: for work that another machine does.
pub fn fastest_wall<T>(mut work: impl FnMut() -> T) -> (f64, T) {
    let mut repeats = 1;
    loop {
        let clock = Instant::now();
        (1..repeats).for_each(|_| drop(std::hint::black_box(work())));
        let result = work();
        let time = clock.elapsed().as_secs_f64();
        if time < SHORTEST {
            repeats *= 2;
            continue;
        }
        let mut best = time;
        for _ in 1..SAMPLES {
            let clock = Instant::now();
            (0..repeats).for_each(|_| drop(std::hint::black_box(work())));
            best = best.min(clock.elapsed().as_secs_f64());
        }
        return (best / f64::from(repeats), result);
    }
}

/// CPU time since then, s; on the clock where the system does not count it.
fn since(clock: Instant, cpu: Option<f64>) -> f64 {
    match (cpu, cpu_time()) {
        (Some(before), Some(after)) => after - before,
        _ => clock.elapsed().as_secs_f64(),
    }
}

fn timed<T>(work: &mut impl FnMut() -> T, repeats: u32) -> (f64, T) {
    let (clock, cpu) = (Instant::now(), cpu_time());
    for _ in 1..repeats {
        std::hint::black_box(work());
    }
    let result = work();
    (since(clock, cpu), result)
}

/// CPU time of one run, s.
pub fn once(mut work: impl FnMut()) -> f64 {
    timed(&mut work, 1).0
}

/// How times of many runs lie.
#[derive(Clone, Copy, Default)]
pub struct Spread {
    /// Half of them are faster, s.
    pub median: f64,
    /// One in ten is faster, s: what the machine does when it is left alone.
    pub p10: f64,
}

impl Spread {
    /// Of some times; zeros when there are none.
    pub fn of(mut times: Vec<f64>) -> Spread {
        times.sort_unstable_by(f64::total_cmp);
        let at = |part: usize| times.get(times.len() * part / 10).copied().unwrap_or_default();
        Spread { median: at(5), p10: at(1) }
    }

    /// Both for a table, ms.
    pub fn milliseconds(self) -> String {
        format!("{:.2} [{:.2}]", 1e3 * self.median, 1e3 * self.p10)
    }
}

/// CPU time of this thread so far, s.
#[cfg(unix)]
fn cpu_time() -> Option<f64> {
    counted(rustix::time::ClockId::ThreadCPUTime)
}

/// CPU time of all threads of this process so far, s.
#[cfg(unix)]
fn process_time() -> Option<f64> {
    counted(rustix::time::ClockId::ProcessCPUTime)
}

#[cfg(unix)]
fn counted(clock: rustix::time::ClockId) -> Option<f64> {
    let time = rustix::time::clock_gettime(clock);
    Some(time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64)
}

/// Not measured on other systems.
#[cfg(not(unix))]
fn cpu_time() -> Option<f64> {
    None
}

/// Not measured on other systems.
#[cfg(not(unix))]
fn process_time() -> Option<f64> {
    None
}
