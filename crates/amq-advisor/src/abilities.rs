//! The abilities of each structure, and the reasons for rejections.

use crate::exact::{hash_table, hash_table_of};
use crate::size::MOST_COUNTED;
use crate::{Demand, Need, Rejection, Structure, Workload};
use amq::Abilities;
use amq::FilterKind;

/// The highest count that a counting filter can distinguish; `None` if unlimited.
///
/// Four-bit counters saturate at 15. In a cuckoo filter, a key has room only in its two buckets,
/// which it shares with others: a table of the planned size refuses copies long before it is full.
const fn most_copies(kind: FilterKind) -> Option<u32> {
    match kind {
        FilterKind::Counting | FilterKind::BlockedCounting => Some(MOST_COUNTED),
        FilterKind::Cuckoo | FilterKind::WindowedCuckoo => Some(1),
        FilterKind::ExpandableQuotient => Some(255),
        _ => None,
    }
}

/// The first demand that the structure lacks an ability for, with the rest of a sentence that says
/// why.
pub(crate) fn lacking(structure: Structure, workload: &Workload) -> Option<Rejection> {
    workload.demands().into_iter().find_map(|demand| {
        let reason = reason(structure, demand, workload)?;
        Some(Rejection { structure, demand, reason })
    })
}

fn reason(structure: Structure, demand: Demand, workload: &Workload) -> Option<String> {
    use Structure::{Filter, Periods, Rolling};

    let Some(kind) = structure.kind() else {
        return map(demand, workload).map(String::from);
    };
    let Demand::Need(need) = demand else {
        return of_kind(kind, demand, workload);
    };
    let rolls = structure.rolls();
    let lacks = match (structure, need) {
        (_, Need::Exact) => "has false positives, however few",
        (_, Need::Forget { .. }) if !structure.forgets() => "does not forget by itself",
        (_, Need::Remove) if structure.forgets() => "forgets whole generations, never a single key",
        (_, Need::List | Need::Merge | Need::Truncate) if rolls => {
            "keeps its generations to itself: they are only queried and forgotten"
        }
        (_, Need::Grow) if rolls && kind == FilterKind::Quotient => {
            "grows only if planned to, and `Rolling` plans generations of a fixed size"
        }
        (Filter(_), Need::SharedInsert) => "is built from all keys at once",
        (Rolling(_) | Periods(_), Need::SharedInsert) => "takes keys from one thread at a time",
        // Each is saved as one file, and so is each period.
        (_, Need::SharedInsert | Need::Forget { .. } | Need::Files) => return None,
        // What a kind can do, its shards and periods can, one by one.
        _ => return of_kind(kind, demand, workload),
    };
    Some(lacks.into())
}

/// Whether few enough values change to keep them in an exact map beside a map of all.
fn is_overlaid(workload: &Workload) -> bool {
    let overlay = workload.changes.map(|changes| hash_table_of(changes, workload));
    overlay.is_some_and(|bytes| bytes <= hash_table(workload) / 4)
}

/// Why a map does not meet a demand.
fn map(demand: Demand, workload: &Workload) -> Option<&'static str> {
    match demand {
        Demand::Need(Need::Exact) => Some("returns some value for keys that are not in it"),
        Demand::KeyByKey if is_overlaid(workload) => None,
        Demand::KeyByKey | Demand::Keys(_) => Some("is built from all pairs at once"),
        Demand::Need(Need::Values { .. } | Need::Files) => None,
        Demand::Need(Need::Truncate) => Some("has one size: values keep all their bits"),
        Demand::Need(_) => Some("is built from all pairs at once and never changes"),
        Demand::Fpr(_) | Demand::BitsPerKey(_) | Demand::Bytes { .. } | Demand::Strangers => None,
    }
}

fn of_kind(kind: FilterKind, demand: Demand, workload: &Workload) -> Option<String> {
    let can = Abilities::of(kind);
    let keeps_copies = can.remove && !can.never_full;
    let is_counted = workload.needs.contains(&Need::Remove) || workload.counts();
    let lacks = match demand {
        Demand::KeyByKey if !can.insert => "is built from all keys at once",
        Demand::Need(Need::Remove) if !can.insert => "is built once and never changes",
        Demand::Need(Need::Remove) if !can.remove => {
            "shares bits between keys: clearing them would lose others"
        }
        Demand::Need(Need::Count { most }) => return uncounted(kind, can.count, most),
        Demand::Need(Need::List) if !can.list => "does not keep enough of each hash to list them",
        Demand::Need(Need::Merge) if !can.merge && can.grow => {
            "spends its rate on growth: two together exceed it"
        }
        Demand::Need(Need::Merge) if !can.merge => "is solved from all its keys at once",
        Demand::Need(Need::Merge) if most_copies(kind) == Some(1) => {
            "keeps a copy from each part, and those of one key soon fill its two buckets"
        }
        // The number of keys common to the parts is unknown, and the other structures do not use a
        // slot for each copy.
        Demand::Need(Need::Merge)
            if keeps_copies
                && !is_counted
                && !workload.has(Need::List)
                && workload.copies.is_none() =>
        {
            "keeps a copy from each part that holds a key: say how many do (`--copies`)"
        }
        Demand::Need(Need::Truncate) if !can.truncate => {
            "has one size: a smaller one is built from the keys"
        }
        Demand::Need(Need::Grow) => return cannot_grow(kind, &can, workload).map(String::from),
        Demand::Need(Need::Values { .. }) => "answers yes or no, and stores no values",
        Demand::Strangers if can.remove && !is_counted => {
            "can remove keys, which attackers could misuse"
        }
        _ => return None,
    };
    Some(lacks.into())
}

fn uncounted(kind: FilterKind, counts: bool, asked: u32) -> Option<String> {
    match most_copies(kind) {
        _ if !counts => Some("knows whether a key is in, not how often".into()),
        Some(1) if asked > 1 => {
            Some("keeps all copies of a key in its two buckets, which soon are full".into())
        }
        Some(most) if most < asked => {
            Some(format!("counts to {most} at most, and you asked for {asked}"))
        }
        _ => None,
    }
}

fn cannot_grow(kind: FilterKind, can: &Abilities, workload: &Workload) -> Option<&'static str> {
    match can {
        _ if kind == FilterKind::Quotient && workload.bound().is_none() => {
            Some("grows only to a bound: give one (`--keys N --need grow`)")
        }
        Abilities { grow: true, .. } => None,
        Abilities { never_full: true, .. } => {
            Some("is never full, but its rate rises with every key")
        }
        Abilities { insert: false, .. } => Some("is built from all keys at once"),
        _ => Some("has a fixed number of slots"),
    }
}
