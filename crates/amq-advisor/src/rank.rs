//! Ranking: considers every candidate and orders the choices.

use crate::cost::{errors, exact, inverse_bits, own, quickest, smallest, without};
use crate::tolerances::{
    By, NEAR, NEARLY, TAIL_NOISE_NS, TIE, TIME_MAY_TAKE, TIME_TIE, USEFUL_FPR,
};
use crate::{
    Answer, Choice, DEFAULT_FPR, First, Need, Structure, Workload, alternatives, exact as keys,
    notes, reason,
};

/// The answer for a workload; without choices if no structure meets it.
pub(crate) fn ranked(workload: &Workload) -> Answer {
    let (mut choices, mut rejections) = (Vec::new(), Vec::new());
    for structure in Structure::candidates(workload) {
        match smallest(structure, workload) {
            Ok(choice) => choices.push(choice),
            Err(rejection) => rejections.push(rejection),
        }
    }
    let exact = exact(workload);
    let serving = exact.iter().filter(|it| keys::serves(it.structure, it.bytes, workload));
    let serving: Vec<Choice> = serving.cloned().collect();
    let is_map = workload.value_bits().is_some();
    if workload.has(Need::Exact) || choices.is_empty() && is_map {
        choices.clone_from(&serving);
    } else if workload.spares() == First::Tail {
        choices.extend(serving.iter().filter(|it| it.tail_ns.is_some()).cloned());
    }
    let mut by = order(&choices, workload);
    if let By::Time(most) = by {
        (by, choices) = hurried(&choices, most, workload);
    }
    rank(&mut choices, by, workload);
    reason::give(&mut choices, by, workload);
    let without_ns = without(workload);
    let (threads, notes, deciding) = (workload.threads, Vec::new(), 0);
    let mut answer = Answer { choices, rejections, exact, without_ns, threads, notes, deciding };
    if let Some(first) = alternatives::before_filters(&answer, &serving, by, workload) {
        answer.choices.retain(|choice| choice.structure != first.structure);
        answer.choices.insert(0, first);
    }
    insert_near_exact(&mut answer.choices, serving);
    if !answer.choices.is_empty() {
        (answer.notes, answer.deciding) = notes::notes(workload, &answer, by);
    }
    answer
}

/// If a filter is first, inserts an exact structure of about the same size right after it.
fn insert_near_exact(choices: &mut Vec<Choice>, exact: Vec<Choice>) {
    let Some(first) = choices.first().filter(|first| first.structure.is_filter()) else { return };
    let is_near = |it: &Choice| it.bytes as f64 <= first.bytes as f64 * NEARLY;
    let Some(set) = exact.into_iter().find(is_near) else { return };
    choices.retain(|choice| choice.structure != set.structure);
    let reason = reason::beside(&choices[0], &set);
    choices.insert(1, Choice { reason, ..set });
}

/// All choices with their fastest parameters. Without a size limit, the allowed bits are doubled
/// again while errors are most of the best choice's cost and doubling halves it.
fn hurried(smallest: &[Choice], mut most: f64, workload: &Workload) -> (By, Vec<Choice>) {
    let within = |most: f64| -> Vec<Choice> {
        smallest.iter().map(|choice| quickest(choice, most, workload)).collect()
    };
    // The cost of the best choice, and the part due to errors.
    let best = |choices: &[Choice], most: f64| {
        let fitting = choices.iter().filter(|choice| choice.bits_per_key <= most);
        let costs = fitting.map(|choice| (own(choice, workload), errors(choice, workload)));
        costs.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((0.0, 0.0))
    };
    let mut choices = within(most);
    while most.is_finite() && workload.allowed(1).is_none() {
        let (cost, errors) = best(&choices, most);
        let more = within(most * 2.0);
        if errors <= cost / 2.0 || best(&more, most * 2.0).0 > cost / 2.0 {
            break;
        }
        (most, choices) = (most * 2.0, more);
    }
    (By::Time(most), choices)
}

/// The measure that is ranked first, and the size limit.
fn order(smallest: &[Choice], workload: &Workload) -> By {
    let keys = workload.keys.planned();
    let allowed = workload.allowed(keys).map(|bytes| bytes as f64 * 8.0 / keys as f64);
    // A choice without a measured time cannot be the fastest.
    let is_known = |it: &&Choice| workload.spares() == First::Memory || it.cost_ns.is_some();
    let known = smallest.iter().filter(is_known);
    let fewest = known.map(|choice| choice.bits_per_key).fold(f64::INFINITY, f64::min);
    let most = allowed.unwrap_or(fewest * TIME_MAY_TAKE);
    match workload.spares() {
        First::Tail if !workload.built_once => By::Tail(most),
        First::Time | First::Tail => By::Time(most),
        First::Memory if allowed.is_some() && workload.needs_a_rate() => By::Rate,
        First::Memory => By::Bits,
    }
}

/// Sorts by the most important measure, and ties with the best of the rest by the second: bits
/// after time; time after bits, rate or tail. Choices that are close in the second measure, too,
/// keep the order of the kinds.
fn rank(choices: &mut [Choice], by: By, workload: &Workload) {
    let time = |choice: &Choice| own(choice, workload);
    let size = |choice: &Choice| choice.bits_per_key;
    match by {
        By::Bits => sort(choices, size, TIE, time),
        By::Rate => sort(choices, inverse_bits, TIE, time),
        By::Time(most) | By::Tail(most) => {
            let is_tail = matches!(by, By::Tail(_));
            // Choices that do not fit come last, and so do those that fit only at a useless rate;
            // if insert tails matter, at a higher rate than usual.
            let errs = match workload.needs_a_useful_rate() {
                true if is_tail => DEFAULT_FPR,
                true => USEFUL_FPR,
                false => 1.0,
            };
            let fits = |choice: &Choice| size(choice) <= most * (1.0 + 1e-9) && choice.fpr <= errs;
            choices.sort_by_key(|choice| !fits(choice));
            let fitting = choices.partition_point(fits);
            let (fitting, others) = choices.split_at_mut(fitting);
            let tails = fitting.iter().filter_map(|choice| choice.tail_ns);
            let alike = tails.fold(f64::INFINITY, f64::min) + TAIL_NOISE_NS;
            let tail = |choice: &Choice| choice.tail_ns.unwrap_or(f64::INFINITY).max(alike);
            for group in [fitting, others] {
                match is_tail {
                    true => sort(group, tail, TIE, time),
                    false => sort(group, time, TIME_TIE, size),
                }
            }
        }
    }
}

/// Sorts in groups of ties by the first measure; within each, by the second.
fn sort(
    choices: &mut [Choice],
    first: impl Fn(&Choice) -> f64,
    tie: f64,
    second: impl Fn(&Choice) -> f64,
) {
    let order: Vec<Structure> = choices.iter().map(|choice| choice.structure).collect();
    let place = |choice: &Choice| order.iter().position(|known| *known == choice.structure);
    let mut rest = choices;
    while !rest.is_empty() {
        let (mut tied, after) = near(rest, &first, tie);
        while !tied.is_empty() {
            let (alike, others) = near(tied, &second, NEAR);
            alike.sort_by_key(place);
            tied = others;
        }
        rest = after;
    }
}

/// Splits off the choices within a given factor of the minimum.
fn near<'a>(
    choices: &'a mut [Choice],
    measure: &impl Fn(&Choice) -> f64,
    share: f64,
) -> (&'a mut [Choice], &'a mut [Choice]) {
    choices.sort_by(|a, b| measure(a).total_cmp(&measure(b)));
    let limit = choices.first().map_or(0.0, measure) * (1.0 + share);
    let count = choices.iter().take_while(|choice| measure(choice) <= limit).count().max(1);
    choices.split_at_mut(count)
}
