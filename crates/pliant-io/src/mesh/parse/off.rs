//! OFF files: a surface of polygons, as text.
//!
//! One vertex and one face per line; what stands behind the three coordinates or
//! the last corner (normals, colours, texture coordinates) is passed over. The
//! keyword may be missing, and the counts may follow it on its line, even without
//! a space between.

use crate::mesh::parse::fan::fan;
use crate::mesh::parse::lines::{Lines, Run};
use crate::mesh::parse::skipped::{EDGE, Names, POINT, Tally};
use crate::mesh::parse::text::{to_i64, vertex};
use crate::mesh::parse::{Fault, Parsed, encoding};
use pliant::id::VertexId;
use pliant::math::Vec3;
use pliant::mesh::raw::RawMesh;

/// Shortest row of a vertex, `0 0 0` and its line end, bytes.
const VERTEX_BYTES: usize = 6;

/// Shortest row of a face, `0` and its line end, bytes.
const FACE_BYTES: usize = 2;

/// Names of faces with fewer than three corners, by their number.
const FLAT_FACES: [Names; 3] = [["empty face", "empty faces"], POINT, EDGE];

/// Reads an OFF file; polygons are cut into fans, points and edges left out.
pub fn parse(bytes: &[u8]) -> Parsed<RawMesh> {
    let bytes = encoding::plain(bytes);
    let runs = [Run::whole(&bytes)];
    let mut lines = Lines::new(&runs, None);
    let (vertex_count, face_count) = counts(&mut lines)?;
    let mut mesh = RawMesh::default();
    mesh.positions.reserve(vertex_count);
    for i in 0..vertex_count {
        lines.need(|| format!("vertex {i} of {vertex_count}"))?;
        let (x, y, z) = (
            lines.number("a number for x")?,
            lines.number("a number for y")?,
            lines.number("a number for z")?,
        );
        mesh.positions.push(Vec3::new(x, y, z));
    }
    mesh.triangles.reserve(face_count);
    let (mut left_out, mut corners) = (Tally::default(), Vec::new());
    for i in 0..face_count {
        lines.need(|| format!("face {i} of {face_count}"))?;
        face(&mut lines, vertex_count, &mut corners)?;
        fan(&corners, &mut mesh.triangles);
        if let Some(&kind) = FLAT_FACES.get(corners.len()) {
            left_out.add(kind, 1);
        }
    }
    lines.end(|| format!("{face_count} faces"))?;
    mesh.notices.extend(left_out.left_out());
    Ok(mesh)
}

/// Reads the keyword, if there is one, and the numbers of vertices and faces.
fn counts(lines: &mut Lines) -> Parsed<(usize, usize)> {
    const VERTICES: &str = "`OFF` or the number of vertices";
    const FACES: &str = "the number of faces";
    lines.need(|| VERTICES.to_string())?;
    let word = lines.word().unwrap_or_default();
    let glued = match after_keyword(lines, word)? {
        b"" => next_word(lines, "the number of vertices")?,
        glued => glued,
    };
    if glued.eq_ignore_ascii_case(b"BINARY") {
        let why = "binary OFF is not read, only text".to_string();
        return Err(lines.fault(Fault::Unsupported(why)));
    }
    let vertices = to_i64(glued).ok_or_else(|| lines.unexpected(VERTICES, glued))?;
    let word = next_word(lines, FACES)?;
    let faces = to_i64(word).ok_or_else(|| lines.unexpected(FACES, word))?;
    if lines.word().is_none() {
        skip_edge_count(lines);
    }
    let vertices = lines.check_count(vertices, "vertices", VERTEX_BYTES)?;
    let faces = lines.check_count(faces, "faces", FACE_BYTES)?;
    Ok((vertices, faces))
}

/// What is left of the first word without the keyword; all of it without one.
fn after_keyword<'a>(lines: &Lines, word: &'a [u8]) -> Parsed<&'a [u8]> {
    let Some(at) = word.windows(3).position(|w| w.eq_ignore_ascii_case(b"OFF")) else {
        return Ok(word);
    };
    let (prefix, keyword) = word.split_at(at);
    // Only a small n before a large OFF stands for the dimension: `noff` has normals.
    if prefix.contains(&b'4') || (prefix.contains(&b'n') && keyword.starts_with(b"OFF")) {
        let why = "OFF with other than three coordinates per vertex is not read".to_string();
        return Err(lines.fault(Fault::Unsupported(why)));
    }
    if !prefix.iter().all(|b| b"STCN".contains(&b.to_ascii_uppercase())) {
        return Err(lines.unexpected("`OFF`", word));
    }
    Ok(&keyword[3..])
}

/// The next word of this line or of the next one.
fn next_word<'a>(lines: &mut Lines<'a>, wanted: &str) -> Parsed<&'a [u8]> {
    if let Some(word) = lines.word() {
        return Ok(word);
    }
    lines.need(|| wanted.to_string())?;
    Ok(lines.word().unwrap_or_default())
}

/// Passes over an edge count on a line of its own; some files have none at all.
fn skip_edge_count(lines: &mut Lines) {
    let mut ahead = lines.clone();
    let number = ahead.advance() && ahead.word().is_some_and(|word| to_i64(word).is_some());
    if number && ahead.word().is_none() {
        *lines = ahead;
    }
}

fn face(lines: &mut Lines, vertices: usize, corners: &mut Vec<VertexId>) -> Parsed<()> {
    let count = lines.integer("the number of corners")?;
    if count < 0 {
        return Err(lines.invalid(format!("a face has {count} corners")));
    }
    corners.clear();
    for _ in 0..count {
        let number = lines.integer("a corner of the face")?;
        corners.push(vertex(number, 0, vertices).map_err(|fault| lines.fault(fault))?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::parse::damage::check_damaged;

    /// A pyramid: a square and four triangles.
    const PYRAMID: &[u8] = b"OFF # a pyramid\n\n5 5 8\n\
        0 0 0\n1 0 0\n1 1 0 # a remark\n0 1 0\n.5 .5 1\n\
        4 0 3 2 1 1.0 0.5 0 1\n3 0 1 4\n3 1 2 4\n\n3 2 3 4 7\n3 3 0 4\n";

    /// A triangle without its first line.
    const TRIANGLE: &str = "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";

    #[track_caller]
    fn check_fault(file: &str, expected: &str) {
        assert_eq!(parse(file.as_bytes()).unwrap_err().to_string(), expected);
    }

    #[test]
    fn a_pyramid_is_read_as_written() {
        let mesh = parse(PYRAMID).unwrap();
        assert_eq!(mesh.positions.len(), 5);
        assert_eq!(mesh.positions[4], Vec3::new(0.5, 0.5, 1.0));
        let expected = [[0, 3, 2], [0, 2, 1], [0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]];
        assert_eq!(mesh.triangles, expected.map(|t| t.map(VertexId)));
        assert!(mesh.tets.is_empty() && mesh.regions.is_empty() && mesh.notices.is_empty());
    }

    #[test]
    fn all_ways_to_begin_give_the_same_mesh() {
        let expected = parse(format!("OFF\n3 1 0\n{TRIANGLE}").as_bytes()).unwrap();
        assert_eq!(expected.triangles.len(), 1);
        let heads = [
            "3 1 0",
            "3 1",
            "off\n3 1 3",
            "OFF 3 1 0",
            "OFF3 1 0",
            "OFF\r\n3\r\n1\r\n0",
            "#\nOFF 3\n1",
        ];
        for head in heads {
            let mesh = parse(format!("{head}\n{TRIANGLE}").as_bytes());
            assert_eq!(mesh.as_ref(), Ok(&expected), "{head}");
        }
    }

    #[test]
    fn normals_and_colours_are_passed_over() {
        let expected = parse(format!("OFF\n3 1 0\n{TRIANGLE}").as_bytes()).unwrap();
        for keyword in ["NOFF", "COFF", "STOFF", "STCNOFF", "noff", "OFF"] {
            let file = format!("{keyword}\n3 1 0\n{TRIANGLE}").replace(" 0\n", " 0 .1 .2 .3\n");
            assert_eq!(parse(file.as_bytes()).as_ref(), Ok(&expected), "{keyword}");
        }
    }

    #[test]
    fn points_and_edges_are_counted() {
        let file = b"OFF\n2 4 0\nnan 0 0\n1 0 inf\n2 0 1\n1 1\n2 1 0 255 0 0\n0\n";
        let mesh = parse(file).unwrap();
        assert!(mesh.triangles.is_empty() && mesh.positions[0].x.is_nan());
        assert_eq!(mesh.notices, ["left out 2 edges, 1 point element and 1 empty face"]);
    }

    #[test]
    fn faults_name_their_line() {
        check_fault("", "line 1: the file ends where `OFF` or the number of vertices should be");
        check_fault("OFF\n", "line 1: the file ends where the number of vertices should be");
        check_fault("OFF BINARY\n\0\0", "line 1: binary OFF is not read, only text");
        let dimension = "line 1: OFF with other than three coordinates per vertex is not read";
        check_fault("4OFF\n1 0 0\n0 0 0 1\n", dimension);
        check_fault("nOFF 2\n1 0 0\n0 0\n", dimension);
        check_fault("POFF\n1 0 0\n", "line 1: expected `OFF`, found `POFF`");
        check_fault("ply\n", "line 1: expected `OFF` or the number of vertices, found `ply`");
        check_fault(
            "OFF\n2 0 0\n0 0 0      \n",
            "line 3: the file ends where vertex 1 of 2 should be",
        );
        check_fault(
            "OFF\n1 0 0\n0 0\n     \n",
            "line 3: the line ends where a number for z should be",
        );
        check_fault("OFF\n1 1 0\n0 0 0\n", "line 3: the file ends where face 0 of 1 should be");
        check_fault(
            "OFF\n1 1 0\n0 0 0\n3 0 0 1\n",
            "line 4: vertex 1 does not exist, the file numbers 1 vertices",
        );
        check_fault(
            "OFF\n1 1 0\n0 0 0\n3 0 0\n",
            "line 4: the line ends where a corner of the face should be",
        );
        check_fault("OFF\n1 1 0\n0 0 0\n-3 0 0\n", "line 4: a face has -3 corners");
        check_fault(
            "OFF\n1 0 0\n0 0 0\n3 0 0 0\n",
            "line 4: expected the end of the file after 0 faces, found `3`",
        );
        check_fault(
            "OFF\n353535235358 6 0\n0 0 0\n",
            "line 2: 353535235358 vertices announced, \
            the rest of the file has room for at most 1",
        );
    }

    #[test]
    fn damaged_files_never_panic() {
        check_damaged(PYRAMID, parse);
    }
}
