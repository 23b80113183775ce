//! Laws of every filter: present keys are found by every kind of query.

use crate::expected::Expected;
use crate::fill::{
    Fill, absent, absent_hashes, all_found, count_found, filled, filled_within, present,
    present_hashes,
};
use crate::violation::{Verdict, Violation, ensure, same};
use amq_core::numeric::hash_floor;
use amq_core::{Budget, Filter, FilterExt, Goal, Key, LengthMismatch, PlanFilter};

/// Every key is found: from one key to half a million, at rates on both sides of a power of two,
/// and within a size.
pub fn every_key_is_found<F: PlanFilter>(fill: Fill<F>) -> Verdict {
    let budgets = [
        Budget::Fpr(0.3),
        Budget::Fpr(0.0079),
        Budget::Fpr(0.0078),
        Budget::Fpr(1e-6),
        Budget::BitsPerKey(12.0),
    ];
    for (seed, n) in (1..=40).chain([100, 1000, 10_007]).enumerate() {
        for budget in budgets {
            if matches!(budget, Budget::BitsPerKey(_)) && n < 1000 {
                // For a few keys these bits may be too few; see the laws of plans.
                continue;
            }
            found_at::<F>(fill, n, budget, seed as u64)?;
        }
    }
    found_at::<F>(fill, 500_000, Budget::Fpr(0.01), 7)
}

fn found_at<F: PlanFilter>(fill: Fill<F>, n: u64, budget: Budget, seed: u64) -> Verdict {
    let filter = filled_within(fill, n, budget, seed)?;
    let hashes = present_hashes(n, seed);
    all_found(&filter, &hashes, format_args!("{n} keys, {budget:?}"))?;
    let found = count_found(&filter, hashes.iter().copied())?;
    if found != n {
        return Err(Violation::Lost {
            what: format!("{} of {n} keys, {budget:?}, asked in batches", n - found),
        });
    }
    // The count may leave out distinct keys that were false positives when inserted, and no others.
    let left_out = filter.expected_fpr() * n as f64;
    ensure(
        filter.len() <= n && filter.len() as f64 >= n as f64 - 2.0 * left_out - 10.0,
        "len after filling",
        filter.len(),
        format_args!("{n}, but for the false positives among them"),
    )
}

/// `contains_batch` answers as `contains_hash` does, for batches of many lengths.
pub fn a_batch_answers_as_single_queries_do<F: PlanFilter>(fill: Fill<F>) -> Verdict {
    batches_answer_as_single_queries(&filled(fill, 5000, 0.1, 3)?)
}

fn batches_answer_as_single_queries(filter: &dyn Filter) -> Verdict {
    let (ins, outs) = (present_hashes(5000, 3), absent_hashes(5000, 3));
    let mixed: Vec<_> = ins.into_iter().zip(outs).flat_map(|(a, b)| [a, b]).collect();
    for len in (0..=130).chain([1000, mixed.len()]) {
        for hashes in [&mixed[..len], &mixed[mixed.len() - len..]] {
            // Both initial values, so that an unwritten answer cannot be right by chance.
            for before in [false, true] {
                let mut answers = vec![before; len];
                filter
                    .contains_batch(hashes, &mut answers)
                    .map_err(Violation::refused("a batch of queries"))?;
                for (i, (&hash, answer)) in hashes.iter().zip(answers).enumerate() {
                    let alone = filter.contains_hash(hash);
                    same(format_args!("answer {i} of a batch of {len}"), answer, alone)?;
                }
            }
        }
    }
    Ok(())
}

/// A batch whose answer slice is too short or too long is refused with both lengths, and nothing is
/// written.
pub fn a_batch_of_two_lengths_is_refused<F: PlanFilter>(fill: Fill<F>) -> Verdict {
    batches_of_two_lengths_are_refused(&filled(fill, 100, 0.01, 1)?)
}

fn batches_of_two_lengths_are_refused(filter: &dyn Filter) -> Verdict {
    let hashes = present_hashes(100, 1);
    let keys: Vec<u64> = (0..100).map(present).collect();
    for (n, room) in [(100, 99), (99, 100), (0, 1), (1, 0), (64, 32), (32, 64)] {
        let wanted = Err(LengthMismatch { keys: n, answers: room });
        let mut answers = vec![false; room];
        let what = format!("a batch of {n} with room for {room}");
        same(&what, filter.contains_batch(&hashes[..n], &mut answers), wanted)?;
        same(&what, filter.contains_keys(&keys[..n], &mut answers), wanted)?;
        same(&what, answers, vec![false; room])?;
    }
    Ok(())
}

/// A key is hashed with the filter's own seed, and only its hash matters.
pub fn a_key_is_its_hash_under_the_filters_seed<F: PlanFilter>(fill: Fill<F>) -> Verdict {
    for seed in [0, 1, u64::MAX, 0x0123_4567_89AB_CDEF] {
        keys_are_their_hashes(&filled(fill, 1000, 0.1, seed)?, seed)?;
    }
    Ok(())
}

fn keys_are_their_hashes(filter: &dyn Filter, seed: u64) -> Verdict {
    same("seed", filter.seed(), seed)?;
    let keys: Vec<u64> = (0..1000).map(present).chain((0..1000).map(absent)).collect();
    let mut answers = vec![false; keys.len()];
    filter.contains_keys(&keys, &mut answers).map_err(Violation::refused("a batch of keys"))?;
    for (key, answer) in keys.iter().zip(answers) {
        let of_hash = filter.contains_hash(key.key_hash(seed));
        same(format_args!("contains({key})"), FilterExt::contains(filter, key), of_hash)?;
        same(format_args!("contains_keys at {key}"), answer, of_hash)?;
    }
    Ok(())
}

/// Behind `&dyn Filter` a filter answers the same.
pub fn a_filter_is_the_same_behind_dyn<F: PlanFilter>(fill: Fill<F>) -> Verdict {
    let filter = filled(fill, 1000, 0.01, 9)?;
    let behind: &dyn Filter = &filter;
    same("kind", behind.kind(), filter.kind())?;
    same("seed", behind.seed(), 9)?;
    same("len", behind.len(), filter.len())?;
    same("is_empty", behind.is_empty(), false)?;
    same("capacity", behind.capacity(), 1000)?;
    same("size_in_bytes", behind.size_in_bytes(), filter.size_in_bytes())?;
    same("expected_fpr", behind.expected_fpr(), filter.expected_fpr())?;
    all_found(behind, &present_hashes(1000, 9), "behind dyn")?;
    let outs = absent_hashes(1000, 9);
    let mut answers = vec![false; outs.len()];
    behind.contains_batch(&outs, &mut answers).map_err(Violation::refused("a batch behind dyn"))?;
    for (hash, answer) in outs.into_iter().zip(answers) {
        same("an answer behind dyn", answer, filter.contains_hash(hash))?;
    }
    Ok(())
}

/// Two filters of the same keys and seed agree in every answer and number.
pub fn the_same_seed_gives_the_same_filter<F: PlanFilter>(fill: Fill<F>) -> Verdict {
    let (one, two) = (filled(fill, 20_000, 0.05, 5)?, filled(fill, 20_000, 0.05, 5)?);
    same("params", one.params(), two.params())?;
    same("len", one.len(), two.len())?;
    same("size_in_bytes", one.size_in_bytes(), two.size_in_bytes())?;
    for hash in absent_hashes(20_000, 5) {
        same("an answer", one.contains_hash(hash), two.contains_hash(hash))?;
    }
    Ok(())
}

/// Filters with two seeds err independently: both at once at the product of their rates.
///
/// A seed that reaches only part of the filter shows as an excess, at every rate.
pub fn two_seeds_err_independently<F: PlanFilter>(fill: Fill<F>) -> Verdict {
    const QUERIES: u64 = 500_000;
    for (a, b) in [(0, 1), (1, 2), (3, 3 << 32), (7, !7)] {
        let (one, two) = (filled(fill, 10_000, 0.1, a)?, filled(fill, 10_000, 0.1, b)?);
        let both =
            (0..QUERIES).filter(|&i| one.contains(&absent(i)) && two.contains(&absent(i))).count();
        let rate = one.expected_fpr() * two.expected_fpr();
        Expected::of_one(QUERIES, rate).check(
            format!("both of two filters, seeds {a} and {b}"),
            Some(a),
            both as u64,
            5.0,
        )?;
    }
    Ok(())
}

/// A filter planned for many keys and given few or none reports what it holds.
pub fn an_empty_filter_holds_nothing<F: PlanFilter>(fill: Fill<F>) -> Verdict {
    // A static filter may refuse to be built of no keys.
    let Ok(filter) = fill(Goal::fpr(1000, 0.01), 2, &[]) else {
        return Ok(());
    };
    same("len", filter.len(), 0)?;
    same("is_empty", filter.is_empty(), true)?;
    let found = count_found(&filter, absent_hashes(100_000, 2).into_iter())?;
    same("keys found in an empty filter", found, 0)?;
    same("expected_fpr of an empty filter", filter.expected_fpr(), 0.0)
}

/// A filter of any size errs on an absent key whose 64-bit hash equals that of a present key. Its
/// own rate and the predicted one include this, down to where `1 - rate` rounds to 1.
pub fn a_rate_is_never_below_that_of_equal_hashes<F: PlanFilter>(fill: Fill<F>) -> Verdict {
    for (planned, held, asked) in
        [(3, 3, 1e-3), (3, 3, 1e-15), (1000, 10, 1e-9), (1000, 1000, 1e-12)]
    {
        let goal = Goal::fpr(planned, asked);
        if F::plan(goal).is_err() {
            continue;
        }
        let filter = fill(goal, 1, &present_hashes(held, 1))
            .map_err(Violation::refused(format!("{held} keys in {goal:?}")))?;
        // An estimate of the number of keys from the table is right to within some percent.
        let least = 0.9 * hash_floor(held);
        let own = filter.expected_fpr();
        let predicted = F::predicted_fpr(&filter.params(), held).mean;
        ensure(
            (least..=1.0).contains(&own) && (least..=1.0).contains(&predicted),
            format_args!("expected_fpr and predicted_fpr of {held} keys in {goal:?}"),
            (own, predicted),
            format_args!("{least:e} or more"),
        )?;
    }
    Ok(())
}
