//! What a stage is made of.

use amq_bloom::{BlockedBloomFilter, BloomFilter};
use amq_core::{EmptyFilter, Filter, FilterKind, KeyHash, MergeError, MergeFilter};
use core::fmt::Debug;

/// A filter that can be a stage: [`BloomFilter`] and [`BlockedBloomFilter`].
pub trait StageFilter:
    EmptyFilter + MergeFilter + Clone + PartialEq + Debug + sealed::Sealed
{
    /// The kind of a scalable filter with such stages.
    const KIND: FilterKind;

    /// [`Filter::contains_hash`], for a stage that most probably has not got the key.
    #[doc(hidden)]
    fn holds(&self, hash: KeyHash) -> bool;

    /// How many bits are set: of two filters of which one has every bit of the other, whether they are the same.
    #[doc(hidden)]
    fn ones(&self) -> u64;
}

impl StageFilter for BloomFilter {
    const KIND: FilterKind = FilterKind::Scalable;

    #[inline(always)]
    fn holds(&self, hash: KeyHash) -> bool {
        self.contains_hash_unlikely(hash)
    }

    fn ones(&self) -> u64 {
        self.count_ones()
    }
}

impl StageFilter for BlockedBloomFilter {
    const KIND: FilterKind = FilterKind::ScalableBlocked;

    #[inline(always)]
    fn holds(&self, hash: KeyHash) -> bool {
        self.contains_hash(hash)
    }

    fn ones(&self) -> u64 {
        self.count_ones()
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for amq_bloom::BloomFilter {}
    impl Sealed for amq_bloom::BlockedBloomFilter {}
}

/// One stage of a filter.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Stage<F> {
    pub(crate) filter: F,
    /// Inserts that set a bit here; after a merge, at most.
    pub(crate) taken: u64,
    /// How many of them it is for.
    pub(crate) capacity: u64,
}

impl<F: StageFilter> Stage<F> {
    /// This stage, which is empty, with what the same stage of two filters has.
    pub(crate) fn union(
        mut self,
        ours: Option<&Self>,
        theirs: Option<&Self>,
    ) -> Result<Self, MergeError> {
        for part in [ours, theirs].into_iter().flatten() {
            self.filter.merge_from(&part.filter)?;
            self.taken = self.taken.saturating_add(part.taken);
        }
        // If one of them had every bit of both, that many inserts were enough to set them.
        let ones = self.filter.ones();
        for part in [ours, theirs].into_iter().flatten() {
            if part.filter.ones() == ones {
                self.taken = self.taken.min(part.taken);
            }
        }
        Ok(self)
    }
}

/// How a stage stands.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StageReport {
    /// Inserts that set a bit in it; after a merge the sum of both, or of one if that had all bits of the other.
    pub taken: u64,
    /// How many of them it is for.
    pub capacity: u64,
    /// Bytes of its table.
    pub bytes: u64,
    /// Its rate as it stands, from its contents.
    pub expected_fpr: f64,
    /// Its rate when it is full.
    pub planned_fpr: f64,
}
