//! Which structure can do what, and how to say that it cannot.

use crate::size::MOST_COUNTED;
use crate::{Demand, Need, Rejection, Structure, Workload};
use alloc::format;
use alloc::string::String;
use amq::Abilities;
use amq::FilterKind;

/// The most copies of a key it tells apart, if it counts; `None` if there is no limit.
///
/// Counters of four bits stick at 15. In a cuckoo filter a key has room only in its two buckets,
/// which it shares with others: planned for its keys, a table refuses one long before it is full.
const fn most_copies(kind: FilterKind) -> Option<u32> {
    match kind {
        FilterKind::Counting | FilterKind::BlockedCounting => Some(MOST_COUNTED),
        FilterKind::Cuckoo | FilterKind::WindowedCuckoo => Some(1),
        FilterKind::ExpandableQuotient => Some(255),
        _ => None,
    }
}

/// The first demand for an ability that it lacks, and a sentence that says why.
pub(super) fn lacking(structure: Structure, workload: &Workload) -> Option<Rejection> {
    let mut demands = workload.demands().into_iter();
    demands.find_map(|demand| {
        let reason = reason(structure, demand, workload)?;
        Some(Rejection { structure, demand, reason })
    })
}

fn reason(structure: Structure, demand: Demand, workload: &Workload) -> Option<String> {
    use Structure::{
        AtomicBlockedBloom, AtomicBloom, Filter, Periods, Rolling, Sharded, ShardedRolling,
    };

    let Some(kind) = structure.kind() else {
        return map(demand);
    };
    let Demand::Need(need) = demand else {
        return of_kind(kind, demand, workload);
    };
    let lacks = match (structure, need) {
        (_, Need::Exact) => "has false positives, however few",
        (AtomicBloom | AtomicBlockedBloom, Need::Files) => {
            "has no file of its own: save a snapshot of it instead"
        }
        (Sharded(_) | ShardedRolling(_), Need::Files) => {
            "is several filters behind locks, not one file"
        }
        (_, Need::Remove) if structure.forgets() => "forgets whole generations, never a single key",
        (_, Need::List | Need::Merge | Need::Grow) if structure.forgets() => {
            "is a row of filters that expire, which cannot be listed, merged or grown"
        }
        (Rolling(_) | Periods(_), Need::SharedInsert) => {
            "serves one thread: give each thread its own, for a share of the keys"
        }
        (Filter(_), Need::SharedInsert) => "is built from all keys at once: threads cannot insert",
        (_, Need::Forget { .. }) if !structure.forgets() => "does not forget by itself",
        (_, Need::SharedInsert | Need::Forget { .. }) => return None,
        _ => return of_kind(kind, demand, workload),
    };
    Some(lacks.into())
}

/// Why a map, which has one use, does not meet a demand.
fn map(demand: Demand) -> Option<String> {
    let lacks = match demand {
        Demand::Need(Need::Values { .. } | Need::Files)
        | Demand::BitsPerKey(_)
        | Demand::Bytes { .. }
        | Demand::BuildBytes(_)
        | Demand::Fpr(_)
        | Demand::Strangers => return None,
        Demand::Need(Need::Exact) => "returns some value for keys that are not in it",
        _ => "is built from all pairs at once and never changes",
    };
    Some(lacks.into())
}

fn of_kind(kind: FilterKind, demand: Demand, workload: &Workload) -> Option<String> {
    let can = Abilities::of(kind);
    let keeps_copies = can.remove && !can.never_full;
    let shares_bits = "shares bits between keys: clearing those of one key would lose others";
    let lacks = match demand {
        Demand::KeyByKey if !can.insert => {
            "is built from all keys at once: nothing can be added later"
        }
        Demand::Need(Need::Remove) if !can.insert => "is built once and never changes",
        Demand::Need(Need::Remove) if !can.remove => shares_bits,
        Demand::Need(Need::Count { most }) => return uncounted(kind, can.count, most),
        Demand::Need(Need::List) if !can.list => "does not keep enough of each hash to list them",
        Demand::Need(Need::Merge) if !can.merge && can.grow => {
            "spends its rate on growth: two that have grown would exceed it when merged"
        }
        Demand::Need(Need::Merge) if can.merge && most_copies(kind) == Some(1) => {
            "keeps a copy from each filter merged into it, and the copies of a key that several of \
             them hold soon fill its two buckets"
        }
        Demand::Need(Need::Merge) if can.merge && keeps_copies && workload.merges_only() => {
            "keeps a copy of a key from each part that holds it: give the average number of parts \
             per key (`--copies`, 1 if no key is in two)"
        }
        Demand::Need(Need::Merge) if !can.merge => {
            "is solved from all its keys at once: two cannot be combined"
        }
        Demand::Need(Need::Grow) => return cannot_grow(kind, &can, workload),
        Demand::Need(Need::Values { .. }) => "answers yes or no, and stores no values",
        Demand::Strangers if can.remove && !workload.needs_remove() && !workload.counts() => {
            "can remove keys, which you did not ask for and attackers could misuse: to delete other \
             keys, or to have inserts refused"
        }
        _ => return None,
    };
    Some(lacks.into())
}

fn uncounted(kind: FilterKind, counts: bool, asked: u32) -> Option<String> {
    match most_copies(kind) {
        _ if !counts => Some("knows whether a key is in, not how often".into()),
        Some(1) if asked > 1 => Some(
            "keeps all copies of a key in its two buckets, and refuses more of them long before the \
             table is full"
                .into(),
        ),
        Some(most) if most < asked => {
            Some(format!("counts to {most} at most, and you asked for {asked}"))
        }
        _ => None,
    }
}

fn cannot_grow(kind: FilterKind, can: &Abilities, workload: &Workload) -> Option<String> {
    let is_unbounded = kind == FilterKind::Quotient && workload.bound().is_none();
    let lacks = match can {
        _ if is_unbounded => {
            "grows only to a bound that is set at the start: give the most keys there can be \
             (`--at-most`)"
        }
        Abilities { grow: true, .. } => return None,
        Abilities { never_full: true, .. } => "is never full, but its rate rises with every key",
        Abilities { insert: false, .. } => {
            "is built from all keys at once: nothing can be added later"
        }
        _ => "has a fixed number of slots, and refuses keys once they are taken",
    };
    Some(lacks.into())
}
