//! What filters take that begin small and grow.

use crate::size::{Size, planned};
use crate::{Keys, Workload};
use amq::{Budget, FilterKind, Goal, PlanError};

/// Doublings of the number of keys that a filter is judged over, if it grows.
const DOUBLINGS: u32 = 10;

/// Bits per key while a filter grows without a bound: over its next ten sizes, from the first time
/// that it is full to the eleventh.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct Growth {
    /// The mean, in which every number of keys counts for as much as its double.
    pub mean: f64,
    /// The fewest: just before it grows.
    pub least: f64,
    /// The most: just after.
    pub most: f64,
}

impl Growth {
    /// From the sizes that a filter comes to: its bytes, and the most keys that it holds then. One
    /// that never grows is refused.
    ///
    /// With `B` bits and from `n` to `N` keys, the bits per key are `B / x` at x keys, and x has a
    /// density of `1 / x`: `B (1 / n - 1 / N)` over `ln(N / n)`.
    fn over(sizes: impl Iterator<Item = (u64, u64)>) -> Result<Self, PlanError> {
        let mut sizes = sizes.take(1 + DOUBLINGS as usize);
        let first = sizes.next().map_or(0, |(_, keys)| keys);
        let (mut held, mut sum) = (first as f64, 0.0);
        let (mut least, mut most) = (f64::INFINITY, 0.0f64);
        for (bytes, keys) in sizes {
            let (bits, keys) = (bytes as f64 * 8.0, keys as f64);
            sum += bits * (1.0 / held - 1.0 / keys);
            (least, most) = (least.min(bits / keys), most.max(bits / (held + 1.0)));
            held = keys;
        }
        let doublings = libm::log(held / first as f64);
        if doublings > 0.0 {
            Ok(Self { mean: sum / doublings, least, most })
        } else {
            Err(PlanError::Items { items: first.saturating_add(1), min: 1, max: first })
        }
    }

    /// The same for this many items per key.
    pub(super) fn times(self, items: f64) -> Self {
        Self { mean: self.mean * items, least: self.least * items, most: self.most * items }
    }
}

/// A filter that begins small and grows.
pub(super) fn growing(
    kind: FilterKind,
    goal: Goal,
    workload: &Workload,
) -> Result<Size, PlanError> {
    let size = |fpr| match (kind, workload.keys) {
        (FilterKind::Quotient, _) => quotient(goal.items, fpr),
        (FilterKind::ExpandableQuotient, keys) => {
            expandable(goal.items, fpr, matches!(keys, Keys::AtMost(_)))
        }
        (FilterKind::Scalable | FilterKind::ScalableBlocked, Keys::AtMost(bound)) => {
            scalable(kind, goal.items, fpr, Some(bound.min(goal.items)))
        }
        (FilterKind::Scalable | FilterKind::ScalableBlocked, _) => {
            scalable(kind, goal.items, fpr, None)
        }
        // One that grows without more ado.
        _ => planned(kind, Goal::new(goal.items, Budget::Fpr(fpr)), workload),
    };
    let Budget::Bytes(bytes) = goal.budget else {
        return match goal.budget {
            Budget::Fpr(fpr) => size(fpr),
            _ => Err(PlanError::Items { items: goal.items, min: 0, max: 0 }),
        };
    };
    // Without a bound on the keys: at its most, per key.
    let taken = |size: &Size| match size.grown {
        Some(Growth { most, .. }) => (most * goal.items as f64 / 8.0) as u64,
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

/// Steps of rate to a halving, when the lowest rate that fits a size is looked for.
const STEPS: u64 = 8;

fn rate_of(steps: u64) -> f64 {
    libm::exp2(-(steps as f64) / STEPS as f64)
}

fn quotient(items: u64, fpr: f64) -> Result<Size, PlanError> {
    let goal = Goal::new(items, Budget::Fpr(fpr));
    let plan = amq::QuotientFilter::plan_growing(goal, (items >> DOUBLINGS).max(1))?;
    Ok(Size {
        items,
        bytes: plan.bytes,
        // While it doubles, both tables are there.
        build_bytes: plan.bytes.saturating_add(plan.bytes / 2),
        fpr: plan.expected_fpr,
        grown: None,
    })
}

fn expandable(items: u64, fpr: f64, bounded: bool) -> Result<Size, PlanError> {
    use amq_quotient::theory::expandable::sizes;

    let plan = amq::ExpandableQuotientFilter::plan(Goal::new(items, Budget::Fpr(fpr)))?;
    Ok(Size {
        items,
        bytes: plan.bytes,
        // While it doubles, both tables are there.
        build_bytes: plan.bytes.saturating_add(plan.bytes / 2),
        // What it comes near to, however far it grows.
        fpr,
        grown: if bounded { None } else { Some(Growth::over(sizes(&plan.params))?) },
    })
}

fn scalable(kind: FilterKind, items: u64, fpr: f64, bound: Option<u64>) -> Result<Size, PlanError> {
    use amq_bloom::{BlockedBloomFilter, BloomFilter};
    use amq_scalable::{ScalableParams, theory};

    let is_classic = kind == FilterKind::Scalable;
    let params = match bound {
        Some(bound) => {
            let first = (bound >> DOUBLINGS).max(1);
            ScalableParams::new(first, fpr).growth(4).bounded(bound)
        }
        None => ScalableParams::new(items, fpr),
    };
    let plan = match is_classic {
        true => theory::plan_params::<BloomFilter>(params, items)?,
        false => theory::plan_params::<BlockedBloomFilter>(params, items)?,
    };
    let grown = match (bound, is_classic) {
        (Some(_), _) => None,
        (None, true) => Some(Growth::over(theory::sizes::<BloomFilter>(&params))?),
        (None, false) => Some(Growth::over(theory::sizes::<BlockedBloomFilter>(&params))?),
    };
    Ok(Size {
        items,
        bytes: plan.bytes,
        build_bytes: plan.bytes,
        // Without a bound: what it comes near to, however far it grows.
        fpr: if grown.is_some() { fpr } else { plan.expected_fpr },
        grown,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean over numbers of keys that rise by a thousandth each.
    #[test]
    fn the_mean_is_that_of_many_numbers_of_keys() {
        let sizes = [(100, 50), (300, 120), (1000, 777), (1500, 900), (9000, 10_000)];
        let growth = Growth::over(sizes.into_iter()).unwrap();
        let (mut sum, mut count, mut keys) = (0.0, 0.0, 50.0);
        while keys < 10_000.0 {
            let bytes = sizes.iter().find(|size| size.1 as f64 > keys).unwrap().0;
            (sum, count, keys) = (sum + bytes as f64 * 8.0 / keys, count + 1.0, keys * 1.001);
        }
        let mean = sum / count;
        assert!((growth.mean / mean - 1.0).abs() < 0.002, "{growth:?}, {mean}");
        assert_eq!((growth.least, growth.most), (9000.0 * 8.0 / 10_000.0, 9000.0 * 8.0 / 901.0));
        let twice = growth.times(2.0);
        assert_eq!((twice.mean, twice.most), (2.0 * growth.mean, 2.0 * growth.most));
    }

    #[test]
    fn what_never_grows_is_refused_with_the_keys_it_holds() {
        let refused = Growth::over([(100, 50)].into_iter());
        assert_eq!(refused, Err(PlanError::Items { items: 51, min: 1, max: 50 }));
        assert!(Growth::over(core::iter::empty()).is_err());
        assert!(Growth::over([(100, u64::MAX), (300, u64::MAX)].into_iter()).is_err());
    }
}
