//! The probe sequence of a key.

use amq_core::KeyHash;
use amq_core::index::index;

/// The multiplier: that of Knuth's MMIX generator, chosen for good high bits.
const MULTIPLIER: u64 = 6_364_136_223_846_793_005;

/// The indices of a key's bits or counters: an endless sequence, of which a filter uses the first
/// k.
///
/// Each probe has a 64-bit word of its own, scaled to the table by its upper bits. The first word
/// is the hash; each further one is its predecessor times an odd constant (a multiplicative
/// congruential step). Two keys that collide in one probe differ in the low bits of that word. The
/// multiplication carries the difference to the top of the next word, so further collisions are no
/// more likely than for other keys.
///
/// Plain double hashing (`h1 + i * h2`) has a false-positive rate that never falls below about 1.2
/// / m: the probes of a key are an arithmetic progression, and progressions with equal steps
/// overlap. Enhanced double hashing (Dillinger and Manolios 2004) fixes that, but keys with nearly
/// the same `h1` and `h2` still share *all* their probes, which sets a floor of about
/// `2n / (k m^2)`. Remixed probes have no floor but that of the hash itself, at the same cost. The
/// tests of this module compare all three.
#[derive(Clone, Copy, Debug)]
pub struct Probes {
    word: u64,
    places: u64,
}

impl Probes {
    /// The probes of the key with this hash, in a table of `places` bits or counters.
    #[inline(always)]
    #[must_use]
    pub const fn new(hash: KeyHash, places: u64) -> Self {
        Self { word: hash.get(), places }
    }

    /// The next index, in `0..places`. Indices may repeat.
    #[inline(always)]
    pub const fn next_place(&mut self) -> u64 {
        let place = index(self.word, self.places);
        self.word = self.word.wrapping_mul(MULTIPLIER);
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theory;
    use alloc::vec;
    use alloc::vec::Vec;

    /// Derives k positions from a hash.
    type Scheme = fn(u64, u64, u32) -> Vec<u64>;

    fn ours(hash: u64, bits: u64, k: u32) -> Vec<u64> {
        let mut probes = Probes::new(KeyHash::new(hash), bits);
        (0..k).map(|_| probes.next_place()).collect()
    }

    /// `h1` and `h2` of double hashing, scaled to the table. Both are derived from full words, so
    /// that the test measures the scheme and not a shortage of hash bits.
    fn start_and_step(hash: u64, bits: u64) -> (u64, u64) {
        (index(hash, bits), index(amq_core::index::remix(hash, 1), bits - 1) + 1)
    }

    fn double_hashing(hash: u64, bits: u64, k: u32) -> Vec<u64> {
        let (start, step) = start_and_step(hash, bits);
        (0..u64::from(k)).map(|i| (start + i * step) % bits).collect()
    }

    fn enhanced_double_hashing(hash: u64, bits: u64, k: u32) -> Vec<u64> {
        let (mut place, mut step) = start_and_step(hash, bits);
        (1..=u64::from(k))
            .map(|i| {
                let here = place;
                place = (place + step) % bits;
                step = (step + i) % bits;
                here
            })
            .collect()
    }

    /// False positives of `filters` filters with `n` keys each, over `queries` absent keys each.
    fn false_positives(
        scheme: Scheme,
        (bits, k, n): (u64, u32, u64),
        filters: u64,
        queries: u64,
    ) -> u64 {
        let mut found = 0;
        for seed in 0..filters {
            let mut table = vec![false; bits as usize];
            for key in 0..n {
                for place in scheme(KeyHash::of(&key, seed).get(), bits, k) {
                    table[place as usize] = true;
                }
            }
            for key in n..n + queries {
                let places = scheme(KeyHash::of(&key, seed).get(), bits, k);
                found += u64::from(places.iter().all(|&place| table[place as usize]));
            }
        }
        found
    }

    /// 1000 keys at a planned rate of 1e-5.
    const SMALL: (u64, u32, u64) = (23_960, 17, 1000);

    #[test]
    fn remixed_probes_meet_the_formula_that_plain_ones_miss() {
        let expected = meets_the_formula(ours);
        // Plain double hashing (`h1 + i * h2`) has a false-positive rate that never falls below
        // about 1.2 / m: the probes of a key are an arithmetic progression, and progressions with
        // equal steps overlap. Enhanced double hashing (Dillinger and Manolios 2004) fixes that,
        // but keys with nearly the same `h1` and `h2` still share *all* their probes, which sets a
        // floor of about `2n / (k m^2)`. Remixed probes have no floor but that of the hash itself,
        // at the same cost. The tests of this module compare all three.
        let double = false_positives(double_hashing, SMALL, FILTERS / 10, QUERIES) as f64 * 10.0;
        assert!(double > 3.0 * expected, "{double} of {expected}");
    }

    #[test]
    fn enhanced_double_hashing_meets_the_formula_where_keys_are_few() {
        meets_the_formula(enhanced_double_hashing);
    }

    const FILTERS: u64 = 200;
    const QUERIES: u64 = 100_000;

    /// Checks the false positives of a scheme against the formula, which it returns.
    fn meets_the_formula(scheme: Scheme) -> f64 {
        let (bits, k, n) = SMALL;
        let expected = (FILTERS * QUERIES) as f64 * theory::classic::mean_fpr(bits, k, n);
        let spread = QUERIES as f64 * theory::classic::fpr_sd(bits, k, n);
        let sd = libm::sqrt(expected + FILTERS as f64 * spread * spread);
        let found = false_positives(scheme, SMALL, FILTERS, QUERIES) as f64;
        assert!((found - expected).abs() < 3.0 * sd, "{found} of {expected} +- {sd}");
        expected
    }

    #[test]
    fn probes_are_jointly_uniform_and_repeat_by_chance_alone() {
        // Each pair of the first four probes, in 16 x 16 cells; odd and even table sizes.
        for bits in [16u64, 1 << 20, 1_000_003] {
            let mut cells = vec![[0u64; 256]; 6];
            let mut repeats = 0u64;
            let samples = 1u64 << 16;
            for key in 0..samples {
                let p = ours(KeyHash::of(&key, 5).get(), bits, 4);
                let mut pair = 0;
                for i in 0..4 {
                    for j in i + 1..4 {
                        let cell = p[i] * 16 / bits * 16 + p[j] * 16 / bits;
                        cells[pair][cell as usize] += 1;
                        repeats += u64::from(p[i] == p[j]);
                        pair += 1;
                    }
                }
            }
            for counts in &cells {
                let expected = samples as f64 / 256.0;
                let chi2: f64 = counts
                    .iter()
                    .map(|&c| (c as f64 - expected) * (c as f64 - expected) / expected)
                    .sum();
                // 255 degrees of freedom, five sd on both sides.
                assert!((142.0..368.0).contains(&chi2), "{bits} bits: chi-square {chi2}");
            }
            let expected = 6.0 * samples as f64 / bits as f64;
            let sd = libm::sqrt(expected).max(1.0);
            assert!((repeats as f64 - expected).abs() < 5.0 * sd, "{repeats} of {expected}");
        }
    }

    #[test]
    fn positions_reach_beyond_2_32() {
        let bits = 1u64 << 40;
        let mut high = 0u32;
        for key in 0..1000u64 {
            let positions = ours(KeyHash::of(&key, 1).get(), bits, 7);
            assert!(positions.iter().all(|&p| p < bits));
            high += positions.iter().filter(|&&p| p >= 1 << 39).count() as u32;
        }
        assert!((3300..3700).contains(&high), "{high} of 7000 in the upper half");
    }
}
