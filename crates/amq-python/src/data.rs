//! Bytes of a caller's object, and for one; and room for them.

use pyo3::exceptions::{PyMemoryError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMemoryView};

/// Calls `read` with the bytes of an object; those that can change meanwhile are copied first.
pub(crate) fn of_data<T>(
    data: &Bound<'_, PyAny>,
    read: impl FnOnce(&[u8]) -> PyResult<T>,
) -> PyResult<T> {
    match data.cast::<PyBytes>() {
        Ok(bytes) => read(bytes.as_bytes()),
        Err(_) => {
            let bytes = PyMemoryView::from(data)?.call_method0("tobytes")?;
            read(bytes.cast::<PyBytes>()?.as_bytes())
        }
    }
}

/// These bytes as an object. The interpreter is let go of while many are copied.
pub(crate) fn to_object<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    PyBytes::new_with(py, bytes.len(), |to| {
        match bytes.len() > LARGE {
            true => py.detach(|| to.copy_from_slice(bytes)),
            false => to.copy_from_slice(bytes),
        }
        Ok(())
    })
}

/// It takes a while to copy more bytes: other threads are not to wait for it.
const LARGE: usize = 1 << 20;

/// As many zeros, or whatever stands for that; MemoryError if there is no room for them.
pub(crate) fn zeroed<T: Clone + Default>(len: usize) -> PyResult<Vec<T>> {
    let mut vector = Vec::new();
    reserve(&mut vector, len)?;
    vector.resize(len, T::default());
    Ok(vector)
}

/// MemoryError if there is no room for so many bytes, which are then allocated by what cannot say
/// so.
pub(crate) fn expect_room(bytes: u64) -> PyResult<()> {
    reserve(&mut Vec::<u8>::new(), usize::try_from(bytes).unwrap_or(usize::MAX))
}

/// Room for more elements; MemoryError if there is none.
#[inline]
pub(crate) fn reserve<T>(vector: &mut Vec<T>, more: usize) -> PyResult<()> {
    vector.try_reserve(more).map_err(|_| {
        let bytes = vector.len().saturating_add(more).saturating_mul(size_of::<T>());
        PyMemoryError::new_err(format!("no memory for {bytes} bytes"))
    })
}

/// The length of an object; `None` if it has none.
pub(crate) fn len_of(object: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    match object.len() {
        Ok(len) => Ok(Some(len)),
        Err(error) if error.is_instance_of::<PyTypeError>(object.py()) => Ok(None),
        Err(error) => Err(error),
    }
}
