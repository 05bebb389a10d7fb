//! Recordings: frames of a run as arrays.

use std::path::PathBuf;
use std::sync::Mutex;

use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pliant::record::row::SeriesRow;
use pliant_run::recording::Recording as Reader;
use pliant_run::run::series;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyDict;

use crate::arguments;
use crate::arrays;
use crate::error;

/// Where every vertex of a run was, frame by frame.
#[pyclass(frozen, module = "pliant")]
pub struct Recording {
    reader: Mutex<Reader>,
    times: Vec<f64>,
    steps: Vec<u64>,
}

#[pymethods]
impl Recording {
    #[new]
    fn new(
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::path)] path: PathBuf,
    ) -> PyResult<Recording> {
        let reader = py.detach(|| Reader::open(&path));
        let reader = reader.map_err(|why| error::recording_at(&path, why))?;
        let times = reader.frames().iter().map(|frame| frame.time).collect();
        let steps = reader.frames().iter().map(|frame| frame.step).collect();
        Ok(Recording { reader: Mutex::new(reader), times, steps })
    }

    fn __len__(&self) -> usize {
        self.times.len()
    }

    /// Times of the frames, s: float64.
    #[getter]
    fn times(&self, py: Python<'_>) -> Py<PyArray1<f64>> {
        arrays::column(py, self.times.clone())
    }

    /// Steps made before each frame: uint64.
    #[getter]
    fn steps(&self, py: Python<'_>) -> Py<PyArray1<u64>> {
        arrays::column(py, self.steps.clone())
    }

    /// Name of each body, and its first vertex and the one past its last.
    #[getter]
    fn bodies(&self, py: Python<'_>) -> Vec<(String, usize, usize)> {
        let reader = self.lock(py);
        let bodies = &reader.info().bodies;
        bodies.iter().map(|b| (b.name.clone(), b.vertices.start, b.vertices.end)).collect()
    }

    /// Triangles of a body that pictures show, counted within the body where they are its own.
    fn triangles(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::body)] body: usize,
    ) -> PyResult<Py<PyArray2<u32>>> {
        let reader = self.lock(py);
        let Some(body) = reader.info().bodies.get(body) else {
            return Err(error::input(format!("body {body} is not there")));
        };
        arrays::rows(py, body.triangles.clone())
    }

    /// Positions of all vertices in a frame, m: float32 of shape (n, 3); without a copy.
    fn frame(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::frame)] frame: usize,
    ) -> PyResult<Py<PyArray2<f32>>> {
        let read = py.detach(|| self.locked().read(frame)).map_err(error::recording)?;
        arrays::rows(py, read.positions)
    }

    /// The numbers of recorded fields in a frame, by name: float32, a row per vertex or tet.
    fn fields<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = arguments::frame)] frame: usize,
    ) -> PyResult<Bound<'py, PyDict>> {
        let read = py.detach(|| self.locked().read(frame)).map_err(error::recording)?;
        let reader = self.lock(py);
        let (recorded, vertices) = (&reader.info().recorded, reader.header().vertices);
        let found = PyDict::new(py);
        for field in &recorded.fields {
            let Some(range) = recorded.range(*field, vertices) else { continue };
            let Some(values) = read.values.get(range) else { continue };
            let rows = values.len() / field.components().max(1);
            let array = PyArray1::from_slice(py, values).reshape([rows, field.components()])?;
            found.set_item(field.name(), array)?;
        }
        Ok(found)
    }

    /// Positions of vertices `first` to `end` in frames `start`, `start + every`, … before `stop`.
    fn positions(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::vertices)] vertices: [usize; 2],
        #[pyo3(from_py_with = arguments::frames)] frames: [usize; 3],
    ) -> PyResult<Py<PyArray3<f32>>> {
        let [first, end] = vertices;
        let [start, stop, every] = frames;
        let chosen: Vec<usize> =
            (start..stop.min(self.times.len())).step_by(every.max(1)).collect();
        let mut all: Vec<[f32; 3]> = Vec::with_capacity(chosen.len() * end.saturating_sub(first));
        for frame in &chosen {
            let read = py.detach(|| self.locked().read(*frame)).map_err(error::recording)?;
            let own = read.positions.get(first..end).ok_or_else(|| {
                let count = read.positions.len();
                error::input(format!("vertices {first} to {end}: there are {count}"))
            })?;
            all.extend_from_slice(own);
            py.check_signals()?;
        }
        let shape = [chosen.len(), end - first, 3];
        Ok(PyArray1::from_vec(py, all.into_flattened()).reshape(shape)?.unbind())
    }
}

impl Recording {
    fn lock(&self, py: Python<'_>) -> std::sync::MutexGuard<'_, Reader> {
        self.reader.lock_py_attached(py).unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, Reader> {
        self.reader.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// The columns of `series.csv` by name: float64, a row per recorded step.
#[pyfunction]
pub fn read_series<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = arguments::path)] path: PathBuf,
) -> PyResult<Bound<'py, PyDict>> {
    let rows = py.detach(|| series::read(&path));
    let shown = path.display();
    let rows = rows.map_err(|why| error::recording_at(&path, format!("{shown}: {why}")))?;
    let found = PyDict::new(py);
    for (column, name) in SeriesRow::COLUMNS.iter().enumerate() {
        let values: Vec<f64> = rows.iter().map(|row| row[column]).collect();
        found.set_item(name, arrays::column(py, values))?;
    }
    Ok(found)
}
