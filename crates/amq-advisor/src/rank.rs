//! The order of the choices.

use crate::{Choice, Workload};
use core::cmp::Ordering;

/// Differences of less than this are ties.
pub(super) const TIE: f64 = 0.03;

/// Sorts by the one thing that matters most, and what ties with the best of the rest by the next.
///
/// With costs: nanoseconds for each query, then bits per key (their mean, where a filter grows
/// without a bound). Without: bits per key if a rate was asked for, or bits of rate
/// (`log2(1 / rate)`) if a size was, and then nanoseconds.
pub(super) fn rank(choices: &mut [Choice], workload: &Workload) {
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
