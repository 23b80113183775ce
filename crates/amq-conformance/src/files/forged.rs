//! Forged files with correct checksums are refused, or decode to filters like any other.

use super::damaged::mend;
use super::ways::{FileFilter, LOAD, Pieces, UNCHECKED, answers, encoded};
use crate::abilities::Abilities;
use crate::fill::{Fill, absent_hashes, all_found, filled, present_hashes};
use crate::testing::{number, set};
use amq_core::format::{ALIGN, ENTRY, HEADER};
use amq_core::{DecodeError, Filter, KeyHash, ReadError};

/// The values that an attacker writes into numbers.
pub(crate) fn hostile(number: u64) -> [u64; 17] {
    [
        0,
        1,
        2,
        63,
        number.wrapping_sub(1),
        number.wrapping_add(1),
        number.wrapping_add(64),
        number.wrapping_mul(2),
        (1 << 31) + 1,
        u32::MAX.into(),
        1 << 32,
        1 << 40,
        1 << 63,
        u64::MAX - 63,
        u64::MAX,
        f64::NAN.to_bits(),
        f64::INFINITY.to_bits(),
    ]
}

/// The start of the payload.
pub(crate) fn payload(bytes: &[u8]) -> usize {
    HEADER + number(bytes, 136) as usize
}

/// A file with forged numbers, whose stated section lengths match them: zero buckets in no bytes,
/// 2^63 in 2^60. Sections are extended by zeros, up to `most` bytes; a longer one stays as it is,
/// and the file is cut short there. `None` if no length is wrong.
pub(crate) fn fitted<F: FileFilter>(forged: &[u8], most: u64) -> Option<Vec<u8>> {
    let (begin, sections) = (payload(forged), number(forged, HEADER) as usize);
    let row = |section: usize| HEADER + (1 + section) * ENTRY;
    let mut bytes = forged.to_vec();
    let mut fitted = 0;
    loop {
        let mut stream = Pieces { bytes: &bytes, size: usize::MAX };
        let Err(ReadError::Decode(DecodeError::PayloadLength { stated, expected })) =
            F::read(&mut stream, LOAD)
        else {
            return (fitted > 0).then_some(bytes);
        };
        // The sections are compared in order.
        let wrong = (fitted..sections).find(|&i| number(&bytes, row(i) + 8) == stated)?;
        fitted = wrong + 1;
        set(&mut bytes, row(wrong) + 8, expected);

        let padded = |length: u64| length.checked_next_multiple_of(ALIGN as u64);
        let mut end = 0u64;
        for i in 0..sections {
            set(&mut bytes, row(i), end);
            end = end.checked_add(padded(number(&bytes, row(i) + 8))?)?;
        }
        set(&mut bytes, 144, end);
        bytes.truncate(begin);
        for i in 0..sections {
            let (offset, held) = (number(forged, row(i)), number(forged, row(i) + 8));
            let length = number(&bytes, row(i) + 8);
            let held = &forged[begin + offset as usize..][..held.min(length) as usize];
            bytes.extend_from_slice(held);
            if length > most {
                break;
            }
            bytes.resize(bytes.len() - held.len() + padded(length)? as usize, 0);
        }
        mend(&mut bytes);
    }
}

/// Sections of forged files are extended to match their geometry up to this length.
const MOST: u64 = 1 << 14;

/// Calls `each` with every forgery of a small filter's file that is read as a filter.
pub fn forgeries<F: FileFilter>(fill: Fill<F>, mut each: impl FnMut(F, &dyn Fn() -> String)) {
    forged_files(fill, &mut |forged, what| {
        if let Ok(filter) = F::decode(forged, LOAD) {
            each(filter, what);
        }
    });
}

/// A check of a forged file, which gets the filter and a description of the forgery. (Behind `dyn`,
/// so that the forging code is compiled once for each filter.)
pub(crate) type Check<'a> = dyn FnMut(&[u8], &dyn Fn() -> String) + 'a;

/// Calls `each` with every forgery of a small filter's file: a hostile number in header or
/// directory, alone and with sections of matching length; or a changed byte of the payload. The
/// checksums are correct.
pub(crate) fn forged_files<F: FileFilter>(fill: Fill<F>, each: &mut Check<'_>) {
    for n in [1, 40] {
        forged_from(&encoded(&filled(fill, n, 0.05, 3)), n, fitted::<F>, each);
    }
}

/// Forges one file of `n` keys.
fn forged_from(
    bytes: &[u8],
    n: u64,
    fitted: fn(&[u8], u64) -> Option<Vec<u8>>,
    each: &mut Check<'_>,
) {
    let payload = payload(bytes);
    let mut forged = bytes.to_vec();
    for at in (24..168).chain(HEADER..payload).step_by(8) {
        for value in hostile(number(bytes, at)) {
            set(&mut forged, at, value);
            mend(&mut forged);
            let what = || format!("{value:#x} at byte {at}, file of {n} keys");
            each(&forged, &what);
            if at >= HEADER + ENTRY
                && let Some(fitted) = fitted(&forged, MOST)
            {
                each(&fitted, &|| format!("{}, sections to fit", what()));
            }
        }
        forged.copy_from_slice(bytes);
    }
    for at in payload..bytes.len() {
        for change in [1, 0x80, 0xFF] {
            forged[at] ^= change;
            mend(&mut forged);
            each(&forged, &|| format!("byte {at} changed by {change:#x}, file of {n} keys"));
            forged.copy_from_slice(bytes);
        }
    }
}

/// Requires that batches and single queries agree, and that the rate is a probability.
fn answers_alike(filter: &dyn Filter, hashes: &[KeyHash], what: &dyn Fn() -> String) {
    let single: Vec<bool> = hashes.iter().map(|&h| filter.contains_hash(h)).collect();
    assert!(answers(filter, hashes) == single, "other answers in batches: {}", what());
    let rate = filter.stats().expected_fpr;
    assert!((0.0..=1.0).contains(&rate), "a rate of {rate}: {}", what());
}

/// A forged file with correct checksums is refused or is a filter like any other. Single queries
/// and batches agree, and it is written again byte for byte. It finds the keys it inserts, merges
/// with a genuine filter in either direction or is refused, and can be cleared. After each
/// operation it can be saved.
pub fn a_forged_file_is_refused_or_is_a_filter<F: FileFilter>(abilities: &Abilities<F>) {
    let (ours, others) = (present_hashes(40, 3), absent_hashes(200, 3));
    let filter = filled(abilities.fill, 40, 0.05, 3);
    forged_files(abilities.fill, &mut |bytes, what| {
        let Ok(forged) = F::decode(bytes, LOAD) else { return };
        answers_alike(&forged, &others, what);
        assert!(encoded(&forged) == bytes, "written in another way: {}", what());
        let is_stored = |filter: &F| {
            let back = F::decode(&encoded(filter), LOAD);
            let back = back.unwrap_or_else(|error| panic!("{error}: {}", what()));
            assert!(back == *filter, "not read again as it was: {}", what());
        };
        if let (Some(insert), Some(clear)) = (abilities.insert, abilities.clear) {
            let mut full = forged.clone();
            for &hash in &others[..100] {
                // A refusal is an answer, too.
                let taken = insert(&mut full).insert_hash(hash).is_ok();
                assert!(!taken || full.contains_hash(hash), "false negative: {}", what());
            }
            clear(&mut full);
            assert_eq!(full.len(), 0, "len after clear: {}", what());
            is_stored(&full);
        }
        if let Some(remove) = abilities.remove {
            let mut fewer = forged.clone();
            for &hash in ours.iter().chain(&others) {
                let there = fewer.contains_hash(hash);
                let removed = remove(&mut fewer, hash);
                assert!(!removed || there, "removed what was absent: {}", what());
            }
            is_stored(&fewer);
        }
        let Some(merge) = abilities.merge else { return };
        for (one, two) in [(&filter, &forged), (&forged, &filter), (&forged, &forged)] {
            let mut sum = one.clone();
            let merged = merge(&mut sum, two).is_ok();
            assert!(merged || sum == *one, "changed by a refused merge: {}", what());
            if merged && !core::ptr::eq(one, two) {
                all_found(&sum, &ours, what());
            }
            is_stored(&sum);
        }
    });
}

/// A view with an unchecked payload returns some answer to every query, and terminates.
pub fn a_view_of_a_forged_file_answers<F: FileFilter>(fill: Fill<F>) {
    let hashes = [present_hashes(40, 3), absent_hashes(200, 3)].concat();
    forged_files(fill, &mut |forged, what| {
        if let Ok(view) = F::view(forged, UNCHECKED) {
            answers_alike(&view, &hashes, &|| format!("{}, a view", what()));
        }
    });
}

/// No number of the header but the seed affects answers: with a different one the file is refused,
/// or answers as before. So zero keys over a full table are no shortcut to "no".
pub fn a_forged_number_changes_no_answer<F: FileFilter>(fill: Fill<F>) {
    let hashes = [present_hashes(40, 3), absent_hashes(200, 3)].concat();
    let filter = filled(fill, 40, 0.05, 3);
    let (bytes, wanted) = (encoded(&filter), answers(&filter, &hashes));
    for at in (24..136).step_by(8).filter(|&at| at != 40) {
        for value in hostile(number(&bytes, at)) {
            let mut forged = bytes.clone();
            set(&mut forged, at, value);
            mend(&mut forged);
            let as_before = |filter: &dyn Filter| {
                let alike =
                    hashes.iter().map(|&h| filter.contains_hash(h)).eq(wanted.iter().copied());
                assert!(alike, "other answers with {value:#x} at byte {at} of the header");
            };
            if let Ok(filter) = F::decode(&forged, LOAD) {
                as_before(&filter);
            }
            if let Ok(view) = F::view(&forged, UNCHECKED) {
                as_before(&view);
            }
        }
    }
}
