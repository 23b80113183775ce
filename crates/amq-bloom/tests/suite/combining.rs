//! Folding, unions and intersections.

use amq_bloom::{
    BlockedBloomFilter, BlockedParams, BloomFilter, BloomParams, Budget, EmptyFilter, Filter,
    FoldError, Goal, InsertFilter, MergeError, MergeFilter, Plan, PlanFilter,
    WideBlockedBloomFilter, WideBlockedParams,
};
use amq_conformance::testing::hashes;
use amq_conformance::{by_inserting, with_params};
use amq_core::numeric::first_true;

#[test]
fn a_folded_filter_is_the_one_built_at_that_size() {
    for bits in [64u64, 960, 12_345 * 3, 64_000] {
        let params = BloomParams::new(bits, 5);
        let mut whole = with_params::<BloomFilter>(params, 1000, 7).unwrap();
        whole.insert_batch(&hashes(0..1000, 0)).unwrap();
        for factor in (1..=64).filter(|factor| bits % factor == 0) {
            let bits = bits / factor;
            let mut small = with_params::<BloomFilter>(BloomParams::new(bits, 5), 1000, 7).unwrap();
            small.insert_batch(&hashes(0..1000, 0)).unwrap();
            let folded = whole.fold(factor).unwrap();
            assert_eq!(folded.as_bytes(), small.as_bytes(), "{} / {factor}", whole.params().bits);
            assert_eq!(folded.params(), small.params());
        }
    }
    for blocks in [1u64, 12, 35, 64] {
        let mut whole =
            with_params::<BlockedBloomFilter>(BlockedParams::new(blocks), 500, 7).unwrap();
        whole.insert_batch(&hashes(0..500, 0)).unwrap();
        for factor in (1..=blocks).filter(|factor| blocks % factor == 0) {
            let params = BlockedParams::new(blocks / factor);
            let mut small = with_params::<BlockedBloomFilter>(params, 500, 7).unwrap();
            small.insert_batch(&hashes(0..500, 0)).unwrap();
            assert_eq!(whole.fold(factor).unwrap().as_bytes(), small.as_bytes());
        }
        let wide = |blocks| {
            let params = WideBlockedParams::new(blocks, 10);
            let mut filter = with_params::<WideBlockedBloomFilter>(params, 500, 7).unwrap();
            filter.insert_batch(&hashes(0..500, 0)).unwrap();
            filter
        };
        for factor in (1..=blocks).filter(|factor| blocks % factor == 0) {
            let folded = wide(blocks).fold(factor).unwrap();
            assert_eq!(folded.as_bytes(), wide(blocks / factor).as_bytes());
            assert_eq!(folded.params(), wide(blocks / factor).params());
        }
    }
}

#[test]
fn planned_filters_fold_by_64_and_the_rate_is_that_of_the_size() {
    let mut filter = BloomFilter::new(Goal::fpr(64_000, 1e-3)).unwrap();
    filter.insert_batch(&hashes(0..1000, 0)).unwrap();
    let small = filter.fold(64).unwrap();
    let predicted = BloomFilter::predicted_fpr(&small.params(), 1000);
    assert!((small.expected_fpr() - predicted.mean).abs() < 5.0 * predicted.sd);
    assert_eq!(small.len(), 1000);
}

#[test]
fn a_folded_filter_has_the_capacity_of_its_budget() {
    capacities_of_folds(BloomParams::new(6_400_000, 6), BloomFilter::fold);
    capacities_of_folds(BlockedParams::new(25_600), BlockedBloomFilter::fold);
    capacities_of_folds(WideBlockedParams::new(12_800, 7), WideBlockedBloomFilter::fold);
}

#[allow(clippy::unwrap_used, reason = "part of a test")]
fn capacities_of_folds<F: EmptyFilter>(
    params: F::Params,
    fold: impl Fn(&F, u64) -> Result<F, FoldError>,
) {
    let most = |params: &F::Params| {
        first_true(1, 10_000_000, |keys| F::predicted_fpr(params, keys).mean > 0.01) - 1
    };
    let planned = most(&params);
    let plan = F::plan_params(params, planned).unwrap();
    let filter = |plan| F::empty(plan, 7).unwrap();
    for factor in [1, 2, 64] {
        // A rate: the most keys within it.
        let small = fold(&filter(plan.with_budget(Budget::Fpr(0.01))), factor).unwrap();
        assert_eq!(small.capacity(), most(&small.params()));
        let share = planned / factor;
        assert!(small.capacity().abs_diff(share) * 100 <= share, "{}", small.capacity());
        // Anything else: as many bits per key as before.
        let by_size = [Budget::BitsPerKey(10.0), Budget::Bytes(800_000)];
        for plan in by_size.map(|budget| plan.with_budget(budget)).into_iter().chain([plan]) {
            let small = fold(&filter(plan), factor).unwrap();
            assert_eq!(small.capacity(), share);
            assert_eq!(fold(&small, 2).map(|it| it.capacity()), Ok(share / 2));
        }
    }
    // One key was planned for, and of a filter planned for no number of keys none is known.
    for (keys, of_fold) in [(1, 1), (0, 0)] {
        let plan = Plan::new(params, keys);
        assert_eq!(fold(&filter(plan), 64).map(|it| it.capacity()), Ok(of_fold));
    }
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
fn an_intersection_keeps_what_is_in_both() {
    let goal = Goal::fpr(2000, 0.01);
    let (mut a, mut b) = (BloomFilter::new(goal).unwrap(), BloomFilter::new(goal).unwrap());
    a.insert_batch(&hashes(0..1500, 0)).unwrap();
    b.insert_batch(&hashes(500..2000, 0)).unwrap();
    let mut both = a.clone();
    both.intersect(&b).unwrap();
    assert!((500..1500u64).all(|key| both.contains(&key)));
    let bytes = a.as_bytes().iter().zip(b.as_bytes()).map(|(x, y)| x & y);
    assert!(bytes.eq(both.as_bytes().iter().copied()));
    // Keys in one only are mostly gone.
    let left = (0..500u64).filter(|key| both.contains(key)).count();
    assert!(left < 100, "{left} of 500");

    let mut c = BlockedBloomFilter::new(goal).unwrap();
    let mut d = c.clone();
    c.insert_batch(&hashes(0..1500, 0)).unwrap();
    d.insert_batch(&hashes(500..2000, 0)).unwrap();
    c.intersect(&d).unwrap();
    assert!((500..1500u64).all(|key| c.contains(&key)));

    let mut e = WideBlockedBloomFilter::new(goal).unwrap();
    let mut f = e.clone();
    e.insert_batch(&hashes(0..1500, 0)).unwrap();
    f.insert_batch(&hashes(500..2000, 0)).unwrap();
    e &= &f;
    assert!((500..1500u64).all(|key| e.contains(&key)));
    let left = (0..500u64).filter(|key| e.contains(key)).count();
    assert!(left < 100, "{left} of 500");
}

/// Whatever the sizes, an intersection keeps every key that was in both, or is refused and changes
/// neither. Filters with equal parameters have one.
fn keeps_the_keys_of_both_or_is_refused<F>(intersect: fn(&mut F, &F) -> Result<(), MergeError>)
where
    F: EmptyFilter + Clone + PartialEq,
{
    // Sizes that are equal, that are multiples of each other, and others.
    let goals = [4000, 8000, 12_000, 4032, 64_000].map(|bytes| Goal::bytes(bytes, 2 * bytes));
    let goals: Vec<Goal> =
        goals.into_iter().chain([1e-3, 1e-2].map(|fpr| Goal::fpr(4000, fpr))).collect();
    let hashes = hashes(0..900, 9);
    let common = &hashes[300..600];
    for &ours in &goals {
        for &theirs in &goals {
            let one: F = by_inserting(ours, 9, &hashes[..600]).unwrap();
            let two = by_inserting(theirs, 9, &hashes[300..]).unwrap();
            let mut both = one.clone();
            let result = intersect(&mut both, &two);
            if result.is_ok() {
                let lost = common.iter().find(|&&hash| !both.contains_hash(hash));
                assert_eq!(lost, None, "{ours:?} and {theirs:?} intersected");
            } else {
                assert!(both == one, "changed by an intersection that was refused");
                assert!(ours != theirs, "{ours:?} twice: {result:?}");
            }
        }
        let [mut one, two] = [9, 8].map(|seed| by_inserting::<F>(ours, seed, common).unwrap());
        assert_eq!(intersect(&mut one, &two), Err(MergeError::Seeds));
    }
}

#[test]
fn an_intersection_loses_no_key_of_both_at_any_sizes() {
    keeps_the_keys_of_both_or_is_refused(BloomFilter::intersect);
    keeps_the_keys_of_both_or_is_refused(BlockedBloomFilter::intersect);
    keeps_the_keys_of_both_or_is_refused(WideBlockedBloomFilter::intersect);
}

/// Such filters merge: the smaller one is expanded. An intersection resizes neither.
#[test]
fn unlike_sizes_are_not_intersected_until_one_is_folded() {
    let [small, large] = [4000u64, 8000].map(|bytes| {
        let mut filter = BlockedBloomFilter::new(Goal::bytes(bytes, bytes * 8 / 5)).unwrap();
        filter.extend(0..400u64);
        filter
    });
    for (ours, theirs) in [(&small, &large), (&large, &small)] {
        let mut both = ours.clone();
        let refused = both.intersect(theirs).unwrap_err();
        assert!(matches!(refused, MergeError::Mismatch { field: "blocks", .. }), "{refused}");
        assert!(both == *ours && both.can_merge(theirs).is_ok());
    }
    let mut both = large.fold(2).unwrap();
    both &= &small;
    assert!((0..400u64).all(|key| both.contains(&key)));
}

#[test]
#[should_panic(expected = "the filters differ in blocks: 125 here, 250 there")]
fn the_operator_for_intersections_refuses_unlike_sizes() {
    let [mut small, large] =
        [4000, 8000].map(|bytes| BlockedBloomFilter::new(Goal::bytes(1000, bytes)).unwrap());
    small &= &large;
}

#[test]
fn filters_that_differ_are_not_combined_and_stay_as_they_were() {
    let params = BloomParams::new(640, 4);
    let mut ours = with_params::<BloomFilter>(params, 60, 1).unwrap();
    ours.insert_batch(&hashes(0..50, 0)).unwrap();
    let before = ours.clone();
    let other = |bits, probes, seed| {
        with_params::<BloomFilter>(BloomParams::new(bits, probes), 60, seed).unwrap()
    };
    for (theirs, field) in
        [(other(641, 4, 1), "bits"), (other(640, 5, 1), "probes"), (other(640, 4, 2), "seed")]
    {
        for result in [ours.merge(&theirs), ours.intersect(&theirs)] {
            match result {
                Err(
                    MergeError::Mismatch { field: named, .. }
                    | MergeError::Sizes { field: named, .. },
                ) => {
                    assert_eq!(named, field);
                }
                Err(MergeError::Seeds) => assert_eq!(field, "seed"),
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(ours, before);
    }
    let wide = |blocks, probes, seed| {
        let params = WideBlockedParams::new(blocks, probes);
        let mut filter = with_params::<WideBlockedBloomFilter>(params, 60, seed).unwrap();
        filter.insert_batch(&hashes(0..50, 0)).unwrap();
        filter
    };
    let mut ours = wide(9, 7, 1);
    for (theirs, field) in
        [(wide(8, 7, 1), "blocks"), (wide(9, 6, 1), "probes"), (wide(9, 7, 2), "seed")]
    {
        for result in [ours.merge(&theirs), ours.intersect(&theirs)] {
            match result {
                Err(
                    MergeError::Mismatch { field: named, .. }
                    | MergeError::Sizes { field: named, .. },
                ) => {
                    assert_eq!(named, field);
                }
                Err(MergeError::Seeds) => assert_eq!(field, "seed"),
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(ours, wide(9, 7, 1));
    }
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
