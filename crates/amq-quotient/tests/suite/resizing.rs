//! Laws of growing, shrinking, merging and building: no bit of a hash is lost or made up.

use amq_conformance::testing::hash;
use amq_conformance::with_params;
use amq_quotient::{
    Budget, BuildError, BuildFilter, Filter, FilterFile, Goal, InsertError, InsertFilter, KeyHash,
    MergeError, MergeFilter, Plan, PlanFilter, QuotientFilter, QuotientParams, RemoveFilter,
};

fn params(slots: u64, remainder_bits: u32) -> QuotientParams {
    QuotientParams::new(slots, remainder_bits)
}

fn empty(slots: u64, remainder_bits: u32) -> QuotientFilter {
    let params = params(slots, remainder_bits);
    with_params::<QuotientFilter>(params, params.max_keys(), 0).unwrap()
}

#[test]
fn growing_and_shrinking_keep_every_bit_of_every_hash() {
    for (slots, bits, keys) in [(100u64, 9u32, 90u64), (640, 6, 600), (4096, 12, 3000), (1, 20, 1)]
    {
        let mut filter = empty(slots, bits);
        filter.insert_batch(&(0..keys).map(|key| hash(key, 0)).collect::<Vec<_>>()).unwrap();
        let first = filter.clone();
        let (rate, listed) = (filter.expected_fpr(), filter.iter().collect::<Vec<_>>());
        for doubling in 1..=bits {
            filter.grow().unwrap();
            filter.validate().unwrap();
            assert_eq!(filter.params(), params(slots << doubling, bits - doubling));
            assert_eq!(filter.expected_fpr(), rate);
            assert!(filter.iter().eq(listed.iter().copied()));
            assert!((0..keys).all(|key| filter.contains_hash(hash(key, 0))));
        }
        assert!(filter.grow().is_err());
        for doubling in (0..bits).rev() {
            filter.shrink().unwrap();
            filter.validate().unwrap();
            assert_eq!(filter.params(), params(slots << doubling, bits - doubling));
        }
        assert!(filter == first);
    }
}

#[test]
fn a_shrunk_filter_says_how_many_keys_it_takes() {
    let planned = QuotientFilter::plan(Goal::fpr(4000, 0.01)).unwrap();
    let grows = planned.params.with_max_slots(planned.params.slots * 2);
    let mut growing = QuotientFilter::new(Plan::new(grows, 4000)).unwrap();
    growing.shrink().unwrap();
    assert_eq!(growing.capacity(), 4000);

    // An even number of slots.
    let slots = planned.params.slots / 2 * 2 + 2;
    let params = params(slots, planned.params.remainder_bits);
    let mut filter = QuotientFilter::new(Plan::new(params, 4000)).unwrap();
    let halved = slots / 2 * 19 / 20;
    filter.shrink().unwrap();
    assert_eq!((filter.capacity(), filter.stats().capacity), (halved, halved));
    let read = QuotientFilter::from_bytes(&filter.to_bytes().unwrap()).unwrap();
    assert_eq!(read.capacity(), halved);
    // No more keys are accepted, and the error names that number.
    let hashes: Vec<_> = (0..4000).map(|key| hash(key, 0)).collect();
    let full = filter.insert_batch(&hashes).unwrap_err();
    assert_eq!(full.done, halved);
    assert!(matches!(full.error, InsertError::Table { capacity, .. } if capacity == halved));
    filter.grow().unwrap();
    assert_eq!(filter.capacity(), 4000);
}

#[test]
fn what_cannot_shrink_says_why_and_stays() {
    let mut filter = empty(1280, 8);
    filter.insert_batch(&(0..700).map(|key| hash(key, 0)).collect::<Vec<_>>()).unwrap();
    let before = filter.clone();
    assert!(filter.shrink().unwrap_err().to_string().contains("700"));
    assert!(filter == before);
    let mut odd = empty(65, 8);
    assert!(odd.shrink().unwrap_err().to_string().contains("65 slots"));
    let mut wide = empty(16, 56);
    assert!(wide.shrink().unwrap_err().to_string().contains("56 is the most"));
    // As far as it goes: 1280 = 5 * 2^8, and 30 keys need 32 slots.
    for key in 30..700 {
        filter.remove_hash(hash(key, 0));
    }
    assert_eq!(filter.shrink_to_fit(), Ok(true));
    assert_eq!(filter.params(), params(40, 13));
    assert_eq!(filter.shrink_to_fit(), Ok(false));
    filter.validate().unwrap();
    assert!((0..30).all(|key| filter.contains_hash(hash(key, 0))));
}

#[test]
fn a_growing_filter_reaches_its_limit_at_the_predicted_rate() {
    let goal = Goal::fpr(50_000, 0.01);
    let mut filter = QuotientFilter::new(QuotientFilter::plan_growing(goal, 100).unwrap()).unwrap();
    let first = filter.params();
    assert!(first.max_keys() >= 100 && first.slots * 16 < first.max_slots);
    for key in 0..50_000 {
        filter.insert_hash(hash(key, 0)).unwrap();
        if key % 5_000 == 0 {
            filter.validate().unwrap();
            let predicted = QuotientFilter::predicted_fpr(&filter.params(), key + 1);
            let off = (filter.expected_fpr() - predicted.mean).abs();
            assert!(off <= 6.0 * predicted.sd + 1e-12, "{off:e} at {key}");
        }
    }
    assert_eq!(filter.params().slots, first.max_slots);
    assert!(
        filter.expected_fpr() <= 0.01 && (0..50_000).all(|key| filter.contains_hash(hash(key, 0)))
    );
    let wrong = (1 << 40..(1 << 40) + 200_000).filter(|&key| filter.contains_hash(hash(key, 0)));
    let (found, expected) = (wrong.count() as f64, 200_000.0 * filter.expected_fpr());
    assert!((found - expected).abs() < 5.0 * expected.sqrt(), "{found} of {expected}");
    // Beyond the limit it refuses.
    let mut key = 50_000;
    while filter.insert_hash(hash(key, 0)).is_ok() {
        key += 1;
    }
    let before = filter.clone();
    assert!(matches!(filter.insert_hash(hash(key, 0)), Err(InsertError::Table { .. })));
    assert!(filter == before && filter.len() == filter.params().max_keys());
}

#[test]
fn a_batch_grows_as_single_inserts_do() {
    let hashes: Vec<KeyHash> = (0..20_000).map(|key| hash(key, 0)).collect();
    let goal = Goal::fpr(12_000, 0.01);
    let plan = QuotientFilter::plan_growing(goal, 100).unwrap();
    let mut one = QuotientFilter::new(plan).unwrap();
    let mut many = one.clone();
    let done = hashes.iter().take_while(|&&hash| one.insert_hash(hash).is_ok()).count() as u64;
    let refused = many.insert_batch(&hashes).unwrap_err();
    assert_eq!(refused.done, done);
    assert!(done >= 12_000 && one == many);
}

#[test]
fn growth_can_be_allowed_later_and_no_further_than_the_bits_go() {
    let mut filter = empty(640, 3);
    assert_eq!(filter.params().max_slots, 640);
    assert!(filter.allow_growth(639).is_err() && filter.allow_growth(640 * 8 + 1).is_err());
    // The limit is not a power of two times the slots: growth stops below it.
    filter.allow_growth(640 * 7).unwrap();
    let done = (0..10_000).take_while(|&key| filter.insert_hash(hash(key, 0)).is_ok()).count();
    assert_eq!(filter.params(), params(640 * 4, 1).with_max_slots(640 * 7));
    assert_eq!(done as u64, filter.params().max_keys());
    assert!(matches!(filter.insert_hash(hash(0, 0)), Err(InsertError::Limit { limit: 4480, .. })));
}

#[test]
fn filters_a_power_of_two_apart_merge_as_inserting_all() {
    for (ours, theirs) in [
        (params(640, 8), params(640, 8)),
        (params(640, 8), params(640, 11)),
        (params(640, 8), params(1280, 7)),
        (params(640, 8), params(5120, 5)),
        (params(640, 8), params(320, 9)),
        (params(640, 8), params(320, 12)),
        (params(640, 8), params(160, 14)),
        (params(640, 0), params(640, 0)),
        (params(96, 3), params(24, 5)),
    ] {
        let some = theirs.max_keys().min(ours.max_keys() / 2);
        let mut one = with_params::<QuotientFilter>(ours, 1, 0).unwrap();
        let mut all = one.clone();
        let mut two = with_params::<QuotientFilter>(theirs, 1, 0).unwrap();
        for key in 0..some {
            one.insert_hash(hash(key, 0)).unwrap();
            all.insert_hash(hash(key, 0)).unwrap();
        }
        for key in some / 2..some / 2 + some {
            two.insert_hash(hash(key, 0)).unwrap();
            all.insert_hash(hash(key, 0)).unwrap();
        }
        one.merge(&two).unwrap();
        one.validate().unwrap();
        assert!(one == all, "{theirs:?} into {ours:?}");
    }
}

#[test]
fn filters_that_cannot_merge_say_what_differs() {
    let refusal = |ours, theirs| {
        let ours = with_params::<QuotientFilter>(ours, 1, 0).unwrap();
        let theirs = with_params::<QuotientFilter>(theirs, 1, 0).unwrap();
        ours.can_merge(&theirs).unwrap_err()
    };
    let field = |error| match error {
        MergeError::Mismatch { field, ours, theirs } => (field, ours, theirs),
        other => panic!("{other:?}"),
    };
    assert_eq!(field(refusal(params(640, 8), params(960, 8))), ("slots", 640, 960));
    assert_eq!(field(refusal(params(640, 8), params(641, 8))), ("slots", 640, 641));
    // No fewer fingerprints than ours, however they are divided between slots and remainders.
    for (ours, theirs) in [
        (params(640, 8), params(640, 7)),
        (params(640, 8), params(320, 8)),
        (params(640, 8), params(1280, 6)),
        (params(640, 2), params(80, 0)),
        (params(128, 0), params(64, 0)),
        (params(1152, 0), params(576, 0)),
    ] {
        let error =
            MergeError::Fingerprints { ours: ours.fingerprints(), theirs: theirs.fingerprints() };
        assert_eq!(refusal(ours, theirs), error);
        let [coarser, finer] =
            [theirs, ours].map(|params| with_params::<QuotientFilter>(params, 1, 0).unwrap());
        assert_eq!(coarser.can_merge(&finer), Ok(()));
    }
}

/// Every geometry of a few slots and short remainders, with every other one.
#[test]
fn any_two_small_tables_merge_as_inserting_all_or_say_why_not() {
    let geometries = || (1..=24).flat_map(|slots| (0..=4).map(move |bits| params(slots, bits)));
    let filled = |params: QuotientParams, keys: u64, from: u64| {
        let mut filter = with_params::<QuotientFilter>(params, 1, 0).unwrap();
        for key in from..from + keys {
            filter.insert_hash(hash(key, 0)).unwrap();
        }
        filter
    };
    let (mut merged, mut fewer, mut apart, mut full) = (0, 0, 0, 0);
    let pairs = geometries().flat_map(|ours| geometries().map(move |theirs| (ours, theirs)));
    for (ours, theirs) in pairs {
        let (few, room) = (ours.max_keys() / 3, ours.max_keys() - ours.max_keys() / 3);
        // As many as the one takes, and as many as the other has room for.
        for many in [theirs.max_keys(), theirs.max_keys().min(room)] {
            let mut one = filled(ours, few, 0);
            let two = filled(theirs, many, 100);
            let before = one.clone();
            let error = match one.merge(&two) {
                Ok(()) => {
                    one.validate().unwrap();
                    let mut all = before;
                    for key in 100..100 + many {
                        all.insert_hash(hash(key, 0)).unwrap();
                    }
                    assert!(one == all, "{theirs:?} into {ours:?}");
                    merged += 1;
                    continue;
                }
                Err(error) => error,
            };
            assert!(one == before && one.can_merge(&two) == Err(error));
            let (more, less) = (ours.slots.max(theirs.slots), ours.slots.min(theirs.slots));
            let power = more % less == 0 && (more / less).is_power_of_two();
            *match error {
                MergeError::Mismatch { field: "slots", .. } if !power => &mut apart,
                MergeError::Fingerprints { ours: f, theirs: g } if power && g < f => &mut fewer,
                MergeError::Keys { slots, .. } if few + many > ours.max_keys() => {
                    assert_eq!(slots, ours.slots);
                    &mut full
                }
                other => panic!("{theirs:?} into {ours:?}: {other}"),
            } += 1;
        }
    }
    assert!(
        merged > 700 && fewer > 700 && apart > 700 && full > 700,
        "{merged} {fewer} {apart} {full}"
    );
}

#[test]
fn too_large_a_merge_changes_nothing_unless_it_may_grow() {
    let mut one = empty(640, 8);
    let mut two = empty(640, 8);
    one.insert_batch(&(0..400).map(|key| hash(key, 0)).collect::<Vec<_>>()).unwrap();
    two.insert_batch(&(300..700).map(|key| hash(key, 0)).collect::<Vec<_>>()).unwrap();
    let before = one.clone();
    let refused = one.merge(&two);
    assert!(matches!(refused, Err(MergeError::Keys { ours: 400, theirs: 400, slots: 640 })));
    assert!(one == before);
    one.allow_growth(1280).unwrap();
    one.merge(&two).unwrap();
    one.validate().unwrap();
    assert_eq!((one.params(), one.len()), (params(1280, 7), 800));
    assert!((0..700).all(|key| one.contains_hash(hash(key, 0))));
}

#[test]
fn a_filter_built_at_once_is_the_one_that_inserting_makes() {
    for n in (0..200).chain([1000, 4095, 4096, 50_000, 300_000]) {
        for budget in [Budget::Fpr(0.3), Budget::Fpr(0.01), Budget::BitsPerKey(200.0)] {
            let hashes: Vec<KeyHash> = (0..n).map(|key| hash(key - key % 7, 0)).collect();
            let Ok(built) = QuotientFilter::build_hashes(budget, 0, &hashes) else {
                continue;
            };
            let keys = n.max(1);
            let mut filled = QuotientFilter::new(Goal::new(keys, budget)).unwrap();
            filled.insert_batch(&hashes).unwrap();
            assert!(built == filled, "{n} keys, {budget:?}");
            if n <= 4096 {
                built.validate().unwrap();
            }
        }
    }
}

#[test]
fn a_growing_filter_built_at_once_is_the_one_that_has_grown() {
    let plan = QuotientFilter::plan_growing(Goal::fpr(12_000, 0.01), 100).unwrap();
    for n in [0, 1, 900, 1000, 5000, 12_000] {
        let hashes: Vec<KeyHash> = (0..n).map(|key| hash(key, 0)).collect();
        let built = QuotientFilter::build_hashes(plan, 0, &hashes).unwrap();
        let mut filled = QuotientFilter::with_seed(plan, 0).unwrap();
        filled.insert_batch(&hashes).unwrap();
        assert!(built == filled, "{n} keys");
        assert!(built.size_in_bytes() <= plan.bytes);
    }
    let hashes: Vec<KeyHash> = (0..12_001).map(|key| hash(key, 0)).collect();
    assert_eq!(
        QuotientFilter::build_hashes(plan, 0, &hashes).err(),
        Some(BuildError::TooManyKeys { planned: 12_000 })
    );
}

#[test]
fn a_plan_for_more_keys_than_its_table_takes_is_refused() {
    let hashes: Vec<KeyHash> = (0..700).map(|key| hash(key, 0)).collect();
    for params in [params(640, 3), params(160, 5).with_max_slots(639)] {
        let plan = QuotientFilter::plan_params(params, 700).unwrap();
        let refused = QuotientFilter::build_hashes(plan, 0, &hashes).unwrap_err();
        let mut filled = QuotientFilter::with_seed(plan, 0).unwrap();
        let full = filled.insert_batch(&hashes).unwrap_err();
        assert_eq!(refused, BuildError::Insert(full));
    }
}
