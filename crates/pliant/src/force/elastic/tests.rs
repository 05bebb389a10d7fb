//! What holds for every law.

use super::*;
use crate::force::check;
use crate::force::elements::{Corners, Material};
use crate::force::stiffness::{Form, Tangent};
use crate::math::{Mat3, Quat, Vec3};

/// A tet that no symmetry can hide behind, m.
const REST: [Vec3; 4] = [
    Vec3::new(0.1, -0.2, 0.0),
    Vec3::new(1.1, 0.1, 0.2),
    Vec3::new(0.2, 0.9, -0.1),
    Vec3::new(0.3, 0.2, 1.2),
];
const TET: [VertexId; 4] = [VertexId(0), VertexId(1), VertexId(2), VertexId(3)];
const RUBBER: ElasticSettings = ElasticSettings { young: 1e4, poisson: 0.3, damping: 0.02 };

/// The tet of `REST`, made of one stuff.
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

#[test]
fn tets_push_and_turn_nothing_but_themselves() {
    for settings in some_settings() {
        check::balance(&single::<Corotational>(settings), &states(), 1.0);
        check::balance(&single::<NeoHookean>(settings), &states(), 1.0);
    }
}
