//! Laws of truncating filters without their keys.

use crate::expected::Expected;
use crate::fail::OrFail;
use crate::files::{FileFilter, LOAD, Pieces, damaged, encoded, forged_files, streamed};
use crate::fill::{Fill, all_found, count_absent_found, filled, present_hashes};
use crate::memory::{counted, every_refused_allocation_is_an_error, peak_of};
use crate::testing::Folder;
use amq_core::{Budget, DecodeError, Goal, PlanFilter, TruncateError, TruncateFilter};
use std::cell::RefCell;

/// Reads a file within a budget: from bytes, or from a stream that yields this many at a time.
fn read_within<F: FileFilter>(
    bytes: &[u8],
    budget: Budget,
    pieces: Option<usize>,
) -> Result<F, DecodeError> {
    match pieces {
        None => F::decode(bytes, LOAD.budget(budget)),
        Some(size) => F::read(&mut Pieces { bytes, size }, LOAD.budget(budget)).map_err(streamed),
    }
}

/// The rate for which filters are built, and those to which they are truncated.
const BUILT: f64 = 1e-5;
const RUNGS: [f64; 6] = [1e-4, 1e-3, 1.0 / 256.0, 0.01, 0.03, 0.1];

/// The filter truncated to a budget.
fn truncated<F: TruncateFilter + Clone>(filter: &F, budget: Budget) -> F {
    let mut smaller = filter.clone();
    smaller.truncate(budget).or_fail(format_args!("truncating to {budget:?}"));
    smaller
}

/// At each of a series of rates the filter holds its keys, has the rate of its parameters, which is
/// at most the target, and takes less memory than before.
pub fn a_truncated_filter_errs_as_often_as_predicted<F>(fill: Fill<F>)
where
    F: TruncateFilter + PlanFilter + Clone,
{
    const KEYS: u64 = 30_000;
    const QUERIES: u64 = 400_000;
    let mut pooled = [(0, Expected::default()); RUNGS.len()];
    for seed in 0..8 {
        let mut filter = filled(fill, KEYS, BUILT, seed);
        let hashes = present_hashes(KEYS, seed);
        for (rung, (found, expected)) in RUNGS.into_iter().zip(&mut pooled) {
            let before = filter.size_in_bytes();
            filter = truncated(&filter, Budget::Fpr(rung));
            all_found(&filter, &hashes, format_args!("truncated to {rung}"));
            assert_eq!(filter.len(), KEYS, "keys of a truncated filter");
            let size = filter.size_in_bytes();
            assert!(size < before, "{size} bytes at {rung}, {before} before");
            let predicted = F::predicted_fpr(&filter.params(), KEYS);
            let near = predicted.mean <= rung * 1.001 && predicted.mean > rung / 2.2;
            assert!(near, "truncated to {rung}, predicted {predicted:?}");
            let of_this = count_absent_found(&filter, QUERIES);
            let cell = format_args!("truncated to {rung}, seed {seed}");
            Expected::of_any(QUERIES, predicted).check(cell, of_this, 5.0);
            Expected::of_one(QUERIES, filter.expected_fpr()).check(
                format_args!("truncated to {rung}, by the filter's own expected_fpr"),
                of_this,
                5.0,
            );
            *found += of_this;
            *expected = expected.plus(Expected::of_any(QUERIES, predicted));
        }
    }
    for ((found, expected), rung) in pooled.into_iter().zip(RUNGS) {
        expected.check(format_args!("truncated to {rung}"), found, 3.0);
    }
}

/// Budgets that a filter of this many keys may have, the largest first of each unit.
fn budgets(keys: u64) -> Vec<Budget> {
    let rates = [1e-5, 1e-4, 1e-3, 1.0 / 65536.0, 1.0 / 256.0, 0.01, 0.3, 0.5, 0.99];
    let bits = [64.0, 30.0, 20.0, 13.7, 10.6, 9.0, 8.0, 4.5, 3.4, 2.0];
    let bits = bits.into_iter().flat_map(|bits| {
        [Budget::BitsPerKey(bits), Budget::Bytes((keys as f64 * bits / 8.0) as u64)]
    });
    rates.map(Budget::Fpr).into_iter().chain(bits).collect()
}

/// Numbers of keys that are truncated to each of these.
const SIZES: [u64; 7] = [0, 1, 7, 8, 100, 3000, 40_000];

/// Truncating twice equals truncating once; a refused budget changes nothing; and a budget in bytes
/// is kept.
pub fn truncating_twice_is_truncating_once<F>(fill: Fill<F>)
where
    F: TruncateFilter + Clone + PartialEq,
{
    for n in SIZES {
        let built = filled(fill, n, BUILT, 5);
        let hashes = present_hashes(n, 5);
        let mut made = 0;
        for first in budgets(n) {
            let mut once = built.clone();
            if once.truncate(first).is_err() {
                assert!(once == built, "changed by a refused truncation to {first:?}");
                continue;
            }
            made += 1;
            all_found(&once, &hashes, format_args!("{n} keys truncated to {first:?}"));
            let most = Goal::new(once.capacity().max(n), first).max_bits() / 8;
            assert!(once.size_in_bytes() <= most, "bytes of {n} keys within {first:?}");
            assert!(truncated(&once, first) == once, "truncating {n} keys again to {first:?}");
            for second in budgets(n) {
                let (mut one, mut two) = (built.clone(), once.clone());
                let what = format_args!("truncating {n} keys to {first:?} before {second:?}");
                match (one.truncate(second), two.truncate(second)) {
                    (Ok(()), Ok(())) => assert!(one == two, "{what} is not truncating once"),
                    // What the first has taken away.
                    (Ok(()), Err(TruncateError::Larger { .. })) => {}
                    (Err(one), Err(two)) => {
                        let larger = |error| matches!(error, TruncateError::Larger { .. });
                        assert_eq!(larger(one), larger(two), "{what}: {two}, alone {one}");
                    }
                    (one, two) => panic!("{what}: {two:?}, alone {one:?}"),
                }
            }
        }
        assert!(made > 8, "{n} keys were truncated to {made} budgets only");
    }
}

/// Invalid budgets are refused by a separate error, and budgets larger than the filter by both
/// methods. Nothing changes.
pub fn a_budget_that_a_filter_lacks_is_refused_by_name<F: FileFilter + TruncateFilter>(
    fill: Fill<F>,
) {
    let built = filled(fill, 500, 0.01, 3);
    let mut filter = built.clone();
    let numbers = [f64::NAN, 0.0, -1.0, f64::INFINITY, f64::NEG_INFINITY];
    let numbers = numbers.into_iter().flat_map(|it| [Budget::Fpr(it), Budget::BitsPerKey(it)]);
    let few = [Budget::Fpr(1.0), Budget::Bytes(0), Budget::Bytes(1), Budget::BitsPerKey(1e-9)];
    for budget in numbers.chain(few) {
        let refused = filter.truncate(budget);
        let by_plan = matches!(refused, Err(TruncateError::Plan(_)));
        assert!(by_plan, "truncating to {budget:?}: {refused:?}");
    }
    let bytes = filter.size_in_bytes();
    let file = encoded(&built);
    for budget in [Budget::Fpr(1e-6), Budget::BitsPerKey(50.0), Budget::Bytes(3 * bytes)] {
        let refused = filter.truncate(budget);
        let names_both = matches!(refused, Err(TruncateError::Larger { asked, has })
        if asked == budget && match has {
            Budget::Fpr(has) => (has / built.expected_fpr() - 1.0).abs() < 0.1,
            Budget::BitsPerKey(has) => (has * 62.5 / bytes as f64 - 1.0).abs() < 1e-6,
            Budget::Bytes(has) => has == bytes,
        });
        assert!(names_both, "truncating to {budget:?}: {refused:?}");
        let read = read_within::<F>(&file, budget, None).err();
        assert_eq!(read, refused.err().map(DecodeError::Budget), "a file within {budget:?}");
    }
    assert!(filter == built, "changed by truncations that were refused");
}

/// A truncated filter is written and read. Reading a file within a budget equals reading and then
/// truncating it, byte for byte, or is refused for the same reason.
pub fn a_file_read_within_a_budget_is_the_truncated_filter<F: FileFilter + TruncateFilter>(
    fill: Fill<F>,
) {
    for n in SIZES {
        let built = filled(fill, n, BUILT, 4);
        let file = encoded(&built);
        for budget in budgets(n) {
            let mut filter = built.clone();
            let refused = filter.truncate(budget).err().map(DecodeError::Budget);
            let written = encoded(&filter);
            for pieces in [None, Some(usize::MAX), Some(1000)] {
                let what = format_args!("{n} keys read within {budget:?}, {pieces:?} at a time");
                let read = read_within::<F>(&file, budget, pieces);
                assert_eq!(read.as_ref().err(), refused.as_ref(), "{what}");
                if let Ok(read) = read {
                    assert!(read == filter, "{what}: another filter than the truncated one");
                    assert!(encoded(&read) == written, "{what}: another file");
                }
            }
            let back = F::decode(&written, LOAD).or_fail("a file of a truncated filter");
            assert!(back == filter, "{n} keys at {budget:?} are read as another filter");
        }
    }
}

/// A damaged, cut or forged file is refused within a budget, too, or decodes to a filter that
/// answers: nothing panics.
pub fn a_damaged_file_is_refused_within_a_budget<F: FileFilter + TruncateFilter>(fill: Fill<F>) {
    const WAYS: [Option<usize>; 2] = [None, Some(1000)];
    let budget = Budget::Fpr(0.2);
    for n in [0, 1, 30] {
        let file = encoded(&filled(fill, n, 0.01, 3));
        read_within::<F>(&file, budget, None).or_fail("a file");
        damaged(&file, &mut |bytes, what| {
            let refused = |&way| read_within::<F>(bytes, budget, way).is_err();
            assert!(WAYS.iter().all(refused), "a file {what} is read within a budget");
        });
    }
    let hashes = present_hashes(100, 3);
    forged_files(fill, &mut |forged, what| {
        for pieces in WAYS {
            let (read, account) = counted(u64::MAX, || read_within::<F>(forged, budget, pieces));
            let most = 3 * forged.len() as i64 + (1 << 20);
            assert!(account.peak <= most, "{} bytes: {}", account.peak, what());
            let Ok(filter) = read else { continue };
            for &hash in &hashes {
                let _ = filter.contains_hash(hash);
            }
            let rate = filter.expected_fpr();
            assert!((0.0..=1.0).contains(&rate), "a rate of {rate}: {}", what());
        }
    });
}

/// The memory that truncating, and reading within a budget, may take beyond the smaller filter.
pub const SLACK: u64 = 1 << 20;

/// Reading a file within a budget takes the memory of the smaller filter and little more, and so
/// does truncating a filter in memory. (The length of a stream is unknown, so its table may move.)
pub fn a_budget_takes_the_memory_of_the_smaller_filter<F: FileFilter + TruncateFilter>(
    fill: Fill<F>,
) {
    for n in [0, 1, 100, 40_000, 1_000_000] {
        let built = filled(fill, n, BUILT, 4);
        let file = encoded(&built);
        let folder = Folder::new();
        let path = folder.join("file.amq");
        std::fs::write(&path, &file).or_fail("a file");
        for rate in [1e-4, 1.0 / 256.0, 0.01, 0.3] {
            let budget = Budget::Fpr(rate);
            let mut smaller = built.clone();
            let (made, truncating) = peak_of(|| smaller.truncate(budget));
            made.or_fail("truncating");
            let size = smaller.size_in_bytes();
            let most = size + SLACK;
            let peak = |what: &str, read: &dyn Fn() -> Result<F, DecodeError>, most| {
                let (read, peak) = peak_of(read);
                assert!(read.or_fail(what) == smaller, "{what} is another filter");
                assert!(peak <= most, "{n} keys, {what} at {rate}: {peak} bytes, over {most}");
            };
            assert!(truncating <= most, "{n} keys truncated to {rate}: {truncating} bytes");
            peak("read from bytes", &|| read_within::<F>(&file, budget, None), most);
            peak("loaded", &|| LOAD.budget(budget).load::<F>(&path).map_err(streamed), most);
            let stream = || read_within::<F>(&file, budget, Some(usize::MAX));
            peak("read from a stream", &stream, most + size);
        }
    }
}

/// Without memory, truncating changes nothing, and reading within a budget is an error.
pub fn a_budget_without_memory_is_an_error<F: FileFilter + TruncateFilter>(fill: Fill<F>) {
    for n in [0, 40, 20_000] {
        let built = filled(fill, n, BUILT, 3);
        let file = encoded(&built);
        for budget in [Budget::Fpr(1.0 / 256.0), Budget::Fpr(0.1)] {
            let filter = RefCell::new(built.clone());
            let truncate = || filter.borrow_mut().truncate(budget);
            every_refused_allocation_is_an_error("truncating", truncate, |done| {
                let after = filter.replace(built.clone());
                assert!(done.is_some() || after == built, "changed by a refused truncation");
            });
            for pieces in [None, Some(5000)] {
                let read = || read_within::<F>(&file, budget, pieces);
                every_refused_allocation_is_an_error("a file in a budget", read, |_| {});
            }
        }
    }
}
