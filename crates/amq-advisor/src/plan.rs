//! The size of a filter of some kind, fixed or growing, by its own plan.

use crate::growth::DOUBLINGS;
use crate::{Growth, Keys, Workload};
use amq::{AnyFilter, Budget, FilterKind, Goal, PlanError};

/// Bytes and rate.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Size {
    /// Keys (or copies of them) that it has room for.
    pub(super) keys: u64,
    pub(super) bytes: u64,
    pub(super) build_bytes: u64,
    pub(super) fpr: f64,
    /// Bits per key of the workload while it grows without a bound.
    pub(super) grown: Option<Growth>,
}

/// A filter of this kind: of fixed size, or one that grows where the workload does.
pub(super) fn of_kind(
    kind: FilterKind,
    goal: Goal,
    workload: &Workload,
) -> Result<Size, PlanError> {
    if workload.grows() {
        return growing(kind, goal, workload);
    }
    planned(kind, goal, workload)
}

/// A filter of fixed size.
fn planned(kind: FilterKind, goal: Goal, workload: &Workload) -> Result<Size, PlanError> {
    let plan = AnyFilter::plan(kind, goal)?;
    Ok(Size {
        keys: goal.keys,
        bytes: plan.bytes,
        // The plan has the peak of building from all keys at once. A filter filled one by one has
        // none.
        build_bytes: if workload.built_once { plan.build_bytes } else { plan.bytes },
        fpr: plan.expected_fpr,
        grown: None,
    })
}

/// A filter that begins small and grows.
fn growing(kind: FilterKind, goal: Goal, workload: &Workload) -> Result<Size, PlanError> {
    let size = |fpr| match (kind, workload.keys) {
        (FilterKind::Quotient, _) => quotient(goal.keys, fpr),
        (FilterKind::ExpandableQuotient, keys) => {
            expandable(goal.keys, fpr, matches!(keys, Keys::AtMost(_)))
        }
        (FilterKind::Scalable | FilterKind::ScalableBlocked, Keys::AtMost(bound)) => {
            scalable(kind, goal.keys, fpr, Some(bound.min(goal.keys)))
        }
        (FilterKind::Scalable | FilterKind::ScalableBlocked, _) => {
            scalable(kind, goal.keys, fpr, None)
        }
        // One that grows by itself.
        _ => planned(kind, Goal::new(goal.keys, Budget::Fpr(fpr)), workload),
    };
    let Budget::Bytes(bytes) = goal.budget else {
        return match goal.budget {
            Budget::Fpr(fpr) => size(fpr),
            _ => Err(PlanError::Keys { keys: goal.keys, min: 0, max: 0 }),
        };
    };
    // Without a bound on the keys: at its most, per key.
    let taken = |size: &Size| match size.grown {
        Some(Growth { most, .. }) => (most * goal.keys as f64 / 8.0) as u64,
        None => size.bytes,
    };
    let fits = |halves: u64| {
        let size = size(rate_of(halves)).ok()?;
        (taken(&size) <= bytes).then_some(size)
    };
    let steps = amq_core::numeric::last_true(1, 64 * STEPS, |steps| fits(steps).is_some());
    match fits(steps) {
        Some(size) => Ok(size),
        None => Err(PlanError::Bytes { bytes, min: taken(&size(rate_of(1))?) }),
    }
}

/// Rates tried per halving in the search for the lowest rate that fits a size.
const STEPS: u64 = 8;

fn rate_of(steps: u64) -> f64 {
    libm::exp2(-(steps as f64) / STEPS as f64)
}

fn quotient(keys: u64, fpr: f64) -> Result<Size, PlanError> {
    let goal = Goal::new(keys, Budget::Fpr(fpr));
    let plan = amq::QuotientFilter::plan_growing(goal, (keys >> DOUBLINGS).max(1))?;
    Ok(Size {
        keys,
        bytes: plan.bytes,
        // While it doubles, both tables are there.
        build_bytes: plan.bytes.saturating_add(plan.bytes / 2),
        fpr: plan.expected_fpr,
        grown: None,
    })
}

fn expandable(keys: u64, fpr: f64, bounded: bool) -> Result<Size, PlanError> {
    use amq_quotient::theory::expandable::sizes;

    let plan = amq::ExpandableQuotientFilter::plan(Goal::new(keys, Budget::Fpr(fpr)))?;
    Ok(Size {
        keys,
        bytes: plan.bytes,
        // While it doubles, both tables are there.
        build_bytes: plan.bytes.saturating_add(plan.bytes / 2),
        // The rate that it approaches, however far it grows.
        fpr,
        grown: if bounded { None } else { Some(Growth::over(sizes(&plan.params))?) },
    })
}

fn scalable(kind: FilterKind, keys: u64, fpr: f64, bound: Option<u64>) -> Result<Size, PlanError> {
    use amq_bloom::{BlockedBloomFilter, BloomFilter};
    use amq_scalable::{ScalableParams, theory};

    let is_classic = kind == FilterKind::Scalable;
    let params = match bound {
        Some(bound) => {
            let first = (bound >> DOUBLINGS).max(1);
            ScalableParams::new(first, fpr).with_growth(4).with_max_keys(bound)
        }
        None => ScalableParams::new(keys, fpr),
    };
    let plan = match is_classic {
        true => theory::plan_params::<BloomFilter>(params, keys)?,
        false => theory::plan_params::<BlockedBloomFilter>(params, keys)?,
    };
    let grown = match (bound, is_classic) {
        (Some(_), _) => None,
        (None, true) => Some(Growth::over(theory::sizes::<BloomFilter>(&params))?),
        (None, false) => Some(Growth::over(theory::sizes::<BlockedBloomFilter>(&params))?),
    };
    Ok(Size {
        keys,
        bytes: plan.bytes,
        build_bytes: plan.bytes,
        // Without a bound: the rate that it approaches, however far it grows.
        fpr: if grown.is_some() { fpr } else { plan.expected_fpr },
        grown,
    })
}
