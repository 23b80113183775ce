//! What can be chosen.

use crate::Workload;
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
    /// A `RibbonMap`: a value for each key.
    Map,
    /// An exact set (or map) of the keys themselves: `std::collections::HashSet`.
    ExactSet,
    /// No filter at all.
    Nothing,
}

impl Structure {
    /// The kind of filter it is made of, if it is a filter.
    #[must_use]
    pub const fn kind(self) -> Option<FilterKind> {
        match self {
            Self::Filter(kind) | Self::Sharded(kind) => Some(kind),
            Self::AtomicBloom => Some(FilterKind::Bloom),
            Self::AtomicBlockedBloom => Some(FilterKind::BlockedBloom),
            Self::Map | Self::ExactSet | Self::Nothing => None,
        }
    }

    /// Whether it answers about keys in fewer bits than they have: not an exact set, and not
    /// nothing.
    #[must_use]
    pub const fn is_filter(self) -> bool {
        !matches!(self, Self::ExactSet | Self::Nothing)
    }

    /// Candidates worth considering: what this workload could only fail on its own account.
    pub(super) fn candidates(workload: &Workload) -> Vec<Self> {
        let mut all = Vec::new();
        let shared = workload.is_shared() && cfg!(feature = "std");
        for &kind in AnyFilter::KINDS {
            let sharded = shared && Abilities::of(kind).insert;
            all.push(if sharded { Self::Sharded(kind) } else { Self::Filter(kind) });
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
            Self::Map => f.pad("ribbon map"),
            Self::ExactSet => f.pad("exact set"),
            Self::Nothing => f.pad("no filter"),
        }
    }
}
