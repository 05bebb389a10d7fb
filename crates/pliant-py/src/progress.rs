//! Progress of long calls, and Ctrl-C between steps or while one long step runs.

use std::ops::ControlFlow;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use pliant_run::run::Progress;
use pyo3::prelude::*;

use crate::arguments::Callback;
use crate::error;

/// Time between two looks at the interpreter: short for people, long for steps.
pub const PAUSE: Duration = Duration::from_millis(100);

/// Looks for Ctrl-C now and then.
pub struct Signals {
    last: Instant,
    raised: Option<PyErr>,
}

impl Default for Signals {
    fn default() -> Signals {
        Signals { last: Instant::now(), raised: None }
    }
}

impl Signals {
    /// Whether to go on; called without the interpreter lock.
    pub fn look(&mut self) -> ControlFlow<()> {
        if self.raised.is_none() && self.last.elapsed() < PAUSE {
            return ControlFlow::Continue(());
        }
        self.last = Instant::now();
        if self.raised.is_none() {
            self.raised = Python::attach(|py| py.check_signals()).err();
        }
        if self.raised.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// What was raised meanwhile, if anything.
    pub fn raised(self) -> PyResult<()> {
        self.raised.map_or(Ok(()), Err)
    }
}

/// Works in a thread of its own, without the interpreter lock, and returns at Ctrl-C.
///
/// The thread cannot be ended: after Ctrl-C it runs to its end in the background, and what it
/// finds is dropped.
pub fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (done, mut result) = mpsc::sync_channel(1);
    // Whoever waits for the result may be gone.
    let spawned = thread::Builder::new().spawn(move || drop(done.send(work())));
    spawned.map_err(|why| error::run(format!("a thread could not be started: {why}")))?;
    loop {
        let result = &mut result;
        match py.detach(move || result.recv_timeout(PAUSE)) {
            Ok(found) => return Ok(found),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(error::run("the thread of this call has failed"));
            }
        }
    }
}

/// Calls `callback(done, steps)` now and then, and ends the run where it or a signal raises.
pub struct Watched {
    callback: Option<Callback>,
    name: String,
    steps: u64,
    last: Instant,
    /// What was raised.
    raised: Option<PyErr>,
}

impl Watched {
    /// Of a run that has not begun.
    pub fn new(callback: Option<Callback>) -> Watched {
        Watched { callback, name: String::new(), steps: 0, last: Instant::now(), raised: None }
    }

    /// What was raised meanwhile, if anything.
    pub fn raised(self) -> PyResult<()> {
        self.raised.map_or(Ok(()), Err)
    }

    fn look(&mut self, done: u64) -> ControlFlow<()> {
        self.last = Instant::now();
        let looked = Python::attach(|py| {
            if let Some(callback) = &self.callback {
                callback.0.call1(py, (done, self.steps, &self.name))?;
            }
            py.check_signals()
        });
        match looked {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.raised = Some(error);
                ControlFlow::Break(())
            }
        }
    }
}

impl Progress for Watched {
    fn next_run(&mut self, name: &str) {
        self.name = name.to_owned();
    }

    fn begin(&mut self, done: u64, steps: u64) {
        self.steps = steps;
        let _ = self.look(done);
    }

    fn step(&mut self, done: u64) -> ControlFlow<()> {
        if self.raised.is_some() {
            return ControlFlow::Break(());
        }
        match self.last.elapsed() < PAUSE && done < self.steps {
            true => ControlFlow::Continue(()),
            false => self.look(done),
        }
    }
}
