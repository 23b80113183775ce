//! Filters that remove keys and count them.

use crate::filter::Filter;
use crate::insert::InsertFilter;
use crate::make::empty;
use crate::number::{Natural, Real};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

/// A filter that removes keys, and counts the copies of a key.
#[pyclass(frozen, subclass, extends = InsertFilter, module = "amq")]
#[derive(Debug)]
pub(crate) struct RemoveFilter;

fn base<'a>(slf: &'a Bound<'_, RemoveFilter>) -> &'a Filter {
    slf.as_super().as_super().get()
}

#[pymethods]
impl RemoveFilter {
    #[new]
    #[classmethod]
    #[pyo3(signature = (capacity, fpr=None, hash_func=None, **options), text_signature = None)]
    fn new<'py>(
        cls: &Bound<'py, PyType>,
        capacity: Natural,
        fpr: Option<Real>,
        hash_func: Option<Bound<'py, PyAny>>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let filter = empty(cls, capacity, fpr, hash_func, options)?;
        Ok(PyClassInitializer::from(filter).add_subclass(InsertFilter).add_subclass(Self))
    }

    /// Removes one copy of a key. False: it was certainly not in, and nothing changed.
    ///
    /// Only remove what you inserted: removing another key may remove one that looks like it.
    ///
    /// >>> from amq import CuckooFilter
    /// >>> live = CuckooFilter(1000)
    /// >>> live.add("alice")
    /// True
    /// >>> live.discard("alice"), live.discard("alice")
    /// (True, False)
    #[pyo3(signature = (key, /))]
    fn discard(slf: &Bound<'_, Self>, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        let (hash, given) = base(slf).hashing.hash(key)?;
        base(slf).write(slf.py()).remove(hash, given)
    }

    /// Removes one copy of a key, and raises KeyError if it was certainly not in; see discard.
    #[pyo3(signature = (key, /))]
    fn remove(slf: &Bound<'_, Self>, key: &Bound<'_, PyAny>) -> PyResult<()> {
        match Self::discard(slf, key)? {
            true => Ok(()),
            false => Err(PyKeyError::new_err(key.clone().unbind())),
        }
    }

    /// The number of copies of a key: never too few, unless the kind's counter has no room for
    /// more.
    ///
    /// >>> from amq import QuotientFilter
    /// >>> words = QuotientFilter(1000)
    /// >>> words.update("to be or not to be".split())
    /// 4
    /// >>> words.count("be"), words.count("question")
    /// (2, 0)
    #[pyo3(signature = (key, /))]
    fn count(slf: &Bound<'_, Self>, key: &Bound<'_, PyAny>) -> PyResult<u64> {
        let (hash, given) = base(slf).hashing.hash(key)?;
        base(slf).read(slf.py()).count(hash, given)
    }
}
