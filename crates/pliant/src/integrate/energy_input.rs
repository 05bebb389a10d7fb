//! Energy that sources put into a step, so that none appears unnoticed.
//!
//! Bounds from above, J, of the work of everything that may raise the total energy: contacts
//! that open by their own speed, moving obstacles and pins, motors, wind, and shifts that undo
//! an overlap. What the energy rises beyond them has no source.

use crate::body::rigid::all::RigidBodySet;
use crate::body::soft::State;
use crate::contact::Contact;
use crate::contact::impulse::ContactImpulse;
use crate::contact::output::ContactOutput;
use crate::force::nearby::Nearby;
use crate::force::{StateView, Store};
use crate::id::VertexId;
use crate::integrate::System;
use crate::math::Vec3;

/// Measures what sources put in; scratch memory.
#[derive(Debug, Default)]
pub(crate) struct EnergyInput {
    nearby: Nearby,
    vertices: Vec<VertexId>,
    forces: [Vec<Vec3>; 2],
}

impl EnergyInput {
    /// Collects the forces around everything that an output shifts.
    pub(crate) fn collect_shifted(&mut self, output: &ContactOutput, system: &System) {
        self.vertices.clear();
        if output.shifts.is_empty() && output.rigid_shifts.is_empty() {
            return;
        }
        for shift in &output.rigid_shifts {
            self.vertices.extend(system.bodies.vertices(shift.body).map(|v| VertexId(v as u32)));
        }
        for (vertex, _) in &output.shifts {
            match system.rigids.index_of(*vertex) {
                Some(place) => {
                    let own = system.rigids.entries()[place].vertices.clone();
                    self.vertices.extend(own.map(|v| VertexId(v as u32)));
                }
                None => self.vertices.push(*vertex),
            }
        }
        system.forces.find_nearby(&self.vertices, &mut self.nearby);
    }

    /// Potential energy of what was collected, J.
    pub(crate) fn collected(&self, system: &System, motion: StateView<'_>) -> f64 {
        match self.vertices.is_empty() {
            true => 0.0,
            false => system.forces.energy_nearby(&self.nearby, motion),
        }
    }

    /// What pins, motors, wind and moving obstacles put in from one state to another, J.
    pub(crate) fn of_motion(&mut self, system: &System, before: &State, after: &State) -> f64 {
        system.forces.energy_input(before.motion(), after.motion())
            + self.of_pins(system, before, after)
            + system.joints.motor_work(&after.rigids)
    }

    /// What moving pins put in, J.
    fn of_pins(&mut self, system: &System, before: &State, after: &State) -> f64 {
        let moving = system.pins.moving();
        self.vertices.clear();
        self.vertices.extend(moving);
        if self.vertices.is_empty() {
            return 0.0;
        }
        system.forces.find_nearby(&self.vertices, &mut self.nearby);
        for (state, forces) in [before, after].into_iter().zip(&mut self.forces) {
            forces.clear();
            forces.resize(state.positions.len(), Vec3::ZERO);
            for store in [Store::Elastic, Store::Gravitational] {
                system.forces.add_nearby(store, &self.nearby, state.motion(), forces);
            }
            for (vertex, force) in &system.scratch.contact.forces {
                forces[vertex.index()] += *force;
            }
        }
        let mut work = 0.0;
        for v in self.vertices.iter().map(|vertex| vertex.index()) {
            let way = (after.positions[v] - before.positions[v]).length();
            let held = self.forces[0][v].length().max(self.forces[1][v].length());
            let faster =
                after.velocities[v].length_squared() - before.velocities[v].length_squared();
            work += held * way + 0.5 * system.masses.of()[v] * faster.max(0.0);
        }
        work
    }
}

/// What rows put in, J: contacts that open by their own speed, and moving obstacles.
pub(crate) fn of_rows(contact: &ContactOutput, rigids: &RigidBodySet) -> f64 {
    let ContactOutput { rows, row_impulses, .. } = contact;
    let work = rows.iter().zip(row_impulses).map(|(row, impulse)| of_row(row, impulse, rigids));
    work.sum::<f64>() + 0.0
}

/// What one row puts in, J.
fn of_row(row: &Contact, impulse: &ContactImpulse, rigids: &RigidBodySet) -> f64 {
    let moved = impulse.impulse(row.normal).dot(row.surface_velocity).max(0.0);
    // A rebound gives back what the impact took, and rigid sides open by shifts.
    let opening = if rigids.are_rigid(row.bodies) { 0.0 } else { row.min_normal_velocity };
    moved + impulse.normal * opening.max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::resting;

    #[test]
    fn rows_put_in_what_opens_and_what_a_moving_obstacle_pushes() {
        let opening = Contact { min_normal_velocity: 0.5, ..resting(VertexId(0)) };
        let closing = Contact { min_normal_velocity: -0.5, ..resting(VertexId(1)) };
        let moved = Contact { surface_velocity: Vec3::new(2.0, 0.0, 1.0), ..resting(VertexId(2)) };
        let impulse = ContactImpulse { normal: 4.0, tangent: Vec3::X };
        let contact = ContactOutput {
            rows: vec![opening, closing, moved],
            row_impulses: vec![impulse; 3],
            ..ContactOutput::default()
        };
        // 4 N·s at 0.5 m/s; nothing; 4 N·s at 1 m/s and 1 N·s at 2 m/s.
        assert_eq!(of_rows(&contact, &RigidBodySet::default()), 2.0 + 4.0 + 2.0);
    }
}
