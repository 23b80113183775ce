//! Laws of inserting.

use crate::expected::Expected;
use crate::fill::{absent_hashes, all_found, count_found, present, present_hashes};
use crate::remove::ROOM_FOR_COPIES;
use crate::violation::{Verdict, Violation, ensure, same, unchanged};
use amq_core::{
    BatchInsertError, BuildFilter, EmptyFilter, Goal, InsertError, InsertExt, KeyHash,
    LengthMismatch,
};

fn empty<F: EmptyFilter>(keys: u64, fpr: f64, seed: u64) -> Result<F, Violation> {
    F::empty(Goal::fpr(keys, fpr), seed)
        .map_err(Violation::refused(format!("an empty filter for {keys} keys at {fpr}")))
}

/// An insert returns `New` exactly if the key was answered `false` just before, and a batch counts
/// them; both leave the same filter. A filter with little room for copies may refuse one; the
/// comparison then ends there.
pub fn an_insert_says_whether_the_key_was_there<F>() -> Verdict
where
    F: EmptyFilter + PartialEq,
{
    for (n, fpr) in [(1, 0.5), (10, 0.1), (1000, 0.2), (100_000, 0.01)] {
        let planned = ROOM_FOR_COPIES * n;
        let (mut one, mut many) = (empty::<F>(planned, fpr, 3)?, empty::<F>(planned, fpr, 3)?);
        // The second half repeats the first.
        let mut hashes = present_hashes(n.div_ceil(2), 3);
        hashes.extend_from_within(..);
        hashes.truncate(n as usize);
        let mut new = 0;
        for i in 0..hashes.len() {
            let hash = hashes[i];
            let there = one.contains_hash(hash);
            let inserted = match one.insert_hash(hash) {
                Ok(inserted) => inserted,
                // Copies may be refused: compare up to here.
                Err(_) if i as u64 >= n.div_ceil(2) => {
                    hashes.truncate(i);
                    break;
                }
                Err(error) => {
                    return Err(Violation::refused(format!("key {i} of {n}, within the plan"))(
                        error,
                    ));
                }
            };
            same(format_args!("New from insert {i} of {n}, at {fpr}"), inserted.is_new(), !there)?;
            new += u64::from(inserted.is_new());
        }
        let counted = many
            .insert_batch(&hashes)
            .map_err(Violation::refused(format!("a batch of {n} keys")))?;
        same(format_args!("New in a batch of {n}"), counted, new)?;
        all_found(&many, &hashes, "after a batch")?;
        ensure(
            one == many,
            format_args!("the filter after a batch of {n}"),
            many.len(),
            format_args!("as after {n} single inserts, with {} keys", one.len()),
        )?;
    }
    Ok(())
}

/// A batch that says which of its keys were new leaves the filter, the answers and the refusal of
/// single inserts, one after another. Without an answer for each key it inserts none.
pub fn a_batch_says_which_keys_were_new<F>() -> Verdict
where
    F: EmptyFilter + Clone + PartialEq,
{
    // The fourth fills a filter that can be full.
    for (planned, n) in [(1, 0), (1, 1), (7, 7), (100, 2000), (50_000, 50_000)] {
        let mut one = empty::<F>(planned, 0.05, 7)?;
        let mut many = one.clone();
        // Every key comes again, three places later.
        let once = present_hashes(n, 7);
        let hashes: Vec<_> = (0..n as usize).map(|i| once[i / 6 * 3 + i % 3]).collect();
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
        let before = many.clone();
        for answers in [n as usize + 1, (n as usize).saturating_sub(1)] {
            if answers as u64 == n {
                continue;
            }
            let error = InsertError::Length(LengthMismatch { keys: hashes.len(), answers });
            let refused = Err(BatchInsertError { done: 0, error });
            let batch = many.insert_batch_new(&hashes, &mut vec![false; answers]);
            same(format_args!("{n} keys with {answers} answers"), batch, refused)?;
            unchanged(&many, &before, "a batch with another number of answers")?;
        }
        let batch = many.insert_batch_new(&hashes, &mut new);
        same(format_args!("the new ones of {n} keys"), batch, inserted)?;
        let wrong = new.iter().zip(&singly).position(|(new, singly)| new != singly);
        same(format_args!("the first of {n} keys with a wrong answer"), wrong, None)?;
        unchanged(&many, &one, "a batch instead of single inserts")?;
    }
    Ok(())
}

/// Many keys make the filter that they make one by one, and as many of them are new: whether their
/// hashes are inserted at once, or the filter is built of them.
///
/// For filters that never refuse a key, with parameters that make a table large enough for whatever
/// they do with many keys. `within` runs what it is given one or more times, in surroundings that
/// must not matter: pools of one or several threads.
pub fn many_keys_make_the_filter_that_they_make_one_by_one<F>(
    params: F::Params,
    n: u64,
    within: impl Fn(&(dyn Fn() -> Verdict + Sync)) -> Verdict,
) -> Verdict
where
    F: BuildFilter + EmptyFilter + PartialEq,
    F::Params: Sync,
{
    // The third quarter repeats the first.
    let keys = (0..n).map(|i| present(if i < n / 4 { i + n / 2 } else { i }));
    let keys: Vec<u64> = keys.collect();
    let hashes: Vec<KeyHash> = keys.iter().map(|key| KeyHash::of(key, 1)).collect();
    let what = &format!("{n} keys, {params:?}");
    let plan = F::plan_params(params, n).map_err(Violation::refused(what))?;
    let mut one = F::empty(plan, 1).map_err(Violation::refused(what))?;
    let mut new = 0;
    for &hash in &hashes {
        new += u64::from(one.insert_hash(hash).map_err(Violation::refused(what))?.is_new());
    }
    within(&|| {
        let mut many = F::empty(plan, 1).map_err(Violation::refused(what))?;
        same(format_args!("new of {n} keys at once"), many.insert_batch(&hashes), Ok(new))?;
        let of_hashes = format!("the filter of {n} hashes, inserted at once");
        ensure(many == one, of_hashes, "another", "that of single inserts")?;
        drop(many);
        let built = F::build_keys(plan, 1, &keys).map_err(Violation::refused(what))?;
        let of_keys = format!("the filter that is built of {n} keys");
        ensure(built == one, of_keys, "another", "that of single inserts")
    })
}

/// Half a million keys, inserted one by one, are all found.
pub fn every_inserted_key_is_found<F: EmptyFilter>() -> Verdict {
    let mut filter = empty::<F>(500_000, 0.01, 1)?;
    let hashes = present_hashes(500_000, 1);
    for &hash in &hashes {
        filter
            .insert_hash(hash)
            .map_err(Violation::refused("one of the keys that were planned for"))?;
    }
    all_found(&filter, &hashes, "after single inserts")
}

/// A key is inserted as its hash under the filter's seed, one by one and in batches. A batch that
/// says which keys were new says so of each.
pub fn a_key_goes_in_as_its_hash<F>() -> Verdict
where
    F: EmptyFilter + PartialEq,
{
    for seed in [0, 1, u64::MAX] {
        let n = 1000;
        let keys: Vec<u64> = (0..n).map(present).collect();
        let (mut one, mut many, mut hashed, mut answered) = (
            empty::<F>(n, 0.1, seed)?,
            empty::<F>(n, 0.1, seed)?,
            empty::<F>(n, 0.1, seed)?,
            empty::<F>(n, 0.1, seed)?,
        );
        let (mut new, mut news, mut singly) = (0, vec![false; keys.len()], Vec::new());
        for key in &keys {
            let inserted = one.insert(key).map_err(Violation::refused("a key"))?;
            new += u64::from(inserted.is_new());
            singly.push(inserted.is_new());
        }
        same("New from insert_keys", many.insert_keys(&keys), Ok(new))?;
        same("New from insert_batch", hashed.insert_batch(&present_hashes(n, seed)), Ok(new))?;
        same("New from insert_keys_new", answered.insert_keys_new(&keys, &mut news), Ok(new))?;
        same("which keys were new", news == singly, true)?;
        let alike = one == hashed && many == hashed && answered == hashed;
        ensure(alike, "a filter of keys", seed, "that of their hashes")?;
    }
    Ok(())
}

/// A cleared filter equals a new one and can be filled again.
pub fn a_cleared_filter_is_a_new_one<F>() -> Verdict
where
    F: EmptyFilter + PartialEq,
{
    for n in [1, 10, 1000, 30_000] {
        let new = empty::<F>(n, 0.01, 8)?;
        let mut filter = empty::<F>(n, 0.01, 8)?;
        for round in 0..2 {
            let hashes = present_hashes(n, 8);
            filter
                .insert_batch(&hashes)
                .map_err(Violation::refused(format!("{n} keys, round {round}")))?;
            all_found(&filter, &hashes, "before clear")?;
            let size = filter.size_in_bytes();
            filter.clear();
            same("size after clear", filter.size_in_bytes(), size)?;
            same("len after clear", filter.len(), 0)?;
            same("is_empty after clear", filter.is_empty(), true)?;
            let left = count_found(&filter, hashes.into_iter())?;
            same("keys found after clear", left, 0)?;
            ensure(filter == new, "the filter after clear", "differs", "a new one")?;
        }
    }
    Ok(())
}

/// One key, inserted 100,000 times: memory stays bounded, the key is found, and once a copy is
/// refused every later one is, and changes nothing.
pub fn one_key_a_hundred_thousand_times_is_bounded<F>() -> Verdict
where
    F: EmptyFilter + Clone + PartialEq,
{
    let mut filter = empty::<F>(1000, 0.01, 6)?;
    let size = filter.size_in_bytes();
    let hashes = present_hashes(1, 6);
    let mut refused: Option<(F, InsertError)> = None;
    for copy in 1..=100_000u32 {
        let answer = filter.insert_hash(hashes[0]);
        match (answer, &refused) {
            (Ok(_), None) => {}
            (Ok(_), Some((_, full))) => {
                return Err(Violation::Accepted {
                    what: format!("copy {copy} of a key, after an earlier one was refused: {full}"),
                });
            }
            (Err(full), None) => refused = Some((filter.clone(), full)),
            (Err(again), Some((before, full))) => {
                same("the second refusal", again, *full)?;
                // Comparing reads the whole table, so only a few times.
                if copy % 10_000 == 0 {
                    unchanged(&filter, before, "a copy that was refused")?;
                }
            }
        }
    }
    all_found(&filter, &hashes, "after 100,000 inserts of it")?;
    let now = filter.size_in_bytes();
    ensure(
        now <= 2 * size,
        "bytes after 100,000 copies of one key",
        now,
        format_args!("about {size}, as before"),
    )
}

/// Fill to refusal: the refused key changes nothing, every accepted key is still found, and the
/// refusal stands. A batch stops at the same key.
///
/// Filters that never refuse pass once they hold twenty times their plan.
pub fn a_full_filter_refuses_and_stays_as_it_was<F>() -> Verdict
where
    F: EmptyFilter + Clone + PartialEq,
{
    for (n, seed) in [(1, 0), (10, 1), (100, 2), (2000, 3), (2000, 4)] {
        let mut filter = empty::<F>(n, 0.01, seed)?;
        let new = filter.clone();
        let hashes = present_hashes(20 * n, seed);
        let mut done = 0;
        let mut refusal = None;
        for &hash in &hashes {
            let before = filter.clone();
            match filter.insert_hash(hash) {
                Ok(_) => done += 1,
                Err(full) => {
                    unchanged(&filter, &before, "an insert that was refused")?;
                    refusal = Some(full);
                    break;
                }
            }
        }
        all_found(
            &filter,
            &hashes[..done],
            format_args!("in a filter filled to refusal, for {n}"),
        )?;
        if let Some(full) = refusal {
            ensure(
                done as u64 >= n,
                "keys before the first refusal",
                done,
                format_args!("{n} or more"),
            )?;
            for _ in 0..3 {
                same("the refusal, again", filter.insert_hash(hashes[done]), Err(full))?;
            }
        }

        let mut many = new;
        let batch = many.insert_batch(&hashes);
        let wanted = batch.as_ref().map_or_else(|full| full.done, |_| hashes.len() as u64);
        same("keys of a batch before it is refused", wanted, done as u64)?;
        same("why a batch is refused", batch.err().map(|full| full.error), refusal)?;
        ensure(many == filter, "a batch filled to refusal", "differs", "as single inserts")?;
        all_found(&many, &hashes[..done], "in a batch up to its refusal")?;
    }
    Ok(())
}

/// Filling a filter beyond its plan raises the rate it reports, and never loses a key.
pub fn an_overfull_filter_says_so<F: EmptyFilter>() -> Verdict {
    let mut filter = empty::<F>(5000, 0.01, 2)?;
    let hashes = present_hashes(15_000, 2);
    let mut before = filter.expected_fpr();
    for part in hashes.chunks(1000) {
        if filter.insert_batch(part).is_err() {
            return Ok(());
        }
        let now = filter.expected_fpr();
        ensure(
            now >= before,
            "expected_fpr with more keys",
            now,
            format_args!("{before} or more"),
        )?;
        before = now;
    }
    all_found(&filter, &hashes, "in a filter with three times its plan")?;
    let found = count_found(&filter, absent_hashes(100_000, 2).into_iter())?;
    Expected::of_one(100_000, before).check("three times full".into(), Some(2), found, 5.0)
}
