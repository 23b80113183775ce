//! The sentences of each choice: what it is, and why it has its place.
//!
//! What a kind is comes from the table of kinds. Every number is reckoned here from the choices: no
//! sentence knows a number by heart.

use crate::by::{By, POOR_FPR, TAIL_NOISE_NS, TIE, USEFUL_FPR};
use crate::numbers::Rate;
use crate::size;
use crate::{Choice, Growth, Structure, Workload, exact};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use amq::{Abilities, Ability, Budget, FilterKind};
use amq_quotient::MAX_FINGERPRINT_BITS;

/// Bits per key over the least possible, from which a few keys fill a table badly.
const WASTEFUL: f64 = 2.0;

/// Gives each of the ranked choices its sentences.
pub(super) fn give(choices: &mut [Choice], by: By, workload: &Workload) {
    for index in 0..choices.len() {
        let compared = if index == 0 {
            first(choices, by, workload)
        } else {
            beside(&choices[0], &choices[index])
        };
        let also = also(&choices[index], by, workload);
        let choice = &mut choices[index];
        choice.what = what(choice.structure, workload);
        choice.reason = compared + &also;
    }
}

/// What it is.
pub(super) fn what(structure: Structure, workload: &Workload) -> String {
    let about = structure.kind().map_or("", FilterKind::about);
    let (shards, generations) = (size::shards(workload), workload.generations().unwrap_or(1));
    let rolls =
        format!("{generations} generations; when time moves on, the oldest is forgotten. {about}");
    match structure {
        Structure::AtomicBloom => {
            "Several threads insert at once into a Bloom filter, without locks.".into()
        }
        Structure::AtomicBlockedBloom => {
            "Several threads insert at once, without locks, each into one cache line.".into()
        }
        Structure::Map => {
            "Stores a value for each key, in few more bits than the value has.".into()
        }
        Structure::Sharded(_) => {
            format!("{shards} shards, each behind a lock: about four per thread. {about}")
        }
        Structure::ShardedRolling(_) => format!(
            "{shards} shards, each a rolling filter behind a lock; time moves on in one after the \
             other. {rolls}"
        ),
        Structure::Periods(_) => format!(
            "{about} One for each of {generations} periods, in a ring that your program keeps, since \
             `Rolling` keeps one copy of a key: clear the oldest when time moves on, and sum the \
             counts over all."
        ),
        Structure::Rolling(_) => rolls,
        Structure::Filter(kind) => format!("{about} {}", can(kind)),
        Structure::Bitmap | Structure::SortedList | Structure::ExactSet | Structure::ExactMap => {
            let does = match structure {
                Structure::SortedList if workload.built_once => {
                    "it is built from all of them at once"
                }
                Structure::ExactMap if workload.counts() => "the map counts, removes and lists",
                _ if workload.generations().is_some() => {
                    "your program removes the old ones by their times"
                }
                Structure::ExactMap => "the map has no value for any other key",
                _ => "it also removes and lists",
            };
            let form = exact::form(structure, workload);
            format!("The keys themselves in {form}: {does}. It never errs.")
        }
        Structure::Sketch | Structure::Nothing => String::new(),
    }
}

/// What one chooses a kind by.
fn can(kind: FilterKind) -> String {
    use Ability::{BuildOnly, Count, List, Merge, NeverFull, Remove};
    let can = Abilities::of(kind);
    let told = [BuildOnly, Remove, Count, List, Merge, NeverFull].into_iter();
    let told = told.filter(|&it| can.has(it)).map(|it| it.to_string()).collect::<Vec<_>>();
    let is_bounded = can.insert && !can.never_full && !can.grow;
    let full = if is_bounded { "; it refuses keys beyond its plan" } else { "" };
    match told.split_last() {
        Some((last, [])) => format!("It can {last}{full}."),
        Some((last, others)) => format!("It can {} and {last}{full}.", others.join(", ")),
        None => String::new(),
    }
}

/// Why the first is first, and what it takes over the least possible.
fn first(choices: &[Choice], by: By, workload: &Workload) -> String {
    let is_useful = workload.needs_a_useful_rate();
    let best = &choices[0];
    let fewest = choices.iter().map(|choice| choice.bits_per_key).fold(f64::INFINITY, f64::min);
    let lowest = choices.iter().map(|choice| choice.fpr).fold(1.0, f64::min);
    let tie = format!("within {:.0} %", TIE * 100.0);
    // What is near in the second measure, too, keeps the order of the kinds.
    let is_beaten = |most: f64| {
        let tied = choices[1..].iter().filter(|choice| choice.bits_per_key <= most * (1.0 + 1e-9));
        tied.filter_map(|choice| choice.cost_ns).any(|ns| best.cost_ns > Some(ns))
    };
    let why = match by {
        _ if choices.len() == 1 => "The only one that qualifies".into(),
        By::Bits if is_beaten(fewest * (1.0 + TIE)) => format!(
            "The simplest of those {tie} of the fewest bits, {fewest:.2}, that are about as fast as \
             the fastest"
        ),
        By::Bits if best.bits_per_key > fewest => {
            format!("The fastest of those {tie} of the fewest bits, {fewest:.2}")
        }
        By::Bits => "The fewest bits".into(),
        By::Rate if best.fpr > lowest => {
            format!("The fastest of those with about the lowest rate, {}", Rate(lowest))
        }
        By::Rate => "The lowest rate in this size".into(),
        By::Time(most) if most.is_finite() => {
            let is_useless = |choice: &Choice| is_useful && choice.fpr > USEFUL_FPR;
            let of = match choices.iter().any(is_useless) {
                true => ", among those that reject at least half of the absent keys",
                false => "",
            };
            match is_beaten(most) {
                true => format!(
                    "The smallest or simplest {tie} of the fastest time in {most:.2} bits per key{of}"
                ),
                false => format!("The fastest in {most:.2} bits per key{of}"),
            }
        }
        By::Time(_) => "The least sum of time and memory".into(),
        By::Tail(most) if best.tail_ns.is_some() => format!(
            "The shortest tail of inserts (99.9th percentile) within {most:.2} bits per key, or the \
             fastest of those within {TAIL_NOISE_NS:.0} ns of it"
        ),
        By::Tail(most) => {
            format!("No tail was measured: the fastest within {most:.2} bits per key")
        }
    };
    let bits = best.grown.map_or(best.bits_per_key, |growth| growth.least);
    // The bound is on sets.
    let is_map = best.structure == Structure::Map || workload.counts();
    if is_map || best.fpr >= 1.0 || best.fpr <= 0.0 {
        return format!("{why}.");
    }
    let over = amq_core::numeric::overhead(bits, best.fpr) * 100.0 - 100.0;
    let rate = Rate(best.fpr);
    let when = if best.grown.is_some() { ", when full," } else { "" };
    let poor = match best.rate() > Some(POOR_FPR) {
        true => format!(" Of little use: it lets {rate} of absent keys through."),
        false => String::new(),
    };
    format!(
        "{why}; its {bits:.2} bits per key{when} are {over:.1} % above the lower bound for {rate}.{poor}"
    )
}

/// How one that is not first compares with the first.
pub(super) fn beside(first: &Choice, this: &Choice) -> String {
    let bits = (this.bits_per_key / first.bits_per_key - 1.0) * 100.0;
    let filter = if first.structure.kind().is_some() { " filter" } else { "" };
    let of = format!("the {}{filter}", first.structure);
    let bits = match bits {
        _ if bits.abs() < 0.05 => format!("As many bits as {of}"),
        _ if bits < 0.0 => format!("{:.1} % fewer bits than {of}", -bits),
        _ => format!("{bits:.1} % more bits than {of}"),
    };
    match (first.cost_ns, this.cost_ns) {
        (Some(first), Some(this)) if first > 0.0 => {
            format!("{bits}, and {:.2} times its time.", this / first)
        }
        _ => format!("{bits}."),
    }
}

/// What else its numbers say.
fn also(choice: &Choice, by: By, workload: &Workload) -> String {
    let mut text = String::new();
    if let (By::Tail(_), Some(ns)) = (by, choice.tail_ns) {
        text += &format!(" One insert in a thousand takes longer than {ns:.0} ns.");
    }
    if let By::Time(most) | By::Tail(most) = by {
        if choice.bits_per_key > most * (1.0 + 1e-9) {
            text += &format!(
                " It exceeds the {most:.2} bits per key to which the ranking by time is limited."
            );
        }
    }
    if let Some(Growth { mean, least, most }) = choice.grown {
        text += &format!(
            " {mean:.1} bits per key on average as it grows: {least:.1} when full, {most:.1} just \
             after it has grown."
        );
    }
    if let (check @ 1.., Some(bits)) = (choice.check_bits(), workload.value_bits()) {
        let (all, rate) = (bits + check, Rate(choice.fpr));
        text += &format!(
            " Of its {all} bits {bits} hold the value and {check} a hash of the key, which {rate} \
             of absent keys have by chance: build `RibbonMap::build({all}, pairs)` of \
             `value | check << {bits}`, with the check from a hash of the key under another seed; \
             a key is in if `get(key) >> {bits}` is its check."
        );
    }
    if choice.rate().is_none() {
        text += " It returns some value for absent keys, too: a rate (`--fpr`) adds bits that detect \
             them.";
    }
    let Some(goal) = choice.goal else {
        return text;
    };
    if let (Budget::Fpr(fpr), Some(asked)) = (goal.budget, workload.fpr) {
        if fpr < asked * 0.999 && choice.check_bits() == 0 {
            text += &format!(
                " Planned for {} instead of {}, since false positives cost more than the bits.",
                Rate(fpr),
                Rate(asked)
            );
        }
    }
    let bits = choice.bytes as f64 * 8.0 / goal.keys as f64;
    let over = amq_core::numeric::overhead(bits, choice.fpr);
    // The fingerprints of quotient filters end.
    let (most, is_quotient) = (MAX_FINGERPRINT_BITS, choice.structure.id().ends_with("quotient"));
    let is_long = goal.keys as f64 / choice.fpr > libm::exp2(f64::from(most) - 1.0);
    if is_quotient && is_long && over > 1.25 {
        text += &format!(
            " Its fingerprints have {most} bits at most: for so low a rate it needs more slots, most \
             of them empty."
        );
    }
    if goal.keys <= 1000 && choice.grown.is_none() && choice.fpr < 1.0 && over > WASTEFUL {
        text +=
            &format!(" So few keys leave its smallest table mostly empty: {bits:.0} bits per key.");
    }
    text
}
