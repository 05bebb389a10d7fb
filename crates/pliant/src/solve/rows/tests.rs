use super::*;
use crate::body::offsets::BodyOffsets;
use crate::body::soft::StateView;
use crate::contact::{Feature, resting};
use crate::force::spring::{SpringLaw, SpringSettings, Springs};
use crate::force::{Forces, Form, Tangent};

fn meeting(a: u32, b: u32) -> Contact {
    let [a_vertex, b_vertex] = [a, b].map(|body| VertexId(2 * body));
    Contact {
        feature: Feature::VertexBody(a_vertex, BodyId(b)),
        vertices: [a_vertex, b_vertex, b_vertex, b_vertex],
        weights: [1.0, -1.0, 0.0, 0.0],
        count: 2,
        bodies: (BodyId(a), Some(BodyId(b))),
        ..resting(a_vertex)
    }
}

#[test]
fn contacts_join_bodies_to_islands_and_obstacles_do_not() {
    let bodies = [0..2, 2..4, 4..6, 6..8, 8..20];
    let on_floor = |body: u32| Contact { bodies: (BodyId(body), None), ..meeting(body, 0) };
    let mut islands = Islands::default();
    let settings = RowSettings { max_dense_vertices: 2, ..RowSettings::default() };
    islands.find(&bodies, &[], &[meeting(2, 0), on_floor(1), on_floor(4)], settings);
    let methods = |islands: &Islands| [0, 1, 2, 3, 4].map(|body| islands.method(BodyId(body)));
    let (dense, factored) = (Some(Method::Dense), Some(Method::Factored));
    assert_eq!(methods(&islands), [dense, dense, dense, None, factored]);
    // The large body takes its island with it, the one on the floor is left alone.
    islands.find(&bodies, &[], &[meeting(2, 0), meeting(2, 4), on_floor(1)], settings);
    assert_eq!(methods(&islands), [factored, dense, factored, None, factored]);
}

const MASSES: [f64; 6] = [1.0, 2.0, 3.0, 1.0, 2.0, 5.0];

/// A of pairs of vertices, each joined by stiffness.
fn pairs() -> Forces {
    let rest = [0, 1, 2, 3, 4, 5].map(|k| f64::from(k) * Vec3::ONE);
    let edges = [0, 1, 2].map(|body| [2 * body, 2 * body + 1].map(VertexId));
    let law = SpringSettings { law: SpringLaw::Absolute, stiffness: 400.0, damping: 3.0 };
    let mut forces = Forces::default();
    forces.push(Springs::along(&rest, &edges, law).unwrap());
    let motion = StateView { positions: &rest, velocities: &[Vec3::ZERO; 6], time: 0.0 };
    let tangent = Tangent { stiffness: 0.01, damping: 0.1, form: Form::Definite };
    forces.assemble(motion, tangent).unwrap();
    let matrix = forces.matrix_mut().unwrap();
    for (row, mass) in MASSES.iter().enumerate() {
        matrix.add_to_diagonal(row, *mass);
    }
    forces
}

/// Pairs of vertices; the first of each body meets the next body.
#[test]
fn all_solvers_find_the_same_velocities() {
    let (masses, forces) = (MASSES, pairs());
    let right = [0.0, -3.0, 1.0, 2.0, 9.0, 4.0].map(|push| push * Vec3::new(0.2, 0.0, 1.0));
    let matrix = forces.matrix().unwrap();
    let equations = Equations { matrix, right: &right, held: &[], dt: 0.1 };
    let bodies = BodyOffsets::from_counts([2, 2, 2]);
    let mut contacts = [meeting(0, 1), meeting(1, 2), meeting(2, 0)];
    contacts[2].normal = -Vec3::Z;
    let linear = LinearSettings { tolerance: 1e-12, ..LinearSettings::default() };
    let methods = [
        (0, IslandSolver::AugmentedLagrangian),
        (2, IslandSolver::Factored),
        (0, IslandSolver::Factored),
    ];
    let solved = methods.map(|(max_dense_vertices, large_islands)| {
        let settings = RowSettings {
            max_dense_vertices,
            large_islands,
            rigid_islands: RigidSolver::default(),
            sweeps: 200,
            velocity_tolerance: 1e-14,
            rigid_sweeps: 200,
            rigid_velocity_tolerance: 1e-14,
            min_outer_iterations: 100,
            max_outer_iterations: 100,
        };
        let (mut velocities, mut row_impulses) = ([Vec3::ZERO; 6], [ContactImpulse::default(); 3]);
        let ends = Unknowns { velocities: &mut velocities, row_impulses: &mut row_impulses };
        let mut solver = RowSolver::default();
        solver
            .solve(
                equations,
                Sides::soft(&bodies, &masses),
                &contacts,
                SolveSettings { rows: settings, linear },
                ends,
            )
            .unwrap();
        (velocities, row_impulses)
    });
    let [(by_rounds, row_impulses), (by_sweeps, _), (by_factors, _)] = solved;
    for ((a, b), c) in by_rounds.iter().zip(by_sweeps).zip(by_factors) {
        assert!(a.abs_diff_eq(b, 1e-9), "{a} {b}");
        // Its tolerance is at most 5e-5 of the size, 1 m, per step of 0.1 s.
        assert!(c.abs_diff_eq(b, 5e-4), "{c} {b}");
    }
    assert!(row_impulses.iter().any(|row_impulse| row_impulse.normal > 0.1), "{row_impulses:?}");
    assert!(
        contacts.iter().all(|contact| { contact.normal.dot(contact.relative(&by_sweeps)) > -1e-9 })
    );
}
