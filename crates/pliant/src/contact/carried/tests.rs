use super::*;
use crate::body::Mesh;
use crate::body::keyframes::{Keyframes, Pose};
use crate::body::obstacle::planar::Plane;
use crate::body::obstacle::{Obstacle, SurfaceMaterial};
use crate::contact::search::{ContactQuery, ContactSettings, Search};
use crate::math::{Mat3, Quat};
use crate::mesh::embed::embed;
use crate::mesh::generate::ball::ball;
use crate::mesh::generate::cuboid::cuboid;
use crate::mesh::generate::lattice::TetSplit;
use crate::mesh::raw::RawMesh;
use crate::mesh::tet::TetMesh;

/// Sums of a dozen terms of size 1.
const ROUNDING: f64 = 1e-12;

fn coarse() -> TetMesh {
    TetMesh::from_raw(cuboid([2; 3], 2.0 * Vec3::ONE, TetSplit::Five).unwrap()).unwrap().0
}

/// The boundary of a finer ball, which is inside of the coarse block, or beyond it.
fn fine(radius: f64) -> Surface {
    let mesh = TetMesh::from_raw(ball(radius, 5).unwrap()).unwrap().0;
    let (positions, triangles) = (mesh.positions().to_vec(), mesh.surface().to_vec());
    Surface::from_raw(RawMesh { positions, triangles, ..RawMesh::default() }).unwrap().0
}

/// A cube, a coarse block with a ball in place of its boundary, another such.
struct Scene {
    rest: Vec<Vec3>,
    bodies: Bodies,
    surfaces: ContactSurfaces,
}

fn scene(radius: f64) -> Scene {
    let (cube, block, surface) = (coarse(), coarse(), fine(radius));
    let bodies = [Mesh::Tets(&cube), Mesh::Tets(&block), Mesh::Tets(&block)];
    let bodies = Bodies::from_meshes(&bodies).unwrap();
    let rest = [cube.positions(), block.positions(), block.positions()].concat();
    let embedding = embed(&block, surface.positions());
    let of = |body| ContactMesh { body: BodyId(body), surface: &surface, embedding: &embedding };
    let surfaces = ContactSurfaces::new(&rest, &bodies, &[of(1), of(2)]).unwrap();
    Scene { rest, bodies, surfaces }
}

/// Contacts of a scene with bodies moved by these, in vertices of the surfaces and of the scene.
fn found(scene: &mut Scene, moves: [Vec3; 3]) -> (Vec<Contact>, Vec<Contact>, Vec<Vec3>) {
    let mut positions = scene.rest.clone();
    for (body, shift) in scene.bodies.ids().zip(moves) {
        positions[scene.bodies.vertices(body)].iter_mut().for_each(|p| *p += shift);
    }
    let velocities = vec![Vec3::ZERO; positions.len()];
    let motion = StateView { positions: &positions, velocities: &velocities, time: 0.0 };
    scene.surfaces.update(motion);
    let (motion, bodies) = (scene.surfaces.motion(0.0), scene.surfaces.bodies());
    let below = Keyframes::still(Pose::at(-1.201 * Vec3::Z)).unwrap();
    let floor = [Obstacle::new(Plane, below, SurfaceMaterial::default()).unwrap()];
    let (settings, dt) = (ContactSettings::default(), 0.01);
    let query = ContactQuery { motion, bodies, obstacles: &floor, settings, dt };
    let mut search = Search::new(scene.surfaces.rest(), bodies).unwrap();
    let mut fine = Vec::new();
    search.find(query, &mut fine).unwrap();
    let mut carried = fine.clone();
    scene.surfaces.carry(&mut carried);
    (fine, carried, positions)
}

#[test]
fn contact_is_on_the_fine_surface_and_not_on_the_boundary_of_the_tets() {
    // Balls of radius 1.2 on blocks of half width 1: the balls touch at 2.4, the blocks would at 2.
    let mut scene = scene(1.2);
    let far = Vec3::new(0.0, 9.0, 9.0);
    let (_, touching, _) = found(&mut scene, [far, 9.0 * Vec3::Z, 9.0 * Vec3::Z + 2.401 * Vec3::X]);
    assert!(touching.iter().any(|contact| contact.bodies == (BodyId(1), Some(BodyId(2)))));
    let (_, apart, _) = found(&mut scene, [far, 9.0 * Vec3::Z, 9.0 * Vec3::Z + 2.5 * Vec3::X]);
    assert!(apart.is_empty(), "{apart:?}");
}

#[test]
fn rows_say_the_same_in_the_vertices_of_the_scene() {
    let mut scene = scene(1.2);
    // The cube beside the first ball, which is on the second and just above the floor.
    let moves = [2.19 * Vec3::Y, Vec3::ZERO, 2.399 * Vec3::X];
    let (fine, carried, positions) = found(&mut scene, moves);
    let places = scene.surfaces.place(&positions);
    let mut kinds = [0; 3];
    for (fine, carried) in fine.iter().zip(&carried) {
        let kind = match (carried.bodies.1, carried.second) {
            (None, _) => 0,
            (_, Some(_))
                if carried.bodies.0 == BodyId(0) || carried.bodies.1 == Some(BodyId(0)) =>
            {
                1
            }
            _ => 2,
        };
        kinds[kind] += 1;
        assert_eq!(
            (fine.feature, fine.gap, fine.normal),
            (carried.feature, carried.gap, carried.normal)
        );
        for sign in [1.0, -1.0] {
            let (before, after) = (fine.place(sign, &places), carried.place(sign, &positions));
            assert!(before.distance(after) < ROUNDING, "{before} {after}");
            let sum: f64 = carried.side(sign).map(|(_, weight)| sign * weight).sum();
            let expected = if sign < 0.0 && carried.bodies.1.is_none() { 0.0 } else { 1.0 };
            assert!((sum - expected).abs() < ROUNDING, "{carried:?}");
        }
        let bodies = [Some(carried.bodies.0), carried.bodies.1];
        for (sign, body) in [1.0, -1.0].into_iter().zip(bodies) {
            assert!(carried.side(sign).all(|(v, _)| Some(scene.bodies.body_of(v)) == body));
        }
    }
    assert!(kinds.iter().all(|count| *count > 0), "{kinds:?}");
    assert!(
        carried.iter().any(|contact| contact.weights[..contact.count].iter().any(|w| *w < 0.0))
    );
}

#[test]
fn points_follow_affine_motion_whichever_tet_carries_them() {
    let scene = scene(0.9);
    let map = |p: Vec3| {
        Mat3::from_quat(Quat::from_rotation_x(0.4)) * Vec3::new(1.5 * p.x, p.y + p.z, 0.8 * p.z)
    };
    let moved: Vec<Vec3> = scene.rest.iter().map(|p| map(*p)).collect();
    let (mut most, surfaces) = (0, &scene.surfaces);
    for triangle in surfaces.bodies().triangles_of(BodyId(2)) {
        let corners = surfaces.bodies().triangles()[triangle];
        let terms = corners.into_iter().zip([0.2, 0.3, 0.5]);
        let (vertices, weights) = surfaces.point(terms.clone()).unwrap();
        let at_rest: Vec3 = terms.clone().map(|(v, share)| share * at(surfaces.rest(), v)).sum();
        let found: Vec3 = vertices.iter().zip(weights).map(|(v, w)| w * at(&moved, *v)).sum();
        assert!(found.distance(map(at_rest)) < ROUNDING);
        let mut all: Vec<_> = corners.iter().flat_map(|v| surfaces.carried[v.index()].0).collect();
        all.sort_unstable();
        all.dedup();
        most = most.max(all.len());
    }
    assert!(most > 4, "no triangle needs more than one tet");
}

#[test]
fn a_corner_that_carries_itself_is_itself() {
    let scene = scene(1.2);
    let ([first, ..], weights) = scene.surfaces.point([(VertexId(3), 1.0)].into_iter()).unwrap();
    assert_eq!((first, weights), (VertexId(3), [1.0, 0.0, 0.0, 0.0]));
    assert_eq!(scene.surfaces.point(std::iter::empty()), None);
}

#[test]
fn what_does_not_fit_is_named() {
    let (block, surface) = (coarse(), fine(1.0));
    let bodies = Bodies::from_meshes(&[Mesh::Tets(&block), Mesh::Particles(3)]).unwrap();
    let mut rest = block.positions().to_vec();
    rest.extend([Vec3::ZERO; 3]);
    let embedding = embed(&block, surface.positions());
    let mesh = ContactMesh { body: BodyId(0), surface: &surface, embedding: &embedding };
    let refused = |meshes: &[ContactMesh<'_>]| {
        ContactSurfaces::new(&rest, &bodies, meshes).unwrap_err().to_string()
    };
    let no_tets = ContactMesh { body: BodyId(1), ..mesh };
    assert_eq!(refused(&[no_tets]), "body 1 has no tets that could carry a surface");
    assert!(refused(&[ContactMesh { body: BodyId(7), ..mesh }]).contains("body 7 has no tets"));
    assert!(refused(&[mesh, mesh]).contains("must ascend"));
    let short = Embedding { carriers: embedding.carriers[1..].to_vec(), ..embedding.clone() };
    let found = refused(&[ContactMesh { embedding: &short, ..mesh }]);
    assert_eq!(found, "body 0 carries 560 vertices of a surface with 561");
    let mut wild = embedding.clone();
    wild.carriers[5][2] = VertexId(99);
    let found = refused(&[ContactMesh { embedding: &wild, ..mesh }]);
    assert_eq!(found, "a surface of body 0 names its vertex 99, the body has 27");
    assert!(ContactSurfaces::new(&rest[1..], &bodies, &[mesh]).is_err());
}
