//! What can be chosen.

use crate::Workload;
use alloc::string::String;
use alloc::vec::Vec;
use amq::{Abilities, AnyFilter, FilterKind};
use core::fmt;

/// What to take.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Structure {
    /// A filter of this kind.
    Filter(FilterKind),
    /// An `AtomicBloomFilter`: a Bloom filter that several threads insert into at once.
    AtomicBloom,
    /// An `AtomicBlockedBloomFilter`: as above, with one cache line per operation.
    AtomicBlockedBloom,
    /// Several filters of this kind, a lock for each, chosen by [`KeyHash::shard`].
    ///
    /// [`KeyHash::shard`]: amq::KeyHash::shard
    Sharded(FilterKind),
    /// A filter of this kind for each of the last generations of a stream: `Rolling`.
    Rolling(FilterKind),
    /// The two together: rolling filters of this kind, each behind a lock.
    ShardedRolling(FilterKind),
    /// A `RibbonMap`: a value for each key.
    Map,
    /// A bit for each integer there can be, compressed where they are few: a bitmap, or a roaring
    /// one.
    Bitmap,
    /// The integers themselves, sorted, in an Elias-Fano list.
    SortedList,
    /// An exact set of the keys themselves: `std::collections::HashSet`.
    ExactSet,
    /// An exact map from each key to its value or count: `std::collections::HashMap`.
    ExactMap,
    /// A count-min sketch, whose counts may be too high.
    Sketch,
    /// No filter at all.
    Nothing,
}

impl Structure {
    /// What holds the keys exactly: a map where they have values or counts.
    pub(super) fn exact(workload: &Workload) -> Self {
        let is_set = workload.is_filtered() && !workload.counts();
        if is_set { Self::ExactSet } else { Self::ExactMap }
    }

    /// The kind of filter it is made of, if it is a filter.
    #[must_use]
    pub const fn kind(self) -> Option<FilterKind> {
        match self {
            Self::Filter(kind)
            | Self::Sharded(kind)
            | Self::Rolling(kind)
            | Self::ShardedRolling(kind) => Some(kind),
            Self::AtomicBloom => Some(FilterKind::Bloom),
            Self::AtomicBlockedBloom => Some(FilterKind::BlockedBloom),
            _ => None,
        }
    }

    /// Whether it is of this family, and answers about keys in fewer bits than they have: not the
    /// keys themselves, a sketch, or nothing.
    #[must_use]
    pub const fn is_filter(self) -> bool {
        self.kind().is_some() || matches!(self, Self::Map)
    }

    /// Its name on command lines: the id of its kind, if it is a filter on its own.
    #[must_use]
    pub fn id(self) -> String {
        match self {
            Self::Filter(kind) => kind.id().into(),
            Self::Sharded(kind) => alloc::format!("sharded-{}", kind.id()),
            Self::Rolling(kind) => alloc::format!("rolling-{}", kind.id()),
            Self::ShardedRolling(kind) => alloc::format!("sharded-rolling-{}", kind.id()),
            Self::AtomicBloom => "atomic-bloom".into(),
            Self::AtomicBlockedBloom => "atomic-blocked-bloom".into(),
            Self::Map => "ribbon-map".into(),
            Self::Bitmap => "exact-bitmap".into(),
            Self::SortedList => "sorted-list".into(),
            Self::Sketch => "count-min-sketch".into(),
            Self::ExactSet => "exact-set".into(),
            Self::ExactMap => "exact-map".into(),
            Self::Nothing => "none".into(),
        }
    }

    /// Its type: in the crate `amq`, but for what holds the keys themselves. Empty for nothing, and
    /// where no one type stands out.
    #[must_use]
    pub fn type_name(self) -> String {
        let of_kind = |kind| {
            macro_rules! name {
                (; $($feature:literal $name:ident: $module:ident::$type:ident [$($can:ident)*];)*) => {
                    match kind {
                        $(FilterKind::$name => stringify!($type),)*
                        _ => "",
                    }
                };
            }
            amq::kinds!(name)
        };
        match self {
            Self::Filter(kind) => of_kind(kind).into(),
            Self::AtomicBloom => "AtomicBloomFilter".into(),
            Self::AtomicBlockedBloom => "AtomicBlockedBloomFilter".into(),
            Self::Sharded(kind) => alloc::format!("Sharded<{}>", of_kind(kind)),
            Self::Rolling(kind) => alloc::format!("Rolling<{}>", of_kind(kind)),
            Self::ShardedRolling(kind) => alloc::format!("Sharded<Rolling<{}>>", of_kind(kind)),
            Self::Map => "RibbonMap".into(),
            Self::Bitmap => "RoaringBitmap".into(),
            Self::ExactSet => "HashSet".into(),
            Self::ExactMap => "HashMap".into(),
            Self::SortedList | Self::Sketch | Self::Nothing => String::new(),
        }
    }

    /// The line that imports it; empty if it has no type.
    #[must_use]
    pub fn import(self) -> String {
        match self {
            Self::ExactSet => "use std::collections::HashSet;".into(),
            Self::ExactMap => "use std::collections::HashMap;".into(),
            Self::Bitmap => "use roaring::RoaringBitmap;".into(),
            Self::SortedList | Self::Sketch | Self::Nothing => String::new(),
            Self::Sharded(_) => "use amq::sharded::Sharded;".into(),
            Self::Rolling(_) => "use amq::rolling::Rolling;".into(),
            Self::ShardedRolling(_) => "use amq::{rolling::Rolling, sharded::Sharded};".into(),
            _ => alloc::format!("use amq::{};", self.type_name()),
        }
    }

    /// Candidates worth considering: what this workload could only fail on its own account.
    pub(super) fn candidates(workload: &Workload) -> Vec<Self> {
        let mut all = Vec::new();
        let shared = workload.is_shared() && cfg!(feature = "std");
        let forgets = workload.generations().is_some();
        for &kind in AnyFilter::KINDS {
            all.push(match Abilities::of(kind).insert {
                true if forgets && shared => Self::ShardedRolling(kind),
                true if forgets => Self::Rolling(kind),
                true if shared => Self::Sharded(kind),
                _ => Self::Filter(kind),
            });
        }
        if workload.is_shared() {
            all.extend([Self::AtomicBloom, Self::AtomicBlockedBloom]);
        }
        if workload.value_bits().is_some() {
            all.push(Self::Map);
        }
        all
    }
}

impl fmt::Display for Structure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Filter(kind) => f.pad(kind.name()),
            Self::AtomicBloom => f.pad("atomic Bloom"),
            Self::AtomicBlockedBloom => f.pad("atomic split-block Bloom"),
            Self::Sharded(kind) => f.pad(&alloc::format!("sharded {}", kind.name())),
            Self::Rolling(kind) => f.pad(&alloc::format!("rolling {}", kind.name())),
            Self::ShardedRolling(kind) => f.pad(&alloc::format!("sharded rolling {}", kind.name())),
            Self::Map => f.pad("ribbon map"),
            Self::Bitmap => f.pad("exact bitmap"),
            Self::SortedList => f.pad("sorted list"),
            Self::Sketch => f.pad("count-min sketch"),
            Self::ExactSet => f.pad("exact set"),
            Self::ExactMap => f.pad("exact map"),
            Self::Nothing => f.pad("no filter"),
        }
    }
}
