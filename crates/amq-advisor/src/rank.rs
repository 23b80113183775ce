//! The ranked answer: every candidate considered, and the order of the choices.

use crate::by::{By, TIE, TIME_MAY_TAKE, USEFUL_FPR};
use crate::consider::{exact, exact_set, nothing, own, quickest, smallest, without};
use crate::numbers::Bytes;
use crate::size::{bitmap, exact_serves};
use crate::{Answer, Choice, First, Structure, Times, Workload, notes, reason};
use alloc::format;
use alloc::vec::Vec;

/// An exact set of at most this many bytes comes before any filter: it stays in a cache, and a
/// filter saves next to nothing.
pub const SMALL_SET_BYTES: u64 = 64 << 10;

/// Of what ties, what differs by less than this in the other measure is alike: two runs of the same
/// cell differ by as much.
const NEAR: f64 = 0.1;

/// The answer for a workload; without any choice if nothing meets it.
pub(super) fn ranked(workload: &Workload, times: &Times) -> Answer {
    let (mut choices, mut rejections) = (Vec::new(), Vec::new());
    for structure in Structure::candidates(workload) {
        match smallest(structure, workload, times) {
            Ok(choice) => choices.push(choice),
            Err(rejection) => rejections.push(rejection),
        }
    }
    let by = order(&choices, workload);
    let mut weighed = choices.clone();
    if let By::Time(most) = by {
        choices = choices.iter().map(|choice| quickest(choice, most, workload, times)).collect();
        weighed.extend(choices.iter().cloned());
    }
    rank(&mut choices, by, workload);
    let exact_set = exact_set(workload, times);
    let without_ns = without(workload);
    let front = front(weighed, workload);
    reason::give(&mut choices, by, workload);
    let mut answer =
        Answer { choices, front, rejections, exact_set, without_ns, notes: Vec::new() };
    instead(&mut answer, workload, times);
    answer.notes = notes::notes(workload, &answer, by, times);
    answer
}

/// What is spared first, within which size.
fn order(smallest: &[Choice], workload: &Workload) -> By {
    let limit = workload.allowed(workload.keys.planned());
    let bits = limit.map(|bytes| bytes as f64 * 8.0 / workload.keys.planned() as f64);
    let fewest = smallest.iter().map(|choice| choice.bits_per_key).fold(f64::INFINITY, f64::min);
    match (workload.bit_ns, workload.spares(), bits) {
        (Some(_), _, bits) => By::Time(bits.unwrap_or(f64::INFINITY)),
        (None, First::Time, bits) => By::Time(bits.unwrap_or(fewest * TIME_MAY_TAKE)),
        (None, First::Memory, Some(_)) if workload.fpr.is_none() && workload.is_filtered() => {
            By::Rate
        }
        (None, First::Memory, _) => By::Bits,
    }
}

/// Sorts by the one thing that matters most, and what ties with the best of the rest by the next:
/// bits after time, time after bits or rate. What is near there, too, keeps the order of the kinds.
fn rank(choices: &mut [Choice], by: By, workload: &Workload) {
    let time = |choice: &Choice| own(choice, workload);
    let size = |choice: &Choice| choice.bits_per_key;
    // The inverse of the bits: less is better here, too.
    let rate = |choice: &Choice| -1.0 / libm::log2(choice.fpr.min(1.0 - 1e-9));
    match by {
        By::Bits => sort(choices, size, time),
        By::Rate => sort(choices, rate, time),
        By::Time(most) => {
            // What does not fit comes last, and what fits by erring nearly always.
            let errs = if workload.needs_a_useful_rate() { USEFUL_FPR } else { 1.0 };
            let fits = |choice: &Choice| size(choice) <= most * (1.0 + 1e-9) && choice.fpr <= errs;
            choices.sort_by_key(|choice| !fits(choice));
            let fitting = choices.partition_point(fits);
            let (fitting, others) = choices.split_at_mut(fitting);
            sort(fitting, time, size);
            sort(others, time, size);
        }
    }
}

/// Group after group of what ties by the first measure; in each the near by the second one.
fn sort(choices: &mut [Choice], first: impl Fn(&Choice) -> f64, second: impl Fn(&Choice) -> f64) {
    let order: Vec<Structure> = choices.iter().map(|choice| choice.structure).collect();
    let place = |choice: &Choice| order.iter().position(|known| *known == choice.structure);
    let mut rest = choices;
    while !rest.is_empty() {
        let (tied, after) = near(rest, &first, TIE);
        let mut tied = tied;
        while !tied.is_empty() {
            let (alike, others) = near(tied, &second, NEAR);
            alike.sort_by_key(place);
            tied = others;
        }
        rest = after;
    }
}

/// What comes within a share of the least, and the others.
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

/// Of all that was weighed what nothing beats in both, from the smallest to the quickest.
fn front(mut weighed: Vec<Choice>, workload: &Workload) -> Vec<Choice> {
    let key = |choice: &Choice| (choice.bits_per_key, own(choice, workload));
    weighed.sort_by(|a, b| key(a).0.total_cmp(&key(b).0).then(key(a).1.total_cmp(&key(b).1)));
    let mut least = f64::INFINITY;
    weighed.retain(|choice| {
        let beats = key(choice).1 < least * (1.0 - TIE);
        least = if beats { key(choice).1 } else { least };
        beats
    });
    weighed
}

/// Puts an exact set, or no filter at all, first where that is the better answer.
fn instead(answer: &mut Answer, workload: &Workload, times: &Times) {
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
    let is_served = |bytes| exact_serves(bytes, workload);
    let holds = match Structure::exact(workload) {
        Structure::ExactMap if workload.counts() => "the map counts, and also removes and lists",
        Structure::ExactMap => "the map gives the value of each key, and none for any other",
        _ => "the set also removes and lists",
    };
    let (mut first, reason) = if workload.absent == 0.0 && !tells_more {
        let reason = "Every query is for a key that is in: a filter would say yes to each.";
        (nothing(workload), reason.into())
    } else if saves_nothing && !tells_more {
        (nothing(workload), "A filter takes more time than the lookups that it saves.".into())
    } else if let Some(bytes) = bitmap(workload).filter(|&it| it <= smallest && is_served(it)) {
        let reason = "The integers lie so close that a bit for each that there can be takes less \
                      than any filter, and never errs; where they are sparse, in the form of a \
                      roaring bitmap.";
        (exact(Structure::Bitmap, bytes, workload, times), reason.into())
    } else if (set <= SMALL_SET_BYTES || set <= smallest)
        && is_served(set)
        && !workload.needs.contains(&crate::Need::Files)
    {
        let why = match set {
            ..=SMALL_SET_BYTES => "So few keys fit a cache as they are".into(),
            _ => format!(
                "The keys themselves take {}, no more than the smallest filter, {}",
                Bytes(set),
                Bytes(smallest)
            ),
        };
        let reason = format!("{why}: {holds}. Nothing errs.");
        (exact(Structure::exact(workload), set, workload, times), reason)
    } else {
        return;
    };
    first.reason = reason;
    answer.choices.insert(0, first);
}
