//! The policy by itself: what a table's filter answers, and how large it is.

use crate::support::{block, built, has, key, maybes, row};
use amq_slatedb::{AmqFilterPolicy, PolicyError};
use bytes::Bytes;
use slatedb::{BloomFilterPolicy, FilterPolicy, FilterQuery, ValueDeletable};
use std::ops::Bound;

#[test]
fn every_key_of_a_table_is_found_before_and_after_reading_it() {
    for policy in [AmqFilterPolicy::fpr(0.01), AmqFilterPolicy::bits_per_key(10.0)] {
        let policy = policy.unwrap();
        for keys in [1, 2, 10, 100, 1000, 50_000] {
            let filter = built(&policy, (0..keys).map(key));
            let read = policy.decode(&block(&*filter));
            let clamped = read.clamp_allocated_size();
            for number in 0..keys {
                for filter in [&filter, &read, &clamped] {
                    assert!(has(&**filter, key(number)), "key {number} of {keys}");
                }
            }
        }
        assert_eq!(policy.unreadable(), 0);
    }
}

#[test]
fn the_rate_is_the_one_asked_for() {
    // Within five standard deviations of 1,000, the mean.
    let filter = built(&AmqFilterPolicy::fpr(0.01).unwrap(), (0..50_000).map(key));
    let maybes = maybes(&*filter, 1 << 32, 100_000);
    assert!((840..1160).contains(&maybes), "{maybes} of 100,000");
}

#[test]
fn at_the_built_in_rate_a_filter_is_28_percent_smaller() {
    let built_in = built(&BloomFilterPolicy::new(10), (0..100_000).map(key));
    let ours = built(&AmqFilterPolicy::fpr(0.0084).unwrap(), (0..100_000).map(key));
    let (built_in, ours) = (block(&*built_in).len(), block(&*ours).len());
    assert!(ours * 100 < built_in * 72, "{ours} bytes for {built_in}");
}

#[test]
fn in_the_built_in_bytes_seven_times_fewer_keys_are_wrong() {
    let built_in = built(&BloomFilterPolicy::new(10), (0..100_000).map(key));
    let ours = built(&AmqFilterPolicy::bits_per_key(9.9).unwrap(), (0..100_000).map(key));
    assert!(block(&*ours).len() <= block(&*built_in).len());
    let (built_in, ours) =
        (maybes(&*built_in, 1 << 32, 1_000_000), maybes(&*ours, 1 << 32, 1_000_000));
    assert!(ours * 7 < built_in, "{ours} for {built_in}");
}

#[test]
fn rows_of_one_key_count_once() {
    let policy = AmqFilterPolicy::fpr(0.01).unwrap();
    let mut builder = policy.builder();
    for number in 0..10_000 {
        (0..5).for_each(|_| builder.add_entry(&row(key(number))));
    }
    let once = built(&policy, (0..10_000).map(key));
    assert_eq!(block(&*builder.build()), block(&*once));
}

#[test]
fn rows_of_one_key_that_are_apart_count_once() {
    let policy = AmqFilterPolicy::fpr(0.01).unwrap();
    let once = built(&policy, (0..10_000).map(key));
    let twice = built(&policy, (0..10_000).chain(0..10_000).map(key));
    assert!(block(&*twice) == block(&*once));
}

#[test]
fn one_key_is_enough_for_a_filter() {
    for bits in [1.1, 2.0, 5.0, 10.0, 33.0] {
        let policy = AmqFilterPolicy::bits_per_key(bits).unwrap();
        for keys in [1, 2, 3, 10, 30] {
            let filter = built(&policy, (0..keys).map(key));
            assert!((0..keys).all(|number| has(&*filter, key(number))));
            // A split-block filter of 32 bytes answers less than half of them.
            let maybes = maybes(&*filter, 1 << 32, 1000);
            assert!(maybes < 500, "{maybes} of 1,000 with {keys} keys at {bits} bits");
        }
    }
}

#[test]
fn a_deleted_key_is_found_since_its_tombstone_must_be() {
    let policy = AmqFilterPolicy::fpr(0.01).unwrap();
    let mut builder = policy.builder();
    for number in 0..2000 {
        let mut row = row(key(number));
        if number % 2 == 0 {
            row.value = ValueDeletable::Tombstone;
        }
        builder.add_entry(&row);
    }
    let filter = builder.build();
    assert!((0..2000).all(|number| has(&*filter, key(number))));
}

#[test]
fn small_tables_have_the_smaller_kind_of_block() {
    // The byte of the file's header that says the kind.
    let kind = |keys| block(&*built(&AmqFilterPolicy::fpr(0.01).unwrap(), (0..keys).map(key)))[16];
    assert_eq!(kind(100), kind(700));
    assert_ne!(kind(700), kind(1500));
    assert_eq!(kind(1500), kind(100_000));
}

#[test]
fn ranges_and_prefixes_without_an_extractor_are_maybe() {
    let policy = AmqFilterPolicy::fpr(0.01).unwrap();
    let filter = built(&policy, (0..2000).map(key));
    assert!(!policy.supports_prefix_queries());
    assert!(!policy.supports_range_queries());
    let from = Bound::Included(Bytes::from_static(b"z"));
    assert!(filter.might_match(&FilterQuery::range(from, Bound::Unbounded)));
    assert!(filter.might_match(&FilterQuery::prefix(Bytes::from_static(b"z"))));
}

#[test]
fn the_size_told_in_advance_is_that_of_the_block() {
    for policy in [AmqFilterPolicy::fpr(0.01), AmqFilterPolicy::bits_per_key(10.0)] {
        let policy = policy.unwrap();
        for keys in [2000, 20_000, 200_000] {
            let bytes = block(&*built(&policy, (0..keys).map(key))).len();
            let told = policy.estimate_size(keys as usize);
            assert!(told.abs_diff(bytes) * 20 < bytes, "{told} for {bytes}");
        }
    }
}

#[test]
fn the_memory_told_to_a_cache_is_the_filter_and_a_constant() {
    let filter = built(&AmqFilterPolicy::bits_per_key(8.0).unwrap(), (0..100_000).map(key));
    let size = filter.size();
    assert!((99_000..102_000).contains(&size), "{size}");
}

#[test]
fn budgets_out_of_range_are_refused() {
    for fpr in [0.0, 1.0, -1.0, f64::NAN, 1e-12] {
        assert!(AmqFilterPolicy::fpr(fpr).is_err(), "{fpr}");
    }
    for bits in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(AmqFilterPolicy::bits_per_key(bits).is_err(), "{bits}");
    }
}

#[test]
fn more_bits_than_a_ribbon_can_use_are_refused() {
    let policy = |bits| AmqFilterPolicy::bits_per_key(bits);
    for bits in [34.0, 64.0, 1e6, 1e300] {
        for refusal in [policy(bits), policy(10.0).unwrap().with_cached_bits_per_key(bits)] {
            let error = refusal.unwrap_err();
            let PolicyError::Bits { bits_per_key, most } = error else { panic!("{error}") };
            assert_eq!(bits_per_key, bits);
            assert!(policy(most).is_ok(), "{most}");
            let text = error.to_string();
            assert!(text.contains(&format!("{bits}")) && text.contains("at most 33"), "{text}");
        }
    }
    for tenths in 11..=330 {
        assert!(policy(f64::from(tenths) / 10.0).is_ok(), "{tenths} tenths of a bit");
    }
    // What is accepted is used: a table takes about the bits that were asked for.
    for bits in [10.0, 20.0, 32.0] {
        let bytes = block(&*built(&policy(bits).unwrap(), (0..50_000).map(key))).len() as f64;
        let used = bytes * 8.0 / 50_000.0;
        assert!((bits * 0.95..bits * 1.05).contains(&used), "{used} of {bits}");
    }
}
