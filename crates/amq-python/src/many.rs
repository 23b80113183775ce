//! Many keys at once.

use crate::filter::Filter;
use crate::hashing::Hashing;
use amq::{KeyEncoding, KeyHash};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyIterator, PyString};

/// Keys that are hashed before the next are taken from an iterator of unknown length.
const BLOCK: usize = 1 << 16;

/// Keys to be inserted, asked for, or made a filter of.
pub(crate) enum Many<'py> {
    /// A list, tuple, set or the like: all are hashed before the filter is touched, so that a key
    /// that is none changes nothing.
    Sized(Bound<'py, PyIterator>, usize),
    /// A generator or the like: those before the one that is none are in.
    Stream(Bound<'py, PyIterator>),
}

/// The hashes of some keys, and how these were encoded.
pub(crate) struct Hashes {
    pub(crate) hashes: Vec<KeyHash>,
    pub(crate) encoding: KeyEncoding,
}

impl<'py> Many<'py> {
    pub(crate) fn of(keys: &Bound<'py, PyAny>) -> PyResult<Self> {
        if is_one(keys) {
            return Err(PyTypeError::new_err(format!(
                "{} is one key, and this takes many: put it into a list, or use add and in",
                keys.get_type().name()?
            )));
        }
        let iterator = keys.try_iter()?;
        match keys.len() {
            Ok(len) => Ok(Self::Sized(iterator, len)),
            Err(_) => Ok(Self::Stream(iterator)),
        }
    }

    /// Whether each of them is probably in.
    pub(crate) fn contained_in(self, filter: &Filter) -> PyResult<Vec<bool>> {
        let mut answers = Vec::new();
        self.hashed(&filter.hashing, |py, hashes| {
            py.detach(|| {
                let from = answers.len();
                answers.resize(from + hashes.hashes.len(), false);
                filter.read_detached().contains_all(&hashes.hashes, &mut answers[from..])
            })
        })?;
        Ok(answers)
    }

    /// Inserts them all; returns how many were new, and whether the filter is past its plan.
    pub(crate) fn insert_into(self, filter: &Filter) -> PyResult<(u64, bool)> {
        let (mut new, mut overfull, mut done) = (0, false, 0);
        self.hashed(&filter.hashing, |py, hashes| {
            let put = py.detach(|| {
                filter.write_detached().insert_all(&hashes.hashes, hashes.encoding, done)
            })?;
            new += put.inserted;
            overfull |= put.overfull;
            done += hashes.hashes.len() as u64;
            Ok(())
        })?;
        Ok((new, overfull))
    }

    /// Calls `each` with the hashes of some keys after the other.
    pub(crate) fn hashed(
        self,
        hashing: &Hashing,
        mut each: impl FnMut(Python<'py>, &Hashes) -> PyResult<()>,
    ) -> PyResult<()> {
        let (iterator, room) = match &self {
            Self::Sized(iterator, len) => (iterator, *len),
            Self::Stream(iterator) => (iterator, BLOCK),
        };
        let mut block = Hashes::with_room(room.min(BLOCK));
        for key in iterator {
            block.push(hashing, &key?)?;
            if matches!(self, Self::Stream(_)) && block.hashes.len() == BLOCK {
                each(iterator.py(), &block)?;
                block.clear();
            }
        }
        each(iterator.py(), &block)
    }
}

impl Hashes {
    fn with_room(keys: usize) -> Self {
        Self { hashes: Vec::with_capacity(keys), encoding: KeyEncoding::Unknown }
    }

    fn clear(&mut self) {
        self.hashes.clear();
    }

    #[inline]
    fn push(&mut self, hashing: &Hashing, key: &Bound<'_, PyAny>) -> PyResult<()> {
        let (hash, encoding) = hashing.hash(key)?;
        if self.hashes.is_empty() {
            self.encoding = encoding;
        } else if self.encoding != encoding {
            self.encoding = self.encoding.and(encoding);
        }
        self.hashes.push(hash);
        Ok(())
    }
}

/// Whether these "many" keys are one: an iterable whose parts nobody means.
fn is_one(keys: &Bound<'_, PyAny>) -> bool {
    keys.is_instance_of::<PyString>()
        || keys.is_instance_of::<PyBytes>()
        || keys.is_instance_of::<PyByteArray>()
}

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

/// These bytes as an array: of a type of NumPy, or of a format of memoryviews.
pub(crate) fn array<'py>(
    bytes: &Bound<'py, PyByteArray>,
    dtype: &str,
    format: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let py = bytes.py();
    match py.import("numpy") {
        Ok(numpy) => numpy.call_method1("frombuffer", (bytes, dtype)),
        Err(_) => pyo3::types::PyMemoryView::from(bytes)?.call_method1("cast", (format,)),
    }
}
