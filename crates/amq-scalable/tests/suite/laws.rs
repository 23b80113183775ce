//! What scalable filters promise beyond the suite that all filters pass.

use amq_bloom::{
    BlockedBloomFilter, BloomFilter, ClearFilter, Filter, FilterExt, FilterFile, InsertExt,
    MergeFilter, PlanFilter,
};
use amq_scalable::theory::{self, bits_per_key};
use amq_scalable::{
    BuildError, EmptyFilter, Goal, InsertError, KeyHash, LoadOptions, MergeError, OwnedStage,
    PlanError, ScalableBlockedBloomFilter, ScalableBloomFilter, ScalableFilter, ScalableParams,
};

/// An empty filter that grows by these parameters.
pub(crate) fn make<F>(params: ScalableParams, seed: u64) -> Result<F, BuildError>
where
    F: EmptyFilter<Params = ScalableParams>,
{
    amq_conformance::with_params(params, params.initial, seed)
}

/// Absent keys asked at each step of growth.
pub(crate) const QUERIES: u64 = 200_000;

pub(crate) fn false_positives<F: OwnedStage>(filter: &ScalableFilter<F>) -> u64 {
    let absent = (1u64 << 40)..(1 << 40) + QUERIES;
    absent.filter(|key| filter.contains(key)).count() as u64
}

/// Inserts 0, 1, 2, ... until a key is refused; returns that key and why.
pub(crate) fn fill<F: OwnedStage>(filter: &mut ScalableFilter<F>) -> (u64, InsertError) {
    (0u64..).find_map(|key| Some(key).zip(filter.insert(&key).err())).unwrap()
}

/// Grows by `growths` stages beyond the first. Just before a stage is added the compound rate is at
/// its highest: there it is measured, against the exact formula on both sides and against the
/// promise.
fn grow<F: OwnedStage>(params: ScalableParams, growths: usize, seed: u64) -> ScalableFilter<F> {
    let mut filter = make::<ScalableFilter<F>>(params, seed).unwrap();
    let mut key = 0u64;
    for stages in 1..=growths + 1 {
        while filter.stage_count() == stages && filter.len() < filter.capacity() {
            filter.insert(&key).unwrap();
            key += 1;
        }
        assert_eq!(filter.stage_count(), stages);
        let predicted = theory::fpr::<F>(&params, key);
        let sd = {
            let expected = QUERIES as f64 * predicted.mean;
            (expected + (QUERIES as f64 * predicted.sd).powi(2)).sqrt()
        };
        let found = false_positives(&filter) as f64;
        let off = (found - QUERIES as f64 * predicted.mean) / sd;
        assert!(off.abs() < 4.5, "{stages} stages, {key} keys: {off} sigma");
        assert!(predicted.mean <= params.fpr * 1.0001, "{stages} stages: {predicted:?}");
        assert!(found <= QUERIES as f64 * params.fpr + 3.0 * sd, "{stages} stages: {found}");
        // By its own contents, exactly.
        let own = filter.expected_fpr();
        assert!((own - predicted.mean).abs() < 5.0 * predicted.sd + 1e-3 * predicted.mean);
        if stages <= growths {
            // One key more, and there is one stage more.
            while filter.stage_count() == stages {
                filter.insert(&key).unwrap();
                key += 1;
            }
        }
    }
    assert!((0..key).all(|key| filter.contains(&key)));
    filter
}

#[test]
fn the_compound_rate_holds_through_twelve_growths() {
    grow::<BloomFilter>(ScalableParams::new(100, 0.01), 12, 1);
    grow::<BlockedBloomFilter>(ScalableParams::new(100, 0.01), 12, 2);
}

#[test]
fn the_compound_rate_holds_at_any_pace() {
    grow::<BloomFilter>(ScalableParams::new(1, 0.05).with_tightening(0.5), 12, 3);
    grow::<BloomFilter>(ScalableParams::new(50, 0.01).with_growth(4).with_tightening(0.7), 5, 4);
    grow::<BloomFilter>(ScalableParams::new(1000, 1e-3).with_growth(8), 2, 5);
}

#[test]
fn a_bounded_filter_keeps_its_rate_and_refuses_the_next_key() {
    let max = 150_000;
    let params = ScalableParams::new(1000, 0.01).with_growth(4).with_max_keys(max);
    let mut filter = grow::<BloomFilter>(params, 4, 6);
    assert_eq!(filter.capacity(), max);
    assert_eq!(filter.len(), max);
    let before = filter.clone();
    let key = (1u64 << 50..).find(|key| !filter.contains(key)).unwrap();
    assert_eq!(filter.insert(&key), Err(InsertError::Limit { what: "keys", limit: max }));
    assert_eq!(filter, before);
    // Present keys are still accepted, and change nothing.
    assert!(!filter.insert(&0u64).unwrap().is_new());
    assert_eq!(filter, before);
}

#[test]
fn limits_on_bytes_and_stages_refuse_and_change_nothing() {
    for (params, what) in [
        (ScalableParams::new(100, 0.01).with_max_stages(3), "stages"),
        (ScalableParams::new(100, 0.01).with_max_bytes(2000), "bytes"),
        // A compound rate so low that soon no stage can be planned at its share of it.
        (ScalableParams::new(100, 2e-16).with_tightening(0.1), "rate"),
    ] {
        let mut filter = make::<ScalableBloomFilter>(params, 0).unwrap();
        let (refused, full) = fill(&mut filter);
        let limited = match full {
            InsertError::Limit { what, .. } => what,
            InsertError::Stages { stages: 2.. } => "rate",
            other => panic!("{other}"),
        };
        assert_eq!(limited, what);
        assert!(refused >= 100 && filter.size_in_bytes() <= params.max_bytes);
        let before = filter.clone();
        assert_eq!(filter.insert(&refused), Err(full));
        assert_eq!(filter, before);
        assert!((0..refused).all(|key| filter.contains(&key)));
    }
}

#[test]
fn parameters_out_of_range_are_refused_by_name() {
    let name = |params: ScalableParams| match make::<ScalableBloomFilter>(params, 0) {
        Err(BuildError::Plan(error)) => match error {
            PlanError::Parameter { name, .. } | PlanError::Share { name, .. } => name,
            PlanError::Fpr { .. } => "fpr",
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    };
    let good = ScalableParams::new(100, 0.01);
    assert_eq!(name(good.with_growth(0)), "growth");
    assert_eq!(name(good.with_growth(1)), "growth");
    assert_eq!(name(good.with_growth(65)), "growth");
    assert_eq!(name(good.with_growth(u32::MAX)), "growth");
    for tightening in [0.0, 1.0, -0.5, 1.5, f64::NAN, f64::INFINITY] {
        assert_eq!(name(good.with_tightening(tightening)), "tightening");
    }
    assert_eq!(name(good.with_max_keys(99)), "max_keys");
    assert_eq!(name(good.with_max_stages(0)), "max_stages");
    assert_eq!(name(ScalableParams::new(100, f64::NAN)), "fpr");
    let mut none = good;
    none.initial = 0;
    assert_eq!(name(none), "initial");
}

#[test]
fn room_for_no_keys_at_first_is_room_for_one() {
    assert_eq!(ScalableParams::new(0, 0.01), ScalableParams::new(1, 0.01));
    let mut filter = make::<ScalableBloomFilter>(ScalableParams::new(0, 0.01), 0).unwrap();
    filter.try_extend(0..100u64).unwrap();
    assert!((0..100u64).all(|key| filter.contains(&key)));
}

#[test]
fn stages_whose_sizes_pass_64_bits_end_growth() {
    let params = ScalableParams::new(1 << 56, 0.01).with_growth(64);
    assert!(params.stage(1).is_ok());
    assert!(matches!(params.stage(2), Err(InsertError::Limit { what: "keys", .. })));
}

#[test]
fn bits_per_key_are_the_published_ones() {
    type F = BloomFilter;
    // 1 %, grown a thousand times, all stages full.
    for (growth, tightening, stages, want) in
        [(2, 0.5, 10, 22.6), (2, 0.85, 10, 16.2), (4, 0.8, 6, 15.1), (8, 0.7, 4, 14.2)]
    {
        let params =
            ScalableParams::new(1000, 0.01).with_growth(growth).with_tightening(tightening);
        let got = bits_per_key::<F>(&params, stages);
        assert!((got - want).abs() < 0.12, "{growth} {tightening}: {got}");
    }
    // With a bound, the rates of all stages sum to exactly the compound rate.
    for (growth, stages, bound, want) in
        [(2, 10, 1_023_000, 12.45), (4, 6, 1_365_000, 11.13), (8, 4, 585_000, 10.48)]
    {
        let params = ScalableParams::new(1000, 0.01).with_growth(growth).with_max_keys(bound);
        let got = bits_per_key::<F>(&params, stages);
        assert!((got - want).abs() < 0.06, "{growth}: {got}");
    }
}

#[test]
fn stages_err_independently() {
    // Two full stages of the same rate: both err on a key as often as the product says.
    let params = ScalableParams::new(20_000, 0.4).with_growth(2).with_tightening(0.99);
    let mut filter = make::<ScalableBloomFilter>(params, 7).unwrap();
    let mut key = 0u64;
    while filter.len() < 60_000 {
        filter.insert(&key).unwrap();
        key += 1;
    }
    let rates: Vec<f64> = filter.stages().map(|stage| stage.expected_fpr).collect();
    let expected = 1.0 - (1.0 - rates[0]) * (1.0 - rates[1]);
    let queries = 2_000_000u64;
    let found = (1u64 << 40..(1 << 40) + queries).filter(|key| filter.contains(key)).count() as f64;
    let sd = (queries as f64 * expected * (1.0 - expected)).sqrt();
    assert!((found - queries as f64 * expected).abs() < 5.0 * sd, "{found} {expected}");
}

pub(crate) fn filled(params: ScalableParams, keys: std::ops::Range<u64>) -> ScalableBloomFilter {
    let mut filter = make::<ScalableBloomFilter>(params, 0).unwrap();
    for key in keys {
        filter.insert(&key).unwrap();
    }
    filter
}

#[test]
fn filters_of_equal_parameters_merge_while_the_rate_holds() {
    let params = ScalableParams::new(1000, 0.01);
    // Within the capacity of the first stage.
    let mut sum = filled(params, 0..500);
    sum.merge(&filled(params, 10_000..10_400)).unwrap();
    assert!((0..500).chain(10_000..10_400).all(|key: u64| sum.contains(&key)));
    assert!(sum.expected_fpr() <= 0.01);
    // The same keys, or some of them: the union is the filter itself, however full, with as much
    // room as before.
    let full = filled(params, 0..7000);
    let mut twice = full.clone();
    twice.merge(&full).unwrap();
    twice.merge(&filled(params, 0..800)).unwrap();
    assert!(twice.stages().eq(full.stages()));
    assert_eq!(twice.expected_fpr(), full.expected_fpr());
    // And it keeps growing.
    for key in 20_000..40_000u64 {
        twice.insert(&key).unwrap();
    }
    assert!(twice.expected_fpr() <= 0.0101);
    // Two full ones of different keys are refused with both rates, and stay as they were.
    let (mut one, other) = (full, filled(params, 10_000..17_000));
    let before = one.clone();
    assert_eq!(one.can_merge(&other), one.merge(&other));
    match one.merge(&other) {
        Err(MergeError::Rate { merged, asked }) => assert!(merged > asked && asked == 0.01),
        other => panic!("{other:?}"),
    }
    assert_eq!(one, before);
}

#[test]
fn a_merge_looks_at_the_rate_when_full_not_at_the_moment() {
    // 600 keys more than the first stage is for. While the last one is nearly empty the rate is
    // kept; filled up to the bound, it was 1.456 %.
    let params = ScalableParams::new(1000, 0.01).with_growth(4).with_max_keys(100_000);
    let (mut one, other) = (filled(params, 0..5100), filled(params, 10_000..10_600));
    let before = one.clone();
    match one.merge(&other) {
        Err(MergeError::Rate { merged, .. }) => assert!((0.013..0.016).contains(&merged)),
        other => panic!("{other:?}"),
    }
    assert_eq!(one, before);
    // Whatever is accepted keeps the rate to the end: mostly common keys, or keys with room.
    let mut accepted = 0;
    for overlap in [0, 300, 580, 600] {
        for (ours, theirs) in [(400, 600), (700, 600), (1000, 600), (5100, 600), (5100, 5000)] {
            let mut sum = filled(params, 0..ours);
            let from = ours - overlap.min(ours);
            if sum.merge(&filled(params, from..from + theirs)).is_err() {
                continue;
            }
            accepted += 1;
            let mut keys = 1 << 30..;
            while sum.len() < sum.capacity() || sum.stage_count() < 5 {
                let key: u64 = keys.next().unwrap();
                if sum.insert(&key).is_err() {
                    break;
                }
            }
            assert!(
                sum.expected_fpr() < 0.0101,
                "{ours} {theirs} {overlap}: {}",
                sum.expected_fpr()
            );
        }
    }
    assert!(accepted >= 8, "{accepted}");
}

#[test]
fn a_merge_keeps_within_the_limit_of_bytes() {
    let params = ScalableParams::new(100, 0.01);
    let full = filled(params, 0..250);
    let bytes = full.size_in_bytes();
    for limit in [bytes - 1, bytes, bytes + 1] {
        let mut sum = filled(params.with_max_bytes(limit), 0..0);
        let merged = sum.merge(&full);
        assert_eq!(merged.is_ok(), limit >= bytes, "{merged:?}");
        assert!(sum.size_in_bytes() <= limit);
    }
    let mut same = full.clone();
    same.merge(&filled(params, 0..0)).unwrap();
    assert_eq!(same.size_in_bytes(), bytes);
    assert_eq!(same, full);
}

#[test]
fn a_merge_keeps_within_the_limit_of_stages() {
    let params = ScalableParams::new(100, 0.01);
    let two = filled(params, 0..250);
    assert_eq!(two.stage_count(), 2);
    let mut one = filled(params.with_max_stages(1), 1000..1010);
    let before = one.clone();
    let limit = InsertError::Limit { what: "stages", limit: 1 };
    assert_eq!(one.merge(&two), Err(MergeError::Insert(limit)));
    assert!(one == before);
    for stages in [2, 3] {
        let mut sum = filled(params.with_max_stages(stages), 1000..1010);
        sum.merge(&two).unwrap();
        let back = ScalableBloomFilter::from_bytes(&sum.to_bytes().unwrap()).unwrap();
        assert!(back == sum && (0..250).chain(1000..1010).all(|key: u64| sum.contains(&key)));
    }
}

#[test]
fn other_parameters_are_refused_by_name() {
    let good = ScalableParams::new(1000, 0.01);
    let filter = |params| make::<ScalableBlockedBloomFilter>(params, 0).unwrap();
    let field = |params| match filter(good).can_merge(&filter(params)) {
        Err(MergeError::Mismatch { field, .. } | MergeError::MismatchReal { field, .. }) => field,
        other => panic!("{other:?}"),
    };
    assert_eq!(field(ScalableParams::new(1001, 0.01)), "initial");
    assert_eq!(field(ScalableParams::new(1000, 0.02)), "fpr");
    assert_eq!(field(good.with_growth(3)), "growth");
    assert_eq!(field(good.with_tightening(0.5)), "tightening");
    assert_eq!(field(good.with_max_keys(1_000_000)), "max_keys");
}

#[test]
fn a_filter_says_how_its_stages_stand() {
    let mut filter = ScalableBloomFilter::new(Goal::fpr(100, 0.01)).unwrap();
    for key in 0..250u64 {
        filter.insert(&key).unwrap();
    }
    let stages: Vec<_> = filter.stages().collect();
    assert_eq!(stages.len(), 2);
    assert_eq!((stages[0].taken, stages[0].capacity), (100, 100));
    assert_eq!(stages[1].capacity, 200);
    assert_eq!(stages[0].taken + stages[1].taken, filter.len());
    assert!(stages[0].planned_fpr > stages[1].planned_fpr);
    assert!(stages[1].expected_fpr < stages[1].planned_fpr);
    let tables: u64 = stages.iter().map(|stage| stage.bytes).sum();
    assert!(filter.size_in_bytes() >= tables && filter.size_in_bytes() < tables + 500);
    let hash = KeyHash::of(&7u64, 0);
    assert!(filter.contains_hash(hash));
    assert_eq!(ScalableBloomFilter::plan(Goal::fpr(100, 0.01)).unwrap().bytes, stages[0].bytes);
}

#[test]
fn a_refusal_at_a_limit_is_remembered_until_there_may_be_room() {
    for params in [
        ScalableParams::new(1, 0.01).with_max_bytes(3000),
        ScalableParams::new(100, 1e-9).with_max_bytes(10_000),
        ScalableParams::new(100, 2e-16).with_tightening(0.1),
    ] {
        let mut filter = make::<ScalableBloomFilter>(params, 0).unwrap();
        let (refused, _) = fill(&mut filter);
        let before = filter.clone();
        for key in refused..refused + 1000 {
            if filter.contains(&key) {
                continue;
            }
            let (full, steps) = amq_core::internal::steps_of(|| filter.insert(&key));
            assert!(
                matches!(full, Err(InsertError::Limit { .. } | InsertError::Stages { .. })),
                "{full:?}"
            );
            assert_eq!(steps, 0);
        }
        assert_eq!(filter, before);
        // Emptied it grows again, as far as before.
        filter.clear();
        assert_eq!(fill(&mut filter).0, refused);
        assert_eq!(filter, before);
    }
}

#[test]
fn refused_parameters_have_no_rate_and_at_most_one_stage() {
    type F = BloomFilter;
    let good = ScalableParams::new(100, 0.01).with_max_stages(u32::MAX);
    let mut none = good;
    none.initial = 0;
    for params in [good.with_growth(0), good.with_growth(1), good.with_tightening(f64::NAN), none] {
        assert!(params.check().is_err());
        let (rate, steps) = amq_core::internal::steps_of(|| theory::fpr::<F>(&params, u64::MAX));
        assert!(rate.mean.is_nan() && rate.sd.is_nan() && steps == 0);
        let (_, steps) = amq_core::internal::steps_of(|| bits_per_key::<F>(&params, u32::MAX));
        assert!(steps < 100_000, "{steps}");
    }
    for params in [good.with_growth(0), good.with_growth(1), none] {
        assert!(params.stage(1).is_err() && params.stage(u32::MAX - 1).is_err());
    }
}

#[test]
fn a_plan_says_what_growing_to_a_number_of_keys_costs() {
    for params in [
        ScalableParams::new(1000, 0.01),
        ScalableParams::new(1000, 0.01).with_growth(4).with_max_keys(100_000),
        ScalableParams::new(100, 1e-3).with_max_bytes(60_000),
    ] {
        for keys in [1u64, 900, 2000, 12_000, 20_000] {
            let plan = ScalableBloomFilter::plan_params(params, keys).unwrap();
            let mut filter = ScalableBloomFilter::new(plan).unwrap();
            filter.try_extend(0..keys).unwrap();
            assert_eq!(plan.bytes, filter.size_in_bytes(), "{params:?}, {keys} keys");
            let predicted = theory::fpr::<BloomFilter>(&params, keys);
            assert_eq!(plan.expected_fpr, predicted.mean);
        }
    }
}

#[test]
fn a_view_answers_as_the_filter_in_whose_file_it_is() {
    fn agrees<F: OwnedStage>() {
        let params = ScalableParams::new(100, 0.01);
        let mut filter = make::<ScalableFilter<F>>(params, 5).unwrap();
        for grown in [50u64, 100, 5000] {
            filter.try_extend(0..grown).unwrap();
            // At any address.
            let file = [vec![0], filter.to_bytes().unwrap()].concat();
            let view = LoadOptions::new().view::<ScalableFilter<F>>(&file[1..]).unwrap();
            let keys: Vec<u64> = (0..3 * grown).collect();
            let [mut ours, mut theirs] = [(); 2].map(|()| vec![false; keys.len()]);
            filter.contains_keys(&keys, &mut ours).unwrap();
            view.contains_keys(&keys, &mut theirs).unwrap();
            assert_eq!(ours, theirs);
            assert!(keys.iter().map(|key| view.contains(key)).eq(ours));
            assert_eq!(view.stats(), filter.stats());
            assert!(view.stages().eq(filter.stages()));
            assert_eq!(view.params(), filter.params());
            assert_eq!(format!("{view:?}"), format!("{filter:?}"));
        }
    }
    agrees::<BloomFilter>();
    agrees::<BlockedBloomFilter>();
}

#[test]
fn stats_count_what_all_stages_hold() {
    let mut filter = make::<ScalableBlockedBloomFilter>(ScalableParams::new(10, 0.1), 0).unwrap();
    filter.try_extend(0..1000u64).unwrap();
    let stats = filter.stats();
    let tables: u64 = filter.stages().map(|stage| stage.bytes).sum();
    let later = filter.stage_count() as u64 - 1;
    assert_eq!(stats.bytes, tables + 128 * later);
    assert!((0.2..0.6).contains(&stats.load_factor), "{stats}");
    assert_eq!((stats.len, stats.capacity), (filter.len(), filter.capacity()));
    assert_eq!(stats.saturated, 0);
}
