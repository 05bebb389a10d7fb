//! Writes OFF files.

use crate::mesh::write::text::{push_corners, push_point};
use pliant::id::VertexId;
use pliant::math::Vec3;

/// An OFF file of a triangle surface; vertices keep their places.
///
/// Finite coordinates read back bitwise identical. Infinities and NaN are written as
/// `inf` and `nan`, which Pliant reads and few other programs do. The count of edges, which
/// readers ignore, is 0.
pub fn write(positions: &[Vec3], triangles: &[[VertexId; 3]]) -> Vec<u8> {
    let mut out = format!("OFF\n{} {} 0\n", positions.len(), triangles.len()).into_bytes();
    for &point in positions {
        push_point(&mut out, point);
    }
    for corners in triangles {
        out.push(b'3');
        push_corners(&mut out, *corners, 0);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::parse::off;

    #[test]
    fn a_triangle_is_six_lines() {
        let triangle = [[0, 2, 1].map(VertexId)];
        let file = write(&[Vec3::ZERO, Vec3::X, Vec3::new(-0.5, 1e-9, 1e20)], &triangle);
        let expected = "OFF\n3 1 0\n0.0 0.0 0.0\n1.0 0.0 0.0\n-0.5 1e-9 1e20\n3 0 2 1\n";
        assert_eq!(String::from_utf8(file).unwrap(), expected);
    }

    #[test]
    fn coordinates_read_back_to_the_same_bits() {
        let positions = [
            Vec3::new(0.1, 1.0 / 3.0, -0.0),
            Vec3::new(f64::MIN_POSITIVE, f64::MAX, 5e-324),
            Vec3::new(f64::INFINITY, f64::NEG_INFINITY, 1e16),
        ];
        let triangles = [[2, 0, 1].map(VertexId), [1, 1, 2].map(VertexId)];
        let mesh = off::parse(&write(&positions, &triangles)).unwrap();
        let bits = |points: &[Vec3]| -> Vec<[u64; 3]> {
            points.iter().map(|p| p.to_array().map(f64::to_bits)).collect()
        };
        assert_eq!(bits(&mesh.positions), bits(&positions));
        assert_eq!(mesh.triangles, triangles);
        assert_eq!(mesh.notices, [""; 0]);
    }

    #[test]
    fn nothing_is_a_file_without_vertices() {
        let mesh = off::parse(&write(&[], &[])).unwrap();
        assert!(mesh.positions.is_empty() && mesh.triangles.is_empty());
    }
}
