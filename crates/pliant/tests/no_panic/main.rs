//! No public function panics: NaN, infinities, wrong sizes, unknown indices, huge counts.
//!
//! `functions.txt` lists every public function; a test of the tasks compares it with the sources.
//! Nothing is said here about results, except where something absurd must be refused.

#![allow(clippy::unwrap_used, reason = "a test may")]

mod mesh;

mod body;

mod force;

mod detect;

mod depth;

mod contact;

mod solve;

mod integrate;

mod record;

mod separate;

mod step;

mod queries;

mod world;

use std::sync::Arc;

use pliant::body::soft::{Masses, State};
use pliant::body::{Bodies, Mesh};
use pliant::id::{BodyId, VertexId};
use pliant::integrate::System;
use pliant::math::{Mat3, Quat, Vec3};
use pliant::mesh::generate::cuboid::cuboid;
use pliant::mesh::generate::lattice::TetSplit;
use pliant::mesh::tet::TetMesh;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};

/// Numbers that break formulas.
const HOSTILE: [f64; 16] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    1e300,
    -1e300,
    1e-300,
    1e200,
    1e100,
    1e-100,
    f64::MAX,
    f64::MIN_POSITIVE,
    5e-324,
];

/// The same cases on every machine, and no files beside the tests.
pub fn config(cases: u32) -> Config {
    let seed = RngSeed::Fixed(7);
    Config { cases: 20 * cases, rng_seed: seed, failure_persistence: None, ..Config::default() }
}

/// A number, half of the time a hostile one.
pub fn number() -> impl Strategy<Value = f64> + Clone {
    prop_oneof![prop::sample::select(&HOSTILE[..]), -2.0..2.0_f64]
}

/// A number that is mostly harmless, so that some arguments pass the checks.
pub fn mild() -> impl Strategy<Value = f64> + Clone {
    prop_oneof![1 => prop::sample::select(&HOSTILE[..]), 9 => 0.01..2.0_f64]
}

/// A point or direction.
pub fn vector() -> impl Strategy<Value = Vec3> + Clone {
    [number(), number(), number()].prop_map(Vec3::from)
}

/// A list of points.
pub fn vectors(most: usize) -> impl Strategy<Value = Vec<Vec3>> + Clone {
    prop::collection::vec(vector(), 0..=most)
}

/// Four numbers, of any length.
pub fn quaternion() -> impl Strategy<Value = Quat> + Clone {
    [number(), number(), number(), number()].prop_map(Quat::from_array)
}

/// Nine numbers.
pub fn matrix() -> impl Strategy<Value = Mat3> + Clone {
    [vector(), vector(), vector()].prop_map(|[x, y, z]| Mat3::from_cols(x, y, z))
}

/// An index, at times far beyond every list.
pub fn index() -> impl Strategy<Value = u32> + Clone {
    prop_oneof![4 => 0..10_u32, 1 => Just(u32::MAX), 1 => Just(u32::MAX - 1)]
}

/// A vertex that may not exist.
pub fn vertex() -> impl Strategy<Value = VertexId> + Clone {
    index().prop_map(VertexId)
}

/// A body that may not exist.
pub fn body() -> impl Strategy<Value = BodyId> + Clone {
    index().prop_map(BodyId)
}

/// A number of something, at times more than memory holds.
pub fn count() -> impl Strategy<Value = usize> + Clone {
    prop_oneof![4 => 0..12_usize, 1 => Just(usize::MAX), 1 => Just(1 << 62)]
}

/// Cells with corners that may not exist.
pub fn cells<const N: usize>(most: usize) -> impl Strategy<Value = Vec<[VertexId; N]>> + Clone
where
    [VertexId; N]: std::fmt::Debug,
{
    let cell = prop::collection::vec(vertex(), N).prop_map(|list| std::array::from_fn(|k| list[k]));
    prop::collection::vec(cell, 0..=most)
}

/// A block of five tets, 1 m wide.
pub fn block() -> TetMesh {
    TetMesh::from_raw(cuboid([1; 3], Vec3::ONE, TetSplit::Five).unwrap()).unwrap().0
}

/// Two blocks that overlap: 16 vertices.
pub struct Scene {
    /// Their topology.
    pub bodies: Arc<Bodies>,
    /// Positions, m.
    pub rest: Vec<Vec3>,
    /// One kilogram each.
    pub masses: Masses,
}

impl Scene {
    /// Both blocks.
    #[expect(clippy::new_without_default, reason = "a test needs one way")]
    pub fn new() -> Scene {
        let block = block();
        let bodies = Bodies::from_meshes(&[Mesh::Tets(&block), Mesh::Tets(&block)]).unwrap();
        let upper = block.positions().iter().map(|p| *p + Vec3::new(0.1, 0.2, 0.9));
        let rest: Vec<Vec3> = block.positions().iter().copied().chain(upper).collect();
        let masses = Masses::new(vec![1.0; rest.len()]).unwrap();
        Scene { bodies: Arc::new(bodies), rest, masses }
    }

    /// At rest.
    pub fn state(&self) -> State {
        State::at_rest(self.rest.clone())
    }

    /// Without forces.
    pub fn system(&self) -> System {
        let (masses, bodies) = (self.masses.clone(), self.bodies.clone());
        System { masses, bodies, ..System::default() }
    }
}

/// Positions of a scene, a few of them replaced, now and then one too many or too few.
pub fn disturbed(rest: Vec<Vec3>) -> impl Strategy<Value = Vec<Vec3>> + Clone {
    let changes = prop::collection::vec((0..rest.len(), vector()), 0..4);
    (changes, 0..10_usize).prop_map(move |(changes, size)| {
        let mut positions = rest.clone();
        changes.into_iter().for_each(|(k, to)| positions[k] = to);
        match size {
            0 => positions.truncate(3),
            1 => positions.push(Vec3::ONE),
            2 => positions.clear(),
            _ => {}
        }
        positions
    })
}
