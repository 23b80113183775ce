//! Sums and bounds shared by the variants' exact formulas.
//!
//! Everything goes through `libm`, never the platform's own maths library, so that every machine
//! plans the same sizes.

use crate::PredictedFpr;

/// The least bits per key that any filter of this false-positive rate can take, `log2(1 / fpr)`.
///
/// Carter, Floyd, Gill, Markowsky, Wegman: *Exact and approximate membership testers* (STOC 1978).
#[must_use]
pub fn lower_bound_bits(fpr: f64) -> f64 {
    -libm::log2(fpr)
}

/// Space over the least possible: `bits_per_key / log2(1 / fpr)`.
#[must_use]
pub fn overhead(bits_per_key: f64, fpr: f64) -> f64 {
    bits_per_key / lower_bound_bits(fpr)
}

/// The rate that 64-bit hashes cannot go below: the probability `items / 2^64` that an absent key
/// shares its whole hash with a present one.
#[must_use]
pub fn hash_floor(items: u64) -> f64 {
    items as f64 / 18_446_744_073_709_551_616.0
}

/// The mean of `f(X)` for X binomially distributed, `n` trials of probability `p`. Calls `f` about
/// `20 sqrt(np)` times.
///
/// X is the number of `n` keys that share a block, a bucket or a window, so this is an exact
/// mixture over the occupancy. For large `n` and small `p` it is the literature's Poisson mixture.
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
    let odds = p / (1.0 - p);
    let n_real = n as f64;
    // P(i + 1) / P(i) = (n - i) / (i + 1) * odds
    let up = |i: u64| (n_real - i as f64) / (i as f64 + 1.0) * odds;
    mixture(n, (n_real * p) as u64, up, &mut f)
}

/// The mean of `f(X)` for X Poisson distributed with mean `lambda`.
pub fn poisson_mean(lambda: f64, mut f: impl FnMut(u64) -> f64) -> f64 {
    if !lambda.is_finite() {
        return f64::NAN;
    }
    if lambda <= 0.0 {
        return f(0);
    }
    mixture(
        u64::MAX,
        lambda as u64,
        |i| lambda / (i as f64 + 1.0),
        &mut f,
    )
}

/// Sums `f` over a distribution on `0..=last`, given by the ratios of neighbouring weights. Works
/// outwards from the mode until the weights are negligible, then normalises, which cancels any
/// rounding of the first weight.
fn mixture(last: u64, mode: u64, up: impl Fn(u64) -> f64, f: &mut impl FnMut(u64) -> f64) -> f64 {
    // Far below an ulp of the sum; the tail left out is at most a few times the last weight.
    const NEGLIGIBLE: f64 = 1e-20;
    let (mut total, mut sum) = (1.0, f(mode));
    let (mut weight, mut i) = (1.0, mode);
    while i < last {
        weight *= up(i);
        i += 1;
        if weight < NEGLIGIBLE {
            break;
        }
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
        total += weight;
        sum += weight * f(i);
    }
    sum / total
}

/// The false-positive rate of a filter that reduces each key to one of `cells` equally likely
/// cells, over all seeds: the share of cells that `items` keys occupy.
///
/// Cuckoo and quotient filters are of this kind: a query is answered `true` exactly if some key has
/// the same cell. The mean share is `1 - (1 - 1/c)^n`; its variance is that of the classical
/// occupancy problem (Feller, *An Introduction to Probability Theory and Its Applications*, volume
/// 1). Two keys with the same 64-bit hash share the cell, so the hash floor is included. Zero items
/// have rate 0; zero cells give NaN.
#[must_use]
pub fn occupied_share(cells: f64, items: u64) -> PredictedFpr {
    let n = items as f64;
    if items == 0 && cells >= 1.0 {
        return PredictedFpr { mean: 0.0, sd: 0.0 };
    }
    if cells.is_nan() || cells < 1.0 {
        return PredictedFpr {
            mean: f64::NAN,
            sd: f64::NAN,
        };
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
    PredictedFpr {
        mean,
        sd: libm::sqrt(variance.max(0.0)) / cells,
    }
}

/// The fewest cells in which `items` keys have a mean rate of at most `fpr`: the inverse of
/// [`occupied_share`].
#[must_use]
pub fn cells_for(fpr: f64, items: u64) -> f64 {
    // 1 - (1 - 1/c)^n = fpr.
    -1.0 / libm::expm1(libm::log1p(-fpr) / items as f64)
}

/// The smallest `x` in `low..=high` with `test(x)`, if `test` is false up to some point and true
/// from there on; `high` if it is false everywhere below.
pub fn first_true(low: u64, high: u64, mut test: impl FnMut(u64) -> bool) -> u64 {
    let (mut low, mut high) = (low, high);
    while low < high {
        let middle = low + (high - low) / 2;
        if test(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

/// The largest `x` in `low..=high` with `test(x)`, if `test` is true up to some point and false
/// from there on; `low` if it is false everywhere above.
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
        for (n, p) in [
            (1u64, 0.5),
            (10, 0.1),
            (1000, 0.03),
            (100_000_000, 2e-7),
            (7, 0.999),
        ] {
            let mean = n as f64 * p;
            let close = |got: f64, want: f64| {
                assert!(
                    (got - want).abs() <= 1e-9 * want.abs().max(1.0),
                    "n={n} p={p}: {got} {want}"
                );
            };
            close(binomial_mean(n, p, |_| 1.0), 1.0);
            close(binomial_mean(n, p, |i| i as f64), mean);
            close(
                binomial_mean(n, p, |i| (i as f64 - mean) * (i as f64 - mean)),
                mean * (1.0 - p),
            );
        }
        for lambda in [0.01, 1.0, 24.3, 5000.0] {
            let second = poisson_mean(lambda, |i| (i as f64 - lambda) * (i as f64 - lambda));
            assert!((second / lambda - 1.0).abs() < 1e-9);
        }
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
        // Every sequence of n throws into c cells, one by one.
        for (cells, items) in [
            (1u32, 3u32),
            (2, 1),
            (2, 4),
            (3, 5),
            (5, 2),
            (6, 6),
            (10, 4),
        ] {
            let (mut sum, mut squares) = (0.0, 0.0);
            let all = cells.pow(items);
            for throws in 0..all {
                let (mut rest, mut seen) = (throws, 0u32);
                for _ in 0..items {
                    seen |= 1 << (rest % cells);
                    rest /= cells;
                }
                let share = f64::from(seen.count_ones()) / f64::from(cells);
                sum += share;
                squares += share * share;
            }
            let mean = sum / f64::from(all);
            let variance = squares / f64::from(all) - mean * mean;
            let got = occupied_share(f64::from(cells), u64::from(items));
            assert!((got.mean - mean).abs() < 1e-12, "{cells} {items}");
            assert!(
                (got.sd * got.sd - variance).abs() < 1e-12,
                "{cells} {items}"
            );
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
        for (fpr, items) in [
            (0.5, 1u64),
            (0.01, 1),
            (0.01, 1_000_000),
            (1e-9, 1000),
            (0.9, 77),
        ] {
            let cells = cells_for(fpr, items);
            assert!((occupied_share(cells, items).mean / fpr - 1.0).abs() < 1e-9);
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
