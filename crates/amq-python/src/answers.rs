//! Answers for many keys, as Python has arrays.

use amq::KeyHash;
use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyMemoryView};

/// Answers as an array of bools.
pub(crate) fn bools<'py>(py: Python<'py>, answers: &[bool]) -> PyResult<Bound<'py, PyAny>> {
    array(&bytes_of(py, answers, |answer| [answer.into()])?, "bool", "?")
}

/// Hashes likewise, of 64 bits each.
pub(crate) fn hashes<'py>(py: Python<'py>, hashes: &[KeyHash]) -> PyResult<Bound<'py, PyAny>> {
    array(&bytes_of(py, hashes, |hash| hash.get().to_ne_bytes())?, "uint64", "Q")
}

/// Values of a map likewise, of 32 bits each.
pub(crate) fn values<'py>(py: Python<'py>, values: &[u32]) -> PyResult<Bound<'py, PyAny>> {
    array(&bytes_of(py, values, u32::to_ne_bytes)?, "uint32", "I")
}

/// These bytes, each 0 or 1, as a matrix of bools.
pub(crate) fn matrix<'py>(
    py: Python<'py>,
    cells: &[u8],
    rows: usize,
    columns: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let bytes = bytes_of(py, cells, |cell| [cell])?;
    let flat = array(&bytes, "bool", "?")?;
    match flat.getattr_opt(pyo3::intern!(py, "reshape"))? {
        Some(reshape) => reshape.call1((rows, columns)),
        // A memoryview has no matrix without rows.
        None if rows == 0 => Ok(flat),
        None => PyMemoryView::from(&bytes)?.call_method1("cast", ("?", (rows, columns))),
    }
}

/// The bytes of all these; MemoryError if there is no room for them.
fn bytes_of<'py, T: Copy, const N: usize>(
    py: Python<'py>,
    all: &[T],
    bytes_of: impl Fn(T) -> [u8; N],
) -> PyResult<Bound<'py, PyByteArray>> {
    PyByteArray::new_with(py, N * all.len(), |to| {
        to.chunks_exact_mut(N).zip(all).for_each(|(to, &it)| to.copy_from_slice(&bytes_of(it)));
        Ok(())
    })
}

/// These bytes as an array of NumPy, of this type, if that is there; and as a memoryview, of this
/// format, if not.
fn array<'py>(
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
