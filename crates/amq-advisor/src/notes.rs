//! What to know beside the choices. Every number is reckoned here, as in the reasons.

use crate::by::{By, TIME_MAY_TAKE, USEFUL_FPR};
use crate::numbers::{Bytes, Number, Rate};
use crate::size;
use crate::{Answer, Choice, DEFAULT_FPR, Keys, KeysBy, Need, Structure, Times, Workload};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use amq::Abilities;

/// Bytes of a filter that many a machine has no room for.
const LARGE: u64 = 64 << 30;

/// What is true beside the choices.
pub(super) fn notes(workload: &Workload, answer: &Answer, by: By, times: &Times) -> Vec<String> {
    let mut notes = Vec::new();
    let filter = answer.filters().next();
    notes.push(exact_set(answer.exact_set.bytes, filter, workload));
    notes.extend(filter.and_then(|choice| sorted(choice, answer.best(), workload)));
    notes.extend(ends(answer, by, workload));
    notes.extend(filter.and_then(|choice| changes(choice, answer, workload)));
    if workload.allowed(1).is_none() && workload.fpr.is_none() && workload.is_filtered() {
        let rate = Rate(DEFAULT_FPR);
        notes.push(format!("Neither a rate nor a size was asked for: planned for {rate}."));
    }
    if let Some(choice) = filter {
        notes.extend(when_full(choice, workload));
        notes.extend(generations(workload));
        if choice.fpr > USEFUL_FPR && choice.structure != Structure::Map {
            let (it, rate) = (choice.structure, Rate(choice.fpr));
            notes.push(format!("At this size the {it} filter says yes to {rate} of absent keys."));
        }
    }
    notes.extend(copies(workload, answer));
    let growing = workload.grows() && !matches!(workload.keys, Keys::AtMost(_));
    let strangers = workload.keys_by == KeysBy::Strangers;
    let fixed: [(bool, &str); 8] = [
        (
            growing,
            "Bits per key are the mean over ten doublings, in which each number of keys counts for \
             as much as its double; sizes in bytes are those at the start.",
        ),
        (
            growing,
            "To grow without a bound costs the most bits and the slowest queries: with a bound \
             known at the start, even a generous one, there is better.",
        ),
        (
            workload.needs.contains(&Need::List),
            "What is listed are hashes: no filter keeps the keys.",
        ),
        (
            workload.needs.contains(&Need::Merge) || filter.is_some_and(|f| f.bytes >= LARGE),
            "For a join, or keys on several machines, `amq-datafusion` makes, merges and asks \
             filters in SQL, where the data lies: on DataFusion, on Ballista, with Spark's bytes.",
        ),
        (
            workload.needs_remove(),
            "Remove only what was inserted: to remove a false positive is to deny another key.",
        ),
        (
            strangers,
            "Strangers choose the keys, and can prepare some that collide: wrap it in `Keyed`, \
             which hashes with SipHash under a secret key (`amq build --key-file`), and keep an \
             exact set behind it. A secret random seed is faster, and weaker: XXH3 is no \
             pseudorandom function. Neither stops one who tries keys and remembers which are \
             false positives, nor one who fills the filter. SECURITY.md says for each filter what \
             chosen keys do.",
        ),
        (
            strangers && workload.needs_remove(),
            "And let strangers remove only what the exact set behind it holds.",
        ),
        (
            workload.threads > 1 && !workload.is_shared(),
            "Any number of threads can query at once. If several also insert, ask for \
             shared-insert, too.",
        ),
    ];
    notes.extend(fixed.iter().filter(|(is_so, _)| *is_so).map(|(_, text)| String::from(*text)));
    notes.extend(measured(workload, answer, times));
    notes
}

/// Where the times come from.
fn measured(workload: &Workload, answer: &Answer, times: &Times) -> Option<String> {
    answer.front.first()?;
    let mut text = format!(
        "Times were measured on {} ({}): take them for ratios.",
        times.processor(),
        times.date()
    );
    if answer.filters().any(|choice| choice.reckoned) {
        text += " Those marked ~ lie beyond what was measured, and are reckoned from it.";
    }
    // As long as the harness' integers.
    if let Some(bytes @ 1..) = workload.key_bytes.checked_sub(8) {
        let ns = bytes as f64 * times.hash_ns_per_byte();
        text +=
            &format!(" To hash so long a key takes some {ns:.0} ns more, in every filter alike.");
    }
    Some(text)
}

/// The front, from the smallest to the quickest, and which end was taken.
fn ends(answer: &Answer, by: By, workload: &Workload) -> Option<String> {
    let taken = match by {
        By::Time(_) if workload.bit_ns.is_some() => "weighed by the price of memory".into(),
        By::Time(_) if workload.allowed(1).is_some() => "the least time in the size allowed".into(),
        By::Time(_) => format!("the least time, in at most {TIME_MAY_TAKE} times the fewest bits"),
        By::Bits | By::Rate => "memory first".into(),
    };
    let point = |choice: &Choice| {
        let total = choice.cost_ns.unwrap_or(f64::INFINITY);
        format!("{} with {:.2} and {total:.0}", choice.structure, choice.bits_per_key)
    };
    let points: Vec<String> = answer.front.iter().map(point).collect();
    (points.len() > 1).then(|| {
        format!(
            "Taken: {taken}. From the smallest to the quickest, with bits per key and nanoseconds \
             a query in all: {}.",
            points.join(", ")
        )
    })
}

fn exact_set(bytes: u64, filter: Option<&Choice>, workload: &Workload) -> String {
    let what = match Structure::exact(workload) {
        Structure::ExactMap if workload.counts() => "map from each key to its count",
        Structure::ExactMap => "map from each key to its value",
        _ => "set of the keys",
    };
    let shown = Bytes(bytes);
    match filter {
        Some(filter) if filter.bytes > 0 => {
            let (times, other) = (bytes as f64 / filter.bytes as f64, filter.structure);
            format!(
                "An exact {what} takes {shown}, {times:.1} times as much as {other}, and never errs."
            )
        }
        _ => format!("An exact {what} takes {shown}, and never errs."),
    }
}

/// Sorted keys are worth naming if they take at most so many times the bits of a filter.
const NEARLY: f64 = 1.2;

/// What the keys take, sorted as integers, where that is about as little as a filter.
fn sorted(filter: &Choice, best: &Choice, workload: &Workload) -> Option<String> {
    let keys = workload.keys.planned() as f64;
    let universe = workload.below.map_or(workload.key_bytes as f64 * 8.0, |n| libm::log2(n as f64));
    // Elias-Fano: the low bits as they are, and two more for the high ones of all before.
    let elias_fano = (universe - libm::log2(keys)).max(0.0) + 2.0;
    let (it, bits) = (filter.structure, filter.bits_per_key);
    let serves =
        workload.is_filtered() && !workload.counts() && best.structure != Structure::Bitmap;
    (serves && elias_fano <= bits * NEARLY).then(|| {
        format!(
            "The {it} filter takes {bits:.1} bits per key; sorted, as integers of one length, the keys \
             themselves take {elias_fano:.1} in an Elias-Fano list and {:.0} in an array. Both never \
             err, and are made from all keys at once.",
            libm::ceil(universe)
        )
    })
}

/// What it takes to bring others up to date.
fn changes(choice: &Choice, answer: &Answer, workload: &Workload) -> Option<String> {
    let changes = workload.changes?;
    let (whole, list) = (choice.bytes, changes.saturating_mul(workload.key_bytes));
    let hashes = changes.saturating_mul(8);
    let is_whole = whole <= list.min(hashes);
    let takes = |choice: &&Choice| {
        let can = choice.structure.kind().map(Abilities::of);
        can.is_some_and(|can| can.insert && can.remove)
    };
    let taker = answer.filters().find(takes).filter(|_| !is_whole);
    let taker = taker.map_or_else(String::new, |it| {
        format!(": {}, {:.2} bits per key", it.structure, it.bits_per_key)
    });
    Some(format!(
        "{}: the filter is {}; {} changed keys are {} as keys, {} as hashes of 64 bits. With keys, \
         a receiver who has the whole set builds the filter again; hashes need a filter that inserts \
         and removes on the other side{taker}. A filter that is built again with another seed or \
         size shares no bits with the last.",
        if is_whole { "Send the whole" } else { "Send the changes" },
        Bytes(whole),
        Number(changes),
        Bytes(list),
        Bytes(hashes)
    ))
}

/// What becomes of copies.
fn copies(workload: &Workload, answer: &Answer) -> Option<String> {
    let repeats = workload.copies.is_some_and(|copies| copies > 1.0);
    if workload.counts() {
        let copies = workload.stored_copies();
        let given = if workload.copies.is_some() { "on average" } else { "the most asked for" };
        let sticks = answer.filters().any(|choice| {
            choice.structure.kind().is_some_and(|kind| {
                let can = Abilities::of(kind);
                can.count && can.never_full
            })
        });
        let sticks = if sticks { " Counters of four bits stick at 15, for good." } else { "" };
        let is_often = |need: &Need| matches!(need, Need::Count { most: 15.. }) && copies > 4.0;
        let varied = match workload.needs.iter().any(is_often) {
            true => {
                " A counting quotient filter with counters of variable length (Pandey et al. \
                 2017), which this family does not have, would take three or four slots a key."
            }
            false => "",
        };
        return Some(format!(
            "Planned for {copies} copies of each key, {given}: in filters that store fingerprints \
             each copy takes a slot.{sticks}{varied}"
        ));
    }
    repeats.then(|| {
        "Keys come again: take them with `insert_unique`, since filters that remove would store \
         each copy, and remove only keys that were answered `New`. Bloom filters store nothing \
         twice."
            .into()
    })
}

/// What becomes of keys beyond the plan.
fn when_full(choice: &Choice, workload: &Workload) -> Option<String> {
    let it = choice.structure;
    let kind = it.kind()?;
    if workload.built_once || choice.grown.is_some() {
        return None;
    }
    let is_rolling = matches!(it, Structure::Rolling(_));
    let twice = choice.goal.filter(|_| !is_rolling);
    if let Some(fpr) = twice.and_then(|goal| size::with_twice_the_keys(kind, goal)) {
        let rate = Rate(fpr);
        return Some(format!(
            "The {it} filter is never full, and that has its price: with twice the keys it errs at \
             {rate}."
        ));
    }
    let keys = Number(workload.keys.planned());
    let plan = if is_rolling { "a generation's share of its plan" } else { "its plan" };
    (!Abilities::of(kind).never_full).then(|| {
        format!(
            "The {it} filter refuses keys beyond {plan} of {keys}: plan for the most there will be."
        )
    })
}

/// How many keys are remembered for certain by one that forgets.
fn generations(workload: &Workload) -> Option<String> {
    let count = u64::from(workload.generations()?);
    let keys = workload.keys.planned();
    let each = keys.div_ceil(count);
    let sure = each.saturating_mul(count - 1).min(keys);
    let enough = keys.div_ceil(count - 1).saturating_mul(count);
    let [all, each, sure, enough] = [keys, each, sure, enough].map(Number);
    Some(format!(
        "The {all} keys are those of all {count} generations, the one being filled included: {each} \
         each. Just after the oldest is forgotten, the last {sure} are remembered: to be sure of \
         {all}, plan for {enough}."
    ))
}
