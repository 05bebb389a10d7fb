//! Writes binary PLY files, little-endian.

use pliant::id::VertexId;
use pliant::math::Vec3;

/// One vertex: three numbers of 64 bits; bytes.
const VERTEX: usize = 24;

/// One more number of a vertex, of 32 bits; bytes.
const NUMBER: usize = 4;

/// One triangle: its count of corners, and three numbers of 32 bits; bytes.
const FACE: usize = 13;

/// A PLY file of a triangle surface; vertices keep their places and coordinates their bits.
///
/// Corners are signed numbers of 32 bits, which every reader knows: beyond 2³¹ vertices they wrap.
pub fn write(positions: &[Vec3], triangles: &[[VertexId; 3]]) -> Vec<u8> {
    write_with(positions, triangles, &[])
}

/// One more number of each vertex.
#[derive(Clone, Debug)]
pub struct VertexProperty {
    /// Letters, digits and `_`.
    pub name: String,
    /// What the header says of it, one line; may be empty.
    pub comment: String,
    /// One for each vertex.
    pub values: Vec<f32>,
}

/// The same with more numbers of each vertex; those that are lacking are NaN.
pub fn write_with(
    positions: &[Vec3],
    triangles: &[[VertexId; 3]],
    properties: &[VertexProperty],
) -> Vec<u8> {
    let comments = properties.iter().filter(|property| !property.comment.is_empty());
    let comments: String = comments.map(|p| format!("comment {}\n", p.comment)).collect();
    let more: String = properties.iter().map(|p| format!("property float {}\n", p.name)).collect();
    let header = format!(
        "ply\nformat binary_little_endian 1.0\ncomment written by pliant\n{comments}\
         element vertex {}\nproperty double x\nproperty double y\nproperty double z\n{more}\
         element face {}\nproperty list uchar int vertex_indices\nend_header\n",
        positions.len(),
        triangles.len()
    );
    let vertex = VERTEX + NUMBER * properties.len();
    let length = header.len() + vertex * positions.len() + FACE * triangles.len();
    let mut out = Vec::with_capacity(length);
    out.extend(header.as_bytes());
    for (k, point) in positions.iter().enumerate() {
        out.extend(point.to_array().into_iter().flat_map(f64::to_le_bytes));
        for property in properties {
            out.extend(property.values.get(k).copied().unwrap_or(f32::NAN).to_le_bytes());
        }
    }
    for triangle in triangles {
        out.push(3);
        out.extend(triangle.iter().flat_map(|corner| corner.0.to_le_bytes()));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::parse::ply;

    #[track_caller]
    fn check(positions: &[Vec3], triangles: &[[u32; 3]]) {
        let triangles: Vec<_> = triangles.iter().map(|t| t.map(VertexId)).collect();
        let file = write(positions, &triangles);
        let mesh = ply::parse(&file).unwrap();
        let bits = |points: &[Vec3]| -> Vec<[u64; 3]> {
            points.iter().map(|p| p.to_array().map(f64::to_bits)).collect()
        };
        assert_eq!(bits(&mesh.positions), bits(positions));
        assert_eq!(mesh.triangles, triangles);
        assert_eq!(mesh.notices, [""; 0]);
        assert_eq!(file.capacity(), file.len());
    }

    #[test]
    fn coordinates_read_back_to_the_same_bits() {
        let positions = [
            Vec3::new(0.1, 1.0 / 3.0, -0.0),
            Vec3::new(f64::MIN_POSITIVE, f64::MAX, 5e-324),
            Vec3::new(f64::INFINITY, f64::NAN, 1e16),
        ];
        check(&positions, &[[2, 0, 1], [1, 1, 2]]);
    }

    #[test]
    fn more_numbers_of_vertices_stand_behind_their_places() {
        let property = VertexProperty {
            name: "depth".into(),
            comment: "depth in m".into(),
            values: vec![2.5],
        };
        let file = write_with(&[Vec3::X, Vec3::Y], &[], &[property]);
        let mesh = ply::parse(&file).unwrap();
        assert_eq!(mesh.positions, [Vec3::X, Vec3::Y]);
        assert_eq!(file.capacity(), file.len());
        let text = String::from_utf8_lossy(&file);
        assert!(text.contains("comment depth in m\n") && text.contains("property float depth\n"));
        assert_eq!(file[file.len() - 28 - 4..file.len() - 28], 2.5_f32.to_le_bytes());
        assert_eq!(file[file.len() - 4..], f32::NAN.to_le_bytes());
    }

    #[test]
    fn points_alone_and_nothing_read_back() {
        check(&[Vec3::X, Vec3::Y], &[]);
        check(&[], &[]);
    }
}
