//! The counting Bloom filter.
//!
//! A counter is above zero exactly where a Bloom filter with as many bits would have a bit set. So
//! the rate is that of the classic filter ([`amq_bloom::theory::classic`]), at four times the
//! space.
//!
//! The number of keys that share a counter is binomial, and in any real table practically Poisson,
//! with mean `kn/m`: ln 2 = 0.69 at the best number of probes. The probability that sixteen keys
//! share a counter, one more than it can count, is 7.07e-17 (Fan, Cao, Almeida, Broder 2000 bound
//! it by 1.37e-15). A counter reaches 15, where it saturates, with probability 1.6e-15. Neither is
//! to be expected in a table of a billion counters, but inserting a key fifteen times does saturate
//! its counters.

pub use amq_bloom::theory::classic::{expected_fill, fpr_of_fill, fpr_of_table, keys_of_fill};

use crate::counters::MAX;
use crate::layout::sealed::Operations;
use crate::{Classic, CountingParams};
use amq_bloom::{BloomParams, theory::classic};
use amq_core::internal::step;
use amq_core::{Goal, Plan, PlanError, PredictedFpr};

/// Bits per counter.
pub const COUNTER_BITS: u64 = 4;

/// The exact false-positive rate of filters with these parameters and this many distinct keys: mean
/// and standard deviation over all seeds. NaN if there is no such filter.
pub fn fpr(params: &CountingParams, keys: u64) -> PredictedFpr {
    classic::fpr(&BloomParams::new(params.counters, params.probes), keys)
}

/// Bits per key of a large filter at this rate, with the best whole number of probes.
pub fn bits_per_key(fpr: f64) -> f64 {
    COUNTER_BITS as f64 * classic::bits_per_key(fpr)
}

/// The smallest filter for a rate, or the best for a size.
pub fn plan(goal: Goal) -> Result<Plan<CountingParams>, PlanError> {
    let Plan { params: cells, keys, .. } = classic::plan_cells(goal, COUNTER_BITS)?;
    plan_params(CountingParams::new(cells.bits, cells.probes), keys)
}

/// The plan for this many keys with these parameters.
pub fn plan_params(params: CountingParams, keys: u64) -> Result<Plan<CountingParams>, PlanError> {
    params.check()?;
    Ok(Plan::new(params, keys)
        .with_bytes(Classic::bytes(params))
        .with_expected_fpr(classic::mean_fpr(params.counters, params.probes, keys)))
}

/// The probability that a counter is saturated when the filter holds this many distinct keys.
pub fn saturation_probability(params: &CountingParams, keys: u64) -> f64 {
    let load = f64::from(params.probes) * keys as f64 / params.counters as f64;
    counter_tail(load, MAX as u32)
}

/// The probability that at least `count` keys share a counter, if `load` of them do on average: the
/// exact tail of the Poisson distribution, `sum over i >= count of e^-load load^i / i!`.
pub fn counter_tail(load: f64, count: u32) -> f64 {
    if count == 0 {
        return 1.0;
    }
    if load.is_nan() {
        return load;
    }
    if load <= 0.0 {
        return 0.0;
    }
    if load == f64::INFINITY {
        return 1.0;
    }
    // The terms decrease away from the mean and soon become negligible. So for a `count` above the
    // mean the sum runs upwards; below the mean the complement is summed downwards.
    let (mut i, mut sum) = (f64::from(count), 0.0);
    if i <= load {
        i -= 1.0;
        let mut term = poisson(load, i);
        while i >= 0.0 && term > sum * NEGLIGIBLE {
            sum += term;
            term *= i / load;
            i -= 1.0;
        }
        step((f64::from(count) - i) as u64 / 32);
        return (1.0 - sum).clamp(0.0, 1.0);
    }
    let mut term = poisson(load, i);
    while term > sum * NEGLIGIBLE {
        sum += term;
        i += 1.0;
        term *= load / i;
    }
    step((i - f64::from(count)) as u64 / 32);
    sum.min(1.0)
}

/// The sum ends when the terms fall below this fraction of it.
const NEGLIGIBLE: f64 = f64::EPSILON / 4.0;

fn poisson(load: f64, i: f64) -> f64 {
    libm::exp(i * libm::log(load) - load - libm::lgamma(i + 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::f64::consts::LN_2;

    fn close(got: f64, want: f64, digits: f64) {
        assert!((got / want - 1.0).abs() < digits, "{got:e} is not {want:e}");
    }

    #[test]
    fn a_counter_passes_15_at_the_best_load_with_7_in_10_to_the_17() {
        close(counter_tail(LN_2, 16), 7.072_833e-17, 1e-6);
        close(counter_tail(LN_2, 15), 1.636_947e-15, 1e-6);
    }

    #[test]
    fn five_times_overfull_some_counters_saturate() {
        let plan = plan(Goal::fpr(1_000_000, 0.01)).unwrap();
        let CountingParams { counters, probes } = plan.params;
        let load = f64::from(probes) * 5e6 / counters as f64;
        // 15 would pass 15; 67 reach it, and are saturated.
        close(counters as f64 * counter_tail(load, 16), 14.9, 0.01);
        close(counters as f64 * saturation_probability(&plan.params, 5_000_000), 66.5, 0.01);
    }

    #[test]
    fn tails_are_probabilities_from_the_empty_to_the_overfull() {
        assert_eq!(counter_tail(0.0, 1), 0.0);
        assert_eq!(counter_tail(3.0, 0), 1.0);
        close(counter_tail(1e-9, 1), 1e-9, 1e-6);
        close(counter_tail(2.0, 1), 1.0 - (-2f64).exp(), 1e-12);
        // Tables that cannot exist.
        let none = CountingParams::new(0, 7);
        assert!(counter_tail(f64::NAN, 3).is_nan() && saturation_probability(&none, 0).is_nan());
        assert_eq!(counter_tail(f64::INFINITY, 3), 1.0);
        assert_eq!(saturation_probability(&none, 1), 1.0);
        // Half on either side of the mean, however large it is.
        for mean in [1e6, 1e9, 4.29e9] {
            assert!((counter_tail(mean, mean as u32) - 0.5).abs() < 1e-3);
        }
        for (load, count) in [(1e9, 1_000_000_000), (4.29e9, u32::MAX), (4.295e9, u32::MAX)] {
            let (_, steps) = amq_core::internal::steps_of(|| counter_tail(load, count));
            assert!(steps < 50_000, "{steps}");
        }
        // 100 is the mean, and the median is the mean: half lies on either side.
        assert!((0.5..0.54).contains(&counter_tail(100.0, 100)));
        assert_eq!(counter_tail(1e6, 15), 1.0);
        for load in [0.5, 5.0, 14.9, 15.0, 15.1, 50.0] {
            let step = counter_tail(load, 15) - counter_tail(load, 16);
            close(step, poisson(load, 15.0), 1e-6);
        }
    }

    #[test]
    fn it_takes_four_times_the_space_of_the_classic_filter() {
        for fpr in [0.01, 1.0 / 256.0, 1e-3] {
            let goal = Goal::fpr(1_000_000, fpr);
            let (ours, bits) = (plan(goal).unwrap(), classic::plan(goal).unwrap());
            assert_eq!(ours.bytes, 4 * bits.bytes);
            assert_eq!(ours.expected_fpr, bits.expected_fpr);
        }
        assert!((bits_per_key(0.01) - 38.4).abs() < 0.05);
    }
}
