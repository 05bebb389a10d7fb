//! The table of all targets at the end.

use std::fmt::Write;

use crate::campaign::Tally;

/// The first lines.
pub const HEADING: &str = "\
| target | inputs | per s | accepted | longest, ms | peak, MiB | failures |
|---|---|---|---|---|---|---|
";

/// The line of a target.
pub fn row(name: &str, found: &Tally) -> String {
    let Tally { inputs, accepted, seconds, longest, peak, failures } = found;
    let rate = *inputs as f64 / seconds.max(f64::MIN_POSITIVE);
    let share = 100.0 * *accepted as f64 / (*inputs).max(1) as f64;
    let (longest, peak, count) = (1e3 * longest, *peak as f64 / (1 << 20) as f64, failures.len());
    format!(
        "| {name} | {inputs} | {rate:.0} | {share:.1} % | {longest:.1} | {peak:.1} | {count} |\n"
    )
}

/// The line of a target whose process was ended.
pub fn ended_row(name: &str, reason: &str) -> String {
    format!("| {name} | | | | | | {reason} |\n")
}

/// What failed, and how to see it again.
pub fn failures(name: &str, found: &Tally) -> String {
    let mut text = String::new();
    for (failure, file) in &found.failures {
        let shown: String = failure.message.chars().take(600).collect();
        // Writing to a text cannot fail.
        let _ = writeln!(text, "{name}: {}\n  {shown:?}", failure.kind);
        let _ = writeln!(text, "  cargo xtask fuzz {name} --input {}", file.display());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_as_many_columns_as_the_heading() {
        let columns = |line: &str| line.matches('|').count();
        let expected = HEADING.lines().next().map(columns);
        assert_eq!(Some(columns(&row("a", &Tally::default()))), expected);
        assert_eq!(Some(columns(&ended_row("a", "b"))), expected);
    }
}
