//! Laws of filters that forget keys, and of those that count them.

use crate::expected::Expected;
use crate::fill::{absent_hashes, all_found, count_found, present_hashes};
use crate::violation::{Verdict, Violation, ensure, same, unchanged};
use amq_core::{CountFilter, EmptyFilter, Goal, RemoveFilter};

fn filled<F: EmptyFilter>(n: u64, copies: usize, seed: u64) -> Result<F, Violation> {
    let goal = Goal::fpr(n * copies as u64, 0.01);
    let mut filter =
        F::with_goal(goal, seed).map_err(Violation::refused(format!("a filter for {goal:?}")))?;
    for _ in 0..copies {
        filter
            .insert_batch(&present_hashes(n, seed))
            .map_err(Violation::refused(format!("{copies} copies of {n} keys")))?;
    }
    Ok(filter)
}

/// Of three copies of each key every one is held: two can be removed, and the key is still there; then the
/// last, and it is gone.
pub fn removing_one_copy_leaves_the_others<F>() -> Verdict
where
    F: EmptyFilter + RemoveFilter,
{
    const N: u64 = 2000;
    let mut filter = filled::<F>(N, 3, 5)?;
    let hashes = present_hashes(N, 5);
    same("len of three copies", filter.len(), 3 * N)?;
    for left in (0..3).rev() {
        for &hash in &hashes {
            same(
                format_args!("removing one copy, {left} left"),
                filter.remove_hash(hash),
                true,
            )?;
        }
        same("len after removing a copy of each", filter.len(), left * N)?;
        if left > 0 {
            all_found(&filter, &hashes, format_args!("with {left} copies left"))?;
        }
    }
    same("is_empty after the last copy", filter.is_empty(), true)?;
    let asked = hashes.into_iter().chain(absent_hashes(20_000, 5));
    same(
        "keys found after the last copy",
        count_found(&filter, asked)?,
        0,
    )
}

/// Removing a key that is certainly absent answers `false` and changes nothing.
pub fn removing_an_absent_key_changes_nothing<F>() -> Verdict
where
    F: EmptyFilter + RemoveFilter + Clone + PartialEq,
{
    for n in [0, 1, 2000] {
        let mut filter = filled::<F>(n.max(1), 1, 6)?;
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

/// Keys come and go for twenty times the plan, at full load: those that are in are found, and the rate
/// stays what it was (a hole that is never filled again, or a tombstone, would raise it or refuse).
pub fn a_filter_can_be_turned_over_for_ever<F>() -> Verdict
where
    F: EmptyFilter + RemoveFilter,
{
    const N: usize = 3000;
    let mut filter = filled::<F>(N as u64, 1, 7)?;
    let hashes = present_hashes(20 * N as u64, 7);
    for (i, &hash) in hashes.iter().enumerate().skip(N) {
        same(
            "removing a key that is in",
            filter.remove_hash(hashes[i - N]),
            true,
        )?;
        filter
            .insert_hash(hash)
            .map_err(Violation::refused("a key in the place of a removed one"))?;
        if i % N == N - 1 {
            all_found(
                &filter,
                &hashes[i + 1 - N..=i],
                format_args!("after {i} keys"),
            )?;
        }
    }
    same("len after turning over", filter.len(), N as u64)?;
    let predicted = F::predicted_fpr(&filter.params(), N as u64);
    let found = count_found(&filter, absent_hashes(200_000, 7).into_iter())?;
    Expected::of_any(200_000, predicted).check("a filter turned over".into(), Some(7), found, 5.0)
}

/// A count is never below the number of copies, unless it says so; it is zero exactly for what is not
/// contained; and it is above for as few keys as there are false positives.
pub fn a_count_is_never_too_low_and_seldom_too_high<F>() -> Verdict
where
    F: EmptyFilter + CountFilter,
{
    const N: u64 = 20_000;
    // One copy of the odd ones, three of the even ones.
    let goal = Goal::fpr(2 * N, 0.01);
    let mut filter = F::with_goal(goal, 8).map_err(Violation::refused("an empty filter"))?;
    let hashes = present_hashes(N, 8);
    let copies = |i: usize| if i % 2 == 0 { 3 } else { 1 };
    for (i, &hash) in hashes.iter().enumerate() {
        for _ in 0..copies(i) {
            filter
                .insert_hash(hash)
                .map_err(Violation::refused("a copy"))?;
        }
    }
    let mut above = 0;
    for (i, &hash) in hashes.iter().enumerate() {
        let count = filter.count_hash(hash);
        ensure(
            count.estimate >= copies(i) || count.saturated,
            format_args!("count of key {i}"),
            count,
            format_args!("{} or more", copies(i)),
        )?;
        above += u64::from(count.estimate > copies(i));
    }
    for hash in absent_hashes(50_000, 8) {
        let count = filter.count_hash(hash).estimate;
        same(
            "count of an absent key above 0",
            count > 0,
            filter.contains_hash(hash),
        )?;
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
