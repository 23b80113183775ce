//! Laws of merging.

use crate::fill::{Fill, absent_hashes, all_found, present_hashes};
use crate::violation::{Verdict, Violation, ensure, same, unchanged};
use amq_core::{Filter, Goal, InsertFilter, KeyHash, MergeError, MergeFilter, PlanFilter};

/// The plan: room for the keys of two filters together.
const PLANNED: u64 = 10_000;

/// Two filters with keys in common.
struct Pair<F> {
    one: F,
    two: F,
    keys_of_one: Vec<KeyHash>,
    keys_of_two: Vec<KeyHash>,
}

fn pair<F>(fill: Fill<F>) -> Result<Pair<F>, Violation> {
    let all = present_hashes(PLANNED, 3);
    let (keys_of_one, keys_of_two) = (all[..4000].to_vec(), all[3000..7000].to_vec());
    Ok(Pair {
        one: with(fill, PLANNED, 3, &keys_of_one)?,
        two: with(fill, PLANNED, 3, &keys_of_two)?,
        keys_of_one,
        keys_of_two,
    })
}

fn with<F>(fill: Fill<F>, planned: u64, seed: u64, hashes: &[KeyHash]) -> Result<F, Violation> {
    fill(Goal::fpr(planned, 0.05), seed, hashes)
        .map_err(Violation::refused(format!("{} keys of {planned}", hashes.len())))
}

fn merge<F: MergeFilter + Clone>(into: &F, from: &F) -> Result<F, Violation> {
    into.can_merge(from).map_err(Violation::refused("can_merge of two filters made alike"))?;
    let mut sum = into.clone();
    sum.merge(from).map_err(Violation::refused("a merge that can_merge allowed"))?;
    Ok(sum)
}

/// A merged filter holds and counts the keys of both; the other filter stays as it was.
pub fn a_merged_filter_holds_the_keys_of_both<F>(fill: Fill<F>) -> Verdict
where
    F: PlanFilter + MergeFilter + Clone + PartialEq,
{
    let pair = pair(fill)?;
    let before = pair.two.clone();
    let sum = merge(&pair.one, &pair.two)?;
    unchanged(&pair.two, &before, "being merged from")?;
    all_found(&sum, &pair.keys_of_one, "of the filter merged into")?;
    all_found(&sum, &pair.keys_of_two, "of the filter merged from")?;
    same("len after a merge", sum.len(), pair.one.len() + pair.two.len())?;
    same("seed after a merge", sum.seed(), 3)?;
    for hash in absent_hashes(20_000, 3) {
        ensure(
            sum.contains_hash(hash)
                || !(pair.one.contains_hash(hash) || pair.two.contains_hash(hash)),
            format_args!("the answer for {hash:?}, `true` in one of two filters"),
            false,
            "true in their union",
        )?;
    }
    let own = sum.expected_fpr();
    let predicted = F::predicted_fpr(&sum.params(), 7000);
    ensure(
        (own - predicted.mean).abs() <= 6.0 * predicted.sd + 0.2 * predicted.mean,
        "expected_fpr of a merged filter",
        own,
        format_args!("about {:e}, that of its 7000 keys", predicted.mean),
    )
}

/// Merging is commutative and associative in every answer, and an empty filter is its identity.
pub fn merging_is_commutative_and_empty_is_its_identity<F>(fill: Fill<F>) -> Verdict
where
    F: PlanFilter + MergeFilter + Clone + PartialEq,
{
    let pair = pair(fill)?;
    let (ab, ba) = (merge(&pair.one, &pair.two)?, merge(&pair.two, &pair.one)?);
    let third = with(fill, PLANNED, 3, &present_hashes(PLANNED, 3)[7000..8000])?;
    let left = merge(&ab, &third)?;
    let right = merge(&pair.one, &merge(&pair.two, &third)?)?;
    alike(&ab, &ba, "merged both ways")?;
    alike(&left, &right, "grouped both ways")?;

    let empty = with(fill, PLANNED, 3, &[])?;
    let same_as_before = merge(&pair.one, &empty)?;
    unchanged(&same_as_before, &pair.one, "merging an empty filter")?;
    let filled = merge(&empty, &pair.one)?;
    alike(&filled, &pair.one, "merged into empty")
}

/// `Ok` if the two have the same length and answers.
fn alike(one: &dyn Filter, other: &dyn Filter, what: &str) -> Verdict {
    same(format_args!("len, {what}"), one.len(), other.len())?;
    for hash in absent_hashes(30_000, 3).into_iter().chain(present_hashes(PLANNED, 3)) {
        let answers = [one, other].map(|filter| filter.contains_hash(hash));
        same(format_args!("an answer, {what}"), answers[0], answers[1])?;
    }
    Ok(())
}

/// A filter merges its own clone any number of times, unless it holds every copy of a key and runs
/// out of room: a merge that leaves the rate alone is never refused for the rate. Where the answers
/// stay the same, so does the reported rate; and it is a probability.
pub fn merging_a_clone_leaves_the_rate_as_it_was<F>(fill: Fill<F>) -> Verdict
where
    F: PlanFilter + MergeFilter + Clone,
{
    for (planned, held) in [(1, 1), (100, 100), (1000, 1000), (1000, 300)] {
        let hashes = present_hashes(held, 3);
        let filter = with(fill, planned, 3, &hashes)?;
        let rate = filter.expected_fpr();
        let mut sum = filter.clone();
        // A sum of lengths passes 2^64 on the way.
        for times in 1..=70 {
            let what = format!("merge {times} of a filter of {held} keys with its own clone");
            match sum.merge(&sum.clone()) {
                Ok(()) => {}
                Err(MergeError::Insert(_) | MergeError::Keys { .. }) => break,
                Err(error) => return Err(Violation::refused(what)(error)),
            }
            all_found(&sum, &hashes, format_args!("after {what}"))?;
            let now = sum.expected_fpr();
            ensure(
                (now - rate).abs() <= 1e-6 * rate && (0.0..=1.0).contains(&now),
                format_args!("expected_fpr after {what}"),
                now,
                format_args!("still {rate}"),
            )?;
        }
    }
    Ok(())
}

/// An accepted merge keeps the promised rate: while a filter holds at most its capacity, its rate
/// is at most the target, in the mean over seeds, however the keys came in. A filter that grows is
/// followed through six doublings.
pub fn a_merged_filter_keeps_the_rate_until_it_is_full<F>(fill: Fill<F>) -> Verdict
where
    F: PlanFilter + InsertFilter + MergeFilter,
{
    const ASKED: f64 = 0.01;
    const SEEDS: u64 = 8;
    for (planned, ours, theirs, all) in [
        (100, 60, 40, 1000),
        (1000, 1000, 250, 128_000),
        (1000, 250, 1050, 128_000),
        (1000, 1000, 1000, 10_000),
    ] {
        let (mut sum, mut variance, mut filters) = (0.0, 0.0, 0.0);
        for seed in 0..SEEDS {
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
            let Some(highest) = highest_rate(&mut filter, more, theirs as u64) else {
                continue;
            };
            let sd = F::predicted_fpr(&filter.params(), filter.len()).sd;
            (sum, variance, filters) = (sum + highest, variance + sd * sd, filters + 1.0);
        }
        ensure(
            sum <= filters * ASKED + 3.0 * variance.sqrt(),
            format_args!("rate of {ours} keys merged with {theirs}, then filled up"),
            sum / filters,
            format_args!("at most {ASKED}"),
        )?;
    }
    Ok(())
}

/// The highest rate of a filter at the moments when its length equals its capacity, while it takes
/// these keys; `None` if it holds more from the start. A filter more than `patience` keys over
/// capacity has stopped growing; and so has one that took four times its capacity since it grew,
/// whatever it counts. (Asking for its length may take a walk through the table.)
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
pub fn another_seed_is_refused_by_name<F>(fill: Fill<F>) -> Verdict
where
    F: PlanFilter + MergeFilter + Clone + PartialEq,
{
    for (ours, theirs) in [(0, 1), (1, 0), (5, 5 << 32), (7, !7)] {
        let one = with(fill, 1000, ours, &present_hashes(400, ours))?;
        let two = with(fill, 1000, theirs, &present_hashes(400, theirs))?;
        let error = Err(MergeError::Seeds);
        same("can_merge across seeds", one.can_merge(&two), error)?;
        let mut sum = one.clone();
        same("merge across seeds", sum.merge(&two), error)?;
        unchanged(&sum, &one, "a merge across seeds")?;
    }
    Ok(())
}

/// Filters of different geometry merge without losing a key where the layout allows it; otherwise
/// the error names the differing field, and nothing changes. `can_merge` predicts which.
pub fn another_geometry_is_refused_by_name_or_merged_whole<F>(fill: Fill<F>) -> Verdict
where
    F: PlanFilter + MergeFilter + Clone + PartialEq,
{
    let goals = [
        Goal::fpr(1000, 0.01),
        Goal::fpr(1000, 0.02),
        Goal::fpr(1000, 1e-4),
        Goal::fpr(1700, 0.01),
        Goal::fpr(2000, 0.01),
        Goal::fpr(4000, 0.01),
    ];
    for ours in goals {
        for theirs in goals {
            let (keys, others) = (present_hashes(300, 9), present_hashes(600, 9));
            let others = &others[300..];
            let made = Violation::refused::<amq_core::BuildError>;
            let one = fill(ours, 9, &keys).map_err(made("300 keys"))?;
            let two = fill(theirs, 9, others).map_err(made("300 keys"))?;
            let what = format!("a merge of {theirs:?} into {ours:?}");
            let foretold = one.can_merge(&two);
            let mut sum = one.clone();
            let result = sum.merge(&two);
            same(format_args!("can_merge before {what}"), foretold, result)?;
            match result {
                Ok(()) => {
                    all_found(&sum, &keys, format_args!("after {what}"))?;
                    all_found(&sum, others, format_args!("after {what}"))?;
                }
                Err(error) => {
                    if let MergeError::Mismatch { field, ours, theirs } = error {
                        ensure(
                            field != "seed" && ours != theirs,
                            format_args!("the refusal of {what}"),
                            error,
                            "a field that differs",
                        )?;
                    }
                    unchanged(&sum, &one, format_args!("{what}, which was refused"))?;
                }
            }
        }
    }
    Ok(())
}

/// Small filters of many sizes and rates, up to nearly 1, merge in either direction without losing
/// a key, or not at all. Into an empty filter of the same layout a merge must succeed.
///
/// Tables of a few slots, fingerprints of zero bits, sizes that happen to be multiples of each
/// other: here the arithmetic of a merge between geometries reaches its limits.
pub fn small_filters_of_any_geometry_lose_no_key_in_a_merge<F>(fill: Fill<F>) -> Verdict
where
    F: PlanFilter + MergeFilter + Clone + PartialEq,
{
    let goals: Vec<Goal> = SMALL
        .into_iter()
        .flat_map(|planned| {
            let rates = [0.95, 0.8, 0.6, 0.5, 0.3, 0.1, 0.01, 1e-6];
            let rates = rates.map(|fpr| Goal::fpr(planned, fpr));
            let sizes = [4.0, 9.0].map(|bits| Goal::bits_per_key(planned, bits));
            rates.into_iter().chain(sizes)
        })
        .filter(|&goal| F::plan(goal).is_ok())
        .collect();
    let most = SMALL.into_iter().max().unwrap_or_default();
    let all = present_hashes(2 * most, 9);
    // The filters merged from are full, and their keys differ from those of the targets, which are
    // empty or half full.
    let with = |goal: Goal, keys: u64, from: u64| {
        let hashes = &all[from as usize..(from + keys) as usize];
        let made = Violation::refused(format!("{keys} keys of {goal:?}"));
        let filter = fill(goal, 9, hashes).map_err(made)?;
        Ok((goal, filter, hashes))
    };
    let made = |part: u64, from: u64| {
        let filters = goals.iter().map(move |&goal| with(goal, goal.keys * part / 2, from));
        filters.collect::<Result<Vec<_>, Violation>>()
    };
    let (empty, half, full) = (made(0, 0)?, made(1, 0)?, made(2, most)?);
    for (ours, one, keys) in empty.iter().chain(&half) {
        for (theirs, two, others) in &full {
            let what =
                format!("a merge of {theirs:?}, full, into {ours:?} with {} keys", keys.len());
            let mut sum = one.clone();
            let result = sum.merge(two);
            same(format_args!("can_merge before {what}"), one.can_merge(two), result)?;
            match result {
                Ok(()) => {
                    all_found(&sum, keys, format_args!("after {what}"))?;
                    all_found(&sum, others, format_args!("after {what}"))?;
                    same(format_args!("len after {what}"), sum.len(), one.len() + two.len())?;
                }
                Err(error) if ours == theirs && keys.is_empty() => {
                    return Err(Violation::refused(what)(error));
                }
                Err(_) => unchanged(&sum, one, format_args!("{what}, which was refused"))?,
            }
        }
    }
    Ok(())
}

/// Planned numbers of keys: a block not quite full, full, and one over; multiples of each other.
const SMALL: [u64; 16] = [1, 2, 3, 20, 40, 57, 60, 61, 80, 125, 160, 250, 320, 500, 640, 1000];

#[cfg(test)]
mod tests {
    use super::*;
    use amq_core::{FilterKind, InsertError, Inserted};
    use std::cell::Cell;
    use std::sync::Mutex;

    /// Counts no further than its capacity, as a filter may that estimates its length from its
    /// table.
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

    /// Each question may take a walk through the table: 128,000 of them took a minute.
    #[test]
    fn a_filter_whose_count_stands_still_is_not_followed_for_ever() {
        let mut filter = Stuck { len: 500, asked: Mutex::default() };
        let keys = present_hashes(128_000, 0);
        let highest = highest_rate(&mut filter, &keys, 250);
        let asked = filter.asked.lock().unwrap().get();
        assert!((3000..5000).contains(&asked), "{asked}");
        // Far enough to see what such a count hides: a rate at four times the capacity.
        assert!(filter.len > 4000 && highest.is_some(), "{}", filter.len);
    }
}
