//! How fast all go on: no approach at the contact surface, and friction.
//!
//! Stage 5 of [Spillmann05 §4.5], which has no formulas (erratum S16). Between a colliding
//! vertex and its contact triangle an impulse ends the approach along the way out, and one
//! across it opposes the sliding, within Coulomb's cone. Several contacts on one vertex share:
//! all use the same velocities, sweep by sweep, so that the order of contacts does not matter,
//! and each gives a part that together can be too little and not too much: by the bound of
//! [`crate::respond::bodies::law`].
//!
//! | here      | formula               | meaning                                          |
//! |-----------|-----------------------|--------------------------------------------------|
//! | relative  | u = v − Σ wᵢ vᵢ       | velocity of the vertex seen from the triangle    |
//! | `ease`    | Σ wᵢ/mᵢ               | one over the joint mass of both sides, 1/kg      |
//! | `load`    | W                     | most weights of contacts at one of its vertices  |
//! | `normal`  | λ ≥ 0                 | impulse along the way so far, N·s                |
//! | `across`  | \|λ_t\| ≤ μ λ         | impulse across it so far, N·s                    |

use crate::id::VertexId;
use crate::math::Vec3;
use crate::respond::Moment;
use crate::respond::friction::friction;
use crate::respond::surface::triangles::Touch;

/// Times that all contacts are gone through, count.
///
/// Of an approach of two like surfaces less than a hundredth is left: see
/// `surfaces_that_meet_go_on_together`.
const SWEEPS: u32 = 16;

/// One contact while its impulse is sought.
#[derive(Clone, Copy, Debug)]
struct Stop {
    /// The vertex and the corners of its triangle.
    vertices: [VertexId; 4],
    /// 1 and minus the shares of the corners, unit 1.
    weights: [f64; 4],
    /// Unit, the way out.
    direction: Vec3,
    /// Joint mass, kg, over the load.
    stopping: f64,
    /// Impulse along the way, N·s.
    normal: f64,
    /// Impulse across it, N·s.
    across: Vec3,
}

/// Impulses that end approach and sliding, with the memory to find them.
#[derive(Clone, Debug, Default)]
pub struct Stops {
    list: Vec<Stop>,
    /// Of all vertices, m/s.
    velocities: Vec<Vec3>,
    /// Sum of the weights of all contacts at each vertex, unit 1.
    loads: Vec<f64>,
    /// Impulses of a sweep on each vertex, N·s.
    pushes: Vec<Vec3>,
    /// Which vertices are held.
    held: Vec<bool>,
    found: Vec<(VertexId, Vec3)>,
}

impl Stops {
    /// Impulses on vertices, N·s; those of each contact sum to zero, what holds have included.
    ///
    /// Held vertices are left out: their holds bear what they get.
    pub fn impulses(&self) -> &[(VertexId, Vec3)] {
        &self.found
    }

    /// Finds the impulses at the velocities of the moment.
    pub fn find(&mut self, moment: Moment<'_>, touches: &[Touch], coefficient: f64) {
        self.found.clear();
        if touches.is_empty() {
            return;
        }
        self.prepare(moment, touches);
        for _ in 0..SWEEPS {
            self.sweep(moment.masses.of(), coefficient);
        }
        for stop in &self.list {
            let impulse = stop.normal * stop.direction + stop.across;
            if impulse != Vec3::ZERO {
                let shares = stop.vertices.into_iter().zip(stop.weights);
                let free = shares.filter(|(v, _)| !self.held[v.index()]);
                self.found.extend(free.map(|(v, weight)| (v, weight * impulse)));
            }
        }
    }

    fn prepare(&mut self, moment: Moment<'_>, touches: &[Touch]) {
        let Stops { list, velocities, loads, pushes, held, .. } = self;
        let count = moment.motion.velocities.len();
        velocities.clear();
        velocities.extend_from_slice(moment.motion.velocities);
        pushes.clear();
        pushes.resize(count, Vec3::ZERO);
        loads.clear();
        loads.resize(count, 0.0);
        held.clear();
        held.resize(count, false);
        moment.pins.vertices().iter().for_each(|v| held[v.index()] = true);
        list.clear();
        for touch in touches {
            let sum: f64 = touch.weights.iter().sum();
            let Some(direction) = touch.way.try_normalize().filter(|_| sum > 0.0) else {
                continue;
            };
            let ([a, b, c], [wa, wb, wc]) = (touch.corners, touch.weights);
            // Printed weights do not sum to 1; momentum needs it.
            let weights = [1.0, -wa / sum, -wb / sum, -wc / sum];
            let vertices = [touch.vertex, a, b, c];
            vertices.iter().zip(weights).for_each(|(v, w)| loads[v.index()] += w.abs());
            let (normal, across) = (0.0, Vec3::ZERO);
            list.push(Stop { vertices, weights, direction, stopping: 0.0, normal, across });
        }
        for stop in list {
            let (mut ease, mut load) = (0.0, 1.0_f64);
            for (vertex, weight) in stop.vertices.iter().map(|v| v.index()).zip(stop.weights) {
                if !held[vertex] {
                    ease += weight.abs() / moment.masses.of()[vertex];
                    load = load.max(loads[vertex]);
                }
            }
            stop.stopping = if ease > 0.0 { 1.0 / (ease * load) } else { 0.0 };
        }
    }

    /// Every contact once, all at the same velocities.
    fn sweep(&mut self, masses: &[f64], coefficient: f64) {
        let Stops { list, velocities, pushes, held, .. } = self;
        for stop in &mut *list {
            let shares = stop.vertices.into_iter().zip(stop.weights);
            let relative: Vec3 = shares.clone().map(|(v, w)| w * velocities[v.index()]).sum();
            let parting = relative.dot(stop.direction);
            let sliding = relative - parting * stop.direction;
            let normal = (stop.normal - stop.stopping * parting).max(0.0);
            let across = friction(stop.across - stop.stopping * sliding, normal, coefficient);
            let change = (normal - stop.normal) * stop.direction + (across - stop.across);
            (stop.normal, stop.across) = (normal, across);
            shares.for_each(|(v, w)| pushes[v.index()] += w * change);
        }
        for vertex in list.iter().flat_map(|stop| stop.vertices).map(|v| v.index()) {
            if !held[vertex] {
                velocities[vertex] += pushes[vertex] / masses[vertex];
            }
            pushes[vertex] = Vec3::ZERO;
        }
    }
}
