//! What counting filters promise beyond the suite that all filters pass.

// Helpers of tests may fail as tests do; the configuration allows it only in the test functions themselves.
#![allow(clippy::unwrap_used)]

use amq_counting::theory::classic::saturation_probability;
use amq_counting::{
    BlockedCountingBloomFilter, BlockedCountingParams, CountFilter, CountingBloomFilter,
    CountingParams, Filter, Goal, InsertFilter, KeyHash, MergeFilter, PlanFilter, RemoveFilter,
};

fn hash(key: u64) -> KeyHash {
    KeyHash::of(&key, 0)
}

#[test]
fn a_removal_that_is_refused_changes_nothing_even_where_probes_meet() {
    // Tables so small that a key's own probes share counters: a key may find all of them above zero and still not be in.
    let mut undone = 0;
    for counters in 1..=8u64 {
        let params = CountingParams {
            counters,
            probes: 7,
        };
        for held in 0..300u64 {
            let mut filter = CountingBloomFilter::from_params(params, 1, 0).unwrap();
            filter.insert_hash(hash(held)).unwrap();
            for key in 0..100u64 {
                let mut after = filter.clone();
                let answered = filter.contains_hash(hash(key));
                if !after.remove_hash(hash(key)) {
                    assert_eq!(
                        after, filter,
                        "{counters} counters, {held} in, {key} removed"
                    );
                    assert_ne!(key, held);
                    undone += u64::from(answered);
                }
            }
        }
    }
    assert!(undone > 1000, "only {undone} removals were undone half-way");
}

#[test]
fn a_key_put_in_fifteen_times_sticks_and_its_neighbours_are_not_lost() {
    let goal = Goal::fpr(200, 0.01);
    let mut filter = CountingBloomFilter::new(goal).unwrap();
    let mut blocked = BlockedCountingBloomFilter::new(goal).unwrap();
    sticks(&mut filter);
    sticks(&mut blocked);
    assert!((1..=7).contains(&filter.saturated_counters()));
    assert_eq!(blocked.saturated_counters(), 8);
}

fn sticks<F: RemoveFilter + CountFilter>(filter: &mut F) {
    for key in 1..100u64 {
        filter.insert_hash(hash(key)).unwrap();
    }
    for copies in 1..=20u64 {
        filter.insert_hash(hash(0)).unwrap();
        let count = filter.count_hash(hash(0));
        assert!(count.estimate >= copies.min(15));
        assert_eq!(count.saturated, count.estimate == 15);
    }
    assert!(filter.count_hash(hash(0)).saturated);
    for _ in 0..20 {
        assert!(filter.remove_hash(hash(0)));
    }
    // It can no longer be taken out; nothing else is lost, and nothing has wrapped.
    assert!(filter.contains_hash(hash(0)));
    assert!((0..100u64).all(|key| filter.contains_hash(hash(key))));
    assert!((1..100u64).all(|key| filter.remove_hash(hash(key))));
}

#[test]
fn saturated_counters_stay_so_when_filters_merge() {
    let params = CountingParams {
        counters: 6400,
        probes: 5,
    };
    let filled = |copies: u64| {
        let mut filter = CountingBloomFilter::from_params(params, 100, 0).unwrap();
        for _ in 0..copies {
            filter.insert_hash(hash(7)).unwrap();
        }
        filter
    };
    for (ours, theirs, estimate) in [
        (7, 7, 14),
        (8, 7, 15),
        (15, 0, 15),
        (3, 15, 15),
        (15, 15, 15),
    ] {
        let mut sum = filled(ours);
        sum.merge_from(&filled(theirs)).unwrap();
        let count = sum.count_hash(hash(7));
        assert_eq!(
            (count.estimate, count.saturated),
            (estimate, estimate == 15)
        );
        assert_eq!(sum.len(), ours + theirs);
    }
}

#[test]
fn removing_a_key_that_was_never_put_in_can_make_the_filter_forget_another() {
    // What the documentation warns of, shown: find a false positive, remove it, and a key that is in is denied.
    let mut filter = CountingBloomFilter::new(Goal::fpr(1000, 0.05)).unwrap();
    for key in 0..1000u64 {
        filter.insert_hash(hash(key)).unwrap();
    }
    let forged: Vec<u64> = (1 << 40..(1 << 40) + 10_000)
        .filter(|&key| filter.contains_hash(hash(key)))
        .collect();
    assert!(forged.len() > 300);
    for key in forged {
        filter.remove_hash(hash(key));
    }
    let lost = (0..1000u64).filter(|&key| !filter.contains_hash(hash(key)));
    assert!(lost.count() > 100);
}

#[test]
fn the_plain_filter_made_of_it_gives_the_same_answers() {
    for counters in [1u64, 15, 16, 17, 63, 64, 65, 4800, 4801] {
        let params = CountingParams {
            counters,
            probes: 4,
        };
        let mut filter = CountingBloomFilter::from_params(params, 500, 3).unwrap();
        for key in 0..500u64 {
            filter.insert_hash(hash(key)).unwrap();
        }
        for key in 0..250u64 {
            filter.remove_hash(hash(key));
        }
        let plain = filter.to_bloom().unwrap();
        assert_eq!((plain.seed(), plain.len()), (3, filter.len()));
        assert_eq!(plain.fill_ratio(), filter.fill_ratio());
        assert_eq!(plain.expected_fpr(), filter.expected_fpr());
        for key in 0..5000u64 {
            assert_eq!(
                plain.contains_hash(hash(key)),
                filter.contains_hash(hash(key))
            );
        }
    }
}

#[test]
fn five_times_overfull_as_many_counters_stick_as_the_poisson_tail_says() {
    let items = 100_000u64;
    let mut filter = CountingBloomFilter::new(Goal::fpr(items, 0.01)).unwrap();
    let CountingParams { counters, probes } = filter.params();
    for key in 0..7 * items {
        filter.insert_hash(hash(key)).unwrap();
    }
    let expected = counters as f64 * saturation_probability(counters, probes, 7 * items);
    let found = filter.saturated_counters() as f64;
    assert!(expected > 100.0);
    assert!(
        (found - expected).abs() < 5.0 * expected.sqrt(),
        "{found} of {expected}"
    );
}

#[test]
fn the_estimate_of_the_number_of_keys_is_within_its_error() {
    let mut classic = CountingBloomFilter::new(Goal::fpr(20_000, 0.01)).unwrap();
    let mut blocked = BlockedCountingBloomFilter::new(Goal::fpr(20_000, 0.01)).unwrap();
    for key in 0..20_000u64 {
        classic.insert_hash(hash(key)).unwrap();
        blocked.insert_hash(hash(key)).unwrap();
    }
    for estimate in [
        classic.estimated_cardinality(),
        blocked.estimated_cardinality(),
    ] {
        assert!((estimate / 20_000.0 - 1.0).abs() < 0.01, "{estimate}");
    }
}

#[test]
fn explicit_parameters_out_of_range_are_refused() {
    for params in [
        CountingParams {
            counters: 0,
            probes: 3,
        },
        CountingParams {
            counters: 100,
            probes: 0,
        },
        CountingParams {
            counters: 100,
            probes: u32::MAX,
        },
        CountingParams {
            counters: u64::MAX,
            probes: 3,
        },
    ] {
        assert!(CountingBloomFilter::from_params(params, 1, 0).is_err());
    }
    for blocks in [0, (1 << 32) + 1, u64::MAX] {
        let params = BlockedCountingParams { blocks };
        assert!(BlockedCountingBloomFilter::from_params(params, 1, 0).is_err());
        assert!(
            BlockedCountingBloomFilter::predicted_fpr(&params, 10)
                .mean
                .is_nan()
                || blocks > 0
        );
    }
}
