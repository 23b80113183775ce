//! Laws of every filter: present keys are found by every kind of query.

use crate::fail::OrFail;
use crate::fill::{
    Fill, absent, absent_hashes, all_found, count_found, filled, filled_within, present,
    present_hashes, same_answers,
};
use amq_core::numeric::hash_floor;
use amq_core::{Budget, Filter, FilterExt, Goal, Key, LengthMismatch, PlanFilter};

/// Every key is found: from one key to half a million, at rates on both sides of a power of two,
/// and within a size.
pub fn every_key_is_found<F: PlanFilter>(fill: Fill<F>) {
    let rates = [0.3, 0.0079, 0.0078, 1e-6].map(Budget::Fpr);
    for (seed, n) in (1..=40).chain([100, 1000, 10_007]).enumerate() {
        for budget in rates {
            found_at::<F>(fill, n, budget, seed as u64);
        }
        // For fewer keys these bits may be too few; see the laws of plans.
        if n >= 1000 {
            found_at::<F>(fill, n, Budget::BitsPerKey(12.0), seed as u64);
        }
    }
    found_at::<F>(fill, 500_000, Budget::Fpr(0.01), 7);
}

fn found_at<F: PlanFilter>(fill: Fill<F>, n: u64, budget: Budget, seed: u64) {
    let filter = filled_within(fill, n, budget, seed);
    let hashes = present_hashes(n, seed);
    all_found(&filter, &hashes, format_args!("{budget:?}"));
    assert_eq!(count_found(&filter, &hashes), n, "keys found in batches, {budget:?}");
    // The count may leave out distinct keys that were false positives when inserted, and no others.
    let (len, left_out) = (filter.len(), filter.expected_fpr() * n as f64);
    let right = len <= n && len as f64 >= n as f64 - 2.0 * left_out - 10.0;
    assert!(right, "len {len} of {n} keys, {budget:?}");
}

/// `contains_batch` answers as `contains_hash` does, for batches of many lengths.
pub fn a_batch_answers_as_single_queries_do<F: PlanFilter>(fill: Fill<F>) {
    batches_answer_as_single_queries(&filled(fill, 5000, 0.1, 3));
}

fn batches_answer_as_single_queries(filter: &dyn Filter) {
    let (ins, outs) = (present_hashes(5000, 3), absent_hashes(5000, 3));
    let mixed: Vec<_> = ins.into_iter().zip(outs).flat_map(|(a, b)| [a, b]).collect();
    for len in (0..=130).chain([1000, mixed.len()]) {
        for hashes in [&mixed[..len], &mixed[mixed.len() - len..]] {
            let alone: Vec<bool> = hashes.iter().map(|&hash| filter.contains_hash(hash)).collect();
            // Both initial values, so that an unwritten answer cannot be right by chance.
            for before in [false, true] {
                let mut answers = vec![before; len];
                filter.contains_batch(hashes, &mut answers).or_fail("a batch of queries");
                assert!(answers == alone, "a batch of {len} answers differently");
            }
        }
    }
}

/// A batch whose answer slice is too short or too long is refused with both lengths, and nothing is
/// written.
pub fn a_batch_of_two_lengths_is_refused<F: PlanFilter>(fill: Fill<F>) {
    let filter = filled(fill, 100, 0.01, 1);
    let (keys, hashes): (Vec<u64>, _) = ((0..100).map(present).collect(), present_hashes(100, 1));
    for (n, room) in [(100, 99), (99, 100), (0, 1), (1, 0), (64, 32), (32, 64)] {
        let wanted = Err(LengthMismatch { keys: n, answers: room });
        let mut answers = vec![false; room];
        assert_eq!(filter.contains_batch(&hashes[..n], &mut answers), wanted);
        assert_eq!(filter.contains_keys(&keys[..n], &mut answers), wanted);
        assert_eq!(answers, vec![false; room], "a batch of {n} with room for {room}");
    }
}

/// A key is hashed with the filter's own seed, and only its hash matters.
pub fn a_key_is_its_hash_under_the_filters_seed<F: PlanFilter>(fill: Fill<F>) {
    for seed in [0, 1, u64::MAX, 0x0123_4567_89AB_CDEF] {
        keys_are_their_hashes(&filled(fill, 1000, 0.1, seed), seed);
    }
}

fn keys_are_their_hashes(filter: &dyn Filter, seed: u64) {
    assert_eq!(filter.seed(), seed);
    let keys: Vec<u64> = (0..1000).map(present).chain((0..1000).map(absent)).collect();
    let mut answers = vec![false; keys.len()];
    filter.contains_keys(&keys, &mut answers).or_fail("a batch of keys");
    for (key, answer) in keys.iter().zip(answers) {
        let of_hash = filter.contains_hash(key.key_hash(seed));
        assert_eq!([filter.contains(key), answer], [of_hash; 2], "key {key}, seed {seed}");
    }
}

/// Two filters of the same keys and seed agree in every answer and number.
pub fn the_same_seed_gives_the_same_filter<F: PlanFilter>(fill: Fill<F>) {
    let (one, two) = (filled(fill, 20_000, 0.05, 5), filled(fill, 20_000, 0.05, 5));
    assert_eq!((one.params(), one.capacity()), (two.params(), 20_000));
    same_answers(&one, &two, "made twice");
}

/// A filter of any size errs on an absent key whose 64-bit hash equals that of a present key. Its
/// own rate and the predicted one include this, down to where `1 - rate` rounds to 1.
pub fn a_rate_is_never_below_that_of_equal_hashes<F: PlanFilter>(fill: Fill<F>) {
    for (planned, held, asked) in
        [(3, 3, 1e-3), (3, 3, 1e-15), (1000, 10, 1e-9), (1000, 1000, 1e-12)]
    {
        let goal = Goal::fpr(planned, asked);
        if F::plan(goal).is_err() {
            continue;
        }
        let filter = fill(goal, 1, &present_hashes(held, 1)).or_fail(format_args!("{goal:?}"));
        // An estimate of the number of keys from the table is right to within some percent.
        let least = 0.9 * hash_floor(held);
        let rates = [filter.expected_fpr(), F::predicted_fpr(&filter.params(), held).mean];
        let right = rates.iter().all(|rate| (least..=1.0).contains(rate));
        assert!(right, "rates of {held} keys in {goal:?}: {rates:?}, should be {least:e} or more");
    }
}
