//! What becomes of each kind of element: a tet, triangles, or a count in a notice.

use crate::mesh::parse::fan::fan;
use crate::mesh::parse::msh::numbers::Source;
use crate::mesh::parse::msh::tags::NodeTags;
use crate::mesh::parse::skipped::{
    HEXAHEDRON, LINE, Names, POINT, PRISM, PYRAMID, QUADRILATERAL, TET, TRIANGLE, Tally,
};
use crate::mesh::parse::{Fault, Parsed, region};
use pliant::id::VertexId;

use Family::{Hexahedron, Line, Odd, Point, Prism, Pyramid, Quadrilateral, Tetrahedron, Triangle};

/// Shape of an element, whatever its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Four corners.
    Tetrahedron,
    /// Three corners.
    Triangle,
    /// Four corners in a face.
    Quadrilateral,
    /// Eight corners.
    Hexahedron,
    /// Six corners.
    Prism,
    /// Five corners.
    Pyramid,
    /// Two ends.
    Line,
    /// One node.
    Point,
    /// Elements without corners, on borders or cuts, or not named at all.
    Odd,
}

/// Elements that are called by no shape.
const ODD: Names = ["element of another kind", "elements of other kinds"];

impl Family {
    fn names(self) -> Names {
        match self {
            Tetrahedron => TET,
            Triangle => TRIANGLE,
            Quadrilateral => QUADRILATERAL,
            Hexahedron => HEXAHEDRON,
            Prism => PRISM,
            Pyramid => PYRAMID,
            Line => LINE,
            Point => POINT,
            Odd => ODD,
        }
    }
}

/// A type of element as Gmsh numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// Shape; its corners come first among the nodes.
    pub family: Family,
    /// Nodes of one element.
    pub nodes: usize,
}

/// Runs of Gmsh's element types: first type, shape, nodes of each type of the run.
///
/// Types without a fixed number of nodes (polygons, polyhedra, cut elements) have 0.
const TYPES: [(i64, Family, &[usize]); 46] = [
    (1, Line, &[2]),
    (2, Triangle, &[3]),
    (3, Quadrilateral, &[4]),
    (4, Tetrahedron, &[4]),
    (5, Hexahedron, &[8]),
    (6, Prism, &[6]),
    (7, Pyramid, &[5]),
    (8, Line, &[3]),
    (9, Triangle, &[6]),
    (10, Quadrilateral, &[9]),
    (11, Tetrahedron, &[10]),
    (12, Hexahedron, &[27]),
    (13, Prism, &[18]),
    (14, Pyramid, &[14]),
    (15, Point, &[1]),
    (16, Quadrilateral, &[8]),
    (17, Hexahedron, &[20]),
    (18, Prism, &[15]),
    (19, Pyramid, &[13]),
    (20, Triangle, &[9, 10, 12, 15, 15, 21]),
    (26, Line, &[4, 5, 6]),
    (29, Tetrahedron, &[20, 35, 56, 22, 28]),
    (34, Odd, &[0, 0]),
    (36, Quadrilateral, &[16, 25, 36, 12, 16, 20]),
    (42, Triangle, &[28, 36, 45, 55, 66]),
    (47, Quadrilateral, &[49, 64, 81, 100, 121]),
    (52, Triangle, &[18, 21, 24, 27, 30]),
    (57, Quadrilateral, &[24, 28, 32, 36, 40]),
    (62, Line, &[7, 8, 9, 10, 11]),
    (67, Odd, &[2, 3, 0, 2]),
    (71, Tetrahedron, &[84, 120, 165, 220, 286]),
    (79, Tetrahedron, &[34, 40, 46, 52, 58]),
    (84, Odd, &[1, 1, 1, 1, 1, 1]),
    (90, Prism, &[40, 75]),
    (92, Hexahedron, &[64, 125, 216, 343, 512, 729, 1000]),
    (99, Hexahedron, &[32, 44, 56, 68, 80, 92, 104]),
    (106, Prism, &[126, 196, 288, 405, 550]),
    (111, Prism, &[24, 33, 42, 51, 60, 69, 78]),
    (118, Pyramid, &[30, 55, 91, 140, 204, 285, 385]),
    (125, Pyramid, &[21, 29, 37, 45, 53, 61, 69]),
    (132, Odd, &[1]),
    (133, Odd, &[0, 0, 0, 0]),
    (137, Tetrahedron, &[16]),
    (138, Triangle, &[4]),
    (139, Tetrahedron, &[5]),
    (140, Odd, &[4]),
];

impl Kind {
    /// The kind that a type number stands for.
    pub fn of_type(number: i64) -> Result<Kind, Fault> {
        let run = TYPES[..TYPES.partition_point(|&(first, ..)| first <= number)].last();
        let found = run.and_then(|&(first, family, counts)| {
            let nodes = *counts.get(usize::try_from(number - first).ok()?)?;
            Some(Kind { family, nodes })
        });
        match found {
            Some(Kind { nodes: 0, .. }) => Err(Fault::Unsupported(format!(
                "elements of type {number} have no fixed number of nodes and are not read"
            ))),
            Some(kind) => Ok(kind),
            None => Err(Fault::Invalid(format!("Gmsh has no element type {number}"))),
        }
    }

    /// Reads the type of an element.
    pub fn read<'a, S: Source<'a>>(source: &mut S) -> Parsed<Kind> {
        let number = source.int("the type of an element")?;
        Kind::of_type(number).map_err(|fault| source.fault(fault))
    }
}

/// One element before its nodes.
#[derive(Clone, Copy, Debug)]
pub struct Element {
    /// Its tag, for errors.
    pub tag: u64,
    /// Shape and number of nodes.
    pub kind: Kind,
    /// Region as the file numbers it.
    pub region: i64,
}

/// The elements read so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cells {
    /// Corners of the tets.
    pub tets: Vec<[VertexId; 4]>,
    /// Region of each tet.
    pub regions: Vec<u32>,
    /// Corners of the triangles; quadrilaterals are cut in two.
    pub triangles: Vec<[VertexId; 3]>,
    /// Elements of other kinds.
    left_out: Tally,
    /// Elements that had nodes besides their corners.
    higher_order: Tally,
    /// Tets with a region below zero.
    negative: usize,
}

impl Cells {
    /// Makes room for `count` elements that the file is known to hold.
    pub fn reserve(&mut self, kind: Kind, count: usize) {
        match kind.family {
            Tetrahedron => {
                self.tets.reserve(count);
                self.regions.reserve(count);
            }
            Triangle => self.triangles.reserve(count),
            Quadrilateral => self.triangles.reserve(2 * count),
            _ => {}
        }
    }

    /// Reads the nodes of an element and keeps what can be kept of it.
    #[inline]
    pub fn read<'a, S: Source<'a>>(
        &mut self,
        source: &mut S,
        nodes: &NodeTags,
        element: Element,
    ) -> Parsed<()> {
        let Element { tag, kind, region } = element;
        let mut corners = [VertexId(0); 4];
        for place in 0..kind.nodes {
            let node = source.tag("a node of an element")?;
            let Some(vertex) = nodes.find(node) else {
                return Err(source.invalid(format!(
                    "element {tag} names node {node}, which the file does not hold"
                )));
            };
            if let Some(corner) = corners.get_mut(place) {
                *corner = vertex;
            }
        }
        if kind.family == Tetrahedron {
            self.regions.push(match u32::try_from(region) {
                Ok(region) => region,
                Err(_) if region < 0 => {
                    self.negative += 1;
                    0
                }
                Err(_) => {
                    return Err(source.invalid(format!(
                        "element {tag} has region {region}, regions go up to {}",
                        u32::MAX
                    )));
                }
            });
        }
        self.keep(kind, corners);
        Ok(())
    }

    /// One sentence for each thing that was left out or changed.
    pub fn notices(&self) -> Vec<String> {
        let regions = region::notice(self.negative);
        [self.left_out.left_out(), self.higher_order.higher_order(), regions]
            .into_iter()
            .flatten()
            .collect()
    }

    #[inline]
    fn keep(&mut self, kind: Kind, [v0, v1, v2, v3]: [VertexId; 4]) {
        let corners = match kind.family {
            Tetrahedron => {
                self.tets.push([v0, v1, v2, v3]);
                4
            }
            Triangle => {
                self.triangles.push([v0, v1, v2]);
                3
            }
            Quadrilateral => {
                fan(&[v0, v1, v2, v3], &mut self.triangles);
                4
            }
            other => {
                self.left_out.add(other.names(), 1);
                return;
            }
        };
        if kind.nodes > corners {
            self.higher_order.add(kind.family.names(), 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(number: i64, family: Family, nodes: usize) {
        assert_eq!(Kind::of_type(number), Ok(Kind { family, nodes }), "type {number}");
    }

    #[test]
    fn types_have_the_nodes_of_their_order() {
        check(4, Tetrahedron, 4);
        check(11, Tetrahedron, 10);
        check(137, Tetrahedron, 16);
        check(15, Point, 1);
        check(84, Odd, 1);
        // Orders 6 to 10 of a tet: (p + 1)(p + 2)(p + 3) / 6 nodes.
        for (number, p) in (71..=75).zip(6..) {
            check(number, Tetrahedron, (p + 1) * (p + 2) * (p + 3) / 6);
        }
        // Orders 3 to 9 of the solids, full: (p + 1)³ in a hexahedron, p + 1 triangles in
        // a prism, squares of 1 to p + 1 in a pyramid. Edges only: p − 1 more on each.
        let pyramid = |p: usize| (1..=p + 1).map(|side| side * side).sum();
        for p in 3..=9_usize {
            let run = p as i64 - 3;
            check(92 + run, Hexahedron, (p + 1).pow(3));
            check(99 + run, Hexahedron, 8 + 12 * (p - 1));
            check(111 + run, Prism, 6 + 9 * (p - 1));
            check(118 + run, Pyramid, pyramid(p));
            check(125 + run, Pyramid, 5 + 8 * (p - 1));
        }
        for (number, p) in [(90, 3), (91, 4), (106, 5), (107, 6), (108, 7), (109, 8), (110, 9)] {
            check(number, Prism, (p + 1) * (p + 1) * (p + 2) / 2);
        }
    }

    #[test]
    fn types_that_cannot_be_skipped_are_refused_by_number() {
        for number in [34, 35, 69, 133, 136] {
            assert!(matches!(Kind::of_type(number), Err(Fault::Unsupported(_))), "{number}");
        }
        for number in [i64::MIN, -1, 0, 76, 78, 141, 999, i64::MAX] {
            let fault = Kind::of_type(number).unwrap_err();
            assert_eq!(fault.to_string(), format!("Gmsh has no element type {number}"));
        }
    }

    #[test]
    fn runs_of_types_rise_and_do_not_overlap() {
        for pair in TYPES.windows(2) {
            assert!(pair[0].0 + pair[0].2.len() as i64 <= pair[1].0, "{pair:?}");
        }
    }
}
