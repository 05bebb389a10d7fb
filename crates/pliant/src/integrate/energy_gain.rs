//! Energy that a step stores beyond what there was and what sources put in: that of the scene, and
//! of single soft bodies, so that a small one cannot explode unnoticed beside large ones.
//!
//! Implicit Euler cannot raise the energy of a body whose forces are linear beyond the work of its
//! contacts and weight: with end velocity w, impulses p of these and elastic forces f,
//! ½ m w² − ½ m v² ≤ m w·(w − v) = h w·f + w·p, and elastic energy rises by −h w·f at most where it
//! is convex. What it rises beyond that shows that forces changed more in the step than their
//! linearisation does. Weight is taken by its impulse, not by height: shifts out of overlap lift
//! some bodies and lower others.
//!
//! | here       | formula | meaning                                                   |
//! |------------|---------|-----------------------------------------------------------|
//! | `energies` |         | kinetic and elastic energy, before and after, J           |
//! | `work`     | w·p     | what contacts and weight put in, J                        |
//! | `gained`   |         | energy after, less energy before and what was put in, J   |
//! | `stored`   |         | energy before, and what was put in, J                     |

use crate::body::soft::State;
use crate::contact::Contact;
use crate::contact::impulse::ContactImpulse;
use crate::contact::output::ContactOutput;
use crate::force::Store;
use crate::id::{BodyId, VertexId};
use crate::integrate::System;
use crate::math::{Aabb, Vec3};

/// Speed, in sizes of the scene per second, whose energy bodies may gain.
const SLOW: f64 = 0.01;

/// Share of what bodies that nothing holds gain by falling for a step that may appear: contacts are
/// solved to a tolerance, and shorter steps do not make that of bodies at rest smaller.
const RESTING: f64 = 0.1;

/// Energy that a part of a step may gain without a source, over kinetic and elastic energy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct EnergyLimits {
    /// Of the whole scene.
    total: f64,
    /// Of a soft body.
    body: f64,
    /// Of the whole scene, with the energy of motion and height that it ends with.
    rise: f64,
}

impl EnergyLimits {
    /// Before a part that is long is halved.
    pub const WHOLE: EnergyLimits = EnergyLimits { rise: 1e-4, ..EnergyLimits::LONG };
    /// Before a part is halved.
    pub const LONG: EnergyLimits = EnergyLimits { total: 0.1, body: 0.02, rise: f64::INFINITY };
    /// Before the shortest part fails.
    pub const SHORTEST: EnergyLimits = EnergyLimits { total: 10.0, ..EnergyLimits::NONE };
    /// Of steps that cannot be halved.
    pub const NONE: EnergyLimits =
        EnergyLimits { total: f64::INFINITY, body: f64::INFINITY, rise: f64::INFINITY };
}

/// Energy that a step stores beyond what there was.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gain {
    /// Beyond what there was, what fell and what sources put in, J.
    pub gained: f64,
    /// Kinetic and elastic energy before, J; never less than that of slow motion.
    pub stored: f64,
}

impl Gain {
    /// What is gained over what there was.
    fn share(&self) -> f64 {
        self.gained / self.stored
    }
}

/// Finds what a step gained; scratch memory.
#[derive(Debug, Default)]
pub(crate) struct EnergyGains {
    /// Elastic energies before the step and after it.
    elastic: [ElasticEnergies; 2],
    /// Kinetic and elastic energy of each body, before and after.
    energies: [Vec<f64>; 2],
    work: Vec<f64>,
    /// Kinetic energy that weight would give in a step if nothing were held, J.
    fall: f64,
    /// Impulses and weights of vertices, one after the other.
    pushes: Vec<Vec3>,
}

/// Elastic energies of a state, kept: the end of a step is mostly the start of the next.
#[derive(Debug, Default)]
struct ElasticEnergies {
    /// Revision of the forces; none where nothing was measured.
    revision: Option<u64>,
    time: f64,
    positions: Vec<Vec3>,
    /// Of each body, J.
    of: Vec<f64>,
    /// Of the scene, J.
    total: f64,
}

/// A step that was made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MadeStep<'a> {
    /// States before and after.
    pub states: [&'a State; 2],
    /// s.
    pub dt: f64,
    /// What sources put in, J.
    pub input: f64,
}

impl EnergyGains {
    /// The gain of a step that is beyond its limits.
    ///
    /// That of the scene is not judged where pins move or bodies are attached to rigid ones: what
    /// these put in is not known well enough.
    pub(crate) fn beyond(
        &mut self,
        limits: EnergyLimits,
        system: &System,
        step: MadeStep<'_>,
    ) -> Option<Gain> {
        self.measure(system, step);
        if system.rigids.attached().is_empty() && system.pins.moving().next().is_none() {
            let (gain, risen) = self.of_scene(system, step);
            let is_kept = gain.gained <= limits.total * gain.stored;
            // NaN is beyond as well.
            if !is_kept {
                return Some(gain);
            }
            if risen > limits.rise * gain.stored + RESTING * self.fall {
                return Some(Gain { gained: risen, ..gain });
            }
        }
        let is_halved = limits.body < f64::INFINITY;
        is_halved.then(|| self.of_bodies(system, step, limits.body)).flatten()
    }

    /// Elastic energy of the scene beyond all that there was, of the step measured last, and by
    /// how much its total energy has risen, J.
    fn of_scene(&self, system: &System, step: MadeStep<'_>) -> (Gain, f64) {
        let MadeStep { states: [start, end], input, .. } = step;
        let [kinetic, moving] = [start, end].map(|at| system.rigids.kinetic(at, &system.masses));
        let height = |state: &State| system.forces.energy_of(Store::Gravitational, state.motion());
        let raised = height(end) - height(start);
        let fallen = (-raised).max(0.0);
        let slow = slow_speed(start);
        let [before, after] = [0, 1].map(|k| self.elastic[k].total);
        let gain = Gain {
            gained: after - before - kinetic - fallen - input.max(0.0),
            stored: kinetic + before.abs() + 0.5 * system.masses.total() * slow * slow,
        };
        (gain, after - before + moving - kinetic + raised - input)
    }

    /// The largest gain of a body over `limit` of what it had, of the step measured last.
    ///
    /// Bodies that are pinned to moving places, attached, or joined to others by elements take
    /// energy from where it is not known here, and are left out.
    fn of_bodies(&self, system: &System, step: MadeStep<'_>, limit: f64) -> Option<Gain> {
        let slow = slow_speed(step.states[0]);
        let [before, after] = &self.energies;
        let mut largest: Option<Gain> = None;
        for body in system.bodies.ids() {
            let (range, k) = (system.bodies.vertices(body), body.index());
            let mass: f64 = system.masses.of().get(range).into_iter().flatten().sum();
            let work = self.work[k].max(0.0);
            // Loads count as elastic, and their energy is below zero on one side of the origin.
            let gain = Gain {
                gained: after[k] - before[k] - work - step.input.max(0.0),
                stored: before[k].max(0.0) + work + 0.5 * mass * slow * slow,
            };
            // NaN is no reason: where the scene is judged, that refuses the step.
            let is_over = gain.gained > limit * gain.stored;
            let is_larger = largest.is_none_or(|largest| gain.share() > largest.share());
            if is_over && is_larger && is_known(system, body) {
                largest = Some(gain);
            }
        }
        largest
    }

    /// Fills in all energies and the work of contacts and weight.
    fn measure(&mut self, system: &System, step: MadeStep<'_>) {
        let EnergyGains { elastic: [before, after], energies, .. } = self;
        if after.is_of(system, step.states[0]) {
            std::mem::swap(before, after);
        }
        let elastic = [before, after];
        for ((elastic, energies), state) in elastic.into_iter().zip(energies).zip(step.states) {
            elastic.measure(system, state);
            energies.clone_from(&elastic.of);
            add_kinetic(system, state, energies);
        }
        self.add_impulses(system, step.states[0]);
        self.work.clear();
        self.work.resize(system.bodies.len(), 0.0);
        let end = step.states[1];
        self.add_weight(system, end, step.dt);
        let ContactOutput { rows, row_impulses, .. } = &system.scratch.contact;
        // The work on rigid bodies is not judged.
        let rows = rows.iter().zip(row_impulses);
        for (row, impulse) in rows.filter(|(row, _)| !system.rigids.are_rigid(row.bodies)) {
            self.add_contact(system, end, row, impulse);
        }
    }

    /// Adds to the energies before the step what impulses at its beginning change.
    fn add_impulses(&mut self, system: &System, start: &State) {
        let impulses = &system.scratch.contact.impulses;
        if impulses.is_empty() {
            return;
        }
        self.pushes.clear();
        self.pushes.resize(start.positions.len(), Vec3::ZERO);
        for (vertex, impulse) in impulses {
            self.pushes.get_mut(vertex.index()).into_iter().for_each(|sum| *sum += *impulse);
        }
        let masses = system.masses.of();
        for (body, energy) in system.bodies.ids().zip(&mut self.energies[0]) {
            let of = |v: usize| {
                self.pushes[v].dot(start.velocities[v] + self.pushes[v] / (2.0 * masses[v]))
            };
            *energy += system.bodies.vertices(body).map(of).sum::<f64>();
        }
    }

    /// Adds what weight puts into all bodies, and finds what it would without contacts.
    fn add_weight(&mut self, system: &System, end: &State, dt: f64) {
        self.pushes.clear();
        self.pushes.resize(end.positions.len(), Vec3::ZERO);
        for force in system.forces.iter().filter(|force| force.store() == Store::Gravitational) {
            force.add_forces(end.motion(), &mut self.pushes);
        }
        for (body, work) in system.bodies.ids().zip(&mut self.work) {
            let range = system.bodies.vertices(body);
            let both = self.pushes[range.clone()].iter().zip(&end.velocities[range]);
            *work += dt * both.map(|(weight, v)| weight.dot(*v)).sum::<f64>();
        }
        let all = self.pushes.iter().zip(system.masses.of());
        let fall = all.map(|(weight, mass)| (dt * *weight).length_squared() / (2.0 * mass));
        self.fall = fall.sum();
    }

    /// Adds what one contact puts into its bodies.
    fn add_contact(
        &mut self,
        system: &System,
        end: &State,
        row: &Contact,
        impulse: &ContactImpulse,
    ) {
        let impulse = impulse.impulse(row.normal);
        let first = row.vertices.iter().zip(&row.weights).take(row.count);
        let second = row.second.iter().flat_map(|side| side.vertices.iter().zip(&side.weights));
        for (vertex, weight) in first.chain(second) {
            let body = system.bodies.body_of(*vertex).index();
            let velocity = end.velocities.get(vertex.index());
            if let (Some(work), Some(velocity)) = (self.work.get_mut(body), velocity) {
                *work += *weight * impulse.dot(*velocity);
            }
        }
    }
}

/// Adds the kinetic energy of the vertices of each body.
fn add_kinetic(system: &System, state: &State, energies: &mut [f64]) {
    let masses = system.masses.of();
    for (body, energy) in system.bodies.ids().zip(energies) {
        let range = system.bodies.vertices(body);
        let both = masses[range.clone()].iter().zip(&state.velocities[range]);
        *energy += both.map(|(mass, v)| 0.5 * mass * v.length_squared()).sum::<f64>();
    }
}

impl ElasticEnergies {
    /// Whether they are those of a state.
    fn is_of(&self, system: &System, state: &State) -> bool {
        self.revision == Some(system.forces.revision())
            && self.of.len() == system.bodies.len()
            && self.time == state.time
            && self.positions == state.positions
    }

    /// Finds the elastic energy of each body and of all; NaN where the state lacks a vertex.
    fn measure(&mut self, system: &System, state: &State) {
        if self.is_of(system, state) {
            return;
        }
        let ElasticEnergies { positions, of, .. } = self;
        positions.clone_from(&state.positions);
        of.clear();
        of.resize(system.bodies.len(), 0.0);
        (self.revision, self.time, self.total) = (None, state.time, f64::NAN);
        if system.forces.check(state.motion()).is_err() {
            return;
        }
        let (mut own, mut body) = (0..0, BodyId(0));
        let mut add = |vertex: VertexId, energy: f64| {
            if !own.contains(&vertex.index()) {
                body = system.bodies.body_of(vertex);
                own = system.bodies.vertices(body);
            }
            of.get_mut(body.index()).into_iter().for_each(|sum| *sum += energy);
        };
        let elastic = system.forces.iter().filter(|force| force.store() == Store::Elastic);
        self.total = elastic.map(|force| force.visit_energies(state.motion(), &mut add)).sum();
        self.revision = Some(system.forces.revision());
    }
}

/// Speed whose energy bodies may gain, m/s.
fn slow_speed(state: &State) -> f64 {
    let around = Aabb::around(state.positions.iter().copied());
    SLOW * (around.max - around.min).max_element().max(0.0)
}

/// Whether everything that may put energy into a body is known.
fn is_known(system: &System, body: BodyId) -> bool {
    let range = system.bodies.vertices(body);
    let is_own = |vertex: VertexId| range.contains(&vertex.index());
    let rigids = &system.rigids;
    if rigids.index_of(VertexId(range.start as u32)).is_some()
        || rigids.attached().iter().any(|attached| is_own(attached.vertex))
        || system.pins.moving().any(is_own)
    {
        return false;
    }
    let mut is_alone = true;
    for force in system.forces.iter().filter(|force| force.store() == Store::Elastic) {
        force.visit_elements(&mut |vertices| {
            let own = vertices.iter().filter(|vertex| is_own(**vertex)).count();
            is_alone &= own == 0 || own == vertices.len();
        });
    }
    is_alone
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::body::Bodies;
    use crate::body::soft::Masses;
    use crate::contact::resting;
    use crate::force::gravity::Gravity;
    use crate::force::load::Load;

    const DT: f64 = 0.1;

    /// A body of two particles of 1 kg, 1 m apart.
    fn pair() -> System {
        let bodies = Arc::new(Bodies::of_particles([2]).unwrap());
        System { masses: Masses::new(vec![1.0; 2]).unwrap(), bodies, ..System::default() }
    }

    /// What the body gains, J, in a step that takes it from one velocity to another, m/s.
    fn gained(system: &System, before: Vec3, after: Vec3) -> Option<f64> {
        let mut start = State::at_rest(vec![Vec3::ZERO, Vec3::X]);
        start.velocities.fill(before);
        let mut end = State::at_rest(start.positions.iter().map(|x| *x + DT * after).collect());
        end.velocities.fill(after);
        let step = MadeStep { states: [&start, &end], dt: DT, input: 0.0 };
        let mut gains = EnergyGains::default();
        gains.measure(system, step);
        gains.of_bodies(system, step, 0.02).map(|gain| gain.gained)
    }

    #[test]
    fn impulses_weight_and_contacts_are_sources_and_nothing_else_is() {
        let up = 2.0 * Vec3::Z;
        assert_eq!(gained(&pair(), Vec3::ZERO, up), Some(4.0)); // 2 · ½ · 1 kg · (2 m/s)²
        assert_eq!(gained(&pair(), up, up), None);

        let mut pushed = pair();
        let half = |k| (VertexId(k), 0.5 * up);
        // In two halves each: the sum counts, not one after the other.
        pushed.scratch.contact.impulses = vec![half(0), half(1), half(0), half(1)];
        assert_eq!(gained(&pushed, Vec3::ZERO, up), None);
        // The impulses alone would stop the body.
        assert_eq!(gained(&pushed, -up, up), Some(4.0));

        let mut falling = pair();
        falling.forces.push(Gravity::new(-10.0 * Vec3::Z, &[1.0; 2]));
        assert_eq!(gained(&falling, Vec3::ZERO, -10.0 * DT * Vec3::Z), None);
        assert!(gained(&falling, Vec3::ZERO, -30.0 * DT * Vec3::Z).is_some());

        let mut touching = pair();
        touching.scratch.contact.rows = vec![resting(VertexId(0)), resting(VertexId(1))];
        let impulse = ContactImpulse { normal: 2.0, tangent: Vec3::ZERO };
        touching.scratch.contact.row_impulses = vec![impulse; 2];
        assert_eq!(gained(&touching, Vec3::ZERO, up), None);
        assert!(gained(&touching, Vec3::ZERO, 3.0 * up).is_some());
    }

    /// Whether a part of a step is halved that takes all from one velocity to another, m/s.
    fn is_halved(limits: EnergyLimits, before: f64, after: f64) -> bool {
        let mut falling = pair();
        falling.forces.push(Gravity::new(-10.0 * Vec3::Z, &[1.0; 2]));
        let mut start = State::at_rest(vec![Vec3::ZERO, Vec3::X]);
        start.velocities.fill(before * Vec3::Y);
        let mut end = start.clone();
        end.velocities.fill(after * Vec3::Y);
        // What contacts put in is a source of a body, but not of the scene.
        let rows = [0, 1].map(|k| Contact { normal: Vec3::Y, ..resting(VertexId(k)) });
        let rows = rows.to_vec();
        falling.scratch.contact.rows = rows;
        let normal = (after - before).max(0.0);
        let impulse = ContactImpulse { normal, tangent: Vec3::ZERO };
        falling.scratch.contact.row_impulses = vec![impulse; 2];
        let step = MadeStep { states: [&start, &end], dt: DT, input: 0.0 };
        EnergyGains::default().beyond(limits, &falling, step).is_some()
    }

    #[test]
    fn a_long_part_is_halved_where_the_scene_gets_faster_and_a_short_one_is_not() {
        assert!(!is_halved(EnergyLimits::WHOLE, 30.0, 30.0));
        // 900 J become 2.4e-4 of them more.
        assert!(is_halved(EnergyLimits::WHOLE, 30.0, 30.0036));
        assert!(!is_halved(EnergyLimits::LONG, 30.0, 30.0036));
        // What rests may have a tenth of the energy of a fall for a step, at 1 m/s: √0.1 m/s.
        assert!(!is_halved(EnergyLimits::WHOLE, 0.0, 0.31));
        assert!(is_halved(EnergyLimits::WHOLE, 0.0, 0.32));
    }

    #[test]
    fn a_load_is_no_gain_on_either_side_of_the_origin() {
        for force in [10.0 * Vec3::X, -10.0 * Vec3::X] {
            let mut loaded = pair();
            let both = vec![(VertexId(0), force), (VertexId(1), force)];
            loaded.forces.push(Load::on_vertices(both, 2).unwrap());
            assert_eq!(gained(&loaded, Vec3::ZERO, DT * force), None, "{force}");
            assert!(gained(&loaded, Vec3::ZERO, 100.0 * DT * force).is_some(), "{force}");
        }
    }
}
