//! Filters in shards: no key is lost between threads, and the whole errs as its parts do.
use amq::sharded::Sharded;
use amq::*;
use amq_conformance::testing::hashes;

const SEEDS: u64 = 16;

/// Threads insert keys of their own, remove every other, and ask for all, at once.
fn no_key_is_lost<F: EmptyFilter + RemoveFilter>() {
    let (threads, each) = (4u64, 20_000u64);
    let goal = Goal::fpr(threads * each, 0.001);
    for shards in [1, 3, 16] {
        let filter = Sharded::<F>::new(goal, shards).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..threads {
                let filter = &filter;
                scope.spawn(move || {
                    let mine = thread * each..(thread + 1) * each;
                    for key in mine.clone() {
                        filter.insert(&key).unwrap();
                        assert!(filter.contains(&key));
                        if key % 2 == 1 {
                            assert!(filter.remove(&key), "a key that was just inserted");
                        }
                    }
                    let kept = |key: &u64| key.is_multiple_of(2);
                    assert!(mine.filter(kept).all(|key| filter.contains(&key)));
                });
            }
        });
        assert_eq!(filter.len(), threads * each / 2);
        let mut kept = (0..threads * each).step_by(2);
        assert!(kept.all(|key| filter.contains(&key)));
        // What was removed is gone, but for false positives: the table says so.
        let mut same = Sharded::<F>::new(goal, shards).unwrap();
        for key in (0..threads * each).step_by(2) {
            InsertFilter::insert_hash(&mut same, key.key_hash(0)).unwrap();
        }
        let found = |filter: &Sharded<F>| {
            let removed = (1..threads * each).step_by(2);
            removed.filter(|key| filter.contains(key)).count()
        };
        let (after, without) = (found(&filter), found(&same));
        let expected = filter.expected_fpr() * (threads * each / 2) as f64;
        for count in [after, without] {
            let sd = expected.sqrt();
            assert!((count as f64 - expected).abs() < 5.0 * sd, "{count}, not {expected}");
        }
    }
}

#[test]
fn no_key_is_lost_between_threads() {
    no_key_is_lost::<CuckooFilter>();
    no_key_is_lost::<QuotientFilter>();
    no_key_is_lost::<CountingBloomFilter>();
}

/// Two-sided: five standard deviations for each seed, three for all together.
fn errs_as_its_shards<F: EmptyFilter>(fpr: f64) {
    let (keys, absent) = (30_000u64, 300_000u64);
    for shards in [1, 7, 64] {
        let (mut total, mut expected, mut variance) = (0.0, 0.0, 0.0);
        for seed in 0..SEEDS {
            let goal = Goal::fpr(keys, fpr);
            let filter = Sharded::<F>::with_seed(goal, shards, seed).unwrap();
            filter.insert_batch(&hashes(0..keys, seed)).unwrap();
            let asked = hashes(1 << 40..(1 << 40) + absent, seed);
            let mut answers = vec![false; asked.len()];
            filter.contains_batch(&asked, &mut answers).unwrap();
            let found = answers.iter().filter(|&&found| found).count() as f64;
            let rate = filter.expected_fpr();
            assert!(rate <= fpr * 1.05, "{rate} asked {fpr}");
            // The spread of the filter itself, beside that of the queries.
            let shard = Sharded::<F>::plan(goal, shards).unwrap().part;
            let own = F::predicted_fpr(&shard.params, keys / shards as u64).sd;
            let off =
                rate * absent as f64 * (1.0 - rate) + (own * absent as f64).powi(2) / shards as f64;
            let mean = rate * absent as f64;
            assert!((found - mean).abs() <= 5.0 * off.sqrt(), "{shards}: {found}, not {mean}");
            (total, expected, variance) = (total + found, expected + mean, variance + off);
        }
        let off: f64 = total - expected;
        assert!(off.abs() <= 3.0 * variance.sqrt(), "{shards}: {total}, not {expected}");
    }
}

#[test]
fn the_whole_errs_as_often_as_its_parts() {
    errs_as_its_shards::<BloomFilter>(0.01);
    errs_as_its_shards::<CuckooFilter>(0.004);
    // The filter that suffers most if shards are chosen by the bits it uses.
    errs_as_its_shards::<QuotientFilter>(0.01);
}

#[test]
fn no_shard_is_over_its_plan_when_the_filter_is_not() {
    for (keys, shards) in [(1000, 16), (10_000, 100), (100_000, 8)] {
        let goal = Goal::fpr(keys, 0.01);
        let plan = Sharded::<BlockedBloomFilter>::plan(goal, shards).unwrap();
        let mut most = 0;
        for seed in 0..SEEDS {
            let mut counts = vec![0; shards];
            for hash in hashes(0..keys, seed) {
                counts[hash.shard(shards)] += 1;
            }
            most = most.max(counts.into_iter().max().unwrap());
        }
        // Without room for chance some shard would be.
        let mean = keys / shards as u64;
        assert!(most <= plan.part.keys && most > mean + mean.isqrt(), "{most} of {plan:?}");
        assert!(plan.expected_fpr <= plan.part.expected_fpr && plan.part.expected_fpr <= 0.01);
    }
    for seed in 0..SEEDS {
        let filter =
            Sharded::<CuckooFilter>::with_seed(Goal::fpr(10_000, 0.01), 100, seed).unwrap();
        filter.insert_batch(&hashes(0..10_000, seed)).unwrap();
        assert_eq!((filter.len(), filter.capacity()), (10_000, 10_000));
    }
}

#[test]
fn a_plan_is_what_is_made_and_within_its_budget() {
    for goal in
        [Goal::fpr(50_000, 0.01), Goal::bytes(50_000, 80_000), Goal::bits_per_key(50_000, 12.0)]
    {
        for shards in [1, 2, 5, 60] {
            let plan = Sharded::<CuckooFilter>::plan(goal, shards).unwrap();
            let filter = Sharded::<CuckooFilter>::new(goal, shards).unwrap();
            assert_eq!(filter.size_in_bytes(), plan.bytes);
            assert!(plan.bytes * 8 <= goal.max_bits(), "{plan:?} for {goal:?}");
            assert_eq!((plan.parts, plan.keys), (filter.shards(), goal.keys));
        }
    }
    let goal = Goal::fpr(1000, 0.01);
    for shards in [0, 32_769, usize::MAX] {
        let refused =
            PlanError::Parameter { name: "shards", value: shards as u64, min: 1, max: 32_768 };
        assert_eq!(Sharded::<BloomFilter>::plan(goal, shards), Err(refused));
        let made = Sharded::<BloomFilter>::new(goal, shards);
        assert_eq!(made.unwrap_err(), BuildError::Plan(refused));
    }
    let fpr = Sharded::<BloomFilter>::plan(Goal::fpr(1000, 2.0), 4);
    assert_eq!(fpr, Err(PlanError::Fpr { fpr: 2.0 }));
}

#[test]
fn a_goal_for_no_keys_is_one_for_one() {
    let [none, one] = [0, 1].map(|keys| Goal::fpr(keys, 0.1));
    assert_eq!(Sharded::<BloomFilter>::plan(none, 4), Sharded::<BloomFilter>::plan(one, 4));
    let sharded = Sharded::<CuckooFilter>::new(none, 4).unwrap();
    sharded.insert("key").unwrap();
    assert!(sharded.contains("key"));
}

#[test]
fn a_batch_answers_as_one_by_one() {
    let goal = Goal::fpr(20_000, 0.01);
    for shards in [1, 2, 13, 5000] {
        let filter = Sharded::<CuckooFilter>::new(goal, shards).unwrap();
        let single = Sharded::<CuckooFilter>::new(goal, shards).unwrap();
        for n in [0, 1, 2, 4095, 4096, 4097, 9000] {
            let all = hashes(n..2 * n, 0);
            let mut new = 0;
            for &hash in &all {
                new += u64::from(single.insert_hash(hash).unwrap().is_new());
            }
            assert_eq!(filter.insert_batch(&all).unwrap(), new);
            let asked = hashes(0..3 * n, 0);
            let mut answers = vec![false; asked.len()];
            filter.contains_batch(&asked, &mut answers).unwrap();
            let one_by_one = asked.iter().map(|&hash| filter.contains_hash(hash));
            assert!(one_by_one.eq(answers.iter().copied()), "{shards} shards, {n} keys");
            assert!(filter.contains_batch(&asked, &mut answers[..0]).is_err() || n == 0);
            assert!(all.iter().all(|&hash| filter.count_hash(hash).estimate >= 1));
            assert!(all.iter().all(|&hash| filter.remove_hash(hash)));
            assert!(all.iter().all(|&hash| single.remove_hash(hash)));
            assert!(filter.is_empty() && single.is_empty());
        }
    }
}

#[test]
fn a_batch_that_is_refused_says_which_keys_are_not_in() {
    let filter = Sharded::<CuckooFilter>::new(Goal::fpr(2000, 0.01), 8).unwrap();
    let all = hashes(0..5000, 0);
    let refused = filter.insert_batch(&all).unwrap_err();
    assert_eq!(filter.len() + refused.hashes.len() as u64, 5000);
    let count = refused.hashes.len().to_string();
    assert!(count != "0" && refused.to_string().starts_with(&count), "{refused}");
    let out: std::collections::HashSet<_> = refused.hashes.iter().copied().collect();
    assert!(all.iter().all(|hash| out.contains(hash) || filter.contains_hash(*hash)));
}

#[test]
fn of_threads_that_insert_one_new_key_exactly_one_sees_it_new() {
    let filter = Sharded::<CuckooFilter>::new(Goal::fpr(10_000, 1e-6), 4).unwrap();
    let new: u64 = std::thread::scope(|scope| {
        let insert = || {
            let keys = 0..5000u64;
            let new = keys.filter(|key| {
                let inserted = filter.insert_unique_hash(key.key_hash(0)).unwrap();
                inserted.is_new()
            });
            new.count() as u64
        };
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(insert)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!((new, filter.len()), (5000, 5000));
}

#[test]
fn shards_are_taken_apart_saved_and_put_together() {
    let goal = Goal::fpr(10_000, 0.01);
    let filter = Sharded::<QuotientFilter>::with_seed(goal, 5, 7).unwrap();
    filter.insert_batch(&hashes(0..10_000, 7)).unwrap();
    let files: Vec<_> =
        filter.into_shards().iter().map(|shard| shard.to_bytes().unwrap()).collect();
    let shards = files.iter().map(|file| QuotientFilter::from_bytes(file).unwrap());
    let mut filter = Sharded::from_shards_unchecked(shards.collect(), 10_000).unwrap();
    assert!((0..10_000u64).all(|key| filter.contains(&key)));
    assert_eq!((filter.seed(), filter.kind()), (7, FilterKind::Quotient));
    filter.clear();
    assert!(filter.is_empty());

    let mut shards = filter.into_shards();
    shards[3] = QuotientFilter::with_seed(goal, 8).unwrap();
    let refused = Sharded::from_shards_unchecked(shards, 10_000).unwrap_err();
    assert_eq!(refused, BuildError::PartSeeds { part: 3 });
    let none = Sharded::<QuotientFilter>::from_shards_unchecked(vec![], 1);
    assert!(matches!(none.unwrap_err(), BuildError::Plan(_)));
}

#[test]
fn shards_that_a_closure_makes_are_those_of_new() {
    for goal in
        [Goal::fpr(50_000, 0.01), Goal::bytes(50_000, 80_000), Goal::bits_per_key(50_000, 12.0)]
    {
        for shards in [1, 5, 60] {
            let plan = Sharded::<CuckooFilter>::plan(goal, shards).unwrap();
            let made = Sharded::try_from_fn(goal, shards, |shard| {
                assert_eq!(CuckooFilter::plan(shard).unwrap(), plan.part);
                CuckooFilter::new(shard)
            });
            let (made, new) = (made.unwrap(), Sharded::<CuckooFilter>::new(goal, shards).unwrap());
            assert_eq!((made.shards(), made.capacity()), (shards, 50_000));
            assert_eq!(made.size_in_bytes(), new.size_in_bytes());
            assert_eq!((made.seed(), made.kind()), (new.seed(), new.kind()));
        }
    }
    let goal = Goal::fpr(1000, 0.01);
    for shards in [0, 32_769] {
        let made = Sharded::try_from_fn(goal, shards, BloomFilter::new);
        assert!(made.unwrap_err().to_string().starts_with(&format!("shards = {shards} ")));
    }
    let made = Sharded::try_from_fn(Goal::fpr(1000, 2.0), 4, |_| unreachable!());
    assert_eq!(
        made.map(|it: Sharded<BloomFilter>| it.len()).unwrap_err(),
        PlanError::Fpr { fpr: 2.0 }.into()
    );
    let mut seed = 0..;
    let made =
        Sharded::try_from_fn(goal, 4, |shard| BloomFilter::with_seed(shard, seed.next().unwrap()));
    assert_eq!(made.unwrap_err(), BuildError::PartSeeds { part: 1 });
    let refusal = BuildError::OutOfMemory { bytes: 7 };
    let made = Sharded::<BloomFilter>::try_from_fn(goal, 4, |_| Err(refusal));
    assert_eq!(made.unwrap_err(), refusal);
}

/// Four threads, and a window of sixteen generations, each as full as planned: no key is
/// refused, and none is over its plan.
#[test]
fn rolling_shards_take_the_keys_of_their_goal() {
    let goal = Goal::fpr(64_000, 0.01);
    let seen =
        &Sharded::<rolling::Rolling<QuotientFilter>>::rolling(goal, 16, rolling::Generations(16))
            .unwrap();
    assert_eq!((seen.capacity(), seen.shards()), (64_000, 16));
    for generation in 0..20u64 {
        std::thread::scope(|scope| {
            for thread in 0..4u64 {
                let keys = (0..1000u64).map(move |key| (generation, thread, key));
                scope.spawn(move || seen.try_extend(keys).unwrap());
            }
        });
        let is_in = |generation| (0..1000u64).all(|key| seen.contains(&(generation, 3u64, key)));
        assert!((generation.saturating_sub(15)..=generation).all(is_in));
        assert!(generation < 16 || !is_in(generation - 16));
        seen.for_each_shard(|shard| {
            let most = shard.newest_first().map(|generation| generation.len()).max().unwrap();
            assert!(most <= shard.capacity() / 16, "{most} of {}", shard.capacity());
        });
        seen.for_each_shard(rolling::Rolling::advance);
    }
    for (shards, generations, named) in [(0, 4, "shards = 0"), (4, 0, "generations = 0")] {
        let made = Sharded::<rolling::Rolling<BloomFilter>>::rolling(
            goal,
            shards,
            rolling::Generations(generations),
        );
        assert!(made.unwrap_err().to_string().starts_with(named));
    }
}

/// Every method of a filter through a shared reference, as the same filter answers through `&mut`.
#[test]
fn every_method_with_keys_works_through_a_shared_reference() {
    let goal = Goal::fpr(10_000, 0.01);
    let shared = Sharded::<CuckooFilter>::new(goal, 7).unwrap();
    let mut alone = Sharded::<CuckooFilter>::new(goal, 7).unwrap();
    let filter = &shared;
    let keys: Vec<u64> = (0..5000).collect();
    let new = filter.insert_keys(&keys).unwrap();
    let one_by_one = alone.insert_batch(&hashes(0..5000, 0)).unwrap();
    assert_eq!(new, one_by_one);
    assert!(filter.try_extend(5000..6000u64).unwrap() > 900);
    assert_eq!(filter.insert_unique("a key"), Ok(Inserted::New));
    assert_eq!(filter.insert_unique("a key"), Ok(Inserted::MaybePresent));
    assert_eq!((filter.count("a key").estimate, filter.len()), (1, 6001));
    InsertExt::try_extend(&mut alone, 5000..6000u64).unwrap();
    InsertExt::insert_unique(&mut alone, "a key").unwrap();
    let asked: Vec<u64> = (0..20_000).collect();
    let mut answers = vec![false; asked.len()];
    filter.contains_keys(&asked, &mut answers).unwrap();
    assert!(asked.iter().zip(&answers).all(|(key, &found)| filter.contains(key) == found));
    assert!(filter.contains_keys(&asked, &mut answers[1..]).is_err());
    assert_eq!((filter.capacity(), filter.kind()), (10_000, FilterKind::Cuckoo));
    assert_eq!((filter.stats(), filter.size_in_bytes()), (alone.stats(), alone.size_in_bytes()));
    assert_eq!(filter.load_factor(), filter.stats().load_factor);
    // The refused keys of a batch are named.
    let many: Vec<u64> = (0..50_000).collect();
    let refused = filter.insert_keys(&many).unwrap_err();
    assert_eq!(filter.len(), 6001 + 50_000 - refused.hashes.len() as u64);
}

#[test]
fn a_key_of_an_iterator_is_seen_as_soon_as_it_is_given() {
    let filter = Sharded::<CuckooFilter>::new(Goal::fpr(1000, 0.01), 8).unwrap();
    let keys = (0..500u64).inspect(|&key| assert!((0..key).all(|key| filter.contains(&key))));
    assert!(filter.try_extend(keys).unwrap() > 450);
    assert_eq!(filter.len(), 500);
    // A refusal ends it, and says how many keys are in.
    let refused = filter.try_extend(500..9000u64).unwrap_err();
    assert_eq!(filter.len(), 500 + refused.done);
}

/// One thread that visits the shards and uses the filter meanwhile comes to an end, and no key is
/// denied or lost.
#[test]
fn a_filter_is_used_while_its_shards_are_visited() {
    for shards in [1usize, 5] {
        let filter = Sharded::<CuckooFilter>::new(Goal::fpr(10_000, 0.001), shards).unwrap();
        filter.insert_batch(&hashes(0..1000, 0)).unwrap();
        let all = hashes(0..1000, 0);
        let mut visit = 0;
        let visited = filter.for_each_shard(|shard| {
            let of = |hash: KeyHash| hash.shard(shards) == visit;
            assert!(all.iter().all(|&hash| filter.contains_hash(hash)));
            let mut answers = vec![false; all.len()];
            filter.contains_batch(&all, &mut answers).unwrap();
            assert!(answers.iter().all(|&found| found));
            assert!((0..1000u64).all(|key| filter.count(&key).estimate > 0));
            // Of the shard at hand nothing can be changed but through it.
            let (mine, others): (Vec<_>, Vec<_>) =
                hashes(2000..2200, 0).into_iter().partition(|&hash| of(hash));
            for &hash in &mine {
                assert_eq!(filter.insert_hash(hash), Err(InsertError::Visited));
                assert_eq!(filter.insert_unique_hash(hash), Err(InsertError::Visited));
                assert!(!filter.remove_hash(hash) && !shard.contains_hash(hash));
                // It may be in, as far as the filter can tell.
                assert!(filter.contains_hash(hash));
            }
            match filter.insert_batch(&[&mine[..], &others[..]].concat()) {
                Ok(_) => assert!(mine.is_empty()),
                Err(refused) => {
                    assert_eq!(refused.error, InsertError::Visited);
                    assert_eq!(refused.hashes, mine);
                }
            }
            assert!(others.iter().all(|&hash| filter.remove_hash(hash)));
            assert_eq!(filter.len() + shard.len(), 1000);
            assert!((0.0..=1.0).contains(&filter.expected_fpr()));
            assert!(filter.stats().bytes == filter.size_in_bytes());
            // A visit within the visit passes this shard by.
            let mut within = 0;
            assert_eq!(filter.for_each_shard(|other| within += other.len()), shards - 1);
            assert_eq!(within + shard.len(), 1000);
            visit += 1;
        });
        assert_eq!((visited, visit, filter.len()), (shards, shards, 1000));
        // A visit that panics ends, too.
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            filter.for_each_shard(|_| panic!("a visitor's own"));
        }));
        assert!(panicked.is_err());
        assert!(filter.insert_batch(&all).is_ok() && filter.len() == 2000);
        // Another thread waits for the visit instead of going without.
        std::thread::scope(|scope| {
            let mut asking = Vec::new();
            filter.for_each_shard(|_| {
                asking.push(scope.spawn(|| !filter.contains("absent") && filter.len() == 2000));
            });
            assert!(asking.into_iter().all(|asked| asked.join().unwrap()));
        });
    }
}

/// A buffer that is flushed when its thread ends.
#[test]
fn a_filter_is_used_by_destructors_of_a_thread() {
    use std::cell::RefCell;
    use std::sync::OnceLock;

    static SHARED: OnceLock<Sharded<CuckooFilter>> = OnceLock::new();
    struct Buffer(Vec<u64>);
    impl Drop for Buffer {
        fn drop(&mut self) {
            let visit = |shard: &mut CuckooFilter| {
                self.0.iter().for_each(|key| _ = shard.insert(key).unwrap());
            };
            SHARED.get().unwrap().for_each_shard(visit);
        }
    }
    thread_local!(static BUFFER: RefCell<Buffer> = const { RefCell::new(Buffer(Vec::new())) });

    let shared = SHARED.get_or_init(|| Sharded::new(Goal::fpr(100, 0.01), 4).unwrap());
    let ends = std::thread::spawn(|| {
        BUFFER.with_borrow_mut(|buffer| buffer.0.push(7));
        SHARED.get().unwrap().for_each_shard(|_| ());
    });
    ends.join().unwrap();
    assert_eq!(shared.len(), 4);
}

#[test]
fn a_secret_seed_is_not_printed() {
    let (goal, seed) = (Goal::fpr(100, 0.01), 0xDEAD_BEEF);
    let sharded = Sharded::<BloomFilter>::with_seed(goal, 4, seed).unwrap();
    let rolling = rolling::Rolling::<BloomFilter>::with_seed(goal, 4, seed).unwrap();
    let newest = rolling.newest_first().next().unwrap();
    for text in [format!("{sharded:?}"), format!("{rolling:#?}"), format!("{newest:?}")] {
        assert!(text.contains("Bloom") && !text.contains(&seed.to_string()), "{text}");
    }
}
