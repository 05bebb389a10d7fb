//! Progress bar and Ctrl-C handling, shared by `pliant run`, `resume` and `compare`.

use std::fmt::Write;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use pliant_run::run::Progress;

use crate::show::{counted, is_quiet, plain};

/// Exit code of a run that was interrupted and can be resumed.
pub const INTERRUPTED: u8 = 130;

/// Times per second that the bar is drawn, at most.
const REDRAWS: u8 = 10;

/// What the bar looks like; all but `rate` are indicatif's own.
const BAR: &str = "{msg} {wide_bar} {pos}/{len} steps, {rate} per second, {eta} left";

/// A bar on the terminal, none when piped; also handles Ctrl-C.
pub struct Bar {
    bar: ProgressBar,
    stop: Arc<AtomicBool>,
    has_begun: bool,
}

impl Bar {
    /// A bar with a name, or a one-line error if Ctrl-C cannot be handled.
    pub fn new(name: &str) -> Result<Bar, String> {
        let stop = listen().map_err(|error| format!("cannot watch for Ctrl-C: {error}"))?;
        Ok(Bar { bar: drawn(name), stop, has_begun: false })
    }

    /// Whether a run has started; resuming a finished run starts none.
    pub fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Removes the bar.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Progress for Bar {
    fn next_run(&mut self, name: &str) {
        self.clear();
        self.bar = drawn(name);
    }

    fn begin(&mut self, done: u64, steps: u64) {
        self.has_begun = true;
        self.bar.set_length(steps);
        if let Ok(style) = ProgressStyle::with_template(BAR) {
            let rate = |state: &ProgressState, text: &mut dyn Write| {
                let _ = write!(text, "{:.0}", state.per_sec());
            };
            self.bar.set_style(style.with_key("rate", rate));
        }
        self.bar.set_position(done);
        // Steps of an earlier run took no time of this one.
        self.bar.reset_eta();
    }

    fn step(&mut self, done: u64) -> ControlFlow<()> {
        self.bar.set_position(done);
        if self.stop.load(Ordering::Relaxed) {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

/// What the bar of an export looks like.
const FRAMES: &str = "{msg} {wide_bar} {pos}/{len} frames, {eta} left";

/// What the bar of a sweep looks like.
const RUNS: &str = "{msg} {wide_bar} {pos}/{len} runs, {eta} left";

/// A bar for frames that are written; also handles Ctrl-C.
pub struct FrameBar {
    bar: ProgressBar,
    stop: Arc<AtomicBool>,
}

impl FrameBar {
    /// A bar with a name, or a one-line error if Ctrl-C cannot be handled.
    pub fn new(name: &str) -> Result<FrameBar, String> {
        FrameBar::with_template(name, FRAMES)
    }

    /// The same for runs.
    pub fn for_runs(name: &str) -> Result<FrameBar, String> {
        FrameBar::with_template(name, RUNS)
    }

    fn with_template(name: &str, template: &str) -> Result<FrameBar, String> {
        let stop = listen().map_err(|error| format!("cannot watch for Ctrl-C: {error}"))?;
        let bar = drawn(name);
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Ok(FrameBar { bar, stop })
    }

    /// Shows how far it is; breaks after Ctrl-C.
    pub fn frame(&self, done: usize, all: usize) -> ControlFlow<()> {
        self.bar.set_length(all as u64);
        self.bar.set_position(done as u64);
        match self.stop.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    /// Removes the bar.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

/// What the line of a separation looks like.
const SEARCH: &str = "{msg}: iteration {pos}, {prefix} left";

/// A line for iterations of which the number is not known; also handles Ctrl-C.
pub struct SearchBar {
    bar: ProgressBar,
    stop: Arc<AtomicBool>,
}

impl SearchBar {
    /// A line with a name, or a one-line error if Ctrl-C cannot be handled.
    pub fn new(name: &str) -> Result<SearchBar, String> {
        let stop = listen().map_err(|error| format!("cannot watch for Ctrl-C: {error}"))?;
        let bar = drawn(name);
        if let Ok(style) = ProgressStyle::with_template(SEARCH) {
            bar.set_style(style);
        }
        Ok(SearchBar { bar, stop })
    }

    /// Shows the iteration and how many pairs are left; breaks after Ctrl-C.
    pub fn step(&self, iteration: usize, pairs: usize) -> ControlFlow<()> {
        self.bar.set_prefix(counted(pairs, "pair", "pairs"));
        self.bar.set_position(iteration as u64);
        match self.stop.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    /// Removes the line.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

/// A bar of which only the name is known yet.
fn drawn(name: &str) -> ProgressBar {
    let target = match is_quiet() {
        true => ProgressDrawTarget::hidden(),
        false => ProgressDrawTarget::stderr_with_hz(REDRAWS),
    };
    let bar = ProgressBar::with_draw_target(None, target);
    bar.set_message(plain(name));
    bar
}

/// A flag that Ctrl-C sets; the second time the program ends at once.
#[cfg(unix)]
fn listen() -> std::io::Result<Arc<AtomicBool>> {
    use signal_hook::consts::{SIGINT, SIGTERM, SIGXFSZ};
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        let code = INTERRUPTED.into();
        signal_hook::flag::register_conditional_shutdown(signal, code, stop.clone())?;
        signal_hook::flag::register(signal, stop.clone())?;
    }
    // A file that may not grow is an error like a full disk, and not the end of the program.
    signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
    Ok(stop)
}

/// Elsewhere only Ctrl-C is handled.
#[cfg(not(unix))]
fn listen() -> std::io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(signal_hook::consts::SIGINT, stop.clone())?;
    Ok(stop)
}
