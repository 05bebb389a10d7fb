//! Obstacles, as they are described to a world.

use std::sync::Arc;

use crate::body::keyframes::{Keyframes, Pose};
use crate::body::obstacle::{
    Cuboid, Obstacle, ObstacleError, Plane, Revolved, Shape, SurfaceMaterial,
};
use crate::contact::rules::Group;
use crate::math::{Quat, Vec3};
use crate::world::WorldError;
use crate::world::placement::{Placement, placement_methods};

/// An obstacle to be added to a [`World`](super::World).
///
/// Whatever is wrong with it is reported when it is added.
#[derive(Clone, Debug)]
pub struct ObstacleBuilder {
    shape: Result<Arc<dyn Shape>, WorldError>,
    pub(super) placement: Placement,
}

impl Obstacle {
    /// Half a space: a plane with all beneath it, at a height along its normal, m.
    ///
    /// The normal may have any length.
    pub fn plane(normal: Vec3, height: f64) -> ObstacleBuilder {
        let pose = Pose::along(Vec3::ZERO, normal);
        let rule = "finite and not zero";
        let wrong = WorldError::Vector { what: "normal of a plane", value: normal, rule };
        let up = normal.try_normalize().unwrap_or(Vec3::Z);
        let shape: Result<Arc<dyn Shape>, _> = match pose {
            Some(_) => Ok(Arc::new(Plane)),
            None => Err(wrong),
        };
        let rotation = pose.map_or(Quat::IDENTITY, |pose| pose.rotation);
        ObstacleBuilder { shape, placement: Placement::default() }.at(height * up).rotated(rotation)
    }

    /// A box with edges of `size`, m, around the origin.
    pub fn cuboid(size: Vec3) -> ObstacleBuilder {
        made(Cuboid::new(size))
    }

    /// A ball of a radius in m around the origin.
    pub fn sphere(radius: f64) -> ObstacleBuilder {
        made(Revolved::sphere(radius))
    }

    /// A cylinder of a radius and a length in m along z, around the origin.
    pub fn cylinder(radius: f64, length: f64) -> ObstacleBuilder {
        made(Revolved::finite_cylinder(radius, length))
    }

    /// A capsule of a radius in m whose core has a length in m along z, around the origin.
    pub fn capsule(radius: f64, length: f64) -> ObstacleBuilder {
        made(Revolved::capsule(radius, length))
    }

    /// Any shape, your own included, around the origin.
    pub fn of(shape: impl Shape + 'static) -> ObstacleBuilder {
        made(Ok(shape))
    }
}

fn made(shape: Result<impl Shape + 'static, ObstacleError>) -> ObstacleBuilder {
    let shape = shape.map(|shape| Arc::new(shape) as Arc<dyn Shape>).map_err(WorldError::from);
    ObstacleBuilder { shape, placement: Placement::default() }
}

placement_methods!(ObstacleBuilder);

/// An obstacle of a world.
#[derive(Debug)]
pub(super) struct ObstacleEntry {
    pub shape: Arc<dyn Shape>,
    pub placement: Placement,
    /// Where it is, and where it is to be after the next step.
    pub pose: Pose,
    pub target: Option<Pose>,
}

impl ObstacleBuilder {
    pub(super) fn build(self) -> Result<ObstacleEntry, WorldError> {
        let (shape, placement) = (self.shape?, self.placement.check()?);
        let Placement { position, rotation, .. } = placement;
        Ok(ObstacleEntry { shape, placement, pose: Pose { position, rotation }, target: None })
    }
}

impl ObstacleEntry {
    /// The obstacle as contact takes it; `usual` where it has no surface of its own.
    pub fn obstacle(&self, usual: SurfaceMaterial) -> Result<Obstacle, WorldError> {
        let rule = self.placement.surface;
        let material = SurfaceMaterial {
            friction: rule.friction.unwrap_or(usual.friction),
            restitution: rule.restitution.unwrap_or(usual.restitution),
        };
        let motion = Keyframes::still(self.pose)?;
        Ok(Obstacle::shared(self.shape.clone(), motion, material)?)
    }
}
