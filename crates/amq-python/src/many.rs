//! Many keys at once.

use crate::column::{Column, Columns, Elements, is_of_objects};
use crate::data::{len_of, reserve};
use crate::encoding::Given;
use crate::filter::Filter;
use crate::hashing::Hashing;
use crate::repr::class_of;
use amq::KeyHash;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyString};
use std::borrow::Cow;

/// Keys that are hashed before the next are taken from an iterator of unknown length.
const BLOCK: usize = 1 << 16;

/// Hashes that are worked on before Ctrl-C is heard again: for some ten milliseconds.
pub(crate) const PIECE: usize = 1 << 18;

/// What becomes of nulls.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Nulls {
    LeftOut,
    Refused,
}

/// Keys to be inserted, asked for, or made a filter of.
pub(crate) enum Many<'py> {
    Objects(Objects<'py>),
    Column(Column, Python<'py>),
}

/// Keys that are objects of Python.
pub(crate) struct Objects<'py> {
    py: Python<'py>,
    keys: Elements<'py>,
    /// Of a list, tuple, set or the like, all are hashed before the filter is touched, so that one
    /// that is no key changes nothing. Of a generator, the keys before that one are in.
    len: Option<usize>,
    /// Whether `None` is a null.
    nullable: bool,
}

/// Some keys.
pub(crate) struct Block<'a> {
    /// A hash for each; of a null any.
    pub(crate) hashes: &'a [KeyHash],
    pub(crate) given: Given,
    /// Indices of nulls, in rising order.
    pub(crate) nulls: &'a [usize],
}

impl Block<'_> {
    /// The hashes of those that are no nulls.
    fn keys(&self) -> Cow<'_, [KeyHash]> {
        if self.nulls.is_empty() {
            return Cow::Borrowed(self.hashes);
        }
        let mut keys = Vec::with_capacity(self.hashes.len());
        let mut from = 0;
        for &null in self.nulls {
            keys.extend_from_slice(&self.hashes[from..null]);
            from = null + 1;
        }
        keys.extend_from_slice(&self.hashes[from..]);
        Cow::Owned(keys)
    }

    /// Moves the answers for the keys, which come first, to their places, and denies the nulls.
    fn make_room_for_nulls(&self, answers: &mut [bool]) {
        let mut end = answers.len() - self.nulls.len();
        for (before, &null) in self.nulls.iter().enumerate().rev() {
            answers.copy_within(null - before..end, null + 1);
            answers[null] = false;
            end = null - before;
        }
    }
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
            if keys.is_instance_of::<Columns>() {
                return Err(PyTypeError::new_err(
                    "hash_func takes one object for a key: give tuples, such as zip(a, b)",
                ));
            }
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
            Self::Objects(objects) => objects.py,
            Self::Column(_, py) => *py,
        }
    }

    /// Whether each of them is probably in; a null never is.
    pub(crate) fn contained_in(mut self, filter: &Filter) -> PyResult<Vec<bool>> {
        let shared = filter.shared(self.py());
        let mut answers = Vec::new();
        if let Self::Objects(objects) = &mut self {
            // In blocks, however many there are: a key that is none changes nothing.
            objects.len = None;
        }
        self.each(&filter.hashing, |block| {
            let answers = more(&mut answers, block.hashes.len())?;
            shared.read().contains_all(block.hashes, block.given, answers)?;
            block.nulls.iter().for_each(|&null| answers[null] = false);
            Ok(())
        })?;
        Ok(answers)
    }

    /// Inserts them all but nulls, which `done` counts; returns how many were new, and whether the
    /// filter is past its plan. Appends to `answers` whether each was new, which no null is.
    pub(crate) fn insert_into(
        self,
        filter: &Filter,
        done: &mut u64,
        mut answers: Option<&mut Vec<bool>>,
    ) -> PyResult<(u64, bool)> {
        let shared = filter.shared(self.py());
        let (mut new, mut overfull) = (0, false);
        self.each(&filter.hashing, |block| {
            let keys = block.keys();
            let mut answers = match &mut answers {
                Some(answers) => Some(more(answers, block.hashes.len())?),
                None => None,
            };
            let of_keys = answers.as_mut().map(|answers| &mut answers[..keys.len()]);
            let put = shared.write().insert_all(&keys, block.given, *done, of_keys)?;
            new += put.new;
            overfull |= put.overfull;
            *done += keys.len() as u64;
            if let Some(answers) = answers {
                block.make_room_for_nulls(answers);
            }
            Ok(())
        })?;
        Ok((new, overfull))
    }

    /// Calls `each` with some keys after the other, without the interpreter.
    pub(crate) fn each(
        self,
        hashing: &Hashing,
        mut each: impl FnMut(&Block<'_>) -> PyResult<()> + Send,
    ) -> PyResult<()> {
        match self {
            Self::Objects(objects) => objects.hashed(hashing, each),
            Self::Column(mut column, py) => py.detach(|| column.hashed(hashing, &mut each)),
        }
    }
}

/// Room for as many answers more, which are false.
fn more(answers: &mut Vec<bool>, count: usize) -> PyResult<&mut [bool]> {
    let from = answers.len();
    reserve(answers, count)?;
    answers.resize(from + count, false);
    Ok(&mut answers[from..])
}

/// The hashes of some objects, and what these were given as.
struct Hashes {
    hashes: Vec<KeyHash>,
    given: Given,
    nulls: Vec<usize>,
}

impl<'py> Objects<'py> {
    fn of(object: &Bound<'py, PyAny>, keys: Elements<'py>, nullable: bool) -> PyResult<Many<'py>> {
        Ok(Many::Objects(Self { py: object.py(), keys, len: len_of(object)?, nullable }))
    }

    /// Calls `each` with the hashes of some keys after the other, without the interpreter.
    fn hashed(
        self,
        hashing: &Hashing,
        mut each: impl FnMut(&Block<'_>) -> PyResult<()> + Send,
    ) -> PyResult<()> {
        let py = self.py;
        let mut hashes = Hashes::with_room(self.len.unwrap_or(BLOCK))?;
        for (number, key) in (1usize..).zip(self.keys) {
            let pushed = key.and_then(|key| match self.nullable && key.is_none() {
                false => hashes.push(hashing, &key),
                true => hashes.push_null(),
            });
            if let Err(error) = pushed {
                if self.len.is_none() {
                    hashes.take(py, &mut each)?;
                }
                return Err(error);
            }
            if self.len.is_none() && hashes.hashes.len() == BLOCK {
                hashes.take(py, &mut each)?;
            }
            // Nothing of Python runs between the keys of a list.
            if number.is_multiple_of(BLOCK) {
                py.check_signals()?;
                py.detach(|| ());
            }
        }
        hashes.take(py, &mut each)
    }
}

impl Hashes {
    /// What an object says of its length is a hint.
    fn with_room(keys: usize) -> PyResult<Self> {
        let mut hashes = Vec::new();
        reserve(&mut hashes, keys.min(1 << 24))?;
        Ok(Self { hashes, given: Given::NOTHING, nulls: Vec::new() })
    }

    #[inline(always)]
    fn push(&mut self, hashing: &Hashing, key: &Bound<'_, PyAny>) -> PyResult<()> {
        let (hash, given) = hashing.hash(key)?;
        self.given = self.given.and(given);
        self.push_hash(hash)
    }

    #[cold]
    fn push_null(&mut self) -> PyResult<()> {
        reserve(&mut self.nulls, 1)?;
        self.nulls.push(self.hashes.len());
        self.push_hash(KeyHash::new(0))
    }

    #[inline(always)]
    fn push_hash(&mut self, hash: KeyHash) -> PyResult<()> {
        if self.hashes.len() == self.hashes.capacity() {
            reserve(&mut self.hashes, BLOCK)?;
        }
        self.hashes.push(hash);
        Ok(())
    }

    /// Calls `each` with all of them, without the interpreter, and forgets them.
    fn take(
        &mut self,
        py: Python<'_>,
        each: &mut (impl FnMut(&Block<'_>) -> PyResult<()> + Send),
    ) -> PyResult<()> {
        let mut nulls = &mut self.nulls[..];
        for hashes in self.hashes.chunks(PIECE) {
            py.check_signals()?;
            let (now, later) = nulls.split_at_mut(nulls.partition_point(|&it| it < hashes.len()));
            later.iter_mut().for_each(|null| *null -= hashes.len());
            let block = Block { hashes, given: self.given, nulls: now };
            py.detach(|| each(&block))?;
            nulls = later;
        }
        self.hashes.clear();
        self.nulls.clear();
        self.given = Given::NOTHING;
        Ok(())
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
    Many::of(keys, hashing)?.each(hashing, |block| {
        if nulls == Nulls::Refused && !block.nulls.is_empty() {
            return Err(PyTypeError::new_err(
                "a null is no key, and each key has a value or hash: drop the nulls",
            ));
        }
        let keys = block.keys();
        if !keys.is_empty() {
            given = given.and(block.given);
        }
        reserve(&mut all, keys.len())?;
        all.extend_from_slice(&keys);
        Ok(())
    })?;
    Ok((all, given))
}

/// Whether these "many" keys are one: an iterable whose parts nobody means.
fn is_one(keys: &Bound<'_, PyAny>) -> bool {
    keys.is_instance_of::<PyString>()
        || keys.is_instance_of::<PyBytes>()
        || keys.is_instance_of::<PyByteArray>()
}
