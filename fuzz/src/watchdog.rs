//! Ends the process when one input takes too long, and names that input.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How often the watchdog looks, ms.
const PAUSE: u64 = 100;

/// Stands for no input.
const IDLE: u64 = u64::MAX;

/// Exit code of a process that was ended.
pub const TOO_SLOW: i32 = 3;

/// Knows when the input in progress began.
#[derive(Clone, Debug)]
pub struct Watchdog {
    start: Instant,
    /// Since `start`, ms.
    began: Arc<AtomicU64>,
}

impl Watchdog {
    /// Starts a thread that ends the process after so long with one input, which is in `file`.
    pub fn new(limit: Duration, file: PathBuf) -> Watchdog {
        let watchdog = Watchdog { start: Instant::now(), began: Arc::new(AtomicU64::new(IDLE)) };
        let watched = watchdog.clone();
        thread::spawn(move || {
            while watched.spent() < limit {
                thread::sleep(Duration::from_millis(PAUSE));
            }
            eprintln!("fuzz: {} takes longer than {} s", file.display(), limit.as_secs());
            std::process::exit(TOO_SLOW);
        });
        watchdog
    }

    /// An input begins.
    pub fn begin(&self) {
        self.began.store(self.start.elapsed().as_millis() as u64, Ordering::Relaxed);
    }

    /// No input is in progress.
    pub fn end(&self) {
        self.began.store(IDLE, Ordering::Relaxed);
    }

    /// Time with the input in progress.
    fn spent(&self) -> Duration {
        let began = self.began.load(Ordering::Relaxed);
        self.start.elapsed().saturating_sub(Duration::from_millis(began))
    }
}
