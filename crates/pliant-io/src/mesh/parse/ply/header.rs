//! The header of a PLY file: which elements follow, and what their rows hold.

use crate::mesh::parse::binary::Endian;
use crate::mesh::parse::scalar::Scalar;
use crate::mesh::parse::text::{Text, line_of, to_i64};
use crate::mesh::parse::{Fault, ParseError, Parsed, Place};

/// How the rows after the header are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As words, one row per line.
    Ascii,
    /// As bytes, without gaps.
    Binary(Endian),
}

/// A number or a list of numbers that each row of an element holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Property<'a> {
    /// As the file writes it.
    pub name: &'a [u8],
    /// Type of the length of a list; `None` for a single number.
    pub length: Option<Scalar>,
    /// Type of the number, or of those in the list.
    pub kind: Scalar,
}

/// A table of rows that follows the header.
#[derive(Clone, Debug, PartialEq)]
pub struct Element<'a> {
    /// As the file writes it.
    pub name: &'a [u8],
    /// Rows announced; 0 or more, and not yet compared with the file's size.
    pub count: i64,
    /// What a row holds, in order.
    pub properties: Vec<Property<'a>>,
    /// Where the header's line on it ends, bytes.
    pub offset: usize,
}

/// All that a header says.
#[derive(Clone, Debug, PartialEq)]
pub struct Header<'a> {
    /// How rows are written.
    pub form: Form,
    /// The tables, in file order.
    pub elements: Vec<Element<'a>>,
    /// Where the rows start, bytes.
    pub end: usize,
}

impl Element<'_> {
    /// An error at the header's line on this element, with a message.
    pub fn invalid(&self, bytes: &[u8], why: String) -> ParseError {
        ParseError::new(Place::Line(line_of(bytes, self.offset)), Fault::Invalid(why))
    }
}

/// Reads the header; the rows start at its `end`.
pub fn read(bytes: &[u8]) -> Parsed<Header<'_>> {
    let mut text = Text::new(bytes, None);
    let magic = text.line().unwrap_or_default();
    if magic != b"ply" {
        return Err(text.unexpected("`ply`", magic));
    }
    let mut form = None;
    let mut elements: Vec<Element<'_>> = Vec::new();
    loop {
        let Some(line) = text.line() else {
            return Err(text.fault(Fault::Truncated { wanted: "`end_header`".to_string() }));
        };
        let mut words = Words { line, text: &text };
        match words.word().unwrap_or_default() {
            b"" | b"comment" | b"obj_info" => {}
            b"format" => form = Some(read_form(&mut words)?),
            b"element" => elements.push(read_element(&mut words)?),
            b"property" => {
                let property = read_property(&mut words)?;
                let Some(element) = elements.last_mut() else {
                    return Err(text.invalid("a property stands before any element"));
                };
                element.properties.push(property);
            }
            b"end_header" => break,
            other => return Err(text.unexpected("`element`, `property` or `end_header`", other)),
        }
    }
    match form {
        Some(form) => Ok(Header { form, elements, end: text.offset() }),
        None => Err(text.invalid("the header ends without a line `format`")),
    }
}

/// The words of one line, with the line for every error.
struct Words<'t, 'a> {
    line: &'a [u8],
    text: &'t Text<'a>,
}

impl<'a> Words<'_, 'a> {
    fn word(&mut self) -> Option<&'a [u8]> {
        let line = self.line.trim_ascii_start();
        let length = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
        let (word, rest) = line.split_at(length);
        self.line = rest;
        (length > 0).then_some(word)
    }

    fn need(&mut self, wanted: &str) -> Parsed<&'a [u8]> {
        let text = self.text;
        let ends = || text.invalid(format!("the line ends where {wanted} should be"));
        self.word().ok_or_else(ends)
    }

    fn kind(&self, word: &[u8]) -> Parsed<Scalar> {
        Scalar::of_ply(word).ok_or_else(|| self.text.unexpected("the type of a number", word))
    }

    /// A line with a word too many has another meaning than the one read.
    fn end(&mut self) -> Parsed<()> {
        match self.word() {
            Some(word) => Err(self.text.unexpected("the end of the line", word)),
            None => Ok(()),
        }
    }
}

fn read_form(words: &mut Words<'_, '_>) -> Parsed<Form> {
    match words.need("`ascii` or `binary_little_endian`")? {
        b"ascii" => Ok(Form::Ascii),
        b"binary_little_endian" => Ok(Form::Binary(Endian::Little)),
        b"binary_big_endian" => Ok(Form::Binary(Endian::Big)),
        other => {
            let wanted = "`ascii`, `binary_little_endian` or `binary_big_endian`";
            Err(words.text.unexpected(wanted, other))
        }
    }
}

fn read_element<'a>(words: &mut Words<'_, 'a>) -> Parsed<Element<'a>> {
    let name = words.need("the name of an element")?;
    let count = words.need("the number of rows")?;
    let rows = to_i64(count).filter(|&rows| rows >= 0);
    let count = rows.ok_or_else(|| words.text.unexpected("the number of rows", count))?;
    words.end()?;
    Ok(Element { name, count, properties: Vec::new(), offset: words.text.offset() })
}

fn read_property<'a>(words: &mut Words<'_, 'a>) -> Parsed<Property<'a>> {
    let mut word = words.need("the type of a number")?;
    let mut length = None;
    if word == b"list" {
        let kind = words.need("the type of the length")?;
        length = Some(words.kind(kind)?);
        word = words.need("the type of a number")?;
    }
    let kind = words.kind(word)?;
    let name = words.need("the name of a property")?;
    words.end()?;
    Ok(Property { name, length, kind })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refuse(header: &str, expected: &str) {
        assert_eq!(read(header.as_bytes()).unwrap_err().to_string(), expected);
    }

    #[test]
    fn elements_and_properties_come_in_order() {
        let file = "ply\r\ncomment a\r\nformat binary_big_endian 1.0\r\nobj_info b\r\n\
            element a 2\r\nproperty list uchar int32 b\r\nelement c 0\r\n\
            property float64 d\r\nend_header\r\n\n";
        let header = read(file.as_bytes()).unwrap();
        assert_eq!(header.form, Form::Binary(Endian::Big));
        assert_eq!(header.end, file.len() - 1);
        let [a, c] = &header.elements[..] else { panic!("{header:?}") };
        assert_eq!((a.name, a.count, c.name, c.count), (&b"a"[..], 2, &b"c"[..], 0));
        let list = Property { name: b"b", length: Some(Scalar::U8), kind: Scalar::I32 };
        assert_eq!(a.properties, [list]);
        assert_eq!(c.properties, [Property { name: b"d", length: None, kind: Scalar::F64 }]);
    }

    #[test]
    fn a_byte_order_mark_is_read_over() {
        let file = "\u{feff}ply\nformat ascii 1.0\nend_header\n";
        assert_eq!(read(file.as_bytes()).unwrap().end, file.len());
    }

    #[test]
    fn faults_name_their_line() {
        refuse("", "line 1: expected `ply`, found ``");
        refuse("solid\n", "line 1: expected `ply`, found `solid`");
        refuse("ply\n", "line 1: the file ends where `end_header` should be");
        let no_form = "the header ends without a line `format`";
        refuse("ply\nend_header\n", &format!("line 2: {no_form}"));
        let wanted = "`ascii`, `binary_little_endian` or `binary_big_endian`";
        refuse("ply\nformat json\n", &format!("line 2: expected {wanted}, found `json`"));
        let number = "line 2: expected the number of rows, found";
        refuse("ply\nelement a -1\n", &format!("{number} `-1`"));
        refuse("ply\nelement a b\n", &format!("{number} `b`"));
        refuse("ply\nelement a\n", "line 2: the line ends where the number of rows should be");
        refuse("ply\nproperty int a\n", "line 2: a property stands before any element");
        let typed = "line 3: expected the type of a number, found `string`";
        refuse("ply\nelement a 1\nproperty string b", typed);
        refuse("ply\nelement a 1\nproperty list string int b", typed);
        let extra = "line 3: expected the end of the line, found `c`";
        refuse("ply\nelement a 1\nproperty int b c\n", extra);
        let other = "line 2: expected `element`, `property` or `end_header`, found `0`";
        refuse("ply\n0 0 0\n", other);
    }
}
