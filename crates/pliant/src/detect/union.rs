//! Whether a point is inside a body of tets: in the interior of their union.
//!
//! [Heidelberger04 §3.2] tests a point against single tets and leaves open what
//! happens on their faces. A point on a face that two tets share is inside the body;
//! one on the surface is not. The slow and obvious way, exact in every tie.
//!
//! - Implements: [Heidelberger04 §3.2], the test of a point.
//! - Deviates: decided by exact signs, not by barycentric coordinates, and for the
//!   union: a strict test per tet loses points on inner faces, a closed one takes in
//!   points of the surface.

use crate::id::VertexId;
use crate::math::{Vec3, orient3d};
use crate::mesh::topology::{Groups, tet_face};

/// Whether `point` is in the interior of the union of the tets.
///
/// Tets may be inverted or overlap. Those that hold the point, border included, are
/// grouped by the faces on which it lies; it is inside when some group closes around it,
/// that is, when every such face of the group has a tet on either side. Flat tets have
/// no interior and take no part. Two sheets that only touch do not close around a point.
pub fn is_inside(point: Vec3, positions: &[Vec3], tets: &[[VertexId; 4]]) -> bool {
    // Corners of each tet that holds the point, and the faces on which it lies, by corners.
    let mut faces: Vec<([VertexId; 3], u32)> = Vec::new();
    let mut holders = 0_u32;
    for &tet in tets {
        let Some(touched) = holds(point, positions, tet) else { continue };
        if touched == [false; 4] {
            return true;
        }
        for face in (0..4).filter(|&face| touched[face]) {
            let mut corners = tet_face(tet, face);
            corners.sort_unstable();
            faces.push((corners, holders));
        }
        holders += 1;
    }
    faces.sort_unstable();
    let mut groups = Groups::new(holders as usize);
    let mut open = vec![false; holders as usize];
    for sides in faces.chunk_by(|a, b| a.0 == b.0) {
        open[sides[0].1 as usize] |= sides.len() == 1;
        for pair in sides.windows(2) {
            groups.join(pair[0].1, pair[1].1);
        }
    }
    let mut open_group = vec![false; holders as usize];
    for (holder, &is_open) in open.iter().enumerate() {
        open_group[groups.root(holder as u32) as usize] |= is_open;
    }
    (0..holders).any(|holder| !open_group[groups.root(holder) as usize])
}

/// For a point in the closed tet, the faces on which it lies; `None` outside and for flat tets.
fn holds(point: Vec3, positions: &[Vec3], tet: [VertexId; 4]) -> Option<[bool; 4]> {
    let corners = tet.map(|v| positions[v.index()]);
    let low = corners[0].min(corners[1]).min(corners[2].min(corners[3]));
    let high = corners[0].max(corners[1]).max(corners[2].max(corners[3]));
    if !(low.cmple(point).all() && point.cmple(high).all()) {
        return None;
    }
    let [v0, v1, v2, v3] = corners;
    let sign = orient3d(v0, v1, v2, v3).partial_cmp(&0.0)? as i32 as f64;
    if sign == 0.0 {
        return None;
    }
    let mut touched = [false; 4];
    for (face, on_it) in touched.iter_mut().enumerate() {
        let [a, b, c] = tet_face([0, 1, 2, 3].map(VertexId), face).map(|k| corners[k.index()]);
        let outside = sign * orient3d(a, b, c, point);
        if outside > 0.0 {
            return None;
        }
        *on_it = outside == 0.0;
    }
    Some(touched)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate::cuboid::cuboid;
    use crate::mesh::generate::lattice::Cut;

    #[track_caller]
    fn check(point: [f64; 3], expected: &str) {
        // Two cells a side: the origin is an inner vertex, the axes run along inner edges.
        for cut in [Cut::Five, Cut::Six] {
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
        let one = cuboid([2, 2, 2], Vec3::splat(2.0), Cut::Six).unwrap();
        let mut mesh = one.clone();
        mesh.positions.extend(one.positions.iter().map(|&p| p + Vec3::X));
        let moved = |v: VertexId| VertexId(v.0 + one.positions.len() as u32);
        mesh.tets.extend(one.tets.iter().map(|tet| tet.map(moved)));
        let surface = Vec3::new(1.0, 0.2, 0.1); // of the first, in the middle of the second
        assert!(is_inside(surface, &mesh.positions, &mesh.tets));
        assert!(!is_inside(Vec3::new(2.0, 0.2, 0.1), &mesh.positions, &mesh.tets));
    }

    #[test]
    fn flat_tets_hold_nothing() {
        let positions = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::X + Vec3::Y];
        let tets = [[0, 1, 2, 3].map(VertexId)];
        assert!(!is_inside(Vec3::new(0.2, 0.2, 0.0), &positions, &tets));
    }
}
