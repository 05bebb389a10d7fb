//! What a world answers about places and overlaps.

use numpy::PyArray1;
use pliant::math::Aabb;
use pliant::world as engine;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::World;
use super::handle::{self, BodyHandle, GrabHandle};
use crate::arguments;
use crate::arrays::{self, Vector};
use crate::error;

/// A point of a surface that a query found.
#[pyclass(frozen, module = "pliant")]
pub struct SurfaceHit {
    inner: engine::SurfaceHit,
}

#[pymethods]
impl SurfaceHit {
    /// Handle of what it belongs to.
    #[getter]
    fn collider(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        handle::collider(py, self.inner.collider)
    }

    /// From the origin of the ray, or signed from the point of the query, m.
    #[getter]
    fn distance(&self) -> f64 {
        self.inner.distance
    }

    /// Where, m.
    #[getter]
    fn point(&self, py: Python<'_>) -> Py<PyArray1<f64>> {
        arrays::vector(py, self.inner.point)
    }

    /// Unit normal of the surface, outward.
    #[getter]
    fn normal(&self, py: Python<'_>) -> Py<PyArray1<f64>> {
        arrays::vector(py, self.inner.normal)
    }

    /// Corners of the triangle, counted in the body; `None` of an obstacle.
    #[getter]
    fn triangle(&self) -> Option<[u32; 3]> {
        self.inner.triangle.map(|corners| corners.map(|v| v.0))
    }

    /// Weights of the corners, which sum to 1; zeros of an obstacle.
    #[getter]
    fn weights(&self) -> [f64; 3] {
        self.inner.weights
    }
}

/// A vertex inside another body, and its way out.
#[pyclass(frozen, module = "pliant")]
pub struct Penetration {
    inner: engine::Penetration,
}

#[pymethods]
impl Penetration {
    /// Its body.
    #[getter]
    fn body(&self) -> BodyHandle {
        BodyHandle(self.inner.body)
    }

    /// The vertex, counted in its body.
    #[getter]
    fn vertex(&self) -> u32 {
        self.inner.vertex.0
    }

    /// Bodies that it is inside of.
    #[getter]
    fn into(&self) -> Vec<BodyHandle> {
        self.inner.into.iter().map(|body| BodyHandle(*body)).collect()
    }

    /// Way to go along `direction`, m; `None` where it is not known.
    #[getter]
    fn depth(&self) -> Option<f64> {
        self.inner.way_out.as_ref().ok().map(|out| out.depth)
    }

    /// Unit vector; `None` where it is not known.
    #[getter]
    fn direction(&self, py: Python<'_>) -> Option<Py<PyArray1<f64>>> {
        self.inner.way_out.as_ref().ok().map(|out| arrays::vector(py, out.direction))
    }

    /// Steps from the border; `None` where no way out is known.
    #[getter]
    fn ring(&self) -> Option<u32> {
        self.inner.way_out.as_ref().ok().map(|out| out.ring)
    }

    /// Where it leaves: body, triangle, weights, point; `None` where it is not known.
    #[getter]
    fn exit<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let exit = self.inner.way_out.as_ref().ok().and_then(|out| out.exit);
        let Some(exit) = exit else { return Ok(None) };
        let found = PyDict::new(py);
        found.set_item("body", BodyHandle(exit.body))?;
        found.set_item("triangle", exit.triangle.map(|v| v.0))?;
        found.set_item("weights", exit.weights)?;
        found.set_item("point", arrays::vector(py, exit.point))?;
        Ok(Some(found))
    }

    /// Why no way out is known: `enclosed`, `cancelled` or `rounding`; `None` where it is.
    #[getter]
    fn reason(&self) -> Option<&'static str> {
        self.inner.way_out.as_ref().err().map(|reason| reason.name())
    }
}

#[pymethods]
impl World {
    /// The first surface that a ray meets up to a distance, m, or `None`.
    ///
    /// `only` are the bodies and obstacles that it may meet, all by default.
    ///
    /// >>> import pliant
    /// >>> world = pliant.World()
    /// >>> ball = world.add(pliant.SoftBody.ball(0.1, 2))
    /// >>> hit = world.cast_ray((0, 0, 1), (0, 0, -1))
    /// >>> hit.collider == ball, round(hit.distance, 6)
    /// (True, 0.9)
    #[pyo3(signature = (origin, direction, max_distance=f64::INFINITY, *, only=None))]
    fn cast_ray(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::origin)] origin: Vector,
        #[pyo3(from_py_with = arguments::direction)] direction: Vector,
        #[pyo3(from_py_with = arguments::max_distance)] max_distance: f64,
        #[pyo3(from_py_with = arguments::only)] only: Option<Vec<handle::Collider>>,
    ) -> PyResult<Option<SurfaceHit>> {
        let only: Option<Vec<engine::Collider>> =
            only.map(|list| list.into_iter().map(|collider| collider.0).collect());
        let accepts =
            |collider: engine::Collider| only.as_ref().is_none_or(|list| list.contains(&collider));
        let hit = self
            .long(py, |world| world.cast_ray_with(origin.0, direction.0, max_distance, accepts))?;
        Ok(hit.map(|inner| SurfaceHit { inner }))
    }

    /// The point of the surfaces of all bodies that is nearest to a point, within a distance, m.
    #[pyo3(signature = (point, max_distance=f64::INFINITY))]
    fn nearest_point(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::point)] point: Vector,
        #[pyo3(from_py_with = arguments::max_distance)] max_distance: f64,
    ) -> PyResult<Option<SurfaceHit>> {
        let hit = self.long(py, |world| world.nearest_point(point.0, max_distance))?;
        Ok(hit.map(|inner| SurfaceHit { inner }))
    }

    /// Bodies that contain a point.
    fn bodies_at(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::point)] point: Vector,
    ) -> PyResult<Vec<BodyHandle>> {
        let found = self.long(py, |world| world.bodies_at(point.0))?;
        Ok(found.into_iter().map(BodyHandle).collect())
    }

    /// Bodies whose surface or inside meets a box between two corners, m.
    fn bodies_in(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::least)] least: Vector,
        #[pyo3(from_py_with = arguments::most)] most: Vector,
    ) -> PyResult<Vec<BodyHandle>> {
        let found = self.long(py, |world| world.bodies_in(Aabb { min: least.0, max: most.0 }))?;
        Ok(found.into_iter().map(BodyHandle).collect())
    }

    /// Every vertex that is inside another body, with its consistent penetration depth.
    fn penetrations(&self, py: Python<'_>) -> PyResult<Vec<Penetration>> {
        let found = self.long(py, |world| world.penetrations())?;
        Ok(found.into_iter().map(|inner| Penetration { inner }).collect())
    }

    /// Grabs a body where a ray met it, with a spring, N/m.
    fn grab(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::hit)] hit: &SurfaceHit,
        #[pyo3(from_py_with = arguments::stiffness)] stiffness: f64,
    ) -> PyResult<GrabHandle> {
        let inner = hit.inner;
        self.lock(py).grab(inner, stiffness).map(GrabHandle).map_err(error::world)
    }

    /// Grabs the surface of a body at the point nearest to `point`, m, with a spring, N/m.
    fn grab_at(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::body)] body: &BodyHandle,
        #[pyo3(from_py_with = arguments::point)] point: Vector,
        #[pyo3(from_py_with = arguments::stiffness)] stiffness: f64,
    ) -> PyResult<GrabHandle> {
        let grabbed = self.lock(py).grab_at(body.0, point.0, stiffness);
        grabbed.map(GrabHandle).map_err(error::world)
    }

    /// Drags a grab to a point, m.
    fn drag(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::grab)] grab: &GrabHandle,
        #[pyo3(from_py_with = arguments::point)] point: Vector,
    ) -> PyResult<()> {
        self.lock(py).drag(grab.0, point.0).map_err(error::world)
    }

    /// Lets go.
    fn release(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::grab)] grab: &GrabHandle,
    ) -> PyResult<()> {
        self.lock(py).release(grab.0).map_err(error::world)
    }
}
