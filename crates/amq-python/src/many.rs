//! Many keys at once.

use crate::column::{Column, Elements, is_of_objects};
use crate::data::reserve;
use crate::encoding::Given;
use crate::filter::Filter;
use crate::hashing::Hashing;
use crate::repr::class_of;
use amq::KeyHash;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyString};

/// Keys that are hashed before the next are taken from an iterator of unknown length.
const BLOCK: usize = 1 << 16;

/// Hashes that are worked on before Ctrl-C is heard again: for some ten milliseconds.
pub(crate) const PIECE: usize = 1 << 18;

/// What becomes of nulls.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Nulls {
    LeftOut,
    Refused,
    /// They have an answer.
    Kept,
}

/// Keys to be inserted, asked for, or made a filter of.
pub(crate) enum Many<'py> {
    Objects(Objects<'py>),
    Column(Column, Python<'py>),
}

/// Keys that are objects of Python.
pub(crate) struct Objects<'py> {
    keys: Elements<'py>,
    /// Of a list, tuple, set or the like, all are hashed before the filter is touched, so that one
    /// that is no key changes nothing. Of a generator, the keys before that one are in.
    len: Option<usize>,
    /// Whether `None` is a null.
    nullable: bool,
}

/// The hashes of some keys, and what these were given as.
struct Hashes {
    hashes: Vec<KeyHash>,
    given: Given,
    /// Indices of hashes that stand for nulls.
    nulls: Vec<usize>,
}

impl<'py> Many<'py> {
    /// The keys of an array are read where they lie, unless the caller's function is to have them:
    /// that has the objects that the array lists.
    pub(crate) fn of(keys: &Bound<'py, PyAny>, hashing: &Hashing) -> PyResult<Self> {
        if is_one(keys) {
            return Err(PyTypeError::new_err(format!(
                "{} is one key, and this takes many: put it into a list, or use add and in",
                class_of(keys)?
            )));
        }
        if matches!(hashing, Hashing::Caller(_)) {
            return Objects::of(keys, Elements::listed(keys)?, false);
        }
        if is_of_objects(keys)? {
            return Objects::of(keys, Elements::listed(keys)?, true);
        }
        match Column::of(keys)? {
            Some(column) => Ok(Self::Column(column, keys.py())),
            None => Objects::of(keys, Elements::iterated(keys)?, false),
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
        let mut ask = |hashes: &[KeyHash], given| {
            let from = answers.len();
            reserve(&mut answers, hashes.len())?;
            answers.resize(from + hashes.len(), false);
            shared.read().contains_all(hashes, given, &mut answers[from..])?;
            Ok::<_, PyErr>(from)
        };
        match self {
            // In blocks, however many there are: a key that is none changes nothing.
            Self::Objects(objects) => {
                let objects = Objects { len: None, ..objects };
                objects.hashed(&filter.hashing, Nulls::Kept, |py, block| {
                    let from = py.detach(|| ask(&block.hashes, block.given))?;
                    nulls.extend(block.nulls.iter().map(|index| from + index));
                    Ok(())
                })?;
            }
            Self::Column(mut column, py) => py.detach(|| {
                column.hashed(&filter.hashing, |block| {
                    let from = ask(block.hashes, block.given)?;
                    nulls.extend(block.nulls().map(|index| from + index));
                    Ok(())
                })
            })?,
        }
        nulls.into_iter().for_each(|index: usize| answers[index] = false);
        Ok(answers)
    }

    /// Inserts them all but nulls, which `done` counts; returns how many were new, and whether the
    /// filter is past its plan.
    pub(crate) fn insert_into(self, filter: &Filter, done: &mut u64) -> PyResult<(u64, bool)> {
        let shared = filter.shared(self.py());
        let (mut new, mut overfull) = (0, false);
        self.each(&filter.hashing, Nulls::LeftOut, |hashes, given| {
            let put = shared.write().insert_all(hashes, given, *done)?;
            new += put.inserted;
            overfull |= put.overfull;
            *done += hashes.len() as u64;
            Ok(())
        })?;
        Ok((new, overfull))
    }

    /// Calls `each` with the hashes of some keys after the other, without the interpreter.
    fn each(
        self,
        hashing: &Hashing,
        nulls: Nulls,
        mut each: impl FnMut(&[KeyHash], Given) -> PyResult<()> + Send,
    ) -> PyResult<()> {
        match self {
            Self::Objects(objects) => objects.hashed(hashing, nulls, |py, hashes| {
                for piece in hashes.hashes.chunks(PIECE) {
                    py.check_signals()?;
                    py.detach(|| each(piece, hashes.given))?;
                }
                Ok(())
            }),
            Self::Column(mut column, py) => py.detach(|| {
                column.hashed(hashing, |block| match block.has_nulls() {
                    true if nulls == Nulls::Refused => Err(refused_nulls()),
                    true => each(&block.keys(), block.given),
                    false => each(block.hashes, block.given),
                })
            }),
        }
    }
}

impl<'py> Objects<'py> {
    fn of(object: &Bound<'py, PyAny>, keys: Elements<'py>, nullable: bool) -> PyResult<Many<'py>> {
        let len = match object.len() {
            Ok(len) => Some(len),
            // It has none.
            Err(error) if error.is_instance_of::<PyTypeError>(object.py()) => None,
            Err(error) => return Err(error),
        };
        Ok(Many::Objects(Self { keys, len, nullable }))
    }

    /// Calls `each` with the hashes of some keys after the other.
    fn hashed(
        self,
        hashing: &Hashing,
        nulls: Nulls,
        mut each: impl FnMut(Python<'py>, &Hashes) -> PyResult<()>,
    ) -> PyResult<()> {
        let py = self.keys.py();
        let mut block = Hashes::with_room(self.len.unwrap_or(BLOCK))?;
        for (number, key) in (1usize..).zip(self.keys) {
            let pushed = key.and_then(|key| match self.nullable && key.is_none() {
                false => block.push(hashing, &key),
                true => block.push_null(nulls),
            });
            if let Err(error) = pushed {
                if self.len.is_none() {
                    each(py, &block)?;
                }
                return Err(error);
            }
            if self.len.is_none() && block.hashes.len() == BLOCK {
                each(py, &block)?;
                block.clear();
            }
            // Nothing of Python runs between the keys of a list.
            if number.is_multiple_of(BLOCK) {
                py.check_signals()?;
                py.detach(|| ());
            }
        }
        each(py, &block)
    }
}

impl Hashes {
    /// What an object says of its length is a hint.
    fn with_room(keys: usize) -> PyResult<Self> {
        let mut hashes = Vec::new();
        reserve(&mut hashes, keys.min(1 << 24))?;
        Ok(Self { hashes, given: Given::NOTHING, nulls: Vec::new() })
    }

    #[inline]
    fn push(&mut self, hashing: &Hashing, key: &Bound<'_, PyAny>) -> PyResult<()> {
        let (hash, given) = hashing.hash(key)?;
        self.given = self.given.and(given);
        self.push_hash(hash)
    }

    #[cold]
    fn push_null(&mut self, nulls: Nulls) -> PyResult<()> {
        match nulls {
            Nulls::LeftOut => Ok(()),
            Nulls::Refused => Err(refused_nulls()),
            Nulls::Kept => {
                reserve(&mut self.nulls, 1)?;
                self.nulls.push(self.hashes.len());
                self.push_hash(KeyHash::new(0))
            }
        }
    }

    #[inline]
    fn push_hash(&mut self, hash: KeyHash) -> PyResult<()> {
        if self.hashes.len() == self.hashes.capacity() {
            let more = self.hashes.len().max(BLOCK);
            reserve(&mut self.hashes, more)?;
        }
        self.hashes.push(hash);
        Ok(())
    }

    fn clear(&mut self) {
        self.hashes.clear();
        self.nulls.clear();
        self.given = Given::NOTHING;
    }
}

/// The hashes of all keys, and what these were given as.
pub(crate) fn all(
    keys: &Bound<'_, PyAny>,
    hashing: &Hashing,
    nulls: Nulls,
) -> PyResult<(Vec<KeyHash>, Given)> {
    let mut all: Vec<KeyHash> = Vec::new();
    let mut given = Given::NOTHING;
    Many::of(keys, hashing)?.each(hashing, nulls, |hashes, of| {
        if hashes.is_empty() {
            return Ok(());
        }
        given = given.and(of);
        reserve(&mut all, hashes.len())?;
        all.extend_from_slice(hashes);
        Ok(())
    })?;
    Ok((all, given))
}

fn refused_nulls() -> PyErr {
    PyTypeError::new_err("a null is no key of a map, which has a value for each: drop the nulls")
}

/// Whether these "many" keys are one: an iterable whose parts nobody means.
fn is_one(keys: &Bound<'_, PyAny>) -> bool {
    keys.is_instance_of::<PyString>()
        || keys.is_instance_of::<PyBytes>()
        || keys.is_instance_of::<PyByteArray>()
}
