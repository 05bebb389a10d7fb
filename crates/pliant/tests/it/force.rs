//! Springs and solids as whole bodies: threads, matrices, momenta, plasticity.

use pliant::body::soft::{Masses, State};
use pliant::force::gravity::Gravity;
use pliant::force::plasticity::Plasticity;
use pliant::force::solid::{Hold, Solid, SolidSettings};
use pliant::force::spring::{SpringLaw, SpringSettings, Springs};
use pliant::force::{BlockMatrix, Forces, Form, StateView, Tangent};
use pliant::id::VertexId;
use pliant::integrate::euler::{Euler, EulerKind};
use pliant::integrate::{Integrator, System};
use pliant::math::random::Random;
use pliant::math::{Mat3, Quat, Vec3, tet_volume};
use pliant::mesh::generate::cuboid::cuboid;
use pliant::mesh::generate::lattice::TetSplit;
use pliant::mesh::tet::TetMesh;

/// Relative error of sums over a few hundred elements.
const ROUNDING: f64 = 1e-12;
/// Strain that is left when a body has come to rest.
const SETTLED: f64 = 1e-6;
/// Density of all bodies here, kg/m³.
const DENSITY: f64 = 1000.0;

/// All three measures, stiff enough to settle in a second at cells of 0.1 m.
const JELLY: SolidSettings = SolidSettings {
    distance: Hold { stiffness: 2.0, damping: 0.06 },
    area: Hold { stiffness: 1.0, damping: 0.03 },
    volume: Hold { stiffness: 4.0, damping: 0.12 },
    plasticity: None,
};

/// A bar of cells of 0.1 m.
fn bar(cells: [u32; 3]) -> TetMesh {
    let size = 0.1 * Vec3::from(cells.map(f64::from));
    TetMesh::from_raw(cuboid(cells, size, TetSplit::Five).unwrap()).unwrap().0
}

fn solid(mesh: &TetMesh, settings: SolidSettings) -> Solid {
    Solid::new(mesh.positions(), mesh.tets(), mesh.surface(), settings).unwrap()
}

fn system(mesh: &TetMesh, settings: SolidSettings) -> System {
    let masses = Masses::of_tets(mesh.positions(), mesh.tets(), |_| DENSITY).unwrap();
    let mut system = System { masses, ..System::default() };
    solid(mesh, settings).push_to(&mut system.forces);
    system
}

/// Springs over a solid, shaken out of shape and moving.
fn shaken(mesh: &TetMesh, random: &mut Random) -> (Forces, State) {
    let mut forces = Forces::new();
    let law = SpringSettings { law: SpringLaw::Relative, stiffness: 7.0, damping: 0.3 };
    forces.push(Springs::along(mesh.positions(), &mesh.edges(), law).unwrap());
    solid(mesh, JELLY).push_to(&mut forces);
    let positions = mesh.positions().iter().map(|p| *p + 0.04 * (random.point() - 0.5)).collect();
    let mut state = State::at_rest(positions);
    state.velocities.iter_mut().for_each(|v| *v = random.point() - 0.5);
    (forces, state)
}

fn tangents() -> [Tangent; 2] {
    [Form::Exact, Form::Definite].map(|form| Tangent { stiffness: 0.3, damping: 0.7, form })
}

fn assemble(forces: &mut Forces, motion: StateView<'_>, tangent: Tangent) -> BlockMatrix {
    let mut matrix = forces.assemble(motion, tangent).unwrap().clone();
    matrix.set_threads(1);
    matrix
}

fn step(system: &mut System, state: &mut State, dt: f64, count: usize) {
    let mut euler = Euler::new(EulerKind::Symplectic);
    for _ in 0..count {
        euler.step(system, state, dt).unwrap();
    }
}

#[test]
fn one_thread_and_three_give_the_same_bits() {
    let mesh = bar([5, 3, 2]);
    let (mut forces, state) = shaken(&mesh, &mut Random::new(3));
    let count = state.positions.len();
    let mut sums = [1, 3].map(|threads| {
        forces.set_threads(threads, count);
        let mut sum = vec![Vec3::ONE; count];
        forces.sum(state.motion(), &mut sum);
        let matrices = tangents().map(|tangent| assemble(&mut forces, state.motion(), tangent));
        (sum, matrices)
    });
    assert_eq!(sums[0], sums[1]);
    let (_, matrices) = &mut sums[0];
    let products = [1, 3].map(|threads| {
        matrices[0].set_threads(threads);
        let mut product = vec![Vec3::ZERO; count];
        matrices[0].multiply(&state.velocities, &mut product);
        product
    });
    assert_eq!(products[0], products[1]);
}

#[test]
fn a_matrix_filled_again_forgets_what_it_held() {
    let mesh = bar([2, 1, 1]);
    let (_, mut state) = shaken(&mesh, &mut Random::new(5));
    // The last vertex has weight and nothing else.
    state.positions.push(Vec3::ONE);
    state.velocities.push(Vec3::X);
    let count = state.positions.len();
    let made = || {
        let mut forces = Forces::new();
        forces.push(Gravity::new(-9.81 * Vec3::Z, &vec![1.0; count]));
        solid(&mesh, JELLY).push_to(&mut forces);
        forces
    };
    let [exact, definite] = tangents();
    let fresh = assemble(&mut made(), state.motion(), definite);
    let mut forces = made();
    let held = forces.assemble(state.motion(), exact).unwrap();
    (0..count).for_each(|row| held.add_to_diagonal(row, 3.0));
    assert_eq!(assemble(&mut forces, state.motion(), definite), fresh);
    assert_eq!(fresh.diagonal(count - 1), Mat3::ZERO);
}

#[test]
fn the_product_without_a_matrix_is_the_product_with_it() {
    let mesh = bar([3, 2, 2]);
    let mut random = Random::new(4);
    let (mut forces, state) = shaken(&mesh, &mut random);
    let x: Vec<Vec3> = state.positions.iter().map(|_| random.point() - 0.5).collect();
    for tangent in tangents() {
        let mut with = vec![Vec3::ZERO; x.len()];
        assemble(&mut forces, state.motion(), tangent).multiply(&x, &mut with);
        let mut without = vec![Vec3::ZERO; x.len()];
        forces.add_product(state.motion(), tangent, &x, &mut without);
        let size = with.iter().fold(0.0, |most: f64, v| most.max(v.length()));
        assert!(size > 1.0, "{size}");
        for (a, b) in with.iter().zip(&without) {
            assert!(a.distance(*b) <= ROUNDING * size, "{a} {b}");
        }
    }
}

#[test]
fn the_definite_matrix_of_a_crushed_bar_has_no_negative_direction() {
    let mesh = bar([3, 2, 2]);
    let mut random = Random::new(5);
    let (mut forces, mut state) = shaken(&mesh, &mut random);
    state.positions.iter_mut().for_each(|p| *p *= Vec3::new(0.5, 0.4, -0.3));
    let [exact, definite] =
        tangents().map(|tangent| assemble(&mut forces, state.motion(), tangent));
    let power = |matrix: &BlockMatrix, x: &[Vec3]| {
        let mut product = vec![Vec3::ZERO; x.len()];
        matrix.multiply(x, &mut product);
        product.iter().zip(x).map(|(a, b)| a.dot(*b)).sum::<f64>()
    };
    let mut negative = 0;
    for _ in 0..200 {
        let x: Vec<Vec3> = state.positions.iter().map(|_| random.point() - 0.5).collect();
        negative += usize::from(power(&exact, &x) < 0.0);
        assert!(power(&definite, &x) > 0.0);
    }
    assert!(negative > 0, "the crushed bar is not the hard case it is meant to be");
}

#[test]
fn a_rigid_motion_keeps_energy_and_is_not_damped() {
    let mesh = bar([3, 2, 2]);
    let (forces, mut state) = shaken(&mesh, &mut Random::new(6));
    let before = forces.energy(state.motion());
    let turn = Quat::from_rotation_y(1.1) * Quat::from_rotation_x(0.7);
    state.positions.iter_mut().for_each(|p| *p = turn * *p + Vec3::new(3.0, -2.0, 1.0));
    let after = forces.energy(state.motion());
    assert!((after - before).abs() < ROUNDING * before, "{before} {after}");

    let sum_with = |velocity_of: &dyn Fn(Vec3) -> Vec3| {
        let velocities: Vec<Vec3> = state.positions.iter().map(|p| velocity_of(*p)).collect();
        let mut sum = vec![Vec3::ZERO; velocities.len()];
        forces.sum(StateView { velocities: &velocities, ..state.motion() }, &mut sum);
        sum
    };
    let (still, rigid) =
        (sum_with(&|_| Vec3::ZERO), sum_with(&|p| Vec3::ONE + Vec3::new(1.0, -2.0, 0.5).cross(p)));
    let size = still.iter().fold(0.0, |most: f64, v| most.max(v.length()));
    for (a, b) in still.iter().zip(&rigid) {
        assert!(a.distance(*b) < ROUNDING * size, "{a} {b}");
    }
}

#[test]
fn damping_takes_energy_and_leaves_both_momenta() {
    let mesh = bar([3, 2, 2]);
    let mut system = system(&mesh, JELLY);
    let mut state = shaken(&mesh, &mut Random::new(7)).1;
    let measure = |system: &System, state: &State| {
        let masses = &system.masses;
        let energy = state.kinetic(masses) + system.forces.energy(state.motion());
        (energy, state.momentum(masses), state.angular_momentum(masses, Vec3::ZERO))
    };
    let (energy, momentum, angular) = measure(&system, &state);
    step(&mut system, &mut state, 2e-4, 1000);
    let (less, same_momentum, same_angular) = measure(&system, &state);
    assert!(less < 0.5 * energy, "{energy} {less}");
    assert!(momentum.distance(same_momentum) < ROUNDING * momentum.length());
    assert!(angular.distance(same_angular) < ROUNDING * angular.length());
}

#[test]
fn an_inverted_tet_comes_back_to_its_rest_shape() {
    let rest = vec![Vec3::ZERO, 0.1 * Vec3::X, 0.1 * Vec3::Y, 0.1 * Vec3::Z];
    let mesh = TetMesh::new(rest.clone(), vec![[0, 1, 2, 3].map(VertexId)], vec![0]).unwrap();
    let mut system = system(&mesh, JELLY);
    let mut state = State::at_rest(rest);
    state.positions[3] = Vec3::new(0.01, 0.01, -0.05);
    let volume = |state: &State| tet_volume([0, 1, 2, 3].map(|k| state.positions[k]));
    assert!(volume(&state) < 0.0);
    step(&mut system, &mut state, 1e-4, 20_000);
    let rest_volume = 1e-3 / 6.0;
    assert!((volume(&state) - rest_volume).abs() < SETTLED * rest_volume, "{}", volume(&state));
    // Energy goes with the square of the strain, times a stiffness of a few J.
    assert!(system.forces.energy(state.motion()) < 10.0 * SETTLED * SETTLED);
}

/// Length of a bar held at a strain for a second and released, over its first.
fn length_after(strain: f64, plasticity: Option<Plasticity>) -> f64 {
    let mesh = bar([4, 1, 1]);
    let mut system = system(&mesh, SolidSettings { plasticity, ..JELLY });
    let mut state = State::at_rest(mesh.positions().to_vec());
    // Sideways as a bar does: areas and volumes stay well below their own yield.
    let stretch = Vec3::new(1.0 + strain, 1.0 / (1.0 + strain).sqrt(), 1.0 / (1.0 + strain).sqrt());
    state.positions.iter_mut().for_each(|p| *p *= stretch);
    system.forces.flow(state.motion(), 1.0);
    step(&mut system, &mut state, 2e-4, 10_000);
    let ends = |far: f64, x: f64| far.max(x);
    let most = state.positions.iter().map(|p| p.x).fold(f64::MIN, ends);
    let least = state.positions.iter().map(|p| -p.x).fold(f64::MIN, ends);
    (most + least) / 0.4
}

#[test]
fn a_bar_stretched_past_its_yield_keeps_a_set() {
    let clay = Plasticity { yield_strain: 0.2, creep_rate: 10.0, max_drift: 0.5 };
    let below = length_after(0.15, Some(clay));
    assert!((below - 1.0).abs() < SETTLED, "{below}");
    let elastic = length_after(0.4, None);
    assert!((elastic - 1.0).abs() < SETTLED, "{elastic}");
    let past = length_after(0.4, Some(clay));
    // Edges along the bar lose 10/11 of their excess of 0.2; those across and the tets,
    // which did not yield, hold some of that back.
    assert!(past > 1.05 && past < 1.0 + 0.2 * 10.0 / 11.0, "{past}");
}
