//! Printing: colours where they are wanted, and no panic when nobody reads on.

use std::io::{self, Write};
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use pliant_io::atomic_file::io_message;

/// Headings and file names.
pub const HEADING: Style = Style::new().bold();
/// Errors.
pub const ERROR: Style = AnsiColor::Red.on_default().bold();
/// Warnings.
pub const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// Good news.
pub const GOOD: Style = AnsiColor::Green.on_default().bold();
/// What matters less.
pub const DIM: Style = Style::new().dimmed();

/// Why printing ended, as an exit code.
pub struct EarlyExit(pub ExitCode);

/// Prints to stdout; colours are dropped unless it is a terminal that shows them.
///
/// A reader that went away, as `head` does, ends the program quietly; a full disk does not.
pub fn print(text: &str) -> Result<(), EarlyExit> {
    let mut out = anstream::stdout();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            Err(EarlyExit(ExitCode::SUCCESS))
        }
        Err(error) => {
            self::error(&format!("cannot write the answer: {}", io_message(&error)));
            Err(EarlyExit(ExitCode::from(crate::FAILED)))
        }
    }
}

/// A name as one line shows it: control characters as dots.
pub fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { '·' } else { c }).collect()
}

/// One line on stderr, in the name of the program.
pub fn error(message: &str) {
    // Nobody is left to tell if stderr is gone as well.
    let _ = writeln!(anstream::stderr(), "{ERROR}pliant:{ERROR:#} {}", plain(message));
}

/// One line on stderr that is no complaint.
pub fn note(message: &str) {
    let _ = writeln!(anstream::stderr(), "pliant: {}", plain(message));
}

/// One line on stderr, and the exit code for bad input.
pub fn usage_error(message: &str) -> ExitCode {
    error(message);
    ExitCode::from(crate::BAD_INPUT)
}

/// Several lines on stderr, as a fault in a scene has.
pub fn error_lines(message: &str) {
    let lines: Vec<String> = message.lines().map(plain).collect();
    // Nobody is left to tell if stderr is gone as well.
    let _ = writeln!(anstream::stderr(), "{ERROR}pliant:{ERROR:#} {}", lines.join("\n"));
}

/// A count with its noun in the right number: `1 tet`, `2 tets`, `3 vertices`.
pub fn counted(count: usize, one: &str, many: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
}
