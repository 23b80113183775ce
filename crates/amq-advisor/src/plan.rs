//! The size of a filter of some kind, fixed or growing, by its own plan.

use crate::growth::DOUBLINGS;
use crate::{Growth, Workload};
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

impl Size {
    /// Bytes at its most, where it holds so many keys of the workload.
    pub(super) fn most_bytes(&self, keys: u64) -> u64 {
        let grown = |Growth { most, .. }| (most * keys as f64 / 8.0) as u64;
        self.grown.map_or(self.bytes, grown)
    }
}

/// What cannot be planned at all.
pub(super) const fn unplanned(goal: Goal) -> PlanError {
    PlanError::Keys { keys: goal.keys, min: 0, max: 0 }
}

/// A filter of this kind: of fixed size, or one that grows where the workload does.
pub(super) fn of_kind(
    kind: FilterKind,
    goal: Goal,
    workload: &Workload,
) -> Result<Size, PlanError> {
    match workload.grows() {
        true => growing(kind, goal, workload),
        false => planned(kind, goal, workload),
    }
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
    let keys = goal.keys;
    let bound = workload.bound().map(|bound| bound.min(keys));
    let size = |fpr| match kind {
        FilterKind::Quotient => quotient(keys, fpr),
        FilterKind::ExpandableQuotient => expandable(keys, fpr, bound.is_some()),
        FilterKind::Scalable | FilterKind::ScalableBlocked => scalable(kind, keys, fpr, bound),
        // One that grows by itself.
        _ => planned(kind, Goal::new(keys, Budget::Fpr(fpr)), workload),
    };
    let bytes = match goal.budget {
        Budget::Fpr(fpr) => return size(fpr),
        Budget::Bytes(bytes) => bytes,
        _ => return Err(unplanned(goal)),
    };
    let fits = |halves: u64| size(rate_of(halves)).ok().filter(|it| it.most_bytes(keys) <= bytes);
    let steps = amq_core::numeric::last_true(1, 64 * STEPS, |steps| fits(steps).is_some());
    match fits(steps) {
        Some(size) => Ok(size),
        None => Err(PlanError::Bytes { bytes, min: size(rate_of(1))?.most_bytes(keys) }),
    }
}

/// Rates tried per halving in the search for the lowest rate that fits a size.
const STEPS: u64 = 8;

fn rate_of(steps: u64) -> f64 {
    libm::exp2(-(steps as f64) / STEPS as f64)
}

/// Keys that one has room for at the start that grows to a bound.
pub(super) fn first_keys(bound: u64) -> u64 {
    (bound >> DOUBLINGS).max(1)
}

fn quotient(keys: u64, fpr: f64) -> Result<Size, PlanError> {
    let goal = Goal::new(keys, Budget::Fpr(fpr));
    let plan = amq::QuotientFilter::plan_growing(goal, first_keys(keys))?;
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
            ScalableParams::new(first_keys(bound), fpr).with_growth(4).with_max_keys(bound)
        }
        None => ScalableParams::new(keys, fpr),
    };
    let (plan, grown) = match is_classic {
        true => (
            theory::plan_params::<BloomFilter>(params, keys)?,
            Growth::over(theory::sizes::<BloomFilter>(&params)),
        ),
        false => (
            theory::plan_params::<BlockedBloomFilter>(params, keys)?,
            Growth::over(theory::sizes::<BlockedBloomFilter>(&params)),
        ),
    };
    let grown = if bound.is_some() { None } else { Some(grown?) };
    Ok(Size {
        keys,
        bytes: plan.bytes,
        build_bytes: plan.bytes,
        // Without a bound: the rate that it approaches, however far it grows.
        fpr: if grown.is_some() { fpr } else { plan.expected_fpr },
        grown,
    })
}
