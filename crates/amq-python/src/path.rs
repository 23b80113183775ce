//! Paths as arguments.

use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use std::ffi::OsString;
use std::path::PathBuf;

/// What Python's own `open` takes: `str`, `bytes`, or what has `__fspath__`.
#[derive(Debug)]
pub(crate) struct FilePath(pub(crate) PathBuf);

impl<'py> FromPyObject<'_, 'py> for FilePath {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let py = object.py();
        let path =
            py.import(intern!(py, "os"))?.call_method1(intern!(py, "fsdecode"), (object,))?;
        let path = path.extract::<OsString>()?;
        match path.as_encoded_bytes().contains(&0) {
            true => Err(PyValueError::new_err("a path has no null byte")),
            false => Ok(Self(path.into())),
        }
    }
}
