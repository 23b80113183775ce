//! Sums and bounds for the variants' exact formulas, and the rates that they predict.
//!
//! All functions use `libm`, never the platform's maths library, so that every machine plans the
//! same sizes.

use crate::steps::step;

/// The distribution of the false-positive rate of filters with given parameters, over the choice of
/// seed: each seed gives a different filter with a different rate.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PredictedFpr {
    /// Mean rate.
    pub mean: f64,
    /// Standard deviation of the rate from seed to seed.
    pub sd: f64,
}

/// The lower bound on bits per key at this false-positive rate, `log2(1 / fpr)`.
///
/// Carter, Floyd, Gill, Markowsky, Wegman: *Exact and approximate membership testers* (STOC 1978).
#[must_use]
pub fn lower_bound_bits(fpr: f64) -> f64 {
    -libm::log2(fpr)
}

/// Space relative to the lower bound: `bits_per_key / log2(1 / fpr)`.
#[must_use]
pub fn overhead(bits_per_key: f64, fpr: f64) -> f64 {
    bits_per_key / lower_bound_bits(fpr)
}

/// The lowest rate possible with 64-bit hashes: the probability `keys / 2^64` that an absent key
/// has the same hash as a present one.
#[must_use]
pub fn hash_floor(keys: u64) -> f64 {
    keys as f64 / 18_446_744_073_709_551_616.0
}

/// The mean of `f(X)` for X binomially distributed, `n` trials of probability `p`.
///
/// X is the number of `n` keys in one block, bucket or window, so this is an exact mixture over the
/// occupancy. For large `n` and small `p` it is the Poisson mixture of the literature.
///
/// Calls `f` about `20 s` times, where `s` is the standard deviation `sqrt(np(1-p))`. If `s`
/// exceeds 16, it calls `f` some 80 times instead, at points `s / 4` apart, which is as exact if
/// `f` is smooth on that scale.
pub fn binomial_mean(n: u64, p: f64, mut f: impl FnMut(u64) -> f64) -> f64 {
    if p.is_nan() {
        return p;
    }
    if n == 0 || p <= 0.0 {
        return f(0);
    }
    if p >= 1.0 {
        return f(n);
    }
    let n_real = n as f64;
    let mean = n_real * p;
    let sd = libm::sqrt(mean * (1.0 - p));
    if sd > SMOOTH {
        let log_weight = |i: u64| {
            let (hits, misses) = (i as f64, (n - i) as f64);
            let off = hits - mean;
            log_poisson(hits, mean, off) + log_poisson(misses, n_real * (1.0 - p), -off)
        };
        return sampled(n, mean as u64, sd, log_weight, f);
    }
    let odds = p / (1.0 - p);
    // P(i + 1) / P(i) = (n - i) / (i + 1) * odds
    let up = |i: u64| (n_real - i as f64) / (i as f64 + 1.0) * odds;
    mixture(n, mean as u64, up, &mut f)
}

/// The mean of `f(X)` for X Poisson distributed with mean `lambda`. Calls `f` as often as
/// [`binomial_mean`], and at the same points.
pub fn poisson_mean(lambda: f64, mut f: impl FnMut(u64) -> f64) -> f64 {
    if !lambda.is_finite() {
        return f64::NAN;
    }
    if lambda <= 0.0 {
        return f(0);
    }
    let sd = libm::sqrt(lambda);
    if sd > SMOOTH {
        let log_weight = |i: u64| log_poisson(i as f64, lambda, i as f64 - lambda);
        return sampled(u64::MAX, lambda as u64, sd, log_weight, f);
    }
    mixture(u64::MAX, lambda as u64, |i| lambda / (i as f64 + 1.0), &mut f)
}

/// The standard deviation above which mixtures are sampled instead of summed term by term.
const SMOOTH: f64 = 16.0;

/// Weights below this are ignored: far below an ulp of the sum, and the tail beyond is at most a
/// few times the last weight.
const NEGLIGIBLE: f64 = 1e-20;

/// Sums `f` over a distribution on `0..=last`, given by the ratio of neighbouring weights: outwards
/// from the mode until the weights are negligible. Normalising by the sum of weights cancels the
/// rounding error of the first weight.
fn mixture(last: u64, mode: u64, up: impl Fn(u64) -> f64, f: &mut impl FnMut(u64) -> f64) -> f64 {
    let (mut total, mut sum) = (1.0, f(mode));
    let (mut weight, mut i) = (1.0, mode);
    while i < last {
        weight *= up(i);
        i += 1;
        if weight < NEGLIGIBLE {
            break;
        }
        step(1);
        total += weight;
        sum += weight * f(i);
    }
    (weight, i) = (1.0, mode);
    while i > 0 {
        weight /= up(i - 1);
        i -= 1;
        if weight < NEGLIGIBLE {
            break;
        }
        step(1);
        total += weight;
        sum += weight * f(i);
    }
    sum / total
}

/// The mean of `f` over a wide distribution on `0..=last`, given by the logarithm of its weights:
/// sampled at points a quarter of the standard deviation apart. Of a Poisson distribution, also
/// times `e^(ai)`, the trapezoidal rule loses some `e^(-2 (4 pi)^2)`.
fn sampled(
    last: u64,
    mode: u64,
    sd: f64,
    log_weight: impl Fn(u64) -> f64,
    mut f: impl FnMut(u64) -> f64,
) -> f64 {
    let apart = (sd / 4.0) as u64;
    let highest = log_weight(mode);
    let (mut total, mut sum) = (0.0, 0.0);
    let mut add = |i: u64| {
        let weight = libm::exp(log_weight(i) - highest);
        if weight < NEGLIGIBLE {
            return false;
        }
        step(4);
        total += weight;
        sum += weight * f(i);
        true
    };
    let mut i = mode;
    while add(i) && last - i >= apart {
        i += apart;
    }
    i = mode;
    while i >= apart && add(i - apart) {
        i -= apart;
    }
    sum / total
}

/// The logarithm of a Poisson weight up to a constant, for `i` of 100 or more: Stirling's series,
/// and the deviance `i ln(i/mean) + mean - i` without its cancelling terms (Loader, *Fast and
/// accurate computation of binomial probabilities*, 2000). `off` is `i - mean`.
fn log_poisson(i: f64, mean: f64, off: f64) -> f64 {
    let stirling = 0.5 * libm::log(i) + (1.0 - 1.0 / (30.0 * i * i)) / (12.0 * i);
    let small = off / (i + mean);
    if small.abs() >= 0.1 {
        return -(i * libm::log(i / mean) - off) - stirling;
    }
    let (mut deviance, mut power) = (off * small, 2.0 * i * small);
    for odd in (3..60).step_by(2) {
        power *= small * small;
        let next = deviance + power / f64::from(odd);
        if next == deviance {
            break;
        }
        deviance = next;
    }
    -deviance - stirling
}

/// The rate, over all seeds, of a filter that marks one of `cells` equally likely cells for each
/// key: the expected share of cells that this many keys occupy.
///
/// Cuckoo and quotient filters are such filters: a lookup returns `true` exactly if some key has
/// the same cell. The mean share is `1 - (1 - 1/c)^n`; its variance is that of the classical
/// occupancy problem (Feller, *An Introduction to Probability Theory and Its Applications*, volume
/// 1). Two keys with the same 64-bit hash share the cell, so the hash floor is included. Zero keys
/// have rate 0; zero cells give NaN.
#[must_use]
pub fn occupied_share(cells: f64, keys: u64) -> PredictedFpr {
    step(4);
    let n = keys as f64;
    if keys == 0 && cells >= 1.0 {
        return PredictedFpr { mean: 0.0, sd: 0.0 };
    }
    if cells.is_nan() || cells < 1.0 {
        return PredictedFpr { mean: f64::NAN, sd: f64::NAN };
    }
    if cells == 1.0 {
        return PredictedFpr { mean: 1.0, sd: 0.0 };
    }
    // The share of empty cells: (1 - 1/c)^n.
    let empty = libm::exp(n * libm::log1p(-1.0 / cells));
    let mean = -libm::expm1(n * libm::log1p(-1.0 / cells));
    // For the number of empty cells E: Var E = c q (1 - q) - c (c - 1) (q^2 - P(two given cells are
    // empty)).
    let others = cells - 1.0;
    let joint = -libm::expm1(n * libm::log1p(-1.0 / (others * others)));
    let variance = cells * empty * mean - cells * others * empty * empty * joint;
    PredictedFpr { mean, sd: libm::sqrt(variance.max(0.0)) / cells }
}

/// The fewest cells in which this many keys have a mean rate of at most `fpr`: the inverse of
/// [`occupied_share`].
#[must_use]
pub fn cells_for(fpr: f64, keys: u64) -> f64 {
    // 1 - (1 - 1/c)^n = fpr.
    -1.0 / libm::expm1(libm::log1p(-fpr) / keys as f64)
}

/// Binary search for the smallest `x` in `low..=high` with `test(x)`, where `test` is false below
/// some point and true from there on. Returns `high` if it is false everywhere below.
pub fn first_true(low: u64, high: u64, mut test: impl FnMut(u64) -> bool) -> u64 {
    let (mut low, mut high) = (low, high);
    while low < high {
        step(1);
        let middle = low + (high - low) / 2;
        if test(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

/// [`first_true`], starting from a guess: the number of tests grows with the logarithm of its
/// error.
pub fn first_true_near(low: u64, high: u64, guess: u64, mut test: impl FnMut(u64) -> bool) -> u64 {
    let mut at = guess.min(high).max(low);
    let mut stride = 1;
    if test(at) {
        while at > low {
            step(1);
            let below = at.saturating_sub(stride).max(low);
            if !test(below) {
                return first_true(below + 1, at, test);
            }
            (at, stride) = (below, stride.saturating_mul(2));
        }
        return at;
    }
    while at < high {
        step(1);
        let above = at.saturating_add(stride).min(high);
        if test(above) {
            return first_true(at + 1, above, test);
        }
        (at, stride) = (above, stride.saturating_mul(2));
    }
    high
}

/// Binary search for the largest `x` in `low..=high` with `test(x)`, where `test` is true up to
/// some point and false from there on. Returns `low` if it is true nowhere above.
pub fn last_true(low: u64, high: u64, mut test: impl FnMut(u64) -> bool) -> u64 {
    match first_true(low, high, |x| !test(x)) {
        x if x == high && test(high) => high,
        x => x.saturating_sub(1).max(low),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_the_textbook_ones() {
        assert!((lower_bound_bits(0.01) - 6.643_856_189_774_724).abs() < 1e-12);
        assert_eq!(lower_bound_bits(1.0 / 256.0), 8.0);
        assert!((overhead(9.585_058, 0.01) - core::f64::consts::LOG2_E).abs() < 1e-6);
        assert_eq!(hash_floor(1 << 32), 1.0 / 4_294_967_296.0);
    }

    #[test]
    fn mixtures_have_the_moments_of_their_distributions() {
        for (n, p) in [(1u64, 0.5), (10, 0.1), (1000, 0.03), (100_000_000, 2e-7), (7, 0.999)] {
            let mean = n as f64 * p;
            let close = |got: f64, want: f64| {
                assert!(
                    (got - want).abs() <= 1e-9 * want.abs().max(1.0),
                    "n={n} p={p}: {got} {want}"
                );
            };
            close(binomial_mean(n, p, |_| 1.0), 1.0);
            close(binomial_mean(n, p, |i| i as f64), mean);
            close(binomial_mean(n, p, |i| (i as f64 - mean) * (i as f64 - mean)), mean * (1.0 - p));
        }
        for lambda in [0.01, 1.0, 24.3, 5000.0] {
            let second = poisson_mean(lambda, |i| (i as f64 - lambda) * (i as f64 - lambda));
            assert!((second / lambda - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn wide_mixtures_are_sampled_and_lose_nothing() {
        // Standard deviations of 17 to 1000, where sampling can be compared with summing.
        for (n, p) in [
            (1200u64, 0.5),
            (1_000_000, 3e-4),
            (20_000, 0.5),
            (1_000_000_000, 0.999),
            (u64::MAX, 1e6 / 1.8e19),
        ] {
            let mean = n as f64 * p;
            let odds = p / (1.0 - p);
            let up = |i: u64| (n as f64 - i as f64) / (i as f64 + 1.0) * odds;
            for scale in [mean / 100.0, mean, mean * 10.0] {
                let mut f = |i: u64| (1.0 - (-(i as f64) / scale).exp()).powi(8);
                let (got, want) = (binomial_mean(n, p, f), mixture(n, mean as u64, up, &mut f));
                assert!((got / want - 1.0).abs() < 1e-9, "n={n} p={p}: {got} {want}");
            }
        }
        let mut f = |i: u64| 1.0 / (i as f64);
        let want = mixture(u64::MAX, 1 << 20, |i| 1_048_576.0 / (i as f64 + 1.0), &mut f);
        assert!((poisson_mean(1_048_576.0, f) / want - 1.0).abs() < 1e-12);
        // The number of calls does not grow with the width.
        let mut calls = 0;
        for (n, p) in [(u64::MAX, 0.5), (u64::MAX, 1e-9), (1 << 52, 0.999_999)] {
            let mean = n as f64 * p;
            let got = binomial_mean(n, p, |i| {
                calls += 1;
                (i as f64 - mean) * (i as f64 - mean)
            });
            assert!((got / (mean * (1.0 - p)) - 1.0).abs() < 1e-6, "{got}");
        }
        assert!(poisson_mean(1e18, |i| i as f64) / 1e18 - 1.0 < 1e-12);
        assert!(calls < 1000, "{calls}");
    }

    #[test]
    fn mixtures_agree_with_the_sum_written_out() {
        // Binomial(3, 0.25), f = 2^i: the generating function (0.75 + 0.25 * 2)^3.
        let got = binomial_mean(3, 0.25, |i| f64::from(1u32 << i));
        assert!((got - 1.25f64.powi(3)).abs() < 1e-14);
        // Poisson, f = 0.5^i: exp(-lambda / 2).
        let got = poisson_mean(10.0, |i| 0.5f64.powi(i as i32));
        assert!((got / (-5.0f64).exp() - 1.0).abs() < 1e-12);
        // The edges.
        assert_eq!(binomial_mean(0, 0.5, |i| i as f64), 0.0);
        assert_eq!(binomial_mean(5, 0.0, |i| i as f64), 0.0);
        assert_eq!(binomial_mean(5, 1.0, |i| i as f64), 5.0);
        assert_eq!(poisson_mean(0.0, |i| i as f64), 0.0);
    }

    #[test]
    fn occupied_cells_are_those_of_all_throws_counted_out() {
        // Enumerates every sequence of n throws into c cells.
        for (cells, keys) in [(1u32, 3u32), (2, 1), (2, 4), (3, 5), (5, 2), (6, 6), (10, 4)] {
            let (mut sum, mut squares) = (0.0, 0.0);
            let all = cells.pow(keys);
            for throws in 0..all {
                let (mut rest, mut seen) = (throws, 0u32);
                for _ in 0..keys {
                    seen |= 1 << (rest % cells);
                    rest /= cells;
                }
                let share = f64::from(seen.count_ones()) / f64::from(cells);
                sum += share;
                squares += share * share;
            }
            let mean = sum / f64::from(all);
            let variance = squares / f64::from(all) - mean * mean;
            let got = occupied_share(f64::from(cells), u64::from(keys));
            assert!((got.mean - mean).abs() < 1e-12, "{cells} {keys}");
            assert!((got.sd * got.sd - variance).abs() < 1e-12, "{cells} {keys}");
        }
    }

    #[test]
    fn occupancy_keeps_its_digits_in_large_tables() {
        // Almost no collisions: n / c, and a variance of n^2 / (2 c^3) from the few there are.
        let rate = occupied_share(1e15, 1_000_000);
        assert!((rate.mean / 1e-9 - 1.0).abs() < 1e-8);
        let many = occupied_share(1e9, 10_000_000);
        assert!((many.mean / 0.009_950_166_250_83 - 1.0).abs() < 1e-7);
        let want = libm::sqrt(1e9 * libm::exp(-0.01) * (1.0 - 1.01 * libm::exp(-0.01))) / 1e9;
        assert!((many.sd / want - 1.0).abs() < 1e-3, "{} {want}", many.sd);
        assert_eq!(occupied_share(7.0, 0).mean, 0.0);
        assert!(occupied_share(0.0, 5).mean.is_nan() && occupied_share(f64::NAN, 0).mean.is_nan());
        assert!(occupied_share(4.0, u64::MAX).mean == 1.0);
    }

    #[test]
    fn cells_are_the_inverse_of_the_rate_they_give() {
        for (fpr, keys) in [(0.5, 1u64), (0.01, 1), (0.01, 1_000_000), (1e-9, 1000), (0.9, 77)] {
            let cells = cells_for(fpr, keys);
            assert!((occupied_share(cells, keys).mean / fpr - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn searches_find_the_edge_wherever_it_is() {
        for edge in 0..=10 {
            assert_eq!(first_true(0, 10, |x| x >= edge), edge);
            assert_eq!(last_true(0, 10, |x| x <= edge), edge);
        }
        assert_eq!(first_true(3, 10, |_| false), 10);
        assert_eq!(last_true(3, 10, |_| false), 3);
        assert_eq!(last_true(1, u64::MAX, |_| true), u64::MAX);
        assert_eq!(first_true(1, u64::MAX, |x| x >= u64::MAX - 1), u64::MAX - 1);
    }
}
