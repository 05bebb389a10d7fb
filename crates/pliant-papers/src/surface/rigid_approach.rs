//! The approach of bodies as rigid wholes, ended before that of their vertices.
//!
//! An impulse on a vertex stops the vertex; what the rest of its body brings along comes later,
//! through the material, and by then the vertex is inside again. Here each body first moves
//! as if it were rigid: its momentum and angular momentum change as impulses at the contacts
//! would change them, all its vertices go along, and nothing is strained.
//!
//! The rigid part of a motion has its own share of the kinetic energy, and impulses that end
//! approaches take from it. They share as those of [`velocity`](super::velocity) do.
//!
//! | here      | formula                          | meaning                               |
//! |-----------|----------------------------------|---------------------------------------|
//! | `parting` | u = n·(v + ω × r) of both sides  | speed of the rigid parts, m/s         |
//! | `inv_mass`    | Σ W (1/M + (r×n)·I⁻¹(r×n))       | inverse of the stopped mass, 1/kg     |
//! | `load`    | W                                | contacts of a body                    |

use crate::surface::triangles::SurfaceContact;
use pliant::body::Bodies;
use pliant::contact::response::StepContext;
use pliant::id::{BodyId, VertexId};
use pliant::math::Vec3;
use pliant::solve::position_correction::Rigid;

/// Number of sweeps over all contacts.
const SWEEPS: u32 = 16;

/// A body as one rigid whole.
#[derive(Clone, Copy, Debug)]
struct Whole {
    rigid: Rigid,
    /// Of its centre of mass, m/s.
    velocity: Vec3,
    /// rad/s.
    spin: Vec3,
    /// Impulses of a sweep, N·s, and their moments, N·m·s.
    pushes: [Vec3; 2],
    /// Number of contacts.
    load: f64,
}

/// A contact between two wholes.
#[derive(Clone, Copy, Debug)]
struct Row {
    bodies: [BodyId; 2],
    /// Unit, the way out of the second.
    direction: Vec3,
    /// From the centres to the contact, m.
    arms: [Vec3; 2],
    /// Approach that may stay, m/s.
    allowed: f64,
    /// Mass that it stops in a sweep, kg.
    stopping: f64,
    /// Impulse so far, N·s.
    normal: f64,
}

/// Finds impulses that end the approach of whole bodies; keeps its memory.
#[derive(Clone, Debug, Default)]
pub struct RigidApproach {
    list: Vec<Whole>,
    rows: Vec<Row>,
}

impl RigidApproach {
    /// Impulse along the way of each contact whose triangle has weights, in order, N·s.
    pub fn normals(&self) -> impl Iterator<Item = f64> {
        self.rows.iter().map(|row| row.normal)
    }

    /// Changes velocities, and appends the impulses that do so, N·s.
    ///
    /// Bodies with a pinned vertex have infinite mass.
    pub fn stop(
        &mut self,
        context: StepContext<'_>,
        touches: &[SurfaceContact],
        velocities: &mut [Vec3],
        impulses: &mut Vec<(VertexId, Vec3)>,
    ) {
        self.gather(context, touches);
        for _ in 0..SWEEPS {
            self.sweep();
        }
        let StepContext { bodies, motion, masses, .. } = context;
        for (body, whole) in bodies.ids().zip(&self.list) {
            if whole.load == 0.0 || whole.rigid.inv_mass == 0.0 {
                continue;
            }
            let own = bodies.vertices(body);
            let before = Whole::of(whole.rigid, context, body);
            let (change, turn) = (whole.velocity - before.velocity, whole.spin - before.spin);
            for k in own {
                let arm = motion.positions[k] - whole.rigid.centre;
                let gained = change + turn.cross(arm);
                if gained != Vec3::ZERO {
                    velocities[k] += gained;
                    impulses.push((VertexId(k as u32), masses.of()[k] * gained));
                }
            }
        }
    }

    fn gather(&mut self, context: StepContext<'_>, touches: &[SurfaceContact]) {
        let StepContext { bodies, motion, masses, dt, .. } = context;
        let RigidApproach { list, rows } = self;
        list.clear();
        list.resize(bodies.len(), Whole::STAYS);
        for body in touches.iter().flat_map(|touch| [touch.own, touch.other]) {
            let whole = &mut list[body.index()];
            whole.load += 1.0;
            if whole.load == 1.0 {
                let own = bodies.vertices(body);
                let held = is_held(context, bodies, body);
                let weighed = |v: usize| (motion.positions[v], masses.of()[v]);
                let rigid = if held { Rigid::STAYS } else { Rigid::of(own.map(weighed)) };
                *whole = Whole { load: 1.0, ..Whole::of(rigid, context, body) };
            }
        }
        rows.clear();
        for touch in touches {
            let sum: f64 = touch.weights.iter().sum();
            if sum <= 0.0 {
                continue;
            }
            let surface = touch.corners.into_iter().zip(touch.weights);
            let closest_point: Vec3 =
                surface.map(|(v, w)| w / sum * motion.positions[v.index()]).sum();
            let sides =
                [(touch.own, motion.positions[touch.vertex.index()]), (touch.other, closest_point)];
            let arms = sides.map(|(body, point)| point - list[body.index()].rigid.centre);
            let bodies = [touch.own, touch.other];
            let inv_masses = bodies.iter().zip(arms).map(|(body, arm)| {
                let Whole { rigid, load, .. } = &list[body.index()];
                let context = arm.cross(touch.direction);
                load * (rigid.inv_mass + context.dot(rigid.inv_inertia * context))
            });
            let inv_mass: f64 = inv_masses.sum();
            let stopping = if inv_mass > 0.0 { 1.0 / inv_mass } else { 0.0 };
            let (direction, allowed) = (touch.direction, touch.gap / dt);
            rows.push(Row { bodies, direction, arms, allowed, stopping, normal: 0.0 });
        }
    }

    /// Every contact once, all at the same velocities.
    fn sweep(&mut self) {
        let RigidApproach { list, rows } = self;
        for row in rows {
            let [own, other] = row.bodies.map(|body| list[body.index()]);
            let relative = own.at(row.arms[0]) - other.at(row.arms[1]);
            let parting = relative.dot(row.direction) + row.allowed;
            let normal = (row.normal - row.stopping * parting).max(0.0);
            let push = (normal - row.normal) * row.direction;
            row.normal = normal;
            for ((body, arm), sign) in row.bodies.into_iter().zip(row.arms).zip([1.0, -1.0]) {
                let pushes = &mut list[body.index()].pushes;
                pushes[0] += sign * push;
                pushes[1] += arm.cross(sign * push);
            }
        }
        for whole in list {
            whole.velocity += whole.rigid.inv_mass * whole.pushes[0];
            whole.spin += whole.rigid.inv_inertia * whole.pushes[1];
            whole.pushes = [Vec3::ZERO; 2];
        }
    }
}

impl Whole {
    /// A body that nothing moves.
    const STAYS: Whole = Whole {
        rigid: Rigid::STAYS,
        velocity: Vec3::ZERO,
        spin: Vec3::ZERO,
        pushes: [Vec3::ZERO; 2],
        load: 0.0,
    };

    /// The rigid part of a body's motion.
    fn of(rigid: Rigid, context: StepContext<'_>, body: BodyId) -> Whole {
        let StepContext { bodies, motion, masses, .. } = context;
        let (mut linear, mut angular) = (Vec3::ZERO, Vec3::ZERO);
        for k in bodies.vertices(body) {
            let push = masses.of()[k] * motion.velocities[k];
            linear += push;
            angular += (motion.positions[k] - rigid.centre).cross(push);
        }
        let (velocity, spin) = (rigid.inv_mass * linear, rigid.inv_inertia * angular);
        Whole { rigid, velocity, spin, ..Whole::STAYS }
    }

    fn at(&self, arm: Vec3) -> Vec3 {
        self.velocity + self.spin.cross(arm)
    }
}

fn is_held(context: StepContext<'_>, bodies: &Bodies, body: BodyId) -> bool {
    let (own, held) = (bodies.vertices(body), context.pins.vertices());
    let first = held.partition_point(|v| v.index() < own.start);
    held.get(first).is_some_and(|v| v.index() < own.end)
}
