//! How a filter's keys are hashed.

use crate::answers;
use crate::encoding::Given;
use crate::key;
use crate::many::{Nulls, all};
use crate::number;
use crate::number::{Natural, SecretKey};
use crate::repr::shown;
use amq::{AnyFile, AnyFilter, Bytes, KeyHash, KeyInfo, Keyed, Prehashed, SipKey};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCFunction;

/// Under a seed, under a secret key, or by a function of the caller.
#[derive(Debug)]
pub(crate) enum Hashing {
    Seed(u64),
    Key(SipKey),
    /// `None`: a file of such hashes that was loaded without their function.
    Caller(Option<Py<PyAny>>),
}

impl Hashing {
    /// As the arguments of a constructor say it.
    pub(crate) fn new(
        seed: Option<u64>,
        key: Option<SipKey>,
        hash_func: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        match (seed, key, hash_func) {
            (seed, None, None) => Ok(Self::Seed(seed.unwrap_or(amq::DEFAULT_SEED))),
            (None, Some(key), None) => Ok(Self::Key(key)),
            (None, None, Some(function)) => Ok(Self::Caller(Some(checked(&function)?))),
            _ => Err(PyValueError::new_err("give one of seed, key and hash_func")),
        }
    }

    /// Those of a file's keys.
    pub(crate) fn of_file<B: Bytes>(
        file: &AnyFile<B>,
        hash_func: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let own = match file {
            AnyFile::Keys(filter, _) => Self::Seed(amq::Filter::seed(filter)),
            AnyFile::Keyed(filter, _) => Self::Key(filter.key()),
            // `Withheld` is what was read with `Secret::Unknown`: none here.
            AnyFile::Hashes(_) | AnyFile::Withheld(..) => {
                let function = hash_func.map(|function| checked(&function)).transpose()?;
                return Ok(Self::Caller(function));
            }
        };
        match hash_func {
            None => Ok(own),
            Some(_) => Err(PyValueError::new_err(
                "the filter hashes its keys itself: load it without hash_func",
            )),
        }
    }

    /// The filter as what a file holds.
    pub(crate) fn wrap(&self, filter: AnyFilter) -> AnyFile {
        match self {
            Self::Seed(_) => AnyFile::Keys(filter, KeyInfo::default()),
            Self::Key(key) => AnyFile::Keyed(Keyed::of(filter, *key), KeyInfo::default()),
            Self::Caller(_) => AnyFile::Hashes(Prehashed::of(filter)),
        }
    }

    /// The seed that the filter inside is made with.
    pub(crate) const fn seed(&self) -> u64 {
        match self {
            Self::Seed(seed) => *seed,
            Self::Key(_) | Self::Caller(_) => amq::DEFAULT_SEED,
        }
    }

    /// The caller's function.
    pub(crate) const fn function(&self) -> Option<&Py<PyAny>> {
        match self {
            Self::Caller(function) => function.as_ref(),
            Self::Seed(_) | Self::Key(_) => None,
        }
    }

    /// The hash of a key, and what it was given as.
    #[inline]
    pub(crate) fn hash(&self, key: &Bound<'_, PyAny>) -> PyResult<(KeyHash, Given)> {
        match self {
            Self::Seed(seed) => key::hashed(key, *seed),
            Self::Key(secret) => key::hashed(key, *secret),
            Self::Caller(Some(function)) => {
                Ok((by_caller(function.bind(key.py()), key)?, Given::OTHERS))
            }
            Self::Caller(None) => Err(PyTypeError::new_err(
                "the keys of this filter were hashed by the program that made it: load it with \
                 hash_func, the function that it hashed them by",
            )),
        }
    }

    /// The hash of a key of the common types under a seed; `None` says nothing.
    #[inline(always)]
    pub(crate) fn common(&self, key: &Bound<'_, PyAny>) -> Option<(KeyHash, Given)> {
        match self {
            Self::Seed(seed) => key::common(key, *seed),
            Self::Key(_) | Self::Caller(_) => None,
        }
    }

    /// Whether the caller's functions are one, where both have one.
    pub(crate) fn is_same(&self, py: Python<'_>, other: &Self) -> PyResult<bool> {
        match (self.function(), other.function()) {
            // Methods are made anew each time that they are taken from an object.
            (Some(ours), Some(theirs)) => Ok(ours.is(theirs) || ours.bind(py).eq(theirs)?),
            _ => Ok(true),
        }
    }

    /// Refuses two filters whose keys are hashed by functions of which one is not the other.
    pub(crate) fn expect_same(&self, py: Python<'_>, other: &Self) -> PyResult<()> {
        match (self.function(), other.function()) {
            (Some(ours), Some(theirs)) if !self.is_same(py, other)? => {
                Err(PyValueError::new_err(format!(
                    "the filters hash keys in different ways: by {} and by {}",
                    shown(ours.bind(py))?,
                    shown(theirs.bind(py))?
                )))
            }
            _ => Ok(()),
        }
    }

    /// Another one like it.
    pub(crate) fn clone_ref(&self, py: Python<'_>) -> Self {
        match self {
            Self::Seed(seed) => Self::Seed(*seed),
            Self::Key(key) => Self::Key(*key),
            Self::Caller(function) => {
                Self::Caller(function.as_ref().map(|function| function.clone_ref(py)))
            }
        }
    }
}

/// A function that can be the hash of a file.
fn checked(function: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
    if !function.is_callable() {
        let text = format!("hash_func is {}, which cannot be called", shown(function)?);
        return Err(PyTypeError::new_err(text));
    }
    let built_in = function.is_instance_of::<PyCFunction>()
        && function.is(&function.py().import("builtins")?.getattr("hash")?);
    if built_in {
        return Err(PyValueError::new_err(
            "hash() gives text another hash in every process, and small integers themselves: leave \
             hash_func away, and keys are hashed by the filter",
        ));
    }
    Ok(function.clone().unbind())
}

/// The lowest 64 bits of what the caller's function returns.
fn by_caller(function: &Bound<'_, PyAny>, key: &Bound<'_, PyAny>) -> PyResult<KeyHash> {
    let number = function.call1((key,))?;
    let bits = match number::whole(&number)? {
        Some(number) => number::lowest(&number),
        None => None,
    };
    match bits {
        Some(bits) => Ok(KeyHash::new(bits)),
        None => Err(PyTypeError::new_err(format!(
            "hash_func returned {}: it must be an integer of up to 128 bits, of which the lowest 64 \
             are used",
            shown(&number)?
        ))),
    }
}

/// The hash of a key, as a filter with this seed or secret key has it: contains_hash takes it. One
/// hash for many filters saves hashing the key for each.
///
/// >>> import amq
/// >>> days = [amq.BloomFilter(1000) for _ in range(7)]
/// >>> days[3].add("alice")
/// True
/// >>> hashed = amq.hash("alice")
/// >>> [day.contains_hash(hashed) for day in days].index(True)
/// 3
#[pyfunction]
#[pyo3(signature = (object, /, *, seed=None, key=None))]
pub(crate) fn hash(
    object: &Bound<'_, PyAny>,
    seed: Option<Natural>,
    key: Option<SecretKey>,
) -> PyResult<u64> {
    let hashing = Hashing::new(seed.map(|seed| seed.0), key.map(|key| key.0), None)?;
    Ok(hashing.hash(object)?.0.get())
}

/// The hashes of many keys, an array or any iterable, for contains_hashes: an array of
/// numpy.uint64, or a memoryview where there is no NumPy. Nulls are an error.
#[pyfunction]
#[pyo3(signature = (keys, /, *, seed=None, key=None))]
pub(crate) fn hashes<'py>(
    keys: &Bound<'py, PyAny>,
    seed: Option<Natural>,
    key: Option<SecretKey>,
) -> PyResult<Bound<'py, PyAny>> {
    let hashing = Hashing::new(seed.map(|seed| seed.0), key.map(|key| key.0), None)?;
    answers::hashes(keys.py(), &all(keys, &hashing, Nulls::Refused)?.0)
}
