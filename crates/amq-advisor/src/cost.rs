//! The costs of each structure for a workload: its size, its times, and the total per query.

use crate::times::{Spent, Table};
use crate::tolerances::{EXTRAPOLATED_TIE, TIME_TIE};
use crate::{Choice, DEFAULT_FPR, Need, Rejection, Structure, Times, Workload};
use crate::{abilities, exact as keys, reason, size};
use amq::{Budget, Goal};

/// The lowest rate that is tried, `2^-40`, when a lower rate than requested may save time.
const LOWEST_BITS: i32 = 40;

/// A structure at its smallest: at the requested rate, or within the requested size.
pub(crate) fn smallest(structure: Structure, workload: &Workload) -> Result<Choice, Rejection> {
    if let Some(rejection) = abilities::lacking(structure, workload) {
        return Err(rejection);
    }
    let refused = |(demand, reason)| Rejection { structure, demand, reason };
    at(structure, size::budget(workload), workload).map_err(refused)
}

/// The inverse of `log2(1 / rate)`, to compare rates: less is better, as with sizes.
pub(crate) fn inverse_bits(choice: &Choice) -> f64 {
    -1.0 / libm::log2(choice.fpr.min(1.0 - 1e-9))
}

/// The structure with the fastest parameters within this many bits per key, including lower rates,
/// in steps of whole bits. Among about equally fast ones, the smallest.
pub(crate) fn quickest(choice: &Choice, most_bits: f64, workload: &Workload) -> Choice {
    let highest = match (size::budget(workload), workload.false_positive_ns) {
        (Budget::Fpr(fpr), _) => fpr * 1.000_001,
        (_, Some(_)) => 1.0,
        // Without a requested rate, use the one that fits the size.
        (_, None) => choice.fpr,
    };
    if choice.cost_ns.is_none() {
        return choice.clone();
    }
    let in_size = (most_bits.is_finite() && choice.grown.is_none())
        .then_some((most_bits * workload.keys.planned() as f64 / 8.0) as u64);
    let budgets = (1..=LOWEST_BITS).map(|bits| Budget::Fpr(libm::exp2(-f64::from(bits))));
    let (mut fitting, mut above) = (Vec::from([choice.clone()]), 0);
    for budget in in_size.map(Budget::Bytes).into_iter().chain(budgets) {
        let Ok(other) = at(choice.structure, budget, workload) else {
            continue;
        };
        // From here on sizes only grow.
        above += u32::from(other.bits_per_key > most_bits);
        if above > 1 {
            break;
        }
        if other.bits_per_key <= most_bits && other.fpr <= highest {
            fitting.push(other);
        }
    }
    let cost = |choice: &Choice| choice.cost_ns.unwrap_or(f64::INFINITY);
    let least = fitting.iter().map(cost).fold(f64::INFINITY, f64::min);
    let tie = if choice.reckoned { EXTRAPOLATED_TIE } else { TIME_TIE };
    // If false positives have a cost, a lower rate is worth more bits.
    let tie = if workload.false_positive_ns.is_some() { 0.0 } else { tie };
    let near = fitting.into_iter().filter(|choice| cost(choice) <= least * (1.0 + tie));
    let smaller = near.min_by(|a, b| a.bits_per_key.total_cmp(&b.bits_per_key));
    smaller.unwrap_or_else(|| choice.clone())
}

fn at(structure: Structure, budget: Budget, workload: &Workload) -> Result<Choice, size::Failure> {
    let size = size::size(structure, budget, workload)?;
    // With many filters, a query rarely finds its filter in the cache: count the bytes of all.
    let [keys, bytes] = [size.keys, size.bytes].map(|each| each.saturating_mul(workload.filters));
    let spent = Times::committed().spent(structure, Table { keys, bytes, fpr: size.fpr }, workload);
    let bits = size.bytes as f64 * 8.0 / workload.keys.planned() as f64;
    Ok(Choice {
        goal: Some(Goal::new(size.keys, budget)),
        bytes: size.bytes,
        bits_per_key: size.grown.map_or(bits, |growth| growth.mean),
        build_bytes: size.build_bytes,
        grown: size.grown,
        ..timed(structure, spent, size.fpr.min(1.0), workload)
    })
}

/// A choice with its times, without sizes.
fn timed(structure: Structure, spent: Option<Spent>, fpr: f64, workload: &Workload) -> Choice {
    let cost = |spent: Spent| {
        let removal = spent.remove.filter(|_| workload.has(Need::Remove)).unwrap_or(0.0);
        let own = spent.query + (spent.insert + removal) / workload.queries_per_key;
        own + fpr * missed(workload) + found(workload)
    };
    Choice {
        structure,
        goal: None,
        bytes: 0,
        bits_per_key: 0.0,
        build_bytes: 0,
        fpr,
        grown: None,
        insert_ns: spent.map(|spent| spent.insert),
        query_ns: spent.map(|spent| spent.query),
        remove_ns: spent.and_then(|spent| spent.remove),
        tail_ns: spent.and_then(|spent| spent.tail),
        cost_ns: spent.map(cost),
        reckoned: spent.is_some_and(|spent| spent.reckoned),
        what: String::new(),
        code: String::new(),
        reason: String::new(),
    }
}

/// Nanoseconds per query that false positives cost.
pub(crate) fn errors(choice: &Choice, workload: &Workload) -> f64 {
    choice.fpr * missed(workload)
}

/// The cost per query of looking up every absent key.
fn missed(workload: &Workload) -> f64 {
    workload.absent * workload.false_positive_ns.unwrap_or(0.0)
}

/// The nanoseconds by which filters differ: [`Choice::cost_ns`] without the lookups that every
/// filter lets through, which would make them all ties.
pub(crate) fn own(choice: &Choice, workload: &Workload) -> f64 {
    choice.cost_ns.map_or(f64::INFINITY, |cost| cost - found(workload))
}

/// The cost per query of looking up present keys.
fn found(workload: &Workload) -> f64 {
    (1.0 - workload.absent) * workload.lookup_ns
}

/// Nanoseconds per query without a filter.
pub(crate) fn without(workload: &Workload) -> Option<f64> {
    workload.false_positive_ns?;
    Some(missed(workload) + found(workload))
}

/// The exact alternatives, smallest first.
pub(crate) fn exact(workload: &Workload) -> Vec<Choice> {
    let choice = |(structure, bytes): (Structure, u64)| {
        let [keys, held] =
            [workload.keys.planned(), bytes].map(|each| each.saturating_mul(workload.filters));
        let spent = Times::committed().spent(
            structure,
            Table { keys, bytes: held, fpr: DEFAULT_FPR },
            workload,
        );
        let what = reason::what(structure, workload);
        Choice { what, ..of_bytes(structure, bytes, 0.0, spent, workload) }
    };
    keys::all(workload).into_iter().map(choice).collect()
}

/// A choice of this many bytes, for an exact structure.
pub(crate) fn of_bytes(
    structure: Structure,
    bytes: u64,
    fpr: f64,
    spent: Option<Spent>,
    workload: &Workload,
) -> Choice {
    let bits_per_key = bytes as f64 * 8.0 / workload.keys.planned() as f64;
    Choice { bytes, bits_per_key, build_bytes: bytes, ..timed(structure, spent, fpr, workload) }
}

/// The choice of no filter.
pub(crate) fn nothing(workload: &Workload) -> Choice {
    let none = timed(Structure::Nothing, None, 1.0, workload);
    Choice { cost_ns: without(workload), ..none }
}
