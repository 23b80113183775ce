//! Laws of filters that grow by themselves beyond the number of keys they were planned for.

use crate::expected::Expected;
use crate::fill::{absent_hashes, all_found, count_found, present_hashes};
use crate::violation::{Verdict, Violation, ensure, same};
use amq_core::{EmptyFilter, Goal};

/// Keys planned for: few, so that a filter grows often.
const PLANNED: u64 = 60;
/// 2^12 times as many: twelve doublings.
const GROWN: u64 = PLANNED << 12;
/// Numbers of keys at which rates are measured: from the planned one to the last.
const AGES: [u64; 7] = [PLANNED, 90, 300, 2000, 15_000, 62_000, GROWN];

/// The rates asked for, and the number of seeds and of absent keys that make each easy to measure.
const RATES: [(f64, u64, u64); 2] = [(0.05, 6, 200_000), (0.01, 6, 400_000)];

fn empty<F: EmptyFilter>(fpr: f64, seed: u64) -> Result<F, Violation> {
    let goal = Goal::fpr(PLANNED, fpr);
    F::empty(goal, seed).map_err(Violation::refused(format!("an empty filter for {goal:?}")))
}

/// Twelve doublings that nobody announced lose no key, refuse none, and keep the size in
/// proportion. One by one or in batches, the filter is the same.
pub fn a_grown_filter_holds_every_key<F: EmptyFilter + PartialEq>() -> Verdict {
    let hashes = present_hashes(GROWN, 3);
    let (mut one, mut many) = (empty::<F>(0.01, 3)?, empty::<F>(0.01, 3)?);
    let (mut from, mut part) = (0, 1);
    while from < hashes.len() {
        let to = (from + part).min(hashes.len());
        for &hash in &hashes[from..to] {
            one.insert_hash(hash).map_err(Violation::refused(format!("a key after {from}")))?;
        }
        many.insert_batch(&hashes[from..to])
            .map_err(Violation::refused(format!("a batch after {from} keys")))?;
        all_found(&one, &hashes[..to], format_args!("after {to} keys"))?;
        (from, part) = (to, 2 * part);
    }
    all_found(&many, &hashes, "after batches")?;
    ensure(one == many, "a filter grown in batches", "differs", "as one grown key by key")?;
    let bits = one.size_in_bytes() as f64 * 8.0 / GROWN as f64;
    ensure(bits <= 64.0, "bits per key of a grown filter at 1 %", bits, "64 or fewer")
}

/// At every age the rate is the predicted one and the filter's own, on both sides, and no more than
/// was asked for when nobody knew how many keys would come.
pub fn a_grown_filter_errs_as_predicted_and_no_more_than_asked<F: EmptyFilter>() -> Verdict {
    for (asked, seeds, queries) in RATES {
        let mut pooled = [(0, Expected::default()); AGES.len()];
        for seed in 0..seeds {
            let mut filter = empty::<F>(asked, seed)?;
            let (present, absent) = (present_hashes(GROWN, seed), absent_hashes(queries, seed));
            let mut held = 0;
            for (&keys, (sum, expected)) in AGES.iter().zip(&mut pooled) {
                let cell = format!("{keys} keys, planned for {PLANNED} at {asked}");
                filter
                    .insert_batch(&present[held..keys as usize])
                    .map_err(Violation::refused(&cell))?;
                held = keys as usize;
                let found = count_found(&filter, absent.iter().copied())?;
                let predicted = F::predicted_fpr(&filter.params(), keys);
                let of_this = Expected::of_any(queries, predicted);
                of_this.check(cell.clone(), Some(seed), found, 5.0)?;
                let own = filter.expected_fpr();
                let by_itself = format!("{cell}, by the filter's own expected_fpr");
                Expected::of_one(queries, own).check(by_itself, Some(seed), found, 5.0)?;
                *sum += found;
                *expected = expected.plus(of_this);
            }
        }
        for (&keys, (found, expected)) in AGES.iter().zip(pooled) {
            let cell = format!("{keys} keys, planned for {PLANNED} at {asked}");
            expected.check(cell.clone(), None, found, 3.0)?;
            let most = expected.with_rate(asked);
            if found as f64 > most.mean() {
                most.check(format!("{cell}, against the rate asked for"), None, found, 3.0)?;
            }
        }
    }
    Ok(())
}

/// A cleared filter is a new one, however far it had grown, and grows again.
pub fn a_grown_filter_that_is_cleared_is_a_new_one<F: EmptyFilter + PartialEq>() -> Verdict {
    let new = empty::<F>(0.01, 8)?;
    for keys in [PLANNED + 1, 40 * PLANNED, 1000 * PLANNED] {
        let hashes = present_hashes(keys, 8);
        let mut filter = empty::<F>(0.01, 8)?;
        for round in 0..2 {
            filter
                .insert_batch(&hashes)
                .map_err(Violation::refused(format!("{keys} keys, round {round}")))?;
            all_found(&filter, &hashes, format_args!("round {round}"))?;
            filter.clear();
            same("len after clear", filter.len(), 0)?;
            same("size after clear", filter.size_in_bytes(), new.size_in_bytes())?;
            ensure(filter == new, "a grown filter after clear", "differs", "a new one")?;
        }
    }
    Ok(())
}
