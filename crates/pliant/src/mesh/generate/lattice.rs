//! Hexahedral cells cut into tets.
//!
//! The corners of a cell are numbered by bits: bit 0 is set at the high end of the
//! first axis, bit 1 of the second, bit 2 of the third. The axes are right-handed.

use crate::id::VertexId;

/// The tet of the four even corners, then the tets that it leaves at 1, 2, 4 and 7.
///
/// Edges of the middle tet are diagonals of the cell's faces.
const FIVE: [[usize; 4]; 5] =
    [[0, 5, 3, 6], [1, 5, 3, 0], [2, 3, 6, 0], [4, 6, 5, 0], [7, 6, 3, 5]];

/// One tet for each way from corner 0 to corner 7 along the axes.
const SIX: [[usize; 4]; 6] =
    [[0, 1, 3, 7], [0, 2, 6, 7], [0, 4, 5, 7], [0, 3, 2, 7], [0, 6, 4, 7], [0, 5, 1, 7]];

/// How a cell is split into tets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TetSplit {
    /// Five tets, mirrored from cell to cell so that neighbours share diagonals.
    ///
    /// In a cube: a regular tet and four corners, dihedral angles from 54.7° to 90°.
    #[default]
    Five,
    /// Six tets of equal volume around a space diagonal, all cells alike (Kuhn, Freudenthal).
    ///
    /// In a cube: dihedral angles from 45° to 90°, and a direction that stands out.
    Six,
}

impl TetSplit {
    /// Number of tets in one cell.
    pub fn tets(self) -> u32 {
        match self {
            TetSplit::Five => 5,
            TetSplit::Six => 6,
        }
    }
}

/// Cuts cells named by their lowest corner and appends their tets.
///
/// `vertex_at` numbers the lattice points; a ring of cells closes where it gives the
/// last points the numbers of the first.
pub(super) fn cut_cells(
    cells: impl Iterator<Item = [u32; 3]>,
    cut: TetSplit,
    vertex_at: impl Fn([u32; 3]) -> VertexId,
    tets: &mut Vec<[VertexId; 4]>,
) {
    for [i, j, k] in cells {
        let corner = |bits: usize| {
            let bit = |axis: usize| (bits >> axis & 1) as u32;
            vertex_at([i + bit(0), j + bit(1), k + bit(2)])
        };
        match cut {
            TetSplit::Five if (i + j + k) % 2 == 0 => tets.extend(FIVE.map(|tet| tet.map(corner))),
            // Mirrored along the first axis; two corners swapped to turn the tet back.
            TetSplit::Five => {
                tets.extend(FIVE.map(|[a, b, c, d]| [a, b, d, c].map(|v| corner(v ^ 1))))
            }
            TetSplit::Six => tets.extend(SIX.map(|tet| tet.map(corner))),
        }
    }
}

/// All `[i, j, k]` below the counts, the first axis running fastest.
pub(super) fn indices([ni, nj, nk]: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    (0..nk).flat_map(move |k| (0..nj).flat_map(move |j| (0..ni).map(move |i| [i, j, k])))
}

/// Point `i` of `cells + 1` spread evenly over a length around 0, m.
///
/// Mirror images are exact: points `i` and `cells − i` differ in sign alone.
pub(super) fn spread(i: u32, cells: u32, length: f64) -> f64 {
    length * ((2.0 * f64::from(i) - f64::from(cells)) / (2.0 * f64::from(cells)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Vec3, tet_volume};

    /// Volumes of the tets of one unit cell with its lowest corner at `cell`.
    fn volumes(cell: [u32; 3], cut: TetSplit) -> Vec<f64> {
        let points: Vec<[u32; 3]> = indices([3, 3, 3]).collect();
        let at = |[i, j, k]: [u32; 3]| VertexId(i + 3 * (j + 3 * k));
        let position = |v: VertexId| Vec3::from(points[v.index()].map(f64::from));
        let mut tets = Vec::new();
        cut_cells([cell].into_iter(), cut, at, &mut tets);
        tets.into_iter().map(|tet| tet_volume(tet.map(position))).collect()
    }

    #[test]
    fn both_kinds_of_five_fill_the_cell() {
        // A third for the regular tet and a sixth for each of four corners make 1.
        let expected = [2.0, 1.0, 1.0, 1.0, 1.0].map(|sixths| sixths / 6.0);
        for cell in [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]] {
            assert_eq!(volumes(cell, TetSplit::Five), expected, "{cell:?}");
        }
    }

    #[test]
    fn six_equal_tets_fill_the_cell() {
        assert_eq!(volumes([0, 1, 0], TetSplit::Six), [1.0 / 6.0; 6]);
    }

    #[test]
    fn spread_points_are_exact_mirror_images() {
        for i in 0..=7 {
            assert_eq!(spread(i, 7, 0.3), -spread(7 - i, 7, 0.3));
        }
        assert_eq!(spread(7, 7, 0.3), 0.15);
    }
}
