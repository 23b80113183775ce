//! Objects, one after the other.

use super::{buffer, capsule};
use crate::repr::module_of;
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyInt, PyIterator, PyList, PySlice, PyString, PyTuple};
use std::iter;

/// Elements of an array that are made objects at once: all of them may be more than there is memory
/// for, and nobody else runs meanwhile.
const PIECE: usize = 1 << 16;

/// What goes through the elements of an object.
pub(crate) enum Elements<'py> {
    Iterated(Bound<'py, PyIterator>),
    /// Those of an array, which are listed piece by piece.
    Listed(Box<dyn Iterator<Item = PyResult<Bound<'py, PyAny>>> + 'py>),
}

impl<'py> Iterator for Elements<'py> {
    type Item = PyResult<Bound<'py, PyAny>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Iterated(iterator) => iterator.next(),
            Self::Listed(listed) => listed.next(),
        }
    }
}

impl<'py> Elements<'py> {
    /// As Python iterates over them.
    pub(crate) fn iterated(object: &Bound<'py, PyAny>) -> PyResult<Self> {
        object.try_iter().map(Self::Iterated)
    }

    /// The same, but of an array as it lists them itself, with `None` for each null: iterated over,
    /// NumPy's and pyarrow's have scalars of their own.
    pub(crate) fn listed(object: &Bound<'py, PyAny>) -> PyResult<Self> {
        if is_list(object) {
            return Self::iterated(object);
        }
        capsule::expect_collected(object)?;
        let (py, of_pandas) = (object.py(), is_of_pandas(object)?);
        let of_arrow = object.getattr_opt(intern!(py, "__arrow_c_array__"))?.is_some()
            || object.getattr_opt(intern!(py, "__arrow_c_stream__"))?.is_some();
        if !of_arrow && !of_pandas && !buffer::has(object) {
            return Self::iterated(object);
        }
        let Some(list) = list_of(object)? else {
            return if of_arrow { Err(no_list()) } else { Self::iterated(object) };
        };
        buffer::expect_one_dimension(object)?;
        // Those of pandas are sliced by their labels, and by place with this.
        let placed = object.getattr_opt(intern!(py, "iloc"))?;
        let (array, len) = (placed.unwrap_or_else(|| object.clone()), object.len()?);
        let piece = move |from: usize| {
            let slice = PySlice::new(py, from.try_into()?, len.min(from + PIECE).try_into()?, 1);
            array.get_item(slice)?.call_method0(list)?.try_iter()
        };
        let elements = (0..len).step_by(PIECE).flat_map(move |from| match piece(from) {
            Ok(piece) => Self::Iterated(piece),
            Err(error) => Self::Listed(Box::new(iter::once(Err(error)))),
        });
        Ok(Self::Listed(match of_pandas {
            true => Box::new(elements.map(|element| element.and_then(none_if_missing))),
            false => Box::new(elements),
        }))
    }
}

/// The method of an array that makes a list, if it has one. Tables list their rows.
fn list_of(object: &Bound<'_, PyAny>) -> PyResult<Option<&'static str>> {
    let py = object.py();
    if object.getattr_opt(intern!(py, "column_names"))?.is_some() {
        return Ok(None);
    }
    for list in ["to_pylist", "to_list", "tolist"] {
        if object.getattr_opt(PyString::intern(py, list))?.is_some() {
            return Ok(Some(list));
        }
    }
    Ok(None)
}

/// Whether there is nothing else to be known of an object: this is asked of every one.
pub(super) fn is_list(object: &Bound<'_, PyAny>) -> bool {
    object.is_exact_instance_of::<PyList>() || object.is_exact_instance_of::<PyTuple>()
}

/// Whether an object is a column of pandas whose elements are objects of Python.
pub(crate) fn is_of_objects(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    if !is_of_pandas(object)? {
        return Ok(false);
    }
    let py = object.py();
    let Some(dtype) = object.getattr_opt(intern!(py, "dtype"))? else { return Ok(false) };
    // Of NumPy: of its own types pandas says otherwise what they hold.
    match dtype.getattr_opt(intern!(py, "hasobject"))? {
        Some(has) => has.is_truthy(),
        None => Ok(false),
    }
}

fn is_of_pandas(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let module = module_of(&object.get_type())?;
    Ok(module.to_string_lossy().split('.').next() == Some("pandas"))
}

/// `None` for what pandas has for a null: nan, NaT or NA.
fn none_if_missing(element: Bound<'_, PyAny>) -> PyResult<Bound<'_, PyAny>> {
    let missing = if let Ok(number) = element.cast::<PyFloat>() {
        number.value().is_nan()
    } else if element.is_exact_instance_of::<PyString>() || element.is_exact_instance_of::<PyInt>()
    {
        false
    } else {
        let class = element.get_type().name()?;
        class == "NAType" || class == "NaTType"
    };
    Ok(if missing { element.py().None().into_bound(element.py()) } else { element })
}

pub(super) fn no_list() -> PyErr {
    PyTypeError::new_err(
        "one by one, this takes the objects of an array, and a table or a stream lists none: give \
         a column of it, or its to_pylist()",
    )
}

/// A table of pandas without its index, which is no part of its keys; another object as it is.
pub(super) fn without_index<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = object.py();
    if !is_of_pandas(object)? || object.getattr_opt(intern!(py, "columns"))?.is_none() {
        return Ok(object.clone());
    }
    let arguments = PyDict::new(py);
    arguments.set_item("drop", true)?;
    object.call_method("reset_index", (), Some(&arguments))
}
