//! Where a body begins, how it moves, and how its surface behaves.

use crate::contact::rules::SurfaceRule;
use crate::math::{Quat, Vec3, unit_quat};
use crate::world::WorldError;
use crate::world::error::{not_negative, share, sound};

/// What bodies of all kinds have; at rest at the origin by default.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Placement {
    pub position: Vec3,
    pub rotation: Quat,
    pub velocity: Vec3,
    pub spin: Vec3,
    pub surface: SurfaceRule,
}

impl Default for Placement {
    fn default() -> Placement {
        Placement {
            position: Vec3::ZERO,
            rotation: Quat::IDENTITY,
            velocity: Vec3::ZERO,
            spin: Vec3::ZERO,
            surface: SurfaceRule::default(),
        }
    }
}

impl Placement {
    /// Refuses values that cannot be; rotations become unit.
    pub fn check(self) -> Result<Placement, WorldError> {
        sound("position", self.position)?;
        sound("velocity", self.velocity)?;
        sound("spin", self.spin)?;
        check_surface(self.surface)?;
        let rotation = check_rotation(self.rotation)?;
        Ok(Placement { rotation, ..self })
    }
}

/// Refuses a friction or restitution that cannot be.
pub(super) fn check_surface(rule: SurfaceRule) -> Result<SurfaceRule, WorldError> {
    rule.friction.map(|friction| not_negative("friction", friction)).transpose()?;
    rule.restitution.map(|restitution| share("restitution", restitution)).transpose()?;
    Ok(rule)
}

/// Refuses what is no rotation; a unit quaternion keeps its bits.
pub(super) fn check_rotation(rotation: Quat) -> Result<Quat, WorldError> {
    let value = rotation.xyz();
    let rule = "that of a quaternion that is finite and not zero";
    if rotation == Quat::IDENTITY || rotation.is_normalized() {
        return Ok(rotation);
    }
    unit_quat(rotation).ok_or(WorldError::Vector { what: "rotation", value, rule })
}

/// Declares the methods that builders of all bodies share.
macro_rules! placement_methods {
    ($builder:ty) => {
        impl $builder {
            /// Puts its origin at a position, m.
            pub fn at(mut self, position: Vec3) -> Self {
                self.placement.position = position;
                self
            }

            /// Turns it about its origin before it is put anywhere.
            pub fn rotated(mut self, rotation: Quat) -> Self {
                self.placement.rotation = rotation;
                self
            }

            /// Coulomb's coefficient of its surface; see [`ContactRules`] for pairs.
            ///
            /// [`ContactRules`]: crate::contact::rules::ContactRules
            pub fn friction(mut self, friction: f64) -> Self {
                self.placement.surface.friction = Some(friction);
                self
            }

            /// Coefficient of restitution of its surface, from 0 to 1.
            pub fn restitution(mut self, restitution: f64) -> Self {
                self.placement.surface.restitution = Some(restitution);
                self
            }

            /// The collision group that it belongs to.
            pub fn group(mut self, group: Group) -> Self {
                self.placement.surface.group = group;
                self
            }
        }
    };
}

pub(super) use placement_methods;

/// Declares the methods that builders of free bodies share.
macro_rules! motion_methods {
    ($builder:ty) => {
        impl $builder {
            /// Its velocity at the start, m/s.
            pub fn velocity(mut self, velocity: Vec3) -> Self {
                self.placement.velocity = velocity;
                self
            }

            /// Its angular velocity at the start, rad/s, about its centre of mass.
            pub fn spin(mut self, spin: Vec3) -> Self {
                self.placement.spin = spin;
                self
            }
        }
    };
}

pub(super) use motion_methods;
