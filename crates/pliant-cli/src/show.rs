//! Printing: colours on terminals that show them, and no panic on a closed pipe.

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use anstyle::{AnsiColor, Style};
use pliant_io::atomic_file::io_message;
use pliant_io::printable::{is_hidden, printable, printable_json};
use serde::Serialize;

/// Whether only errors and answers are printed.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Headings and file names.
pub const HEADING: Style = Style::new().bold();
/// Errors.
pub const ERROR: Style = AnsiColor::Red.on_default().bold();
/// Warnings.
pub const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// Success.
pub const GOOD: Style = AnsiColor::Green.on_default().bold();
/// Secondary text.
pub const DIM: Style = Style::new().dimmed();

/// Why printing ended, as an exit code.
pub struct EarlyExit(pub ExitCode);

/// From now on remarks, notes and progress are left out: `--quiet`.
pub fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Whether `--quiet` was given.
pub fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Prints what a command did, on stdout; nothing when quiet.
pub fn remark(text: &str) -> Result<(), EarlyExit> {
    if is_quiet() { Ok(()) } else { print(text) }
}

/// Prints an answer as one JSON object on one line.
pub fn print_json(answer: &impl Serialize) -> Result<(), EarlyExit> {
    match serde_json::to_string(answer) {
        Ok(json) => print(&(printable_json(&json).into_owned() + "\n")),
        Err(error) => Err(EarlyExit(usage_error(&error.to_string()))),
    }
}

/// Prints to stdout; colours are dropped unless it is a terminal that shows them.
///
/// A closed pipe, as with `head`, ends the program quietly; a full disk is an error.
pub fn print(text: &str) -> Result<(), EarlyExit> {
    let mut out = anstream::stdout();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            Err(EarlyExit(ExitCode::SUCCESS))
        }
        Err(error) => {
            self::error(&format!("cannot write the output: {}", io_message(&error)));
            Err(EarlyExit(ExitCode::from(crate::FAILED)))
        }
    }
}

/// A name as one line shows it, see [`printable`].
pub fn plain(name: &str) -> String {
    printable(name).into_owned()
}

/// An error, one line on stderr, prefixed with the program's name.
pub fn error(message: &str) {
    // Nothing can be reported if stderr is closed as well.
    let _ = writeln!(anstream::stderr(), "{ERROR}pliant:{ERROR:#} {}", plain(message));
}

/// A note, one line on stderr; nothing when quiet.
pub fn note(message: &str) {
    if is_quiet() {
        return;
    }
    let _ = writeln!(anstream::stderr(), "pliant: {}", plain(message));
}

/// A warning, one line on stderr.
pub fn warning(message: &str) {
    let _ = writeln!(anstream::stderr(), "{WARNING}warning:{WARNING:#} {}", plain(message));
}

/// One line on stderr, and the exit code for bad input.
pub fn usage_error(message: &str) -> ExitCode {
    error(message);
    ExitCode::from(crate::BAD_INPUT)
}

/// What clap says of the arguments, which may be names of files that a shell found.
pub fn bad_arguments(error: &clap::Error) -> ExitCode {
    let text = error.to_string();
    if text.contains(|letter: char| is_hidden(letter) && letter != '\n') {
        let lines: Vec<String> = text.lines().map(plain).collect();
        let _ = writeln!(anstream::stderr(), "{}", lines.join("\n"));
    } else {
        // With its colours; nothing can be reported if stderr is closed.
        let _ = error.print();
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(crate::BAD_INPUT))
}

/// An error of several lines on stderr, as for a scene file.
pub fn error_lines(message: &str) {
    let lines: Vec<String> = message.lines().map(plain).collect();
    // Nothing can be reported if stderr is closed as well.
    let _ = writeln!(anstream::stderr(), "{ERROR}pliant:{ERROR:#} {}", lines.join("\n"));
}

/// A count with its noun in the right number: `1 tet`, `2 tets`, `3 vertices`.
pub fn counted(count: usize, one: &str, many: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
}
