//! How hard a vertex is pushed: spring, damper and friction between it and a surface.
//!
//! | here     | formula            | meaning                                             |
//! |----------|--------------------|-----------------------------------------------------|
//! | `push`   | d, r               | depth, m, and direction out                         |
//! | `terms`  | wᵢ                 | shares of the reaction; the vertex itself has 1     |
//! | relative | u = v − Σ wᵢ vᵢ    | velocity of the vertex seen from the surface, m/s   |
//! | `joint`  | m = 1 / Σ wᵢ/mᵢ    | joint mass of both sides, kg                        |
//! | `Loads`  | Wᵢ = Σ w           | weights of all contacts at a vertex, unit 1         |
//! | `load`   | W                  | the largest Wᵢ of a contact, unit 1                 |
//!
//! By Cauchy and Schwarz (Σ wᵢ xᵢ)² ≤ (Σ wᵢ/mᵢ) Σ wᵢ mᵢ xᵢ². So springs of κ m/dt² on all
//! contacts together are at most κ max Wᵢ / dt² times the masses, and with κ ≤ 1/W on each at
//! most 1/dt²: a quarter of what symplectic Euler bears. Dampers of m/(W dt) take half of it.
//! The same m/(W dt) on what slides can, whatever the meshes, neither turn the sliding round
//! nor add to the motion.

use crate::id::VertexId;
use crate::math::Vec3;
use crate::respond::Moment;
use crate::respond::bodies::BodilySettings;
use crate::respond::bodies::ways::{Push, Pushes};
use crate::respond::friction::friction;
use crate::respond::penalty::Stiffness;

/// Most that springs chosen from the step may have of mass over step squared, all together.
///
/// A quarter of what symplectic Euler bears; dampers may need a half, materials the rest.
const MOST: f64 = 1.0;

/// Sum of the weights of all contacts at each vertex, unit 1.
#[derive(Clone, Debug, Default)]
pub struct Loads {
    of: Vec<f64>,
}

impl Loads {
    /// Sums over all pushes.
    pub fn find(&mut self, pushes: &Pushes, vertex_count: usize) {
        self.of.clear();
        self.of.resize(vertex_count, 0.0);
        for push in &pushes.list {
            self.of[push.vertex.index()] += 1.0;
            for (vertex, share) in pushes.terms(push) {
                self.of[vertex.index()] += share;
            }
        }
    }
}

/// The force on a pushed vertex, N; those that bear the reaction get minus their share of it.
///
/// Along the way out k d − c r·u, or nothing if that would pull; across it at most friction
/// times as much, against the sliding, and at most what stops it within the step. Zero where
/// both sides are held. Friction acts at the vertex and its reaction where the way leaves the
/// surface: it turns by no more than the way between them times the force.
pub fn force(
    push: &Push,
    terms: &[(VertexId, f64)],
    loads: &Loads,
    settings: &BodilySettings,
    moment: Moment<'_>,
) -> Vec3 {
    let Moment { motion, masses, pins, dt, .. } = moment;
    let (mut ease, mut load) = (0.0, 0.0_f64);
    for (vertex, weight) in [(push.vertex, 1.0)].iter().chain(terms) {
        if pins.vertices().binary_search(vertex).is_err() {
            ease += weight / masses.of()[vertex.index()];
            load = load.max(loads.of[vertex.index()]);
        }
    }
    if ease <= 0.0 || load <= 0.0 {
        return Vec3::ZERO;
    }
    let joint = 1.0 / ease;
    let direction = push.escape.direction;
    let stiffness = match settings.stiffness {
        Stiffness::Fixed(given) => given,
        Stiffness::OfStep { fraction, dt } => joint * fraction.min(MOST / load) / (dt * dt),
    };
    // What stops all that moves along this contact in one step, with all others that do.
    let stopping = joint / (load * dt);
    let damper = (2.0 * settings.damping * (stiffness * joint).sqrt()).min(stopping);
    let of = |vertex: VertexId| motion.velocities[vertex.index()];
    let surface: Vec3 = terms.iter().map(|(vertex, share)| *share * of(*vertex)).sum();
    let relative = of(push.vertex) - surface;
    let parting = relative.dot(direction);
    let normal = (stiffness * push.escape.depth - damper * parting).max(0.0);
    let sliding = relative - parting * direction;
    normal * direction + friction(-stopping * sliding, normal, settings.friction)
}
