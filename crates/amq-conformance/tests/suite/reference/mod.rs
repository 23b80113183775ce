//! Three filters plain enough to be seen right, each with a selectable fault, to test the suite on.

mod bloom;
pub(crate) mod filed;
mod fingerprints;
mod multiset;
mod theory;

pub(crate) use bloom::{Bloom, Params};
pub(crate) use fingerprints::Fingerprints;
pub(crate) use multiset::Multiset;

/// What is wrong with a filter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
#[allow(dead_code, reason = "the faithful filters have none")]
pub(crate) enum Fault {
    /// Nothing.
    None,

    // Of the Bloom filter: rates.
    OneProbeFewer,
    OneProbeMore,
    HashOf32Bits,
    LowerHalfMoreOften,
    FolkloreRate,
    SpreadDenied,
    SpreadOverstated,
    RateOfHalfTheKeys,
    RateCountsCopies,
    HashFloorLeftOut,
    PredictsMoreThanOne,
    // Of the Bloom filter: keys and batches.
    ForgetsOneInAThousand,
    BatchAsksOneProbeFewer,
    BatchSkipsItsLastKey,
    BatchInsertSkipsItsLastKey,
    NewInABatchTwice,
    NewInABatchWithoutRoom,
    LengthsNotCompared,
    SeedNotKept,
    SeedReachesHalf,
    LosesTheLastOf64,
    BuildCountsTwice,
    // Of the Bloom filter: inserts and clear.
    AlwaysNew,
    NeverNew,
    CountsRepeats,
    ClearKeepsAWord,
    ClearKeepsTheCount,
    GrowsWithEveryInsert,
    // Of the Bloom filter: merging.
    MergeIgnoresSeed,
    MergeIgnoresGeometry,
    MergeBeforeCheck,
    MergeKeepsItsCount,
    MergeIntersects,
    MergeNamesNothing,
    CanMergeAnything,
    MergeAddsCapacities,
    // Of the Bloom filter: plans.
    PlanWordByWord,
    PlanTakesAll,
    PlanOverBudget,
    PlanUnderRate,
    PlanAcceptsAnything,
    PlanNamesAnotherGoal,
    PlanRefusesNoKeys,
    SizeUnderstated,
    LeastSizeUnderstated,
    CapacityUnderstated,
    LeastNumberTooHigh,
    // Of the Bloom filter: builds.
    BuildOverBudget,
    NoKeyTakesRoom,
    CountsOnTheSameHashes,
    // Of the Bloom filter: memory.
    PlanAllocates,
    CopiesUnplanned,
    BuildsWithoutMemory,
    AbortsWithoutMemory,
    RefusedMergeHalfDone,
    RefusedInsertDone,
    // Of the Bloom filter: the surface.
    DebugTellsTheSeed,
    StatsOfOneKeyFewer,
    LoadInPercent,
    BuildTakesMore,
    BuildRefusesTheLast,
    BuildPlansAnew,
    LargerByGoal,
    PlanIsTrusted,
    NoPlanNoKeys,

    // Of the multiset.
    RemovesEveryCopy,
    SkipsTwins,
    RemoveOfAbsentCounts,
    RemoveSaysNo,
    HoleNeverFilled,
    DropsAnotherWhenFull,
    DropsTheKeyWhenFull,
    RefusesButCounts,
    RefusesOnlyOnce,
    RefusesTooEarly,
    BatchUndoneWhenFull,
    CountsToOne,
    CountsOneMore,
    MergeSaturates,
    UniqueStoresCopies,
    UniqueStoresNothing,

    // Of the fingerprints.
    TruncatesTheOtherEnd,
    TruncatesInNameOnly,
    TruncatesAlways,
    RefusedTruncationCounts,
}
