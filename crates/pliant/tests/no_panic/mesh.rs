//! Meshes: generators, checks, topology, normals, exact signs.

use pliant::id::VertexId;
use pliant::math::{Aabb, Vec2, Vec3};
use pliant::math::{orient2d, orient3d, outer_square, polar, powi, tet_volume};
use pliant::mesh::closest::closest_point;
use pliant::mesh::embed::embed;
use pliant::mesh::generate::assign_regions;
use pliant::mesh::generate::ball::ball;
use pliant::mesh::generate::cuboid::cuboid;
use pliant::mesh::generate::icosahedron::icosahedron;
use pliant::mesh::generate::l_block::{LBlockSettings, l_block};
use pliant::mesh::generate::lattice::TetSplit;
use pliant::mesh::generate::membrane::{MembraneSettings, membrane};
use pliant::mesh::generate::star::{StarSettings, star};
use pliant::mesh::generate::stuffing::{StuffingSettings, stuffed};
use pliant::mesh::generate::torus::{TorusSettings, torus};
use pliant::mesh::generate::tube::{TubeSettings, tube};
use pliant::mesh::intersect::segment_meets_triangle;
use pliant::mesh::normals::{Normals, corner_normals, face_normal, interpolate, vertex_normals};
use pliant::mesh::overlap::signed_volume;
use pliant::mesh::problems::{ProblemKind, surface_problems, tet_problems};
use pliant::mesh::quality::{dihedral_cosines, judge};
use pliant::mesh::raw::RawMesh;
use pliant::mesh::surface::Surface;
use pliant::mesh::tet::TetMesh;
use pliant::mesh::topology::{self, Csr, Groups};
use pliant::mesh::weld::{first_copies, weld};
use pliant::par;
use proptest::prelude::*;

use crate::{cells, config, count, index, matrix, mild, number, quaternion, vector, vectors};

/// Cells of a generator: few, or far too many.
fn many() -> impl Strategy<Value = u32> + Clone {
    prop_oneof![0..4_u32, Just(u32::MAX), Just(1 << 31)]
}

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn generators_make_a_mesh_or_refuse(
        (a, b, c) in (number(), number(), number()),
        [i, j, k] in [many(), many(), many()],
    ) {
        let _ = ball(a, i);
        let _ = icosahedron(a);
        for cut in [TetSplit::Five, TetSplit::Six] {
            let _ = cuboid([i, j, k], Vec3::new(a, b, c), cut);
            let _ = membrane(&MembraneSettings { size: [a, b], thickness: c, cells: [i, j], layers: k, cut });
            let settings = LBlockSettings { arms: [a, b], width: c, cells_along: [i, j], cells_across: k, cut };
            let _ = l_block(&settings);
            let _ = cut.tets();
        }
        let (outer_radius, inner_radius) = (a, b);
        let _ = star(&StarSettings { tips: i, outer_radius, inner_radius, thickness: c, cells: j, layers: k });
        let _ = torus(&TorusSettings { ring_radius: a, tube_radius: b, around: i, rings: j });
        let _ = tube(&TubeSettings { inner_radius, outer_radius, length: c, around: i, through: j, along: k });
    }

    #[test]
    fn meshes_are_checked(
        positions in vectors(9),
        tets in cells::<4>(6),
        triangles in cells::<3>(8),
        regions in prop::collection::vec(index(), 0..7),
    ) {
        let mut raw = RawMesh { positions, tets, regions, triangles, notices: Vec::new() };
        for problem in tet_problems(&raw).into_iter().chain(surface_problems(&raw)) {
            let _ = (problem.kind.severity().name(), problem.kind.name(), problem.kind.advice());
        }
        assign_regions(&mut raw, |middle| u32::from(middle.x > 0.0));
        let RawMesh { positions, tets, regions, triangles, .. } = raw.clone();
        let _ = judge(&positions, &tets).is_all_inverted();
        let _ = signed_volume(&positions, &triangles);
        let _ = (first_copies(&positions), weld(&positions, &triangles));
        for normals in Normals::ALL {
            let _ = normals.name();
            let _ = vertex_normals(&positions, &triangles, normals);
            let _ = corner_normals(&positions, &triangles, normals);
        }
        if let Ok((mesh, _)) = TetMesh::from_raw(raw.clone()) {
            let _ = (mesh.positions(), mesh.tets(), mesh.regions(), mesh.surface());
            let _ = (mesh.edges(), mesh.volume());
        }
        if let Ok((surface, _)) = Surface::from_raw(raw) {
            let _ = (surface.positions(), surface.triangles(), surface.volume());
        }
        let _ = TetMesh::new(positions, tets, regions);
    }

    #[test]
    fn topology_takes_any_cells(
        vertex_count in count(),
        tets in cells::<4>(6),
        triangles in cells::<3>(6),
        edges in cells::<2>(6),
        (a, b) in (index(), index()),
    ) {
        let _ = topology::boundary(vertex_count, &tets);
        let _ = topology::edges(vertex_count, &triangles);
        let _ = topology::parts(vertex_count, &tets);
        let _ = topology::cells_of_vertices(vertex_count, &tets);
        let rows = topology::neighbours(vertex_count, &edges);
        let _ = (rows.row(a as usize), rows.row(usize::MAX), rows.len(), rows.is_empty());
        let _ = rows.iter().count();
        let pairs: Vec<(u32, VertexId)> = edges.iter().map(|[a, b]| (a.0, *b)).collect();
        let mut rows = Csr::from_pairs(vertex_count, pairs.iter().copied());
        rows.refill(vertex_count, &pairs);
        let _ = rows.iter().count();
        let mut groups = Groups::new(vertex_count);
        groups.join(a, b);
        let _ = groups.root(a);
    }

    #[test]
    fn formulas_take_any_number(
        points in [vector(), vector(), vector(), vector(), vector()],
        turn in quaternion(),
        by in matrix(),
        (x, power) in (number(), any::<i32>()),
    ) {
        let [a, b, c, d, e] = points;
        let _ = (orient3d(a, b, c, d), tet_volume([a, b, c, d]), outer_square(a));
        let flat = |p: Vec3| Vec2::new(p.x, p.y);
        let _ = (orient2d(flat(a), flat(b), flat(c)), powi(x, power));
        let around = Aabb::around(points);
        let other = around.union(Aabb { min: a, max: b }).intersection(Aabb { min: c, max: d });
        let _ = (around.meets(other), other.contains(a), other.distance_sq(b), other.size());
        let _ = (polar::polar(by), polar::rotation(by), polar::direct::polar(by));
        let _ = polar::warm::rotation_from(by, turn);
        let _ = (face_normal([a, b, c]), dihedral_cosines([a, b, c, d]));
        let _ = interpolate([Some(a), Some(b), None], [x; 3]);
        let _ = interpolate([Some(a), Some(b), Some(c)], [x; 3]);
        let _ = closest_point(a, [b, c, d]);
        let _ = segment_meets_triangle([a, b], [c, d, e]);
    }

    #[test]
    fn chunks_never_leave_the_array(offsets in prop::collection::vec(count(), 0..5), size in 0..20_usize) {
        let mut array = vec![0; size];
        par::chunks(&mut array, &offsets, |_, piece| piece.iter_mut().for_each(|x| *x += 1));
        par::both(|| {}, || {});
        prop_assert!(array.iter().all(|x| *x <= 1));
    }
}

proptest! {
    #![proptest_config(config(15))]

    #[test]
    fn surfaces_are_filled_or_refused(
        positions in prop::collection::vec([mild(), mild(), mild()].prop_map(Vec3::from), 4),
        (size, scale) in (number(), mild()),
    ) {
        // A tet of any shape, which is closed whatever its corners are.
        let faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
        let triangles = faces.map(|face| face.map(VertexId)).to_vec();
        let raw = RawMesh { positions, triangles, ..RawMesh::default() };
        if let Ok((surface, _)) = Surface::from_raw(raw) {
            let _ = stuffed(&surface, StuffingSettings { size });
            let edge = libm::cbrt(surface.volume());
            let _ = stuffed(&surface, StuffingSettings { size: (0.1 + scale) * edge });
        }
    }
}

proptest! {
    #![proptest_config(config(50))]

    #[test]
    fn any_points_are_carried(points in vectors(6), corners in prop::collection::vec([mild(), mild(), mild()].prop_map(Vec3::from), 4)) {
        let raw = RawMesh { positions: corners, tets: vec![[0, 1, 2, 3].map(VertexId)], ..RawMesh::default() };
        let (ball, _) = TetMesh::from_raw(ball(1.0, 2).unwrap()).unwrap();
        for mesh in [Some(ball), TetMesh::from_raw(raw).ok().map(|(mesh, _)| mesh)].into_iter().flatten() {
            let carried = embed(&mesh, &points);
            prop_assert_eq!(carried.weights.len(), points.len());
            let _ = (carried.place(mesh.positions()), carried.place(&points), carried.place(&[]));
        }
    }
}

#[test]
fn problems_have_names() {
    for kind in ProblemKind::ALL {
        assert!(!kind.name().is_empty() && !kind.advice().is_empty());
        let _ = kind.severity().name();
    }
}
