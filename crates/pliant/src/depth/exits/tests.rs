//! Exits against closed forms and against every triangle.

use super::*;
use crate::body::fixtures::{bodies_of, cube, spiky};
use crate::depth::{DepthSettings, Scope, penetrations};
use crate::id::VertexId;
use crate::math::random::Random;
use crate::mesh::generate::ball::ball;
use crate::mesh::raw::RawMesh;

/// Sizes are about 1 m.
const TOLERANCE: f64 = 1e-12;

/// Holds for every exit: weights and point agree, and the point is on the named triangle.
#[track_caller]
fn is_consistent(exit: &SurfacePoint, positions: &[Vec3], bodies: &Bodies) {
    let [a, b, c] = bodies.triangles()[exit.triangle.index()].map(|v| positions[v.index()]);
    let [u, v, w] = exit.weights;
    assert!(u >= 0.0 && v >= 0.0 && w >= 0.0, "{exit:?}");
    assert!((u + v + w - 1.0).abs() < 4.0 * f64::EPSILON, "{exit:?}");
    assert!((u * a + v * b + w * c).distance(exit.point) < TOLERANCE, "{exit:?}");
    assert!(bodies.triangles_of(exit.body).contains(&exit.triangle.index()), "{exit:?}");
}

/// Distance of the exit by testing every triangle, m; whether a ray found it.
///
/// Möller and Trumbore's formula, not the one of the search.
fn slow(positions: &[Vec3], bodies: &Bodies, into: &[BodyId], resolved: &Resolved) -> Option<f64> {
    let start = positions[resolved.vertex.index()];
    let direction = resolved.penetration.direction;
    let first_of = |body: &BodyId| {
        let leaving = bodies.triangles_of(*body).filter_map(|index| {
            let [a, b, c] = bodies.triangles()[index].map(|v| positions[v.index()]);
            let (ab, ac) = (b - a, c - a);
            let along = ab.cross(ac).dot(direction);
            let to = a - start;
            let (v, w) = (to.cross(ac).dot(direction) / along, ab.cross(to).dot(direction) / along);
            let distance = to.dot(ab.cross(ac)) / along;
            // Around a: −v and −w, as `to` leads from the start to the corner.
            let inside = -v >= -1e-9 && -w >= -1e-9 && -v - w <= 1.0 + 1e-9;
            (along > 0.0 && inside && distance >= -TOLERANCE).then_some(distance)
        });
        leaving.min_by(f64::total_cmp)
    };
    into.iter().filter_map(first_of).max_by(f64::total_cmp)
}

/// Compares all exits of moving bodies with the reference; returns how many there were.
#[track_caller]
fn check(shapes: &[RawMesh], scope: Scope, seed: u64) -> usize {
    let bodies = bodies_of(shapes);
    let mut random = Random::new(seed);
    let (mut search, mut found) = (ExitSearch::new(), Vec::new());
    let settings = DepthSettings { scope, ..DepthSettings::default() };
    let (mut count, mut by_ray) = (0, 0);
    for step in 0..8 {
        let place = |shape: &RawMesh| {
            let (turn, by) = (random.rotation(), 0.6 * random.vec3());
            shape.positions.iter().map(move |&p| turn * p + by).collect::<Vec<_>>()
        };
        let positions: Vec<Vec3> = shapes.iter().flat_map(place).collect();
        let depths = penetrations(&positions, &bodies, settings).unwrap();
        search.set_threads([0, 1, 2, 3, usize::MAX][step % 5]);
        search.exits(&positions, &bodies, &depths, &mut found);
        assert_eq!(found, exits(&positions, &bodies, &depths), "threads and memory");
        assert_eq!(found.len(), depths.resolved.len());
        for (exit, resolved) in found.iter().zip(&depths.resolved) {
            let exit = exit.unwrap();
            is_consistent(&exit, &positions, &bodies);
            let into = depths.bodies(resolved.into);
            assert!(into.contains(&exit.body));
            count += 1;
            let start = positions[resolved.vertex.index()];
            let Penetration { depth, direction } = resolved.penetration;
            match slow(&positions, &bodies, into, resolved) {
                Some(distance) if depth >= 0.0 => {
                    let expected = start + distance * direction;
                    assert!(exit.point.distance(expected) < TOLERANCE, "{exit:?} {expected}");
                    by_ray += 1;
                }
                _ => {
                    let target = start + depth * direction;
                    let all = into.iter().flat_map(|&body| bodies.triangles_of(body));
                    let near = all.map(|index| {
                        let corners = bodies.corners(TriangleId(index as u32), &positions);
                        closest_point(target, corners).distance(target)
                    });
                    let nearest = near.fold(f64::INFINITY, f64::min);
                    assert!((exit.point.distance(target) - nearest).abs() < TOLERANCE);
                }
            }
        }
    }
    assert!(10 * by_ray > 9 * count, "{by_ray} of {count}");
    count
}

#[test]
fn random_poses_agree_with_the_reference() {
    let shapes = [ball(0.8, 3).unwrap(), cube(3, 1.2), spiky(2), cube(2, 1.0)];
    for (scope, seed) in [(Scope::Scene, 1), (Scope::Pairs, 2)] {
        let count = check(&shapes, scope, seed);
        assert!(count > 500, "{count}");
    }
}

#[test]
fn a_cube_in_a_cube_leaves_through_the_face_above() {
    // The lower half of the small cube is in the top of the large one.
    let shapes = [cube(4, 2.0), cube(2, 0.5)];
    let bodies = bodies_of(&shapes);
    let mut random = Random::new(3);
    for _ in 0..20 {
        let (turn, by) = (random.rotation(), random.vec3());
        let small = |&p: &Vec3| turn * (p + Vec3::new(0.11, 0.07, 1.05)) + by;
        let large = shapes[0].positions.iter().map(|&p| turn * p + by);
        let positions: Vec<_> = large.chain(shapes[1].positions.iter().map(small)).collect();
        let settings =
            DepthSettings { normals: crate::mesh::normals::Normals::Face, ..Default::default() };
        let depths = penetrations(&positions, &bodies, settings).unwrap();
        let found = exits(&positions, &bodies, &depths);
        let small = bodies.vertices(BodyId(1)).start;
        let of_small = found.iter().zip(&depths.resolved);
        let of_small: Vec<_> = of_small.filter(|pair| pair.1.vertex.index() >= small).collect();
        assert_eq!(of_small.len(), 9); // 0.2 m below the top
        for (exit, resolved) in of_small {
            let exit = exit.unwrap();
            is_consistent(&exit, &positions, &bodies);
            let above = positions[resolved.vertex.index()] + 0.2 * (turn * Vec3::Z);
            assert!(exit.point.distance(above) < TOLERANCE, "{exit:?} {above}");
            assert_eq!(exit.body, BodyId(0));
        }
    }
}

#[test]
fn out_of_a_ball_every_direction_leads_to_its_surface() {
    let shapes = [ball(1.0, 6).unwrap(), cube(1, 0.1)];
    let bodies = bodies_of(&shapes);
    let mut random = Random::new(8);
    let mut positions: Vec<_> = shapes.iter().flat_map(|s| s.positions.clone()).collect();
    let first = bodies.vertices(BodyId(1)).start;
    for _ in 0..100 {
        let (start, direction) = (0.3 * random.vec3(), random.vec3().try_normalize().unwrap());
        positions[first] = start;
        // The point of the unit sphere: |start + t direction| = 1.
        let along = start.dot(direction);
        let t = -along + (along * along + 1.0 - start.length_squared()).sqrt();
        let mut depths = Penetrations::default();
        let into = depths.keep(&[BodyId(0)]);
        let penetration = Penetration { depth: t, direction };
        let vertex = VertexId(first as u32);
        depths.resolved.push(Resolved { vertex, into, ring: 0, penetration });
        let exit = exits(&positions, &bodies, &depths)[0].unwrap();
        is_consistent(&exit, &positions, &bodies);
        // Flat triangles with edges of about 0.2 m are up to 0.01 m below the sphere.
        let exact = start + t * direction;
        assert!(exit.point.distance(exact) < 0.02, "{exit:?} {exact}");
        let off_ray = (exit.point - start).cross(direction).length();
        assert!(off_ray < TOLERANCE, "{off_ray}");
    }
}

#[test]
fn negative_depths_and_missed_surfaces_take_the_nearest_triangle() {
    let shapes = [cube(1, 2.0), cube(1, 0.1)];
    let bodies = bodies_of(&shapes);
    let mut positions: Vec<_> = shapes.iter().flat_map(|s| s.positions.clone()).collect();
    let first = bodies.vertices(BodyId(1)).start;
    let mut exit_of = |start: Vec3, depth: f64, direction: Vec3| {
        positions[first] = start;
        let mut depths = Penetrations::default();
        let into = depths.keep(&[BodyId(0)]);
        let penetration = Penetration { depth, direction };
        let vertex = VertexId(first as u32);
        depths.resolved.push(Resolved { vertex, into, ring: 0, penetration });
        exits(&positions, &bodies, &depths)[0].unwrap().point
    };
    // 0.1 m below the top, and 0.2 m back along x.
    let found = exit_of(Vec3::new(0.3, 0.2, 0.9), -0.2, Vec3::X);
    assert!(found.distance(Vec3::new(0.1, 0.2, 1.0)) < TOLERANCE, "{found}");
    // A vertex outside has no way out ahead.
    let found = exit_of(Vec3::new(0.3, 0.2, 1.5), 0.2, Vec3::Z);
    assert!(found.distance(Vec3::new(0.3, 0.2, 1.0)) < TOLERANCE, "{found}");
    // On the surface, or a rounding below it: there, not at the far side.
    for below in [0.0, 1e-16, -1e-16] {
        let found = exit_of(Vec3::new(0.3, 0.2, 1.0 - below), 0.0, Vec3::new(0.6, 0.0, 0.8));
        assert!(found.distance(Vec3::new(0.3, 0.2, 1.0)) < TOLERANCE, "{found}");
    }
}

#[test]
fn penetrations_of_another_scene_have_no_exit_and_no_panic() {
    let bodies = bodies_of(&[cube(1, 2.0)]);
    let positions = cube(1, 2.0).positions;
    let mut depths = Penetrations::default();
    let into = depths.keep(&[BodyId(7)]);
    let penetration = Penetration { depth: 1.0, direction: Vec3::X };
    for vertex in [VertexId(0), VertexId(99)] {
        depths.resolved.push(Resolved { vertex, into, ring: 0, penetration });
    }
    assert_eq!(exits(&positions, &bodies, &depths), [None; 2]);
    assert_eq!(exits(&positions[..3], &bodies, &depths), [None; 2]);
}
