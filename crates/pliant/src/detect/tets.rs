//! Which tets overlap, and which bodies cross without a vertex in each other.
//!
//! [Zachmann slide "Kollisionserkennung"] finds collisions by an exact test of tet against tet in the cells of
//! a grid. Depth needs vertices inside and does not see bodies that cross without any, as
//! two bars do: for those this says at least that there is something.
//!
//! Two tets with volume overlap unless a plane has one on either side. The planes that do
//! so, as (normal, offset), are a pointed cone: if there are any, there is one on an edge
//! of the cone, and that one passes through three of the eight corners. So only those
//! planes are tried, and the sign of each other corner is exact.
//!
//! - Implements: [Zachmann slide "Kollisionserkennung"], collision detection.
//! - Deviates: [Zachmann slide "Kollisionserkennung"] does not say how; tets that only touch do not overlap.

use crate::body::{Bodies, BodyKind};
use crate::detect::Overlaps;
use crate::detect::cells::{Cells, Sorted};
use crate::id::{BodyId, TetId, VertexId};
use crate::math::{Aabb, Vec3, orient3d};
use crate::mesh::bvh::Bvh;
use crate::mesh::topology;

/// Most cells that one tet is put into; larger ones are found through a tree of boxes.
const MOST_CELLS: u128 = 64;

/// All triples of eight corners, four of each tet; the faces, which separate most often, first.
const TRIPLES: [[usize; 3]; 56] = triples();

/// Pairs of tets of different bodies whose interiors meet.
///
/// Ascending, the smaller first. Inverted tets count as what they cover, flat ones overlap
/// nothing. Exact.
pub fn overlapping_tets(positions: &[Vec3], bodies: &Bodies) -> Vec<[TetId; 2]> {
    let corners: Vec<[Vec3; 4]> =
        bodies.tets().iter().map(|tet| tet.map(|v| positions[v.index()])).collect();
    let boxes: Vec<Aabb> = corners.iter().map(|&corners| box_of(corners)).collect();
    let owners = tet_owners(bodies);
    let mut found = Vec::new();
    near_pairs(&Cells::new(positions, bodies), &boxes, |a, b| {
        let (a, b) = (a.min(b), a.max(b));
        let strangers = owners[a as usize] != owners[b as usize];
        if strangers && tets_overlap(corners[a as usize], corners[b as usize]) {
            found.push([TetId(a), TetId(b)]);
        }
    });
    found.sort_unstable();
    found
}

/// Pairs of bodies that overlap although no vertex of either is inside the other.
///
/// Ascending, the smaller first. Two bodies of tets do so when tets of them overlap. Where
/// one is a surface, an edge of one must pass through the inside of a triangle of the
/// other: surfaces that meet only along edges, as coincident ones do, are not found.
pub fn crossing_pairs(
    positions: &[Vec3],
    bodies: &Bodies,
    overlaps: &Overlaps,
) -> Vec<[BodyId; 2]> {
    let ordered = |a: BodyId, b: BodyId| [a.min(b), a.max(b)];
    let owners = tet_owners(bodies);
    let tets = overlapping_tets(positions, bodies);
    let mut crossing: Vec<_> =
        tets.iter().map(|[a, b]| ordered(owners[a.index()], owners[b.index()])).collect();
    crossing.extend(crossing_surfaces(positions, bodies));
    crossing.sort_unstable();
    crossing.dedup();
    let mut known: Vec<[BodyId; 2]> = Vec::new();
    for (&vertex, into) in overlaps.vertices.iter().zip(overlaps.into.iter()) {
        let own = bodies.body_of(vertex);
        known.extend(into.iter().map(|&body| ordered(own, body)));
    }
    known.sort_unstable();
    crossing.retain(|pair| known.binary_search(pair).is_err());
    crossing
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

/// Pairs of bodies, at least one of them a surface, that an edge of one leads into the other.
fn crossing_surfaces(positions: &[Vec3], bodies: &Bodies) -> Vec<[BodyId; 2]> {
    let at = |v: VertexId| positions[v.index()];
    let boxes = bodies.triangles().iter().map(|triangle| box_of(triangle.map(at)));
    let tree = Bvh::new(&boxes.collect::<Vec<_>>());
    let owners: Vec<BodyId> =
        bodies.ids().flat_map(|body| bodies.triangles_of(body).map(move |_| body)).collect();
    let mut found = Vec::new();
    for own in bodies.ids() {
        let triangles = &bodies.triangles()[bodies.triangles_of(own)];
        for ends in topology::edges(bodies.vertex_count(), triangles) {
            tree.meeting(box_of(ends.map(at)), |index| {
                let other = owners[index as usize];
                let kinds = [bodies.kind(own), bodies.kind(other)];
                let triangle = bodies.triangles()[index as usize].map(at);
                if own != other
                    && kinds.contains(&BodyKind::Surface)
                    && passes_through(ends.map(at), triangle)
                {
                    found.push([own.min(other), own.max(other)]);
                }
                true
            });
        }
        found.sort_unstable();
        found.dedup();
    }
    found
}

/// Whether a segment passes from one side of a triangle to the other through its inside.
fn passes_through([p, q]: [Vec3; 2], [a, b, c]: [Vec3; 3]) -> bool {
    let sides = [orient3d(a, b, c, p), orient3d(a, b, c, q)];
    let turns = [orient3d(p, q, a, b), orient3d(p, q, b, c), orient3d(p, q, c, a)];
    // Compared one by one: the product of two small numbers may be 0.
    (sides[0] < 0.0 && sides[1] > 0.0 || sides[0] > 0.0 && sides[1] < 0.0)
        && (turns.iter().all(|&turn| turn > 0.0) || turns.iter().all(|&turn| turn < 0.0))
}

/// The box around corners; empty when one of them is not finite.
fn box_of<const N: usize>(corners: [Vec3; N]) -> Aabb {
    if corners.iter().all(|c| c.is_finite()) { Aabb::around(corners) } else { Aabb::EMPTY }
}

/// The body of each tet.
fn tet_owners(bodies: &Bodies) -> Vec<BodyId> {
    bodies.ids().flat_map(|body| bodies.tets_of(body).map(move |_| body)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Mesh;
    use crate::detect::brute;
    use crate::mesh::generate::cuboid::cuboid;
    use crate::mesh::generate::lattice::Cut;
    use crate::mesh::surface::Surface;
    use crate::mesh::tet::TetMesh;

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

    /// Two bars that cross at a right angle, without a vertex in each other.
    fn bars(kinds: [BodyKind; 2], lift: f64) -> (Vec<Vec3>, Bodies) {
        let sizes = [Vec3::new(4.0, 1.0, 1.0), Vec3::new(0.9, 4.0, 1.1)];
        let raw = sizes.map(|size| cuboid([1; 3], size, Cut::Six).unwrap());
        let tets = raw.clone().map(|raw| TetMesh::from_raw(raw).unwrap().0);
        let skins = raw.clone().map(|mut raw| {
            raw.triangles = TetMesh::from_raw(raw.clone()).unwrap().0.surface().to_vec();
            raw.tets.clear();
            Surface::from_raw(raw).unwrap().0
        });
        let mesh = |k: usize| match kinds[k] {
            BodyKind::Tets => Mesh::Tets(&tets[k]),
            BodyKind::Surface => Mesh::Surface(&skins[k]),
            BodyKind::Net => Mesh::Net(0, &[]),
        };
        let lifted = raw[1].positions.iter().map(|&p| p + Vec3::new(0.03, 0.02, lift));
        let positions = raw[0].positions.iter().copied().chain(lifted).collect();
        (positions, Bodies::from_meshes(&[mesh(0), mesh(1)]).unwrap())
    }

    #[test]
    fn crossing_bars_are_found_without_a_vertex_inside() {
        use BodyKind::{Surface, Tets};
        for kinds in [[Tets, Tets], [Tets, Surface], [Surface, Tets], [Surface, Surface]] {
            for (lift, expected) in [(0.1, 1), (1.04, 1), (1.06, 0)] {
                let (positions, bodies) = bars(kinds, lift);
                let overlaps = brute::overlaps(&positions, &bodies);
                assert!(overlaps.vertices.is_empty());
                let found = crossing_pairs(&positions, &bodies, &overlaps);
                assert_eq!(found, vec![[BodyId(0), BodyId(1)]; expected], "{kinds:?} {lift}");
            }
        }
    }

    #[test]
    fn a_pair_with_a_vertex_inside_is_not_listed() {
        let (mut positions, bodies) = bars([BodyKind::Tets; 2], 0.1);
        let inside = bodies.vertices(BodyId(1)).start;
        positions[inside] = Vec3::new(0.1, 0.1, 0.1);
        let overlaps = brute::overlaps(&positions, &bodies);
        assert!(!overlaps.vertices.is_empty() && !overlapping_tets(&positions, &bodies).is_empty());
        assert!(crossing_pairs(&positions, &bodies, &overlaps).is_empty());
    }
}
