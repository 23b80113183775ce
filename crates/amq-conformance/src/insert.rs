//! Laws of inserting.

use crate::expected::Expected;
use crate::fail::OrFail;
use crate::fill::{
    all_found, count_absent_found, count_found, empty, insert_singly, present, present_hashes,
};
use amq_core::{
    BatchInsertError, BuildError, BuildFilter, EmptyFilter, InsertError, InsertExt, Key, KeyHash,
    LengthMismatch, Plan,
};

/// A method that inserts keys, and may report which of them were new.
type Way<'a, F> = &'a dyn Fn(&mut F, &mut [bool]) -> Result<u64, BatchInsertError>;

/// Whichever method inserts the keys, the filter, the answers and the error are those of single
/// inserts of their hashes under the filter's seed. A batch with the wrong number of answers
/// inserts none.
pub fn keys_go_in_alike_in_every_way<F>()
where
    F: EmptyFilter + Clone + PartialEq,
{
    for (planned, fpr, n, seed) in [
        (1, 0.5, 0, 0),
        (2, 0.5, 1, 1),
        (254, 0.1, 127, u64::MAX),
        (2000, 0.2, 1000, 3),
        // Fills a filter that can be full.
        (100, 0.05, 2000, 7),
        (800_000, 0.01, 400_000, 3),
    ] {
        let what = format!("{n} keys in {planned} at {fpr}");
        // Every key is repeated three places later.
        let keys: Vec<u64> = (0..n).map(|i| present(i / 6 * 3 + i % 3)).collect();
        let hashes: Vec<KeyHash> = keys.iter().map(|key| key.key_hash(seed)).collect();
        let new = empty::<F>(planned, fpr, seed);
        // Answers that are not written stay unchanged.
        let before: Vec<bool> = (0..n).map(|i| i % 2 == 0).collect();
        let (mut one, mut singly) = (new.clone(), before.clone());
        let wanted = insert_singly(&mut one, &hashes, &mut singly, &what);
        if let Err(BatchInsertError { done, error }) = wanted {
            // A filter with little room for copies may refuse one.
            assert!(done % 6 >= 3 || done >= planned, "key {done} of {what}: {error}");
        }
        let done = wanted.map_or_else(|full| full.done, |_| n) as usize;
        let ways: [(&str, bool, Way<'_, F>); 5] = [
            ("insert_batch", false, &|filter, _| filter.insert_batch(&hashes)),
            ("insert_keys", false, &|filter, _| filter.insert_keys(&keys)),
            ("insert_batch_new", true, &|filter, new| filter.insert_batch_new(&hashes, new)),
            ("insert_keys_new", true, &|filter, new| filter.insert_keys_new(&keys, new)),
            ("insert", false, &|filter, _| {
                (0..).zip(&keys).try_fold(0, |new, (done, key)| match filter.insert(key) {
                    Ok(inserted) => Ok(new + u64::from(inserted.is_new())),
                    Err(error) => Err(BatchInsertError { done, error }),
                })
            }),
        ];
        for (way, answers, insert) in ways {
            let (mut many, mut new) = (new.clone(), before.clone());
            assert_eq!(insert(&mut many, &mut new), wanted, "{way} of {what}");
            assert!(many == one, "{way} of {what} leaves another filter than single inserts");
            all_found(&many, &hashes[..done], format_args!("after {way}"));
            assert!(!answers || new == singly, "{way}: which of {what} were new");
        }
        for room in [hashes.len() + 1, hashes.len().saturating_sub(1)] {
            let error = InsertError::Length(LengthMismatch { keys: hashes.len(), answers: room });
            let wanted = Err(BatchInsertError { done: 0, error });
            let mut many = new.clone();
            let refused = many.insert_batch_new(&hashes, &mut vec![false; room]);
            assert!(room == hashes.len() || refused == wanted, "{what}: {refused:?}");
            assert!(refused.is_ok() || many == new, "changed by a batch of another length");
        }
    }
}

/// Inserting many keys at once, or building from them, gives the same filter and the same number of
/// new keys as single inserts.
///
/// For filters that never refuse a key, with a table large enough for their treatment of many keys.
/// `insert` inserts hashes, and `build` builds a filter of keys under the seed 1. `within` runs its
/// argument one or more times, in pools of one or several threads, which must not matter.
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

/// A cleared filter equals a new one and can be filled again, however many keys it held, and
/// however far it had grown.
pub fn a_cleared_filter_is_a_new_one<F>()
where
    F: EmptyFilter + PartialEq,
{
    let grown = [61, 2400, 60_000].map(|held| (60, held));
    for (n, held) in [1, 10, 1000, 30_000].map(|n| (n, n)).into_iter().chain(grown) {
        let (new, mut filter) = (empty::<F>(n, 0.01, 8), empty::<F>(n, 0.01, 8));
        let hashes = present_hashes(held, 8);
        for round in 0..2 {
            let done = match filter.insert_batch(&hashes) {
                Err(full) if full.done >= n => full.done as usize,
                all => {
                    all.map(|_| hashes.len()).or_fail(format_args!("{held} keys in {n}, {round}"))
                }
            };
            all_found(&filter, &hashes[..done], "before clear");
            filter.clear();
            assert_eq!(filter.size_in_bytes(), new.size_in_bytes(), "size after clear");
            assert!(filter.len() == 0 && filter.is_empty(), "len {} after clear", filter.len());
            assert_eq!(count_found(&filter, &hashes), 0, "keys found after clear");
            assert!(filter == new, "a filter after clear differs from a new one");
        }
    }
}

/// One key, inserted 100,000 times: memory stays bounded, the key is found, and once a copy is
/// refused all later ones are too, and change nothing.
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

/// Fill until a key is refused: this changes nothing, every accepted key is still found, and the
/// key is refused again. A batch stops at the same key. The reported rate rises with the number of
/// keys, and is correct at three times the plan.
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
        let (mut done, mut refusal, mut rate) = (0, None, 0.0);
        // A first round finds the refused insert, so that the filter is copied only for that one.
        let mut first = filter.clone();
        let taken = hashes.iter().take_while(|&&hash| first.insert_hash(hash).is_ok()).count();
        for &hash in &hashes {
            if (done as u64).is_multiple_of(n) {
                let now = filter.expected_fpr();
                assert!(now >= rate, "expected_fpr falls from {rate} to {now} with more keys");
                rate = now;
            }
            if done as u64 == 3 * n && n > 100 {
                let found = count_absent_found(&filter, 100_000);
                Expected::of_one(100_000, rate).check("three times full", found, 5.0);
            }
            let before = (done == taken).then(|| filter.clone());
            match filter.insert_hash(hash) {
                Ok(_) => done += 1,
                Err(full) => {
                    let unchanged = before.is_some_and(|before| filter == before);
                    assert!(unchanged, "changed by an insert that was refused");
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
