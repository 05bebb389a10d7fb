//! Questions about places, the rules of contact, and what else a world is made of.

use std::sync::Arc;

use pliant::body::Bodies;
use pliant::body::keyframes::{Keyframes, Pose};
use pliant::body::obstacle::{Obstacle, Plane, Revolved, SurfaceMaterial};
use pliant::body::pins::{PinPath, Pins};
use pliant::body::rigid::RigidState;
use pliant::body::surface_point::SurfacePoint;
use pliant::contact::Feature;
use pliant::contact::impulse::{ContactImpulse, WarmStart};
use pliant::contact::rules::{ContactRules, Group, SurfaceRule};
use pliant::depth::exits::{ExitSearch, exits};
use pliant::depth::query::{
    BodyExit, SolidMesh, by_body, penetrations, penetrations_of_tets, penetrations_with,
};
use pliant::depth::{DepthSettings, Penetration, Penetrations, Reason, Resolved, Unresolved};
use pliant::detect::query::{Queries, QueryScene};
use pliant::force::Forces;
use pliant::force::gravity::Gravity;
use pliant::force::load::Load;
use pliant::id::{TriangleId, VertexId};
use pliant::integrate::implicit::Implicit;
use pliant::math::{Aabb, Vec3};
use pliant::mesh::closest::closest_weights;
use pliant::solve::constraint::{ConstraintResponse, ConstraintSettings};
use pliant::solve::joint::{Axis, JointDefinition, JointKind, Joints};
use pliant::step::Stepper;
use proptest::prelude::*;

use crate::body::solid;
use crate::contact::contact;
use crate::force::forces;
use crate::{
    Scene, block, body, cells, config, count, disturbed, index, mild, number, quaternion, vector,
    vectors, vertex,
};

/// Half a space, and a ball at a point.
fn obstacles(at: Vec3) -> Vec<Obstacle> {
    let material = SurfaceMaterial { friction: 0.5, restitution: 0.5 };
    let still = Keyframes::still(Pose::IDENTITY).unwrap();
    let moved = Keyframes::still(Pose { position: at, ..Pose::IDENTITY });
    let ball = Arc::new(Revolved::sphere(0.5).unwrap());
    let mut all = vec![Obstacle::new(Plane, still, material).unwrap()];
    all.extend(moved.ok().map(|moved| Obstacle::shared(ball, moved, material).unwrap()));
    all
}

/// Penetrations of anything.
fn found() -> impl Strategy<Value = Penetrations> {
    let one = (vertex(), prop::collection::vec(body(), 0..3), number(), vector());
    prop::collection::vec(one, 0..4).prop_map(|list| {
        let mut found = Penetrations::default();
        for (vertex, into, depth, direction) in list {
            let into = found.keep(&into);
            let penetration = Penetration { depth, direction };
            found.resolved.push(Resolved { vertex, into, ring: 0, penetration });
            found.unresolved.push(Unresolved { vertex, into, reason: Reason::Enclosed });
        }
        found
    })
}

/// A mesh of someone else, that promises what it does not hold.
struct Liar(Vec<Vec3>, pliant::mesh::tet::TetMesh);

impl SolidMesh for Liar {
    fn positions(&self) -> &[Vec3] {
        &self.0
    }

    fn mesh(&self) -> pliant::body::Mesh<'_> {
        pliant::body::Mesh::Tets(&self.1)
    }
}

proptest! {
    #![proptest_config(config(100))]

    #[test]
    fn places_are_answered_or_refused(
        (rest, moved) in (disturbed(Scene::new().rest), disturbed(Scene::new().rest)),
        (origin, direction, other) in (vector(), vector(), vector()),
        (distance, time) in (number(), mild()),
        loose in 0..20_usize,
    ) {
        let scene = Scene::new();
        let all = obstacles(origin);
        let mut queries = Queries::new(&scene.bodies);
        let others = Bodies::of_particles([loose]).unwrap();
        for (positions, bodies) in [(&rest, &*scene.bodies), (&moved, &*scene.bodies), (&rest, &others)] {
            let asked = QueryScene { positions, bodies, obstacles: &all, time };
            if bodies.len() == 1 {
                prop_assert!(queries.query(asked).is_err());
            }
            queries.moved(bodies);
            let Ok(query) = queries.query(asked) else { continue };
            let _ = query.non_finite();
            let _ = query.cast_ray(origin, direction, distance, &|_| true);
            let _ = query.cast_ray(origin, other - origin, f64::INFINITY, &|_| true);
            let _ = query.cast_ray_all(origin, direction, distance, &|_| true);
            let _ = query.cast_ray_all(other, origin - other, f64::INFINITY, &|_| true);
            let _ = query.nearest_point(other, distance, &|_| true);
            let _ = query.nearest_point(other, f64::INFINITY, &|_| true);
            let _ = (query.bodies_at(origin), query.bodies_at(other));
            let _ = query.bodies_in(Aabb { min: origin, max: other });
            let _ = query.bodies_in(Aabb { min: origin.min(other), max: origin.max(other) });
        }
    }

    #[test]
    fn exits_are_found_of_what_exists(
        (positions, given, threads) in (disturbed(Scene::new().rest), found(), count()),
        (point, weights, triangle) in (vector(), [number(), number(), number()], index()),
        (a, b, c) in (vector(), vector(), vector()),
        id in body(),
    ) {
        let scene = Scene::new();
        let mut search = ExitSearch::new();
        search.set_threads(threads);
        let mut list = Vec::new();
        for bodies in [&*scene.bodies, &Bodies::of_particles([16]).unwrap(), &Bodies::default()] {
            search.exits(&positions, bodies, &given, &mut list);
            prop_assert_eq!(list.len(), given.resolved.len());
            prop_assert_eq!(exits(&positions, bodies, &given).len(), list.len());
            let place = SurfacePoint::new(id, TriangleId(triangle), weights, [a, b, c]);
            let _ = by_body(bodies, &given, &list);
            let _ = by_body(bodies, &given, &vec![Some(place); given.resolved.len()]);
            let _ = BodyExit::new(place, bodies);
            let _ = bodies.corners(TriangleId(triangle), &positions);
            let _ = SurfacePoint::nearest(point, &positions, bodies, (id, TriangleId(triangle)));
        }
        let _ = closest_weights(point, [a, b, c]);
    }

    #[test]
    fn penetrations_of_meshes_are_found_or_refused(
        (positions, exponent) in (disturbed(block().positions().to_vec()), number()),
        (loose, tets) in (vectors(8), cells::<4>(5)),
    ) {
        let (mesh, lying) = (block(), Liar(positions.clone(), block()));
        let settings = DepthSettings { exponent, ..DepthSettings::default() };
        let _ = penetrations(&[&mesh, &lying]);
        let _ = penetrations_with(&[&lying, &mesh], settings);
        let sound = (mesh.positions(), mesh.tets());
        let _ = penetrations_of_tets(&[sound, (&positions[..], mesh.tets())]);
        let _ = penetrations_of_tets(&[(&loose[..], &tets[..]), sound]);
    }

    #[test]
    fn rules_take_any_contact(
        (contact, obstacle) in (contact(), index()),
        pairs in prop::collection::vec((body(), body()), 0..4),
        (friction, restitution, usual) in (number(), number(), number()),
        (a, b) in (any::<u8>(), 0..32_u8),
    ) {
        prop_assert_eq!(Group::new(a).map(Group::number), Some(a).filter(|a| *a < 32));
        let (a, b) = (Group::new(a).unwrap_or_default(), Group::new(b).unwrap());
        let rule = SurfaceRule { friction: Some(friction), restitution: Some(restitution), group: a };
        let mut rules = ContactRules::default();
        (rules.bodies, rules.obstacles) = (vec![rule; 3], vec![rule; 2]);
        rules.ignore(a, b);
        prop_assert!(rules.is_ignored(b, a));
        rules.set_pairs(pairs.clone());
        rules.set_obstacle_pairs(pairs.iter().map(|(a, b)| (*a, b.0)).collect());
        let touched = pliant::contact::Contact {
            feature: Feature::VertexObstacle(contact.vertices[0], obstacle),
            bodies: (contact.bodies.0, None),
            ..contact
        };
        for contact in [contact, touched] {
            let _ = (rules.meet(&contact), rules.friction(&contact, usual));
            let _ = rules.bodies_meet(contact.bodies.0, pliant::id::BodyId(u32::MAX));
            let _ = rules.meets(contact.bodies.0, obstacle);
            let _ = (rules.restitution(&contact, usual), contact.rigid_target_normal_velocity());
        }
        rules.unignore(b, a);
        let _ = rules.all_meet();
        let mut warm = WarmStart::default();
        warm.store(&[contact, touched], &[ContactImpulse { normal: 1.0, tangent: Vec3::X }; 2], usual);
        let warm = warm.renumbered(|feature| match feature {
            Feature::VertexBody(_, body) => Some(Feature::EdgeEdge(body.0, obstacle)),
            _ => None,
        });
        warm.load(&[touched, contact], usual, &mut Vec::new());
    }

    #[test]
    fn what_is_replaced_between_steps_is_used_or_refused(
        (masses, place, dt) in (0..40_usize, count(), mild()),
        (at, turn, to) in (vector(), quaternion(), vector()),
        (friction, restitution, weight) in (number(), number(), number()),
        pushes in prop::collection::vec((vertex(), vector()), 0..3),
        numbers in (index(), index()),
    ) {
        let scene = Scene::new();
        let settings = ConstraintSettings::default();
        let made = || ConstraintResponse::new(&scene.rest, &scene.bodies, obstacles(at), settings).unwrap();
        let mut contact = made();
        contact.settings_mut().weight = weight;
        contact.settings_mut().restitution = restitution;
        contact.settings_mut().contacts.friction = friction;
        let rule = SurfaceRule { friction: Some(friction), restitution: Some(restitution), group: Group::A };
        contact.rules_mut().bodies = vec![rule; place.min(5)];
        let _ = (contact.rules().all_meet(), contact.edge_starts().len(), contact.obstacles().len());
        for obstacle in contact.obstacles_mut() {
            let _ = Keyframes::still(Pose { position: to, rotation: turn }).map(|still| obstacle.set_motion(still));
        }
        let mut stepper = Stepper::new(Box::new(Implicit::default())).with_contact(contact);
        stepper.wake_all();
        let (mut system, mut state) = (scene.system(), scene.state());
        system.forces = forces(&scene);
        let _ = stepper.step(&mut system, &mut state, 1e-3);
        let mut other = made();
        if let Some(old) = stepper.contact() {
            other.take_impulses(old, |_| Some(Feature::EdgeEdge(numbers.0, numbers.1)));
        }
        let mut next = Stepper::new(Box::new(Implicit::default())).with_contact(other);
        if let Some(contact) = next.contact_mut() {
            contact.settings_mut().max_depenetration_speed = friction;
        }
        let _ = next.step(&mut system, &mut state, dt);
        let mut few = Forces::new();
        prop_assert!(few.is_empty() && system.forces.len() == 2);
        for forces in [&mut system.forces, &mut few] {
            forces.replace(place, Gravity::new(at, &vec![1.0; masses]));
            forces.replace(0, Load::on_vertices(pushes.clone(), 16).unwrap_or_default());
            forces.replace(1, Gravity::new(at, &vec![1.0; masses]));
        }
        let _ = next.step(&mut system, &mut state, dt);
        prop_assert!(masses <= 16 || next.step(&mut system, &mut state, 1e-3).is_err());
    }

    #[test]
    fn joints_and_pins_move_with_what_is_known(
        (which, joint, dt) in (0..4_usize, count(), mild()),
        (at, turn, velocity, spin) in (vector(), quaternion(), vector(), vector()),
        (travels, references) in (prop::collection::vec(number(), 0..4), 0..4_usize),
        (path, time) in (count(), number()),
    ) {
        let scene = Scene::new();
        let (solid, start) = solid(&scene);
        let wild = RigidState { centre: at, turn, velocity, spin };
        let _ = (start.with_axes_of(&wild, &start), wild.with_axes_of(&start, &wild), start.with_axes_of(&start, &wild));
        let axis = Axis::free(Vec3::Z);
        let kind = [JointKind::Ball, JointKind::Hinge(axis), JointKind::Slider(axis), JointKind::Fixed][which];
        let list = vec![JointDefinition::new(kind, (0, None), Vec3::ONE), JointDefinition::new(kind, (1, Some(0)), Vec3::ONE)];
        let bodies = [solid.clone(), solid];
        let mut states = [start; 2];
        for reference in [start, wild] {
            let references = vec![[reference, start]; references];
            let made = Joints::with_references(list.clone(), &bodies, &states, &references, &travels);
            prop_assert!(made.is_err() || (references.len() == 2 && travels.len() == 2));
            let Ok(mut joints) = made else { continue };
            joints.set_ground(joint, wild);
            joints.set_ground(0, wild);
            let _ = joints.velocities(&bodies, &mut states, dt);
            let _ = joints.positions(&bodies, &mut states);
            states = [start; 2];
        }
        let mut pins = Pins::default();
        let still = Keyframes::still(Pose::IDENTITY).unwrap();
        let moving = PinPath { motion: still.clone(), pivot: at };
        let _ = pins.add_moving(&[VertexId(0)], &scene.rest, moving);
        pins.set_motion(path, still.clone());
        let _ = Keyframes::still(Pose { position: velocity, rotation: turn }).map(|motion| pins.set_motion(0, motion));
        let _ = pins.place(0, time);
    }
}
