//! What a world reports about itself.

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pliant::math::Vec3;
use pliant::world as engine;
use pliant_scene::digest::digest;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::handle::{self, BodyHandle, Collider, JointHandle, ObstacleHandle};
use super::{Contacts, Event, World};
use crate::arguments;
use crate::arrays;
use crate::error;

/// An array of three numbers.
type Array1 = Py<PyArray1<f64>>;

/// A position, and a quaternion x, y, z, w.
type PoseArrays = (Array1, Array1);

/// Positions and triangles.
type MeshArrays = (Py<PyArray2<f64>>, Py<PyArray2<u32>>);

impl World {
    /// One vector of a body.
    fn vector(
        &self,
        py: Python<'_>,
        of: impl FnOnce(&engine::World) -> Result<Vec3, engine::WorldError>,
    ) -> PyResult<Array1> {
        let found = of(&self.lock(py)).map_err(error::world)?;
        Ok(arrays::vector(py, found))
    }
}

/// Vectors as an array, or written into one that is there.
fn written(
    py: Python<'_>,
    values: &[Vec3],
    out: Option<&Bound<'_, PyAny>>,
) -> PyResult<Py<PyArray2<f64>>> {
    let Some(out) = out else { return arrays::vectors(py, values) };
    let count = values.len();
    let Ok(out) = out.cast::<PyArray2<f64>>() else {
        let expected = format!("out: expected an array of float64 of shape ({count}, 3)");
        let dtype = out.getattr("dtype").map(|dtype| format!("an array of dtype {dtype}"));
        let got = dtype.unwrap_or_else(|_| arrays::described(out));
        return Err(error::input_type(format!("{expected}, got {got}")));
    };
    let shape = out.shape().to_vec();
    if shape != [count, 3] {
        let [rows, columns] = [shape[0], shape[1]];
        let message = format!("out: expected shape ({count}, 3), got ({rows}, {columns})");
        return Err(error::input(message));
    }
    if !out.is_c_contiguous() {
        return Err(error::input("out: expected C order"));
    }
    let mut guard = out.try_readwrite().map_err(|why| error::input(format!("out: {why}")))?;
    let numbers = guard.as_slice_mut().map_err(|_| error::input("out: expected C order"))?;
    for (row, value) in numbers.as_chunks_mut::<3>().0.iter_mut().zip(values) {
        *row = value.to_array();
    }
    Ok(out.clone().unbind())
}

fn pose(py: Python<'_>, pose: pliant::prelude::Pose) -> PoseArrays {
    let rotation = PyArray1::from_slice(py, &pose.rotation.to_array()).unbind();
    (arrays::vector(py, pose.position), rotation)
}

#[pymethods]
impl World {
    /// Time since the start, s.
    #[getter]
    fn time(&self, py: Python<'_>) -> f64 {
        self.lock(py).time()
    }

    /// Length of a step, s.
    #[getter]
    fn time_step(&self, py: Python<'_>) -> f64 {
        self.lock(py).time_step()
    }

    /// Gravity, m/s².
    #[getter]
    fn gravity(&self, py: Python<'_>) -> Array1 {
        let gravity = self.lock(py).gravity();
        arrays::vector(py, gravity)
    }

    /// Handles of all bodies, in the order in which they were added.
    #[getter]
    fn bodies(&self, py: Python<'_>) -> Vec<BodyHandle> {
        self.lock(py).bodies().map(BodyHandle).collect()
    }

    /// Handles of all obstacles, in the order in which they were added.
    #[getter]
    fn obstacles(&self, py: Python<'_>) -> Vec<ObstacleHandle> {
        self.lock(py).obstacles().map(ObstacleHandle).collect()
    }

    /// Whether a body or an obstacle is still there.
    fn contains(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::handle)] handle: Collider,
    ) -> bool {
        self.lock(py).contains(handle.0)
    }

    /// Positions of the vertices of a body, m: float64 of shape (n, 3).
    ///
    /// A copy, as steps move the world's own; `out` takes it without new memory.
    #[pyo3(signature = (body, out=None))]
    fn positions(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::body)] body: &BodyHandle,
        out: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyArray2<f64>>> {
        let world = self.lock(py);
        written(py, world.positions(body.0).map_err(error::world)?, out)
    }

    /// Velocities of the vertices of a body, m/s: float64 of shape (n, 3); a copy.
    #[pyo3(signature = (body, out=None))]
    fn velocities(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::body)] body: &BodyHandle,
        out: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyArray2<f64>>> {
        let world = self.lock(py);
        written(py, world.velocities(body.0).map_err(error::world)?, out)
    }

    /// Surface triangles of a body, seen from outside counter-clockwise: uint32 of shape (n, 3).
    fn triangles(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::body)] body: &BodyHandle,
    ) -> PyResult<Py<PyArray2<u32>>> {
        let world = self.lock(py);
        arrays::indices(py, world.triangles(body.0).map_err(error::world)?)
    }

    /// Positions, m, and triangles of the contact mesh of a body; `None` where it has none.
    fn contact_mesh(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::body)] body: &BodyHandle,
    ) -> PyResult<Option<MeshArrays>> {
        let world = self.lock(py);
        let Some((positions, triangles)) = world.contact_mesh(body.0).map_err(error::world)? else {
            return Ok(None);
        };
        Ok(Some((arrays::vectors(py, &positions)?, arrays::indices(py, triangles)?)))
    }

    /// Mass of a body, kg; infinite for a kinematic one.
    fn mass(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::body)] body: &BodyHandle,
    ) -> PyResult<f64> {
        self.lock(py).mass(body.0).map_err(error::world)
    }

    /// Centre of mass of a body, m.
    fn centre(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::body)] body: &BodyHandle,
    ) -> PyResult<Array1> {
        self.vector(py, |world| world.centre(body.0))
    }

    /// Velocity of the centre of mass of a body, m/s.
    fn velocity(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::body)] body: &BodyHandle,
    ) -> PyResult<Array1> {
        self.vector(py, |world| world.velocity(body.0))
    }

    /// Angular velocity of a rigid body, rad/s.
    fn spin(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::body)] body: &BodyHandle,
    ) -> PyResult<Array1> {
        self.vector(py, |world| world.spin(body.0))
    }

    /// Position, m, and rotation, a quaternion x, y, z, w, of a rigid or kinematic body.
    fn pose(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::body)] body: &BodyHandle,
    ) -> PyResult<PoseArrays> {
        let found = self.lock(py).pose(body.0).map_err(error::world)?;
        Ok(pose(py, found))
    }

    /// Position, m, and rotation, a quaternion x, y, z, w, of an obstacle.
    fn obstacle_pose(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::obstacle)] obstacle: &ObstacleHandle,
    ) -> PyResult<PoseArrays> {
        let found = self.lock(py).obstacle_pose(obstacle.0).map_err(error::world)?;
        Ok(pose(py, found))
    }

    /// Travel of a hinge, rad, or a slider, m, since it was added; `None` of other joints.
    fn travel(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::joint)] joint: &JointHandle,
    ) -> PyResult<Option<f64>> {
        self.lock(py).travel(joint.0).map_err(error::world)
    }

    /// Force, N, and torque, N·m, that a joint put on its first body in the last step.
    fn joint_load(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::joint)] joint: &JointHandle,
    ) -> PyResult<(Array1, Array1)> {
        let (force, torque) = self.lock(py).joint_load(joint.0).map_err(error::world)?;
        Ok((arrays::vector(py, force), arrays::vector(py, torque)))
    }

    /// Points at which bodies pressed on each other or on obstacles in the last step.
    fn contacts(&self, py: Python<'_>) -> PyResult<Contacts> {
        let points = self.lock(py).contacts().to_vec();
        Contacts::of(py, &points)
    }

    /// Force and friction, N, and number of all contacts of a body or an obstacle.
    fn contact_load(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::of)] of: Collider,
    ) -> PyResult<(Array1, Array1, usize)> {
        let load = self.lock(py).contact_load(of.0).map_err(error::world)?;
        Ok((arrays::vector(py, load.force), arrays::vector(py, load.friction), load.contacts))
    }

    /// Pairs that began or ceased to touch in the last step.
    fn events(&self, py: Python<'_>) -> PyResult<Vec<Event>> {
        let events = self.lock(py).events().to_vec();
        events.iter().map(|event| Event::of(py, event)).collect()
    }

    /// Pairs of handles that touch since the last step, each once.
    fn touching(&self, py: Python<'_>) -> PyResult<Vec<(BodyHandle, Py<PyAny>)>> {
        let pairs = self.lock(py).touching().to_vec();
        let pair = |(body, other): &(engine::BodyHandle, engine::Collider)| {
            Ok((BodyHandle(*body), handle::collider(py, *other)?))
        };
        pairs.iter().map(pair).collect()
    }

    /// Kinetic, elastic and gravitational energy, J.
    fn energy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let energy = self.long(py, |world| world.energy())?;
        let found = PyDict::new(py);
        found.set_item("kinetic", energy.kinetic)?;
        found.set_item("elastic", energy.elastic)?;
        found.set_item("gravitational", energy.gravitational)?;
        Ok(found)
    }

    /// BLAKE3 over all bits of the state, as in `summary.json` of a run; 64 hexadecimal digits.
    fn digest(&self, py: Python<'_>) -> PyResult<String> {
        self.long(py, |world| {
            world.assemble()?;
            Ok(digest(&world.simulation().state))
        })
    }
}
