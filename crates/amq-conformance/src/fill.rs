//! Filled filters and keys for the laws.

use crate::fail::OrFail;
use amq_core::index::remix;
use amq_core::{
    BatchInsertError, Budget, BuildError, BuildFilter, EmptyFilter, Filter, Goal, InsertFilter,
    Inserted, Key, KeyHash,
};
use core::fmt::{Debug, Display};

/// Makes a filter for a goal, with a seed, that holds these hashes.
///
/// Laws of every filter have such a parameter, so that they require no ability they do not test.
pub type Fill<F> = fn(Goal, u64, &[KeyHash]) -> Result<F, BuildError>;

/// Makes an empty filter for the goal and inserts the hashes.
pub fn by_inserting<F: EmptyFilter>(
    goal: Goal,
    seed: u64,
    hashes: &[KeyHash],
) -> Result<F, BuildError> {
    let mut filter = F::empty(goal, seed)?;
    filter.insert_batch(hashes)?;
    Ok(filter)
}

/// Builds the filter from all hashes at once. Their number determines the size, not `goal.keys`.
pub fn at_once<F: BuildFilter>(goal: Goal, seed: u64, hashes: &[KeyHash]) -> Result<F, BuildError> {
    F::build_hashes(goal.budget, seed, hashes)
}

/// An empty filter with explicit parameters for this many keys.
pub fn with_params<F: EmptyFilter>(
    params: F::Params,
    keys: u64,
    seed: u64,
) -> Result<F, BuildError> {
    F::empty(F::plan_params(params, keys)?, seed)
}

/// Index of the first absent key: no law inserts this many.
const ABSENT: u64 = 1 << 40;

/// The i-th present key: a bijection of `i` over all 64 bits, so no two are equal.
pub(crate) fn present(i: u64) -> u64 {
    remix(i, 0)
}

/// The i-th absent key: the same bijection, of numbers that [`present`] never takes.
pub(crate) fn absent(i: u64) -> u64 {
    remix(ABSENT + i, 0)
}

/// The hashes of the first `n` present keys.
pub(crate) fn present_hashes(n: u64, seed: u64) -> Vec<KeyHash> {
    (0..n).map(|i| present(i).key_hash(seed)).collect()
}

/// The hashes of the first `n` absent keys.
pub(crate) fn absent_hashes(n: u64, seed: u64) -> Vec<KeyHash> {
    (0..n).map(|i| absent(i).key_hash(seed)).collect()
}

/// An empty filter for `n` keys at a rate.
pub(crate) fn empty<F: EmptyFilter>(n: u64, fpr: f64, seed: u64) -> F {
    F::empty(Goal::fpr(n, fpr), seed).or_fail(format_args!("an empty filter: {n} keys at {fpr}"))
}

/// A filter for `n` keys at a rate, with the first `n` present keys in it.
pub(crate) fn filled<F>(fill: Fill<F>, n: u64, fpr: f64, seed: u64) -> F {
    filled_within(fill, n, Budget::Fpr(fpr), seed)
}

/// A filter for `n` keys, or one if there are none, within a budget, with the first `n` present
/// keys in it.
#[inline(never)]
pub(crate) fn filled_within<F>(fill: Fill<F>, n: u64, budget: Budget, seed: u64) -> F {
    fill(Goal::new(n.max(1), budget), seed, &present_hashes(n, seed))
        .or_fail(format_args!("a filter of {n} keys, {budget:?}, seed {seed}"))
}

/// Does one by one what a batch does: inserts up to the first refusal, and writes and counts which
/// hashes were new. Requires that each is `New` exactly if a query returned `false` just before.
pub(crate) fn insert_singly(
    filter: &mut dyn InsertFilter,
    hashes: &[KeyHash],
    new: &mut [bool],
    what: &dyn Debug,
) -> Result<u64, BatchInsertError> {
    let mut count = 0;
    for (done, (&hash, new)) in (0..).zip(hashes.iter().zip(new)) {
        let there = filter.contains_hash(hash);
        let inserted =
            filter.insert_hash(hash).map_err(|error| BatchInsertError { done, error })?;
        assert_eq!(inserted, Inserted::from_change(!there), "insert {done}: {what:?}");
        *new = !there;
        count += u64::from(!there);
    }
    Ok(count)
}

/// Keys per batch while querying: enough for a batch, few enough to need no memory.
const CHUNK: usize = 4096;

/// The number of `hashes` that are found, queried in batches.
pub(crate) fn count_found(filter: &dyn Filter, hashes: &[KeyHash]) -> u64 {
    hashes.chunks(CHUNK).map(|chunk| found_in(filter, chunk)).sum()
}

/// Counts the hashes found in one batch, of at most [`CHUNK`].
fn found_in(filter: &dyn Filter, hashes: &[KeyHash]) -> u64 {
    let mut answers = [false; CHUNK];
    let answers = &mut answers[..hashes.len()];
    filter.contains_batch(hashes, answers).or_fail("a batch of queries");
    let mut found = 0;
    for &mut answer in answers {
        found += u64::from(answer);
    }
    found
}

/// The number of the first `n` absent keys that are found. The suite's innermost loop: written
/// without iterators, which cost more than a query in unoptimised builds.
pub(crate) fn count_absent_found(filter: &dyn Filter, n: u64) -> u64 {
    let (seed, mut from, mut found) = (filter.seed(), 0, 0);
    let mut block = [KeyHash::default(); CHUNK];
    while from < n {
        let mut len = 0;
        while len < CHUNK && from < n {
            block[len] = absent(from).key_hash(seed);
            (len, from) = (len + 1, from + 1);
        }
        found += found_in(filter, &block[..len]);
    }
    found
}

/// Requires that every hash is found, one by one.
#[track_caller]
pub(crate) fn all_found(filter: &dyn Filter, hashes: &[KeyHash], when: impl Display) {
    if let Some(i) = hashes.iter().position(|&hash| !filter.contains_hash(hash)) {
        panic!("false negative: key {i} of {} ({:?}), {when}", hashes.len(), hashes[i]);
    }
}

/// Requires that two filters of one seed have the same numbers and answers.
#[track_caller]
pub(crate) fn same_answers(one: &dyn Filter, other: &dyn Filter, what: impl Display) {
    let numbers = |filter: &dyn Filter| (filter.seed(), filter.len(), filter.size_in_bytes());
    assert_eq!(numbers(one), numbers(other), "seed, len and bytes, {what}");
    for hashes in [absent_hashes(30_000, one.seed()), present_hashes(10_000, one.seed())] {
        for hash in hashes {
            assert_eq!(one.contains_hash(hash), other.contains_hash(hash), "an answer, {what}");
        }
    }
}
