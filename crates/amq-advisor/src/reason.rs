//! The sentences: why a structure, and what to know besides.
//!
//! What a kind is comes from the table of kinds. Every number is reckoned here from the choices: no
//! sentence knows a number by heart.

use crate::by::{By, TIE, TIME_MAY_TAKE};
use crate::numbers::{Bytes, Number, Rate};
use crate::size;
use crate::{Answer, Choice, DEFAULT_FPR, Growth, Keys, KeysBy, Need, Structure, Times, Workload};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use amq::{Abilities, FilterKind};

/// Bits per key over the least possible, from which a few keys fill a table badly.
const WASTEFUL: f64 = 2.0;

/// Gives each of the ranked choices its sentences.
pub(super) fn give(choices: &mut [Choice], by: By, workload: &Workload) {
    for index in 0..choices.len() {
        let compared = if index == 0 { first(choices, by) } else { beside(choices, index) };
        let also = also(&choices[index]);
        let choice = &mut choices[index];
        choice.what = what(choice.structure, workload);
        choice.reason = compared + &also;
    }
}

/// What it is.
fn what(structure: Structure, workload: &Workload) -> String {
    match structure {
        Structure::AtomicBloom => "Several threads insert at once into a Bloom filter, without \
                                   locks and without losing a bit."
            .into(),
        Structure::AtomicBlockedBloom => {
            "Several threads insert at once, without locks, each into \
                                          one cache line."
                .into()
        }
        Structure::Map => {
            "A value for each key in few more bits than it has; a key that is not in \
                           has some value, too."
                .into()
        }
        Structure::Sharded(kind) => format!(
            "{} shards with a lock each: threads seldom meet. {}",
            size::shards(workload),
            kind.about()
        ),
        Structure::Rolling(kind) if workload.counts() => format!(
            "{} for each of {} generations, the oldest of which is cleared when time moves on; the \
             copies of a key are the sum over them.",
            kind.about().trim_end_matches('.'),
            workload.generations().unwrap_or(1)
        ),
        Structure::Rolling(kind) => format!(
            "{} generations, the oldest of which is forgotten when time moves on. {}",
            workload.generations().unwrap_or(1),
            kind.about()
        ),
        Structure::Filter(kind) => kind.about().into(),
        Structure::Bitmap | Structure::ExactSet | Structure::Nothing => String::new(),
    }
}

/// Why the first is first, and what it takes over the least possible.
fn first(choices: &[Choice], by: By) -> String {
    let best = &choices[0];
    let fewest = choices.iter().map(|choice| choice.bits_per_key).fold(f64::INFINITY, f64::min);
    let lowest = choices.iter().map(|choice| choice.fpr).fold(1.0, f64::min);
    let tie = format!("within {:.0} %", TIE * 100.0);
    let why = match by {
        _ if choices.len() == 1 => "The only one that does it".into(),
        By::Bits if best.bits_per_key > fewest => {
            format!("The least time of those that come {tie} of the fewest bits, {fewest:.2}")
        }
        By::Bits => "The fewest bits".into(),
        By::Rate if best.fpr > lowest => {
            format!("The least time of those with about the lowest rate, {}", Rate(lowest))
        }
        By::Rate => "The lowest rate in this size".into(),
        By::Time(most) if most.is_finite() => {
            format!("The least time within {most:.2} bits per key, or {tie} of it in fewer bits")
        }
        By::Time(_) => "The least time and memory together".into(),
    };
    let bits = best.grown.map_or(best.bits_per_key, |growth| growth.least);
    if best.fpr >= 1.0 || best.fpr <= 0.0 {
        return format!("{why}.");
    }
    let over = amq_core::numeric::overhead(bits, best.fpr) * 100.0 - 100.0;
    format!("{why}: {over:.1} % over the least possible for {}.", Rate(best.fpr))
}

/// How one that is not first compares with the first.
fn beside(choices: &[Choice], index: usize) -> String {
    let (first, this) = (&choices[0], &choices[index]);
    let bits = (this.bits_per_key / first.bits_per_key - 1.0) * 100.0;
    let bits = match bits {
        _ if bits.abs() < 0.05 => "As many bits as the first".into(),
        _ if bits < 0.0 => format!("{:.1} % fewer bits than the first", -bits),
        _ => format!("{bits:.1} % more bits than the first"),
    };
    match (first.cost_ns, this.cost_ns) {
        (Some(first), Some(this)) if first > 0.0 => {
            format!("{bits}, and {:.2} times its time.", this / first)
        }
        _ => format!("{bits}."),
    }
}

/// What else its numbers say.
fn also(choice: &Choice) -> String {
    let mut text = String::new();
    if let Some(growth) = choice.grown {
        let Growth { mean, least, most } = growth;
        text += &format!(
            " {mean:.1} bits per key on average as it grows, {least:.1} to {most:.1}, when it has \
             just grown."
        );
    }
    let Some(goal) = choice.goal else {
        return text;
    };
    let bits = choice.bytes as f64 * 8.0 / goal.keys as f64;
    let is_small = goal.keys <= 1000 && choice.grown.is_none() && choice.fpr < 1.0;
    if is_small && amq_core::numeric::overhead(bits, choice.fpr) > WASTEFUL {
        text +=
            &format!(" So few keys leave its smallest table mostly empty: {bits:.0} bits each.");
    }
    text
}

/// Bytes of a filter that many a machine has no room for.
const LARGE: u64 = 64 << 30;

/// What is true beside the choices.
pub(super) fn notes(workload: &Workload, answer: &Answer, by: By, times: &Times) -> Vec<String> {
    let mut notes = Vec::new();
    let filter = answer.filters().next();
    notes.push(exact_set(answer.exact_set.bytes, filter));
    notes.extend(ends(answer, by, workload));
    notes.extend(filter.and_then(|choice| changes(choice, workload)));
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
             (`Keys::AtMost`), even a generous one, there is better.",
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
             exact set behind it. A secret random seed (`with_seed`) is faster, and weaker: XXH3 is \
             no pseudorandom function. Neither stops one who tries keys and remembers which are \
             false positives, nor one who fills the filter. SECURITY.md says for each filter what \
             chosen keys do.",
        ),
        (
            strangers && workload.needs_remove(),
            "And let strangers remove only what the exact set behind it holds.",
        ),
        (
            workload.threads > 1 && !workload.is_shared(),
            "Any number of threads can query at once. That several insert was not asked for: \
             `Need::SharedInsert`.",
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

fn exact_set(bytes: u64, filter: Option<&Choice>) -> String {
    let shown = Bytes(bytes);
    match filter {
        Some(filter) if filter.bytes > 0 => {
            let times = bytes as f64 / filter.bytes as f64;
            format!(
                "An exact set of the keys takes {shown}, {times:.1} times as much, and never errs."
            )
        }
        _ => format!("An exact set of the keys takes {shown}, and never errs."),
    }
}

/// What it takes to bring others up to date.
fn changes(choice: &Choice, workload: &Workload) -> Option<String> {
    let changes = workload.changes?;
    let (whole, list) = (choice.bytes, changes.saturating_mul(workload.key_bytes));
    let hashes = changes.saturating_mul(8);
    let send = if whole <= list.min(hashes) { "Send the whole" } else { "Send the changes" };
    Some(format!(
        "{send}: the filter is {}; {} changed keys are {} as keys, {} as hashes of 64 bits, which \
         need a filter that inserts and removes on the other side. A filter that is built again \
         with another seed or size shares no bits with the last.",
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
        return Some(format!(
            "Planned for {copies} copies of each key, {given}: in filters that store fingerprints \
             each copy takes a slot.{sticks}"
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
    let kind = match choice.structure {
        Structure::Filter(kind) | Structure::Sharded(kind) => kind,
        Structure::AtomicBloom => FilterKind::Bloom,
        Structure::AtomicBlockedBloom => FilterKind::BlockedBloom,
        _ => return None,
    };
    if workload.built_once || choice.grown.is_some() {
        return None;
    }
    if let Some(fpr) = choice.goal.and_then(|goal| size::with_twice_the_keys(kind, goal)) {
        let rate = Rate(fpr);
        return Some(format!(
            "It is never full, and that has its price: with twice the keys it errs at {rate}."
        ));
    }
    let keys = Number(workload.keys.planned());
    (!Abilities::of(kind).never_full).then(|| {
        format!("It refuses keys beyond its plan of {keys}: plan for the most there will be.")
    })
}
