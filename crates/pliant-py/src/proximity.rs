//! Proximity of outlines in the plane.

use std::path::PathBuf;

use pliant::math::Vec2;
use pliant_run::proximity::rings::{RingSettings, proximity_of_rings};
use pliant_run::proximity::{Request, proximity as proximity_of_files};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::arguments;
use crate::arrays;
use crate::error;
use crate::json;

/// An outline: a file, or rings of points.
enum Outline {
    File(PathBuf),
    Rings(Vec<Vec<Vec2>>),
}

impl Outline {
    fn read(given: &Bound<'_, PyAny>, name: &str) -> PyResult<Outline> {
        if let Ok(path) = given.extract::<PathBuf>() {
            return Ok(Outline::File(path));
        }
        if !(given.is_instance_of::<PyList>() || given.is_instance_of::<PyTuple>()) {
            return Ok(Outline::Rings(vec![arrays::points_in_plane(given, name)?]));
        }
        // A list of points is a ring, a list of rings an outline.
        let is_ring = |ring: &Bound<'_, PyAny>| ring.extract::<[f64; 2]>().is_ok();
        let parts = given.try_iter()?.collect::<PyResult<Vec<_>>>()?;
        if parts.first().is_none_or(is_ring) {
            return Ok(Outline::Rings(vec![arrays::points_in_plane(given, name)?]));
        }
        let ring = |(index, ring): (usize, &Bound<'_, PyAny>)| {
            arrays::points_in_plane(ring, &format!("{name}[{index}]"))
        };
        Ok(Outline::Rings(parts.iter().enumerate().map(ring).collect::<PyResult<_>>()?))
    }
}

/// How near two outlines are: distance, depth, contacts and overlap within an error bound.
///
/// Each is a file (GeoJSON, SVG or WKT, `FILE#name` for a feature), or closed rings of points:
/// float64 of shape (n, 2), or a list of such arrays, holes the other way round. Returns what
/// `pliant proximity --json` prints.
///
/// >>> import pliant
/// >>> square = [(0, 0), (1, 0), (1, 1), (0, 1)]
/// >>> found = pliant.proximity(square, [(x + 1.5, y) for x, y in square])
/// >>> found["intersects"], found["separation"]["distance"]
/// (False, 0.5)
#[pyfunction]
#[pyo3(signature = (a, b, *, error=None, contact_distance=None, backend="exact"))]
pub fn proximity<'py>(
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = arguments::error)] error: Option<f64>,
    #[pyo3(from_py_with = arguments::contact_distance)] contact_distance: Option<f64>,
    #[pyo3(from_py_with = arguments::backend)] backend: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let py = a.py();
    let backend = backend.parse().map_err(|why| error::input(format!("backend: {why}")))?;
    let report = match (Outline::read(a, "a")?, Outline::read(b, "b")?) {
        (Outline::Rings(a), Outline::Rings(b)) => {
            let settings = RingSettings { error, contact_distance, backend };
            py.detach(move || proximity_of_rings(&a, &b, settings)).map_err(error::outline)
        }
        (Outline::File(a), Outline::File(b)) => {
            let request = Request { a, b, error, contact_distance, thickness: None, backend };
            py.detach(|| proximity_of_files(&request).map(|found| found.report))
                .map_err(|why| error::outlines_at(&[&request.a, &request.b], why))
        }
        _ => return Err(error::input("a and b: expected two files, or two outlines of points")),
    };
    json::object(py, &report?)
}
