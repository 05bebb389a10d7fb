//! The one search for a triangle that an edge crosses.
//!
//! What crossing means is the caller's: exactly and strictly, exactly with touching, or up to
//! rounding. The independent test of `record` has a search of its own, and the search for a
//! surface that meets itself lists all pairs and skips neighbours (`mesh/meeting.rs`).

use crate::math::{Aabb, Vec3};
use crate::mesh::bvh::Bvh;

/// Whether a segment crosses any triangle of a tree, by `crosses`.
///
/// `corners` are those of a triangle of the tree, m.
#[inline]
pub fn crosses_any(
    tree: &Bvh,
    segment: [Vec3; 2],
    corners: impl Fn(u32) -> [Vec3; 3],
    crosses: impl Fn([Vec3; 2], [Vec3; 3]) -> bool,
) -> bool {
    let mut does = false;
    tree.meeting(Aabb::around(segment), |triangle| {
        does = crosses(segment, corners(triangle));
        !does
    });
    does
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::Random;
    use crate::mesh::intersect::segment_meets_triangle;

    #[test]
    fn the_tree_finds_what_trying_every_triangle_finds() {
        let mut random = Random::new(3);
        let triangles: Vec<[Vec3; 3]> = (0..120)
            .map(|_| {
                let at = random.vec3();
                [(); 3].map(|()| at + 0.6 * random.vec3())
            })
            .collect();
        let boxes: Vec<Aabb> = triangles.iter().map(|corners| Aabb::around(*corners)).collect();
        let tree = Bvh::new(&boxes);
        let mut crossing = 0;
        for _ in 0..400 {
            let start = random.vec3();
            let segment = [start, start + 0.8 * random.vec3()];
            let expected =
                triangles.iter().any(|corners| segment_meets_triangle(segment, *corners));
            let corners = |k: u32| triangles[k as usize];
            assert_eq!(crosses_any(&tree, segment, corners, segment_meets_triangle), expected);
            crossing += usize::from(expected);
        }
        assert!((50..350).contains(&crossing), "{crossing}");
    }
}
