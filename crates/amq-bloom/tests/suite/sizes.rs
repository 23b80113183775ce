//! Filters of unlike sizes: expanded, and merged by whole factors.

use amq_bloom::{
    BlockedBloomFilter, BlockedParams, BloomFilter, BloomParams, Filter, Goal, InsertFilter,
    KeyHash, MergeError, MergeFilter, PlanError, PlanFilter, WideBlockedBloomFilter,
    WideBlockedParams,
};
use amq_conformance::testing::hashes;
use amq_conformance::with_params;
use amq_core::EmptyFilter;

fn filled<F: EmptyFilter + InsertFilter>(params: F::Params, hashes: &[KeyHash]) -> F {
    // Planned for more keys than it can hold, so that no rate is broken.
    let mut filter = with_params::<F>(params, 1_000_000, 7).unwrap();
    filter.insert_batch(hashes).unwrap();
    filter
}

/// Every pair of these sizes merges without losing a key, or is refused by the nearest sizes that
/// would do.
fn all_pairs_merge_or_name_what_would<F>(sizes: &[u64], params: impl Fn(u64) -> F::Params)
where
    F: EmptyFilter + InsertFilter + MergeFilter + Clone + PartialEq + std::fmt::Debug,
{
    let (one, two) = (hashes(0..3, 0), hashes(3..8, 0));
    let fits = |ours: u64, theirs: u64| ours.is_multiple_of(theirs) || theirs.is_multiple_of(ours);
    for (&ours, &theirs) in sizes.iter().flat_map(|one| sizes.iter().map(move |two| (one, two))) {
        let (left, right) = (filled::<F>(params(ours), &one), filled::<F>(params(theirs), &two));
        let mut sum = left.clone();
        let foretold = sum.can_merge(&right);
        let result = sum.merge(&right);
        assert_eq!(foretold, result, "{ours} and {theirs}");
        match result {
            Ok(()) => {
                assert!(fits(ours, theirs));
                assert!(one.iter().chain(&two).all(|&hash| sum.contains_hash(hash)));
                assert!(sum.params() == params(ours.max(theirs)) && sum.load_factor() > 0.0);
                assert_eq!(sum.len(), left.len() + right.len());
                let mut other_way = right;
                other_way.merge(&left).unwrap();
                assert!(other_way == sum || ours == theirs, "{ours} and {theirs}");
            }
            Err(MergeError::Sizes { below, above, .. }) => {
                assert!(!fits(ours, theirs) && sum == left);
                assert!(below < theirs && theirs < above, "{ours}: {below} {theirs} {above}");
                assert!(fits(ours, below) && fits(ours, above));
                assert!((below + 1..above).all(|size| !fits(ours, size)));
                let text = result.unwrap_err().to_string();
                assert!(text.contains(&below.to_string()) && text.contains(&above.to_string()));
            }
            Err(error) => panic!("{ours} and {theirs}: {error}"),
        }
    }
}

#[test]
fn all_pairs_of_sizes_merge_or_name_sizes_that_would() {
    let sizes: Vec<u64> = (1..=40).chain([64, 96, 120, 127, 128, 240, 1024]).collect();
    all_pairs_merge_or_name_what_would::<BloomFilter>(&sizes, |bits| BloomParams::new(bits, 3));
    all_pairs_merge_or_name_what_would::<BlockedBloomFilter>(&sizes, BlockedParams::new);
    let wide = |blocks| WideBlockedParams::new(blocks, 5);
    all_pairs_merge_or_name_what_would::<WideBlockedBloomFilter>(&sizes, wide);
}

#[test]
fn an_expanded_filter_answers_as_before_and_folds_back() {
    let asked = hashes(0..20_000, 0);
    for (size, factors) in [(1u64, 1..=20u64), (7, 1..=9), (64, 1..=3), (1000, 1..=17)] {
        for factor in factors {
            let keys = &asked[..1 + size as usize / 8];
            let bits = filled::<BloomFilter>(BloomParams::new(size, 4), keys);
            let blocks = filled::<BlockedBloomFilter>(BlockedParams::new(size), keys);
            let wide = filled::<WideBlockedBloomFilter>(WideBlockedParams::new(size, 6), keys);
            let larger = bits.expand(factor).unwrap();
            assert!(asked.iter().all(|&h| larger.contains_hash(h) == bits.contains_hash(h)));
            assert!((larger.expected_fpr() - bits.expected_fpr()).abs() < 1e-9);
            assert_eq!(larger.fold(factor).unwrap().as_bytes(), bits.as_bytes());
            let larger = blocks.expand(factor).unwrap();
            assert!(asked.iter().all(|&h| larger.contains_hash(h) == blocks.contains_hash(h)));
            assert_eq!(larger.fold(factor).unwrap().as_bytes(), blocks.as_bytes());
            let larger = wide.expand(factor).unwrap();
            assert!(asked.iter().all(|&h| larger.contains_hash(h) == wide.contains_hash(h)));
            assert_eq!(larger.fold(factor).unwrap().as_bytes(), wide.as_bytes());
        }
    }
    let filter = BloomFilter::new(Goal::fpr(1000, 0.01)).unwrap();
    for factor in [0, u64::MAX, 1 << 55] {
        filter.expand(factor).unwrap_err();
    }
    let filter = BlockedBloomFilter::new(Goal::fpr(1000, 0.01)).unwrap();
    for factor in [0, u64::MAX, 1 << 31] {
        filter.expand(factor).unwrap_err();
    }
}

/// The rate that a merge keeps to, or is refused for, is that of the union as it would be.
#[test]
fn a_merge_within_a_rate_takes_the_smaller_size_or_is_refused() {
    let large = BloomFilter::build(Goal::fpr(40_000, 0.01), 0..2000u64).unwrap();
    let small = {
        let plan = BloomFilter::plan_foldable(Goal::fpr(2500, 0.01), 40_000).unwrap();
        let total = BloomFilter::plan_foldable(Goal::fpr(40_000, 0.01), 40_000).unwrap();
        assert_eq!(total.params.bits / plan.params.bits, 16);
        BloomFilter::build(plan, 2000..4000u64).unwrap()
    };
    let large = {
        let plan = BloomFilter::plan_foldable(Goal::fpr(40_000, 0.01), 40_000).unwrap();
        assert!(plan.bytes <= large.size_in_bytes() * 129 / 128);
        BloomFilter::build(plan, 0..2000u64).unwrap()
    };
    let all_in = |filter: &BloomFilter| (0..4000u64).all(|key| filter.contains(&key));
    // Both have room for 2,500 keys in the small size, and for 16 times 2,000 in the large one.
    for (first, second) in [(&large, &small), (&small, &large)] {
        let mut merged = first.clone();
        merged.merge_within(second, 0.2).unwrap();
        assert!(all_in(&merged));
        assert_eq!(merged.params(), small.params());
        let mut merged = first.clone();
        merged.merge_within(second, 0.012).unwrap();
        assert!(all_in(&merged) && merged.expected_fpr() <= 0.012);
        assert_eq!(merged.params(), large.params());
        let mut same = first.clone();
        let refused = same.merge_within(second, 0.001).unwrap_err();
        assert!(matches!(refused, MergeError::Rate { merged, asked: 0.001 }
            if merged > 0.001 && merged < 0.012));
        assert!(same == *first);
    }
}

/// In the union the keys of a part at a d-th of the size count d times.
#[test]
fn a_union_errs_as_if_an_expanded_part_held_multiples() {
    let params = |bits| BloomParams::new(bits, 7);
    for factor in [2u64, 5, 10] {
        let large = filled::<BloomFilter>(params(960_000), &hashes(0..40_000, 0));
        let part = hashes(40_000..40_000 + 60_000 / factor, 0);
        let mut merged = filled::<BloomFilter>(params(960_000 / factor), &part);
        merged.merge(&large).unwrap();
        let predicted = BloomFilter::predicted_fpr(&params(960_000), 100_000).mean;
        let rate = merged.expected_fpr();
        assert!((rate / predicted - 1.0).abs() < 0.03, "{factor}: {rate} {predicted}");
    }
}

/// A merge that would break the promise of the larger filter is refused for the rate.
#[test]
fn parts_that_overfill_a_union_are_refused_for_the_rate() {
    let plan = |keys| BlockedBloomFilter::plan_foldable(Goal::fpr(keys, 0.01), 100_000).unwrap();
    let mut all = BlockedBloomFilter::build(plan(100_000), 0..90_000u64).unwrap();
    let few = BlockedBloomFilter::build(plan(500), 90_000..90_030u64).unwrap();
    all.merge(&few).unwrap();
    assert!((0..90_030u64).all(|key| all.contains(&key)) && all.expected_fpr() < 0.0105);
    let many = BlockedBloomFilter::build(plan(50_000), 100_000..150_000u64).unwrap();
    let before = all.clone();
    let refused = all.merge(&many).unwrap_err();
    assert!(matches!(refused, MergeError::Rate { merged, asked } if merged > asked), "{refused}");
    assert!(all == before);
    all.merge_within(&many, 0.3).unwrap();
}

#[test]
fn any_two_parts_planned_for_one_total_have_sizes_that_merge() {
    for total in [1u64, 100, 5000, 1_000_000, 123_456_789] {
        let mut sizes = vec![];
        for share in [1u64, 2, 3, 10, 77, 1000, 100_000] {
            let keys = total.div_ceil(share);
            for goal in [Goal::fpr(keys, 0.01), Goal::bits_per_key(keys, 11.0)] {
                let Ok(plan) = BloomFilter::plan_foldable(goal, total) else { continue };
                match goal.budget {
                    amq_bloom::Budget::Fpr(rate) => assert!(plan.expected_fpr <= rate),
                    _ => assert!(plan.bits_per_key() <= 11.0),
                }
                sizes.push((share, goal.budget, plan.params));
            }
        }
        for (_, budget, one) in &sizes {
            for (_, other_budget, two) in &sizes {
                let (large, small) = (one.bits.max(two.bits), one.bits.min(two.bits));
                assert!(budget != other_budget || large.is_multiple_of(small), "{one:?} {two:?}");
                assert!(budget != other_budget || one.probes == two.probes);
            }
        }
        assert!(sizes.len() >= 7);
    }
    assert!(BloomFilter::plan_foldable(Goal::fpr(10, f64::NAN), 100).is_err());
    assert!(BloomFilter::plan_foldable(Goal::bytes(10, 0), 100).is_err());
    assert!(BlockedBloomFilter::plan_foldable(Goal::fpr(0, 0.01), 0).is_ok());
}

/// More bytes for a part are more for the whole, too: the way out is not the smallest fraction of
/// the whole that was too large.
#[test]
fn a_part_of_too_few_bytes_names_bytes_that_do() {
    let (mut refused, mut planned) = (0, 0);
    for (keys, total) in [(100, 1000), (1, 1000), (100, 1_000_000), (77, 12_345), (5000, 12_345)] {
        for bytes in [1, 8, 40, 300, 1000, 1248, 5000] {
            let goal = Goal::bytes(keys, bytes);
            let bits = BloomFilter::plan_foldable(goal, total).map(drop);
            let blocks = BlockedBloomFilter::plan_foldable(goal, total).map(drop);
            for (is_bits, result) in [(true, bits), (false, blocks)] {
                let Err(error) = result else {
                    planned += 1;
                    continue;
                };
                let PlanError::Bytes { bytes: asked, min } = error else { panic!("{error}") };
                assert!(asked == bytes && min > bytes, "{goal:?} of {total}: {error}");
                let enough = Goal::bytes(keys, min);
                let (again, size) = match is_bits {
                    true => BloomFilter::plan_foldable(enough, total).map(|it| it.bytes),
                    false => BlockedBloomFilter::plan_foldable(enough, total).map(|it| it.bytes),
                }
                .map_or_else(|error| (Some(error), 0), |bytes| (None, bytes));
                assert!(again.is_none() && size <= min, "{goal:?} of {total}: {error}; {again:?}");
                refused += 1;
            }
        }
    }
    assert!(refused > 20 && planned > 0, "{refused} refused, {planned} planned");
}

/// The advice of the error for sizes that do not merge, and of `plan_foldable`: halves of a whole
/// are each planned for all of it.
#[test]
fn halves_keep_the_rate_if_planned_for_the_whole() {
    let plan = |keys| BloomFilter::plan_foldable(Goal::fpr(keys, 0.01), 200_000).unwrap();
    let half = |plan, first: u64| BloomFilter::build(plan, first..first + 100_000).unwrap();
    let mut whole = half(plan(200_000), 0);
    whole.merge(&half(plan(200_000), 100_000)).unwrap();
    assert!((0..200_000u64).all(|key| whole.contains(&key)) && whole.expected_fpr() < 0.0105);

    // At half of the size, 100,000 keys count as 200,000: there is room for one such part.
    let mut whole = BloomFilter::new(plan(200_000)).unwrap();
    whole.merge(&half(plan(100_000), 0)).unwrap();
    let refused = whole.merge(&half(plan(100_000), 100_000)).unwrap_err();
    assert!(matches!(refused, MergeError::Rate { merged, .. } if merged > 0.1), "{refused}");
    // Equal sizes merge, as a full filter takes further keys, unless a rate is to be kept.
    let mut first = half(plan(100_000), 0);
    let second = half(plan(100_000), 100_000);
    first.clone().merge(&second).unwrap();
    let refused = first.merge_within(&second, 0.011).unwrap_err();
    assert!(matches!(refused, MergeError::Rate { merged, .. } if merged > 0.1), "{refused}");
}

#[test]
fn a_filter_that_cannot_be_expanded_says_so() {
    let bits = BloomFilter::new(BloomFilter::plan_params(BloomParams::new(640, 7), 60).unwrap());
    let bits = bits.unwrap();
    let said = bits.expand(0).unwrap_err().to_string();
    assert_eq!(
        said,
        "a table of 640 bits cannot be expanded by 0: the factor must be from 1 to \
         28823037615171174"
    );
    let plan = BlockedBloomFilter::plan_params(BlockedParams::new(1000), 60).unwrap();
    let blocks = BlockedBloomFilter::new(plan).unwrap();
    let said = blocks.expand(1 << 31).unwrap_err().to_string();
    assert_eq!(
        said,
        "a table of 1000 blocks cannot be expanded by 2147483648: the factor must be from 1 to \
         2147483"
    );
}
