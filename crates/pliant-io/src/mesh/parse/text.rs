//! Words, numbers and lines of a text file, with the line for every error.
//!
//! Works on bytes, so that files in any encoding can be refused by line; lines are
//! counted only when an error is reported, which keeps reading fast. A word may stand on
//! any line; where a row ends with its line, [`Lines`](crate::mesh::parse::lines::Lines)
//! stops there.

use crate::mesh::parse::encoding::BYTE_ORDER_MARK;
use crate::mesh::parse::{Fault, ParseError, Parsed, Place, check_room};
use pliant::id::VertexId;
use pliant::math::Vec3;

/// Longest piece of a file that an error message quotes, characters.
const QUOTED: usize = 40;

/// Reads a text file from front to back.
#[derive(Clone, Debug)]
pub struct Text<'a> {
    /// The whole file.
    bytes: &'a [u8],
    /// Next byte to read; at most `bytes.len()`.
    at: usize,
    /// From this byte to the end of its line is a comment; none when 0.
    comment: u8,
}

impl<'a> Text<'a> {
    /// Starts at the front; `comment` opens a comment that runs to the end of its line.
    ///
    /// The mark that some editors put before text in UTF-8 is read over.
    pub fn new(bytes: &'a [u8], comment: Option<u8>) -> Text<'a> {
        let at = if bytes.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
        Text { bytes, at, comment: comment.unwrap_or(0) }
    }

    /// Offset of the next byte.
    pub fn offset(&self) -> usize {
        self.at
    }

    /// Continues reading at a byte of the file.
    pub fn seek(&mut self, offset: usize) {
        self.at = offset.min(self.bytes.len());
    }

    /// The bytes not read yet.
    pub fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// The next word, without the white space and comments before it.
    pub fn word(&mut self) -> Option<&'a [u8]> {
        self.skip_space();
        let start = self.at;
        while self.at < self.bytes.len() && !self.ends_word(self.at) {
            self.at += 1;
        }
        (self.at > start).then(|| &self.bytes[start..self.at])
    }

    /// The next word without moving past it.
    pub fn peek(&mut self) -> Option<&'a [u8]> {
        let start = self.at;
        let word = self.word();
        self.at = start;
        word
    }

    /// The rest of the current line, without its end and without a comment.
    ///
    /// `None` at the end of the file.
    pub fn line(&mut self) -> Option<&'a [u8]> {
        if self.at >= self.bytes.len() {
            return None;
        }
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        self.at = (self.at + length + 1).min(self.bytes.len());
        let line = &rest[..length];
        let line = match line.iter().position(|&b| self.comment != 0 && b == self.comment) {
            Some(comment) => &line[..comment],
            None => line,
        };
        Some(line.trim_ascii())
    }

    /// The next word; an error that names `wanted` when the file ends.
    pub fn need(&mut self, wanted: &str) -> Parsed<&'a [u8]> {
        self.word().ok_or_else(|| self.fault(Fault::Truncated { wanted: wanted.to_string() }))
    }

    /// Moves past exactly this word.
    pub fn expect(&mut self, word: &str) -> Parsed<()> {
        let found = self.need(&format!("`{word}`"))?;
        if found.eq_ignore_ascii_case(word.as_bytes()) {
            return Ok(());
        }
        Err(self.unexpected(&format!("`{word}`"), found))
    }

    /// The next word as a number; NaN and infinities are numbers too.
    #[inline]
    pub fn number(&mut self, wanted: &str) -> Parsed<f64> {
        let word = self.need(wanted)?;
        match to_f64(word) {
            Some(number) => Ok(number),
            None => Err(self.unexpected(wanted, word)),
        }
    }

    /// The next word as an integer.
    #[inline]
    pub fn integer(&mut self, wanted: &str) -> Parsed<i64> {
        let word = self.need(wanted)?;
        match to_i64(word) {
            Some(number) => Ok(number),
            None => Err(self.unexpected(wanted, word)),
        }
    }

    /// Three numbers: a point.
    #[inline]
    pub fn point(&mut self) -> Parsed<Vec3> {
        Ok(Vec3::new(
            self.number("a number for x")?,
            self.number("a number for y")?,
            self.number("a number for z")?,
        ))
    }

    /// A count of things that take at least `bytes_each` bytes of what follows.
    ///
    /// Refuses counts that the rest of the file cannot hold, so that memory may be
    /// reserved for them.
    pub fn count(&mut self, what: &str, bytes_each: usize) -> Parsed<usize> {
        let count = self.integer(&format!("the number of {what}"))?;
        self.check_count(count, what, bytes_each)
    }

    /// The same check for a count that was read elsewhere.
    pub fn check_count(&self, count: i64, what: &str, bytes_each: usize) -> Parsed<usize> {
        if count < 0 {
            return Err(self.invalid(format!("the number of {what} is {count}")));
        }
        // The last thing of a file may go without the space after it.
        let room = (self.bytes.len() - self.at + 1) / bytes_each.max(1);
        check_room(count as u64, what, room as u64).map_err(|fault| self.fault(fault))
    }

    /// An error at the word just read.
    pub fn fault(&self, fault: Fault) -> ParseError {
        ParseError::new(Place::Line(line_of(self.bytes, self.at)), fault)
    }

    /// An error that finds something else than it wants.
    pub fn unexpected(&self, wanted: &str, found: &[u8]) -> ParseError {
        self.fault(Fault::Unexpected { wanted: wanted.to_string(), found: quote(found) })
    }

    /// An error with a message.
    pub fn invalid(&self, why: impl Into<String>) -> ParseError {
        self.fault(Fault::Invalid(why.into()))
    }

    fn skip_space(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at) {
            if byte.is_ascii_whitespace() {
                self.at += 1;
            } else if byte == self.comment && self.comment != 0 {
                let rest = &self.bytes[self.at..];
                self.at += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
            } else {
                break;
            }
        }
    }

    #[inline]
    fn ends_word(&self, at: usize) -> bool {
        let byte = self.bytes[at];
        // NaN written as `1.#QNAN` is a word, not a number with a comment.
        let remark = self.comment != 0 && byte == self.comment;
        byte.is_ascii_whitespace() || (remark && !self.bytes[..at].ends_with(b"."))
    }
}

/// A vertex number that starts at `base`, checked against the vertices of the file.
#[inline]
pub fn vertex(number: i64, base: i64, count: usize) -> Result<VertexId, Fault> {
    let index = number.wrapping_sub(base);
    if number < base || index as u64 >= count as u64 || index > i64::from(u32::MAX) {
        return Err(Fault::NoSuchVertex { number, count });
    }
    Ok(VertexId(index as u32))
}

/// Line that a byte stands in, counted from 1.
pub fn line_of(bytes: &[u8], offset: usize) -> usize {
    // A word is reported after it was read: its line end may have been read too.
    let read = &bytes[..offset.min(bytes.len())];
    let read = read.strip_suffix(b"\n").unwrap_or(read);
    1 + read.iter().filter(|&&b| b == b'\n').count()
}

/// A piece of a file as an error message shows it: printable and short.
pub fn quote(piece: &[u8]) -> String {
    let text = String::from_utf8_lossy(&piece[..piece.len().min(4 * QUOTED)]);
    let strange = |c: &char| c.is_control() || *c == char::REPLACEMENT_CHARACTER;
    if 3 * text.chars().filter(strange).count() > text.chars().count() {
        return "binary data".to_string();
    }
    let shown: String = text.chars().map(|c| if c.is_control() { '·' } else { c }).collect();
    match shown.char_indices().nth(QUOTED) {
        Some((cut, _)) => format!("{}…", &shown[..cut]),
        None => shown,
    }
}

/// A word as a number, with Fortran's `1.0d-3` understood.
#[inline]
pub fn to_f64(word: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(word).ok()?;
    text.parse().ok().or_else(|| {
        let fortran = word.iter().any(|b| matches!(b, b'd' | b'D'));
        fortran.then(|| text.replace(['d', 'D'], "e").parse().ok())?
    })
}

/// A word as an integer.
#[inline]
pub fn to_i64(word: &[u8]) -> Option<i64> {
    let (negative, digits) = match word {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    // Eighteen digits cannot overflow.
    if digits.is_empty() || digits.len() > 18 {
        return None;
    }
    let mut number = 0_i64;
    for &digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        number = number * 10 + i64::from(digit - b'0');
    }
    Some(if negative { -number } else { number })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_numbers_and_comments_come_in_order() {
        let mut text = Text::new(b"a # no\n 1.5 -2\n# no\n nan", Some(b'#'));
        assert_eq!(text.word(), Some(&b"a"[..]));
        assert_eq!(text.number("a number"), Ok(1.5));
        assert_eq!(text.integer("a count"), Ok(-2));
        assert!(text.number("a number").unwrap().is_nan());
        assert_eq!(text.word(), None);
    }

    #[test]
    fn a_byte_order_mark_is_read_over_at_the_front_alone() {
        let mut text = Text::new("\u{feff}a \u{feff}".as_bytes(), None);
        assert_eq!((text.word(), text.word()), (Some(&b"a"[..]), Some(BYTE_ORDER_MARK)));
    }

    #[test]
    fn a_comment_sign_after_a_point_opens_no_comment() {
        let mut text = Text::new(b"-1.#IND 2# no", Some(b'#'));
        let error = text.number("a number for x").unwrap_err();
        assert_eq!(error.to_string(), "line 1: expected a number for x, found `-1.#IND`");
        assert_eq!(text.number("a number for y"), Ok(2.0));
        assert_eq!(text.word(), None);
    }

    #[test]
    fn faults_name_their_line() {
        let mut text = Text::new(b"1\n2 x\n", None);
        text.number("").unwrap();
        text.number("").unwrap();
        let error = text.number("a coordinate").unwrap_err();
        assert_eq!(error.to_string(), "line 2: expected a coordinate, found `x`");
        let error = text.number("a coordinate").unwrap_err();
        assert_eq!(error.to_string(), "line 2: the file ends where a coordinate should be");
    }

    #[test]
    fn absurd_counts_are_refused_before_memory_is_reserved() {
        let error = Text::new(b"99999999999 1 2", None).count("points", 6).unwrap_err();
        assert!(matches!(error.fault, Fault::TooMany { announced: 99_999_999_999, .. }));
        assert_eq!(Text::new(b"2 1 2", None).count("points", 2), Ok(2));
        assert!(Text::new(b"-1", None).count("points", 2).is_err());
    }

    #[test]
    fn numbers_are_read_as_people_write_them() {
        for (word, number) in [("1.5d-3", 1.5e-3), ("+.5", 0.5), ("1E3", 1e3), ("-0", -0.0)] {
            assert_eq!(to_f64(word.as_bytes()), Some(number), "{word}");
        }
        assert_eq!(to_f64(b"1,5"), None);
        assert_eq!(to_i64(b"9223372036854775808"), None);
        assert_eq!(to_i64(b"-"), None);
        assert_eq!(to_i64(b"+12"), Some(12));
    }

    #[test]
    fn lines_drop_comments_and_carriage_returns() {
        let mut text = Text::new(b"a b\r\n#x\nc", Some(b'#'));
        assert_eq!(text.line(), Some(&b"a b"[..]));
        assert_eq!(text.line(), Some(&b""[..]));
        assert_eq!(text.line(), Some(&b"c"[..]));
        assert_eq!(text.line(), None);
    }
}
