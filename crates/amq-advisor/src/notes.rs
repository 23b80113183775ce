//! What to know beside the choices. Every number is reckoned here, as in the reasons.

use crate::by::By;
use crate::compared::{exact, file, many, worth};
use crate::consider::smallest;
use crate::how;
use crate::numbers::{Bytes, Number, Rate};
use crate::size;
use crate::{Answer, Choice, DEFAULT_FPR, First, KeysBy, Need, Structure, Times, Workload};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use amq::Abilities;

/// Bytes of a device that has little memory.
const SMALL_DEVICE: u64 = 1 << 20;

/// What is true beside the choices.
pub(super) fn notes(workload: &Workload, answer: &Answer, by: By, times: &Times) -> Vec<String> {
    let mut notes = Vec::new();
    let is_needless = answer.best().structure == Structure::Nothing;
    let filter = answer.filters().next().filter(|_| !is_needless);
    if filter.is_some() || answer.best().structure != answer.exact[0].structure {
        notes.push(exact(answer, filter, workload));
    }
    notes.extend(how::notes(answer, filter, workload, times));
    if let Some(it) = filter {
        let of_it = [
            worth(it, answer, workload),
            many(it, workload, times),
            file(it, workload),
            changes(it, answer, workload),
            merged(it, workload),
            room(it, workload, times),
            when_full(it, workload),
            generations(workload),
        ];
        notes.extend(of_it.into_iter().flatten());
    }
    notes.extend(ends(answer, by, workload));
    // The cost of an error calls for a rate of its own.
    let is_weighed = matches!(by, By::Time(_)) && workload.false_positive_ns.is_some();
    let is_open = workload.allowed(1).is_none() && workload.needs_a_rate() && !is_weighed;
    if is_open && answer.best().fpr > 0.0 {
        let rate = Rate(DEFAULT_FPR);
        notes.push(format!("Neither a rate nor a size was asked for: planned for {rate}."));
    }
    notes.extend(copies(workload, answer));
    let (is_filter, is_first) = (filter.is_some(), answer.best().structure.is_filter());
    let fixed: &[(bool, &str)] = &[
        (
            workload.is_exact(),
            "If all u keys that can be queried are known beforehand, less is enough: for the n keys \
             that are in, a cascade of filters such as CRLite's takes some n (1.44 log2(u / n) + 4.2) \
             bits (Larisch et al. 2017), and a `RibbonMap` of one bit, built from all of them, u \
             bits. In front of an exact set that is slow to query, a filter saves the lookups of \
             absent keys.",
        ),
        (
            workload.bytes.is_some_and(|bytes| bytes <= SMALL_DEVICE) && is_first,
            "On small devices: the filters need no operating system (`no_std`), and a view queries \
             the bytes of a file in place, in flash too.",
        ),
        (
            workload.grows() && !workload.is_bounded_growth(),
            "Bits per key are the mean over ten doublings (on a logarithmic scale of keys); sizes \
             in bytes are those at the start. If you can name a bound on the keys (`--at-most`), \
             even a generous one, filters take fewer bits and answer faster.",
        ),
        (workload.has(Need::List) && is_filter, "Listing gives hashes: no filter keeps the keys."),
        (
            workload.has(Need::Merge) || is_first && answer.best().bytes >= how::LARGE,
            "For joins, or keys on several machines: `amq-datafusion` builds, merges and queries \
             filters in SQL, next to the data, on DataFusion and Ballista, and reads Spark's.",
        ),
        (
            workload.needs_remove() && is_filter,
            "Remove only keys that were inserted: removing a false positive loses another key.",
        ),
        (
            workload.counts() && workload.generations().is_some(),
            "Counts that decay, halved from time to time as in TinyLFU, are not offered: no filter \
             of this family halves its counters.",
        ),
        (
            workload.is_shared() && is_filter,
            "If several threads insert the same new key at once, a sharded filter answers `New` to \
             one of them at most; an atomic one may answer it to each.",
        ),
        (
            workload.threads > 1 && !workload.is_shared(),
            "Any number of threads can query at once, each as fast as one alone, so the number of \
             threads changes nothing here. If several insert, say so (`--need shared-insert`).",
        ),
    ];
    notes.extend(fixed.iter().filter(|(is_so, _)| *is_so).map(|(_, text)| String::from(*text)));
    notes.extend(left(workload));
    notes.extend(tails(workload, times));
    notes.extend(measured(workload, answer, times));
    notes
}

/// What a filter of all the bytes allowed would err on, where the rate asked for leaves many free.
fn room(choice: &Choice, workload: &Workload, times: &Times) -> Option<String> {
    let allowed = workload.allowed(workload.keys.planned()).filter(|_| workload.fpr.is_some())?;
    let is_roomy = choice.bytes.saturating_mul(6) / 5 < allowed && choice.grown.is_none();
    let open = Workload { fpr: None, ..workload.clone() };
    let all = smallest(choice.structure, &open, times).ok().filter(|_| is_roomy)?;
    let (rate, allowed) = (Rate(all.rate()?), Bytes(allowed));
    (all.fpr < choice.fpr / 2.0).then(|| {
        format!(
            "The {allowed} allowed are enough for a rate of {rate}: leave out the rate to use them."
        )
    })
}

/// What exact sets leave to the program.
fn left(workload: &Workload) -> Option<String> {
    let all = [
        (workload.is_shared(), "a lock for the threads that insert"),
        (workload.generations().is_some(), "removal of the old keys, by their times"),
        (workload.has(Need::Files), "a file of the keys, to be read again"),
    ];
    let needed = all.into_iter().filter(|(is_needed, _)| *is_needed && workload.is_exact());
    let needed: Vec<&str> = needed.map(|(_, what)| what).collect();
    (!needed.is_empty()).then(|| format!("Your program has to add: {}.", needed.join("; ")))
}

/// At which sizes tails were measured, and what they are at others.
fn tails(workload: &Workload, times: &Times) -> Option<String> {
    let (fewest, most) = times.tail_keys()?;
    let [fewest, most] = [fewest, most].map(Number);
    (workload.spares() == First::Tail && !workload.built_once).then(|| {
        format!(
            "Tails are the 99.9th percentile of single inserts; rarer delays and removals were not \
             measured. They were timed in filters planned for {fewest} to {most} keys and filled to \
             their plan, and in a hash set with room for all; for larger ones they are assumed to \
             rise as the mean does, and threads that wait for each other lengthen them. A filter that \
             doubles or adds a stage pauses for it, less often than once in a thousand inserts."
        )
    })
}

/// Where the times come from.
fn measured(workload: &Workload, answer: &Answer, times: &Times) -> Option<String> {
    answer.front.first()?;
    let mut text = format!(
        "Times were measured on {} ({}): use them as ratios. Totals are the sum of {}.",
        times.processor(),
        times.date(),
        total(workload)
    );
    if answer.filters().any(|choice| choice.reckoned) {
        text += " Those marked ~ are extrapolated beyond what was measured.";
    }
    if workload.keys_by == KeysBy::Strangers {
        text +=
            " All include SipHash, with which keyed filters and the standard library's sets hash.";
    }
    let (bytes, ns) = (workload.key_bytes, times.long_key_ns(workload));
    if ns > 0.0 {
        text += &format!(
            " All include {ns:.0} ns more than was measured, to hash keys of {bytes} bytes instead of 8."
        );
    }
    Some(text)
}

/// What the total of a query is the sum of.
fn total(workload: &Workload) -> String {
    let share = match workload.queries_per_key {
        1.0 => String::new(),
        queries => format!("1/{queries} of "),
    };
    let parts = [
        (true, format!("{share}an insert")),
        (workload.needs_remove(), format!("{share}a removal")),
        (workload.false_positive_ns.is_some(), "the false positives".into()),
        (workload.lookup_ns > 0.0, "the lookups of present keys".into()),
        (workload.bit_ns.is_some(), "the price of memory".into()),
    ];
    let mut all = String::from("a query");
    let mut parts = parts.into_iter().filter(|(is_in, _)| *is_in).map(|(_, part)| part).peekable();
    while let Some(part) = parts.next() {
        all += if parts.peek().is_some() { ", " } else { " and " };
        all += &part;
    }
    all
}

/// The front, from the smallest to the quickest, and which end was taken.
fn ends(answer: &Answer, by: By, workload: &Workload) -> Option<String> {
    let taken = match by {
        By::Time(_) if workload.bit_ns.is_some() => "by time and the price of memory".into(),
        By::Time(_) | By::Tail(_) if workload.allowed(1).is_some() => {
            "by time, within the size allowed".into()
        }
        By::Time(most) | By::Tail(most) => {
            let fewest = answer.front.first().map_or(most, |choice| choice.bits_per_key);
            let what = if matches!(by, By::Tail(_)) { "the tail of inserts" } else { "time" };
            format!("by {what}, within {:.0} times the fewest bits", most / fewest)
        }
        By::Bits => "by memory".into(),
        By::Rate => "by rate, in the size allowed".into(),
    };
    let is_by_rate = by == By::Rate;
    let point = |choice: &Choice| {
        let bits = format!("{:.2}", choice.bits_per_key);
        let with = if is_by_rate { Rate(choice.fpr).to_string() } else { bits + " bits" };
        format!("{} ({with}, {:.0} ns)", choice.structure, choice.cost_ns.unwrap_or(f64::NAN))
    };
    let from = if is_by_rate { "lowest rate" } else { "smallest" };
    let points: Vec<String> = answer.front.iter().map(point).collect();
    let points = Some(points.join(", ")).filter(|_| points.len() > 1)?;
    Some(format!(
        "Ranked {taken}. The best trade-offs, from the {from} to the fastest in total: {points}."
    ))
}

/// What merging asks of each part.
fn merged(choice: &Choice, workload: &Workload) -> Option<String> {
    let asked = workload.has(Need::Merge) && choice.grown.is_none();
    let it = choice.structure;
    it.kind().filter(|_| asked)?;
    let (keys, bytes) = (Number(workload.keys.planned()), Bytes(choice.bytes));
    let copies = match it.keeps_copies() {
        true => {
            " A key takes a slot for each part that holds it: plan for the sum of the parts \
             (`--copies`)."
        }
        false => "",
    };
    let mut text = format!(
        "To merge, {it} filters need the same plan and seed: plan each part for the {keys} keys of \
         the union, in {bytes}.{copies}"
    );
    if workload.filters > 1 {
        let parts = Number(workload.filters);
        let all = Number(workload.keys.planned().saturating_mul(workload.filters));
        text += &format!(
            " If each of the {parts} has {keys} keys of its own, the union has up to {all}: ask for \
             that many, without `--filters`."
        );
    }
    if choice.bytes > 16 {
        text += &format!(
            " For a part of fewer than {} keys, send the hashes instead, 8 bytes each.",
            Number(choice.bytes / 8)
        );
    }
    Some(text)
}

/// What it takes to bring others up to date.
fn changes(choice: &Choice, answer: &Answer, workload: &Workload) -> Option<String> {
    let changes = workload.changes?;
    let (whole, list) = (choice.bytes, changes.saturating_mul(workload.key_bytes));
    // As an Elias-Fano list has them.
    let bits = 66.0 - libm::log2(changes.max(1) as f64);
    let hashes = libm::ceil(changes as f64 * bits / 8.0) as u64;
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
        "{} takes {}; {} changed keys, added and removed, take {} as keys, {} as sorted \
         hashes of 64 bits. From the keys, a receiver who has the whole set builds the filter again; \
         hashes need a filter that inserts and removes on the other side{taker}. Until a receiver is \
         up to date, its copy denies the keys added since.",
        if is_whole { "Send the whole filter: it" } else { "Send the changes: the filter" },
        Bytes(whole),
        Number(changes),
        Bytes(list),
        Bytes(hashes)
    ))
}

/// What becomes of copies that are neither counted nor one from each part that is merged.
fn copies(workload: &Workload, answer: &Answer) -> Option<String> {
    let is_kept = workload.counts() || workload.has(Need::Merge);
    workload.copies.filter(|&copies| copies > 1.0 && !is_kept)?;
    if workload.generations().is_some() {
        return Some(
            "Repeated keys: one that only an older generation holds is inserted into the newest as \
             well, so it is remembered from its last occurrence on, and takes room in both."
                .into(),
        );
    }
    answer.filters().next()?;
    Some(
        "Repeated keys: insert them with `insert_unique`, since filters that remove would store \
         every copy, and remove only keys for which it answered `New`. A key that it skipped as a \
         false positive is lost when the key it was mistaken for is removed: if that must not \
         happen, or if each copy is removed on its own, ask for counts (`--count`). Bloom filters \
         store nothing twice."
            .into(),
    )
}

/// What becomes of keys beyond the plan.
fn when_full(choice: &Choice, workload: &Workload) -> Option<String> {
    let it = choice.structure;
    let kind = it.kind()?;
    if workload.built_once || choice.grown.is_some() {
        return None;
    }
    let twice = choice.goal.filter(|_| !it.forgets());
    if let Some(fpr) = twice.and_then(|goal| size::with_twice_the_keys(kind, goal)) {
        let rate = Rate(fpr);
        return Some(format!(
            "The {it} filter is never full, but its rate rises: with twice the keys it is {rate}."
        ));
    }
    let planned = workload.keys.planned();
    let stored = choice.goal.map_or(planned, |goal| goal.keys).max(planned);
    let what = if stored > planned && !it.forgets() { "copies" } else { "keys" };
    let keys = Number(if it.forgets() { planned } else { stored });
    let plan = if it.forgets() { "a generation's share of its plan" } else { "its plan" };
    // Those that remove keep copies; what forgets keeps one, and to count is to keep them.
    let is_said = it.forgets() || workload.counts() || workload.copies.is_some();
    let option = if matches!(it, Structure::Filter(_)) { " (`amq build --unique`)" } else { "" };
    let copies = match it.keeps_copies() && !is_said {
        true => {
            format!(" A repeated key takes another slot, unless `insert_unique`{option} skips it.")
        }
        false => String::new(),
    };
    (!Abilities::of(kind).never_full).then(|| {
        format!(
            "The {it} filter refuses {what} beyond {plan} of {keys}: plan for the most there will \
             be.{copies}"
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
         each. Just after the oldest is forgotten, only the last {sure} keys are remembered: to be \
         sure of the last {all}, plan for {enough}."
    ))
}
