//! An L: two arms that meet in a square corner.

use crate::id::VertexId;
use crate::math::Vec3;
use crate::mesh::generate::lattice::{TetSplit, cut_cells, indices, spread};
use crate::mesh::generate::{
    GenerateError, check_below, check_count, check_length, finish, room_for,
};
use crate::mesh::raw::RawMesh;

/// Parameters of an L in the x–z plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LBlockSettings {
    /// Outer lengths of the arms along x and z, corner included, m; above `width`.
    pub arms: [f64; 2],
    /// Width of both arms and height along y, m.
    pub width: f64,
    /// Cells of each arm beyond the corner, along x and z.
    pub cells_along: [u32; 2],
    /// Cells across either arm and along y.
    pub cells_across: u32,
    /// How a cell is split into tets.
    pub cut: TetSplit,
}

/// An L-shaped prism along y, the middle of its bounding box at the origin.
///
/// The corner lies at low x and z. With cubic cells, `(arm − width) / cells_along`
/// equal to `width / cells_across`, the angles are those of a cube.
pub fn l_block(settings: &LBlockSettings) -> Result<RawMesh, GenerateError> {
    let LBlockSettings { arms, width, cells_along: [nx, nz], cells_across: across, cut } =
        *settings;
    check_count("cells along the arm in x", nx, 1)?;
    check_count("cells along the arm in z", nz, 1)?;
    check_count("cells across the arms", across, 1)?;
    check_length("the width of the arms", width)?;
    check_length("the length of the arm in x", arms[0])?;
    check_length("the length of the arm in z", arms[1])?;
    check_below("the width of the arms", width, "the length of the arm in x", arms[0])?;
    check_below("the width of the arms", width, "the length of the arm in z", arms[1])?;
    let columns = u64::from(across) + u64::from(nx) + u64::from(nz);
    let mut tets = room_for(&[cut.tets().into(), across.into(), across.into(), columns])?;

    let place = |i: u32, cells: u32, arm: f64| {
        let from_corner = if i <= across {
            width * f64::from(i) / f64::from(across)
        } else {
            width + (arm - width) * f64::from(i - across) / f64::from(cells)
        };
        from_corner - 0.5 * arm
    };
    // The arm along x with the corner, then the rest of the arm along z; `edge` is 1 for
    // vertices and 0 for cells.
    let arms_of = |edge: u32| {
        let (narrow, wide) = (across + edge, across + nx + edge);
        let beyond = indices([narrow, narrow, nz]).map(move |[i, j, k]| [i, j, k + narrow]);
        indices([wide, narrow, narrow]).chain(beyond)
    };
    let positions = arms_of(1)
        .map(|[i, j, k]| {
            Vec3::new(place(i, nx, arms[0]), spread(j, across, width), place(k, nz, arms[1]))
        })
        .collect();
    let vertex_at = |[i, j, k]: [u32; 3]| {
        // Rows beyond the corner are narrower: only the arm along z is there.
        let (wide, narrow) = (across + nx + 1, across + 1);
        let (layer, row) = if k <= across {
            (wide * narrow * k, wide * j)
        } else {
            (wide * narrow * narrow + narrow * narrow * (k - across - 1), narrow * j)
        };
        VertexId(layer + row + i)
    };
    cut_cells(arms_of(0), cut, vertex_at, &mut tets);
    finish(positions, tets)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate::tests::{BALL_LIKE, check_angle, check_close, measure};

    /// Five cubes of 1 m: one in the corner, two along x, two along z.
    const FIVE_CUBES: LBlockSettings = LBlockSettings {
        arms: [3.0, 3.0],
        width: 1.0,
        cells_along: [2, 2],
        cells_across: 1,
        cut: TetSplit::Five,
    };

    #[track_caller]
    fn check(settings: &LBlockSettings, vertices: usize, tets: usize, volume: f64) {
        let mesh = l_block(settings).unwrap();
        assert_eq!((mesh.positions.len(), mesh.tets.len()), (vertices, tets));
        let measured = measure(&mesh);
        assert_eq!(measured.euler, BALL_LIKE);
        check_close(measured.volume, volume);
    }

    #[test]
    fn cubes_are_counted_by_hand() {
        // Points of the L seen along y: rows of 4, 4, 2, 2; two such layers.
        check(&FIVE_CUBES, 2 * (4 + 4 + 2 + 2), 5 * 5, 5.0);
        check(&LBlockSettings { cut: TetSplit::Six, ..FIVE_CUBES }, 24, 6 * 5, 5.0);
    }

    #[test]
    fn unlike_arms_fill_their_volume() {
        let settings = LBlockSettings {
            arms: [0.9, 0.5],
            width: 0.2,
            cells_along: [5, 4],
            cells_across: 2,
            cut: TetSplit::Six,
        };
        // Seen along y: 3 rows of 2 + 5 + 1 points, 4 rows of 3, in 3 layers; cells
        // 2·2 + 2·5 + 2·4 = 22 in 2 layers. Area 0.9·0.2 + 0.3·0.2, height 0.2.
        check(&settings, 3 * (3 * 8 + 4 * 3), 6 * 2 * 22, 0.24 * 0.2);
        check(&LBlockSettings { cut: TetSplit::Five, ..settings }, 108, 5 * 2 * 22, 0.24 * 0.2);
    }

    #[test]
    fn cubic_cells_have_the_angles_of_a_cube() {
        check_angle(measure(&l_block(&FIVE_CUBES).unwrap()).min_dihedral, libm::atan(2_f64.sqrt()));
    }

    #[test]
    fn the_notch_lies_at_high_x_and_z() {
        let mesh = l_block(&FIVE_CUBES).unwrap();
        assert!(mesh.positions.iter().all(|p| p.x <= -0.5 || p.z <= -0.5));
    }

    #[test]
    fn faults_name_the_argument() {
        let refusal = |settings| l_block(&settings).unwrap_err().to_string();
        assert_eq!(
            refusal(LBlockSettings { width: 3.0, ..FIVE_CUBES }),
            "the width of the arms is 3.0 m, expected less than the length of the arm in x, 3.0 m"
        );
        assert_eq!(
            refusal(LBlockSettings { cells_across: 0, ..FIVE_CUBES }),
            "cells across the arms: 0 asked for, at least 1 needed"
        );
        assert!(l_block(&LBlockSettings { cells_along: [1, 0], ..FIVE_CUBES }).is_err());
        assert!(l_block(&LBlockSettings { cells_along: [u32::MAX; 2], ..FIVE_CUBES }).is_err());
        assert!(l_block(&LBlockSettings { cells_across: u32::MAX, ..FIVE_CUBES }).is_err());
        assert!(l_block(&LBlockSettings { arms: [3.0, f64::NAN], ..FIVE_CUBES }).is_err());
        assert!(l_block(&LBlockSettings { width: f64::INFINITY, ..FIVE_CUBES }).is_err());
    }
}
