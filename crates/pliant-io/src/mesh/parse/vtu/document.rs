//! The XML of a VTU file, cut off where its appended data begins.

use std::borrow::Cow;
use std::str::FromStr;

use roxmltree::{Document, Error, Node};

use crate::mesh::parse::text::{line_of, quote};
use crate::mesh::parse::{Fault, ParseError, Parsed, Place};

/// Opens the appended data.
const APPENDED: &[u8] = b"<AppendedData";
/// Closes it.
const APPENDED_END: &[u8] = b"</AppendedData";
/// Takes the place of everything behind the start of the appended data.
const CLOSING: &str = "</AppendedData></VTKFile>";

/// More attributes in one element than any file has; comparing them all is quadratic.
const MOST_ATTRIBUTES: usize = 256;
/// More namespaces than any file declares; every element repeats those above it.
const MOST_NAMESPACES: usize = 16;

/// Cuts a file into its XML and the bytes of its appended data, if it has any.
pub(super) fn split(bytes: &[u8]) -> Parsed<(Cow<'_, str>, Option<&[u8]>)> {
    let Some((xml, data)) = appended(bytes)? else {
        return Ok((Cow::Borrowed(utf8(bytes)?), None));
    };
    // The last one: raw bytes may hold anything before it.
    let end = data.windows(APPENDED_END.len()).rposition(|window| window == APPENDED_END);
    let data = &data[..end.unwrap_or(data.len())];
    Ok((Cow::Owned([utf8(xml)?, CLOSING].concat()), Some(data)))
}

/// Parses the XML.
pub(super) fn open(xml: &str) -> Parsed<Document<'_>> {
    let xml = xml.strip_prefix('\u{feff}').unwrap_or(xml);
    check_size(xml)?;
    Document::parse(xml).map_err(|error| {
        let line = match error {
            Error::UnexpectedEndOfStream | Error::UnclosedRootNode => {
                line_of(xml.as_bytes(), xml.len())
            }
            _ => error.pos().row as usize,
        };
        let why = match xml.starts_with("# vtk") {
            true => "a legacy VTK file, not XML: give it the ending .vtk".to_string(),
            false => format!("not XML as it should be: {error}"),
        };
        ParseError::new(Place::Line(line), Fault::Invalid(why))
    })
}

/// Child elements of a name.
pub(super) fn children<'a>(
    node: Node<'a, 'a>,
    name: &'static str,
) -> impl Iterator<Item = Node<'a, 'a>> {
    node.children().filter(move |child| child.tag_name().name() == name)
}

/// The first child element of a name.
pub(super) fn child<'a>(node: Node<'a, 'a>, name: &'static str) -> Parsed<Node<'a, 'a>> {
    children(node, name).next().ok_or_else(|| {
        let why = format!("{} has no element `{name}`", node.tag_name().name());
        ParseError::new(line(&node), Fault::Invalid(why))
    })
}

/// An attribute as a number.
pub(super) fn attribute<T: FromStr>(node: &Node, name: &str) -> Parsed<T> {
    let Some(value) = node.attribute(name) else {
        let why = format!("{} has no attribute `{name}`", node.tag_name().name());
        return Err(ParseError::new(line(node), Fault::Invalid(why)));
    };
    value.trim().parse().map_err(|_| {
        let (wanted, found) = (format!("a count in `{name}`"), quote(value.as_bytes()));
        ParseError::new(line(node), Fault::Unexpected { wanted, found })
    })
}

/// The line where an element begins; slow, for errors only.
pub(super) fn line(node: &Node) -> Place {
    line_at(node.document().input_text().as_bytes(), node.range().start)
}

/// The one text inside an element, and what stands in the file before it.
pub(super) fn content<'a>(node: &Node<'a, 'a>) -> Parsed<(&'a [u8], &'a [u8])> {
    let blank = |text: &str| text.bytes().all(|b| b.is_ascii_whitespace());
    let texts = node.children().filter(|child| child.is_text());
    let mut texts = texts.filter(|child| !blank(child.text().unwrap_or_default()));
    let xml = node.document().input_text().as_bytes();
    let Some(child) = texts.next() else { return Ok((b"", &xml[..node.range().start])) };
    if texts.next().is_some() {
        let why = "a comment or an element stands between the numbers".to_string();
        return Err(ParseError::new(line(node), Fault::Invalid(why)));
    }
    Ok((child.text().unwrap_or_default().as_bytes(), &xml[..child.range().start]))
}

/// The XML up to the appended data, and what follows its underscore.
fn appended(bytes: &[u8]) -> Parsed<Option<(&[u8], &[u8])>> {
    let Some(open) = find(bytes, APPENDED) else { return Ok(None) };
    let fault = |fault| Err(ParseError::new(line_at(bytes, open), fault));
    let wanted = "the `_` before the appended data".to_string();
    let Some(length) = find(&bytes[open..], b">") else {
        return fault(Fault::Truncated { wanted });
    };
    let close = open + length;
    if bytes[close - 1] == b'/' {
        return Ok(None);
    }
    let rest = bytes[close + 1..].trim_ascii_start();
    match rest.split_first() {
        Some((b'_', data)) => Ok(Some((&bytes[..=close], data))),
        Some(_) => fault(Fault::Unexpected { wanted, found: quote(&rest[..1]) }),
        None => fault(Fault::Truncated { wanted }),
    }
}

/// Where a piece of text first stands.
fn find(bytes: &[u8], piece: &[u8]) -> Option<usize> {
    let first = *piece.first()?;
    let mut at = 0;
    loop {
        at += bytes[at..].iter().position(|&b| b == first)?;
        if bytes[at..].starts_with(piece) {
            return Some(at);
        }
        at += 1;
    }
}

fn utf8(bytes: &[u8]) -> Parsed<&str> {
    std::str::from_utf8(bytes).map_err(|error| {
        let line = line_at(bytes, error.valid_up_to());
        ParseError::new(line, Fault::Invalid("not text in UTF-8".to_string()))
    })
}

/// The line that a byte stands in.
fn line_at(bytes: &[u8], offset: usize) -> Place {
    // `line_of` takes an offset behind what is at fault.
    Place::Line(line_of(bytes, offset + 1))
}

/// Refuses what would cost more time or memory than a constant times the bytes.
fn check_size(xml: &str) -> Parsed<()> {
    let whole = |why: String| Err(ParseError::new(Place::Whole, Fault::Unsupported(why)));
    if u32::try_from(xml.len()).is_err() {
        return whole("more than 4 GiB of XML: write the arrays as appended data".to_string());
    }
    let attributes = |text: &[u8]| text.iter().filter(|&&b| b == b'=').count();
    // Most files are done here, at a fraction of the cost of what follows.
    if attributes(xml.as_bytes()) <= MOST_ATTRIBUTES {
        return Ok(());
    }
    if xml.matches("xmlns").nth(MOST_NAMESPACES).is_some() {
        return whole(format!("more than {MOST_NAMESPACES} XML namespaces"));
    }
    let mut at = 0;
    // No attribute holds a `<`, so that its element ends before the next one.
    for element in xml.as_bytes().split(|&b| b == b'<') {
        if attributes(element) > MOST_ATTRIBUTES && !element.starts_with(b"!--") {
            let line = line_at(xml.as_bytes(), at);
            let why = format!("more than {MOST_ATTRIBUTES} attributes in one element");
            return Err(ParseError::new(line, Fault::Unsupported(why)));
        }
        at += element.len() + 1;
    }
    Ok(())
}
