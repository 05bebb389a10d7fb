//! Words for the cells that are left out, and for the arrays that hold regions.

/// Names of cell-data arrays that tell materials apart, the most telling first.
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

/// Cell types that are left out: VTK's number, one of them, several of them.
const CELL_NAMES: [(usize, &str, &str); 39] = [
    (0, "empty cell", "empty cells"),
    (1, "point", "points"),
    (2, "group of points", "groups of points"),
    (3, "line", "lines"),
    (4, "polyline", "polylines"),
    (11, "voxel", "voxels"),
    (12, "hexahedron", "hexahedra"),
    (13, "wedge", "wedges"),
    (14, "pyramid", "pyramids"),
    (15, "pentagonal prism", "pentagonal prisms"),
    (16, "hexagonal prism", "hexagonal prisms"),
    (21, "quadratic line", "quadratic lines"),
    (25, "quadratic hexahedron", "quadratic hexahedra"),
    (26, "quadratic wedge", "quadratic wedges"),
    (27, "quadratic pyramid", "quadratic pyramids"),
    (29, "triquadratic hexahedron", "triquadratic hexahedra"),
    (31, "quadratic-linear wedge", "quadratic-linear wedges"),
    (32, "biquadratic wedge", "biquadratic wedges"),
    (33, "biquadratic hexahedron", "biquadratic hexahedra"),
    (35, "cubic line", "cubic lines"),
    (36, "quadratic polygon", "quadratic polygons"),
    (37, "triquadratic pyramid", "triquadratic pyramids"),
    (41, "convex point set", "convex point sets"),
    (42, "polyhedron", "polyhedra"),
    (60, "higher-order line", "higher-order lines"),
    (63, "higher-order polygon", "higher-order polygons"),
    (65, "higher-order wedge", "higher-order wedges"),
    (66, "higher-order pyramid", "higher-order pyramids"),
    (67, "higher-order hexahedron", "higher-order hexahedra"),
    (68, "Lagrange line", "Lagrange lines"),
    (72, "Lagrange hexahedron", "Lagrange hexahedra"),
    (73, "Lagrange wedge", "Lagrange wedges"),
    (74, "Lagrange pyramid", "Lagrange pyramids"),
    (75, "Bézier line", "Bézier lines"),
    (79, "Bézier hexahedron", "Bézier hexahedra"),
    (80, "Bézier wedge", "Bézier wedges"),
    (81, "Bézier pyramid", "Bézier pyramids"),
    (51, "parametric curve", "parametric curves"),
    (53, "parametric region", "parametric regions"),
];

/// How well a name suits an array of regions, 0 best; `None` when it does not.
pub(crate) fn region_rank(name: &[u8]) -> Option<usize> {
    REGION_NAMES.iter().position(|known| name.eq_ignore_ascii_case(known.as_bytes()))
}

/// One notice of all cells left out, or none.
///
/// `counts` is by cell type; its last entry counts types that have no number there.
/// `cornerless` counts polygons and strips of fewer than three corners.
pub(crate) fn left_out(counts: &[u64], cornerless: u64) -> Option<String> {
    let mut named = Vec::new();
    let mut unknown: u64 = 0;
    for (kind, &count) in counts.iter().enumerate().filter(|&(_, &count)| count > 0) {
        match CELL_NAMES.iter().find(|&&(number, ..)| number == kind) {
            Some((_, one, many)) => named.push(plural(count, one, many)),
            None => unknown += count,
        }
    }
    if cornerless > 0 {
        let (one, many) = ("polygon", "polygons");
        named.push(format!("{} of fewer than three corners", plural(cornerless, one, many)));
    }
    if unknown > 0 {
        named.push(format!("{} of unknown type", plural(unknown, "cell", "cells")));
    }
    let last = named.pop()?;
    Some(match named.is_empty() {
        true => format!("left out {last}"),
        false => format!("left out {} and {last}", named.join(", ")),
    })
}

/// A count with its noun.
pub(crate) fn plural(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_listed_as_people_list_things() {
        let mut counts = [0; 257];
        assert_eq!(left_out(&counts, 0), None);
        counts[12] = 12;
        assert_eq!(left_out(&counts, 0).as_deref(), Some("left out 12 hexahedra"));
        counts[3] = 1;
        assert_eq!(left_out(&counts, 0).as_deref(), Some("left out 1 line and 12 hexahedra"));
        counts[256] = 2;
        let all = "left out 1 line, 12 hexahedra and 2 cells of unknown type";
        assert_eq!(left_out(&counts, 0).as_deref(), Some(all));
    }

    #[test]
    fn region_names_are_known_in_any_case_of_letters() {
        assert_eq!(region_rank(b"Region"), Some(0));
        assert!(region_rank(b"CellEntityIds") > region_rank(b"MaterialIDs"));
        assert_eq!(region_rank(b"temperature"), None);
    }
}
