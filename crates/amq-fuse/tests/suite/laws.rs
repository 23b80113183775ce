//! Laws of fuse filters beyond the common suite.

use amq_conformance::testing::hashes;
use amq_fuse::{
    Budget, BuildError, BuildFilter, Filter, FilterFile, FuseFilter, FuseParams, FuseView, Goal,
    Key, KeyHash, MAX_KEYS, Plan, PlanError, PlanFilter, theory,
};

fn holds_all(filter: &FuseFilter, hashes: &[KeyHash]) {
    let mut answers = vec![false; hashes.len()];
    filter.contains_batch(hashes, &mut answers).unwrap();
    assert!(answers.iter().all(|&answer| answer));
    assert!(hashes.iter().all(|&hash| filter.contains_hash(hash)));
}

fn plan(bits: u32, keys: u64) -> Plan<FuseParams> {
    FuseFilter::plan_params(FuseParams::new(bits), keys).unwrap()
}

#[test]
fn any_number_of_keys_up_to_twenty_thousand_can_be_built() {
    // The sequential keys of a counter. All of them are in `every_number.rs`.
    for n in (0..3000).step_by(3).chain((3000..20_000).step_by(99)) {
        let keys = hashes(0..n, n);
        let filter = FuseFilter::build_hashes(Budget::Fpr(0.05), n, &keys).unwrap();
        holds_all(&filter, &keys);
        assert_eq!(filter.len(), n);
    }
}

#[test]
fn filters_of_every_width_hold_their_keys_and_err_at_their_rate() {
    let (keys, absent) = (hashes(0..20_000, 1), hashes(0..1_000_000, 2));
    let mut answers = vec![false; absent.len()];
    for bits in 1..=32 {
        let filter = FuseFilter::build_hashes(plan(bits, 20_000), 1, &keys).unwrap();
        holds_all(&filter, &keys);
        assert_eq!(filter.params().fingerprint_bits, bits);
        filter.contains_batch(&absent, &mut answers).unwrap();
        let wrong = answers.iter().filter(|&&answer| answer).count() as f64;
        let expected = filter.expected_fpr() * absent.len() as f64;
        // Few enough to be Poisson distributed.
        let spread = 5.0 * expected.sqrt() + 2.0;
        assert!((wrong - expected).abs() < spread, "{bits} bits: {wrong} of {expected}");
    }
}

#[test]
fn every_filter_takes_the_plans_bytes_exactly() {
    for n in [1u64, 2, 3, 10, 77, 1000, 20_000, 300_000, 3_000_000] {
        for bits in [1, 8, 11, 32] {
            let plan = plan(bits, n);
            let filter = FuseFilter::build_hashes(plan, 3, &hashes(0..n, 3)).unwrap();
            assert_eq!(filter.size_in_bytes(), plan.bytes, "{n} keys of {bits} bits");
            let mut params = filter.params();
            params.internal_seed = 0;
            assert_eq!(params, plan.params);
        }
    }
}

#[test]
fn large_filters_have_an_eighth_more_slots_than_keys() {
    for (keys, most) in [
        (1_000, 1.45),
        (10_000, 1.29),
        (100_000, 1.2),
        (1_000_000, 1.135),
        (10_000_000, 1.135),
        (100_000_000, 1.125),
        (1_000_000_000, 1.12),
        (MAX_KEYS, 1.12),
    ] {
        let slots = plan(8, keys).bytes as f64 / keys as f64;
        assert!(slots < most && slots > 1.1, "{keys}: {slots}");
    }
}

#[test]
fn a_rate_is_a_whole_number_of_bits() {
    let cases = [(0.9, 1), (0.5, 1), (0.3, 2), (0.01, 7), (1.0 / 256.0, 8), (2.5e-10, 32)];
    for (asked, bits) in cases {
        let plan = FuseFilter::plan(Goal::fpr(50_000, asked)).unwrap();
        assert_eq!(plan.params.fingerprint_bits, bits);
        let rate = theory::fpr(&plan.params, 50_000);
        assert!((rate.mean - 0.5f64.powi(bits as i32)).abs() < 1e-14);
        assert_eq!(rate.sd, 0.0);
    }
    let refused = FuseFilter::plan(Goal::fpr(50_000, 2e-10)).unwrap_err();
    assert!(matches!(refused, PlanError::FprUnreachable { .. }), "{refused}");
}

#[test]
fn the_rate_is_right_down_to_two_to_the_minus_twenty() {
    let keys = hashes(0..100_000, 1);
    let mut answers = vec![false; 1 << 16];
    let cases =
        [(7, 4_000_000), (10, 8_000_000), (13, 20_000_000), (16, 60_000_000u64), (20, 60_000_000)];
    for (bits, queries) in cases {
        let filter = FuseFilter::build_hashes(plan(bits, 100_000), 1, &keys).unwrap();
        let (mut wrong, mut asked) = (0, 0u64);
        while asked < queries {
            let absent: Vec<KeyHash> =
                (asked..asked + (1 << 16)).map(|key| key.key_hash(2)).collect();
            filter.contains_batch(&absent, &mut answers).unwrap();
            wrong += answers.iter().filter(|&&answer| answer).count();
            asked += 1 << 16;
        }
        let expected = asked as f64 * filter.expected_fpr();
        let off = (wrong as f64 - expected) / expected.sqrt();
        assert!(off.abs() < 4.0, "{bits} bits: {wrong} of {expected}");
    }
}

/// The share of filters that the first internal seed solves, at sizes with all lengths of segments.
/// If each of 32 seeds fails one time in six, all fail once in 10^24, so `Exhausted` never happens
/// by chance.
#[test]
fn one_internal_seed_in_six_fails_at_most() {
    let mut failed = 0.0;
    let sizes = [2u64, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 987, 1597, 2584, 4181];
    let sizes = sizes.into_iter().chain([6765, 10_946, 17_711, 28_657, 46_368, 75_025, 121_393]);
    for keys in sizes {
        let trials = (2_000_000 / keys).clamp(24, 600);
        let first = |seed: &u64| {
            let filter =
                FuseFilter::build_hashes(plan(1, keys), 0, &hashes(0..keys, *seed)).unwrap();
            filter.params().internal_seed == 0
        };
        let solved = (1..=trials).filter(first).count();
        let share = 1.0 - solved as f64 / trials as f64;
        failed += share / 24.0;
        let sd = (1.0 / 6.0 * 5.0 / 6.0 / trials as f64).sqrt();
        assert!(share < 1.0 / 6.0 + 3.0 * sd, "{keys} keys: {share}");
    }
    // Nor are they larger than necessary.
    assert!((0.01..0.1).contains(&failed), "{failed}");
}

#[test]
fn fewer_keys_than_planned_take_less_space_at_the_planned_rate() {
    let plan = FuseFilter::plan(Goal::fpr(100_000, 0.001)).unwrap();
    let filter = FuseFilter::build(plan, 0..50_000u64).unwrap();
    assert!(filter.size_in_bytes() * 2 < plan.bytes + plan.bytes / 10);
    assert_eq!((filter.capacity(), filter.len()), (100_000, 50_000));
    assert_eq!(filter.params().fingerprint_bits, 10);
    let more = FuseFilter::build(plan, 0..100_001u64);
    assert_eq!(more, Err(BuildError::TooManyKeys { planned: 100_000 }));
}

#[test]
fn keys_hashes_and_streams_make_the_same_filter() {
    for n in [0u64, 1, 100, 70_000, 2_500_000] {
        let keys: Vec<u64> = (0..n).collect();
        let budget = Budget::Fpr(0.01);
        let of_keys = FuseFilter::build_keys(budget, 5, &keys).unwrap();
        let of_hashes = FuseFilter::build_hashes(budget, 5, &hashes(0..n, 5)).unwrap();
        let of_stream = FuseFilter::build_with_seed(budget, 5, keys.iter().rev()).unwrap();
        assert!(of_keys == of_hashes && of_keys == of_stream, "{n} keys");
    }
}

#[test]
fn copies_of_all_keys_or_of_one_do_no_harm() {
    for (n, copies) in [(1000u64, 3), (50_000, 2), (10, 300), (3, 100_000)] {
        let keys = hashes(0..n, 1);
        let all = keys.repeat(copies);
        let filter = FuseFilter::build_hashes(Budget::Fpr(0.001), 1, &all).unwrap();
        holds_all(&filter, &keys);
        assert_eq!(filter.len(), n * copies as u64);
    }
    // In one of several shards.
    let mut keys = hashes(0..2_500_000, 1);
    keys.resize(3_000_000, keys[0]);
    let filter = FuseFilter::build_hashes(Budget::Fpr(0.3), 1, &keys).unwrap();
    assert!(filter.params().shards > 1);
    holds_all(&filter, &keys);
}

#[test]
fn keys_that_no_seed_parts_are_an_error_that_says_so() {
    // Chosen keys: they differ in bits that choose nothing in a small filter. Multiples of 2^63
    // have one of two words, under any internal seed.
    let pairs = [KeyHash::new(0), KeyHash::new(1)];
    assert!(FuseFilter::build_hashes(Budget::Fpr(0.01), 0, &pairs).is_ok());
    // More keys with one start than a segment has room for.
    let crowd: Vec<KeyHash> = (0..5000).map(|i| KeyHash::new(i << 40 | i)).collect();
    match FuseFilter::build_hashes(Budget::Fpr(0.01), 0, &crowd) {
        Ok(filter) => holds_all(&filter, &crowd),
        Err(error) => assert!(matches!(error, BuildError::Exhausted { attempts: 32, .. })),
    }
}

#[test]
fn parameters_out_of_range_are_refused() {
    for bits in [0, 33, u32::MAX] {
        let refused = FuseFilter::plan_params(FuseParams::new(bits), 100).unwrap_err();
        let PlanError::Parameter { name, value, min: 1, max: 32 } = refused else {
            panic!("{refused}");
        };
        assert_eq!((name, value), ("fingerprint_bits", bits.into()));
        assert!(theory::fpr(&FuseParams::new(bits), 100).mean.is_nan());
    }
    let refused = FuseFilter::plan(Goal::fpr(MAX_KEYS + 1, 0.01)).unwrap_err();
    assert_eq!(refused, PlanError::Keys { keys: MAX_KEYS + 1, min: 1, max: MAX_KEYS });
    // A plan whose other parameters were changed is laid out anew.
    let mut changed = plan(8, 100);
    changed.params.segments += 1;
    let filter = FuseFilter::build(changed, 0..100u64).unwrap();
    assert_eq!(filter.params(), plan(8, 100).params);
}

#[test]
fn a_view_of_a_file_answers_as_the_filter_does() {
    let filter = FuseFilter::build(Budget::Fpr(0.01), 0..5000u64).unwrap();
    let file = filter.to_bytes().unwrap();
    // A view's bytes are aligned to 64.
    let mut held = vec![0; file.len() + 64];
    let begin = held.as_ptr().align_offset(64);
    let held = &mut held[begin..][..file.len()];
    held.copy_from_slice(&file);
    let view: FuseView<'_> = FuseFilter::view(held).unwrap();
    assert!((0..20_000u64).all(|key| view.contains(&key) == filter.contains(&key)));
    assert_eq!(view.stats(), filter.stats());
    assert_eq!(view.to_bytes().unwrap(), file);
}

#[test]
fn too_few_bits_per_key_are_refused_with_the_keys_they_fit() {
    let goal = Goal::bits_per_key(10, 2.0);
    let refused = FuseFilter::plan(goal).unwrap_err();
    let PlanError::FewKeys { keys: 10, least, .. } = refused else {
        panic!("{refused}");
    };
    assert_eq!(<FuseFilter as PlanFilter>::plan(goal), Err(refused));
    let enough = Goal::bits_per_key(least, 2.0);
    let plan = FuseFilter::plan(enough).unwrap();
    assert_eq!(<FuseFilter as PlanFilter>::plan(enough), Ok(plan));
}
