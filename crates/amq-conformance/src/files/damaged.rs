//! Damaged files and other bytes are refused.

use super::ways::{FileFilter, LOAD, encoded, errors};
use crate::fill::{Fill, filled};
use crate::testing::number;
use amq_core::DecodeError;
use amq_core::format::HEADER;
use xxhash_rust::xxh3::xxh3_64;

/// A file with a flipped bit, cut short, with an additional byte, or made of parts of two files is
/// refused.
pub fn a_damaged_file_is_refused<F: FileFilter>(fill: Fill<F>) {
    for n in [0, 1, 30] {
        let [bytes, other] = [3, 4].map(|seed| encoded(&filled(fill, n, 0.05, seed)));
        let refused = |bytes: &[u8]| errors::<F>(bytes, LOAD)[..3].iter().all(Option::is_some);
        damaged(&bytes, &mut |file, what| assert!(refused(file), "a file {what} is read"));
        for more in [&bytes[..], &[0], &[0; 64]] {
            let [whole, _, view, _] = errors::<F>(&[&bytes, more].concat(), LOAD);
            assert!(whole.is_some() && view.is_some(), "a file and {} bytes are read", more.len());
        }
        // It may be as long.
        if other.len() == bytes.len() && other[HEADER..] != bytes[HEADER..] {
            let mixed = [&bytes[..HEADER], &other[HEADER..]].concat();
            assert!(refused(&mixed), "the header of one filter before another is read");
        }
    }
}

/// Calls `each` with this file, one bit flipped, and cut short, in every place.
pub(crate) fn damaged(bytes: &[u8], each: &mut dyn FnMut(&[u8], &str)) {
    let mut damaged = bytes.to_vec();
    for bit in 0..bytes.len() * 8 {
        damaged[bit / 8] ^= 1 << (bit % 8);
        each(&damaged, &format!("with bit {bit} flipped"));
        damaged[bit / 8] ^= 1 << (bit % 8);
    }
    for cut in 0..bytes.len() {
        each(&bytes[..cut], &format!("cut at {cut}"));
    }
}

/// Bytes that are not a file of this family are refused with a separate error.
pub fn what_is_no_file_is_refused_by_name<F: FileFilter>(fill: Fill<F>) {
    let bytes = encoded(&filled(fill, 30, 0.05, 3));
    no_files_are_refused(&bytes, &|bytes| F::decode(bytes, LOAD).err());
}

fn no_files_are_refused(bytes: &[u8], error: &dyn Fn(&[u8]) -> Option<DecodeError>) {
    let with = |change: &dyn Fn(&mut [u8])| {
        let mut changed = bytes.to_vec();
        change(&mut changed);
        mend(&mut changed);
        error(&changed)
    };
    let set = |at: usize, byte: u8| with(&|bytes| bytes[at] = byte);
    let no_cr: Vec<u8> = bytes.iter().copied().filter(|&byte| byte != 0x0D).collect();
    let with_cr = |&byte: &u8| (byte == b'\n').then_some(b'\r').into_iter().chain([byte]);
    let with_cr: Vec<u8> = bytes.iter().flat_map(with_cr).collect();
    let mut words = bytes.to_vec();
    words.chunks_exact_mut(8).for_each(<[u8]>::reverse);
    for (what, found, wanted) in [
        ("no bytes", error(&[]), DecodeError::Truncated { bytes: 0, needed: HEADER as u64 }),
        ("other bytes", error(&[1; 500]), DecodeError::Magic),
        ("CRLF as LF", error(&no_cr), DecodeError::TextMode),
        ("LF as CRLF", error(&with_cr), DecodeError::TextMode),
        ("seven bits", with(&|bytes| bytes[0] &= 0x7F), DecodeError::TextMode),
        ("turned round", with(&|bytes| bytes[..8].reverse()), DecodeError::ByteSwapped),
        ("every word turned round", error(&words), DecodeError::ByteSwapped),
        ("a later version", set(8, 9), DecodeError::Version { major: 9, minor: 1 }),
        ("kind 200", set(16, 200), DecodeError::Kind { number: 200 }),
        ("another hash", set(18, 77), DecodeError::Hash { id: 77 }),
        ("another encoding", set(19, 77), DecodeError::KeyEncoding { version: 77 }),
        ("a flag", set(23, 1), DecodeError::Flags { unknown: 1 << 24, minor: 1 }),
        ("a reserved byte", set(48, 1), DecodeError::Reserved { part: "header" }),
        ("a reserved byte", set(160, 1), DecodeError::Reserved { part: "header" }),
    ] {
        assert_eq!(found, Some(wanted), "{what}");
    }
    assert_eq!([set(10, 9), set(20, 0xFF)], [None; 2], "a later minor version, flags to ignore");
    let other = set(16, if bytes[16] == 1 { 2 } else { 1 });
    assert!(matches!(other, Some(DecodeError::WrongKind { .. })), "another kind: {other:?}");
    let later = set(17, bytes[17] + 1);
    assert!(matches!(later, Some(DecodeError::Revision { .. })), "a later layout: {later:?}");
    for (at, part) in [(24, "header"), (HEADER + 17, "directory")] {
        let mut damaged = bytes.to_vec();
        damaged[at] ^= 1;
        assert_eq!(error(&damaged), Some(DecodeError::Checksum { part }));
    }
}

/// Corrects the checksums of a forged file, as far as its lengths point into it.
pub fn mend(bytes: &mut [u8]) {
    let directory = (number(bytes, 136) as usize).min(bytes.len() - HEADER);
    let sums = [xxh3_64(&bytes[HEADER + directory..]), xxh3_64(&bytes[HEADER..HEADER + directory])];
    for (place, sum) in [168, 176].into_iter().zip(sums) {
        bytes[place..place + 8].copy_from_slice(&sum.to_le_bytes());
    }
    let sum = xxh3_64(&bytes[..HEADER - 8]);
    bytes[HEADER - 8..HEADER].copy_from_slice(&sum.to_le_bytes());
}
