//! Words for the cells that are left out, and for the arrays that hold regions.

use crate::mesh::parse::skipped::{HEXAHEDRON, LINE, Names, POINT, PRISM, PYRAMID};

/// Names of cell-data arrays that hold materials, the most specific first.
const REGION_NAMES: [&str; 17] = [
    "region",
    "regions",
    "region_id",
    "material",
    "materials",
    "material_id",
    "material_ids",
    "materialid",
    "materialids",
    "mat_id",
    "matid",
    "mtl_id",
    "gmsh:physical",
    "medit:ref",
    "cell_tags",
    "cellentityids",
    "attribute",
];

/// Cell types that are left out: VTK's number, rising, and what they are called.
const CELL_NAMES: [(i64, Names); 39] = [
    (0, ["empty cell", "empty cells"]),
    (1, POINT),
    (2, ["group of points", "groups of points"]),
    (3, LINE),
    (4, ["polyline", "polylines"]),
    (11, ["voxel", "voxels"]),
    (12, HEXAHEDRON),
    (13, PRISM),
    (14, PYRAMID),
    (15, ["pentagonal prism", "pentagonal prisms"]),
    (16, ["hexagonal prism", "hexagonal prisms"]),
    (21, ["quadratic line", "quadratic lines"]),
    (25, ["quadratic hexahedron", "quadratic hexahedra"]),
    (26, ["quadratic prism", "quadratic prisms"]),
    (27, ["quadratic pyramid", "quadratic pyramids"]),
    (29, ["triquadratic hexahedron", "triquadratic hexahedra"]),
    (31, ["quadratic-linear prism", "quadratic-linear prisms"]),
    (32, ["biquadratic prism", "biquadratic prisms"]),
    (33, ["biquadratic hexahedron", "biquadratic hexahedra"]),
    (35, ["cubic line", "cubic lines"]),
    (36, ["quadratic polygon", "quadratic polygons"]),
    (37, ["triquadratic pyramid", "triquadratic pyramids"]),
    (41, ["convex point set", "convex point sets"]),
    (42, ["polyhedron", "polyhedra"]),
    (51, ["parametric curve", "parametric curves"]),
    (53, ["parametric region", "parametric regions"]),
    (60, ["higher-order line", "higher-order lines"]),
    (63, ["higher-order polygon", "higher-order polygons"]),
    (65, ["higher-order prism", "higher-order prisms"]),
    (66, ["higher-order pyramid", "higher-order pyramids"]),
    (67, ["higher-order hexahedron", "higher-order hexahedra"]),
    (68, ["Lagrange line", "Lagrange lines"]),
    (72, ["Lagrange hexahedron", "Lagrange hexahedra"]),
    (73, ["Lagrange prism", "Lagrange prisms"]),
    (74, ["Lagrange pyramid", "Lagrange pyramids"]),
    (75, ["Bézier line", "Bézier lines"]),
    (79, ["Bézier hexahedron", "Bézier hexahedra"]),
    (80, ["Bézier prism", "Bézier prisms"]),
    (81, ["Bézier pyramid", "Bézier pyramids"]),
];

/// Cells of types that have no name here.
const UNKNOWN: Names = ["cell of unknown type", "cells of unknown type"];

/// How well a name suits an array of regions, 0 best; `None` when it does not.
pub(crate) fn region_rank(name: &[u8]) -> Option<usize> {
    REGION_NAMES.iter().position(|known| name.eq_ignore_ascii_case(known.as_bytes()))
}

/// What cells of a type that is left out are called.
pub(crate) fn cell_names(kind: i64) -> Names {
    let at = CELL_NAMES.binary_search_by_key(&kind, |&(number, _)| number);
    at.map_or(UNKNOWN, |at| CELL_NAMES[at].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_found_by_number() {
        assert!(CELL_NAMES.is_sorted_by(|a, b| a.0 < b.0));
        assert_eq!(cell_names(12), HEXAHEDRON);
        assert_eq!(cell_names(81)[1], "Bézier pyramids");
        for unknown in [i64::MIN, -1, 10, 82, i64::MAX] {
            assert_eq!(cell_names(unknown), UNKNOWN);
        }
    }

    #[test]
    fn region_names_are_known_in_any_case_of_letters() {
        assert_eq!(region_rank(b"Region"), Some(0));
        assert!(region_rank(b"CellEntityIds") > region_rank(b"MaterialIDs"));
        assert_eq!(region_rank(b"temperature"), None);
    }
}
