//! One vertex for all copies at the same place.
//!
//! STL stores every corner anew and texture seams split vertices; to see whether a
//! surface is closed, copies must count as one. Positions keep their file order.

use crate::id::VertexId;
use crate::math::Vec3;

/// For each vertex the first one at exactly the same place, often itself.
///
/// 0 and −0 are the same place; NaN is none, so such vertices are alone.
pub fn first_copies(positions: &[Vec3]) -> Vec<VertexId> {
    // Adding 0 turns −0 into 0, so that equal numbers have equal bits.
    let key = |p: Vec3| (p + Vec3::ZERO).to_array().map(f64::to_bits);
    let mut order: Vec<([u64; 3], u32)> =
        positions.iter().enumerate().map(|(index, &p)| (key(p), index as u32)).collect();
    order.sort_unstable();

    let mut firsts: Vec<VertexId> = (0..positions.len() as u32).map(VertexId).collect();
    for copies in order.chunk_by(|a, b| a.0 == b.0) {
        let first = copies[0].1;
        if !positions[first as usize].is_nan() {
            for &(_, copy) in copies {
                firsts[copy as usize] = VertexId(first);
            }
        }
    }
    firsts
}

/// The same triangles with every corner replaced by its first copy; unknown corners stay.
pub fn weld(positions: &[Vec3], triangles: &[[VertexId; 3]]) -> Vec<[VertexId; 3]> {
    let firsts = first_copies(positions);
    let first = |v: VertexId| firsts.get(v.index()).copied().unwrap_or(v);
    triangles.iter().map(|triangle| triangle.map(first)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_become_the_first_of_them() {
        let nan = Vec3::new(f64::NAN, 0.0, 0.0);
        let positions = [Vec3::Y, Vec3::ZERO, Vec3::Y, -Vec3::ZERO, nan, nan];
        assert_eq!(first_copies(&positions), [0, 1, 0, 1, 4, 5].map(VertexId));
        assert_eq!(weld(&positions, &[[2, 3, 4].map(VertexId)]), [[0, 1, 4].map(VertexId)]);
    }
}
