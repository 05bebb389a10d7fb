//! Wavefront OBJ files: vertices and polygons.
//!
//! A vertex's index is its place among the `v` lines. Texture coordinates, normals,
//! weights and colours are read over; they neither split nor merge vertices.

use std::borrow::Cow;

use crate::mesh::parse::fan::Fans;
use crate::mesh::parse::skipped::{LINE, Names, POINT, Tally, counted};
use crate::mesh::parse::text::{Text, line_of, quote, to_f64, to_i64};
use crate::mesh::parse::{Fault, ParseError, Parsed, Place, encoding};
use pliant::id::VertexId;
use pliant::math::Vec3;
use pliant::mesh::raw::RawMesh;

/// Statements that say nothing about which polygons there are.
const WITHOUT_SHAPE: &str = "vt vn vp g s mg o usemtl mtllib usemap maplib bevel c_interp \
    d_interp lod shadow_obj trace_obj ctech stech cstype deg bmat step parm trim hole scrv sp \
    end con res";

/// A curve that is no chain of lines.
const CURVE: Names = ["free-form curve", "free-form curves"];

/// A surface that is no set of polygons.
const SURFACE: Names = ["free-form surface", "free-form surfaces"];

/// What is known of a file while its statements are read.
#[derive(Default)]
struct Reader {
    /// Vertices so far, m.
    positions: Vec<Vec3>,
    /// Faces so far, as triangles.
    fans: Fans,
    /// The greatest number used before its vertex, and the offset of that face.
    ahead: Option<(i64, usize)>,
    /// Lines, points and free-form shapes.
    left_out: Tally,
    /// Statements of unknown kind.
    unknown: usize,
    /// The first of them, and the offset of its end.
    first_unknown: Option<(String, usize)>,
}

/// Vertices and polygons of an OBJ file; polygons come cut into fans.
///
/// Faces may name vertices that follow later. Lines, points, free-form shapes and
/// statements of unknown kind are counted in notices. An error in a statement that
/// continues after a `\` names the last of its lines.
pub fn parse(bytes: &[u8]) -> Parsed<RawMesh> {
    let bytes = encoding::plain(bytes);
    let mut text = Text::new(&bytes, Some(b'#'));
    let mut reader = Reader::default();
    while let Some(statement) = next_statement(&mut text) {
        let mut words = statement.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let Some(keyword) = words.next() else { continue };
        match keyword {
            b"v" => reader.vertex(words, &text)?,
            b"f" | b"fo" => reader.face(words, &text)?,
            b"l" => reader.left_out.add(LINE, 1),
            b"p" => reader.left_out.add(POINT, words.count()),
            b"curv" | b"curv2" | b"cdc" => reader.left_out.add(CURVE, 1),
            b"surf" | b"bsp" | b"bzp" | b"cdp" => reader.left_out.add(SURFACE, 1),
            _ if WITHOUT_SHAPE.split(' ').any(|known| known.as_bytes() == keyword) => {}
            _ => reader.unknown(keyword, &text),
        }
    }
    reader.finish(&bytes)
}

/// The next line without its comment, joined with the next after a `\` at its end.
fn next_statement<'a>(text: &mut Text<'a>) -> Option<Cow<'a, [u8]>> {
    let line = text.line()?;
    let Some(line) = line.strip_suffix(b"\\") else { return Some(Cow::Borrowed(line)) };
    let mut joined = line.to_vec();
    while let Some(line) = text.line() {
        joined.push(b' ');
        match line.strip_suffix(b"\\") {
            Some(line) => joined.extend_from_slice(line),
            None => {
                joined.extend_from_slice(line);
                break;
            }
        }
    }
    Some(Cow::Owned(joined))
}

impl Reader {
    fn vertex<'a>(
        &mut self,
        mut words: impl Iterator<Item = &'a [u8]>,
        text: &Text<'_>,
    ) -> Parsed<()> {
        let mut point = [0.0; 3];
        for (coordinate, name) in
            point.iter_mut().zip(["a number for x", "a number for y", "a number for z"])
        {
            let word = words.next().ok_or_else(|| missing(text, name))?;
            *coordinate = to_f64(word).ok_or_else(|| text.unexpected(name, word))?;
        }
        // Weights and colours do not matter, but a statement that lost its line end does.
        match words.find(|word| !may_be_number(word)) {
            Some(word) => Err(text.unexpected("a weight or a colour", word)),
            None => {
                self.positions.push(Vec3::from(point));
                Ok(())
            }
        }
    }

    fn face<'a>(&mut self, words: impl Iterator<Item = &'a [u8]>, text: &Text<'_>) -> Parsed<()> {
        for word in words {
            let digits = word.iter().position(|&b| b == b'/').unwrap_or(word.len());
            let number =
                to_i64(&word[..digits]).ok_or_else(|| text.unexpected("a vertex number", word))?;
            let corner = self.corner(number, text)?;
            self.fans.corner(corner);
        }
        self.fans.close().map_err(|why| text.invalid(why))
    }

    /// The vertex that a number stands for; one still to come is checked at the end.
    #[inline]
    fn corner(&mut self, number: i64, text: &Text<'_>) -> Parsed<VertexId> {
        let count = self.positions.len();
        if number == 0 {
            return Err(text.invalid("vertex 0 does not exist, OBJ files count from 1"));
        }
        let index = if number > 0 { number - 1 } else { count as i64 + number };
        if index < 0 {
            let why = format!("vertex {number} reaches back beyond the {count} vertices above it");
            return Err(text.invalid(why));
        }
        if index >= numbered(count) && self.ahead.is_none_or(|(greatest, _)| index >= greatest) {
            self.ahead = Some((index + 1, text.offset()));
        }
        // An index beyond `u32` is ahead of any count: `finish` refuses it.
        Ok(VertexId(index as u32))
    }

    fn unknown(&mut self, keyword: &[u8], text: &Text<'_>) {
        self.unknown += 1;
        self.first_unknown.get_or_insert_with(|| (quote(keyword), text.offset()));
    }

    fn finish(mut self, bytes: &[u8]) -> Parsed<RawMesh> {
        let count = self.positions.len();
        if let Some((number, offset)) = self.ahead
            && number > numbered(count)
        {
            let place = Place::Line(line_of(bytes, offset));
            return Err(ParseError::new(place, Fault::NoSuchVertex { number, count }));
        }
        let unknown = self.first_unknown.take().map(|(keyword, offset)| {
            let statements = counted(self.unknown, ["statement", "statements"]);
            let line = line_of(bytes, offset);
            format!(
                "left out {statements} of unknown kind, the first is `{keyword}` in line {line}"
            )
        });
        Ok(RawMesh {
            notices: [self.fans.notice(), self.left_out.left_out(), unknown]
                .into_iter()
                .flatten()
                .collect(),
            positions: self.positions,
            triangles: self.fans.triangles,
            ..RawMesh::default()
        })
    }
}

/// How many of the vertices an index can reach.
fn numbered(count: usize) -> i64 {
    count.min(u32::MAX as usize) as i64
}

fn missing(text: &Text<'_>, wanted: &str) -> ParseError {
    text.invalid(format!("the line ends where {wanted} should be"))
}

/// Whether a word starts as numbers do, NaN and infinities among them.
fn may_be_number(word: &[u8]) -> bool {
    word.first()
        .is_some_and(|b| matches!(b, b'0'..=b'9' | b'+' | b'-' | b'.' | b'n' | b'N' | b'i' | b'I'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::parse::damage::check_damaged;

    /// Four vertices to hang faces on.
    const CORNERS: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";

    #[track_caller]
    fn check(faces: &str, expected: &[[u32; 3]]) -> RawMesh {
        let mesh = parse(format!("{CORNERS}{faces}").as_bytes()).unwrap();
        assert_eq!(mesh.positions, [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z]);
        let found: Vec<_> = mesh.triangles.iter().map(|corners| corners.map(|v| v.0)).collect();
        assert_eq!(found, expected);
        mesh
    }

    #[track_caller]
    fn refuse(file: &str, expected: &str) {
        assert_eq!(parse(file.as_bytes()).unwrap_err().to_string(), expected);
    }

    #[test]
    fn corners_are_read_in_all_their_forms() {
        check(
            "f 1 2 3\nf 1/5 2/6 3/7\nf 1//9 2//9 3//9\nf 1/5/9 2/6/9 3/7/9\nf 1// 2/ 3//",
            &[[0, 1, 2]; 5],
        );
    }

    #[test]
    fn negative_numbers_count_back_from_the_latest_vertex() {
        check("f -4 -3 -1\n", &[[0, 1, 3]]);
        let mesh = parse(b"v 0 0 0\nv 1 0 0\nv 2 0 0\nf -3 -2 -1\nv 3 0 0\nf -3//-1 -2//-1 -1//-1");
        let expected = [[0, 1, 2].map(VertexId), [1, 2, 3].map(VertexId)];
        assert_eq!(mesh.unwrap().triangles, expected);
    }

    #[test]
    fn polygons_become_fans_with_a_notice() {
        let mesh = check("f 1 2 3 4\n", &[[0, 1, 2], [0, 2, 3]]);
        let notice = "cut 1 polygon with more than three corners into fans of triangles";
        assert_eq!(mesh.notices, [notice]);
    }

    #[test]
    fn a_backslash_continues_a_line_but_not_from_a_comment() {
        check("f 1 \\\r\n 2\\\n3\n# C:\\\nf 2 3 4 \\", &[[0, 1, 2], [1, 2, 3]]);
    }

    #[test]
    fn line_ends_indents_and_encodings_are_those_people_have() {
        check("\tf  1 2\t3 # first\r\n  f 2 3 4", &[[0, 1, 2], [1, 2, 3]]);
        let file = format!("{CORNERS}f 1 2 3\n");
        let expected = parse(file.as_bytes()).unwrap();
        assert_eq!(parse(file.replace('\n', "\r").as_bytes()).unwrap(), expected);
        let wide: Vec<u8> = file.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(parse(&wide).unwrap(), expected);
        // Windows-1252 has é as E9.
        assert_eq!(parse(&[b"o caf\xe9\n", file.as_bytes()].concat()).unwrap(), expected);
    }

    #[test]
    fn weights_and_colours_are_read_over() {
        let mesh = parse(b"v 1 2 3 0.5\nv 4 5 6 nan NaN inf\nv 7 8 9 1 .5 0 1\n").unwrap();
        let expected = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]].map(Vec3::from);
        assert_eq!(mesh.positions, expected);
        assert!(mesh.triangles.is_empty());
        refuse("v 1 2 3 v 4 5 6", "line 1: expected a weight or a colour, found `v`");
    }

    #[test]
    fn coordinates_keep_all_their_digits_and_may_be_no_numbers() {
        let mesh = parse(b"v 0.1234567890123456 1e-300 nan").unwrap();
        assert_eq!(mesh.positions[0].x, 0.1234567890123456);
        assert_eq!(mesh.positions[0].y, 1e-300);
        assert!(mesh.positions[0].z.is_nan());
    }

    #[test]
    fn what_is_left_out_is_counted() {
        let odd = "l 1 2 3\nl 1 2\np 1 2 3\ncurv 0 1 1 2\nsurf 0 1 0 1 1\nend\nvt 0 0\nfoo\nbar\n";
        let mesh = check(odd, &[]);
        let left_out =
            "left out 2 line elements, 3 point elements, 1 free-form curve and 1 free-form surface";
        let unknown = "left out 2 statements of unknown kind, the first is `foo` in line 12";
        assert_eq!(mesh.notices, [left_out, unknown]);
    }

    #[test]
    fn faces_may_come_before_their_vertices() {
        let mesh = parse(format!("f 1 2 4\n{CORNERS}").as_bytes()).unwrap();
        assert_eq!(mesh.triangles, [[0, 1, 3].map(VertexId)]);
        refuse(
            &format!("f 1 2 4\nf 1 5 6\nf 1 2 5\n{CORNERS}"),
            "line 2: vertex 6 does not exist, the file numbers 4 vertices",
        );
    }

    #[test]
    fn faults_name_their_line() {
        let refuse = |faces: &str, expected: &str| refuse(&format!("{CORNERS}{faces}"), expected);
        refuse("f 1 2\n", "line 5: a face needs three corners, this one has 2");
        refuse("f", "line 5: a face needs three corners, this one has 0");
        refuse("\nf 1 0 2", "line 6: vertex 0 does not exist, OBJ files count from 1");
        refuse("f 1 5 2\n", "line 5: vertex 5 does not exist, the file numbers 4 vertices");
        let huge = "vertex 4294967297 does not exist, the file numbers 4 vertices";
        refuse("f 1 2 4294967297", &format!("line 5: {huge}"));
        refuse("f 1 -5 2", "line 5: vertex -5 reaches back beyond the 4 vertices above it");
        refuse("f 1 /2 2", "line 5: expected a vertex number, found `/2`");
        refuse("f 1 2.5 2", "line 5: expected a vertex number, found `2.5`");
        refuse("v 1 2\nv 1 2 3", "line 5: the line ends where a number for z should be");
        refuse("v 1 2 3.1+e2", "line 5: expected a number for z, found `3.1+e2`");
    }

    #[test]
    fn an_empty_file_is_an_empty_mesh() {
        assert_eq!(parse(b"").unwrap(), RawMesh::default());
    }

    #[test]
    fn damaged_files_never_panic() {
        let file = "o a\nv 0 0 0\nv 1 0 0 1\nv 0 1.5e2 -0\nl 1 2\nf 1/2/3 2// \\\n-1 3\nf 3 2 1";
        check_damaged(file.as_bytes(), parse);
    }
}
