//! Laws of inserting.

use crate::expected::Expected;
use crate::fail::OrFail;
use crate::fill::{all_found, count_absent_found, count_found, empty, present, present_hashes};
use crate::remove::ROOM_FOR_COPIES;
use amq_core::{
    BatchInsertError, BuildError, BuildFilter, EmptyFilter, InsertError, InsertExt, Inserted,
    KeyHash, LengthMismatch, Plan,
};

/// An insert returns `New` exactly if the key was answered `false` just before, and a batch counts
/// them; both leave the same filter. A filter with little room for copies may refuse one; the
/// comparison then ends there.
pub fn an_insert_says_whether_the_key_was_there<F>()
where
    F: EmptyFilter + PartialEq,
{
    for (n, fpr) in [(1, 0.5), (10, 0.1), (1000, 0.2), (400_000, 0.01)] {
        let planned = ROOM_FOR_COPIES * n;
        let (mut one, mut many) = (empty::<F>(planned, fpr, 3), empty::<F>(planned, fpr, 3));
        // The second half repeats the first.
        let distinct = n.div_ceil(2);
        let mut hashes = present_hashes(distinct, 3);
        hashes.extend_from_within(..(n - distinct) as usize);
        let mut new = 0;
        for i in 0..hashes.len() {
            let there = one.contains_hash(hashes[i]);
            match one.insert_hash(hashes[i]) {
                Ok(inserted) => {
                    assert_eq!(inserted, Inserted::from_change(!there), "insert {i} of {n}");
                    new += u64::from(!there);
                }
                // Copies may be refused: compare up to here.
                Err(error) => {
                    assert!(i as u64 >= distinct, "key {i} of {n}, within the plan: {error}");
                    hashes.truncate(i);
                    break;
                }
            }
        }
        assert_eq!(many.insert_batch(&hashes), Ok(new), "New in a batch of {n}");
        all_found(&many, &hashes, "after a batch");
        assert!(one == many, "a batch of {n} leaves another filter than single inserts");
    }
}

/// A batch that says which of its keys were new leaves the filter, the answers and the refusal of
/// single inserts, one after another. Without an answer for each key it inserts none.
pub fn a_batch_says_which_keys_were_new<F>()
where
    F: EmptyFilter + Clone + PartialEq,
{
    // The fourth fills a filter that can be full.
    for (planned, n) in [(1, 0), (1, 1), (7, 7), (100, 2000), (50_000, 50_000)] {
        let mut one = empty::<F>(planned, 0.05, 7);
        let mut many = one.clone();
        // Every key comes again, three places later.
        let once = present_hashes(n, 7);
        let hashes: Vec<_> = (0..n as usize).map(|i| once[i / 6 * 3 + i % 3]).collect();
        for answers in [hashes.len() + 1, hashes.len().saturating_sub(1)] {
            if answers == hashes.len() {
                continue;
            }
            let error = InsertError::Length(LengthMismatch { keys: hashes.len(), answers });
            let batch = many.insert_batch_new(&hashes, &mut vec![false; answers]);
            assert_eq!(batch, Err(BatchInsertError { done: 0, error }));
            assert!(many == one, "changed by a batch with another number of answers");
        }
        // What is not written stays as it is.
        let mut new: Vec<bool> = (0..n).map(|i| i % 2 == 0).collect();
        let (mut singly, mut inserted) = (new.clone(), Ok(0));
        for (done, &hash) in (0..).zip(&hashes) {
            match one.insert_hash(hash) {
                Ok(answer) => {
                    singly[done as usize] = answer.is_new();
                    inserted = inserted.map(|count| count + u64::from(answer.is_new()));
                }
                Err(error) => {
                    inserted = Err(BatchInsertError { done, error });
                    break;
                }
            }
        }
        assert_eq!(many.insert_batch_new(&hashes, &mut new), inserted, "the new ones of {n} keys");
        let wrong = new.iter().zip(&singly).position(|(new, singly)| new != singly);
        assert_eq!(wrong, None, "the first of {n} keys with a wrong answer");
        assert!(many == one, "a batch leaves another filter than single inserts");
    }
}

/// Many keys make the filter that they make one by one, and as many of them are new: whether their
/// hashes are inserted at once, or the filter is built of them.
///
/// For filters that never refuse a key, with parameters that make a table large enough for whatever
/// they do with many keys. `insert` inserts hashes, and `build` builds a filter of keys under the
/// seed 1. `within` runs what it is given one or more times, in surroundings that must not matter:
/// pools of one or several threads.
pub fn many_keys_make_the_filter_that_they_make_one_by_one<F>(
    params: F::Params,
    n: u64,
    within: impl Fn(&(dyn Fn() + Sync)),
    insert: impl Fn(&mut F, &[KeyHash]) -> Result<u64, BatchInsertError> + Sync,
    build: impl Fn(Plan<F::Params>, &[u64]) -> Result<F, BuildError> + Sync,
) where
    F: BuildFilter + EmptyFilter + PartialEq,
    F::Params: Sync,
{
    // The third quarter repeats the first.
    let keys = (0..n).map(|i| present(if i < n / 4 { i + n / 2 } else { i }));
    let keys: Vec<u64> = keys.collect();
    let hashes: Vec<KeyHash> = keys.iter().map(|key| KeyHash::of(key, 1)).collect();
    let what = &format!("{n} keys, {params:?}");
    let plan = F::plan_params(params, n).or_fail(what);
    let mut one = F::empty(plan, 1).or_fail(what);
    let mut new = 0;
    for &hash in &hashes {
        new += u64::from(one.insert_hash(hash).or_fail(what).is_new());
    }
    within(&|| {
        let mut many = F::empty(plan, 1).or_fail(what);
        assert_eq!(insert(&mut many, &hashes), Ok(new), "new of {what}");
        assert!(many == one, "{what}, inserted at once, make another filter than one by one");
        drop(many);
        let built = build(plan, &keys).or_fail(what);
        assert!(built == one, "{what}: the filter built of them is another than one by one");
    });
}

/// A key is inserted as its hash under the filter's seed, one by one and in batches. A batch that
/// says which keys were new says so of each.
pub fn a_key_goes_in_as_its_hash<F>()
where
    F: EmptyFilter + PartialEq,
{
    for seed in [0, 1, u64::MAX] {
        let n = 1000;
        let keys: Vec<u64> = (0..n).map(present).collect();
        let [mut one, mut many, mut hashed, mut answered] =
            [(); 4].map(|()| empty::<F>(n, 0.1, seed));
        let mut insert = |key| one.insert(key).or_fail("a key").is_new();
        let singly: Vec<bool> = keys.iter().map(&mut insert).collect();
        let new = Ok(singly.iter().filter(|&&new| new).count() as u64);
        let mut news = vec![false; keys.len()];
        assert_eq!(many.insert_keys(&keys), new, "New from insert_keys");
        assert_eq!(hashed.insert_batch(&present_hashes(n, seed)), new, "New from insert_batch");
        assert_eq!(answered.insert_keys_new(&keys, &mut news), new, "New from insert_keys_new");
        assert!(news == singly, "which keys were new");
        assert!(one == hashed && many == hashed && answered == hashed, "seed {seed}");
    }
}

/// A cleared filter equals a new one and can be filled again.
pub fn a_cleared_filter_is_a_new_one<F>()
where
    F: EmptyFilter + PartialEq,
{
    for n in [1, 10, 1000, 30_000] {
        let (new, mut filter) = (empty::<F>(n, 0.01, 8), empty::<F>(n, 0.01, 8));
        let hashes = present_hashes(n, 8);
        for round in 0..2 {
            filter.insert_batch(&hashes).or_fail(format_args!("{n} keys, round {round}"));
            all_found(&filter, &hashes, "before clear");
            let size = filter.size_in_bytes();
            filter.clear();
            assert_eq!(filter.size_in_bytes(), size, "size after clear");
            assert!(filter.len() == 0 && filter.is_empty(), "len {} after clear", filter.len());
            assert_eq!(count_found(&filter, &hashes), 0, "keys found after clear");
            assert!(filter == new, "a filter after clear differs from a new one");
        }
    }
}

/// One key, inserted 100,000 times: memory stays bounded, the key is found, and once a copy is
/// refused every later one is, and changes nothing.
pub fn one_key_a_hundred_thousand_times_is_bounded<F>()
where
    F: EmptyFilter + Clone + PartialEq,
{
    let mut filter = empty::<F>(1000, 0.01, 6);
    let size = filter.size_in_bytes();
    let hashes = present_hashes(1, 6);
    let mut refused: Option<(F, InsertError)> = None;
    for copy in 1..=100_000u32 {
        match (filter.insert_hash(hashes[0]), &refused) {
            (Ok(_), None) => {}
            (Ok(_), Some((_, full))) => panic!("copy {copy} is taken, after a refusal: {full}"),
            (Err(full), None) => refused = Some((filter.clone(), full)),
            (Err(again), Some((before, full))) => {
                assert_eq!(again, *full, "the second refusal");
                // Comparing reads the whole table, so only a few times.
                let same = copy % 10_000 != 0 || filter == *before;
                assert!(same, "changed by a copy that was refused");
            }
        }
    }
    all_found(&filter, &hashes, "after 100,000 inserts of it");
    let now = filter.size_in_bytes();
    assert!(now <= 2 * size, "{now} bytes after 100,000 copies of one key, {size} before");
}

/// Fill to refusal: the refused key changes nothing, every accepted key is still found, and the
/// refusal stands. A batch stops at the same key.
///
/// Filters that never refuse pass once they hold twenty times their plan.
pub fn a_full_filter_refuses_and_stays_as_it_was<F>()
where
    F: EmptyFilter + Clone + PartialEq,
{
    for (n, seed) in [(1, 0), (10, 1), (100, 2), (2000, 3), (2000, 4)] {
        let mut filter = empty::<F>(n, 0.01, seed);
        let mut many = filter.clone();
        let hashes = present_hashes(20 * n, seed);
        let (mut done, mut refusal) = (0, None);
        for &hash in &hashes {
            let before = filter.clone();
            match filter.insert_hash(hash) {
                Ok(_) => done += 1,
                Err(full) => {
                    assert!(filter == before, "changed by an insert that was refused");
                    refusal = Some(full);
                    break;
                }
            }
        }
        all_found(&filter, &hashes[..done], format_args!("filled to refusal, for {n}"));
        if let Some(full) = refusal {
            assert!(done as u64 >= n, "the first refusal after {done} keys of {n}: {full}");
            for _ in 0..3 {
                assert_eq!(filter.insert_hash(hashes[done]), Err(full), "the refusal, again");
            }
        }

        let batch = many.insert_batch(&hashes);
        let taken = batch.map_or_else(|full| full.done, |_| hashes.len() as u64);
        assert_eq!((taken, batch.err().map(|full| full.error)), (done as u64, refusal));
        assert!(many == filter, "a batch filled to refusal differs from single inserts");
        all_found(&many, &hashes[..done], "in a batch up to its refusal");
    }
}

/// Filling a filter beyond its plan raises the rate it reports, and never loses a key.
pub fn an_overfull_filter_says_so<F: EmptyFilter>() {
    let mut filter = empty::<F>(5000, 0.01, 2);
    let hashes = present_hashes(15_000, 2);
    let mut before = filter.expected_fpr();
    for part in hashes.chunks(1000) {
        if filter.insert_batch(part).is_err() {
            return;
        }
        let now = filter.expected_fpr();
        assert!(now >= before, "expected_fpr falls from {before} to {now} with more keys");
        before = now;
    }
    all_found(&filter, &hashes, "in a filter with three times its plan");
    let found = count_absent_found(&filter, 100_000);
    Expected::of_one(100_000, before).check("three times full", found, 5.0);
}
