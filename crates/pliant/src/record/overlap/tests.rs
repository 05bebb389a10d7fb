//! Worked cases, and the slow reference on random scenes.

use super::*;
use crate::body::BodyKind;
use crate::body::Mesh;
use crate::detect::brute;
use crate::math::random::Random;
use crate::math::{Quat, orient3d};
use crate::mesh::closest::closest_point;
use crate::mesh::generate::cuboid::cuboid;
use crate::mesh::generate::lattice::TetSplit;
use crate::mesh::surface::Surface;
use crate::mesh::tet::TetMesh;
use crate::mesh::topology;

/// Two blocks, one of them moved; the second as tets or as a bare surface.
fn blocks(size: Vec3, moved: Vec3, kind: BodyKind) -> (Vec<Vec3>, Bodies) {
    blocks_of(2, size, moved, kind)
}

/// The same, with this many cells along each side.
fn blocks_of(cells: u32, size: Vec3, moved: Vec3, kind: BodyKind) -> (Vec<Vec3>, Bodies) {
    let make =
        |size| TetMesh::from_raw(cuboid([cells; 3], size, TetSplit::Five).unwrap()).unwrap().0;
    let (a, b) = (make(Vec3::ONE), make(size));
    let mut raw = b.clone().into_raw();
    (raw.triangles, raw.tets) = (b.surface().to_vec(), Vec::new());
    raw.regions.clear();
    let skin = Surface::from_raw(raw).unwrap().0;
    let second = if kind == BodyKind::Tets { Mesh::Tets(&b) } else { Mesh::Surface(&skin) };
    let bodies = Bodies::from_meshes(&[Mesh::Tets(&a), second]).unwrap();
    let there = match kind {
        BodyKind::Tets => b.positions(),
        _ => skin.positions(),
    };
    let moved = there.iter().map(|p| *p + moved);
    (a.positions().iter().copied().chain(moved).collect(), bodies)
}

fn measured(positions: &[Vec3], bodies: &Bodies) -> Overlap {
    // Trees of another shape must give the same: they are fitted anew.
    let elsewhere: Vec<_> = positions.iter().rev().copied().collect();
    let found = Measure::new(positions, bodies).measure(positions, bodies);
    assert_eq!(Measure::new(&elsewhere, bodies).measure(positions, bodies), found);
    found
}

#[test]
fn bodies_apart_or_touching_do_not_overlap() {
    for kind in [BodyKind::Tets, BodyKind::Surface] {
        for way in [1.0, 1.5] {
            let (positions, bodies) = blocks(Vec3::ONE, way * Vec3::X, kind);
            assert_eq!(measured(&positions, &bodies), Overlap::default(), "{way} {kind:?}");
        }
    }
}

#[test]
fn a_corner_in_a_corner_is_one_vertex_each() {
    for kind in [BodyKind::Tets, BodyKind::Surface] {
        let (positions, bodies) = blocks(Vec3::ONE, Vec3::new(0.9, 0.8, 0.7), kind);
        let found = measured(&positions, &bodies);
        assert_eq!(found.penetrating_vertices, 2);
        assert!((found.max_depth - 0.1).abs() < 1e-12, "{found:?}");
        // Three edges and the diagonals of the faces between them leave each corner.
        assert!(found.edge_crossings >= 6, "{found:?}");
        assert_eq!(found.inverted_tets, 0);
    }
}

#[test]
fn crossing_bars_have_crossings_and_no_vertex_inside() {
    let beam = Vec3::new(3.0, 0.3, 0.3);
    let moved = Vec3::new(0.03, 0.02, 0.01);
    let (positions, bodies) = blocks_of(1, beam, moved, BodyKind::Tets);
    let found = measured(&positions, &bodies);
    assert_eq!((found.penetrating_vertices, found.max_depth), (0, 0.0));
    // Four long edges and four diagonals along the beam, each into the block and out.
    assert!(found.edge_crossings >= 8, "{found:?}");
}

#[test]
fn vertices_agree_with_testing_all_against_all() {
    for step in 0..12 {
        let moved = Vec3::new(0.11, 0.07, 0.05) * f64::from(step);
        let (positions, bodies) = blocks(Vec3::new(1.3, 0.9, 0.8), moved, BodyKind::Tets);
        let expected = brute::overlaps(&positions, &bodies).vertices.len();
        assert_eq!(measured(&positions, &bodies).penetrating_vertices, expected, "{moved}");
    }
}

#[test]
fn a_tet_turned_inside_out_is_counted() {
    let (mut positions, bodies) = blocks(Vec3::ONE, 5.0 * Vec3::X, BodyKind::Tets);
    positions[0] = Vec3::splat(0.9);
    assert!(measured(&positions, &bodies).inverted_tets > 0);
}

/// All against all.
fn slow(positions: &[Vec3], bodies: &Bodies) -> Overlap {
    let overlaps = brute::overlaps(positions, bodies);
    let at = |v: VertexId| positions[v.index()];
    let depth_sq = |vertex: VertexId, body: BodyId| {
        let triangles = bodies.triangles()[bodies.triangles_of(body)].iter();
        let to =
            |t: &[VertexId; 3]| closest_point(at(vertex), t.map(at)).distance_squared(at(vertex));
        triangles.map(to).fold(f64::INFINITY, f64::min)
    };
    let mut max_sq = 0.0_f64;
    for vertex in &overlaps.vertices {
        let others = bodies.ids().filter(|body| *body != bodies.body_of(*vertex));
        let held = |body: &BodyId| brute::is_inside(at(*vertex), positions, bodies, *body);
        max_sq = others.filter(held).map(|body| depth_sq(*vertex, body)).fold(max_sq, f64::max);
    }
    let mut edge_crossings = 0;
    for (a, b) in bodies.ids().flat_map(|a| bodies.ids().map(move |b| (a, b))) {
        let triangles = &bodies.triangles()[bodies.triangles_of(b)];
        for edge in slow_edges(bodies, a).iter().filter(|_| a != b) {
            let passed = triangles.iter().filter(|t| slow_passes(edge.map(at), t.map(at)));
            edge_crossings += passed.count();
        }
    }
    let inverted = |tet: &&[VertexId; 4]| {
        let [v0, v1, v2, v3] = tet.map(at);
        orient3d(v0, v1, v2, v3) < 0.0
    };
    Overlap {
        penetrating_vertices: overlaps.vertices.len(),
        edge_crossings,
        max_depth: max_sq.sqrt(),
        inverted_tets: bodies.tets().iter().filter(inverted).count(),
        non_finite_bodies: 0,
    }
}

/// Edges of the triangles of a body, found by another way.
fn slow_edges(bodies: &Bodies, body: BodyId) -> Vec<[VertexId; 2]> {
    topology::edges(bodies.vertices(body).end, &bodies.triangles()[bodies.triangles_of(body)])
}

/// Both ends apart by the plane, and the line through the triangle: all five signs.
fn slow_passes([p, q]: [Vec3; 2], [a, b, c]: [Vec3; 3]) -> bool {
    let (from, to) = (orient3d(a, b, c, p), orient3d(a, b, c, q));
    let turns = [orient3d(p, q, a, b), orient3d(p, q, b, c), orient3d(p, q, c, a)];
    let one_way = turns.iter().all(|turn| *turn >= 0.0) || turns.iter().all(|turn| *turn <= 0.0);
    from != 0.0 && to != 0.0 && (from > 0.0) != (to > 0.0) && one_way
}

/// Five bodies of all kinds, each about its own origin.
fn assorted() -> (Vec<Vec3>, Bodies) {
    let make = |cells: [u32; 3], cut| TetMesh::from_raw(cuboid(cells, Vec3::ONE, cut).unwrap());
    let (a, b) =
        (make([2, 3, 2], TetSplit::Five).unwrap().0, make([3, 2, 2], TetSplit::Six).unwrap().0);
    let mut raw = a.clone().into_raw();
    (raw.triangles, raw.tets) = (a.surface().to_vec(), Vec::new());
    raw.regions.clear();
    let skin = Surface::from_raw(raw).unwrap().0;
    let net = [[VertexId(0), VertexId(1)], [VertexId(1), VertexId(2)]];
    let net_positions = [Vec3::ZERO, Vec3::X, Vec3::ONE];
    let meshes = [
        Mesh::Tets(&a),
        Mesh::Surface(&skin),
        Mesh::SpringNetwork(3, &net),
        Mesh::Tets(&b),
        Mesh::Tets(&a),
    ];
    let bodies = Bodies::from_meshes(&meshes).unwrap();
    let parts = [a.positions(), skin.positions(), &net_positions, b.positions(), a.positions()];
    (parts.concat(), bodies)
}

#[test]
fn random_scenes_agree_with_all_against_all_also_when_they_move() {
    let mut random = Random::new(19);
    let (rest, bodies) = assorted();
    let mut measure = Measure::new(&rest, &bodies);
    let mut seen = Overlap::default();
    for round in 0..12 {
        // Four rounds turned, four straight; in each of them vertices drift.
        let (mut places, mut turns) = (Vec::new(), Vec::new());
        for _ in bodies.ids() {
            places.push(0.5 * random.vec3());
            let turn = Quat::from_rotation_x(random.signed())
                * Quat::from_rotation_z(3.0 * random.signed());
            turns.push(if round % 8 < 4 { turn } else { Quat::IDENTITY });
        }
        let mut positions = rest.clone();
        for (vertex, position) in positions.iter_mut().enumerate() {
            let body = bodies.body_of(VertexId(vertex as u32)).index();
            *position = turns[body] * *position + places[body];
        }
        for drift in 0..4 {
            let expected = slow(&positions, &bodies);
            let found = measure.measure(&positions, &bodies);
            assert_eq!(found, expected, "{round} {drift}");
            seen.edge_crossings += found.edge_crossings;
            seen.inverted_tets += found.inverted_tets;
            seen.max_depth = seen.max_depth.max(found.max_depth);
            for position in &mut positions {
                *position += 0.1 * f64::from(drift) * random.vec3();
            }
        }
    }
    let enough = seen.edge_crossings > 1000 && seen.inverted_tets > 10 && seen.max_depth > 0.2;
    assert!(enough, "{seen:?}");
}

#[test]
fn blocks_on_one_floor_and_in_one_grid_agree_too() {
    // Faces in one plane, edges along each other, vertices on faces, edges and corners.
    for step in 0..27 {
        let part = |k: i32| f64::from(k % 3) * 0.25;
        let moved = Vec3::new(part(step), part(step / 3), part(step / 9));
        let (positions, bodies) = blocks(Vec3::ONE, moved, BodyKind::Tets);
        assert_eq!(measured(&positions, &bodies), slow(&positions, &bodies));
    }
}

#[test]
fn a_body_that_is_not_finite_is_counted_and_hides_no_other() {
    let mesh = TetMesh::from_raw(cuboid([2; 3], Vec3::ONE, TetSplit::Five).unwrap()).unwrap().0;
    let bodies = Bodies::from_meshes(&[Mesh::Tets(&mesh); 3]).unwrap();
    let by = [Vec3::ZERO, Vec3::splat(0.4), Vec3::splat(0.7)];
    let positions: Vec<Vec3> =
        by.iter().flat_map(|by| mesh.positions().iter().map(|p| *p + *by)).collect();
    let count = mesh.positions().len();
    let last_two = Bodies::from_meshes(&[Mesh::Tets(&mesh); 2]).unwrap();
    let expected = measured(&positions[count..], &last_two);
    assert!(expected.penetrating_vertices > 0);
    for bad in [f64::NAN, f64::INFINITY] {
        for vertex in [0, 1, count - 1] {
            let mut broken = positions.clone();
            broken[vertex].y = bad;
            let found = Measure::new(&positions, &bodies).measure(&broken, &bodies);
            assert_eq!(found, Overlap { non_finite_bodies: 1, ..expected }, "{bad} {vertex}");
            // Trees that were shaped by broken positions serve sound ones.
            let sound = Measure::new(&positions, &bodies).measure(&positions, &bodies);
            let mut measure = Measure::new(&broken, &bodies);
            assert_eq!(measure.measure(&positions, &bodies), sound, "{bad} {vertex}");
        }
    }
}
