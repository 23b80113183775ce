//! The classic Bloom filter.
//!
//! The folklore rate `(1 - e^(-kn/m))^k` (Bloom 1970) treats the share of set bits as if it were a constant; it is a random
//! variable X/m, and the true rate is the moment `E[(X/m)^k]`, which is larger (Bose et al. 2008; Christensen, Roginsky,
//! Jimeno 2010). At a million keys the difference is 7e-7 of the rate, at ten keys it is 7 %.
//!
//! Their formulas are sums that cancel badly. Here the same quantity is computed from the other side: a query is a false
//! positive if the *j distinct* bits among its k probes are all set, and
//!
//! ```text
//! P(j given bits all set) = sum_s C(j, s) D_s (-q)^s (1-q)^(j-s),
//!     q   = (1 - 1/m)^(kn)                      one given bit is clear
//!     c_i = P(i given bits are clear) / q^i     1 for i = 0 and 1, then just below
//!     D_s = s-th forward difference of c at 0   1, 0, then small and quickly smaller
//! ```
//!
//! This is inclusion and exclusion with its large terms summed in closed form; what is left is a short series
//! of corrections to the folklore rate, which is the term s = 0 at j = k.

use crate::{BloomParams, MAX_PROBES};
use alloc::vec;
use alloc::vec::Vec;
use amq_core::numeric::{first_true, hash_floor};
use amq_core::{Budget, Goal, Plan, PlanError};

/// The highest power of the fill whose mean is needed.
const MAX_POWER: usize = MAX_PROBES as usize;

/// The exact false-positive rate of an m-bit filter with k probes and n distinct keys, averaged over all seeds.
pub fn fpr(bits: u64, probes: u32, items: u64) -> f64 {
    let rate = fill_moment(bits, throws(probes, items), probes);
    let floor = hash_floor(items);
    rate + (1.0 - rate) * floor
}

/// The standard deviation of the rate from seed to seed.
pub fn fpr_sd(bits: u64, probes: u32, items: u64) -> f64 {
    let throws = throws(probes, items);
    let m = bits as f64;
    if m * throws <= SMALL {
        return exact_sd(bits as usize, throws as usize, probes);
    }
    // The fill is nearly normal with a small variance: d(fill^k) = k fill^(k-1) d(fill).
    let load = throws / m;
    let clear = libm::exp(-load);
    let fill_sd = libm::sqrt(clear * (1.0 - (1.0 + load) * clear) / m);
    f64::from(probes) * libm::pow(1.0 - clear, f64::from(probes) - 1.0) * fill_sd
}

/// The highest power for which the series is good to six digits in a table of any size; it takes more of them as
/// the table grows.
const SERIES_POWER: u32 = 20;

/// Bits times throws up to which the distribution of the fill is worked out in full (a few milliseconds).
const SMALL: f64 = 4_194_304.0;

/// The spread from the distribution of the number of set bits.
fn exact_sd(bits: usize, throws: usize, probes: u32) -> f64 {
    let p = fill_distribution(bits, throws);
    let rate = |x: usize| fpr_of_fill(x as f64 / bits as f64, probes);
    let mean: f64 = p.iter().enumerate().map(|(x, p)| p * rate(x)).sum();
    let variance: f64 = p
        .iter()
        .enumerate()
        .map(|(x, p)| p * (rate(x) - mean) * (rate(x) - mean))
        .sum();
    libm::sqrt(variance)
}

/// The probability of each number of set bits, built up throw by throw: slow, and free of cancellation.
fn fill_distribution(bits: usize, throws: usize) -> Vec<f64> {
    let m = bits as f64;
    let mut p = vec![0.0; bits + 1];
    p[0] = 1.0;
    for thrown in 0..throws {
        for x in (1..=bits.min(thrown + 1)).rev() {
            p[x] = p[x] * (x as f64 / m) + p[x - 1] * ((bits - x + 1) as f64 / m);
        }
        p[0] = 0.0;
    }
    p
}

/// The share of set bits to expect with n distinct keys.
pub fn expected_fill(bits: u64, probes: u32, items: u64) -> f64 {
    -libm::expm1(throws(probes, items) * libm::log1p(-1.0 / bits as f64))
}

/// The rate of one built filter of which a share `fill` of the bits is set: `fill^k`.
pub fn fpr_of_fill(fill: f64, probes: u32) -> f64 {
    libm::pow(fill, f64::from(probes))
}

/// How many distinct keys most likely set a share `fill` of the bits: the fill formula solved for n
/// (Swamidass and Baldi 2007). Infinite when every bit is set.
pub fn items_of_fill(bits: u64, probes: u32, fill: f64) -> f64 {
    if fill >= 1.0 {
        return f64::INFINITY;
    }
    if bits == 1 {
        return 0.0;
    }
    libm::log1p(-fill) / libm::log1p(-1.0 / bits as f64) / f64::from(probes)
}

/// Bits per key that a large filter takes at this rate, at the best whole number of probes.
pub fn bits_per_key(fpr: f64) -> f64 {
    probe_candidates(-libm::log2(fpr))
        .map(|k| ideal_bits_per_key(fpr, k))
        .into_iter()
        .fold(f64::INFINITY, f64::min)
}

/// The smallest filter for a rate, or the best for a size.
pub fn plan(goal: Goal) -> Result<Plan<BloomParams>, PlanError> {
    goal.check(1)?;
    let params = match goal.budget {
        Budget::Fpr(fpr) => smallest(goal.items, fpr)?,
        Budget::BitsPerKey(_) | Budget::Bytes(_) => best_within(goal.items, goal.max_bits())?,
    };
    let bytes = params.bits.div_ceil(64) * 8;
    Ok(Plan {
        items: goal.items,
        bytes,
        expected_fpr: fpr(params.bits, params.probes, goal.items),
        build_bytes: bytes,
        params,
    })
}

fn throws(probes: u32, items: u64) -> f64 {
    f64::from(probes) * items as f64
}

/// `E[(X/m)^power]`, X the number of distinct bits that `throws` uniform throws into m bits hit.
fn fill_moment(bits: u64, throws: f64, power: u32) -> f64 {
    if throws == 0.0 {
        return 0.0;
    }
    if bits == 1 {
        return 1.0;
    }
    let m = bits as f64;
    if power > SERIES_POWER && m * throws <= SMALL / 4.0 {
        return fill_distribution(bits as usize, throws as usize)
            .iter()
            .enumerate()
            .map(|(x, p)| p * fpr_of_fill(x as f64 / m, power))
            .sum();
    }
    let power = power as usize;
    let corrections = Corrections::new(m, throws, power);
    let distinct = distinct_probes(m, power);
    let mut rate = 0.0;
    for (j, &probability) in distinct.iter().enumerate().take(power + 1).skip(1) {
        if probability > 0.0 {
            rate += probability * corrections.all_set(j);
        }
    }
    rate.clamp(0.0, 1.0)
}

/// `P(j distinct bits among `probes` throws)` for each j.
fn distinct_probes(m: f64, probes: usize) -> [f64; MAX_POWER + 1] {
    let mut p = [0.0; MAX_POWER + 1];
    p[0] = 1.0;
    for thrown in 0..probes {
        for j in (0..=thrown + 1).rev() {
            let stays = p[j] * (j as f64 / m).min(1.0);
            let grows = if j > 0 {
                p[j - 1] * (1.0 - (j - 1) as f64 / m).max(0.0)
            } else {
                0.0
            };
            p[j] = stays + grows;
        }
    }
    p
}

/// The series of the module's documentation, cut off where rounding drowns it.
struct Corrections {
    clear: f64,
    differences: [f64; MAX_POWER + 1],
    terms: usize,
}

impl Corrections {
    fn new(m: f64, throws: f64, power: usize) -> Self {
        // c_i - 1, then its forward differences at 0, in place: taking the 1 out first keeps them exact.
        let mut table = [0.0; MAX_POWER + 1];
        for (i, c) in table.iter_mut().enumerate().take(power + 1) {
            *c = libm::expm1(throws * log_excess(i as f64, m));
        }
        let mut noise = f64::EPSILON * table[power].abs();
        let mut differences = [0.0; MAX_POWER + 1];
        let mut terms = 0;
        for (s, difference) in differences.iter_mut().enumerate().take(power + 1) {
            // Smaller than the rounding of its own sum means no information; the later ones are smaller still.
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
        Self {
            clear: libm::exp(throws * libm::log1p(-1.0 / m)),
            differences,
            terms,
        }
    }

    /// `P(j given bits are all set)`.
    fn all_set(&self, j: usize) -> f64 {
        let set = 1.0 - self.clear;
        let mut sum = 0.0;
        // C(j, s) (-q)^s, carried along.
        let mut factor = 1.0;
        for s in 0..self.terms.min(j + 1) {
            sum += factor * self.differences[s] * libm::pow(set, (j - s) as f64);
            factor *= -self.clear * (j - s) as f64 / (s + 1) as f64;
        }
        sum
    }
}

/// `ln(1 - i/m) - i ln(1 - 1/m)`: how much rarer i clear bits are than i independent ones, per throw.
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
    // -sum (i^r - i) / (r m^r) from r = 2: the difference without its cancelling first term.
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

/// The whole numbers of probes next to the ideal, which is `log2(1 / fpr)`, or `m/n ln 2`.
fn probe_candidates(ideal: f64) -> [u32; 2] {
    let low = (ideal as u32).clamp(1, MAX_PROBES);
    [low, (low + 1).min(MAX_PROBES)]
}

/// Bits per key at which the folklore rate of k probes is `fpr`.
fn ideal_bits_per_key(fpr: f64, probes: u32) -> f64 {
    let k = f64::from(probes);
    -k / libm::log1p(-libm::pow(fpr, 1.0 / k))
}

/// The fewest whole words at which `items` keys have a rate of at most `fpr`, over the candidates for k.
fn smallest(items: u64, fpr: f64) -> Result<BloomParams, PlanError> {
    let mut best: Option<BloomParams> = None;
    let mut needed = f64::INFINITY;
    for probes in probe_candidates(-libm::log2(fpr)) {
        // The folklore rate is too low, so its size is a lower bound; the true one is a few bits above it.
        let words = libm::floor(ideal_bits_per_key(fpr, probes) * items as f64 / 64.0);
        needed = needed.min(words * 8.0);
        if words >= (max_bits() / 64) as f64 {
            continue;
        }
        let low = (words as u64).max(1);
        let high = (low + low / 8 + 2 * u64::from(probes)).min(max_bits() / 64);
        let reached = |words: u64| self::fpr(words * 64, probes, items) <= fpr;
        let words = first_true(low, high, reached);
        if !reached(words) {
            continue;
        }
        if best.is_none_or(|best| words * 64 < best.bits) {
            best = Some(BloomParams {
                bits: words * 64,
                probes,
            });
        }
    }
    best.ok_or(if needed >= (max_bits() / 8) as f64 {
        PlanError::TooLarge {
            bytes: needed,
            max_bytes: max_bits() / 8,
        }
    } else {
        PlanError::FprUnreachable {
            fpr,
            lowest: lowest_fpr(items),
            items,
        }
    })
}

/// The number of probes with the lowest rate in `bits` bits, rounded down to whole words.
fn best_within(items: u64, bits: u64) -> Result<BloomParams, PlanError> {
    let allowed = bits;
    let bits = bits / 64 * 64;
    if bits == 0 {
        return Err(PlanError::Bytes {
            bytes: allowed / 8,
            min: 8,
        });
    }
    if bits > max_bits() {
        return Err(PlanError::TooLarge {
            bytes: bits as f64 / 8.0,
            max_bytes: max_bits() / 8,
        });
    }
    let rate = |probes: u32| fpr(bits, probes, items);
    // In a small table the best number is not the textbook's, but it is not far, and the rate has one minimum.
    let [mut probes, _] = probe_candidates(bits as f64 / items as f64 * core::f64::consts::LN_2);
    while probes < MAX_PROBES && rate(probes + 1) < rate(probes) {
        probes += 1;
    }
    while probes > 1 && rate(probes - 1) <= rate(probes) {
        probes -= 1;
    }
    Ok(BloomParams { bits, probes })
}

/// The lowest rate that can be planned: all probes, and the hash floor.
fn lowest_fpr(items: u64) -> f64 {
    libm::pow(0.5, f64::from(MAX_PROBES)) + hash_floor(items)
}

/// The most bits a table can have here: what the address space holds, in whole words.
pub(crate) fn max_bits() -> u64 {
    (isize::MAX as u64).saturating_mul(8) / 64 * 64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `E[(X/m)^k]` from the distribution of X, throw by throw: slow, obvious, free of cancellation.
    fn by_dynamic_programming(m: usize, throws: usize, k: u32) -> f64 {
        let mut p = vec![0.0; m + 1];
        p[0] = 1.0;
        for t in 0..throws {
            for x in (0..=m.min(t + 1)).rev() {
                let grows = if x > 0 {
                    p[x - 1] * (m - x + 1) as f64 / m as f64
                } else {
                    0.0
                };
                p[x] = p[x] * x as f64 / m as f64 + grows;
            }
        }
        p.iter()
            .enumerate()
            .map(|(x, p)| p * (x as f64 / m as f64).powi(k as i32))
            .sum()
    }

    #[test]
    fn rates_are_the_published_ones() {
        for (m, k, n, want) in [
            (2, 2, 1, 0.625),
            (96, 7, 10, 0.010_888),
            (958, 7, 100, 0.010_156),
        ] {
            let got = fpr(m, k, n);
            assert!((got - want).abs() < 1e-6, "m={m} k={k} n={n}: {got}");
        }
        let folklore = |m: f64, k: f64, n: f64| (1.0 - (1.0 - 1.0 / m).powf(k * n)).powf(k);
        assert!((folklore(96.0, 7.0, 10.0) - 0.010_216).abs() < 1e-6);
    }

    #[test]
    fn rates_are_exact_from_one_key_to_hundreds_and_from_empty_to_overfull() {
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
            assert!(
                (got / want - 1.0).abs() < 1e-6,
                "m={m} k={k} n={n}: {got} is not {want}"
            );
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
            // The mean of the fill is itself a little above 1 - e^-load.
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
        // 0.554 k / sqrt(m), relative, at the best load.
        let relative = above / fpr((1 << 16) + 64, 7, 6843);
        assert!(
            (relative / (0.554 * 7.0 / 256.0) - 1.0).abs() < 0.02,
            "{relative}"
        );
    }

    #[test]
    fn plans_are_the_smallest_in_whole_words_that_meet_the_rate() {
        for items in [1u64, 2, 3, 10, 100, 12_345, 1_000_000, 100_000_000] {
            for asked in [0.5, 0.1, 0.01, 1.0 / 256.0, 1e-3, 1e-6, 1e-9] {
                let plan = plan(Goal::fpr(items, asked)).unwrap();
                let BloomParams { bits, probes } = plan.params;
                assert!(plan.expected_fpr <= asked);
                assert_eq!(plan.bytes * 8, bits);
                for k in probes.saturating_sub(2).max(1)..=probes + 2 {
                    assert!(
                        bits == 64 || fpr(bits - 64, k, items) > asked,
                        "{items} items at {asked}: {k} probes would do in fewer than {bits} bits"
                    );
                }
            }
        }
    }

    #[test]
    fn bits_per_key_at_a_million_are_the_textbook_ones() {
        for (asked, k, want) in [
            (0.01, 7, 9.593),
            (1.0 / 256.0, 8, 11.542),
            (1e-3, 10, 14.378),
        ] {
            assert!((ideal_bits_per_key(asked, k) - want).abs() < 5e-4);
            let plan = plan(Goal::fpr(1_000_000, asked)).unwrap();
            assert!(
                plan.bits_per_key() <= want + 1e-3,
                "{}",
                plan.bits_per_key()
            );
            assert!((plan.bits_per_key() - bits_per_key(asked)).abs() < 1e-3);
        }
    }

    #[test]
    fn a_size_gives_the_best_rate_it_can_and_is_never_exceeded() {
        for items in [1u64, 10, 1000, 1_000_000] {
            for bits_per_key in [0.7, 3.0, 9.6, 10.0, 24.0, 100.0] {
                let Ok(plan) = plan(Goal::bits_per_key(items, bits_per_key)) else {
                    assert!(items as f64 * bits_per_key < 64.0);
                    continue;
                };
                assert!(plan.bits_per_key() <= bits_per_key);
                for k in 1..=MAX_PROBES {
                    assert!(fpr(plan.params.bits, k, items) >= plan.expected_fpr * (1.0 - 1e-9));
                }
            }
        }
    }

    #[test]
    fn fill_and_items_are_each_others_inverse() {
        for (m, k, n) in [(64, 3, 5), (9600, 7, 1000), (1 << 40, 10, 1 << 36)] {
            let fill = expected_fill(m, k, n);
            assert!((items_of_fill(m, k, fill) / n as f64 - 1.0).abs() < 1e-9);
        }
        assert_eq!(items_of_fill(64, 3, 0.0), 0.0);
        assert_eq!(items_of_fill(64, 3, 1.0), f64::INFINITY);
    }

    #[test]
    fn five_times_overfull_is_83_percent_and_18_percent_comes_at_2_09_million() {
        let plan = plan(Goal::fpr(1_000_000, 0.01)).unwrap();
        let at = |n| fpr(plan.params.bits, plan.params.probes, n);
        assert!((at(5_000_000) - 0.83).abs() < 0.005, "{}", at(5_000_000));
        assert!((at(2_090_000) - 0.18).abs() < 0.002, "{}", at(2_090_000));
    }
}
