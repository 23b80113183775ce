//! Sorts fingerprints: one pass scatters them into as many parts as a core can write to at once,
//! then each part is sorted in cache.

use alloc::vec::Vec;
use amq_core::index::index;
use amq_core::internal::zeroed;
use amq_core::{BuildError, KeyHash};

/// The most parts, as a power of two.
const PART_BITS: u32 = 11;
/// The fewest fingerprints in a part, on average.
const PART: usize = 256;

/// The entries of these hashes in a table of `fingerprints`, in rising order.
pub(crate) fn sorted(hashes: &[KeyHash], fingerprints: u64) -> Result<Vec<u64>, BuildError> {
    let mut sorted: Vec<u64> = zeroed(hashes.len() as u64)?;
    let bits = (hashes.len() / PART + 1).ilog2().min(PART_BITS);
    // The leading bits of a hash choose its part, as fingerprints are monotone in hashes.
    let part = |hash: KeyHash| (hash.get() >> 1 >> (63 - bits)) as usize;
    // First ends[i + 1] counts part i; summed up, ends[i] is where part i starts, and after the
    // scattering where it ends.
    let mut ends: Vec<usize> = zeroed((1 << bits) + 1)?;
    for &hash in hashes {
        ends[part(hash) + 1] += 1;
    }
    let mut sum = 0;
    for end in &mut ends {
        sum += *end;
        *end = sum;
    }
    for &hash in hashes {
        let next = &mut ends[part(hash)];
        sorted[*next] = index(hash.get(), fingerprints);
        *next += 1;
    }
    let mut begin = 0;
    for &end in &ends {
        sorted[begin..end].sort_unstable();
        begin = end;
    }
    Ok(sorted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fingerprints_come_in_order_and_none_is_lost() {
        for n in [0u64, 1, 2, 255, 256, 511, 512, 5000, 300_000, 700_000] {
            let hashes: Vec<KeyHash> = (0..n).map(|i| KeyHash::of(&(i % 400_000), 1)).collect();
            for fingerprints in [1, 64, 12_345 << 7, (1 << 63) + 5] {
                let mut naive: Vec<u64> =
                    hashes.iter().map(|h| index(h.get(), fingerprints)).collect();
                naive.sort_unstable();
                assert_eq!(sorted(&hashes, fingerprints), Ok(naive));
            }
        }
    }

    #[test]
    fn hashes_that_are_all_in_one_part_are_sorted_too() {
        for base in [0u64, 1 << 62, u64::MAX - 4000] {
            let hashes: Vec<KeyHash> = (0..4000).rev().map(|i| KeyHash::new(base + i)).collect();
            assert!(sorted(&hashes, u64::MAX).unwrap().is_sorted());
        }
    }
}
