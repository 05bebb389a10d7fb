//! Scenes: TOML in, a world or a run out.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use pliant_io::files::{Disk, Folder};
use pliant_run::compare::{CompareSettings, Variants, compare as compare_runs};
use pliant_run::run::folder::read_summary;
use pliant_run::run::marker::Origin;
use pliant_run::run::{IfExists, RunSettings, run as run_scene};
use pliant_run::scene::{absolute, load};
use pliant_scene::diagnostic::Sources;
use pliant_scene::loaded::{LoadedScene, RunInfo};
use pliant_scene::{SceneError, builtin};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping};

use crate::arguments::{self, Argument, Callback};
use crate::arrays::described;
use crate::error;
use crate::json;
use crate::progress::Watched;
use crate::world::World;
use crate::world::handle::BodyHandle;
use pliant_pages::{player, report};

/// Where a scene comes from.
enum Source {
    /// A file, or the name of a built-in scene.
    Named(PathBuf),
    /// TOML; mesh files count from the folder.
    Text { text: String, folder: PathBuf },
}

impl Source {
    fn load(&self, sets: &[String]) -> Result<LoadedScene, SceneError> {
        match self {
            Source::Named(path) => load(path, sets),
            Source::Text { text, folder } => {
                let (name, text) = ("scene".to_owned(), text.clone());
                let sources = Sources { name, text, sets: sets.to_vec() };
                pliant_scene::load(&sources, "scene", Folder { path: folder, files: &Disk })
            }
        }
    }

    fn origin(&self, sets: &[String]) -> Origin {
        let source = match self {
            Source::Named(path) => absolute(path).to_string_lossy().into_owned(),
            Source::Text { .. } => String::new(),
        };
        Origin { source, sets: sets.to_vec() }
    }
}

/// What was set: a dictionary, or a list of `name=value`.
pub fn sets(given: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<String>> {
    let Some(given) = given else { return Ok(Vec::new()) };
    let Ok(pairs) = given.cast::<PyMapping>() else {
        return given.extract().map_err(|_| {
            let got = described(given);
            let expected = "a dictionary, or a list of texts name=value";
            error::input_type(format!("set: expected {expected}, got {got}"))
        });
    };
    let mut texts = Vec::new();
    for pair in pairs.items()?.iter() {
        let (name, value) = pair.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()?;
        let name = <&str>::read(&name, "set")?;
        texts.push(format!("{name}={}", word(&value, &format!("set[{name:?}]"))?));
    }
    Ok(texts)
}

/// A value as `--set` takes it, by the name of its argument.
pub fn word(value: &Bound<'_, PyAny>, name: &str) -> PyResult<String> {
    match value.extract::<String>() {
        Ok(text) => Ok(text),
        Err(_) => {
            let value = match value.hasattr("tolist")? {
                true => value.call_method0("tolist")?,
                false => value.clone(),
            };
            let text = value.py().import("json")?.call_method1("dumps", (&value,));
            text.and_then(|text| text.extract()).map_err(|_| {
                let got = described(&value);
                error::input_type(format!("{name}: expected a number, a text or a list, got {got}"))
            })
        }
    }
}

/// A scene: a file, the name of a built-in one, or TOML by `from_text`.
///
/// It is loaded at once; what is wrong is a `SceneError` that shows the lines. `set` is a
/// dictionary of parameters that the scene declares, or paths of it.
///
/// >>> import pliant
/// >>> scene = pliant.Scene("two-cubes", set={"overlap": 0.5, "duration": 0.5})
/// >>> scene.name, scene.steps, [body["name"] for body in scene.bodies]
/// ('two-cubes', 30, ['left', 'right'])
/// >>> world, bodies = scene.world()
/// >>> _ = world.step(10)
/// >>> sorted(bodies)
/// ['left', 'right']
#[pyclass(frozen, module = "pliant")]
pub struct Scene {
    source: Source,
    sets: Vec<String>,
    info: RunInfo,
    resolved: String,
    notices: Vec<String>,
    warnings: Vec<String>,
    /// As it was loaded first; steps change a world, so that it serves once.
    loaded: Mutex<Option<LoadedScene>>,
}

impl Scene {
    fn made(py: Python<'_>, source: Source, sets: Vec<String>) -> PyResult<Scene> {
        let loaded = py.detach(|| source.load(&sets)).map_err(|why| match &source {
            Source::Named(path) => error::scene_at(path, why),
            Source::Text { .. } => error::scene(why),
        })?;
        Ok(Scene {
            source,
            sets,
            info: loaded.info.clone(),
            resolved: loaded.resolved.clone(),
            notices: loaded.notices.clone(),
            warnings: loaded.warnings.clone(),
            loaded: Mutex::new(Some(loaded)),
        })
    }

    /// A scene as loaded, which nobody has stepped.
    fn fresh(&self) -> Result<LoadedScene, SceneError> {
        let kept = self.loaded.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
        kept.map_or_else(|| self.source.load(&self.sets), Ok)
    }
}

#[pymethods]
impl Scene {
    #[new]
    #[pyo3(signature = (source, *, set=None))]
    fn new(
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::source)] source: PathBuf,
        set: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Scene> {
        Scene::made(py, Source::Named(source), sets(set)?)
    }

    /// A scene from TOML; its mesh files count from `folder`, the current one by default.
    #[staticmethod]
    #[pyo3(signature = (text, *, folder=PathBuf::new(), set=None))]
    fn from_text(
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::text)] text: String,
        #[pyo3(from_py_with = arguments::folder)] folder: PathBuf,
        set: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Scene> {
        Scene::made(py, Source::Text { text, folder }, sets(set)?)
    }

    /// Name of the scene.
    #[getter]
    fn name(&self) -> &str {
        &self.info.scene
    }

    /// Description by its author.
    #[getter]
    fn description(&self) -> &str {
        &self.info.description
    }

    /// Time step, s.
    #[getter]
    fn dt(&self) -> f64 {
        self.info.dt
    }

    /// Steps in all.
    #[getter]
    fn steps(&self) -> u64 {
        self.info.steps
    }

    /// Name, kind, vertices and tets of each body.
    #[getter]
    fn bodies<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let body = |body: &pliant_scene::loaded::BodyInfo| {
            let found = PyDict::new(py);
            found.set_item("name", &body.name)?;
            found.set_item("kind", &body.kind)?;
            found.set_item("vertices", body.vertices.len())?;
            found.set_item("tets", body.tets)?;
            Ok(found)
        };
        self.info.bodies.iter().map(body).collect()
    }

    /// The scene as resolved, TOML: parameters evaluated, defaults written out.
    #[getter]
    fn resolved(&self) -> &str {
        &self.resolved
    }

    /// Remarks on the input, one sentence each.
    #[getter]
    fn notices(&self) -> Vec<String> {
        self.notices.clone()
    }

    /// Responses that were dropped because the integrator cannot solve them.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    /// A world of it, and the handles of its bodies by name.
    fn world(&self, py: Python<'_>) -> PyResult<(World, Py<PyDict>)> {
        let loaded = py.detach(|| self.fresh()).map_err(error::scene)?;
        let handles = PyDict::new(py);
        for (body, handle) in self.info.bodies.iter().zip(loaded.world.bodies()) {
            handles.set_item(&body.name, BodyHandle(handle))?;
        }
        Ok((World::of(loaded.world), handles.unbind()))
    }

    /// Runs it into a folder and returns the summary; see the function `run`.
    #[pyo3(signature = (out, *, threads=1, existing="refuse", progress=None))]
    fn run_into<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = arguments::out)] out: PathBuf,
        #[pyo3(from_py_with = arguments::threads)] threads: usize,
        #[pyo3(from_py_with = arguments::existing)] existing: &str,
        #[pyo3(from_py_with = arguments::progress)] progress: Option<Callback>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let existing = if_exists(existing)?;
        let origin = self.source.origin(&self.sets);
        let settings = RunSettings { threads, existing, report: Some(report), origin };
        let mut watched = Watched::new(progress);
        let loaded = py.detach(|| self.fresh()).map_err(error::scene)?;
        let done = py.detach(|| run_scene(loaded, &out, settings, &mut watched));
        watched.raised()?;
        match done {
            Ok(summary) => json::object(py, &summary),
            Err(why) => Err(error::run(in_python(&failed(&why, &out)))),
        }
    }

    fn __repr__(&self) -> String {
        let RunInfo { scene, steps, dt, bodies, .. } = &self.info;
        format!("<pliant.Scene {scene:?}: {} bodies, {steps} steps of {dt} s>", bodies.len())
    }
}

/// The message of a run that failed, with where its results are.
fn failed(why: &pliant_run::run::RunError, folder: &Path) -> String {
    match why.is_input() || !matches!(read_summary(folder), Ok(Some(_))) {
        true => why.to_string(),
        false => format!("{why}; partial results in {}", folder.display()),
    }
}

/// A message whose options of the program are arguments of functions.
fn in_python(message: &str) -> String {
    let words = [
        ("--resume", "existing=\"resume\""),
        ("`pliant run` with --force", "existing=\"replace\""),
        ("--force", "existing=\"replace\""),
        ("with --out uses", "another out uses"),
        ("--out", "out"),
    ];
    words.iter().fold(message.to_owned(), |text, (option, argument)| text.replace(option, argument))
}

/// What to do with a folder that is there.
fn if_exists(word: &str) -> PyResult<IfExists> {
    match word {
        "refuse" => Ok(IfExists::Refuse),
        "resume" => Ok(IfExists::Resume),
        "replace" => Ok(IfExists::Replace),
        _ => Err(error::input(format!(
            "existing: {word:?} is unknown, expected refuse, resume, replace"
        ))),
    }
}

/// Names of the scenes that come with the package.
#[pyfunction]
pub fn scenes() -> Vec<&'static str> {
    builtin::ALL.iter().map(|scene| scene.name).collect()
}

/// Runs a scene once per value, each into a folder of its own, and writes one report of all.
#[pyfunction]
#[pyo3(signature = (source, key, values, out, *, set=None, threads=1, existing="refuse", progress=None))]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub fn compare_into<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = arguments::source)] source: PathBuf,
    #[pyo3(from_py_with = arguments::key)] key: String,
    #[pyo3(from_py_with = arguments::values)] values: Vec<Py<PyAny>>,
    #[pyo3(from_py_with = arguments::out)] out: PathBuf,
    set: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = arguments::threads)] threads: usize,
    #[pyo3(from_py_with = arguments::existing)] existing: &str,
    #[pyo3(from_py_with = arguments::progress)] progress: Option<Callback>,
) -> PyResult<Vec<(String, Bound<'py, PyAny>)>> {
    let name = format!("vary[{key:?}]");
    let values =
        values.iter().map(|value| word(value.bind(py), &name)).collect::<PyResult<Vec<_>>>()?;
    let (variants, sets, existing) = (Variants { key, values }, sets(set)?, if_exists(existing)?);
    let run = RunSettings { threads, existing, report: Some(report), ..RunSettings::default() };
    let settings = CompareSettings { run, player: player() };
    let mut watched = Watched::new(progress);
    let done = py.detach(|| compare_runs(&source, &sets, &variants, &out, &settings, &mut watched));
    watched.raised()?;
    let done = done.map_err(|why| error::run(in_python(&why.to_string())))?;
    done.iter().map(|(value, summary)| Ok((value.clone(), json::object(py, summary)?))).collect()
}
