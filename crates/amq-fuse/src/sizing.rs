//! Sizing: the slots needed for a number of keys.
//!
//! A shard of l segments of L starts can be peeled if it has a few percent more starts than keys.
//! How many more is known exactly for infinite segments ([`threshold`]); those of a real filter are
//! filled unevenly, and need more. This was measured at 2^2 to 2^14 slots per segment and 1 to 256
//! segments; the example `tries` measures how often a planned filter needs another internal seed.
//!
//! A plan has the least number of slots, over all lengths of segments, that the keys fit in. So it
//! never falls with the number of keys.

use crate::FuseParams;
use crate::layout::THIRD;
use crate::params::{MAX_SHARDS, SEGMENT_BITS};
use amq_core::internal::step;
use amq_core::numeric::{first_true, first_true_near};

/// Log2 of the slots of a shard.
const SHARD_BITS: u32 = 21;

/// From this many shards on, each may be larger, as the memory of one then matters little.
const MANY: u64 = 5;

/// Log2 of the segments of a larger shard.
const LONG: u32 = 7;

/// Starts per key at which infinite segments can just be peeled, by their number, from 1 on. For
/// more segments, see [`threshold`].
const THRESHOLDS: [f64; 16] = [
    0.40726, 0.63575, 0.78302, 0.87823, 0.94228, 0.98662, 1.01797, 1.04038, 1.0564, 1.06771,
    1.07553, 1.08078, 1.08419, 1.08633, 1.08765, 1.0884,
];

/// Starts per key at which `segments` infinite segments can just be peeled. For many it is 1 over
/// 0.91794, the threshold of random systems of three variables per equation (Dietzfelbinger and
/// Walzer).
fn threshold(segments: u64) -> f64 {
    THRESHOLDS.get(segments as usize - 1).copied().unwrap_or(1.0894)
}

/// Starts per key at which at most one shard in twenty fails, measured.
fn starts_per_key(segments: u64, segment_bits: u32) -> f64 {
    step(1);
    let log = libm::log(segments as f64);
    // Their unevenness. A few segments fail together, many by the worst one.
    let uneven = if segments <= 12 {
        (0.22 + 0.23 * log).min(0.5)
    } else {
        (0.85 * log - 1.612).min(0.187 + 0.35 * log) + 0.25
    };
    let segment = libm::exp2(f64::from(segment_bits));
    threshold(segments) + uneven / libm::sqrt(segment) + 3.0 / segment
}

/// The most expected pairs of keys with the same three slots, which peeling cannot separate.
fn most_twins(segment_bits: u32) -> f64 {
    if segment_bits < 11 { 0.06 } else { 0.025 }
}

/// The expected number of these pairs, without equal hashes, of which one is dropped.
fn twins(keys: f64, all_starts: f64, segment_bits: u32) -> f64 {
    let segment = libm::exp2(f64::from(segment_bits));
    // The bits of a word between those of the second and third slot choose nothing.
    let distinct = libm::exp2(64.0 - f64::from(THIRD.saturating_sub(segment_bits)));
    let triples = (all_starts * segment * segment).min(distinct);
    keys * keys / 2.0 * (1.0 / triples - libm::exp2(-64.0))
}

/// Whether `keys` keys fit into `shards` shards of `segments` segments.
fn fits(keys: u64, shards: u64, segments: u64, segment_bits: u32) -> bool {
    step(1);
    let segment = libm::exp2(f64::from(segment_bits));
    let starts = segments as f64 * segment;
    let mut mean = keys as f64 / shards as f64;
    if twins(keys as f64, shards as f64 * starts, segment_bits) > most_twins(segment_bits) {
        return false;
    }
    if shards > 1 {
        // Some shards have more keys than the mean, and the worst of many must be solved, too: both
        // vary by about the root of their keys.
        let spread = 1.8 * libm::sqrt(2.0 * libm::log(10.0 * shards as f64)) - 2.5;
        mean += spread * libm::sqrt(mean);
    }
    mean * starts_per_key(segments, segment_bits) <= starts
}

/// These parameters, with the layout for this many keys.
pub(crate) fn sized(params: FuseParams, keys: u64) -> FuseParams {
    let mut best = FuseParams::new(params.fingerprint_bits);
    if keys == 0 {
        return best;
    }
    for segment_bits in SEGMENT_BITS.0..=SEGMENT_BITS.1 {
        // The next segments are longer still.
        if best.shards > 0 && best.slots() <= 3 << segment_bits {
            break;
        }
        let Some((shards, most)) = shards_for(keys, segment_bits) else {
            continue;
        };
        let fits = |segments: u64| fits(keys, shards, segments, segment_bits);
        let segments = first_true(1, most, fits);
        let slots = (shards * (segments + 2)) << segment_bits;
        if best.shards == 0 || slots < best.slots() {
            best.segment_bits = segment_bits;
            best.segments = segments as u32;
            best.shards = shards as u32;
        }
    }
    best
}

/// The fewest shards into which the keys fit, and the most segments of each; `None` if there are
/// too many.
fn shards_for(keys: u64, segment_bits: u32) -> Option<(u64, u64)> {
    let segments_of = |shard_bits: u32| (1u64 << shard_bits.saturating_sub(segment_bits)) - 1;
    let few = segments_of(SHARD_BITS).saturating_sub(1);
    let fits =
        |shards: u64, segments: u64| segments > 0 && fits(keys, shards, segments, segment_bits);
    // A shard begins at a whole byte.
    let most_shards = if segment_bits < 3 { 1 } else { MANY - 1 };
    if let Some(shards) = (1..=most_shards).find(|&shards| fits(shards, few)) {
        return Some((shards, few));
    }
    let many = segments_of(SHARD_BITS.max(segment_bits + LONG)) - 1;
    if most_shards == 1 || !fits(MAX_SHARDS, many) {
        return None;
    }
    let guess = keys * 9 / 8 / (many << segment_bits) + 1;
    let shards = first_true_near(MANY, MAX_SHARDS, guess, |shards| fits(shards, many));
    Some((shards, many))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Layout;
    use amq_core::KeyHash;
    use std::vec;

    /// Whether infinite segments are peeled at this many keys per start: the density evolution of
    /// the coupled system. `left[i]` is the share of slots in segment i from which a given key is
    /// not peeled, round by round.
    fn is_peeled(segments: usize, load: f64) -> bool {
        let mut left = vec![1.0f64; segments + 2];
        loop {
            let mut others = vec![0.0; segments + 2];
            for i in 0..segments {
                others[i] += left[i + 1] * left[i + 2];
                others[i + 1] += left[i] * left[i + 2];
                others[i + 2] += left[i] * left[i + 1];
            }
            let next: vec::Vec<f64> = others.iter().map(|x| -libm::expm1(-load * x)).collect();
            let change = next.iter().zip(&left).map(|(a, b)| b - a).fold(0.0, f64::max);
            if next.iter().all(|&left| left < 1e-3) {
                return true;
            }
            if change < 1e-8 {
                return false;
            }
            left = next;
        }
    }

    #[test]
    fn thresholds_are_those_of_density_evolution() {
        for segments in [1, 2, 3, 5, 8, 12, 16, 40] {
            let starts = threshold(segments as u64);
            assert!(is_peeled(segments, 1.0 / (starts * 1.0005)), "{segments}");
            assert!(!is_peeled(segments, 1.0 / (starts * 0.9995)), "{segments}");
        }
    }

    /// The mean number of other words with the same three slots as a word, counted among the words
    /// that differ from it in bits that do not always move a slot.
    fn words_alike(params: &FuseParams) -> f64 {
        let layout = Layout::new(params);
        // The inverse of the odd multiplier that turns a hash into a word.
        let (multiplier, mut inverse) = (layout.word(1), 1u64);
        for _ in 0..6 {
            inverse = inverse.wrapping_mul(2u64.wrapping_sub(multiplier.wrapping_mul(inverse)));
        }
        let slots = |word: u64| {
            let hash = word.wrapping_mul(inverse);
            assert_eq!(layout.word(hash), word);
            layout.place(hash).slots
        };
        let words: vec::Vec<u64> = (0..400).map(|key: u64| KeyHash::of(&key, 1).get()).collect();
        let idle = |bit: &u32| words.iter().any(|&word| slots(word) == slots(word ^ 1 << bit));
        let idle: vec::Vec<u32> = (0..64).filter(idle).collect();
        let mut alike = 0;
        for &word in &words {
            for subset in 1u64..1 << idle.len() {
                let flipped = (0..).zip(&idle).filter(|(i, _)| subset >> i & 1 == 1);
                let other = flipped.fold(word, |word, (_, bit)| word ^ 1 << bit);
                alike += u32::from(slots(other) == slots(word));
            }
        }
        f64::from(alike) / words.len() as f64
    }

    /// Two keys with the same three slots are never peeled, unless their hashes are equal: then one
    /// is dropped. At this many keys the number of such pairs is Poisson.
    #[test]
    fn nineteen_seeds_in_twenty_part_all_keys() {
        let mut keys = 50_000_000u64;
        while keys < crate::MAX_KEYS {
            let params = sized(FuseParams::new(8), keys);
            let pairs = keys as f64 * keys as f64 / 2.0;
            let expected = pairs * words_alike(&params) / libm::exp2(64.0);
            let share = libm::exp(-expected);
            assert!(share >= 0.95, "{keys} keys: {share} of seeds; {params:?}");
            keys += keys / 16;
        }
    }

    #[test]
    fn more_keys_never_take_less_space() {
        let slots = |keys: u64| sized(FuseParams::new(8), keys).slots();
        let mut before = 0;
        for keys in (1..3000).chain((3000..20_000_000).step_by(9973)) {
            let now = slots(keys);
            assert!(now >= before, "{keys} keys: {now} slots after {before}");
            before = now;
        }
        let mut keys = 20_000_000u64;
        while keys < crate::MAX_KEYS {
            let now = slots(keys);
            assert!(now >= before, "{keys} keys: {now} slots after {before}");
            (before, keys) = (now, keys + keys / 500);
        }
    }
}
