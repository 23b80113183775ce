//! Objects of Python in texts.
//!
//! In CPython `repr` and `str` hear signals, whatever the object: an exception of them can be that
//! of a handler, such as KeyboardInterrupt. So it is passed on, where `Display` would drop it.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyType};

/// An object as Python shows it.
pub(crate) fn shown(object: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(object.repr()?.to_string_lossy().into_owned())
}

/// An object as text, such as that of an exception.
pub(crate) fn text(object: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(object.str()?.to_string_lossy().into_owned())
}

/// The name of an object's class.
pub(crate) fn class_of(object: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(object.get_type().name()?.to_string_lossy().into_owned())
}

/// The name of the module of a class; empty if there is no such text.
pub(crate) fn module_of<'py>(class: &Bound<'py, PyType>) -> PyResult<Bound<'py, PyString>> {
    let py = class.py();
    let module = class.getattr_opt(intern!(py, "__module__"))?;
    let named = module.and_then(|module| module.cast_into::<PyString>().ok());
    Ok(named.unwrap_or_else(|| intern!(py, "").clone()))
}
