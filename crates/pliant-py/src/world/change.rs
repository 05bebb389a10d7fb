//! What can be changed between steps.

use numpy::PyArray1;
use pliant::body::keyframes::Pose;
use pliant::contact::rules::SurfaceRule;
use pliant::math::Quat;
use pliant::world as engine;
use pyo3::prelude::*;

use super::World;
use super::bodies::{Material, group};
use super::handle::{BodyHandle, Collider, JointHandle};
use crate::arguments;
use crate::arrays::{self, Rotation, Vector};
use crate::error;

fn pose(position: Vector, rotation: Option<Rotation>) -> Pose {
    let rotation = rotation.map_or(Quat::IDENTITY, |rotation| rotation.0);
    Pose { position: position.0, rotation }
}

#[pymethods]
impl World {
    /// Moves a kinematic body or an obstacle to a pose within the next step; it pushes what it meets.
    #[pyo3(signature = (handle, position, rotation=None))]
    fn move_to(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::handle)] handle: Collider,
        #[pyo3(from_py_with = arguments::position)] position: Vector,
        #[pyo3(from_py_with = arguments::rotation)] rotation: Option<Rotation>,
    ) -> PyResult<()> {
        let pose = pose(position, rotation);
        let mut world = self.lock(py);
        match handle.0 {
            engine::Collider::Body(body) => world.move_to(body, pose),
            engine::Collider::Obstacle(obstacle) => world.move_to(obstacle, pose),
        }
        .map_err(error::world)
    }

    /// Puts a rigid or kinematic body somewhere at once; its velocity stays.
    #[pyo3(signature = (body, position, rotation=None))]
    fn set_pose(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::body)] body: &BodyHandle,
        #[pyo3(from_py_with = arguments::position)] position: Vector,
        #[pyo3(from_py_with = arguments::rotation)] rotation: Option<Rotation>,
    ) -> PyResult<()> {
        self.lock(py).set_pose(body.0, pose(position, rotation)).map_err(error::world)
    }

    /// Puts the vertices of a soft body somewhere at once, m; velocities stay.
    fn set_positions(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::body)] body: &BodyHandle,
        positions: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let places = arrays::positions(positions, "positions")?;
        self.lock(py).set_positions(body.0, &places).map_err(error::world)
    }

    /// Sets the velocity of a body, m/s; all vertices of a soft one get it.
    fn set_velocity(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::body)] body: &BodyHandle,
        #[pyo3(from_py_with = arguments::velocity)] velocity: Vector,
    ) -> PyResult<()> {
        self.lock(py).set_velocity(body.0, velocity.0).map_err(error::world)
    }

    /// Sets the angular velocity of a rigid body, rad/s.
    fn set_spin(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::body)] body: &BodyHandle,
        #[pyo3(from_py_with = arguments::spin)] spin: Vector,
    ) -> PyResult<()> {
        self.lock(py).set_spin(body.0, spin.0).map_err(error::world)
    }

    /// Pushes a body by an impulse, N·s, at a point, m; all vertices of a soft body share it.
    fn apply_impulse(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::body)] body: &BodyHandle,
        #[pyo3(from_py_with = arguments::impulse)] impulse: Vector,
        #[pyo3(from_py_with = arguments::point)] point: Vector,
    ) -> PyResult<()> {
        self.lock(py).apply_impulse(body.0, impulse.0, point.0).map_err(error::world)
    }

    /// Sets a force on a body, N, shared by mass; it acts until it is set again.
    fn set_force(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::body)] body: &BodyHandle,
        #[pyo3(from_py_with = arguments::force)] force: Vector,
    ) -> PyResult<()> {
        self.lock(py).set_force(body.0, force.0).map_err(error::world)
    }

    /// Changes the material of a soft body; its rest shape stays.
    fn set_material(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::body)] body: &BodyHandle,
        #[pyo3(from_py_with = arguments::material)] material: &Material,
    ) -> PyResult<()> {
        self.lock(py).set_material(body.0, material.0.clone()).map_err(error::world)
    }

    /// Changes friction, restitution and group of a body or an obstacle.
    #[pyo3(signature = (of, *, friction=None, restitution=None, group=0))]
    fn set_surface(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::of)] of: Collider,
        #[pyo3(from_py_with = arguments::friction)] friction: Option<f64>,
        #[pyo3(from_py_with = arguments::restitution)] restitution: Option<f64>,
        #[pyo3(from_py_with = arguments::group)] group: u8,
    ) -> PyResult<()> {
        let rule = SurfaceRule { friction, restitution, group: self::group(group, "group")? };
        self.lock(py).set_surface(of.0, rule).map_err(error::world)
    }

    /// Lets two groups, from 0 to 31, pass through each other.
    fn ignore(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::a)] a: u8,
        #[pyo3(from_py_with = arguments::b)] b: u8,
    ) -> PyResult<()> {
        let (a, b) = (group(a, "a")?, group(b, "b")?);
        self.lock(py).ignore(a, b);
        Ok(())
    }

    /// Lets two groups meet again.
    fn unignore(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::a)] a: u8,
        #[pyo3(from_py_with = arguments::b)] b: u8,
    ) -> PyResult<()> {
        let (a, b) = (group(a, "a")?, group(b, "b")?);
        self.lock(py).unignore(a, b);
        Ok(())
    }

    /// Lets a body pass through another body or an obstacle.
    fn ignore_pair(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::body)] body: &BodyHandle,
        #[pyo3(from_py_with = arguments::other)] other: Collider,
    ) -> PyResult<()> {
        self.lock(py).ignore_pair(body.0, other.0).map_err(error::world)
    }

    /// Lets a body meet another body or an obstacle again.
    fn unignore_pair(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::body)] body: &BodyHandle,
        #[pyo3(from_py_with = arguments::other)] other: Collider,
    ) -> PyResult<()> {
        self.lock(py).unignore_pair(body.0, other.0).map_err(error::world)
    }

    /// Pins vertices of a soft body, counted in the body, where they are.
    fn pin(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::body)] body: &BodyHandle,
        vertices: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let mut world = self.lock(py);
        let count = world.positions(body.0).map_err(error::world)?.len();
        let vertices = arrays::vertices(vertices, "vertices", count)?;
        world.pin(body.0, &vertices).map_err(error::world)
    }

    /// Pinned vertices of a body, counted in the body, ascending: uint32.
    fn pinned(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::body)] body: &BodyHandle,
    ) -> PyResult<Py<PyArray1<u32>>> {
        let pinned = self.lock(py).pinned(body.0).map_err(error::world)?;
        Ok(arrays::column(py, pinned.into_iter().map(|vertex| vertex.0).collect()))
    }

    /// Lets some pinned vertices of a body go; its other pins stay.
    fn unpin_vertices(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::body)] body: &BodyHandle,
        vertices: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let mut world = self.lock(py);
        let count = world.positions(body.0).map_err(error::world)?.len();
        let vertices = arrays::vertices(vertices, "vertices", count)?;
        world.unpin_vertices(body.0, &vertices).map_err(error::world)
    }

    /// Lets all pinned vertices of a body go.
    fn unpin(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::body)] body: &BodyHandle,
    ) -> PyResult<()> {
        self.lock(py).unpin(body.0).map_err(error::world)
    }

    /// Sets the motor of a hinge, rad/s and N·m, or a slider, m/s and N; `None` removes it.
    #[pyo3(signature = (joint, speed, most=0.0))]
    fn set_motor(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::joint)] joint: &JointHandle,
        #[pyo3(from_py_with = arguments::speed)] speed: Option<f64>,
        #[pyo3(from_py_with = arguments::most)] most: f64,
    ) -> PyResult<()> {
        let motor = speed.map(|speed| (speed, most));
        self.lock(py).set_motor(joint.0, motor).map_err(error::world)
    }
}
