//! What each structure costs for a workload: its size, its times, and the cost of a query.

use crate::{Choice, DEFAULT_FPR, ExactSet, Rejection, Structure, Workload};
use crate::{ability, cost, reason, size};

/// What one structure costs.
pub(super) fn consider(structure: Structure, workload: &Workload) -> Result<Choice, Rejection> {
    if let Some(rejection) = ability::lacking(structure, workload) {
        return Err(rejection);
    }
    let size = size::size(structure, workload).map_err(|(demand, reason)| Rejection {
        structure,
        demand,
        reason,
    })?;
    let times = cost::times(structure, size.bytes, size.fpr, workload);
    let fpr = size.fpr.min(1.0);
    let at_first = size.bytes as f64 * 8.0 / workload.keys.planned() as f64;
    Ok(Choice {
        structure,
        bytes: size.bytes,
        bits_per_key: size.grown.map_or(at_first, |growth| growth.mean),
        build_bytes: size.build_bytes,
        fpr,
        grown: size.grown,
        insert_ns: times.map(|times| times.insert),
        query_ns: times.map(|times| times.query),
        remove_ns: times.and_then(|times| times.remove),
        cost_ns: times.map(|times| cost(&times, fpr, workload)),
        reason: reason::of(structure, &size, workload),
    })
}

/// Nanoseconds for each query: see [`Choice::cost_ns`].
fn cost(times: &cost::Times, fpr: f64, workload: &Workload) -> f64 {
    let removal = if workload.needs_remove() { times.remove.unwrap_or(0.0) } else { 0.0 };
    let own = times.query + (times.insert + removal) / workload.queries_per_key;
    own + fpr * without(workload).map_or(0.0, |_| missed(workload)) + found(workload)
}

/// The cost of the lookups that a filter lets through if it says yes to every absent key, per
/// query.
fn missed(workload: &Workload) -> f64 {
    workload.absent * workload.false_positive_ns.unwrap_or(0.0)
}

/// The cost of the lookups of present keys, per query.
fn found(workload: &Workload) -> f64 {
    (1.0 - workload.absent) * workload.lookup_ns
}

/// Nanoseconds for each query without a filter.
pub(super) fn without(workload: &Workload) -> Option<f64> {
    workload.false_positive_ns?;
    Some(missed(workload) + found(workload))
}

/// The exact set of the same keys, to compare with.
pub(super) fn exact_set(workload: &Workload) -> ExactSet {
    let bytes = size::exact_set(workload);
    let times = cost::times(Structure::ExactSet, bytes, DEFAULT_FPR, workload);
    ExactSet { bytes, query_ns: times.map(|times| times.query) }
}

/// No filter at all, as a choice.
pub(super) fn nothing(workload: &Workload, reason: &str) -> Choice {
    Choice {
        structure: Structure::Nothing,
        bytes: 0,
        bits_per_key: 0.0,
        build_bytes: 0,
        fpr: 1.0,
        grown: None,
        insert_ns: Some(0.0),
        query_ns: Some(0.0),
        remove_ns: None,
        cost_ns: without(workload),
        reason: reason.into(),
    }
}

/// An exact set of this many bytes, as a choice.
pub(super) fn small_set(bytes: u64, workload: &Workload) -> Choice {
    let times = cost::times(Structure::ExactSet, bytes, DEFAULT_FPR, workload);
    Choice {
        structure: Structure::ExactSet,
        bytes,
        bits_per_key: bytes as f64 * 8.0 / workload.keys.planned() as f64,
        build_bytes: bytes,
        fpr: 0.0,
        grown: None,
        insert_ns: times.map(|times| times.insert),
        query_ns: times.map(|times| times.query),
        remove_ns: times.and_then(|times| times.remove),
        cost_ns: times.map(|times| cost(&times, 0.0, workload)),
        reason: "So few keys fit a cache as they are: the set never errs, and removes, lists and \
                 counts whatever you like."
            .into(),
    }
}
