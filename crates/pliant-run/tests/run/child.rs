//! A run in a process of its own, which can be killed or starved.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use pliant_run::run::{IfExists, Progress, RunSettings, run};

use crate::scene::blocks;

/// Environment variable: where the child runs.
const FOLDER: &str = "PLIANT_TEST_CHILD_FOLDER";

/// Environment variable: steps between checkpoints of the child.
const EVERY: &str = "PLIANT_TEST_CHILD_CHECKPOINT_EVERY";

/// How long the child sleeps after each step: long enough to be killed there.
const PAUSE: Duration = Duration::from_micros(300);

/// What a child prints after its error.
pub const ERROR: &str = "the run ended with: ";

struct Slow;

impl Progress for Slow {
    fn step(&mut self, _done: u64) -> ControlFlow<()> {
        std::thread::sleep(PAUSE);
        ControlFlow::Continue(())
    }
}

/// This test is the child; on its own it does nothing.
#[test]
fn runs_when_told() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let settings = RunSettings { existing: IfExists::Resume, ..RunSettings::default() };
    let mut built = blocks();
    if let Ok(every) = std::env::var(EVERY) {
        built.info.checkpoint_every = every.parse().unwrap();
    }
    if let Err(error) = run(built, &PathBuf::from(folder), settings, &mut Slow) {
        println!("{ERROR}{error}");
    }
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
