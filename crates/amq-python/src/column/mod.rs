//! Arrays of keys, read where they lie.

mod arrow;
mod buffer;
mod capsule;

use crate::hashing::Hashing;
use crate::key::Under;
use amq::{KeyEncoding, KeyHash};
use arrow_array::ArrayRef;
use arrow_array::ffi_stream::ArrayStreamReader;
use arrow_buffer::NullBuffer;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

/// Keys that are hashed before the filter is asked: their hashes stay in the cache.
const BLOCK: usize = 1024;

/// An array in pieces.
pub(crate) enum Column {
    Buffer(buffer::Items),
    Arrow(ArrayRef),
    Stream(ArrayStreamReader),
}

/// The hashes of the keys from `first` on, computed into a slice.
type Fill<'a> = Box<dyn Fn(usize, &mut [KeyHash]) + 'a>;

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

/// Some keys of an array.
pub(crate) struct Block<'a> {
    /// A hash for each; of a null any.
    pub(crate) hashes: &'a [KeyHash],
    pub(crate) encoding: KeyEncoding,
    nulls: Option<&'a NullBuffer>,
    first: usize,
}

impl Block<'_> {
    fn is_key(&self, index: usize) -> bool {
        self.nulls.is_none_or(|nulls| nulls.is_valid(self.first + index))
    }

    /// The indices of those that are nulls.
    pub(crate) fn nulls(&self) -> impl Iterator<Item = usize> {
        let all = if self.has_nulls() { self.hashes.len() } else { 0 };
        (0..all).filter(|&index| !self.is_key(index))
    }

    pub(crate) const fn has_nulls(&self) -> bool {
        self.nulls.is_some()
    }

    /// The hashes of those that are none.
    pub(crate) fn keys(&self) -> Vec<KeyHash> {
        let keys = self.hashes.iter().enumerate().filter(|&(index, _)| self.is_key(index));
        keys.map(|(_, hash)| *hash).collect()
    }
}

/// Calls `each` with the blocks of one piece.
fn blocks(
    fill: &Fill<'_>,
    len: usize,
    nulls: Option<&NullBuffer>,
    encoding: KeyEncoding,
    each: &mut impl FnMut(&Block<'_>) -> PyResult<()>,
) -> PyResult<()> {
    let mut room = [KeyHash::new(0); BLOCK];
    for first in (0..len).step_by(BLOCK) {
        let hashes = &mut room[..BLOCK.min(len - first)];
        fill(first, hashes);
        each(&Block { hashes, encoding, nulls, first })?;
    }
    Ok(())
}
