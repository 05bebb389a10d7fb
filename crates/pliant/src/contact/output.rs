//! What contact asks of the integrator: the product of this stage.
//!
//! A response fills in what it knows how to ask for; several responses add up. Only
//! `integrate` moves anything: it shifts and pushes before the step, lets forces act during it,
//! and solves rows together with the materials.

use crate::contact::Contact;
use crate::contact::impulse::ContactImpulse;
use crate::force::StepRejection;
use crate::id::{BodyId, VertexId};
use crate::math::{Quat, Vec3};

/// A body moved as a whole, which strains nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidShift {
    /// Which body.
    pub body: BodyId,
    /// Point that it turns about, m.
    pub centre: Vec3,
    /// Turn, unit.
    pub turn: Quat,
    /// Way, m.
    pub shift: Vec3,
}

impl RigidShift {
    /// Moves the vertices of the body.
    pub fn apply(&self, positions: &mut [Vec3]) {
        for position in positions {
            *position = self.centre + self.turn * (*position - self.centre) + self.shift;
        }
    }
}

/// A contact that is held by a spring and a damper, which push and never pull.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSpring {
    /// Who, where and along which normal.
    pub contact: Contact,
    /// Way that the spring is pressed in at the start of the step, m.
    pub depth: f64,
    /// N/m; at least 0 and finite.
    pub stiffness: f64,
    /// N·s/m; at least 0 and finite.
    pub damping: f64,
}

/// What all responses together ask for.
#[derive(Clone, Debug, Default)]
pub struct ContactOutput {
    /// Forces that act all through the step, N.
    pub forces: Vec<(VertexId, Vec3)>,
    /// Impulses that change velocities at once, N·s.
    pub impulses: Vec<(VertexId, Vec3)>,
    /// Ways of single vertices, m; velocities stay.
    pub shifts: Vec<(VertexId, Vec3)>,
    /// Ways of whole bodies; velocities stay.
    pub rigid_shifts: Vec<RigidShift>,
    /// Contacts to be solved together with the materials, ascending by feature.
    pub rows: Vec<Contact>,
    /// Springs to be solved together with the materials; not in one step with rows.
    pub springs: Vec<ContactSpring>,
    /// Impulse of each row: a guess before the step, the solution after it.
    pub row_impulses: Vec<ContactImpulse>,
    /// Of the impulses and forces, what obstacles gave: vertex and impulse, N·s.
    pub external_impulses: Vec<(VertexId, Vec3)>,
    /// Why the step must be made again in shorter ones, if it must.
    pub rejection: Option<StepRejection>,
    /// What was met.
    pub stats: ContactStats,
}

/// What responses met in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactStats {
    /// Contacts, count.
    pub contacts: usize,
    /// Vertices inside bodies without a known way out, count.
    pub unresolved: usize,
    /// Longest way that a body was shifted, m.
    pub shift: f64,
}

impl ContactOutput {
    /// Asks for nothing; the memory is kept.
    pub fn clear(&mut self) {
        self.forces.clear();
        self.impulses.clear();
        self.shifts.clear();
        self.rigid_shifts.clear();
        self.rows.clear();
        self.springs.clear();
        self.row_impulses.clear();
        self.external_impulses.clear();
        self.rejection = None;
        self.stats = ContactStats::default();
    }

    /// Longest way that a rigid shift moves a body's centre, m.
    pub fn longest_shift(&self) -> f64 {
        self.rigid_shifts.iter().fold(0.0, |most, shift| most.max(shift.shift.length()))
    }
}

impl ContactStats {
    /// Takes in what another part of the step met.
    pub fn add(&mut self, other: ContactStats) {
        self.contacts = self.contacts.max(other.contacts);
        self.unresolved = self.unresolved.max(other.unresolved);
        self.shift = self.shift.max(other.shift);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rigid_shift_turns_about_its_centre_and_keeps_lengths() {
        let turn = Quat::from_rotation_z(std::f64::consts::FRAC_PI_2);
        let shift = RigidShift { body: BodyId(0), centre: Vec3::X, turn, shift: Vec3::Z };
        let mut positions = [Vec3::X, 3.0 * Vec3::X];
        shift.apply(&mut positions);
        assert!(positions[0].abs_diff_eq(Vec3::new(1.0, 0.0, 1.0), 1e-15));
        assert!(positions[1].abs_diff_eq(Vec3::new(1.0, 2.0, 1.0), 1e-15));
    }

    #[test]
    fn what_was_met_is_the_most_of_all_parts() {
        let mut met = ContactStats { contacts: 3, unresolved: 0, shift: 0.1 };
        met.add(ContactStats { contacts: 1, unresolved: 2, shift: 0.2 });
        assert_eq!(met, ContactStats { contacts: 3, unresolved: 2, shift: 0.2 });
    }
}
