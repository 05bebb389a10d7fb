//! Arrays in and out: whatever NumPy makes an array of comes in, checked and named in errors.
//!
//! Results are handed over as they are, without a copy: NumPy owns the memory then.

use numpy::{
    Element, PyArray1, PyArray2, PyArrayDescrMethods, PyArrayMethods, PyUntypedArray,
    PyUntypedArrayMethods,
};
use pliant::id::VertexId;
use pliant::math::{Quat, Vec2, Vec3};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments::{Argument, shown};
use crate::error;

/// Kinds of dtype that hold real numbers: floats, integers, unsigned integers.
const REAL: &[u8] = b"fiu";

/// Kinds of dtype that hold whole numbers.
const WHOLE: &[u8] = b"iu";

/// Widest float that is taken: long doubles would lose digits.
const WIDEST: usize = 8;

/// An array of one kind of number, and what it must look like.
#[derive(Clone, Copy)]
struct Expected {
    kinds: &'static [u8],
    dtype: &'static str,
    width: usize,
}

/// Anything as an array of `width` columns in C order, or an error that names what was expected.
fn table<'py, T: Element>(
    given: &Bound<'py, PyAny>,
    name: &str,
    expected: Expected,
) -> PyResult<Bound<'py, PyArray2<T>>> {
    let Expected { kinds, dtype, width } = expected;
    let py = given.py();
    let numpy = py.import("numpy")?;
    let wanted = format!("{name}: expected an array of {dtype} of shape (n, {width})");
    let array = numpy.call_method1("asarray", (given,)).map_err(|cause| {
        let refused = error::input(format!("{wanted}, got {}", described(given)));
        refused.set_cause(py, Some(cause));
        refused
    })?;
    let array = array.cast_into::<PyUntypedArray>().map_err(PyErr::from)?;
    let (shape, found) = (array.shape().to_vec(), array.dtype());
    let is_empty = shape.first() == Some(&0) && shape.len() == 1;
    if (shape.len() != 2 || shape[1] != width) && !is_empty {
        let is_turned = shape.len() == 2 && shape[0] == width;
        let hint = if is_turned { ": transpose it" } else { "" };
        let shape = shaped(&shape);
        return Err(error::input(format!("{wanted}, got shape {shape}{hint}")));
    }
    let is_wide = found.kind() == b'f' && found.itemsize() > WIDEST;
    if (!kinds.contains(&found.kind()) || is_wide) && !is_empty {
        return Err(error::input(format!("{wanted}, got dtype {found}")));
    }
    let options = PyDict::new(py);
    options.set_item("dtype", dtype)?;
    options.set_item("order", "C")?;
    let array = numpy.call_method("asarray", (array,), Some(&options))?;
    let array = array.call_method1("reshape", ((-1, width),))?;
    array.cast_into::<PyArray2<T>>().map_err(PyErr::from)
}

/// A shape as Python writes it.
fn shaped(shape: &[usize]) -> String {
    match shape {
        [only] => format!("({only},)"),
        _ => {
            let parts: Vec<String> = shape.iter().map(ToString::to_string).collect();
            format!("({})", parts.join(", "))
        }
    }
}

/// The type of what was given.
pub fn described(given: &Bound<'_, PyAny>) -> String {
    given.get_type().name().map_or_else(|_| "something else".to_owned(), |name| name.to_string())
}

/// Rows of three numbers, which may be anything.
pub fn rows_of_three(given: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<Vec3>> {
    let array = table::<f64>(given, name, Expected { kinds: REAL, dtype: "float64", width: 3 })?;
    let array = array.readonly();
    let rows = array.as_slice()?.as_chunks::<3>().0;
    Ok(rows.iter().map(|row| Vec3::from(*row)).collect())
}

/// Rows of three finite numbers, m.
pub fn positions(given: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<Vec3>> {
    let read = rows_of_three(given, name)?;
    match read.iter().position(|point| !point.is_finite()) {
        None => Ok(read),
        Some(row) => {
            let [x, y, z] = read[row].to_array();
            Err(error::input(format!(
                "{name}: row {row} is [{x}, {y}, {z}], expected finite numbers"
            )))
        }
    }
}

/// Rows of two finite numbers.
pub fn points_in_plane(given: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<Vec2>> {
    let array = table::<f64>(given, name, Expected { kinds: REAL, dtype: "float64", width: 2 })?;
    let array = array.readonly();
    let rows = array.as_slice()?.as_chunks::<2>().0;
    let read: Vec<Vec2> = rows.iter().map(|row| Vec2::from(*row)).collect();
    match read.iter().position(|point| !point.is_finite()) {
        None => Ok(read),
        Some(row) => {
            let [x, y] = read[row].to_array();
            Err(error::input(format!("{name}: row {row} is [{x}, {y}], expected finite numbers")))
        }
    }
}

/// Rows of indices below `count`.
pub fn corners<const N: usize>(
    given: &Bound<'_, PyAny>,
    name: &str,
    count: usize,
) -> PyResult<Vec<[VertexId; N]>> {
    let array = table::<i64>(given, name, Expected { kinds: WHOLE, dtype: "int64", width: N })?;
    let array = array.readonly();
    let rows = array.as_slice()?.as_chunks::<N>().0;
    let mut read = Vec::with_capacity(rows.len());
    for (row, corners) in rows.iter().enumerate() {
        let mut own = [VertexId(0); N];
        for (vertex, &index) in own.iter_mut().zip(corners) {
            *vertex = vertex_of(index, count).ok_or_else(|| {
                error::input(format!(
                    "{name}: row {row} names vertex {index}, expected 0 to {}",
                    count as i64 - 1
                ))
            })?;
        }
        read.push(own);
    }
    Ok(read)
}

/// Whole numbers below `count`, as a list or an array of one dimension.
pub fn vertices(given: &Bound<'_, PyAny>, name: &str, count: usize) -> PyResult<Vec<VertexId>> {
    let numbers: Vec<i64> = given.extract().map_err(|_| {
        error::input(format!("{name}: expected whole numbers, got {}", described(given)))
    })?;
    let vertex = |index: &i64| {
        vertex_of(*index, count).ok_or_else(|| {
            let most = count as i64 - 1;
            error::input(format!("{name}: vertex {index} is not there, expected 0 to {most}"))
        })
    };
    numbers.iter().map(vertex).collect()
}

fn vertex_of(index: i64, count: usize) -> Option<VertexId> {
    let index = u32::try_from(index).ok()?;
    ((index as usize) < count).then_some(VertexId(index))
}

/// One number per entry, as region numbers are.
pub fn numbers(given: &Bound<'_, PyAny>, name: &str, count: usize) -> PyResult<Vec<u32>> {
    let read: Vec<u32> = given.extract().map_err(|_| {
        let got = described(given);
        error::input(format!("{name}: expected {count} whole numbers from 0 on, got {got}"))
    })?;
    match read.len() == count {
        true => Ok(read),
        false => {
            let got = read.len();
            Err(error::input(format!("{name}: expected one for each of {count} tets, got {got}")))
        }
    }
}

/// Three numbers: a tuple, a list or an array.
#[derive(Clone, Copy)]
pub struct Vector(pub Vec3);

impl Argument<'_> for Vector {
    fn read(given: &Bound<'_, PyAny>, name: &str) -> PyResult<Vector> {
        let numbers = few(given, name, "three numbers")?;
        Ok(Vector(Vec3::from(numbers)))
    }
}

/// Four numbers, a quaternion x, y, z, w.
#[derive(Clone, Copy)]
pub struct Rotation(pub Quat);

impl Argument<'_> for Rotation {
    fn read(given: &Bound<'_, PyAny>, name: &str) -> PyResult<Rotation> {
        let numbers = few(given, name, "a quaternion of four numbers x, y, z, w")?;
        Ok(Rotation(Quat::from_array(numbers)))
    }
}

/// So many numbers, none of them NaN.
fn few<const N: usize>(given: &Bound<'_, PyAny>, name: &str, expected: &str) -> PyResult<[f64; N]> {
    let numbers: Result<[f64; N], _> = given.extract();
    let message = || format!("{name}: expected {expected}, got {}", shown(given));
    match numbers {
        Ok(numbers) if numbers.iter().any(|number| number.is_nan()) => Err(error::input(message())),
        Ok(numbers) => Ok(numbers),
        Err(_) => Err(error::input_type(message())),
    }
}

/// A column, without a copy.
pub fn column<T: Element>(py: Python<'_>, values: Vec<T>) -> Py<PyArray1<T>> {
    PyArray1::from_vec(py, values).unbind()
}

/// Rows of `N` numbers, without a copy.
pub fn rows<T: Element, const N: usize>(
    py: Python<'_>,
    values: Vec<[T; N]>,
) -> PyResult<Py<PyArray2<T>>> {
    let count = values.len();
    Ok(PyArray1::from_vec(py, values.into_flattened()).reshape([count, N])?.unbind())
}

/// Vectors as rows of three numbers.
pub fn vectors(py: Python<'_>, values: &[Vec3]) -> PyResult<Py<PyArray2<f64>>> {
    rows(py, values.iter().map(Vec3::to_array).collect())
}

/// Corners as rows of indices.
pub fn indices<const N: usize>(
    py: Python<'_>,
    values: &[[VertexId; N]],
) -> PyResult<Py<PyArray2<u32>>> {
    rows(py, values.iter().map(|corners| corners.map(|v| v.0)).collect())
}

/// One vector as an array of three numbers.
pub fn vector(py: Python<'_>, value: Vec3) -> Py<PyArray1<f64>> {
    PyArray1::from_slice(py, &value.to_array()).unbind()
}

/// The same array, which nobody may write to.
pub fn frozen<T: Element>(py: Python<'_>, array: &Py<PyArray2<T>>) -> PyResult<()> {
    array.bind(py).try_readwrite().map_err(PyErr::from)?.make_nonwriteable();
    Ok(())
}
