//! Velocities after contact: no approach at the contact surface, and friction.
//!
//! Stage 5 of [Spillmann05 §4.5], which has no formulas (erratum S16). Between a colliding
//! vertex and its contact triangle an impulse ends the approach along the way out, and one
//! across it opposes the sliding, within Coulomb's cone. Whole bodies may be stopped before, by
//! [`rigid_approach`](super::rigid_approach); their impulses press too. Several contacts on one
//! vertex share: all use the same velocities, sweep by sweep, so that the order of contacts does
//! not matter.
//!
//! Each gives 1 / Σᵢ |wᵢ| Wᵢ/mᵢ of its own approach, where Wᵢ sums |w| over all contacts at a
//! vertex. By Cauchy and Schwarz (Σ w x)² ≤ W Σ |w| x² at each vertex: together they give no
//! more than ends all approaches, and one that is alone gives just that.
//!
//! | here      | formula               | meaning                                          |
//! |-----------|-----------------------|--------------------------------------------------|
//! | relative  | u = v − Σ wᵢ vᵢ       | velocity of the vertex seen from the triangle    |
//! | `inv_mass`    | Σ \|wᵢ\| Wᵢ/mᵢ         | inverse of the mass that a contact stops, 1/kg   |
//! | `loads`   | Wᵢ = Σ \|w\|           | weights of all contacts at a vertex              |
//! | `pressed` | λ_w ≥ 0               | impulse along the way that whole bodies had, N·s |
//! | `normal`  | λ ≥ 0                 | impulse along the way so far, N·s                |
//! | `across`  | \|λ_t\| ≤ μ (λ + λ_w) | impulse across it so far, N·s                    |

use crate::surface::rigid_approach::RigidApproach;
use crate::surface::triangles::SurfaceContact;
use crate::surface::{CorrectionLevel, SurfaceSettings};
use pliant::contact::friction::friction;
use pliant::contact::response::StepContext;
use pliant::id::VertexId;
use pliant::math::Vec3;

/// Number of sweeps over all contacts.
///
/// Of an approach of two like surfaces less than a hundredth is left: see
/// `surfaces_that_meet_go_on_together`.
const SWEEPS: u32 = 16;

/// One contact while its impulse is sought.
#[derive(Clone, Copy, Debug)]
struct Stop {
    /// The vertex and the corners of its triangle, places in the list of those touched.
    places: [u32; 4],
    /// 1 and minus the shares of the corners.
    weights: [f64; 4],
    /// Unit, the way out.
    direction: Vec3,
    /// Mass that it stops in a sweep, kg; 0 where both sides are pinned.
    stopping: f64,
    /// Approach that may stay, m/s: what closes a gap and no more.
    allowed: f64,
    /// Impulse along the way that whole bodies have had, N·s; friction may use it.
    pressed: f64,
    /// Impulse along the way, N·s.
    normal: f64,
    /// Impulse across it, N·s.
    across: Vec3,
}

/// A vertex with contacts.
#[derive(Clone, Copy, Debug)]
struct Touched {
    vertex: VertexId,
    /// m/s.
    velocity: Vec3,
    /// Impulses of a sweep, N·s.
    push: Vec3,
    /// kg.
    mass: f64,
    /// Sum of the weights of all contacts.
    load: f64,
    held: bool,
}

/// Finds impulses that end approach and sliding; keeps its memory.
#[derive(Clone, Debug, Default)]
pub struct VelocityCorrection {
    list: Vec<Stop>,
    /// Vertices of the list, each once, in the order of their first contact.
    touched: Vec<Touched>,
    /// Place of each vertex in the list of those touched; none when it has no contact.
    places: Vec<Option<u32>>,
    /// Velocities of all vertices once whole bodies are stopped, m/s.
    velocities: Vec<Vec3>,
    found: Vec<(VertexId, Vec3)>,
    rigid_approach: RigidApproach,
}

impl VelocityCorrection {
    /// Impulses on vertices, N·s; with those on pins they sum to zero for each contact.
    ///
    /// Pinned vertices are left out: their pins bear what they get.
    pub fn impulses(&self) -> &[(VertexId, Vec3)] {
        &self.found
    }

    /// Finds the impulses at the velocities of the context.
    pub fn find(
        &mut self,
        context: StepContext<'_>,
        touches: &[SurfaceContact],
        settings: SurfaceSettings,
    ) {
        self.found.clear();
        if touches.is_empty() {
            return;
        }
        self.gather(context, touches);
        if settings.approach == CorrectionLevel::Bodies {
            self.stop_rigid_approach(context, touches);
        }
        for _ in 0..SWEEPS {
            self.sweep(settings.friction);
        }
        for stop in &self.list {
            let impulse = stop.normal * stop.direction + stop.across;
            if impulse != Vec3::ZERO {
                let ends = stop.places.map(|place| self.touched[place as usize]);
                let free = ends.into_iter().zip(stop.weights).filter(|(end, _)| !end.held);
                self.found.extend(free.map(|(end, weight)| (end.vertex, weight * impulse)));
            }
        }
    }

    /// Collects contacts and their vertices.
    fn gather(&mut self, context: StepContext<'_>, touches: &[SurfaceContact]) {
        let VelocityCorrection { list, touched, places, .. } = self;
        touched.iter().for_each(|old| places[old.vertex.index()] = None);
        places.resize(context.motion.velocities.len(), None);
        touched.clear();
        list.clear();
        for touch in touches {
            let sum: f64 = touch.weights.iter().sum();
            if sum <= 0.0 {
                continue;
            }
            let ([a, b, c], [wa, wb, wc]) = (touch.corners, touch.weights);
            // Printed weights do not sum to 1; momentum needs it.
            let weights = [1.0, -wa / sum, -wb / sum, -wc / sum];
            let vertices = [touch.vertex, a, b, c];
            let places = vertices.map(|vertex| {
                *places[vertex.index()].get_or_insert_with(|| {
                    touched.push(Touched::new(vertex, context));
                    touched.len() as u32 - 1
                })
            });
            let ends = places.iter().zip(weights);
            ends.for_each(|(place, weight)| touched[*place as usize].load += weight.abs());
            list.push(Stop {
                places,
                weights,
                direction: touch.direction,
                stopping: 0.0,
                allowed: touch.gap / context.dt,
                pressed: 0.0,
                normal: 0.0,
                across: Vec3::ZERO,
            });
        }
        for stop in list {
            let ends = stop.places.iter().map(|place| touched[*place as usize]).zip(stop.weights);
            let free = ends.filter(|(end, _)| !end.held);
            let inv_mass: f64 = free.map(|(end, weight)| weight.abs() * end.load / end.mass).sum();
            stop.stopping = if inv_mass > 0.0 { 1.0 / inv_mass } else { 0.0 };
        }
    }

    /// Ends the approach of whole bodies; contacts continue from there.
    fn stop_rigid_approach(&mut self, context: StepContext<'_>, touches: &[SurfaceContact]) {
        let VelocityCorrection { list, touched, velocities, found, rigid_approach, .. } = self;
        velocities.clear();
        velocities.extend_from_slice(context.motion.velocities);
        rigid_approach.stop(context, touches, velocities, found);
        for end in touched {
            end.velocity = velocities[end.vertex.index()];
        }
        for (stop, normal) in list.iter_mut().zip(rigid_approach.normals()) {
            stop.pressed = normal;
        }
    }

    /// Every contact once, all at the same velocities.
    fn sweep(&mut self, coefficient: f64) {
        let VelocityCorrection { list, touched, .. } = self;
        for stop in list {
            let ends = stop.places.into_iter().map(|place| place as usize).zip(stop.weights);
            let relative: Vec3 = ends.clone().map(|(k, w)| w * touched[k].velocity).sum();
            let parting = relative.dot(stop.direction);
            let sliding = relative - parting * stop.direction;
            let normal = (stop.normal - stop.stopping * (parting + stop.allowed)).max(0.0);
            let pressing = stop.pressed + normal;
            let across = friction(stop.across - stop.stopping * sliding, pressing, coefficient);
            let change = (normal - stop.normal) * stop.direction + (across - stop.across);
            (stop.normal, stop.across) = (normal, across);
            ends.for_each(|(k, w)| touched[k].push += w * change);
        }
        for end in touched {
            if !end.held {
                end.velocity += end.push / end.mass;
            }
            end.push = Vec3::ZERO;
        }
    }
}

impl Touched {
    fn new(vertex: VertexId, context: StepContext<'_>) -> Touched {
        Touched {
            vertex,
            velocity: context.motion.velocities[vertex.index()],
            push: Vec3::ZERO,
            mass: context.masses.of()[vertex.index()],
            load: 0.0,
            held: context.pins.vertices().binary_search(&vertex).is_ok(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::body::Bodies;
    use pliant::body::pins::Pins;
    use pliant::body::rigid::all::RigidBodySet;
    use pliant::body::soft::{Masses, StateView};
    use pliant::id::BodyId;

    const TET: [VertexId; 4] = [VertexId(0), VertexId(2), VertexId(1), VertexId(3)];
    /// A contact that is alone is done after one sweep.
    const TOLERANCE: f64 = 1e-14;

    /// Impulse on vertex 4, of 1 kg, that meets a triangle of 2, 1 and 4 kg from above.
    ///
    /// The shares are 0.5, 0.25 and 0.25, the joint mass 1 / (1 + 0.125 + 0.0625 + 0.015625).
    #[track_caller]
    fn check(velocity: Vec3, held: &[u32], expected: Vec3) {
        let bodies = Bodies::from_tets(&[(4, &[TET]), (4, &[TET])]).unwrap();
        let masses = Masses::new(vec![2.0, 1.0, 4.0, 9.0, 1.0, 9.0, 9.0, 9.0]).unwrap();
        let (positions, mut velocities) = (vec![Vec3::ZERO; 8], vec![Vec3::ZERO; 8]);
        velocities[4] = velocity;
        let motion = StateView { positions: &positions, velocities: &velocities, time: 0.0 };
        let held: Vec<_> = held.iter().map(|v| VertexId(*v)).collect();
        let pins = Pins::still(&held, &positions).unwrap();
        let (bodies, masses, pins) = (&bodies, &masses, &pins);
        let (rigids, profiler) = (&RigidBodySet::default(), &None);
        let context = StepContext {
            bodies,
            motion,
            masses,
            pins,
            rigids,
            rigid_states: &[],
            dt: 0.1,
            profiler,
        };
        let touch = SurfaceContact {
            vertex: VertexId(4),
            own: BodyId(1),
            other: BodyId(0),
            way: 0.1 * Vec3::Z,
            direction: Vec3::Z,
            gap: 0.0,
            corners: [0, 1, 2].map(VertexId),
            weights: [0.5, 0.25, 0.25],
        };
        let mut stops = VelocityCorrection::default();
        let (friction, approach) = (0.5, CorrectionLevel::Vertices);
        let settings = SurfaceSettings { friction, approach, ..SurfaceSettings::default() };
        stops.find(context, &[touch], settings);
        let on = |v: u32| {
            let own = stops.impulses().iter().filter(|(vertex, _)| *vertex == VertexId(v));
            own.map(|(_, impulse)| *impulse).sum::<Vec3>()
        };
        for (vertex, share) in [(4, 1.0), (0, -0.5), (1, -0.25), (2, -0.25)] {
            let free = pins.vertices().binary_search(&VertexId(vertex)).is_err();
            let expected = if free { share * expected } else { Vec3::ZERO };
            assert!(on(vertex).abs_diff_eq(expected, TOLERANCE), "{vertex}: {}", on(vertex));
        }
    }

    const JOINT: f64 = 1.0 / 1.203125;

    #[test]
    fn an_approach_ends_and_a_parting_is_left() {
        check(-2.0 * Vec3::Z, &[], 2.0 * JOINT * Vec3::Z);
        check(2.0 * Vec3::Z, &[], Vec3::ZERO);
        check(5.0 * Vec3::X, &[], Vec3::ZERO); // no pressure, no friction
    }

    #[test]
    fn friction_sticks_within_its_cone_and_slides_on_its_border() {
        check(Vec3::new(0.4, 0.0, -1.0), &[], JOINT * Vec3::new(-0.4, 0.0, 1.0));
        check(Vec3::new(0.0, 9.0, -1.0), &[], JOINT * Vec3::new(0.0, -0.5, 1.0));
    }

    #[test]
    fn held_vertices_bear_like_walls() {
        check(-Vec3::Z, &[0, 1, 2], Vec3::Z);
        check(-Vec3::Z, &[4, 0, 1, 2], Vec3::ZERO);
        check(-Vec3::Z, &[4], Vec3::Z / 0.203125);
    }
}
