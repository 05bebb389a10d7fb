//! What contact surfaces keep, what they leave, and what they bear.

use super::{DT, KEPT, Scene, balls, block, flat, stacked};
use crate::surface::triangles::SurfaceContact;
use crate::surface::{Changes, ContactSurface, CorrectionLevel, Corrections, SurfaceSettings};
use pliant::body::Bodies;
use pliant::body::pins::Pins;
use pliant::body::rigid::all::RigidBodySet;
use pliant::body::soft::{Masses, State};
use pliant::contact::output::ContactOutput;
use pliant::contact::response::{Response, StepContext};
use pliant::depth::DepthSettings;
use pliant::id::{BodyId, VertexId};
use pliant::math::{Quat, Vec3};

#[test]
fn momentum_survives_and_without_friction_nothing_is_turned() {
    for order in [[0, 1, 2], [2, 0, 1]] {
        let scene = balls(order);
        for (friction, turns) in [(0.0, false), (0.5, true)] {
            let settings = SurfaceSettings { friction, ..SurfaceSettings::default() };
            let output = scene.output(&mut scene.response(settings));
            let size: f64 = output.impulses.iter().map(|(_, push)| push.length()).sum();
            let sum: Vec3 = output.impulses.iter().map(|(_, push)| *push).sum();
            let at = |v: &VertexId| scene.state.positions[v.index()];
            let torque: Vec3 = output.impulses.iter().map(|(v, push)| at(v).cross(*push)).sum();
            assert!(size > 1.0 && sum.length() < KEPT * size, "{sum}");
            assert_eq!(torque.length() > KEPT * size, turns, "{torque} of {size}");
        }
    }
}

#[test]
fn shifts_report_what_they_change() {
    let mut scene = balls([0, 1, 2]);
    let masses = scene.system.masses.clone();
    let mut response = scene.response(SurfaceSettings::default());
    let output = scene.output(&mut response);
    let measure = |scene: &Scene| {
        let state = &scene.state;
        let spin = state.angular_momentum(&masses, Vec3::ZERO);
        (state.centre(&masses), spin, scene.system.forces.energy(state.motion()))
    };
    let before = measure(&scene);
    let energy = response.stored(scene.state.motion(), &scene.system.forces);
    scene
        .apply_output(&ContactOutput { shifts: output.shifts.clone(), ..ContactOutput::default() });
    let after = measure(&scene);
    let Changes { vertices, longest, centre, angular_momentum } = response.changes();
    assert!((after.0 - before.0).abs_diff_eq(centre, 1e-12), "{centre}");
    assert!((after.1 - before.1).abs_diff_eq(angular_momentum, 1e-9), "{angular_momentum}");
    assert!((after.2 - before.2 - energy).abs() < 1e-9 * energy, "{energy}");
    assert!(energy > 0.0 && vertices == output.shifts.len());
    assert_eq!(output.stats.shift, longest);
}

#[test]
fn surfaces_that_meet_go_on_together() {
    let mut scene = stacked(4, 4).soft();
    let upper = scene.bodies.vertices(BodyId(0));
    scene.state.velocities[upper].fill(-Vec3::Z);
    let approach = |scene: &Scene, touches: &[SurfaceContact]| {
        let of = |v: VertexId| scene.state.velocities[v.index()];
        let each = touches.iter().map(|touch| {
            let surface = touch.corners.into_iter().zip(touch.weights);
            let surface: Vec3 = surface.map(|(v, w)| w * of(v)).sum();
            -(of(touch.vertex) - surface).dot(touch.way.try_normalize().unwrap())
        });
        each.fold(f64::NEG_INFINITY, f64::max)
    };
    let mut response = scene.response(flat(Corrections::default()));
    let output = scene.output(&mut response);
    assert!(approach(&scene, response.touches.list()) > 0.99);
    scene.apply_output(&output);
    let left = approach(&scene, response.touches.list());
    assert!(left < 0.01, "{left}");
}

#[test]
fn results_do_not_depend_on_threads_or_on_what_came_before() {
    let scene = balls([0, 1, 2]);
    let mut fresh = scene.response(SurfaceSettings::default());
    let expected = scene.output(&mut fresh);
    let mut used = scene.response(SurfaceSettings::default());
    used.set_threads(3);
    balls([0, 1, 2]).output(&mut used);
    let found = scene.output(&mut used);
    assert!(!expected.shifts.is_empty());
    assert_eq!((expected.shifts, expected.impulses), (found.shifts, found.impulses));
}

#[test]
fn the_region_is_weighed_by_the_elements_around_it_to_the_bit() {
    let scene = balls([0, 1, 2]);
    let mut response = scene.response(SurfaceSettings::default());
    scene.output(&mut response);
    let ContactSurface { region, balance, .. } = &mut response;
    balance.weigh(0.0, &scene.system.forces);
    let some = balance.forces().to_vec();
    balance.weigh_here(&scene.system.forces);
    let all = balance.forces();
    assert!(region.moved().len() > 10);
    assert!(region.moved().iter().all(|v| some[v.index()] == all[v.index()]));
    // Elements elsewhere were not evaluated.
    assert!((0..all.len()).any(|v| some[v] == Vec3::ZERO && all[v] != Vec3::ZERO));
}

#[test]
fn the_order_of_bodies_does_not_matter() {
    let orders = [[0, 1, 2], [2, 0, 1], [1, 2, 0]];
    let all = orders.map(|order| {
        let scene = balls(order);
        let mut response = scene.response(SurfaceSettings::default());
        let output = scene.output(&mut response);
        // Some vertices are moved by two pairs.
        assert!(response.region.moved().len() < response.region.list().len());
        let count = scene.rest.len() / 3;
        // Numbered as in the first order.
        let number = |v: VertexId| order[v.index() / count] * count + v.index() % count;
        let mut ways = vec![[Vec3::ZERO; 2]; scene.rest.len()];
        output.shifts.iter().for_each(|(v, way)| ways[number(*v)][0] += *way);
        output.impulses.iter().for_each(|(v, push)| ways[number(*v)][1] += *push);
        ways
    });
    for other in &all[1..] {
        for (a, b) in all[0].iter().zip(other) {
            assert!(a[0].abs_diff_eq(b[0], 1e-12) && a[1].abs_diff_eq(b[1], 1e-9), "{a:?} {b:?}");
        }
    }
}

#[test]
fn single_tets_and_coincident_bodies_stay_finite() {
    let tet: &[_] = &[[0, 2, 1, 3].map(VertexId)];
    let lower = [[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, -3.0]];
    let upper = [[0.0, 0.0, 2.0], [0.0, 3.0, 2.0], [3.0, 0.0, 2.0], [0.75, 0.75, -0.25]];
    let all = [Corrections::default(), Corrections::PRINTED];
    for (second, moves) in [(upper, true), (lower, false)] {
        let positions: Vec<_> = lower.iter().chain(&second).map(|p| Vec3::from(*p)).collect();
        let bodies = Bodies::from_tets(&[(4, tet), (4, tet)]).unwrap();
        for corrections in all {
            let mut response = ContactSurface::new(&positions, &bodies, flat(corrections)).unwrap();
            let state = State::at_rest(positions.clone());
            let masses = Masses::new(vec![1.0; 8]).unwrap();
            let (motion, pins, profiler) = (state.motion(), &Pins::default(), &None);
            let (bodies, masses, rigids) = (&bodies, &masses, &RigidBodySet::default());
            let context = StepContext {
                bodies,
                motion,
                masses,
                pins,
                rigids,
                rigid_states: &[],
                dt: DT,
                profiler,
            };
            let mut output = ContactOutput::default();
            response.post_step(context, &mut output);
            assert!(output.shifts.iter().chain(&output.impulses).all(|(_, way)| way.is_finite()));
            assert_eq!(!output.shifts.is_empty(), moves, "{output:?}");
        }
    }
    // Blocks at the same place: every vertex on the other's surface.
    let mesh = block([2; 3], Vec3::ONE);
    let mut scene = Scene::new(&[
        (mesh.clone(), Quat::IDENTITY, Vec3::ZERO),
        (mesh, Quat::IDENTITY, Vec3::ZERO),
    ])
    .soft();
    let mut stepper = scene.stepper(SurfaceSettings::default());
    for _ in 0..5 {
        stepper.step(&mut scene.system, &mut scene.state, DT).unwrap();
    }
    assert!(scene.state.positions.iter().all(|x| x.is_finite()));
}

/// Frames until two cubes at rest that overlap are free, and their relative speed, m/s, then.
fn freed(overlap: f64, settings: SurfaceSettings) -> (Option<u32>, f64) {
    let mesh = block([5; 3], Vec3::ONE);
    let turn = Quat::from_rotation_z(0.07) * Quat::from_rotation_y(-0.05);
    let at = Vec3::new(1.0 - overlap, 0.04, -0.06);
    let mut scene =
        Scene::new(&[(mesh.clone(), Quat::IDENTITY, Vec3::ZERO), (mesh, turn, at)]).soft();
    let mut stepper = scene.stepper(settings);
    for frame in 1..=20 {
        stepper.step(&mut scene.system, &mut scene.state, DT).unwrap();
        let momentum = scene.state.momentum(&scene.system.masses);
        assert!(momentum.length() < KEPT, "{momentum}");
        if scene.inside() == 0 {
            return (Some(frame), scene.parting());
        }
    }
    (None, scene.parting())
}

#[test]
fn two_cubes_come_free_and_leave_with_what_the_shifts_stored() {
    // Shifts strain the cubes, which give it back as speed: more from deeper.
    let approach = CorrectionLevel::Vertices;
    let paper = SurfaceSettings { approach, ..SurfaceSettings::default() };
    let (frames, speed) = freed(0.1, paper);
    assert!(frames.is_some_and(|frames| frames <= 12), "{frames:?}");
    assert!((0.5..1.2).contains(&speed), "{speed}");
    let (frames, faster) = freed(0.3, paper);
    assert!(frames.is_some_and(|frames| frames <= 15) && faster > 2.0 * speed, "{frames:?}");
    let printed = SurfaceSettings { corrections: Corrections::PRINTED, ..paper };
    assert_eq!(freed(0.1, printed).0, None);
}

#[test]
fn two_cubes_that_are_taken_apart_as_wholes_leave_at_a_fifth_of_the_speed() {
    let approach = CorrectionLevel::Vertices;
    let paper = SurfaceSettings { approach, ..SurfaceSettings::default() };
    for overlap in [0.1, 0.3] {
        let (frames, speed) = freed(overlap, SurfaceSettings::settling());
        assert!(frames.is_some_and(|frames| frames <= 12), "{frames:?}");
        let alone = freed(overlap, paper).1;
        assert!(speed < 0.2 * alone, "{overlap}: {speed} {alone}");
    }
}

#[test]
fn whole_bodies_stop_first_and_lose_energy_but_no_momentum() {
    let approach = CorrectionLevel::Bodies;
    for order in [[0, 1, 2], [2, 0, 1]] {
        let mut scene = balls(order);
        let settings = SurfaceSettings { approach, friction: 0.0, ..SurfaceSettings::default() };
        let output = scene.output(&mut scene.response(settings));
        // Every vertex of the bodies goes along.
        assert!(output.impulses.len() > scene.rest.len());
        let size: f64 = output.impulses.iter().map(|(_, push)| push.length()).sum();
        let sum: Vec3 = output.impulses.iter().map(|(_, push)| *push).sum();
        let at = |v: &VertexId| scene.state.positions[v.index()];
        let torque: Vec3 = output.impulses.iter().map(|(v, push)| at(v).cross(*push)).sum();
        assert!(sum.length() < KEPT * size && torque.length() < KEPT * size, "{sum} {torque}");
        let before = scene.state.kinetic(&scene.system.masses);
        scene.apply_output(&output);
        let after = scene.state.kinetic(&scene.system.masses);
        assert!(after < before, "{before} {after}");
    }
}

#[test]
fn a_margin_counts_what_is_near_and_leaves_its_gap_to_close() {
    let mut scene = stacked(4, 4).soft();
    let upper = scene.bodies.vertices(BodyId(0));
    // 0.005 m apart.
    scene.state.positions[upper.clone()].iter_mut().for_each(|x| x.z += 0.025);
    let met = |scene: &Scene, margin: f64, speed: f64| {
        let mut closing = Scene { state: scene.state.clone(), ..stacked(4, 4) };
        closing.state.velocities[upper.clone()].fill(-speed * Vec3::Z);
        let settings = SurfaceSettings { margin, ..flat(Corrections::default()) };
        closing.output(&mut closing.response(settings))
    };
    assert_eq!(met(&scene, 0.0, 1.0).stats.contacts, 0);
    let found = met(&scene, 0.01, 1.0);
    assert!(found.stats.contacts > 20 && found.shifts.is_empty(), "{:?}", found.stats);
    assert!(!found.impulses.is_empty());
    // 0.005 m in 1/60 s is 0.3 m/s.
    assert!(met(&scene, 0.01, 0.29).impulses.is_empty());
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let scene = stacked(1, 1);
    let message = |settings| {
        ContactSurface::new(&scene.rest, &scene.bodies, settings).unwrap_err().to_string()
    };
    let sound = SurfaceSettings::default();
    let wanted = "the number of iterations of a contact surface is 0: it must be 1 to 52";
    assert_eq!(message(SurfaceSettings { iterations: 0, ..sound }), wanted);
    assert!(message(SurfaceSettings { friction: f64::NAN, ..sound }).contains("friction"));
    assert!(message(SurfaceSettings { margin: -1.0, ..sound }).contains("margin"));
    let depth = DepthSettings { exponent: -1.0, ..sound.depth };
    assert!(message(SurfaceSettings { depth, ..sound }).contains("exponent"));
}
