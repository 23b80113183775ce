//! Rolling filters: what is within the window is found, what is not is forgotten, and the rate is
//! that of all generations together.
use amq::rolling::Rolling;
use amq::*;

const SEEDS: u64 = 16;

/// Two-sided, at so many standard deviations.
fn near(found: f64, expected: f64, sd: f64, sigmas: f64) {
    assert!((found - expected).abs() <= sigmas * sd, "{found}, not {expected} +- {sd}");
}

/// How many of these keys are found, by a batch and one by one.
fn found<F: EmptyFilter>(filter: &Rolling<F>, keys: std::ops::Range<u64>) -> u64 {
    let hashes: Vec<_> = keys.map(|key| key.key_hash(filter.seed())).collect();
    let mut answers = vec![true; hashes.len()];
    filter.contains_batch(&hashes, &mut answers).unwrap();
    let mut both = hashes.iter().zip(&answers).take(5000);
    let same = both.all(|(&hash, &found)| filter.contains_hash(hash) == found);
    assert!(same, "a batch answers as one by one");
    answers.iter().filter(|&&found| found).count() as u64
}

/// Advances through a stream of `each` new keys a generation.
fn the_window_is_kept_and_the_rest_forgotten<F: EmptyFilter>() {
    let (generations, each, asked) = (5u64, 1000u64, 0.01);
    let goal = Goal::fpr(generations * each, asked);
    let mut filter = Rolling::<F>::new(goal, generations as usize).unwrap();
    let plan = Rolling::<F>::plan(goal, generations as usize).unwrap();
    assert!(plan.expected_fpr <= asked);
    // How far the rate of full generations lies from the plan's, by their seeds.
    let own = F::predicted_fpr(&plan.part.params, each).sd * (generations as f64).sqrt();
    let (mut old, mut expected, mut variance) = (0, 0.0, 0.0);
    for period in 0..4 * generations {
        let now = period * each..(period + 1) * each;
        let window = now.start.saturating_sub((generations - 1) * each)..now.end;
        for key in now.clone() {
            filter.insert(&key).unwrap();
            assert!(filter.contains(&key));
        }
        let inside = found(&filter, window.clone());
        assert_eq!(inside, window.end - window.start, "period {period}");
        // Keys older than the window are absent ones, like any other.
        let rate = filter.expected_fpr();
        assert!(rate <= asked + 5.0 * own, "{rate}");
        old += found(&filter, 0..window.start);
        expected += rate * window.start as f64;
        variance += rate * window.start as f64;
        assert_eq!(filter.advanced(), period);
        filter.advance();
        // At the border the oldest generation is forgotten, and only that.
        let kept = now.start.saturating_sub((generations - 2) * each)..now.end;
        assert_eq!(found(&filter, kept.clone()), kept.end - kept.start);
    }
    // The same old keys are asked for again and again: each generation's false positives among them
    // stay for five periods, which makes the variance up to five times as large.
    near(old as f64, expected, (5.0 * variance).sqrt(), 5.0);
    assert!(old > 0);
    filter.clear();
    assert!(filter.is_empty() && found(&filter, 0..100_000) == 0);
}

#[test]
fn the_window_is_found_and_what_is_older_is_forgotten() {
    the_window_is_kept_and_the_rest_forgotten::<BloomFilter>();
    the_window_is_kept_and_the_rest_forgotten::<BlockedBloomFilter>();
    the_window_is_kept_and_the_rest_forgotten::<CountingBloomFilter>();
    the_window_is_kept_and_the_rest_forgotten::<CuckooFilter>();
    the_window_is_kept_and_the_rest_forgotten::<QuotientFilter>();
    the_window_is_kept_and_the_rest_forgotten::<ScalableBloomFilter>();
}

/// With `same`, every generation has the same keys: they must err independently all the same.
fn errs_as_its_generations_together<F: EmptyFilter>(same: bool) {
    let (generations, each, absent, asked) = (6u64, 5000u64, 200_000u64, 0.01);
    let goal = Goal::fpr(generations * each, asked);
    let plan = Rolling::<F>::plan(goal, generations as usize).unwrap();
    assert!(plan.expected_fpr <= asked, "{plan:?}");
    let own = F::predicted_fpr(&plan.part.params, each).sd;
    let (mut total, mut expected, mut variance) = (0.0, 0.0, 0.0);
    for seed in 0..SEEDS {
        let mut filter = Rolling::<F>::with_seed(goal, generations as usize, seed).unwrap();
        // Once round, so that every generation has been used before.
        for period in 0..2 * generations {
            let first = if same { 0 } else { period * each };
            for key in first..first + each {
                filter.insert(&key).unwrap();
            }
            if period + 1 < 2 * generations {
                filter.advance();
            }
        }
        let rate = filter.expected_fpr();
        assert!((rate / plan.expected_fpr - 1.0).abs() < 0.05, "{rate}, planned {plan:?}");
        let found = found(&filter, 1 << 40..(1 << 40) + absent) as f64;
        let mean = rate * absent as f64;
        let off = mean * (1.0 - rate) + generations as f64 * (own * absent as f64).powi(2);
        near(found, mean, off.sqrt(), 5.0);
        (total, expected, variance) = (total + found, expected + mean, variance + off);
    }
    near(total, expected, f64::sqrt(variance), 3.0);
}

#[test]
fn generations_together_err_as_asked() {
    errs_as_its_generations_together::<BloomFilter>(false);
    errs_as_its_generations_together::<CuckooFilter>(false);
    errs_as_its_generations_together::<QuotientFilter>(false);
}

#[test]
fn generations_of_the_same_keys_err_independently() {
    errs_as_its_generations_together::<BloomFilter>(true);
    errs_as_its_generations_together::<CuckooFilter>(true);
    errs_as_its_generations_together::<QuotientFilter>(true);
}

#[test]
fn by_count_it_advances_before_it_is_full() {
    let (generations, keys) = (4, 2000u64);
    let goal = Goal::fpr(keys, 0.001);
    let mut filter = Rolling::<CuckooFilter>::new(goal, generations).unwrap().by_count();
    let kept = keys - keys / generations as u64;
    for key in 0..20_000u64 {
        assert!(filter.insert(&key).is_ok());
        // A key that comes again is in already, and does not make it advance.
        let advanced = filter.advanced();
        assert_eq!(filter.insert(&key), Ok(Inserted::MaybePresent));
        assert_eq!(filter.advanced(), advanced);
        if key % 100 == 0 {
            let first = (key + 1).saturating_sub(kept);
            assert!((first..=key).all(|key| filter.contains(&key)), "at {key}");
        }
    }
    let each = keys / generations as u64;
    // A few keys are false positives of the newest generation, and take no place in it.
    let rounds = 20_000 / each;
    assert!((rounds - 2..rounds).contains(&filter.advanced()), "{}", filter.advanced());
    assert!(filter.len() <= keys);

    // By hand, too many keys are refused, and nothing changes.
    let mut filter = Rolling::<CuckooFilter>::new(goal, generations).unwrap();
    let refused = (0..20_000u64).find_map(|key| {
        let before = filter.clone();
        let error = filter.insert(&key).err()?;
        assert_eq!(filter, before);
        Some((key, error))
    });
    let (key, error) = refused.unwrap();
    assert!(matches!(error, InsertError::Table { .. }) && key >= each, "{error} at {key}");
    filter.advance();
    assert!(filter.insert(&key).unwrap().is_new() && filter.contains(&0u64));
}

#[test]
fn an_insert_says_whether_the_key_was_there_within_the_window() {
    let mut filter = Rolling::<BlockedBloomFilter>::new(Goal::fpr(3000, 1e-6), 3).unwrap();
    assert_eq!(filter.insert("a"), Ok(Inserted::New));
    assert_eq!(filter.insert("a"), Ok(Inserted::MaybePresent));
    filter.advance();
    // Seen again, it is remembered from now on.
    assert_eq!(filter.insert("a"), Ok(Inserted::MaybePresent));
    filter.advance();
    filter.advance();
    assert!(filter.contains("a"));
    filter.advance();
    assert!(!filter.contains("a"));
    assert_eq!(filter.insert("a"), Ok(Inserted::New));
    assert_eq!(filter.generations(), 3);
}

#[test]
fn a_plan_is_what_is_made_and_within_its_budget() {
    for goal in
        [Goal::fpr(50_000, 0.01), Goal::bytes(50_000, 80_000), Goal::bits_per_key(50_000, 12.0)]
    {
        for generations in [1, 2, 7, 60] {
            let plan = Rolling::<CuckooFilter>::plan(goal, generations).unwrap();
            let filter = Rolling::<CuckooFilter>::new(goal, generations).unwrap();
            assert_eq!(filter.size_in_bytes(), plan.bytes);
            assert!(plan.bytes * 8 <= goal.max_bits(), "{plan:?} for {goal:?}");
            assert_eq!((filter.capacity(), filter.generations()), (plan.keys, plan.parts));
            assert!(plan.part.keys * generations as u64 >= goal.keys);
        }
    }
    let goal = Goal::fpr(1000, 0.01);
    for generations in [0, 4097, usize::MAX] {
        let refused = PlanError::Parameter {
            name: "generations",
            value: generations as u64,
            min: 1,
            max: 4096,
        };
        assert_eq!(Rolling::<BloomFilter>::plan(goal, generations), Err(refused));
        let made = Rolling::<BloomFilter>::new(goal, generations);
        assert_eq!(made.unwrap_err(), BuildError::Plan(refused));
    }
    let fpr = Rolling::<BloomFilter>::plan(Goal::fpr(1000, 2.0), 4);
    assert_eq!(fpr, Err(PlanError::Fpr { fpr: 2.0 }));
}

#[test]
fn a_goal_for_no_keys_is_one_for_one() {
    let [none, one] = [0, 1].map(|keys| Goal::fpr(keys, 0.1));
    assert_eq!(Rolling::<BloomFilter>::plan(none, 4), Rolling::<BloomFilter>::plan(one, 4));
    let mut rolling = Rolling::<BloomFilter>::new(none, 4).unwrap();
    rolling.insert("key").unwrap();
    assert!(rolling.contains("key"));
}

#[test]
fn by_count_it_counts_inserts_and_not_different_keys() {
    let plan = || Rolling::<CuckooFilter>::new(Goal::fpr(400, 0.001), 4).unwrap().by_count();
    // The same 100 keys again and again fill no generation beyond the first ...
    let mut few = plan();
    for key in (0..2000u64).map(|key| key % 100) {
        few.insert(&key).unwrap();
    }
    assert_eq!(few.advanced(), 0);
    // ... and one more is enough that all of them go into the next.
    let mut more = plan();
    for key in (0..2020u64).map(|key| key % 101) {
        more.insert(&key).unwrap();
    }
    assert!(more.advanced() >= 18, "{}", more.advanced());
    assert!((0..101u64).all(|key| more.contains(&key)));
    // So other keys are forgotten after three generations of inserts, though few came since.
    more.insert("once").unwrap();
    for key in (0..505u64).map(|key| key % 101) {
        more.insert(&key).unwrap();
    }
    assert!(!more.contains("once"));
}
