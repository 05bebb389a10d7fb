//! The front door: a world of soft, rigid and kinematic bodies, obstacles and joints.
//!
//! A world is behind a lock, so that it can be used from several threads; whoever waits for it, or
//! steps it, does not hold the interpreter lock meanwhile.

pub mod handle;

pub mod bodies;

pub mod joint;

mod report;

mod read;

mod change;

mod query;

use std::sync::{Mutex, MutexGuard};

use pliant::integrate::StepReport;
use pliant::integrate::implicit::ImplicitSettings;
use pliant::integrate::sleep::SleepSettings;
use pliant::separate::SeparateSettings;
use pliant::world as engine;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;

use crate::arguments;
use crate::arrays::Vector;
use crate::error;
use bodies::{KinematicBody, Obstacle, RigidBody, SoftBody};
use handle::{BodyHandle, GrabHandle, JointHandle, ObstacleHandle};
use joint::Joint;

pub use query::{Penetration, SurfaceHit};
pub use report::{Contacts, Event, Report};

/// Everything that moves, what moves it, and what it meets.
///
/// Gravity is −9.81 m/s² along z, steps are of 1/60 s, friction is 0.3 by default.
///
/// >>> import pliant
/// >>> world = pliant.World()
/// >>> floor = world.add(pliant.Obstacle.plane((0, 0, 1), 0.0))
/// >>> ball = world.add(pliant.SoftBody.ball(0.1, 2).young(5e4).at((0, 0, 0.3)))
/// >>> report = world.step(120)
/// >>> report.unconverged, bool(world.centre(ball)[2] < 0.11)
/// (0, True)
/// >>> world.positions(ball).shape
/// (55, 3)
#[pyclass(frozen, module = "pliant")]
pub struct World {
    inner: Mutex<engine::World>,
}

impl World {
    /// A world that was made elsewhere.
    pub fn of(world: engine::World) -> World {
        World { inner: Mutex::new(world) }
    }

    /// The world, once no other thread has it; the interpreter lock is released meanwhile.
    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, engine::World> {
        self.inner.lock_py_attached(py).unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Works on the world without the interpreter lock.
    fn long<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut engine::World) -> Result<T, engine::WorldError> + Send,
    ) -> PyResult<T> {
        py.detach(|| {
            let mut world = self.inner.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            work(&mut world)
        })
        .map_err(error::world)
    }
}

#[pymethods]
impl World {
    #[new]
    #[pyo3(signature = (*, gravity=None, time_step=None, friction=None, restitution=None, substeps=None, threads=None))]
    fn new(
        #[pyo3(from_py_with = arguments::gravity)] gravity: Option<Vector>,
        #[pyo3(from_py_with = arguments::time_step)] time_step: Option<f64>,
        #[pyo3(from_py_with = arguments::friction)] friction: Option<f64>,
        #[pyo3(from_py_with = arguments::restitution)] restitution: Option<f64>,
        #[pyo3(from_py_with = arguments::substeps)] substeps: Option<u32>,
        #[pyo3(from_py_with = arguments::threads)] threads: Option<usize>,
    ) -> PyResult<World> {
        let mut world = engine::World::new();
        let set = |world: &mut engine::World| {
            gravity.map(|gravity| world.set_gravity(gravity.0)).transpose()?;
            time_step.map(|dt| world.set_time_step(dt)).transpose()?;
            friction.map(|friction| world.set_friction(friction)).transpose()?;
            restitution.map(|value| world.set_restitution(value)).transpose()?;
            substeps.map(|substeps| world.set_substeps(substeps)).transpose()
        };
        set(&mut world).map_err(error::world)?;
        if let Some(threads) = threads {
            world.set_threads(threads);
        }
        Ok(World::of(world))
    }

    /// Adds a body, an obstacle or a joint and returns its handle; on an error nothing changes.
    fn add(&self, py: Python<'_>, thing: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let mut world = self.lock(py);
        let body = if let Ok(body) = thing.cast::<SoftBody>() {
            world.add(body.get().0.clone())
        } else if let Ok(body) = thing.cast::<RigidBody>() {
            world.add(body.get().0.clone())
        } else if let Ok(body) = thing.cast::<KinematicBody>() {
            world.add(body.get().0.clone())
        } else if let Ok(obstacle) = thing.cast::<Obstacle>() {
            let handle = world.add(obstacle.get().0.clone()).map_err(error::world)?;
            return Ok(Py::new(py, ObstacleHandle(handle))?.into_any());
        } else if let Ok(joint) = thing.cast::<Joint>() {
            let handle = world.add(joint.get().0).map_err(error::world)?;
            return Ok(Py::new(py, JointHandle(handle))?.into_any());
        } else {
            let got = thing.get_type().name()?;
            let expected = "a SoftBody, RigidBody, KinematicBody, Obstacle or Joint";
            return Err(error::input_type(format!("thing: expected {expected}, got {got}")));
        };
        Ok(Py::new(py, BodyHandle(body.map_err(error::world)?))?.into_any())
    }

    /// Removes a body, an obstacle, a joint or a grab; other handles stay valid.
    fn remove(&self, py: Python<'_>, handle: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut world = self.lock(py);
        let done = if let Ok(body) = handle.cast::<BodyHandle>() {
            world.remove(body.get().0)
        } else if let Ok(obstacle) = handle.cast::<ObstacleHandle>() {
            world.remove(obstacle.get().0)
        } else if let Ok(joint) = handle.cast::<JointHandle>() {
            world.remove(joint.get().0)
        } else if let Ok(grab) = handle.cast::<GrabHandle>() {
            world.remove(grab.get().0)
        } else {
            let got = handle.get_type().name()?;
            return Err(error::input_type(format!("handle: expected a handle, got {got}")));
        };
        done.map_err(error::world)
    }

    /// Moves everything by one time step, or several; returns what they took together.
    ///
    /// On an error the step that failed has moved nothing. Ctrl-C ends it between two steps.
    #[pyo3(signature = (count=1))]
    fn step(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::count)] count: u32,
    ) -> PyResult<Report> {
        let mut total = StepReport::default();
        for _ in 0..count {
            total.add(self.long(py, |world| world.step())?);
            py.check_signals()?;
        }
        Ok(Report::of(total))
    }

    /// Sets gravity, m/s².
    fn set_gravity(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::gravity)] gravity: Vector,
    ) -> PyResult<()> {
        self.lock(py).set_gravity(gravity.0).map_err(error::world)
    }

    /// Sets the length of a step, s.
    fn set_time_step(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::dt)] dt: f64,
    ) -> PyResult<()> {
        self.lock(py).set_time_step(dt).map_err(error::world)
    }

    /// Sets the friction of surfaces that have none of their own.
    fn set_friction(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::friction)] friction: f64,
    ) -> PyResult<()> {
        self.lock(py).set_friction(friction).map_err(error::world)
    }

    /// Sets the restitution of surfaces that have none of their own, from 0 to 1.
    fn set_restitution(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::restitution)] restitution: f64,
    ) -> PyResult<()> {
        self.lock(py).set_restitution(restitution).map_err(error::world)
    }

    /// Makes each step in equal parts; contacts are found in each.
    fn set_substeps(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::substeps)] substeps: u32,
    ) -> PyResult<()> {
        self.lock(py).set_substeps(substeps).map_err(error::world)
    }

    /// Sets how fast contacts that are too near may open, in sizes of the smaller body per second.
    fn set_depenetration_speed(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::speed)] speed: f64,
    ) -> PyResult<()> {
        self.lock(py).set_depenetration_speed(speed).map_err(error::world)
    }

    /// When rigid bodies at rest sleep: below `quiet` sizes per second for `after` s; never with
    /// `None`.
    #[pyo3(signature = (quiet=1e-3, after=0.5))]
    fn set_sleep(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::quiet)] quiet: Option<f64>,
        #[pyo3(from_py_with = arguments::after)] after: f64,
    ) -> PyResult<()> {
        for (name, value) in [("quiet", quiet.unwrap_or(0.0)), ("after", after)] {
            if value < 0.0 {
                return Err(error::input(format!("{name}: expected 0 or more, got {value}")));
            }
        }
        let settings = quiet.map(|quiet| SleepSettings { quiet, after });
        self.lock(py).set_sleep(settings);
        Ok(())
    }

    /// Sets how far the equations of a step are solved; what is left out is as by default.
    ///
    /// `tolerance` and `iterations` are those of each linear system, `sweeps` and
    /// `velocity_tolerance` (per size and step) those over contacts of soft bodies,
    /// `rigid_sweeps` the same between rigid ones.
    #[pyo3(signature = (*, tolerance=None, iterations=None, sweeps=None, velocity_tolerance=None, rigid_sweeps=None))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn set_solver(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::tolerance)] tolerance: Option<f64>,
        #[pyo3(from_py_with = arguments::iterations)] iterations: Option<usize>,
        #[pyo3(from_py_with = arguments::sweeps)] sweeps: Option<usize>,
        #[pyo3(from_py_with = arguments::velocity_tolerance)] velocity_tolerance: Option<f64>,
        #[pyo3(from_py_with = arguments::rigid_sweeps)] rigid_sweeps: Option<usize>,
    ) -> PyResult<()> {
        for (name, value) in [("tolerance", tolerance), ("velocity_tolerance", velocity_tolerance)]
        {
            if let Some(value) = value.filter(|value| !(value.is_finite() && *value > 0.0)) {
                return Err(error::input(format!("{name}: expected more than 0, got {value}")));
            }
        }
        let mut settings = ImplicitSettings::default();
        let ImplicitSettings { linear, rows, .. } = &mut settings;
        linear.tolerance = tolerance.unwrap_or(linear.tolerance);
        linear.iterations = iterations.unwrap_or(linear.iterations);
        rows.sweeps = sweeps.unwrap_or(rows.sweeps);
        rows.velocity_tolerance = velocity_tolerance.unwrap_or(rows.velocity_tolerance);
        rows.rigid_sweeps = rigid_sweeps.unwrap_or(rows.rigid_sweeps);
        self.lock(py).set_solver(settings);
        Ok(())
    }

    /// Takes all bodies out of each other at once; velocities stay.
    ///
    /// Soft bodies are moved or deformed as `by` says, `rigid`, `soft` or `auto`; rigid ones are
    /// moved and turned, kinematic and pinned ones stay. Returns the pairs of bodies that could
    /// not be separated.
    ///
    /// >>> import pliant
    /// >>> world = pliant.World()
    /// >>> a = world.add(pliant.RigidBody.cuboid((1, 1, 1)))
    /// >>> b = world.add(pliant.RigidBody.cuboid((1, 1, 1)).at((0.7, 0.1, 0.2)))
    /// >>> world.separate(by="rigid")
    /// []
    /// >>> len(world.penetrations())
    /// 0
    #[pyo3(signature = (*, by="auto", gap=None))]
    fn separate(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::by)] by: &str,
        #[pyo3(from_py_with = arguments::gap)] gap: Option<f64>,
    ) -> PyResult<Vec<(BodyHandle, BodyHandle)>> {
        let manner = by.parse().map_err(|why| error::input(format!("by: {why}")))?;
        let settings = SeparateSettings { manner, gap, ..SeparateSettings::default() };
        let done = self.long(py, |world| world.separate(&settings))?;
        let handle = |body: usize| BodyHandle(done.bodies[body]);
        let left = done.separation.left.iter().map(|pair| pair.bodies.map(handle));
        Ok(left.map(|[a, b]| (a, b)).collect())
    }

    /// Works with this many threads, from 1 to 1024; the bits stay the same.
    fn set_threads(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::threads)] threads: usize,
    ) {
        self.lock(py).set_threads(threads);
    }

    /// Writes all that the next steps depend on, but for meshes and materials.
    fn save(&self, py: Python<'_>) -> PyResult<Vec<u8>> {
        self.long(py, |world| world.save())
    }

    /// Goes back to where `save` was called; on an error nothing changes.
    fn restore(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::saved)] saved: &[u8],
    ) -> PyResult<()> {
        self.long(py, |world| world.restore(saved))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let world = self.lock(py);
        let (bodies, obstacles) = (world.bodies().count(), world.obstacles().count());
        format!("<pliant.World at {:.4} s: {bodies} bodies, {obstacles} obstacles>", world.time())
    }
}
