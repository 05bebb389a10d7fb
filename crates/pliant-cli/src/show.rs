//! Printing: colours where they are wanted, and no panic when nobody reads on.

use std::io::Write;
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};

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

/// Prints to stdout; colours are dropped unless it is a terminal that shows them.
///
/// A reader that went away, as `head` does, is no error.
pub fn print(text: &str) {
    let _ = write!(anstream::stdout(), "{text}");
}

/// One line on stderr, in the name of the program.
pub fn complain(message: &str) {
    // Paths may hold anything; a line is a line.
    let line: String = message.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let _ = writeln!(anstream::stderr(), "{ERROR}pliant:{ERROR:#} {line}");
}

/// One line on stderr, and the exit code for bad input.
pub fn refuse(message: &str) -> ExitCode {
    complain(message);
    ExitCode::from(crate::BAD_INPUT)
}

/// A count with its noun in the right number: `1 tet`, `2 tets`, `3 vertices`.
pub fn counted(count: usize, one: &str, many: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
}
