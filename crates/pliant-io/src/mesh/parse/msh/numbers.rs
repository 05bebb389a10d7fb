//! Sections of a file and the numbers in them, written as text or stored as bytes.
//!
//! The sections of Gmsh's text and binary files hold the same numbers in the same
//! order; the readers of sections are written once against [`Source`].
//!
//! | here   | C type in a binary file                        |
//! |--------|------------------------------------------------|
//! | `int`  | `int`, 4 bytes                                 |
//! | `size` | `size_t`, as wide as the header says           |
//! | `tag`  | `int` up to version 4.0, `size_t` from 4.1 on  |
//! | `real` | `double`, 8 bytes                              |

use crate::mesh::parse::binary::{Binary, Endian};
use crate::mesh::parse::text::{Text, quote, to_i64};
use crate::mesh::parse::{Fault, ParseError, Parsed, check_room};
use pliant::math::Vec3;

/// Fewest bytes that one number takes as text: a digit and a space.
const TEXT_BYTES: usize = 2;

/// Fewest bytes that one number takes in a binary file.
const BINARY_BYTES: usize = 4;

/// A file that is read section by section, number by number.
pub trait Source<'a> {
    /// Whether numbers are stored as bytes.
    const BINARY: bool;

    /// The next C `int`.
    fn int(&mut self, wanted: &str) -> Parsed<i64>;

    /// The next C `size_t`.
    fn size(&mut self, wanted: &str) -> Parsed<u64>;

    /// The next tag of a node or an element.
    fn tag(&mut self, wanted: &str) -> Parsed<u64>;

    /// The next C `double`.
    fn real(&mut self, wanted: &str) -> Parsed<f64>;

    /// Accepts a count of things of `numbers_each` numbers if the rest can hold them.
    fn fits(&self, count: u64, what: &str, numbers_each: usize) -> Parsed<usize>;

    /// The rest of the current line without white space around it; `None` at the end.
    fn line(&mut self) -> Option<&'a [u8]>;

    /// Moves past the end mark of a section; stays, with `None`, if there is none.
    fn skip_past(&mut self, mark: &[u8]) -> Option<()>;

    /// Marks the start of what text files keep on one line.
    fn begin_record(&mut self) {}

    /// Marks the end of what text files keep on one line.
    fn end_record(&mut self) {}

    /// An error at the place reached.
    fn fault(&self, fault: Fault) -> ParseError;

    /// Reads a section; an error also names the place where reading may have lost step.
    fn in_step<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T>
    where
        Self: Sized,
    {
        read(self)
    }

    /// An error with a message.
    fn invalid(&self, why: impl Into<String>) -> ParseError {
        self.fault(Fault::Invalid(why.into()))
    }

    /// An error unless a block of `count` things keeps to those `left` of `announced`.
    fn check_left(&self, count: u64, what: &str, left: u64, announced: u64) -> Parsed<()> {
        if count <= left {
            return Ok(());
        }
        let why = format!("a block of {count} {what} where {left} of {announced} are left");
        Err(self.invalid(why))
    }

    /// Three numbers: a point.
    #[inline]
    fn point(&mut self) -> Parsed<Vec3> {
        Ok(Vec3::new(
            self.real("a number for x")?,
            self.real("a number for y")?,
            self.real("a number for z")?,
        ))
    }

    /// A count that is text in both encodings, alone in its line.
    fn count_line(&mut self, what: &str) -> Parsed<u64> {
        let wanted = format!("the number of {what}, alone in its line");
        let line = loop {
            match self.line() {
                Some([]) => {}
                Some(line) => break line,
                None => return Err(self.fault(Fault::Truncated { wanted })),
            }
        };
        match to_i64(line).and_then(|count| u64::try_from(count).ok()) {
            Some(count) => Ok(count),
            None => Err(self.unexpected(&wanted, line)),
        }
    }

    /// Name of the next section, without its `$`; `None` at the end of the file.
    fn section(&mut self) -> Parsed<Option<&'a [u8]>> {
        loop {
            match self.line() {
                None => return Ok(None),
                Some([]) => {}
                Some([b'$', name @ ..]) if !name.is_empty() => return Ok(Some(name)),
                Some(other) => return Err(self.unexpected("a section such as `$Nodes`", other)),
            }
        }
    }

    /// Moves past the end mark of a section, which must come next.
    fn close(&mut self, mark: &[u8]) -> Parsed<()> {
        loop {
            match self.line() {
                Some([]) => {}
                Some(line) if line == mark => return Ok(()),
                Some(other) => {
                    return Err(self.unexpected(&format!("`{}`", quote(mark)), other));
                }
                None => {
                    let wanted = format!("`{}`", quote(mark));
                    return Err(self.fault(Fault::Truncated { wanted }));
                }
            }
        }
    }

    /// An error that finds something else than it wants.
    fn unexpected(&self, wanted: &str, found: &[u8]) -> ParseError {
        self.fault(Fault::Unexpected { wanted: wanted.to_string(), found: quote(found) })
    }
}

/// A text file.
#[derive(Clone, Debug)]
pub struct Ascii<'a> {
    /// Where reading stands.
    text: Text<'a>,
    /// Offset at which the current record began, bytes.
    record: usize,
    /// Offset of the first record of the section that did not end with its line, bytes.
    ragged: Option<usize>,
}

impl<'a> Ascii<'a> {
    /// Continues where `text` stands.
    pub fn new(text: Text<'a>) -> Ascii<'a> {
        Ascii { text, record: 0, ragged: None }
    }

    /// A line with a number too few makes the reader stumble much later: name both.
    fn blame(&self, error: ParseError) -> ParseError {
        let Some(record) = self.ragged else { return error };
        let mut text = self.text.clone();
        text.seek(record);
        text.word();
        let blamed = text.invalid(format!(
            "this line holds too few or too many numbers; reading on stops at {error}"
        ));
        if blamed.place == error.place { error } else { blamed }
    }

    #[inline]
    fn unsigned(&mut self, wanted: &str) -> Parsed<u64> {
        let word = self.text.need(wanted)?;
        match to_i64(word) {
            Some(number) if number >= 0 => Ok(number as u64),
            // Tags may use all 64 bits, more than the common path above reads.
            _ => std::str::from_utf8(word)
                .ok()
                .and_then(|word| word.parse().ok())
                .ok_or_else(|| self.text.unexpected(wanted, word)),
        }
    }
}

impl<'a> Source<'a> for Ascii<'a> {
    const BINARY: bool = false;

    #[inline]
    fn int(&mut self, wanted: &str) -> Parsed<i64> {
        self.text.integer(wanted)
    }

    #[inline]
    fn size(&mut self, wanted: &str) -> Parsed<u64> {
        self.unsigned(wanted)
    }

    #[inline]
    fn tag(&mut self, wanted: &str) -> Parsed<u64> {
        self.unsigned(wanted)
    }

    #[inline]
    fn real(&mut self, wanted: &str) -> Parsed<f64> {
        self.text.number(wanted)
    }

    fn fits(&self, count: u64, what: &str, numbers_each: usize) -> Parsed<usize> {
        // The last number of a file may go without the space after it.
        let room = (self.text.rest().len() + 1) / (TEXT_BYTES * numbers_each);
        check_room(count, what, room as u64).map_err(|fault| self.fault(fault))
    }

    fn line(&mut self) -> Option<&'a [u8]> {
        self.text.line()
    }

    fn skip_past(&mut self, mark: &[u8]) -> Option<()> {
        let mut ahead = self.text.clone();
        while ahead.line()? != mark {}
        self.text = ahead;
        Some(())
    }

    #[inline]
    fn begin_record(&mut self) {
        self.record = self.text.offset();
    }

    #[inline]
    fn end_record(&mut self) {
        let ends = self.text.rest().iter().find(|b| !matches!(b, b' ' | b'\t' | b'\r'));
        if !matches!(ends, None | Some(b'\n')) {
            self.ragged.get_or_insert(self.record);
        }
    }

    fn fault(&self, fault: Fault) -> ParseError {
        self.text.fault(fault)
    }

    fn in_step<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.ragged = None;
        let result = read(self);
        result.map_err(|error| self.blame(error))
    }
}

/// How wide the integers of a binary file are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// 32 bits.
    Four,
    /// 64 bits.
    Eight,
}

/// How a binary file stores its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Order of the bytes of one number.
    pub endian: Endian,
    /// Width of counts.
    pub size: Width,
    /// Width of tags; those of four bytes are signed.
    pub tag: Width,
}

/// A binary file.
#[derive(Clone, Debug)]
pub struct Stored<'a> {
    /// The whole file.
    bytes: &'a [u8],
    /// Where reading stands.
    binary: Binary<'a>,
    /// How numbers are stored.
    layout: Layout,
}

impl<'a> Stored<'a> {
    /// Starts at byte `at` of the file.
    pub fn new(bytes: &'a [u8], at: usize, layout: Layout) -> Stored<'a> {
        Stored { bytes, binary: Binary::new(bytes, at, layout.endian), layout }
    }

    fn seek(&mut self, at: usize) {
        self.binary = Binary::new(self.bytes, at, self.layout.endian);
    }
}

impl<'a> Source<'a> for Stored<'a> {
    const BINARY: bool = true;

    #[inline]
    fn int(&mut self, wanted: &str) -> Parsed<i64> {
        self.binary.i32(wanted).map(i64::from)
    }

    #[inline]
    fn size(&mut self, wanted: &str) -> Parsed<u64> {
        match self.layout.size {
            Width::Four => self.binary.u32(wanted).map(u64::from),
            Width::Eight => self.binary.u64(wanted),
        }
    }

    #[inline]
    fn tag(&mut self, wanted: &str) -> Parsed<u64> {
        if self.layout.tag == Width::Eight {
            return self.binary.u64(wanted);
        }
        let tag = self.binary.i32(wanted)?;
        u64::try_from(tag).map_err(|_| self.unexpected(wanted, tag.to_string().as_bytes()))
    }

    #[inline]
    fn real(&mut self, wanted: &str) -> Parsed<f64> {
        self.binary.f64(wanted)
    }

    fn fits(&self, count: u64, what: &str, numbers_each: usize) -> Parsed<usize> {
        self.binary.check_count(count, what, BINARY_BYTES * numbers_each)
    }

    fn line(&mut self) -> Option<&'a [u8]> {
        let mut text = Text::new(self.bytes, None);
        text.seek(self.binary.offset());
        let line = text.line();
        self.seek(text.offset());
        line
    }

    fn skip_past(&mut self, mark: &[u8]) -> Option<()> {
        let mut at = self.binary.offset();
        loop {
            // Bytes of numbers may spell a `$`; the whole mark and a line end are no accident.
            at += self.bytes.get(at..)?.iter().position(|&b| b == b'$')?;
            let after = self.bytes[at..].strip_prefix(mark);
            if let Some([] | [b'\n' | b'\r' | b' ', ..]) = after {
                self.seek(at + mark.len());
                return Some(());
            }
            at += 1;
        }
    }

    fn fault(&self, fault: Fault) -> ParseError {
        self.binary.fault(fault)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(bytes: &[u8], tag: Width) -> Stored<'_> {
        Stored::new(bytes, 0, Layout { endian: Endian::Big, size: Width::Four, tag })
    }

    #[test]
    fn tags_use_all_their_bits() {
        let mut text = Ascii::new(Text::new(b"18446744073709551615 -1", None));
        assert_eq!(text.tag("a tag"), Ok(u64::MAX));
        assert!(text.tag("a tag").is_err());
        let bytes = [255; 8];
        assert_eq!(stored(&bytes, Width::Eight).tag("a tag"), Ok(u64::MAX));
        let error = stored(&bytes, Width::Four).tag("a tag").unwrap_err();
        assert_eq!(error.to_string(), "byte 4: expected a tag, found `-1`");
    }

    #[test]
    fn marks_among_bytes_count_only_whole() {
        let mut source = stored(b"\x00$EndAb\x00$$EndA$EndA\n$Next", Width::Four);
        assert_eq!(source.skip_past(b"$EndA"), Some(()));
        assert_eq!(source.section(), Ok(Some(&b"Next"[..])));
        assert_eq!(source.skip_past(b"$EndA"), None);
    }

    #[test]
    fn a_short_line_is_blamed_for_what_follows() {
        let mut text = Ascii::new(Text::new(b"1 2\n3 4 5\n$End\n", None));
        let read = |text: &mut Ascii<'_>| {
            for _ in 0..2 {
                text.begin_record();
                for _ in 0..3 {
                    text.int("a number")?;
                }
                text.end_record();
            }
            Ok(())
        };
        assert_eq!(
            text.in_step(read).unwrap_err().to_string(),
            "line 1: this line holds too few or too many numbers; \
             reading on stops at line 3: expected a number, found `$End`"
        );
    }
}
