//! The classic Bloom filter.
//!
//! The folklore rate `(1 - (1 - 1/m)^(kn))^k` (Bloom 1970) treats the fraction of set bits as a
//! constant. In fact it is a random variable X/m, and the true rate is the moment `E[(X/m)^k]`,
//! which is larger (Bose et al. 2008; Christensen, Roginsky, Jimeno 2010). At a million keys the
//! relative difference is 7e-7; at ten keys it is 7 %.
//!
//! Their formulas are sums with severe cancellation. This module computes the same quantity
//! differently: a query is a false positive if the *j distinct* bits among its k probes are all
//! set, and
//!
//! ```text
//! P(j given bits all set) = sum_s C(j, s) D_s (-q)^s (1-q)^(j-s),
//!     q   = (1 - 1/m)^(kn)                      one given bit is clear
//!     c_i = P(i given bits are clear) / q^i     1 for i = 0 and 1, then just below
//!     D_s = s-th forward difference of c at 0   1, 0, then small and quickly smaller
//! ```
//!
//! This is inclusion-exclusion with its large terms summed in closed form. The rest is a short
//! series of corrections to the folklore rate, which is the term s = 0 at j = k.

pub use super::sizing::{bits_per_key, plan, plan_cells, plan_params};

use crate::{BloomParams, MAX_PROBES};
use amq_core::PredictedFpr;
use amq_core::internal::step;
use amq_core::numeric::hash_floor;

/// The highest power of the fill whose mean is needed; the standard deviation needs twice that.
const MAX_POWER: usize = MAX_PROBES as usize;

/// The exact false-positive rate of filters with these parameters and this many distinct keys: mean
/// and standard deviation over all seeds. NaN if there is no such filter.
#[must_use]
pub fn fpr(params: &BloomParams, keys: u64) -> PredictedFpr {
    PredictedFpr {
        mean: mean_fpr(params.bits, params.probes, keys),
        sd: fpr_sd(params.bits, params.probes, keys),
    }
}

/// The exact false-positive rate of an m-bit filter with k probes and n distinct keys, averaged
/// over all seeds. NaN if there is no such filter.
#[must_use]
pub fn mean_fpr(bits: u64, probes: u32, keys: u64) -> f64 {
    if !exists(bits, probes) {
        return f64::NAN;
    }
    let rate = fill_moment(bits, throws(probes, keys), probes);
    let floor = hash_floor(keys);
    rate + (1.0 - rate) * floor
}

/// The standard deviation of the rate from seed to seed.
#[must_use]
pub fn fpr_sd(bits: u64, probes: u32, keys: u64) -> f64 {
    if !exists(bits, probes) {
        return f64::NAN;
    }
    if keys == 0 {
        return 0.0;
    }
    let throws = throws(probes, keys);
    let m = bits as f64;
    if m * throws <= SMALL {
        // The mean squared rate is the rate with twice the probes.
        let set = AllSet::new(bits, throws, 2 * probes as usize);
        let (mean, square) = (set.moment(m, probes), set.moment(m, 2 * probes));
        return libm::sqrt((square - mean * mean).max(0.0));
    }
    // The fill is nearly normal with a small variance: d(fill^k) = k fill^(k-1) d(fill).
    let load = throws / m;
    let clear = libm::exp(-load);
    let fill_sd = libm::sqrt(clear * (1.0 - (1.0 + load) * clear) / m);
    f64::from(probes) * libm::pow(1.0 - clear, f64::from(probes) - 1.0) * fill_sd
}

/// The highest power for which the series has six correct digits in tables of any size; in larger
/// tables it is accurate for higher powers.
const SERIES_POWER: u32 = 20;

/// Up to this product of bits and throws, the standard deviation is computed exactly.
const SMALL: f64 = 4_194_304.0;

/// The expected fraction of set bits with n distinct keys.
pub fn expected_fill(bits: u64, probes: u32, keys: u64) -> f64 {
    -libm::expm1(throws(probes, keys) * libm::log1p(-1.0 / bits as f64))
}

/// The rate of one filter with a fraction `fill` of its bits set: `fill^k`.
#[must_use]
pub fn fpr_of_fill(fill: f64, probes: u32) -> f64 {
    libm::pow(fill, f64::from(probes))
}

/// The rate of a table with this fill: [`fpr_of_fill`] plus the floor of 64-bit hashes.
///
/// The number of keys that may share their hash with an absent one is estimated from the fill, not
/// from the filter's length: a merge counts common keys twice.
pub fn fpr_of_table(bits: u64, probes: u32, fill: f64) -> f64 {
    let rate = fpr_of_fill(fill, probes);
    let keys = libm::round(keys_of_fill(bits, probes, fill));
    rate + (1.0 - rate) * hash_floor(keys as u64)
}

/// The most likely number of distinct keys, given the fraction `fill` of bits set: the fill formula
/// solved for n (Swamidass and Baldi 2007). Infinite if all are set.
pub fn keys_of_fill(bits: u64, probes: u32, fill: f64) -> f64 {
    if fill >= 1.0 {
        return f64::INFINITY;
    }
    if bits == 1 {
        return 0.0;
    }
    libm::log1p(-fill) / libm::log1p(-1.0 / bits as f64) / f64::from(probes)
}

const fn exists(bits: u64, probes: u32) -> bool {
    bits > 0 && probes > 0 && probes <= MAX_PROBES
}

fn throws(probes: u32, keys: u64) -> f64 {
    f64::from(probes) * keys as f64
}

/// `E[(X/m)^power]`, X the number of distinct bits hit by `throws` uniform throws into m bits.
fn fill_moment(bits: u64, throws: f64, power: u32) -> f64 {
    if throws == 0.0 {
        return 0.0;
    }
    if bits == 1 {
        return 1.0;
    }
    let m = bits as f64;
    if power > SERIES_POWER && m * throws <= SMALL / 4.0 {
        return AllSet::new(bits, throws, power as usize).moment(m, power);
    }
    let corrections = Corrections::new(m, throws, power as usize);
    moment(m, power, |j| corrections.all_set(j))
}

/// `E[(X/m)^power]` from the probability that j given bits are all set.
fn moment(m: f64, power: u32, all_set: impl Fn(usize) -> f64) -> f64 {
    let power = power as usize;
    let distinct = distinct_probes(m, power);
    let probable = distinct.iter().enumerate().take(power + 1).skip(1);
    let rate = probable
        .filter(|&(_, &probability)| probability > 0.0)
        .map(|(j, &probability)| probability * all_set(j))
        .sum::<f64>();
    rate.clamp(0.0, 1.0)
}

/// `P(j given bits are all set)` for each j, computed throw by throw: slow, but free of
/// cancellation. Each throw hits one of the bits still clear, or does not:
///
/// ```text
/// P(j, t) = (1 - j/m) P(j, t-1) + j/m P(j-1, t-1)
/// ```
struct AllSet([f64; 2 * MAX_POWER + 1]);

impl AllSet {
    fn new(bits: u64, throws: f64, power: usize) -> Self {
        let most = bits.min(power as u64) as usize;
        let mut p = [0.0; 2 * MAX_POWER + 1];
        p[0] = 1.0;
        for _ in 0..throws as u64 {
            step(most as u64 / 32 + 1);
            for j in (1..=most).rev() {
                let hit = j as f64 / bits as f64;
                p[j] += hit * (p[j - 1] - p[j]);
            }
            // Converged.
            if p[most] >= 1.0 - 4.0 * f64::EPSILON {
                break;
            }
        }
        Self(p)
    }

    fn moment(&self, m: f64, power: u32) -> f64 {
        moment(m, power, |j| self.0[j])
    }
}

/// `P(j distinct bits among `probes` throws)` for each j.
fn distinct_probes(m: f64, probes: usize) -> [f64; 2 * MAX_POWER + 1] {
    step(1 + (probes * probes / 64) as u64);
    let mut p = [0.0; 2 * MAX_POWER + 1];
    p[0] = 1.0;
    for thrown in 0..probes {
        for j in (0..=thrown + 1).rev() {
            let stays = p[j] * (j as f64 / m).min(1.0);
            let grows = if j > 0 { p[j - 1] * (1.0 - (j - 1) as f64 / m).max(0.0) } else { 0.0 };
            p[j] = stays + grows;
        }
    }
    p
}

/// The series of the module's documentation, cut off where rounding errors dominate.
struct Corrections {
    clear: f64,
    /// `(1 - q)^i`.
    set: [f64; MAX_POWER + 1],
    differences: [f64; MAX_POWER + 1],
    terms: usize,
}

impl Corrections {
    fn new(m: f64, throws: f64, power: usize) -> Self {
        step(2 * power as u64);
        // c_i - 1, then its forward differences at 0, in place: subtracting the 1 first keeps them
        // exact.
        let mut table = [0.0; MAX_POWER + 1];
        for (i, c) in table.iter_mut().enumerate().take(power + 1) {
            *c = libm::expm1(throws * log_excess(i as f64, m));
        }
        let mut noise = f64::EPSILON * table[power].abs();
        let mut differences = [0.0; MAX_POWER + 1];
        let mut terms = 0;
        for (s, difference) in differences.iter_mut().enumerate().take(power + 1) {
            // A difference below its own rounding error carries no information, and later ones are
            // smaller still.
            if s >= 2 && table[0].abs() < 4.0 * noise {
                break;
            }
            *difference = table[0];
            terms = s + 1;
            noise *= 2.0;
            for i in 0..power - s {
                table[i] = table[i + 1] - table[i];
            }
        }
        differences[0] = 1.0;
        let clear = libm::exp(throws * libm::log1p(-1.0 / m));
        let mut set = [1.0; MAX_POWER + 1];
        for i in 1..=power {
            set[i] = set[i - 1] * (1.0 - clear);
        }
        Self { clear, set, differences, terms }
    }

    /// `P(j given bits are all set)`.
    fn all_set(&self, j: usize) -> f64 {
        step(1);
        let mut sum = 0.0;
        // C(j, s) (-q)^s, updated incrementally.
        let mut factor = 1.0;
        for s in 0..self.terms.min(j + 1) {
            sum += factor * self.differences[s] * self.set[j - s];
            factor *= -self.clear * (j - s) as f64 / (s + 1) as f64;
        }
        sum
    }
}

/// `ln(1 - i/m) - i ln(1 - 1/m)`: per throw, how much less likely i given bits stay clear than if
/// they were independent.
fn log_excess(i: f64, m: f64) -> f64 {
    if i <= 1.0 {
        return 0.0;
    }
    if i * 4.0 > m {
        return if i >= m {
            f64::NEG_INFINITY
        } else {
            libm::log1p(-i / m) - i * libm::log1p(-1.0 / m)
        };
    }
    // -sum (i^r - i) / (r m^r) from r = 2: the difference without the first term, which cancels.
    let (mut sum, mut many, mut one) = (0.0, i / m, 1.0 / m);
    for r in 2..60 {
        many *= i / m;
        one /= m;
        let term = (many - i * one) / f64::from(r);
        sum -= term;
        if term < f64::EPSILON * -sum {
            break;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use amq_core::Goal;

    /// `E[(X/m)^k]` from the distribution of X, throw by throw: slow, obvious, free of
    /// cancellation.
    fn by_dynamic_programming(m: usize, throws: usize, k: u32) -> f64 {
        let mut p = vec![0.0; m + 1];
        p[0] = 1.0;
        for t in 0..throws {
            for x in (0..=m.min(t + 1)).rev() {
                let grows = if x > 0 { p[x - 1] * (m - x + 1) as f64 / m as f64 } else { 0.0 };
                p[x] = p[x] * x as f64 / m as f64 + grows;
            }
        }
        p.iter().enumerate().map(|(x, p)| p * (x as f64 / m as f64).powi(k as i32)).sum()
    }

    #[test]
    fn rates_are_the_published_ones() {
        for (m, k, n, want) in [(2, 2, 1, 0.625), (96, 7, 10, 0.010_888), (958, 7, 100, 0.010_156)]
        {
            let got = mean_fpr(m, k, n);
            assert!((got - want).abs() < 1e-6, "m={m} k={k} n={n}: {got}");
        }
        let folklore = |m: f64, k: f64, n: f64| (1.0 - (1.0 - 1.0 / m).powf(k * n)).powf(k);
        assert!((folklore(96.0, 7.0, 10.0) - 0.010_216).abs() < 1e-6);
    }

    #[test]
    fn rates_are_exact_from_one_key_on_and_empty_to_overfull() {
        for (m, k, n) in [
            (1, 3, 2),
            (2, 2, 1),
            (2, 5, 1),
            (3, 1, 7),
            (10, 7, 1),
            (64, 1, 1),
            (64, 7, 6),
            (64, 20, 2),
            (128, 10, 9),
            (192, 20, 7),
            (320, 30, 7),
            (640, 7, 64),
            (640, 7, 640),
            (1000, 17, 40),
            (960, 7, 300),
            (2048, 10, 142),
            (4096, 33, 86),
        ] {
            let want = by_dynamic_programming(m, k as usize * n, k);
            let got = fill_moment(m as u64, throws(k, n as u64), k);
            assert!((got / want - 1.0).abs() < 1e-6, "m={m} k={k} n={n}: {got} is not {want}");
            let square = by_dynamic_programming(m, k as usize * n, 2 * k);
            let want = libm::sqrt((square - want * want).max(0.0));
            let got = fpr_sd(m as u64, k, n as u64);
            assert!(
                (got - want).abs() < 1e-3 * want + 1e-8,
                "sd m={m} k={k} n={n}: {got} is not {want}"
            );
        }
    }

    #[test]
    fn large_filters_follow_the_second_order_form() {
        for (m, k, n) in [
            (9_585_059u64, 7u32, 1_000_000u64),
            (14_377_588, 10, 1_000_000),
            (2_875_518, 20, 100_000),
        ] {
            let (mf, kf) = (m as f64, f64::from(k));
            let load = kf * n as f64 / mf;
            let clear = (-load).exp();
            let p = 1.0 - clear;
            let variance = mf * clear * (1.0 - (1.0 + load) * clear);
            // The mean fill is itself slightly above 1 - e^-load.
            let mean_shift = kf * (clear * load / 2.0 / mf) / p;
            let want = p.powf(kf)
                * (1.0 + kf * (kf - 1.0) / 2.0 * variance / (mf * p).powi(2) + mean_shift);
            let got = fill_moment(m, throws(k, n), k);
            assert!((got / want - 1.0).abs() < 1e-9, "{got} is not {want}");
        }
    }

    #[test]
    fn both_forms_of_the_spread_meet_where_they_hand_over() {
        let below = fpr_sd(1 << 16, 7, 6837);
        let above = fpr_sd((1 << 16) + 64, 7, 6843);
        assert!((below / above - 1.0).abs() < 2e-3, "{below} and {above}");
        // The relative standard deviation is 0.554 k / sqrt(m) at the best load.
        let relative = above / mean_fpr((1 << 16) + 64, 7, 6843);
        assert!((relative / (0.554 * 7.0 / 256.0) - 1.0).abs() < 0.02, "{relative}");
    }

    #[test]
    fn fill_and_keys_are_each_others_inverse() {
        for (m, k, n) in [(64, 3, 5), (9600, 7, 1000), (1 << 40, 10, 1 << 36)] {
            let fill = expected_fill(m, k, n);
            assert!((keys_of_fill(m, k, fill) / n as f64 - 1.0).abs() < 1e-9);
        }
        assert_eq!(keys_of_fill(64, 3, 0.0), 0.0);
        assert_eq!(keys_of_fill(64, 3, 1.0), f64::INFINITY);
    }

    #[test]
    fn the_rates_of_overfull_filters_are_those_of_the_page() {
        let plan = plan(Goal::fpr(1_000_000, 0.01)).unwrap();
        let at = |n| mean_fpr(plan.params.bits, plan.params.probes, n);
        assert!((at(5_000_000) - 0.83).abs() < 0.005, "{}", at(5_000_000));
        assert!((at(2_090_000) - 0.18).abs() < 0.002, "{}", at(2_090_000));
    }
}
