//! Meshes that overlap, taken apart.

use std::sync::Arc;

use pliant::body::Mesh as Connectivity;
use pliant::separate::{
    Body, BodyChange, Mobility, Nesting, Overlap, Progress, SeparateSettings, Separation,
    Undeformed, separate_with,
};
use pliant::world::BodyMesh;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::arguments;
use crate::error;
use crate::mesh::{Mesh, MeshList};
use crate::progress::Signals;

/// Meshes after they were separated, and what was done to them.
///
/// `changes` has a dict for each mesh, with the words of `pliant separate --json`; `before` and
/// `left` have one for each pair that overlapped or was too near, and that still does.
#[pyclass(frozen, get_all, module = "pliant", name = "Separation")]
pub struct PySeparation {
    /// The same tets and triangles with other positions, in the order given.
    meshes: Py<PyList>,
    /// Whether no two overlap or are nearer than the gap.
    free: bool,
    /// Distance that was to be reached between any two, m.
    gap: f64,
    /// Pairs that overlapped or were too near.
    before: Py<PyList>,
    /// Pairs that still do.
    left: Py<PyList>,
    /// How each mesh was changed.
    changes: Py<PyList>,
    /// Iterations of the search.
    iterations: usize,
}

#[pymethods]
impl PySeparation {
    fn __repr__(&self, py: Python<'_>) -> String {
        let pairs = |list: &Py<PyList>| list.bind(py).len();
        let (before, left) = (pairs(&self.before), pairs(&self.left));
        format!("<pliant.Separation: {before} pairs overlapped, {left} are left>")
    }
}

/// Takes meshes that overlap apart: the same meshes with other positions, at least `gap` m apart.
///
/// `by` is `rigid` (moved and turned), `soft` (deformed with the least elastic energy) or `auto`
/// (rigid where a short way is enough); `gap` is a thousandth of the smallest mesh by default;
/// `fixed` are the numbers of meshes that stay; `nested` is `separate` or `keep`, for meshes that
/// are inside others on purpose. Pairs that could not be separated are in `left`. Ctrl-C stops it.
///
/// >>> import pliant
/// >>> low = pliant.box((1, 1, 1), (2, 2, 2))
/// >>> found = pliant.separate([low, low.moved((0.9, 0.1, 0.2))], by="rigid", gap=0.01)
/// >>> found
/// <pliant.Separation: 1 pairs overlapped, 0 are left>
/// >>> a, b = found.meshes
/// >>> len(pliant.penetrations([a, b])), found.free
/// (0, True)
#[pyfunction]
#[pyo3(signature = (meshes, *, by="auto", gap=None, fixed=None, nested="separate"))]
pub fn separate(
    py: Python<'_>,
    #[pyo3(from_py_with = arguments::meshes)] meshes: MeshList,
    #[pyo3(from_py_with = arguments::by)] by: &str,
    #[pyo3(from_py_with = arguments::gap)] gap: Option<f64>,
    #[pyo3(from_py_with = arguments::fixed)] fixed: Option<Vec<usize>>,
    #[pyo3(from_py_with = arguments::nested)] nested: &str,
) -> PyResult<PySeparation> {
    let given: Vec<&Mesh> = meshes.0.iter().map(|mesh| mesh.0.get()).collect();
    let fixed = fixed.unwrap_or_default();
    let manner = by.parse().map_err(|why| error::input(format!("by: {why}")))?;
    let nesting = match nested {
        "separate" => Nesting::Separate,
        "keep" => Nesting::Keep,
        _ => return Err(error::input(format!("nested: expected separate or keep, got {nested}"))),
    };
    if let Some(number) = fixed.iter().find(|number| **number >= given.len()) {
        let count = given.len();
        return Err(error::input(format!("fixed: there is no mesh {number}, {count} are given")));
    }
    let shapes: Vec<Arc<BodyMesh>> = given.iter().map(|mesh| mesh.shared.clone()).collect();
    let settings = SeparateSettings { gap, manner, nesting, ..SeparateSettings::default() };
    let mut signals = Signals::default();
    let done = py.detach(|| {
        let mut bodies = Vec::new();
        for (number, mesh) in shapes.iter().enumerate() {
            let connectivity = match &**mesh {
                BodyMesh::Tets(mesh) => Connectivity::Tets(mesh),
                BodyMesh::Surface(mesh) => Connectivity::Surface(mesh),
                _ => {
                    return Err(format!(
                        "mesh {number} has no inside: expected tets or a closed surface"
                    ));
                }
            };
            let is_fixed = fixed.contains(&number);
            let mobility = if is_fixed { Mobility::Fixed } else { Mobility::Free };
            bodies.push(Body { mobility, ..Body::new(connectivity, mesh.positions()) });
        }
        let mut look = |_: Progress| signals.look();
        separate_with(&bodies, &settings, &mut look).map_err(|error| error.to_string())
    });
    signals.raised()?;
    result(py, &given, done.map_err(error::mesh)?)
}

fn result(py: Python<'_>, given: &[&Mesh], done: Separation) -> PyResult<PySeparation> {
    let free = done.is_free();
    let meshes: PyResult<Vec<Mesh>> =
        given.iter().zip(done.positions).map(|(mesh, places)| mesh.placed(places)).collect();
    let pairs = |list: &[Overlap]| {
        let dicts: PyResult<Vec<_>> = list.iter().map(|pair| overlap(py, pair)).collect();
        Ok::<_, PyErr>(PyList::new(py, dicts?)?.unbind())
    };
    let changes: PyResult<Vec<_>> = done.changes.iter().map(|one| change(py, one)).collect();
    Ok(PySeparation {
        meshes: PyList::new(py, meshes?)?.unbind(),
        free,
        gap: done.gap,
        before: pairs(&done.before)?,
        left: pairs(&done.left)?,
        changes: PyList::new(py, changes?)?.unbind(),
        iterations: done.iterations,
    })
}

fn overlap<'py>(py: Python<'py>, pair: &Overlap) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("bodies", pair.bodies.to_vec())?;
    dict.set_item("kind", pair.kind.name())?;
    dict.set_item("vertices_inside", pair.vertices_inside)?;
    dict.set_item("depth", pair.depth)?;
    dict.set_item("distance", pair.distance)?;
    Ok(dict)
}

fn change<'py>(py: Python<'py>, change: &BodyChange) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let by = if change.largest_movement == 0.0 { "none" } else { change.manner.name() };
    dict.set_item("by", by)?;
    dict.set_item("largest_movement", change.largest_movement)?;
    dict.set_item("mean_movement", change.mean_movement)?;
    dict.set_item("translation", change.translation.to_array().to_vec())?;
    dict.set_item("rotation_degrees", change.rotation.to_degrees())?;
    dict.set_item("strain", change.strain)?;
    dict.set_item("volume_change", change.volume_change)?;
    dict.set_item("inverted_tets", change.inverted_tets)?;
    dict.set_item("undeformed", change.undeformed.map(Undeformed::name))?;
    Ok(dict)
}
