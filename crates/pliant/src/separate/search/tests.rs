//! What is wrong with a deformed body, each defect alone.

use super::*;
use crate::math::Quat;
use crate::mesh::generate::cuboid::cuboid;
use crate::mesh::generate::lattice::TetSplit;

fn block() -> TetMesh {
    TetMesh::from_raw(cuboid([2; 3], Vec3::ONE, TetSplit::Five).unwrap()).unwrap().0
}

/// Two cubes beside each other as one body.
fn twins() -> Surface {
    let mesh = block();
    let count = mesh.positions().len() as u32;
    let there = mesh.positions().iter().map(|p| *p + 1.5 * Vec3::X);
    let positions = mesh.positions().iter().copied().chain(there).collect();
    let second = mesh.surface().iter().map(|t| t.map(|v| VertexId(v.0 + count)));
    let triangles = mesh.surface().iter().copied().chain(second).collect();
    Surface::from_raw(RawMesh { positions, triangles, ..RawMesh::default() }).unwrap().0
}

#[track_caller]
fn check(
    mesh: Mesh<'_>,
    start: &[Vec3],
    place: impl Fn(Vec3) -> Vec3,
    expected: Option<Undeformed>,
) {
    let bodies = [Body::new(mesh, start)];
    let shapes = [Shape::new(mesh, start).unwrap()];
    let starts = [start.to_vec()];
    let search = Search {
        bodies: &bodies,
        shapes: &shapes,
        start: &starts,
        nested: &[],
        gap: 1e-3,
        share: 0.0,
        most_volume_change: 0.1,
    };
    let after: Vec<Vec3> = start.iter().map(|p| place(*p)).collect();
    assert_eq!(search.defect(0, &after), expected);
}

#[test]
fn each_defect_is_named() {
    let mesh = block();
    let tets = (Mesh::Tets(&mesh), mesh.positions());
    check(tets.0, tets.1, |p| Quat::from_rotation_x(1.0) * p + Vec3::Y, None);
    // Beyond the middle of the far side, the tets between are inside out.
    let pushed = |p: Vec3| if p == Vec3::ZERO { 0.8 * Vec3::X } else { p };
    check(tets.0, tets.1, pushed, Some(Undeformed::Inverted));
    // 1.7 / √1.7² = 1: as long again by 0.7, and of the same volume.
    let drawn = Vec3::new(1.7, 1.7_f64.sqrt().recip(), 1.7_f64.sqrt().recip());
    check(tets.0, tets.1, |p| p * drawn, Some(Undeformed::Strain));
    // 1.04³ = 1.125.
    check(tets.0, tets.1, |p| 1.04 * p, Some(Undeformed::Volume));
    check(tets.0, tets.1, |p| 1.03 * p, None);
    // One half moves into the other: nothing is strained.
    let twins = twins();
    let joined = |p: Vec3| if p.x > 0.75 { p - Vec3::new(0.7, 0.1, 0.2) } else { p };
    let surface = Mesh::Surface(&twins);
    check(surface, twins.positions(), joined, Some(Undeformed::MeetsItself));
}

#[test]
fn what_cannot_be_filled_or_factored_says_why() {
    let mesh = block();
    let mut folded = mesh.positions().to_vec();
    let middle = folded.iter().position(|p| *p == Vec3::ZERO).unwrap();
    folded[middle] = 0.8 * Vec3::X;
    let plate =
        TetMesh::from_raw(cuboid([4, 4, 1], Vec3::new(1.0, 1.0, 1e-3), TetSplit::Five).unwrap());
    let plate = plate.unwrap().0;
    let (positions, triangles) = (plate.positions().to_vec(), plate.surface().to_vec());
    let plate =
        Surface::from_raw(RawMesh { positions, triangles, ..RawMesh::default() }).unwrap().0;
    let bodies = [
        Body::new(Mesh::Tets(&mesh), &folded),
        Body::new(Mesh::Surface(&plate), plate.positions()),
        Body::new(Mesh::Tets(&mesh), mesh.positions()),
    ];
    let start: Vec<Vec<Vec3>> = bodies.iter().map(|body| body.positions.to_vec()).collect();
    let shapes: Vec<Shape> =
        bodies.iter().map(|body| Shape::new(body.mesh, body.positions).unwrap()).collect();
    let (bodies, shapes, start) = (&bodies[..], &shapes[..], &start[..]);
    let most_volume_change = f64::INFINITY;
    let search =
        Search { bodies, shapes, start, nested: &[], gap: 1e-3, share: 0.0, most_volume_change };
    let whys: Vec<_> = (0..3).map(|body| search.soft_body(body, 0).1).collect();
    assert_eq!(whys, [Some(Undeformed::FlatTets), Some(Undeformed::TooThin), None]);
}
