//! Solvers of contacts and joints.

use pliant::body::rigid::RigidState;
use pliant::contact::impulse::ContactImpulse;
use pliant::math::{Mat3, Vec3};
use pliant::solve::augmented_lagrangian::AugmentedLagrangian;
use pliant::solve::constraint::{ConstraintResponse, ConstraintSettings, min_normal_velocity};
use pliant::solve::joint::{Axis, JointDefinition, JointKind, Joints, Motor};
use pliant::solve::linear::{Operator, Product};
use pliant::solve::rows::{Equations, SolveSettings, Unknowns};
use pliant::solve::terms::SolverRow;
use proptest::prelude::*;

use crate::body::solid;
use crate::contact::contact;
use crate::{Scene, config, count, mild, number, vector, vectors, vertex};

proptest! {
    #![proptest_config(config(150))]

    #[test]
    fn the_contact_solver_solves_or_refuses(
        contacts in prop::collection::vec(contact(), 0..3),
        (right, velocities) in (vectors(8), vectors(8)),
        masses in prop::collection::vec(mild(), 0..9),
        held in prop::collection::vec(vertex(), 0..3),
        (dt, impulses, blocks) in (number(), 0..4_usize, 0..9_usize),
    ) {
        let diagonal = vec![Mat3::IDENTITY; blocks];
        let multiply = |x: &[Vec3], product: &mut [Vec3]| product.copy_from_slice(x);
        let matrix = &Product { multiply, diagonal: &diagonal };
        let _ = (matrix.diagonal(usize::MAX), matrix.multiply(&right, &mut right.clone()));
        let rows: Vec<SolverRow> = contacts.iter().map(SolverRow::of).collect();
        let mut velocities = velocities;
        for contact in &contacts {
            let _ = min_normal_velocity(contact, dt, dt);
        }
        let mut row_impulses = vec![ContactImpulse::default(); impulses];
        for right in [right, velocities.clone()] {
            let equations = Equations { matrix, right: &right, held: &held, dt };
            let unknowns = Unknowns { velocities: &mut velocities, row_impulses: &mut row_impulses };
            let settings = SolveSettings::default();
            let _ = AugmentedLagrangian::default().solve(equations, &masses, &rows, settings, unknowns);
        }
    }

    #[test]
    fn absurd_settings_of_contact_are_refused(
        (friction, restitution) in (number(), number()),
        (weight, speed) in (mild(), mild()),
        pairs in prop::collection::vec((crate::body(), crate::body()), 0..4),
    ) {
        let scene = Scene::new();
        let mut settings = ConstraintSettings { restitution, weight, max_depenetration_speed: speed, ..Default::default() };
        settings.contacts.friction = friction;
        let made = ConstraintResponse::new(&scene.rest, &scene.bodies, Vec::new(), settings);
        let at_least_0 = |x: f64| x >= 0.0 && x.is_finite();
        let sound = (0.0..=1.0).contains(&restitution) && [friction, weight, speed].into_iter().all(at_least_0);
        prop_assert_eq!(made.is_ok(), sound);
        let _ = made.map(|made| made.leaving_out(pairs));
        prop_assert!(ConstraintResponse::new(&scene.rest[1..], &scene.bodies, Vec::new(), settings).is_err());
    }

    #[test]
    fn joints_join_what_exists(
        (anchor, direction) in (vector(), vector()),
        (one, other) in (count(), prop::option::of(count())),
        (low, high, speed, most) in (number(), number(), number(), number()),
        (velocity, spin, dt) in (vector(), vector(), mild()),
        which in 0..4_usize,
    ) {
        let scene = Scene::new();
        let (body, at) = solid(&scene);
        let motor = Some(Motor { speed, most });
        let axis = Axis { limits: Some([low, high]), motor, ..Axis::free(direction) };
        let kind = [JointKind::Ball, JointKind::Hinge(axis), JointKind::Slider(axis), JointKind::Fixed][which];
        let bodies = [body.clone(), body];
        for ends in [(one, other), (0, Some(1)), (1, None)] {
            let list = vec![JointDefinition::new(kind, ends, anchor), JointDefinition::new(JointKind::Ball, ends, Vec3::ZERO)];
            let mut states = [at; 2];
            let Ok(mut joints) = Joints::new(list, &bodies, &states) else { continue };
            let _ = (joints.is_empty(), joints.list(), joints.met(), joints.loads());
            let _ = (joints.missed(one), joints.travel(one), joints.set_motor(one, motor));
            let _ = joints.set_motor(0, motor);
            states[0] = RigidState { velocity, spin, centre: anchor, ..at };
            let _ = joints.velocities(&bodies, &mut states, dt);
            let _ = joints.positions(&bodies, &mut states);
            prop_assert!(joints.velocities(&bodies[..1], &mut states, dt).is_err());
            prop_assert!(joints.positions(&bodies, &mut states[..1]).is_err());
        }
    }
}
