//! A thin sheet, one or more cells thick.

use crate::math::Vec3;
use crate::mesh::generate::cuboid::cuboid;
use crate::mesh::generate::lattice::TetSplit;
use crate::mesh::generate::{GenerateError, check_count, check_length};
use crate::mesh::raw::RawMesh;

/// Parameters of a sheet in the x–z plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MembraneSettings {
    /// Extent along x and z, m.
    pub size: [f64; 2],
    /// Extent along y, m.
    pub thickness: f64,
    /// Cells along x and z.
    pub cells: [u32; 2],
    /// Cells along y.
    pub layers: u32,
    /// How a cell is split into tets.
    pub cut: TetSplit,
}

/// A flat sheet in the x–z plane, numbered like a [`cuboid`].
///
/// The thinner the cells, the smaller the angles: cells five times as wide as thick
/// have dihedral angles of at least 15.7° with [`TetSplit::Five`] and 11.3° with [`TetSplit::Six`].
pub fn membrane(settings: &MembraneSettings) -> Result<RawMesh, GenerateError> {
    let MembraneSettings { size: [x, z], thickness, cells: [nx, nz], layers, cut } = *settings;
    check_count("layers of the membrane", layers, 1)?;
    check_length("the thickness of the membrane", thickness)?;
    cuboid([nx, layers, nz], Vec3::new(x, thickness, z), cut)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate::tests::{BALL_LIKE, check_angle, check_close, measure};

    /// One of nine stacked sheets of 11 × 11 × 2 vertices, cells 0.1 × 0.02 × 0.1 m.
    const SHEET: MembraneSettings = MembraneSettings {
        size: [1.0, 1.0],
        thickness: 0.02,
        cells: [10, 10],
        layers: 1,
        cut: TetSplit::Five,
    };

    #[test]
    fn nine_sheets_have_the_vertices_and_triangles_of_the_papers_stack() {
        let measured = measure(&membrane(&SHEET).unwrap());
        // [Spillmann05 fig. 10] counts 2178 vertices and 4320 surface triangles.
        assert_eq!(9 * 11 * 11 * 2, 2178);
        assert_eq!(9 * measured.boundary_faces, 4320);
        assert_eq!(membrane(&SHEET).unwrap().positions.len(), 11 * 11 * 2);
        assert_eq!(membrane(&SHEET).unwrap().tets.len(), 5 * 10 * 10);
        assert_eq!(measured.euler, BALL_LIKE);
        check_close(measured.volume, 0.02);
    }

    #[test]
    fn layers_lie_along_y() {
        let settings = MembraneSettings { cells: [3, 2], layers: 4, cut: TetSplit::Six, ..SHEET };
        let mesh = membrane(&settings).unwrap();
        assert_eq!((mesh.positions.len(), mesh.tets.len()), (4 * 3 * 5, 6 * 3 * 2 * 4));
        assert_eq!(mesh.positions[4].y - mesh.positions[0].y, 0.02 / 4.0);
        measure(&mesh);
    }

    #[test]
    fn thin_cells_have_the_angles_stated() {
        let angle = |cut| measure(&membrane(&MembraneSettings { cut, ..SHEET }).unwrap());
        check_angle(angle(TetSplit::Five).min_dihedral, libm::atan(2_f64.sqrt() / 5.0));
        check_angle(angle(TetSplit::Six).min_dihedral, libm::atan(1_f64 / 5.0));
    }

    #[test]
    fn faults_name_the_argument() {
        let refusal = |settings| membrane(&settings).unwrap_err().to_string();
        assert_eq!(
            refusal(MembraneSettings { layers: 0, ..SHEET }),
            "layers of the membrane: 0 asked for, at least 1 needed"
        );
        assert_eq!(
            refusal(MembraneSettings { thickness: -0.02, ..SHEET }),
            "the thickness of the membrane is -0.02 m, expected a positive finite length"
        );
        assert!(membrane(&MembraneSettings { cells: [0, 1], ..SHEET }).is_err());
        assert!(membrane(&MembraneSettings { size: [1.0, 0.0], ..SHEET }).is_err());
        assert!(membrane(&MembraneSettings { layers: u32::MAX, ..SHEET }).is_err());
    }
}
