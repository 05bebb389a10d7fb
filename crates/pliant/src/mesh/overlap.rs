//! Where a surface runs through itself, or one of its parts lies inside another.
//!
//! A body made of positive tets covers a point as often as its boundary winds
//! around it. So the body overlaps itself exactly when its boundary meets itself, or
//! winds twice around the inside of one of its closed pieces.

use crate::id::{PartId, TriangleId, VertexId};
use crate::math::{Aabb, Vec3, tet_volume};
use crate::mesh::bvh::Bvh;
use crate::mesh::intersect::{is_degenerate, meet_beyond_corner, meet_beyond_edge, triangles_meet};
use crate::mesh::topology::{self, Parts};

/// Pairs after which the search for more ends: a soup may have quadratically many.
pub const MOST_PAIRS: usize = 100_000;

/// How one closed piece of a surface stands to the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The outside of a body, or the wall of a cavity in one.
    Sound,
    /// Looks outward, but lies inside another piece: the insides overlap.
    Nested,
    /// Looks inward, with nothing around it.
    InsideOut,
}

/// Pairs of triangles that meet other than at the corners and edges they share.
///
/// Ascending, the smaller first, at most [`MOST_PAIRS`]. Exact, and closed: touching
/// is meeting. Triangles without area or with a corner that is not finite take no part.
pub fn meeting_pairs(positions: &[Vec3], triangles: &[[VertexId; 3]]) -> Vec<[TriangleId; 2]> {
    let corners = |t: [VertexId; 3]| t.map(|v| positions[v.index()]);
    let boxes: Vec<_> = triangles
        .iter()
        .map(|&triangle| {
            let corners = corners(triangle);
            let usable = corners.iter().all(|c| c.is_finite()) && !is_degenerate(corners);
            if usable { Aabb::around(corners) } else { Aabb::EMPTY }
        })
        .collect();
    let tree = Bvh::new(&boxes);

    let mut pairs = Vec::new();
    for (a, &query) in boxes.iter().enumerate() {
        let known = pairs.len();
        tree.meeting(query, |b| {
            if b as usize > a && meet(positions, triangles[a], triangles[b as usize]) {
                pairs.push([TriangleId(a as u32), TriangleId(b)]);
            }
            pairs.len() < MOST_PAIRS
        });
        pairs[known..].sort_unstable();
        if pairs.len() >= MOST_PAIRS {
            break;
        }
    }
    pairs
}

/// How every connected piece of a closed surface that meets itself nowhere stands.
///
/// One entry per piece of `pieces`, the parts of `triangles`.
pub fn standings(positions: &[Vec3], triangles: &[[VertexId; 3]], pieces: &Parts) -> Vec<Standing> {
    let members = by_piece(triangles, pieces);
    let boxes: Vec<_> = members
        .iter()
        .map(|piece| Aabb::around(piece.iter().flatten().map(|v| positions[v.index()])))
        .collect();
    let tree = Bvh::new(&boxes);

    let standing = |(index, piece): (usize, &[[VertexId; 3]])| {
        let point = positions[piece[0][0].index()];
        let mut around = 0;
        tree.meeting(Aabb { min: point, max: point }, |other| {
            if other as usize != index {
                around += winding(positions, members.row(other as usize), point);
            }
            true
        });
        match (signed_volume(positions, piece) > 0.0, around > 0) {
            (true, false) | (false, true) => Standing::Sound,
            (true, true) => Standing::Nested,
            (false, false) => Standing::InsideOut,
        }
    };
    members.iter().enumerate().map(standing).collect()
}

/// Volume enclosed by a closed surface, m³; negative when it looks inward.
pub fn signed_volume(positions: &[Vec3], triangles: &[[VertexId; 3]]) -> f64 {
    let Some(first) = triangles.first() else { return 0.0 };
    // Measured from a corner of the surface: far from the origin the digits survive.
    let apex = positions[first[0].index()];
    triangles
        .iter()
        .map(|triangle| {
            let [a, b, c] = triangle.map(|v| positions[v.index()]);
            tet_volume([apex, a, b, c])
        })
        .sum()
}

/// Times that a closed surface winds around a point that is not on it.
///
/// The solid angles of its triangles, over 4π, rounded to the whole number they are.
pub fn winding(positions: &[Vec3], triangles: &[[VertexId; 3]], point: Vec3) -> i64 {
    let half_angles: f64 = triangles
        .iter()
        .map(|triangle| {
            let [a, b, c] = triangle.map(|v| positions[v.index()] - point);
            let (la, lb, lc) = (a.length(), b.length(), c.length());
            let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
            a.cross(b).dot(c).atan2(below)
        })
        .sum();
    (half_angles / (2.0 * std::f64::consts::PI)).round() as i64
}

/// Whether two triangles of one surface meet where they should not.
fn meet(positions: &[Vec3], a: [VertexId; 3], b: [VertexId; 3]) -> bool {
    let at = |v: VertexId| positions[v.index()];
    let common = |v: &VertexId| b.contains(v);
    match a.iter().filter(|v| common(v)).count() {
        0 => triangles_meet(a.map(at), b.map(at)),
        1 => {
            let Some(i) = a.iter().position(common) else { return false };
            let Some(j) = b.iter().position(|v| *v == a[i]) else { return false };
            let far = |t: [VertexId; 3], k: usize| [at(t[(k + 1) % 3]), at(t[(k + 2) % 3])];
            meet_beyond_corner(at(a[i]), far(a, i), far(b, j))
        }
        2 => {
            let Some(i) = a.iter().position(|v| !common(v)) else { return false };
            let Some(&tip) = b.iter().find(|v| !a.contains(v)) else { return false };
            meet_beyond_edge([at(a[(i + 1) % 3]), at(a[(i + 2) % 3])], at(a[i]), at(tip))
        }
        _ => true, // the same triangle twice
    }
}

/// The triangles of each piece, one row a piece.
fn by_piece(triangles: &[[VertexId; 3]], pieces: &Parts) -> topology::Rows<[VertexId; 3]> {
    let row = |(part, triangle): (&PartId, &[VertexId; 3])| (part.0, *triangle);
    topology::Rows::from_pairs(pieces.count, pieces.of_cell.iter().zip(triangles).map(row))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The surface of a box, outward, with its corners appended to `positions`.
    fn add_box(
        positions: &mut Vec<Vec3>,
        triangles: &mut Vec<[VertexId; 3]>,
        centre: Vec3,
        half: f64,
    ) {
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

    fn boxes(list: &[(Vec3, f64)]) -> (Vec<Vec3>, Vec<[VertexId; 3]>) {
        let (mut positions, mut triangles) = (Vec::new(), Vec::new());
        for &(centre, half) in list {
            add_box(&mut positions, &mut triangles, centre, half);
        }
        (positions, triangles)
    }

    /// The slow twin: every pair, without a tree.
    fn brute_pairs(positions: &[Vec3], triangles: &[[VertexId; 3]]) -> Vec<[TriangleId; 2]> {
        let mut pairs = Vec::new();
        for a in 0..triangles.len() {
            for b in a + 1..triangles.len() {
                if meet(positions, triangles[a], triangles[b]) {
                    pairs.push([TriangleId(a as u32), TriangleId(b as u32)]);
                }
            }
        }
        pairs
    }

    #[test]
    fn a_box_meets_itself_nowhere_and_another_where_they_cross() {
        let (positions, triangles) = boxes(&[(Vec3::ZERO, 1.0)]);
        assert!(meeting_pairs(&positions, &triangles).is_empty());
        let (positions, triangles) = boxes(&[(Vec3::ZERO, 1.0), (Vec3::splat(0.9), 1.0)]);
        let found = meeting_pairs(&positions, &triangles);
        assert!(!found.is_empty());
        assert_eq!(found, brute_pairs(&positions, &triangles));
    }

    #[test]
    fn a_dent_pushed_through_the_far_side_is_seen() {
        let (mut positions, triangles) = boxes(&[(Vec3::ZERO, 1.0)]);
        positions[0] = Vec3::new(3.0, 0.0, 0.0);
        assert!(!meeting_pairs(&positions, &triangles).is_empty());
    }

    #[test]
    fn pieces_know_whether_they_are_skin_cavity_or_nested() {
        let check = |flip: &[usize], expected: &[Standing]| {
            let (positions, mut triangles) = boxes(&[(Vec3::ZERO, 3.0), (Vec3::ZERO, 1.0)]);
            for &piece in flip {
                for triangle in &mut triangles[12 * piece..12 * (piece + 1)] {
                    triangle.swap(0, 1);
                }
            }
            let pieces = topology::parts(positions.len(), &triangles);
            assert_eq!(standings(&positions, &triangles, &pieces), expected);
        };
        use Standing::{InsideOut, Nested, Sound};
        check(&[1], &[Sound, Sound]);
        check(&[], &[Sound, Nested]);
        check(&[0, 1], &[InsideOut, InsideOut]);
    }

    #[test]
    fn volume_and_winding_of_a_box() {
        let (positions, triangles) = boxes(&[(Vec3::new(1e6, 0.0, 0.0), 0.5)]);
        // Six faces, each a pair of pyramids to one corner: a dozen roundings.
        assert!((signed_volume(&positions, &triangles) - 1.0).abs() < 1e-14);
        assert_eq!(winding(&positions, &triangles, Vec3::new(1e6, 0.0, 0.0)), 1);
        assert_eq!(winding(&positions, &triangles, Vec3::ZERO), 0);
        assert_eq!(signed_volume(&[], &[]), 0.0);
    }

    #[test]
    fn unusable_triangles_take_no_part() {
        let (mut positions, triangles) = boxes(&[(Vec3::ZERO, 1.0), (Vec3::splat(0.9), 1.0)]);
        for position in &mut positions[..8] {
            position.x = f64::NAN;
        }
        assert!(meeting_pairs(&positions, &triangles).is_empty());
    }
}
