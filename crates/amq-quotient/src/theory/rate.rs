//! How often an absent key has the fingerprint of one that is in.
//!
//! A filter keeps `floor(hash * F / 2^64)`, one of `F = slots * 2^r` fingerprints, and nothing else decides its answers: where a fingerprint is
//! stored does not matter. So n distinct keys make a rate of
//!
//! ```text
//! 1 - (1 - 1/F)^n,  close to  1 - e^(-a / 2^r)
//! ```
//!
//! averaged over all seeds. (The literature's `1 - e^(-a / 2^r)` of M. Bender et al., *Don't thrash*, VLDB 2012, is its limit for large tables.)
//! One filter's rate is the share of all fingerprints that it holds, D / F, with D the different ones among them. Over the seeds D is the number of bins that n
//! balls hit, so the rate's variance is that of occupied bins.

use crate::QuotientParams;

/// 2^64, the number of hashes.
const HASHES: f64 = 18_446_744_073_709_551_616.0;

/// The fingerprints that have `w` hashes each, and how many they are. Since 2^64 is not divided evenly there are two sorts of them: of 2^64 = w F + rest,
/// `rest` have w + 1. It matters when F nears 2^64.
fn sorts(fingerprints: u64) -> [(f64, f64); 2] {
    let hashes = 1u128 << 64;
    let (each, rest) = (
        hashes / u128::from(fingerprints),
        hashes % u128::from(fingerprints),
    );
    [
        (each as f64, (u128::from(fingerprints) - rest) as f64),
        ((each + 1) as f64, rest as f64),
    ]
}

/// The exact false-positive rate of filters with n distinct keys, averaged over all seeds. NaN for parameters that are none.
pub fn fpr(slots: u64, remainder_bits: u32, items: u64) -> f64 {
    let Some(fingerprints) = checked(slots, remainder_bits) else {
        return f64::NAN;
    };
    let n = items as f64;
    let rate = sorts(fingerprints).map(|(hashes, count)| {
        let probability = hashes / HASHES;
        // 1 - (1 - p)^n, for the share of absent keys that have a fingerprint of this sort.
        count * probability * -libm::expm1(n * libm::log1p(-probability))
    });
    // Without keys the product may be zero times infinity.
    if items == 0 {
        0.0
    } else {
        (rate[0] + rate[1]).min(1.0)
    }
}

/// The standard deviation of the rate from seed to seed. NaN for parameters that are none.
///
/// With D the bins that n balls hit out of F: `Var D = F (F - 1) (1 - 2/F)^n + F (1 - 1/F)^n - F^2 (1 - 1/F)^2n`.
pub fn fpr_sd(slots: u64, remainder_bits: u32, items: u64) -> f64 {
    let Some(fingerprints) = checked(slots, remainder_bits) else {
        return f64::NAN;
    };
    if fingerprints == 1 || items < 2 {
        return 0.0;
    }
    let (f, n) = (fingerprints as f64, items as f64);
    // Far apart, two keys share a fingerprint with probability 1/F, pair by pair, and nothing else happens. Written out the terms cancel.
    if n < 1e-5 * f {
        return libm::sqrt(n * (n - 1.0) / 2.0 / f) / f;
    }
    let missed = libm::exp(n * libm::log1p(-1.0 / f));
    // ((1 - 1/F)^n - (1 - 2/F)^n) / F + (1 - 2/F)^n - (1 - 1/F)^2n, so that no two terms are nearly equal.
    let one = -libm::expm1(n * libm::log1p(-1.0 / (f - 1.0))) / f;
    let two = missed * libm::expm1(n * libm::log1p(-1.0 / ((f - 1.0) * (f - 1.0))));
    libm::sqrt((missed * (one + two)).max(0.0))
}

/// The rate of one filter that holds so many different fingerprints: D / F.
pub fn fpr_of_distinct(slots: u64, remainder_bits: u32, distinct: u64) -> f64 {
    match checked(slots, remainder_bits) {
        Some(fingerprints) => (distinct as f64 / fingerprints as f64).min(1.0),
        None => f64::NAN,
    }
}

fn checked(slots: u64, remainder_bits: u32) -> Option<u64> {
    let params = QuotientParams {
        slots,
        remainder_bits,
    };
    params.check().ok().map(|()| params.fingerprints())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(got: f64, want: f64, digits: f64) {
        assert!((got / want - 1.0).abs() < digits, "{got:e} is not {want:e}");
    }

    #[test]
    fn the_rate_is_that_of_the_birthday_problem() {
        close(fpr(64, 0, 1), 1.0 / 64.0, 1e-14);
        close(fpr(2, 1, 3), 1.0 - 0.75f64.powi(3), 1e-14);
        close(
            fpr(1000, 7, 950),
            1.0 - (1.0 - 1.0 / 128_000.0f64).powi(950),
            1e-10,
        );
        // The textbook's limit.
        close(
            fpr(1_000_000_000, 8, 950_000_000),
            -(-0.95f64 / 256.0).exp_m1(),
            1e-8,
        );
        assert_eq!(fpr(1, 0, 1), 1.0);
        assert_eq!(fpr(1, 0, 0), 0.0);
        assert_eq!(fpr(1, 0, u64::MAX), 1.0);
        assert_eq!(fpr(123, 4, 0), 0.0);
    }

    #[test]
    fn where_fingerprints_near_the_hashes_each_is_counted_with_its_own_share() {
        // 255 * 2^56: of the 2^64 hashes 2 * 2^56 share their fingerprint with one other, and the rest are alone.
        let pairs = 2f64.powi(56);
        let want = (2f64.powi(64) - 2.0 * pairs + pairs * 4.0) / 2f64.powi(128);
        close(fpr(255, 56, 1), want, 1e-12);
        close(fpr(128, 56, 5), 5.0 / 2f64.powi(63), 1e-12);
    }

    #[test]
    fn the_spread_is_that_of_occupied_bins() {
        // All ways of throwing n balls into f bins.
        for (slots, bits, n) in [
            (2u64, 0u32, 2u64),
            (3, 0, 3),
            (2, 1, 5),
            (5, 0, 6),
            (1, 3, 4),
        ] {
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
        assert_eq!(fpr_sd(64, 8, 1), 0.0);
    }

    #[test]
    fn the_two_forms_of_the_spread_meet() {
        for n in [100u64, 10_000, 1_000_000] {
            // Just below and just above n = 1e-5 F.
            let (below, above) = (n * 100_100, n * 99_900);
            let scale = above as f64 / below as f64;
            let ratio = fpr_sd(below, 0, n) / fpr_sd(above, 0, n);
            close(ratio, scale.powf(1.5), 1e-4);
        }
    }

    #[test]
    fn what_is_no_table_has_no_rate() {
        for (slots, bits) in [(0, 8), (256, 56), (u64::MAX, 0), (64, u32::MAX)] {
            assert!(fpr(slots, bits, 10).is_nan());
            assert!(fpr_sd(slots, bits, 10).is_nan());
            assert!(fpr_of_distinct(slots, bits, 10).is_nan());
        }
        assert_eq!(fpr_of_distinct(64, 2, 64), 0.25);
    }
}
