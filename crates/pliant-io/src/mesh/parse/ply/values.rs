//! The numbers after the header of a PLY file, alike for words and bytes.

use crate::mesh::parse::binary::{Binary, Endian};
use crate::mesh::parse::ply::header::{Element, Form, Header, Property};
use crate::mesh::parse::scalar::{Scalar, to_whole};
use crate::mesh::parse::skipped::{BYTE, counted};
use crate::mesh::parse::text::{Text, line_of, quote};
use crate::mesh::parse::{Fault, ParseError, Parsed, Place};

/// Fewest bytes that a number of an ascii file takes: a digit and a space.
const BYTES_PER_WORD: usize = 2;

/// Reads the rows of a PLY file from front to back.
pub enum Values<'a> {
    /// One row per line.
    Words(Text<'a>),
    /// Rows without gaps.
    Bytes(Binary<'a>, Endian),
}

impl<'a> Values<'a> {
    /// Starts after the header.
    pub fn new(bytes: &'a [u8], header: &Header<'_>) -> Values<'a> {
        match header.form {
            Form::Ascii => {
                let mut text = Text::new(bytes, None);
                text.seek(header.end);
                Values::Words(text)
            }
            Form::Binary(endian) => Values::Bytes(Binary::new(bytes, header.end, endian), endian),
        }
    }

    /// Rows of an element; refused if the rest of the file cannot hold them.
    ///
    /// Rows without properties take no bytes: there are none to read.
    pub fn rows(&self, element: &Element<'_>) -> Parsed<usize> {
        let properties = &element.properties;
        if properties.is_empty() {
            return Ok(0);
        }
        let what = format!("rows of `{}`", quote(element.name));
        match self {
            Values::Words(text) => {
                text.check_count(element.count, &what, BYTES_PER_WORD * properties.len())
            }
            Values::Bytes(binary, _) => {
                let least = |property: &Property<'_>| property.length.unwrap_or(property.kind);
                let row = properties.iter().map(|property| least(property).size()).sum();
                binary.check_count(element.count as u64, &what, row)
            }
        }
    }

    /// The next number.
    #[inline]
    pub fn number(&mut self, kind: Scalar, wanted: &str) -> Parsed<f64> {
        match self {
            Values::Words(text) => text.number(wanted),
            Values::Bytes(binary, endian) => {
                let raw = binary.take(kind.size(), wanted)?;
                Ok(kind.real(raw, 0, *endian))
            }
        }
    }

    /// The length of a list, which the rest of the file can hold.
    #[inline]
    pub fn length(&mut self, length: Scalar, kind: Scalar) -> Parsed<usize> {
        let mut count = 0;
        self.whole_numbers(1, length, "the length of a list", |number| {
            count = number;
            if number < 0 {
                return Err(Fault::Invalid(format!("the length of a list is {number}")));
            }
            Ok(())
        })?;
        match self {
            Values::Words(text) => text.check_count(count, "list entries", BYTES_PER_WORD),
            Values::Bytes(binary, _) => {
                binary.check_count(count as u64, "list entries", kind.size())
            }
        }
    }

    /// Hands on the next numbers, which must be whole; errors name the number's place.
    #[inline]
    pub fn whole_numbers(
        &mut self,
        count: usize,
        kind: Scalar,
        wanted: &str,
        mut take: impl FnMut(i64) -> Result<(), Fault>,
    ) -> Parsed<()> {
        let unexpected =
            |found: f64| Fault::Unexpected { wanted: wanted.to_string(), found: found.to_string() };
        match self {
            Values::Words(text) => {
                for _ in 0..count {
                    let number = match kind.is_real() {
                        true => to_whole(text.number(wanted)?),
                        false => Ok(text.integer(wanted)?),
                    };
                    let taken = number.map_err(unexpected).and_then(&mut take);
                    taken.map_err(|fault| text.fault(fault))?;
                }
            }
            Values::Bytes(binary, endian) => {
                let start = binary.offset();
                let raw = binary.take(count * kind.size(), wanted)?;
                for at in 0..count {
                    let number = kind.whole(raw, at, *endian);
                    let taken = number.map_err(unexpected).and_then(&mut take);
                    let place = || Place::Byte(start + at * kind.size());
                    taken.map_err(|fault| ParseError::new(place(), fault))?;
                }
            }
        }
        Ok(())
    }

    /// Moves past a property of the current row.
    #[inline]
    pub fn skip(&mut self, property: &Property<'_>) -> Parsed<()> {
        let count = match property.length {
            Some(length) => self.length(length, property.kind)?,
            None => 1,
        };
        match self {
            Values::Words(text) => (0..count).try_for_each(|_| text.need("a number").map(|_| ())),
            Values::Bytes(binary, _) => {
                binary.take(count * property.kind.size(), "a number").map(|_| ())
            }
        }
    }

    /// Checks that a row of words ends with its line.
    ///
    /// A header that names fewer properties than the rows hold would otherwise give
    /// numbers from the wrong places.
    #[inline]
    pub fn end_row(&mut self) -> Parsed<()> {
        let Values::Words(text) = self else { return Ok(()) };
        let after = text.rest().iter().find(|b| !matches!(b, b' ' | b'\t' | b'\r'));
        if matches!(after, None | Some(b'\n')) {
            return Ok(());
        }
        let word = text.word().unwrap_or_default();
        Err(text.unexpected("the end of the row", word))
    }

    /// Reports that `file` continues after what the header announces.
    pub fn rest(&mut self, file: &[u8]) -> Option<String> {
        match self {
            Values::Words(text) => text.word().map(|_| {
                let line = line_of(file, text.offset());
                format!("left out what follows the last row, from line {line} on")
            }),
            Values::Bytes(binary, _) => {
                let rest = file.len() - binary.offset();
                (rest > 0).then(|| format!("left out {} after the last row", counted(rest, BYTE)))
            }
        }
    }

    /// An error at the place reached, with a message.
    pub fn invalid(&self, why: String) -> ParseError {
        match self {
            Values::Words(text) => text.invalid(why),
            Values::Bytes(binary, _) => binary.invalid(why),
        }
    }
}
