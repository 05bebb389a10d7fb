//! The force on a vertex: spring, damper and friction between it and a surface.
//!
//! | here     | formula            | meaning                                             |
//! |----------|--------------------|-----------------------------------------------------|
//! | `push`   | d, r               | depth, m, and direction out                         |
//! | `terms`  | ±wᵢ                | weights: one side has 1 in all, the other −1        |
//! | relative | u = Σ ±wᵢ vᵢ       | velocity of one side seen from the other, m/s       |
//! | `joint`  | m = 1 / Σ wᵢ/mᵢ    | joint mass of both sides, kg                        |
//! | `Loads`  | Wᵢ = Σ w           | weights of all contacts at a vertex                 |
//! | `load`   | W                  | the largest Wᵢ of a contact                         |
//!
//! By Cauchy and Schwarz (Σ wᵢ xᵢ)² ≤ (Σ wᵢ/mᵢ) Σ wᵢ mᵢ xᵢ². So springs of κ m/dt² on all
//! contacts together are at most κ max Wᵢ / dt² times the masses, and with κ ≤ 1/W on each at
//! most 1/dt²: a quarter of what symplectic Euler bears. Dampers of m/(W dt) take half of it.
//! The same m/(W dt) on what slides can, whatever the meshes, neither turn the sliding round
//! nor add to the motion.

use crate::bodies::penalty_pairs::{PenaltyForce, PenaltyForces};
use pliant::contact::friction::friction;
use pliant::contact::response::StepContext;
use pliant::contact::response::Stiffness;
use pliant::id::VertexId;
use pliant::math::Vec3;

/// Most that springs chosen from the step may have of mass over step squared, all together.
///
/// A quarter of what symplectic Euler bears; dampers may need a half, materials the rest.
pub(super) const MOST: f64 = 1.0;

/// Sum of the weights of all contacts at each vertex.
#[derive(Clone, Debug, Default)]
pub struct Loads {
    of: Vec<f64>,
}

impl Loads {
    /// Sums over all pushes.
    pub fn find(&mut self, pushes: &PenaltyForces, vertex_count: usize) {
        self.start(vertex_count);
        pushes.list.iter().for_each(|push| self.add(weights(push, pushes.terms(push))));
    }

    /// Removes all contacts.
    pub fn start(&mut self, vertex_count: usize) {
        self.of.clear();
        self.of.resize(vertex_count, 0.0);
    }

    /// Adds one contact.
    pub fn add(&mut self, terms: impl Iterator<Item = (VertexId, f64)>) {
        terms.for_each(|(vertex, weight)| self.of[vertex.index()] += weight.abs());
    }
}

/// Spring, damper and friction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// How hard it pushes.
    pub stiffness: Stiffness,
    /// Share of critical damping; at least 0.
    pub damping: f64,
    /// Coulomb's coefficient; at least 0.
    pub friction: f64,
}

/// Constants of a spring between two sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpringConstants {
    /// N/m.
    pub stiffness: f64,
    /// N·s/m.
    pub damping: f64,
}

/// A contact as a spring sees it: joint mass and relative motion of both sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joint {
    /// Joint mass m of what is free, kg.
    pub mass: f64,
    /// Largest load W of its vertices.
    load: f64,
    /// Unit, from the second side to the first.
    direction: Vec3,
    /// Speed of one side away from the other, m/s.
    parting: f64,
    /// Velocity across the direction, m/s.
    sliding: Vec3,
    /// Length of the step, s.
    dt: f64,
}

impl Joint {
    /// A contact with these weights; `None` where both sides are pinned.
    pub fn new(
        terms: impl Iterator<Item = (VertexId, f64)>,
        direction: Vec3,
        loads: &Loads,
        context: StepContext<'_>,
    ) -> Option<Joint> {
        let StepContext { motion, masses, pins, dt, .. } = context;
        let (mut inv_mass, mut load) = (0.0, 0.0_f64);
        // Each side for itself: what both share in cancels best at the end.
        let mut sides = [Vec3::ZERO; 2];
        for (vertex, weight) in terms {
            let side = &mut sides[usize::from(weight < 0.0)];
            *side += weight.abs() * motion.velocities[vertex.index()];
            if pins.vertices().binary_search(&vertex).is_err() {
                inv_mass += weight.abs() / masses.of()[vertex.index()];
                load = load.max(loads.of[vertex.index()]);
            }
        }
        let relative = sides[0] - sides[1];
        let parting = relative.dot(direction);
        let sliding = relative - parting * direction;
        let mass = 1.0 / inv_mass;
        (inv_mass > 0.0 && load > 0.0).then_some(Joint {
            mass,
            load,
            direction,
            parting,
            sliding,
            dt,
        })
    }

    /// Speed of one side towards the other, m/s; negative where they part.
    pub fn approach(&self) -> f64 {
        -self.parting
    }

    /// Damping that stops this contact in one step, together with all others, kg/s.
    fn stopping(&self) -> f64 {
        self.mass / (self.load * self.dt)
    }

    /// The force of a spring, pressed in by `depth` m, on the first side, N.
    pub fn spring(&self, depth: f64, spring: &Spring) -> Vec3 {
        let SpringConstants { stiffness, damping } = self.constants(spring, MOST / self.load);
        let normal = stiffness * depth - damping.min(self.stopping()) * self.parting;
        self.rub(normal.max(0.0), spring.friction)
    }

    /// Constants of a spring; of one from the step the fraction is at most `most`.
    pub fn constants(&self, spring: &Spring, most: f64) -> SpringConstants {
        let stiffness = match spring.stiffness {
            Stiffness::Fixed(given) => given,
            Stiffness::OfStep { fraction, dt } => self.mass * fraction.min(most) / (dt * dt),
        };
        let damping = 2.0 * spring.damping * (stiffness * self.mass).sqrt();
        SpringConstants { stiffness, damping }
    }

    /// A pressing force of `normal` N with the friction that goes with it, N.
    pub fn rub(&self, normal: f64, coefficient: f64) -> Vec3 {
        normal * self.direction + friction(-self.stopping() * self.sliding, normal, coefficient)
    }
}

/// A push as a spring sees it; `None` where both sides are pinned.
///
/// The force of [`Joint::spring`] is that on the pushed vertex; those that bear the reaction
/// get minus their share of it. Along the way out it is k d − c r·u, or nothing if that would
/// pull; across it at most friction times as much, against the sliding, and at most what stops
/// it within the step. Friction acts at the vertex and its reaction where the way leaves the
/// surface: it turns by no more than the way between them times the force.
pub fn joint(
    push: &PenaltyForce,
    terms: &[(VertexId, f64)],
    loads: &Loads,
    context: StepContext<'_>,
) -> Option<Joint> {
    Joint::new(weights(push, terms), push.penetration.direction, loads, context)
}

/// The vertex with 1 and those that bear the reaction with minus their shares.
fn weights(
    push: &PenaltyForce,
    terms: &[(VertexId, f64)],
) -> impl Iterator<Item = (VertexId, f64)> {
    std::iter::once((push.vertex, 1.0)).chain(terms.iter().map(|(v, share)| (*v, -share)))
}
