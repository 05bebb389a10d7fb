//! Numbers as SVG writes them: lengths, lists of points, and where their faults are.

use pliant::math::Vec2;
use svgtypes::{Error, Number, NumberListParser};

/// Absolute units of lengths, in px.
const UNITS: [(&str, f64); 6] = [
    ("px", 1.0),
    ("pt", 96.0 / 72.0),
    ("pc", 16.0),
    ("in", 96.0),
    ("cm", 96.0 / 2.54),
    ("mm", 96.0 / 25.4),
];

/// A text with its commas as spaces; every byte keeps its place.
///
/// Both separate numbers. The grammar allows one comma between two numbers, but files have
/// more and others, and the parsers miss one that follows a flag and a space.
pub fn separated(text: &str) -> String {
    text.replace(',', " ")
}

/// The byte of a text at which a parser stopped, from zero.
///
/// Parsers count characters from one, but what they read before a fault is ASCII.
pub fn place(text: &str, error: &Error) -> usize {
    match *error {
        Error::UnexpectedData(at)
        | Error::InvalidNumber(at)
        | Error::InvalidChar(_, at)
        | Error::InvalidString(_, at) => at.saturating_sub(1),
        Error::UnexpectedEndOfStream | Error::InvalidValue | Error::InvalidIdent => text.len(),
    }
}

/// The points of a polygon or polyline.
pub fn points(text: &str) -> Result<Vec<Vec2>, String> {
    let fault = |at: usize| format!("byte {at} should begin a number");
    let spaced = separated(text);
    let numbers: Result<Vec<f64>, Error> = NumberListParser::from(spaced.trim_end()).collect();
    let numbers = numbers.map_err(|error| fault(place(text, &error)))?;
    let (pairs, []) = numbers.as_chunks() else { return Err(fault(text.len())) };
    Ok(pairs.iter().map(|&pair| Vec2::from(pair)).collect())
}

/// A length with its unit, in px.
pub fn length(text: &str) -> Result<f64, String> {
    let trimmed = text.trim();
    let with = |&(unit, scale): &(&str, f64)| Some((trimmed.strip_suffix(unit)?, scale));
    let (digits, scale) = UNITS.iter().find_map(with).unwrap_or((trimmed, 1.0));
    match digits.parse() {
        Ok(Number(number)) => Ok(scale * number),
        Err(Error::UnexpectedData(_)) => {
            Err(format!("“{text}” has a unit that is not read; write px"))
        }
        Err(_) => Err(format!("“{text}” is no length")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_px_whatever_absolute_unit_they_have() {
        for (text, expected) in [
            ("3", 3.0),
            (" 3px ", 3.0),
            ("1in", 96.0),
            ("72pt", 96.0),
            ("25.4mm", 96.0),
            ("-1e1", -10.0),
        ] {
            assert!((length(text).unwrap() - expected).abs() < 1e-12, "{text}");
        }
        for text in ["", "px", "3em", "50%", "1e999", "3 4"] {
            assert!(length(text).is_err(), "{text}");
        }
    }

    #[test]
    fn points_are_pairs_with_any_commas_and_faults_have_their_byte() {
        let expected = vec![Vec2::new(0.0, 1.0), Vec2::new(-2.5, 3.0)];
        for text in ["0 1-2.5 3", " 0,1 ,-2.5,,3, "] {
            assert_eq!(points(text).as_ref(), Ok(&expected), "{text}");
        }
        assert_eq!(points(" , "), Ok(vec![]));
        for (text, at) in [("0 1 2", 5), ("0,1,2, ", 7), ("0 é", 2), ("0 1 1e999 2", 4)] {
            assert_eq!(points(text), Err(format!("byte {at} should begin a number")), "{text}");
        }
    }
}
