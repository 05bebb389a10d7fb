//! Quality of each tet: its orientation and its dihedral angles.

use crate::id::{TetId, VertexId, at};
use crate::math::{Vec3, orient3d};
use crate::mesh::topology::{TET_EDGES, TET_FACES};

/// Smallest dihedral angle, and distance of the largest from 180°, of a sound tet, rad: 1°.
pub const SLIVER_ANGLE: f64 = std::f64::consts::PI / 180.0;

/// The tets of a mesh, sorted by what is wrong with them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Quality {
    /// Number of tets with positive volume.
    pub positive: usize,
    /// Tets with negative volume; ascending.
    pub inverted: Vec<TetId>,
    /// Tets with exactly no volume; ascending.
    pub flat: Vec<TetId>,
    /// Tets with volume and a dihedral angle near 0° or 180°; ascending.
    pub slivers: Vec<TetId>,
}

impl Quality {
    /// Whether the file orients every tet the other way: a convention, not damage.
    pub fn is_all_inverted(&self) -> bool {
        self.positive == 0 && !self.inverted.is_empty()
    }
}

/// Judges every tet whose corners are finite.
pub fn judge(positions: &[Vec3], tets: &[[VertexId; 4]]) -> Quality {
    let limit = libm::cos(SLIVER_ANGLE);
    let mut found = Quality::default();
    for (index, tet) in tets.iter().enumerate() {
        let corners = tet.map(|v| at(positions, v));
        if !corners.iter().all(|c| c.is_finite()) {
            continue;
        }
        let id = TetId(index as u32);
        let sign = orient3d(corners[0], corners[1], corners[2], corners[3]);
        if sign > 0.0 {
            found.positive += 1;
        } else if sign < 0.0 {
            found.inverted.push(id);
        } else {
            found.flat.push(id);
            continue;
        }
        // A face too thin for a normal makes a sliver, too.
        let sound = dihedral_cosines(corners)
            .is_some_and(|cosines| cosines.iter().all(|cosine| cosine.abs() < limit));
        if !sound {
            found.slivers.push(id);
        }
    }
    found
}

/// Cosine of the dihedral angle at each edge, in the order of [`TET_EDGES`].
///
/// The same for a tet and its mirror image. `None` when a face has no normal.
pub fn dihedral_cosines(corners: [Vec3; 4]) -> Option<[f64; 6]> {
    let mut normals = [Vec3::ZERO; 4];
    for (normal, [a, b, c]) in normals.iter_mut().zip(TET_FACES) {
        let across = (corners[b] - corners[a]).cross(corners[c] - corners[a]);
        *normal = across.try_normalize()?;
    }
    // The faces at an edge are those opposite to the two other corners; their outward
    // normals make the angle π minus the dihedral one.
    let others = |[a, b]: [usize; 2]| (0..4).filter(move |&k| k != a && k != b);
    Some(TET_EDGES.map(|edge| {
        let mut faces = others(edge);
        match (faces.next(), faces.next()) {
            (Some(p), Some(q)) => -normals[p].dot(normals[q]),
            _ => f64::NAN,
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOLERANCE: f64 = 1e-15;

    fn one_tet(corners: [[f64; 3]; 4]) -> Quality {
        judge(&corners.map(Vec3::from), &[[0, 1, 2, 3].map(VertexId)])
    }

    #[test]
    fn the_corner_tet_has_three_right_angles() {
        let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
        let cosines = dihedral_cosines(corners).unwrap();
        let other = 1.0 / 3_f64.sqrt(); // between a coordinate plane and x + y + z = 1
        for (found, expected) in cosines.iter().zip([0.0, 0.0, 0.0, other, other, other]) {
            assert!((found - expected).abs() < TOLERANCE, "{cosines:?}");
        }
    }

    #[test]
    fn tets_are_sorted_by_sign_and_shape() {
        let good = [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [0., 0., 1.]];
        assert_eq!(one_tet(good), Quality { positive: 1, ..Quality::default() });
        let mut corners = good;
        corners.swap(0, 1);
        assert!(one_tet(corners).is_all_inverted());
        corners = good;
        corners[3] = [0.3, 0.3, 0.0];
        assert_eq!(one_tet(corners).flat, [TetId(0)]);
        // Over the middle of the base, 1/3 from its legs: atan(0.006 · 3) = 1.03°, then 0.86°.
        corners[3] = [1.0 / 3.0, 1.0 / 3.0, 0.006];
        assert_eq!(one_tet(corners).slivers, []);
        corners[3] = [1.0 / 3.0, 1.0 / 3.0, 0.005];
        assert_eq!(one_tet(corners).slivers, [TetId(0)]);
        corners[3][0] = f64::NAN;
        assert_eq!(one_tet(corners), Quality::default());
    }

    #[test]
    fn a_tet_on_one_line_is_flat() {
        let found = one_tet([[0.; 3], [1.; 3], [2.; 3], [3.; 3]]);
        assert_eq!((found.flat.len(), found.slivers.len()), (1, 0));
    }
}
