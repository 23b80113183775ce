//! Laws of files: a written file is read again, a damaged or forged one is refused or harmless.

mod committed;
mod damaged;
mod forged;
mod prehashed;
mod ways;

pub use committed::{callers_hash, committed, golden, golden_prehashed};
pub use damaged::*;
pub use forged::*;
pub use prehashed::*;
pub use ways::{FileFilter, Pieces};
pub(crate) use ways::{LOAD, UNCHECKED, encoded, streamed};

use crate::abilities::Abilities;
use crate::fail::OrFail;
use crate::fill::{Fill, absent_hashes, all_found, filled, present_hashes};
use amq_core::format::{ALIGN, ENTRY, HEADER};
use amq_core::{DecodeError, Filter, KeyHash, ReadError, SaveOptions};
use ways::{answers, errors};

/// Calls `each` with filters of several sizes and rates, the number of their keys and the seed:
/// empty ones, tiny, small, and ones with several of each part.
fn filters<F: FileFilter>(fill: Fill<F>, mut each: impl FnMut(F, u64, u64)) {
    for (i, n) in (0u64..).zip([0, 1, 2, 10, 500, 20_000]) {
        for fpr in [0.3, 0.01, 1e-4] {
            // With bits in both halves.
            let seed = i.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            each(filled(fill, n, fpr, seed), n, seed);
        }
    }
}

/// Decoding inverts encoding: the same filter, and again the same bytes. It accepts and refuses the
/// same keys as the original, so the file omits nothing that matters, such as a limit of growth.
pub fn what_was_written_is_read<F: FileFilter>(abilities: &Abilities<F>) {
    filters(abilities.fill, |mut filter, n, seed| {
        let bytes = encoded(&filter);
        let mut back = F::decode(&bytes, LOAD).or_fail(format_args!("a file of {n} keys"));
        assert!(back == filter, "a file of {n} keys is read as another filter");
        assert!(encoded(&back) == bytes, "{n} keys that were read are written as another file");
        all_found(&back, &present_hashes(n, seed), "read");
        assert_eq!((back.seed(), back.stats()), (filter.seed(), filter.stats()));
        let Some(insert) = abilities.insert else { return };
        for hash in absent_hashes(3 * n.min(500) + 100, seed) {
            let wanted = insert(&mut filter).insert_hash(hash);
            assert_eq!(insert(&mut back).insert_hash(hash), wanted, "a key for {n}, read");
        }
        assert!(encoded(&back) == encoded(&filter), "{n} keys that were read and took more");
    });
}

/// A file that withholds its seed contains it nowhere. It is refused without the seed, and read as
/// the same filter with it. If the file has its seed, the same one may be given; another is
/// refused.
pub fn a_withheld_seed_must_be_given<F: FileFilter>(fill: Fill<F>) {
    let seed = 0xA11C_E5EC_12E7_0099;
    let filter = filled(fill, 300, 0.01, seed);
    let withheld = filter.encode(SaveOptions::new().without_secret()).or_fail("encoding");
    let told = encoded(&filter);
    let tells = withheld.windows(8).any(|word| word == seed.to_le_bytes());
    assert!(!tells, "a file without its seed tells it");
    assert_eq!(F::decode(&withheld, LOAD).err(), Some(DecodeError::SeedWithheld));
    for bytes in [&withheld, &told] {
        let back = F::decode(bytes, LOAD.seed(seed)).or_fail("a seed that was given");
        assert!(back == filter, "a file with the seed given is read as another filter");
    }
    let refused = |file: &[u8], given| {
        assert_eq!(errors::<F>(file, LOAD.seed(given)), [Some(DecodeError::OtherSeed); 4]);
    };
    for other in [!seed, seed + 1, seed << 1, 0] {
        refused(&withheld, other);
    }
    refused(&told, !seed);
    refused(&told, 0);
    // The seed of such a file is zero, and hashes nothing.
    let hashes = prehashed_file(&told);
    assert_eq!(errors::<F>(&hashes, LOAD.seed(0)), [Some(DecodeError::Prehashed); 4]);

    // A file without its check, as version 0.2 wrote it, is read with any seed: the flag that says
    // so, the version that has it, and the check itself.
    let mut unchecked = withheld;
    unchecked[22] &= !2;
    unchecked[10] = 1;
    unchecked[40..44].fill(0);
    mend(&mut unchecked);
    let read = |seed| F::decode(&unchecked, LOAD.seed(seed)).or_fail("a seed that is not checked");
    assert!(read(seed) == filter, "a file without check is read as another filter");
    assert_eq!(read(!seed).seed(), !seed);
}

/// A file is read from a stream to its end and no further, also in small pieces. A file that is cut
/// short or exceeds the caller's limit is refused.
pub fn a_stream_is_read_to_the_end_of_the_file<F: FileFilter>(fill: Fill<F>) {
    let (one, two) = (filled(fill, 700, 0.01, 1), filled(fill, 40, 0.1, 2));
    let (first, second) = (encoded(&one), encoded(&two));
    let bytes = [&first[..], &second, &[1, 2, 3]].concat();
    for size in [1, 7, 64, 1 << 20] {
        let mut pieces = Pieces { bytes: &bytes, size };
        for wanted in [&one, &two] {
            let found = F::read(&mut pieces, LOAD).or_fail("a file in a stream");
            assert!(found == *wanted, "a file in a stream is read as another filter");
        }
        assert_eq!(pieces.bytes, [1, 2, 3], "bytes left in the stream");
    }
    let read = |bytes, most| F::read(&mut Pieces { bytes, size: 50 }, LOAD.max_bytes(most)).err();
    for cut in 0..second.len() {
        let error = read(&second[..cut], u64::MAX);
        let named = matches!(error, Some(ReadError::Decode(DecodeError::Truncated { bytes, .. }))
            if bytes == cut as u64);
        assert!(named, "a stream cut at {cut}: {error:?}");
    }
    let length = second.len() as u64;
    assert!(read(&second, length).is_none(), "a file of the limit is refused");
    let over = read(&second, length - 1);
    let named = matches!(over, Some(ReadError::Decode(DecodeError::OverLimit { .. })));
    assert!(named, "a file over the limit: {over:?}");
}

/// A view answers as the filter does, checked or not, at every address.
pub fn a_view_answers_as_the_filter<F: FileFilter>(fill: Fill<F>) {
    filters(fill, |filter, n, seed| {
        let bytes = encoded(&filter);
        let hashes = [present_hashes(n.min(1000), seed), absent_hashes(1000, seed)].concat();
        let wanted = answers(&filter, &hashes);
        let mut held = vec![0; bytes.len() + ALIGN];
        // Of a large filter two places are enough.
        for after in 0..if n > 600 { 2 } else { ALIGN } {
            let held = &mut held[after..][..bytes.len()];
            held.copy_from_slice(&bytes);
            for load in [LOAD, UNCHECKED] {
                let view = F::view(held, load).or_fail(format_args!("a view of {n} keys"));
                is_view_of(&view, &filter, &hashes, &wanted);
            }
        }
    });
}

/// Requires that the view returns `wanted` for these hashes, and reports the same state as the
/// filter.
fn is_view_of(view: &dyn Filter, filter: &dyn Filter, hashes: &[KeyHash], wanted: &[bool]) {
    assert!(answers(view, hashes) == wanted, "a view answers a batch differently");
    let single: Vec<bool> = hashes.iter().map(|&h| view.contains_hash(h)).collect();
    assert!(single == wanted, "a view answers differently");
    let numbers = |filter: &dyn Filter| {
        let stats = filter.stats();
        (stats.len, stats.expected_fpr, filter.seed())
    };
    assert_eq!(numbers(view), numbers(filter), "len, rate and seed of a view");
}

/// Header and directory have the stated lengths.
pub fn a_file_is_little_larger_than_its_table<F: FileFilter>(fill: Fill<F>) {
    for n in [500, 20_000] {
        let filter = filled(fill, n, 0.01, 1);
        let over = encoded(&filter).len() as u64 - filter.size_in_bytes();
        // A head, and for each section and entry a row and less than a row of padding.
        let rows = 1 + 3 * 80;
        assert!(over <= (HEADER + rows * ENTRY) as u64, "{over} bytes beside {n} keys");
    }
}
