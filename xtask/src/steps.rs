//! Steps one after the other, each with a heading and its time.

use std::io::{self, IsTerminal};
use std::process::Command;
use std::time::{Duration, Instant};

/// Exit code when a step did not pass.
const FAILED: u8 = 1;

/// Exit code when the arguments are wrong or the machine lacks something.
const MISSING: u8 = 2;

/// One part of a task.
pub struct Step {
    /// A word or two for the heading.
    pub name: &'static str,
    /// What it does; the first failure ends the task.
    pub work: fn() -> Result<(), Failure>,
}

/// Why a task ended early.
#[derive(Debug, PartialEq, Eq)]
pub struct Failure {
    /// One line that says what to look at.
    pub message: String,
    /// Exit code of the whole.
    pub code: u8,
}

impl Failure {
    /// A check that did not pass.
    pub fn step(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: FAILED }
    }

    /// Something to put right on this machine or in the command line.
    pub fn machine(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: MISSING }
    }
}

/// Runs `steps` in order and stops at the first that fails.
pub fn run(steps: &[Step]) -> Result<(), Failure> {
    let start = Instant::now();
    for (index, step) in steps.iter().enumerate() {
        heading(&format!("{} of {}: {}", index + 1, steps.len(), step.name));
        let begun = Instant::now();
        (step.work)().map_err(|failure| Failure {
            message: format!("stopped at {}: {}", step.name, failure.message),
            code: failure.code,
        })?;
        eprintln!("   {} took {}", step.name, spoken(begun.elapsed()));
    }
    heading(&format!("all {} steps passed in {}", steps.len(), spoken(start.elapsed())));
    Ok(())
}

/// Runs one program with its output left visible.
///
/// The failure names the command as it can be typed, and carries exit code 1.
pub fn execute(command: &mut Command) -> Result<(), Failure> {
    match execute_for_code(command)? {
        0 => Ok(()),
        code => Err(Failure::step(format!("`{}` ended with code {code}", typed(command)))),
    }
}

/// Runs one program with its output left visible and returns its exit code.
///
/// A program ended by a signal counts as code 1.
pub fn execute_for_code(command: &mut Command) -> Result<u8, Failure> {
    let status = command
        .status()
        .map_err(|error| Failure::machine(format!("cannot start `{}`: {error}", typed(command))))?;
    Ok(status.code().map_or(FAILED, |code| u8::try_from(code).unwrap_or(FAILED)))
}

/// A line that stands out, in bold on a terminal.
fn heading(text: &str) {
    if io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none() {
        eprintln!("\x1b[1m== {text}\x1b[0m");
    } else {
        eprintln!("== {text}");
    }
}

/// The command as one would type it: no full path, no quotes.
fn typed(command: &Command) -> String {
    let program = std::path::Path::new(command.get_program());
    let name = program.file_name().unwrap_or(command.get_program());
    let words = std::iter::once(name).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// A duration for people: tenths of a second, and minutes from one minute on.
fn spoken(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 60.0 {
        format!("{seconds:.1} s")
    } else {
        format!("{} min {:02} s", time.as_secs() / 60, time.as_secs() % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Stdio;

    #[test]
    fn the_first_failure_ends_the_chore_and_keeps_its_code() {
        let good = Step { name: "good", work: || Ok(()) };
        let bad = Step { name: "bad", work: || Err(Failure::machine("no oil")) };
        let never = Step { name: "never", work: || panic!("ran after a failure") };
        let failure = run(&[good, bad, never]).unwrap_err();
        assert_eq!(failure, Failure::machine("stopped at bad: no oil"));
    }

    #[test]
    fn a_program_that_fails_is_named_as_typed() {
        let mut command = Command::new("cargo");
        let failure = execute(command.arg("no-such-command").stderr(Stdio::null()));
        let message = failure.unwrap_err().message;
        assert_eq!(message, "`cargo no-such-command` ended with code 101");
    }

    #[test]
    fn a_program_that_is_not_there_is_a_matter_of_the_machine() {
        let failure = execute(&mut Command::new("no-such-program-at-all")).unwrap_err();
        assert_eq!(failure.code, MISSING);
    }

    #[test]
    fn times_are_read_at_a_glance() {
        assert_eq!(spoken(Duration::from_millis(1240)), "1.2 s");
        assert_eq!(spoken(Duration::from_secs(187)), "3 min 07 s");
    }
}
