//! What cannot be planned of a filter of parts is said of the whole, with a way out that is one.

use amq::rolling::{Generations, Rolling};
use amq::sharded::Sharded;
use amq::*;

/// The plan of a filter of so many parts.
type Planner = fn(Goal, usize) -> Result<u64, PlanError>;

fn planners<F: EmptyFilter>() -> [Planner; 3] {
    [
        |goal, parts| Sharded::<F>::plan(goal, parts).map(|plan| plan.bytes),
        |goal, parts| Rolling::<F>::plan(goal, parts).map(|plan| plan.bytes),
        |goal, parts| {
            let plan = Sharded::<Rolling<F>>::plan_rolling(goal, parts, Generations(7))?;
            Ok(plan.bytes)
        },
    ]
}

fn same(one: f64, other: f64) -> bool {
    (one / other - 1.0).abs() < 1e-9
}

#[test]
fn too_few_bytes_are_those_of_all_parts() {
    for parts in [1, 7, 32] {
        for plan in planners::<BloomFilter>().into_iter().chain(planners::<CuckooFilter>()) {
            let Err(PlanError::Bytes { bytes: 3, min }) = plan(Goal::bytes(10_000, 3), parts)
            else {
                panic!("3 bytes are enough");
            };
            assert_eq!(min % parts as u64, 0);
            let way_out = plan(Goal::bytes(10_000, min), parts).unwrap();
            assert!(way_out <= min, "{way_out} {min}");
            assert!(plan(Goal::bytes(10_000, min - 1), parts).is_err());
            // In the words of the question.
            let Err(PlanError::FewKeys { bits_per_key, keys: 10, least }) =
                plan(Goal::bits_per_key(10, 24.0), 64 * parts)
            else {
                panic!("10 keys in so many parts at 24 bits");
            };
            assert_eq!(bits_per_key, 24.0);
            plan(Goal::bits_per_key(least, 24.0), 64 * parts).unwrap();
        }
    }
}

#[test]
fn a_rate_out_of_reach_is_that_of_all_parts() {
    // Just above the floor of the hashes, which blocks do not come near.
    let plan = |fpr| Rolling::<BlockedBloomFilter>::plan(Goal::fpr(1_000_000, fpr), 8);
    let Err(PlanError::FprUnreachable { fpr, lowest, keys }) = plan(8e-14) else {
        panic!("a rate of 8e-14");
    };
    assert_eq!((fpr, keys), (8e-14, 1_000_000));
    plan(lowest * (1.0 + 1e-6)).unwrap();
    assert!(plan(lowest * 0.99).is_err());
}

#[test]
fn a_size_that_is_too_large_is_that_of_all_parts() {
    let goal = Goal::new(1 << 45, Budget::BitsPerKey(32.0));
    let alone = |goal| match BlockedBloomFilter::plan(goal) {
        Err(PlanError::TooLarge { bytes, max_bytes }) => (bytes, max_bytes),
        other => panic!("{other:?}"),
    };
    let (_, most_alone) = alone(goal);
    // Seven times as many parts have room for it.
    let [shards, generations, _] = planners::<BlockedBloomFilter>();
    for plan in [shards, generations] {
        let Err(PlanError::TooLarge { bytes, max_bytes }) = plan(goal, 8) else {
            panic!("2^47 bytes in blocks of 32");
        };
        // No more than a machine of 32 bits can address.
        assert_eq!(max_bytes, (8 * most_alone).min(isize::MAX as u64));
        assert!(same(bytes, 2f64.powi(47)), "{bytes}");
    }
}

#[test]
fn a_plan_of_parts_prints_what_the_whole_costs() {
    let goal = Goal::bits_per_key(1000, 16.0);
    let plan = Sharded::<BlockedBloomFilter>::plan(goal, 4).unwrap();
    let (text, bits) = (plan.to_string(), plan.bytes as f64 * 8.0 / 1000.0);
    let wanted = format!("4 shards: 1000 keys in {} bytes: {bits:.3} bits per key, ", plan.bytes);
    assert!(text.starts_with(&wanted) && bits > 8.0, "{text}");
    let rate = format!("false-positive rate {:.3e}", plan.expected_fpr);
    assert!(text.contains(&rate), "{text}");
    let plan = Rolling::<BloomFilter>::plan(goal, 1).unwrap();
    let wanted = format!("1 generation: 1000 keys in {} bytes: ", plan.bytes);
    assert!(plan.to_string().starts_with(&wanted), "{plan}");
}

#[test]
fn tables_too_large_together_are_refused_at_once() {
    for goal in [Goal::bytes(u64::MAX, u64::MAX), Goal::bytes(1 << 40, 1 << 62)] {
        let rolling =
            Sharded::<Rolling<BloomFilter>>::rolling(goal, 32_768, Generations(4096)).err();
        let others = [
            Rolling::<QuotientFilter>::new(goal, 4096).err(),
            Sharded::<QuotientFilter>::new(goal, 32_768).err(),
        ];
        for error in others.into_iter().chain([rolling]) {
            let error = error.expect("refused");
            assert!(
                matches!(
                    error,
                    BuildError::OutOfMemory { .. }
                        | BuildError::Plan(PlanError::TooLarge { .. } | PlanError::Bytes { .. })
                ),
                "{error}"
            );
        }
    }
}

#[test]
fn rolling_shards_are_as_large_as_planned() {
    for (shards, generations) in [(1, 1), (7, 8), (100, 100)] {
        for goal in [Goal::fpr(50_000, 0.01), Goal::bits_per_key(1_000_000, 12.0)] {
            let count = Generations(generations);
            let plan = Sharded::<Rolling<BloomFilter>>::plan_rolling(goal, shards, count).unwrap();
            assert_eq!(plan.parts, shards * generations);
            let made = Sharded::<Rolling<BloomFilter>>::rolling(goal, shards, count).unwrap();
            assert_eq!(made.size_in_bytes(), plan.bytes);
        }
    }
    let none = Goal::fpr(0, 0.01);
    assert!(Sharded::<Rolling<BloomFilter>>::rolling(none, 8, Generations(0)).is_err());
}
