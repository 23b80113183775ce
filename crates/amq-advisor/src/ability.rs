//! Which structure can do what, and how to say that it cannot.

use crate::size::MOST_COUNTED;
use crate::{Demand, Keys, Need, Rejection, Structure, Workload};
use alloc::format;
use alloc::string::String;
use amq::Abilities;
use amq::FilterKind;

/// The most copies of a key it tells apart, if it counts; `None` if there is no limit.
///
/// Counters of four bits stick at 15. In a cuckoo filter a key has room only in its two buckets,
/// which overlap in the windowed layout.
const fn most_copies(kind: FilterKind) -> Option<u32> {
    match kind {
        FilterKind::Counting | FilterKind::BlockedCounting => Some(MOST_COUNTED),
        FilterKind::Cuckoo => Some(8),
        FilterKind::WindowedCuckoo => Some(3),
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
    let fixed = match (structure, demand) {
        (_, Demand::Need(Need::Exact)) => Some("errs at some rate, however low"),
        (Structure::Map, _) => return map(demand),
        (Structure::AtomicBloom | Structure::AtomicBlockedBloom, Demand::Need(Need::Files)) => {
            Some("has no file of its own: only a snapshot of it has")
        }
        (Structure::Sharded(_) | Structure::ShardedRolling(_), Demand::Need(Need::Files)) => {
            Some("is several filters behind locks, not one file")
        }
        (Structure::Rolling(_) | Structure::ShardedRolling(_), Demand::Need(Need::Remove)) => {
            Some("forgets a generation at a time, and no single key")
        }
        (
            Structure::Rolling(_) | Structure::ShardedRolling(_),
            Demand::Need(Need::List | Need::Merge | Need::Grow),
        ) => {
            Some("is several filters, of which each forgets: they are not listed, merged or grown")
        }
        (Structure::Rolling(_), Demand::Need(Need::SharedInsert)) => {
            Some("is for one thread: shard it, each shard with a lock of its own")
        }
        (
            Structure::AtomicBloom | Structure::AtomicBlockedBloom,
            Demand::Need(Need::Forget { .. }),
        )
        | (Structure::Filter(_), Demand::Need(Need::Forget { .. })) => {
            Some("never forgets by itself")
        }
        (
            Structure::Sharded(_)
            | Structure::ShardedRolling(_)
            | Structure::AtomicBloom
            | Structure::AtomicBlockedBloom,
            Demand::Need(Need::SharedInsert),
        ) => None,
        (Structure::Filter(_), Demand::Need(Need::SharedInsert)) => {
            Some("is built from all keys at once: there is nothing for threads to insert")
        }
        (_, demand) => {
            return structure.kind().and_then(|kind| of_kind(kind, demand, workload));
        }
    };
    fixed.map(Into::into)
}

/// Why a map, which has one use, does not meet a demand.
fn map(demand: Demand) -> Option<String> {
    let lacks = match demand {
        Demand::Need(Need::Values { .. } | Need::Files)
        | Demand::BitsPerKey(_)
        | Demand::Bytes(_)
        | Demand::BuildBytes(_)
        | Demand::Strangers => return None,
        Demand::Fpr(_) => {
            "gives some value for a key that is not in, and never says so: ask a filter first"
        }
        _ => "is built from all pairs at once, and never changes",
    };
    Some(lacks.into())
}

fn of_kind(kind: FilterKind, demand: Demand, workload: &Workload) -> Option<String> {
    let can = Abilities::of(kind);
    let shares_bits = "keys share its bits: to clear one key's would deny others";
    let lacks = match demand {
        Demand::KeyByKey if !can.insert => {
            "is built from all keys at once: nothing can be added later"
        }
        Demand::Need(Need::Remove) if !can.insert => "is built once and never changes",
        Demand::Need(Need::Remove) if !can.remove => shares_bits,
        Demand::Need(Need::Count { most }) => return uncounted(kind, can.count, most),
        Demand::Need(Need::List) if !can.list => {
            "does not keep enough of a hash to list what is in"
        }
        Demand::Need(Need::Merge) if !can.merge && can.grow => {
            "spends its rate on its own growth: two that have grown would exceed it together"
        }
        Demand::Need(Need::Merge) if !can.merge => {
            "is the solution of a system of all its keys: two cannot become one"
        }
        Demand::Need(Need::Grow) => return cannot_grow(kind, &can, workload),
        Demand::Need(Need::Values { .. }) => "says yes or no, and holds no values",
        Demand::Strangers if can.remove && !workload.needs_remove() && !workload.counts() => {
            "removes, which was not asked for: strangers who can have a false positive removed deny \
             another key, and those who fill it have inserts refused"
        }
        _ => return None,
    };
    Some(lacks.into())
}

fn uncounted(kind: FilterKind, counts: bool, asked: u32) -> Option<String> {
    match most_copies(kind) {
        _ if !counts => Some("knows whether a key is in, not how often".into()),
        Some(most) if most < asked => {
            Some(format!("holds at most {most} copies of a key, and {asked} are to be counted"))
        }
        _ => None,
    }
}

fn cannot_grow(kind: FilterKind, can: &Abilities, workload: &Workload) -> Option<String> {
    let is_quotient = kind == FilterKind::Quotient;
    let bounded = matches!(workload.keys, Keys::AtMost(_));
    match (can.grow, is_quotient, bounded) {
        (true, false, _) | (_, true, true) => None,
        (_, true, false) => Some(
            "grows up to a bound known at the start: say how many keys there are at most".into(),
        ),
        _ if can.never_full => Some("is never full, but its rate climbs with every key".into()),
        _ if !can.insert => Some("is built from all keys at once: nothing can be added".into()),
        _ => Some("has a fixed number of slots, and refuses keys when they are taken".into()),
    }
}
