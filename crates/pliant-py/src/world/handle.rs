//! Handles: what names the things of a world.

use pliant::world as engine;
use pyo3::prelude::*;

use crate::arguments::Argument;
use crate::arrays;
use crate::error;

/// Declares a kind of handle.
macro_rules! handle {
    ($name:ident, $what:literal) => {
        #[doc = concat!("Names ", $what, " of a `World`.")]
        ///
        /// It stays valid until that is removed, whatever else is added or removed, and never names
        /// another one. It can be compared and used as a key.
        #[pyclass(frozen, eq, hash, module = "pliant")]
        #[derive(Clone, Copy, PartialEq, Eq, Hash)]
        pub struct $name(pub engine::$name);

        #[pymethods]
        impl $name {
            fn __repr__(&self) -> String {
                format!(concat!("<pliant.", stringify!($name), " {}>"), self.0)
            }
        }
    };
}

handle!(BodyHandle, "a body");
handle!(ObstacleHandle, "an obstacle");
handle!(JointHandle, "a joint");
handle!(GrabHandle, "a grab");

/// A body or an obstacle.
#[derive(Clone, Copy)]
pub struct Collider(pub engine::Collider);

impl Argument<'_> for Collider {
    fn read(given: &Bound<'_, PyAny>, name: &str) -> PyResult<Collider> {
        if let Ok(body) = given.cast::<BodyHandle>() {
            return Ok(Collider(body.get().0.into()));
        }
        if let Ok(obstacle) = given.cast::<ObstacleHandle>() {
            return Ok(Collider(obstacle.get().0.into()));
        }
        let (expected, got) = ("a BodyHandle or an ObstacleHandle", arrays::described(given));
        Err(error::input_type(format!("{name}: expected {expected}, got {got}")))
    }
}

/// The handle of what a body may touch.
pub fn collider(py: Python<'_>, of: engine::Collider) -> PyResult<Py<PyAny>> {
    Ok(match of {
        engine::Collider::Body(body) => Py::new(py, BodyHandle(body))?.into_any(),
        engine::Collider::Obstacle(obstacle) => Py::new(py, ObstacleHandle(obstacle))?.into_any(),
    })
}
