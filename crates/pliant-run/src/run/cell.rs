//! Cells of CSV tables: numbers that read back to the same f64, and quoted names.

use std::borrow::Cow;
use std::fmt::Write;

/// Integers below this are exact as f64, and are written without a point.
const WHOLE_BELOW: f64 = 9e15;

/// Appends a number.
pub(crate) fn number_cell(value: f64, text: &mut String) {
    let is_whole = value.fract() == 0.0 && value.abs() < WHOLE_BELOW;
    // Writing to a text cannot fail.
    let _ = match is_whole {
        true => write!(text, "{value:.0}"),
        false => write!(text, "{value:?}"),
    };
}

/// A name as one cell: quoted where it has commas, quotes or line ends.
pub(crate) fn name_cell(name: &str) -> Cow<'_, str> {
    if name.contains([',', '"', '\n', '\r']) {
        return Cow::Owned(format!("\"{}\"", name.replace('"', "\"\"")));
    }
    Cow::Borrowed(name)
}

/// The cells of a line, unquoted; a quote that does not end reaches to the end.
#[cfg(test)]
pub(crate) fn cells(line: &str) -> Vec<String> {
    let (mut all, mut cell, mut quoted) = (Vec::new(), String::new(), false);
    let mut left = line.chars().peekable();
    while let Some(char) = left.next() {
        match char {
            '"' if quoted && left.next_if_eq(&'"').is_some() => cell.push('"'),
            '"' => quoted = !quoted,
            ',' if !quoted => all.push(std::mem::take(&mut cell)),
            char => cell.push(char),
        }
    }
    all.push(cell);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_reads_back_whatever_is_in_it() {
        for name in ["plain", "a, b", "the \"best\"", "", "\"", "two\nlines", ",\","] {
            let line = format!("1,{},2", name_cell(name));
            assert_eq!(cells(&line), ["1", name, "2"]);
        }
        for value in [0.1, -0.0, 1e300, 5e-324, 9.1e15, -7.0, f64::INFINITY] {
            let mut text = String::new();
            number_cell(value, &mut text);
            assert_eq!(text.parse::<f64>().unwrap().to_bits(), value.to_bits(), "{text}");
        }
    }
}
