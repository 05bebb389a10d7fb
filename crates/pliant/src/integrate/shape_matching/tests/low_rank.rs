//! Large groups as terms of low rank: the same matrix and the same steps as dense ones.

use std::sync::Arc;

use super::*;
use crate::body::keyframes::{Keyframes, Pose};
use crate::body::obstacle::{Obstacle, Plane, SurfaceMaterial};
use crate::body::offsets::BodyOffsets;
use crate::body::rigid::RigidTemplate;
use crate::body::rigid::all::RigidBodySet;
use crate::body::rigid::mass::MassProperties;
use crate::body::soft::StateView;
use crate::body::{Bodies, Mesh};
use crate::force::{BlockMatrix, Force, Forces, Form, Tangent};
use crate::id::BodyId;
use crate::integrate::implicit::{Equations, Implicit, ImplicitSettings};
use crate::integrate::shape_matching::pull::{MAX_DENSE, Pull};
use crate::mesh::generate::cuboid::cuboid;
use crate::mesh::generate::lattice::TetSplit;
use crate::mesh::tet::TetMesh;
use crate::solve::constraint::ConstraintResponse;
use crate::solve::linear::{LinearSettings, LinearSolver};
use crate::solve::rows::IslandSolver;

const COUNT: usize = 120;

/// Limits of dense groups that make all of them dense, and none.
const LIMITS: [usize; 2] = [usize::MAX, 0];

const DT: f64 = 0.01;

/// Iterations end with the digits that are there.
const EXACT: LinearSettings =
    LinearSettings { solver: LinearSolver::Pcg, tolerance: 1e-15, iterations: 1000 };

const TANGENT: Tangent = Tangent { stiffness: DT * DT, damping: DT, form: Form::Definite };

/// Two groups above the limit that share vertices, one of them numbered backwards.
fn large(kind: Kind, stiffness: Stiffness) -> (Vec<Group>, Vec<Vec3>, System) {
    let mut random = Random::new(19);
    let rest: Vec<Vec3> = (0..COUNT).map(|_| random.vec3() * Vec3::new(1.0, 2.0, 3.0)).collect();
    let masses: Vec<f64> = (0..COUNT).map(|_| 5.5 + 4.5 * random.signed()).collect();
    let group = |vertices| Group { vertices, kind, stiffness, plasticity: None };
    let groups = vec![
        group((0..70).map(VertexId).collect()),
        group((40..110).rev().map(VertexId).collect()),
    ];
    assert!(groups.iter().all(|group| group.vertices.len() > MAX_DENSE));
    (groups, rest, free(&masses))
}

fn pull(groups: &[Group], rest: &[Vec3], system: &System, max_dense: usize) -> Pull {
    let groups = Groups::new(groups, rest, &system.masses, &system.pins).unwrap();
    Pull::with_limit(groups, DT, max_dense)
}

fn motion(positions: &[Vec3]) -> StateView<'_> {
    StateView { positions, velocities: positions, time: 0.0 }
}

fn largest(vectors: &[Vec3]) -> f64 {
    vectors.iter().fold(0.0, |most, v| most.max(v.length()))
}

#[track_caller]
fn check_same(a: &[Vec3], b: &[Vec3], tolerance: f64, what: &dyn std::fmt::Debug) {
    let apart: Vec<Vec3> = a.iter().zip(b).map(|(a, b)| *a - *b).collect();
    let (apart, size) = (largest(&apart), largest(a));
    assert!(a.len() == b.len() && apart <= tolerance * size, "{what:?}: {apart:e} of {size}");
}

fn product(matrix: &BlockMatrix, x: &[Vec3]) -> Vec<Vec3> {
    let mut product = vec![Vec3::ZERO; x.len()];
    matrix.multiply(x, &mut product);
    product
}

/// Columns of the diagonal blocks.
fn diagonal(matrix: &BlockMatrix) -> Vec<Vec3> {
    let columns = |block: Mat3| [block.x_axis, block.y_axis, block.z_axis];
    (0..matrix.len()).flat_map(|row| columns(matrix.diagonal(row))).collect()
}

#[test]
fn a_term_of_low_rank_is_the_dense_matrix() {
    let mut random = Random::new(23);
    for kind in kinds() {
        let pins = [VertexId(3), VertexId(50)];
        for (stiffness, pins) in [(Stiffness::Rate(30.0), &pins[..]), (Stiffness::Firm, &[])] {
            let (groups, rest, mut system) = large(kind, stiffness);
            system.pins.add_still(pins, &rest).unwrap();
            // Where heavy pins take part in sums, what is left of these has fewer digits.
            let rounding = if pins.is_empty() { ROUNDING } else { HELD * ROUNDING };
            let bent: Vec<Vec3> = rest.iter().map(|x| *x + 0.2 * random.vec3()).collect();
            let way: Vec<Vec3> = bent.iter().map(|_| random.vec3()).collect();
            let [mut dense, mut low] = LIMITS.map(|max_dense| {
                let mut forces = Forces::new();
                forces.push_force(pull(&groups, &rest, &system, max_dense));
                forces
            });
            let dense = dense.assemble(motion(&bent), TANGENT).unwrap();
            let low = low.assemble(motion(&bent), TANGENT).unwrap();
            assert!((0..COUNT).all(|row| low.row(row).0.len() == 1));
            check_same(&product(dense, &way), &product(low, &way), rounding, &kind);
            check_same(&diagonal(dense), &diagonal(low), rounding, &kind);
            let expanded = low.expanded().unwrap();
            for row in 0..COUNT {
                let (columns, blocks) = dense.row(row);
                let (same_columns, same) = expanded.row(row);
                assert_eq!(columns, same_columns);
                let size = dense.row(row).1.iter().fold(0.0_f64, |most, block| {
                    block.to_cols_array().iter().fold(most, |most, x| most.max(x.abs()))
                });
                let whole: Mat3 = blocks.iter().fold(Mat3::ZERO, |sum, block| sum + *block);
                let sum = low.term_sum(row).unwrap() + low.row(row).1[0];
                assert!(whole.abs_diff_eq(sum, rounding * size), "{kind:?} {row}");
                let near = |(a, b): (&Mat3, &Mat3)| a.abs_diff_eq(*b, rounding * size);
                assert!(blocks.iter().zip(same).all(near), "{kind:?} {row}");
            }
        }
    }
}

#[test]
fn products_without_a_matrix_are_the_same() {
    let mut random = Random::new(29);
    for kind in kinds() {
        let (groups, rest, system) = large(kind, Stiffness::Rate(30.0));
        let bent: Vec<Vec3> = rest.iter().map(|x| *x + 0.2 * random.vec3()).collect();
        let way: Vec<Vec3> = bent.iter().map(|_| random.vec3()).collect();
        let [dense, low] = LIMITS.map(|max_dense| {
            let mut product = vec![Vec3::ZERO; COUNT];
            let pull = pull(&groups, &rest, &system, max_dense);
            pull.add_product(motion(&bent), TANGENT, &way, &mut product);
            product
        });
        check_same(&dense, &low, ROUNDING, &kind);
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let mut random = Random::new(31);
    let (groups, rest, system) = large(Kind::Quadratic { blend: 0.8 }, Stiffness::Firm);
    let way: Vec<Vec3> = rest.iter().map(|_| random.vec3()).collect();
    let mut forces = Forces::new();
    forces.push_force(pull(&groups, &rest, &system, 0));
    let mut of = |threads: usize| {
        forces.set_threads(threads, COUNT);
        product(forces.assemble(motion(&rest), TANGENT).unwrap(), &way)
    };
    let one = of(1);
    assert!([2, 3, 7].into_iter().all(|threads| of(threads) == one));
}

/// Velocities after a step of bent groups that are pinned at one vertex.
fn stepped(kind: Kind, equations: Equations, max_dense: usize) -> Vec<Vec3> {
    let mut random = Random::new(41);
    let (groups, rest, mut system) = large(kind, Stiffness::Rate(30.0));
    system.pins.add_still(&[VertexId(3)], &rest).unwrap();
    let pull = pull(&groups, &rest, &system, max_dense);
    system.forces.push_force(pull);
    let bent = |(v, x): (usize, &Vec3)| if v == 3 { *x } else { *x + 0.1 * random.vec3() };
    let mut state = State::at_rest(rest.iter().enumerate().map(bent).collect());
    let settings = ImplicitSettings { equations, linear: EXACT, ..ImplicitSettings::default() };
    Implicit::new(settings).step(&mut system, &mut state, DT).unwrap();
    state.velocities
}

#[test]
fn a_step_is_that_of_dense_groups() {
    let newton = Equations::Newton { iterations: 20, tolerance: 1e-13 };
    for kind in kinds() {
        for equations in [Equations::LinearisedOnce, newton] {
            let [dense, low] = LIMITS.map(|low| stepped(kind, equations, low));
            check_same(&dense, &low, ROUNDING, &(kind, equations));
        }
    }
}

/// A cube of 125 vertices after some steps on a floor; both solvers of contacts.
fn rested(max_dense_vertices: usize, max_dense: usize) -> State {
    let raw = cuboid([4; 3], Vec3::splat(0.2), TetSplit::Five).unwrap();
    let mesh = TetMesh::from_raw(raw).unwrap().0;
    let rest: Vec<Vec3> = mesh.positions().iter().map(|x| *x + 0.101 * Vec3::Z).collect();
    let mut system = free(&vec![0.1; rest.len()]);
    system.forces.push(Gravity::new(Vec3::new(3.0, 0.0, -9.0), system.masses.of()));
    let kind = Kind::Linear { blend: 0.5, volume: Volume::Kept };
    let group = Group { kind, stiffness: Stiffness::Rate(200.0), ..Group::rigid(all(rest.len())) };
    let pull = pull(&[group], &rest, &system, max_dense);
    system.forces.push_force(pull);
    let touch = SurfaceMaterial { friction: 0.5, restitution: 0.0 };
    let floor = Obstacle::new(Plane, Keyframes::still(Pose::IDENTITY).unwrap(), touch).unwrap();
    let bodies = Bodies::from_meshes(&[Mesh::Tets(&mesh)]).unwrap();
    system.bodies = Arc::new(bodies.clone());
    let rows = ConstraintResponse::new(&rest, &bodies, vec![floor], Default::default()).unwrap();
    let mut settings = ImplicitSettings { linear: EXACT, ..ImplicitSettings::default() };
    settings.rows.max_dense_vertices = max_dense_vertices;
    settings.rows.large_islands = IslandSolver::AugmentedLagrangian;
    let inner = Box::new(Implicit::new(settings));
    let mut stepper = Stepper::new(inner).with_responses(vec![Box::new(rows)]);
    let mut state = State::at_rest(rest);
    for _ in 0..6 {
        stepper.step(&mut system, &mut state, DT).unwrap();
    }
    state
}

#[test]
fn contacts_are_those_of_dense_groups_with_either_solver() {
    // Multipliers end within a tolerance, and hand on what rounding makes of it.
    for (max_dense_vertices, tolerance) in [(usize::MAX, 1e-10), (MAX_DENSE, 1e-7)] {
        let [dense, low] = LIMITS.map(|low| rested(max_dense_vertices, low));
        let lowest = low.positions.iter().fold(9.0_f64, |least, x| least.min(x.z));
        assert!((0.0..2e-3).contains(&lowest), "{lowest}"); // it would fall 0.016 m
        check_same(&dense.velocities, &low.velocities, tolerance, &max_dense_vertices);
    }
}

/// A rigid cube that spins, with a soft block of 80 vertices attached by its lowest layer.
fn attached(kind: Kind, max_dense: usize) -> (System, State) {
    let block = |cells, shift: Vec3| {
        let raw = cuboid(cells, Vec3::ONE, TetSplit::Five).unwrap();
        let mesh = TetMesh::from_raw(raw).unwrap().0;
        let places: Vec<Vec3> = mesh.positions().iter().map(|x| *x + shift).collect();
        (mesh, places)
    };
    let (cube, mut rest) = block([1; 3], Vec3::ZERO);
    let (soft, places) = block([3, 3, 4], Vec3::Z);
    let held: Vec<VertexId> = (0..places.len())
        .filter(|k| places[*k].z < 0.5 + 1e-9)
        .map(|k| VertexId((8 + k) as u32))
        .collect();
    assert_eq!((rest.len(), places.len(), held.len()), (8, 80, 16));
    let made = MassProperties::from_points(&rest, &[1.0; 8]).unwrap();
    let (body, at) = RigidTemplate::new(&rest, made).unwrap();
    rest.extend(places);
    let mut system = free(&[1.0; 88]);
    let bodies = Bodies::from_meshes(&[Mesh::Tets(&cube), Mesh::Tets(&soft)]).unwrap();
    system.bodies = Arc::new(bodies);
    let starts = BodyOffsets::from_counts([8, 80]);
    system.rigids = RigidBodySet::new(vec![(BodyId(0), body)], &starts, 88).unwrap();
    let mut state = State::at_rest(rest.clone());
    state.rigids.push(at);
    state.rigids[0].spin = Vec3::new(0.3, -1.0, 2.0);
    let group =
        Group { kind, stiffness: Stiffness::Rate(30.0), ..Group::rigid(all(88)[8..].to_vec()) };
    let pull = pull(&[group], &rest, &system, max_dense);
    system.forces.push_force(pull);
    system.forces.push(Gravity::new(-9.0 * Vec3::Y, system.masses.of()));
    let System { rigids, masses, pins, .. } = &mut system;
    rigids.attach(BodyId(0), &held, masses, pins, &mut state).unwrap();
    let settings = ImplicitSettings { linear: EXACT, ..ImplicitSettings::default() };
    Implicit::new(settings).step(&mut system, &mut state, DT).unwrap();
    (system, state)
}

#[test]
fn attached_vertices_go_by_the_unknowns_of_their_holder() {
    let mut random = Random::new(43);
    for kind in kinds() {
        let [(dense, at), (low, same)] = LIMITS.map(|low| attached(kind, low));
        check_same(&at.velocities, &same.velocities, ROUNDING, &kind);
        let (dense, low) = (dense.forces.matrix().unwrap(), low.forces.matrix().unwrap());
        assert_eq!((dense.len(), low.len()), (90, 90));
        let way: Vec<Vec3> = (0..90).map(|_| random.vec3()).collect();
        // Vertices that are held have rows of their own that nobody reads.
        let mut free = way.clone();
        let attached =
            |v: &usize| dense.row(*v).1.iter().filter(|b| **b != Mat3::ZERO).count() == 1;
        (8..88).filter(attached).for_each(|v| free[v] = Vec3::ZERO);
        check_same(&product(dense, &free), &product(low, &free), ROUNDING, &kind);
        check_same(&diagonal(dense), &diagonal(low), ROUNDING, &kind);
        let expanded = low.expanded().unwrap();
        check_same(&product(&expanded, &way), &product(low, &way), ROUNDING, &kind);
        check_same(&diagonal(&expanded), &diagonal(low), ROUNDING, &kind);
    }
}

#[cfg(feature = "direct")]
#[test]
fn factors_are_those_of_the_whole_matrix() {
    let solve = |solver| {
        let mut random = Random::new(47);
        let (groups, rest, mut system) = large(Kind::Rigid, Stiffness::Rate(30.0));
        let pull = pull(&groups, &rest, &system, 0);
        system.forces.push_force(pull);
        let mut state = State::at_rest(rest.iter().map(|x| *x + 0.1 * random.vec3()).collect());
        let linear = LinearSettings { solver, tolerance: 1e-13, iterations: 1000 };
        let settings = ImplicitSettings { linear, ..ImplicitSettings::default() };
        Implicit::new(settings).step(&mut system, &mut state, DT).unwrap();
        state.velocities
    };
    check_same(&solve(LinearSolver::Pcg), &solve(LinearSolver::Cholesky), ROUNDING, &"Cholesky");
}
