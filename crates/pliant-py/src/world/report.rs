//! What steps report: iterations, contacts and events.

use numpy::{PyArray1, PyArray2};
use pliant::integrate::StepReport;
use pliant::world as engine;
use pyo3::prelude::*;
use pyo3::types::PyList;

use super::handle::{self, BodyHandle};
use crate::arrays;

/// What one step or several took.
#[pyclass(frozen, get_all, module = "pliant", name = "StepReport")]
#[derive(Clone)]
pub struct Report {
    /// Steps that were made in place of one, of all steps.
    substeps: usize,
    /// Newton iterations.
    newton: usize,
    /// Iterations of the linear solver.
    linear: usize,
    /// What was left of the equations at most, relative to the start of the step.
    residual: f64,
    /// Outer iterations over the contacts of large bodies.
    outer: usize,
    /// Sweeps over the contacts of small bodies.
    sweeps: usize,
    /// Parts of steps whose contacts did not converge.
    unconverged: usize,
    /// Energy that sources put in, J, at least.
    energy_input: f64,
    /// Times that a step, or a part of it, was refused and halved.
    halvings: usize,
    /// Contacts.
    contacts: usize,
    /// Vertices inside bodies without a known way out.
    unresolved: usize,
}

impl Report {
    /// The engine's report.
    pub fn of(report: StepReport) -> Report {
        Report {
            substeps: report.substeps,
            newton: report.newton,
            linear: report.linear,
            residual: report.residual,
            outer: report.outer,
            sweeps: report.sweeps,
            unconverged: report.unconverged,
            energy_input: report.energy_input,
            halvings: report.halvings,
            contacts: report.contact.contacts,
            unresolved: report.contact.unresolved,
        }
    }
}

#[pymethods]
impl Report {
    fn __repr__(&self) -> String {
        let Report { substeps, linear, sweeps, unconverged, contacts, .. } = self;
        format!(
            "<pliant.StepReport: {substeps} substeps, {contacts} contacts, {linear} linear \
             iterations, {sweeps} sweeps, {unconverged} unconverged>"
        )
    }
}

/// Points at which bodies pressed on each other or on obstacles in the last step, as columns.
#[pyclass(frozen, get_all, module = "pliant")]
pub struct Contacts {
    /// Handle of the first body of each point.
    body: Py<PyList>,
    /// Handle of what it touches.
    other: Py<PyList>,
    /// Where, on the first body, m: float64 of shape (n, 3).
    point: Py<PyArray2<f64>>,
    /// Unit, from the other to the first: float64 of shape (n, 3).
    normal: Py<PyArray2<f64>>,
    /// Distance along the normal at the start of the step, m; negative when they overlap: float64.
    gap: Py<PyArray1<f64>>,
    /// Impulse on the first body, friction included, N·s: float64 of shape (n, 3).
    impulse: Py<PyArray2<f64>>,
}

impl Contacts {
    /// The engine's points.
    pub fn of(py: Python<'_>, points: &[engine::ContactPoint]) -> PyResult<Contacts> {
        let bodies = points.iter().map(|point| Py::new(py, BodyHandle(point.body)));
        let others = points.iter().map(|point| handle::collider(py, point.other));
        Ok(Contacts {
            body: PyList::new(py, bodies.collect::<PyResult<Vec<_>>>()?)?.unbind(),
            other: PyList::new(py, others.collect::<PyResult<Vec<_>>>()?)?.unbind(),
            point: arrays::rows(py, points.iter().map(|p| p.point.to_array()).collect())?,
            normal: arrays::rows(py, points.iter().map(|p| p.normal.to_array()).collect())?,
            gap: arrays::column(py, points.iter().map(|p| p.gap).collect()),
            impulse: arrays::rows(py, points.iter().map(|p| p.impulse.to_array()).collect())?,
        })
    }
}

#[pymethods]
impl Contacts {
    fn __len__(&self, py: Python<'_>) -> usize {
        self.body.bind(py).as_any().len().unwrap_or(0)
    }
}

/// Two things that began or ceased to touch in the last step.
#[pyclass(frozen, get_all, module = "pliant", name = "ContactEvent")]
pub struct Event {
    /// `began` or `ended`.
    kind: &'static str,
    /// Handle of the first body.
    body: Py<BodyHandle>,
    /// Handle of what it touches.
    other: Py<PyAny>,
    /// Impulse on the first body in the step, N·s; zero when they part.
    impulse: Py<PyArray1<f64>>,
}

impl Event {
    /// The engine's event.
    pub fn of(py: Python<'_>, event: &engine::ContactEvent) -> PyResult<Event> {
        let kind = match event.kind {
            engine::ContactEventKind::Began => "began",
            engine::ContactEventKind::Ended => "ended",
        };
        Ok(Event {
            kind,
            body: Py::new(py, BodyHandle(event.body))?,
            other: handle::collider(py, event.other)?,
            impulse: arrays::vector(py, event.impulse),
        })
    }
}
