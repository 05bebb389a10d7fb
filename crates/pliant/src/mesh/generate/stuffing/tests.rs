//! Spheres, boxes and rings filled with tets.

use super::*;
use crate::math::Quat;
use crate::mesh::generate::ball::ball;
use crate::mesh::generate::cuboid::cuboid;
use crate::mesh::generate::lattice::TetSplit;
use crate::mesh::generate::torus::{TorusSettings, torus};
use crate::mesh::raw::RawMesh;

/// Distances of cut points, relative to bodies of about 1 m.
const ROUNDING: f64 = 1e-13;

/// The boundary of a generated body, turned so that no face lies along the lattice.
fn boundary_of(raw: RawMesh) -> Surface {
    let (mesh, _) = TetMesh::from_raw(raw).unwrap();
    let turn = Quat::from_rotation_z(0.3) * Quat::from_rotation_x(0.5);
    let positions = mesh.positions().iter().map(|&p| turn * p).collect();
    let triangles = mesh.surface().to_vec();
    Surface::from_raw(RawMesh { positions, triangles, ..RawMesh::default() }).unwrap().0
}

fn sphere() -> Surface {
    boundary_of(ball(1.0, 12).unwrap())
}

fn block() -> Surface {
    boundary_of(cuboid([1; 3], Vec3::new(1.0, 1.5, 2.0), TetSplit::Five).unwrap())
}

fn ring() -> Surface {
    let settings = TorusSettings { ring_radius: 1.0, tube_radius: 0.4, around: 48, rings: 4 };
    boundary_of(torus(&settings).unwrap())
}

/// A body of two surfaces.
fn both(a: &Surface, b: &Surface, by: Vec3) -> Surface {
    let start = a.positions().len() as u32;
    let mut positions = a.positions().to_vec();
    positions.extend(b.positions().iter().map(|&p| p + by));
    let mut triangles = a.triangles().to_vec();
    triangles.extend(b.triangles().iter().map(|t| t.map(|v| VertexId(v.0 + start))));
    Surface::from_raw(RawMesh { positions, triangles, ..RawMesh::default() }).unwrap().0
}

/// Vertices, edges and faces of the boundary, as an alternating sum.
fn euler(mesh: &TetMesh) -> i64 {
    let mut vertices: Vec<_> = mesh.surface().iter().flatten().collect();
    vertices.sort_unstable();
    vertices.dedup();
    let faces = mesh.surface().len() as i64;
    vertices.len() as i64 - faces * 3 / 2 + faces
}

/// Holds for every surface; returns the relative error of the volume.
#[track_caller]
fn check(surface: &Surface, size: f64, expected_euler: i64) -> f64 {
    let Stuffed { mesh, stats, notices } = stuffed(surface, StuffingSettings { size }).unwrap();
    assert_eq!(notices, [""; 0], "{size}");
    assert_eq!(euler(&mesh), expected_euler, "{size}");
    assert!(stats.min_dihedral >= MIN_DIHEDRAL, "{}", stats.min_dihedral.to_degrees());
    assert!(stats.max_dihedral <= MAX_DIHEDRAL, "{}", stats.max_dihedral.to_degrees());
    assert!(stats.boundary_distance < ROUNDING, "{}", stats.boundary_distance);
    assert!(stats.surface_distance < size, "{}", stats.surface_distance);
    assert_eq!(stats.volume, mesh.volume());
    assert_eq!(stats.surface_volume, surface.volume());
    (stats.volume - stats.surface_volume).abs() / stats.surface_volume
}

#[test]
fn volume_of_a_sphere_converges_by_second_order() {
    let errors = [0.4, 0.2, 0.1].map(|size| check(&sphere(), size, 2));
    // Chords of a sphere: a quarter of the error for half the size, until its own facets show.
    assert!(
        errors[0] < 0.1 && errors[1] < 0.35 * errors[0] && errors[2] < 0.35 * errors[1],
        "{errors:?}"
    );
}

#[test]
fn volume_of_a_box_converges() {
    let errors = [0.4, 0.2, 0.1].map(|size| check(&block(), size, 2));
    assert!(
        errors[0] < 0.15 && errors[1] < 0.5 * errors[0] && errors[2] < 0.5 * errors[1],
        "{errors:?}"
    );
}

#[test]
fn volume_of_a_ring_converges() {
    let errors = [0.2, 0.1, 0.05].map(|size| check(&ring(), size, 0));
    assert!(
        errors[0] < 0.1 && errors[1] < 0.4 * errors[0] && errors[2] < 0.4 * errors[1],
        "{errors:?}"
    );
}

#[test]
fn a_box_along_the_lattice_has_sound_tets_too() {
    let cube = cuboid([1; 3], Vec3::ONE, TetSplit::Five).unwrap();
    let (mesh, _) = TetMesh::from_raw(cube).unwrap();
    let (positions, triangles) = (mesh.positions().to_vec(), mesh.surface().to_vec());
    let (cube, _) =
        Surface::from_raw(RawMesh { positions, triangles, ..RawMesh::default() }).unwrap();
    // Faces a quarter of an edge from lattice planes; in one of them; anywhere.
    for size in [0.25, 0.5, 2.0 / 7.0, 1.0 / 6.5, 0.3, 0.17] {
        let Stuffed { stats, .. } = stuffed(&cube, StuffingSettings { size }).unwrap();
        assert!(stats.min_dihedral >= MIN_DIHEDRAL, "{size}: {stats:?}");
        assert!(stats.max_dihedral <= MAX_DIHEDRAL, "{size}: {stats:?}");
        assert!(stats.boundary_distance < ROUNDING, "{size}: {stats:?}");
        assert!((stats.volume - 1.0).abs() < 0.2, "{size}: {stats:?}");
    }
}

#[test]
fn a_hollow_stays_hollow() {
    let outer = boundary_of(ball(1.0, 8).unwrap());
    let mut inner = boundary_of(ball(0.5, 8).unwrap());
    // An inner surface looks into the hollow.
    let mut triangles = inner.triangles().to_vec();
    triangles.iter_mut().for_each(|t| t.swap(1, 2));
    let start = outer.positions().len() as u32;
    let mut raw = RawMesh { positions: outer.positions().to_vec(), ..RawMesh::default() };
    raw.positions.extend(inner.positions());
    raw.triangles = outer.triangles().to_vec();
    raw.triangles.extend(triangles.iter().map(|t| t.map(|v| VertexId(v.0 + start))));
    inner = Surface::from_raw(raw).unwrap().0;
    check(&inner, 0.15, 4);
}

#[test]
fn overlap_counts_once_with_a_notice() {
    let sphere = boundary_of(ball(1.0, 8).unwrap());
    let pair = both(&sphere, &sphere, Vec3::X);
    let Stuffed { mesh, stats, notices } = stuffed(&pair, StuffingSettings { size: 0.1 }).unwrap();
    assert!(notices[0].starts_with("the surface meets itself at "), "{notices:?}");
    // The common part of two unit spheres a metre apart has 5/12 π of the 8/3 π of both.
    let union = stats.surface_volume * (1.0 - 5.0 / 32.0);
    assert!((stats.volume - union).abs() < 0.02 * union, "{stats:?} {union}");
    assert!(stats.min_dihedral >= MIN_DIHEDRAL && stats.max_dihedral <= MAX_DIHEDRAL);
    assert_eq!(euler(&mesh), 2);
}

#[test]
fn the_estimate_is_near_the_count() {
    for (surface, size) in [(sphere(), 0.1), (ring(), 0.1), (block(), 0.2)] {
        let Stuffed { mesh, stats, .. } = stuffed(&surface, StuffingSettings { size }).unwrap();
        let area = Shell::new(surface.positions(), surface.triangles()).area();
        let rest =
            mesh.tets().len() as f64 - TETS_PER_CELL * stats.surface_volume / size / size / size;
        let found = rest * size * size / area;
        assert!((0.3 * TETS_PER_AREA..2.0 * TETS_PER_AREA).contains(&found), "{found}");
    }
}

#[test]
fn a_moved_body_gives_the_moved_mesh() {
    let by = Vec3::new(4.0, -2.0, 8.0);
    let moved = |surface: &Surface, by: Vec3| {
        let positions = surface.positions().iter().map(|&p| p + by).collect();
        let triangles = surface.triangles().to_vec();
        Surface::from_raw(RawMesh { positions, triangles, ..RawMesh::default() }).unwrap().0
    };
    let settings = StuffingSettings { size: 0.17 };
    let here = stuffed(&sphere(), settings).unwrap();
    let there = stuffed(&moved(&sphere(), by), settings).unwrap();
    assert_eq!(here.mesh.tets(), there.mesh.tets());
    let pairs = here.mesh.positions().iter().zip(there.mesh.positions());
    assert!(pairs.into_iter().all(|(a, b)| (*a + by).distance(*b) < ROUNDING));
    assert_eq!(stuffed(&sphere(), settings).unwrap(), here);
}

#[test]
fn faults_name_the_value() {
    let refusal = |size| stuffed(&sphere(), StuffingSettings { size }).unwrap_err().to_string();
    assert_eq!(refusal(0.0), "the size is 0.0 m, expected a positive finite length");
    assert_eq!(refusal(f64::NAN), "the size is NaN m, expected a positive finite length");
    assert!(refusal(1e9).starts_with("a size of 1000000000.0 m leaves nothing inside: the box "));
    assert!(refusal(3.9).starts_with("a size of 3.9 m leaves nothing inside: the box "));
    // 4/3 π of volume: 12 · 4.19e6 tets, and some for the area.
    let StuffingError::TooManyTets { tets, .. } =
        stuffed(&sphere(), StuffingSettings { size: 0.01 }).unwrap_err()
    else {
        panic!("accepted")
    };
    assert!((49.5e6..51e6).contains(&tets), "{tets}");
    // 12 · 4/3 π · 1e24, beyond every integer of 64 bits.
    let expected = "a size of 1e-8 m makes about 5.0e25 tets, at most 5000000 are made";
    assert_eq!(refusal(1e-8), expected);
    assert!(refusal(1e-300).contains("makes about 1e308 and more tets, at most 5000000 are made"));
    // Two small spheres far apart: few tets, a large box.
    let far = both(&sphere(), &sphere(), Vec3::splat(1e4));
    let error = stuffed(&far, StuffingSettings { size: 0.2 }).unwrap_err();
    assert!(matches!(error, StuffingError::TooManyPoints { .. }), "{error}");
}

#[test]
fn lost_walls_and_tips_are_worth_a_notice_and_cut_edges_are_not() {
    let of = |volume: f64, surface_distance: f64| {
        let stats = StuffingStats {
            min_dihedral: 0.2,
            max_dihedral: 2.8,
            boundary_distance: 0.0,
            surface_distance,
            surface_volume: 2.0,
            volume,
        };
        lost_features(stats, 0.5)
    };
    assert_eq!(of(1.9, 0.25), None);
    assert_eq!(of(2.1, 0.5), None);
    let notice = of(1.5, 0.25).unwrap();
    assert!(notice.starts_with("25 % of the volume is lost: walls and tips thinner"), "{notice}");
    let notice = of(1.95, 0.75).unwrap();
    assert!(notice.starts_with("features are lost: walls"), "{notice}");
    assert!(notice.contains("up to 0.750 m from the tets"), "{notice}");
}

#[test]
fn a_thin_wall_is_named_with_what_it_lost() {
    // A block with a fin of a twentieth of its width.
    let fin = boundary_of(cuboid([1; 3], Vec3::new(0.05, 1.5, 2.0), TetSplit::Five).unwrap());
    let both = both(&block(), &fin, Vec3::new(3.0, 0.0, 0.0));
    let Stuffed { notices, stats, .. } = stuffed(&both, StuffingSettings { size: 0.4 }).unwrap();
    assert!(stats.surface_distance > 0.4, "{stats:?}");
    assert!(notices.iter().any(|notice| notice.contains("thinner than the size of 0.4 m")));
}
