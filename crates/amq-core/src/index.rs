//! Mapping hashes to table indices.
//!
//! A hash is scaled to `0..n` by multiplying and keeping the upper half of the product,
//! `floor(hash * n / 2^64)`. Every index gets `2^64 / n` hashes, to within one: the bias is
//! `n / 2^64`, negligible at any size that fits in memory. (Scaling a 32-bit hash, or half of a
//! 64-bit one, has a bias of `n / 2^32` and cannot even reach all indices past 2^32.) The scaling
//! preserves order and refines: the index in a table of `n / d` is the index in a table of `n`,
//! divided by `d`. Folding, merging and iteration in hash order depend on that.
//!
//! The index uses the *upper* bits of the hash. Anything else that a filter derives from the hash
//! (a bit in a word, a fingerprint, a second index) must use bits independent of these: the rest
//! from [`index_and_rest`], or a [`remix`]ed hash.

/// Scales a uniform 64-bit hash to `0..n`: `floor(hash * n / 2^64)`. Zero if `n` is zero.
#[inline]
#[must_use]
pub const fn index(hash: u64, n: u64) -> u64 {
    ((hash as u128 * n as u128) >> 64) as u64
}

/// Both words of `hash * n`: the index in `0..n`, and the rest of the hash within that index.
///
/// The rest is again uniform. It is monotone in the hash, so pairs `(index, rest)` sort as the
/// hashes do.
#[inline]
#[must_use]
pub const fn index_and_rest(hash: u64, n: u64) -> (u64, u64) {
    let product = hash as u128 * n as u128;
    ((product >> 64) as u64, product as u64)
}

/// Derives a new hash for the given layer.
///
/// A bijection for each `layer`, so it loses nothing, and every output bit depends on every input
/// bit: three xor-shifts and two odd multiplications, with the constants Jon Maiga found for his
/// mixer mx3. Stages, retries and further choices that remix with different layer numbers are
/// independent for a filter's purposes.
#[inline]
#[must_use]
pub const fn remix(hash: u64, layer: u64) -> u64 {
    // The layer's constant is added, spread by the golden ratio so that layers 0, 1, 2 ... differ
    // in every part of the word.
    let mut x = hash.wrapping_add(layer.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    x ^= x >> 32;
    x = x.wrapping_mul(0xE9846AF9B1A615D);
    x ^= x >> 32;
    x = x.wrapping_mul(0xE9846AF9B1A615D);
    x ^ (x >> 28)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec;
    use std::vec::Vec;

    /// Hashes for statistics, independent of the code under test.
    fn weyl(n: u64) -> impl Iterator<Item = u64> {
        (0..n).map(|i| crate::KeyHash::of(&i, 0xC0FFEE).get())
    }

    /// The Python reader (`reader/`) tests the same values.
    #[test]
    fn remix_has_known_values() {
        assert_eq!(remix(0, 0), 0x28AB_F1FB_EAED_7C7B);
        assert_eq!(remix(1, 0), 0x9AE1_2662_5D85_0B37);
        assert_eq!(remix(u64::MAX, 3), 0x55DA_672C_3498_00D3);
    }

    #[test]
    fn indices_reach_both_ends_around_2_32_and_2_40() {
        for n in [
            1u64,
            2,
            3,
            1 << 31,
            (1 << 32) - 1,
            1 << 32,
            (1 << 32) + 1,
            (1 << 40) - 1,
            1 << 40,
            u64::MAX,
        ] {
            assert_eq!(index(0, n), 0);
            assert_eq!(index(u64::MAX, n), n - 1);
            // The first hash of the upper half is the first place of the upper half.
            assert_eq!(index(1 << 63, n), n / 2);
        }
        assert_eq!(index(u64::MAX, 0), 0);
    }

    #[test]
    fn every_place_gets_the_same_share_of_hashes_to_within_one() {
        // The number of hashes that fall on place i is an exact difference of floors; compare with
        // the function on both sides of the boundary, at sizes where 32-bit halves go wrong.
        for n in [3u64, 1000, (1 << 32) - 5, (1 << 32) + 15, (1 << 40) + 123] {
            for place in [1, n / 3, n / 2, n - 1] {
                // The smallest hash with index `place`: ceil(place * 2^64 / n).
                let first = (((place as u128) << 64).div_ceil(n as u128)) as u64;
                assert_eq!(index(first, n), place, "n = {n}");
                assert_eq!(index(first - 1, n), place - 1, "n = {n}");
            }
        }
    }

    #[test]
    fn low_bits_of_a_large_place_are_uniform() {
        // With a 32-bit hash the places of a table of 2^40 would all be multiples of 256.
        let n = 1u64 << 40;
        let mut counts = [0u64; 256];
        for h in weyl(1 << 16) {
            counts[(index(h, n) & 255) as usize] += 1;
        }
        let chi2 = chi_square(&counts);
        // 255 degrees of freedom: mean 255, sd 22.6; five sd on both sides.
        assert!((142.0..368.0).contains(&chi2), "chi-square {chi2}");
    }

    #[test]
    fn a_table_d_times_smaller_has_the_place_divided_by_d() {
        for h in weyl(2000) {
            for n in [1u64, 7, 1000, 1 << 33] {
                for d in [2u64, 3, 64] {
                    assert_eq!(index(h, n * d) / d, index(h, n));
                }
            }
        }
    }

    #[test]
    fn place_and_rest_order_as_the_hash_does() {
        let mut hashes: Vec<u64> = weyl(5000).collect();
        hashes.sort_unstable();
        for n in [1u64, 12345, 1 << 35] {
            let pairs: Vec<_> = hashes.iter().map(|&h| index_and_rest(h, n)).collect();
            assert!(pairs.is_sorted());
            assert!(pairs.iter().zip(&hashes).all(|(p, &h)| p.0 == index(h, n)));
        }
    }

    #[test]
    fn remix_changes_half_of_the_bits_for_each_bit_of_input() {
        let mut flips = [0u64; 64];
        let mut layer_flips = 0u64;
        let samples = 4000u64;
        for (i, h) in weyl(samples).enumerate() {
            let bit = i % 64;
            flips[bit] += u64::from((remix(h, 1) ^ remix(h ^ (1 << bit), 1)).count_ones());
            layer_flips += u64::from((remix(h, i as u64) ^ remix(h, i as u64 + 1)).count_ones());
        }
        for (bit, &f) in flips.iter().enumerate() {
            let mean = f as f64 / (samples as f64 / 64.0);
            // 62 samples of a sum of 64 fair bits: sd of the mean 0.5; six sd on both sides.
            assert!((29.0..35.0).contains(&mean), "input bit {bit}: {mean}");
        }
        let mean = layer_flips as f64 / samples as f64;
        assert!((31.6..32.4).contains(&mean), "layers: {mean}");
    }

    #[test]
    fn layers_are_pairwise_independent() {
        // Joint uniformity of the places two layers give to one hash: 16 x 16 cells.
        for (a, b) in [(0u64, 1u64), (1, 2), (0, 7), (3, 250)] {
            let mut cells = vec![0u64; 256];
            for h in weyl(1 << 16) {
                let cell = index(remix(h, a), 16) * 16 + index(remix(h, b), 16);
                cells[cell as usize] += 1;
            }
            let chi2 = chi_square(&cells);
            assert!((142.0..368.0).contains(&chi2), "layers {a}, {b}: {chi2}");
        }
    }

    fn chi_square(counts: &[u64]) -> f64 {
        let expected = counts.iter().sum::<u64>() as f64 / counts.len() as f64;
        counts.iter().map(|&c| (c as f64 - expected).powi(2) / expected).sum()
    }
}
