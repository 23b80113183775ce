//! The expected number of false positives, and the tolerance around it.

use amq_core::PredictedFpr;
use core::fmt::Display;

/// The expected number of false positives, as a distribution.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Expected {
    queries: u64,
    mean: f64,
    variance: f64,
}

impl Expected {
    /// For one filter of known rate: binomial.
    pub(crate) fn of_one(queries: u64, rate: f64) -> Self {
        Self::of_any(queries, PredictedFpr { mean: rate, sd: 0.0 })
    }

    /// For a filter of any seed: the binomial variance plus the variance of the rate over seeds.
    pub(crate) fn of_any(queries: u64, rate: PredictedFpr) -> Self {
        let q = queries as f64;
        let variance = q * rate.mean * (1.0 - rate.mean) + (q * rate.sd) * (q * rate.sd);
        Self { queries, mean: q * rate.mean, variance }
    }

    pub(crate) const fn mean(&self) -> f64 {
        self.mean
    }

    pub(crate) const fn variance(&self) -> f64 {
        self.variance
    }

    /// The sum over independent filters.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            queries: self.queries + other.queries,
            mean: self.mean + other.mean,
            variance: self.variance + other.variance,
        }
    }

    /// Whether `found` is within `sigmas` standard deviations of the mean, on both sides.
    ///
    /// Counts are skewed, so the upper limit is `(sigmas^2 - 1) / 6` higher (the first
    /// Cornish-Fisher correction for a Poisson count): 4 at 5 sigma and 1.3 at 3 sigma. It matters
    /// only where few are expected.
    fn allows(&self, found: u64, sigmas: f64) -> bool {
        let (sd, off) = (self.variance.sqrt(), found as f64 - self.mean);
        off <= sigmas * sd + (sigmas * sigmas - 1.0) / 6.0 && -off <= sigmas * sd
    }

    /// Requires that the count is within `sigmas` standard deviations of the mean.
    #[track_caller]
    pub(crate) fn check(&self, cell: impl Display, found: u64, sigmas: f64) {
        let (sd, queries, mean) = (self.variance.sqrt(), self.queries, self.mean);
        assert!(
            self.allows(found, sigmas),
            "{cell}: {found} false positives in {queries} queries, expected {mean:.1} +- {sd:.1}; \
             {:+.1} sigma, where {sigmas} are allowed",
            (found as f64 - mean) / sd
        );
    }

    /// Requires that the count does not exceed the target rate, at 3 sigma.
    #[track_caller]
    pub(crate) fn check_at_most(&self, asked: f64, cell: impl Display, found: u64) {
        let most = Self { mean: self.queries as f64 * asked, ..*self };
        if found as f64 > most.mean {
            most.check(format_args!("{cell}, against the rate asked for"), found, 3.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gate_is_two_sided() {
        // 10,000 +- 99.5.
        let expected = Expected::of_one(1_000_000, 0.01);
        for (found, within) in
            [(9502, false), (9503, true), (10_000, true), (10_501, true), (10_502, false)]
        {
            assert_eq!(expected.allows(found, 5.0), within, "{found}");
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
        assert!(of_sixteen.allows(161_600, 3.0) && !of_sixteen.allows(161_700, 3.0));
    }

    #[test]
    fn a_few_counts_are_judged_as_poisson_counts() {
        let expected = Expected::of_one(1_000_000, 1e-5);
        // P(29 or more) is 9e-7 at a mean of 10, P(30 or more) 3e-7: 5 sigma.
        assert!(expected.allows(29, 5.0) && !expected.allows(30, 5.0));
        let none = Expected::of_one(10, 0.0);
        assert!(none.allows(0, 3.0) && !none.allows(2, 3.0));
    }
}
