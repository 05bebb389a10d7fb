//! Arrays of a VTK file, whatever their type and however they are stored.
//!
//! Text is parsed once; bytes stay as they are and are read where they are wanted,
//! so that an array takes no more memory than its file.

use std::borrow::Cow;

use crate::math::Vec3;
use crate::mesh::parse::binary::Endian;
use crate::mesh::parse::text::{Text, line_of, to_f64, to_i64};
use crate::mesh::parse::{Fault, ParseError, Parsed, Place};

/// Fewest bytes that one number takes in a text: a digit and a space.
pub(crate) const BYTES_PER_WORD: u64 = 2;

/// Whole numbers up to this size are exact in an `f64`.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Type of the numbers of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// One bit, eight to the byte, highest first.
    Bit,
    /// 8 bits, signed.
    I8,
    /// 8 bits.
    U8,
    /// 16 bits, signed.
    I16,
    /// 16 bits.
    U16,
    /// 32 bits, signed.
    I32,
    /// 32 bits.
    U32,
    /// 64 bits, signed.
    I64,
    /// 64 bits.
    U64,
    /// 32 bits, floating point.
    F32,
    /// 64 bits, floating point.
    F64,
}

impl Kind {
    /// The type that a legacy file means by a word, in any case of letters.
    ///
    /// `vtkIdType` has 32 bits there, whatever it has in memory; `long` has the 64
    /// bits that it has everywhere but on Windows.
    pub(crate) fn of_legacy(word: &[u8]) -> Option<Kind> {
        Some(match word.to_ascii_lowercase().as_slice() {
            b"bit" => Kind::Bit,
            b"char" | b"signed_char" | b"vtktypeint8" => Kind::I8,
            b"unsigned_char" | b"vtktypeuint8" => Kind::U8,
            b"short" | b"vtktypeint16" => Kind::I16,
            b"unsigned_short" | b"vtktypeuint16" => Kind::U16,
            b"int" | b"vtkidtype" | b"vtktypeint32" => Kind::I32,
            b"unsigned_int" | b"vtktypeuint32" => Kind::U32,
            b"long" | b"long_long" | b"vtktypeint64" => Kind::I64,
            b"unsigned_long" | b"unsigned_long_long" | b"vtktypeuint64" => Kind::U64,
            b"float" | b"vtktypefloat32" => Kind::F32,
            b"double" | b"vtktypefloat64" => Kind::F64,
            _ => return None,
        })
    }

    /// The type that an XML file means by a word.
    pub(crate) fn of_xml(word: &str) -> Option<Kind> {
        Some(match word {
            "Int8" => Kind::I8,
            "UInt8" => Kind::U8,
            "Int16" => Kind::I16,
            "UInt16" => Kind::U16,
            "Int32" => Kind::I32,
            "UInt32" => Kind::U32,
            "Int64" => Kind::I64,
            "UInt64" => Kind::U64,
            "Float32" => Kind::F32,
            "Float64" => Kind::F64,
            _ => return None,
        })
    }

    /// Size of one number, bits.
    fn bits(self) -> u64 {
        match self {
            Kind::Bit => 1,
            Kind::I8 | Kind::U8 => 8,
            Kind::I16 | Kind::U16 => 16,
            Kind::I32 | Kind::U32 | Kind::F32 => 32,
            Kind::I64 | Kind::U64 | Kind::F64 => 64,
        }
    }

    /// Bytes that so many numbers take; `None` when that is beyond all memory.
    pub(crate) fn bytes_for(self, count: u64) -> Option<usize> {
        usize::try_from(count.checked_mul(self.bits())?.div_ceil(8)).ok()
    }

    /// Numbers that fit into so many bytes.
    pub(crate) fn count_in(self, bytes: usize) -> u64 {
        let bits = (bytes as u64).saturating_mul(8);
        bits / self.bits()
    }
}

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
    Raw { bytes: Cow<'a, [u8]>, count: usize, kind: Kind, endian: Endian },
}

/// Where the numbers stood, to name the place of a fault.
#[derive(Clone, Debug)]
enum Origin<'a> {
    /// Words of `text` from byte `start` on; `before` stands in the file before the text.
    Words { before: &'a [u8], text: &'a [u8], start: usize },
    /// Bytes of the file from `start` on.
    Bytes { start: usize, kind: Kind },
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
    /// Reads the next `count` words of a text; `wanted` names one of them in a fault.
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
        kind: Kind,
        endian: Endian,
    ) -> Array<'a> {
        let origin = Origin::Bytes { start, kind };
        let count = count.min(kind.count_in(bytes.len()) as usize);
        Array { values: Values::Raw { bytes: Cow::Borrowed(bytes), count, kind, endian }, origin }
    }

    /// Takes bytes that were unpacked from a named part of the file.
    pub(crate) fn from_part(
        bytes: Cow<'a, [u8]>,
        kind: Kind,
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
            Values::Raw { bytes, kind, endian, .. } => match kind {
                Kind::F64 => f64::from_le_bytes(raw(bytes, k, *endian)),
                Kind::F32 => f64::from(f32::from_le_bytes(raw(bytes, k, *endian))),
                _ => raw_whole(bytes, k, *kind, *endian) as f64,
            },
        }
    }

    /// Number `k` as a whole number; `k` is below [`Array::len`].
    ///
    /// Floating point numbers pass when they are whole; what exceeds 64 signed bits
    /// comes as the largest number, which is no index of anything.
    #[inline]
    pub(crate) fn whole(&self, k: usize) -> Result<i64, Fault> {
        match &self.values {
            Values::Whole(values) => Ok(values[k]),
            Values::Raw { bytes, kind, endian, .. } if !matches!(kind, Kind::F32 | Kind::F64) => {
                Ok(raw_whole(bytes, k, *kind, *endian))
            }
            _ => {
                let number = self.real(k);
                if number.fract() == 0.0 && number.abs() <= EXACT {
                    return Ok(number as i64);
                }
                let wanted = "a whole number".to_string();
                Err(Fault::Unexpected { wanted, found: number.to_string() })
            }
        }
    }

    /// The numbers by threes; a remainder is left over.
    pub(crate) fn points(&self) -> impl Iterator<Item = Vec3> + '_ {
        (0..self.len() / 3)
            .map(|p| Vec3::new(self.real(3 * p), self.real(3 * p + 1), self.real(3 * p + 2)))
    }

    /// The place of number `k`; slow, for faults only.
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

/// The bytes of number `k`, lowest first.
#[inline]
fn raw<const SIZE: usize>(bytes: &[u8], k: usize, endian: Endian) -> [u8; SIZE] {
    let mut number = [0; SIZE];
    number.copy_from_slice(&bytes[SIZE * k..SIZE * k + SIZE]);
    if endian == Endian::Big {
        number.reverse();
    }
    number
}

#[inline]
fn raw_whole(bytes: &[u8], k: usize, kind: Kind, endian: Endian) -> i64 {
    match kind {
        Kind::Bit => i64::from(bytes[k / 8] >> (7 - k % 8) & 1),
        Kind::I8 => i64::from(i8::from_le_bytes([bytes[k]])),
        Kind::U8 => i64::from(bytes[k]),
        Kind::I16 => i64::from(i16::from_le_bytes(raw(bytes, k, endian))),
        Kind::U16 => i64::from(u16::from_le_bytes(raw(bytes, k, endian))),
        Kind::I32 => i64::from(i32::from_le_bytes(raw(bytes, k, endian))),
        Kind::U32 => i64::from(u32::from_le_bytes(raw(bytes, k, endian))),
        Kind::I64 => i64::from_le_bytes(raw(bytes, k, endian)),
        Kind::U64 => i64::try_from(u64::from_le_bytes(raw(bytes, k, endian))).unwrap_or(i64::MAX),
        // Never asked for: `whole` reads floating point numbers through `real`.
        Kind::F32 | Kind::F64 => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every type must give the same whole and real number in both byte orders.
    #[track_caller]
    fn check(kind: Kind, little: &[u8], expected: f64) {
        let mut big = little.to_vec();
        big.reverse();
        for (bytes, endian) in [(little, Endian::Little), (&big, Endian::Big)] {
            let array = Array::from_file(bytes, 2, 0, kind, endian);
            assert_eq!(array.len(), 1, "{kind:?}");
            assert_eq!(array.real(0), expected, "{kind:?}");
            assert_eq!(array.whole(0), Ok(expected as i64), "{kind:?}");
        }
    }

    #[test]
    fn every_type_is_read_in_both_byte_orders() {
        check(Kind::I8, &[0xfe], -2.0);
        check(Kind::U8, &[0xfe], 254.0);
        check(Kind::I16, &[0xfe, 0xff], -2.0);
        check(Kind::U16, &[1, 2], 513.0);
        check(Kind::I32, &[0xfe, 0xff, 0xff, 0xff], -2.0);
        check(Kind::U32, &[0, 0, 0, 0x80], 2_147_483_648.0);
        check(Kind::I64, &(-2_i64).to_le_bytes(), -2.0);
        check(Kind::U64, &7_u64.to_le_bytes(), 7.0);
        check(Kind::F32, &3_f32.to_le_bytes(), 3.0);
        check(Kind::F64, &3_f64.to_le_bytes(), 3.0);
    }

    #[test]
    fn bits_are_packed_from_the_highest_down() {
        let array = Array::from_file(&[0b1010_0000, 0b1000_0000], 9, 0, Kind::Bit, Endian::Big);
        assert_eq!(array.len(), 9);
        let bits: Vec<_> = (0..9).map(|k| array.real(k)).collect();
        assert_eq!(bits, [1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
        assert_eq!(Kind::Bit.bytes_for(9), Some(2));
    }

    #[test]
    fn a_fraction_is_no_index_and_a_huge_number_is_none_either() {
        let half = 0.5_f64.to_le_bytes();
        let fault = Array::from_file(&half, 1, 0, Kind::F64, Endian::Little).whole(0).unwrap_err();
        assert_eq!(fault.to_string(), "expected a whole number, found `0.5`");
        let huge = Array::from_file(&[0xff; 8], 1, 0, Kind::U64, Endian::Little);
        assert_eq!(huge.whole(0), Ok(i64::MAX));
    }

    #[test]
    fn places_are_lines_bytes_or_parts() {
        let words = Array::from_all_words(b"\n\n ", b"1\n2\n\n3", Reading::Whole, "").unwrap();
        assert_eq!(words.place(0), Place::Line(3));
        assert_eq!(words.place(2), Place::Line(6));
        let bytes = Array::from_file(&[0; 8], 2, 100, Kind::I32, Endian::Big);
        assert_eq!(bytes.place(1), Place::Byte(104));
        let error = Array::from_all_words(b"\n", b"1\nx", Reading::Real, "a number").unwrap_err();
        assert_eq!(error.to_string(), "line 3: expected a number, found `x`");
    }

    #[test]
    fn sizes_beyond_all_memory_are_none() {
        assert_eq!(Kind::F64.bytes_for(u64::MAX), None);
        assert_eq!(Kind::F64.bytes_for(3), Some(24));
    }
}
