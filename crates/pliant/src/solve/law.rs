//! What one contact wants, seen by itself: not nearer, and held by friction as far as that goes.

use crate::contact::pressure::Pressure;
use crate::math::{Mat3, Vec3};
use crate::solve::terms::Row;

/// Determinant of G, relative to the cube of its mean, below which no impulse stops all motion.
const FLAT: f64 = 1e-6;

/// A contact, and what its impulse does to it.
#[derive(Clone, Copy, Debug)]
pub struct Law {
    /// Unit, from the second side to the first.
    pub normal: Vec3,
    /// What is given of the relative velocity, taken away, m/s.
    pub drift: Vec3,
    /// Least speed along the normal, m/s.
    pub target: f64,
    /// What moves along the normal, kg: inverse of G there; 0 if nothing does.
    normal_mass: f64,
    /// A lower bound of what moves along the plane, kg; 0 if nothing does.
    along_mass: f64,
    /// Coulomb's coefficient, unit 1.
    friction: f64,
    /// A change of velocity that is none, m/s.
    still: f64,
    /// G: relative velocity per impulse, 1/kg.
    ease: Mat3,
    /// Inverse of G, kg: the impulse that stops all motion; none without friction.
    grip: Option<Mat3>,
}

impl Law {
    /// The law of a contact; `ease` is G, `still` the change of velocity that is none, m/s.
    pub fn new(contact: &Row, ease: Mat3, still: f64) -> Law {
        Law::unmoved(contact).moved_by(ease, still)
    }

    /// The law of a contact that no impulse moves.
    pub fn unmoved(contact: &Row) -> Law {
        let Row { normal, drift, target, friction, .. } = *contact;
        Law {
            normal,
            drift,
            target,
            normal_mass: 0.0,
            along_mass: 0.0,
            friction,
            still: 0.0,
            ease: Mat3::ZERO,
            grip: None,
        }
    }

    /// The same where impulses move it by `ease`, which is G, 1/kg; `still` as in [`Law::new`].
    pub fn moved_by(self, ease: Mat3, still: f64) -> Law {
        let trace = ease.x_axis.x + ease.y_axis.y + ease.z_axis.z;
        let normal_ease = self.normal.dot(ease * self.normal);
        let mass = |ease: f64| if ease > 0.0 { ease.recip() } else { 0.0 };
        let holds =
            self.friction > 0.0 && ease.determinant() > FLAT * crate::math::powi(trace / 3.0, 3);
        Law {
            normal_mass: mass(normal_ease),
            // The larger of two eigenvalues is at most their sum.
            along_mass: mass(trace - normal_ease),
            still,
            ease,
            grip: holds.then(|| ease.inverse()),
            ..self
        }
    }

    /// Whether a change of the impulse, N·s, changes the velocity by nothing that counts.
    #[inline]
    pub fn is_still(&self, change: Vec3) -> bool {
        let moved = (self.ease * change).length_squared() > self.still * self.still;
        !moved
    }

    /// Changes the impulse so that the contact is right by itself; returns the change, N·s.
    ///
    /// `linear` is the relative velocity without what is given, m/s. None where nothing
    /// changes: both sides held, or apart and not pressing.
    #[inline]
    pub fn relax(&self, pressure: &mut Pressure, linear: Vec3) -> Option<Vec3> {
        if self.normal_mass == 0.0 {
            return None;
        }
        let relative = linear - self.drift;
        let lacking = self.target - self.normal.dot(relative);
        if lacking <= 0.0 && *pressure == Pressure::default() {
            return None;
        }
        if let Some(grip) = self.grip {
            // Where friction suffices to hold it, it is held at once.
            let change = grip * (self.target * self.normal - relative);
            let along_normal = self.normal.dot(change);
            let normal = pressure.normal + along_normal;
            let along = pressure.along + change - along_normal * self.normal;
            let most = self.friction * normal;
            if normal >= 0.0 && along.length_squared() <= most * most {
                *pressure = Pressure { normal, along };
                return (change != Vec3::ZERO).then_some(change);
            }
        }
        let normal = (pressure.normal + lacking * self.normal_mass).max(0.0);
        let mut change = (normal - pressure.normal) * self.normal;
        let mut along = Vec3::ZERO;
        if self.friction > 0.0 && self.along_mass > 0.0 {
            let after = relative + self.ease * change;
            let sliding = after - self.normal.dot(after) * self.normal;
            along = pressure.along - sliding * self.along_mass;
            let (most, length_sq) = (self.friction * normal, along.length_squared());
            if length_sq > most * most {
                along *= most / length_sq.sqrt();
            }
        }
        change += along - pressure.along;
        *pressure = Pressure { normal, along };
        (change != Vec3::ZERO).then_some(change)
    }
}
