//! Contact search and what it is made of.

use pliant::body::Bodies;
use pliant::body::keyframes::{Keyframes, Pose};
use pliant::body::obstacle::{Obstacle, Plane, SurfaceMaterial};
use pliant::body::pins::Pins;
use pliant::body::rigid::all::RigidBodySet;
use pliant::body::soft::StateView;
use pliant::contact::carried::{ContactMesh, ContactSurfaces};
use pliant::contact::edges::EdgeEdgeGap;
use pliant::contact::features::Features;
use pliant::contact::friction::friction;
use pliant::contact::impulse::{ContactImpulse, WarmStart};
use pliant::contact::margin::{MarginSettings, VelocityBounds};
use pliant::contact::near::shares;
use pliant::contact::output::{ContactOutput, ContactStats, RigidShift};
use pliant::contact::response::{Response, StepContext, refuse_unsound};
use pliant::contact::search::{ContactQuery, ContactSettings, Search};
use pliant::contact::shape::{Facets, grown};
use pliant::contact::{Contact, Feature, inside};
use pliant::depth::Penetration;
use pliant::math::{Aabb, Vec3};
use pliant::mesh::edge_search::crosses_any;
use pliant::mesh::embed::embed;
use pliant::mesh::intersect::segment_meets_triangle;
use pliant::mesh::raw::RawMesh;
use pliant::mesh::surface::Surface;
use pliant::solve::constraint::{ConstraintResponse, ConstraintSettings};
use pliant::solve::position_correction::{PositionCorrection, Rigid};
use proptest::prelude::*;

use crate::{
    Scene, body, config, count, disturbed, mild, number, quaternion, vector, vectors, vertex,
};

/// A contact between anything.
pub fn contact() -> impl Strategy<Value = Contact> {
    let ids = ([vertex(), vertex(), vertex(), vertex()], body(), prop::option::of(body()), count());
    let numbers = prop::collection::vec(number(), 10);
    (ids, numbers, [vector(), vector()]).prop_map(
        |((vertices, a, b, count), n, [normal, drift])| Contact {
            feature: Feature::VertexBody(vertices[0], a),
            vertices,
            weights: [n[0], n[1], n[2], n[3]],
            count,
            second: None,
            bodies: (a, b),
            normal,
            gap: n[4],
            surface_velocity: drift,
            min_normal_velocity: n[5],
            bounce: n[6],
            friction: n[7],
            offset: n[8],
            size: n[9],
        },
    )
}

proptest! {
    #![proptest_config(config(150))]

    #[test]
    fn surfaces_that_tets_carry_are_found_or_refused(
        (rest, positions) in (disturbed(Scene::new().rest), disturbed(Scene::new().rest)),
        (of, carrier, weight, kept) in (body(), vertex(), number(), 0..40_usize),
        (dt, velocities) in (mild(), disturbed(vec![Vec3::ZERO; 16])),
    ) {
        let (scene, block) = (Scene::new(), crate::block());
        let raw = RawMesh {
            positions: block.positions().to_vec(),
            triangles: block.surface().to_vec(),
            ..RawMesh::default()
        };
        let surface = Surface::from_raw(raw).unwrap().0;
        let mut embedding = embed(&block, surface.positions());
        embedding.carriers[0][1] = carrier;
        embedding.weights[0][1] = weight;
        embedding.carriers.truncate(kept);
        let mesh = ContactMesh { body: of, surface: &surface, embedding: &embedding };
        let _ = ContactSurfaces::new(&rest, &scene.bodies, &[mesh, mesh]);
        let Ok(surfaces) = ContactSurfaces::new(&rest, &scene.bodies, &[mesh]) else {
            return Ok(());
        };
        let _ = (surfaces.place(&positions), surfaces.place(&[]), surfaces.rest(), surfaces.bodies());
        let _ = (surfaces.areas(&positions), surfaces.areas(&[]));
        let settings = ConstraintSettings::default();
        let plain = ConstraintResponse::new(&scene.rest, &scene.bodies, Vec::new(), settings).unwrap();
        let Ok(mut response) = plain.on_surfaces(surfaces) else { return Ok(()) };
        prop_assert!(response.surfaces().is_some());
        let (pins, rigids) = (Pins::default(), RigidBodySet::default());
        let context = StepContext {
            bodies: &scene.bodies,
            motion: StateView { positions: &positions, velocities: &velocities, time: 0.0 },
            masses: &scene.masses,
            pins: &pins,
            rigids: &rigids,
            rigid_states: &[],
            dt,
            profiler: &None,
        };
        response.pre_step(context, &mut ContactOutput::default());
    }

    #[test]
    fn the_search_finds_or_refuses(
        (rest, positions) in (disturbed(Scene::new().rest), disturbed(Scene::new().rest)),
        velocities in disturbed(vec![Vec3::ZERO; 16]),
        (offset, speculative_distance, steps_ahead, friction) in (mild(), mild(), mild(), mild()),
        (dt, time, threads) in (mild(), number(), count()),
    ) {
        let scene = Scene::new();
        let margin = MarginSettings { offset, speculative_distance, steps_ahead };
        let settings = ContactSettings { margin, friction };
        let material = SurfaceMaterial { friction: 0.5, restitution: 0.0 };
        let still = Keyframes::still(Pose::IDENTITY).unwrap();
        let obstacles = [Obstacle::new(Plane, still, material).unwrap()];
        let motion = StateView { positions: &positions, velocities: &velocities, time };
        let bodies = &*scene.bodies;
        let query = ContactQuery { motion, bodies, obstacles: &obstacles, settings, dt };
        let mut found = Vec::new();
        for rest in [&rest, &scene.rest] {
            let Ok(mut search) = Search::new(rest, &scene.bodies) else { continue };
            search.set_threads(threads);
            let searched = search.find(query, &mut found);
            let settings = [offset, speculative_distance, steps_ahead, friction];
            if settings.iter().any(|x| !(*x >= 0.0 && x.is_finite())) {
                prop_assert!(searched.is_err());
            }
            let others = Bodies::of_particles([16]).unwrap();
            let searched = search.find(ContactQuery { bodies: &others, ..query }, &mut found);
            prop_assert!(searched.is_err() && found.is_empty());
        }
    }

    #[test]
    fn corrections_take_any_contacts(
        mut contacts in prop::collection::vec(contact(), 0..4),
        positions in disturbed(Scene::new().rest),
        dt in number(),
    ) {
        let scene = Scene::new();
        let motion = StateView { positions: &positions, velocities: &positions, time: 0.0 };
        let (pins, rigids, masses) = (Pins::default(), RigidBodySet::default(), &scene.masses);
        let (bodies, profiler) = (&*scene.bodies, &None);
        let context = StepContext { bodies, motion, masses, pins: &pins, rigids: &rigids, rigid_states: &[], dt, profiler };
        let mut shifts = Vec::new();
        let _ = PositionCorrection::default().find(context, &mut contacts, &mut shifts);
        let _ = Rigid::of(positions.iter().map(|p| (*p, dt)));
        for contact in &contacts {
            let _ = (contact.place(1.0, &positions), contact.relative(&positions), contact.terms().count());
            let _ = (contact.side(1.0).count(), contact.side(f64::NAN).count());
        }
        let mut impulses = vec![ContactImpulse::default(); 2];
        let mut warm = WarmStart::default();
        warm.store(&contacts, &impulses, dt);
        warm.load(&contacts, dt, &mut impulses);
        let _ = impulses.first().map(|impulse| impulse.impulse(Vec3::NAN));
    }

    #[test]
    fn shapes_take_any_positions(
        (rest, positions) in (disturbed(Scene::new().rest), disturbed(Scene::new().rest)),
        (id, point, direction, depth) in (body(), vector(), vector(), number()),
        segment in [vector(), vector()],
    ) {
        let scene = Scene::new();
        if let Ok(features) = Features::new(&rest, &scene.bodies) {
            let _ = features.edges_of(id);
        }
        let mut facets = Facets::new(&rest, &scene.bodies, id);
        facets.fit(&positions, &scene.bodies);
        facets.fit(&positions, &Bodies::default());
        let _ = facets.first();
        let space = grown(Aabb::around(positions.iter().copied()), depth);
        let penetration = Penetration { depth, direction };
        let _ = inside::exit(point, penetration, &facets, space);
        let _ = inside::nearest(point, penetration, &facets);
        let corners = |k: u32| facets.corners()[k as usize];
        let _ = crosses_any(facets.tree(), segment, corners, segment_meets_triangle);
    }

    #[test]
    fn formulas_take_any_number(
        points in [vector(), vector(), vector(), vector()],
        (a, b, turn) in (number(), number(), quaternion()),
        (list, id) in (vectors(4), body()),
        ids in [vertex(), vertex(), vertex(), vertex()],
    ) {
        let _ = friction(points[0], a, b);
        let _ = shares(points[0], [points[1], points[2], points[3]]);
        let bounds = VelocityBounds::of(&list);
        let _ = bounds.closing(VelocityBounds { mean: points[0], spread: a });
        let gap = EdgeEdgeGap { s: a, t: b, normal: points[0], gap: a };
        let _ = Contact::of_edges([id, id], [id.0, 0], [[ids[0], ids[1]], [ids[2], ids[3]]], &gap, b);
        let shift = RigidShift { body: id, centre: points[0], turn, shift: points[1] };
        shift.apply(&mut list.clone());
        let mut output = ContactOutput { rigid_shifts: vec![shift], ..ContactOutput::default() };
        let _ = output.longest_shift();
        output.stats.add(ContactStats { contacts: 1, unresolved: 2, shift: a });
        output.clear();
        let _ = refuse_unsound("response", &[("number", a, a > 0.0, "positive")]);
    }
}
