//! What a stage is made of.

use amq_bloom::{BlockedBloomFilter, BloomFilter};
use amq_core::{EmptyFilter, Filter, FilterKind, KeyHash, MergeFilter};
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
}

impl StageFilter for BloomFilter {
    const KIND: FilterKind = FilterKind::Scalable;

    #[inline(always)]
    fn holds(&self, hash: KeyHash) -> bool {
        self.contains_hash_unlikely(hash)
    }
}

impl StageFilter for BlockedBloomFilter {
    const KIND: FilterKind = FilterKind::ScalableBlocked;

    #[inline(always)]
    fn holds(&self, hash: KeyHash) -> bool {
        self.contains_hash(hash)
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
    /// Inserts that set a bit here.
    pub(crate) taken: u64,
    /// How many of them it is for.
    pub(crate) capacity: u64,
}

/// How a stage stands.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StageReport {
    /// Inserts that set a bit in it.
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
