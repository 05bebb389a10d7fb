//! Progress of long calls, and Ctrl-C between steps.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use pliant_run::run::Progress;
use pyo3::prelude::*;

/// Time between two looks at the interpreter: short for people, long for steps.
pub const PAUSE: Duration = Duration::from_millis(100);

/// Calls `callback(done, steps)` now and then, and ends the run where it or a signal raises.
pub struct Watched {
    callback: Option<Py<PyAny>>,
    name: String,
    steps: u64,
    last: Instant,
    /// What was raised.
    raised: Option<PyErr>,
}

impl Watched {
    /// Of a run that has not begun.
    pub fn new(callback: Option<Py<PyAny>>) -> Watched {
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
                callback.call1(py, (done, self.steps, &self.name))?;
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
