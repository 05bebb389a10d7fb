//! Surfaces of boxes for tests of meeting and nested surfaces.

use crate::id::VertexId;
use crate::math::Vec3;

/// The surfaces of boxes with these centres and half edges, m, outward: 12 triangles each.
pub fn boxes(list: &[(Vec3, f64)]) -> (Vec<Vec3>, Vec<[VertexId; 3]>) {
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for &(centre, half) in list {
        let base = positions.len() as u32;
        for corner in 0..8 {
            let sign = |bit: u32| if corner & bit == 0 { -half } else { half };
            positions.push(centre + Vec3::new(sign(1), sign(2), sign(4)));
        }
        let quads =
            [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        for [a, b, c, d] in quads {
            triangles.push([a, b, c].map(|corner| VertexId(base + corner)));
            triangles.push([a, c, d].map(|corner| VertexId(base + corner)));
        }
    }
    (positions, triangles)
}
