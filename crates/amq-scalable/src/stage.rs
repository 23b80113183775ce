//! The stages of a filter.

use crate::StageGoal;
use amq_bloom::{Block, BlockedBloomFilter, BlockedBloomView, BloomFilter, BloomView};
use amq_core::{
    BuildError, EmptyFilter, Filter, FilterKind, KeyHash, MergeError, MergeFilter, Plan,
};
use core::fmt::Debug;

/// A filter that can be queried as a stage: [`BloomFilter`] and [`BlockedBloomFilter`], whatever
/// holds their tables.
pub trait StageFilter: Filter + Debug + sealed::Sealed {
    /// The kind of a scalable filter with such stages.
    const SCALABLE: FilterKind;

    /// [`Filter::contains_hash`], for a stage that most probably does not have the key.
    #[doc(hidden)]
    #[inline(always)]
    fn holds(&self, hash: KeyHash) -> bool {
        self.contains_hash(hash)
    }
}

/// A stage that owns its table, so that a filter of such stages can grow.
pub trait OwnedStage: StageFilter + EmptyFilter + MergeFilter + Clone + PartialEq {
    /// The same stage over a borrowed table.
    type View<'a>: StageFilter
    where
        Self: 'a;

    /// The same stage over a borrowed table.
    #[doc(hidden)]
    fn borrowed(&self) -> Self::View<'_>;
}

impl<S: AsRef<[u64]> + Send + Sync> StageFilter for BloomFilter<S> {
    const SCALABLE: FilterKind = FilterKind::Scalable;

    #[inline(always)]
    fn holds(&self, hash: KeyHash) -> bool {
        self.contains_hash_unlikely(hash)
    }
}

impl OwnedStage for BloomFilter {
    type View<'a> = BloomView<'a>;

    fn borrowed(&self) -> BloomView<'_> {
        self.view()
    }
}

impl<S: AsRef<[Block]> + Send + Sync> StageFilter for BlockedBloomFilter<S> {
    const SCALABLE: FilterKind = FilterKind::ScalableBlocked;
}

impl OwnedStage for BlockedBloomFilter {
    type View<'a> = BlockedBloomView<'a>;

    fn borrowed(&self) -> BlockedBloomView<'_> {
        self.view()
    }
}

mod sealed {
    pub trait Sealed {}
    impl<S> Sealed for amq_bloom::BloomFilter<S> {}
    impl<S> Sealed for amq_bloom::BlockedBloomFilter<S> {}
}

/// One stage of a filter.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Stage<F> {
    pub(crate) filter: F,
    /// What it is for.
    pub(crate) goal: StageGoal,
    /// Number of inserts that set a bit here; after a merge, at most.
    pub(crate) taken: u64,
}

impl<F: OwnedStage> Stage<F> {
    /// An empty stage.
    pub(crate) fn empty(
        goal: StageGoal,
        plan: Plan<F::Params>,
        seed: u64,
    ) -> Result<Self, BuildError> {
        Ok(Self {
            filter: F::empty(plan, seed)?,
            goal,
            taken: 0,
        })
    }

    /// An empty stage of the same shape.
    pub(crate) fn emptied(&self) -> Result<Self, BuildError> {
        let plan = Plan::new(self.filter.params(), self.filter.capacity());
        Self::empty(self.goal, plan, self.filter.seed())
    }

    /// This stage, which is empty, with the contents of the same stage of several filters.
    pub(crate) fn union(mut self, parts: [Option<&Self>; 2]) -> Result<Self, MergeError> {
        for part in parts.into_iter().flatten() {
            self.filter.merge(&part.filter)?;
            self.taken = self.taken.saturating_add(part.taken);
        }
        // If one of them has every bit of both, that many inserts were enough to set them.
        let fill = self.filter.load_factor();
        for part in parts.into_iter().flatten() {
            if part.filter.load_factor() == fill {
                self.taken = self.taken.min(part.taken);
            }
        }
        Ok(self)
    }

    /// The same stage over a borrowed table.
    pub(crate) fn borrowed(&self) -> Stage<F::View<'_>> {
        Stage {
            filter: self.filter.borrowed(),
            goal: self.goal,
            taken: self.taken,
        }
    }
}

/// Statistics of one stage.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct StageReport {
    /// Number of inserts that set a bit in it. After a merge, the sum of both, or that of one if it
    /// had all bits of the other.
    pub taken: u64,
    /// Number of such inserts it is for.
    pub capacity: u64,
    /// Bytes of its table.
    pub bytes: u64,
    /// Its present rate, from its contents.
    pub expected_fpr: f64,
    /// Its rate when full.
    pub planned_fpr: f64,
}
