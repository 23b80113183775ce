//! The structures that can be chosen.

use crate::{Need, Workload};
use amq::{Abilities, AnyFilter, FilterKind};
use core::fmt;

/// A structure that the advisor can choose.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Structure {
    /// A filter of this kind.
    Filter(FilterKind),
    /// A Bloom filter of this kind that several threads insert into concurrently, without locks: an
    /// `AtomicBloomFilter`, or an `AtomicBlockedBloomFilter`.
    Atomic(FilterKind),
    /// Several filters of this kind, each behind a lock, chosen by [`KeyHash::shard`].
    ///
    /// [`KeyHash::shard`]: amq::KeyHash::shard
    Sharded(FilterKind),
    /// A filter of this kind for each of the last generations of a stream: `Rolling`.
    Rolling(FilterKind),
    /// A filter of this kind for each of the last periods, in a ring that the program maintains: to
    /// count the copies of a key in all of them, or to list, merge or truncate, which `Rolling`
    /// cannot.
    Periods(FilterKind),
    /// Rolling filters of this kind, each behind a lock.
    ShardedRolling(FilterKind),
    /// As [`Periods`](Self::Periods), for several threads: a [`Sharded`](Self::Sharded) filter for
    /// each period.
    ShardedPeriods(FilterKind),
    /// A `RibbonMap`: a value for each key.
    Map,
    /// A compressed bitmap of integers of up to 32 bits: `RoaringBitmap`.
    Bitmap,
    /// The same for longer integers: `RoaringTreemap`.
    LongBitmap,
    /// The integers themselves, sorted, in an Elias-Fano list.
    SortedList,
    /// An exact set of the keys themselves: `std::collections::HashSet`.
    ExactSet,
    /// An exact map from each key to its value, count, or last time: `std::collections::HashMap`.
    ExactMap,
    /// A count-min sketch, whose counts may be too high.
    Sketch,
    /// No filter at all.
    Nothing,
}

impl Structure {
    /// The exact hash structure: a map if the keys have values or counts, else a set.
    pub(crate) fn exact(workload: &Workload) -> Self {
        if workload.bits_beside_key() == 0 { Self::ExactSet } else { Self::ExactMap }
    }

    /// The kind of filter it is made of, if it is a filter.
    #[must_use]
    pub const fn kind(self) -> Option<FilterKind> {
        match self {
            Self::Filter(kind)
            | Self::Atomic(kind)
            | Self::Sharded(kind)
            | Self::Rolling(kind)
            | Self::Periods(kind)
            | Self::ShardedRolling(kind)
            | Self::ShardedPeriods(kind) => Some(kind),
            _ => None,
        }
    }

    /// Whether it is a filter (or a map) of this family, not an exact structure, a sketch, or no
    /// filter.
    #[must_use]
    pub const fn is_filter(self) -> bool {
        self.kind().is_some() || matches!(self, Self::Map)
    }

    /// Its id, its name, its type, and the type's path if that is not in the crate `amq`. For
    /// structures made of filters of a kind, these are prefixes to the words of the kind.
    const fn words(self) -> [&'static str; 4] {
        match self {
            Self::Filter(_) => [""; 4],
            Self::Sharded(_) => ["sharded-", "sharded ", "Sharded<", "amq::sharded::Sharded"],
            Self::Rolling(_) => ["rolling-", "rolling ", "Rolling<", "amq::rolling::Rolling"],
            Self::ShardedRolling(_) => [
                "sharded-rolling-",
                "sharded rolling ",
                "Sharded<Rolling<",
                "amq::{rolling::Rolling, sharded::Sharded}",
            ],
            Self::Periods(_) => ["periodic-", "periodic ", "", ""],
            Self::ShardedPeriods(_) => ["sharded-periodic-", "sharded periodic ", "", ""],
            Self::Atomic(_) => ["atomic-", "atomic ", "Atomic", ""],
            Self::Map => ["ribbon-map", "ribbon map", "RibbonMap", ""],
            Self::Bitmap => {
                ["exact-bitmap", "exact bitmap", "RoaringBitmap", "roaring::RoaringBitmap"]
            }
            Self::LongBitmap => [
                "exact-bitmap-64",
                "exact 64-bit bitmap",
                "RoaringTreemap",
                "roaring::RoaringTreemap",
            ],
            Self::SortedList => ["sorted-list", "sorted list", "", ""],
            Self::ExactSet => ["exact-set", "exact set", "HashSet", "std::collections::HashSet"],
            Self::ExactMap => ["exact-map", "exact map", "HashMap", "std::collections::HashMap"],
            Self::Sketch => ["count-min-sketch", "count-min sketch", "", ""],
            Self::Nothing => ["none", "no filter", "", ""],
        }
    }

    /// Its name on command lines: for a plain filter, the id of its kind.
    #[must_use]
    pub fn id(self) -> String {
        String::from(self.words()[0]) + self.kind().map_or("", FilterKind::id)
    }

    /// Its type: in the crate `amq`, except for exact structures. Empty for no filter, and if no
    /// single type is the obvious one.
    #[must_use]
    pub fn type_name(self) -> String {
        let outer = self.words()[2];
        let inner = self.kind().map_or_else(String::new, of_kind);
        format!("{outer}{inner}{}", ">".repeat(outer.matches('<').count()))
    }

    /// Its type, or its name if it has none.
    #[must_use]
    pub fn title(self) -> String {
        let name = self.type_name();
        if name.is_empty() { format!("{self}") } else { name }
    }

    /// The `use` line that imports it; empty if it has no type.
    #[must_use]
    pub fn import(self) -> String {
        match (self.type_name(), self.words()[3]) {
            (name, _) if name.is_empty() => name,
            (name, "") => format!("use amq::{name};"),
            (_, path) => format!("use {path};"),
        }
    }

    /// Whether each copy of a key takes a slot.
    pub(crate) fn keeps_copies(self) -> bool {
        self.kind().map(Abilities::of).is_some_and(|can| can.remove && !can.never_full)
    }

    /// Whether it forgets by time.
    pub(crate) const fn forgets(self) -> bool {
        self.rolls() || matches!(self, Self::Periods(_) | Self::ShardedPeriods(_))
    }

    /// Whether `Rolling` keeps its generations.
    pub(crate) const fn rolls(self) -> bool {
        matches!(self, Self::Rolling(_) | Self::ShardedRolling(_))
    }

    /// Whether threads share it by locks.
    pub(crate) const fn is_sharded(self) -> bool {
        matches!(self, Self::Sharded(_) | Self::ShardedRolling(_) | Self::ShardedPeriods(_))
    }

    /// The candidates for this workload.
    pub(crate) fn candidates(workload: &Workload) -> Vec<Self> {
        let is_shared = workload.has(Need::SharedInsert);
        let forgets = workload.generations().is_some();
        // What `Rolling` cannot do with its generations.
        let by_period = [Need::List, Need::Merge, Need::Truncate];
        let by_period = workload.counts() || by_period.into_iter().any(|need| workload.has(need));
        // Before the sharded ones, because they are simpler.
        let atomic = [FilterKind::Bloom, FilterKind::BlockedBloom].map(Self::Atomic);
        let atomic = atomic.into_iter().filter(|_| is_shared);
        let kinds = AnyFilter::KINDS.iter().map(|&kind| match Abilities::of(kind).insert {
            true if forgets && by_period && is_shared => Self::ShardedPeriods(kind),
            true if forgets && by_period => Self::Periods(kind),
            true if forgets && is_shared => Self::ShardedRolling(kind),
            true if forgets => Self::Rolling(kind),
            true if is_shared => Self::Sharded(kind),
            _ => Self::Filter(kind),
        });
        let map = workload.value_bits().map(|_| Self::Map);
        atomic.chain(kinds).chain(map).collect()
    }
}

impl fmt::Display for Structure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&(String::from(self.words()[1]) + self.kind().map_or("", FilterKind::name)))
    }
}

/// The type of a kind: the name of its variant, and a suffix.
pub(crate) fn of_kind(kind: FilterKind) -> String {
    use FilterKind::{BlockedCounting, Counting, Scalable, ScalableBlocked};
    let is = match kind {
        Counting | BlockedCounting | Scalable | ScalableBlocked => "BloomFilter",
        _ => "Filter",
    };
    format!("{kind:?}{is}")
}
