//! The icosahedron: the coarsest ball.

use crate::id::VertexId;
use crate::math::Vec3;
use crate::mesh::generate::{GenerateError, check_length, finish};
use crate::mesh::raw::RawMesh;

/// The long coordinate of a corner on the unit sphere: φ / √(1 + φ²), φ the golden ratio.
const LONG: f64 = 0.850_650_808_352_039_9;

/// The short coordinate: 1 / √(1 + φ²).
const SHORT: f64 = 0.525_731_112_119_133_6;

/// Corners on the unit sphere: in threes of crossed rectangles, one for each axis.
pub(super) const CORNERS: [Vec3; 12] = [
    Vec3::new(-LONG, -SHORT, 0.0),
    Vec3::new(-LONG, SHORT, 0.0),
    Vec3::new(LONG, -SHORT, 0.0),
    Vec3::new(LONG, SHORT, 0.0),
    Vec3::new(0.0, -LONG, -SHORT),
    Vec3::new(0.0, -LONG, SHORT),
    Vec3::new(0.0, LONG, -SHORT),
    Vec3::new(0.0, LONG, SHORT),
    Vec3::new(-SHORT, 0.0, -LONG),
    Vec3::new(SHORT, 0.0, -LONG),
    Vec3::new(-SHORT, 0.0, LONG),
    Vec3::new(SHORT, 0.0, LONG),
];

/// Corners of the faces, counter-clockwise as seen from outside.
#[rustfmt::skip]
pub(super) const FACES: [[usize; 3]; 20] = [
    [0, 1, 8], [0, 10, 1], [0, 4, 5], [0, 8, 4], [0, 5, 10],
    [1, 7, 6], [1, 6, 8], [1, 10, 7], [2, 9, 3], [2, 3, 11],
    [2, 5, 4], [2, 4, 9], [2, 11, 5], [3, 6, 7], [3, 9, 6],
    [3, 7, 11], [4, 8, 9], [5, 11, 10], [6, 9, 8], [7, 10, 11],
];

/// An icosahedron with corners at `radius`, m: 13 vertices and 20 tets.
///
/// Vertex 0 is the middle; each tet joins it to a face. All dihedral angles lie
/// between 69.1° and 72°.
pub fn icosahedron(radius: f64) -> Result<RawMesh, GenerateError> {
    check_length("the radius of the icosahedron", radius)?;
    let mut positions = vec![Vec3::ZERO];
    positions.extend(CORNERS.map(|corner| radius * corner));
    let tet = |[a, b, c]: [usize; 3]| [0, a + 1, b + 1, c + 1].map(|v| VertexId(v as u32));
    finish(positions, FACES.map(tet).to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate::tests::{BALL_LIKE, check_angle, check_close, measure};

    #[test]
    fn the_papers_ball_has_13_vertices_and_20_tets() {
        let mesh = icosahedron(2.0).unwrap();
        assert_eq!((mesh.positions.len(), mesh.tets.len()), (13, 20));
        let measured = measure(&mesh);
        assert_eq!((measured.euler, measured.boundary_faces), (BALL_LIKE, 20));
        // 5 (3 + √5) / 12 · edge³ with edge = 2 · short · radius.
        let edge = 2.0 * SHORT * 2.0;
        check_close(
            measured.volume,
            5.0 * (3.0 + 5_f64.sqrt()) / 12.0 * crate::math::powi(edge, 3),
        );
    }

    #[test]
    fn corners_lie_on_the_sphere() {
        for corner in CORNERS {
            check_close(corner.length(), 1.0);
        }
    }

    #[test]
    fn half_the_angle_between_faces_is_the_smallest() {
        // Two faces meet at arccos(−√5 / 3) = 138.2°, shared by two tets.
        let angle = 0.5 * libm::acos(-5_f64.sqrt() / 3.0);
        check_angle(measure(&icosahedron(1.0).unwrap()).min_dihedral, angle);
    }

    #[test]
    fn faults_name_the_radius() {
        assert_eq!(
            icosahedron(-1.0).unwrap_err().to_string(),
            "the radius of the icosahedron is -1.0 m, expected a positive finite length"
        );
        for radius in [0.0, f64::NAN, f64::INFINITY, 1e-120, 1e300] {
            assert!(icosahedron(radius).is_err(), "{radius}");
        }
    }
}
