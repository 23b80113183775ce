//! Answers for many keys, as Python has arrays.

use amq::KeyHash;
use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyMemoryView};

/// Answers as an array of NumPy if that is there, and as a memoryview if not.
pub(crate) fn bools<'py>(py: Python<'py>, answers: &[bool]) -> PyResult<Bound<'py, PyAny>> {
    let bytes = PyByteArray::new_with(py, answers.len(), |bytes| {
        for (byte, answer) in bytes.iter_mut().zip(answers) {
            *byte = u8::from(*answer);
        }
        Ok(())
    })?;
    array(&bytes, "bool", "?")
}

/// These bytes; MemoryError if there is no room for them.
fn bytes_of<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyByteArray>> {
    PyByteArray::new_with(py, bytes.len(), |to| {
        to.copy_from_slice(bytes);
        Ok(())
    })
}

/// Hashes likewise, of 64 bits each.
pub(crate) fn hashes<'py>(py: Python<'py>, hashes: &[KeyHash]) -> PyResult<Bound<'py, PyAny>> {
    let bytes: Vec<u8> = hashes.iter().flat_map(|hash| hash.get().to_ne_bytes()).collect();
    array(&PyByteArray::new(py, &bytes), "uint64", "Q")
}

/// These bytes, each 0 or 1, as a matrix of bools.
pub(crate) fn matrix<'py>(
    py: Python<'py>,
    cells: &[u8],
    rows: usize,
    columns: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let bytes = bytes_of(py, cells)?;
    let flat = array(&bytes, "bool", "?")?;
    match flat.getattr_opt(pyo3::intern!(py, "reshape"))? {
        Some(reshape) => reshape.call1((rows, columns)),
        // A memoryview has no matrix without rows.
        None if rows == 0 => Ok(flat),
        None => PyMemoryView::from(&bytes)?.call_method1("cast", ("?", (rows, columns))),
    }
}

/// These bytes as an array: of a type of NumPy, or of a format of memoryviews.
pub(crate) fn array<'py>(
    bytes: &Bound<'py, PyByteArray>,
    dtype: &str,
    format: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let py = bytes.py();
    match py.import(pyo3::intern!(py, "numpy")) {
        Ok(numpy) => numpy.call_method1("frombuffer", (bytes, dtype)),
        Err(error) if error.is_instance_of::<PyImportError>(py) => {
            PyMemoryView::from(bytes)?.call_method1("cast", (format,))
        }
        Err(error) => Err(error),
    }
}
