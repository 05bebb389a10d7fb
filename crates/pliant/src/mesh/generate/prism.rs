//! Layers of triangular prisms cut into tets.

use crate::id::VertexId;

/// Cuts the prisms between `layers + 1` copies of a plane mesh and appends their tets.
///
/// The corners of each triangle run counter-clockwise as seen from the next copy.
/// `vertex_at` numbers a point of the plane mesh in a copy; a ring closes by giving
/// the last copy the numbers of copy 0.
pub(super) fn cut_prisms(
    triangles: &[[u32; 3]],
    layers: u32,
    vertex_at: impl Fn(u32, u32) -> VertexId,
    tets: &mut Vec<[VertexId; 4]>,
) {
    for layer in 0..layers {
        for &triangle in triangles {
            // Diagonals rise from the lower to the higher number, the same for both neighbours.
            let mut sorted = triangle;
            sorted.sort_unstable();
            let [a, b, c] = sorted.map(|v| vertex_at(layer, v));
            let [a_up, b_up, c_up] = sorted.map(|v| vertex_at(layer + 1, v));
            let cut = [[a, b, c, c_up], [a, b, c_up, b_up], [a, a_up, b_up, c_up]];
            let turned = [[a, c, b, c_up], [a, c_up, b, b_up], [a, b_up, a_up, c_up]];
            tets.extend(if keeps_turn(triangle) { cut } else { turned });
        }
    }
}

/// Whether sorting three numbers leaves their cyclic order as it is.
fn keeps_turn([a, b, c]: [u32; 3]) -> bool {
    // An even number of pairs stands in the wrong order.
    (a > b) ^ (b > c) ^ (a <= c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Vec3, tet_volume};

    #[test]
    fn a_prism_gives_three_equal_tets_however_its_corners_are_numbered() {
        // A right triangle with sides of 1, counter-clockwise, 1 high: each tet is 1/6.
        let corners = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)];
        for triangle in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]] {
            let position = |v: VertexId| {
                let (layer, number) = (v.0 / 3, v.0 % 3);
                let corner = triangle.iter().position(|&t| t == number).unwrap();
                Vec3::new(corners[corner].0, corners[corner].1, f64::from(layer))
            };
            let mut tets = Vec::new();
            cut_prisms(&[triangle], 1, |layer, v| VertexId(3 * layer + v), &mut tets);
            let volumes: Vec<f64> = tets.iter().map(|t| tet_volume(t.map(position))).collect();
            assert_eq!(volumes, [1.0 / 6.0; 3], "{triangle:?}");
        }
    }
}
