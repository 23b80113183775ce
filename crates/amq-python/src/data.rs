//! Bytes of a caller's object, and for one; and room for them.

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Calls `read` with the bytes of an object; those that can change meanwhile are copied first.
pub(crate) fn of_data<T>(
    data: &Bound<'_, PyAny>,
    read: impl FnOnce(&[u8]) -> PyResult<T>,
) -> PyResult<T> {
    match data.cast::<PyBytes>() {
        Ok(bytes) => read(bytes.as_bytes()),
        Err(_) => {
            let buffer = PyBuffer::<u8>::get(data)?;
            let mut bytes = zeroed(buffer.item_count())?;
            buffer.copy_to_slice(data.py(), &mut bytes)?;
            read(&bytes)
        }
    }
}

/// These bytes as an object.
pub(crate) fn to_object<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    PyBytes::new_with(py, bytes.len(), |to| {
        to.copy_from_slice(bytes);
        Ok(())
    })
}

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
