//! Writes binary STL files.

use pliant::id::VertexId;
use pliant::math::Vec3;
use pliant::mesh::normals::face_normal;

/// Free text before the count, 80 bytes; it must not begin with `solid`.
const HEADER: &[u8; 80] =
    b"binary STL by pliant                                                            ";

/// One triangle: normal, three vertices, attribute; bytes.
const RECORD: usize = 50;

/// A binary STL file of a triangle surface.
///
/// The format has no shared vertices and coordinates of 32 bits: each is rounded to the nearest
/// one, and to infinity beyond 3.4e38. The normal of a triangle without area is zero, and a corner
/// without a position is NaN. Triangles
/// are counted in 32 bits: more than 2³² of them wrap.
pub fn write(positions: &[Vec3], triangles: &[[VertexId; 3]]) -> Vec<u8> {
    let mut out = Vec::with_capacity(HEADER.len() + 4 + RECORD * triangles.len());
    out.extend(HEADER);
    out.extend((triangles.len() as u32).to_le_bytes());
    for triangle in triangles {
        let at = |v: VertexId| positions.get(v.index()).copied().unwrap_or(Vec3::NAN);
        let corners = triangle.map(at);
        let normal = face_normal(corners).unwrap_or(Vec3::ZERO);
        for point in [normal].into_iter().chain(corners) {
            out.extend(point.to_array().into_iter().flat_map(|x| (x as f32).to_le_bytes()));
        }
        out.extend([0, 0]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::parse::stl;

    #[test]
    fn triangles_read_back_with_rounded_corners_of_their_own() {
        let positions = [Vec3::ZERO, Vec3::new(0.1, 0.0, 0.0), Vec3::Y, Vec3::new(0.0, 0.0, 1e-30)];
        let triangles = [[0, 1, 2].map(VertexId), [0, 3, 1].map(VertexId)];
        let mesh = stl::parse(&write(&positions, &triangles)).unwrap();
        let rounded =
            |v: u32| Vec3::from(positions[v as usize].to_array().map(|x| f64::from(x as f32)));
        assert_eq!(mesh.positions, [0, 1, 2, 0, 3, 1].map(rounded));
        assert_eq!(mesh.triangles, [[0, 1, 2].map(VertexId), [3, 4, 5].map(VertexId)]);
        assert_eq!(mesh.notices, [""; 0]);
    }

    #[test]
    fn normals_are_unit_and_zero_without_area() {
        let triangles = [[0, 1, 2].map(VertexId), [0, 1, 1].map(VertexId)];
        let file = write(&[Vec3::ZERO, 2.0 * Vec3::X, 3.0 * Vec3::Y], &triangles);
        let normal = |at: usize| {
            let number = |k: usize| {
                let bytes = &file[at + 4 * k..at + 4 * k + 4];
                f32::from_le_bytes(bytes.try_into().unwrap())
            };
            [number(0), number(1), number(2)]
        };
        assert_eq!([normal(84), normal(84 + RECORD)], [[0.0, 0.0, 1.0], [0.0; 3]]);
        assert_eq!(file.len(), 84 + 2 * RECORD);
    }

    #[test]
    fn no_triangles_are_a_file_without_triangles() {
        let mesh = stl::parse(&write(&[], &[])).unwrap();
        assert!(mesh.triangles.is_empty() && mesh.notices.is_empty());
    }
}
