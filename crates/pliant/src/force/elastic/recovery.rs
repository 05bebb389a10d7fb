//! Tets and blocks that were crushed or inverted, and let go.

use super::*;
use crate::body::soft::{Masses, State};
use crate::force::Forces;
use crate::math::Vec3;
use crate::math::random::Random;
use crate::mesh::generate::cuboid::cuboid;
use crate::mesh::generate::lattice::TetSplit;
use crate::mesh::raw::RawMesh;

/// A shape comes back when less than this part of its energy is left.
const REST_AGAIN: f64 = 1e-12;

fn block() -> RawMesh {
    cuboid([2, 2, 2], Vec3::ONE, TetSplit::Five).unwrap()
}

fn tet() -> RawMesh {
    let [v0, v1, v2, v3] = [0, 1, 2, 3].map(VertexId);
    RawMesh {
        positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(0.2, 0.3, 0.8)],
        tets: vec![[v0, v1, v2, v3]],
        ..RawMesh::default()
    }
}

/// Energy left of that at the start, after 40 s of moving with drag.
///
/// `squeeze` maps the rest position of a vertex to its start.
fn energy_left<L: Law + 'static>(raw: &RawMesh, squeeze: impl FnMut(Vec3) -> Vec3) -> f64 {
    let settings = ElasticSettings { young: 1e4, poisson: 0.3, damping: 0.0 };
    let masses = Masses::of_tets(&raw.positions, &raw.tets, |_| 1e3).unwrap();
    let mut forces = Forces::new();
    forces.push(Elastic::<L>::new(&raw.positions, &raw.tets, |_| settings).unwrap());
    let mut state = State::at_rest(raw.positions.iter().copied().map(squeeze).collect());
    let before = forces.energy(state.motion());
    let (dt, keep) = (0.01, 0.97); // sound takes 0.1 s through a cell
    let mut sums = vec![Vec3::ZERO; raw.positions.len()];
    for _ in 0..4000 {
        forces.sum(state.motion(), &mut sums);
        for (k, force) in sums.iter().enumerate() {
            state.velocities[k] = keep * (state.velocities[k] + dt / masses.of()[k] * *force);
            state.positions[k] += dt * state.velocities[k];
        }
    }
    forces.energy(state.motion()) / before
}

#[track_caller]
fn comes_back<L: Law + 'static>(raw: &RawMesh, squeeze: impl FnMut(Vec3) -> Vec3) {
    let left = energy_left::<L>(raw, squeeze);
    assert!(left.abs() < REST_AGAIN, "{left}");
}

/// Flat, mirrored in a plane, mirrored and flat; with and without a little noise.
#[track_caller]
fn flat_and_mirrored_come_back<L: Law + 'static>() {
    for (height, jitter) in [(0.0, 0.0), (0.0, 1e-3), (-1.0, 0.0), (-0.5, 1e-2)] {
        let mut random = Random::new(17);
        let mut shake = || jitter * random.vec3();
        comes_back::<L>(&block(), |p| Vec3::new(p.x, p.y, height * p.z) + shake());
    }
}

#[test]
fn flat_and_mirrored_blocks_come_back() {
    flat_and_mirrored_come_back::<Corotational>();
    flat_and_mirrored_come_back::<NeoHookean>();
}

#[test]
fn corotational_points_and_lines_come_back_undisturbed() {
    comes_back::<Corotational>(&block(), |_| Vec3::ZERO);
    comes_back::<Corotational>(&block(), |p| p.x * Vec3::X);
}

#[test]
fn a_neo_hookean_point_stays_until_disturbed() {
    assert_eq!(energy_left::<NeoHookean>(&block(), |_| Vec3::ZERO), 1.0);
    // A line draws itself together into a point.
    assert!(energy_left::<NeoHookean>(&block(), |p| p.x * Vec3::X) > 0.5);
    comes_back::<NeoHookean>(&tet(), |p| 1e-2 * p);
    comes_back::<NeoHookean>(&tet(), |p| -1e-2 * p);
}

#[test]
fn a_scrambled_tet_comes_back() {
    for seed in 0..20 {
        let mut random = Random::new(seed);
        comes_back::<Corotational>(&tet(), |_| random.vec3());
        comes_back::<NeoHookean>(&tet(), |_| random.vec3());
    }
}
