//! Legacy files worked by hand, and what is wrong with others.

use super::*;
use crate::mesh::parse::damage::check_damaged;
use pliant::id::VertexId;
use pliant::math::Vec3;

const TET: &str = "# vtk DataFile Version 4.2\none tet\nASCII\nDATASET UNSTRUCTURED_GRID\n\
    POINTS 4 double\n0 0 0 1 0 0\n0 1 0 0 0 1\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n";

/// Points and cells of a grid as text; each cell is its type and its nodes.
fn grid(points: usize, cells: &[(u8, &[u32])], behind: &str) -> String {
    let numbers: usize = cells.iter().map(|(_, nodes)| 1 + nodes.len()).sum();
    let mut text = format!(
        "# vtk DataFile Version 3.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS {points} int\n"
    );
    (0..points).for_each(|p| text += &format!("{p} 0 0\n"));
    text += &format!("CELLS {} {numbers}\n", cells.len());
    for (_, nodes) in cells {
        let nodes: Vec<String> = nodes.iter().map(u32::to_string).collect();
        text += &format!("{} {}\n", nodes.len(), nodes.join(" "));
    }
    text += &format!("CELL_TYPES {}\n", cells.len());
    cells.iter().for_each(|(kind, _)| text += &format!("{kind}\n"));
    text + behind
}

/// One tet with big-endian bytes, in the layout with offsets, with all that may stand between.
fn binary() -> Vec<u8> {
    let mut file = b"# vtk DataFile Version 5.1\nx\nBINARY\nDATASET UNSTRUCTURED_GRID\n".to_vec();
    file.extend(
        b"FIELD FieldData 2\nTIME 1 1 double\n\0\n\0\n\0\n\0\n\nnames 1 2 string\n\xc2\n\n\xc0\n",
    );
    file.extend(b"POINTS 4 float\n");
    for x in [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1_u8] {
        file.extend(f32::from(x).to_be_bytes());
    }
    file.extend(b"\nMETADATA\nINFORMATION 1\nNAME A LOCATION B\nDATA 2 0 1 \n\n");
    file.extend(b"CELLS 2 4\nOFFSETS vtktypeint64\n");
    file.extend([0_i64, 4].map(i64::to_be_bytes).concat());
    file.extend(b"\nCONNECTIVITY vtktypeint32\n");
    file.extend([0, 1, 2, 3].map(i32::to_be_bytes).concat());
    file.extend(b"\nCELL_TYPES 1\n\0\0\0\x0a\n");
    file.extend(b"POINT_DATA 4\nCOLOR_SCALARS c 3\n0123456789ab\nNORMALS n char\n0123456789ab\n");
    file.extend(
        b"CELL_DATA 1\nSCALARS b bit 9\nLOOKUP_TABLE default\n\x0a\x0a\n\
        SCALARS attribute bit\n\x80\n",
    );
    file.extend(b"FIELD f 2\nmat_id 1 1 vtkIdType\n\0\0\0\x07\nMETADATA\n\nNULL_ARRAY\n");
    file
}

#[track_caller]
fn check_fault(text: &str, expected: &str) {
    assert_eq!(parse(text.as_bytes()).unwrap_err().to_string(), expected);
}

#[test]
fn a_tet_is_read_from_text() {
    let mesh = parse(TET.as_bytes()).unwrap();
    assert_eq!(mesh.positions, [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z]);
    assert_eq!(mesh.tets, [[0, 1, 2, 3].map(VertexId)]);
    assert_eq!((mesh.regions.as_slice(), mesh.notices.len()), (&[0][..], 0));
}

#[test]
fn bytes_and_offsets_hold_the_same_tet() {
    let mesh = parse(&binary()).unwrap();
    let expected = parse(TET.as_bytes()).unwrap();
    assert_eq!((&mesh.positions, &mesh.tets), (&expected.positions, &expected.tets));
    assert_eq!((mesh.regions.as_slice(), mesh.notices.len()), (&[7][..], 0));
}

#[test]
fn letters_blanks_and_line_ends_do_not_matter() {
    let small = TET.to_ascii_lowercase().replace('\n', " \r\n").replace("cells", "\n\n\tCells");
    assert_eq!(parse(small.as_bytes()), parse(TET.as_bytes()));
}

#[test]
fn faces_become_triangles_that_turn_like_their_cell() {
    let cells: [(u8, &[u32]); 5] = [
        (5, &[0, 1, 2]),
        (9, &[0, 1, 2, 3]),
        (7, &[0, 1, 2, 3, 4]),
        (8, &[0, 1, 2, 3]),
        (6, &[0, 1, 2, 3, 4]),
    ];
    let mesh = parse(grid(5, &cells, "").as_bytes()).unwrap();
    let expected = [
        [0, 1, 2],
        [0, 1, 2],
        [0, 2, 3],
        [0, 1, 2],
        [0, 2, 3],
        [0, 3, 4],
        // A pixel runs row by row: around, its corners are 0 1 3 2.
        [0, 1, 3],
        [0, 3, 2],
        [0, 1, 2],
        [2, 1, 3],
        [2, 3, 4],
    ];
    assert_eq!(mesh.triangles, expected.map(|triangle| triangle.map(VertexId)));
    assert_eq!(mesh.notices, [""; 0]);
}

#[test]
fn cells_of_higher_order_give_their_corners_with_a_notice() {
    let nodes: Vec<u32> = (0..10).collect();
    let cells = [(24, &nodes[..]), (71, &nodes[..4]), (78, &nodes), (22, &nodes[..6])];
    let mesh = parse(grid(10, &cells, "").as_bytes()).unwrap();
    assert_eq!(mesh.tets, [[0, 1, 2, 3].map(VertexId); 3]);
    assert_eq!(mesh.triangles, [[0, 1, 2].map(VertexId)]);
    // The second has no node but its corners.
    let notice = "took the corners of 2 tets and 1 triangle of higher order; \
        other nodes stay as vertices";
    assert_eq!(mesh.notices, [notice]);
}

#[test]
fn other_cells_are_counted_and_named() {
    let nodes: Vec<u32> = (0..8).collect();
    let cells = [(12, &nodes[..]), (12, &nodes), (3, &nodes[..2]), (7, &nodes[..2]), (250, &nodes)];
    let mesh = parse(grid(8, &cells, "").as_bytes()).unwrap();
    let notice = "left out 2 hexahedra, 1 line element, 1 polygon of fewer than three corners and \
        1 cell of unknown type";
    assert_eq!(mesh.notices, [notice]);
}

#[test]
fn a_polyhedron_may_hold_numbers_that_are_no_vertices() {
    // An octahedron has six vertices, but its stream of faces begins with an 8.
    let mesh = parse(grid(6, &[(42, &[8, 3, 0, 1, 2])], "").as_bytes()).unwrap();
    assert_eq!(mesh.notices, ["left out 1 polyhedron"]);
}

#[test]
fn polygonal_data_gives_triangles() {
    let text = "# vtk DataFile Version 2.0\n\nASCII\nDATASET POLYDATA\nPOINTS 4 short\n\
        0 0 0 1 0 0 1 1 0 0 1 0\nVERTICES 1 2\n1 0\nLINES 2 7\n2 0 1 3 0 1 2\n\
        POLYGONS 1 5\n4 0 1 2 3\nTRIANGLE_STRIPS 1 4\n3 0 1 2\nCELL_DATA 5\n\
        SCALARS region int\nLOOKUP_TABLE default\n1 2 3 4 5\n";
    let mesh = parse(text.as_bytes()).unwrap();
    let expected = [[0, 1, 2], [0, 2, 3], [0, 1, 2]].map(|triangle| triangle.map(VertexId));
    assert_eq!((mesh.positions.len(), mesh.triangles), (4, expected.to_vec()));
    assert_eq!(mesh.notices, ["left out 1 point element, 1 line element and 1 polyline"]);
}

#[test]
fn regions_come_from_the_best_name_and_strange_ones_are_zero() {
    let tet: (u8, &[u32]) = (10, &[0, 1, 2, 3]);
    let data = "CELL_DATA 5\nFIELD f 3\nattribute 1 5 int\n9 9 9 9 9\nMaterial_ID 1 5 double\n\
        3 -1 0.5 4294967296 nan\nregion 2 5 int\n1 1 1 1 1 1 1 1 1 1\n\
        POINT_DATA 4\nSCALARS region int 1\n8 8 8 8\n";
    let mesh = parse(grid(4, &[tet; 5], data).as_bytes()).unwrap();
    assert_eq!(mesh.regions, [3, 0, 0, 0, 0]);
    let notice = "put 4 tets into region 0, as regions are integers from 0 to 4294967295";
    assert_eq!(mesh.notices, [notice]);
}

#[test]
fn attached_data_is_passed_over_whatever_it_is() {
    let data = "POINT_DATA 1\nSCALARS a float 2\nLOOKUP_TABLE t\n1 2\nLOOKUP_TABLE t 1\n0 0 0 1\n\
        VECTORS v double\nnan -inf 1e9\nNORMALS n float\n.5 +1 0\nTENSORS t float\n\
        1 2 3\n4 5 6\n7 8 9\nTENSORS6 t float\n1 2 3 4 5 6\nTEXTURE_COORDINATES c 2 float\n0 1\n\
        GLOBAL_IDS g vtkIdType\n4\nFIELD f 1\ns 1 2 string\na b\n\nCOLOR_SCALARS c 3\n0 .5 1\n\
        EDGE_FLAGS e bit\n1\nCELL_DATA 1\nFIELD f 1\nregion 1 1 int\n5\n";
    let mesh = parse(grid(4, &[(10, &[0, 1, 2, 3])], data).as_bytes()).unwrap();
    assert_eq!((mesh.regions.as_slice(), mesh.notices.len()), (&[5][..], 0));
}

#[test]
fn an_unknown_section_behind_the_mesh_is_a_notice_before_it_a_fault() {
    let mesh = parse((TET.to_string() + "WHATEVER 1 2\n").as_bytes()).unwrap();
    let notice = "read nothing from line 12 on: expected the name of a section, found `WHATEVER`";
    assert_eq!(mesh.notices, [notice]);
    let expected = "line 8: expected the name of a section, found `WHATEVER`";
    check_fault(&TET.replace("CELLS", "WHATEVER"), expected);
}

#[test]
fn faults_name_their_line() {
    for (from, to, expected) in [
        (
            "# vtk",
            "# VTX",
            "line 1: expected `# vtk DataFile Version` and a number, \
             found `# VTX DataFile Version 4.2`",
        ),
        ("# vtk", "<?xml", "line 1: an XML file, not a legacy VTK file: give it the ending .vtu"),
        ("4.2", "6.0", "line 1: version 6 of the format, versions 1.0 to 5.1 are read"),
        ("ASCII", "TEXT", "line 3: expected `ASCII` or `BINARY`, found `TEXT`"),
        (
            "UNSTRUCTURED",
            "STRUCTURED",
            "line 4: a dataset of type STRUCTURED_GRID, expected `UNSTRUCTURED_GRID` or `POLYDATA`",
        ),
        ("DATASET UNSTRUCTURED_GRID", "", "line 5: expected `DATASET`, found `POINTS`"),
        ("double", "triple", "line 5: expected a number type such as `double`, found `triple`"),
        ("POINTS 4", "POINTS -4", "line 5: the number of points is -4"),
        ("POINTS 4", "POINTS 5", "line 8: expected a coordinate, found `CELLS`"),
        ("0 1 0 0 0 1", "0 1 x 0 0 1", "line 7: expected a coordinate, found `x`"),
        ("CELLS 1 5", "CELLS 1 4", "line 9: expected the name of a section, found `3`"),
        ("4 0 1 2 3", "5 0 1 2 3", "line 9: cell 0 has 5 nodes, 4 numbers follow in all"),
        ("CELLS 1 5", "CELLS 2 5", "line 11: 1 cell types for 2 cells"),
        ("4 0 1 2 3", "3 0 1 2 3", "line 9: a cell of type 10 has 3 nodes, expected 4"),
        ("4 0 1 2 3", "4 0 1 2 4", "line 9: vertex 4 does not exist, the file numbers 4 vertices"),
        (
            "4 0 1 2 3",
            "4 0 1 -2 3",
            "line 9: vertex -2 does not exist, the file numbers 4 vertices",
        ),
        ("CELL_TYPES 1\n10\n", "", "line 9: the file ends where `CELL_TYPES` should be"),
        (
            "CELL_TYPES 1\n10\n",
            "CELL_DATA 1\nSCALARS a int\n",
            "line 11: 1 numbers announced, the rest of the file has room for at most 0",
        ),
    ] {
        check_fault(&TET.replace(from, to), expected);
    }
}

#[test]
fn faults_of_bytes_name_their_byte() {
    let file = binary();
    let found = |piece: &[u8]| file.windows(piece.len()).position(|w| w == piece).unwrap();
    let corner = found(b"CONNECTIVITY vtktypeint32\n") + b"CONNECTIVITY vtktypeint32\n".len() + 8;
    let mut wrong = file.clone();
    wrong[corner + 3] = 99;
    let expected = format!("byte {corner}: vertex 99 does not exist, the file numbers 4 vertices");
    assert_eq!(parse(&wrong).unwrap_err().to_string(), expected);
    let short = &file[..found(b"\nMETADATA") - 1];
    assert!(parse(short).unwrap_err().to_string().contains("12 numbers announced"));
}

#[test]
fn absurd_counts_are_refused_before_memory_is_reserved() {
    for (from, to) in [
        ("POINTS 4", "POINTS 999999999999999999"),
        ("CELLS 1 5", "CELLS 1 999999999999999999"),
        ("CELL_TYPES 1", "CELL_TYPES 999999999999999999"),
    ] {
        for text in [TET.replace(from, to), TET.replace(from, to).replace("ASCII", "BINARY")] {
            let error = parse(text.as_bytes()).unwrap_err();
            assert!(matches!(error.fault, Fault::TooMany { .. }), "{error}");
        }
    }
}

#[test]
fn an_empty_grid_is_a_mesh_of_nothing() {
    let text = "# vtk DataFile Version 5.1\nvtk output\nASCII\nDATASET UNSTRUCTURED_GRID\n\
        POINTS 0 float\n";
    assert_eq!(parse(text.as_bytes()), Ok(RawMesh::default()));
}

#[test]
fn a_text_cut_anywhere_before_its_last_word_is_refused() {
    // The last word may lose its end: a 1 is a type of cell too.
    for length in 0..TET.len() - "10\n".len() {
        assert!(parse(&TET.as_bytes()[..length]).is_err(), "{length}");
    }
}

#[test]
fn damaged_files_never_panic() {
    let region = "CELL_DATA 1\nSCALARS region int\n5\n";
    let text = grid(4, &[(10, &[0, 1, 2, 3])], region);
    for file in [binary(), text.into_bytes()] {
        check_damaged(&file, parse);
    }
}
