//! The response of an articulation against its joints solved one impulse at a time.

use super::*;
use crate::body::rigid::all::RigidEntry;
use crate::id::BodyId;
use crate::solve::joint::JointKind;
use crate::solve::joint::articulation::{Articulation, JointPlace};

/// Rows are regularised by 1e-11, which the condition of a ring's rows multiplies; a wrong block
/// is off by its own size.
const TOLERANCE: f64 = 1e-6;

/// What joints make of five boxes.
#[derive(Clone, Copy, PartialEq)]
enum Shape {
    Tree,
    Ring,
}

/// Five boxes turned at random on balls and hinges; a ring is closed by a ball.
fn articulation(random: &mut Random, shape: Shape) -> Articulation {
    let mut parts = Vec::new();
    for k in 0..5 {
        let edges = Vec3::splat(0.5) + 0.3 * random.vec3().abs();
        let (body, mut state) =
            cuboid(0.5 + f64::from(k), edges, Vec3::new(f64::from(k), 0.0, 0.0));
        state.turn = random.rotation();
        parts.push((body, state));
    }
    let hinge = JointKind::Hinge(crate::solve::joint::Axis::free(random.vec3()));
    let mut list: Vec<JointDefinition> = [(0, 1), (1, 2), (1, 3), (3, 4)]
        .into_iter()
        .enumerate()
        .map(|(k, (a, b))| {
            let kind = if k % 2 == 0 { JointKind::Ball } else { hinge };
            JointDefinition::new(kind, (a, Some(b)), 0.5 * random.vec3() + a as f64 * Vec3::X)
        })
        .collect();
    if shape == Shape::Ring {
        list.push(JointDefinition::new(JointKind::Ball, (4, Some(0)), 2.0 * Vec3::Y));
    }
    let (bodies, states): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
    let mut joints = Joints::new(list, &bodies, &states).unwrap();
    let entry = |(k, body): (usize, &RigidTemplate)| RigidEntry {
        id: BodyId(k as u32),
        vertices: 0..0,
        unknown: 2 * k,
        body: body.clone(),
    };
    let entries: Vec<RigidEntry> = bodies.iter().enumerate().map(entry).collect();
    joints.name_bodies(&entries)[0].place = JointPlace::Substeps;
    let mut lent = joints.lend(&entries, &states, |_, _, _| {});
    assert_eq!(lent.len(), 1);
    let mut own = lent.remove(0);
    own.response.choose([0, 2, 4].into_iter());
    assert!(own.measure(0.0, 1e-3));
    own
}

#[test]
fn the_response_is_that_of_free_bodies_with_joints_solved_after_it() {
    let mut random = Random::new(4);
    for round in 0..20 {
        let mut own = articulation(&mut random, [Shape::Ring, Shape::Tree][round % 2]);
        for (source, body) in [0, 2, 4].into_iter().enumerate() {
            let [force, moment] = [random.vec3(), random.vec3()];
            own.states.iter_mut().for_each(|state| {
                (state.velocity, state.spin) = (Vec3::ZERO, Vec3::ZERO);
            });
            let mass = 0.5 + body as f64;
            own.states[body].velocity = force / mass;
            own.states[body].spin = own.inverse_inertia(body) * moment;
            own.project();
            let wrench = [force.to_array(), moment.to_array()].concat();
            for (target, moved) in [0, 2, 4].into_iter().enumerate() {
                let block = own.response.block(source, target);
                let found: [f64; 6] = std::array::from_fn(|row| {
                    (0..6).map(|column| block[column * 6 + row] * wrench[column]).sum()
                });
                let state = &own.states[moved];
                let expected = [state.velocity.to_array(), state.spin.to_array()].concat();
                for (found, expected) in found.iter().zip(&expected) {
                    let most = TOLERANCE * (1.0 + expected.abs());
                    assert!((found - expected).abs() < most, "{found} {expected}");
                }
            }
        }
    }
}
