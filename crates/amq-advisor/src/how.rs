//! How to use what was chosen: for copies that are counted, growth, builds larger than memory, and
//! keys that strangers choose.

use crate::consider::smallest;
use crate::numbers::{Bytes, Number, Rate};
use crate::size::{MOST_COUNTED, budget};
use crate::{Answer, Choice, Demand, First, KeysBy, Structure, Times, Workload, plan};
use alloc::format;
use alloc::string::String;
use amq::{Abilities, AnyFilter, Budget, FilterKind, Goal};

/// The notes on it, where `filter` is the first filter, unless none is worth it.
pub(super) fn notes(
    answer: &Answer,
    filter: Option<&Choice>,
    workload: &Workload,
    times: &Times,
) -> impl Iterator<Item = String> {
    let all = [
        counting(answer, workload),
        filter.and_then(|it| growing(it, answer, workload)),
        filter.and_then(|_| split(answer, workload, times)),
        filter.and_then(|it| lookups(it, workload)),
        strangers(answer, filter.is_some(), workload),
    ];
    all.into_iter().flatten()
}

/// Whether each copy of a key takes a slot.
fn keeps_copies(choice: &Choice) -> bool {
    let can = choice.structure.kind().map(Abilities::of);
    can.is_some_and(|can| can.remove && !can.never_full)
}

/// The most copies that a cascade counts in fewer bits than counters of four.
const MOST_IN_CASCADE: u32 = 4;

/// What to do with copies beyond the most, and what takes any number of them.
fn counting(answer: &Answer, workload: &Workload) -> Option<String> {
    let most = workload.most_copies()?;
    let slots = answer.filters().find(|it| keeps_copies(it))?.structure;
    let mut text = format!(
        "If a key may come more than {most} times, ask {slots} for its count first, and insert it \
         only below {most}: further copies would take the slots of other keys."
    );
    let plain = workload.generations().is_none() && !workload.is_shared() && !workload.grows();
    let keys = workload.keys.planned();
    let bits = |bytes: u64| bytes as f64 * 8.0 / keys as f64;
    if plain && most <= MOST_COUNTED {
        let Budget::Fpr(fpr) = budget(workload) else { return Some(text) };
        let planned = |kind| AnyFilter::plan(kind, Goal::fpr(keys, fpr)).ok();
        if let Some(counters) = planned(FilterKind::Counting) {
            text += &format!(
                " A counting Bloom filter takes them all, in {:.1} bits per key.",
                bits(counters.bytes)
            );
        }
        let alone = workload.needs.len() == 1 && (2..=MOST_IN_CASCADE).contains(&most);
        if let Some(bloom) = planned(FilterKind::Bloom).filter(|_| alone) {
            text += &format!(
                " So does a cascade of {most} Bloom filters, of the keys seen once, twice and so \
                 on: each copy goes into the first that denies its key. That is {most} x {:.1} = \
                 {:.1} bits per key, {}, or less where few keys come again; each errs at {}.",
                bits(bloom.bytes),
                bits(bloom.bytes) * f64::from(most),
                Bytes(bloom.bytes.saturating_mul(most.into())),
                Rate(bloom.expected_fpr)
            );
        }
    }
    Some(text)
}

/// How one that grows to a bound begins.
fn growing(choice: &Choice, answer: &Answer, workload: &Workload) -> Option<String> {
    let (Structure::Filter(kind), Some(goal), true) =
        (choice.structure, choice.goal, workload.is_bounded_growth())
    else {
        return None;
    };
    let (first, keys, fpr) = (plan::first_keys(goal.keys), goal.keys, choice.fpr);
    let fpr = if let Budget::Fpr(fpr) = goal.budget { fpr } else { fpr };
    let (all, room) = (Bytes(choice.bytes), Number(first));
    let stages = |it: &&Choice| it.structure == Structure::Filter(FilterKind::Scalable);
    Some(match kind {
        FilterKind::Quotient => {
            let plan = amq::QuotientFilter::plan_growing(Goal::fpr(keys, fpr), first).ok()?;
            let small = Bytes(plan.params.bytes());
            let stages = answer.filters().find(stages).map_or_else(String::new, |it| {
                format!(" A scalable one adds a stage instead, in {:.1} bits.", it.bits_per_key)
            });
            format!(
                "It begins with {small}, room for {room} keys, by \
                 `QuotientFilter::plan_growing(Goal::fpr({keys}, {fpr}), {first})`, and doubles up \
                 to {all}; at each doubling an insert waits for all keys to move.{stages} `amq \
                 build` makes it of full size at once."
            )
        }
        FilterKind::Scalable | FilterKind::ScalableBlocked => format!(
            "It begins with a stage for {room} keys, and each next one is for 4 times as many, up \
             to {all}: `ScalableParams` has the first, the growth and the most keys."
        ),
        _ => return None,
    })
}

/// Bytes that many a machine has not got to build a filter.
const LARGE: u64 = 64 << 30;

/// Into how many parts a build is split that takes more memory than there is: of the first, or of
/// one in fewer bits for its rate.
fn split(answer: &Answer, workload: &Workload, times: &Times) -> Option<String> {
    let free = Workload { build_bytes: None, ..workload.clone() };
    let refused = answer.rejections.iter();
    let refused = refused.filter(|it| matches!(it.demand, Demand::BuildBytes(_)));
    let freed = refused.filter_map(|it| smallest(it.structure, &free, times).ok());
    let first = answer.filters().next().filter(|_| workload.built_once).cloned();
    let bits = |it: &Choice| it.bits_per_key / -libm::log2(it.fpr);
    let it = freed.chain(first).min_by(|a, b| bits(a).total_cmp(&bits(b)))?;
    let parts = it.build_bytes.div_ceil(workload.build_bytes.unwrap_or(LARGE));
    (workload.built_once && parts > 1).then(|| {
        format!(
            "To build {} in one takes {}. Split the keys by hash into {parts} parts, each a filter \
             of its own (`KeyHash::shard`): one after the other they take {} at most.",
            it.structure,
            Bytes(it.build_bytes),
            Bytes(it.build_bytes.div_ceil(parts))
        )
    })
}

/// What a lookup reads at most, where its tail is asked for.
fn lookups(choice: &Choice, workload: &Workload) -> Option<String> {
    if workload.spares() != First::Tail || !workload.built_once {
        return None;
    }
    let (it, kind) = (choice.structure, choice.structure.kind()?);
    let columns = libm::ceil(-libm::log2(choice.fpr)) as u64;
    let reads = match kind {
        FilterKind::Bloom => {
            let probes = amq::BloomFilter::plan(choice.goal?).ok()?.params.probes;
            format!("{probes} cache lines, each in a page of its own")
        }
        FilterKind::BlockedBloom | FilterKind::WideBlockedBloom => "one cache line".into(),
        FilterKind::Fuse => "three cache lines, in three pages".into(),
        FilterKind::Cuckoo | FilterKind::WindowedCuckoo => "two cache lines, in two pages".into(),
        FilterKind::StandardRibbon | FilterKind::NarrowRibbon | FilterKind::BumpedRibbon => {
            format!("{} adjacent cache lines, in two pages", (16 * columns).div_ceil(64) + 1)
        }
        _ => return None,
    };
    Some(format!(
        "A lookup in the {it} filter reads at most {reads}. That bounds its tail, which the records \
         do not have: beyond the caches each line is an access to memory, and each page one more, \
         unless pages are huge."
    ))
}

/// What else keys that strangers choose ask for.
fn strangers(answer: &Answer, is_filter: bool, workload: &Workload) -> Option<String> {
    if workload.keys_by != KeysBy::Strangers {
        return None;
    }
    let mut text = String::new();
    let is_table = |it: Structure| matches!(it, Structure::ExactSet | Structure::ExactMap);
    if is_table(answer.best().structure) {
        text += "Rust's `HashSet` and `HashMap` hash with SipHash under random keys, which \
                 strangers cannot collide. ";
    }
    if is_filter {
        text += "Where a yes grants something, a filter alone must not decide: whoever tries \
                 enough keys finds false positives.";
        text += if workload.built_once { "" } else { " Nor does a key stop one who fills it." };
    }
    Some(text.trim_end().into()).filter(|text: &String| !text.is_empty())
}
