//! Filters that take keys one by one, and those that also remove and count them.

use crate::answers;
use crate::error::{OrRaise, OverfullWarning};
use crate::filter::{Filter, filter_of};
use crate::guard::Both;
use crate::make::empty;
use crate::many::Many;
use crate::number::{Natural, Real};
use crate::state::{State, read_only};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};

/// A filter that takes keys one by one, and can be merged with its like.
#[pyclass(frozen, subclass, extends = Filter, module = "amq")]
#[derive(Debug)]
pub(crate) struct InsertFilter;

#[pymethods]
impl InsertFilter {
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
        Ok(PyClassInitializer::from(filter).add_subclass(Self))
    }

    /// Inserts a key. True: it was certainly not in before.
    ///
    /// Raises amq.Full if there is no place for it; Bloom filters take every key, and warn once
    /// when they hold more than planned.
    ///
    /// >>> from amq import BloomFilter
    /// >>> seen = BloomFilter(1000)
    /// >>> seen.add("alice"), seen.add("alice")
    /// (True, False)
    #[pyo3(signature = (key, /))]
    fn add(slf: &Bound<'_, Self>, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        let (py, this) = (slf.py(), slf.as_super().get());
        let (hash, given) = this.hashing.hash(key)?;
        let put = this.write(py).insert_all(&[hash], given, 0, None)?;
        if put.overfull {
            warn(slf, 1)?;
        }
        Ok(put.new > 0)
    }

    /// Inserts many keys, and returns how many were certainly not in before.
    ///
    /// Each argument is an array (NumPy, Arrow, pandas, polars), any iterable of keys, or a filter
    /// to be merged, whose keys are not counted. Nulls of Arrow are left out. If a key of a list or
    /// an array is none, nothing is inserted; of a generator, the keys before it are in. Generators
    /// do not find their last keys in the filter, as they are inserted in blocks. What was inserted
    /// before Ctrl-C stays in.
    ///
    /// >>> from amq import BloomFilter
    /// >>> seen = BloomFilter(1000)
    /// >>> seen.update(range(100), ["a", "b"])
    /// 102
    #[pyo3(signature = (*keys))]
    pub(crate) fn update(slf: &Bound<'_, Self>, keys: &Bound<'_, PyTuple>) -> PyResult<u64> {
        let (mut new, mut done) = (0, 0);
        for keys in keys {
            if let Ok(other) = keys.cast::<Filter>() {
                merge(slf, other)?;
                continue;
            }
            let filter = slf.as_super().get();
            let (inserted, overfull) =
                Many::of(&keys, &filter.hashing)?.insert_into(filter, &mut done, None)?;
            new += inserted;
            if overfull {
                warn(slf, done)?;
            }
        }
        Ok(new)
    }

    /// Inserts many keys, and returns for each whether it was certainly not in before: an array of
    /// bools, in the order of the keys. Of a key that comes twice only the first can be new. Nulls
    /// of Arrow are left out, and not new.
    ///
    /// The keys are as for update, and so is what is in after an error; which of those were new is
    /// lost then. Kinds that count copies keep one for each key: to remove duplicates, take a Bloom
    /// filter, which is never full.
    ///
    /// >>> from amq import BlockedBloomFilter
    /// >>> seen = BlockedBloomFilter(1000)
    /// >>> seen.add_new(["a", "b", "a"]).tolist()
    /// [True, True, False]
    #[pyo3(signature = (keys, /))]
    fn add_new<'py>(
        slf: &Bound<'py, Self>,
        keys: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (filter, mut done, mut new) = (slf.as_super().get(), 0, Vec::new());
        let keys = Many::of(keys, &filter.hashing)?;
        if keys.insert_into(filter, &mut done, Some(&mut new))?.1 {
            warn(slf, done)?;
        }
        answers::bools(slf.py(), &new)
    }

    /// Adds every key of another filter of the same parameters and seed. All or nothing.
    ///
    /// len becomes the sum of both: of a Bloom filter, a key in both counts twice, and approx_items
    /// estimates the number of different ones.
    ///
    /// >>> from amq import BloomFilter
    /// >>> monday, tuesday = BloomFilter(1000), BloomFilter(1000)
    /// >>> tuesday.add("bob")
    /// True
    /// >>> monday.merge(tuesday)
    /// >>> "bob" in monday
    /// True
    #[pyo3(signature = (other, /))]
    pub(crate) fn merge(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<()> {
        merge(slf, filter_of(other)?)
    }

    /// The number of different keys by the bits that are set. Bloom filters only: of others, len.
    /// Too high after an intersection, which says what is right.
    #[getter]
    fn approx_items(slf: &Bound<'_, Self>) -> PyResult<f64> {
        Ok(slf.as_super().get().read(slf.py()).estimated_len())
    }

    /// Removes every key. Seed and parameters stay.
    fn clear(slf: &Bound<'_, Self>) -> PyResult<()> {
        slf.as_super().get().write(slf.py()).clear()
    }
}

impl InsertFilter {
    /// Inserts a common key where there is nothing else to be done, and says whether it is new;
    /// `None` if nothing was done, for whatever reason.
    #[inline]
    pub(crate) fn add_another(slf: &Bound<'_, Self>, key: &Bound<'_, PyAny>) -> Option<bool> {
        let this = slf.as_super().get();
        let (hash, given) = this.hashing.common(key)?;
        this.write(slf.py()).insert_another(hash, given)
    }
}

/// The two filters of different objects; the second copied if both are one.
pub(crate) fn with_both<T: Send>(
    slf: &Bound<'_, InsertFilter>,
    other: &Bound<'_, Filter>,
    change: impl FnOnce(&mut State, &State) -> PyResult<T> + Send,
) -> PyResult<T> {
    let (py, ours) = (slf.py(), slf.as_super().get());
    ours.hashing.expect_same(py, &other.get().hashing)?;
    let other = match slf.is(other) {
        true => other.call_method0("copy")?.cast_into::<Filter>()?,
        false => other.clone(),
    };
    // A view is its own copy: someone gave it another class.
    if slf.is(&other) {
        return Err(read_only());
    }
    let both = Both::new(py, &ours.state, &other.get().state);
    py.detach(|| both.change(change))
}

fn merge(slf: &Bound<'_, InsertFilter>, other: &Bound<'_, Filter>) -> PyResult<()> {
    // The union of a set with itself.
    if slf.is(other) && slf.as_super().get().read(slf.py()).is_of_sets() {
        return Ok(());
    }
    let overfull = with_both(slf, other, |ours, theirs| {
        ours.file_mut()?.merge(theirs.file()?).raised()?;
        Ok(ours.merged())
    })?;
    if overfull {
        warn(slf, 0)?;
    }
    Ok(())
}

/// Says that the filter holds more keys than planned, where the caller stands; if that raises, also
/// how many of the call's keys are in.
#[cold]
fn warn(slf: &Bound<'_, InsertFilter>, inserted: u64) -> PyResult<()> {
    let py = slf.py();
    let described = slf.as_super().get().read(py).described();
    let text = format!(
        "the filter is past its plan, and errs more often from now on. Plan for more keys, or take \
         one that grows, such as ScalableBloomFilter: {described}"
    );
    let text = std::ffi::CString::new(text)?;
    let class = py.get_type::<OverfullWarning>();
    let Err(error) = PyErr::warn(py, &class, &text, 1) else { return Ok(()) };
    if error.is_instance(py, &class) {
        error.value(py).setattr("inserted", inserted)?;
    }
    Err(error)
}

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
