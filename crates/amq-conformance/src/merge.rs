//! Laws of merging.

use crate::fail::OrFail;
use crate::fill::{Fill, absent_hashes, all_found, present_hashes, same_answers};
use amq_core::{Filter, Goal, InsertFilter, KeyHash, MergeError, MergeFilter, PlanFilter};

/// The plan: room for the keys of several filters together.
const PLANNED: u64 = 10_000;

#[track_caller]
fn with<F>(fill: Fill<F>, planned: u64, seed: u64, hashes: &[KeyHash]) -> F {
    fill(Goal::fpr(planned, 0.05), seed, hashes)
        .or_fail(format_args!("{} keys of {planned}", hashes.len()))
}

/// The sum of two filters that must merge.
fn merged<F: MergeFilter + Clone>(into: &F, from: &F) -> F {
    into.can_merge(from).or_fail("can_merge of two filters made alike");
    let mut sum = into.clone();
    sum.merge(from).or_fail("a merge that can_merge allowed");
    sum
}

/// Merges the filters, or returns the error, which `can_merge` must predict; then nothing changes.
/// After a merge, the sum has the keys of both.
fn merged_whole_or_refused<F>(
    (one, keys): (&F, &[KeyHash]),
    (two, others): (&F, &[KeyHash]),
    what: &str,
) -> Option<MergeError>
where
    F: Filter + MergeFilter + Clone + PartialEq,
{
    let mut sum = one.clone();
    let result = sum.merge(two);
    assert_eq!(one.can_merge(two), result, "can_merge before {what}");
    if result.is_ok() {
        all_found(&sum, keys, what);
        all_found(&sum, others, what);
        assert_eq!(sum.len(), one.len() + two.len(), "len after {what}");
    } else {
        assert!(sum == *one, "changed by {what}, which was refused");
    }
    result.err()
}

/// A merged filter holds and counts the keys of both; the other filter is unchanged.
pub fn a_merged_filter_holds_the_keys_of_both<F>(fill: Fill<F>)
where
    F: PlanFilter + MergeFilter + Clone + PartialEq,
{
    // Some keys are in common.
    let all = present_hashes(PLANNED, 3);
    let (one, two) =
        (with(fill, PLANNED, 3, &all[..4000]), with(fill, PLANNED, 3, &all[3000..7000]));
    let before = two.clone();
    let sum = merged(&one, &two);
    assert!(two == before, "changed by being merged from");
    all_found(&sum, &all[..7000], "of two filters merged");
    assert_eq!((sum.len(), sum.seed()), (one.len() + two.len(), 3), "len and seed");
    for hash in absent_hashes(20_000, 3) {
        let in_one = one.contains_hash(hash) || two.contains_hash(hash);
        assert!(sum.contains_hash(hash) || !in_one, "{hash:?} is in one of two, not in the sum");
    }
    let (own, predicted) = (sum.expected_fpr(), F::predicted_fpr(&sum.params(), 7000));
    let near = (own - predicted.mean).abs() <= 6.0 * predicted.sd + 0.2 * predicted.mean;
    assert!(near, "expected_fpr of a merged filter: {own}, predicted {predicted:?}");
}

/// Merging is commutative and associative in every answer, and an empty filter is its identity.
pub fn merging_is_commutative_and_empty_is_its_identity<F>(fill: Fill<F>)
where
    F: PlanFilter + MergeFilter + Clone + PartialEq,
{
    let all = present_hashes(PLANNED, 3);
    let with = |keys| with(fill, PLANNED, 3, keys);
    let (a, b, c) = (with(&all[..4000]), with(&all[3000..7000]), with(&all[7000..8000]));
    let ab = merged(&a, &b);
    same_answers(&ab, &merged(&b, &a), "merged both ways");
    same_answers(&merged(&ab, &c), &merged(&a, &merged(&b, &c)), "grouped both ways");

    let empty = with(&[]);
    assert!(merged(&a, &empty) == a, "changed by merging an empty filter");
    same_answers(&merged(&empty, &a), &a, "merged into empty");
}

/// A filter merges its own clone any number of times, unless it holds every copy of a key and runs
/// out of room: a merge that leaves the rate alone is never refused for the rate. Where the answers
/// stay the same, so does the reported rate; and it is a probability.
pub fn merging_a_clone_leaves_the_rate_as_it_was<F>(fill: Fill<F>)
where
    F: PlanFilter + MergeFilter + Clone,
{
    for (planned, held) in [(1, 1), (100, 100), (1000, 1000), (1000, 300)] {
        let hashes = present_hashes(held, 3);
        let filter = with(fill, planned, 3, &hashes);
        let rate = filter.expected_fpr();
        let mut sum = filter.clone();
        // A sum of lengths passes 2^64 on the way.
        for times in 1..=70 {
            match sum.merge(&sum.clone()) {
                Ok(()) => {}
                Err(MergeError::Insert(_) | MergeError::Keys { .. }) => break,
                Err(error) => panic!("{held} keys merged with themselves {times} times: {error}"),
            }
            all_found(&sum, &hashes, format_args!("merged with themselves {times} times"));
            let now = sum.expected_fpr();
            let stays = (now - rate).abs() <= 1e-6 * rate && (0.0..=1.0).contains(&now);
            assert!(stays, "{held} keys merged with themselves {times} times: {now}, was {rate}");
        }
    }
}

/// An accepted merge keeps the planned rate: while a filter holds at most its capacity, its mean
/// rate over seeds is at most the target, whether keys were inserted or merged. A filter that grows
/// is tested over six doublings.
pub fn a_merged_filter_keeps_the_rate_until_it_is_full<F>(fill: Fill<F>)
where
    F: PlanFilter + InsertFilter + MergeFilter,
{
    const ASKED: f64 = 0.01;
    for (planned, ours, theirs, all) in [
        (100, 60, 40, 1000),
        (1000, 1000, 250, 128_000),
        (1000, 250, 1050, 128_000),
        (1000, 1000, 1000, 10_000),
    ] {
        let (mut sum, mut variance, mut filters) = (0.0, 0.0, 0.0);
        for seed in 0..8 {
            let keys = present_hashes(all, seed);
            let (both, more) = keys.split_at(ours + theirs);
            let filled = |keys| fill(Goal::fpr(planned, ASKED), seed, keys);
            // A filter that cannot hold this many keys has nothing to merge.
            let (Ok(mut filter), Ok(other)) = (filled(&both[..ours]), filled(&both[ours..])) else {
                continue;
            };
            if filter.merge(&other).is_err() {
                continue;
            }
            let Some(highest) = highest_rate(&mut filter, more, theirs as u64) else { continue };
            let sd = F::predicted_fpr(&filter.params(), filter.len()).sd;
            (sum, variance, filters) = (sum + highest, variance + sd * sd, filters + 1.0);
        }
        let mean = sum / filters;
        let low = sum <= filters * ASKED + 3.0 * f64::sqrt(variance);
        assert!(low, "{ours} keys merged with {theirs}, filled up: {mean}, {ASKED} asked for");
    }
}

/// The highest rate of a filter whenever its length equals its capacity, while these keys are
/// inserted; `None` if it holds more from the start. A filter more than `patience` keys over
/// capacity has stopped growing, and so has one that accepted four times its capacity since it
/// grew, whatever its count. (Its length may require a pass over the table.)
fn highest_rate(filter: &mut dyn InsertFilter, keys: &[KeyHash], patience: u64) -> Option<f64> {
    let mut highest: Option<f64> = None;
    let (mut capacity, mut taken) = (filter.capacity(), 0);
    for &hash in keys {
        let (len, now) = (filter.len(), filter.capacity());
        if now != capacity {
            (capacity, taken) = (now, 0);
        }
        if len == capacity {
            highest = Some(filter.expected_fpr().max(highest.unwrap_or(0.0)));
        }
        let enough = len > capacity + patience || taken > 4 * capacity + patience;
        if enough || filter.insert_hash(hash).is_err() {
            break;
        }
        taken += 1;
    }
    highest
}

/// Merging filters with different seeds is refused for the seed, and nothing changes.
pub fn another_seed_is_refused_by_name<F>(fill: Fill<F>)
where
    F: PlanFilter + MergeFilter + Clone + PartialEq,
{
    for (ours, theirs) in [(0, 1), (1, 0), (5, 5 << 32), (7, !7)] {
        let one = with(fill, 1000, ours, &present_hashes(400, ours));
        let two = with(fill, 1000, theirs, &present_hashes(400, theirs));
        let refused = merged_whole_or_refused((&one, &[]), (&two, &[]), "a merge across seeds");
        assert_eq!(refused, Some(MergeError::Seeds));
    }
}

/// Filters of different geometry merge without losing a key where the layout allows it; otherwise
/// the error names the differing field, and nothing changes. `can_merge` predicts which.
pub fn another_geometry_is_refused_by_name_or_merged_whole<F>(fill: Fill<F>)
where
    F: PlanFilter + MergeFilter + Clone + PartialEq,
{
    let goals =
        [(1000, 0.01), (1000, 0.02), (1000, 1e-4), (1700, 0.01), (2000, 0.01), (4000, 0.01)];
    let goals = goals.map(|(keys, fpr)| Goal::fpr(keys, fpr));
    let hashes = present_hashes(600, 9);
    let (keys, others) = hashes.split_at(300);
    for ours in goals {
        for theirs in goals {
            let one = fill(ours, 9, keys).or_fail("300 keys");
            let two = fill(theirs, 9, others).or_fail("300 keys");
            let what = format!("a merge of {theirs:?} into {ours:?}");
            let refused = merged_whole_or_refused((&one, keys), (&two, others), &what);
            if let Some(MergeError::Mismatch { field, ours, theirs }) = refused {
                let named = field != "seed" && ours != theirs;
                assert!(named, "{what} is refused for {field}, {ours} and {theirs}");
            }
        }
    }
}

/// Small filters of many sizes and rates, up to nearly 1, merge in either direction without losing
/// a key, or not at all. Into an empty filter of the same layout a merge must succeed.
///
/// Tables of a few slots, fingerprints of zero bits, sizes that happen to be multiples of each
/// other: here the arithmetic of a merge between geometries reaches its limits.
pub fn small_filters_of_any_geometry_lose_no_key_in_a_merge<F>(fill: Fill<F>)
where
    F: PlanFilter + MergeFilter + Clone + PartialEq,
{
    let goals = SMALL.into_iter().flat_map(|planned| {
        let rates = [0.95, 0.8, 0.6, 0.5, 0.3, 0.1, 0.01, 1e-6];
        let rates = rates.map(|fpr| Goal::fpr(planned, fpr));
        rates.into_iter().chain([4.0, 9.0].map(|bits| Goal::bits_per_key(planned, bits)))
    });
    let goals: Vec<Goal> = goals.filter(|&goal| F::plan(goal).is_ok()).collect();
    // The filters merged from are full, and their keys differ from those of the targets, which are
    // empty or half full.
    let most = 1000;
    let all = present_hashes(2 * most, 9);
    let with = |goal: Goal, keys: u64, from: u64| {
        let hashes = &all[from as usize..(from + keys) as usize];
        (goal, fill(goal, 9, hashes).or_fail(format_args!("{keys} keys of {goal:?}")), hashes)
    };
    let made = |part: u64, from: u64| -> Vec<_> {
        goals.iter().map(|&goal| with(goal, goal.keys * part / 2, from)).collect()
    };
    let (empty, half, full) = (made(0, 0), made(1, 0), made(2, most));
    for (ours, one, keys) in empty.iter().chain(&half) {
        for (theirs, two, others) in &full {
            let what = format!("a merge of {theirs:?}, full, into {ours:?}, {} keys", keys.len());
            let refused = merged_whole_or_refused((one, keys), (two, others), &what);
            let must = ours == theirs && keys.is_empty();
            assert!(!must || refused.is_none(), "{what}: {refused:?}");
        }
    }
}

/// Planned numbers of keys: a block not quite full, full, and one over; multiples of each other.
const SMALL: [u64; 16] = [1, 2, 3, 20, 40, 57, 60, 61, 80, 125, 160, 250, 320, 500, 640, 1000];

#[cfg(test)]
mod tests {
    use super::*;
    use amq_core::{FilterKind, InsertError, Inserted};
    use std::cell::Cell;
    use std::sync::Mutex;

    /// Never counts beyond its capacity, like a filter that estimates its length from its table.
    struct Stuck {
        len: u64,
        asked: Mutex<Cell<u64>>,
    }

    impl Filter for Stuck {
        fn kind(&self) -> FilterKind {
            FilterKind::Other("stuck")
        }
        fn seed(&self) -> u64 {
            0
        }
        fn len(&self) -> u64 {
            self.len.min(self.capacity())
        }
        fn capacity(&self) -> u64 {
            1000
        }
        fn size_in_bytes(&self) -> u64 {
            0
        }
        fn expected_fpr(&self) -> f64 {
            let asked = self.asked.lock().unwrap();
            asked.set(asked.get() + 1);
            1.0 - (-(self.len as f64)).exp2()
        }
        fn load_factor(&self) -> f64 {
            0.0
        }
        fn contains_hash(&self, _: KeyHash) -> bool {
            true
        }
    }

    impl InsertFilter for Stuck {
        fn insert_hash(&mut self, _: KeyHash) -> Result<Inserted, InsertError> {
            self.len += 1;
            Ok(Inserted::New)
        }
    }

    /// Each call may require a pass over the table: 128,000 of them took a minute.
    #[test]
    fn a_filter_whose_count_stands_still_is_not_followed_for_ever() {
        let mut filter = Stuck { len: 500, asked: Mutex::default() };
        let keys = present_hashes(128_000, 0);
        let highest = highest_rate(&mut filter, &keys, 250);
        let asked = filter.asked.lock().unwrap().get();
        assert!((3000..5000).contains(&asked), "{asked}");
        // Enough to detect what such a count hides: the rate at four times the capacity.
        assert!(filter.len > 4000 && highest.is_some(), "{}", filter.len);
    }
}
