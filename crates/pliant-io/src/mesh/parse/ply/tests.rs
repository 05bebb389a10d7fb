//! Files worked by hand, in every form that PLY has.

use super::*;
use crate::mesh::parse::damage::check_damaged;

const TRIANGLE: &str = "element vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
    element face 1\nproperty list uchar int vertex_indices\nend_header\n";

const ROWS: &str = "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";

fn ascii(header: &str, rows: &str) -> Parsed<RawMesh> {
    parse(format!("ply\nformat ascii 1.0\n{header}{rows}").as_bytes())
}

/// Bytes of a binary file, written in either order by the same lines.
struct Out {
    bytes: Vec<u8>,
    big: bool,
}

impl Out {
    fn new(order: &str, header: &str) -> Out {
        let bytes = format!("ply\nformat binary_{order}_endian 1.0\n{header}").into_bytes();
        Out { bytes, big: order == "big" }
    }

    fn put<const N: usize>(&mut self, mut little: [u8; N]) -> &mut Out {
        if self.big {
            little.reverse();
        }
        self.bytes.extend(little);
        self
    }
}

/// The triangle of `TRIANGLE`'s header.
fn binary(order: &str) -> Vec<u8> {
    let mut out = Out::new(order, TRIANGLE);
    for number in [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.1_f32, 0.0] {
        out.put(number.to_le_bytes());
    }
    out.put([3]);
    for corner in [2, 0, 1_i32] {
        out.put(corner.to_le_bytes());
    }
    out.bytes
}

#[track_caller]
fn check(mesh: Parsed<RawMesh>, positions: &[[f64; 3]], triangles: &[[u32; 3]]) -> RawMesh {
    let mesh = mesh.unwrap();
    assert_eq!(mesh.positions, positions.iter().map(|&p| Vec3::from(p)).collect::<Vec<_>>());
    let corners = triangles.iter().map(|corners| corners.map(VertexId));
    assert_eq!(mesh.triangles, corners.collect::<Vec<_>>());
    mesh
}

#[track_caller]
fn refuse(mesh: Parsed<RawMesh>, expected: &str) {
    assert_eq!(mesh.unwrap_err().to_string(), expected);
}

#[test]
fn ascii_and_both_byte_orders_give_the_same_mesh() {
    let narrow = f64::from(0.1_f32);
    let positions = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, narrow, 0.0]];
    for order in ["little", "big"] {
        let mesh = check(parse(&binary(order)), &positions, &[[2, 0, 1]]);
        assert_eq!(mesh.notices, [""; 0]);
    }
    // Digits beyond `float` are kept, as the file holds them.
    let rows = "0 0 0\n1 0 0\n0 0.1 0\n3 2 0 1\n";
    let positions = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 0.1, 0.0]];
    check(ascii(TRIANGLE, rows), &positions, &[[2, 0, 1]]);
}

#[test]
fn a_header_may_end_its_lines_as_windows_does() {
    let expected = parse(&binary("little")).unwrap();
    let file = binary("little");
    let rows = file.windows(11).position(|w| w == b"end_header\n").unwrap() + 11;
    let header = String::from_utf8(file[..rows].to_vec()).unwrap();
    for header in [header.replace('\n', "\r\n"), header.replace("end_header\n", "end_header\r\n")] {
        assert_eq!(parse(&[header.as_bytes(), &file[rows..]].concat()).unwrap(), expected);
    }
}

#[test]
fn types_orders_and_lists_may_stand_anywhere() {
    let header = "element tag 2\nproperty list ushort double a\nproperty short b\n\
        element face 1\nproperty uchar red\nproperty list uint64 uint8 vertex_index\n\
        property list int8 int16 more\nelement vertex 3\nproperty int8 z\n\
        property list uint float weights\nproperty uint16 y\nproperty int64 x\nend_header\n";
    let positions = [[1.0, 2.0, -3.0], [4.0, 65535.0, 6.0], [7.0, 8.0, 9.0]];
    let notice = ["left out the elements 2 `tag`"];
    for order in ["little", "big"] {
        let mut out = Out::new(order, header);
        out.put(1_u16.to_le_bytes()).put(0.5_f64.to_le_bytes()).put(7_i16.to_le_bytes());
        out.put(0_u16.to_le_bytes()).put(7_i16.to_le_bytes());
        out.put([255]).put(3_u64.to_le_bytes()).put([0]).put([1]).put([2]);
        out.put([2]).put(5_i16.to_le_bytes()).put(6_i16.to_le_bytes());
        for (row, weights) in positions.iter().zip([0_u32, 2, 1]) {
            out.put((row[2] as i8).to_le_bytes()).put(weights.to_le_bytes());
            for _ in 0..weights {
                out.put(f32::NAN.to_le_bytes());
            }
            out.put((row[1] as u16).to_le_bytes()).put((row[0] as i64).to_le_bytes());
        }
        assert_eq!(check(parse(&out.bytes), &positions, &[[0, 1, 2]]).notices, notice);
    }
    let rows = "1 0.5 7\n0 7\n255 3 0 1 2 2 5 6\n-3 0 2 1\n6 2 nan nan 65535 4\n9 1 0 8 7\n";
    assert_eq!(check(ascii(header, rows), &positions, &[[0, 1, 2]]).notices, notice);
}

#[test]
fn polygons_become_fans_with_a_notice() {
    let header = TRIANGLE.replace("vertex 3", "vertex 4");
    let rows = "0 0 0\n1 0 0\n1 1 0\n0 1 nan\n4 0 1 2 3";
    let mesh = ascii(&header, rows).unwrap();
    assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]].map(|t| t.map(VertexId)));
    let notice = "cut 1 polygon with more than three corners into fans of triangles";
    assert_eq!(mesh.notices, [notice]);
    assert!(mesh.positions[3].z.is_nan());
}

#[test]
fn strips_turn_every_other_triangle_and_restart_at_minus_one() {
    let header = "element vertex 5\nproperty float x\nproperty float y\nproperty float z\n\
        element tristrips 1\nproperty list int int vertex_indices\nend_header\n";
    let vertices = "0 0 0\n".repeat(5);
    // 3 3 joins two strips: it makes the flat triangles 2 3 3 and 3 3 4.
    let mesh = ascii(header, &format!("{vertices}12 0 1 2 3 -1 2 3 3 4 0 -1 1\n")).unwrap();
    let expected = [[0, 1, 2], [2, 1, 3], [3, 4, 0]];
    assert_eq!(mesh.triangles, expected.map(|corners| corners.map(VertexId)));
    assert_eq!(mesh.notices, ["left out 2 triangles of strips with two equal corners"]);
    let fault = "line 15: vertex -2 does not exist, the file numbers 5 vertices";
    refuse(ascii(header, &format!("{vertices}1 -2\n")), fault);
}

#[test]
fn whole_numbers_may_be_written_as_floats() {
    let header = TRIANGLE.replace("uchar int", "float double");
    let rows = "0 0 0\n1 0 0\n0 1 0\n3.0 2 0e0 1.0\n";
    assert_eq!(ascii(&header, rows).unwrap().triangles, [[2, 0, 1].map(VertexId)]);
    let fault = "line 13: expected a vertex number, found `0.5`";
    refuse(ascii(&header, &rows.replace("0e0", "0.5")), fault);
}

#[test]
fn vertices_without_faces_are_a_mesh() {
    let header = "element vertex 1\nproperty double x\nproperty double y\nproperty double z\n\
        element face 0\nend_header\n";
    check(ascii(header, "1 2 3"), &[[1.0, 2.0, 3.0]], &[]);
}

#[test]
fn rows_without_properties_cost_nothing() {
    let header = TRIANGLE.replace("element face", "element nothing 999999999999999\nelement face");
    let mesh = ascii(&header, ROWS).unwrap();
    assert_eq!(mesh.triangles.len(), 1);
    assert_eq!(mesh.notices, ["left out the elements 999999999999999 `nothing`"]);
}

#[test]
fn a_notice_names_eight_elements_at_most() {
    let many = "element a 1\n".repeat(10);
    let mesh = ascii(&TRIANGLE.replace("end_header", &format!("{many}end_header")), ROWS).unwrap();
    let named = ["1 `a`"; 8].join(", ");
    assert_eq!(mesh.notices, [format!("left out the elements {named}, and 2 more")]);
}

#[test]
fn absurd_counts_are_refused_before_memory_is_reserved() {
    let header = TRIANGLE.replace("vertex 3", "vertex 4000000000");
    let room = "rows of `vertex` announced, the rest of the file has room for at most";
    refuse(ascii(&header, "0 0 0\n"), &format!("line 9: 4000000000 {room} 1"));
    let file = Out::new("big", &header).bytes;
    refuse(parse(&file), &format!("byte {}: 4000000000 {room} 0", file.len()));
    let header = TRIANGLE.replace("vertex 3", "vertex 5000000000");
    let fault = "line 3: 5000000000 vertices are more than can be numbered";
    refuse(ascii(&header, "0 0 0\n"), fault);
}

#[test]
fn faults_in_rows_name_their_place() {
    let three = "0 0 0\n1 0 0\n0 1 0\n";
    let refuse_rows = |rows: &str, expected: &str| refuse(ascii(TRIANGLE, rows), expected);
    refuse_rows("0 0 x\n1 0 0\n0 1 0\n3 0 1 2\n", "line 10: expected a coordinate, found `x`");
    refuse_rows(
        "0 0 0 9\n1 0 0\n0 1 0\n3 0 1 2",
        "line 10: expected the end of the row, found `9`",
    );
    let fault = "line 13: vertex 3 does not exist, the file numbers 3 vertices";
    refuse_rows(&format!("{three}3 0 1 3\n"), fault);
    let fault = "line 13: a face needs three corners, this one has 2";
    refuse_rows(&format!("{three}2 0 1\n"), fault);
    let room = "list entries announced, the rest of the file has room for at most";
    refuse_rows(&format!("{three}9 0 1 2\n"), &format!("line 13: 9 {room} 4"));
    refuse_rows(
        &format!("{three}3  0 1 "),
        "line 13: the file ends where a vertex number should be",
    );
    refuse_rows(&format!("{three}-3 0 1 2"), "line 13: the length of a list is -3");

    let file = binary("little");
    let change = |from_end: usize, to: u8| {
        let mut copy = file.clone();
        copy[file.len() - from_end] = to;
        parse(&copy)
    };
    let at = |from_end: usize| format!("byte {}", file.len() - from_end);
    let fault = "vertex 3 does not exist, the file numbers 3 vertices";
    refuse(change(4, 3), &format!("{}: {fault}", at(4)));
    refuse(change(13, 4), &format!("{}: 4 {room} 3", at(12)));
    let fault = "a face needs three corners, this one has 2";
    refuse(change(13, 2), &format!("{}: {fault}", at(4)));
}

#[test]
fn headers_that_make_no_mesh_are_refused() {
    let refuse_header = |from: &str, to: &str, expected: &str| {
        refuse(ascii(&TRIANGLE.replacen(from, to, 1), ROWS), expected);
    };
    refuse(ascii("end_header\n", ""), "line 3: the header names no element `vertex`");
    refuse_header("float z", "float w", "line 3: `vertex` has no property `z`");
    refuse_header("float z", "float y", "line 3: two properties of `vertex` are called `y`");
    let list = "line 3: the property `z` is a list, not a number";
    refuse_header("float z", "list int float z", list);
    refuse_header("face", "vertex", "line 7: a second element is called `vertex`");
    refuse_header("vertex_indices", "corners", "line 7: `face` has no list `vertex_indices`");
}

#[test]
fn what_follows_the_last_row_is_told() {
    let mesh = ascii(TRIANGLE, &format!("{ROWS}3 2 1 0\n")).unwrap();
    assert_eq!(mesh.notices, ["left out what follows the last row, from line 14 on"]);
    let mesh = parse(&[binary("big"), vec![0]].concat()).unwrap();
    assert_eq!(mesh.notices, ["left out 1 byte after the last row"]);
}

#[test]
fn damaged_files_never_panic() {
    let text = format!("ply\nformat ascii 1.0\n{TRIANGLE}{ROWS}");
    for file in [text.into_bytes(), binary("little"), binary("big")] {
        check_damaged(&file, parse);
    }
}
