//! Writes OBJ files.

use crate::mesh::write::text::{push_corners, push_point};
use pliant::id::VertexId;
use pliant::math::Vec3;

/// Typical length of one `v` line with all digits, bytes.
const VERTEX_LINE: usize = 64;

/// Typical length of one `f` line, bytes.
const FACE_LINE: usize = 24;

/// An OBJ file of a triangle surface; vertex i becomes the file's number i + 1.
///
/// Finite coordinates read back bitwise identical. Infinities and NaN are written as
/// `inf` and `nan`, which Pliant reads and few other programs do.
pub fn write(positions: &[Vec3], triangles: &[[VertexId; 3]]) -> Vec<u8> {
    let length = VERTEX_LINE * positions.len() + FACE_LINE * triangles.len();
    let mut out = Vec::with_capacity(length);
    for &point in positions {
        out.extend(b"v ");
        push_point(&mut out, point);
    }
    for corners in triangles {
        out.push(b'f');
        push_corners(&mut out, *corners, 1);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::parse::obj;

    #[test]
    fn a_triangle_is_four_lines() {
        let triangle = [[0, 2, 1].map(VertexId)];
        let file = write(&[Vec3::ZERO, Vec3::X, Vec3::new(-0.5, 1e-9, 1e20)], &triangle);
        let expected = "v 0.0 0.0 0.0\nv 1.0 0.0 0.0\nv -0.5 1e-9 1e20\nf 1 3 2\n";
        assert_eq!(String::from_utf8(file).unwrap(), expected);
    }

    #[test]
    fn coordinates_read_back_to_the_same_bits() {
        let positions = [
            Vec3::new(0.1, 1.0 / 3.0, -0.0),
            Vec3::new(f64::MIN_POSITIVE, f64::MAX, 5e-324),
            Vec3::new(f64::EPSILON, std::f64::consts::PI, -1.7976931348623155e308),
            Vec3::new(f64::INFINITY, f64::NEG_INFINITY, 1e16),
        ];
        let triangles = [[3, 0, 1].map(VertexId), [1, 1, 2].map(VertexId)];
        let mesh = obj::parse(&write(&positions, &triangles)).unwrap();
        let bits = |points: &[Vec3]| -> Vec<[u64; 3]> {
            points.iter().map(|p| p.to_array().map(f64::to_bits)).collect()
        };
        assert_eq!(bits(&mesh.positions), bits(&positions));
        assert_eq!(mesh.triangles, triangles);
        assert_eq!(mesh.notices, [""; 0]);
    }

    #[test]
    fn nothing_gives_an_empty_file() {
        assert_eq!(write(&[], &[]), b"");
    }
}
