//! Paths as arguments.

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
        Ok(Self(path.extract::<OsString>()?.into()))
    }
}
