//! The 3×3 block of one contact: non-penetration and Coulomb's friction cone.
//!
//! One contact is solved by itself here, as the local step of projected Gauss–Seidel: first for
//! sticking, by the inverse of the Delassus block G = J A⁻¹ Jᵀ; where that leaves the friction
//! cone, for the normal impulse and then for a tangential impulse projected onto the cone.
//!
//! | here                  | formula | meaning                                            |
//! |-----------------------|---------|----------------------------------------------------|
//! | `delassus`            | G       | J A⁻¹ Jᵀ: relative velocity per impulse, 1/kg      |
//! | `delassus_inv`        | G⁻¹     | impulse per relative velocity, kg                  |
//! | `surface_velocity`    |         | prescribed part of the relative velocity, m/s      |
//! | `min_normal_velocity` | v*      | bias: least relative speed along the normal, m/s   |
//! | `friction`            | μ       | Coulomb's coefficient                              |

use crate::contact::impulse::ContactImpulse;
use crate::math::{Mat3, Vec3};
use crate::solve::terms::SolverRow;

/// Determinant of G over the cube of its mean below which G counts as singular.
const FLAT: f64 = 1e-6;

/// One contact with its Delassus block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContactBlock {
    /// Unit, from the second side to the first.
    pub normal: Vec3,
    /// Prescribed part of the relative velocity, m/s; subtracted before solving.
    pub surface_velocity: Vec3,
    /// Least relative speed along the normal, m/s.
    pub min_normal_velocity: f64,
    /// Effective mass along the normal, kg: 1 / (n·G n); 0 if no impulse moves it.
    normal_mass: f64,
    /// Lower bound of the effective mass in the tangent plane, kg; 0 if nothing moves.
    tangent_mass: f64,
    /// Coulomb's coefficient.
    friction: f64,
    /// Change of velocity below which the contact counts as converged, m/s.
    velocity_tolerance: f64,
    /// G: relative velocity per impulse, 1/kg.
    delassus: Mat3,
    /// Inverse of G, kg; none without friction or where G is singular.
    delassus_inv: Option<Mat3>,
}

impl ContactBlock {
    /// The block of a contact; `delassus` is G, 1/kg.
    ///
    /// `velocity_tolerance` is the change of velocity that counts as converged, m/s.
    pub(crate) fn new(
        contact: &SolverRow,
        delassus: Mat3,
        velocity_tolerance: f64,
    ) -> ContactBlock {
        ContactBlock::unmoved(contact).moved_by(delassus, velocity_tolerance)
    }

    /// The block of a contact that no impulse moves.
    pub(crate) fn unmoved(contact: &SolverRow) -> ContactBlock {
        let SolverRow { normal, surface_velocity, min_normal_velocity, friction, .. } = *contact;
        ContactBlock {
            normal,
            surface_velocity,
            min_normal_velocity,
            normal_mass: 0.0,
            tangent_mass: 0.0,
            friction,
            velocity_tolerance: 0.0,
            delassus: Mat3::ZERO,
            delassus_inv: None,
        }
    }

    /// The same contact where impulses move it by `delassus`, which is G, 1/kg.
    ///
    /// `velocity_tolerance` as in [`ContactBlock::new`].
    pub(crate) fn moved_by(self, delassus: Mat3, velocity_tolerance: f64) -> ContactBlock {
        let trace = delassus.x_axis.x + delassus.y_axis.y + delassus.z_axis.z;
        let normal_delassus = self.normal.dot(delassus * self.normal);
        let mass = |delassus: f64| if delassus > 0.0 { delassus.recip() } else { 0.0 };
        let holds = self.friction > 0.0
            && delassus.determinant() > FLAT * crate::math::powi(trace / 3.0, 3);
        ContactBlock {
            normal_mass: mass(normal_delassus),
            // The larger of two eigenvalues is at most their sum.
            tangent_mass: mass(trace - normal_delassus),
            velocity_tolerance,
            delassus,
            delassus_inv: holds.then(|| delassus.inverse()),
            ..self
        }
    }

    /// Whether a change of the impulse, N·s, moves it by less than the tolerance.
    #[inline]
    pub(crate) fn is_converged(&self, change: Vec3) -> bool {
        let moved = (self.delassus * change).length_squared()
            > self.velocity_tolerance * self.velocity_tolerance;
        !moved
    }

    /// Change of velocity by a change of the impulse, N·s, in m/s.
    #[inline]
    pub(crate) fn moved(&self, change: Vec3) -> f64 {
        (self.delassus * change).length()
    }

    /// Square root of the mean velocity per impulse, 1/√kg; 0 where none moves it.
    #[inline]
    pub(crate) fn weight(&self) -> f64 {
        let Mat3 { x_axis, y_axis, z_axis } = self.delassus;
        ((x_axis.x + y_axis.y + z_axis.z) / 3.0).max(0.0).sqrt()
    }

    /// Solves the contact by itself; returns the change of its impulse, N·s.
    ///
    /// `linear` is J v, the relative velocity before `surface_velocity` is subtracted, m/s. `None`
    /// where nothing changes: neither side can move, or the contact separates without an impulse.
    #[inline]
    pub(crate) fn relax(&self, row_impulse: &mut ContactImpulse, linear: Vec3) -> Option<Vec3> {
        if self.normal_mass == 0.0 {
            return None;
        }
        let relative = linear - self.surface_velocity;
        let lacking = self.min_normal_velocity - self.normal.dot(relative);
        if lacking <= 0.0 && *row_impulse == ContactImpulse::default() {
            return None;
        }
        if let Some(delassus_inv) = self.delassus_inv {
            // Sticking: taken where its impulse lies inside the friction cone.
            let change = delassus_inv * (self.min_normal_velocity * self.normal - relative);
            let along_normal = self.normal.dot(change);
            let normal = row_impulse.normal + along_normal;
            let tangent = row_impulse.tangent + change - along_normal * self.normal;
            let most = self.friction * normal;
            if normal >= 0.0 && tangent.length_squared() <= most * most {
                *row_impulse = ContactImpulse { normal, tangent };
                return (change != Vec3::ZERO).then_some(change);
            }
        }
        let normal = (row_impulse.normal + lacking * self.normal_mass).max(0.0);
        let mut change = (normal - row_impulse.normal) * self.normal;
        let mut tangent = Vec3::ZERO;
        if self.friction > 0.0 && self.tangent_mass > 0.0 {
            let after = relative + self.delassus * change;
            let sliding = after - self.normal.dot(after) * self.normal;
            tangent = row_impulse.tangent - sliding * self.tangent_mass;
            let (most, length_sq) = (self.friction * normal, tangent.length_squared());
            if length_sq > most * most {
                tangent *= most / length_sq.sqrt();
            }
        }
        change += tangent - row_impulse.tangent;
        *row_impulse = ContactImpulse { normal, tangent };
        (change != Vec3::ZERO).then_some(change)
    }
}
