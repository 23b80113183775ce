//! Laws of filters as files: what was written is read again, and what was damaged or forged is not.

mod committed;
pub(crate) mod damaged;
pub(crate) mod forged;
pub mod memory;
mod prehashed;
pub(crate) mod ways;

pub use committed::{callers_hash, committed, golden, golden_prehashed};
pub use damaged::{a_damaged_file_is_refused, mend, what_is_no_file_is_refused_by_name};
pub use forged::{
    a_forged_file_is_refused_or_answers, a_forged_file_is_refused_or_forgets_keys,
    a_forged_file_is_refused_or_merges, a_forged_file_is_refused_or_takes_keys,
    a_forged_number_changes_no_answer, a_view_of_a_forged_file_answers, forgeries,
};
pub use prehashed::{
    a_file_of_another_hashing_is_refused_by_name, a_hash_that_is_unknown_is_refused_by_name,
    a_prehashed_filter_answers_as_the_filter, a_prehashed_filter_counts_hashes_as_the_filter,
    a_prehashed_filter_merges_as_the_filter, a_prehashed_filter_removes_hashes_as_the_filter,
    a_prehashed_filter_takes_hashes_as_the_filter, a_prehashed_filter_with_a_seed_has_no_file,
};
pub use ways::{FileFilter, Pieces, load_options, save_options};

use crate::fill::{Fill, absent_hashes, all_found, present_hashes};
use crate::violation::{Verdict, Violation, ensure, same};
use amq_core::format::{ALIGN, ENTRY, HEADER};
use amq_core::{DecodeError, Filter, InsertFilter, KeyHash, ReadError};
use ways::{Aligned, decode, encoded, with_keys};

/// The sizes of filters that are written: empty, tiny, small, and one with several of each part.
const SIZES: [u64; 6] = [0, 1, 2, 10, 500, 20_000];

/// Filters of several sizes and rates, with what they were filled with.
fn filters<F: FileFilter>(fill: Fill<F>) -> impl Iterator<Item = Result<(u64, u64, F), Violation>> {
    SIZES.into_iter().enumerate().flat_map(move |(seed, n)| {
        [0.3, 0.01, 1e-4].into_iter().map(move |fpr| {
            // With bits in both halves.
            let seed = (seed as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            Ok((n, seed, with_keys(fill, n, fpr, seed)?))
        })
    })
}

/// Decoding inverts encoding: the same filter, and again the same bytes.
pub fn what_was_written_is_read<F: FileFilter>(fill: Fill<F>) -> Verdict {
    for made in filters(fill) {
        let (n, seed, filter) = made?;
        let what = format!("a file of {n} keys");
        let bytes = encoded(&filter)?;
        let back = decode::<F>(&bytes, None).map_err(Violation::refused(&what))?;
        ensure(back == filter, format!("{what}, read"), "another filter", "the same")?;
        ensure(
            encoded(&back)? == bytes,
            format!("{what}, written again"),
            "other bytes",
            "the same",
        )?;
        all_found(&back, &present_hashes(n, seed), &what)?;
        same("params", back.realised(), filter.realised())?;
        same_numbers(&back, &filter)?;
    }
    Ok(())
}

fn same_numbers(back: &dyn Filter, filter: &dyn Filter) -> Verdict {
    same("seed", back.seed(), filter.seed())?;
    same("capacity", back.capacity(), filter.capacity())?;
    same("len", back.len(), filter.len())
}

/// A file that withholds its seed holds it nowhere and is refused without it; with it, it is the
/// same filter. Where the file has its seed, the same one may be given. Another is refused.
pub fn a_withheld_seed_must_be_given<F: FileFilter>(fill: Fill<F>) -> Verdict {
    let seed = 0xA11C_E5EC_12E7_0099;
    let filter = with_keys(fill, 300, 0.01, seed)?;
    let bytes = filter.encode(true).map_err(Violation::refused("encoding"))?;
    let told = bytes.windows(8).any(|word| word == seed.to_le_bytes());
    ensure(!told, "a file without seed", "tells it", "does not")?;
    same("a file without seed", decode::<F>(&bytes, None).err(), Some(DecodeError::SeedWithheld))?;
    let told = encoded(&filter)?;
    for bytes in [&bytes, &told] {
        let back =
            decode::<F>(bytes, Some(seed)).map_err(Violation::refused("a seed that was given"))?;
        ensure(back == filter, "a file with the seed given", "another filter", "the same")?;
    }
    for other in [!seed, seed + 1, seed << 1, 0] {
        another_seed_is_refused::<F>(&bytes, other)?;
    }
    an_unchecked_seed_is_taken::<F>(&filter, &bytes, seed)?;
    another_seed_is_refused::<F>(&told, !seed)?;
    another_seed_is_refused::<F>(&told, 0)?;
    // The seed of such a file is zero, and hashes nothing.
    another_seed_is_refused::<F>(&prehashed::prehashed_file(&told), 0)
}

/// `Ok` if the file without its check, as version 0.2 wrote it, is read with any seed.
fn an_unchecked_seed_is_taken<F: FileFilter>(filter: &F, file: &[u8], seed: u64) -> Verdict {
    let mut unchecked = file.to_vec();
    // The flag that says so, the version that has it, and the check itself.
    unchecked[22] &= !2;
    unchecked[10] = 1;
    unchecked[40..44].fill(0);
    mend(&mut unchecked);
    let read = |seed| decode::<F>(&unchecked, Some(seed));
    let back = read(seed).map_err(Violation::refused("a seed that is not checked"))?;
    ensure(back == *filter, "a file without check", "another filter", "the same")?;
    let other = read(!seed).map_err(Violation::refused("a wrong seed that is not checked"))?;
    same("a seed that is not checked", other.seed(), !seed)
}

/// `Ok` if nothing reads the file with this seed.
fn another_seed_is_refused<F: FileFilter>(file: &[u8], given: u64) -> Verdict {
    let streamed = F::read(&mut Pieces { bytes: file, size: 50 }, Some(given), u64::MAX);
    let streamed = match streamed.err() {
        Some(ReadError::Decode(error)) => Some(error),
        _ => None,
    };
    let aligned = Aligned::new(file, 0);
    for found in [
        decode::<F>(file, Some(given)).err(),
        streamed,
        F::view(aligned.get(), Some(given), true).err(),
        F::view(aligned.get(), Some(given), false).err(),
    ] {
        same("a seed given for a file of another", found, Some(DecodeError::OtherSeed))?;
    }
    Ok(())
}

/// A filter that was read takes and refuses keys as the one that was written: the file leaves out
/// nothing that decides it, such as a limit of growth.
pub fn a_filter_that_was_read_goes_on_as_the_one_written<F>(fill: Fill<F>) -> Verdict
where
    F: FileFilter + InsertFilter,
{
    for n in [1, 10, 500] {
        let mut filter = with_keys(fill, n, 0.01, 4)?;
        let mut back: F = decode(&encoded(&filter)?, None).map_err(Violation::refused("a file"))?;
        for hash in absent_hashes(3 * n + 100, 4) {
            same(
                format!("a key for a filter of {n} that was read"),
                back.insert_hash(hash),
                filter.insert_hash(hash),
            )?;
        }
        ensure(
            encoded(&back)? == encoded(&filter)?,
            format!("a filter of {n} that was read and took keys"),
            "another",
            "the same",
        )?;
    }
    Ok(())
}

/// From a stream a file is read to its end and no further, also in small pieces; one cut short or
/// over the caller's limit is refused.
pub fn a_stream_is_read_to_the_end_of_the_file<F: FileFilter>(fill: Fill<F>) -> Verdict {
    let (one, two) = (with_keys(fill, 700, 0.01, 1)?, with_keys(fill, 40, 0.1, 2)?);
    let bytes = [encoded(&one)?, encoded(&two)?, vec![1, 2, 3]].concat();
    for size in [1, 7, 64, 1 << 20] {
        let mut pieces = Pieces { bytes: &bytes, size };
        for wanted in [&one, &two] {
            let found = F::read(&mut pieces, None, u64::MAX)
                .map_err(Violation::refused("a file in a stream"))?;
            ensure(found == *wanted, "a filter in a stream", "another", "the one written")?;
        }
        same("bytes left in the stream", pieces.bytes, &[1, 2, 3][..])?;
    }
    cuts_and_limits_are_refused(&encoded(&two)?, &|bytes, limit| {
        F::read(&mut Pieces { bytes, size: 50 }, None, limit).map(drop)
    })
}

/// Reads a file in small pieces, up to a limit.
type Reading<'a> = dyn Fn(&[u8], u64) -> Result<(), ReadError> + 'a;

/// `Ok` if these bytes are read, but not if some are cut off or the limit is lower.
fn cuts_and_limits_are_refused(bytes: &[u8], read: &Reading<'_>) -> Verdict {
    for cut in 0..bytes.len() {
        match read(&bytes[..cut], u64::MAX) {
            Err(ReadError::Decode(DecodeError::Truncated { bytes, .. })) => {
                same("bytes of a stream cut short", bytes, cut as u64)?;
            }
            other => {
                return Err(Violation::Accepted {
                    what: format!("a stream cut at {cut}: {:?}", other.err()),
                });
            }
        }
    }
    let length = bytes.len() as u64;
    ensure(read(bytes, length).is_ok(), "a file of the limit", "refused", "read")?;
    match read(bytes, length - 1) {
        Err(ReadError::Decode(DecodeError::OverLimit { .. })) => Ok(()),
        _ => Err(Violation::Accepted { what: "a file over the limit".to_owned() }),
    }
}

/// A view answers as the filter does, checked or not, at every address.
pub fn a_view_answers_as_the_filter<F: FileFilter>(fill: Fill<F>) -> Verdict {
    for made in filters(fill) {
        let (n, seed, filter) = made?;
        let bytes = encoded(&filter)?;
        let hashes = [present_hashes(n.min(1000), seed), absent_hashes(1000, seed)].concat();
        let mut wanted = vec![false; hashes.len()];
        filter.contains_batch(&hashes, &mut wanted).map_err(Violation::refused("a batch"))?;
        for after in 0..ALIGN {
            let aligned = Aligned::new(&bytes, after);
            for check in [true, false] {
                let view = F::view(aligned.get(), None, check)
                    .map_err(Violation::refused(format!("a view of {n} keys")))?;
                if after > 1 && n > 600 {
                    // Two places are enough.
                    continue;
                }
                is_view_of(&view, &filter, &hashes, &wanted)?;
            }
        }
    }
    Ok(())
}

/// `Ok` if the view answers these hashes as wanted, and reports what the filter does.
fn is_view_of(
    view: &dyn Filter,
    filter: &dyn Filter,
    hashes: &[KeyHash],
    wanted: &[bool],
) -> Verdict {
    let mut answers = vec![false; hashes.len()];
    view.contains_batch(hashes, &mut answers).map_err(Violation::refused("a batch"))?;
    ensure(answers == wanted, "answers of a view", "others", "the filter's")?;
    let single: Vec<bool> = hashes.iter().map(|&h| view.contains_hash(h)).collect();
    ensure(single == wanted, "single answers of a view", "others", "the filter's")?;
    let (ours, theirs) = (view.stats(), filter.stats());
    same("keys of a view", ours.len, theirs.len)?;
    same("rate of a view", ours.expected_fpr, theirs.expected_fpr)?;
    same("seed of a view", view.seed(), filter.seed())
}

/// The file's own numbers: header and directory take no more than stated.
pub fn a_file_is_little_larger_than_its_table<F: FileFilter>(fill: Fill<F>) -> Verdict {
    for n in [500, 20_000] {
        let filter = with_keys(fill, n, 0.01, 1)?;
        let over = encoded(&filter)?.len() as u64 - filter.size_in_bytes();
        // A head, and for each section and entry a row and less than a row of padding.
        let rows = 1 + 3 * 80;
        ensure(
            over <= (HEADER + rows * ENTRY) as u64,
            format!("bytes of a file of {n} keys beyond the table"),
            over,
            "little",
        )?;
    }
    Ok(())
}
