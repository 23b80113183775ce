//! Damaged files, and what is no file, are refused.

use super::ways::{Aligned, FileFilter, Pieces, decode, encoded, with_keys};
use crate::fill::Fill;
use crate::violation::{Verdict, Violation, ensure, same};
use amq_core::DecodeError;
use amq_core::format::HEADER;
use xxhash_rust::xxh3::xxh3_64;

/// `Ok` if these bytes are refused in every way in that does not leave out a check.
#[inline(never)]
fn refused<F: FileFilter>(bytes: &[u8], what: &dyn Fn() -> String) -> Verdict {
    refused_whole::<F>(bytes, what)?;
    let mut stream = Pieces { bytes, size: 1000 };
    match F::read(&mut stream, None, u64::MAX) {
        Ok(_) => Err(Violation::Accepted { what: format!("{}, as a stream", what()) }),
        Err(_) => Ok(()),
    }
}

/// Requires that every reader of a whole file refuses these bytes.
#[inline(never)]
fn refused_whole<F: FileFilter>(bytes: &[u8], what: &dyn Fn() -> String) -> Verdict {
    let aligned = Aligned::new(bytes, 0);
    let accepted = [decode::<F>(bytes, None).is_ok(), F::view(aligned.get(), None, true).is_ok()];
    match accepted.iter().position(|&accepted| accepted) {
        Some(way) => {
            Err(Violation::Accepted { what: format!("{}, {}", what(), ["decoded", "viewed"][way]) })
        }
        None => Ok(()),
    }
}

/// Every flipped bit, every cut and every byte more is refused, and parts of two files are no file.
pub fn a_damaged_file_is_refused<F: FileFilter>(fill: Fill<F>) -> Verdict {
    for n in [0, 1, 30] {
        let file = |seed| encoded(&with_keys(fill, n, 0.05, seed)?);
        damaged_files_are_refused([&file(3)?, &file(4)?], refused::<F>, refused_whole::<F>)?;
    }
    Ok(())
}

/// A check of bytes, and what they are.
type Check = fn(&[u8], &dyn Fn() -> String) -> Verdict;

/// Damages one file in every way, and mixes it with another that may be as long.
fn damaged_files_are_refused(
    [bytes, other]: [&[u8]; 2],
    refused: Check,
    refused_whole: Check,
) -> Verdict {
    let mut damaged = bytes.to_vec();
    for bit in 0..bytes.len() * 8 {
        damaged[bit / 8] ^= 1 << (bit % 8);
        refused(&damaged, &|| format!("a file with bit {bit} flipped"))?;
        damaged[bit / 8] ^= 1 << (bit % 8);
    }
    for cut in 0..bytes.len() {
        refused(&bytes[..cut], &|| format!("a file cut at {cut}"))?;
    }
    for more in [bytes, &[0][..], &[0; 64][..]] {
        refused_whole(&[bytes, more].concat(), &|| format!("{} bytes more", more.len()))?;
    }
    if other.len() == bytes.len() && other[HEADER..] != bytes[HEADER..] {
        refused(&[&bytes[..HEADER], &other[HEADER..]].concat(), &|| {
            "the header of one filter before another with as many keys".to_owned()
        })?;
    }
    Ok(())
}

/// What is no file of this family is refused by its own error.
pub fn what_is_no_file_is_refused_by_name<F: FileFilter>(fill: Fill<F>) -> Verdict {
    let bytes = encoded(&with_keys(fill, 30, 0.05, 3)?)?;
    no_files_are_refused(&bytes, &|bytes| decode::<F>(bytes, None).err())
}

fn no_files_are_refused(bytes: &[u8], error: &dyn Fn(&[u8]) -> Option<DecodeError>) -> Verdict {
    let with = |change: &dyn Fn(&mut [u8])| {
        let mut changed = bytes.to_vec();
        change(&mut changed);
        mend(&mut changed);
        error(&changed)
    };
    same("no bytes", error(&[]), Some(DecodeError::Truncated { bytes: 0, needed: HEADER as u64 }))?;
    same("other bytes", error(&[1; 500]), Some(DecodeError::Magic))?;
    let no_cr: Vec<u8> = bytes.iter().copied().filter(|&byte| byte != 0x0D).collect();
    same("CRLF as LF", error(&no_cr), Some(DecodeError::TextMode))?;
    let with_cr: Vec<u8> = bytes
        .iter()
        .flat_map(|&byte| (byte == b'\n').then_some(b'\r').into_iter().chain([byte]))
        .collect();
    same("LF as CRLF", error(&with_cr), Some(DecodeError::TextMode))?;
    same("seven bits", with(&|b| b[0] &= 0x7F), Some(DecodeError::TextMode))?;
    same("turned round", with(&|b| b[..8].reverse()), Some(DecodeError::ByteSwapped))?;
    let mut words = bytes.to_vec();
    words.chunks_exact_mut(8).for_each(<[u8]>::reverse);
    same("every word turned round", error(&words), Some(DecodeError::ByteSwapped))?;
    same(
        "a later version",
        with(&|b| b[8] = 9),
        Some(DecodeError::Version { major: 9, minor: 1 }),
    )?;
    ensure(with(&|b| b[10] = 9).is_none(), "a later minor version", "refused", "read")?;
    same("kind 200", with(&|b| b[16] = 200), Some(DecodeError::Kind { number: 200 }))?;
    let other = if bytes[16] == 1 { 2 } else { 1 };
    ensure(
        matches!(with(&|b| b[16] = other), Some(DecodeError::WrongKind { .. })),
        "a good payload under another kind",
        "another answer",
        "WrongKind",
    )?;
    ensure(
        matches!(with(&|b| b[17] += 1), Some(DecodeError::Revision { .. })),
        "a later layout",
        "another answer",
        "Revision",
    )?;
    same("another hash", with(&|b| b[18] = 77), Some(DecodeError::Hash { id: 77 }))?;
    same(
        "another encoding",
        with(&|b| b[19] = 77),
        Some(DecodeError::KeyEncoding { version: 77 }),
    )?;
    same(
        "a flag to understand",
        with(&|b| b[23] = 1),
        Some(DecodeError::Flags { unknown: 1 << 24, minor: 1 }),
    )?;
    ensure(with(&|b| b[20] = 0xFF).is_none(), "flags to ignore", "refused", "read")?;
    for at in [48, 160] {
        let reserved = Some(DecodeError::Reserved { part: "header" });
        same("reserved bytes", with(&|b| b[at] = 1), reserved)?;
    }
    for (at, part) in [(8, "header"), (HEADER + 1, "directory")] {
        let mut damaged = bytes.to_vec();
        damaged[at + 16] ^= 1;
        same(part, error(&damaged), Some(DecodeError::Checksum { part }))?;
    }
    Ok(())
}

/// Makes the checksums of a forged file right again, as far as its lengths lead into it.
pub fn mend(bytes: &mut [u8]) {
    let at = |bytes: &[u8], at: usize| {
        u64::from_le_bytes(core::array::from_fn(|i| bytes[at + i])) as usize
    };
    let directory = at(bytes, 136).min(bytes.len() - HEADER);
    let sums = [xxh3_64(&bytes[HEADER + directory..]), xxh3_64(&bytes[HEADER..HEADER + directory])];
    for (place, sum) in [168, 176].into_iter().zip(sums) {
        bytes[place..place + 8].copy_from_slice(&sum.to_le_bytes());
    }
    let sum = xxh3_64(&bytes[..HEADER - 8]);
    bytes[HEADER - 8..HEADER].copy_from_slice(&sum.to_le_bytes());
}
