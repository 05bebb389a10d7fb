//! Integrators, called without a stepper.

use pliant::body::pins::Pins;
use pliant::body::rigid::RigidState;
use pliant::body::soft::{State, StateView};
use pliant::id::VertexId;
use pliant::integrate::constraint::{Constraints, PbdSettings, PositionConstraint};
use pliant::integrate::euler::{Euler, EulerKind};
use pliant::integrate::free_motion::FreeMotion;
use pliant::integrate::frequency::highest_frequency;
use pliant::integrate::implicit::{Implicit, ImplicitKind, ImplicitSettings};
use pliant::integrate::midpoint::Midpoint;
use pliant::integrate::pbd::Pbd;
use pliant::integrate::rk4::Rk4;
use pliant::integrate::shape_matching::matching::{ShapeMatching, Velocities};
use pliant::integrate::shape_matching::pull::Pull;
use pliant::integrate::shape_matching::{Group, Groups, Stiffness};
use pliant::integrate::verlet::{VelocityKind, Verlet};
use pliant::integrate::{Integrator, StepReport};
use pliant::math::Vec3;
use pliant::math::polar::PolarMethod;
use pliant::snapshot::Snapshot;
use proptest::prelude::*;

use crate::body::solid;
use crate::force::forces;
use crate::{Scene, config, count, disturbed, mild, number, quaternion, vector, vectors, vertex};

/// One of each.
pub fn integrators(scene: &Scene) -> Vec<Box<dyn Integrator>> {
    let implicit = |kind| Implicit::new(ImplicitSettings { kind, ..Default::default() });
    let constraints = Constraints::new(Vec::new(), Vec::new(), scene.rest.len()).unwrap();
    vec![
        Box::new(Euler::new(EulerKind::Explicit)),
        Box::new(Euler::new(EulerKind::Symplectic)),
        Box::new(Midpoint::new()),
        Box::new(Rk4::new()),
        Box::new(Verlet::new(VelocityKind::Backward)),
        Box::new(Verlet::new(VelocityKind::Central)),
        Box::new(Pbd::new(VelocityKind::Backward, constraints, PbdSettings::default())),
        Box::new(implicit(ImplicitKind::Euler)),
        Box::new(implicit(ImplicitKind::Midpoint)),
        Box::new(implicit(ImplicitKind::Bdf2)),
    ]
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn every_integrator_steps_or_refuses(
        positions in disturbed(Scene::new().rest),
        velocities in disturbed(vec![Vec3::ZERO; 16]),
        (dt, time, threads) in (mild(), number(), count()),
        (pushed, force, rigids) in (vertex(), vector(), 0..3_usize),
        numbers in prop::collection::vec(number(), 0..40),
    ) {
        let scene = Scene::new();
        let (solid, at) = solid(&scene);
        for mut integrator in integrators(&scene) {
            let mut system = scene.system();
            system.forces = forces(&scene);
            if rigids == 2 {
                let list = vec![(pliant::id::BodyId(1), solid.clone())];
                system.rigids = pliant::body::rigid::all::RigidBodySet::new(list, scene.bodies.offsets(), 16).unwrap();
            }
            system.scratch.contact.forces.push((pushed, force));
            integrator.set_threads(threads);
            let _ = (integrator.solves_constraints(), integrator.is_dissipative(), integrator.stable_step());
            let mut state = State { positions: positions.clone(), velocities: velocities.clone(), rigids: vec![at; rigids], time };
            let _ = integrator.step(&mut system, &mut state, dt);
            let mut snapshot = Snapshot::default();
            integrator.save(&mut snapshot);
            let _ = integrator.restore(&mut Snapshot::from_numbers(numbers.clone()));
            let _ = integrator.step(&mut system, &mut state, dt);
            // A fast vertex is refused, not computed with.
            let mut fast = scene.state();
            fast.velocities[3] = Vec3::splat(1e200);
            system.rigids = Default::default();
            system.scratch.contact.clear();
            prop_assert!(system.check_state(fast.motion(), "start").is_err());
        }
    }

    #[test]
    fn systems_take_any_motion(
        (positions, velocities) in (vectors(18), vectors(18)),
        (dt, pushed, force) in (number(), vertex(), vector()),
    ) {
        let scene = Scene::new();
        let mut system = scene.system();
        system.forces = forces(&scene);
        system.scratch.contact.forces.push((pushed, force));
        let motion = StateView { positions: &positions, velocities: &velocities, time: dt };
        let mut list = Vec::new();
        let _ = (system.accelerations(motion, &mut list), system.sum_forces(motion, &mut list));
        let mut state = State { positions, velocities, rigids: Vec::new(), time: dt };
        let _ = (system.check_state(state.motion(), "test"), system.check_step(&state, dt));
        let mut sound = scene.state();
        let _ = system.accept(&mut sound, &mut state, dt);
        let _ = (highest_frequency(&system, &state), highest_frequency(&system, &scene.state()));
        let mut report = StepReport::default();
        report.add(report);
    }

    #[test]
    fn constraints_and_groups_are_checked(
        (list, ends) in (prop::collection::vec(vertex(), 0..6), [vertex(), vertex()]),
        (a, b, time) in (number(), mild(), number()),
        mut positions in vectors(8),
        masses in prop::collection::vec(number(), 0..9),
        (vertex_count, sweeps) in (count(), 0..50_usize),
        polar in prop::sample::select(vec![PolarMethod::Newton, PolarMethod::Direct, PolarMethod::WarmStart]),
    ) {
        let one = PositionConstraint::Distance { ends, length: a };
        let out = PositionConstraint::Outside { vertex: ends[0], obstacle: vertex_count };
        prop_assert!(Constraints::new(vec![out], Vec::new(), 4).is_err());
        for vertex_count in [vertex_count, positions.len()] {
            let Ok(constraints) = Constraints::new(vec![one], Vec::new(), vertex_count) else { continue };
            let settings = PbdSettings { sweeps, tolerance: b };
            let _ = constraints.list();
            let _ = constraints.relax(&mut positions, &masses, time, settings);
            let pbd = Pbd::new(VelocityKind::Central, constraints, settings);
            let _ = pbd.last();
        }
        let scene = Scene::new();
        let group = Group { stiffness: Stiffness::Share(a), ..Group::rigid(list) };
        let all = Group::rigid((0..8).map(VertexId).collect());
        for list in [vec![group.clone()], vec![group], vec![all]] {
            let made = Groups::new(&list, &scene.rest, &scene.masses, &Pins::default());
            let _ = made.as_ref().map_err(|error| error.group());
            let Ok(groups) = made else { continue };
            let groups = groups.with_polar(polar);
            for cluster in groups.clusters() {
                let _ = (cluster.members(), cluster.last(), cluster.plastic(), cluster.rank());
            }
            let pull = Pull::new(groups.clone(), b);
            let _ = pull.clusters().count();
            let mut forces = pliant::force::Forces::new();
            forces.push_force(pull);
            let _ = forces.energy(StateView { positions: &positions, velocities: &positions, time });
            let matching = ShapeMatching::new(groups, Velocities::Travelled);
            let _ = matching.groups();
        }
    }

    #[test]
    fn free_motion_takes_any_state(
        (centre, velocity, spin) in (vector(), vector(), vector()),
        (turn, dt) in (quaternion(), number()),
    ) {
        let (body, _) = solid(&Scene::new());
        for kind in [FreeMotion::Conserving, FreeMotion::Explicit, FreeMotion::Lecture] {
            kind.step(&body, &mut RigidState { centre, turn, velocity, spin }, dt);
        }
    }
}
