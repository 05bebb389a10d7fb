//! Numerals of hundreds of digits in messages, shortened to powers of ten.
//!
//! The plain form of an f64 writes every zero of 1e300. Messages come from many places; where
//! they are shown, what is too long to read is shortened.

use std::borrow::Cow;

/// Letters of the longest numeral that is left as it is: an f64 of everyday size and a
/// integer of 64 bits have fewer.
const LONGEST: usize = 24;

/// The text with every longer run of digits written as `1e300`; it reads back to the same f64.
///
/// Digits in names of files and the like stay, and those beyond what an f64 can hold.
pub fn shortened(text: &str) -> Cow<'_, str> {
    let is_digit = |c: char| c.is_ascii_digit() || c == '.';
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_' || c == '/';
    let mut short = String::new();
    let (mut rest, mut done) = (text, 0);
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let from = &rest[start..];
        let length = from.find(|c| !is_digit(c)).unwrap_or(from.len());
        let numeral = from[..length].trim_end_matches('.');
        let at = text.len() - from.len();
        let in_name = text[..at].ends_with(is_of_name) || from[length..].starts_with(is_of_name);
        if numeral.len() > LONGEST
            && !in_name
            && let Ok(value) = numeral.parse::<f64>()
            && value.is_finite()
        {
            short += &text[done..at];
            short += &format!("{value:e}");
            done = at + numeral.len();
        }
        rest = &from[length..];
    }
    if done == 0 { Cow::Borrowed(text) } else { Cow::Owned(short + &text[done..]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_nobody_can_read_is_shortened() {
        for text in ["", "0.016666666666666666 s", "18446744073709551615 tets", "v1.2.3.", "a-b"] {
            assert_eq!(shortened(text), text);
        }
        for (before, after) in [("frame_", ".vtk"), ("x", ""), ("runs/", "/a"), ("", "m")] {
            let named = format!("{before}0000000000000000000000000001{after}");
            assert_eq!(shortened(&named), named);
        }
        assert_eq!(shortened(&"9".repeat(400)), "9".repeat(400));
        let (large, small) = (1e300, 1e-300);
        let told = format!("{large} s in steps of {small} s, -{large}: at {large}.");
        assert_eq!(shortened(&told), "1e300 s in steps of 1e-300 s, -1e300: at 1e300.");
        assert_eq!(shortened(&format!("µ {}", f64::MAX)), "µ 1.7976931348623157e308");
    }
}
