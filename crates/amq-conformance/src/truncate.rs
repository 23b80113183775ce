//! Laws of filters that are made smaller without their keys.

use crate::expected::Expected;
use crate::files::ways::{FileFilter, Pieces, decode, encoded, with_keys};
use crate::files::{damaged::mend, forged::forged_files};
use crate::fill::{Fill, all_found, count_absent_found, filled_within, present_hashes};
use crate::memory::{
    counted, counts, each_refused, every_refused_allocation_is_an_error, is_about_memory,
};
use crate::violation::{Verdict, Violation, ensure, same, unchanged};
use amq_core::internal::FileFormat;
use amq_core::{
    Budget, DecodeError, LoadOptions, PlanFilter, ReadError, Table, TruncateError, TruncateFilter,
};
use std::path::Path;

/// A filter that is stored and truncated.
pub trait Truncated: TruncateFilter + PlanFilter + FileFilter + Clone {
    /// See [`LoadOptions::budget`]: from bytes, or from a stream that yields so many at a time.
    fn read_within(
        bytes: &[u8],
        budget: Budget,
        pieces: Option<usize>,
    ) -> Result<Self, DecodeError>;
    /// See [`LoadOptions::load`].
    fn load_within(path: &Path, budget: Budget) -> Result<Self, DecodeError>;
}

impl<F> Truncated for F
where
    F: TruncateFilter + PlanFilter + FileFilter + Clone + FileFormat<With<Table> = F>,
{
    #[inline(never)]
    fn read_within(
        bytes: &[u8],
        budget: Budget,
        pieces: Option<usize>,
    ) -> Result<Self, DecodeError> {
        let options = LoadOptions::new().budget(budget);
        let Some(size) = pieces else {
            return options.from_bytes(bytes);
        };
        options.read_from(Pieces { bytes, size }).map_err(decoding)
    }

    #[inline(never)]
    fn load_within(path: &Path, budget: Budget) -> Result<Self, DecodeError> {
        LoadOptions::new().budget(budget).load(path).map_err(decoding)
    }
}

fn decoding(error: ReadError) -> DecodeError {
    match error {
        ReadError::Decode(error) => error,
        _ => DecodeError::Interrupted,
    }
}

/// The rate that filters are built at, and those that they are truncated to.
const BUILT: f64 = 1e-5;
const RUNGS: [f64; 6] = [1e-4, 1e-3, 1.0 / 256.0, 0.01, 0.03, 0.1];

/// The filter truncated to a budget.
fn truncated<F: Truncated>(filter: &F, budget: Budget) -> Result<F, Violation> {
    let mut smaller = filter.clone();
    smaller.truncate(budget).map_err(Violation::refused(format!("truncating to {budget:?}")))?;
    Ok(smaller)
}

/// On every rung of a ladder of rates the filter holds its keys, errs as often as its parameters
/// predict, no more often than asked for, and takes less memory than before.
pub fn a_truncated_filter_errs_as_often_as_predicted<F: Truncated>(fill: Fill<F>) -> Verdict {
    const KEYS: u64 = 30_000;
    const QUERIES: u64 = 400_000;
    let mut pooled = [(0, Expected::default()); RUNGS.len()];
    for seed in 0..8 {
        let mut filter = filled_within(fill, KEYS, Budget::Fpr(BUILT), seed)?;
        let hashes = present_hashes(KEYS, seed);
        for (rung, (found, expected)) in RUNGS.into_iter().zip(&mut pooled) {
            let before = filter.size_in_bytes();
            filter = truncated(&filter, Budget::Fpr(rung))?;
            all_found(&filter, &hashes, format_args!("truncated to {rung}"))?;
            same("keys of a truncated filter", filter.len(), KEYS)?;
            let size = filter.size_in_bytes();
            ensure(size < before, format_args!("bytes at {rung}"), size, "fewer than before")?;
            let predicted = F::predicted_fpr(&filter.params(), KEYS);
            ensure(
                predicted.mean <= rung * 1.001 && predicted.mean > rung / 2.2,
                format_args!("predicted rate of a filter truncated to {rung}"),
                predicted.mean,
                "that, or a bit more than half of it",
            )?;
            let of_this = count_absent_found(&filter, QUERIES)?;
            let cell = || format!("truncated to {rung}");
            Expected::of_any(QUERIES, predicted).check(cell(), Some(seed), of_this, 5.0)?;
            Expected::of_one(QUERIES, filter.expected_fpr()).check(
                format!("{}, by the filter's own expected_fpr", cell()),
                Some(seed),
                of_this,
                5.0,
            )?;
            *found += of_this;
            *expected = expected.plus(Expected::of_any(QUERIES, predicted));
        }
    }
    for ((found, expected), rung) in pooled.into_iter().zip(RUNGS) {
        expected.check(format!("truncated to {rung}"), None, found, 3.0)?;
    }
    Ok(())
}

/// Budgets that a filter of this many keys may have, the largest first of each unit.
fn budgets(keys: u64) -> Vec<Budget> {
    let rates = [1e-5, 1e-4, 1e-3, 1.0 / 65536.0, 1.0 / 256.0, 0.01, 0.3, 0.5, 0.99];
    let bits = [64.0, 30.0, 20.0, 13.7, 10.6, 9.0, 8.0, 4.5, 3.4, 2.0];
    let rates = rates.into_iter().map(Budget::Fpr);
    let bits = bits.into_iter().flat_map(|bits| {
        [Budget::BitsPerKey(bits), Budget::Bytes((keys as f64 * bits / 8.0) as u64)]
    });
    rates.chain(bits).collect()
}

/// A filter that is truncated twice is the one truncated once; one that is refused stays as it was;
/// and a size that was asked for is kept to.
pub fn truncating_twice_is_truncating_once<F: Truncated>(fill: Fill<F>) -> Verdict {
    for n in [0, 1, 7, 8, 100, 3000, 40_000] {
        let built = with_keys(fill, n, BUILT, 5)?;
        let hashes = present_hashes(n, 5);
        let mut made = 0;
        for first in budgets(n) {
            let mut once = built.clone();
            if once.truncate(first).is_err() {
                unchanged(&once, &built, format_args!("a refused truncation to {first:?}"))?;
                continue;
            }
            made += 1;
            all_found(&once, &hashes, format_args!("{n} keys truncated to {first:?}"))?;
            keeps_to(&once, first)?;
            let again = truncated(&once, first)?;
            unchanged(&again, &once, format_args!("truncating again to {first:?}"))?;
            for second in budgets(n) {
                let (mut one, mut two) = (built.clone(), once.clone());
                let (one_made, two_made) = (one.truncate(second), two.truncate(second));
                match (one_made, two_made) {
                    // A whole byte may take less than the fewest bits, and be gone.
                    (Ok(()), Ok(())) if one.expected_fpr() < once.expected_fpr() => {
                        unchanged(&two, &once, format_args!("truncating to {second:?}"))?;
                    }
                    (Ok(()), Ok(())) => unchanged(
                        &two,
                        &one,
                        format_args!("truncating {n} keys to {first:?} before {second:?}"),
                    )?,
                    // What the first has taken away.
                    (Ok(()), Err(TruncateError::Larger { .. })) => {}
                    (Err(one), Err(two)) => same(
                        format_args!("the reason why {second:?} is refused"),
                        matches!(one, TruncateError::Larger { .. }),
                        matches!(two, TruncateError::Larger { .. }),
                    )?,
                    (one, two) => {
                        return Err(Violation::Differs {
                            what: format!("{n} keys within {second:?} after {first:?}"),
                            found: format!("{two:?}"),
                            wanted: format!("{one:?}"),
                        });
                    }
                }
            }
        }
        ensure(made > 8, format_args!("budgets that {n} keys were truncated to"), made, "most")?;
    }
    Ok(())
}

/// `Ok` if the filter is no larger than a budget.
fn keeps_to<F: Truncated>(filter: &F, budget: Budget) -> Verdict {
    let most = amq_core::Goal::new(filter.capacity().max(filter.len()), budget).max_bits() / 8;
    let size = filter.size_in_bytes();
    ensure(size <= most, format_args!("bytes within {budget:?}"), size, most)
}

/// What is no budget is refused by its own error, and one larger than the filter by both. Nothing
/// changes.
pub fn a_budget_that_a_filter_lacks_is_refused_by_name<F: Truncated>(fill: Fill<F>) -> Verdict {
    let built = with_keys(fill, 500, 0.01, 3)?;
    let mut filter = built.clone();
    for number in [f64::NAN, 0.0, -1.0, f64::INFINITY, f64::NEG_INFINITY] {
        for budget in [Budget::Fpr(number), Budget::BitsPerKey(number)] {
            let refused = filter.truncate(budget);
            let is_plan = matches!(refused, Err(TruncateError::Plan(_)));
            ensure(is_plan, format_args!("truncating to {budget:?}"), refused, "a plan's error")?;
        }
    }
    for budget in [Budget::Fpr(1.0), Budget::Bytes(0), Budget::Bytes(1), Budget::BitsPerKey(1e-9)] {
        let refused = filter.truncate(budget);
        let is_plan = matches!(refused, Err(TruncateError::Plan(_)));
        ensure(is_plan, format_args!("truncating to {budget:?}"), refused, "a plan's error")?;
    }
    let bytes = filter.size_in_bytes();
    let larger = [Budget::Fpr(1e-6), Budget::BitsPerKey(50.0), Budget::Bytes(3 * bytes)];
    for budget in larger {
        let refused = filter.truncate(budget);
        let names_both = matches!(refused, Err(TruncateError::Larger { asked, has })
        if asked == budget && match has {
            Budget::Fpr(has) => (has / built.expected_fpr() - 1.0).abs() < 0.1,
            Budget::BitsPerKey(has) => (has * 62.5 / bytes as f64 - 1.0).abs() < 1e-6,
            Budget::Bytes(has) => has == bytes,
        });
        ensure(names_both, format_args!("truncating to {budget:?}"), refused, "Larger")?;
        let file = encoded(&built)?;
        let read = F::read_within(&file, budget, None).err();
        let wanted = refused.err().map(DecodeError::Budget);
        same(format_args!("a file read within {budget:?}"), read, wanted)?;
    }
    unchanged(&filter, &built, "truncations that were refused")
}

/// A filter that was truncated is written and read; and its file read within a budget is the
/// filter that was read and truncated then, byte for byte, or refused for the same reason.
pub fn a_file_read_within_a_budget_is_the_truncated_filter<F: Truncated>(fill: Fill<F>) -> Verdict {
    for n in [0, 1, 7, 8, 100, 3000, 40_000] {
        let built = with_keys(fill, n, BUILT, 4)?;
        let file = encoded(&built)?;
        for budget in budgets(n) {
            let mut filter = built.clone();
            let refused = filter.truncate(budget).err();
            for pieces in [None, Some(usize::MAX), Some(1000)] {
                let what = || format!("{n} keys read within {budget:?}, {pieces:?} at a time");
                match (F::read_within(&file, budget, pieces), refused) {
                    (Ok(read), None) => {
                        ensure(read == filter, what(), "another filter", "the truncated one")?;
                        let (read, filter) = (encoded(&read)?, encoded(&filter)?);
                        ensure(read == filter, what(), "another file", "the truncated one's")?;
                    }
                    (Err(DecodeError::Budget(error)), Some(wanted)) => {
                        same(what(), error, wanted)?;
                    }
                    (read, _) => same(what(), read.err(), refused.map(DecodeError::Budget))?,
                }
            }
            let back: F = decode(&encoded(&filter)?, None).map_err(Violation::refused("a file"))?;
            ensure(
                back == filter,
                format!("{n} keys at {budget:?}"),
                "another",
                "the one written",
            )?;
        }
    }
    Ok(())
}

/// A file that is damaged, cut short or forged is refused within a budget, too, or makes a filter
/// that answers: nothing panics.
pub fn a_damaged_file_is_refused_within_a_budget<F: Truncated>(fill: Fill<F>) -> Verdict {
    let budget = Budget::Fpr(0.2);
    for n in [0, 1, 30] {
        let file = encoded(&with_keys(fill, n, 0.01, 3)?)?;
        F::read_within(&file, budget, None).map_err(Violation::refused("a file"))?;
        let refused = |bytes: &[u8], what: &dyn Fn() -> String| {
            for pieces in [None, Some(1000)] {
                if F::read_within(bytes, budget, pieces).is_ok() {
                    return Err(Violation::Accepted { what: what() });
                }
            }
            Ok(())
        };
        let mut damaged = file.clone();
        for bit in 0..file.len() * 8 {
            damaged[bit / 8] ^= 1 << (bit % 8);
            refused(&damaged, &|| format!("a file with bit {bit} flipped, within a budget"))?;
            damaged[bit / 8] ^= 1 << (bit % 8);
        }
        for cut in 0..file.len() {
            refused(&file[..cut], &|| format!("a file cut at {cut}, within a budget"))?;
        }
        mend(&mut damaged);
        same("a file that was mended", damaged == file, true)?;
    }
    let hashes = present_hashes(100, 3);
    forged_files(fill, &mut |forged, what| {
        for pieces in [None, Some(1000)] {
            let (read, account) = counted(u64::MAX, || F::read_within(forged, budget, pieces));
            let most = 3 * forged.len() as i64 + (1 << 20);
            ensure(account.peak <= most, what(), account.peak, format_args!("{most} at most"))?;
            let Ok(filter) = read else { continue };
            for &hash in &hashes {
                let _ = filter.contains_hash(hash);
            }
            let rate = filter.expected_fpr();
            ensure((0.0..=1.0).contains(&rate), what(), rate, "a rate from 0 to 1")?;
        }
        Ok(())
    })
}

/// What truncating, and reading within a budget, may take beyond the smaller filter.
pub const SLACK: u64 = 1 << 20;

/// A file is read within a budget in the memory of the smaller filter and little more; and so is a
/// filter truncated in memory. (A stream does not say how long it is: its table may move.)
pub fn a_budget_takes_the_memory_of_the_smaller_filter<F: Truncated>(fill: Fill<F>) -> Verdict {
    counts()?;
    for n in [0, 1, 100, 40_000, 1_000_000] {
        let built = with_keys(fill, n, BUILT, 4)?;
        let file = encoded(&built)?;
        let path = std::env::temp_dir().join(format!("amq-truncate-{}", std::process::id()));
        std::fs::write(&path, &file).map_err(Violation::refused("a file"))?;
        for rate in [1e-4, 1.0 / 256.0, 0.01, 0.3] {
            let budget = Budget::Fpr(rate);
            let mut smaller = built.clone();
            let (made, of_truncating) = counted(u64::MAX, || smaller.truncate(budget));
            made.map_err(Violation::refused("truncating"))?;
            let most = smaller.size_in_bytes() + SLACK;
            let (read, of_bytes) = counted(u64::MAX, || F::read_within(&file, budget, None));
            ensure(read.as_ref() == Ok(&smaller), "a file", "another filter", "the truncated")?;
            drop(read);
            let (read, of_load) = counted(u64::MAX, || F::load_within(&path, budget));
            ensure(read.as_ref() == Ok(&smaller), "a file", "another filter", "the truncated")?;
            drop(read);
            let stream = || F::read_within(&file, budget, Some(usize::MAX));
            let (read, of_stream) = counted(u64::MAX, stream);
            ensure(read.as_ref() == Ok(&smaller), "a file", "another filter", "the truncated")?;
            for (way, account, most) in [
                ("truncated", of_truncating, most),
                ("read from bytes", of_bytes, most),
                ("loaded", of_load, most),
                ("read from a stream", of_stream, most + smaller.size_in_bytes()),
            ] {
                let peak = account.peak.unsigned_abs();
                let what = format_args!("peak bytes of {n} keys {way} at {rate}");
                ensure(peak <= most, what, peak, format_args!("{most} at most"))?;
            }
        }
        std::fs::remove_file(&path).map_err(Violation::refused("removing a file"))?;
    }
    Ok(())
}

/// Without memory, truncating changes nothing, and reading within a budget is an error.
pub fn a_budget_without_memory_is_an_error<F: Truncated>(fill: Fill<F>) -> Verdict {
    for n in [0, 40, 20_000] {
        let built = with_keys(fill, n, BUILT, 3)?;
        let file = encoded(&built)?;
        for budget in [Budget::Fpr(1.0 / 256.0), Budget::Fpr(0.1)] {
            each_refused(&mut |refused| {
                let mut filter = built.clone();
                let (result, account) = counted(refused, || filter.truncate(budget));
                if let Err(error) = result {
                    is_about_memory("truncating", refused, &account, &error)?;
                    unchanged(&filter, &built, "a truncation that was refused memory")?;
                }
                Ok(account)
            })?;
            for pieces in [None, Some(5000)] {
                let read = || F::read_within(&file, budget, pieces);
                every_refused_allocation_is_an_error("a file in a budget", read, |_| Ok(()))?;
            }
        }
    }
    Ok(())
}
