//! Sweeps: one scene over a grid of settings.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use pliant_run::compare::Variants;
use pliant_run::sweep::{
    IfSwept, Plan as SweepPlan, RunEnd, Sweep as Table, SweepError, SweepSettings,
    sweep as sweep_runs,
};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyDict;

use crate::arguments::{self, Argument, Callback};
use crate::error;
use crate::json;
use crate::progress::PAUSE;
use crate::scene;

/// The error of a sweep: a scene that is none, or the rest.
fn refused(why: SweepError) -> PyErr {
    match why {
        SweepError::Scene(why) => error::scene(why),
        why => {
            error::sweep(why.to_string().replace("--resume", "resume=True").replace("--out", "out"))
        }
    }
}

/// What a sweep is of: every combination of values is a run.
#[pyclass(frozen, module = "pliant")]
pub struct Plan {
    inner: SweepPlan,
}

#[pymethods]
impl Plan {
    #[new]
    #[pyo3(signature = (scene, vary, *, seeds=None, set=None))]
    fn new(
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::scene)] scene: PathBuf,
        #[pyo3(from_py_with = arguments::vary)] vary: Py<PyDict>,
        #[pyo3(from_py_with = arguments::seeds)] seeds: Option<u32>,
        set: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Plan> {
        let mut variants = Vec::new();
        for (key, values) in vary.bind(py).iter() {
            let key = String::read(&key, "vary")?;
            let name = format!("vary[{key:?}]");
            let values = Vec::<Py<PyAny>>::read(&values, &name)?;
            let values = values.iter().map(|value| scene::word(value.bind(py), &name));
            let values = values.collect::<PyResult<_>>()?;
            variants.push(Variants { key, values });
        }
        let inner = SweepPlan::new(&scene, &scene::sets(set)?, &variants, seeds);
        Ok(Plan { inner: inner.map_err(refused)? })
    }

    fn __len__(&self) -> usize {
        self.inner.runs()
    }
}

/// Makes all runs of a plan, each in a process of `program`; returns how it ended.
///
/// Ctrl-C lets the runs at hand end and begins no other.
#[pyfunction]
#[pyo3(signature = (plan, out, program, *, jobs=1, threads=1, existing="refuse", progress=None))]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub fn sweep_processes<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = arguments::plan)] plan: &Plan,
    #[pyo3(from_py_with = arguments::out)] out: PathBuf,
    #[pyo3(from_py_with = arguments::program)] program: Vec<OsString>,
    #[pyo3(from_py_with = arguments::jobs)] jobs: usize,
    #[pyo3(from_py_with = arguments::threads)] threads: usize,
    #[pyo3(from_py_with = arguments::existing)] existing: &str,
    #[pyo3(from_py_with = arguments::progress)] progress: Option<Callback>,
) -> PyResult<Bound<'py, PyAny>> {
    let settings = SweepSettings { jobs, threads, existing: if_swept(existing)? };
    let (ended, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let runs = plan.inner.runs();
    let mut raised = None;
    let done = py.detach(|| {
        std::thread::scope(|scope| {
            let on_run = |done: usize| {
                ended.store(done, Ordering::Relaxed);
                stop.load(Ordering::Relaxed)
            };
            // Signals are for the thread that called: runs are made by another.
            let plan = &plan.inner;
            let (out, program) = (&out, &program);
            let work = scope.spawn(move || sweep_runs(plan, out, program, settings, &on_run));
            while !work.is_finished() {
                std::thread::sleep(PAUSE);
                let looked = Python::attach(|py| {
                    if let Some(progress) = &progress {
                        progress.0.call1(py, (ended.load(Ordering::Relaxed), runs, ""))?;
                    }
                    py.check_signals()
                });
                if let Err(error) = looked {
                    stop.store(true, Ordering::Relaxed);
                    raised = Some(error);
                }
            }
            work.join()
        })
    });
    if let Some(error) = raised {
        return Err(error);
    }
    match done {
        Ok(swept) => json::object(py, &swept.map_err(refused)?),
        Err(_) => Err(error::sweep("the sweep ended by a panic; please report it")),
    }
}

/// What to do with the folder of a sweep that is there.
fn if_swept(word: &str) -> PyResult<IfSwept> {
    match word {
        "refuse" => Ok(IfSwept::Refuse),
        "resume" => Ok(IfSwept::Resume),
        _ => Err(error::input(format!("existing: {word:?} is unknown, expected refuse, resume"))),
    }
}

/// A sweep in its folder, whose runs are made elsewhere.
#[pyclass(frozen, module = "pliant")]
pub struct Sweep {
    inner: Mutex<Table>,
}

#[pymethods]
impl Sweep {
    #[new]
    #[pyo3(signature = (plan, out, *, existing="refuse"))]
    fn new(
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::plan)] plan: &Plan,
        #[pyo3(from_py_with = arguments::out)] out: PathBuf,
        #[pyo3(from_py_with = arguments::existing)] existing: &str,
    ) -> PyResult<Sweep> {
        let existing = if_swept(existing)?;
        let begun = py.detach(|| Table::begin(plan.inner.clone(), &out, existing));
        Ok(Sweep { inner: Mutex::new(begun.map_err(refused)?) })
    }

    /// Numbers of the runs that are not finished.
    fn open_runs(&self, py: Python<'_>) -> Vec<usize> {
        self.lock(py).open_runs()
    }

    /// Folder, scene and settings of a run.
    fn job<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = arguments::run)] run: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let job = self.lock(py).job(run);
        job.map_or_else(
            || Err(error::input(format!("run {run} is not there"))),
            |job| json::object(py, &job),
        )
    }

    /// Takes in how a run ended, `ended`, `refused` or `crashed`, and writes the table.
    #[pyo3(signature = (run, end, message=""))]
    fn end_run(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::run)] run: usize,
        #[pyo3(from_py_with = arguments::end)] end: &str,
        #[pyo3(from_py_with = arguments::message)] message: &str,
    ) -> PyResult<()> {
        let end = match end {
            "ended" => RunEnd::Ended,
            "refused" => RunEnd::Refused(message.to_owned()),
            _ => RunEnd::Crashed(message.to_owned()),
        };
        self.lock(py).end_run(run, end).map_err(refused)
    }

    /// How far it is: table, runs, finished, failed, left.
    fn swept<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let swept = self.lock(py).swept();
        json::object(py, &swept)
    }
}

impl Sweep {
    fn lock(&self, py: Python<'_>) -> std::sync::MutexGuard<'_, Table> {
        self.inner.lock_py_attached(py).unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}
