//! Joints, as they are described to a world.

use pliant::world as engine;
use pyo3::prelude::*;

use super::handle::BodyHandle;
use crate::arguments;
use crate::arrays::Vector;

/// A joint between two rigid bodies, or a rigid body and the world (`None`).
///
/// Anchor and axis are in world space, where the bodies are when it is added.
///
/// >>> import pliant
/// >>> world = pliant.World()
/// >>> door = world.add(pliant.RigidBody.cuboid((0.8, 0.04, 2.0)).density(600.0))
/// >>> hinge = pliant.Joint.hinge(door, None, anchor=(-0.4, 0, 0), axis=(0, 0, 1))
/// >>> hinge = world.add(hinge.limits(0.0, 1.5).motor(1.0, 500.0))
/// >>> _ = world.step(120)
/// >>> abs(world.travel(hinge) - 1.5) < 0.01
/// True
#[pyclass(frozen, module = "pliant")]
#[derive(Clone)]
pub struct Joint(pub engine::Joint);

#[pymethods]
impl Joint {
    /// Lets the first body turn about a point, m, of the second.
    #[staticmethod]
    fn ball(
        #[pyo3(from_py_with = arguments::first)] first: &BodyHandle,
        #[pyo3(from_py_with = arguments::second)] second: Option<&BodyHandle>,
        #[pyo3(from_py_with = arguments::anchor)] anchor: Vector,
    ) -> Joint {
        Joint(engine::Joint::ball(first.0, second.map(|body| body.0), anchor.0))
    }

    /// Lets it turn about an axis through a point, m.
    #[staticmethod]
    fn hinge(
        #[pyo3(from_py_with = arguments::first)] first: &BodyHandle,
        #[pyo3(from_py_with = arguments::second)] second: Option<&BodyHandle>,
        #[pyo3(from_py_with = arguments::anchor)] anchor: Vector,
        #[pyo3(from_py_with = arguments::axis)] axis: Vector,
    ) -> Joint {
        Joint(engine::Joint::hinge(first.0, second.map(|body| body.0), anchor.0, axis.0))
    }

    /// Lets it slide along an axis, without turning.
    #[staticmethod]
    fn slider(
        #[pyo3(from_py_with = arguments::first)] first: &BodyHandle,
        #[pyo3(from_py_with = arguments::second)] second: Option<&BodyHandle>,
        #[pyo3(from_py_with = arguments::axis)] axis: Vector,
    ) -> Joint {
        Joint(engine::Joint::slider(first.0, second.map(|body| body.0), axis.0))
    }

    /// Holds it as it is.
    #[staticmethod]
    fn fixed(
        #[pyo3(from_py_with = arguments::first)] first: &BodyHandle,
        #[pyo3(from_py_with = arguments::second)] second: Option<&BodyHandle>,
    ) -> Joint {
        Joint(engine::Joint::fixed(first.0, second.map(|body| body.0)))
    }

    /// Least and greatest travel from here, rad of a hinge, m of a slider.
    fn limits(
        &self,
        #[pyo3(from_py_with = arguments::least)] least: f64,
        #[pyo3(from_py_with = arguments::most)] most: f64,
    ) -> Joint {
        Joint(self.0.limits(least, most))
    }

    /// Drives the axis at a speed, rad/s or m/s, with at most a torque, N·m, or force, N.
    fn motor(
        &self,
        #[pyo3(from_py_with = arguments::speed)] speed: f64,
        #[pyo3(from_py_with = arguments::most)] most: f64,
    ) -> Joint {
        Joint(self.0.motor(speed, most))
    }

    /// Lets the two bodies collide; by default joined bodies do not.
    fn colliding(&self) -> Joint {
        Joint(self.0.colliding())
    }
}
