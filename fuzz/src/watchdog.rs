//! Ends the process when one input takes too long, and names that input.
//!
//! Time of the processor counts, as the machine may be busy with other work; an input that waits
//! for something is ended by the wall clock, later.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How often the watchdog looks, ms.
const PAUSE: u64 = 100;

/// Stands for no input.
const IDLE: u64 = u64::MAX;

/// Time on the wall clock over the limit at which an input is ended that takes no processor time.
const PATIENCE: u32 = 12;

/// Exit code of a process that was ended.
pub const TOO_SLOW: i32 = 3;

/// Knows when the input in progress began.
#[derive(Clone, Debug)]
pub struct Watchdog {
    start: Instant,
    /// Since `start`, ms.
    began: Arc<AtomicU64>,
    /// Processor time of the process then, ms.
    processor: Arc<AtomicU64>,
}

impl Watchdog {
    /// Starts a thread that ends the process after so long with one input, which is in `file`.
    pub fn new(limit: Duration, file: PathBuf) -> Watchdog {
        let (began, processor) = (Arc::new(AtomicU64::new(IDLE)), Arc::default());
        let watchdog = Watchdog { start: Instant::now(), began, processor };
        let watched = watchdog.clone();
        thread::spawn(move || {
            while !watched.is_over(limit) {
                thread::sleep(Duration::from_millis(PAUSE));
            }
            eprintln!("fuzz: {} takes longer than {} s", file.display(), limit.as_secs());
            std::process::exit(TOO_SLOW);
        });
        watchdog
    }

    /// An input begins.
    pub fn begin(&self) {
        self.processor.store(processor_ms(), Ordering::Relaxed);
        self.began.store(self.start.elapsed().as_millis() as u64, Ordering::Release);
    }

    /// No input is in progress.
    pub fn end(&self) {
        self.began.store(IDLE, Ordering::Release);
    }

    fn is_over(&self, limit: Duration) -> bool {
        let began = self.began.load(Ordering::Acquire);
        let waited = self.start.elapsed().saturating_sub(Duration::from_millis(began));
        let worked = processor_ms().saturating_sub(self.processor.load(Ordering::Relaxed));
        let is_busy = began != IDLE && Duration::from_millis(worked) >= limit;
        waited >= limit && is_busy || waited >= PATIENCE * limit
    }
}

/// Processor time of this process so far, ms.
#[cfg(unix)]
fn processor_ms() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec.unsigned_abs() * 1000 + time.tv_nsec.unsigned_abs() / 1_000_000
}

/// Elsewhere the wall clock alone counts: all of it is taken for work.
#[cfg(not(unix))]
fn processor_ms() -> u64 {
    use std::sync::LazyLock;
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed().as_millis() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_counts_and_waiting_counts_later() {
        let (began, processor) = (Arc::new(AtomicU64::new(IDLE)), Arc::default());
        let watchdog = Watchdog { start: Instant::now(), began, processor };
        let limit = Duration::from_millis(20);
        thread::sleep(PATIENCE * limit);
        assert!(!watchdog.is_over(limit), "no input is in progress");
        watchdog.begin();
        let start = processor_ms();
        while processor_ms() < start + 25 {
            std::hint::black_box(blake3::hash(&[0; 1000]));
        }
        assert!(watchdog.is_over(limit));
        assert!(!watchdog.is_over(100 * limit));
        watchdog.end();
        assert!(!watchdog.is_over(limit));
        watchdog.begin();
        thread::sleep(PATIENCE * limit);
        assert!(watchdog.is_over(limit));
    }
}
