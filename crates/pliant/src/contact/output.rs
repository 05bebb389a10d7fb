//! What contact responses ask of the integrator: the product of this stage.
//!
//! A response fills in what it computes; several responses add up. Only `integrate` moves
//! anything: it applies shifts and impulses before the step, forces during it, and solves rows
//! together with the materials.

use crate::body::Bodies;
use crate::contact::impulse::ContactImpulse;
use crate::contact::point_force::PointForce;
use crate::contact::response::ResponseError;
use crate::contact::{Contact, check_contacts};
use crate::force::StepRejection;
use crate::id::{BodyId, MismatchError, VertexId};
use crate::math::{Quat, Vec3};

/// A rigid motion of a whole body, which strains nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidShift {
    /// Which body.
    pub body: BodyId,
    /// Point that it turns about, m.
    pub centre: Vec3,
    /// Rotation.
    pub turn: Quat,
    /// Translation, m.
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

/// A penalty contact: a spring and a damper that push and never pull.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSpring {
    /// The contact it acts at.
    pub contact: Contact,
    /// Compression of the spring at the start of the step, m.
    pub depth: f64,
    /// N/m; at least 0 and finite.
    pub stiffness: f64,
    /// N·s/m; at least 0 and finite.
    pub damping: f64,
}

/// Output of all responses together.
#[derive(Clone, Debug, Default)]
pub struct ContactOutput {
    /// Forces that act throughout the step, N.
    pub forces: Vec<(VertexId, Vec3)>,
    /// Impulses that change velocities at once, N·s.
    pub impulses: Vec<(VertexId, Vec3)>,
    /// Displacements of single vertices, m; velocities stay.
    pub shifts: Vec<(VertexId, Vec3)>,
    /// Displacements of whole bodies; velocities stay.
    pub rigid_shifts: Vec<RigidShift>,
    /// Contact constraints to be solved with the materials, ascending by feature.
    pub rows: Vec<Contact>,
    /// Penalty contacts to be solved with the materials; not in one step with rows.
    pub springs: Vec<ContactSpring>,
    /// Impulse of each row: the warm start before the step, the solution after it.
    pub row_impulses: Vec<ContactImpulse>,
    /// Forces of the points of rigid bodies: the warm start before the step, the solution after.
    pub point_forces: Vec<PointForce>,
    /// Share of obstacles in the impulses and forces: vertex and impulse, N·s.
    pub external_impulses: Vec<(VertexId, Vec3)>,
    /// Work of moving obstacles in these impulses, J.
    pub energy_input: f64,
    /// Why the step must be repeated with shorter ones, if it must.
    pub rejection: Option<StepRejection>,
    /// Why a response could not do its work; the step is not made then.
    pub failure: Option<ResponseError>,
    /// Contact statistics.
    pub stats: ContactStats,
}

/// Contact statistics of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactStats {
    /// Number of contacts.
    pub contacts: usize,
    /// Number of vertices inside bodies without a known way out.
    pub unresolved: usize,
    /// Longest displacement of a body, m.
    pub shift: f64,
}

impl ContactOutput {
    /// Empties all lists; the memory is kept.
    pub fn clear(&mut self) {
        self.forces.clear();
        self.impulses.clear();
        self.shifts.clear();
        self.rigid_shifts.clear();
        self.rows.clear();
        self.springs.clear();
        self.row_impulses.clear();
        self.point_forces.clear();
        self.external_impulses.clear();
        self.energy_input = 0.0;
        self.rejection = None;
        self.failure = None;
        self.stats = ContactStats::default();
    }

    /// Accepts what concerns vertices of a scene, and bodies where they are known.
    pub(crate) fn check(&self, bodies: &Bodies, vertices: usize) -> Result<(), MismatchError> {
        self.check_forces(vertices)?;
        check_vertices("vertices that are struck", &self.impulses, vertices)?;
        check_vertices("vertices that are shifted", &self.shifts, vertices)?;
        MismatchError::check("impulses of rows", self.row_impulses.len(), self.rows.len())?;
        check_contacts(&self.rows, bodies, vertices)?;
        self.springs
            .iter()
            .try_for_each(|spring| check_contacts(&[spring.contact], bodies, vertices))
    }

    /// Accepts forces on vertices of a scene.
    pub(crate) fn check_forces(&self, vertices: usize) -> Result<(), MismatchError> {
        check_vertices("vertices that are pushed", &self.forces, vertices)
    }

    /// Longest displacement of a body's centre by a rigid shift, m.
    pub fn longest_shift(&self) -> f64 {
        self.rigid_shifts.iter().fold(0.0, |most, shift| most.max(shift.shift.length()))
    }
}

/// Accepts a list for some of the vertices of a scene.
fn check_vertices(
    what: &'static str,
    list: &[(VertexId, Vec3)],
    expected: usize,
) -> Result<(), MismatchError> {
    let count = list.iter().map(|(vertex, _)| vertex.index() + 1).max().unwrap_or(0);
    if count > expected { Err(MismatchError::Count { what, count, expected }) } else { Ok(()) }
}

impl ContactStats {
    /// Adds the statistics of another part of the step.
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
