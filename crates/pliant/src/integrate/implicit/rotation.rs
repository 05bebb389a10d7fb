//! Free bodies turn by rotations, not along tangents.
//!
//! A linear step moves vertices along straight lines: a body that turns by the angle θ grows by
//! θ²/2. For a stiff body of 1 cm that rolls at 0.3 m/s this is 3 % in a step of 1/120 s, and
//! hundreds of times its kinetic energy. Here the rigid part of the motion is a rotation; what
//! deforms the body is seen from the frame that turns, where the linear equations hold.
//!
//! | here              | formula  | meaning                                                  |
//! |-------------------|----------|----------------------------------------------------------|
//! | `arm`             | r        | from the centre of mass, m                               |
//! | `spin`            | ω        | I⁻¹ L: angular velocity of the whole body, rad/s         |
//! | `deforming`       | u        | v − v_c − ω × r: the rest of the velocity, m/s           |
//! | `turn`            | R        | exp(dt ω), with the ω of the middle of the step          |
//!
//! x' = c + dt v_c + R (r + dt u) and v' = v_c + ω' × r' + R u, with ω' such that the angular
//! momentum stays the same: momentum is kept as by the linear step. In a frame that turns,
//! vertices that would fly on straight are drawn outwards: the centrifugal force −m ω × (ω × r)
//! enters the equations, less its torque, which the wandering of ω stands for.

use std::ops::Range;

use crate::body::soft::{State, StateView};
use crate::id::{BodyId, VertexId};
use crate::integrate::System;
use crate::math::{Mat3, Quat, Vec3, outer_square};

/// Angles of a step, rad, below which the linear step is as good: it grows a body by 5e-7.
const LEAST_ANGLE: f64 = 1e-3;

/// Determinant of an inertia over the cube of its mean below which a body is a line.
const LINE: f64 = 1e-6;

/// Turns the bodies that nothing holds; `next` has the linear step from `positions`.
pub(super) fn turn_free_bodies(system: &System, positions: &[Vec3], next: &mut State, dt: f64) {
    for own in free_bodies(system) {
        let body = Body {
            masses: &system.masses.of()[own.clone()],
            before: &positions[own.clone()],
            positions: &mut next.positions[own.clone()],
            velocities: &mut next.velocities[own],
        };
        body.turn(dt);
    }
}

/// Adds the impulses of centrifugal forces, N·s, where bodies will be turned.
pub(super) fn add_centrifugal(system: &System, motion: StateView<'_>, right: &mut [Vec3], dt: f64) {
    for own in free_bodies(system) {
        let (x, v) = (&motion.positions[own.clone()], &motion.velocities[own.clone()]);
        let masses = &system.masses.of()[own.clone()];
        let Some(spinning) = Spinning::of(masses, x, v).filter(|own| own.turns(dt)) else {
            continue;
        };
        let Spinning { centre, spin, inverse, .. } = spinning;
        let outwards = |x: Vec3| -spin.cross(spin.cross(x - centre));
        let torque = x.iter().zip(masses).map(|(x, m)| *m * (*x - centre).cross(outwards(*x)));
        let turning = inverse * torque.sum::<Vec3>();
        for ((x, m), right) in x.iter().zip(masses).zip(&mut right[own]) {
            *right += (dt * m) * (outwards(*x) - turning.cross(*x - centre));
        }
    }
}

/// Vertices of the bodies that nothing holds.
fn free_bodies(system: &System) -> impl Iterator<Item = Range<usize>> {
    let pins = system.pins.vertices();
    system.bodies.ids().filter_map(move |body| {
        let own = system.bodies.vertices(body);
        (own.len() > 3 && !is_held(system, body, &own, pins)).then_some(own)
    })
}

/// Whether a body is rigid, or a pin or a rigid body holds one of its vertices.
fn is_held(system: &System, body: BodyId, own: &Range<usize>, pins: &[VertexId]) -> bool {
    let first = pins.partition_point(|pin| pin.index() < own.start);
    let is_pinned = pins.get(first).is_some_and(|pin| pin.index() < own.end);
    is_pinned || system.rigids.index(body).is_some() || system.rigids.group(body).is_some()
}

/// A body in a step.
struct Body<'a> {
    masses: &'a [f64],
    /// Positions at the start of the step, m.
    before: &'a [Vec3],
    positions: &'a mut [Vec3],
    velocities: &'a mut [Vec3],
}

/// The rigid part of a body's motion.
#[derive(Clone, Copy, Debug)]
struct Spinning {
    centre: Vec3,
    /// Velocity of the centre, m/s.
    going: Vec3,
    /// L about the centre, kg·m²/s.
    momentum: Vec3,
    /// I⁻¹, 1/(kg·m²).
    inverse: Mat3,
    spin: Vec3,
}

impl Spinning {
    /// None for what is a line or a point.
    fn of(masses: &[f64], positions: &[Vec3], velocities: &[Vec3]) -> Option<Spinning> {
        let mass: f64 = masses.iter().sum();
        let mean = |of: &[Vec3]| of.iter().zip(masses).map(|(v, m)| *m * *v).sum::<Vec3>() / mass;
        let (centre, going) = (mean(positions), mean(velocities));
        let (mut momentum, mut inertia) = (Vec3::ZERO, Mat3::ZERO);
        for ((x, v), m) in positions.iter().zip(velocities).zip(masses) {
            let arm = *x - centre;
            momentum += *m * arm.cross(*v - going);
            inertia += *m * around(arm);
        }
        let inverse = inverse(inertia)?;
        Some(Spinning { centre, going, momentum, inverse, spin: inverse * momentum })
    }

    /// Whether it turns by enough in a step.
    fn turns(&self, dt: f64) -> bool {
        let angle = dt * self.spin.length();
        angle > LEAST_ANGLE && angle.is_finite()
    }
}

impl Body<'_> {
    fn turn(self, dt: f64) {
        let Body { masses, before, positions, velocities } = self;
        let spinning = Spinning::of(masses, before, velocities).filter(|own| own.turns(dt));
        let Some(Spinning { centre, going, momentum, inverse, spin }) = spinning else { return };
        let half = Mat3::from_quat(Quat::from_scaled_axis(0.5 * dt * spin));
        let middle = half * (inverse * (half.transpose() * momentum));
        let turn = Mat3::from_quat(Quat::from_scaled_axis(dt * middle));
        let (mut deforming, mut inertia) = (Vec3::ZERO, Mat3::ZERO);
        let moved = positions.iter_mut().zip(&mut *velocities);
        for ((x, m), (to, v)) in before.iter().zip(masses).zip(moved) {
            let arm = *x - centre;
            let rest = *v - going - spin.cross(arm);
            *to = turn * (arm + dt * rest);
            *v = turn * rest;
            deforming += *m * to.cross(*v);
            inertia += *m * around(*to);
        }
        // What the deformation does not carry; a body that becomes a line keeps its spin.
        let spin = self::inverse(inertia).map_or(spin, |inverse| inverse * (momentum - deforming));
        for (x, v) in positions.iter_mut().zip(velocities) {
            *v += going + spin.cross(*x);
            *x += centre + dt * going;
        }
    }
}

/// Inertia of a unit mass at an arm, m².
fn around(arm: Vec3) -> Mat3 {
    Mat3::from_diagonal(Vec3::splat(arm.length_squared())) - outer_square(arm)
}

/// Inverse of an inertia; none for a line or a point.
fn inverse(inertia: Mat3) -> Option<Mat3> {
    let mean = (inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z) / 3.0;
    let determinant = inertia.determinant();
    (determinant > LINE * mean * mean * mean).then(|| inertia.inverse())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::Random;

    const DT: f64 = 0.01;

    struct Cloud {
        masses: Vec<f64>,
        before: Vec<Vec3>,
        positions: Vec<Vec3>,
        velocities: Vec<Vec3>,
    }

    impl Cloud {
        /// Points that spin about an axis, with other velocities of a size on top.
        fn new(spin: Vec3, deforming: f64) -> Cloud {
            let mut random = Random::new(3);
            let scale = Vec3::new(1.0, 0.6, 0.3);
            let before: Vec<_> = (0..20).map(|_| scale * random.vec3() + 5.0 * Vec3::X).collect();
            let masses: Vec<_> = (0..20).map(|k| 0.1 + 0.01 * f64::from(k)).collect();
            let velocity = |x: &Vec3| spin.cross(*x) + Vec3::Y + deforming * random.vec3();
            let velocities: Vec<_> = before.iter().map(velocity).collect();
            let linear = before.iter().zip(&velocities).map(|(x, v)| *x + DT * *v);
            Cloud { positions: linear.collect(), masses, before, velocities }
        }

        fn turn(&mut self) {
            let Cloud { masses, before, positions, velocities } = self;
            Body { masses, before, positions, velocities }.turn(DT);
        }

        fn momenta(&self) -> [Vec3; 2] {
            let all = self.positions.iter().zip(&self.velocities).zip(&self.masses);
            let linear = all.clone().map(|((_, v), m)| *m * *v).sum();
            [linear, all.map(|((x, v), m)| *m * x.cross(*v)).sum()]
        }

        fn kinetic(&self) -> f64 {
            let all = self.velocities.iter().zip(&self.masses);
            all.map(|(v, m)| 0.5 * m * v.length_squared()).sum()
        }
    }

    #[test]
    fn a_spinning_body_keeps_its_shape() {
        // 0.5 rad a step, about no axis of symmetry.
        let mut cloud = Cloud::new(Vec3::new(20.0, 30.0, 35.0), 0.0);
        let (kinetic, before) = (cloud.kinetic(), cloud.before.clone());
        cloud.turn();
        for (k, x) in cloud.positions.iter().enumerate() {
            let (now, then) = (x.distance(cloud.positions[0]), before[k].distance(before[0]));
            assert!((now - then).abs() < 1e-12, "{now} {then}");
        }
        // The axis of a free body wanders: of order 3 in the angle.
        assert!((cloud.kinetic() - kinetic).abs() < 0.03 * kinetic);
    }

    #[test]
    fn momenta_are_those_of_the_linear_step() {
        for (spin, deforming) in [(30.0, 0.0), (3.0, 2.0), (0.2, 0.1)] {
            let mut cloud = Cloud::new(spin * Vec3::new(0.3, -0.5, 0.8), deforming);
            let expected = cloud.momenta();
            cloud.turn();
            for (now, then) in cloud.momenta().iter().zip(expected) {
                assert!(now.abs_diff_eq(then, 1e-11 * then.length()), "{now} {then}");
            }
        }
    }

    #[test]
    fn it_differs_from_the_linear_step_by_the_square_of_the_angle() {
        for spin in [1.0, 0.5, 0.25] {
            let mut cloud = Cloud::new(spin * Vec3::Z, 0.1);
            let linear = cloud.positions.clone();
            cloud.turn();
            let most = cloud.positions.iter().zip(&linear).map(|(a, b)| a.distance(*b));
            let (most, angle) = (most.fold(0.0, f64::max), DT * spin);
            assert!(most < angle * angle + 0.2 * DT * angle && most > 0.1 * angle * angle);
        }
    }

    #[test]
    fn slow_and_straight_bodies_take_the_linear_step() {
        let mut slow = Cloud::new(0.09 * Vec3::Z, 0.0);
        let mut line = Cloud::new(20.0 * Vec3::Z, 0.0);
        line.before.iter_mut().for_each(|x| *x = Vec3::new(x.x, 0.0, 0.0));
        for cloud in [&mut slow, &mut line] {
            let (positions, velocities) = (cloud.positions.clone(), cloud.velocities.clone());
            cloud.turn();
            assert_eq!((&cloud.positions, &cloud.velocities), (&positions, &velocities));
        }
    }
}
