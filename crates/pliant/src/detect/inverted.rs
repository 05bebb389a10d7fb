//! Which tets are inside out now.

use crate::body::Bodies;
use crate::id::TetId;
use crate::math::{Aabb, Vec3, orient3d};

/// Rounding of a determinant of three differences, relative to the product of their sums.
///
/// [Shewchuk97 §4.3] has 7.77e-16 for the sum of its six absolute products, which the
/// product of the three sums of absolute coordinates exceeds.
const ROUNDING: f64 = 8e-16;

/// Collects every tet with negative volume, exactly; ascending.
///
/// Touches every tet of the scene. `boxes` hold the vertices of each body.
pub fn inverted(positions: &[Vec3], bodies: &Bodies, boxes: &[Aabb], found: &mut Vec<TetId>) {
    found.clear();
    for body in bodies.ids() {
        // No difference within a body exceeds its box, so this much volume is beyond doubt.
        let sum = boxes[body.index()].size().element_sum();
        let doubt = ROUNDING * sum * sum * sum;
        let tets = bodies.tets_of(body);
        for (index, tet) in tets.clone().zip(&bodies.tets()[tets]) {
            let [v0, v1, v2, v3] = tet.map(|v| positions[v.index()]);
            let volume = (v1 - v0).dot((v2 - v0).cross(v3 - v0));
            if volume > doubt {
                continue;
            }
            if volume < -doubt || orient3d(v0, v1, v2, v3) < 0.0 {
                found.push(TetId(index as u32));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::VertexId;

    #[test]
    fn signs_are_exact_where_rounding_hides_them() {
        let tet = [0, 1, 2, 3].map(VertexId);
        let bodies = Bodies::from_tets(&[(4, &[tet])]).unwrap();
        let mut found = Vec::new();
        for (z, expected) in [(1.0, 0), (f64::EPSILON, 0), (0.0, 0), (-f64::EPSILON, 1), (-1.0, 1)]
        {
            let lift = Vec3::new(0.3, 0.3, 1e3 * z);
            let positions =
                [Vec3::ZERO, Vec3::X, Vec3::Y, lift].map(|p| p + Vec3::new(7.0, 5.0, 0.0));
            inverted(&positions, &bodies, &[Aabb::around(positions)], &mut found);
            assert_eq!(found.len(), expected, "{z}");
        }
    }

    #[test]
    fn a_volume_that_rounds_to_the_wrong_side_is_seen_through() {
        let bodies = Bodies::from_tets(&[(4, &[[0, 1, 2, 3].map(VertexId)])]).unwrap();
        let mut state = 5_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let (mut found, mut wrong) = (Vec::new(), 0);
        for _ in 0..2000 {
            let [a, b, c] = [(); 3].map(|()| Vec3::new(random(), random(), random()));
            // In the plane of the others but for rounding.
            let d = a + random() * (b - a) + random() * (c - a);
            let positions = [a, b, c, d];
            let exact = orient3d(a, b, c, d);
            wrong += usize::from(exact < 0.0 && (b - a).dot((c - a).cross(d - a)) > 0.0);
            inverted(&positions, &bodies, &[Aabb::around(positions)], &mut found);
            assert_eq!(found.len(), usize::from(exact < 0.0), "{positions:?}");
        }
        assert!(wrong > 10, "{wrong}");
    }
}
