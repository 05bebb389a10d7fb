//! What holds for every law.

use super::*;
use crate::force::check;
use crate::force::elements::{Corners, Material};
use crate::force::stiffness::{Form, Tangent};
use crate::math::random::Random;
use crate::math::{Mat3, Quat, Vec3, tet_volume};

/// A tet that no symmetry can hide behind, m.
const REST: [Vec3; 4] = [
    Vec3::new(0.1, -0.2, 0.0),
    Vec3::new(1.1, 0.1, 0.2),
    Vec3::new(0.2, 0.9, -0.1),
    Vec3::new(0.3, 0.2, 1.2),
];
const TET: [VertexId; 4] = [VertexId(0), VertexId(1), VertexId(2), VertexId(3)];
const RUBBER: ElasticSettings = ElasticSettings { young: 1e4, poisson: 0.3, damping: 0.02 };

/// Relative error of sums of some dozen products.
const ROUNDING: f64 = 1e-13;

/// The tet of `REST`, made of one material.
fn single<L: Law>(settings: ElasticSettings) -> Elastic<L> {
    Elastic::new(&REST, &[TET], |_| settings).unwrap()
}

/// `REST` deformed by a matrix, and moved.
fn deformed(gradient: Mat3) -> [Vec3; 4] {
    REST.map(|p| gradient * p + Vec3::new(0.3, 0.1, -2.0))
}

fn diagonal(x: f64, y: f64, z: f64) -> Mat3 {
    Mat3::from_diagonal(Vec3::new(x, y, z))
}

/// Stretched, sheared, turned, inverted once and thrice, nearly flat, nearly a line, tiny, large.
fn gradients() -> Vec<Mat3> {
    let turn = Mat3::from_quat(Quat::from_rotation_x(0.8) * Quat::from_rotation_z(2.3));
    let shear = Mat3::from_cols(Vec3::X, Vec3::new(0.7, 1.1, 0.2), Vec3::new(-0.1, 0.3, 0.9));
    vec![
        diagonal(1.4, 1.1, 0.8),
        turn * diagonal(1.02, 0.99, 1.01),
        shear,
        turn * shear,
        shear * diagonal(0.9, 1.1, -0.5) * turn,
        turn * diagonal(-1.3, -0.8, -0.4),
        turn * diagonal(1.2, 0.9, 1e-4) * turn,
        turn * diagonal(1.2, 0.2, -0.05),
        shear * diagonal(0.2, 0.15, 0.1),
        turn * diagonal(3.0, 2.5, 4.0),
        diagonal(1.2, 1.2, 0.7) * turn,
    ]
}

fn states() -> Vec<[Vec3; 4]> {
    gradients().into_iter().map(deformed).collect()
}

fn some_settings() -> [ElasticSettings; 4] {
    let with = |poisson, damping| ElasticSettings { poisson, damping, ..RUBBER };
    [RUBBER, with(0.45, 0.0), with(0.0, 0.5), with(-0.4, 0.01)]
}

#[test]
fn forces_and_tangents_are_slopes() {
    for settings in some_settings() {
        check::derivatives(&single::<Corotational>(settings), &states(), 1.0);
        check::derivatives(&single::<NeoHookean>(settings), &states(), 1.0);
    }
}

/// Tets of four materials: forces, energies and tangents by fours, against one by one.
fn check_fours<L: Law>() {
    let material = Elastic::<L>::new(&REST, &[TET; 4], |tet| some_settings()[tet]).unwrap();
    let mut random = Random::new(3);
    let small = |size: f64, random: &mut Random| {
        Mat3::IDENTITY + size * Mat3::from_cols(random.vec3(), random.vec3(), random.vec3())
    };
    let mut all = gradients();
    all.extend([1e-12, 1e-9, 1e-6, 1e-3, 0.1, 0.3].map(|size| small(size, &mut random)));
    all.extend([Mat3::IDENTITY, Mat3::ZERO]);
    let corners: Vec<_> = (all.iter())
        .map(|gradient| Corners {
            positions: deformed(*gradient),
            velocities: std::array::from_fn(|_| random.vec3()),
            time: 0.0,
        })
        .collect();
    let tangent = Tangent { stiffness: 0.3, damping: 0.7, form: Form::Definite };
    for shift in 0..corners.len() {
        let at = std::array::from_fn(|k| corners[(shift + 5 * k) % corners.len()]);
        let tets = std::array::from_fn(|k| (shift + k) % 4);
        let forces = material.forces_of_four(&tets, &at);
        let energies = material.energies_of_four(&tets, &at);
        let mut tangents = [[[Mat3::ZERO; 4]; 4]; 4];
        material.tangents_of_four(&tets, &at, tangent, &mut tangents);
        for k in 0..4 {
            // Stresses are some 1e4 Pa, on faces of some 1 m².
            let (tolerance, tet) = (1e-8, tets[k]);
            let expected = material.forces(tet, &at[k]);
            let off = forces[k].iter().zip(expected).map(|(a, b)| a.distance(b));
            assert!(off.fold(0.0, f64::max) < tolerance, "{shift} {k}");
            let expected = material.energy(tet, &at[k]);
            assert!(
                (energies[k] - expected).abs() < ROUNDING * expected.abs() + 1e-25,
                "{shift} {k}"
            );
            let expected = material.tangent(tet, &at[k], tangent);
            for (row, expected) in tangents[k].iter().flatten().zip(expected.iter().flatten()) {
                // Twists of up to 1e-6 μ count as none: some 1e-3 N/m where they are about that.
                assert!(row.abs_diff_eq(*expected, 1e-2), "{shift} {k}: {row} {expected}");
            }
            // The same bits in any company.
            let (alone, mut own) = ([at[k]; 4], [[[Mat3::ZERO; 4]; 4]; 4]);
            assert_eq!(material.forces_of_four(&[tet; 4], &alone)[3 - k], forces[k]);
            assert_eq!(material.energies_of_four(&[tet; 4], &alone)[3 - k], energies[k]);
            material.tangents_of_four(&[tet; 4], &alone, tangent, &mut own);
            assert_eq!(own[3 - k], tangents[k]);
        }
    }
}

#[test]
fn four_tets_at_once_are_as_one_by_one() {
    check_fours::<Corotational>();
    check_fours::<NeoHookean>();
}

#[test]
fn tets_push_and_turn_nothing_but_themselves() {
    for settings in some_settings() {
        check::balance(&single::<Corotational>(settings), &states(), 1.0);
        check::balance(&single::<NeoHookean>(settings), &states(), 1.0);
    }
}

fn at(positions: [Vec3; 4], velocities: [Vec3; 4]) -> Corners<4> {
    Corners { positions, velocities, time: 0.0 }
}

/// The 12×12 matrix of an element at rest velocity, row by row.
fn stiffness(material: &impl Material<4>, state: [Vec3; 4], form: Form) -> [[f64; 12]; 12] {
    let tangent = Tangent { stiffness: 1.0, damping: 0.0, form };
    let blocks = material.tangent(0, &at(state, [Vec3::ZERO; 4]), tangent);
    std::array::from_fn(|r| std::array::from_fn(|c| blocks[r / 3][c / 3].col(c % 3)[r % 3]))
}

fn largest(matrix: &[[f64; 12]; 12]) -> f64 {
    matrix.iter().flatten().fold(0.0, |most, x| most.max(x.abs()))
}

/// Whether a symmetric matrix has no eigenvalue below 0 but by rounding: Cholesky with a shift.
fn is_definite(mut matrix: [[f64; 12]; 12]) -> bool {
    let largest = matrix.as_flattened().iter().fold(RUBBER.young, |most, x| most.max(x.abs()));
    let slack = SLACK * largest;
    (0..12).for_each(|k| matrix[k][k] += slack);
    for k in 0..12 {
        if matrix[k][k] <= 0.0 {
            return false;
        }
        for i in k + 1..12 {
            let factor = matrix[i][k] / matrix[k][k];
            let above = matrix[k];
            matrix[i].iter_mut().zip(above).for_each(|(x, a)| *x -= factor * a);
        }
    }
    true
}

/// Eigenvalues may fall below zero by this, relative to the largest entry and E · 1 m: rounding.
const SLACK: f64 = 1e-12;

#[track_caller]
fn check_definite<L: Law>(settings: ElasticSettings) {
    let material = single::<L>(settings);
    let mut hard = states();
    hard.extend([diagonal(1.0, 1.0, 0.0), diagonal(1.0, 0.0, 0.0), Mat3::ZERO].map(deformed));
    hard.extend([diagonal(1.0, 1.0, -1.0), diagonal(0.5, 0.4, -0.4)].map(deformed));
    check::definite(&material, &hard);
    for state in hard {
        let matrix = stiffness(&material, state, Form::Definite);
        assert!(matrix.as_flattened().iter().all(|x| x.is_finite()), "{state:?}");
        assert!(is_definite(matrix), "{state:?}");
    }
}

#[test]
fn the_definite_form_is_definite_even_inside_out() {
    for settings in some_settings() {
        check_definite::<Corotational>(settings);
        check_definite::<NeoHookean>(settings);
    }
    // The check itself can fail: inverted, the exact form is not definite.
    let matrix = stiffness(&single::<NeoHookean>(RUBBER), states()[4], Form::Exact);
    assert!(!is_definite(matrix));
}

/// Volume · Bᵀ C B of a linear elastic tet, from strains in engineers' order.
fn textbook(settings: ElasticSettings) -> [[f64; 12]; 12] {
    let ElasticSettings { young, poisson, .. } = settings;
    let [v0, v1, v2, v3] = REST;
    let volume = tet_volume(REST);
    // The gradient of a corner is the area vector of the face across over three volumes.
    let away = |a: Vec3, b: Vec3, c: Vec3| (b - a).cross(c - a) / (6.0 * volume);
    let gradients = [away(v1, v3, v2), away(v0, v2, v3), away(v0, v3, v1), away(v0, v1, v2)];
    let mut strain = [[0.0; 12]; 6];
    for (k, g) in gradients.iter().enumerate() {
        for axis in 0..3 {
            strain[axis][3 * k + axis] = g[axis];
            let (a, b) = ((axis + 1) % 3, (axis + 2) % 3);
            strain[3 + axis][3 * k + a] = g[b];
            strain[3 + axis][3 * k + b] = g[a];
        }
    }
    let unit = young / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
    let modulus = |r: usize, c: usize| match (r < 3, r == c) {
        (true, true) => unit * (1.0 - poisson),
        (true, false) if c < 3 => unit * poisson,
        (false, true) => unit * (0.5 - poisson),
        _ => 0.0,
    };
    let entry = |i: usize, j: usize| {
        let terms = (0..36).map(|k| strain[k / 6][i] * modulus(k / 6, k % 6) * strain[k % 6][j]);
        volume * terms.sum::<f64>()
    };
    std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j)))
}

#[track_caller]
fn check_rest<L: Law>(settings: ElasticSettings) {
    let expected = textbook(settings);
    let allowed = ROUNDING * largest(&expected);
    for form in [Form::Exact, Form::Definite] {
        let found = stiffness(&single::<L>(settings), REST, form);
        for (found, expected) in found.as_flattened().iter().zip(expected.as_flattened()) {
            assert!((found - expected).abs() <= allowed, "{form:?}");
        }
    }
}

#[test]
fn at_rest_the_stiffness_is_the_textbooks() {
    for settings in some_settings() {
        check_rest::<Corotational>(settings);
        check_rest::<NeoHookean>(settings);
    }
}

/// A bar pulled along x that may get thinner: P = (E ε, 0, 0) but for `error` of E ε.
#[track_caller]
fn check_bar<L: Law>(strain: f64, error: f64) {
    for settings in some_settings() {
        let thin = 1.0 - settings.poisson * strain;
        let law = L::from_lame(settings.lame(TetId(0)).unwrap());
        let expected = diagonal(settings.young * strain, 0.0, 0.0);
        let found = law.stress(diagonal(1.0 + strain, thin, thin));
        let allowed = error * settings.young * strain.abs();
        assert!(found.abs_diff_eq(expected, allowed), "{settings:?} {found}");
    }
}

#[test]
fn a_bar_answers_with_young_and_poisson() {
    // In principal stretches the corotational law is linear, however large they are.
    check_bar::<Corotational>(0.3, ROUNDING);
    check_bar::<Corotational>(-0.2, ROUNDING);
    // The Neo-Hookean one is off by the order of the strain.
    check_bar::<NeoHookean>(1e-6, 1e-5);
    check_bar::<NeoHookean>(1e-3, 1e-2);
}

#[test]
fn damping_leaves_rigid_motion_alone_and_slows_all_else() {
    let damped = single::<NeoHookean>(RUBBER);
    let free = single::<NeoHookean>(ElasticSettings { damping: 0.0, ..RUBBER });
    let mut random = Random::new(11);
    for state in states() {
        let spinning = state.map(|p| Vec3::new(0.3, -2.0, 1.0).cross(p) + Vec3::X);
        let elastic = free.forces(0, &at(state, spinning));
        for (found, expected) in damped.forces(0, &at(state, spinning)).iter().zip(elastic) {
            assert!(found.abs_diff_eq(expected, 1e4 * ROUNDING), "{found} {expected}"); // up to 1e4 N
        }
        let moving = [0; 4].map(|_| random.vec3());
        let with = damped.forces(0, &at(state, moving));
        let drag = with.iter().zip(elastic).zip(moving);
        let power: f64 = drag.map(|((with, without), v)| (*with - without).dot(v)).sum();
        assert!(power < 0.0, "{power} W at {state:?}");
    }
}

#[test]
fn damping_is_that_of_the_strain_rate() {
    // At rest shape the stress of a rate is τ times that of the same small strain.
    let rate = Mat3::from_cols(Vec3::new(0.3, 0.1, 0.0), Vec3::new(0.1, -0.2, 0.4), Vec3::Y);
    let rate = 0.5 * (rate + rate.transpose());
    let material = single::<Corotational>(RUBBER);
    let found = material.forces(0, &at(REST, REST.map(|p| rate * p)));
    let tiny = 1e-7;
    let strained = material.forces(0, &at(REST.map(|p| p + tiny * (rate * p)), [Vec3::ZERO; 4]));
    for (found, strained) in found.iter().zip(strained) {
        let expected = RUBBER.damping / tiny * strained;
        assert!(found.abs_diff_eq(expected, 1e-5 * expected.length()), "{found} {expected}");
    }
}

#[test]
fn each_region_has_its_own_stuff() {
    let rest: Vec<Vec3> = [REST, REST, REST].concat();
    let tets: Vec<_> = (0..3).map(|k| TET.map(|v| VertexId(v.0 + 4 * k))).collect();
    let regions = [1, 0, 1];
    let by_region = [RUBBER, ElasticSettings { young: 5e4, ..RUBBER }];
    let solid = Elastic::<NeoHookean>::new(&rest, &tets, |tet| by_region[regions[tet]]).unwrap();
    let here = at(states()[0], [Vec3::ZERO; 4]);
    let energies = [0, 1, 2].map(|tet| solid.energy(tet, &here));
    assert_eq!(energies[0], energies[2]);
    assert!((energies[0] / energies[1] - 5.0).abs() < ROUNDING, "{energies:?}");
}

#[test]
fn what_makes_no_solid_is_named() {
    let refused = |rest: &[Vec3], tet: [VertexId; 4], settings: ElasticSettings| {
        let made = Elastic::<Corotational>::new(rest, &[tet], |_| settings);
        made.unwrap_err().to_string()
    };
    let message = |settings| refused(&REST, TET, settings);
    for young in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let expected =
            format!("tet 0 has Young's modulus {young} Pa: it must be positive and finite");
        assert_eq!(message(ElasticSettings { young, ..RUBBER }), expected);
    }
    for poisson in [0.5, -1.0, 0.7, f64::NAN] {
        let expected =
            format!("tet 0 has Poisson's ratio {poisson}: it must be above -1 and below 0.5");
        assert_eq!(message(ElasticSettings { poisson, ..RUBBER }), expected);
    }
    let expected = "tet 0 has damping -0.1 s: it must be finite and not negative";
    assert_eq!(message(ElasticSettings { damping: -0.1, ..RUBBER }), expected);
    let corner = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let [a, b, c, d] = TET;
    let inside_out = refused(&corner, [a, c, b, d], RUBBER);
    assert!(inside_out.starts_with("tet 0 has volume -0.1666"), "{inside_out}");
    let flat = refused(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::ONE - Vec3::Z], TET, RUBBER);
    assert_eq!(flat, "tet 0 has volume 0 m³ at rest: it must be positive");
    assert_eq!(refused(&corner[..3], TET, RUBBER), "tet 0 names vertex 3, there are 3");
}

#[test]
fn size_and_stiffness_only_scale() {
    let (here, settings) = (states()[4], ElasticSettings { damping: 0.0, ..RUBBER });
    let force = single::<NeoHookean>(settings).forces(0, &at(here, [Vec3::ZERO; 4]));
    for (size, young) in [(1e-3, 1e3), (100.0, 1e9)] {
        let settings = ElasticSettings { young, ..settings };
        let rest = REST.map(|p| size * p);
        let scaled = Elastic::<NeoHookean>::new(&rest, &[TET], |_| settings).unwrap();
        let found = scaled.forces(0, &at(here.map(|p| size * p), [Vec3::ZERO; 4]));
        let factor = young / RUBBER.young * size * size;
        for (found, force) in found.iter().zip(force) {
            assert!((*found / factor).abs_diff_eq(force, 1e4 * ROUNDING), "{found} {force}"); // up to 1e4 N
        }
    }
}
