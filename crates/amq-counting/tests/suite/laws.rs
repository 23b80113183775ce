//! What counting filters promise beyond the suite that all filters pass.

use amq_conformance::testing::hash;
use amq_conformance::with_params;
use amq_counting::theory::classic::saturation_probability;
use amq_counting::{
    BlockedCountingBloomFilter, BlockedCountingParams, CountFilter, CountingBloomFilter,
    CountingParams, Filter, FilterExt, FilterFile, Goal, PlanFilter, RemoveFilter,
};

fn with(counters: u64, probes: u32, seed: u64) -> CountingBloomFilter {
    with_params(CountingParams::new(counters, probes), 500, seed).unwrap()
}

#[test]
fn a_refused_removal_changes_nothing_where_probes_meet() {
    // Tables so small that a key's own probes share counters: all of them may be above zero
    // although the key was never inserted.
    let mut undone = 0;
    for counters in 1..=8u64 {
        for held in 0..300u64 {
            let mut filter = with(counters, 7, 0);
            filter.insert_hash(hash(held, 0));
            for key in 0..100u64 {
                let mut after = filter.clone();
                let answered = filter.contains_hash(hash(key, 0));
                if !after.remove_hash(hash(key, 0)) {
                    assert_eq!(after, filter, "{counters} counters, {held} in, {key} removed");
                    assert_ne!(key, held);
                    undone += u64::from(answered);
                }
            }
        }
    }
    assert!(undone > 1000, "only {undone} removals were undone half-way");
}

#[test]
fn fifteen_copies_saturate_and_lose_no_neighbour() {
    let goal = Goal::fpr(200, 0.01);
    let mut filter = CountingBloomFilter::new(goal).unwrap();
    let mut blocked = BlockedCountingBloomFilter::new(goal).unwrap();
    saturates(&mut filter);
    saturates(&mut blocked);
    assert!((1..=7).contains(&filter.saturated_counters()));
    assert_eq!(blocked.saturated_counters(), 8);
    assert_eq!(blocked.stats().saturated, 8);
    assert_eq!(filter.stats().saturated, filter.saturated_counters());
}

fn saturates<F: RemoveFilter + CountFilter>(filter: &mut F) {
    for key in 1..100u64 {
        filter.insert_hash(hash(key, 0)).unwrap();
    }
    for copies in 1..=20u64 {
        filter.insert_hash(hash(0, 0)).unwrap();
        let count = filter.count_hash(hash(0, 0));
        assert!(count.estimate >= copies.min(15));
        assert_eq!(count.saturated, count.estimate == 15);
    }
    assert!(filter.count_hash(hash(0, 0)).saturated);
    for _ in 0..20 {
        assert!(filter.remove_hash(hash(0, 0)));
    }
    // It can no longer be removed; nothing else is lost, and nothing has wrapped.
    assert!(filter.contains_hash(hash(0, 0)));
    assert!((0..100u64).all(|key| filter.contains_hash(hash(key, 0))));
    assert!((1..100u64).all(|key| filter.remove_hash(hash(key, 0))));
}

#[test]
fn saturated_counters_stay_so_when_filters_merge() {
    let filled = |copies: u64| {
        let mut filter = with(6400, 5, 0);
        for _ in 0..copies {
            filter.insert_hash(hash(7, 0));
        }
        filter
    };
    for (ours, theirs, estimate) in [(7, 7, 14), (8, 7, 15), (15, 0, 15), (3, 15, 15), (15, 15, 15)]
    {
        let mut sum = filled(ours);
        sum.merge(&filled(theirs)).unwrap();
        let count = sum.count_hash(hash(7, 0));
        assert_eq!((count.estimate, count.saturated), (estimate, estimate == 15));
        assert_eq!(sum.len(), ours + theirs);
    }
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
            }
        };
    }
    check!(CountingBloomFilter);
    check!(BlockedCountingBloomFilter);
}

#[test]
fn removing_a_key_never_inserted_can_lose_another() {
    // What the documentation warns of: find a false positive, remove it, and a key that is in is
    // denied.
    let mut filter = CountingBloomFilter::new(Goal::fpr(1000, 0.05)).unwrap();
    filter.extend(0..1000u64);
    let forged: Vec<u64> =
        (1 << 40..(1 << 40) + 10_000).filter(|key| filter.contains(key)).collect();
    assert!(forged.len() > 300);
    for key in forged {
        filter.remove(&key);
    }
    let lost = (0..1000u64).filter(|key| !filter.contains(key));
    assert!(lost.count() > 100);
}

#[test]
fn the_plain_filter_made_of_it_gives_the_same_answers() {
    for counters in [1u64, 15, 16, 17, 63, 64, 65, 4800, 4801] {
        let mut filter = with(counters, 4, 3);
        filter.extend(0..500u64);
        for key in 0..250u64 {
            filter.remove(&key);
        }
        let plain = filter.to_bloom().unwrap();
        let file = filter.to_bytes().unwrap();
        assert_eq!(CountingBloomFilter::view(&file).unwrap().to_bloom(), Ok(plain.clone()));
        assert_eq!((plain.seed(), plain.len()), (3, filter.len()));
        assert_eq!(plain.capacity(), 500);
        assert_eq!(plain.load_factor(), filter.load_factor());
        assert_eq!(plain.expected_fpr(), filter.expected_fpr());
        for key in 0..5000u64 {
            assert_eq!(plain.contains(&key), filter.contains(&key));
        }
    }
}

#[test]
fn overfull_counters_saturate_as_the_poisson_tail_says() {
    let keys = 100_000u64;
    let mut filter = CountingBloomFilter::new(Goal::fpr(keys, 0.01)).unwrap();
    filter.extend(0..7 * keys);
    let params = filter.params();
    let expected = params.counters as f64 * saturation_probability(&params, 7 * keys);
    let found = filter.saturated_counters() as f64;
    assert!(expected > 100.0);
    assert!((found - expected).abs() < 5.0 * expected.sqrt(), "{found} of {expected}");
}

#[test]
fn the_estimate_of_the_number_of_keys_is_within_its_error() {
    let goal = Goal::fpr(20_000, 0.01);
    let mut classic = CountingBloomFilter::new(goal).unwrap();
    let mut blocked = BlockedCountingBloomFilter::new(goal).unwrap();
    classic.extend(0..20_000u64);
    blocked.extend(0..20_000u64);
    for estimate in [classic.estimated_cardinality(), blocked.estimated_cardinality()] {
        assert!((estimate / 20_000.0 - 1.0).abs() < 0.01, "{estimate}");
    }
}

#[test]
fn explicit_parameters_out_of_range_are_refused() {
    for (counters, probes) in [(0, 3), (100, 0), (100, u32::MAX), (u64::MAX, 3)] {
        let params = CountingParams::new(counters, probes);
        assert!(CountingBloomFilter::plan_params(params, 1).is_err());
        // The fields of a plan are public: it is checked again where a table is made from it.
        let mut plan = CountingBloomFilter::plan(Goal::fpr(10, 0.01)).unwrap();
        plan.params = params;
        assert!(CountingBloomFilter::new(plan).is_err());
    }
    for blocks in [0, (1 << 32) + 1, u64::MAX] {
        let params = BlockedCountingParams::new(blocks);
        assert!(BlockedCountingBloomFilter::plan_params(params, 1).is_err());
        let mut plan = BlockedCountingBloomFilter::plan(Goal::fpr(10, 0.01)).unwrap();
        plan.params = params;
        assert!(BlockedCountingBloomFilter::new(plan).is_err());
        let rate = BlockedCountingBloomFilter::predicted_fpr(&params, 10);
        assert!(rate.mean.is_nan() && rate.sd.is_nan());
    }
}

#[test]
fn a_view_answers_as_the_filter_whose_table_it_borrows() {
    let goal = Goal::fpr(1000, 0.01);
    let mut filter = CountingBloomFilter::with_seed(goal, 5).unwrap();
    let mut blocked = BlockedCountingBloomFilter::with_seed(goal, 5).unwrap();
    for key in 0..1000u64 {
        for _ in 0..=key % 3 {
            filter.insert(&key);
            blocked.insert(&key);
        }
    }
    let keys: Vec<u64> = (0..3000).collect();
    let [mut ours, mut theirs] = [(); 2].map(|()| vec![false; keys.len()]);
    let files = (filter.to_bytes().unwrap(), blocked.to_bytes().unwrap());
    let view = CountingBloomFilter::view(&files.0).unwrap();
    let blocked_view = BlockedCountingBloomFilter::view(&files.1).unwrap();
    filter.contains_keys(&keys, &mut ours).unwrap();
    view.contains_keys(&keys, &mut theirs).unwrap();
    assert_eq!(ours, theirs);
    assert!(ours.iter().filter(|&&answer| answer).count() < 1200);
    blocked.contains_keys(&keys, &mut ours).unwrap();
    blocked_view.contains_keys(&keys, &mut theirs).unwrap();
    assert_eq!(ours, theirs);
    for key in &keys {
        assert_eq!(view.count(key), filter.count(key));
        assert_eq!(blocked_view.count(key), blocked.count(key));
        assert_eq!(view.contains(key), filter.contains(key));
        assert_eq!(blocked_view.contains(key), blocked.contains(key));
    }
    assert_eq!(view.stats(), filter.stats());
    assert_eq!(blocked_view.stats(), blocked.stats());
}
