//! The bytes of a caller's object.

use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Calls `read` with the bytes of an object; those that can change meanwhile are copied first.
pub(crate) fn of_data<T>(
    data: &Bound<'_, PyAny>,
    read: impl FnOnce(&[u8]) -> PyResult<T>,
) -> PyResult<T> {
    match data.cast::<PyBytes>() {
        Ok(bytes) => read(bytes.as_bytes()),
        Err(_) => read(&PyBuffer::<u8>::get(data)?.to_vec(data.py())?),
    }
}
