//! What is behind a filter's lock.

use crate::encoding::{Given, is_usual};
use crate::error::{OrRaise, uneven};
use crate::file::Map;
use crate::rolling::{AnyGenerations, no_single_filter};
use crate::sets::{bits, estimate};
use amq::{
    Abilities, AnyFile, BatchInsertError, Filter, InsertFilter, KeyEncoding, KeyHash, MergeError,
    Stats, UnevenHashes,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::path::PathBuf;

/// A filter in memory, or one that stays in its file.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "each is in an object of its own, on the heap")]
pub(crate) enum Content {
    File(AnyFile),
    /// With the path of the file.
    View(AnyFile<Map>, PathBuf),
    Rolling(Box<dyn AnyGenerations>),
}

/// The filter, and what needs no second look.
#[derive(Debug)]
pub(crate) struct State {
    content: Content,
    /// Sorts of keys that are in: another one suits, and changes nothing of what the file says.
    settled: Given,
    /// Keys that it can take before the plan is looked at again; `u64::MAX` if never.
    left: u64,
    /// Whether the number of keys is a sum, in which those of both filters count twice.
    is_sum: bool,
    /// While it may turn out that the caller's hashes are weak.
    watch: Option<Watch>,
}

/// Hashes that were inserted, and what is to be said about it.
pub(crate) struct Put {
    pub(crate) new: u64,
    pub(crate) overfull: bool,
}

impl State {
    pub(crate) fn new(content: Content) -> Self {
        let by_caller = matches!(content, Content::File(AnyFile::Hashes(_)));
        let watch = by_caller.then(Watch::default);
        Self { content, settled: Given::NOTHING, left: 0, is_sum: false, watch }
    }

    /// Refuses hashes of the caller's function that show that it is weak. They must not be
    /// inserted.
    #[inline]
    fn expect_even(&mut self, hashes: &[KeyHash]) -> PyResult<()> {
        if let Some(watch) = &mut self.watch
            && !watch.take(hashes)?
        {
            self.watch = None;
        }
        Ok(())
    }

    pub(crate) const fn content(&self) -> &Content {
        &self.content
    }

    /// The filter, however it is held.
    pub(crate) fn filter(&self) -> &dyn Filter {
        match &self.content {
            Content::File(file) => file.filter().into_inner(),
            Content::View(view, _) => view.filter().into_inner(),
            Content::Rolling(generations) => generations,
        }
    }

    pub(crate) fn generations(&self) -> PyResult<&dyn AnyGenerations> {
        match &self.content {
            Content::Rolling(generations) => Ok(&**generations),
            _ => Err(read_only()),
        }
    }

    /// To be changed: the plan is looked at again.
    pub(crate) fn generations_mut(&mut self) -> PyResult<&mut dyn AnyGenerations> {
        self.left = 0;
        match &mut self.content {
            Content::Rolling(generations) => Ok(&mut **generations),
            _ => Err(read_only()),
        }
    }

    pub(crate) fn stats(&self) -> Stats {
        Stats::of(self.filter())
    }

    /// Bits of the table for each different key, as far as the filter tells.
    pub(crate) fn bits_per_key(&self) -> f64 {
        self.filter().size_in_bytes() as f64 * 8.0 / self.estimated_len()
    }

    /// All of that in words, and how much the number of keys says if it is a sum.
    pub(crate) fn described(&self) -> String {
        let stats = self.stats();
        if !self.is_sum || stats.len == 0 {
            return stats.to_string();
        }
        let different = match self.estimate() {
            Some(different) => format!(": about {different:.0} different keys"),
            None => String::new(),
        };
        format!("{stats}; after merging, common keys count more than once{different}")
    }

    /// Whether a key is in once, however often it was inserted.
    pub(crate) fn is_of_sets(&self) -> bool {
        !Abilities::of(self.filter().kind()).count
    }

    /// The answer for a key that suits the filter; `None` where that must be looked at.
    #[inline]
    pub(crate) fn contains(&self, hash: KeyHash) -> Option<bool> {
        match &self.content {
            Content::File(file) if is_usual(file.encoding()) => {
                Some(file.filter().contains_hash(hash))
            }
            Content::View(view, _) if is_usual(view.encoding()) => {
                Some(view.filter().contains_hash(hash))
            }
            Content::Rolling(generations) => Some(generations.contains_hash(hash)),
            _ => None,
        }
    }

    /// The answers for as many hashes.
    pub(crate) fn contains_all(
        &self,
        hashes: &[KeyHash],
        given: Given,
        answers: &mut [bool],
    ) -> PyResult<()> {
        self.expect(given)?;
        // They are of one length.
        let asked = self.filter().contains_batch(hashes, answers);
        asked.map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// The filter in memory, to be merged, saved or the like.
    pub(crate) fn file(&self) -> PyResult<&AnyFile> {
        match &self.content {
            Content::File(file) => Ok(file),
            Content::View(..) => Err(read_only()),
            Content::Rolling(_) => Err(no_single_filter()),
        }
    }

    /// The same, to be changed.
    pub(crate) fn file_mut(&mut self) -> PyResult<&mut AnyFile> {
        self.settled = Given::NOTHING;
        match &mut self.content {
            Content::File(file) => Ok(file),
            Content::View(..) => Err(read_only()),
            Content::Rolling(_) => Err(no_single_filter()),
        }
    }

    fn inserter(&mut self) -> PyResult<&mut dyn InsertFilter> {
        match &mut self.content {
            Content::File(file) => file.filter_mut().into_inner().as_insert().raised(),
            Content::View(..) => Err(read_only()),
            Content::Rolling(generations) => Ok(&mut **generations),
        }
    }

    /// Refuses keys that the filter denies by the way in which they are encoded.
    pub(crate) fn expect(&self, given: Given) -> PyResult<()> {
        let encoding = match &self.content {
            Content::File(file) => file.encoding(),
            Content::View(view, _) => view.encoding(),
            Content::Rolling(_) => KeyEncoding::Unknown,
        };
        match is_usual(encoding) || self.filter().is_empty() {
            true => Ok(()),
            false => given.expect_suited(encoding),
        }
    }

    /// Whether both have the same table, parameters, and way to hash. Bloom filters may differ in
    /// the number of keys, which is an estimate.
    pub(crate) fn equals(&self, other: &Self) -> bool {
        let (ours, theirs) = match (&self.content, &other.content) {
            (Content::Rolling(ours), Content::Rolling(theirs)) => {
                return ours.file() == theirs.file();
            }
            (Content::File(ours), Content::File(theirs)) if hashes_alike(ours, theirs).is_ok() => {
                (ours, theirs)
            }
            _ => return false,
        };
        let (ours, theirs) = (ours.filter().into_inner(), theirs.filter().into_inner());
        match bits(ours) {
            // Their numbers of keys depend on the order in which these came.
            Some(table) => ours.can_merge(theirs).is_ok() && Some(table) == bits(theirs),
            None => ours == theirs,
        }
    }

    /// Inserts a key of a sort that is in already, into a filter that is not past its plan then,
    /// and says whether it is new; `None` if nothing was done, for whatever reason.
    #[inline]
    pub(crate) fn insert_another(&mut self, hash: KeyHash, given: Given) -> Option<bool> {
        if !given.is_in(self.settled) || self.left == 0 {
            return None;
        }
        let inserted = match &mut self.content {
            Content::File(file) => file.filter_mut().into_inner().insert_hash(hash).ok()?,
            Content::Rolling(generations) => generations.insert_hash(hash).ok()?,
            Content::View(..) => return None,
        };
        self.left -= 1;
        Some(inserted.is_new())
    }

    /// Inserts all, after `done` others of the call; returns how many were new, and writes which.
    pub(crate) fn insert_all(
        &mut self,
        hashes: &[KeyHash],
        given: Given,
        done: u64,
        new: Option<&mut [bool]>,
    ) -> PyResult<Put> {
        self.expect(given)?;
        self.expect_even(hashes)?;
        let was_empty = self.filter().is_empty();
        let filter = self.inserter()?;
        let inserted = match new {
            Some(new) => filter.insert_batch_new(hashes, new),
            None => filter.insert_batch(hashes),
        };
        let some = inserted.as_ref().map_or_else(|error| error.done > 0, |_| !hashes.is_empty());
        if some {
            if let Content::File(file) = &mut self.content {
                file.set_encoding(given.into_filter(file.encoding(), was_empty));
            }
            self.settled = self.settled.and(given);
        }
        let overfull = self.is_overfull(hashes.len() as u64);
        let inserted = inserted.map_err(|error| {
            let done = error.done.saturating_add(done);
            BatchInsertError { done, ..error }
        });
        Ok(Put { new: inserted.raised()?, overfull })
    }

    /// Whether it holds more keys than planned for, after so many more. Said once.
    #[inline]
    fn is_overfull(&mut self, more: u64) -> bool {
        if self.left >= more {
            // Of a filter without a plan, too: 2^64 keys are never inserted.
            self.left -= more;
            return false;
        }
        self.has_passed_its_plan()
    }

    #[cold]
    fn has_passed_its_plan(&mut self) -> bool {
        let filter = self.filter();
        let (len, capacity) = (filter.len(), filter.capacity());
        let can_be = Abilities::of(filter.kind()).never_full;
        let len = if self.is_sum && len > capacity { self.estimated_len() as u64 } else { len };
        let overfull = can_be && len > capacity;
        self.left = match can_be && !overfull {
            true => capacity - len,
            false => u64::MAX,
        };
        overfull
    }

    /// The number of different keys, of Bloom filters by the bits that are set.
    pub(crate) fn estimated_len(&self) -> f64 {
        self.estimate().unwrap_or(self.filter().len() as f64)
    }

    fn estimate(&self) -> Option<f64> {
        match &self.content {
            Content::File(file) => estimate(file.filter().into_inner()),
            _ => None,
        }
    }

    /// To be asked after a merge.
    pub(crate) fn merged(&mut self) -> bool {
        self.is_sum = self.is_of_sets();
        self.left <= u64::MAX / 2 && self.has_passed_its_plan()
    }

    /// Removes all keys.
    pub(crate) fn clear(&mut self) -> PyResult<()> {
        if let Content::Rolling(generations) = &mut self.content {
            generations.clear();
            self.settled = Given::NOTHING;
        } else {
            self.file_mut()?.filter_mut().into_inner().clear().raised()?;
        }
        (self.left, self.is_sum) = (0, false);
        Ok(())
    }

    /// Removes a copy of a key.
    pub(crate) fn remove(&mut self, hash: KeyHash, given: Given) -> PyResult<bool> {
        self.expect(given)?;
        self.file_mut()?.filter_mut().into_inner().remove_hash(hash).raised()
    }

    /// How many copies of a key there are.
    pub(crate) fn count(&self, hash: KeyHash, given: Given) -> PyResult<u64> {
        self.expect(given)?;
        Ok(self.file()?.filter().into_inner().count_hash(hash).raised()?.estimate)
    }
}

/// Whether a key has one hash in both, as merging checks it.
pub(crate) fn hashes_alike(ours: &AnyFile, theirs: &AnyFile) -> Result<(), MergeError> {
    match (ours, theirs) {
        (AnyFile::Keys(..), AnyFile::Keys(..)) | (AnyFile::Hashes(_), AnyFile::Hashes(_)) => Ok(()),
        (AnyFile::Keyed(ours, _), AnyFile::Keyed(theirs, _)) if ours.key() == theirs.key() => {
            Ok(())
        }
        (AnyFile::Keyed(..), AnyFile::Keyed(..)) => Err(MergeError::SipKeys),
        _ => Err(MergeError::Hashing),
    }
}

/// What a filter is not that stays in its file. (Classes that change filters hold none, unless
/// someone gives it another class.)
pub(crate) fn read_only() -> PyErr {
    PyTypeError::new_err(
        "the filter was opened in its file, to be asked only: copy the file, or let amq.load read \
         it into memory",
    )
}

/// Different hashes that are enough to tell.
const ENOUGH: usize = 1000;

/// The hashes that were inserted, while all of them agree in their highest 16 bits and there are
/// few.
#[derive(Debug, Default)]
pub(crate) struct Watch(Vec<u64>);

impl Watch {
    /// Refuses hashes that bring those that agree to a thousand different ones. Whether to go on
    /// watching: no longer, once one differs.
    pub(crate) fn take(&mut self, hashes: &[KeyHash]) -> PyResult<bool> {
        let before = self.0.len();
        for hash in hashes.iter().map(|hash| hash.get()) {
            let first = *self.0.first().unwrap_or(&hash);
            if (first ^ hash) >> 48 != 0 {
                return Ok(false);
            }
            if self.0.contains(&hash) {
                continue;
            }
            if self.0.len() + 1 == ENOUGH {
                self.0.truncate(before);
                return Err(uneven(UnevenHashes::new(ENOUGH as u64, (first >> 48) as u16)));
            }
            self.0.push(hash);
        }
        Ok(true)
    }
}
