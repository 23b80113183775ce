//! Laws of filters that remove keys, and of filters that count them.

use crate::expected::Expected;
use crate::fill::{absent_hashes, all_found, count_found, present_hashes};
use crate::violation::{Verdict, Violation, ensure, same, unchanged};
use amq_core::{CountFilter, EmptyFilter, Goal, KeyHash, RemoveFilter};

/// Room for copies: filters are planned for this many times the copies they are given. A plan is
/// for distinct keys, and the copies of one key share a limited number of places.
pub(crate) const ROOM_FOR_COPIES: u64 = 2;

/// The share of copies, up to three per key, that a filter with this room must take.
const MOST: f64 = 0.9;

fn filled<F: EmptyFilter>(n: u64, seed: u64) -> Result<F, Violation> {
    let goal = Goal::fpr(n, 0.01);
    let mut filter =
        F::empty(goal, seed).map_err(Violation::refused(format!("a filter for {goal:?}")))?;
    filter
        .insert_batch(&present_hashes(n, seed))
        .map_err(Violation::refused(format!("{n} keys")))?;
    Ok(filter)
}

/// Inserts `copies(i)` copies of hash `i`. The filter must take nearly all; returns how many it
/// took of each.
fn with_copies<F: EmptyFilter>(
    hashes: &[KeyHash],
    copies: impl Fn(usize) -> u64,
    seed: u64,
) -> Result<(F, Vec<u64>), Violation> {
    let wanted: u64 = (0..hashes.len()).map(&copies).sum();
    let goal = Goal::fpr(ROOM_FOR_COPIES * wanted, 0.01);
    let mut filter =
        F::empty(goal, seed).map_err(Violation::refused(format!("a filter for {goal:?}")))?;
    let mut taken = vec![0; hashes.len()];
    let most = (0..hashes.len()).map(&copies).max().unwrap_or(0);
    for copy in 0..most {
        for (i, &hash) in hashes.iter().enumerate() {
            if copy < copies(i) && filter.insert_hash(hash).is_ok() {
                taken[i] += 1;
            }
        }
    }
    let all: u64 = taken.iter().sum();
    ensure(
        all as f64 >= MOST * wanted as f64 && taken.iter().all(|&taken| taken > 0),
        format_args!("copies taken by a filter for {goal:?}"),
        all,
        format_args!("one of each key, and nearly all of {wanted}"),
    )?;
    same("len with copies", filter.len(), all)?;
    Ok((filter, taken))
}

/// Every copy of a key is held: until its last copy is removed the key stays, and then it is gone.
pub fn removing_one_copy_leaves_the_others<F>() -> Verdict
where
    F: EmptyFilter + RemoveFilter,
{
    const N: u64 = 2000;
    let hashes = present_hashes(N, 5);
    let (mut filter, mut copies) = with_copies::<F>(&hashes, |_| 3, 5)?;
    let mut len = filter.len();
    for _ in 0..3 {
        for (&hash, left) in hashes.iter().zip(&mut copies) {
            if *left > 0 {
                *left -= 1;
                len -= 1;
                let what = format!("removing one copy, {left} left");
                same(what, filter.remove_hash(hash), true)?;
            }
        }
        same("len after removing a copy of each", filter.len(), len)?;
        let left = hashes.iter().zip(&copies).filter(|(_, left)| **left > 0);
        let left: Vec<KeyHash> = left.map(|(&hash, _)| hash).collect();
        all_found(&filter, &left, "with copies left")?;
    }
    same("is_empty after the last copy", filter.is_empty(), true)?;
    let asked = hashes.into_iter().chain(absent_hashes(20_000, 5));
    same("keys found after the last copy", count_found(&filter, asked)?, 0)
}

/// Removing a definitely absent key answers `false` and changes nothing.
pub fn removing_an_absent_key_changes_nothing<F>() -> Verdict
where
    F: EmptyFilter + RemoveFilter + Clone + PartialEq,
{
    for n in [0, 1, 2000] {
        let mut filter = filled::<F>(n.max(1), 6)?;
        if n == 0 {
            filter.clear();
        }
        let before = filter.clone();
        for hash in absent_hashes(5000, 6) {
            if !filter.contains_hash(hash) {
                same("removing an absent key", filter.remove_hash(hash), false)?;
                same("len after that", filter.len(), before.len())?;
            }
        }
        unchanged(&filter, &before, "removing keys that are absent")?;
    }
    Ok(())
}

/// Keys come and go for twenty times the plan, at full load: present keys are found, and the rate
/// stays. A hole that is never filled again, or a tombstone, would raise the rate or refuse a key.
pub fn a_filter_can_be_turned_over_for_ever<F>() -> Verdict
where
    F: EmptyFilter + RemoveFilter,
{
    const N: usize = 3000;
    let mut filter = filled::<F>(N as u64, 7)?;
    let hashes = present_hashes(20 * N as u64, 7);
    for (i, &hash) in hashes.iter().enumerate().skip(N) {
        same("removing a present key", filter.remove_hash(hashes[i - N]), true)?;
        filter
            .insert_hash(hash)
            .map_err(Violation::refused("a key in the place of a removed one"))?;
        if i % N == N - 1 {
            all_found(&filter, &hashes[i + 1 - N..=i], format_args!("after {i} keys"))?;
        }
    }
    same("len after turning over", filter.len(), N as u64)?;
    let predicted = F::predicted_fpr(&filter.params(), N as u64);
    let found = count_found(&filter, absent_hashes(200_000, 7).into_iter())?;
    Expected::of_any(200_000, predicted).check("a filter turned over".into(), Some(7), found, 5.0)
}

/// Of a filter that `insert_unique` fills, what was `New` can be removed: each such key is found
/// until it is, whatever is removed before. Afterwards the filter is empty, and a key that was
/// skipped is denied: none was stored.
pub fn what_was_new_to_insert_unique_can_be_removed<F>() -> Verdict
where
    F: EmptyFilter + RemoveFilter,
{
    const N: u64 = 5000;
    // A rate at which some keys are skipped, being false positives; and every key comes twice.
    let goal = Goal::fpr(N, 0.2);
    let mut filter =
        F::empty(goal, 9).map_err(Violation::refused(format!("a filter for {goal:?}")))?;
    let mut new = Vec::new();
    for hash in present_hashes(N, 9) {
        for again in [false, true] {
            let there = filter.contains_hash(hash);
            let inserted = filter.insert_unique_hash(hash);
            let inserted = inserted.map_err(Violation::refused("a key within the plan"))?;
            same("New from insert_unique", inserted.is_new(), !there)?;
            same("a key that comes again is there", again && inserted.is_new(), false)?;
            if inserted.is_new() {
                new.push(hash);
            }
        }
    }
    same("len of a filter filled by insert_unique", filter.len(), new.len() as u64)?;
    // Not in the order in which they came: from both ends.
    let mut left = new.as_slice();
    while let Some((&gone, rest)) =
        if left.len() % 2 == 0 { left.split_first() } else { left.split_last() }
    {
        left = rest;
        same("removing a key that was new", filter.remove_hash(gone), true)?;
        if left.len() % 100 == 0 {
            all_found(&filter, left, "new to insert_unique, after others were removed")?;
        }
    }
    same("is_empty after the last", filter.is_empty(), true)?;
    same("keys found after the last", count_found(&filter, present_hashes(N, 9).into_iter())?, 0)
}

/// A count is never below the number of copies, unless it says so. It is zero exactly for keys that
/// are not contained, and too high only as often as there are false positives.
pub fn a_count_is_never_too_low_and_seldom_too_high<F>() -> Verdict
where
    F: EmptyFilter + CountFilter,
{
    const N: u64 = 20_000;
    let hashes = present_hashes(N, 8);
    // One copy of each odd key, three of each even one.
    let (filter, copies) = with_copies::<F>(&hashes, |i| if i % 2 == 0 { 3 } else { 1 }, 8)?;
    let mut above = 0;
    for (i, (&hash, &copies)) in hashes.iter().zip(&copies).enumerate() {
        let count = filter.count_hash(hash);
        ensure(
            count.estimate >= copies || count.saturated,
            format_args!("count of key {i}"),
            count,
            format_args!("{copies} or more"),
        )?;
        above += u64::from(count.estimate > copies);
    }
    for hash in absent_hashes(50_000, 8) {
        let count = filter.count_hash(hash).estimate;
        same("count of an absent key above 0", count > 0, filter.contains_hash(hash))?;
    }
    let rate = filter.expected_fpr();
    let allowed = N as f64 * rate;
    ensure(
        above as f64 <= allowed + 5.0 * allowed.sqrt() + 4.0,
        "keys with a count that is too high",
        above,
        format_args!("some {allowed:.0} of {N}, as the false-positive rate is {rate:e}"),
    )
}
