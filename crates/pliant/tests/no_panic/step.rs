//! Whole steps, of parts that do not belong together.

use std::sync::Arc;

use pliant::body::Bodies;
use pliant::body::keyframes::{Keyframes, Pose};
use pliant::body::obstacle::{Obstacle, Plane, SurfaceMaterial};
use pliant::body::pins::Pins;
use pliant::body::rigid::all::RigidBodySet;
use pliant::body::soft::{Masses, State};
use pliant::contact::Contact;
use pliant::contact::output::ContactOutput;
use pliant::contact::response::{Response, StepContext};
use pliant::force::Forces;
use pliant::force::gravity::Gravity;
use pliant::id::{BodyId, VertexId};
use pliant::integrate::free_motion::FreeMotion;
use pliant::integrate::implicit::{Implicit, ImplicitSettings};
use pliant::integrate::shape_matching::matching::{ShapeMatching, Velocities};
use pliant::integrate::shape_matching::{Group, Groups};
use pliant::integrate::sleep::SleepSettings;
use pliant::math::{Quat, Vec3};
use pliant::snapshot::{Snapshot, SnapshotError};
use pliant::solve::constraint::{ConstraintResponse, ConstraintSettings};
use pliant::step::{MatchOrder, Simulation, Stepper};
use proptest::prelude::*;

use crate::body::solid;
use crate::contact::contact;
use crate::force::forces;
use crate::integrate::integrators;
use crate::{Scene, config, count, disturbed, mild, number, quaternion, vector, vertex};

/// A response of someone else, that asks for anything.
#[derive(Clone, Debug)]
struct Wild {
    contacts: Vec<Contact>,
    pushes: Vec<(VertexId, Vec3)>,
    shift: (BodyId, Vec3, Quat),
}

impl Response for Wild {
    fn pre_step(&mut self, _context: StepContext<'_>, output: &mut ContactOutput) {
        output.rows.extend_from_slice(&self.contacts);
        output.forces.extend_from_slice(&self.pushes);
        self.post_step(_context, output);
    }

    fn post_step(&mut self, _context: StepContext<'_>, output: &mut ContactOutput) {
        output.impulses.extend_from_slice(&self.pushes);
        output.shifts.extend_from_slice(&self.pushes);
        let (body, shift, turn) = self.shift;
        output.rigid_shifts.push(pliant::contact::output::RigidShift {
            body,
            centre: shift,
            turn,
            shift,
        });
    }

    fn post_step_with_forces(
        &mut self,
        context: StepContext<'_>,
        _: &Forces,
        output: &mut ContactOutput,
    ) {
        self.post_step(context, output);
    }

    fn on_accept(&mut self, _before: &ContactOutput) {}

    fn save(&self, _snapshot: &mut Snapshot) {}

    fn restore(&mut self, _snapshot: &mut Snapshot) -> Result<(), SnapshotError> {
        Ok(())
    }

    fn set_threads(&mut self, _threads: usize) {}
}

/// The engine's own response over a floor.
fn rows(scene: &Scene) -> Box<dyn Response> {
    let material = SurfaceMaterial { friction: 0.5, restitution: 0.5 };
    let floor = Obstacle::new(Plane, Keyframes::still(Pose::IDENTITY).unwrap(), material).unwrap();
    let settings = ConstraintSettings::default();
    let made = ConstraintResponse::new(&scene.rest, &scene.bodies, vec![floor], settings);
    Box::new(made.unwrap())
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn steps_are_made_or_refused(
        positions in disturbed(Scene::new().rest),
        velocities in disturbed(vec![Vec3::ZERO; 16]),
        (dt, time, threads) in (mild(), number(), count()),
        (substeps, halvings, tolerance) in (0..4_u32, 0..3_u32, number()),
        numbers in prop::collection::vec(number(), 0..200),
        (rigids, which) in (0..3_usize, 0..6_usize),
    ) {
        let scene = Scene::new();
        for integrator in integrators(&scene) {
            let solves = integrator.solves_constraints();
            let responses = if solves { vec![rows(&scene)] } else { Vec::new() };
            let groups = Groups::new(
                &[Group::rigid((0..8).map(VertexId).collect())],
                &scene.rest,
                &scene.masses,
                &Pins::default(),
            );
            let mut stepper = Stepper::new(integrator)
                .with_responses(responses)
                .with_free_motion(FreeMotion::Explicit)
                .with_substeps(substeps)
                .with_halvings(halvings)
                .with_convergence_tolerance(tolerance);
            if which == 0 {
                let matching = ShapeMatching::new(groups.unwrap(), Velocities::Kept);
                stepper = stepper.with_matching(matching, MatchOrder::Last);
            }
            let settings = SleepSettings { quiet: tolerance, after: dt };
            let stepper = if which < 3 { stepper.with_sleep(settings) } else { stepper };
            let _ = (stepper.is_dissipative(), stepper.stable_step(), stepper.matching().is_some());
            let mut system = scene.system();
            system.forces = forces(&scene);
            let (body, at) = solid(&scene);
            if rigids > 0 {
                let list = vec![(BodyId(1), body)];
                system.rigids = RigidBodySet::new(list, scene.bodies.offsets(), 16).unwrap();
            }
            let mut simulation = Simulation::new(scene.state(), system, stepper);
            simulation.state.rigids = vec![at; rigids];
            simulation.set_threads(threads);
            let step = simulation.step(1e-3);
            prop_assert_eq!(step.is_ok(), rigids < 2, "{:?}", step);
            let mut snapshot = Snapshot::default();
            simulation.save(&mut snapshot);
            let _ = simulation.restore(&mut Snapshot::from_numbers(numbers.clone()));
            let rigids = simulation.state.rigids.clone();
            simulation.state = State { positions: positions.clone(), velocities: velocities.clone(), rigids, time };
            let _ = simulation.step(dt);
            let _ = simulation.step(dt);
            let _ = simulation.external_impulses();
        }
    }

    #[test]
    fn parts_of_other_scenes_are_refused(
        (which, count, threads) in (0..7_usize, 0..30_usize, count()),
        (pinned, at) in (vertex(), vector()),
    ) {
        let scene = Scene::new();
        let mut stepper = Stepper::new(Box::new(Implicit::new(ImplicitSettings::default())))
            .with_responses(vec![rows(&scene)]);
        let (mut system, mut state) = (scene.system(), scene.state());
        system.forces = forces(&scene);
        let others = Arc::new(Bodies::of_particles([count]).unwrap());
        let few = Masses::new(vec![1.0; count]).unwrap();
        match which {
            0 => system.bodies = others.clone(),
            1 => system.masses = few,
            2 => {
                let positions = vec![at; pinned.index().min(100) + 1];
                let _ = Pins::still(&[pinned], &positions).map(|pins| system.pins = pins);
            }
            3 => system.forces.push(Gravity::new(at, &vec![1.0; count])),
            4 => {
                let (body, _) = solid(&scene);
                let list = vec![(BodyId(1), body)];
                system.rigids = RigidBodySet::new(list, scene.bodies.offsets(), 16).unwrap();
            }
            5 => {
                let list = vec![Group::rigid(vec![VertexId(0), VertexId(1)])];
                let positions: Vec<Vec3> = (0..count + 2).map(|k| k as f64 * Vec3::X).collect();
                let masses = Masses::new(vec![1.0; count + 2]).unwrap();
                if let Ok(groups) = Groups::new(&list, &positions, &masses, &Pins::default()) {
                    let matching = ShapeMatching::new(groups, Velocities::Travelled);
                    stepper = stepper.with_matching(matching, MatchOrder::BeforeContact);
                }
            }
            _ => state = State::at_rest(vec![at; count]),
        }
        let mut simulation = Simulation::new(state, system, stepper);
        simulation.set_threads(threads);
        for _ in 0..2 {
            let step = simulation.step(1e-3);
            let misfit = match which {
                0 | 1 | 6 => count != 16,
                4 => true,
                _ => false,
            };
            prop_assert!(!misfit || step.is_err(), "{:?}", step);
        }
    }

    #[test]
    fn responses_may_ask_for_anything(
        contacts in prop::collection::vec(contact(), 0..3),
        pushes in prop::collection::vec((vertex(), vector()), 0..3),
        shift in (crate::body(), vector(), quaternion()),
        dt in mild(),
    ) {
        let scene = Scene::new();
        let wild = Wild { contacts, pushes, shift };
        for integrator in integrators(&scene) {
            let mut stepper = Stepper::new(integrator).with_responses(vec![Box::new(wild.clone())]);
            let mut system = scene.system();
            let mut state = scene.state();
            let _ = stepper.step(&mut system, &mut state, dt);
            let _ = stepper.step(&mut system, &mut state, dt);
        }
    }
}
