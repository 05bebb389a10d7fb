//! Claims about whole files, made of one mesh in every version and encoding.

use super::*;
use crate::mesh::parse::damage::check_damaged;
use pliant::id::VertexId;

/// Nodes in file order: tag and position. Tags are sparse, unordered and without 1.
const NODES: [(u64, [f64; 3]); 6] = [
    (10, [0.0, 0.0, 0.0]),
    (3, [1.0, 0.0, 0.0]),
    (7, [0.0, 1.5, 0.0]),
    (90, [0.0, 0.0, -1e-7]),
    (4, [1.0, 1.0, 1.0]),
    (8, [-0.5, 0.25, 3.0]),
];

/// Elements in file order: type, region, nodes.
const ELEMENTS: [(i32, i32, &[u64]); 6] = [
    (15, 0, &[8]),
    (2, 1, &[10, 7, 3]),
    (3, 1, &[10, 3, 4, 7]),
    (4, 5, &[10, 3, 7, 90]),
    (4, 6, &[4, 3, 7, 10]),
    (4, 5, &[8, 3, 7, 90]),
];

/// A text file, and the binary files of each byte order.
const ENCODINGS: [Option<Layout>; 3] = [
    None,
    Some(Layout { endian: Endian::Little, size: Width::Eight, tag: Width::Four }),
    Some(Layout { endian: Endian::Big, size: Width::Eight, tag: Width::Four }),
];

/// A file that is being put together.
struct Out {
    bytes: Vec<u8>,
    layout: Option<Layout>,
}

impl Out {
    fn text(&mut self, text: &str) {
        self.bytes.extend(text.as_bytes());
    }

    /// A number, given as it is written and as it is stored, lowest byte first.
    fn number<const N: usize>(&mut self, text: &impl ToString, mut stored: [u8; N]) {
        match self.layout {
            None => self.text(&(text.to_string() + " ")),
            Some(layout) => {
                if layout.endian == Endian::Big {
                    stored.reverse();
                }
                self.bytes.extend(stored);
            }
        }
    }

    fn int(&mut self, number: i32) {
        self.number(&number, number.to_le_bytes());
    }

    fn ints<const N: usize>(&mut self, numbers: [i32; N]) {
        numbers.iter().for_each(|&number| self.int(number));
    }

    fn wide(&mut self, number: u64, width: Option<Width>) {
        match width {
            Some(Width::Four) => self.number(&number, (number as u32).to_le_bytes()),
            _ => self.number(&number, number.to_le_bytes()),
        }
    }

    fn size(&mut self, number: usize) {
        self.wide(number as u64, self.layout.map(|layout| layout.size));
    }

    fn sizes<const N: usize>(&mut self, numbers: [usize; N]) {
        numbers.iter().for_each(|&number| self.size(number));
    }

    fn tag(&mut self, tag: u64) {
        self.wide(tag, self.layout.map(|layout| layout.tag));
    }

    fn point(&mut self, point: [f64; 3]) {
        point.iter().for_each(|number| self.number(&number, number.to_le_bytes()));
    }

    /// Ends what text files keep on one line; bytes have no lines.
    fn end_line(&mut self) {
        if self.layout.is_none() {
            self.text("\n");
        }
    }

    fn two(&mut self) {
        self.text("$Nodes\n6\n");
        for (tag, position) in NODES {
            self.tag(tag);
            self.point(position);
            self.end_line();
        }
        self.text("\n$EndNodes\n$Elements\n6\n");
        for (tag, (kind, region, nodes)) in (1..).zip(ELEMENTS) {
            match self.layout {
                None => self.ints([tag, kind, 2, region, 1]),
                Some(_) => self.ints([kind, 1, 2, tag, region, 1]),
            }
            nodes.iter().for_each(|&node| self.tag(node));
            self.end_line();
        }
        self.text("\n$EndElements\n");
    }

    fn four(&mut self, version: Version) {
        let new = version == Version::FourOne;
        self.text("$Entities\n");
        self.sizes([0, 0, 0, 2]);
        for (tag, group) in [(20, 5), (21, 6)] {
            self.int(tag);
            [[0.0; 3], [1.0; 3]].iter().for_each(|&corner| self.point(corner));
            self.size(1);
            self.int(group);
            self.size(0);
        }
        self.text("\n$EndEntities\n$Nodes\n");
        self.sizes([2, 6]);
        if new {
            self.sizes([3, 90]);
        }
        for (nodes, parametric) in [(&NODES[..2], 1), (&NODES[2..], 0)] {
            self.ints(if new { [2, 9, parametric] } else { [9, 2, parametric] });
            self.size(nodes.len());
            let tags = nodes.iter().map(|node| node.0);
            tags.clone().filter(|_| new).for_each(|tag| self.tag(tag));
            for (tag, &(_, position)) in tags.zip(nodes) {
                if !new {
                    self.tag(tag);
                }
                self.point(position);
                for number in [0.5_f64, 0.75].iter().filter(|_| parametric == 1) {
                    self.number(&number, number.to_le_bytes());
                }
            }
        }
        self.text("\n$EndNodes\n$Elements\n");
        self.sizes([6, 6]);
        if new {
            self.sizes([1, 6]);
        }
        for (tag, (kind, region, nodes)) in (1..).zip(ELEMENTS) {
            // Volumes 20 and 21 are in the groups 5 and 6.
            let (dimension, entity) = if kind == 4 { (3, region + 15) } else { (2, region) };
            self.ints(if new { [dimension, entity, kind] } else { [entity, dimension, kind] });
            self.size(1);
            self.tag(tag);
            nodes.iter().for_each(|&node| self.tag(node));
        }
        self.text("\n$EndElements\n");
    }
}

/// The mesh in a version and an encoding.
fn file(version: Version, layout: Option<Layout>) -> Vec<u8> {
    let (number, size) = match (version, layout) {
        (Version::FourOne, Some(Layout { size: Width::Four, .. })) => ("4.1", 4),
        (Version::FourOne, _) => ("4.1", 8),
        (Version::FourZero, _) => ("4", 8),
        _ => ("2.2", 8),
    };
    let mut out = Out { bytes: Vec::new(), layout };
    out.text(&format!("$MeshFormat\n{number} {} {size}\n", u8::from(layout.is_some())));
    if layout.is_some() {
        out.int(1);
    }
    out.text("$EndMeshFormat\n$Odd\n\x01$EndOddly\x02$En\n$EndOdd\n$Comments\n\n$EndComments\n");
    if version == Version::Two {
        out.two()
    } else {
        out.four(version)
    }
    out.bytes
}

/// Every version in every encoding that the format knows.
fn files() -> Vec<Vec<u8>> {
    let mut files = Vec::new();
    for layout in ENCODINGS {
        files.push(file(Version::Two, layout));
        files.push(file(Version::FourZero, layout));
        for size in [Width::Eight, Width::Four] {
            files.push(file(Version::FourOne, layout.map(|l| Layout { size, tag: size, ..l })));
        }
    }
    files
}

#[test]
fn every_version_and_encoding_gives_the_same_mesh() {
    let mesh = RawMesh {
        positions: NODES.iter().map(|node| Vec3::from(node.1)).collect(),
        tets: [[0, 1, 2, 3], [4, 1, 2, 0], [5, 1, 2, 3]].map(|tet| tet.map(VertexId)).to_vec(),
        regions: vec![5, 6, 5],
        triangles: [[0, 2, 1], [0, 1, 4], [0, 4, 2]].map(|face| face.map(VertexId)).to_vec(),
        notices: vec!["left out 1 point element".into(), "left out the section `$Odd`".into()],
    };
    for bytes in files() {
        assert_eq!(parse(&bytes).as_ref(), Ok(&mesh), "{}", String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn a_file_cut_anywhere_is_refused() {
    for bytes in files() {
        // Without the last line end a file is still whole.
        for length in 0..bytes.len() - 1 {
            assert!(parse(&bytes[..length]).is_err(), "cut to {length} bytes");
        }
    }
}

#[test]
fn damaged_files_never_panic() {
    // Every third is in another version or encoding, and one more is bytes in version 2.
    for bytes in files().into_iter().step_by(3).chain([file(Version::Two, ENCODINGS[1])]) {
        check_damaged(&bytes, parse);
    }
}

#[test]
fn tags_use_all_64_bits() {
    let text = String::from_utf8(file(Version::FourOne, None)).unwrap();
    let text = text.replace("90 ", "9223372036854775808 ");
    let mesh = parse(text.as_bytes()).unwrap();
    assert_eq!(mesh.tets[0], [0, 1, 2, 3].map(VertexId));
}

#[test]
fn lines_may_end_as_on_windows() {
    let text = String::from_utf8(file(Version::Two, None)).unwrap();
    assert_eq!(parse(text.replace('\n', "\r\n").as_bytes()), parse(text.as_bytes()));
}

/// The file with one piece replaced is refused with a message.
#[track_caller]
fn refused(bytes: &[u8], from: &str, to: &str, message: &str) {
    let text = std::str::from_utf8(bytes).unwrap();
    assert!(text.contains(from));
    let error = parse(text.replacen(from, to, 1).as_bytes()).unwrap_err();
    assert_eq!(error.to_string(), message);
}

#[test]
fn files_of_other_formats_are_told_apart() {
    let expected = "the file: not a Gmsh file: expected `$MeshFormat` or `$NOD`, found ";
    for (bytes, found) in
        [(&b""[..], "``"), (b"solid x", "`solid`"), (b"8\x01\0\0h", "`binary data`")]
    {
        assert_eq!(parse(bytes).unwrap_err().to_string(), format!("{expected}{found}"));
    }
}

#[test]
fn headers_that_cannot_be_read_say_what_to_do() {
    let two = file(Version::Two, None);
    refused(
        &two,
        "2.2 0",
        "3 0",
        "line 2: version 3 of the format is not read, 1.0, 2.0 to 2.2, 4.0 and 4.1 are: \
         convert with `gmsh FILE -save -save_all -format msh41 -o NEW.msh`",
    );
    let wanted = "line 2: expected 0 for a text file or 1 for a binary file, found `7`";
    refused(&two, "2.2 0", "2.2 7", wanted);
    refused(
        &two,
        "2.2 0 8",
        "2.2 1 4",
        "line 2: binary files with numbers of 4 bytes are not read",
    );
    let error = parse(b"$MeshFormat\n2.2 1 8\n\x02\0\0\0\n$EndMeshFormat\n").unwrap_err();
    let wanted = "byte 20: expected the number 1 in either byte order, found `[02, 00, 00, 00]`";
    assert_eq!(error.to_string(), wanted);
}

#[test]
fn sections_come_once_and_in_order() {
    let two = file(Version::Two, None);
    let nodes = "$Nodes\n0\n$EndNodes\n";
    let second = "line 9: the file has nodes already, here is a second section of them";
    let open = "$EndMeshFormat\n";
    let start = "$EndMeshFormat\n$Nodes\n0\n$EndNodes\n$Comments\n$EndComments\n$Nodes\n";
    refused(&two, open, &format!("{start}0\n$EndNodes\n"), second);
    refused(&two, "$Nodes", "$Node", "line 10: section `$Node` has no `$EndNode`");
    refused(&two, "$Odd", "$EndOdd", "line 4: expected the start of a section, found `EndOdd`");
    let early = "$EndMeshFormat\n$Elements\n0\n$EndElements\n";
    refused(&two, open, early, "line 4: the elements come before the nodes");
    let header = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n";
    let error = parse(header.as_bytes()).unwrap_err();
    assert_eq!(error.to_string(), "the file: there is no section `$Nodes`");
    let error = parse([header, nodes].concat().as_bytes()).unwrap_err();
    assert_eq!(error.to_string(), "the file: there is no section `$Elements`");
}

#[test]
fn a_tag_given_twice_is_refused() {
    let message = "$Nodes: the tag 7 is given twice, to nodes 2 and 3 in order";
    refused(&file(Version::Two, None), "\n3 1 0 0", "\n7 1 0 0", message);
}

#[test]
fn a_node_that_does_not_exist_is_named_with_its_element() {
    let line = "line 25: element 4 names node 5, which the file does not hold";
    refused(&file(Version::Two, None), "10 3 7 90", "10 5 7 90", line);
    let mut bytes = file(Version::Two, ENCODINGS[1]);
    let last = bytes.len() - b"\n$EndElements\n".len() - 4;
    bytes[last] = 5;
    let error = parse(&bytes).unwrap_err();
    let wanted = "element 6 names node 5, which the file does not hold";
    assert_eq!(error, ParseError::new(Place::Byte(last + 4), Fault::Invalid(wanted.into())));
}

#[test]
fn many_sections_are_counted_and_some_named() {
    let text = String::from_utf8(file(Version::Two, None)).unwrap();
    let extra: String = (0..20).map(|n| format!("$S{n}\n$EndS{n}\n")).collect();
    let mesh = parse((text + &extra).as_bytes()).unwrap();
    let last = mesh.notices.last().unwrap();
    let wanted = "left out 21 sections, among them `$Odd`, `$S0`, `$S1`, `$S10`, `$S11`";
    assert_eq!(last, wanted);
}
