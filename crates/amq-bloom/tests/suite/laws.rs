//! What the Bloom filters promise beyond the suite that all filters pass.

use amq_bloom::{
    Block, BlockedBloomFilter, BlockedBloomView, BlockedParams, BloomFilter, BloomParams,
    BloomView, BuildError, Filter, FilterExt, FilterFile, FoldError, Goal, InsertExt, Parts,
    PlanError, Table, WideBlock, WideBlockedBloomFilter, WideBlockedBloomView, WideBlockedParams,
};
use amq_conformance::with_params;

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
fn counts_stop_at_the_end_instead_of_wrapping() {
    let params = BloomParams::new(1000, 3);
    let parts = Parts::new(params, 0).with_len(u64::MAX - 1);
    let mut filter = BloomFilter::from_table_unchecked(Table::zeroed(128).unwrap(), parts).unwrap();
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

/// Also where the keys do not fill their last group, and some come twice within one.
#[test]
fn an_extended_filter_is_one_that_got_the_keys_one_by_one() {
    macro_rules! check {
        ($filter:ty) => {
            for n in [0, 1, 127, 128, 129, 1000u64] {
                let mut one_by_one = <$filter>::new(Goal::fpr(2000, 0.01)).unwrap();
                let mut extended = one_by_one.clone();
                let keys = (0..n).flat_map(|key| [key, key / 2]);
                keys.clone().for_each(|key| _ = one_by_one.insert(&key));
                extended.extend(keys);
                assert_eq!(extended, one_by_one, "{n}");
                // The keys that an iterator gives before it panics are in.
                let ends = (0..=n).inspect(|&key| assert!(key < n, "as planned"));
                let mut extended = <$filter>::new(Goal::fpr(2000, 0.01)).unwrap();
                let extend = std::panic::AssertUnwindSafe(|| extended.extend(ends));
                assert!(std::panic::catch_unwind(extend).is_err());
                assert!((0..n).all(|key| extended.contains(&key)), "{n}");
            }
        };
    }
    check!(BloomFilter);
    check!(BlockedBloomFilter);
    check!(WideBlockedBloomFilter);
}

/// At any address.
#[test]
fn a_view_answers_as_the_filter_in_whose_file_it_is() {
    let mut filter = BloomFilter::with_seed(Goal::fpr(1000, 0.01), 5).unwrap();
    filter.extend(0..1000u64);
    let bytes = [vec![0], filter.to_bytes().unwrap()].concat();
    let view = BloomFilter::view(&bytes[1..]).unwrap();
    let keys: Vec<u64> = (0..3000).collect();
    let [mut ours, mut theirs] = [(); 2].map(|()| vec![false; keys.len()]);
    filter.contains_keys(&keys, &mut ours).unwrap();
    view.contains_keys(&keys, &mut theirs).unwrap();
    assert_eq!(ours, theirs);
    assert_eq!(view.stats(), filter.stats());
    assert_eq!(view.fold(2).unwrap(), filter.fold(2).unwrap());
    let mut filter = BlockedBloomFilter::new(Goal::fpr(1000, 0.01)).unwrap();
    filter.extend(0..1000u64);
    let bytes = [vec![0], filter.to_bytes().unwrap()].concat();
    let view = BlockedBloomFilter::view(&bytes[1..]).unwrap();
    view.contains_keys(&keys, &mut theirs).unwrap();
    filter.contains_keys(&keys, &mut ours).unwrap();
    assert_eq!(ours, theirs);
    let mut filter = WideBlockedBloomFilter::new(Goal::fpr(1000, 0.001)).unwrap();
    filter.extend(0..1000u64);
    let bytes = [vec![0], filter.to_bytes().unwrap()].concat();
    let view = WideBlockedBloomFilter::view(&bytes[1..]).unwrap();
    view.contains_keys(&keys, &mut theirs).unwrap();
    filter.contains_keys(&keys, &mut ours).unwrap();
    assert_eq!(ours, theirs);
    assert_eq!(view.stats(), filter.stats());
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
    fn an_atomic_filter_takes_keys_by_reference_in_generic_code() {
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

    #[test]
    fn a_key_of_an_iterator_is_seen_as_soon_as_it_is_given() {
        let shared = AtomicBloomFilter::new(Goal::fpr(1000, 0.01)).unwrap();
        let given = |&key: &u64| assert!((0..key).all(|key| shared.contains(&key)));
        (&mut &shared).extend((0..500u64).inspect(given));
        assert!(shared.contains(&499u64));
    }
}
