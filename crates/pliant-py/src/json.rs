//! Reports as Python objects: what `--json` prints, read by Python's own reader.

use pyo3::prelude::*;
use serde::Serialize;

use crate::error;

/// A report as dictionaries, lists and numbers.
pub fn object<'py, T: Serialize>(py: Python<'py>, report: &T) -> PyResult<Bound<'py, PyAny>> {
    let text = serde_json::to_string(report).map_err(error::input)?;
    py.import("json")?.call_method1("loads", (text,))
}
