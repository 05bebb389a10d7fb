//! Worlds of a few outlines under both responses.

use pliant::step::Stepper;
use std::sync::Arc;

use super::impulse::{OutlineImpulseSettings, OutlineImpulses};
use super::penalty::{OutlinePenalty, OutlinePenaltySettings};
use super::*;
use crate::area::Areas;
use crate::brute::{Brute, intersect};
use crate::overlap::Measure;
use pliant::body::Mesh;
use pliant::body::rigid::RigidTemplate;
use pliant::body::rigid::all::balanced_masses_in_plane;
use pliant::body::rigid::mass::MassProperties;
use pliant::body::soft::State;
use pliant::contact::output::ContactOutput;
use pliant::contact::response::Response;
use pliant::contact::response::Stiffness;
use pliant::force::gravity::Gravity;
use pliant::force::spring::{SpringLaw, SpringSettings, Springs};
use pliant::integrate::System;
use pliant::integrate::euler::{Euler, EulerKind};

const DT: f64 = 1.0 / 120.0;

/// Momentum and energy over some hundred steps, relative to those of a body.
const ROUNDING: f64 = 1e-12;

/// What an outline is made of.
#[derive(Clone, Copy, PartialEq)]
enum Stuff {
    Rigid,
    Soft,
    Held,
}

/// Outlines of 2 kg/m² with their velocities, m/s.
struct World {
    bodies: Arc<Bodies>,
    system: System,
    state: State,
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

impl World {
    fn new(list: &[(Vec<Vec2>, Stuff, [f64; 2])]) -> World {
        let (mut positions, mut velocities, mut masses) = (Vec::new(), Vec::new(), Vec::new());
        let (mut rigids, mut states, mut rings) = (Vec::new(), Vec::new(), Vec::new());
        let (mut held, mut system) = (Vec::new(), System::default());
        for (k, (ring, stuff, velocity)) in list.iter().enumerate() {
            let first = positions.len() as u32;
            let places: Vec<Vec3> = ring.iter().map(|p| p.extend(0.0)).collect();
            let properties = MassProperties::from_rings(std::slice::from_ref(ring), 2.0).unwrap();
            let (body, mut state) = RigidTemplate::in_plane(&places, properties).unwrap();
            masses.extend(balanced_masses_in_plane(&body, &vec![1.0; ring.len()]).unwrap());
            let velocity = Vec2::from(*velocity).extend(0.0);
            state.velocity = velocity;
            velocities.resize(velocities.len() + ring.len(), velocity);
            positions.extend(places);
            let id = BodyId(k as u32);
            let own: Vec<VertexId> = (first..positions.len() as u32).map(VertexId).collect();
            match stuff {
                Stuff::Rigid => {
                    rigids.push((id, body));
                    states.push(state);
                }
                Stuff::Soft => {
                    let settings =
                        SpringSettings { law: SpringLaw::Absolute, stiffness: 100.0, damping: 0.2 };
                    let over = |k: usize, step: usize| [own[k], own[(k + step) % own.len()]];
                    let edges: Vec<[VertexId; 2]> =
                        (0..own.len()).flat_map(|k| [over(k, 1), over(k, 2)]).collect();
                    system.forces.push(Springs::along(&positions, &edges, settings).unwrap());
                    let areas = Areas::new(&positions, &[vec![own.clone()]], 50.0);
                    system.forces.push_force(areas.unwrap());
                }
                Stuff::Held => {
                    held.extend_from_slice(&own);
                    system.fixed.push(id);
                }
            }
            rings.push(vec![(0..ring.len() as u32).map(VertexId).collect::<Vec<_>>()]);
        }
        let meshes: Vec<Mesh<'_>> =
            rings.iter().map(|rings| Mesh::Outline(rings[0].len(), rings)).collect();
        system.masses = Masses::new(masses).unwrap();
        system.bodies = Arc::new(Bodies::from_meshes(&meshes).unwrap());
        system.rigids =
            RigidBodySet::new(rigids, system.bodies.offsets(), positions.len()).unwrap();
        system.pins = Pins::still(&held, &positions).unwrap();
        let state = State { positions, velocities, rigids: states, time: 0.0 };
        World { bodies: system.bodies.clone(), system, state }
    }

    fn flat(&self) -> Flat {
        let (bodies, rest, rigids) = (&*self.bodies, &self.state.positions, &self.system.rigids);
        Flat::new(Cast { bodies, rest, rigids, apart: &[] }, Box::new(Brute)).unwrap()
    }

    fn context(&self) -> StepContext<'_> {
        let System { masses, pins, rigids, profiler, .. } = &self.system;
        let motion = self.state.motion();
        StepContext { bodies: &self.bodies, motion, masses, pins, rigids, dt: DT, profiler }
    }

    fn penalty(&self) -> Box<dyn Response> {
        let settings = OutlinePenaltySettings::of_step(0.02, DT);
        Box::new(OutlinePenalty::new(self.flat(), settings).unwrap())
    }

    fn impulses(&self, restitution: f64, friction: f64) -> Result<OutlineImpulses, OutlinesError> {
        let (distance, dt, gravity) = (0.01, DT, Vec2::ZERO);
        let settings = OutlineImpulseSettings { distance, friction, restitution, dt, gravity };
        OutlineImpulses::new(self.flat(), settings, self.context())
    }

    fn integrator(&self, response: Box<dyn Response>) -> Stepper {
        let euler = Box::new(Euler::new(EulerKind::Symplectic));
        Stepper::new(euler).with_responses(vec![response]).with_halvings(30)
    }

    fn kinetic(&self) -> f64 {
        self.system.rigids.kinetic(&self.state, &self.system.masses)
    }

    fn angular(&self) -> f64 {
        self.system.rigids.angular_momentum(&self.state, &self.system.masses, Vec3::ZERO).z
    }

    fn momentum(&self) -> Vec2 {
        self.state.momentum(&self.system.masses).truncate()
    }

    /// Steps and sees that nothing leaves the plane.
    fn steps(&mut self, integrator: &mut Stepper, count: usize) {
        for _ in 0..count {
            integrator.step(&mut self.system, &mut self.state, DT).unwrap();
            let vertices = self.state.positions.iter().chain(&self.state.velocities);
            assert!(vertices.into_iter().all(|v| v.z == 0.0));
            let tilts = self.state.rigids.iter();
            assert!(tilts.into_iter().all(|r| [r.centre.z, r.turn.x, r.turn.y] == [0.0; 3]));
        }
    }

    fn overlapping(&self) -> usize {
        let mut measure = Measure::new(&self.state.positions, &self.bodies);
        let found = measure.measure(&self.state.positions, &self.bodies);
        found.penetrating_vertices + found.edge_crossings
    }
}

#[test]
fn corners_are_pushed_out_and_edges_pushed_back_by_hand() {
    let a = (square([0.0, 0.0], 2.0), Stuff::Rigid, [0.0; 2]);
    let b = (square([1.5, 1.0], 3.0), Stuff::Rigid, [0.0; 2]);
    let world = World::new(&[a, b]);
    let usual = OutlinePenaltySettings::of_step(10.0, DT);
    let (stiffness, exit) = (Stiffness::Fixed(100.0), 1e9);
    let settings = OutlinePenaltySettings { stiffness, exit, damping: 0.0, friction: 0.0, ..usual };
    let mut response = OutlinePenalty::new(world.flat(), settings).unwrap();
    let mut output = ContactOutput::default();
    response.pre_step(world.context(), &mut output);
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
        let stuff = if rigid { Stuff::Rigid } else { Stuff::Soft };
        let list = [
            (disc([0.013, 0.0], 0.5), stuff, [2.0, 0.3]),
            (square([0.6, -0.7], 1.0), stuff, [-1.0, 0.0]),
        ];
        for with_penalty in [true, false] {
            let mut world = World::new(&list);
            let response = match with_penalty {
                true => world.penalty(),
                false => Box::new(world.impulses(0.5, 0.4).unwrap()),
            };
            let (momentum, angular, speed) = (world.momentum(), world.angular(), world.kinetic());
            let mut integrator = world.integrator(response);
            world.steps(&mut integrator, 120);
            assert!(world.kinetic() < 0.95 * speed, "they did not meet: {}", world.kinetic());
            let lost = world.momentum() - momentum;
            assert!(lost.length() < ROUNDING, "{rigid} {with_penalty}: {lost}");
            // Of soft outlines what rubs acts a depth or a gap beside its reaction.
            let turned = (world.angular() - angular).abs();
            let allowed = if rigid { ROUNDING } else { 1e-2 };
            assert!(turned < allowed, "{rigid} {with_penalty}: {turned}");
        }
    }
}

#[test]
fn what_starts_deep_inside_comes_out_and_stays_out() {
    for (centre, radius) in [([0.02, 0.0], 0.5), ([0.1, 0.05], 0.45), ([0.0, 0.13], 0.4)] {
        for stuff in [Stuff::Rigid, Stuff::Soft] {
            let list =
                [(disc([0.0, 0.0], 0.5), stuff, [0.0; 2]), (disc(centre, radius), stuff, [0.0; 2])];
            let mut world = World::new(&list);
            let mut integrator = world.integrator(world.penalty());
            world.steps(&mut integrator, 360);
            assert_eq!(world.overlapping(), 0, "{centre:?} {radius}");
        }
    }
}

/// Outlines that fly about in a frame.
fn crowd() -> World {
    let wall = |[x0, y0]: [f64; 2], [x1, y1]: [f64; 2]| {
        let ring = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)].map(|(x, y)| Vec2::new(x, y));
        (ring.to_vec(), Stuff::Held, [0.0; 2])
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
        list.push((disc([x, y], 0.6), Stuff::Rigid, [speed, 1.0]));
        list.push((square([x, y - 1.9], 0.9), Stuff::Rigid, [-speed, 2.0]));
    }
    World::new(&list)
}

#[test]
fn no_energy_comes_from_springs() {
    let mut world = crowd();
    let start = world.kinetic();
    let mut integrator = world.integrator(world.penalty());
    let mut most = 0.0_f64;
    for _ in 0..60 {
        world.steps(&mut integrator, 20);
        most = most.max(world.kinetic());
    }
    assert!(most <= start * (1.0 + ROUNDING), "{most} {start}");
    assert!(world.kinetic() < 0.5 * start, "{}", world.kinetic());
}

#[test]
fn no_step_with_impulses_ends_in_an_overlap() {
    let mut world = crowd();
    // The walls lie on each other, which is an overlap: they stay where they are.
    let apart: Vec<(BodyId, BodyId)> =
        (0..5).flat_map(|a| (a + 1..5).map(move |b| (BodyId(a), BodyId(b)))).collect();
    let (bodies, rest, rigids) = (&*world.bodies, &world.state.positions, &world.system.rigids);
    let flat = Flat::new(Cast { bodies, rest, rigids, apart: &apart }, Box::new(Brute)).unwrap();
    let (distance, dt, gravity) = (0.01, DT, Vec2::ZERO);
    let settings =
        OutlineImpulseSettings { distance, friction: 0.3, restitution: 1.0, dt, gravity };
    let response = OutlineImpulses::new(flat, settings, world.context()).unwrap();
    let mut integrator = world.integrator(Box::new(response));
    let mut flat = world.flat();
    let start = world.kinetic();
    for step in 0..300 {
        world.steps(&mut integrator, 1);
        flat.place(world.context());
        for a in 5..13 {
            let mut others = (0..13).filter(|b| *b != a);
            assert!(!others.any(|b| intersect(&flat.outlines, a, b)), "{step} {a}");
        }
    }
    assert!((0.3 * start..1.01 * start).contains(&world.kinetic()), "{} {start}", world.kinetic());
}

#[test]
fn restitution_says_what_comes_back_of_a_head_on_impact() {
    for restitution in [0.0, 0.5, 1.0] {
        let list = [
            (square([0.0, 0.0], 1.0), Stuff::Rigid, [1.0, 0.0]),
            (square([1.2, 0.0], 1.0), Stuff::Rigid, [-1.0, 0.0]),
        ];
        let mut world = World::new(&list);
        let response = world.impulses(restitution, 0.3).unwrap();
        let mut integrator = world.integrator(Box::new(response));
        world.steps(&mut integrator, 40);
        let apart = world.state.rigids[1].velocity.x - world.state.rigids[0].velocity.x;
        // What rests may still open its gap, by the contact distance a second at most.
        assert!((apart - 2.0 * restitution).abs() <= 1.05 * 0.01, "{restitution}: {apart}");
    }
}

#[test]
fn walls_tell_what_they_give() {
    for with_penalty in [true, false] {
        let list = [
            (disc([0.0, 0.0], 0.5), Stuff::Rigid, [2.0, 0.3]),
            (square([0.7, -1.0], 2.0), Stuff::Held, [0.0; 2]),
        ];
        let mut world = World::new(&list);
        let response = match with_penalty {
            true => world.penalty(),
            false => Box::new(world.impulses(0.5, 0.4).unwrap()),
        };
        let mut integrator = world.integrator(response);
        let before = world.state.rigids[0].velocity;
        world.steps(&mut integrator, 60);
        let mass = world.system.rigids.entries()[0].body.mass;
        let change = mass * (world.state.rigids[0].velocity - before);
        let reported: Vec3 =
            world.system.scratch.external_impulses.iter().map(|(_, impulse)| *impulse).sum();
        assert!(change.x < -mass && change.abs_diff_eq(reported, ROUNDING), "{change} {reported}");
    }
}

#[test]
fn what_cannot_be_kept_apart_is_refused() {
    let list = [
        (square([0.0, 0.0], 1.0), Stuff::Rigid, [0.0; 2]),
        (square([1.0, 0.0], 1.0), Stuff::Rigid, [0.0; 2]),
    ];
    let world = World::new(&list);
    let error = world.impulses(0.0, 0.0).unwrap_err();
    assert_eq!(error, OutlinesError::Overlap { a: BodyId(0), b: BodyId(1) });
    let error = world.impulses(2.0, 0.0).unwrap_err().to_string();
    assert_eq!(error, "the restitution of a constrained response is 2: it must be from 0 to 1");
    let settings = OutlinePenaltySettings::of_step(-1.0, DT);
    let error = OutlinePenalty::new(world.flat(), settings).unwrap_err().to_string();
    assert!(error.starts_with("the error of a penalty of outlines is -1"), "{error}");
}

#[test]
fn a_place_that_no_backend_takes_is_refused_by_its_vertex_and_value() {
    let list = [
        (square([0.0, 0.0], 1.0), Stuff::Soft, [0.0; 2]),
        (square([3.0, 0.0], 1.0), Stuff::Soft, [0.0; 2]),
    ];
    for far in [1e151, -1e200, f64::NAN, f64::INFINITY] {
        let mut world = World::new(&list);
        let impulses = Box::new(world.impulses(0.0, 0.0).unwrap());
        let mut responses: [Box<dyn Response>; 2] = [world.penalty(), impulses];
        world.state.positions[6].y = far;
        for response in &mut responses {
            let mut output = ContactOutput::default();
            response.pre_step(world.context(), &mut output);
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
    let list = [(square([0.0, 0.0], 1.0), Stuff::Rigid, [0.0; 2])];
    let mut world = World::new(&list);
    let (bodies, rest, rigids) = (&*world.bodies, &world.state.positions, &world.system.rigids);
    let cast = Cast { bodies, rest, rigids, apart: &[] };
    let flat = Flat::new(cast, Box::<Broken>::default()).unwrap();
    let settings = OutlinePenaltySettings::of_step(0.02, DT);
    let response = Box::new(OutlinePenalty::new(flat, settings).unwrap());
    let mut integrator = world.integrator(response);
    let reported =
        integrator.step(&mut world.system, &mut world.state, DT).unwrap_err().to_string();
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
    let mut list = vec![(bowl, Stuff::Held, [0.0; 2])];
    for k in 0..3 {
        let (x, y) = (0.13 * f64::from(k), 0.45 + 0.95 * f64::from(k));
        list.push((disc([x - 0.6, y], 0.4), Stuff::Rigid, [0.0; 2]));
        list.push((square([0.7 - x - 0.35, y], 0.7), Stuff::Rigid, [0.0; 2]));
    }
    let mut world = World::new(&list);
    let masses = world.system.masses.of().to_vec();
    world.system.forces.push(Gravity::new(GRAVITY.extend(0.0), &masses));
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
    let response = OutlineImpulses::new(world.flat(), settings, world.context()).unwrap();
    let mut integrator = world.integrator(Box::new(response));
    let energy = |world: &World| {
        let rigids = world.system.rigids.entries().iter().zip(&world.state.rigids);
        let height = rigids.map(|(rigid, state)| -rigid.body.mass * state.centre.y * GRAVITY.y);
        world.kinetic() + height.sum::<f64>()
    };
    let fastest = |world: &World| {
        world.state.velocities.iter().map(|velocity| velocity.length()).fold(0.0, f64::max)
    };
    let start = energy(&world);
    let (mut before, mut cuts) = (start, 0);
    for step in 0..720 {
        let report = integrator.step(&mut world.system, &mut world.state, DT).unwrap();
        cuts += report.halvings;
        assert_eq!(world.overlapping(), 0, "{step}");
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
