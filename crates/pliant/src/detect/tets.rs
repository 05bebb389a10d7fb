//! Which tets of different bodies overlap.
//!
//! [Zachmann slide "Kollisionserkennung"] finds collisions by an exact test of tet against
//! tet in the cells of a grid.
//!
//! Two tets with volume overlap unless a plane has one on either side. The planes that do
//! so, as (normal, offset), are a pointed cone: if there are any, there is one on an edge
//! of the cone, and that one passes through three of the eight corners. So only those
//! planes are tried, and the sign of each other corner is exact.
//!
//! - Implements: [Zachmann slide "Kollisionserkennung"], collision detection.
//! - Deviates: [Zachmann slide "Kollisionserkennung"] does not say how; tets that only
//!   touch do not overlap.

use crate::body::Bodies;
use crate::detect::cells::{Cells, Sorted};
use crate::id::{BodyId, TetId, at};
use crate::math::{Aabb, Vec3, orient3d};
use crate::mesh::bvh::Bvh;

/// Most cells that one tet is put into; larger ones are found through a tree of boxes.
const MOST_CELLS: u128 = 64;

/// All triples of eight corners, four of each tet; faces first, as they separate most often.
const TRIPLES: [[usize; 3]; 56] = triples();

/// Pairs of tets of different bodies whose interiors meet.
///
/// Ascending, the smaller first. Inverted tets count as what they cover, flat ones overlap
/// nothing. Exact.
pub fn overlapping_tets(positions: &[Vec3], bodies: &Bodies) -> Vec<[TetId; 2]> {
    let mut found = Vec::new();
    near_tets(positions, bodies, |pair, _| {
        let [a, b] = pair.map(|tet| bodies.tets()[tet.index()].map(|v| at(positions, v)));
        if tets_overlap(a, b) {
            found.push(pair);
        }
    });
    found.sort_unstable();
    found
}

/// Calls `found` with every two tets of different bodies whose boxes meet, and the bodies.
///
/// Each pair once, the smaller tet and body first, in a fixed order.
pub(crate) fn near_tets(
    positions: &[Vec3],
    bodies: &Bodies,
    mut found: impl FnMut([TetId; 2], [BodyId; 2]),
) {
    let boxes: Vec<Aabb> =
        bodies.tets().iter().map(|tet| box_of(tet.map(|v| at(positions, v)))).collect();
    let owners: Vec<BodyId> =
        bodies.ids().flat_map(|body| bodies.tets_of(body).map(move |_| body)).collect();
    near_pairs(&Cells::new(positions, bodies), &boxes, |a, b| {
        let (a, b) = (a.min(b), a.max(b));
        let pair = [owners[a as usize], owners[b as usize]];
        if pair[0] != pair[1] {
            found([TetId(a), TetId(b)], pair);
        }
    });
}

/// Whether the interiors of two tets meet; touching is not overlapping.
pub fn tets_overlap(a: [Vec3; 4], b: [Vec3; 4]) -> bool {
    let has_volume = |[v0, v1, v2, v3]: [Vec3; 4]| orient3d(v0, v1, v2, v3).abs() > 0.0;
    if !(has_volume(a) && has_volume(b)) {
        return false;
    }
    let corners = [a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]];
    !TRIPLES.into_iter().any(|triple| separates(triple, corners))
}

/// Whether the plane through three of the corners has the first four on one side of it, the
/// last four on the other; both sides closed.
fn separates(triple: [usize; 3], corners: [Vec3; 8]) -> bool {
    let [p, q, r] = triple.map(|k| corners[k]);
    // Side of the first tet: it has volume, so a plane leaves it one. Three points on one
    // line make no plane, and no side.
    let mut side = 0.0;
    for k in (0..8).filter(|k| !triple.contains(k)) {
        let sign = orient3d(p, q, r, corners[k]);
        let sign = if k < 4 { sign } else { -sign };
        if sign * side < 0.0 {
            return false;
        }
        if sign != 0.0 {
            side = sign.signum();
        }
    }
    side != 0.0
}

const fn triples() -> [[usize; 3]; 56] {
    let mut all = [[0; 3]; 56];
    // Faces of either tet are filled in from the front, all others from the back.
    let (mut front, mut back) = (0, 56);
    let mut k = 0;
    while k < 8 * 8 * 8 {
        let [a, b, c] = [k / 64, k / 8 % 8, k % 8];
        if a < b && b < c {
            if c < 4 || a >= 4 {
                all[front] = [a, b, c];
                front += 1;
            } else {
                back -= 1;
                all[back] = [a, b, c];
            }
        }
        k += 1;
    }
    all
}

/// Calls `found` once with every two items of which the boxes meet.
fn near_pairs(cells: &Cells, boxes: &[Aabb], mut found: impl FnMut(u32, u32)) {
    let blocks: Vec<_> = boxes.iter().map(|&around| cells.block(around)).collect();
    let is_large: Vec<bool> = blocks.iter().map(|block| block.count() > MOST_CELLS).collect();
    let small = (0..boxes.len()).filter(|&k| !is_large[k] && boxes[k] != Aabb::EMPTY);
    let entries = small.flat_map(|k| blocks[k].cells().map(move |cell| (cell, k as u32)));
    for same in Sorted::new(entries.collect()).by_cell() {
        for (place, &(cell, a)) in same.iter().enumerate() {
            for &(_, b) in &same[place + 1..] {
                // Two boxes may share many cells; the lowest of them counts.
                let (block_a, block_b) = (blocks[a as usize], blocks[b as usize]);
                let lowest = (0..3).all(|k| cell[k] == block_a.low[k].max(block_b.low[k]));
                if lowest && boxes[a as usize].meets(boxes[b as usize]) {
                    found(a, b);
                }
            }
        }
    }
    if is_large.contains(&true) {
        let tree = Bvh::new(boxes);
        for large in (0..boxes.len() as u32).filter(|&k| is_large[k as usize]) {
            tree.meeting(boxes[large as usize], |other| {
                if !is_large[other as usize] || large < other {
                    found(large, other);
                }
                true
            });
        }
    }
}

/// The box around corners; empty when one of them is not finite.
pub(crate) fn box_of<const N: usize>(corners: [Vec3; N]) -> Aabb {
    if corners.iter().all(|c| c.is_finite()) { Aabb::around(corners) } else { Aabb::EMPTY }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORNER: [Vec3; 4] = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];

    /// Every case must hold for swapped tets, other orders of corners and inverted tets.
    #[track_caller]
    fn check(a: [Vec3; 4], b: [Vec3; 4], expected: &str) {
        for [a, b] in [[a, b], [b, a]] {
            for order in [[0, 1, 2, 3], [1, 0, 2, 3], [3, 2, 0, 1], [2, 3, 1, 0]] {
                let found = tets_overlap(order.map(|k: usize| a[k]), b);
                assert_eq!(if found { "overlap" } else { "apart" }, expected);
            }
        }
    }

    fn moved(by: [f64; 3]) -> [Vec3; 4] {
        CORNER.map(|corner| corner + Vec3::from(by))
    }

    #[test]
    fn tets_overlap_by_any_volume_and_not_by_touching() {
        check(CORNER, moved([0.1, 0.1, 0.1]), "overlap");
        check(CORNER, CORNER, "overlap");
        check(CORNER, CORNER.map(|c| 0.1 * c + Vec3::splat(0.1)), "overlap");
        check(CORNER, moved([1.0, 0.0, 0.0]), "apart"); // one corner
        check(CORNER, moved([0.5, 0.0, 0.0]), "overlap");
        check(CORNER, CORNER.map(|c| -c), "apart");
        check(CORNER, [Vec3::X, Vec3::Y, Vec3::Z, Vec3::ONE], "apart"); // a face
        check(CORNER, [Vec3::X, Vec3::Y, Vec3::Z, Vec3::splat(0.3)], "overlap");
    }

    #[test]
    fn tets_that_cross_edge_over_edge_are_told_apart_exactly() {
        // Upper edge of one along x, lower edge of the other along y, at the same height or not.
        let below = [-Vec3::X, Vec3::X, Vec3::new(0.0, -1.0, -1.0), Vec3::new(0.0, 1.0, -1.0)];
        let above = |height: f64| {
            let lift = Vec3::Z * height;
            [lift - Vec3::Y, lift + Vec3::Y, Vec3::new(-1.0, 0.0, 1.0), Vec3::new(1.0, 0.0, 1.0)]
        };
        check(below, above(0.0), "apart");
        check(below, above(1e-300), "apart");
        check(below, above(-1e-15), "overlap");
    }

    #[test]
    fn flat_tets_overlap_nothing() {
        let flat = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(0.3, 0.3, 0.0)];
        check(flat, moved([0.0, 0.0, -0.5]), "apart");
        check(CORNER, [Vec3::NAN; 4], "apart");
    }
}
