//! Queries against every triangle of random scenes, and closed forms.

use super::boxes::triangle_meets_box;
use super::*;
use crate::body::Mesh;
use crate::body::fixtures::{self, tets};
use crate::body::keyframes::{Keyframe, Keyframes, Pose};
use crate::body::obstacle::{Cuboid, Plane, Revolved, Shape, SurfaceMaterial};
use crate::detect::union;
use crate::math::Quat;
use crate::math::random::Random;
use crate::mesh::closest::closest_point;
use crate::mesh::generate::ball::ball;
use crate::mesh::overlap::winding;
use crate::mesh::raw::RawMesh;
use crate::mesh::surface::Surface;
use crate::mesh::tet::TetMesh;

/// Sizes are about 1 m, distances a few.
const TOLERANCE: f64 = 1e-12;

const ANY: &dyn Fn(Target) -> bool = &|_| true;

/// Bodies of every kind, and where they are.
struct Scene {
    bodies: Bodies,
    /// Undeformed, m.
    rest: Vec<Vec3>,
    obstacles: Vec<Obstacle>,
}

fn cube(cells: u32, size: f64) -> TetMesh {
    tets(fixtures::cube(cells, size))
}

fn obstacle(shape: impl Shape + 'static, position: Vec3, rotation: Quat) -> Obstacle {
    let still = Keyframes::still(Pose { position, rotation }).unwrap();
    Obstacle::new(shape, still, SurfaceMaterial::default()).unwrap()
}

impl Scene {
    /// Two balls, a star and a cube of tets, a star's surface, a net and particles.
    fn new() -> Scene {
        let spiky = tets(fixtures::spiky(1));
        let skin = RawMesh {
            positions: spiky.positions().to_vec(),
            triangles: spiky.surface().to_vec(),
            ..RawMesh::default()
        };
        let skin = Surface::from_raw(skin).unwrap().0;
        let round = tets(ball(0.7, 3).unwrap());
        let cube = cube(2, 0.9);
        let net = [[0, 1], [1, 2], [2, 3]].map(|edge| edge.map(VertexId));
        let meshes = [
            Mesh::Tets(&round),
            Mesh::Tets(&spiky),
            Mesh::SpringNetwork(4, &net),
            Mesh::Surface(&skin),
            Mesh::Particles(3),
            Mesh::Tets(&cube),
            Mesh::Tets(&round),
        ];
        let mut random = Random::new(77);
        let mut loose = |count: usize| (0..count).map(|_| random.vec3()).collect::<Vec<_>>();
        let rest = [
            round.positions().to_vec(),
            spiky.positions().to_vec(),
            loose(4),
            skin.positions().to_vec(),
            loose(3),
            cube.positions().to_vec(),
            round.positions().to_vec(),
        ];
        let bodies = Bodies::from_meshes(&meshes).unwrap();
        Scene { bodies, rest: rest.concat(), obstacles: Vec::new() }
    }

    /// Every body turned and moved, and bent a little.
    fn place(&self, random: &mut Random) -> Vec<Vec3> {
        let mut positions = self.rest.clone();
        for body in self.bodies.ids() {
            let (turn, by) = (random.rotation(), 1.5 * random.vec3());
            for p in &mut positions[self.bodies.vertices(body)] {
                *p = turn * (*p + 0.1 * p.length_squared() * Vec3::X) + by;
            }
        }
        positions
    }

    fn at<'a>(&'a self, positions: &'a [Vec3]) -> QueryScene<'a> {
        let Scene { bodies, obstacles, .. } = self;
        QueryScene { positions, bodies, obstacles, time: 0.0 }
    }

    /// Whether a point is inside a body, by all its tets or triangles.
    fn holds(&self, positions: &[Vec3], body: BodyId, point: Vec3) -> bool {
        let bodies = &self.bodies;
        match bodies.kind(body) {
            BodyKind::Tets => {
                union::is_inside(point, positions, &bodies.tets()[bodies.tets_of(body)])
            }
            BodyKind::Surface => {
                winding(positions, &bodies.triangles()[bodies.triangles_of(body)], point) > 0
            }
            _ => false,
        }
    }
}

/// Distance and triangle of every hit, by Möller and Trumbore's formula, near ones first.
fn all_hits(
    scene: QueryScene<'_>,
    origin: Vec3,
    direction: Vec3,
    wanted: impl Fn(BodyId) -> bool,
) -> Vec<(f64, TriangleId)> {
    let mut hits = Vec::new();
    for body in scene.bodies.ids().filter(|&body| wanted(body)) {
        for index in scene.bodies.triangles_of(body) {
            let triangle = TriangleId(index as u32);
            let [a, b, c] = scene.bodies.corners(triangle, scene.positions);
            let (ab, ac, to) = (b - a, c - a, origin - a);
            let p = direction.cross(ac);
            let q = to.cross(ab);
            let det = ab.dot(p);
            let (v, w, distance) = (to.dot(p) / det, direction.dot(q) / det, ac.dot(q) / det);
            if v >= 0.0 && w >= 0.0 && v + w <= 1.0 && distance >= 0.0 {
                hits.push((distance, triangle));
            }
        }
    }
    hits.sort_by(|a, b| a.partial_cmp(b).unwrap());
    hits
}

/// What a hit on a body says of itself.
#[track_caller]
fn is_consistent(hit: &RayHit, scene: QueryScene<'_>, origin: Vec3, direction: Vec3) {
    let surface = hit.surface.unwrap();
    assert_eq!(hit.target, Target::Body(surface.body));
    let [a, b, c] = scene.bodies.corners(surface.triangle, scene.positions);
    let [u, v, w] = surface.weights;
    assert!((u * a + v * b + w * c).distance(hit.point) < TOLERANCE);
    assert!(hit.point.distance(origin + hit.distance * direction) < TOLERANCE);
    let normal = (b - a).cross(c - a).try_normalize().unwrap();
    assert!(hit.normal.distance(normal) < TOLERANCE);
}

#[test]
fn rays_hit_what_all_triangles_say() {
    let scene = Scene::new();
    let mut random = Random::new(1);
    let mut queries = Queries::new(&scene.bodies);
    let (mut count, mut passages) = (0, 0);
    for _ in 0..20 {
        let positions = scene.place(&mut random);
        queries.moved(&scene.bodies);
        let at = scene.at(&positions);
        let query = queries.query(at).unwrap();
        for round in 0..40 {
            // Towards the bodies, from outside and from among them.
            let origin = [0.5, 3.0][round as usize / 2 % 2] * random.vec3();
            let way = random.vec3() - origin;
            let direction = way.try_normalize().unwrap();
            let skipped = BodyId(round % 7);
            let filter = |target| target != Target::Body(skipped);
            let slow = all_hits(at, origin, direction, |body| body != skipped);
            let max_distance = if round % 2 == 0 { f64::INFINITY } else { 2.0 };
            let within: Vec<_> = slow.iter().filter(|hit| hit.0 <= max_distance).collect();
            let first = query.cast_ray(origin, way, max_distance, &filter).unwrap();
            assert_eq!(first.is_some(), !within.is_empty());
            if let Some(first) = first {
                is_consistent(&first, at, origin, direction);
                assert!((first.distance - within[0].0).abs() < TOLERANCE);
                assert_eq!(first.surface.unwrap().triangle, within[0].1);
                count += 1;
            }
            let all = query.cast_ray_all(origin, way, max_distance, &filter).unwrap();
            assert_eq!(all.len(), within.len());
            for (hit, slow) in all.iter().zip(within) {
                is_consistent(hit, at, origin, direction);
                assert!((hit.distance - slow.0).abs() < TOLERANCE);
            }
            passages += all.len();
        }
    }
    assert!(count > 100 && passages > 2 * count, "{count} {passages}");
}

#[test]
fn nearest_points_and_what_holds_them_agree_with_all_triangles() {
    let scene = Scene::new();
    let mut random = Random::new(2);
    let mut queries = Queries::new(&scene.bodies);
    let (mut inside, mut far) = (0, 0);
    for _ in 0..20 {
        let positions = scene.place(&mut random);
        queries.moved(&scene.bodies);
        let at = scene.at(&positions);
        let query = queries.query(at).unwrap();
        for round in 0..40 {
            let point = 2.0 * random.vec3();
            let skipped = BodyId(round % 7);
            let max_distance = if round % 2 == 0 { f64::INFINITY } else { 0.3 };
            let found = query.nearest_point(point, max_distance, &|b| b != skipped).unwrap();
            let others = scene.bodies.ids().filter(|&body| body != skipped);
            let triangles = others.flat_map(|body| scene.bodies.triangles_of(body));
            let slow = triangles.map(|index| {
                let corners = scene.bodies.corners(TriangleId(index as u32), &positions);
                closest_point(point, corners).distance(point)
            });
            let slow = slow.fold(f64::INFINITY, f64::min);
            assert_eq!(found.is_some(), slow <= max_distance);
            if let Some(PointHit { distance, surface }) = found {
                assert!((distance.abs() - slow).abs() < TOLERANCE);
                assert!((surface.point.distance(point) - slow).abs() < TOLERANCE);
                let holds = scene.holds(&positions, surface.body, point);
                assert_eq!(distance < 0.0, holds);
                inside += usize::from(holds);
            } else {
                far += 1;
            }
            let holders = scene.bodies.ids().filter(|&b| scene.holds(&positions, b, point));
            assert_eq!(query.bodies_at(point).unwrap(), holders.collect::<Vec<_>>());
        }
    }
    assert!(inside > 20 && far > 20, "{inside} {far}");
}

/// Whether a triangle and a box are not parted by any of 13 directions.
fn meets_slowly(triangle: [Vec3; 3], around: Aabb) -> bool {
    let (middle, half) = (0.5 * (around.min + around.max), 0.5 * around.size());
    let [a, b, c] = triangle.map(|corner| corner - middle);
    let edges = [b - a, c - b, a - c];
    let crossed = edges.iter().flat_map(|edge| Vec3::AXES.map(|axis| axis.cross(*edge)));
    let mut all = crossed.chain(Vec3::AXES).chain([edges[0].cross(edges[1])]);
    all.all(|axis| {
        let (p, reach) = ([a, b, c].map(|corner| corner.dot(axis)), half.dot(axis.abs()));
        let (least, most) = (p[0].min(p[1]).min(p[2]), p[0].max(p[1]).max(p[2]));
        least <= reach && most >= -reach
    })
}

#[test]
fn boxes_hold_what_all_triangles_say() {
    let scene = Scene::new();
    let mut random = Random::new(3);
    let mut queries = Queries::new(&scene.bodies);
    let mut counts = [0; 3];
    for _ in 0..20 {
        let positions = scene.place(&mut random);
        queries.moved(&scene.bodies);
        let query = queries.query(scene.at(&positions)).unwrap();
        for round in 0..40 {
            let (corner, size) = (1.2 * random.vec3(), random.point());
            let size = size * [0.02, 0.3, 2.0][round % 3];
            let around = Aabb { min: corner, max: corner + size };
            let reaches = |body: &BodyId| {
                let triangles = scene.bodies.triangles_of(*body);
                let mut corners =
                    triangles.map(|t| scene.bodies.corners(TriangleId(t as u32), &positions));
                let vertices = || &positions[scene.bodies.vertices(*body)];
                match scene.bodies.kind(*body) {
                    BodyKind::Particles => vertices().iter().any(|&p| around.contains(p)),
                    BodyKind::SpringNetwork => {
                        // An edge is a triangle with two corners at the same place.
                        vertices().windows(2).any(|e| meets_slowly([e[0], e[1], e[1]], around))
                    }
                    _ => {
                        corners.any(|corners| meets_slowly(corners, around))
                            || scene.holds(&positions, *body, corner)
                    }
                }
            };
            let slow: Vec<_> = scene.bodies.ids().filter(reaches).collect();
            assert_eq!(query.bodies_in(around).unwrap(), slow, "{around:?}");
            counts[round % 3] += slow.len();
        }
    }
    assert!(counts.iter().all(|&count| count > 20), "{counts:?}");
}

#[test]
fn triangles_and_boxes_touch_exactly() {
    let unit = Aabb { min: Vec3::ZERO, max: Vec3::ONE };
    let check = |triangle: [[f64; 3]; 3], expected: bool| {
        assert_eq!(triangle_meets_box(triangle.map(Vec3::from), unit), expected, "{triangle:?}");
    };
    // Cuts through, without a corner in the box or an edge through it: x + y + z = 1.5.
    check([[9.0, -9.0, 1.5], [-9.0, 9.0, 1.5], [9.0, 9.0, -16.5]], true);
    check([[9.0, -9.0, 3.5], [-9.0, 9.0, 3.5], [9.0, 9.0, -14.5]], false);
    check([[1.0, 1.0, 1.0], [2.0, 1.0, 1.0], [1.0, 2.0, 1.0]], true);
    let above = 1.0 + f64::EPSILON;
    check([[0.2, 0.2, above], [0.5, 0.2, above], [0.2, 0.5, above]], false);
    check([[0.2, 0.2, 1.0], [0.5, 0.2, 2.0], [0.2, 0.5, 2.0]], true);
    // Past a corner, though its box meets: x + y = 2.1 at z = 0.5.
    check([[2.1, 0.0, 0.5], [0.0, 2.1, 0.5], [2.1, 0.0, 0.6]], false);
    check([[2.0, 0.0, 0.5], [0.0, 2.0, 0.5], [2.0, 0.0, 0.6]], true);
    // A box that is a point, on the triangle and beside it.
    let point = |z: f64| Aabb { min: Vec3::splat(z), max: Vec3::splat(z) };
    let flat = [[0.0, 0.0, 0.25], [1.0, 0.0, 0.25], [0.0, 1.0, 0.25]].map(Vec3::from);
    assert!(triangle_meets_box(flat, point(0.25)) && !triangle_meets_box(flat, point(0.26)));
}

#[test]
fn a_cube_answers_as_a_cube() {
    // From −1 to 1, turned by 90° about z and 2 m up.
    let mesh = cube(3, 2.0);
    let bodies = Bodies::from_meshes(&[Mesh::Tets(&mesh)]).unwrap();
    let turn = Quat::from_rotation_z(std::f64::consts::FRAC_PI_2);
    let positions: Vec<_> = mesh.positions().iter().map(|&p| turn * p + 2.0 * Vec3::Z).collect();
    let queries = Queries::new(&bodies);
    let scene = QueryScene { positions: &positions, bodies: &bodies, obstacles: &[], time: 0.0 };
    let query = queries.query(scene).unwrap();
    let cast = |origin: [f64; 3], direction: Vec3, most: f64| {
        query.cast_ray(origin.into(), direction, most, ANY).unwrap()
    };
    let hit = cast([0.3, 0.4, 9.0], -2.0 * Vec3::Z, f64::INFINITY).unwrap();
    assert!((hit.distance - 6.0).abs() < TOLERANCE && hit.normal.distance(Vec3::Z) < TOLERANCE);
    // From within the normal still points out.
    let hit = cast([0.3, 0.4, 2.5], Vec3::Z, 1.0).unwrap();
    assert!((hit.distance - 0.5).abs() < TOLERANCE && hit.normal.distance(Vec3::Z) < TOLERANCE);
    assert!(cast([0.3, 0.4, 2.5], Vec3::Z, 0.4).is_none());
    assert!(cast([0.3, 1.4, 9.0], -Vec3::Z, f64::INFINITY).is_none());
    // Through a corner of the lattice each side counts once.
    let all = query.cast_ray_all(Vec3::new(0.0, 0.0, 9.0), -Vec3::Z, 99.0, ANY).unwrap();
    let distances: Vec<f64> = all.iter().map(|hit| hit.distance).collect();
    assert!(all.len() == 2 && (distances[0] - 6.0).abs() + (distances[1] - 8.0).abs() < TOLERANCE);
    let near = |point: [f64; 3]| {
        query.nearest_point(point.into(), f64::INFINITY, &|_| true).unwrap().unwrap().distance
    };
    assert!((near([0.1, 0.2, 4.0]) - 1.0).abs() < TOLERANCE);
    assert!((near([4.0, 5.0, 2.0]) - 5.0).abs() < TOLERANCE); // 3 and 4 m beyond an edge
    assert!((near([0.1, 0.7, 2.0]) + 0.3).abs() < TOLERANCE);
    assert_eq!(query.bodies_at(Vec3::new(0.0, 0.0, 2.0)).unwrap(), [BodyId(0)]);
    assert!(query.bodies_at(Vec3::ZERO).unwrap().is_empty());
    let within = Aabb { min: Vec3::new(0.1, 0.1, 1.9), max: Vec3::new(0.2, 0.2, 2.0) };
    assert_eq!(query.bodies_in(within).unwrap(), [BodyId(0)]);
    let all = Aabb { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY };
    assert_eq!(query.bodies_in(all).unwrap(), [BodyId(0)]);
    assert!(query.bodies_in(Aabb::EMPTY).unwrap().is_empty());
}

#[test]
fn obstacles_are_hit_where_their_formulas_say() {
    let bodies = Bodies::default();
    let mut random = Random::new(4);
    let queries = Queries::new(&bodies);
    let (mut on_sphere, mut on_plane, mut on_box) = (0, 0, 0);
    for _ in 0..500 {
        let (centre, turn) = (random.vec3(), random.rotation());
        let obstacles = [
            obstacle(Revolved::sphere(0.7).unwrap(), centre, turn),
            obstacle(Plane, centre, turn),
            obstacle(Cuboid::new(Vec3::new(0.5, 1.0, 1.5)).unwrap(), centre, turn),
        ];
        let scene =
            QueryScene { positions: &[], bodies: &bodies, obstacles: &obstacles, time: 0.0 };
        let query = queries.query(scene).unwrap();
        let origin = 3.0 * random.vec3();
        let direction = (centre + random.vec3() - origin).try_normalize().unwrap();
        let all_of = |number: u32| -> Vec<RayHit> {
            let filter = |target| target == Target::Obstacle(number);
            let first = query.cast_ray(origin, direction, 1e3, &filter).unwrap();
            let all = query.cast_ray_all(origin, direction, 1e3, &filter).unwrap();
            assert_eq!(first, all.first().copied());
            all
        };
        let check = |found: &[RayHit], expected: &[f64]| {
            assert_eq!(found.len(), expected.len(), "{found:?} {expected:?}");
            for (found, expected) in found.iter().zip(expected) {
                assert!((found.distance - expected).abs() < 1e-9, "{found:?} {expected}");
                let on_ray = origin + found.distance * direction;
                assert!(found.point.distance(on_ray) < TOLERANCE);
            }
        };
        // |origin + t direction − centre| = 0.7; not where the ray all but touches.
        let along = (centre - origin).dot(direction);
        let beside_sq = (centre - origin).length_squared() - along * along;
        let half = (0.49 - beside_sq).max(0.0).sqrt();
        if (beside_sq - 0.49).abs() > 1e-4 {
            let ahead = [along - half, along + half].into_iter();
            let ahead: Vec<f64> = ahead.filter(|&t| half > 0.0 && t >= 0.0).collect();
            check(&all_of(0), &ahead);
            on_sphere += ahead.len();
        }
        let normal = turn * Vec3::Z;
        let t = (centre - origin).dot(normal) / direction.dot(normal);
        if (0.0..1e3).contains(&t) {
            check(&all_of(1), &[t]);
            assert!(all_of(1)[0].normal.distance(normal) < TOLERANCE);
            on_plane += 1;
        } else if t < 0.0 {
            check(&all_of(1), &[]);
        }
        let (o, d) = (turn.inverse() * (origin - centre), turn.inverse() * direction);
        let (a, b) = ((-Vec3::new(0.25, 0.5, 0.75) - o) / d, (Vec3::new(0.25, 0.5, 0.75) - o) / d);
        let (enter, leave) = (a.min(b).max_element(), a.max(b).min_element());
        if (enter - leave).abs() > 1e-4 {
            let ahead = [enter, leave].into_iter();
            let ahead: Vec<f64> = ahead.filter(|&t| enter < leave && t >= 0.0).collect();
            check(&all_of(2), &ahead);
            on_box += ahead.len();
        }
    }
    assert!(on_sphere > 50 && on_plane > 100 && on_box > 50, "{on_sphere} {on_plane} {on_box}");
}

#[test]
fn a_ray_along_a_plane_meets_it_far_away() {
    let bodies = Bodies::default();
    let obstacles = [obstacle(Plane, Vec3::ZERO, Quat::IDENTITY)];
    let queries = Queries::new(&bodies);
    let scene = QueryScene { positions: &[], bodies: &bodies, obstacles: &obstacles, time: 0.0 };
    let query = queries.query(scene).unwrap();
    for slope in [1e-2, 1e-4, 1e-6] {
        let way = Vec3::new(1.0, 0.0, -slope);
        let hit = query.cast_ray(Vec3::Z, way, f64::INFINITY, ANY).unwrap().unwrap();
        assert!((hit.point.x * slope - 1.0).abs() < 1e-6, "{slope}: {hit:?}");
    }
    assert_eq!(query.cast_ray(Vec3::Z, Vec3::X, f64::INFINITY, ANY), Ok(None));
    assert_eq!(query.cast_ray(Vec3::Z, Vec3::new(1.0, 0.0, 1e-6), f64::INFINITY, ANY), Ok(None));
}

#[test]
fn the_nearer_of_body_and_obstacle_is_hit_at_its_time() {
    let mesh = cube(1, 2.0);
    let bodies = Bodies::from_meshes(&[Mesh::Tets(&mesh)]).unwrap();
    let frame = |time, z| Keyframe { time, position: z * Vec3::Z, rotation: Quat::IDENTITY };
    let falling = Keyframes::new(vec![frame(0.0, 3.0), frame(1.0, -3.0)]).unwrap();
    let ball = Revolved::sphere(0.5).unwrap();
    let obstacles = [Obstacle::new(ball, falling, SurfaceMaterial::default()).unwrap()];
    let queries = Queries::new(&bodies);
    for (time, expected, distance) in
        [(0.0, Target::Obstacle(0), 5.5), (1.0, Target::Body(BodyId(0)), 8.0)]
    {
        let positions = mesh.positions();
        let scene = QueryScene { positions, bodies: &bodies, obstacles: &obstacles, time };
        let query = queries.query(scene).unwrap();
        let hit = query.cast_ray(Vec3::new(0.0, 0.0, 9.0), -Vec3::Z, 99.0, ANY).unwrap().unwrap();
        assert_eq!(hit.target, expected);
        assert!((hit.distance - distance).abs() < TOLERANCE, "{hit:?}");
        assert!(hit.normal.distance(Vec3::Z) < TOLERANCE);
        let all = query.cast_ray_all(Vec3::new(0.0, 0.0, 9.0), -Vec3::Z, 99.0, ANY).unwrap();
        assert_eq!(all.len(), 4);
    }
}

#[test]
fn what_cannot_be_asked_is_named() {
    let mesh = cube(1, 2.0);
    let bodies = Bodies::from_meshes(&[Mesh::Tets(&mesh)]).unwrap();
    let queries = Queries::new(&bodies);
    let scene = |positions| QueryScene { positions, bodies: &bodies, obstacles: &[], time: 0.0 };
    let query = queries.query(scene(mesh.positions())).unwrap();
    let cast = |origin, direction, most| {
        let all = query.cast_ray_all(origin, direction, most, ANY).unwrap_err();
        let first = query.cast_ray(origin, direction, most, ANY).unwrap_err();
        assert_eq!(all.to_string(), first.to_string());
        first.to_string()
    };
    let nan = Vec3::new(0.0, f64::NAN, 0.0);
    assert_eq!(cast(nan, Vec3::X, 1.0), "origin is [0, NaN, 0]: it must be finite");
    let none = "direction is [0, 0, 0]: it must be finite and not zero";
    assert_eq!(cast(Vec3::X, Vec3::ZERO, 1.0), none);
    assert!(cast(Vec3::X, nan, 1.0).starts_with("direction is [0, NaN, 0]"));
    assert_eq!(cast(Vec3::X, Vec3::X, -1.0), "max_distance is -1: it must be at least 0");
    assert!(cast(Vec3::X, Vec3::X, f64::NAN).starts_with("max_distance is NaN"));
    let error = query.nearest_point(nan, 1.0, &|_| true).unwrap_err();
    assert_eq!(error.to_string(), "point is [0, NaN, 0]: it must be finite");
    assert!(query.nearest_point(Vec3::X, -1.0, &|_| true).is_err());
    assert!(query.bodies_at(nan).is_err());
    assert!(query.bodies_in(Aabb { min: nan, max: Vec3::X }).is_err());
    let few = queries.query(scene(&mesh.positions()[..3])).unwrap_err();
    assert_eq!(few.to_string(), "3 positions for bodies of 8 vertices");
    let timeless = QueryScene { time: f64::NAN, ..scene(mesh.positions()) };
    assert!(queries.query(timeless).is_err());
    let other = Queries::default().query(scene(mesh.positions())).unwrap_err();
    assert_eq!(other, QueryError::OtherBodies);
}

#[test]
fn a_body_that_is_nowhere_hides_no_other() {
    let mesh = cube(1, 2.0);
    let bodies = Bodies::from_meshes(&[Mesh::Tets(&mesh), Mesh::Tets(&mesh)]).unwrap();
    let mut queries = Queries::new(&bodies);
    let mut positions = [mesh.positions(), mesh.positions()].concat();
    for bad in [f64::NAN, f64::INFINITY] {
        positions[3].y = bad;
        queries.moved(&bodies);
        let scene =
            QueryScene { positions: &positions, bodies: &bodies, obstacles: &[], time: 0.0 };
        let query = queries.query(scene).unwrap();
        assert_eq!(query.non_finite(), [VertexId(3)]);
        let hit = query.cast_ray(Vec3::new(0.1, 0.2, 9.0), -Vec3::Z, 99.0, ANY).unwrap().unwrap();
        assert_eq!(hit.target, Target::Body(BodyId(1)));
        assert_eq!(query.bodies_at(Vec3::splat(0.1)).unwrap(), [BodyId(1)]);
        let around = Aabb { min: Vec3::ZERO, max: Vec3::ONE };
        assert_eq!(query.bodies_in(around).unwrap(), [BodyId(1)]);
        let near = query.nearest_point(Vec3::splat(5.0), f64::INFINITY, &|_| true).unwrap();
        assert_eq!(near.unwrap().surface.body, BodyId(1));
    }
    positions[3].y = mesh.positions()[3].y;
    queries.moved(&bodies);
    let scene = QueryScene { positions: &positions, bodies: &bodies, obstacles: &[], time: 0.0 };
    let found = queries.query(scene).unwrap().bodies_at(Vec3::splat(0.1)).unwrap();
    assert_eq!(found, [BodyId(0), BodyId(1)]);
}
