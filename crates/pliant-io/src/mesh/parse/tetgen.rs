//! TetGen's pairs of files: `.node` with the vertices, `.ele` with the tets.
//!
//! Both begin with a line of counts, then hold one numbered row per line. Numbers
//! start at 0 or 1, as in the first row, and must be consecutive. What stands
//! behind the wanted numbers of a row (attributes, boundary markers) is passed over.

use crate::mesh::parse::lines::{Lines, Run};
use crate::mesh::parse::region::{self, region};
use crate::mesh::parse::skipped::{TET, Tally};
use crate::mesh::parse::text::vertex;
use crate::mesh::parse::{Fault, Parsed, encoding};
use pliant::id::VertexId;
use pliant::math::Vec3;
use pliant::mesh::raw::RawMesh;

/// Shortest row of a node, `0 0 0 0` and its line end, bytes.
const NODE_BYTES: usize = 8;

/// Shortest row of a tet, `0 0 0 0 0` and its line end, bytes.
const TET_BYTES: usize = 10;

/// What a `.node` file holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Nodes {
    /// World space, m, in file order.
    positions: Vec<Vec3>,
    /// Number of the first node, 0 or 1.
    first: i64,
}

/// Reads a `.node` file.
pub fn parse_nodes(bytes: &[u8]) -> Parsed<Nodes> {
    let bytes = encoding::plain(bytes);
    let runs = [Run::whole(&bytes)];
    let mut lines = Lines::new(&runs, None);
    let nodes = nodes(&mut lines)?;
    lines.end(|| format!("{} nodes", nodes.positions.len()))?;
    Ok(nodes)
}

/// Reads an `.ele` file, whose tets stand on the nodes of its `.node` file.
///
/// The first attribute of a tet is its region if it is an integer from 0 on.
pub fn parse_elements(bytes: &[u8], nodes: Nodes) -> Parsed<RawMesh> {
    let bytes = encoding::plain(bytes);
    let runs = [Run::whole(&bytes)];
    let mut lines = Lines::new(&runs, None);
    let mut mesh = RawMesh::default();
    elements(&mut lines, &nodes, &mut mesh)?;
    lines.end(|| format!("{} tets", mesh.tets.len()))?;
    mesh.positions = nodes.positions;
    Ok(mesh)
}

impl Nodes {
    /// The vertices, for a mesh.
    pub fn into_positions(self) -> Vec<Vec3> {
        self.positions
    }
}

/// Reads the counts and rows of a `.node` file, wherever they stand.
pub fn nodes(lines: &mut Lines) -> Parsed<Nodes> {
    lines.need(|| "the number of nodes".to_string())?;
    let count = lines.integer("the number of nodes")?;
    let count = lines.check_count(count, "nodes", NODE_BYTES)?;
    let dimension = header_number(lines, "the dimension", 3)?;
    if dimension != 3 {
        let why = format!("nodes have {dimension} coordinates, 3 are read");
        return Err(lines.fault(Fault::Unsupported(why)));
    }
    let mut nodes = Nodes { positions: Vec::with_capacity(count), first: 0 };
    for i in 0..count {
        lines.need(|| format!("node {} of {count}", i + 1))?;
        nodes.first = row_number(lines, "node", i, nodes.first)?;
        let (x, y, z) = (
            lines.number("a number for x")?,
            lines.number("a number for y")?,
            lines.number("a number for z")?,
        );
        nodes.positions.push(Vec3::new(x, y, z));
    }
    Ok(nodes)
}

/// Reads the counts and rows of an `.ele` file; gives the number of the first tet.
pub fn elements(lines: &mut Lines, nodes: &Nodes, mesh: &mut RawMesh) -> Parsed<i64> {
    lines.need(|| "the number of tets".to_string())?;
    let count = lines.integer("the number of tets")?;
    let count = lines.check_count(count, "tets", TET_BYTES)?;
    let nodes_each = header_number(lines, "the number of nodes per tet", 4)?;
    if nodes_each != 4 && nodes_each != 10 {
        let why = format!("elements have {nodes_each} nodes, tets of 4 or 10 are read");
        return Err(lines.fault(Fault::Unsupported(why)));
    }
    let attributes = header_number(lines, "the number of attributes", 0)?;
    mesh.tets.reserve(count);
    mesh.regions.reserve(count);
    let (mut first, mut without_region) = (0, 0);
    for i in 0..count {
        lines.need(|| format!("tet {} of {count}", i + 1))?;
        first = row_number(lines, "tet", i, first)?;
        let mut tet = [VertexId(0); 4];
        for corner in &mut tet {
            *corner = node(lines, nodes)?;
        }
        for _ in 4..nodes_each {
            node(lines, nodes)?;
        }
        let region = if attributes > 0 { region(lines.number("the attribute")?) } else { Some(0) };
        without_region += usize::from(region.is_none());
        mesh.tets.push(tet);
        mesh.regions.push(region.unwrap_or(0));
    }
    mesh.notices.extend(region::notice(without_region));
    let mut second_order = Tally::default();
    second_order.add(TET, if nodes_each == 10 { count } else { 0 });
    mesh.notices.extend(second_order.higher_order());
    Ok(first)
}

/// A number of the first line, which older files may lack.
fn header_number(lines: &mut Lines, wanted: &str, lacking: i64) -> Parsed<i64> {
    // Cloned to look ahead: the line may end here.
    match lines.clone().word() {
        Some(_) => lines.integer(wanted),
        None => Ok(lacking),
    }
}

/// Reads the number of row `i`, which must follow the one before; gives the first.
#[inline]
fn row_number(lines: &mut Lines, what: &str, i: usize, first: i64) -> Parsed<i64> {
    let number = lines.integer("the number of the row")?;
    if i == 0 && (number == 0 || number == 1) {
        return Ok(number);
    }
    if i == 0 {
        let why = format!("the first {what} has number {number}, not 0 or 1");
        return Err(lines.invalid(why));
    }
    let expected = first + i as i64;
    if number != expected {
        let why = format!("{what} {number} stands where {what} {expected} should be");
        return Err(lines.invalid(why));
    }
    Ok(first)
}

#[inline]
fn node(lines: &mut Lines, nodes: &Nodes) -> Parsed<VertexId> {
    let number = lines.integer("a node of the tet")?;
    vertex(number, nodes.first, nodes.positions.len()).map_err(|fault| lines.fault(fault))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::parse::damage::check_damaged;

    const NODES: &[u8] = b"# two tets\n5 3 1 1\n\
        0 0 0 0 .5 1\n1 1 0 0 .5 1 # a remark\n2 0 1 0 .5 1\n\n3 0 0 1 .5 0\n4 1 1 1 .5 1\n";
    const ELEMENTS: &[u8] = b"2 4 1\n0 0 1 2 3 7\n1 1 2 3 4 8.0\n# made by hand\n";

    fn parse(nodes: &[u8], elements: &[u8]) -> Parsed<RawMesh> {
        parse_elements(elements, parse_nodes(nodes)?)
    }

    #[track_caller]
    fn check_fault(nodes: &[u8], elements: &[u8], expected: &str) {
        assert_eq!(parse(nodes, elements).unwrap_err().to_string(), expected);
    }

    /// The same file with every row number and node one higher.
    fn from_one(file: &str, columns: usize) -> String {
        let mut lines = file.lines().map(String::from).collect::<Vec<_>>();
        for line in &mut lines[1..] {
            let raised = line.split(' ').enumerate().map(|(i, word)| match word.parse::<i64>() {
                Ok(number) if i < columns => (number + 1).to_string(),
                _ => word.to_string(),
            });
            *line = raised.collect::<Vec<_>>().join(" ");
        }
        lines.join("\n")
    }

    #[test]
    fn a_pair_is_read_as_written() {
        let mesh = parse(NODES, ELEMENTS).unwrap();
        assert_eq!(mesh.positions.len(), 5);
        assert_eq!(mesh.positions[4], Vec3::ONE);
        assert_eq!(mesh.tets, [[0, 1, 2, 3].map(VertexId), [1, 2, 3, 4].map(VertexId)]);
        assert_eq!(mesh.regions, [7, 8]);
        assert!(mesh.triangles.is_empty() && mesh.notices.is_empty());
    }

    #[test]
    fn numbers_from_one_give_the_same_mesh() {
        let nodes = "4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1";
        let tets = "1 4 0\n0 0 1 2 3";
        let expected = parse(nodes.as_bytes(), tets.as_bytes()).unwrap();
        let (nodes, tets) = (from_one(nodes, 1), from_one(tets, 5));
        assert_eq!(parse(nodes.as_bytes(), tets.as_bytes()).unwrap(), expected);
    }

    #[test]
    fn short_first_lines_are_completed() {
        let mesh = parse(b"4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n", b"1\n1 1 2 3 4\n").unwrap();
        assert_eq!((mesh.positions.len(), mesh.tets.len()), (4, 1));
        assert_eq!(parse(b"0 3 0 0", b"0 4 0"), Ok(RawMesh::default()));
    }

    #[test]
    fn second_order_tets_keep_their_corners() {
        let rows: String = (1..=10).map(|i| format!("{i} {i} nan 0\n")).collect();
        let nodes = format!("10 3\n{rows}");
        let mesh = parse(nodes.as_bytes(), b"1 10 0\n1 1 2 3 4 5 6 7 8 9 10\n").unwrap();
        assert_eq!((mesh.positions.len(), mesh.tets[0]), (10, [0, 1, 2, 3].map(VertexId)));
        assert!(mesh.positions[0].y.is_nan());
        assert_eq!(mesh.notices.len(), 1);
        check_fault(
            nodes.as_bytes(),
            b"1 10 0\n1 1 2 3 4 5 6 7 8 9 11\n",
            "line 2: vertex 11 does not exist, the file numbers 10 vertices",
        );
    }

    #[test]
    fn attributes_that_are_no_region_are_counted() {
        let mesh = parse(NODES, b"3 4 1\n0 0 1 2 3 -1\n1 1 2 3 4 0.5\n2 1 2 3 4 3").unwrap();
        assert_eq!(mesh.regions, [0, 0, 3]);
        assert_eq!(mesh.notices, [region::notice(2).unwrap()]);
    }

    #[test]
    fn faults_name_their_line() {
        let fault = |nodes: &[u8], expected: &str| check_fault(nodes, ELEMENTS, expected);
        fault(b"", "line 1: the file ends where the number of nodes should be");
        fault(b"3 2 0 0\n0 0 0\n1 0 0\n2 0 0\n", "line 1: nodes have 2 coordinates, 3 are read");
        fault(b"1 3\n2 0 0 0\n", "line 2: the first node has number 2, not 0 or 1");
        fault(b"2 3\n1 0 0 0\n3 0 0 0\n", "line 3: node 3 stands where node 2 should be");
        fault(b"1 3\n1 0 0\n       \n", "line 2: the line ends where a number for z should be");
        fault(b"2 3\n1 0 0 0       \n", "line 2: the file ends where node 2 of 2 should be");
        fault(
            b"1 3\n1 0 0 0\n2 0 0 0",
            "line 3: expected the end of the file after 1 nodes, found `2`",
        );
        fault(
            b"99999999999 3\n",
            "line 1: 99999999999 nodes announced, \
            the rest of the file has room for at most 0",
        );
        let fault = |elements: &[u8], expected: &str| check_fault(NODES, elements, expected);
        fault(b"1 8 0\n", "line 1: 1 tets announced, the rest of the file has room for at most 0");
        fault(b"1 8 0\n0 0 1 2 3 4\n", "line 1: elements have 8 nodes, tets of 4 or 10 are read");
        fault(b"1 4\n0 0 1 2 5\n", "line 2: vertex 5 does not exist, the file numbers 5 vertices");
        fault(b"1 4 1\n0 0 1 2 4\n", "line 2: the line ends where the attribute should be");
        fault(b"1 4 0\n0 0 1 2 x\n", "line 2: expected a node of the tet, found `x`");
    }

    #[test]
    fn damaged_files_never_panic() {
        check_damaged(NODES, |nodes| parse(nodes, ELEMENTS));
        check_damaged(ELEMENTS, |elements| parse(NODES, elements));
    }
}
