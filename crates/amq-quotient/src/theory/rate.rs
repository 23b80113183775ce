//! The false-positive rate: how often an absent key has the fingerprint of a stored one.
//!
//! A filter keeps `floor(hash * F / 2^64)`, one of `F = slots * 2^r` fingerprints, and its answers
//! depend on nothing else, such as where a fingerprint is stored. So with n distinct keys the rate
//! is
//!
//! ```text
//! 1 - (1 - 1/F)^n,  close to  1 - e^(-a / 2^r)
//! ```
//!
//! averaged over all seeds. (`1 - e^(-a / 2^r)`, in M. Bender et al., *Don't thrash*, VLDB 2012, is
//! its limit for large tables.) The rate of one filter is the share of all fingerprints that it
//! holds, D / F, with D distinct ones; over the seeds, D is the number of cells that n balls
//! occupy.

use crate::QuotientParams;
use amq_core::PredictedFpr;
use amq_core::numeric::occupied_share;

/// The exact false-positive rate of filters with these parameters holding this many distinct keys:
/// mean and spread over all seeds. NaN if there is no such filter.
pub fn fpr(params: &QuotientParams, keys: u64) -> PredictedFpr {
    // No fingerprints, no rate: NaN.
    occupied_share(checked(params).unwrap_or(0) as f64, keys)
}

/// The rate of one filter with `distinct` distinct fingerprints: D / F. NaN if there is no such
/// filter.
pub fn fpr_of_distinct(params: &QuotientParams, distinct: u64) -> f64 {
    match checked(params) {
        Some(fingerprints) => (distinct as f64 / fingerprints as f64).min(1.0),
        None => f64::NAN,
    }
}

fn checked(params: &QuotientParams) -> Option<u64> {
    params.check().ok().map(|()| params.fingerprints())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fpr(slots: u64, remainder_bits: u32, keys: u64) -> f64 {
        super::fpr(&QuotientParams::new(slots, remainder_bits), keys).mean
    }

    fn fpr_sd(slots: u64, remainder_bits: u32, keys: u64) -> f64 {
        super::fpr(&QuotientParams::new(slots, remainder_bits), keys).sd
    }

    fn close(got: f64, want: f64, digits: f64) {
        assert!((got / want - 1.0).abs() < digits, "{got:e} is not {want:e}");
    }

    #[test]
    fn the_rate_is_that_of_the_birthday_problem() {
        close(fpr(64, 0, 1), 1.0 / 64.0, 1e-14);
        close(fpr(2, 1, 3), 1.0 - 0.75f64.powi(3), 1e-14);
        let want = 1.0 - (1.0 - 1.0 / 128_000.0f64).powi(950);
        close(fpr(1000, 7, 950), want, 1e-10);
        // The limit in the paper.
        let limit = -(-0.95f64 / 256.0).exp_m1();
        close(fpr(1_000_000_000, 8, 950_000_000), limit, 1e-8);
        assert_eq!(fpr(1, 0, 1), 1.0);
        assert_eq!(fpr(1, 0, 0), 0.0);
        assert_eq!(fpr(1, 0, u64::MAX), 1.0);
        assert_eq!(fpr(123, 4, 0), 0.0);
    }

    #[test]
    fn the_spread_is_that_of_occupied_cells() {
        // All ways of throwing n balls into f cells.
        for (slots, bits, n) in [(2u64, 0u32, 2u64), (3, 0, 3), (2, 1, 5), (5, 0, 6), (1, 3, 4)] {
            let f = slots << bits;
            let throws = f.pow(n as u32);
            let (mut sum, mut squares) = (0.0, 0.0);
            for throw in 0..throws {
                let hit = (0..n).fold(0u64, |hit, i| hit | 1 << (throw / f.pow(i as u32) % f));
                let rate = f64::from(hit.count_ones()) / f as f64;
                sum += rate;
                squares += rate * rate;
            }
            let (mean, square) = (sum / throws as f64, squares / throws as f64);
            close(fpr(slots, bits, n), mean, 1e-12);
            close(fpr_sd(slots, bits, n).powi(2), square - mean * mean, 1e-9);
        }
        assert_eq!(fpr_sd(1, 0, 10), 0.0);
    }

    #[test]
    fn what_is_no_table_has_no_rate() {
        for (slots, bits) in [(0, 8), (17, 56), (u64::MAX, 0), (64, u32::MAX)] {
            assert!(fpr(slots, bits, 10).is_nan());
            assert!(fpr_sd(slots, bits, 10).is_nan());
            assert!(fpr_of_distinct(&QuotientParams::new(slots, bits), 10).is_nan());
        }
        assert_eq!(fpr_of_distinct(&QuotientParams::new(64, 2), 64), 0.25);
    }
}
