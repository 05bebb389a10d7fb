//! Handles: what names the things of a world.

use pliant::world as engine;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

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

impl<'a, 'py> FromPyObject<'a, 'py> for Collider {
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Collider> {
        if let Ok(body) = given.cast::<BodyHandle>() {
            return Ok(Collider(body.get().0.into()));
        }
        match given.cast::<ObstacleHandle>() {
            Ok(obstacle) => Ok(Collider(obstacle.get().0.into())),
            Err(_) => {
                let got = given.get_type().name()?;
                Err(PyTypeError::new_err(format!(
                    "expected a BodyHandle or an ObstacleHandle, got {got}"
                )))
            }
        }
    }
}

/// The handle of what a body may touch.
pub fn collider(py: Python<'_>, of: engine::Collider) -> PyResult<Py<PyAny>> {
    Ok(match of {
        engine::Collider::Body(body) => Py::new(py, BodyHandle(body))?.into_any(),
        engine::Collider::Obstacle(obstacle) => Py::new(py, ObstacleHandle(obstacle))?.into_any(),
    })
}
