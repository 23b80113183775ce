//! Filters that take keys one by one.

use crate::calls;
use crate::data::expect_room;
use crate::error::{OrRaise, OverfullWarning};
use crate::filter::{Both, Filter};
use crate::many::Many;
use crate::state::{State, hashes_alike};
use amq::{AnyFile, AnyFilter};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// A filter that takes keys one by one, and can be merged with its like.
#[pyclass(frozen, subclass, extends = Filter, module = "amq")]
#[derive(Debug)]
pub(crate) struct InsertFilter;

#[pymethods]
impl InsertFilter {
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
        let put = this.write(py).insert(hash, given)?;
        if put.overfull {
            warn(slf)?;
        }
        Ok(put.inserted.is_new())
    }

    /// Inserts many keys, and returns how many were certainly not in before.
    ///
    /// Each argument is an array (NumPy, Arrow, pandas, polars), any iterable of keys, or a filter
    /// to be merged. Nulls of Arrow are left out. If a key of a list or an array is none, nothing
    /// is inserted; of a generator, the keys before it are in.
    ///
    /// >>> from amq import BloomFilter
    /// >>> seen = BloomFilter(1000)
    /// >>> seen.update(range(100), ["a", "b"])
    /// 102
    #[pyo3(signature = (*keys))]
    fn update(slf: &Bound<'_, Self>, keys: &Bound<'_, PyTuple>) -> PyResult<u64> {
        let (mut new, mut done) = (0, 0);
        for keys in keys {
            new += match keys.cast::<Filter>() {
                Ok(other) => merge(slf, other)?,
                Err(_) => {
                    let filter = slf.as_super().get();
                    let (inserted, overfull) =
                        Many::of(&keys, &filter.hashing)?.insert_into(filter, &mut done)?;
                    if overfull {
                        warn(slf)?;
                    }
                    inserted
                }
            };
        }
        Ok(new)
    }

    /// Adds every key of another filter of the same parameters and seed. All or nothing.
    ///
    /// >>> from amq import BloomFilter
    /// >>> monday, tuesday = BloomFilter(1000), BloomFilter(1000)
    /// >>> tuesday.add("bob")
    /// True
    /// >>> monday.merge(tuesday)
    /// >>> "bob" in monday
    /// True
    #[pyo3(signature = (other, /))]
    fn merge(slf: &Bound<'_, Self>, other: &Bound<'_, Filter>) -> PyResult<()> {
        merge(slf, other)?;
        Ok(())
    }

    fn __or__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        match other.cast::<Filter>() {
            Ok(_) => Self::union(slf, &PyTuple::new(py, [other])?),
            Err(_) => Ok(py.NotImplemented().into_bound(py)),
        }
    }

    fn __ior__(slf: &Bound<'_, Self>, other: &Bound<'_, Filter>) -> PyResult<()> {
        Self::merge(slf, other)
    }

    fn __and__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        match other.cast::<Filter>() {
            Ok(_) => Self::intersection(slf, &PyTuple::new(py, [other])?),
            Err(_) => Ok(py.NotImplemented().into_bound(py)),
        }
    }

    fn __iand__(slf: &Bound<'_, Self>, other: &Bound<'_, Filter>) -> PyResult<()> {
        intersect(slf, other)
    }

    /// A new filter with the keys of this one and of all others, as update takes them.
    #[pyo3(signature = (*others))]
    fn union<'py>(
        slf: &Bound<'py, Self>,
        others: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let copied = copied(slf)?;
        Self::update(copied.cast()?, others)?;
        Ok(copied)
    }

    /// A new filter with the keys that this one and all others have. Bloom filters only.
    #[pyo3(signature = (*others))]
    fn intersection<'py>(
        slf: &Bound<'py, Self>,
        others: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let copied = copied(slf)?;
        Self::intersection_update(copied.cast()?, others)?;
        Ok(copied)
    }

    /// Keeps the keys that all others have, too. Bloom filters only.
    #[pyo3(signature = (*others))]
    fn intersection_update(slf: &Bound<'_, Self>, others: &Bound<'_, PyTuple>) -> PyResult<()> {
        for other in others {
            intersect(slf, other.cast::<Filter>()?)?;
        }
        Ok(())
    }

    /// Whether every bit of this filter is set in the other. Bloom filters only.
    #[pyo3(signature = (other, /))]
    fn issubset(slf: &Bound<'_, Self>, other: &Bound<'_, Self>) -> PyResult<bool> {
        covers(other, slf)
    }

    /// Whether every bit of the other filter is set in this one. Bloom filters only.
    #[pyo3(signature = (other, /))]
    fn issuperset(slf: &Bound<'_, Self>, other: &Bound<'_, Self>) -> PyResult<bool> {
        covers(slf, other)
    }

    fn __le__(slf: &Bound<'_, Self>, other: &Bound<'_, Self>) -> PyResult<bool> {
        covers(other, slf)
    }

    fn __ge__(slf: &Bound<'_, Self>, other: &Bound<'_, Self>) -> PyResult<bool> {
        covers(slf, other)
    }

    fn __lt__(slf: &Bound<'_, Self>, other: &Bound<'_, Self>) -> PyResult<bool> {
        Ok(covers(other, slf)? && !covers(slf, other)?)
    }

    fn __gt__(slf: &Bound<'_, Self>, other: &Bound<'_, Self>) -> PyResult<bool> {
        Ok(covers(slf, other)? && !covers(other, slf)?)
    }

    // A class that compares does so in all ways.
    fn __eq__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> bool {
        Filter::equals(slf.as_super(), other)
    }

    /// The number of different keys by the bits that are set. Bloom filters only: others count.
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

fn copied<'py>(slf: &Bound<'py, InsertFilter>) -> PyResult<Bound<'py, PyAny>> {
    slf.as_any().call_method0("copy")
}

/// The two filters of different objects; the second copied if both are one.
fn with_both<T: Send>(
    slf: &Bound<'_, InsertFilter>,
    other: &Bound<'_, Filter>,
    change: impl FnOnce(&mut State, &State) -> PyResult<T> + Send,
) -> PyResult<T> {
    let (py, ours) = (slf.py(), slf.as_super().get());
    ours.hashing.expect_same(py, &other.get().hashing)?;
    if slf.is(other) {
        let theirs = other.as_any().call_method0("copy")?;
        let theirs = theirs.cast::<Filter>()?.get();
        let both = Both::new(py, ours, theirs);
        return py.detach(|| both.change(change));
    }
    let both = Both::new(py, ours, other.get());
    py.detach(|| both.change(change))
}

/// Merges; returns by how much the number of keys grew.
fn merge(slf: &Bound<'_, InsertFilter>, other: &Bound<'_, Filter>) -> PyResult<u64> {
    let (grown, overfull) = with_both(slf, other, |ours, theirs| {
        let before = ours.filter().len();
        let (Some(file), Some(other)) = (ours.file_mut(), theirs.file()) else {
            return Err(PyTypeError::new_err(
                "a filter that was opened in its file cannot be merged: amq.load reads it",
            ));
        };
        file.merge(other).raised()?;
        Ok((ours.filter().len().saturating_sub(before), ours.merged()))
    })?;
    if overfull {
        warn(slf)?;
    }
    Ok(grown)
}

fn intersect(slf: &Bound<'_, InsertFilter>, other: &Bound<'_, Filter>) -> PyResult<()> {
    with_both(slf, other, |ours, theirs| {
        let Some(theirs) = theirs.file() else { return Err(no_intersection(theirs)) };
        let Some(file) = ours.file_mut() else { return Err(no_intersection(ours)) };
        hashes_alike(file, theirs).raised()?;
        let (mine, other) = (file.key_info(), theirs.key_info());
        match (file.filter_mut().into_inner(), theirs.filter().into_inner()) {
            (AnyFilter::Bloom(ours), AnyFilter::Bloom(theirs)) => {
                ours.intersect(theirs).raised()?
            }
            (AnyFilter::BlockedBloom(ours), AnyFilter::BlockedBloom(theirs)) => {
                ours.intersect(theirs).raised()?;
            }
            (AnyFilter::WideBlockedBloom(ours), AnyFilter::WideBlockedBloom(theirs)) => {
                ours.intersect(theirs).raised()?;
            }
            _ => return Err(no_intersection(ours)),
        }
        if let AnyFile::Keys(_, info) | AnyFile::Keyed(_, info) = file {
            info.encoding = mine.encoding.and(other.encoding);
            info.withheld = mine.withheld || other.withheld;
        }
        Ok(())
    })
}

/// Whether each bit of `subset` is set in the other.
fn covers(slf: &Bound<'_, InsertFilter>, subset: &Bound<'_, InsertFilter>) -> PyResult<bool> {
    if slf.is(subset) {
        return Ok(true);
    }
    let (py, ours, theirs) = (slf.py(), slf.as_super().get(), subset.as_super().get());
    ours.hashing.expect_same(py, &theirs.hashing)?;
    let both = Both::new(py, ours, theirs);
    py.detach(|| {
        both.read(|whole, part| {
            let (Some(ours), Some(theirs)) = (whole.file(), part.file()) else {
                return Err(no_intersection(whole));
            };
            hashes_alike(ours, theirs).raised()?;
            expect_room(part.filter().size_in_bytes())?;
            match (ours.filter().into_inner(), theirs.filter().into_inner()) {
                (AnyFilter::Bloom(ours), AnyFilter::Bloom(theirs)) => {
                    let mut common = theirs.clone();
                    common.intersect(ours).raised()?;
                    Ok(common.as_words() == theirs.as_words())
                }
                (AnyFilter::BlockedBloom(ours), AnyFilter::BlockedBloom(theirs)) => {
                    let mut common = theirs.clone();
                    common.intersect(ours).raised()?;
                    Ok(common.blocks() == theirs.blocks())
                }
                (AnyFilter::WideBlockedBloom(ours), AnyFilter::WideBlockedBloom(theirs)) => {
                    let mut common = theirs.clone();
                    common.intersect(ours).raised()?;
                    Ok(common.blocks() == theirs.blocks())
                }
                _ => Err(no_intersection(whole)),
            }
        })
    })
}

fn no_intersection(state: &State) -> PyErr {
    PyTypeError::new_err(format!(
        "bits of a {} filter are not compared: BloomFilter, BlockedBloomFilter and \
         WideBlockedBloomFilter, in memory and of one kind, have intersections and subsets",
        state.filter().kind()
    ))
}

/// Says that the filter holds more keys than planned, where the caller stands.
#[cold]
fn warn(slf: &Bound<'_, InsertFilter>) -> PyResult<()> {
    let py = slf.py();
    let stats = slf.as_super().get().read(py).stats();
    let text = format!(
        "the filter is past its plan, and errs more often from now on. Plan for more keys, or take \
         one that grows, such as ScalableBloomFilter: {stats}"
    );
    let text = std::ffi::CString::new(text)?;
    calls::warn(&py.get_type::<OverfullWarning>(), &text)
}
