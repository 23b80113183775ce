//! Filters as sets: unions, intersections and subsets.

use crate::data::expect_room;
use crate::error::OrRaise;
use crate::filter::{Both, Filter, filter_of};
use crate::insert::{InsertFilter, with_both};
use crate::state::{State, hashes_alike};
use amq::{AnyFile, AnyFilter};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

#[pymethods]
impl InsertFilter {
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
        Self::merge(slf, other.as_any())
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
        // With itself, it is itself.
        let others = others.iter().map(|other| if other.is(slf) { copied.clone() } else { other });
        let others = PyTuple::new(slf.py(), others.collect::<Vec<_>>())?;
        Self::update(copied.cast()?, &others)?;
        Ok(copied)
    }

    /// A new filter with the keys that this one and all others have. Bloom filters only.
    ///
    /// Its approx_items is far too high. The number of keys that a and b have in common is about
    /// a.approx_items + b.approx_items - a.union(b).approx_items.
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
            intersect(slf, filter_of(&other)?)?;
        }
        Ok(())
    }

    /// Whether every bit of this filter is set in the other. Bloom filters only.
    #[pyo3(signature = (other, /))]
    fn issubset(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        covers(filter_of(other)?, slf.as_super())
    }

    /// Whether every bit of the other filter is set in this one. Bloom filters only.
    #[pyo3(signature = (other, /))]
    fn issuperset(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        covers(slf.as_super(), filter_of(other)?)
    }

    fn __le__(slf: &Bound<'_, Self>, other: &Bound<'_, Filter>) -> PyResult<bool> {
        covers(other, slf.as_super())
    }

    fn __ge__(slf: &Bound<'_, Self>, other: &Bound<'_, Filter>) -> PyResult<bool> {
        covers(slf.as_super(), other)
    }

    fn __lt__(slf: &Bound<'_, Self>, other: &Bound<'_, Filter>) -> PyResult<bool> {
        Ok(covers(other, slf.as_super())? && !covers(slf.as_super(), other)?)
    }

    fn __gt__(slf: &Bound<'_, Self>, other: &Bound<'_, Filter>) -> PyResult<bool> {
        Ok(covers(slf.as_super(), other)? && !covers(other, slf.as_super())?)
    }

    // A class that compares does so in all ways.
    fn __eq__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        Filter::equals(slf.as_super(), other)
    }
}

fn copied<'py>(slf: &Bound<'py, InsertFilter>) -> PyResult<Bound<'py, PyAny>> {
    slf.as_any().call_method0("copy")
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
fn covers(slf: &Bound<'_, Filter>, subset: &Bound<'_, Filter>) -> PyResult<bool> {
    if slf.is(subset) {
        return Ok(true);
    }
    let (py, ours, theirs) = (slf.py(), slf.get(), subset.get());
    ours.hashing.expect_same(py, &theirs.hashing)?;
    let both = Both::new(py, ours, theirs)?;
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
                    Ok(common.as_bytes() == theirs.as_bytes())
                }
                (AnyFilter::BlockedBloom(ours), AnyFilter::BlockedBloom(theirs)) => {
                    let mut common = theirs.clone();
                    common.intersect(ours).raised()?;
                    Ok(common.as_bytes() == theirs.as_bytes())
                }
                (AnyFilter::WideBlockedBloom(ours), AnyFilter::WideBlockedBloom(theirs)) => {
                    let mut common = theirs.clone();
                    common.intersect(ours).raised()?;
                    Ok(common.as_bytes() == theirs.as_bytes())
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
