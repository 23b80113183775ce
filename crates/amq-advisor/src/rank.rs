//! The ranked answer: every candidate considered, and the order of the choices.

use crate::consider::{consider, exact_set, nothing, small_set, without};
use crate::size::exact_set_serves;
use crate::{Answer, Choice, Structure, Workload, reason};
use alloc::vec::Vec;
use core::cmp::Ordering;

/// An exact set of at most this many bytes comes before any filter: it stays in the first-level
/// cache, and saves next to nothing.
pub const SMALL_SET_BYTES: u64 = 16 << 10;

/// The answer for a workload; without any choice if nothing meets it.
pub(super) fn ranked(workload: &Workload) -> Answer {
    let (mut choices, mut rejections) = (Vec::new(), Vec::new());
    for structure in Structure::candidates(workload) {
        match consider(structure, workload) {
            Ok(choice) => choices.push(choice),
            Err(rejection) => rejections.push(rejection),
        }
    }
    rank(&mut choices, workload);
    let exact_set = exact_set(workload);
    let without_ns = without(workload);
    let notes = reason::notes(workload, &choices, &exact_set);
    let mut answer = Answer { choices, rejections, exact_set, without_ns, notes };
    instead(&mut answer, workload);
    answer
}

/// Differences of less than this are ties.
const TIE: f64 = 0.03;

/// Sorts by the measure that matters most, and ties with the best of the rest by the next one.
///
/// With costs: nanoseconds for each query, then bits per key (their mean, where a filter grows
/// without a bound). Without: bits per key if a rate was asked for, or bits of rate
/// (`log2(1 / rate)`) if a size was, and then nanoseconds.
fn rank(choices: &mut [Choice], workload: &Workload) {
    let has_costs = workload.false_positive_ns.is_some();
    let has_rate = workload.fpr.is_some();
    let has_size = workload.bits_per_key.is_some() || workload.bytes.is_some();
    let time = |choice: &Choice| choice.cost_ns.unwrap_or(f64::INFINITY);
    let size = |choice: &Choice| choice.bits_per_key;
    // The inverse of the bits: less is better here, too.
    let rate = |choice: &Choice| -1.0 / libm::log2(choice.fpr.min(1.0 - 1e-9));
    if has_costs {
        by(choices, time, size);
    } else if has_size && !has_rate && workload.value_bits().is_none() {
        by(choices, rate, time);
    } else {
        by(choices, size, time);
    }
}

fn by(choices: &mut [Choice], first: impl Fn(&Choice) -> f64, second: impl Fn(&Choice) -> f64) {
    let order = |a: f64, b: f64| a.partial_cmp(&b).unwrap_or(Ordering::Equal);
    choices.sort_by(|a, b| order(first(a), first(b)));
    let mut rest = choices;
    while let Some(best) = rest.first() {
        let limit = first(best) * (1.0 + TIE);
        let ties = rest.iter().take_while(|choice| first(choice) <= limit).count().max(1);
        let (tied, after) = rest.split_at_mut(ties);
        tied.sort_by(|a, b| order(second(a), second(b)).then(order(first(a), first(b))));
        rest = after;
    }
}

/// Puts an exact set, or no filter at all, first where that is better.
fn instead(answer: &mut Answer, workload: &Workload) {
    let Some(best) = answer.filters().next() else {
        return;
    };
    let smallest = answer.filters().map(|choice| choice.bytes).min().unwrap_or(0);
    let set = answer.exact_set.bytes;
    let tells_more = workload.value_bits().is_some() || workload.counts();
    let saves_nothing = match (answer.without_ns, best.cost_ns) {
        (Some(without), Some(with)) => with >= without,
        _ => false,
    };
    let first = if workload.absent == 0.0 && !tells_more {
        nothing(workload, "Every query is for a key that is in: a filter would say yes to each.")
    } else if saves_nothing && !tells_more {
        nothing(workload, "A filter takes more time than the lookups that it saves.")
    } else if (set <= SMALL_SET_BYTES || set <= smallest) && exact_set_serves(workload) {
        small_set(set, workload)
    } else {
        return;
    };
    answer.choices.insert(0, first);
}
