//! Arrays of keys, read where they lie.

mod arrow;
mod block;
mod buffer;
mod capsule;

use self::block::{Block, blocks};
use crate::hashing::Hashing;
use crate::key::Under;
use arrow_array::ArrayRef;
use arrow_array::ffi_stream::ArrayStreamReader;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

/// An array in pieces.
pub(crate) enum Column {
    Buffer(buffer::Items),
    Arrow(ArrayRef),
    Stream(ArrayStreamReader),
}

impl Column {
    /// The array that this object is, if it is one.
    pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        if object.is_exact_instance_of::<PyList>() || object.is_exact_instance_of::<PyTuple>() {
            return Ok(None);
        }
        if let Some(array) = capsule::array(object)? {
            return Ok(Some(Self::Arrow(arrow::checked(array)?)));
        }
        if let Some(stream) = capsule::stream(object)? {
            return Ok(Some(Self::Stream(stream)));
        }
        Ok(buffer::Items::of(object)?.map(Self::Buffer))
    }

    /// Calls `each` with hashes and which of them are keys and no nulls, block by block. To be
    /// called without the interpreter, which a stream may take for itself.
    pub(crate) fn hashed(
        self,
        hashing: &Hashing,
        mut each: impl FnMut(&Block<'_>) -> PyResult<()>,
    ) -> PyResult<()> {
        match hashing {
            Hashing::Seed(seed) => self.hashed_under(*seed, &mut each),
            Hashing::Key(key) => self.hashed_under(*key, &mut each),
            Hashing::Caller(_) => Err(PyTypeError::new_err(
                "hash_func takes keys one by one: give the array's tolist(), or to_pylist()",
            )),
        }
    }

    fn hashed_under(
        self,
        under: impl Under,
        each: &mut impl FnMut(&Block<'_>) -> PyResult<()>,
    ) -> PyResult<()> {
        match self {
            Self::Buffer(items) => {
                blocks(&items.fill(under), items.len(), None, items.encoding(), each)
            }
            Self::Arrow(array) => arrow::hashed(&array, under, each),
            Self::Stream(stream) => {
                for array in stream {
                    let array = array.map_err(arrow::raise)?;
                    arrow::hashed(&arrow::checked(array)?, under, each)?;
                }
                Ok(())
            }
        }
    }
}
