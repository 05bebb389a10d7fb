//! A box of equal cells.

use crate::id::VertexId;
use crate::math::Vec3;
use crate::mesh::generate::lattice::{TetSplit, cut_cells, indices, spread};
use crate::mesh::generate::{GenerateError, check_count, check_length, finish, room_for};
use crate::mesh::raw::RawMesh;

/// A box of `cells` along x, y, z with edges of `size`, m.
///
/// Vertices run along x first, then y, then z; so do the cells, five or six tets each.
/// Cubic cells have dihedral angles of at least 54.7° ([`TetSplit::Five`]) or 45°
/// ([`TetSplit::Six`]).
pub fn cuboid(cells: [u32; 3], size: Vec3, cut: TetSplit) -> Result<RawMesh, GenerateError> {
    let [nx, ny, nz] = cells;
    check_count("cells along x", nx, 1)?;
    check_count("cells along y", ny, 1)?;
    check_count("cells along z", nz, 1)?;
    check_length("the size along x", size.x)?;
    check_length("the size along y", size.y)?;
    check_length("the size along z", size.z)?;
    let mut tets = room_for(&[cut.tets(), nx, ny, nz].map(u64::from))?;

    let position = |[i, j, k]: [u32; 3]| {
        Vec3::new(spread(i, nx, size.x), spread(j, ny, size.y), spread(k, nz, size.z))
    };
    let positions = indices([nx + 1, ny + 1, nz + 1]).map(position).collect();
    let vertex_at = |[i, j, k]: [u32; 3]| VertexId(i + (nx + 1) * (j + (ny + 1) * k));
    cut_cells(indices(cells), cut, vertex_at, &mut tets);
    finish(positions, tets)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate::tests::{BALL_LIKE, check_angle, check_close, measure};

    #[track_caller]
    fn check(cells: [u32; 3], cut: TetSplit, vertices: usize, tets: usize) {
        let size = Vec3::new(0.5, 2.0, 3.0);
        let mesh = cuboid(cells, size, cut).unwrap();
        assert_eq!((mesh.positions.len(), mesh.tets.len()), (vertices, tets));
        let measured = measure(&mesh);
        assert_eq!(measured.euler, BALL_LIKE);
        check_close(measured.volume, 0.5 * 2.0 * 3.0);
    }

    #[test]
    fn cells_and_corners_are_counted_by_hand() {
        check([1, 1, 1], TetSplit::Five, 8, 5);
        check([1, 1, 1], TetSplit::Six, 8, 6);
        check([2, 3, 4], TetSplit::Five, 3 * 4 * 5, 5 * 2 * 3 * 4);
        check([3, 2, 5], TetSplit::Six, 4 * 3 * 6, 6 * 3 * 2 * 5);
        check([1, 1, 9], TetSplit::Five, 2 * 2 * 10, 5 * 9);
    }

    #[test]
    fn the_papers_cube_has_625_tets() {
        // Two of them have the 1250 of [Heidelberger04 §4].
        check([5, 5, 5], TetSplit::Five, 6 * 6 * 6, 625);
    }

    #[test]
    fn cubic_cells_have_the_angles_stated() {
        let angle = |cut| measure(&cuboid([2, 2, 2], Vec3::ONE, cut).unwrap()).min_dihedral;
        // Between a face of the cube and the regular tet's: tan = √2.
        check_angle(angle(TetSplit::Five), libm::atan(2_f64.sqrt()));
        check_angle(angle(TetSplit::Six), libm::atan(1.0));
    }

    #[test]
    fn the_box_reaches_half_its_size_each_way() {
        let mesh = cuboid([3, 1, 2], Vec3::new(0.7, 1.1, 1.3), TetSplit::Six).unwrap();
        assert_eq!(mesh.positions[0], -Vec3::new(0.35, 0.55, 0.65));
        assert_eq!(mesh.positions.last(), Some(&Vec3::new(0.35, 0.55, 0.65)));
    }

    #[test]
    fn faults_name_the_argument() {
        let refusal = |cells, size| cuboid(cells, size, TetSplit::Five).unwrap_err().to_string();
        assert_eq!(refusal([2, 0, 2], Vec3::ONE), "cells along y: 0 asked for, at least 1 needed");
        assert_eq!(
            refusal([2, 2, 2], Vec3::new(1.0, 1.0, f64::NAN)),
            "the size along z is NaN m, expected a positive finite length"
        );
        assert_eq!(
            refusal([u32::MAX, 1, 1], Vec3::ONE),
            "21474836475 tets asked for, at most 134217728 are generated"
        );
        assert!(cuboid([u32::MAX; 3], Vec3::ONE, TetSplit::Six).is_err());
    }
}
