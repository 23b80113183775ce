//! Laws of filters that grow by themselves beyond the number of keys they were planned for.

use crate::expected::Expected;
use crate::fail::OrFail;
use crate::fill::{absent_hashes, all_found, count_found, empty, present_hashes};
use amq_core::EmptyFilter;

/// Keys planned for: few, so that a filter grows often.
const PLANNED: u64 = 60;
/// 2^12 times as many: twelve doublings.
const GROWN: u64 = PLANNED << 12;
/// Numbers of keys at which rates are measured: from the planned one to the last.
const AGES: [u64; 7] = [PLANNED, 90, 300, 2000, 15_000, 62_000, GROWN];

/// The target rates, and the number of absent keys that makes each easy to measure.
const RATES: [(f64, u64); 2] = [(0.05, 200_000), (0.01, 400_000)];

/// Over twelve unplanned doublings no key is lost or refused, and the size stays in proportion. One
/// by one or in batches, the filter is the same.
pub fn a_grown_filter_holds_every_key<F: EmptyFilter + PartialEq>() {
    let hashes = present_hashes(GROWN, 3);
    let (mut one, mut many) = (empty::<F>(PLANNED, 0.01, 3), empty::<F>(PLANNED, 0.01, 3));
    let (mut from, mut part) = (0, 1);
    while from < hashes.len() {
        let to = (from + part).min(hashes.len());
        for &hash in &hashes[from..to] {
            one.insert_hash(hash).or_fail(format_args!("a key after {from}"));
        }
        many.insert_batch(&hashes[from..to]).or_fail(format_args!("a batch after {from} keys"));
        all_found(&one, &hashes[..to], format_args!("after {to} keys"));
        (from, part) = (to, 2 * part);
    }
    all_found(&many, &hashes, "after batches");
    assert!(one == many, "a filter grown in batches differs from one grown key by key");
    let bits = one.size_in_bytes() as f64 * 8.0 / GROWN as f64;
    assert!(bits <= 64.0, "{bits} bits per key of a grown filter at 1 %");
}

/// At every size the rate is the predicted one and the one the filter reports, on both sides, and
/// at most the target rate.
pub fn a_grown_filter_errs_as_predicted_and_no_more_than_asked<F: EmptyFilter>() {
    for (asked, queries) in RATES {
        let cell = |keys| format!("{keys} keys, planned for {PLANNED} at {asked}");
        let mut pooled = [(0, Expected::default()); AGES.len()];
        for seed in 0..6 {
            let mut filter = empty::<F>(PLANNED, asked, seed);
            let (present, absent) = (present_hashes(GROWN, seed), absent_hashes(queries, seed));
            let mut held = 0;
            for (&keys, (sum, expected)) in AGES.iter().zip(&mut pooled) {
                filter.insert_batch(&present[held..keys as usize]).or_fail(cell(keys));
                held = keys as usize;
                let found = count_found(&filter, &absent);
                let predicted = F::predicted_fpr(&filter.params(), keys);
                let of_this = Expected::of_any(queries, predicted);
                of_this.check(cell(keys), found, 5.0);
                let own = Expected::of_one(queries, filter.expected_fpr());
                own.check(cell(keys) + ", by the filter's own expected_fpr", found, 5.0);
                *sum += found;
                *expected = expected.plus(of_this);
            }
        }
        for (keys, (found, expected)) in AGES.into_iter().zip(pooled) {
            expected.check(cell(keys), found, 3.0);
            expected.check_at_most(asked, cell(keys), found);
        }
    }
}
