//! Whether a point is inside a body of tets: in the interior of their union.
//!
//! [Heidelberger04 §3.2] tests a point against single tets and leaves open what
//! happens on their faces. A point on a face that two tets share is inside the body;
//! one on the surface is not. The slow and direct way, by exact signs.
//!
//! - Implements: [Heidelberger04 §3.2], the test of a point.
//! - Deviates: decided by exact signs, not by barycentric coordinates, and for the
//!   union: a strict test per tet loses points on inner faces, a closed one takes in
//!   points of the surface.

use crate::id::{VertexId, at};
use crate::math::{Vec3, orient3d};
use crate::mesh::intersect::segment_meets_triangle;
use crate::mesh::topology::{Groups, TET_FACES, tet_face};

/// Shares of a tet's corners that make a point in general position, until one is.
const SHARES: [[f64; 4]; 3] =
    [[0.29, 0.23, 0.31, 0.17], [0.137, 0.411, 0.173, 0.279], [0.353, 0.119, 0.217, 0.311]];

/// A tet that holds the current point, border included.
struct Holder {
    tet: [VertexId; 4],
    /// Sign of its volume: 1 or −1, 0 when flat.
    sign: f64,
    /// Faces on which the point lies.
    touched: [bool; 4],
}

/// Whether `point` is in the interior of the union of the tets.
///
/// Tets may be inverted or overlap. Those that hold the point, border included, are
/// grouped by the faces on which it lies; it is inside when some group closes around it.
/// A group does so when every such face has a tet on either side, and also when every face
/// is met once in each sense and the tets, counted with their signs, cover some direction
/// from the point other than 0 times: then they cover all directions equally often,
/// though inverted ones fold back over others. Flat tets cover nothing, but in the second
/// rule they join what they lie between. Two sheets that only touch do not close
/// around a point.
pub fn is_inside(point: Vec3, positions: &[Vec3], tets: &[[VertexId; 4]]) -> bool {
    let (mut holders, mut flat) = (Vec::new(), Vec::new());
    for &tet in tets {
        match holder(point, positions, tet) {
            Some(holder) if holder.sign == 0.0 => flat.push(holder),
            Some(holder) if holder.touched == [false; 4] => return true,
            Some(holder) => holders.push(holder),
            None => {}
        }
    }
    if closes(positions, &holders) {
        return true;
    }
    let mixed = !holders.is_empty() && !flat.is_empty();
    holders.append(&mut flat);
    mixed && closes(positions, &holders)
}

/// Whether some group of the tets around a point closes around it.
fn closes(positions: &[Vec3], holders: &[Holder]) -> bool {
    let faces = touched_faces(holders);
    let mut groups = Groups::new(holders.len());
    for same in faces.chunk_by(|a, b| a.corners == b.corners) {
        for pair in same.windows(2) {
            groups.join(pair[0].holder, pair[1].holder);
        }
    }
    let roots: Vec<u32> = (0..holders.len() as u32).map(|h| groups.root(h)).collect();
    let (mut one_sided, mut odd) = (vec![false; holders.len()], vec![false; holders.len()]);
    for same in faces.chunk_by(|a, b| a.corners == b.corners) {
        let root = roots[same[0].holder as usize] as usize;
        let on_side = |side| same.iter().any(|face| face.side == side);
        one_sided[root] |= !(on_side(1) && on_side(-1));
        odd[root] |= same.iter().map(|face| face.sense).sum::<i32>() != 0;
    }
    (0..holders.len()).filter(|&root| roots[root] as usize == root).any(|root| {
        let members = holders.iter().zip(&roots).filter(|member| *member.1 as usize == root);
        let members: Vec<&Holder> = members.map(|member| member.0).collect();
        !one_sided[root] || !odd[root] && covers(positions, &members)
    })
}

/// Whether a point is in a closed tet, or on a face of a flat one.
pub fn is_held(point: Vec3, positions: &[Vec3], tet: [VertexId; 4]) -> bool {
    holder(point, positions, tet).is_some()
}

/// A face on which the point lies, as one tet sees it.
struct TouchedFace {
    /// Corners, ascending.
    corners: [VertexId; 3],
    /// Place of the tet among the holders.
    holder: u32,
    /// Side of the tet, seen from the corners in ascending order: 1 or −1, 0 when flat.
    side: i32,
    /// Sense in which the tet's indices run through the face: 1 or −1.
    sense: i32,
}

/// All faces on which the point lies, sorted by corners.
fn touched_faces(holders: &[Holder]) -> Vec<TouchedFace> {
    let mut faces = Vec::new();
    for (index, holder) in holders.iter().enumerate() {
        for face in (0..4).filter(|&face| holder.touched[face]) {
            let named = tet_face(holder.tet, face);
            let mut corners = named;
            corners.sort_unstable();
            let even =
                (0..3).any(|k| [named[k], named[(k + 1) % 3], named[(k + 2) % 3]] == corners);
            let sense = if even { 1 } else { -1 };
            let side = -sense * holder.sign as i32;
            faces.push(TouchedFace { corners, holder: index as u32, side, sense });
        }
    }
    faces.sort_unstable_by_key(|face| (face.corners, face.holder));
    faces
}

/// Whether tets around a point, counted with their signs, cover a direction other than 0 times.
///
/// A direction is in the cone of a tet when it leads to the inner side of all touched faces.
/// One that leads along a face is in doubt; another is taken.
fn covers(positions: &[Vec3], members: &[&Holder]) -> bool {
    let through = |holder: &Holder, target: Vec3| {
        let mut inside = true;
        for face in (0..4).filter(|&face| holder.touched[face]) {
            let [a, b, c] = tet_face(holder.tet, face).map(|v| at(positions, v));
            let outside = holder.sign * orient3d(a, b, c, target);
            if outside == 0.0 {
                return None;
            }
            inside &= outside < 0.0;
        }
        Some(if inside { holder.sign } else { 0.0 })
    };
    let members: Vec<_> = members.iter().filter(|holder| holder.sign != 0.0).collect();
    for shares in SHARES {
        for holder in &members {
            let corners = holder.tet.map(|v| at(positions, v));
            let target = (0..4).map(|k| shares[k] * corners[k]).sum::<Vec3>();
            let sum: Option<f64> = members.iter().map(|holder| through(holder, target)).sum();
            if let Some(sum) = sum {
                return sum != 0.0;
            }
        }
    }
    false
}

/// The faces on which a point of the closed tet lies; `None` outside.
///
/// A face without area is never among them: nothing passes through it.
fn holder(point: Vec3, positions: &[Vec3], tet: [VertexId; 4]) -> Option<Holder> {
    let corners = tet.map(|v| at(positions, v));
    let low = corners[0].min(corners[1]).min(corners[2].min(corners[3]));
    let high = corners[0].max(corners[1]).max(corners[2].max(corners[3]));
    if !(low.cmple(point).all() && point.cmple(high).all()) {
        return None;
    }
    let [v0, v1, v2, v3] = corners;
    let sign = orient3d(v0, v1, v2, v3).partial_cmp(&0.0)? as i32 as f64;
    if sign == 0.0 {
        let on_it = |face: [usize; 3]| segment_meets_triangle([point; 2], face.map(|k| corners[k]));
        let touched = TET_FACES.map(on_it);
        return (touched != [false; 4]).then_some(Holder { tet, sign, touched });
    }
    let mut touched = [false; 4];
    for (face, on_it) in touched.iter_mut().enumerate() {
        let [a, b, c] = TET_FACES[face].map(|k| corners[k]);
        let outside = sign * orient3d(a, b, c, point);
        if outside > 0.0 {
            return None;
        }
        *on_it = outside == 0.0;
    }
    Some(Holder { tet, sign, touched })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate::cuboid::cuboid;
    use crate::mesh::generate::lattice::TetSplit;

    #[track_caller]
    fn check(point: [f64; 3], expected: &str) {
        // Two cells a side: the origin is an inner vertex, the axes run along inner edges.
        for cut in [TetSplit::Five, TetSplit::Six] {
            let mut mesh = cuboid([2, 2, 2], Vec3::splat(2.0), cut).unwrap();
            let found = is_inside(point.into(), &mesh.positions, &mesh.tets);
            assert_eq!(if found { "inside" } else { "not" }, expected, "{cut:?}");
            mesh.tets.iter_mut().for_each(|tet| tet.swap(0, 1));
            assert_eq!(is_inside(point.into(), &mesh.positions, &mesh.tets), found, "inverted");
        }
    }

    #[test]
    fn inner_faces_edges_and_vertices_are_inside() {
        check([0.3, 0.2, 0.1], "inside");
        check([0.0, 0.2, 0.1], "inside");
        check([0.0, 0.0, 0.1], "inside");
        check([0.0, 0.0, 0.0], "inside");
        check([0.25, 0.25, 0.25], "inside");
    }

    #[test]
    fn the_surface_and_the_outside_are_not() {
        check([1.0, 0.2, 0.1], "not");
        check([1.0, 0.0, 0.0], "not");
        check([1.0, 1.0, 0.5], "not");
        check([1.0, 1.0, 1.0], "not");
        check([1.0 + f64::EPSILON, 0.2, 0.1], "not");
        check([3.0, 0.0, 0.0], "not");
        check([1.0 - f64::EPSILON, 0.2, 0.1], "inside");
    }

    #[test]
    fn a_second_sheet_over_the_surface_makes_it_inside() {
        let one = cuboid([2, 2, 2], Vec3::splat(2.0), TetSplit::Six).unwrap();
        let mut mesh = one.clone();
        mesh.positions.extend(one.positions.iter().map(|&p| p + Vec3::X));
        let moved = |v: VertexId| VertexId(v.0 + one.positions.len() as u32);
        mesh.tets.extend(one.tets.iter().map(|tet| tet.map(moved)));
        let surface = Vec3::new(1.0, 0.2, 0.1); // of the first, in the middle of the second
        assert!(is_inside(surface, &mesh.positions, &mesh.tets));
        assert!(!is_inside(Vec3::new(2.0, 0.2, 0.1), &mesh.positions, &mesh.tets));
    }

    /// Wedges of 90° and less around the z axis, from angle to angle; the origin is on their
    /// common edge. Each step is a tet, inverted when it goes back.
    #[track_caller]
    fn check_fan(quarters: &[i32], expected: &str) {
        let mut positions = vec![-Vec3::Z, Vec3::Z];
        for &quarter in quarters {
            let (sin, cos) = libm::sincos(f64::from(quarter) * std::f64::consts::FRAC_PI_2);
            positions.push(Vec3::new(cos.round(), sin.round(), 0.0));
        }
        let count = quarters.len() as u32;
        let closed = (quarters[0] - quarters[quarters.len() - 1]).rem_euclid(4) == 1;
        let steps = if closed { count } else { count - 1 };
        let tets: Vec<_> =
            (0..steps).map(|k| [0, 1, 2 + k, 2 + (k + 1) % count].map(VertexId)).collect();
        let found = is_inside(Vec3::ZERO, &positions, &tets);
        assert_eq!(if found { "inside" } else { "not" }, expected);
    }

    #[test]
    fn a_fan_closes_around_its_edge_even_when_folded() {
        check_fan(&[0, 1, 2, 3], "inside");
        check_fan(&[0, 1, 2, 3, 4], "not"); // open between angles 0 and 360°
        check_fan(&[0, 1, 2, 1, 2, 3], "inside"); // back and forth on the way
        check_fan(&[0, 1, 2], "not");
    }

    #[test]
    fn a_fold_of_the_surface_is_not_inside() {
        // Two tets on the same side of their common face, the second inverted.
        let tips = [Vec3::Z, Vec3::new(0.1, 0.1, 2.0)];
        let positions = [vec![Vec3::ZERO, Vec3::X, Vec3::Y], tips.to_vec()].concat();
        let tets = [[0, 1, 2, 3], [0, 2, 1, 4]].map(|tet: [u32; 4]| tet.map(VertexId));
        assert!(!is_inside(Vec3::new(0.2, 0.2, 0.0), &positions, &tets));
        assert!(is_inside(Vec3::new(0.2, 0.2, 0.1), &positions, &tets));
    }

    #[test]
    fn a_flat_tet_between_two_others_does_not_part_them() {
        // A square as two halves, cut along one diagonal for the tet above, along the other
        // for the one below; the tet on its four corners fills the nothing between.
        let flat = [Vec3::ZERO, Vec3::X, Vec3::X + Vec3::Y, Vec3::Y];
        let tips = [Vec3::new(0.5, 0.5, 1.0), Vec3::new(0.5, 0.5, -1.0)];
        let positions = [flat.to_vec(), tips.to_vec()].concat();
        let above = [[0, 1, 2, 4], [0, 2, 3, 4]];
        let below = [[0, 3, 1, 5], [1, 3, 2, 5]];
        let tets = [above, below].concat().into_iter().chain([[1, 0, 2, 3]]);
        let tets: Vec<_> = tets.map(|tet: [u32; 4]| tet.map(VertexId)).collect();
        assert!(!is_inside(Vec3::new(0.5, 0.25, 0.0), &positions, &tets[..4]));
        for point in [[0.5, 0.25, 0.0], [0.5, 0.5, 0.0], [0.25, 0.25, 0.0]] {
            assert!(is_inside(point.into(), &positions, &tets), "{point:?}");
        }
        assert!(!is_inside(Vec3::new(0.5, 0.0, 0.0), &positions, &tets));
        assert!(!is_inside(Vec3::ZERO, &positions, &tets));
    }

    #[test]
    fn flat_tets_hold_nothing() {
        let positions = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::X + Vec3::Y];
        let tets = [[0, 1, 2, 3].map(VertexId)];
        assert!(!is_inside(Vec3::new(0.2, 0.2, 0.0), &positions, &tets));
    }
}
