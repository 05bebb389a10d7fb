//! STL files, ascii and binary: triangles without shared vertices.
//!
//! Every triangle brings its own three vertices, in file order; merging those that
//! coincide is left to whoever needs it. Normals and attributes are read over.

use crate::mesh::parse::binary::{Binary, Endian};
use crate::mesh::parse::fan::Fans;
use crate::mesh::parse::skipped::{BYTE, counted};
use crate::mesh::parse::text::{Text, quote};
use crate::mesh::parse::{Fault, ParseError, Parsed, Place, encoding};
use pliant::id::VertexId;
use pliant::math::Vec3;
use pliant::mesh::raw::RawMesh;

/// Free text before the count of a binary file, bytes.
const HEADER: usize = 80;

/// Header and count of a binary file, bytes.
const PREAMBLE: usize = 84;

/// One triangle of a binary file: normal, three vertices, attribute; bytes.
const RECORD: usize = 50;

/// Where the vertices lie within a record, bytes.
const VERTICES: std::ops::Range<usize> = 12..48;

/// Most words between `facet` and `outer`: `normal` and its three numbers.
const NORMAL_WORDS: usize = 4;

/// Triangles of an STL file.
///
/// A binary file is recognised by its size, even if it starts with `solid`. Loops of more
/// than three vertices come cut into fans, and bytes after the last triangle of a
/// binary file are left out, both with a notice. An ascii file must be closed by `endsolid`.
pub fn parse(bytes: &[u8]) -> Parsed<RawMesh> {
    if size_is_binary(bytes) {
        return parse_binary(bytes);
    }
    let text = encoding::plain(bytes);
    let start = text.trim_ascii_start();
    // The top byte of a binary file's count is zero below sixteen million triangles.
    let counted = bytes.get(PREAMBLE - 1) == Some(&0) && text.len() == bytes.len();
    if !counted && starts_with_word(start, b"solid") {
        return parse_ascii(&text);
    }
    if let Some(count) = bytes.get(HEADER..PREAMBLE)
        && count.iter().all(|b| b.is_ascii_graphic() || b.is_ascii_whitespace())
    {
        let found = quote(start.split(u8::is_ascii_whitespace).next().unwrap_or_default());
        let wanted = "`solid` or a binary STL file".to_string();
        return Err(ParseError::new(Place::Line(1), Fault::Unexpected { wanted, found }));
    }
    parse_binary(bytes)
}

fn size_is_binary(bytes: &[u8]) -> bool {
    let mut file = Binary::new(bytes, HEADER, Endian::Little);
    let size = file.u32("").map(|count| PREAMBLE as u64 + RECORD as u64 * u64::from(count));
    size.is_ok_and(|size| size == bytes.len() as u64)
}

fn starts_with_word(text: &[u8], word: &[u8]) -> bool {
    text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
        && text.get(word.len()).is_none_or(u8::is_ascii_whitespace)
}

fn parse_binary(bytes: &[u8]) -> Parsed<RawMesh> {
    let mut file = Binary::new(bytes, 0, Endian::Little);
    file.take(HEADER, "the header of a binary STL file")?;
    let announced = file.u32("the number of triangles")?;
    let count = file.check_count(announced.into(), "triangles", RECORD)?;
    if announced > u32::MAX / 3 {
        let why = format!("{announced} triangles have more vertices than can be numbered");
        return Err(file.fault(Fault::Unsupported(why)));
    }
    let records = file.take(count * RECORD, "triangles")?;
    let mut positions = Vec::with_capacity(3 * count);
    for record in records.as_chunks::<RECORD>().0 {
        for vertex in record[VERTICES].as_chunks::<12>().0 {
            let [x, y, z] = [0, 4, 8].map(|at| {
                let raw = [vertex[at], vertex[at + 1], vertex[at + 2], vertex[at + 3]];
                f64::from(f32::from_le_bytes(raw))
            });
            positions.push(Vec3::new(x, y, z));
        }
    }
    let triangles = (0..announced).map(|t| [3 * t, 3 * t + 1, 3 * t + 2].map(VertexId)).collect();
    let rest = bytes.len() - file.offset();
    let notices =
        (rest > 0).then(|| format!("left out {} after the last triangle", counted(rest, BYTE)));
    Ok(RawMesh {
        positions,
        triangles,
        notices: notices.into_iter().collect(),
        ..RawMesh::default()
    })
}

fn parse_ascii(bytes: &[u8]) -> Parsed<RawMesh> {
    let mut text = Text::new(bytes, None);
    let mut mesh = RawMesh::default();
    let mut fans = Fans::default();
    while text.peek().is_some() {
        text.expect("solid")?;
        text.line(); // a name may be missing or hold any words
        loop {
            let word = text.need("`facet` or `endsolid`")?;
            if word.eq_ignore_ascii_case(b"endsolid") {
                text.line();
                break;
            }
            if !word.eq_ignore_ascii_case(b"facet") {
                return Err(text.unexpected("`facet` or `endsolid`", word));
            }
            facet(&mut text, &mut mesh.positions, &mut fans)?;
        }
    }
    mesh.notices.extend(fans.notice());
    mesh.triangles = fans.triangles;
    Ok(mesh)
}

/// One facet, after its first word.
fn facet(text: &mut Text<'_>, positions: &mut Vec<Vec3>, fans: &mut Fans) -> Parsed<()> {
    // The normal goes unread: exporters write `-nan(ind)` and worse for flat facets.
    let mut skipped = 0;
    loop {
        let word = text.need("`outer loop`")?;
        if word.eq_ignore_ascii_case(b"outer") {
            break;
        }
        skipped += 1;
        if skipped > NORMAL_WORDS {
            return Err(text.unexpected("`outer loop`", word));
        }
    }
    text.expect("loop")?;
    loop {
        let word = text.need("`vertex` or `endloop`")?;
        if word.eq_ignore_ascii_case(b"endloop") {
            break;
        }
        if !word.eq_ignore_ascii_case(b"vertex") {
            return Err(text.unexpected("`vertex` or `endloop`", word));
        }
        let Ok(number) = u32::try_from(positions.len()) else {
            let why = "more vertices than can be numbered".to_string();
            return Err(text.fault(Fault::Unsupported(why)));
        };
        positions.push(text.point()?);
        fans.corner(VertexId(number));
    }
    fans.close().map_err(|why| text.invalid(why))?;
    text.expect("endfacet")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::parse::damage::check_damaged;

    const ONE_FACET: &str = "solid a b facet\n facet normal 0 0 1\n  outer loop\n   \
        vertex 0 0 0\n   vertex 1 0 0\n   vertex 0 0.1 0\n  endloop\n endfacet\nendsolid a b\n";

    /// A binary file of triangles at heights 0, 1, 2, …
    fn binary(start: &[u8], triangles: u32) -> Vec<u8> {
        let mut file = start.to_vec();
        file.resize(HEADER, b' ');
        file.extend(triangles.to_le_bytes());
        for z in 0..triangles {
            let z = z as f32;
            let numbers = [0.0, 0.0, 1.0, 0.0, 0.0, z, 1.0, 0.0, z, 0.0, 0.1, z];
            file.extend(numbers.iter().flat_map(|number: &f32| number.to_le_bytes()));
            file.extend([7, 7]);
        }
        file
    }

    #[track_caller]
    fn refuse(file: &[u8], expected: &str) {
        assert_eq!(parse(file).unwrap_err().to_string(), expected);
    }

    #[test]
    fn ascii_facets_bring_their_own_vertices() {
        let mesh = parse(ONE_FACET.repeat(2).as_bytes()).unwrap();
        let corners = [Vec3::ZERO, Vec3::X, Vec3::new(0.0, 0.1, 0.0)];
        assert_eq!(mesh.positions, [corners, corners].concat());
        assert_eq!(mesh.triangles, [[0, 1, 2].map(VertexId), [3, 4, 5].map(VertexId)]);
        assert_eq!(mesh.notices, [""; 0]);
    }

    #[test]
    fn binary_numbers_are_widened_as_they_are() {
        let mesh = parse(&binary(b"made by hand", 2)).unwrap();
        assert_eq!(mesh.positions.len(), 6);
        assert_eq!(mesh.positions[5], Vec3::new(0.0, f64::from(0.1_f32), 1.0));
        assert_eq!(mesh.triangles, [[0, 1, 2].map(VertexId), [3, 4, 5].map(VertexId)]);
    }

    #[test]
    fn a_binary_file_may_start_with_solid() {
        assert_eq!(parse(&binary(b"solid", 3)).unwrap().triangles.len(), 3);
        let wide: Vec<u8> =
            format!("{:40}", "solid").encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(parse(&binary(&wide, 3)).unwrap().triangles.len(), 3);
        let cut = &binary(b"solid", 3)[..200];
        let counts = "3 triangles announced, the rest of the file has room for at most 2";
        refuse(cut, &format!("byte 84: {counts}"));
    }

    #[test]
    fn case_line_ends_and_layout_do_not_matter() {
        let expected = parse(ONE_FACET.as_bytes()).unwrap();
        let shout = ONE_FACET.to_uppercase();
        assert_eq!(parse(shout.as_bytes()).unwrap(), expected);
        assert_eq!(parse(ONE_FACET.replace('\n', "\r\n").as_bytes()).unwrap(), expected);
        assert_eq!(parse(ONE_FACET.replace('\n', "\r").as_bytes()).unwrap(), expected);
        assert_eq!(parse(ONE_FACET.replace("solid a b", "solid").as_bytes()).unwrap(), expected);
        let wide: Vec<u8> = ONE_FACET.encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(parse(&wide).unwrap(), expected);
    }

    #[test]
    fn normals_go_unread() {
        let odd = ONE_FACET.replace("0 0 1", "-nan(ind) 1.#IND x");
        assert_eq!(parse(odd.as_bytes()).unwrap().triangles.len(), 1);
        let none = ONE_FACET.replace("normal 0 0 1", "");
        assert_eq!(parse(none.as_bytes()).unwrap().triangles.len(), 1);
    }

    #[test]
    fn empty_solids_are_empty() {
        for file in ["solid Empty\nendsolid Empty", "solid\nendsolid\nsolid b\nendsolid"] {
            assert_eq!(parse(file.as_bytes()).unwrap(), RawMesh::default());
        }
        assert_eq!(parse(&binary(b"none", 0)).unwrap(), RawMesh::default());
    }

    #[test]
    fn loops_of_more_vertices_become_fans_with_a_notice() {
        let quad = ONE_FACET.replace("  endloop", "vertex 0 0 nan\n endloop");
        let mesh = parse(quad.as_bytes()).unwrap();
        assert_eq!(mesh.positions.len(), 4);
        assert!(mesh.positions[3].z.is_nan());
        assert_eq!(mesh.triangles, [[0, 1, 2].map(VertexId), [0, 2, 3].map(VertexId)]);
        let notice = "cut 1 polygon with more than three corners into fans of triangles";
        assert_eq!(mesh.notices, [notice]);
    }

    #[test]
    fn bytes_after_the_last_triangle_are_told() {
        let mesh = parse(&[binary(b"", 1), vec![0; 3]].concat()).unwrap();
        assert_eq!(mesh.triangles.len(), 1);
        assert_eq!(mesh.notices, ["left out 3 bytes after the last triangle"]);
    }

    #[test]
    fn faults_name_their_place() {
        let refuse_with = |from: &str, to: &str, expected: &str| {
            refuse(ONE_FACET.replacen(from, to, 1).as_bytes(), expected);
        };
        refuse_with(" facet n", " face n", "line 2: expected `facet` or `endsolid`, found `face`");
        refuse_with("outer", "inner", "line 3: expected `outer loop`, found `inner`");
        refuse_with("loop", "circle", "line 3: expected `loop`, found `circle`");
        refuse_with("1 0 0", "1 0", "line 6: expected a number for z, found `vertex`");
        refuse_with("vertex 1 0 0", "", "line 7: a face needs three corners, this one has 2");
        refuse_with("endfacet", "", "line 9: expected `endfacet`, found `endsolid`");
        let end = "the file ends where `facet` or `endsolid` should be";
        refuse_with("endsolid a b\n", "", &format!("line 8: {end}"));
        refuse(b"solid a\nendsolid\nfacet", "line 3: expected `solid`, found `facet`");
    }

    #[test]
    fn what_is_no_stl_file_is_refused() {
        refuse(b"", "byte 0: the file ends where the header of a binary STL file should be");
        let page = "<html> ".repeat(20);
        let wanted = "line 1: expected `solid` or a binary STL file, found `<html>`";
        refuse(page.as_bytes(), wanted);
        let mut cut = binary(b"", 9);
        cut.truncate(83);
        refuse(&cut, "byte 80: the file ends where the number of triangles should be");
    }

    #[test]
    fn damaged_files_never_panic() {
        let shout = ONE_FACET.to_uppercase();
        for file in [ONE_FACET.as_bytes(), shout.as_bytes(), &binary(b"solid", 2)] {
            check_damaged(file, parse);
        }
    }
}
