//! What cuckoo filters promise beyond the suite that all filters pass.

use amq_conformance::testing::hash;
use amq_conformance::with_params;
use amq_cuckoo::{
    Buckets, Budget, BuildError, BuildFilter, ClearFilter, CountFilter, Cuckoo, CuckooFilter,
    CuckooParams, Filter, Goal, InsertError, InsertFilter, Inserted, KeyHash, Layout, MergeError,
    MergeFilter, OverlappingBuckets, PlanError, PlanFilter, RemoveFilter, WindowedCuckooFilter,
    theory,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

fn explicit<L: Layout>(buckets: u64, fingerprint_bits: u32) -> Cuckoo<L> {
    let params = CuckooParams::new(buckets, fingerprint_bits);
    with_params::<Cuckoo<L>>(params, 1, 0).unwrap()
}

/// Puts in keys up to the first refusal: how many went in.
fn fill<L: Layout>(filter: &mut Cuckoo<L>, seed: u64) -> u64 {
    (0..).find(|&key| filter.insert_hash(hash(key, seed)).is_err()).unwrap()
}

#[test]
fn all_planned_keys_go_in_whatever_their_number() {
    fn all<L: Layout>(rates: &[f64]) {
        for &rate in rates {
            for n in 1..=700u64 {
                for seed in 0..6 {
                    let mut filter = Cuckoo::<L>::with_seed(Goal::fpr(n, rate), seed).unwrap();
                    for key in 0..n {
                        let full = filter.insert_hash(hash(key, seed));
                        assert!(full.is_ok(), "key {key} of {n} at {rate}, seed {seed}: {full:?}");
                    }
                }
            }
        }
    }
    all::<Buckets>(&[0.2, 0.01, 1e-6]);
    all::<OverlappingBuckets>(&[0.1, 0.01, 1e-6]);
}

#[test]
fn all_planned_keys_go_into_large_filters() {
    fn all<L: Layout>() {
        for (n, seeds) in [(1234, 40), (9999, 10), (65_536, 6), (400_000, 2)] {
            for rate in [0.15, 0.03, 0.01, 1e-4] {
                for seed in 0..seeds {
                    let mut filter = Cuckoo::<L>::with_seed(Goal::fpr(n, rate), seed).unwrap();
                    for key in 0..n {
                        let full = filter.insert_hash(hash(key, seed));
                        assert!(full.is_ok(), "key {key} of {n} at {rate}, seed {seed}: {full:?}");
                    }
                }
            }
        }
    }
    all::<Buckets>();
    all::<OverlappingBuckets>();
}

#[test]
fn the_search_fills_a_table_as_far_as_the_documentation_says() {
    for seed in 0..3 {
        let mut four = explicit::<Buckets>(1 << 16, 12);
        fill(&mut four, seed);
        assert!((0.970..0.985).contains(&four.load_factor()), "{}", four.load_factor());
        let mut two = explicit::<OverlappingBuckets>(1 << 18, 12);
        fill(&mut two, seed);
        assert!((0.953..0.966).contains(&two.load_factor()), "{}", two.load_factor());
    }
}

#[test]
fn a_full_filter_of_any_width_refuses_and_is_unchanged() {
    fn every_width<L: Layout>() {
        for bits in 4..=32 {
            for buckets in [2, 6, 50, 1002] {
                let mut filter = explicit::<L>(buckets, bits);
                let held = fill(&mut filter, 1);
                assert_eq!(filter.len(), held);
                let before = filter.clone();
                let mut refused = 0;
                for key in held..held + 100 {
                    let fresh = hash(key, 2);
                    let mut trial = filter.clone();
                    if let Err(full) = trial.insert_hash(fresh) {
                        assert!(trial == before, "{bits} bits, {buckets} buckets: {full:?}");
                        refused += 1;
                    }
                }
                assert!(refused > 0, "{bits} bits, {buckets} buckets");
                for key in 0..held {
                    assert!(filter.contains_hash(hash(key, 1)), "{bits} bits, {buckets} buckets");
                }
                for key in 0..held {
                    assert!(filter.remove_hash(hash(key, 1)), "{bits} bits, {buckets} buckets");
                }
                assert_eq!(filter, explicit::<L>(buckets, bits));
            }
        }
    }
    every_width::<Buckets>();
    every_width::<OverlappingBuckets>();
}

/// All that a filter stores, read slot by slot: the plain twin of the queries, which compare whole
/// buckets.
fn stored<L: Layout>(filter: &Cuckoo<L>) -> BTreeMap<(u64, u64), u64> {
    let mut stored = BTreeMap::new();
    for fingerprint in filter.fingerprints() {
        *stored.entry((fingerprint.bucket(), fingerprint.value())).or_default() += 1;
    }
    stored
}

#[test]
fn answers_and_counts_are_those_of_single_slots() {
    fn agree<L: Layout>() {
        for bits in 4..=32 {
            let mut filter = explicit::<L>(90, bits);
            fill(&mut filter, 7);
            for key in 0..40 {
                filter.remove_hash(hash(3 * key, 7));
            }
            let stored = stored(&filter);
            assert_eq!(stored.values().sum::<u64>(), filter.len());
            // What a hash is stored as, learned from a filter with nothing else in it.
            let mut alone = explicit::<L>(90, bits);
            for key in 0..3000 {
                let hash = hash(key, 7);
                alone.insert_hash(hash).unwrap();
                let mut places = BTreeSet::new();
                while alone.insert_hash(hash).is_ok() {}
                for fingerprint in alone.fingerprints() {
                    places.insert((fingerprint.bucket(), fingerprint.value()));
                }
                alone.clear();
                assert_eq!(places.len(), 2, "two buckets, one fingerprint");
                let copies = places.iter().filter_map(|place| stored.get(place)).sum::<u64>();
                assert_eq!(filter.count_hash(hash).estimate, copies, "{bits} bits, key {key}");
                assert_eq!(filter.contains_hash(hash), copies > 0, "{bits} bits, key {key}");
            }
        }
    }
    agree::<Buckets>();
    agree::<OverlappingBuckets>();
}

#[test]
fn expected_fpr_is_the_share_of_cells_counted_out() {
    fn counted<L: Layout>(buckets: u64) {
        let mut filter = explicit::<L>(buckets, 5);
        for key in 0..15 {
            filter.insert_hash(hash(key, 3)).unwrap();
            filter.insert_hash(hash(key / 4, 3)).unwrap_or(Inserted::MaybePresent);
        }
        let queries = 400_000;
        let found = (0..queries).filter(|&key| filter.contains_hash(hash(key, 99))).count();
        let (rate, cells) = (filter.expected_fpr(), theory::cells::<L>(&filter.params()));
        // A whole number of cells, and the only one within the error.
        assert!((rate * cells - (rate * cells).round()).abs() < 1e-9);
        let sd = (rate * (1.0 - rate) * queries as f64).sqrt();
        assert!((found as f64 - rate * queries as f64).abs() < 4.0 * sd, "{found} of {rate}");
        assert!(queries as f64 / cells > 8.0 * sd, "the test can tell one cell more or less");
    }
    counted::<Buckets>(20);
    counted::<OverlappingBuckets>(40);
}

#[test]
fn as_many_copies_go_in_as_a_key_has_slots() {
    let mut filter = CuckooFilter::new(Goal::fpr(1000, 0.01)).unwrap();
    for copies in 0..8 {
        assert_eq!(filter.count("key").estimate, copies);
        assert_eq!(filter.insert("key").unwrap().is_new(), copies == 0);
    }
    let before = filter.clone();
    for _ in 0..100_000 {
        assert_eq!(filter.insert("key"), Err(InsertError::Copies { copies: 8 }));
    }
    assert!(filter == before);
    for left in (0..8).rev() {
        assert!(filter.remove("key"));
        assert_eq!(filter.count("key").estimate, left);
    }
    assert!(!filter.remove("key") && filter.is_empty());

    // Four where buckets overlap; three for the few keys whose own two buckets do.
    let mut most = HashMap::new();
    for key in 0..2000u64 {
        let mut filter = WindowedCuckooFilter::new(Goal::fpr(100, 0.01)).unwrap();
        while filter.insert(&key).is_ok() {}
        assert_eq!(filter.insert(&key), Err(InsertError::Copies { copies: filter.len() }));
        *most.entry(filter.len()).or_insert(0) += 1;
    }
    assert!(most[&4] > 1900 && most[&3] > 5 && most.len() == 2, "{most:?}");
}

#[test]
fn insert_unique_stores_no_key_that_seems_present() {
    let mut filter = CuckooFilter::new(Goal::fpr(5000, 0.2)).unwrap();
    let mut stored = 0;
    for round in 0..3 {
        for key in 0..5000u64 {
            let there = filter.contains(&key);
            let inserted = filter.insert_unique(&key).unwrap();
            assert_eq!(inserted.is_new(), !there);
            assert!(round == 0 || !inserted.is_new());
            stored += u64::from(inserted.is_new());
        }
        assert_eq!(filter.len(), stored);
    }
    assert!((0..5000u64).all(|key| filter.contains(&key)));
    // Some were taken for others, and nothing is stored for those.
    assert!((4000..4800).contains(&stored), "{stored}");
}

#[test]
fn keys_that_come_and_go_at_nine_tenths_are_never_lost() {
    fn churn<L: Layout>() {
        const SLOTS: u64 = 8192;
        let mut filter = explicit::<L>(SLOTS / u64::from(L::STRIDE), 12);
        let held = filter.slots() * 9 / 10;
        let mut keys: Vec<u64> = (0..held).collect();
        for &key in &keys {
            filter.insert_hash(hash(key, 5)).unwrap();
        }
        for next in held..held + 10 * SLOTS {
            let gone = amq_core::index::index(amq_core::index::remix(next, 1), held) as usize;
            assert!(filter.remove_hash(hash(keys[gone], 5)));
            keys[gone] = next;
            filter.insert_hash(hash(next, 5)).unwrap();
            if next % 1024 == 0 {
                assert!(keys.iter().all(|&key| filter.contains_hash(hash(key, 5))));
            }
        }
        assert_eq!(filter.len(), held);
        let found = (0..200_000).filter(|&key| filter.contains_hash(hash(key, 6))).count() as f64;
        let expected = theory::fpr::<L>(&filter.params(), held).mean * 200_000.0;
        assert!((found - expected).abs() < 5.0 * expected.sqrt(), "{found} of {expected}");
    }
    churn::<Buckets>();
    churn::<OverlappingBuckets>();
}

#[test]
fn a_merge_that_does_not_fit_changes_nothing() {
    fn merge<L: Layout>() {
        let params = |seed| {
            let mut filter = explicit::<L>(200, 10);
            let half = filter.slots() * 6 / 10;
            for key in 0..half {
                filter.insert_hash(hash(key, seed)).unwrap();
            }
            filter
        };
        let (mut one, two) = (params(1), params(2));
        let before = one.clone();
        let refused = one.merge(&two);
        assert!(matches!(refused, Err(MergeError::Keys { .. })), "{refused:?}");
        assert_eq!(one.can_merge(&two), refused);
        assert!(one == before);
        // So it is where there are enough slots, but not for eight copies and one.
        let (mut one, mut two) = (explicit::<L>(200, 10), explicit::<L>(200, 10));
        while one.insert_hash(hash(5, 0)).is_ok() {}
        two.insert_hash(hash(77, 0)).unwrap();
        two.insert_hash(hash(5, 0)).unwrap();
        let before = one.clone();
        let refused = one.merge(&two);
        assert_eq!(refused, Err(MergeError::Insert(InsertError::Copies { copies: one.len() })));
        assert!(one == before);
    }
    merge::<Buckets>();
    merge::<OverlappingBuckets>();
}

#[test]
fn copies_without_a_place_are_no_lack_of_room() {
    fn copies<L: Layout>() {
        let mut one = Cuckoo::<L>::with_seed(Goal::fpr(20_000, 0.01), 3).unwrap();
        let mut two = one.clone();
        for key in 0..4000 {
            one.insert_hash(hash(key, 3)).unwrap();
        }
        for key in 0..1000 {
            two.insert_hash(hash(key, 3)).unwrap();
        }
        let mut filled = one.clone();
        let (before, refused) = loop {
            let before = one.clone();
            if let Err(refused) = one.merge(&two) {
                break (before, refused);
            }
        };
        assert!(one == before);
        assert!(one.len() < one.capacity());
        let MergeError::Insert(InsertError::Copies { copies }) = refused else {
            panic!("{refused}");
        };
        assert!((2..=u64::from(2 * L::SLOTS)).contains(&copies), "{copies}");
        // Key by key it is refused as well.
        let refused = (0..).find_map(|key| filled.insert_hash(hash(key % 1000, 3)).err()).unwrap();
        assert!(matches!(refused, InsertError::Copies { copies: 2.. }), "{refused}");
        assert!(filled.len() < filled.capacity());
    }
    copies::<Buckets>();
    copies::<OverlappingBuckets>();
}

#[test]
fn a_fingerprint_of_another_geometry_is_refused_by_name() {
    let mut from = explicit::<Buckets>(1000, 10);
    from.insert_hash(hash(1, 0)).unwrap();
    let fingerprint = from.fingerprints().next().unwrap();
    for (buckets, bits, field) in
        [(2, 10, "buckets"), (1002, 10, "buckets"), (1000, 9, "fingerprint_bits")]
    {
        let mut into = explicit::<Buckets>(buckets, bits);
        let refused = into.insert_fingerprint(fingerprint);
        let Err(MergeError::Mismatch { field: name, .. }) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(name, field);
        assert!(into.is_empty());
    }
    let params = from.params();
    let mut other_seed = with_params::<Cuckoo<Buckets>>(params, 1, 1).unwrap();
    assert_eq!(other_seed.insert_fingerprint(fingerprint), Err(MergeError::Seeds));
    assert!(other_seed.is_empty());
}

#[test]
fn removing_a_key_never_inserted_can_lose_another() {
    // What the documentation warns of: remove a false positive, and a key that is in is denied.
    let mut filter = CuckooFilter::new(Goal::fpr(1000, 0.05)).unwrap();
    for key in 0..1000 {
        filter.insert_hash(hash(key, 0)).unwrap();
    }
    let forged = (1 << 40..).find(|&key| filter.contains_hash(hash(key, 0))).unwrap();
    assert!(filter.remove_hash(hash(forged, 0)));
    let lost = (0..1000).filter(|&key| !filter.contains_hash(hash(key, 0))).count();
    assert_eq!(lost, 1);
}

#[test]
fn a_key_skipped_by_insert_unique_goes_with_its_stand_in() {
    // What was `New` may be removed; what was skipped may be denied then.
    let mut filter = CuckooFilter::new(Goal::fpr(1000, 0.05)).unwrap();
    let keys = 0..1000;
    let new: Vec<bool> =
        keys.clone().map(|key| filter.insert_unique(&key).unwrap().is_new()).collect();
    for key in keys.clone().filter(|&key| new[key as usize]) {
        assert!(filter.contains(&key));
        assert!(filter.remove(&key));
    }
    let skipped: Vec<u64> = keys.filter(|&key| !new[key as usize]).collect();
    assert!(!skipped.is_empty() && filter.is_empty());
    assert!(skipped.iter().all(|key| !filter.contains(key)));
}

#[test]
fn a_ninth_key_of_one_cell_is_refused_and_harms_no_other() {
    // An adversary who knows the seed finds them: keys that one key alone makes present.
    let mut alone = explicit::<Buckets>(8, 6);
    alone.insert_hash(hash(0, 0)).unwrap();
    let alike: Vec<u64> = (1..).filter(|&key| alone.contains_hash(hash(key, 0))).take(9).collect();
    let mut filter = explicit::<Buckets>(8, 6);
    for &key in &alike[..8] {
        filter.insert_hash(hash(key, 0)).unwrap();
    }
    assert_eq!(filter.insert_hash(hash(alike[8], 0)), Err(InsertError::Copies { copies: 8 }));
    let others = (1000..).filter(|&key| !filter.contains_hash(hash(key, 0)));
    let others: Vec<u64> = others.take(8).collect();
    let taken = others.iter().filter(|&&key| filter.insert_hash(hash(key, 0)).is_ok()).count();
    assert!(taken > 0);
    assert!(alike[..8].iter().all(|&key| filter.contains_hash(hash(key, 0))));
}

#[test]
fn explicit_parameters_out_of_range_are_refused() {
    for (buckets, fingerprint_bits) in [
        (0, 8),
        (1, 8),
        (7, 8),
        (u64::MAX, 8),
        (1 << 55, 8),
        (4, 0),
        (4, 3),
        (4, 33),
        (4, u32::MAX),
    ] {
        let params = CuckooParams::new(buckets, fingerprint_bits);
        assert!(with_params::<CuckooFilter>(params, 1, 0).is_err(), "{params:?}");
        assert!(with_params::<WindowedCuckooFilter>(params, 1, 0).is_err(), "{params:?}");
        assert!(CuckooFilter::predicted_fpr(&params, 10).mean.is_nan(), "{params:?}");
    }
    let odd = CuckooParams::new(7, 8);
    let refused = with_params::<CuckooFilter>(odd, 1, 0).map(drop).unwrap_err();
    assert_eq!(refused, PlanError::Multiple { name: "buckets", value: 7, of: 2 }.into());
}

#[test]
fn a_build_holds_each_key_once_and_budgets_for_those() {
    fn built<L: Layout>() {
        let hashes: Vec<KeyHash> = (0..3000).map(|key| hash(key % 1000, 1)).collect();
        let budget = Budget::Fpr(0.01);
        let filter = Cuckoo::<L>::build_hashes(budget, 1, &hashes).unwrap();
        assert_eq!((filter.len(), filter.capacity()), (1000, 1000));
        assert!(filter == Cuckoo::<L>::build_hashes(budget, 1, &hashes[..1000]).unwrap());
        // A goal is for all that are given, whichever way they come.
        let keys: Vec<u64> = (0..3000).map(|key| key % 1000).collect();
        let goal = Goal::fpr(2999, 0.01);
        let planned = 2999;
        for refused in [
            Cuckoo::<L>::build(goal, &keys),
            Cuckoo::<L>::build_keys(goal, 1, &keys),
            Cuckoo::<L>::build_hashes(goal, 1, &hashes),
        ] {
            assert_eq!(refused.err(), Some(BuildError::TooManyKeys { planned }));
        }
        let filter = Cuckoo::<L>::build(Goal::fpr(3000, 0.01), &keys).unwrap();
        assert_eq!((filter.len(), filter.capacity()), (1000, 3000));
    }
    built::<Buckets>();
    built::<OverlappingBuckets>();
}

#[test]
fn an_insert_reads_few_buckets_even_just_below_the_planned_load() {
    /// Buckets that inserts read beyond their own two, while the last twentieth of the planned keys
    /// goes in: the mean, the 99.9th percentile and the most.
    fn read<L: Layout>(keys: usize) -> (f64, u64, u64) {
        let mut filter = Cuckoo::<L>::new(Goal::fpr(keys as u64, 0.01)).unwrap();
        let first = keys * 19 / 20;
        for key in 0..first as u64 {
            filter.insert(&key).unwrap();
        }
        let mut steps: Vec<u64> = (first as u64..keys as u64)
            .map(|key| amq_core::internal::steps_of(|| filter.insert(&key).unwrap()).1)
            .collect();
        steps.sort_unstable();
        let mean = steps.iter().sum::<u64>() as f64 / steps.len() as f64;
        (mean, steps[steps.len() * 999 / 1000], steps[steps.len() - 1])
    }
    for keys in [300_000, 1_000_000] {
        let (mean, most_of_them, most) = read::<Buckets>(keys);
        assert!((6.0..10.0).contains(&mean), "{mean}");
        assert!((60..140).contains(&most_of_them), "{most_of_them}");
        assert!(most <= 400, "{most}");
        let (mean, most_of_them, most) = read::<OverlappingBuckets>(keys);
        assert!((30.0..50.0).contains(&mean), "{mean}");
        assert!((500..2000).contains(&most_of_them), "{most_of_them}");
        // As many as the longest queue has room for.
        assert!(most <= 16_384, "{most}");
    }
}

#[test]
fn a_search_for_room_needs_little_stack() {
    fn fill_to_the_end<L: Layout>() {
        let mut filter = explicit::<L>(20_000, 12);
        let held = fill(&mut filter, 0);
        // It searched as far as it may: the table is nearly full.
        assert!(held as f64 > 0.94 * filter.slots() as f64, "{held}");
    }
    let thread = std::thread::Builder::new().stack_size(64 << 10);
    let filled = thread.spawn(|| {
        fill_to_the_end::<Buckets>();
        fill_to_the_end::<OverlappingBuckets>();
    });
    filled.unwrap().join().unwrap();
}

#[test]
fn a_plan_knows_its_budget_and_the_least_keys_for_it() {
    let goal = Goal::fpr(100, 0.01);
    let plans = [CuckooFilter::plan(goal), <CuckooFilter as PlanFilter>::plan(goal)];
    assert!(plans.iter().all(|plan| plan.as_ref().unwrap().budget == Some(goal.budget)));
    let few = Goal::bits_per_key(1, 9.0);
    let refused = CuckooFilter::plan(few).unwrap_err();
    assert!(matches!(refused, PlanError::FewKeys { keys: 1, .. }), "{refused}");
    assert_eq!(<CuckooFilter as PlanFilter>::plan(few).unwrap_err(), refused);
}
