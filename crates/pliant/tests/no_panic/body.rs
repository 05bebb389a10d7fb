//! Bodies: topology, rigid bodies, pins, obstacles, keyframes.

use pliant::body::keyframes::{Keyframe, Keyframes, Pose};
use pliant::body::obstacle::path::Waypoint;
use pliant::body::obstacle::{
    Combined, Cuboid, Grid, GridSettings, Obstacle, Part, Plane, Revolved, Shape, SurfaceMaterial,
};
use pliant::body::pins::{self, PinPath, Pins};
use pliant::body::rigid::all::{RigidBodySet, balanced_masses, balanced_masses_in_plane};
use pliant::body::rigid::mass::MassProperties;
use pliant::body::rigid::{RigidState, RigidTemplate};
use pliant::body::soft::{Masses, State, area_shares};
use pliant::body::{Bodies, Mesh};
use pliant::choice::from_name;
use pliant::id::{BodyId, PartId, TetId, TriangleId, VertexId};
use pliant::math::{Aabb, Vec2, Vec3};
use pliant::mesh::raw::RawMesh;
use pliant::mesh::surface::Surface;
use proptest::prelude::*;

use crate::{
    Scene, block, body, cells, config, count, matrix, mild, number, quaternion, vector, vectors,
    vertex,
};

/// A rigid body of any points, where its constructor takes them.
fn rigid() -> impl Strategy<Value = Option<(RigidTemplate, RigidState)>> {
    (vectors(6), mild(), vector(), matrix(), any::<bool>()).prop_map(
        |(points, mass, centre, inertia, round)| {
            let inertia = if round { pliant::math::Mat3::IDENTITY } else { inertia };
            let properties = MassProperties::new(mass, centre, inertia).ok()?;
            RigidTemplate::new(&points, properties).ok()
        },
    )
}

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn bodies_are_made_of_what_exists(
        (a, b) in (count(), count()),
        tets in cells::<4>(4),
        edges in cells::<2>(4),
        rings in prop::collection::vec(prop::collection::vec(vertex(), 0..4), 0..3),
        (id, of) in (body(), vertex()),
    ) {
        let meshes = [
            Bodies::from_tets(&[(a, &tets[..]), (b, &tets[..])]),
            Bodies::of_particles([a, b]),
            Bodies::from_meshes(&[Mesh::SpringNetwork(a, &edges), Mesh::Particles(b)]),
            Bodies::from_meshes(&[Mesh::Outline(a, &rings), Mesh::Tets(&block())]),
            Ok(Bodies::default()),
        ];
        for bodies in meshes.into_iter().flatten() {
            let _ = (bodies.len(), bodies.is_empty(), bodies.vertex_count(), bodies.ids().count());
            let _ = (bodies.kind(id).has_surface(), bodies.vertices(id), bodies.tets_of(id));
            let _ = (bodies.triangles_of(id), bodies.body_of(of), bodies.rings(id));
            let _ = (bodies.takes_part(id, of.index()), bodies.takes_part(id, usize::MAX));
            let _ = (bodies.tets(), bodies.triangles(), bodies.neighbours(), bodies.triangles_around());
            let _ = (bodies.offsets().locate(of.index()), bodies.offsets().locate(usize::MAX));
        }
        let _ = (of.index(), id.index(), TetId(of.0).index(), TriangleId(of.0).index(), PartId(of.0).index());
    }

    #[test]
    fn pins_hold_what_exists(
        positions in vectors(8),
        list in prop::collection::vec(vertex(), 0..5),
        (point, normal, distance) in (vector(), vector(), number()),
        (time, pin) in (number(), count()),
    ) {
        let known = list.iter().all(|v| v.index() < positions.len());
        let made = Pins::still(&list, &positions);
        prop_assert_eq!(made.is_ok(), known);
        let mut pins = made.unwrap_or_default();
        let _ = pins.add_still(&list, &positions);
        if let Ok(motion) = Keyframes::still(Pose { position: point, ..Pose::IDENTITY }) {
            let _ = pins.add_moving(&list, &positions, PinPath { motion, pivot: normal });
        }
        let _ = (pins.vertices(), pins.place(pin, time), pins.velocity(pin, time));
        let (mut places, mut velocities) = (positions.clone(), vec![Vec3::ZERO; 2]);
        pins.hold(time, &mut places, &mut velocities);
        if let Ok(plane) = pins::Plane::new(point, normal) {
            let _ = plane.height(normal);
            let _ = (pins::beyond(&positions, plane), pins::near(&positions, plane, distance));
        }
        let _ = pins::in_box(&positions, Aabb { min: point, max: normal });
    }

    #[test]
    fn keyframes_and_obstacles_take_any_number(
        frames in prop::collection::vec((mild(), vector(), quaternion()), 0..4),
        (size, time, point) in (vector(), number(), vector()),
        (friction, restitution) in (number(), number()),
        (from, to) in ((vector(), number()), (vector(), number())),
    ) {
        let all = frames.into_iter();
        let all = all.map(|(time, position, rotation)| Keyframe { time, position, rotation });
        let motion = Keyframes::new(all.collect());
        let still = Keyframes::still(Pose::IDENTITY).unwrap();
        let motion = motion.unwrap_or(still);
        let pose = motion.pose(time);
        let _ = (pose.world_from_body(point), pose.body_from_world(point), Pose::along(point, size));
        let _ = Pose::at(point);
        let _ = (motion.is_still(), motion.velocity_at(time, point));
        let material = SurfaceMaterial { friction, restitution };
        let mut obstacles = vec![Obstacle::new(Plane, motion.clone(), material)];
        let sound = friction >= 0.0 && friction.is_finite() && (0.0..=1.0).contains(&restitution);
        prop_assert_eq!(obstacles[0].is_ok(), sound);
        let round = [
            Revolved::sphere(size.x),
            Revolved::cylinder(size.y),
            Revolved::finite_cylinder(size.x, size.y),
            Revolved::capsule(size.y, size.z),
            Revolved::torus(size.x, size.z),
        ];
        let material = SurfaceMaterial { friction: 0.5, restitution: 0.0 };
        for shape in round.into_iter().flatten() {
            let parts = || vec![Part::new(shape, pose), Part::new(Plane, Pose::IDENTITY)];
            for combined in [Combined::union(parts()), Combined::intersection(parts())] {
                obstacles.push(combined.and_then(|c| Obstacle::new(c, motion.clone(), material)));
            }
            obstacles.push(Obstacle::new(shape, motion.clone(), material));
        }
        let _ = (Combined::union(Vec::new()), Combined::intersection(Vec::new()));
        if let Ok(shape) = Cuboid::new(size) {
            let _ = (shape.accuracy(), shape.lipschitz());
            obstacles.push(Obstacle::new(shape, motion, material));
        }
        for obstacle in obstacles.into_iter().flatten() {
            let _ = (obstacle.shape(), obstacle.motion(), obstacle.material());
            let posed = obstacle.at(time);
            let _ = (posed.distance(point), posed.gradient(point), posed.hessian(point));
            let _ = (posed.normal(point), obstacle.velocity_at(time, point));
            let way = [from, to].map(|(position, time)| Waypoint { position, time });
            let _ = obstacle.blocks(way[0], way[1]);
        }
    }

    #[test]
    fn grids_are_no_finer_than_memory(spacing in number(), margin in number(), point in vector()) {
        let mesh = block();
        let (positions, triangles) = (mesh.positions().to_vec(), mesh.surface().to_vec());
        let raw = RawMesh { positions, triangles, ..RawMesh::default() };
        let surface = Surface::from_raw(raw).unwrap().0;
        let spacing = if spacing.abs() < 0.1 { 0.0 } else { spacing };
        if let Ok(grid) = Grid::new(&surface, GridSettings { spacing, margin }) {
            let _ = (grid.bounds(), grid.counts(), grid.distance(point), grid.gradient(point));
        }
    }

    #[test]
    fn rigid_bodies_take_any_number(
        made in rigid(),
        (points, masses) in (vectors(6), prop::collection::vec(number(), 0..7)),
        (at, impulse) in (vector(), vector()),
        (density, tets, triangles) in (number(), cells::<4>(3), cells::<3>(3)),
    ) {
        let _ = MassProperties::from_points(&points, &masses).map(|p| p.with_mass(density));
        let _ = MassProperties::from_surface(&points, &triangles, density);
        let _ = MassProperties::from_tets(&points, &tets, density);
        let _ = area_shares(&points, &triangles);
        let ring: Vec<Vec2> = points.iter().map(|p| Vec2::new(p.x, p.y)).collect();
        if let Ok(properties) = MassProperties::from_rings(&[ring, Vec::new()], density) {
            let _ = RigidTemplate::in_plane(&points, properties);
        }
        let Some((body, mut state)) = made else { return Ok(()) };
        let _ = (balanced_masses(&body, &masses), balanced_masses_in_plane(&body, &masses));
        state.push(&body, at, impulse);
        state.twist(&body, impulse);
        let _ = (state.numbers(), state.inertia(&body), state.inverse_inertia(&body));
        let _ = (state.point(at), state.body_point(at), state.velocity_at(at));
        let _ = (state.kinetic(&body), state.angular_momentum(&body), state.mobility(&body, at));
        let (mut places, mut velocities) = (points.clone(), vec![Vec3::ZERO; 2]);
        state.write(&body, &mut places, &mut velocities);
    }

    #[test]
    fn sets_of_rigid_bodies_fit_their_scene(
        made in rigid(),
        (a, b, id) in (body(), body(), body()),
        count in count(),
        list in prop::collection::vec(vertex(), 0..4),
        with_state in any::<bool>(),
    ) {
        let scene = Scene::new();
        let Some((odd, state)) = made else { return Ok(()) };
        let (block, at) = solid(&scene);
        let sets = [
            RigidBodySet::new(vec![(a, odd.clone()), (b, block.clone())], scene.bodies.offsets(), count),
            RigidBodySet::new(vec![(id, RigidTemplate { points: Vec::new(), ..odd })], scene.bodies.offsets(), 16),
            RigidBodySet::new(vec![(BodyId(1), block)], scene.bodies.offsets(), 16),
        ];
        for mut set in sets.into_iter().flatten() {
            let _ = (set.is_empty(), set.entries(), set.index(id), set.group(id), set.attached());
            let mut everything = scene.state();
            everything.rigids = if with_state { vec![at] } else { vec![state, state] };
            let (masses, pins) = (&scene.masses, Pins::default());
            let _ = (set.kinetic(&everything, masses), set.angular_momentum(&everything, masses, Vec3::ZERO));
            let few = Masses::new(vec![1.0; 3]).unwrap();
            let _ = (set.kinetic(&everything, &few), set.angular_momentum(&State::default(), &few, Vec3::ONE));
            let _ = set.attach(id, &list, masses, &pins, &mut everything);
            let _ = set.attach(BodyId(1), &list, masses, &pins, &mut everything);
            let _ = set.attached_pairs();
            set.write(&mut everything);
            set.write(&mut State::default());
        }
    }

    #[test]
    fn masses_and_states_take_any_size(
        positions in vectors(6),
        masses in prop::collection::vec(mild(), 0..6),
        tets in cells::<4>(3),
        (density, about) in (number(), vector()),
    ) {
        let _ = Masses::of_tets(&positions, &tets, |_| density);
        let masses = Masses::new(masses).unwrap_or_default();
        let _ = (masses.of(), masses.total());
        let state = State::at_rest(positions);
        let mut copy = State::default();
        copy.copy_from(&state);
        let _ = (state.motion(), state.kinetic(&masses), state.momentum(&masses), state.centre(&masses));
        let _ = state.angular_momentum(&masses, about);
    }
}

/// The second block as a rigid body.
pub fn solid(scene: &Scene) -> (RigidTemplate, RigidState) {
    let points = &scene.rest[8..];
    let properties = MassProperties::from_points(points, &[1.0; 8]).unwrap();
    RigidTemplate::new(points, properties).unwrap()
}

#[test]
fn unknown_names_are_refused() {
    assert!(from_name("", &[1, 2], |_| "one").is_err());
    assert!(from_name::<u8>("x", &[], |_| "").is_err());
}

#[test]
fn obstacle_shapes_take_points_at_infinity() {
    let shapes: [&dyn Shape; 2] = [&Plane, &Cuboid::new(Vec3::ONE).unwrap()];
    for shape in shapes {
        for point in [Vec3::NAN, Vec3::INFINITY, Vec3::ZERO, Vec3::splat(1e300)] {
            let _ = (shape.distance(point), shape.gradient(point), shape.hessian(point));
            let _ = (shape.normal(point), shape.lipschitz(), shape.accuracy());
        }
    }
    let _ = VertexId(3).index();
}
