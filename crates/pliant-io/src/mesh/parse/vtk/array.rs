//! Arrays of a VTK file, whatever their type and however they are stored.
//!
//! Text is parsed once; bytes stay as they are and are read where they are wanted,
//! so that an array takes no more memory than its file.

use std::borrow::Cow;

use crate::mesh::parse::binary::Endian;
use crate::mesh::parse::scalar::{Scalar, to_whole};
use crate::mesh::parse::text::{Text, line_of, to_f64, to_i64};
use crate::mesh::parse::{Fault, ParseError, Parsed, Place};
use pliant::math::Vec3;

/// Fewest bytes that one number takes in a text: a digit and a space.
pub(crate) const BYTES_PER_WORD: u64 = 2;

/// What the words of a text are to be read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// Indices, counts and types.
    Whole,
    /// Coordinates and values.
    Real,
}

/// The numbers themselves.
#[derive(Clone, Debug)]
enum Values<'a> {
    /// Parsed from text.
    Whole(Vec<i64>),
    /// Parsed from text.
    Real(Vec<f64>),
    /// As the file or its unpacking gives them.
    Raw { bytes: Cow<'a, [u8]>, count: usize, kind: Scalar, endian: Endian },
}

/// Where the numbers stood, to name the place of an error.
#[derive(Clone, Debug)]
enum Origin<'a> {
    /// Words of `text` from byte `start` on; `before` stands in the file before the text.
    Words { before: &'a [u8], text: &'a [u8], start: usize },
    /// Bytes of the file from `start` on.
    Bytes { start: usize, kind: Scalar },
    /// A part whose bytes do not stand in the file as they are.
    Part(String),
}

/// The numbers of one array.
#[derive(Clone, Debug)]
pub(crate) struct Array<'a> {
    /// In the order of the file.
    values: Values<'a>,
    /// Where they stood in it.
    origin: Origin<'a>,
}

impl<'a> Array<'a> {
    /// Reads the next `count` words of a text; `wanted` names one of them in an error.
    ///
    /// Reserves memory for all of them: the caller has compared with the text's length.
    pub(crate) fn from_words(
        text: &mut Text<'a>,
        file: &'a [u8],
        count: usize,
        reading: Reading,
        wanted: &str,
    ) -> Parsed<Array<'a>> {
        let origin = Origin::Words { before: &[], text: file, start: text.offset() };
        let values = match reading {
            Reading::Whole => {
                let mut values = Vec::with_capacity(count);
                for _ in 0..count {
                    values.push(text.integer(wanted)?);
                }
                Values::Whole(values)
            }
            Reading::Real => {
                let mut values = Vec::with_capacity(count);
                for _ in 0..count {
                    values.push(text.number(wanted)?);
                }
                Values::Real(values)
            }
        };
        Ok(Array { values, origin })
    }

    /// Reads all words of a text; `before` stands in the file before the text.
    pub(crate) fn from_all_words(
        before: &'a [u8],
        words: &'a [u8],
        reading: Reading,
        wanted: &str,
    ) -> Parsed<Array<'a>> {
        let origin = Origin::Words { before, text: words, start: 0 };
        let mut text = Text::new(words, None);
        let (mut whole, mut real) = (Vec::new(), Vec::new());
        while let Some(word) = text.word() {
            let known = match reading {
                Reading::Whole => to_i64(word).map(|number| whole.push(number)),
                Reading::Real => to_f64(word).map(|number| real.push(number)),
            };
            if known.is_none() {
                let place = Place::Line(lines(before) + line_of(words, text.offset()));
                return Err(ParseError::new(place, text.unexpected(wanted, word).fault));
            }
        }
        let values = match reading {
            Reading::Whole => Values::Whole(whole),
            Reading::Real => Values::Real(real),
        };
        Ok(Array { values, origin })
    }

    /// Takes `count` numbers that stand in the file as bytes, from byte `start` on.
    ///
    /// Fewer when the bytes do not suffice.
    pub(crate) fn from_file(
        bytes: &'a [u8],
        count: usize,
        start: usize,
        kind: Scalar,
        endian: Endian,
    ) -> Array<'a> {
        let origin = Origin::Bytes { start, kind };
        let count = count.min(kind.count_in(bytes.len()) as usize);
        Array { values: Values::Raw { bytes: Cow::Borrowed(bytes), count, kind, endian }, origin }
    }

    /// Takes bytes that were unpacked from a named part of the file.
    pub(crate) fn from_part(
        bytes: Cow<'a, [u8]>,
        kind: Scalar,
        endian: Endian,
        part: &str,
    ) -> Array<'a> {
        let origin = Origin::Part(part.to_string());
        let count = kind.count_in(bytes.len()) as usize;
        Array { values: Values::Raw { bytes, count, kind, endian }, origin }
    }

    /// Count of the numbers.
    pub(crate) fn len(&self) -> usize {
        match &self.values {
            Values::Whole(values) => values.len(),
            Values::Real(values) => values.len(),
            Values::Raw { count, .. } => *count,
        }
    }

    /// Number `k` as a real number; `k` is below [`Array::len`].
    #[inline]
    pub(crate) fn real(&self, k: usize) -> f64 {
        match &self.values {
            Values::Whole(values) => values[k] as f64,
            Values::Real(values) => values[k],
            Values::Raw { bytes, kind, endian, .. } => kind.real(bytes, k, *endian),
        }
    }

    /// Number `k` as an integer; `k` is below [`Array::len`].
    ///
    /// Floating point numbers pass when they are whole; what exceeds 64 signed bits
    /// comes as the largest number, which is no index of anything.
    #[inline]
    pub(crate) fn whole(&self, k: usize) -> Result<i64, Fault> {
        let number = match &self.values {
            Values::Whole(values) => return Ok(values[k]),
            Values::Real(values) => to_whole(values[k]),
            Values::Raw { bytes, kind, endian, .. } => kind.whole(bytes, k, *endian),
        };
        number.map_err(|number| {
            let wanted = "an integer".to_string();
            Fault::Unexpected { wanted, found: number.to_string() }
        })
    }

    /// The numbers by threes; a remainder is left over.
    pub(crate) fn points(&self) -> impl Iterator<Item = Vec3> + '_ {
        (0..self.len() / 3)
            .map(|p| Vec3::new(self.real(3 * p), self.real(3 * p + 1), self.real(3 * p + 2)))
    }

    /// The place of number `k`; slow, for errors only.
    pub(crate) fn place(&self, k: usize) -> Place {
        match &self.origin {
            Origin::Words { before, text: words, start } => {
                let mut text = Text::new(words, None);
                text.seek(*start);
                for _ in 0..=k {
                    text.word();
                }
                Place::Line(lines(before) + line_of(words, text.offset()))
            }
            Origin::Bytes { start, kind } => {
                Place::Byte(start + (k as u64).saturating_mul(kind.bits()) as usize / 8)
            }
            Origin::Part(part) => Place::Part(part.clone()),
        }
    }
}

/// Count of the line ends in a text.
fn lines(text: &[u8]) -> usize {
    text.iter().filter(|&&b| b == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_packed_from_the_highest_down() {
        let array = Array::from_file(&[0b1010_0000, 0b1000_0000], 9, 0, Scalar::Bit, Endian::Big);
        assert_eq!(array.len(), 9);
        let bits: Vec<_> = (0..9).map(|k| array.real(k)).collect();
        assert_eq!(bits, [1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn a_fraction_is_no_index_and_a_huge_number_is_none_either() {
        let half = 0.5_f64.to_le_bytes();
        let fault =
            Array::from_file(&half, 1, 0, Scalar::F64, Endian::Little).whole(0).unwrap_err();
        assert_eq!(fault.to_string(), "expected an integer, found `0.5`");
        let huge = Array::from_file(&[0xff; 8], 1, 0, Scalar::U64, Endian::Little);
        assert_eq!(huge.whole(0), Ok(i64::MAX));
    }

    #[test]
    fn places_are_lines_bytes_or_parts() {
        let words = Array::from_all_words(b"\n\n ", b"1\n2\n\n3", Reading::Whole, "").unwrap();
        assert_eq!(words.place(0), Place::Line(3));
        assert_eq!(words.place(2), Place::Line(6));
        let bytes = Array::from_file(&[0; 8], 2, 100, Scalar::I32, Endian::Big);
        assert_eq!(bytes.place(1), Place::Byte(104));
        let error = Array::from_all_words(b"\n", b"1\nx", Reading::Real, "a number").unwrap_err();
        assert_eq!(error.to_string(), "line 3: expected a number, found `x`");
    }
}
