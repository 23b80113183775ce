//! Laws of filters that remove keys, and of filters that count them.

use crate::expected::Expected;
use crate::fail::OrFail;
use crate::fill::{
    absent_hashes, all_found, by_inserting, count_absent_found, count_found, empty, filled,
    present_hashes,
};
use amq_core::{CountFilter, EmptyFilter, Inserted, KeyHash, RemoveFilter};

/// Room for copies: filters are planned for this many times the copies they are given. A plan is
/// for distinct keys, and the copies of one key share a limited number of places.
const ROOM_FOR_COPIES: u64 = 2;

/// The share of copies, up to three per key, that a filter with this room must take.
const MOST: f64 = 0.9;

/// Inserts `copies(i)` copies of hash `i`. The filter must take nearly all; returns how many it
/// took of each.
fn with_copies<F: EmptyFilter>(
    hashes: &[KeyHash],
    copies: impl Fn(usize) -> u64,
    seed: u64,
) -> (F, Vec<u64>) {
    let wanted: u64 = (0..hashes.len()).map(&copies).sum();
    let mut filter = empty::<F>(ROOM_FOR_COPIES * wanted, 0.01, seed);
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
    let enough = all as f64 >= MOST * wanted as f64 && taken.iter().all(|&taken| taken > 0);
    assert!(enough, "{all} of {wanted} copies taken, should be one of each key, and nearly all");
    assert_eq!(filter.len(), all, "len with copies");
    (filter, taken)
}

/// Every copy of a key is held: until its last copy is removed the key stays, and then it is gone.
pub fn removing_one_copy_leaves_the_others<F>()
where
    F: EmptyFilter + RemoveFilter,
{
    let hashes = present_hashes(2000, 5);
    let (mut filter, mut copies) = with_copies::<F>(&hashes, |_| 3, 5);
    for _ in 0..3 {
        for (&hash, left) in hashes.iter().zip(&mut copies) {
            if *left > 0 {
                *left -= 1;
                assert!(filter.remove_hash(hash), "removing one copy, {left} left");
            }
        }
        assert_eq!(filter.len(), copies.iter().sum(), "len after removing a copy of each");
        let left = hashes.iter().zip(&copies).filter(|(_, left)| **left > 0);
        let left: Vec<KeyHash> = left.map(|(&hash, _)| hash).collect();
        all_found(&filter, &left, "with copies left");
    }
    assert!(filter.is_empty(), "after the last copy");
    let found = count_found(&filter, &hashes) + count_absent_found(&filter, 20_000);
    assert_eq!(found, 0, "keys found after the last copy");
}

/// Removing a definitely absent key answers `false` and changes nothing.
pub fn removing_an_absent_key_changes_nothing<F>()
where
    F: EmptyFilter + RemoveFilter + Clone + PartialEq,
{
    for n in [0, 1, 2000] {
        let mut filter = filled::<F>(by_inserting, n, 0.01, 6);
        let before = filter.clone();
        for hash in absent_hashes(5000, 6) {
            if !filter.contains_hash(hash) {
                assert!(!filter.remove_hash(hash), "removing an absent key");
                assert_eq!(filter.len(), before.len(), "len after that");
            }
        }
        assert!(filter == before, "changed by removing keys that are absent");
    }
}

/// Keys are removed and inserted twenty times over, at full load: present keys are found, and the
/// rate stays. A slot that is never reused, or a tombstone, would raise the rate or refuse a key.
pub fn a_filter_can_be_turned_over_for_ever<F>()
where
    F: EmptyFilter + RemoveFilter,
{
    const N: usize = 3000;
    let mut filter = filled::<F>(by_inserting, N as u64, 0.01, 7);
    let hashes = present_hashes(20 * N as u64, 7);
    for (i, &hash) in hashes.iter().enumerate().skip(N) {
        assert!(filter.remove_hash(hashes[i - N]), "removing a present key");
        filter.insert_hash(hash).or_fail("a key in the place of a removed one");
        if i % N == N - 1 {
            all_found(&filter, &hashes[i + 1 - N..=i], format_args!("after {i} keys"));
        }
    }
    assert_eq!(filter.len(), N as u64, "len after turning over");
    let predicted = F::predicted_fpr(&filter.params(), N as u64);
    let found = count_absent_found(&filter, 200_000);
    Expected::of_any(200_000, predicted).check("a filter turned over", found, 5.0);
}

/// If `insert_unique` fills a filter, its `New` keys can be removed: each is found until its
/// removal, whatever is removed before. Afterwards the filter is empty, and skipped keys are
/// denied, since none was stored.
pub fn what_was_new_to_insert_unique_can_be_removed<F>()
where
    F: EmptyFilter + RemoveFilter,
{
    // A rate at which some keys are skipped, being false positives; and every key comes twice.
    let mut filter = empty::<F>(5000, 0.2, 9);
    let hashes = present_hashes(5000, 9);
    let mut new = Vec::new();
    for &hash in &hashes {
        let there = filter.contains_hash(hash);
        let mut insert = || filter.insert_unique_hash(hash).or_fail("a key within the plan");
        assert_eq!(insert(), Inserted::from_change(!there));
        assert_eq!(insert(), Inserted::MaybePresent, "a key that comes again is there");
        if !there {
            new.push(hash);
        }
    }
    assert_eq!(filter.len(), new.len() as u64, "len of a filter filled by insert_unique");
    // Not in the order of insertion: from both ends.
    let mut left = new.as_slice();
    while let Some((&gone, rest)) =
        if left.len() % 2 == 0 { left.split_first() } else { left.split_last() }
    {
        left = rest;
        assert!(filter.remove_hash(gone), "removing a key that was new");
        if left.len() % 100 == 0 {
            all_found(&filter, left, "new to insert_unique, after others were removed");
        }
    }
    assert!(filter.is_empty(), "after the last");
    assert_eq!(count_found(&filter, &hashes), 0, "keys found after the last");
}

/// A count is never below the number of copies, unless it is saturated. It is zero exactly for keys
/// that are not contained, and too high only as often as there are false positives.
pub fn a_count_is_never_too_low_and_seldom_too_high<F>()
where
    F: EmptyFilter + CountFilter,
{
    const N: u64 = 20_000;
    let hashes = present_hashes(N, 8);
    // One copy of each odd key, three of each even one.
    let (filter, copies) = with_copies::<F>(&hashes, |i| if i % 2 == 0 { 3 } else { 1 }, 8);
    let mut above = 0;
    for (&hash, &copies) in hashes.iter().zip(&copies) {
        let count = filter.count_hash(hash);
        assert!(count.estimate >= copies || count.saturated, "{copies} copies: {count:?}");
        above += u64::from(count.estimate > copies);
    }
    for hash in absent_hashes(50_000, 8) {
        let counted = filter.count_hash(hash).estimate > 0;
        assert_eq!(counted, filter.contains_hash(hash), "count of an absent key above 0");
    }
    let allowed = N as f64 * filter.expected_fpr();
    let few = above as f64 <= allowed + 5.0 * allowed.sqrt() + 4.0;
    assert!(few, "{above} keys of {N} have a count that is too high, some {allowed:.0} expected");
}
