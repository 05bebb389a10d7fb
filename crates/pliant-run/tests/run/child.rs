//! A run in a process of its own, which can be killed or starved.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use pliant_run::run::{IfExists, Progress, RunSettings, run};

use crate::scene::blocks;

/// Environment variable: where the child runs.
const FOLDER: &str = "PLIANT_TEST_CHILD_FOLDER";

/// Environment variable: steps between checkpoints of the child.
const EVERY: &str = "PLIANT_TEST_CHILD_CHECKPOINT_EVERY";

/// Environment variable: what the child does with an existing folder.
const EXISTING: &str = "PLIANT_TEST_CHILD_EXISTING";

/// Environment variable: two files, of which the child waits for the first before it begins,
/// and for the second after its first step.
const SIGNALS: &str = "PLIANT_TEST_CHILD_SIGNALS";

/// How long a child waits for a file at most.
const PATIENCE: Duration = Duration::from_secs(120);

/// How long the child sleeps after each step: long enough to be killed there.
const PAUSE: Duration = Duration::from_micros(300);

/// What a child prints after its error.
pub const ERROR: &str = "the run ended with: ";

/// Sleeps after each step; after the first until a file is there.
struct Slow(Option<PathBuf>);

impl Progress for Slow {
    fn step(&mut self, _done: u64) -> ControlFlow<()> {
        if let Some(file) = self.0.take() {
            wait_for(&file);
        }
        std::thread::sleep(PAUSE);
        ControlFlow::Continue(())
    }
}

/// This test is the child; on its own it does nothing.
#[test]
fn runs_when_told() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let existing = match std::env::var(EXISTING).as_deref() {
        Ok("refuse") => IfExists::Refuse,
        Ok("replace") => IfExists::Replace,
        _ => IfExists::Resume,
    };
    let signals: Vec<PathBuf> =
        std::env::var_os(SIGNALS).iter().flat_map(std::env::split_paths).collect();
    let settings = RunSettings { existing, ..RunSettings::default() };
    let mut built = blocks();
    if let Ok(every) = std::env::var(EVERY) {
        built.info.checkpoint_every = every.parse().unwrap();
    }
    if let Some(begin) = signals.first() {
        wait_for(begin);
    }
    let mut slow = Slow(signals.get(1).cloned());
    if let Err(error) = run(built, &PathBuf::from(folder), settings, &mut slow) {
        println!("{ERROR}{error}");
    }
}

fn wait_for(file: &Path) {
    let start = Instant::now();
    while !file.exists() && start.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// A command that begins once `begin` is there, and makes its second step once `go_on` is.
pub fn racing(folder: &Path, existing: &str, [begin, go_on]: [&Path; 2]) -> Command {
    let mut command = command(folder);
    let signals = std::env::join_paths([begin, go_on]).unwrap();
    command.env(EXISTING, existing).env(SIGNALS, signals);
    command
}

/// A command that resumes, or starts, a run in `folder`.
pub fn command(folder: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "child::runs_when_told", "--nocapture"]).env(FOLDER, folder);
    command
}

/// The same with a checkpoint after so many steps.
pub fn command_every(folder: &Path, every: u64) -> Command {
    let mut command = command(folder);
    command.env(EVERY, every.to_string());
    command
}

/// The same with no file longer than `blocks` times 512 or 1024 bytes, as the shell counts.
pub fn starved(folder: &Path, blocks: u32, every: u64) -> Output {
    let mut shell = Command::new("sh");
    // An ignored signal stays ignored: the write fails instead of ending the process.
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    shell.args(["-c", &script]);
    let plain = command(folder);
    shell.arg(plain.get_program()).args(plain.get_args()).env(FOLDER, folder);
    shell.env(EVERY, every.to_string());
    shell.output().unwrap()
}
