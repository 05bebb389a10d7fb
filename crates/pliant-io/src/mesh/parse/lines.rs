//! Lines of numbers, from one file or from several that include each other.
//!
//! For formats in which the end of a line ends a row: what stands behind the wanted
//! numbers can be passed over, and a row that lacks one is named by its own line.
//! `#` opens a comment that runs to the end of its line. Where line ends mean no more
//! than spaces, [`Text`](crate::mesh::parse::text::Text) reads on over them.

use std::ops::Range;
use std::slice::Iter;

use crate::mesh::parse::text::{line_of, quote, to_f64, to_i64};
use crate::mesh::parse::{Fault, ParseError, Parsed, Place, check_room};

/// Whole lines of one file, to be read in one go.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// Name of an included file; none for the file that was handed in.
    name: Option<&'a str>,
    /// The whole file, so that lines can be counted.
    bytes: &'a [u8],
    /// First byte of the run; at most `end`.
    start: usize,
    /// First byte after the run; at most `bytes.len()`.
    end: usize,
}

impl<'a> Run<'a> {
    /// All lines of the file that was handed in.
    pub fn whole(bytes: &'a [u8]) -> Run<'a> {
        Run::part(None, bytes, 0..bytes.len())
    }

    /// Some lines of a file; `range` starts and ends where lines do.
    pub fn part(name: Option<&'a str>, bytes: &'a [u8], range: Range<usize>) -> Run<'a> {
        let end = range.end.min(bytes.len());
        Run { name, bytes, start: range.start.min(end), end }
    }

    /// The place of a byte, as a person finds it.
    pub fn place(&self, offset: usize) -> Place {
        let line = line_of(self.bytes, offset);
        match self.name {
            Some(name) => Place::Part(format!("line {line} of {name}")),
            None => Place::Line(line),
        }
    }
}

/// Reads runs of lines from front to back, word by word.
#[derive(Clone, Debug)]
pub struct Lines<'a> {
    /// The run being read.
    run: Run<'a>,
    /// Runs to come.
    later: Iter<'a, Run<'a>>,
    /// Next byte to read; from `run.start` to `run.end`.
    at: usize,
    /// Whether a line is being read, which the next one leaves.
    in_line: bool,
    /// Separates words as white space does.
    separator: u8,
}

impl<'a> Lines<'a> {
    /// Starts before the first line; words are separated by white space and `separator`.
    pub fn new(runs: &'a [Run<'a>], separator: Option<u8>) -> Lines<'a> {
        let mut later = runs.iter();
        let run = later.next().copied().unwrap_or(Run::whole(b""));
        Lines { run, later, at: run.start, in_line: false, separator: separator.unwrap_or(b' ') }
    }

    /// Moves to the next line with a word on it; false when there is none.
    pub fn advance(&mut self) -> bool {
        loop {
            if self.in_line {
                self.skip_line();
            }
            while self.at >= self.run.end {
                let Some(&run) = self.later.next() else { return false };
                self.run = run;
                self.at = run.start;
            }
            self.in_line = true;
            self.skip_space();
            // A lone '\r' is white space, so that Windows line ends do no harm.
            if self.at < self.run.end && self.run.bytes[self.at] != b'\n' {
                return true;
            }
        }
    }

    /// Moves to the next line with a word on it; an error that names what is wanted.
    #[inline]
    pub fn need(&mut self, wanted: impl FnOnce() -> String) -> Parsed<()> {
        match self.advance() {
            true => Ok(()),
            false => Err(self.fault(Fault::Truncated { wanted: wanted() })),
        }
    }

    /// The next word of this line.
    #[inline]
    pub fn word(&mut self) -> Option<&'a [u8]> {
        self.skip_space();
        let start = self.at;
        while self.at < self.run.end && !self.ends_word(self.at) {
            self.at += 1;
        }
        (self.at > start).then(|| &self.run.bytes[start..self.at])
    }

    /// What is left of this line, without a comment.
    pub fn rest(&mut self) -> &'a [u8] {
        let start = self.at;
        self.skip_while(|b| b != b'\n' && b != b'#');
        let rest = &self.run.bytes[start..self.at];
        self.skip_while(|b| b != b'\n');
        rest.trim_ascii()
    }

    /// The next word of this line as a number; NaN and infinities are numbers too.
    #[inline]
    pub fn number(&mut self, wanted: &str) -> Parsed<f64> {
        match self.word().map(|word| (word, to_f64(word))) {
            Some((_, Some(number))) => Ok(number),
            Some((word, None)) => Err(self.unexpected(wanted, word)),
            None => Err(self.lacks(wanted)),
        }
    }

    /// The next word of this line as an integer.
    #[inline]
    pub fn integer(&mut self, wanted: &str) -> Parsed<i64> {
        match self.word().map(|word| (word, to_i64(word))) {
            Some((_, Some(number))) => Ok(number),
            Some((word, None)) => Err(self.unexpected(wanted, word)),
            None => Err(self.lacks(wanted)),
        }
    }

    /// Accepts a count only if what follows can hold that many of `bytes_each` bytes.
    pub fn check_count(&self, count: i64, what: &str, bytes_each: usize) -> Parsed<usize> {
        if count < 0 {
            return Err(self.invalid(format!("the number of {what} is {count}")));
        }
        // The last row of every file may go without its line end.
        let runs = self.later.as_slice();
        let later: usize = runs.iter().map(|run| run.end - run.start + 1).sum();
        let room = (self.run.end - self.at + 1 + later) / bytes_each.max(1);
        check_room(count as u64, what, room as u64).map_err(|fault| self.fault(fault))
    }

    /// An error unless all lines have been read; `what` names what came before.
    pub fn end(&mut self, what: impl FnOnce() -> String) -> Parsed<()> {
        if !self.advance() {
            return Ok(());
        }
        let wanted = format!("the end of the file after {}", what());
        let word = self.word().unwrap_or_default();
        Err(self.unexpected(&wanted, word))
    }

    /// The line being read.
    pub fn place(&self) -> Place {
        // One byte further: before its first word a line has not begun for `line_of`.
        self.run.place((self.at + 1).min(self.run.end))
    }

    /// An error on the line being read.
    pub fn fault(&self, fault: Fault) -> ParseError {
        ParseError::new(self.place(), fault)
    }

    /// An error that finds something else than it wants.
    pub fn unexpected(&self, wanted: &str, found: &[u8]) -> ParseError {
        self.fault(Fault::Unexpected { wanted: wanted.to_string(), found: quote(found) })
    }

    /// An error with a message.
    pub fn invalid(&self, why: impl Into<String>) -> ParseError {
        self.fault(Fault::Invalid(why.into()))
    }

    fn lacks(&self, wanted: &str) -> ParseError {
        self.invalid(format!("the line ends where {wanted} should be"))
    }

    fn skip_line(&mut self) {
        self.skip_while(|b| b != b'\n');
        self.at = (self.at + 1).min(self.run.end);
        self.in_line = false;
    }

    fn skip_space(&mut self) {
        let separator = self.separator;
        self.skip_while(|b| b != b'\n' && (b.is_ascii_whitespace() || b == separator));
        if self.at < self.run.end && self.run.bytes[self.at] == b'#' {
            self.skip_while(|b| b != b'\n');
        }
    }

    #[inline]
    fn skip_while(&mut self, skipped: impl Fn(u8) -> bool) {
        while self.at < self.run.end && skipped(self.run.bytes[self.at]) {
            self.at += 1;
        }
    }

    #[inline]
    fn ends_word(&self, at: usize) -> bool {
        let byte = self.run.bytes[at];
        // NaN written as `1.#QNAN` is a word, not a number with a comment.
        let remark = byte == b'#' && !self.run.bytes[..at].ends_with(b".");
        byte.is_ascii_whitespace() || byte == self.separator || remark
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_end_with_their_lines() {
        let runs = [Run::whole(b"# no\n\n 1 2.5 x # no\r\n\t\r\n7\n")];
        let mut lines = Lines::new(&runs, None);
        assert!(lines.advance());
        assert_eq!(lines.integer(""), Ok(1));
        assert_eq!(lines.number(""), Ok(2.5));
        assert_eq!(lines.word(), Some(&b"x"[..]));
        let error = lines.number("a number for z").unwrap_err();
        assert_eq!(error.to_string(), "line 3: the line ends where a number for z should be");
        assert!(lines.advance());
        assert_eq!(lines.word(), Some(&b"7"[..]));
        let error = lines.need(|| "row 3".to_string()).unwrap_err();
        assert_eq!(error.to_string(), "line 5: the file ends where row 3 should be");
    }

    #[test]
    fn an_unread_rest_of_a_line_is_passed_over() {
        let runs = [Run::whole(b"1 2 3\n4 5 # 6\n7")];
        let mut lines = Lines::new(&runs, None);
        let mut firsts = Vec::new();
        while lines.advance() {
            firsts.push(lines.integer("").unwrap());
            assert!(lines.rest().len() <= 3);
        }
        assert_eq!(firsts, [1, 4, 7]);
    }

    #[test]
    fn the_separator_parts_words_only_where_asked_for() {
        let runs = [Run::whole(b",1,, 2 ,\n")];
        let mut lines = Lines::new(&runs, Some(b','));
        assert!(lines.advance());
        assert_eq!((lines.integer(""), lines.integer("")), (Ok(1), Ok(2)));
        assert_eq!(lines.word(), None);
        let runs = [Run::whole(b"1,5")];
        let mut lines = Lines::new(&runs, None);
        assert!(lines.advance());
        let error = lines.number("a number for x").unwrap_err();
        assert_eq!(error.to_string(), "line 1: expected a number for x, found `1,5`");
    }

    #[test]
    fn a_number_sign_after_a_point_opens_no_remark() {
        let runs = [Run::whole(b"1.#QNAN 2# no\n")];
        let mut lines = Lines::new(&runs, None);
        assert!(lines.advance());
        let error = lines.number("a number for x").unwrap_err();
        assert_eq!(error.to_string(), "line 1: expected a number for x, found `1.#QNAN`");
        assert_eq!(lines.number("a number for y"), Ok(2.0));
        assert_eq!(lines.word(), None);
    }

    #[test]
    fn runs_follow_each_other_and_faults_name_their_file() {
        let (outer, inner) = (b"a\n*\nb\nc", b"x\n\ny");
        let runs = [
            Run::part(None, outer, 0..2),
            Run::part(Some("in.txt"), inner, 0..4),
            Run::part(None, outer, 4..7),
        ];
        let mut lines = Lines::new(&runs, None);
        let mut seen = Vec::new();
        while lines.advance() {
            let before = lines.place();
            let word = String::from_utf8_lossy(lines.word().unwrap()).to_string();
            assert_eq!(lines.place(), before);
            seen.push(format!("{word} on {before}"));
        }
        let expected = [
            "a on line 1",
            "x on line 1 of in.txt",
            "y on line 3 of in.txt",
            "b on line 3",
            "c on line 4",
        ];
        assert_eq!(seen, expected);
    }

    #[test]
    fn counts_are_held_against_all_that_follows() {
        let runs = [Run::whole(b"9\n"), Run::whole(b"1 2\n3 4")];
        let mut lines = Lines::new(&runs, None);
        assert!(lines.advance());
        lines.word();
        // 1 line end, 7 bytes and two line ends that may be missing: 10 bytes.
        assert_eq!(lines.check_count(2, "lines", 4), Ok(2));
        let error = lines.check_count(3, "lines", 4).unwrap_err();
        assert!(matches!(error.fault, Fault::TooMany { announced: 3, room: 2, .. }), "{error}");
        assert!(lines.check_count(-1, "lines", 4).is_err());
    }

    #[test]
    fn what_follows_the_end_is_a_fault() {
        let runs = [Run::whole(b"1\n\n2 3\n")];
        let mut lines = Lines::new(&runs, None);
        assert!(lines.advance());
        let error = lines.end(|| "1 row".to_string()).unwrap_err();
        let expected = "line 3: expected the end of the file after 1 row, found `2`";
        assert_eq!(error.to_string(), expected);
        assert_eq!(lines.end(String::new), Ok(()));
    }
}
