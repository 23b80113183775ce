//! What the Bloom filters promise beyond the suite that all filters pass.

use amq_bloom::{
    Block, BlockedBloomFilter, BlockedBloomView, BlockedParams, BloomFilter, BloomParams,
    BloomView, BuildError, FoldError, Goal, KeyHash, MergeError, Parts, PlanError, PlanFilter,
    WideBlock, WideBlockedBloomFilter, WideBlockedBloomView, WideBlockedParams,
};
use amq_conformance::with_params;

fn hashes(range: std::ops::Range<u64>) -> Vec<KeyHash> {
    range.map(|key| KeyHash::of(&key, 0)).collect()
}

#[test]
fn a_folded_filter_is_the_one_that_would_have_been_built_at_that_size() {
    for bits in [64u64, 960, 12_345 * 3, 64_000] {
        let params = BloomParams::new(bits, 5);
        let mut whole = with_params::<BloomFilter>(params, 1000, 7).unwrap();
        whole.insert_batch(&hashes(0..1000));
        for factor in (1..=64).filter(|factor| bits % factor == 0) {
            let bits = bits / factor;
            let mut small = with_params::<BloomFilter>(BloomParams::new(bits, 5), 1000, 7).unwrap();
            small.insert_batch(&hashes(0..1000));
            let folded = whole.fold(factor).unwrap();
            assert_eq!(folded.as_words(), small.as_words(), "{} / {factor}", whole.params().bits);
            assert_eq!(folded.params(), small.params());
        }
    }
    for blocks in [1u64, 12, 35, 64] {
        let mut whole =
            with_params::<BlockedBloomFilter>(BlockedParams::new(blocks), 500, 7).unwrap();
        whole.insert_batch(&hashes(0..500));
        for factor in (1..=blocks).filter(|factor| blocks % factor == 0) {
            let params = BlockedParams::new(blocks / factor);
            let mut small = with_params::<BlockedBloomFilter>(params, 500, 7).unwrap();
            small.insert_batch(&hashes(0..500));
            assert_eq!(whole.fold(factor).unwrap().blocks(), small.blocks());
        }
        let wide = |blocks| {
            let params = WideBlockedParams::new(blocks, 10);
            let mut filter = with_params::<WideBlockedBloomFilter>(params, 500, 7).unwrap();
            filter.insert_batch(&hashes(0..500));
            filter
        };
        for factor in (1..=blocks).filter(|factor| blocks % factor == 0) {
            let folded = wide(blocks).fold(factor).unwrap();
            assert_eq!(folded.blocks(), wide(blocks / factor).blocks());
            assert_eq!(folded.params(), wide(blocks / factor).params());
        }
    }
}

#[test]
fn planned_filters_fold_by_64_and_the_rate_is_that_of_the_size() {
    let mut filter = BloomFilter::new(Goal::fpr(64_000, 1e-3)).unwrap();
    filter.insert_batch(&hashes(0..1000));
    let small = filter.fold(64).unwrap();
    let predicted = BloomFilter::predicted_fpr(&small.params(), 1000);
    assert!((small.expected_fpr() - predicted.mean).abs() < 5.0 * predicted.sd);
    assert_eq!(small.len(), 1000);
}

#[test]
fn a_factor_that_does_not_divide_the_table_is_refused_by_name() {
    let filter = with_params::<BloomFilter>(BloomParams::new(100, 3), 10, 0).unwrap();
    for factor in [0, 3, 64, u64::MAX] {
        assert!(matches!(
            filter.fold(factor),
            Err(FoldError::Factor { places: "bits", count: 100, factor: f }) if f == factor
        ));
    }
    let blocked = with_params::<BlockedBloomFilter>(BlockedParams::new(9), 10, 0).unwrap();
    assert!(matches!(
        blocked.fold(2),
        Err(FoldError::Factor { places: "blocks", count: 9, factor: 2 })
    ));
    assert!(blocked.fold(2).unwrap_err().to_string().contains("9 blocks"));
}

#[test]
fn the_intersection_keeps_what_is_in_both_and_its_bits_are_in_both() {
    let goal = Goal::fpr(2000, 0.01);
    let (mut a, mut b) = (BloomFilter::new(goal).unwrap(), BloomFilter::new(goal).unwrap());
    a.insert_batch(&hashes(0..1500));
    b.insert_batch(&hashes(500..2000));
    let mut both = a.clone();
    both.intersect(&b).unwrap();
    assert!((500..1500u64).all(|key| both.contains(&key)));
    let words = a.as_words().iter().zip(b.as_words()).map(|(x, y)| x & y);
    assert!(words.eq(both.as_words().iter().copied()));
    // Keys in one only are mostly gone.
    let left = (0..500u64).filter(|key| both.contains(key)).count();
    assert!(left < 100, "{left} of 500");

    let mut c = BlockedBloomFilter::new(goal).unwrap();
    let mut d = c.clone();
    c.insert_batch(&hashes(0..1500));
    d.insert_batch(&hashes(500..2000));
    c.intersect(&d).unwrap();
    assert!((500..1500u64).all(|key| c.contains(&key)));

    let mut e = WideBlockedBloomFilter::new(goal).unwrap();
    let mut f = e.clone();
    e.insert_batch(&hashes(0..1500));
    f.insert_batch(&hashes(500..2000));
    e &= &f;
    assert!((500..1500u64).all(|key| e.contains(&key)));
    let left = (0..500u64).filter(|key| e.contains(key)).count();
    assert!(left < 100, "{left} of 500");
}

#[test]
fn filters_that_differ_are_not_combined_and_stay_as_they_were() {
    let params = BloomParams::new(640, 4);
    let mut ours = with_params::<BloomFilter>(params, 60, 1).unwrap();
    ours.insert_batch(&hashes(0..50));
    let before = ours.clone();
    let other = |bits, probes, seed| {
        with_params::<BloomFilter>(BloomParams::new(bits, probes), 60, seed).unwrap()
    };
    for (theirs, field) in
        [(other(641, 4, 1), "bits"), (other(640, 5, 1), "probes"), (other(640, 4, 2), "seed")]
    {
        for result in [ours.merge(&theirs), ours.intersect(&theirs)] {
            match result {
                Err(MergeError::Mismatch { field: named, .. }) => assert_eq!(named, field),
                Err(MergeError::Seeds) => assert_eq!(field, "seed"),
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(ours, before);
    }
    let wide = |blocks, probes, seed| {
        let params = WideBlockedParams::new(blocks, probes);
        let mut filter = with_params::<WideBlockedBloomFilter>(params, 60, seed).unwrap();
        filter.insert_batch(&hashes(0..50));
        filter
    };
    let mut ours = wide(9, 7, 1);
    for (theirs, field) in
        [(wide(8, 7, 1), "blocks"), (wide(9, 6, 1), "probes"), (wide(9, 7, 2), "seed")]
    {
        for result in [ours.merge(&theirs), ours.intersect(&theirs)] {
            match result {
                Err(MergeError::Mismatch { field: named, .. }) => assert_eq!(named, field),
                Err(MergeError::Seeds) => assert_eq!(field, "seed"),
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(ours, wide(9, 7, 1));
    }
}

#[test]
fn the_estimate_of_the_number_of_keys_is_within_its_error() {
    for n in [0u64, 1, 1000, 30_000, 100_000] {
        let goal = Goal::fpr(30_000, 0.01);
        let mut filter = BloomFilter::new(goal).unwrap();
        let mut blocked = BlockedBloomFilter::new(goal).unwrap();
        let mut wide = WideBlockedBloomFilter::new(goal).unwrap();
        filter.insert_batch(&hashes(0..n));
        blocked.insert_batch(&hashes(0..n));
        wide.insert_batch(&hashes(0..n));
        // Repeated keys do not count again.
        filter.insert_batch(&hashes(0..n));
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
    filter.insert_batch(&hashes(0..10_000));
    assert_eq!(filter.load_factor(), 1.0);
    assert_eq!(filter.expected_fpr(), 1.0);
    assert_eq!(filter.estimated_cardinality(), f64::INFINITY);
    // Padding stays clear: 70 bits are two words of which 58 bits do not exist.
    assert_eq!(filter.as_words(), [u64::MAX, (1 << 6) - 1]);
    filter.clear();
    assert_eq!((filter.count_ones(), filter.len()), (0, 0));
}

#[test]
fn explicit_parameters_out_of_range_are_refused_with_the_range() {
    for (bits, probes, name, value) in [
        (0, 3, "bits", 0),
        (100, 0, "probes", 0),
        (100, 65, "probes", 65),
        (100, u32::MAX, "probes", u64::from(u32::MAX)),
    ] {
        let result = with_params::<BloomFilter>(BloomParams::new(bits, probes), 1, 0);
        match result {
            Err(BuildError::Plan(PlanError::Parameter { name: n, value: v, min: 1, .. })) => {
                assert_eq!((n, v), (name, value))
            }
            other => panic!("{other:?}"),
        }
    }
    for blocks in [0, (1 << 31) + 1, u64::MAX] {
        let result = with_params::<BlockedBloomFilter>(BlockedParams::new(blocks), 1, 0);
        assert!(matches!(
            result,
            Err(BuildError::Plan(PlanError::Parameter { name: "blocks", .. }))
        ));
    }
    // In range, but more than the allocator has.
    let huge = BloomParams::new(u64::MAX / 64 * 64, 1);
    assert!(matches!(with_params::<BloomFilter>(huge, 1, 0), Err(BuildError::OutOfMemory { .. })));
}

#[test]
fn the_split_block_layout_is_parquets() {
    // The format's own definition, written out: for each hash, block = (upper half * blocks) >> 32;
    // in word i the bit (lower half * salt_i) >> 27.
    const SALTS: [u32; 8] = [
        0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947,
        0x5c6bfb31,
    ];
    let blocks = 37;
    let mut filter = with_params::<BlockedBloomFilter>(BlockedParams::new(blocks), 500, 0).unwrap();
    let mut want = vec![[0u32; 8]; blocks as usize];
    for hash in hashes(0..500) {
        filter.insert_hash(hash);
        let block = ((hash.get() >> 32) * blocks) >> 32;
        for (word, salt) in want[block as usize].iter_mut().zip(SALTS) {
            *word |= 1 << ((hash.get() as u32).wrapping_mul(salt) >> 27);
        }
    }
    assert!(filter.blocks().iter().map(Block::words).eq(want.iter()));
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
fn a_filter_comes_back_from_its_words_and_a_wrong_table_is_refused_by_name() {
    let params = BloomParams::new(100, 3);
    let mut filter = with_params::<BloomFilter>(params, 10, 7).unwrap();
    filter.insert_batch(&hashes(0..10));
    let words = filter.as_words().to_vec();
    let parts = filter.parts();
    let back = BloomFilter::from_words_unchecked(words.clone(), parts);
    assert_eq!(back, Ok(filter));
    let refused = |words: Vec<u64>| match BloomFilter::from_words_unchecked(words, parts) {
        Err(PlanError::Parameter { name, .. }) => name,
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(words[..1].to_vec()), "words");
    assert_eq!(refused(vec![]), "words");
    assert_eq!(refused(vec![0, 1 << 36]), "bits set past the last");
    assert!(BloomFilter::from_words_unchecked(vec![0, 1 << 35], parts).is_ok());
}

#[test]
fn a_split_block_filter_comes_back_from_its_blocks() {
    let mut filter = BlockedBloomFilter::new(Goal::fpr(1000, 0.01)).unwrap();
    filter.insert_batch(&hashes(0..1000));
    let blocks: Vec<[u32; 8]> = filter.blocks().iter().map(|block| *block.words()).collect();
    let parts = filter.parts();
    let back = BlockedBloomFilter::from_blocks_unchecked(blocks.iter().copied(), parts);
    assert_eq!(back, Ok(filter));
    for wrong in [vec![], blocks[1..].to_vec(), [&blocks[..], &blocks[..1]].concat()] {
        assert!(BlockedBloomFilter::from_blocks_unchecked(wrong, parts).is_err());
    }
    let none = Parts::new(BlockedParams::new(0), 0);
    assert!(BlockedBloomFilter::from_blocks_unchecked([], none).is_err());
}

#[test]
fn rates_of_filters_that_hold_nothing_or_cannot_exist_are_told_at_once() {
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

#[test]
fn counts_stop_at_the_end_instead_of_wrapping() {
    let params = BloomParams::new(1000, 3);
    let parts = Parts::new(params, 0).with_len(u64::MAX - 1);
    let mut filter = BloomFilter::from_words_unchecked(vec![0; 16], parts).unwrap();
    for key in 0..5u64 {
        filter.insert(&key);
    }
    assert_eq!(filter.len(), u64::MAX);
    let other = filter.clone();
    filter.merge(&other).unwrap();
    assert_eq!(filter.len(), u64::MAX);
}

// Where a panic ends the program there is nothing left to be valid.
#[cfg(panic = "unwind")]
#[test]
fn a_key_that_panics_while_it_is_hashed_leaves_a_valid_filter() {
    struct Fragile(u64);
    impl amq_bloom::Key for Fragile {
        fn encode(&self, to: &mut amq_bloom::Encoder) {
            assert!(self.0 != 300, "this key cannot be hashed");
            self.0.encode(to);
        }
    }
    let keys: Vec<Fragile> = (0..500).map(Fragile).collect();
    let mut filter = BloomFilter::new(Goal::fpr(1000, 0.01)).unwrap();
    filter.insert(&1_000_000u64);
    let result =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| filter.insert_keys(&keys)));
    assert!(result.is_err());
    assert!(filter.contains(&1_000_000u64));
    assert!(filter.expected_fpr() < 0.01);
    for key in 0..1000u64 {
        filter.insert(&key);
    }
    assert!((0..1000u64).all(|key| filter.contains(&key)));
}

#[test]
fn debug_output_tells_neither_the_seed_nor_the_table() {
    let filter = BloomFilter::with_seed(Goal::fpr(1000, 0.01), 0xDEAD_BEEF_0BAD_CAFE).unwrap();
    let text = format!("{filter:?}");
    assert!(text.contains("probes: 7") && text.len() < 200, "{text}");
    assert!(!text.contains(&0xDEAD_BEEF_0BAD_CAFEu64.to_string()), "{text}");
}

#[test]
fn operators_combine_filters_that_go_together() {
    let goal = Goal::fpr(1000, 0.01);
    let [mut one, mut two] = [(); 2].map(|()| BloomFilter::new(goal).unwrap());
    one.extend(0..600u64);
    two.extend(400..1000u64);
    let (mut both, mut either) = (one.clone(), one.clone());
    both &= &two;
    either |= &two;
    assert!((400..600u64).all(|key| both.contains(&key)));
    assert!((0..1000u64).all(|key| either.contains(&key)));
    assert_eq!(one.merge(&two), Ok(()));
    assert_eq!(one, either);
    let [mut one, mut two] = [(); 2].map(|()| BlockedBloomFilter::new(goal).unwrap());
    one.extend(["a", "b"]);
    two.extend(["b", "c"]);
    let mut both = one.clone();
    both &= &two;
    one |= &two;
    assert!(both.contains("b") && one.contains("a") && one.contains("c"));
}

#[test]
fn a_view_answers_as_the_filter_whose_table_it_borrows() {
    let mut filter = BloomFilter::with_seed(Goal::fpr(1000, 0.01), 5).unwrap();
    filter.extend(0..1000u64);
    let view = filter.view();
    let keys: Vec<u64> = (0..3000).collect();
    let [mut ours, mut theirs] = [(); 2].map(|()| vec![false; keys.len()]);
    filter.contains_keys(&keys, &mut ours).unwrap();
    view.contains_keys(&keys, &mut theirs).unwrap();
    assert_eq!(ours, theirs);
    assert_eq!(view.stats(), filter.stats());
    assert_eq!(view.fold(2).unwrap(), filter.fold(2).unwrap());
    let mut filter = BlockedBloomFilter::new(Goal::fpr(1000, 0.01)).unwrap();
    filter.extend(0..1000u64);
    filter.view().contains_keys(&keys, &mut theirs).unwrap();
    filter.contains_keys(&keys, &mut ours).unwrap();
    assert_eq!(ours, theirs);
    let mut filter = WideBlockedBloomFilter::new(Goal::fpr(1000, 0.001)).unwrap();
    filter.extend(0..1000u64);
    filter.view().contains_keys(&keys, &mut theirs).unwrap();
    filter.contains_keys(&keys, &mut ours).unwrap();
    assert_eq!(ours, theirs);
    assert_eq!(filter.view().stats(), filter.stats());
}

/// FORMAT.md's definition, written out.
#[test]
fn the_wide_block_layout_is_that_of_the_format() {
    const SALTS: [u64; 8] = [
        0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947,
        0x5c6bfb31,
    ];
    for probes in 1..=16 {
        let params = WideBlockedParams::new(37, probes);
        let mut filter = with_params::<WideBlockedBloomFilter>(params, 500, 0).unwrap();
        let mut want = [[0u64; 8]; 37];
        for hash in hashes(0..500) {
            filter.insert_hash(hash);
            let block = (u128::from(hash.get()) * 37) >> 64;
            let low = hash.get() % (1 << 32);
            for (word, salt) in SALTS.into_iter().enumerate() {
                let bits =
                    probes / 8 + u32::from((8 + word as u64 - low % 8) % 8 < probes as u64 % 8);
                for bit in 0..bits {
                    want[block as usize][word] |= 1 << ((low * salt) >> (26 + 6 * bit) & 63);
                }
            }
        }
        assert!(filter.blocks().iter().map(WideBlock::words).eq(want.iter()), "{probes}");
    }
}

/// For each number of bits per key, at the load at which it is best, four filters of 200,000 keys,
/// and a million absent ones asked of each: within four standard deviations of the exact formula,
/// on both sides.
#[test]
fn measured_rates_of_wide_blocks_are_the_predicted_ones_for_every_number_of_bits() {
    for (probes, bits) in (1u32..).zip([
        2.0, 3.5, 4.8, 5.8, 7.4, 9.9, 11.0, 12.5, 14.5, 16.0, 18.0, 20.0, 23.0, 25.0, 28.0, 31.0,
    ]) {
        let params = WideBlockedParams::new((200_000.0 * bits / 512.0) as u64, probes);
        let (mut found, mut asked, mut within, mut own) = (0, 0, 0.0, 0.0);
        for seed in 0..4 {
            let keys: Vec<KeyHash> = (0..200_000u64).map(|key| KeyHash::of(&key, seed)).collect();
            let mut filter = with_params::<WideBlockedBloomFilter>(params, 200_000, seed).unwrap();
            filter.insert_batch(&keys);
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
    filter.insert_batch(&hashes(0..1000));
    let mut blocked = BlockedBloomFilter::new(goal).unwrap();
    blocked.insert_batch(&hashes(0..1000));
    for len in [0, 1000, u64::MAX] {
        let words =
            |words| BloomFilter::from_words_unchecked(words, filter.parts().with_len(len)).unwrap();
        // The table tells how many keys there can be.
        let rate = words(filter.as_words().to_vec()).expected_fpr();
        assert!((rate / filter.expected_fpr() - 1.0).abs() < 1e-9, "{rate}");
        let full = vec![u64::MAX; filter.as_words().len()];
        assert_eq!(words(full).expected_fpr(), 1.0);
        let parts =
            |blocks| Parts::new(BlockedParams::new(blocks), 0).with_capacity(1000).with_len(len);
        let held = blocked.blocks().iter().map(|block| *block.words());
        let copy = BlockedBloomFilter::from_blocks_unchecked(held, parts(blocked.params().blocks));
        let rate = copy.unwrap().expected_fpr();
        assert!((rate / blocked.expected_fpr() - 1.0).abs() < 1e-6, "{rate}");
        let full = BlockedBloomFilter::from_blocks_unchecked([[u32::MAX; 8]; 3], parts(3)).unwrap();
        assert_eq!(full.expected_fpr(), 1.0);
    }
}

/// Checked where this is compiled: every type may be sent to another thread and shared with it.
const _: () = {
    const fn shared<T: Send + Sync>() {}
    shared::<BloomFilter>();
    shared::<BloomView<'_>>();
    shared::<BlockedBloomFilter>();
    shared::<BlockedBloomView<'_>>();
    shared::<WideBlockedBloomFilter>();
    shared::<WideBlockedBloomView<'_>>();
    #[cfg(target_has_atomic = "64")]
    {
        shared::<amq_bloom::AtomicBloomFilter>();
        shared::<amq_bloom::AtomicBlockedBloomFilter>();
    }
    shared::<(Block, BloomParams, BlockedParams, FoldError)>();
    shared::<(WideBlock, WideBlockedParams)>();
};

#[cfg(target_has_atomic = "64")]
mod atomic {
    use amq_bloom::{AtomicBloomFilter, FilterExt, Goal, InsertExt, InsertFilter};

    #[test]
    fn an_atomic_filter_takes_keys_through_a_reference_in_generic_code() {
        fn remember(mut filter: impl InsertFilter, keys: std::ops::Range<u64>) {
            let keys: Vec<u64> = keys.collect();
            InsertExt::insert_keys(&mut filter, &keys).unwrap();
            assert!(keys.iter().all(|key| FilterExt::contains(&filter, key)));
        }
        let shared = AtomicBloomFilter::new(Goal::fpr(3000, 0.01)).unwrap();
        std::thread::scope(|threads| {
            threads.spawn(|| remember(&shared, 0..1000));
            threads.spawn(|| remember(&shared, 1000..2000));
            threads.spawn(|| (&mut &shared).extend(2000..3000u64));
        });
        assert!((0..3000u64).all(|key| shared.contains(&key)));
    }
}
