//! Filters plain enough to be seen right, to test the suite on. Each has the [`Fault`] of the
//! thread.

use std::cell::Cell;

mod bloom;
mod filed;
mod fingerprints;
mod multiset;
mod theory;

pub(crate) use bloom::{Bloom, Params};
pub(crate) use filed::{Filed, filed};
pub(crate) use fingerprints::Fingerprints;
pub(crate) use multiset::Multiset;

thread_local! {
    /// What is wrong with the filters of this thread.
    static FAULT: Cell<Fault> = const { Cell::new(Fault::None) };
}

/// Whether the filters of this thread have this fault.
pub(crate) fn has(fault: Fault) -> bool {
    FAULT.get() == fault
}

/// From now on the filters of this thread have this fault.
pub(crate) fn plant(fault: Fault) {
    FAULT.set(fault);
}

/// What is wrong with a filter.
#[derive(Clone, Copy, PartialEq, Debug)]
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
    SizesFall,
    SizeRefusedAsKeys,
    // Of the Bloom filter: builds.
    BuildOverBudget,
    NoKeyTakesRoom,
    CountsOnTheSameHashes,
    LosesRepeatedKeys,
    KeysUnderNoSeed,
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
    LargerMisnamed,
    BudgetIgnored,
    BudgetMemoryUnnamed,
    RoomForKeysClaimed,

    // Of the list: writing and reading.
    NotedWhenReadBefore,
    SeedTold,
    LimitLeftOut,
    ZerosWritten,
    CapacityLost,
    SeedGuessed,
    SeedIgnored,
    ChecksumsIgnored,
    ChecksumsIgnoredInStreams,
    TrailingBytesTaken,
    VersionIgnored,
    KindIgnored,
    TextModeUnnamed,
    OrderNotWalked,
    NoKeysNoAnswer,
    RateOfTheFile,
    ReadsAhead,
    StreamLimitIgnored,
    ViewLeavesOutTheLast,
    // Of the list: memory.
    ClaimAllocated,
    CopiedBeforeItIsRead,
    MemoryErrorUnnamed,
    // Of the list: what is done with one that was read.
    TakesAnotherAway,
    MergeForgets,
    // Of the list: prehashed ones.
    SeedMixedIn,
    PrehashedUntold,
    PrehashedSeedDropped,
    AnyHasher,
    AnyHashTaken,
}
