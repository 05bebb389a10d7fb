//! Manifold reduction: redundant contacts of rigid bodies share one representative.
//!
//! Corners that lie on corners, as in a stack of boxes, are found from both sides and as edges
//! too. Between soft bodies each of these moves vertices of its own. Between rigid ones they are
//! the same constraint row several times over, with gaps that differ by rounding, and would pass
//! the load to and fro in every sweep.

use crate::contact::Contact;
use crate::contact::impulse::ContactImpulse;
use crate::id::BodyId;
use crate::math::Vec3;
use crate::solve::terms::RigidSides;

/// Distance below which contacts are redundant, per size of the smaller body.
const NEAR: f64 = 0.02;

/// Least cosine of the angle between the normals of redundant contacts.
const ALONG: f64 = 0.9;

/// The representative of each contact.
#[derive(Clone, Debug, Default)]
pub(crate) struct ManifoldReduction {
    /// Index of the contact that represents each.
    representatives: Vec<u32>,
    list: Vec<RigidContact>,
}

/// A contact between two rigid bodies.
#[derive(Clone, Copy, Debug)]
struct RigidContact {
    contact: u32,
    /// Ascending.
    bodies: [BodyId; 2],
    /// Where the contact is, m.
    at: Vec3,
    /// Unit, from the second body to the first.
    normal: Vec3,
    /// Least speed along the normal, m/s: greatest where the gap is smallest.
    min_normal_velocity: f64,
    /// Distance within which other contacts are redundant with it, m.
    reach: f64,
    is_redundant: bool,
}

impl ManifoldReduction {
    /// Finds the representative of every contact of a body that `is_asked`; others have their own.
    pub(crate) fn find(
        &mut self,
        contacts: &[Contact],
        rigid: Option<RigidSides<'_>>,
        is_asked: impl Fn(BodyId) -> bool,
    ) {
        self.representatives.clear();
        self.representatives.extend(0..contacts.len() as u32);
        let Some(rigid) = rigid else { return };
        let ManifoldReduction { representatives, list } = self;
        list.clear();
        let all = contacts.iter().enumerate();
        let between_rigids = all.filter(|(_, contact)| is_asked(contact.bodies.0));
        list.extend(between_rigids.filter_map(|(k, contact)| RigidContact::of(k, contact, rigid)));
        list.sort_by(|a, b| {
            let nearest = b.min_normal_velocity.total_cmp(&a.min_normal_velocity);
            a.bodies.cmp(&b.bodies).then(nearest).then(a.contact.cmp(&b.contact))
        });
        for pair in list.chunk_by_mut(|a, b| a.bodies == b.bodies) {
            for k in 0..pair.len() {
                let (done, rest) = pair.split_at_mut(k + 1);
                let representative = done[k];
                if representative.is_redundant {
                    continue;
                }
                for other in rest.iter_mut().filter(|other| !other.is_redundant) {
                    if representative.is_redundant_with(other) {
                        other.is_redundant = true;
                        representatives[other.contact as usize] = representative.contact;
                    }
                }
            }
        }
    }

    /// Whether a contact is its own representative.
    pub(crate) fn is_representative(&self, contact: usize) -> bool {
        self.representatives[contact] as usize == contact
    }

    /// Adds the impulses of redundant contacts to those of their representatives.
    pub(crate) fn gather(&self, contacts: &[Contact], row_impulses: &mut [ContactImpulse]) {
        for k in 0..contacts.len() {
            if self.is_representative(k) {
                continue;
            }
            let ContactImpulse { normal, tangent } = std::mem::take(&mut row_impulses[k]);
            let representative = self.representatives[k] as usize;
            let (own, other) = (&contacts[representative], &contacts[k]);
            let sign = if own.bodies == other.bodies { 1.0 } else { -1.0 };
            let into = &mut row_impulses[representative];
            into.normal += normal;
            into.tangent += sign * (tangent - tangent.dot(own.normal) * own.normal);
        }
    }
}

impl RigidContact {
    fn of(number: usize, contact: &Contact, rigid: RigidSides<'_>) -> Option<RigidContact> {
        let (a, b) = contact.bodies;
        let b = b?;
        let is_rigid = |body: BodyId| rigid.centres.get(body.index()).is_some_and(Option::is_some);
        if !(is_rigid(a) && is_rigid(b)) {
            return None;
        }
        let side = |sign: f64| contact.place(sign, rigid.positions);
        let sign = if a < b { 1.0 } else { -1.0 };
        Some(RigidContact {
            contact: number as u32,
            bodies: [a.min(b), a.max(b)],
            at: 0.5 * (side(1.0) + side(-1.0)),
            normal: sign * contact.normal,
            min_normal_velocity: contact.min_normal_velocity,
            reach: NEAR * contact.size,
            is_redundant: false,
        })
    }

    fn is_redundant_with(&self, other: &RigidContact) -> bool {
        self.at.distance_squared(other.at) <= self.reach * self.reach
            && self.normal.dot(other.normal) >= ALONG
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::{Feature, resting};
    use crate::id::VertexId;

    /// Vertices of two bodies, one above the other, and one of the first body aside.
    const POSITIONS: [Vec3; 3] = [Vec3::ZERO, Vec3::new(0.0, 0.0, 0.005), Vec3::X];

    fn meeting(
        vertices: [u32; 2],
        bodies: [u32; 2],
        normal: Vec3,
        min_normal_velocity: f64,
    ) -> Contact {
        let [a, b] = vertices.map(VertexId);
        Contact {
            feature: Feature::VertexBody(a, BodyId(bodies[1])),
            vertices: [a, b, b, b],
            weights: [1.0, -1.0, 0.0, 0.0],
            count: 2,
            bodies: (BodyId(bodies[0]), Some(BodyId(bodies[1]))),
            normal,
            min_normal_velocity,
            ..resting(a)
        }
    }

    fn merged(contacts: &[Contact], centres: [Option<Vec3>; 2]) -> ManifoldReduction {
        let rigid = RigidSides::alone(&centres, &[0, 1], &POSITIONS);
        let mut merge = ManifoldReduction::default();
        merge.find(contacts, Some(rigid), |_| true);
        merge
    }

    #[test]
    fn a_corner_found_from_both_sides_is_one_row() {
        let below = meeting([0, 1], [0, 1], -Vec3::Z, 0.0);
        let above = meeting([1, 0], [1, 0], Vec3::Z, 1e-7);
        let aside = meeting([2, 1], [0, 1], -Vec3::Z, 0.0);
        let sideways = meeting([0, 1], [0, 1], Vec3::Y, 0.0);
        let contacts = [below, above, aside, sideways];
        let merge = merged(&contacts, [Some(Vec3::ZERO); 2]);
        // The nearest one represents; contacts elsewhere or facing elsewhere represent themselves.
        assert_eq!([0, 1, 2, 3].map(|k| merge.is_representative(k)), [false, true, true, true]);
        let mut row_impulses =
            [ContactImpulse { normal: 2.0, tangent: Vec3::X }, ContactImpulse::default()];
        merge.gather(&contacts[..2], &mut row_impulses);
        // The first side of one contact is the second side of the other.
        assert_eq!(
            row_impulses,
            [ContactImpulse::default(), ContactImpulse { normal: 2.0, tangent: -Vec3::X }]
        );
    }

    #[test]
    fn soft_sides_speak_for_themselves() {
        let contacts =
            [meeting([0, 1], [0, 1], -Vec3::Z, 0.0), meeting([1, 0], [1, 0], Vec3::Z, 0.0)];
        let merge = merged(&contacts, [Some(Vec3::ZERO), None]);
        assert!(merge.is_representative(0) && merge.is_representative(1));
    }
}
