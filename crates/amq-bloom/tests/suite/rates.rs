//! What the Bloom filters tell of their rates and of the number of their keys.

use amq_bloom::{
    BlockedBloomFilter, BlockedParams, BloomFilter, BloomParams, ClearFilter, Filter, Goal,
    InsertFilter, KeyHash, Parts, PlanError, PlanFilter, WideBlockedBloomFilter, WideBlockedParams,
};
use amq_conformance::testing::hashes;
use amq_conformance::with_params;

#[test]
fn the_estimate_of_the_number_of_keys_is_within_its_error() {
    for n in [0u64, 1, 1000, 30_000, 100_000] {
        let goal = Goal::fpr(30_000, 0.01);
        let mut filter = BloomFilter::new(goal).unwrap();
        let mut blocked = BlockedBloomFilter::new(goal).unwrap();
        let mut wide = WideBlockedBloomFilter::new(goal).unwrap();
        filter.insert_batch(&hashes(0..n, 0)).unwrap();
        blocked.insert_batch(&hashes(0..n, 0)).unwrap();
        wide.insert_batch(&hashes(0..n, 0)).unwrap();
        // Repeated keys do not count again.
        filter.insert_batch(&hashes(0..n, 0)).unwrap();
        let tolerance = 1.0 + 0.02 * n as f64;
        let blocks = [blocked.estimated_cardinality(), wide.estimated_cardinality()];
        for estimate in [filter.estimated_cardinality(), blocks[0], blocks[1]] {
            assert!((estimate - n as f64).abs() <= tolerance, "{estimate} for {n}");
        }
        assert!(filter.len() <= n);
    }
}

#[test]
fn a_filter_with_every_bit_set_says_so() {
    let mut filter = with_params::<BloomFilter>(BloomParams::new(70, 3), 5, 0).unwrap();
    filter.insert_batch(&hashes(0..10_000, 0)).unwrap();
    assert_eq!(filter.load_factor(), 1.0);
    assert_eq!(filter.expected_fpr(), 1.0);
    assert_eq!(filter.estimated_cardinality(), f64::INFINITY);
    // Padding stays clear: 70 bits are two words of which 58 bits do not exist.
    let words = [u64::MAX, (1 << 6) - 1];
    assert_eq!(filter.as_bytes(), words.map(u64::to_le_bytes).as_flattened());
    filter.clear();
    assert_eq!((filter.count_ones(), filter.len()), (0, 0));
}

#[test]
fn bytes_and_rate_are_each_others_inverse() {
    let bytes = 1_198_200;
    let keys = BloomFilter::keys_for(bytes, 0.01).unwrap();
    assert!((999_000..1_001_000).contains(&keys), "{keys}");
    assert!((BloomFilter::fpr_for(keys, bytes).unwrap() - 0.01).abs() < 1e-5);
    let keys = BlockedBloomFilter::keys_for(bytes, 0.01).unwrap();
    assert!((905_000..915_000).contains(&keys), "{keys}");
    assert!(matches!(BloomFilter::keys_for(7, 0.01), Err(PlanError::Bytes { bytes: 7, min: 8 })));
}

#[test]
fn rates_of_empty_and_impossible_filters_are_immediate() {
    let rate =
        |bits, probes, keys| BloomFilter::predicted_fpr(&BloomParams::new(bits, probes), keys);
    for bits in [1u64, 64, 1 << 30, 1 << 60] {
        let rate = rate(bits, 7, 0);
        assert_eq!((rate.mean, rate.sd), (0.0, 0.0), "{bits} bits");
    }
    for (bits, probes) in [(0, 7), (100, 0), (100, 65), (1 << 40, u32::MAX)] {
        let rate = rate(bits, probes, u64::MAX);
        assert!(rate.mean.is_nan() && rate.sd.is_nan(), "{bits} {probes}");
    }
    let empty = BlockedBloomFilter::predicted_fpr(&BlockedParams::new(1 << 20), 0);
    assert_eq!((empty.mean, empty.sd), (0.0, 0.0));
    assert!(BlockedBloomFilter::predicted_fpr(&BlockedParams::new(0), 5).mean.is_nan());
}

/// For each number of bits per key, at the load at which it is best, four filters of 200,000 keys,
/// and a million absent ones asked of each: within four standard deviations of the exact formula,
/// on both sides.
#[test]
fn rates_of_wide_blocks_are_the_predicted_ones_for_all_bits() {
    for (probes, bits) in (1u32..).zip([
        2.0, 3.5, 4.8, 5.8, 7.4, 9.9, 11.0, 12.5, 14.5, 16.0, 18.0, 20.0, 23.0, 25.0, 28.0, 31.0,
    ]) {
        let params = WideBlockedParams::new((200_000.0 * bits / 512.0) as u64, probes);
        let (mut found, mut asked, mut within, mut own) = (0, 0, 0.0, 0.0);
        for seed in 0..4 {
            let keys: Vec<KeyHash> = (0..200_000u64).map(|key| KeyHash::of(&key, seed)).collect();
            let mut filter = with_params::<WideBlockedBloomFilter>(params, 200_000, seed).unwrap();
            filter.insert_batch(&keys).unwrap();
            let absent: Vec<KeyHash> =
                (1 << 32..(1 << 32) + 1_000_000u64).map(|key| KeyHash::of(&key, seed)).collect();
            let mut answers = vec![false; absent.len()];
            filter.contains_batch(&absent, &mut answers).unwrap();
            found += answers.iter().filter(|&&answer| answer).count();
            asked += answers.len();
            own += filter.expected_fpr() / 4.0;
            within += WideBlockedBloomFilter::predicted_fpr(&params, 200_000).sd.powi(2) / 16.0;
        }
        let predicted = WideBlockedBloomFilter::predicted_fpr(&params, 200_000).mean;
        let rate = found as f64 / asked as f64;
        let chance = predicted * (1.0 - predicted) / asked as f64;
        let off = (rate - predicted) / (chance + within).sqrt();
        assert!(off.abs() < 4.0, "{probes} bits: {rate}, not {predicted}: {off:.1} sigma");
        // The filters' own rates scatter by their spread alone.
        let off = (own - predicted) / within.sqrt();
        assert!(off.abs() < 4.0, "{probes} bits: {own}, not {predicted}: {off:.1} sigma");
    }
}

#[test]
fn a_table_given_with_any_length_has_a_rate() {
    let goal = Goal::fpr(1000, 0.01);
    let mut filter = BloomFilter::new(goal).unwrap();
    filter.insert_batch(&hashes(0..1000, 0)).unwrap();
    let mut blocked = BlockedBloomFilter::new(goal).unwrap();
    blocked.insert_batch(&hashes(0..1000, 0)).unwrap();
    for len in [0, 1000, u64::MAX] {
        let filled = |table: Vec<u8>| {
            BloomFilter::from_table_unchecked(table, filter.parts().with_len(len)).unwrap()
        };
        // The table tells how many keys there can be.
        let rate = filled(filter.as_bytes().to_vec()).expected_fpr();
        assert!((rate / filter.expected_fpr() - 1.0).abs() < 1e-9, "{rate}");
        let full = vec![u8::MAX; filter.as_bytes().len()];
        assert_eq!(filled(full).expected_fpr(), 1.0);
        let parts =
            |blocks| Parts::new(BlockedParams::new(blocks), 0).with_capacity(1000).with_len(len);
        let held = blocked.as_bytes();
        let copy = BlockedBloomFilter::from_table_unchecked(held, parts(blocked.params().blocks));
        let rate = copy.unwrap().expected_fpr();
        assert!((rate / blocked.expected_fpr() - 1.0).abs() < 1e-6, "{rate}");
        let full = BlockedBloomFilter::from_table_unchecked([u8::MAX; 96], parts(3)).unwrap();
        assert_eq!(full.expected_fpr(), 1.0);
    }
}
