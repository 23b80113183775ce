//! The stages of a filter.

use crate::StageGoal;
use amq_bloom::{BlockedBloomFilter, BlockedParams, BloomFilter, BloomParams};
use amq_core::internal::{Entry, Opened};
use amq_core::{
    BuildError, Bytes, DecodeError, EmptyFilter, Filter, FilterKind, KeyHash, MergeError,
    MergeFilter, Parts, Plan, PlanError,
};
use core::fmt::Debug;

/// A filter that can be queried as a stage: [`BloomFilter`] and [`BlockedBloomFilter`], with any
/// storage.
///
/// This trait is sealed.
pub trait StageFilter: Filter + Debug + sealed::Stage {
    /// The kind of a scalable filter with such stages.
    const SCALABLE: FilterKind;
}

/// A stage that owns its table, so that a filter of such stages can grow.
pub trait OwnedStage: StageFilter + EmptyFilter + MergeFilter + Clone + PartialEq {}

impl OwnedStage for BloomFilter {}
impl OwnedStage for BlockedBloomFilter {}

mod sealed {
    use super::{Bytes, DecodeError, KeyHash, Parts, PlanError, StageFilter};

    pub trait Stage: Sized {
        /// The parameters of the table.
        type Shape: Copy;

        /// This stage with its table in other storage.
        type With<B: Bytes>: StageFilter;

        /// Bytes per number of a table.
        const WIDTH: usize;

        /// [`Filter::contains_hash`](amq_core::Filter::contains_hash), for a stage that probably
        /// does not contain the key.
        fn holds(&self, hash: KeyHash) -> bool;

        /// Number of bits set. If one filter has every bit of another, comparing it shows whether
        /// they are equal.
        fn ones(&self) -> u64;

        /// The number of bits (or blocks) in the table, and of bits per key.
        fn geometry(&self) -> (u64, u32);

        /// The table.
        fn table(&self) -> &[u8];

        /// The parameters of this geometry; an error if they are invalid.
        fn shape_of(places: u64, probes: u64) -> Result<Self::Shape, DecodeError>;

        /// Bytes of a table of this shape.
        fn table_bytes(shape: &Self::Shape) -> u64;

        /// The stage with this table.
        fn with<B: Bytes>(table: B, parts: Parts<Self::Shape>) -> Result<Self::With<B>, PlanError>;
    }
}

impl<B: Bytes> StageFilter for BloomFilter<B> {
    const SCALABLE: FilterKind = FilterKind::Scalable;
}

impl<B: Bytes> sealed::Stage for BloomFilter<B> {
    type Shape = BloomParams;
    type With<C: Bytes> = BloomFilter<C>;
    const WIDTH: usize = 8;

    #[inline(always)]
    fn holds(&self, hash: KeyHash) -> bool {
        self.contains_hash_unlikely(hash)
    }

    fn ones(&self) -> u64 {
        self.count_ones()
    }

    fn geometry(&self) -> (u64, u32) {
        let params = self.params();
        (params.bits, params.probes)
    }

    fn table(&self) -> &[u8] {
        self.as_bytes()
    }

    fn shape_of(places: u64, probes: u64) -> Result<BloomParams, DecodeError> {
        let params = BloomParams::new(places, Opened::narrow("probes", probes)?);
        params.check()?;
        Ok(params)
    }

    fn table_bytes(params: &BloomParams) -> u64 {
        params.bits.div_ceil(64) * 8
    }

    fn with<C: Bytes>(table: C, parts: Parts<BloomParams>) -> Result<BloomFilter<C>, PlanError> {
        BloomFilter::from_table_unchecked(table, parts)
    }
}

impl<B: Bytes> StageFilter for BlockedBloomFilter<B> {
    const SCALABLE: FilterKind = FilterKind::ScalableBlocked;
}

/// Bits of a key in a split block.
const BITS_IN_BLOCK: u32 = 8;

impl<B: Bytes> sealed::Stage for BlockedBloomFilter<B> {
    type Shape = BlockedParams;
    type With<C: Bytes> = BlockedBloomFilter<C>;
    const WIDTH: usize = 4;

    #[inline(always)]
    fn holds(&self, hash: KeyHash) -> bool {
        self.contains_hash(hash)
    }

    fn ones(&self) -> u64 {
        self.count_ones()
    }

    fn geometry(&self) -> (u64, u32) {
        (self.params().blocks, BITS_IN_BLOCK)
    }

    fn table(&self) -> &[u8] {
        self.as_bytes()
    }

    fn shape_of(places: u64, probes: u64) -> Result<BlockedParams, DecodeError> {
        if probes != BITS_IN_BLOCK.into() {
            return Err(DecodeError::Geometry { field: "probes", value: probes });
        }
        let params = BlockedParams::new(places);
        params.check()?;
        Ok(params)
    }

    fn table_bytes(params: &BlockedParams) -> u64 {
        params.blocks * 32
    }

    fn with<C: Bytes>(
        table: C,
        parts: Parts<BlockedParams>,
    ) -> Result<BlockedBloomFilter<C>, PlanError> {
        BlockedBloomFilter::from_table_unchecked(table, parts)
    }
}

/// The seed of every stage. Unused: keys are hashed with the seed of the whole filter, and stages
/// get the hashes.
pub(crate) const SEED: u64 = 0;

/// One stage of a filter.
#[derive(Clone, PartialEq, Debug)]
#[repr(align(128))]
pub(crate) struct Stage<F> {
    pub(crate) filter: F,
    /// Its goal.
    pub(crate) goal: StageGoal,
    /// Number of inserts that set a bit here; after a merge, an upper bound.
    pub(crate) taken: u64,
}

impl<F: OwnedStage> Stage<F> {
    /// An empty stage.
    pub(crate) fn empty(goal: StageGoal, plan: Plan<F::Params>) -> Result<Self, BuildError> {
        // The number of distinct keys it is planned for follows from the goal and is not stored.
        let plan = Plan::new(plan.params, goal.capacity);
        Ok(Self { filter: F::empty(plan, SEED)?, goal, taken: 0 })
    }

    /// An empty stage of the same shape.
    pub(crate) fn emptied(&self) -> Result<Self, BuildError> {
        let plan = Plan::new(self.filter.params(), self.filter.capacity());
        Self::empty(self.goal, plan)
    }

    /// Fills this stage, which must be empty, with the corresponding stages of two filters.
    pub(crate) fn union(mut self, parts: [Option<&Self>; 2]) -> Result<Self, MergeError> {
        for part in parts.into_iter().flatten() {
            self.filter.merge(&part.filter)?;
            self.taken = self.taken.saturating_add(part.taken);
        }
        // If one of them has every bit of both, its own inserts set all of them.
        let ones = self.filter.ones();
        for part in parts.into_iter().flatten() {
            if part.filter.ones() == ones {
                self.taken = self.taken.min(part.taken);
            }
        }
        Ok(self)
    }
}

impl<F: StageFilter> Stage<F> {
    /// Its entry in a file's directory.
    pub(crate) fn entry(&self) -> Entry {
        let (places, probes) = self.filter.geometry();
        [
            places,
            probes.into(),
            self.goal.capacity,
            self.taken,
            self.filter.len(),
            self.goal.fpr.to_bits(),
            self.goal.cut.into(),
            0,
        ]
    }

    /// Checks a stage from a file: each counted insert can set at most as many bits as a key has.
    pub(crate) fn validate(&self) -> Result<(), DecodeError> {
        let (_, probes) = self.filter.geometry();
        if self.filter.ones() > self.taken.saturating_mul(probes.into()) {
            return Err(DecodeError::Structure { what: "more bits set than a stage's keys have" });
        }
        Ok(())
    }
}

/// Statistics of one stage.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct StageReport {
    /// Number of inserts that set a bit in it. After a merge, the sum of both, or only that of the
    /// stage that had all bits of the other.
    pub taken: u64,
    /// Number of such inserts at which it is full.
    pub capacity: u64,
    /// Bytes of its table.
    pub bytes: u64,
    /// Its current rate, from its contents.
    pub expected_fpr: f64,
    /// Its rate when full.
    pub planned_fpr: f64,
}
