//! Limits on bytes: they are used to the last byte, and the rate is kept.

use crate::laws::{QUERIES, false_positives, fill, filled, make};
use amq_bloom::{BlockedBloomFilter, BloomFilter, Filter, InsertExt, PlanFilter};
use amq_scalable::{
    InsertError, MergeError, OwnedStage, PlanError, ScalableBloomFilter, ScalableFilter,
    ScalableParams, theory,
};

/// Fills a filter up to its limit on bytes, which must be used to the last, at the rate promised.
fn uses_every_byte<F: OwnedStage>(params: ScalableParams) -> ScalableFilter<F> {
    let mut filter = make::<ScalableFilter<F>>(params, 9).unwrap();
    let (key, full) = fill(&mut filter);
    let limit = params.max_bytes;
    let what = "bytes";
    assert_eq!(full, InsertError::Limit { what, limit }, "{params:?}");
    // The remaining bytes are too few for a further stage, including its place in the list.
    assert!(
        filter.size_in_bytes() <= limit && filter.size_in_bytes() + 200 > limit,
        "{params:?}: {}",
        filter.stats()
    );
    assert_eq!(filter.len(), filter.capacity());
    let predicted = theory::fpr::<F>(&params, key);
    assert!(predicted.mean <= params.fpr * 1.0001, "{predicted:?}");
    let own = filter.expected_fpr();
    assert!(
        (own - predicted.mean).abs() < 5.0 * predicted.sd + 1e-3 * predicted.mean,
        "{params:?}: {own} {predicted:?}"
    );
    // The plan says the same without a filter, and how many keys the limit allows.
    let max = filter.capacity();
    let plan = ScalableFilter::<F>::plan_params(params, max).unwrap();
    assert_eq!(plan.bytes, filter.size_in_bytes());
    let (keys, min) = (max + 1, 0);
    let refusal = PlanError::Keys { keys, min, max };
    assert_eq!(ScalableFilter::<F>::plan_params(params, keys), Err(refusal));
    filter
}

#[test]
fn a_limit_on_bytes_is_used_up_and_the_rate_is_kept() {
    let open = ScalableParams::new(1000, 0.01);
    for params in [
        open,
        open.with_growth(4),
        open.with_growth(64),
        open.with_tightening(0.5),
        open.with_max_keys(1_000_000),
        open.with_growth(4).with_max_keys(400_000),
        ScalableParams::new(100, 1e-4),
        ScalableParams::new(1, 0.2),
    ] {
        let params = params.with_max_bytes(100_000);
        let filter = uses_every_byte::<BloomFilter>(params);
        let found = false_positives(&filter) as f64;
        // By the contents, the rate of this very filter is known exactly.
        let expected = QUERIES as f64 * filter.expected_fpr();
        assert!(
            (found - expected).abs() < 4.5 * expected.sqrt(),
            "{params:?}: {found} of {expected}"
        );
        uses_every_byte::<BlockedBloomFilter>(params);
    }
    for limit in (3_000..60_000).step_by(997) {
        uses_every_byte::<BloomFilter>(ScalableParams::new(100, 0.01).with_max_bytes(limit));
        uses_every_byte::<BlockedBloomFilter>(ScalableParams::new(90, 0.01).with_max_bytes(limit));
    }
}

#[test]
fn too_few_bytes_for_the_first_stage_are_refused_with_the_least() {
    let params = ScalableParams::new(1000, 0.01);
    let first = ScalableBloomFilter::plan_params(params, 1000).unwrap().bytes;
    let refused = ScalableBloomFilter::plan_params(params.with_max_bytes(first - 1), 1000);
    let (bytes, min) = (first - 1, first);
    assert_eq!(refused, Err(PlanError::Bytes { bytes, min }));
    // As large as the first stage, it is the only one.
    let mut one = make::<ScalableBloomFilter>(params.with_max_bytes(first), 0).unwrap();
    fill(&mut one);
    assert_eq!((one.stage_count(), one.size_in_bytes()), (1, first));
}

#[test]
fn a_stage_that_fits_is_not_cut() {
    // A limit of exactly the size of two stages, or a little more, gives the same two stages.
    let params = ScalableParams::new(1000, 0.01);
    let open = filled(params, 0..2500);
    assert_eq!(open.stage_count(), 2);
    for more in [0, 1, 100] {
        let limited = params.with_max_bytes(open.size_in_bytes() + more);
        let limited = filled(limited, 0..2500);
        assert!(limited.stages().eq(open.stages()));
    }
    let cut = filled(params.with_max_bytes(open.size_in_bytes() - 1), 0..2500);
    assert!(!cut.stages().eq(open.stages()) && cut.stage_count() == 2);
}

#[test]
fn the_last_stage_is_planned_in_a_bounded_number_of_steps() {
    for params in [
        ScalableParams::new(1, 1e-9).with_max_bytes(u64::MAX - 1),
        ScalableParams::new(1000, 0.01).with_growth(64).with_max_bytes(1 << 40),
        ScalableParams::new(1 << 40, 0.5).with_max_bytes(1 << 50),
        ScalableParams::new(1, 0.9).with_max_keys(1 << 40).with_max_bytes(1 << 30),
    ] {
        let plan = || ScalableBloomFilter::plan_params(params, u64::MAX);
        let (refused, steps) = amq_core::internal::steps_of(plan);
        assert!(matches!(refused, Err(PlanError::Keys { .. })), "{refused:?}");
        let rate = || theory::fpr::<BloomFilter>(&params, u64::MAX);
        let (rate, more) = amq_core::internal::steps_of(rate);
        assert!((0.0..=params.fpr * 1.0001).contains(&rate.mean), "{rate:?}");
        assert!(steps + more < 200_000, "{params:?}: {steps} + {more}");
    }
}

#[test]
fn filters_cut_to_one_limit_merge_and_those_of_two_do_not() {
    let params = ScalableParams::new(100, 0.01).with_max_bytes(5000);
    let mut full = make::<ScalableBloomFilter>(params, 0).unwrap();
    let (keys, _) = fill(&mut full);
    let early = filled(params, 0..300);
    for (mut sum, other) in [(full.clone(), &early), (early.clone(), &full), (full.clone(), &full)]
    {
        sum.merge(other).unwrap();
        assert!((0..keys).all(|key| sum.contains(&key)));
        assert!(sum.stages().eq(full.stages()));
        // It is as full as before, and says so.
        let absent = (1u64 << 50..).find(|key| !sum.contains(key)).unwrap();
        assert_eq!(sum.insert(&absent), full.clone().insert(&absent));
        assert!(sum.insert(&absent).is_err());
    }
    for limit in [4000, 6000, u64::MAX] {
        let mut other = filled(params.with_max_bytes(limit), 0..300);
        let before = other.clone();
        let field = "max_bytes";
        let (ours, theirs) = (limit, 5000);
        let refusal = MergeError::Mismatch { field, ours, theirs };
        assert_eq!(other.merge(&full), Err(refusal));
        assert_eq!(other, before);
        assert!(full.clone().merge(&other).is_err());
    }
    // Without a cut stage the limits may differ.
    let mut larger = filled(params.with_max_bytes(9000), 0..250);
    larger.merge(&early).unwrap();
    // A merge that would exceed the rate once the last stage is full is refused as ever.
    let mut others = make::<ScalableBloomFilter>(params, 0).unwrap();
    others.insert_keys(&Vec::from_iter(1u64 << 40..(1 << 40) + 100)).unwrap();
    let mut sum = full.clone();
    assert!(matches!(sum.merge(&others), Err(MergeError::Rate { asked: 0.01, .. })));
    assert_eq!(sum, full);
}
