//! Worlds of a few outlines under both responses.

use std::error::Error;
use std::sync::Arc;

use super::impulse::{OutlineImpulseSettings, OutlineImpulses};
use super::penalty::{OutlinePenalty, OutlinePenaltySettings};
use super::*;
use crate::area::Areas;
use crate::brute::{Brute, intersect};
use crate::overlap::Measure;
use crate::world::{OutlineBody, RingMaterial};
use pliant::body::soft::State;
use pliant::contact::output::ContactOutput;
use pliant::contact::response::Response;
use pliant::contact::response::Stiffness;
use pliant::force::Forces;
use pliant::force::spring::{SpringLaw, SpringSettings, Springs};
use pliant::integrate::System;
use pliant::integrate::euler::{Euler, EulerKind};
use pliant::step::{Simulation, Stepper};
use pliant::world::{BodyMaterial, BodyModelKind, MaterialBody, SoftMaterial, World};

const DT: f64 = 1.0 / 120.0;

/// Momentum and energy over some hundred steps, relative to those of a body.
const ROUNDING: f64 = 1e-12;

/// What an outline is made of.
#[derive(Clone, Copy, PartialEq)]
enum Matter {
    Rigid,
    Soft,
    Held,
}

fn square(corner: [f64; 2], side: f64) -> Vec<Vec2> {
    [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
        .map(|(x, y)| Vec2::from(corner) + side * Vec2::new(x, y))
        .to_vec()
}

fn disc(centre: [f64; 2], radius: f64) -> Vec<Vec2> {
    let at = |k: u32| Vec2::from_angle(std::f64::consts::TAU * f64::from(k) / 24.0);
    (0..24).map(|k| Vec2::from(centre) + radius * at(k)).collect()
}

/// Springs to the next vertex and the one after it, and the area kept.
#[derive(Debug)]
struct Braced;

impl BodyMaterial for Braced {
    fn push_forces(
        &self,
        bodies: &[MaterialBody<'_>],
        forces: &mut Forces,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        let settings = SpringSettings { law: SpringLaw::Absolute, stiffness: 100.0, damping: 0.2 };
        for body in bodies {
            let count = body.mesh.positions().len() as u32;
            let vertex = |k: u32| VertexId(body.first + k % count);
            let edges: Vec<[VertexId; 2]> = (0..count)
                .flat_map(|k| [[vertex(k), vertex(k + 1)], [vertex(k), vertex(k + 2)]])
                .collect();
            forces.push(Springs::along(body.rest, &edges, settings)?);
            let ring: Vec<VertexId> = (0..count).map(vertex).collect();
            forces.push_force(Areas::new(body.rest, &[vec![ring]], 50.0)?);
        }
        Ok(())
    }
}

/// A world of outlines of 2 kg/m² with their velocities, m/s.
fn world_of(list: &[(Vec<Vec2>, Matter, [f64; 2])]) -> World {
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).unwrap();
    world.set_time_step(DT).unwrap();
    for (ring, matter, velocity) in list {
        let outline = OutlineBody::new(vec![ring.clone()]).density(2.0);
        let outline = outline.velocity(Vec2::from(*velocity));
        let mut model = match matter {
            Matter::Rigid => outline,
            Matter::Soft => outline.soft(RingMaterial { stiffness: 1.0, damping: 0.0, area: 1.0 }),
            Matter::Held => outline.fixed(),
        }
        .model()
        .unwrap();
        if *matter == Matter::Soft {
            model.kind = BodyModelKind::Soft(SoftMaterial::Custom(Arc::new(Braced)));
        }
        world.add(model).unwrap();
    }
    world.assemble().unwrap();
    world
}

fn flat(world: &World) -> Flat {
    flat_with(world, &[], Box::new(Brute))
}

fn flat_with(world: &World, apart: &[(BodyId, BodyId)], backend: Box<dyn Backend>) -> Flat {
    let Simulation { state, system, .. } = world.simulation();
    let (bodies, rest, rigids) = (&*system.bodies, &state.positions, &system.rigids);
    Flat::new(Cast { bodies, rest, rigids, apart }, backend).unwrap()
}

fn context(world: &World) -> StepContext<'_> {
    let Simulation { state, system, .. } = world.simulation();
    let System { bodies, masses, pins, rigids, profiler, .. } = system;
    let (motion, rigid_states) = (state.motion(), &*state.rigids);
    StepContext { bodies, motion, masses, pins, rigids, rigid_states, dt: DT, profiler }
}

fn penalty(world: &World) -> Box<dyn Response> {
    let settings = OutlinePenaltySettings::of_step(0.02, DT);
    Box::new(OutlinePenalty::new(flat(world), settings).unwrap())
}

fn impulses(
    world: &World,
    restitution: f64,
    friction: f64,
) -> Result<OutlineImpulses, OutlinesError> {
    let (distance, dt, gravity) = (0.01, DT, Vec2::ZERO);
    let settings = OutlineImpulseSettings { distance, friction, restitution, dt, gravity };
    OutlineImpulses::new(flat(world), settings, context(world))
}

/// Lets a world step by symplectic Euler with a response.
fn respond(world: &mut World, response: Box<dyn Response>) {
    let euler = Box::new(Euler::new(EulerKind::Symplectic));
    let stepper = Stepper::new(euler).with_responses(vec![response]).with_halvings(30);
    world.simulation_mut().stepper = stepper;
}

fn kinetic(world: &World) -> f64 {
    let Simulation { state, system, .. } = world.simulation();
    system.rigids.kinetic(state, &system.masses)
}

fn angular(world: &World) -> f64 {
    let Simulation { state, system, .. } = world.simulation();
    system.rigids.angular_momentum(state, &system.masses, Vec3::ZERO).z
}

fn momentum(world: &World) -> Vec2 {
    let Simulation { state, system, .. } = world.simulation();
    state.momentum(&system.masses).truncate()
}

/// Steps and sees that nothing leaves the plane.
fn steps(world: &mut World, count: usize) {
    for _ in 0..count {
        world.step().unwrap();
        let State { positions, velocities, rigids, .. } = &world.simulation().state;
        assert!(positions.iter().chain(velocities).all(|v| v.z == 0.0));
        assert!(rigids.iter().all(|r| [r.centre.z, r.turn.x, r.turn.y] == [0.0; 3]));
    }
}

fn overlapping(world: &World) -> usize {
    let Simulation { state, system, .. } = world.simulation();
    let mut measure = Measure::new(&state.positions, &system.bodies);
    let found = measure.measure(&state.positions, &system.bodies);
    found.penetrating_vertices + found.edge_crossings
}

#[test]
fn corners_are_pushed_out_and_edges_pushed_back_by_hand() {
    let a = (square([0.0, 0.0], 2.0), Matter::Rigid, [0.0; 2]);
    let b = (square([1.5, 1.0], 3.0), Matter::Rigid, [0.0; 2]);
    let world = world_of(&[a, b]);
    let usual = OutlinePenaltySettings::of_step(10.0, DT);
    let (stiffness, exit) = (Stiffness::Fixed(100.0), 1e9);
    let settings = OutlinePenaltySettings { stiffness, exit, damping: 0.0, friction: 0.0, ..usual };
    let mut response = OutlinePenalty::new(flat(&world), settings).unwrap();
    let mut output = ContactOutput::default();
    response.pre_step(context(&world), &mut output);
    // The corner (2, 2) of a and (1.5, 1) of b are half a metre deep; both leave along x. Each
    // comes out at a corner's distance from the other's: a's right edge at 1/2, b's left at 2/3.
    let half = 50.0 * Vec3::X;
    let expected = [
        (VertexId(2), -half),
        (VertexId(7), (1.0 - 2.0 / 3.0) * half),
        (VertexId(4), 2.0 / 3.0 * half),
        (VertexId(4), half),
        (VertexId(1), -0.5 * half),
        (VertexId(2), -0.5 * half),
    ];
    let sum = |list: &[(VertexId, Vec3)], vertex: u32| -> Vec3 {
        list.iter().filter(|(v, _)| v.0 == vertex).map(|(_, force)| *force).sum()
    };
    for vertex in 0..8 {
        let (found, wanted) = (sum(&output.forces, vertex), sum(&expected, vertex));
        assert!(found.abs_diff_eq(wanted, 1e-12), "{vertex}: {found} {wanted}");
    }
    assert_eq!(output.stats.contacts, 2);
}

#[test]
fn momentum_survives_both_responses() {
    for rigid in [true, false] {
        let matter = if rigid { Matter::Rigid } else { Matter::Soft };
        let list = [
            (disc([0.013, 0.0], 0.5), matter, [2.0, 0.3]),
            (square([0.6, -0.7], 1.0), matter, [-1.0, 0.0]),
        ];
        for with_penalty in [true, false] {
            let mut world = world_of(&list);
            let response = match with_penalty {
                true => penalty(&world),
                false => Box::new(impulses(&world, 0.5, 0.4).unwrap()),
            };
            let before = (momentum(&world), angular(&world), kinetic(&world));
            respond(&mut world, response);
            steps(&mut world, 120);
            assert!(kinetic(&world) < 0.95 * before.2, "they did not meet: {}", kinetic(&world));
            let lost = momentum(&world) - before.0;
            assert!(lost.length() < ROUNDING, "{rigid} {with_penalty}: {lost}");
            // Of soft outlines what rubs acts a depth or a gap beside its reaction.
            let turned = (angular(&world) - before.1).abs();
            let allowed = if rigid { ROUNDING } else { 1e-2 };
            assert!(turned < allowed, "{rigid} {with_penalty}: {turned}");
        }
    }
}

#[test]
fn what_starts_deep_inside_comes_out_and_stays_out() {
    for (centre, radius) in [([0.02, 0.0], 0.5), ([0.1, 0.05], 0.45), ([0.0, 0.13], 0.4)] {
        for matter in [Matter::Rigid, Matter::Soft] {
            let list = [
                (disc([0.0, 0.0], 0.5), matter, [0.0; 2]),
                (disc(centre, radius), matter, [0.0; 2]),
            ];
            let mut world = world_of(&list);
            let response = penalty(&world);
            respond(&mut world, response);
            steps(&mut world, 360);
            assert_eq!(overlapping(&world), 0, "{centre:?} {radius}");
        }
    }
}

/// Outlines that fly about in a frame.
fn crowd() -> World {
    let wall = |[x0, y0]: [f64; 2], [x1, y1]: [f64; 2]| {
        let ring = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)].map(|(x, y)| Vec2::new(x, y));
        (ring.to_vec(), Matter::Held, [0.0; 2])
    };
    let mut list = vec![
        wall([-3.0, -3.0], [-2.2, -2.2]),
        wall([-5.0, -5.0], [5.0, -4.0]),
        wall([-5.0, 4.0], [5.0, 5.0]),
        wall([-5.0, -4.0], [-4.0, 4.0]),
        wall([4.0, -4.0], [5.0, 4.0]),
    ];
    for (k, (x, y)) in [(-2.0, 0.0), (0.0, 0.3), (2.0, -0.4), (0.2, 3.1)].into_iter().enumerate() {
        let speed = 3.0 - k as f64;
        list.push((disc([x, y], 0.6), Matter::Rigid, [speed, 1.0]));
        list.push((square([x, y - 1.9], 0.9), Matter::Rigid, [-speed, 2.0]));
    }
    world_of(&list)
}

#[test]
fn no_energy_comes_from_springs() {
    let mut world = crowd();
    let start = kinetic(&world);
    let response = penalty(&world);
    respond(&mut world, response);
    let mut most = 0.0_f64;
    for _ in 0..60 {
        steps(&mut world, 20);
        most = most.max(kinetic(&world));
    }
    assert!(most <= start * (1.0 + ROUNDING), "{most} {start}");
    assert!(kinetic(&world) < 0.5 * start, "{}", kinetic(&world));
}

#[test]
fn no_step_with_impulses_ends_in_an_overlap() {
    let mut world = crowd();
    // The walls lie on each other, which is an overlap: they stay where they are.
    let apart: Vec<(BodyId, BodyId)> =
        (0..5).flat_map(|a| (a + 1..5).map(move |b| (BodyId(a), BodyId(b)))).collect();
    let flat = flat_with(&world, &apart, Box::new(Brute));
    let (distance, dt, gravity) = (0.01, DT, Vec2::ZERO);
    let settings =
        OutlineImpulseSettings { distance, friction: 0.3, restitution: 1.0, dt, gravity };
    let response = OutlineImpulses::new(flat, settings, context(&world)).unwrap();
    respond(&mut world, Box::new(response));
    let mut placed = flat_with(&world, &[], Box::new(Brute));
    let start = kinetic(&world);
    for step in 0..300 {
        steps(&mut world, 1);
        placed.place(context(&world));
        for a in 5..13 {
            let mut others = (0..13).filter(|b| *b != a);
            assert!(!others.any(|b| intersect(&placed.outlines, a, b)), "{step} {a}");
        }
    }
    assert!((0.3 * start..1.01 * start).contains(&kinetic(&world)), "{} {start}", kinetic(&world));
}

#[test]
fn restitution_says_what_comes_back_of_a_head_on_impact() {
    for restitution in [0.0, 0.5, 1.0] {
        let list = [
            (square([0.0, 0.0], 1.0), Matter::Rigid, [1.0, 0.0]),
            (square([1.2, 0.0], 1.0), Matter::Rigid, [-1.0, 0.0]),
        ];
        let mut world = world_of(&list);
        let response = impulses(&world, restitution, 0.3).unwrap();
        respond(&mut world, Box::new(response));
        steps(&mut world, 40);
        let apart = world.simulation().state.rigids[1].velocity.x
            - world.simulation().state.rigids[0].velocity.x;
        // What rests may still open its gap, by the contact distance a second at most.
        assert!((apart - 2.0 * restitution).abs() <= 1.05 * 0.01, "{restitution}: {apart}");
    }
}

#[test]
fn walls_tell_what_they_give() {
    for with_penalty in [true, false] {
        let list = [
            (disc([0.0, 0.0], 0.5), Matter::Rigid, [2.0, 0.3]),
            (square([0.7, -1.0], 2.0), Matter::Held, [0.0; 2]),
        ];
        let mut world = world_of(&list);
        let response = match with_penalty {
            true => penalty(&world),
            false => Box::new(impulses(&world, 0.5, 0.4).unwrap()),
        };
        respond(&mut world, response);
        let before = world.simulation().state.rigids[0].velocity;
        steps(&mut world, 60);
        let mass = world.simulation().system.rigids.entries()[0].body.mass;
        let change = mass * (world.simulation().state.rigids[0].velocity - before);
        let reported = world.simulation().external_impulse_total;
        assert!(change.x < -mass && change.abs_diff_eq(reported, ROUNDING), "{change} {reported}");
    }
}

#[test]
fn what_cannot_be_kept_apart_is_refused() {
    let list = [
        (square([0.0, 0.0], 1.0), Matter::Rigid, [0.0; 2]),
        (square([1.0, 0.0], 1.0), Matter::Rigid, [0.0; 2]),
    ];
    let world = world_of(&list);
    let error = impulses(&world, 0.0, 0.0).unwrap_err();
    assert_eq!(error, OutlinesError::Overlap { a: BodyId(0), b: BodyId(1) });
    let error = impulses(&world, 2.0, 0.0).unwrap_err().to_string();
    assert_eq!(error, "the restitution of a constrained response is 2: it must be from 0 to 1");
    let settings = OutlinePenaltySettings::of_step(-1.0, DT);
    let error = OutlinePenalty::new(flat(&world), settings).unwrap_err().to_string();
    assert!(error.starts_with("the error of a penalty of outlines is -1"), "{error}");
}

#[test]
fn a_place_that_no_backend_takes_is_refused_by_its_vertex_and_value() {
    let list = [
        (square([0.0, 0.0], 1.0), Matter::Soft, [0.0; 2]),
        (square([3.0, 0.0], 1.0), Matter::Soft, [0.0; 2]),
    ];
    for far in [1e151, -1e200, f64::NAN, f64::INFINITY] {
        let mut world = world_of(&list);
        let impulses = Box::new(impulses(&world, 0.0, 0.0).unwrap());
        let mut responses: [Box<dyn Response>; 2] = [penalty(&world), impulses];
        world.simulation_mut().state.positions[6].y = far;
        for response in &mut responses {
            let mut output = ContactOutput::default();
            response.pre_step(context(&world), &mut output);
            let StepRejection { vertex, what, value, limit } = output.rejection.unwrap();
            assert_eq!((vertex, what, limit), (VertexId(6), "a coordinate of", MOST_COORDINATE));
            assert!(value == far.abs() || (value.is_nan() && far.is_nan()), "{value} {far}");
        }
    }
}

/// Fails with a new text at each query.
#[derive(Debug, Default)]
struct Broken(u32);

impl Backend for Broken {
    fn name(&self) -> &'static str {
        "gpu"
    }

    fn query(
        &mut self,
        _: &Outlines,
        _: &[Pair],
        _: &ProximityQuery,
        _: &mut Vec<ProximityResult>,
    ) -> Result<(), BackendError> {
        self.0 += 1;
        Err(BackendError::Device { what: format!("the GPU failed: fault {}", self.0) })
    }
}

#[test]
fn a_device_that_fails_is_told_in_its_first_words() {
    let list = [(square([0.0, 0.0], 1.0), Matter::Rigid, [0.0; 2])];
    let mut world = world_of(&list);
    let flat = flat_with(&world, &[], Box::<Broken>::default());
    let settings = OutlinePenaltySettings::of_step(0.02, DT);
    let response = Box::new(OutlinePenalty::new(flat, settings).unwrap());
    respond(&mut world, response);
    let reported = world.step().unwrap_err().to_string();
    // Halved thirty times, and still what was said at first.
    assert!(reported.contains("no distances are reported (the GPU failed: fault 1)"), "{reported}");
}

/// Discs and squares above a bowl with upright walls.
fn dropped() -> World {
    let bowl = [(-2.0, -1.0), (2.0, -1.0), (2.0, 4.0), (1.2, 4.0)]
        .into_iter()
        .chain([(1.2, 0.0), (-1.2, 0.0), (-1.2, 4.0), (-2.0, 4.0)])
        .map(|(x, y)| Vec2::new(x, y))
        .collect();
    let mut list = vec![(bowl, Matter::Held, [0.0; 2])];
    for k in 0..3 {
        let (x, y) = (0.13 * f64::from(k), 0.45 + 0.95 * f64::from(k));
        list.push((disc([x - 0.6, y], 0.4), Matter::Rigid, [0.0; 2]));
        list.push((square([0.7 - x - 0.35, y], 0.7), Matter::Rigid, [0.0; 2]));
    }
    let mut world = world_of(&list);
    world.set_gravity(GRAVITY.extend(0.0)).unwrap();
    world.assemble().unwrap();
    world
}

const GRAVITY: Vec2 = Vec2::new(0.0, -9.81);

/// Energy that gaps recovered in a step may cost, relative to the total.
const LIFT: f64 = 1e-4;

#[test]
fn a_pile_comes_to_rest_without_a_corner_inside() {
    let mut world = dropped();
    let (distance, dt, friction) = (0.01, DT, 0.3);
    let settings =
        OutlineImpulseSettings { distance, friction, restitution: 0.2, dt, gravity: GRAVITY };
    let response = OutlineImpulses::new(flat(&world), settings, context(&world)).unwrap();
    respond(&mut world, Box::new(response));
    let energy = |world: &World| {
        let Simulation { state, system, .. } = world.simulation();
        let rigids = system.rigids.entries().iter().zip(&state.rigids);
        let height = rigids.map(|(rigid, state)| -rigid.body.mass * state.centre.y * GRAVITY.y);
        kinetic(world) + height.sum::<f64>()
    };
    let fastest = |world: &World| {
        world
            .simulation()
            .state
            .velocities
            .iter()
            .map(|velocity| velocity.length())
            .fold(0.0, f64::max)
    };
    let start = energy(&world);
    let (mut before, mut cuts) = (start, 0);
    for step in 0..720 {
        let report = world.step().unwrap();
        cuts += report.halvings;
        assert_eq!(overlapping(&world), 0, "{step}");
        // Gaps that are recovered lift what lies on them, by 0.01 m/s at most.
        let now = energy(&world);
        assert!(now <= before + LIFT * start, "{step}: {before} {now}");
        before = now;
        // A fall from the top to the bottom of the bowl is no faster.
        assert!(fastest(&world) < (2.0 * 9.81 * 4.0_f64).sqrt(), "{step}: {}", fastest(&world));
    }
    assert!(cuts < 72, "every tenth step was cut: {cuts}");
    assert!(fastest(&world) < 0.1, "{}", fastest(&world));
    assert!(energy(&world) < 0.7 * start, "nothing fell: {} of {start}", energy(&world));
}
