//! Joints against closed forms, conservation laws and their documentation.

mod blocks;

mod chains;

mod kinds;

mod axes;

mod loops;

mod refused;

mod response;

use crate::body::rigid::mass::MassProperties;
use crate::body::rigid::{RigidState, RigidTemplate};
use crate::math::random::Random;
use crate::math::{Mat3, Quat, Vec3, unit_quat};
use crate::solve::joint::{JointDefinition, JointError, JointStats, Joints};

/// Gravity of the Earth, m/s².
const GRAVITY: f64 = 9.81;

/// A box of these edges, m, and mass, kg, at rest.
fn cuboid(mass: f64, edges: Vec3, centre: Vec3) -> (RigidTemplate, RigidState) {
    let square = edges * edges * (mass / 12.0);
    let moments = Vec3::new(square.y + square.z, square.z + square.x, square.x + square.y);
    let inertia = Mat3::from_diagonal(moments);
    RigidTemplate::new(&[], MassProperties { mass, centre, inertia }).unwrap()
}

/// Bodies with joints, and a minimal time stepper.
#[derive(Clone, Debug)]
struct World {
    bodies: Vec<RigidTemplate>,
    states: Vec<RigidState>,
    joints: Joints,
    /// m/s², downwards along y.
    gravity: f64,
    /// How velocities are made to satisfy the joints.
    obey: Obey,
}

/// [`Joints::velocities`] or [`Joints::velocities_ahead`].
type Obey =
    fn(&mut Joints, &[RigidTemplate], &mut [RigidState], f64) -> Result<JointStats, JointError>;

impl World {
    fn new(
        parts: Vec<(RigidTemplate, RigidState)>,
        list: Vec<JointDefinition>,
        gravity: f64,
    ) -> World {
        let (bodies, states): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        let joints = Joints::new(list, &bodies, &states).unwrap();
        World { bodies, states, joints, gravity, obey: Joints::velocities_ahead }
    }

    /// Half of gravity, impulses, free motion, position correction, half of gravity.
    ///
    /// Returns how well positions satisfy the joints.
    fn step(&mut self, dt: f64) -> JointStats {
        self.fall(0.5 * dt);
        let met = (self.obey)(&mut self.joints, &self.bodies, &mut self.states, dt).unwrap();
        assert!(!met.is_undecided && !met.is_contradictory, "{met:?}");
        for (body, state) in self.bodies.iter().zip(&mut self.states) {
            fly(body, state, dt);
        }
        let met = self.joints.positions(&self.bodies, &mut self.states).unwrap();
        assert!(!met.is_contradictory, "{met:?}");
        self.fall(0.5 * dt);
        met
    }

    fn fall(&mut self, dt: f64) {
        self.states.iter_mut().for_each(|s| s.velocity.y -= self.gravity * dt);
    }

    /// Kinetic and potential energy, J; zero at rest in the origin.
    fn energy(&self) -> f64 {
        let of = |(body, state): (&RigidTemplate, &RigidState)| {
            state.kinetic(body) + body.mass * self.gravity * state.centre.y
        };
        self.bodies.iter().zip(&self.states).map(of).sum()
    }

    /// Momentum, N·s, and angular momentum about the origin, N·m·s.
    fn momenta(&self) -> (Vec3, Vec3) {
        let parts = || self.bodies.iter().zip(&self.states);
        let turning = |(b, s): (&RigidTemplate, &RigidState)| {
            s.angular_momentum(b) + s.centre.cross(b.mass * s.velocity)
        };
        (parts().map(|(b, s)| b.mass * s.velocity).sum(), parts().map(turning).sum())
    }
}

/// Free motion that keeps the angular momentum.
fn fly(body: &RigidTemplate, state: &mut RigidState, dt: f64) {
    let momentum = state.angular_momentum(body);
    state.centre += dt * state.velocity;
    let half = 0.5 * dt * state.spin;
    state.turn = unit_quat(Quat::from_xyzw(half.x, half.y, half.z, 1.0) * state.turn).unwrap();
    state.spin = state.inverse_inertia(body) * momentum;
}

/// A chain of links of `length` and `mass` along x, attached at the origin.
fn chain(
    count: usize,
    length: f64,
    mass: f64,
    along: Vec3,
) -> (Vec<(RigidTemplate, RigidState)>, Vec<JointDefinition>) {
    use crate::solve::joint::JointKind::Ball;
    let link = |k: usize| {
        let (body, mut state) =
            cuboid(mass, Vec3::new(length, 0.2 * length, 0.3 * length), Vec3::ZERO);
        state.turn = Quat::from_rotation_arc(Vec3::X, along) * state.turn;
        state.centre = along * (length * (k as f64 + 0.5));
        (body, state)
    };
    let joint =
        |k: usize| JointDefinition::new(Ball, (k, k.checked_sub(1)), along * (length * k as f64));
    ((0..count).map(link).collect(), (0..count).map(joint).collect())
}

/// Gives all bodies velocities that violate the joints.
fn stir(states: &mut [RigidState], seed: u64) {
    let mut random = Random::new(seed);
    for state in states {
        state.velocity += random.vec3();
        state.spin += 3.0 * random.vec3();
    }
}
