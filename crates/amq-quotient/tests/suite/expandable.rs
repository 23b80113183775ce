//! Laws of expandable quotient filters beyond the common suite.

use amq_conformance::testing::noise;
use amq_conformance::with_params;
use amq_quotient::theory::expandable as theory;
use amq_quotient::{
    Budget, ClearFilter, ExpandableParams, ExpandableQuotientFilter, Filter as _, FilterFile, Goal,
    InsertError, InsertExt, InsertFilter, KeyHash, MAX_COPIES, PlanError, PlanFilter, RemoveFilter,
};
use std::collections::{BTreeMap, VecDeque};

pub(crate) type Filter = ExpandableQuotientFilter;

fn empty(params: ExpandableParams) -> Filter {
    with_params::<Filter>(params, params.max_entries(), 0).unwrap()
}

/// A filter of fingerprints of few bits, so that entries soon have none left.
pub(crate) fn small(bits: u32) -> Filter {
    let params = ExpandableParams::new(64, bits);
    empty(params.with_max_doublings(params.most_doublings().min(30)))
}

/// Queries for keys that were never inserted.
fn absent(queries: u64) -> impl Iterator<Item = u64> {
    (0..queries).map(|i| (1 << 60) + i)
}

pub(crate) fn false_positives(filter: &Filter, queries: u64) -> u64 {
    let found = absent(queries).filter(|key| filter.contains(key));
    found.count() as u64
}

/// The share of all fingerprints that a small filter answers for, counted one by one.
pub(crate) fn counted(filter: &Filter) -> f64 {
    let params = filter.params();
    let of = u128::from(params.slots) << params.fingerprint_bits;
    let hash = |f: u128| KeyHash::new((f << 64).div_ceil(of) as u64);
    let found = (0..of).filter(|&f| filter.contains_hash(hash(f)));
    found.count() as f64 / of as f64
}

/// Inserts and removes keys while the filter doubles, and compares it with a map of them.
#[test]
fn no_key_is_lost_through_fourteen_doublings_with_removals() {
    for (bits, removals, doublings) in [(3, 3, 12), (4, 2, 12), (11, 2, 14)] {
        let mut filter = small(bits);
        let mut keys: BTreeMap<u64, u64> = BTreeMap::new();
        let mut ages: VecDeque<u64> = VecDeque::new();
        let (mut len, mut shrunk) = (0, 0);
        for step in 0.. {
            // One key in eight is inserted twice.
            let key = noise(step / 8 * 8 + step % 8 % 7);
            if noise(!step) % 10 >= removals {
                filter.insert(&key).unwrap();
                *keys.entry(key).or_default() += 1;
                ages.push_back(key);
                len += 1;
            } else if let Some(gone) = match noise(step) % 3 {
                // The oldest, the youngest, or some.
                0 => ages.pop_front(),
                1 => ages.pop_back(),
                _ => ages.swap_remove_back(noise(step ^ 5) as usize % ages.len().max(1)),
            } {
                assert!(filter.remove(&gone));
                let copies = keys.get_mut(&gone).unwrap();
                *copies -= 1;
                if *copies == 0 {
                    keys.remove(&gone);
                }
                len -= 1;
                shrunk += 1;
            }
            assert_eq!(filter.len(), len);
            if step.is_power_of_two() || step % 50_000 == 0 {
                let lost = keys.iter().find(|&(key, &copies)| {
                    !filter.contains(key) || filter.count(key).estimate < copies
                });
                assert_eq!(lost, None, "after {step} steps, {:?}", filter.params());
                filter.validate().unwrap();
            }
            if filter.params().doublings == doublings {
                break;
            }
        }
        assert!(keys.keys().all(|key| filter.contains(key)));
        assert!(filter.entries() >= len && shrunk > 20_000);
        // Then all are removed, and every answer is right until then.
        let (size, mut leftovers) = (filter.size_in_bytes(), 0);
        while let Some(key) = ages.pop_front() {
            assert!(filter.contains(&key));
            leftovers = filter.entries() - filter.len();
            assert!(filter.remove(&key));
        }
        // Leftovers of keys whose bits were used up are cleared with the last key.
        assert_eq!(leftovers > 0, bits < 5);
        assert_eq!((filter.len(), filter.entries(), filter.expected_fpr()), (0, 0, 0.0));
        assert_eq!(false_positives(&filter, 10_000), 0);
        assert_eq!(filter.size_in_bytes(), size);
        filter.validate().unwrap();
    }
}

#[test]
fn a_removal_leaves_every_other_key_its_entry() {
    // Pairs of keys of which the older one's entry answers for the younger one, too: whichever goes
    // first, the other stays.
    let mut pairs = 0;
    for older_first in [true, false] {
        for seed in 0..3000u64 {
            let mut filter = small(5);
            let params = filter.params();
            let old = noise(seed);
            filter.insert_hash(KeyHash::new(old)).unwrap();
            for _ in 0..3 {
                filter.grow().unwrap();
            }
            // Equal in all bits that the first table kept, and in most of those of the fourth.
            let kept = (params.slots << params.fingerprint_bits).ilog2();
            let young = old ^ (noise(!seed) >> (kept + (seed % 4) as u32));
            assert!(filter.contains_hash(KeyHash::new(young)));
            filter.insert_hash(KeyHash::new(young)).unwrap();
            let (first, then) = if older_first { (old, young) } else { (young, old) };
            assert!(filter.remove_hash(KeyHash::new(first)));
            assert!(filter.contains_hash(KeyHash::new(then)));
            assert!(filter.remove_hash(KeyHash::new(then)));
            assert!(filter.is_empty() && filter.expected_fpr() == 0.0);
            pairs += 1;
        }
    }
    assert_eq!(pairs, 6000);
}

#[test]
fn copies_are_held_up_to_their_limit_and_do_not_make_it_grow() {
    let mut filter = Filter::new(Goal::fpr(500, 0.01)).unwrap();
    let params = filter.params();
    for copy in 1..=MAX_COPIES {
        filter.insert(&7u64).unwrap();
        assert_eq!(filter.count(&7u64).estimate, copy);
    }
    let before = filter.clone();
    let refused = Err(InsertError::Copies { copies: MAX_COPIES });
    for _ in 0..3 {
        assert_eq!(filter.insert(&7u64), refused);
    }
    let keys: Vec<u64> = vec![8, 9, 7, 10];
    let mut batch = filter.clone();
    let error = batch.insert_keys(&keys).unwrap_err();
    assert_eq!((error.done, Err(error.error)), (2, refused));
    assert!(batch.contains(&8u64) && batch.contains(&9u64) && batch.len() == MAX_COPIES + 2);
    assert!(filter == before && filter.params() == params);
    // Also when the table is full, and would double for another key.
    let mut key = 100u64;
    while filter.entries() < params.max_entries() {
        filter.insert(&key).unwrap();
        key += 1;
    }
    assert_eq!(filter.insert(&7u64), refused);
    assert_eq!(filter.params(), params);
    filter.insert(&key).unwrap();
    assert_eq!(filter.params().doublings, 1);
    assert_eq!(filter.insert(&7u64), refused);
    for copy in (0..MAX_COPIES).rev() {
        assert!(filter.remove(&7u64));
        assert_eq!(filter.count(&7u64).estimate, copy);
    }
    // A build keeps all.
    let all = Filter::build(Goal::fpr(1000, 0.01), [7u64; 1000]).unwrap();
    assert_eq!(all.count(&7u64).estimate, 1000);
}

#[test]
fn a_cleared_filter_is_a_new_one_however_far_it_had_grown() {
    let goal = Goal::fpr(100, 0.01);
    let new = Filter::with_seed(goal, 4).unwrap();
    for keys in [0u64, 50, 200, 20_000] {
        let mut filter = new.clone();
        filter.try_extend(0..keys).unwrap();
        filter.clear();
        assert!(filter == new && filter.size_in_bytes() == new.size_in_bytes());
        filter.try_extend(0..1000u64).unwrap();
        assert!((0..1000u64).all(|key| filter.contains(&key)));
    }
}

#[test]
fn the_listing_has_a_hash_for_each_entry() {
    let mut filter = Filter::new(Goal::fpr(60, 0.1)).unwrap();
    filter.try_extend(0..50_000u64).unwrap();
    let listed: Vec<KeyHash> = filter.iter().collect();
    assert_eq!(listed.len() as u64, filter.entries());
    assert!(listed.is_sorted());
    assert!(listed.iter().all(|&hash| filter.contains_hash(hash)));
    let file = filter.to_bytes().unwrap();
    assert!(Filter::view(&file).unwrap().iter().eq(filter.iter()));
}

#[test]
fn it_takes_the_bits_a_key_that_the_formula_says() {
    for (fpr, bits) in [(0.01, 14.87), (1.0 / 256.0, 15.92), (1e-3, 18.03)] {
        assert!((theory::bits_per_key(fpr) - bits).abs() < 0.01, "{}", theory::bits_per_key(fpr));
        let mut filter = Filter::new(Goal::fpr(1000, fpr)).unwrap();
        let mut key = 0u64;
        // Ten unplanned doublings, and the next one due.
        while filter.params().doublings < 7 || filter.entries() < filter.params().max_entries() {
            filter.insert(&key).unwrap();
            key += 1;
        }
        let held = filter.size_in_bytes() as f64 * 8.0 / filter.len() as f64;
        assert!((held / theory::bits_per_key(fpr) - 1.0).abs() < 0.002, "{held}");
    }
    for wrong in [0.0, 1.0, -0.1, f64::NAN] {
        assert!(theory::bits_per_key(wrong).is_nan());
    }
}

#[test]
fn what_cannot_be_planned_is_refused_by_name() {
    let error = Filter::plan(Goal::fpr(1000, 1e-16)).unwrap_err();
    let PlanError::FprUnreachable { lowest, .. } = error else {
        panic!("{error}");
    };
    Filter::plan(Goal::fpr(1000, lowest * 1.000_001)).unwrap();
    assert_eq!(
        Filter::plan(Goal::bytes(60, 32)).unwrap_err(),
        PlanError::Bytes { bytes: 32, min: 33 }
    );
    let mut filter = small(4);
    for wrong in [u32::MAX, 57, 50] {
        let before = filter.clone();
        let error = filter.allow_growth(wrong).unwrap_err().to_string();
        assert!(error.starts_with(&format!("max_doublings = {wrong} is not possible")), "{error}");
        assert!(filter == before);
    }
    assert!(theory::fpr(&ExpandableParams::new(0, 3), 5).mean.is_nan());
}

/// Whatever the parameters, memory stays in proportion to the keys, and each doubling makes room.
#[test]
fn entries_whose_bits_are_used_up_never_fill_the_table() {
    for (bits, keys) in [(1u32, 100_000u64), (2, 100_000), (3, 100_000), (4, 400_000)] {
        for churn in [false, true] {
            let mut filter = small(bits);
            let (mut key, mut oldest) = (0u64, VecDeque::new());
            let refused = loop {
                let before = filter.params().doublings;
                if let Err(full) = filter.insert(&key) {
                    break Some(full);
                }
                oldest.push_back(key);
                let params = filter.params();
                if params.doublings > before {
                    // An eighth of the new table's room is free, or more.
                    let (held, most) = (filter.entries() - 1, params.max_entries());
                    assert!(8 * held <= 7 * most + 8, "{params:?}: {held} of {most}");
                    filter.validate().unwrap();
                }
                // Removes the youngest keys, so that used-up entries stay.
                if churn && key % 3 == 0 {
                    assert!(oldest.pop_back().is_some_and(|key| filter.remove(&key)));
                }
                key += 1;
                if key == keys {
                    break None;
                }
            };
            let params = filter.params();
            let limit =
                InsertError::Limit { what: "doublings", limit: params.max_doublings.into() };
            assert!(refused.is_none_or(|full| full == limit), "{refused:?} {params:?}");
            assert!(bits > 2 || refused.is_some());
            assert!(params.bytes() / filter.len() < 32, "{params:?}, {} keys", filter.len());
            assert!(oldest.iter().all(|key| filter.contains(key)));
        }
    }
    // A plan that once took 34.6 MB for 1,306 keys is refused.
    let refused = Filter::plan_params(ExpandableParams::new(64, 1), 1306).unwrap_err();
    assert_eq!(refused, PlanError::Doublings { fingerprint_bits: 1, doublings: 20, most: 3 });
    // A plan from a goal has as many bits as its doublings need, or as many doublings as its bits.
    for goal in [Goal::fpr(1000, 0.95), Goal::bytes(60, 33), Goal::bits_per_key(60, 5.0)] {
        let params = Filter::plan(goal).unwrap().params;
        params.check().unwrap();
        let kept = matches!(goal.budget, Budget::Fpr(_));
        assert_eq!(params.max_doublings >= 20, kept, "{params:?}");
    }
}

#[test]
fn an_emptied_filter_denies_all_and_may_double_again() {
    let mut filter = small(2);
    for round in 0..4 {
        for key in 0..400u64 {
            filter.insert(&(round << 32 | key)).unwrap();
        }
        for key in 0..400u64 {
            assert!(filter.remove(&(round << 32 | key)));
        }
        assert_eq!((filter.entries(), filter.expected_fpr()), (0, 0.0));
        assert_eq!(counted(&filter), 0.0);
        assert!(!filter.remove(&7u64));
        // An empty table of its size with the same parameters, byte for byte.
        let written = filter.to_bytes().unwrap();
        assert!(Filter::from_bytes(&written).unwrap() == filter);
    }
    assert_eq!(filter.params().doublings, 3);
    // Only doubling makes leftovers: filling and emptying the same table clears nothing.
    for key in 0..100_000u64 {
        filter.insert(&key).unwrap();
        assert_eq!(filter.entries(), 1);
        assert!(filter.remove(&key));
    }
}

/// A healthy filter never has `len > capacity`.
#[test]
fn its_capacity_is_the_present_one() {
    let mut filter = Filter::new(Goal::fpr(1000, 0.01)).unwrap();
    assert_eq!((filter.capacity(), filter.stats().capacity), (1000, 1000));
    for key in 0..200_000u64 {
        filter.insert(&key).unwrap();
        assert!(filter.len() <= filter.capacity());
    }
    let most = filter.params().max_entries();
    assert_eq!((filter.capacity(), filter.stats().capacity), (most, most));
    assert!(most < 2 * 200_000, "{most}");
    assert!(filter.stats().to_string().contains(&format!("200000 keys of {most} planned")));
    // The file keeps the planned number, and the loaded filter reports it.
    let bytes = filter.to_bytes().unwrap();
    assert_eq!(bytes[32..40], 1000u64.to_le_bytes());
    let mut back = Filter::from_bytes(&bytes).unwrap();
    assert_eq!((back.capacity(), Filter::view(&bytes).unwrap().capacity()), (most, most));
    back.clear();
    assert_eq!(back.capacity(), 1000);
    // Also for as many as the first table takes, more than planned.
    let mut first = Filter::new(Goal::fpr(1000, 0.01)).unwrap();
    let most = first.params().max_entries();
    first.try_extend(0..most).unwrap();
    assert_eq!((first.params().doublings, first.capacity()), (0, most));
    // Planned for more than the first table takes, it has room for them as it grows.
    let plan = Filter::plan_params(first.params(), 5000).unwrap();
    let mut later = Filter::new(plan).unwrap();
    assert_eq!(later.capacity(), 5000);
    later.grow().unwrap();
    assert_eq!(later.capacity(), 5000);
}
