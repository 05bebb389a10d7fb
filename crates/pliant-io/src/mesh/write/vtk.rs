//! Writes legacy VTK files, in the layout of version 4.2 that every reader knows.

use crate::mesh::write::Encoding;
use crate::mesh::write::text::{push_point, push_whole};
use pliant::id::VertexId;
use pliant::math::Vec3;

/// VTK's number for a tetrahedron.
pub(crate) const TETRAHEDRON: u8 = 10;

/// Writes tets as an unstructured grid.
///
/// `regions` has one number per tet, or is empty; it becomes the cell data `region`
/// unless every number is 0. Coordinates keep their bits. The format counts in 31 bits:
/// beyond 2³¹ vertices, or 2³¹/5 tets, binary files hold wrapped numbers.
pub fn write(
    positions: &[Vec3],
    tets: &[[VertexId; 4]],
    regions: &[u32],
    encoding: Encoding,
) -> Vec<u8> {
    debug_assert!(regions.is_empty() || regions.len() == tets.len(), "{} regions", regions.len());
    let word = match encoding {
        Encoding::Ascii => "ASCII",
        Encoding::Binary => "BINARY",
    };
    let (points, cells) = (positions.len(), tets.len());
    let mut out = format!(
        "# vtk DataFile Version 4.2\nwritten by Pliant\n{word}\nDATASET UNSTRUCTURED_GRID\n\
         POINTS {points} double\n"
    )
    .into_bytes();
    out.reserve(24 * points + 24 * cells);
    match encoding {
        Encoding::Ascii => write_text(&mut out, positions, tets, regions),
        Encoding::Binary => write_bytes(&mut out, positions, tets, regions),
    }
    out
}

/// Whether regions are worth writing.
pub(crate) fn tells_regions(regions: &[u32]) -> bool {
    regions.iter().any(|&region| region != 0)
}

fn cells_line(tets: usize) -> String {
    format!("CELLS {tets} {}\n", 5 * tets)
}

fn types_line(tets: usize) -> String {
    format!("CELL_TYPES {tets}\n")
}

fn regions_lines(tets: usize) -> String {
    format!("CELL_DATA {tets}\nSCALARS region unsigned_int 1\nLOOKUP_TABLE default\n")
}

fn write_text(out: &mut Vec<u8>, positions: &[Vec3], tets: &[[VertexId; 4]], regions: &[u32]) {
    for &point in positions {
        push_point(out, point);
    }
    out.extend(cells_line(tets.len()).as_bytes());
    for tet in tets {
        out.push(b'4');
        for corner in tet {
            out.push(b' ');
            push_whole(out, u64::from(corner.0));
        }
        out.push(b'\n');
    }
    out.extend(types_line(tets.len()).as_bytes());
    for _ in tets {
        push_whole(out, u64::from(TETRAHEDRON));
        out.push(b'\n');
    }
    if tells_regions(regions) {
        out.extend(regions_lines(tets.len()).as_bytes());
        for &region in regions {
            push_whole(out, u64::from(region));
            out.push(b'\n');
        }
    }
}

fn write_bytes(out: &mut Vec<u8>, positions: &[Vec3], tets: &[[VertexId; 4]], regions: &[u32]) {
    for point in positions {
        out.extend(point.to_array().into_iter().flat_map(f64::to_be_bytes));
    }
    out.push(b'\n');
    out.extend(cells_line(tets.len()).as_bytes());
    for tet in tets {
        out.extend(4_u32.to_be_bytes());
        out.extend(tet.iter().flat_map(|corner| corner.0.to_be_bytes()));
    }
    out.push(b'\n');
    out.extend(types_line(tets.len()).as_bytes());
    for _ in tets {
        out.extend(u32::from(TETRAHEDRON).to_be_bytes());
    }
    out.push(b'\n');
    if tells_regions(regions) {
        out.extend(regions_lines(tets.len()).as_bytes());
        out.extend(regions.iter().flat_map(|region| region.to_be_bytes()));
        out.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::parse::vtk::parse;

    const TET: [VertexId; 4] = [VertexId(0), VertexId(1), VertexId(2), VertexId(3)];
    const CORNER: [Vec3; 4] = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(0.1, -0.5, 1e-7)];

    #[test]
    fn a_tet_is_written_as_text() {
        let text = String::from_utf8(write(&CORNER, &[TET], &[7], Encoding::Ascii)).unwrap();
        let expected = "# vtk DataFile Version 4.2\nwritten by Pliant\nASCII\n\
            DATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n0.0 0.0 0.0\n1.0 0.0 0.0\n0.0 1.0 0.0\n\
            0.1 -0.5 1e-7\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\nCELL_DATA 1\n\
            SCALARS region unsigned_int 1\nLOOKUP_TABLE default\n7\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn no_regions_are_written_when_all_are_zero() {
        for encoding in [Encoding::Ascii, Encoding::Binary] {
            let plain = write(&CORNER, &[TET], &[], encoding);
            assert_eq!(write(&CORNER, &[TET], &[0], encoding), plain);
        }
    }

    #[test]
    fn what_is_written_reads_back_to_the_same_bits() {
        let strange = [
            Vec3::new(f64::NAN, f64::INFINITY, f64::NEG_INFINITY),
            Vec3::new(-0.0, f64::MIN_POSITIVE, 5e-324),
            Vec3::new(f64::MAX, 0.1 + 0.2, 1e15),
            Vec3::new(1e16, -1e-7, 123_456_789.123_456_78),
        ];
        let regions = [0, u32::MAX];
        for encoding in [Encoding::Ascii, Encoding::Binary] {
            let mesh = parse(&write(&strange, &[TET, TET], &regions, encoding)).unwrap();
            let bits = |points: &[Vec3]| -> Vec<_> {
                points.iter().flat_map(|p| p.to_array().map(f64::to_bits)).collect()
            };
            assert_eq!(bits(&mesh.positions), bits(&strange), "{encoding:?}");
            assert_eq!((mesh.tets, mesh.regions), (vec![TET; 2], regions.to_vec()));
            assert_eq!(mesh.notices, [""; 0]);
        }
    }

    #[test]
    fn nothing_is_written_as_an_empty_grid() {
        for encoding in [Encoding::Ascii, Encoding::Binary] {
            let mesh = parse(&write(&[], &[], &[], encoding)).unwrap();
            assert_eq!((mesh.positions.len(), mesh.tets.len()), (0, 0));
        }
    }
}
