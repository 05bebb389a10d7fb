//! Checks that every material must pass.
//!
//! `scale` is the size of the element, m, so that differences are taken in proportion.

use crate::force::elements::{Corners, Material};
use crate::force::stiffness::{Form, Tangent};
use crate::math::{Mat3, Quat, Vec3};

/// Step of central differences, relative to the element: the cube root of rounding.
const STEP: f64 = 6e-6;
/// Relative error of a central difference of a smooth function with that step.
const DIFFERENCE_TOLERANCE: f64 = 2e-8;
/// Relative error of sums of a few products.
const ROUNDING: f64 = 1e-12;

/// Velocities that no symmetry can hide, m/s for an element of size 1 m.
fn some_velocities<const N: usize>(scale: f64) -> [Vec3; N] {
    std::array::from_fn(|k| {
        let k = k as f64;
        scale
            * Vec3::new(
                libm::sin(1.3 * k + 0.4),
                libm::cos(2.1 * k + 1.0),
                libm::sin(0.7 * k - 0.3),
            )
    })
}

fn at<const N: usize>(positions: [Vec3; N], velocities: [Vec3; N]) -> Corners<N> {
    Corners { positions, velocities, time: 0.0 }
}

fn largest(values: impl IntoIterator<Item = Vec3>) -> f64 {
    values.into_iter().fold(0.0, |most, value| most.max(value.abs().max_element()))
}

/// Force is minus the slope of energy, and the exact tangent the slope of force.
///
/// Checks element 0 in each state, at rest and in motion.
#[track_caller]
pub fn derivatives<const N: usize>(material: &impl Material<N>, states: &[[Vec3; N]], scale: f64) {
    let step = STEP * scale;
    for state in states {
        let still = [Vec3::ZERO; N];
        let forces = material.forces(0, &at(*state, still));
        let size = largest(forces).max(material.energy(0, &at(*state, still)).abs() / scale);
        for corner in 0..N {
            for axis in 0..3 {
                let energy = |sign: f64| {
                    let mut moved = *state;
                    moved[corner][axis] += sign * step;
                    material.energy(0, &at(moved, still))
                };
                let slope = (energy(1.0) - energy(-1.0)) / (2.0 * step);
                let error = (slope + forces[corner][axis]).abs();
                let allowed = DIFFERENCE_TOLERANCE * size;
                assert!(error <= allowed, "force {corner}.{axis}: {error} > {allowed}, {state:?}");
            }
        }
        for velocities in [still, some_velocities(scale)] {
            slopes_of_force(material, *state, velocities, step);
        }
    }
}

/// The exact tangent is the slope of force in one state; `step` of the differences, m and m/s.
#[track_caller]
pub fn slopes_of_force<const N: usize>(
    material: &impl Material<N>,
    state: [Vec3; N],
    velocities: [Vec3; N],
    step: f64,
) {
    let ask = |stiffness, damping| {
        let tangent = Tangent { stiffness, damping, form: Form::Exact };
        material.tangent(0, &at(state, velocities), tangent)
    };
    for (by, blocks) in [ask(1.0, 0.0), ask(0.0, 1.0)].into_iter().enumerate() {
        let size = largest(blocks.iter().flatten().flat_map(|m| [m.x_axis, m.y_axis, m.z_axis]));
        for corner in 0..N {
            for axis in 0..3 {
                let forces = |sign: f64| {
                    let mut moved = [state, velocities];
                    moved[by][corner][axis] += sign * step;
                    material.forces(0, &at(moved[0], moved[1]))
                };
                let (above, below) = (forces(1.0), forces(-1.0));
                for other in 0..N {
                    let slope = (above[other] - below[other]) / (2.0 * step);
                    let error = (slope + blocks[other][corner].col(axis)).abs().max_element();
                    let rounding = ROUNDING * largest(above) / step;
                    let allowed = DIFFERENCE_TOLERANCE * size + rounding;
                    assert!(
                        error <= allowed,
                        "by {by}, block {other},{corner}.{axis}: {error} > {allowed}, {state:?}"
                    );
                }
            }
        }
    }
}

/// Forces of an element cancel, and so do their moments; moving it rigidly keeps its energy.
#[track_caller]
pub fn balance<const N: usize>(material: &impl Material<N>, states: &[[Vec3; N]], scale: f64) {
    let (turn, shift) = (Quat::from_rotation_y(1.1) * Quat::from_rotation_x(0.7), Vec3::ONE);
    for state in states {
        let here = at(*state, some_velocities(scale));
        let forces = material.forces(0, &here);
        let allowed = ROUNDING * largest(forces);
        let net: Vec3 = forces.iter().sum();
        assert!(net.abs().max_element() <= allowed, "net force {net}, {state:?}");
        let arms = state.iter().zip(&forces);
        let torque: Vec3 = arms.map(|(p, f)| (*p - state[0]).cross(*f)).sum();
        assert!(torque.abs().max_element() <= allowed * scale, "torque {torque}, {state:?}");

        let moved = at(state.map(|p| turn * p + scale * shift), here.velocities.map(|v| turn * v));
        let (before, after) = (material.energy(0, &here), material.energy(0, &moved));
        assert!((after - before).abs() <= ROUNDING * before.abs().max(largest(forces) * scale));
        for (here, there) in forces.iter().zip(material.forces(0, &moved)) {
            assert!((turn * *here).abs_diff_eq(there, 10.0 * allowed), "{here} {there}");
        }
    }
}

/// The definite form is symmetric and positive semidefinite.
#[track_caller]
pub fn definite<const N: usize>(material: &impl Material<N>, states: &[[Vec3; N]]) {
    let directions = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0].map(|shift: f64| {
        some_velocities::<N>(1.0).map(|v| (v + Vec3::splat(shift * 0.37)).cross(Vec3::ONE) + v)
    });
    for state in states {
        for (stiffness, damping) in [(1.0, 0.0), (0.0, 1.0), (1.0, 1.0)] {
            let tangent = Tangent { stiffness, damping, form: Form::Definite };
            let blocks = material.tangent(0, &at(*state, some_velocities(1.0)), tangent);
            let columns = |m: &Mat3| [m.x_axis, m.y_axis, m.z_axis];
            let size = largest(blocks.iter().flatten().flat_map(columns));
            for (i, row) in blocks.iter().enumerate() {
                for (j, block) in row.iter().enumerate() {
                    let turned = blocks[j][i].transpose();
                    assert!(block.abs_diff_eq(turned, ROUNDING * size), "{i} {j}");
                }
            }
            for x in directions {
                let along = |i: usize| (0..N).map(|j| blocks[i][j] * x[j]).sum::<Vec3>().dot(x[i]);
                let power: f64 = (0..N).map(along).sum();
                assert!(power >= -1e-10 * size, "{power} < 0 at {state:?} along {x:?}");
            }
        }
    }
}
