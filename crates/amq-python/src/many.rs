//! Many keys at once.

use crate::column::Column;
use crate::filter::Filter;
use crate::hashing::Hashing;
use amq::{KeyEncoding, KeyHash};
use pyo3::exceptions::{PyMemoryError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyIterator, PyString};

/// Keys that are hashed before the next are taken from an iterator of unknown length.
const BLOCK: usize = 1 << 16;

/// Keys to be inserted, asked for, or made a filter of.
pub(crate) enum Many<'py> {
    Objects(Objects<'py>),
    Column(Column, Python<'py>),
}

/// Keys that are objects of Python.
pub(crate) struct Objects<'py> {
    keys: Bound<'py, PyIterator>,
    /// Of a list, tuple, set or the like, all are hashed before the filter is touched, so that one
    /// that is no key changes nothing. Of a generator, the keys before that one are in.
    len: Option<usize>,
}

/// The hashes of some keys, and how these were encoded.
struct Hashes {
    hashes: Vec<KeyHash>,
    encoding: KeyEncoding,
}

impl<'py> Many<'py> {
    pub(crate) fn of(keys: &Bound<'py, PyAny>) -> PyResult<Self> {
        if is_one(keys) {
            return Err(PyTypeError::new_err(format!(
                "{} is one key, and this takes many: put it into a list, or use add and in",
                keys.get_type().name()?
            )));
        }
        match Column::of(keys)? {
            Some(column) => Ok(Self::Column(column, keys.py())),
            None => Ok(Self::Objects(Objects { keys: keys.try_iter()?, len: keys.len().ok() })),
        }
    }

    fn py(&self) -> Python<'py> {
        match self {
            Self::Objects(objects) => objects.keys.py(),
            Self::Column(_, py) => *py,
        }
    }

    /// Whether each of them is probably in; a null never is.
    pub(crate) fn contained_in(self, filter: &Filter) -> PyResult<Vec<bool>> {
        let shared = filter.shared(self.py());
        let (mut answers, mut nulls) = (Vec::new(), Vec::new());
        let mut ask = |hashes: &[KeyHash]| {
            let from = answers.len();
            answers.resize(from + hashes.len(), false);
            shared.read().contains_all(hashes, &mut answers[from..])?;
            Ok::<_, PyErr>(from)
        };
        match self {
            Self::Objects(objects) => objects.hashed(&filter.hashing, |py, hashes| {
                py.detach(|| ask(&hashes.hashes))?;
                Ok(())
            })?,
            Self::Column(column, py) => py.detach(|| {
                column.hashed(&filter.hashing, |block| {
                    let from = ask(block.hashes)?;
                    nulls.extend(block.nulls().map(|index| from + index));
                    Ok(())
                })
            })?,
        }
        nulls.into_iter().for_each(|index: usize| answers[index] = false);
        Ok(answers)
    }

    /// Inserts them all but nulls; returns how many were new, and whether the filter is past its
    /// plan.
    pub(crate) fn insert_into(self, filter: &Filter) -> PyResult<(u64, bool)> {
        let shared = filter.shared(self.py());
        let (mut new, mut overfull, mut done) = (0, false, 0);
        self.each(&filter.hashing, |hashes, encoding| {
            let put = shared.write().insert_all(hashes, encoding, done)?;
            new += put.inserted;
            overfull |= put.overfull;
            done += hashes.len() as u64;
            Ok(())
        })?;
        Ok((new, overfull))
    }

    /// Calls `each` with the hashes of some keys after the other, without the interpreter. Nulls
    /// are left out.
    pub(crate) fn each(
        self,
        hashing: &Hashing,
        mut each: impl FnMut(&[KeyHash], KeyEncoding) -> PyResult<()> + Send,
    ) -> PyResult<()> {
        match self {
            Self::Objects(objects) => objects
                .hashed(hashing, |py, hashes| py.detach(|| each(&hashes.hashes, hashes.encoding))),
            Self::Column(column, py) => py.detach(|| {
                column.hashed(hashing, |block| match block.has_nulls() {
                    true => each(&block.keys(), block.encoding),
                    false => each(block.hashes, block.encoding),
                })
            }),
        }
    }
}

impl<'py> Objects<'py> {
    /// Calls `each` with the hashes of some keys after the other.
    fn hashed(
        self,
        hashing: &Hashing,
        mut each: impl FnMut(Python<'py>, &Hashes) -> PyResult<()>,
    ) -> PyResult<()> {
        let py = self.keys.py();
        let mut block = Hashes::with_room(self.len.unwrap_or(BLOCK));
        for key in self.keys {
            block.push(hashing, &key?)?;
            if self.len.is_none() && block.hashes.len() == BLOCK {
                each(py, &block)?;
                block.hashes.clear();
            }
        }
        each(py, &block)
    }
}

impl Hashes {
    /// What an object says of its length is a hint.
    fn with_room(keys: usize) -> Self {
        Self { hashes: Vec::with_capacity(keys.min(1 << 24)), encoding: KeyEncoding::Unknown }
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

/// The hashes of all keys, and how these were encoded.
pub(crate) fn all(keys: Many<'_>, hashing: &Hashing) -> PyResult<(Vec<KeyHash>, KeyEncoding)> {
    let mut all: Vec<KeyHash> = Vec::new();
    let mut encoding = None;
    keys.each(hashing, |hashes, of| {
        if hashes.is_empty() {
            return Ok(());
        }
        encoding = Some(encoding.map_or(of, |before: KeyEncoding| before.and(of)));
        all.try_reserve(hashes.len()).map_err(|_| no_memory(all.len()))?;
        all.extend_from_slice(hashes);
        Ok(())
    })?;
    Ok((all, encoding.unwrap_or_default()))
}

fn no_memory(keys: usize) -> PyErr {
    PyMemoryError::new_err(format!("no memory for the hashes of more than {keys} keys"))
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
