//! MEDIT files, as text: keywords, each with a count and a table of numbers.
//!
//! Vertices count from 1. The reference of a tet is its region. Tables of other
//! cells and of marks are passed over by their width and named in one notice; a
//! keyword whose width is not known is an error, as what follows it has no meaning.
//!
//! Files of other programs use the same ending; those that can be recognised are named.

use crate::mesh::parse::fan::fan;
use crate::mesh::parse::skipped::{EDGE, HEXAHEDRON, Names, PRISM, PYRAMID, TET, Tally};
use crate::mesh::parse::text::{Text, line_of, to_f64, vertex};
use crate::mesh::parse::{Fault, ParseError, Parsed, Place, encoding, region};
use pliant::id::VertexId;
use pliant::mesh::raw::RawMesh;

/// Shortest number with the space after it, bytes.
const NUMBER_BYTES: usize = 2;

/// Newest version of the format that is known.
const NEWEST: i64 = 4;

/// A table that is passed over: keyword, integers and reals per row, names of a row.
type Table = (&'static str, usize, usize, Names);

/// Tables behind a count, whose rows hold integers and then reals.
const TABLES: [Table; 36] = [
    ("Edges", 3, 0, EDGE),
    ("Hexahedra", 9, 0, HEXAHEDRON),
    ("Prisms", 7, 0, PRISM),
    ("Pyramids", 6, 0, PYRAMID),
    ("EdgesP2", 4, 0, ["second-order edge", "second-order edges"]),
    ("TrianglesP2", 7, 0, ["second-order triangle", "second-order triangles"]),
    ("QuadrilateralsQ2", 10, 0, ["second-order quadrilateral", "second-order quadrilaterals"]),
    ("HexahedraQ2", 28, 0, ["second-order hexahedron", "second-order hexahedra"]),
    ("PrismsP2", 19, 0, ["second-order prism", "second-order prisms"]),
    ("PyramidsP2", 15, 0, ["second-order pyramid", "second-order pyramids"]),
    ("TetrahedraP3", 21, 0, ["third-order tet", "third-order tets"]),
    ("TetrahedraP4", 36, 0, ["fourth-order tet", "fourth-order tets"]),
    ("Corners", 1, 0, ["corner", "corners"]),
    ("Ridges", 1, 0, ["ridge", "ridges"]),
    ("RequiredVertices", 1, 0, ["required vertex", "required vertices"]),
    ("RequiredEdges", 1, 0, ["required edge", "required edges"]),
    ("RequiredTriangles", 1, 0, ["required triangle", "required triangles"]),
    ("RequiredQuadrilaterals", 1, 0, ["required quadrilateral", "required quadrilaterals"]),
    ("RequiredTetrahedra", 1, 0, ["required tet", "required tets"]),
    ("ParallelVertices", 1, 0, ["parallel vertex", "parallel vertices"]),
    ("ParallelEdges", 1, 0, ["parallel edge", "parallel edges"]),
    ("ParallelTriangles", 1, 0, ["parallel triangle", "parallel triangles"]),
    ("Normals", 0, 3, ["normal", "normals"]),
    ("NormalAtVertices", 2, 0, ["normal at a vertex", "normals at vertices"]),
    ("NormalAtTriangleVertices", 3, 0, ["normal at a triangle", "normals at triangles"]),
    ("NormalAtQuadrilateralVertices", 4, 0, ["normal at a quad", "normals at quads"]),
    ("Tangents", 0, 3, ["tangent", "tangents"]),
    ("TangentAtVertices", 2, 0, ["tangent at a vertex", "tangents at vertices"]),
    ("TangentAtEdges", 3, 0, ["tangent at an edge", "tangents at edges"]),
    ("TangentAtEdgeVertices", 3, 0, ["tangent at an edge", "tangents at edges"]),
    ("VerticesOnGeometricVertices", 2, 0, ["vertex on geometry", "vertices on geometry"]),
    ("VerticesOnGeometricEdges", 2, 2, ["vertex on geometry", "vertices on geometry"]),
    ("VerticesOnGeometricTriangles", 2, 3, ["vertex on geometry", "vertices on geometry"]),
    ("EdgesOnGeometricEdges", 2, 0, ["edge on geometry", "edges on geometry"]),
    ("PeriodicVertices", 2, 0, ["periodic vertex", "periodic vertices"]),
    ("SubDomainFromGeom", 3, 0, ["subdomain", "subdomains"]),
];

/// Settings without a count, and how many numbers follow each.
const SETTINGS: [(&str, usize); 5] = [
    ("AngleOfCornerBound", 1),
    ("BoundingBox", 6),
    ("Iterations", 1),
    ("Time", 1),
    ("FloatingPointPrecision", 1),
];

/// What foreign files of the same ending begin with, and what they are.
const FOREIGN: [(&[u8], &str); 7] = [
    (b"MFEM", "an MFEM mesh"),
    (b"mesh3d", "a Netgen mesh"),
    (b"$MeshFormat", "a Gmsh mesh"),
    (b"<", "an XML file"),
    (b"\0\x10[MeshSerializer", "an Ogre mesh"),
    (b"version ", "a Roblox mesh"),
    (b"MeshVersionUnformatted", "an unformatted MEDIT mesh"),
];

/// A file while it is read.
struct Reader<'a> {
    /// What is left of the file.
    text: Text<'a>,
    /// What was read so far.
    mesh: RawMesh,
    /// Whether the vertices have been read.
    has_vertices: bool,
    /// Rows of tables that are passed over.
    left_out: Tally,
    /// Second-order tets.
    second_order: Tally,
    /// Count of tets whose reference is no region.
    without_region: usize,
}

/// Reads a MEDIT file.
pub fn parse(bytes: &[u8]) -> Parsed<RawMesh> {
    let bytes = encoding::plain(bytes);
    refuse_foreign(&bytes)?;
    let mut reader = Reader {
        text: Text::new(&bytes, Some(b'#')),
        mesh: RawMesh::default(),
        has_vertices: false,
        left_out: Tally::default(),
        second_order: Tally::default(),
        without_region: 0,
    };
    reader.version()?;
    reader.dimension()?;
    while let Some(keyword) = reader.text.word() {
        if keyword.eq_ignore_ascii_case(b"End") {
            break;
        }
        reader.section(keyword)?;
    }
    reader.finish()
}

/// An error if the file begins as those of another program do.
fn refuse_foreign(bytes: &[u8]) -> Parsed<()> {
    let refuse = |what: &str, place| {
        let why = format!("this is {what}, not a MEDIT mesh as text");
        Err(ParseError::new(place, Fault::Unsupported(why)))
    };
    // A binary file begins with the number 1 and its version, in either byte order.
    if let [1, 0, 0, 0, 1..=4, 0, 0, 0, ..] | [0, 0, 0, 1, 0, 0, 0, 1..=4, ..] = bytes {
        return refuse("a binary MEDIT mesh (.meshb)", Place::Byte(0));
    }
    let begin = bytes.trim_ascii_start();
    if let Some((_, what)) = FOREIGN.iter().find(|(mark, _)| begin.starts_with(mark)) {
        return refuse(what, Place::Line(1));
    }
    let mut text = Text::new(bytes, Some(b'#'));
    if text.word().and_then(to_f64).is_some() {
        let place = Place::Line(line_of(bytes, text.offset()));
        return refuse("a list of numbers, such as Netgen and FreeFem write", place);
    }
    Ok(())
}

impl Reader<'_> {
    fn version(&mut self) -> Parsed<()> {
        self.text.expect("MeshVersionFormatted")?;
        let version = self.text.integer("the version of the format")?;
        if !(0..=NEWEST).contains(&version) {
            let why = format!("version {version} is not known, 0 to {NEWEST} are");
            return Err(self.text.fault(Fault::Unsupported(why)));
        }
        Ok(())
    }

    fn dimension(&mut self) -> Parsed<()> {
        self.text.expect("Dimension")?;
        let dimension = self.text.integer("the dimension")?;
        if dimension != 3 {
            let why = format!("vertices have {dimension} coordinates, 3 are read");
            return Err(self.text.fault(Fault::Unsupported(why)));
        }
        Ok(())
    }

    /// Reads what stands behind a keyword.
    fn section(&mut self, keyword: &[u8]) -> Parsed<()> {
        let is = |name: &str| keyword.eq_ignore_ascii_case(name.as_bytes());
        if is("Vertices") {
            self.vertices()
        } else if is("Tetrahedra") {
            self.tets(4)
        } else if is("TetrahedraP2") {
            self.tets(10)
        } else if is("Triangles") {
            self.triangles()
        } else if is("Quadrilaterals") {
            self.quadrilaterals()
        } else if let Some(table) = TABLES.iter().find(|table| is(table.0)) {
            self.pass_over(table)
        } else if let Some((_, numbers)) = SETTINGS.iter().find(|setting| is(setting.0)) {
            (0..*numbers).try_for_each(|_| self.text.number("a setting").map(drop))
        } else {
            Err(self.text.unexpected("a MEDIT keyword that is known here", keyword))
        }
    }

    fn vertices(&mut self) -> Parsed<()> {
        if self.has_vertices {
            return Err(self.text.invalid("the vertices come a second time"));
        }
        self.has_vertices = true;
        let count = self.text.count("vertices", 4 * NUMBER_BYTES)?;
        self.mesh.positions.reserve(count);
        for _ in 0..count {
            self.mesh.positions.push(self.text.point()?);
            self.text.integer("the reference of a vertex")?;
        }
        Ok(())
    }

    /// Reads tets of some nodes, the corners first.
    fn tets(&mut self, nodes: usize) -> Parsed<()> {
        let count = self.count("tets", nodes)?;
        self.mesh.tets.reserve(count);
        self.mesh.regions.reserve(count);
        for _ in 0..count {
            let tet = self.corners::<4>("a corner of a tet")?;
            for _ in 4..nodes {
                self.corner("a node of a tet")?;
            }
            let region = u32::try_from(self.text.integer("the reference of a tet")?);
            self.without_region += usize::from(region.is_err());
            self.mesh.tets.push(tet);
            self.mesh.regions.push(region.unwrap_or(0));
        }
        self.second_order.add(TET, if nodes == 10 { count } else { 0 });
        Ok(())
    }

    fn triangles(&mut self) -> Parsed<()> {
        let count = self.count("triangles", 3)?;
        self.mesh.triangles.reserve(count);
        for _ in 0..count {
            let triangle = self.corners("a corner of a triangle")?;
            self.text.integer("the reference of a triangle")?;
            self.mesh.triangles.push(triangle);
        }
        Ok(())
    }

    fn quadrilaterals(&mut self) -> Parsed<()> {
        let count = self.count("quadrilaterals", 4)?;
        for _ in 0..count {
            let corners = self.corners::<4>("a corner of a quadrilateral")?;
            self.text.integer("the reference of a quadrilateral")?;
            fan(&corners, &mut self.mesh.triangles);
        }
        Ok(())
    }

    fn pass_over(&mut self, &(keyword, integers, reals, names): &Table) -> Parsed<()> {
        let count = self.text.count(names[1], (integers + reals) * NUMBER_BYTES)?;
        // Read as numbers, so that a short table does not swallow the next keyword.
        for _ in 0..count {
            (0..integers).try_for_each(|_| self.text.integer(keyword).map(drop))?;
            (0..reals).try_for_each(|_| self.text.number(keyword).map(drop))?;
        }
        self.left_out.add(names, count);
        Ok(())
    }

    /// The count of a table of cells, whose rows hold nodes and a reference.
    fn count(&mut self, what: &str, nodes: usize) -> Parsed<usize> {
        if !self.has_vertices {
            return Err(self.text.invalid(format!("the {what} come before the vertices")));
        }
        self.text.count(what, (nodes + 1) * NUMBER_BYTES)
    }

    #[inline]
    fn corners<const N: usize>(&mut self, wanted: &str) -> Parsed<[VertexId; N]> {
        let mut corners = [VertexId(0); N];
        for corner in &mut corners {
            *corner = self.corner(wanted)?;
        }
        Ok(corners)
    }

    #[inline]
    fn corner(&mut self, wanted: &str) -> Parsed<VertexId> {
        let number = self.text.integer(wanted)?;
        let count = self.mesh.positions.len();
        vertex(number, 1, count).map_err(|fault| self.text.fault(fault))
    }

    fn finish(mut self) -> Parsed<RawMesh> {
        if !self.has_vertices {
            return Err(self.text.fault(Fault::Truncated { wanted: "`Vertices`".to_string() }));
        }
        let notices = &mut self.mesh.notices;
        notices.extend(self.second_order.higher_order());
        notices.extend(region::notice(self.without_region));
        notices.extend(self.left_out.left_out());
        Ok(self.mesh)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::parse::damage::check_damaged;
    use pliant::math::Vec3;

    const TWO_TETS: &[u8] = b"MeshVersionFormatted 2\n# by hand\nDimension\n3\n\nVertices\n5\n\
        0 0 0 0\n1 0 0 0\n0 1 0 0 # a remark\n0 0 1 0\n1 1 1 9\n\
        Tetrahedra 2\n1 2 3 4 7\n2 3 4 5 8\n\
        Triangles\n1\n1 3 2 0\nQuadrilaterals\n1\n1 2 5 3 0\nEdges\n0\n End junk";

    /// Four vertices, to which a test adds.
    const HEAD: &str = "MeshVersionFormatted 1 Dimension 3\n\
        Vertices 4 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 0\n";

    fn read(tables: &str) -> Parsed<RawMesh> {
        parse(format!("{HEAD}{tables}").as_bytes())
    }

    /// The tables begin on line 3.
    #[track_caller]
    fn check_fault(tables: &str, expected: &str) {
        assert_eq!(read(tables).unwrap_err().to_string(), expected);
    }

    #[test]
    fn a_file_is_read_as_written() {
        let mesh = parse(TWO_TETS).unwrap();
        assert_eq!(mesh.positions.len(), 5);
        assert_eq!(mesh.positions[4], Vec3::ONE);
        assert_eq!(mesh.tets, [[0, 1, 2, 3].map(VertexId), [1, 2, 3, 4].map(VertexId)]);
        assert_eq!(mesh.regions, [7, 8]);
        let expected = [[0, 2, 1], [0, 1, 4], [0, 4, 2]];
        assert_eq!(mesh.triangles, expected.map(|t| t.map(VertexId)));
        assert!(mesh.notices.is_empty(), "{:?}", mesh.notices);
    }

    #[test]
    fn all_known_tables_are_passed_over_to_their_end() {
        let mut file = String::new();
        for (keyword, integers, reals, _) in TABLES {
            let row = "1 ".repeat(integers) + &".5 ".repeat(reals);
            file += &format!("{keyword} 2 {row}\n{row}\n");
        }
        for (keyword, numbers) in SETTINGS {
            file += &format!("{keyword} {}\n", ".5 ".repeat(numbers));
        }
        let mesh = read(&(file + "Tetrahedra 1 1 2 3 4 0 End")).unwrap();
        assert_eq!(mesh.tets.len(), 1);
        assert_eq!(mesh.notices.len(), 1);
        assert!(mesh.notices[0].starts_with("left out 2 edges, 2 hexahedra, 2 prisms"));
    }

    #[test]
    fn second_order_tets_keep_their_corners() {
        let mesh = read("TetrahedraP2 1 1 2 3 4 1 1 1 1 1 4 -5").unwrap();
        assert_eq!(mesh.tets, [[0, 1, 2, 3].map(VertexId)]);
        assert_eq!(mesh.regions, [0]);
        assert_eq!(mesh.notices.len(), 2, "{:?}", mesh.notices);
        assert_eq!(mesh.notices[1], region::notice(1).unwrap());
    }

    #[test]
    fn coordinates_may_be_anything_that_is_a_number() {
        let file = b"MeshVersionFormatted 0\nDimension 3\nVertices\n1\nnan 1d3 -inf 0";
        let mesh = parse(file).unwrap();
        assert!(mesh.positions[0].x.is_nan());
        assert_eq!((mesh.positions[0].y, mesh.positions[0].z), (1e3, f64::NEG_INFINITY));
    }

    #[test]
    fn faults_name_their_line() {
        let lacking = "line 3: the file ends where a corner of a tet should be";
        check_fault("Tetrahedra 1\n\n1 2 3         ", &lacking.replace('3', "5"));
        check_fault(
            "Tetrahedra 1 1 2 3 5 0",
            "line 3: vertex 5 does not exist, the file numbers 4 vertices",
        );
        check_fault(
            "Triangles 1 1 0 3 5",
            "line 3: vertex 0 does not exist, the file numbers 4 vertices",
        );
        check_fault(
            "Edges 2 1 2 0\nTetrahedra 1 1 2 3 4 0",
            "line 4: expected Edges, found `Tetrahedra`",
        );
        check_fault(
            "Edges 1 1 2 0\n1 3 0",
            "line 4: expected a MEDIT keyword that is known here, found `1`",
        );
        check_fault(
            "Colours 2",
            "line 3: expected a MEDIT keyword that is known here, found `Colours`",
        );
        check_fault("Vertices 0", "line 3: the vertices come a second time");
        check_fault(
            "Triangles 77777777777",
            "line 3: 77777777777 triangles announced, the rest of the file has room for at most 0",
        );
        check_fault("Hexahedra -1", "line 3: the number of hexahedra is -1");
    }

    #[test]
    fn what_is_not_read_is_refused_by_name() {
        let check = |file: &[u8], expected: &str| {
            assert_eq!(parse(file).unwrap_err().to_string(), expected);
        };
        let named = |what: &str| format!("line 1: this is {what}, not a MEDIT mesh as text");
        check(b"MFEM mesh v1.0\n\ndimension\n3\n", &named("an MFEM mesh"));
        check(b"mesh3d\ndimension\n3\n", &named("a Netgen mesh"));
        check(b"  <?xml version=\"1.0\"?>", &named("an XML file"));
        let numbers = named("a list of numbers, such as Netgen and FreeFem write");
        check(b"345 12 3\n0 0 0\n", &numbers);
        let binary = "byte 0: this is a binary MEDIT mesh (.meshb), not a MEDIT mesh as text";
        check(b"\x01\0\0\0\x02\0\0\0\x03\0\0\0", binary);
        check(b"\0\0\0\x01\0\0\0\x02\0\0\0\x03", binary);
        check(b"", "line 1: the file ends where `MeshVersionFormatted` should be");
        check(b"solid x\n", "line 1: expected `MeshVersionFormatted`, found `solid`");
        check(b"MeshVersionFormatted 5\n", "line 1: version 5 is not known, 0 to 4 are");
        check(
            b"MeshVersionFormatted 1\nDimension\n2\nVertices\n0\n",
            "line 3: vertices have 2 coordinates, 3 are read",
        );
        check(
            b"MeshVersionFormatted 1\nDimension 3\nTetrahedra 0\n",
            "line 3: the tets come before the vertices",
        );
        check(
            b"MeshVersionFormatted 1\nDimension 3\n",
            "line 2: the file ends where `Vertices` should be",
        );
    }

    #[test]
    fn damaged_files_never_panic() {
        check_damaged(TWO_TETS, parse);
    }
}
