//! The sentences of each choice: a description, and the reason for its rank.

use crate::code::code;
use crate::cost::smallest;
use crate::numbers::{Bytes, Number, Rate};
use crate::tolerances::{By, FORCED_FPR, POOR_FPR, TAIL_NOISE_NS, TIE, TIME_TIE, USEFUL_FPR};
use crate::{Choice, DEFAULT_FPR, Growth, Need, Structure, Workload, exact, size};
use amq::{Abilities, Ability, Budget, FilterKind};

/// The overhead over the lower bound above which a table for few keys counts as wasteful.
const WASTEFUL: f64 = 2.0;

/// Sets the sentences of the ranked choices.
pub(crate) fn give(choices: &mut [Choice], by: By, workload: &Workload) {
    for index in 0..choices.len() {
        let compared = match index {
            0 => first(choices, by, workload),
            _ => beside(&choices[0], &choices[index]),
        };
        let also = also(&choices[index], by, workload);
        let code = code(&choices[index], workload);
        let choice = &mut choices[index];
        choice.code = code;
        choice.what = what(choice.structure, workload);
        choice.reason = compared + &also;
    }
}

/// The description of a structure.
pub(crate) fn what(structure: Structure, workload: &Workload) -> String {
    let about = structure.kind().map_or("", FilterKind::about);
    let (shards, generations) = (size::shards(workload), workload.generations().unwrap_or(1));
    let each = match workload.keys.planned().div_ceil(generations.into()) {
        _ if workload.grows() => String::new(),
        1 => " of 1 key".into(),
        keys => format!(" of {} keys", Number(keys)),
    };
    let generations = Number(generations.into());
    let rolls = format!("{generations} generations{each}: the oldest is forgotten.");
    match structure {
        Structure::Atomic(FilterKind::Bloom) => {
            "Several threads insert into it at once, without locks.".into()
        }
        Structure::Atomic(_) => {
            "Several threads insert at once, without locks, each into one cache line.".into()
        }
        Structure::Map => match workload.changes {
            Some(changes) if !workload.built_once => {
                let overlay = Bytes(exact::hash_table_of(changes, workload));
                let changes = Number(changes);
                format!(
                    "Built from all pairs; a `HashMap` of the {changes} changed values, {overlay}, \
                     is asked first, and both are rebuilt as one now and then."
                )
            }
            _ => "Stores a value for each key, in few more bits than the value has.".into(),
        },
        Structure::Sharded(_) => format!("{shards} shards, each behind a lock."),
        Structure::ShardedRolling(_) => {
            format!("{shards} shards, each a rolling filter behind a lock. {rolls}")
        }
        Structure::Periods(_) | Structure::ShardedPeriods(_) => {
            let one = if structure.is_sharded() { "One sharded filter" } else { "One" };
            let sum = if workload.counts() { ", and sum the counts over all" } else { "" };
            format!(
                "{one} for each of {generations} periods{each}, in a ring that your program keeps: \
                 clear the oldest when time moves on{sum}."
            )
        }
        Structure::Rolling(_) => rolls,
        Structure::Filter(kind) => format!("{about} {}", can(kind)),
        Structure::Sketch | Structure::Nothing => String::new(),
        _ => {
            let does = match structure {
                Structure::SortedList if workload.built_once => "built from all of them at once",
                Structure::ExactMap if workload.counts() => "it counts, removes and lists",
                _ if workload.generations().is_some() => {
                    "your program removes the old ones by their times"
                }
                Structure::ExactMap => "it has no value for any other key",
                _ => "it also removes and lists",
            };
            let form = exact::form(structure, workload);
            let shared = match workload.has(Need::SharedInsert) {
                true => ", behind a lock that threads share",
                false => "",
            };
            format!("The keys themselves in {form}{shared}: {does}. It never errs.")
        }
    }
}

/// The abilities by which one chooses a kind.
fn can(kind: FilterKind) -> String {
    use Ability::{BuildOnly, Count, List, Merge, NeverFull, Remove};
    let can = Abilities::of(kind);
    let told = [BuildOnly, Remove, Count, List, Merge, NeverFull].into_iter();
    let told = told.filter(|&it| can.has(it)).map(|it| it.to_string()).collect::<Vec<_>>();
    match told.split_last() {
        Some((last, [])) => format!("It can {last}."),
        Some((last, others)) => format!("It can {} and {last}.", others.join(", ")),
        None => String::new(),
    }
}

/// Why the first choice is first, and its overhead over the lower bound.
fn first(choices: &[Choice], by: By, workload: &Workload) -> String {
    let best = &choices[0];
    let fewest = choices.iter().map(|choice| choice.bits_per_key).fold(f64::INFINITY, f64::min);
    let lowest = choices.iter().map(|choice| choice.fpr).fold(1.0, f64::min);
    // Choices that are close in the second measure, too, keep the order of the kinds.
    let is_beaten = |most: f64| {
        let tied = choices[1..].iter().filter(|choice| choice.bits_per_key <= most * (1.0 + 1e-9));
        tied.filter_map(|choice| choice.cost_ns).any(|ns| best.cost_ns > Some(ns))
    };
    let why = match by {
        _ if choices.len() == 1 => "The only one that qualifies".into(),
        By::Bits if best.bits_per_key > fewest => {
            let least = if is_beaten(fewest * (1.0 + TIE)) { "simplest" } else { "fastest" };
            format!("The {least} of those within {:.0} % of the fewest bits", TIE * 100.0)
        }
        By::Bits => "The fewest bits".into(),
        By::Rate if best.fpr > lowest => {
            format!("The fastest of those with about the lowest rate, {}", Rate(lowest))
        }
        By::Rate => "The lowest rate in this size".into(),
        By::Time(_) | By::Tail(_) if best.cost_ns.is_none() => {
            "No time was measured: the fewest bits".into()
        }
        By::Time(most) => {
            let is_useless = |it: &Choice| workload.needs_a_useful_rate() && it.fpr > USEFUL_FPR;
            let of = match choices.iter().any(is_useless) {
                true => ", among those that reject at least half of the absent keys",
                false if choices.iter().any(|it| it.cost_ns.is_none()) => {
                    ", among those with measured times"
                }
                false => "",
            };
            let tied = match is_beaten(most) {
                true => format!("smallest within {:.0} % of the fastest", TIME_TIE * 100.0),
                false => "fastest".into(),
            };
            match workload.allowed(1) {
                Some(_) => format!("The {tied} in the size allowed{of}"),
                None => format!("The {tied} in {most:.2} bits per key{of}"),
            }
        }
        By::Tail(most) if best.tail_ns.is_some() => format!(
            "The shortest tail of inserts in {most:.2} bits per key, or within {TAIL_NOISE_NS:.0} ns \
             of it"
        ),
        By::Tail(most) => format!("No tail was measured: the fastest in {most:.2} bits per key"),
    };
    let forced = forced(best, workload);
    let why = forced.clone().unwrap_or_default() + &why;
    let bits = best.grown.map_or(best.bits_per_key, |growth| growth.least);
    // The lower bound holds for sets.
    let is_map = best.structure == Structure::Map || workload.counts();
    if is_map || best.fpr >= 1.0 || best.fpr <= 0.0 {
        return format!("{why}.");
    }
    let rate = Rate(best.fpr);
    let over = match by {
        By::Bits | By::Rate => format!(
            ", {:.1} % above the lower bound for {rate}",
            amq_core::numeric::overhead(bits, best.fpr) * 100.0 - 100.0
        ),
        By::Time(_) | By::Tail(_) => String::new(),
    };
    let poor = match forced.is_none() && best.rate() > Some(POOR_FPR) {
        true => format!(" Of little use: it lets {rate} of absent keys through."),
        false => String::new(),
    };
    format!("{why}{over}.{poor}")
}

/// Whether a size limit alone, without a rate or a cost of errors, forces a high rate.
pub(crate) fn is_forced(choice: &Choice, workload: &Workload) -> bool {
    let is_open = workload.needs_a_useful_rate() && workload.allowed(1).is_some();
    is_open && choice.rate() > Some(FORCED_FPR)
}

/// The size that the usual rate needs, if a size limit forces a higher rate.
fn forced(choice: &Choice, workload: &Workload) -> Option<String> {
    let fpr = is_forced(choice, workload).then_some(DEFAULT_FPR);
    let (forced, usual) = (Rate(choice.fpr), Rate(fpr?));
    let open = Workload { fpr, bytes: None, bits_per_key: None, ..workload.clone() };
    let open = smallest(choice.structure, &open).ok();
    let takes = open.map_or_else(String::new, |it| format!(": {usual} takes {}", Bytes(it.bytes)));
    Some(format!("{forced} of absent keys pass, too many for most uses{takes}. "))
}

/// How a further choice compares with the first.
pub(crate) fn beside(first: &Choice, this: &Choice) -> String {
    let bits = (this.bits_per_key / first.bits_per_key - 1.0) * 100.0;
    let of = first.structure;
    let bits = match bits {
        _ if bits.abs() < 0.05 => format!("As many bits as {of}"),
        _ if bits < 0.0 => format!("{:.1} % fewer bits than {of}", -bits),
        _ => format!("{bits:.1} % more bits than {of}"),
    };
    match (first.cost_ns, this.cost_ns) {
        (Some(first), Some(this)) if first > 0.0 => {
            format!("{bits}, {:.2} times its time.", this / first)
        }
        _ => format!("{bits}."),
    }
}

/// Further remarks on its numbers.
fn also(choice: &Choice, by: By, workload: &Workload) -> String {
    let mut text = String::new();
    if let (By::Tail(_), Some(ns)) = (by, choice.tail_ns) {
        text += &format!(" One insert in a thousand takes longer than {ns:.0} ns.");
    }
    if let Some(Growth { mean, least, most }) = choice.grown {
        text += &format!(
            " {mean:.1} bits per key on average as it grows: {least:.1} when full, {most:.1} just \
             after it has grown."
        );
    }
    if let (check @ 1.., Some(bits)) = (choice.check_bits(), workload.value_bits()) {
        text += &format!(
            " {check} of its {} bits check the key: build pairs of `value | check << {bits}`, with the \
             check from a hash under another seed; {} of absent keys pass.",
            bits + check,
            Rate(choice.fpr)
        );
    }
    if choice.rate().is_none() {
        text += " It returns some value for absent keys, too: a rate (`--fpr`) adds bits that detect \
                 them.";
    }
    let Some(goal) = choice.goal else {
        return text;
    };
    if let (Budget::Fpr(fpr), Some(asked)) = (goal.budget, workload.fpr)
        && fpr < asked * 0.999
        && choice.check_bits() == 0
    {
        let (fpr, asked) = (Rate(fpr), Rate(asked));
        text += &format!(" Planned for {fpr} instead of {asked}: that saves time.");
    }
    let bits = choice.bytes as f64 * 8.0 / goal.keys as f64;
    let over = amq_core::numeric::overhead(bits, choice.fpr);
    let is_fixed = choice.grown.is_none() && !is_forced(choice, workload);
    if goal.keys <= 1000 && is_fixed && choice.fpr < 1.0 && over > WASTEFUL {
        let keys = goal.keys;
        text += &format!(" With {keys} keys its table is mostly empty: {bits:.0} bits per key.");
    }
    text
}
