//! XML files worked by hand, in every storage, and what is wrong with others.

use ::base64::Engine;
use ::base64::engine::general_purpose::STANDARD;
use miniz_oxide::deflate::compress_to_vec_zlib;

use super::*;
use crate::mesh::parse::damage::check_damaged;
use pliant::id::VertexId;
use pliant::math::Vec3;

/// Small blocks, so that small arrays have several and the last is not full.
const BLOCK: usize = 20;

/// A tet, a triangle and a line as text, with regions.
const ASCII: &str = r#"<?xml version="1.0"?>
<VTKFile type="UnstructuredGrid" version="0.1">
<!-- two = cells -->
<UnstructuredGrid><Piece NumberOfPoints="4" NumberOfCells="3">
<Points><DataArray type="Float64" NumberOfComponents="3">
0 0 0 1 0 0
0 1 0 0 0 1</DataArray></Points>
<Cells><DataArray type="Int32" Name="connectivity" format="ascii"> 2 1
 0 1 2 3 3 1 0 </DataArray>
<DataArray type="Int32" Name="offsets" format="ascii">2 6 9</DataArray>
<DataArray type="UInt8" Name="types" format="ascii">3 10 5</DataArray></Cells>
<CellData><DataArray type="Float32" Name="attribute" format="ascii">1 2 3</DataArray>
<DataArray type="Int8" Name="MaterialIDs" format="ascii">4 5 6</DataArray></CellData>
</Piece></UnstructuredGrid></VTKFile>
"#;

/// How a file of one tet is stored.
#[derive(Clone, Copy, Debug)]
struct Recipe {
    word: usize,
    endian: &'static str,
    compressor: &'static str,
    /// `binary`, or what the appended data says of itself.
    place: &'static str,
}

impl Recipe {
    fn words(self, words: &[usize]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for &word in words {
            let mut word = word.to_le_bytes()[..self.word].to_vec();
            if self.endian == "BigEndian" {
                word.reverse();
            }
            bytes.extend(word);
        }
        bytes
    }

    /// An array as it stands in the file.
    fn encode(self, bytes: &[u8]) -> Vec<u8> {
        let base64 = |bytes: &[u8]| STANDARD.encode(bytes).into_bytes();
        let (header, data) = if self.compressor.is_empty() {
            (Vec::new(), [self.words(&[bytes.len()]), bytes.to_vec()].concat())
        } else {
            let pack = |block: &[u8]| match self.compressor {
                "vtkZLibDataCompressor" => compress_to_vec_zlib(block, 6),
                // As literals alone: their count from 15 on spills into a second byte.
                _ if block.len() < 15 => [&[(block.len() as u8) << 4], block].concat(),
                _ => [&[0xf0, block.len() as u8 - 15], block].concat(),
            };
            let blocks: Vec<_> = bytes.chunks(BLOCK).map(pack).collect();
            let mut words = vec![blocks.len(), BLOCK, bytes.len() % BLOCK];
            words.extend(blocks.iter().map(Vec::len));
            (self.words(&words), blocks.concat())
        };
        match self.place {
            "raw" => [header, data].concat(),
            _ => [base64(&header), base64(&data)].concat(),
        }
    }

    /// The corner tet: points of 32 bits, corners of 16, offsets of 64, a type of 8.
    fn file(self) -> Vec<u8> {
        let number = |little: &[u8]| {
            let mut bytes = little.to_vec();
            if self.endian == "BigEndian" {
                bytes.reverse();
            }
            bytes
        };
        let points = [0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1_f32];
        let arrays = [
            ("Points", "Float32", points.map(|x| number(&x.to_le_bytes())).concat()),
            ("connectivity", "UInt16", [0, 1, 2, 3_u16].map(|v| number(&v.to_le_bytes())).concat()),
            ("offsets", "Int64", number(&4_i64.to_le_bytes())),
            ("types", "UInt8", vec![10]),
        ];
        let mut appended = Vec::new();
        let mut elements = Vec::new();
        for (name, kind, bytes) in arrays {
            let data = self.encode(&bytes);
            let start = format!("<DataArray type=\"{kind}\" Name=\"{name}\"");
            if self.place == "binary" {
                let text = String::from_utf8(data).unwrap();
                elements.push(format!("{start} format=\"binary\">\n  {text}\n</DataArray>"));
            } else {
                let offset = appended.len();
                elements.push(format!("{start} format=\"appended\" offset=\"{offset}\"/>"));
                appended.extend(data);
            }
        }
        let mut file = format!(
            "<VTKFile type=\"UnstructuredGrid\" byte_order=\"{}\" header_type=\"UInt{}\" \
             compressor=\"{}\">\n<UnstructuredGrid><Piece NumberOfPoints=\"4\" \
             NumberOfCells=\"1\">\n<Points>{}</Points>\n<Cells>{}</Cells>\n\
             </Piece></UnstructuredGrid>\n",
            self.endian,
            8 * self.word,
            self.compressor,
            elements[0],
            elements[1..].join("\n")
        )
        .into_bytes();
        if self.place != "binary" {
            file.extend(format!("<AppendedData encoding=\"{}\">\n _", self.place).bytes());
            file.extend(appended);
            file.extend(b"\n</AppendedData>");
        }
        file.extend(b"\n</VTKFile>\n");
        file
    }
}

fn recipes() -> Vec<Recipe> {
    let mut recipes = Vec::new();
    for word in [4, 8] {
        for endian in ["LittleEndian", "BigEndian"] {
            for compressor in ["", "vtkZLibDataCompressor", "vtkLZ4DataCompressor"] {
                for place in ["binary", "base64", "raw"] {
                    recipes.push(Recipe { word, endian, compressor, place });
                }
            }
        }
    }
    recipes
}

#[track_caller]
fn check_fault(text: &str, expected: &str) {
    assert_eq!(parse(text.as_bytes()).unwrap_err().to_string(), expected);
}

#[test]
fn text_gives_tets_triangles_and_regions() {
    let mesh = parse(ASCII.as_bytes()).unwrap();
    assert_eq!(mesh.positions, [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z]);
    assert_eq!(mesh.tets, [[0, 1, 2, 3].map(VertexId)]);
    assert_eq!(mesh.triangles, [[3, 1, 0].map(VertexId)]);
    assert_eq!(mesh.regions, [5]);
    assert_eq!(mesh.notices, ["left out 1 line element"]);
}

#[test]
fn every_storage_holds_the_same_tet() {
    for recipe in recipes() {
        let mesh = parse(&recipe.file()).unwrap_or_else(|error| panic!("{recipe:?}: {error}"));
        assert_eq!(mesh.positions, [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z], "{recipe:?}");
        assert_eq!(mesh.tets, [[0, 1, 2, 3].map(VertexId)], "{recipe:?}");
    }
}

#[test]
fn pieces_are_joined_and_empty_ones_passed_over() {
    let start = ASCII.find("<Piece").unwrap();
    let end = ASCII.find("</UnstructuredGrid>").unwrap();
    let empty = "<Piece NumberOfPoints=\"0\" NumberOfCells=\"0\"/>";
    let piece = &ASCII[start..end];
    let twice = [&ASCII[..end], empty, piece, &ASCII[end..]].concat();
    let mesh = parse(twice.as_bytes()).unwrap();
    assert_eq!(mesh.positions.len(), 8);
    assert_eq!(mesh.tets, [[0, 1, 2, 3], [4, 5, 6, 7]].map(|tet| tet.map(VertexId)));
    assert_eq!(mesh.triangles[1], [7, 5, 4].map(VertexId));
    assert_eq!(
        (mesh.regions, mesh.notices),
        (vec![5, 5], vec!["left out 2 line elements".to_string()])
    );
    // A number that only the other piece has is an error.
    let wrong = twice.replacen("0 1 2 3 3 1 0", "0 1 2 3 3 1 4", 1);
    check_fault(&wrong, "line 9: vertex 4 does not exist, the file numbers 4 vertices");
}

#[test]
fn carriage_returns_marks_and_remarks_do_not_matter() {
    let windows = format!("\u{feff}{}", ASCII.replace('\n', "\r\n"));
    assert_eq!(parse(windows.as_bytes()), parse(ASCII.as_bytes()));
    let remark = ASCII.replace("2 6 9<", "<!-- ends -->2 6 9<InformationKey>1</InformationKey><");
    assert_eq!(parse(remark.as_bytes()), parse(ASCII.as_bytes()));
}

#[test]
fn faults_of_text_name_their_line() {
    for (from, to, expected) in [
        ("VTKFile", "KVTFile", "line 2: expected the element `VTKFile`, found `KVTFile`"),
        (
            "type=\"UnstructuredGrid\"",
            "type=\"PolyData\"",
            "line 2: a VTKFile of type PolyData, expected UnstructuredGrid",
        ),
        (
            "type=\"UnstructuredGrid\"",
            "type=\"PUnstructuredGrid\"",
            "line 2: a PUnstructuredGrid only names other files: read those",
        ),
        ("Piece", "Peace", "line 4: an UnstructuredGrid without a Piece"),
        ("NumberOfCells=\"3\"", "", "line 4: Piece has no attribute `NumberOfCells`"),
        (
            "NumberOfCells=\"3\"",
            "NumberOfCells=\"-3\"",
            "line 4: expected a count in `NumberOfCells`, found `-3`",
        ),
        (
            "NumberOfCells=\"3\"",
            "NumberOfCells=\"4\"",
            "line 10: 3 offsets, but the piece announces 4",
        ),
        (
            "NumberOfPoints=\"4\"",
            "NumberOfPoints=\"99999999999999999\"",
            "line 6: 12 coordinates, but the piece announces 299999999999999997",
        ),
        ("Points>", "Pints>", "line 4: Piece has no element `Points`"),
        (
            "NumberOfComponents=\"3\"",
            "NumberOfComponents=\"2\"",
            "line 5: points of 2 coordinates, expected 3",
        ),
        ("0 1 0 0 0 1<", "0 1 0 0 y 1<", "line 7: expected a number, found `y`"),
        ("0 1 2 3 3", "0 1 2 9 3", "line 9: vertex 9 does not exist, the file numbers 4 vertices"),
        ("\"offsets\"", "\"ends\"", "line 8: Cells has no DataArray named `offsets`"),
        ("3 1 0 <", "3 1 0 7 <", "line 9: 1 numbers follow the last cell"),
        ("2 6 9", "2 6 99", "line 10: cell 2 ends at node 99, expected a number from 6 to 9"),
        ("2 6 9", "2 1 9", "line 10: cell 1 ends at node 1, expected a number from 2 to 9"),
        ("3 10 5", "3 10", "line 11: 2 cell types for 3 cells"),
        ("4 5 6", "4 5", "line 13: 2 regions for 3 cells"),
        ("Float64", "Float65", "line 5: expected a number type such as Float64, found `Float65`"),
        (
            "format=\"ascii\"",
            "format=\"Ascii\"",
            "line 13: expected ascii, binary or appended, found `Ascii`",
        ),
        (
            "format=\"ascii\"",
            "format=\"appended\" offset=\"0\"",
            "piece 0, cell data MaterialIDs: the file has no appended data",
        ),
    ] {
        check_fault(&ASCII.replace(from, to), expected);
    }
}

#[test]
fn what_is_no_xml_is_refused_by_name() {
    let unclosed = "line 14: not XML as it should be: the root node was opened but never closed";
    check_fault(&ASCII.replace("</VTKFile>\n", ""), unclosed);
    let escape = "line 1: not XML as it should be: expected a whitespace not '\u{fffd}' at 1:9";
    check_fault("<VTKFile\u{1b}/>", escape);
    let legacy = "line 1: a legacy VTK file, not XML: give it the ending .vtk";
    check_fault("# vtk DataFile Version 3.0\n", legacy);
    let latin = [&ASCII.as_bytes()[..100], b"\xe4", &ASCII.as_bytes()[100..]].concat();
    assert_eq!(parse(&latin).unwrap_err().to_string(), "line 4: not text in UTF-8");
    assert!(parse(b"").is_err());
}

#[test]
fn faults_of_bytes_name_their_array() {
    let recipe = Recipe { word: 4, endian: "LittleEndian", compressor: "", place: "raw" };
    let replace = |recipe: Recipe, from: &str, to: &str| {
        let file = recipe.file();
        let at = file.windows(from.len()).position(|w| w == from.as_bytes()).unwrap();
        let file = [&file[..at], to.as_bytes(), &file[at + from.len()..]].concat();
        parse(&file).unwrap_err().to_string()
    };
    assert_eq!(
        replace(recipe, "offset=\"0\"", "offset=\"999\""),
        "piece 0, Points: offset 999, but the appended data ends at 82"
    );
    assert_eq!(
        replace(recipe, "offset=\"0\"", "offset=\"56\""),
        "piece 0, Points: 65536 bytes announced, the rest of the file has room for at most 22"
    );
    assert_eq!(
        replace(recipe, "\n _", "\n "),
        "line 8: expected the `_` before the appended data, found `0`"
    );
    let lzma = Recipe { compressor: "vtkLZMADataCompressor", ..recipe };
    let advice = "piece 0, Points: packed with LZMA: write the file again with ZLib, LZ4 or no \
        compressor";
    assert_eq!(parse(&lzma.file()).unwrap_err().to_string(), advice);
    let zlib = Recipe { compressor: "vtkZLibDataCompressor", place: "binary", ..recipe };
    assert_eq!(replace(zlib, "eJ", "eK"), "piece 0, Points: block 0 does not unpack to 20 bytes");
}

#[test]
fn arrays_cannot_outgrow_their_file() {
    // Sixty thousand zeros in a block of less than a hundred bytes, named by many pieces.
    let zeros = vec![0; 60_000];
    let packed = compress_to_vec_zlib(&zeros, 9);
    let mut appended = Vec::new();
    for word in [1, zeros.len(), 0, packed.len()] {
        appended.extend((word as u32).to_le_bytes());
    }
    appended.extend(packed);
    let piece = format!(
        "<Piece NumberOfPoints=\"{}\" NumberOfCells=\"0\"><Points><DataArray type=\"Int8\" \
         format=\"appended\" offset=\"0\"/></Points></Piece>",
        zeros.len() / 3
    );
    let mut file = b"<VTKFile compressor=\"vtkZLibDataCompressor\"><UnstructuredGrid>".to_vec();
    file.extend(piece.repeat(100).bytes());
    file.extend(b"</UnstructuredGrid><AppendedData encoding=\"raw\">_");
    file.extend(appended);
    let error = parse(&file).unwrap_err().to_string();
    assert!(error.ends_with("Points: more than 8 numbers for each byte of the file"), "{error}");
}

#[test]
fn xml_that_would_take_quadratic_time_is_refused() {
    let many: String = (0..300).map(|k| format!(" a{k}=''")).collect();
    let expected = "line 2: more than 256 attributes in one element";
    check_fault(&ASCII.replacen(" version=\"0.1\"", &many, 1), expected);
    let many: String = (0..300).map(|k| format!("<b xmlns:a{k}=''/>")).collect();
    let expected = "the file: more than 16 XML namespaces";
    check_fault(&ASCII.replacen("<Points>", &format!("{many}<Points>"), 1), expected);
    let deep = "<a>".repeat(200_000) + &"</a>".repeat(200_000);
    check_fault(&deep, "line 1: expected the element `VTKFile`, found `a`");
}

#[test]
fn damaged_files_never_panic() {
    check_damaged(ASCII.as_bytes(), parse);
    // Every eighth has each compressor and each place, at a fraction of the time.
    for recipe in recipes().into_iter().step_by(8) {
        check_damaged(&recipe.file(), parse);
    }
}
