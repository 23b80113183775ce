//! The false-positive rate, and the size that it requires.
//!
//! A lookup uses only a key's fingerprint, one of T, and its pair of buckets, one of `M / 2`.
//! Together they are one of `C = T M / 2` equally likely **cells**. Wherever fingerprints have been
//! moved, a lookup returns `true` exactly if some key of the same cell is in. So with n keys the
//! rate is the fraction of cells they occupy,
//!
//! ```text
//! fpr = 1 - (1 - 1/C)^n
//!     ~ 1 - e^(-2 n / (T M))
//!     ~ 2 b a / 2^f               b slots a bucket, load factor a, f bits
//! ```
//!
//! exactly, averaged over all seeds. How many cells n keys occupy is the classical occupancy
//! problem, which gives the standard deviation as well. (Fan et al. bound the same rate by
//! `1 - (1 - 1/2^f)^(2b)`, with every slot in use.)

use crate::params::MAX_FINGERPRINT_BITS;
use crate::search::search_bytes;
use crate::{CuckooParams, Layout};
use amq_core::internal::step;
use amq_core::numeric::{cells_for, last_true, occupied_share};
use amq_core::{Budget, Goal, Plan, PlanError, PredictedFpr};

/// Spare slots of a plan. Small tables vary more: without spare slots, some filters for a few dozen
/// keys would refuse one of them. Measured on the first refusals of up to 200,000 tables of each of
/// twenty sizes, 8 to 16,384 slots: with this many spare slots, no table with four slots per bucket
/// would have refused a planned key, and about one in 10^5 of the smallest tables with overlapping
/// buckets.
const SPARE: f64 = 32.0;

/// The cells of a table: fingerprints times pairs of buckets. NaN for parameters out of range.
#[must_use]
pub fn cells<L: Layout>(params: &CuckooParams) -> f64 {
    if params.check::<L>().is_err() {
        return f64::NAN;
    }
    params.fingerprints::<L>() as f64 * (params.buckets / 2) as f64
}

/// The exact false-positive rate of filters with these parameters and this many distinct keys: mean
/// and standard deviation over all seeds. NaN for parameters out of range.
#[must_use]
pub fn fpr<L: Layout>(params: &CuckooParams, keys: u64) -> PredictedFpr {
    occupied_share(cells::<L>(params), keys)
}

/// Bits per key of a large filter at this rate.
#[must_use]
pub fn bits_per_key<L: Layout>(fpr: f64) -> f64 {
    // At a million keys the spare slots no longer matter.
    plan::<L>(Goal::fpr(1_000_000, fpr)).map_or(f64::NAN, |plan| plan.bits_per_key())
}

/// An upper bound on the mean number of cells with more keys than their two buckets have slots, and
/// so on the probability that a filter must therefore refuse one of this many distinct keys.
///
/// `C P(X > 2b) <= C m^(2b + 1) / (2b + 1)!`, with X Poisson of mean `m = n / C`.
#[must_use]
pub fn crowded_cells<L: Layout>(params: &CuckooParams, keys: u64) -> f64 {
    step(1);
    let cells = cells::<L>(params);
    let mean = keys as f64 / cells;
    let most = 2 * L::SLOTS;
    let term = (1..=most + 1).fold(1.0, |term, i| term * mean / f64::from(i));
    cells * term
}

/// The smallest filter for a rate, or the best for a size. A size budget never gives a larger
/// filter than the longest fingerprints need; for a still lower rate, plan by rate.
///
/// `build_bytes` is for a filter built from all keys at once: the table, 8 bytes a key, and up to
/// 197 kB for a search for room. A filter filled key by key needs only the table and the search.
pub fn plan<L: Layout>(goal: Goal) -> Result<Plan<CuckooParams>, PlanError> {
    let goal = goal.checked()?;
    let longest = enough::<L>(goal.keys, MAX_FINGERPRINT_BITS);
    let of_use = longest.map_or(u64::MAX, |params| params.bytes::<L>().saturating_mul(8));
    let candidates =
        (L::PLANNED_BITS..=MAX_FINGERPRINT_BITS).filter_map(|bits| match goal.budget {
            Budget::Fpr(fpr) => smallest::<L>(goal.keys, fpr, bits),
            Budget::BitsPerKey(_) | Budget::Bytes(_) => {
                largest::<L>(goal.keys, goal.max_bits().min(of_use), bits)
            }
        });
    let planned = candidates.map(|params| plan_of::<L>(params, goal.keys));
    let best = planned.min_by(|one, other| {
        let by_bytes = one.bytes.cmp(&other.bytes);
        let by_rate = one.expected_fpr.total_cmp(&other.expected_fpr);
        match goal.budget {
            Budget::Fpr(_) => by_bytes.then(by_rate),
            Budget::BitsPerKey(_) | Budget::Bytes(_) => by_rate.then(by_bytes),
        }
    });
    best.ok_or_else(|| refusal::<L>(goal))
}

/// The plan of a filter with explicit parameters for this many keys. Checks the parameters, but not
/// whether the keys fit.
pub fn plan_params<L: Layout>(
    params: CuckooParams,
    keys: u64,
) -> Result<Plan<CuckooParams>, PlanError> {
    params.check::<L>()?;
    Ok(plan_of::<L>(params, keys))
}

fn plan_of<L: Layout>(params: CuckooParams, keys: u64) -> Plan<CuckooParams> {
    let bytes = params.bytes::<L>();
    let search = search_bytes(params.slots::<L>() / u64::from(L::STRIDE));
    Plan::new(params, keys)
        .with_bytes(bytes)
        // The table, a sorted copy of the hashes, and the longest search for room.
        .with_build_bytes(bytes.saturating_add(keys.saturating_mul(8)).saturating_add(search))
        .with_expected_fpr(fpr::<L>(&params, keys).mean)
}

/// The fewest buckets for this many keys in slots of this width. `None` if that exceeds the limit.
fn enough<L: Layout>(keys: u64, bits: u32) -> Option<CuckooParams> {
    let slots = (keys as f64 + SPARE) / L::LOAD;
    let by_load = libm::ceil(slots / f64::from(2 * L::STRIDE));
    let params = checked(by_load, bits)?;
    let crowded = crowded_cells::<L>(&params, keys);
    if crowded <= L::CROWDED {
        return Some(params);
    }
    // The number of crowded cells falls with the 2b-th power of the number of buckets.
    let factor = libm::pow(crowded / L::CROWDED, 0.5 / f64::from(L::SLOTS));
    checked(libm::ceil(by_load * factor), bits)
}

/// The fewest buckets with which this many keys have at most the rate `asked`.
fn smallest<L: Layout>(keys: u64, asked: f64, bits: u32) -> Option<CuckooParams> {
    let enough = enough::<L>(keys, bits)?;
    let pairs = libm::floor(cells_for(asked, keys) / enough.fingerprints::<L>() as f64);
    // Rounding may be off by one pair either way.
    let mut params = checked((pairs - 1.0).max((enough.buckets / 2) as f64), bits)?;
    while fpr::<L>(&params, keys).mean > asked {
        params = checked((params.buckets / 2 + 1 + (params.buckets >> 50)) as f64, bits)?;
    }
    Some(params)
}

/// The most buckets in `allowed` bits of memory; `None` if too few for the keys.
fn largest<L: Layout>(keys: u64, allowed: u64, bits: u32) -> Option<CuckooParams> {
    let enough = enough::<L>(keys, bits)?;
    let most = CuckooParams::max_buckets(bits) / 2;
    let with = |pairs: u64| CuckooParams::new(2 * pairs, bits);
    let fits = |pairs: u64| with(pairs).bytes::<L>() <= allowed / 8;
    let params = with(last_true(enough.buckets / 2, most, fits));
    fits(params.buckets / 2).then_some(params)
}

/// Parameters with this many pairs of buckets, at least one. `None` if that exceeds the limit.
fn checked(pairs: f64, bits: u32) -> Option<CuckooParams> {
    let most = CuckooParams::max_buckets(bits) / 2;
    (pairs <= most as f64).then(|| CuckooParams::new(2 * (pairs as u64).clamp(1, most), bits))
}

/// Why there is no plan.
fn refusal<L: Layout>(goal: Goal) -> PlanError {
    let Goal { keys, budget, .. } = goal;
    let sizes = (L::PLANNED_BITS..=MAX_FINGERPRINT_BITS).filter_map(|bits| enough::<L>(keys, bits));
    let Some(min) = sizes.map(|params| params.bytes::<L>()).min() else {
        let largest = largest_table(L::PLANNED_BITS).bytes::<L>();
        let needed = keys as f64 / L::LOAD * f64::from(L::PLANNED_BITS) / 8.0;
        return PlanError::TooLarge { bytes: needed.max(largest as f64), max_bytes: largest };
    };
    match budget {
        Budget::Fpr(asked) => {
            PlanError::FprUnreachable { fpr: asked, lowest: lowest_fpr::<L>(keys), keys }
        }
        Budget::BitsPerKey(_) | Budget::Bytes(_) => {
            PlanError::Bytes { bytes: goal.max_bits() / 8, min }
        }
    }
}

/// The lowest rate that can be planned for this many keys, at any size.
fn lowest_fpr<L: Layout>(keys: u64) -> f64 {
    let largest = (L::PLANNED_BITS..=MAX_FINGERPRINT_BITS).map(largest_table);
    let rates = largest.map(|params| fpr::<L>(&params, keys).mean);
    rates.fold(1.0, f64::min)
}

/// The most buckets of slots of this width.
const fn largest_table(bits: u32) -> CuckooParams {
    CuckooParams::new(CuckooParams::max_buckets(bits), bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Buckets, OverlappingBuckets};

    #[test]
    fn rates_are_the_computed_ones() {
        // Eight-bit fingerprints at load 0.94: the published measurement is 2.906 %.
        let params = CuckooParams::new(1 << 18, 8);
        let rate = fpr::<Buckets>(&params, (0.94 * f64::from(1 << 20)) as u64);
        assert!((rate.mean - 0.029_06).abs() < 1e-4, "{}", rate.mean);
        // One key in the smallest table: one cell of 15.
        let params = CuckooParams::new(2, 4);
        assert!((fpr::<Buckets>(&params, 1).mean - 1.0 / 15.0).abs() < 1e-12);
        assert!((fpr::<OverlappingBuckets>(&params, 1).mean - 1.0 / 7.0).abs() < 1e-12);
        assert!(fpr::<Buckets>(&CuckooParams::new(3, 4), 1).mean.is_nan());
    }

    #[test]
    fn a_million_keys_take_the_bits_that_the_documentation_says() {
        for (asked, four, two) in
            [(0.01, 10.53, 9.58), (1.0 / 256.0, 11.58, 10.64), (1e-3, 13.69, 12.77)]
        {
            assert!((bits_per_key::<Buckets>(asked) - four).abs() < 0.01);
            assert!((bits_per_key::<OverlappingBuckets>(asked) - two).abs() < 0.01);
        }
    }

    #[test]
    fn plans_are_the_smallest_that_meet_rate_and_load() {
        fn minimal<L: Layout>() {
            for keys in [1u64, 2, 7, 33, 1000, 123_456, 1_000_000, 300_000_000] {
                for asked in [0.2, 0.03, 0.01, 1e-3, 1e-6, 1e-9] {
                    let plan = plan::<L>(Goal::new(keys, Budget::Fpr(asked))).unwrap();
                    assert!(plan.expected_fpr <= asked);
                    let least = enough::<L>(keys, plan.params.fingerprint_bits).unwrap();
                    let mut fewer = plan.params;
                    fewer.buckets -= 2;
                    assert!(
                        plan.params == least || fpr::<L>(&fewer, keys).mean > asked,
                        "{keys} keys at {asked}: {fewer:?} would do"
                    );
                    assert!(crowded_cells::<L>(&plan.params, keys) <= L::CROWDED * 1.01);
                    let load = keys as f64 / plan.params.slots::<L>() as f64;
                    assert!(load <= L::LOAD);
                    // The same bytes give the same plan, except that none is larger than the
                    // longest fingerprints need.
                    let same =
                        super::plan::<L>(Goal::new(keys, Budget::Bytes(plan.bytes))).unwrap();
                    let longest = enough::<L>(keys, MAX_FINGERPRINT_BITS).unwrap();
                    if plan.bytes <= longest.bytes::<L>() {
                        assert!(same.expected_fpr <= plan.expected_fpr);
                    } else {
                        assert_eq!(same.params, longest);
                    }
                }
            }
        }
        minimal::<Buckets>();
        minimal::<OverlappingBuckets>();
    }

    #[test]
    fn what_cannot_be_planned_is_refused_with_the_nearest_that_can() {
        let unreachable = plan::<Buckets>(Goal::new(1 << 40, Budget::Fpr(1e-7)));
        assert!(matches!(unreachable, Err(PlanError::FprUnreachable { lowest, .. })
                if lowest > 1e-7 && lowest < 1e-6));
        let large = plan::<OverlappingBuckets>(Goal::new(1 << 60, Budget::Fpr(0.5)));
        assert!(matches!(large, Err(PlanError::TooLarge { .. })), "{large:?}");
        let Err(PlanError::Bytes { min, .. }) = plan::<Buckets>(Goal::bytes(1000, 100)) else {
            panic!("100 bytes for 1000 keys");
        };
        assert!(plan::<Buckets>(Goal::bytes(1000, min)).is_ok());
        assert!(plan::<Buckets>(Goal::bytes(1000, min - 1)).is_err());
    }
}
