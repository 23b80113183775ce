//! The expected number of false positives, and the tolerance around it.

use crate::violation::{Verdict, Violation};
use amq_core::PredictedFpr;

/// The expected number of false positives, as a distribution.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Expected {
    queries: u64,
    mean: f64,
    variance: f64,
}

impl Expected {
    /// For one filter of known rate: binomial.
    pub fn of_one(queries: u64, rate: f64) -> Self {
        let spread = PredictedFpr { mean: rate, sd: 0.0 };
        Self::of_any(queries, spread)
    }

    /// For a filter of any seed: the binomial variance plus the variance of the rate over seeds.
    pub fn of_any(queries: u64, rate: PredictedFpr) -> Self {
        let q = queries as f64;
        Self {
            queries,
            mean: q * rate.mean,
            variance: q * rate.mean * (1.0 - rate.mean) + (q * rate.sd) * (q * rate.sd),
        }
    }

    /// The mean.
    pub const fn mean(&self) -> f64 {
        self.mean
    }

    /// The variance.
    pub const fn variance(&self) -> f64 {
        self.variance
    }

    /// Takes another rate for the mean and keeps the variance.
    #[must_use]
    pub fn with_rate(self, rate: f64) -> Self {
        Self { mean: self.queries as f64 * rate, ..self }
    }

    /// The sum over independent filters.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            queries: self.queries + other.queries,
            mean: self.mean + other.mean,
            variance: self.variance + other.variance,
        }
    }

    /// `Ok` if `found` is within `sigmas` standard deviations of the mean, on both sides.
    ///
    /// Counts are skewed, so the upper limit is `(sigmas^2 - 1) / 6` higher (the first
    /// Cornish-Fisher correction for a Poisson count): 4 at 5 sigma and 1.3 at 3 sigma. It matters
    /// only where few are expected.
    pub fn check(&self, cell: String, seed: Option<u64>, found: u64, sigmas: f64) -> Verdict {
        let sd = self.variance.sqrt();
        let off = found as f64 - self.mean;
        if off <= sigmas * sd + (sigmas * sigmas - 1.0) / 6.0 && -off <= sigmas * sd {
            return Ok(());
        }
        Err(Violation::Rate {
            cell,
            seed,
            found,
            queries: self.queries,
            expected: self.mean,
            sd,
            sigmas,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passes(expected: Expected, found: u64, sigmas: f64) -> bool {
        expected.check(String::new(), None, found, sigmas).is_ok()
    }

    #[test]
    fn the_gate_is_two_sided() {
        // 10,000 +- 99.5.
        let expected = Expected::of_one(1_000_000, 0.01);
        for (found, within) in
            [(9502, false), (9503, true), (10_000, true), (10_501, true), (10_502, false)]
        {
            assert_eq!(passes(expected, found, 5.0), within, "{found}");
        }
    }

    #[test]
    fn the_spread_between_filters_is_added_in_quadrature() {
        let rate = PredictedFpr { mean: 0.01, sd: 1e-4 };
        let expected = Expected::of_any(1_000_000, rate);
        // 100^2 for the spread, 99.5^2 for the counting.
        assert!((expected.variance().sqrt() - 141.07).abs() < 0.01);
        let of_sixteen = (0..16).fold(Expected::default(), |sum, _| sum.plus(expected));
        assert!((of_sixteen.variance().sqrt() - 4.0 * 141.07).abs() < 0.04);
        assert!(passes(of_sixteen, 161_600, 3.0) && !passes(of_sixteen, 161_700, 3.0));
    }

    #[test]
    fn a_few_counts_are_judged_as_poisson_counts() {
        let expected = Expected::of_one(1_000_000, 1e-5);
        // P(29 or more) is 9e-7 at a mean of 10, P(30 or more) 3e-7: 5 sigma.
        assert!(passes(expected, 29, 5.0) && !passes(expected, 30, 5.0));
        assert!(
            passes(Expected::of_one(10, 0.0), 0, 3.0) && !passes(Expected::of_one(10, 0.0), 2, 3.0)
        );
    }
}
