//! Obstacles: rigid shapes given by their signed distance.
//!
//! | here       | lecture | meaning                                                    |
//! |------------|---------|------------------------------------------------------------|
//! | `distance` | φ       | to the surface, m, negative inside                         |
//! | `gradient` | N = ∇φ  | outward direction, unit length where φ is exact            |
//! | `hessian`  |         | how the outward direction changes from point to point, 1/m |
//!
//! A [`Shape`] is defined in its own space; an [`Obstacle`] places it in the world, moves it
//! along keyframes and gives its surface friction and restitution.

pub mod planar;

pub mod revolved;

pub mod grid;

pub mod combine;

pub mod path;

#[cfg(any(test, feature = "checks"))]
pub mod check;

use std::sync::Arc;

use crate::body::keyframes::{Keyframes, Pose};
use crate::math::{Mat3, Quat, Vec3};

pub use combine::{Combined, Part};
pub use grid::{Grid, GridSettings};
pub use planar::{Cuboid, Plane};
pub use revolved::Revolved;

/// Accuracy of a signed distance on one side of the surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DistanceBound {
    /// It is the distance.
    Exact,
    /// A lower bound: the distance is at least its size less `slack`.
    AtLeast {
        /// By how much it may be too large, m.
        slack: f64,
    },
}

impl DistanceBound {
    /// The weaker of two.
    pub(crate) fn and(self, other: DistanceBound) -> DistanceBound {
        match (self, other) {
            (DistanceBound::Exact, trust) | (trust, DistanceBound::Exact) => trust,
            (DistanceBound::AtLeast { slack: a }, DistanceBound::AtLeast { slack: b }) => {
                DistanceBound::AtLeast { slack: a.max(b) }
            }
        }
    }
}

/// Accuracy of the signed distance of a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SdfAccuracy {
    /// Where it is positive.
    pub outside: DistanceBound,
    /// Where it is negative.
    pub inside: DistanceBound,
}

impl SdfAccuracy {
    /// The distance everywhere.
    pub const EXACT: SdfAccuracy =
        SdfAccuracy { outside: DistanceBound::Exact, inside: DistanceBound::Exact };
}

/// A solid given by its signed distance, in its own space.
///
/// Where several points of the surface are equally near there is no gradient; one of the
/// directions is returned, always the same one, so that nothing gets stuck at a centre.
pub trait Shape: std::fmt::Debug + Send + Sync {
    /// Signed distance, m; negative inside.
    fn distance(&self, point: Vec3) -> f64;

    /// Gradient of the distance.
    ///
    /// Of unit length, except for sampled shapes, where it may even vanish.
    fn gradient(&self, point: Vec3) -> Vec3;

    /// Second derivative of the distance, 1/m; zero where it has none.
    fn hessian(&self, point: Vec3) -> Mat3;

    /// Accuracy of the values.
    fn accuracy(&self) -> SdfAccuracy {
        SdfAccuracy::EXACT
    }

    /// Lipschitz constant: the most that the distance changes per metre.
    fn lipschitz(&self) -> f64 {
        1.0
    }

    /// Unit outward normal; `None` where the gradient vanishes.
    fn normal(&self, point: Vec3) -> Option<Vec3> {
        self.gradient(point).try_normalize()
    }
}

/// Why something cannot be an obstacle.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ObstacleError {
    /// A dimension that is zero, negative or not finite.
    #[error("a {shape} has {what} {value} m: it must be positive and finite")]
    Measure {
        /// Kind of shape.
        shape: &'static str,
        /// Which dimension.
        what: &'static str,
        /// Its value, m.
        value: f64,
    },
    /// A torus that intersects itself.
    #[error("a torus has minor radius {minor} m, which is not below its major radius {major} m")]
    Torus {
        /// Of the circle in the middle of the tube, m.
        major: f64,
        /// Of the tube, m.
        minor: f64,
    },
    /// Nothing to combine.
    #[error("{what} of no shapes has no distance")]
    NoParts {
        /// Union or intersection.
        what: &'static str,
    },
    /// A grid that would not fit into memory.
    #[error("a grid of {0} × {1} × {2} nodes is too large: the most is {most}", counts[0], counts[1], counts[2])]
    GridTooLarge {
        /// Nodes along each axis.
        counts: [f64; 3],
        /// Nodes allowed.
        most: usize,
    },
    /// A friction that is negative or not finite.
    #[error("friction is {friction}: it must be at least 0 and finite")]
    Friction {
        /// The value.
        friction: f64,
    },
    /// A restitution that adds energy, or is not a number.
    #[error("restitution is {restitution}: it must be from 0 to 1")]
    Restitution {
        /// The value.
        restitution: f64,
    },
    /// A pose that is not finite, or whose rotation is none.
    #[error("part {part} is placed at {position}, turned by {rotation}: it has no place")]
    Pose {
        /// First such part, counted from 0.
        part: usize,
        /// Its position, m.
        position: Vec3,
        /// Its rotation.
        rotation: Quat,
    },
}

/// Rejects a dimension that is not positive and finite.
pub(crate) fn measure(
    shape: &'static str,
    what: &'static str,
    value: f64,
) -> Result<f64, ObstacleError> {
    let sound = value > 0.0 && value.is_finite();
    if sound { Ok(value) } else { Err(ObstacleError::Measure { shape, what, value }) }
}

/// Friction and restitution of a surface; none by default.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SurfaceMaterial {
    /// Coulomb's coefficient μ.
    pub friction: f64,
    /// Coefficient of restitution, from 0 to 1.
    pub restitution: f64,
}

/// A shape of prescribed motion that contact does not move.
#[derive(Clone, Debug)]
pub struct Obstacle {
    shape: Arc<dyn Shape>,
    motion: Keyframes,
    /// Friction at least 0 and finite, restitution from 0 to 1.
    material: SurfaceMaterial,
}

impl Obstacle {
    /// A shape with its motion and its surface material.
    pub fn new(
        shape: impl Shape + 'static,
        motion: Keyframes,
        material: SurfaceMaterial,
    ) -> Result<Obstacle, ObstacleError> {
        Obstacle::shared(Arc::new(shape), motion, material)
    }

    /// The same of a shape that others have too.
    pub fn shared(
        shape: Arc<dyn Shape>,
        motion: Keyframes,
        material: SurfaceMaterial,
    ) -> Result<Obstacle, ObstacleError> {
        let SurfaceMaterial { friction, restitution } = material;
        if !(friction >= 0.0 && friction.is_finite()) {
            return Err(ObstacleError::Friction { friction });
        }
        if !(0.0..=1.0).contains(&restitution) {
            return Err(ObstacleError::Restitution { restitution });
        }
        Ok(Obstacle { shape, motion, material })
    }

    /// The shape, in its own space.
    pub fn shape(&self) -> &dyn Shape {
        &*self.shape
    }

    /// Its motion.
    pub fn motion(&self) -> &Keyframes {
        &self.motion
    }

    /// Replaces its motion.
    pub fn set_motion(&mut self, motion: Keyframes) {
        self.motion = motion;
    }

    /// Friction and restitution.
    pub fn material(&self) -> SurfaceMaterial {
        self.material
    }

    /// The shape where it is at a time, s.
    #[inline]
    pub fn at(&self, time: f64) -> Posed<'_> {
        Posed { shape: &*self.shape, pose: self.motion.pose(time) }
    }

    /// Velocity of the obstacle's point that is at `point`, world space, m/s.
    pub fn velocity_at(&self, time: f64, point: Vec3) -> Vec3 {
        self.motion.velocity_at(time, point)
    }
}

/// A shape seen from another space.
#[derive(Clone, Copy, Debug)]
pub struct Posed<'a> {
    /// In its own space.
    pub shape: &'a dyn Shape,
    /// Where it is.
    pub pose: Pose,
}

impl Posed<'_> {
    /// Signed distance, m; see [`Shape::distance`].
    #[inline]
    pub fn distance(self, point: Vec3) -> f64 {
        self.shape.distance(self.pose.body_from_world(point))
    }

    /// Gradient of the distance; see [`Shape::gradient`].
    #[inline]
    pub fn gradient(self, point: Vec3) -> Vec3 {
        self.pose.rotation * self.shape.gradient(self.pose.body_from_world(point))
    }

    /// Second derivative of the distance, 1/m; see [`Shape::hessian`].
    pub fn hessian(self, point: Vec3) -> Mat3 {
        let world_from_body = Mat3::from_quat(self.pose.rotation);
        let of_body = self.shape.hessian(self.pose.body_from_world(point));
        world_from_body * of_body * world_from_body.transpose()
    }

    /// Unit outward normal; `None` where the gradient vanishes.
    pub fn normal(self, point: Vec3) -> Option<Vec3> {
        self.gradient(point).try_normalize()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::keyframes::Keyframe;

    #[test]
    fn surfaces_that_make_energy_are_refused() {
        let still = || Keyframes::still(Pose::IDENTITY).unwrap();
        let message = |friction: f64, restitution: f64| {
            let material = SurfaceMaterial { friction, restitution };
            Obstacle::new(Plane, still(), material).map(|_| ()).map_err(|e| e.to_string())
        };
        assert_eq!(message(0.0, 1.0), Ok(()));
        assert_eq!(
            message(-0.1, 0.0),
            Err("friction is -0.1: it must be at least 0 and finite".into())
        );
        assert!(message(f64::NAN, 0.0).is_err() && message(f64::INFINITY, 0.0).is_err());
        assert_eq!(message(0.0, 1.1), Err("restitution is 1.1: it must be from 0 to 1".into()));
        assert!(message(0.0, -0.1).is_err() && message(0.0, f64::NAN).is_err());
    }

    #[test]
    fn an_obstacle_is_where_its_keyframes_put_it() {
        let frame = |time: f64, x: f64| Keyframe {
            time,
            position: x * Vec3::X,
            rotation: Quat::from_rotation_y(x),
        };
        let motion = Keyframes::new(vec![frame(0.0, 0.0), frame(2.0, 1.0)]).unwrap();
        let ball =
            Obstacle::new(Revolved::sphere(0.5).unwrap(), motion, SurfaceMaterial::default())
                .unwrap();
        for (time, expected) in [(-1.0, 1.5), (1.0, 1.0), (7.0, 0.5)] {
            let found = ball.at(time).distance(2.0 * Vec3::X);
            assert!((found - expected).abs() < 1e-12, "{time}: {found}");
        }
        // 0.5 m/s along x, and 0.5 rad/s about y at 1 m along z: 1 m/s.
        let found = ball.velocity_at(1.0, Vec3::new(0.5, 0.0, 1.0));
        assert!(found.abs_diff_eq(Vec3::X, 1e-12), "{found}");
    }
}
