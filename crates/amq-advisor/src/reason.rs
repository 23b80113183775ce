//! The sentences: why a structure, and what to know besides.

use crate::numbers::{Bytes, Number, Rate};
use crate::plan::Size;
use crate::{Choice, DEFAULT_FPR, ExactSet, Growth, Keys, KeysBy, Need, Structure, Workload, size};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use amq::FilterKind;

/// Bits per key over the least possible, from which a few keys fill a table badly.
const WASTEFUL: f64 = 2.0;

/// Why you would use it, and what it costs.
pub(super) fn of(structure: Structure, size: &Size, workload: &Workload) -> String {
    let mut text: String = match structure {
        Structure::AtomicBloom => {
            "Several threads insert at once, without locks and without losing a bit; an insert \
             costs some five times a Bloom filter's."
                .into()
        }
        Structure::AtomicBlockedBloom => {
            "Several threads insert at once, without locks, each into one cache line; pays for it \
             in bits."
                .into()
        }
        Structure::Map => "A value for each key in few more bits than it has; a key that is not \
                           in has some value, too."
            .into(),
        Structure::Sharded(kind) => format!(
            "{} shards with a lock each: threads seldom meet. {}",
            size::shards(workload),
            of_kind(kind, size, workload)
        ),
        Structure::Filter(kind) => of_kind(kind, size, workload),
        Structure::ExactSet | Structure::Nothing => String::new(),
    };
    let bits = size.bytes as f64 * 8.0 / size.keys as f64;
    let is_small = size.keys <= 1000 && size.grown.is_none();
    if is_small && amq_core::numeric::overhead(bits, size.fpr) > WASTEFUL && size.fpr < 1.0 {
        text +=
            &format!(" So few keys leave its smallest table mostly empty: {bits:.0} bits each.");
    }
    text
}

fn of_kind(kind: FilterKind, size: &Size, workload: &Workload) -> String {
    let grows = match size.grown {
        Some(growth) => format!("{}, when a stage has just begun", bits(growth)),
        None => String::from("a stage for each time it has grown"),
    };
    match kind {
        FilterKind::Bloom => "Few bits per key, and an early no for absent keys.".into(),
        FilterKind::BlockedBloom => "One cache line per operation, whatever the answer; pays for \
                                     it in bits, the more the lower the rate."
            .into(),
        FilterKind::Counting => {
            "Counts to 14 and removes, in four times the bits of a Bloom filter; never full.".into()
        }
        FilterKind::BlockedCounting => "Counts to 14 and removes with one cache line per \
                                        operation, in a fifth more bits than the classic one; \
                                        never full."
            .into(),
        FilterKind::Scalable => {
            format!("Keeps its rate however many keys come; a query asks every stage: {grows}.")
        }
        FilterKind::ScalableBlocked => format!(
            "Keeps its rate however many keys come, one cache line per stage and query: {grows}."
        ),
        FilterKind::Cuckoo => {
            "Removes, with two cache lines per operation; refuses keys beyond its plan.".into()
        }
        FilterKind::WindowedCuckoo => "Removes, in a tenth fewer bits than the cuckoo filter with \
                                       separate buckets, and is filled a third as fast; refuses \
                                       keys beyond its plan."
            .into(),
        FilterKind::Quotient if workload.grows() => "Doubles up to its bound without the keys, \
                                                     and keeps its rate; counts, lists, merges \
                                                     and removes."
            .into(),
        FilterKind::Quotient => "Counts, lists, merges and resizes without the keys; inserts slow \
                                 down as it fills, and it refuses keys beyond its plan."
            .into(),
        FilterKind::StandardRibbon => {
            "Static, one layer: some 5 % over the least possible bits, built sooner than the \
             wide bumped one."
                .into()
        }
        FilterKind::NarrowRibbon => {
            "Static, the soonest built of the ribbons, at some 8 % over the least possible bits."
                .into()
        }
        FilterKind::BumpedRibbon => {
            "Static, and within 2 % of the least possible bits from ten thousand keys on.".into()
        }
        FilterKind::WideBumpedRibbon => "Static, within 1 % of the least possible bits, and built \
                                         half as fast as the bumped one."
            .into(),
        FilterKind::ExpandableQuotient if workload.grows() => match size.grown {
            Some(growth) => format!(
                "Doubles whenever it is full, keeps its rate, and stays one table: a query costs \
                 the same however far it has grown; {}, when it has just doubled.",
                bits(growth)
            ),
            None => "Doubles whenever it is full, keeps its rate, and stays one table; removes \
                     and counts."
                .into(),
        },
        FilterKind::ExpandableQuotient => "Doubles when more keys come than planned, and keeps \
                                           its rate; longer fingerprints than a quotient filter \
                                           of fixed size."
            .into(),
        _ => kind.about().into(),
    }
}

/// The bits per key of one that grows, up to the most of them.
fn bits(Growth { mean, least, most }: Growth) -> String {
    format!("{mean:.1} bits per key on average as it grows, {least:.1} to {most:.1}")
}

/// Notes that hold for all choices.
pub(super) fn notes(workload: &Workload, choices: &[Choice], exact: &ExactSet) -> Vec<String> {
    let mut notes = Vec::new();
    let filter = choices.iter().find(|choice| choice.structure.is_filter());
    notes.push(exact_set(exact, filter));
    if workload.fpr.is_none() && workload.bytes.is_none() && workload.bits_per_key.is_none() {
        let rate = Rate(DEFAULT_FPR);
        notes.push(format!("Neither a rate nor a size was asked for: planned for {rate}."));
    }
    if let Some(choice) = filter {
        notes.extend(when_full(choice, workload));
        if choice.fpr > 0.5 && choice.structure != Structure::Map {
            let rate = Rate(choice.fpr);
            notes.push(format!("At this size it says yes to {rate} of absent keys."));
        }
    }
    if workload.grows() && !matches!(workload.keys, Keys::AtMost(_)) {
        notes.push(
            "Bits per key are the mean over ten doublings, in which each number of keys counts for \
             as much as its double; sizes in bytes are those at the start."
                .into(),
        );
        notes.push(
            "To grow without a bound costs the most bits and the slowest queries: with a bound \
             (`Keys::AtMost`), even a generous one, there is better."
                .into(),
        );
    }
    if workload.needs.contains(&Need::List) {
        notes.push("What is listed are hashes: no filter keeps the keys.".into());
    }
    if workload.needs_remove() {
        notes.push(
            "Remove only what was inserted: to remove a false positive is to deny another key."
                .into(),
        );
    }
    if workload.keys_by == KeysBy::Strangers {
        notes.push(
            "Strangers choose the keys, and can prepare some that collide: wrap it in `Keyed`, \
             which hashes with SipHash under a secret key (`amq build --key-file`). A secret random \
             seed (`with_seed`) is faster, and weaker: XXH3 is no pseudorandom function. \
             SECURITY.md says for each filter what chosen keys do, and what neither helps against."
                .into(),
        );
    }
    if workload.threads > 1 && !workload.is_shared() {
        notes.push(
            "Any number of threads can query at once. That several insert was not asked for: \
             `Need::SharedInsert`."
                .into(),
        );
    }
    notes
}

fn exact_set(exact: &ExactSet, filter: Option<&Choice>) -> String {
    let bytes = Bytes(exact.bytes);
    match filter {
        Some(filter) if filter.bytes > 0 => {
            let times = exact.bytes as f64 / filter.bytes as f64;
            format!(
                "An exact set of the keys takes {bytes}, {times:.1} times as much, and never errs."
            )
        }
        _ => format!("An exact set of the keys takes {bytes}, and never errs."),
    }
}

/// What happens to keys beyond the plan.
fn when_full(choice: &Choice, workload: &Workload) -> Option<String> {
    let kind = match choice.structure {
        Structure::Filter(kind) | Structure::Sharded(kind) => kind,
        Structure::AtomicBloom => FilterKind::Bloom,
        Structure::AtomicBlockedBloom => FilterKind::BlockedBloom,
        _ => return None,
    };
    if workload.built_once || choice.grown.is_some() {
        return None;
    }
    let keys = workload.keys.planned();
    if let Some(fpr) = size::with_twice_the_keys(kind, workload) {
        let rate = Rate(fpr);
        return Some(format!(
            "It is never full, and that has its price: with twice the keys it errs at {rate}."
        ));
    }
    let refuses = !amq::Abilities::of(kind).never_full;
    refuses.then(|| {
        format!(
            "It refuses keys beyond its plan of {}: plan for the most there will be.",
            Number(keys)
        )
    })
}
