//! Filters as sets: unions, intersections and subsets.

use crate::classes;
use crate::error::OrRaise;
use crate::filter::{Filter, filter_of};
use crate::guard::Both;
use crate::insert::{InsertFilter, with_both};
use crate::number::Natural;
use crate::state::hashes_alike;
use amq::{AnyFile, AnyFilter, Filter as _};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

#[pymethods]
impl InsertFilter {
    fn __or__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, Filter>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Self::union(slf, &PyTuple::new(slf.py(), [other])?)
    }

    fn __ior__(slf: &Bound<'_, Self>, other: &Bound<'_, Filter>) -> PyResult<()> {
        Self::merge(slf, other.as_any())
    }

    fn __and__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, Filter>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Self::intersection(slf, &PyTuple::new(slf.py(), [other])?)
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

    /// A new filter with the same keys in a table so many times smaller, and the higher rate that
    /// goes with it. Bloom filters only.
    ///
    /// Plan for the most keys that there may be, and fold once they are known: 2, 4, 8, 16, 32 and
    /// 64 divide the table of a BloomFilter.
    ///
    /// >>> from amq import BloomFilter
    /// >>> seen = BloomFilter(64_000, 0.01)
    /// >>> seen.update(range(1000))
    /// 1000
    /// >>> small = seen.fold(32)
    /// >>> round(seen.size_in_bytes / small.size_in_bytes), 999 in small
    /// (32, True)
    #[pyo3(signature = (factor, /))]
    fn fold<'py>(slf: &Bound<'py, Self>, factor: Natural) -> PyResult<Bound<'py, PyAny>> {
        let (py, this) = (slf.py(), slf.as_super().get());
        let shared = this.shared(py);
        let file = py.detach(|| {
            let state = shared.read();
            let file = state.file()?;
            let mut small = this.hashing.wrap(folded(file.filter().into_inner(), factor.0)?);
            if let AnyFile::Keys(_, info) | AnyFile::Keyed(_, info) = &mut small {
                *info = file.key_info();
            }
            Ok::<_, PyErr>(small)
        })?;
        classes::instance(py, this.hashing.clone_ref(py), file)
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
        let (file, theirs) = (ours.file_mut()?, theirs.file()?);
        hashes_alike(file, theirs).raised()?;
        let (mine, other) = (file.key_info(), theirs.key_info());
        keep_common(file.filter_mut().into_inner(), theirs.filter().into_inner())?;
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
    let both = Both::new(py, &ours.state, &theirs.state);
    py.detach(|| {
        both.read(|whole, part| {
            let (whole, part) = (whole.file()?, part.file()?);
            hashes_alike(whole, part).raised()?;
            let (whole, part) = (whole.filter().into_inner(), part.filter().into_inner());
            let (Some(all), Some(some)) = (bits(whole), bits(part)) else {
                return Err(no_bits(whole));
            };
            whole.can_merge(part).raised()?;
            Ok(all.iter().zip(some).all(|(all, some)| some & !all == 0))
        })
    })
}

/// Keeps the bits that are set in both.
fn keep_common(ours: &mut AnyFilter, theirs: &AnyFilter) -> PyResult<()> {
    use AnyFilter::{BlockedBloom, Bloom, WideBlockedBloom};
    match (ours, theirs) {
        (Bloom(ours), Bloom(theirs)) => ours.intersect(theirs).raised(),
        (BlockedBloom(ours), BlockedBloom(theirs)) => ours.intersect(theirs).raised(),
        (WideBlockedBloom(ours), WideBlockedBloom(theirs)) => ours.intersect(theirs).raised(),
        (ours, _) => Err(no_bits(ours)),
    }
}

/// The table of a Bloom filter.
pub(crate) fn bits(filter: &AnyFilter) -> Option<&[u8]> {
    match filter {
        AnyFilter::Bloom(filter) => Some(filter.as_bytes()),
        AnyFilter::BlockedBloom(filter) => Some(filter.as_bytes()),
        AnyFilter::WideBlockedBloom(filter) => Some(filter.as_bytes()),
        _ => None,
    }
}

/// The number of keys of a Bloom filter by the bits that are set.
pub(crate) fn estimate(filter: &AnyFilter) -> Option<f64> {
    match filter {
        AnyFilter::Bloom(filter) => Some(filter.estimated_cardinality()),
        AnyFilter::BlockedBloom(filter) => Some(filter.estimated_cardinality()),
        AnyFilter::WideBlockedBloom(filter) => Some(filter.estimated_cardinality()),
        _ => None,
    }
}

/// A Bloom filter in a smaller table.
fn folded(filter: &AnyFilter, factor: u64) -> PyResult<AnyFilter> {
    match filter {
        AnyFilter::Bloom(filter) => filter.fold(factor).map(AnyFilter::from).raised(),
        AnyFilter::BlockedBloom(filter) => filter.fold(factor).map(AnyFilter::from).raised(),
        AnyFilter::WideBlockedBloom(filter) => filter.fold(factor).map(AnyFilter::from).raised(),
        other => Err(no_bits(other)),
    }
}

fn no_bits(filter: &AnyFilter) -> PyErr {
    PyTypeError::new_err(format!(
        "bits of a {} filter are not compared: BloomFilter, BlockedBloomFilter and \
         WideBlockedBloomFilter, in memory and of one kind, have intersections and subsets, and \
         are folded",
        filter.kind()
    ))
}
