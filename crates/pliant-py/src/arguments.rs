//! Arguments of calls, read by name: an error gives the name and what was expected.
//!
//! PyO3's own messages are plain `TypeError`s and `OverflowError`s outside of the exceptions of the
//! package. Every argument is therefore read by a function of its name from this module:
//!
//! ```text
//! #[pyo3(from_py_with = arguments::radius)] radius: f64
//! ```

use std::ffi::OsString;
use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};

use crate::arrays::described;
use crate::error;
use crate::sweep::Plan;
use crate::world::SurfaceHit;
use crate::world::bodies::Material;
use crate::world::handle::{BodyHandle, GrabHandle, JointHandle, ObstacleHandle};

/// Threads at most, as in the engine.
const MOST_THREADS: usize = 1024;

/// Bytes of what is shown of an argument in a message, at most.
const MOST_SHOWN: usize = 60;

/// What can be read from an argument.
pub trait Argument<'a>: Sized {
    /// The value, or an error that begins with the name.
    fn read(given: &'a Bound<'_, PyAny>, name: &str) -> PyResult<Self>;
}

/// Declares the reader of each argument.
macro_rules! names {
    ($($name:ident)*) => {
        $(
            #[doc = concat!("Reads the argument `", stringify!($name), "`.")]
            pub fn $name<'a, T: Argument<'a>>(given: &'a Bound<'_, PyAny>) -> PyResult<T> {
                T::read(given, stringify!($name))
            }
        )*
    };
}

names! {
    a after along anchor arms around axis b backend bend body by calls cells cells_across
    cells_along contact_distance count damping density direction dt end error existing exponent
    first fixed folder folders force frame frames friction gap grab gravity group handle height
    hit impulse inner_radius joint key layers least length mass material max_distance mesh meshes
    message method most most_bytes name nested normal normals obstacle of only origin other out
    outer_radius path plan point poisson position program progress quiet radius restitution
    ring_radius rings rotation run saved scale scene scope second shear size source speed spin
    stiffness substeps surface text thickness through time_step tips tolerance tube_radius values
    vary velocity velocity_tolerance vertices width young
}

/// Reads the argument `threads`, from 1 to 1024.
pub fn threads<'a, T: Argument<'a>>(given: &'a Bound<'_, PyAny>) -> PyResult<T> {
    between(given, "threads", (1, MOST_THREADS))
}

/// Declares the reader of each argument that is a whole number from 1 on.
macro_rules! from_one {
    ($($name:ident)*) => {
        $(
            #[doc = concat!("Reads the argument `", stringify!($name), "`, from 1 on.")]
            pub fn $name<'a, T: Argument<'a>>(given: &'a Bound<'_, PyAny>) -> PyResult<T> {
                between(given, stringify!($name), (1, usize::MAX))
            }
        )*
    };
}

from_one! { iterations jobs rigid_sweeps seeds sweeps }

/// A whole number of a range, or `None` where that is read too.
fn between<'a, T: Argument<'a>>(
    given: &'a Bound<'_, PyAny>,
    name: &str,
    (least, most): (usize, usize),
) -> PyResult<T> {
    let number = Option::<usize>::read(given, name)?;
    match number.is_none_or(|number| (least..=most).contains(&number)) {
        true => T::read(given, name),
        false => {
            let range = match most {
                usize::MAX => format!("from {least} on"),
                _ => format!("from {least} to {most}"),
            };
            let got = shown(given);
            Err(error::input(format!("{name}: expected a whole number {range}, got {got}")))
        }
    }
}

fn wrong(given: &Bound<'_, PyAny>, name: &str, expected: &str) -> PyErr {
    error::input_type(format!("{name}: expected {expected}, got {}", described(given)))
}

impl Argument<'_> for f64 {
    fn read(given: &Bound<'_, PyAny>, name: &str) -> PyResult<f64> {
        let number: f64 = given.extract().map_err(|_| wrong(given, name, "a number"))?;
        match number.is_nan() {
            true => Err(error::input(format!("{name}: expected a number, got NaN"))),
            false => Ok(number),
        }
    }
}

/// Whole numbers from 0 on.
macro_rules! whole {
    ($($number:ty)*) => {
        $(
            impl Argument<'_> for $number {
                fn read(given: &Bound<'_, PyAny>, name: &str) -> PyResult<$number> {
                    given.extract().or_else(|_| whole(given, name))
                }
            }
        )*
    };
}

whole! { u8 u32 usize }

/// A whole number that fits, or an error that says why it does not.
fn whole<T: TryFrom<i128>>(given: &Bound<'_, PyAny>, name: &str) -> PyResult<T> {
    let wanted = "a whole number from 0 on";
    let Ok(index) = given.py().import("operator")?.call_method1("index", (given,)) else {
        return Err(wrong(given, name, wanted));
    };
    let number = index.extract::<i128>().ok().and_then(|number| T::try_from(number).ok());
    number.ok_or_else(|| error::input(format!("{name}: expected {wanted}, got {}", shown(&index))))
}

/// What was given as Python shows it, where that is short; otherwise its type.
pub fn shown(given: &Bound<'_, PyAny>) -> String {
    match given.repr().map(|text| text.to_string_lossy().into_owned()) {
        Ok(text) if text.len() <= MOST_SHOWN => text,
        _ => described(given),
    }
}

impl<'a> Argument<'a> for &'a str {
    fn read(given: &'a Bound<'_, PyAny>, name: &str) -> PyResult<&'a str> {
        let text = given.cast::<PyString>().map_err(|_| wrong(given, name, "a text"))?;
        text.to_str().map_err(|_| wrong(given, name, "a text of Unicode"))
    }
}

impl Argument<'_> for String {
    fn read(given: &Bound<'_, PyAny>, name: &str) -> PyResult<String> {
        <&str>::read(given, name).map(str::to_owned)
    }
}

impl Argument<'_> for PathBuf {
    fn read(given: &Bound<'_, PyAny>, name: &str) -> PyResult<PathBuf> {
        given.extract().map_err(|_| wrong(given, name, "a path"))
    }
}

impl Argument<'_> for OsString {
    fn read(given: &Bound<'_, PyAny>, name: &str) -> PyResult<OsString> {
        given.extract().map_err(|_| wrong(given, name, "a text"))
    }
}

impl<'a> Argument<'a> for &'a [u8] {
    fn read(given: &'a Bound<'_, PyAny>, name: &str) -> PyResult<&'a [u8]> {
        let bytes = given.cast::<PyBytes>().map_err(|_| wrong(given, name, "bytes"))?;
        Ok(bytes.as_bytes())
    }
}

impl<'a, T: Argument<'a>> Argument<'a> for Option<T> {
    fn read(given: &'a Bound<'_, PyAny>, name: &str) -> PyResult<Option<T>> {
        if given.is_none() { Ok(None) } else { T::read(given, name).map(Some) }
    }
}

/// So many numbers: a tuple, a list or an array.
macro_rules! fixed {
    ($($number:ty, $what:literal;)*) => {
        $(
            impl<const N: usize> Argument<'_> for [$number; N] {
                fn read(given: &Bound<'_, PyAny>, name: &str) -> PyResult<[$number; N]> {
                    given.extract().map_err(|_| {
                        let (what, got) = ($what, shown(given));
                        error::input_type(format!("{name}: expected {N} {what}, got {got}"))
                    })
                }
            }
        )*
    };
}

fixed! {
    u32, "whole numbers from 0 on";
    usize, "whole numbers from 0 on";
    f64, "numbers";
}

impl<T: for<'a> Argument<'a>> Argument<'_> for Vec<T> {
    fn read(given: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<T>> {
        let is_text = given.is_instance_of::<PyString>();
        let Some(parts) = given.try_iter().ok().filter(|_| !is_text) else {
            return Err(wrong(given, name, "a list"));
        };
        let read = |(k, part): (usize, PyResult<_>)| T::read(&part?, &format!("{name}[{k}]"));
        parts.enumerate().map(read).collect()
    }
}

impl Argument<'_> for Py<PyDict> {
    fn read(given: &Bound<'_, PyAny>, name: &str) -> PyResult<Py<PyDict>> {
        let dictionary = given.cast::<PyDict>();
        let dictionary = dictionary.map_err(|_| wrong(given, name, "a dictionary"))?;
        Ok(dictionary.clone().unbind())
    }
}

impl Argument<'_> for Py<PyAny> {
    fn read(given: &Bound<'_, PyAny>, _name: &str) -> PyResult<Py<PyAny>> {
        Ok(given.clone().unbind())
    }
}

/// Objects of the package's own classes.
macro_rules! objects {
    ($($class:ty, $what:literal;)*) => {
        $(
            impl<'a> Argument<'a> for &'a $class {
                fn read(given: &'a Bound<'_, PyAny>, name: &str) -> PyResult<&'a $class> {
                    let object = given.cast::<$class>();
                    object.map(|object| object.get()).map_err(|_| wrong(given, name, $what))
                }
            }
        )*
    };
}

objects! {
    BodyHandle, "a BodyHandle";
    ObstacleHandle, "an ObstacleHandle";
    JointHandle, "a JointHandle";
    GrabHandle, "a GrabHandle";
    Material, "a Material";
    SurfaceHit, "a SurfaceHit";
    Plan, "a Plan";
}

/// What is called with the progress of a long call.
pub struct Callback(pub Py<PyAny>);

impl Argument<'_> for Callback {
    fn read(given: &Bound<'_, PyAny>, name: &str) -> PyResult<Callback> {
        match given.is_callable() {
            true => Ok(Callback(given.clone().unbind())),
            false => Err(wrong(given, name, "a function")),
        }
    }
}
